/* SPDX-License-Identifier: MIT */
/*
 * edge_cuts.h - where texts of a rule cut long names
 *
 * A word of a golden's input becomes EDGE_LONG bytes longer. Where the output shows only a part of
 * it, a row cites this part, with what is in front of it and after it: a name that is cut one byte
 * earlier or later is another text.
 */
#ifndef EDGE_CUTS_H
#define EDGE_CUTS_H

#include "base/arena.h"
#include "base/out.h"
#include "base/str.h"
#include "base/vec.h"
#include "edge_words.h"
#include "edges_found.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define CUT_SECONDS 0.6 /* processor time for a golden */
#define CUT_ALIKE   4   /* lines that differ only in their numbers, whose words get longer */
#define CUT_OF_LINE 3u  /* rows of a line of the input */
#define CUT_LETTERS 3u  /* in a word that gets longer */
#define CUT_MARK    9u  /* bytes of the longer text that show it */
#define CUT_BEFORE  20  /* bytes cited in front of the word */
#define CUT_AFTER   12  /* bytes cited after the cut */

struct cuts {
	VEC(struct str) keys; /* what is in front of each cut, and its length, for all goldens */
	struct arena arena;
	struct str golden;
	bool is_begun;       /* the golden is named */
	unsigned int n_line; /* rows of the line of the input */
};

static inline void cuts_fini(struct cuts *cuts)
{
	VEC_FREE(&cuts->keys);
	arena_fini(&cuts->arena);
}

/* Number of earlier lines of @text that have the shape of @line. */
static inline size_t edge_alike(struct str text, struct str line)
{
	struct out is = { .fd = -1 };
	struct str other;
	size_t ret = 0;

	edge_shape(line, &is);
	while (str_line(&text, &other) && other.p < line.p) {
		struct out shape = { .fd = -1 };

		edge_shape(other, &shape);
		ret += str_eq(out_view(&shape), out_view(&is));
		out_fini(&shape);
	}
	out_fini(&is);
	return ret;
}

static inline bool cuts_is_new(struct cuts *cuts, struct str before, size_t len)
{
	struct out key = { .fd = -1 };
	bool ret = true;

	out_printf(&key, "%zu ", len);
	edge_shape(before, &key);
	VEC_FOREACH (old, &cuts->keys)
		ret &= !str_eq(*old, out_view(&key));
	if (ret)
		*VEC_PUSH(&cuts->keys) = arena_str(&cuts->arena, out_view(&key));
	out_fini(&key);
	return ret;
}

/* Print a row of the cut in @whole of the word at @word, which ends at @end. */
static inline void cuts_print(struct cuts *cuts, const struct edge_change *change, struct str brief,
			      struct str whole, size_t word, size_t end)
{
	struct out row = { .fd = -1 };
	size_t from = word;

	while (from && word - from < CUT_BEFORE && whole.p[from - 1] != '\n' &&
	       whole.p[from - 1] != '\t')
		from--;
	if (cuts->n_line < CUT_OF_LINE &&
	    cuts_is_new(cuts, str_sub(whole, from, word), end - word)) {
		cuts->n_line++;
		if (!cuts->is_begun)
			printf("= " STR_FMT "\n", STR_ARG(cuts->golden));
		cuts->is_begun = true;
		for (size_t i = 0; i < CUT_AFTER && end < whole.len && whole.p[end] != '\n' &&
				   whole.p[end] != '\t';
		     i++)
			end++;
		edge_change_print(change, &row);
		printf(STR_FMT "\t" STR_FMT "\t" STR_FMT "\n", STR_ARG(out_view(&row)),
		       STR_ARG(brief), STR_ARG(str_sub(whole, from, end)));
	}
	out_fini(&row);
}

/* Look for the @longer text in the output of a change. */
static inline void cuts_look(struct cuts *cuts, const struct edge_change *change,
			     const struct edge_output *is, struct str longer)
{
	struct str whole = out_view(&is->whole), mark = str_sub(longer, 0, CUT_MARK);
	size_t at, end;

	for (size_t done = 0; (at = done + str_find(str_skip(whole, done), mark)) < whole.len;
	     done = end) {
		size_t word = at;

		while (word && !char_is_space(whole.p[word - 1]) && whole.p[word - 1] != '\'' &&
		       whole.p[word - 1] != '"')
			word--;
		for (end = at; end < whole.len && end - at < longer.len &&
			       whole.p[end] == longer.p[end - at];)
			end++;
		if (end - at < longer.len)
			cuts_print(cuts, change, out_view(&is->brief), whole, word, end);
	}
}

static inline bool cuts_is_name(struct str word)
{
	size_t letters = 0;

	for (size_t i = 0; i < word.len; i++)
		letters += edge_is_letter(word.p[i]);
	return letters >= CUT_LETTERS;
}

static inline void cuts_try(struct cuts *cuts, const struct edge_case *c,
			    const struct edge_change *change, struct str longer)
{
	struct edge_output is;

	edge_output(c, change, &is);
	cuts_look(cuts, change, &is, longer);
	edge_output_fini(&is);
}

/* Make each word of a golden longer, alone and everywhere, and print rows where its output cuts it.
 */
static inline void cuts_find(struct cuts *cuts, const struct edge_case *c, struct str golden)
{
	clock_t until = clock() + (clock_t)(CUT_SECONDS * CLOCKS_PER_SEC);
	struct out longer = { .fd = -1 };

	cuts->golden = golden;
	edge_long_print(&longer);
	for (unsigned int file = 1; file <= c->n; file++) {
		struct str whole = edge_text(&c->files[file - 1]), text = whole, line;
		struct edge_change change = { .file = file };

		/* words of compressed bytes are no names */
		while (!memchr(whole.p, '\0', whole.len) && str_line(&text, &line) &&
		       clock() < until) {
			struct str before, word;
			bool is_other = edge_alike(whole, line) < CUT_ALIKE;

			change.line++;
			cuts->n_line = 0;
			for (change.n = 1; is_other && edge_word(&line, &before, &word);
			     change.n++) {
				if (cuts_is_name(word)) {
					change.kind = EDGE_LONGER_NAME;
					cuts_try(cuts, c, &change, out_view(&longer));
					change.kind = EDGE_LONGER;
					cuts_try(cuts, c, &change, out_view(&longer));
				}
			}
		}
	}
	out_fini(&longer);
}

#endif
