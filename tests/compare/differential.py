#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two ways to one answer, over damaged inputs: they agree, or one of them refuses.

  tests/compare/differential.py build/assay [--mutants N] [--seed S] [--only PART]...

perf   damaged recordings of perf record: `assay convert --to perf-script` and `perf script`. If both end
       with status 0, the samples have the same threads and times. If perf gives up in the middle, assay
       has all samples that perf printed. If assay refuses or misses something, it says so.
folded damaged folded stacks: converted to folded stacks, and that again: the same bytes
pprof  the same inputs and damaged profiles of pprof, of one capture: converted to pprof and read back: the same total, the
       same stacks if names are plain, and the second time no change at all
views  `report` of the inputs of the goldens: text, JSON and CSV have the same rows, in the same order;
       `explain`: text and JSON have the same findings

N (default 40) is the number of mutants of each part; the views are a sample of that size. The mutants are
those of tools/mutate-files and depend on the seed only. TAP on stdout.
"""
import argparse
import collections
import csv
import glob
import importlib.machinery
import importlib.util
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests/lib"))
from tap import Tap  # noqa: E402

# thread and time in the first line of a sample
HEAD = re.compile(rb"(\d+)\s+(?:\[\d+\]\s+)?(\d+\.\d{6}):")
# two counts a line, as difffolded.pl writes, or a name that ends in a number: the format does not tell
TWO = re.compile(rb" [0-9.]+ +[0-9.]+$")
PLAIN = re.compile(rb"[A-Za-z0-9_.;]+( [0-9.]+)?")
REPORT = ["report", "--no-children", "-g", "none"]


def mutators():
    """tools/mutate-files as a module"""
    loader = importlib.machinery.SourceFileLoader("mutate_files", os.path.join(TOP, "tools/mutate-files"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutate_files", loader))
    loader.exec_module(module)
    return module


class Differential:
    """The parts; each fails with the number of its mutant."""

    def __init__(self, assay, folder, seed):
        self.assay, self.folder, self.seed = assay, folder, seed
        self.mutators = mutators()
        with open(assay, "rb") as f:
            # sanitizers reserve more address space than the limit allows
            has_sanitizer = b"__asan_init" in f.read()
        self.limit = None if has_sanitizer else self.mutators.limited
        self.counts = collections.Counter()
        self.bad = []

    def run(self, command, **more):
        """(status, stdout, stderr); status None: it does not end"""
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False,
                                  timeout=120, preexec_fn=self.limit, **more)
        except subprocess.TimeoutExpired:
            return None, b"", b"timeout"
        return done.returncode, done.stdout, done.stderr

    def convert(self, to, path, *options):
        """run() of convert"""
        return self.run([self.assay, "convert", "--to", to, *options, path])

    def write(self, name, data):
        """Path of a new file in the folder"""
        path = os.path.join(self.folder, name)
        with open(path, "wb") as f:
            f.write(data)
        return path

    def mutant(self, made, i):
        """(name, bytes) of mutant @i; each third input is not damaged"""
        rng = random.Random(f"{self.seed}.{i}")
        if i % 3 == 0:
            name = rng.choice(sorted(made))
            return name, made[name]
        return self.mutators.mutate(rng, made)

    def wrong(self, i, name, why, *details):
        """Note a difference."""
        self.bad.append(f"mutant {i} of {os.path.basename(name)}: {why} " + " ".join(str(d)[:160] for d in details))

    def is_refused(self, i, name, status, said):
        """Did assay refuse, and say why? Anything else but success is wrong."""
        if status == 0:
            return False
        if status != 1 or not said.startswith(b"assay: "):
            self.wrong(i, name, f"status {status} with", said)
        self.counts["refused by assay"] += 1
        return True

    def perf(self, made, i):
        """A recording, by assay and perf"""
        name, data = self.mutant(made, i)
        path = self.write("mutant.data", data)
        status, out, said = self.convert("perf-script", path)
        there, theirs, _ = self.run(["perf", "script", "--no-inline", "--force", "-i", path])
        ours, perfs = ([m.groups() for m in map(HEAD.search, text.split(b"\n")) if m and m.string[:1] != b"\t"]
                       for text in (out, theirs))
        ours, perfs = collections.Counter(ours), collections.Counter(perfs)
        if self.is_refused(i, name, status, said):
            return
        if said or (there != 0 and not perfs - ours):
            self.counts["assay reads on where perf gives up" if there else "assay names missing data"] += 1
        elif ours != perfs:
            self.wrong(i, name, "other samples:", sorted((ours - perfs).items())[:2], sorted((perfs - ours).items())[:2])
        else:
            self.counts["the same samples"] += 1

    def folded(self, made, i):
        """Folded stacks of folded stacks"""
        name, data = self.mutant(made, i)
        status, once, said = self.convert("folded", self.write("mutant", data), "--as", "folded")
        if self.is_refused(i, name, status, said):
            return
        if all(TWO.search(line) for line in once.splitlines()):
            self.counts["two counts or names that end in a number"] += 1
            return
        status, twice, said = self.convert("folded", self.write("once", once), "--as", "folded")
        if status != 0 or once != twice:
            self.wrong(i, name, "changed when converted again:", status, said)
        self.counts["the same bytes"] += 1

    def pprof(self, made, i):
        """Folded stacks, by pprof and without"""
        name, data = self.mutant(made, i)
        path = self.write("mutant", data)
        status, before, said = self.convert("folded", path)
        there, profile, said_there = self.convert("pprof", path)
        if self.is_refused(i, name, status, said) or self.is_refused(i, name, there, said_there):
            return
        if b"captures have stacks" in said:
            self.counts["several captures, of which one is converted"] += 1
            return
        profile = self.write("profile.pb", profile)
        status, after, said = self.convert("folded", profile)
        _, again, _ = self.convert("folded", self.write("again.pb", self.convert("pprof", profile)[1]))
        is_plain = all(PLAIN.fullmatch(line) for line in before.splitlines())
        if status != 0 or total(before) != total(after):
            self.wrong(i, name, "another total:", total(before), total(after), said)
        elif is_plain and with_weight(before) != with_weight(after):
            self.wrong(i, name, "other stacks")
        elif after != again:
            self.wrong(i, name, "the second time other stacks")
        self.counts["the same stacks" if is_plain else "the same total"] += 1

    def views(self, paths, i):
        """Text, JSON and CSV"""
        path = paths[i]
        text, data, sheet = (self.run([self.assay, *REPORT, *options, path])
                             for options in (["--wide"], ["--json"], ["--csv"]))
        if not text[0] == data[0] == sheet[0]:
            self.wrong(i, path, "other statuses:", text[0], data[0], sheet[0])
        elif text[0] == 0:
            as_json = [(f"{row['self']:.2f}", row["symbol"]) for capture in json.loads(data[1])["captures"]
                       for row in capture.get("rows", []) if row.get("self") is not None and "symbol" in row]
            as_csv = [(f"{float(row['self']):.2f}", row["symbol"]) for row in tables(sheet[1].decode())
                      if row.get("self") and "symbol" in row]
            if as_json and as_csv != [(s, csv_cell(n)) for s, n in as_json]:
                self.wrong(i, path, "CSV has other rows than JSON")
            if as_json and not in_order([s for s, _ in as_json], text[1].decode()):
                self.wrong(i, path, "text has other rows than JSON")
            self.counts["the same rows"] += bool(as_json)
        text = self.run([self.assay, "explain", path])
        data = self.run([self.assay, "explain", "--json", path])
        if text[0] == data[0] == 0:
            claims = [f["rule"] for f in json.loads(data[1])["findings"]]
            shown = re.findall(r"^\d+\. .*?\[[a-z]+,\s+([a-z0-9-]+)\]", text[1].decode(), re.M | re.S)
            if claims[:len(shown)] != shown or bool(claims) != bool(shown):
                self.wrong(i, path, "other findings:", claims, shown)
            self.counts["the same findings"] += bool(shown)
        elif text[0] != data[0]:
            self.wrong(i, path, "explain: other statuses:", text[0], data[0])


def total(folded):
    """Sum of the weights in millionths, by the last word of each line"""
    words = [line.rpartition(b" ")[2] for line in folded.splitlines()]
    return sum(round(float(w) * 1000000) for w in words if re.fullmatch(rb"[0-9.]+", w))


def with_weight(folded):
    """Its sorted lines; pprof has no stacks without a weight"""
    return sorted(line for line in folded.splitlines() if not line.endswith(b" 0"))


def csv_cell(text):
    """As CSV protects a spreadsheet from formulas"""
    return "'" + text if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def tables(text):
    """The rows of all tables of a CSV output as dicts; a table begins with its names of columns"""
    heads = []
    for cells in csv.reader(io.StringIO(text)):
        if "line" in cells or "self" in cells or "level" in cells:
            heads = cells
        else:
            yield dict(zip(heads, cells))


def in_order(shares, text):
    """Do lines with these shares follow each other in the text?"""
    lines = iter([m.group(1) for m in re.finditer(r"^ +(\d+\.\d\d)(?: |$)", text, re.M)])
    return all(any(share == line for line in lines) for share in shares)


def main():
    """Run the parts."""
    parser = argparse.ArgumentParser()
    parser.add_argument("assay")
    parser.add_argument("--mutants", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", choices=["perf", "folded", "pprof", "views"])
    args = parser.parse_args()
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        corpus = lambda name: glob.glob(os.path.join(TOP, "tests/fuzz/corpus", name, "*"))
        read = lambda paths: {path: open(path, "rb").read() for path in sorted(paths)}
        views = sorted(path for path in glob.glob(os.path.join(TOP, "tests/golden/re*/*.d/input*")) +
                       glob.glob(os.path.join(TOP, "tests/golden/rules/*.d/input*")) if os.path.isfile(path))
        random.Random(args.seed).shuffle(views)
        parts = {"perf": {}, "folded": read(corpus("folded")), "views": views,
                 "pprof": read(corpus("folded") + corpus("pprof"))}
        for name in args.only or parts:
            d = Differential(os.path.abspath(args.assay), folder, args.seed)
            made = parts[name]
            if name == "perf":
                d.mutators.LOAD = ["sh", "-c", "ls -lR /usr/lib/python3 >/dev/null"]
                made = d.mutators.record(folder) if shutil.which("perf") else {}
                if not made:
                    tap.skip(name, "perf cannot record here")
                    continue
            n = min(args.mutants, len(made)) if name == "views" else args.mutants
            for i in range(n):
                getattr(d, name)(made, i)
            found = ", ".join(f"{what} {k}" for what, k in sorted(d.counts.items()))
            tap.ok(not d.bad, f"{name}, {n} inputs: {found}", "\n".join(d.bad))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
