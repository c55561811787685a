#!/usr/bin/env python3
"""Speed of the readers of text: bytes a second of `info` and of `explain --json`.

  tests/bench/texts.py build/assay [FORMAT...]

For each format, its longest input of the goldens and of the fuzz corpus is repeated to
BENCH_BYTES (default 50000000). BENCH_RUNS: repetitions, of which the median is printed
(default 3). A column of readers that keep nothing apart from their regions is the speed
of detection and of many small captures, not of one long one: see "regions".
Seconds are CPU time (user + system) of one process.
Nothing is asserted here: figures are for people.
"""
import glob
import json
import os
import resource
import statistics
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WORK = os.path.join(TOP, "build", "bench")
BYTES = int(os.environ.get("BENCH_BYTES", "50000000"))
RUNS = int(os.environ.get("BENCH_RUNS", "3"))
SECONDS = 120  # limit of one run


def regions(assay, path):
    """The formats of all regions of @path; None: not a capture."""
    p = subprocess.run([assay, "info", "--json", path], capture_output=True, check=False)
    try:
        return [r for i in json.loads(p.stdout)["inputs"] for r in i["regions"]]
    except (ValueError, KeyError):
        return None


def inputs(assay):
    """{format: path of the longest input that is one region of it}"""
    best = {}
    for path in (glob.glob(os.path.join(TOP, "tests/golden/*/*.d/input*")) +
                 glob.glob(os.path.join(TOP, "tests/fuzz/corpus/*/*")) +
                 glob.glob(os.path.join(TOP, "samples/*"))):
        size = os.path.getsize(path) if os.path.isfile(path) else 0
        if not 0 < size < 1000000:
            continue
        with open(path, "rb") as f:
            data = f.read()
        if b"\0" in data or data[:1] in b"{[<":
            continue
        found = regions(assay, path)
        if not found or len(found) != 1 or not found[0]["format"]:
            continue
        name = found[0]["format"]
        if name not in best or size > os.path.getsize(best[name]):
            best[name] = path
    return best


def cpu(command):
    """CPU seconds of a command; None: it failed or took too long."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              timeout=SECONDS, check=False).returncode
    except subprocess.TimeoutExpired:
        return None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done != 0:
        return None
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def speed(size, command):
    """Text with the median speed in MB/s."""
    runs = []
    for _ in range(RUNS):
        seconds = cpu(command)
        if seconds is None:
            return "failed"
        runs.append(seconds)
    return f"{size / 1e6 / statistics.median(runs):.0f}"


def main():
    """Print the table."""
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    assay = os.path.abspath(sys.argv[1])
    os.makedirs(WORK, exist_ok=True)
    print(f"{'format':20} {'MB':>4} {'regions':>8} {'info MB/s':>10} {'explain MB/s':>13}")
    for name, path in sorted(inputs(assay).items()):
        if sys.argv[2:] and name not in sys.argv[2:]:
            continue
        big = os.path.join(WORK, "text-" + name.replace("/", "_"))
        with open(path, "rb") as f:
            data = f.read()
        data += b"" if data.endswith(b"\n") else b"\n"
        with open(big, "wb") as f:
            f.write(data * (BYTES // len(data) + 1))
        size = os.path.getsize(big)
        n = len(regions(assay, big) or [])
        print(f"{name:20} {size / 1e6:4.0f} {n:8} {speed(size, [assay, 'info', big]):>10} "
              f"{speed(size, [assay, 'explain', '--json', big]):>13}", flush=True)
        os.unlink(big)


if __name__ == "__main__":
    main()
