/* SPDX-License-Identifier: MIT */
/*
 * counter_lines.c - lines of one fixed form with several numbers: /proc/stat, /proc/pressure,
 * schedstat, perf sched stats, buddyinfo, softnet_stat, ss -i, the head of top, Go's gctrace,
 * @time of Julia, counts of bpftrace, rates of fio, cyclictest, btt, ping, VACUUM of PostgreSQL,
 * pgbench -P, redis-benchmark -q
 *
 * A dialect describes one kind of line by its form. In a form, a blank matches any run of blanks,
 * and characters outside of braces match themselves. A pair of braces is a slot, which matches one
 * of these:
 *
 *     {name|unit}  a number, which is kept with this name and unit
 *     {-}          a number that is not kept
 *     {=}          a word, which is added to the key of the line
 *     {=text}      this text, which is added to the key
 *     {=+text}     nothing in the line; this text is added to the key
 *     {*}          any text up to the literal text after the slot
 *     {x:name}, {x:-}, {x:=}  eight hexadecimal digits: kept, not kept, added to the key
 *     {:a|b/}      the rest of the line, in words such as "rtt:23.5/2.1". Numbers of words with the
 *                  names a and b are kept; '/' after a name selects the second number of its word
 *     {?name|text} nothing in the line; kept as 1 if the rest of the line has this text, else as 0
 *
 * The key of a line names the CPU, device or socket that its numbers belong to. Consecutive lines
 * of one tool become one capture, whatever their forms. A line that has the same form and key as
 * the first line of the capture begins something new: the next interval of the capture if is_series
 * is set, otherwise another capture. So does a second line with is_report.
 */
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "formats/counters/counter_label.h"
#include "formats/counters/counter_number.h"
#include "formats/format.h"
#include "formats/unread_rows.h"

#include <stdio.h>

DECLARE_FORMAT(counter_lines);

/* maximum number of consecutive lines of other kinds inside a group of lines */
#define LINES_GAP   3u
#define LINES_CELLS 16u
#define LINES_KEY   128u
/* maximum distance in lines from a title to the first line of its tool */
#define LINES_ABOVE 5u
#define LINES_BYTES 1024u
/* minimum length of a line with numbers, and of a title such as "CPU 0" */
#define LINES_SHORT 8u
#define LINES_TITLE 5u
/* for a form with a slot {:a|b}: minimum number of words in the line whose names are known */
#define LINES_PAIRS 4u
#define LINES_SCORE 98u
/*
 * Score for lines of a log. It is lower than the score of service_log.c, which reads the whole log.
 */
#define LINES_LOGGED 85u

static const struct diag_kind lines_others = { "counter-lines-others", DIAG_INFO,
					       "lines between lines of counters" };
static const struct diag_kind lines_past = { "counter-lines-past-limit", DIAG_DATALOSS,
					     "counters past the limit" };

struct lines_dialect {
	const char *tool;
	const char *form;
	/* a line that repeats the first line begins the next interval of the same capture */
	bool is_series;
	/*
	 * The line is a title without numbers. Its key is prepended to the keys of the next lines.
	 */
	bool is_title;
	/*
	 * Lines of this form also occur in other texts. So the form is tried only after another
	 * line of the tool.
	 */
	bool is_member;
	/* a second title under a title: its key is appended to the key of the first title */
	bool is_subtitle;
	/* the form is tried only after titles whose keys end with this text; NULL: always */
	const char *below;
	/* the line has numbers; its key is the title of this line and of the next lines */
	bool is_heading;
	/* each row has a name of its own, so the text before the table is not used as its label */
	bool is_named;
	/*
	 * such lines are messages of a log, and the reader of the log (service_log.c) is preferred
	 */
	bool is_logged;
	/*
	 * Another wording of the previous form. A line in one wording also counts as a repetition
	 * of a line in the other wording.
	 */
	bool is_variant;
	/*
	 * Each CPU has one line, in order, without a printed CPU number. Any other line ends the
	 * table.
	 */
	bool is_numbered;
	/* the line has no numbers, and begins each report of the tool: so another capture begins */
	bool is_report;
};

/* one row for each form: lines_dialects.tsv */
#include "lines_dialects.h"

struct lines_cell {
	struct str name, unit;
	struct counter_number value;
};

struct lines_line {
	const struct lines_dialect *dialect;
	struct lines_cell cells[LINES_CELLS];
	size_t n;
	char key[LINES_KEY];
	size_t key_len;
};

static bool lines_key(struct lines_line *l, struct str word)
{
	if (l->key_len + word.len + 1 > sizeof(l->key))
		return false;
	if (l->key_len && word.len)
		l->key[l->key_len++] = ' ';
	memcpy(l->key + l->key_len, word.p, word.len);
	l->key_len += word.len;
	return true;
}

/* The literal text at the start of @form, up to its first slot ('{') or blank. */
static struct str lines_literal(struct str form)
{
	return str_sub(form, 0, str_find_char(str_sub(form, 0, str_find_char(form, '{')), ' '));
}

static bool lines_cell(struct lines_line *l, struct str name, struct str unit,
		       const struct counter_number *value)
{
	if (l->n == LINES_CELLS)
		return false;
	l->cells[l->n++] = (struct lines_cell){ name, unit, *value };
	return true;
}

/* Parse a column of eight hexadecimal digits, "92b1f391". */
static bool lines_hex(struct str slot, struct str *s, struct lines_line *l)
{
	struct str word = str_sub(*s, 0, str_find_char(*s, ' '));
	struct str rest = word;
	struct counter_number n = { .decimals = 0 };
	uint64_t value;
	char key[16];
	int len;

	if (word.len != 8 || !str_hex64(&rest, &value) || rest.len)
		return false;
	*s = str_skip(*s, word.len);
	if (str_take(&slot, STR("="))) {
		len = snprintf(key, sizeof(key), STR_FMT "%u", STR_ARG(str_sub(slot, 0, 4)),
			       (unsigned int)value);
		return lines_key(l, (struct str){ key, (size_t)len });
	}
	n.value = (int64_t)value;
	return str_eq(slot, STR("-")) || lines_cell(l, slot, STR_NONE, &n);
}

/*
 * If the name in @word is in @names, add the number in @word. Examples of @word: "rtt:23.5/2.1",
 * "busy:120ms(3%)".
 */
static void lines_pair(struct str names, struct str word, struct lines_line *l)
{
	size_t colon = str_find_char(word, ':');
	struct str name = str_sub(word, 0, colon);
	struct str rest = str_skip(word, colon + 1);
	struct counter_number value;

	for (;;) {
		size_t bar = str_find_char(names, '|');
		struct str known = str_sub(names, 0, bar);
		bool is_second = str_ends(known, STR("/"));

		known.len -= is_second;
		if (str_eq(known, name)) {
			if (is_second)
				rest = str_skip(rest, str_find_char(rest, '/') + 1);
			if (rest.len && char_is_digit(rest.p[0]) && counter_number(&rest, &value) &&
			    !value.is_scaled)
				(void)lines_cell(l, known,
						 str_starts(rest, STR("ms")) ? STR("ms") : STR_NONE,
						 &value);
			return;
		}
		if (bar == names.len)
			return;
		names = str_skip(names, bar + 1);
	}
}

static bool lines_pairs(struct str names, struct str *s, struct lines_line *l)
{
	struct str word;

	while (str_word(s, &word))
		lines_pair(names, word, l);
	*s = STR_NONE;
	return l->n >= LINES_PAIRS;
}

/*
 * Match one slot of a form, such as {name|unit}, with the start of @s, and skip the matched text.
 * @slot: the text between '{' and '}'. @form: the rest of the form after the slot.
 */
static bool lines_slot(struct str slot, struct str form, struct str *s, struct lines_line *l)
{
	size_t bar = str_find_char(slot, '|');
	struct counter_number value;
	struct str word, rest;

	if (str_eq(slot, STR("*"))) {
		struct str next = lines_literal(str_ltrim(form));

		*s = str_skip(*s, next.len ? str_find(*s, next) : s->len);
		return true;
	}
	if (str_take(&slot, STR("x:")))
		return lines_hex(slot, s, l);
	if (str_take(&slot, STR(":")))
		return lines_pairs(slot, s, l);
	if (str_take(&slot, STR("?"))) {
		bar = str_find_char(slot, '|');
		value = (struct counter_number){ .value = str_contains(*s,
								       str_skip(slot, bar + 1)) };
		return lines_cell(l, str_sub(slot, 0, bar), STR_NONE, &value);
	}
	if (str_take(&slot, STR("="))) {
		struct str next = lines_literal(form);
		size_t end = str_find_char(*s, ' ');

		if (str_take(&slot, STR("+")))
			return lines_key(l, slot);
		if (slot.len)
			return str_take(s, slot) && lines_key(l, slot);
		/* a key may contain blanks if ']' follows the slot */
		end = next.len && (str_find(*s, next) < end || next.p[0] == ']')
			      ? str_find(*s, next)
			      : end;
		if (!lines_key(l, str_sub(*s, 0, end)))
			return false;
		*s = str_skip(*s, end);
		return true;
	}
	/* a number ends at a blank, because these tools do not group digits with blanks */
	word = str_sub(*s, 0, str_find_char(*s, ' '));
	/* slabtop prints "12.5K", where K is the unit KiB, and no factor of 1000 */
	if (str_ends(slot, STR("|KiB")))
		word = str_sub(word, 0, str_find_char(word, 'K'));
	rest = word;
	if (!char_is_digit(word.len > 1 && word.p[0] == '-' ? word.p[1]
			   : word.len                       ? word.p[0]
							    : ' ') ||
	    !counter_number(&rest, &value) || value.is_scaled)
		return false;
	*s = str_skip(*s, word.len - rest.len);
	if (str_eq(slot, STR("-")))
		return true;
	return lines_cell(l, str_sub(slot, 0, bar), str_skip(slot, bar + 1), &value);
}

/* Fast check before a match: can @line, which is not empty, match the start of d->form? */
static bool lines_may_match(const struct lines_dialect *d, struct str line)
{
	const char *form = d->form;

	if (form[0] != '{')
		return form[0] == line.p[0] || form[0] == ' ';
	if (form[1] == '=' && form[2] != '}' && form[2] != '+')
		return form[2] == line.p[0]; /* {=text}: the line must begin with `text` */
	if (form[1] == '*' || form[1] == '=' || form[1] == ':' ||
	    (form[1] == 'x' && form[2] == ':'))
		return true;
	return char_is_digit(line.p[0]) || line.p[0] == '-';
}

static bool lines_match(const struct lines_dialect *d, struct str s, struct lines_line *ret)
{
	struct str form = str_of(d->form);

	ret->dialect = d;
	ret->n = ret->key_len = 0;
	while (form.len) {
		if (form.p[0] == '{') {
			size_t end = str_find_char(form, '}');
			struct str slot = str_sub(form, 1, end);

			form = str_skip(form, end + 1);
			if (!lines_slot(slot, form, &s, ret))
				return false;
			continue;
		}
		if (form.p[0] == ' ') {
			s = str_ltrim(s);
		} else {
			if (s.len == 0 || s.p[0] != form.p[0])
				return false;
			s = str_skip(s, 1);
		}
		form = str_skip(form, 1);
	}
	return s.len == 0;
}

/* A group: consecutive lines of one tool. */
struct lines_group {
	/* form of the group's first line; NULL: no line yet */
	const struct lines_dialect *dialect;
	/* keys of the current title and subtitle; they are prepended to the keys of the lines */
	char title[2 * LINES_KEY];
	size_t title_len;
	/* length of the first title's key in `title`; the key of the subtitle follows */
	size_t main_len;
	/*
	 * Hash of title, key and form of the group's first line. A line with the same hash repeats
	 * the first line.
	 */
	uint32_t first;
	size_t n; /* number of lines with numbers */
};

/*
 * Find the form of @line. If the group @g already has lines, only forms of its tool are tried;
 * otherwise only forms that can begin a group. @is_title: try titles; false: try lines with
 * numbers.
 */
static bool lines_parse(const struct lines_group *g, struct str line, bool is_title,
			struct lines_line *ret)
{
	const struct lines_dialect *of = g->dialect;

	line = str_trim(line);
	if (line.len < (is_title ? LINES_TITLE : LINES_SHORT) || line.len > LINES_BYTES)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(lines_dialects); i++) {
		const struct lines_dialect *d = &lines_dialects[i];

		if (d->is_title == is_title && lines_may_match(d, line) &&
		    (of ? str_eq(str_of(of->tool), str_of(d->tool)) : !d->is_member) &&
		    (!d->below ||
		     str_ends((struct str){ g->title, g->title_len }, str_of(d->below))) &&
		    lines_match(d, line, ret))
			return true;
	}
	return false;
}

static void lines_title(struct lines_group *g, const struct lines_line *l)
{
	if (!l->dialect->is_subtitle)
		g->main_len = 0;
	g->title_len = g->main_len;
	if (g->title_len)
		g->title[g->title_len++] = ' ';
	memcpy(g->title + g->title_len, l->key, l->key_len);
	g->title_len += l->key_len;
	if (!l->dialect->is_subtitle)
		g->main_len = g->title_len;
}

/* If @l is a heading, its key becomes the title of @g. */
static void lines_heading(struct lines_group *g, struct lines_line *l)
{
	if (!l->dialect->is_heading)
		return;
	lines_title(g, l);
	l->key_len = 0;
}

/*
 * If the form of @l has one line for each CPU, and no CPU number in the line, set the key of @l to
 * the number of the CPU.
 */
static void lines_number(const struct lines_group *g, struct lines_line *l)
{
	int len;

	if (!l->dialect->is_numbered)
		return;
	len = snprintf(l->key, sizeof(l->key), "CPU%zu", g->n);
	l->key_len = len > 0 ? (size_t)len : 0;
}

/* Count @l as a line of @g. True: @l repeats the first line (same title, key and form). */
static bool lines_again(struct lines_group *g, const struct lines_line *l)
{
	const struct lines_dialect *form = l->dialect;
	uint32_t hash;

	if (l->n == 0)
		return false;
	while (form->is_variant)
		form--;
	hash = str_hash32((struct str){ l->key, l->key_len }) * 31 +
	       str_hash32((struct str){ g->title, g->title_len }) * 7 +
	       (uint32_t)(form - lines_dialects);
	if (g->n++ == 0) {
		g->first = hash;
		return false;
	}
	return hash == g->first;
}

/*
 * Find a title of the tool of @g before offset @at of @text. Only lines of the tool and blank lines
 * may be in between. Returns the offset of the title, or @at if there is none.
 */
static size_t lines_title_above(struct lines_group *g, struct str text, size_t from, size_t at)
{
	struct lines_line l;
	size_t start = at;

	for (unsigned int n = 0; n < LINES_ABOVE && start > from; n++) {
		size_t end = start - 1;
		size_t before = str_rfind_char(str_sub(text, from, end), '\n');
		struct str line;

		start = before < end - from ? from + before + 1 : from;
		line = str_sub(text, start, end);
		if (lines_parse(g, line, true, &l)) {
			lines_title(g, &l);
			return start;
		}
		if (str_trim(line).len && !lines_parse(g, line, false, &l))
			break;
	}
	return at;
}

/*
 * Can a group begin with the line @l? For most forms it can. If lines of the form may also be
 * ordinary messages of a log, the next line, at the start of @rest, must be a further line of the
 * same tool.
 */
static bool lines_begins(const struct lines_line *l, struct str rest)
{
	const struct lines_group g = { .dialect = l->dialect };
	struct lines_line next;
	struct str line;

	return !l->dialect->is_logged ||
	       (str_line(&rest, &line) && lines_parse(&g, line, false, &next) &&
		next.dialect->is_member);
}

/* Does @l begin another report, after the numbers of the report @g? */
static bool lines_is_next(const struct lines_group *g, const struct lines_line *l)
{
	return g->n && l->dialect->is_report;
}

static bool counter_lines_find(struct str text, size_t from, struct extent *ret)
{
	struct str rest = str_skip(text, from);
	struct lines_group g = { .dialect = NULL };
	struct lines_line l;
	struct str line;
	unsigned int others = 0;

	for (size_t at = from; str_line(&rest, &line); at = text.len - rest.len) {
		bool is_row = lines_parse(&g, line, false, &l);

		if (g.dialect && g.dialect->is_numbered && !is_row)
			break;
		if (g.dialect && !is_row) {
			if (lines_parse(&g, line, true, &l))
				lines_title(&g, &l);
			else if (++others > LINES_GAP && g.n)
				break;
			if (others <= LINES_GAP)
				continue;
			g = (struct lines_group){ .dialect = NULL };
			others = 0;
		}
		if (!is_row || (!g.dialect && !lines_begins(&l, rest)))
			continue;
		if (!g.dialect) {
			g.dialect = l.dialect;
			*ret = (struct extent){ .from = lines_title_above(&g, text, from, at),
						.score = l.dialect->is_logged ? LINES_LOGGED
									      : LINES_SCORE };
		}
		if (lines_is_next(&g, &l))
			break;
		lines_heading(&g, &l);
		lines_number(&g, &l);
		if (lines_again(&g, &l) && !l.dialect->is_series)
			break;
		others = 0;
		ret->to = text.len - rest.len;
	}
	return g.n > 0;
}

static unsigned int counter_lines_probe(struct str head)
{
	struct extent e;

	/*
	 * The score is low: if the table of tasks follows the summary of top, the reader of this
	 * table is preferred.
	 */
	return counter_lines_find(head, 0, &e) ? 60 : 0;
}

static void lines_add(struct capture *c, const struct lines_group *g, const struct lines_line *l,
		      uint32_t interval, uint32_t line)
{
	struct strings *strings = capture_strings(c);
	char key[3 * LINES_KEY + 2];
	int n = snprintf(key, sizeof(key), "%.*s%s%.*s", (int)g->title_len, g->title,
			 g->title_len && l->key_len ? " " : "", (int)l->key_len, l->key);
	str_id key_id = n > 0 ? strings_add(strings, (struct str){ key, (size_t)n }) : STR_ID_NONE;

	for (size_t i = 0; i < l->n; i++) {
		const struct lines_cell *cell = &l->cells[i];

		if (counters_add(capture_counters(c), strings,
				 (struct counter){
					 .name = strings_add(strings, cell->name),
					 .unit = cell->unit.len ? strings_add(strings, cell->unit)
								: STR_ID_NONE,
					 .key = key_id,
					 .value = cell->value.value,
					 .decimals = cell->value.decimals,
					 .spread = -1,
					 .running = -1,
					 .interval = interval,
					 .line = line }) < 0)
			diag_count(&c->diag, &lines_past, line);
	}
}

static int counter_lines_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct capture *c = format_add_capture(&format_counter_lines, in, d);
	struct lines_group g = { .dialect = NULL };
	struct str text = in->text;
	struct lines_line l;
	struct str line;
	uint32_t interval = 0;

	for (uint32_t n = 0; str_line(&text, &line); n++) {
		if (lines_parse(&g, line, false, &l)) {
			lines_heading(&g, &l);
			lines_number(&g, &l);
			interval += lines_again(&g, &l);
			g.dialect = l.dialect;
			lines_add(c, &g, &l, interval, region_line(in, n));
		} else if (lines_parse(&g, line, true, &l)) {
			lines_title(&g, &l);
		} else {
			unread_rows_count(c, &lines_others, line, region_line(in, n));
		}
	}
	if (!c->counters)
		return fail(err, ERR_FORMAT, "no line of counters");
	c->counters->n_intervals = interval + 1;
	c->counters->tool = strings_add(capture_strings(c), str_of(g.dialect->tool));
	if (!g.dialect->is_named)
		c->counters->label = strings_add(capture_strings(c), counter_label(in));
	return OK;
}

const struct format format_counter_lines = {
	.name = "counter-lines",
	.title = "counters",
	.summary = "lines with several numbers: /proc/stat, pressure, softnet_stat, ss -i, top, "
		   "gctrace",
	.kinds = KIND_COUNTERS,
	.probe = counter_lines_probe,
	.find = counter_lines_find,
	.read = counter_lines_read,
};
