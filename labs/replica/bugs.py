#!/usr/bin/env python3
"""How many schedules the checker needs to find each planted bug of the protocol.

  labs/replica/bugs.py [PROGRAM]         PROGRAM: lab-replica-sim [build/labs/replica/lab-replica-sim]
  UPDATE=1 labs/replica/bugs.py          writes the table into README.md

Each bug is looked for from ten first seeds. Exit status: 1 if one of these searches ends at LIMIT
schedules without a violation.
"""
import os
import re
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
from pages import replace_part  # noqa: E402

LIMIT = 20000
STARTS = [1 + 1000000 * i for i in range(10)]


def planted(program):
    """Each bug that @program can switch on, and what the defect is."""
    out = subprocess.run([program, "--bugs"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return dict(line.split("\t") for line in out.splitlines())


def search(program, bug, seed):
    """(schedules until the first violation or None, what was violated)"""
    out = subprocess.run([program, "--bug", bug, "--seed", str(seed), "--schedules", str(LIMIT),
                          "--first"], stdout=subprocess.PIPE, text=True, check=False).stdout
    found = re.match(r"seed (\d+): (.*)", out)
    return (int(found[1]) - seed + 1, found[2]) if found else (None, "")


def table(program):
    rows = ["| `--bug` | the defect | schedules, median of 10 | most | seen first |", "|---|---|---|---|---|"]
    missed = []
    for bug, text in planted(program).items():
        found = [search(program, bug, seed) for seed in STARTS]
        counts = [n for n, _ in found if n]
        missed += [bug] * (len(found) - len(counts))
        rows.append("| %s | %s | %.0f | %s | %s |" % (
            bug, text, statistics.median([n or LIMIT for n, _ in found]),
            max(counts) if len(counts) == len(found) else "over %d" % LIMIT,
            re.sub(r"\d+\.\d+ at place \d+ saw \d+\.\d+", "a request saw another", found[0][1])))
    return "\n".join(rows) + "\n", missed


def main():
    program = sys.argv[1] if sys.argv[1:] else os.path.join(
        HERE, "..", "..", "build", "labs", "replica", "lab-replica-sim")
    rows, missed = table(program)
    print(rows, end="")
    if os.environ.get("UPDATE"):
        replace_part(os.path.join(HERE, "README.md"), "bugs", rows)
    for bug in missed:
        print("bugs: %s: not found in %d schedules" % (bug, LIMIT), file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
