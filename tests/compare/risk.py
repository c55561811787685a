#!/usr/bin/env python3
"""Functions and McCabe's counts of `assay risk` against ctags and pmccabe.

  tests/compare/risk.py build/assay [FOLDER...]

Without folders: the project's own sources, the kernel's net/ and Open vSwitch; see
trees.py. Names and
places must be those of universal-ctags for 99.8 % of the functions, but for what
ctags itself takes for a function: macros that make definitions, and
annotations. Counts must be pmccabe's, traditional and modified, for 99 %. TAP.
"""
import collections
import json
import os
import re
import shutil
import subprocess
import sys

import trees

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SHARE_NAMES, SHARE_COUNTS = 99.8, 99.0


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace", check=False)


def sources(folder):
    found = []
    for top, folders, files in os.walk(folder):
        folders[:] = [f for f in folders if not f.startswith(".")]
        found += [os.path.join(top, f) for f in files if f.endswith(".c")]
    return sorted(found)


def in_batches(files, *command):
    return "".join(run(*command, *files[i:i + 200]).stdout for i in range(0, len(files), 200))


def by_ctags(files):
    """(name, line) by file; macros, which ctags names in capitals, and annotations are left out."""
    found, left_out = collections.defaultdict(set), collections.Counter()
    text = in_batches(files, "ctags", "-x", "--c-kinds=f", "--_xformat=%N\t%n\t%F", "--languages=C")
    for line in text.splitlines():
        name, number, path = line.split("\t")
        if re.fullmatch(r"_*[A-Z][A-Z0-9_]*_*|__(?:acquires|releases|must_hold)|_IRQL_\w+", name):
            left_out[name] += 1
        else:
            found[path].add((name, int(number)))
    return found, left_out


def by_pmccabe(files):
    """Modified, traditional by (file, name), in order of the file."""
    found = collections.defaultdict(list)
    for line in in_batches(files, "pmccabe").splitlines():
        cells = line.split("\t")
        if len(cells) >= 6:
            place, name = cells[5].split("): ", 1)
            found[place.split("(")[0], name].append((int(cells[0]), int(cells[1])))
    return found


def compare(assay, folder):
    files = sources(folder)
    done = subprocess.run([assay, "risk", "--json", "--files-from", "-"], input="\n".join(files),
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        return None, done.stderr.strip()
    functions = sorted(json.loads(done.stdout)["functions"], key=lambda f: (f["file"], f["line"]))
    mine = collections.defaultdict(set)
    for f in functions:
        mine[f["file"]].add((f["name"], f["line"]))
    theirs, left_out = by_ctags(files)
    total = sum(map(len, theirs.values()))
    same = sum(len(theirs[f] & mine[f]) for f in theirs)
    missing = [(f, x) for f in theirs for x in sorted(theirs[f] - mine[f])]
    counts, seen = by_pmccabe(files), collections.Counter()
    n = equal = 0
    for f in functions:
        key = (f["file"], f["name"])
        at, seen[key] = seen[key], seen[key] + 1
        if at < len(counts.get(key, [])):
            n += 1
            equal += counts[key][at] == (f["cyclomatic_modified"], f["cyclomatic"])
    lines = ["%d functions, %d of ctags' %d are here (%.2f %%), %d names of macros left out" %
             (len(functions), same, total, 100 * same / max(total, 1), sum(left_out.values())),
             "%d of %d counts are pmccabe's (%.2f %%)" % (equal, n, 100 * equal / max(n, 1))]
    lines += ["only ctags: %s:%d %s" % (f, x[1], x[0]) for f, x in missing[:10]]
    good = total and n and 100 * same / total >= SHARE_NAMES and 100 * equal / n >= SHARE_COUNTS
    return good, "\n".join(lines)


def main():
    assay = sys.argv[1]
    missing = [t for t in ("ctags", "pmccabe") if not shutil.which(t)]
    if missing:
        print("1..0 # SKIP %s is not here" % " and ".join(missing))
        return 0
    folders, why = sys.argv[2:], []
    if not folders:
        folders, why = trees.trees()
        folders.insert(0, os.path.join(TOP, "src"))
    print("1..%d" % (len(folders) + len(why)))
    for i, sentence in enumerate(why, len(folders) + 1):
        print("ok %d # SKIP %s" % (i, sentence))
    bad = 0
    for i, folder in enumerate(folders, 1):
        good, text = compare(assay, folder)
        name = os.path.basename(os.path.normpath(folder))
        if good is None and "this build cannot" in text:
            print("ok %d - %s # SKIP %s" % (i, name, text))
            continue
        for line in text.splitlines():
            print("# " + line)
        print("%sok %d - names of ctags and counts of pmccabe in %s" % ("" if good else "not ", i, name))
        bad += not good
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
