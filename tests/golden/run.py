#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Golden tests: every <area>/<case>.d/ holds args (one word a line), expected.txt, and maybe input*.

  tests/golden/run.py [ASSAY]            compare, TAP on stdout, differences on stderr
  UPDATE=1 tests/golden/run.py [ASSAY]   rewrite expected.txt and sums.tsv, and name only the cases
                                         that change; then read the git diff. Refused with exit
                                         status 2 if ninja would build ASSAY again
  ONLY=PATTERN                           of all that only the cases whose AREA/CASE matches: 'rules/copying-*'
  ASSAY_QUICK=1                          without the checksums of whole results (sums.tsv), which take
                                         a third of the time

ASSAY is build/assay if it is not given. A case is skipped if ASSAY says that its build lacks the
library that reads the input. Each case runs in a folder of its own, so that names in the output do
not depend on where the tree is: bundled captures are seen as samples/NAME, inputs of the fuzz
targets as corpus/FORMAT/NAME. rules*/ID-fires.d, ID-clean.d and ID-cannot-tell.d: every rule has
all three. Exit status: 0, 1 if a case fails, 2 without a program.
"""
import concurrent.futures
import difflib
import fnmatch
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
KINDS = ("fires", "clean", "cannot-tell")
LACKS = re.compile(rb"this build cannot read .*: it has no (\S+)")


def read(path):
    with open(path, "rb") as f:
        return f.read()


def name_of(folder):
    """AREA/CASE.d"""
    return os.path.relpath(folder, HERE)


class Tap:
    """Numbered results, in the order in which they are given."""

    def __init__(self):
        self.n = 0
        self.failed = 0

    def show(self, is_ok, what):
        self.n += 1
        self.failed |= not is_ok
        print("%s %d - %s" % ("ok" if is_ok else "not ok", self.n, what), flush=True)


class Cases:
    def __init__(self, assay, work):
        self.assay = assay
        self.work = work
        self.env = dict(os.environ, LC_ALL="C.UTF-8")
        self.env.pop("COLUMNS", None)

    def output(self, argv, folder):
        done = subprocess.run(argv, cwd=folder, env=self.env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        # a signal as the shell shows it
        status = done.returncode if done.returncode >= 0 else 128 - done.returncode
        return done.stdout + b"exit %d\n" % status

    def run(self, folder):
        """The library that the build lacks for this case, or None; what the program printed."""
        own = tempfile.mkdtemp(dir=self.work)
        os.symlink(os.path.join(TOP, "samples"), os.path.join(own, "samples"))
        os.symlink(os.path.join(TOP, "tests", "fuzz", "corpus"), os.path.join(own, "corpus"))
        for path in glob.glob(os.path.join(folder, "input*")):
            os.symlink(path, os.path.join(own, os.path.basename(path)))
        args = read(os.path.join(folder, "args")).decode().split()
        printed = self.output([self.assay, *args], own)
        shutil.rmtree(own)
        lacks = LACKS.search(printed)
        return lacks and lacks[1].decode(), printed


def differs(folder, printed):
    """Print the difference to expected.txt on stderr. False: there is none."""
    path = os.path.join(folder, "expected.txt")
    expected = read(path) if os.path.exists(path) else b""
    if expected == printed:
        return False
    lines = [text.decode("utf-8", "backslashreplace").splitlines(keepends=True)
             for text in (expected, printed)]
    sys.stderr.writelines(difflib.unified_diff(*lines, path, "printed"))
    sys.stderr.flush()
    return True


def update(folder, printed):
    """Write expected.txt. False: it is as it was."""
    path = os.path.join(folder, "expected.txt")
    if os.path.exists(path) and read(path) == printed:
        return False
    with open(path, "wb") as f:
        f.write(printed)
    return True


def show_rules(tap, rules):
    """Every rule has an input that makes it speak, one that it acquits, and one that cannot tell."""
    for rule in rules:
        paths = {kind: glob.glob(os.path.join(HERE, "rules*", "%s-%s.d" % (rule, kind), "expected.txt"))
                 for kind in KINDS}
        missing = [kind for kind in KINDS if not paths[kind]]
        text = {kind: read(paths[kind][0]).decode() for kind in KINDS if paths[kind]}
        if missing:
            tap.show(False, "%s has no golden: %s" % (rule, " ".join(missing)))
        elif rule + "]" not in text["fires"]:
            tap.show(False, "%s does not speak in its golden" % rule)
        elif not re.search("^Passed:", text["clean"], re.M):
            tap.show(False, "%s is not clean in its golden %s-clean" % (rule, rule))
        elif re.search("^Passed:", text["cannot-tell"], re.M):
            tap.show(False, "%s is assessed in its golden %s-cannot-tell: change that input" % (rule, rule))
        else:
            tap.show(True, "%s has its three goldens" % rule)


def show_sums(tap, assay):
    """Whole results of many inputs, by their checksums."""
    what = "whole results have their checksums"
    if os.environ.get("ASSAY_QUICK"):
        tap.show(True, what + " # SKIP not in a quick run")
        return
    done = subprocess.run([os.path.join(HERE, "sums.py"), assay], stdout=subprocess.PIPE, text=True, check=False)
    tap.show(done.returncode in (0, 77), what + (" # SKIP" if done.returncode == 77 else ""))
    if done.returncode:
        print(done.stdout, end="", flush=True)


def show_inputs(tap, folders):
    """A case reads its input: without the name in args, expected.txt is only an error."""
    for folder in folders:
        args = read(os.path.join(folder, "args")).decode()
        for path in glob.glob(os.path.join(folder, "input*")):
            if os.path.basename(path).split(".")[0] not in args:
                tap.show(False, "%s: args do not name %s" % (name_of(folder), os.path.basename(path)))


def show_healthy(tap):
    """Servers in good health: nothing to act on is found in them."""
    for folder in sorted(glob.glob(os.path.join(HERE, "healthy", "*.d"))):
        is_ill = re.search(rb"\[(warning|error),", read(os.path.join(folder, "expected.txt")))
        tap.show(not is_ill, "%s is %s" % (name_of(folder), "called ill" if is_ill else "found healthy"))


def is_stale(assay):
    """Would ninja build the program again? False where nothing can tell."""
    build = os.path.dirname(os.path.abspath(assay))
    if not os.path.exists(os.path.join(build, "build.ninja")) or not shutil.which("ninja"):
        return False
    done = subprocess.run(["ninja", "-C", build, "-n", os.path.basename(assay)], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    return "no work to do" not in done.stdout


def main():
    given = sys.argv[1] if len(sys.argv) > 1 else os.path.join(TOP, "build", "assay")
    if not os.path.isfile(given) or not os.access(given, os.X_OK):
        print("run.py: no program '%s'; usage: [UPDATE=1] [ONLY=PATTERN] tests/golden/run.py [ASSAY]" % given,
              file=sys.stderr)
        return 2
    only = os.environ.get("ONLY", "")
    is_update = os.environ.get("UPDATE") == "1"
    if is_update and is_stale(given):
        print("run.py: %s is older than its sources: run ninja first" % given, file=sys.stderr)
        return 2
    folders = [folder for folder in sorted(glob.glob(os.path.join(HERE, "*", "*.d")))
               if fnmatch.fnmatch(name_of(folder), only or "*")]
    tap = Tap()
    with tempfile.TemporaryDirectory() as work, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        assay = os.path.join(work, "assay")
        shutil.copy(given, assay)  # a build meanwhile changes nothing
        cases = Cases(assay, work)
        for folder, (lacks, printed) in zip(folders, pool.map(cases.run, folders)):
            if lacks:
                tap.show(True, "%s # SKIP this build has no %s" % (name_of(folder), lacks))
                continue
            if is_update:
                if update(folder, printed):
                    tap.show(True, name_of(folder) + " is changed")
            else:
                tap.show(not differs(folder, printed), name_of(folder))
        show_inputs(tap, folders)
        if not only:
            show_healthy(tap)
            show_sums(tap, assay)
            rules = subprocess.run([assay, "explain", "--list-rules"], stdout=subprocess.PIPE, text=True,
                                   check=True).stdout.splitlines()
            show_rules(tap, [line.split(" ", 1)[0] for line in rules])
    print("1..%d" % tap.n)
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main())
