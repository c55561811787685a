/* SPDX-License-Identifier: MIT */
/*
 * Problems that the kernel reports: oopses, lockups, hung tasks, stalls, and reports of its
 * validators (lockdep, KASAN). They make any measurement on such a machine doubtful.
 *
 * No threshold: one report is enough. If all messages have the level "warning", it is a note.
 */
#include "base/status.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/kernel/kernel_queue.h"
#include "explain/kernel/kernel_repeat.h"
#include "explain/kernel/kernel_stall.h"
#include "explain/kernel/kernel_trace.h"
#include "explain/words/log_words.h"
#include "explain/words/wait_reasons.h"

#include "analyses/logs/log_facts.h"
#include "analyses/logs/log_summary.h"
#include "analyses/roles.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/kinds/records.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/kernel_trace_names.h"
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
	[KERNEL_WARNING] = { FINDING_NOTE,
			     "The code met a state that its author did not expect, and went on",
			     "scripts/decode_stacktrace.sh VMLINUX < LOG: the stack below this "
			     "line" },
	[KERNEL_SOFT_LOCKUP] = { FINDING_ERROR,
				 "Kernel code did not release a CPU: a long loop, a lock, or a "
				 "guest whose CPU was taken away",
				 "scripts/decode_stacktrace.sh VMLINUX < LOG: the source lines of "
				 "its stack; in a guest, vmstat 1: st (steal time)" },
	[KERNEL_HARD_LOCKUP] = { FINDING_ERROR, "A CPU ran with interrupts off",
				 "read that CPU's stack below this line" },
	[KERNEL_HUNG_TASK] = { FINDING_WARNING,
			       "The stack shows what a task waits for: mostly a lock, or a device "
			       "that does not answer",
			       "echo w > /proc/sysrq-trigger: the stacks of all blocked tasks; "
			       "read the stack below this line" },
	[KERNEL_RCU_STALL] = { FINDING_WARNING,
			       "A CPU passes no quiescent state: a long loop, or a CPU that is "
			       "taken away",
			       "read the stack of the CPU in the lines below" },
	[KERNEL_PANIC] = { FINDING_ERROR, "the kernel stopped",
			   "read the lines before the panic; set up kdump for the next time" },
	[KERNEL_LOCK_ORDER] = { FINDING_WARNING,
				"Two paths take locks of the same classes in opposite order. They "
				"deadlock if they meet at the same objects: the lock validator "
				"reports what is possible, not a deadlock that happened",
				"read the chain below the line: which lock does each path take "
				"first" },
	[KERNEL_LOCK_INTERRUPT] = { FINDING_WARNING,
				    "A lock is taken in an interrupt or softirq, and elsewhere "
				    "with interrupts on. The interrupt then waits forever for the "
				    "interrupted code",
				    "read the traces below the line: use the _irqsave or _bh form "
				    "where the lock is taken with interrupts on" },
	[KERNEL_LOCK_TWICE] = { FINDING_WARNING,
				"A task takes a lock of a class that it holds: a deadlock if it is "
				"the same lock",
				"read the trace below the line: is it the same object, or nested "
				"by design (a subclass)" },
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
	[KERNEL_DATA_RACE] = { FINDING_WARNING,
			       "Two CPUs use the same memory without a common lock, and at least "
			       "one writes it",
			       "read both traces below the line: which lock should cover them, or "
			       "READ_ONCE() and WRITE_ONCE() where a race is harmless" },
	[KERNEL_UNINIT] = { FINDING_ERROR,
			    "Memory is read that nothing has written, or it is copied to user "
			    "space",
			    "read the traces below the line: where was the memory created, and "
			    "which path leaves it unset" },
	[KERNEL_UNDEFINED] = { FINDING_WARNING,
			       "The language does not define the result of the operation",
			       "read the line, which names file and expression: where does the "
			       "value come from" },
	[KERNEL_LEAK] = { FINDING_WARNING,
			  "Nothing points to the object any more, and it was never freed",
			  "read the trace below the line, the allocation: which path loses the "
			  "pointer; echo scan > /sys/kernel/debug/kmemleak to confirm" },
	[KERNEL_NOBODY_CARED] = { FINDING_WARNING,
				  "The line stays raised and the kernel disables it: a device "
				  "without a driver, a wrong routing, or a driver that ignores its "
				  "interrupt",
				  "read the lines below: they name the handlers; /proc/interrupts: "
				  "who shares the line" },
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
			       "read the lines below: they name the pool and its running items; "
			       "echo l > /proc/sysrq-trigger: their stacks" },
	[KERNEL_TX_TIMEOUT] = { FINDING_WARNING,
				"The network device did not report packets as sent for seconds: "
				"its firmware, its interrupt, or the driver hangs",
				"ethtool -S DEVICE and grep DEVICE /proc/interrupts, twice: does "
				"either count go on" },
	[KERNEL_NO_PAGES] = { FINDING_WARNING,
			      "No free block had the order of the request: memory is fragmented, "
			      "or "
			      "short for an allocation that may not wait (GFP_ATOMIC). The caller "
			      "may have a fallback",
			      "read order and mode in the line; cat /proc/buddyinfo; for order 0, "
			      "raise vm.min_free_kbytes" },
	[KERNEL_HELD_DEVICE] = { FINDING_WARNING,
				 "Something holds a reference to the network device: a socket, "
				 "route, neighbour entry, or a count that was never dropped",
				 "build with CONFIG_NET_DEV_REFCNT_TRACKER: the report names the "
				 "holder" },
};

#define KERNEL_ASLEEP                                                                             \
	"The stalled CPU is idle and was not woken: its timer interrupt did not arrive (a clock " \
	"event device that failed), or the host did not run the CPU"
#define KERNEL_PAUSED                                                                            \
	"The CPU idles in its own trace, so no code held it: the host did not run this virtual " \
	"CPU (pause, migration, overload), or the clock jumped"
#define KERNEL_SERVER                                                                         \
	"A task waits for the answer of a file server: the server, the network or the mount " \
	"is down or slow"
#define KERNEL_NESTED                                                                           \
	"The addresses differ: the task holds one lock and takes another one of its class. It " \
	"does not wait for itself; two tasks deadlock if they nest two such locks in opposite " \
	"order"
#define KERNEL_DELAY                                                                               \
	"The code waits in a delay loop (udelay, mdelay), which keeps the CPU: it polls a device " \
	"that does not get ready, or the delay is too long"
#define KERNEL_SELF "The addresses are equal: the task waits for itself"
#define KERNEL_STORM                                                                            \
	"The CPU was in interrupts or softirqs, or did not run: an interrupt that its driver "  \
	"does not acknowledge, softirqs without end (packets, timers), or a host that did not " \
	"run this virtual CPU"
#define KERNEL_SWAP_OUT                                                                          \
	"The failed request is part of writing a page to swap: the kernel needs memory to free " \
	"memory, and no reserve was left for it"
#define KERNEL_SPINS                                                                      \
	"The CPU spins for a lock that is not released: its holder runs for long, waits " \
	"itself, or never unlocked it"

/*
 * If the first hung task waits for another task, this many hung tasks are searched for one that
 * does not.
 */
#define KERNEL_HUNG_TASKS 16u
/*
 * If a call trace has no title, the messages before it belong to it: at most KERNEL_BURST_RECORDS
 * messages, each at most KERNEL_BURST_NS earlier than the next one.
 */
#define KERNEL_BURST_RECORDS 12u
#define KERNEL_BURST_NS      UINT64_C(1000000)
#define KERNEL_SURE_UNTITLED 70u
/*
 * Maximum number of records from the line "RIP: ..." to the call trace. The lines between them are
 * registers and the raw stack.
 */
#define KERNEL_REGISTERS 24u
/*
 * If a table shows a worker (kworker) with at least this CPU use, in percent, the call trace of a
 * worker in the log is probably from this task. Rule busy-thread has the same limit.
 */
#define KERNEL_BUSY_PCT 90.0
/* if this many frames or more have the same function, it is a recursion */
#define KERNEL_RECURSION 4u
#define KERNEL_ORDER_MAX 20u /* maximum order of an allocation; a larger one is a damaged line */
/*
 * The kernel tries hard to satisfy allocations up to this order. Source: PAGE_ALLOC_COSTLY_ORDER of
 * include/linux/mmzone.h.
 */
#define KERNEL_COSTLY_ORDER 3u
/*
 * A lockdep report about recursive locking has at most this many lines from its title to the line
 * with the held lock.
 */
#define KERNEL_LOCK_LINES 12u

/*
 * Should the claim also name t->owners[0], the innermost function that is no helper? (Helpers free,
 * allocate or copy memory for any caller.) False if it is one of the two named callers, or if the
 * stack has fewer than three functions.
 */
static bool kernel_has_owner(const struct kernel_trace *t)
{
	return t->n > 2 && t->n_owners && !str_eq(t->owners[0], t->names[1]) &&
	       !str_eq(t->owners[0], t->names[2]);
}

/*
 * Clause about the place: "in merge, called from list_sort and es_shrink". For a data race: both
 * functions that the first line of the report names.
 */
static const char *kernel_where(const struct rule_input *in, struct findings *out,
				enum kernel_event_kind kind, uint32_t first,
				const struct kernel_trace *t)
{
	struct str mark = STR("data-race in ");
	struct str title = in->capture->records->rows.data[first].text;
	size_t at = str_find(title, mark);
	size_t slash;
	/* if the caller is a helper, such as a sort or a copy, name its own caller, too */
	bool has_third = t->n > 2 && role_of_name(t->names[1], STR_NONE, SPACE_KERNEL) != ROLE_NONE;
	bool has_owner = kernel_has_owner(t);

	title = at < title.len ? str_skip(title, at + mark.len) : STR("");
	slash = str_find(title, STR(" / "));
	if (kind == KERNEL_DATA_RACE && slash < title.len)
		return finding_name(out, "between " STR_FMT " and " STR_FMT,
				    STR_ARG(str_sub(title, 0, slash)),
				    STR_ARG(str_sub(title, slash + 3, slash + 3 + 96)));
	if (kind == KERNEL_RCU_STALL && t->is_idle)
		return "on an idle CPU";
	if (t->helper.len)
		return finding_name(out, "in " STR_FMT ", called from " STR_FMT "%s" STR_FMT,
				    STR_ARG(t->helper), STR_ARG(t->names[0]),
				    t->n > 1 ? " and " : "",
				    STR_ARG(t->n > 1 ? t->names[1] : STR("")));
	return finding_name(out, "in " STR_FMT "%s" STR_FMT "%s" STR_FMT, STR_ARG(t->names[0]),
			    t->n < 2                    ? ""
			    : kind == KERNEL_LOCK_ORDER ? ", with a lock held since "
							: ", called from ",
			    STR_ARG(t->n > 1 ? t->names[1] : STR("")),
			    has_owner   ? " for "
			    : has_third ? " and "
					: "",
			    STR_ARG(has_owner   ? t->owners[0]
				    : has_third ? t->names[2]
						: STR("")));
}

/*
 * The kind of work @role on the stack @t, as a noun. If no frame of the stack sends or receives on
 * a socket, ROLE_NET_IO is the processing of network packets.
 */
static const char *kernel_work_noun(const struct kernel_trace *t, enum role role)
{
	return role == ROLE_NET_IO && !t->is_socket ? "processing of network packets"
						    : role_noun(role);
}

/*
 * The text @cause, with the kinds of work that the stack @t shows. The stack is from a CPU that did
 * not schedule.
 */
static const char *kernel_busy_with(struct findings *out, const char *cause,
				    const struct kernel_trace *t)
{
	if (t->n_works == 0)
		return cause;
	if (t->n_owners == KERNEL_TRACE_OWNERS && kernel_has_owner(t))
		return finding_name(out,
				    "%s. The stack shows %s for " STR_FMT ", called from " STR_FMT
				    " and " STR_FMT ": look there for a loop that grows with the "
				    "data and never yields",
				    cause, kernel_work_noun(t, t->works[t->n_works - 1]),
				    STR_ARG(t->owners[0]), STR_ARG(t->owners[1]),
				    STR_ARG(t->owners[2]));
	return finding_name(out,
			    "%s. The stack shows %s%s%s: look there for a loop that grows with "
			    "the data and never yields",
			    cause, kernel_work_noun(t, t->works[t->n_works - 1]),
			    t->n_works > 1 ? ", and in it " : "",
			    t->n_works > 1 ? kernel_work_noun(t, t->works[0]) : "");
}

/*
 * Find the text of the cause for the UBSAN report that begins at record @first. The first or second
 * line of the report names the operation that has no defined result.
 */
static const char *kernel_undefined_cause(const struct rule_input *in, uint32_t first)
{
	static const struct {
		const char *pattern, *cause;
	} kinds[] = { KERNEL_UNDEFINED_ROWS };
	const struct records *r = in->capture->records;

	for (size_t k = 0; k < 2 * ARRAY_LEN(kinds); k++) {
		uint32_t i = first + (k >= ARRAY_LEN(kinds));

		if (i < r->rows.len &&
		    str_glob(str_of(kinds[k % ARRAY_LEN(kinds)].pattern), r->rows.data[i].text))
			return kinds[k % ARRAY_LEN(kinds)].cause;
	}
	return kernel_words[KERNEL_UNDEFINED].cause;
}

/*
 * Parse a line of lockdep about a held lock: "ffff8881034a1290 (&dev->mutex){+.+.}-{3:3}, at:
 * f+0x21/0x90". *@ret: the address of the lock. False: the line has another form.
 */
static bool kernel_lock_address(struct str text, uint64_t *ret)
{
	text = str_ltrim(text);
	return str_contains(text, STR("}, at: ")) && str_hex64(&text, ret) &&
	       str_starts(text, STR(" ("));
}

/*
 * The cause in a lockdep report of recursive locking that begins at record @first. The report
 * prints the lock that the task requests, and a lock that it holds. If both have the same address,
 * the task waits for itself. Source: kernel/locking/lockdep.c, print_deadlock_bug().
 */
static const char *kernel_recursion_cause(const struct records *r, uint32_t first)
{
	uint64_t taken = 0, held;

	for (uint32_t i = first + 1; i < r->rows.len && i <= first + KERNEL_LOCK_LINES; i++) {
		if (!kernel_lock_address(r->rows.data[i].text, &held))
			continue;
		if (taken)
			return taken == held ? KERNEL_SELF : KERNEL_NESTED;
		taken = held;
	}
	return kernel_words[KERNEL_LOCK_TWICE].cause;
}

/*
 * If the stack @t leaves a module and enters it again, return @cause and a second sentence: the
 * @waiter ("CPU" or "task") may wait for a lock that it holds itself. Otherwise, return @cause.
 */
static const char *kernel_again_cause(struct findings *out, const char *cause,
				      const struct kernel_trace *t, const char *waiter)
{
	if (!t->again_module.len)
		return cause;
	return finding_name(out,
			    "%s. The stack enters the module " STR_FMT
			    " twice, first down to " STR_FMT
			    ": if that code holds the lock, the %s waits for itself",
			    cause, STR_ARG(t->again_module), STR_ARG(t->again_caller), waiter);
}

/* The cause of a hung task. If a device reports an error in the same log, that line is cited. */
static const char *kernel_hung_cause(const struct rule_input *in, struct findings *out,
				     struct finding *f, const struct kernel_trace *trace)
{
	const struct records *r = in->capture->records;
	const char *cause = trace->self
				    ? finding_name(out,
						   "The task waits for %s, and %s itself further "
						   "out on its stack: a self-deadlock, unless "
						   "it waits for another object of the kind",
						   trace->self->event, trace->self->doing)
			    : trace->is_server && !trace->is_server_reason ? KERNEL_SERVER
			    : trace->reason                                ? trace->reason->cause
					    : kernel_words[KERNEL_HUNG_TASK].cause;

	if (trace->is_behind)
		cause = kernel_again_cause(out, cause, trace, "task");
	for (uint32_t i = 0; i < r->rows.len; i++) {
		if (!str_glob(STR(KERNEL_DEVICE_ERRORS), r->rows.data[i].text))
			continue;
		log_words_cite(out, f, in, i);
		return finding_name(out,
				    "%s. The log also has errors of a device or server, likely "
				    "the reason: '" STR_FMT "'",
				    cause, STR_ARG(str_sub(r->rows.data[i].text, 0, 80)));
	}
	return cause;
}

/*
 * If the trace @first of a hung task shows a wait for another task, find a hung task that waits for
 * no task: its stack shows more about the cause. *@ret: its trace. NULL: none. (Rule task-chain
 * reports which task waits for which.)
 */
static const struct kernel_event *kernel_other(const struct rule_input *in,
					       const struct kernel_trace *first,
					       struct kernel_trace *ret)
{
	unsigned int n = 0;

	if (!first->is_behind)
		return NULL;
	VEC_FOREACH (e, &in->log->kernel_events) {
		if (e->kind != KERNEL_HUNG_TASK || !e->task.len)
			continue;
		if (n++ == KERNEL_HUNG_TASKS)
			break;
		kernel_trace_of(in, e->record + 1, KERNEL_HUNG_TASK, ret);
		if (ret->n && !ret->is_behind)
			return e;
	}
	return NULL;
}

/* Whether a function is named in both stacks @a and @b. */
static bool kernel_have_common(const struct kernel_trace *a, const struct kernel_trace *b)
{
	for (size_t i = 0; i < a->n; i++) {
		for (size_t k = 0; k < b->n; k++) {
			if (str_eq(a->names[i], b->names[k]))
				return true;
		}
	}
	return false;
}

/*
 * Set the claim of @f: "The kernel reports a hung task: 'x' waits for y". The task is from the
 * report at record @first, and the object of the wait is from its stack @trace. @times, @where:
 * clauses about the number of reports and the place; @below: a clause about a stack above the
 * report. False: neither the task nor the object of the wait is known, or the stack is empty and
 * there are several reports or a stack above.
 */
static bool kernel_claim_hung(const struct rule_input *in, struct findings *out, struct finding *f,
			      uint32_t first, const struct kernel_trace *trace, const char *times,
			      const char *where, const char *below)
{
	const char *who = NULL;

	VEC_FOREACH (e, &in->log->kernel_events) {
		if (e->record == first && e->task.len)
			who = finding_name(out, "'" STR_FMT "'", STR_ARG(e->task));
	}
	if (!trace->n && who && !*times && !*below) {
		finding_claim(out, f, "The kernel reports a hung task: %s. Its stack is missing",
			      who);
		return true;
	}
	if (!trace->n || (!trace->reason && !who))
		return false;
	finding_claim(out, f, "The kernel reports a hung task%s: %s waits %s%s", times,
		      who ? who : "the task",
		      trace->reason ? finding_name(out, "for %s ", trace->reason->object) : "",
		      where);
	return true;
}

/*
 * Describe the request of a failed allocation: " of order 4 (GFP_ATOMIC|__GFP_COMP)". "": another
 * event, or the request is not printed.
 */
static const char *kernel_request(const struct rule_input *in, struct findings *out,
				  enum kernel_event_kind kind, uint32_t first)
{
	struct log_match m;

	if (kind != KERNEL_NO_PAGES || !log_match_in(in->capture->records->rows.data[first].text,
						     "order:%u, mode:0x%x(%s)", &m))
		return "";
	return finding_name(out, " of order %llu (" STR_FMT ")", (unsigned long long)m.n[0],
			    STR_ARG(m.s[0]));
}

/* The cause of a failed page allocation, by the order and mode of the request in record @first. */
static const char *kernel_pages_cause(const struct rule_input *in, struct findings *out,
				      uint32_t first)
{
	struct log_match m;

	if (!log_match_in(in->capture->records->rows.data[first].text, "order:%u, mode:0x%x(%s)",
			  &m) ||
	    m.n[0] > KERNEL_ORDER_MAX)
		return kernel_words[KERNEL_NO_PAGES].cause;
	if (m.n[0] == 0)
		return str_contains(m.s[0], STR("GFP_ATOMIC"))
			       ? "Not one page was free for an allocation that may not wait "
				 "(GFP_ATOMIC): free memory is short. The caller may have a "
				 "fallback"
			       : "Not one page was free: memory is short, or the request is "
				 "limited "
				 "to a zone or node that is full";
	return finding_name(out,
			    "The request is for %llu contiguous pages, and no such block was "
			    "free: memory is %s. The caller may have a fallback, such as "
			    "vmalloc()",
			    1ULL << m.n[0],
			    m.n[0] > KERNEL_COSTLY_ORDER ? "most likely fragmented"
							 : "short or fragmented");
}

/* Find the last warning before the lockup @event that was printed by the same CPU. NULL: none. */
static const struct kernel_event *kernel_warned(const struct rule_input *in,
						const struct kernel_event *event)
{
	const struct kernel_event *ret = NULL;

	VEC_FOREACH (e, &in->log->kernel_events) {
		if (e->kind == KERNEL_WARNING && e->has_cpu && event->has_cpu &&
		    e->cpu == event->cpu && e->record < event->record)
			ret = e;
	}
	return ret;
}

/*
 * The text @cause. If the CPU of the lockup at record @first printed a warning before, append how
 * the warning may explain the lockup.
 */
static const char *kernel_warned_cause(const struct rule_input *in, struct findings *out,
				       struct finding *f, uint32_t first, const char *cause)
{
	const struct kernel_event *warning = NULL;
	struct kernel_trace trace = { .n = 0 };

	VEC_FOREACH (e, &in->log->kernel_events) {
		if (e->record == first)
			warning = kernel_warned(in, e);
	}
	if (!warning)
		return cause;
	kernel_trace_of(in, warning->record + 1, KERNEL_WARNING, &trace);
	log_words_cite(out, f, in, warning->record);
	return finding_name(
		out,
		"%s. The same CPU printed a warning with its call trace before%s" STR_FMT
		": if many operations warn in a row, as after a device is gone, printing "
		"keeps the CPU busy",
		cause, trace.n ? ", in " : "", STR_ARG(trace.n ? trace.names[0] : STR("")));
}

/* The cause for a CPU that did not schedule, by its call trace. */
static const char *kernel_stuck_cause(const struct rule_input *in, struct findings *out,
				      enum kernel_event_kind kind, uint32_t first,
				      const struct kernel_trace *trace)
{
	const char *repeated;

	if (trace->is_spinning)
		return kernel_again_cause(out, KERNEL_SPINS, trace, "CPU");
	if (trace->is_idle && kind == KERNEL_RCU_STALL)
		return KERNEL_ASLEEP;
	if (trace->is_idle && kind == KERNEL_SOFT_LOCKUP)
		return KERNEL_PAUSED;
	if (trace->is_in_irq)
		return KERNEL_STORM;
	if (trace->is_delay)
		return KERNEL_DELAY;
	if (trace->n_again >= KERNEL_RECURSION)
		return finding_name(
			out,
			STR_FMT " is %u times on the stack: it calls itself%s" STR_FMT
				". Such a recursive walk may visit the same data by many "
				"paths, and this one does not give way",
			STR_ARG(trace->names[0]), trace->n_again, trace->n > 1 ? " through " : "",
			STR_ARG(trace->n > 1 ? trace->names[1] : STR("")));
	repeated = kernel_repeat_says(in, out, first);
	return repeated ? repeated : kernel_busy_with(out, kernel_words[kind].cause, trace);
}

/* The article that must precede the name of @kind: "a " for "hung task". "": none. */
static const char *kernel_article(enum kernel_event_kind kind)
{
	if (kind == KERNEL_OOPS || kind == KERNEL_RCU_STALL)
		return "an ";
	return kind == KERNEL_WARNING || kind == KERNEL_SOFT_LOCKUP || kind == KERNEL_HARD_LOCKUP ||
			       kind == KERNEL_HUNG_TASK || kind == KERNEL_PANIC
		       ? "a "
		       : "";
}

/* number of records of a report in which the machine's name is searched */
#define KERNEL_REPORT   64u
#define KERNEL_MACHINES 16u /* maximum number of machines that are counted */

/*
 * The machine that printed the report at @record: the name of the machine in the lines of the log
 * (node of the stream), or the line "Hardware name: x" of the report. Empty: unknown. Source:
 * kernel/printk, dump_stack_print_info().
 */
static struct str kernel_machine(const struct rule_input *in, uint32_t record)
{
	const struct records *r = in->capture->records;
	uint32_t stream = r->rows.data[record].stream;
	str_id node = r->streams.data[stream].node;

	if (node.v)
		return strings_get(capture_strings(in->capture), node);
	for (uint32_t i = record; i < r->rows.len && i < record + KERNEL_REPORT; i++) {
		struct str text = r->rows.data[i].text;
		size_t at = str_find(text, STR("Hardware name: "));

		if (r->rows.data[i].stream != stream)
			break;
		if (at < text.len)
			return str_skip(text, at);
	}
	return STR_NONE;
}

/*
 * The number of different machines that have reports of @kind in the text. 0: some machines are
 * unknown. *@ret_reports: number of reports.
 */
static unsigned int kernel_machines(const struct rule_input *in, enum kernel_event_kind kind,
				    unsigned int *ret_reports)
{
	struct str seen[KERNEL_MACHINES];
	unsigned int n = 0;

	VEC_FOREACH (e, &in->log->kernel_events) {
		struct str machine = e->kind == kind ? kernel_machine(in, e->record) : STR_NONE;
		unsigned int i = 0;

		if (e->kind != kind)
			continue;
		(*ret_reports)++;
		if (machine.len == 0)
			return 0;
		while (i < n && !str_eq(seen[i], machine))
			i++;
		if (i == KERNEL_MACHINES)
			return 0;
		seen[i] = machine;
		n += i == n;
	}
	return n;
}

/* The clause " on 3 machines"; "": one machine, or an unknown number. */
static const char *kernel_says_machines(const struct rule_input *in, struct findings *out,
					enum kernel_event_kind kind)
{
	unsigned int reports = 0;
	unsigned int n = kernel_machines(in, kind, &reports);

	/* machines of the same type count as one, so there may be more than n machines */
	return n > 1 ? finding_name(out, " on %s%u machines", n < reports ? "at least " : "", n)
		     : "";
}

/*
 * If @kind is a soft lockup whose reports name CPU and time, set the claim: "CPU 10 was stuck for
 * 24 s (soft lockup, task kworker/10:0); at the report RIP was in shelf_walk". The claim does not
 * say that the CPU was stuck in shelf_walk: RIP is the place at one moment, and the CPU may have
 * been stuck in the task, in an interrupt or in a softirq. @n: number of reports; @t: trace of the
 * first report, at the place @where. False: another event, or CPU and time are not printed. Source:
 * kernel/watchdog.c, watchdog_timer_fn().
 */
static bool kernel_claim_stuck(const struct rule_input *in, struct findings *out, struct finding *f,
			       enum kernel_event_kind kind, uint64_t n,
			       const struct kernel_trace *t, const char *where, const char *below)
{
	const struct kernel_event *longest = NULL;
	struct log_match m;
	struct str task, work;

	VEC_FOREACH (e, &in->log->kernel_events) {
		if (e->kind == kind && (!longest || e->seconds > longest->seconds))
			longest = e;
	}
	if (kind != KERNEL_SOFT_LOCKUP || !longest ||
	    !log_match_in(in->capture->records->rows.data[longest->record].text,
			  "CPU#%u stuck for %us! [%s]", &m))
		return false;
	task = str_sub(m.s[0], 0, str_rfind_char(m.s[0], ':'));
	work = kernel_repeat_work(in, longest->record);
	if (work.len)
		task = str_of(finding_name(out, STR_FMT ", work item " STR_FMT, STR_ARG(task),
					   STR_ARG(work)));
	if (n == 1)
		finding_claim(out, f,
			      "CPU %llu was stuck for %llu s (soft lockup, task " STR_FMT ")%s",
			      (unsigned long long)m.n[0], (unsigned long long)m.n[1], STR_ARG(task),
			      *below ? below : kernel_stall_place(in, out, t, "", where));
	else
		finding_claim(out, f,
			      "%llu soft lockups%s: CPU %llu was stuck for %llu s (task " STR_FMT
			      ")%s",
			      (unsigned long long)n, kernel_says_machines(in, out, kind),
			      (unsigned long long)m.n[0], (unsigned long long)m.n[1], STR_ARG(task),
			      *below ? below : kernel_stall_place(in, out, t, "first ", where));
	return true;
}

/*
 * Set the claim of @f about the workqueue lockup at record @first. False: the report names no
 * running item.
 */
static bool kernel_claim_queue(const struct rule_input *in, struct findings *out, struct finding *f,
			       uint32_t first)
{
	struct kernel_queue q;
	const char *claim;

	kernel_queue_read(in, first, &q);
	claim = kernel_queue_says(out, &q);
	if (!claim)
		return false;
	finding_claim(out, f, "%s", claim);
	finding_figure(f, "items that wait", (double)q.n_pending, 0, "");
	log_words_cite(out, f, in, q.running_record);
	if (q.n_pending)
		log_words_cite(out, f, in, q.pending_record);
	return true;
}

/* Cite the lines of the RCU stall @s, and add its figures. */
static void kernel_stall_cite(const struct rule_input *in, struct findings *out, struct finding *f,
			      const struct kernel_stall *s)
{
	for (unsigned int i = 0; i < s->n && i < KERNEL_STALL_CPUS; i++) {
		if (i == 0 || s->records[i] != s->records[i - 1])
			log_words_cite(out, f, in, s->records[i]);
	}
	if (s->n)
		finding_figure(f, "stalled CPUs", (double)s->n, 0, "");
	if (!s->jiffies)
		return;
	log_words_cite(out, f, in, s->jiffies_record);
	finding_figure(f, "age of the grace period", (double)s->jiffies, 0, "jiffies");
}

/* The text @cause, with facts from the ticks and "fqs=" of the stalled CPUs. */
static const char *kernel_stall_cause(struct findings *out, const char *cause,
				      const struct kernel_stall *s)
{
	if (s->n == 0 || s->n_tickless < s->n)
		return cause;
	return finding_name(out,
			    "%s. 0 ticks: no timer interrupt came, so the CPU did not run, had "
			    "interrupts off, or was idle%s",
			    cause,
			    s->n_unforced == s->n ? ". fqs=0: the thread of RCU made no scan in "
						    "this time, either"
						  : "");
}

/* Add the next step for an event of @kind. @t: its call trace; @s: its RCU stall. */
static void kernel_next(const struct rule_input *in, struct findings *out, struct finding *f,
			enum kernel_event_kind kind, const struct kernel_trace *t,
			const struct kernel_stall *s)
{
	const struct kernel_event *hung = NULL;

	VEC_FOREACH (e, &in->log->kernel_events) {
		if (e->kind == KERNEL_HUNG_TASK && e->has_pid && !hung)
			hung = e;
	}
	if ((kind == KERNEL_SOFT_LOCKUP || kind == KERNEL_HARD_LOCKUP) && !t->n && !t->is_idle)
		finding_next(out, f,
			     "journalctl -k: the stack of that CPU, which is not in this "
			     "text; in a "
			     "guest, vmstat 1: st (steal time)");
	else if (kind == KERNEL_RCU_STALL && !t->n && !t->is_idle)
		finding_next(out, f,
			     "journalctl -k, or the serial console: the stack%s of %s, "
			     "which %s not "
			     "in this text",
			     s->n > 1 ? "s" : "", kernel_stall_cpus(out, s),
			     s->n > 1 ? "are" : "is");
	else if (kind == KERNEL_RCU_STALL)
		finding_next(out, f, "read the stack of %s in the log", kernel_stall_cpus(out, s));
	else if (kind == KERNEL_HUNG_TASK && t->reason && (!t->is_server || t->is_server_reason))
		finding_next(out, f, "%s", t->reason->next);
	else if (kind == KERNEL_HUNG_TASK && !t->n)
		finding_next(out, f,
			     "echo w > /proc/sysrq-trigger: the stacks of all blocked tasks, in "
			     "dmesg%s",
			     hung ? finding_name(out, "; cat /proc/%llu/stack",
						 (unsigned long long)hung->pid)
				  : "");
	else
		finding_next(out, f, "%s", kernel_words[kind].next);
}

static void kernel_finding(const struct rule_input *in, struct findings *out,
			   enum kernel_event_kind kind, uint64_t n)
{
	const struct kernel_words *words = &kernel_words[kind];
	struct finding *f = finding_add(out, in, &rule_kernel_trouble, words->severity, 97);
	uint64_t seconds = 0;
	uint32_t cited = 0;
	uint32_t first = INDEX_NONE;
	struct kernel_trace trace = { .n = 0 }, above = { .n = 0 };
	struct kernel_stall stall = { .n = 0 };
	const struct kernel_event *other = NULL;
	struct kernel_trace other_trace;
	const char *cause;
	const char *where;
	const char *below;
	const char *times;

	finding_figure(f, "reports", (double)n, 0, "");
	VEC_FOREACH (e, &in->log->kernel_events) {
		if (e->kind != kind)
			continue;
		/*
		 * use the first report with a call trace; if no report has one, use the first
		 * report
		 */
		if (first == INDEX_NONE || !trace.n) {
			kernel_trace_of(in, e->record + 1, kind, &trace);
			if (first == INDEX_NONE || trace.n)
				first = e->record;
		}
		if (cited++ < LOG_EVIDENCE_MAX)
			log_words_cite(out, f, in, e->record);
		seconds = e->seconds > seconds ? e->seconds : seconds;
	}
	/* a hung task is reported as soon as its wait reaches a limit, so the wait may be longer */
	if (seconds)
		finding_figure(f, kind == KERNEL_HUNG_TASK ? "blocked for more than" : "longest",
			       (double)seconds, 0, "s");
	if (kind == KERNEL_RCU_STALL && first != INDEX_NONE) {
		kernel_stall_read(in, first, &stall);
		kernel_stall_cite(in, out, f, &stall);
	}
	if (!trace.n && !trace.is_idle && first != INDEX_NONE)
		kernel_trace_above(in, first, &above);
	if (kind == KERNEL_HUNG_TASK && trace.n)
		other = kernel_other(in, &trace, &other_trace);
	if (other) {
		if (kernel_have_common(&trace, &other_trace))
			log_words_cite(out, f, in, trace.records[0]);
		first = other->record;
		trace = other_trace;
	}
	times = n == 1 ? ""
		       : finding_name(out, " %llu times%s%s", (unsigned long long)n,
				      kernel_says_machines(in, out, kind),
				      other     ? ", one of them"
				      : trace.n ? ", first"
						: "");
	where = trace.n ? kernel_where(in, out, kind, first, &trace) : "";
	below = above.n ? finding_name(out, ", below an earlier report's stack %s",
				       kernel_where(in, out, kind, first, &above))
			: "";
	if (!(kind == KERNEL_HUNG_TASK &&
	      kernel_claim_hung(in, out, f, first, &trace, times, where, below)) &&
	    !(kind == KERNEL_WORKQUEUE && n == 1 && kernel_claim_queue(in, out, f, first)) &&
	    !kernel_claim_stuck(in, out, f, kind, n, &trace, where, below))
		finding_claim(out, f, "The kernel reports %s%s%s%s%s%s%s", kernel_article(kind),
			      kernel_event_name(kind),
			      kind == KERNEL_RCU_STALL && n == 1 ? kernel_stall_says(out, &stall)
			      : trace.n ? kernel_request(in, out, kind, first)
					: "",
			      times,
			      !trace.n                               ? ""
			      : n == 1 && (stall.n || stall.jiffies) ? ", "
								     : " ",
			      where, below);
	if (trace.n && trace.helper.len)
		log_words_cite(out, f, in, trace.helper_record);
	if (trace.n)
		log_words_cite(out, f, in, trace.records[0]);
	if (above.n)
		log_words_cite(out, f, in, above.records[0]);
	cause = words->cause;
	if (kind == KERNEL_SOFT_LOCKUP || kind == KERNEL_HARD_LOCKUP || kind == KERNEL_RCU_STALL)
		cause = kernel_stuck_cause(in, out, kind, first, &trace);
	if (kind == KERNEL_SOFT_LOCKUP && trace.is_softirq && !trace.is_in_irq)
		cause = finding_name(out,
				     "%s. The stack is that of a softirq: the task may be "
				     "only what it interrupted%s",
				     cause,
				     trace.is_spinning
					     ? ", or it holds this lock itself, taken without "
					       "disabling softirqs (spin_lock instead of "
					       "spin_lock_bh)"
					     : "");
	if (kind == KERNEL_RCU_STALL)
		cause = kernel_stall_cause(out, cause, &stall);
	if (kind == KERNEL_SOFT_LOCKUP && !trace.n && first != INDEX_NONE)
		cause = kernel_warned_cause(in, out, f, first, cause);
	if (kind == KERNEL_NO_PAGES && first != INDEX_NONE)
		cause = trace.is_swap_out ? KERNEL_SWAP_OUT : kernel_pages_cause(in, out, first);
	if (kind == KERNEL_LOCK_TWICE && first != INDEX_NONE)
		cause = kernel_recursion_cause(in->capture->records, first);
	if (trace.is_test) {
		f->severity = FINDING_NOTE;
		cause = "A test of the kernel (KUnit, lkdtm, rcutorture ...) runs this "
			"code: the "
			"fault may "
			"be deliberate";
	}
	if (kind == KERNEL_HUNG_TASK)
		cause = kernel_hung_cause(in, out, f, above.n ? &above : &trace);
	if (kind == KERNEL_UNDEFINED && first != INDEX_NONE)
		cause = kernel_undefined_cause(in, first);
	if (trace.allocating.len)
		finding_usual_cause(
			out, f,
			"%s. It happens in memory reclaim, inside an allocation by " STR_FMT
			", which may hold locks that reclaim needs (GFP_NOFS, GFP_NOIO)",
			cause, STR_ARG(trace.allocating));
	else
		finding_usual_cause(out, f, "%s", cause);
	finding_because(out, f, "the kernel itself reports it; the cause is inferred");
	kernel_next(in, out, f, kind, &trace, &stall);
}

/*
 * Is there another capture with a thread dump from the same lines of the input? Then the rules for
 * thread dumps explain the stacks.
 */
static bool kernel_has_threads(const struct rule_input *in)
{
	VEC_FOREACH (c, &in->facts->dossier->captures) {
		if ((*c)->threads && (*c)->first_line <= in->capture->last_line &&
		    (*c)->last_line >= in->capture->first_line)
			return true;
	}
	return false;
}

/*
 * Find the record with the function of RIP for the call trace that begins at record @at: "RIP:
 * 0010:[<...>] f+0x1b3/0x480" or "RIP: 0010:f+0x1b3/0x480". (In damaged logs, the function is in
 * the next record.) Returns @at if there is no such record, or if RIP is no function of the kernel.
 */
static uint32_t kernel_rip(const struct records *r, uint32_t at)
{
	for (uint32_t i = at; i > 0 && i + KERNEL_REGISTERS > at; i--) {
		struct str text = str_ltrim(r->rows.data[i - 1].text);

		if (str_glob(STR(KERNEL_TRACE_BEGINS), text))
			break;
		if (!str_starts(text, STR("RIP: ")))
			continue;
		if (kernel_trace_frame(text, false).len)
			return i - 1;
		text = str_ltrim(r->rows.data[i].text);
		return str_starts(text, STR("[<")) && kernel_trace_frame(text, false).len ? i : at;
	}
	return at;
}

/*
 * Find a worker of a workqueue that used a whole CPU, in another table. *@ret: the input with the
 * capture of the table. NULL: none.
 */
static const struct counter *kernel_busy_worker(const struct rule_input *in, struct rule_input *ret)
{
	const struct dossier *d = in->facts->dossier;

	for (uint32_t i = 0; i < d->captures.len; i++) {
		const struct capture *c = d->captures.data[i];

		if (!c->counters)
			continue;
		VEC_FOREACH (row, &c->counters->rows) {
			bool is_thread;
			struct str task = counter_task_name(
				strings_get(capture_strings(c), row->key), &is_thread);

			if (!str_starts(task, STR("kworker/")) ||
			    !str_eq(strings_get(capture_strings(c), row->name), STR("%CPU")) ||
			    !(counter_value(row) >= KERNEL_BUSY_PCT))
				continue;
			*ret = *in;
			ret->capture = c;
			ret->number = i;
			return row;
		}
	}
	return NULL;
}

/*
 * Complete @f, a finding about a call trace that the kernel printed after the registers of a CPU.
 * The register RIP shows which function the CPU ran. Without RIP, the trace might belong to a task
 * that sleeps.
 */
static void kernel_running(const struct rule_input *in, struct findings *out, struct finding *f,
			   const struct kernel_trace *t)
{
	struct rule_input other = *in;
	const struct counter *row = t->is_worker ? kernel_busy_worker(in, &other) : NULL;

	finding_claim(out, f,
		      "A CPU ran " STR_FMT ", called from " STR_FMT "%s" STR_FMT
		      ", when the kernel printed its stack",
		      STR_ARG(t->names[0]), STR_ARG(t->names[1]), t->n > 2 ? " and " : "",
		      STR_ARG(t->n > 2 ? t->names[2] : STR("")));
	log_words_cite(out, f, in, t->records[0]);
	log_words_cite(out, f, in, t->records[1]);
	if (row) {
		struct str task = strings_get(capture_strings(other.capture), row->key);

		finding_evidence(out, f, &other, row->line, STR_FMT " uses %.4g %% of a CPU",
				 STR_ARG(task), counter_value(row));
		finding_usual_cause(out, f,
				    "The stack is that of a worker (worker_thread), and " STR_FMT
				    " uses a whole CPU: likely the same task, which does not leave "
				    "this function or calls it again and again",
				    STR_ARG(task));
	}
	finding_because(out, f,
			"RIP is the code that the CPU ran at this moment; no known message begins "
			"the trace\n"
			"whether it stays there");
	finding_next(out, f,
		     "echo l > /proc/sysrq-trigger, three times: RIP in one function each "
		     "time is a "
		     "loop; perf record -a -g shows its callers");
}

/* First record of the series of messages before the call trace at record @at. */
static uint32_t kernel_burst(const struct records *r, uint32_t at)
{
	uint32_t from = at;

	while (from && at - from < KERNEL_BURST_RECORDS &&
	       r->rows.data[from - 1].time_ns + KERNEL_BURST_NS >= r->rows.data[from].time_ns)
		from--;
	return from;
}

/*
 * Add a finding about the first call trace without a known title. It names the functions and the
 * first message of the series. False: there is no such trace.
 */
static bool kernel_untitled(const struct rule_input *in, struct findings *out)
{
	const struct records *r = in->capture->records;
	struct kernel_trace trace = { .n = 0 };
	struct finding *f;
	uint32_t at = 0;
	uint32_t first, rip;

	while (at < r->rows.len &&
	       !str_glob(STR(KERNEL_TRACE_BEGINS), str_ltrim(r->rows.data[at].text)))
		at++;
	rip = at < r->rows.len ? kernel_rip(r, at) : at;
	if (at < r->rows.len)
		kernel_trace_of(in, rip < at ? rip : at + 1, KERNEL_EVENT_KINDS, &trace);
	/* "sysrq" in the first function: a user requested this trace */
	if (trace.n < 2 || str_glob(STR("*sysrq*"), trace.names[0]))
		return false;
	first = kernel_burst(r, at);
	f = finding_add(out, in, &rule_kernel_trouble, FINDING_NOTE, KERNEL_SURE_UNTITLED);
	finding_figure(f, "functions of the trace that are named", (double)trace.n, 0, "");
	if (rip < at && trace.records[0] == rip) {
		kernel_running(in, out, f, &trace);
		return true;
	}
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
		/* events of kind KERNEL_OOM belong to the rule out-of-memory */
		if (n[kind] && kind != KERNEL_OOM)
			kernel_finding(in, out, (enum kernel_event_kind)kind, n[kind]);
	}
	if (in->log->kernel_events.len == 0 && in->capture->records->is_kernel &&
	    (kernel_has_threads(in) || !kernel_untitled(in, out)))
		finding_clean(out, in, &rule_kernel_trouble, "no oops, lockup, hung task or stall");
}

const struct rule rule_kernel_trouble = {
	.id = "kernel-trouble",
	.title = "Kernel oops, lockup, hung task or stall",
	.needs = RULE_LOG,
	.check = kernel_check,
};
