/* SPDX-License-Identifier: MIT */
/*
 * cost_table.c - cost tables of tools without an entry in text_dialects.c
 *
 * A table with titles has a column of names and a column of costs. A table without titles has at
 * least three lines with a name and a share or a time (cost_head.h). A title may show whether the
 * costs of its column include callees. If it does not, cost_settle() infers this from the values of
 * the columns.
 */
#include "base/idmap.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/profile_rows.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/format.h"
#include "formats/profilers/cost_head.h"
#include "formats/profilers/text_dialects.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

DECLARE_FORMAT(cost_table);

#define COST_DECIMALS 6u
/* maximum number of other lines between the titles and the first row */
#define COST_MISSES   3u
#define COST_ROWS_MIN 2u
#define COST_LIST_MIN 3u
/* maximum size in bytes of the note about the longest call in a slow log */
#define COST_SLOW_CALL 160u
/*
 * smallest number that can be a time in seconds since 1970; a smaller one may be a duration or an
 * id
 */
#define COST_SECONDS UINT64_C(1000000000)
/* maximum number of names stored from a table without titles, in order to find repeated names */
#define COST_SEEN 64u
/* maximum sum of shares in percent; if the sum is larger, the rows overlap */
#define COST_SUM_MAX 100.6
/*
 * minimum number of rows with the same first word that divide the total, and of the other rows; and
 * the part of the total that the former must have
 */
#define COST_DIVISION      3u
#define COST_DIVISION_PART 0.95
/*
 * The total is computed as amount / share in several rows. The amounts and shares belong together
 * only if the largest result is at most this factor times the smallest.
 */
#define COST_SAME 1.12
/* largest relative difference between a printed total and the sum of the rounded amounts */
#define COST_SUM 0.002
/* the same as COST_SUM for a row that is named "total" or the like */
#define COST_SUM_STATED 0.02
/* number of decimals of a share that is computed from amounts */
#define COST_COMPUTED_DECIMALS 1u

static const struct diag_kind cost_lines = { "cost-table-lines", DIAG_DATALOSS,
					     "lines between rows that were not read" };

struct cost_scan {
	struct cost_head head;
	struct str titles; /* the line of the titles */
	/* number of rows with a number that fits no column (cost_row.is_stuck) */
	size_t n_stuck;
	struct str above[COST_ABOVE_MAX];
	size_t n_above;
	bool has_head;
	bool is_list;
	/* the rows are no list of costs, but repeated log messages or rows of a tree */
	bool is_log;
	size_t n_rows;
	unsigned int misses;
	double last, sum; /* without titles: share of the last row; sum of all shares */
	/* without titles: hashes of the names of rows, where digits are ignored */
	uint64_t seen[COST_SEEN];
};

enum cost_step { COST_STEP_NONE, COST_STEP_HEAD, COST_STEP_ROW, COST_STEP_MISS, COST_STEP_END };

static uint64_t cost_template(struct str name)
{
	uint64_t h = 0;

	for (size_t i = 0; i < name.len; i++) {
		if (!char_is_digit(name.p[i]))
			h = hash_u64((uint64_t)(unsigned char)name.p[i], h);
	}
	return h;
}

/*
 * Read a row of a table without titles. Set s->is_log if the rows cannot be parts of one whole. In
 * a list of times, this is the case if a name occurs again. In a list of shares, it is the case if
 * a share is larger than the previous share, or if the sum of the shares is too large.
 */
static void cost_list_row(struct cost_scan *s, const struct cost_row *row)
{
	uint64_t t = cost_template(row->name);
	size_t n = s->n_rows < COST_SEEN ? s->n_rows : COST_SEEN;

	for (size_t i = 0; i < n && s->head.layout != COST_SHARES; i++)
		/* log messages: an earlier row has the same name */
		s->is_log |= s->seen[i] == t;
	if (n < COST_SEEN)
		s->seen[n] = t;
	s->n_rows++;
	if (s->head.layout != COST_SHARES)
		return;
	s->is_log |= s->n_rows > 1 && row->pct[COST_VALUE_PLAIN] > s->last;
	s->last = row->pct[COST_VALUE_PLAIN];
	s->sum += row->pct[COST_VALUE_PLAIN];
	s->is_log |= s->sum > COST_SUM_MAX;
}

/*
 * Prepare @s for the next table. s->above, the lines before the current line, is kept, because
 * these lines may be the titles of the next table.
 */
static void cost_restart(struct cost_scan *s)
{
	s->has_head = s->is_list = s->is_log = false;
	s->n_rows = s->misses = 0;
	s->n_stuck = 0;
	s->last = s->sum = 0;
}

/*
 * Whether the line before the first row also contains a share. If so, the rows are a part of a
 * larger table or tree.
 */
static bool cost_is_in_tree(const struct cost_scan *s)
{
	struct str above = s->n_above ? s->above[s->n_above - 1] : STR_NONE;

	return s->head.layout == COST_SHARES && str_find_char(above, '%') < above.len;
}

static bool cost_begin(struct cost_scan *s, struct str line, struct cost_row *ret)
{
	if (cost_head_is_ruler(line))
		s->has_head = s->n_above && cost_head_of(s->above, s->n_above, line, &s->head);
	else
		s->has_head = cost_head_of(&line, 1, STR_NONE, &s->head);
	s->titles = line;
	if (s->has_head)
		return true;
	if (!cost_row_list(line, &s->head) || !cost_row_of(&s->head, line, ret) ||
	    cost_is_in_tree(s))
		return false;
	s->has_head = s->is_list = true;
	cost_list_row(s, ret);
	return true;
}

/*
 * Read @line, a row below titles. If the first row does not fit the columns, the titles are divided
 * by the positions of its numbers, and the row is read again.
 */
static bool cost_take_row(struct cost_scan *s, struct str line, struct cost_row *ret)
{
	bool is_row = cost_row_of(&s->head, line, ret);
	struct cost_head aligned;

	if (!s->is_list && s->n_rows == 0 && (!is_row || ret->is_stuck) &&
	    cost_head_align(&s->head, s->titles, line, &aligned)) {
		s->head = aligned;
		is_row = cost_row_of(&s->head, line, ret);
	}
	s->n_stuck += is_row && ret->is_stuck;
	return is_row;
}

static void cost_keep_line(struct cost_scan *s, struct str line)
{
	/* VTune's messages are no titles */
	if (str_trim(line).len == 0 || str_glob(STR("vtune: *|amplxe: *"), line)) {
		s->n_above = 0;
		return;
	}
	if (s->n_above == COST_ABOVE_MAX) {
		for (size_t i = 1; i < COST_ABOVE_MAX; i++)
			s->above[i - 1] = s->above[i];
		s->n_above--;
	}
	s->above[s->n_above++] = line;
}

/*
 * Process one line. COST_STEP_END: the table has ended before @line, so the caller must call
 * cost_restart() and pass @line again.
 */
static enum cost_step cost_step(struct cost_scan *s, struct str line, struct cost_row *ret)
{
	bool is_blank = str_trim(line).len == 0;

	if (!s->has_head) {
		bool has = !is_blank && cost_begin(s, line, ret);

		cost_keep_line(s, line);
		return !has ? COST_STEP_NONE : s->is_list ? COST_STEP_ROW : COST_STEP_HEAD;
	}
	if (!is_blank && cost_take_row(s, line, ret)) {
		if (s->is_list)
			cost_list_row(s, ret);
		else
			s->n_rows++;
		s->misses = 0;
		return COST_STEP_ROW;
	}
	/* in a table of times without titles, a ruler precedes the row with the total */
	if (s->is_list && s->head.layout != COST_SHARES && cost_head_is_ruler(line))
		return COST_STEP_MISS;
	if (s->is_list || (is_blank && s->n_rows))
		return COST_STEP_END;
	if (s->n_rows == 0)
		s->misses++;
	if (cost_head_is_ruler(line)) {
		struct cost_head ruled;

		/* the ruler below the titles shows where each column starts and ends */
		if (s->n_rows == 0 && s->n_above && s->head.layout == COST_SPACED &&
		    cost_head_of(s->above, s->n_above, line, &ruled) && ruled.layout == COST_RULED)
			s->head = ruled;
		return s->misses > COST_MISSES ? COST_STEP_END : COST_STEP_MISS;
	}
	if (!is_blank && s->n_rows == 0)
		cost_keep_line(s, line);
	s->misses += s->n_rows > 0;
	return s->misses > (s->n_rows ? 1 : COST_MISSES) ? COST_STEP_END : COST_STEP_MISS;
}

/*
 * Whether the rows form a complete table. @behind: the line after the rows; empty: the text has
 * ended. The line after a table of shares without titles must not contain a share.
 */
static bool cost_is_whole(const struct cost_scan *s, struct str behind)
{
	if (s->is_log || (s->is_list && s->head.layout == COST_SHARES &&
			  str_find_char(behind, '%') < behind.len))
		return false;
	/*
	 * most names have a number next to them, so the table has other columns than the titles
	 * show
	 */
	if (s->n_stuck * 2 > s->n_rows)
		return false;
	return s->has_head && s->n_rows >= (s->is_list ? COST_LIST_MIN : COST_ROWS_MIN);
}

/*
 * The score of this reader for the table; the reader with the highest score reads it. A table with
 * delimiters gets a high score. metric_table.c also finds such a table, but this reader understands
 * titles of costs better.
 */
static unsigned int cost_score(const struct cost_scan *s)
{
	return s->is_list ? 35 : s->head.layout == COST_DELIMITED ? 96 : 55;
}

static bool cost_table_find(struct str text, size_t from, struct extent *ret)
{
	struct cost_scan s = { 0 };
	struct str rest = str_skip(text, from);
	struct cost_row row;
	struct str line;
	size_t at = from;
	size_t behind = from;         /* offset of the line after the titles */
	struct cost_scan at_head = s; /* copy of `s` at the line `behind` */

	while (str_line(&rest, &line)) {
		size_t next = text.len - rest.len;
		enum cost_step step = cost_step(&s, line, &row);

		if (step == COST_STEP_END) {
			if (cost_is_whole(&s, line))
				return true;
			/*
			 * not a table: go back to the line after the supposed titles, because a
			 * table may begin there
			 */
			behind = s.is_list ? at : behind;
			s = s.is_list ? s : at_head;
			cost_restart(&s);
			rest = str_skip(text, behind);
			at = behind;
			continue;
		}
		if (step == COST_STEP_HEAD ||
		    (step == COST_STEP_ROW && s.is_list && s.n_rows == 1)) {
			*ret = (struct extent){ .from = at, .score = cost_score(&s) };
			behind = next;
			at_head = s;
		}
		if (cost_head_is_ruler(line) && s.has_head && s.n_rows == 0 && s.n_above &&
		    s.head.layout == COST_RULED)
			/* the titles may extend over several lines */
			ret->from = (size_t)(s.above[0].p - text.p);
		if (step == COST_STEP_ROW)
			ret->to = next;
		at = next;
	}
	return cost_is_whole(&s, STR_NONE);
}

static unsigned int cost_table_probe(struct str head)
{
	struct extent e;

	return cost_table_find(head, 0, &e) ? 30 : 0;
}

struct cost_line {
	struct cost_row row;
	uint32_t line;
	bool is_whole; /* the row is the total of the other rows */
	/* the row divides the total in another way than the other rows, or is part of other rows */
	bool is_division;
};

struct cost_reader {
	/* mean time of a call in the heaviest row, as printed; empty: not printed */
	struct str mean;
	double heaviest; /* largest amount of a COST_KEYED row so far */
	uint32_t mean_line;
	struct cost_head head;
	VEC(struct cost_line) rows;
	struct amount whole;          /* amount that is 100 %; value <= 0: unknown */
	bool has_amount[COST_VALUES]; /* a row, not counting the total, has such an amount */
	bool has_pct[COST_VALUES];
	/* for each kind of cost, sum of the rows without the total */
	double amounts[COST_VALUES];
	double pcts[COST_VALUES];
	bool is_nested; /* a name is indented below the name of another row */
	bool is_steps;  /* cost_make_steps() replaced the times by durations */
};

static bool cost_is_whole_row(struct str name)
{
	return str_glob(
		STR("total|Total|TOTAL|<Total>|<total>|(total)|sum|Sum|SUM|all|ALL|"
		    "Grand Total|grand total|overall|Overall|Total time|total time|Total Time"),
		name);
}

/* What the rows are: COST_FUNCTION, COST_WAIT, COST_STEP or COST_MODULE. */
static enum cost_kind cost_named(const struct cost_reader *r)
{
	enum cost_kind kind;

	if (r->head.layout == COST_SHARES)
		return COST_FUNCTION;
	if (r->head.layout > COST_SHARES)
		return COST_STEP;
	kind = r->head.columns[r->head.name].kind;
	return r->head.is_untitled || kind == COST_VAGUE ? COST_FUNCTION : kind;
}

/* Whether @row, the last row, has an amount that is the sum of all earlier rows. */
static bool cost_is_sum(const struct cost_reader *r, const struct cost_row *row)
{
	for (size_t v = 0; v < COST_VALUES && r->rows.len > 3; v++) {
		double sum = r->amounts[v];

		if (row->amount[v].value > 0 && fabs(row->amount[v].value - sum) <= sum * COST_SUM)
			return true;
	}
	return false;
}

/*
 * Whether the rows are times of curl --write-out, counted from its start. The last of these is
 * "time_total".
 */
static bool cost_is_from_start(const struct cost_reader *r)
{
	const struct cost_line *end = &r->rows.data[r->rows.len - 1];
	double last = 0;

	VEC_FOREACH (l, &r->rows) {
		double ns = l->row.amount[COST_VALUE_PLAIN].value;

		if (ns <= 0) /* for a step that did not occur, curl prints 0 */
			continue;
		if (!cost_curl_step(l->row.name) || ns < last)
			return false;
		last = ns;
	}
	return str_eq(end->row.name, STR("time_total")) && last > 0;
}

/*
 * In the rows of curl --write-out, replace each time since the start by the duration of the step
 * that ends at this time.
 */
static void cost_make_steps(struct cost_reader *r)
{
	double last = 0;

	if (r->head.layout != COST_NAME_TIME || !cost_is_from_start(r))
		return;
	r->is_steps = true;
	VEC_FOREACH (l, &r->rows) {
		struct amount *a = &l->row.amount[COST_VALUE_PLAIN];
		double ns = a->value;
		const char *step = cost_curl_step(l->row.name);

		if (ns <= 0)
			continue;
		a->value -= last;
		last = ns;
		l->row.name = str_of(step);
	}
}

static void cost_sum_up(struct cost_reader *r)
{
	size_t least = SIZE_MAX;

	VEC_FOREACH (l, &r->rows) {
		struct cost_row *row = &l->row;
		bool is_last = l == &r->rows.data[r->rows.len - 1];

		l->is_whole = cost_is_whole_row(row->name) ||
			      (is_last && !r->is_steps && cost_is_sum(r, row));
		if (l->is_whole || l->is_division)
			continue;
		r->is_nested |= least != SIZE_MAX && row->indent != least;
		least = row->indent < least ? row->indent : least;
		for (size_t v = 0; v < COST_VALUES; v++) {
			r->has_amount[v] |= row->amount[v].value >= 0;
			r->has_pct[v] |= row->pct[v] >= 0;
			r->amounts[v] += row->amount[v].value > 0 ? row->amount[v].value : 0;
			r->pcts[v] += row->pct[v] > 0 ? row->pct[v] : 0;
		}
	}
}

/*
 * Whether the shares @s and the amounts @a describe the same cost. They do if amount / share gives
 * about the same total in all rows. @ret: this total.
 */
static bool cost_agree(const struct cost_reader *r, enum cost_value s, enum cost_value a,
		       struct amount *ret)
{
	double low = INFINITY;
	double high = 0;
	double most = 0;
	size_t n = 0;

	VEC_FOREACH (l, &r->rows) {
		const struct amount *amount = &l->row.amount[a];
		double pct = l->row.pct[s];
		double whole;

		if (pct < 1 || amount->value <= 0)
			continue;
		whole = amount->value / pct * 100;
		/* the total is most exact from the row with the largest share */
		if (pct > most)
			*ret = (struct amount){ whole, amount->half / pct * 100, amount->unit };
		most = pct > most ? pct : most;
		low = whole < low ? whole : low;
		high = whole > high ? whole : high;
		n++;
	}
	return n > 1 && high <= low * COST_SAME;
}

static void cost_move(struct cost_reader *r, enum cost_value from, enum cost_value to)
{
	if (from == to)
		return;
	VEC_FOREACH (l, &r->rows) {
		struct cost_row *row = &l->row;

		if (row->amount[to].value < 0)
			row->amount[to] = row->amount[from];
		if (row->pct[to] < 0)
			row->pct[to] = row->pct[from];
		row->amount[from].value = row->pct[from] = -1;
	}
	r->has_amount[to] |= r->has_amount[from];
	r->has_pct[to] |= r->has_pct[from];
	r->amounts[to] += r->amounts[from];
	r->pcts[to] += r->pcts[from];
	r->has_amount[from] = r->has_pct[from] = false;
}

/* Find the largest amount in the rows that are named "total" or the like. False: no such row. */
static bool cost_stated_whole(const struct cost_reader *r, struct amount *ret)
{
	ret->value = 0;
	VEC_FOREACH (l, &r->rows) {
		for (size_t v = 0; v < COST_VALUES && l->is_whole; v++) {
			if (l->row.amount[v].value > ret->value)
				*ret = l->row.amount[v];
		}
	}
	return ret->value > 0;
}

/*
 * Whether the costs @v of the rows do not overlap: their sum is at most the total. If the total is
 * unknown, the result is true if no name is indented below another name.
 */
static bool cost_is_disjoint(const struct cost_reader *r, enum cost_value v)
{
	struct amount whole;

	if (r->has_pct[v])
		return r->pcts[v] <= COST_SUM_MAX;
	if (cost_stated_whole(r, &whole))
		return r->amounts[v] <= whole.value * COST_SUM_MAX / 100;
	return !r->is_nested;
}

/* Whether the rows are the phases and passes of GCC. */
static bool cost_has_passes(const struct cost_head *h)
{
	for (size_t i = 0; i < h->n; i++) {
		if (h->columns[i].is_pass)
			return true;
	}
	return false;
}

static struct str cost_first_word(struct str name)
{
	return str_sub(name, 0, str_find_char(name, ' '));
}

/* Add up the costs @v of the rows from @from to @to, without rows of a total. */
static double cost_of_rows(const struct cost_reader *r, enum cost_value v, size_t from, size_t to)
{
	double sum = 0;

	for (size_t i = from; i < to; i++) {
		const struct cost_line *l = &r->rows.data[i];

		if (!l->is_whole && !l->is_division && l->row.amount[v].value > 0)
			sum += l->row.amount[v].value;
	}
	return sum;
}

/*
 * The number of rows at the start of the table whose names begin with the same word; 0 if a later
 * row begins with this word, too. @ret_others: number of the other rows.
 */
static size_t cost_first_group(const struct cost_reader *r, size_t *ret_others)
{
	struct str word = r->rows.len ? cost_first_word(r->rows.data[0].row.name) : STR_NONE;
	size_t n = 0;

	while (n < r->rows.len && !r->rows.data[n].is_whole &&
	       str_eq(cost_first_word(r->rows.data[n].row.name), word))
		n++;
	for (size_t i = n; i < r->rows.len; i++) {
		if (str_eq(cost_first_word(r->rows.data[i].row.name), word))
			return 0;
		*ret_others += !r->rows.data[i].is_whole && !r->rows.data[i].is_division;
	}
	return n;
}

/*
 * Some tables divide one total twice: GCC -ftime-report prints a few phases ("phase parsing"), and
 * after them many passes. If the first rows begin with the same word and are the printed total, and
 * the other rows are at most the total, leave the former out.
 */
static void cost_drop_division(struct cost_reader *r)
{
	const enum cost_value v = COST_VALUE_PLAIN;
	size_t others = 0;
	size_t n = cost_first_group(r, &others);
	struct amount whole;
	double sum;

	if (n < COST_DIVISION || others < COST_DIVISION || !cost_stated_whole(r, &whole) ||
	    cost_is_disjoint(r, v))
		return;
	sum = cost_of_rows(r, v, 0, n);
	if (sum < whole.value * COST_DIVISION_PART || sum > whole.value * COST_SUM_MAX / 100 ||
	    cost_of_rows(r, v, n, r->rows.len) > whole.value * COST_SUM_MAX / 100)
		return;
	for (size_t i = 0; i < n; i++)
		r->rows.data[i].is_division = true;
	memset(r->amounts, 0, sizeof(r->amounts));
	memset(r->pcts, 0, sizeof(r->pcts));
	cost_sum_up(r);
}

/*
 * Decide whether costs with an unclear title (COST_VALUE_PLAIN) include callees. Move them to
 * COST_VALUE_TOTAL if they do, otherwise to COST_VALUE_SELF.
 */
static void cost_settle(struct cost_reader *r)
{
	bool has_self = r->has_amount[COST_VALUE_SELF] || r->has_pct[COST_VALUE_SELF];
	bool has_total = r->has_amount[COST_VALUE_TOTAL] || r->has_pct[COST_VALUE_TOTAL];
	enum cost_value as = has_self ? COST_VALUE_TOTAL : COST_VALUE_SELF;
	struct amount unused;

	if (has_self && cost_agree(r, COST_VALUE_PLAIN, COST_VALUE_SELF, &unused))
		as = COST_VALUE_SELF;
	else if (has_total && !has_self &&
		 cost_agree(r, COST_VALUE_PLAIN, COST_VALUE_TOTAL, &unused))
		as = COST_VALUE_TOTAL;
	else if (!has_self && !has_total && !cost_is_disjoint(r, COST_VALUE_PLAIN))
		as = COST_VALUE_TOTAL;
	cost_move(r, COST_VALUE_PLAIN, as);
	/*
	 * the table has only costs with callees. Use these as self costs if the rows are no
	 * functions, or if the costs do not overlap
	 */
	if (!r->has_amount[COST_VALUE_SELF] && !r->has_pct[COST_VALUE_SELF] &&
	    (cost_named(r) != COST_FUNCTION || cost_is_disjoint(r, COST_VALUE_TOTAL)))
		cost_move(r, COST_VALUE_TOTAL, COST_VALUE_SELF);
}

/*
 * Find the amount that is 100 %. It is the amount of a row "total". Without such a row, it is the
 * total that follows from amounts and their shares. Without shares, it is the sum of the self
 * amounts of all rows. But if a single row has an amount larger than this sum, it is the amount of
 * this row.
 */
static void cost_find_whole(struct cost_reader *r)
{
	double most = 0;
	double self = r->amounts[COST_VALUE_SELF];

	if (cost_stated_whole(r, &r->whole))
		return;
	for (enum cost_value v = COST_VALUE_SELF; v <= COST_VALUE_TOTAL; v++) {
		if (cost_agree(r, v, v, &r->whole))
			return;
	}
	VEC_FOREACH (l, &r->rows) {
		for (enum cost_value v = COST_VALUE_SELF; v <= COST_VALUE_TOTAL; v++) {
			const struct amount *a = &l->row.amount[v];

			most = a->value > most ? a->value : most;
			r->whole.unit = a->value > 0 ? a->unit : r->whole.unit;
		}
	}
	r->whole.value = self > most ? self : most;
}

static double cost_share(const struct cost_reader *r, const struct cost_row *row, enum cost_value v)
{
	if (row->pct[v] >= 0)
		return row->pct[v];
	if (row->amount[v].value >= 0 && r->whole.value > 0 &&
	    (row->amount[v].unit == r->whole.unit || row->amount[v].value <= 0))
		return 100 * row->amount[v].value / r->whole.value;
	return -1;
}

static void cost_add_rows(const struct cost_reader *r, struct capture *c)
{
	struct profile_table *t = &c->profile->table;

	VEC_FOREACH (l, &r->rows) {
		double self = cost_share(r, &l->row, COST_VALUE_SELF);
		double total = cost_share(r, &l->row, COST_VALUE_TOTAL);
		enum symbol_space space = symbol_space_of_module(l->row.module);
		uint32_t at = (uint32_t)t->rows.len;
		sym_id sym;

		if (l->is_whole || l->is_division || (self < 0 && total < 0) || at >= LIMIT_ROWS)
			continue;
		sym = symbols_add_text(capture_symbols(c), l->row.name, l->row.module, space, 0);
		profile_rows_add(c, sym, symbols_get(capture_symbols(c), sym)->module, ' ', 0, 0, 0,
				 l->line);
		if (self >= 0)
			profile_rows_set(c, at, /* is_self= */ true, self, l->line);
		if (total >= 0)
			profile_rows_set(c, at, /* is_self= */ false, total, l->line);
		profile_rows_set_calls(c, at, l->row.calls);
	}
}

/*
 * Whether the rows are parts of one whole, and do not overlap. True if the rows are steps or
 * states, have the form "title=value" (COST_KEYED), or have shares or self costs. Also true if the
 * sum of all rows is the printed total, or at most the total where a title says that the rows are
 * steps. Otherwise the rows may overlap, or may be settings, percentiles or points in time.
 */
static bool cost_is_parts(const struct cost_reader *r)
{
	struct amount whole;

	if (r->is_steps || r->has_pct[COST_VALUE_SELF] || r->has_pct[COST_VALUE_TOTAL] ||
	    r->head.layout == COST_KEYED)
		return true;
	for (size_t i = 0; r->head.layout < COST_SHARES && i < r->head.n; i++) {
		if (r->head.columns[i].kind == COST_SELF || r->head.columns[i].is_state)
			return true;
	}
	if (!cost_stated_whole(r, &whole))
		return false;
	if (r->head.layout < COST_SHARES && cost_named(r) == COST_STEP &&
	    r->amounts[COST_VALUE_SELF] <= whole.value * COST_SUM_MAX / 100)
		return true;
	return fabs(r->amounts[COST_VALUE_SELF] - whole.value) <= whole.value * COST_SUM_STATED;
}

/* Name of the event that the costs of the table count, judged by the titles; NULL: unknown. */
static const char *cost_event(const struct cost_reader *r)
{
	enum cost_kind named = cost_named(r);
	bool is_time = r->whole.unit == AMOUNT_NS;
	bool is_cpu = false;

	if (r->head.layout == COST_SHARES)
		return NULL;
	for (size_t i = 0; i < r->head.n; i++) {
		const struct cost_column *col = &r->head.columns[i];

		is_cpu |= col->is_cpu;
		if (col->kind < COST_SELF)
			continue;
		if (col->is_samples)
			return "samples";
		is_time |= col->is_time;
	}
	if (r->whole.unit == AMOUNT_BYTES)
		return "space";
	if (!is_time && !is_cpu)
		return NULL;
	return named == COST_WAIT   ? "wait-name-time"
	       : named == COST_STEP ? !cost_is_parts(r)           ? "listed-time"
				      : cost_has_passes(&r->head) ? "gcc-time"
								  : "step-time"
	       : is_cpu             ? "cpu-time"
				    : "elapsed-time";
}

static void cost_finish(const struct cost_reader *r, struct capture *c)
{
	struct profile *p = c->profile;
	const char *event = cost_event(r);
	unsigned int decimals = 0;

	VEC_FOREACH (l, &r->rows)
		decimals = l->row.decimals > decimals ? l->row.decimals : decimals;
	p->is_rounded = true;
	p->printed_decimals = (uint8_t)(r->has_pct[COST_VALUE_SELF] || r->has_pct[COST_VALUE_TOTAL]
						? decimals
						: COST_COMPUTED_DECIMALS);
	if (event)
		p->event = strings_add(capture_strings(c), str_of(event));
	if (r->whole.unit == AMOUNT_NS && r->whole.value >= 1 && r->whole.value < 1e18) {
		p->event_count = (uint64_t)llround(r->whole.value);
		p->has_event_count = true;
	}
}

/*
 * If the row @line, which was just added, is the heaviest so far, store the mean time of its calls
 * in r->mean. If @line does not print this time, r->mean becomes empty. Source: redis,
 * src/server.c, genRedisInfoStringCommandStats().
 */
static void cost_mean(struct cost_reader *r, struct str line)
{
	const struct cost_line *l = &r->rows.data[r->rows.len - 1];
	struct str mean = str_skip(line, str_find(line, STR(",usec_per_call=")));
	double most = -1;

	for (size_t v = 0; v < COST_VALUES; v++)
		most = fmax(most, l->row.amount[v].value);
	if (most <= r->heaviest)
		return;
	r->heaviest = most;
	r->mean_line = l->line;
	r->mean = STR_NONE;
	if (str_take(&mean, STR(",usec_per_call=")))
		r->mean = str_sub(mean, 0, str_find_char(mean, ','));
}

/* Add a note with r->mean, the mean time of a call in the heaviest row, to @c. */
static void cost_note_mean(const struct cost_reader *r, struct capture *c)
{
	if (r->mean.len == 0)
		return;
	capture_note(c, STR(PROFILE_NOTE_CALL_US), r->mean, r->mean_line);
	c->notes.data[c->notes.len - 1].is_detail = true;
}

/*
 * Add a note about the longest call in a slow log of Redis. The log may be anywhere in the input.
 * It has the layout that `redis-cli` writes to a pipe: one line each for id, time, microseconds,
 * command and arguments. For a log in the layout of a terminal, the note is empty. Source: redis,
 * src/slowlog.c, slowlogCommand().
 */
static void cost_note_slow_call(const struct region *in, struct capture *c)
{
	struct str text = in->doc->text;
	struct str line;
	/* numbers on the last three lines that have only a number */
	uint64_t before[3] = { 0 };
	uint64_t longest = 0;
	uint32_t at = 0;
	unsigned int numbers = 0;
	char value[COST_SLOW_CALL] = "";
	bool is_log = false;
	bool is_any = false;

	for (uint32_t n = 1; str_line(&text, &line); n++) {
		struct str rest = str_trim(line);
		uint64_t number = 0;

		if (str_contains_nocase(line, STR("slowlog get"))) {
			is_log = true;
			numbers = 0;
			continue;
		}
		if (!is_log)
			continue;
		is_any |= str_contains(line, STR(") 1) (integer) "));
		if (rest.len && str_u64(&rest, &number) && rest.len == 0) {
			before[0] = before[1];
			before[1] = before[2];
			before[2] = number;
			numbers++;
			continue;
		}
		/*
		 * this line is the command: the id, the time in seconds and the microseconds
		 * precede it
		 */
		if (numbers >= 3 && before[1] >= COST_SECONDS && before[2] > longest) {
			struct str key = STR_NONE;
			struct str more = text;

			longest = before[2];
			at = n;
			(void)str_line(&more, &key);
			(void)snprintf(value, sizeof(value), STR_FMT " " STR_FMT ", %" PRIu64 " us",
				       STR_ARG(str_sub(str_trim(line), 0, 32)),
				       STR_ARG(str_sub(str_trim(key), 0, 64)), longest);
		}
		numbers = 0;
	}
	if (!at && !is_any)
		return;
	capture_note(c, STR(PROFILE_NOTE_SLOW_CALL), str_of(value),
		     at ? document_line(in->doc, at) : 0);
	c->notes.data[c->notes.len - 1].is_detail = true;
}

static int cost_table_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct cost_scan s = { 0 };
	struct cost_reader r = { 0 };
	struct str text = in->text;
	struct str line;
	struct capture *c;
	struct cost_row row;
	uint32_t n_missed = 0;
	int ret = OK;

	for (uint32_t n = 0; str_line(&text, &line) && r.rows.len < LIMIT_ROWS; n++) {
		enum cost_step step = cost_step(&s, line, &row);

		if (step == COST_STEP_ROW)
			*VEC_PUSH(&r.rows) = (struct cost_line){
				.row = row,
				.line = region_line(in, n),
				/* gcc/timevar.def: '|' marks a time that other rows contain, too */
				.is_division = str_starts(str_ltrim(line), STR("|")) &&
					       cost_has_passes(&s.head),
			};
		if (step == COST_STEP_ROW && s.head.layout == COST_KEYED)
			cost_mean(&r, line);
		else if (step == COST_STEP_MISS && s.n_rows && !cost_head_is_ruler(line))
			n_missed++;
	}
	r.head = s.head;
	if (r.rows.len < COST_ROWS_MIN) {
		VEC_FREE(&r.rows);
		return fail(err, ERR_FORMAT, "no table of costs found");
	}
	cost_make_steps(&r);
	cost_sum_up(&r);
	cost_drop_division(&r);
	cost_settle(&r);
	cost_find_whole(&r);
	c = format_add_capture(&format_cost_table, in, d);
	capture_profile(c)->table.limit_pct = -1;
	c->profile->unit = WEIGHT_PERCENT;
	c->profile->decimals = COST_DECIMALS;
	cost_add_rows(&r, c);
	cost_finish(&r, c);
	cost_note_mean(&r, c);
	if (r.mean.len)
		cost_note_slow_call(in, c);
	if (n_missed)
		diag_count(&c->diag, &cost_lines, c->first_line);
	VEC_FREE(&r.rows);
	if (c->profile->table.rows.len == 0)
		ret = fail(err, ERR_FORMAT, "no table of costs found");
	return ret;
}

const struct format format_cost_table = {
	.name = "cost-table",
	.title = "table of costs",
	.summary = "tables with a name and a cost a row, by the titles of their columns",
	.kinds = KIND_PROFILE,
	.probe = cost_table_probe,
	.find = cost_table_find,
	.read = cost_table_read,
};
