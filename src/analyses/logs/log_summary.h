/* SPDX-License-Identifier: MIT */
/*
 * log_summary.h - summary of the records of a log
 *
 * One pass over the records gives: counts by level, module and process; gaps in the sequence
 * numbers of streams; message templates; and facts. Facts are parsed from messages of Open vSwitch
 * and the kernel: dropped messages, long poll intervals, elections, crashes, memory growth,
 * segfaults, wakeups. Each fact has the index of its record, so that a rule can cite the line.
 *
 * All texts are borrowed from the capture, which must outlive the summary.
 */
#ifndef ANALYSES_LOG_SUMMARY_H
#define ANALYSES_LOG_SUMMARY_H

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/kinds/records.h"

struct capture;
struct out;

/* Summary of one stream. */
struct log_stream_summary {
	uint64_t first_ns; /* smallest time of the stream's records; 0 if has_time is false */
	uint64_t last_ns;
	uint64_t records;
	/* number of sequence numbers missing between the first and the last record */
	uint64_t missing;
	uint64_t gaps; /* number of gaps in the sequence numbers */
	uint32_t first_sequence;
	uint32_t last_sequence;
	/* index of the stream's first record; INDEX_NONE: the stream is empty */
	uint32_t first_record;
	bool has_time;
	bool has_sequence;
};

/* A gap in the sequence numbers of a stream: after `from`, the next number is `to`. */
struct log_gap {
	uint32_t record; /* index of the record after the gap */
	uint32_t from;
	uint32_t to;
};

struct log_count {
	str_id name; /* name of the module; STR_ID_NONE: unknown */
	uint64_t n;
};

/* Number of records of one process on one machine; either name may be STR_ID_NONE. */
struct log_source_count {
	str_id process;
	str_id node;
	uint64_t n;
};

/*
 * A group of messages that differ only in numbers, addresses and ids. `text` has placeholders for
 * these: "term <n>: <n> ms timeout expired, starting election".
 */
struct log_template {
	struct str text;
	str_id module;
	uint64_t n;
	uint32_t first_record;
	uint32_t last_record;
	/*
	 * id of the template in log_summary.template_of. It stays the same when `templates` is
	 * sorted
	 */
	uint32_t number;
	uint8_t level; /* most severe level of the template's messages */
};

/*
 * Parsed from "Dropped N log messages in last S seconds (most recently, M seconds ago) due to
 * excessive rate".
 */
struct log_dropped {
	uint64_t dropped;
	uint64_t seconds;
	uint64_t recent_seconds; /* "M seconds ago": age of the last dropped message */
	/*
	 * time in which the dropped messages came, without the silence after them: seconds -
	 * recent_seconds, at least 1. Their rate is dropped / active_seconds
	 */
	uint64_t active_seconds;
	uint32_t record;
};

/* Sums over the dropped messages of one process, machine and module. */
struct log_dropped_total {
	str_id process;
	str_id node;
	str_id module;
	uint64_t dropped;
	uint64_t seconds;
	uint64_t active_seconds;
	uint64_t reports;
};

/* Parsed from "Unreasonably long 1278ms poll interval (1044ms user, 232ms system)". */
struct log_long_poll {
	uint64_t interval_ms;
	uint64_t user_ms;
	uint64_t system_ms;
	uint32_t record;
	/*
	 * a record shortly before, of the same stream: "ignoring vote request received as leader".
	 * The process was blocked as leader. INDEX_NONE: none
	 */
	uint32_t vote_record;
	bool has_cpu; /* the message prints user_ms and system_ms */
};

/* Parsed from "term 2: 1737 ms timeout expired, starting election". */
struct log_election {
	uint64_t term;
	uint64_t timeout_ms; /* valid if has_timeout */
	uint32_t record;
	/*
	 * false: term 1. A server starts the first election of a new cluster at once, and prints
	 * the time since boot as its timeout
	 */
	bool has_timeout;
};

/*
 * Parsed from "term 3: elected leader by 2+ of 3 servers", which the winner of an election prints,
 * and "server 9f00 is leader for term 3", which the other servers print.
 */
struct log_leader {
	uint64_t term;
	uint64_t servers; /* number of servers of the cluster; 0: not printed */
	uint32_t record;
	bool is_self; /* the process itself is the leader */
};

/* Parsed from "1 crashes: pid 16603 died, killed (Segmentation fault), core dumped, restarting". */
struct log_crash {
	uint64_t pid;
	uint64_t crashes;  /* number of crashes so far, as printed */
	struct str signal; /* "Segmentation fault"; empty: unknown */
	uint32_t record;
	bool is_core_dumped;
};

/* Parsed from "peak resident set size grew 51% in last 560.1 seconds, from 2536 kB to 3828 kB". */
struct log_memory {
	/*
	 * 0 if is_first: such a message has only the new size, "2536 kB peak resident set size
	 * after …"
	 */
	uint64_t from_kb;
	uint64_t to_kb;
	uint64_t grew_pct;
	/* time in which memory grew, in tenths of a second: 5601 is 560.1 s */
	uint64_t seconds_tenths;
	uint32_t record;
	bool is_first;
};

/* Parsed from "cells:59908 json-caches:1 monitors:3 sessions:431": one element for each pair. */
struct log_usage {
	struct str name;
	uint64_t value;
	uint32_t record;
};

/* Parsed from "wakeup due to 20-ms timeout at ovsdb/raft.c:1825 (55% CPU usage)". */
struct log_wakeup {
	struct str why;      /* "20-ms timeout", "[POLLIN] on fd 23 (FIFO pipe:[3682840])" */
	struct str where;    /* "ovsdb/raft.c:1825" */
	uint64_t timeout_ms; /* valid if is_timeout */
	uint32_t record;
	uint16_t cpu_pct; /* valid if has_cpu */
	bool is_timeout;
	bool has_cpu;
};

/* All wakeups at one source line. */
struct log_wakeup_total {
	struct str where;
	uint64_t n;
	/* number of wakeups by a "0-ms timeout": the loop did not sleep */
	uint64_t zero_timeouts;
	uint16_t max_cpu_pct;
	bool has_cpu;
	uint32_t first_record;
};

/*
 * Parsed from "ovsdb-server[31577]: segfault at 7f96ebe83310 ip … sp … error 4 in
 * libc-2.23.so[7f96e9c96000+1c0000]".
 */
struct log_segfault {
	struct str comm;
	struct str object; /* "libc-2.23.so"; empty: unknown */
	uint64_t pid;
	uint64_t address;
	uint64_t ip;
	uint64_t sp;
	uint64_t base; /* address at which the object begins in memory; valid if has_object */
	uint64_t size;
	/* ip minus base. It is the same in all crashes at this instruction of the same build */
	uint64_t offset;
	uint32_t error; /* error code of the page fault; 0 for a general protection fault */
	uint32_t record;
	bool has_object;
	bool is_protection; /* a general protection fault: the CPU reports no address */
};

/*
 * Parsed from "traps: app[901] trap invalid opcode ip:…": a processor exception, followed by a
 * signal that the process does not handle.
 */
struct log_trap {
	struct str name; /* "invalid opcode" */
	uint32_t record;
};

/* Parsed from "current entry eid A does not match prerequisite B". */
struct log_prerequisite {
	struct str current;
	struct str expected;
	uint32_t record;
	bool is_in_execute; /* the message ends with "in execute_command_request" */
};

enum kernel_event_kind {
	KERNEL_OOPS, /* "BUG: unable to handle", "Oops:", "kernel BUG at", "general protection" */
	KERNEL_WARNING,     /* "WARNING: CPU: 3 PID: 1 at …" */
	KERNEL_SOFT_LOCKUP, /* "soft lockup - CPU#10 stuck for 24s!" */
	KERNEL_HARD_LOCKUP,
	KERNEL_HUNG_TASK, /* "blocked for more than 120 seconds" */
	KERNEL_RCU_STALL,
	KERNEL_OOM, /* "Out of memory: Killed process", "invoked oom-killer" */
	KERNEL_PANIC,
	/*
	 * the lock validator reports the next three kinds: Documentation/locking/lockdep-design.rst
	 */
	KERNEL_LOCK_ORDER,
	KERNEL_LOCK_TWICE,
	KERNEL_LOCK_INTERRUPT,
	KERNEL_ATOMIC_SLEEP, /* "scheduling while atomic", "sleeping function called from" */
	KERNEL_RCU_MISUSE,   /* "suspicious RCU usage" */
	KERNEL_DATA_RACE,    /* two threads access memory without a lock, reported by KCSAN */
	KERNEL_UNINIT,       /* use of memory before its initialisation, reported by KMSAN */
	KERNEL_UNDEFINED,    /* undefined behaviour in C, reported by UBSAN */
	KERNEL_LEAK,         /* kmemleak: "unreferenced object 0x…" */
	KERNEL_NOBODY_CARED, /* "irq 16: nobody cared" */
	/* reports of KASAN, of list and slab checks, and "refcount_t: underflow" */
	KERNEL_CORRUPTION,
	KERNEL_ASSERTION,   /* assertions of OpenZFS and Lustre: "VERIFY3(", "ASSERTION(" */
	KERNEL_WORKQUEUE,   /* "workqueue lockup" */
	KERNEL_TX_TIMEOUT,  /* "transmit queue 0 timed out" */
	KERNEL_NO_PAGES,    /* "page allocation failure" */
	KERNEL_HELD_DEVICE, /* "unregister_netdevice: waiting for" */
	KERNEL_EVENT_KINDS,
};

struct kernel_event {
	struct str task;  /* name of the task: "kworker/10:0"; empty: unknown */
	uint64_t pid;     /* valid if has_pid */
	uint64_t seconds; /* time in which the task was stuck or blocked; 0: unknown */
	uint32_t record;
	uint32_t cpu; /* valid if has_cpu */
	uint8_t kind; /* enum kernel_event_kind */
	bool has_cpu;
	bool has_pid;
};

struct log_summary {
	const struct capture *capture;
	const struct records *records; /* the records of the capture; NULL: none */
	uint64_t n_records;
	uint64_t n_truncated;
	uint64_t by_level[LEVEL_EMERGENCY + 1]; /* number of records, indexed by enum log_level */
	/* one element for each stream, in the order of records.streams */
	VEC(struct log_stream_summary) streams;
	VEC(struct log_gap) gaps;               /* gaps of all streams, in the order of the log */
	VEC(struct log_count) by_module;        /* most records first */
	VEC(struct log_source_count) by_source; /* most records first */
	VEC(struct log_template) templates;     /* most records first */
	/* number of records without a template, because LOG_TEMPLATES was reached */
	uint64_t n_untemplated;
	/* indexed by record: number of its template (log_template.number); INDEX_NONE: none */
	VEC(uint32_t) template_of;
	/*
	 * from here on: tables of facts, in the order of the log, unless a comment states another
	 * order
	 */
	VEC(struct log_dropped) dropped;
	VEC(struct log_dropped_total) dropped_total; /* most dropped messages first */
	uint64_t dropped_messages;                   /* sum of the counts in `dropped` */
	VEC(struct log_long_poll) long_polls;
	VEC(struct log_election) elections;
	VEC(struct log_leader) leaders;
	VEC(struct log_crash) crashes;
	VEC(struct log_memory) memory;
	VEC(struct log_usage) usage;
	VEC(struct log_wakeup) wakeups;
	VEC(struct log_wakeup_total) wakeup_places;
	VEC(struct log_segfault) segfaults;
	VEC(struct log_trap) traps;
	VEC(struct log_prerequisite) prerequisites;
	VEC(struct kernel_event) kernel_events;

	/* owner of the texts of templates; private */
	struct arena arena;
};

/*
 * Summarise the records of @c; without records the summary is empty. Owner: caller,
 * log_summary_fini(). Cost: one pass over the texts, O(bytes).
 */
void log_summary_init(struct log_summary *s, const struct capture *c);
void log_summary_fini(struct log_summary *s);

/*
 * Append the template of @text to @out: the text with placeholders "<n>" for numbers, "<addr>"
 * for network addresses, and "<id>" for UUIDs and hex words.
 */
void log_template_text(struct str text, struct out *out);

/*
 * Append the meaning of the error code of an x86 page fault: "read of an unmapped address in user
 * mode".
 */
void log_segfault_error_text(const struct log_segfault *f, struct out *out);
/* The name of a kind of event: "oops", "soft lockup" … */
const char *kernel_event_name(enum kernel_event_kind kind);

#endif
