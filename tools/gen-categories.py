#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn src/analyses/categories.tsv into C tables: names, patterns, a trie of literal prefixes.

usage: gen-categories.py IN.tsv OUT.h
"""
import re
import sys

EXACT, PREFIX, GLOB = 0, 1, 2
SPACES = {"k": 1, "u": 2, "*": 3}
MODULE_BONUS = 100  # a named kernel module tells more than a prefix, less than a whole name
EXACT_BONUS = 1000


def die(where, text):
    sys.exit(f"{where}: {text}")


def quote(text):
    if not re.fullmatch(r"[ -~]*", text):
        sys.exit(f"not printable ASCII: {text!r}")
    # "??" would start a trigraph
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("??", '?""?') + '"'


def literal_prefix(pattern):
    return re.split(r"[*?]", pattern, maxsplit=1)[0]


def kind_of(pattern):
    if not re.search(r"[*?]", pattern):
        return EXACT
    return PREFIX if re.fullmatch(r"[^*?]*\*", pattern) else GLOB


class Node:
    def __init__(self, char):
        self.char, self.children, self.patterns = char, {}, []


def read(path):
    categories, patterns, seen, clashes = [], [], {}, []
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            where, line = f"{path}:{number}", line.rstrip("\n")
            if not line or line.startswith("#"):
                continue
            fields = line.split("\t")
            if line.startswith("="):
                if len(fields) != 2:
                    die(where, "=name, tab, title")
                categories.append((fields[0][1:], fields[1]))
                continue
            if len(fields) != 5:
                die(where, f"{len(fields)} fields, want 5")
            name, space, module, words, _source = fields
            ids = [n for n, _ in categories]
            if name not in ids:
                die(where, f"category {name} is not declared")
            if space not in SPACES:
                die(where, f"space {space}")
            module = "" if module == "-" else module
            for pattern in words.split(" "):
                if "|" in pattern or not pattern:
                    die(where, "empty pattern, or '|' in one")
                if pattern == "*" and not module:
                    die(where, "'*' needs a module")
                if pattern.startswith("SYS:") and kind_of(pattern) == GLOB:
                    die(where, "SYS: takes a name, or the start of one")
                key = (pattern, space, module)
                if key in seen:
                    clashes.append(f"{where}: {pattern} is {seen[key]} already")
                    continue
                seen[key] = name
                score = len(re.sub(r"[*?]", "", pattern))
                if pattern.startswith("*") and not module:
                    score = 0
                if kind_of(pattern) == EXACT:
                    score += EXACT_BONUS
                if module and space == "k":
                    score += MODULE_BONUS
                patterns.append((pattern, SPACES[space], module, ids.index(name), score))
    if clashes:
        sys.exit("\n".join(clashes))
    return categories, patterns


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    categories, patterns = read(sys.argv[1])
    root = Node("")
    for pattern in patterns:
        node = root
        for char in literal_prefix(pattern[0]):
            node = node.children.setdefault(char, Node(char))
        node.patterns.append(pattern)
    order, at = [root], 0
    while at < len(order):  # breadth first: the children of a node stand together
        node = order[at]
        node.first_child = len(order)
        order.extend(node.children[c] for c in sorted(node.children))
        at += 1
    if len(order) > 65535 or len(patterns) > 60000:
        sys.exit("too many patterns: widen the types in categories.c")
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        out.write("/* made by tools/gen-categories.py from categories.tsv: do not edit */\n")
        out.write("static const struct category_text category_texts[] = {\n")
        for name, title in categories:
            out.write(f"\t{{ {quote(name)}, {quote(title)} }},\n")
        out.write("};\n\nstatic const struct category_pattern category_patterns[] = {\n")
        first = 0
        for node in order:
            node.first_pattern = first
            first += len(node.patterns)
            for pattern, space, module, category, score in sorted(
                node.patterns, key=lambda p: -p[4]
            ):
                out.write(
                    f"\t{{ {quote(pattern)}, {quote(module) if module else 'NULL'}, "
                    f"{score}, {category}, {space}, {kind_of(pattern)} }},\n"
                )
        out.write("};\n\nstatic const struct category_node category_nodes[] = {\n")
        for node in order:
            char = f"'{node.char}'" if node.char not in ("", "'", "\\") else "0"
            out.write(
                f"\t{{ {node.first_child}, {node.first_pattern}, {len(node.patterns)}, "
                f"{len(node.children)}, {char} }},\n"
            )
        out.write("};\n")


main()
