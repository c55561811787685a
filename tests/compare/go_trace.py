#!/usr/bin/env python3
"""Go execution traces against Go's own reader.

usage: go_trace.py ASSAY [FILE...]    (TAP; skipped without go)
A program with locks, channels, sleeps, system calls, network and garbage collection is traced.
Compared: for each goroutine the time in each state, to the nanosecond, with the events that
`go tool trace -d` puts in order; for each stack the time blocked there, with `go tool trace
-pprof=sync|net|syscall` (up to Go 1.21) or with the stacks of these events (later); pauses and
samples of the CPU profiler. $GO is the go command: it must know the version of the files.
"""
import collections
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ASSAY = os.path.abspath(sys.argv[1])
GO = shlex.split(os.environ.get("GO", "go"))
PROGRAM = r"""
package main

import ("context"; "io"; "net"; "os"; "runtime"; "runtime/pprof"; "runtime/trace"; "sync"; "syscall"; "time")

var mu sync.Mutex
var total int
var keep = make([][]byte, 20000)

func burn(n int) int { x := n; for i := 0; i < n*1000; i++ { x ^= x << 13; x ^= x >> 7 }; return x }
func locked() { mu.Lock(); total += burn(100); mu.Unlock() }
func worker(c chan int, wg *sync.WaitGroup) { defer wg.Done(); for n := range c { locked(); total += n } }
func producer(c chan int) { for i := 0; i < 200; i++ { c <- i }; close(c) }
func allocate(done chan bool) { for i := 0; ; i++ { select { case <-done: return; default: }; keep[i%len(keep)] = make([]byte, 1024) } }
func ticker(done chan bool) { t := time.NewTicker(time.Millisecond * 5); for { select { case <-t.C: case <-done: return } } }
func echo(l net.Listener) { for { c, err := l.Accept(); if err != nil { return }; go func() { io.Copy(c, c) }() } }
func client(addr string, wg *sync.WaitGroup) {
	defer wg.Done()
	c, _ := net.Dial("tcp", addr); b := make([]byte, 64)
	for i := 0; i < 100; i++ { c.Write(b); io.ReadFull(c, b) }
}
func sleeper() { for i := 0; i < 20; i++ { time.Sleep(3 * time.Millisecond) } }
func pipes() {
	var p [2]int
	syscall.Pipe(p[:])
	go func() { b := make([]byte, 1); for { syscall.Read(p[0], b) } }()
	for i := 0; i < 10; i++ { time.Sleep(2 * time.Millisecond); syscall.Write(p[1], []byte("x")) }
}
func turns() {
	var m sync.Mutex
	c := sync.NewCond(&m); turn := 0
	var wg sync.WaitGroup
	for k := 0; k < 2; k++ {
		wg.Add(1)
		go func(k int) { defer wg.Done(); for i := 0; i < 30; i++ { m.Lock(); for turn != k { c.Wait() }; turn = 1 - k; c.Broadcast(); m.Unlock() } }(k)
	}
	wg.Wait()
}
func main() {
	l, _ := net.Listen("tcp", "127.0.0.1:0")
	go echo(l)
	f, _ := os.Create(os.Args[1])
	pprof.StartCPUProfile(io.Discard)
	trace.Start(f)
	ctx, task := trace.NewTask(context.Background(), "all")
	var wg sync.WaitGroup
	done, c := make(chan bool), make(chan int)
	go ticker(done); go allocate(done); go producer(c); go sleeper(); go pipes()
	for i := 0; i < 3; i++ { wg.Add(1); go worker(c, &wg) }
	trace.WithRegion(ctx, "net", func() { for i := 0; i < 3; i++ { wg.Add(1); go client(l.Addr().String(), &wg) } })
	turns(); wg.Wait(); runtime.GC(); close(done); task.End()
	trace.Stop()
	f.Close()
}
"""
BLOCKS = {"GoBlock": "unspecified", "GoStop": "forever", "GoSleep": "sleep", "GoBlockSend": "chan send",
          "GoBlockRecv": "chan receive", "GoBlockSelect": "select", "GoBlockSync": "sync",
          "GoBlockCond": "sync.(*Cond).Wait", "GoBlockNet": "network",
          "GoBlockGC": "GC mark assist wait for work"}
RUNNING = "running"


class States:
    """The time of each goroutine in each state."""

    def __init__(self):
        self.now, self.sums, self.counts, self.last = {}, collections.Counter(), collections.Counter(), 0

    def set(self, g, label, at):
        self.end(g, at)
        self.now[g] = (label, at)

    def end(self, g, at):
        label, since = self.now.pop(g, (None, at))
        if label and at > since:
            self.sums[g, label] += at - since
            self.counts[g, label] += 1

    def finish(self):
        for g in list(self.now):
            self.end(g, self.last)
        return {k: (v, self.counts[k]) for k, v in self.sums.items() if k[1] != RUNNING}


def go(*args):
    return subprocess.run([*GO, *args], check=True, capture_output=True).stdout.decode()


def expected_old(path):
    states, calls, pauses, since, cpu = States(), {}, [], 0, 0
    for line in go("tool", "trace", "-d", path).splitlines():
        at, kind, *rest = line.split()
        v = [int(w.split("=")[1]) for w in rest if re.fullmatch(r"\w+=-?\d+", w)]
        at, own, g = int(at), v[1], v[3] if len(v) > 3 else 0
        states.last = max(states.last, at)
        if kind == "GoCreate":
            states.set(g, "created", at)
        elif kind in ("GoWaiting", "GoInSyscall"):
            states.now[g] = ("unknown" if kind == "GoWaiting" else "syscall", states.now[g][1])
        elif kind in ("GoStart", "GoStartLabel"):
            states.set(own, RUNNING, at)
        elif kind == "GoEnd":
            states.end(own, at)
        elif kind == "GoUnblock":
            states.set(g, "unblocked", at)
        elif kind in ("GoSched", "GoPreempt"):
            states.set(own, "runtime.Gosched" if kind == "GoSched" else "preempted", at)
        elif kind == "GoSysCall":
            calls[own] = at
        elif kind == "GoSysBlock":
            states.set(own, "syscall", calls[own])
        elif kind == "GoSysExit":
            states.set(own, "syscall exit", at)
        elif kind in BLOCKS:
            states.set(own, BLOCKS[kind], at)
        elif kind == "GCSTWStart":
            since = at
        elif kind == "GCSTWDone":
            pauses.append(at - since)
        cpu += kind == "CPUSample"
    stacks = collections.Counter()
    for kind in ("sync", "net", "syscall"):
        with tempfile.NamedTemporaryFile() as f:
            f.write(subprocess.run([*GO, "tool", "trace", "-pprof=" + kind, path], check=True, capture_output=True).stdout)
            f.flush()
            raw = go("tool", "pprof", "-raw", f.name)
        names = {m[1]: m[2] for m in re.finditer(r"^ *(\d+): 0x\S+ (?:M=\d+ )?(\S+) ", raw, re.M)}
        for m in re.finditer(r"^ *\d+ +(\d+): ([\d ]+)$", raw[:raw.index("Locations")], re.M):
            stacks[tuple(names[i] for i in m[2].split())] += int(m[1])
    return states.finish(), stacks, (len(pauses), sum(pauses)), cpu


def expected_new(path):
    states, stacks, pauses, cpu = States(), collections.Counter(), [], 0
    blocked, ranges, first = {}, {}, None
    lines = go("tool", "trace", "-d=parsed", path).split("\nM=")
    for block in lines:
        head, *rest = block.split("\n")
        m = re.search(r"Time=(\d+)", head)
        if not m:
            continue
        at = int(m[1])
        first = at if first is None else first
        states.last = max(states.last, at)
        if "StackSample" in head:
            cpu += 1
        if "RangeBegin" in head and "stop-the-world" in head:
            ranges[head.split()[0]] = at
        if "RangeEnd" in head and "stop-the-world" in head:
            pauses.append(at - ranges.pop(head.split()[0]))
        m = re.search(r'Reason="([^"]*)" GoID=(\d+) (\w+)->(\w+)', head)
        if not m:
            continue
        why, g, old, new = m[1], int(m[2]), m[3], m[4]
        if old == new:
            continue
        since = first if old == "Undetermined" else at
        frames = []
        for line in rest[1:]:
            if not line.strip():
                break
            if " @ 0x" in line:
                frames.append(line.strip().split(" @ ")[0])
        if g in blocked:
            stack, begin = blocked.pop(g)
            stacks[stack] += at - begin
        if new == "NotExist":
            states.end(g, at)
            continue
        if new in ("Waiting", "Syscall") and old in ("Running",):
            blocked[g] = (tuple(frames), at)
        label = {"Running": RUNNING, "Syscall": "syscall"}.get(new)
        if new == "Waiting":
            label = why or ("unknown" if old == "Undetermined" else "coroutine")
        if new == "Runnable":
            label = why or {"NotExist": "created", "Syscall": "syscall exit"}.get(old, "unblocked")
        states.set(g, label, since)
    return states.finish(), stacks, (len(pauses), sum(pauses)), cpu


def read(path):
    def assay(*args):
        return json.loads(subprocess.run([ASSAY, *args, path], capture_output=True, check=True).stdout)["captures"]

    states, stacks, pauses, cpu = {}, collections.Counter(), [0, 0], 0
    for c in assay("report", "--off-cpu", "--json", "--sort", "tid,state"):
        if c.get("event") == "off-cpu":
            states = {(int(r["tid"]), r["state"]): r["weight"] for r in c["rows"] if r["weight"]}
    for c in assay("report", "--json"):
        if c["kind"] == "distribution":
            pauses[0] += sum(s["values"] for s in c["series"])
            pauses[1] += int(sum(b["low"] * b["count"] for b in c["buckets"]))
    for c in assay("convert", "--to", "json"):
        if c.get("event") == "cpu-samples":
            cpu = len(c["samples"])
        if c.get("event") != "wall-clock":
            continue
        last = max(s["time_ns"] + s["weight"] for s in c["samples"])
        paths = []
        for node in c["stacks"]:
            up = paths[node["parent"]] if node.get("parent") is not None else ()
            paths.append(up if node.get("space") == "comm" and node["symbol"] != "[waiting]" else (*up, node.get("symbol")))
        for s in c["samples"]:
            stack = paths[s["stack"]]
            # Go's reader leaves out waits that the end of the trace cuts
            if "[waiting]" in stack and s["time_ns"] + s["weight"] < last:
                stacks[tuple(f for f in reversed(stack) if f and f != "[waiting]")] += s["weight"]
    return states, stacks, tuple(pauses), cpu


def differences(path):
    with open(path, "rb") as f:
        version = int(f.read(16).split(b".")[1].split()[0])
    want = expected_old(path) if version < 22 else expected_new(path)
    have = read(path)
    # Later readers add 1 ns to times that are equal to the one before. They also put the return
    # from a system call after the event that took its scheduler context away, which is written
    # later: the time before and after the return differs, and its sum is the same.
    off = 0 if version < 22 else 1
    shifted = 0
    for g in {key[0] for key in want[0]} if off else ():
        (a, n), (a2, n2) = (want[0].get((g, label), (0, 0)) for label in ("syscall", "syscall exit"))
        b, b2 = (have[0].get((g, label), 0) for label in ("syscall", "syscall exit"))
        if abs(a + a2 - b - b2) <= n + n2 and abs(a - b) > n:
            shifted += abs(a - b)
            want[0][g, "syscall"], want[0][g, "syscall exit"] = (b, n), (b2, n2)
    for key in sorted(set(want[0]) | set(have[0])):
        a, n = want[0].get(key, (0, 0))
        b = have[0].get(key, 0)
        if abs(a - b) > n * off:
            yield f"goroutine {key[0]}, {key[1]}: {b} ns, go has {a}"
    for stack in want[1]:
        if stack and abs(want[1][stack] - have[1].get(stack, 0)) > off * 100 + shifted:
            yield f"{stack[:2]}: {have[1].get(stack, 0)} ns, go has {want[1][stack]}"
    if have[2][0] != want[2][0] or abs(have[2][1] - want[2][1]) > off * want[2][0]:
        yield f"pauses: {have[2]}, go has {want[2]}"
    if have[3] != want[3]:
        yield f"CPU samples: {have[3]}, go has {want[3]}"
    print(f"# {len(want[0])} states of goroutines, {len(want[1])} stacks, {want[2][0]} pauses, {want[3]} CPU samples, "
          f"{shifted} ns of returns from system calls shifted")


def record(folder):
    with open("mixed.go", "w", encoding="utf-8") as f:
        f.write(PROGRAM)
    env = {**os.environ, "GO111MODULE": "off", "CGO_ENABLED": "0", "GOCACHE": os.path.join(folder, "cache")}
    subprocess.run([*GO, "build", "-o", "mixed", "mixed.go"], check=True, env=env)
    path = os.path.join(folder, "mixed.trace")
    subprocess.run(["./mixed", path], check=True, timeout=60)
    return path


def main():
    if not shutil.which(GO[0]):
        print("1..0 # SKIP no", GO[0])
        return 0
    files = [os.path.abspath(f) for f in sys.argv[2:]]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        files = files or [record(folder)]
        print(f"1..{len(files)}")
        for n, path in enumerate(files, 1):
            found = list(differences(path))
            failed += bool(found)
            print("not ok" if found else "ok", n, "-", os.path.basename(path))
            for line in found[:40]:
                print("#", line)
    return 1 if failed else 0


sys.exit(main())
