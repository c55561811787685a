/* SPDX-License-Identifier: MIT */
/*
 * A database refused transactions because of a constraint: two writers created the same row.
 *
 * No threshold: a violated constraint is a bug of at least one writer. Only records of ovsdb or
 * about transactions are used: programs that validate input report violated constraints, too.
 */
#include "explain/words/log_words.h"

#include "base/plural.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/records.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(failed_transactions);

/*
 * Is record @i the same error again? Programs such as ovn-nbctl print the error of their database
 * library once more. Two refused transactions differ: the error names the new row by its UUID.
 */
static bool transactions_is_again(const struct rule_input *in, uint32_t i, uint32_t last)
{
	return last != INDEX_NONE &&
	       log_words_record(in, i)->stream == log_words_record(in, last)->stream &&
	       str_contains(log_words_record(in, i)->text, STR("UUID")) &&
	       str_eq(log_words_record(in, i)->text, log_words_record(in, last)->text);
}

static void transactions_check(const struct rule_input *in, struct findings *out)
{
	uint32_t rows = (uint32_t)in->capture->records->rows.len;
	uint32_t cited[LOG_EVIDENCE_MAX];
	uint32_t n = 0;
	uint32_t all = 0;
	uint32_t last = INDEX_NONE; /* latest record of a transaction error */
	bool has_database = false;
	struct finding *f;

	for (uint32_t i = 0; i < rows; i++) {
		struct str text = log_words_record(in, i)->text;

		has_database |= str_starts(
			strings_get(capture_strings(in->capture), log_words_record(in, i)->module),
			STR("ovsdb"));
		if (transactions_is_again(in, i, last))
			continue;
		if (str_starts(text, STR("transaction error"))) {
			last = i;
			all++;
		}
		if (!str_contains(text, STR("constraint violation")) ||
		    !(str_contains(text, STR("transaction")) ||
		      str_starts(strings_get(capture_strings(in->capture),
					     log_words_record(in, i)->module),
				 STR("ovsdb"))))
			continue;
		if (n < LOG_EVIDENCE_MAX)
			cited[n] = i;
		n++;
	}
	if (n == 0 && has_database)
		finding_clean(out, in, &rule_failed_transactions,
			      "no transaction broke a constraint; %u failed for other reasons",
			      all);
	if (n == 0)
		return;
	f = finding_add(out, in, &rule_failed_transactions, FINDING_WARNING, 90);
	finding_claim(out, f, "The database refused %u transaction%s a constraint", n,
		      plural_of(n, ": it violates", "s: they violate"));
	finding_usual_cause(out, f,
			    "Two writers created the same row, or one writer created it twice");
	finding_because(out, f, "the server names the conflicting rows");
	finding_figure(f, "refused", n, 0, "");
	finding_figure(f, "transaction errors", all, 0, "");
	for (uint32_t i = 0; i < n && i < LOG_EVIDENCE_MAX; i++)
		log_words_cite(out, f, in, cited[i]);
	finding_next(out, f, "find the writer of the other row: were two writers active");
}

const struct rule rule_failed_transactions = {
	.id = "failed-transactions",
	.title = "Transactions violate a constraint",
	.needs = RULE_LOG,
	.check = transactions_check,
	.is_measured = true,
};
