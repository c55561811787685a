#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn a table of text into an array of structures in C.

usage: gen-rows.py IN.tsv OUT.h

A line '= TYPE ARRAY' names the structure and the array. The next line names the columns, separated
by tabs: 'member' is a string, 'member!' a string that no other row has, 'member:unsigned' a number,
'flags' the members that are true. A column 'source' is not stored. A cell '-' is NULL, or no flag.
A line '@NAME', a tab and a text, above the first array: a cell '@NAME' stands for that text. Lines
that begin with '#' are comments. A mistake is refused with its place, and nothing is written. A name
that is no member of the structure is refused by the compiler.
"""
import re
import sys

MEMBER = "[a-z_][a-z0-9_]*"
COLUMN = f"({MEMBER})(!|:unsigned)?"
TEXT = "@[a-z]+"


def die(where, text):
    sys.exit(f"{where}: {text}")


def quote(text):
    # "??" would start a trigraph
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("??", '?""?') + '"'


def value(where, column, cell, seen):
    """The initialisers of one cell."""
    name, kind = re.fullmatch(COLUMN, column).groups()
    if cell == "-":
        return []
    if name == "flags":
        flags = cell.split(" ")
        for flag in flags:
            if not re.fullmatch(MEMBER, flag):
                die(where, f"'{flag}' is no name of a member")
            if flags.count(flag) > 1:
                die(where, f"flag '{flag}' is there twice")
        return [f".{flag} = true" for flag in flags]
    if kind == ":unsigned":
        if not re.fullmatch("0|[1-9][0-9]*", cell):
            die(where, f"'{cell}' is no decimal number")
        return [f".{name} = {cell}u"]
    if kind == "!" and seen.setdefault((name, cell), where) != where:
        die(where, f"{name} '{cell}' is in {seen[name, cell]} already")
    return [f".{name} = {quote(cell)}"]


def columns_of(where, cells):
    for cell in cells:
        if not re.fullmatch(COLUMN, cell):
            die(where, f"'{cell}' is no column")
    if len(set(cells)) < len(cells):
        die(where, "a column is there twice")
    return cells


def row_of(where, row, columns, texts, seen):
    """The initialisers of one row."""
    cells = row.split("\t")
    if len(cells) != len(columns) or "" in cells:
        die(where, f"want {len(columns)} cells, none of them empty: {' '.join(columns)}")
    if any(re.fullmatch(TEXT, cell) and cell not in texts for cell in cells):
        die(where, "a text with a name that no line above defines")
    return [part for column, cell in zip(columns, cells) if column != "source"
            for part in value(where, column, texts.get(cell, cell), seen)]


def read(path):
    """(TYPE, ARRAY, rows) of each array."""
    arrays, columns, seen, texts = [], None, {}, {}
    with open(path, encoding="utf-8") as rows:
        for at, row in enumerate(rows, 1):
            where, row = f"{path}:{at}", row.rstrip("\n")
            if not row or row.startswith("#"):
                continue
            if row.startswith("="):
                array = re.fullmatch(f"= ({MEMBER}) ({MEMBER})", row)
                if not array:
                    die(where, "want '= TYPE ARRAY'")
                arrays.append((*array.groups(), []))
                columns = None
            elif not arrays:
                name, _, text = row.partition("\t")
                if not re.fullmatch(TEXT, name) or not text:
                    die(where, "want '= TYPE ARRAY' above the first row")
                if name in texts:
                    die(where, f"{name} is there twice")
                texts[name] = text
            elif columns is None:
                columns = columns_of(where, row.split("\t"))
            else:
                arrays[-1][2].append(row_of(where, row, columns, texts, seen))
    for _, name, rows in arrays:
        if not rows:
            die(path, f"{name} has no row")
    return arrays


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        arrays = read(sys.argv[1])
    except (OSError, UnicodeDecodeError) as e:
        die(sys.argv[1], e)
    if not arrays:
        die(sys.argv[1], "no line '= TYPE ARRAY'")
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        for kind, name, rows in arrays:
            print(f"static const struct {kind} {name}[] = {{", file=out)
            for row in rows:
                print("\t{ %s }," % ", ".join(row), file=out)
            print("};", file=out)


if __name__ == "__main__":
    main()
