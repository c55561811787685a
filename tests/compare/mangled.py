#!/usr/bin/env python3
"""perf reports mangled by mailers: rows and callers survive, or a count gives the losses.

  tests/compare/mangled.py build/assay

Records a small program, prints it with perf in many layouts, mangles each text as mailers
and editors do, and compares rows and tree paths with those of the text as printed. TAP;
skipped with a word where perf cannot record.
"""
import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile

PROGRAM = r"""
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static volatile unsigned long sink;
#define F __attribute__((noinline)) void
F grind(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink += i * i; }
F parse_header_of_the_message(int n) { grind(20000 * n); sink++; }
F store_row(int n) { grind(8000 * n); sink++; }
F pack(int n) { char *p = malloc(100000 * n); memset(p, n, 100000 * n); store_row(n); free(p); sink++; }
F handle(int n) { parse_header_of_the_message(n); pack(n); sink++; }
static void *loop(void *a) { for (int i = 0; i < (int)(long)a; i++) handle(1 + i % 3); sink++; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, loop, (void *)4000L); loop((void *)4000L);
    pthread_join(t, 0); return 0; }
"""
LAYOUTS = ["--children", "--no-children", "--no-children -G", "-g none", "-g none -n", "--sort sym",
           "--sort dso,sym --no-children", "--sort comm", "--sort dso", "--sort pid,sym --no-children",
           "--sort cpu,sym --no-children", "-n --no-children", "-g flat --no-children",
           "-g fractal --no-children", "-g folded --no-children", "-F overhead,sample,comm,sym",
           "-F +period -g none", "--sort sym --percent-limit 2 --no-children"]
MAIL = ["From: A B <a@b.example>", "To: c@d.example", "Subject: slow",
        "Date: Mon, 1 Jan 2024 10:00:00 +0000", "Message-ID: <1@b.example>", "", "It is slow:", ""]


def tabs(line):
    """Runs of blanks as tabs where they reach a stop, as editors do."""
    out, at = "", 0
    while at < len(line):
        end = at
        while end < len(line) and line[end] == " ":
            end += 1
        if end == at:
            out += line[at]
            at += 1
            continue
        while (at // 8 + 1) * 8 <= end and end - at > 1:
            out += "\t"
            at = (at // 8 + 1) * 8
        out += " " * (end - at)
        at = end
    return out


def wrap(width, lines):
    out = []
    for line in lines:
        while len(line) > width:
            at = line.rfind(" ", len(line) - len(line.lstrip()) + 1, width + 1)
            if at <= 0 or not line[:at].strip():
                break
            out.append(line[:at])
            line = line[at + 1:]
        out.append(line)
    return out


def bare(lines):
    return [line for line in lines if not line.startswith("#")]


MANGLES = {
    "quoted": lambda t: MAIL + ["> " + line for line in t],
    "quoted twice": lambda t: MAIL + ["> > " + line for line in t],
    "indented": lambda t: ["    " + line for line in t],
    "tabs": lambda t: [tabs(line) for line in t],
    "no header": bare,
    "no header, no blank lines": lambda t: [line for line in bare(t) if line],
    "carriage returns": lambda t: [line + "\r" for line in t],
    "wrapped at 72": lambda t: wrap(72, t),
    "wrapped at 76": lambda t: wrap(76, t),
    "wrapped at 80": lambda t: wrap(80, t),
    "wrapped, then quoted": lambda t: MAIL + ["> " + line for line in wrap(70, t)],
    "quoted, then wrapped": lambda t: MAIL + wrap(76, ["> " + line for line in t]),
    "wrapped, no header": lambda t: wrap(72, bare(t)),
}


def paths_of(capture):
    """Each node as names from its row down, and its weight."""
    rows, nodes = capture.get("rows", []), capture.get("nodes", [])
    first = {r["first_node"]: r for r in rows if r.get("first_node") is not None}
    paths, row = [], {}
    for i, node in enumerate(nodes):
        row = first.get(i, row)
        up = node["parent"]
        start = (row.get("symbol") or row.get("comm") or row.get("dso"),)
        paths.append((start if up is None else paths[up][0]) + (node.get("symbol"),))
        paths[i] = (paths[i], node["weight"])
    return paths


def read(assay, lines, folder):
    """Rows and paths as counted sets, and how much the reader says that it lost."""
    name = os.path.join(folder, "report.txt")
    with open(name, "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")
    done = subprocess.run([assay, "convert", "--to", "json", name], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False)
    rows, paths, lost = collections.Counter(), collections.Counter(), 0
    for capture in json.loads(done.stdout)["captures"] if done.returncode == 0 else []:
        lost += sum(s["count"] for s in capture["skipped"] if s["severity"] == "dataloss")
        paths.update(paths_of(capture))
        for r in capture.get("rows", []):
            name = r.get("symbol") or r.get("dso") or r.get("comm")
            rows[(name, r.get("self"), r.get("children"))] += 1
    return rows, paths, lost


def record(folder):
    """The recording's path, or why there is none."""
    for tool in ("perf", "cc"):
        if not shutil.which(tool):
            return None, "no " + tool
    source, program, data = (os.path.join(folder, n) for n in ("p.c", "p", "p.data"))
    with open(source, "w", encoding="ascii") as f:
        f.write(PROGRAM)
    subprocess.run(["cc", "-O1", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls",
                    "-pthread", "-o", program, source], check=True)
    done = subprocess.run(["perf", "record", "-q", "-g", "-e", "cpu-clock:u", "-F", "1999", "-o",
                           data, program], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          check=False)
    return (data, None) if done.returncode == 0 else (None, "perf cannot record")


def check(assay, data, layout, folder):
    """Differences, one sentence a mangled text."""
    done = subprocess.run(["perf", "report", "-i", data, "--stdio", "--percent-limit", "0.1"] +
                          layout.split(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True, check=False)
    text = [line.rstrip() for line in done.stdout.split("\n")]
    rows, paths, _ = read(assay, text, folder)
    wrong = [] if rows else ["no row is read"]
    for name, mangle in MANGLES.items():
        got_rows, got_paths, lost = read(assay, mangle(text), folder)
        gone = sum((rows - got_rows).values()) + sum((paths - got_paths).values())
        new = sum((got_rows - rows).values()) + sum((got_paths - paths).values())
        if new or gone > lost:
            wrong.append("%s: %d gone, %d new, %d counted as lost" % (name, gone, new, lost))
    return wrong


def main():
    with tempfile.TemporaryDirectory() as folder:
        data, why = record(folder)
        if not data:
            print("1..0 # SKIP " + why)
            return 0
        bad = 0
        for i, layout in enumerate(LAYOUTS):
            wrong = check(sys.argv[1], data, layout, folder)
            bad += bool(wrong)
            print("%s %d - perf report %s" % ("not ok" if wrong else "ok", i + 1, layout))
            for sentence in wrong:
                print("# " + sentence)
        print("1..%d" % len(LAYOUTS))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
