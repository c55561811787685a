"""first-runs.tsv: the result of each case as it came, before anybody could tune a rule for it.

Rows are added, never changed.
"""
import os
import time

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "first-runs.tsv")


def rows():
    """case -> [date, planted cause or warnings, mended, first finding]."""
    found = {}
    with open(PATH, encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                name, *rest = line.rstrip("\n").split("\t")
                found[name] = rest
    return found


def append(results):
    """Add the rows [case, language, result, mended, first finding] of cases that have none."""
    there = rows()
    today = time.strftime("%Y-%m-%d", time.gmtime())
    with open(PATH, "a", encoding="utf-8") as f:
        for name, _, result, mended, first in results:
            if name not in there and not result.startswith(("skipped", "not built",
                                                            "not recorded")):
                f.write("\t".join([name, today, result, mended, first]) + "\n")
