/* SPDX-License-Identifier: MIT */
#include "analyses/operations/operations.h"

#include "analyses/operations/operation_key.h"
#include "analyses/operations/operation_words.h"
#include "base/idmap.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/records.h"
#include "core/strings.h"

/*
 * a field is not the key if more than this percentage of the begins reuse a value: another
 * operation with the same value is still open
 */
#define OPERATIONS_AGAIN_PCT 5u
/*
 * a field is no key if less than this percentage of the begins can be paired with an end. If there
 * are fewer ends than begins, the percentage is of the ends
 */
#define OPERATIONS_LEAST_PCT 50u

struct op_item {
	struct operation_place place;
	struct str fields;
	uint32_t name;
};

struct op_name {
	struct operation_text text;
	bool is_paired;
};

struct op_reader {
	struct operations *o;
	VEC(struct op_item) items;
	VEC(struct op_name) names;
	struct idmap by_name;
};

/* The events that begin or end one kind of operation, in the order of time. */
struct op_pair {
	const struct op_item *items;
	VEC(uint32_t) at; /* index of each event in `items` */
	/* index in op_reader.names; events with this name begin an operation, all others end one */
	uint32_t begin;
};

struct op_trial {
	uint64_t begins, pairs, only_ends, again, distinct;
};

/*
 * Index of the name of @text in r->names, added if it is new. INDEX_NONE: there are too many names.
 */
static uint32_t op_name_of(struct op_reader *r, const struct operation_text *text)
{
	uint64_t hash = hash_u64(text->stem, (uint64_t)text->begins << 32 | text->ends);
	struct idmap_probe p = idmap_first(&r->by_name, hash);

	while (idmap_next(&r->by_name, &p)) {
		const struct operation_text *have = &r->names.data[p.id].text;

		if (have->stem == text->stem && have->begins == text->begins &&
		    have->ends == text->ends)
			return p.id;
	}
	if (r->names.len >= OPERATIONS_NAMES)
		return INDEX_NONE;
	idmap_insert(&r->by_name, &p, (uint32_t)r->names.len);
	*VEC_PUSH(&r->names) = (struct op_name){ .text = *text };
	return (uint32_t)r->names.len - 1;
}

static void op_add(struct op_reader *r, const struct operation_text *text,
		   const struct operation_place *place)
{
	uint32_t name;

	if (r->items.len >= OPERATIONS_MAX)
		return;
	name = op_name_of(r, text);
	if (name != INDEX_NONE)
		*VEC_PUSH(&r->items) = (struct op_item){ *place, text->fields, name };
}

static void op_time(struct operations *o, uint64_t ns)
{
	if (!o->events || ns < o->first_ns)
		o->first_ns = ns;
	if (!o->events || ns > o->last_ns)
		o->last_ns = ns;
	o->events++;
}

/*
 * Hash of the value of @key in @item and of the stream of @item; 0: the field is missing.
 * *@ret_text: the value.
 */
static uint64_t op_value(const struct operation_key *key, const struct op_item *item,
			 struct str *ret_text)
{
	*ret_text = STR_NONE;
	if (key->kind == OPERATION_KEY_THREAD)
		return hash_u64(item->place.thread, item->place.stream) | 1;
	*ret_text = operation_key_value(key, item->fields);
	return ret_text->len ? hash_u64(hash_str(*ret_text), item->place.stream) | 1 : 0;
}

/* The values of a key that occurred so far, each with its open operation. */
struct op_open {
	struct idmap map;
	VEC(uint64_t) values;
	/*
	 * indexed like `values`: index in op_pair.items of the event that began the open operation;
	 * INDEX_NONE: no operation is open
	 */
	VEC(uint32_t) items;
};

static uint32_t op_slot(struct op_open *open, uint64_t value)
{
	struct idmap_probe p = idmap_first(&open->map, value);

	while (idmap_next(&open->map, &p)) {
		if (open->values.data[p.id] == value)
			return p.id;
	}
	idmap_insert(&open->map, &p, (uint32_t)open->values.len);
	*VEC_PUSH(&open->values) = value;
	*VEC_PUSH(&open->items) = INDEX_NONE;
	return (uint32_t)open->values.len - 1;
}

static void op_open_fini(struct op_open *open)
{
	idmap_fini(&open->map);
	VEC_FREE(&open->values);
	VEC_FREE(&open->items);
}

/*
 * Match begins and ends by @key, among the first @most events of @p. Counts the results in @t, and
 * adds the operations to @kind unless it is NULL.
 */
static void op_match(const struct op_pair *p, size_t most, const struct operation_key *key,
		     struct operation_kind *kind, struct op_trial *t)
{
	struct op_open open = { 0 };
	struct str text;

	for (size_t n = 0; n < p->at.len && n < most; n++) {
		const struct op_item *item = &p->items[p->at.data[n]];
		uint64_t value = op_value(key, item, &text);
		uint32_t slot = op_slot(&open, value);
		uint32_t begin = open.items.data[slot];

		t->begins += item->name == p->begin;
		if (item->name == p->begin && begin != INDEX_NONE) {
			t->again++;
		} else if (item->name == p->begin) {
			open.items.data[slot] = value ? p->at.data[n] : INDEX_NONE;
		} else if (begin == INDEX_NONE) {
			t->only_ends++;
		} else {
			t->pairs++;
			open.items.data[slot] = INDEX_NONE;
			if (kind)
				*VEC_PUSH(&kind->done) = (struct operation){ p->items[begin].place,
									     item->place, text };
		}
	}
	for (size_t i = 0; kind && i < open.items.len; i++) {
		if (open.items.data[i] == INDEX_NONE)
			continue;
		(void)op_value(key, &p->items[open.items.data[i]], &text);
		*VEC_PUSH(&kind->open) =
			(struct operation){ .from = p->items[open.items.data[i]].place,
					    .key = text };
	}
	t->distinct = open.values.len;
	op_open_fini(&open);
}

/* Find the key that pairs most begins with ends. Store it in @kind. */
static void op_learn(const struct op_pair *p, struct operation_kind *kind)
{
	struct operation_key keys[OPERATION_KEYS_MAX];
	struct op_trial best = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < p->at.len && n == 0; i++) {
		if (p->items[p->at.data[i]].name == p->begin)
			n = operation_keys_of(p->items[p->at.data[i]].fields, keys);
	}
	for (size_t i = 0; i < n; i++) {
		struct op_trial t = { 0 };
		int64_t gain;

		op_match(p, OPERATIONS_LEARN, &keys[i], NULL, &t);
		gain = ((int64_t)t.pairs - (int64_t)t.again) -
		       ((int64_t)best.pairs - (int64_t)best.again);
		if (i == 0 || gain > 0 ||
		    (gain == 0 && t.distinct > best.distinct &&
		     keys[i].kind != OPERATION_KEY_THREAD)) {
			best = t;
			kind->key = keys[i];
		}
	}
	kind->distinct = kind->key.kind == OPERATION_KEY_THREAD ? 1 : best.distinct;
}

static void op_kind(struct op_reader *r, uint32_t b, uint32_t e)
{
	struct op_pair p = { .items = r->items.data, .begin = b };
	struct operation_kind *kind;
	struct op_trial t = { 0 };
	uint64_t ends;

	if (r->o->kinds.len >= OPERATIONS_KINDS)
		return;
	for (uint32_t i = 0; i < r->items.len; i++) {
		if (r->items.data[i].name == b || r->items.data[i].name == e)
			*VEC_PUSH(&p.at) = i;
	}
	kind = VEC_PUSH(&r->o->kinds);
	memset(kind, 0, sizeof(*kind));
	kind->begin = r->names.data[b].text.name;
	kind->end = r->names.data[e].text.name;
	op_learn(&p, kind);
	op_match(&p, SIZE_MAX, &kind->key, kind, &t);
	kind->begins = t.begins;
	kind->only_ends = t.only_ends;
	kind->again = t.again;
	ends = t.pairs + t.only_ends;
	kind->is_matched =
		t.pairs && t.again * 100 <= t.begins * OPERATIONS_AGAIN_PCT &&
		t.pairs * 100 >= (ends < t.begins ? ends : t.begins) * OPERATIONS_LEAST_PCT;
	VEC_FREE(&p.at);
}

static int op_by_time(const void *a, const void *b)
{
	const struct op_item *x = a;
	const struct op_item *y = b;

	return SORT_ORDER(x->place.time_ns, y->place.time_ns)
		       ?: SORT_ORDER(x->place.line, y->place.line);
}

static void op_finish(struct op_reader *r)
{
	VEC_SORT(&r->items, op_by_time);
	for (uint32_t b = 0; b < r->names.len; b++) {
		for (uint32_t e = 0; e < r->names.len; e++) {
			if (r->names.data[b].text.stem == r->names.data[e].text.stem &&
			    (r->names.data[b].text.begins & r->names.data[e].text.ends)) {
				op_kind(r, b, e);
				r->names.data[b].is_paired = true;
			}
		}
	}
	VEC_FOREACH (name, &r->names) {
		if (!name->text.begins || name->is_paired)
			continue;
		if (!r->o->lone++)
			r->o->lone_name = name->text.name;
	}
	idmap_fini(&r->by_name);
	VEC_FREE(&r->names);
	VEC_FREE(&r->items);
}

void operations_of_calls(struct operations *o, const struct capture *c)
{
	const struct strings *strings = capture_strings(c);
	struct op_reader r = { .o = o };

	memset(o, 0, sizeof(*o));
	VEC_FOREACH (m, &c->calls->marks) {
		struct operation_place place;
		struct operation_text text;

		o->lost += m->kind == MARK_LOST;
		if (m->kind != MARK_EVENT || m->time_ns == 0 || m->lane >= c->calls->lanes.len)
			continue;
		op_time(o, m->time_ns);
		place = (struct operation_place){ strings_get(strings, m->text), m->time_ns,
						  m->line, c->calls->lanes.data[m->lane].pid, 0 };
		if (operation_words_event(place.text, &text))
			op_add(&r, &text, &place);
	}
	op_finish(&r);
}

/*
 * The clock that all streams of a log share. CLOCK_NONE: the streams have different clocks, or
 * several streams count the time since boot, and may come from different boots.
 */
static uint8_t op_log_clock(const struct records *r)
{
	uint8_t clock = r->streams.len ? r->streams.data[0].clock : (uint8_t)CLOCK_NONE;

	VEC_FOREACH (s, &r->streams) {
		if (s->clock != clock || s->is_local != r->streams.data[0].is_local)
			return CLOCK_NONE;
	}
	return clock == CLOCK_BOOT && r->streams.len > 1 ? (uint8_t)CLOCK_NONE : clock;
}

void operations_of_log(struct operations *o, const struct capture *c)
{
	struct op_reader r = { .o = o };

	memset(o, 0, sizeof(*o));
	if (op_log_clock(c->records) == CLOCK_NONE) {
		op_finish(&r);
		return;
	}
	o->tick_ns = records_tick_ns(c->records);
	VEC_FOREACH (rec, &c->records->rows) {
		struct operation_place place = { rec->text, rec->time_ns, rec->line, rec->thread,
						 rec->stream };
		struct operation_text text;

		if (!rec->has_time)
			continue;
		op_time(o, rec->time_ns);
		if (operation_words_message(rec->text, &text))
			op_add(&r, &text, &place);
	}
	op_finish(&r);
}

void operations_fini(struct operations *o)
{
	VEC_FOREACH (kind, &o->kinds) {
		VEC_FREE(&kind->done);
		VEC_FREE(&kind->open);
	}
	VEC_FREE(&o->kinds);
}
