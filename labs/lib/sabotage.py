#!/usr/bin/env python3
"""Break labs on purpose: each break must make the conditions fail that it names.

  sabotage.py [NAME...]          one line a lab; status 1 if a break is not noticed
  sabotage.py --all              one line a break
  sabotage.py --page FILE        write the table into FILE
  sabotage.py --record NAME DIR  keep what labs/run --keep left in DIR as labs/NAME/recorded.json

A lab's file 'sabotage' has one break a line, # begins a comment:

  WHAT IS BROKEN: CHANGE[, CHANGE...] -> CONDITION[; CONDITION...]

A CHANGE is made to a recorded run (recorded.json), so that no lab has to run. The words of a
CONDITION are those of its line in 'expected', or its first words.

  NAME = OTHER           a capture, diff or figure is that of OTHER, or a number
  CAPTURE - RULE         neither finding nor clean line of this rule
  CAPTURE + RULE         a finding of this rule, as the first
  CAPTURE RULE "FIGURE" = NUMBER   a figure of a finding
  DIFF equal             no function changed

A recorded run must be as expected, and each of its conditions must be in some break: what
no break makes fail cannot fail.
"""
import argparse
import copy
import fnmatch
import glob
import json
import os
import shlex
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from expected import Expected, rows_in  # noqa: E402
from pages import replace_part  # noqa: E402

LABS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PARTS = ("explained", "diffs", "values")


class Run:
    """What a lab made: the three arguments of Expected.check()."""

    def __init__(self, page):
        self.page = page

    def check(self, path):
        page = self.page
        return list(Expected(path).check(page["explained"], page["diffs"], page["values"]))

    def change(self, words):
        """Make one change; a name that is not there is an error."""
        page = self.page
        if len(words) == 3 and words[1] == "=":
            part = next(p for p in PARTS if words[0] in page[p])
            page[part][words[0]] = copy.deepcopy(page[part][words[2]]) \
                if words[2] in page[part] else float(words[2])
        elif len(words) == 3 and words[1] == "-":
            for rows in ("findings", "clean"):
                page["explained"][words[0]][rows] = [
                    r for r in page["explained"][words[0]][rows] if r["rule"] != words[2]]
        elif len(words) == 3 and words[1] == "+":
            page["explained"][words[0]]["findings"].insert(
                0, {"rule": words[2], "claim": words[2], "figures": []})
        elif len(words) == 5 and words[3] == "=":
            finding = next(f for f in page["explained"][words[0]]["findings"]
                           if f["rule"] == words[1])
            next(r for r in finding["figures"]
                 if fnmatch.fnmatch(r["name"], words[2]))["value"] = float(words[4])
        elif len(words) == 2 and words[1] == "equal":
            for table in ("rows", "by_children"):
                for row in page["diffs"][words[0]].get(table, []):
                    row["verdict"] = "equal"
        else:
            raise ValueError("no change: " + " ".join(words))


class Break:
    def __init__(self, line):
        self.what, how = line.split(": ", 1)
        changes, conditions = how.split(" -> ")
        self.changes = [shlex.split(c) for c in changes.split(", ")]
        self.conditions = [shlex.split(c) for c in conditions.split("; ")]


def breaks_in(path):
    with open(path, encoding="utf-8") as f:
        return [Break(line.strip()) for line in f if line.strip() and line[0] != "#"]


class Lab:
    """One lab: its breaks, and which of its conditions they make fail."""

    def __init__(self, name):
        self.name = name
        folder = os.path.join(LABS, name)
        self.expected = os.path.join(folder, "expected")
        with open(os.path.join(folder, "recorded.json"), encoding="utf-8") as f:
            self.recorded = json.load(f)
        self.breaks = breaks_in(os.path.join(folder, "sabotage"))
        self.rows = [words for _, _, words in rows_in(self.expected)]
        self.problems = []
        self.seen = set()
        self.n_noticed = 0
        as_it_was = self.check([])
        self.unmade = {n for n, ok in enumerate(as_it_was) if ok is None}
        for n, ok in enumerate(as_it_was):
            if ok is False:
                self.problems.append("the recorded run is not as expected: " + self.sentence(n))
        for broken in self.breaks:
            self.n_noticed += self.is_noticed(broken)
        for n in range(len(self.rows)):
            if n not in self.seen and n not in self.unmade:
                self.problems.append("no break makes this fail: " + self.sentence(n))

    def sentence(self, n):
        return " ".join(self.rows[n]) if n < len(self.rows) else "a figure without a line"

    def check(self, changes):
        run = Run(copy.deepcopy(self.recorded))
        for words in changes:
            run.change(words)
        return [ok for ok, _ in run.check(self.expected)]

    def is_noticed(self, broken):
        try:
            checked = self.check(broken.changes)
        except (StopIteration, KeyError, ValueError) as e:
            self.problems.append("%s: the recorded run has nothing to change: %s" % (broken.what, e))
            return False
        good = True
        for condition in broken.conditions:
            mine = [n for n, words in enumerate(self.rows) if words[:len(condition)] == condition]
            if not mine or any(checked[n] is not False for n in mine):
                self.problems.append("%s: not noticed by: %s" % (broken.what, " ".join(condition)))
                good = False
            self.seen.update(n for n in mine if checked[n] is False)
        return good


def labs_with_sabotage():
    return sorted(os.path.basename(os.path.dirname(p))
                  for p in glob.glob(os.path.join(LABS, "*", "sabotage")))


def table(labs):
    lines = ["| lab | breaks | noticed | conditions that a break makes fail | not in the recorded run |",
             "|---|---|---|---|---|"]
    for lab in labs:
        lines.append("| %s | %d | %d | %d of %d | %s |" % (
            lab.name, len(lab.breaks), lab.n_noticed, len(lab.seen), len(lab.rows),
            len(lab.unmade) or "-"))
    lines.append("| all | %d | %d | %d of %d | %d |" % (
        sum(len(lab.breaks) for lab in labs), sum(lab.n_noticed for lab in labs),
        sum(len(lab.seen) for lab in labs), sum(len(lab.rows) for lab in labs),
        sum(len(lab.unmade) for lab in labs)))
    return "\n".join(lines) + "\n"


# recording -------------------------------------------------------------------

def rows_kept(page, table_name, patterns):
    return [{k: r[k] for k in ("symbol", "verdict", "a", "b")} for r in page.get(table_name, [])
            if any(fnmatch.fnmatch(r["symbol"].split("@@")[0], p) for p in patterns)]


def record(name, folder):
    """Of each page in @folder the part that 'expected' may look at."""
    def pages(end):
        for path in sorted(glob.glob(os.path.join(folder, "*" + end))):
            with open(path, encoding="utf-8") as f:
                yield os.path.basename(path)[:-len(end)], json.load(f)

    patterns = [words[2] for _, _, words in rows_in(os.path.join(LABS, name, "expected"))
                if words[0] in ("less", "more")]
    # of findings, too, only what a line may name
    made = {"explained": {n: {
        "findings": [{"rule": f["rule"], "claim": f["claim"], "figures": [
            {k: r[k] for k in ("name", "value", "unit")} for r in f["figures"]]}
            for f in page["findings"]],
        "clean": [{k: r[k] for k in ("rule", "sentence")} for r in page["clean"] if any(
            words[:2] == ["clean", n] and r["rule"] in words[2].split("|")
            for _, _, words in rows_in(os.path.join(LABS, name, "expected")))]}
        for n, page in pages(".explain.json")}}
    made["diffs"] = {n: {"unit": page["unit"], "rows": rows_kept(page, "rows", patterns),
                         "by_children": rows_kept(page, "by_children", patterns)}
                     for n, page in pages(".diff.json")}
    with open(os.path.join(folder, "values.json"), encoding="utf-8") as f:
        made["values"] = json.load(f)
    with open(os.path.join(LABS, name, "recorded.json"), "w", encoding="utf-8") as f:
        json.dump(made, f, indent=1, ensure_ascii=False)
        f.write("\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--all", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--page", metavar="FILE", help=argparse.SUPPRESS)
    parser.add_argument("--record", nargs=2, metavar=("NAME", "DIR"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.record:
        record(*options.record)
        return 0
    labs = [Lab(name) for name in options.names or labs_with_sabotage()]
    if options.page:
        replace_part(options.page, "sabotage", table(labs))
    bad = 0
    for lab in labs:
        print("%-14s %d of %d breaks noticed; %d of %d conditions can fail, %d not recorded" % (
            lab.name, lab.n_noticed, len(lab.breaks), len(lab.seen), len(lab.rows),
            len(lab.unmade)))
        for broken in lab.breaks if options.all else ():
            print("  %s" % broken.what)
        for problem in lab.problems:
            print("  NOT %s" % problem)
        bad += len(lab.problems)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
