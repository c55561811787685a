#!/usr/bin/env python3
"""Cost of the confined reader: with it and with --no-sandbox, in turn.

  tests/bench/confined.py build/assay [FILE...]

Processor time of the command and all it starts (user + system), medians of 15 runs of
each, the two kinds interleaved so that what else runs meets both. Without FILE: a
small capture and a file of 64 MB of folded stacks.
"""
import os
import statistics
import sys
import tempfile

RUNS = 15
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def cost(words):
    """Milliseconds of processor time, by the kernel's count of this child."""
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.execv(words[0], words)
    _, status, used = os.wait4(pid, 0)
    if status:
        sys.exit("%s: status %d" % (" ".join(words), status))
    return 1e3 * (used.ru_utime + used.ru_stime)


def quartiles(v):
    q = statistics.quantiles(v, n=4)
    return "%.1f (%.1f to %.1f)" % (statistics.median(v), q[0], q[2])


def compare(assay, path):
    kinds = {"confined": [], "--no-sandbox": ["--no-sandbox"]}
    got = {kind: [] for kind in kinds}
    for n in range(RUNS + 1):
        for kind in kinds if n % 2 else reversed(kinds):
            ms = cost([assay, "report", *kinds[kind], path])
            if n:  # the first round warms up
                got[kind].append(ms)
    confined, free = (statistics.median(got[kind]) for kind in kinds)
    print("%s, %.1f MB: %s ms confined, %s ms without: %+.1f ms, %+.1f %%" %
          (os.path.basename(path), os.path.getsize(path) / 1e6, quartiles(got["confined"]),
           quartiles(got["--no-sandbox"]), confined - free, 100 * (confined - free) / free), flush=True)


def main():
    assay = os.path.abspath(sys.argv[1])
    if len(sys.argv) > 2:
        for path in sys.argv[2:]:
            compare(assay, path)
        return
    compare(assay, os.path.join(TOP, "samples", "udp_sendmsg.funcgraph.txt"))
    with tempfile.NamedTemporaryFile("w", suffix=".folded") as f:
        n = size = 0
        while size < 64e6:
            k = n * 7919 % 10007 # so many stacks
            line = "main;serve;parse_%d;call_%d;leaf_%d %d\n" % (k % 97, k % 1009, k, n % 13 + 1)
            size += f.write(line)
            n += 1
        f.flush()
        compare(assay, f.name)


main()
