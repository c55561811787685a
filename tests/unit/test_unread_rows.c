/* SPDX-License-Identifier: MIT */
/* Rows of a table that its reader could not read: formats/unread_rows.c. */
#include "unit.h"

#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "formats/unread_rows.h"
#include "texts.h"

static bool is_row(const char *line)
{
	return unread_rows_is_row(str_of(line));
}

static void half_of_the_words_of_a_row_are_numbers(void **state)
{
	(void)state;
	assert_true(is_row("eth0 ? 12 3.5"));
	assert_false(is_row("eth0 ? rx 12 3.5")); /* two of five */
	assert_false(is_row("page 12"));          /* one number is no row */
	assert_true(is_row("[16K, 32K)  120 |@@@@ |"));
	assert_true(is_row("08:11:47 PM eth0 -1.5 12%"));
	assert_true(is_row("sda 12KiB 3ms"));
	assert_false(is_row("sda 12sectors 3pages"));
}

static void times_addresses_and_masks_are_no_numbers(void **state)
{
	(void)state;
	assert_false(is_row("08:11:47 restarted with 12 workers"));
	assert_false(is_row("inet 192.0.2.7 via 192.0.2.1"));
	assert_true(is_row("mem 1.204.301 2.204.301"));
	assert_true(is_row("mask 00000000,00000000,00000000,00001 1"));
	assert_false(is_row("mask 00000000,00000000,00000000,000001 1"));
}

static void a_name_with_a_sign_and_one_number_is_a_row(void **state)
{
	(void)state;
	assert_true(is_row("Balloon: 0 kB"));
	assert_true(is_row("tps = 812"));
	assert_true(is_row("swap_ra 12"));
	assert_false(is_row("swap ra 12"));
	assert_false(is_row("Note: 12 of them hung"));
}

static void sums_and_means_are_no_lost_rows(void **state)
{
	(void)state;
	assert_false(is_row("Total 12 31"));
	assert_false(is_row("100.00 4.54 2429 total"));
	assert_false(is_row("Average: 12.5 3.1"));
}

static void rows_are_alike_by_their_number_of_numbers(void **state)
{
	(void)state;
	assert_true(unread_rows_is_like(STR("n/a 0 1 2 3"), STR("9 0 1 2 3")));
	assert_false(unread_rows_is_like(STR("n/a ? 1 2 3"), STR("9 0 1 2 3")));
	assert_false(unread_rows_is_like(STR("rx_x: 12"), STR("9 0")));
	assert_true(unread_rows_is_like(STR("  rx_x: 12"), STR("  tx_y: 1")));
	assert_false(unread_rows_is_like(STR("loss: 12"), STR("  tx_y: 1")));
}

/* Expects that the reader of @text leaves out @n rows, the first of which is in line @first. */
static void assert_unread(const char *text, uint64_t n, uint32_t first)
{
	struct dossier *d = text_load(NULL, text);
	const struct diag *diag = &d->captures.data[0]->diag;
	uint32_t line = 0;

	assert_int_equal(diag_get(diag, DIAG_UNREAD_ROWS), n);
	for (size_t i = 0; i < diag->entries.len; i++) {
		if (strcmp(diag->entries.data[i].kind->counter, DIAG_UNREAD_ROWS) == 0)
			line = diag->entries.data[i].first_line;
	}
	assert_int_equal(line, first);
	dossier_free(d);
}

#define HEAD                                                                                 \
	" r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n" \
	" 2  0      0 912004  41200 812300    0    0     2     9  120  310  7  2 91  0  0\n"
#define ROW " 1  0      0 911004  41200 812300    0    0     0     8  110  290  5  2 93  0  0\n"
#define BAD " 1  0      0 911004  41200 812300    0    0     0     8  n/a  290  5  2 93  0  0\n"

static void unread_rows_count_in_and_directly_below_a_table(void **state)
{
	(void)state;
	assert_unread(HEAD ROW, 0, 0);
	assert_unread(HEAD BAD ROW, 1, 3);
	assert_unread(HEAD ROW BAD BAD, 2, 4);
	/* below prose or a blank line, it is no row of this table */
	assert_unread(HEAD ROW "\n" BAD, 0, 0);
	assert_unread(HEAD ROW "then it hung\n" BAD, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(half_of_the_words_of_a_row_are_numbers),
		cmocka_unit_test(times_addresses_and_masks_are_no_numbers),
		cmocka_unit_test(a_name_with_a_sign_and_one_number_is_a_row),
		cmocka_unit_test(sums_and_means_are_no_lost_rows),
		cmocka_unit_test(rows_are_alike_by_their_number_of_numbers),
		cmocka_unit_test(unread_rows_count_in_and_directly_below_a_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
