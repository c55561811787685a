#!/usr/bin/env python3
"""The instructions of a recording, in assay explain, assay annotate and perf annotate.

usage: instructions.py ASSAY    (TAP; skipped without perf, a compiler or the right to record)
Programs with one hot loop are recorded. Both tools disassemble the hot function from the same file:
its number of samples, the share of its hottest instruction and that instruction must be equal in
explain, and all shares in annotate.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ASSAY = os.path.abspath(sys.argv[1])
LIST = r"""
#include <stdlib.h>
struct node { struct node *next; long v; char pad[48]; };
__attribute__((noinline)) long find(struct node *n, long k)
{
	long hops = 0;
	for (; n; n = n->next, hops++)
		if (n->v == k)
			break;
	return hops;
}
int main(void)
{
	enum { N = 200000 };
	struct node *a = calloc(N, sizeof(*a));
	int *p = malloc(N * sizeof(*p));
	long s = 0;
	for (int i = 0; i < N; i++) p[i] = i;
	for (int i = N - 1; i > 0; i--) { int j = rand() % (i + 1), t = p[i]; p[i] = p[j]; p[j] = t; }
	for (int i = 0; i + 1 < N; i++) a[p[i]].next = &a[p[i + 1]];
	for (int i = 0; i < 60; i++) s += find(&a[p[0]], 7 + i);
	return s == 1;
}
"""
DIVIDE = r"""
__attribute__((noinline)) unsigned long digits(unsigned long n, unsigned long base)
{
	unsigned long sum = 0;
	for (; n; n /= base)
		sum += n % base;
	return sum;
}
int main(int argc, char **argv)
{
	unsigned long s = 0;
	(void)argv;
	for (unsigned long i = 0; i < 1200000; i++) s += digits(~i, (unsigned long)argc + 9);
	return s == 1;
}
"""


INLINED = r"""
#include <vector>
struct item { long key; double v; };
static inline long find_key(const std::vector<item> &v, long key)
{
	for (const auto &i : v)
		if (i.key == key)
			return i.key;
	return 0;
}
static inline double mean(const std::vector<item> &v)
{
	double s = 0;
	for (const auto &i : v)
		s += 1.0 / (i.v + 1);
	return s;
}
int main(int argc, char **)
{
	std::vector<item> v;
	for (int i = 0; i < 20000; i++)
		v.push_back({ i, (double)i });
	double r = 0;
	long t = 0;
	for (int i = 0; i < 20000; i++) {
		t += find_key(v, 15000 + i + argc);
		if (i % 4 == 0)
			r += mean(v);
	}
	return t == 1 && r == 1;
}
"""


def skip(why):
    """End without a verdict."""
    print("1..0 # SKIP " + why)
    sys.exit(0)


def run(*words):
    """The output of a command; None: it failed."""
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          check=False)
    return done.stdout if done.returncode == 0 else None


def of_perf(function):
    """Samples of the function, and the address and share of its hottest instruction."""
    text = run("perf", "annotate", "--stdio", "-i", "perf.data", "-s", function)
    samples = re.search(r"\((\d+) samples", text)
    rows = re.findall(r"^ +([0-9.]+) +: +([0-9a-f]+):\s+(\S+)", text, re.M)
    share, _, mnemonic = max(rows, key=lambda row: float(row[0]))
    return int(samples.group(1)), float(share), mnemonic


def rows_of_perf(function):
    """The share of each instruction with samples, by address."""
    text = run("perf", "annotate", "--stdio", "-i", "perf.data", "-s", function)
    rows = re.findall(r"^ +([0-9.]+) +: +([0-9a-f]+):\s+\S", text, re.M)
    return {int(address, 16): float(share) for share, address in rows if float(share) > 0}


def rows_of_assay(function):
    """The same from annotate."""
    text = run(ASSAY, "annotate", "--json", "-S", function, "perf.data")
    of = [f for c in json.loads(text or '{"captures": []}')["captures"] for f in c["functions"]
          if f["function"] == function]
    return {int(row["address"], 16): row["self"] for row in (of[0]["rows"] if of else [])
            if row.get("self", 0) >= 0.005}


def of_assay(function):
    """The same as of_perf() from the finding."""
    found = json.loads(run(ASSAY, "explain", "--json", "--rule", "costly-instruction", "perf.data"))
    for finding in found["findings"]:
        if " of %s is " % function not in finding["claim"]:
            continue
        share = [f for f in finding["figures"] if f["name"] == "share of its function"][0]
        row = finding["evidence"][0]["text"]
        return share["value"], row.split("% ")[1].split()[0]
    return None


def main():
    """Record each program and compare."""
    for tool in ("perf", "cc"):
        if not shutil.which(tool):
            skip("no " + tool)
    if "disassembly" not in run(ASSAY, "--version").split("without")[0]:
        skip("built without Zydis")
    cases = [("find", LIST, "c"), ("digits", DIVIDE, "c"), ("main", INLINED, "cc")]
    number = 0
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for function, source, ending in cases:
            with open("%s.%s" % (function, ending), "w", encoding="utf-8") as out:
                out.write(source)
            compiler = "cc" if ending == "c" else "c++"
            if run(compiler, "-O2", "-g", "-o", function, "%s.%s" % (function, ending)) is None:
                skip("the compiler fails")
            for words in (["perf", "record", "-q", "-F", "2000", "-o", "perf.data"],
                          [ASSAY, "record", "-q", "-F", "2000", "-o", "perf.data", "--"]):
                if run(*words, "./" + function) is None:
                    skip("nothing can be recorded here")
                samples, share, mnemonic = of_perf(function)
                recorder = os.path.basename(words[0])
                if ending == "c":  # one hot instruction, which explain reports
                    ours = of_assay(function)
                    number += 1
                    good = ours and abs(ours[0] - share) < 0.006 and ours[1] == mnemonic
                    lines.append("%sok %d - %s, recorded by %s: %s of %d samples" %
                                 ("" if good else "not ", number, function, recorder, ours, samples))
                    if not good:
                        lines.append("# perf annotate: %.2f %% %s" % (share, mnemonic))
                theirs, ours = rows_of_perf(function), rows_of_assay(function)
                number += 1
                bad = {hex(at) for at in {**theirs, **ours}
                       if abs(theirs.get(at, 0) - ours.get(at, 0)) > 0.006}
                good = theirs and not bad
                lines.append("%sok %d - %s, recorded by %s: shares of %d instructions" %
                             ("" if good else "not ", number, function, recorder, len(theirs)))
                if not good:
                    lines.append("# differ: %s" % " ".join(sorted(bad)))
    print("1..%d" % number)
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
