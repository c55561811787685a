#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn a table of text into an array of structures in C.

usage: gen-rows.py IN.tsv OUT.h

A line '= TYPE ARRAY' names the structure and the array. The next line names the columns, separated
by tabs: 'member' is a string, 'member!' a string that no other row has, 'member:unsigned' a number,
'flags' the members that are true. A column 'source' is not stored. A cell '-' is NULL, or no flag.
A line '@NAME', a tab and a text: a cell '@NAME' below it stands for that text. Lines that begin with
'#' are comments. All mistakes of a row are refused with its place.
"""
import re
import sys


def die(where, text):
    sys.exit(f"{where}: {text}")


def quote(text):
    # "??" would start a trigraph
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("??", '?""?') + '"'


def value(where, column, cell, seen):
    """The initialisers of one cell."""
    name = column.rstrip("!")
    if cell == "-":
        return []
    if name == "flags":
        for flag in cell.split(" "):
            if not re.fullmatch(r"[a-z_]+", flag):
                die(where, f"'{flag}' is no name of a member")
        return [f".{flag} = true" for flag in cell.split(" ")]
    if name.endswith(":unsigned"):
        if not cell.isdigit():
            die(where, f"'{cell}' is no number")
        return [f".{name.removesuffix(':unsigned')} = {cell}u"]
    if column.endswith("!") and seen.setdefault((name, cell), where) != where:
        die(where, f"{name} '{cell}' is in {seen[name, cell]} already")
    return [f".{name} = {quote(cell)}"]


def read(path):
    arrays, columns, seen, texts = [], None, {}, {}
    with open(path, encoding="utf-8") as rows:
        for at, row in enumerate(rows, 1):
            where, row = f"{path}:{at}", row.rstrip("\n")
            if not row or row.startswith("#"):
                continue
            if row.startswith("= "):
                arrays.append((*row.split(" ")[1:], []))
                columns = None
                continue
            cells = [texts.get(cell, cell) for cell in row.split("\t")]
            if row.startswith("@") and len(cells) == 2:
                texts[cells[0]] = cells[1]
                continue
            if columns is None:
                columns = cells
                continue
            if any(re.fullmatch("@[a-z]+", cell) for cell in cells):
                die(where, "a text with a name that no line above defines")
            if len(cells) != len(columns) or "" in cells:
                die(where, f"want {len(columns)} cells, none of them empty: {' '.join(columns)}")
            arrays[-1][2].append([part for column, cell in zip(columns, cells) if column != "source"
                                  for part in value(where, column, cell, seen)])
    return arrays


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        for kind, name, rows in read(sys.argv[1]):
            print(f"static const struct {kind} {name}[] = {{", file=out)
            for row in rows:
                print("\t{ %s }," % ", ".join(row), file=out)
            print("};", file=out)


if __name__ == "__main__":
    main()
