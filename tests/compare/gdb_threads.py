#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Threads of live processes: what assay reads of gdb and faulthandler beside what the process is known to do.

usage: gdb_threads.py ASSAY

A C program takes two locks in opposite order; gdb prints its stacks. Their functions are known from the source,
the names of threads from /proc. A Python program prints its own stacks by faulthandler, and the same frames by
sys._current_frames(). TAP on stdout; what is missing is skipped.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

SOURCE = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t stock = PTHREAD_MUTEX_INITIALIZER, ledger = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
__attribute__((noinline)) static void take(pthread_mutex_t *m) { pthread_mutex_lock(m); pthread_mutex_unlock(m); }
static void *seller(void *a) { pthread_setname_np(pthread_self(), "seller"); pthread_mutex_lock(&stock);
	pthread_barrier_wait(&both); take(&ledger); return a; }
static void *buyer(void *a) { pthread_setname_np(pthread_self(), "buyer"); pthread_mutex_lock(&ledger);
	pthread_barrier_wait(&both); take(&stock); return a; }
static void *waiter(void *a) { pause(); return a; }
int main(void) { pthread_t t[3]; pthread_barrier_init(&both, 0, 2);
	pthread_create(&t[0], 0, seller, 0); pthread_create(&t[1], 0, buyer, 0); pthread_create(&t[2], 0, waiter, 0);
	pthread_join(t[0], 0); return 0; }
"""

PYTHON = r"""
import faulthandler, json, sys, threading, time
lock = threading.Lock(); lock.acquire()
def inner(): lock.acquire()
def outer(): inner()
t = threading.Thread(target=outer, daemon=True); t.start(); time.sleep(0.3)
faulthandler.dump_traceback(file=open(sys.argv[1], "w"), all_threads=True)
f = sys._current_frames()[t.ident]; names = []
while f: names.append(f.f_code.co_name); f = f.f_back
print(json.dumps(names))
"""


def tap(number, ok, name):
    print("%s %d - %s" % ("ok" if ok else "not ok", number, name))
    return ok


def groups(assay, path):
    out = subprocess.run([assay, "report", "--json", path], stdout=subprocess.PIPE, check=True).stdout
    return json.loads(out)["captures"][0]["threads_dump"]["groups"]


def folded(assay, path):
    out = subprocess.run([assay, "convert", "--to", "folded", path], stdout=subprocess.PIPE, check=True).stdout
    return [line.rsplit(" ", 1)[0].split(";") for line in out.decode().splitlines()]


def gdb(assay, folder):
    (folder / "abba.c").write_text(SOURCE)
    subprocess.run(["cc", "-g", "-O0", "-pthread", "-o", folder / "abba", folder / "abba.c"], check=True)
    with subprocess.Popen([folder / "abba"]) as program:
        time.sleep(0.5)
        tasks = sorted(os.listdir("/proc/%d/task" % program.pid))
        out = subprocess.run(["gdb", "-p", str(program.pid), "-batch", "-ex", "thread apply all bt"],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
        program.kill()
    (folder / "gdb.txt").write_bytes(out)
    if b"Thread 1" not in out:
        return None
    stacks = folded(assay, folder / "gdb.txt")
    found = json.loads(subprocess.run([assay, "explain", "--json", folder / "gdb.txt"], stdout=subprocess.PIPE,
                                      check=True).stdout)["findings"]
    kinds = sorted(g.get("waits_for", "") for g in groups(assay, folder / "gdb.txt"))
    return (len(stacks) == len(tasks)
            and sum("take" in s and "seller" in s for s in stacks) == 1
            and sum("take" in s and "buyer" in s for s in stacks) == 1
            and kinds.count("lock") == 2 and kinds.count("join") == 1
            and found[0]["rule"] == "thread-deadlock")


def python(assay, folder):
    out = subprocess.run([sys.executable, "-c", PYTHON, folder / "py.txt"], stdout=subprocess.PIPE, check=True).stdout
    names = list(reversed(json.loads(out)))
    return names in folded(assay, folder / "py.txt")


def main():
    assay = sys.argv[1]
    print("1..2")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        has_all = shutil.which("gdb") and shutil.which("cc")
        result = gdb(assay, folder) if has_all else None
        if result is None:
            print("ok 1 - stacks of gdb are those of the process # SKIP gdb, a compiler or the right to trace is missing")
        else:
            tap(1, result, "stacks of gdb are those of the process")
        tap(2, python(assay, folder), "stacks of faulthandler are those of the interpreter")


main()
