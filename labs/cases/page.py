"""One page a case: its question, flame graphs and findings of both variants, the fix as a diff.

Files of one HTML page each, without links to others: they can be mailed. run makes them in
BUILD/labs/pages while the programs are there, as flame graphs need their symbols.
"""
import base64
import difflib
import glob
import html
import os
import subprocess

N_FINDINGS = 3
N_LINES = 24  # of evidence that has no stacks
STYLE = """
:root{--bg:#fff;--fg:#1b1b1b;--dim:#595959;--line:#d0d0d0;--box:#f6f6f6;--less:#ffe3e0;--more:#dcf5dd;--warn:#b42318}
@media (prefers-color-scheme:dark){:root{--bg:#161616;--fg:#f2f2f2;--dim:#ababab;--line:#444;--box:#222;--less:#4b1f1b;--more:#173a1c;--warn:#ff9b8f}}
*{box-sizing:border-box}
body{background:var(--bg);color:var(--fg);font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:1240px;padding:24px 20px}
h1{font-size:26px;line-height:1.25;margin:0 0 4px}h2{font-size:19px;margin:32px 0 8px}
p{margin:0 0 8px;max-width:90ch}.dim{color:var(--dim)}
code,pre{font:13px/1.45 "DejaVu Sans Mono",Menlo,Consolas,monospace}
pre{background:var(--box);border:1px solid var(--line);border-radius:6px;margin:0 0 12px;padding:10px 12px;tab-size:4;white-space:pre-wrap;overflow-wrap:anywhere}
pre span{display:block;margin:0 -12px;padding:0 12px}.less{background:var(--less)}.more{background:var(--more)}
details{border:1px solid var(--line);border-radius:6px;padding:10px 14px}
summary{cursor:pointer;font-weight:600}details p{margin:10px 0 0}
.pair{display:grid;gap:20px;grid-template-columns:1fr 1fr}.pair>div{min-width:0}
@media (max-width:900px){.pair{grid-template-columns:1fr}}
ol{margin:0;padding-left:22px}li{margin-bottom:14px;overflow-wrap:anywhere}
li p{margin:2px 0}.rule{color:var(--dim);font-size:14px}.warning{color:var(--warn)}
object{border:1px solid var(--line);border-radius:6px;display:block;margin-bottom:16px;width:100%}
a{color:inherit}ul{list-style:none;padding:0}ul li{margin-bottom:6px}
"""


def text(words):
    return html.escape(words, quote=False)


def document(title, body):
    return ("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
            "<meta name=\"viewport\" content=\"width=device-width\">\n<title>%s</title>\n"
            "<style>%s</style></head><body>\n%s\n</body></html>\n" % (text(title), STYLE, body))


# the fix ---------------------------------------------------------------------

def shown_command(case, command):
    """@command without folders that change from machine to machine."""
    for word, instead in (("{case}/../", ""), ("{case}/", ""), ("{work}", "."), ("{disk}/", ""),
                          ("{programs}/", ""), ("{seconds}", "3"), ("{variant}", "before")):
        command = command.replace(word, instead)
    return command


def with_names(case, command):
    """@command with names of files, as it stands in a document."""
    return command.replace("{out}", case.name + (case.suffix or ".txt")).replace(
        "{printed}", case.name + ".txt").replace("{pid}", "PID")


def code_diff(case):
    """fix.diff of the case: what turns the faulty program into the mended one. Or the difference
    of before.* and after.*, where each variant has a file."""
    path = os.path.join(case.folder, "fix.diff")
    if os.path.exists(path):
        return lines_of(path)
    made = []
    for old in sorted(glob.glob(os.path.join(case.folder, "before.*"))):
        new = os.path.join(case.folder, "after" + os.path.splitext(old)[1])
        made += difflib.unified_diff(lines_of(old), lines_of(new), *map(os.path.basename, (old, new)),
                                     lineterm="", n=2)
    return made


def lines_of(path):
    with open(path, encoding="utf-8") as f:
        return f.read().splitlines()


def command_diff(case):
    """The commands of both variants, where they differ."""
    made = []
    for key in ("run", "server", "load"):
        now = getattr(case, key)
        other = getattr(case, "mended" if key == "run" else "mended_" + key)
        if not now or not other or now == other:
            continue
        if key == "run" and " " not in now:  # a word of the evidence's command
            now, other = (with_names(case, case.evidence.replace("{command}", c)) for c in (now, other))
        pair = [shown_command(case, c).splitlines() for c in (now, other)]
        made += [line for line in difflib.unified_diff(*pair, lineterm="", n=1)
                 if not line.startswith(("---", "+++", "@@"))]
    return made


def diff_block(lines):
    kind = {"-": "less", "+": "more"}
    rows = []
    for line in lines:
        is_name = line.startswith(("---", "+++"))
        rows.append("<span%s>%s</span>" % (
            ' class="%s"' % kind[line[0]] if line[:1] in kind and not is_name else "",
            text(line) or " "))
    return "<pre>%s</pre>" % "".join(rows)


def fix_part(case):
    code, commands = code_diff(case), command_diff(case)
    parts = ["<h2>The fix</h2>", "<p>%s.</p>" % text(case.fix[0].upper() + case.fix[1:])]
    if code:
        parts.append(diff_block(code))
    if commands:
        if code:
            parts.append("<p class=\"dim\">The program has both variants; its command chooses "
                         "one:</p>")
        parts.append(diff_block(commands))
    return "\n".join(parts)


# what was seen ---------------------------------------------------------------

def flame(lab, case, path, title):
    """The picture of the stacks in @path as an element, or None if there are none."""
    options = ["--off-cpu"] if "--wall" in (case.options or "") or path.endswith(".trace") else []
    picture = path + ".svg"
    done = subprocess.run([lab.assay, "flame", "-f", *options, "--width", "1190", "--title", title,
                           "-o", picture, path], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False)
    if done.returncode or not os.path.exists(picture):
        return None
    with open(picture, "rb") as f:
        svg = f.read()
    os.unlink(picture)
    return '<object type="image/svg+xml" role="img" aria-label="%s" data="data:image/svg+xml;base64,%s"></object>' % (
        html.escape(title), base64.b64encode(svg).decode())


def excerpt(path):
    """The first lines of evidence that a person can read."""
    with open(path, encoding="utf-8", errors="replace") as f:
        lines = [line.rstrip("\n").expandtabs() for line in f]
    more = len(lines) - N_LINES
    shown = "\n".join(line[:160] for line in lines[:N_LINES])
    return "<pre>%s%s</pre>" % (text(shown), "\n… %d more lines" % more if more > 0 else "")


def evidence_part(lab, case, made):
    """Flame graphs of both variants, else the beginning of each text."""
    pictures = [flame(lab, case, path, word)
                for word, path in (("Before", made["before"]["path"]),
                                   ("After", made["after"]["path"]))]
    if all(pictures):
        return "<h2>Flame graphs, before and after the fix</h2>\n" + "\n".join(pictures)
    return "<h2>Evidence, before and after the fix</h2>\n<p class=\"dim\">It has no stacks to draw.</p>\n%s" % pair(
        *(excerpt(made[v]["path"]) for v in ("before", "after")))


def pair(left, right):
    return '<div class="pair"><div><h3>Before</h3>%s</div><div><h3>After</h3>%s</div></div>' % (
        left, right)


def finding(f):
    is_sure = f["severity"] != "note"
    rows = ["<b>%s</b>" % text(f["claim"]),
            '<p class="rule"><span%s>%s</span> · %s · %s</p>' % (
                ' class="warning"' if is_sure else "", f["severity"], f["rule"], f["certainty"])]
    if f.get("cause"):
        rows.append("<p>%s.</p>" % text(f["cause"].rstrip(".")))
    if f.get("next"):
        rows.append("<p><span class=\"dim\">Next:</span> <code>%s</code></p>" % text(f["next"][0]))
    return "<li>%s</li>" % "".join(rows)


def findings(page):
    rows = [f for f in page["findings"] if f.get("overruled_by") is None]
    if not rows:
        return "<p>No finding.</p>"
    more = len(rows) - N_FINDINGS
    return "<ol>%s</ol>%s" % ("".join(map(finding, rows[:N_FINDINGS])), "<p class=\"dim\">%d more</p>" %
                              more if more > 0 else "")


def recorded_by(case):
    """The command as a user types it."""
    if case.evidence:
        return shown_command(case, with_names(case, case.evidence.replace("{command}",
                                                                          case.run or "")))
    options = " ".join(w for w in ("assay record", case.options) if w)
    if case.server:
        return "%s --for 3s -p PID" % options
    return "%s -- %s" % (options, shown_command(case, case.run))


def case_page(lab, case, made):
    """@made: variant -> {"path", "page"}: the evidence, and what assay says of it."""
    body = ["<h1>%s</h1>" % text(case.symptom[0].upper() + case.symptom[1:]),
            '<p class="dim">Situation <code>%s</code>, a program in %s. Recorded with:</p>' % (
                case.name, case.language),
            "<pre>%s</pre>" % text(recorded_by(case)),
            "<h2>Question</h2>",
            "<details><summary>%s</summary><p>%s</p></details>" % (
                text(case.question), text(case.answer)),
            evidence_part(lab, case, made),
            "<h2>Findings of assay explain</h2>",
            pair(*(findings(made[v]["page"]) for v in ("before", "after"))),
            fix_part(case)]
    return document("%s: %s" % (case.name, case.symptom), "\n".join(body))


def index_page(rows):
    """@rows: (symptom, name) of the pages that are there."""
    items = "\n".join('<li><a href="%s.html">%s</a> <span class="dim">%s</span></li>' % (
        name, text(symptom[0].upper() + symptom[1:]), name) for symptom, name in sorted(rows, key=lambda row: row[0].lower()))
    return document("Situations by symptom", "<h1>Situations by symptom</h1>\n<ul>\n%s\n</ul>" % items)


def write(path, words):
    with open(path, "w", encoding="utf-8") as f:
        f.write(words)
