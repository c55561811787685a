/* SPDX-License-Identifier: MIT */
/*
 * A short cycle of functions takes nearly all of the time: one loop that goes
 * round without end, or a search repeated for each element.
 *
 * Thresholds: five functions that have 65 % of the busy time and none of them
 * alone 60 % (that would be one hot function); a busy program of many parts has
 * its five hottest functions below 40 %.
 */
#include "explain/signature.h"

#include <stdio.h>

#define LOOP_FUNCTIONS 5
#define LOOP_LEAD_PCT  65.0
#define LOOP_ONE_PCT   60.0
/* The smallest of them still belongs to the cycle with this share. */
#define LOOP_LEAST_PCT 2.0

/* A rule that is so sure has the story. */
#define LOOP_TOLD_SURE 75u

/* Not a cycle of the program's own: other rules speak about these. */
static const char *const loop_others[] = {
	"locking",       "idle",         "memory/copy", "memory/user-copy", "mitigation",
	"syscall-entry", "memory/alloc", "allocator",   "memory/dma",       "epoll",
	"poll",          "unsymbolised", "page-fault",  "interpreter",      "crypto",
	"compression",   "crash",        "interrupt",   "string",           "reclaim",
	"memory/cgroup", "libc",         "debug",       "tracing",          "timekeeping",
	"scheduling",    "bpf",
};

static bool loop_is_other(const struct rule_input *in, const struct fact_function *f)
{
	if (signature_is_ring(facts_name(in->facts, f->sym)))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(loop_others); i++) {
		if (category_is_in(f->category, str_of(loop_others[i])))
			return true;
	}
	return false;
}

static void loop_finding(const struct rule_input *in, struct findings *out,
			 const struct fact_function *const *cycle, size_t n, double sum)
{
	/* programs compute in small loops for good reason; the kernel seldom does */
	bool is_kernel =
		symbols_get(capture_symbols(in->capture), cycle[0]->sym)->space == SPACE_KERNEL;
	/* what a rule says of its hottest function is the story; the cycle is a remark */
	bool is_told = signature_is_told(in, out, cycle[0], LOOP_TOLD_SURE);
	bool leads = is_kernel && !is_told && !signature_is_few(in);
	struct finding *f = finding_add(out, in, &rule_tight_loop,
					leads ? FINDING_WARNING : FINDING_NOTE, leads ? 65 : 50);
	char names[512] = "";
	size_t used = 0;

	f->impact = sum;
	for (size_t i = 0; i < n; i++) {
		struct str name = str_sub(facts_name(in->facts, cycle[i]->sym), 0, 64);
		int written = snprintf(names + used, sizeof(names) - used, "%s'" STR_FMT "'",
				       i ? ", " : "", STR_ARG(name));

		if (written > 0 && used + (size_t)written < sizeof(names))
			used += (size_t)written;
		finding_evidence(out, f, in, cycle[i]->line, STR_FMT " %.2f %%", STR_ARG(name),
				 cycle[i]->self);
	}
	finding_claim(out, f, "%zu functions take %.2f %% of the %s: %s", n, sum,
		      in->profile->unit.of, names);
	finding_figure(f, "share of the cycle", sum, 0, "%");
	finding_cause(out, f,
		      "a loop goes round without end or advances too little, or repeats one "
		      "search for each element");
	finding_because(out, f,
			"work with an end visits more functions; a profile does not show how "
			"often the loop goes round");
	finding_next(out, f, "perf stat -p PID and the progress counters: does it get anywhere");
	finding_next(out, f,
		     "perf record -g; trace-cmd record -p function -l %s: arguments that repeat",
		     finding_word(out, facts_name(in->facts, cycle[0]->sym), true));
}

static void loop_check(const struct rule_input *in, struct findings *out)
{
	const struct fact_function *cycle[LOOP_FUNCTIONS];
	size_t n = 0;
	double sum = 0;

	if (in->profile->functions.len == 0 || !signature_can_judge(in, out, &rule_tight_loop))
		return;
	VEC_FOREACH (f, &in->profile->functions) {
		if (n == ARRAY_LEN(cycle) || f->self < LOOP_LEAST_PCT)
			break;
		if (loop_is_other(in, f))
			continue;
		cycle[n++] = f;
		sum += f->self;
	}
	if (n >= 3 && signature_of_busy(in, sum) >= LOOP_LEAD_PCT && cycle[0]->self < LOOP_ONE_PCT)
		loop_finding(in, out, cycle, n, sum);
	else
		finding_clean(out, in, &rule_tight_loop,
			      n == 1 ? "the %zu hottest function of its own has %.2f %%"
				     : "the %zu hottest functions of its own have %.2f %%",
			      n, sum);
}

const struct rule rule_tight_loop = {
	.id = "tight-loop",
	.title = "a short cycle of functions takes nearly all",
	.needs = RULE_PROFILE | RULE_LAST,
	.events = EVENT_IS_WORK,
	.hides_pct = LOOP_LEAD_PCT,
	.check = loop_check,
	.is_general = true,
};
