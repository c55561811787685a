#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn src/formats/foreign/foreign.tsv into C tables: kinds, marks of lines, keys of JSON.

usage: gen-foreign.py IN.tsv OUT.h
"""
import sys

MAX_KEYS = 3


def die(where, text):
    sys.exit(f"{where}: {text}")


def quote(text):
    # "??" would start a trigraph
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("??", '?""?') + '"'


def number(where, text, lowest, highest):
    if not text.isdigit() or not lowest <= int(text) <= highest:
        die(where, f"{text}: want a number from {lowest} to {highest}")
    return int(text)


def read(path):
    kinds, marks, documents, seen = [("", "", 0, 0, False)], [], [], {}
    with open(path, encoding="utf-8") as rows:
        for at, row in enumerate(rows, 1):
            where, row = f"{path}:{at}", row.rstrip("\n")
            if not row or row.startswith("#"):
                continue
            fields = row.split("\t")
            if "" in fields:
                die(where, "an empty field")
            if row.startswith("="):
                if len(fields) != 4 and fields[4:] != ["head"]:
                    die(where, "want =name, gap, cap, description, and perhaps head")
                if fields[0][1:] <= kinds[-1][0]:
                    die(where, "kinds are in alphabetical order")
                gap, cap = number(where, fields[1], 0, 255), number(where, fields[2], 60, 100)
                kinds.append((fields[0][1:], fields[3], gap, cap, len(fields) > 4))
            elif fields[0] == "json":
                if len(fields) != 4 or len(fields[2].split(" ")) > MAX_KEYS:
                    die(where, f"want json, name, at most {MAX_KEYS} keys, description")
                documents.append((fields[2].split(" "), fields[1], fields[3]))
            elif len(fields) != 2:
                die(where, "want points, pattern")
            elif (kinds[-1][0], fields[1]) in seen:
                die(where, f"the pattern is in line {seen[(kinds[-1][0], fields[1])]} already")
            else:
                seen[(kinds[-1][0], fields[1])] = at
                marks.append((len(kinds) - 1, number(where, fields[0], 0, 100), fields[1]))
    return kinds, marks, documents


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    kinds, marks, documents = read(sys.argv[1])
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        out.write(f"/* made by tools/gen-foreign.py from {sys.argv[1]}: do not edit */\n")
        out.write("const struct foreign_kind foreign_kinds[] = {\n")
        for name, text, gap, cap, is_head in kinds:
            out.write(f"\t{{ {quote(name)}, {quote(text)}, {gap}, {cap}, {'true' if is_head else 'false'} }},\n")
        out.write("};\n\nconst struct foreign_mark foreign_marks[] = {\n")
        for kind, points, pattern in marks:
            out.write(f"\t{{ {kind}, {points}, {quote(pattern)} }},\n")
        out.write("};\n\nconst struct foreign_json foreign_json_kinds[] = {\n")
        for keys, name, text in documents:
            words = ", ".join(quote(key) for key in keys)
            out.write(f"\t{{ {{ {words} }}, {quote(name)}, {quote(text)} }},\n")
        out.write("};\n")


main()
