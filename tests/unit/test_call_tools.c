/* SPDX-License-Identifier: MIT */
/* Calls as uftrace and retsnoop print them. */
#include "unit.h"

#include "core/calls.h"
#include "core/diag.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "texts.h"

static void uftrace_replay_nests_and_keeps_arguments_and_values(void **state)
{
	struct trace t;
	uint32_t work;
	uint32_t fib;

	(void)state;
	trace_of(&t,
		 "# DURATION     TID     FUNCTION\n"
		 "            [  2422] | main(2, 0x7fff) {\n"
		 "            [  2422] |   fib(2) {\n"
		 "   0.070 us [  2422] |     fib(1) = 1;\n"
		 "   3.074 us [  2422] |   } = 1; /* fib */\n"
		 "            [  2422] |   work(\"a(\") {\n"
		 "   1.275 ms [  2422] |     /* linux:schedule */\n"
		 "   1.295 ms [  2422] |   } /* work */\n"
		 "   2.592 ms [  2422] | } = 0; /* main */\n",
		 "uftrace");
	assert_int_equal(t.c->n, 5);
	fib = trace_find(&t, "fib");
	work = trace_find(&t, "work");
	assert_int_equal(calls_duration(t.c, 0), 2592000);
	assert_int_equal(calls_duration(t.c, fib), 3074);
	assert_int_equal(t.c->retval.data[fib], 1);
	assert_int_equal(t.c->parent.data[fib], 0);
	assert_str(strings_get(&t.d->strings, t.c->args.data[work]), "\"a(\"");
	assert_int_equal(t.c->parent.data[trace_find(&t, "linux:schedule")], work);
	assert_int_equal(t.c->lanes.data[t.c->lane.data[0]].pid, 2422);
	trace_fini(&t);
}

static void uftrace_columns_are_as_its_header_says(void **state)
{
	struct trace t;

	(void)state;
	trace_of(&t,
		 "#  ELAPSED   DURATION    TID     FUNCTION\n"
		 "  40.141 us            [ 17] |   fn_a() {\n"
		 "  40.269 us   0.249 us [ 17] |     ns::fn_b<int>::operator()(1);\n"
		 "  41.957 us   1.816 us [ 17] |   } /* fn_a */\n",
		 "uftrace");
	assert_int_equal(t.c->n, 2);
	assert_int_equal(calls_duration(t.c, trace_find(&t, "fn_a")), 1816);
	assert_int_equal(calls_duration(t.c, trace_find(&t, "ns::fn_b<int>::operator()")), 249);
	trace_fini(&t);
	trace_of(&t,
		 "# DURATION     TID        TIMESTAMP      TIMEDELTA   FUNCTION\n"
		 "            [    17]    13857.545630457             | fn_a() {\n"
		 "   0.050 us [    17]    13857.545630557   0.050 us  |   fn_b@lib.so();\n"
		 "   0.932 us [    17]    13857.545630889   0.332 us  | } /* fn_a */\n",
		 "uftrace");
	assert_int_equal(calls_duration(t.c, 0), 932);
	assert_true(t.c->start_ns.data[1] == UINT64_C(13857545630557));
	assert_str(symbols_module(&t.d->symbols, t.c->sym.data[1]), "lib.so");
	trace_fini(&t);
}

static void uftrace_minutes_have_seconds_after_the_dot(void **state)
{
	struct trace t;

	(void)state;
	trace_of(&t,
		 "# DURATION     TID     FUNCTION\n"
		 "            [  2422] | main() {\n"
		 "   1.034  m [  2422] |   load();\n"
		 "   1.002  h [  2422] |   solve();\n"
		 "  59.900  s [  2422] |   save();\n"
		 "   1.030  h [  2422] | } /* main */\n",
		 "uftrace");
	assert_int_equal(calls_duration(t.c, trace_find(&t, "load")), UINT64_C(94000000000));
	assert_int_equal(calls_duration(t.c, trace_find(&t, "solve")), UINT64_C(1560000000000));
	assert_int_equal(calls_duration(t.c, trace_find(&t, "save")), UINT64_C(59900000000));
	trace_fini(&t);
}

static void a_retsnoop_trace_gives_calls_with_errors(void **state)
{
	struct trace t;
	uint32_t a;

	(void)state;
	trace_of(&t,
		 "20:29:17.844718 -> 20:29:17.844749 TID/PID 238/237 (app/app):\n\n"
		 "FUNCTION CALLS                 RESULT       DURATION\n"
		 "-----------------------------  ---------  ----------\n"
		 "→ fn_a                                                args=1\n"
		 "    → fn_b\n"
		 "        ↔ fn_c                 [0xffff]      5.539us\n"
		 "    ← fn_b                     [NULL]       10.265us\n"
		 "← fn_a                         [-ENOMEM]   374.697us\n\n"
		 "   374us [-ENOMEM]  fn_a+0x1a                 (a.c:50:1)\n"
		 "!   10us [NULL]     fn_b\n",
		 "retsnoop");
	assert_int_equal(t.c->n, 3);
	a = trace_find(&t, "fn_a");
	assert_int_equal((int64_t)t.c->retval.data[a], -12);
	assert_int_equal(calls_duration(t.c, a), 374697);
	assert_int_equal(t.c->parent.data[trace_find(&t, "fn_c")], trace_find(&t, "fn_b"));
	assert_int_equal(t.c->lanes.data[t.c->lane.data[a]].pid, 238);
	assert_int_equal(diag_get(&t.capture->diag, "retsnoop-untimed"), 2);
	trace_fini(&t);
}

static void a_retsnoop_stack_is_a_chain_of_calls(void **state)
{
	struct trace t;

	(void)state;
	trace_of(&t,
		 "                    entry_SYSCALL_64_after_hwframe+0x46  (entry.S:120)\n"
		 "    73us [-ENOMEM]  fn_a+0x1a                 (a.c:50:1)\n"
		 "                    . fn_inline               (a.c:11:8)\n"
		 "!   50us [-ENOMEM]  fn_b\n"
		 "!*   2us [NULL]     fn_c\n",
		 "retsnoop");
	assert_int_equal(t.c->n, 3);
	assert_int_equal(t.c->parent.data[1], 0);
	assert_int_equal(t.c->parent.data[2], 1);
	assert_int_equal(calls_duration(t.c, 1), 50000);
	trace_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(uftrace_replay_nests_and_keeps_arguments_and_values),
		cmocka_unit_test(uftrace_columns_are_as_its_header_says),
		cmocka_unit_test(uftrace_minutes_have_seconds_after_the_dot),
		cmocka_unit_test(a_retsnoop_trace_gives_calls_with_errors),
		cmocka_unit_test(a_retsnoop_stack_is_a_chain_of_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
