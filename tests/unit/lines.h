/* SPDX-License-Identifier: MIT */
/*
 * lines.h - a made-up file, written line by line, then read and explained as a whole
 */
#ifndef LINES_H
#define LINES_H

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/dossier.h"
#include "document/document.h"
#include "explain/explain.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "formats/load.h"

#include <stdarg.h>
#include <stdio.h>

static char lines_text[1 << 17];

static inline void lines_add(const char *fmt, ...) PRINTF(1, 2);

static inline void lines_add(const char *fmt, ...)
{
	size_t used = strlen(lines_text);
	va_list args;

	va_start(args, fmt);
	used += (size_t)vsnprintf(lines_text + used, sizeof(lines_text) - used, fmt, args);
	va_end(args);
	assert_true(used + 1 < sizeof(lines_text));
	lines_text[used] = '\n';
	lines_text[used + 1] = '\0';
}

/* The captures of the lines added so far; removes the lines. Owner: caller. */
static inline struct dossier *lines_load(void)
{
	struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;

	assert_int_equal(document_from_memory(str_of(lines_text), NULL, &doc, NULL), OK);
	assert_int_equal(load_document(d, doc, "made.txt", NULL, NULL), OK);
	lines_text[0] = '\0';
	return d;
}

/*
 * Write the claim of the last finding of @rule that contains @words to @ret. False: there is no
 * such finding.
 */
static inline bool lines_find(const char *rule, const char *words, char *ret, size_t size,
			      enum finding_severity *ret_severity)
{
	CLEANUP(dossier_freep) struct dossier *d = lines_load();
	CLEANUP(facts_freep) struct facts *facts = facts_new(d);
	struct findings f = { .rows = VEC_INIT };
	bool has = false;

	ret[0] = '\0';
	explain_run(facts, NULL, &f);
	assert_null(findings_check(&f));
	VEC_FOREACH (row, &f.rows) {
		if (strcmp(row->rule->id, rule) != 0 || !str_contains(row->claim, str_of(words)))
			continue;
		(void)snprintf(ret, size, STR_FMT, STR_ARG(row->claim));
		if (ret_severity)
			*ret_severity = row->severity;
		has = true;
	}
	findings_fini(&f);
	return has;
}

/* The claim of @rule about the lines added so far; "": no finding. */
static inline const char *lines_claim(const char *rule)
{
	static char ret[1024];

	(void)lines_find(rule, "", ret, sizeof(ret), NULL);
	return ret;
}

#endif
