#!/usr/bin/env python3
"""Java Flight Recorder files against the JDK's own reader.

usage: jfr.py ASSAY [FILE.jfr...]    (TAP; skipped without java, javac and jfr)
A program with a contended lock, allocations, sleeps and writes is recorded. Compared with
`jfr print --json`: events by kind, the sum of durations and bytes, the innermost frames, and
the pauses of the garbage collector.
"""
import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile

ASSAY = os.path.abspath(sys.argv[1])
JAVA = r"""
public class Mixed {
  static final Object lock = new Object(); static volatile long sink; static byte[][] kept = new byte[64][];
  static long turn(int n) { long x = n; for (int i = 0; i < n * 1000; i++) { x ^= x << 13; x ^= x >>> 7; } return x; }
  static void held() { synchronized (lock) { sink += turn(20000); } }
  static void fill() { for (int i = 0; i < 2000; i++) kept[i & 63] = new byte[4096]; }
  public static void main(String[] a) throws Exception {
    long end = System.currentTimeMillis() + 3000; Thread[] t = new Thread[3];
    for (int k = 0; k < 3; k++) { t[k] = new Thread(() -> { while (System.currentTimeMillis() < end) { held(); fill();
      try { Thread.sleep(25); java.util.concurrent.locks.LockSupport.parkNanos(25000000L);
        try (java.io.FileOutputStream f = new java.io.FileOutputStream("out")) { f.write(new byte[64 << 20]); } }
      catch (Exception e) { throw new RuntimeException(e); } } }); t[k].start(); }
    for (Thread one : t) one.join();
  }
}
"""
ONE = {"jdk.ExecutionSample": "execution-samples", "jdk.NativeMethodSample": "native-samples"}
NS = {"jdk.JavaMonitorEnter": "lock", "jdk.JavaMonitorWait": "wait-time", "jdk.ThreadPark": "wait-time",
      "jdk.ThreadSleep": "wait-time", "jdk.SocketRead": "wait-time", "jdk.SocketWrite": "wait-time",
      "jdk.FileRead": "wait-time", "jdk.FileWrite": "wait-time", "jdk.FileForce": "wait-time"}
BYTES = {"jdk.ObjectAllocationSample": ("alloc", "weight"), "jdk.ObjectAllocationInNewTLAB": ("alloc-tlab", "tlabSize"),
         "jdk.ObjectAllocationOutsideTLAB": ("alloc-tlab", "allocationSize")}


def duration(text):
    """PT1M2.5S in nanoseconds"""
    minutes, _, seconds = text.removeprefix("PT").rstrip("S").rpartition("M")
    whole, _, part = seconds.partition(".")
    return (int(minutes or 0) * 60 + int(whole or 0)) * 10**9 + int(part.ljust(9, "0") or 0)


def expected(path):
    kinds = [*ONE, *NS, *BYTES, "jdk.GCPhasePause"]
    text = subprocess.run(["jfr", "print", "--json", "--stack-depth", "2048", "--events", ",".join(kinds), path],
                          check=True, capture_output=True, text=True).stdout
    found = collections.defaultdict(lambda: [0, 0, collections.Counter()])
    for event in json.loads(text)["recording"]["events"]:
        kind, v = event["type"], event["values"]
        if kind == "jdk.GCPhasePause":
            name, weight = "pause", duration(v["duration"])
        elif kind in ONE:
            name, weight = ONE[kind], 1
        elif kind in NS:
            name, weight = NS[kind], duration(v["duration"])
            parked = ((v.get("parkedClass") or {}).get("name") or "") if kind == "jdk.ThreadPark" else ""
            if parked.startswith(("java/util/concurrent/locks/Reentrant", "java/util/concurrent/locks/Stamped")):
                name = "lock"
        else:
            name, weight = BYTES[kind][0], v[BYTES[kind][1]]
        frames = (v.get("stackTrace") or {}).get("frames") or []
        row = found[name]
        row[0] += 1
        row[1] += weight
        if frames:
            m = frames[0]["method"]
            row[2][m["type"]["name"].replace("/", ".") + "." + m["name"]] += 1
    return found


def read(path):
    """What assay reads, in the same form."""
    out = subprocess.run([ASSAY, "report", "--json", path], capture_output=True, text=True, check=True).stdout
    found = {}
    for c in json.loads(out)["captures"]:
        if c["kind"] == "distribution":
            low = sum(b["low"] * b["count"] for b in c["buckets"])
            found["pause"] = [sum(s["values"] for s in c["series"]), int(low), collections.Counter()]
            continue
        frames = collections.Counter()
        for row in c["rows"]:
            if row.get("samples"):
                frames[row["symbol"]] += row["samples"]
        found[c["event"]] = [c["samples"], sum(row["weight"] for row in c["rows"]), frames]
    return found


def differences(path):
    """Sentences about what differs. The JDK rounds each time to nanoseconds, as assay does: 1 ns each."""
    want, have = expected(path), read(path)
    for name in sorted(set(want) | set(have)):
        a, b = want.get(name), have.get(name)
        if not a or not b:
            yield f"{name}: {'only in assay' if b else 'missing'}"
        elif a[0] != b[0]:
            yield f"{name}: {b[0]} events, the JDK has {a[0]}"
        elif abs(a[1] - b[1]) > a[0]:
            yield f"{name}: sum {b[1]}, the JDK has {a[1]}"
        elif a[2] and a[2] != b[2]:
            yield f"{name}: other innermost frames: {(a[2] - b[2]) + (b[2] - a[2])}"


def record(folder, *options):
    with open("Mixed.java", "w", encoding="utf-8") as f:
        f.write(JAVA)
    subprocess.run(["javac", "Mixed.java"], check=True)
    path = os.path.join(folder, "mixed.jfr")
    subprocess.run(["java", f"-XX:StartFlightRecording=filename={path},settings=profile", *options, "Mixed"],
                   check=True, capture_output=True)
    return path


def main():
    missing = [tool for tool in ("java", "javac", "jfr") if not shutil.which(tool)]
    if missing:
        print("1..0 # SKIP no", ", ".join(missing))
        return 0
    files = [os.path.abspath(f) for f in sys.argv[2:]]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        files = files or [record(folder, "-Xmx128m")]
        print(f"1..{len(files)}")
        for n, path in enumerate(files, 1):
            found = list(differences(path))
            failed += bool(found)
            print("not ok" if found else "ok", n, "-", os.path.basename(path))
            for line in found:
                print("#", line)
    return 1 if failed else 0


sys.exit(main())
