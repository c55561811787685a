#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Is the cause in the text? Recordings of planted faults, as three texts of one size, to be read blind.

  tests/bench/brief.py build/assay FOLDER [--tokens 4000] [--only NAME,...]

Each case is recorded once, then written as `assay brief`, as `perf report --stdio` and as
`perf script`, all cut to the same number of bytes. FOLDER/blind gets one file a text; its name
says nothing. FOLDER/key.json says which is which, what is planted, and what counts as right.
Readers answer with {file: {"function": ..., "kind": ..., "sure": ...}}; docs/benchmark.md has
their instructions and the results. Cases that this machine cannot record are named.
"""
import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
BYTES_PER_TOKEN = 3.5

# name: (FAULT of brief_server.c, threads, by wall clock, function, what is planted)
SERVER = {
    "linear-search": (1, 4, False, "session_find", "a linear search through all sessions for each request"),
    "bad-hash": (2, 4, False, "session_find / session_hash", "a hash that is the length: all names in few buckets"),
    "sort-per-request": (3, 4, False, "session_rank", "a table is sorted for each request"),
    "tiny-allocations": (4, 4, False, "field_keep", "an allocation for each byte of a field"),
    "regex-compiled": (5, 4, False, "request_check", "a regular expression is compiled for each request"),
    "stat-per-request": (6, 4, False, "config_reload", "a missing file is looked up 20 times a request"),
    "quadratic-append": (7, 4, False, "reply_append", "strcat in a loop: each append walks the whole string"),
    "map-per-request": (8, 4, False, "reply_send", "a fresh mapping of 4 MB a request: page faults, unmap"),
    "small-writes": (9, 4, False, "reply_send", "64 writes of one byte a request"),
    "fsync": (10, 4, True, "reply_send", "fsync for each request: the disk is waited for"),
    "checksum": (11, 4, False, "reply_checksum", "the checksum is computed 400 times: computation"),
    "recursion": (12, 4, False, "rule_cost (access_check)", "an exponential recursion"),
    "cache-misses": (13, 4, False, "index_touch", "random accesses to 64 MB: memory latency"),
    "sleep-in-lock": (14, 4, True, "session_update", "2 ms of sleep with the session lock held"),
    "lock-contention": (15, 4, True, "stats_add", "formatting with the lock of the statistics held"),
    "false-sharing": (16, 2, False, "stats_add", "counters of two threads in one cache line"),
    "fork-per-request": (17, 4, True, "helper_run", "a process is forked and waited for for each request"),
    "busy-poll": (18, 4, False, "queue_wait", "poll with timeout 0 in a loop"),
    "imbalance": (19, 4, True, "round_finish", "one thread has 100 times the work; the others wait at a barrier"),
    "one-cpu": (20, 4, True, "(none)", "four threads are bound to one CPU: they wait for it"),
    "healthy": (0, 4, False, "", "nothing is planted"),
}
# name: (source below labs/, arguments, function, what is planted)
LABS = {
    "lab-quadratic": ("quadratic/quadratic.c", ["list", "20000"], "registry_find (registry_add)",
                      "each new name is compared with all"),
    "lab-lock": ("lock/lock.c", ["shared", "4", "60000000"], "count_shared",
                 "one lock around a table that all threads share"),
    "lab-false-sharing": ("false-sharing/false_sharing.c", ["packed", "2", "400000000"], "counter_add (counting_main)",
                          "counters of two threads in one cache line"),
}


def build(source, program):
    subprocess.run(["gcc", "-O1", "-g", "-fno-omit-frame-pointer", "-I", os.path.join(TOP, "labs"), "-o", program,
                    source, "-pthread"], check=True)


def record(assay, folder, command, fault, by_wall):
    """The recording, or None and why not."""
    path = os.path.join(folder, "recording.data")
    if os.path.exists(path):
        os.unlink(path)
    if by_wall:
        words = [assay, "record", "-q", "--wall", "-o", path, "--"] + command
    else:
        words = ["perf", "record", "-q", "--call-graph", "dwarf", "-F", "999", "-o", path, "--"] + command
    done = subprocess.run(words, cwd=folder, env=dict(os.environ, FAULT=str(fault)), stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, check=False)
    if not os.path.exists(path) or os.path.getsize(path) < 4096:
        return None, done.stderr.decode("utf-8", "replace").strip()[-200:]
    return path, ""


def texts(assay, path, tokens):
    """The three texts, each in the budget."""
    limit = int(tokens * BYTES_PER_TOKEN)
    folder, name = os.path.split(path)
    commands = {
        "brief": [assay, "brief", "--tokens", str(tokens), name],
        "report": ["perf", "report", "--stdio", "-i", name],
        "script": ["perf", "script", "-i", name],
    }
    ret = {}
    for kind, words in commands.items():
        # perf script of a large recording is far longer than what is kept
        with subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            text = process.stdout.read(limit)
            process.stdout.close()
            process.wait()
        ret[kind] = text.decode("utf-8", "replace").encode()[:limit]
    return ret


def cases(folder, seconds):
    """name, command, fault, by the wall clock, function, what is planted."""
    server = os.path.join(folder, "server")
    build(os.path.join(HERE, "brief_server.c"), server)
    for name, (fault, threads, by_wall, function, planted) in SERVER.items():
        yield name, ["./server", str(threads), str(seconds)], fault, by_wall, function, planted
    for name, (source, args, function, planted) in LABS.items():
        program = os.path.basename(source)[:-2]
        build(os.path.join(TOP, "labs", source), os.path.join(folder, program))
        yield name, ["./" + program] + args, 0, False, function, planted


def named(key, folder):
    """By kind of text: in how many the planted function occurs, by name alone."""
    counts = {}
    for file, about in key.items():
        names = [n for n in re.findall(r"[a-z]+_[a-z_]+", about["function"])]
        if not names:
            continue
        with open(os.path.join(folder, file), encoding="utf-8") as f:
            text = f.read()
        row = counts.setdefault(about["text"], [0, 0])
        row[0] += any(re.search(r"\b%s\b" % n, text) for n in names)
        row[1] += 1
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("assay")
    parser.add_argument("folder")
    parser.add_argument("--tokens", type=int, default=4000)
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--seed", type=int, default=None, help="of the names of files")
    parser.add_argument("--only", default="", help="these cases")
    options = parser.parse_args()
    assay = os.path.abspath(options.assay)
    rng = random.Random(options.seed)
    work = os.path.join(options.folder, "work")
    blind = os.path.join(options.folder, "blind")
    shutil.rmtree(blind, ignore_errors=True)
    os.makedirs(work, exist_ok=True)
    os.makedirs(blind)
    key, wanted, n = {}, set(filter(None, options.only.split(","))), 0
    for name, command, fault, by_wall, function, planted in cases(work, options.seconds):
        if wanted and name not in wanted:
            continue
        path, why = record(assay, work, command, fault, by_wall)
        if not path:
            print("not recorded: %s: %s" % (name, why))
            continue
        n += 1
        for kind, text in texts(assay, path, options.tokens).items():
            file = "%08x.txt" % rng.getrandbits(32)
            with open(os.path.join(blind, file), "wb") as f:
                f.write(text)
            key[file] = {"case": name, "text": kind, "function": function, "planted": planted, "bytes": len(text),
                         "recording_bytes": os.path.getsize(path)}
        print("%-18s %9d bytes" % (name, os.path.getsize(path)), flush=True)
    with open(os.path.join(options.folder, "key.json"), "w", encoding="utf-8") as f:
        json.dump(key, f, indent=1, sort_keys=True)
    print("%d recordings, %d texts in %s" % (n, len(key), blind))
    for kind, (found, of) in sorted(named(key, blind).items()):
        print("%-8s names the function in %d of %d texts" % (kind, found, of))
    return 0 if n else 1


if __name__ == "__main__":
    sys.exit(main())
