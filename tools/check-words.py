#!/usr/bin/env python3
"""Replaced words stay out of comments, identifiers and the texts of the program: tools/words-replaced.
No text of a finding, reason, role or command has a sentence of more than LONG words.

Sentences of the documents stay short: none above LONG words, and no page with a median above MEDIAN.

usage: check-words.py [--write | --sentences]

--write puts the list into docs/words.md, --sentences prints the median length of the sentences of each page.
Replaced words stay out of the documents, too.
"""
import glob, os, re, statistics, subprocess, sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
LIST = "tools/words-replaced"
PAGE = "docs/words.md"
STYLE = "docs/style-of-text.md"  # shows what to replace
TABLE = "| use | instead of |\n|---|---|\n"
DOCUMENTS = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/*.md", "docs/formats/*.md", "docs/rules/*.md")
LONG = 35  # words of a sentence
MEDIAN = 16  # words, over the sentences of a page
FEW = 5  # sentences have no median that says something
TOKEN = re.compile(r"/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|#include[^\n]*", re.S)
TEXTS = re.compile(r"^(?:title|headline|says|figure|cause|because|next): .*(?:\n\t.*)*", re.M)
SPOKEN = ("src/explain/", "src/analyses/quality/", "src/analyses/roles.tsv", "src/cmds/", "src/transform/", "src/record/")
STRINGS = re.compile(r'(?:"(?:\\.|[^"\\\n])*"(?:\s|PRI\w+|STR_FMT)*|(?:PRI\w+|STR_FMT)(?=\s*"))+')
NAME = re.compile(r"[A-Za-z_]\w*")


def read_list():
    """Rules as (place, pattern, instead), and exceptions as {(path, pattern)}, unused at first."""
    rules, allowed = [], {}
    for number, line in enumerate(open(LIST), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.rstrip("\n").split("\t")
        if fields[0] == "allow" and len(fields) == 4:
            allowed[fields[1], fields[2]] = False
        elif fields[0] in ("comment", "name", "text") and len(fields) == 3:
            rules.append((fields[0], fields[1], fields[2]))
        else:
            sys.exit("%s:%d: not 'comment|name|text PATTERN INSTEAD' or 'allow PATH PATTERN REASON'" % (LIST, number))
    return rules, allowed


def places(text):
    """Comments, and identifiers with their parts apart, as (kind, text, offset)."""
    at = 0
    for m in TOKEN.finditer(text):
        for n in NAME.finditer(text, at, m.start()):
            yield "name", n[0].replace("_", " "), n.start()
        if m[0].startswith('"'):
            yield "text", m[0], m.start()
        if m[0].startswith("/*"):
            yield "comment", re.sub(r"\s*\n\s*\*? ?", " ", m[0]), m.start()
        at = m.end()
    for n in NAME.finditer(text, at):
        yield "name", n[0].replace("_", " "), n.start()


def readable(pattern):
    """A pattern of the list as words."""
    pattern = re.sub(r"\\w\*|\(\?:[^()]*\)\?|\?", "", re.sub(r"\(\?:([^()]*)\)(?!\?)", lambda m: m[1].replace("|", "/"), pattern))
    return pattern.replace("|", ", ")


def page_of(rules):
    """docs/words.md with the table of the list at its end."""
    text = open(PAGE).read()
    rows = {}
    for _, pattern, instead in rules:
        rows.setdefault(readable(pattern), instead)
    head = text[:text.index(TABLE) + len(TABLE)]
    return head + "".join("| %s | %s |\n" % (rows[word], word) for word in sorted(rows))


def sentences(text):
    """Sentences of a page as (words, text); code is one word, tables and blocks are none."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    for part in re.split(r"\n\s*\n|\n(?=\s*(?:[-*>|#]|\d+\.) ?)", text):
        part = re.sub(r"\]\([^)]*\)", "]", re.sub(r"`[^`]*`", "CODE", re.sub(r"\s+", " ", part.strip())))
        if part[:1] in ("", "#", "|", ">"):
            continue
        for sentence in re.split(r"(?<=[.!?;])[*]*\s+(?=[A-Z*\[])|(?<=:) (?=[A-Z])|(?<=\w[.?]) (?=assay |perf )", part):
            n = len(re.findall(r"[A-Za-z0-9][\w'-]*", sentence))
            if n:
                yield n, sentence


def replaced_in_documents(compiled, allowed):
    """Replaced words in documents, as lines; blocks and spans of code do not count."""
    bad = []
    for path in sorted(p for pattern in DOCUMENTS for p in glob.glob(pattern)):
        if path in (PAGE, STYLE):
            continue
        text = re.sub(r"^```.*?^```", lambda m: "\n" * m[0].count("\n"), open(path).read(), flags=re.S | re.M)
        text = re.sub(r"`[^`\n]*`", "CODE", text)
        for pattern, instead, rx in compiled["text"] + compiled["comment"]:
            for found in rx.finditer(text):
                if (path, pattern) in allowed:
                    allowed[path, pattern] = True
                    continue
                bad.append("%s:%d: '%s': use %s" % (path, text.count("\n", 0, found.start()) + 1, found[0], instead))
    return bad


def long_sentences():
    """Sentences above LONG and pages above MEDIAN, as lines; and the medians of pages, longest first."""
    bad, medians = [], []
    for path in sorted(p for pattern in DOCUMENTS for p in glob.glob(pattern)):
        found = list(sentences(open(path).read()))
        bad += ["%s: a sentence of %d words, at most %d: %s" % (path, n, LONG, s) for n, s in found if n > LONG]
        if len(found) < FEW:
            continue
        median = statistics.median(n for n, _ in found)
        medians.append((median, len(found), path))
        if median > MEDIAN:
            bad.append("%s: the median of its sentences is %g words, at most %d" % (path, median, MEDIAN))
    return bad, sorted(medians, reverse=True)


def spoken(path, text):
    """Texts that the program prints, as (text, offset): adjacent literals are one."""
    if path.endswith(".rule"):
        yield from ((m[0].split(" ", 1)[1], m.start()) for m in TEXTS.finditer(text))
    elif path.endswith(".tsv"):
        yield from ((m[1], m.start()) for m in re.finditer(r"^(?::\w+|=[\w-]+)\t(.*)", text, re.M))
    else:
        text = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)
        for m in STRINGS.finditer(text):
            parts = re.findall(r'"((?:\\.|[^"\\\n])*)"|(PRI\w+|STR_FMT)', m[0])
            yield "".join(a if not b else "x" for a, b in parts), m.start()


def too_long(words):
    """The sentences of a text that have more than LONG words. Lines of examples are no sentences."""
    for sentence in re.split(r"(?<=[.!?;])\s|\\n|\s{2,}", words):
        n = sum(re.search(r"[A-Za-z0-9]", w) is not None for w in sentence.split())
        if n > LONG:
            yield n, sentence


def spoken_long():
    """Sentences above LONG in the texts of the program, as lines."""
    bad = []
    for path in subprocess.check_output(["git", "ls-files", *SPOKEN], text=True).split("\n"):
        if not path.endswith((".c", ".h", ".rule", ".tsv")) or not os.path.exists(path):
            continue
        text = open(path).read()
        for words, at in spoken(path, text):
            bad += ["%s:%d: a sentence of %d words, at most %d: %s" % (path, text.count("\n", 0, at) + 1, n, LONG, s)
                    for n, s in too_long(words)]
    return bad


def print_sentences():
    bad, medians = long_sentences()
    for median, n, path in medians:
        print("%5g words in the median of %4d sentences: %s" % (median, n, path))
    print("\n".join(bad))
    return bad != []


def main():
    os.chdir(TOP)
    if sys.argv[1:] == ["--sentences"]:
        return print_sentences()
    rules, allowed = read_list()
    if sys.argv[1:] == ["--write"]:
        page = page_of(rules)
        open(PAGE, "w").write(page)
        return 0
    compiled = {kind: [(p, i, re.compile(r"\b(?:%s)\b" % p, re.I)) for k, p, i in rules if k == kind]
                for kind in ("comment", "name", "text")}
    # one search for all patterns first: hardly any text matches
    any_of = {kind: re.compile(r"\b(?:%s)\b" % "|".join(p for p, _, _ in compiled[kind]), re.I) for kind in compiled}
    files = subprocess.check_output(["git", "ls-files", "src", "tests", "labs", "tools"], text=True).split("\n")
    in_documents = replaced_in_documents(compiled, allowed)
    print("".join(line + "\n" for line in in_documents), end="")
    bad = len(in_documents)
    for path in files:
        is_printed = path.startswith("src/")
        is_table = is_printed and path.endswith((".rule", ".tsv", ".js"))
        if not is_table and not path.endswith((".c", ".h")) or "/corpus/" in path or path.startswith("tests/data/"):
            continue
        if not os.path.exists(path):
            continue
        text = open(path).read()
        found_places = [] if is_table else [p for p in places(text) if p[0] != "text"]
        if is_printed:
            found_places += [("text", words, at) for words, at in spoken(path, text)]
        for kind, words, at in found_places:
            if not any_of[kind].search(words):
                continue
            for pattern, instead, rx in compiled[kind]:
                found = rx.search(words)
                if not found:
                    continue
                if (path, pattern) in allowed:
                    allowed[path, pattern] = True
                    continue
                print("%s:%d: %s: '%s': use %s" % (path, text.count("\n", 0, at) + 1, kind, found[0], instead))
                bad += 1
    for (path, pattern), is_used in allowed.items():
        if not is_used and path in files:
            print("%s: the exception '%s' of %s is not needed" % (LIST, pattern, path))
            bad += 1
    lines = long_sentences()[0] + spoken_long()
    bad += len(lines)
    print("".join(line + "\n" for line in lines), end="")
    if page_of(rules) != open(PAGE).read():
        print("%s: the table differs from %s; run tools/check-words.py --write" % (PAGE, LIST))
        bad += 1
    return bad != 0


sys.exit(main())
