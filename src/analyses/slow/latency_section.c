/* SPDX-License-Identifier: MIT */
#include "analyses/slow/latency_section.h"

#include "base/status.h"
#include "base/str.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/strings.h"
#include "core/symbols.h"

enum latency_kind latency_kind_of(const struct capture *c)
{
	static const struct {
		const char *tracer;
		enum latency_kind kind;
	} kinds[] = {
		{ "irqsoff", LATENCY_IRQS_OFF },
		{ "preemptoff", LATENCY_PREEMPT_OFF },
		{ "preemptirqsoff", LATENCY_BOTH_OFF },
		{ "wakeup|wakeup_*", LATENCY_WAKEUP },
	};
	struct str tracer = strings_get(capture_strings(c), c->calls->tracer);

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (str_glob(str_of(kinds[i].tracer), tracer))
			return kinds[i].kind;
	}
	return LATENCY_NONE;
}

/* Parse the length of the section, such as "97 us". */
static bool latency_length(struct str text, uint64_t *ret_ns)
{
	uint64_t us;

	if (!str_u64(&text, &us) || !str_eq(str_trim(text), STR("us")) || us == 0 ||
	    us > UINT64_MAX / 1000)
		return false;
	*ret_ns = us * 1000;
	return true;
}

/*
 * Add a row of the trace to the section, unless its time is outside of the section. Rows must be
 * added in the order of their lines. *@n: number of rows in the section.
 */
static void latency_add(struct latency_section *s, const struct latency_row *row, size_t *n)
{
	uint64_t before = s->last.at_ns;

	if (row->at_ns > s->ns || (*n && row->at_ns < before))
		return;
	if ((*n)++ == 0) {
		s->first = s->last = *row;
		return;
	}
	if (row->line != s->last.line + 1) {
		s->hidden_ns += row->at_ns - before;
	} else if (row->at_ns - before > s->step_ns) {
		s->step_ns = row->at_ns - before;
		s->from = s->last;
		s->to = *row;
	}
	s->last = *row;
}

static struct latency_row latency_call(const struct capture *c, uint32_t i)
{
	const struct calls *calls = c->calls;

	return (struct latency_row){
		.at_ns = calls->start_ns.data[i],
		.name = symbols_name(capture_symbols(c), calls->sym.data[i]),
		.caller = calls->retaddr.len
				  ? strings_get(capture_strings(c), calls->retaddr.data[i])
				  : STR_NONE,
		.line = calls->line.data[i],
		.lane = calls->lane.data[i],
	};
}

bool latency_section_find(const struct capture *c, struct latency_section *ret)
{
	const struct calls *calls = c->calls;
	size_t next = 0;
	size_t n = 0;

	*ret = (struct latency_section){ 0 };
	if (!latency_length(capture_note_of(c, STR("latency")), &ret->ns))
		return false;
	for (uint32_t i = 0; i <= calls->n; i++) {
		for (; next < calls->marks.len && calls->marks.data[next].before_call <= i;
		     next++) {
			const struct call_mark *m = &calls->marks.data[next];
			struct latency_row row = { m->time_ns,
						   strings_get(capture_strings(c), m->text),
						   STR_NONE, m->line, m->lane };

			if (m->kind == MARK_EVENT)
				latency_add(ret, &row, &n);
		}
		if (i < calls->n && calls->start_ns.len && calls->start_ns.data[i] != UINT64_MAX) {
			struct latency_row row = latency_call(c, i);

			latency_add(ret, &row, &n);
		}
	}
	return n > 1;
}
