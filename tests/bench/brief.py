#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Is the cause in the text? Recordings of planted faults, as texts of one size, to be read blind.

  tests/bench/brief.py build/assay FOLDER [--tokens 4000] [--only NAME,...] [--all] [--vm RIG]

Each case is recorded once, then written as `assay brief`, as `perf report --stdio` and as
`perf script`, all cut to the same number of bytes; a function graph as brief and as the trace
itself. FOLDER/blind gets one file a text; its name says nothing. The key (FOLDER/key.json, or
--key) says which is which, what is planted, and what counts as right.
Readers answer with {file: {"function": ..., "kind": ..., "sure": ...}}; docs/benchmark.md has
their instructions and the results. Cases that this machine cannot record are named.
"""
import argparse
import glob
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tomllib

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
    "one-cpu": (20, 4, True, "", "four threads are bound to one CPU: they wait for it"),
    "healthy": (0, 4, False, "", "nothing is planted"),
}
# name: (source below labs/, name of the program, arguments, function, what is planted)
LABS = {
    "lab-quadratic": ("quadratic/quadratic.c", "registry", ["list", "20000"], "registry_find (registry_add)",
                      "each new name is compared with all"),
    "lab-lock": ("lock/lock.c", "tally", ["shared", "4", "60000000"], "count_shared",
                 "one lock around a table that all threads share"),
    "lab-false-sharing": ("false-sharing/false_sharing.c", "counter", ["packed", "2", "400000000"], "counter_add (counting_main)",
                          "counters of two threads in one cache line"),
}
# The same for brief_index.c.
INDEXER = {
    "small-reads": (1, 3, False, "store_read", "a file is read by four bytes a call"),
    "length-in-loop": (2, 3, False, "text_lower", "strlen in the condition of a loop: quadratic"),
    "growth-by-one": (3, 3, False, "places_add", "an array grows by one element: each time all is copied"),
    "dates": (4, 3, False, "document_age", "a date is formatted and parsed again 400 times a document"),
    "open-each": (5, 3, True, "segment_append", "a file is opened, synced and closed for each line"),
    "lock-of-all": (6, 3, True, "schema_check", "all work is done with the write lock of the schema held"),
    "notes": (7, 3, False, "progress_note", "300 lines are written for each document"),
    "naps": (8, 3, True, "queue_take / queue_put", "the queue is polled with sleeps instead of a condition"),
    "one-producer": (9, 3, True, "source_join", "one reader computes; the writers wait for documents"),
}
# Programs of labs/cases: (by wall clock, call chains, function, what is planted)
CASES = {
    "clock-reads": (False, "dwarf", "record_parse / stamp", "the clock is read twice for each field"),
    "hash-collisions": (False, "dwarf", "draw (_Hashtable::find)", "a hash that is the same for many keys"),
    "exception-storm": (False, "dwarf", "add_checked / add_field", "an exception is thrown for each empty field"),
    "lock-convoy": (True, "dwarf", "touch / worker", "six threads want one mutex for each request"),
    "held-asleep": (True, "dwarf", "entry_post / archive_send", "a sleep of 2 ms with the ledger locked"),
    "record-clone": (False, "dwarf", "hand_out / clone", "each subscriber gets a copy of the article"),
    "sort-each": (False, "dwarf", "take (main)", "all bids are sorted for each new one"),
    "directory-scan": (False, "fp", "waiting / oldest", "the whole folder is listed for each message"),
    "regex-compile": (False, "fp", "route (regexp.Compile)", "regular expressions are compiled for each request"),
    "healthy-rust": (False, "dwarf", "", "nothing is planted"),
}
# Function graphs, from the VM rig: (function, what is planted)
GRAPHS = {
    "graph-read": ("", "nothing is planted: reads of a pipe that has data"),
    "graph-poll": ("do_sys_poll", "one poll asks a thousand sockets"),
    "graph-fork": ("copy_page_range (dup_mm, copy_process)", "fork copies the page tables of 48 MB"),
    "graph-write": ("pipe_write", "one write waits for a slow reader, as the pipe is full"),
    "graph-open": ("link_path_walk (path_openat)", "an open goes through thirty symbolic links"),
    "graph-segments": ("skb_segment (udp_send_skb)", "a datagram larger than the MTU is segmented in software"),
    "graph-flows": ("nf_conntrack_in / nf_nat", "each datagram is the first of its flow: a connection is tracked anew"),
}
# Recordings of 50 to 200 MB: samples a second of each CPU
FAST = {"quadratic-append": 3999, "cache-misses": 2499, "recursion": 2999, "length-in-loop": 2999, "tiny-allocations": 1999}
# The 40 of docs/benchmark.md; the others run by --all or --only
FORTY = """bad-hash tiny-allocations regex-compiled quadratic-append map-per-request fsync recursion
    cache-misses lock-contention fork-per-request imbalance healthy lab-quadratic lab-false-sharing""".split() + [
    *INDEXER, *CASES, *GRAPHS]


def build(source, program):
    subprocess.run(["gcc", "-O1", "-g", "-fno-omit-frame-pointer", "-I", os.path.join(TOP, "labs"), "-o", program,
                    source, "-pthread"], check=True)


def record(assay, folder, command, env, by_wall, chains="dwarf", hz=999):
    """The recording, or None and why not."""
    path = os.path.join(folder, "recording.data")
    if os.path.exists(path):
        os.unlink(path)
    if by_wall:
        words = [assay, "record", "-q", "--wall", "-o", path, "--"] + command
    else:
        words = ["perf", "record", "-q", "--call-graph", chains, "-F", str(hz), "-o", path, "--"] + command
    first = lambda: os.nice(-5) if os.geteuid() == 0 else None
    done = subprocess.run(words, cwd=folder, env=dict(os.environ, **env), stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, check=False, preexec_fn=first)
    if not os.path.exists(path) or os.path.getsize(path) < 4096:
        return None, done.stderr.decode("utf-8", "replace").strip()[-200:]
    return path, ""


def texts(assay, path, tokens):
    """The texts, each in the budget."""
    limit = int(tokens * BYTES_PER_TOKEN)
    folder, name = os.path.split(path)
    commands = {"brief": [assay, "brief", "--tokens", str(tokens), name]}
    if name.endswith(".data"):
        commands["report"] = ["perf", "report", "--stdio", "-i", name]
        commands["script"] = ["perf", "script", "-i", name]
    else:
        commands["trace"] = ["cat", name]
    ret = {}
    for kind, words in commands.items():
        # perf script of a large recording is far longer than what is kept
        with subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            text = process.stdout.read(limit)
            process.stdout.close()
            process.wait()
        ret[kind] = text.decode("utf-8", "replace").encode()[:limit]
    return ret


def server_cases(folder, program, source, table, seconds, wanted):
    if not wanted & table.keys():
        return
    build(os.path.join(HERE, source), os.path.join(folder, program))
    for name, (fault, threads, by_wall, function, planted) in table.items():
        if name in wanted:
            yield name, ["./" + program, str(threads), str(seconds)], {"FAULT": str(fault)}, by_wall, "dwarf", function, planted


def lab_cases(folder, seconds, wanted):
    for name, (source, program, args, function, planted) in LABS.items():
        if name in wanted:
            build(os.path.join(TOP, "labs", source), os.path.join(folder, program))
            yield name, ["./" + program] + args, {}, False, "dwarf", function, planted
    for name, (by_wall, chains, function, planted) in CASES.items():
        if name not in wanted:
            continue
        case = os.path.join(TOP, "labs", "cases", name)
        with open(os.path.join(case, "case.toml"), "rb") as f:
            keys = tomllib.load(f)
        env = dict(os.environ, CPATH=os.path.join(TOP, "labs", "lib"))
        for line in keys.get("build", []) + keys.get("prepare", []):
            subprocess.run(line.format(case=case, work=folder), shell=True, check=True, cwd=folder, env=env)
        yield (name, keys["run"].format(case=case, seconds=seconds, disk=folder).split(), {}, by_wall, chains,
               function, planted)


def graphs(folder, rig, wanted):
    """name, trace, function, what is planted, from one guest."""
    if not wanted & GRAPHS.keys():
        return
    if not rig:
        print("not recorded: function graphs need --vm RIG")
        return
    calls, udp, out = (os.path.join(folder, name) for name in ("calls", "lab-udp", "guest"))
    cache = os.environ.get("VMRIG_CACHE", os.path.join(folder, "vm-cache"))
    labs = os.path.join(TOP, "labs")
    subprocess.run(["gcc", "-O1", "-static", "-o", calls, os.path.join(HERE, "brief_calls.c")], check=True)
    subprocess.run(["gcc", "-O1", "-static", "-I", labs, "-o", udp, os.path.join(labs, "udp-path", "udp.c")],
                   check=True)
    modules = glob.glob(os.path.join(cache, "kernel/debian-6.12/x/lib/modules/*/kernel/**/xt_CT.ko"), recursive=True)
    files = [os.path.join(rig, "fg.lib"), calls, udp, os.path.join(labs, "udp-path", "net.sh"), *modules[:1]]
    done = subprocess.run(
        [os.path.join(rig, "run"), "-k", "debian-6.12", "-c", "1", "-i", "0", "-t", "500", "-o", out,
         *(word for path in files for word in ("-f", path)), os.path.join(HERE, "brief_guest.sh")],
        env=dict(os.environ, VMRIG_CACHE=cache), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    for name, (function, planted) in GRAPHS.items():
        made = os.path.join(out, name + ".txt")
        if name in wanted and os.path.exists(made):
            path = os.path.join(folder, "trace.txt")
            shutil.copy(made, path)
            yield name, path, function, planted
        elif name in wanted:
            print("not recorded: %s: %s" % (name, done.stdout.decode("utf-8", "replace").strip()[-200:]))


def recordings(assay, folder, options, wanted):
    """name, path, function, what is planted; the path is written anew for each."""
    for name, command, env, by_wall, chains, function, planted in [
            *server_cases(folder, "server", "brief_server.c", SERVER, options.seconds, wanted),
            *server_cases(folder, "indexer", "brief_index.c", INDEXER, options.seconds, wanted),
            *lab_cases(folder, options.seconds, wanted)]:
        path, why = record(assay, folder, command, env, by_wall, chains, FAST.get(name, 999))
        if path:
            yield name, path, function, planted
        else:
            print("not recorded: %s: %s" % (name, why))
    yield from graphs(folder, options.vm, wanted)


def named(key, folder):
    """By kind of text: in how many the planted function occurs, by name alone."""
    counts = {}
    for file, about in key.items():
        names = [n for n in re.findall(r"[A-Za-z_]{4,}", about["function"])]
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
    parser.add_argument("--all", action="store_true", help="every case, not 40")
    parser.add_argument("--vm", default="", help="folder of the VM rig, for function graphs")
    parser.add_argument("--work", default="", help="folder of the programs, whose path is in the texts")
    parser.add_argument("--keep", default="", help="folder for the recordings")
    parser.add_argument("--key", default="", help="where the key is written")
    parser.add_argument("--only", default="", help="these cases")
    options = parser.parse_args()
    assay = os.path.abspath(options.assay)
    rng = random.Random(options.seed)
    work = os.path.abspath(options.work or os.path.join(options.folder, "work"))
    blind = os.path.join(options.folder, "blind")
    shutil.rmtree(blind, ignore_errors=True)
    os.makedirs(work, exist_ok=True)
    os.makedirs(blind)
    every = {*SERVER, *INDEXER, *LABS, *CASES, *GRAPHS}
    wanted = set(filter(None, options.only.split(","))) or (every if options.all else set(FORTY))
    key, n = {}, 0
    for name, path, function, planted in recordings(assay, work, options, wanted):
        n += 1
        for kind, text in texts(assay, path, options.tokens).items():
            file = "%08x.txt" % rng.getrandbits(32)
            with open(os.path.join(blind, file), "wb") as f:
                f.write(text)
            key[file] = {"case": name, "text": kind, "function": function, "planted": planted, "bytes": len(text),
                         "recording_bytes": os.path.getsize(path)}
        print("%-18s %9d bytes" % (name, os.path.getsize(path)), flush=True)
        if options.keep:
            os.makedirs(options.keep, exist_ok=True)
            shutil.move(path, os.path.join(options.keep, name + os.path.splitext(path)[1]))
    with open(options.key or os.path.join(options.folder, "key.json"), "w", encoding="utf-8") as f:
        json.dump(key, f, indent=1, sort_keys=True)
    print("%d recordings, %d texts in %s" % (n, len(key), blind))
    for kind, (found, of) in sorted(named(key, blind).items()):
        print("%-8s names the function in %d of %d texts" % (kind, found, of))
    return 0 if n else 1


if __name__ == "__main__":
    sys.exit(main())
