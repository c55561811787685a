#!/usr/bin/env python3
"""Profiles of runtimes as text against the runtimes' own figures: node --prof, Erlang's eprof and fprof.

usage: runtime_profiles.py ASSAY    (TAP; a tool that is missing is skipped)
Each runtime profiles a program that is made here. V8's ticks are compared with the JSON that
--preprocess makes of the same log, those of Erlang with fprof's list of functions by own time.
"""
import collections
import glob
import json
import re
import shutil
import subprocess
import sys
import tempfile

ASSAY = sys.argv[1]
JS = """
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }
function sorts(n) { let s = 0; for (let i = 0; i < n; i++) { const a = []; for (let j = 0; j < 2000; j++) a.push((j * 7919) % 10007); a.sort((x, y) => x - y); s += a[5] } return s }
function texts(n) { const o = []; for (let i = 0; i < 3000; i++) o.push({ i, name: 'x' + i }); for (let i = 0; i < n; i++) JSON.parse(JSON.stringify(o)) }
fib(32); sorts(200); texts(60);
"""
ERL = """
-module(shelf).
-export([work/1, sorts/1, fprof/0, eprof/0]).
fib(N) when N < 2 -> N;
fib(N) -> fib(N-1) + fib(N-2).
sorts(0) -> ok;
sorts(N) -> lists:sort([(X*7919) rem 1009 || X <- lists:seq(1, 200)]), sorts(N-1).
work(N) -> fib(N), sorts(30), timer:sleep(20), P = self(), spawn(fun() -> sorts(20), P ! done end), receive done -> ok end.
fprof() -> fprof:apply(?MODULE, work, [12]), fprof:profile(), fprof:analyse([{dest, "tree.txt"}]),
  fprof:analyse([{dest, "totals.txt"}, {callers, false}, {sort, own}, {totals, true}]).
eprof() -> eprof:start(), eprof:profile(fun() -> work(12) end), eprof:log("eprof.txt"), eprof:analyze(total).
"""
n = 0
failed = 0


def check(name, tools, test):
    global n, failed
    n += 1
    missing = [t for t in tools if not shutil.which(t)]
    if missing:
        print("ok %d - %s # SKIP no %s" % (n, name, missing[0]))
        return
    with tempfile.TemporaryDirectory() as folder:
        found = test(folder)
    failed += bool(found)
    print("%sok %d - %s" % ("not " if found else "", n, name))
    if found:
        print("# " + "; ".join(found[:5]))


def run(folder, *args):
    return subprocess.run(args, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


def profile(path):
    captures = json.loads(run(None, ASSAY, "report", "--json", path))["captures"]
    return [c for c in captures if c["kind"] == "profile"][0]


def differences(got, wanted, slack):
    return ["%s: %s, not %s" % (k, got.get(k), v) for k, v in wanted.items() if v > slack and abs(got.get(k, 0) - v) > slack]


def v8(folder):
    write(folder + "/shop.js", JS)
    run(folder, "node", "--prof", "shop.js")
    log = glob.glob(folder + "/isolate*.log")[0]
    text = write(folder + "/v8.txt", run(folder, "node", "--prof-process", log))
    raw = json.loads(run(folder, "node", "--prof-process", "--preprocess", log))
    ticks = len(raw["ticks"])
    c = profile(text)
    rows = collections.Counter()
    for r in c["rows"]:
        rows[r["symbol"]] += r["samples"]
    printed = collections.Counter()
    part = ""
    for line in text and open(text, encoding="utf-8"):
        part = line.strip() if line.strip().startswith("[") else part
        m = re.match(r" +(\d+) +[\d.]+% +(?:[\d.]+% +)?(\S.*)$", line)
        if m and part in ("[JavaScript]:", "[C++]:", "[Shared libraries]:"):
            # assay adds up the tiers of a function: "JS: *f" and "JS: ~f"
            printed[re.sub(r"^JS: [*~^+]", "JS: ", m[2])] += int(m[1])
        elif m and m[2] == "Unaccounted":
            printed["[unknown]"] += int(m[1])
    found = [] if c["samples"] == ticks else ["%s samples, not %d ticks" % (c["samples"], ticks)]
    return found + differences(rows, printed, 0.5)


def erlang(folder, call):
    write(folder + "/shelf.erl", ERL)
    run(folder, "erlc", "shelf.erl")
    run(folder, "erl", "-noshell", "-eval", "shelf:%s(), halt()." % call)


def fprof(folder):
    erlang(folder, "fprof")
    wanted = {}
    with open(folder + "/totals.txt", encoding="utf-8") as f:
        text = f.read()
    whole = float(re.search(r"\[\{ totals, +\d+, +[\d.]+, +([\d.]+)\}", text)[1])
    for m in re.finditer(r"^\{  (\{.*\}|\w+), +\d+, +([\d.]+|undefined), +([\d.]+)\}", text.split("\n[{ \"")[0], re.M):
        name = re.sub(r"^\{(\w+),(.*),(\d+)\}$", r"\1:\2/\3", m[1])
        wanted[name] = 100 * float(m[3]) / whole
    found = []
    for file in ("tree.txt", "totals.txt"):
        rows = {r["symbol"]: r["self"] for r in profile(folder + "/" + file)["rows"]}
        found += [file + ": " + d for d in differences(rows, wanted, 0.003)]
    return found if wanted else ["nothing printed"]


def eprof(folder):
    erlang(folder, "eprof")
    with open(folder + "/eprof.txt", encoding="utf-8") as f:
        wanted = {m[1]: float(m[2]) for m in re.finditer(r"^(\S+:\S+) +\d+ +([\d.]+) ", f.read(), re.M)}
    rows = {r["symbol"]: r["self"] for r in profile(folder + "/eprof.txt")["rows"]}
    return differences(rows, wanted, 0.0051) if wanted else ["nothing printed"]


check("ticks of node --prof", ["node"], v8)
check("own times of fprof", ["erl", "erlc"], fprof)
check("own times of eprof", ["erl", "erlc"], eprof)
print("1..%d" % n)
sys.exit(failed > 0)
