"""Pairs of recordings, compared by `assay diff`.

A control is an equal pair: the same program, recorded twice in one run by the same command. A
difference that diff finds there is false. The pair of a fault and its mended variant is compared,
too; nobody knows how many of these pairs should differ.
"""
import json
import subprocess

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
