#!/usr/bin/env python3
"""Which rules labs and cases assert on a live machine, and why not the others.

  shown.py               counts; status 1 if a rule has no reason in labs/not-shown, or two
  shown.py --page FILE   write counts and reasons into FILE

A rule is asserted if a line 'finds' or 'first' of labs/NAME/expected names it alone, or
'rules' of a case.toml.
"""
import collections
import glob
import os
import sys
import tomllib

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from expected import rows_in  # noqa: E402
from pages import replace_part  # noqa: E402

LABS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOP = os.path.dirname(LABS)


def families():
    """rule -> folder of src/explain/rules; each rule has a page of its name."""
    folder = {}
    for path in glob.glob(os.path.join(TOP, "src/explain/rules/*/*")):
        stem = os.path.splitext(os.path.basename(path))[0]
        folder[stem.replace("_", "-")] = os.path.basename(os.path.dirname(path))
    rules = [os.path.basename(p)[:-len(".md")] for p in glob.glob(os.path.join(TOP, "docs/rules/*.md"))]
    return {rule: folder[rule] for rule in sorted(rules) if rule in folder}


def asserted():
    """(rules asserted on any machine that runs the labs, those that need the VM rig)."""
    live, rig = set(), set()
    for path in glob.glob(os.path.join(LABS, "cases", "*", "case.toml")):
        with open(path, "rb") as f:
            live.update(tomllib.load(f).get("rules", ()))
    for path in glob.glob(os.path.join(LABS, "*", "expected")):
        for _, is_optional, words in rows_in(path):
            if words[0] in ("finds", "first") and "|" not in words[2]:
                (rig if is_optional else live).add(words[2])
    return live, rig - live


def reasons():
    """reason -> words of labs/not-shown."""
    made, reason = {}, None
    with open(os.path.join(LABS, "not-shown"), encoding="utf-8") as f:
        for line in f:
            if line.startswith("\t"):
                made[reason] += line.split()
            elif line.strip() and line[0] != "#":
                reason = line.strip().rstrip(":")
                made[reason] = []
    return made


def sort_out(family, known, why):
    """(reason -> rules without a lab, problems)."""
    problems, made = [], {reason: [] for reason in why}
    named = collections.Counter(word for words in why.values() for word in words)
    for word, n in named.items():
        is_family = word.endswith("/*")
        if n > 1:
            problems.append("%s has two reasons" % word)
        if word in known:
            problems.append("%s is asserted and has a reason why not" % word)
        if not is_family and word not in family or is_family and word[:-2] not in family.values():
            problems.append("no rule or family %s" % word)
    for rule, folder in family.items():
        if rule in known:
            continue
        word = rule if rule in named else folder + "/*"
        mine = [reason for reason, words in why.items() if word in words]
        if not mine:
            problems.append("%s: no lab, and no reason" % rule)
        else:
            made[mine[0]].append(rule)
    problems += ["no rule %s, which a lab expects" % rule for rule in sorted(known - set(family))]
    return made, problems


def page(family, live, rig, made):
    lines = ["Of %d rules %d are asserted on a live machine, and %d more with the VM rig: %s. %d are not." % (
        len(family), len(live), len(rig), ", ".join("`%s`" % r for r in sorted(rig)),
        sum(map(len, made.values()))), "", "| rules | why not | which |", "|---|---|---|"]
    for reason, rules in made.items():
        lines.append("| %d | %s | %s |" % (len(rules), reason, ", ".join(rules)))
    return "\n".join(lines) + "\n"


def main():
    family, why = families(), reasons()
    live, rig = asserted()
    made, problems = sort_out(family, live | rig, why)
    print("%d rules, %d asserted live, %d more with the VM rig, %d not" % (
        len(family), len(live), len(rig), sum(map(len, made.values()))))
    for problem in problems:
        print("  NOT " + problem)
    if sys.argv[1:2] == ["--page"]:
        replace_part(sys.argv[2], "rules", page(family, live, rig, made))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
