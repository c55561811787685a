/* SPDX-License-Identifier: MIT */
#include "formats/logs/service_line.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "core/kinds/records.h"
#include "formats/logs/log_stamp.h"

#define THREAD_BYTES 120u /* maximum length of the name of a thread before the time */
/* the level is searched in at most this many words at the start of a message */
#define LEVEL_WORDS 5u
/* a message "has words" if at least this many of its words have three letters or more */
#define WORDS_LEAST 2u
/* maximum number of bytes of a message in which words are counted */
#define WORDS_BYTES 400u
#define NAME_BYTES  64u /* maximum length of the name of a host or program, in bytes */

/* Names of levels. The frequent names come first, because the list is searched in order. */
static const struct {
	struct str word;
	enum log_level level;
} service_levels[] = {
	{ { "info", 4 }, LEVEL_INFO },
	{ { "information", 11 }, LEVEL_INFO },
	{ { "log", 3 }, LEVEL_INFO },    /* PostgreSQL: "LOG:" */
	{ { "system", 6 }, LEVEL_INFO }, /* MySQL 8: "[System]" */
	{ { "debug", 5 }, LEVEL_DEBUG },
	{ { "dbg", 3 }, LEVEL_DEBUG },
	{ { "trace", 5 }, LEVEL_DEBUG },
	{ { "fine", 4 }, LEVEL_DEBUG },
	{ { "verbose", 7 }, LEVEL_DEBUG },
	{ { "notice", 6 }, LEVEL_NOTICE },
	{ { "note", 4 }, LEVEL_NOTICE },
	{ { "warn", 4 }, LEVEL_WARN },
	{ { "warning", 7 }, LEVEL_WARN },
	{ { "error", 5 }, LEVEL_ERROR },
	{ { "err", 3 }, LEVEL_ERROR },
	{ { "severe", 6 }, LEVEL_ERROR },
	{ { "fatal", 5 }, LEVEL_CRITICAL },
	{ { "critical", 8 }, LEVEL_CRITICAL },
	{ { "crit", 4 }, LEVEL_CRITICAL },
	{ { "alert", 5 }, LEVEL_CRITICAL },
	{ { "panic", 5 }, LEVEL_CRITICAL },
	{ { "emerg", 5 }, LEVEL_EMERGENCY },
	{ { "emergency", 9 }, LEVEL_EMERGENCY },
	/* names of three letters, as NATS and Serilog print them */
	{ { "inf", 3 }, LEVEL_INFO },
	{ { "trc", 3 }, LEVEL_DEBUG },
	{ { "wrn", 3 }, LEVEL_WARN },
	{ { "ftl", 3 }, LEVEL_CRITICAL },
	/* names of one letter, as klog and MongoDB print them */
	{ { "i", 1 }, LEVEL_INFO },
	{ { "d", 1 }, LEVEL_DEBUG },
	{ { "w", 1 }, LEVEL_WARN },
	{ { "e", 1 }, LEVEL_ERROR },
	{ { "f", 1 }, LEVEL_CRITICAL },
};

static enum log_level service_level(struct str word)
{
	for (size_t i = 0; i < ARRAY_LEN(service_levels); i++) {
		if (str_eq_nocase(service_levels[i].word, word))
			return service_levels[i].level;
	}
	return LEVEL_NONE;
}

static bool service_is_upper(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] < 'A' || s.p[i] > 'Z')
			return false;
	}
	return s.len > 1;
}

enum log_level service_line_level(struct str word, struct str *ret_bare)
{
	struct str bare = word;
	bool is_marked = str_take(&bare, STR("level=")) || str_take(&bare, STR("lvl=")) ||
			 str_take(&bare, STR("[")) || str_take(&bare, STR("<")) ||
			 str_take(&bare, STR("("));
	size_t glued = str_find(bare, STR("]["));

	/* "[WARNING][52]": Calico prints no blank between the level and the process id */
	if (is_marked && glued < bare.len)
		bare = str_sub(bare, 0, glued);
	while (bare.len && memchr("]>):,|", bare.p[bare.len - 1], 6)) {
		bare.len--;
		is_marked = true;
	}
	*ret_bare = bare;
	return bare.len > 1 && (is_marked || service_is_upper(bare)) ? service_level(bare)
								     : LEVEL_NONE;
}

static void service_take_level(struct service_line *l)
{
	struct str rest = l->text;
	struct str word;

	for (unsigned int i = 0; i < LEVEL_WORDS && str_word(&rest, &word); i++) {
		struct str bare;
		enum log_level level = service_line_level(word, &bare);

		if (level == LEVEL_NONE)
			continue;
		l->level = (uint8_t)level;
		l->level_text = bare;
		if (i == 0)
			l->text = str_ltrim(rest);
		return;
	}
}

static bool service_is_name(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = (char)(s.p[i] | 32);

		if (!(c >= 'a' && c <= 'z') && !char_is_digit(s.p[i]) &&
		    !memchr("-._/:", s.p[i], 5))
			return false;
	}
	return s.len > 0 && s.len <= NAME_BYTES;
}

/* Split a tag of syslog, "sshd[812]:" or "kernel:", into name and pid. */
static bool service_tag(struct str word, struct str *ret_name, uint64_t *ret_pid)
{
	size_t open = str_find_char(word, '[');
	struct str pid = str_skip(word, open + 1);

	*ret_pid = 0;
	if (word.len < 2 || word.p[word.len - 1] != ':')
		return false;
	*ret_name = str_sub(word, 0, open < word.len ? open : word.len - 1);
	if (open < word.len && (!str_u64(&pid, ret_pid) || !str_eq(pid, STR("]:"))))
		return false;
	return service_is_name(*ret_name);
}

/* Take host and tag, "box7 sshd[812]: ", from the start of l->text, the text after the time. */
static void service_take_syslog(struct service_line *l)
{
	struct str rest = l->text;
	struct str host;
	struct str word;
	struct str name;
	uint64_t pid;

	if (!str_word(&rest, &host) || !service_is_name(host) || host.p[host.len - 1] == ':' ||
	    service_is_upper(host) || !str_word(&rest, &word) || !service_tag(word, &name, &pid))
		return;
	/*
	 * after an ISO time, "word word:" may be the start of a message, so accept only a tag with
	 * a pid
	 */
	if (l->stamp.clock == CLOCK_REALTIME && !pid)
		return;
	l->node = host;
	l->process = name;
	l->thread = (uint32_t)pid;
	l->text = str_ltrim(rest);
}

/*
 * Parse the text after the time of a klog line: "   12345 file.go:123] text". The whole line is
 * "I1122 10:00:00.123456   12345 file.go:123] text".
 */
static void service_take_klog(struct service_line *l)
{
	struct str rest = str_ltrim(l->text);
	struct str place;
	uint64_t thread;

	l->level_text = (struct str){ &l->stamp.level, 1 };
	l->level = (uint8_t)service_level(l->level_text);
	l->level_text = STR("");
	if (!str_u64(&rest, &thread) || !str_word(&rest, &place) || !str_ends(place, STR("]")))
		return;
	l->thread = (uint32_t)thread;
	l->text = str_ltrim(rest);
}

/* JSON members are printed in this many groups: texts, then numbers, then texts with digits */
#define SERVICE_PLACES 3

/* Names of the JSON members that hold the level, and names of those that hold the message. */
static const char *const service_level_keys[] = { "level", "severity", "s", "lvl", "levelname" };
static const char *const service_text_keys[] = { "msg", "message", "log" };

static void service_take_json(struct str line, struct service_line *l)
{
	struct str text = STR("");

	for (size_t i = 0; i < ARRAY_LEN(service_level_keys) && l->level == LEVEL_NONE; i++) {
		l->level_text = log_stamp_json(line, service_level_keys[i]);
		l->level = (uint8_t)service_level(l->level_text);
	}
	if (l->level == LEVEL_NONE)
		l->level_text = STR("");
	for (size_t i = 0; i < ARRAY_LEN(service_text_keys) && text.len == 0; i++)
		text = log_stamp_json(line, service_text_keys[i]);
	if (text.len == 0) {
		l->text = line;
		return;
	}
	l->text = text;
	l->object = line;
	l->more = str_skip(line, (size_t)(text.p + text.len - line.p));
	while (l->more.len && memchr("\", ", l->more.p[0], 3))
		l->more = str_skip(l->more, 1);
	if (str_eq(str_trim(l->more), STR("}")))
		l->more = STR("");
}

/*
 * Take the level and the thread, if they precede the time: "INFO  [main] 2019-06-17 ...". Source:
 * patterns of logback that begin with %-5level [%thread], such as Cassandra's logback.xml.
 */
static struct str service_take_head(struct str *line)
{
	struct str rest = *line;
	struct str word;
	struct str bare;

	if (line->len == 0 || !(char_is_upper(line->p[0]) || line->p[0] == '[') ||
	    !str_word(&rest, &word) || service_line_level(word, &bare) == LEVEL_NONE)
		return STR_NONE;
	rest = str_ltrim(rest);
	if (str_take(&rest, STR("["))) {
		size_t end = str_find_char(str_sub(rest, 0, THREAD_BYTES), ']');

		if (end >= rest.len || end == THREAD_BYTES)
			return STR_NONE;
		rest = str_ltrim(str_skip(rest, end + 1));
	}
	*line = rest;
	return bare;
}

bool service_line_read(struct str line, struct service_line *ret)
{
	struct str rest = line;
	struct str level;

	memset(ret, 0, sizeof(*ret));
	if (!log_stamp_take(&rest, &ret->stamp)) {
		level = service_take_head(&rest);
		if (!level.len || !log_stamp_take(&rest, &ret->stamp) || ret->stamp.is_json)
			return false;
		ret->text = str_rtrim(rest);
		ret->level_text = level;
		ret->level = (uint8_t)service_level(level);
		return true;
	}
	ret->text = str_rtrim(rest);
	ret->process = ret->stamp.lead;
	if (ret->stamp.is_json) {
		service_take_json(str_rtrim(rest), ret);
		return true;
	}
	if (ret->stamp.is_syslog)
		service_take_syslog(ret);
	if (ret->stamp.level)
		service_take_klog(ret);
	else
		service_take_level(ret);
	return true;
}

struct service_member {
	struct str name, value;
	bool is_string;
};

/*
 * Take the next member of the JSON object @s. False: there is no further member, or the value of
 * the next member is nested.
 */
static bool service_take_member(struct str *s, struct service_member *ret)
{
	struct str rest = str_ltrim(*s);
	size_t end = 0;

	if (!str_take(&rest, STR("\"")))
		return false;
	ret->name = str_sub(rest, 0, str_find_char(rest, '"'));
	rest = str_ltrim(str_skip(rest, ret->name.len + 1));
	if (!str_take(&rest, STR(":")))
		return false;
	rest = str_ltrim(rest);
	ret->is_string = str_take(&rest, STR("\""));
	if (!ret->is_string && (str_starts(rest, STR("{")) || str_starts(rest, STR("["))))
		return false;
	while (end < rest.len &&
	       (ret->is_string ? rest.p[end] != '"' : !memchr(",} \t", rest.p[end], 4)))
		end += ret->is_string && rest.p[end] == '\\' ? 2 : 1;
	ret->value = str_sub(rest, 0, end);
	rest = str_ltrim(str_skip(rest, ret->value.len + ret->is_string));
	(void)str_take(&rest, STR(","));
	*s = rest;
	return true;
}

static bool service_is_one_of(struct str name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (str_eq(name, str_of(names[i])))
			return true;
	}
	return false;
}

/*
 * Group in which the JSON member @m is printed, from 0 to SERVICE_PLACES - 1; the groups are
 * printed in this order. Negative: @m is not printed, because it is the message, the time or the
 * level.
 */
static int service_member_place(const struct service_line *l, const struct service_member *m)
{
	if (m->value.p == l->text.p || log_stamp_is_json_key(m->name) ||
	    service_is_one_of(m->name, service_level_keys, ARRAY_LEN(service_level_keys)))
		return -1;
	if (!m->is_string)
		return 1;
	for (size_t i = 0; i < m->value.len; i++) {
		if (char_is_digit(m->value.p[i]))
			return 2;
	}
	return 0;
}

void service_line_text(const struct service_line *l, struct out *ret)
{
	struct str members = l->object;
	struct service_member m;

	out_str(ret, l->text);
	(void)str_take(&members, STR("{"));
	for (struct str rest = members; rest.len && !str_starts(rest, STR("}"));) {
		if (service_take_member(&rest, &m))
			continue;
		if (l->more.len) {
			out_char(ret, ' ');
			out_str(ret, l->more);
		}
		return;
	}
	for (int place = 0; place < SERVICE_PLACES; place++) {
		struct str rest = members;

		while (service_take_member(&rest, &m)) {
			if (service_member_place(l, &m) != place)
				continue;
			out_char(ret, ' ');
			out_str(ret, m.name);
			out_char(ret, '=');
			out_str(ret, m.value);
		}
	}
}

bool service_line_has_words(const struct service_line *l)
{
	struct str s = str_sub(l->text, 0, WORDS_BYTES);
	unsigned int words = 0;
	unsigned int letters = 0;

	for (size_t i = 0; i <= s.len; i++) {
		char c = (char)(i < s.len ? s.p[i] | 32 : ' ');

		if (c >= 'a' && c <= 'z') {
			letters++;
			continue;
		}
		words += letters >= 3;
		letters = 0;
	}
	return words >= WORDS_LEAST;
}

bool service_line_is_tail(struct str line)
{
	return line.len &&
	       (char_is_blank(line.p[0]) || str_starts(line, STR("Caused by:")) ||
		str_starts(line, STR("Traceback (")) || str_starts(line, STR("goroutine ")));
}
