/* SPDX-License-Identifier: MIT */
#include "formats/logs/log_stamp.h"

#include "base/status.h"
#include "base/str.h"
#include "core/kinds/records.h"
#include "formats/logs/log_prefix.h"

#define NS_PER_S   UINT64_C(1000000000)
#define S_PER_DAY  UINT64_C(86400)
#define YEAR_FIRST 1970u
#define YEAR_LAST  2500u
#define WORD_BYTES 64u /* maximum length of a container's name, and of a word before the time */
/* maximum number of bytes of a JSON object in which the time is searched */
#define JSON_BYTES 512u

/*
 * A pattern of the text before a message. A blank matches one or more blanks. Any other character
 * matches itself, except these:
 *
 *   %Y %y %m %d  year, its last two digits, month, day
 *   %b %a        names of month and of day
 *   %e           day, padded by a blank
 *   %T %F        time of day: with or without decimals, with decimals
 *   %s           seconds since 1970, or milliseconds
 *   %z           time zone; optional
 *   %w %n %l     word, number, letter of the level (I, W, E, F)
 *
 * After the matching text, the line must end or continue with a character of stamp_ends().
 */
struct stamp_layout {
	const char *pattern;
	bool is_syslog;
};

/* clang-format off */
static const struct stamp_layout stamp_layouts[] = {
	/* times of ISO 8601: log4j, logback, Python's logging, PostgreSQL, MySQL, Ceph */
	{ "%Y-%m-%dT%T%z", true },
	{ "%Y-%m-%d %T%z", true },
	{ "[%Y-%m-%dT%T%z]", false },
	{ "[%Y-%m-%d %T%z]", false },
	/* Go programs; the error log of nginx */
	{ "%Y/%m/%d %T%z", false },
	{ "[%Y/%m/%d %T%z]", false },
	/* NATS prints the process id before the time; source: nats-server, logger/log.go */
	{ "[%n] %Y/%m/%d %T%z", false },
	/* the file LOG of RocksDB and LevelDB */
	{ "%Y/%m/%d-%T", false },
	/* logs of Spark, and of MySQL before 5.7 */
	{ "%y/%m/%d %T", false },
	{ "%y%m%d %T", false },
	/* syslog of RFC 3164; the second layout has the priority, such as <13>, at its start */
	{ "%b %e %T", true },
	{ "<%n>%b %e %T", true },
	/* syslog of RFC 5424 */
	{ "<%n>1 %Y-%m-%dT%T%z", true },
	/* Redis prints pid and role before the time; Tomcat and BIND print only the time */
	{ "%n:%w %d %b %Y %T", false },
	{ "%d-%b-%Y %T", false },
	{ "%d %b %Y %T", false },
	/* error log of Apache; other texts with a time of ctime() */
	{ "[%a %b %e %T %Y]", false },
	{ "%a %b %e %T %Y", false },
	/* access logs of web servers: address, two names of users, and the time in brackets */
	{ "%w %w %w [%d/%b/%Y:%T %z]", false },
	{ "%w [%d/%b/%Y:%T %z]", false },
	/* access logs of nginx, if the format uses $time_iso8601 */
	{ "%w %w %w [%Y-%m-%dT%T%z]", false },
	{ "%w [%Y-%m-%dT%T%z]", false },
	/* HAProxy with option httplog or tcplog, without syslog: address and port, time */
	{ "%w [%d/%b/%Y:%F]", false },
	/* logs of the libraries klog and glog */
	{ "%l%m%d %T", false },
	{ "%l%Y%m%d %T", false },
	/* seconds since 1970 */
	{ "[%s]", false },
	{ "%s", false },
	/*
	 * A time of day without a date is accepted only in these two layouts. Rows of tables also
	 * begin with a time of day, but in other layouts.
	 */
	{ "[%T]", false },
	{ "%F", false },
	/* logfmt: pairs of key and value */
	{ "time=\"%Y-%m-%dT%T%z\"", false },
	{ "time=\"%Y-%m-%d %T\"", false },
	{ "time=%Y-%m-%dT%T%z", false },
	{ "ts=%Y-%m-%dT%T%z", false },
	{ "t=%Y-%m-%dT%T%z", false },
	{ "level=%w ts=%Y-%m-%dT%T%z", false },
};

static const char *const stamp_leads[] = { "{\"log\":\"", "[pod/%w] ", "%w | " };

/* Names of the JSON members that hold the time. MongoDB nests the member: {"t":{"$date":"…"}}. */
static const char *const stamp_json_keys[] = { "$date", "time", "ts", "timestamp", "@timestamp", "asctime" };
/* clang-format on */

struct stamp_parts {
	uint64_t clock_ns, epoch_ns, tick_ns;
	int64_t zone;
	unsigned int year, month, day;
	bool has_clock, has_epoch, has_zone, has_weekday;
	struct str word; /* the text that matched the last %w of the layout */
	char level;
};

/* Take exactly @n digits. False: not all of the next @n characters are digits. */
static bool stamp_digits(struct str *s, unsigned int n, unsigned int *ret)
{
	unsigned int v = 0;

	if (s->len < n)
		return false;
	for (unsigned int i = 0; i < n; i++) {
		if (!char_is_digit(s->p[i]))
			return false;
		v = v * 10 + (unsigned int)(s->p[i] - '0');
	}
	*s = str_skip(*s, n);
	*ret = v;
	return true;
}

/*
 * The resolution in ns of the time with the text @took: 1000000 for "05:11:34.237", which has three
 * decimals.
 */
static uint64_t stamp_tick(struct str took)
{
	uint64_t tick = NS_PER_S;
	size_t n = took.len;

	while (n && char_is_digit(took.p[n - 1]))
		n--;
	if (n == 0 || (took.p[n - 1] != '.' && took.p[n - 1] != ','))
		return NS_PER_S;
	for (; n < took.len && tick > 1; n++)
		tick /= 10;
	return tick;
}

static bool stamp_clock(struct str *s, bool is_exact, struct stamp_parts *p)
{
	struct str from = *s;

	if (!log_prefix_take_clock(s, &p->clock_ns))
		return false;
	p->has_clock = true;
	p->tick_ns = stamp_tick(str_sub(from, 0, from.len - s->len));
	return !is_exact || p->tick_ns < NS_PER_S;
}

/*
 * Take seconds since 1970, "1700000000", with or without decimals; or milliseconds,
 * "1700000000123".
 */
static bool stamp_epoch(struct str *s, struct stamp_parts *p)
{
	struct str from = *s;
	unsigned int printed;
	uint64_t v;

	if (!str_u64(s, &v))
		return false;
	if (from.len - s->len == 13) {
		p->epoch_ns = v * 1000000;
		p->tick_ns = 1000000;
	} else if (from.len - s->len == 10) {
		*s = from;
		if (!str_fixed(s, 9, &p->epoch_ns, &printed))
			return false;
		p->tick_ns = stamp_tick(str_sub(from, 0, from.len - s->len));
	} else {
		return false;
	}
	p->has_epoch = true;
	/* a number below 10^9 (a time before September 2001) is probably not a time */
	return p->epoch_ns >= UINT64_C(1000000000) * NS_PER_S;
}

/* Take a time zone: "Z", "+02:00", " +0200" or " UTC". Skip another zone name, such as CEST. */
static void stamp_zone(struct str *s, struct stamp_parts *p)
{
	struct str rest = str_ltrim(*s);
	size_t n = 0;

	if (log_prefix_take_zone(&rest, &p->zone)) {
		p->has_zone = true;
		*s = rest;
		return;
	}
	while (n < rest.len && rest.p[n] >= 'A' && rest.p[n] <= 'Z')
		n++;
	if (str_eq(str_sub(rest, 0, n), STR("UTC")) || str_eq(str_sub(rest, 0, n), STR("GMT")))
		p->has_zone = true;
	else if (n < 3 || n > 5 || n == rest.len || rest.p[n] != ' ' || rest.p[n - 1] != 'T')
		return;
	*s = str_skip(rest, n);
}

static bool stamp_word(struct str *s, char end, struct stamp_parts *p)
{
	size_t n = 0;

	while (n < s->len && n <= WORD_BYTES && !char_is_space(s->p[n]) &&
	       (end == ' ' || s->p[n] != end))
		n++;
	if (n == 0 || n > WORD_BYTES)
		return false;
	p->word = str_sub(*s, 0, n);
	*s = str_skip(*s, n);
	return true;
}

static bool stamp_month(struct str *s, struct stamp_parts *p)
{
	p->month = log_prefix_month(*s);
	*s = str_skip(*s, 3);
	return p->month != 0;
}

static bool stamp_weekday(struct str *s)
{
	static const char days[] = "MonTueWedThuFriSatSun";
	bool is_day = false;

	for (unsigned int d = 0; s->len > 3 && d < 7; d++)
		is_day |= memcmp(s->p, days + (size_t)d * 3, 3) == 0;
	*s = str_skip(*s, 3);
	return is_day;
}

static bool stamp_part(char what, char next, struct str *s, struct stamp_parts *p)
{
	uint64_t v;
	bool ok = true;

	switch (what) {
	case 'Y':
		return stamp_digits(s, 4, &p->year) && p->year >= YEAR_FIRST &&
		       p->year <= YEAR_LAST;
	case 'y':
		ok = stamp_digits(s, 2, &p->year);
		p->year += 2000;
		return ok;
	case 'm':
		return stamp_digits(s, 2, &p->month) && p->month >= 1 && p->month <= 12;
	case 'd':
		return stamp_digits(s, 2, &p->day) && p->day >= 1 && p->day <= 31;
	case 'e':
		return (stamp_digits(s, 2, &p->day) || stamp_digits(s, 1, &p->day)) &&
		       p->day >= 1 && p->day <= 31;
	case 'b':
		return stamp_month(s, p);
	case 'a':
		p->has_weekday = true;
		return stamp_weekday(s);
	case 'T':
	case 'F':
		return stamp_clock(s, what == 'F', p);
	case 's':
		return stamp_epoch(s, p);
	case 'z':
		stamp_zone(s, p);
		return true;
	case 'w':
		return stamp_word(s, next, p);
	case 'n':
		return str_u64(s, &v);
	case 'l':
		ok = s->len && memchr("IWEF", s->p[0], 4) != NULL;
		p->level = ok ? s->p[0] : 0;
		*s = str_skip(*s, 1);
		return ok;
	default:
		return false;
	}
}

static bool stamp_match(const char *pattern, struct str *line, struct stamp_parts *p)
{
	struct str s = *line;

	for (; *pattern; pattern++) {
		if (*pattern == '%') {
			pattern++;
			if (!stamp_part(*pattern, pattern[1], &s, p))
				return false;
		} else if (s.len == 0 || s.p[0] != *pattern) {
			return false;
		} else if (*pattern == ' ') {
			s = str_ltrim(s);
		} else {
			s = str_skip(s, 1);
		}
	}
	*line = s;
	return true;
}

/* Set time, clock and resolution of @ret from @p, the parts of the printed time. */
static void stamp_moment(const struct stamp_parts *p, struct log_stamp *ret)
{
	uint64_t ns = p->clock_ns;

	ret->tick_ns = p->tick_ns;
	ret->has_zone = p->has_zone || p->has_epoch;
	ret->has_weekday = p->has_weekday;
	ret->level = p->level;
	if (p->has_epoch) {
		ret->clock = CLOCK_REALTIME;
		ns = p->epoch_ns;
	} else if (p->year) {
		ret->clock = CLOCK_REALTIME;
		ns += log_prefix_days(p->year, p->month, p->day) * S_PER_DAY * NS_PER_S;
		ns = p->zone < 0 && ns < (uint64_t)-p->zone ? 0 : ns + (uint64_t)p->zone;
	} else if (p->month) {
		ret->clock = CLOCK_YEAR;
		ns += (log_prefix_days(1971, p->month, p->day) - 365) * S_PER_DAY * NS_PER_S;
	} else {
		ret->clock = CLOCK_DAY;
	}
	ret->time_ns = ns;
}

/* Whether a time may end before @rest. False: the time is part of a longer word. */
static bool stamp_ends(struct str rest)
{
	return rest.len == 0 || memchr(" \t|]:;[", rest.p[0], 7) != NULL;
}

static bool stamp_at(struct str *s, struct log_stamp *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(stamp_layouts); i++) {
		struct stamp_parts p = { .tick_ns = NS_PER_S };
		struct str rest = *s;

		if (!stamp_match(stamp_layouts[i].pattern, &rest, &p) || !stamp_ends(rest))
			continue;
		stamp_moment(&p, ret);
		ret->layout = (uint8_t)i;
		ret->is_syslog = stamp_layouts[i].is_syslog;
		while (rest.len && memchr(" \t|:;", rest.p[0], 5))
			rest = str_skip(rest, 1);
		*s = rest;
		return true;
	}
	return false;
}

struct str log_stamp_json(struct str line, const char *key)
{
	struct str name = str_of(key);
	size_t end = 0;

	for (size_t at = 0; at + name.len + 3 < line.len; at++) {
		struct str s;

		at += str_find_char(str_skip(line, at), '"');
		s = str_skip(line, at + 1);
		if (!str_take(&s, name) || !str_take(&s, STR("\"")))
			continue;
		s = str_ltrim(s);
		if (!str_take(&s, STR(":")))
			continue;
		s = str_ltrim(s);
		if (!str_take(&s, STR("\""))) {
			while (end < s.len && (char_is_digit(s.p[end]) || s.p[end] == '.'))
				end++;
			return str_sub(s, 0, end);
		}
		while (end < s.len && s.p[end] != '"')
			end += s.p[end] == '\\' ? 2 : 1;
		return str_sub(s, 0, end);
	}
	return STR("");
}

bool log_stamp_is_json_key(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(stamp_json_keys); i++) {
		if (str_eq(name, str_of(stamp_json_keys[i])))
			return true;
	}
	return false;
}

static bool stamp_of_json(struct str line, struct log_stamp *ret)
{
	if (!str_starts(line, STR("{\"")))
		return false;
	line = str_sub(line, 0, JSON_BYTES);
	for (size_t i = 0; i < ARRAY_LEN(stamp_json_keys); i++) {
		struct str value = log_stamp_json(line, stamp_json_keys[i]);

		if (value.len == 0 || !stamp_at(&value, ret) || value.len)
			continue;
		ret->is_json = true;
		ret->is_syslog = false;
		return true;
	}
	return false;
}

/*
 * Take the text that a container tool prints before the time: "web_1  | ", "[pod/web-0/nginx] " or
 * {"log":". @ret: the name of the container, if the text has one.
 */
static bool stamp_lead(struct str *s, struct str *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(stamp_leads); i++) {
		struct stamp_parts p = { .tick_ns = 0 };

		if (s->len && (stamp_leads[i][0] == '%' || stamp_leads[i][0] == s->p[0]) &&
		    stamp_match(stamp_leads[i], s, &p)) {
			*ret = p.word;
			return true;
		}
	}
	return false;
}

bool log_stamp_take(struct str *line, struct log_stamp *ret)
{
	struct log_stamp inner;
	struct str s = *line;

	memset(ret, 0, sizeof(*ret));
	if (stamp_of_json(s, ret))
		return true;
	if (!stamp_at(&s, ret) && (!stamp_lead(&s, &ret->lead) || !stamp_at(&s, ret)))
		return false;
	/*
	 * CRI (containers) prints a time and "stdout F " before the program's line. The program's
	 * line may have its own time
	 */
	if (str_take(&s, STR("stdout F ")) || str_take(&s, STR("stderr F ")) ||
	    str_take(&s, STR("stdout P ")) || str_take(&s, STR("stderr P ")))
		ret->is_syslog = false;
	inner = *ret;
	if (stamp_at(&s, &inner)) {
		ret->level = inner.level;
		ret->is_syslog = inner.is_syslog;
	}
	*line = s;
	return true;
}
