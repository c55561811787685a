#!/usr/bin/env python3
"""Results of tools/gen-rules.py for rule files, and its errors with the place. TAP on stdout."""
import os
import subprocess
import sys
import tempfile

SOURCE = os.path.abspath(os.environ.get("ASSAY_SOURCE") or os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(SOURCE, "tests", "lib"))
from tap import Tap  # noqa: E402

TAP = Tap()
GOOD = """# Why.
kind: profile
title: cows go in herds
note: 5 %
lead: 12.5 %
sure-note: 60
sure-lead: 75
says: goes into "herds"
figure: herds
cause: one cow
	follows the other
because: nobody else moos
next: ask
next: ask again
functions:
	herd_*   # fs/herd.c
	operator new
"""

# (old text, new text, expected message, line)
REFUSED = [
    ("an unknown key", "figure: herds", "figures: herds", ":9: figures: unknown key"),
    ("a doubled key", "note: 5 %", "note: 5 %\nnote: 6 %", ":5: note stands in "),
    ("a doubled pattern", "	operator new", "	herd_*", ":17: herd_* stands in "),
    ("two patterns in one line", "	operator new", "	operator|new", ":17: one pattern a line"),
    ("no functions", "	herd_*   # fs/herd.c\n	operator new\n", "", ":15: functions names no function"),
    ("a missing key", "because: nobody else moos\n", "", "cow.rule: because is missing"),
    ("an unknown kind", "kind: profile", "kind: herd", ":2: wanted one 'kind:'"),
    ("a kind of another folder", "kind: profile", "kind: sleeps", "belongs into the folder waits"),
    ("note above lead", "note: 5 %", "note: 13 %", ":4: note is above lead"),
    ("a share without its sign", "note: 5 %", "note: 5", ":4: note: wanted a share"),
    ("a certainty above 100", "sure-note: 60", "sure-note: 160", ":6: 160 is not between"),
    ("a text with a final dot", "figure: herds", "figure: herds.", ":9: figure ends with a dot"),
    ("the id of no rule", "title: cows go in herds", "title: cows go in herds\noverrules: sheep", ":4: sheep is no rule"),
    ("a third next step", "next: ask again", "next: ask again\nnext: c", ":15: more than 2 next steps"),
    ("prose", "figure: herds", "figure herds", ":9: wanted 'key: value'"),
    ("a basis that is a limit", "because: nobody else moos", "because: it moos; a profile does not show why", ":12: because says why"),
    ("a cause that names none", "cause: one cow\n	follows the other", "cause: a profile cannot tell", ":10: cause says what"),
    ("something not known that is a sentence", "next: ask\n", "not-known: it moos\nnext: ask\n", ":13: not-known continues"),
    ("a next step that is no action", "next: ask again", "next: the cow", ":14: next is no action"),
    ("a single one of several causes", "cause: one cow\n	follows the other", "usual-causes:\n	one, if it moos", ":10: usual-causes: two causes"),
    ("a cause without its sign", "cause: one cow\n	follows the other", "usual-causes:\n	one, if it moos\n	two", ":12: usual-causes: wanted"),
    ("a second cause like a sentence", "cause: one cow\n	follows the other", "usual-causes:\n	one, if it moos\n	The ox, if not", ":12: usual-causes: only"),
    ("two keys of a usual cause", "cause: one cow\n	follows the other", "usual-cause: it\nusual-causes:\n	one, if it moos\n	two, if not", "usual-causes stands in"),
]


COUNTED = """kind: counters
title: milk is spilt
metric: ipc|cpi
needs: cpus-utilised
needs-from: 0.5
note: 5
lead: 10
sure: 60
says: milk is spilt
figure: milk
usual-cause: the bucket leaks
because: it is counted
next: mend it
"""
COUNTED_REFUSED = [
    ("an unknown metric", "metric: ipc|cpi", "metric: ipc|cpii", ":3: cpii is no metric; near: cpi"),
    ("an unknown metric that is needed", "needs: cpus-utilised", "needs: cpu-utilised", ":4: cpu-utilised is no metric; near: cpus-utilised"),
    ("an unknown metric that explains", "note: 5", "unless: herds-of-cows\nnote: 5", ":6: herds-of-cows is no metric; tools/gen-rules.py --metrics lists them"),
]


def made(folder, text, page=True, kind="profile"):
    pages = os.path.join(folder, "pages")
    os.makedirs(pages, exist_ok=True)
    for name in ("cow.md",):
        path = os.path.join(pages, name)
        if page:
            open(path, "w", encoding="utf-8").close()
        elif os.path.exists(path):
            os.remove(path)
    rule = os.path.join(folder, kind, "cow.rule")
    os.makedirs(os.path.dirname(rule), exist_ok=True)
    with open(rule, "w", encoding="utf-8") as f:
        f.write(text)
    out = os.path.join(folder, "out.c")
    done = subprocess.run([sys.executable, os.path.join(SOURCE, "tools", "gen-rules.py"), pages, out, rule],
                          stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        return done.stderr, ""
    with open(out, encoding="utf-8") as f:
        return done.stderr, f.read()


CASES = GOOD + """needs:
	moo
case: most of it is calves
part: 60 %
part-of:
	calf_*
cause: calves follow cows
next: ask the calf
case: nobody moos
needs-missing: yes
minor: yes
"""
CASES_REFUSED = [
    ("a case without a condition", "needs-missing: yes\n", "", ":26: a case wants part"),
    ("a part of nothing", "part-of:\n	calf_*\n", "", ":20: a case wants part"),
    ("a case with functions of its own", "minor: yes", "functions:\n	x", ":28: functions: unknown key"),
    ("missing needs of a rule without needs", "needs:\n	moo\n", "", ":24: needs-missing: wants needs"),
]

NAMES = """# Why.
herd-calls:
	moo_*   # fs/herd.c
	START:thread
row: herds
who:
	cow
	ox
says: goes "in" herds
kind: HERD_COW
row: herds
who:
	sheep
"""
NAMES_REFUSED = [
    ("a doubled list", "	START:thread", "	START:thread\nherd-calls:\n	x", ":5: herd-calls stands twice"),
    ("a doubled name", "	START:thread", "	moo_*", ":4: moo_* stands in "),
    ("a name that a kind has, too", "	START:thread", "	START:thread\n	start_thread", ":5: start_thread stands in "),
    ("an unknown kind of start", "	START:thread", "	START:herd", ":4: START:herd is no kind"),
    ("a list without names", "	sheep\n", "", ":12: who is empty"),
]


def made_names(folder, text):
    source, out = os.path.join(folder, "cow.names"), os.path.join(folder, "cow_names.h")
    with open(source, "w", encoding="utf-8") as f:
        f.write(text)
    done = subprocess.run([sys.executable, os.path.join(SOURCE, "tools", "gen-rules.py"), "--names", out, source],
                          stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        return done.stderr, ""
    with open(out, encoding="utf-8") as f:
        return done.stderr, f.read()


def main():
    with tempfile.TemporaryDirectory() as folder:
        said, text = made_names(folder, NAMES)
        TAP.ok(said == "" and '#define HERD_CALLS "moo_*|' in text, "a list of names is a macro", said + text)
        TAP.ok("|start_thread|" in text, "a kind of start stands for its names", text)
        TAP.ok('{ .who = "cow|ox", .says = "goes \\"in\\" herds", .kind = HERD_COW },' in text, "a row has its members", text)
        TAP.ok('{ .who = "sheep" },' in text, "all rows are one macro", text)
        for name, old, new, why in NAMES_REFUSED:
            assert NAMES.count(old) == 1, name
            said, _ = made_names(folder, NAMES.replace(old, new))
            TAP.ok(why in said and said.count("\n") == 1, "%s is refused with its place" % name, said)
    with tempfile.TemporaryDirectory() as folder:
        said, text = made(folder, GOOD)
        TAP.ok(said == "" and '.functions = "herd_*|operator new"' in text, "patterns are joined, sources dropped", said)
        TAP.ok('.cause = "one cow follows the other"' in text, "a value goes on in lines with a tab", text)
        TAP.ok('.what = "goes into \\"herds\\""' in text, "quotes are quoted", text)
        TAP.ok('.next = { "ask", "ask again" }' in text and '.lead_pct = 12.5' in text, "lists and shares are taken", text)
        for name, old, new, why in REFUSED:
            assert GOOD.count(old) == 1, name
            said, _ = made(folder, GOOD.replace(old, new))
            TAP.ok(why in said and said.count("\n") == 1, "%s is refused with its place" % name, said)
        said, text = made(folder, GOOD.replace("cause: one cow\n	follows the other", "usual-causes:\n	The cow, if it moos\n	the ox, if not")
                          .replace("next: ask\n", "not-known: whether it moos\nnext: ask\n"))
        TAP.ok('.usual_cause = "The cow, if it moos\\nthe ox, if not"' in text, "several causes are one a line", said + text)
        TAP.ok('.not_known = "whether it moos"' in text, "the thing that is not known is taken", said + text)
        said, text = made(folder, CASES)
        TAP.ok(said == "" and text.count('.functions = "herd_*|operator new"') == 3, "a case has the functions of its rule", said)
        TAP.ok('.cause = "calves follow cows"' in text and '.part_of = "calf_*", .part = 0.6' in text.replace(
            '.part = 0.6, .part_of = "calf_*"', '.part_of = "calf_*", .part = 0.6'), "a case has texts and a part of its own", text)
        TAP.ok(text.count('.needs = "moo"') == 2, "where needs are missing a case wants none", text)
        for name, old, new, why in CASES_REFUSED:
            assert CASES.count(old) == 1, name
            said, _ = made(folder, CASES.replace(old, new))
            TAP.ok(why in said and said.count("\n") == 1, "%s is refused with its place" % name, said)
        said, text = made(folder, COUNTED, kind="counters")
        TAP.ok(said == "" and '.metric = "ipc|cpi"' in text, "a rule about counters has its metric", said)
        for name, old, new, why in COUNTED_REFUSED:
            assert COUNTED.count(old) == 1, name
            said, _ = made(folder, COUNTED.replace(old, new), kind="counters")
            TAP.ok(why in said and said.count("\n") == 1, "%s is refused with its place" % name, said)
        listed = subprocess.run([sys.executable, os.path.join(SOURCE, "tools", "gen-rules.py"), "--metrics"],
                                stdout=subprocess.PIPE, text=True, check=False).stdout
        TAP.ok("\nipc  " in listed and "(GHz)" in listed, "the metrics are listed", listed[:300])
        said, _ = made(folder, GOOD, page=False)
        TAP.ok("its page is missing: write docs/rules/cow.md" in said, "a rule without a page is refused", said)
    return TAP.end()


sys.exit(main())
