/* SPDX-License-Identifier: MIT */
#include "analyses/logs/log_requests.h"

#include "analyses/logs/log_durations.h"
#include "analyses/operations/operation_key.h"
#include "base/idmap.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/records.h"

/* in ns: a record may be written up to this long after the end of the step that it measures */
#define REQUESTS_SLACK_NS UINT64_C(5000000)
/*
 * maximum number of steps, from the start of the log, that are used to find the field with the id
 */
#define REQUESTS_LEARN 2048u
#define REQUESTS_KEYS  64u
/* maximum number of steps of one request */
#define REQUESTS_BACK  4096u
#define REQUESTS_KINDS 1024u /* maximum number of kinds of steps and of totals */
/* a record with more durations is a list of figures, not a step */
#define REQUESTS_IN_RECORD 12u
#define REQUESTS_NAME      80u

/* Words in records about steps that reached a time limit. */
static const struct str requests_failed[] = {
	STR("timed out"), STR("timeout"),     STR("time limit"), STR("deadline exceeded"),
	STR("gave up"),   STR("no response"), STR("no answer"),
};

/* A value of a field that may have the ids of requests, such as "700" in "req=700". */
struct requests_value {
	struct str value;
	uint32_t last; /* index of the last step with this value */
};

/*
 * A request: the steps that have the same value, from the first step after `stop` to `last`. The
 * duration of the step `total` contains the durations of the others. All three members are indices
 * of steps.
 */
struct requests_row {
	uint32_t total;
	uint32_t last;
	uint32_t stop; /* INDEX_NONE: the request begins with the first step that has this value */
};

struct requests_groups {
	VEC(struct requests_value) values;
	/* indexed by step: the previous step with the same value; INDEX_NONE: none */
	VEC(uint32_t) before;
	VEC(struct requests_row) rows;
	uint64_t explained; /* number of steps that belong to a request */
	uint64_t distinct;  /* number of values of the field that belong to at least one request */
};

static void requests_groups_fini(struct requests_groups *g)
{
	VEC_FREE(&g->values);
	VEC_FREE(&g->before);
	VEC_FREE(&g->rows);
}

static void requests_steps(struct log_requests *r, const struct capture *c)
{
	for (uint32_t i = 0; i < c->records->rows.len; i++) {
		const struct log_record *rec = &c->records->rows.data[i];
		size_t first = r->steps.len;
		struct log_duration d = { .record = i };
		bool is_failed = false;
		size_t at = 0;

		if (!rec->has_time || log_duration_is_background(rec->text))
			continue;
		while (log_duration_next(rec->text, &at, &d)) {
			for (size_t k = 0; r->steps.len == first && k < ARRAY_LEN(requests_failed);
			     k++)
				is_failed |= str_contains_nocase(rec->text, requests_failed[k]);
			*VEC_PUSH(&r->steps) = (struct log_step){ .ns = d.ns,
								  .half_ns = d.half_ns,
								  .name = d.what,
								  .record = i,
								  .is_failed = is_failed };
		}
		if (r->steps.len - first > REQUESTS_IN_RECORD)
			r->steps.len = first;
	}
}

static uint64_t requests_time(const struct log_requests *r, const struct capture *c, uint32_t step)
{
	return c->records->rows.data[r->steps.data[step].record].time_ns;
}

static uint64_t requests_start(const struct log_requests *r, const struct capture *c, uint32_t step)
{
	uint64_t at = requests_time(r, c, step);

	return at > r->steps.data[step].ns ? at - r->steps.data[step].ns : 0;
}

/*
 * For each of the first @n steps, set `before` to the previous step with the same value of the
 * field @key.
 */
static void requests_link(const struct log_requests *r, const struct capture *c,
			  const struct operation_key *key, uint32_t n, struct requests_groups *g)
{
	struct idmap map = { .slots = NULL };
	struct str value = STR_NONE;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t record = r->steps.data[i].record;
		struct requests_value *v = NULL;
		struct idmap_probe p;

		if (i == 0 || r->steps.data[i - 1].record != record)
			value = operation_key_value(key, c->records->rows.data[record].text);
		*VEC_PUSH(&g->before) = INDEX_NONE;
		if (value.len == 0)
			continue;
		p = idmap_first(&map, hash_str(value));
		while (!v && idmap_next(&map, &p)) {
			if (str_eq(g->values.data[p.id].value, value))
				v = &g->values.data[p.id];
		}
		if (!v) {
			idmap_insert(&map, &p, (uint32_t)g->values.len);
			v = VEC_PUSH(&g->values);
			*v = (struct requests_value){ value, INDEX_NONE };
		}
		g->before.data[i] = v->last;
		v->last = i;
	}
	idmap_fini(&map);
}

/*
 * Find the request that ends with the record of step @last. The longest step of that record is the
 * total. False: the total contains no other step, or a step lies only partly within it.
 */
static bool requests_ending(const struct log_requests *r, const struct capture *c,
			    const struct requests_groups *g, uint32_t last,
			    struct requests_row *ret)
{
	const struct log_step *steps = r->steps.data;
	const struct log_record *records = c->records->rows.data;
	uint32_t total = last;
	uint32_t parts = 0;
	uint64_t begin, slack;
	uint32_t i;

	for (i = last; i != INDEX_NONE && steps[i].record == steps[last].record;
	     i = g->before.data[i])
		total = steps[i].ns > steps[total].ns ? i : total;
	begin = requests_start(r, c, total);
	slack = REQUESTS_SLACK_NS + steps[total].half_ns +
		c->records->streams.data[records[steps[last].record].stream].tick_ns;
	for (i = last; i != INDEX_NONE && parts < REQUESTS_BACK; i = g->before.data[i]) {
		uint64_t end = requests_time(r, c, i);

		if (i == total)
			continue;
		if (requests_start(r, c, i) + slack < begin) {
			if (end > begin + slack)
				return false;
			break;
		}
		if (steps[i].ns > steps[total].ns)
			return false;
		parts++;
	}
	*ret = (struct requests_row){ total, last, i };
	return parts > 0;
}

/* For each value, find its requests, from the last to the first. */
static void requests_find(const struct log_requests *r, const struct capture *c,
			  struct requests_groups *g)
{
	VEC_FOREACH (v, &g->values) {
		size_t n = g->rows.len;
		uint32_t i = v->last;

		while (i != INDEX_NONE) {
			uint32_t record = r->steps.data[i].record;
			struct requests_row row;

			if (requests_ending(r, c, g, i, &row)) {
				*VEC_PUSH(&g->rows) = row;
				for (; i != row.stop; i = g->before.data[i])
					g->explained++;
				continue;
			}
			while (i != INDEX_NONE && r->steps.data[i].record == record)
				i = g->before.data[i];
		}
		g->distinct += g->rows.len > n;
	}
}

/*
 * In the records of the first @n steps, collect the fields that may have the id. Returns their
 * number.
 */
static size_t requests_keys(const struct log_requests *r, const struct capture *c, uint32_t n,
			    struct operation_key *ret)
{
	size_t keys = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct operation_key of[OPERATION_KEYS_MAX];
		size_t n_of = 0;

		if (i == 0 || r->steps.data[i - 1].record != r->steps.data[i].record)
			n_of = operation_keys_of(
				c->records->rows.data[r->steps.data[i].record].text, of);
		for (size_t k = 0; k < n_of && keys < REQUESTS_KEYS; k++) {
			size_t have = 0;

			while (have < keys &&
			       !(ret[have].kind == of[k].kind && ret[have].at == of[k].at &&
				 str_eq(ret[have].name, of[k].name)))
				have++;
			if (have == keys && of[k].kind != OPERATION_KEY_THREAD)
				ret[keys++] = of[k];
		}
	}
	return keys;
}

/*
 * Set r->key to the field that assigns the most steps to requests. False: no field assigns at least
 * half of the steps.
 */
static bool requests_learn(struct log_requests *r, const struct capture *c)
{
	uint32_t n = (uint32_t)(r->steps.len < REQUESTS_LEARN ? r->steps.len : REQUESTS_LEARN);
	struct operation_key keys[REQUESTS_KEYS];
	size_t n_keys = requests_keys(r, c, n, keys);
	uint64_t explained = 0, distinct = 0;

	for (size_t k = 0; k < n_keys; k++) {
		struct requests_groups g = { .explained = 0 };

		requests_link(r, c, &keys[k], n, &g);
		requests_find(r, c, &g);
		/*
		 * a field is no id if its values have more than two requests each, on average: a
		 * request would contain steps of other requests
		 */
		if (g.distinct * 2 >= g.rows.len &&
		    (g.explained > explained ||
		     (g.explained == explained && g.distinct > distinct))) {
			explained = g.explained;
			distinct = g.distinct;
			r->key = keys[k];
		}
		requests_groups_fini(&g);
	}
	return explained && explained * 2 >= n;
}

/*
 * Hash of @name without numbers, quoted texts and words with digits: steps that differ only in
 * these parts are of one kind.
 */
static uint64_t requests_kind(struct str name)
{
	uint64_t h = 0;

	for (size_t i = 0; i < name.len;) {
		size_t from = i;
		bool has_digit = false;

		for (; i < name.len && char_is_word(name.p[i]); i++)
			has_digit |= char_is_digit(name.p[i]);
		if (i == from && name.p[i] == '\'') {
			size_t end = str_find_char(str_skip(name, i + 1), '\'');

			has_digit = true;
			i = i + 1 + end < name.len ? i + end + 2 : name.len;
		} else if (i == from) {
			i++;
		}
		if (has_digit) {
			h = hash_u64('#', h);
			continue;
		}
		for (; from < i; from++)
			h = hash_u64((unsigned char)name.p[from], h);
	}
	return h;
}

/*
 * The part of @name that describes the step: the text after @id. If only the name of the duration
 * follows @id, as in "render invoice req=700 took_ms=", it is the text before @id.
 */
static struct str requests_name_without(struct str name, struct str id)
{
	struct str after = str_skip(name, (size_t)(id.p + id.len - name.p));
	struct str before = str_rtrim(str_sub(name, 0, (size_t)(id.p - name.p)));
	struct str rest = after;
	struct str word, more;

	if (!str_word(&rest, &word) || str_word(&rest, &more) || before.len == 0 ||
	    before.p[before.len - 1] != '=')
		return after;
	while (before.len && !char_is_blank(before.p[before.len - 1]))
		before.len--;
	return str_trim(before).len ? before : after;
}

/* The end of @name: at most its last REQUESTS_NAME bytes, beginning with a whole word. */
static struct str requests_name_end(struct str name)
{
	struct str end = str_skip(name, name.len > REQUESTS_NAME ? name.len - REQUESTS_NAME : 0);
	size_t word = end.len < name.len ? str_find_char(end, ' ') : 0;

	return str_ltrim(str_skip(end, word < end.len ? word : 0));
}

/*
 * Set the names and kinds of all steps. The id is removed from a name, because it differs in each
 * request.
 */
static void requests_name(struct log_requests *r, const struct capture *c)
{
	VEC_FOREACH (step, &r->steps) {
		struct str text = c->records->rows.data[step->record].text;
		struct str id = r->n ? operation_key_value(&r->key, text) : STR_NONE;
		struct str name = step->name;

		if (id.len && id.p >= name.p && id.p + id.len <= name.p + name.len)
			name = requests_name_without(name, id);
		while (name.len && str_find_char(STR(" \t]),;:|-\"'"), name.p[0]) < 10)
			name = str_skip(name, 1);
		while (name.len && str_find_char(STR(" \t=:(\"'"), name.p[name.len - 1]) < 7)
			name.len--;
		step->name = requests_name_end(name);
		step->kind = requests_kind(name);
	}
}

/*
 * Find a step of kind @kind in the record of the total, with the same duration as the total.
 * Returns its index; INDEX_NONE: none.
 */
static uint32_t requests_equal(const struct log_requests *r, const struct requests_groups *g,
			       const struct requests_row *row, uint64_t kind)
{
	const struct log_step *steps = r->steps.data;
	const struct log_step *total = &steps[row->total];

	for (uint32_t i = row->last; i != row->stop && steps[i].record == total->record;
	     i = g->before.data[i]) {
		if (steps[i].ns == total->ns && steps[i].kind == kind)
			return i;
	}
	return INDEX_NONE;
}

/*
 * Whether another step in the record of the total has the same duration. Then either step may be
 * the total.
 */
static bool requests_has_equal(const struct log_requests *r, const struct requests_groups *g,
			       const struct requests_row *row)
{
	const struct log_step *steps = r->steps.data;
	const struct log_step *total = &steps[row->total];

	for (uint32_t i = row->last; i != row->stop && steps[i].record == total->record;
	     i = g->before.data[i]) {
		if (i != row->total && steps[i].ns == total->ns)
			return true;
	}
	return false;
}

/*
 * The most frequent kind (log_step.kind) of totals. If requests_has_equal() is true for a request,
 * its total is not certain. Such requests count only if there are no others.
 */
static uint64_t requests_main_kind(const struct log_requests *r, const struct requests_groups *g)
{
	VEC(struct log_request_part) kinds = { 0 };
	const struct log_request_part *best = NULL;
	uint64_t ret = 0;

	for (unsigned int pass = 0; pass < 2 && !kinds.len; pass++) {
		VEC_FOREACH (row, &g->rows) {
			uint64_t kind = r->steps.data[row->total].kind;
			size_t i = 0;

			if (pass == 0 && requests_has_equal(r, g, row))
				continue;
			while (i < kinds.len && kinds.data[i].kind != kind)
				i++;
			if (i == kinds.len && i < REQUESTS_KINDS)
				*VEC_PUSH(&kinds) = (struct log_request_part){ .kind = kind };
			if (i < kinds.len)
				kinds.data[i].n++;
		}
	}
	VEC_FOREACH (k, &kinds) {
		if (!best || k->n > best->n)
			best = k;
	}
	ret = best ? best->kind : 0;
	VEC_FREE(&kinds);
	return ret;
}

static struct log_request_part *requests_part(struct log_requests *r, uint32_t step)
{
	uint64_t kind = r->steps.data[step].kind;

	VEC_FOREACH (p, &r->parts) {
		if (p->kind == kind)
			return p;
	}
	if (r->parts.len == REQUESTS_KINDS)
		return NULL;
	*VEC_PUSH(&r->parts) = (struct log_request_part){ .kind = kind, .step = step };
	return &r->parts.data[r->parts.len - 1];
}

/* Sums over the parts of one request, indexed like log_requests.parts. */
struct requests_sums {
	VEC(uint64_t) ns;
	VEC(uint64_t) n;
};

static void requests_add(struct log_requests *r, const struct requests_groups *g,
			 const struct requests_row *row, struct requests_sums *sums)
{
	const struct log_step *total = &r->steps.data[row->total];
	size_t n_before = sums->ns.len;
	uint64_t parts_ns = 0;

	for (size_t i = 0; i < n_before; i++) {
		sums->ns.data[i] = 0;
		sums->n.data[i] = 0;
	}
	for (uint32_t i = row->last; i != row->stop; i = g->before.data[i]) {
		const struct log_step *step = &r->steps.data[i];
		struct log_request_part *p = i == row->total ? NULL : requests_part(r, i);
		size_t at = p ? (size_t)(p - r->parts.data) : 0;

		if (!p)
			continue;
		while (sums->ns.len <= at) {
			*VEC_PUSH(&sums->ns) = 0;
			*VEC_PUSH(&sums->n) = 0;
		}
		parts_ns += step->ns;
		sums->ns.data[at] += step->ns;
		sums->n.data[at]++;
		p->ns += step->ns;
		p->half_ns += step->half_ns;
		p->n++;
		if (step->ns > r->steps.data[p->step].ns)
			p->step = i;
	}
	for (size_t i = 0; i < sums->n.len; i++) {
		struct log_request_part *p = &r->parts.data[i];
		uint64_t n = sums->n.data[i];

		p->n_requests += n != 0;
		p->most = n > p->most ? n : p->most;
		p->is_parallel |=
			sums->ns.data[i] > total->ns + total->half_ns + n * total->half_ns;
	}
	*VEC_PUSH(&r->requests) = (struct log_request){ row->total, parts_ns };
	r->n++;
	r->total_ns += total->ns;
	r->half_ns += total->half_ns;
	if (r->slowest == INDEX_NONE || total->ns > r->steps.data[r->slowest].ns)
		r->slowest = row->total;
}

static int requests_cmp_part(const void *pa, const void *pb)
{
	const struct log_request_part *a = pa;
	const struct log_request_part *b = pb;

	return SORT_ORDER(b->ns, a->ns) ?: SORT_ORDER(a->step, b->step);
}

static void requests_fill(struct log_requests *r, const struct capture *c)
{
	struct requests_groups g = { .explained = 0 };
	struct requests_sums sums = { .ns = { 0 } };
	uint64_t kind;

	requests_link(r, c, &r->key, (uint32_t)r->steps.len, &g);
	requests_find(r, c, &g);
	r->n = g.rows.len;
	requests_name(r, c);
	kind = requests_main_kind(r, &g);
	r->n = 0;
	VEC_FOREACH (row, &g.rows) {
		uint32_t equal = requests_equal(r, &g, row, kind);

		if (equal != INDEX_NONE)
			row->total = equal;
		if (r->steps.data[row->total].kind == kind)
			requests_add(r, &g, row, &sums);
	}
	VEC_SORT(&r->parts, requests_cmp_part);
	VEC_FREE(&sums.ns);
	VEC_FREE(&sums.n);
	requests_groups_fini(&g);
}

void log_requests_init(struct log_requests *r, const struct capture *c)
{
	memset(r, 0, sizeof(*r));
	r->slowest = INDEX_NONE;
	if (!c->records)
		return;
	requests_steps(r, c);
	if (requests_learn(r, c))
		requests_fill(r, c);
	else
		requests_name(r, c);
}

void log_requests_fini(struct log_requests *r)
{
	VEC_FREE(&r->steps);
	VEC_FREE(&r->parts);
	VEC_FREE(&r->requests);
}
