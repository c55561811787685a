#!/usr/bin/env python3
"""Developer tools work as in CONTRIBUTING.md. TAP on stdout."""
import collections
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.environ.get("ASSAY_SOURCE") or os.path.join(os.path.dirname(__file__), "..", "..")
sys.path.insert(0, os.path.join(SOURCE, "tests", "lib"))
from tap import Tap  # noqa: E402

UNIT_TAP = os.path.join(SOURCE, "tests", "lib", "unit_tap.sh")


def tool(name):
    """A script of tools as a module."""
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader(name, os.path.join(SOURCE, "tools", name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def unit_tap(script):
    done = subprocess.run([UNIT_TAP, "sh", "-c", script], stdout=subprocess.PIPE, text=True, check=False,
                          stderr=subprocess.DEVNULL)
    return done.returncode, done.stdout


def skipped_unit_tests(tap):
    got = unit_tap("echo 1..2; echo '# SKIP no input'; echo 'not ok 1 # SKIP one'; echo 'ok 2 - two'")
    tap.ok(got == (0, "1..2\nok 1 - one # SKIP no input\nok 2 - two\n"), "a skipped unit test says why", got)
    got = unit_tap("echo 1..1; echo 'not ok 1 - one'; exit 1")
    tap.ok(got == (1, "1..1\nnot ok 1 - one\n"), "a unit test that fails is left as it is", got)
    got = unit_tap("echo 1..1; printf 'ok 1 - one'; kill -SEGV $$")
    tap.ok(got == (139, "1..1\nok 1 - one\n"), "a unit test that crashes is not well", got)


def check_names_the_skipped(tap):
    check = tool("check")
    rows = [
        {"name": "assay:unit / tree", "result": "OK",
         "stdout": "1..3\nok 1 - a\nok 2 - b # SKIP no seeds\nok 3 - c # SKIP no seeds\n"},
        {"name": "assay:compare / risk", "result": "SKIP", "stdout": "1..0 # SKIP no perf\n"},
        {"name": "assay:cli / top", "result": "OK", "stdout": "1..1\nok 1 of a skipped call # skip no seeds\n"},
    ]
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "meson-logs"))
        with open(os.path.join(folder, "meson-logs", "testlog.json"), "w", encoding="utf-8") as f:
            f.write("".join(json.dumps(row) + "\n" for row in rows))
        skipped = collections.defaultdict(list)
        check.skips(folder, skipped)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        check.show_skipped({why: [("build", *case[1:]) for case in cases] for why, cases in skipped.items()})
    want = ("skipped 3: no seeds\n  build: unit / tree: b; c\n  build: cli / top: of a skipped call\n"
            "skipped 1: no perf\n  build: compare / risk\n")
    tap.ok(out.getvalue() == want, "tools/check groups the skipped tests by reason", out.getvalue())


def mutants(tap):
    mutate = tool("mutate")
    text = ('#include <a.h>\n#define N 10 /* at least 5 < */\nstatic int f(int x)\n{\n\tchar b[64];\n'
            '\tputs("a < 1");\n\treturn p->x << 3 >= N && b[7];\n}\nstatic bool g(void)\n{\n\treturn true;\n}\n')
    found = [(before, after) for _, before, after in mutate.places(text, False)]
    want = [("10", ["11", "15", "6", "9"]), ("3", ["2", "4"]), (">=", [">"]), ("&&", ["||"]),
            ("return true", ["return false"])]
    tap.ok(found == want, "mutants change comparisons, constants and answers; no text, comment or size", found)
    found = [before for _, before, _ in mutate.places(text, True)]
    tap.ok(found == ["10"], "only thresholds are changed where that is asked", found)
    low, high = mutate.wilson(16, 63)
    tap.ok(abs(low - 0.1631) < 0.0005 and abs(high - 0.3733) < 0.0005, "a share has its interval", (low, high))


PLACES = r"""
#include <stdbool.h>
#include <stdio.h>
#define LIMIT 3
struct pair { int small : 4; double large; };
static bool near(int a, int b) { if (a == b || b - a > 1 && !(a & 1)) return true; return false; }
static int sum(struct pair *p, const int *end)
{
	int n = 0;
	for (const int *at = end - 4; at < end && *at != 9; at++)
		n += *at <= LIMIT && !(p->small > LIMIT) && !p->small != at[0] && p->large >= 0.5 ? 1 : near(*at, p->small) ? 10 : 100;
	return n;
}
int main(void)
{
	const int values[] = { 1, 3, 4, 9, 9 };
	for (int i = 0; i < 5; i++)
		printf("%d ", sum(&(struct pair){ i, i * 0.5 }, values + 4));
	return 0;
}
"""


def mutants_at_run_time(tap):
    """One program with all mutants prints, for each, what the program with that change alone prints."""
    mutate = tool("mutate")

    def built(text, name, folder):
        path = os.path.join(folder, name)
        with open(path + ".c", "w", encoding="utf-8") as f:
            f.write(text)
        subprocess.run(["cc", "-w", "-o", path, path + ".c"], check=True, stderr=subprocess.DEVNULL)
        return path

    def printed(path, **env):
        return subprocess.run([path], env={**os.environ, **env}, capture_output=True, check=False).stdout

    found = []
    for start, before, after in mutate.places(PLACES, False):
        found.append(mutate.Mutant("x.c", PLACES, start, before, after[0]))
        found[-1].id = len(found)
    # the width of a bit-field is a constant
    text, kept = mutate.switched(PLACES, [m for m in found if "small :" not in m.was])
    with tempfile.TemporaryDirectory() as folder:
        whole = built(mutate.RUNTIME + mutate.HEADER + text, "whole", folder)
        wrong = [str(m) for m in kept
                 if printed(whole, MUTANT=str(m.id)) != printed(built(m.text, "alone", folder))]
        tap.ok(len(kept) >= 20 and not wrong and printed(whole) == printed(built(PLACES, "none", folder)),
               "a mutant that is chosen at run time is the changed program", (len(found), len(kept), wrong))


def site(tap):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([os.path.join(SOURCE, "tools", "gen-site.py"), folder], capture_output=True, text=True, check=False)
        pages = [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names if name.endswith(".html")]
        dead = []
        for page in pages:
            with open(page, encoding="utf-8") as f:
                text = f.read()
            for link in re.findall(r'(?:href|src)="([^"#:]+)[#"]', text):
                if not os.path.exists(os.path.join(os.path.dirname(page), link)):
                    dead.append((page, link))
        tap.ok(done.returncode == 0 and len(pages) > 100 and not dead, "links of the HTML pages lead to files", (done, dead[:3]))
        with open(os.path.join(folder, "sections.js"), encoding="utf-8") as f:
            sections = json.loads(f.read()[len("const SECTIONS = "):].rstrip(";\n"))
        found = [row[0] for row in sections if "waited for locks" in row[3]]
        tap.ok("docs/rules/waiting-lock.html" in found, "the search knows the text of a page", found)
        unread = [row[0] for row in sections if re.search(r"\]\(|^\|", row[3])]
        tap.ok(not unread, "no markup is left in it", unread[:3])
        with open(os.path.join(folder, "docs", "words.html"), encoding="utf-8") as f:
            text = f.read()
        tap.ok("<td>" in text and "| " not in re.sub(r"<pre>.*?</pre>", "", text, flags=re.S), "tables are tables")


def main():
    tap = Tap()
    site(tap)
    skipped_unit_tests(tap)
    check_names_the_skipped(tap)
    mutants(tap)
    mutants_at_run_time(tap)
    return tap.end()


sys.exit(main())
