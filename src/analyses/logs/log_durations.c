/* SPDX-License-Identifier: MIT */
#include "analyses/logs/log_durations.h"

#include "analyses/log_durations_names.h"
#include "base/idmap.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/records.h"

/* in ns: a record may be written up to this long after the end of the work that it measures */
#define DURATIONS_SLACK_NS UINT64_C(5000000)
/*
 * parts of a duration are searched only if the duration is at least this multiple of the resolution
 * of printed times
 */
#define DURATIONS_TICKS 10u
/* maximum number of earlier durations that are examined as parts of a duration */
#define DURATIONS_BACK    512u
#define DURATIONS_MOST_NS UINT64_C(1000000000000000)

struct durations_unit {
	const char *unit;
	uint64_t ns;
};

static const struct durations_unit durations_units[] = { DURATION_UNITS };
static const struct durations_unit durations_name_units[] = { DURATION_NAME_UNITS };

static bool durations_unit(struct str s, uint64_t *ret_ns)
{
	s = str_ltrim(s);
	for (size_t i = 0; i < ARRAY_LEN(durations_units); i++) {
		struct str rest = s;

		if (str_take(&rest, str_of(durations_units[i].unit)) &&
		    (rest.len == 0 || !(char_is_letter(rest.p[0]) || char_is_digit(rest.p[0])))) {
			*ret_ns = durations_units[i].ns;
			return true;
		}
	}
	return false;
}

/*
 * Parse the hours and minutes of a duration that Go printed: "13m15.342s", "1h0m2s". Returns their
 * sum in ns; 0: none. @s is moved to the seconds. Source: time/time.go, Duration.String().
 */
static uint64_t durations_minutes(struct str *s)
{
	uint64_t sum = 0;
	uint64_t n;

	for (struct str rest = *s; str_u64(&rest, &n) && n < 100000 && rest.len > 1;) {
		if ((rest.p[0] != 'h' && rest.p[0] != 'm') || !char_is_digit(rest.p[1]))
			break;
		sum += n * (rest.p[0] == 'h' ? UINT64_C(3600000000000) : UINT64_C(60000000000));
		rest = str_skip(rest, 1);
		*s = rest;
	}
	return sum;
}

/*
 * Parse a duration such as "2493ms", "1.25 s" or "2m12.9s" at the start of @s. @unit: unit, in ns,
 * of a number without a printed unit; 0: unknown.
 */
static bool durations_number(struct str s, uint64_t unit, struct log_duration *ret)
{
	uint64_t whole = 0;
	uint64_t part = 0;
	uint64_t scale = 1;
	uint64_t minutes = durations_minutes(&s);

	if (!str_u64(&s, &whole) || whole > UINT64_C(1000000000))
		return false;
	if (s.len > 1 && s.p[0] == '.' && char_is_digit(s.p[1])) {
		s = str_skip(s, 1);
		while (s.len && char_is_digit(s.p[0]) && scale < 1000000000) {
			part = part * 10 + (uint64_t)(s.p[0] - '0');
			scale *= 10;
			s = str_skip(s, 1);
		}
	}
	if ((!durations_unit(s, &unit) && unit == 0) || whole > DURATIONS_MOST_NS / unit)
		return false;
	ret->ns = minutes + whole * unit + part * unit / scale;
	ret->half_ns = unit / scale / 2;
	return true;
}

static bool durations_is_name(char c)
{
	return char_is_word(c) || c == '.' || c == '-';
}

/*
 * Parse the duration of a request in the log of a Kubernetes server: "GET /api/v1/pods?limit=5:
 * (42.8s) 200 [...]". ret->what is the request without parameters ("GET /api/v1/pods"), so that
 * requests with different parameters are of one kind.
 * Source: kubernetes, staging/src/k8s.io/apiserver/pkg/server/httplog/httplog.go, Log().
 */
static bool durations_request(struct str text, struct log_duration *ret)
{
	size_t at = str_find(text, STR(": ("));
	struct str request = str_sub(text, 0, at);
	struct str number = str_skip(text, at + 3);
	struct str status = str_skip(number, str_find_char(number, ')'));
	uint64_t code;

	if (at >= text.len ||
	    !str_glob(STR("GET /*|POST /*|PUT /*|PATCH /*|DELETE /*|HEAD /*"), request) ||
	    !str_take(&status, STR(") ")) || !str_u64(&status, &code) || code < 100 || code > 599)
		return false;
	/* a watch or follow request lasts until the client ends it: ignore it */
	if (str_glob(STR("*/watch/*|*watch=true*|*watch=1*|*follow=true*"), request) ||
	    !durations_number(number, 0, ret))
		return false;
	request = str_sub(request, 0, str_find_char(request, '?'));
	ret->what = str_sub(request, 0, LOG_DURATION_TEXT);
	ret->is_request = true;
	return true;
}

bool log_duration_of(struct str text, struct log_duration *ret)
{
	bool was_word = false;

	if (durations_request(text, ret))
		return true;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.p[i];

		if (char_is_digit(c) && !was_word && durations_number(str_skip(text, i), 0, ret)) {
			ret->what = str_rtrim(
				str_sub(text, 0, i < LOG_DURATION_TEXT ? i : LOG_DURATION_TEXT));
			return str_glob(STR(DURATION_WORDS), text) &&
			       !str_glob(STR(DURATION_LIMITS), text);
		}
		was_word = durations_is_name(c);
	}
	return false;
}

/* Whether @s contains one of @words, which are separated by '|'. Case is ignored. */
static bool durations_has_part(struct str s, struct str words)
{
	while (words.len) {
		struct str word = str_sub(words, 0, str_find_char(words, '|'));

		if (str_contains_nocase(s, word))
			return true;
		words = str_skip(words, word.len + 1);
	}
	return false;
}

/*
 * Whether @s contains one of @words, which are separated by '|', and the next character after the
 * word is no letter, digit, '.' or '-'. Case is ignored.
 */
static bool durations_has_word(struct str s, struct str words)
{
	while (words.len) {
		struct str word = str_sub(words, 0, str_find_char(words, '|'));

		for (size_t i = 0; i + word.len < s.len; i++) {
			/* words are in lower case; this first test rules out most positions */
			if ((s.p[i] | 32) == word.p[0] && !durations_is_name(s.p[i + word.len]) &&
			    str_starts_nocase(str_skip(s, i), word))
				return true;
		}
		words = str_skip(words, word.len + 1);
	}
	return false;
}

/* The last word of @s, without quotes: the name of a field, or a word of a sentence. */
static struct str durations_last_word(struct str s)
{
	size_t at;

	while (s.len && !durations_is_name(s.p[s.len - 1]))
		s.len--;
	at = s.len;
	while (at && durations_is_name(s.p[at - 1]))
		at--;
	return str_skip(s, at);
}

/*
 * Whether the number after the text @before is the duration of a step. *@ret_unit: the unit, in ns,
 * that a field's name shows ("took_ms"); 0: none.
 */
static bool durations_is_step(struct str before, uint64_t *ret_unit)
{
	struct str name = durations_last_word(before);
	struct str gap = str_skip(before, (size_t)(name.p + name.len - before.p));
	bool is_field = str_find_char(gap, '=') < gap.len || str_find_char(gap, ':') < gap.len;
	bool has_letter = false;

	*ret_unit = 0;
	for (size_t i = 0; i < name.len; i++)
		has_letter |= char_is_letter(name.p[i]);
	if (!has_letter || gap.len > 4)
		return false;
	if (!is_field)
		return str_eq(str_trim(gap), STR_NONE) && str_glob(STR(DURATION_BEFORE), name) &&
		       !durations_has_word(before, STR(DURATION_FUTURE));
	for (size_t i = 0; i < ARRAY_LEN(durations_name_units) && *ret_unit == 0; i++) {
		if (str_ends(name, str_of(durations_name_units[i].unit)))
			*ret_unit = durations_name_units[i].ns;
	}
	return !durations_has_part(name, STR(DURATION_SETTINGS)) &&
	       !str_glob(STR(DURATION_SUMS),
			 str_sub(before, 0, (size_t)(name.p + name.len - before.p)));
}

bool log_duration_is_background(struct str text)
{
	return str_glob(STR(DURATION_BACKGROUND), str_sub(text, 0, LOG_DURATION_TEXT));
}

bool log_duration_next(struct str text, size_t *at, struct log_duration *ret)
{
	bool was_word = *at > 0;

	for (size_t i = *at; i < text.len; i++) {
		char c = text.p[i];
		bool is_digit = char_is_digit(c);
		uint64_t unit = 0;

		if (is_digit && !was_word && durations_is_step(str_sub(text, 0, i), &unit) &&
		    durations_number(str_skip(text, i), unit, ret)) {
			ret->what = str_sub(text, *at, i);
			while (i < text.len && durations_is_name(text.p[i]))
				i++;
			*at = i;
			return true;
		}
		was_word = durations_is_name(c);
	}
	*at = text.len;
	return false;
}

/*
 * Time at which the work of @row began: the time of its record minus the duration, but not below 0.
 */
static uint64_t durations_from(const struct capture *c, const struct log_duration *row)
{
	uint64_t at = c->records->rows.data[row->record].time_ns;

	return at > row->ns ? at - row->ns : 0;
}

/*
 * Hash of a message without its digits and the values of "key=value". Messages with the same hash
 * are of one kind, such as "job=112 took" and "job=113 took". Durations of one kind are not parts
 * of each other. Messages of different kinds share a hash with a probability of 2^-64.
 */
static uint64_t durations_kind(struct str what)
{
	uint64_t h = 0;

	for (size_t i = 0; i < what.len; i++) {
		if (char_is_digit(what.p[i]))
			continue;
		h = hash_u64((unsigned char)what.p[i], h);
		if (what.p[i] != '=')
			continue;
		while (i + 1 < what.len && !char_is_blank(what.p[i + 1]) && what.p[i + 1] != ',')
			i++;
	}
	return h;
}

/*
 * Collect the parts of row @w, from the latest to the earliest: durations that lie within its time,
 * but not within another part.
 */
static void durations_parts(struct log_durations *d, const struct capture *c, uint32_t w)
{
	const struct log_record *records = c->records->rows.data;
	const struct log_duration *whole = &d->rows.data[w];
	uint64_t begin = durations_from(c, whole);
	uint64_t tick = c->records->streams.data[records[whole->record].stream].tick_ns;
	uint64_t slack = DURATIONS_SLACK_NS + whole->half_ns + tick;
	/* start of the last collected part: the parts that follow in the loop are earlier */
	uint64_t next = UINT64_MAX;

	d->parts.len = 0;
	d->sum_ns = 0;
	d->half_ns = whole->half_ns;
	/* printed times are too coarse to show which durations lie in this one */
	if (tick > whole->ns / DURATIONS_TICKS)
		return;
	for (uint32_t i = w; i-- > 0 && w - i <= DURATIONS_BACK;) {
		const struct log_duration *row = &d->rows.data[i];
		const struct log_record *rec = &records[row->record];

		/*
		 * a request is no part of another duration: the requests of several clients overlap
		 */
		if (rec->stream != records[whole->record].stream || row->ns >= whole->ns ||
		    row->kind == whole->kind || row->is_request)
			continue;
		if (rec->time_ns + slack < begin)
			break;
		if (durations_from(c, row) + slack < begin || row->ns == 0)
			continue;
		/* the duration lies within the last collected part, or overlaps with it */
		if (next != UINT64_MAX && rec->time_ns > next + slack)
			continue;
		*VEC_PUSH(&d->parts) = i;
		d->sum_ns += row->ns;
		d->half_ns += row->half_ns;
		next = durations_from(c, row);
	}
}

void log_durations_init(struct log_durations *d, const struct capture *c)
{
	uint64_t longest = 0;

	memset(d, 0, sizeof(*d));
	d->whole = INDEX_NONE;
	if (!c->records)
		return;
	for (uint32_t i = 0; i < c->records->rows.len; i++) {
		struct log_duration row = { .record = i };

		if (c->records->rows.data[i].has_time &&
		    log_duration_of(c->records->rows.data[i].text, &row)) {
			row.kind = durations_kind(row.what);
			*VEC_PUSH(&d->rows) = row;
		}
	}
	for (uint32_t i = 0; i < d->rows.len; i++) {
		if (d->rows.data[i].ns <= longest || d->rows.data[i].is_request)
			continue;
		durations_parts(d, c, i);
		if (d->parts.len == 0 || d->sum_ns > d->rows.data[i].ns + d->half_ns)
			continue;
		longest = d->rows.data[i].ns;
		d->whole = i;
	}
	if (d->whole != INDEX_NONE)
		durations_parts(d, c, d->whole);
}

void log_durations_fini(struct log_durations *d)
{
	VEC_FREE(&d->rows);
	VEC_FREE(&d->parts);
}
