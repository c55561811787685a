#!/usr/bin/env python3
"""Recordings made here by perf record, read by perf and by assay: the same rows.

  tests/compare/perf_data.py build/assay

Each recording is reported by `perf report --stdio -F overhead,sample,comm,dso,sym`
and by `assay report`: the tables must be equal row for row, with samples. With
chains the children percentages must be equal too, and the folded stacks must be
those of `perf script`. TAP on stdout. Skipped with a word where perf cannot
record.
"""
import collections
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import swapped

# one line that runs long enough for some hundred samples, in several processes
LOAD = "for i in 1 2; do find /usr/lib /usr/share -name 'lib*' | sort | md5sum; done"
SHELL = ["sh", "-c", LOAD]
# what the compiler leaves no frame pointers in: calls, recursion, libc and libstdc++, signals
DEEP = """
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <sys/time.h>
#include <vector>
static volatile long sink;
static void on_alarm(int) { for (int i = 0; i < 20000; i++) sink += i; }
struct Item { std::string name; int n; };
__attribute__((noinline)) static long leaf(const std::vector<Item> &v)
{ long s = 0; for (auto &i : v) s += i.n ^ (long)i.name.size(); return s; }
__attribute__((noinline)) static void work(int depth, std::vector<Item> &v) {
  char buffer[200]; memset(buffer, depth, sizeof buffer);
  if (depth) { work(depth - 1, v); sink += buffer[depth % 200]; return; }
  std::sort(v.begin(), v.end(), [](const Item &a, const Item &b) { return a.name < b.name; });
  for (auto &i : v) { char t[64];
    snprintf(t, sizeof t, "%d-%s", i.n * 7919 % 1000, i.name.substr(0, 3).c_str()); i.name = t; }
  sink += leaf(v);
}
int main() {
  std::vector<Item> v; for (int i = 0; i < 500; i++) v.push_back({std::to_string(i * 31337), i});
  struct itimerval t = {{0, 2000}, {0, 2000}};
  signal(SIGALRM, on_alarm); setitimer(ITIMER_REAL, &t, 0);
  for (int i = 0; i < 6000; i++) work(i % 60, v);
  return sink == 42;
}
"""
# inlined into each other; of C, as addr2line, which perf asks, misnames what has no linkage name
INLINED = """
#include <stddef.h>
static volatile long sink;
static inline __attribute__((always_inline)) long mix(long a)
{ for (int i = 0; i < 5; i++) a = a * 31 + (a >> 7) + sink; return a; }
static inline __attribute__((always_inline)) long twice(long a) { return mix(a) + mix(a + 1); }
static inline __attribute__((always_inline)) long often(long a)
{ long s = 0; for (int i = 0; i < 20; i++) s += twice(a + i); return s; }
__attribute__((noinline)) long work(int depth, long a)
{ long s = often(a); if (depth) s += work(depth - 1, s) + 1; sink = s; return s; }
int main() { long s = 0; for (int i = 0; i < 400000; i++) s += work(i % 9, s) + mix(s); return s == 42; }
"""
# machine code in an anonymous map, two of its three functions in the map file of JIT compilers
JIT = r"""
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, /* push rbp; mov rbp, rsp */
  0xb9, 0x40, 0x0d, 0x03, 0x00, 0xff, 0xc9, 0x75, 0xfc, /* mov ecx, 200000; dec ecx; jnz */
  0x5d, 0xc3 };
int main(int argc, char **argv) {
  char name[64], *page = mmap(0, 8192, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  FILE *map, *pid = fopen(argv[1], "w");
  fprintf(pid, "%d", (int)getpid()); fclose(pid);
  snprintf(name, sizeof name, "/tmp/perf-%d.map", (int)getpid()); map = fopen(name, "w");
  for (int i = 0; i < 3; i++) { memcpy(page + 64 * i, code, sizeof code);
    if (i < 2) fprintf(map, "%lx %x script::function_%d at file.js:%d\n",
                       (long)(page + 64 * i), 32, i, i); }
  fclose(map);
  for (int n = 0; n < 2000; n++) ((void (*)(void))(page + 64 * (n % 3)))();
  return argc - 2; }
"""
# 298 multiplications, run by the kernel a million times
BPF = r"""
#include <linux/bpf.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void) {
  struct bpf_insn code[300]; int n = 0, fd; union bpf_attr a; char data[64] = { 0 };
  code[n++] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = 1 };
  while (n < 298) code[n++] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MUL | BPF_K, .imm = 3 };
  code[n++] = (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT };
  memset(&a, 0, sizeof a); a.prog_type = BPF_PROG_TYPE_SOCKET_FILTER; a.insn_cnt = n;
  a.insns = (unsigned long)code; a.license = (unsigned long)"GPL";
  strcpy(a.prog_name, "busy_filter");
  fd = syscall(SYS_bpf, BPF_PROG_LOAD, &a, sizeof a);
  memset(&a, 0, sizeof a); a.test.prog_fd = fd; a.test.data_in = (unsigned long)data;
  a.test.data_size_in = sizeof data; a.test.repeat = 1000000;
  return fd < 0 || syscall(SYS_bpf, BPF_PROG_TEST_RUN, &a, sizeof a); }
"""
CASES = [
    ("cpu-clock", ["-e", "cpu-clock", "-F", "2000"], SHELL),
    ("page-faults", ["-e", "page-faults", "-c", "1"], SHELL),
    ("frame-pointers", ["-e", "cpu-clock", "-F", "2000", "-g"], SHELL),
    ("dwarf-leaf", ["-e", "cpu-clock", "-F", "500", "--call-graph", "dwarf,2048"], SHELL),
    ("dwarf", ["-e", "cpu-clock", "-F", "2000", "--call-graph", "dwarf,4096"],
     # in some programs perf gives the first entry of the PLT to _init, which has no size
     (DEEP, ["-O2", "-fomit-frame-pointer", "-fno-plt"])),
    ("inline", ["-e", "cpu-clock", "-F", "2000", "--call-graph", "dwarf,4096"],
     (INLINED, ["-x", "c", "-O2", "-g", "-fomit-frame-pointer"])),
    ("jit-map", ["-e", "cpu-clock", "-F", "2000", "-g"],
     (JIT, ["-x", "c", "-O1", "-fno-omit-frame-pointer"])),
    ("bpf", ["-e", "cpu-clock", "-F", "2000", "-g"], (BPF, ["-x", "c", "-O1"])),
    ("zstd", ["-e", "cpu-clock", "-F", "2000", "-g", "-z"], SHELL),
    ("all-cpus", ["-e", "cpu-clock", "-F", "2000", "-g", "-a"], SHELL),
    ("two-events", ["-e", "cpu-clock,page-faults", "-F", "2000"], SHELL),
    ("namespaces-cgroups", ["-e", "cpu-clock", "-F", "2000", "--namespaces"], SHELL),
    ("tracepoint", ["-e", "sched:sched_switch", "-a"], SHELL),
    ("cplusplus", ["-e", "cpu-clock", "-F", "4000", "-g"], "shop"),
    ("directory", ["--threads", "-e", "cpu-clock", "-F", "997", "-a"], SHELL),
    ("pipe", ["-e", "cpu-clock", "-F", "2000", "-g", "-o", "-"], SHELL),
    ("pipe-zstd", ["-e", "cpu-clock", "-F", "2000", "-g", "-z", "-o", "-"], SHELL),
    ("pipe-several", ["-e", "cpu-clock,page-faults,sched:sched_switch", "-o", "-"], SHELL),
    ("group-read", ["-e", "{cpu-clock,page-faults}:S", "-F", "2000"], SHELL),
    ("data-addresses", ["-e", "page-faults", "-c", "1", "-d"], SHELL),
    ("switches", ["-e", "cpu-clock", "-F", "2000", "--switch-events", "-k", "CLOCK_MONOTONIC"], SHELL),
    ("map-build-ids", ["-e", "cpu-clock", "-F", "2000", "-g", "--buildid-mmap"], SHELL),
    ("per-thread", ["-e", "cpu-clock", "-F", "2000", "--per-thread"], SHELL),
    ("zstd-dwarf-leaf", ["-e", "cpu-clock", "-F", "500", "--call-graph", "dwarf,2048", "-z"], SHELL),
]
CPLUSPLUS = """
#include <map>
#include <string>
namespace shop { template <class T> struct Box { T v; T get(int a) const; operator bool() const; };
template <class T> __attribute__((noinline)) T Box<T>::get(int a) const
{ volatile int x = 0; for (int i = 0; i < 30; i++) x += a; return v + x; }
template <class T> __attribute__((noinline)) Box<T>::operator bool() const
{ volatile int x = 0; for (int i = 0; i < 30; i++) x += i; return x > 0; } }
int main() { std::map<std::string, int> m; long s = 0;
for (int i = 0; i < 300000; i++) { shop::Box<int> b{i}; s += b.get(3); if (b) s++;
m[std::to_string(i % 1000)] += i; } return s == 42; }
"""


def run(command, **kw):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, **kw)


def compile_program(name, source, flags, folder):
    """The command that runs a C++ program of the test, or None without a compiler."""
    program = os.path.join(folder, name)
    with open(program + ".cc", "w", encoding="ascii") as f:
        f.write(source)
    if not shutil.which("g++") or run(["g++", *flags, "-o", program, program + ".cc"]).returncode:
        return None
    return [program, program + ".pid"]


def remove_maps(folder):
    """The map files that programs of the test left in /tmp."""
    for name in os.listdir(folder):
        if name.endswith(".pid"):
            with open(os.path.join(folder, name), encoding="ascii") as f:
                pid = f.read()
            if pid.isdigit() and os.path.exists("/tmp/perf-%s.map" % pid):
                os.unlink("/tmp/perf-%s.map" % pid)


def record(name, options, command, folder):
    """The path of a recording, or None; a busy machine refuses one now and then."""
    for _ in range(3):
        path = record_once(name, options, command, folder)
        if path:
            return path
    return None


def record_once(name, options, command, folder):
    path = os.path.join(folder, name + ".data")
    if command == "shop":
        command = (CPLUSPLUS, ["-O1", "-fno-omit-frame-pointer"])
    if isinstance(command, tuple):
        command = compile_program("program-" + name, *command, folder)
    if command is None:
        return None
    if options[0] == "--threads":
        done = run(["perf", "record", *options, "-o", path, "--", *command])
        return path if os.path.isdir(path) else None
    if options[-1] == "-":
        done = run(["perf", "record", *options, "--", "sh", "-c", " ".join(["exec >/dev/null;", LOAD])])
        with open(path, "wb") as f:
            f.write(done.stdout)
    else:
        done = run(["perf", "record", *options, "-o", path, "--", *command])
    return path if done.returncode == 0 and os.path.getsize(path) else None


def cut(name):
    """perf prints no more than about 400 bytes of a row."""
    return name[:360]


class PerfFailed(Exception):
    """perf fails on its own recording, without a row."""


def perf_rows(path, options=()):
    done = run(["perf", "report", "--stdio", "-i", path, "--no-children", "-g", "none", "-F",
                "overhead,sample,comm,dso,sym", "-w", "9,9,40,200,8000", "-t", ";", *options])
    rows = collections.Counter()
    same = {}  # a column whose cells are all equal is told above the table
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        told = re.match(r"# (comm|dso|symbol): (.*)", line)
        if told:
            same[told.group(1)] = told.group(2).strip()
        if line.startswith("#") or not line.strip():
            continue
        cells = [w.strip() for w in line.split(";", 4 - len(same))]
        row = [cells.pop(0), cells.pop(0)]
        for name in ("comm", "dso", "symbol"):
            row.append(cut(same[name] if name in same else cells.pop(0)))
        if "symbol" in same:
            row[4] = row[4].split("] ")[-1]  # perf leaves the level out then, or not
        rows[tuple(row)] += 1
    if not rows and done.returncode:
        raise PerfFailed("perf report ends with status %d" % done.returncode)
    return rows


def perf_rows_of_threads(path, options):
    """
    Without a column of threads perf shows rows of which one sample passes in whole, and hides
    others in whole: with the column it is exact. Overheads are left out, samples added up.
    """
    out = run(["perf", "report", "--stdio", "-i", path, "--no-children", "-g", "none", "-F",
               "overhead,sample,pid,comm,dso,sym", "-w", "9,9,40,40,200,8000", "-t", ";", *options]).stdout.decode("utf-8", "replace")
    sums = collections.Counter()
    for line in out.splitlines():
        if not line.startswith("#") and line.strip():
            _, samples, _, *names = [cut(w.strip()) for w in line.split(";", 5)]
            sums[tuple(names)] += int(samples)
    return collections.Counter({("", str(n), *names): 1 for names, n in sums.items()})


def assay_rows(assay, path, options=()):
    out = run([assay, "report", "--json", "--no-children", "-g", "none", *options, path]).stdout
    rows = collections.Counter()
    for capture in json.loads(out or '{"captures": []}')["captures"]:
        for row in capture["rows"]:
            level = {"kernel": "k", "bpf": "k", "user": ".", "vdso": ".", "jit": "."}.get(
                row.get("space", ""), row.get("level", " "))
            rows[("%.2f%%" % row["self"], str(row["samples"]), row["comm"], row["dso"],
                  cut("[%s] %s" % (level, row["symbol"])))] += 1
    return rows


def tidy(frame):
    """Folded stacks leave parameters out, as stackcollapse-perf.pl does."""
    return re.sub(r"\(.*", "", frame)


def folded_frame(line):
    """A line of perf script, as stackcollapse-perf.pl has it: the module for an unknown symbol."""
    unknown = re.match(r"\s*[0-9a-f]+ \[unknown\] \((.*)\)$", line)
    if unknown:
        return "[unknown]" if unknown.group(1) == "[unknown]" else "[%s]" % unknown.group(1).rsplit("/", 1)[-1]
    return tidy(re.match(r"\s*[0-9a-f]+ (.*) \(.*?\)$", line).group(1))


def perf_folded(path):
    out = run(["perf", "script", "--no-inline", "-i", path, "-F", "comm,ip,sym,dso"]).stdout.decode("utf-8", "replace")
    stacks = collections.Counter()
    for block in out.split("\n\n"):
        lines = [line for line in block.splitlines() if line.strip()]
        if lines:
            frames = [folded_frame(line) for line in lines[1:]]
            stacks[";".join([lines[0].strip().replace(" ", "_"), *reversed(frames)])] += 1
    return stacks


def perf_single(path):
    """Folded stacks of recordings without chains, which perf script prints in a line."""
    out = run(["perf", "script", "-i", path, "-F", "comm,ip,sym"]).stdout.decode("utf-8", "replace")
    stacks = set()
    for line in out.splitlines():
        told = re.match(r"\s*(.*?)\s+[0-9a-f]+ (.*)", line)
        stacks.add((told.group(1).replace(" ", "_") + ";" + tidy(told.group(2))) if told else line)
    return collections.Counter(stacks)


def assay_single(assay, path):
    """The same for all events; the table has the number of samples of each."""
    regions = json.loads(run([assay, "info", "--json", path]).stdout)["inputs"][0]["regions"]
    stacks = set()
    for number in range(1, len(regions) + 1):
        stacks |= set(assay_folded(assay, path, 1, "--capture", str(number)))
    return collections.Counter(stacks)


def perf_frames(path, *options):
    """Of each sample the command and its (address, name) pairs, innermost first."""
    out = run(["perf", "script", *options, "-i", path, "-F", "comm,ip,sym"]).stdout.decode("utf-8", "replace")
    for block in out.split("\n\n"):
        lines = [line for line in block.splitlines() if line.strip()]
        if lines:
            yield (lines[0].strip().replace(" ", "_"),
                   [re.match(r"\s*([0-9a-f]+) (.*)", line).groups() for line in lines[1:]])


def perf_inlined(path):
    """
    Folded stacks with inlined functions. The name that addr2line has for the
    function itself is replaced by the symbol, which perf calls inlined where the
    two differ; in recursion the same address comes several times.
    """
    stacks = collections.Counter()
    for (comm, plain), (_, full) in zip(perf_frames(path, "--no-inline"), perf_frames(path, "--inline")):
        stack = []
        while plain:
            calls = sum(1 for _ in itertools.takewhile(lambda f, ip=plain[0][0]: f[0] == ip, plain))
            names = [name for ip, name in itertools.takewhile(
                lambda f, ip=plain[0][0]: f[0] == ip, full)]
            full = full[len(names):]
            for i in range(calls):
                group = names[i * len(names) // calls:(i + 1) * len(names) // calls]
                stack += [tidy(name.replace(" (inlined)", "")) + "_[i]" for name in group[:-1]]
                stack.append(tidy(plain[i][1]))
            plain = plain[calls:]
        stacks[";".join([comm, *reversed(stack)])] += 1
    return stacks


def assay_folded(assay, path, counts_are_samples, *options, has_modules=False):
    out = run([assay, "convert", "--to", "folded", *options, path]).stdout.decode("utf-8", "replace")
    stacks = collections.Counter()
    for line in out.splitlines():
        stack, count = line.rsplit(" ", 1)
        frames = [tidy(f) if not re.match(r"\[.*\]$", f) else f if has_modules else "[unknown]"
                  for f in stack.split(";")]
        stacks[";".join(frames)] += int(count) // counts_are_samples
    return stacks


def without_garbage(ours, theirs):
    """Of a chain that is garbage perf script prints no frame, assay keeps the sampled place."""
    for comm in [stack for stack in theirs if ";" not in stack]:
        for stack in [s for s in ours if s.startswith(comm + ";") and s.count(";") == 1]:
            moved = min(theirs[comm] - ours[comm], max(0, ours[stack] - theirs[stack]))
            ours[stack] -= moved
            ours[comm] += moved
    return ours


def differences(ours, theirs):
    return theirs - ours, ours - theirs


def tell(number, name, tries, ours, theirs):
    missing, extra = differences(ours, theirs)
    if not ours and not theirs:
        print("ok %d - %s # SKIP nothing was sampled" % (number, name))
        return
    good = not missing and not extra and theirs
    note = "" if tries == 1 else " (recording %d)" % tries
    print("%s %d - %s: %d rows of perf, %d differ%s" %
          ("ok" if good else "not ok", number, name, sum(theirs.values()),
           sum(missing.values()), note))
    for row in list(missing)[:5]:
        print("# only perf:  %r" % (row,))
    for row in list(extra)[:5]:
        print("# only assay: %r" % (row,))
    sys.stdout.flush()


def read_both(assay, path, options):
    """(name, ours, theirs) of the table and, with chains, of the folded stacks."""
    yield "", assay_rows(assay, path), perf_rows(path, ["--no-group"] if path.endswith("/group-read.data") else ())
    # Not for a shell with DWARF: perf takes a module's place from the lowest of its maps, also
    # of those from before exec, and then loses most callers.
    if "-g" in options or path.endswith("/dwarf.data"):
        theirs = perf_folded(path)
        period = 500000 if "2000" in options else 250000
        yield ", folded", without_garbage(
            assay_folded(assay, path, period, has_modules=True), theirs), theirs
    elif not any(word in options for word in ("--call-graph", "-a", "--threads")):
        yield ", folded", assay_single(assay, path), perf_single(path)
    if path.endswith("/inline.data"):
        yield ", folded", assay_folded(assay, path, 500000, "--inline"), perf_inlined(path)


def chosen(path):
    """Options that choose samples of a recording, in perf's words."""
    times = [float(line) for line in
             re.findall(r"(\d+\.\d+):", run(["perf", "script", "--ns", "-i", path, "-F", "time"]).stdout
                        .decode())]
    tids = collections.Counter(run(["perf", "script", "-i", path, "-F", "tid"]).stdout.decode().split())
    pids = collections.Counter(run(["perf", "script", "-i", path, "-F", "pid"]).stdout.decode().split())
    start, stop = min(times), max(times)
    cut = ["%.9f" % (start + (stop - start) * share) for share in (0.2, 0.4, 0.6, 0.8)]
    yield ["--comm", "find"]
    yield ["--comm", "find,sort"]
    yield ["--comm", "find", "--percentage", "relative"]
    yield ["-C", "0"]
    yield ["--cpu", "0-1"]
    yield ["--tid", tids.most_common(2)[-1][0]]
    yield ["--pid", ",".join(pid for pid, _ in pids.most_common(3))]
    yield ["--time", cut[0] + "," + cut[2]]
    yield ["--time", "," + cut[1]]
    yield ["--time", cut[1] + ","]
    yield ["--time", "%s,%s %s,%s" % tuple(cut)]
    yield ["--time", "10%-30%"]
    yield ["--time", "10%-20%,50%-80%"]
    yield ["--time", "10%/2,10%/5"]
    yield ["--dso", "[kernel.kallsyms]"]
    yield ["--dsos", "libc.so.6,find"]
    yield ["--symbols", "do_syscall_64"]
    yield ["--comm", "find", "-C", "1", "--time", "20%-90%"]


def unquoted(line):
    """A line of a header without quotes: assay prints a command line as a shell takes it, perf the bare words."""
    return re.sub(r"[\\']", "", line) if line.startswith("# cmdline") else line


def header_lines(text):
    """Lines of a header that both print in the same words."""
    keys = ("hostname", "os release", "perf version", "arch", "nrcpus online", "nrcpus avail", "cpudesc",
            "cpuid", "total memory", "cmdline", "sibling", "CPU ", "pmu mappings", "time of", "node0")
    lines = collections.Counter()
    for line in text.decode("utf-8", "replace").splitlines():
        if line.startswith("# ") and line[2:].startswith(keys) and not line.startswith("# CPU cache"):
            lines[re.sub(r"\s+", " ", unquoted(line)).strip()] += 1
    return lines


def group_rows(assay, path):
    """Rows of the events side by side: (overheads, samples, comm, dso, symbol)."""
    theirs = collections.Counter()
    out = run(["perf", "report", "--stdio", "--group", "-i", path, "--no-children", "-g", "none", "-F",
               "overhead,sample,comm,dso,sym", "-w", "20,20,40,200,8000", "-t", ";"]).stdout
    for line in out.decode("utf-8", "replace").splitlines():
        if not line.startswith("#") and line.strip():
            cells = [re.sub(r"\s+", " ", w.strip()) for w in line.split(";", 4)]
            theirs[tuple(cells)] += 1
    ours = collections.Counter()
    out = run([assay, "report", "--json", "--group", "--no-children", path]).stdout
    for row in json.loads(out)["captures"][0]["rows"]:
        level = {"kernel": "k", "bpf": "k"}.get(row.get("space", ""), ".")
        ours[("%.2f%% %.2f%%" % (row["self"], row["self_2"]),
              "%d %d" % (row["samples"], row["samples_2"]), row["comm"], row["dso"],
              "[%s] %s" % (level, row["symbol"]))] += 1
    return ours, theirs


def words(assay, folder, number):
    """--header, and --group over two events."""
    path = record("words", ["-e", "{cpu-clock,page-faults}", "-F", "2000"], SHELL, folder)
    if not path:
        return number
    tell(number + 1, "header", 1,
         header_lines(run([assay, "report", "--format", "perf", "--header-only", path]).stdout),
         header_lines(run(["perf", "report", "--header-only", "-I", "-i", path]).stdout))
    tell(number + 2, "--group", 1, *group_rows(assay, path))
    return number + 2


def field_rows(assay, path, keys):
    """Rows by fields of tracepoints: (event, samples, words)."""
    theirs = collections.Counter()
    out = run(["perf", "report", "--stdio", "-n", "-i", path, "--no-children", "-g", "none", "--sort", ",".join(keys),
               "-w", ",".join(["2000"] * len(keys)), "-t", ";"]).stdout.decode("utf-8", "replace")
    event = ""
    for line in out.splitlines():
        told = re.match(r"# Samples: \S+\s+of event '(.*)'", line)
        event = told.group(1) if told else event
        if not line.startswith("#") and line.strip():
            _, samples, *words = [w.strip() for w in line.split(";", 1 + len(keys))]
            theirs[(event, samples, *words)] += 1
    ours = collections.Counter()
    out = run([assay, "report", "--json", "--no-children", "--sort", ",".join(keys), path]).stdout
    for capture in json.loads(out or '{"captures": []}')["captures"]:
        for row in capture["rows"]:
            ours[(capture["event"], str(row["samples"]), *[str(row.get(k, "")).strip() for k in keys])] += 1
    return as_cut(ours, theirs), theirs


def as_cut(ours, theirs):
    """Ours, truncated like perf's: a column is as wide as its first texts."""
    for cut in theirs - ours:
        for row in ours - theirs:
            if row[:2] == cut[:2] and all(a.startswith(b) and b for a, b in zip(row[2:], cut[2:])):
                ours = ours - collections.Counter([row]) + collections.Counter([cut])
                break
    return ours


def tracepoints(assay, folder, number):
    for name, events, keys in (
            ("switches", "sched:sched_switch", ["prev_comm", "next_pid"]),
            ("states", "sched:sched_switch", ["prev_state", "prev_prio"]),
            ("trace", "sched:sched_switch", ["trace"]),
            ("wakeups", "sched:sched_wakeup", ["target_cpu", "comm"]),
            ("several", "sched:sched_switch,sched:sched_wakeup,sched:sched_process_exit", ["trace"]),
            ("calls", "raw_syscalls:sys_enter", ["id"]),
            ("returns", "syscalls:sys_exit_openat", ["trace"])):
        path = record(name, ["-e", events, "-a"], SHELL, folder)
        number += 1
        if path:
            tell(number, "fields of " + name, 1, *field_rows(assay, path, keys))
        else:
            print("ok %d - fields of %s # SKIP perf cannot record it here" % (number, name))
    return number


def other_order(assay, folder, number):
    """A recording as a machine of the other byte order would have written it."""
    for name, options in (("chains", ["-e", "cpu-clock", "-F", "2000", "-g"]),
                          ("events", ["-e", "cpu-clock,page-faults", "-F", "2000", "--namespaces"])):
        path = record(name, options, SHELL, folder)
        made = None
        if path:
            with open(path, "rb") as f:
                made = swapped.swapped(f.read())
        number += 1
        if not made:
            print("ok %d - the other byte order, %s # SKIP perf cannot record it here" % (number, name))
            continue
        with open(path, "wb") as f:
            f.write(made)
        for suffix, ours, theirs in read_both(assay, path, options):
            tell(number, "the other byte order, %s%s" % (name, suffix), 1, ours, theirs)
            number += 1
        tell(number, "the other byte order, %s, header" % name, 1,
             header_lines(run([assay, "report", "--format", "perf", "--header-only", path]).stdout),
             header_lines(run(["perf", "report", "--header-only", "-I", "-i", path]).stdout))
    return number


def cgroups(assay, folder, number):
    path = record("cgroups", ["-e", "cpu-clock", "-F", "500", "-a", "--all-cgroups"], SHELL, folder)
    if not path:
        print("ok %d - cgroups # SKIP perf cannot record it here" % (number + 1))
    else:
        tell(number + 1, "cgroups", 1, *field_rows(assay, path, ["cgroup"]))
    return number + 1


def choices(assay, folder, number):
    """One recording, reported with the options that choose some of it."""
    path = record("chosen", ["-e", "cpu-clock", "-F", "2000"], SHELL, folder)
    if not path:
        return number
    for options in chosen(path):
        number += 1
        ours = assay_rows(assay, path, options)
        if options[0] in ("--pid", "--tid"):
            theirs = perf_rows_of_threads(path, options)
            sums = collections.Counter() # as theirs: functions of one name are one
            for row, n in ours.items():
                sums[row[2:]] += int(row[1]) * n
            ours = collections.Counter({("", str(n), *names): 1 for names, n in sums.items()})
        else:
            theirs = perf_rows(path, options)
        if options[0] == "--symbols":
            ours = collections.Counter({(*row[:4], row[4].split("] ")[-1]): n
                                        for row, n in ours.items()})
        tell(number, "chosen by " + " ".join(options), 1, ours, theirs)
    return number


def main():
    assay = os.path.abspath(sys.argv[1])
    perf = shutil.which("perf")
    number = 0
    with tempfile.TemporaryDirectory() as folder:
        if not perf or not record("try", ["-e", "cpu-clock"], ["true"], folder):
            print("1..0 # SKIP perf is not here or may not record")
            return
        for name, options, command in CASES:
            # The machine goes on while it is recorded, and perf resolves with what is there
            # when it reports: a file replaced or a module loaded in between differs once.
            for tries in (1, 2, 3):
                path = record(name, options, command, folder)
                results, why = [], "perf cannot record it here"
                try:
                    results = list(read_both(assay, path, options)) if path else []
                except PerfFailed as e:
                    why = str(e)
                remove_maps(folder)
                if (results or not path) and not any(any(differences(ours, theirs)) for _, ours, theirs in results):
                    break
            for suffix, ours, theirs in results:
                number += 1
                tell(number, name + suffix, tries, ours, theirs)
            if not results:
                number += 1
                print("ok %d - %s # SKIP %s" % (number, name, why))
        number = choices(assay, folder, number)
        number = words(assay, folder, number)
        number = tracepoints(assay, folder, number)
        number = cgroups(assay, folder, number)
        number = other_order(assay, folder, number)
    print("1..%d" % number)


if __name__ == "__main__":
    main()
