/* SPDX-License-Identifier: MIT */
/*
 * docker_memory.c - memory of a container, as the API of Docker prints it (GET
 * /containers/ID/stats)
 *
 *     "memory_stats": {
 *         "usage": 822935552,
 *         "stats": { "cache": 477356032, "rss": 345579520 },
 *
 * The object may be a part of a longer text, on many lines or on one, and its end may be missing.
 * All its numbers become counters, including those of nested objects. The names in "stats" are
 * those of memory.stat of the control group, of version 1 (cache, rss) or 2 (file, anon).
 *
 * Source: moby/moby, api/types/container/stats.go, MemoryStats.
 */
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "formats/counters/counter_label.h"
#include "formats/counters/counter_number.h"
#include "formats/format.h"

DECLARE_FORMAT(docker_memory);

#define MEMORY_BYTES   16384u /* maximum length of the JSON object, in bytes */
#define MEMORY_NUMBERS 2u     /* minimum number of numbers in the JSON object */
#define MEMORY_SCORE   97u
#define MEMORY_NAME    64u
#define MEMORY_TITLE   STR("\"memory_stats\"")
#define MEMORY_TOOL    STR("docker memory_stats")

static const struct diag_kind docker_memory_past = { "docker-memory-past-limit", DIAG_DATALOSS,
						     "counters past the limit" };

struct docker_memory_number {
	struct str name;
	struct counter_number value;
	size_t at; /* offset of the name in the text */
};

/* The text of the JSON object, and the current position of the parser in it. */
struct docker_memory {
	struct str text;
	/* offsets: the current position, and the end of the text after at most MEMORY_BYTES */
	size_t at, end;
	unsigned int depth;
};

/* Skip blanks and line ends. */
static void docker_memory_blanks(struct docker_memory *m)
{
	while (m->at < m->end && (char_is_blank(m->text.p[m->at]) || m->text.p[m->at] == '\n' ||
				  m->text.p[m->at] == '\r'))
		m->at++;
}

/* Find the next object at or after offset @from. *@ret_from: offset of its name. */
static bool docker_memory_open(struct str text, size_t from, struct docker_memory *ret,
			       size_t *ret_from)
{
	for (;;) {
		*ret_from = from + str_find(str_skip(text, from), MEMORY_TITLE);
		if (*ret_from >= text.len)
			return false;
		from = *ret_from + MEMORY_TITLE.len;
		*ret = (struct docker_memory){ .text = text, .at = from, .end = text.len };
		if (ret->end - from > MEMORY_BYTES)
			ret->end = from + MEMORY_BYTES;
		docker_memory_blanks(ret);
		if (ret->at >= ret->end || text.p[ret->at++] != ':')
			continue;
		docker_memory_blanks(ret);
		if (ret->at >= ret->end || text.p[ret->at++] != '{')
			continue;
		ret->depth = 1;
		return true;
	}
}

/* Take the next name with a number. False: the object has ended. */
static bool docker_memory_next(struct docker_memory *m, struct docker_memory_number *ret)
{
	while (m->at < m->end && m->depth) {
		char c = m->text.p[m->at++];
		struct str rest;
		size_t len;

		m->depth += c == '{';
		m->depth -= c == '}';
		if (c != '"')
			continue;
		ret->at = m->at;
		rest = str_sub(m->text, m->at, m->end);
		len = str_find_char(rest, '"');
		if (len >= rest.len)
			return false;
		ret->name = str_sub(rest, 0, len);
		m->at += len + 1;
		docker_memory_blanks(m);
		if (m->at >= m->end || m->text.p[m->at] != ':')
			continue;
		m->at++;
		docker_memory_blanks(m);
		rest = str_sub(m->text, m->at, m->end);
		/* the comma after a number is not part of the number: "usage":12,"limit":7 */
		rest = str_sub(rest, 0, str_find_char(rest, ','));
		len = rest.len;
		if (!rest.len || !char_is_digit(rest.p[0]) || !counter_number(&rest, &ret->value))
			continue;
		m->at += len - rest.len;
		if (ret->name.len && ret->name.len <= MEMORY_NAME)
			return true;
	}
	return false;
}

/* The end of the line that contains offset @at, including its '\n'. */
static size_t docker_memory_line_end(struct str text, size_t at)
{
	size_t end = at + str_find_char(str_skip(text, at), '\n');

	return end < text.len ? end + 1 : text.len;
}

static bool docker_memory_find(struct str text, size_t from, struct extent *ret)
{
	struct docker_memory m;
	size_t at;

	while (docker_memory_open(text, from, &m, &at)) {
		struct docker_memory_number number;
		size_t before = str_rfind_char(str_sub(text, from, at), '\n');
		size_t last = 0;
		unsigned int n = 0;

		while (docker_memory_next(&m, &number)) {
			n++;
			last = m.at;
		}
		if (n < MEMORY_NUMBERS) {
			from = at + 1;
			continue;
		}
		*ret = (struct extent){
			.from = before < at - from ? from + before + 1 : from,
			.to = docker_memory_line_end(text, m.depth ? last : m.at - 1),
			.score = MEMORY_SCORE,
		};
		return true;
	}
	return false;
}

static unsigned int docker_memory_probe(struct str head)
{
	struct extent e;

	return docker_memory_find(head, 0, &e) ? 85 : 0;
}

static int docker_memory_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct docker_memory m;
	size_t from = 0, at, counted = 0;
	uint32_t line = 0; /* number of '\n' in the text before offset `counted` */
	bool is_any = false;

	while (docker_memory_open(in->text, from, &m, &at)) {
		struct docker_memory_number number;
		struct capture *c = NULL;

		from = m.at;
		while (docker_memory_next(&m, &number)) {
			struct strings *strings;

			for (; counted < number.at; counted++)
				line += in->text.p[counted] == '\n';
			if (!c)
				c = format_add_capture(&format_docker_memory, in, d);
			strings = capture_strings(c);
			if (counters_add(
				    capture_counters(c), strings,
				    (struct counter){ .name = strings_add(strings, number.name),
						      .value = number.value.value,
						      .decimals = number.value.decimals,
						      .spread = -1,
						      .running = -1,
						      .line = region_line(in, line) }) < 0)
				diag_count(&c->diag, &docker_memory_past, c->first_line);
		}
		if (!c)
			continue;
		c->counters->n_intervals = 1;
		c->counters->tool = strings_add(capture_strings(c), MEMORY_TOOL);
		c->counters->label = strings_add(capture_strings(c), counter_label(in));
		is_any = true;
	}
	return is_any ? OK : fail(err, ERR_FORMAT, "no number");
}

const struct format format_docker_memory = {
	.name = "docker-memory",
	.title = "memory of a container",
	.summary = "memory of a container, from the API of Docker",
	.kinds = KIND_COUNTERS,
	.probe = docker_memory_probe,
	.find = docker_memory_find,
	.read = docker_memory_read,
};
