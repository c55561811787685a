/* SPDX-License-Identifier: MIT */
/*
 * claims_find [PATHS...] - claims whose outcome a mutant changes
 *
 * For a tree of tools/mutate, by tools/mutate-edges --claims. Takes the claims of
 * tests/edges/claims.tab, changes words and numbers of them, and writes those that show a mutant
 * that no row shows. PATHS, inputs separated by blanks, are further recordings.
 */
#include "unit.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "claim_rows.h"
#include "mutants_shown.h"

#include "base/arena.h"
#include "base/vec.h"

#include <time.h>

#define CLAIM_SECONDS 60  /* processor time for the recordings of a row */
#define CLAIM_LENGTH  400 /* of a claim */
#define CLAIM_TRIES   14  /* changes of a claim */

struct claims {
	struct mutants *m;
	struct recordings r;
	struct arena arena;
	VEC(struct str) texts; /* of all recordings */
	VEC(struct str) words;
	uint64_t random;
};

struct asked {
	struct recordings *r;
	struct str text;
};

static uint64_t any(struct claims *c, uint64_t below)
{
	c->random ^= c->random << 13;
	c->random ^= c->random >> 7;
	c->random ^= c->random << 17;
	return below ? c->random % below : 0;
}

static void run_claim(const void *input, struct out *brief, struct out *whole)
{
	const struct asked *in = input;

	(void)whole;
	row_print(in->r, in->text, brief);
}

/* Ask @text; print its row if it shows a mutant. */
static void ask(struct claims *c, struct str text, struct out *ret)
{
	const struct asked input = { &c->r, text };
	bool is_shown = false;

	mutants_forget();
	row_print(&c->r, text, ret);
	mutants_show(c->m, run_claim, &input, out_view(ret), STR_NONE);
	for (unsigned int i = 0; i < c->m->child->n; i++)
		is_shown = is_shown || c->m->child->is[i] != MUTANT_SAME;
	if (!is_shown || c->m->mode != MUTANTS_SEARCH)
		return;
	if (!c->m->is_begun)
		printf("= " STR_FMT "\n", STR_ARG(c->m->golden));
	c->m->is_begun = true;
	printf(STR_FMT "\t" STR_FMT "\n", STR_ARG(text), STR_ARG(out_view(ret)));
	(void)fflush(stdout);
}

static bool is_figure(char c)
{
	return char_is_digit(c) || c == '.';
}

/* One of the numbers of @outcome, maybe one step of its last digit more or less. */
static void figure_of(struct claims *c, struct str outcome, struct out *ret)
{
	struct str found = STR_NONE;
	char text[64];
	double step = 1;

	for (size_t i = 0, n = 1; i < outcome.len; i++) {
		size_t end = i;

		while (end < outcome.len && is_figure(outcome.p[end]))
			end++;
		if (char_is_digit(outcome.p[i]) && any(c, n++) == 0)
			found = str_sub(outcome, i, end);
		i = end;
	}
	if (found.len == 0 || found.len > 20) {
		out_printf(ret, "%llu", (unsigned long long)any(c, 102));
		return;
	}
	(void)snprintf(text, sizeof(text), STR_FMT, STR_ARG(found));
	for (size_t i = str_find_char(found, '.') + 1; i < found.len; i++)
		step /= 10;
	out_printf(ret, "%.*f",
		   str_find_char(found, '.') < found.len
			   ? (int)(found.len - str_find_char(found, '.') - 1)
			   : 0,
		   strtod(text, NULL) + step * ((double)any(c, 3) - 1));
}

/* A part of a claim: a number, a word, or one other byte. */
static struct str next_part(struct str *rest)
{
	size_t end = 1;

	if (is_figure(rest->p[0]))
		for (; end < rest->len && is_figure(rest->p[end]);)
			end++;
	else if (!char_is_space(rest->p[0]))
		for (; end < rest->len && !char_is_space(rest->p[end]) &&
		       !strchr("()=<>,", rest->p[end]) && !strchr("()", rest->p[0]);)
			end++;
	struct str ret = str_sub(*rest, 0, end);
	*rest = str_skip(*rest, end);
	return ret;
}

/* Write @text with one part changed. */
static void change(struct claims *c, struct str text, struct str outcome, struct out *ret)
{
	static const char *const operators[] = { "<", "<=", ">", ">=", "==", "!=" };
	struct str rest = text;
	size_t n = 0, at;

	while (rest.len) {
		(void)next_part(&rest);
		n++;
	}
	at = any(c, n);
	rest = text;
	for (size_t i = 0; i < n; i++) {
		struct str part = next_part(&rest);

		if (i != at || char_is_space(part.p[0]))
			out_str(ret, part);
		else if (is_figure(part.p[0]) && any(c, 5))
			figure_of(c, outcome, ret);
		else if (strchr("<>=", part.p[0]) && any(c, 5))
			out_z(ret, operators[any(c, ARRAY_LEN(operators))]);
		else if (any(c, 8) == 0)
			out_printf(ret, STR_FMT " " STR_FMT, STR_ARG(part), STR_ARG(part));
		else if (any(c, 8))
			out_str(ret, c->words.data[any(c, c->words.len)]);
	}
}

/* Claims made of @text, the later of the earlier. */
static void vary(struct claims *c, struct str text)
{
	struct out is = { .fd = -1 };

	row_print(&c->r, text, &is);
	for (int i = 0; i < CLAIM_TRIES; i++) {
		struct out made = { .fd = -1 }, outcome = { .fd = -1 };

		change(c, text, out_view(&is), &made);
		if (any(c, 3) == 0) {
			struct out more = { .fd = -1 };

			change(c, out_view(&made), out_view(&is), &more);
			out_fini(&made);
			made = more;
		}
		if (made.len && made.len < CLAIM_LENGTH && !str_starts(out_view(&made), STR("= ")))
			ask(c, out_view(&made), &outcome);
		out_fini(&outcome);
		out_fini(&made);
	}
	out_fini(&is);
}

static void begin(struct claims *c, struct str paths)
{
	mutants_begin(c->m, paths);
	recordings_load(&c->r, paths);
}

static void collect(struct claims *c, struct str text)
{
	struct str line;

	while (str_line(&text, &line)) {
		struct str claim = str_sub(line, 0, str_find_char(line, '\t')), rest = claim;

		if (str_starts(line, STR("= ")))
			continue;
		*VEC_PUSH(&c->texts) = claim;
		while (rest.len) {
			struct str part = next_part(&rest);

			if (!char_is_space(part.p[0]))
				*VEC_PUSH(&c->words) = part;
		}
	}
}

/* The rows that exist. */
static void ask_rows(struct claims *c, struct str text)
{
	struct str line;

	c->m->mode = MUTANTS_GOLDEN;
	while (str_line(&text, &line)) {
		struct out is = { .fd = -1 };

		if (str_take(&line, STR("= ")))
			begin(c, line);
		else
			ask(c, str_sub(line, 0, str_find_char(line, '\t')), &is);
		out_fini(&is);
	}
	c->m->mode = MUTANTS_SEARCH;
}

/* Claims about the recordings in @paths. */
static void search(struct claims *c, struct str paths)
{
	clock_t until = clock() + CLAIM_SECONDS * CLOCKS_PER_SEC;

	begin(c, paths);
	for (size_t i = 0; i < c->texts.len && clock() < until; i++)
		vary(c, c->texts.data[any(c, c->texts.len)]);
}

int main(int argc, char **argv)
{
	struct claims c = { .m = mutants_new(), .random = 88172645463325252u };
	struct str rest, line;
	char path[2048];
	char *text;

	if (!c.m)
		return 1;
	(void)snprintf(path, sizeof(path), "%s/tests/edges/claims.tab", unit_source());
	text = read_whole(path);
	rest = str_of(text);
	collect(&c, rest);
	ask_rows(&c, rest);
	while (str_line(&rest, &line)) {
		if (str_take(&line, STR("= ")))
			search(&c, line);
	}
	for (int i = 1; i < argc; i++)
		search(&c, str_of(argv[i]));
	recordings_fini(&c.r);
	mutants_free(c.m);
	VEC_FREE(&c.texts);
	VEC_FREE(&c.words);
	free(text);
	return 0;
}
