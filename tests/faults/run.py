#!/usr/bin/env python3
"""Calls that fail in turn, over commands and inputs.

  tests/faults/run.py build/assay build/tests/libfaults.so [--each N] [--state FILE]

Each command runs once undisturbed, which tells where it allocates, reads, writes ...
and what it prints. Then it runs again and again, and each time another one of those
calls fails. Checked: no signal, no crash of the reader, no hang; status 0 only with the
output as it was or with a sentence about what is missing; else a sentence, the file of
-o as before, and nothing left beside it.

A place is a call and what called it, 32 frames up. One that is reached many times fails
at its first and at its last use (--uses N: at N of them, spread evenly; 0: at all), and
once more at its first with all calls of its kind after it. Memory that an earlier command
got at the same place is not tried again. --each N takes at most N
places of each call. --only COMMAND --key KEY shows the stack of a place. --state FILE keeps what was tried with this program and this
library: a run that was ended goes on there.
"""
import argparse
import collections
import gzip
import hashlib
import json
import lzma
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# in the order of enum fault_call in tests/preload/faults.c
CALLS = ["malloc", "calloc", "realloc", "aligned malloc", "read", "short read",
         "interrupted read", "pread", "short pread", "write", "short write",
         "interrupted write", "pwrite", "writev", "short writev", "mmap", "mremap",
         "rename", "link", "open", "openat", "fopen", "line", "opendir", "readdir",
         "fstat", "ftruncate", "fsync", "close", "fork", "pthread_create", "pipe2",
         "socketpair", "sendmsg", "interrupted sendmsg", "recvmsg", "interrupted recvmsg",
         "interrupted poll", "interrupted waitpid", "setrlimit", "perf_event_open", "stat",
         "dup", "mkdir", "fts_read", "fflush", "memfd_create", "ioctl", "signalfd", "epoll",
         "interrupted epoll_wait", "other order of equals"]
N_MEMORY = 4  # the first of them
STACKS = 1 << 16
HEAD_BYTES = 48
TEXT_BYTES = 8192
LASTING = CALLS[:N_MEMORY] + ["mmap", "mremap", "open", "fopen", "opendir", "pipe2", "write",
                              "pwrite", "writev", "openat", "ftruncate", "dup", "mkdir"]
NO_MORE = 2  # as `onwards`: nothing can be mapped any more
# what is on the stack where that is so, and what is said
CARELESS = [b"/libjson-c.so", b"/libtraceevent.so", b"/libgit2.so", b"(fts64_"]
SHORT = [b"crashed when it was refused memory", b" MiB of memory"]
ENDED = "ended by its own sentence about memory"
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
# of the whole run
MORE = [
    "calls tests/data/trace-dat/v7-zstd.dat",
    "report -g caller,0.5,callee --children -o out made.data",
    "convert --to perf-script -o out made.data",
    "convert --to folded --redact=key -o out small.folded",
    "convert --to chrome-trace -o out samples/udp_sendmsg.funcgraph.txt",
    "convert --to json -o out small.folded",
    "convert --to csv -o out small.folded",
    "html -o out samples/udp_sendmsg.funcgraph.txt",
    "html --diff -o out small.folded other.folded",
    "flame --diff -o out small.folded other.folded",
    "explain --sarif --risk src -o out small.folded",
    "report --risk src -o out small.folded",
    "risk --cache --threads 2 --json -o out src",
    "risk --cache --json -o out large",
    "XDG_CACHE_HOME=cached risk --cache --json -o out large",
    "risk --history -o out repository",
    "diff --json -o out small.folded other.folded",
    "small.folded other.folded small.pb.gz",
    "--version", "--limits", "--help", "report --help", "explain --list-rules",
    "report small.folded.xz",
    "report small.folded.zst",
    "info zstd.data",
    "explain --json -o out samples/consensus-io_uring.perf-report.txt",
    "calls --json -o out samples/udp_sendmsg.funcgraph.txt",
    "record -F 499 -o out -- ./work",
    "record -q -F 499 -o out -- ./work",
    "record -q -z -F 499 -o out -- ./work",
    "record -q --ring 10s -F 499 -o out -- ./work",
    "record -q --off-cpu -F 499 -o out -- ./work",
    "record -q -F 499 --call-graph dwarf -o out -- ./work",
    "top --once -d 100ms -- ./work",
    "top --once -d 100ms --json -- ./work",
]
# Commands whose output always differs.
LIVE = ("record ", "top ")
MISSING = [b"cannot be read", b"only a first part", b"could not be read",
           b"of which no symbols were found", b"no symbols", b"has no function name",
           b"end in a raw address", b"unreadable_files", b"in no git history"]


class Run:
    def __init__(self, assay, library, folder):
        self.assay, self.folder = assay, folder
        self.state = os.path.join(folder, ".faults")
        self.env = dict(os.environ, LD_PRELOAD=library, FAULTS=self.state, LC_ALL="C",
                        HOME=folder)
        self.env.pop("XDG_CACHE_HOME", None)
        with open(library, "rb") as f:
            # the program may be another machine's: its words are in the order of bytes of its ELF
            self.order = ">" if f.read(6)[5] == 2 else "<"

    def __call__(self, command, key=0, at=0, onwards=0, show=0, keep_out=False):
        """(status, stdout, stderr, file of -o, uses of places: {key: count}, stack shown)"""
        with open(self.state, "wb") as f:
            f.write(struct.pack(self.order + "6Q", key, at, onwards, show, 0, 0))
            f.truncate(HEAD_BYTES + 16 * STACKS + TEXT_BYTES)
        if not keep_out:
            self.clean()
        words = command.split()
        env = self.env
        if words and words[0].startswith("XDG_CACHE_HOME="):
            env = dict(env, XDG_CACHE_HOME=os.path.join(self.folder, words.pop(0)[15:]))
        if "-o" in words:
            words.insert(1, "--force")  # "before" is no output of any kind
        with open(os.path.join(self.folder, "small.folded"), "rb") as stdin:
            try:
                done = subprocess.run([self.assay, *words], cwd=self.folder, env=env,
                                      stdin=stdin, capture_output=True, timeout=60,
                                      check=False)
            except subprocess.TimeoutExpired:
                return "hangs", b"", b"", b"", {}, b""
        with open(self.state, "rb") as f:
            f.seek(HEAD_BYTES)
            pairs = struct.iter_unpack(self.order + "2Q", f.read(16 * STACKS))
            stacks = {} if at else {k: n for k, n in pairs if k}
            stack = f.read().rstrip(b"\0")
        try:
            with open(os.path.join(self.folder, "out"), "rb") as f:
                out = f.read()
        except FileNotFoundError:
            out = b""
        return done.returncode, done.stdout, done.stderr, out, stacks, stack

    def clean(self):
        for name in os.listdir(self.folder):
            if name.startswith("out."):
                os.remove(os.path.join(self.folder, name))
        shutil.rmtree(os.path.join(self.folder, ".cache"), ignore_errors=True)
        with open(os.path.join(self.folder, "out"), "w", encoding="ascii") as f:
            f.write("before")

    def old(self):
        try:
            with open(os.path.join(self.folder, "out.old"), encoding="utf-8") as f:
                return f.read()
        except (FileNotFoundError, UnicodeDecodeError):
            return ""


def inputs(run, folder):
    with open(os.path.join(folder, "small.folded"), "w", encoding="ascii") as f:
        f.writelines("main;work;f%d;g%d %d\n" % (i % 7, i % 11, i + 1) for i in range(60))
    with open(os.path.join(folder, "other.folded"), "w", encoding="ascii") as f:
        f.writelines("main;work;f%d;g%d %d\n" % (i % 5, i % 11, 3 * i + 1) for i in range(60))
    with open(os.path.join(folder, "key"), "w", encoding="ascii") as f:
        f.write("k" * 64)
    with open(os.path.join(folder, "work"), "w", encoding="ascii") as f:
        f.write("#!/bin/sh\ni=0\nwhile [ $i -lt 20000 ]; do i=$((i+1)); done\n")
    os.chmod(os.path.join(folder, "work"), 0o700)
    with open(os.path.join(folder, "small.folded"), "rb") as f:
        with gzip.open(os.path.join(folder, "small.folded.gz"), "wb") as g:
            g.write(f.read())
    with open(os.path.join(folder, "small.folded"), "rb") as f:
        plain = f.read()
    # one frame of zstd with one block as it is
    with open(os.path.join(folder, "small.folded.zst"), "wb") as f:
        f.write(struct.pack("<IBHI", 0xfd2fb528, 0x60, len(plain) - 256, 1 | len(plain) << 3)[:-1])
        f.write(plain)
    with open(os.path.join(folder, "small.folded"), "rb") as f:
        with lzma.open(os.path.join(folder, "small.folded.xz"), "wb") as g:
            g.write(f.read())
    os.symlink(os.path.join(TOP, "samples"), os.path.join(folder, "samples"))
    os.symlink(os.path.join(TOP, "tests"), os.path.join(folder, "tests"))
    for name in ("src", "repository"):
        os.mkdir(os.path.join(folder, name))
        for source in ("str.c", "out.c"):
            shutil.copy(os.path.join(TOP, "src/base", source), os.path.join(folder, name))
    # worth to be kept from one run to the next
    os.mkdir(os.path.join(folder, "large"))
    for i in range(4):
        with open(os.path.join(folder, "large", "%d.c" % i), "w", encoding="ascii") as f:
            f.writelines("int f%d_%d(int a)\n{\n\treturn a > %d ? a : f%d_%d(a + 1);\n}\n\n"
                         % (i, j, j, i, j) for j in range(50))
            f.write("/* %s */\n" % ("x" * (1 << 16)))
    run("XDG_CACHE_HOME=cached risk --cache --json large")
    git = ["git", "-C", os.path.join(folder, "repository"), "-c", "user.name=a",
           "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run(git + words, check=True)
    for to, name in (("pprof", "small.pb.gz"), ("speedscope", "small.speedscope.json")):
        subprocess.run([run.assay, "convert", "--to", to, "-o", name, "small.folded"],
                       cwd=folder, check=True)
    shutil.copy(os.path.join(TOP, "tests/fuzz/corpus/perf_data/two-events-dwarf"),
                os.path.join(folder, "made.data"))
    shutil.copy(os.path.join(TOP, "tests/fuzz/corpus/perf_data/zstd"),
                os.path.join(folder, "zstd.data"))


def seeds(run, folder):
    """One file for each reader: the largest seed of its fuzz target that is one input."""
    corpus = os.path.join(TOP, "tests/fuzz/corpus")
    found = []
    for kind in sorted(os.listdir(corpus)):
        name = "a." + kind
        paths = [os.path.join(corpus, kind, n) for n in os.listdir(os.path.join(corpus, kind))]
        # those with speaking names were made by hand
        paths.sort(key=lambda p: (len(os.path.basename(p)) == 40, -os.path.getsize(p), p))
        for path in paths if kind not in ("c_source", "document", "elf", "load") else []:
            shutil.copy(path, os.path.join(folder, name))
            done = subprocess.run([run.assay, name], cwd=folder, capture_output=True, check=False)
            if done.returncode == 0:
                found.append(name)
                break
    return found


def missing(page):
    return {line for line in page.splitlines() if any(word in line for word in MISSING)}


def shape(page):
    """Contents of a page that always differs; None if it is incomplete."""
    if not page.startswith(b"{"):
        return page.count(b"%") > 1
    try:
        return sorted(json.loads(page))
    except ValueError:
        return None


def sentences(stderr):
    """The message, without its numbers."""
    return {re.sub(rb"[0-9.]+", b"0", line) for line in stderr.splitlines()
            if line.startswith(b"assay: ")}


def wrong_live(run, command, call, was, now):
    """The same for output that always differs: the new file is complete, or the old one is unchanged."""
    status, stdout, stderr, out = now[:4]
    if CALLS[call].startswith(("short", "interrupted")) and status != was[0]:
        return "it is not taken up again"
    if status != was[0] and not any(line.startswith(b"assay: ") for line in stderr.splitlines()):
        return "status %d in silence" % status
    if status == was[0]:
        # the status of 'record' is the command's
        has_word = command.startswith("record ") and sentences(stderr) - sentences(was[2])
        if was[1] and shape(stdout) != shape(was[1]) and not has_word:
            return "status %d and another page: %s" % (status, stdout[:200])
        if was[3] != b"before":
            whole = run("info out", keep_out=True)
            if whole[0] != 0:
                return "status %d and a file that cannot be read: %s" % (status, whole[2])
    elif out != b"before" and "before" != run.old():
        return "what was there is gone"
    return None


def is_short(run, command, call, one):
    """
    Some libraries do not look whether they got memory, and crash later or leave something
    out. That is told where there is no more to have; here there was, for all calls but one.
    """
    key, at, _ = one
    if call >= N_MEMORY:
        return False
    now = run(command, key, at, NO_MORE, show=1)
    return any(name in now[5] for name in CARELESS) and any(words in now[2] for words in SHORT)


def without(run, command, stderr):
    """Contents of the file of -o without the failed input."""
    words = command.split()
    for word in words[1:]:
        if b"assay: %s: " % word.encode() in stderr and word != "out":
            return run(" ".join(w for w in words if w != word))[3]
    return None


def wrong(run, command, call, one, was, now):
    """The violated promise; None if the outcome is right."""
    status, stdout, stderr, out = now[:4]
    if status == "hangs":
        return "hangs"
    if status < 0:
        return "signal %d" % -status
    if b"crashed (signal" in stderr and not is_short(run, command, call, one):
        return "the reader crashed"
    # a recording that cannot get its name is kept, with a message
    left = [n for n in os.listdir(run.folder) if n.startswith("out.") and n != "out.old"
            and not (command.startswith("record ") and b"is in " + n.encode() in stderr)]
    if left:
        return "leaves %s behind" % left
    if command.startswith(LIVE):
        return wrong_live(run, command, call, was, now)
    same = status == was[0] and stdout == was[1] and out == was[3]
    if CALLS[call].startswith(("short", "interrupted", "other")):
        return None if same and stderr == was[2] else "the output is another"
    if same or (status == was[0] and stderr != was[2] and b"assay: " in stderr):
        return None
    # the page counts missing data
    if status == was[0] and missing(stdout + out) - missing(was[1] + was[3]):
        return None
    if status == was[0] and is_short(run, command, call, one):
        return None
    if status == was[0]:
        return "other output with status %d and no word" % status
    if not any(line.startswith(b"assay: ") for line in stderr.splitlines()):
        return "status %d in silence" % status
    # of several inputs the others are in it
    if out not in (b"before", was[3]) and (status == 0 or out != without(run, command, stderr)):
        return "a partial file of -o"
    return None


def spread(n, most):
    """At most MOST of 1 ... N."""
    if not most or n <= most:
        return range(1, n + 1)
    return sorted({1 + i * (n - 1) // max(1, most - 1) for i in range(most)})


def tries(stacks, each, uses):
    """(call, key, at, onwards) of all that is to fail."""
    by_call = collections.defaultdict(list)
    for key in sorted(stacks):
        by_call[key & 255].append(key)
    for call, keys in sorted(by_call.items()):
        for i in spread(len(keys), each):
            key = keys[i - 1]
            for at in spread(stacks[key], uses):
                yield call, key, at, 0
            # lasting conditions: exhausted memory, descriptors and disk space
            if not each and CALLS[call] in LASTING:
                yield call, key, 1, 1


class State:
    """Write all tries and their results to a file."""

    def __init__(self, path, parts):
        self.done, self.file = {}, None
        if not path:
            return
        digest = hashlib.sha256()
        for part in parts:
            with open(part, "rb") as f:
                digest.update(f.read())
        self.name = digest.hexdigest()[:16]
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                for line in f:
                    words = line.rstrip("\n").split("\t")
                    if len(words) == 4 and words[0] == self.name:
                        self.done[words[1], words[2]] = words[3]
        self.file = open(path, "a", encoding="utf-8")

    def keep(self, command, one, what):
        if self.file:
            self.file.write("%s\t%s\t%s\t%s\n" % (self.name, command, one,
                                                  (what or "").replace("\n", " ").replace("\t", " ")))
            self.file.flush()


def try_command(run, command, args, state, known, total):
    """(number of faults, errors), or None: not in this build."""
    was = run(command)
    if args.key:
        now = run(command, int(args.key, 16), 1, show=1)
        print("status %s\n%s%s" % (now[0], now[5].decode(), now[2].decode(errors="replace")))
        return 1, []
    if b"this build" in was[2]:
        return None
    bad = []
    ended = set()
    n = 0
    if was[0] not in (0, 3):
        bad.append("undisturbed: status %s: %s" % (was[0], was[2]))
    if not was[4]:
        bad.append("nothing was counted: is the library preloaded?")
    for call, key, at, onwards in tries(was[4], args.each, args.uses):
        if call < N_MEMORY and not args.each and known.setdefault(key, command) != command:
            continue
        if args.calls and CALLS[call] not in args.calls.split(","):
            continue
        # it ended there: nothing comes after it
        if onwards and key in ended:
            continue
        one = "%x %d %d" % (key, at, onwards)
        what = state.done.get((command, one))
        if what is None:
            now = run(command, key, at, onwards)
            what = wrong(run, command, call, (key, at, onwards), was, now)
            if what:
                what += ": " + now[2].decode(errors="replace")[:200]
            elif b"of memory" in now[2]:
                what = ENDED
            state.keep(command, one, what)
        n += 1
        total[CALLS[call]] += 1
        if what == ENDED:
            ended.add(key)
        elif what:
            bad.append("%s %x, %d of %d%s: %s" % (CALLS[call], key, at, was[4][key],
                                                  " and on" if onwards else "", what))
        if sum("hangs" in line for line in bad) > 3:
            break
    return n, bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("assay")
    parser.add_argument("library")
    parser.add_argument("--each", type=int, default=0)
    parser.add_argument("--uses", type=int, default=2)
    parser.add_argument("--state")
    parser.add_argument("--only", help="commands that hold this text")
    parser.add_argument("--key", help="one place as it is told, and its stack")
    parser.add_argument("--calls", help="only these, by comma")
    args = parser.parse_args()
    n_bad = 0
    known = {}
    total = collections.Counter()
    assay, library = os.path.abspath(args.assay), os.path.abspath(args.library)
    state = State(args.state, (assay, library))
    with tempfile.TemporaryDirectory() as folder:
        run = Run(assay, library, folder)
        inputs(run, folder)
        commands = COMMANDS if args.each else COMMANDS + MORE + seeds(run, folder)
        commands = [c for c in commands if not args.only or args.only in c]
        print("1..%d" % len(commands), flush=True)
        for number, command in enumerate(commands, 1):
            tried = try_command(run, command, args, state, known, total)
            if tried is None:
                print("ok %d - %s # SKIP not in this build" % (number, command), flush=True)
                continue
            n, bad = tried
            print("%sok %d - %s: %d faults" % ("not " if bad else "", number, command, n),
                  flush=True)
            for line in bad[:40]:
                print("#   " + line)
            n_bad += bool(bad)
    print("# " + ", ".join("%s %d" % one for one in total.items()))
    return 1 if n_bad else 0


if __name__ == "__main__":
    sys.exit(main())
