/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/threads.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/format.h"

DECLARE_FORMAT(innodb_status);
DECLARE_FORMAT(session_table);

static struct dossier *dossier;

static const struct threads *read_text(const struct format *format, const char *text)
{
	CLEANUP(document_freep) struct document *doc = NULL;
	struct document_options raw = { .is_raw = true };
	struct region in = { .text = str_of(text), .first_line = 1 };

	dossier = dossier_new();
	assert_int_equal(document_from_memory(in.text, &raw, &doc, NULL), OK);
	in.doc = doc;
	assert_int_equal(format->read(&in, dossier, NULL), OK);
	return dossier->captures.data[0]->threads;
}

static void name_is(str_id id, const char *expected)
{
	struct str text = strings_get(&dossier->strings, id);

	assert_true(str_eq(text, str_of(expected)));
}

static void frame_is(const struct threads *t, size_t row, uint32_t frame, const char *expected)
{
	const struct thread_frame *f = threads_frames(t, &t->rows.data[row]) + frame;

	assert_true(str_eq(symbols_name(&dossier->symbols, f->sym), str_of(expected)));
}

static bool is_claimed(const char *text)
{
	struct extent e;

	return format_session_table.find(str_of(text), 0, &e);
}

#define RULE "-----+-------+-------\n"

static void columns_may_be_between_tabs_or_in_fixed_places(void **state)
{
	const struct threads *t;

	(void)state;
	assert_true(is_claimed("pid|state|query\n12|active|SELECT 1\n"));
	assert_false(is_claimed("pid|state|query\n"));
	assert_false(is_claimed("pid\tstate\tquery\nabc\tactive\tSELECT 1\n"));
	t = read_text(&format_session_table, "pid\tstate\tquery\n12\tactive\tSELECT 1\n");
	assert_int_equal(t->rows.len, 1);
	frame_is(t, 0, 0, "SELECT ?");
	name_is(t->dialect, "PostgreSQL");
	dossier_free(dossier);
	/*
	 * the last column may be longer than its dashes; blocked by 0 is not blocked; times are
	 * milliseconds
	 */
	t = read_text(
		&format_session_table,
		"session_id blocking_session_id wait_type wait_time sql_text\n"
		"---------- ------------------- --------- --------- --------\n"
		"55         61                  LCK_M_S       45012 SELECT * FROM orders\n"
		"61         0                                     0 UPDATE orders SET x = 1\n");
	assert_int_equal(t->rows.len, 2);
	name_is(t->dialect, "SQL Server");
	frame_is(t, 0, 0, "LCK_M_S");
	frame_is(t, 0, 1, "SELECT * FROM orders");
	assert_int_equal(t->rows.data[0].age_ns, UINT64_C(45012000000));
	assert_int_equal(t->rows.data[0].n_locks, 1);
	assert_int_equal(t->rows.data[1].n_locks, 1);
	frame_is(t, 1, 0, "UPDATE orders SET x = ?");
	dossier_free(dossier);
}

static void titles_of_sessions_and_a_line_make_a_table(void **state)
{
	(void)state;
	assert_true(is_claimed(" pid | state | query\n" RULE " 12 | active | SELECT 1\n"));
	assert_false(is_claimed(" pid | state | query\n 12 | active | SELECT 1\n"));
	assert_false(is_claimed(" pid | state | colour\n" RULE " 12 | active | red\n"));
	assert_false(is_claimed("| ID | Time | State |\n|---|---|---|\n| 4 | 10 | done |\n"));
	assert_false(is_claimed("| ID | Time | State | Command |\n|---|---|---|---|\n"
				"| 4 | 10 | done | ls |\n"));
	assert_true(is_claimed("| Id | Time | State | Command | Info |\n|---|---|---|---|---|\n"
			       "| 4 | 10 | init | Query | SELECT 1 |\n"));
	assert_false(is_claimed("| Id | Time | State | Command | Info |\n|---|---|---|---|---|\n"
				"| a | 10 | init | Query | SELECT 1 |\n"));
}

static void a_statement_has_no_literals(void **state)
{
	const struct threads *t;

	(void)state;
	t = read_text(&format_session_table,
		      " pid | state | query\n" RULE
		      " 12 | active | SELECT a1  FROM t WHERE b = 'x y' AND c < 4.5 | d\n");
	assert_int_equal(t->rows.len, 1);
	frame_is(t, 0, 0, "SELECT a1 FROM t WHERE b = ? AND c < ? | d");
	dossier_free(dossier);
}

#define LOCKS(held, wanted)                                                  \
	" pid | relation | mode | granted\n" RULE " 1 | 77 | " held " | t\n" \
	" 2 | 77 | " wanted " | f\n"

static void a_lock_counts_as_held_where_it_conflicts(void **state)
{
	const struct threads *t;

	(void)state;
	t = read_text(&format_session_table, LOCKS("AccessShareLock", "AccessExclusiveLock"));
	assert_int_equal(t->rows.data[0].n_locks, 1);
	assert_int_equal(t->rows.data[1].n_locks, 1);
	assert_int_equal(t->locks.data[0].address, t->locks.data[1].address);
	dossier_free(dossier);
	t = read_text(&format_session_table, LOCKS("AccessShareLock", "ExclusiveLock"));
	assert_int_equal(t->rows.data[0].n_locks, 0);
	dossier_free(dossier);
}

static void who_wants_more_of_what_it_holds_waits_for_the_others(void **state)
{
	const struct threads *t;

	(void)state;
	t = read_text(&format_session_table,
		      LOCKS("ShareLock", "RowExclusiveLock") " 2 | 77 | ShareLock | t\n");
	assert_int_equal(t->rows.data[0].n_locks, 2);
	assert_int_equal(t->rows.data[1].n_locks, 1);
	assert_int_equal(t->locks.data[2].kind, THREAD_LOCK_WANTED);
	dossier_free(dossier);
}

static void ages_are_against_the_latest_time_of_the_text(void **state)
{
	const struct threads *t;

	(void)state;
	t = read_text(&format_session_table,
		      " pid | state | xact_start | query\n" RULE
		      " 12 | active | 2024-02-29 23:59:50+00 | SELECT 1\n"
		      " 13 | active | 2024-03-01 00:00:20.5+00 | SELECT 2\n");
	assert_int_equal(t->rows.data[0].transaction_ns, UINT64_C(30500000000));
	assert_int_equal(t->rows.data[1].transaction_ns, 0);
	dossier_free(dossier);
	t = read_text(&format_session_table, " pid | state | xact_age | query\n" RULE
					     " 12 | active | 2 days 01:00:01.5 | SELECT 1\n");
	assert_int_equal(t->rows.data[0].transaction_ns, UINT64_C(176401500000000));
	dossier_free(dossier);
}

static void columns_may_stand_one_a_line(void **state)
{
	const struct threads *t;

	(void)state;
	t = read_text(&format_session_table,
		      "****** 1. row ******\n     Id: 7\nCommand: Sleep\n"
		      "   Time: 44\n  State:\n   Info: NULL\n"
		      "****** 2. row ******\n     Id: 8\nCommand: Query\n"
		      "   Time: 4\n  State: Waiting for table metadata lock\n"
		      "   Info: SELECT 1\n");
	assert_int_equal(t->rows.len, 2);
	assert_int_equal(t->rows.data[0].state, THREAD_WAITING);
	assert_int_equal(t->rows.data[0].age_ns, UINT64_C(44000000000));
	assert_int_equal(t->rows.data[1].state, THREAD_BLOCKED);
	frame_is(t, 1, 0, "Waiting for table metadata lock");
	name_is(t->dialect, "MySQL");
	dossier_free(dossier);
}

static void innodb_prints_who_holds_what_another_waits_for(void **state)
{
	const struct threads *t;

	(void)state;
	t = read_text(
		&format_innodb_status,
		"---TRANSACTION 8, ACTIVE 9 sec\nMySQL thread id 1, query id 2 a\n"
		"RECORD LOCKS space id 1 page no 4 n bits 72 index K of table `a`.`b` trx id "
		"8 lock_mode X\nRecord lock, heap no 5 PHYSICAL RECORD: n_fields 4;\n"
		"---TRANSACTION 9, ACTIVE 3 sec\nLOCK WAIT 2 lock struct(s), heap size 1\n"
		"MySQL thread id 3, query id 4 a updating\nUPDATE b SET c = 1\n"
		"------- TRX HAS BEEN WAITING 2 SEC FOR THIS LOCK TO BE GRANTED:\n"
		"RECORD LOCKS space id 1 page no 4 n bits 72 index K of table `a`.`b` trx id "
		"9 lock_mode X waiting\nRecord lock, heap no 5 PHYSICAL RECORD: n_fields 4;\n");
	assert_int_equal(t->rows.len, 2);
	name_is(t->rows.data[0].state_text, "idle in transaction");
	assert_int_equal(t->rows.data[0].n_locks, 1);
	assert_int_equal(t->rows.data[1].state, THREAD_BLOCKED);
	assert_int_equal(t->rows.data[1].age_ns, UINT64_C(2000000000));
	assert_int_equal(t->rows.data[1].transaction_ns, UINT64_C(3000000000));
	name_is(t->locks.data[1].type, "index K of table `a`.`b` page 4 record 5");
	frame_is(t, 1, 0, "UPDATE b SET c = ?");
	dossier_free(dossier);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_may_be_between_tabs_or_in_fixed_places),
		cmocka_unit_test(titles_of_sessions_and_a_line_make_a_table),
		cmocka_unit_test(a_statement_has_no_literals),
		cmocka_unit_test(a_lock_counts_as_held_where_it_conflicts),
		cmocka_unit_test(who_wants_more_of_what_it_holds_waits_for_the_others),
		cmocka_unit_test(ages_are_against_the_latest_time_of_the_text),
		cmocka_unit_test(columns_may_stand_one_a_line),
		cmocka_unit_test(innodb_prints_who_holds_what_another_waits_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
