#!/usr/bin/env python3
"""Fail when a file uses a name whose header it does not include itself, or includes a
header of which it uses no name. --fix adds and removes the lines.

A .c file has what the header of its own name includes. Headers declare a struct
that they only point to. Names are found in the text, without a compiler: functions that
are called, types, constants, macros, and members where one header alone has them.
Headers of the system are left to the compiler.
"""
import glob
import os
import re
import sys

os.chdir(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOKEN = re.compile(r"[A-Za-z_]\w*|->|\.\.\.|[^\s\w]|\d[\w.]*")
NOISE = re.compile(r'/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'', re.S)
VEC_MEMBERS = {"data", "len", "cap"}
INCLUDE = re.compile(r'^#include "([^"]+\.h)"', re.M)


class File:
    def __init__(self, path):
        self.path = path
        with open(path, encoding="utf-8") as f:
            self.raw = f.read()
        self.includes = INCLUDE.findall(self.raw)
        text = NOISE.sub(lambda m: '""' if m[0][0] == '"' else " ", self.raw)
        self.macros = set(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", text, re.M))
        self.text = text
        code = re.sub(r"^[ \t]*#(?:[^\n\\]|\\.)*", "", text, flags=re.M | re.S)
        self.tags, self.functions, self.members = set(), set(), {}
        self.others = set(self.macros)
        self.declare(TOKEN.findall(code))
        self.use(TOKEN.findall(re.sub(r"^[ \t]*#[ \t]*include.*", "", text, flags=re.M)))

    def declare(self, tokens):
        """Names that the file itself defines or declares."""
        inside = []  # kind of each open brace, and what stands before it
        tag = [""]
        parens = 0
        before = []
        for i, t in enumerate(tokens):
            following = tokens[i + 1] if i + 1 < len(tokens) else ""
            if t == "{":
                kind = "code"
                tag.append(tag[-1])
                for word in ("struct", "union", "enum"):
                    if before[-1:] == [word] or before[-2:-1] == [word]:
                        kind = "enum" if word == "enum" else "struct"
                        if before[-1] != word:
                            self.tags.add(before[-1])
                            tag[-1] = before[-1]
                inside.append((kind, before))
                before = []
                continue
            if t == "}":
                tag[1:] = tag[1:-1]
                before = inside.pop()[1] if inside else []
                before = before + ["}"]
                continue
            if t in "()":
                parens += 1 if t == "(" else -1
            kind = inside[-1][0] if inside else ""
            word = re.match(r"[A-Za-z_]", t)
            if kind == "enum" and word and following in (",", "=", "}") and "=" not in before:
                self.others.add(t)
            if kind == "struct" and word and following in (";", ",", "[", ":", ")"):
                self.members.setdefault(t, set()).add(tag[-1])
            if not inside and word and following == "(" and not parens \
                    and tokens[i + 2] != "*" and t not in ("__attribute__", "__typeof__", "_Static_assert"):
                self.functions.add(t)
            if not inside and word and before[:1] in (["extern"], ["typedef"]) \
                    and following in (";", "[", ")") and t != "void":
                self.others.add(t)
            if t in (";", ",") and kind in ("enum", "") and not parens:
                before = [","] if kind == "enum" else []
            elif t == ";":
                before = []
            else:
                before.append(t)

    def use(self, tokens):
        self.words = set(tokens)
        self.used = set()
        self.calls = set()
        self.whole = set()
        self.points = set()
        self.reaches = set()
        last = ""
        for i, t in enumerate(tokens):
            following = tokens[i + 1] if i + 1 < len(tokens) else ""
            if last in ("struct", "union", "enum"):
                opaque = following in ("*", ";") or tokens[i - 3:i - 1] == ["VEC", "("]
                if not opaque or last == "enum":
                    self.whole.add(t)
                else:
                    self.points.add(t)
            elif last in ("->", "."):
                self.reaches.add(t)
            else:
                self.used.add(t)
                if following == "(" or tokens[i - 2:i] == ["CLEANUP", "("]:
                    self.calls.add(t)
            last = t


def load():
    files = {}
    for top in ("src", "tests"):
        for path in sorted(glob.glob(top + "/**/*.[ch]", recursive=True)):
            if not path.startswith("tests/data/"):
                files[path] = File(path)
    return files


def header_of(name, path):
    for place in ("src/" + name, os.path.join(os.path.dirname(path), name)):
        if os.path.exists(place):
            return place
    return None


def index(files, kind):
    """Name -> headers that have it."""
    names = {}
    for path, f in files.items():
        if path.endswith(".h"):
            for name in getattr(f, kind):
                names.setdefault(name, set()).add(path)
    return names


def reached(path, files, seen):
    """Add all that a file includes, over others too, to SEEN."""
    for name in files[path].includes:
        h = header_of(name, path)
        if h in files and h not in seen:
            seen.add(h)
            reached(h, files, seen)
    return seen


def wanted(f, files, names):
    """Name -> headers that have it. One that the file reaches must be included, and the only
    one that has a function."""
    tags, functions, others, members = names
    own = f.tags | f.functions | f.others
    out = {}
    for name in f.whole - f.tags:
        if name in tags:
            out["type " + name] = tags[name]
    for name in f.calls & functions.keys() - own:
        out[name] = functions[name]
    for name in f.used & others.keys() - own:
        out[name] = others[name]
    for name in f.reaches & members.keys() - f.members.keys() - VEC_MEMBERS:
        if len(members[name]) == 1:
            out["member " + name] = members[name]
    for tag in f.points & tags.keys() - f.tags:
        if any(tag in files[h].members.get(name, ()) for h in tags[tag]
               for name in f.reaches - VEC_MEMBERS):
            out["members of " + tag] = tags[tag]
    return out


def uses(f, header):
    """Whether the file needs the header: pointing to a struct of it does not."""
    if '.def"' in header.raw or "##" in header.raw:  # makes names out of parts
        return True
    return bool(f.used & (header.functions | header.others) or f.whole & header.tags
                or (f.reaches - f.members.keys()) & header.members.keys())


def undeclared(f, files, given):
    """Structs that a header points to, but neither it nor its includes declare."""
    if not f.path.endswith(".h"):
        return []
    known = f.tags | set(re.findall(r"^struct (\w+);", f.text, re.M))
    for h in given:
        known |= files[h].tags
    return sorted(f.points - known)


def check(f, files, names):
    have = {h: name for name in f.includes for h in [header_of(name, f.path)] if h}
    given = set(have) | {f.path}
    own = f.path[:-1] + "h"
    if f.path.endswith(".c") and own in have:
        given |= {header_of(name, own) for name in files[own].includes}
        given -= set(check(files[own], files, names)[1]) - set(have)
    near = reached(f.path, files, set())
    missing = {}
    for name, headers in sorted(wanted(f, files, names).items(), key=lambda item: len(item[1])):
        if len(headers) == 1 and (name in names[1] or name.startswith("type ")):
            near |= {h for h in headers if h.startswith("src/")}
        if headers & near and not headers & given:
            h = min(headers & near, key=lambda h: (not files[h].tags & (f.points | f.whole), h))
            given.add(h)
            missing[h] = name
    unused = [h for h in have if h != own and h in files and not uses(f, files[h])]
    return missing, unused, undeclared(f, files, given - set(unused))


def mend(f, missing, unused, pointed):
    """Add and remove include lines; clang-format's order within the first block."""
    lines = f.raw.split("\n")
    for h in unused:
        name = h[4:] if h.startswith("src/") else os.path.basename(h)
        lines.remove('#include "%s"' % name)
    new = ['#include "%s"' % h[4:] for h in missing if h.startswith("src/")]
    own = '#include "%sh"' % f.path[4:-1]
    if own in lines and lines[lines.index(own) + 1] != "":
        lines.insert(lines.index(own) + 1, "")
    at = [i for i, line in enumerate(lines) if line.startswith('#include "') and '.h"' in line]
    # the header that leads a .c file stands alone
    alone = [i for i in at if f.path.endswith(".c") and i == at[0] and lines[i + 1] == ""]
    block = [i for i in at if i not in alone]
    end = block[0] if block else None
    while end is not None and end + 1 < len(lines) and lines[end + 1].startswith('#include "'):
        end += 1
    if end is not None:
        lines[block[0]:end + 1] = sorted(lines[block[0]:end + 1] + new)
    else:
        start = alone[0] + 1 if alone else next(
            i for i, line in enumerate(lines)
            if (line.startswith("#define ") if f.path.endswith(".h") else line == "")
            or line.startswith("#include")) + (1 if f.path.endswith(".h") else 0)
        lines[start:start] = [""] + sorted(new)
        if lines[start + 1 + len(new)] != "":
            lines.insert(start + 1 + len(new), "")
    if pointed:
        at = [i for i, line in enumerate(lines) if line.startswith("#include ") and ".h" in line]
        i = at[-1] + 1 if at else next(i for i, line in enumerate(lines) if "#define " in line) + 1
        block = [""] + ["struct %s;" % name for name in pointed]
        if not lines[i + 1].startswith("struct ") or not lines[i + 1].endswith(";"):
            block.append("")
        lines[i:i + (lines[i] == "")] = block
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines))
    with open(f.path, "w", encoding="utf-8") as out:
        out.write(text)


def main():
    files = load()
    names = [index(files, kind) for kind in ("tags", "functions", "others", "members")]
    bad = 0
    for path, f in files.items():
        missing, unused, pointed = check(f, files, names)
        if not missing and not unused and not pointed:
            continue
        bad += 1
        if "--fix" in sys.argv:
            mend(f, missing, unused, pointed)
            continue
        for h, name in sorted(missing.items()):
            print("%s uses %s and does not include %s" % (path, name, h))
        for h in unused:
            print("%s includes %s and uses nothing of it" % (path, h))
        for name in pointed:
            print("%s does not declare struct %s" % (path, name))
    if bad and "--fix" not in sys.argv:
        print("includes of %d files: tools/check-includes.py --fix" % bad)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
