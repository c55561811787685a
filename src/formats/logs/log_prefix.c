/* SPDX-License-Identifier: MIT */
#include "formats/logs/log_prefix.h"

#include "core/kinds/records.h"

#define NS_PER_S   UINT64_C(1000000000)
#define S_PER_DAY  UINT64_C(86400)
#define YEAR_FIRST 1970u
/* last year that is accepted: 64-bit times in ns since 1970 end in 2554 */
#define YEAR_LAST 2500u

uint64_t log_prefix_days(unsigned int year, unsigned int month, unsigned int day)
{
	unsigned int y = month > 2 ? year : year - 1;
	/*
	 * count months from March, which is month 0, so that a leap day is the last day of a year
	 */
	unsigned int m = month > 2 ? month - 3 : month + 9;

	/* 719468 is the number of days from 0000-03-01 to 1970-01-01 */
	return (uint64_t)365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468;
}

/* Parse the @n digits at @p. False: not all are digits. */
static bool log_digits(const char *p, unsigned int n, unsigned int *ret)
{
	unsigned int v = 0;

	for (unsigned int i = 0; i < n; i++) {
		if (!char_is_digit(p[i]))
			return false;
		v = v * 10 + (unsigned int)(p[i] - '0');
	}
	*ret = v;
	return true;
}

static bool log_date(const char *p, struct log_day *cache, uint64_t *ret_ns)
{
	unsigned int year;
	unsigned int month;
	unsigned int day;

	if (p[4] == '-' && memcmp(p, cache->text, sizeof(cache->text)) == 0) {
		*ret_ns = cache->ns;
		return true;
	}
	if (p[4] != '-' || p[7] != '-' || !log_digits(p, 4, &year) ||
	    !log_digits(p + 5, 2, &month) || !log_digits(p + 8, 2, &day))
		return false;
	if (year < YEAR_FIRST || year > YEAR_LAST || month < 1 || month > 12 || day < 1 || day > 31)
		return false;
	memcpy(cache->text, p, sizeof(cache->text));
	cache->ns = log_prefix_days(year, month, day) * S_PER_DAY * NS_PER_S;
	*ret_ns = cache->ns;
	return true;
}

bool log_prefix_take_clock(struct str *s, uint64_t *ret_ns)
{
	unsigned int hour;
	unsigned int minute;
	unsigned int second;
	uint64_t unit = NS_PER_S;
	uint64_t fraction = 0;
	size_t n = 8;

	if (s->len < n || s->p[2] != ':' || s->p[5] != ':' || !log_digits(s->p, 2, &hour) ||
	    !log_digits(s->p + 3, 2, &minute) || !log_digits(s->p + 6, 2, &second) || hour > 23 ||
	    minute > 59 || second > 60)
		return false;
	if (n + 1 < s->len && (s->p[n] == '.' || s->p[n] == ',') && char_is_digit(s->p[n + 1])) {
		for (n++; n < s->len && char_is_digit(s->p[n]); n++) {
			unit /= 10;
			fraction += unit * (uint64_t)(s->p[n] - '0');
		}
	}
	*ret_ns = ((uint64_t)hour * 3600 + (uint64_t)minute * 60 + second) * NS_PER_S + fraction;
	*s = str_skip(*s, n);
	return true;
}

bool log_prefix_take_zone(struct str *s, int64_t *ret_ns)
{
	unsigned int hour;
	unsigned int minute;
	size_t colon;

	*ret_ns = 0;
	if (str_take(s, STR("Z")))
		return true;
	if (s->len < 5 || (s->p[0] != '+' && s->p[0] != '-'))
		return false;
	colon = s->p[3] == ':';
	if (s->len < 5 + colon || !log_digits(s->p + 1, 2, &hour) ||
	    !log_digits(s->p + 3 + colon, 2, &minute) || hour > 14 || minute > 59)
		return false;
	*ret_ns = (int64_t)((hour * 60 + minute) * 60 * NS_PER_S) * (s->p[0] == '+' ? -1 : 1);
	*s = str_skip(*s, 5 + colon);
	return true;
}

bool log_prefix_take_iso_time(struct str *s, struct log_day *day, uint64_t *ret_ns,
			      bool *ret_has_zone)
{
	struct str rest = str_skip(*s, 11);
	int64_t zone;
	uint64_t date;
	uint64_t clock;
	bool has_zone;

	if (s->len < 19 || (s->p[10] != 'T' && s->p[10] != ' ') || !log_date(s->p, day, &date) ||
	    !log_prefix_take_clock(&rest, &clock))
		return false;
	has_zone = log_prefix_take_zone(&rest, &zone);
	if (ret_has_zone)
		*ret_has_zone = has_zone;
	clock += date;
	*ret_ns = zone < 0 && clock < (uint64_t)-zone ? 0 : clock + (uint64_t)zone;
	*s = rest;
	return true;
}

unsigned int log_prefix_month(struct str s)
{
	static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

	for (unsigned int m = 0; s.len >= 3 && m < 12; m++) {
		if (memcmp(s.p, names + (size_t)m * 3, 3) == 0)
			return m + 1;
	}
	return 0;
}

/* Take "Apr  5 06:29:32". Returns month, day, and ns since midnight. */
static bool log_take_month_day_clock(struct str *s, unsigned int *ret_month, unsigned int *ret_day,
				     uint64_t *ret_clock)
{
	struct str rest = str_skip(*s, 3);
	unsigned int month = log_prefix_month(*s);
	uint64_t day;

	if (!month || !rest.len || rest.p[0] != ' ')
		return false;
	rest = str_skip(rest, rest.len > 1 && rest.p[1] == ' ' ? 2 : 1);
	if (!str_u64(&rest, &day) || day < 1 || day > 31 || !str_take(&rest, STR(" ")) ||
	    !log_prefix_take_clock(&rest, ret_clock))
		return false;
	*ret_month = month;
	*ret_day = (unsigned int)day;
	*s = rest;
	return true;
}

/*
 * Take "Apr  5 06:29:32", with or without decimals. Returns ns since the start of the year, which
 * is assumed to have 365 days.
 */
static bool log_take_syslog_time(struct str *s, uint64_t *ret_ns)
{
	unsigned int month;
	unsigned int day;
	uint64_t clock;

	if (!log_take_month_day_clock(s, &month, &day, &clock))
		return false;
	*ret_ns = (log_prefix_days(1971, month, day) - 365) * S_PER_DAY * NS_PER_S + clock;
	return true;
}

bool log_prefix_take_ctime(struct str *s, uint64_t *ret_ns)
{
	static const char days[] = "MonTueWedThuFriSatSun";
	struct str rest = str_skip(*s, 4);
	unsigned int year;
	unsigned int month;
	unsigned int day;
	uint64_t clock;
	bool is_day = false;

	for (unsigned int d = 0; s->len > 4 && d < 7; d++)
		is_day |= memcmp(s->p, days + (size_t)d * 3, 3) == 0;
	if (!is_day || s->p[3] != ' ' || !log_take_month_day_clock(&rest, &month, &day, &clock))
		return false;
	if (rest.len < 5 || rest.p[0] != ' ' || !log_digits(rest.p + 1, 4, &year) ||
	    year < YEAR_FIRST || year > YEAR_LAST)
		return false;
	*ret_ns = log_prefix_days(year, month, day) * S_PER_DAY * NS_PER_S + clock;
	*s = str_skip(rest, 5);
	return true;
}

/*
 * The program that @word names, if @word is a tag of syslog: "ovs-vswitchd[1234]:" or
 * "ovs-vswitchd:". Empty: @word is not a tag.
 */
static struct str log_tag(struct str word)
{
	size_t open;

	if (word.len < 2 || word.p[word.len - 1] != ':')
		return STR("");
	word.len--;
	open = str_find_char(word, '[');
	return str_sub(word, 0, open);
}

/*
 * Set process and node of @ret to the names in @s, the text between a time and its record. Names
 * that @s does not contain stay empty.
 */
static void log_prefix_names(struct str s, struct log_prefix *ret)
{
	struct str first;
	struct str second;
	size_t close;

	s = str_trim(s);
	if (str_take(&s, STR("["))) {
		close = str_find_char(s, ']');
		s = str_sub(s, 0, close);
		/* use the name of the container as the process: "[pod/ovn-central-0/ovn-northd]" */
		ret->process = str_skip(
			s, str_rfind_char(s, '/') < s.len ? str_rfind_char(s, '/') + 1 : 0);
		return;
	}
	if (!str_word(&s, &first))
		return;
	if (str_starts(first, STR("stdout")) || str_starts(first, STR("stderr")))
		/* CRI (containers) prints no names here, but a stream and a flag: "stderr F" */
		return;
	if (!str_word(&s, &second)) {
		ret->process = log_tag(first);
		return;
	}
	if (str_eq(second, STR("|"))) {
		ret->process = first;
		return;
	}
	ret->process = log_tag(second);
	if (ret->process.len)
		ret->node = first;
}

void log_prefix_read(struct str prefix, struct log_day *day, struct log_prefix *ret)
{
	struct str s = str_ltrim(prefix);

	*ret = (struct log_prefix){ .clock = CLOCK_NONE };
	if (log_prefix_take_iso_time(&s, day, &ret->time_ns, NULL))
		ret->clock = CLOCK_REALTIME;
	else if (log_take_syslog_time(&s, &ret->time_ns))
		ret->clock = CLOCK_YEAR;
	log_prefix_names(s, ret);
}

bool log_prefix_is_in(struct str line)
{
	struct log_day day = { "", 0 };
	struct log_prefix p;
	struct str s = line;
	uint64_t ns;

	if (log_prefix_take_iso_time(&s, &day, &ns, NULL)) {
		s = str_ltrim(s);
		if (str_starts(s, STR("[")) || str_starts(s, STR("stderr ")) ||
		    str_starts(s, STR("stdout ")))
			return true;
	} else if (!log_take_syslog_time(&s, &ns)) {
		return false;
	}
	p = (struct log_prefix){ .clock = CLOCK_NONE };
	log_prefix_names(str_sub(s, 0, 256), &p);
	return p.process.len > 0;
}
