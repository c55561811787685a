#!/usr/bin/env python3
"""Calls that fail in turn, over commands and inputs.

  tests/faults/run.py build/assay build/tests/libfaults.so [--each N]

Each command runs once undisturbed, which tells how often it allocates, reads,
writes ... and what it prints. Then it runs again and again, and each time another
one of those calls fails. Checked: no signal, no crash of the reader, no hang; status
0 only with the output as it was or with a sentence about what is missing; else a
sentence, the file of -o as before, and nothing left beside it. --each N takes at most N
places of each call, spread evenly (0: all of them).
"""
import argparse
import collections
import gzip
import os
import shutil
import struct
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# in the order of enum fault_call in tests/preload/faults.c
CALLS = ["malloc", "calloc", "realloc", "read", "pread", "write", "short write", "mmap",
         "mremap", "rename", "open", "fsync", "fork", "socketpair", "sendmsg", "recvmsg"]
COMMANDS = [
    "report -o out small.folded",
    "samples/consensus-io_uring.perf-report.txt",
    "report --json -o out samples/ovsdb-raft-mail.txt",
    "explain samples/ovsdb-raft-mail.txt",
    "calls samples/udp_sendmsg.funcgraph.txt",
    "report --csv small.folded.gz",
    "report -",
    "flame -o out small.folded",
    "html -o out small.folded",
    "convert --to pprof -o out small.folded",
    "convert --to speedscope small.folded",
    "convert --to firefox small.folded",
    "report small.pb.gz",
    "report small.speedscope.json",
    "diff small.folded other.folded",
    "calls tests/data/trace-dat/v6.dat",
    "info made.data",
    "report -o out made.data",
    "risk --no-cache src",
    "info --json samples/af_packet.metrics.txt",
]


MISSING = [b"cannot be read", b"only a first part", b"could not be read", b"of which no symbols were found", b"no symbols",
           b"has no function name", b"end in a raw address"]


class Run:
    def __init__(self, assay, library, folder):
        self.assay, self.folder = assay, folder
        self.state = os.path.join(folder, ".faults")
        self.env = dict(os.environ, LD_PRELOAD=library, FAULTS=self.state, LC_ALL="C",
                        HOME=folder)
        self.env.pop("XDG_CACHE_HOME", None)

    def __call__(self, command, call=0, at=0):
        """(status, stdout, stderr, file of -o, how often each call was used)"""
        with open(self.state, "wb") as f:
            f.write(struct.pack("QQ%dQ" % len(CALLS), call, at, *[0] * len(CALLS)))
        with open(os.path.join(self.folder, "out"), "w", encoding="ascii") as f:
            f.write("before")
        with open(os.path.join(self.folder, "small.folded"), "rb") as stdin:
            try:
                done = subprocess.run([self.assay, *command.split()], cwd=self.folder,
                                      env=self.env, stdin=stdin, capture_output=True,
                                      timeout=30, check=False)
            except subprocess.TimeoutExpired:
                return "hangs", b"", b"", b"", []
        with open(self.state, "rb") as f:
            used = struct.unpack("QQ%dQ" % len(CALLS), f.read())[2:]
        with open(os.path.join(self.folder, "out"), "rb") as f:
            out = f.read()
        return done.returncode, done.stdout, done.stderr, out, used


def inputs(run, folder):
    with open(os.path.join(folder, "small.folded"), "w", encoding="ascii") as f:
        f.writelines("main;work;f%d;g%d %d\n" % (i % 7, i % 11, i + 1) for i in range(60))
    with open(os.path.join(folder, "other.folded"), "w", encoding="ascii") as f:
        f.writelines("main;work;f%d;g%d %d\n" % (i % 5, i % 11, 3 * i + 1) for i in range(60))
    with open(os.path.join(folder, "small.folded"), "rb") as f:
        with gzip.open(os.path.join(folder, "small.folded.gz"), "wb") as g:
            g.write(f.read())
    os.symlink(os.path.join(TOP, "samples"), os.path.join(folder, "samples"))
    os.symlink(os.path.join(TOP, "tests"), os.path.join(folder, "tests"))
    os.mkdir(os.path.join(folder, "src"))
    for name in ("str.c", "out.c"):
        shutil.copy(os.path.join(TOP, "src/base", name), os.path.join(folder, "src"))
    for to, name in (("pprof", "small.pb.gz"), ("speedscope", "small.speedscope.json")):
        subprocess.run([run.assay, "convert", "--to", to, "-o", name, "small.folded"],
                       cwd=folder, check=True)
    corpus = os.path.join(TOP, "tests/fuzz/corpus/perf_data")
    largest = max((os.path.join(corpus, n) for n in os.listdir(corpus)), key=os.path.getsize)
    shutil.copy(largest, os.path.join(folder, "made.data"))


def missing(page):
    return {line for line in page.splitlines() if any(word in line for word in MISSING)}


def wrong(command, call, was, now, folder):
    """What the outcome breaks; None if it is as it should be."""
    status, stdout, stderr, out, _ = now
    if status == "hangs":
        return "hangs"
    if status < 0:
        return "signal %d" % -status
    if b"crashed (signal" in stderr:
        return "the reader crashed"
    left = [n for n in os.listdir(folder) if n.startswith("out.")]
    if left:
        for name in left:
            os.remove(os.path.join(folder, name))
        return "leaves %s behind" % left
    same = status == was[0] and stdout == was[1] and out == was[3]
    if same or (status == was[0] and stderr != was[2] and stderr.startswith(b"assay: ")):
        return None
    # what is missing is counted on the page
    if status == was[0] and missing(stdout + out) - missing(was[1] + was[3]):
        return None
    # libtraceevent forgets a function and does not say so
    if "trace-dat" in command and CALLS[call].endswith("alloc") and status == was[0]:
        return None
    if status == was[0] and stdout + out != was[1] + was[3]:
        return "other output with status %d and no word" % status
    if status == was[0]:
        return None
    if not any(line.startswith(b"assay: ") for line in stderr.splitlines()):
        return "status %d in silence" % status
    if out not in (b"before", was[3]):
        return "a partial file of -o"
    return None


def places(n, each):
    if not each or n <= each:
        return range(1, n + 1)
    return sorted({1 + i * (n - 1) // (each - 1) for i in range(each)})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("assay")
    parser.add_argument("library")
    parser.add_argument("--each", type=int, default=0)
    parser.add_argument("--only", help="commands that hold this text")
    args = parser.parse_args()
    print("1..%d" % len(COMMANDS))
    n_bad = 0
    total = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        run = Run(os.path.abspath(args.assay), os.path.abspath(args.library), folder)
        inputs(run, folder)
        for number, command in enumerate(COMMANDS, 1):
            if args.only and args.only not in command:
                continue
            was = run(command)
            bad = []
            n = 0
            if b"this build" in was[2]:
                print("ok %d - %s # SKIP not in this build" % (number, command))
                continue
            if was[0] not in (0, 3):
                bad.append("undisturbed: status %s: %s" % (was[0], was[2]))
            if not sum(was[4]):
                bad.append("nothing was counted: is the library preloaded?")
            for call, used in enumerate(was[4]):
                for at in places(used, args.each):
                    now = run(command, call, at)
                    if now[0] == "hangs" and len(bad) > 3:
                        break
                    n += 1
                    total[CALLS[call]] += 1
                    what = wrong(command, call, was, now, folder)
                    if what:
                        bad.append("%s %d of %d: %s%s" % (CALLS[call], at, used, what,
                                                          ": " + now[2].decode(errors="replace")[:200]
                                                          if now[2] else ""))
            print("%sok %d - %s: %d faults" % ("not " if bad else "", number, command, n),
                  flush=True)
            for line in bad[:12]:
                print("#   " + line)
            n_bad += bool(bad)
    print("# " + ", ".join("%s %d" % one for one in total.items()))
    return 1 if n_bad else 0


if __name__ == "__main__":
    sys.exit(main())
