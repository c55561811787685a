/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/limits.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/ustar.h"
#include "base/vec.h"
#include "core/diag.h"
#include "document/capsule.h"
#include "document/document.h"

static const char about[] = "{\n  \"schema\": \"" CAPSULE_SCHEMA "\"\n}\n";

static void add(struct out *o, const char *name, const char *data)
{
	assert_int_equal(ustar_add(o, str_of(name), str_of(data), NULL), OK);
}

static struct out capsule_of_two(void)
{
	struct out o;

	out_init(&o);
	add(&o, CAPSULE_ABOUT, about);
	add(&o, "evidence/a.txt", "first\n");
	add(&o, "other/x", "other\n");
	add(&o, "evidence/b.txt", "second\n");
	ustar_end(&o);
	return o;
}

static void members_come_back_as_they_were_written(void **state)
{
	struct out o = capsule_of_two();
	struct ustar t = { .rest = out_view(&o) };
	struct ustar_member m;

	(void)state;
	assert_true(o.len % USTAR_BLOCK == 0);
	assert_true(ustar_next(&t, &m));
	assert_true(str_eq(m.name, STR(CAPSULE_ABOUT)));
	assert_true(str_eq(m.data, str_of(about)));
	assert_true(ustar_next(&t, &m));
	assert_true(str_eq(m.data, STR("first\n")));
	assert_true(ustar_next(&t, &m));
	assert_true(ustar_next(&t, &m));
	assert_false(ustar_next(&t, &m));
	assert_false(t.is_damaged);
	assert_true(t.n_skipped == 0);
	out_fini(&o);
}

static void a_name_that_does_not_fit_is_an_error(void **state)
{
	char name[USTAR_NAME_MAX + 1];
	struct out o;

	(void)state;
	out_init(&o);
	memset(name, 'a', sizeof(name));
	assert_int_equal(ustar_add(&o, (struct str){ name, sizeof(name) }, STR("x"), NULL),
			 ERR_LIMIT);
	assert_int_equal(ustar_add(&o, (struct str){ name, sizeof(name) - 1 }, STR("x"), NULL), OK);
	out_fini(&o);
}

static void every_cut_keeps_the_members_before_it(void **state)
{
	struct out o = capsule_of_two();

	(void)state;
	for (size_t len = 0; len < o.len - 2 * USTAR_BLOCK; len++) {
		struct ustar t = { .rest = { o.data, len } };
		struct ustar_member m;
		size_t n = 0;

		while (ustar_next(&t, &m))
			n++;
		assert_true(n <= len / USTAR_BLOCK);
		assert_true(t.is_damaged || len % USTAR_BLOCK == 0);
	}
	out_fini(&o);
}

static void each_input_has_its_number(void **state)
{
	struct out o = capsule_of_two();
	struct diag diag = { VEC_INIT };
	struct capsule c;

	(void)state;
	assert_true(capsule_is(out_view(&o)));
	assert_int_equal(capsule_open(out_view(&o), 1, &diag, &c, NULL), OK);
	assert_true(str_eq(c.name, STR("b.txt")));
	assert_true(str_eq(c.text, STR("second\n")));
	assert_true(c.n_evidence == 2);
	assert_int_equal(capsule_open(out_view(&o), 2, &diag, &c, NULL), ERR_FORMAT);
	assert_true(capsule_find(out_view(&o), STR("b.txt")) == 1);
	assert_true(capsule_find(out_view(&o), STR("c.txt")) == SIZE_MAX);
	assert_true(diag.entries.len == 0);
	out_fini(&o);
}

static void a_document_is_the_first_input(void **state)
{
	CLEANUP(document_freep) struct document *d = NULL;
	struct out o = capsule_of_two();

	(void)state;
	assert_int_equal(document_from_memory(out_view(&o), NULL, &d, NULL), OK);
	assert_true(str_eq(d->text, STR("first\n")));
	assert_string_equal(d->encoding, "capsule");
	out_fini(&o);
}

static void a_wrong_checksum_is_counted(void **state)
{
	struct diag diag = { VEC_INIT };
	struct capsule c;
	struct out sums;
	struct out o;
	char digits[17];

	(void)state;
	for (int is_wrong = 0; is_wrong < 2; is_wrong++) {
		capsule_checksum(is_wrong ? STR("other") : STR("first\n"), digits);
		out_init(&sums);
		out_init(&o);
		out_printf(&sums, "%s  evidence/a.txt\n%c", digits, '\0');
		add(&o, CAPSULE_ABOUT, about);
		add(&o, CAPSULE_CHECKSUMS, sums.data);
		add(&o, "evidence/a.txt", "first\n");
		ustar_end(&o);
		assert_int_equal(capsule_open(out_view(&o), 0, &diag, &c, NULL), OK);
		assert_true(diag_get(&diag, "capsule-checksum") == (uint64_t)is_wrong);
		out_fini(&sums);
		out_fini(&o);
	}
	diag_fini(&diag);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_come_back_as_they_were_written),
		cmocka_unit_test(a_name_that_does_not_fit_is_an_error),
		cmocka_unit_test(every_cut_keeps_the_members_before_it),
		cmocka_unit_test(each_input_has_its_number),
		cmocka_unit_test(a_document_is_the_first_input),
		cmocka_unit_test(a_wrong_checksum_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
