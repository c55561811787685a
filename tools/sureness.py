#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How often findings are right, by how sure they say they are.

usage: tools/sureness.py [--rules | --table] ASSAY EXPECT.tsv...

Each row of an expect file is a capture with its known cause; its columns are `path` (relative to the file),
`possible` (yes: the evidence shows the cause, lead: the place only, no: neither), and the patterns `lead` (the place),
`mechanism` (the kind of cause) and `wrong` (what would be false). Only findings that stand are counted, not those that
another one overrules, and none about the recording (few samples, missing symbols).

  first  of the first findings of captures that show their cause or its place, how many name what people found
         later: place and kind of cause, or the place where no more is shown
  named  the same of all findings of these captures
  false  of all findings, how many say what is known to be false

--table writes src/explain/known_cases.tsv instead: a rule is capped until it has enough known cases.

A finding that names something else can be true: `named` is a lower bound, and 1 - false an upper one.
Intervals are Wilson's, 95 %.
"""
import argparse
import csv
import json
import math
import pathlib
import re
import subprocess
from collections import defaultdict

RECORDING = {"few-samples", "truncated-report", "no-symbols", "broken-chains", "foreign-names", "interrupts-on-skid",
             "observer-cost", "tracer-dominates", "idle-machine"}
BANDS = ((95, "certain"), (85, "likely"), (75, "likely"), (70, "likely"), (60, "possible"), (0, "possible"))


def wilson(k, n):
    if n == 0:
        return 0.0, 1.0
    z = 1.96
    p = k / n
    mid = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return max(0.0, mid - half), min(1.0, mid + half)


def findings(assay, path):
    """The findings that stand; none if nothing in the file is read."""
    run = subprocess.run([assay, "explain", "--json", str(path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                         timeout=60, check=False)
    try:
        rows = json.loads(run.stdout)["findings"]
    except (ValueError, KeyError):
        return []
    return [f for f in rows if "overruled_by" not in f and f["rule"] not in RECORDING]


def says(pattern, text):
    return bool(pattern) and re.search(pattern, text, re.I) is not None


def judge(row, f):
    """Whether a finding names the cause, and something false."""
    words = " ".join([f["claim"], f.get("cause") or ""] + [g["name"] for g in f["figures"]])
    place = says(row["lead"], words + " " + " ".join(e.get("text") or "" for e in f["evidence"]))
    named = place and (row["possible"] != "yes" or says(row["mechanism"], words))
    return named, says(row["wrong"], words)


def tally(assay, files):
    bands, rules = defaultdict(lambda: [0] * 6), defaultdict(lambda: [0] * 6)
    for file in files:
        with open(file, encoding="utf-8") as f:
            rows = list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))
        for row in rows:
            for i, found in enumerate(findings(assay, file.parent / row["path"])):
                named, false = judge(row, found)
                band = next(b for b in BANDS if found["sure"] >= b[0])
                can = row["possible"] != "no"
                for count in bands[band], rules[found["rule"]]:
                    for k, one in enumerate((can and i == 0, can and i == 0 and named, can, can and named, 1, false)):
                        count[k] += one
    return bands, rules


def share(k, n):
    low, high = wilson(k, n)
    return f"{k} of {n}" + (f" ({100 * k / n:.0f} %, {100 * low:.0f} to {100 * high:.0f})" if n else "")


def shares(count):
    return " | ".join(share(count[i + 1], count[i]) for i in (0, 2, 4))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rules", action="store_true", help="a row for each rule, too")
    p.add_argument("--table", action="store_true", help="known cases of each rule, for the build")
    p.add_argument("assay")
    p.add_argument("expect", nargs="+", type=pathlib.Path)
    a = p.parse_args()
    bands, rules = tally(a.assay, a.expect)
    if a.table:
        print("# Made by tools/sureness.py --table from captures with known causes: rule, findings in captures that show\n"
              "# their cause or its place, and how many of these name it.")
        for rule, count in sorted(rules.items()):
            if count[2]:
                print(rule, count[2], count[3], sep="\t")
        return
    print("| sure | word | first | named | false |\n|---|---|---|---|---|")
    for i, band in enumerate(BANDS):
        top = BANDS[i - 1][0] - 1 if i else 100
        print(f"| {band[0]} to {top} % | {band[1]} | {shares(bands[band])} |")
    if a.rules:
        print("\n| rule | first | named | false |\n|---|---|---|---|")
        for rule, count in sorted(rules.items(), key=lambda r: -r[1][2]):
            print(f"| {rule} | {shares(count)} |")


main()
