#!/usr/bin/env python3
"""Is B slower? Pairs of recordings whose change is known, compared by assay diff.

  tests/compare/slower.py build/assay [PAIRS]

First recordings made here byte by byte (tests/lib/runs_made.py): the total of each run is the
planted one times noise between runs, its samples are drawn from shares that do not change.
Of PAIRS (100) pairs of each kind B takes 3 to 20 % more CPU time, of as many nothing more.
Then recordings of a program made here: the same work under two names, and 20 % more of it.
Counts what is found above the smallest change that diff prints, and false verdicts: exit
status 3 for equal pairs. TAP on stdout; the table is that of docs/diff.md.
"""
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from runs_made import recording  # noqa: E402
from tap import Tap  # noqa: E402

SAMPLES = 1200
FUNCTIONS = 12
# runs a side, standard deviation of the total of a run in percent
KINDS = [(1, 1), (1, 2), (1, 3), (3, 1), (3, 3), (5, 3), (5, 6)]
PROGRAM = r"""
#include <stdint.h>
#include <stdlib.h>
static volatile uint64_t sink;
static __attribute__((noinline)) void first(long n)
{ uint64_t x = sink; for (long i = 0; i < n; i++) x = x * 6364136223846793005ULL + 1; sink = x; }
static __attribute__((noinline)) void second(long n)
{ uint64_t x = sink; for (long i = 0; i < n; i++) x = (x ^ (x >> 7)) * 2862933555777941757ULL; sink = x; }
int main(int argc, char **argv)
{
	for (int i = 0; i < atoi(argv[1]); i++) { first(60000); second(30000); }
	return 0;
}
"""
ROUNDS = 1500


def shares():
    weights = [0.75 ** i for i in range(FUNCTIONS)]
    return [w / sum(weights) for w in weights]


def write_run(path, rng, factor, noise):
    n = round(SAMPLES * factor * math.exp(rng.gauss(0, noise / 100)))
    stacks = {}
    for i in rng.choices(range(FUNCTIONS), weights=shares(), k=n):
        stack = ("main", "work", f"function_{i}")
        stacks[stack] = stacks.get(stack, 0) + 1
    with open(path, "wb") as f:
        f.write(recording(stacks, seed=rng.random()))


def diff(assay, sides):
    """Exit status and JSON of a comparison."""
    done = subprocess.run([assay, "diff", "--json", *sides[0], "--", *sides[1]], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.returncode, json.loads(done.stdout)


class Tally:
    def __init__(self):
        self.pairs = self.false = self.above = self.above_found = self.found = self.planted = 0
        self.covered = self.visible = self.shares = 0

    def add(self, change, status, page):
        total = page["totals"][0]
        self.visible += total["smallest_visible"]
        self.covered += total["low"] <= change <= total["high"]
        if change == 0:
            self.pairs += 1
            self.false += status == 3
            self.shares += status == 3 and total["verdict"] not in ("more", "less")
            return
        is_found = total["verdict"] == "more"
        self.planted += 1
        self.found += is_found
        if change >= total["smallest_visible"]:
            self.above += 1
            self.above_found += is_found

    def row(self, runs, noise):
        both = self.pairs + self.planted
        return (f"| {runs} | {noise} | {self.visible / both:.1f} % | {self.above_found} of {self.above} | "
                f"{self.found} of {self.planted} | {self.false} of {self.pairs} | "
                f"{100 * self.covered / both:.0f} % |")


def made(tap, assay, folder, pairs, runs, noise):
    rng = random.Random(f"{runs} {noise}")
    tally = Tally()
    sides = [[os.path.join(folder, f"{side}{i}.data") for i in range(runs)] for side in "ab"]
    for pair in range(2 * pairs):
        change = 0 if pair % 2 else rng.uniform(3, 20)
        for s, files in enumerate(sides):
            for path in files:
                write_run(path, rng, 1 + change / 100 if s else 1, noise)
        tally.add(change, *diff(assay, sides))
    print(tally.row(runs, noise).replace("| ", "# | ", 1), flush=True)
    return tally


def real(tap, assay, folder, pairs):
    source = os.path.join(folder, "work.c")
    with open(source, "w", encoding="utf-8") as f:
        f.write(PROGRAM)
    programs = [os.path.join(folder, name) for name in ("work", "work2")]
    for program in programs:
        if not shutil.which("cc") or subprocess.run(["cc", "-O2", "-o", program, source], check=False).returncode:
            tap.skip("recordings of a program", "no compiler")
            return
    false = found = above = 0
    for pair in range(2 * pairs):
        rounds = ROUNDS if pair % 2 else ROUNDS * 6 // 5
        out = os.path.join(folder, "real.data")
        words = [assay, "record", "--repeat", "3", "-o", out, "--", programs[0], str(ROUNDS), "--vs",
                 programs[1], str(rounds)]
        done = subprocess.run(words, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if done.returncode not in (0, 3):
            tap.skip("recordings of a program", "nothing can be recorded here")
            return
        sides = [[f"{out}.{side}{i}" for i in (1, 2, 3)] for side in "ab"]
        status, page = diff(assay, sides)
        total = page["totals"][0]
        if pair % 2:
            false += status == 3
        else:
            found += total["verdict"] == "more"
            above += total["smallest_visible"] <= 20
        print(f"# {'equal' if pair % 2 else 'planted'}: {total['change']:+.1f} % ({total['low']:+.1f} to "
              f"{total['high']:+.1f}), spread {total['spread']:.1f} %, {page['totals'][0]['verdict']}", flush=True)
    tap.ok(false * 20 <= max(pairs, 20), f"real, equal: {false} of {pairs} are said to differ")
    tap.ok(found >= above, f"real, 20 % planted: {found} of {pairs} found, {above} with a visible change below")


def main():
    assay = os.path.abspath(sys.argv[1])
    pairs = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    tap = Tap()
    print("# | runs a side | noise % | smallest visible | found above it | found of all | equal: false | 95 % covers |")
    with tempfile.TemporaryDirectory() as folder:
        tallies = {kind: made(tap, assay, folder, pairs, *kind) for kind in KINDS}
        for (runs, noise), t in tallies.items():
            tap.ok(t.above_found >= 0.95 * t.above, f"{runs} runs, noise {noise} %: {t.above_found} of {t.above} "
                   "above the smallest visible change are found")
            tap.ok(t.false <= 0.05 * t.pairs, f"{runs} runs, noise {noise} %: {t.false} of {t.pairs} equal pairs "
                   f"are said to differ ({t.shares} by shares)")
        real(tap, assay, folder, max(1, pairs // 10))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
