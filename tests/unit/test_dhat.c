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
#include "texts.h"

#include "config.h"

#define HEAD "{\"dhatFileVersion\":2,\"mode\":\"heap\",\"verb\":\"Allocated\",\"cmd\":\"./shop\","
#define TABLE                                                                                \
	"\"ftbl\":[\"[root]\",\"0x48417B4: malloc (in /usr/libexec/valgrind/vgpreload_dhat-" \
	"amd64-linux.so)\",\"0x109170: grow (cart.c:4)\",\"0x1091B1: fill (in /srv/shop)\"," \
	"\"0x109219: ??? (in /srv/shop)\"]}"

/* Sum of the weights of all stacks with the function @name, as their innermost one or anywhere. */
static uint64_t weight_of(const struct capture *c, const char *name, bool is_self)
{
	const struct profile *p = c->profile;
	uint64_t sum = 0;

	for (size_t i = 0; i < p->samples.n; i++) {
		stack_id at = p->samples.stack.data[i];
		bool has = false;

		for (; at.v && !has; at = is_self ? STACK_ROOT : stacks_parent(&p->stacks, at))
			has = str_eq(symbols_name(capture_symbols(c), stacks_sym(&p->stacks, at)),
				     str_of(name));
		sum += has ? p->samples.weight.data[i] : 0;
	}
	return sum;
}

static void each_total_is_a_profile_of_the_same_stacks(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = text_detect(
		d, HEAD
		"\"pps\":["
		"{\"tb\":3000,\"tbk\":30,\"mb\":900,\"gb\":900,\"eb\":0,\"fs\":[1,2,3]},"
		"{\"tb\":1000,\"tbk\":90,\"mb\":100,\"gb\":100,\"eb\":0,\"fs\":[1,4]}]," TABLE);

	(void)state;
	assert_string_equal(c->format, "dhat");
	assert_int_equal(d->captures.len, 3);
	assert_str(strings_get(&d->strings, c->command), "./shop");
	assert_str(strings_get(&d->strings, c->profile->event), "alloc_space");
	assert_int_equal(c->profile->unit, WEIGHT_BYTES);
	assert_int_equal(weight_of(c, "grow", true), 3000); /* malloc of valgrind is no frame */
	assert_int_equal(weight_of(c, "fill", true), 0);
	assert_int_equal(weight_of(c, "fill", false), 3000);
	assert_int_equal(weight_of(c, "0x109219", true), 1000);
	assert_int_equal(diag_get(&c->diag, "dhat-nameless"), 1);
	c = d->captures.data[1];
	assert_str(strings_get(&d->strings, c->profile->event), "alloc_objects");
	assert_int_equal(weight_of(c, "grow", true), 30);
	c = d->captures.data[2];
	assert_str(strings_get(&d->strings, c->profile->event), "inuse_space");
	assert_int_equal(weight_of(c, "grow", true), 900);
}

static void a_frame_outside_of_the_table_is_counted(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = text_detect(
		d, HEAD "\"pps\":[{\"tb\":3000,\"tbk\":30,\"gb\":1,\"fs\":[2,77,-1]}]," TABLE);

	(void)state;
	assert_int_equal(diag_get(&c->diag, "dhat-frames"), 2);
	assert_int_equal(weight_of(c, "grow", true), 3000);
}

static void equal_totals_are_no_excerpts_of_each_other(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c =
		text_detect(d, HEAD "\"pps\":["
				    "{\"tb\":3000,\"tbk\":30,\"gb\":3000,\"fs\":[2,3]},"
				    "{\"tb\":3000,\"tbk\":30,\"gb\":3000,\"fs\":[2,4]},"
				    "{\"tb\":3000,\"tbk\":30,\"gb\":3000,\"fs\":[3,4]}]," TABLE);

	(void)state;
	assert_int_equal(d->captures.len, 3);
	assert_int_equal(c->excerpt_of, INDEX_NONE);
	assert_int_equal(d->captures.data[2]->excerpt_of, INDEX_NONE);
}

static void other_modes_have_one_total(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = text_detect(
		d, "{\"dhatFileVersion\":2,\"mode\":\"copy\",\"pps\":[{\"tb\":64,\"tbk\":2,"
		   "\"fs\":[2]}]," TABLE);

	(void)state;
	assert_int_equal(d->captures.len, 2);
	assert_str(strings_get(&d->strings, c->profile->event), "copied_bytes");
}

static void dhat_needs_json(void **state)
{
	(void)state;
	SKIP_TEST("no json-c in this build");
}

int main(void)
{
	const struct CMUnitTest none[] = { cmocka_unit_test(dhat_needs_json) };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_total_is_a_profile_of_the_same_stacks),
		cmocka_unit_test(a_frame_outside_of_the_table_is_counted),
		cmocka_unit_test(equal_totals_are_no_excerpts_of_each_other),
		cmocka_unit_test(other_modes_have_one_total),
	};

	return HAVE_JSON ? cmocka_run_group_tests_name("dhat", tests, NULL, NULL)
			 : cmocka_run_group_tests_name("dhat", none, NULL, NULL);
}
