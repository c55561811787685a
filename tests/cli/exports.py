#!/usr/bin/env python3
"""Output of `assay convert` for other viewers, read by independent parsers.

pprof is decoded here by its field numbers (and by protoc where it is), speedscope
is checked against what its schema asks for, Firefox and Chrome against what their
viewers walk through: every index in range, every table as long as it says. Totals
are those of the capture. TAP on stdout.
"""
import collections
import csv
import gzip
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from tap import Tap  # noqa: E402

SOURCE = os.environ.get("ASSAY_SOURCE") or os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
ASSAY = os.environ.get("ASSAY") or os.path.join(SOURCE, "build", "assay")
HOSTILE = '</script><b>"\\\u202e\x1b[31m'
PERF_SCRIPT = """\
bash 12/34 [001] 100.000001:     250000 cpu-clock: 
\tffffffff81000010 do_work+0x10 ([kernel.kallsyms])
\t          401010 inlined_one (inlined)
\t          401010 main+0x10 (/usr/bin/app)
\t          401000 _start+0x0 (/usr/bin/app)

bash 12/34 [001] 100.000251:     250000 cpu-clock: 
\t          401010 main+0x10 (/usr/bin/app)
\t          401000 _start+0x0 (/usr/bin/app)

V8 Worker 12/35 [000] 100.000261:     250001 cpu-clock: 
\t    7f0000001000 [unknown] (/tmp/perf-12.map)
\t          401010 main+0x10 (/usr/bin/app)

bash 12/34 [001] 100.000300:          1 page-faults: 
\t          401010 main+0x10 (/usr/bin/app)

swapper     0/0 [000] 100.000500:     250000 cpu-clock: 
\tffffffff81000020 idle+0x10 ([kernel.kallsyms])

"""
GRAPH = """\
# tracer: function_graph
#
# CPU  DURATION                  FUNCTION CALLS
# |     |   |                     |   |   |   |
 0)               |  outer() {
 0)   1.500 us    |    inner();
 0)               |    middle() {
 0)   0.250 us    |      leaf();
 0)   2.000 us    |    }
 0)   5.125 us    |  }
 0)   0.100 us    |  after();
"""
FOLDED = "main;a;b_[k] 3\nmain;a 1.5\nmain;%s 6\nmain;f_[j];g_[i] 2\n" % HOSTILE.replace(";", ":")


TAP = Tap()
HAS_JSON = os.environ.get("ASSAY_HAS_JSON", "1") == "1"


def assay(*words, fails=False):
    done = subprocess.run([ASSAY, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)
    if done.returncode and not fails:
        TAP.ok(False, " ".join(words), done.stderr.decode("utf-8", "replace"))
    return done.stdout


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def message(data):
    """{field: [values]} of one protobuf message."""
    fields = collections.defaultdict(list)
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 2:
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
            assert len(value) == length
        else:
            raise ValueError("wire type %d" % (key & 7))
        fields[key >> 3].append(value)
    return fields


def packed(values):
    out = []
    for value in values:
        at = 0
        while at < len(value):
            number, at = varint(value, at)
            out.append(number)
    return out


def pprof(data):
    """[(type, unit)], {stack of (function, mapping): [values]}, comments"""
    top = message(gzip.decompress(data))
    strings = [s.decode("utf-8") for s in top[6]]
    assert strings[0] == ""
    functions = {}
    for raw in top[5]:
        f = message(raw)
        functions[f[1][0]] = strings[f[2][0]] if f[2] else ""
    mappings = {0: ""}
    for raw in top[3]:
        f = message(raw)
        mappings[f[1][0]] = strings[f[5][0]] if f[5] else ""
    locations = {}
    for raw in top[4]:
        f = message(raw)
        lines = [functions[message(line)[1][0]] for line in f[4]]
        locations[f[1][0]] = [(name, mappings[f[2][0] if f[2] else 0]) for name in lines]
    assert 0 not in functions and 0 not in locations
    types = [tuple(strings[v[0]] for v in (message(raw)[1], message(raw)[2])) for raw in top[1]]
    stacks = collections.defaultdict(lambda: [0] * len(types))
    for raw in top[2]:
        f = message(raw)
        frames = []
        for location in packed(f[1]):
            frames += locations[location]
        labels = {}
        for label in f[3]:
            part = message(label)
            labels[strings[part[1][0]]] = strings[part[2][0]] if part[2] else (part[3] or [0])[0]
        values = packed(f[2])
        assert len(values) == len(types)
        key = (labels.get("comm", ""), tuple(frames))
        stacks[key] = [a + b for a, b in zip(stacks[key], values)]
    return types, dict(stacks), [strings[c] for c in top[13]]


PROTO = """syntax = "proto3"; package p;
message Profile { repeated T sample_type = 1; repeated S sample = 2; repeated M mapping = 3;
 repeated L location = 4; repeated F function = 5; repeated string string_table = 6;
 int64 drop_frames = 7; int64 keep_frames = 8; int64 time_nanos = 9; int64 duration_nanos = 10;
 T period_type = 11; int64 period = 12; repeated int64 comment = 13; int64 default_type = 14; }
message T { int64 type = 1; int64 unit = 2; }
message S { repeated uint64 location_id = 1; repeated int64 value = 2; repeated B label = 3; }
message B { int64 key = 1; int64 str = 2; int64 num = 3; int64 num_unit = 4; }
message M { uint64 id = 1; uint64 start = 2; uint64 limit = 3; uint64 offset = 4;
 int64 filename = 5; int64 build_id = 6; bool f = 7; bool n = 8; bool l = 9; bool i = 10; }
message L { uint64 id = 1; uint64 mapping_id = 2; uint64 address = 3; repeated N line = 4;
 bool is_folded = 5; }
message N { uint64 function_id = 1; int64 line = 2; }
message F { uint64 id = 1; int64 name = 2; int64 system_name = 3; int64 filename = 4;
 int64 start_line = 5; }
"""


def check_protoc(data, folder):
    if not shutil.which("protoc"):
        print("# protoc is not here: decoded by the test only")
        return
    with open(os.path.join(folder, "p.proto"), "w", encoding="ascii") as f:
        f.write(PROTO)
    done = subprocess.run(["protoc", "-I", folder, "--decode=p.Profile", "p.proto"],
                          input=gzip.decompress(data), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    unknown = re.findall(rb"^\s*\d+[:{ ]", done.stdout, re.M)
    TAP.ok(done.returncode == 0 and done.stdout and not unknown, "protoc decodes the profile",
           done.stderr or unknown)


def check_go(path):
    if not shutil.which("go"):
        print("# go is not here: not opened with go tool pprof")
        return
    done = subprocess.run(["go", "tool", "pprof", "-top", path], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    TAP.ok(done.returncode == 0 and b"main" in done.stdout, "go tool pprof opens it", done.stdout)


def check_pprof(paths, folder):
    data = assay("convert", "--to", "pprof", paths["script"])
    types, stacks, comments = pprof(data)
    TAP.ok(types == [("cpu-clock samples", "count"), ("cpu-clock", "nanoseconds"),
                     ("page-faults samples", "count"), ("page-faults", "count")],
           "pprof: two sample types for each event", types)
    key = ("bash", (("do_work", "[kernel.kallsyms]"), ("inlined_one", "/usr/bin/app"),
                    ("main", "/usr/bin/app"), ("_start", "/usr/bin/app")))
    TAP.ok(stacks.get(key) == [1, 250000, 0, 0], "pprof: a stack with an inlined frame", stacks)
    total = [sum(v[i] for v in stacks.values()) for i in range(4)]
    TAP.ok(total == [4, 1000001, 1, 1], "pprof: the totals of the capture", total)
    TAP.ok(any("not in this file" in c for c in comments), "pprof: says what it leaves out")
    TAP.ok(assay("convert", "--to", "pprof", paths["script"]) == data, "pprof: twice the same bytes")
    check_protoc(data, folder)
    out = os.path.join(folder, "x.pb.gz")
    assay("convert", "--to", "pprof", "-o", out, paths["script"])
    check_go(out)
    types, stacks, _ = pprof(assay("convert", "--to", "pprof", paths["graph"]))
    TAP.ok(types == [("calls", "count"), ("time", "nanoseconds")] and
           sum(v[1] for v in stacks.values()) == 5225 and
           sum(v[0] for v in stacks.values()) == 5, "pprof: calls as count and self time", stacks)
    types, stacks, _ = pprof(assay("convert", "--to", "pprof", paths["folded"]))
    TAP.ok(types == [("weight", "0.1 number")] and
           sum(v[0] for v in stacks.values()) == 125, "pprof: weights with decimals", types)


def check_speedscope(paths):
    for name, path in paths.items():
        doc = json.loads(assay("convert", "--to", "speedscope", path))
        frames = doc["shared"]["frames"]
        good = doc["$schema"] == "https://www.speedscope.app/file-format-schema.json"
        good &= all(isinstance(f["name"], str) for f in frames)
        total = 0
        for p in doc["profiles"]:
            good &= p["unit"] in ("none", "nanoseconds", "bytes") and isinstance(p["name"], str)
            good &= p["startValue"] <= p["endValue"]
            if p["type"] == "sampled":
                good &= len(p["samples"]) == len(p["weights"])
                good &= all(0 <= f < len(frames) for s in p["samples"] for f in s)
                total += sum(p["weights"])
                continue
            at, stack = p["startValue"], []
            for e in p["events"]:
                good &= e["at"] >= at
                if e["type"] == "O":
                    stack.append(e["frame"])
                else:
                    good &= stack.pop() == e["frame"]
                total += (e["at"] - at) * (len(stack) + (e["type"] == "C") - (e["type"] == "O") > 0)
                at = e["at"]
            good &= not stack and at <= p["endValue"]
        want = {"script": 1000002, "graph": 5225, "folded": 12.5}[name]
        TAP.ok(good, "speedscope: what the schema asks for (%s)" % name)
        TAP.ok(abs(total - want) < 1e-6, "speedscope: the total of the capture (%s)" % name, total)


def check_table(table, columns):
    return all(len(table[c]) == table["length"] for c in columns)


def check_firefox(paths):
    for name, path in paths.items():
        doc = json.loads(assay("convert", "--to", "firefox", path))
        good = doc["meta"]["preprocessedProfileVersion"] == 48
        n_categories = len(doc["meta"]["categories"])
        total = 0
        for t in doc["threads"]:
            stacks, frames, funcs = t["stackTable"], t["frameTable"], t["funcTable"]
            good &= check_table(t["samples"], ("stack", "time", "weight"))
            good &= check_table(stacks, ("frame", "prefix", "category", "subcategory"))
            good &= check_table(frames, ("address", "inlineDepth", "category", "subcategory", "func",
                                         "nativeSymbol", "innerWindowID", "implementation", "line",
                                         "column"))
            good &= check_table(funcs, ("isJS", "relevantForJS", "name", "resource", "fileName",
                                        "lineNumber", "columnNumber"))
            good &= check_table(t["resourceTable"], ("lib", "name", "host", "type"))
            good &= all(s is None or s < stacks["length"] for s in t["samples"]["stack"])
            good &= all(p is None or p < i for i, p in enumerate(stacks["prefix"]))
            good &= all(f < frames["length"] for f in stacks["frame"])
            good &= all(c < n_categories for c in stacks["category"] + frames["category"])
            good &= all(f < funcs["length"] for f in frames["func"])
            good &= all(s < len(t["stringArray"]) for s in funcs["name"])
            good &= len(set(t["stringArray"])) == len(t["stringArray"])
            good &= all(-1 <= r < t["resourceTable"]["length"] for r in funcs["resource"])
            good &= all(lib < len(doc["libs"]) for lib in t["resourceTable"]["lib"])
            good &= t["samples"]["time"] == sorted(t["samples"]["time"])
            total += sum(t["samples"]["weight"]) * (
                1e6 if t["samples"]["weightType"] == "tracing-ms" else 1)
        want = {"script": 1000002, "graph": 5225, "folded": 12.5}[name]
        TAP.ok(good, "firefox: tables fit each other (%s)" % name)
        TAP.ok(abs(total - want) < 1e-3, "firefox: the total of the capture (%s)" % name, total)


# Calls of whole microseconds that touch, a day after boot, and calls without starts.
TOUCHING = """\
# tracer: function_graph
#
#     TIME        CPU  DURATION                  FUNCTION CALLS
#      |          |     |   |                     |   |   |   |
""" + "".join(
    " %d.%06d |   0)               |  outer() {\n" % divmod(at, 1000000) +
    "".join(" %d.%06d |   0)   %d.%03d us    |    leaf%d();\n"
            % (*divmod(at + k, 1000000), k % 2, k * 137 % 1000, k) for k in range(9)) +
    " %d.%06d |   0)   9.%03d us    |  }\n" % (*divmod(at + 9, 1000000), at % 997)
    for at in range(86400000001, 86400004001, 10))
STARTLESS = """\
# tracer: function_graph
#
# CPU  DURATION                  FUNCTION CALLS
# |     |   |                     |   |   |   |
""" + "".join(" 0)               |  outer() {\n"
              " 0)   %.3f us    |    leaf();\n"
              " 0)   %.3f us    |    leaf();\n"
              " 0)   %.3f us    |  }\n" % (a / 1000, b / 1000, (a + b) / 1000)
              for a, b in ((k * 1373 % 7000 + 1, k % 999 + 1) for k in range(3000)))


def crossing(doc):
    """Events that start in another one and end after it, times added up as doubles."""
    lanes, bad = collections.defaultdict(list), 0
    for e in doc["traceEvents"]:
        if e["ph"] == "X":
            lanes[(e["pid"], e["tid"])].append((e["ts"], e["ts"] + e["dur"], e["name"]))
    for events in lanes.values():
        open_ends = []
        for ts, end, _ in sorted(events, key=lambda e: (e[0], -e[1])):
            while open_ends and open_ends[-1] <= ts:
                open_ends.pop()
            bad += bool(open_ends and open_ends[-1] < end)
            open_ends.append(end)
    return bad


def check_chrome_nests(folder):
    for name, text in (("touching", TOUCHING), ("without starts", STARTLESS)):
        path = os.path.join(folder, name + ".txt")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        data = assay("convert", "--to", "chrome", path)
        doc = json.loads(data)
        TAP.ok(len(doc["traceEvents"]) > 3000 and crossing(doc) == 0,
               "chrome: calls nest by the doubles that viewers compute (%s)" % name,
               crossing(doc))
        if HAS_JSON:
            again = os.path.join(folder, "touching.json")
            with open(again, "wb") as f:
                f.write(data)
            first, second = model(path), model(again)
            TAP.ok(first == second, "chrome: and are read back as they were (%s)" % name,
                   list((first - second).items())[:3])
    shared = os.environ.get("ASSAY_SHARED", os.path.join(SOURCE, "..", "shared"))
    bad, n = [], 0
    for top in ("seeds", os.path.join("vm", "captures")):
        for where, _, names in os.walk(os.path.join(shared, top)):
            for name in sorted(names):
                # of hundreds of captures those that once did not nest, and their like
                if top != "seeds" and not re.match(
                        r"(filtered|switch-\dcpu|overrun|instance|lost-pipe|ingress-retval)\.txt$", name):
                    continue
                data = assay("convert", "--to", "chrome", os.path.join(where, name), fails=True)
                if data:
                    n += 1
                    bad += [name] * (crossing(json.loads(data)) > 0)
    if n:
        TAP.ok(not bad, "chrome: calls of %d captures nest" % n, bad)
    else:
        print("# no captures here: none converted")
    # the next begins by the rounding of a double before this one ends: they touch all the same
    path = os.path.join(folder, "rounded.json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump([{"ph": "X", "pid": 1, "tid": 1, "name": "a", "ts": 1.7e15, "dur": 10.1},
                   {"ph": "X", "pid": 1, "tid": 1, "name": "b", "ts": 1.7e15 + 10.1, "dur": 5}], f)
    if HAS_JSON:
        rows = json.loads(assay("convert", "--to", "json", path))["captures"][0]["calls"]
        TAP.ok([r["parent"] for r in rows] == [None, None],
               "chrome: calls that touch are read one behind the other", rows)


def check_chrome(paths):
    doc = json.loads(assay("convert", "--to", "chrome", paths["graph"]))
    calls = [e for e in doc["traceEvents"] if e["ph"] == "X"]
    good = [e["name"] for e in calls] == ["outer", "inner", "middle", "leaf", "after"]
    good &= [e["dur"] for e in calls] == [5.125, 1.5, 2, 0.25, 0.1]
    good &= all(e["args"]["line"] for e in calls)
    outer, inner, middle, leaf, after = calls
    for child, parent in ((inner, outer), (middle, outer), (leaf, middle)):
        good &= parent["ts"] <= child["ts"]
        good &= child["ts"] + child["dur"] <= parent["ts"] + parent["dur"] + 1e-9
    good &= after["ts"] >= outer["ts"] + outer["dur"] - 1e-9
    good &= any(e["ph"] == "M" and e["args"]["name"] == "CPU 0" for e in doc["traceEvents"])
    TAP.ok(good, "chrome: calls nest and keep their durations", calls)
    TAP.ok(not assay("convert", "--to", "chrome", paths["script"], fails=True),
           "chrome: samples are refused")


def check_perf_script(paths):
    """Read back by assay: the same rows, and by the words of perf itself."""
    text = assay("convert", "--to", "perf-script", paths["script"]).decode("utf-8")
    heads = [line for line in text.splitlines() if re.match(r"\S.*\d:\s", line)]
    times = [re.search(r" (\d+\.\d{6}):", line).group(1) for line in heads]
    TAP.ok(len(heads) == 5 and times == sorted(times), "perf-script: samples of all events by time",
           heads)
    again = os.path.join(os.path.dirname(paths["script"]), "again.script")
    with open(again, "w", encoding="utf-8") as f:
        f.write(text)
    first = json.loads(assay("report", "--json", paths["script"]))["captures"]
    second = json.loads(assay("report", "--json", again))["captures"]
    TAP.ok([(c["event"], c["total"], [(r["comm"], r["symbol"], r["self"]) for r in c["rows"]])
            for c in first] == [(c["event"], c["total"],
                                 [(r["comm"], r["symbol"], r["self"]) for r in c["rows"]])
                                for c in second], "perf-script: the same rows when read back")


def model(path):
    """{(event, thread, stack): [samples, weight]} of profiles, {(path, ns)} of calls."""
    out = collections.Counter()
    for c in json.loads(assay("convert", "--to", "json", path))["captures"]:
        if "samples" in c:
            scale = 10 ** c.get("sample_decimals", 0)
            names = []
            for node in c["stacks"]:
                above = names[node["parent"]] if node["parent"] is not None else ()
                names.append(above + ((node.get("symbol"), node.get("dso"), node.get("space")),))
            for s in c["samples"]:
                key = (c.get("event"), s.get("comm"), s.get("pid"), s.get("tid"),
                       names[s["stack"]][1:])
                out[key + ("samples",)] += 1
                out[key + ("weight",)] += round(s["weight"] * scale) / scale
        names = []
        for call in c.get("calls", []):
            above = names[call["parent"]] if call.get("parent") is not None else ()
            names.append(above + (call["symbol"],))
            out[names[-1] + (call.get("duration_ns", call.get("total_ns")),)] += 1
    return out


def table(path):
    rows = collections.Counter()
    for c in json.loads(assay("report", "--json", "--no-children", "-g", "none", path))["captures"]:
        for r in c.get("rows", []):
            rows[(c.get("event"), r["comm"], r.get("dso"), r["symbol"], r["self"],
                  r.get("samples"))] += 1
    return rows


def without_space(rows):
    return {tuple(tuple(f[:2] for f in k) if isinstance(k, tuple) else k for k in key): v
            for key, v in rows.items()}


def check_round_trips(paths, folder):
    """capture -> X -> capture: the same stacks with the same weights, the same table."""
    for name, path in paths.items():
        for to in ("pprof", "speedscope", "firefox", "chrome"):
            if (to == "chrome") != (name == "graph") and to != "speedscope":
                continue
            again = os.path.join(folder, "%s.%s" % (name, to))
            assay("convert", "--to", to, "-o", again, path)
            first, second = model(path), model(again)
            if to == "pprof":
                # inlined functions are in the module of their caller
                fix = lambda rows: {tuple(tuple((f[0],) for f in k) if isinstance(k, tuple) else k
                                          for k in key): v for key, v in rows.items()}
                first, second = fix(first), fix(second)
            TAP.ok(first == second and first, "%s -> %s -> capture: the same stacks" % (name, to),
                   "%r\n%r" % (list(set(first.items()) - set(second.items()))[:3],
                               list(set(second.items()) - set(first.items()))[:3]))
            if name != "graph":
                first, second = table(path), table(again)
                if name == "script" and to == "pprof":
                    first = collections.Counter({k[:2] + k[3:]: v for k, v in first.items()})
                    second = collections.Counter({k[:2] + k[3:]: v for k, v in second.items()})
                TAP.ok(first == second, "%s -> %s -> capture: the same table" % (name, to),
                       "%r\n%r" % (list((first - second))[:3], list((second - first))[:3]))


def stderr_of(*words):
    return subprocess.run([ASSAY, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          check=False).stderr.decode("utf-8", "replace")


def check_units(paths, folder):
    """Weights of several events and of several inputs are never added up."""
    other = os.path.join(folder, "other.txt")
    shutil.copy(paths["script"], other)
    text = assay("convert", "--to", "folded", paths["script"], other).decode()
    total = sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines())
    TAP.ok(total == 1000001, "folded: the first event alone", text)
    told = stderr_of("convert", "--to", "folded", paths["script"], other)
    TAP.ok("this is 1 (cpu-clock)" in told and "2 (page-faults)" in told and
           "4 (page-faults of %s)" % other in told, "folded: the other captures are named", told)
    text = assay("convert", "--to", "folded", "--event", "page-faults", paths["script"],
                 fails=True)
    TAP.ok(text.rsplit(b" ", 1)[-1] == b"1\n",
           "folded: --event chooses", text)
    told = stderr_of("convert", "--to", "folded", "--event", "cycles", paths["script"])
    TAP.ok("events here: cpu-clock, page-faults" in told, "--event says what there is", told)
    svg = assay("flame", "--event", "page-faults", paths["script"], fails=True)
    TAP.ok(b"page-faults, 1 sample" in svg, "flame: --event chooses", svg[:300])
    types, stacks, _ = pprof(assay("convert", "--to", "pprof", paths["script"], other))
    TAP.ok(len(set(types)) == len(types) == 8 and
           all(("%s of %s" % (event, path), unit) in types
               for event, unit in (("cpu-clock", "nanoseconds"), ("page-faults", "count"))
               for path in (paths["script"], other)),
           "pprof: sample types of several inputs have names of their own", types)
    for to in ("pprof", "speedscope", "firefox") if HAS_JSON else ("pprof",):
        again = os.path.join(folder, "several." + to)
        assay("convert", "--to", to, "-o", again, paths["script"], other, paths["folded"],
              paths["graph"])
        totals = [sum(s["weight"] for s in c.get("samples", []))
                  for c in json.loads(assay("convert", "--to", "json", "--capture", "1", again)
                                      )["captures"]]
        TAP.ok(totals == [1000001], "%s: captures of several inputs stay apart" % to, totals)
    rows = list(csv.DictReader(io.StringIO(
        assay("convert", "--to", "csv", paths["script"]).decode())))
    sums = collections.Counter()
    for row in rows:
        sums[(row.get("capture"), row.get("event"))] += int(row["weight"])
    TAP.ok(sums == {("1", "cpu-clock"): 1000001, ("2", "page-faults"): 1},
           "csv: each row says its capture and event", sums)
    rows = list(csv.DictReader(io.StringIO(assay("report", "--csv", paths["script"]).decode())))
    TAP.ok({row.get("event") for row in rows} == {"cpu-clock", "page-faults"},
           "report --csv: each row says its event", rows[:1])


def proto(field, value):
    def number(n):
        out = b""
        while n >= 128:
            out, n = out + bytes([n & 127 | 128]), n >> 7
        return out + bytes([n])
    if isinstance(value, int):
        return number(field << 3) + number(value)
    return number(field << 3 | 2) + number(len(value)) + value


def check_inlined(folder):
    """A function inlined in one place and called in another is one function."""
    strings = ["", "samples", "count", "cpu", "nanoseconds", "app.f", "mallocgc", "app.g", "once",
               "/bin/app"]
    data = proto(1, proto(1, 1) + proto(2, 2)) + proto(1, proto(1, 3) + proto(2, 4))
    for locations, weight in (((2, 1), 433), ((3,), 433), ((4,), 134)):
        data += proto(2, proto(1, bytes(locations)) + proto(2, bytes([1])) + proto(2, weight))
    data += proto(3, proto(1, 1) + proto(5, 9))
    for location, functions in ((1, (1,)), (2, (2,)), (3, (2, 3)), (4, (4, 1))):
        data += proto(4, proto(1, location) + proto(2, 1) +
                      b"".join(proto(4, proto(1, f)) for f in functions))
    for function in range(1, 5):
        data += proto(5, proto(1, function) + proto(2, function + 4))
    data += b"".join(proto(6, s.encode()) for s in strings)
    path = os.path.join(folder, "inlined.pb")
    with open(path, "wb") as f:
        f.write(data)
    rows = json.loads(assay("report", "--json", path))["captures"][0]["rows"]
    self_of = [(r["symbol"], r["self"]) for r in rows if r["self"]]
    TAP.ok(self_of == [("mallocgc", 86.6), ("once", 13.4)],
           "pprof: a function that is inlined here and called there is one row", self_of)
    folded = assay("convert", "--to", "folded", path)
    TAP.ok(folded == b"app.f;mallocgc 433\napp.f;once_[i] 134\napp.g;mallocgc 433\n",
           "pprof: what is only inlined keeps its mark", folded)


def check_inlined_firefox(folder):
    """The same of a file of the Firefox Profiler: one function, two frames."""
    thread = {"name": "app", "pid": "7", "tid": 7, "isMainThread": True,
              "samples": {"length": 2, "stack": [1, 2], "time": [0, 1], "weight": None,
                          "weightType": "samples"},
              "stackTable": {"length": 3, "frame": [0, 1, 2], "prefix": [None, 0, 0]},
              "frameTable": {"length": 3, "func": [0, 1, 1], "inlineDepth": [0, 0, 1]},
              "funcTable": {"length": 2, "name": [0, 1], "resource": [-1, -1]},
              "resourceTable": {"length": 0, "name": []}, "stringArray": ["f", "g"]}
    path = os.path.join(folder, "inlined.json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"meta": {"preprocessedProfileVersion": 48}, "threads": [thread]}, f)
    rows = json.loads(assay("report", "--json", path))["captures"][0]["rows"]
    self_of = [(r["symbol"], r["self"]) for r in rows if r["self"]]
    TAP.ok(self_of == [("g", 100)], "firefox: a function with frames of both kinds is one row", self_of)


def main():
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        for name, text in (("script", PERF_SCRIPT), ("graph", GRAPH), ("folded", FOLDED)):
            paths[name] = os.path.join(folder, name + ".txt")
            with open(paths[name], "w", encoding="utf-8") as f:
                f.write(text)
        check_pprof(paths, folder)
        check_speedscope(paths)
        check_firefox(paths)
        check_chrome(paths)
        check_chrome_nests(folder)
        check_perf_script(paths)
        check_units(paths, folder)
        check_inlined(folder)
        if HAS_JSON:
            check_inlined_firefox(folder)
            check_round_trips(paths, folder)
        else:
            print("# this build reads no JSON: no round trips")
    return TAP.end()


sys.exit(main())
