/* SPDX-License-Identifier: MIT */
#include "base/vec.h"
#include "unit.h"

#include "texts.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/distribution.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/load.h"

#include <string.h>

/* One chunk under construction. */
struct made {
	unsigned char b[8192];
	size_t n;
	bool is_packed;
};

static void put(struct made *m, uint64_t v, unsigned int bytes)
{
	if (!m->is_packed || bytes == 1) {
		while (bytes--)
			m->b[m->n++] = (unsigned char)(v >> 8 * bytes);
		return;
	}
	for (; v >= 0x80; v >>= 7)
		m->b[m->n++] = (unsigned char)(v | 0x80);
	m->b[m->n++] = (unsigned char)v;
}

static void put_text(struct made *m, const char *s)
{
	put(m, 3, 1);
	put(m, strlen(s), 4);
	memcpy(m->b + m->n, s, strlen(s));
	m->n += strlen(s);
}

/* Begin an event; end() fills in its size, a number padded to 4 bytes. */
static size_t begin(struct made *m, uint64_t type)
{
	size_t at = m->n;

	m->n += 4;
	put(m, type, 8);
	return at;
}

static void end(struct made *m, size_t at)
{
	size_t size = m->n - at;

	for (unsigned int i = 0; i < 4; i++)
		m->b[at + i] =
			(unsigned char)(m->is_packed ? (size >> 7 * i & 0x7f) | (i < 3 ? 0x80 : 0)
						     : size >> 8 * (3 - i));
}

/* @id, @name: of the class. @fields: name, class id, and flags: a = array, c = constant. */
static const struct {
	const char *id;
	const char *name;
	const char *fields[6][3];
} classes[] = {
	{ "4", "int", { { NULL } } },
	{ "5", "long", { { NULL } } },
	{ "6", "java.lang.String", { { NULL } } },
	{ "20", "java.lang.Thread", { { "javaName", "6", "" }, { "osThreadId", "5", "" } } },
	{ "21", "java.lang.Class", { { "name", "22", "c" } } },
	{ "22", "jdk.types.Symbol", { { "string", "6", "" } } },
	{ "23", "jdk.types.Method", { { "type", "21", "c" }, { "name", "22", "c" } } },
	{ "24", "jdk.types.StackFrame", { { "method", "23", "c" }, { "lineNumber", "4", "" } } },
	{ "25", "jdk.types.StackTrace", { { "frames", "24", "a" } } },
	{ "100",
	  "jdk.ExecutionSample",
	  { { "startTime", "5", "" },
	    { "sampledThread", "20", "c" },
	    { "stackTrace", "25", "c" } } },
	{ "101",
	  "jdk.ThreadPark",
	  { { "startTime", "5", "" },
	    { "duration", "5", "" },
	    { "eventThread", "20", "c" },
	    { "stackTrace", "25", "c" },
	    { "parkedClass", "21", "c" } } },
	{ "102",
	  "jdk.GCPhasePause",
	  { { "startTime", "5", "" }, { "duration", "5", "" }, { "gcId", "4", "" } } },
	{ "103",
	  "jdk.GarbageCollection",
	  { { "startTime", "5", "" },
	    { "gcId", "4", "" },
	    { "name", "6", "" },
	    { "cause", "6", "" } } },
	{ "104", "my.Event", { { "startTime", "5", "" } } },
};

static const char *const keys[] = { "root",      "class",        "field", "id", "name",
				    "dimension", "constantPool", "true",  "1" };

static uint64_t key_of(const char *s)
{
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		if (strcmp(keys[i], s) == 0)
			return i;
	}
	print_error("%s\n", s);
	_fail(__FILE__, __LINE__);
	return 0;
}

static void put_attribute(struct made *m, const char *key, uint64_t value)
{
	put(m, key_of(key), 4);
	put(m, value, 4);
}

static void put_metadata(struct made *m)
{
	size_t at = begin(m, 0);
	uint64_t next = ARRAY_LEN(keys);
	size_t n_strings = ARRAY_LEN(keys);

	put(m, 0, 8);
	put(m, 0, 8);
	put(m, 1, 8);
	for (size_t i = 0; i < ARRAY_LEN(classes); i++) {
		n_strings += 2;
		for (size_t f = 0; f < 6 && classes[i].fields[f][0]; f++)
			n_strings += 2;
	}
	put(m, n_strings, 4);
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		put_text(m, keys[i]);
	for (size_t i = 0; i < ARRAY_LEN(classes); i++) {
		put_text(m, classes[i].id);
		put_text(m, classes[i].name);
		for (size_t f = 0; f < 6 && classes[i].fields[f][0]; f++) {
			put_text(m, classes[i].fields[f][0]);
			put_text(m, classes[i].fields[f][1]);
		}
	}
	put(m, key_of("root"), 4);
	put(m, 0, 4);
	put(m, ARRAY_LEN(classes), 4);
	for (size_t i = 0; i < ARRAY_LEN(classes); i++) {
		size_t n = 0;

		put(m, key_of("class"), 4);
		put(m, 2, 4);
		put_attribute(m, "id", next++);
		put_attribute(m, "name", next++);
		while (n < 6 && classes[i].fields[n][0])
			n++;
		put(m, n, 4);
		for (size_t f = 0; f < n; f++) {
			char kind = classes[i].fields[f][2][0];

			put(m, key_of("field"), 4);
			put(m, kind ? 3 : 2, 4);
			put_attribute(m, "name", next++);
			put_attribute(m, "class", next++);
			if (kind == 'a')
				put_attribute(m, "dimension", key_of("1"));
			if (kind == 'c')
				put_attribute(m, "constantPool", key_of("true"));
			put(m, 0, 4);
		}
	}
	end(m, at);
}

static void put_pool(struct made *m, uint64_t class, uint64_t n)
{
	put(m, class, 8);
	put(m, n, 4);
}

static void put_constants(struct made *m)
{
	static const char *const symbols[] = { "shop/Till", "pay", "run",
					       "java/util/concurrent/locks/ReentrantLock$Sync",
					       "java/util/concurrent/CountDownLatch$Sync" };
	size_t at = begin(m, 1);

	for (unsigned int i = 0; i < 3; i++)
		put(m, 0, 8);
	put(m, 0, 1);
	put(m, 5, 4);
	put_pool(m, 20, 1);
	put(m, 1, 8);
	put_text(m, "clerk");
	put(m, 77, 8);
	put_pool(m, 22, 5);
	for (size_t i = 0; i < 5; i++) {
		put(m, i + 1, 8);
		put_text(m, symbols[i]);
	}
	put_pool(m, 21, 3);
	for (uint64_t i = 1; i <= 3; i++) {
		put(m, i, 8);
		put(m, i == 1 ? 1 : i + 2, 8);
	}
	put_pool(m, 23, 2);
	for (uint64_t i = 1; i <= 2; i++) {
		put(m, i, 8);
		put(m, 1, 8);
		put(m, i + 1, 8);
	}
	put_pool(m, 25, 1);
	put(m, 1, 8);
	put(m, 2, 4);
	for (uint64_t i = 1; i <= 2; i++) {
		put(m, i, 8);
		put(m, 300, 4);
	}
	end(m, at);
}

static void put_event(struct made *m, uint64_t type, const uint64_t *longs, size_t n)
{
	size_t at = begin(m, type);

	for (size_t i = 0; i < n; i++)
		put(m, longs[i], 8);
	end(m, at);
}

static void put_collection(struct made *m, uint64_t id, const char *name, const char *cause)
{
	size_t at = begin(m, 103);

	put(m, 2000, 8);
	put(m, id, 4);
	put_text(m, name);
	put_text(m, cause);
	end(m, at);
	at = begin(m, 102);
	put(m, 2000, 8);
	put(m, 50, 8);
	put(m, id, 4);
	end(m, at);
}

/* A chunk of one sample, two parks, two collections, and an event of another kind. */
static void make_chunk(struct made *m, bool is_packed)
{
	static const unsigned char start[68] = { 'F', 'L', 'R', 0, 0, 2, 0, 1 };

	memcpy(m->b, start, sizeof(start));
	m->is_packed = is_packed;
	m->b[38] = 1;    /* starts at 256 ns */
	m->b[45] = 0x10; /* lasts 1 ms and a bit */
	m->b[54] = 3;    /* first tick: 768 */
	m->b[60] = 0x1d; /* 500 million ticks a second: 2 ns each */
	m->b[61] = 0xcd;
	m->b[62] = 0x65;
	m->b[67] = is_packed;
	m->n = sizeof(start);
	put_event(m, 100, (uint64_t[]){ 868, 1, 1 }, 3);
	put_event(m, 101, (uint64_t[]){ 900, 500, 1, 1, 2 }, 5);
	put_event(m, 101, (uint64_t[]){ 900, 700, 1, 1, 3 }, 5);
	put_event(m, 104, (uint64_t[]){ 900 }, 1);
	put_collection(m, 1, "G1New", "G1 Evacuation Pause");
	put_collection(m, 2, "G1Full", "Allocation Failure");
	put_constants(m);
	put_metadata(m);
	m->b[14] = (unsigned char)(m->n >> 8);
	m->b[15] = (unsigned char)m->n;
}

static struct dossier *load(const void *bytes, size_t n, int want)
{
	struct dossier *d = dossier_new();
	struct document *doc = NULL;

	assert_int_equal(document_from_memory((struct str){ bytes, n }, NULL, &doc, NULL), OK);
	assert_int_equal(load_document(d, doc, "a.jfr", NULL, NULL), want);
	document_free(doc);
	return d;
}

static const struct capture *find(struct dossier *d, const char *event)
{
	VEC_FOREACH (c, &d->captures) {
		if ((*c)->profile &&
		    str_eq(strings_get(&d->strings, (*c)->profile->event), str_of(event)))
			return *c;
	}
	print_error("no event %s\n", event);
	_fail(__FILE__, __LINE__);
	return NULL;
}

static void check_sample(struct dossier *d)
{
	const struct profile *p = find(d, "execution-samples")->profile;
	stack_id at = p->samples.stack.data[0];

	assert_int_equal(p->samples.time_ns.data[0], 256 + 200);
	assert_int_equal(p->threads.data[p->samples.thread.data[0]].tid, 77);
	assert_str(symbols_name(&d->symbols, stacks_sym(&p->stacks, at)), "shop.Till.pay");
	at = stacks_parent(&p->stacks, at);
	assert_str(symbols_name(&d->symbols, stacks_sym(&p->stacks, at)), "shop.Till.run");
	at = stacks_parent(&p->stacks, at);
	assert_str(symbols_name(&d->symbols, stacks_sym(&p->stacks, at)), "clerk");
	assert_int_equal(stacks_parent(&p->stacks, at).v, 0);
}

static void packed_and_plain_numbers_read_alike(void **state)
{
	(void)state;
	for (unsigned int is_packed = 0; is_packed < 2; is_packed++) {
		struct made m = { .n = 0 };
		struct dossier *d;

		make_chunk(&m, is_packed);
		d = load(m.b, m.n, OK);
		assert_int_equal(d->captures.len, 4);
		check_sample(d);
		assert_int_equal(diag_get(&d->captures.data[0]->diag, "jfr-other-events"), 1);
		assert_int_equal(diag_get(&d->captures.data[0]->diag, "jfr-bad-events"), 0);
		assert_int_equal(diag_get(&d->captures.data[0]->diag, "jfr-bad-tables"), 0);
		dossier_free(d);
	}
}

static void a_park_is_a_wait_for_a_lock_by_the_class_of_its_object(void **state)
{
	struct made m = { .n = 0 };
	struct dossier *d;
	const struct profile *p;

	(void)state;
	make_chunk(&m, true);
	d = load(m.b, m.n, OK);
	p = find(d, "lock")->profile;
	assert_int_equal(p->samples.n, 1);
	assert_int_equal(p->samples.weight.data[0], 1000);
	assert_false(p->is_complete);
	p = find(d, "wait-time")->profile;
	assert_int_equal(p->samples.n, 1);
	assert_int_equal(p->samples.weight.data[0], 1400);
	assert_true(p->is_complete);
	assert_name(d, (str_id){ p->samples.fields.data[0].values.data[0] }, "condition");
	dossier_free(d);
}

static void pauses_have_the_kind_and_cause_of_their_collection(void **state)
{
	struct made m = { .n = 0 };
	struct dossier *d;
	const struct distribution *dist = NULL;

	(void)state;
	make_chunk(&m, true);
	d = load(m.b, m.n, OK);
	VEC_FOREACH (c, &d->captures)
		dist = (*c)->distribution ? (*c)->distribution : dist;
	assert_non_null(dist);
	assert_int_equal(dist->series.len, 2);
	assert_name(d, dist->series.data[0].name, "pause");
	assert_name(d, dist->series.data[0].key, "G1New (G1 Evacuation Pause)");
	assert_name(d, dist->series.data[1].key, "Full G1Full (Allocation Failure)");
	assert_near(dist->buckets.data[0].low, 100, 0);
	assert_near(dist->span_ns, 0x100000, 0);
	dossier_free(d);
}

static void chunks_are_added_up_and_a_cut_one_is_counted(void **state)
{
	struct made m = { .n = 0 };
	unsigned char two[sizeof(m.b) * 2];
	struct dossier *d;

	(void)state;
	make_chunk(&m, true);
	memcpy(two, m.b, m.n);
	memcpy(two + m.n, m.b, m.n);
	d = load(two, 2 * m.n, OK);
	assert_int_equal(find(d, "execution-samples")->profile->samples.n, 2);
	dossier_free(d);
	d = load(two, 2 * m.n - 1, OK);
	assert_int_equal(find(d, "execution-samples")->profile->samples.n, 1);
	assert_int_equal(diag_get(&d->captures.data[0]->diag, "jfr-unfinished-chunks"), 1);
	dossier_free(d);
	/* an unfinished chunk has no size yet */
	memset(two + 8, 0, 8);
	d = load(two, 2 * m.n, OK);
	assert_int_equal(find(d, "execution-samples")->profile->samples.n, 2);
	assert_int_equal(diag_get(&d->captures.data[0]->diag, "jfr-unfinished-chunks"), 1);
	dossier_free(d);
}

static void a_file_without_events_to_read_is_an_error(void **state)
{
	(void)state;
	dossier_free(load("FLR\0\0\2\0\1", 8, ERR_FORMAT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packed_and_plain_numbers_read_alike),
		cmocka_unit_test(a_park_is_a_wait_for_a_lock_by_the_class_of_its_object),
		cmocka_unit_test(pauses_have_the_kind_and_cause_of_their_collection),
		cmocka_unit_test(chunks_are_added_up_and_a_cut_one_is_counted),
		cmocka_unit_test(a_file_without_events_to_read_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
