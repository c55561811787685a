#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn docs/rules/*.md into a C table, so that the program can print them.

usage: gen-rule-pages.py OUT.c PAGE.md...
"""
import pathlib
import sys


def quote(line):
    out = []
    for byte in line.encode():
        char = chr(byte)
        if char in '"\\?':
            out.append("\\" + char)
        elif 32 <= byte < 127:
            out.append(char)
        else:
            out.append(f"\\{byte:03o}")
    return '"' + "".join(out) + '\\n"'


def main():
    out, *pages = sys.argv[1:]
    lines = ["/* Made by tools/gen-rule-pages.py of docs/rules. */", '#include "cmds/rule_pages.h"']
    lines.append("const struct rule_page rule_pages[] = {")
    for page in sorted(pages, key=lambda p: pathlib.Path(p).stem):
        path = pathlib.Path(page)
        lines.append("\t{ " + quote(path.stem)[:-3] + '",')
        lines += ["\t  " + quote(line) for line in path.read_text(encoding="utf-8").splitlines()]
        lines.append("\t},")
    lines += ["\t{ 0, 0 },", "};"]
    pathlib.Path(out).write_text("\n".join(lines) + "\n", encoding="utf-8")


main()
