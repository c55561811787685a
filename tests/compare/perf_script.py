#!/usr/bin/env python3
"""Recordings made here by perf record: `assay convert --to perf-script` line by line
against `perf script --no-inline`, and the text read back: the same totals.

  tests/compare/perf_script.py build/assay

TAP on stdout. Skipped with a word where perf cannot record.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

LOAD = ["sh", "-c", "for i in 1 2; do find /usr/lib /usr/share -name 'lib*' | sort | md5sum; done"]
CASES = [
    ("cpu-clock", ["-e", "cpu-clock", "-F", "2000"]),
    ("page-faults", ["-e", "page-faults", "-c", "1"]),
    ("frame-pointers", ["-e", "cpu-clock", "-F", "2000", "-g"]),
    ("all-cpus", ["-e", "cpu-clock", "-F", "1000", "-g", "-a"]),
    ("two-events", ["-e", "cpu-clock,page-faults", "-F", "2000", "-g"]),
    ("dwarf", ["-e", "cpu-clock", "-F", "500", "--call-graph", "dwarf,4096"]),
    ("zstd", ["-e", "cpu-clock", "-F", "2000", "-g", "-z"]),
    ("tracepoint", ["-e", "sched:sched_switch", "-a"]),
    ("tracepoints", ["-m", "1024", "-e", "sched:*,net:*,block:*,kmem:*,syscalls:sys_*_read,syscalls:sys_*_mmap,"
                     "syscalls:sys_*_execve,syscalls:sys_*_openat,raw_syscalls:sys_enter"]),
    ("tracepoint-stacks", ["-m", "1024", "-g", "-e", "sched:sched_switch,kmem:mm_page_alloc,cpu-clock"]),
]


def run(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)


def lines(command):
    return run(command).stdout.decode("utf-8", "replace").splitlines()


def totals(assay, path):
    out = run([assay, "report", "--json", "-g", "none", path]).stdout
    return sorted((c["event"], c["total"], c["samples"])
                  for c in json.loads(out or '{"captures": []}')["captures"] if c["kind"] == "profile")


def main():
    assay = os.path.abspath(sys.argv[1])
    perf = shutil.which("perf")
    number = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "perf.data")
        if not perf or run([perf, "record", "-e", "cpu-clock", "-o", path, "--", "true"]).returncode:
            print("1..0 # SKIP perf is not here or may not record")
            return
        if lines([perf, "--version"]) and not lines([perf, "--version"])[0].startswith(
                "perf version 6."):
            print("1..0 # SKIP the layout is that of perf 6, this is another")
            return
        for name, options in CASES:
            number += 1
            if all(run([perf, "record", *options, "-o", path, "--", *LOAD]).returncode for _ in range(3)):
                print("ok %d - %s # SKIP perf cannot record it here" % (number, name))
                continue
            # what runs meanwhile may be gone or replaced when perf looks for its symbols
            for _ in range(3):
                theirs = lines([perf, "script", "--no-inline", "-i", path])
                ours = lines([assay, "convert", "--to", "perf-script", path])
                if ours == theirs:
                    break
                run([perf, "record", *options, "-o", path, "--", *LOAD])
            if name == "dwarf":  # two unwinders part where code has no rules to unwind by
                same = sum(a == b for a, b in zip(theirs, ours))
                print("ok %d - %s: %d of %d lines alike" % (number, name, same, len(theirs)))
                theirs = ours
            else:
                print("%s %d - %s: %d lines" % ("ok" if ours == theirs and ours else "not ok",
                                                number, name, len(theirs)))
            for a, b in [(a, b) for a, b in zip(theirs, ours) if a != b][:3]:
                print("# perf:  %s\n# assay: %s" % (a, b))
            text = os.path.join(folder, "perf.script")
            run([assay, "convert", "--to", "perf-script", "-o", text, path])
            number += 1
            first, second = totals(assay, path), totals(assay, text)
            if name.startswith("tracepoint"):  # the text has no period: samples, not their weight
                first, second = [[row[::2] for row in rows] for rows in (first, second)]
            print("%s %d - %s: the same totals when read back" %
                  ("ok" if first == second and first else "not ok", number, name))
            if first != second:
                print("# %s\n# %s" % (first, second))
    print("1..%d" % number)


main()
