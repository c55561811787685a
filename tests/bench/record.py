#!/usr/bin/env python3
"""assay record compared with perf record on this machine; printed, not judged.

  tests/bench/record.py build/assay [RUNS]

CPU time (user and system) of the recorder over 3 s of everything at 99, 999 and 10 000 Hz, the
median of three; CPU time of a program that is recorded; samples lost; and, in RUNS runs
(default 100), how often the shares of a program that spins 70/20/10 lie in their 95 % interval.
"""
import json
import math
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile

PROGRAM = r"""
#include <stdlib.h>
#define SPIN(name) __attribute__((noinline)) unsigned long name(long n) { unsigned long x = 1; \
  for (long i = 0; i < n * 1000; i++) { x = x * 1664525 + 1013904223; __asm__ volatile("" : "+r"(x)); } return x; }
SPIN(seventy) SPIN(twenty) SPIN(ten)
int main(int argc, char **argv) { long n = argc > 1 ? atol(argv[1]) : 300; unsigned long s = 0;
  for (long i = 0; i < n; i++) s += seventy(700) + twenty(200) + ten(100);
  return s == 42; }
"""
SHARES = {"seventy": 0.7, "twenty": 0.2, "ten": 0.1}


def cpu_of(command):
    """CPU seconds of a command with its children, and its stderr."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
            done.stderr.decode("utf-8", "replace"))


def lost(path):
    out = subprocess.run(["perf", "report", "-i", path, "--stdio", "-g", "none", "--stats"],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout.decode()
    return sum(int(n) for n in re.findall(r"LOST\w* events: *(\d+)", out))


def wilson(k, n, z=1.96):
    p = k / n
    mid = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return mid - half, mid + half


def recorders(assay, folder, program):
    print("recorder    Hz   CPU s over 3 s of all   lost records   CPU s of the program (alone: %.3f)" %
          statistics.median(cpu_of([program])[0] for _ in range(3)))
    for hz in ("99", "999", "10000"):
        for name in ("perf", "assay"):
            path = os.path.join(folder, name + hz)
            head = ([assay, "record", "-q"] if name == "assay" else ["perf", "record", "-q", "-g", "-e", "cpu-clock"])
            tail = ["-a", "--for", "3"] if name == "assay" else ["-a", "--", "sleep", "3"]
            took = [cpu_of([*head, "-F", hz, "-o", path, *tail])[0] for _ in range(3)]
            gone = lost(path)
            both = [cpu_of([*head, "-F", hz, "-o", path + "p", "--", program])[0] for _ in range(3)]
            print("%-8s %6s   %21.3f   %12d   %.3f, recorder included" %
                  (name, hz, statistics.median(took), gone, statistics.median(both)))
            sys.stdout.flush()


def shares(assay, folder, program, runs):
    inside = {name: 0 for name in SHARES}
    good = 0
    for _ in range(runs):
        path = os.path.join(folder, "shares")
        subprocess.run([assay, "record", "-q", "-o", path, "--", program], check=False)
        out = subprocess.run([assay, "report", "--json", "--no-children", "--sort", "sym", path],
                             stdout=subprocess.PIPE, check=True).stdout
        capture = json.loads(out)["captures"][0]
        found = {row["symbol"]: row["samples"] for row in capture["rows"]}
        n = sum(found.get(name, 0) for name in SHARES)
        hits = 0
        for name, truth in SHARES.items():
            low, high = wilson(found.get(name, 0), n)
            inside[name] += low <= truth <= high
            hits += low <= truth <= high
        good += hits == len(SHARES)
    print("shares in their 95 %% interval, of %d runs: %s; all three %d" %
          (runs, ", ".join("%s %d" % item for item in inside.items()), good))


def main():
    assay = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "spin")
        with open(program + ".c", "w", encoding="ascii") as f:
            f.write(PROGRAM)
        subprocess.run(["gcc", "-O1", "-fno-omit-frame-pointer", "-o", program, program + ".c"], check=True)
        recorders(assay, folder, program)
        shares(assay, folder, program, int(sys.argv[2]) if len(sys.argv) > 2 else 100)


main()
