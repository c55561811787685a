#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Make function graphs with slow calls of known cause, and compare assay's result.

usage: gen-slow-calls.py --assay PROGRAM [--seeds N] [--first N] [--min-right PCT] [--verbose]
       gen-slow-calls.py --print SEED

Each seed is one trace: a few hundred calls of three made-up functions with
heavy-tailed work, the tracer's cost, and short interrupts; and one slow call of
each kind in KINDS, each in a function of its own so that none hides another.
Prints which cause was named for which one (the confusion table). Exit status 1:
fewer right than --min-right percent, or a cause that is wrong and said to be
certain.

The format is written here from the kernel's documentation of the tracer, not
from the reader's code, and the truth is what was planted, not what is printed.
"""
import argparse
import collections
import copy
import json
import random
import subprocess
import sys

# kind: causes of assay that are right
KINDS = {
    "own-time": {"own-time"},
    "slow-child": {"slow-child"},
    "deep-child": {"slow-child"},
    "rare-path": {"rare-path"},
    "more-calls": {"more-calls"},
    "sleep": {"sleep"},
    "switched": {"sleep"},
    "interrupt": {"interrupt"},
    "arrows": {"interrupt"},
    "hidden-interrupt": {"interrupt"},
    "allocation": {"allocation"},
    "lost-events": {"lost-events"},
    "sleep-below": {"sleep"},
    "switched-below": {"sleep"},
    "interrupt-below": {"interrupt"},
    # the cause, next to a decoy
    "own-time, short interrupt": {"own-time"},
    "own-time, short switch": {"own-time"},
    "slow child, new path": {"slow-child"},
    "slow child, short sleep": {"slow-child"},
    "new path, short refill": {"rare-path"},
}
SWITCHED = ("switched", "switched-below", "own-time, short switch")


class Call:
    def __init__(self, name, own, kids=(), before=None, after=None):
        self.name = name
        self.own = own
        self.kids = list(kids)
        self.before = before  # a line in front of it
        self.after = after  # a line behind it, inside its caller
        self.lost = False  # its calls below are not in the trace


class World:
    """One machine: functions, their durations, the tracer's cost."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.inside = self.r.uniform(30, 220)
        self.outside = self.r.uniform(150, 450)
        self.jitter = self.r.uniform(0.03, 0.4)
        self.tail = self.r.uniform(0.3, 1.6)  # sigma of the work's logarithm
        self.with_proc = self.r.random() < 0.5
        self.with_tail = self.r.random() < 0.5
        self.cpu = self.r.randrange(0, 64)
        self.clock = self.r.uniform(10, 90000) * 1e9
        self.pid = self.r.randrange(100, 99999)
        self.serial = 0

    def work(self, typical):
        """Work of a call: log-normal, and now and then far out (Pareto)."""
        ns = typical * self.r.lognormvariate(0, self.tail / 2)
        if self.r.random() < 0.01:
            ns += typical * min(self.r.paretovariate(1.1), 20)
        return ns

    def cost(self, ns):
        return ns * (1 + self.r.uniform(-self.jitter, self.jitter))

    def name(self, stem):
        self.serial += 1
        return f"{stem}_{self.serial:x}"


class Shape:
    """Usual work of a function: own work and callees, some of them optional."""

    def __init__(self, w, stem, depth):
        self.name = w.name(stem)
        self.typical = w.r.uniform(80, 900)
        self.kids = []
        if depth:
            for _ in range(w.r.randint(2, 4)):
                kid = Shape(w, w.r.choice(KID_STEMS), depth - 1 if w.r.random() < 0.6 else 0)
                times = w.r.choice((1, 1, 1, 2))
                chance = w.r.choice((1, 1, 1, 0.5))
                self.kids.append((kid, times, chance))

    def call(self, w):
        kids = []
        for kid, times, chance in self.kids:
            for _ in range(times):
                if w.r.random() < chance:
                    kids.append(kid.call(w))
        return Call(self.name, w.work(self.typical), kids)


BESIDE = {
    "own-time, short interrupt": ("own-time", "interrupt"),
    "own-time, short switch": ("own-time", "switched"),
    "slow child, new path": ("slow-child", "rare-path"),
    "slow child, short sleep": ("slow-child", "sleep"),
    "new path, short refill": ("rare-path", "allocation"),
}
KID_STEMS = ("mark_page", "touch_time", "walk_list", "put_ref", "check_mount", "copy_part", "hash_key",
             "find_slot", "queue_item", "flush_part", "test_bit", "read_seq")
ROOT_STEMS = ("vfs_fetch", "blk_push", "net_send", "inode_sync", "pipe_pull", "map_lookup")


def walk(call):
    yield call
    for kid in call.kids:
        yield from walk(kid)


def timer_interrupt(w, ns):
    """A timer interrupt as current x86 kernels show it."""
    inner = [Call("hrtimer_interrupt", ns * 0.5, [Call("tick_sched_handle", ns * 0.3)])]
    return [Call("irq_enter_rcu", 40), Call("__sysvec_apic_timer_interrupt", ns * 0.1, inner),
            Call("irq_exit_rcu", ns * 0.1)]


def deepest_path(shape, w):
    """Names down to some function at least two levels below."""
    path = []
    while shape.kids:
        always = [k for k in shape.kids if k[2] == 1 and k[1] == 1] or shape.kids
        below = [k for k in always if k[0].kids]
        shape = w.r.choice(below or always)[0]
        path.append(shape.name)
    return path


def find(call, path):
    for name in path:
        call = next((k for k in call.kids if k.name == name), None)
        if call is None:
            return None
    return call


def plant(w, kind, shape, call, much):
    """Make @call slow by about @much ns. Returns the function to blame, or None: this call cannot be."""
    spot = w.r.randint(0, len(call.kids))
    if kind == "own-time":
        call.own += much
        return call.name
    if kind in ("slow-child", "deep-child"):
        path = deepest_path(shape, w)
        path = path[:1] if kind == "slow-child" else path
        victim = find(call, path)
        if victim is None or (kind == "deep-child" and len(path) < 2):
            return None
        victim.own += much
        return victim.name
    if kind.endswith("-below"):
        victim = find(call, deepest_path(shape, w)[:w.r.randint(1, 2)])
        if victim is None or not victim.kids:
            return None
        return plant(w, kind[:-len("-below")], shape, victim, much)
    if ", " in kind:
        real, beside = BESIDE[kind]
        blame = plant(w, real, shape, call, much)
        if blame and plant(w, beside, shape, call, min(much / 20, 1500)):
            return blame
        return None
    if kind == "rare-path":
        rare = Call(w.name("repair_state"), much * 0.3, [Call(w.name("rebuild_part"), much * 0.7)])
        call.kids.insert(spot, rare)
        return rare.name
    if kind == "more-calls":
        always = [k for k in shape.kids if k[2] == 1]
        if not always:
            return None
        kid = w.r.choice(always)[0]
        each = []
        while sum(total(w, k) for k in each) < much:
            each.append(kid.call(w))
        at = next(i for i, k in enumerate(call.kids) if k.name == kid.name)
        call.kids[at:at] = each
        return kid.name
    if kind == "sleep":
        call.kids.insert(spot, Call("schedule", much, [Call("dequeue_entity", 300), Call("pick_next", 200)]))
        return "schedule"
    if kind == "switched":
        # the scheduler is not traced, but its event is
        if not call.kids:
            return None
        call.own += much
        call.switched = much
        return call.name
    if kind == "interrupt":
        call.kids[spot:spot] = timer_interrupt(w, much)
        return "__sysvec_apic_timer_interrupt"
    if kind == "arrows":
        irq = Call("smp_strange_vector", much * 0.2, [Call("do_strange_work", much * 0.8)])
        irq.before, irq.after = "==========>", "<=========="
        call.kids.insert(spot, irq)
        return irq.name
    if kind == "hidden-interrupt":
        call.own += much
        call.kids[spot:spot] = [Call("irq_enter_rcu", 60), Call("idle_cpu", 50)]
        return call.name
    if kind == "allocation":
        fill = Call("get_page_from_freelist", much * 0.3,
                    [Call("rmqueue_bulk", much * 0.5), Call("prep_new_page", much * 0.1)])
        call.kids.insert(spot, Call("__alloc_pages", much * 0.1, [fill]))
        return "__alloc_pages"
    call.own += much
    call.lost = True
    return call.name


def total(w, call):
    return w.inside + call.own + sum(total(w, k) + w.outside for k in call.kids)


class Printer:
    def __init__(self, w):
        self.w = w
        self.lines = ["# tracer: function_graph", "#"]
        self.printed = {}  # line: call
        if w.with_proc:
            self.lines += ["#     TIME        CPU  TASK/PID         DURATION                  FUNCTION CALLS",
                           "#      |          |     |    |           |   |                     |   |   |   |"]
        else:
            self.lines += ["# CPU  DURATION                  FUNCTION CALLS",
                           "# |     |   |                     |   |   |   |"]

    def head(self):
        if not self.w.with_proc:
            return f"{self.w.cpu:3d}) "
        return f"{self.w.clock / 1e9:12.6f} | {self.w.cpu:3d})  {f'loader-{self.w.pid}':^14}|"

    def took(self, ns):
        us = ns / 1000
        mark = next((m for limit, m in ((1e6, "$"), (1e5, "@"), (1e4, "*"), (1e3, "#"), (100, "!"), (10, "+"))
                     if us > limit), " ")
        digits = f"{us:.3f}"
        if len(digits) > 7:
            digits = digits[:max(7, len(str(int(us))) + (len(digits) > 8))].rstrip(".")
        return f"{mark} {digits} us"

    def line(self, depth, text, ns=None):
        column = " " * 12 if ns is None else f"{self.took(ns):<12}"
        self.lines.append(f"{self.head()}{column} |  {'  ' * depth}{text}")
        return len(self.lines)

    def extra(self, text):
        head = "" if not self.w.with_proc else f"{self.w.clock / 1e9:12.6f} | "
        self.lines.append(f"{head}{self.w.cpu:3d})   {text} |")

    def call(self, call, depth):
        """Print a call, moving the clock. Returns its printed duration and its first line."""
        w = self.w
        w.clock += w.cost(w.outside) / 2
        if call.before:
            self.extra(call.before)
        start = w.clock
        if not call.kids:
            w.clock += w.cost(w.inside) + call.own
            took = w.clock - start
            first = self.line(depth, f"{call.name}();", took)
        else:
            first = self.line(depth, f"{call.name}() {{")
            w.clock += w.cost(w.inside) / 2
            parts = len(call.kids) + 1
            switched = getattr(call, "switched", 0)
            for i, kid in enumerate(call.kids):
                w.clock += (call.own - switched) / parts
                if call.lost and i == len(call.kids) // 2:
                    w.clock += sum(total(w, k) for k in call.kids[i:])
                    self.lines.append(f" CPU:{w.cpu} [LOST {w.r.randint(20, 9000)} EVENTS]")
                    break
                if switched and i == parts // 2:
                    self.switch(depth + 1, switched)
                    switched = 0
                self.call(kid, depth + 1)
            if switched:
                self.switch(depth + 1, switched)
            w.clock += (call.own - getattr(call, "switched", 0)) / parts + w.cost(w.inside) / 2
            took = w.clock - start
            tail = f" /* {call.name} */" if w.with_tail else ""
            self.line(depth, "}" + tail, took)
        if call.after:
            self.extra(call.after)
        w.clock += w.cost(w.outside) / 2
        self.printed[first] = call
        return took, first

    def switch(self, depth, ns):
        w = self.w
        mine = f"prev_comm=loader prev_pid={w.pid} prev_prio=120 prev_state=S ==> next_comm=other next_pid=7 next_prio=120"
        other = f"prev_comm=other prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=loader next_pid={w.pid} next_prio=120"
        self.line(depth, f"/* sched_switch: {mine} */")
        w.clock += ns
        self.line(depth, f"/* sched_switch: {other} */")


def make(seed):
    w = World(seed)
    out = Printer(w)
    truth = []
    for kind in KINDS:
        if kind in SWITCHED and not w.with_proc:
            continue
        shape = Shape(w, w.r.choice(ROOT_STEMS), w.r.randint(2, 3))
        n = w.r.randint(60, 180)
        calls = [shape.call(w) for _ in range(n)]
        typical = sorted(total(w, c) for c in calls)[n // 2]
        much = typical * w.r.uniform(4, 40) + 20 * (w.inside + w.outside)
        order = list(range(n))
        w.r.shuffle(order)
        blame = None
        for at in order:
            spare = copy.deepcopy(calls[at])
            blame = plant(w, kind, shape, calls[at], much)
            if blame:
                break
            calls[at] = spare
        for i, call in enumerate(calls):
            # decoys: short interrupts that explain nothing
            if i != at and w.r.random() < 0.01 and call.kids:
                call.kids[0:0] = timer_interrupt(w, w.r.uniform(300, 900))
            first = out.call(call, 0)[1]
            if i == at and blame:
                truth.append((kind, first, call.name, blame))
    return "\n".join(out.lines) + "\n", truth, out.printed


def judge(row, kind, blame):
    if row is None:
        return "not found", False, False
    right = row["cause"] in KINDS[kind]
    if right and row["cause"] in ("slow-child", "rare-path", "more-calls"):
        right = row["because"]["symbol"] == blame
    return row["cause"], right, bool(row.get("certain"))


def is_true(row, printed):
    """Is the finding about a call without a planted defect right?"""
    blamed = printed.get(row["because"].get("line"))
    if row["cause"] in ("own-time", "slow-child") and blamed:
        # work in it is most of what is to be explained; the rest is the tracer's
        did = blamed.own if row["cause"] == "own-time" else sum(k.own for k in walk(blamed))
        return did >= 0.4 * (row["total_ns"] - row["typical_ns"])
    return row["cause"] not in ("sleep", "lost-events", "allocation")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--assay")
    p.add_argument("--seeds", type=int, default=20)
    p.add_argument("--first", type=int, default=1)
    p.add_argument("--min-right", type=float, default=95)
    p.add_argument("--print", type=int, dest="show")
    p.add_argument("--verbose", action="store_true")
    a = p.parse_args()
    if a.show is not None:
        text, truth, _ = make(a.show)
        sys.stdout.write(text)
        print(truth, file=sys.stderr)
        return 0
    table = collections.Counter()
    planted = right = wrong_certain = stray = stray_wrong = 0
    for seed in range(a.first, a.first + a.seeds):
        text, truth, printed = make(seed)
        run = subprocess.run([a.assay, "calls", "--json", "-"], input=text.encode(), capture_output=True, check=True)
        rows = [r for c in json.loads(run.stdout)["captures"] for r in c["slow_calls"]]
        by_line = {r["line"]: r for r in rows}
        lines = {t[1] for t in truth}
        for kind, line, name, blame in truth:
            cause, ok, certain = judge(by_line.get(line), kind, blame)
            planted += 1
            right += ok
            wrong_certain += certain and not ok
            table[kind, cause if ok or cause == "not found" else cause + " (wrong)"] += 1
            if a.verbose and not ok:
                print(f"# seed {seed} L{line} {name}: planted {kind} {blame}, said {by_line.get(line)}")
        for row in rows:
            if row["line"] in lines:
                continue
            # work that is far out by itself, or a part of a planted call: never one of these
            stray += 1
            bad = row.get("certain") and not is_true(row, printed)
            stray_wrong += bool(bad)
            if a.verbose and bad:
                print(f"# seed {seed} stray {row}")
    for kind in KINDS:
        said = {c: n for (k, c), n in table.items() if k == kind}
        print(f"# {kind:<26}" + ", ".join(f"{c} {n}" for c, n in sorted(said.items(), key=lambda i: -i[1])))
    pct = 100 * right / planted
    print(f"# {right} of {planted} right ({pct:.1f} %), {wrong_certain} wrong and certain, "
          f"{stray} other slow calls told, {stray_wrong} of them wrong and certain")
    ok = pct >= a.min_right and wrong_certain == 0 and stray_wrong == 0
    print(f"{'ok' if ok else 'not ok'} 1 - the cause of slow calls is named\n1..1")
    return 0 if ok else 1


sys.exit(main())
