/* SPDX-License-Identifier: MIT */
#include "analyses/logs/log_facts.h"

#include "analyses/logs/log_summary.h"
#include "base/idmap.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/records.h"
#include "core/strings.h"

static bool log_match_number(struct str *s, bool is_hex, struct log_match *m)
{
	uint64_t v;

	if (m->n_numbers == ARRAY_LEN(m->n) || !(is_hex ? str_hex64(s, &v) : str_u64(s, &v)))
		return false;
	m->n[m->n_numbers++] = v;
	return true;
}

static bool log_match_word(struct str *s, char end, struct log_match *m)
{
	size_t n = end ? str_find_char(*s, end) : s->len;

	if (m->n_words == ARRAY_LEN(m->s) || (end && n == s->len))
		return false;
	m->s[m->n_words++] = str_sub(*s, 0, n);
	*s = str_skip(*s, n);
	return true;
}

bool log_match(struct str text, const char *pattern, struct log_match *ret)
{
	struct log_match m = { .n_numbers = 0 };

	for (; *pattern; pattern++) {
		bool ok;

		if (*pattern == '%' && pattern[1]) {
			pattern++;
			ok = *pattern == 's'   ? log_match_word(&text, pattern[1], &m)
			     : *pattern == '%' ? str_take(&text, STR("%"))
					       : log_match_number(&text, *pattern == 'x', &m);
		} else if (*pattern == ' ') {
			ok = text.len && char_is_space(text.p[0]);
			text = str_ltrim(text);
		} else {
			ok = text.len && text.p[0] == *pattern;
			text = str_skip(text, 1);
		}
		if (!ok)
			return false;
	}
	m.rest = text;
	*ret = m;
	return true;
}

bool log_match_in(struct str text, const char *pattern, struct log_match *ret)
{
	/*
	 * this takes linear time, because at most positions a pattern is compared only up to its
	 * first %s
	 */
	for (size_t at = 0; at < text.len; at++) {
		at += str_find_char(str_skip(text, at), pattern[0]);
		if (at < text.len && log_match(str_skip(text, at), pattern, ret))
			return true;
	}
	return false;
}

/* Apply log_match() at each word of @text, until the pattern matches. @pattern begins with %s. */
static bool log_match_at_word(struct str text, const char *pattern, struct log_match *ret)
{
	for (size_t at = 0; at < text.len; at++) {
		if ((at == 0 || char_is_blank(text.p[at - 1])) &&
		    log_match(str_skip(text, at), pattern, ret))
			return true;
	}
	return false;
}

/* Match one of the patterns of log_match_any(): @pattern, without '|'. */
static bool log_match_one(struct str text, struct str pattern, bool is_start, struct log_match *ret)
{
	char one[LOG_PATTERN_BYTES + 1];
	bool is_end = str_ends(pattern, STR("$"));

	is_start |= str_take(&pattern, STR("^"));
	pattern.len -= is_end;
	if (pattern.len >= sizeof(one))
		return false;
	memcpy(one, pattern.p, pattern.len);
	one[pattern.len] = '\0';
	return (is_start                             ? log_match(text, one, ret)
		: str_starts(str_of(one), STR("%s")) ? log_match_at_word(text, one, ret)
						     : log_match_in(text, one, ret)) &&
	       (!is_end || str_trim(ret->rest).len == 0);
}

bool log_match_any(struct str text, const char *patterns, bool is_start, struct log_match *ret)
{
	struct str rest = str_of(patterns);

	while (rest.len) {
		struct str one = str_sub(rest, 0, str_find_char(rest, '|'));

		if (log_match_one(text, one, is_start, ret))
			return true;
		rest = str_skip(rest, one.len + 1);
	}
	return false;
}

/*
 * Take a number such as "560.1" from the start of @s; *@ret is in tenths: 5601. False: no number.
 */
static bool log_facts_tenths(struct str *s, uint64_t *ret)
{
	uint64_t whole;

	if (!str_u64(s, &whole) || whole > UINT64_MAX / 10 - 1)
		return false;
	*ret = whole * 10;
	if (s->len > 1 && s->p[0] == '.' && char_is_digit(s->p[1])) {
		*ret += (uint64_t)(s->p[1] - '0');
		*s = str_skip(*s, 2);
		while (s->len && char_is_digit(s->p[0]))
			*s = str_skip(*s, 1);
	}
	return true;
}

static void log_facts_dropped(struct log_summary *s, struct str text, uint32_t i)
{
	struct log_match m;
	uint64_t active;

	if (!log_match(text,
		       "Dropped %u log messages in last %u seconds (most recently, %u seconds ago)",
		       &m))
		return;
	active = m.n[1] > m.n[2] ? m.n[1] - m.n[2] : 1;
	*VEC_PUSH(&s->dropped) = (struct log_dropped){ .dropped = m.n[0],
						       .seconds = m.n[1],
						       .recent_seconds = m.n[2],
						       .active_seconds = active,
						       .record = i };
}

/* number of records before the record of a blocked interval that are searched */
#define LOG_VOTE_NEAR 3u

/* The record shortly before @i that refuses a request for votes as leader; INDEX_NONE: none. */
static uint32_t log_facts_vote(const struct log_summary *s, uint32_t i)
{
	const struct log_record *rows = s->records->rows.data;

	for (uint32_t k = 1; k <= LOG_VOTE_NEAR && k <= i; k++) {
		if (rows[i - k].stream == rows[i].stream &&
		    str_starts(rows[i - k].text, STR("ignoring vote request received as leader")))
			return i - k;
	}
	return INDEX_NONE;
}

static void log_facts_long_poll(struct log_summary *s, struct str text, uint32_t i)
{
	struct log_long_poll p = { .record = i };
	struct log_match m;

	if (!log_match(text, "Unreasonably long %ums poll interval", &m))
		return;
	p.interval_ms = m.n[0];
	if (log_match(m.rest, " (%ums user, %ums system)", &m)) {
		p.has_cpu = true;
		p.user_ms = m.n[0];
		p.system_ms = m.n[1];
	}
	p.vote_record = log_facts_vote(s, i);
	*VEC_PUSH(&s->long_polls) = p;
}

static void log_facts_election(struct log_summary *s, struct str text, uint32_t i)
{
	struct log_match m;

	if (log_match(text, "term %u: %u ms timeout expired, starting election", &m))
		*VEC_PUSH(&s->elections) = (struct log_election){ m.n[0], m.n[1], i, m.n[0] > 1 };
}

static void log_facts_leader(struct log_summary *s, struct str text, uint32_t i)
{
	struct log_match m;
	struct log_match of;

	if (log_match(text, "term %u: elected leader by", &m))
		*VEC_PUSH(&s->leaders) = (struct log_leader){
			m.n[0], log_match(m.rest, " %u+ of %u servers", &of) ? of.n[1] : 0, i, true
		};
	else if (log_match(text, "server %x is leader for term %u", &m))
		*VEC_PUSH(&s->leaders) = (struct log_leader){ m.n[1], 0, i, false };
}

static void log_facts_crash(struct log_summary *s, struct str text, uint32_t i)
{
	struct log_crash c = { .record = i };
	struct log_match m;
	struct log_match how;

	if (!log_match(text, "%u crashes: pid %u died,", &m))
		return;
	c.crashes = m.n[0];
	c.pid = m.n[1];
	if (log_match(m.rest, " killed (%s)", &how))
		c.signal = how.s[0];
	c.is_core_dumped = str_contains(m.rest, STR("core dumped"));
	*VEC_PUSH(&s->crashes) = c;
}

static void log_facts_memory(struct log_summary *s, struct str text, uint32_t i)
{
	struct log_memory g = { .record = i };
	struct log_match m;
	struct log_match sizes;

	if (log_match(text, "%u kB peak resident set size after ", &m)) {
		g.to_kb = m.n[0];
		g.is_first = true;
		if (log_facts_tenths(&m.rest, &g.seconds_tenths))
			*VEC_PUSH(&s->memory) = g;
	} else if (log_match(text, "peak resident set size grew %u%% in last ", &m)) {
		g.grew_pct = m.n[0];
		if (!log_facts_tenths(&m.rest, &g.seconds_tenths) ||
		    !log_match(m.rest, " seconds, from %u kB to %u kB", &sizes))
			return;
		g.from_kb = sizes.n[0];
		g.to_kb = sizes.n[1];
		*VEC_PUSH(&s->memory) = g;
	}
}

/* Parse pairs such as "cells:28 monitors:0". The whole text is ignored if one word is no pair. */
static void log_facts_usage(struct log_summary *s, struct str text, uint32_t i)
{
	size_t before = s->usage.len;
	struct str word;

	while (str_word(&text, &word)) {
		size_t colon = str_rfind_char(word, ':');
		struct str number = str_skip(word, colon + 1);
		uint64_t v;

		if (colon == word.len || colon == 0 || !str_u64(&number, &v) || number.len) {
			s->usage.len = before;
			return;
		}
		*VEC_PUSH(&s->usage) = (struct log_usage){ str_sub(word, 0, colon), v, i };
	}
}

static void log_facts_wakeup(struct log_summary *s, struct str text, uint32_t i)
{
	struct log_wakeup w = { .record = i };
	struct str at = STR(" at ");
	struct log_match m;
	size_t place;

	if (!log_match(text, "wakeup due to ", &m))
		return;
	/*
	 * split at the last " at ": the reason of the wakeup, before it, may contain another " at "
	 */
	text = m.rest;
	place = text.len;
	for (size_t p = 0; p + at.len <= text.len; p++) {
		p += str_find(str_skip(text, p), at);
		if (p + at.len <= text.len)
			place = p;
	}
	w.why = str_sub(text, 0, place);
	text = str_ltrim(str_skip(text, place + at.len));
	(void)str_word(&text, &w.where);
	if (log_match(text, " (%u%% CPU usage)", &m) && m.n[0] <= UINT16_MAX) {
		w.has_cpu = true;
		w.cpu_pct = (uint16_t)m.n[0];
	}
	if (log_match(w.why, "%u-ms timeout", &m)) {
		w.is_timeout = true;
		w.timeout_ms = m.n[0];
	}
	*VEC_PUSH(&s->wakeups) = w;
}

static void log_facts_prerequisite(struct log_summary *s, struct str text, uint32_t i)
{
	struct log_match m;

	if (!log_match(text, "current entry eid %s does not match prerequisite ", &m))
		return;
	*VEC_PUSH(&s->prerequisites) = (struct log_prerequisite){
		.current = m.s[0],
		.expected = str_sub(m.rest, 0, str_find_char(m.rest, ' ')),
		.record = i,
		.is_in_execute = str_contains(m.rest, STR("in execute_command_request")),
	};
}

void log_facts_add(struct log_summary *s, uint32_t i)
{
	const struct log_record *rec = &s->capture->records->rows.data[i];
	struct str text = rec->text;

	if (text.len < 8)
		return;
	switch (text.p[0]) {
	case 'D':
		log_facts_dropped(s, text, i);
		break;
	case 'U':
		log_facts_long_poll(s, text, i);
		break;
	case 't':
		log_facts_election(s, text, i);
		log_facts_leader(s, text, i);
		break;
	case 's':
		log_facts_leader(s, text, i);
		break;
	case 'p':
		log_facts_memory(s, text, i);
		break;
	case 'w':
		log_facts_wakeup(s, text, i);
		break;
	case 'c':
		log_facts_prerequisite(s, text, i);
		break;
	default:
		if (char_is_digit(text.p[0])) {
			log_facts_crash(s, text, i);
			log_facts_memory(s, text, i);
		}
	}
	if (str_eq(strings_get(&s->capture->dossier->strings, rec->module), STR("memory")))
		log_facts_usage(s, text, i);
}

static int log_facts_cmp_dropped(const void *pa, const void *pb)
{
	const struct log_dropped_total *a = pa;
	const struct log_dropped_total *b = pb;

	return SORT_ORDER(b->dropped, a->dropped) ?: SORT_ORDER(a->module.v, b->module.v);
}

static int log_facts_cmp_wakeup(const void *pa, const void *pb)
{
	const struct log_wakeup_total *a = pa;
	const struct log_wakeup_total *b = pb;

	return SORT_ORDER(b->n, a->n) ?: SORT_ORDER(a->first_record, b->first_record);
}

static struct log_dropped_total *log_facts_dropped_total(struct log_summary *s, struct idmap *map,
							 const struct log_record *rec)
{
	const struct log_stream *stream = &s->capture->records->streams.data[rec->stream];
	struct idmap_probe p = idmap_first(
		map, hash_u64(hash_u64(stream->process.v, stream->node.v), rec->module.v));

	while (idmap_next(map, &p)) {
		struct log_dropped_total *t = &s->dropped_total.data[p.id];

		if (t->process.v == stream->process.v && t->node.v == stream->node.v &&
		    t->module.v == rec->module.v)
			return t;
	}
	idmap_insert(map, &p, (uint32_t)s->dropped_total.len);
	*VEC_PUSH(&s->dropped_total) = (struct log_dropped_total){ .process = stream->process,
								   .node = stream->node,
								   .module = rec->module };
	return &s->dropped_total.data[s->dropped_total.len - 1];
}

static void log_facts_sum_dropped(struct log_summary *s)
{
	struct idmap map = { .slots = NULL };

	VEC_FOREACH (d, &s->dropped) {
		struct log_dropped_total *t = log_facts_dropped_total(
			s, &map, &s->capture->records->rows.data[d->record]);

		t->dropped += d->dropped;
		t->seconds += d->seconds;
		t->active_seconds += d->active_seconds;
		t->reports++;
		s->dropped_messages += d->dropped;
	}
	idmap_fini(&map);
	VEC_SORT(&s->dropped_total, log_facts_cmp_dropped);
}

static void log_facts_sum_wakeups(struct log_summary *s)
{
	struct idmap map = { .slots = NULL };

	VEC_FOREACH (w, &s->wakeups) {
		struct idmap_probe p = idmap_first(&map, hash_str(w->where));
		struct log_wakeup_total *t = NULL;

		while (!t && idmap_next(&map, &p)) {
			if (str_eq(s->wakeup_places.data[p.id].where, w->where))
				t = &s->wakeup_places.data[p.id];
		}
		if (!t) {
			idmap_insert(&map, &p, (uint32_t)s->wakeup_places.len);
			t = VEC_PUSH(&s->wakeup_places);
			*t = (struct log_wakeup_total){ .where = w->where,
							.first_record = w->record };
		}
		t->n++;
		t->zero_timeouts += w->is_timeout && w->timeout_ms == 0;
		t->has_cpu |= w->has_cpu;
		if (w->has_cpu && w->cpu_pct > t->max_cpu_pct)
			t->max_cpu_pct = w->cpu_pct;
	}
	idmap_fini(&map);
	VEC_SORT(&s->wakeup_places, log_facts_cmp_wakeup);
}

void log_facts_finish(struct log_summary *s)
{
	log_facts_sum_dropped(s);
	log_facts_sum_wakeups(s);
}
