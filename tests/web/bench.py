#!/usr/bin/env python3
"""Time and memory of the page in a headless Chromium: a tree of 100 k and of 1 M frames, nearly
all narrower than a pixel. Prints a line each; wall milliseconds, medians of zooms.

usage: bench.py [FRAMES...]
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import chrome  # noqa: E402
import pages  # noqa: E402

ZOOMS = """(() => {
  const p = assay.view().probe, t = p.tree, ms = [];
  let i = 0;
  for (let k = 0; k < 12; k++) {
    let best = -1;
    for (let c = i + 1; c < t.end[i]; c = t.end[c])
      if (best < 0 || t.total[c] > t.total[best]) best = c;
    if (best < 0 || t.end[best] - best < 3) i = 0; else i = best;
    const began = performance.now();
    location.hash = '#tab=flame' + (i ? '&z=' + i : '');
    assay.view().onChange(new Set(['z']));
    ms.push([performance.now() - began, p.view.ms()]);
  }
  return ms;
})()"""
SEARCH = """(() => { const began = performance.now();
  const s = document.getElementById('search'); s.value = 'function_12';
  s.dispatchEvent(new Event('input')); return performance.now() - began; })()"""


def difference(c, folder, n):
    """Two recordings of @n frames: the page with both, and its picture in either layout."""
    names = []
    for side in (1, 2):
        names.append(os.path.join(folder, "side%d.txt" % side))
        with open(names[-1], "w", encoding="utf-8") as f:
            f.write(pages.deep(n, 1) if side == 1 else "".join(
                "%s %d\n" % (line.rsplit(" ", 1)[0], int(line.rsplit(" ", 1)[1]) * (1 + i % 3))
                for i, line in enumerate(pages.deep(n, 1).splitlines()) if i % 50))
    page = os.path.join(folder, "difference.html")
    subprocess.run([pages.ASSAY, "html", "--diff", "-o", page, *names], check=True)
    began = time.monotonic()
    c.open(page)
    c.until("document.querySelector('.diff .legend') && document.querySelector('.diff tbody tr')")
    ready = 1000 * (time.monotonic() - began)
    other = c.run("(() => { const began = performance.now(); assay.view().key({ key: 'l' });"
                  "return performance.now() - began; })()")
    c.call("HeapProfiler.collectGarbage")
    heap = c.run("performance.memory.usedJSHeapSize") / 1e6
    backing = c.call("Runtime.getHeapUsage").get("backingStorageSize", 0) / 1e6
    print("%8d frames, the difference of two: page %.1f MB, opened and ready %.0f ms, other layout "
          "%.0f ms, heap %.0f MB and arrays %.0f MB" % (
              c.run("assay.view().probe.tree.n"), os.path.getsize(page) / 1e6, ready, other, heap,
              backing), flush=True)


def measure(c, folder, n):
    page = pages.make(folder, "bench", pages.deep(n))
    c.open(page)
    ready = c.run("""(async () => { const began = performance.now();
      document.getElementById('tab-flame').click();
      while (!document.querySelector('.flame[data-ready-ms]'))
        await new Promise(f => setTimeout(f, 5));
      await new Promise(f => requestAnimationFrame(() => requestAnimationFrame(f)));
      return performance.now() - began; })()""")
    whole = c.run("document.querySelector('.flame').dataset.nodes")
    zooms = c.run(ZOOMS)
    search = c.run(SEARCH)
    c.call("HeapProfiler.collectGarbage")
    heap = c.run("performance.memory.usedJSHeapSize") / 1e6
    backing = c.call("Runtime.getHeapUsage").get("backingStorageSize", 0) / 1e6
    print("%8s frames: page %.1f MB, ready %.0f ms, zoom %.1f ms (drawing %.1f, most %.1f), "
          "search %.0f ms, heap %.0f MB and arrays %.0f MB" % (
              whole, os.path.getsize(page) / 1e6, ready,
              statistics.median(z[0] for z in zooms), statistics.median(z[1] for z in zooms),
              max(z[0] for z in zooms), search, heap, backing), flush=True)


def main():
    if not chrome.browser():
        print("no Chromium: nothing measured")
        return
    with tempfile.TemporaryDirectory() as folder:
        for n in map(int, sys.argv[1:] or ("100000", "1000000")):
            c = chrome.Chrome(os.path.join(folder, "profile-%d" % n))
            try:
                measure(c, folder, n)
                difference(c, folder, n)
            finally:
                c.close()


main()
