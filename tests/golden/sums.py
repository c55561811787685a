#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whole results by their checksums: many inputs, every number of each.

  tests/golden/sums.py ASSAY             compare; prints the commands whose result differs
  UPDATE=1 tests/golden/sums.py ASSAY    write the checksums of this build into sums.tsv

Each line of sums.tsv is a checksum, a tab and the arguments of `assay`, with paths from the
top of the tree. The checksum is of the output and the exit status. Run a command that is
printed with the build before the change, too, and compare both outputs: the changed numbers
must be those that the change is about. To add a command, write its line with the checksum 0.
Recordings of perf of a real machine are no inputs: names of its kernel depend on where they are read.
Exit status: 0, 1 if a result differs, 77 if the build has not all features.
"""
import concurrent.futures
import hashlib
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
FILE = os.path.join(HERE, "sums.tsv")
NEEDS = {"zstd", "json", "demangle", "dwarf", "traceevent"}
SHOWN = 10


def digest(output, status):
    # a recording of another kernel names the running one
    output = output.replace(os.uname().release.encode(), b"RELEASE")
    return hashlib.sha256(output + b"exit %d\n" % status).hexdigest()[:12]


def rows():
    with open(FILE, encoding="utf-8") as f:
        return [line.rstrip("\n").split("\t") for line in f]


def main():
    assay = os.path.abspath(sys.argv[1])
    env = dict(os.environ, LC_ALL="C.UTF-8")
    env.pop("COLUMNS", None)

    def result(arguments):
        done = subprocess.run([assay, *arguments.split()], cwd=TOP, env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return digest(done.stdout, done.returncode)

    version = subprocess.run([assay, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    features = next((line for line in version.splitlines() if line.startswith("with ")), "")
    if missing := NEEDS - set(features.replace(",", "").split()):
        print("# this build has no %s" % ", ".join(sorted(missing)))
        return 77
    known = rows()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = list(pool.map(result, [arguments for _, arguments in known]))
    if os.environ.get("UPDATE") == "1":
        with open(FILE, "w", encoding="utf-8") as f:
            f.writelines("%s\t%s\n" % (new, arguments) for new, (_, arguments) in zip(found, known))
        return 0
    bad = [arguments for new, (old, arguments) in zip(found, known) if new != old]
    for arguments in bad[:SHOWN]:
        print("# another result: %s %s" % (os.path.relpath(assay, TOP), arguments))
    if bad:
        print("# %d of %d results differ. If the change intends that: "
              "UPDATE=1 tests/golden/sums.py build/assay" % (len(bad), len(known)))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
