/* SPDX-License-Identifier: MIT */
#include "formats/logs/loose_messages.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/records.h"
#include "formats/format.h"
#include "formats/logs/log_stamp.h"
#include "formats/logs/service_line.h"

DECLARE_FORMAT(service_log);

#define LOOSE_LINES 2000u /* maximum number of lines that are searched in a region */
#define LOOSE_BYTES 1024u /* maximum number of bytes that are searched in a line */
/* maximum number of words (times, level, tags) that are removed before a message */
#define LOOSE_HEADS 6u
/* maximum length of a word that is removed before a message, in bytes */
#define LOOSE_HEAD 64u

/* A line that may be from a log. loose_take_head() removes the words before its message. */
struct loose_line {
	struct str rest; /* text after the removed words */
	enum log_level level;
	/* a removed word (a time, a tag or a level) shows that the line is from a log */
	bool is_log;
};

/*
 * Whether @word looks like a time or date: "01:26:37.213", "2024-02-22T10:00:00Z",
 * "10/Feb/2024:10:00:00".
 */
static bool loose_is_time(struct str word)
{
	return word.len >= 5 && char_is_digit(word.p[0]) && char_is_digit(word.p[1]) &&
	       (str_find_char(word, ':') < word.len || str_find_char(word, '-') == 4 ||
		str_find_char(word, '/') < word.len);
}

/*
 * Remove from the start of @l one word that may precede a message: "[276.581s]", "[warning]", a
 * time, a level, or a program's name with a colon. False: the first word is none of these.
 */
static bool loose_take_head(struct loose_line *l)
{
	struct str rest = l->rest;
	size_t close = str_find_char(str_sub(rest, 0, LOOSE_HEAD), ']');
	enum log_level level;
	struct str word, bare;
	bool is_bracketed;

	if (!rest.len)
		return false;
	is_bracketed = rest.p[0] == '[' && close < LOOSE_HEAD && close < rest.len;
	if (is_bracketed) {
		word = str_sub(rest, 0, close + 1);
		rest = str_skip(rest, close + 1);
	} else if (rest.p[0] == '[' || !str_word(&rest, &word)) {
		return false;
	}
	level = service_line_level(word, &bare);
	if (!is_bracketed && !loose_is_time(word) && level == LEVEL_NONE &&
	    word.p[word.len - 1] != ':')
		return false;
	l->level = level != LEVEL_NONE ? level : l->level;
	/*
	 * "note:" does not show that the line is from a log, because a sentence may begin with it,
	 * too
	 */
	l->is_log |= is_bracketed || loose_is_time(word) || level >= LEVEL_WARN;
	l->rest = str_ltrim(rest);
	return true;
}

/*
 * Whether @line is a log line with a known message. A sentence that quotes a known message is no
 * log line.
 */
static bool loose_parse(struct str line, loose_is_message *is_message, enum log_level *ret_level)
{
	struct loose_line l = { .rest = line, .level = LEVEL_NONE };
	bool is_known = is_message(line, /* is_log= */ false);

	/*
	 * do not stop at the first word that shows a log line, because the level may follow this
	 * word
	 */
	for (unsigned int n = 0; n < LOOSE_HEADS && loose_take_head(&l); n++)
		is_known = is_known || is_message(l.rest, l.is_log);
	*ret_level = l.level;
	if (is_known || l.is_log ||
	    !str_contains(str_sub(l.rest, 0, LOOSE_HEAD), STR(" warning: ")))
		return is_known;
	/* the name of a JVM precedes its level: "OpenJDK 64-Bit Server VM warning: text" */
	*ret_level = LEVEL_WARN;
	return is_message(l.rest, /* is_log= */ true);
}

/*
 * Index in r->streams of the stream for lines whose time has the clock of @stamp. The stream is
 * made on first use. @stamp: time of a line; NULL: the line has no time.
 */
static uint32_t loose_stream(struct records *r, const struct log_stamp *stamp)
{
	uint8_t clock = stamp ? stamp->clock : CLOCK_NONE;
	uint32_t i = 0;

	while (i < r->streams.len && r->streams.data[i].clock != clock)
		i++;
	if (i == r->streams.len)
		*VEC_PUSH(&r->streams) = (struct log_stream){
			.clock = clock,
			.tick_ns = stamp ? stamp->tick_ns : 0,
			.is_local = stamp && clock == CLOCK_REALTIME && !stamp->has_zone,
		};
	return i;
}

size_t loose_messages_read(const struct region *in, struct dossier *d, loose_is_message *is_message)
{
	struct str text = in->text;
	struct capture *c = NULL;
	struct records *r = NULL;
	struct str line;

	for (uint32_t n = 0; n < LOOSE_LINES && str_line(&text, &line); n++) {
		struct service_line l;
		enum log_level level;
		bool has_time;

		line = str_trim(str_sub(line, 0, LIMIT_LINE_BYTES));
		if (!line.len || !loose_parse(str_sub(line, 0, LOOSE_BYTES), is_message, &level))
			continue;
		has_time = service_line_read(line, &l) && !l.stamp.is_json;
		if (!c) {
			c = format_add_capture(&format_service_log, in, d);
			c->first_line = region_line(in, n);
			r = capture_records(c);
		}
		*VEC_PUSH(&r->rows) = (struct log_record){
			.time_ns = has_time ? l.stamp.time_ns : 0,
			.text = arena_str(&r->arena, has_time ? l.text : line),
			.stream = loose_stream(r, has_time ? &l.stamp : NULL),
			.line = region_line(in, n),
			.last_line = region_line(in, n),
			.level = (uint8_t)(has_time && l.level > level ? l.level : level),
			.has_time = has_time,
		};
		c->last_line = region_line(in, n);
	}
	return r ? r->rows.len : 0;
}
