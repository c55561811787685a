#!/usr/bin/env python3
"""Results of tools/gen-rows.py for tables of rows, and its errors with the place. TAP on stdout."""
import os
import subprocess
import sys
import tempfile

SOURCE = os.path.abspath(os.environ.get("ASSAY_SOURCE") or os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(SOURCE, "tests", "lib"))
from tap import Tap  # noqa: E402

TAP = Tap()
GOOD = """# Why.
@herd	cow|calf
= farm farms
name!	members	legs:unsigned	flags	source
barn	@herd	12	has_roof has_door	seen
field	a "b" \\c	0	-	seen
pond	-	-	has_door	-
"""
MADE = """static const struct farm farms[] = {
	{ .name = "barn", .members = "cow|calf", .legs = 12u, .has_roof = true, .has_door = true },
	{ .name = "field", .members = "a \\"b\\" \\\\c", .legs = 0u },
	{ .name = "pond", .has_door = true },
};
"""

# (what, old text, new text, expected message)
REFUSED = [
    ("a doubled row", "field	", "barn	", ":6: name 'barn' is in in.tsv:5 already"),
    ("an empty cell", "	12	", "		", ":5: want 5 cells, none of them empty"),
    ("a missing cell", "	12	", "	", ":5: want 5 cells"),
    ("a flag that is no name", "has_roof ", "has-roof ", ":5: 'has-roof' is no name of a member"),
    ("a doubled flag", "has_roof ", "has_door ", ":5: flag 'has_door' is there twice"),
    ("two blanks between flags", "has_roof ", "has_roof  ", ":5: '' is no name of a member"),
    ("a number that C reads as octal", "	12	", "	012	", ":5: '012' is no decimal number"),
    ("a digit of another script", "	12	", "	²	", ":5: '²' is no decimal number"),
    ("a text without a line", "@herd	12", "@flock	12", ":5: a text with a name that no line above"),
    ("a doubled text", "= farm", "@herd	ox\n= farm", ":3: @herd is there twice"),
    ("no array above the rows", "= farm farms\n", "", ":3: want '= TYPE ARRAY' above the first row"),
    ("an array without a name", "= farm farms", "= farm", ":3: want '= TYPE ARRAY'"),
    ("no columns", "name!	members	legs:unsigned	flags	source\n", "", ":4: '@herd' is no column"),
    ("a doubled column", "	members", "	name!", ":4: a column is there twice"),
    ("an array without rows", GOOD[GOOD.index("barn"):], "", "in.tsv: farms has no row"),
    ("an empty file", GOOD, "", "in.tsv: no line '= TYPE ARRAY'"),
]


def made(text):
    """(text of OUT.h or None, what was printed)."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "in.tsv"), "w", encoding="utf-8") as f:
            f.write(text)
        done = subprocess.run([sys.executable, os.path.join(SOURCE, "tools", "gen-rows.py"), "in.tsv", "out.h"],
                              cwd=folder, stderr=subprocess.PIPE, text=True, check=False)
        path = os.path.join(folder, "out.h")
        if not os.path.exists(path):
            return None, done.stderr
        with open(path, encoding="utf-8") as f:
            return f.read(), done.stderr



def main():
    out, printed = made(GOOD)
    TAP.ok(out == MADE, "rows become initialisers", printed or out)
    for what, old, new, message in REFUSED:
        out, printed = made(GOOD.replace(old, new, 1))
        TAP.ok(out is None and message in printed and "Traceback" not in printed,
               "%s is refused, and nothing is written" % what, printed)
    return TAP.end()


sys.exit(main())
