/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "texts.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/load.h"

#include <string.h>

/* A message under construction. */
struct made {
	unsigned char b[2048];
	size_t n;
};

static void put(struct made *m, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		m->b[m->n++] = (unsigned char)(v | 0x80);
	m->b[m->n++] = (unsigned char)v;
}

static void number(struct made *m, unsigned int field, uint64_t v)
{
	put(m, field << 3);
	put(m, v);
}

static void bytes(struct made *m, unsigned int field, const void *p, size_t n)
{
	put(m, field << 3 | 2);
	put(m, n);
	memcpy(m->b + m->n, p, n);
	m->n += n;
}

static void text(struct made *m, unsigned int field, const char *s)
{
	bytes(m, field, s, strlen(s));
}

static void message(struct made *m, unsigned int field, const struct made *inner)
{
	bytes(m, field, inner->b, inner->n);
}

/* A packed list of numbers up to the first zero. */
static void list(struct made *m, unsigned int field, const uint64_t *v)
{
	struct made inner = { .n = 0 };

	for (; *v; v++)
		put(&inner, *v);
	if (inner.n)
		message(m, field, &inner);
}

enum {
	S_NONE,
	S_SAMPLES,
	S_COUNT,
	S_CPU,
	S_NANOSECONDS,
	S_MAIN,
	S_PARSE,
	S_MODULE,
	S_READ,
	S_THREAD_NAME,
	S_THREAD_ID,
	S_FRAME_TYPE,
	S_BUILD_ID,
	S_CONTAINER,
	S_STRINGS,
};

static const char *const strings[S_STRINGS] = {
	"",
	"samples",
	"count",
	"cpu",
	"nanoseconds",
	"main",
	"parse",
	"libshop.so",
	"vfs_read",
	"thread.name",
	"thread.id",
	"profile.frame.type",
	"process.executable.build_id.gnu",
	"container.id",
};

static void attribute(struct made *m, uint64_t key, const char *value, uint64_t n)
{
	struct made entry = { .n = 0 }, any = { .n = 0 };

	number(&entry, 1, key);
	if (value)
		text(&any, 1, value);
	else
		number(&any, 3, n);
	message(&entry, 2, &any);
	message(m, 6, &entry);
}

static void location(struct made *m, uint64_t mapping, uint64_t address, const uint64_t *functions,
		     uint64_t type)
{
	struct made entry = { .n = 0 };

	number(&entry, 1, mapping);
	number(&entry, 2, address);
	for (; *functions; functions++) {
		struct made line = { .n = 0 };

		number(&line, 1, *functions);
		message(&entry, 3, &line);
	}
	list(&entry, 4, (uint64_t[]){ type, 0 });
	message(m, 2, &entry);
}

/*
 * Attributes: 1 thread.name, 2 thread.id, 3 kernel frames, 4 a build id, 5 container.id. Stacks: 1
 * is parse (inlined in main), 2 is vfs_read below main, 3 is an address.
 */
static void put_dictionary(struct made *to)
{
	static const uint64_t functions[] = { S_MAIN, S_PARSE, S_READ };
	static const uint64_t stacks[][4] = { { 1 }, { 2, 1 }, { 3 } };
	struct made m = { .n = 0 }, entry = { .n = 0 };

	bytes(&m, 1, "", 0);
	number(&entry, 4, S_MODULE);
	list(&entry, 5, (uint64_t[]){ 4, 0 });
	message(&m, 1, &entry);
	bytes(&m, 2, "", 0);
	location(&m, 1, 0x10, (uint64_t[]){ 2, 1, 0 }, 0);
	location(&m, 0, 0x20, (uint64_t[]){ 3, 0 }, 3);
	location(&m, 1, 0x1234, (uint64_t[]){ 0 }, 0);
	bytes(&m, 3, "", 0);
	for (size_t i = 0; i < ARRAY_LEN(functions); i++) {
		entry.n = 0;
		number(&entry, 1, functions[i]);
		message(&m, 3, &entry);
	}
	for (size_t i = 0; i < S_STRINGS; i++)
		text(&m, 5, strings[i]);
	bytes(&m, 6, "", 0);
	attribute(&m, S_THREAD_NAME, "clerk", 0);
	attribute(&m, S_THREAD_ID, NULL, 77);
	attribute(&m, S_FRAME_TYPE, "kernel", 0);
	attribute(&m, S_BUILD_ID, "c0ffee", 0);
	attribute(&m, S_CONTAINER, "abc", 0);
	bytes(&m, 7, "", 0);
	for (size_t i = 0; i < ARRAY_LEN(stacks); i++) {
		entry.n = 0;
		list(&entry, 1, stacks[i]);
		message(&m, 7, &entry);
	}
	message(to, 2, &m);
}

/* Numbers of the fields of Sample in a release. */
struct release {
	unsigned int attributes, link, values;
};

static const struct release release_1_8 = { 3, 4, 2 };
static const struct release release_1_10 = { 2, 3, 4 };

static void put_sample(struct made *m, const struct release *r, uint64_t stack,
		       const uint64_t *attributes, const uint64_t *values, unsigned int n_times)
{
	unsigned char times[64] = { 0 };
	struct made sample = { .n = 0 };

	number(&sample, 1, stack);
	list(&sample, r->attributes, attributes);
	list(&sample, r->values, values);
	for (unsigned int i = 0; i < n_times; i++)
		times[8 * i] = (unsigned char)(10 + i);
	if (n_times)
		bytes(&sample, 5, times, 8 * (size_t)n_times);
	message(m, 2, &sample);
}

static void put_profile(struct made *scope, uint64_t type, uint64_t unit,
			const struct made *samples)
{
	struct made m = { .n = 0 }, value_type = { .n = 0 };

	number(&value_type, 1, type);
	number(&value_type, 2, unit);
	message(&m, 1, &value_type);
	memcpy(m.b + m.n, samples->b, samples->n);
	m.n += samples->n;
	value_type.n = 0;
	number(&value_type, 1, S_CPU);
	number(&value_type, 2, S_NANOSECONDS);
	message(&m, 5, &value_type);
	message(scope, 2, &m);
}

static void put_resource(struct made *to, const char *host, const struct made *scope)
{
	struct made m = { .n = 0 }, attributes = { .n = 0 }, pair = { .n = 0 }, any = { .n = 0 };

	text(&pair, 1, "host.name");
	text(&any, 1, host);
	message(&pair, 2, &any);
	message(&attributes, 1, &pair);
	message(&m, 1, &attributes);
	message(&m, 2, scope);
	message(to, 1, &m);
}

static void make(struct made *m, const struct release *r, unsigned int n_resources)
{
	static const char *const hosts[] = { "lab1", "lab2" };

	for (unsigned int i = 0; i < n_resources; i++) {
		struct made scope = { .n = 0 }, samples = { .n = 0 }, times = { .n = 0 };

		put_sample(&samples, r, 1, (uint64_t[]){ 1, 2, 5, 0 }, (uint64_t[]){ 1, 1, 0 }, 2);
		put_sample(&samples, r, 2, (uint64_t[]){ 0 }, (uint64_t[]){ 1, 0 }, 1);
		put_profile(&scope, S_SAMPLES, S_COUNT, &samples);
		put_sample(&times, r, 3, (uint64_t[]){ 1, 0 }, (uint64_t[]){ 500, 0 }, 0);
		put_profile(&scope, S_CPU, S_NANOSECONDS, &times);
		put_resource(m, hosts[i], &scope);
	}
	put_dictionary(m);
}

static struct dossier *load(const struct made *m, int want)
{
	struct dossier *d = dossier_new();
	struct document *doc = NULL;

	assert_int_equal(
		document_from_memory((struct str){ (const char *)m->b, m->n }, NULL, &doc, NULL),
		OK);
	assert_int_equal(load_document(d, doc, "a.otlp", NULL, NULL), want);
	document_free(doc);
	return d;
}

/* Check that sample @i has these frames, innermost first. */
static void check_stack(struct dossier *d, const struct profile *p, size_t i,
			const char *const *frames)
{
	stack_id at = p->samples.stack.data[i];

	for (; *frames; frames++) {
		assert_str(symbols_name(&d->symbols, stacks_sym(&p->stacks, at)), *frames);
		at = stacks_parent(&p->stacks, at);
	}
	assert_int_equal(at.v, 0);
}

static void both_releases_of_the_dictionary_read_alike(void **state)
{
	const struct release *const releases[] = { &release_1_8, &release_1_10 };
	static const char *const notes[] = { "opentelemetry-proto 1.8 or 1.9, v1development",
					     "opentelemetry-proto 1.10 or later, v1development" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(releases); i++) {
		struct made m = { .n = 0 };
		struct dossier *d;
		const struct profile *p;

		make(&m, releases[i], 1);
		d = load(&m, OK);
		assert_int_equal(d->captures.len, 2);
		p = d->captures.data[0]->profile;
		assert_name(d, p->event, "cpu");
		assert_int_equal(p->unit, WEIGHT_SAMPLES);
		assert_int_equal(p->n_samples, 3);
		assert_int_equal(p->samples.time_ns.data[1], 11);
		check_stack(d, p, 0, (const char *[]){ "parse", "main", "clerk", NULL });
		check_stack(d, p, 2, (const char *[]){ "vfs_read", "parse", "main", NULL });
		assert_int_equal(p->threads.data[p->samples.thread.data[0]].tid, 77);
		assert_int_equal(
			symbols_get(&d->symbols, stacks_sym(&p->stacks, p->samples.stack.data[2]))
				->space,
			SPACE_KERNEL);
		assert_name(d, p->samples.fields.data[0].name, "container_id");
		assert_name(d, (str_id){ p->samples.fields.data[0].values.data[1] }, "abc");
		assert_str(capture_note_of(d->captures.data[0], STR("OTLP version")), notes[i]);
		assert_str(capture_note_of(d->captures.data[0], STR("host.name")), "lab1");
		assert_str(capture_note_of(d->captures.data[0], STR("build id")),
			   "libshop.so c0ffee");
		dossier_free(d);
	}
}

static void values_in_nanoseconds_are_a_capture_of_their_own(void **state)
{
	struct made m = { .n = 0 };
	struct dossier *d;
	const struct profile *p;

	(void)state;
	make(&m, &release_1_10, 1);
	d = load(&m, OK);
	p = d->captures.data[1]->profile;
	assert_int_equal(p->unit, WEIGHT_NS);
	assert_int_equal(p->samples.weight.data[0], 500);
	assert_false(p->has_n_samples);
	assert_true(p->is_summed);
	check_stack(d, p, 0, (const char *[]){ "0x0000000000001234", "clerk", NULL });
	assert_int_equal(p->samples.time_ns.len, 0);
	dossier_free(d);
}

static void samples_of_several_resources_have_its_attributes_as_fields(void **state)
{
	struct made m = { .n = 0 };
	struct dossier *d;
	const struct profile *p;

	(void)state;
	make(&m, &release_1_10, 2);
	d = load(&m, OK);
	assert_int_equal(d->captures.len, 2);
	p = d->captures.data[0]->profile;
	assert_int_equal(p->samples.n, 6);
	assert_int_equal(p->samples.fields.len, 2);
	assert_name(d, p->samples.fields.data[1].name, "host_name");
	assert_name(d, (str_id){ p->samples.fields.data[1].values.data[5] }, "lab2");
	dossier_free(d);
}

static void a_message_of_an_earlier_release_is_declined(void **state)
{
	struct made m = { .n = 0 }, scope = { .n = 0 }, samples = { .n = 0 }, sample = { .n = 0 };

	(void)state;
	/* up to 1.7 a sample has the begin and length of its stack */
	number(&sample, 1, 1);
	number(&sample, 2, 2);
	list(&sample, 3, (uint64_t[]){ 5, 0 });
	message(&samples, 2, &sample);
	put_profile(&scope, S_CPU, S_NANOSECONDS, &samples);
	put_resource(&m, "lab1", &scope);
	put_dictionary(&m);
	dossier_free(load(&m, ERR_UNSUPPORTED));
}

static void a_message_without_its_dictionary_is_an_error(void **state)
{
	struct made m = { .n = 0 }, whole = { .n = 0 };

	(void)state;
	put_dictionary(&m);
	make(&whole, &release_1_10, 1);
	whole.n -= m.n;
	dossier_free(load(&whole, ERR_FORMAT));
}

static void references_past_the_tables_are_counted(void **state)
{
	struct made m = { .n = 0 }, scope = { .n = 0 }, samples = { .n = 0 };
	struct dossier *d;

	(void)state;
	put_sample(&samples, &release_1_10, 99, (uint64_t[]){ 98, 0 }, (uint64_t[]){ 3, 0 }, 0);
	put_sample(&samples, &release_1_10, 1, (uint64_t[]){ 0 }, (uint64_t[]){ 0 }, 0);
	put_profile(&scope, S_SAMPLES, S_COUNT, &samples);
	put_resource(&m, "lab1", &scope);
	put_dictionary(&m);
	d = load(&m, OK);
	assert_int_equal(d->captures.data[0]->profile->n_samples, 3);
	assert_int_equal(diag_get(&d->captures.data[0]->diag, "otlp-bad-references"), 2);
	assert_int_equal(diag_get(&d->captures.data[0]->diag, "otlp-empty-samples"), 1);
	dossier_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_releases_of_the_dictionary_read_alike),
		cmocka_unit_test(values_in_nanoseconds_are_a_capture_of_their_own),
		cmocka_unit_test(samples_of_several_resources_have_its_attributes_as_fields),
		cmocka_unit_test(a_message_of_an_earlier_release_is_declined),
		cmocka_unit_test(a_message_without_its_dictionary_is_an_error),
		cmocka_unit_test(references_past_the_tables_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
