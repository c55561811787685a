/* SPDX-License-Identifier: MIT */
/*
 * The program allocates and frees all the time: small objects are made and thrown away in
 * a hot path.
 *
 * Thresholds, of the time that is not idle: Programs in good health spend 3 to 6 % in the
 * allocator.
 */
#include "explain/signature.h"

#define MALLOC_CHURN_NOTE_PCT 7.0
#define MALLOC_CHURN_LEAD_PCT 20.0

static const struct signature malloc_churn = {
	.functions = "malloc|free|cfree|calloc|realloc|_int_malloc|_int_free*|"
		     "_int_realloc|__libc_malloc|__libc_calloc|__libc_free|"
		     "__libc_realloc|__GI___libc_*alloc|__GI___libc_free|"
		     "malloc_consolidate|unlink_chunk*|sysmalloc|systrim*|arena_get*|"
		     "tcache_*|operator new*|operator delete*|xmalloc|xmemdup|xzalloc|"
		     "xrealloc|x2nrealloc|je_*|tc_malloc*|tc_free*|tc_new*|tc_delete*|tc_calloc|"
		     "tc_realloc|tcmalloc::*|mi_malloc*|mi_free*|"
		     "_mi_*|arena_malloc*|arena_dalloc*|tsd_*|PyObject_Malloc|"
		     "PyObject_Free|_PyObject_Malloc|_PyObject_Free|xstrdup|__strdup",
	.through = "malloc|calloc|realloc|free|xmalloc|xzalloc|xmemdup|x*alloc|"
		   "operator*|_int_*|__libc_*|__GI_*|je_*|tcmalloc*|std::*",
	.note_pct = MALLOC_CHURN_NOTE_PCT,
	.lead_pct = MALLOC_CHURN_LEAD_PCT,
	.sure_note = 60,
	.sure_lead = 76,
	.is_user = true,
	.what = "allocates and frees memory",
	.name = "the allocator of the program",
	.cause = "objects are made and thrown away in a hot path, or the allocator itself is slow "
		 "(arenas that threads share, memory given back and taken again)",
	.because = "the allocator is work that no user of the program asked for",
	.next = { "perf record -g: who allocates most; or: heaptrack, bpftrace on "
		  "malloc",
		  "reuse objects, use arenas or the stack; then try another allocator" },
};

const struct rule rule_malloc_churn = {
	.id = "malloc-churn",
	.title = "the program allocates and frees all the time",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &malloc_churn,
};
