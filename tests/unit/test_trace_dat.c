/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/load.h"

#include "config.h"

#include <stdio.h>
#include <unistd.h>

static const char *data_path(const char *name)
{
	static char path[512];
	const char *source = unit_source();

	(void)snprintf(path, sizeof(path), "%s/tests/data/trace-dat/%s", source ? source : ".",
		       name);
	return path;
}

static struct dossier *load(const char *path, int want, struct error *err)
{
	struct dossier *d = dossier_new();

	assert_int_equal(load_input(d, path, NULL, err), want);
	return d;
}

/*
 * Expects the same calls in the same order: equal names, parents, depths, tasks, CPUs and
 * durations.
 */
static void assert_same_calls(const struct dossier *a, const struct dossier *b)
{
	const struct calls *x = a->captures.data[0]->calls;
	const struct calls *y = b->captures.data[0]->calls;

	assert_int_equal(x->n, y->n);
	for (uint32_t i = 0; i < x->n; i++) {
		const struct call_lane *p = &x->lanes.data[x->lane.data[i]];
		const struct call_lane *q = &y->lanes.data[y->lane.data[i]];

		assert_true(str_eq(symbols_name(&a->symbols, x->sym.data[i]),
				   symbols_name(&b->symbols, y->sym.data[i])));
		assert_int_equal(x->parent.data[i], y->parent.data[i]);
		assert_int_equal(x->depth.data[i], y->depth.data[i]);
		assert_int_equal(x->state.data[i] & CALL_STATE_MASK,
				 y->state.data[i] & CALL_STATE_MASK);
		assert_int_equal(calls_duration(x, i), calls_duration(y, i));
		assert_int_equal(p->pid, q->pid);
		assert_int_equal(p->cpu, q->cpu);
		assert_true(str_eq(strings_get(&a->strings, p->comm),
				   strings_get(&b->strings, q->comm)));
	}
	assert_int_equal(x->lost_events, y->lost_events);
	assert_int_equal(x->marks.len, y->marks.len);
	for (size_t i = 0; i < x->marks.len; i++) {
		assert_int_equal(x->marks.data[i].kind, y->marks.data[i].kind);
		assert_int_equal(x->marks.data[i].before_call, y->marks.data[i].before_call);
		assert_true(str_eq(strings_get(&a->strings, x->marks.data[i].text),
				   strings_get(&b->strings, y->marks.data[i].text)));
	}
}

static void a_recording_and_its_text_give_the_same_calls(void **state)
{
	struct error err = { "" };
	struct dossier *dat;
	struct dossier *text;

	(void)state;
	if (!HAVE_TRACEEVENT)
		SKIP_TEST("this build has no libtraceevent");
	dat = load(data_path("v6.dat"), OK, &err);
	text = load(data_path("report.txt"), OK, &err);
	assert_int_equal(dat->captures.len, 1);
	assert_int_equal(dat->captures.data[0]->calls->n, 233);
	assert_int_equal(dat->captures.data[0]->calls->lost_events, 77);
	assert_same_calls(dat, text);
	dossier_free(dat);
	dossier_free(text);
}

static void version_7_compressed_says_what_version_6_says(void **state)
{
	struct error err = { "" };
	struct dossier *six;
	struct dossier *seven;

	(void)state;
	if (!HAVE_TRACEEVENT)
		SKIP_TEST("this build has no libtraceevent");
	if (!HAVE_ZSTD)
		SKIP_TEST("this build has no zstd");
	six = load(data_path("v6.dat"), OK, &err);
	seven = load(data_path("v7-zstd.dat"), OK, &err);
	assert_same_calls(six, seven);
	dossier_free(six);
	dossier_free(seven);
}

static void a_big_endian_machine_says_the_same(void **state)
{
	struct error err = { "" };
	struct dossier *little;
	struct dossier *big;

	(void)state;
	if (!HAVE_TRACEEVENT)
		SKIP_TEST("this build has no libtraceevent");
	little = load(data_path("v6.dat"), OK, &err);
	big = load(data_path("v6-big-endian.dat"), OK, &err);
	assert_same_calls(little, big);
	for (size_t i = 0; i < little->captures.data[0]->calls->n; i++) {
		assert_int_equal(little->captures.data[0]->calls->retval.data[i],
				 big->captures.data[0]->calls->retval.data[i]);
		assert_int_equal(little->captures.data[0]->calls->start_ns.data[i],
				 big->captures.data[0]->calls->start_ns.data[i]);
	}
	dossier_free(little);
	dossier_free(big);
}

static void times_and_return_values_come_to_the_nanosecond(void **state)
{
	struct error err = { "" };
	struct dossier *d;
	const struct calls *c;
	size_t errors = 0;

	(void)state;
	if (!HAVE_TRACEEVENT)
		SKIP_TEST("this build has no libtraceevent");
	d = load(data_path("v6.dat"), OK, &err);
	c = d->captures.data[0]->calls;
	assert_int_equal(c->start_ns.len, c->n);
	assert_int_equal(c->retval.len, c->n);
	assert_true(c->start_ns.data[0] / 1000 == 27345009);
	for (size_t i = 0; i < c->n; i++)
		errors += c->retval_kind.data[i] == RETVAL_DECIMAL &&
			  (int64_t)c->retval.data[i] == -2;
	assert_true(errors > 0);
	dossier_free(d);
}

/* Load the first @len bytes of a sample, with one byte changed, from a temporary file. */
static int load_damaged(const char *name, size_t len, size_t at, struct dossier **ret,
			struct error *err)
{
	char path[] = "/tmp/assay-trace-dat-XXXXXX";
	int fd = mkstemp(path);
	FILE *in = fopen(data_path(name), "rb");
	char *bytes = calloc(1, 65536);
	size_t n;
	int status;

	assert_true(fd >= 0 && in && bytes);
	n = fread(bytes, 1, 65536, in);
	if (at < n)
		bytes[at] = (char)(bytes[at] ^ 0x55);
	assert_true(write(fd, bytes, len < n ? len : n) > 0);
	*ret = dossier_new();
	status = load_input(*ret, path, NULL, err);
	(void)fclose(in);
	(void)close(fd);
	(void)unlink(path);
	free(bytes);
	return status;
}

static void a_cut_file_gives_what_is_there_and_says_so(void **state)
{
	struct error err = { "" };
	struct dossier *d;

	(void)state;
	if (!HAVE_TRACEEVENT)
		SKIP_TEST("this build has no libtraceevent");
	assert_int_equal(load_damaged("v6.dat", 36000, SIZE_MAX, &d, &err), OK);
	assert_true(d->captures.data[0]->calls->n > 50);
	assert_true(diag_get(&d->captures.data[0]->diag, "trace-dat-bad-buffer") > 0);
	dossier_free(d);
	assert_int_equal(load_damaged("v6.dat", 9000, SIZE_MAX, &d, &err), ERR_FORMAT);
	assert_true(strstr(err.msg, "truncated") != NULL);
	dossier_free(d);
}

static void damage_anywhere_ends_in_words(void **state)
{
	struct error err = { "" };
	struct dossier *d;

	(void)state;
	if (!HAVE_TRACEEVENT)
		SKIP_TEST("this build has no libtraceevent");
	for (size_t at = 0; at < 200; at++) {
		size_t place = at < 60 ? at : (at - 60) * 157;
		int status =
			load_damaged(at % 2 ? "v6.dat" : "v7-zstd.dat", 65536, place, &d, &err);

		assert_true(status == OK || err.msg[0]);
		dossier_free(d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recording_and_its_text_give_the_same_calls),
		cmocka_unit_test(version_7_compressed_says_what_version_6_says),
		cmocka_unit_test(a_big_endian_machine_says_the_same),
		cmocka_unit_test(times_and_return_values_come_to_the_nanosecond),
		cmocka_unit_test(a_cut_file_gives_what_is_there_and_says_so),
		cmocka_unit_test(damage_anywhere_ends_in_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
