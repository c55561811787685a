/* SPDX-License-Identifier: MIT */
/*
 * edges_find [--words | --longer] GOLDEN... - find where a rule's output changes its mind
 *
 * edges_find --mutants FILE GOLDEN... - find inputs whose output a mutant changes
 *
 * edges_find --results FILE PART PARTS - the same for whole results of commands
 *
 * build/tests/edges_find tests/golden/rules/copying-*.d > tests/edges/copying.tsv
 *
 * Each word is replaced; --words does only that. Each word gets longer; --longer does only that
 * (edge_cuts.h). Each number of the golden's input takes small and large values, each line and
 * paragraph occurs more or less often, and the input ends early. Where two outputs differ in more
 * than their numbers, the step between them is halved until the two inputs are one step apart.
 * Writes both as rows for tests/edges/RULE.tsv to standard output.
 * --mutants FILE, which tools/mutate-edges runs, writes instead a row for each tried input whose
 * output a mutant changes that no row shows so far. --results FILE does that for the commands of
 * FILE, a line each (results_found.h); what the result of the unchanged input shows needs no row if
 * the line begins with '='. Mutants are divided into PARTS.
 */

#include "core/dossier.h"
#include "edge_cuts.h"
#include "edge_words.h"
#include "edges_found.h"
#include "edges_shown.h"
#include "mutants_shown.h"
#include "results_found.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"

#include <dirent.h>
#include <math.h>
#include <sys/resource.h>

#define EDGE_SECONDS   0.6       /* processor time for a golden */
#define EDGE_LINES     3         /* lines that differ only in their numbers, whose numbers change */
#define EDGE_BYTES     (1 << 16) /* of an input */
#define EDGE_FOUND     24        /* pairs that are found before the best ones are taken */
#define EDGE_PAIRS     8         /* pairs of a golden */
#define EDGE_MUTANTS   1.5   /* seconds for words, numbers and lines, or mixes to show mutants */
#define EDGE_MIXES     200   /* of an input */
#define EDGE_IDLE      150   /* inputs in a row with which no mutant is left to try */
#define RESULT_IDLE    8     /* inputs of a command that show no mutant in a row */
#define RESULT_SECONDS 1.5   /* for a command */
#define RESULT_SLOW    0.03  /* seconds of a result that is not changed */
#define RESULT_TRIES   16    /* of a mutant with inputs of a command */
#define RESULT_ALL     80    /* of a mutant */
#define RESULT_CHANGES 20000 /* of a command that are drawn from */
#define EDGE_WORDED    3     /* of these, pairs that differ in words only */

static const double factors[] = { 0,   0.04, 0.1, 0.25, 0.45, 0.6, 0.8, 0.95, 1,  1.1,
				  1.3, 1.7,  2.2, 3,    5,    9,   17,  60,   400 };
static const unsigned int counts[] = { 0, 1, 2, 3, 4, 5, 7, 10, 14, 20, 35, 60, 110, 250 };

struct pair {
	struct str key;  /* both shapes */
	struct str rows; /* of the file */
	bool is_worded;  /* severity, certainty, and the numbers of figures and places are the same
			  */
};

struct search {
	const struct edge_case *c;
	const struct results *results; /* NULL: the output is that of a rule */
	unsigned int n_idle;           /* last inputs on which no mutant was left to try */
	struct str golden;
	double until;
	VEC(struct pair) pairs;
	struct arena arena;
	struct mutants *mutants; /* NULL: pairs are wanted */
};

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

/* Processor time so far, with that of children. */
static double now(void)
{
	struct rusage own, children;

	(void)getrusage(RUSAGE_SELF, &own);
	(void)getrusage(RUSAGE_CHILDREN, &children);
	return seconds(own.ru_utime) + seconds(own.ru_stime) + seconds(children.ru_utime) +
	       seconds(children.ru_stime);
}

/* A whole number that a change of one kind stands for, and back. */
static void set_value(struct edge_change *change, uint64_t value, unsigned int decimals, int width)
{
	uint64_t one = (uint64_t)pow(10, decimals);

	if (change->kind != EDGE_NUMBER)
		change->n = (unsigned int)value;
	else if (decimals)
		(void)snprintf(change->text, sizeof(change->text), "%0*llu.%0*llu", width,
			       (unsigned long long)(value / one), (int)decimals,
			       (unsigned long long)(value % one));
	else
		(void)snprintf(change->text, sizeof(change->text), "%0*llu", width,
			       (unsigned long long)value);
	if (change->kind == EDGE_UPTO)
		change->line = (unsigned int)value;
}

static bool same(const struct edge_output *a, const struct edge_output *b)
{
	return str_eq(out_view(&a->shape), out_view(&b->shape));
}

static bool is_new(struct search *s, struct str key)
{
	VEC_FOREACH (pair, &s->pairs) {
		if (str_eq(pair->key, key))
			return false;
	}
	return true;
}

static bool is_worded(const struct edge_output *a, const struct edge_output *b)
{
	struct out x = { .fd = -1 }, y = { .fd = -1 };
	bool ret;

	/* without figures */
	edge_brief_shape(out_view(&a->brief), &x);
	edge_brief_shape(out_view(&b->brief), &y);
	ret = str_eq(out_view(&x), out_view(&y));
	out_fini(&x);
	out_fini(&y);
	return ret;
}

/* Without numbers. */
static void shape_of_result(struct edge_output *is)
{
	struct out whole = is->shape;

	out_init(&is->shape);
	edge_shape(out_view(&whole), &is->shape);
	out_fini(&whole);
}

/* An input of mutants_run. */
struct looked {
	const struct search *s;
	const struct edge_change *change;
};

static void output_of(const struct search *s, const struct edge_change *change,
		      struct edge_output *ret)
{
	if (s->results)
		result_output(s->results, s->c, change, ret);
	else
		edge_output(s->c, change, ret);
}

static void run_looked(const void *input, struct out *brief, struct out *whole)
{
	const struct looked *in = input;
	struct edge_output is;

	output_of(in->s, in->change, &is);
	out_str(brief, out_view(&is.brief));
	out_str(whole, out_view(&is.whole));
	edge_output_fini(&is);
}

/* The output with a change, which becomes a row if it shows a mutant from the program. */
static void look(struct search *s, const struct edge_change *change, struct edge_output *ret)
{
	const struct looked looked = { s, change };
	struct changed input = { .c = s->c };

	if (!s->mutants || s->results) {
		if (s->mutants)
			mutants_forget();
		output_of(s, change, ret);
	} else {
		out_init(&ret->kinds);
		input.d = edge_load(s->c, change, &ret->kinds);
		mutants_forget();
		edge_explain(s->c, input.d, ret);
	}
	if (!s->mutants)
		return;
	if (s->results) {
		shape_of_result(ret);
		mutants_show(s->mutants, run_looked, &looked, out_view(&ret->brief),
			     out_view(&ret->whole));
	} else {
		mutants_show(s->mutants, run_changed, &input, out_view(&ret->brief),
			     out_view(&ret->whole));
		dossier_free(input.d);
	}
	s->n_idle = s->mutants->child->n ? 0 : s->n_idle + 1;
	if (s->mutants->mode == MUTANTS_SEARCH)
		print_shown(s->mutants, change, ret);
}

/* Look at the golden, and at the rows that tests/edges has for it. */
static void look_at_rows(struct search *s)
{
	const struct edge_change none = { .kind = EDGE_LINE, .file = 1, .line = 1, .n = 1 };
	CLEANUP(freep) char *text = NULL;
	struct edge_output is;
	struct str rest, line;
	bool is_here = false;
	char path[4096];

	s->mutants->mode = MUTANTS_GOLDEN;
	look(s, &none, &is);
	edge_output_fini(&is);
	s->mutants->mode = MUTANTS_ROW;
	(void)snprintf(path, sizeof(path), "%s/tests/edges/%s.tsv", getenv("ASSAY_SOURCE"),
		       s->c->rule);
	text = edge_read(path);
	rest = str_of(text ? text : "");
	while (str_line(&rest, &line)) {
		struct edge_change change;
		struct edge_row row;
		struct str start = line;

		if (str_take(&start, STR("= "))) {
			is_here = str_eq(start, s->golden);
		} else if (is_here && edge_row_of(line, &row) &&
			   edge_change_parse(row.change, &change)) {
			s->mutants->row_words = row.words;
			look(s, &change, &is);
			edge_output_fini(&is);
		}
	}
	s->mutants->mode = MUTANTS_SEARCH;
}

static void print_side(const struct edge_change *change, const struct edge_output *is,
		       const struct edge_output *other, struct out *ret)
{
	edge_change_print(change, ret);
	out_printf(ret, "\t" STR_FMT, STR_ARG(out_view(&is->brief)));
	if (is_worded(is, other)) {
		struct str words = mutants_words(out_view(&is->whole), out_view(&other->whole));

		if (words.len)
			out_printf(ret, "\t" STR_FMT, STR_ARG(words));
	}
	out_char(ret, '\n');
}

/* Between @low and @high the output changes: find two neighbours that differ. */
static void halve(struct search *s, struct edge_change change, uint64_t low, uint64_t high,
		  unsigned int decimals, int width)
{
	struct edge_output a, b;

	set_value(&change, low, decimals, width);
	look(s, &change, &a);
	set_value(&change, high, decimals, width);
	look(s, &change, &b);
	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;
		struct edge_output is;
		struct edge_output *replaced;

		set_value(&change, middle, decimals, width);
		look(s, &change, &is);
		replaced = same(&is, &a) ? &a : &b;
		*(replaced == &a ? &low : &high) = middle;
		edge_output_fini(replaced);
		*replaced = is;
	}
	if (!s->mutants && str_eq(out_view(&a.kinds), out_view(&b.kinds))) {
		struct out key = { .fd = -1 }, rows = { .fd = -1 };

		out_printf(&key, STR_FMT " -> " STR_FMT, STR_ARG(out_view(&a.shape)),
			   STR_ARG(out_view(&b.shape)));
		set_value(&change, low, decimals, width);
		print_side(&change, &a, &b, &rows);
		set_value(&change, high, decimals, width);
		print_side(&change, &b, &a, &rows);
		if (is_new(s, out_view(&key)))
			*VEC_PUSH(&s->pairs) = (struct pair){
				.key = arena_str(&s->arena, out_view(&key)),
				.rows = arena_str(&s->arena, out_view(&rows)),
				.is_worded = is_worded(&a, &b),
			};
		out_fini(&key);
		out_fini(&rows);
	}
	edge_output_fini(&a);
	edge_output_fini(&b);
}

static bool is_done(const struct search *s)
{
	if (s->mutants)
		return now() > s->until || s->n_idle > (s->results ? RESULT_IDLE : EDGE_IDLE);
	return s->pairs.len >= EDGE_FOUND || now() > s->until;
}

/* Try the ascending @values of a change. */
static void try(struct search *s, struct edge_change change, const uint64_t *values, size_t n,
		unsigned int decimals, int width)
{
	struct edge_output was = { .whole = { .fd = -1 } };
	uint64_t last = 0;
	bool has = false;

	for (size_t i = 0; i < n && !is_done(s); i++) {
		struct edge_output is;

		if (has && values[i] <= last)
			continue;
		set_value(&change, values[i], decimals, width);
		look(s, &change, &is);
		if (has && !same(&was, &is))
			halve(s, change, last, values[i], decimals, width);
		if (has)
			edge_output_fini(&was);
		was = is;
		last = values[i];
		has = true;
	}
	if (has)
		edge_output_fini(&was);
}

static void try_number(struct search *s, struct edge_change change, struct str number)
{
	uint64_t values[ARRAY_LEN(factors) + 2];
	size_t dot = str_find_char(number, '.'), n = 0;
	unsigned int decimals = dot < number.len ? (unsigned int)(number.len - dot - 1) : 0;
	int width = number.p[0] == '0' ? (int)(dot < number.len ? dot : number.len) : 1;
	uint64_t value = 0;

	if (number.len > 12)
		return;
	for (size_t i = 0; i < number.len; i++) {
		if (char_is_digit(number.p[i]))
			value = value * 10 + (uint64_t)(number.p[i] - '0');
		else if (i != dot)
			return; /* a version or an address */
	}
	for (size_t i = 0; i < ARRAY_LEN(factors); i++) {
		if (factors[i] == 1) {
			values[n++] = value ? value - 1 : 0;
			values[n++] = value;
			values[n++] = value + 1;
		} else {
			values[n++] = (uint64_t)((double)value * factors[i]);
		}
	}
	if (!value)
		for (n = 0; n < 12; n++)
			values[n] = n < 4 ? n : (uint64_t)pow(3, (double)n);
	try(s, change, values, n, decimals, width);
}

static void try_counts(struct search *s, struct edge_change change, size_t bytes)
{
	uint64_t values[ARRAY_LEN(counts)];
	size_t n = 0;

	for (; n < ARRAY_LEN(counts) && counts[n] * bytes <= EDGE_BYTES; n++)
		values[n] = counts[n];
	try(s, change, values, n, 0, 1);
}

static void try_line(struct search *s, struct str whole, struct str line, unsigned int file,
		     unsigned int number_of_line, bool is_first)
{
	struct edge_change change = { .file = file, .line = number_of_line };
	struct str rest = line, before, number;

	for (unsigned int i = 1; edge_number(&rest, &before, &number); i++) {
		change.kind = EDGE_NUMBER;
		change.n = i;
		try_number(s, change, number);
	}
	if (!line.len)
		return;
	change.kind = EDGE_LINE;
	try_counts(s, change, line.len + 1);
	if (!is_first)
		return;
	change.kind = EDGE_PARAGRAPH;
	whole = str_skip(whole, (size_t)(line.p - whole.p));
	try_counts(s, change, edge_part(whole, EDGE_PARAGRAPH));
}

static void try_file(struct search *s, unsigned int file)
{
	struct str whole = str_of(s->c->files[file - 1].text), text = whole, line;
	struct edge_change change = { .kind = EDGE_UPTO, .file = file };
	uint64_t values[64];
	unsigned int n = 0;
	bool is_first = true;

	if (whole.len > EDGE_BYTES)
		return;
	while (str_line(&text, &line) && !is_done(s)) {
		n++;
		if (edge_alike(whole, line) < EDGE_LINES)
			try_line(s, whole, line, file, n, is_first);
		is_first = !line.len;
	}
	for (n = 0; n < ARRAY_LEN(values); n++)
		values[n] = n + 1;
	try(s, change, values, n, 0, 1);
}

static void find_pairs_of_words(struct search *s, const struct edge_output *unchanged,
				unsigned int file)
{
	struct str whole = str_of(s->c->files[file - 1].text), text = whole, line, before, word;
	struct edge_change change = { .kind = EDGE_WORD, .file = file };

	while (whole.len <= EDGE_BYTES && str_line(&text, &line) && !is_done(s)) {
		change.line++;
		if (edge_alike(whole, line) >= EDGE_LINES)
			continue;
		for (change.n = 1; edge_word(&line, &before, &word) && !is_done(s); change.n++) {
			struct edge_output is;
			struct out rows = { .fd = -1 };

			look(s, &change, &is);
			if (unchanged)
				print_side(&change, &is, unchanged, &rows);
			if (unchanged && !same(&is, unchanged) && is_new(s, out_view(&is.shape)) &&
			    str_eq(out_view(&is.kinds), out_view(&unchanged->kinds)))
				*VEC_PUSH(&s->pairs) = (struct pair){
					.key = arena_str(&s->arena, out_view(&is.shape)),
					.rows = arena_str(&s->arena, out_view(&rows)),
					.is_worded = is_worded(&is, unchanged),
				};
			out_fini(&rows);
			edge_output_fini(&is);
		}
	}
}

/* Print the best pairs. */
static void print_pairs(struct search *s)
{
	size_t left = EDGE_PAIRS, left_worded = EDGE_WORDED;

	for (unsigned int worded = 0; worded < 2; worded++) {
		VEC_FOREACH (pair, &s->pairs) {
			if (pair->is_worded != worded || !left || (worded && !left_worded))
				continue;
			printf(STR_FMT, STR_ARG(pair->rows));
			left--;
			left_worded -= worded;
		}
	}
	VEC_FREE(&s->pairs);
}

static void find(struct search *s, bool is_words)
{
	const struct edge_change none = { .kind = EDGE_LINE, .file = 1, .line = 1, .n = 1 };
	struct out row = { .fd = -1 };
	struct edge_output is;

	edge_output(s->c, &none, &is);
	print_side(&none, &is, &is, &row);
	printf("= " STR_FMT "\n", STR_ARG(s->golden));
	if (!is_words)
		printf(STR_FMT, STR_ARG(out_view(&row)));
	out_fini(&row);
	s->until = now() + EDGE_SECONDS;
	for (unsigned int file = 1; file <= s->c->n && !is_words; file++)
		try_file(s, file);
	print_pairs(s);
	s->until = now() + EDGE_SECONDS;
	for (unsigned int file = 1; file <= s->c->n; file++)
		find_pairs_of_words(s, &is, file);
	print_pairs(s);
	edge_output_fini(&is);
}

/* "rules/copying-fires" of "tests/golden/rules/copying-fires.d". */
static struct str name_of(struct str dir)
{
	size_t slash = str_rfind_char(dir, '/');

	slash = str_rfind_char(str_sub(dir, 0, slash), '/');
	dir = str_skip(dir, slash < dir.len ? slash + 1 : 0);
	return str_ends(dir, STR(".d")) ? str_sub(dir, 0, dir.len - 2) : dir;
}

/* Look at the rows of all goldens of a rule. */
static void look_at_rule(struct mutants *m, const char *rule, char **dirs, int n)
{
	for (int i = 1; i < n; i++) {
		struct edge_case c;
		struct search s = { .c = &c, .golden = name_of(str_of(dirs[i])), .mutants = m };

		/* the name of a golden begins with its rule */
		if (!str_contains(s.golden, str_of(rule)) || !edge_case_load(dirs[i], &c))
			continue;
		mutants_begin(m, s.golden);
		m->rule = c.rule;
		if (strcmp(c.rule, rule) == 0)
			look_at_rows(&s);
		edge_case_fini(&c);
	}
}

static void look_only(struct search *s, const struct edge_change *change)
{
	struct edge_output is;

	look(s, change, &is);
	edge_output_fini(&is);
}

/* Many random changes at once. */
static void try_mixes(struct search *s)
{
	static const unsigned int some[] = { 2, 4, 8, 16, 40 };

	for (unsigned int i = 0; i < EDGE_MIXES && !is_done(s); i++) {
		const struct edge_change change = { .kind = EDGE_MIX,
						    .file = i % (unsigned int)s->c->n + 1,
						    .line = i,
						    .n = some[i % ARRAY_LEN(some)] };
		const struct edge_file *file = &s->c->files[change.file - 1];

		if (file->len <= EDGE_BYTES && !memchr(file->text, '\0', file->len))
			look_only(s, &change);
	}
}

/* Search with the input of a golden. */
static void find_mutants_in(struct mutants *m, const char *dir, const struct edge_case *c)
{
	struct search s = { .c = c, .golden = name_of(str_of(dir)), .mutants = m };

	mutants_begin(m, s.golden);
	m->rule = c->rule;
	s.until = now() + EDGE_MUTANTS;
	for (unsigned int file = 1; file <= c->n; file++)
		find_pairs_of_words(&s, NULL, file);
	s.n_idle = 0;
	s.until = now() + EDGE_MUTANTS;
	for (unsigned int file = 1; file <= c->n; file++)
		try_file(&s, file);
	mutants_begin(m, s.golden);
	s.n_idle = 0;
	s.until = now() + EDGE_MUTANTS;
	try_mixes(&s);
}

/* Goldens RULE-fires first, each after all rows of its rule; dirs[0]: for mutants_read(). */
static int find_mutants(char **dirs, int n)
{
	struct mutants *m = mutants_new();

	if (m)
		mutants_read(m, dirs[0]);
	for (int round = 0; round < 2 && m; round++) {
		for (int i = 1; i < n; i++) {
			bool fires = str_ends(name_of(str_of(dirs[i])), STR("-fires"));
			struct edge_case c;

			if (fires != (round == 0) || !edge_case_load(dirs[i], &c))
				continue;
			if (round == 0)
				look_at_rule(m, c.rule, dirs, n);
			find_mutants_in(m, dirs[i], &c);
			edge_case_fini(&c);
		}
	}
	mutants_free(m);
	return !m;
}

typedef VEC(struct edge_change) changes;

static void add_numbers(struct str line, struct edge_change change, changes *ret)
{
	struct str before, number;

	change.kind = EDGE_NUMBER;
	for (change.n = 1; edge_number(&line, &before, &number); change.n++) {
		size_t dot = str_find_char(number, '.');
		unsigned int decimals = dot < number.len ? (unsigned int)(number.len - dot - 1) : 0;
		double value = strtod(number.p, NULL);

		for (size_t i = 0; number.len <= 12 && i < ARRAY_LEN(factors); i++) {
			if (factors[i] == 1)
				continue;
			(void)snprintf(change.text, sizeof(change.text), "%.*f", (int)decimals,
				       value * factors[i]);
			*VEC_PUSH(ret) = change;
		}
		for (int i = -1; number.len <= 12 && i < 2; i += 2) {
			double step = i / pow(10, decimals);

			(void)snprintf(change.text, sizeof(change.text), "%.*f", (int)decimals,
				       fmax(0, value + step));
			*VEC_PUSH(ret) = change;
		}
	}
}

static void add_lines(const struct edge_file *file, struct edge_change change, changes *ret)
{
	struct str text = edge_text(file), line, before, word;
	static const unsigned int some[] = { 0, 2, 3, 5, 12, 60 };

	for (change.line = 1; str_line(&text, &line) && ret->len < RESULT_CHANGES; change.line++) {
		add_numbers(line, change, ret);
		for (size_t i = 0; i < ARRAY_LEN(some); i++) {
			change.kind = EDGE_LINE;
			change.n = some[i];
			*VEC_PUSH(ret) = change;
		}
		change.kind = EDGE_UPTO;
		*VEC_PUSH(ret) = change;
		change.kind = EDGE_WORD;
		for (change.n = 1; edge_word(&line, &before, &word); change.n++)
			*VEC_PUSH(ret) = change;
	}
}

static void add_bytes(const struct edge_file *file, struct edge_change change, changes *ret)
{
	static const unsigned int by[] = { 1, 255, 0x80, 0x10, 3 };

	change.kind = EDGE_BYTE;
	for (change.line = 0; change.line < file->len && ret->len < 10 * RESULT_CHANGES;
	     change.line++) {
		for (size_t i = 0; i < ARRAY_LEN(by); i++) {
			change.n = ((unsigned char)file->text[change.line] + by[i]) & 255;
			*VEC_PUSH(ret) = change;
		}
	}
}

/* Changes of all inputs of a command. Owner: caller. */
static changes changes_of(const struct edge_case *c)
{
	changes ret = VEC_INIT;

	for (unsigned int i = 1; i <= c->n; i++) {
		const struct edge_file *file = &c->files[i - 1];
		const struct edge_change change = { .file = i };

		if (file->len > EDGE_BYTES)
			continue;
		if (memchr(file->text, '\0', file->len))
			add_bytes(file, change, &ret);
		else
			add_lines(file, change, &ret);
	}
	return ret;
}

/* Search with the inputs of a command: changes in random order, then steps of numbers. */
static void find_results_in(struct search *s, bool is_known)
{
	const struct edge_change none = { .kind = EDGE_LINE, .file = 1, .line = 1, .n = 1 };
	double began = now();
	uint64_t draw = 1;
	struct edge_output is;
	changes all;

	output_of(s, &none, &is);
	edge_output_fini(&is);
	if (now() - began > RESULT_SLOW)
		return;
	s->mutants->mode = is_known ? MUTANTS_ROW : MUTANTS_SEARCH;
	look_only(s, &none);
	s->mutants->mode = MUTANTS_SEARCH;
	all = changes_of(s->c);
	s->until = now() + RESULT_SECONDS / 2;
	for (size_t n = all.len; n && !is_done(s); n--) {
		size_t at;

		draw = draw * UINT64_C(6364136223846793005) + 1442695040888963407;
		at = (size_t)(draw >> 33) % n;
		look_only(s, &all.data[at]);
		all.data[at] = all.data[n - 1];
	}
	VEC_FREE(&all);
	s->n_idle = 0;
	s->until = now() + RESULT_SECONDS / 2;
	mutants_begin(s->mutants, s->golden);
	try_mixes(s);
	s->n_idle = 0;
	s->until = now() + RESULT_SECONDS / 2;
	for (unsigned int file = 1; file <= s->c->n; file++) {
		if (!memchr(s->c->files[file - 1].text, '\0', s->c->files[file - 1].len))
			try_file(s, file);
	}
}

/* Look at the rows that a file of tests/edges/results has. */
static void look_at_results(struct search *s, const char *path)
{
	CLEANUP(freep) char *text = edge_read(path);
	struct str rest = str_of(text ? text : ""), line;
	struct edge_case c = { .n = 0 };

	s->c = &c;
	s->mutants->mode = MUTANTS_ROW;
	s->mutants->row_words = STR_NONE;
	while (str_line(&rest, &line)) {
		struct edge_change change;
		struct edge_row row;
		struct str start = line;
		char command[4096];

		if (str_take(&start, STR("= "))) {
			edge_case_fini(&c);
			(void)snprintf(command, sizeof(command), STR_FMT, STR_ARG(start));
			(void)result_load(s->results, command, &c);
			mutants_begin(s->mutants, start);
		} else if (c.n && edge_row_of(line, &row) &&
			   edge_change_parse(row.change, &change)) {
			look_only(s, &change);
		}
	}
	edge_case_fini(&c);
}

/* Look at all rows of tests/edges/results. */
static void look_at_all_results(struct search *s)
{
	char path[8192];
	struct dirent *entry;
	DIR *dir;

	(void)snprintf(path, sizeof(path), "%s/tests/edges/results", s->results->top);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		(void)snprintf(path, sizeof(path), "%s/tests/edges/results/%s", s->results->top,
			       entry->d_name);
		if (str_ends(str_of(path), STR(".tsv")))
			look_at_results(s, path);
	}
	if (dir)
		(void)closedir(dir);
	for (unsigned int i = 0; i < MUTANTS_MAX; i++)
		s->mutants->all[i] = s->mutants->all[i] != 0;
}

/* For the mutants @part of @parts: a line of the file argv[0] is a command. */
static int find_results(char **argv)
{
	CLEANUP(freep) char *text = edge_read(argv[0]);
	unsigned int part = (unsigned int)strtoul(argv[1], NULL, 10);
	unsigned int parts = (unsigned int)strtoul(argv[2], NULL, 10);
	struct mutants *m = mutants_new();
	struct results results;
	struct search s = { .mutants = m, .results = &results };
	struct str rest = str_of(text ? text : ""), line;

	if (!m || !results_init(&results, getenv("ASSAY_SOURCE")))
		return 1;
	m->tries_max = RESULT_TRIES;
	m->all_max = RESULT_ALL;
	m->looks_max = RESULT_ALL;
	for (unsigned int i = 0; i < MUTANTS_MAX; i++)
		m->shown[i] = i % parts != part;
	look_at_all_results(&s);
	while (str_line(&rest, &line)) {
		bool is_known = str_take(&line, STR("="));
		struct edge_case c;
		char command[4096];

		(void)snprintf(command, sizeof(command), STR_FMT, STR_ARG(line));
		if (!result_load(&results, command, &c))
			continue;
		s.golden = line;
		mutants_begin(m, line);
		s.c = &c;
		find_results_in(&s, is_known);
		edge_case_fini(&c);
	}
	mutants_free(m);
	results_fini(&results);
	return 0;
}

int main(int argc, char **argv)
{
	bool is_words = argc > 1 && strcmp(argv[1], "--words") == 0;
	bool is_longer = argc > 1 && strcmp(argv[1], "--longer") == 0;
	struct cuts cuts = { .golden = STR_NONE };

	if (argc > 1 && strcmp(argv[1], "--mutants") == 0)
		return find_mutants(argv + 2, argc - 2);
	if (argc > 4 && strcmp(argv[1], "--results") == 0)
		return find_results(argv + 2);
	for (int i = 1 + (is_words || is_longer); i < argc; i++) {
		struct edge_case c;
		struct search s = { .c = &c, .golden = name_of(str_of(argv[i])) };

		if (!edge_case_load(argv[i], &c))
			continue;
		if (!is_longer)
			find(&s, is_words);
		cuts.is_begun = !is_longer;
		if (!is_words)
			cuts_find(&cuts, &c, s.golden);
		edge_case_fini(&c);
		arena_fini(&s.arena);
	}
	cuts_fini(&cuts);
	return 0;
}
