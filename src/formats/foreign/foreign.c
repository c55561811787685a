/* SPDX-License-Identifier: MIT */
/*
 * foreign.c - claim text formats that assay recognises but does not read
 *
 * A stretch is a run of lines that match patterns of one kind of format. One pass over the lines
 * keeps one open stretch per kind. A stretch ends after too many lines without a match. The result
 * is the earliest stretch with FOREIGN_THRESHOLD points. If a stretch with more points overlaps it,
 * the result is that stretch.
 */
#include "formats/foreign/foreign.h"

#include "base/limits.h"
#include "base/status.h"
#include "formats/exchange/json_doc.h"
#include "formats/format.h"
#include "formats/registry.h"

#include <pthread.h>

DECLARE_FORMAT(foreign);

#define FOREIGN_LINE_BYTES 512u /* only this many bytes at the start of a line are matched */
#define FOREIGN_MAX_MARKS  640u /* capacity for the elements of foreign_marks[] */
/* the keys of a JSON document are searched in this many bytes at the start of the text */
#define FOREIGN_JSON_BYTES 65536u
/* this many empty lines in a row count as one line without a match */
#define FOREIGN_BLANKS 6u
#define FOREIGN_DIGIT  1u /* bit in foreign_chars.bits: the text has a decimal digit */
/*
 * special value of points: the line matches a pattern with 0 points. It continues a stretch (a run
 * of lines that match one kind of format), but adds no points
 */
#define FOREIGN_BODY 255u
/* a line with at most this many points is weak: several tools print such lines */
#define FOREIGN_HINT 10u
/* maximum sum of the points of all weak lines in a stretch (a run of matching lines) */
#define FOREIGN_HINTS 30u

/*
 * Two bit sets for a text: its characters, and 8-bit hashes of its pairs of adjacent characters.
 * Any digit also sets the bit FOREIGN_DIGIT. Characters beyond ASCII share the bits of ASCII
 * characters.
 *
 * A line can match a pattern only if it has all characters and pairs of the pattern. This test
 * rejects nearly all patterns that contain a word, and makes the search five times as fast.
 */
struct foreign_chars {
	uint64_t bits[2];
	uint64_t pairs[4];
};

/*
 * Lists of the marks (patterns with points), by the first character of the pattern. Each element is
 * an index of foreign_marks plus 1; 0 ends the list.
 */
struct foreign_index {
	uint16_t first[256]; /* index: character; value: first element of its list */
	/* first element of the list of patterns that begin with a decimal number */
	uint16_t digit;
	/* first element of the list of patterns that can begin with any character */
	uint16_t any;
	/* for each mark, the next element of its list */
	uint16_t next[FOREIGN_MAX_MARKS];
	/* index: mark; value: foreign_pattern_chars() of its pattern */
	struct foreign_chars chars[FOREIGN_MAX_MARKS];
};

struct foreign_stretch {
	size_t from;
	size_t to;
	/* sum of the points of all lines of the stretch; 0: no stretch is open */
	uint32_t points;
	/* sum of the points of weak lines, which several tools print (FOREIGN_HINT) */
	uint32_t hints;
	uint32_t gap; /* number of lines since the last line with a match */
	/*
	 * each line since the last line with a match has a digit, so all may be rows of one table
	 */
	bool is_run;
};

struct foreign_scan {
	const struct foreign_index *index;
	/* open stretches (runs of matching lines), indexed by kind of format */
	struct foreign_stretch open[FOREIGN_MAX_KINDS];
	size_t n_open; /* number of open stretches */
	/* best closed stretch so far; points 0: none */
	struct foreign_stretch done;
	size_t done_kind;
	unsigned int blanks; /* number of empty lines in a row up to the current line */
};

static void foreign_chars_add(struct foreign_chars *set, unsigned char c)
{
	set->bits[c >> 6 & 1] |= UINT64_C(1) << (c & 63);
}

static void foreign_pair_add(struct foreign_chars *set, unsigned char a, unsigned char b)
{
	unsigned int hash = (a * 37u + b) & 255;

	set->pairs[hash >> 6] |= UINT64_C(1) << (hash & 63);
}

static bool foreign_chars_has(const struct foreign_chars *has, const struct foreign_chars *must)
{
	return !((must->bits[0] & ~has->bits[0]) | (must->bits[1] & ~has->bits[1]) |
		 (must->pairs[0] & ~has->pairs[0]) | (must->pairs[1] & ~has->pairs[1]) |
		 (must->pairs[2] & ~has->pairs[2]) | (must->pairs[3] & ~has->pairs[3]));
}

static struct foreign_chars foreign_chars_of(struct str line)
{
	struct foreign_chars set = { { 0, 0 }, { 0, 0, 0, 0 } };

	for (size_t i = 0; i < line.len; i++) {
		foreign_chars_add(&set, (unsigned char)line.p[i]);
		if (i)
			foreign_pair_add(&set, (unsigned char)line.p[i - 1],
					 (unsigned char)line.p[i]);
	}
	if (set.bits[0] & (UINT64_C(0x3ff) << '0'))
		foreign_chars_add(&set, FOREIGN_DIGIT);
	return set;
}

static bool foreign_is_special(char c)
{
	switch (c) {
	case ' ':
	case '~':
	case '#':
	case '$':
	case '?':
	case '@':
	case '*':
	case '&':
	case '\\':
		return true;
	default:
		return false;
	}
}

/* The characters, and the pairs of adjacent characters, that every match of @pattern contains. */
static struct foreign_chars foreign_pattern_chars(const char *pattern)
{
	struct foreign_chars set = { { 0, 0 }, { 0, 0, 0, 0 } };
	/* previous character of the pattern, if it is literal; otherwise 0 */
	unsigned char before = 0;

	for (const char *p = pattern; *p; p++) {
		bool is_escaped = *p == '\\' && p[1];

		p += is_escaped;
		if (!is_escaped && foreign_is_special(*p)) {
			if (*p == '#')
				foreign_chars_add(&set, FOREIGN_DIGIT);
			before = 0;
			continue;
		}
		foreign_chars_add(&set, (unsigned char)*p);
		if (before)
			foreign_pair_add(&set, before, (unsigned char)*p);
		before = (unsigned char)*p;
	}
	return set;
}

static void foreign_build(struct foreign_index *x)
{
	memset(x, 0, sizeof(*x));
	for (size_t i = foreign_n_marks; i-- > 0;) {
		const char *p = foreign_marks[i].pattern;
		uint16_t *head = &x->any;

		if (*p == '#')
			head = &x->digit;
		else if (*p == '\\')
			head = &x->first[(unsigned char)p[1]];
		else if (!foreign_is_special(*p))
			head = &x->first[(unsigned char)*p];
		x->chars[i] = foreign_pattern_chars(p);
		x->next[i] = *head;
		*head = (uint16_t)(i + 1);
	}
}

/* the index of all patterns, made at first use only, because this takes long */
static struct foreign_index foreign_made;
static pthread_once_t foreign_once = PTHREAD_ONCE_INIT;

static void foreign_make(void)
{
	foreign_build(&foreign_made);
}

static const struct foreign_index *foreign_index(void)
{
	(void)pthread_once(&foreign_once, foreign_make);
	return &foreign_made;
}

/*
 * Match @line with the patterns of the list that starts at @head. @points, by kind, becomes the
 * highest number of points of a matching pattern. False: a pattern of kind FOREIGN_NONE matches, so
 * @line belongs to a format that assay reads.
 */
static bool foreign_chain(const struct foreign_index *x, uint16_t head, struct str line,
			  const struct foreign_chars *has, uint8_t *points)
{
	for (uint16_t i = head; i; i = x->next[i - 1]) {
		const struct foreign_mark *m = &foreign_marks[i - 1];
		const struct foreign_chars *must = &x->chars[i - 1];

		if (!foreign_chars_has(has, must))
			continue;
		if (m->points <= (points[m->kind] == FOREIGN_BODY ? 0 : points[m->kind]) &&
		    points[m->kind] && m->kind != FOREIGN_NONE)
			continue;
		if (!foreign_match(m->pattern, line))
			continue;
		if (m->kind == FOREIGN_NONE)
			return false;
		points[m->kind] = m->points ? m->points : FOREIGN_BODY;
	}
	return true;
}

static bool foreign_points(const struct foreign_index *x, struct str line, uint8_t *points)
{
	struct foreign_chars has = foreign_chars_of(line);
	unsigned char first = (unsigned char)line.p[0];

	memset(points, 0, FOREIGN_MAX_KINDS);
	return foreign_chain(x, x->any, line, &has, points) &&
	       foreign_chain(x, x->first[first], line, &has, points) &&
	       (!char_is_digit(line.p[0]) || foreign_chain(x, x->digit, line, &has, points));
}

/*
 * End the open stretch (run of matching lines) of @kind. A stretch with FOREIGN_THRESHOLD points
 * may replace s->done, the result so far. If both overlap, the one with more points wins; otherwise
 * the earlier one.
 */
static void foreign_close(struct foreign_scan *s, size_t kind)
{
	struct foreign_stretch *o = &s->open[kind];
	bool overlaps = s->done.points && o->from < s->done.to;

	if (o->points >= FOREIGN_THRESHOLD &&
	    (!s->done.points || (overlaps ? o->points > s->done.points : o->from < s->done.from))) {
		s->done = *o;
		s->done_kind = kind;
	}
	s->n_open -= o->points > 0;
	o->points = 0;
}

/*
 * Whether the scan must go on because an open stretch (run of matching lines) may replace s->done,
 * the result so far. Such a stretch overlaps s->done and has more points.
 */
static bool foreign_must_wait(const struct foreign_scan *s)
{
	for (size_t k = 1; k < foreign_n_kinds; k++) {
		if (s->open[k].points > s->done.points && s->open[k].from < s->done.to)
			return true;
	}
	return false;
}

/*
 * Replace s->done, the result so far, by an open stretch (run of matching lines) with
 * FOREIGN_THRESHOLD points that ends before s->done begins.
 */
static void foreign_prefer_earlier(struct foreign_scan *s)
{
	for (size_t k = 1; k < foreign_n_kinds; k++) {
		const struct foreign_stretch *o = &s->open[k];

		if (o->points >= FOREIGN_THRESHOLD && o->to <= s->done.from) {
			s->done = *o;
			s->done_kind = k;
		}
	}
}

static bool foreign_has_digit(struct str line)
{
	for (size_t i = 0; i < line.len; i++) {
		if (char_is_digit(line.p[i]))
			return true;
	}
	return false;
}

static bool foreign_has_points(const uint8_t *points)
{
	unsigned int any = 0;

	for (size_t k = 1; k < foreign_n_kinds; k++)
		any |= points[k];
	return any != 0;
}

/*
 * Add the points of a line to @o, a run of matching lines. Weak lines, which several tools print,
 * add a limited number of points, so that they alone never reach FOREIGN_THRESHOLD.
 */
static void foreign_count(struct foreign_stretch *o, uint32_t points)
{
	if (points == FOREIGN_BODY)
		return;
	if (points <= FOREIGN_HINT) {
		if (o->hints + points > FOREIGN_HINTS)
			return;
		o->hints += points;
	}
	o->points += points;
}

/*
 * Add one line, text[from, to), to the open stretches (runs of matching lines). @points: points of
 * the line for each kind of format; NULL: the line matches no kind. A line without a match extends
 * a stretch if it has a digit, and if each line since the last match has one, too.
 */
static void foreign_take(struct foreign_scan *s, const uint8_t *points, struct str line,
			 size_t from, size_t to)
{
	bool may_run;

	/* fast path: no stretch is open, and the line has no points */
	if (LIKELY(s->n_open == 0 && (!points || !foreign_has_points(points))))
		return;
	may_run = foreign_has_digit(line);
	for (size_t k = 1; k < foreign_n_kinds; k++) {
		struct foreign_stretch *o = &s->open[k];

		if (points && points[k] && (o->points || points[k] != FOREIGN_BODY)) {
			if (!o->points) {
				o->from = from;
				o->hints = 0;
				s->n_open++;
			}
			foreign_count(o, points[k]);
			o->to = to;
			o->gap = 0;
			o->is_run = true;
		} else if (o->points && o->is_run && may_run) {
			o->to = to;
		} else if (o->points && ++o->gap > foreign_kinds[k].gap) {
			foreign_close(s, k);
		}
		o->is_run &= may_run || (points && points[k]);
	}
}

static bool foreign_answer(const struct foreign_scan *s, struct extent *ret)
{
	const struct foreign_kind *kind = &foreign_kinds[s->done_kind];
	unsigned int score = s->done.points >= FOREIGN_SURE ? kind->cap : s->done.points;

	if (!s->done.points)
		return false;
	*ret = (struct extent){
		.from = s->done.from,
		.to = s->done.to,
		.score = score < kind->cap ? score : kind->cap,
		.name = kind->name,
		.declined = kind->declined,
		.is_head = kind->is_head,
	};
	return true;
}

static bool foreign_find_lines(struct str text, size_t from, struct extent *ret)
{
	struct foreign_scan s = { .index = foreign_index() };
	struct str rest = str_skip(text, from);
	struct str line;

	while (rest.len) {
		size_t at = (size_t)(rest.p - text.p);
		uint8_t points[FOREIGN_MAX_KINDS];

		(void)str_line(&rest, &line);
		line = str_trim(str_sub(str_ltrim(line), 0, FOREIGN_LINE_BYTES));
		if (line.len == 0) {
			for (size_t k = 1; k < foreign_n_kinds; k++)
				s.open[k].is_run = false;
			if (++s.blanks < FOREIGN_BLANKS)
				continue;
			foreign_take(&s, NULL, line, 0, 0);
		} else {
			bool is_ours = foreign_points(s.index, line, points);

			s.blanks = 0;
			foreign_take(&s, is_ours ? points : NULL, is_ours ? line : STR(""), at,
				     (size_t)(rest.p - text.p));
		}
		if (s.done.points && !foreign_must_wait(&s)) {
			foreign_prefer_earlier(&s);
			return foreign_answer(&s, ret);
		}
	}
	for (size_t k = 1; k < foreign_n_kinds; k++) {
		if (s.open[k].points)
			foreign_close(&s, k);
	}
	return foreign_answer(&s, ret);
}

/*
 * Claim the whole text as a JSON profile, if the start of the text has the keys of such a profile.
 */
static bool foreign_find_json(struct str text, struct extent *ret)
{
	struct str head = str_ltrim(str_sub(text, 0, FOREIGN_JSON_BYTES));

	if (!head.len || (head.p[0] != '{' && head.p[0] != '['))
		return false;
	if (json_doc_has(text, STR("\"preprocessedProfileVersion\"")))
		return false; /* firefox.c reads this format */
	for (size_t i = 0; i < foreign_n_json; i++) {
		const struct foreign_json *k = &foreign_json_kinds[i];
		bool has_all = true;

		for (size_t n = 0; n < ARRAY_LEN(k->keys) && k->keys[n] && has_all; n++)
			has_all = str_contains(head, str_of(k->keys[n]));
		if (!has_all)
			continue;
		*ret = (struct extent){ 0, text.len, 97, k->name, k->declined };
		return true;
	}
	return false;
}

static bool foreign_find(struct str text, size_t from, struct extent *ret)
{
	if (from == 0 && foreign_find_json(text, ret))
		return true;
	return foreign_find_lines(text, from, ret);
}

static unsigned int foreign_probe(struct str head)
{
	struct extent e;

	/* if assay has a reader for this format, only the probe() of this reader gives a score */
	if (!foreign_find(head, 0, &e) || format_find(str_of(e.name)))
		return 0;
	return (e.to - e.from) * 2 >= head.len ? e.score : e.score / 2;
}

const struct format format_foreign = {
	.name = "foreign",
	.summary = "formats known by name and not read yet",
	.probe = foreign_probe,
	.find = foreign_find,
};
