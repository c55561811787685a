/* SPDX-License-Identifier: MIT */
/*
 * Requests through a proxy end without an answer, or before the answer is complete.
 * proxy-ends.names explains each state.
 *
 * Thresholds: three requests, and 1 % of all requests to the backend, are a note; 5 % are a
 * warning. Some requests always fail.
 */
#include "explain/words/log_words.h"

#include "analyses/logs/proxy_requests.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/proxy_ends_names.h"
#include "explain/rule.h"

#include <inttypes.h>

DECLARE_RULE(proxy_ends);

#define ENDS_NOTE_PCT 1.0
#define ENDS_LEAD_PCT 5.0
#define ENDS_LEAST    3u
#define ENDS_SURE     90u
#define ENDS_NAME     64u

struct ends_row {
	const char *match;
	const char *what;
	const char *cause;
	const char *next;
};

static const struct ends_row ends_rows[] = { PROXY_END_ROWS };

/*
 * The row for the state in which @e ended. NULL: the state is no failure of the proxy or of a
 * server.
 */
static const struct ends_row *ends_row_of(const struct proxy_end *e)
{
	struct str state = { e->state, sizeof(e->state) };

	for (size_t i = 0; i < ARRAY_LEN(ends_rows); i++) {
		if (str_glob(str_of(ends_rows[i].match), state))
			return &ends_rows[i];
	}
	return NULL;
}

struct ends_sum {
	uint64_t n[ARRAY_LEN(ends_rows)]; /* n[row]: number of requests */
	/* record[row]: index of the log record of the first request */
	uint32_t record[ARRAY_LEN(ends_rows)];
	uint64_t all;
	size_t top; /* row of ends_rows with the most requests */
};

static struct ends_sum ends_sum_of(const struct proxy_requests *p, uint32_t backend)
{
	struct ends_sum sum = { .all = 0 };

	VEC_FOREACH (e, &p->ends) {
		const struct ends_row *row = e->backend == backend ? ends_row_of(e) : NULL;
		size_t at = row ? (size_t)(row - ends_rows) : 0;

		if (!row)
			continue;
		if (sum.n[at] == 0)
			sum.record[at] = e->record;
		sum.n[at] += e->n;
		sum.all += e->n;
		if (sum.n[at] > sum.n[sum.top])
			sum.top = at;
	}
	return sum;
}

static void ends_finding(const struct rule_input *in, struct findings *out,
			 const struct proxy_backend *b, const struct ends_sum *sum)
{
	const struct ends_row *top = &ends_rows[sum->top];
	double share = log_words_pct((double)sum->all, (double)b->n);
	struct finding *f =
		finding_add(out, in, &rule_proxy_ends,
			    share >= ENDS_LEAD_PCT ? FINDING_WARNING : FINDING_NOTE, ENDS_SURE);

	finding_claim(out, f,
		      "%.1f %% of requests to '" STR_FMT "' fail, %" PRIu64 " of %" PRIu64 "%s: %s",
		      share, STR_ARG(str_sub(b->name, 0, ENDS_NAME)), sum->all, b->n,
		      sum->n[sum->top] == sum->all
			      ? ""
			      : finding_name(out, ". Most, %" PRIu64, sum->n[sum->top]),
		      top->what);
	f->impact = share;
	finding_figure(f, "share of requests", share, 0, "%");
	for (size_t i = 0; i < ARRAY_LEN(ends_rows); i++) {
		if (!sum->n[i])
			continue;
		finding_figure(f, ends_rows[i].what, (double)sum->n[i], 0, "");
		log_words_cite(out, f, in, sum->record[i]);
	}
	finding_usual_cause(out, f, "%s", top->cause);
	finding_because(out, f, "the proxy logs how each request ended");
	finding_next(out, f, "%s", top->next);
}

static void ends_check(const struct rule_input *in, struct findings *out)
{
	struct proxy_requests p;
	bool is_any = false;

	proxy_requests_init(&p, in->capture);
	for (uint32_t i = 0; i < p.backends.len; i++) {
		const struct proxy_backend *b = &p.backends.data[i];
		struct ends_sum sum = ends_sum_of(&p, i);

		if (sum.all < ENDS_LEAST ||
		    log_words_pct((double)sum.all, (double)b->n) < ENDS_NOTE_PCT)
			continue;
		ends_finding(in, out, b, &sum);
		is_any = true;
	}
	if (p.n && !is_any)
		finding_clean(out, in, &rule_proxy_ends,
			      "%" PRIu64 " requests through a proxy; at most 1 %% of a backend, or "
			      "two, failed",
			      p.n);
	proxy_requests_fini(&p);
}

const struct rule rule_proxy_ends = {
	.id = "proxy-ends",
	.title = "Requests through a proxy fail",
	.needs = RULE_LOG,
	.check = ends_check,
	.is_measured = true,
};
