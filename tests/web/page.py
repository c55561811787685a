#!/usr/bin/env python3
"""The page of `assay html` in a headless Chromium with the network off: findings are there,
a click zooms, a search marks, a link brings the view back, a range is compared, hostile names
stay names. TAP on stdout; without a browser only what needs none.
"""
import html.parser
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import chrome  # noqa: E402
import pages  # noqa: E402

SAMPLES = os.path.join(pages.SOURCE, "samples")


class Tap:
    def __init__(self):
        self.n = self.bad = 0

    def ok(self, good, name, detail=""):
        self.n += 1
        self.bad += not good
        print("%s %d - %s" % ("ok" if good else "not ok", self.n, name), flush=True)
        if not good and detail != "":
            print("# " + str(detail)[:2000].replace("\n", "\n# "))

    def skip(self, name, why):
        self.n += 1
        print("ok %d - %s # SKIP %s" % (self.n, name, why))


TAP = Tap()


class Elements(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.links = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.links += [v for k, v in attrs if k in ("src", "href", "action", "data")]


def check_text(path):
    """What can be seen without a browser."""
    text = open(path, encoding="utf-8").read()
    e = Elements()
    e.feed(text)
    TAP.ok(not e.links, "the page names no other file", e.links)
    kinds = [a.get("type") for t, a in e.tags if t == "script"]
    TAP.ok(kinds.count("module") == 1 and set(kinds) <= {"module", "application/json",
                                                         "application/gzip"},
           "one script runs, the others are data", kinds)
    policy = next(a["content"] for t, a in e.tags if a.get("http-equiv"))
    TAP.ok("default-src 'none'" in policy and "unsafe" not in policy,
           "the policy allows one script and one style, by hash", policy)
    TAP.ok(not re.search(r"<(img|iframe|svg|object|b)\b", text.split("<script")[1]),
           "no name became an element")


def check_hostile(c, folder):
    path = pages.make(folder, "hostile", pages.HOSTILE)
    check_text(path)
    if not c:
        return
    c.open(path, "#tab=flame")
    c.until("document.querySelector('.flame .legend')")
    TAP.ok(c.run("window.hacked") is None and c.run("document.querySelectorAll('img,b.x').length") == 0,
           "hostile names do not act")
    TAP.ok(c.run("document.body.innerHTML.includes('\\u202e')") is False,
           "turned text is shown as what it is")


def check_mail(c, folder):
    path = pages.assay_html(os.path.join(SAMPLES, "ovsdb-raft-mail.txt"),
                            os.path.join(folder, "mail.html"))
    c.open(path)
    n = c.until("document.querySelectorAll('.finding').length")
    first = c.run("document.querySelector('.finding h2').textContent")
    TAP.ok(n > 5 and "core dump" in first, "the findings stand in front", (n, first))
    TAP.ok("elf_core_dump" in c.run("document.querySelector('.finding .evidence').textContent"),
           "the first one shows its lines")
    c.run("document.getElementById('tab-log').click()")
    TAP.ok(c.until("document.querySelectorAll('.log tr').length") > 50, "a log shows its records")
    c.run("document.getElementById('tab-table').click()")
    TAP.ok(c.until("document.querySelectorAll('.table tbody tr').length") > 20,
           "the table has its rows")
    TAP.ok("[k]" not in c.run("document.querySelector('.table tbody').textContent"),
           "names stand in the table as in the flame graph")
    c.run("[...document.querySelectorAll('.table th button')].find(b => "
          "b.textContent.startsWith('Self')).click()")
    TAP.ok(c.run("document.querySelector('.table tbody td:nth-child(2)').textContent") == "34.33 %"
           or float(c.run("document.querySelector('.table tbody td:nth-child(2)').textContent"
                          ).split()[0]) > 30, "a click on a title sorts",
           c.run("document.querySelector('.table tbody tr').textContent"))


def frame_at(c, name):
    """Where on the screen the middle of a frame is."""
    return c.run("""(() => {
      const p = assay.view().probe, t = p.tree, i = p.find(%r), z = p.zoom();
      const box = p.view.canvas.getBoundingClientRect();
      const v0 = t.start[z], v1 = z ? v0 + t.total[z] : t.whole;
      return [box.left + (t.start[i] + t.total[i] / 2 - v0) / (v1 - v0) * box.width,
              box.top + (t.depth[i] + 0.5) * 18 - p.view.element.scrollTop];
    })()""" % name)


def check_flame(c, folder):
    path = pages.make(folder, "flame", pages.FOLDED)
    c.open(path, "#tab=flame")
    c.until("document.querySelector('.flame canvas')")
    c.hover(*frame_at(c, "read_all"))
    TAP.ok("30.00" in (c.until("document.querySelector('.details').textContent.includes('read_all')"
                               " && document.querySelector('.details').textContent") or ""),
           "the pointer on a frame tells its share",
           c.run("document.querySelector('.details').textContent"))
    TAP.ok("sample" not in c.run("document.querySelector('.details').textContent"),
           "lines of folded stacks are not called samples")
    c.click(*frame_at(c, "parse"))
    c.until("location.hash.includes('z=')")
    TAP.ok("parse" in c.run("document.querySelector('.crumbs').textContent"), "a click zooms",
           c.run("location.hash"))
    TAP.ok(c.run("assay.view().probe.tree.symbols.name[assay.view().probe.tree.sym["
                 "assay.view().probe.zoom()]]") == "parse", "the zoomed frame is the one clicked")
    c.run("document.querySelector('.flame canvas').focus()")
    c.key("Escape")
    TAP.ok(c.run("assay.view().probe.zoom()") == c.run("assay.view().probe.find('main')"),
           "Escape goes to the caller")
    c.key("/")
    TAP.ok(c.run("document.activeElement.id") == "search", "slash goes to the search")
    c.call("Input.insertText", text="read")
    TAP.ok("45.00" in c.until("document.querySelector('.found').textContent"),
           "a search tells the share of what it marks, each moment once",
           c.run("document.querySelector('.found').textContent"))
    seen = c.run("""(() => { const k = document.querySelector('.flame canvas');
      const d = k.getContext('2d').getImageData(0, 0, k.width, k.height).data; let n = 0;
      for (let i = 0; i < d.length; i += 4) n += d[i] === 162 && d[i+1] === 28 && d[i+2] === 175;
      return n; })()""")
    TAP.ok(seen > 500, "and marks it", seen)
    link = c.run("location.hash")
    zoom = c.run("assay.view().probe.zoom()")
    c.open(path, link)
    c.until("document.querySelector('.found') && document.querySelector('.found').textContent")
    TAP.ok(c.run("assay.view().probe.zoom()") == zoom and
           c.run("document.getElementById('search').value") == "read",
           "the link brings the view back", link)


def check_shade(c, folder):
    """Frames narrower than a pixel are as dark as what they cover."""
    path = pages.make(folder, "fine", pages.fine())
    c.open(path, "#tab=flame")
    c.until("document.querySelector('.flame canvas')")
    dark = c.run("""(() => { const k = document.querySelector('.flame canvas');
      const d = k.getContext('2d').getImageData(0, 18 * 3 + 8, k.width, 1).data; let s = 0;
      for (let x = 0; x < k.width; x++) s += (255 - d[4 * x + 2]) / (255 - 0x61);
      return s / k.width; })()""")
    TAP.ok(abs(dark - 0.5) < 0.03, "sub-pixel frames that cover half are half as dark", dark)


def check_heat(c, folder):
    path = pages.make(folder, "heat", pages.script())
    c.open(path, "#tab=heat")
    c.until("document.querySelector('canvas.heat')")
    box = c.run("(() => { const b = document.querySelector('canvas.heat').getBoundingClientRect();"
                "return [b.left, b.top, b.width, b.height, assay.view().probe.nColumns]; })()")
    left, top, width, height, n = box
    # the burst is in the third quarter
    c.mouse("mousePressed", left + width * 0.5 + width / n / 2, top + height - 1)
    c.hover(left + width * 0.6, top + 20)
    c.mouse("mouseMoved", left + width * 0.75 - width / n / 2, top + 1)
    c.mouse("mouseReleased", left + width * 0.75 - width / n / 2, top + 1)
    text = c.until("document.querySelector('.heat tbody') && [...document.querySelectorAll("
                   "'.heat tbody tr')].map(r => [...r.children].map(d => d.textContent).join('|'))")
    said = {row.split("|")[8]: row.split("|")[1] for row in text or []}
    TAP.ok(said.get("storm") == "more" and said.get("calm") == "less" and
           said.get("steady") == "cannot tell", "a dragged range is compared with the rest", text)
    link = c.run("location.hash")
    c.open(path, link)
    TAP.ok(c.until("document.querySelectorAll('.heat tbody tr').length") > 2,
           "and its link brings it back", link)


def check_calls(c, folder):
    path = pages.assay_html(os.path.join(SAMPLES, "udp_sendmsg.funcgraph.txt"),
                            os.path.join(folder, "calls.html"))
    c.open(path, "#tab=time")
    c.until("document.querySelector('.time canvas')")
    total = c.run("assay.view().probe.bands.end")
    TAP.ok(total == 127599, "the timeline is as long as the root call", total)
    c.run("document.querySelector('.time canvas').focus()")
    c.key("+")
    TAP.ok("t=" in (c.until("location.hash.includes('t=') && location.hash") or ""),
           "plus zooms into it")


def check_small(c, folder):
    path = pages.make(folder, "small", pages.FOLDED)
    c.size(390, 844, dark=True)
    wide = []
    for tab in ("", "#tab=flame", "#tab=table"):
        c.open(path, tab)
        c.until("document.documentElement.dataset.shown")
        wide.append(c.run("document.documentElement.scrollWidth"))
    TAP.ok(max(wide) <= 390, "a narrow screen shows it without scrolling aside", wide)
    c.size(1280, 900)


def main():
    c = None
    with tempfile.TemporaryDirectory() as folder:
        if not chrome.browser():
            check_hostile(None, folder)
            TAP.skip("what a click, a search and a link do", "no Chromium")
        else:
            c = chrome.Chrome(os.path.join(folder, "profile"))
            try:
                check_hostile(c, folder)
                check_mail(c, folder)
                check_flame(c, folder)
                check_shade(c, folder)
                check_heat(c, folder)
                check_calls(c, folder)
                check_small(c, folder)
                TAP.ok(not c.said, "the console stays silent, nothing is requested", c.said)
            finally:
                c.close()
    print("1..%d" % TAP.n)
    return TAP.bad != 0


sys.exit(main())
