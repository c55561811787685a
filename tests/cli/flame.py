#!/usr/bin/env python3
"""Flame graphs of `assay flame`: valid XML, every frame where its weight puts it, names
that cannot act, and (where Chromium is) what a click, a key and a search do.
TAP on stdout.
"""
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from tap import Tap  # noqa: E402

SOURCE = os.environ.get("ASSAY_SOURCE") or os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
ASSAY = os.environ.get("ASSAY") or os.path.join(SOURCE, "build", "assay")
SVG = "{http://www.w3.org/2000/svg}"
FOLDED = ("bash;main;read_[k] 30\nbash;main;write_[k] 20\nbash;main 10\n"
          "bash;</title><script>alert(1)</script>;\"&'\u202e\x01 25\n"
          "bash;main;" + "long_name_" * 30 + " 14.9\nbash;main;tiny;inner 0.005\n"
          "bash;main;small 0.095\n")


TAP = Tap()


def assay(*words):
    return subprocess.run([ASSAY, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)


class Frame:
    def __init__(self, g):
        rect = g.find(SVG + "rect")
        text = g.find(SVG + "text")
        self.start, self.weight = int(g.get("data-s")), int(g.get("data-w"))
        self.x, self.y = float(rect.get("x")), float(rect.get("y"))
        self.width = float(rect.get("width"))
        self.says = g.find(SVG + "title").text
        self.name = self.says.split("\n")[0]
        self.label = text.text if text is not None else ""


def picture(path, *words):
    root = xml.fromstring(assay("flame", *words, path).stdout)
    frames = [Frame(g) for g in root.find("%sg[@id='frames']" % SVG)]
    texts = {t.get("id"): t.text for t in root.iter(SVG + "text") if t.get("id")}
    return root, frames, texts


def check_geometry(path):
    root, frames, texts = picture(path)
    by_name = {f.name: f for f in frames}
    everything = by_name["all"]
    px = 1180 / everything.weight
    TAP.ok(all(abs(f.x - 10 - f.start * px) < 0.01 and f.weight * px - 0.51 < f.width <
               f.weight * px + 0.01 for f in frames), "frames are as wide as their weight")
    nested = all(any(p.y == f.y + 16 and p.start <= f.start and
                     f.start + f.weight <= p.start + p.weight for p in frames)
                 for f in frames if f is not everything)
    TAP.ok(nested, "every frame stands on its caller")
    rows = {}
    for f in sorted(frames, key=lambda f: (f.y, f.start)):
        rows.setdefault(f.y, []).append(f)
    TAP.ok(all(a.start + a.weight <= b.start for row in rows.values()
               for a, b in zip(row, row[1:])), "frames of one row do not overlap")
    TAP.ok(by_name["read"].start < by_name["small"].start < by_name["write"].start,
           "callees stand by name")
    TAP.ok("30.00 %" in by_name["read"].says and "60" not in by_name["read"].says,
           "the tooltip tells the share", by_name["read"].says)
    TAP.ok("itself 10.00 %" in by_name["main"].says, "the tooltip tells what ends there",
           by_name["main"].says)
    long_name = "long_name_" * 30
    label = by_name[long_name].label
    TAP.ok(label.endswith("\u2026") and long_name.startswith(label[:-1]) and
           len(label) * 7.3 <= by_name[long_name].width, "a name is cut to its frame", label)
    TAP.ok("tiny" not in by_name and texts.get("hidden") ==
           "2 frames narrower than 0.1 px are not drawn; stacks with 0.01 % end in them", "what is not drawn is said",
           texts.get("hidden"))
    _, finer, texts = picture(path, "--min-width", "0.05", "--width", "2000")
    TAP.ok("tiny" in {f.name for f in finer} and "hidden" not in texts, "--min-width and --width")
    _, icicle, _ = picture(path, "--icicle")
    top = {f.name: f.y for f in icicle}
    TAP.ok(top["all"] < top["bash"] < top["main"] < top["read"], "--icicle turns it over")
    root, _, texts = picture(path, "--title", "<Title> & more")
    TAP.ok(texts["title"] == "<Title> & more" and "folded" in texts["subtitle"], "title and subtitle")


def check_names(path):
    text = assay("flame", path).stdout.decode("utf-8")
    TAP.ok("<script>alert" not in text and text.count("<script>") == 1, "a name is no markup")
    TAP.ok("\x01" not in text and "\u202e" not in text and "\\u202e" in text,
           "a name neither moves the cursor nor turns the text")
    outside = re.findall(r"(?:href|src|url)\s*[=(]|https?://(?!www\.w3\.org/)|@import", text)
    TAP.ok(not outside, "nothing is fetched", outside)
    TAP.ok(assay("flame", path).stdout == text.encode("utf-8"), "twice the same bytes")


def check_kinds(folder, path):
    samples = os.path.join(SOURCE, "samples")
    for name, colour in (("consensus-io_uring.perf-report.txt", "dso"),
                         ("udp_sendmsg.funcgraph.txt", "category"),
                         ("sendto-sockmap.ftrace.txt", "comm"), ("ovsdb-raft-mail.txt", "space")):
        _, frames, texts = picture(os.path.join(samples, name), "--colour", colour)
        TAP.ok(len(frames) > 20, "%s by %s: %s" % (name, colour, texts["subtitle"].split(";")[0]))
    for name, words in (("af_packet.metrics.txt", "a table of metrics has no stacks"),):
        done = assay("flame", os.path.join(samples, name))
        TAP.ok(done.returncode == 2 and words.encode() in done.stderr and not done.stdout,
               "%s: %s" % (name, words), done.stderr)
    log = os.path.join(folder, "a.log")
    with open(log, "w", encoding="ascii") as f:
        f.write("".join("2024-01-0%dT10:00:00.000Z|0000%d|timeval|WARN|Unreasonably long %d000ms "
                        "poll interval\n" % (i, i, i) for i in range(1, 7)))
    done = assay("flame", log)
    TAP.ok(done.returncode == 2 and b"a log has no stacks" in done.stderr, "a log has no stacks",
           done.stderr)
    TAP.ok(assay("flame", "--width", "3", path).returncode == 2, "a width that cannot be is refused")
    out = os.path.join(folder, "out.svg")
    assay("flame", "-o", out, path)
    before = os.stat(out).st_ino
    assay("flame", "-o", out, log)
    TAP.ok(os.stat(out).st_ino == before, "what cannot be drawn leaves the file alone")


DIFF_A = ("app;main;work;inner 4000\napp;main;work 2000\napp;main;copy 1000\n"
          "app;main;old;older 600\napp;main;rare 3\napp;main;mild 900\n"
          "app;main;</title><script>alert(1)</script>;\"&'\u202e 500\n")
DIFF_B = ("app;main;work;inner 3900\napp;main;work 2000\napp;main;copy 2000\n"
          "app;main;fresh;new 300\napp;main;rare;once 4\napp;main;mild 780\n"
          "app;main;</title><script>alert(1)</script>;\"&'\u202e 500\n")


def check_diff(folder):
    a, b = os.path.join(folder, "a.folded"), os.path.join(folder, "b.folded")
    for path, text in ((a, DIFF_A), (b, DIFF_B)):
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
    root, frames, texts = picture(b, "--diff", a)
    kind = dict(zip((f.name for f in frames),
                    (g.get("class") for g in root.find("%sg[@id='frames']" % SVG))))
    one = {f.name: f for f in frames}
    TAP.ok(texts["title"] == "Difference of two recordings" and
           all(abs(one[name].weight / 1e12 - n / 9484) < 1e-9 for name, n in (
               ("work", 5900), ("inner", 3900), ("copy", 2000), ("new", 300), ("once", 4))),
           "diff: frames are as wide as in B")
    TAP.ok(abs(one["older"].weight / 1e12 - 600 / 9003) < 1e-9 and
           one["older"].start >= 10**12 and kind["older"] == "k10 gone",
           "diff: what vanished is drawn, as wide as in A, dashed, beside the rest", kind["older"])
    TAP.ok(kind["copy"] == "k16" and kind["mild"] == "k11" and kind["new"] == "k15" and
           kind["once"] == "k17" and kind["\"&'\\u202e"] == "k13", "diff: colours", kind)
    TAP.ok("A 11.11 %, B 21.09 %: +9.98 points, 95 % interval" in one["copy"].says and
           one["copy"].says.endswith(": more"), "diff: the tooltip has a, b, interval, verdict",
           one["copy"].says)
    TAP.ok(one["new"].says.endswith("more, not in A") and "not in B" in one["older"].says,
           "diff: new and vanished are said")
    TAP.ok("2 only in A (dashed, right: 6.66 % of A; 2 reported)" in texts["subtitle"] and
           "3 frames more, 5 less, 3 the same, 2 inconclusive" in texts["subtitle"],
           "diff: the subtitle counts", texts["subtitle"])
    rows = {r["symbol"]: r for r in json.loads(
        assay("diff", "--json", "--all", a, b).stdout)["rows"]}
    for name in ("inner", "copy", "older", "mild"):
        row = rows[name]
        want = "A %.2f %%, B %.2f %%: %+.2f points" % (row["a"], row["b"], row["delta"])
        TAP.ok(want in one[name].says and row["verdict"] in one[name].says,
               "diff: %s is as in the table of assay diff" % name, one[name].says)
    _, frames, _ = picture(b, "--diff", "--of", "a", a)
    turned = {f.name: f for f in frames}
    TAP.ok(abs(turned["older"].weight / 1e12 - 600 / 9003) < 1e-9 and
           turned["older"].start < 10**12 <= turned["new"].start, "diff: --of a turns it round")
    text = assay("flame", "--diff", a, b).stdout.decode("utf-8")
    TAP.ok("<script>alert" not in text and "\u202e" not in text, "diff: a name is no markup")
    check_diff_refusals(a, b)
    check_diff_chains(folder)


def check_diff_chains(folder):
    """The length of a function's path does not change its description."""
    said = []
    for way in ("", "one;two;three;four;five;six;seven;eight;nine;"):
        paths = []
        for side, counts in (("a", (25, 500, 480, 60)), ("b", (45, 505, 470, 62))):
            paths.append(os.path.join(folder, "chain-%s.folded" % side))
            with open(paths[-1], "w", encoding="utf-8") as f:
                f.write("app;main;%sleaf %d\n" % (way, counts[0]) + "".join(
                    "app;main;other%d %d\n" % (i, n) for i, n in enumerate(counts[1:])))
        _, frames, _ = picture(paths[1], "--diff", paths[0])
        said.append({f.name: f.says.split(": ")[-1] for f in frames})
    TAP.ok(all(said[1][name] == word for name, word in said[0].items() if name != "all") and
           said[1]["one"] == said[1]["leaf"], "diff: a long way is one question", said)


def check_diff_refusals(a, b):
    samples = [os.path.join(SOURCE, "samples", name) for name in (
        "udp_sendmsg.funcgraph.txt", "consensus-io_uring.perf-report.txt",
        "ovsdb-raft-mail.txt")]
    for words, status, says in (
            (("--diff", a, samples[0]), 1, "B holds calls, no profile"),
            (("--diff", samples[1], samples[2]), 1, "they counted different things"),
            (("--diff", samples[0], samples[0]), 2, "'assay diff' compares traces"),
            (("--diff", a), 2, "name the file of the other side"), (("--diff", a, b, a), 2, "two recordings"),
            (("--of", "a", a), 2, "need --diff"),
            (("--diff", "--capture", "1", a, b), 2, "use --a and --b")):
        done = assay("flame", *words)
        TAP.ok(done.returncode == status and says in done.stderr.decode() and not done.stdout,
               "diff: %s: %s" % (" ".join(map(os.path.basename, words)), says), done.stderr)


DRIVER = """
var log = [], frames = [].slice.call(document.querySelectorAll("#frames>g"));
function by(id) { return document.getElementById(id); }
function frame(name) { return frames.filter(function (g) {
  return g.querySelector("title").textContent.split("\\n")[0] === name; })[0]; }
function shown() { return frames.filter(function (g) {
  return g.style.display !== "none"; }).length; }
function search(words) { by("search").value = words;
  by("search").dispatchEvent(new Event("input")); return by("matched").textContent; }
function key(k) { document.dispatchEvent(new KeyboardEvent("keydown", { key: k })); }
function width(name) { return +frame(name).querySelector("rect").getAttribute("width"); }
function step() {
  log.push(search("WRITE"), search("/^(read|write)$/"), search("/(/"), search("no such"));
  search("");
  frame("write").dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
  log.push(by("details").textContent);
  frame("write").querySelector("rect").dispatchEvent(new MouseEvent("click", { bubbles: true }));
  log.push([width("write"), width("main"), shown(), by("reset").getAttribute("visibility")]);
  by("reset").dispatchEvent(new MouseEvent("click", { bubbles: true }));
  log.push([shown() === frames.length, by("reset").getAttribute("visibility")]);
  frame("main").focus(); key("ArrowUp");
  log.push(document.activeElement.querySelector("title").textContent.split("\\n")[0].slice(0, 4));
  key("Enter"); log.push(shown()); key("Escape"); log.push(shown() === frames.length);
  frame("small").querySelector("rect").dispatchEvent(new MouseEvent("click", { bubbles: true }));
  log.push([width("small"), frame("small").querySelector("text").textContent]);
}
try { step(); } catch (e) { log.push("ERROR " + e); }
document.documentElement.setAttribute("data-log", JSON.stringify(log));
"""


def check_behaviour(folder, path):
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if not chromium:
        print("# chromium is not here: clicks and keys are not tried")
        return
    driven = os.path.join(folder, "driven.svg")
    with open(driven, "w", encoding="utf-8") as f:
        f.write(assay("flame", path).stdout.decode("utf-8").replace(
            "</svg>", "<script><![CDATA[%s]]></script></svg>" % DRIVER))
    try:
        done = subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu",
                               "--user-data-dir=" + os.path.join(folder, "chromium"),
                               "--dump-dom", "file://" + driven], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=False, timeout=100)
    except subprocess.TimeoutExpired:
        print("# chromium does not answer: clicks and keys are not tried")
        return
    found = re.search(r'data-log="([^"]*)"', done.stdout.decode("utf-8", "replace"))
    if not found:
        print("# chromium does not run here: clicks and keys are not tried")
        return
    log = json.loads(html.unescape(found.group(1)))
    want = ["matched 20.00 % in 1 frame", "matched 50.00 % in 2 frames",
            "not a regular expression", "matched 0.00 % in 0 frames",
            "write   20.00 %, 20.000", [1179.5, 1179.5, 4, "visible"], [True, "hidden"], "read",
            4, True, [1179.5, "small"]]
    for number, (have, expected) in enumerate(zip(log, want)):
        TAP.ok(have == expected, "in the browser, step %d: %s" % (number + 1, expected), have)
    TAP.ok(len(log) == len(want), "in the browser: all steps", log)


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "small.folded")
        with open(path, "w", encoding="utf-8") as f:
            f.write(FOLDED)
        check_geometry(path)
        check_names(path)
        check_kinds(folder, path)
        check_diff(folder)
        check_behaviour(folder, path)
    return TAP.end()


sys.exit(main())
