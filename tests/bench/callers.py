#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Share of call stacks whose callers are right, by kind of program: the table of docs/record.md.

Each program calls its functions in one way only, so the caller of each is known. A stack is right
if every function in it that is listed in the program's truth has its caller directly above.

    tests/bench/callers.py build/assay [NAME...]
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

C = """
#include <string.h>
#include <stdlib.h>
#include <stdio.h>
volatile long sink;
static char a[64], b[64];
__attribute__((noinline)) long leaf(long n) { long s = 0; for (long i = 0; i < 200; i++) s += i ^ n; return s + sink; }
__attribute__((noinline)) long compare(long n) { long s = 0; for (int i = 0; i < 50; i++) s += memcmp(a, b, 32 + (n & 7)); return s + 1; }
__attribute__((noinline)) long print(long n) { char t[64]; return snprintf(t, sizeof(t), "%ld %s", n, "x") + sink; }
__attribute__((noinline)) long one(long n) { return leaf(n) * 3 + 1; }
__attribute__((noinline)) long two(long n) { return compare(n) + print(n) * 5; }
int main(void) { for (long i = 0; i < 1500000; i++) { sink += one(i); sink += two(i); } return sink == 1; }
"""
C_TRUTH = {"leaf": "one", "compare": "two", "print": "two", "one": "main", "two": "main",
           "__memcmp_.*|memcmp": "compare|[*]ABS[*].*|memcmp.*",
           "_*snprintf.*": "print|.*snprintf.*"}

CXX = """
#include <algorithm>
#include <map>
#include <string>
#include <vector>
volatile long sink;
template <int N> struct Less { __attribute__((noinline)) bool operator()(long a, long b) const { return (a ^ N) < (b ^ N); } };
template <int N> __attribute__((noinline)) long deep(long n) { return deep<N - 1>(n) + N; }
template <> __attribute__((noinline)) long deep<0>(long n) { long s = 0; for (int i = 0; i < 100; i++) s += i ^ n; return s + sink; }
__attribute__((noinline)) long sorts(long n) { std::vector<long> v; for (long i = 0; i < 300; i++) v.push_back(i * n % 97); std::sort(v.begin(), v.end(), Less<5>()); return v[0] + 1; }
__attribute__((noinline)) long counts(long n) { static std::map<std::string, long> m; return ++m["a key that is long enough " + std::to_string(n % 50)] + 1; }
int main() { for (long i = 0; i < 30000; i++) { sink += deep<6>(i) + 1; sink += sorts(i); sink += counts(i) * 2; } return sink == 1; }
"""
CXX_TRUTH = {**{rf"(long )?deep<{i}>.*": rf"(long )?deep<{i + 1}>.*" for i in range(6)},
             r"(long )?deep<6>.*": "main", "sorts.*": "main", "counts.*": "main",
             r"Less<5>::operator.*": r"(void )?std::__.*|bool .*__gnu_cxx::__ops.*|sorts.*"}

RUST = """
use std::hint::black_box;
#[inline(never)] fn leaf(n: u64) -> u64 { let mut s = 0; for i in 0..200u64 { s += black_box(i ^ n); } s }
#[inline(never)] fn one(n: u64) -> u64 { leaf(n) * 3 + 1 }
#[inline(never)] fn text(n: u64) -> usize { format!("{} {}", n, n * 7).len() }
#[inline(never)] fn two(n: u64) -> usize { text(n) * 3 + 1 }
fn main() { let mut s = 0; for i in 0..1_000_000 { s += black_box(one(i)); s += black_box(two(i)) as u64; } println!("{}", s); }
"""
RUST_TRUTH = {".*::leaf": ".*::one", ".*::one": ".*::main", ".*::text": ".*::two", ".*::two": ".*::main"}

GO = """
package main
import ("fmt"; "sort")
var sink int
//go:noinline
func leaf(n int) int { s := 0; for i := 0; i < 200; i++ { s += i ^ n }; return s }
//go:noinline
func one(n int) int { return leaf(n)*3 + 1 }
//go:noinline
func sorts(n int) int { v := make([]int, 0, 100); for i := 0; i < 100; i++ { v = append(v, i*n%97) }; sort.Ints(v); return v[0] }
//go:noinline
func two(n int) int { return sorts(n) + 1 }
func main() { for i := 0; i < 200000; i++ { sink += one(i); if i%4 == 0 { sink += two(i) } }; fmt.Println(sink) }
"""
GO_TRUTH = {"main.leaf": "main.one", "main.one": "main.main", "main.sorts": "main.two", "main.two": "main.main",
            "sort.Ints": "main.sorts"}

PYTHON = """
def leaf(n):
    s = 0
    for i in range(200):
        s += i ^ n
    return s
def one(n): return leaf(n) * 3 + 1
def words(n): return len((str(n) + " x") * 20) + len(sorted(range(n % 100)))
def two(n): return words(n) + 1
def main():
    s = 0
    for i in range(40000):
        s += one(i) + two(i)
    print(s)
main()
"""
PYTHON_TRUTH = {r"py::leaf:.*": r"py::one:.*", r"py::one:.*": r"py::main:.*", r"py::words:.*": r"py::two:.*",
                r"py::two:.*": r"py::main:.*"}
PYTHON_SKIPS = r"_Py.*|py_.*|Py[A-Z].*|\[.*"

JS = """
let sink = 0;
function leaf(n) { let s = 0; for (let i = 0; i < 500; i++) s += i ^ n; return s; }
function one(n) { return leaf(n) * 3 + 1; }
function text(n) { return JSON.stringify({ n, list: [n, n + 1, n + 2] }).length; }
function two(n) { return text(n) + 1; }
function main() { for (let i = 0; i < 400000; i++) { sink += one(i); sink += two(i); } console.log(sink); }
%NeverOptimizeFunction(main);
%NeverOptimizeFunction(one);
%NeverOptimizeFunction(two);
main();
"""
JS_TRUTH = {"JS:[*~^+]?leaf .*": "JS:.one .*", "JS:[*~^+]?one .*": "JS:.main .*", "JS:[*~^+]?text .*": "JS:.two .*",
            "JS:[*~^+]?two .*": "JS:.main .*"}

JAVA = """
public class Truth {
    static long sink;
    static long leaf(long n) { long s = 0; for (int i = 0; i < 500; i++) s += (i ^ n) * 31; return s; }
    static long one(long n) { return leaf(n) * 3 + 1; }
    static int text(long n) { return (n + " " + n * 7).hashCode(); }
    static long two(long n) { return text(n) + 1; }
    public static void main(String[] v) { for (long i = 0; i < 3000000; i++) { sink += one(i); sink += two(i); } System.out.println(sink); }
}
"""
# Methods that are interpreted have one name.
JAVA_TRUTH = {"long Truth.leaf": "long Truth.one|Interpreter", "long Truth.one": "void Truth.main|Interpreter",
              "int Truth.text": "long Truth.two|Interpreter", "long Truth.two": "void Truth.main|Interpreter"}

LEAF = """
.globl bare
.type bare, @function
bare: mov $300, %ecx
1: dec %ecx
jnz 1b
ret
.size bare, . - bare
.globl pushes
.type pushes, @function
pushes: push %rbx
push %r12
mov $300, %ecx
1: dec %ecx
jnz 1b
pop %r12
pop %rbx
ret
.size pushes, . - pushes
.section .note.GNU-stack,"",@progbits
"""
LEAF_C = """
long bare(void), pushes(void);
volatile long n;
__attribute__((noinline)) void one(void) { bare(); n++; }
__attribute__((noinline)) void two(void) { pushes(); n++; }
int main(void) { for (int i = 0; i < 1500000; i++) { one(); two(); } return 0; }
"""
LEAF_TRUTH = {"bare": "one", "pushes": "two", "one": "main", "two": "main"}


def put(name, text):
    with open(name, "w", encoding="utf-8") as f:
        f.write(text)


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def cc(name, source, *options, compiler="cc"):
    put(f"{name}.{'cc' if compiler == 'c++' else 'c'}", source)
    run(compiler, "-O2", *options, "-o", name, f"{name}.{'cc' if compiler == 'c++' else 'c'}")
    return [f"./{name}"]


def stripped():
    """A stripped program; only the report reads its names, from another file."""
    cc("stripped", C, "-fomit-frame-pointer", "-Wl,--build-id")
    run("objcopy", "--only-keep-debug", "stripped", "stripped.debug")
    run("strip", "stripped")
    run("objcopy", "--add-gnu-debuglink=stripped.debug", "stripped")
    return ["./stripped"]


def leaf():
    put("bare.s", LEAF)
    return cc("assembly", LEAF_C, "bare.s")


def rust():
    put("rust.rs", RUST)
    run("rustc", "-O", "-o", "rust", "rust.rs")
    return ["./rust"]


def go(*options):
    put("go.go", GO)
    run("go", "build", *options, "-o", "gotruth", "go.go")
    return ["./gotruth"]


def python():
    put("truth.py", PYTHON)
    names = ["python3.13", "python3.12", "python3"]
    pyenv = os.path.expanduser("~/.pyenv/versions")
    found = [f"{pyenv}/{v}/bin/python3" for v in sorted(os.listdir(pyenv), reverse=True) if v.startswith("3.12")] \
        if os.path.isdir(pyenv) else []
    return [*[n for n in found + names if shutil.which(n)][:1], "truth.py"]


def node():
    put("truth.js", JS)
    return ["node", "--allow-natives-syntax", "truth.js"]


def java():
    put("Truth.java", JAVA)
    run("javac", "Truth.java")
    return ["java", "-XX:-Inline", "Truth"]


PROGRAMS = {
    "C `-O2`": (lambda: cc("plain", C, "-fomit-frame-pointer"), C_TRUTH, None),
    "C `-O2` with frame pointers, no unwind tables": (
        lambda: cc("framed", C, "-fno-omit-frame-pointer", "-mno-omit-leaf-frame-pointer",
                   "-fno-asynchronous-unwind-tables", "-fno-unwind-tables"), C_TRUTH, None),
    "C `-O2`, stripped": (stripped, C_TRUTH, None),
    "C `-O2`, static": (lambda: cc("static", C, "-fomit-frame-pointer", "-static"), C_TRUTH, None),
    "C++ `-O2`, templates": (lambda: cc("templates", CXX, compiler="c++"), CXX_TRUTH, None),
    "Rust `-O`": (rust, RUST_TRUTH, None),
    "Go": (go, GO_TRUTH, None),
    "assembly leaf without call frame information": (leaf, LEAF_TRUTH, None),
    "CPython 3.12": (python, PYTHON_TRUTH, PYTHON_SKIPS),
    "Node": (node, JS_TRUTH, r"Builtins_.*|v8::.*"),
    "Java": (java, JAVA_TRUTH, r"StubRoutines.*"),
}


def matching(patterns, name):
    return next((p for p in patterns if re.fullmatch(p, name)), None)


def judge(folded, truth, skips):
    """Samples with a known function, those that are right, and a wrong pair."""
    known = right = 0
    wrong = {}
    for line in folded.splitlines():
        stack, weight = line.rsplit(" ", 1)
        frames = [f for f in stack.split(";")[1:] if not (skips and re.fullmatch(skips, f))]
        bad = None
        has = False
        for i, name in enumerate(frames):
            pattern = matching(truth, name)
            if pattern is None:
                continue
            caller = frames[i - 1] if i else "nothing"
            has = True
            if not re.fullmatch(truth[pattern], caller):
                bad = f"{name} called by {caller}"
        known += int(weight) if has else 0
        right += int(weight) if has and not bad else 0
        if bad:
            wrong[bad] = wrong.get(bad, 0) + int(weight)
    return known, right, max(wrong, key=wrong.get) if wrong else ""


def measure(assay, option, make):
    build, truth, skips = make
    command = build()
    run(assay, "record", "-q", *option, "-o", "x.data", "--", *command)
    folded = subprocess.run([assay, "convert", "--to", "folded", "x.data"], check=True, capture_output=True,
                            text=True, errors="replace").stdout
    return judge(folded, truth, skips)


def main():
    assay = os.path.abspath(sys.argv[1])
    chosen = [n for n in PROGRAMS if not sys.argv[2:] or any(w in n for w in sys.argv[2:])]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        print("| program | right by default | with `--call-graph fp` | commonest mistake by default |")
        print("|---|---|---|---|")
        for name in chosen:
            try:
                cells = [measure(assay, option, PROGRAMS[name]) for option in ([], ["--call-graph", "fp"])]
            except (OSError, subprocess.CalledProcessError) as e:
                print(f"| {name} | not here: {e} | | |")
                continue
            shares = [f"{100 * right / known:.1f} %" if known else "not seen" for known, right, _ in cells]
            print(f"| {name} | {shares[0]} | {shares[1]} | {cells[0][2][:80]} |", flush=True)


main()
