/* SPDX-License-Identifier: MIT */
/*
 * claim_rows.h - outcomes of claims, and of figures in prose, about recordings, as text
 *
 * Claims that begin with ": " are prose, those with "--recorded " are about the recording only.
 */
#ifndef CLAIM_ROWS_H
#define CLAIM_ROWS_H

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/strings.h"
#include "document/document.h"
#include "explain/claims/claim.h"
#include "explain/claims/claim_judge.h"
#include "explain/claims/claim_prose.h"
#include "explain/facts.h"
#include "formats/load.h"

#include <stdio.h>
#include <stdlib.h>

#define PROSE_MARK ": "

/* The recordings of a row. */
struct recordings {
	struct str paths;
	struct dossier *d;
	struct facts *f;
};

static inline char *read_whole(const char *path)
{
	char *ret = calloc(1, 1u << 22);
	FILE *f = fopen(path, "re");

	assert_non_null(ret);
	if (!f)
		print_error("%s is missing\n", path);
	assert_non_null(f);
	ret[fread(ret, 1, (1u << 22) - 1, f)] = '\0';
	(void)fclose(f);
	return ret;
}

static inline void recordings_fini(struct recordings *r)
{
	facts_free(r->f);
	dossier_free(r->d);
	*r = (struct recordings){ .d = NULL };
}

static inline void recordings_load(struct recordings *r, struct str paths)
{
	struct str path;

	recordings_fini(r);
	r->paths = paths;
	r->d = dossier_new();
	while (str_word(&paths, &path)) {
		CLEANUP(document_freep) struct document *doc = NULL;
		char name[2048];
		char *text;

		(void)snprintf(name, sizeof(name), "%s/" STR_FMT, unit_source(), STR_ARG(path));
		text = read_whole(name);
		(void)snprintf(name, sizeof(name), STR_FMT, STR_ARG(path));
		assert_int_equal(document_from_memory(str_of(text), NULL, &doc, NULL), OK);
		assert_int_equal(load_document(r->d, doc, name, NULL, NULL), OK);
		free(text);
	}
	r->f = facts_new(r->d);
}

static inline void result_print(const struct claim_result *r, struct out *ret)
{
	out_z(ret, claim_outcome_name(r->outcome));
	if (r->has_figure)
		out_printf(ret, " %.5g (%.5g to %.5g) unit %d of %.6g %s '%s'%s", r->value, r->low,
			   r->high, (int)r->unit, r->n, r->n_of ? r->n_of : "-", r->of,
			   r->is_sampled ? " sampled" : "");
	for (unsigned int i = 0; i < r->n_lines; i++)
		out_printf(ret, "%s%u", i ? "," : " L", r->lines[i]);
	if (r->why[0])
		out_printf(ret, "; %s", r->why);
	if (r->decide[0])
		out_printf(ret, "; %s", r->decide);
}

static inline void claim_print(struct recordings *r, struct str text, struct out *ret)
{
	struct claim_options options = { .capture = INDEX_NONE };
	bool *is_base = calloc(r->d->captures.len + 1, sizeof(bool));
	struct claim_result result;
	struct error err = { "" };
	struct claim claim;

	assert_non_null(is_base);
	options.is_recorded_only = str_take(&text, STR("--recorded "));
	options.is_base = is_base;
	if (claim_parse(text, &claim, &err) < 0) {
		out_printf(ret, "error: %s", err.msg);
	} else {
		for (uint32_t i = 0; i < r->d->captures.len; i++)
			is_base[i] =
				str_eq(strings_get(&r->d->strings, r->d->captures.data[i]->path),
				       claim.base);
		claim_judge(r->f, &claim, 1, &options, &result);
		result_print(&result, ret);
	}
	free(is_base);
}

static inline void prose_print(struct recordings *r, struct str text, struct out *ret)
{
	struct claim_prose prose;

	claim_prose_judge(r->f, text, STR("prose.txt"), &prose);
	for (size_t i = 0; i < prose.said.len; i++) {
		const struct claim_said *s = &prose.said.data[i];

		out_printf(ret, "%s" STR_FMT " %.5g +- %.3g by %.3g%s%s%s%s: ", i ? " | " : "",
			   STR_ARG(s->claim.text), s->value, s->tolerance, s->digit,
			   s->is_hedged_low ? " low" : "", s->is_hedged_high ? " high" : "",
			   s->is_compared ? " compared" : "", s->is_round ? " round" : "");
		result_print(&prose.results[i], ret);
	}
	if (!prose.said.len)
		out_z(ret, "no figure");
	claim_prose_fini(&prose);
}

/* Replace line ends of reasons, which would end the row. */
static inline void on_one_line(struct out *o)
{
	for (size_t i = 0; i < o->len; i++)
		if (o->data[i] == '\n' || o->data[i] == '\t')
			o->data[i] = ' ';
}

/* The outcome of a claim or of prose on one line. */
static inline void row_print(struct recordings *r, struct str text, struct out *ret)
{
	if (str_take(&text, STR(PROSE_MARK)))
		prose_print(r, text, ret);
	else
		claim_print(r, text, ret);
	on_one_line(ret);
}

#endif
