#!/usr/bin/env python3
"""Every published figure of the samples, checked on assay's JSON output.

tests/data/key_numbers.json holds figures that were found by other means. Each is
looked up here in `assay ... --json` of the sample; what is not looked up is listed
by name at the end and fails. Where the originals are at hand (ASSAY_SHARED) they
are checked as well: the samples must not differ from them in any figure. TAP on stdout.
"""
import collections
import glob
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from tap import Tap  # noqa: E402

SOURCE = os.environ.get("ASSAY_SOURCE") or os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
ASSAY = os.environ.get("ASSAY") or os.path.join(SOURCE, "build", "assay")
SHARED = os.environ.get("ASSAY_SHARED") or os.path.join(SOURCE, "..", "shared")
SAMPLES = {
    "000": "consensus-io_uring.perf-report.txt",
    "001": "ovsdb-raft-mail.txt",
    "002": "udp_sendmsg.funcgraph.txt",
    "003": "sendto-sockmap.ftrace.txt",
    "004": "af_packet.metrics.txt",
}


TAP = Tap()


def assay(*words):
    done = subprocess.run([ASSAY, *words], stdout=subprocess.PIPE, check=False)
    return done.stdout.decode("utf-8", "replace")


def assay_json(*words):
    text = assay(*words)
    return json.loads(text) if text.strip() else {"captures": []}


def close(a, b, eps=1e-9):
    if isinstance(a, bool) or isinstance(b, bool) or isinstance(a, str) or isinstance(b, str):
        return a == b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return abs(a - b) <= eps * max(1, abs(a), abs(b))
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(close(x, y, eps) for x, y in zip(a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(close(a[k], b[k], eps) for k in a)
    return a == b


class Check:
    """The figures of one part; `key(...)` compares and remembers that it was looked up."""

    def __init__(self, part, want, label):
        self.part, self.want, self.label = part, want, label
        self.left = set(want)

    def key(self, key, got, eps=1e-9):
        self.left.discard(key)
        want = self.want[key]
        TAP.ok(close(got, want, eps), "%s %s %s" % (self.label, self.part, key),
               "want %s\ngot  %s" % (json.dumps(want)[:1500], json.dumps(got)[:1500]))

    def finish(self):
        TAP.ok(not self.left, "%s %s: every figure is looked up" % (self.label, self.part),
               "not looked up: " + ", ".join(sorted(self.left)))


def cents(values):
    """Sum of figures with two decimals, without drift."""
    return round(sum(round(v * 100) for v in values)) / 100


def sums(rows, key):
    n, total = collections.Counter(), collections.defaultdict(list)
    for row in rows:
        n[key(row)] += 1
        total[key(row)].append(row["self"])
    return {k: [n[k], cents(total[k])] for k in n}


# The trees below printed rows ---------------------------------------------------------------

def tree_figures(model, lines):
    """Counts of lines in the trees, from the model's nodes and the original lines."""
    nodes = model["nodes"]
    frames = [n for n in nodes if not n.get("other")]
    by_line = {n["line"]: n for n in nodes}
    rows = sorted(model["rows"], key=lambda r: r["line"])
    row_lines = {r["line"] for r in rows}
    spacer = root = 0
    last = max(by_line, default=0)
    first_row = rows[0]["line"] if rows else 0
    for number in range(first_row, last + 1):
        text = lines[number - 1]
        if number in by_line or number in row_lines or not text.strip():
            continue
        spacer += not text.replace("|", "").strip()
    depth, leaves, deepest = {}, 0, 0
    parents = {n["parent"] for n in nodes if n["parent"] is not None}
    for i, n in enumerate(nodes):
        depth[i] = 1 if n["parent"] is None else depth[n["parent"]] + 1
        deepest = max(deepest, depth[i])
        leaves += i not in parents
        root += not n["printed"] and lines[n["line"] - 1].lstrip(" |").startswith("---")
    branch = sum(n["printed"] for n in nodes)
    return {
        "branch": branch, "root": root, "continuation": len(nodes) - branch - root,
        "spacer": spacer, "tree_lines": len(nodes) + spacer, "leaves": leaves, "deepest": deepest,
        "frames": len(nodes), "raw_address_frames":
            sum(bool(re.fullmatch(r"0x[0-9a-f]+|0", n["symbol"])) for n in frames),
    }


# 000: the report of the consensus replica ------------------------------------------------------

# Functions by purpose in this program, as a person sorted them; first match wins.
KERNEL_GROUPS = [
    ("kernel.syscall_boundary",
     r"syscall_exit_to_user_mode|__entry_text_start|syscall_return_via_sysret|entry_SYS.*|"
     r"do_syscall_64|syscall_enter_from_user_mode|exit_to_user_mode_prepare|"
     r"fpregs_assert_state_consistent"),
    ("kernel.epoll_core",
     r"ep_.*|__x64_sys_epoll_wait|_raw_write_(un)?lock_irq|__put_user_nocheck_[48]|"
     r"do_epoll_wait|__fget_light|eventfd_poll|mutex_(un)?lock|__fdget|__cond_resched|__pm_relax"),
    ("kernel.epoll_timeout_timekeeping",
     r"ktime_get_ts64|select_estimate_accuracy|read_tsc|timespec64_add_safe|"
     r"set_normalized_timespec64"),
    ("kernel.retpoline_thunk", r"__x86_indirect_thunk_rax"),
    ("kernel.eventfd_signal", r"eventfd_signal"),
    ("kernel.driver_mlx5", r"mlx5.*"),
    ("kernel.tc_bpf", r".*tcf_.*|cls_bpf.*|bpf_skb_pull_data"),
    ("kernel.io_uring",
     r"(.*_)?io_.*|.*io_uring.*|get_signal|tctx_task_work|task_work_run|handle_tw_list|"
     r"ctx_flush_and_put|kthread_blkcg"),
    ("kernel.memory",
     r".*kmalloc.*|copy_user.*|.*slab.*|kmem_cache.*|check_heap_object|(__)?ksize|"
     r"mem(set|cpy)_erms|check_stack_object|.*virt_addr.*|__check_object.*|clear_page.*|kfree|"
     r".*memcg|rmqueue.*|get_page_from_freelist|free_unref.*|page_frag_free|is_vmalloc_addr|"
     r"vmalloc_to_page|_copy_from_iter|__import_iovec|iov_iter_init|cmpxchg_double.*|"
     r"__count_memcg_events"),
    ("kernel.net_stack",
     r".*skb.*|.*udp.*|.*_?ip_.*|ip.*|aa_sk.*|fib_.*|.*sock.*|.*sendmsg.*|.*recvmsg.*|neigh.*|"
     r".*xmit.*|(__)?qdisc.*|dma_.*|inet.*|xfrm.*|.*msghdr.*|nf_hook_slow|move_addr.*|"
     r"eth_header|siphash.*|__mkroute.*|security_s.*|(__)?netif.*|.*local_bh.*|dev_.*|ipv4.*|"
     r"import_iovec|__wake_up_common"),
    ("kernel.other_or_startup", r".*"),
]
MODULE_GROUPS = [
    ("libevent", r"libevent.*"), ("libc", r"libc\.so.*"), ("vdso", r"\[vdso\]"),
    ("libstdc++", r"libstdc.*"), ("bpf_prog", r"bpf_prog_.*"), ("libprotobuf", r"libprotobuf.*"),
    ("ld.so", r"ld-linux.*"),
]
SPIN = ["kernel.syscall_boundary", "kernel.retpoline_thunk", "kernel.epoll_timeout_timekeeping",
        "kernel.epoll_core", "libevent", "libc", "vdso", "replica.RingCallback",
        "liburing.peek_batch_cqe"]
PROTOCOL = ["replica.protocol_and_transport", "libprotobuf", "libstdc++", "bpf_prog",
            "kernel.net_stack", "kernel.io_uring", "kernel.driver_mlx5", "kernel.tc_bpf",
            "kernel.memory", "kernel.eventfd_signal", "liburing.other"]
CATEGORY_OF_MODULE = [
    ("kernel", r"\[kernel.*"), ("libevent", r"libevent.*"), ("libc", r"libc\..*"),
    ("replica", r"replica"), ("liburing", r"liburing.*"), ("vdso", r"\[vdso\]"),
    ("libstdc++", r"libstdc.*"), ("bpf_prog", r"bpf_prog.*"), ("libprotobuf", r"libprotobuf.*"),
    ("ld.so", r"ld-linux.*"),
]


def first_match(table, text):
    return next(name for name, pattern in table if re.fullmatch(pattern, text))


def is_address(symbol):
    return re.fullmatch(r"0x[0-9a-f]+", symbol) is not None


def group_000(row):
    dso, symbol = row["dso"], row["symbol"]
    if dso == "[kernel.kallsyms]":
        return first_match(KERNEL_GROUPS, symbol)
    if dso == "replica":
        return ("replica.unsymbolised" if is_address(symbol) else
                "replica.RingCallback" if symbol == "UDPTransport::RingCallback" else
                "replica.protocol_and_transport")
    if dso.startswith("liburing"):
        return ("liburing.peek_batch_cqe" if symbol == "io_uring_peek_batch_cqe" else
                "liburing.other")
    return first_match(MODULE_GROUPS, dso)


def check_000(want, path, label):
    c = Check("000", want, label)
    info = assay_json("info", "--json", path)["inputs"][0]
    cap = assay_json("report", "--json", "--no-children", path)["captures"][0]
    model = assay_json("convert", "--to", "json", path)["captures"][0]
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    rows = cap["rows"]
    c.key("lines", info["lines"])
    c.key("rows", len(rows))
    c.key("rows_zero", sum(r["self"] == 0 for r in rows))
    c.key("rows_with_tree", sum("first_node" in r for r in model["rows"]))
    c.key("sum_overhead", cents(r["self"] for r in rows))
    TAP.ok(close(cap["total"], want["sum_overhead"]), label + " 000 total is the sum",
           str(cap["total"]))
    TAP.ok(close(cap["zero_rows"], want["rows_zero"]), label + " 000 zero_rows",
           str(cap["zero_rows"]))
    # perf's letter k is also that of BPF programs
    c.key("sum_k", cents(r["self"] for r in rows if r["space"] in ("kernel", "bpf")))
    c.key("sum_dot", cents(r["self"] for r in rows if r["space"] not in ("kernel", "bpf")))
    c.key("lost", cap["lost"])
    c.key("event", cap["event"])
    c.key("event_count", cap["event_count"])
    c.key("samples_text", "%dK" % (cap["samples"] / 1000) if cap["samples_err"] == 500 else "?")
    c.key("by_dso", {d["dso"]: [d["rows"], round(d["self"], 2)] for d in cap["by_dso"]})
    TAP.ok(sums(rows, lambda r: r["dso"]) == {k: list(v) for k, v in want["by_dso"].items()},
           label + " 000 by_dso is the sum of its rows", "")
    c.key("by_category", sums(rows, lambda r: first_match(CATEGORY_OF_MODULE, r["dso"])))
    c.key("by_comm", {d["comm"]: [d["rows"], round(d["self"], 2)] for d in cap["by_comm"]})
    trees = tree_figures(model, lines)
    for key in ("tree_lines", "branch", "root", "continuation", "spacer", "leaves", "deepest",
                "raw_address_frames"):
        c.key(key, trees[key])
    raw = [r["self"] for r in rows if is_address(r["symbol"])]
    c.key("unsymbolised", [len(raw), cents(raw)])
    groups = sums(rows, group_000)
    c.key("groups", {k: v[1] for k, v in groups.items()})
    c.key("spin_pct", cents(groups[g][1] for g in SPIN))
    protocol = cents(groups[g][1] for g in PROTOCOL)
    c.key("protocol_pct", protocol)
    c.key("protocol_pct_upper",
          round(protocol + 0.005 * sum(groups[g][0] for g in PROTOCOL) + 1e-9, 2), eps=0.004)
    c.key("top10", [[round(r["self"], 2), r["symbol"]] for r in rows[:10]])
    per = assay_json("report", "--json", "--per", "requests", path)["captures"][0]["per"]
    TAP.ok(close(per["total"], 61307230094 / 10000), label + " 000 cycles a request",
           json.dumps(per))
    TAP.ok(cap["facts"].get("requests") == 10000 and cap["facts"].get("replicas") == 3,
           label + " 000 facts", json.dumps(cap["facts"]))
    c.finish()


# 001: the mail ---------------------------------------------------------------------------------

def of_format(captures, *names):
    return [c for c in captures if c["format"] in names]


def check_001_attachment(want, path, label, lines):
    c = Check("001_attachment", want, label)
    caps = [x for x in assay_json("report", "--json", path)["captures"]
            if x["kind"] == "profile" and "excerpt_of" not in x]
    models = [x for x in assay_json("convert", "--to", "json", path)["captures"]
              if x["kind"] == "profile"]
    TAP.ok(len(caps) == 1 and len(models) == 1, label + " 001 holds one whole report",
           "%d and %d" % (len(caps), len(models)))
    cap, model = caps[0], models[0]
    stacks = []
    for line in assay("convert", "--to", "folded", path).splitlines():
        frames, count = line.rsplit(" ", 1)
        stacks.append((frames.split(";"), int(count)))
    folded_model = {}
    for node in range(len(model["stacks"])):
        folded_model[node] = model["stacks"][node]
    rows = cap["rows"]
    c.key("first_line", cap["source"]["first_line"])
    c.key("rows", len(rows))
    c.key("rows_with_self", sum(r["self"] > 0 for r in rows))
    c.key("samples", sum(n for _, n in stacks))
    TAP.ok(cap["samples"] == want["samples"] and cap["samples_err"] == 0,
           label + " 001 samples of the header", str(cap["samples"]))
    c.key("event", cap["event"])
    c.key("event_count", cap["event_count"])
    c.key("hz_approx", round(1e9 / (cap["event_count"] / cap["samples"])))
    leaf_of_dso = collections.Counter()
    for sample in model["samples"]:
        leaf_of_dso[folded_model[sample["stack"]].get("dso", "?")] += sample["weight"]
    rows_of_dso = collections.Counter(r["dso"] for r in rows)
    c.key("self_by_dso", {d: [rows_of_dso[d], leaf_of_dso[d]] for d in rows_of_dso})
    trees = tree_figures(model, lines)
    for key in ("tree_lines", "branch", "root", "continuation", "spacer", "leaves", "deepest"):
        c.key(key, trees[key])
    c.key("children_sum_pct", cents(r["children"] for r in rows))
    c.key("distinct_stacks", len({tuple(f) for f, _ in stacks}))
    TAP.ok(cap["stacks"]["count"] == want["distinct_stacks"] and cap["stacks"]["exact"],
           label + " 001 stacks are exact", json.dumps(cap["stacks"]))
    c.key("mismatches", cap["stacks"]["rows_checked"] - cap["stacks"]["rows_matching"])
    TAP.ok(cap["stacks"]["rows_checked"] == want["rows"], label + " 001 all rows were checked", "")

    def under(*names):
        return sum(n for f, n in stacks if set(names) & set(f))

    def leaf(*names):
        return sum(n for f, n in stacks if f[-1] in names)

    total = sum(n for _, n in stacks)
    core = under("do_coredump")
    space = {i: s.get("space") for i, s in folded_model.items()}
    user = sum(s["weight"] for s in model["samples"] if space[s["stack"]] == "user")
    snapshot = sum(n for f, n in stacks if "main" in f and
                   f.index("main") + 1 < len(f) and f[f.index("main") + 1] == "ovsdb_snapshot")
    c.key("groups", {
        "inside do_coredump (process already aborted)": core,
        "memcpy_erms copying dump pages into the pipe": leaf("memcpy_erms"),
        "pipe_write and below": under("pipe_write"),
        "dump_emit and below": under("dump_emit"),
        "get_dump_page and below": under("get_dump_page"),
        "not in core dump (live work)": total - core,
        "under main->ovsdb_snapshot (all)": snapshot,
        "ovsdb_snapshot but not core dump": snapshot - core,
        "raft_run": under("raft_run"),
        "raft_send_heartbeats": under("raft_send_heartbeats"),
        "poll_block": under("poll_block"),
        "cp_start_xmit (8139cp driver transmit, leaf)": leaf("cp_start_xmit"),
        "8139cp driver (cp_start_xmit or cp_rx_poll as leaf)": leaf("cp_start_xmit", "cp_rx_poll"),
        "softirq (__do_softirq)": under("__do_softirq"),
        "hard interrupt entry (ret_from_intr)": under("ret_from_intr"),
        "malloc family as leaf (malloc,_int_malloc,_int_free,realloc)":
            leaf("malloc", "_int_malloc", "_int_free", "realloc"),
        "user mode leaf": user,
        "kernel mode leaf": total - user,
    })
    leaves, below = collections.Counter(), collections.Counter()
    for frames, n in stacks:
        leaves[frames[-1]] += n
        at = frames.index("main") if "main" in frames else len(frames)
        if at + 1 < len(frames):
            below[frames[at + 1]] += n
    c.key("leaf_counts", dict(leaves))
    c.key("children_of_main", dict(below))
    c.finish()


def check_001_inline(want, path, label):
    c = Check("001_inline", want, label)
    caps = assay_json("report", "--json", path)["captures"]
    cap = [x for x in caps if x["kind"] == "profile" and "excerpt_of" in x]
    TAP.ok(len(cap) == 1, label + " 001 holds one excerpt", str(len(cap)))
    cap = cap[0]
    TAP.ok(cap["source"]["first_line"] == 13 and cap["source"]["last_line"] == 133,
           label + " 001 the excerpt is lines 13-133", json.dumps(cap["source"]))
    number = caps.index(cap) + 1
    model = assay_json("convert", "--to", "json", "--capture", str(number), path)["captures"][0]
    joined = [s["count"] for s in cap["skipped"] if "join" in s["counter"] or
              "wrap" in s["counter"]]
    depth = {}
    for i, n in enumerate(model["nodes"]):
        depth[i] = 1 if n["parent"] is None else depth[n["parent"]] + 1
    c.key("rows", len(cap["rows"]))
    c.key("wrapped", sum(joined))
    c.key("frames", len(model["nodes"]))
    c.key("children_sum", cents(r["children"] for r in cap["rows"]))
    c.key("self_sum", cents(r["self"] for r in cap["rows"]))
    c.key("deepest", max(depth.values()))
    c.finish()


LEVELS = {"info": "INFO", "warning": "WARN", "error": "ERR", "emergency": "EMER",
          "none": "(missing)"}


def check_001_log(want, path, label):
    c = Check("001_log", want, label)
    caps = assay_json("report", "--json", path)["captures"]
    logs = of_format(caps, "ovs-vlog")
    kernel = of_format(caps, "kernel-log")
    add = collections.Counter
    levels, modules, sources, dropped = add(), add(), add(), add()
    for log in logs:
        for x in log["by_level"]:
            levels[LEVELS[x["level"]]] += x["records"]
        for x in log["by_module"]:
            modules[x["module"]] += x["records"]
        for x in log["by_process_node"]:
            sources["%s@%s" % (x.get("process", "?"), x.get("node", "?"))] += x["records"]
        for x in log["dropped"]["by"]:
            dropped["%s@%s %s" % (x.get("process", "?"), x.get("node", "?"), x["module"])] += \
                x["dropped"]
    c.key("records", sum(x["records"] for x in logs))
    c.key("truncated", sum(x["truncated"] for x in logs))
    c.key("physical_lines", sum(x["record_lines"] for x in logs))
    c.key("by_level", dict(levels))
    c.key("by_module", dict(modules))
    c.key("by_process_node", dict(sources))
    c.key("streams", sum(len(x["streams"]) for x in logs))
    c.key("dropped_total", sum(x["dropped"]["messages"] for x in logs))
    c.key("dropped", dict(dropped))
    c.key("prerequisite", sum(x["prerequisites"] for x in logs))
    c.key("elections", sum(len(x["elections"]) for x in logs))
    c.key("crashes", sum(len(x["crashes"]) for x in logs))
    offsets = {x["offset"] for k in kernel + logs for x in k["segfaults"]}
    faults = sum(len(k["segfaults"]) for k in kernel + logs)
    TAP.ok(faults == 3, label + " 001 segfaults", str(faults))
    c.key("dmesg_offset", offsets.pop() if len(offsets) == 1 else sorted(offsets))
    c.finish()


# 002, 003: function graphs -----------------------------------------------------------------------

# Patterns for `assay calls --total`. A name that ends in a module takes "* [module]".
TOTALS_002 = {
    "netfilter: nf_hook_slow and below": "nf_hook_slow",
    "netfilter: nf_iterate and below": "nf_iterate",
    "netfilter hook functions (children of nf_iterate)":
        "ipv4_conntrack_defrag|ipv4_conntrack_local|nf_nat_ipv4_local_fn|iptable_filter_hook|"
        "nf_nat_ipv4_out|ipv4_helper|ipv4_confirm",
    "conntrack hooks (ipv4_conntrack_defrag/local, ipv4_helper, ipv4_confirm)":
        "ipv4_conntrack_defrag|ipv4_conntrack_local|ipv4_helper|ipv4_confirm",
    "conntrack module code wherever called, also from NAT (nf_conntrack, nf_conntrack_ipv4, "
    "nf_defrag_ipv4; topmost)":
        "* [nf_conntrack]|* [nf_conntrack_ipv4]|* [nf_defrag_ipv4]",
    "NAT hooks (nf_nat_ipv4_local_fn, nf_nat_ipv4_out)": "nf_nat_ipv4_local_fn|nf_nat_ipv4_out",
    "nf_nat_setup_info": "nf_nat_setup_info",
    "iptables rule evaluation: ipt_do_table": "ipt_do_table",
    "iptable_filter hook": "iptable_filter_hook",
    "vxlan: vxlan_xmit and below": "vxlan_xmit",
    "vxlan module topmost incl. destructor vxlan_sock_free outside vxlan_xmit": "* [vxlan]",
    "route lookup for outer header: ip_route_output_flow": "ip_route_output_flow",
    "GSO/UFO segmentation: __skb_gso_segment": "__skb_gso_segment",
    "of which skb_segment": "skb_segment",
    "checksum: skb_checksum": "skb_checksum",
    "driver igb: igb_xmit_frame": "igb_xmit_frame",
    "memory: allocation topmost incl. __alloc_skb/sk_page_frag_refill/ct alloc helpers":
        "__alloc_skb|sk_page_frag_refill|__nf_conntrack_alloc|nf_ct_ext_create|__krealloc|"
        "kmem_cache_alloc*|__kmalloc*|alloc_pages_current",
    "memory: allocator proper topmost (kmem_cache_alloc*, __kmalloc*, __krealloc, "
    "alloc_pages_current)": "kmem_cache_alloc*|__kmalloc*|__krealloc|alloc_pages_current",
    "memory: free topmost": "consume_skb|kfree*|kfree_skb*",
    "locking+bh: _raw_* , local_bh_*, lock_timer_base (topmost)":
        "_raw_*|local_bh_*|lock_timer_base",
    "locking: _raw_* only (topmost)": "_raw_*",
    "bh: local_bh_* only (all)": "local_bh_*",
    "timers: add_timer/mod_timer/mod_timer_pending/neigh_add_timer/init_timer_key":
        "add_timer|mod_timer|mod_timer_pending|neigh_add_timer|init_timer_key",
    "neighbour: __neigh_event_send": "__neigh_event_send",
    "wakeup: __wake_up_sync_key": "__wake_up_sync_key",
    "wakeup: sock_wfree and below": "sock_wfree",
    "qdisc: sch_direct_xmit and below": "sch_direct_xmit",
    "lockdep/debug functions": "*lockdep*|do_raw_*|__might_*|fs_reclaim_*|rcu_read_lock_held",
    "BPF": "*bpf*",
    "inner stack: ip_make_skb": "ip_make_skb",
}
TOTALS_003 = {
    "netfilter": "nf_*|* [nf_*]|ipt_*",
    "conntrack": "*conntrack*|nf_ct_*",
    "NAT": "nf_nat_*",
    "vxlan": "vxlan*",
    "GSO": "*gso*",
    "driver": "*_xmit_frame|* [igb]|mlx5*",
    "memory: sk_msg_alloc": "sk_msg_alloc",
    "memory: page allocator (alloc_pages_noprof)": "alloc_pages_noprof",
    "memory: slab (__kmalloc_cache_noprof)": "__kmalloc_cache_noprof",
    "memory: socket accounting (__sk_mem_schedule, sk_msg_return)":
        "__sk_mem_schedule|sk_msg_return",
    "memory: __mod_zone_page_state": "__mod_zone_page_state",
    "memory allocation topmost (sk_msg_alloc + __kmalloc_cache_noprof)":
        "sk_msg_alloc|__kmalloc_cache_noprof",
    "copy from user: sk_msg_memcopy_from_iter": "sk_msg_memcopy_from_iter",
    "socket lock: lock_sock_nested + release_sock (topmost)": "lock_sock_nested|release_sock",
    "locking: _raw_* topmost": "_raw_*",
    "locking: lock_sock_nested/release_sock/_raw_* topmost":
        "lock_sock_nested|release_sock|_raw_*",
    "bh: __local_bh_*": "__local_bh_*",
    "lockdep/debug functions (topmost): *lockdep*, do_raw_*, __might_*, fs_reclaim_*, "
    "rcu_read_lock_held": "*lockdep*|do_raw_*|__might_*|fs_reclaim_*|rcu_read_lock_held",
    "do_raw_* (CONFIG_DEBUG_SPINLOCK out-of-line)": "do_raw_*",
    "rcu_read_lock_held (CONFIG_PROVE_RCU)": "rcu_read_lock_held",
    "fs_reclaim_acquire/release (CONFIG_LOCKDEP)": "fs_reclaim_*",
    "__might_fault": "__might_fault",
    "RCU: __rcu_read_lock/unlock": "__rcu_read_lock|__rcu_read_unlock",
    "preemption points: __cond_resched": "__cond_resched",
    "BPF verdict: sk_psock_msg_verdict": "sk_psock_msg_verdict",
    "bpf_msg_redirect_hash": "bpf_msg_redirect_hash",
    "redirect: tcp_bpf_sendmsg_redir": "tcp_bpf_sendmsg_redir",
    "wakeup: sock_def_readable": "sock_def_readable",
    "wakeup: __wake_up_sync_key": "__wake_up_sync_key",
    "wakeup: try_to_wake_up": "try_to_wake_up",
    "wakeup: IPI (ttwu_queue_wakelist)": "ttwu_queue_wakelist",
    "wakeup: default_send_IPI_single_phys": "default_send_IPI_single_phys",
    "interrupt residue: irq_enter_rcu, idle_cpu": "irq_enter_rcu|idle_cpu",
}


class Graph:
    """The calls of the model, as a tree."""

    def __init__(self, calls):
        self.calls = calls
        self.below = collections.defaultdict(list)
        for i, call in enumerate(calls):
            if call["parent"] is not None:
                self.below[call["parent"]].append(i)

    def gap(self, i):
        """Time of a call that its direct callees do not have."""
        return self.calls[i]["duration_ns"] - sum(self.calls[k]["duration_ns"]
                                                  for k in self.below[i])

    def parent_name(self, i):
        parent = self.calls[i]["parent"]
        return self.calls[parent]["symbol"] if parent is not None else ""


def special_totals(graph, root_ns):
    """Groups that are a place in the graph, not a pattern of names."""
    def entry(chosen):
        ns = sum(graph.calls[i]["duration_ns"] for i in chosen)
        return [len(chosen), ns / 1000, round(100 * ns / root_ns, 3)]

    def has_above(i, name):
        while i is not None and graph.calls[i]["symbol"] != name:
            i = graph.calls[i]["parent"]
        return i is not None

    device = [i for i, c in enumerate(graph.calls) if c["symbol"] == "dev_hard_start_xmit" and
              any(graph.calls[k]["symbol"] == "vxlan_xmit" for k in graph.below[i])]
    outer = [i for i, c in enumerate(graph.calls) if c["symbol"] == "ip_local_out" and
             has_above(i, "vxlan_xmit_one")]
    return {
        "vxlan: everything below dev_hard_start_xmit of the vxlan device": entry(device),
        "outer IP path: ip_local_out below vxlan_xmit_one": entry(outer),
    }


def check_calls(part, want, path, label, patterns):
    c = Check(part, want, label)
    words = [w for pattern in patterns.values() for w in ("--total", pattern)]
    page = assay_json("calls", "--json", *words, path)
    cap = page["captures"][0]
    graph = Graph(assay_json("convert", "--to", "json", path)["captures"][0]["calls"])
    root = cap["roots"][0]
    functions = {f["symbol"]: f for f in cap["functions"]}
    c.key("root", root["symbol"])
    c.key("root_us", root["total_ns"] / 1000)
    c.key("calls", cap["calls"])
    c.key("leaf", cap["leaf"])
    c.key("nested", cap["nested"])
    c.key("functions", len(cap["functions"]))
    c.key("max_depth_root0", cap["max_depth"])
    c.key("root_self_us", functions[root["symbol"]]["self_ns"] / 1000)
    ns = [call["duration_ns"] for call in graph.calls]
    # the mark is a function of the duration: + above 10 us, ! above 100 us
    c.key("marks", {"+": sum(10000 < n <= 100000 for n in ns), "!": sum(n > 100000 for n in ns)})
    c.key("children", [[graph.calls[i]["symbol"], graph.calls[i]["duration_ns"] / 1000,
                        round(100 * graph.calls[i]["duration_ns"] / root["total_ns"], 3)]
                       for i in graph.below[0]])
    c.key("modules", {m["module"]: [m["calls"], m["self_ns"] / 1000, m["total_ns"] / 1000]
                      for m in cap["by_module"]})
    leaf_min = min(call["duration_ns"] for call in graph.calls if call["leaf"])
    gap_min = min(graph.gap(i) for i in range(len(ns)) if len(graph.below[i]) == 1)
    c.key("leaf_min_us", leaf_min / 1000)
    c.key("one_child_gap_min_us", gap_min / 1000)
    # overhead = calls * cheapest leaf + (calls - 1) * (cheapest wrapper - cheapest leaf)
    overhead = len(ns) * leaf_min + (len(ns) - 1) * (gap_min - leaf_min)
    c.key("overhead_us_approx", overhead / 1000)
    c.key("net_us_approx", (root["total_ns"] - overhead) / 1000)
    got = special_totals(graph, root["total_ns"]) if part == "002" else {}
    for name, total in zip(patterns, page["totals"]):
        # "(all)" counts every call; there none of these calls another
        got[name] = [total["topmost"], total["total_ns"] / 1000, round(total.get("pct", 0), 3)]
    for name in want["categories"]:
        if name not in got:
            got[name] = None
    for name in sorted(want["categories"]):
        TAP.ok(close(got[name], want["categories"][name]),
               "%s %s category %s" % (label, part, name),
               "want %s\ngot  %s" % (want["categories"][name], got[name]))
    c.left.discard("categories")
    top = sorted(cap["functions"], key=lambda f: -f["self_ns"])[:len(want["top_self"])]
    c.key("top_self", [[f["symbol"], f["calls"], f["self_ns"] / 1000] for f in top])
    TAP.ok(sum(f["self_ns"] for f in cap["functions"]) == root["total_ns"],
           "%s %s self times add up to the root" % (label, part), "")
    c.finish()


# 004: the table of metrics -------------------------------------------------------------------------

def check_004(want, path, label):
    c = Check("004", want, label)
    cap = assay_json("report", "--json", path)["captures"][0]
    rows = cap["rows"]
    last = "c%d" % want["columns"]
    c.key("rows", len(rows))
    c.key("columns", len(cap["columns"]) + 1)
    ones = [r for r in rows if r[last] == 1]
    c.key("label1", [r["symbol"] for r in ones])
    c.key("label1_lines", [r["line"] for r in ones])
    c.key("stats", {x["column"]: [x["min"], x["max"], x["median"]] for x in cap["columns"]})
    for kind, name in (("pearson", "r"), ("spearman", "rho")):
        key = kind + "_top"
        c.key(key, [[p["a"], p["b"], round(p[name], 4)] for p in cap[kind]][:len(want[key])])
    with open(path, encoding="utf-8") as f:
        fullwidth = f.read().count("\uff1a")
    # each of them was read as a separator: every row has its last column
    c.key("fullwidth_colons", fullwidth if all(last in r for r in rows) else 0)
    c.finish()


def guarded(want, paths, label):
    checks = [
        (check_000, ("000",)), (check_001_attachment, ("001_attachment",)),
        (check_001_inline, ("001_inline",)), (check_001_log, ("001_log",)),
        (check_calls, ("002",)), (check_calls, ("003",)), (check_004, ("004",)),
    ]
    for function, (part,) in checks:
        path = paths[part[:3]]
        words = [want[part], path, label]
        if function is check_calls:
            words = [part, *words, TOTALS_002 if part == "002" else TOTALS_003]
        elif function is check_001_attachment:
            with open(path, encoding="utf-8") as f:
                words.append(f.read().split("\n"))
        try:
            function(*words)
        except (KeyError, IndexError, TypeError, ValueError) as e:
            TAP.ok(False, "%s %s can be checked" % (label, part), repr(e))


def main():
    with open(os.path.join(SOURCE, "tests", "data", "key_numbers.json"), encoding="utf-8") as f:
        want = json.load(f)
    guarded(want, {k: os.path.join(SOURCE, "samples", v) for k, v in SAMPLES.items()}, "sample")
    seeds = {k: glob.glob(os.path.join(SHARED, "seeds", k + "_*.txt")) for k in SAMPLES}
    if all(seeds.values()):
        guarded(want, {k: v[0] for k, v in seeds.items()}, "original")
    else:
        TAP.skip("the originals have the same figures", "../shared/seeds is missing")
    return TAP.end()


sys.exit(main())
