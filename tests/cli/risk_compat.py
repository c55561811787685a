#!/usr/bin/env python3
"""The compat family of `assay risk` against its definitions, as regular expressions.

  ASSAY=build/assay ASSAY_SOURCE=. tests/cli/risk_compat.py

The columns are text rules, so Python's re module says them in a line each. The
functions and their lines come from `assay risk --json`; all else is computed
here once more, over the sources of the project and tests/data/risk. The call
trees (c5 to c7) are walked as GNU cflow prints them. TAP on stdout.
"""
import glob
import json
import math
import os
import re
import subprocess
import sys

SOURCE = os.environ.get("ASSAY_SOURCE", ".")
ASSAY = os.environ.get("ASSAY", os.path.join(SOURCE, "build/assay"))
WORDS = ["if", "else if", "while", "for", "do", "case", "goto"]
VARIABLE = re.compile(r"^\s*(?:(?:const|static)\s+)?(?:(?:struct|union|enum)\s+)?"
                      r"\w+[ \t]+\*?[A-Za-z_]\w*\s*(?:=.*?)?;", re.A)
HEAD = re.compile(r"\w+\s+\w+\s*\([^)]*\)\s*\{", re.A)
NO_CALL = set("if for while switch return sizeof do else case goto typeof __typeof__ defined".split())


def run(*args):
    done = subprocess.run([ASSAY, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def cyclomatic(text):
    n = sum(len(re.findall(r"\b%s\b" % w, text, re.A)) for w in WORDS)
    return 1 + n + text.count("&&") + text.count("||")


def effort(body):
    operators, operands = [], []
    for token in re.findall(r"\w+|[-+*/=(){}\[\];,.]", body, re.A):
        (operands if re.match(r"[\w.]", token, re.A) else operators).append(token)
    n1, n2 = len(set(operators)), len(set(operands))
    return ((n1 / 2) * (len(operands) / n2)) * ((len(operators) + len(operands)) * math.log2(n1 + n2))


def variables(text):
    inside, outside, is_inside = 0, 0, False
    for line in text.split("\n"):
        if HEAD.search(line):
            is_inside = True
        elif is_inside and "}" in line:
            is_inside = False
        if VARIABLE.search(line):
            inside, outside = (inside + 1, outside) if is_inside else (inside, outside + 1)
    return inside, outside


def depth(text):
    level = deepest = 0
    for c in text:
        level += (c == "{") - (c == "}")
        deepest = max(deepest, level)
    return deepest


def quality(body, callers):
    penalty = 0
    penalty += 0.2 if body.count("\n") + 1 > 50 else 0
    penalty += 0.2 if len(re.findall(r"\bif\b", body, re.A)) > 3 else 0
    penalty += 0.2 if callers > 5 else 0
    penalty += 0.2 if sum(body.count(w) for w in ("lock", "unlock", "free")) > 2 else 0
    penalty += 0.2 if "copy_from_user" in body or "copy_to_user" in body else 0
    return 1.0 - penalty


def strip(text):
    text = re.sub(r"/\*.*?\*/", lambda m: " " * len(m.group(0)), text, flags=re.S)
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"'(?:\\.|[^'\\\n])*'", "0", text)
    return re.sub(r'"(?:\\.|[^"\\])*"', '""', text)


def member(text, at):
    return text[at - 1] == "." or text[at - 2:at] == "->"


def calls(body):
    found = []
    for m in re.finditer(r"([A-Za-z_]\w*)\s*\(", body, re.A):
        at = len(body[:m.start()].rstrip())
        if m.group(1) not in NO_CALL and m.group(1) not in found and not member(body, at):
            found.append(m.group(1))
    return found


def trees(functions, source):
    """Level, callees and callers of each function, as cflow's trees print them."""
    defined = {}
    for f in functions:
        defined.setdefault(f["name"], f)
    plain = strip(source)
    forward = set(re.findall(r"(?m)^(?:static|extern|int|void)[^;{}()=]*?\**(\w+)\s*\([^;{}]*\)[^;{}]*;", plain))
    first = {}
    for f in functions:
        f["calls"] = calls(re.sub(r"(?m)^[ \t]*#.*$", "", strip(f["body"])))
        for c in f["calls"]:
            first[c] = min(first.get(c, 1 << 40), f["start"])
    edges = {}
    for name, f in defined.items():
        text, found = re.sub(r"(?m)^[ \t]*#.*$", "", strip(f["body"])), []
        # looks like a declaration: a type, stars, the name, and the end of a declarator
        local = set(re.findall(r"[\w]\s*[*\s]\s*\**(\w+)\s*(?=[;=,)\[])", strip(f["text"]), re.A))
        for m in re.finditer(r"[A-Za-z_]\w*", text, re.A):
            n = m.group(0)
            if n in found or member(text, m.start()):
                continue
            if (n in f["calls"] or (n in defined and defined[n]["start"] < f["start"]) or n in forward
                    or (first.get(n, 1 << 40) < f["start"] and n not in local)):
                found.append(n)
        edges[name] = [n for n in found if n in f["calls"] or n in defined or n in first]
    callers = {}
    for name, to in edges.items():
        for n in to:
            callers.setdefault(n, []).append(name)
    level, size = {}, {}

    def down(n, at, path):
        level[n] = max(level.get(n, 0), at)
        if n in path:
            return 0
        total = sum(1 + down(c, at + 1, path | {n}) for c in edges.get(n, []) if c[0] != "_")
        size[n] = max(size.get(n, 0), total)
        return total

    def up(n, path):
        if n in path:
            return 0
        return sum(1 + up(c, path | {n}) for c in callers.get(n, []) if c[0] != "_")

    for n in edges:
        if not callers.get(n) and n[0] != "_":
            down(n, 1, frozenset())
    return {n: (level.get(n, 0), size.get(n, 0), 0 if n[0] == "_" else up(n, frozenset())) for n in edges}


def check(path):
    """Number of compared rows, and differences: (function, column, mine, theirs)."""
    status, standard, err = run("risk", "--json", path)
    if status:
        sys.exit("%s: %s" % (path, err))
    compat = json.loads(run("risk", "--family", "compat", "--json", path)[1])["functions"]
    with open(path, encoding="utf-8") as f:
        source = f.read()
    lines = source.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    functions = []
    for f in json.loads(standard)["functions"]:
        if f.get("macro"):
            continue
        text = "\n".join(lines[f["head_line"] - 1:f["last_line"]])
        text = text[:text.rindex("}") + 1]
        f.update(text=text, body=text[text.index("{"):], start=starts[f["head_line"] - 1])
        functions.append(f)
    functions.sort(key=lambda f: f["start"])
    tree = trees(functions, source)
    by_line = {f["line"]: f for f in functions}
    bad = []
    for row in compat:
        f = by_line.get(row["line"])
        if not f:
            continue
        level, callees, callers = tree[f["name"]]
        c8, c9 = variables(f["text"])
        want = {"c2": cyclomatic(f["text"]), "c3": effort(f["body"]), "c5": level, "c6": callees, "c7": callers,
                "c8": c8, "c9": c9, "c10": depth(f["text"]), "c11": quality(f["body"], row["c7"])}
        bad += [(f["name"], k, row[k], v) for k, v in want.items() if row[k] != v]
    return len(compat), bad


def main():
    files = sorted(glob.glob(SOURCE + "/src/metrics/*.c") + glob.glob(SOURCE + "/src/base/*.c") +
                   glob.glob(SOURCE + "/src/core/*.c")) + [SOURCE + "/tests/data/risk/shapes.c"]
    if "has no tree-sitter" in run("risk", files[0])[2]:
        print("1..0 # SKIP this build has no tree-sitter")
        return 0
    rows, bad = 0, []
    for path in files:
        n, wrong = check(path)
        rows += n
        bad += [(os.path.basename(path),) + w for w in wrong]
    print("1..1")
    for b in bad[:40]:
        print("# %s: %s: %s is %s, the definition gives %s" % b)
    print("%sok 1 - compat columns of %d functions are as defined" % ("not " if bad or rows < 200 else "", rows))
    return 1 if bad or rows < 200 else 0


if __name__ == "__main__":
    sys.exit(main())
