#!/usr/bin/env python3
"""Profiles as text against the tools' own figures: go tool pprof, pstats, gprof, callgrind, massif, dhat.

usage: profile_text.py ASSAY    (TAP; a tool that is missing is skipped)
Each tool records a program that is made here. What assay reads from the printed text is
compared with the binary profile, the tool's library, or a second look at its raw file.
"""
import cProfile
import io
import json
import pstats
import re
import shutil
import subprocess
import sys
import tempfile

ASSAY = sys.argv[1]
C = r"""
#include <stdlib.h>
struct box { struct box *next; char name[24]; };
static struct box *shelf;
static volatile long sink;
static void __attribute__((noinline)) turn(long n) { for (long i = 0; i < n; i++) sink += i % 7; }
static void __attribute__((noinline)) put(void) { struct box *b = malloc(sizeof *b); b->next = shelf; shelf = b; }
static void __attribute__((noinline)) fill(int n) { for (int i = 0; i < n; i++) put(); }
int main(int argc, char **argv) { (void)argv; for (int i = 0; i < 3; i++) { turn(argc > 1 ? 90000 : 60000000); fill(2000); } return 0; }
"""
GO = r"""
package main
import ("fmt"; "os"; "runtime/pprof"; "strings"; "time")
func build(n int) string { s := ""; for i := 0; i < n; i++ { s += fmt.Sprint(i) }; return s }
func main() {
	f, _ := os.Create("cpu.pb.gz")
	pprof.StartCPUProfile(f)
	for t := time.Now(); time.Since(t) < time.Second; { strings.Count(build(400), "9") }
	pprof.StopCPUProfile()
	f.Close()
}
"""
n = 0
failed = 0


def ok(passed, name, why=""):
    global n, failed
    n += 1
    failed += not passed
    print("%sok %d - %s" % ("" if passed else "not ", n, name))
    if why and not passed:
        print("# " + why)


def run(*args, **kw):
    return subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False, **kw).stdout


def captures(path):
    return json.loads(run(ASSAY, "report", "--json", path))["captures"]


def shares(path):
    """symbol -> (self, half-width, children or None), of the first capture."""
    ret = {}
    for r in [c for c in captures(path) if c["kind"] == "profile"][0]["rows"]:
        ret[r["symbol"]] = (r["self"], r.get("self_err") or 0, r.get("children"))
    return ret


def differences(got, wanted, slack=0.0051):
    """Functions whose self share differs by more than printing explains, or that are missing."""
    return ["%s: %s, not %.4f" % (name, got.get(name), w) for name, w in wanted.items()
            if name not in got or abs(got[name][0] - w) > got[name][1] + slack]


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


def check(name, tools, test, folder):
    missing = [t for t in tools if not shutil.which(t)]
    if missing:
        global n
        n += 1
        print("ok %d - %s # SKIP no %s" % (n, name, missing[0]))
        return
    found = test(folder)
    ok(not found, name, "; ".join(found[:5]))


def go(folder):
    write(folder + "/main.go", GO)
    subprocess.run(["go", "build", "-o", "shelfd", "main.go"], cwd=folder, check=True)
    subprocess.run(["./shelfd"], cwd=folder, check=True)
    whole = shares(folder + "/cpu.pb.gz")
    text = write(folder + "/top.txt", run("go", "tool", "pprof", "-top", "-nodefraction=0", "shelfd", "cpu.pb.gz", cwd=folder))
    got = shares(text)
    found = differences(got, {s: v[0] for s, v in whole.items() if v[0] > 0})
    found += ["%s: with callees %s, not %s" % (s, got[s][2], v[2]) for s, v in whole.items()
              if s in got and got[s][2] is not None and abs(got[s][2] - v[2]) > 0.0051]
    traces = write(folder + "/traces.txt", run("go", "tool", "pprof", "-traces", "shelfd", "cpu.pb.gz", cwd=folder))
    return found + differences(shares(traces), {s: v[0] for s, v in whole.items() if v[0] > 0})


def python(folder):
    profile = cProfile.Profile()
    profile.enable()
    for i in range(200):
        json.dumps([str(k) for k in range(500)])
        sorted(range(2000), key=lambda k: -k)
    profile.disable()
    out = io.StringIO()
    stats = pstats.Stats(profile, stream=out).sort_stats("tottime")
    stats.print_stats()
    wanted = {}
    for (file, line, name), (_, _, tottime, _, _) in stats.stats.items():
        key = name.replace("<built-in", "{built-in").replace(">", "}") if file == "~" else "%s:%d(%s)" % (file, line, name)
        key = re.sub(r"^<method (.*)}$", r"{method \1}", key)
        wanted[key] = 100 * tottime / stats.total_tt
    got = shares(write(folder + "/pstats.txt", out.getvalue()))
    return differences(got, wanted, 0.5 * 0.001 / stats.total_tt * 100)


def build(folder, name, *flags):
    write(folder + "/shelf.c", C)
    subprocess.run(["cc", "-O1", "-g", *flags, "-o", name, "shelf.c"], cwd=folder, check=True)


def gprof(folder):
    build(folder, "shelf-pg", "-pg")
    subprocess.run(["./shelf-pg"], cwd=folder, check=True)
    out = run("gprof", "./shelf-pg", "gmon.out", cwd=folder)
    wanted = {m[2]: float(m[1]) for m in re.finditer(r"^ *(\d+\.\d\d) +\d+\.\d\d +\d+\.\d\d .* (\w+) *$", out, re.M)}
    return differences(shares(write(folder + "/gprof.txt", out)), wanted) if wanted else ["nothing printed"]


def callgrind(folder):
    build(folder, "shelf")
    run("valgrind", "--tool=callgrind", "--callgrind-out-file=cg.out", "./shelf", "x", cwd=folder)
    out = run("callgrind_annotate", "--auto=no", "--threshold=100", "cg.out", cwd=folder)
    with open(folder + "/cg.out", encoding="utf-8") as f:
        raw = f.read()
    total = int(re.search(r"^(?:totals|summary): (\d+)", raw, re.M)[1])
    wanted = {m[2]: 100 * int(m[1].replace(",", "")) / total
              for m in re.finditer(r"^ *([\d,]+) .*shelf\.c:(\w+) \[", out, re.M)}
    found = differences(shares(write(folder + "/cga.txt", out)), wanted, 0.0001) if wanted else ["nothing printed"]
    # the raw file: self and, with callees, what calls to a function cost
    got = shares(folder + "/cg.out")
    out = run("callgrind_annotate", "--auto=no", "--threshold=100", "--inclusive=yes", "cg.out", cwd=folder)
    below = {m[2]: 100 * int(m[1].replace(",", "")) / total
             for m in re.finditer(r"^ *([\d,]+) .*shelf\.c:(\w+) \[", out, re.M)}
    found += differences(got, wanted, 0.00001) + ([] if below else ["nothing printed with callees"])
    return found + ["%s: with callees %s, not %s" % (s, got[s][2], v) for s, v in below.items()
                    if abs((got[s][2] or 0) - v) > 0.00001]


def massif(folder):
    build(folder, "shelf")
    run("valgrind", "--tool=massif", "--massif-out-file=ms.out", "./shelf", "x", cwd=folder)
    text = write(folder + "/ms.txt", run("ms_print", "--threshold=0.01", "ms.out", cwd=folder))
    totals = [[r["total"] for c in captures(p) if c["kind"] == "metrics" for r in c["rows"]] for p in (folder + "/ms.out", text)]
    found = [] if totals[0] and totals[0] == totals[1] else ["totals of snapshots differ"]
    return found + differences(shares(text), {s: v[0] for s, v in shares(folder + "/ms.out").items() if s})


def dhat(folder):
    build(folder, "shelf")
    said = subprocess.run(["valgrind", "--tool=dhat", "--dhat-out-file=dhat.out", "./shelf", "x"], cwd=folder,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False).stderr
    found = []
    for event, pattern in (("alloc_space", r"Total: +([\d,]+) bytes"), ("alloc_objects", r"Total: .* in ([\d,]+) blocks"),
                           ("inuse_space", r"At t-gmax: +([\d,]+) bytes")):
        want = re.search(pattern, said)
        got = sum(int(line.split()[-1]) for line in
                  run(ASSAY, "convert", "--to", "folded", "-e", event, folder + "/dhat.out").splitlines())
        if not want or got != int(want[1].replace(",", "")):
            found.append("%s: %d, not %s" % (event, got, want and want[1]))
    return found


with tempfile.TemporaryDirectory() as work:
    check("go tool pprof -top and -traces", ["go"], go, work)
    check("pstats", [], python, work)
    check("gprof", ["gprof", "cc"], gprof, work)
    check("callgrind_annotate", ["valgrind", "callgrind_annotate", "cc"], callgrind, work)
    if " json" in run(ASSAY, "--version").split("without")[0]:
        check("dhat", ["valgrind", "cc"], dhat, work)
    check("massif and ms_print", ["valgrind", "ms_print", "cc"], massif, work)
print("1..%d" % n)
sys.exit(failed > 0)
