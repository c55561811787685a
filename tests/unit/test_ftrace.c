/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/ftrace/ftrace_line.h"
#include "formats/load.h"
#include "texts.h"

/* Expects the whole text to be one capture. */
static void one_trace(struct trace *t, const char *text, const char *format)
{
	trace_of(t, text, format);
	assert_int_equal(t->d->captures.len, 1);
}

static struct str trace_note(const struct trace *t, const char *key)
{
	VEC_FOREACH (n, &t->capture->notes) {
		if (str_eq(strings_get(&t->d->strings, n->key), str_of(key)))
			return strings_get(&t->d->strings, n->value);
	}
	return STR_NONE;
}

static void the_function_tracer_gives_calls_with_callers_and_no_durations(void **state)
{
	struct trace t;
	uint32_t call;

	(void)state;
	one_trace(
		&t,
		"# tracer: function\n#\n"
		"              sh-17      [001] .....    44.835817: fn_one <-fn_two\n"
		"              sh-17      [001] d..2.    44.835914: fn_three(a=0x1, b=2) <-fn_two\n"
		"              sh-17      [001] .....    44.835920: <stack trace>\n => fn_one\n"
		"     my app-9      [000] .....    44.835923: fn_four [mod] <-fn_five\n",
		"ftrace");
	assert_int_equal(t.c->n, 3);
	assert_false(t.c->has_durations);
	assert_str(strings_get(&t.d->strings, t.c->retaddr.data[0]), "fn_two");
	assert_str(strings_get(&t.d->strings, t.c->args.data[1]), "a=0x1, b=2");
	assert_true(t.c->start_ns.data[0] == UINT64_C(44835817000));
	call = trace_find(&t, "fn_four");
	assert_str(symbols_module(&t.d->symbols, t.c->sym.data[call]), "mod");
	assert_int_equal(t.c->lanes.data[t.c->lane.data[call]].pid, 9);
	assert_int_equal(diag_get(&t.capture->diag, "ftrace-stack"), 2);
	trace_fini(&t);
}

/* The text of event @n; empty: there is none. */
static struct str trace_event(const struct trace *t, size_t n)
{
	return n < t->c->marks.len ? strings_get(&t->d->strings, t->c->marks.data[n].text)
				   : STR_NONE;
}

static void lines_that_a_mailer_broke_are_joined(void **state)
{
	struct trace t;

	(void)state;
	/* after the name of the event, within the fields, and before the time */
	one_trace(
		&t,
		"    kworker/3:1H-345     [003] ...1.  1044.500100: block_rq_issue:\n"
		"8,16 WS 4096 () 9000 + 8 [kworker/3:1H]\n"
		"    made-771             [003] d..2.  1044.500200: sched_switch: prev_comm=made\n"
		"prev_pid=771 prev_prio=120 prev_state=S ==> next_comm=swapper/3\n"
		"next_pid=0 next_prio=120\n"
		"    kworker/3:1H-345     [003] ...1.\n"
		"1044.500300: block_rq_complete: 8,16 WS () 9000 + 8 [0]\n"
		"    made-771             [003] ...1.  1044.500400: block_plug: [made]\n",
		"ftrace");
	assert_int_equal(t.c->marks.len, 4);
	assert_str(trace_event(&t, 0), "block_rq_issue: 8,16 WS 4096 () 9000 + 8 [kworker/3:1H]");
	assert_str(trace_event(&t, 1),
		   "sched_switch: prev_comm=made prev_pid=771 prev_prio=120 prev_state=S ==> "
		   "next_comm=swapper/3 next_pid=0 next_prio=120");
	assert_str(trace_event(&t, 2), "block_rq_complete: 8,16 WS () 9000 + 8 [0]");
	assert_str(trace_event(&t, 3), "block_plug: [made]");
	assert_int_equal(t.c->marks.data[2].line, 6);
	assert_int_equal(t.c->marks.data[3].line, 8);
	assert_int_equal(diag_get(&t.capture->diag, "ftrace-not-understood"), 0);
	trace_fini(&t);
}

static void remarks_between_events_are_not_joined(void **state)
{
	struct trace t;

	(void)state;
	/* no digit, a word that had room, a blank in front */
	one_trace(&t,
		  "    made-771             [003] ...1.  1044.500100: block_rq_issue: 8,16 WS 4096 "
		  "() 9000 + 8\n"
		  "here the request waits for the other device, and nothing happens\n"
		  "            sh-7 [003] ...1.  1044.500200: block_plug: [x]\n"
		  "2 events\n"
		  "    made-771             [003] ...1.  1044.500300: block_plug: [made]\n"
		  "  1 event=2\n"
		  "    made-771             [003] ...1.  1044.500400: block_plug: [made]\n",
		  "ftrace");
	assert_int_equal(t.c->marks.len, 4);
	assert_str(trace_event(&t, 0), "block_rq_issue: 8,16 WS 4096 () 9000 + 8");
	assert_str(trace_event(&t, 1), "block_plug: [x]");
	assert_str(trace_event(&t, 2), "block_plug: [made]");
	assert_int_equal(diag_get(&t.capture->diag, "ftrace-not-understood"), 3);
	trace_fini(&t);
}

static void a_latency_tracer_says_how_long_and_where(void **state)
{
	struct trace t;

	(void)state;
	one_trace(&t,
		  "# tracer: irqsoff\n#\n# irqsoff latency trace v1.1.5 on 6.1\n"
		  "# --------------------------------------------------------------------\n"
		  "# latency: 111 us, #4/4, CPU#0 | (M:desktop VP:0, KP:0, SP:0 HP:0 #P:2)\n"
		  "#    -----------------\n"
		  "#    | task: load-16 (uid:0 nice:0 policy:1 rt_prio:5)\n"
		  "#    -----------------\n"
		  "#  => started at: fn_a\n#  => ended at:   fn_b\n#\n"
		  "    load-16        0d...    0us+: fn_a <-fn_c\n"
		  "    load-16        0d.h1   61us!: fn_d <-fn_e\n"
		  "    load-16        0d...  111us : fn_b <-fn_c\n",
		  "ftrace");
	assert_str(trace_note(&t, "latency"), "111 us");
	assert_str(trace_note(&t, "started at"), "fn_a");
	assert_str(trace_note(&t, "ended at"), "fn_b");
	assert_int_equal(t.c->n, 3);
	assert_true(t.c->start_ns.data[2] == 111000);
	assert_str(strings_get(&t.d->strings, t.c->tracer), "irqsoff");
	trace_fini(&t);
}

static void a_latency_tracer_with_a_graph_is_a_function_graph(void **state)
{
	struct trace t;

	(void)state;
	one_trace(&t,
		  "# tracer: wakeup_rt\n#\n"
		  "# latency: 658 us, #3/3, CPU#0 | (M:desktop VP:0, KP:0, SP:0 HP:0 #P:2)\n"
		  "      130 us |   0)     sh-146     |  dN.2. |               |  fn_a() {\n"
		  "      131 us |   0)     sh-146     |  dN.2. |   7.201 us    |    fn_b();\n"
		  "      139 us |   0)     sh-146     |  dNh2. |   9.001 us    |  }\n",
		  "function-graph");
	assert_int_equal(t.c->n, 2);
	assert_int_equal(t.c->lanes.data[t.c->lane.data[0]].pid, 146);
	assert_str(trace_note(&t, "latency"), "658 us");
	trace_fini(&t);
}

static void system_calls_and_interrupts_become_nested_calls(void **state)
{
	struct trace t;
	uint32_t irq;
	uint32_t read;

	(void)state;
	one_trace(
		&t,
		"            sh-17    [001]    10.000001: sys_enter_read:       fd: 0x1, buf: 0x2\n"
		"            sh-17    [001]    10.000005: irq_handler_entry:    irq=27 "
		"name=virtio0\n"
		"            sh-17    [001]    10.000006: softirq_entry:        vec=1 "
		"[action=TIMER]\n"
		"            sh-17    [001]    10.000007: softirq_exit:         vec=1 "
		"[action=TIMER]\n"
		"            sh-17    [001]    10.000008: irq_handler_exit:     irq=27 "
		"ret=handled\n"
		"            sh-17    [001]    10.000009: sched_switch:         sh:17 ==> init:1\n"
		"            sh-17    [001]    10.000015: sys_exit_read:        0x10\n"
		"            sh-17    [001]    10.000016: sys_exit_close:       0x0\n",
		"ftrace");
	read = trace_find(&t, "sys_read");
	irq = trace_find(&t, "irq_handler:virtio0");
	assert_int_equal(calls_duration(t.c, read), 14000);
	assert_int_equal(t.c->retval.data[read], 16);
	assert_int_equal(calls_duration(t.c, irq), 3000);
	assert_int_equal(t.c->parent.data[irq], read);
	assert_int_equal(t.c->parent.data[trace_find(&t, "softirq:TIMER")], irq);
	assert_int_equal(t.c->marks.len, 8);
	assert_str(strings_get(&t.d->strings, t.c->marks.data[5].text),
		   "sched_switch: sh:17 ==> init:1");
	assert_int_equal(diag_get(&t.capture->diag, "ftrace-orphan"), 1);
	assert_true(t.c->is_from_events);
	trace_fini(&t);
}

static void tracefs_writes_system_calls_in_its_own_way(void **state)
{
	struct trace t;

	(void)state;
	one_trace(&t,
		  "# tracer: nop\n#\n"
		  "        sh-17      [000] ...1.    45.776297: sys_dup2(oldfd: b, newfd: 1)\n"
		  "        sh-17      [000] ...1.    45.776301: sys_dup2 -> 0x1\n"
		  "        sh-17      [000] ...1.    45.776305: sys_exit_group(error_code: 0)\n"
		  "     <...>-18      (-------) [000] ...1.    45.776411: sys_enter: NR 257 (ff)\n"
		  "     <...>-18      (-------) [000] ...1.    45.776421: sys_exit: NR 257 = -2\n",
		  "ftrace");
	assert_int_equal(t.c->n, 3);
	assert_int_equal(calls_duration(t.c, trace_find(&t, "sys_dup2")), 4000);
	assert_int_equal(calls_duration(t.c, trace_find(&t, "syscall:257")), 10000);
	assert_int_equal((int64_t)t.c->retval.data[trace_find(&t, "syscall:257")], -2);
	assert_int_equal(t.c->state.data[trace_find(&t, "sys_exit_group")] & CALL_STATE_MASK,
			 CALL_OPEN);
	trace_fini(&t);
}

static void events_before_the_first_traced_function_belong_to_the_graph(void **state)
{
	struct trace t;

	(void)state;
	one_trace(
		&t,
		"  load-181   [000]    22.480461: sys_enter_execve:     filename: 0x7fff3220af6b\n"
		"  load-181   [000]    22.480462: funcgraph_entry:                   |  fn_a() {\n"
		"  load-181   [000]    22.480463: funcgraph_exit:         1.100 us   |  }\n",
		"function-graph");
	assert_int_equal(t.c->n, 1);
	assert_int_equal(t.c->marks.len, 1);
	assert_int_equal(t.capture->first_line, 1);
	trace_fini(&t);
}

static void lines_like_the_last_one_are_read_as_any_other(void **state)
{
	static const char *const lines[] = {
		"              sh-164     [000] ...1.    20.000722: sys_write -> 0x2",
		"              sh-164     [000] ...1.    20.000861: sys_dup2(oldfd: b, newfd: 1)",
		"          <idle>-0       [001] d..2.    20.039234: sched_switch: a ==> b",
		"          <idle>-0       [001] d..2.    20.039236: <stack trace>",
		"              sh-164     [000] ...1.    20.040000: fn_a <-fn_b",
		"            load-182     [001] ...1.    20.039279: sys_vfork -> 0x0",
		"            load-182     [001] ...1.  1120.03927: sys_vfork -> 0x1",
		"            load-182     [001] ...1.    20: sys_vfork -> 0x1",
		"            load-182     [001]    20.039279: sys_vfork -> 0x1",
		"            load-182     [001] ...1.    20.039279:",
		"            load-182     [001",
		"    load-182     [000000000000000000000000000000000000001] ...1.  1.5: x y",
		"            load-182 ( 182) [001] ...1.    20.039279: tick: a=1",
		"            load-182 ( 182) [001] ...1.    20.039280: tick: a=2",
		"    inst:   load-182     [001] ...1.    20.039280: tick: a=2",
		"    inst:   load-182     [001] ...1.    20.039281: tick: a=2",
		"             lo-d-182     [70000] ...1.    20.039281: tick: a=2",
		"CPU:1 [LOST 3 EVENTS]",
		"",
		"words",
	};
	struct ft_fronts fronts = { 0 };

	(void)state;
	for (unsigned int round = 0; round < 3; round++) {
		for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
			struct str line = str_of(lines[i]);
			struct ft_line slow;
			struct ft_line quick;

			ft_line_parse(line, &slow);
			ft_line_parse_next(&fronts, line, false, &quick);
			assert_int_equal(quick.kind, slow.kind);
			assert_int_equal(quick.cpu, slow.cpu);
			assert_true(quick.time_ns == slow.time_ns);
			assert_true(str_eq(quick.task, slow.task));
			assert_true(str_eq(quick.text, slow.text));
			assert_true(str_eq(quick.name, slow.name));
			assert_true(str_eq(quick.caller, slow.caller));
			ft_line_parse_next(&fronts, line, true, &quick);
			assert_int_equal(quick.kind == FT_EVENT || quick.kind == FT_FUNCTION ||
						 quick.kind == FT_NOTE,
					 slow.kind == FT_EVENT || slow.kind == FT_FUNCTION ||
						 slow.kind == FT_NOTE);
		}
	}
}

/* trace-cmd report of a recording with -B one and -B two; events are in the main buffer. */
static void each_instance_with_a_graph_is_a_trace(void **state)
{
	static const char text[] =
		"cpus=2\n"
		"one:             load-271   [001]   172.1: funcgraph_entry:            |  f() {\n"
		"two:             load-271   [001]   172.2: funcgraph_entry:            |  f() {\n"
		"                 load-271   [001]   172.3: sched_wakeup: comm=x pid=1\n"
		"two:             load-271   [001]   172.4: funcgraph_entry:  1.100 us  |    g();\n"
		"one:             load-271   [001]   172.5: funcgraph_exit:   3.000 us  |  }\n"
		"two:             load-271   [001]   172.6: funcgraph_exit:   4.000 us  |  }\n";
	struct dossier *d = dossier_new();
	struct document *doc;

	(void)state;
	assert_int_equal(document_from_memory(str_of(text), NULL, &doc, NULL), OK);
	assert_int_equal(load_document(d, doc, "test", NULL, NULL), OK);
	assert_int_equal(d->captures.len, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct capture *c = d->captures.data[i];

		assert_str(str_of(c->format), "function-graph");
		assert_int_equal(c->calls->n, 1 + i);
		assert_true(calls_duration(c->calls, 0) == 3000 + 1000 * i);
		assert_int_equal(c->calls->line.data[0], 2 + i);
		/* facts from the main buffer apply to both */
		assert_int_equal(c->calls->marks.len, 1);
		assert_int_equal(c->notes.len, 1);
		assert_str(strings_get(&d->strings, c->notes.data[0].value), i ? "two" : "one");
	}
	dossier_free(d);
	document_free(doc);
}

static void each_instance_with_events_is_a_trace(void **state)
{
	static const char text[] =
		"one:             load-271   [001]   172.1: sys_enter_write:  fd: 1\n"
		"two:             load-271   [001]   172.2: sys_enter_write:  fd: 1\n"
		"one:             load-271   [001]   172.3: sys_exit_write:   0x1\n"
		"two:             load-271   [001]   172.5: sys_exit_write:   0x1\n";
	struct dossier *d = dossier_new();
	struct document *doc;

	(void)state;
	assert_int_equal(document_from_memory(str_of(text), NULL, &doc, NULL), OK);
	assert_int_equal(load_document(d, doc, "test", NULL, NULL), OK);
	assert_int_equal(d->captures.len, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct calls *c = d->captures.data[i]->calls;

		assert_int_equal(c->n, 1);
		assert_true(calls_duration(c, 0) == 200000000 + 100000000 * i);
	}
	dossier_free(d);
	document_free(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_function_tracer_gives_calls_with_callers_and_no_durations),
		cmocka_unit_test(lines_that_a_mailer_broke_are_joined),
		cmocka_unit_test(remarks_between_events_are_not_joined),
		cmocka_unit_test(a_latency_tracer_says_how_long_and_where),
		cmocka_unit_test(a_latency_tracer_with_a_graph_is_a_function_graph),
		cmocka_unit_test(system_calls_and_interrupts_become_nested_calls),
		cmocka_unit_test(tracefs_writes_system_calls_in_its_own_way),
		cmocka_unit_test(each_instance_with_a_graph_is_a_trace),
		cmocka_unit_test(each_instance_with_events_is_a_trace),
		cmocka_unit_test(lines_like_the_last_one_are_read_as_any_other),
		cmocka_unit_test(events_before_the_first_traced_function_belong_to_the_graph),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
