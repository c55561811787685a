/* SPDX-License-Identifier: MIT */
/*
 * count_dialects.c - how each tool prints stacks with amounts; the comments name the source code
 * that prints them
 */
#include "formats/threads/count_dialect.h"

#include "base/status.h"
#include "core/profile.h"
#include "formats/threads/stack_dialect.h"

#define H       COUNTS_HEAD | STACK_BEGINS
#define O       COUNTS_OPEN | STACK_BEGINS
#define S       COUNTS_SUM | STACK_BEGINS
#define F       COUNTS_FRAME
#define NS      WEIGHT_NS
#define BYTES   WEIGHT_BYTES
#define SAMPLES WEIGHT_SAMPLES
#define UNKNOWN WEIGHT_UNKNOWN

/* clang-format off */

/* Frames as bcc's tools print them: by sym() with show_offset and show_module, or as addresses. */
#define BCC_FRAMES \
	{ { F, 1, "%x %f+0x%x [%m]" }, 0 }, { { F, 1, "%f+0x%x [%m]" }, 0 }, \
	{ { F, 1, "%x %f+0x%x" }, 0 }, { { F, 1, "0x%x %f" }, 0 }, { { F, 1, "%x %f" }, 0 }, \
	{ { F, 1, "%f+0x%x" }, 0 }, { { F, 1, "%f" }, 0 }

const struct count_dialect count_dialects[] = {
	/* source: bpftrace, src/output.cpp, map_stack and map values; src/bpftrace.cpp, get_stack() */
	{ "bpftrace", NULL, UNKNOWN, COUNTS_ONCE | COUNTS_BLANKS, {
		{ { COUNTS_EMPTY, 0, "@[, %t]: %n" }, 0 },
		{ { COUNTS_EMPTY, 0, "@%K[, %t]: %n" }, 0 },
		{ { O, 0, "@[" }, 0 },
		{ { O, 0, "@%K[" }, 0 },
		{ { O, 0, "@[%t," }, 0 },
		{ { O, 0, "@%K[%t," }, 0 },
		{ { COUNTS_CLOSE, 0, "]: %n" }, 0 },
		{ { COUNTS_CLOSE, 0, "]: count %d, average %d, total %n" }, 0 },
		{ { COUNTS_CLOSE, 0, ", %t]: %n" }, 0 },
		{ { COUNTS_INNER, 0, "," }, 0 },
		{ { F, 0, "%x %f+%d (%m)" }, 0 },
		{ { F, 0, "%f+%d (%m)" }, 0 },
		{ { F, 0, "%f+%d" }, 0 },
		{ { F, 0, "%f+0x%x" }, 0 },
		{ { F, 0, "%f" }, 0 } } },
	/* source: bcc, tools/profile.py */
	{ "bcc-profile", "cpu-clock", SAMPLES, 0, {
		{ { H, 0, "Sampling at %d Hertz of %*" }, 0 },
		{ { COUNTS_COMM, 1, "- %t (%d)" }, 0 },
		{ { COUNTS_INNER, 1, "--" }, 0 },
		{ { COUNTS_CLOSE, 1, "%n" }, 0 },
		BCC_FRAMES } },
	/* source: bcc, tools/offcputime.py */
	{ "bcc-offcputime", "offcpu_time", NS, 0, {
		{ { H, 0, "Tracing off-CPU time (us) of%*" }, 0 },
		{ { COUNTS_COMM, 1, "- %t (%d)" }, 0 },
		{ { COUNTS_INNER, 1, "--" }, 0 },
		{ { COUNTS_CLOSE, 1, "%n" }, NULL, NS, 1000 },
		BCC_FRAMES } },
	/*
	 * source: bcc, tools/offwaketime.py and wakeuptime.py. The stack of the waking thread
	 * precedes the stack of the blocked thread.
	 */
	{ "bcc-offwaketime", "off-cpu", NS, 0, {
		{ { H, 0, "Tracing blocked time (us) by kernel off-CPU and waker%*" }, 0 },
		{ { H, 0, "Tracing blocked time (us) by user off-CPU and waker%*" }, 0 },
		{ { H, 0, "Tracing blocked time (us) by %* off-CPU and waker%*" }, 0 },
		{ { COUNTS_INNER, 1, "waker: %*" }, 0 },
		{ { COUNTS_COMM, 1, "target: %t" }, 0 },
		{ { COUNTS_DROP, 1, "- -" }, 0 },
		{ { COUNTS_DROP, 1, "-- --" }, 0 },
		{ { COUNTS_CLOSE, 1, "%n" }, NULL, NS, 1000 },
		BCC_FRAMES } },
	/* source: bcc, tools/stackcount.py */
	{ "bcc-stackcount", NULL, UNKNOWN, 0, {
		{ { H, 0, "Tracing %d functions for %*" }, 0 },
		{ { COUNTS_COMM, 1, "%t [%d]" }, 0 },
		{ { COUNTS_INNER, 1, "--" }, 0 },
		{ { COUNTS_CLOSE, 3, "%n" }, 0 },
		BCC_FRAMES } },
	/*
	 * source: bcc, tools/trace.py with -K or -U: a stack follows each event; it has no amount
	 */
	{ "bcc-trace", NULL, SAMPLES, COUNTS_IMPLIED, {
		{ { H, 0, "PID TID COMM FUNC%*" }, 0 },
		{ { H, 0, "TIME PID TID COMM FUNC%*" }, 0 },
		{ { COUNTS_OPEN, 0, "%d %d %t %K -" }, 0 },
		{ { COUNTS_OPEN, 0, "%d:%d:%d %d %d %t %K -" }, 0 },
		{ { COUNTS_OPEN, 0, "%d %d %t %K" }, 0 },
		{ { COUNTS_OPEN, 0, "%d:%d:%d %d %d %t %K" }, 0 },
		BCC_FRAMES } },
	/* source: bcc, tools/memleak.py */
	{ "bcc-memleak", "inuse_space", BYTES, 0, {
		{ { H, 0, "[%*] Top %d stacks with outstanding allocations:" }, 0 },
		{ { O, 1, "%n bytes in %d allocations from stack" }, 0 },
		{ { COUNTS_INNER, 0, "addr = %*" }, 0 },
		BCC_FRAMES } },
	/* source: valgrind, memcheck/mc_leakcheck.c, MC_(pp_LossRecord) */
	{ "memcheck", "leaked_space", BYTES, 0, {
		{ { O, 0, "==%d== %n bytes in %* blocks are still reachable in loss record%*" }, "reachable_space", BYTES, 1 },
		{ { O, 0, "==%d== %n bytes in %* blocks are possibly lost in loss record%*" }, "possibly_leaked_space", BYTES, 1 },
		{ { O, 0, "==%d== %n (%* direct, %* indirect) bytes in %* blocks are possibly lost in loss record%*" }, "possibly_leaked_space", BYTES, 1 },
		{ { O, 0, "==%d== %n (%* direct, %* indirect) bytes in %* blocks are %* in loss record%*" }, 0 },
		{ { O, 0, "==%d== %n bytes in %* blocks are %* in loss record%*" }, 0 },
		{ { F, 0, "==%d== at 0x%x: %f (in %m)" }, 0 },
		{ { F, 0, "==%d== at 0x%x: %f (%s:%l)" }, 0 },
		{ { F, 0, "==%d== by 0x%x: %f (in %m)" }, 0 },
		{ { F, 0, "==%d== by 0x%x: %f (%s:%l)" }, 0 },
		{ { F, 0, "==%d== by 0x%x: %f" }, 0 },
		{ { COUNTS_INNER, 0, "==%d==" }, 0 } } },
	/* source: compiler-rt, lib/lsan/lsan_common.cpp, PrintReportForLeak() */
	{ "leak-sanitizer", "leaked_space", BYTES, 0, {
		{ { H, 0, "==%d==ERROR: LeakSanitizer: %*" }, 0 },
		{ { O, 0, "Direct leak of %n byte(s) in %d object(s) allocated from:" }, 0 },
		{ { O, 0, "Indirect leak of %n byte(s) in %d object(s) allocated from:" }, 0 },
		/* the name of a function may contain blanks: "operator new(unsigned long)" */
		{ { F, 1, "#%N %x in operator %L %s:%l (%m+0x%x)%*" }, 0 },
		{ { F, 1, "#%N %x in operator %L %s:%l%*" }, 0 },
		{ { F, 1, "#%N %x in %L %s:%l (%m+0x%x)%*" }, 0 },
		{ { F, 1, "#%N %x in %L (%m+0x%x)%*" }, 0 },
		{ { F, 1, "#%N %x in %L %s:%l%*" }, 0 },
		/* the path of the module is wrapped */
		{ { F, 1, "#%N %x in %L (/%m" }, 0 },
		{ { F, 1, "#%N %x in %L /%*" }, 0 },
		{ { F, 1, "#%N %x in %L ../%*" }, 0 },
		{ { F, 1, "#%N %x in %f %s.cpp.o" }, 0 },
		{ { F, 1, "#%N %x in %f" }, 0 },
		{ { F, 1, "#%N %f (%m+0x%x)%*" }, 0 },
		/* the line of a frame was wrapped: this is the rest, with module and offset */
		{ { COUNTS_INNER, 1, "(%m+0x%x)%*" }, 0 },
		{ { COUNTS_OBJECT, 1, "%m+0x%x)" }, 0 },
		{ { COUNTS_INNER, 1, "%s:%l" }, 0 },
		{ { COUNTS_INNER, 1, "../%s:%l%*" }, 0 },
		{ { COUNTS_INNER, 1, "/%s:%l%*" }, 0 } } },
	/* source: heaptrack, src/analyze/print/heaptrack_print.cpp */
	{ "heaptrack", NULL, UNKNOWN, 0, {
		{ { H, 0, "MOST CALLS TO ALLOCATION FUNCTIONS" }, 0 },
		{ { COUNTS_HEAD, 0, "PEAK MEMORY CONSUMERS" }, 0 },
		{ { S, 0, "%n calls to allocation functions with %* peak consumption from" }, "alloc_objects", WEIGHT_EVENTS, 1 },
		{ { S, 0, "%n peak memory consumed over %d calls from" }, "peak_space", BYTES, 1 },
		{ { S, 0, "%n leaked over %d calls from" }, "leaked_space", BYTES, 1 },
		{ { S, 0, "%n temporary allocations of %d allocations in total (%*) from" }, "temporary_objects", WEIGHT_EVENTS, 1 },
		{ { COUNTS_TOTAL, 0, "calls to allocation functions: %n (%o/s)" }, "alloc_objects", WEIGHT_EVENTS, 1 },
		{ { COUNTS_TOTAL, 0, "temporary memory allocations: %n (%o/s)" }, "temporary_objects", WEIGHT_EVENTS, 1 },
		{ { COUNTS_TOTAL, 0, "peak heap memory consumption: %n" }, "peak_space", BYTES, 1 },
		{ { COUNTS_TOTAL, 0, "total memory leaked: %n" }, "leaked_space", BYTES, 1 },
		{ { O, 0, "%n calls with %* peak consumption from:" }, "alloc_objects", WEIGHT_EVENTS, 1 },
		{ { O, 0, "%n consumed over %d calls from:" }, "peak_space", BYTES, 1 },
		{ { O, 0, "%n leaked over %d calls from:" }, "leaked_space", BYTES, 1 },
		{ { O, 0, "%n temporary allocations of %d allocations in total (%*) from:" }, "temporary_objects", WEIGHT_EVENTS, 1 },
		{ { COUNTS_INNER, 2, "and %* from %d other places" }, 0 },
		{ { COUNTS_OBJECT, 2, "in %m" }, 0 },
		{ { COUNTS_INNER, 2, "at %s:%l" }, 0 },
		{ { F, 0, "%f" }, 0 } } },
	/*
	 * source: gperftools, src/malloc_extension.cc, GetHeapGrowthStacks(): memory obtained from
	 * the system
	 */
	{ "pprof-growth", "growth_space", BYTES, COUNTS_ADDRESSES, {
		{ { H, 0, "heap profile: %d: %d [ %d: %d] @ growthz" }, 0 },
		{ { H, 0, "heap profile: %d: %d [ %d: %d] @ growth" }, 0 },
		{ { COUNTS_OPEN, 0, "%G: %n [ %M: %o] @ %f" }, "growth_space", BYTES, 1 },
		{ { F, 0, "# 0x%x %f" }, 0 } } },
	/* source: runtime/pprof/pprof.go, writeHeapInternal(); google/pprof: profile/legacy_profile.go */
	{ "pprof-heap", NULL, BYTES, COUNTS_UNSCALED | COUNTS_ADDRESSES, {
		{ { H, 0, "heap profile: %d: %d [%d: %d] @ %K/%c" }, 0 },
		{ { H, 0, "heap profile: %d: %d [ %d: %d] @ %K/%c" }, 0 },
		{ { H, 0, "heap profile: %d: %d [ %d: %d] @ %K" }, 0 },
		{ { O, 0, "%G: %n [~%M: %o] @ %f" }, "inuse_space", BYTES, 1 },
		{ { F, 0, "# 0x%x %f+0x%x %*" }, 0 },
		{ { F, 0, "# 0x%x %f+0x%x" }, 0 },
		{ { F, 0, "# %f" }, 0 } } },
	/*
	 * source: runtime/pprof/pprof.go, writeProfileInternal(); google/pprof,
	 * profile/legacy_profile.go, parseContention()
	 */
	{ "pprof-contention", "delay", NS, COUNTS_ADDRESSES, {
		{ { H, 0, "--- mutex:" }, 0 },
		{ { H, 0, "--- contention:" }, 0 },
		{ { H, 0, "--- contentionz %d ---" }, 0 },
		{ { COUNTS_RATE, 0, "cycles/second = %n" }, 0 },
		{ { COUNTS_RATE, 0, "cycles/second=%n" }, 0 },
		{ { COUNTS_RATE, 0, "sampling period = %c" }, 0 },
		{ { COUNTS_RATE, 0, "sampling period=%c" }, 0 },
		{ { COUNTS_INNER, 0, "ms since reset = %d" }, 0 },
		{ { COUNTS_INNER, 0, "discarded samples = %d" }, 0 },
		{ { COUNTS_OPEN, 0, "%n %d @ %f" }, 0 },
		{ { F, 0, "# 0x%x %f+0x%x %*" }, 0 },
		{ { F, 0, "# 0x%x %f+0x%x" }, 0 },
		{ { F, 0, "# %f" }, 0 } } },
	/* source: kernel/trace/trace_events_hist.c, hist_trigger_entry_print() */
	{ "ftrace-hist", "hitcount", UNKNOWN, COUNTS_KERNEL, {
		{ { H, 0, "# event histogram" }, 0 },
		{ { H, 0, "# trigger info: hist:%*" }, 0 },
		{ { O, 0, "{ stacktrace:" }, 0 },
		{ { O, 0, "{ common_stacktrace:" }, 0 },
		{ { O, 0, "{ %*stacktrace:" }, 0 },
		{ { COUNTS_CLOSE, 0, "} hitcount: %n %K: %o" }, 0 },
		{ { COUNTS_CLOSE, 0, "} hitcount: %n %K: %o %*" }, 0 },
		{ { COUNTS_CLOSE, 0, "} hitcount: %n" }, 0 },
		{ { COUNTS_INNER, 0, "Totals:" }, 0 },
		{ { COUNTS_INNER, 1, "Hits: %d" }, 0 },
		{ { COUNTS_INNER, 1, "Entries: %d" }, 0 },
		{ { COUNTS_INNER, 1, "Dropped: %d" }, 0 },
		{ { F, 1, "%f+0x%x/0x%x [%m]" }, 0 },
		{ { F, 1, "%f+0x%x/0x%x" }, 0 } } },
	/*
	 * DTrace's profile provider, if the script prints each stack instead of counting equal
	 * stacks. Each stack is one sample, and follows a line "comm pid time: profile-1ms:"
	 */
	{ "dtrace-samples", "profile", SAMPLES, COUNTS_IMPLIED, {
		{ { O, 0, "%t %d %d: profile-%*:" }, 0 },
		{ { O, 0, "%t %d %d: tick-%*:" }, 0 },
		{ { F, 1, "%m`%f+0x%x" }, 0 },
		{ { F, 1, "%m`%f" }, 0 },
		{ { F, 1, "%f" }, 0 } } },
	/*
	 * source: lib/libdtrace/common/dt_consume.c of illumos, dt_print_stack(); the stacks are
	 * the keys of an aggregation
	 */
	{ "dtrace", NULL, UNKNOWN, COUNTS_BLANKS | COUNTS_BARE, {
		{ { H, 0, "CPU ID FUNCTION:NAME" }, 0 },
		{ { F | STACK_BEGINS, 1, "%m`%f+0x%x" }, 0 },
		{ { F | STACK_BEGINS, 1, "%m`%f" }, 0 },
		{ { F, 1, "%f" }, 0 },
		{ { COUNTS_CLOSE, 1, "%n" }, 0 } } },
	/*
	 * source: SystemTap, runtime/sym.c, _stp_print_addr(); scripts print the count after its
	 * stack, on a line that starts with a tab
	 */
	{ "systemtap", NULL, UNKNOWN, COUNTS_BLANKS, {
		{ { F | STACK_BEGINS, 0, "0x%x : %f+0x%x/0x%x [%m]" }, 0 },
		{ { F, 0, "0x%x : 0x%x [%m]" }, 0 },
		{ { F, 0, "0x%x : %f [%m]" }, 0 },
		{ { F, 0, "0x%x : %f" }, 0 },
		{ { F, 0, "0x%x" }, 0 },
		{ { COUNTS_CLOSE, 1, "%n" }, 0 } } },
	/*
	 * source: openresty-systemtap-toolkit, ngx-sample-lua-bt: the frames of Lua, and then the
	 * count
	 */
	{ "lua-bt", NULL, UNKNOWN, 0, {
		{ { F | STACK_BEGINS, 0, "C:%f" }, 0 },
		{ { COUNTS_INNER, 0, "builtin#%d" }, 0 },
		{ { F, 0, "%F" }, 0 },
		{ { COUNTS_CLOSE, 1, "%n" }, 0 } } },
	/*
	 * Outputs of bcc's tools without their first line. This must be the last dialect, because
	 * its patterns also match outputs of other dialects.
	 */
	{ "stack-counts", NULL, UNKNOWN, COUNTS_BARE, {
		{ { COUNTS_COMM, 1, "- %t (%d)" }, 0 },
		{ { COUNTS_CLOSE, 1, "%n" }, 0 },
		{ { COUNTS_INNER, 1, "--" }, 0 },
		{ { F, 1, "%f+0x%x [%m]" }, 0 },
		{ { F, 1, "%f+0x%x" }, 0 },
		{ { F, 1, "%f" }, 0 } } },
};
/* clang-format on */
const size_t count_dialects_len = ARRAY_LEN(count_dialects);
