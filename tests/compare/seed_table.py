#!/usr/bin/env python3
"""The bundled table of af_packet.c against `assay risk --family compat` on a later kernel's file.

  tests/compare/seed_table.py build/assay

A function counts as unchanged when its c3, the effort of its body to the last
digit, is the same. Of these c1, c2, c8 to c11 must be equal, string for string;
c5 to c7 and what hangs on c7 may differ where the call tree above or below
changed, and are printed. c4 is an age and not compared. TAP.
"""
import os
import subprocess
import sys

import trees

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
BY_BODY = [1, 2, 3, 8, 9, 10]
BY_TREE = [5, 6, 7, 11]


def rows(text):
    table = {}
    for line in text.splitlines():
        if "：" in line:
            cells = line.split("：")[0].split(" : ")
            table[cells[0].strip()] = [c.strip() for c in cells]
    return table


def main():
    net, why = trees.packet()
    if not net:
        print("1..0 # SKIP " + why)
        return 0
    with open(os.path.join(TOP, "samples", "af_packet.metrics.txt"), encoding="utf-8") as f:
        old = rows(f.read())
    done = subprocess.run([sys.argv[1], "risk", "--family", "compat", "--format", "seed", "-n", "0", os.path.join(net, "packet", "af_packet.c")],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if "this build cannot" in done.stderr:
        print("1..0 # SKIP " + done.stderr.strip())
        return 0
    new = rows(done.stdout)
    both = [n for n in old if n in new]
    same = [n for n in both if old[n][3] == new[n][3]]
    print("1..2")
    print("# %d functions of the table, %d are in the later file, %d of them unchanged" % (len(old), len(both), len(same)))
    bad = 0
    for c in BY_BODY + BY_TREE:
        differ = [n for n in same if old[n][c] != new[n][c]]
        print("# c%d: %d of %d unchanged functions equal" % (c, len(same) - len(differ), len(same)))
        for n in differ:
            print("#   %s: %s in the table, %s now%s" %
                  (n, old[n][c], new[n][c], ": other callers or callees" if c in BY_TREE else ""))
        bad += len(differ) if c in BY_BODY else 0
    print("%sok 1 - columns of the body are equal string for string" % ("not " if bad else ""))
    few = sum(old[n][c] != new[n][c] for n in same for c in BY_TREE) > len(same) * len(BY_TREE) // 10
    print("%sok 2 - nine of ten figures of the call tree are equal" % ("not " if few else ""))
    return 1 if bad or few else 0


if __name__ == "__main__":
    sys.exit(main())
