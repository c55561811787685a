#!/usr/bin/env python3
"""Output of tools/new builds and passes, in a copy of the tree. TAP on stdout.

  tests/tools/new.py BUILD

BUILD is a build folder inside of the tree. It is copied with the tree, without the
tests in it, so that only what the new files change is compiled.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.path.abspath(os.environ.get("ASSAY_SOURCE") or os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(SOURCE, "tests", "lib"))
from tap import Tap  # noqa: E402

TAP = Tap()
# the rule last: its goldens are printed by the program that is built then
MADE = [("format", "exchange/quantum-leap"), ("command", "quick-glance"), ("analysis", "quiet-hours"),
        ("analysis", "waits/quiet-nights"), ("rule", "profile/herd-of-cows")]
# rules of other kinds of data; their placeholders have findings in many inputs
DATA = ["calls", "captures", "counters", "database", "distribution", "log", "syscalls", "tables", "tasks", "threads", "waits"]
# other rules' goldens that are printed again: a fifth of all, of every kind of data
OTHERS = "rules/[c-f]*"
REFUSED = [("rule", "log/Herd", "is no name"), ("rule", "log/herd--of", "is no name"), ("rule", "herd", "names no folder of rules"), ("format", "../x", "names no family of formats"), ("format", "exchange/", "is no name"),
           ("analysis", "cows/long", "names no family of analyses"), ("analysis", "int", "is a word of C"), ("format", "tables/" + "x" * 33, "has 33 characters"),
           ("format", "tables/lock-stat", "is taken: src/formats/tables/lock_stat.c"), ("rule", "log/copying", "is taken: docs/rules/copying.md"),
           ("command", "report", "is taken"), ("analysis", "sort", "is taken: tests/unit/test_sort.c"),
           ("format", "tables/calls", "is taken: tests/fuzz/corpus/calls")]


def run(folder, *command, **env):
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, env=dict(os.environ, **env), errors="replace")


def passes(name, folder, *command, **env):
    done = run(folder, *command, **env)
    TAP.ok(done.returncode == 0, name, done.stdout[-1500:])
    return done.returncode == 0


def copy(build, tree):
    """The tree and its build folder, with their times."""
    within = os.path.relpath(build, SOURCE)

    def left_out(folder, names):
        at = os.path.relpath(folder, SOURCE)
        if at == ".":
            return [n for n in names if n == ".git" or n.startswith("build") and n != within]
        if at == within:
            return [n for n in names if n in ("tests", "meson-logs", "labs") or n.startswith("test-cache")]
        return [n for n in names if n == "__pycache__"]

    shutil.copytree(SOURCE, tree, symlinks=True, ignore=left_out)
    return os.path.join(tree, within)


def refuses(tree):
    for kind, name, why in REFUSED:
        done = subprocess.run([os.path.join(tree, "tools", "new"), kind, "--", name], stderr=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True, check=False)
        good = done.returncode == 2 and why in done.stderr and done.stderr.count("\n") == 1 and not done.stdout
        TAP.ok(good, "no %s is called '%s'" % (kind, name), (done.returncode, done.stderr))


def page_is_missed(tree, build, page):
    """Without the page meson says which one to write."""
    os.rename(os.path.join(tree, page), os.path.join(tree, "page"))
    done = run(tree, "meson", "setup", "--reconfigure", build)
    os.rename(os.path.join(tree, "page"), os.path.join(tree, page))
    TAP.ok(done.returncode != 0 and "write " + page in done.stdout and "Traceback" not in done.stdout,
           "a missing %s is a sentence" % page, done.stdout[-500:])


def but_for_counts(text):
    """TEXT without numbers, line breaks and the new rule in lists of all checks.

    One more rule changes the counts of checks, and a longer number may wrap a line."""
    text = b" ".join(re.sub(rb"[0-9]+", b"#", text).split())
    text = re.sub(rb"herd-of-cows: .*? (?=[a-z]+(?:-[a-z]+)*: )", b"", text)
    return re.sub(rb", herd-of-cows\b|\bherd-of-cows, ", b"", text)


def only_counts(tree):
    """Of the other goldens only the counts of rules are others, and none has a finding of the new one."""
    changed = []
    found = 0
    base = os.path.join(SOURCE, "tests", "golden")
    for folder, _, names in os.walk(base):
        if "expected.txt" in names:
            with open(os.path.join(folder, "expected.txt"), "rb") as f:
                was = f.read()
            with open(os.path.join(tree, os.path.relpath(folder, SOURCE), "expected.txt"), "rb") as f:
                now = f.read()
            if but_for_counts(was) != but_for_counts(now):
                changed.append(os.path.relpath(folder, base))
            found += b"herd-of-cows]" in now
    TAP.ok(not changed and found == 0, "other goldens are as they were but for the number of rules", (changed, found))


def rules_of_other_data(tree, build):
    """A rule of each kind of data fires, is clean and does not fire where it cannot tell."""
    for folder in DATA:
        done = run(tree, "tools/new", "rule", "%s/herd-in-%s" % (folder, folder), "--build", os.path.join(tree, "nowhere"))
        TAP.ok(done.returncode == 1 and "goldens are still empty" in done.stdout,
               "a rule of %s is made; without a build its goldens are empty" % folder, done.stdout)
    if not passes("rules of all kinds of data build", tree, "ninja", "-C", build, "assay"):
        return
    passes("their goldens are printed", tree, "tests/golden/run.py", os.path.join(build, "assay"),
           UPDATE="1", ONLY="rules/herd-in-*")
    for folder in DATA:
        printed = []
        for case in ("fires", "clean", "cannot-tell"):
            path = "tests/golden/rules/herd-in-%s-%s.d/expected.txt" % (folder, case)
            with open(os.path.join(tree, path), encoding="utf-8") as f:
                printed.append(f.read())
        mark = "herd-in-%s]" % folder
        TAP.ok(mark in printed[0] and "Passed: 1 check" in printed[1] and mark not in printed[1]
               and "No finding" in printed[2] and "Passed:" not in printed[2],
               "a rule of %s fires, is clean, and cannot tell" % folder, "\n".join(printed))


def main():
    build = os.path.abspath(sys.argv[1])
    if os.path.commonpath([build, SOURCE]) != SOURCE or not shutil.which("git"):
        print("1..0 # SKIP no git, or the build folder is not inside of the tree")
        return 0
    with tempfile.TemporaryDirectory() as work:
        tree = os.path.join(work, "tree")
        build = copy(build, tree)
        run(tree, "git", "init", "-q")
        # its rules name the folder that it was copied from
        passes("the copy is configured", tree, "meson", "setup", "--reconfigure", build)
        refuses(tree)
        for kind, name in MADE:
            passes("%s %s is made" % (kind, name), tree, "tools/new", kind, name, "--build", build)
        page_is_missed(tree, build, "docs/formats/quantum-leap.md")
        page_is_missed(tree, build, "docs/rules/herd-of-cows.md")
        tests = ["test_quantum_leap", "fuzz_quantum_leap", "test_quiet_hours", "test_quiet_nights", "test_detect"]
        pages = ["docs/assay.1"] if os.path.exists(os.path.join(build, "docs", "assay.1")) else []
        if not passes("all of it builds", tree, "ninja", "-C", build, "assay", *pages,
                      *("tests/" + t for t in tests)):
            return TAP.end()
        assay = os.path.join(build, "assay")
        env = {"ASSAY": assay, "ASSAY_SOURCE": tree, "LC_ALL": "C.UTF-8"}
        for test in tests:
            passes(test, tree, os.path.join(build, "tests", test),
                   *([os.path.join(tree, "tests/fuzz/corpus/quantum_leap")] if test.startswith("fuzz") else []), **env)
        passes("the test of the command", tree, "bats", "--tap", "tests/cli/quick-glance.bats", **env)
        done = run(tree, assay, "explain", "--rule", "herd-of-cows",
                   "tests/golden/rules/herd-of-cows-fires.d/input.folded")
        TAP.ok("herd-of-cows]" in done.stdout, "the rule fires on its input", done.stdout)
        done = run(tree, "tests/golden/run.py", assay, ONLY="rules/herd-of-cows-*")
        TAP.ok(done.returncode == 0 and "1..3" in done.stdout, "tools/new printed the goldens of the rule", done.stdout[-500:])
        done = run(tree, "tests/golden/run.py", assay, UPDATE="1", ONLY=OTHERS)
        TAP.ok(done.returncode == 0, "other goldens are printed", done.stdout[-500:])
        only_counts(tree)
        passes("the page of the rule is printed", tree, assay, "explain", "--why", "herd-of-cows")
        if os.path.basename(build) == "build":
            passes("check-docs.py", tree, "tools/check-docs.py")
        rules_of_other_data(tree, build)
        # checks only see files in git: add the new ones
        new = [f for f in run(tree, "git", "ls-files", "-o", "--exclude-standard").stdout.splitlines()
               if any(n in f for n in ("quantum", "herd", "glance", "quiet"))]
        run(tree, "git", "add", *new)
        checks = ["check-layers.sh", "check-text.sh"]
        checks += ["check-format.sh"] if shutil.which("clang-format") else []
        for check in checks:
            passes(check, tree, "tools/" + check)
    return TAP.end()


sys.exit(main())
