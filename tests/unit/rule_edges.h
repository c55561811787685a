/* SPDX-License-Identifier: MIT */
/*
 * rule_edges.h - rules just below and just above their thresholds. The input is that of a golden
 * test with some texts replaced; tests/golden/rules/CASE.d shows the whole input and the output.
 */
#ifndef RULE_EDGES_H
#define RULE_EDGES_H

#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "core/dossier.h"
#include "document/document.h"
#include "explain/rule.h"
#include "formats/load.h"
#include "rule_says.h"

#include <stdio.h>
#include <stdlib.h>

#define SWAPS_MAX 4

/*
 * @said: words that the rule's output must contain in this order, separated by "; ":
 * "warning 75 %", the claim, figures as "NAME: VALUE UNIT", "lines N" of evidence, the cause; or
 * "clean", or "not assessed".
 */
struct edge {
	const char *golden;
	const char *said;
	const char *swaps[SWAPS_MAX][2]; /* text to replace everywhere, and its replacement */
};

/* Contents of a file of the golden, NUL-terminated, or NULL. Owner: caller. */
static inline char *rule_edges_file(const char *golden, const char *name)
{
	static const char *const areas[] = { "rules", "rules-calls" };
	char path[4096];

	for (size_t i = 0; i < ARRAY_LEN(areas); i++) {
		char *text = xcalloc(1, 1u << 20);
		FILE *f;

		(void)snprintf(path, sizeof(path), "%s/tests/golden/%s/%s.d/%s", unit_source(),
			       areas[i], golden, name);
		f = fopen(path, "re");
		if (f) {
			text[fread(text, 1, (1u << 20) - 1, f)] = '\0';
			(void)fclose(f);
			return text;
		}
		free(text);
	}
	return NULL;
}

/* Replace every occurrence of @from; returns their number. */
static inline size_t rule_edges_replace(struct str text, const char *from, const char *to,
					struct out *ret)
{
	size_t n = 0;

	for (size_t at; (at = str_find(text, str_of(from))) < text.len; n++) {
		out_str(ret, str_sub(text, 0, at));
		out_z(ret, to);
		text = str_skip(text, at + strlen(from));
	}
	out_str(ret, text);
	return n;
}

/*
 * Load an input of the golden with the swaps of @e, and count the replacements of each swap in @n.
 */
static inline void rule_edges_load(struct dossier *d, const struct edge *e, struct str name,
				   size_t *n)
{
	CLEANUP(document_freep) struct document *doc = NULL;
	CLEANUP(freep) char *text = NULL;
	struct out changed = { .fd = -1 };
	char file[64];

	(void)snprintf(file, sizeof(file), STR_FMT, STR_ARG(name));
	text = rule_edges_file(e->golden, file);
	assert_non_null(text);
	out_z(&changed, text);
	for (size_t i = 0; i < SWAPS_MAX && e->swaps[i][0]; i++) {
		struct out next = { .fd = -1 };

		n[i] += rule_edges_replace(out_view(&changed), e->swaps[i][0], e->swaps[i][1],
					   &next);
		out_fini(&changed);
		changed = next;
	}
	assert_int_equal(document_from_memory(out_view(&changed), NULL, &doc, NULL), OK);
	assert_int_equal(load_document(d, doc, file, NULL, NULL), OK);
	out_fini(&changed);
}

static inline bool rule_edges_check(const struct edge *e)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(freep) char *args = rule_edges_file(e->golden, "args");
	struct out is = { .fd = -1 };
	struct str rest, rule, name;
	size_t n[SWAPS_MAX] = { 0 };
	bool ret;

	assert_non_null(args);
	rest = str_skip(str_of(args), strlen("explain\n--rule"));
	assert_true(str_word(&rest, &rule));
	while (str_word(&rest, &name))
		rule_edges_load(d, e, name, n);
	rule_says(d, rule, &is);
	ret = rule_says_in(out_view(&is), e->said);
	for (size_t i = 0; i < SWAPS_MAX && e->swaps[i][0]; i++)
		ret = ret && n[i];
	if (!ret)
		print_error("%s with '%s', '%s': '%s' expected, is:\n" STR_FMT, e->golden,
			    e->swaps[0][1], e->swaps[1][1], e->said, STR_ARG(out_view(&is)));
	out_fini(&is);
	return ret;
}

/* Number of edges whose output is not as expected; prints them. */
static inline size_t rule_edges_wrong(const struct edge *edges, size_t n)
{
	size_t wrong = 0;

	for (size_t i = 0; i < n; i++)
		wrong += !rule_edges_check(&edges[i]);
	return wrong;
}

#endif
