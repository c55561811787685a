#!/usr/bin/env python3
"""Redacted capsules of real captures: the same findings, and nothing of the original's names.

usage: capsule.py [-v] ASSAY [FILE...]    (TAP)
Without FILE: the samples, and 20 captures of ../shared/corpus/given (skipped where it is missing), one of every
kind that has the most captures with findings. Each capsule is read again, its findings are compared with
those of the original here, and its bytes are searched for what the original has: hosts, e-mail and network
addresses, paths in private folders, and names of functions, commands and objects that are not in the source of
assay.
"""
import collections
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GIVEN = pathlib.Path(os.environ.get("ASSAY_SHARED", ROOT.parent / "shared")) / "corpus" / "given"
WANTED = 20
DOMAINS = "com|org|net|edu|gov|io|dev|de|uk|fr|cn|jp|ru|nl|eu|ch|local|internal|lan|corp"
# What must not be in any byte of a capsule.
SHAPES = {
    "e-mail": re.compile(r"[\w.+%-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}\b"),
    "host": re.compile(r"(?<![\w./@-])(?:[A-Za-z0-9-]+\.)+(?:%s)(?![\w(;.-])" % DOMAINS),
    "hostname": re.compile(r"^# hostname : (\S+)", re.MULTILINE),
    "IPv4": re.compile(r"(?<![\w.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\w.])"),
    "MAC": re.compile(r"(?<![\w:])(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}(?![\w:])"),
    "UUID": re.compile(r"(?<![\w-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])"),
    "hash": re.compile(r"(?<!\w)(?=[a-f]*\d)[0-9a-f]{20,}(?!\w)"),
    "path": re.compile(r"(?<![\w./@:])/(?:home|root|opt|srv|data|mnt|Users|media|builds?)/[\w.+-]+(?:/[\w.+-]+)*"),
}
PUBLIC_ADDRESSES = {"0.0.0.0", "127.0.0.1", "255.255.255.255"}
n = 0
failed = 0


def ok(passed, name, why=""):
    global n, failed
    n += 1
    failed += not passed
    print("%sok %d - %s" % ("" if passed else "not ", n, name))
    if why:
        print("# " + why)


def run(*args):
    return subprocess.run([str(a) for a in args], capture_output=True, check=False)


def findings(assay, path):
    """The findings as a multiset: rule, severity, whether it stands, figures."""
    done = run(assay, "explain", "--json", path)
    if done.returncode not in (0, 1) or not done.stdout:
        return None
    out = collections.Counter()
    for f in json.loads(done.stdout)["findings"]:
        figures = tuple((g["value"], g["unit"]) for g in f["figures"])
        out[(f["rule"], f["severity"], "overruled_by" in f, figures)] += 1
    return out


def known():
    """Words of assay's own source in lower case, and the patterns of its tables and rules: both are public."""
    words = {"usize", "isize"}  # types of Rust, from demangling
    globs = set()
    for folder in ("analyses", "core", "document", "explain", "formats", "transform"):
        for path in (ROOT / "src" / folder).rglob("*"):
            if path.suffix in (".c", ".h", ".tsv", ".rule", ".names"):
                text = path.read_text(encoding="utf-8", errors="replace")
                words.update(re.findall(r"\w+", text.lower()))
                if path.suffix not in (".c", ".h"):
                    globs.update(g for g in re.findall(r"[\w*?]+", text) if "*" in g and re.search("[A-Za-z]{2}", g))
    return words, re.compile("|".join(fnmatch.translate(g) for g in globs))


def names_of(assay, path, public):
    """Functions, commands and objects that assay reads from the file, without those that are public."""
    done = run(assay, "convert", "--to", "json", path)
    found = set()

    def walk(value, key):
        if isinstance(value, dict):
            for k, v in value.items():
                walk(v, k)
        elif isinstance(value, list):
            for v in value:
                walk(v, key)
        elif isinstance(value, str) and key in ("symbol", "canonical", "comm", "dso", "module", "name", "function"):
            found.update(re.findall(r"[A-Za-z_]\w{3,}", value))
    if done.stdout:
        walk(json.loads(done.stdout), "")
    words, patterns = public
    return {w for w in found if w.lower() not in words and re.sub(r"\d+$", "", w.lower()) not in words
            and not patterns.match(w) and not re.fullmatch(r"0x[0-9a-f]+|[0-9a-f]{8,}|_*[A-Za-z]?[\d_]*", w)}


def clean_text(assay, path):
    """The original without traces of mail, as a capsule that is not redacted has it, or as it is."""
    return pathlib.Path(path).read_bytes().decode("utf-8", "replace")


def leaks(assay, path, capsule, public):
    data = capsule.read_bytes()
    text = clean_text(assay, path)
    left = collections.Counter()
    example = {}
    for kind, shape in SHAPES.items():
        for match in shape.finditer(text):
            word = match.group(match.lastindex or 0)
            if word in PUBLIC_ADDRESSES or word.encode() not in data:
                continue
            if re.search(rb"(?<![\w.-])" + re.escape(word.encode()) + rb"(?![\w.-])", data):
                left[kind] += 1
                example[kind] = word
    for word in names_of(assay, path, public):
        if re.search(rb"(?<!\w)" + re.escape(word.encode()) + rb"(?!\w)", data):
            left["name"] += 1
            example["name"] = word
    return left, example


def chosen(assay):
    """20 captures: of each kind, in the order of how many it has, the first one with a finding."""
    kinds = sorted((d for d in GIVEN.iterdir() if d.is_dir()), key=lambda d: (-len(list(d.iterdir())), d.name))
    files = []
    for kind in kinds:
        for path in sorted(kind.iterdir()):
            if findings(assay, path):
                files.append(path)
                break
        if len(files) == WANTED:
            break
    return files


def main():
    args = [a for a in sys.argv[1:] if a != "-v"]
    assay = os.path.abspath(args[0])
    files = [pathlib.Path(a) for a in args[1:]]
    if not files:
        files = sorted((ROOT / "samples").glob("*.txt"))
        if GIVEN.is_dir():
            files += chosen(assay)
        else:
            print("# no ../shared/corpus/given: samples only")
    public = known()
    whole = 0
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.capsule"
        for path in files:
            done = run(assay, "capsule", "-f", "--redact", "-o", out, path)
            name = "/".join(path.parts[-2:])
            if done.returncode not in (0, 3):
                ok(False, name, done.stderr.decode()[:200])
                continue
            before, after = findings(assay, path), findings(assay, out)
            is_same = before == after
            whole += is_same
            said = done.returncode == 3
            left, example = leaks(assay, path, out, public)
            lost = sorted({k[0] for k in (before - after)})
            new = sorted({k[0] for k in (after - before)})
            why = "%d findings%s%s%s" % (sum(before.values()), ", lost or changed: " + " ".join(lost) if lost else "",
                                         ", other: " + " ".join(new) if new else "",
                                         ", left: " + ", ".join("%d %s (%s)" % (c, k, example[k]) for k, c in left.items())
                                         if left else "")
            ok(said != is_same and not left, name, why)
    print("# %d of %d capsules give all findings; the others say which differ" % (whole, len(files)))
    print("1..%d" % n)
    return failed > 0


sys.exit(main())
