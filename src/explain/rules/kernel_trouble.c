/* SPDX-License-Identifier: MIT */
/*
 * Problems that the kernel reports: oopses, lockups, hung tasks, stalls, reports
 * of its validators. They make any measurement on such a machine doubtful.
 *
 * No threshold; warnings alone are a note.
 */
#include "core/capture.h"
#include "explain/words/log_words.h"

#include "analyses/logs/log_summary.h"
#include "analyses/roles.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/kinds/records.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/kernel_trouble_names.h"
#include "explain/rule.h"

DECLARE_RULE(kernel_trouble);

struct kernel_words {
	enum finding_severity severity;
	const char *cause;
	const char *next;
};

static const struct kernel_words kernel_words[KERNEL_EVENT_KINDS] = {
	[KERNEL_OOPS] = { FINDING_ERROR, "A bug in the kernel or a module: its state is damaged",
			  "scripts/decode_stacktrace.sh VMLINUX < LOG: the stack below this line" },
	[KERNEL_WARNING] = { FINDING_NOTE, "The kernel detected an impossible state",
			     "scripts/decode_stacktrace.sh VMLINUX < LOG: the stack below this "
			     "line" },
	[KERNEL_SOFT_LOCKUP] = { FINDING_ERROR,
				 "Kernel code did not release a CPU: a long loop, a lock, or a "
				 "guest whose CPU was taken away",
				 "read that CPU's stack below this line; in a guest, check its "
				 "steal time" },
	[KERNEL_HARD_LOCKUP] = { FINDING_ERROR, "A CPU ran with interrupts off",
				 "read that CPU's stack below this line" },
	[KERNEL_HUNG_TASK] = { FINDING_WARNING,
			       "A task waits for a lock, or for a device that does not answer",
			       "echo w > /proc/sysrq-trigger: the stacks of all blocked tasks; "
			       "read the stack below this line" },
	[KERNEL_RCU_STALL] = { FINDING_WARNING,
			       "A CPU passes no quiescent state: a long loop, or a CPU that is "
			       "taken away",
			       "read the stack of the CPU named in the line" },
	[KERNEL_PANIC] = { FINDING_ERROR, "the kernel stopped",
			   "read the lines before the panic; set up kdump for the next time" },
	[KERNEL_LOCK_ORDER] = { FINDING_WARNING,
				"Two paths take the same locks in opposite order. They deadlock "
				"once they meet",
				"read the chain below the line: which lock does each path take "
				"first" },
	[KERNEL_LOCK_INTERRUPT] = { FINDING_WARNING,
				    "A lock is taken in an interrupt or softirq, and elsewhere "
				    "with "
				    "interrupts on. The interrupt then waits forever for the "
				    "interrupted code",
				    "read the traces below the line: use the _irqsave or _bh form "
				    "where "
				    "the lock is taken with interrupts on" },
	[KERNEL_LOCK_TWICE] = { FINDING_WARNING,
				"A task takes a lock of a class that it holds: a deadlock if it "
				"is the same lock",
				"read the trace below the line: is it the same object, or nested "
				"by "
				"design (a subclass)" },
	[KERNEL_ATOMIC_SLEEP] = { FINDING_WARNING,
				  "Code sleeps where it must not: below a spinlock, in an "
				  "interrupt, a softirq or an RCU callback. The CPU may hang",
				  "read the trace below the line from its end: the outermost "
				  "caller names the context; move the sleep to a work item" },
	[KERNEL_RCU_MISUSE] = { FINDING_WARNING,
				"A pointer that RCU protects is read without rcu_read_lock() or "
				"the lock of its writers",
				"read the trace below the line: which lock should its caller "
				"hold" },
	[KERNEL_CORRUPTION] = { FINDING_ERROR,
				"Memory was used after it was freed, freed twice, or accessed past "
				"its end",
				"read the traces below the line: use, allocation and free of the "
				"object; without them boot with kasan or slab_debug=FZPU" },
	[KERNEL_ASSERTION] = { FINDING_ERROR,
			       "A module found a state that its code rules out. The thread stops "
			       "there and keeps its locks",
			       "read the asserted condition in the line and the stack below it" },
	[KERNEL_WORKQUEUE] = { FINDING_WARNING,
			       "A work item runs too long or blocks on a bound workqueue. The "
			       "items behind it wait",
			       "the lines below name the pool and its running items; echo l > "
			       "/proc/sysrq-trigger: their stacks" },
	[KERNEL_TX_TIMEOUT] = { FINDING_WARNING,
				"The network device did not report packets as sent for seconds: "
				"its firmware, its interrupt, or the driver hangs",
				"ethtool -S DEVICE and grep DEVICE /proc/interrupts, twice: does "
				"either count go on" },
	[KERNEL_NO_PAGES] = { FINDING_WARNING,
			      "No page was free for an allocation that may not wait, or memory "
			      "is too fragmented for its order",
			      "read order and mode in the line; cat /proc/buddyinfo; raise "
			      "vm.min_free_kbytes" },
	[KERNEL_HELD_DEVICE] = { FINDING_WARNING,
				 "Something holds a reference to the network device: a socket, "
				 "route, neighbour entry, or a count that was never dropped",
				 "build with CONFIG_NET_DEV_REFCNT_TRACKER: the report names the "
				 "holder" },
};

#define KERNEL_SPINS                                                                      \
	"The CPU spins for a lock that is not released: its holder runs for long, waits " \
	"itself, or never unlocked it"

/* Lines after the report that may contain its trace. */
#define KERNEL_TRACE_LINES 80u
#define KERNEL_TRACE_NAMES 3u
/* Messages above a trace that are part of it: largest number, and largest time between two. */
#define KERNEL_BURST_RECORDS 12u
#define KERNEL_BURST_NS      UINT64_C(1000000)
#define KERNEL_SURE_UNTITLED 70u

struct kernel_trace {
	struct str names[KERNEL_TRACE_NAMES];
	uint32_t records[KERNEL_TRACE_NAMES];
	size_t n;
	bool is_softirq;  /* the trace runs in a softirq */
	bool is_spinning; /* a frame above them spins for a lock */
	struct str
		allocating; /* the function whose allocation entered memory reclaim; empty: none */
};

/* "(fs/iomap/buffered-io.c:1525)" of scripts/decode_stacktrace.sh, possibly cut at a blank */
static bool kernel_is_place(struct str word)
{
	size_t colon = str_find_char(word, ':');

	return word.len && word.p[0] == '(' && colon + 1 < word.len &&
	       char_is_digit(word.p[colon + 1]) &&
	       (str_ends(str_sub(word, 0, colon), STR(".c")) ||
		str_ends(str_sub(word, 0, colon), STR(".h")) ||
		str_ends(str_sub(word, 0, colon), STR(".S")));
}

/*
 * The function of "iomap_finish_ioend+0xd7/0x1c0" in @text; "? f+0x1/0x2" is a guess and
 * skipped unless @takes_guesses.
 */
static struct str kernel_frame(struct str text, bool takes_guesses)
{
	struct str last = STR_NONE;
	struct str word;

	text = str_trim(text);
	for (; str_word(&text, &word); last = word) {
		size_t plus = str_find_char(word, '+');

		if (str_eq(word, STR("?")) && !takes_guesses)
			return STR_NONE;
		if (kernel_is_place(word))
			return last;
		if (plus && plus < word.len && str_starts(str_skip(word, plus), STR("+0x")) &&
		    str_find_char(str_skip(word, plus), '/') < word.len - plus) {
			size_t colon = str_rfind_char(str_sub(word, 0, plus), ':');

			return colon < plus ? str_sub(word, colon + 1, plus)
					    : str_sub(word, 0, plus);
		}
	}
	return STR_NONE;
}

/* Note the function outside of direct reclaim that made the allocation. */
static void kernel_trace_reclaim(struct kernel_trace *t, struct str name, bool *is_reclaim)
{
	*is_reclaim |= str_glob(STR(KERNEL_TRACE_RECLAIM), name);
	if (*is_reclaim && !t->allocating.len &&
	    role_of_name(name, STR_NONE, SPACE_KERNEL) != ROLE_RECLAIM &&
	    role_of_name(name, STR_NONE, SPACE_KERNEL) != ROLE_ALLOCATE &&
	    !str_glob(STR(KERNEL_TRACE_ALLOCATORS), name))
		t->allocating = name;
}

/* Does a line end the stack above it? */
static bool kernel_ends_trace(struct str text)
{
	text = str_trim(text);
	return str_starts(text, STR("task:")) || str_eq(text, STR("</TASK>")) ||
	       str_starts(text, STR("INFO: task "));
}

/* The first significant functions of the trace after record @event. */
static void kernel_trace_read(const struct rule_input *in, uint32_t event, bool takes_guesses,
			      struct kernel_trace *t)
{
	const struct records *r = in->capture->records;
	bool is_reclaim = false;

	*t = (struct kernel_trace){ .n = 0 };
	for (uint32_t i = event + 1; i < r->rows.len && i <= event + KERNEL_TRACE_LINES; i++) {
		struct str name;
		bool is_known = false;

		VEC_FOREACH (e, &in->log->kernel_events) {
			if (e->record == i)
				return; /* the next report */
			if (e->record > i)
				break;
		}
		/* the stack of another task, such as the owner of a lock */
		if (t->n && kernel_ends_trace(r->rows.data[i].text))
			return;
		name = symbol_canonical_name(kernel_frame(r->rows.data[i].text, takes_guesses));
		if (name.len)
			kernel_trace_reclaim(t, name, &is_reclaim);
		for (size_t k = 0; k < t->n; k++)
			is_known |= str_eq(t->names[k], name);
		t->is_softirq |= str_glob(STR(KERNEL_TRACE_SOFTIRQ), name);
		t->is_spinning |= t->n == 0 && name.len &&
				  role_of_name(name, STR(""), SPACE_KERNEL) == ROLE_SPIN;
		if (name.len == 0 || is_known || t->n == KERNEL_TRACE_NAMES ||
		    str_glob(STR(KERNEL_TRACE_COMMON), name))
			continue;
		t->names[t->n] = name;
		t->records[t->n++] = i;
	}
}

/* The same; unreliable frames ("? f") count if the trace has no others. */
static void kernel_trace_of(const struct rule_input *in, uint32_t event, struct kernel_trace *t)
{
	kernel_trace_read(in, event, false, t);
	if (t->n == 0)
		kernel_trace_read(in, event, true, t);
}

static void kernel_finding(const struct rule_input *in, struct findings *out,
			   enum kernel_event_kind kind, uint64_t n)
{
	const struct kernel_words *words = &kernel_words[kind];
	struct finding *f = finding_add(out, in, &rule_kernel_trouble, words->severity, 97);
	uint64_t seconds = 0;
	uint32_t cited = 0;
	uint32_t first = INDEX_NONE;
	struct kernel_trace trace = { .n = 0 };
	const char *cause;
	const char *times =
		n == 1 ? "" : finding_name(out, " %llu times, first", (unsigned long long)n);

	finding_figure(f, "reports", (double)n, 0, "");
	VEC_FOREACH (e, &in->log->kernel_events) {
		if (e->kind != kind)
			continue;
		if (first == INDEX_NONE)
			first = e->record;
		if (cited++ < LOG_EVIDENCE_MAX)
			log_words_cite(out, f, in, e->record);
		seconds = e->seconds > seconds ? e->seconds : seconds;
	}
	if (seconds)
		finding_figure(f, "longest", (double)seconds, 0, "s");
	if (first != INDEX_NONE)
		kernel_trace_of(in, first, &trace);
	if (trace.n) {
		finding_claim(out, f, "The kernel reports %s%s in " STR_FMT "%s" STR_FMT,
			      kernel_event_name(kind), times, STR_ARG(trace.names[0]),
			      trace.n < 2                 ? ""
			      : kind == KERNEL_LOCK_ORDER ? " and "
							  : ", called from ",
			      STR_ARG(trace.n > 1 ? trace.names[1] : STR("")));
		log_words_cite(out, f, in, trace.records[0]);
	} else {
		finding_claim(out, f, "The kernel reports %s%s", kernel_event_name(kind),
			      n == 1 ? ""
				     : finding_name(out, " %llu times", (unsigned long long)n));
	}
	cause = trace.is_spinning && (kind == KERNEL_SOFT_LOCKUP || kind == KERNEL_HARD_LOCKUP ||
				      kind == KERNEL_RCU_STALL)
			? KERNEL_SPINS
			: words->cause;
	if (trace.allocating.len)
		finding_cause(out, f,
			      "%s. It happens in memory reclaim, inside an allocation by " STR_FMT
			      ", which may hold locks that reclaim needs (GFP_NOFS, GFP_NOIO)",
			      cause, STR_ARG(trace.allocating));
	else
		finding_cause(out, f, "%s", cause);
	finding_because(out, f, "reported by the kernel itself");
	finding_next(out, f, "%s", words->next);
}

/* Does the input have threads, such as the tasks of a log? Other rules explain those. */
static bool kernel_has_threads(const struct rule_input *in)
{
	VEC_FOREACH (c, &in->facts->dossier->captures) {
		if ((*c)->threads)
			return true;
	}
	return false;
}

/* The first line of the messages that end in the trace at record @at. */
static uint32_t kernel_burst(const struct records *r, uint32_t at)
{
	uint32_t from = at;

	while (from && at - from < KERNEL_BURST_RECORDS &&
	       r->rows.data[from - 1].time_ns + KERNEL_BURST_NS >= r->rows.data[from].time_ns)
		from--;
	return from;
}

/* A trace that no known message begins: its place, and the message above it. */
static bool kernel_untitled(const struct rule_input *in, struct findings *out)
{
	const struct records *r = in->capture->records;
	struct kernel_trace trace = { .n = 0 };
	struct finding *f;
	uint32_t at = 0;
	uint32_t first;

	while (at < r->rows.len &&
	       !str_glob(STR(KERNEL_TRACE_BEGINS), str_ltrim(r->rows.data[at].text)))
		at++;
	if (at < r->rows.len)
		kernel_trace_of(in, at, &trace);
	if (trace.n < 2)
		return false;
	first = kernel_burst(r, at);
	f = finding_add(out, in, &rule_kernel_trouble, FINDING_NOTE, KERNEL_SURE_UNTITLED);
	finding_figure(f, "functions of the trace that are named", (double)trace.n, 0, "");
	finding_claim(out, f,
		      "The kernel prints a call trace in " STR_FMT ", called from " STR_FMT
		      "%s" STR_FMT,
		      STR_ARG(trace.names[0]), STR_ARG(trace.names[1]), trace.n > 2 ? " and " : "",
		      STR_ARG(trace.n > 2 ? trace.names[2] : STR("")));
	if (first < at)
		log_words_cite(out, f, in, first);
	log_words_cite(out, f, in, trace.records[0]);
	finding_cause(out, f, "%s%s",
		      trace.is_softirq ? "The code runs in a softirq: until it returns, its CPU "
					 "runs nothing else. "
				       : "",
		      first < at ? "The message above the trace says why the kernel printed it"
				 : "The message that began the trace is missing here");
	finding_because(out, f, "the trace is certain; no known message begins it");
	finding_next(out, f, "%s",
		     first < at ? "read the message above the trace"
				: "journalctl -k: the lines before this trace");
	return true;
}

static void kernel_check(const struct rule_input *in, struct findings *out)
{
	uint64_t n[KERNEL_EVENT_KINDS] = { 0 };

	VEC_FOREACH (e, &in->log->kernel_events)
		n[e->kind]++;
	for (unsigned int kind = 0; kind < KERNEL_EVENT_KINDS; kind++) {
		/* out of memory has a rule of its own */
		if (n[kind] && kind != KERNEL_OOM)
			kernel_finding(in, out, (enum kernel_event_kind)kind, n[kind]);
	}
	if (in->log->kernel_events.len == 0 &&
	    str_eq(str_of(in->capture->format), STR("kernel-log")) &&
	    (kernel_has_threads(in) || !kernel_untitled(in, out)))
		finding_clean(out, in, &rule_kernel_trouble, "no oops, lockup, hung task or stall");
}

const struct rule rule_kernel_trouble = {
	.id = "kernel-trouble",
	.title = "Kernel oops, lockup, hung task or stall",
	.needs = RULE_LOG,
	.check = kernel_check,
};
