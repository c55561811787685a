/* SPDX-License-Identifier: MIT */
/*
 * explain.c - CPU time from a parsed capture to findings
 *
 * Fills a profile with a hundred thousand distinct stacks of made-up programs that run through
 * kernel functions for which rules exist. Prints the CPU time of the facts and of all rules. Given
 * files, it measures those instead.
 */
#include "explain/explain.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "formats/load.h"

#include "gen.h"

#include <stdio.h>
#include <time.h>

#define EXPLAIN_STACKS 100000u
#define EXPLAIN_RUNS   9u

/* Leaves that trigger rules: shares, callers and callees. */
static const char *const explain_leaves[] = {
	"native_queued_spin_lock_slowpath",
	"mutex_spin_on_owner",
	"clear_page_erms",
	"copy_user_enhanced_fast_string",
	"__x86_indirect_thunk_rax",
	"page_counter_try_charge",
	"kmem_cache_alloc",
	"_raw_spin_lock",
	"ipt_do_table",
	"abort",
	"do_coredump",
	"handle_mm_fault",
	"shrink_slab",
	"compact_zone",
	"pthread_mutex_lock",
	"malloc",
};

static double explain_now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static stack_id explain_push(struct capture *c, stack_id at, const char *name,
			     enum symbol_space space)
{
	sym_id sym = symbols_add_text(
		capture_symbols(c), str_of(name),
		space == SPACE_KERNEL ? STR("[kernel.kallsyms]") : STR("server"), space, 0);

	return stacks_push(&capture_profile(c)->stacks, at, sym);
}

static void explain_fill(struct capture *c)
{
	struct profile *p = capture_profile(c);
	uint64_t state = 1;
	uint32_t known = 0;

	p->unit = WEIGHT_SAMPLES;
	for (uint32_t n = 0; n < EXPLAIN_STACKS;) {
		struct gen_frame frames[GEN_DEPTH];
		uint32_t comm = gen_skewed(&state, GEN_COMMS);
		uint32_t depth = gen_walk(&state, comm, frames);
		uint64_t kind = gen_random(&state);
		stack_id at = STACK_ROOT;
		char name[160];

		(void)gen_comm(name, sizeof(name), comm);
		at = stacks_push(&p->stacks, at,
				 symbols_add_text(capture_symbols(c), str_of(name), STR_NONE,
						  SPACE_COMM, 0));
		for (uint32_t i = 0; i < depth; i++) {
			(void)gen_name(name, sizeof(name), frames[i].function);
			at = explain_push(c, at, name, SPACE_USER);
		}
		(void)gen_name(name, sizeof(name), (uint32_t)(kind >> 20) % GEN_FUNCTIONS);
		at = explain_push(c, at, name, SPACE_USER);
		at = explain_push(c, at, "do_syscall_64", SPACE_KERNEL);
		if (kind & 1)
			at = explain_push(c, at,
					  explain_leaves[(kind >> 8) % ARRAY_LEN(explain_leaves)],
					  SPACE_KERNEL);
		n += at.v >= known; /* a new node means a new stack */
		known = stacks_count(&p->stacks);
		if (profile_add_sample(p, at, 1) < 0)
			return;
	}
}

static int explain_compare(const void *a, const void *b)
{
	const double *x = a;
	const double *y = b;

	return (*x > *y) - (*x < *y);
}

/* The median of several runs of each part. */
static void explain_measure(struct dossier *d)
{
	double facts_ms[EXPLAIN_RUNS];
	double rules_ms[EXPLAIN_RUNS];
	double both_ms[EXPLAIN_RUNS];
	size_t n = 0;

	for (unsigned int i = 0; i < EXPLAIN_RUNS; i++) {
		struct findings found = { .rows = VEC_INIT };
		double before = explain_now_ms();
		struct facts *facts = facts_new(d);
		double between = explain_now_ms();

		explain_run(facts, NULL, &found);
		facts_ms[i] = between - before;
		rules_ms[i] = explain_now_ms() - between;
		both_ms[i] = facts_ms[i] + rules_ms[i];
		n = found.rows.len;
		findings_fini(&found);
		facts_free(facts);
	}
	qsort(facts_ms, EXPLAIN_RUNS, sizeof(*facts_ms), explain_compare);
	qsort(rules_ms, EXPLAIN_RUNS, sizeof(*rules_ms), explain_compare);
	qsort(both_ms, EXPLAIN_RUNS, sizeof(*both_ms), explain_compare);
	printf("explaining: facts %.1f ms, rules %.1f ms, together %.1f ms of CPU; %zu findings\n",
	       facts_ms[EXPLAIN_RUNS / 2], rules_ms[EXPLAIN_RUNS / 2], both_ms[EXPLAIN_RUNS / 2],
	       n);
}

int main(int argc, char **argv)
{
	struct dossier *d = dossier_new();
	struct error err = { "" };

	if (argc > 1) {
		for (int i = 1; i < argc; i++) {
			if (load_input(d, argv[i], NULL, &err) < 0)
				printf("%s: %s\n", argv[i], err.msg);
		}
	} else {
		struct capture *c = dossier_add(d, "bench");

		explain_fill(c);
		printf("%zu samples, %u distinct stacks, %u nodes, %zu functions\n",
		       c->profile->samples.n, EXPLAIN_STACKS, stacks_count(&c->profile->stacks),
		       d->symbols.rows.len);
	}
	explain_measure(d);
	dossier_free(d);
	return 0;
}
