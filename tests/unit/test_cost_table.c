/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/profile.h"
#include "core/strings.h"
#include "formats/format.h"
#include "texts.h"

DECLARE_FORMAT(cost_table);

#define is_near(a, b) assert_true((a) > (b)-0.06 && (a) < (b) + 0.06)

static void titles_tell_self_from_total(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c =
		text_detect(d, "Function     Calls   Total(ms)   Self(ms)   Avg(us)\n"
			       "parse_row   120000      800.0      600.0      6.7\n"
			       "  number   1200000      200.0      200.0      0.2\n"
			       "commit          12      200.0      200.0  16666.7\n");

	(void)state;
	assert_string_equal(c->format, "cost-table");
	assert_str(strings_get(&d->strings, c->profile->event), "elapsed-time");
	assert_int_equal(c->profile->event_count, 1000000000);
	is_near(text_self(c, "parse_row"), 60);
	is_near(text_children(c, "parse_row"), 80);
	is_near(text_self(c, "commit"), 20);
}

static void a_ruler_places_columns_and_titles_of_several_lines(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = text_detect(d, "                               Avg\n"
						 "                              wait   % DB\n"
						 "Event           Waits Time(s) (ms)   time\n"
						 "--------------- ----- ------- ---- ------\n"
						 "log file sync   1,203  40,112   33   61.2\n"
						 "DB CPU                  9,044        13.8\n");

	(void)state;
	assert_str(strings_get(&d->strings, c->profile->event), "wait-name-time");
	is_near(text_self(c, "log file sync"), 61.2);
	is_near(text_self(c, "DB CPU"), 13.8);
	/* 40112 s are 61.2 % of the total */
	assert_int_equal(c->profile->event_count / UINT64_C(1000000000), 65542);
}

static void cells_between_bars_keep_names_with_blanks(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = text_detect(d, "+---------------+-----------+\n"
						 "| Status        | Duration  |\n"
						 "+---------------+-----------+\n"
						 "| starting      |  0.250000 |\n"
						 "| Sending data  |  0.750000 |\n"
						 "+---------------+-----------+\n");

	(void)state;
	assert_str(strings_get(&d->strings, c->profile->event), "step-time");
	is_near(text_self(c, "Sending data"), 75);
}

static void shares_that_agree_with_own_time_are_self(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = text_detect(d, "| Function | Calls | Time % | Own time |\n"
						 "|----------|------:|-------:|---------:|\n"
						 "| `walk`   | 1,204 |  60.0% |   4.80 s |\n"
						 "| `hash`   |     3 |  15.0% |   1.20 s |\n");

	(void)state;
	is_near(text_self(c, "walk"), 60);
	is_near(text_self(c, "hash"), 15);
	assert_int_equal(c->profile->event_count, 8000000000);
}

static void a_row_with_the_sum_is_the_whole(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = text_detect(d, "Phase timings:\n"
						 "  open          0.5s\n"
						 "  replay log    7.5s\n"
						 "  checkpoint    2.0s\n"
						 "  everything   10.0s\n");

	(void)state;
	is_near(text_self(c, "replay log"), 75);
	assert_int_equal(c->profile->table.rows.len, 3);
}

static void units_of_minutes_and_clocks_are_read(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = text_detect(d, "1min 30.000s apt-daily\n"
						 "     20.000s network-wait\n"
						 "     10000ms snapd\n");

	(void)state;
	is_near(text_self(c, "apt-daily"), 75);
	assert_int_equal(c->profile->event_count, UINT64_C(120000000000));
}

static void rows_that_overlap_have_costs_with_callees(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = text_detect(d, "function      time%\n"
						 "main           99.0\n"
						 "run            97.0\n"
						 "parse          61.0\n");

	(void)state;
	is_near(text_children(c, "parse"), 61);
	is_near(text_self(c, "parse"), 0);
}

static void names_without_a_title_come_first(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c =
		text_detect(d, "              self.time self.pct total.time total.pct\n"
			       "\"paste\"            6.00    60.00       9.00     90.00\n"
			       "\"unlist\"           1.00    10.00       1.00     10.00\n");

	(void)state;
	is_near(text_self(c, "paste"), 60);
	is_near(text_children(c, "paste"), 90);
}

static void cells_may_carry_their_titles(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = text_detect(d, "stat_get:calls=12,usec=250,usec_per_call=20.8\n"
						 "stat_keys:calls=2,usec=700,usec_per_call=350.0\n"
						 "stat_set:calls=5,usec=50,usec_per_call=10.0\n");

	(void)state;
	is_near(text_self(c, "stat_keys"), 70);
	assert_int_equal(c->profile->event_count, 1000000);
}

static void memory_by_class_is_space(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c =
		text_detect(d, "              MT    Count    TotalSize Class Name\n"
			       "00007ffa1c2b1e18    12011          250 System.Method\n"
			       "00007ffa1d0a5120  8123129          750 App.Session\n");

	(void)state;
	assert_str(strings_get(&d->strings, c->profile->event), "space");
	is_near(text_self(c, "App.Session"), 75);
}

/* Titles with single blanks between them; two columns have numbers that are no cost. */
static const char aligned[] =
	"                         CPU time:          Real time:\n"
	"Open   Runtime(ms)   Invoked Avg uSec Max uSecs Avg uSec Max uSecs   Type  Event\n"
	"   0         40.000        20     2000      2500     2100      2600     E   read_peer\n"
	"   2         50.000     25000        2        90        3       400    R    send_update\n"
	"   0         10.000         1    10000     10000    10000     10000      T  "
	"(hold_timer)\n";

static void numbers_below_titles_divide_them(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = text_detect(d, aligned);

	(void)state;
	assert_string_equal(c->format, "cost-table");
	/* an event is a wait only in a table of waits, and no total shows that these are parts */
	assert_str(strings_get(&d->strings, c->profile->event), "listed-time");
	assert_int_equal(c->profile->event_count, 100000000);
	is_near(text_self(c, "send_update"), 50);
	is_near(text_self(c, "read_peer"), 40);
	is_near(text_self(c, "(hold_timer)"), 10);
}

static void one_name_of_two_may_begin_with_a_number(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = text_detect(d, "Runtime(ms)   Event\n"
						 "40.000 20 peers\n"
						 "60.000 send_update\n");

	(void)state;
	is_near(text_self(c, "20 peers"), 40);
}

static void events_are_waits_below_a_title_that_says_so(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(dossier_freep) struct dossier *e = dossier_new();
	const struct capture *c = text_detect(d, "| Event | Waits | Time(s) |\n"
						 "|-------|-------|---------|\n"
						 "| sync  | 120   | 30      |\n"
						 "| read  | 40    | 10      |\n");

	(void)state;
	assert_str(strings_get(&d->strings, c->profile->event), "wait-name-time");
	c = text_detect(e, "| Event | Calls | Time(s) |\n"
			   "|-------|-------|---------|\n"
			   "| sync  | 120   | 30      |\n"
			   "| read  | 40    | 10      |\n");
	assert_str(strings_get(&e->strings, c->profile->event), "listed-time");
}

/* Texts that look like a table of costs and are none. */
static void other_lists_are_not_claimed(void **state)
{
	static const char *const texts[] = {
		/* averages cannot be added up */
		"Self avg    Self min    Self max  Function\n"
		"==========  ==========  ========  ========\n"
		"  0.414 us    0.414 us  0.414 us  main\n"
		"  0.356 us    0.356 us  0.356 us  exit\n",
		/* two columns without a title: their numbers stick to most names */
		"Runtime(ms)   Event\n40.000 20 2000 read_peer\n50.000 send_update\n"
		"10.000 1 10000 hold_timer\n",
		/* one message, printed several times */
		"fetch of page 1: 12 ms\nfetch of page 2: 13 ms\nfetch of page 3: 12 ms\n",
		/* a comparison of alternatives */
		"before: 12.0 ms\nafter: 9.0 ms\nwith cache: 8.0 ms\n",
		/* statistics */
		"min: 1.0 ms\nmedian: 2.0 ms\nmax: 9.0 ms\np99: 8.0 ms\n",
		/* the tree below a row */
		"- 6.07% sync_all\n   5.74% inv_range\n   5.09% issue_list\n   0.28% set_bits\n",
		/* shares that do not fall */
		" 10.0% first_thing\n 20.0% second_thing\n 30.0% third_thing\n",
		/* a sentence above a list */
		"The time of this function is what it takes to call the other function\n"
		"first 12 13 14 15 16 17 18 19 20 21 22 23 24\n"
		"other 12 13 14 15 16 17 18 19 20 21 22 23 24\n",
		/* alternatives, not parts */
		"| Tool | Command | Time |\n|---|---|---|\n| grep | grep -n x | 4.1 s |\n"
		"| other | other x | 0.3 s |\n",
		"| name | time (ms) |\n|---|---|\n| old way | 4.1 |\n| new way | 0.3 |\n",
		/* a log: the same messages are repeated */
		"open a: 1 ms\nread it: 2 ms\nclose it: 3 ms\nopen a: 1 ms\nread it: 3 ms\n"
		"close it: 2 ms\n",
		/* several times a row: percentiles; start and end */
		"op     p50    max\nget    81 us  1.2 ms\nput   120 us  0.9 ms\nscan   12 ms  0.1 "
		"s\n",
		"name  start  end\nhtml  0 ms  120 ms\napp.js  130 ms  812 ms\nhero  140 ms  4 s\n",
		/* the processes at one moment */
		"USER   PID %CPU %MEM COMMAND\nroot  1201 98.1 61.2 mysqld\nroot   912  2.1  0.2 "
		"sshd\n",
	};

	(void)state;
	text_claims_none(&format_cost_table, texts, ARRAY_LEN(texts));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(titles_tell_self_from_total),
		cmocka_unit_test(a_ruler_places_columns_and_titles_of_several_lines),
		cmocka_unit_test(cells_between_bars_keep_names_with_blanks),
		cmocka_unit_test(shares_that_agree_with_own_time_are_self),
		cmocka_unit_test(a_row_with_the_sum_is_the_whole),
		cmocka_unit_test(units_of_minutes_and_clocks_are_read),
		cmocka_unit_test(rows_that_overlap_have_costs_with_callees),
		cmocka_unit_test(names_without_a_title_come_first),
		cmocka_unit_test(cells_may_carry_their_titles),
		cmocka_unit_test(memory_by_class_is_space),
		cmocka_unit_test(numbers_below_titles_divide_them),
		cmocka_unit_test(one_name_of_two_may_begin_with_a_number),
		cmocka_unit_test(events_are_waits_below_a_title_that_says_so),
		cmocka_unit_test(other_lists_are_not_claimed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
