#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn a table of names such as categories.tsv into C: texts, patterns, a radix tree of literal prefixes.

usage: gen-name-table.py PREFIX IN.tsv OUT.h [KEY...]
       gen-name-table.py --axis AXIS IN.tsv OUT.h
       gen-name-table.py --events IN.tsv OUT.h
       gen-name-table.py --pairs IN.tsv OUT.h
       gen-name-table.py --order IN.tsv OUT.h

PREFIX names the C tables: PREFIX_texts, PREFIX_patterns, PREFIX_nodes. With KEYs each entry
has texts of its own, ":key, tab, text" on the lines below it, and a constant PREFIX_NAME in C
that must have its position; the text of the key 'with' names another entry. Names of the axis wait/ are left out. --axis writes the lines
of AXIS/NAME in their order, of which the first that matches counts: AXIS_names, AXIS_lines.
--events writes the lines of events.tsv in the same way: event_lines. --pairs writes the words of
operations.tsv, each with the number of its line: operation_words.
--order writes lists of patterns: NAME, tab, patterns, tab, source; a line without patterns is NULL.
A word START:KIND stands for the patterns of start/KIND in src/core/names/start_names.tsv, but those that
the table of PREFIX lists itself.
"""
import re
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is
from start_names import start_names  # noqa: E402

EXACT, PREFIX, GLOB = 0, 1, 2
EVENT_KINDS = ["time", "work", "sleep", "memory", "other", "plan"]
SPACES = {"k": 1, "u": 2, "*": 3}
MODULE_BONUS = 100  # a named kernel module tells more than a prefix, less than a whole name
EXACT_BONUS = 1000


def die(where, text):
    sys.exit(f"{where}: {text}")


def expand(where, words, own=()):
    """The patterns in @words, with those that START:KIND stands for, but not those of @own."""
    patterns = []
    for word in words.split(" "):
        if not word.startswith("START:"):
            patterns.append(word)
        elif word in start_names():
            patterns += [p for p in start_names()[word] if p not in own]
        else:
            die(where, f"{word} is no kind of start_names.tsv")
    if "" in patterns or any("|" in pattern for pattern in patterns):
        die(where, "empty pattern, or '|' in one")
    return patterns


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
    """After @label, the letters from its parent on: chains of single letters are one edge."""

    def __init__(self, label):
        self.label, self.children, self.patterns = label, {}, []

    def find(self, text):
        """The node for @text below this one; splits an edge that it ends in."""
        if not text:
            return self
        child = self.children.get(text[0])
        if not child:
            child = self.children[text[0]] = Node(text)
            return child
        same = 0
        while same < min(len(text), len(child.label)) and text[same] == child.label[same]:
            same += 1
        if same < len(child.label):
            middle = Node(child.label[:same])
            child.label = child.label[same:]
            middle.children[child.label[0]] = child
            self.children[text[0]] = child = middle
        return child.find(text[same:])


def read(path, keys):
    entries, patterns, seen, clashes = [], [], {}, []
    with open(path, encoding="utf-8") as lines:
        own = {word for line in lines for word in "".join(line.split("\t")[3:4]).split(" ")}
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            where, line = f"{path}:{number}", line.rstrip("\n")
            if not line or line.startswith("#"):
                continue
            fields = line.split("\t")
            if keys and fields[0].lstrip("=").startswith("wait/"):
                continue  # another axis
            if line.startswith("="):
                if len(fields) != 2:
                    die(where, "=name, tab, title")
                entries.append((fields[0][1:], fields[1], {}))
                continue
            if line.startswith(":"):
                if len(fields) != 2 or fields[0][1:] not in keys or not entries:
                    die(where, f":key, tab, text; keys: {' '.join(keys) or 'none'}")
                if fields[0][1:] in entries[-1][2]:
                    die(where, f"{fields[0]} stands twice")
                if fields[1].endswith("."):
                    die(where, "a final dot")
                entries[-1][2][fields[0][1:]] = fields[1]
                continue
            if len(fields) != 5:
                die(where, f"{len(fields)} fields, want 5")
            name, space, module, words, _source = fields
            ids = [entry[0] for entry in entries]
            if name not in ids:
                die(where, f"{name} is not declared")
            if space not in SPACES:
                die(where, f"space {space}")
            module = "" if module == "-" else module
            for pattern in expand(where, words, own):
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
    for name, _title, texts in entries:
        if texts.get("with", name) not in [entry[0] for entry in entries]:
            clashes.append(f"{path}: {name} with {texts['with']}, which is not declared")
    if clashes:
        sys.exit("\n".join(clashes))
    return entries, patterns


def first_letters(patterns):
    """Bits of the characters that a match may begin with, as str_letter() has them; all for a wildcard."""
    letters = 0
    for pattern in patterns.split("|"):
        letters |= 0xffffffff if pattern[0] in "*?" else 1 << (ord(pattern[0]) & 31)
    return letters


def axis_main(axis, source, target):
    names, lines = [], []
    with open(source, encoding="utf-8") as rows:
        for number, row in enumerate(rows, 1):
            where, fields = f"{source}:{number}", row.rstrip("\n").split("\t")
            if fields[0].startswith(f"={axis}/"):
                names.append(fields[0].split("/", 1)[1])
            if not fields[0].startswith(axis + "/"):
                continue
            name = fields[0].split("/", 1)[1]
            if len(fields) != 5 or fields[1] not in SPACES or fields[2] != "-":
                die(where, "want 5 fields: a space, no module")
            if name not in names:
                die(where, f"{name} is not declared")
            lines.append((name, SPACES[fields[1]], "|".join(expand(where, fields[3]))))
    with open(target, "w", encoding="utf-8") as out:
        out.write(f"/* made by tools/gen-name-table.py from {source}: do not edit */\n")
        for at, name in enumerate(names):
            constant = f"{axis}-role-{name}".upper().replace("-", "_")
            out.write(f'_Static_assert({constant} == {at + 1}, "{name}: other order");\n')
        out.write(f"static const struct {axis}_line {axis}_lines[] = {{\n")
        for name, space, patterns in lines:
            constant = f"{axis}-role-{name}".upper().replace("-", "_")
            out.write(f"\t{{ {constant}, {space}, 0x{first_letters(patterns):08x}, {quote(patterns)} }},\n")
        out.write("};\n")


def events_main(source, target):
    lines, seen = [], {}
    with open(source, encoding="utf-8") as rows:
        for number, row in enumerate(rows, 1):
            where, row = f"{source}:{number}", row.rstrip("\n")
            if not row or row.startswith("#"):
                continue
            fields = row.split("\t")
            if len(fields) != 4 or "" in fields:
                die(where, "want 4 fields: kind, unit, patterns, source")
            kind, unit, words, _source = fields
            kind, _, exact = kind.partition(",")
            if kind not in EVENT_KINDS:
                die(where, f"kind {kind}, not one of {' '.join(EVENT_KINDS)}")
            if exact not in ("", "exact"):
                die(where, f"{exact} after the kind: only 'exact' is known")
            for pattern in words.split(" "):
                if not pattern or "|" in pattern or pattern != pattern.lower():
                    die(where, "empty pattern, '|' in one, or a capital letter")
                if pattern in seen:
                    die(where, f"{pattern} is in line {seen[pattern]} already")
                seen[pattern] = number
            lines.append((words.replace(" ", "|"), kind, unit, exact))
    with open(target, "w", encoding="utf-8") as out:
        out.write(f"/* made by tools/gen-name-table.py from {source}: do not edit */\n")
        out.write("static const struct event_line event_lines[] = {\n")
        for patterns, kind, unit, exact in lines:
            out.write(f"\t{{ {quote(patterns)}, EVENT_{kind.upper()}, {quote(unit)}, {'true' if exact else 'false'} }},\n")
        out.write("};\n")


def pairs_main(source, target):
    words, groups = {}, 0
    with open(source, encoding="utf-8") as rows:
        for number, row in enumerate(rows, 1):
            where, row = f"{source}:{number}", row.rstrip("\n")
            if not row or row.startswith("#"):
                continue
            fields = row.split("\t")
            if len(fields) != 3 or "" in fields:
                die(where, "want 3 fields: begin, end, source")
            for side, field in enumerate(fields[:2]):
                for word in field.split(" "):
                    if not re.fullmatch(r"[a-z0-9_]+", word):
                        die(where, f"{word!r}: want lower-case letters")
                    masks = words.setdefault(word, [0, 0])
                    if masks[0] & 1 << groups or masks[side] & 1 << groups:
                        die(where, f"{word} stands twice")
                    masks[side] |= 1 << groups
            groups += 1
    if groups > 32:
        die(source, "more than 32 lines: widen the masks in operation_words.h")
    with open(target, "w", encoding="utf-8") as out:
        out.write(f"/* made by tools/gen-name-table.py from {source}: do not edit */\n")
        out.write("static const struct operation_word operation_words[] = {\n")
        for word, (begins, ends) in sorted(words.items()):
            out.write(f"\t{{ {{ {quote(word)}, {len(word)} }}, {begins:#x}, {ends:#x} }},\n")
        out.write("};\n")


def order_main(source, target):
    lists = {}
    with open(source, encoding="utf-8") as rows:
        for number, row in enumerate(rows, 1):
            where, fields = f"{source}:{number}", row.rstrip("\n").split("\t")
            if row.startswith("#") or not row.strip():
                continue
            if len(fields) not in (1, 3):
                die(where, "want a name alone, or 3 fields: name, patterns, source")
            words = expand(where, fields[1]) if len(fields) == 3 else None
            lists.setdefault(fields[0], []).append(quote("|".join(words)) if words else "NULL")
    with open(target, "w", encoding="utf-8") as out:
        out.write(f"/* made by tools/gen-name-table.py from {source}: do not edit */\n")
        for name, lines in lists.items():
            out.write(f"static const char *const {name}[] = {{\n")
            out.writelines(f"\t{line},\n" for line in lines)
            out.write("};\n")


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    if sys.argv[1] == "--pairs":
        pairs_main(*sys.argv[2:])
        return
    if sys.argv[1] == "--events":
        events_main(*sys.argv[2:])
        return
    if sys.argv[1] == "--order":
        order_main(*sys.argv[2:])
        return
    if sys.argv[1] == "--axis":
        axis_main(*sys.argv[2:])
        return
    prefix, source, target, *keys = sys.argv[1:]
    entries, patterns = read(source, keys)
    root = Node("")
    for pattern in patterns:
        root.find(literal_prefix(pattern[0])).patterns.append(pattern)
    order, at = [root], 0
    while at < len(order):  # breadth first: the children of a node stand together
        node = order[at]
        node.first_child = len(order)
        order.extend(node.children[c] for c in sorted(node.children))
        at += 1
    if len(order) > 65535 or len(patterns) > 60000:
        sys.exit("too many patterns: widen the types in name_table.h")
    with open(target, "w", encoding="utf-8") as out:
        out.write(f"/* made by tools/gen-name-table.py from {source}: do not edit */\n")
        out.write(f"static const struct {prefix}_text {prefix}_texts[] = {{\n")
        names = [entry[0] for entry in entries]
        for name, title, texts in entries:
            words = [quote(w) if w else "NULL" for w in [name, title] + [texts.get(k) for k in keys]]
            if "with" in keys:  # the position of another entry, or of none
                words[2 + keys.index("with")] = str(names.index(texts.get("with", names[0])))
            out.write("\t{ " + ", ".join(words) + " },\n")
        out.write("};\n\n")
        for at, (name, _title, _texts) in enumerate(entries if keys else []):
            constant = f"{prefix}-{name}".upper().replace("-", "_")
            out.write(f'_Static_assert({constant} == {at}, "{name}: {prefix}.h, other order");\n')
        out.write(f"\nstatic const struct name_pattern {prefix}_patterns[] = {{\n")
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
        out.write(f"}};\n\nstatic const struct name_node {prefix}_nodes[] = {{\n")
        for node in order:
            out.write(
                f"\t{{ {quote(node.label)}, {len(node.label)}, {len(node.children)}, "
                f"{node.first_child}, {node.first_pattern}, {len(node.patterns)} }},\n"
            )
        out.write("};\n")


main()
