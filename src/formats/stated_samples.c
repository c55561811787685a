/* SPDX-License-Identifier: MIT */
#include "formats/stated_samples.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/strings.h"
#include "document/document.h"
#include "formats/detect.h"

/* maximum length of a line that may state a number of samples */
#define STATED_BYTES 400u
/*
 * maximum number of lines from a statement down to its profile (STATED_ABOVE), and from a profile
 * down to its statement (STATED_BELOW)
 */
#define STATED_ABOVE 12u
#define STATED_BELOW 3u
/*
 * if a printed row would have fewer samples than this with the stated number, the number belongs to
 * another profile
 */
#define STATED_PART 0.5

/* A number after one of these words is only a part of the total, or is not exact: "about 500". */
static const char stated_not_before[] =
	"lost|dropped|skipped|missed|missing|discarded|every|each|last|first|another|more|fewer|"
	"less|than|least|about|around|roughly|approximately|approx|nearly|almost|per|over|top";
/* Words that may be between the number and "samples". */
static const char stated_kinds[] = "cpu|perf|profile|profiling|total|stack";
/*
 * Texts that may follow "samples" if the number is the total, as in "83,399 samples in total". '#'
 * stands for a digit.
 */
static const char *const stated_after[] = {
	"of event",   "collected", "recorded",       "captured",      "taken",
	"in total",   "total",     "were collected", "were recorded", "were captured",
	"were taken", "at #",      "in #",           "over #",
};

struct stated {
	uint64_t n;
	/* half of the rounding step of the number: 500 for "12K", which is 12000 ± 500 */
	uint64_t err;
	struct str event; /* event that the line names; empty: none */
};

static bool stated_in(const char *list, struct str word)
{
	char low[32];

	return word.len && word.len < sizeof(low) && str_glob(str_of(list), str_lower(word, low));
}

/*
 * Take ",399" from @s, the next group of three digits, and append its digits to *@v. False: @s does
 * not start with such a group.
 */
static bool stated_group(struct str *s, uint64_t *v)
{
	uint64_t group = 0;

	if (s->len < 4 || s->p[0] != ',' || (s->len > 4 && char_is_digit(s->p[4])))
		return false;
	for (size_t i = 1; i < 4; i++) {
		if (!char_is_digit(s->p[i]))
			return false;
		group = 10 * group + (uint64_t)(s->p[i] - '0');
	}
	if (__builtin_mul_overflow(*v, UINT64_C(1000), v) || __builtin_add_overflow(*v, group, v))
		return false;
	*s = str_skip(*s, 4);
	return true;
}

/*
 * Take a count: "83,399", "12K", "1.5M". False: @s starts with no count, with a decimal such as
 * "1.5", or with a number that is part of a word.
 */
static bool stated_count(struct str *s, struct stated *ret)
{
	struct str t = *s;
	/* value of 1 in the last printed digit: 1000 for "12K", 100000 for "1.5M" */
	uint64_t unit = 1;
	uint64_t tenths = 0;
	uint64_t v;

	if (!str_u64(&t, &v))
		return false;
	while (stated_group(&t, &v))
		;
	if (t.len > 2 && t.p[0] == '.' && char_is_digit(t.p[1]) && !char_is_digit(t.p[2])) {
		tenths = 1 + (uint64_t)(t.p[1] - '0');
		t = str_skip(t, 2);
	}
	if (t.len && (t.p[0] == 'k' || t.p[0] == 'K'))
		unit = 1000;
	else if (t.len && t.p[0] == 'M')
		unit = 1000000;
	t = str_skip(t, unit > 1);
	if ((tenths && unit == 1) || (t.len && char_is_word(t.p[0])) ||
	    __builtin_mul_overflow(v, unit, &v))
		return false;
	if (tenths) {
		unit /= 10;
		if (__builtin_add_overflow(v, (tenths - 1) * unit, &v))
			return false;
	}
	ret->n = v;
	ret->err = unit / 2;
	*s = t;
	return v > 0;
}

/* The last word of @s. */
static struct str stated_last_word(struct str s)
{
	size_t from;

	s = str_rtrim(s);
	from = s.len;
	while (from > 0 && (char_is_word(s.p[from - 1]) || s.p[from - 1] == '~'))
		from--;
	return str_skip(s, from);
}

static bool stated_matches(struct str s, struct str pattern)
{
	struct str words = str_sub(pattern, 0, str_find_char(pattern, '#'));

	if (!str_starts_nocase(s, words))
		return false;
	s = str_skip(s, words.len);
	return words.len < pattern.len ? s.len && char_is_digit(s.p[0])
				       : s.len == 0 || !char_is_word(s.p[0]);
}

/*
 * Whether the number is the total, judged by @s, the text after "samples". It is if @s is empty, or
 * starts with punctuation or with a text of stated_after.
 */
static bool stated_ends(struct str s)
{
	if (s.len && char_is_word(s.p[0]))
		return false;
	if (s.len && strchr(",;:.)]", s.p[0]))
		return true;
	s = str_ltrim(s);
	if (s.len == 0)
		return true;
	for (size_t i = 0; i < ARRAY_LEN(stated_after); i++) {
		if (stated_matches(s, str_of(stated_after[i])))
			return true;
	}
	return s.p[0] == '(';
}

/* The name in quotes after "of event " in @s, as in "'cycles:ppp'". Empty: no such name. */
static struct str stated_event(struct str s)
{
	s = str_ltrim(s);
	if (!str_take(&s, STR("of event ")))
		return STR_NONE;
	s = str_ltrim(s);
	if (str_take(&s, STR("'")))
		return str_sub(s, 0, str_find_char(s, '\''));
	return STR_NONE;
}

/* Read "83,399 samples" at offset @at of @line. False: there is no such text at this offset. */
static bool stated_at(struct str line, size_t at, struct stated *ret)
{
	struct str s = str_skip(line, at);
	struct str word;
	struct str rest;

	if (!stated_count(&s, ret) || s.len == 0 || !char_is_blank(s.p[0]))
		return false;
	s = str_ltrim(s);
	rest = s;
	if (str_word(&rest, &word) && stated_in(stated_kinds, word))
		s = str_ltrim(rest);
	if (!str_starts_nocase(s, STR("samples")))
		return false;
	s = str_skip(s, strlen("samples"));
	if (!stated_ends(s))
		return false;
	ret->event = stated_event(s);
	return true;
}

/*
 * Read the number of samples that @line states, as in "Samples: 12K" or "we took 83,399 samples in
 * total". False: @line states no number of samples.
 */
static bool stated_line(struct str line, struct stated *ret)
{
	struct str s = str_trim(line);

	if (line.len > STATED_BYTES)
		return false;
	while (s.len && strchr("#>*- ", s.p[0]))
		s = str_skip(s, 1);
	if (str_starts_nocase(s, STR("total samples")))
		s = str_skip(s, strlen("total "));
	if (str_starts_nocase(s, STR("samples:")) || str_starts_nocase(s, STR("samples ="))) {
		s = str_ltrim(str_skip(str_ltrim(str_skip(s, strlen("samples"))), 1));
		if (!stated_count(&s, ret) || !(s.len == 0 || stated_ends(s)))
			return false;
		ret->event = stated_event(s);
		return true;
	}
	for (size_t i = 0; i < line.len; i++) {
		if (!char_is_digit(line.p[i]))
			continue;
		/*
		 * do not start at digits inside a longer number or word, and skip the estimate of
		 * an old perf record: "(~540 samples)"
		 */
		if ((i == 0 ||
		     !(char_is_word(line.p[i - 1]) || strchr("~.,-+/%", line.p[i - 1]))) &&
		    !stated_in(stated_not_before, stated_last_word(str_sub(line, 0, i))) &&
		    stated_at(line, i, ret))
			return true;
		while (i + 1 < line.len &&
		       (char_is_digit(line.p[i + 1]) ||
			(line.p[i + 1] == ',' && i + 2 < line.len && char_is_digit(line.p[i + 2]))))
			i++;
	}
	return false;
}

/* Whether @c is a profile of sampled shares whose number of samples is not printed. */
static bool stated_is_open(const struct capture *c)
{
	const struct profile *p = c->profile;

	return p && !c->threads && !p->has_n_samples && p->unit == WEIGHT_PERCENT &&
	       p->table.rows.len && p->method == PROFILE_SAMPLED && !c->is_averaged;
}

/* Whether the stated number of samples is large enough for each printed row of @p. */
static bool stated_is_possible(const struct profile *p, const struct stated *s)
{
	double n = (double)(s->n + s->err);

	VEC_FOREACH (row, &p->table.rows) {
		uint64_t weight = row->has & ROW_HAS_SELF ? row->self : row->children;
		double pct = profile_value(p, weight) + profile_half_width(p);

		if (weight && pct / 100 * n < STATED_PART)
			return false;
	}
	return true;
}

/* Index in @d of the capture to which a statement in line @line belongs; INDEX_NONE: none. */
static uint32_t stated_owner(const struct dossier *d, size_t first, uint32_t line)
{
	size_t next = first;

	while (next < d->captures.len && d->captures.data[next]->first_line <= line)
		next++;
	if (next < d->captures.len && d->captures.data[next]->first_line - line <= STATED_ABOVE)
		return (uint32_t)next;
	if (next > first && line > d->captures.data[next - 1]->last_line &&
	    line - d->captures.data[next - 1]->last_line <= STATED_BELOW)
		return (uint32_t)(next - 1);
	return INDEX_NONE;
}

static void stated_take(struct dossier *d, size_t first, const struct stated *s, uint32_t line)
{
	uint32_t owner = stated_owner(d, first, line);
	struct capture *c = owner == INDEX_NONE ? NULL : d->captures.data[owner];
	struct profile *p = c ? c->profile : NULL;

	if (p && p->is_n_samples_stated && p->n_samples != s->n) {
		/* the text states two different numbers for this profile, so use none of them */
		p->has_n_samples = false;
		return;
	}
	if (!c || !stated_is_open(c) || p->is_n_samples_stated || !stated_is_possible(p, s))
		return;
	p->n_samples = s->n;
	p->n_samples_err = s->err;
	p->n_samples_line = line;
	p->has_n_samples = true;
	p->is_n_samples_stated = true;
	if (s->event.len && !p->event.v)
		p->event = strings_add(capture_strings(c), s->event);
}

void stated_samples_read(struct dossier *d, const struct document *doc,
			 const struct detection *found, size_t first)
{
	bool is_any = false;

	for (size_t i = first; i < d->captures.len; i++)
		is_any |= stated_is_open(d->captures.data[i]);
	if (!is_any || doc->is_binary)
		return;
	VEC_FOREACH (r, &found->regions) {
		struct str text = str_sub(doc->text, r->extent.from, r->extent.to);
		struct str line;

		for (uint32_t n = r->first_line; !r->format && str_line(&text, &line); n++) {
			struct stated s = { .n = 0 };

			if (stated_line(line, &s))
				stated_take(d, first, &s, document_line(doc, n));
		}
	}
}
