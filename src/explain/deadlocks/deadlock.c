/* SPDX-License-Identifier: MIT */
#include "explain/deadlocks/deadlock.h"

#include "analyses/threads/thread_cross.h"
#include "analyses/threads/thread_summary.h"
#include "analyses/threads/thread_waits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/threads.h"
#include "core/names/package.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/words/thread_words.h"

DECLARE_RULE(thread_deadlock);

struct finding *deadlock_add(const struct rule_input *in, struct findings *out, unsigned int sure)
{
	struct finding *f = finding_add(out, in, &rule_thread_deadlock, FINDING_ERROR, sure);

	f->never_ends = true;
	return f;
}

struct str deadlock_place(const struct rule_input *in, uint32_t row)
{
	return package_strip(thread_words_frame(in, row, in->threads->rows.data[row].place));
}

bool deadlock_is_kernel(const struct rule_input *in)
{
	const struct symbols *symbols = capture_symbols(in->capture);
	bool has_stack = false;

	VEC_FOREACH (g, &in->threads->groups) {
		sym_id sym = threads_summary_sym(in->threads, g->row, 0);

		if (sym.v && symbols_get(symbols, sym)->space != SPACE_KERNEL)
			return false;
		has_stack |= sym.v != 0;
	}
	return has_stack;
}
