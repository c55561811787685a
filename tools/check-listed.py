#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fail for each .c and .rule file below src that no meson.build names: nothing would build it."""
import glob
import os
import re
import sys

os.chdir(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def named():
    names = set()
    for path in ["meson.build", *glob.glob("src/*/meson.build")]:
        with open(path, encoding="utf-8") as f:
            names.update(os.path.basename(os.path.splitext(name)[0])
                         for name in re.findall(r"'([^'\n]+)'", f.read()))
    return names


def main():
    names, unlisted = named(), []
    for path in sorted(glob.glob("src/**/*", recursive=True)):
        stem, end = os.path.splitext(os.path.basename(path))
        if end in (".c", ".rule") and not {stem, stem.replace("-", "_")} & names:
            unlisted.append(path)
    for path in unlisted:
        print(f"{path}: no meson.build names it, so it is not built")
    return 1 if unlisted else 0


sys.exit(main())
