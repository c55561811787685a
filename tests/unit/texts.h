/* SPDX-License-Identifier: MIT */
/*
 * texts.h - made-up texts, given to the readers
 */
#ifndef TEXTS_H
#define TEXTS_H

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/counters.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/format.h"
#include "formats/load.h"

struct records;

#define assert_name(d, id, literal) assert_str(strings_get(&(d)->strings, id), literal)

/* Read @text as a whole input by the reader @only. Free with dossier_free(). */
static inline struct dossier *text_load(const struct format *only, const char *text)
{
	struct load_options options = { .only = only };
	struct dossier *d = dossier_new();
	struct document *doc = NULL;

	assert_int_equal(document_from_memory(str_of(text), NULL, &doc, NULL), OK);
	if (load_document(d, doc, "made up", &options, NULL) < 0)
		print_message("# nothing was read\n");
	document_free(doc);
	return d;
}

/* Read a text whose format is detected; returns the first capture. */
static inline const struct capture *text_detect(struct dossier *d, const char *text)
{
	struct document *doc = NULL;

	assert_int_equal(document_from_memory(str_of(text), NULL, &doc, NULL), OK);
	assert_int_equal(load_document(d, doc, "x.txt", NULL, NULL), OK);
	document_free(doc);
	return d->captures.data[0];
}

/* Expects that the format claims no part of any of the texts. */
static inline void text_claims_none(const struct format *f, const char *const *texts, size_t n)
{
	struct extent e;

	for (size_t i = 0; i < n; i++) {
		if (!f->find(str_of(texts[i]), 0, &e))
			continue;
		print_error("%s claims text %zu\n", f->name, i);
		_fail(__FILE__, __LINE__);
	}
}

/* The row of a function in the table of @c, or NULL. */
static inline const struct profile_row *text_row(const struct capture *c, const char *name)
{
	VEC_FOREACH (row, &c->profile->table.rows) {
		if (str_eq(symbols_name(capture_symbols(c), row->sym), str_of(name)))
			return row;
	}
	return NULL;
}

/* The value of counter @name of @key (NULL: of any) in the first capture; -1: there is none. */
static inline double text_counter(const struct dossier *d, const char *name, const char *key)
{
	VEC_FOREACH (row, &d->captures.data[0]->counters->rows) {
		if (str_eq(strings_get(&d->strings, row->name), str_of(name)) &&
		    (!key || str_eq(strings_get(&d->strings, row->key), str_of(key))))
			return counter_value(row);
	}
	return -1;
}

/* The share of function @name, self or with callees; -1: no such row or value. */
static inline double text_self(const struct capture *c, const char *name)
{
	const struct profile_row *row = text_row(c, name);

	return row ? profile_value(c->profile, row->self) : -1;
}

static inline double text_children(const struct capture *c, const char *name)
{
	const struct profile_row *row = text_row(c, name);

	return row && row->has & ROW_HAS_CHILDREN ? profile_value(c->profile, row->children) : -1;
}

/* The records of the first capture, which must exist. */
static inline const struct records *text_records(const struct dossier *d)
{
	assert_true(d->captures.len > 0);
	assert_non_null(d->captures.data[0]->records);
	return d->captures.data[0]->records;
}

/* Result of a reader on a region of its format. */
struct reading {
	struct dossier *d;
	struct document *doc;
	struct capture *c; /* the first capture, or NULL */
	struct profile *p; /* profile of the capture */
	int status;
};

static inline struct reading reading_of(const struct format *f, const char *text)
{
	struct document_options raw = { .is_raw = true };
	struct reading r = { .d = dossier_new() };
	struct region region = { .first_line = 1 };

	assert_int_equal(document_from_memory(str_of(text), &raw, &r.doc, NULL), OK);
	region.doc = r.doc;
	region.text = r.doc->text;
	r.status = f->read(&region, r.d, NULL);
	if (r.d->captures.len) {
		r.c = r.d->captures.data[0];
		r.p = r.c->profile;
	}
	return r;
}

static inline void reading_fini(struct reading *r)
{
	dossier_free(r->d);
	document_free(r->doc);
}

/* The calls of the first capture of a text. */
struct trace {
	struct dossier *d;
	struct document *doc;
	const struct capture *capture;
	const struct calls *c;
};

/* Expects that the text is detected as @format. */
static inline void trace_read(struct trace *t, struct str text, const char *format)
{
	memset(t, 0, sizeof(*t));
	t->d = dossier_new();
	assert_int_equal(document_from_memory(text, NULL, &t->doc, NULL), OK);
	assert_int_equal(load_document(t->d, t->doc, "test", NULL, NULL), OK);
	t->capture = t->d->captures.data[0];
	assert_str(str_of(t->capture->format), format);
	t->c = t->capture->calls;
}

static inline void trace_of(struct trace *t, const char *text, const char *format)
{
	trace_read(t, str_of(text), format);
}

static inline void trace_fini(struct trace *t)
{
	dossier_free(t->d);
	document_free(t->doc);
}

/* The first call of the function, which must exist. */
static inline uint32_t trace_find(const struct trace *t, const char *name)
{
	for (uint32_t i = 0; i < t->c->n; i++) {
		if (str_eq(symbols_name(&t->d->symbols, t->c->sym.data[i]), str_of(name)))
			return i;
	}
	print_error("%s is not there\n", name);
	_fail(__FILE__, __LINE__);
	return 0;
}

#endif
