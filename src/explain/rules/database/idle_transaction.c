/* SPDX-License-Identifier: MIT */
/*
 * A database session is idle inside an open transaction. It keeps its locks. If it has a snapshot
 * or has changed rows, vacuum cannot remove dead rows. A failed transaction has neither locks nor a
 * snapshot, and only waits for its ROLLBACK.
 */
#include "explain/words/thread_words.h"

#include "analyses/threads/thread_summary.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/threads.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(idle_transaction);

/* 5 minutes: a program normally sends the next statement of a transaction sooner */
#define IDLE_LONG_NS UINT64_C(300000000000)
#define IDLE_SURE    95u

static bool idle_is_open(const struct rule_input *in, uint32_t row)
{
	struct str state = strings_get(capture_strings(in->capture),
				       threads_summary_row(in->threads, row)->state_text);

	return str_glob(STR("idle in transaction*"), state);
}

static bool idle_is_failed(const struct rule_input *in, uint32_t row)
{
	return str_contains(strings_get(capture_strings(in->capture),
					threads_summary_row(in->threads, row)->state_text),
			    STR("aborted"));
}

/*
 * Age of the session's transaction, ns: the printed age of the transaction or the age of the
 * session's state, whichever is larger. (A transaction is at least as old as a state inside it.)
 */
static uint64_t idle_age(const struct thread_row *row)
{
	return row->transaction_ns > row->age_ns ? row->transaction_ns : row->age_ns;
}

static void idle_check(const struct rule_input *in, struct findings *out)
{
	const struct threads_summary *s = in->threads;
	uint32_t longest = INDEX_NONE;
	uint64_t n = 0, n_open = 0;
	bool has_age = false;
	struct finding *f;

	for (uint32_t i = 0; i < s->rows.len; i++) {
		uint64_t age = idle_age(threads_summary_row(s, i));

		if (!idle_is_open(in, i))
			continue;
		n_open++;
		has_age |= age > 0;
		n += age >= IDLE_LONG_NS;
		if (age >= IDLE_LONG_NS &&
		    (longest == INDEX_NONE || age > idle_age(threads_summary_row(s, longest))))
			longest = i;
	}
	if (n_open && !has_age) {
		finding_not_assessed(out, in, &rule_idle_transaction,
				     "the age of transactions (xact_start)",
				     "no session has the age of its transaction");
		return;
	}
	if (longest == INDEX_NONE) {
		finding_clean(out, in, &rule_idle_transaction,
			      "no session is idle in a transaction of five minutes or more");
		return;
	}
	f = finding_add(out, in, &rule_idle_transaction,
			idle_is_failed(in, longest) ? FINDING_NOTE : FINDING_WARNING, IDLE_SURE);
	finding_claim(out, f, "%s is idle in a transaction that has been open for at least %s%s",
		      thread_words_name(out, in, longest),
		      thread_words_age(out, idle_age(threads_summary_row(s, longest))),
		      n > 1 ? finding_name(out, "; %llu sessions are, for five minutes or more",
					   (unsigned long long)n)
			    : "");
	finding_figure(f, "age of the oldest",
		       (double)idle_age(threads_summary_row(s, longest)) / 1e9, 0, "s");
	finding_figure(f, "sessions idle in a transaction", (double)n_open, 0, "");
	thread_words_cite(out, f, in, longest);
	finding_cause(
		out, f, "%s",
		idle_is_failed(in, longest)
			? "A statement failed, and the client does not roll back. The "
			  "transaction holds no locks and no rows; the connection is taken"
			: "The client does not end its transaction, which keeps its locks. If "
			  "it changed rows or holds a snapshot (backend_xmin is set), VACUUM "
			  "or purge cannot remove old row versions, and tables grow");
	finding_because(out, f, "the state and the age are printed");
	finding_next(out, f,
		     "find the code of this client that waits between BEGIN and COMMIT: a call to "
		     "another service, a user, or a forgotten commit");
}

const struct rule rule_idle_transaction = {
	.id = "idle-transaction",
	.title = "Idle in transaction",
	.needs = RULE_SESSIONS,
	.check = idle_check,
	.is_measured = true,
};
