/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/load.h"

#include <string.h>

/* A file or message under construction. */
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

static void record(struct made *file, unsigned int field, const struct made *body)
{
	struct made r = { .n = 0 };

	bytes(&r, field, body->b, body->n);
	for (unsigned int i = 0; i < 4; i++)
		file->b[file->n++] = (unsigned char)(r.n >> (8 * i));
	memcpy(file->b + file->n, r.b, r.n);
	file->n += r.n;
}

static void frame(struct made *sample, uint64_t address, uint64_t file, int64_t symbol)
{
	struct made e = { .n = 0 };

	number(&e, 1, address);
	number(&e, 2, file);
	number(&e, 3, (uint64_t)symbol);
	bytes(sample, 3, e.b, e.n);
}

/* Two samples of cpu-cycles, one of page-faults; 3 lost samples. */
static void make(struct made *m)
{
	struct made s = { .n = 0 };

	memcpy(m->b, "SIMPLEPERF\1\0", 12);
	m->n = 12;
	number(&s, 1, 1000);
	number(&s, 2, 11);
	frame(&s, 0x40, 0, 1);
	frame(&s, 0x20, 0, 0);
	number(&s, 4, 700);
	record(m, 1, &s);
	s.n = 0;
	number(&s, 1, 2000);
	number(&s, 2, 12);
	frame(&s, 0x99, 0, -1);
	frame(&s, 0x20, 7, 0);
	number(&s, 4, 300);
	number(&s, 5, 1);
	record(m, 1, &s);
	s.n = 0;
	number(&s, 1, 5);
	number(&s, 2, 3);
	record(m, 2, &s);
	s.n = 0;
	number(&s, 1, 0);
	text(&s, 2, "/system/lib64/libshop.so");
	text(&s, 3, "main");
	text(&s, 3, "cart_total");
	record(m, 3, &s);
	s.n = 0;
	number(&s, 1, 11);
	number(&s, 2, 10);
	text(&s, 3, "RenderThread");
	record(m, 4, &s);
	s.n = 0;
	text(&s, 1, "cpu-cycles");
	text(&s, 1, "page-faults");
	record(m, 5, &s);
	memset(m->b + m->n, 0, 4);
	m->n += 4;
}

static int load(struct dossier *d, const struct made *m, struct error *err)
{
	CLEANUP(document_freep) struct document *doc = NULL;

	assert_int_equal(
		document_from_memory((struct str){ (const char *)m->b, m->n }, NULL, &doc, NULL),
		OK);
	return load_document(d, doc, "made", NULL, err);
}

static struct str top(const struct capture *c, unsigned int above)
{
	stack_id at = c->profile->samples.stack.data[0];

	while (above--)
		at = stacks_parent(&c->profile->stacks, at);
	return symbols_name(capture_symbols(c), stacks_sym(&c->profile->stacks, at));
}

static void samples_refer_to_tables_that_follow(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct made m = { .n = 0 };
	const struct profile *p;

	(void)state;
	make(&m);
	assert_int_equal(load(d, &m, NULL), OK);
	assert_int_equal(d->captures.len, 2);
	p = d->captures.data[0]->profile;
	assert_str(strings_get(&d->strings, p->event), "cpu-cycles");
	assert_int_equal(p->samples.weight.data[0], 700);
	assert_int_equal(p->samples.time_ns.data[0], 1000);
	assert_int_equal(p->threads.data[p->samples.thread.data[0]].pid, 10);
	assert_str(top(d->captures.data[0], 0), "cart_total");
	assert_str(top(d->captures.data[0], 1), "main");
	assert_str(top(d->captures.data[0], 2), "RenderThread");
	assert_int_equal(diag_get(&d->captures.data[0]->diag, "simpleperf-lost-samples"), 3);
}

static void frames_without_a_symbol_keep_their_address(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct made m = { .n = 0 };

	(void)state;
	make(&m);
	assert_int_equal(load(d, &m, NULL), OK);
	assert_str(strings_get(&d->strings, d->captures.data[1]->profile->event), "page-faults");
	assert_str(top(d->captures.data[1], 0), "0x0000000000000099");
	assert_str(top(d->captures.data[1], 1), "0x0000000000000020");
	/* file 7 is missing */
	assert_int_equal(diag_get(&d->captures.data[0]->diag, "simpleperf-bad-references"), 1);
}

static void a_cut_file_is_read_up_to_its_end(void **state)
{
	struct made m = { .n = 0 };
	struct error err = { "" };
	size_t whole;

	(void)state;
	make(&m);
	whole = m.n;
	for (m.n = 12; m.n < whole; m.n++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();

		(void)(load(d, &m, &err) < 0);
		assert_true(d->captures.len <= 2);
	}
}

static void another_version_is_declined(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct made m = { .n = 0 };
	struct error err = { "" };

	(void)state;
	make(&m);
	m.b[10] = 2;
	assert_int_equal(load(d, &m, &err), ERR_UNSUPPORTED);
	assert_non_null(strstr(err.msg, "another version"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_refer_to_tables_that_follow),
		cmocka_unit_test(frames_without_a_symbol_keep_their_address),
		cmocka_unit_test(a_cut_file_is_read_up_to_its_end),
		cmocka_unit_test(another_version_is_declined),
	};

	return cmocka_run_group_tests_name("simpleperf", tests, NULL, NULL);
}
