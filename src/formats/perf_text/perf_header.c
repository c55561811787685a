/* SPDX-License-Identifier: MIT */
#include "formats/perf_text/perf_header.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/profile.h"
#include "core/strings.h"

/*
 * The text that follows @key in @line, without leading blanks; STR_NONE: @line does not contain
 * @key.
 */
static struct str header_after(struct str line, struct str key)
{
	size_t at = str_find(line, key);

	return at < line.len ? str_ltrim(str_skip(line, at + key.len)) : STR_NONE;
}

bool perf_header_is_top(struct str line)
{
	line = str_ltrim(line);
	return str_starts(line, STR("PerfTop: ")) ||
	       (str_starts(line, STR("Samples: ")) && str_contains(line, STR(" lost")));
}

/*
 * Read a count that may be rounded: "73K" is 73000 ± 500, "1.2M" is 1200000 ± 50000, "67" is exact.
 * @ret_err: the possible error, such as 500.
 */
static bool header_count(struct str *s, uint64_t *ret, uint64_t *ret_err)
{
	static const struct {
		char letter;
		uint64_t factor;
	} suffixes[] = { { 'K', 1000 }, { 'k', 1000 }, { 'M', 1000000 }, { 'G', 1000000000 } };
	unsigned int printed = 0;
	uint64_t v;
	uint64_t unit = 1000;

	if (!str_fixed(s, 3, &v, &printed))
		return false;
	for (size_t i = 0; s->len && i < ARRAY_LEN(suffixes); i++) {
		if (s->p[0] != suffixes[i].letter)
			continue;
		if (__builtin_mul_overflow(v, suffixes[i].factor, &v))
			return false;
		unit *= suffixes[i].factor;
		*s = str_skip(*s, 1);
		break;
	}
	for (unsigned int i = 0; i < printed && i < 3; i++)
		unit /= 10;
	*ret = v / 1000;
	*ret_err = unit > 1000 ? unit / 2000 : 0;
	return true;
}

static void header_event(struct capture *c, struct str s)
{
	s = str_trim(s);
	if (s.len && s.p[0] == '\'') {
		s = str_skip(s, 1);
		s = str_sub(s, 0, str_find_char(s, '\''));
	} else {
		size_t n = 0;

		while (n < s.len && !char_is_space(s.p[n]) && s.p[n] != ',' && s.p[n] != ']')
			n++;
		s = str_sub(s, 0, n);
	}
	s = str_trim(s);
	if (s.len)
		capture_profile(c)->event = strings_add(capture_strings(c), s);
}

static void header_lost(struct capture *c, struct str s)
{
	struct profile *p = capture_profile(c);
	uint64_t lost;
	uint64_t total;

	if (!str_u64(&s, &lost))
		return;
	/* "lost: 3/17": 3 since the last refresh, 17 in total */
	if (str_take(&s, STR("/")) && str_u64(&s, &total))
		lost = total;
	p->lost = lost;
	p->has_lost = true;
}

/*
 * Read a banner line into the profile of @c: "Samples: 170K of event 'cycles', 4000 Hz, Event count
 * (approx.): 61 lost: 0/0 drop: 0/0". @number: number of the line.
 */
static void header_samples(struct capture *c, struct str s, uint32_t number)
{
	struct profile *p = capture_profile(c);
	struct str rest = header_after(s, STR("Samples: "));
	struct str event;

	if (rest.len == 0)
		rest = header_after(s, STR("Events: "));
	if (header_count(&rest, &p->n_samples, &p->n_samples_err)) {
		p->has_n_samples = true;
		p->n_samples_line = number;
	}
	event = header_after(rest, STR("of event"));
	if (event.len && event.p[0] == 's' && !str_starts(event, STR("'")))
		/* the header of several events: "of events 'a, b'" */
		event = str_ltrim(str_skip(event, 1));
	if (event.len)
		header_event(c, event);
	else if (str_starts(str_ltrim(s), STR("Events: ")))
		header_event(c, str_starts(str_ltrim(rest), STR("of event")) ? STR("") : rest);
}

static void header_event_count(struct capture *c, struct str s)
{
	struct profile *p = capture_profile(c);
	struct str rest = header_after(s, STR("Event count (approx.):"));

	if (rest.len == 0 && str_starts(s, STR("Event count: ")))
		rest = header_after(s, STR("Event count: "));
	if (rest.len && str_u64(&rest, &p->event_count))
		p->has_event_count = true;
}

/*
 * Read a banner line of perf top: "PerfTop: 85864 irqs/sec kernel:89.6%  exact: 0.0% lost: 0/0
 * drop: 0/0 [4000Hz cycles], (all)". It becomes a note, and gives the name of the event.
 */
static void header_perf_top(struct capture *c, struct str s, uint32_t number)
{
	struct str event = header_after(s, STR("["));
	struct str word;

	capture_note(c, STR("perf top"), str_trim(header_after(s, STR("PerfTop:"))), number);
	if (event.len == 0)
		return;
	event = str_sub(event, 0, str_find_char(event, ']'));
	while (str_word(&event, &word)) {
		if (!char_is_digit(word.p[0]))
			header_event(c, word);
	}
}

/*
 * Add a note for a header line such as "os release : 6.1" or "cmdline : /usr/bin/perf record -g".
 */
static void header_note(struct capture *c, struct str s, uint32_t number)
{
	size_t colon = str_find(s, STR(" : "));
	struct str key;
	struct str value;

	if (colon >= s.len)
		colon = str_find(s, STR(": "));
	if (colon >= s.len || colon == 0 || colon > 40)
		return;
	key = str_trim(str_sub(s, 0, colon));
	value = str_trim(str_skip(s, colon + 2));
	value = value.len && value.p[0] == ':' ? str_trim(str_skip(value, 1)) : value;
	if (value.len == 0 || key.p[0] == '(' || str_starts(key, STR("To display")))
		return;
	if (str_eq(key, STR("cmdline")))
		c->command = strings_add(capture_strings(c), value);
	else
		capture_note(c, key, value, number);
}

void perf_header_read(struct capture *c, struct str line, uint32_t number)
{
	bool is_comment;
	struct str s = str_trim(line);

	is_comment = s.len && s.p[0] == '#';
	if (is_comment)
		s = str_ltrim(str_skip(s, 1));
	if (str_starts(s, STR("Samples: ")) || str_starts(s, STR("Events: ")))
		header_samples(c, s, number);
	/* printed by simpleperf: "Event: cpu-cycles (type 0)" */
	else if (str_starts(s, STR("Event: ")))
		header_event(c, header_after(s, STR("Event: ")));
	else if (str_starts(s, STR("PerfTop: ")))
		header_perf_top(c, s, number);
	else if (str_starts(s, STR("Total Lost Samples:")))
		header_lost(c, header_after(s, STR("Samples:")));
	else if (is_comment && !str_starts(s, STR("Event count")))
		header_note(c, s, number);
	header_event_count(c, s);
	if (str_contains(s, STR(" lost:")))
		header_lost(c, header_after(s, STR(" lost:")));
	/* the note of a line "PerfTop: " already has this text */
	if (str_contains(s, STR(" drop:")) && !str_starts(s, STR("PerfTop: ")))
		capture_note(c, STR("drop"), str_sub(header_after(s, STR(" drop:")), 0, 32),
			     number);
}

bool perf_header_goes_on(struct str line, struct str next)
{
	static const struct str starts[] = {
		STR("lost:"),     STR("drop:"),         STR("Event count (approx"),
		STR("(approx.)"), STR("count (approx"), STR("'"),
		STR("of event"),  STR("[4000Hz"),       STR("[1000Hz"),
		STR("exact:"),
	};
	struct str tail = str_rtrim(line);

	next = str_ltrim(next);
	if (next.len == 0)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(starts); i++) {
		if (str_starts(next, starts[i]))
			return true;
	}
	/* the mailer may have wrapped the line between a word such as "lost:" and its number */
	return char_is_digit(next.p[0]) &&
	       (str_ends(tail, STR("lost:")) || str_ends(tail, STR("drop:")) ||
		str_ends(tail, STR("(approx.):")) || str_ends(tail, STR("exact:")) ||
		str_ends(tail, STR("Samples:")));
}
