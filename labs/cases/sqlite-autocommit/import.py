# SPDX-License-Identifier: MIT
"""import - put rows of a file into a database

import.py row|batch FILE SECONDS
"""
import sqlite3
import sys
import time


def rows_store(db, rows):
    db.executemany("insert into visits values (?, ?, ?)", rows)


def main():
    db = sqlite3.connect(sys.argv[2], isolation_level=None)
    db.execute("create table if not exists visits (day int, page text, visitor int)")
    end = time.monotonic() + float(sys.argv[3])
    count = 0
    while time.monotonic() < end:
        rows = [(count % 365, "page-%d" % (i % 90), i * 31) for i in range(200 if sys.argv[1] == "row" else 20000)]
        if sys.argv[1] == "batch":
            db.execute("begin")
            rows_store(db, rows)
            db.execute("commit")
            count += len(rows)
            continue
        for row in rows:
            if time.monotonic() > end:
                break
            rows_store(db, [row])
            count += 1
    print("rows", count)


main()
