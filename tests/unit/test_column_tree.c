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
#include "formats/format.h"
#include "texts.h"

/* The weight of the stacks that have @name at their end, or anywhere. */
static uint64_t weight_of(const struct capture *c, const char *name, bool is_self)
{
	const struct profile *p = c->profile;
	uint64_t sum = 0;

	for (size_t i = 0; i < p->samples.n; i++) {
		stack_id at = p->samples.stack.data[i];

		for (; at.v != STACK_ROOT.v; at = stacks_parent(&p->stacks, at)) {
			if (str_eq(symbols_name(capture_symbols(c), stacks_sym(&p->stacks, at)),
				   str_of(name))) {
				sum += p->samples.weight.data[i];
				break;
			}
			if (is_self)
				break;
		}
	}
	return sum;
}

static const char *event_of(const struct capture *c)
{
	return strings_get(capture_strings(c), c->profile->event).p;
}

static void instruments_has_units_in_cells(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c;

	(void)state;
	(void)text_detect(d, "Weight\tSelf Weight\t\tSymbol Name\n"
			     "4.12 s  100.0%\t-\t \tshelfd (40414)\n"
			     "4.12 s  100.0%\t0 s\t \t Main Thread  0x1e2f\n"
			     "4.12 s  100.0%\t0 s\t \t  start\n"
			     "4.12 s  100.0%\t20.00 ms\t \t   main\n"
			     "4.10 s   99.5%\t4.00 s\t \t    fill(int, char)\n"
			     "100.00 ms    2.4%\t100.00 ms\t \t     strcmp\n"
			     "1.00 ms    0.0%\t1.00 ms\t \t    write\n");
	assert_int_equal(d->captures.len, 1);
	c = d->captures.data[0];
	assert_string_equal(c->format, "instruments");
	assert_string_equal(event_of(c), "cpu-time");
	assert_int_equal(c->profile->unit, WEIGHT_NS);
	assert_int_equal(c->last_line, 8);
	assert_int_equal(weight_of(c, "shelfd", false), 4121000000);
	assert_int_equal(weight_of(c, "main", true), 20000000);
	assert_int_equal(weight_of(c, "fill(int, char)", false), 4100000000);
	assert_int_equal(weight_of(c, "fill(int, char)", true), 4000000000);
	assert_int_equal(weight_of(c, "strcmp", true), 100000000);
	assert_int_equal(weight_of(c, "Main Thread  0x1e2f", false), 0);
	assert_int_equal(c->profile->left_out, 0); /* rounding */
	assert_int_equal(c->diag.entries.len, 0);
}

static void instruments_had_milliseconds_in_the_title(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c;

	(void)state;
	(void)text_detect(d, "Running Time\tSelf (ms)\t\tSymbol Name\n"
			     "1234.0ms  100.0%\t0,0\t \tstart\n"
			     "1234.0ms  100.0%\t34,0\t \t main\n"
			     "1000.0ms   81.0%\t1000,0\t \t  __psynch_cvwait\n");
	c = d->captures.data[0];
	assert_int_equal(weight_of(c, "start", false), 1034000000);
	assert_int_equal(weight_of(c, "main", true), 34000000);
	/* 200 ms are of callees that are not in the copied text */
	assert_int_equal(c->profile->left_out, 200000000);
	assert_string_equal(event_of(c), "wall");
}

static void instruments_counts_cycles_and_bytes(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c;

	(void)state;
	(void)text_detect(d, "Weight\tSelf Weight\tSymbol Names\n"
			     "1.50 Gc  100.0%\t-\tmain\n"
			     "1.25 Gc   83.3%\t1.25 Gc\t fill\n"
			     "250.00 Mc   16.6%\t250.00 Mc\t find\n"
			     "532 cycles    0.0%\t532 cycles\t write\n\n\n\n\n"
			     "Bytes Used\tCount\t\tSymbol Name\n"
			     "3.00 KB  100.0%\t5\t \tmain\n"
			     "2.00 KB   66.6%\t4\t \t fill\n");
	assert_int_equal(d->captures.len, 2);
	c = d->captures.data[0];
	assert_string_equal(event_of(c), "cycles");
	assert_int_equal(weight_of(c, "main", false), 1500000532);
	assert_int_equal(weight_of(c, "write", true), 532);
	c = d->captures.data[1];
	assert_string_equal(event_of(c), "space");
	assert_int_equal(c->profile->unit, WEIGHT_BYTES);
	assert_int_equal(weight_of(c, "main", false), 3072);
	assert_int_equal(weight_of(c, "main", true), 1024); /* there is no column of self amounts */
	assert_int_equal(weight_of(c, "fill", true), 2048);
}

/* clang-format off */
#define TOP_DOWN_HEAD \
	"Function Stack            CPU Time:Total  CPU Time:Spin Time:Total  CPU Time:Self  Module     Function (Full)\n" \
	"------------------------  --------------  ------------------------  -------------  ---------  ---------------\n" \
	"Total                             100.0%                    100.0%             0s\n" \
	" _start                            98.0%                      0.0%             0s  shelfd     _start\n" \
	"  main                             98.0%                      0.0%         0.200s  shelfd     main\n" \
	"   shelf_put                       96.0%                      0.0%         1.600s  shelfd     shelf_put(int)\n" \
	"    shelf_find                     60.0%                      0.0%         6.000s  shelfd     shelf_find(int)\n"
#define TOP_DOWN_REST \
	"    memmove                        20.0%                      0.0%         2.000s  libc.so.6  memmove\n" \
	" func@0x6b2daccf                    2.0%                      0.0%         0.200s  vmlinux    do_idle\n"
/* clang-format on */

static void top_down_has_shares_and_self_times(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c;

	(void)state;
	(void)text_detect(d, TOP_DOWN_HEAD TOP_DOWN_REST);
	c = d->captures.data[0];
	assert_string_equal(c->format, "vtune");
	assert_string_equal(event_of(c), "cpu-time");
	assert_int_equal(weight_of(c, "_start", false), 9800000000);
	assert_int_equal(weight_of(c, "shelf_put", false), 9600000000);
	assert_int_equal(weight_of(c, "shelf_put", true), 1600000000);
	assert_int_equal(weight_of(c, "memmove", true), 2000000000);
	assert_int_equal(weight_of(c, "0x6b2daccf", true), 200000000);
	assert_int_equal(c->profile->left_out, 0);
	assert_int_equal(c->diag.entries.len, 0);
}

static void a_limited_top_down_is_not_the_whole(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c;

	(void)state;
	(void)text_detect(d, TOP_DOWN_HEAD);
	c = d->captures.data[0];
	assert_int_equal(weight_of(c, "shelf_find", true), 6000000000);
	/* 6 s are 60 %: the whole is 10 s, of which 7.8 s are printed */
	assert_in_range(c->profile->left_out, 2180000000, 2200000000);
}

static void top_down_can_be_separated_values(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c;

	(void)state;
	(void)text_detect(d, "Function Stack,CPU Time:Total,CPU Time:Self,Module\n"
			     "Total,10.5,0.0,\n"
			     "\" main(int, char**)\",10.5,0.5,shelfd\n"
			     "  find,10.0,10.0,shelfd\n");
	c = d->captures.data[0];
	assert_int_equal(weight_of(c, "main(int, char**)", false), 10500000000);
	assert_int_equal(weight_of(c, "main(int, char**)", true), 500000000);
	assert_int_equal(weight_of(c, "find", true), 10000000000);
	assert_int_equal(c->profile->left_out, 0);
}

static void callstacks_has_callers_below_each_function(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c;

	(void)state;
	(void)text_detect(d, "Function  Function Stack  CPU Time  Module\n"
			     "--------  --------------  --------  ------\n"
			     "find                        5.436s  shelfd\n"
			     "          put               1.918s  shelfd\n"
			     "          main                  0s  shelfd\n"
			     "          get               3.000s  shelfd\n"
			     "          main                  0s  shelfd\n"
			     "write                       1.000s  libc.so.6\n"
			     "          flush             1.000s  shelfd\n");
	c = d->captures.data[0];
	assert_int_equal(weight_of(c, "find", true), 5436000000);
	assert_int_equal(weight_of(c, "put", false), 1918000000);
	assert_int_equal(weight_of(c, "get", false), 3000000000);
	assert_int_equal(weight_of(c, "main", false), 4918000000);
	assert_int_equal(weight_of(c, "flush", false), 1000000000);
	assert_int_equal(weight_of(c, "flush", true), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instruments_has_units_in_cells),
		cmocka_unit_test(instruments_had_milliseconds_in_the_title),
		cmocka_unit_test(instruments_counts_cycles_and_bytes),
		cmocka_unit_test(top_down_has_shares_and_self_times),
		cmocka_unit_test(a_limited_top_down_is_not_the_whole),
		cmocka_unit_test(top_down_can_be_separated_values),
		cmocka_unit_test(callstacks_has_callers_below_each_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
