/* SPDX-License-Identifier: MIT */
/*
 * edges_found.h - the input of a golden test with one change, and the output of its rule
 *
 * A change is one word:
 *
 *     FILE:LINE#N=TEXT   the Nth number of the line is TEXT
 *     FILE:LINE~N        the Nth word of the line is "x"
 *     FILE:LINE+N        the Nth word of the line is EDGE_LONG bytes longer
 *     FILE:LINE++N       the name at the end of the Nth word is, wherever the file has it
 *     FILE:LINE*N        the line occurs N times
 *     FILE:LINE**N       the paragraph that starts at the line occurs N times
 *     FILE:LINE<         only the lines before this one
 *     FILE:LINE@N        the byte at LINE, which counts from 0, is N
 *     FILE:SEED%N        N random changes of words, numbers and lines (edge_mix.h)
 *
 * FILE counts the inputs of the golden, and LINE and N the lines and numbers, from 1.
 */
#ifndef EDGES_FOUND_H
#define EDGES_FOUND_H

#include "analyses/waits/waits.h"
#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "document/document.h"
#include "edge_mix.h"
#include "edge_words.h"
#include "explain/explain.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "formats/format.h"
#include "formats/load.h"
#include "rule_says.h"
#include "transform/off_cpu.h"
#include "transform/transform.h"

#include <stdio.h>
#include <stdlib.h>

#define EDGE_FILES_MAX 8
#define EDGE_LONG      260 /* bytes that make a word longer than any text shows names */

struct edge_file {
	char name[64];
	char *text; /* NUL-terminated */
	size_t len;
};

/* A golden test of one rule, or a command. */
struct edge_case {
	char rule[64];
	char command[512]; /* of results_found.h: words, with the inputs as their names */
	size_t n;
	struct edge_file files[EDGE_FILES_MAX];
};

enum edge_kind {
	EDGE_NUMBER,
	EDGE_WORD,
	EDGE_LONGER,
	EDGE_LONGER_NAME,
	EDGE_LINE,
	EDGE_PARAGRAPH,
	EDGE_UPTO,
	EDGE_BYTE,
	EDGE_MIX,
};

struct edge_change {
	enum edge_kind kind;
	unsigned int file, line;
	unsigned int n;
	char text[32];
};

/* The output of a rule. */
struct edge_output {
	struct out whole; /* as rule_says() */
	struct out brief; /* severity, certainty, figures, impact, places */
	struct out shape; /* the words without any number */
	struct out kinds; /* formats of the captures */
};

struct edge_row {
	struct str change, brief, words;
};

static inline bool edge_row_of(struct str line, struct edge_row *ret)
{
	struct str *const columns[] = { &ret->change, &ret->brief, &ret->words };

	for (size_t i = 0; i < ARRAY_LEN(columns); i++) {
		size_t end = str_find_char(line, '\t');

		*columns[i] = str_sub(line, 0, end);
		line = str_skip(line, end + 1);
	}
	return ret->brief.len > 0;
}

/* Contents of a file, NUL-terminated, or NULL. Owner: caller. */
static inline char *edge_read_bytes(const char *path, size_t *ret_len)
{
	FILE *f = fopen(path, "re");
	char *ret;

	if (!f)
		return NULL;
	ret = xcalloc(1, 1u << 20);
	*ret_len = fread(ret, 1, (1u << 20) - 1, f);
	ret[*ret_len] = '\0';
	(void)fclose(f);
	return ret;
}

static inline char *edge_read(const char *path)
{
	size_t len;

	return edge_read_bytes(path, &len);
}

static inline struct str edge_text(const struct edge_file *f)
{
	return (struct str){ f->text, f->len };
}

static inline void edge_case_fini(struct edge_case *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->files[i].text);
	c->n = 0;
}

/* Load the golden in @dir, whose args are "explain [-v] --rule RULE [-v] INPUT...". */
static inline bool edge_case_load(const char *dir, struct edge_case *ret)
{
	CLEANUP(freep) char *args = NULL;
	struct str rest, word;
	char path[4096];

	*ret = (struct edge_case){ .n = 0 };
	(void)snprintf(path, sizeof(path), "%.4000s/args", dir);
	args = edge_read(path);
	rest = str_of(args ? args : "");
	if (!str_take(&rest, STR("explain\n")))
		return false;
	(void)str_take(&rest, STR("-v\n"));
	if (!str_take(&rest, STR("--rule\n")) || !str_word(&rest, &word))
		return false;
	(void)snprintf(ret->rule, sizeof(ret->rule), STR_FMT, STR_ARG(word));
	while (str_word(&rest, &word)) {
		struct edge_file *file = &ret->files[ret->n];

		if (str_eq(word, STR("-v")))
			continue;
		if (ret->n == EDGE_FILES_MAX ||
		    (!str_starts(word, STR("input")) && !str_starts(word, STR("corpus/"))))
			goto failed;
		(void)snprintf(file->name, sizeof(file->name), STR_FMT, STR_ARG(word));
		/* tests/fuzz/corpus is next to tests/golden/AREA */
		(void)snprintf(path, sizeof(path), "%.3900s/%s%s", dir,
			       str_starts(word, STR("corpus/")) ? "../../../fuzz/" : "",
			       file->name);
		file->text = edge_read_bytes(path, &file->len);
		if (!file->text)
			goto failed;
		ret->n++;
	}
	return ret->n > 0;
failed:
	edge_case_fini(ret);
	return false;
}

static inline void edge_change_print(const struct edge_change *c, struct out *ret)
{
	out_printf(ret, "%u:%u", c->file, c->line);
	switch (c->kind) {
	case EDGE_NUMBER:
		out_printf(ret, "#%u=%s", c->n, c->text);
		break;
	case EDGE_WORD:
		out_printf(ret, "~%u", c->n);
		break;
	case EDGE_LONGER:
		out_printf(ret, "+%u", c->n);
		break;
	case EDGE_LONGER_NAME:
		out_printf(ret, "++%u", c->n);
		break;
	case EDGE_LINE:
		out_printf(ret, "*%u", c->n);
		break;
	case EDGE_PARAGRAPH:
		out_printf(ret, "**%u", c->n);
		break;
	case EDGE_UPTO:
		out_char(ret, '<');
		break;
	case EDGE_BYTE:
		out_printf(ret, "@%u", c->n);
		break;
	case EDGE_MIX:
		out_printf(ret, "%%%u", c->n);
		break;
	}
}

static inline bool edge_unsigned(struct str *s, unsigned int *ret)
{
	uint64_t n;

	if (!str_u64(s, &n))
		return false;
	*ret = (unsigned int)n;
	return true;
}

static inline bool edge_change_parse(struct str s, struct edge_change *ret)
{
	*ret = (struct edge_change){ .kind = EDGE_UPTO };
	if (!edge_unsigned(&s, &ret->file) || !str_take(&s, STR(":")) ||
	    !edge_unsigned(&s, &ret->line) || !s.len)
		return false;
	if (str_take(&s, STR("#"))) {
		ret->kind = EDGE_NUMBER;
		if (!edge_unsigned(&s, &ret->n) || !str_take(&s, STR("=")))
			return false;
		(void)snprintf(ret->text, sizeof(ret->text), STR_FMT, STR_ARG(s));
		return true;
	}
	if (str_take(&s, STR("**")))
		ret->kind = EDGE_PARAGRAPH;
	else if (str_take(&s, STR("*")))
		ret->kind = EDGE_LINE;
	else if (str_take(&s, STR("~")))
		ret->kind = EDGE_WORD;
	else if (str_take(&s, STR("++")))
		ret->kind = EDGE_LONGER_NAME;
	else if (str_take(&s, STR("+")))
		ret->kind = EDGE_LONGER;
	else if (str_take(&s, STR("@")))
		ret->kind = EDGE_BYTE;
	else if (str_take(&s, STR("%")))
		ret->kind = EDGE_MIX;
	else
		return str_eq(s, STR("<"));
	return edge_unsigned(&s, &ret->n);
}

static inline void edge_line_with_number(struct str line, const struct edge_change *c,
					 struct out *ret)
{
	struct str before, number;

	for (unsigned int n = 1; edge_number(&line, &before, &number); n++) {
		out_str(ret, before);
		if (n == c->n)
			out_z(ret, c->text);
		else
			out_str(ret, number);
	}
	out_str(ret, line);
}

static inline void edge_line_without_word(struct str line, const struct edge_change *c,
					  struct out *ret)
{
	struct str before, word;

	for (unsigned int n = 1; edge_word(&line, &before, &word); n++) {
		out_str(ret, before);
		out_str(ret, n == c->n ? STR("x") : word);
	}
	out_str(ret, before);
}

/* What makes a word longer: "_AaAbAc", no two places of which look the same. */
static inline void edge_long_print(struct out *ret)
{
	out_char(ret, '_');
	for (unsigned int i = 0; 2 * i + 1 < EDGE_LONG; i++)
		out_printf(ret, "%c%c", 'A' + (int)(i / 26), 'a' + (int)(i % 26));
}

/* The text goes behind the last letter or digit of the word, before a bracket or quote. */
static inline void edge_line_with_longer_word(struct str line, const struct edge_change *c,
					      struct out *ret)
{
	struct str before, word;

	for (unsigned int n = 1; edge_word(&line, &before, &word); n++) {
		size_t end = word.len;

		while (end && !edge_is_letter(word.p[end - 1]) && !char_is_digit(word.p[end - 1]))
			end--;
		out_str(ret, before);
		out_str(ret, str_sub(word, 0, end));
		if (n == c->n)
			edge_long_print(ret);
		out_str(ret, str_skip(word, end));
	}
	out_str(ret, before);
}

static inline bool edge_is_of_name(char c)
{
	return c == '_' || edge_is_letter(c) || char_is_digit(c);
}

/* The last name in the Nth word of a line. */
static inline struct str edge_name_of(struct str line, unsigned int n)
{
	struct str before, word = STR_NONE;
	size_t from, end;

	for (unsigned int i = 0; i < n && edge_word(&line, &before, &word);)
		i++;
	for (end = word.len; end && !edge_is_of_name(word.p[end - 1]);)
		end--;
	for (from = end; from && edge_is_of_name(word.p[from - 1]);)
		from--;
	return str_sub(word, from, end);
}

static inline void edge_text_with_longer_name(struct str text, struct str name, struct out *ret)
{
	size_t done = 0, at;

	while (name.len && (at = done + str_find(str_skip(text, done), name)) < text.len) {
		size_t end = at + name.len;

		out_str(ret, str_sub(text, done, end));
		if ((!at || !edge_is_of_name(text.p[at - 1])) &&
		    (end == text.len || !edge_is_of_name(text.p[end])))
			edge_long_print(ret);
		done = end;
	}
	out_str(ret, str_skip(text, done));
}

/* Length of the part of @text that a change repeats: its first line, or paragraph. */
static inline size_t edge_part(struct str text, enum edge_kind kind)
{
	size_t end = str_find_char(text, '\n');

	if (kind == EDGE_PARAGRAPH)
		end = str_find(text, STR("\n\n")) + 1;
	return end < text.len ? end + 1 : text.len;
}

/* Write @text with the change @c to @ret. */
static inline void edge_change_apply(struct str text, const struct edge_change *c, struct out *ret)
{
	struct str whole = text, line;
	unsigned int n = 1;

	if (c->kind == EDGE_BYTE) {
		out_str(ret, str_sub(whole, 0, c->line));
		out_char(ret, (char)c->n);
		out_str(ret, str_skip(whole, c->line + 1));
		return;
	}
	if (c->kind == EDGE_MIX) {
		edge_mix(text, c->line, c->n, ret);
		return;
	}
	while (n < c->line && str_line(&text, &line))
		n++;
	if (c->kind == EDGE_LONGER_NAME) {
		line = str_sub(text, 0, edge_part(text, c->kind));
		edge_text_with_longer_name(whole, edge_name_of(line, c->n), ret);
		return;
	}
	out_str(ret, str_sub(whole, 0, (size_t)(text.p - whole.p)));
	if (c->kind == EDGE_UPTO)
		return;
	line = str_sub(text, 0, edge_part(text, c->kind));
	text = str_skip(text, line.len);
	if (c->kind == EDGE_NUMBER)
		edge_line_with_number(line, c, ret);
	else if (c->kind == EDGE_WORD)
		edge_line_without_word(line, c, ret);
	else if (c->kind == EDGE_LONGER)
		edge_line_with_longer_word(line, c, ret);
	else
		for (unsigned int i = 0; i < c->n; i++)
			out_str(ret, line);
	out_str(ret, text);
}

/* Write @s with "0" for each number and without the unit behind it. */
static inline void edge_shape(struct str s, struct out *ret)
{
	struct str before, number;

	while (edge_number(&s, &before, &number)) {
		size_t unit = 1;

		out_str(ret, before);
		out_char(ret, '0');
		while (unit < s.len && (s.p[unit] == '%' || (unsigned char)s.p[unit] >= 0x80 ||
					edge_is_letter(s.p[unit])))
			unit++;
		if (s.len && s.p[0] == ' ' && unit > 1 && unit <= 4)
			s = str_skip(s, unit);
	}
	out_str(ret, s);
	out_char(ret, '\n');
}

/* Write @brief without its figures, and "0" for other numbers but the certainty. */
static inline void edge_brief_shape(struct str brief, struct out *ret)
{
	while (brief.len) {
		size_t open = str_find(brief, STR(" i"));
		size_t end = str_find_char(brief, ']');

		out_str(ret, str_sub(brief, 0, open));
		brief = str_skip(brief, open < brief.len ? end : brief.len);
		end = str_find_char(brief, ';');
		edge_shape(str_sub(brief, 0, end), ret);
		brief = str_skip(brief, end + 1);
	}
}

static inline void edge_brief_finding(const struct finding *f, struct edge_output *ret)
{
	static const char *const severities[] = { "note", "warning", "error" };
	struct out *brief = &ret->brief;

	out_printf(brief, "%s %u i%.4g [", severities[f->severity], f->sure, f->impact);
	out_printf(&ret->shape, "%s %u ", severities[f->severity], f->sure);
	VEC_FOREACH (figure, &f->figures) {
		out_printf(brief, "%s%.5g", figure == f->figures.data ? "" : " ", figure->value);
		if (figure->err != 0)
			out_printf(brief, "~%.2g", figure->err);
		if (figure->low != figure->high)
			out_printf(brief, "(%.3g-%.3g)", figure->low, figure->high);
		if (figure->of)
			out_printf(brief, "/%llu", (unsigned long long)figure->of);
		edge_shape(str_of(figure->name), &ret->shape);
	}
	out_char(brief, ']');
	VEC_FOREACH (place, &f->evidence)
		out_printf(brief, "%s%u", place == f->evidence.data ? " L" : ",", place->line);
	out_printf(brief, " s%zu n%zu", f->subjects.len, f->next.len);
	out_printf(&ret->shape, "%zu %zu %zu\n", f->evidence.len, f->subjects.len, f->next.len);
	edge_shape(f->claim, &ret->shape);
	edge_shape(f->cause, &ret->shape);
	edge_shape(f->sure_because, &ret->shape);
	VEC_FOREACH (next, &f->next)
		edge_shape(*next, &ret->shape);
	out_z(brief, "; ");
}

static inline void edge_output_fini(struct edge_output *o)
{
	out_fini(&o->whole);
	out_fini(&o->brief);
	out_fini(&o->shape);
	out_fini(&o->kinds);
}

static inline void edge_name_waits(struct capture *c)
{
	struct wait_places places;

	waits_places(c, &places);
	off_cpu_name(c, places.reason, places.shown);
	waits_places_fini(&places);
}

/*
 * Load the inputs of @c with the change @change; NULL: none. Writes their formats to @ret_kinds.
 * As in `assay explain`, switches become waits, and printed call chains become samples.
 */
static inline struct dossier *edge_load(const struct edge_case *c, const struct edge_change *change,
					struct out *ret_kinds)
{
	CLEANUP(transform_fini)
	struct transform changes = { .finds_off_cpu = true,
				     .takes_trees = true,
				     .name_waits = edge_name_waits,
				     .select.is_relative = true };
	const struct load_options options = {
		.fields = off_cpu_fields,
		.n_fields = off_cpu_n_fields,
		.read = { .without = SAMPLE_TIME | SAMPLE_CPU | SAMPLE_THREAD,
			  .is_for_switches = true,
			  .with_operations = true },
	};
	struct dossier *d = dossier_new();

	d->wanted.inlines = true;
	for (size_t i = 0; i < c->n; i++) {
		CLEANUP(document_freep) struct document *doc = NULL;
		struct out text = { .fd = -1 };
		size_t first = d->captures.len;

		if (change && change->file == i + 1)
			edge_change_apply(edge_text(&c->files[i]), change, &text);
		else
			out_str(&text, edge_text(&c->files[i]));
		if (document_from_memory(out_view(&text), NULL, &doc, NULL) != OK ||
		    load_document(d, doc, c->files[i].name, &options, NULL) != OK ||
		    transform_input(d, &changes, first, NULL) != OK)
			out_z(ret_kinds, "failed ");
		out_fini(&text);
	}
	if (transform_all(d, &changes, NULL) != OK)
		out_z(ret_kinds, "failed ");
	VEC_FOREACH (capture, &d->captures)
		out_printf(ret_kinds, "%s ", (*capture)->format);
	return d;
}

/* The output of the rule of @c about the loaded captures; keeps the kinds of @ret. */
static inline void edge_explain(const struct edge_case *c, struct dossier *d,
				struct edge_output *ret)
{
	CLEANUP(facts_freep) struct facts *facts = facts_new(d);
	const struct explain_options options = { .only = str_of(c->rule) };
	struct findings f = { .rows = VEC_INIT };

	out_init(&ret->whole);
	out_init(&ret->brief);
	out_init(&ret->shape);
	explain_run(facts, &options, &f);
	VEC_FOREACH (row, &f.rows) {
		rule_says_finding(row, &ret->whole);
		edge_brief_finding(row, ret);
	}
	VEC_FOREACH (row, &f.clean) {
		out_printf(&ret->whole, STR_FMT "\n", STR_ARG(row->sentence));
		edge_shape(row->sentence, &ret->shape);
		out_z(&ret->brief, "clean; ");
	}
	VEC_FOREACH (row, &f.not_assessed) {
		out_printf(&ret->whole, STR_FMT "\n", STR_ARG(row->sentence));
		edge_shape(row->sentence, &ret->shape);
		out_z(&ret->brief, "not assessed; ");
	}
	if (!ret->brief.len)
		out_z(&ret->brief, "silent; ");
	ret->brief.len -= strlen("; ");
	findings_fini(&f);
}

/* The output of the rule of @c if its input has the change @change; NULL: none. */
static inline void edge_output(const struct edge_case *c, const struct edge_change *change,
			       struct edge_output *ret)
{
	CLEANUP(dossier_freep) struct dossier *d = NULL;

	out_init(&ret->kinds);
	d = edge_load(c, change, &ret->kinds);
	edge_explain(c, d, ret);
}

#endif
