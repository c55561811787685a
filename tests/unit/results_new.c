/* SPDX-License-Identifier: MIT */
/*
 * results_new FILE - results of commands with random changes that are unlike all earlier results
 * results_new --rules GOLDEN... - the same for the outputs of rules
 *
 * For tools/mutate-edges --new. FILE has a command a line (results_found.h), with a leading '=' if
 * a test knows the result of the unchanged inputs. Writes rows for tests/edges/results: such a
 * result has a pair of key and value, or a magnitude of a number, that no earlier result has. The
 * output of a rule has a new line, apart from digits after the first of a number.
 */
#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "edge_mix.h"
#include "edge_words.h"
#include "edges_found.h"
#include "results_found.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NEW_BITS   (1u << 26)
#define NEW_KEYS   (1u << 16)
#define NEW_VALUES 24u   /* different values of a key; a key with more of them is a name */
#define NEW_MIXES  60u   /* of a command */
#define NEW_ROWS   5u    /* of a command */
#define NEW_LEAST  2u    /* new values of a row */
#define NEW_SLOW   0.012 /* seconds of the unchanged result */
#define NEW_WORDS  100u  /* bytes cited of a new line */

struct seen {
	unsigned char *bits;   /* of hashes */
	unsigned char *values; /* of keys */
};

static uint64_t hash(uint64_t from, struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		from = (from ^ (unsigned char)s.p[i]) * UINT64_C(0x100000001b3);
	return from;
}

/* A value with 9 for each digit before the point of a number other than 0. */
static uint64_t hash_value(uint64_t from, struct str value)
{
	struct str before, number;

	while (edge_number(&value, &before, &number)) {
		size_t dot = str_find_char(number, '.');
		bool is_zero = true;

		for (size_t i = 0; i < number.len; i++)
			is_zero = is_zero && (number.p[i] == '0' || number.p[i] == '.');
		from = hash(hash(from, before), is_zero ? STR("0") : STR("9"));
		from = (from ^ (is_zero ? 0 : dot)) * UINT64_C(0x100000001b3);
	}
	return hash(from, value);
}

/* Number of values in a result that are new. */
static unsigned int new_values(struct seen *s, struct str command, struct str result)
{
	uint64_t start = hash(UINT64_C(0xcbf29ce484222325),
			      str_sub(command, 0, str_find_char(command, '/')));
	unsigned int ret = 0;
	struct str line;

	while (str_line(&result, &line)) {
		size_t colon = str_find(line, STR("\": "));
		uint64_t key = hash(start, str_sub(line, 0, colon < line.len ? colon : 0));
		uint64_t value = hash_value(key, str_skip(line, colon < line.len ? colon : 0));

		value ^= value >> 32;
		if ((colon < line.len && s->values[key % NEW_KEYS] >= NEW_VALUES) ||
		    s->bits[value % NEW_BITS / 8] >> value % 8 & 1)
			continue;
		s->bits[value % NEW_BITS / 8] |= (unsigned char)(1u << value % 8);
		if (colon < line.len)
			s->values[key % NEW_KEYS]++;
		ret++;
	}
	return ret;
}

static bool is_new(struct seen *s, const struct results *r, const struct edge_case *c,
		   struct str command, const struct edge_change *change)
{
	struct out result = { .fd = -1 };
	bool ret;

	result_run(r, c, change, &result);
	ret = new_values(s, command, out_view(&result)) >= NEW_LEAST;
	out_fini(&result);
	return ret;
}

static void print_row(const struct results *r, const struct edge_case *c,
		      const struct edge_change *change)
{
	struct out row = { .fd = -1 };
	struct edge_output is;

	result_output(r, c, change, &is);
	edge_change_print(change, &row);
	printf(STR_FMT "\t" STR_FMT "\n", STR_ARG(out_view(&row)), STR_ARG(out_view(&is.brief)));
	edge_output_fini(&is);
	out_fini(&row);
}

/* If the file is binary, change one random byte instead. */
static void change_bytes(const struct edge_file *file, struct edge_change *change)
{
	struct edge_mix m = { .random = change->line };

	if (!memchr(file->text, '\0', file->len))
		return;
	(void)edge_mix_any(&m, 1);
	change->kind = EDGE_BYTE;
	change->line = (unsigned int)edge_mix_any(&m, file->len);
	change->n = (unsigned int)edge_mix_any(&m, 256);
}

static double now(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static void look(struct seen *s, const struct results *r, const struct edge_case *c,
		 struct str command, bool is_known)
{
	static const unsigned int some[] = { 2, 4, 8, 16, 40 };
	struct edge_change change = { .kind = EDGE_LINE, .file = 1, .line = 1, .n = 1 };
	unsigned int n_rows = 0;
	double began = now();
	bool is_row = is_new(s, r, c, command, &change) && !is_known;

	if (now() - began > NEW_SLOW)
		return;
	for (unsigned int i = 0; i <= NEW_MIXES && n_rows < NEW_ROWS; i++) {
		if (is_row && !n_rows++)
			printf("= " STR_FMT "\n", STR_ARG(command));
		if (is_row)
			print_row(r, c, &change);
		change = (struct edge_change){ .kind = EDGE_MIX,
					       .file = i % (unsigned int)c->n + 1,
					       .line = i,
					       .n = some[i % ARRAY_LEN(some)] };
		change_bytes(&c->files[change.file - 1], &change);
		is_row = is_new(s, r, c, command, &change);
	}
	(void)fflush(stdout);
}

/* Is @change of an input of @c one whose output has a new line? Print its row then. */
static bool look_at_rule(struct seen *s, const struct edge_case *c,
			 const struct edge_change *change, bool is_printed)
{
	struct edge_output is;
	struct out row = { .fd = -1 };
	struct str rest, line, words = STR_NONE;

	edge_output(c, change, &is);
	rest = out_view(&is.whole);
	while (str_line(&rest, &line)) {
		uint64_t value = hash_value(hash(1, str_of(c->rule)), line);

		value ^= value >> 32;
		if (s->bits[value % NEW_BITS / 8] >> value % 8 & 1)
			continue;
		s->bits[value % NEW_BITS / 8] |= (unsigned char)(1u << value % 8);
		if (!words.len)
			words = str_skip(line, line.len > NEW_WORDS ? line.len - NEW_WORDS : 0);
	}
	if (words.len && is_printed) {
		edge_change_print(change, &row);
		printf(STR_FMT "\t" STR_FMT "\t" STR_FMT "\n", STR_ARG(out_view(&row)),
		       STR_ARG(out_view(&is.brief)), STR_ARG(words));
	}
	edge_output_fini(&is);
	out_fini(&row);
	return words.len > 0;
}

static void look_at_golden(struct seen *s, const char *dir)
{
	static const unsigned int some[] = { 1, 2, 4, 8, 16 };
	const struct edge_change none = { .kind = EDGE_LINE, .file = 1, .line = 1, .n = 1 };
	unsigned int n_rows = 0;
	struct edge_case c;

	if (!edge_case_load(dir, &c))
		return;
	printf("= %s\n", dir);
	(void)look_at_rule(s, &c, &none, false);
	for (unsigned int i = 0; i < NEW_MIXES && n_rows < NEW_ROWS; i++) {
		const struct edge_change change = { .kind = EDGE_MIX,
						    .file = i % (unsigned int)c.n + 1,
						    .line = i,
						    .n = some[i % ARRAY_LEN(some)] };

		n_rows += look_at_rule(s, &c, &change, true);
	}
	(void)fflush(stdout);
	edge_case_fini(&c);
}

int main(int argc, char **argv)
{
	bool is_rules = argc > 1 && strcmp(argv[1], "--rules") == 0;
	CLEANUP(freep) char *text = edge_read(argc > 1 ? argv[1] : "");
	struct seen seen = { xcalloc(NEW_BITS / 8, 1), xcalloc(NEW_KEYS, 1) };
	struct str rest = str_of(text ? text : ""), line;
	struct results results;

	for (int i = 2; i < argc && is_rules; i++)
		look_at_golden(&seen, argv[i]);
	if (is_rules)
		return 0;
	if (!getenv("ASSAY_SOURCE") || !results_init(&results, getenv("ASSAY_SOURCE")))
		return 1;
	while (str_line(&rest, &line)) {
		bool is_known = str_take(&line, STR("="));
		struct edge_case c;
		char command[4096];

		(void)snprintf(command, sizeof(command), STR_FMT, STR_ARG(line));
		if (!result_load(&results, command, &c))
			continue;
		look(&seen, &results, &c, line, is_known);
		edge_case_fini(&c);
	}
	results_fini(&results);
	free(seen.bits);
	free(seen.values);
	return 0;
}
