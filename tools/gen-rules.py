#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn src/explain/rules/*/*.rule and *.names, and known_cases.tsv, into C tables, and check them.

usage: gen-rules.py PAGES OUT.c RULE...
       gen-rules.py --names OUT.h FILE.names
       gen-rules.py --cases PAGES OUT.h FILE.tsv
       gen-rules.py --steps OUT.h FILE.tsv
       gen-rules.py --metrics

--metrics prints the ids that `metric`, `needs` and `unless` of a rule about counters may name,
with title and unit.
PAGES is the folder of the pages that `assay explain --why` prints: each rule has one.
docs/rule-files.md describes the files.
"""
import difflib
import fnmatch
import pathlib
import re
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is
from rule_text import LIMIT, NO_ACTION, UNKNOWN_BEGINS  # noqa: E402
from start_names import start_names  # noqa: E402

TEXT, LIST, PERCENT, NUMBER, YES, DURATION, NEXT, NAMES, WAIT, EVENTS, VALUE, METRIC, CAUSE, CAUSES, BECAUSE, UNKNOWN, NEXT_OTHER = range(17)

# By kind: its RULE_* need, its member of struct rule with the type, and its keys:
# (C member, kind of value, required).
COMMON = {
    "title": ("title", TEXT, True),
    "overrules": ("overrules", NAMES, False),
    "explains": ("explains", NAMES, False),
    "general": ("is_general", YES, False),
    "measured": ("is_measured", YES, False),
    "events": ("events", EVENTS, False),
}
FINDING = {
    "note": ("note_pct", PERCENT, True),
    "lead": ("lead_pct", PERCENT, True),
    "says": ("what", TEXT, True),
    "figure": ("name", TEXT, True),
    "cause": ("cause", CAUSE, False),
    "usual-cause": ("usual_cause", CAUSE, False),
    "usual-causes": ("usual_cause", CAUSES, False),
    "because": ("because", BECAUSE, True),
    "not-known": ("not_known", UNKNOWN, False),
}
WAITING = {
    **FINDING,
    "sure": ("sure", NUMBER, True),
    "next": ("next", NEXT, True),
    "wait": ("kind", WAIT, True),
}
KINDS = {
    "profile": ("RULE_PROFILE", "signature", "signature", {
        **FINDING,
        "sure-note": ("sure_note", NUMBER, True),
        "sure-lead": ("sure_lead", NUMBER, True),
        "headline": ("headline", TEXT, False),
        "minor": ("is_minor", YES, False),
        "user": ("is_user", YES, False),
        "also-user": ("also_user", YES, False),
        "needs-threads": ("needs_threads", YES, False),
        "doubtful": ("doubtful", LIST, False),
        "doubtful-under": ("doubtful_under", LIST, False),
        "interrupts": ("interrupts", YES, False),
        "next": ("next", NEXT, True),
        "functions": ("functions", LIST, True),
        "except": ("except", LIST, False),
        "needs": ("needs", LIST, False),
        "needs-too": ("needs_too", LIST, False),
        "absent": ("absent", LIST, False),
        "under": ("under", LIST, False),
        "under-except": ("under_except", LIST, False),
        "through": ("through", LIST, False),
        "known-callers": ("known_callers", LIST, False),
    }),
    "calls": ("RULE_CALLS", "call_signature", "call_signature", {
        **FINDING,
        "sure": ("sure", NUMBER, True),
        "calls-per-root": ("min_per_root", NUMBER, False),
        "needs-caller": ("needs_caller", YES, False),
        "open": ("is_open_wait", YES, False),
        "usual": ("usual_ns", DURATION, False),
        "next": ("next", NEXT_OTHER, True),
        "marker": ("marker", LIST, True),
        "below": ("below", LIST, False),
        "cost": ("cost", LIST, False),
        "inner": ("inner", LIST, False),
        "around": ("around", LIST, False),
        "scope": ("scope", LIST, False),
        "absent": ("absent", LIST, False),
    }),
    "waits": ("RULE_WAITS", "waiting", "waiting", WAITING),
    "counters": ("RULE_COUNTERS", "counters", "counter_signature", {
        **FINDING,
        "metric": ("metric", METRIC, True),
        "note": ("note", VALUE, True),
        "lead": ("lead", VALUE, True),
        "below": ("is_below", YES, False),
        "needs-if-known": ("needs_if_known", YES, False),
        "steady": ("is_steady", YES, False),
        "not-attached": ("is_not_attached", YES, False),
        "up-to": ("up_to", VALUE, False),
        "usual-cost": ("usual_cost_ns", DURATION, False),
        "needs": ("needs", METRIC, False),
        "needs-from": ("needs_from", VALUE, False),
        "unless": ("unless", METRIC, False),
        "unless-from": ("unless_from", VALUE, False),
        "unless-threads": ("is_unless_threads", YES, False),
        "of-cpu-time": ("is_of_cpu_time", YES, False),
        "calm": ("calm", CAUSE, False),
        "parallel": ("parallel", TEXT, False),
        "parallel-few": ("parallel_few", CAUSE, False),
        "equal": ("equal", TEXT, False),
        "equal-cause": ("equal_cause", TEXT, False),
        "equal-because": ("equal_because", TEXT, False),
        "equal-next": ("equal_next", NEXT_OTHER, False),
        "equal-minor": ("is_equal_minor", YES, False),
        "between-because": ("between_because", BECAUSE, False),
        "place": ("place", TEXT, False),
        "place-cause": ("place_cause", TEXT, False),
        "place-because": ("place_because", TEXT, False),
        "place-next": ("place_next", NEXT_OTHER, False),
        "when": ("when", METRIC, False),
        "when-up-to": ("when_up_to", VALUE, False),
        "when-from": ("when_from", VALUE, False),
        "when-cause": ("when_cause", TEXT, False),
        "when-because": ("when_because", TEXT, False),
        "when-next": ("when_next", NEXT_OTHER, False),
        "several": ("several", TEXT, False),
        "several-cause": ("several_cause", CAUSE, False),
        "sure": ("sure", NUMBER, True),
        "next": ("next", NEXT, True),
    }),
    "sleeps": ("RULE_PROFILE", "sleeping", "waiting", WAITING),
}
# Keys of a case of a profile rule: its condition, and what differs from the rule.
CASE = {
    **{key: (member, what, False) for key, (member, what, _) in KINDS["profile"][3].items()
       if key in ("says", "figure", "cause", "usual-cause", "usual-causes", "because", "not-known", "sure-note", "sure-lead", "minor", "next")},
    "part": ("part", PERCENT, False),
    "part-of": ("part_of", LIST, False),
    "part-under": ("part_under", LIST, False),
    "part-within": ("part_within", LIST, False),
    "part-below": ("part_is_below", YES, False),
    "needs-missing": ("needs_missing", YES, False),
    "by-known-callers": ("is_by_known", YES, False),
}
# Folders of src/explain/rules, of the kinds that are not named like their folder.
FOLDERS = {"sleeps": "waits"}
WAITS = ("cpu", "disk", "lock", "memory")
NEXT_MAX = 2
EVENTS_OF = {"work": "EVENT_IS_WORK", "any": "EVENT_IS_ANY"}
UNITS = {"ns": 1, "us": 1000, "ms": 1000000, "s": 1000000000}


METRICS = pathlib.Path(__file__).resolve().parent.parent / "src/analyses/counters/counter_metrics.c"


def die(where, text):
    sys.exit(f"{where}: {text}")


def metrics(found={}):
    """Title and unit of the metrics in counter_metrics.c, by id."""
    if not found:
        rows = re.findall(r'\.id = "([^"]+)", \.title = "([^"]*)", \.unit = "([^"]*)"',
                          METRICS.read_text(encoding="utf-8"))
        found.update({name: (title, unit) for name, title, unit in rows})
    return found


def check_metrics(where, value):
    """Each of "a|b" must be the id of a metric, or a pattern of ids."""
    for name in value.split("|"):
        if not fnmatch.filter(metrics(), name):
            near = difflib.get_close_matches(name, metrics(), 3)
            die(where, f"{name} is no metric; "
                + (f"near: {', '.join(near)}" if near else "tools/gen-rules.py --metrics lists them"))


def quote(text):
    # "??" would start a trigraph
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("??", '?""?')
    return '"' + escaped + '"'


def entries(path):
    """Each key of the file with its line number and the lines of its value."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        where = f"{path}:{number}"
        if line.lstrip().startswith("#") or not line.strip():
            continue
        if line[0] in " \t":
            if not found:
                die(where, "a line that goes on, and nothing before it")
            found[-1][2].append((where, line.strip()))
            continue
        m = re.fullmatch(r"([a-z][a-z0-9-]*):(?: (.*))?", line)
        if not m:
            die(where, "wanted 'key: value', or a line that begins with a tab and goes on")
        found.append((where, m.group(1), [(where, m.group(2))] if m.group(2) else []))
    return found


def patterns(where, key, lines):
    """The patterns of a list, one a line, without text after two blanks and '#'."""
    seen = {}
    for at, line in lines:
        pattern = re.split(r"\s{2,}#", line)[0].strip()
        if "|" in pattern or not pattern:
            die(at, "one pattern a line, without '|'")
        if pattern.startswith("START:") and pattern not in start_names():
            die(at, f"{pattern} is no kind of src/core/names/start_names.tsv")
        for one in start_names().get(pattern, [pattern]):
            if one in seen:
                die(at, f"{one} stands in {seen[one]} already")
            seen[one] = at
    if not seen:
        die(where, f"{key} names no function")
    return quote("|".join(seen))


def text(where, key, lines):
    value = " ".join(line for _, line in lines)
    if not value:
        die(where, f"{key} is empty")
    if value.endswith(".") and not value.endswith("..."):
        die(where, f"{key} ends with a dot: what follows it is up to the page")
    return value


def check_cause(where, key, value):
    """A cause must name a cause."""
    if LIMIT.search(value):
        die(where, f"{key} says what the data does not show: write that in not-known, and here the causes")
    return quote(value)


def causes(where, key, lines):
    """Several causes, one a line, each with the observation that separates it from the others."""
    if len(lines) < 2:
        die(where, f"{key}: two causes or more, one a line; a single one is usual-cause")
    for at, line in lines:
        if line.count(", if ") != 1:
            die(at, f"{key}: wanted 'CAUSE, if OBSERVATION'")
        if at != lines[0][0] and re.match(r"(A|An|The|It|This|They|There) ", line):
            die(at, f"{key}: only the first cause begins like a sentence")
        check_cause(at, key, line)
    return quote("\n".join(line for _, line in lines)).replace("\n", "\\n")


def check_text(where, key, what, value):
    """Texts that keep fact, limit, cause and action apart."""
    if what == BECAUSE and LIMIT.search(value):
        die(where, f"{key} says why the claim is sure; what the data does not show is not-known")
    if what == UNKNOWN and not UNKNOWN_BEGINS.match(value):
        die(where, f"{key} continues 'Not known:', as in 'whether the copies are necessary'")
    if what in (NEXT, NEXT_OTHER) and NO_ACTION.match(value):
        die(where, f"{key} is no action: begin with a command or a verb")


def number(where, value, low, high):
    try:
        n = float(value)
    except ValueError:
        die(where, f"'{value}' is not a number")
    if not low <= n <= high:
        die(where, f"{value} is not between {low} and {high}")
    return n


def duration(where, value):
    m = re.fullmatch(r"(\d+) ?(ns|us|ms|s)", value)
    if not m:
        die(where, f"'{value}' is no duration, such as 50 us")
    return str(int(m.group(1)) * UNITS[m.group(2)])


def convert(where, key, what, lines, ids):
    if what == LIST:
        return patterns(where, key, lines)
    if what == CAUSES:
        return causes(where, key, lines)
    value = text(where, key, lines)
    check_text(where, key, what, value)
    if what == CAUSE:
        return check_cause(where, key, value)
    if what == PERCENT:
        m = re.fullmatch(r"([\d.]+) ?%", value)
        if not m:
            die(where, f"{key}: wanted a share, such as 5 %")
        return repr(number(where, m.group(1), 0, 101))
    if what == VALUE:
        return repr(number(where, value, 0, 1e12))
    if what == NUMBER:
        return str(int(number(where, value, 0, 100)))
    if what == YES:
        if value != "yes":
            die(where, f"{key}: yes, or leave it out")
        return "true"
    if what == DURATION:
        return duration(where, value)
    if what == NAMES:
        for name in value.split():
            if name not in ids:
                die(where, f"{name} is no rule")
        return value.split()
    if what == EVENTS:
        if value not in EVENTS_OF:
            die(where, f"events: {' or '.join(EVENTS_OF)}; left out: events that count time")
        return EVENTS_OF[value]
    if what == METRIC:
        check_metrics(where, value)
    if what == WAIT:
        if value not in WAITS:
            die(where, f"{value}: one of {', '.join(WAITS)}")
        return "WAIT_" + value.upper()
    return quote(value)


def values_of(found, known, ids):
    """{C member: C value} of some lines, and where each key stands."""
    values, at = {}, {}
    for where, key, lines in found:
        if key not in known:
            die(where, f"{key}: unknown key; known: {', '.join(sorted(known))}")
        member, what, _ = known[key]
        value = convert(where, key, what, lines, ids)
        if what == NEXT:
            values.setdefault(member, []).append(value)
            if len(values[member]) > NEXT_MAX:
                die(where, f"more than {NEXT_MAX} next steps")
            continue
        if key in at or member in values:
            die(where, f"{key} stands in {at.get(key, 'another key')} already")
        at[key] = where
        values[member] = value
    return values, at


def case_of(rule, where, found, ids):
    """The values of a case: those of the rule, with its own in their place."""
    values, _ = values_of(found, CASE, ids)
    if values.pop("needs_missing", None):
        if "part" in values or "needs" not in rule:
            die(where, "needs-missing: wants needs in the rule, and no part")
        rule = {member: value for member, value in rule.items() if member not in ("needs", "needs_too")}
    elif "part" not in values or not {"part_of", "part_within"} & values.keys():
        die(where, "a case wants part and part-of or part-within, or needs-missing")
    else:
        values["part"] = repr(float(values["part"]) / 100)
    if "is_by_known" in values and "known_callers" not in rule:
        die(where, "by-known-callers: wants known-callers in the rule")
    if "cause" in values and "usual_cause" in values:
        die(where, "a case wants one of cause and usual-cause")
    if "because" in values and "not_known" not in values:
        rule = {member: value for member, value in rule.items() if member != "not_known"}
    if "cause" in values or "usual_cause" in values:
        rule = {member: value for member, value in rule.items() if member not in ("cause", "usual_cause")}
    return {**rule, **values}


def read(path, ids):
    """(kind, {C member: C value}, [the same of each case]) of a rule."""
    found = entries(path)
    kind = [(where, text(where, key, lines)) for where, key, lines in found if key == "kind"]
    if len(kind) != 1 or kind[0][1] not in KINDS:
        die(kind[0][0] if kind else path, f"wanted one 'kind:', of {', '.join(KINDS)}")
    folder = FOLDERS.get(kind[0][1], kind[0][1])
    if path.parent.name != folder:
        die(path, f"a rule with 'kind: {kind[0][1]}' belongs into the folder {folder}")
    known = {**COMMON, **KINDS[kind[0][1]][3]}
    parts = [[]]  # of the rule, and of each case
    for entry in found:
        if entry[1] == "case" and kind[0][1] == "profile":
            text(*entry)
            parts.append([entry[0]])
        elif entry[1] != "kind":
            parts[-1].append(entry)
    values, at = values_of(parts[0], known, ids)
    for key, (member, _, is_needed) in known.items():
        if is_needed and member not in values:
            die(path, f"{key} is missing")
    if ("cause" in values) == ("usual_cause" in values):
        die(path, "wanted one of cause (this evidence shows it) and usual-cause")
    note, lead = (float(values[known[key][0]]) for key in ("note", "lead"))
    if note < lead if "is_below" in values else note > lead:
        die(at["note"], "note is above lead")
    return kind[0][1], values, [case_of(values, part[0], part[1:], ids) for part in parts[1:]]


def members(keys, values):
    for member, what in dict.fromkeys((member, what) for member, what, _ in keys.values() if what != CAUSES):
        if member in values:
            value = values[member]
            yield f".{member} = {'{ ' + ', '.join(value) + ' }' if what == NEXT else value}"


def emit(out, name, kind, values, cases):
    needs, table, struct, keys = KINDS[kind]
    for key in ("overrules", "explains"):
        if key in values:
            listed = ", ".join(quote(v) for v in values[key])
            out.write(f"static const char *const {name}_{key}[] = {{ {listed}, NULL }};\n")
    if cases:
        out.write(f"static const struct {struct} {name}_cases[] = {{\n")
        for case in cases:
            out.write("\t{ " + ", ".join(members({**keys, **CASE}, case)) + " },\n")
        out.write("\t{ .functions = NULL },\n};\n")
    out.write(f"static const struct {struct} {table}_{name} = {{\n")
    out.writelines(f"\t{member},\n" for member in members(keys, values))
    if cases:
        out.write(f"\t.cases = {name}_cases,\n")
    out.write(f"}};\nconst struct rule rule_{name} = {{\n\t.id = {quote(name.replace('_', '-'))},\n")
    out.write(f"\t.title = {values['title']},\n\t.needs = {needs},\n")
    for key in ("overrules", "explains"):
        if key in values:
            out.write(f"\t.{key} = {name}_{key},\n")
    events = "EVENT_BIT(EVENT_SLEEP)" if kind == "sleeps" else values.get("events")
    if events:
        out.write(f"\t.events = {events},\n")
    for flag in ("is_general", "is_measured"):
        if flag in values:
            out.write(f"\t.{flag} = true,\n")
    out.write(f"\t.{table} = &{table}_{name},\n}};\n\n")


def names_main(target, source):
    """Macros for the lists of a .names file, for the rows of each table, for each list in its rows, and for the
    constants of each key of its rows, each once."""
    lists, tables, joined, constants, row, table = {}, {}, {}, {}, None, None
    for where, key, lines in entries(pathlib.Path(source)):
        if key == "row":
            row = {}
            table = text(where, key, lines)
            tables.setdefault(table, []).append(row)
            continue
        if key in (lists if row is None else row):
            die(where, f"{key} stands twice")
        # a value on the line of the key is text, a constant of C or a number; a list has lines of its own
        if lines and lines[0][0] == where:
            value = text(where, key, lines)
            value = value if re.fullmatch(r"[A-Z][A-Z_]+|[0-9]+", value) else quote(value)
        elif lines:
            value = patterns(where, key, lines)
            if row is not None:
                joined.setdefault(f"{table}-{key}", []).append(value)
        else:
            die(where, f"{key} is empty")
        if row is None:
            lists[key] = value
        else:
            row[key] = value
            if re.fullmatch(r"[A-Z][A-Z_]+", value):
                constants.setdefault(f"{table}-{key}", {})[value] = True
    with open(target, "w", encoding="utf-8") as out:
        out.write(f"/* made by tools/gen-rules.py from {source}: do not edit */\n")
        for name, value in lists.items():
            out.write(f"#define {name.upper().replace('-', '_')} {value}\n")
        for name, values in joined.items():
            out.write(f"#define {name.upper().replace('-', '_')} " + ' "|" '.join(values) + "\n")
        for name, values in constants.items():
            out.write(f"#define {name.upper().replace('-', '_')} {', '.join(values)}\n")
        for name, rows in tables.items():
            out.write(f"#define {name.upper().replace('-', '_')} \\\n")
            out.writelines(
                "\t{ " + ", ".join(f".{k} = {v}" for k, v in r.items()) + " }, \\\n" for r in rows
            )
            out.write("\n")


def cases_main(pages, target, source):
    """Rows of a C table: rule, known cases, and how many of them the rule named."""
    with open(target, "w", encoding="utf-8") as out:
        out.write(f"/* made by tools/gen-rules.py from {source}: do not edit */\n")
        for number, line in enumerate(pathlib.Path(source).read_text(encoding="utf-8").splitlines(), 1):
            m = re.fullmatch(r"([a-z0-9-]+)\t([0-9]+)\t([0-9]+)", line)
            if line.startswith("#"):
                continue
            if not m or int(m.group(3)) > int(m.group(2)):
                die(f"{source}:{number}", "wanted a rule, its cases, and those of them that it named")
            if not (pathlib.Path(pages) / f"{m.group(1)}.md").exists():
                die(f"{source}:{number}", f"{m.group(1)} is no rule")
            out.write("\t{ " + f"{quote(m.group(1))}, {m.group(2)}, {m.group(3)}" + " },\n")


def steps_main(target, source):
    """Rows of a C table: formats, the beginning of a step, the step instead."""
    with open(target, "w", encoding="utf-8") as out:
        out.write(f"/* made by tools/gen-rules.py from {source}: do not edit */\n")
        for number, line in enumerate(pathlib.Path(source).read_text(encoding="utf-8").splitlines(), 1):
            fields = line.split("\t")
            if line.startswith("#"):
                continue
            if len(fields) != 3 or ("{}" in fields[2] and "{}" not in fields[1]):
                die(f"{source}:{number}", "wanted formats, a step, and the step instead")
            out.write("\t{ " + ", ".join(quote(field) for field in fields) + " },\n")


def main():
    if sys.argv[1:] == ["--metrics"]:
        for name, (title, unit) in sorted(metrics().items()):
            print(f"{name:28} {title}{f' ({unit})' if unit else ''}")
        return
    if len(sys.argv) == 4 and sys.argv[1] == "--steps":
        steps_main(*sys.argv[2:])
        return
    if len(sys.argv) == 5 and sys.argv[1] == "--cases":
        cases_main(*sys.argv[2:])
        return
    if len(sys.argv) == 4 and sys.argv[1] == "--names":
        names_main(*sys.argv[2:])
        return
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    pages, target = pathlib.Path(sys.argv[1]), sys.argv[2]
    rules = [pathlib.Path(p) for p in sys.argv[3:]]
    ids = {p.stem for p in pages.glob("*.md")}
    made = []
    for path in rules:
        if path.stem not in ids:
            die(path, f"its page is missing: write docs/rules/{path.stem}.md")
        made.append((path.stem.replace("-", "_"), *read(path, ids)))
    with open(target, "w", encoding="utf-8") as out:
        out.write("/* made by tools/gen-rules.py from the .rule files: do not edit */\n")
        for table in ("call_signature", "counter_signature", "signature", "sleeping", "waiting"):
            out.write(f'#include "explain/signatures/{table}.h"\n')
        out.write('#include "explain/rule_list.h"\n\n')
        for rule in made:
            emit(out, *rule)


main()
