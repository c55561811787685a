#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fail for each folder below src without a README.md, and for each name in such a page that does not exist.

A name is text between backquotes: a file or folder, next to the page, below src or from the top of the tree,
or a word with '_' or "()", which must occur in src.
"""
import glob
import os
import re
import sys

os.chdir(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Below it is one file a rule: docs/rules has a page for each.
WITHOUT = "src/explain/rules"
PATH = re.compile(r"[\w.*/-]+(?:\.[a-z]+|/)|src(?:/[\w-]+)+")
WORD = re.compile(r"\b(?:\w*_\w*|\w+(?=\(\)))(?![\w*])")


def folders():
    for folder, _, files in sorted(os.walk("src")):
        if folder != "src" and files and not folder.startswith(WITHOUT + "/"):
            yield folder


def words():
    found = set()
    for path in glob.glob("src/**/*.*", recursive=True):
        if os.path.isfile(path) and not path.endswith(".md"):
            with open(path, encoding="utf-8") as f:
                found.update(re.findall(r"\w+", f.read()))
    return found


def main():
    known, bad = words(), []
    for folder in folders():
        page = os.path.join(folder, "README.md")
        if not os.path.exists(page):
            bad.append(f"{page} is missing: what lives here, its rules, where to start")
            continue
        with open(page, encoding="utf-8") as f:
            text = f.read()
        if not text.startswith(f"# {folder}\n"):
            bad.append(f"{page}: the title must be '# {folder}'")
        for name in re.findall(r"`([^`\n]+)`", text):
            if PATH.fullmatch(name):
                if not any(glob.glob(os.path.join(base, name)) for base in (folder, "src", ".")):
                    bad.append(f"{page} names {name}, which is not there")
            else:
                bad += [f"{page} names {word}, which does not occur in src"
                        for word in WORD.findall(name) if word not in known]
    for line in bad:
        print(line)
    return 1 if bad else 0


sys.exit(main())
