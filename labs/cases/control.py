"""Pairs of recordings, compared by `assay diff`.

A control is an equal pair: the same program, recorded twice in one run by the same command. A
difference that diff finds there is false. The pair of a fault and its mended variant is compared,
too; nobody knows how many of these pairs should differ.
"""
import glob
import json
import os
import statistics
import subprocess

from case import of

# what came of a pair; NOT_COMPARED: diff does not take this kind of evidence
DIFFERENT, EQUAL, CANNOT_TELL, NOT_COMPARED = "different", "equal", "cannot tell", "not compared"
N_NAMED = 3


def verdicts_in(node):
    """(row, verdict) of each row of the JSON of diff."""
    if isinstance(node, dict):
        if isinstance(node.get("verdict"), str):
            yield node, node["verdict"]
        for child in node.values():
            yield from verdicts_in(child)
    elif isinstance(node, list):
        for child in node:
            yield from verdicts_in(child)


def name_of(row):
    return str(row.get("what") or row.get("symbol") or row.get("name") or row.get("counter") or
               row.get("category") or row.get("stack") or row.get("dso") or "?")


def compare(assay, a, b):
    """What diff says of the files @a and @b: {"pair", "says", "rows"}. The pair is EQUAL if diff
    calls at least one total or row equal, and none different."""
    done = subprocess.run([assay, "diff", "--json", "--all", a, b], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)
    try:
        page = json.loads(done.stdout)
    except ValueError:
        page = {}
    found = list(verdicts_in(page))
    if done.returncode not in (0, 3) or not found:
        why = page.get("refused") or done.stderr.strip().removeprefix("assay: ")
        return {"pair": NOT_COMPARED, "says": str(why or "it has nothing to compare"), "rows": []}
    rows = ["%s: %s" % (name_of(row), verdict) for row, verdict in found
            if verdict in ("more", "less")]
    pair = (DIFFERENT if done.returncode == 3 else
            EQUAL if any(verdict == "same" for _, verdict in found) else CANNOT_TELL)
    return {"pair": pair, "says": page.get("summary") or "; ".join(rows[:N_NAMED]), "rows": rows}


def is_comparable(assay, path):
    """Does diff take this evidence? A file is compared with itself."""
    return compare(assay, path, path)["pair"] != NOT_COMPARED


def counted(pairs):
    """'90 pairs: 2 different (a, b), 70 equal, 18 cannot tell; 14 not compared'."""
    names = {kind: [name for name, said in pairs if said["pair"] == kind]
             for kind in (DIFFERENT, EQUAL, CANNOT_TELL, NOT_COMPARED)}
    different = names[DIFFERENT]
    return "%d pairs: %d different%s, %d equal, %d cannot tell; %d not compared" % (
        len(pairs) - len(names[NOT_COMPARED]), len(different),
        " (%s)" % ", ".join(different) if different else "", len(names[EQUAL]),
        len(names[CANNOT_TELL]), len(names[NOT_COMPARED]))


# tables of docs/benchmark.md ----------------------------------------------------

def kept_pairs(folder):
    """case -> what CASE.pairs.json has."""
    made = {}
    for path in sorted(glob.glob(os.path.join(folder, "*.pairs.json"))):
        with open(path, encoding="utf-8") as f:
            made[os.path.basename(path)[:-len(".pairs.json")]] = json.load(f)
    return made


def of_kind(pairs, kind):
    return [(name, said[kind]) for name, said in pairs.items() if kind in said]


def row_of(title, pairs):
    """The cells of a table: how many of @pairs diff compares, calls different, equal, neither."""
    n = {kind: sum(said["pair"] == kind for _, said in pairs)
         for kind in (DIFFERENT, EQUAL, CANNOT_TELL, NOT_COMPARED)}
    compared = len(pairs) - n[NOT_COMPARED]
    return [title, str(compared), of(n[DIFFERENT], compared), str(n[EQUAL]), str(n[CANNOT_TELL]),
            str(n[NOT_COMPARED])]


HEAD = ["pairs", "compared", "called different", "called equal", "cannot tell", "not compared"]


def whole_rows(pairs):
    return [row_of("the same program twice", of_kind(pairs, "control")),
            row_of("before and after the fix", of_kind(pairs, "fix"))]


def evidence_rows(pairs, evidence_of):
    """The equal pairs by kind of evidence; @evidence_of: case -> its kind."""
    kinds = {}
    for name, said in of_kind(pairs, "control"):
        kinds.setdefault(evidence_of[name], []).append((name, said))
    return [row_of(kind, kinds[kind]) for kind in sorted(kinds, key=lambda k: (-len(kinds[k]), k))]


def sentences(pairs):
    """The load of the machine meanwhile, and the false differences by name."""
    loads = sorted(said["load"] for said in pairs.values() if "load" in said)
    false = [(name, said) for name, said in of_kind(pairs, "control") if said["pair"] == DIFFERENT]
    lines = ["Load average for each CPU meanwhile: %.1f to %.1f, median %.1f." % (
        loads[0], loads[-1], statistics.median(loads))] if loads else []
    if false:
        lines.append("False differences: %s." % ", ".join("`%s`" % name for name, _ in false))
    return "\n".join(lines)
