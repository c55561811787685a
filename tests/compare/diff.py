#!/usr/bin/env python3
"""Recordings of one program made here by perf record, compared by assay diff.

  tests/compare/diff.py build/assay [PAIRS]

First recordings made here byte by byte (tests/lib/runs_made.py), whose true shares are known and
vary from slice to slice as those of real programs do: a planted change must be found, its interval
must hold the truth, and equal recordings must not differ.

Then a program with steady shares is recorded twice for each pair: at most 5 % of the verdicts may
be other than "same" or "cannot tell". With more work put into one function that function must
never be called cheaper or equal; how often it is found depends on what else the machine does, so
that is only printed. Several runs a side, printed reports and folded stacks of the same recordings
must not contradict. TAP on stdout. The second part is skipped with a word where perf cannot record.
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

PROGRAM = r"""
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#define WORK(name, step) \
	static __attribute__((noinline)) void name(int n) \
	{ uint64_t x = sink; for (int i = 0; i < n; i++) x = step; sink = x; }
static volatile uint64_t sink;
WORK(first, x * 6364136223846793005ULL + 1)
WORK(second, (x ^ (x >> 7)) * 6364136223846793005ULL)
WORK(third, (x ^ (x >> 9)) * 2862933555777941757ULL)
WORK(fourth, x * 2862933555777941757ULL + 3)
WORK(fifth, x * 2862933555777941757ULL + 7)
WORK(sixth, x * 3202034522624059733ULL + 1)
WORK(seventh, (x + 5) * 3202034522624059733ULL)
WORK(eighth, (x ^ 11) * 3935559000370003845ULL)
static char from[1 << 18], to[1 << 18];
int main(int argc, char **argv)
{
	int rounds = atoi(argv[1]), more = atoi(argv[2]);
	for (int r = 0; r < rounds; r++) {
		first(60000); second(45000 + more * 1000); third(25000); fourth(16000);
		fifth(10000); sixth(6000); seventh(3000); eighth(1500);
		memcpy(to, from, sizeof(to)); from[r & 1023] = to[r & 511];
	}
	return sink == 42;
}
"""
ROUNDS = "3000"
MORE = "25"
DIFFERENT = {"more", "less"}
POSSIBLE = {"more", "cannot tell"}  # what may be said of a function with more work in it
# a made recording: samples, slices of its time, and by how much a function's weight varies from
# slice to slice (standard deviation of its logarithm)
SAMPLES, SLICES, UNEVEN = 4000, 40, 0.3
WEIGHTS = {"first": 60, "second": 45, "third": 25, "fourth": 16, "fifth": 10, "sixth": 6,
           "seventh": 3, "eighth": 2}
PLANTED = 25


def run(command, **kw):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False,
                          **kw)


def record(program, path, more):
    done = run(["perf", "record", "-q", "-e", "cpu-clock", "-F", "4000", "-g", "-o", path, "--",
                program, ROUNDS, more])
    return done.returncode == 0 and os.path.exists(path)


def diff(assay, *words):
    """Exit status and page of one comparison."""
    done = run([assay, "diff", "--json", *words])
    return done.returncode, json.loads(done.stdout) if done.returncode in (0, 3) else None


def rows_of(page, key="rows"):
    return page.get(key, [])


def same_pairs(tap, assay, files):
    """Verdicts of recordings of the very same program, next with next."""
    verdicts = wrong = pairs_wrong = 0
    worst = ""
    for a, b in zip(files[::2], files[1::2]):
        status, page = diff(assay, a, b)
        if page is None:
            tap.ok(False, f"a pair of equal recordings: status {status}")
            return
        found = [(key, row) for key in ("rows", "by_children", "by_dso", "by_category", "by_stack")
                 for row in rows_of(page, key)]
        odd = [(key, row) for key, row in found if row["verdict"] in DIFFERENT]
        verdicts += len(rows_of(page))
        wrong += sum(1 for key, _ in odd if key == "rows")
        pairs_wrong += bool(odd)
        if odd:
            key, row = odd[0]
            name = row.get("symbol") or row.get("dso") or row.get("category") or row.get("stack")
            worst = f"; {key} {name} {row['a']} -> {row['b']} q {row['p_adjusted']}"
        tap_note(f"{os.path.basename(a)} {os.path.basename(b)}: {page['spread']} "
                 f"{page['more']} more {page['less']} less {page['same']} same "
                 f"{page['cannot_tell']} cannot tell")
    tap.ok(verdicts > 0 and wrong <= 0.05 * verdicts,
           f"equal recordings: {wrong} of {verdicts} verdicts are more or less "
           f"({pairs_wrong} of {len(files) // 2} pairs have one at any level{worst})")


def tap_note(text):
    print("# " + text, flush=True)


def row_named(page, name):
    return next((r for r in rows_of(page) if r["symbol"] == name), None)


def slice_shares(rng, extra):
    """Shares of the functions in one slice of time; second has @extra more work in it."""
    weights = {name: (w + (extra if name == "second" else 0)) * math.exp(rng.gauss(0, UNEVEN))
               for name, w in WEIGHTS.items()}
    total = sum(weights.values())
    return {name: w / total for name, w in weights.items()}


def expected_share(extra):
    """The share of second in the mean over very many slices, in points."""
    rng = random.Random(1)
    n = 20000
    return 100 * sum(slice_shares(rng, extra)["second"] for _ in range(n)) / n


def write_made(path, rng, extra):
    stacks, spans = {}, {}
    for part in range(SLICES):
        shares = slice_shares(rng, extra)
        for name in rng.choices(list(shares), weights=shares.values(), k=SAMPLES // SLICES):
            stack = ("main", f"part{part}", name)
            stacks[stack] = stacks.get(stack, 0) + 1
            spans[stack] = (part / SLICES, (part + 1) / SLICES)
    with open(path, "wb") as f:
        f.write(recording(stacks, seed=rng.random(), spans=spans))


def made(tap, assay, folder, pairs=40):
    """Pairs whose truth is known: as many with the planted change as equal ones."""
    rng = random.Random(2026)
    truth = expected_share(PLANTED) - expected_share(0)
    paths = [os.path.join(folder, name) for name in ("made_a.data", "made_b.data")]
    found = covered = differ = rows = 0
    for pair in range(2 * pairs):
        extra = PLANTED if pair % 2 else 0
        write_made(paths[0], rng, 0)
        write_made(paths[1], rng, extra)
        page = diff(assay, *paths)[1]
        row = row_named(page, "second")
        covered += row["low"] <= (truth if extra else 0) <= row["high"]
        if extra:
            found += row["verdict"] == "more"
        else:
            differ += sum(r["verdict"] in DIFFERENT for r in rows_of(page))
            rows += len(rows_of(page))
    tap.ok(found >= 0.9 * pairs, f"made here, {truth:.1f} points planted: found in {found} of {pairs}")
    tap.ok(covered >= 0.85 * 2 * pairs, f"made here: the interval holds the truth in {covered} of {2 * pairs}")
    tap.ok(differ <= 0.05 * rows, f"made here, equal: {differ} of {rows} verdicts are more or less")
    page = diff(assay, "--anchor", "first", *paths)[1]  # the last pair is a planted one
    others = [r["symbol"] for r in rows_of(page) if r["verdict"] in DIFFERENT]
    tap.ok(others == ["second"], f"made here, against another function: {others}")


def planted(tap, assay, same, more):
    """The function with more work in it is never called cheaper, alone and with several runs."""
    found = 0
    truth = []
    intervals = []
    verdicts = []
    for a, b in zip(same, more):
        page = diff(assay, a, b)[1]
        row = row_named(page, "second") if page else None
        if not row:
            continue
        verdicts.append(row["verdict"])
        found += row["verdict"] == "more"
        truth.append(row["delta"])
        intervals.append((row["low"], row["high"]))
    mean = sum(truth) / len(truth) if truth else 0
    covered = sum(1 for low, high in intervals if low <= mean <= high)
    tap_note(f"planted change of {mean:.1f} points: found in {found} of {len(more)} pairs, its "
             f"interval holds the mean of all in {covered} of {len(intervals)}")
    tap.ok(len(verdicts) == len(more) and set(verdicts) <= POSSIBLE,
           f"planted change of {mean:.1f} points: {', '.join(verdicts)}")
    status, page = diff(assay, *same[:3], "--", *more[:3])
    row = row_named(page, "second") if page else None
    tap.ok(row and row["verdict"] in POSSIBLE and page["spread"]["from"] == "runs",
           "several runs a side: by the spread of the runs")
    status, page = diff(assay, *same[:3], "--", *same[3:6])
    wrong = [r["symbol"] for r in rows_of(page or {}) if r["verdict"] in DIFFERENT]
    tap.ok(page is not None and len(wrong) <= 1, f"equal runs: {wrong}")
    status, page = diff(assay, "--per", "second", same[0], more[0])
    row = row_named(page, "second") if page else None
    tap.ok(row is not None and row["verdict"] in POSSIBLE, "per second: not less")
    status, page = diff(assay, "--anchor", "first", same[0], more[0])
    row = row_named(page, "second") if page else None
    tap.ok(row is not None and row["verdict"] in POSSIBLE, "against another function: not less")


def written(assay, path, folder, name):
    """The recording as a printed report and as folded stacks."""
    report, folded = os.path.join(folder, name + ".report"), os.path.join(folder, name + ".folded")
    with open(report, "wb") as f:
        f.write(run(["perf", "report", "--stdio", "-i", path, "--no-children", "-g", "none"]).stdout)
    with open(folded, "wb") as f:
        f.write(run([assay, "convert", "--to", "folded", path]).stdout)
    return report, folded


def other_formats(tap, assay, same, more, folder):
    """The printed report and the folded stacks of a recording give its shares, and find it too.

    Other work on the machine spreads a recording's samples, so "cannot tell" may be right.
    """
    verdicts = {"two printed reports": [], "a printed report and a recording": [],
                "folded stacks and a recording": []}
    for i, (a, b) in enumerate(zip(same, more)):
        report, folded = written(assay, a, folder, "a%d" % i)
        after, _ = written(assay, b, folder, "b%d" % i)
        for what, first, second in zip(verdicts, (report, report, folded), (after, b, b)):
            page = diff(assay, first, second)[1]
            row = row_named(page, "second") if page else None
            verdicts[what].append(row["verdict"] if row else "not there")
        for what, first in (("printed report", report), ("folded stacks", folded)):
            status, page = diff(assay, first, a)
            wrong = [r for r in rows_of(page or {}) if r["verdict"] in DIFFERENT]
            off = [r for r in rows_of(page or {}) if abs(r["delta"]) > 0.0051 and r["b"] > 0]
            if i == 0:
                tap.ok(status == 0 and not wrong and not off,
                       f"a recording and its own {what}: no difference, equal figures")
    for what, got in verdicts.items():
        tap.ok(set(got) <= POSSIBLE, f"{what}: {', '.join(got)}")


def live(tap, assay, folder, pairs):
    """Recordings made by perf on this machine."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not shutil.which("perf") or not compiler:
        tap.skip("recordings of perf", "no perf or no compiler")
        return
    source, program = os.path.join(folder, "steady.c"), os.path.join(folder, "steady")
    with open(source, "w", encoding="ascii") as f:
        f.write(PROGRAM)
    if run([compiler, "-O1", "-fno-omit-frame-pointer", "-o", program, source]).returncode:
        tap.skip("recordings of perf", "the program does not compile")
        return
    same = [os.path.join(folder, f"same{i}.data") for i in range(2 * pairs)]
    more = [os.path.join(folder, f"more{i}.data") for i in range(max(3, pairs // 2))]
    if not all(record(program, path, "0") for path in same) or \
       not all(record(program, path, MORE) for path in more):
        tap.skip("recordings of perf", "perf cannot record here")
        return
    same_pairs(tap, assay, same)
    planted(tap, assay, same, more)
    other_formats(tap, assay, same[:3], more[:3], folder)


def main():
    assay = os.path.abspath(sys.argv[1])
    pairs = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        made(tap, assay, folder)
        live(tap, assay, folder, pairs)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
