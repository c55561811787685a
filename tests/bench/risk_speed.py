#!/usr/bin/env python3
"""Speed of `assay risk` beside its parser, a usual tool, and its own second run.

  tests/bench/risk_speed.py build/assay build/tests/bench_c_parse

The kernel's net/ and Open vSwitch (tests/compare/trees.py). Goals: at most 1.3 times the
processor time of tree-sitter alone; Open vSwitch in less than a second from a warm
cache; 10 times the rate of lizard, where it is (ASSAY_LIZARD, or in PATH), as both are
started by default. Medians of three. Nothing is asserted: figures are for people.
"""
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "compare"))
import trees  # pylint: disable=wrong-import-position


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


def main():
    assay, bare = sys.argv[1:3]
    here, why = trees.trees()
    net = [t for t in here if os.path.exists(os.path.join(t, "packet", "af_packet.c"))]
    ovs = [t for t in here if os.path.exists(os.path.join(t, "ofproto", "ofproto-dpif-xlate.c"))]
    if not net or not ovs:
        print("not measured: " + ("; ".join(why) or "not both trees are in ASSAY_C_TREES"))
        return
    if "this build cannot" in subprocess.run([assay, "risk", __file__], stderr=subprocess.PIPE, text=True,
                                             stdout=subprocess.DEVNULL, check=False).stderr:
        print("not measured: this build has no tree-sitter")
        return
    files = sources(net[0])
    megabytes = sum(os.path.getsize(f) for f in files) / 1e6
    parse, _ = timed([bare, *files])
    cold, cold_wall = timed([assay, "risk", net[0], "-n", "1", "--no-cache"])
    print("net/, %.1f MB: tree-sitter alone %.2f s of processor time, assay risk %.2f s (%.2f times), %.2f s wall on %d cores"
          % (megabytes, parse, cold, cold / parse, cold_wall, os.cpu_count()))
    with tempfile.TemporaryDirectory() as cache:
        os.environ["XDG_CACHE_HOME"] = cache
        for name, tree in (("net/", net[0]), ("Open vSwitch", ovs[0])):
            first = timed([assay, "risk", tree, "-n", "1"], rounds=1)
            warm = timed([assay, "risk", tree, "-n", "1"], rounds=5)
            print("%s: %.2f s of processor time the first time, then %.2f s (%.2f s wall)" % (name, first[0], *warm))
            if name == "net/":
                warm_net = warm
    lizard = os.environ.get("ASSAY_LIZARD", "").split() or [shutil.which("lizard")]
    if not lizard[0]:
        print("lizard is not here")
        return
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as names:
        names.write("\n".join(files))
        names.flush()
        their, their_wall = timed([*lizard, "-i", "-1", "-l", "c", "-f", names.name], rounds=1)
    print("net/: lizard %.1f s (%.1f MB/s), %.1f s of processor time; assay %.1f and warm %.1f times its rate by the clock, "
          "%.1f and %.1f by processor time" % (their_wall, megabytes / their_wall, their, their_wall / cold_wall,
                                              their_wall / warm_net[1], their / cold, their / warm_net[0]))


if __name__ == "__main__":
    main()
