/* SPDX-License-Identifier: MIT */
#include "cmds/mcp/mcp_wish.h"

#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/mcp/mcp_paths.h"
#include "cmds/mcp/mcp_tools.h"
#include "formats/exchange/json_doc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WISH_WORD_BYTES 4096u
#define WISH_OVERHEAD   300.0 /* number of bytes of a reply besides its text */
/*
 * fraction of the token budget that is passed to --tokens; the rest is reserved for the backslashes
 * that JSON adds to the text
 */
#define WISH_ESCAPED 0.93

struct wish_parts {
	struct mcp_wish *w;
	const struct mcp_paths *paths;
	const struct mcp_way *way;
	struct str rest;
	VEC(char *) options; /* owned; wish_join() moves them to the command line */
	VEC(char *) files;
};

void mcp_wish_fini(struct mcp_wish *w)
{
	VEC_FOREACH (word, &w->words)
		free(*word);
	VEC_FREE(&w->words);
	out_fini(&w->input);
}

/*
 * Set @ret to the text @value of the argument @a, which becomes one word of the command line.
 * Errors: ERR_USAGE if @value is no text, is empty or too long, or has several lines.
 */
static int wish_text(const struct mcp_argument *a, struct json_object *value, struct str *ret,
		     struct error *err)
{
	*ret = json_doc_text(value);
	if (!json_doc_is_text(value))
		return fail(err, ERR_USAGE, "'%s' must be text", a->name);
	if (ret->len == 0 || ret->len > WISH_WORD_BYTES || memchr(ret->p, '\0', ret->len) ||
	    memchr(ret->p, '\n', ret->len))
		return fail(err, ERR_USAGE, "'%s' must be one line of 1 to %u bytes", a->name,
			    WISH_WORD_BYTES);
	return OK;
}

static char *wish_word(const char *dashes, const char *option, struct str text)
{
	struct out out = { .fd = -1 };
	char *word;

	out_printf(&out, "%s%s%s", dashes, option, *dashes && text.len ? "=" : "");
	out_str(&out, text);
	word = xmemdupz(out.data, out.len);
	out_fini(&out);
	return word;
}

static int wish_file(struct wish_parts *p, const struct mcp_argument *a, struct json_object *value,
		     struct error *err)
{
	struct str path;
	size_t root;
	char *name;
	int e = wish_text(a, value, &path, err);

	if (e == OK)
		e = mcp_paths_find(p->paths, path, &name, &root, err);
	if (e < 0)
		return e;
	if (p->files.len && root != p->w->root) {
		free(name);
		return fail(err, ERR_USAGE,
			    "the files of one call must be below one directory of this server");
	}
	p->w->root = root;
	*VEC_PUSH(&p->files) = name;
	return OK;
}

static int wish_list(struct wish_parts *p, const struct mcp_argument *a, struct json_object *value,
		     struct error *err)
{
	size_t n = json_doc_len(value);
	int e = OK;

	if (n == 0 || n > MCP_TEXTS_MOST)
		return fail(err, ERR_USAGE, "'%s' must be an array of 1 to %u texts", a->name,
			    MCP_TEXTS_MOST);
	for (size_t i = 0; i < n && e == OK; i++) {
		struct str line;

		if (a->kind == MCP_FILES) {
			e = wish_file(p, a, json_doc_at(value, i), err);
			continue;
		}
		e = wish_text(a, json_doc_at(value, i), &line, err);
		if (e < 0)
			break;
		out_str(&p->w->input, line);
		out_char(&p->w->input, '\n');
	}
	return e;
}

static const struct mcp_way *wish_way(const struct mcp_tool *t, struct str key)
{
	for (size_t i = 0; i < t->n_ways; i++) {
		if (t->ways[i].key[0] && str_eq(key, str_of(t->ways[i].key)))
			return &t->ways[i];
	}
	return NULL;
}

/* Select the variant of the tool that an argument of the kind MCP_CHOICE or MCP_HANDLE names. */
static int wish_choose(struct wish_parts *p, const struct mcp_argument *a, struct str text,
		       struct error *err)
{
	size_t colon = a->kind == MCP_HANDLE ? str_find_char(text, ':') : text.len;
	struct out keys = { .fd = -1 };

	p->way = wish_way(p->w->tool, str_sub(text, 0, colon));
	if (a->kind == MCP_HANDLE)
		p->rest = str_skip(text, colon + 1);
	if (p->way && (a->kind != MCP_HANDLE || p->rest.len))
		return OK;
	for (size_t i = 0; i < p->w->tool->n_ways; i++) {
		const char *key = p->w->tool->ways[i].key;

		if (*key)
			out_printf(&keys, "%s%s%s", keys.len ? ", " : "", key,
				   a->kind == MCP_HANDLE ? ":..." : "");
	}
	(void)fail(err, ERR_USAGE, "'%s' is one of " STR_FMT, a->name, STR_ARG(out_view(&keys)));
	out_fini(&keys);
	return ERR_USAGE;
}

static int wish_count(const struct mcp_argument *a, struct json_object *value, uint64_t least,
		      uint64_t most, uint64_t *ret, struct error *err)
{
	int64_t n = json_doc_integer(value);

	if (!json_doc_is_integer(value) || n < (int64_t)least || n > (int64_t)most)
		return fail(err, ERR_USAGE, "'%s' must be an integer from %llu to %llu", a->name,
			    (unsigned long long)least, (unsigned long long)most);
	*ret = (uint64_t)n;
	return OK;
}

/*
 * Set the text for standard input, and select the variant of the tool that belongs to the argument.
 */
static int wish_input(struct wish_parts *p, const struct mcp_argument *a, struct json_object *value,
		      struct error *err)
{
	if (p->w->input.len)
		return fail(err, ERR_USAGE, "'claims' and 'text' exclude each other");
	p->way = wish_way(p->w->tool, str_of(a->option));
	if (a->kind == MCP_LINES)
		return wish_list(p, a, value, err);
	if (json_doc_text(value).len == 0)
		return fail(err, ERR_USAGE, "'%s' must be text", a->name);
	out_str(&p->w->input, json_doc_text(value));
	return OK;
}

static int wish_option(struct wish_parts *p, const struct mcp_argument *a,
		       struct json_object *value, struct error *err)
{
	struct str text;
	uint64_t n = 0;
	int e;

	if (a->kind == MCP_FLAG) {
		if (json_doc_is_true(value))
			*VEC_PUSH(&p->options) = wish_word("--", a->option, STR_NONE);
		return OK;
	}
	if (a->kind == MCP_NUMBER) {
		char digits[24];

		e = wish_count(a, value, 1, UINT32_MAX, &n, err);
		if (e < 0)
			return e;
		(void)snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);
		*VEC_PUSH(&p->options) = wish_word("--", a->option, str_of(digits));
		return OK;
	}
	e = wish_text(a, value, &text, err);
	if (e < 0)
		return e;
	if (a->kind == MCP_WORD) {
		*VEC_PUSH(&p->options) = wish_word("--", a->option, text);
		return OK;
	}
	if (a->kind != MCP_NAME)
		return wish_choose(p, a, text, err);
	(void)str_take(&text, STR("func:"));
	p->rest = text;
	return text.len ? OK : fail(err, ERR_USAGE, "'%s' needs a name after func:", a->name);
}

static int wish_argument(struct wish_parts *p, const struct mcp_argument *a,
			 struct json_object *value, struct error *err)
{
	switch (a->kind) {
	case MCP_FILE:
		return wish_file(p, a, value, err);
	case MCP_FILES:
		return wish_list(p, a, value, err);
	case MCP_LINES:
	case MCP_TEXT:
		return wish_input(p, a, value, err);
	case MCP_TOKEN_COUNT:
		return wish_count(a, value, MCP_TOKENS_LEAST, MCP_TOKENS_MOST, &p->w->tokens, err);
	case MCP_LINE_NUMBER:
		return wish_count(a, value, 1, INT32_MAX, &p->w->from, err);
	default:
		return wish_option(p, a, value, err);
	}
}

static bool wish_is_known(const void *arg, const char *key)
{
	const struct mcp_tool *t = arg;

	for (size_t i = 0; i < t->n_arguments; i++) {
		if (strcmp(t->arguments[i].name, key) == 0)
			return true;
	}
	return false;
}

/*
 * Join the command line: the words of the selected variant of the tool, then options, then files.
 */
static void wish_join(struct wish_parts *p)
{
	struct str words = str_of(p->way->words);
	struct str word;
	char budget[32];
	double tokens = ((double)p->w->tokens * MCP_TOKEN_BYTES - WISH_OVERHEAD) / MCP_TOKEN_BYTES;

	while (str_word(&words, &word)) {
		size_t hole = str_find_char(word, '%');
		char *head = xmemdupz(word.p, hole);

		*VEC_PUSH(&p->w->words) =
			hole < word.len ? wish_word("", head, p->rest) : TAKE(head);
		free(head);
	}
	if (p->w->tool->has_budget) {
		(void)snprintf(budget, sizeof(budget), "--tokens=%.0f", tokens * WISH_ESCAPED);
		*VEC_PUSH(&p->w->words) = xmemdupz(budget, strlen(budget));
	}
	VEC_FOREACH (option, &p->options)
		*VEC_PUSH(&p->w->words) = TAKE(*option);
	VEC_FOREACH (file, &p->files)
		*VEC_PUSH(&p->w->words) = TAKE(*file);
	*VEC_PUSH(&p->w->words) = NULL;
}

static int wish_arguments(struct wish_parts *p, struct json_object *arguments, struct error *err)
{
	const struct mcp_tool *t = p->w->tool;
	const char *unknown = json_doc_unknown(arguments, wish_is_known, t);
	int e = OK;

	if (unknown)
		return fail(err, ERR_USAGE, "%s has no argument '%.64s'; tools/list names them",
			    t->name, unknown);
	for (size_t i = 0; i < t->n_arguments && e == OK; i++) {
		struct json_object *value = json_doc_get(arguments, t->arguments[i].name);

		if (value)
			e = wish_argument(p, &t->arguments[i], value, err);
		else if (t->arguments[i].is_required)
			e = fail(err, ERR_USAGE, "%s needs the argument '%s': %s", t->name,
				 t->arguments[i].name, t->arguments[i].help);
	}
	if (e == OK && !p->way && t->has_no_default)
		e = fail(err, ERR_USAGE, "%s needs 'claims' or 'text'", t->name);
	return e;
}

int mcp_wish_read(const struct mcp_tool *tool, struct json_object *arguments,
		  const struct mcp_paths *paths, struct mcp_wish *ret, struct error *err)
{
	struct wish_parts p = { .w = ret, .paths = paths };
	int e;

	*ret = (struct mcp_wish){ .tool = tool, .tokens = MCP_TOKENS, .from = 1 };
	out_init(&ret->input);
	e = wish_arguments(&p, arguments, err);
	p.way = p.way ? p.way : &tool->ways[0];
	if (e == OK)
		wish_join(&p);
	VEC_FOREACH (option, &p.options)
		free(*option);
	VEC_FOREACH (file, &p.files)
		free(*file);
	VEC_FREE(&p.options);
	VEC_FREE(&p.files);
	return e;
}
