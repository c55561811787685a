/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyses/top/top.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/metrics.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/symbols.h"
#include "explain/explain.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "formats/format.h"
#include "texts.h"

#include <stdio.h>

DECLARE_FORMAT(massif);

/* The capture with the tree. */
static const struct capture *load_tree(struct dossier *d, const char *text)
{
	const struct capture *first = text_detect(d, text);

	return first->profile ? first : d->captures.data[1];
}

#define SNAPSHOTS                                                                            \
	"--------------------------------------------------------------------------------\n" \
	"  n        time(i)         total(B)   useful-heap(B) extra-heap(B)    stacks(B)\n"  \
	"--------------------------------------------------------------------------------\n" \
	"  0              0                0                0             0            0\n"  \
	"  1        135,301            1,000              900           100            0\n"
#define TREE                                                                              \
	"90.00% (900B) (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n" \
	"->60.00% (600B) 0x4A1: Shelf::put(Box const&) (shelf.cpp:12)\n"                  \
	"| ->40.00% (400B) 0x4B2: Shelf::load() (shelf.cpp:40)\n"                         \
	"| | ->40.00% (400B) 0x4C3: main (main.cpp:9)\n"                                  \
	"| |   \n"                                                                        \
	"| ->15.00% (150B) 0x4B9: Shelf::copy() (shelf.cpp:52)\n"                         \
	"|   \n"                                                                          \
	"->30.00% (300B) 0x4D1: inflateInit (in /usr/lib/libz.so.1)\n"

/* Bytes at the stack whose innermost function is @name, with @depth frames; 0: none. */
static uint64_t bytes_at(const struct capture *c, const char *name, uint32_t depth)
{
	const struct profile *p = c->profile;

	for (size_t i = 0; i < p->samples.n; i++) {
		stack_id at = p->samples.stack.data[i];

		if (stacks_depth(&p->stacks, at) == depth &&
		    str_eq(symbols_name(capture_symbols(c), stacks_sym(&p->stacks, at)),
			   str_of(name)))
			return p->samples.weight.data[i];
	}
	return 0;
}

static void a_tree_becomes_stacks_with_what_each_has_alone(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = load_tree(d, SNAPSHOTS TREE);

	(void)state;
	assert_string_equal(c->format, "massif");
	assert_int_equal(c->profile->unit, WEIGHT_BYTES);
	assert_int_equal(bytes_at(c, "Shelf::put(Box const&)", 3), 400);
	assert_int_equal(bytes_at(c, "Shelf::put(Box const&)", 2), 150);
	assert_int_equal(bytes_at(c, "Shelf::put(Box const&)", 1), 50);
	assert_int_equal(bytes_at(c, "inflateInit", 1), 300);
	assert_int_equal(bytes_at(c, "[heap overhead]", 1), 100);
	assert_str(symbols_name(&d->symbols, stacks_sym(&c->profile->stacks, (stack_id){ 2 })),
		   "main"); /* outermost first */
}

static void snapshots_become_a_table(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *table = text_detect(d, SNAPSHOTS TREE);

	(void)state;
	assert_int_equal(table->metrics->n_rows, 2);
	assert_true(metrics_value(table->metrics, 1, 1) == 1000);
	assert_true(metrics_value(table->metrics, 1, 3) == 100);
}

static void of_several_trees_the_largest_counts(void **state)
{
	static const char text[] =
		"desc: (none)\ncmd: ./shelfd\ntime_unit: i\n#-----------\nsnapshot=0\n"
		"#-----------\ntime=0\nmem_heap_B=700\nmem_heap_extra_B=50\nmem_stacks_B=10\n"
		"heap_tree=peak\nn1: 700 (heap allocation functions) malloc\n"
		" n0: 700 0x1: big (a.c:1)\n#-----------\nsnapshot=1\n#-----------\ntime=5\n"
		"mem_heap_B=300\nmem_heap_extra_B=5\nmem_stacks_B=0\nheap_tree=detailed\n"
		"n1: 300 (heap allocation functions) malloc\n n0: 300 0x2: small (a.c:2)\n";
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = load_tree(d, text);
	const struct capture *table = d->captures.data[0];

	(void)state;
	assert_int_equal(c->profile->samples.n, 3);
	assert_int_equal(bytes_at(c, "big", 1), 700);
	assert_int_equal(bytes_at(c, "[heap overhead]", 1), 50);
	assert_int_equal(bytes_at(c, "[thread stacks]", 1), 10);
	assert_int_equal(table->metrics->n_rows, 2);
	assert_true(metrics_value(table->metrics, 0, 1) == 760);
}

static void a_tree_alone_is_enough_and_prose_is_not(void **state)
{
	struct extent e;

	(void)state;
	assert_true(format_massif.find(STR(TREE), 0, &e));
	assert_false(format_massif.find(STR("it is 60.00% (600B) of all\n-> 5 more\n"), 0, &e));
	assert_false(format_massif.find(STR("  0  0  0  0  0  0\n  1 1 1 1 1 1\n"), 0, &e));
}

/*
 * The severity of @rule for the first @n snapshots with these totals; @extra: overhead as a
 * fraction of each total. -1: no finding.
 */
static int severity_of(const char *rule, const double totals[12], size_t n, double extra)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(facts_freep) struct facts *facts = NULL;
	struct findings f = { .rows = VEC_INIT };
	char text[4096] = "  n        time(i)         total(B)   useful-heap(B) extra-heap(B)    "
			  "stacks(B)\n";
	size_t len = strlen(text);
	int ret = -1;

	for (size_t i = 0; i < n; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"%zu %zu %.0f %.0f %.0f 0\n", i, i * 10, totals[i],
					totals[i] - totals[i] * extra, totals[i] * extra);
	(void)text_detect(d, text);
	facts = facts_new(d);
	explain_run(facts, NULL, &f);
	assert_null(findings_check(&f));
	VEC_FOREACH (row, &f.rows) {
		if (strcmp(row->rule->id, rule) == 0)
			ret = (int)row->severity;
	}
	findings_fini(&f);
	return ret;
}

static void a_heap_grows_when_each_quarter_is_a_tenth_larger(void **state)
{
	static const double grows[12] = { 1000, 1000, 1000, 1110, 1110, 1110,
					  1230, 1230, 1230, 1360, 1360, 1360 };
	static const double levels[12] = { 1000, 1000, 1000, 1110, 1110, 1110,
					   1230, 1230, 1230, 1350, 1350, 1350 };
	static const double early[12] = { 1000, 1000, 1000, 2000, 2000, 2000,
					  3000, 3000, 3000, 5000, 4900, 4900 };
	static const double exits[12] = { 1000, 1000, 1000, 2000, 2000, 2000,
					  3000, 3000, 3000, 5000, 5000, 10 };

	(void)state;
	assert_int_equal(severity_of("heap-growth", grows, 12, 0), FINDING_NOTE);
	assert_int_equal(severity_of("heap-growth", grows, 11, 0), -1);
	assert_int_equal(severity_of("heap-growth", levels, 12, 0), -1);
	assert_int_equal(severity_of("heap-growth", early, 12, 0), -1);
	assert_int_equal(severity_of("heap-growth", exits, 12, 0), FINDING_NOTE);
}

static void overhead_is_a_note_from_a_fifth_on(void **state)
{
	static const double flat[12] = { 100000, 1, 1 };

	(void)state;
	assert_int_equal(severity_of("heap-overhead", flat, 3, 0.1999), -1);
	assert_int_equal(severity_of("heap-overhead", flat, 3, 0.2001), FINDING_NOTE);
}

/* valgrind >= 3.15: one column a level, no addresses; the mail cut the other sites. */
static void levels_of_one_column_without_addresses_are_read(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c =
		load_tree(d, " 90.00% (900B) (heap allocation functions) malloc/new/new[]\n"
			     " ->80.00% (800B) xmalloc (util.c:7)\n"
			     " |->70.00% (700B) shelf_dup (shelf.c:48)\n"
			     " | ->70.00% (700B) shelf_put (shelf.c:138)\n"
			     " || ->70.00% (700B) main (main.c:9)\n");
	uint64_t sum = 0;

	(void)state;
	assert_int_equal(bytes_at(c, "xmalloc", 4), 700);
	assert_int_equal(bytes_at(c, "xmalloc", 1), 100);
	for (size_t i = 0; i < c->profile->samples.n; i++)
		sum += c->profile->samples.weight.data[i];
	assert_int_equal(sum, 900); /* bytes that no line shows are part of the whole */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tree_becomes_stacks_with_what_each_has_alone),
		cmocka_unit_test(levels_of_one_column_without_addresses_are_read),
		cmocka_unit_test(snapshots_become_a_table),
		cmocka_unit_test(of_several_trees_the_largest_counts),
		cmocka_unit_test(a_tree_alone_is_enough_and_prose_is_not),
		cmocka_unit_test(a_heap_grows_when_each_quarter_is_a_tenth_larger),
		cmocka_unit_test(overhead_is_a_note_from_a_fifth_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
