/* SPDX-License-Identifier: MIT */
/*
 * Unwind the user part of call chains from the user registers and the top of the user stack, which
 * samples of `perf record --call-graph dwarf` contain. The kernel part of these chains is recorded
 * as usual.
 */
#include "formats/perf_data/perf_data_reader.h"

#include "base/limits.h"
#include "base/status.h"
#include "core/diag.h"
#include "formats/perf_data/perf_data_sample.h"
#include "symbols/resolver/resolver.h"
#include "symbols/unwind/unwind.h"

#define PERF_REGS_ABI_64 2u

static const struct diag_kind perf_data_no_unwind = {
	"perf-data-no-unwind", DIAG_DATALOSS,
	"samples with user stacks of 32-bit programs or other machines, which assay cannot unwind"
};

void perf_unwind(struct perf_reader *r, const struct perf_sample *s, uint64_t where,
		 struct diag *diag)
{
	const struct perf_regs *regs = &s->user_regs;
	uint64_t values[64];
	uint64_t places[LIMIT_UNWIND_FRAMES];
	struct unwind_sample u;
	size_t n;

	if (regs->abi == 0) /* a kernel thread has no user registers */
		return;
	if (regs->values.n > ARRAY_LEN(values) || r->file.is_big_endian ||
	    regs->abi != PERF_REGS_ABI_64) {
		diag_count(diag, &perf_data_no_unwind, 0);
		return;
	}
	for (size_t i = 0; i < regs->values.n; i++)
		values[i] = perf_word(regs->values, i);
	if (!unwind_take_regs(&u, regs->mask, values, (size_t)regs->values.n)) {
		diag_count(diag, &perf_data_no_unwind, 0);
		return;
	}
	u.stack = (const uint8_t *)s->user_stack.p;
	u.stack_bytes = s->user_stack.len;
	n = resolver_unwind(r->resolver, s->pid, &u, places, ARRAY_LEN(places));
	for (size_t i = 0; i < n; i++) {
		if (places[i])
			perf_add_frame(r, places[i], where);
	}
}
