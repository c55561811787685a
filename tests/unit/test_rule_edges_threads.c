/* SPDX-License-Identifier: MIT */
/* Rules about stacks of threads, just below and just above their conditions: rule_edges.h. */
#include "unit.h"

#include "base/status.h"
#include "rule_edges.h"

static const struct edge edges[] = {
	/* without a signal only a string that is read in any case shows a crash */
	{ "crash-stack-end-pointer",
	  "error 70 %: Crash, not slow: a null pointer in parse_row; lines 3",
	  { { "nptr=0x602010 \"1234,s=0x0,77\"", "nptr=0x0" } } },
	{ "crash-stack-end-pointer",
	  "clean",
	  { { "strtol (", "strtok (" }, { "nptr=0x602010", "s=0x0, x=1" } } },
	{ "crash-stack-end-pointer", "clean", { { "strtol (", "strlen (" } } },
	{ "crash-stack-end-pointer",
	  "error 70 %: Crash, not slow: a null pointer",
	  { { "strtol (", "strcmp (" } } },
	/* with a signal, only arguments that should not be null are the reason */
	{ "crash-stack-end-pointer",
	  "error 90 %: Crash, not slow: a bad memory access in parse_row; lines 4",
	  { { "$ gdb -p 4242 -batch -ex bt",
	      "Program received signal SIGSEGV, Segmentation fault." } } },
	{ "crash-stack-end-pointer",
	  "error 90 %: Crash, not slow: a null pointer in parse_row; lines 4",
	  { { "$ gdb -p 4242 -batch -ex bt",
	      "Program received signal SIGSEGV, Segmentation fault." },
	    { "nptr=0x602010 \"1234,s=0x0,77\"", "nptr=0x0" } } },
	{ "crash-stack-fires",
	  "error 90 %: Crash, not slow: a null pointer in node_next",
	  { { "n=0x0", "a=0x0123, n=0x0" } } },
	{ "crash-stack-fires",
	  "error 90 %: Crash, not slow: a bad memory access in node_next",
	  { { "n=0x0", "n={next=0x0}" } } },
	/* a condition and a line are a failed check where the process aborts, or by its name */
	{ "crash-stack-evaluator",
	  "error 90 %: Crash, not slow: a failed assertion in apply_rules; lines 2",
	  { { "eval_filter", "eval_failed" } } },
	{ "crash-stack-evaluator",
	  "error 90 %: Crash, not slow: a failed assertion in apply_rules; lines 2",
	  { { "#0  ", "#0  abort () at abort.c:79\n#1  " },
	    { "#1  0x0000000000401b3c", "#2  0x0000000000401b3c" },
	    { "#2  0x0000000000401c4d", "#3  0x0000000000401c4d" } } },
	{ "crash-stack-evaluator",
	  "error 90 %: Crash, not slow: a failed assertion in apply_rules; lines 3",
	  { { "$ gdb -p 4242 -batch -ex bt",
	      "Program terminated with signal SIGABRT, Aborted." } } },
	{ "crash-stack-evaluator",
	  "error 90 %: Crash, not slow: a bad memory access in eval_filter; lines 4",
	  { { "$ gdb -p 4242 -batch -ex bt",
	      "Program terminated with signal SIGSEGV, Segmentation fault." } } },
	{ "crash-stack-condition", "clean", { { "FAIL_now", "rule_now" } } },
};

static void each_side_of_an_edge_has_its_cause(void **state)
{
	(void)state;
	assert_int_equal(rule_edges_wrong(edges, ARRAY_LEN(edges)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_side_of_an_edge_has_its_cause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
