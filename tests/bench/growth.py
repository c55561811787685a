#!/usr/bin/env python3
"""Does the time of every reader and command grow linearly? And how much memory do they need?

  tests/bench/growth.py build/assay [FORMAT...]
  tests/bench/growth.py --sample SEED [--memory] [--page FILE] build/assay [FORMAT...]

For each format, its longest input of the goldens and of the fuzz corpus is made as large as
BENCH_BYTES (default 1000000) and a quarter of it, in several ways:

  copies   the whole input again and again: many captures
  others   the same, with other names in each copy
  rows     one capture with many rows, in which names and numbers differ
  line     all in one line
  lists    JSON: its lists are longer
  made     a generator of tests/bench, or chunks or fields again and again
  damaged  one of these with one byte in 500 replaced (the same ones in each run)

--sample: `explain` reads two ways of each format, and one in PAIRS of the pairs of a format and
another command is tried, with one way, in half the size. SEED draws them. That takes minutes of CPU
time instead of hours. Without `explain` in BENCH_COMMANDS, no memory is measured.
A factor above 2.3 is measured again with an input of four times the size, which counts.
--memory: run `explain` once on each drawn input of the whole size, for its memory only.
--page: write the tables to FILE, as Markdown.

BENCH_COMMANDS: commands to run, separated by ',' (default: all of COMMANDS).
A factor is the growth of CPU time (user + system, without that of a tiny input) when the input
doubles: the square root of the growth from the quarter to the whole. A high one is measured up to
three times, and the smallest times count, so a busy machine disturbs little. Above 2.5 is a defect;
below BENCH_SHORT (0.1) seconds it is not computed.
MB is the largest resident memory of one process at the whole size.
Exit status 1: a factor is above 2.5, or more than BENCH_MB (default 300) are needed.
"""
import argparse
import glob
import json
import math
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import statistics
import tempfile
import threading
import time
import zlib

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WORK = os.environ.get("BENCH_WORK", os.path.join(TOP, "build", "bench"))
BYTES = int(os.environ.get("BENCH_BYTES", "1000000"))
SIZES = {"half-small": BYTES // 8, "small": BYTES // 4, "half-large": BYTES // 2, "large": BYTES}
MEGABYTES = int(os.environ.get("BENCH_MB", "300"))
SECONDS = 60
FACTOR = 2.5
PAIRS = int(os.environ.get("BENCH_PAIRS", "3"))
SHORT = float(os.environ.get("BENCH_SHORT", "0.1"))
COMMANDS = {
    "info": ["info", "FILE"],
    "front": ["FILE"],
    "explain": ["explain", "FILE"],
    "report": ["report", "FILE"],
    "redact": ["capsule", "--redact", "-o", "OUT", "FILE"],
    "calls": ["calls", "FILE"],
    "annotate": ["annotate", "-S", "main", "FILE"],
    "flame": ["flame", "-o", "OUT", "FILE"],
    "html": ["html", "-o", "OUT", "FILE"],
    "convert": ["convert", "--to", "json", "-o", "OUT", "FILE"],
    "brief": ["brief", "FILE"],
    "diff": ["diff", "FILE", "FILE"],
    "check": ["check", "share(main) > 1%", "FILE"],
    "capsule": ["capsule", "-o", "OUT", "FILE"],
    "risk": ["risk", "--no-cache", "FILE"],
}
USES = {"c_source": ["risk"]}


def regions(assay, paths):
    """{path: formats of its regions}; many files a command, alone those of one that fails"""
    found = {}
    for i in range(0, len(paths), 100):
        some = paths[i:i + 100]
        p = subprocess.run([assay, "info", "--json", *some], capture_output=True, check=False)
        try:
            for one in json.loads(p.stdout)["inputs"]:
                found[one["path"]] = [r["format"] for r in one["regions"]]
        except (ValueError, KeyError):
            if len(some) > 1:
                for path in some:
                    found.update(regions(assay, [path]))
    return found


def has_nul(path):
    """Whether the file has a NUL byte."""
    with open(path, "rb") as f:
        return b"\0" in f.read()


def inputs(assay):
    """{format: path of the longest input that is one region of it}; kept in WORK for a day"""
    kept = os.path.join(WORK, "growth-inputs.json")
    if os.path.exists(kept) and time.time() - os.path.getmtime(kept) < 86400:
        with open(kept, encoding="utf-8") as f:
            found = json.load(f)
        if all(map(os.path.exists, found.values())):
            return found
    best = {}
    for path in (glob.glob(os.path.join(TOP, "tests/golden/*/*.d/input*")) +
                 glob.glob(os.path.join(TOP, "tests/fuzz/corpus/*/*")) +
                 glob.glob(os.path.join(TOP, "samples/*"))):
        size = os.path.getsize(path) if os.path.isfile(path) else 0
        if 0 < size < 200000:
            best.setdefault(size, []).append(path)
    found = {}
    formats = regions(assay, [path for size in sorted(best) for path in best[size]])
    # text before inputs with NUL bytes, which have no lines to change
    for is_binary in (False, True):
        for size in sorted(best, reverse=True):
            for path in best[size]:
                names = set(formats.get(path, []))
                if len(names) == 1 and None not in names and has_nul(path) == is_binary:
                    found.setdefault(names.pop(), path)
    with open(kept, "w", encoding="utf-8") as f:
        json.dump(found, f)
    return found


def shape(line):
    """What lines of one kind have in common."""
    return re.sub(rb"[A-Za-z_]+", b"a", re.sub(rb"[0-9]+", b"0", line))[:24]


def rows(data, size):
    """One capture of @size bytes: the rows of @data again and again, with other names."""
    lines = data.splitlines(keepends=True)
    kinds = {}
    for i, line in enumerate(lines):
        kinds.setdefault(shape(line), []).append(i)
    most = max(kinds.values(), key=len)
    head, body, tail = lines[:most[0]], lines[most[0]:most[-1] + 1], lines[most[-1] + 1:]
    text = b"".join(body)
    words = {}
    for line in body:
        for word in set(re.findall(rb"[A-Za-z_][A-Za-z0-9_]{4,}", line)):
            words[word] = words.get(word, 0) + 1
    names = {w for w, n in words.items() if n <= max(1, len(body) // 8)}
    out = [b"".join(head)]
    length = 0
    copy = 0
    while length < size:
        one = text if copy == 0 else re.sub(
            rb"[A-Za-z_][A-Za-z0-9_]{4,}",
            lambda m, c=copy: m.group() + b"%d" % c if m.group() in names else m.group(), text)
        out.append(one)
        length += len(one)
        copy += 1
    return b"".join(out + tail)


def others(data, size):
    """The whole of @data again and again, with other names of rows in each copy."""
    lines = data.splitlines()
    kinds = {}
    for line in lines:
        kinds.setdefault(shape(line), []).append(line)
    words = {}
    for line in max(kinds.values(), key=len):
        for word in set(re.findall(rb"[A-Za-z_][A-Za-z0-9_]{4,}", line)):
            words[word] = words.get(word, 0) + 1
    names = {w for w, n in words.items() if n <= max(1, len(lines) // 8)}
    return b"".join(
        re.sub(rb"[A-Za-z_][A-Za-z0-9_]{4,}",
               lambda m, c=copy: m.group() + b"%d" % c if m.group() in names else m.group(), data)
        for copy in range(size // len(data) + 1))


def longer(value, k):
    """JSON @value with its outermost lists of several elements @k times as long."""
    if isinstance(value, list):
        return value * k if len(value) > 1 else [longer(v, k) for v in value]
    if isinstance(value, dict):
        return {name: longer(v, k) for name, v in value.items()}
    return value


def sources(size):
    """C sources that are hard in one way each: {way: bytes}"""
    def functions(body):
        one = lambda i: b"int f%d(int a)\n{\n%s\treturn a;\n}\n" % (i, body)
        return b"".join(one(i) for i in range(size // len(one(9999)) + 1))

    n = size // 8
    return {
        "functions": functions(b"\tif (a)\n\t\ta = g(a);\n"),
        "nested-if": b"int f(int a)\n{\n" + b"if(a){a++;" * (size // 11) + b"}" * (size // 11) + b"}\n",
        "nested-paren": b"int a = " + b"(" * (size // 2) + b"1" + b")" * (size // 2) + b";\n",
        "one-function": b"int f(int a)\n{\n" + b"\ta = g(a, 1);\n" * (size // 14) + b"}\n",
        "calls": b"int f(int a)\n{\n" + b"".join(b"g%d(a);\n" % i for i in range(n)) + b"}\n",
        "switch": b"int f(int a)\n{\nswitch (a) {\n" + b"".join(b"case %d:\n" % i for i in range(size // 12)) +
                  b"return 1;\n}\n}\n",
        "macros": b"".join(b"#define M%d(a) ((a) + M%d(a))\n" % (i, i + 1) for i in range(size // 32)),
        "ifdef": b"int f(int a)\n{\n" + b"#ifdef A\nif(a){\n#else\nif(!a){\n#endif\n}\n" * (size // 40) + b"}\n",
        "else-if": b"int f(int a)\n{\n" + b"if(a) a++; else " * (size // 16) + b"a--;\n}\n",
        "braces": b"{" * size,
        "binary": b"int f(int a)\n{\nreturn a" + b" + a" * (size // 4) + b";\n}\n",
        "comment": b"/*" * (size // 2),
        "string": b'"' * size,
        "params": b"int f(" + b"int a, " * (size // 7) + b"int b)\n{\n}\n",
        "label": b"int f(int a)\n{\n" + b"".join(b"l%d: a++;\n" % i for i in range(size // 11)) + b"}\n",
        "pointer": b"int " + b"*" * size + b"a;\n",
        "error": b"int f(int a) { if (a " * (size // 21),
    }


def documents(size):
    """Texts that are hard for the layer that removes the traces of mail: {way: bytes}"""
    line = b"    12.50%  main  prog  [.] work\n"
    return {
        "quoted": b"".join(b">" * (1 + i % 40) + b" " + line for i in range(size // 55)),
        "deep-quote": (b"> " * 2000 + line) * (size // 4030 + 1),
        "one-quote": b">" * size + b"\n",
        "mime": b"MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n" +
                b"".join(b"--b\nContent-Type: text/plain\n\nmain;a %d\n" % i for i in range(size // 42)) + b"--b--\n",
        "nested-mime": b"MIME-Version: 1.0\n" +
                       b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (i, i)
                                for i in range(size // 56)),
        "fences": b"```\nmain;a 1\n```\n\n" * (size // 18),
        "html": b"<div>" * (size // 11) + b"main;a 1" + b"</div>" * (size // 11),
        "pre": b"<pre>\nmain;a 1\n</pre>\n" * (size // 23),
        "entities": b"&lt;" * (size // 4) + b"\n",
        "escapes": b"\x1b[31mmain\x1b[0m;a 1\n" * (size // 18),
        "blank": b"\n" * size,
        "spaces": b" " * size + b"\n",
        "words": b"word and " * (size // 9) + b"\n",
        "prose": b"This line is a sentence of a mail, 12 % of it.\n" * (size // 47),
        "numbers": b"1 2 3 4 5 6 7 8 9 10\n" * (size // 21),
        "percent": b"1.00% a\n" * (size // 8),
        "semicolons": b";" * size + b" 1\n",
        "one-stack": b"".join(b"f%d;" % i for i in range(size // 7)) + b"f 1\n",
        "brackets": b"[" * size + b"\n",
        "braces": b'{"a":' * (size // 5) + b"\n",
        "headings": b"# Overhead  Command  Shared Object  Symbol\n#\n" * (size // 45),
        "zero": b"\0" * size,
        "backslash": b"main;a \\\n" * (size // 9),
        "mailbox": b"From a@example.org Mon Jan  1 00:00:00 2024\nSubject: a\n\nmain;a 1\n\n" * (size // 66),
        "base64": b"Content-Transfer-Encoding: base64\n\n" + b"bWFpbjthIDEK" * (size // 12) + b"\n",
        "equals": b"Content-Type: text/plain\nContent-Transfer-Encoding: quoted-printable\n\n" + b"=3D" * (size // 3),
    }


def chunks(size, ends):
    """Binary inputs that may be joined: {way: bytes}"""
    found = {}
    for path in glob.glob(os.path.join(TOP, "tests/fuzz/corpus", ends, "*")):
        with open(path, "rb") as f:
            data = f.read()
        if len(data) > len(found.get("made", b"")):
            found["made"] = data
    return {way: data * (size // len(data) + 1) for way, data in found.items()}


class Generators:
    """Programs of tests/bench that make inputs."""

    def __init__(self):
        self.folder = tempfile.mkdtemp()
        self.made = {}

    def run(self, name, *words):
        """Output of generator @name."""
        exe = os.path.join(self.folder, name)
        if name not in self.made:
            subprocess.run(["cc", "-O1", "-D_GNU_SOURCE", "-o", exe, os.path.join(TOP, "tests/bench", name + ".c")],
                           check=True)
            self.made[name] = True
        return subprocess.run([exe, *map(str, words)], capture_output=True, check=True).stdout


def variants(name, path, size, generators):
    """{way: input of about @size bytes} of a format"""
    if name == "c_source":
        return sources(size)
    if name == "document":
        return documents(size)
    if name in ("jfr", "pprof", "otlp", "go_trace"):
        return chunks(size, name)
    if name == "trace_dat":
        return {"made": generators.run("gen_trace_dat", size)}
    if name == "perf_data":
        ways = {}
        for one in sorted(glob.glob(os.path.join(TOP, "tests/fuzz/corpus/perf_data/*")),
                          key=os.path.getsize, reverse=True)[:4]:
            try:
                ways[os.path.basename(one)[:6]] = generators.run("gen_perf_data", one, size)
            except subprocess.CalledProcessError:
                continue
        return ways
    with open(path, "rb") as f:
        data = f.read()
    try:
        value = json.loads(data)
        return {"lists": json.dumps(longer(value, size // len(data) + 1)).encode()}
    except (ValueError, UnicodeDecodeError):
        pass
    if b"\0" in data:
        return {"copies": data * (size // len(data) + 1)}
    data += b"" if data.endswith(b"\n") else b"\n"
    return {"copies": data * (size // len(data) + 1), "others": others(data, size), "rows": rows(data, size),
            "line": data.replace(b"\n", b" ") * (size // len(data) + 1) + b"\n"}


def damaged(data):
    """@data with one byte in 500 replaced."""
    dice = random.Random(27)
    data = bytearray(data)
    for _ in range(len(data) // 500):
        data[dice.randrange(len(data))] = dice.choice(b"\0\xff\x7f\x80 \n0199;:%,()<>{}[]aZ\x01\x10")
    return bytes(data)


def watch(pid, peak, is_over):
    """The largest resident memory of @pid and its children while it runs; they are confined."""
    while not is_over.wait(0.01):
        try:
            with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
                for child in [pid, *f.read().split()]:
                    with open(f"/proc/{child}/status", encoding="utf-8", errors="replace") as g:
                        found = re.search(r"VmHWM:\s+([0-9]+)", g.read())
                    peak[0] = max(peak[0], int(found.group(1)) if found else 0)
        except (OSError, ValueError):
            continue


# Runs a program and prints its peak of memory in kB, or its own of 9 MB if that is larger.
STARTER = """import os, sys
null = os.open(os.devnull, os.O_RDWR)
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ,
                     file_actions=[(os.POSIX_SPAWN_DUP2, null, i) for i in range(3)])
print(os.wait4(pid, 0)[2].ru_maxrss)"""
STARTER_KB = 10000


def measure(command, has_memory):
    """(CPU seconds, peak kB of one process, status) of a run."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as p:
        peak = [0]
        is_over = threading.Event()
        thread = threading.Thread(target=watch, args=(p.pid, peak, is_over))
        if has_memory:
            thread.start()
        _, status, used = os.wait4(p.pid, 0)
        p.returncode = status
        is_over.set()
        if has_memory:
            thread.join()
    # the kernel counts the memory of this script, too, until the program starts
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    most = used.ru_maxrss if used.ru_maxrss > own else 0
    if has_memory and max(peak[0], most) < STARTER_KB:
        # it ended before watch() saw its peak
        most = int(subprocess.run([sys.executable, "-I", "-S", "-c", STARTER, *command],
                                  capture_output=True, check=True).stdout)
    return used.ru_utime + used.ru_stime, max(peak[0], most), status


class Growth:
    """The table."""

    def __init__(self, assay, seed, is_memory=False):
        self.assay = assay
        self.seed = seed
        self.is_memory = is_memory
        self.factors = {}  # of a command: [(factor, input)]
        self.counts = {}  # of a command: number of inputs
        self.slowest = {}  # of a command: (CPU seconds of the double size, input)
        self.memory = {}  # of a format: (kB, way)
        self.wanted = ["explain"] if is_memory else os.environ.get("BENCH_COMMANDS", ",".join(COMMANDS)).split(",")
        self.folder = os.path.join(WORK, "growth")
        self.bad = []
        self.tiny = {}
        os.makedirs(self.folder, exist_ok=True)

    def run(self, words, name):
        """measure() of a command on the file @name"""
        path = os.path.join(self.folder, name)
        out = os.path.join(self.folder, "out.html")
        command = [self.assay] + [{"FILE": path, "OUT": out}.get(w, w) for w in words]
        found = measure(command + ["--limit", f"seconds={SECONDS}"], "explain" in self.wanted or "risk" in self.wanted)
        if os.path.exists(out):
            os.unlink(out)
        return found

    def base(self, command):
        """CPU seconds of a tiny input"""
        if command not in self.tiny:
            name = "tiny.c" if command == "risk" else "tiny"
            with open(os.path.join(self.folder, name), "wb") as f:
                f.write(b"int f(int a)\n{\n\treturn a;\n}\n" if command == "risk" else b"main;a 1\n")
            self.tiny[command] = min(self.run(COMMANDS[command], name)[0] for _ in range(3))
        return self.tiny[command]

    def cell(self, command, small, large):
        """(text, kB, CPU seconds of @large) for two inputs and a command"""
        words = COMMANDS[command]
        if self.is_memory:
            return "", self.run(words, large)[1], 0
        base = self.base(command)
        one = self.run(words, small)
        two = self.run(words, large)
        first, second = one[0] - base, two[0] - base
        if second < SHORT:
            return "", two[1], second
        for _ in range(2):
            if first > 0 and second / first <= (FACTOR * 0.9) ** 2:
                break
            first = min(first, self.run(words, small)[0] - base) if first < 5 else first
            second = min(second, self.run(words, large)[0] - base) if second < 5 else second
        return f"{math.sqrt(second / max(first, 0.001)):.2f}", two[1], second

    def needs(self, file):
        """Whether a command reads inputs of this name of SIZES."""
        return any((self.is_memory is False or file == "large") and (self.seed is not None and c not in ("explain", "risk")) == file.startswith("half-")
                   for c in self.wanted)

    def is_drawn(self, name, command, way, ways):
        """Whether @command reads this input. Without --sample each does."""
        if self.seed is None or command == "risk":
            return True
        drawn = zlib.crc32(f"{self.seed} {name} {command}".encode())
        ways = [w for w in ways if w != "line"] or ways
        if command == "explain":
            return way in ("damaged", ways[drawn % len(ways)])
        return drawn % PAIRS == 0 and ways[drawn // PAIRS % len(ways)] == way

    def write(self, sizes, end):
        """Make the files of an input."""
        for file, data in sizes.items():
            with open(os.path.join(self.folder, file + end), "wb") as f:
                f.write(data)

    def row(self, name, way, sizes, ways, larger):
        """
        Print the row of one input; @sizes: its bytes by the names of SIZES; @larger: a function for
        those of four times the size.
        """
        end = ".c" if name == "c_source" else ""
        commands = [c for c in self.wanted if (c == "risk") == (name == "c_source") and self.is_drawn(name, c, way, ways)]
        if not commands:
            return
        self.write(sizes, end)
        cells = []
        most = 0
        for command in commands:
            half = "half-" if self.seed is not None and command not in ("explain", "risk") else ""
            text, kb, seconds = self.cell(command, half + "small" + end, half + "large" + end)
            if text and float(text) > FACTOR - 0.2:
                self.write(larger(), end)
                text, kb, seconds = self.cell(command, half + "small" + end, half + "large" + end)
                self.write(sizes, end)
            most = max(most, kb)
            self.slowest[command] = max(self.slowest.get(command, (0, "")), (seconds, f"{name}, {way}"))
            self.counts[command] = self.counts.get(command, 0) + 1
            if not text:
                continue
            cells.append(f"{command} {text}")
            self.factors.setdefault(command, []).append((float(text), f"{name}, {way}"))
            if float(text) > FACTOR:
                self.bad.append(f"{name} {way} {command}: {text}")
        self.memory[name] = max(self.memory.get(name, (0, "")), (most, way))
        if most > MEGABYTES * 1024:
            self.bad.append(f"{name} {way}: {most // 1024} MB")
        print(f"{name:18} {way:12} {max(map(len, sizes.values())) / 1e6:5.1f} {most // 1024:5}  {' '.join(cells)}", flush=True)

    def page(self):
        """The tables as Markdown."""
        rows = ["| command | inputs | measurable | median factor | largest factor | slowest, s |",
                "|---|---|---|---|---|---|"]
        for command in self.wanted:
            found = self.factors.get(command, [])
            if command not in self.counts:
                continue
            seconds, where = self.slowest[command]
            cells = [f"{statistics.median(f for f, _ in found):.1f}", "{:.1f} ({})".format(*max(found))] if found else ["", ""]
            rows.append(" | ".join([f"| {command}", str(self.counts[command]), str(len(found)), *cells,
                                    f"{seconds:.1f} ({where}) |"]))
        rows += ["", "| reader | MB | way |", "|---|---|---|"]
        for name, (kb, way) in sorted(self.memory.items()):
            rows.append(f"| {name.replace('_', '-')} | {kb // 1024} | {way} |")
        return "\n".join(rows) + "\n"


def sizes_of(growth, name, path, generators, times):
    """The inputs of a format, by the names of SIZES and by way."""
    made = {file: variants(name, path, times * size, generators) for file, size in SIZES.items() if growth.needs(file)}
    for of in made.values():
        for way in [w for w in ("made", "lists", "copies") if w in of][:1]:
            of["damaged"] = damaged(of[way])
    return made


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--sample", type=int)
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--page")
    parser.add_argument("assay")
    parser.add_argument("formats", nargs="*")
    options = parser.parse_args()
    growth = Growth(os.path.abspath(options.assay), options.sample, options.memory)
    generators = Generators()
    paths = dict.fromkeys(["c_source", "document", "jfr", "pprof", "otlp", "go_trace", "trace_dat", "perf_data"])
    for name, path in inputs(growth.assay).items():
        paths.setdefault(name.replace("-", "_"), path)
    print(f"{'format':18} {'way':12} {'MB in':>5} {'MB':>5}  growth of CPU time by command")
    # drawn, so that an interrupted run is a sample, too
    order = sorted(paths) if options.sample is None else sorted(
        paths, key=lambda name: zlib.crc32(f"{options.sample} {name}".encode()))
    for name in order:
        if options.formats and name not in options.formats:
            continue
        made = sizes_of(growth, name, paths[name], generators, 1)
        ways = list(next(iter(made.values())))
        for way in ways:
            larger = lambda n=name, w=way: {file: of[w] for file, of in
                                            sizes_of(growth, n, paths[n], generators, 4).items()}
            growth.row(name, way, {file: of[way] for file, of in made.items()}, ways, larger)
    shutil.rmtree(generators.folder)
    shutil.rmtree(growth.folder)
    print(growth.page())
    if options.page:
        with open(options.page, "w", encoding="utf-8") as f:
            f.write(growth.page())
    for line in growth.bad:
        print("too much:", line)
    sys.exit(1 if growth.bad else 0)


if __name__ == "__main__":
    main()
