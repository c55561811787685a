/* SPDX-License-Identifier: MIT */
/*
 * Make an additional capture: a trace of all samples of tracepoints that begin or end operations,
 * such as block requests. No profile can show operations: a profile has samples of only one event,
 * but an operation begins with one event and ends with another.
 */
#include "formats/perf_data/perf_data_reader.h"

#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/strings.h"
#include "formats/format.h"
#include "formats/perf_data/perf_data_file.h"
#include "formats/perf_data/perf_data_raw.h"
#include "formats/perf_data/perf_data_sample.h"
#include "formats/perf_script/perf_script_events.h"

DECLARE_FORMAT(perf_data);

static const struct diag_kind pairs_past = { "perf-data-events-limit", DIAG_INFO,
					     "events past the number that is matched in pairs" };

static struct str pairs_name(const struct perf_reader *r, const struct perf_attr *a)
{
	if (a->type != PERF_TYPE_TRACEPOINT || !(a->sample_type & PERF_SAMPLE_TIME))
		return STR_NONE;
	return script_events_name(strings_get(&r->file.dossier->strings, a->name));
}

void perf_pairs_find(struct perf_reader *r)
{
	struct perf_pairs *p = &r->pairs;

	p->is_on = false;
	VEC_FOREACH (a, &r->file.attrs) {
		struct str name = pairs_name(r, a);

		a->is_of_pair = false;
		for (size_t i = 0; i < r->file.attrs.len && name.len && !a->is_of_pair; i++)
			a->is_of_pair =
				script_events_is_pair(name, pairs_name(r, &r->file.attrs.data[i]));
		p->is_on |= a->is_of_pair && r->file.in->options.with_operations;
	}
}

void perf_pairs_add(struct perf_reader *r, const struct perf_sample *s, str_id comm)
{
	struct perf_pairs *p = &r->pairs;

	if (!r->file.attrs.data[s->attr].is_of_pair || !s->raw.len)
		return;
	if (p->marks.len >= SCRIPT_EVENTS_MAX) {
		p->past++;
		return;
	}
	perf_raw_add(&p->raw, s->attr, (uint32_t)p->marks.len, s->raw);
	if (p->raw.left_out) {
		p->past++;
		p->raw.left_out = 0;
		return;
	}
	*VEC_PUSH(&p->marks) = (struct script_mark){
		.time_ns = s->time,
		.comm = comm,
		.pid = s->tid,
		.cpu = (uint16_t)(s->cpu < UINT16_MAX ? s->cpu : UINT16_MAX),
	};
}

struct pairs_printing {
	struct perf_reader *r;
	struct script_events events;
};

static void pairs_take(void *arg, size_t item, size_t field, struct str text)
{
	struct pairs_printing *p = arg;
	const struct perf_raw_item *i = &p->r->pairs.raw.items.data[item];

	(void)field;
	script_events_add(&p->events, &p->r->file.dossier->strings,
			  pairs_name(p->r, &p->r->file.attrs.data[i->attr]), str_trim(text),
			  p->r->pairs.marks.data[i->sample]);
}

void perf_pairs_finish(struct perf_reader *r)
{
	static const struct str fields[] = { { "trace", 5 } };
	struct pairs_printing p = { .r = r, .events = { .marks = VEC_INIT } };

	perf_raw_texts(&r->pairs.raw, &r->file, r->resolver, fields, 1, pairs_take, &p);
	if (script_events_are_pairs(&p.events, &r->file.dossier->strings)) {
		struct capture *c =
			format_add_capture(&format_perf_data, r->file.in, r->file.dossier);

		script_events_end(&p.events, r->lost > 0, c);
		diag_add(&c->diag, &pairs_past, r->pairs.past, 0);
	}
	script_events_fini(&p.events);
}

void perf_pairs_fini(struct perf_reader *r)
{
	perf_raw_fini(&r->pairs.raw);
	VEC_FREE(&r->pairs.marks);
}
