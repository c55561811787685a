#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fail for each test that docs/trust.md names for a promise, and that does not exist.

The second column of its table of promises has "FILE: part of a name; part of another name". FILE may
change after a ";". A name is that of a @test of bats, of a function of cmocka with "_" for blanks, or of an
action and a place in tests/cli/evil_reader.py.
"""
import os
import re
import sys

os.chdir(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def names(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if path.endswith(".bats"):
        return re.findall(r'^@test "(.*)" \{', text, re.M)
    if path.endswith(".py"):
        actions = re.search(r"^ACTIONS = \[(.*?)\]", text, re.M | re.S).group(1)
        return [f"{action} in {place}" for action in re.findall(r'"(\w+)"', actions)
                for place in ("a page", "-o", "risk", "top", "browse", "mcp")]
    return [name.replace("_", " ") for name in re.findall(r"cmocka_unit_test\((\w+)\)", text)]


def main():
    with open("docs/trust.md", encoding="utf-8") as f:
        table = f.read().split("| promise | test |\n|---|---|\n")[1].split("\n\n")[0]
    bad = 0
    for row in table.splitlines():
        path = None
        for part in row.strip("| ").split(" | ")[-1].split("; "):
            found = re.match(r"(tests/[\w/-]+\.(?:bats|c|py)): (.*)", part)
            path, part = found.groups() if found else (path, part)
            if not path or not os.path.exists(path) or not any(part in name for name in names(path)):
                print(f"docs/trust.md: no test of {path} has '{part}' in its name")
                bad = 1
    sys.exit(bad)


if __name__ == "__main__":
    main()
