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
	/* UBSAN names the operation in its first line, old kernels in the second */
	{ "kernel-trouble-invalid-load",
	  "index is outside",
	  { { "UBSAN: invalid-load", "UBSAN: array-index-out-of-bounds" },
	    { "load of value 104 is not a valid value for type '_Bool'", "index 8" } } },
	{ "kernel-trouble-invalid-load",
	  "A shift count",
	  { { "UBSAN: invalid-load", "UBSAN: Undefined behaviour" },
	    { "load of value 104 is not a valid value for type '_Bool'",
	      "shift exponent 64 is too large for 32-bit type 'int'" } } },
	{ "kernel-trouble-invalid-load",
	  "divided by zero",
	  { { "UBSAN: invalid-load", "UBSAN: division-overflow" },
	    { "load of value 104 is not a valid value for type '_Bool'", "x" } } },
	{ "kernel-trouble-invalid-load",
	  "does not fit its type",
	  { { "UBSAN: invalid-load", "UBSAN: signed-integer-overflow" },
	    { "load of value 104 is not a valid value for type '_Bool'", "x" } } },
	{ "kernel-trouble-invalid-load",
	  "was never set, or overwritten",
	  { { "UBSAN: invalid-load", "UBSAN: Undefined behaviour" },
	    { "load of value 104 is not a valid value for type '_Bool'",
	      "load of value 104 is not a valid value for type '_Bool'" } } },
	{ "kernel-trouble-invalid-load",
	  "lookup that found nothing",
	  { { "UBSAN: invalid-load", "UBSAN: null-ptr-deref" },
	    { "load of value 104 is not a valid value for type '_Bool'", "x" } } },
	{ "kernel-trouble-invalid-load",
	  "no multiple",
	  { { "UBSAN: invalid-load", "UBSAN: misaligned-access" },
	    { "load of value 104 is not a valid value for type '_Bool'", "x" } } },
	{ "kernel-trouble-invalid-load",
	  "larger than the object",
	  { { "UBSAN: invalid-load", "UBSAN: object-size-mismatch" },
	    { "load of value 104 is not a valid value for type '_Bool'", "x" } } },
	{ "kernel-trouble-invalid-load",
	  "smaller type changes",
	  { { "UBSAN: invalid-load", "UBSAN: implicit-conversion" },
	    { "load of value 104 is not a valid value for type '_Bool'", "x" } } },
	{ "kernel-trouble-invalid-load",
	  "does not define the result",
	  { { "UBSAN: invalid-load", "UBSAN: new-kind" },
	    { "load of value 104 is not a valid value for type '_Bool'", "x" } } },
	/* two calls are a recursion where the stack is an excerpt of its innermost frames */
	{ "deep-recursion-named",
	  "note 60 %: Stack overflow, possibly by recursion; occurs 2 times; lines 3",
	  { { "Lock.call", "Lock.call" } } },
	{ "deep-recursion-named", "clean", { { "shop.reflect.Lock.call", "main" } } },
	{ "deep-recursion-named",
	  "clean",
	  { { "  at shop.reflect.Lock.sync",
	      "  at shop.a.b(Lock.scala:1)\n  at shop.a.c(Lock.scala:2)\n  at "
	      "shop.reflect.Lock.sync" } } },
	{ "deep-recursion-dispatch",
	  "note 60 %: Stack overflow, possibly by recursion: notify calls itself through dispatch "
	  "and run_dialog; lines 4",
	  { { "main", "loop" } } },
	/* a crash overflows a stack only if the stack does not reach its start */
	{ "deep-recursion-fires",
	  "note 60 %: Deep recursion: visit calls itself",
	  { { "=0x602130) at tree.c:14",
	      "=0x602130) at tree.c:14\n#20  0x0000000000400014 in main () at tree.c:30" } } },
	{ "deep-recursion-fires",
	  "error 90 %: Stack overflow by recursion: visit calls itself",
	  { { "=0x602130) at tree.c:14",
	      "=0x602130) at tree.c:14\n#1020  0x0000000000400014 in main () at tree.c:30" } } },
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
