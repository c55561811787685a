/* SPDX-License-Identifier: MIT */
/*
 * claim_syscalls.c - claims about system calls and library calls of strace, ltrace and truss
 *
 * Counts and times are facts of the recording.
 */
#include "analyses/syscalls/syscalls.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/symbols.h"
#include "explain/claims/claim.h"
#include "explain/claims/claim_build.h"
#include "explain/claims/claim_judge.h"
#include "explain/facts.h"

#include <math.h>

/* Sums over the rows that a claim names. */
struct syscall_sum {
	/*
	 * calls: number of calls; ns: their time; max_ns: time of the longest call. A member is NaN
	 * if one of the rows does not print it
	 */
	double calls, ns, max_ns;
	uint32_t line; /* line of the row with the most calls */
	uint64_t most;
	size_t rows;
};

static void syscall_add(struct syscall_sum *sum, const struct syscall_row *row)
{
	sum->calls += (double)row->calls;
	sum->ns += row->time_ns;
	if (isnan(row->max_ns) || isnan(sum->max_ns))
		sum->max_ns = NAN;
	else
		sum->max_ns = fmax(sum->max_ns, row->max_ns);
	if (!sum->line || row->calls > sum->most) {
		sum->most = row->calls;
		sum->line = row->line;
	}
	sum->rows++;
}

bool claim_syscalls_have(const struct claim *c)
{
	return c->measure == CLAIM_CALLS || c->measure == CLAIM_TIME || c->measure == CLAIM_MEAN ||
	       c->measure == CLAIM_MAX;
}

static void syscall_figure(const struct claim *c, const struct syscall_sum *sum,
			   struct claim_result *r)
{
	r->unit = c->measure == CLAIM_CALLS ? CLAIM_NUMBER : CLAIM_NS;
	r->value = c->measure == CLAIM_CALLS  ? sum->calls
		   : c->measure == CLAIM_TIME ? sum->ns
		   : c->measure == CLAIM_MEAN ? sum->ns / sum->calls
					      : sum->max_ns;
	if (isnan(r->value)) {
		claim_cannot(r, "the times of these calls are unknown", "strace -T, or strace -c");
	} else if (c->kind == CLAIM_FIGURE && c->unit != r->unit) {
		claim_cannot(r, "durations of calls are times", "a claim with ns, us, ms or s");
	} else {
		r->has_figure = true;
		r->low = r->high = r->value;
		r->n = sum->calls;
		r->n_of = "calls";
	}
}

void claim_syscalls_measure(struct claim_state *s, uint32_t number, const struct claim *c,
			    struct claim_result *r)
{
	const struct capture *capture = s->facts->dossier->captures.data[number];
	struct syscall_sum sum = { .rows = 0 };

	if (c->target > CLAIM_OF_FUNCTION || c->n_in || c->under.len || c->is_net_of_tracer) {
		claim_cannot(r, "of a table of calls only functions can be judged",
			     "a claim about a function, without 'in', 'under' and 'net of tracer'");
		return;
	}
	VEC_FOREACH (row, &s->facts->syscalls[number]->rows) {
		if (c->target == CLAIM_OF_ALL ||
		    str_glob(c->name, symbols_name(capture_symbols(capture), row->sym)))
			syscall_add(&sum, row);
	}
	if (sum.rows) {
		syscall_figure(c, &sum, r);
		claim_add_line(r, sum.line);
	} else if (c->may_be_absent && c->measure == CLAIM_CALLS) {
		syscall_figure(c, &sum, r);
	} else {
		claim_names_unknown(capture, c->name, r);
	}
}
