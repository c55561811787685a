# SPDX-License-Identifier: MIT
"""What START:KIND stands for in the tables that generators read."""
import pathlib


def start_names(found={}):
    """Patterns of start_names.tsv by kind."""
    path = pathlib.Path(__file__).resolve().parent.parent / "src/core/names/start_names.tsv"
    if not found:
        for row in path.read_text(encoding="utf-8").split("\n"):
            fields = row.split("\t")
            if len(fields) == 5 and fields[0].startswith("start/"):
                found.setdefault("START:" + fields[0][6:], []).extend(fields[3].split(" "))
    return found
