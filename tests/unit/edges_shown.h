/* SPDX-License-Identifier: MIT */
/* edges_shown.h - rows of tests/edges/RULE.tsv whose output a mutant changes */
#ifndef EDGES_SHOWN_H
#define EDGES_SHOWN_H

#include "base/out.h"
#include "base/str.h"
#include "edges_found.h"
#include "mutants_shown.h"

#include <stdio.h>
#include <string.h>

struct dossier;

struct changed {
	const struct edge_case *c;
	struct dossier *d; /* loaded with the change: mutants of rules change no reader */
};

static inline void run_changed(const void *input, struct out *brief, struct out *whole)
{
	const struct changed *in = input;
	struct edge_output is = { .kinds = { .fd = -1 } };

	edge_explain(in->c, in->d, &is);
	out_str(brief, out_view(&is.brief));
	out_str(whole, out_view(&is.whole));
	edge_output_fini(&is);
}

static inline void print_row(struct mutants *m, const struct edge_change *change,
			     const struct edge_output *is, const char *words)
{
	struct out row = { .fd = -1 };

	if (!m->is_begun)
		out_printf(&row, "= " STR_FMT "\n", STR_ARG(m->golden));
	m->is_begun = true;
	edge_change_print(change, &row);
	out_printf(&row, "\t" STR_FMT "%s%s\n", STR_ARG(out_view(&is->brief)), *words ? "\t" : "",
		   words);
	printf(STR_FMT, STR_ARG(out_view(&row)));
	(void)fflush(stdout);
	out_fini(&row);
}

/* Rows for the mutants that were shown: a row with words shows other outputs, too. */
static inline void print_shown(struct mutants *m, const struct edge_change *change,
			       const struct edge_output *is)
{
	bool is_brief = false, has_words = false;

	for (unsigned int i = 0; i < m->child->n; i++) {
		bool is_new = m->child->is[i] == MUTANT_WORDS;

		for (unsigned int j = 0; j < i && is_new; j++)
			is_new = m->child->is[j] != MUTANT_WORDS ||
				 strcmp(m->child->words[j], m->child->words[i]) != 0;
		if (is_new)
			print_row(m, change, is, m->child->words[i]);
		has_words = has_words || is_new;
		is_brief = is_brief || m->child->is[i] == MUTANT_BRIEF;
	}
	if (is_brief && !has_words)
		print_row(m, change, is, "");
}

#endif
