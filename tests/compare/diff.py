#!/usr/bin/env python3
"""Recordings of one program made here by perf record, compared by assay diff.

  tests/compare/diff.py build/assay [PAIRS]

A program with steady shares is recorded twice for each pair: at most 5 % of the
verdicts may be other than "same" or "cannot tell". With more work put into one
function that function must be found, and its interval must hold the true change,
as found by many recordings. Several runs a side, printed reports and folded
stacks of the same recordings must not contradict. TAP on stdout. Skipped with a
word where perf cannot record.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
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


def planted(tap, assay, same, more):
    """The function with more work in it is found, in every pair, and with several runs."""
    found = 0
    truth = []
    intervals = []
    for a, b in zip(same, more):
        status, page = diff(assay, a, b)
        row = row_named(page, "second") if page else None
        if not row:
            continue
        found += status == 3 and row["verdict"] == "more"
        truth.append(row["delta"])
        intervals.append((row["low"], row["high"]))
    mean = sum(truth) / len(truth) if truth else 0
    covered = sum(1 for low, high in intervals if low <= mean <= high)
    tap.ok(found == len(more), f"planted change of {mean:.1f} points: found in {found} of "
           f"{len(more)} pairs")
    tap.ok(len(intervals) - covered <= 1, f"its interval holds the mean of all in {covered} of "
           f"{len(intervals)}")
    status, page = diff(assay, *same[:3], "--", *more[:3])
    row = row_named(page, "second") if page else None
    tap.ok(status == 3 and row and row["verdict"] == "more" and page["spread"]["from"] == "runs",
           "several runs a side: found, by the spread of the runs")
    status, page = diff(assay, *same[:3], "--", *same[3:6])
    wrong = [r["symbol"] for r in rows_of(page or {}) if r["verdict"] in DIFFERENT]
    tap.ok(page is not None and len(wrong) <= 1, f"equal runs: {wrong}")
    status, page = diff(assay, "--per", "second", same[0], more[0])
    row = row_named(page, "second") if page else None
    # other work on the machine takes time from one recording and not from the other
    tap.ok(row is not None and row["delta"] > 0, "per second: more")
    status, page = diff(assay, "--anchor", "first", same[0], more[0])
    row = row_named(page, "second") if page else None
    tap.ok(row is not None and row["verdict"] == "more", "against another function: found")
    others = [r["symbol"] for r in rows_of(page or {}) if r["verdict"] in DIFFERENT and
              r["symbol"] != "second" and r["space"] == "user" and abs(r["delta"]) > 2]
    tap.ok(len(others) <= 1, f"against another function the others are not: {others}")


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

    Other work on the machine spreads a recording's samples, so that one pair may
    rightly be told "cannot tell": one of three must be found, and none as less.
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
        tap.ok("more" in got and "less" not in got, f"{what}: {', '.join(got)}")


def main():
    assay = os.path.abspath(sys.argv[1])
    pairs = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not shutil.which("perf") or not compiler:
        print("1..0 # SKIP no perf or no compiler")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "steady.c"), os.path.join(folder, "steady")
        with open(source, "w", encoding="ascii") as f:
            f.write(PROGRAM)
        if run([compiler, "-O1", "-fno-omit-frame-pointer", "-o", program, source]).returncode:
            print("1..0 # SKIP the program does not compile")
            return 0
        same = [os.path.join(folder, f"same{i}.data") for i in range(2 * pairs)]
        more = [os.path.join(folder, f"more{i}.data") for i in range(max(3, pairs // 2))]
        if not all(record(program, path, "0") for path in same) or \
           not all(record(program, path, MORE) for path in more):
            print("1..0 # SKIP perf cannot record here")
            return 0
        tap = Tap()
        same_pairs(tap, assay, same)
        planted(tap, assay, same, more)
        other_formats(tap, assay, same[:3], more[:3], folder)
        return tap.end()


if __name__ == "__main__":
    sys.exit(main())
