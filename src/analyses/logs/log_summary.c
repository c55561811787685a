/* SPDX-License-Identifier: MIT */
#include "analyses/logs/log_summary.h"

#include "analyses/logs/log_facts.h"
#include "base/arena.h"
#include "base/idmap.h"
#include "base/out.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/records.h"

/* maximum number of templates; further messages are counted without a template */
#define LOG_TEMPLATES      65536u
#define LOG_TEMPLATE_BYTES 1024u /* messages are compared by this many bytes at their start */

/* State that exists only while the records are read. */
struct log_pass {
	struct log_summary *s;
	struct idmap templates;
	struct idmap modules;
	struct idmap sources;
	struct out text;
};

static void log_summary_count_module(struct log_pass *p, str_id module)
{
	struct log_summary *s = p->s;
	struct idmap_probe probe = idmap_first(&p->modules, hash_u64(module.v, 1));

	while (idmap_next(&p->modules, &probe)) {
		if (s->by_module.data[probe.id].name.v == module.v) {
			s->by_module.data[probe.id].n++;
			return;
		}
	}
	idmap_insert(&p->modules, &probe, (uint32_t)s->by_module.len);
	*VEC_PUSH(&s->by_module) = (struct log_count){ module, 1 };
}

static void log_summary_count_template(struct log_pass *p, const struct log_record *rec, uint32_t i)
{
	struct log_summary *s = p->s;
	struct idmap_probe probe;
	uint32_t number;

	p->text.len = 0;
	log_template_text(str_sub(rec->text, 0, LOG_TEMPLATE_BYTES), &p->text);
	probe = idmap_first(&p->templates, hash_u64(hash_str(out_view(&p->text)), rec->module.v));
	while (idmap_next(&p->templates, &probe)) {
		struct log_template *t = &s->templates.data[probe.id];

		if (t->module.v == rec->module.v && str_eq(t->text, out_view(&p->text))) {
			t->n++;
			t->last_record = i;
			if (rec->level > t->level)
				t->level = rec->level;
			*VEC_PUSH(&s->template_of) = t->number;
			return;
		}
	}
	if (s->templates.len >= LOG_TEMPLATES) {
		s->n_untemplated++;
		*VEC_PUSH(&s->template_of) = INDEX_NONE;
		return;
	}
	number = (uint32_t)s->templates.len;
	idmap_insert(&p->templates, &probe, number);
	*VEC_PUSH(&s->template_of) = number;
	*VEC_PUSH(&s->templates) =
		(struct log_template){ .text = arena_str(&s->arena, out_view(&p->text)),
				       .module = rec->module,
				       .n = 1,
				       .first_record = i,
				       .last_record = i,
				       .number = number,
				       .level = rec->level };
}

static void log_summary_sequence(struct log_summary *s, struct log_stream_summary *t,
				 const struct log_record *rec, uint32_t i)
{
	if (!rec->has_sequence)
		return;
	if (!t->has_sequence) {
		t->has_sequence = true;
		t->first_sequence = rec->sequence;
	} else if (rec->sequence > t->last_sequence && rec->sequence - t->last_sequence > 1) {
		t->missing += rec->sequence - t->last_sequence - 1;
		t->gaps++;
		*VEC_PUSH(&s->gaps) = (struct log_gap){ i, t->last_sequence, rec->sequence };
	}
	t->last_sequence = rec->sequence;
}

static void log_summary_stream(struct log_summary *s, const struct log_record *rec, uint32_t i)
{
	struct log_stream_summary *t = &s->streams.data[rec->stream];

	t->records++;
	if (t->first_record == INDEX_NONE)
		t->first_record = i;
	if (rec->has_time) {
		if (!t->has_time || rec->time_ns < t->first_ns)
			t->first_ns = rec->time_ns;
		if (!t->has_time || rec->time_ns > t->last_ns)
			t->last_ns = rec->time_ns;
		t->has_time = true;
	}
	log_summary_sequence(s, t, rec, i);
}

/*
 * Count records by source, from the counts of the streams: there are far fewer streams than
 * records.
 */
static void log_summary_sources(struct log_pass *p)
{
	struct log_summary *s = p->s;
	const struct records *r = s->capture->records;

	for (size_t i = 0; i < s->streams.len; i++) {
		const struct log_stream *stream = &r->streams.data[i];
		struct idmap_probe probe =
			idmap_first(&p->sources, hash_u64(stream->process.v, stream->node.v));
		struct log_source_count *c = NULL;

		while (!c && idmap_next(&p->sources, &probe)) {
			struct log_source_count *have = &s->by_source.data[probe.id];

			if (have->process.v == stream->process.v && have->node.v == stream->node.v)
				c = have;
		}
		if (!c) {
			idmap_insert(&p->sources, &probe, (uint32_t)s->by_source.len);
			c = VEC_PUSH(&s->by_source);
			*c = (struct log_source_count){ stream->process, stream->node, 0 };
		}
		c->n += s->streams.data[i].records;
	}
}

static int log_summary_cmp_count(const void *pa, const void *pb)
{
	const struct log_count *a = pa;
	const struct log_count *b = pb;

	return SORT_ORDER(b->n, a->n) ?: SORT_ORDER(a->name.v, b->name.v);
}

static int log_summary_cmp_source(const void *pa, const void *pb)
{
	const struct log_source_count *a = pa;
	const struct log_source_count *b = pb;

	return SORT_ORDER(b->n, a->n) ?: SORT_ORDER(a->process.v, b->process.v) ?: SORT_ORDER(a->node.v, b->node.v);
}

static int log_summary_cmp_template(const void *pa, const void *pb)
{
	const struct log_template *a = pa;
	const struct log_template *b = pb;

	return SORT_ORDER(b->n, a->n) ?: SORT_ORDER(a->first_record, b->first_record);
}

static void log_summary_finish(struct log_pass *p)
{
	struct log_summary *s = p->s;

	log_summary_sources(p);
	log_facts_finish(s);
	VEC_SORT(&s->by_module, log_summary_cmp_count);
	VEC_SORT(&s->by_source, log_summary_cmp_source);
	VEC_SORT(&s->templates, log_summary_cmp_template);
	idmap_fini(&p->templates);
	idmap_fini(&p->modules);
	idmap_fini(&p->sources);
	out_fini(&p->text);
}

void log_summary_init(struct log_summary *s, const struct capture *c)
{
	const struct records *r = c->records;
	struct log_pass p = { .s = s };

	memset(s, 0, sizeof(*s));
	s->capture = c;
	s->records = r;
	if (!r)
		return;
	out_init(&p.text);
	for (size_t i = 0; i < r->streams.len; i++)
		*VEC_PUSH(&s->streams) = (struct log_stream_summary){ .first_record = INDEX_NONE };
	for (uint32_t i = 0; i < r->rows.len; i++) {
		const struct log_record *rec = &r->rows.data[i];

		s->n_records++;
		s->n_truncated += rec->is_truncated;
		s->by_level[rec->level < ARRAY_LEN(s->by_level) ? rec->level : 0]++;
		log_summary_count_module(&p, rec->module);
		log_summary_stream(s, rec, i);
		log_summary_count_template(&p, rec, i);
		log_facts_add(s, i);
		if (r->streams.data[rec->stream].clock == CLOCK_BOOT || r->is_kernel)
			kernel_facts_add(s, i);
	}
	log_summary_finish(&p);
}

void log_summary_fini(struct log_summary *s)
{
	VEC_FREE(&s->streams);
	VEC_FREE(&s->gaps);
	VEC_FREE(&s->by_module);
	VEC_FREE(&s->by_source);
	VEC_FREE(&s->templates);
	VEC_FREE(&s->template_of);
	VEC_FREE(&s->dropped);
	VEC_FREE(&s->dropped_total);
	VEC_FREE(&s->long_polls);
	VEC_FREE(&s->elections);
	VEC_FREE(&s->leaders);
	VEC_FREE(&s->crashes);
	VEC_FREE(&s->memory);
	VEC_FREE(&s->usage);
	VEC_FREE(&s->wakeups);
	VEC_FREE(&s->wakeup_places);
	VEC_FREE(&s->segfaults);
	VEC_FREE(&s->traps);
	VEC_FREE(&s->prerequisites);
	VEC_FREE(&s->kernel_events);
	arena_fini(&s->arena);
}
