/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/format.h"
#include "formats/ftrace/function_graph_build.h"
#include "formats/ftrace/function_graph_line.h"
#include "texts.h"

#include <stdio.h>

DECLARE_FORMAT(function_graph);

static void graph_of(struct trace *t, const char *text)
{
	trace_of(t, text, "function-graph");
}

static const char *trace_parent(const struct trace *t, const char *name)
{
	uint32_t parent = t->c->parent.data[trace_find(t, name)];

	return parent == INDEX_NONE ? "" : symbols_name(&t->d->symbols, t->c->sym.data[parent]).p;
}

static uint64_t trace_duration(const struct trace *t, const char *name)
{
	return calls_duration(t->c, trace_find(t, name));
}

static unsigned int trace_state(const struct trace *t, const char *name)
{
	return t->c->state.data[trace_find(t, name)] & CALL_STATE_MASK;
}

static uint64_t trace_diag(const struct trace *t, const char *counter)
{
	return diag_get(&t->capture->diag, counter);
}

static const struct call_lane *trace_lane(const struct trace *t, const char *name)
{
	return &t->c->lanes.data[t->c->lane.data[trace_find(t, name)]];
}

static void a_plain_trace_nests_by_indentation(void **state)
{
	struct trace t;

	(void)state;
	graph_of(&t, "# tracer: function_graph\n#\n"
		     "# CPU  DURATION                  FUNCTION CALLS\n"
		     "# |     |   |                     |   |   |   |\n"
		     " 3)               |  a() {\n"
		     " 3)   0.045 us    |    b [nf_nat]();\n"
		     " 3)               |    c.isra.0 [nf_nat]() {\n"
		     " 3) + 11.260 us   |      d();\n"
		     " 3) ! 108.670 us  |    }\n"
		     " 3) # 3424.763 us |  }\n");
	assert_int_equal(t.c->n, 4);
	assert_int_equal(t.capture->first_line, 1);
	assert_int_equal(t.capture->last_line, 10);
	assert_str(strings_get(&t.d->strings, t.c->tracer), "function_graph");
	assert_string_equal(trace_parent(&t, "d"), "c.isra.0");
	assert_string_equal(trace_parent(&t, "b"), "a");
	assert_str(symbols_module(&t.d->symbols, t.c->sym.data[1]), "nf_nat");
	assert_str(symbols_canonical(&t.d->symbols, t.c->sym.data[2]), "c");
	assert_int_equal(trace_duration(&t, "a"), 3424763);
	assert_int_equal(trace_duration(&t, "b"), 45);
	assert_int_equal(trace_duration(&t, "c.isra.0"), 108670);
	assert_int_equal(trace_lane(&t, "d")->cpu, 3);
	assert_int_equal(t.c->line.data[3], 8);
	assert_int_equal(t.c->depth.data[3], 2);
	assert_int_equal(t.capture->diag.entries.len, 0);
	trace_fini(&t);
}

static void every_column_may_be_there_or_not(void **state)
{
	static const struct {
		const char *open, *close;
		bool has_time, has_task, has_cpu, has_duration;
	} layouts[] = {
		{ " 7)               |  f() {", " 7)   2.500 us    |  }", false, false, true,
		  true },
		{ "   27.345009 |   7)    load-184    |               |  f() {",
		  "   27.345012 |   7)    load-184    |   2.500 us    |  }", true, true, true,
		  true },
		{ " 7)    load-184    |               |  f() {",
		  " 7)    load-184    |   2.500 us    |  }", false, true, true, true },
		{ "    load-184    |               |  f() {",
		  "    load-184    |   2.500 us    |  }", false, true, false, true },
		{ "               |  f() {", "   2.500 us    |  }", false, false, false, true },
		{ "   27.345009 |     load-184    | f() {", "   27.345009 |     load-184    | }",
		  true, true, false, false },
		{ " 7) f() {", " 7) }", false, false, true, false },
		{ "   27.345009 |   7)    load-184    |  ...1. |               |  f() {",
		  "   27.345009 |   7)    load-184    |  d..2. |   2.500 us    |  }", true, true,
		  true, true },
		{ " 7)  .... |               |  f() {", " 7)  .... |   2.500 us    |  }", false,
		  false, true, true },
		{ "f() {", "}", false, false, false, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(layouts); i++) {
		char text[400];
		struct trace t;

		(void)snprintf(text, sizeof(text), "# tracer: function_graph\n#\n%s\n%s\n",
			       layouts[i].open, layouts[i].close);
		graph_of(&t, text);
		assert_int_equal(t.c->n, 1);
		assert_int_equal(trace_state(&t, "f"), CALL_CLOSED);
		assert_int_equal(t.c->depth.data[0], 0);
		assert_int_equal(trace_duration(&t, "f"), layouts[i].has_duration ? 2500 : 0);
		assert_int_equal(t.c->start_ns.len, layouts[i].has_time);
		if (layouts[i].has_time)
			assert_int_equal(t.c->start_ns.data[0], UINT64_C(27345009000));
		assert_int_equal(t.c->has_tasks, layouts[i].has_task);
		assert_int_equal(t.c->has_cpus, layouts[i].has_cpu);
		assert_int_equal(trace_lane(&t, "f")->cpu, layouts[i].has_cpu ? 7 : UINT16_MAX);
		assert_int_equal(trace_lane(&t, "f")->pid, layouts[i].has_task ? 184 : 0);
		assert_int_equal(t.capture->diag.entries.len, 0);
		trace_fini(&t);
	}
}

static void long_durations_lose_decimals_not_value(void **state)
{
	struct trace t;

	(void)state;
	graph_of(&t, " 0) * 14209.58 us |  a();\n"
		     " 0) @ 107981.0 us |  b();\n"
		     " 0) $ 18086849 us |  c();\n"
		     " 0) $ 123456789012 us |  d();\n"
		     "   1.5 ms    |  e();\n"
		     " 0) $ 99999999999999999999 us |  f();\n");
	assert_int_equal(trace_duration(&t, "a"), 14209580);
	assert_int_equal(trace_duration(&t, "b"), 107981000);
	assert_int_equal(trace_duration(&t, "c"), UINT64_C(18086849000));
	assert_int_equal(trace_duration(&t, "d"), UINT64_C(123456789012000));
	assert_int_equal(trace_duration(&t, "e"), 1500000);
	assert_true(t.c->state.data[trace_find(&t, "f")] & CALL_NO_DURATION);
	assert_int_equal(trace_diag(&t, "function-graph-duration"), 1);
	trace_fini(&t);
}

static void return_values_arguments_and_addresses_are_kept(void **state)
{
	struct trace t;

	(void)state;
	graph_of(&t, " 0)               |  a(dfd=1, how=0xffa0 (x)) { /* <-caller+0x5f/0xa0 */\n"
		     " 0)   1.953 us    |    b(); /* = 0xff110000057bc900 */\n"
		     " 0)   1.732 us    |    c(); /* = -255 */\n"
		     " 0)   1.732 us    |    d(lock=0x1); /* <-a+0x1/0x2 ret=0x7 */\n"
		     " 0)   8.683 us    |  } /* a ret=0x0 */\n"
		     " 0)               |  e [m]() {\n"
		     " 0)   8.683 us    |  } /* e [m] = 0x5 */\n");
	assert_int_equal(t.c->retval.data[trace_find(&t, "b")], UINT64_C(0xff110000057bc900));
	assert_int_equal(t.c->retval_kind.data[trace_find(&t, "b")], RETVAL_HEX);
	assert_int_equal((int64_t)t.c->retval.data[trace_find(&t, "c")], -255);
	assert_int_equal(t.c->retval_kind.data[trace_find(&t, "c")], RETVAL_DECIMAL);
	assert_int_equal(t.c->retval.data[trace_find(&t, "d")], 7);
	assert_int_equal(t.c->retval_kind.data[trace_find(&t, "a")], RETVAL_HEX);
	assert_int_equal(t.c->retval.data[trace_find(&t, "e")], 5);
	assert_str(strings_get(&t.d->strings, t.c->args.data[0]), "dfd=1, how=0xffa0 (x)");
	assert_str(strings_get(&t.d->strings, t.c->retaddr.data[0]), "caller+0x5f/0xa0");
	assert_str(strings_get(&t.d->strings, t.c->retaddr.data[trace_find(&t, "d")]), "a+0x1/0x2");
	assert_int_equal(t.c->args.data[trace_find(&t, "b")].v, 0);
	assert_int_equal(t.capture->diag.entries.len, 0);
	trace_fini(&t);
}

static void a_task_goes_on_where_it_was_after_a_switch(void **state)
{
	struct trace t;

	(void)state;
	graph_of(&t, " 0)               |  a() {\n"
		     " 0)               |    schedule() {\n"
		     " ------------------------------------------\n"
		     " 0)    load-10    =>     sh-20    \n"
		     " ------------------------------------------\n"
		     "\n"
		     " 0)               |  b() {\n"
		     " ------------------------------------------\n"
		     " 0)     sh-20     =>    load-10   \n"
		     " ------------------------------------------\n"
		     "\n"
		     " 0) + 50.000 us   |    }\n"
		     " 0)   1.000 us    |    c();\n"
		     " 0) + 60.000 us   |  }\n"
		     " ------------------------------------------\n"
		     " 1)   <idle>-0    =>      sh-20   \n"
		     " ------------------------------------------\n"
		     "\n"
		     " 1)   9.000 us    |  }\n");
	assert_int_equal(t.c->n, 4);
	assert_int_equal(trace_duration(&t, "schedule"), 50000);
	assert_string_equal(trace_parent(&t, "c"), "a");
	assert_string_equal(trace_parent(&t, "b"), "");
	assert_int_equal(trace_duration(&t, "b"), 9000); /* the task migrated to the other CPU */
	/* the first switch names the task that ran before */
	assert_int_equal(trace_lane(&t, "a")->pid, 10);
	assert_str(strings_get(&t.d->strings, trace_lane(&t, "a")->comm), "load");
	assert_int_equal(trace_lane(&t, "b")->pid, 20);
	assert_int_equal(t.c->marks.len, 3);
	assert_int_equal(t.c->marks.data[0].kind, MARK_TASK_SWITCH);
	assert_str(strings_get(&t.d->strings, t.c->marks.data[0].text), "sh-20");
	assert_int_equal(trace_diag(&t, "function-graph-unclosed"), 0);
	trace_fini(&t);
}

static void idle_tasks_are_one_a_cpu(void **state)
{
	struct trace t;

	(void)state;
	graph_of(&t, " 0)    <idle>-0    |               |  a() {\n"
		     " 1)    <idle>-0    |               |  b() {\n"
		     " 0)    <idle>-0    |   1.000 us    |    c();\n"
		     " 1)    <idle>-0    |   2.000 us    |  }\n"
		     " 0)    <idle>-0    |   3.000 us    |  }\n");
	assert_string_equal(trace_parent(&t, "c"), "a");
	assert_int_equal(trace_duration(&t, "a"), 3000);
	assert_int_equal(trace_duration(&t, "b"), 2000);
	trace_fini(&t);
}

static void lost_events_mark_what_is_around_them(void **state)
{
	struct trace t;

	(void)state;
	graph_of(&t, " 0)               |  a() {\n"
		     " 0)               |    b() {\n"
		     "CPU:0 [LOST 123 EVENTS]\n"
		     " 0)   1.000 us    |    } /* c */\n"
		     " 0)               |    d() {\n"
		     " 0)   1.000 us    |    }\n"
		     " 0)   9.000 us    |  } /* a */\n"
		     "CPU:1 [LOST EVENTS]\n");
	assert_int_equal(t.c->lost_events, 123);
	assert_int_equal(trace_state(&t, "a"), CALL_AFTER_LOSS);
	assert_int_equal(trace_state(&t, "b"), CALL_OPEN);
	assert_int_equal(trace_state(&t, "c"), CALL_ORPHAN);
	assert_int_equal(trace_state(&t, "d"), CALL_CLOSED);
	assert_string_equal(trace_parent(&t, "c"), "a");
	assert_int_equal(trace_diag(&t, "function-graph-mismatch"), 1);
	assert_int_equal(trace_diag(&t, "function-graph-lost"), 123);
	assert_int_equal(trace_diag(&t, "function-graph-lost-unknown"), 1);
	assert_int_equal(trace_diag(&t, "function-graph-unclosed"), 1);
	trace_fini(&t);
}

static void a_call_too_deep_hangs_on_the_nearest_open_one(void **state)
{
	struct trace t;

	(void)state;
	graph_of(&t, " 0)               |  a() {\n"
		     " 0)   1.000 us    |      b();\n"
		     " 0)               |          c() {\n"
		     " 0)   1.000 us    |            d();\n"
		     " 0)   3.000 us    |          }\n"
		     " 0)   9.000 us    |  }\n");
	assert_string_equal(trace_parent(&t, "b"), "a");
	assert_string_equal(trace_parent(&t, "c"), "a");
	assert_string_equal(trace_parent(&t, "d"), "c");
	assert_int_equal(t.c->depth.data[trace_find(&t, "c")], 4);
	assert_int_equal(trace_diag(&t, "function-graph-depth-jump"), 2);
	trace_fini(&t);
}

static void ends_without_a_beginning_are_orphans(void **state)
{
	struct trace t;

	(void)state;
	graph_of(&t, "  13) $ 1918769 us  |          }\n"
		     "   8) $ 2503877 us  |        } /* xfs_reclaim_inodes_ag */\n"
		     "   8) $ 2503888 us  |      } /* xfs_reclaim_inodes_nr() */\n");
	assert_int_equal(t.c->n, 3);
	assert_int_equal(t.c->state.data[0] & CALL_STATE_MASK, CALL_ORPHAN);
	assert_int_equal(t.c->sym.data[0].v, 0);
	assert_int_equal(trace_duration(&t, "xfs_reclaim_inodes_nr"), UINT64_C(2503888000));
	assert_int_equal(trace_diag(&t, "function-graph-orphan"), 3);
	assert_int_equal(trace_diag(&t, "function-graph-unnamed"), 1);
	trace_fini(&t);
}

/* Calls of two CPUs without funcgraph-cpu: only the switch markers name the CPU. */
static const char trace_two_cpus[] = "# tracer: function_graph\n#\n"
				     "schedule_timeout() {\n"
				     "  schedule() {\n"
				     "schedule_idle() {\n"
				     " ------------------------------------------\n"
				     " 1)    <idle>-0    =>    load-135   \n"
				     " ------------------------------------------\n"
				     "\n"
				     "vfs_open() {\n"
				     "  security_file_open();\n"
				     "}\n"
				     " ------------------------------------------\n"
				     " 0)    <idle>-0    =>     sh-110    \n"
				     " ------------------------------------------\n"
				     "\n"
				     "  }\n"
				     "} /* schedule_timeout */\n"
				     "} /* vfs_write */\n";

static void a_brace_of_mixed_cpus_ends_a_call_that_is_in_the_trace(void **state)
{
	struct trace t;

	(void)state;
	graph_of(&t, trace_two_cpus);
	/* six calls, of which vfs_write started before the trace */
	assert_int_equal(t.c->n, 6);
	assert_int_equal(trace_state(&t, "schedule_timeout"), CALL_CLOSED);
	assert_int_equal(trace_state(&t, "schedule"), CALL_CLOSED);
	assert_int_equal(trace_state(&t, "vfs_open"), CALL_CLOSED);
	assert_int_equal(trace_state(&t, "schedule_idle"), CALL_OPEN);
	assert_int_equal(trace_state(&t, "vfs_write"), CALL_ORPHAN);
	assert_int_equal(trace_diag(&t, "function-graph-orphan"), 1);
	assert_int_equal(trace_diag(&t, "function-graph-mixed"), 2);
	assert_int_equal(t.c->mixed, 2);
	assert_int_equal(t.c->mixed_line, 17);
	trace_fini(&t);
	/* with a CPU on each line, an unmatched brace does not close a call of another CPU */
	graph_of(&t, "# tracer: function_graph\n#\n"
		     " 0)               |  a() {\n"
		     " 0)               |    b() {\n"
		     " 0)   1.000 us    |  c();\n"
		     " 0)   2.000 us    |    }\n");
	assert_int_equal(trace_diag(&t, "function-graph-orphan"), 1);
	assert_false(t.c->is_mixed);
	trace_fini(&t);
}

static void interrupts_events_and_stacks_stand_between_calls(void **state)
{
	struct trace t;

	(void)state;
	graph_of(&t, " 0)               |  a() {\n"
		     " 0)   ==========> |\n"
		     " 0)               |    irq() {\n"
		     " 0) ! 264.462 us  |    }\n"
		     " 0)   <========== |\n"
		     " 0)               |    /* sched_switch: prev=a | x ==> next=b */\n"
		     "              sh-164     [001] ...1.    14.209884: <stack trace>\n"
		     " => do_syscall_64\n"
		     " (Overruns: 0)\n"
		     " 0) ! 300.000 us  |  }\n");
	assert_int_equal(t.c->n, 2);
	assert_true(t.c->state.data[1] & CALL_IN_IRQ);
	assert_false(t.c->state.data[0] & CALL_IN_IRQ);
	assert_int_equal(t.c->marks.len, 3);
	assert_int_equal(t.c->marks.data[1].kind, MARK_IRQ_EXIT);
	assert_int_equal(t.c->marks.data[2].kind, MARK_EVENT);
	assert_str(strings_get(&t.d->strings, t.c->marks.data[2].text),
		   "sched_switch: prev=a | x ==> next=b");
	assert_int_equal(t.c->marks.data[2].before_call, 2);
	assert_int_equal(trace_diag(&t, "function-graph-note"), 3);
	assert_int_equal(trace_diag(&t, "function-graph-not-understood"), 0);
	trace_fini(&t);
}

static void trace_cmd_report_is_a_graph_too(void **state)
{
	struct trace t;

	(void)state;
	graph_of(
		&t,
		"cpus=2\n"
		"  load-1x-173   [001]     7.061428: funcgraph_entry:                   |  a() {\n"
		"  load-1x-173   [001] d..2.     7.061681: funcgraph_entry:      + 59.928 us  |    "
		"b(); (ret=0x0)\n"
		"  load-1x-173   [001]     7.061700: sys_exit_write:       0x1\n"
		"CPU:1 [581 EVENTS DROPPED]\n"
		"  load-1x-173   [000]     7.061874: funcgraph_exit:       ! 552.078 us |  } "
		"(ret=0x3)\n"
		"  load-1x-173   [001]     7.061428: funcgraph_entry:       func=c depth=0\n"
		"  load-1x-173   [001]     7.061874: funcgraph_exit:        func=c depth=0 "
		"overrun=0 "
		"calltime=1a4e3276d rettime=1a4e3276f\n");
	assert_int_equal(t.c->n, 3);
	assert_string_equal(trace_parent(&t, "b"), "a");
	assert_int_equal(trace_duration(&t, "a"), 552078); /* closed on another CPU */
	assert_int_equal(t.c->retval.data[0], 3);
	assert_int_equal(t.c->start_ns.data[0], UINT64_C(7061428000));
	assert_str(strings_get(&t.d->strings, trace_lane(&t, "a")->comm), "load-1x");
	assert_int_equal(trace_duration(&t, "c"), 2);
	assert_int_equal(t.c->lost_events, 581);
	assert_int_equal(t.c->marks.data[0].kind, MARK_EVENT);
	trace_fini(&t);
}

static void folded_and_squeezed_lines_of_mails_are_read(void **state)
{
	struct trace t;

	(void)state;
	graph_of(&t, " 13378.411863 |     0)               |  get_rate\n"
		     "[cppc_cpufreq]() {\n"
		     " 13378.411864 |     0)               | b() {\n"
		     " 13378.411865 |     0)   0.680 us    | c();\n"
		     " 13378.411866 |     0)   1.680 us    | }\n"
		     " 13378.411867 |     0)   0.780 us    | khz\n"
		     "[cppc_cpufreq]();\n"
		     " 13378.411869 |     0)   9.000 us    |  }\n");
	assert_int_equal(t.c->n, 4);
	assert_str(symbols_module(&t.d->symbols, t.c->sym.data[0]), "cppc_cpufreq");
	assert_string_equal(trace_parent(&t, "c"), "b");
	assert_string_equal(trace_parent(&t, "khz"), "get_rate");
	assert_int_equal(trace_duration(&t, "b"), 1680);
	assert_int_equal(trace_diag(&t, "function-graph-joined"), 2);
	assert_int_equal(trace_diag(&t, "function-graph-no-indent"), 4);
	trace_fini(&t);
}

static void comments_that_a_mailer_broke_name_the_function(void **state)
{
	struct trace t;

	(void)state;
	graph_of(&t, " 3)  cp-77    | # 2102.026 us |      } /*\n"
		     "grow_index_of_volume [volfs] */\n"
		     " 3)  cp-77    |   0.117 us    |      drop_ref [volfs]();\n"
		     " 3)  cp-77    | # 2102.421 us |    } /* end_write [volfs] */\n"
		     " 3)  cp-77    | # 2102.599 us |  } /*\n"
		     " 3)  cp-77    | # 2102.600 us |  } /* end_io */\n");
	assert_int_equal(trace_duration(&t, "grow_index_of_volume"), 2102026);
	assert_int_equal(trace_duration(&t, "end_io"), 2102600);
	assert_int_equal(trace_diag(&t, "function-graph-joined"), 1);
	trace_fini(&t);
}

static void before_and_after_are_two_captures(void **state)
{
	struct trace t;

	(void)state;
	graph_of(&t, "Before:\n\n"
		     " 0) + 35.385 us   |  svc_alloc_arg();\n"
		     " 1) + 29.051 us   |  svc_alloc_arg();\n"
		     "\nAfter:\n\n"
		     " 0)   4.293 us    |  svc_alloc_arg();\n"
		     "\nNice.\n");
	assert_int_equal(t.d->captures.len, 2);
	assert_int_equal(t.capture->first_line, 3);
	assert_int_equal(t.capture->last_line, 4);
	assert_int_equal(t.d->captures.data[1]->first_line, 8);
	trace_fini(&t);
}

static void other_text_is_no_graph(void **state)
{
	static const char *const texts[] = {
		"int main(void) {\n  foo();\n  bar(1);\n}\n",
		"1) foo() is bad\n2) bar();\n",
		"| a | b |\n|---|---|\n| 1.000 us | 2 |\n",
		"# tracer: function\n#\n sh-1 [001] ...1. 1.5: mutex_unlock <-f\n",
		"# tracer: function_graph\n#\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct extent e;

		assert_false(format_function_graph.find(str_of(texts[i]), 0, &e));
		assert_true(format_function_graph.probe(str_of(texts[i])) < 90);
	}
}

/* The same lines one by one, without the fast path. */
static struct capture *slow_read(struct dossier *d, const struct region *in)
{
	struct str rest = in->text;
	struct str line;
	struct fg g;

	fg_init(&g, in, d);
	fg_begin(&g, 0);
	while (str_line(&rest, &line)) {
		struct fg_line l;

		fg_line_parse(line, &l);
		if (l.kind != FG_NONE && l.kind != FG_PARTIAL)
			fg_apply(&g, &l);
		else
			fg_count(&g, l.kind == FG_NONE ? FG_COUNT_JUNK : FG_COUNT_CUT);
		g.line++;
	}
	fg_end(&g, g.line ? g.line - 1 : 0);
	fg_fini(&g);
	return d->captures.data[d->captures.len - 1];
}

static void assert_same_calls(const struct capture *a, const struct capture *b)
{
	const struct calls *x = a->calls;
	const struct calls *y = b->calls;

	assert_int_equal(x->n, y->n);
	assert_int_equal(x->start_ns.len, y->start_ns.len);
	assert_int_equal(x->retval.len, y->retval.len);
	assert_int_equal(x->marks.len, y->marks.len);
	for (uint32_t i = 0; i < x->n; i++) {
		assert_int_equal(x->sym.data[i].v, y->sym.data[i].v);
		assert_int_equal(x->parent.data[i], y->parent.data[i]);
		assert_int_equal(x->lane.data[i], y->lane.data[i]);
		assert_int_equal(x->line.data[i], y->line.data[i]);
		assert_int_equal(x->depth.data[i], y->depth.data[i]);
		assert_int_equal(x->state.data[i], y->state.data[i]);
		assert_int_equal(calls_duration(x, i), calls_duration(y, i));
		if (x->start_ns.len)
			assert_int_equal(x->start_ns.data[i], y->start_ns.data[i]);
		if (x->retval.len)
			assert_int_equal(x->retval.data[i], y->retval.data[i]);
	}
	assert_int_equal(a->diag.entries.len, b->diag.entries.len);
	for (size_t i = 0; i < a->diag.entries.len; i++) {
		assert_string_equal(a->diag.entries.data[i].kind->counter,
				    b->diag.entries.data[i].kind->counter);
		assert_int_equal(a->diag.entries.data[i].count, b->diag.entries.data[i].count);
		assert_int_equal(a->diag.entries.data[i].first_line,
				 b->diag.entries.data[i].first_line);
	}
}

/* Lines as the tracer prints them, with occasional damage. */
static void make_text(struct out *o, unsigned int seed)
{
	static const char *const odd[] = {
		" ------------------------------------------\n",
		" 0)   load-7     =>    sh-8   \n",
		" 1)  <idle>-0    =>   load-7  \n",
		"CPU:1 [LOST 7 EVENTS]\n",
		" 0)   ==========> |\n",
		" 0)   <========== |\n",
		" 0)   1.5 us      |  short_fraction();\n",
		" 0)   1.2345 us   |  long_fraction();\n",
		" 0) ? 12.345 us   |  odd_mark();\n",
		" 0)   12x.45 us   |  no_number();\n",
		" 0)   1.234 us xx |  junk();\n",
		" 0)   1.234 us    |  f(a=1, b=2);\n",
		" 0)   1.234 us    |  f();g\n",
		" 0)   1.234 us    |  f(); /* = 0x12 */\n",
		" 0)   1.234 us    |  f(); /* what */ ever\n",
		" 0)   1.234 us    |  } /* g */\n",
		" 1)               |    g() { /* <-f+0x1/0x2 */\n",
		" 0)   1.234 us    |   odd();\n",
		" 0)   1.234 us    | squeezed();\n",
		" 9999)   1.234 us    |  f();\n",
		" 0)               |  /* event f(); */\n",
		(" 0)   1.234 us    |  a_very_long_name_that_does_not_fit_into_the_table_of_names_"
		 "at_all();\n"),
		"hello world\n",
		"\n",
	};
	unsigned int depth[2] = { 0, 0 };

	for (unsigned int i = 0; i < 2000; i++) {
		unsigned int r = (seed = seed * 1103515245 + 12345) >> 8;
		unsigned int cpu = r >> 3 & 1;
		unsigned int ns = r % 9999 + 1;
		const char *mark = ns > 1000 ? "+" : " ";

		if (r % 23 == 0) {
			out_z(o, odd[r / 23 % ARRAY_LEN(odd)]);
		} else if (r % 7 < 2 && depth[cpu] < 30) {
			out_printf(o, " %u)               |  %*sf%u [m%u]() {\n", cpu,
				   (int)(2 * depth[cpu]++), "", r % 41, r % 3);
		} else if (r % 7 < 4 && depth[cpu]) {
			out_printf(o, " %u) %s %3u.%03u us  |  %*s}\n", cpu, mark, ns, r % 1000,
				   (int)(2 * --depth[cpu]), "");
		} else {
			out_printf(o, " %u) %s %u.%03u us%*s|  %*sleaf_%u();\n", cpu, mark, ns % 10,
				   r % 1000, 4, "", (int)(2 * depth[cpu]), "", r % 97);
		}
	}
}

static void the_fast_path_reads_what_the_thorough_one_reads(void **state)
{
	(void)state;
	for (unsigned int seed = 1; seed <= 40; seed++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		CLEANUP(document_freep) struct document *doc = NULL;
		struct document_options raw = { .is_raw = true };
		struct region in = { .first_line = 1 };
		struct out o;

		out_init(&o);
		out_z(&o, " 0)   0.001 us    |  first();\n");
		make_text(&o, seed);
		assert_int_equal(document_from_memory(out_view(&o), &raw, &doc, NULL), OK);
		in.doc = doc;
		in.text = out_view(&o);
		assert_int_equal(format_function_graph.read(&in, d, NULL), OK);
		assert_int_equal(d->captures.len, 1);
		assert_same_calls(d->captures.data[0], slow_read(d, &in));
		out_fini(&o);
	}
}

static void deep_and_jumping_traces_stay_bounded(void **state)
{
	struct trace t;
	struct out o;

	(void)state;
	out_init(&o);
	for (unsigned int i = 0; i < 6000; i++)
		out_printf(&o, " 0)               |  %*sf() {\n", (int)i * 2, "");
	out_printf(&o, " 0)   1.000 us    |  %*sg();\n", 700000, "");
	for (unsigned int i = 0; i < 6000; i++)
		out_printf(&o, " 0)   1.000 us    |  %*s}\n", (int)(5999 - i) * 2, "");
	trace_read(&t, out_view(&o), "function-graph");
	assert_int_equal(trace_diag(&t, "function-graph-depth-limit"), 6000 - 4096);
	assert_int_equal(t.c->depth.data[trace_find(&t, "g")], UINT16_MAX);
	assert_int_equal(trace_diag(&t, "function-graph-unclosed"), 6000 - 4096);
	assert_int_equal(trace_diag(&t, "function-graph-orphan"), 6000 - 4096);
	trace_fini(&t);
	out_fini(&o);
}

static void many_tasks_are_bounded_and_cheap(void **state)
{
	struct trace t;
	struct out o;

	(void)state;
	out_init(&o);
	for (unsigned int i = 1; i <= 100000; i++)
		out_printf(&o, " %u)    t-%u    |               |  f() {\n", i % 8192, i);
	out_z(&o, " 8192)    t-1    |               |  f() {\n");
	trace_read(&t, out_view(&o), "function-graph");
	assert_int_equal(t.c->n, 100000);
	assert_int_equal(t.c->lanes.len, 100000);
	assert_int_equal(trace_diag(&t, "function-graph-cpu"), 1);
	trace_fini(&t);
	out_fini(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plain_trace_nests_by_indentation),
		cmocka_unit_test(every_column_may_be_there_or_not),
		cmocka_unit_test(long_durations_lose_decimals_not_value),
		cmocka_unit_test(return_values_arguments_and_addresses_are_kept),
		cmocka_unit_test(a_task_goes_on_where_it_was_after_a_switch),
		cmocka_unit_test(idle_tasks_are_one_a_cpu),
		cmocka_unit_test(lost_events_mark_what_is_around_them),
		cmocka_unit_test(a_call_too_deep_hangs_on_the_nearest_open_one),
		cmocka_unit_test(ends_without_a_beginning_are_orphans),
		cmocka_unit_test(a_brace_of_mixed_cpus_ends_a_call_that_is_in_the_trace),
		cmocka_unit_test(interrupts_events_and_stacks_stand_between_calls),
		cmocka_unit_test(trace_cmd_report_is_a_graph_too),
		cmocka_unit_test(folded_and_squeezed_lines_of_mails_are_read),
		cmocka_unit_test(comments_that_a_mailer_broke_name_the_function),
		cmocka_unit_test(before_and_after_are_two_captures),
		cmocka_unit_test(other_text_is_no_graph),
		cmocka_unit_test(the_fast_path_reads_what_the_thorough_one_reads),
		cmocka_unit_test(deep_and_jumping_traces_stay_bounded),
		cmocka_unit_test(many_tasks_are_bounded_and_cheap),
	};

	return cmocka_run_group_tests_name("function_graph", tests, NULL, NULL);
}
