"""A case, its answers, and how an answer is judged: shared by run and score.

An answer is a list of up to three statements on one piece of evidence. A statement is a text, or
{"text", "where", "sure"}: 'where' may name the place too, and only a sure statement says that
something is wrong. An empty list says that nothing is.
"""
import glob
import os
import re
import tomllib

HERE = os.path.dirname(os.path.abspath(__file__))
KEYS = {"title", "kind", "symptom", "language", "needs", "quick", "build", "prepare", "run",
        "mended", "fix", "question", "answer", "options", "evidence", "suffix", "place", "mechanism", "rules", "decoy", "server", "ready",
        "load", "warm", "mended_server", "mended_load", "cannot", "missed", "warned"}
FAULT_KEYS = ("symptom", "fix", "question", "answer")  # what the page of a fault needs
N_STATEMENTS = 3


class Case:
    """One folder: the program, how it runs, what must be found."""

    def __init__(self, folder):
        self.folder = folder
        self.name = os.path.basename(folder)
        with open(os.path.join(folder, "case.toml"), "rb") as f:
            self.keys = tomllib.load(f)
        unknown = set(self.keys) - KEYS
        if unknown or self.keys.get("kind") not in ("fault", "healthy"):
            raise SystemExit("%s/case.toml: bad kind, or unknown keys: %s" % (
                self.name, sorted(unknown)))

    def __getattr__(self, key):
        if key not in KEYS:
            raise AttributeError(key)
        return self.keys.get(key)

    def known(self):
        """Why a miss, or a warning on a healthy program, is no failure."""
        return self.cannot or self.missed or self.warned

    def page_lacks(self):
        """Keys without which a fault has no page."""
        return [key for key in FAULT_KEYS if not self.keys.get(key)]

    def variants(self):
        return ("before", "after") if self.kind == "fault" else ("live",)


def cases_in(folder=HERE):
    return [Case(os.path.dirname(path))
            for path in sorted(glob.glob(os.path.join(folder, "*", "case.toml")))]


def statements_of(page):
    """The findings of `assay explain --json` as statements, without those that others explain."""
    made = []
    for f in page["findings"]:
        if f.get("overruled_by") is None:
            made.append({"text": " ".join([f["claim"], f.get("cause") or "",
                                           *(row["name"] for row in f["figures"])]),
                         "where": " ".join(e["text"] for e in f["evidence"]),
                         "sure": f["severity"] != "note", "claim": f["claim"], "rule": f["rule"]})
    return made


def as_statement(answer):
    return {"text": answer, "sure": True} if isinstance(answer, str) else answer


def without_name(text):
    """@text without the folder of a case in paths: its name may be the fault, and readers of the
    blind texts do not see it."""
    return re.sub(r"(/cases/)[\w-]+", r"\1case", text)


def names_place(case, statement):
    where = statement["text"] + " " + statement.get("where", "")
    return bool(re.search(case.place, without_name(where), re.I))


def is_planted(case, statement):
    """Does @statement name the planted place and mechanism?"""
    return names_place(case, statement) and bool(
        re.search(case.mechanism, without_name(statement["text"]), re.I))


def rank_of(case, statements):
    """1 for the first statement, 0 for none."""
    return next((n for n, s in enumerate(statements, 1) if is_planted(case, s)), 0)


def rules_missing(case, statements):
    """The rules that case.toml expects, and that do not name the planted fault."""
    wanted = case.rules or ()
    return [rule for rule in wanted if not any(
        s["rule"] == rule and is_planted(case, s) for s in statements)]


def is_still_there(case, statements):
    """Is the planted fault a sure statement, or the first one?"""
    return rank_of(case, statements) == 1 or any(
        s.get("sure", True) and is_planted(case, s) for s in statements)


def interval(hits, n):
    """Wilson's, 95 %, in percent."""
    if not n:
        return (0, 100)
    z = 1.96
    share = hits / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * (share * (1 - share) / n + z * z / (4 * n * n)) ** 0.5 / (1 + z * z / n)
    return (100 * max(0, middle - half), 100 * min(1, middle + half))


def of(hits, n):
    """'9 of 10 (60 to 98 %)'."""
    return "%d of %d (%.0f to %.0f %%)" % (hits, n, *interval(hits, n)) if n else "-"
