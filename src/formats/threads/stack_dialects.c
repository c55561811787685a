/* SPDX-License-Identifier: MIT */
/* stack_dialects.c - stack formats of tools, as data; each names its source */
#include "formats/threads/stack_dialect.h"

#include "base/status.h"
#include "core/symbols.h"

#define T STACK_THREAD | STACK_BEGINS
#define F STACK_FRAME
#define B STACK_TITLE | STACK_BEGINS

/* clang-format off */
const struct stack_dialect stack_dialects[] = {
	/* gdb/stack.c, print_frame(); gdb/thread.c, thr_try_catch_cmd(); pstack is gdb */
	{ "gdb", SPACE_USER, false, 1, {
		{ T, 0, "Thread %d (Thread %x (LWP %i) \"%n\")%*" },
		{ T, 0, "Thread %d (Thread %x (LWP %i))%*" },
		{ T, 0, "Thread %d (LWP %i \"%n\")%*" },
		{ T, 0, "Thread %d (LWP %i)%*" },
		{ T, 0, "Thread %d (process %i)%*" },
		{ T, 0, "[Switching to thread %d (Thread %x (LWP %i))]%*" },
		{ STACK_SIGNAL_FRAME, 0, "#%N <signal handler called>" },
		{ STACK_FIRST | STACK_BEGINS, 0, "#0 %x in %f (%a from %m" },
		{ STACK_FIRST | STACK_BEGINS, 0, "#0 %x in %f (%a%*" },
		{ F | STACK_BEGINS, 0, "#%N %x in %f (%a at %s:%l" },
		{ F, 0, "#%N %x in %f (%a from %m" },
		{ F, 0, "#%N %x in %f (%a%*" },
		{ F, 0, "#%N %x in %f" },
		{ STACK_FIRST | STACK_BEGINS, 0, "#0 %f (%a at %s:%l" },
		{ STACK_FIRST | STACK_BEGINS, 0, "#0 %f (%a from %m" },
		{ STACK_FIRST | STACK_BEGINS | STACK_WEAK, 0, "#0 %f (%a%*" },
		{ F, 0, "#%N %f (%a%*" },
		{ STACK_FIRST, 0, "#0 %f" },
		{ STACK_NOTE_SIGNAL | STACK_BEGINS, 0, "Program received signal %*" },
		{ STACK_NOTE_SIGNAL | STACK_BEGINS, 0, "Program terminated with signal %*" },
		{ STACK_NOTE_SIGNAL | STACK_BEGINS, 0, "Thread %d %*received signal %*" },
		{ STACK_NOTE_SIGNAL | STACK_BEGINS, 0, "==%d==ERROR: AddressSanitizer: %*" },
		{ B, 0, "(gdb) bt%*" },
		{ B, 0, "(gdb) thread apply%*" },
		{ B, 0, "[Thread debugging using libthread_db enabled]" },
		{ STACK_INNER, 0, "[New %*" },
		{ STACK_INNER, 0, "(gdb)%*" },
		{ STACK_INNER, 4, "No locals." },
		{ STACK_INNER, 4, "No symbol table info available." },
		{ STACK_INNER, 4, "%* = %*" },
		{ STACK_INNER, 2, "at %s:%l" },
		{ STACK_INNER, 2, "from %m" } } },
	/* elfutils/src/stack.c, print_frame() */
	{ "eu-stack", SPACE_USER, false, 1, {
		{ B, 0, "PID %d - %*" },
		{ T, 0, "TID %i:" },
		{ T, 0, "TID %i %n:" },
		{ F, 0, "#%N %x - 1 %f - %m" },
		{ F, 0, "#%N %x - 1 %f" },
		{ F, 0, "#%N %x %f - %m" },
		{ F, 0, "#%N %x %f" },
		{ STACK_PLACE, 2, "%s:%l:%d" },
		{ STACK_PLACE, 2, "%s:%l" } } },
	/* lldb/source/Core/FormatEntity.cpp, the standard thread-format and frame-format */
	{ "lldb", SPACE_USER, false, 1, {
		{ T, 0, "* thread #%i, name = '%n', stop reason = %t" },
		{ T, 0, "* thread #%i, %*stop reason = %t" },
		{ T, 0, "* thread #%i%*" },
		{ T, 0, "thread #%i, name = '%n'%*" },
		{ T, 0, "thread #%i, queue = '%n'%*" },
		{ T, 0, "thread #%i" },
		{ F, 0, "* frame #%N: %x %m`%f at %s:%l%*" },
		{ F, 0, "* frame #%N: %x %m`%f + %d%*" },
		{ F, 0, "* frame #%N: %x %m`%f" },
		{ F, 0, "frame #%N: %x %m`%f at %s:%l%*" },
		{ F, 0, "frame #%N: %x %m`%f + %d%*" },
		{ F, 0, "frame #%N: %x %m`%f" },
		{ B, 0, "(lldb) bt%*" },
		{ B, 0, "(lldb) thread backtrace%*" } } },
	/* src/hotspot/share/runtime/thread.cpp, print_on(); javaClasses.cpp; ThreadInfo.toString() */
	{ "jstack", SPACE_JIT, false, 1, {
		{ B, 0, "Full thread dump%*" },
		{ T, 0, "\"%n\" #%d %*tid=%x nid=%i %t [%x]" },
		{ T, 0, "\"%n\" #%d %*tid=%x nid=%i %t" },
		{ T, 0, "\"%n\" %*tid=%x nid=%i %t [%x]" },
		{ T, 0, "\"%n\" %*tid=%x nid=%i %t" },
		{ T, 0, "\"%n\" Id=%i %t on %K@%k owned by \"%o\" Id=%d%*" },
		{ T, 0, "\"%n\" Id=%i %t on %K@%k%*" },
		{ T, 0, "\"%n\" Id=%i %t" },
		{ T, 0, "\"%n\" %*prio=%d %*in group%*" },
		{ STACK_STATE | STACK_BEGINS, 0, "java.lang.Thread.State: %t" },
		{ F, 0, "at %f(%s:%l)" },
		{ F, 0, "at %f(%*" },
		{ STACK_WANTED, 0, "- waiting to lock <%k> (a %K)" },
		{ STACK_WANTED, 0, "- waiting to re-lock in wait() <%k> (a %K)" },
		{ STACK_WANTED, 0, "- blocked on %K@%k" },
		{ STACK_EVENT, 0, "- parking to wait for <%k> (a %K)" },
		{ STACK_EVENT, 0, "- waiting on <%k> (a %K)" },
		{ STACK_EVENT, 0, "- waiting on %K@%k" },
		{ STACK_HELD, 0, "- locked <%k> (a %K)" },
		{ STACK_HELD, 0, "- locked %K@%k" },
		{ STACK_HELD, 0, "- <%k> (a %K)" },
		{ STACK_INNER, 0, "Locked ownable synchronizers:" },
		{ STACK_INNER, 0, "Number of locked synchronizers%*" },
		{ STACK_INNER, 0, "- None" },
		{ STACK_INNER, 0, "- eliminated %*" },
		{ STACK_INNER, 0, "No compile task" },
		{ STACK_NOTE_DEADLOCK, 0, "Found one Java-level deadlock%*" },
		{ STACK_STOP, 0, "Java stack information for the threads listed above%*" },
		{ STACK_NOTE_PANIC | STACK_BEGINS, 0, "Exception in thread \"%n\" %*" } } },
	/* runtime/traceback.go, goroutineheader() and traceback1(); runtime/panic.go */
	{ "goroutines", SPACE_USER, false, 1, {
		{ T, 0, "goroutine %i [%t, %g minutes]:" },
		{ T, 0, "goroutine %i [%t, %g minutes, %*]:" },
		{ T, 0, "goroutine %i [%t]:" },
		{ T, 0, "goroutine %i %*[%t, %g minutes]:" },
		{ T, 0, "goroutine %i %*[%t]:" },
		{ STACK_CREATOR, 0, "created by %f in goroutine %d" },
		{ STACK_CREATOR, 0, "created by %f" },
		{ STACK_NOTE_DEADLOCK | STACK_BEGINS, 0, "fatal error: all goroutines are asleep%*" },
		{ STACK_NOTE_PANIC | STACK_BEGINS, 0, "fatal error: %*" },
		{ STACK_NOTE_PANIC | STACK_BEGINS, 0, "panic: %*" },
		{ STACK_NOTE_SIGNAL, 0, "[signal %*]" },
		{ STACK_NOTE_PANIC | STACK_BEGINS, 0, "runtime: goroutine stack exceeds%*" },
		{ STACK_INNER, 0, "goroutine running on other thread%*" },
		{ STACK_INNER, 0, "...%*" },
		{ STACK_PLACE, 1, "%s:%l +%x%*" },
		{ STACK_PLACE, 1, "%s:%l" },
		{ F, 0, "%f(%a fp=%*" },
		{ F, 0, "%f(%a" } } },
	/* runtime/pprof/pprof.go, printCountProfile(): debug=1 */
	{ "goroutine-profile", SPACE_USER, false, 0, {
		{ B, 0, "goroutine profile: total %d" },
		{ T, 0, "%c @ 0%f" },
		{ STACK_INNER, 0, "# labels: %*" },
		{ F, 0, "# 0x%x %f+0x%x %s:%l" },
		{ F, 0, "#~0x%x %f+0x%x%*" } } },
	/* py-spy/src/dump.rs, print_trace() */
	{ "py-spy", SPACE_UNKNOWN, false, 1, {
		{ B, 0, "Process %d: %*" },
		{ STACK_INNER, 0, "Python v%*" },
		{ T, 0, "Thread %i (%t): \"%n\"" },
		{ T, 0, "Thread %i (idle)" },
		{ T, 0, "Thread %i (active)" },
		{ T, 0, "Thread %i (active+gil)" },
		{ F, 2, "%f (%s:%l)" },
		{ F, 2, "%f (%m)" } } },
	/* Python/traceback.c, _Py_DumpTracebackThreads() */
	{ "faulthandler", SPACE_UNKNOWN, false, 1, {
		{ T, 0, "Thread %i (most recent call first):" },
		{ T, 0, "Thread %i [%n] (most recent call first):" },
		{ T, 0, "Current thread %i (most recent call first):" },
		{ T, 0, "Current thread %i [%n] (most recent call first):" },
		{ T, 0, "Stack (most recent call first):" },
		{ STACK_NOTE_SIGNAL | STACK_BEGINS, 0, "Fatal Python error: %*" },
		{ F, 0, "File \"%s\", line %l in %f" },
		{ STACK_INNER, 0, "<no Python frame>" } } },
	/* Lib/traceback.py, StackSummary.format() */
	{ "python-traceback", SPACE_UNKNOWN, true, 1, {
		{ T, 0, "Traceback (most recent call last):" },
		{ F, 0, "File \"%s\", line %l, in %f" },
		{ STACK_NOTE_PANIC, 0, "KeyboardInterrupt%*" },
		{ STACK_NOTE_PANIC, 0, "RecursionError%*" },
		{ STACK_INNER, 2, "[Previous line repeated %d more times]" } } },
	/* library/std/src/backtrace.rs and panicking.rs */
	{ "rust", SPACE_USER, false, 2, {
		{ STACK_NOTE_PANIC | STACK_BEGINS, 0, "thread '%n' panicked at %*" },
		{ STACK_NOTE_PANIC | STACK_BEGINS, 0, "thread '%n' has overflowed its stack%*" },
		{ T, 0, "stack backtrace:" },
		{ F, 1, "%N: %x - %f" },
		{ F, 1, "%N: %f" },
		{ STACK_PLACE, 4, "at %s:%l:%d" },
		{ STACK_PLACE, 4, "at %s:%l" } } },
	/* aggregated stacks of pt-pmp (percona-toolkit) and poormansprofiler.org */
	{ "pmp", SPACE_USER, false, 2, { { STACK_CHAIN | STACK_BEGINS, 0, "%c %f" } } },
	/* backtrace_symbols(3); glog: src/signalhandler.cc and src/symbolize.cc */
	{ "backtrace", SPACE_USER, false, 2, {
		{ T, 0, "*** Check failure stack trace: ***" },
		{ STACK_NOTE_SIGNAL | STACK_BEGINS, 0, "*** SIG%*" },
		{ STACK_NOTE_SIGNAL | STACK_BEGINS, 0, "*** Aborted at %*" },
		{ F, 0, "@ 0x%x %f" },
		{ F | STACK_BEGINS, 0, "/%m(%f+0x%x) [0x%x]" },
		{ F, 0, "%m(+0x%x) [0x%x]" } } },
	/* tools/diagnostics: dotnet-stack report; SOS clrstack */
	{ "dotnet", SPACE_JIT, false, 1, {
		{ T, 0, "Thread (0x%i):" },
		{ T, 0, "OS Thread Id: 0x%i (%d)" },
		{ F, 1, "%m!%f(%*" },
		{ STACK_INNER, 1, "[Native Frames]" },
		{ STACK_INNER, 0, "Child SP%*" },
		{ F, 0, "%x %x [%*] %f(%*" },
		{ F, 0, "%x %x %f(%*" } } },
	/* ReportCrash and spindump of macOS */
	{ "macos-crash", SPACE_USER, false, 2, {
		{ T, 0, "Thread %i Crashed:: %n" },
		{ T, 0, "Thread %i Crashed:" },
		{ T, 0, "Thread %i:: %n" },
		{ T, 0, "Thread %i name: %n" },
		{ STACK_NOTE_SIGNAL | STACK_BEGINS, 0, "Exception Type: %*" },
		{ F, 0, "%N %m 0x%x 0x%x + %d" },
		{ F, 0, "%N %m 0x%x %f + %d (%s:%l)" },
		{ F, 0, "%N %m 0x%x %f + %d" } } },
	/* sigdump, and Thread#backtrace of Ruby */
	{ "ruby", SPACE_UNKNOWN, false, 1, {
		{ T, 0, "Thread #<Thread:%i %*> status=%t priority=%d" },
		{ F, 0, "%s:%l:in `%f'" },
		{ F, 0, "%s:%l:in '%f'" } } },
	/* crash(8), bt */
	{ "crash", SPACE_KERNEL, false, 1, {
		{ T, 0, "PID: %i TASK: %x CPU: %d COMMAND: \"%n\"" },
		{ F, 0, "#%N [%x] %f at %x%*" },
		{ STACK_INNER, 0, "[exception RIP: %*" },
		{ STACK_INNER, 0, "R%*: %x%*" } } },
	/* kernel/sched/core.c, sched_show_task(); kernel/sched/ext.c, scx_dump_task(); proc(5), /proc/PID/stack */
	{ "kernel-stacks", SPACE_KERNEL, false, 1, {
		{ T, 0, "task:%n state:%t stack:~%d pid:~%i %*" },
		{ STACK_THREAD, 0, "INFO: task %n:%i blocked for more than %G seconds." },
		{ T, 0, "R %n[%i] -%Mms" },
		{ T, 0, "*R %n[%i] %*" },
		{ T, 0, "D %n[%i] %*" },
		{ T, 0, "S %n[%i] %*" },
		{ STACK_FIRST | STACK_BEGINS, 0, "[<0>] %f+0x%x/0x%x%*" },
		{ STACK_FIRST | STACK_BEGINS, 0, "[<%x>] %f+0x%x/0x%x%*" },
		{ STACK_INNER, 0, "? %*" },
		{ F, 0, "%f+0x%x/0x%x" },
		{ F, 0, "%f+0x%x/0x%x [%m]" },
		{ STACK_INNER, 0, "Call Trace:%*" },
		{ STACK_INNER, 0, "<TASK>" },
		{ STACK_TITLE, 0, "</TASK>" },
		{ STACK_TITLE, 0, "---[ end trace%*" },
		{ STACK_THREAD, 0, "watchdog: BUG: soft lockup - CPU#%d stuck for %ds! [%n:%i]" },
		{ F, 0, "RIP: %d:%f+0x%x/0x%x" },
		{ STACK_INNER, 0, "scx_state/flags=%*" },
		{ STACK_INNER, 0, "sticky/holding_cpu=%*" },
		{ STACK_INNER, 0, "cpus=%*" } } },
};
/* clang-format on */
const size_t stack_dialects_len = ARRAY_LEN(stack_dialects);
