#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fail when a public function is off the convention <file>_<verb>[_<object>].

The prefix is the name of the header, of the file that defines it, of an object (struct, enum, union) that the header
declares, or of the function's first parameter; in singular or plural. A header X_part.h beside
X.h, X.c or in the folder X may use the prefix X. Short prefixes of families and the basic words
of src/base are in tools/names-allowed. -c counts by folder.
"""
import collections
import glob
import os
import re
import sys

os.chdir(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NOISE = re.compile(r'/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', re.S)
PROTOTYPE = re.compile(r"^(?!typedef|extern|#|return)((?:[A-Z_]+ )*(?:static inline )?"
                       r"(?:const )?(?:struct \w+|enum \w+|unsigned int|\w+)[ *]+)(\w+)\("
                       r"(?:const )?(?:(?:struct|enum) (\w+))?", re.M)
OBJECT = re.compile(r"^(?:struct|enum|union) (\w+)(?: \{|;)|^\} (\w+);", re.M)


def both_numbers(names):
    names = names | {re.sub(r"_id$", "", n) for n in names}
    for name in list(names):
        names |= {name[:-1]} if name.endswith("s") else {name + "s"}
        names |= {name[:-3] + "y"} if name.endswith("ies") else set()
    return names


def prefixes(path, text):
    folder, stem = os.path.dirname(path), os.path.basename(path)[:-2]
    names = {stem} | {a or b for a, b in OBJECT.findall(text)}
    whole = stem
    while "_" in whole:
        whole = whole.rsplit("_", 1)[0]
        if (os.path.basename(folder) == whole or
                any(os.path.exists(f"{folder}/{whole}.{end}") for end in "ch")):
            names.add(whole)
    return both_numbers(names)


def definitions():
    """Stems of the .c files that define a function, by its name."""
    found = collections.defaultdict(set)
    for path in glob.glob("src/**/*.c", recursive=True):
        with open(path, encoding="utf-8") as f:
            text = NOISE.sub(" ", f.read())
        for name in re.findall(r"^(?!static)[a-z][\w \n*]*?\b(\w+)\([^;{}]*\)\s*\{", text, re.M):
            found[name].add(os.path.basename(path)[:-2])
    return found


def allowed():
    rows = []
    with open("tools/names-allowed", encoding="utf-8") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                rows.append(line.split(None, 2)[:2])
    return rows


def main():
    rules, defined = allowed(), definitions()
    total, off = collections.Counter(), collections.defaultdict(list)
    for path in sorted(glob.glob("src/**/*.h", recursive=True)):
        with open(path, encoding="utf-8") as f:
            text = NOISE.sub(" ", f.read())
        names, folder = prefixes(path, text), os.path.dirname(path)
        known = [p for where, p in rules if path.startswith("src/" + where)]
        for _, name, first in PROTOTYPE.findall(text):
            if name.isupper():
                continue
            total[folder] += 1
            if any(name == n or name.startswith(n + "_")
                   for n in names | both_numbers(defined[name] | {first} - {""})):
                continue
            if any(name == k or (k.endswith("_") and name.startswith(k)) for k in known):
                continue
            off[folder].append(f"{path}: {name}")
    for folder in sorted(total):
        if off[folder] and "-c" in sys.argv[1:]:
            print(f"{folder}: {len(off[folder])} of {total[folder]}")
        elif off[folder]:
            print("\n".join(off[folder]))
    n = sum(len(names) for names in off.values())
    if n or "-c" in sys.argv[1:]:
        print(f"{n} of {sum(total.values())} public functions are off the convention")
    return n > 0


sys.exit(main())
