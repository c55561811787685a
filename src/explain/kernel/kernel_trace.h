/* SPDX-License-Identifier: MIT */
/*
 * kernel_trace.h - the call trace after a report of the kernel: its functions, their kinds of work,
 * and the reason why the reported task or CPU waits
 *
 * Names are borrowed from the records.
 */
#ifndef EXPLAIN_KERNEL_TRACE_H
#define EXPLAIN_KERNEL_TRACE_H

#include "analyses/logs/log_summary.h"
#include "analyses/roles.h"
#include "base/str.h"

struct rule_input;
struct self_wait;
struct wait_reason;

#define KERNEL_TRACE_NAMES  3u /* maximum number of functions that a finding names */
#define KERNEL_TRACE_WORKS  2u
#define KERNEL_TRACE_OWNERS 3u
/* maximum number of innermost frames that may wait for an event */
#define KERNEL_TRACE_WAITS 8u

struct kernel_trace {
	/*
	 * up to three functions that show where the task or CPU was, innermost first; records:
	 * their records
	 */
	struct str names[KERNEL_TRACE_NAMES];
	uint32_t records[KERNEL_TRACE_NAMES];
	size_t n; /* number of elements of `names`; 0: no call trace */
	/*
	 * For a hung task: a function that waits on behalf of any caller, such as flush_work(), and
	 * is called by names[0]. Empty: none.
	 */
	struct str helper;
	uint32_t helper_record; /* record of `helper`; not set if that is empty */
	/* how many frames names[0] has; more than 1: names[0] is recursive */
	unsigned int n_again;
	bool is_softirq;     /* the code on the stack runs in a softirq */
	bool is_interrupted; /* the softirq interrupted names[0] */
	bool is_socket;      /* a frame sends or receives on a socket */
	bool is_idle;        /* the CPU is in its idle loop */
	bool is_test;        /* a test of the kernel runs the code */
	bool is_delay;       /* the CPU waits in a delay loop */
	bool is_server;      /* the task waits for a network file server */
	bool is_behind; /* the task waits for another task, for example for the owner of a lock */
	/* the CPU is just entering or leaving an interrupt or softirq, but not in a handler */
	bool is_in_irq;
	bool is_spinning; /* names[0] calls a function that spins on a lock */
	/*
	 * the reason why names[0], or a function that it calls, waits; NULL: the reason is unknown,
	 * or the wait is for a lock
	 */
	const struct wait_reason *reason;
	/* `reason` comes from a function that waits for a network file server */
	bool is_server_reason;
	bool is_worker;   /* the task is a worker of a workqueue */
	bool is_swap_out; /* a page is being written to the swap area, and this requires memory */
	/*
	 * Is set if the stack leaves a kernel module and enters it again further inwards.
	 * again_module: this module; again_caller: the innermost function of the outer part. Empty:
	 * none.
	 */
	struct str again_module, again_caller;
	/* function whose allocation has to free memory first (direct reclaim); empty: none */
	struct str allocating;
	enum role works[KERNEL_TRACE_WORKS]; /* kinds of work on the stack, innermost first */
	size_t n_works;
	/*
	 * The innermost functions that are no helpers: helpers (memory, copies, sorting) work for
	 * any caller.
	 */
	struct str owners[KERNEL_TRACE_OWNERS];
	size_t n_owners;
	/* the innermost functions, which may wait for an event */
	struct str waits[KERNEL_TRACE_WAITS];
	size_t n_waits;
	/* the task waits for an event that it brings about itself; NULL: not so */
	const struct self_wait *self;
};

/*
 * The function in a line of a call trace: "iomap_finish_ioend" for "iomap_finish_ioend+0xd7/0x1c0".
 * A line with "?", or in round brackets, is an unreliable frame, which is used only if
 * @takes_guesses is set. Empty: the line is no frame.
 */
struct str kernel_trace_frame(struct str text, bool takes_guesses);
/*
 * Read the call trace that begins at record @from into @t. Unreliable frames ("? f") are used only
 * if the trace has no other frames.
 */
void kernel_trace_of(const struct rule_input *in, uint32_t from, enum kernel_event_kind kind,
		     struct kernel_trace *t);
/*
 * Read the call trace before the log's first report, which is at @record. This trace belongs to an
 * earlier report whose title is missing. t->n is 0 if @record is not the first report, or if no
 * trace precedes it.
 */
void kernel_trace_above(const struct rule_input *in, uint32_t record, struct kernel_trace *t);

#endif
