/* SPDX-License-Identifier: MIT */
#include "formats/profilers/cost_head.h"

#include "base/idmap.h"
#include "base/status.h"
#include "base/str.h"
#include "formats/cost_columns_table.h"
#include "formats/profilers/text_dialects.h"

#include <string.h>

#define COST_LINE_MIN   8u
#define COST_LINE_MAX   600u
#define COST_TITLE_MAX  64u
#define COST_DIGITS_MAX 4u /* maximum number of digits in a line of titles */
#define COST_WORDS_MAX  14u
/* A line of single words is a line of titles only if 7 of 10 words are in cost_columns.tsv. */
#define COST_KNOWN    7u
#define COST_KNOWN_OF 10u
/* minimum number of blanks before the first title if the column of names has no title */
#define COST_UNTITLED 8u

static const struct {
	enum cost_kind kind;
	const char *const *patterns;
	size_t n;
} cost_kinds[] = {
	{ COST_VETO, cost_column_veto, ARRAY_LEN(cost_column_veto) },
	{ COST_OTHER, cost_column_other, ARRAY_LEN(cost_column_other) },
	{ COST_CALLS, cost_column_calls, ARRAY_LEN(cost_column_calls) },
	{ COST_FUNCTION, cost_column_function, ARRAY_LEN(cost_column_function) },
	{ COST_WAIT, cost_column_wait, ARRAY_LEN(cost_column_wait) },
	{ COST_VAGUE, cost_column_vague, ARRAY_LEN(cost_column_vague) },
	{ COST_STEP, cost_column_step, ARRAY_LEN(cost_column_step) },
	{ COST_MODULE, cost_column_module, ARRAY_LEN(cost_column_module) },
	{ COST_SELF, cost_column_self, ARRAY_LEN(cost_column_self) },
	{ COST_TOTAL, cost_column_total, ARRAY_LEN(cost_column_total) },
	{ COST_AMOUNT, cost_column_amount, ARRAY_LEN(cost_column_amount) },
};

static const struct {
	/*
	 * unit that a title may end with, in lower case: "ms" in "Time (ms)", with or without
	 * brackets
	 */
	const char *word;
	double scale;
	enum amount_unit unit;
} cost_units[] = {
	{ "ns", 1, AMOUNT_NS },          { "nsec", 1, AMOUNT_NS },
	{ "nanoseconds", 1, AMOUNT_NS }, { "us", 1e3, AMOUNT_NS },
	{ "usec", 1e3, AMOUNT_NS },      { "usecs", 1e3, AMOUNT_NS },
	{ "microsec", 1e3, AMOUNT_NS },  { "microseconds", 1e3, AMOUNT_NS },
	{ "\xc2\xb5s", 1e3, AMOUNT_NS }, { "ms", 1e6, AMOUNT_NS },
	{ "msec", 1e6, AMOUNT_NS },      { "msecs", 1e6, AMOUNT_NS },
	{ "millis", 1e6, AMOUNT_NS },    { "milliseconds", 1e6, AMOUNT_NS },
	{ "s", 1e9, AMOUNT_NS },         { "sec", 1e9, AMOUNT_NS },
	{ "secs", 1e9, AMOUNT_NS },      { "seconds", 1e9, AMOUNT_NS },
	{ "mins", 60e9, AMOUNT_NS },     { "minutes", 60e9, AMOUNT_NS },
	{ "bytes", 1, AMOUNT_BYTES },    { "b", 1, AMOUNT_BYTES },
	{ "kb", 1024, AMOUNT_BYTES },    { "kib", 1024, AMOUNT_BYTES },
	{ "mb", 1048576, AMOUNT_BYTES }, { "mib", 1048576, AMOUNT_BYTES },
	{ "gb", 1 << 30, AMOUNT_BYTES },
};

static bool cost_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || char_is_digit(c) ||
	       (unsigned char)c >= 0x80;
}

/*
 * Append the title @t to the @n bytes in @ret, in the spelling of cost_columns.tsv: "% Time (ms)"
 * becomes "pct_time_ms". Returns the new number of bytes; 0: the title is too long.
 */
static size_t cost_plain(struct str t, char *ret, size_t n)
{
	if (n && n < COST_TITLE_MAX && ret[n - 1] != '_')
		ret[n++] = '_';
	for (size_t i = 0; i < t.len; i++) {
		char c = t.p[i];
		const char *as = c == '%' ? "pct" : c == '#' ? "n" : NULL;

		if (n + 6 > COST_TITLE_MAX)
			return 0;
		if (as) {
			if (n && ret[n - 1] != '_')
				ret[n++] = '_';
			memcpy(&ret[n], as, strlen(as));
			n += strlen(as);
			ret[n++] = '_';
		} else if (cost_is_letter(c)) {
			ret[n++] = c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
		} else if (n && ret[n - 1] != '_') {
			ret[n++] = '_';
		}
	}
	while (n && ret[n - 1] == '_')
		n--;
	return n;
}

/*
 * If the title @t, made by cost_plain(), ends with a unit, store the unit in @col and remove it:
 * "time_ms" becomes "time".
 */
static void cost_take_unit(struct cost_column *col, struct str *t)
{
	size_t at = str_rfind_char(*t, '_');
	struct str last = at < t->len ? str_skip(*t, at + 1) : *t;

	for (size_t i = 0; i < ARRAY_LEN(cost_units); i++) {
		if (!str_eq(last, str_of(cost_units[i].word)))
			continue;
		col->scale = cost_units[i].scale;
		col->unit = cost_units[i].unit;
		if (at < t->len)
			*t = str_sub(*t, 0, at);
		return;
	}
}

static enum cost_kind cost_kind_of(struct str plain, bool *ret_is_known)
{
	for (size_t k = 0; k < ARRAY_LEN(cost_kinds); k++) {
		for (size_t i = 0; i < cost_kinds[k].n; i++) {
			*ret_is_known = str_glob(str_of(cost_kinds[k].patterns[i]), plain);
			if (*ret_is_known)
				return cost_kinds[k].kind;
		}
	}
	return COST_OTHER;
}

static bool cost_title_is_share(struct str plain)
{
	return str_glob(STR("pct|pct_*|*_pct|*pct|*_pct_*|percent*|*_percent|*percentage"), plain);
}

/*
 * Add a column. @plain: its title, made by cost_plain(). @from, @to: only for COST_RULED, start and
 * end of the column in a line.
 */
static void cost_add_column(struct cost_head *h, struct str plain, size_t from, size_t to)
{
	struct cost_column *col;

	if (h->n >= COST_COLUMNS_MAX)
		return;
	col = &h->columns[h->n++];
	*col = (struct cost_column){ .from = from, .to = to };
	col->is_share = cost_title_is_share(plain);
	if (!col->is_share)
		cost_take_unit(col, &plain);
	col->kind = plain.len ? cost_kind_of(plain, &col->is_known) : COST_OTHER;
	if (col->kind == COST_AMOUNT && !col->is_share && col->scale <= 0 &&
	    str_glob(STR("*size|retained*|shallow*|*bytes"), plain)) {
		col->scale = 1;
		col->unit = AMOUNT_BYTES;
	}
	col->is_cost =
		col->is_share || col->scale > 0 ||
		str_glob(STR("*time*|*cpu*|*self*|*excl*|*incl*|*duration*|*samples*|*ticks*|"
			     "*elapsed*|*wall*"),
			 plain);
	col->is_time = col->unit == AMOUNT_NS ||
		       str_glob(STR("*time*|*elapsed*|*duration*|*wall*"), plain);
	/* "cost centre" is a title of GHC, which samples the CPU: such costs are CPU time */
	col->is_cpu = str_glob(STR("*cpu*|cost_centre*"), plain);
	col->is_wait = str_contains(plain, STR("wait"));
	col->is_state = str_eq(plain, STR("status"));
	col->is_pass = str_eq(plain, STR("time_variable"));
	col->is_samples = str_glob(STR("*samples*|*ticks*"), plain);
}

static void cost_add_title(struct cost_head *h, struct str title)
{
	char buffer[COST_TITLE_MAX];

	cost_add_column(h, (struct str){ buffer, cost_plain(str_trim(title), buffer, 0) }, 0, 0);
}

bool cost_head_is_ruler(struct str line)
{
	struct str t = str_trim(line);
	size_t marks = 0;

	if (t.len < COST_LINE_MIN || t.len > COST_LINE_MAX || !strchr("-=~+|:", t.p[0]))
		return false;
	for (size_t i = 0; i < t.len; i++) {
		if (strchr("-=~", t.p[i]))
			marks++;
		else if (!strchr(" \t+|:", t.p[i]))
			return false;
	}
	return marks >= t.len / 2;
}

/*
 * Find the next run of '-', '=' or '~' in @ruler, from *@at on. *@ret_from: start of the run; *@at:
 * its end. False: there is no further run.
 */
static bool cost_run(struct str ruler, size_t *at, size_t *ret_from)
{
	while (*at < ruler.len && !strchr("-=~", ruler.p[*at]))
		(*at)++;
	*ret_from = *at;
	while (*at < ruler.len && strchr("-=~", ruler.p[*at]))
		(*at)++;
	return *at > *ret_from;
}

static bool cost_head_ruled(const struct str *lines, size_t n, struct str ruler,
			    struct cost_head *h)
{
	size_t at = 0;
	size_t from;

	h->layout = COST_RULED;
	while (cost_run(ruler, &at, &from)) {
		char buffer[COST_TITLE_MAX];
		size_t len = 0;

		if (h->n >= COST_COLUMNS_MAX)
			return false;
		for (size_t i = 0; i < n; i++) {
			struct str in = str_sub(lines[i], from < lines[i].len ? from : lines[i].len,
						at < lines[i].len ? at : lines[i].len);

			len = str_trim(in).len ? cost_plain(str_trim(in), buffer, len) : len;
		}
		cost_add_column(h, (struct str){ buffer, len }, from, at);
	}
	return h->n >= 2;
}

static bool cost_head_delimited(struct str line, char delimiter, struct cost_head *h)
{
	struct str rest = str_trim(line);

	h->layout = COST_DELIMITED;
	h->delimiter = delimiter;
	if (delimiter == '|')
		(void)str_take(&rest, STR("|"));
	if (delimiter == '|' && str_ends(rest, STR("|")))
		rest.len--;
	while (h->n < COST_COLUMNS_MAX) {
		size_t end = str_find_char(rest, delimiter);

		cost_add_title(h, str_sub(rest, 0, end));
		if (end == rest.len)
			break;
		rest = str_skip(rest, end + 1);
	}
	return h->n >= 2;
}

/* The kind of column that has the title @t; COST_OTHER: unknown. */
static enum cost_kind cost_title_kind(struct str t)
{
	char buffer[COST_TITLE_MAX];
	struct str plain = { buffer, cost_plain(t, buffer, 0) };
	bool is_known = false;
	enum cost_kind kind = plain.len ? cost_kind_of(plain, &is_known) : COST_OTHER;

	return is_known ? kind : COST_OTHER;
}

/* a text with this many blanks or more is never divided into two titles */
#define COST_TITLE_WORDS 4u

/*
 * Length of the first title in @t, a text with single blanks. @t may be one title, or two: the
 * title of a function and that of its module, as in "COST CENTRE MODULE".
 */
static size_t cost_first_title(struct str t)
{
	size_t n_blanks = 0;

	for (size_t i = 0; i < t.len; i++)
		n_blanks += char_is_blank(t.p[i]);
	/* not divided: a single word, a known title, or so many words that @t is a sentence */
	if (n_blanks == 0 || n_blanks >= COST_TITLE_WORDS || cost_title_kind(t) == COST_FUNCTION)
		return t.len;
	for (size_t i = t.len; i-- > 1;) {
		if (char_is_blank(t.p[i]) && cost_title_kind(str_sub(t, 0, i)) == COST_FUNCTION &&
		    cost_title_kind(str_skip(t, i + 1)) == COST_MODULE)
			return i;
	}
	return t.len;
}

/*
 * Split a line of titles into columns.
 *
 * @n_words: 0: titles may have several words, so split the line at tabs and at two or more blanks.
 * Otherwise each word is a title, so split the line at each blank; @n_words is the number of words
 * in the line.
 *
 * False: there are fewer than two titles, too many titles, or too many words that are no known
 * titles.
 */
static bool cost_head_spaced(struct str line, size_t n_words, struct cost_head *h)
{
	struct str rest = str_trim(line);
	bool is_words = n_words > 0;
	size_t unknown = 0;

	h->layout = COST_SPACED;
	if (rest.len &&
	    rest.p >= line.p + COST_UNTITLED) { /* the names have no title, as in tables of R */
		cost_add_column(h, STR("name"), 0, 0);
		h->is_untitled = true;
	}
	while (rest.len) {
		size_t end = str_find(rest, STR("  "));
		size_t tab = str_find_char(rest, '\t');
		size_t share = str_find(str_skip(rest, 1), STR(" %")) + 1;

		if (share + 2 < end && !char_is_blank(rest.p[share + 2]))
			/* a single blank separates titles before '%': "%time %alloc" */
			end = share;

		if (is_words)
			end = str_find_char(rest, ' ');
		end = tab < end ? tab : end;
		if (!is_words)
			end = cost_first_title(str_sub(rest, 0, end));
		if (h->n >= COST_COLUMNS_MAX)
			return false;
		/*
		 * "Class Name" is one title, even if the other titles are single words: skip "Name"
		 * after a title of names
		 */
		if (!is_words || h->n == 0 || !str_eq_nocase(str_sub(rest, 0, end), STR("name")) ||
		    h->columns[h->n - 1].kind < COST_FUNCTION ||
		    h->columns[h->n - 1].kind > COST_MODULE)
			cost_add_title(h, str_sub(rest, 0, end));
		unknown += is_words && !h->columns[h->n - 1].is_known;
		if (is_words && unknown * COST_KNOWN_OF >
					(n_words + h->is_untitled) * (COST_KNOWN_OF - COST_KNOWN))
			return false;
		rest = str_ltrim(str_skip(rest, end));
	}
	return h->n >= 2;
}

static void cost_drop_untitled(struct cost_head *h)
{
	for (size_t i = 1; i < h->n; i++)
		h->columns[i - 1] = h->columns[i];
	h->n--;
	h->name -= h->name > 0;
	h->module -= h->module > 0;
	h->is_untitled = false;
}

/* Whether enough of the single words are known titles. If not, the line is an ordinary sentence. */
static bool cost_words_are_titles(const struct cost_head *h)
{
	size_t known = 0;

	for (size_t i = 0; i < h->n; i++)
		known += h->columns[i].is_known;
	return known * COST_KNOWN_OF >= h->n * COST_KNOWN;
}

/*
 * Choose the column with the names of the rows. If several columns have names, take the first of
 * these kinds: COST_FUNCTION, COST_WAIT, COST_VAGUE, COST_STEP. If no column has such names, use
 * the column with modules. Without modules, use the first column, if it has no title and the table
 * has several costs.
 *
 * False: the titles are not those of a table of costs. For example, one title is of the kind
 * COST_VETO, no column has names, or no column certainly has costs.
 */
static bool cost_choose(struct cost_head *h)
{
	size_t n_costs = 0;
	bool is_sure = false;
	bool is_part = false; /* the titles show that each row is part of a whole */
	bool is_wait = false;

	h->name = h->module = h->n;
	for (size_t i = h->is_untitled; i < h->n; i++) {
		const struct cost_column *col = &h->columns[i];

		if (col->kind == COST_VETO)
			return false;
		is_wait |= col->is_wait;
		if (col->kind >= COST_FUNCTION && col->kind <= COST_STEP) {
			if (h->name == h->n || col->kind < h->columns[h->name].kind)
				h->name = i;
		}
		is_part |= col->kind == COST_CALLS || col->kind == COST_SELF ||
			   col->kind == COST_TOTAL || (col->kind == COST_AMOUNT && col->is_share);
		if (col->kind >= COST_SELF) {
			n_costs++;
			is_sure |= col->is_cost;
		}
	}
	for (size_t i = 0; i < h->n && h->module == h->n; i++) {
		if (i != h->name && h->columns[i].kind == COST_MODULE)
			h->module = i;
	}
	if (h->name == h->n && h->module < h->n) {
		/* the table has costs per file or object: use the module as name */
		h->name = h->module;
		h->module = h->n;
	}
	if (h->name == h->n && h->is_untitled && n_costs > 1)
		h->name = 0;
	else if (h->is_untitled)
		cost_drop_untitled(h);
	/* "event" names a wait only in a table of waits */
	if (h->name < h->n && h->columns[h->name].kind == COST_WAIT && !is_wait)
		h->columns[h->name].kind = COST_STEP;
	/*
	 * more than two costs in each row, such as user, system and elapsed time, also show that
	 * each row is part of a whole
	 */
	is_part |= n_costs > 2;
	return h->name < h->n && n_costs > 0 && is_sure &&
	       (is_part || h->columns[h->name].kind != COST_VAGUE);
}

/*
 * Find the columns in titles with bars between them, if the column of names has no title, as in
 * tables of R: "               | total.time | self.time", or without the first bar.
 */
static bool cost_head_untitled(struct str line, struct cost_head *ret)
{
	struct str titles = str_ltrim(line);

	*ret = (struct cost_head){ .is_untitled = true };
	if (titles.p < line.p + COST_UNTITLED || str_find_char(line, '|') == line.len)
		return false;
	cost_add_column(ret, STR("name"), 0, 0);
	return cost_head_delimited(titles, '|', ret) && cost_choose(ret);
}

/* Fast test whether @line may contain titles. It rejects most lines. */
static bool cost_may_be_head(struct str line)
{
	static const char *const stems[] = { "%",        "ime",  "elf",  "otal", "cpu",    "CPU",
					     "nclusive", "ncl.", "xcl",  "ost",  "ration", "apsed",
					     "ampl",     "icks", "wall", "ms",   "sec",    "IME" };
	struct str t = str_rtrim(line);
	size_t digits = 0;

	if (t.len < COST_LINE_MIN || t.len > COST_LINE_MAX || strchr(".,:;!?", t.p[t.len - 1]))
		return false;
	for (size_t i = 0; i < t.len && digits <= COST_DIGITS_MAX; i++)
		digits += char_is_digit(t.p[i]);
	for (size_t i = 0; digits <= COST_DIGITS_MAX && i < ARRAY_LEN(stems); i++) {
		if (str_contains(t, str_of(stems[i])))
			return true;
	}
	return false;
}

/* The number of words in @line; 0: a fast test shows that the words are no titles. */
static size_t cost_may_be_words(struct str line)
{
	struct str word;
	size_t n = 0;

	if (str_contains(line, STR(", ")) || str_contains(line, STR(". ")))
		return 0;
	while (str_word(&line, &word))
		n++;
	return n <= COST_WORDS_MAX ? n : 0;
}

bool cost_head_of(const struct str *lines, size_t n, struct str ruler, struct cost_head *ret)
{
	static const char delimiters[] = { '|', '\t', ';', ',' };
	struct str line = n ? lines[n - 1] : STR_NONE;
	size_t n_words;

	if (!cost_may_be_head(line))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(delimiters); i++) {
		*ret = (struct cost_head){ 0 };
		if (str_find_char(line, delimiters[i]) < line.len &&
		    cost_head_delimited(line, delimiters[i], ret) && cost_choose(ret))
			return true;
	}
	if (cost_head_untitled(line, ret))
		return true;
	*ret = (struct cost_head){ 0 };
	if (ruler.len && cost_head_ruled(lines, n, ruler, ret) && cost_choose(ret))
		return true;
	*ret = (struct cost_head){ 0 };
	if (cost_head_spaced(line, 0, ret) && cost_choose(ret))
		return true;
	n_words = cost_may_be_words(line);
	*ret = (struct cost_head){ 0 };
	return n_words && cost_head_spaced(line, n_words, ret) && cost_choose(ret) &&
	       cost_words_are_titles(ret);
}

/* Whether a number in @row ends at offset @at, with a tolerance of one byte. */
static bool cost_number_ends(struct str row, size_t at)
{
	struct str rest = row;
	struct str word;

	while (str_word(&rest, &word)) {
		size_t end = (size_t)(word.p + word.len - row.p);

		if (end > at + 1)
			return false;
		if (end + 1 >= at && char_is_digit(word.p[0]))
			return true;
	}
	return false;
}

/*
 * Add the titles in the bytes @from to @to of @titles. Only single blanks separate the words in
 * these bytes, so the numbers in @row, the first row below the titles, show where a title ends. A
 * word ends a title if a number in @row ends at the same offset. If no number ends at @to, the
 * bytes are a single title.
 */
static void cost_align_piece(struct str titles, size_t from, size_t to, struct str row,
			     struct cost_head *h)
{
	struct str rest = str_sub(titles, from, to);
	bool is_divided = cost_number_ends(row, to);
	struct str word;

	while (str_word(&rest, &word)) {
		size_t end = (size_t)(word.p + word.len - titles.p);

		if (end < to && !(is_divided && cost_number_ends(row, end)))
			continue;
		cost_add_title(h, str_sub(titles, from, end));
		from = end;
	}
}

bool cost_head_align(const struct cost_head *h, struct str titles, struct str row,
		     struct cost_head *ret)
{
	struct cost_row cells;
	size_t from = 0;

	*ret = (struct cost_head){ .layout = COST_SPACED };
	if (h->layout != COST_SPACED || h->is_untitled)
		return false;
	while (from < titles.len) {
		struct str rest = str_skip(titles, from);
		size_t blanks = rest.len - str_ltrim(rest).len;
		size_t len = str_find(str_skip(rest, blanks), STR("  "));
		size_t tab = str_find_char(str_skip(rest, blanks), '\t');

		len = tab < len ? tab : len;
		if (len)
			cost_align_piece(titles, from + blanks, from + blanks + len, row, ret);
		from += blanks + len;
	}
	return ret->n > h->n && cost_choose(ret) && cost_row_of(ret, row, &cells) &&
	       !cells.is_stuck;
}

struct str cost_head_take_name(struct str *rest)
{
	struct str t = str_trim(*rest);
	size_t end = str_find_char(t, '=');
	struct str name;

	while (end && !strchr(" \t,;:", t.p[end - 1]))
		end--;
	name = str_trim(str_sub(t, 0, end));
	while (name.len && strchr(":,;", name.p[name.len - 1]))
		name = str_rtrim(str_sub(name, 0, name.len - 1));
	*rest = str_skip(t, end);
	return name;
}

bool cost_head_take_pair(struct str *rest, struct str *ret_title, struct str *ret_value)
{
	struct str t = str_ltrim(*rest);
	size_t equal = str_find_char(t, '=');
	size_t end;

	if (equal == 0 || equal >= t.len || str_find_char(str_sub(t, 0, equal), ' ') < equal)
		return false;
	*ret_title = str_sub(t, 0, equal);
	t = str_skip(t, equal + 1);
	for (end = 0; end < t.len && !strchr(" \t,;", t.p[end]); end++)
		;
	*ret_value = str_sub(t, 0, end);
	t = str_skip(t, end);
	*rest = t.len && strchr(",;", t.p[0]) ? str_skip(t, 1) : t;
	return true;
}

bool cost_head_keyed(struct str line, struct cost_head *ret)
{
	struct str rest = line;
	struct str name = cost_head_take_name(&rest);
	struct str title, value;

	*ret = (struct cost_head){ .layout = COST_KEYED };
	if (line.len > COST_LINE_MAX || (name.len && char_is_digit(name.p[0])))
		return false;
	if (name.len) {
		cost_add_column(ret, STR("step"), 0, 0);
		ret->is_named = true;
	}
	while (cost_head_take_pair(&rest, &title, &value)) {
		if (ret->n >= COST_COLUMNS_MAX)
			return false;
		cost_add_title(ret, title);
		ret->titles = hash_u64(hash_str(title), ret->titles);
	}
	if (str_trim(rest).len || ret->n < 3 || !cost_choose(ret))
		return false;
	ret->name = name.len ? 0 : ret->name;
	return true;
}
