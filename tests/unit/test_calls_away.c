/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyses/calls/calls_away.h"
#include "analyses/calls/calls_summary.h"
#include "analyses/categories.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/dossier.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/load.h"

struct fixture {
	struct dossier *d;
	struct document *doc;
	struct category_cache cats;
	struct calls_summary sum;
};

static void away_read(struct fixture *f, const char *text)
{
	memset(f, 0, sizeof(*f));
	f->d = dossier_new();
	assert_int_equal(document_from_memory(str_of(text), NULL, &f->doc, NULL), OK);
	assert_int_equal(load_document(f->d, f->doc, "test", NULL, NULL), OK);
	assert_int_equal(f->d->captures.len, 1);
	assert_int_equal(calls_summary_compute(f->d->captures.data[0], &f->cats, &f->sum, NULL),
			 OK);
}

static void away_done(struct fixture *f)
{
	calls_summary_fini(&f->sum);
	category_cache_fini(&f->cats);
	document_free(f->doc);
	dossier_free(f->d);
}

static const struct calls_function *away_function(const struct fixture *f, const char *name)
{
	VEC_FOREACH (row, &f->sum.functions) {
		if (str_eq(symbols_name(&f->d->symbols, row->sym), str_of(name)))
			return row;
	}
	print_error("%s is not there\n", name);
	_fail(__FILE__, __LINE__);
	return NULL;
}

static void self_time_of_the_innermost_schedule_is_at_most_asleep(void **state)
{
	struct fixture f;

	(void)state;
	away_read(&f, " 0)               |  do_nanosleep() {\n"
		      " 0)               |    schedule() {\n"
		      " 0)               |      __schedule() {\n"
		      " 0)   1.000 us    |        pick_next_task();\n"
		      " 0) # 1001.000 us |      }\n"
		      " 0) # 1003.000 us |    }\n"
		      " 0) # 1010.000 us |  }\n");
	assert_null(f.sum.away.asleep_why_not);
	assert_false(f.sum.away.has_switch_events);
	assert_int_equal(f.sum.root_asleep_ns, 1000000);
	assert_int_equal(away_function(&f, "do_nanosleep")->asleep_ns, 1000000);
	assert_int_equal(away_function(&f, "schedule")->asleep_ns, 1000000);
	assert_int_equal(away_function(&f, "schedule")->self_asleep_ns, 0);
	assert_int_equal(away_function(&f, "__schedule")->self_asleep_ns, 1000000);
	assert_int_equal(away_function(&f, "pick_next_task")->asleep_ns, 0);
	assert_non_null(f.sum.away.irq_why_not);
	away_done(&f);
}

static void a_trace_without_sleep_says_that_none_is_in_it(void **state)
{
	struct fixture f;

	(void)state;
	away_read(&f, " 0)               |  vfs_read() {\n"
		      " 0)   1.000 us    |    touch_atime();\n"
		      " 0) + 11.000 us   |  }\n"
		      " 0)               |  vfs_read() {\n"
		      " 0)   1.000 us    |    touch_atime();\n"
		      " 0) + 11.000 us   |  }\n");
	assert_non_null(f.sum.away.asleep_why_not);
	assert_non_null(f.sum.away.irq_why_not);
	assert_int_equal(f.sum.root_asleep_ns, 0);
	away_done(&f);
}

static void durations_without_sleep_time_have_no_sleep_in_them(void **state)
{
	struct fixture f;

	(void)state;
	away_read(&f, "$ perf ftrace -G do_nanosleep --graph-opts nosleep-time\n"
		      "# tracer: function_graph\n#\n"
		      "# CPU  DURATION                  FUNCTION CALLS\n"
		      "# |     |   |                     |   |   |   |\n"
		      " 0)               |  do_nanosleep() {\n"
		      " 0)   4.000 us    |    schedule();\n"
		      " 0) + 11.000 us   |  }\n");
	assert_non_null(f.sum.away.asleep_why_not);
	assert_int_equal(f.sum.root_asleep_ns, 0);
	away_done(&f);
}

/* The task of 100 leaves the CPU inside vfs_read, and the trace shows no call of the scheduler. */
static const char switched[] =
	"cpus=2\n"
	"            load-100   [001]    10.000000: funcgraph_entry:                   |  "
	"vfs_read() {\n"
	"            load-100   [001]    10.000010: funcgraph_entry:                   |    "
	"pipe_read() {\n"
	"            load-100   [001]    10.000020: sched_switch:         load:100 [120] S ==> "
	"sh:200 [120]\n"
	"              sh-200   [001]    10.000030: funcgraph_entry:        2.000 us   |  "
	"vfs_write();\n"
	"              sh-200   [001]    10.000220: sched_switch:         sh:200 [120] S ==> "
	"load:100 [120]\n"
	"            load-100   [001]    10.000240: funcgraph_exit:       ! 230.000 us |    }\n"
	"            load-100   [001]    10.000250: funcgraph_exit:       ! 250.000 us |  }\n";

static void switch_events_say_exactly_how_long_a_task_did_not_run(void **state)
{
	struct fixture f;

	(void)state;
	away_read(&f, switched);
	assert_true(f.sum.away.has_switch_events);
	assert_int_equal(f.sum.root_asleep_ns, 200000);
	assert_int_equal(away_function(&f, "pipe_read")->self_asleep_ns, 200000);
	assert_int_equal(away_function(&f, "vfs_read")->asleep_ns, 200000);
	assert_int_equal(away_function(&f, "vfs_write")->asleep_ns, 0);
	assert_int_equal(f.sum.tasks.len, 2);
	assert_int_equal(f.sum.tasks.data[0].sum.asleep_ns, 200000);
	assert_int_equal(f.sum.tasks.data[0].sum.total_ns, 250000);
	assert_int_equal(f.sum.cpus.len, 1);
	assert_int_equal(f.sum.cpus.data[0].sum.calls, 3);
	away_done(&f);
}

static void events_of_an_interrupt_split_its_time_out(void **state)
{
	struct fixture f;

	(void)state;
	away_read(&f, "cpus=2\n"
		      "            load-100   [001]    10.000000: funcgraph_entry:                 "
		      "  |  vfs_read() {\n"
		      "            load-100   [001]    10.000001: funcgraph_entry:        1.000 us "
		      "  |    touch_atime();\n"
		      "            load-100   [001]    10.000003: funcgraph_entry:        1.000 us "
		      "  |    touch_atime();\n"
		      "            load-100   [001]    10.000005: funcgraph_entry:        1.000 us "
		      "  |    touch_atime();\n"
		      "            load-100   [001]    10.000010: irq_handler_entry:    irq=24 "
		      "name=virtio0\n"
		      "            load-100   [001]    10.000040: irq_handler_exit:     irq=24 "
		      "ret=handled\n"
		      "            load-100   [001]    10.000041: softirq_entry:        vec=1 "
		      "[action=TIMER]\n"
		      "            load-100   [001]    10.000051: softirq_exit:         vec=1 "
		      "[action=TIMER]\n"
		      "            load-100   [001]    10.000250: funcgraph_exit:       ! 250.000 "
		      "us |  }\n");
	assert_null(f.sum.away.irq_why_not);
	assert_int_equal(f.sum.root_irq_ns, 40000);
	assert_int_equal(away_function(&f, "vfs_read")->irq_ns, 40000);
	away_done(&f);
}

static void a_handler_is_an_interrupt_with_all_below_it(void **state)
{
	struct fixture f;

	(void)state;
	away_read(&f, " 0)               |  vfs_read() {\n"
		      " 0)   0.500 us    |    irq_enter_rcu();\n"
		      " 0)               |    __sysvec_apic_timer_interrupt() {\n"
		      " 0) + 20.000 us   |      hrtimer_interrupt();\n"
		      " 0) + 21.000 us   |    }\n"
		      " 0)   0.500 us    |    irq_exit_rcu();\n"
		      " 0) + 50.000 us   |  }\n");
	assert_int_equal(f.sum.root_irq_ns, 22000);
	assert_int_equal(away_function(&f, "vfs_read")->irq_ns, 22000);
	assert_int_equal(away_function(&f, "__sysvec_apic_timer_interrupt")->irq_ns, 21000);
	/* all time of the call is interrupt time, counted at the start of the interrupt */
	assert_int_equal(away_function(&f, "hrtimer_interrupt")->irq_ns, 0);
	away_done(&f);
}

static void arrows_mark_an_interrupt_whatever_its_functions_are_called(void **state)
{
	struct fixture f;

	(void)state;
	away_read(&f, " 0)               |  vfs_read() {\n"
		      " 0)   ==========> |\n"
		      " 0)               |    strange_vector() {\n"
		      " 0) + 20.000 us   |      strange_work();\n"
		      " 0) + 21.000 us   |    }\n"
		      " 0)   <========== |\n"
		      " 0) + 50.000 us   |  }\n");
	assert_null(f.sum.away.irq_why_not);
	assert_int_equal(f.sum.root_irq_ns, 21000);
	away_done(&f);
}

static void the_end_of_an_earlier_call_holds_the_calls_that_ended_in_it(void **state)
{
	struct fixture f;

	(void)state;
	away_read(&f, " 0)   5.000 us    |      inner();\n"
		      " 0) + 20.000 us   |    } /* middle */\n"
		      " 0)   1.000 us    |    beside();\n"
		      " 0) + 50.000 us   |  } /* outer */\n"
		      " 0)               |  next() {\n"
		      " 0)   1.000 us    |    inner();\n"
		      " 0)   2.000 us    |  }\n");
	assert_int_equal(f.sum.root_total_ns, 52000);
	away_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(self_time_of_the_innermost_schedule_is_at_most_asleep),
		cmocka_unit_test(a_trace_without_sleep_says_that_none_is_in_it),
		cmocka_unit_test(durations_without_sleep_time_have_no_sleep_in_them),
		cmocka_unit_test(switch_events_say_exactly_how_long_a_task_did_not_run),
		cmocka_unit_test(events_of_an_interrupt_split_its_time_out),
		cmocka_unit_test(a_handler_is_an_interrupt_with_all_below_it),
		cmocka_unit_test(arrows_mark_an_interrupt_whatever_its_functions_are_called),
		cmocka_unit_test(the_end_of_an_earlier_call_holds_the_calls_that_ended_in_it),
	};

	return cmocka_run_group_tests_name("calls_away", tests, NULL, NULL);
}
