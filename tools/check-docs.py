#!/usr/bin/env python3
"""Run the commands in the documentation and compare their output.

  tools/check-docs.py [PAGE...]      docs/report.md: only these pages

In README.md, docs/ and man pages, a fence marked `console` holds lines that begin
with `$ `: each is run from the top of the tree with build/assay first on PATH, and
the lines below it must be what it prints. A line `...` stands for any lines.
Links lead to files and headings that exist, and so do the pages of docs/ that a text names.
The pictures are current (tools/gen-picture.py), and so are the tables about the labs.
Functions and files that ARCHITECTURE.md names must exist.
UPDATE=1 writes what they print into the pages; a last line `...` keeps its place.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# page -> the program that writes a table of it
TABLES = {"docs/benchmark.md": "labs/lib/shown.py", "docs/labs.md": "labs/lib/sabotage.py"}


def fences(text):
    for match in re.finditer(r"^```console\n(.*?)^```", text, re.M | re.S):
        yield text[:match.start()].count("\n") + 2, match.group(1)


def sessions(line, body):
    """(line, command, expected lines) of a fence."""
    command, expected, at = None, [], line
    for number, row in enumerate(body.splitlines(), line):
        if row.startswith("$ "):
            if command:
                yield at, command, expected
            command, expected, at = row[2:], [], number
        else:
            expected.append(row)
    if command:
        yield at, command, expected


def matches(expected, printed):
    pattern = "".join("(?:.*\n)*" if row.strip() == "..." else re.escape(row.rstrip()) + "\n"
                      for row in expected)
    return re.fullmatch(pattern, "".join(row.rstrip() + "\n" for row in printed)) is not None


def missing_names():
    """Names in ARCHITECTURE.md that are not in the tree."""
    with open(os.path.join(TOP, "ARCHITECTURE.md"), encoding="utf-8") as f:
        text = f.read()
    sources = ""
    for name in glob.glob("src/**/*.[ch]", root_dir=TOP, recursive=True):
        with open(os.path.join(TOP, name), encoding="utf-8") as f:
            sources += f.read()
    for name in sorted(set(re.findall(r"`(\w+)\(\)`", text))):
        if not re.search(r"\b%s\(" % name, sources):
            yield name + "()"
    for path in sorted(set(re.findall(r"\b((?:src|tools|tests)/[\w./-]*\w)", text))):
        if not os.path.exists(os.path.join(TOP, path)):
            yield path


def anchors(text):
    """What a link may name after `#`: the headings of a page, as web pages of repositories form it."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    for title in re.findall(r"^#+ +(.*)$", text, re.M):
        yield re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def bad_links(name, text):
    """Links of a page to nothing, and pages that it names and that do not exist."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", text)):
        path, _, anchor = target.partition("#")
        if "://" in target:
            continue
        full = os.path.normpath(os.path.join(TOP, os.path.dirname(name), path)) if path else os.path.join(TOP, name)
        if not os.path.exists(full):
            yield "the link %s leads to nothing" % target
        elif anchor and full.endswith(".md"):
            with open(full, encoding="utf-8") as f:
                if anchor not in anchors(f.read()):
                    yield "the link %s names no heading" % target
    for path in re.findall(r"(?<![\w./])(docs/[\w/-]+\.md)\b", text):
        if not os.path.exists(os.path.join(TOP, path)):
            yield "it names %s, which does not exist" % path


def picture_differs(env):
    """1 if a picture is not current; UPDATE=1 draws it anew."""
    update = [] if os.environ.get("UPDATE") == "1" else ["--check"]
    return subprocess.run(["tools/gen-picture.py", *update], cwd=TOP, env=env, check=False).returncode


def tables_differ():
    """The number of tables that are not what their program writes; UPDATE=1 writes them."""
    bad = 0
    for page, program in TABLES.items():
        path = os.path.join(TOP, page)
        with open(path, encoding="utf-8") as f:
            text = f.read()
        with tempfile.NamedTemporaryFile("w+", suffix=".md", encoding="utf-8") as made:
            made.write(text)
            made.flush()
            subprocess.run([os.path.join(TOP, program), "--page", made.name], check=False,
                           stdout=subprocess.DEVNULL)
            made.seek(0)
            now = made.read()
        if now == text:
            continue
        if os.environ.get("UPDATE") == "1":
            with open(path, "w", encoding="utf-8") as f:
                f.write(now)
        else:
            print("%s: the table of %s is not current" % (page, program))
            bad += 1
    return bad


def rewritten(text, line, expected, printed):
    """The page with the lines of one command replaced; @line is that of the command."""
    rows = text.split("\n")
    if "..." in expected:
        printed = printed[:expected.index("...")] + ["..."]
    rows[line:line + len(expected)] = [row.rstrip() for row in printed]
    return "\n".join(rows)


def main():
    env = dict(os.environ, PATH=os.path.join(TOP, "build") + ":" + os.environ["PATH"], LC_ALL="C.UTF-8", PAGER="cat")
    env.pop("COLUMNS", None)  # the pages have the width of a pipe
    bad = count = skipped = 0
    pages = [os.path.relpath(os.path.abspath(page), TOP) for page in sys.argv[1:]]
    for page in pages:
        if not page.endswith(".md") or not os.path.exists(os.path.join(TOP, page)):
            sys.exit("check-docs.py: %s is no page. %s" % (page, __doc__))
    for name in missing_names() if not pages else ():
        print("ARCHITECTURE.md names %s, which is not there" % name)
        bad += 1
    bad += picture_differs(env) + tables_differ() if not pages else 0
    files = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md", "SKILL.md"]
    files += sorted(glob.glob("labs/**/*.md", root_dir=TOP, recursive=True))
    files += sorted(glob.glob("docs/**/*.md", root_dir=TOP, recursive=True))
    for name in pages or files:
        if not os.path.exists(os.path.join(TOP, name)):
            continue
        with open(os.path.join(TOP, name), encoding="utf-8") as f:
            text = f.read()
        for line in bad_links(name, text):
            print("%s: %s" % (name, line))
            bad += 1
        if name.startswith("labs/"):  # its figures are those of one run
            continue
        new = text
        # from the end, so that the lines before keep their numbers
        for line, body in reversed(list(fences(text))):
            for at, command, expected in reversed(list(sessions(line, body))):
                if command.startswith(("git clone", "cd ", "tools/setup", "make ", "sudo ")):
                    continue
                count += 1
                done = subprocess.run(command, shell=True, cwd=TOP, env=env, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                      check=False, errors="replace")
                if matches(expected, done.stdout.splitlines()):
                    continue
                if "this build cannot" in done.stdout:
                    skipped += 1
                    continue
                if os.environ.get("UPDATE") == "1":
                    new = rewritten(new, at, expected, done.stdout.splitlines())
                else:
                    bad += 1
                    print("%s:%d: '%s' prints something else:" % (name, at, command))
                    print(done.stdout)
        if new != text:
            with open(os.path.join(TOP, name), "w", encoding="utf-8") as f:
                f.write(new)
    print("%d documented commands run, %d differ, %d need a feature that this build lacks" % (count, bad, skipped))
    return 1 if bad else 0


sys.exit(main())
