/* SPDX-License-Identifier: MIT */
/*
 * perf_script_find.c - find `perf script` text in a document
 *
 * A sample begins with a header line: comm, thread, time, event. A header line must have a thread,
 * and a time or an event. A frame must be on the same line or on one of the next two lines. Samples
 * of tracepoints may have no frame; then their header line must have thread, time and event. A text
 * that has only one or two samples, and no frame, gets a low score.
 */
#include "formats/perf_script/perf_script.h"

#include "base/str.h"
#include "formats/format.h"

/* maximum number of consecutive unknown lines between samples */
#define FIND_JUNK_LINES 2u
#define FIND_LINE_BYTES 4096u /* maximum number of bytes of a line that are read */

struct script_seen {
	size_t n_stacks; /* number of header lines with a frame, on the same line or below it */
	size_t n_bare;   /* number of header lines without a frame */
	size_t n_frames;
	size_t n_junk;
};

static struct str find_line(struct str text, size_t at, size_t *ret_next)
{
	struct str rest = str_skip(text, at);
	struct str line = STR_NONE;

	(void)str_line(&rest, &line);
	*ret_next = (size_t)(rest.p - text.p);
	return str_sub(line, 0, FIND_LINE_BYTES);
}

/*
 * Whether @h is certainly the header line of a sample, even if no frame follows. True if it has a
 * thread, a time, and an event or PERF_RECORD_….
 */
static bool find_is_full(const struct script_header *h)
{
	return h->has_tid && h->has_time && (h->event.len || h->is_record);
}

/*
 * Whether the line at offset @at is the header line of a sample. @ret_stack: whether a frame is on
 * this line or one of the next two lines.
 */
static bool find_header(struct str text, size_t at, struct script_header *h, bool *ret_stack)
{
	struct script_frame f;
	size_t next;
	struct str line = find_line(text, at, &next);

	*ret_stack = false;
	if (!script_header(line, h))
		return false;
	if (h->is_record)
		return find_is_full(h);
	if (script_rest_frame(h->rest, &f)) {
		*ret_stack = f.module.p != NULL && (h->has_time || h->has_period);
		return *ret_stack || find_is_full(h);
	}
	for (unsigned int i = 0; i < 2 && next < text.len; i++) {
		line = find_line(text, next, &next);
		if (script_frame(line, &f)) {
			/*
			 * a short number may be a count: `sort | uniq -c` prints "12 name: WORD"
			 * and "3 name (word)". It is an address only if other fields of a sample
			 * are present
			 */
			*ret_stack = f.address.len >= 6 ||
				     (f.module.p != NULL &&
				      (f.address.len >= 3 || (h->has_tid && h->comm.len) ||
				       h->has_time));
			break;
		}
		if (str_trim(line).len)
			break;
	}
	return *ret_stack || find_is_full(h);
}

static unsigned int find_score(const struct script_seen *s)
{
	size_t n = s->n_stacks * 4 + s->n_bare;
	unsigned int score;

	if (s->n_stacks >= 2)
		score = 97;
	else if (s->n_stacks == 1)
		score = s->n_frames >= 2 ? 93 : 85;
	else
		score = s->n_bare >= 3 ? 90 : s->n_bare == 2 ? 80 : 60;
	return s->n_junk > n ? score / 2 : score;
}

/*
 * Scan samples from the header line at offset @from on, up to about @most bytes, and count them in
 * @seen. Returns the end offset of the last line that belongs to a sample.
 */
static size_t find_extent(struct str text, size_t from, size_t most, struct script_seen *seen)
{
	size_t good = from;
	size_t at = from;
	size_t junk = 0;
	bool is_open = false;

	while (at < text.len && at - from < most) {
		struct script_header h;
		struct script_frame f;
		size_t next;
		struct str line = find_line(text, at, &next);
		bool has_stack;

		if (str_trim(line).len == 0) {
			at = next;
			continue;
		}
		if (is_open && script_frame(line, &f)) {
			seen->n_frames++;
			good = next;
			junk = 0;
		} else if (find_header(text, at, &h, &has_stack)) {
			seen->n_stacks += has_stack;
			seen->n_bare += !has_stack;
			is_open = true;
			good = next;
			junk = 0;
		} else if (script_is_trace_error(line) ||
			   (is_open && (script_is_source_line(line) || line.p[0] == '\t'))) {
			good = next;
		} else if (str_starts(line, STR("# perf ")) || str_starts(line, STR("# ./perf "))) {
			break;
		} else if (line.p[0] != '#' && !str_eq(str_trim(line), STR("--"))) {
			/*
			 * the samples end here: too many unknown lines, or a shell prompt with
			 * another perf command
			 */
			if (++junk > FIND_JUNK_LINES || str_contains(line, STR(" perf ")) ||
			    str_contains(line, STR("/perf ")))
				break;
			seen->n_junk++;
		}
		at = next;
	}
	return good;
}

/* Offset of the first of the '#' lines that directly precede offset @at; @at: there are none. */
static size_t find_comments(struct str text, size_t from, size_t at)
{
	while (at > from) {
		size_t nl = str_rfind_char(str_sub(text, from, at - 1), '\n');
		size_t start = nl == at - 1 - from ? from : from + nl + 1;

		if (text.p[start] != '#')
			break;
		at = start;
	}
	return at;
}

bool script_find(struct str text, size_t from, struct extent *ret)
{
	size_t next;

	for (size_t at = from; at < text.len; at = next) {
		struct script_seen seen = { 0 };
		struct script_header h;
		bool has_stack;
		struct str line = find_line(text, at, &next);
		size_t to;

		if (line.len < 8 || str_find_char(line, ':') == line.len)
			continue;
		if (!find_header(text, at, &h, &has_stack))
			continue;
		to = find_extent(text, at, SIZE_MAX, &seen);
		*ret = (struct extent){ .from = find_comments(text, from, at),
					.to = to,
					.score = find_score(&seen) };
		return true;
	}
	return false;
}

unsigned int script_probe(struct str head)
{
	struct script_seen seen = { 0 };
	struct script_header h;
	bool has_stack;
	size_t at = 0;
	size_t next;
	size_t before = 0;

	(void)str_take(&head, STR("\xef\xbb\xbf"));
	for (; at < head.len; at = next) {
		struct str line = str_trim(find_line(head, at, &next));

		if (line.len == 0 || line.p[0] == '#' || script_is_trace_error(line))
			continue;
		if (find_header(head, at, &h, &has_stack))
			break;
		before++;
		if (before > FIND_JUNK_LINES)
			return 0;
	}
	if (at >= head.len)
		return 0;
	(void)find_extent(head, at, 32768, &seen);
	return find_score(&seen);
}
