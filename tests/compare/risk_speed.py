#!/usr/bin/env python3
"""Speed of `assay risk` compared with its parser, a usual tool, and its own second run.

  tests/compare/risk_speed.py build/assay build/tests/bench_c_parse

The kernel's net/ (see trees.py) must take at most 1.3 times the processor time of
tree-sitter alone, and Open vSwitch less than a second from a warm cache. lizard is
measured where it is (ASSAY_LIZARD, or in PATH): 10 times its rate, as both are started
by default. Medians of three. TAP.
"""
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import trees

TIMES_BARE, TIMES_LIZARD, WARM_SECONDS = 1.3, 10, 1.0


def sources(folder):
    found = []
    for top, folders, files in os.walk(folder):
        folders[:] = [f for f in folders if not f.startswith(".")]
        found += [os.path.join(top, f) for f in files if f.endswith((".c", ".h"))]
    return sorted(found)


def timed(command, rounds=3, text=None):
    """Medians of processor and wall seconds."""
    cpu, wall = [], []
    for _ in range(rounds):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, input=text,
                       text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        wall.append(time.monotonic() - start)
        cpu.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(cpu), statistics.median(wall)


def verdict(number, good, what):
    print("%sok %d - %s" % ("" if good else "not ", number, what))
    return not good


def main():
    assay, bare = sys.argv[1:3]
    here, why = trees.trees()
    net = [t for t in here if os.path.exists(os.path.join(t, "packet", "af_packet.c"))]
    ovs = [t for t in here if os.path.exists(os.path.join(t, "ofproto", "ofproto-dpif-xlate.c"))]
    if not net or not ovs:
        print("1..0 # SKIP " + ("; ".join(why) or "not both trees are in ASSAY_C_TREES"))
        return 0
    if "this build cannot" in subprocess.run([assay, "risk", __file__], stderr=subprocess.PIPE, text=True,
                                             stdout=subprocess.DEVNULL, check=False).stderr:
        print("1..0 # SKIP this build has no tree-sitter")
        return 0
    files = sources(net[0])
    megabytes = sum(os.path.getsize(f) for f in files) / 1e6
    print("1..3")
    parse, _ = timed([bare, *files])
    cold, cold_wall = timed([assay, "risk", net[0], "-n", "1", "--no-cache"])
    print("# net/, %.1f MB: tree-sitter alone %.2f s of processor time, assay risk %.2f s (%.2f times), %.2f s wall on %d cores"
          % (megabytes, parse, cold, cold / parse, cold_wall, os.cpu_count()))
    bad = verdict(1, cold <= TIMES_BARE * parse, "net/ within %.1f times the parser's time" % TIMES_BARE)
    with tempfile.TemporaryDirectory() as cache:
        os.environ["XDG_CACHE_HOME"] = cache
        for name, tree in (("net/", net[0]), ("Open vSwitch", ovs[0])):
            first = timed([assay, "risk", tree, "-n", "1"], rounds=1)
            warm = timed([assay, "risk", tree, "-n", "1"], rounds=5)
            print("# %s: %.2f s of processor time the first time, then %.2f s (%.2f s wall)" % (name, first[0], *warm))
            if name == "net/":
                warm_net = warm
    bad += verdict(2, warm[0] < WARM_SECONDS, "Open vSwitch from a warm cache in less than %.0f s" % WARM_SECONDS)
    lizard = os.environ.get("ASSAY_LIZARD", "").split() or [shutil.which("lizard")]
    if not lizard[0]:
        print("ok 3 - beside lizard # SKIP it is not here")
        return 1 if bad else 0
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as names:
        names.write("\n".join(files))
        names.flush()
        their, their_wall = timed([*lizard, "-i", "-1", "-l", "c", "-f", names.name], rounds=1)
    print("# net/: lizard %.1f s (%.1f MB/s), %.1f s of processor time; assay %.1f and warm %.1f times its rate by the clock, "
          "%.1f and %.1f by processor time" % (their_wall, megabytes / their_wall, their, their_wall / cold_wall,
                                              their_wall / warm_net[1], their / cold, their / warm_net[0]))
    bad += verdict(3, their_wall >= TIMES_LIZARD * warm_net[1], "%d times lizard's rate, from a warm cache" % TIMES_LIZARD)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
