#!/usr/bin/env python3
"""The page of `assay html` in a headless Chromium with the network off: findings are there,
a click zooms, a search marks, a link brings the view back, a range is compared, hostile names
stay names. TAP on stdout; without a browser only what needs none.
"""
import html.parser
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "lib")]
import chrome  # noqa: E402
import pages  # noqa: E402
from tap import Tap  # noqa: E402

SAMPLES = os.path.join(pages.SOURCE, "samples")


TAP = Tap()


class Elements(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.links = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.links += [v for k, v in attrs if k in ("src", "href", "action", "data")]


def check_text(path):
    """Checks that need no browser."""
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


def write(path, text):
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as f:
        f.write(text)
    return path


def check_hostile(c, folder):
    """Names and messages that want to be markup, keys, or commands, in every view."""
    path = pages.make(folder, "hostile", pages.hostile())
    check_text(path)
    both = os.path.join(folder, "hostile-diff.html")
    subprocess.run([
        pages.ASSAY, "html", "-o", both,
        write(os.path.join(folder, "<img src=x onerror=window.hacked=4>.folded"), pages.hostile()),
        "--", write(os.path.join(folder, "b.folded"), pages.hostile(1))], check=True)
    check_text(both)
    log = os.path.join(folder, "hostile-log.html")
    subprocess.run([pages.ASSAY, "html", "-o", log, write(
        os.path.join(folder, "l.log"), pages.hostile_log())], check=True)
    if not c:
        return
    c.open(path, "#tab=flame")
    c.until("document.querySelector('.flame .legend')")
    TAP.ok(c.run("window.hacked") is None and c.run("document.querySelectorAll('img,b.x').length") == 0,
           "hostile names do not act")
    TAP.ok(c.run("document.body.innerHTML.includes('\\u202e')") is False,
           "turned text is shown as what it is")
    names = c.run("assay.view().probe.tree.symbols.name.map(n => n.slice(0, 70000))")
    TAP.ok({n for n in pages.HOSTILE if "\udc80" not in n and "\udcff" not in n and
            "\x1b" not in n and "\x01" not in n} <= set(names) and
           max(map(len, names)) == 65536, "all of them are there", [n[:50] for n in names])
    shown = []
    for page, tabs in ((path, ("", "flame", "table")), (both, ("diff", "findings", "table")),
                       (log, ("log", "charts", "table"))):
        for tab in tabs:
            c.open(page, "#tab=%s&q=__proto__" % tab)
            c.until("document.documentElement.dataset.shown")
            c.run("new Promise(f => setTimeout(f, 50))")
            shown.append((os.path.basename(page), tab, c.run(
                "[window.hacked === undefined, document.querySelectorAll('img,b.x,main svg').length,"
                " /[\\u202e\\u2028\\x1b\\x01]/.test(document.body.textContent.replace(/\\n/g, '')),"
                " document.querySelectorAll('.wrong').length]")))
    TAP.ok(all(s[2] == [True, 0, False, 0] for s in shown), "in no view do they act", shown)
    c.open(both, "#tab=diff")
    c.until("document.querySelector('.diff tbody tr')")
    c.run("[...document.querySelectorAll('.diff tbody tr')].find(r => r.textContent.includes("
          "'__proto__')).click()")
    TAP.ok("frame" in c.until("document.querySelector('.diff .found').textContent"),
           "a row of such a name finds its frames", c.run("location.hash"))


def check_mail(c, folder):
    path = pages.assay_html(os.path.join(SAMPLES, "ovsdb-raft-mail.txt"),
                            os.path.join(folder, "mail.html"))
    c.open(path)
    n = c.until("document.querySelectorAll('.finding').length")
    first = c.run("document.querySelector('.finding h2').textContent")
    TAP.ok(n > 5 and "core dump" in first, "the findings stand in front", (n, first))
    TAP.ok("elf_core_dump" in c.run("document.querySelector('.finding .evidence').textContent"),
           "the first one shows its lines")
    TAP.ok(c.run("document.querySelector('.finding').compareDocumentPosition("
                 "document.querySelector('.view > section')) & 4"),
           "doubts about the data come after the findings")
    sure = c.run("document.querySelector('.finding > p.small').textContent")
    TAP.ok(re.search(r", (certain|likely|possible)( \(\d+ %\))?: ", sure),
           "how sure a finding is stands there in words", sure)
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
    TAP.ok("30.00" in (c.until("document.querySelector('.tip').textContent.includes('read_all')"
                               " && document.querySelector('.tip').textContent") or ""),
           "the pointer on a frame tells its share", c.run("document.querySelector('.tip').textContent"))
    x, y = frame_at(c, "read_all")
    tip = c.run("(() => { const b = document.querySelector('.tip').getBoundingClientRect();"
                "return [b.left - %f, b.top - %f, b.right]; })()" % (x, y))
    TAP.ok(0 < tip[0] < 30 and 0 < tip[1] < 30 and tip[2] < 1280, "next to the pointer", tip)
    TAP.ok("sample" not in c.run("document.querySelector('.tip').textContent"),
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
    """Frames narrower than a pixel are as dark as their share of it."""
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
    said = {row.split("|")[1]: row.split("|")[0] for row in text or []}
    TAP.ok(said.get("storm") == "▲ new" and said.get("calm") == "▼ less" and
           said.get("steady") == "? cannot tell", "a dragged range is compared with the rest", text)
    link = c.run("location.hash")
    c.open(path, link)
    TAP.ok(c.until("document.querySelectorAll('.heat tbody tr').length") > 2,
           "and its link brings it back", link)


ROWS = """Object.fromEntries(assay.view().probe.found.probe.d.tables.map(t => [t.id, t.rows.map(r => [
  r.symbol || r.dso || r.category, r.a, r.b, r.low, r.high, r.p_adjusted, r.dispersion, r.verdict])]))"""


def near(x, y):
    if isinstance(x, (int, float)) and isinstance(y, (int, float)):
        return abs(x - y) <= 1e-4 * max(1e-3, abs(x), abs(y))
    return x == y


def check_range(c, folder):
    """The range of a recording against the rest is judged as two recordings are."""
    rows = pages.bursts()
    path = os.path.join(folder, "bursts.txt")
    with open(path, "w", encoding="utf-8") as f:
        f.write(pages.script_of(rows))
    page = pages.assay_html(path, os.path.join(folder, "bursts.html"))
    c.open(page, "#tab=heat")
    c.until("document.querySelector('canvas.heat')")
    length, first = c.run("assay.view().probe.length"), rows[0][0]
    cells = [int(x / length * 50) for x in (2.45, 3.55)]
    c.run("location.hash = '#tab=heat&r=%d-%d'" % tuple(cells))
    c.until("assay.view().probe.found")
    low, high = first + cells[0] * length / 50, first + (cells[1] + 1) * length / 50
    inside = [r for r in rows if low <= r[0] < high]
    rest = [r for r in rows if r[0] < low] + [
        (t - (high - low), s) for t, s in rows if t >= high]
    names = []
    for side, part in (("rest", rest), ("range", inside)):
        names.append(os.path.join(folder, side + ".txt"))
        with open(names[-1], "w", encoding="utf-8") as f:
            f.write(pages.script_of(part))
    out = subprocess.run([pages.ASSAY, "diff", "--json", *names], stdout=subprocess.PIPE,
                         check=False).stdout
    want = json.loads(out)
    tables = c.run(ROWS)
    TAP.ok(want["spread"]["from"] == "slices" and
           want["spread"]["slices"] == c.run("Number(/between (\\d+) slices/.exec(document."
                                             "querySelector('.heat').textContent)[1])"),
           "the spread of a range is measured in as many slices", want["spread"])
    for level, key in (("symbol", "symbol"), ("children", "symbol"), ("dso", "dso"),
                       ("category", "category")):
        mine = {r[0]: r[1:] for r in tables[level]}
        theirs = {r[key]: [r["a"], r["b"], r["low"], r["high"], r.get("p_adjusted"),
                           r.get("dispersion"), r["verdict"]]
                  for r in want["rows" if level == "symbol" else "by_" + level]}
        if level == "dso":
            theirs = {k.rsplit("/", 1)[-1]: v for k, v in theirs.items()}
            mine = {k.rsplit("/", 1)[-1]: v for k, v in mine.items()}
        bad = [(k, mine.get(k), v) for k, v in theirs.items()
               if k not in mine or not all(near(x, y) for x, y in zip(mine[k], v))]
        TAP.ok(not bad and len(mine) == len(theirs),
               "a range and the rest by %s: as assay diff judges them" % level, bad[:4])
    verdicts = {r[0]: r[-1] for r in tables["symbol"]}
    TAP.ok(verdicts["only"] == verdicts["f03"] == "more" and verdicts["f05"] == "less" and
           list(verdicts.values()).count("more") < 6, "what was planted there is found", verdicts)
    seen = c.run("""(() => { const p = assay.view().probe.found.probe, t = p.tree;
      const of = n => { for (let i = 0; i < t.n; i++) if (t.symbols.name[t.sym[i]] === n)
        return [t.isGone ? t.isGone[i] : 0, p.place(i), t.total[i] / 1e9]; };
      return [of('only'), of('f05'), of('f03')]; })()""")
    share = sum(s[-1] == "only" for _, s in inside) / len(inside)
    TAP.ok(seen[0][0] == 0 and seen[0][1] == 6 and abs(seen[0][2] - share) < 1e-6 and
           seen[1][0] == 1 and seen[1][1] < 3, "the flame graph of the range has its widths, its "
           "verdicts, and what is gone from it", seen)


def check_difference(c, folder):
    a, b = (os.path.join(folder, n + ".folded") for n in ("a", "b"))
    with open(a, "w", encoding="utf-8") as f:
        f.write("app;main;parse;split 3000\napp;main;parse;old 400\napp;main;write 6600\n")
    with open(b, "w", encoding="utf-8") as f:
        f.write("app;main;parse;split 4000\napp;main;fresh;deep 300\napp;main;write 5700\n")
    page = os.path.join(folder, "diff.html")
    subprocess.run([pages.ASSAY, "html", "--diff", "-o", page, a, b], check=True)
    c.open(page)
    c.until("document.querySelector('.diff tbody tr')")
    TAP.ok("B spends 10.0 points more in split" in c.run("document.querySelector('.diff h2').textContent"),
           "the page opens with the difference", c.run("document.querySelector('.diff h2').textContent"))
    rows = c.run("[...document.querySelectorAll('.diff tbody tr')].map(r => [...r.children].map("
                 "d => d.textContent))")
    said = {r[1]: [r[0], *r[2:]] for r in rows}
    TAP.ok(said["split"][:4] == ["▲ more", "30.00", "40.00", "+10.00"] and
           said["old"][0] == "▼ gone" and said["deep"][0] == "▲ new", "rows have verdicts", rows)
    view = """(() => { const p = assay.view().probe, t = p.tree; const r = {};
      for (let i = 0; i < t.n; i++) r[p.nameOf(i) + (t.isGone[i] ? '-' : '')] = [t.total[i] / 1e9, p.place(i)];
      return r; })()"""
    of_b = c.run(view)
    TAP.ok(abs(of_b["split"][0] - 0.4) < 1e-9 and of_b["split"][1] == 6 and
           abs(of_b["old-"][0] - 0.04) < 1e-9 and of_b["old-"][1] < 3 and of_b["main-"][1] == 8 and
           "old" not in of_b, "as in B: what vanished is drawn beside", of_b)
    c.run("document.body.focus()")
    c.key("l")
    of_a = c.run(view)
    TAP.ok(abs(of_a["split"][0] - 0.3) < 1e-9 and "old" in of_a and
           abs(of_a["fresh-"][0] - 0.03) < 1e-9, "the other layout: as in A", of_a)
    c.run("[...document.querySelectorAll('.choice button')].find(b => b.textContent === "
          "'With callees').click()")
    c.run("[...document.querySelectorAll('.diff tbody tr')].find(r => r.textContent.includes("
          "'parse')).click()")
    link = c.run("location.hash")
    TAP.ok("lay=a" in link and "by=children" in link and "q=" in link, "all of it is in the link", link)
    c.open(page, link)
    c.until("document.querySelector('.diff .found') && document.querySelector('.diff .found').textContent")
    TAP.ok("34.00" in c.run("document.querySelector('.diff .found').textContent") and
           "With callees" == c.run("document.querySelector('.choice .on').textContent"),
           "and the link brings it back", c.run("document.querySelector('.diff .found').textContent"))
    cut = os.path.join(folder, "cut.txt")
    with open(cut, "w", encoding="utf-8") as f:
        for heavy, last in (("lock", "old"), ("copy", "new")):
            f.write("# Samples: 5K of event 'cycles'\n# Event count (approx.): 5000000\n#\n"
                    "# Overhead  Command  Shared Object      Symbol\n#\n"
                    "    60.00%%  app      [kernel.kallsyms]  [k] %s\n"
                    "    20.00%%  app      [kernel.kallsyms]  [k] walk\n"
                    "     5.00%%  app      [kernel.kallsyms]  [k] %s\n\n\n" % (heavy, last))
    subprocess.run([pages.ASSAY, "html", "--diff", "-o", page, cut], check=True)
    c.open(page)
    c.until("document.querySelector('.diff tbody tr')")
    said = {r[1]: r for r in c.run("[...document.querySelectorAll('.diff tbody tr')].map(r => ["
                                   "...r.children].map(d => d.textContent))")}
    TAP.ok(said["lock"][0] == "▼ less" and said["lock"][3].startswith("< 5.0") and
           said["old"][0] == "? cannot tell" and said["copy"][2].startswith("< 5.0"),
           "what a cut report does not show is no zero", said)
    subprocess.run([pages.ASSAY, "html", "--diff", "-o", page,
                    os.path.join(SAMPLES, "udp_sendmsg.funcgraph.txt"),
                    os.path.join(SAMPLES, "sendto-sockmap.ftrace.txt")], check=True)
    c.open(page)
    c.until("document.querySelector('.diff tbody tr')")
    row = c.run("[...[...document.querySelectorAll('.diff tbody tr')].find(r => r.textContent."
                "includes('udp_sendmsg')).children].map(d => d.textContent)")
    TAP.ok(row[0] == "only in A" and row[3:6] == ["–", "–", "–"] and row[8:10] == ["1", "0"],
           "of calls on one side only nothing is told", row)
    refused = os.path.join(folder, "refused.html")
    log = os.path.join(folder, "log.txt")
    with open(log, "w", encoding="utf-8") as f:
        f.write(pages.script_of(pages.bursts(80)).replace("cycles:", "page-faults:"))
    with open(b, "w", encoding="utf-8") as f:
        f.write(pages.script_of(pages.bursts(80)))
    status = subprocess.run([pages.ASSAY, "html", "-o", refused, log, "--", b],
                            stderr=subprocess.DEVNULL, check=False).returncode
    c.open(refused)
    TAP.ok(status == 1 and "counted different things" in c.until(
        "document.querySelector('.diff') && document.querySelector('.diff').textContent"),
           "what cannot be compared is said, and the status is 1", status)


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


def check_charts(c, folder):
    """Trends of a log, if the build has charts; otherwise a message."""
    page = pages.assay_html(os.path.join(SAMPLES, "ovsdb-raft-mail.txt"),
                            os.path.join(folder, "charts.html"))
    c.open(page, "#tab=charts")
    with open(page, encoding="utf-8") as f:
        has = "var uPlot=" in f.read()
    text = c.until("document.querySelector('.charts') && document.querySelector('.charts').textContent")
    if not has:
        TAP.ok("built without uPlot" in text, "without uPlot the page says so", text)
        return
    TAP.ok("Permission is hereby granted" in text, "the licence of what draws charts is in the page")
    c.until("assay.view().probe.sections[0].plots().length")
    titles = c.run("[...document.querySelectorAll('.plots h3')].map(h => h.firstChild.textContent)")
    TAP.ok({"Peak memory, kB", "Elections: timeout that expired, ms", "Raft term"} <= set(titles),
           "memory, elections and rates are charts", titles)
    rate = c.run("(() => { const p = assay.view().probe.sections[0].plots()[0]; let n = 0;"
                 "p.data.slice(1).forEach(s => s.forEach(v => n += v)); "
                 "return n * (p.data[0][1] - p.data[0][0]) / 3600; })()")
    TAP.ok(abs(rate - 178) < 1e-6, "rates sum up to all records with a time", rate)
    memory = c.run("(() => { const d = assay.view().probe.sections[0].plots()[1].data; "
                   "return [Math.max(...d[1].filter(v => v !== null)), d[0].length]; })()")
    TAP.ok(memory == [215640, 12], "memory is what the log says", memory)
    box = c.run("(() => { const b = document.querySelector('.plots .u-over').getBoundingClientRect();"
                "return [b.left, b.top, b.width, b.height]; })()")
    c.mouse("mousePressed", box[0] + box[2] * 0.96, box[1] + 40)
    c.hover(box[0] + box[2] * 0.98, box[1] + 40)
    c.mouse("mouseMoved", box[0] + box[2] - 2, box[1] + 40)
    c.mouse("mouseReleased", box[0] + box[2] - 2, box[1] + 40)
    link = c.until("location.hash.includes('log-utc=') && location.hash")
    TAP.ok(bool(link), "a dragged stretch of a chart is in the link", c.run("location.hash"))
    c.open(page, str(link))
    c.until("assay.view() && assay.view().probe.sections[0].plots().length")
    TAP.ok(c.run("assay.view().probe.sections[0].plots()[0].scales.x.min") > 1524000000,
           "and its link brings it back")


def check_together(c, folder):
    """A log of the kernel and samples share their clock."""
    rows = pages.bursts(2000)
    with open(os.path.join(folder, "t.script"), "w", encoding="utf-8") as f:
        f.write(pages.script_of(rows))
    with open(os.path.join(folder, "t.dmesg"), "w", encoding="utf-8") as f:
        f.write("".join("[%12.6f] eth0: link becomes ready\n" % (49.5 + i / 10) for i in range(30)))
    page = os.path.join(folder, "together.html")
    subprocess.run([pages.ASSAY, "html", "-o", page, os.path.join(folder, "t.script"),
                    os.path.join(folder, "t.dmesg")], check=True)
    c.open(page, "#tab=together")
    lanes = c.until("assay.view() && assay.view().probe.parts && assay.view().probe.parts[0].lanes()"
                    ".map(l => [l.first, l.ms.length])")
    TAP.ok(len(lanes) == 2 and abs(lanes[0][0] - rows[0][0] * 1000) < 0.01 and
           lanes[1] == [49500, 30], "log and samples stand on one axis", lanes)
    c.run("location.hash = '#tab=together&tg-boot=50500~51000'")
    text = c.until("document.querySelector('.together .details').textContent.includes('compare') && "
                   "document.querySelector('.together .details').textContent")
    TAP.ok("6 records" in str(text), "a part of it has its records", text)
    c.run("document.querySelector('.together .details button').click()")
    TAP.ok(bool(c.until("location.hash.includes('tab=heat') && document.querySelector("
                        "'.heat tbody tr')")), "and its samples are compared with the rest",
           c.run("location.hash"))
    c.open(page, "#tab=together&shift=100")
    TAP.ok(c.until("assay.view() && assay.view().probe.parts && "
                   "assay.view().probe.parts[0].lanes()[0].first") == 149500 and
           "no moment in common" in c.run("document.querySelector('.together').textContent"),
           "clocks can be put beside each other by hand")


def check_keys(c, folder):
    """Everything has a key, and every view a link."""
    page = pages.make(folder, "keys", pages.FOLDED)
    c.open(page)
    c.until("document.documentElement.dataset.shown")
    c.key("3")
    TAP.ok(c.until("location.hash.includes('tab=table') && document.querySelector('.table tbody tr')"),
           "a digit opens its tab", c.run("location.hash"))
    c.run("document.querySelector('.table input').focus()")
    c.call("Input.insertText", text="r")
    c.run("document.querySelectorAll('.table th button')[1].click()")
    rows = c.run("[...document.querySelectorAll('.table tbody tr')].map(r => r.textContent)")
    link = c.run("location.hash")
    c.open(page, link)
    c.until("document.querySelector('.table tbody tr')")
    again = c.run("[...document.querySelectorAll('.table tbody tr')].map(r => r.textContent)")
    TAP.ok(rows == again and "f-rows=r" in link and "s-rows=" in link,
           "filter and order of a table are in its link", (link, rows, again))
    c.run("document.querySelector('.table tbody tr').focus()")
    c.key("ArrowDown")
    c.key("Enter")
    TAP.ok(c.until("location.hash.includes('tab=flame') && document.querySelector('.flame .found')"),
           "arrows walk in a table, Enter shows the function", c.run("location.hash"))
    c.run("location.hash = '#tab=table'")
    c.until("document.querySelector('.table tbody tr')")
    c.run("[...document.querySelectorAll('.table tbody tr')].find(r => r.textContent.includes("
          "'read_all')).click()")
    found = c.until("document.querySelector('.flame .found') && "
                    "document.querySelector('.flame .found').textContent")
    TAP.ok(c.run("document.querySelector('#search').value") == '"read_all"' and
           "1 frame, 30.00" in str(found), "the search of a clicked row is its name in quotes", found)
    page = pages.make(folder, "keys-heat", pages.script())
    c.open(page, "#tab=heat")
    c.until("document.querySelector('canvas.heat')")
    c.run("document.querySelector('canvas.heat').focus()")
    c.key("ArrowRight")
    c.key("ArrowRight")
    first = c.run("location.hash")
    c.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight", windowsVirtualKeyCode=39,
           modifiers=8)
    TAP.ok("r=50-99" in first and "r=50-149" in c.run("location.hash"),
           "arrows choose a range of the heat map", (first, c.run("location.hash")))
    c.key("Escape")
    TAP.ok("r=" not in c.run("location.hash"), "and Escape forgets it", c.run("location.hash"))


def check_samples(c, folder):
    """Samples along time: frames that neighbours share are one box."""
    rows = [(10 + i / 1000, ["main", "a" if i < 40 else "b"] + (["deep"] if i % 2 else []))
            for i in range(100) if not 60 <= i < 80]
    path = os.path.join(folder, "samples.txt")
    with open(path, "w", encoding="utf-8") as f:
        f.write(pages.script_of(rows))
    c.open(pages.assay_html(path, os.path.join(folder, "samples.html")), "#tab=time")
    c.until("document.querySelector('.time canvas')")
    boxes = c.run("""(() => { const b = assay.view().probe.bands, p = assay.view().probe.block;
      const s = p.meta.symbols.name, c = p.columns, r = {};
      for (let i = 0; i < c.sym.length; i++) (r[s[c.sym[i]]] = r[s[c.sym[i]]] || []).push(
        [c.start[i] / 1e6, c.dur[i] / 1e6, c.count[i]].map(x => Math.round(x * 1000) / 1000));
      return r; })()""")
    TAP.ok(sorted(boxes.get("main", [])) == [[0, 60, 60], [80, 20, 20]] and
           boxes.get("a") == [[0, 40, 40]] and sorted(boxes.get("b", [])) == [[40, 20, 20], [80, 20, 20]]
           and len(boxes.get("deep", [])) == 40, "samples along time: runs of frames, and a pause",
           {k: v[:4] for k, v in boxes.items()})
    c.run("location.hash = '#tab=time&t=30100000-31100000'")
    ticks = c.until("document.querySelector('.time .found').textContent !== '0 ms to 100 ms' && "
                    "[...document.querySelectorAll('.time .axis span')].map(s => s.textContent)")
    TAP.ok(ticks == ["30.100 ms", "30.350 ms", "30.600 ms", "30.850 ms"],
           "ticks of a part of the timeline differ", ticks)
    c.run("location.hash = '#tab=time'")
    c.until("document.querySelector('.time .axis span').textContent === '0 ms'")
    left, top, width = c.run("(() => { const b = document.querySelector('.time canvas')"
                             ".getBoundingClientRect(); return [b.left, b.top, b.width]; })()")
    c.mouse("mousePressed", left + width * 0.2, top + 25)
    c.mouse("mouseMoved", left + width * 0.4, top + 25)
    c.mouse("mouseReleased", left + width * 0.4, top + 25)
    TAP.ok(re.search(r"t=2000000\d-4000000\d$", c.run("location.hash")),
           "a dragged range of the timeline is shown alone", c.run("location.hash"))
    c.run("history.back()")
    TAP.ok(c.until("!location.hash.includes('t=')"), "and Back shows all again")


def check_off_cpu(c, folder):
    """The user asked for the wall clock, so views open on it, with the verdict on its data."""
    page = pages.assay_html(os.path.join(pages.SOURCE, "tests", "golden", "rules",
                                         "waiting-lock-fires.d", "input.script"),
                            os.path.join(folder, "off.html"), "--off-cpu")
    shown = "[document.querySelector('header option:checked').textContent.split(',')[0], " \
            "document.querySelector('header details li').textContent]"
    seen = []
    for tab in ("flame", "time", "table", "heat"):
        c.open(page, "#tab=" + tab)
        c.until("document.querySelector('header details')")
        seen.append(c.run(shown))
    TAP.ok(all(name == "wall-clock" and "Only 97 samples" in doubt for name, doubt in seen),
           "with --off-cpu each view opens on the wall clock", seen)
    c.run("(() => { const s = document.querySelector('header select'); s.value = '2'; "
          "s.dispatchEvent(new Event('change')); })()")
    TAP.ok(c.until("document.querySelector('header option:checked').textContent.includes("
                   "'cpu-clock')") and "Only 30 samples" in c.run(shown)[1],
           "the verdict is that of the chosen capture", c.run(shown))
    c.open(page)
    c.until("document.querySelector('.finding')")
    said = c.run("[...document.querySelectorAll('.view section summary, .view section > p')].map("
                 "s => s.textContent)")
    TAP.ok(any("good" in s and "off-cpu" in s for s in said) and
           any("usable" in s and "wall-clock" in s for s in said),
           "the findings have a verdict for each data", said)


def check_deep(c, folder):
    """Stacks that are taller than the window open at their root."""
    stacks = os.path.join(folder, "deep.folded")
    with open(stacks, "w", encoding="utf-8") as f:
        f.write("app;%s 10\napp;other 3\n" % ";".join("f%04d" % i for i in range(2000)))
    for words in ([], ["--icicle"]):
        svg = os.path.join(folder, "deep.svg")
        subprocess.run([pages.ASSAY, "flame", "-f", *words, "-o", svg, stacks], check=True)
        c.open(svg)
        y = c.until("(() => { const b = document.querySelector('#frames > g rect')"
                    ".getBoundingClientRect(); return b.top > 0 && b.bottom < innerHeight && "
                    "b.top; })()", 5)
        TAP.ok(bool(y), "an SVG of 2000 frames opens at the root" + "".join(words), y)
    c.open(pages.assay_html(stacks, os.path.join(folder, "deep.html")), "#tab=flame&dir=up")
    c.until("document.querySelector('.scroller')")
    TAP.ok(c.until("document.querySelector('.scroller').scrollTop > 30000", 5),
           "and the page with callers below")


def check_evidence(c, folder):
    """Distributions are bars with percentiles, and counters that change are lines."""
    goldens = os.path.join(pages.SOURCE, "tests", "golden", "rules")
    c.open(pages.assay_html(os.path.join(goldens, "distribution-shift-fires.d", "input.txt"),
                            os.path.join(folder, "bars.html")), "#tab=table")
    rows = c.until("document.querySelector('.bars') && [...document.querySelectorAll("
                   "'.table:nth-of-type(3) tbody tr')].map(r => [...r.children].map(d => "
                   "d.textContent).concat(r.querySelector('.bars').style.getPropertyValue('--share')))")
    TAP.ok([r[0] for r in rows] == ["16–32 µs", "32–64 µs", "64–128 µs", "128–256 µs", "256–512 µs"] and
           [r[3] for r in rows] == ["–", "–", "median, p90", "–", "p99"] and
           rows[2][2:] == ["63.24", "median, p90", "100%"] and rows[1][4].startswith("31.59"),
           "a distribution has bars, and its percentiles are marked", rows)
    counters = os.path.join(folder, "vmstat.txt")
    with open(counters, "w", encoding="utf-8") as f:
        f.write("procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
                " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n")
        for i in range(20):
            f.write(" %d  0      0 %6d  12000 345678    0    0     5    10 1000 2000 20  5 75  0  0\n"
                    % (1 + i % 3, 90000 - 100 * i))
    page = pages.assay_html(counters, os.path.join(folder, "lines.html"))
    with open(page, encoding="utf-8") as f:
        has = "var uPlot=" in f.read()
    c.open(page, "#tab=table")
    c.until("document.querySelectorAll('.table tbody tr').length > 100")
    titles = c.until("document.querySelector('.plots canvas') && [...document.querySelectorAll("
                     "'.plots h4')].map(h => h.textContent)", 5)
    TAP.ok((titles == ["r", "free"]) if has else not titles, "counters that change are lines", titles)


def check_small(c, folder):
    path = pages.make(folder, "small", pages.FOLDED)
    c.size(390, 844, dark=True)
    wide = []
    for page, tabs in ((path, ("", "flame", "table")), (os.path.join(folder, "diff.html"), ("diff",)),
                       (os.path.join(folder, "bursts.html"), ("heat&r=120-180",)),
                       (os.path.join(folder, "charts.html"), ("charts", "log")),
                       (os.path.join(folder, "together.html"), ("together",)),
                       (os.path.join(folder, "calls.html"), ("time",)),
                       (os.path.join(folder, "bars.html"), ("table",)),
                       (os.path.join(folder, "lines.html"), ("table",)),
                       (os.path.join(folder, "hostile.html"), ("flame", "table"))):
        for tab in tabs:
            c.open(page, "#tab=" + tab)
            c.until("document.documentElement.dataset.shown")
            c.run("new Promise(f => setTimeout(f, 50))")
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
                check_range(c, folder)
                check_difference(c, folder)
                check_calls(c, folder)
                check_charts(c, folder)
                check_together(c, folder)
                check_keys(c, folder)
                check_samples(c, folder)
                check_evidence(c, folder)
                check_deep(c, folder)
                check_off_cpu(c, folder)
                check_small(c, folder)
                TAP.ok(not c.said, "the console stays silent, nothing is requested", c.said)
            finally:
                c.close()
    return TAP.end()


sys.exit(main())
