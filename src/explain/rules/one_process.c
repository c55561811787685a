/* SPDX-License-Identifier: MIT */
/*
 * A profile of one process whose work waits for others: what kernel threads,
 * interrupts on other CPUs and the partner of a hand-over do is not in it.
 *
 * Thresholds: all rows are of one command, and 2 % or more of the time are calls
 * that hand work to others (waking, waiting, queueing work, write-back, reclaim by
 * others); a process that only computes has nothing to hand over.
 */
#include "explain/signature.h"

#define ONE_HANDED_PCT 2.0
/* Functions that hand work to kernel threads or wait for what they do. */
#define ONE_HANDS_OVER                                                                        \
	"try_to_wake_up|__queue_work|queue_work_on|queue_delayed_work*|__wake_up*|"           \
	"wait_for_completion*|wait_on_page_*|folio_wait_*|io_schedule*|balance_dirty_pages*|" \
	"jbd2_log_wait*|wait_transaction_locked|kick_process|ttwu_*|blk_mq_run_hw_queue*|"    \
	"__blk_mq_*|kblockd_*|raise_softirq*|__napi_schedule*|netif_rx*|enqueue_to_backlog|"  \
	"wakeup_kswapd|wb_*|__writeback_*|xlog_*|io_wq_*|io_queue_iowq|submit_bio*|"          \
	"futex_wait*|futex_wake*|ep_poll_callback|pipe_write|eventfd_signal*"

/* The one command of all rows or samples; false: several, or with STR_ID_NONE not said. */
static bool one_command(const struct rule_input *in, str_id *ret)
{
	const struct profile *p = in->capture->profile;
	const struct symbols *symbols = capture_symbols(in->capture);
	str_id found = STR_ID_NONE;

	*ret = found;
	VEC_FOREACH (row, &p->table.rows) {
		if (!(row->has & ROW_HAS_COMM))
			return false;
		*ret = row->comm;
		if (found.v && row->comm.v != found.v)
			return false;
		found = row->comm;
	}
	VEC_FOREACH (t, &p->threads) {
		*ret = t->comm;
		if (found.v && t->comm.v != found.v)
			return false;
		found = t->comm;
	}
	if (p->threads.len == 0 && p->table.rows.len == 0) {
		for (uint32_t id = 1; id < stacks_count(&p->stacks); id++) {
			const struct symbol *s =
				symbols_get(symbols, stacks_sym(&p->stacks, (stack_id){ id }));

			if (stacks_parent(&p->stacks, (stack_id){ id }).v || s->space != SPACE_COMM)
				continue;
			*ret = s->name;
			if (found.v && s->name.v != found.v)
				return false;
			found = s->name;
		}
	}
	*ret = found;
	return found.v != 0;
}

static void one_check(const struct rule_input *in, struct findings *out)
{
	const struct profile_facts *p = in->profile;
	struct fact_sum sum;
	str_id comm;
	double pct;
	struct finding *f;

	if (p->functions.len == 0)
		return;
	if (!one_command(in, &comm)) {
		if (comm.v)
			finding_clean(out, in, &rule_one_process,
				      "there are several commands in it");
		else
			finding_not_assessed(out, in, &rule_one_process,
					     "perf report --sort comm,dso,sym",
					     "which commands are in it is not said");
		return;
	}
	if (p->summary.kernel.pct <= 0) {
		finding_not_assessed(out, in, &rule_one_process, "perf record -a -g",
				     "no kernel function is in it, so what is handed to others "
				     "cannot show");
		return;
	}
	sum = facts_sum(p, ONE_HANDS_OVER);
	pct = sum.children > sum.self ? sum.children : sum.self;
	if (pct < ONE_HANDED_PCT || !sum.top) {
		if (100 - p->total >= ONE_HANDED_PCT)
			finding_not_assessed(out, in, &rule_one_process,
					     "perf report --stdio without a limit",
					     "the rows cover %.2f %% of the whole, and the rest "
					     "could hide it",
					     p->total);
		else
			finding_clean(out, in, &rule_one_process,
				      "one command, and %.2f %% of it hands work to others", pct);
		return;
	}
	f = finding_add(out, in, &rule_one_process, FINDING_NOTE, 80);
	finding_claim(out, f,
		      "only '" STR_FMT
		      "' was recorded, and it hands work to others (%.2f %%): what they do is not "
		      "in this profile",
		      STR_ARG(strings_get(capture_strings(in->capture), comm)), pct);
	finding_figure(f, "handing over", pct, sum.err, "%");
	signature_evidence(in, out, f, ONE_HANDS_OVER);
	finding_cause(out, f,
		      "recorded with -p or a command: kernel threads (kworker, kswapd, "
		      "ksoftirqd, jbd2) and interrupts elsewhere are left out");
	finding_because(out, f, "all rows are of one command");
	finding_next(out, f, "perf record -a -g sleep 10, while the same load runs");
}

const struct rule rule_one_process = {
	.id = "one-process",
	.title = "one process of many was recorded, and it hands work to others",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_ANY,
	.check = one_check,
};
