#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""2 000 claims about recordings that are drawn from known shares: how many outcomes of
`assay check` are wrong? Speaks TAP. Usage: check_truth.py [CLAIMS [SEED]]

Each recording is a text of perf script with times and call chains, in one of three ways: every
sample on its own; in bursts (a function holds the CPU for 12 samples on average); with unequal
weights. Limits of the claims are on both sides of the truth, near and far, and on it.
A recording counts as wrong if any of its claims is judged wrongly: at most 1 of 20 may be.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

ASSAY = os.environ.get("ASSAY", "build/assay")
CLAIMS_EACH = 50
FUNCTIONS = 25
FACTORS = (0.3, 0.6, 0.8, 0.9, 0.97, 1.0, 1.03, 1.1, 1.25, 1.6, 3.0)


def shares(rng):
    """Shares of functions; function i is called by caller i % 5."""
    weights = [0.8 ** i * rng.uniform(0.7, 1.3) for i in range(FUNCTIONS)]
    return [w / sum(weights) for w in weights]


def recording(rng, truth, n, kind):
    lines = []
    now = 0
    for i in range(n):
        if kind != "bursts" or i == 0 or rng.random() < 1 / 12:
            now = rng.choices(range(FUNCTIONS), truth)[0]
        weight = rng.choice((100000, 250000, 400000)) if kind == "weights" else 250000
        lines.append(f"app  1234 [000] {1 + i / 1000:.6f}: {weight:10d} cycles:\n"
                     f"\t    {0x1000 + now * 16:x} f{now:02d}+0x1 (/bin/app)\n"
                     f"\t    {0x5000 + now % 5 * 16:x} caller{now % 5}+0x1 (/bin/app)\n"
                     "\t    6000 main+0x1 (/bin/app)\n\n")
    return "".join(lines)


def claim(rng, truth):
    """A claim, and whether it is true of the shares."""
    if rng.random() < 0.6:
        f = rng.randrange(FUNCTIONS)
        pct = 100 * truth[f]
        figure = rng.choice((f"f{f:02d} self", f"self(f{f:02d})", f"f{f:02d} share"))
    else:
        k = rng.randrange(5)
        pct = 100 * sum(truth[f] for f in range(k, FUNCTIONS, 5))
        figure = rng.choice((f"share(caller{k})", f"children(caller{k})"))
    limit = min(100.0, pct * rng.choice(FACTORS))
    sign = rng.choice(("<", "<=", ">", ">="))
    is_true = {"<": pct < limit, "<=": pct <= limit, ">": pct > limit, ">=": pct >= limit}[sign]
    # seventeen digits: the limit on the truth is the truth itself
    return f"{figure} {sign} {limit!r}%", is_true


def judge(path, claims):
    claims_file = path + ".claims"
    with open(claims_file, "w", encoding="utf-8") as f:
        f.write("\n".join(c for c, _ in claims) + "\n")
    done = subprocess.run([ASSAY, "check", "--json", "--claims", claims_file, path],
                          capture_output=True, text=True, check=False)
    assert done.returncode in (0, 3, 4), (done.returncode, done.stderr)
    return [c["outcome"] for c in json.loads(done.stdout)["claims"]]


def main():
    total = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 20261122)
    counts = {"right": 0, "wrong": 0, "cannot-tell": 0}
    wrong_recordings = []
    n_recordings = total // CLAIMS_EACH
    with tempfile.TemporaryDirectory() as folder:
        for r in range(n_recordings):
            truth = shares(rng)
            kind = ("alone", "bursts", "weights")[r % 3]
            n = (2000, 6000)[r % 2]
            path = os.path.join(folder, f"{r}.txt")
            with open(path, "w", encoding="utf-8") as f:
                f.write(recording(rng, truth, n, kind))
            claims = [claim(rng, truth) for _ in range(CLAIMS_EACH)]
            wrong = []
            for (text, is_true), outcome in zip(claims, judge(path, claims), strict=True):
                if outcome == "cannot-tell":
                    counts[outcome] += 1
                elif (outcome == "true") == is_true:
                    counts["right"] += 1
                else:
                    counts["wrong"] += 1
                    wrong.append(text)
            if wrong:
                wrong_recordings.append((r, kind, wrong))
    print("1..2")
    ok = len(wrong_recordings) <= n_recordings / 20
    print(f"{'ok' if ok else 'not ok'} 1 - of {n_recordings} recordings {len(wrong_recordings)} "
          f"have a wrong outcome; of {total} claims {counts['right']} are right, "
          f"{counts['wrong']} wrong, {counts['cannot-tell']} cannot tell")
    for row in wrong_recordings:
        print("#", *row)
    ok = counts["right"] >= total / 4
    print(f"{'ok' if ok else 'not ok'} 2 - at least a quarter of the claims is decided")


if __name__ == "__main__":
    main()
