/* SPDX-License-Identifier: MIT */
/*
 * rule_says.h - the output of a rule about captures, as text in which tests can expect words
 *
 * "warning 75 %: CLAIM; NAME: VALUE UNIT; impact 12; lines 2; CAUSE; next STEP; cites EVIDENCE"
 */
#ifndef RULE_SAYS_H
#define RULE_SAYS_H

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "explain/explain.h"
#include "explain/facts.h"
#include "explain/findings.h"

struct dossier;

static inline void rule_says_finding(const struct finding *f, struct out *ret)
{
	static const char *const severities[] = { "note", "warning", "error" };

	out_printf(ret, "%s %u %%: " STR_FMT "; ", severities[f->severity], f->sure,
		   STR_ARG(f->claim));
	VEC_FOREACH (figure, &f->figures)
		out_printf(ret, "%s: %.6g %s; ", figure->name, figure->value, figure->unit);
	out_printf(ret, "impact %.4g; lines %zu; " STR_FMT, f->impact, f->evidence.len,
		   STR_ARG(f->cause));
	VEC_FOREACH (next, &f->next)
		out_printf(ret, "; next " STR_FMT, STR_ARG(*next));
	VEC_FOREACH (row, &f->evidence)
		out_printf(ret, "; cites " STR_FMT, STR_ARG(row->text));
	out_printf(ret, "\n");
}

/* Write the output of @rule about the captures of @d to @ret, one line per finding. */
static inline void rule_says(struct dossier *d, struct str rule, struct out *ret)
{
	CLEANUP(facts_freep) struct facts *facts = facts_new(d);
	const struct explain_options options = { .only = rule };
	struct findings f = { .rows = VEC_INIT };

	explain_run(facts, &options, &f);
	VEC_FOREACH (row, &f.rows)
		rule_says_finding(row, ret);
	VEC_FOREACH (row, &f.clean)
		out_printf(ret, "clean: " STR_FMT "\n", STR_ARG(row->sentence));
	VEC_FOREACH (row, &f.not_assessed)
		out_printf(ret, "not assessed: " STR_FMT "\n", STR_ARG(row->sentence));
	findings_fini(&f);
}

/*
 * Whether @is contains the words of @said, which are separated by "; ", in this order. Words that
 * begin with "!" must not follow the words before them.
 */
static inline bool rule_says_in(struct str is, const char *said)
{
	struct str rest = str_of(said);

	while (rest.len) {
		size_t end = str_find(rest, STR("; "));
		struct str words = str_sub(rest, 0, end);
		bool is_absent = str_take(&words, STR("!"));
		size_t at = str_find(is, words);

		if ((at >= is.len) != is_absent)
			return false;
		is = is_absent ? is : str_skip(is, at + words.len);
		rest = str_skip(rest, end + 2);
	}
	return true;
}

#endif
