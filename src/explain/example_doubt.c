/* SPDX-License-Identifier: MIT */
#include "explain/example_doubt.h"

#include "base/str.h"
#include "base/vec.h"
#include "core/dossier.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

/* A finding whose evidence is in an example has at most this certainty, percent. */
#define EXAMPLE_SURE 50u

static const struct {
	const char *where;   /* words at the start of the claim */
	const char *because; /* reason for the low certainty; follows "line N" */
} example_words[] = {
	[EXAMPLE_TITLE] = { "In an example of the text", "is the title of an example" },
	[EXAMPLE_PATCH] = { "In lines of a patch", "begins the lines of a patch" },
	[EXAMPLE_SOURCE] = { "In a string of source code", "begins a string in source code" },
	[EXAMPLE_TEMPLATE] = { "In a text with templates",
			       "is a template, with placeholders instead of figures" },
};

static const struct dossier_example *example_at(const struct dossier_input *in, uint32_t line)
{
	VEC_FOREACH (e, &in->examples) {
		if (e->first <= line && line <= e->last)
			return e;
	}
	return NULL;
}

/*
 * The example in the text (struct dossier_example) that contains the evidence of @f. One cited line
 * in a template suffices: the result is this template. For other examples, all cited lines must be
 * in examples: the result is the first of them. NULL: the evidence is not in an example.
 */
static const struct dossier_example *example_of(const struct dossier_input *in,
						const struct finding *f)
{
	const struct dossier_example *first = NULL;
	bool is_all = true;

	VEC_FOREACH (e, &f->evidence) {
		const struct dossier_example *at =
			e->line && e->path.v == in->path.v ? example_at(in, e->line) : NULL;

		if (at && at->kind == EXAMPLE_TEMPLATE)
			return at;
		is_all &= at != NULL;
		if (!first)
			first = at;
	}
	return is_all ? first : NULL;
}

static bool example_is_of(const struct dossier_input *in, const struct finding *f)
{
	return f->evidence.len && f->evidence.data[0].path.v == in->path.v;
}

static void example_apply(struct findings *out, struct finding *f, const struct dossier_example *e)
{
	f->severity = FINDING_NOTE;
	if (f->sure > EXAMPLE_SURE)
		f->sure = EXAMPLE_SURE;
	finding_claim(out, f, "%s: " STR_FMT, example_words[e->kind].where, STR_ARG(f->claim));
	finding_because(out, f, "line %u %s", e->line, example_words[e->kind].because);
}

void example_doubt(const struct facts *facts, struct findings *f)
{
	VEC_FOREACH (in, &facts->dossier->inputs) {
		const struct dossier_example *template = NULL;

		if (!in->examples.len)
			continue;
		VEC_FOREACH (row, &f->rows) {
			const struct dossier_example *e = example_of(in, row);

			if (e && e->kind == EXAMPLE_TEMPLATE)
				template = e;
		}
		VEC_FOREACH (row, &f->rows) {
			const struct dossier_example *e =
				template && example_is_of(in, row) ? template : example_of(in, row);

			if (e && !row->rule->is_about_data)
				example_apply(f, row, e);
		}
	}
}
