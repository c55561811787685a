/* SPDX-License-Identifier: MIT */
/*
 * stack_dialects.c - stack formats of all tools, as tables of patterns
 *
 * Each comment "source: ..." names the source file of the tool that prints this format.
 */
#include "formats/threads/stack_dialect.h"

#include "base/status.h"
#include "core/symbols.h"

#define T STACK_THREAD | STACK_BEGINS
#define F STACK_FRAME
#define B STACK_TITLE | STACK_BEGINS

/* clang-format off */
const struct stack_dialect stack_dialects[] = {
	/*
	 * source: gdb/stack.c, print_frame(); gdb/thread.c, thr_try_catch_cmd(). pstack runs gdb.
	 */
	{ "gdb", SPACE_USER, false, 1, {
		{ T, 0, "Thread %N (Thread %x (LWP %i) \"%n\")%*" },
		{ T, 0, "Thread %N (Thread %x (LWP %i))%*" },
		{ T, 0, "Thread %N (LWP %i \"%n\")%*" },
		{ T, 0, "Thread %N (LWP %i)%*" },
		{ T, 0, "Thread %N (process %i)%*" },
		{ T, 0, "[Switching to thread %d (Thread %x (LWP %i))]%*" },
		{ STACK_SIGNAL_FRAME, 0, "#%N <signal handler called>" },
		{ STACK_FIRST | STACK_BEGINS, 0, "#0 %x in %f (%a from %m" },
		{ STACK_FIRST | STACK_BEGINS, 0, "#0 %x in %f () at %m.so.%d" },
		{ STACK_FIRST | STACK_BEGINS, 0, "#0 %x in %f (%a%*" },
		{ F | STACK_BEGINS, 0, "#%N %x in %f () at %m.so.%d" },
		{ F | STACK_BEGINS, 0, "#%N %x in %f (%a at %s:%l" },
		{ F | STACK_BEGINS, 0, "#%N %x in %f (%a from %m" },
		{ F | STACK_BEGINS, 0, "#%N %x in %f (%a%*" },
		{ F, 0, "#%N %x in %f at %s:%l" },
		{ F, 0, "#%N %x in %f at" },
		{ F, 0, "#%N %x in %f" },
		{ STACK_FIRST | STACK_BEGINS, 0, "#0 %f (%a at %s:%l" },
		{ STACK_FIRST | STACK_BEGINS, 0, "#0 %f (%a from %m" },
		{ STACK_FIRST | STACK_BEGINS | STACK_WEAK, 0, "#0 %f (%a%*" },
		{ F | STACK_BEGINS, 0, "#%N in %f () at %s:%l" },
		{ F | STACK_BEGINS, 0, "#%N in %f at %s:%l" },
		{ F, 0, "#%N in %f () at" },
		{ F, 0, "#%N in %f at" },
		{ F | STACK_BEGINS, 0, "#%N %F at %s:%l" },
		{ F | STACK_BEGINS, 0, "#%N %F (%a at %s:%l" },
		{ F, 0, "#%N %f (%a%*" },
		{ F, 0, "#%N %F from %m" },
		{ F, 0, "#%N %F at" },
		{ STACK_FIRST, 0, "#0 %f" },
		{ F, 0, "#%N %F" },
		/*
		 * frames without '#': git removes lines that start with '#' from a commit message,
		 * so authors omit the '#'
		 */
		{ STACK_FIRST | STACK_BEGINS, 0, "0 %x in %f (%a%*" },
		{ STACK_FIRST | STACK_BEGINS, 0, "0 %f (%a at %s:%l" },
		{ STACK_FIRST | STACK_BEGINS, 0, "0 %f (%a from %m" },
		{ STACK_SIGNAL_FRAME, 0, "%N <signal handler called>" },
		{ F, 0, "%N %x in %f (%a at %s:%l" },
		{ F, 0, "%N %x in %f (%a%*" },
		{ F, 0, "%N %F (%a at %s:%l" },
		{ F, 0, "%N %F (%a from %m" },
		{ STACK_THREAD, 0, "Thread %i:" },
		{ STACK_NOTE_SIGNAL | STACK_BEGINS, 0, "Program received signal %*" },
		{ STACK_NOTE_SIGNAL | STACK_BEGINS, 0, "Program terminated with signal %*" },
		{ STACK_NOTE_SIGNAL | STACK_BEGINS, 0, "Thread %d %*received signal %*" },
		{ B, 0, "(gdb) bt%*" },
		{ B, 0, "(gdb) thread apply%*" },
		{ B, 0, "[Thread debugging using libthread_db enabled]" },
		{ STACK_INNER, 0, "[New %*" },
		{ STACK_ASKED, 0, "(gdb) p %n" },
		{ STACK_ASKED, 0, "(gdb) print %n" },
		{ STACK_ANSWER, 0, "%*__owner = %i,%*" },
		{ STACK_ANSWER, 0, "$%d = %i" },
		{ STACK_INNER, 0, "(gdb)%*" },
		{ STACK_INNER, 4, "No locals." },
		{ STACK_INNER, 4, "No symbol table info available." },
		{ STACK_INNER, 4, "%* = %*" },
		{ STACK_INNER, 2, "at %s:%l" },
		{ STACK_INNER, 2, "%s:%l" },
		{ STACK_INNER, 2, "from %m" } } },
	/* source: compiler-rt/lib/tsan/rtl/tsan_report.cpp, PrintReport() */
	{ "thread-sanitizer", SPACE_USER, false, 1, {
		{ STACK_NOTE_LOCK_ORDER | STACK_BEGINS, 0, "WARNING: ThreadSanitizer: lock-order-inversion%*" },
		{ STACK_INNER, 0, "Cycle in lock order graph:%*" },
		{ STACK_THREAD, 0, "Mutex %n acquired here while holding mutex %K in %t:" },
		{ STACK_THREAD, 0, "Mutex %n previously acquired by the same thread here:" },
		{ STACK_NOTE_CHECKER | STACK_BEGINS, 0, "WARNING: ThreadSanitizer: %*" },
		{ STACK_THREAD, 0, "%n of size %d at %x by thread %i (%*" },
		{ STACK_THREAD, 0, "%n of size %d at %x by %i thread%*" },
		{ STACK_THREAD, 0, "%n of size %d at %x by thread %i:%*" },
		{ STACK_THREAD, 0, "Location is heap block of size %d at %x %n by %*" },
		{ STACK_INNER, 0, "Location is %*" },
		{ STACK_STOP, 0, "Mutex M%* created at:" },
		{ STACK_STOP, 0, "Thread T%* created %*" },
		{ STACK_STOP, 0, "SUMMARY: ThreadSanitizer: %*" },
		{ F, 0, "#%N <null> <null> (%m+0x%x)%*" },
		{ F, 0, "#%N %x in %L ??:%*" },
		{ F, 0, "#%N %x in %L %s:%l (%m+0x%x)%*" },
		{ F, 0, "#%N %x in %L %s:%l" },
		{ F, 0, "#%N %x in %L (%m+0x%x)%*" },
		{ F, 0, "#%N %x in %L" },
		{ F, 0, "#%N %x (%m+0x%x)%*" },
		{ F, 0, "#%N %L %s:%l (%m+0x%x)%*" },
		{ F, 0, "#%N %L <null>%*" },
		{ F, 0, "#%N %L (%m+0x%x)%*" },
		{ F, 0, "#%N %L %s:%l" },
		{ F, 0, "#%N %f %s" } } },
	/* source: bcc, tools/deadlock.py, print_cycle() */
	{ "bcc-deadlock", SPACE_USER, false, 1, {
		{ STACK_NOTE_LOCK_ORDER | STACK_BEGINS, 0, "Potential Deadlock Detected!" },
		{ STACK_INNER, 0, "Cycle in lock order graph: %*" },
		{ STACK_THREAD, 0, "Mutex M%d (%n) acquired here while holding Mutex M%d (%K) in Thread %t (%*):" },
		{ STACK_THREAD, 0, "Mutex M%d (%n) previously acquired by the same Thread %d (%*) here:" },
		{ STACK_STOP, 0, "Thread %d created by Thread %d (%*) here:%*" },
		{ STACK_STOP, 0, "Could not find stack trace where Thread %d was created" },
		{ F, 0, "@ %x %f" } } },
	/* source: helgrind/hg_errors.c, hg_pp_Error(): a lock taken twice, and data races */
	{ "helgrind", SPACE_USER, false, 1, {
		{ STACK_NOTE_RELOCK | STACK_BEGINS, 0, "==%d== Thread #%d: Attempt to re-lock a non-recursive lock%*" },
		{ STACK_THREAD, 0, "==%d== Lock was previously acquired" },
		{ STACK_NOTE_CHECKER | STACK_BEGINS, 0, "==%d== Possible data race during %*" },
		{ STACK_THREAD, 0, "==%d== This conflicts with a %n of size %d by thread #%i" },
		{ STACK_INNER, 0, "==%d== Locks held: %*" },
		{ STACK_FIRST, 0, "==%d== at %x: %f (in %m)" },
		{ STACK_FIRST, 0, "==%d== at %x: %f (%s:%l)" },
		{ F, 0, "==%d== by %x: %f (in %m)" },
		{ F, 0, "==%d== by %x: %f (%s:%l)" },
		{ STACK_INNER, 0, "==%d==" },
		{ STACK_STOP, 0, "==%d== %*" } } },
	/* source: compiler-rt/lib/asan/asan_errors.cpp, asan_descriptions.cpp; lib/msan/msan_report.cpp */
	{ "sanitizer", SPACE_USER, false, 1, {
		{ STACK_NOTE_CHECKER | STACK_BEGINS, 0, "==%d==ERROR: AddressSanitizer: %*" },
		{ STACK_NOTE_CHECKER | STACK_BEGINS, 0, "==%d== ERROR: AddressSanitizer: %*" },
		{ STACK_NOTE_CHECKER | STACK_BEGINS, 0, "ERROR: AddressSanitizer: %*" },
		{ STACK_NOTE_CHECKER | STACK_BEGINS, 0, "==ERROR: AddressSanitizer: %*" },
		{ STACK_NOTE_CHECKER | STACK_BEGINS, 0, "==%d== ERROR: libFuzzer: %*" },
		{ STACK_NOTE_CHECKER | STACK_BEGINS, 0, "==%d==ERROR: HWAddressSanitizer: %*" },
		{ STACK_NOTE_CHECKER | STACK_BEGINS, 0, "==%d==ERROR: UndefinedBehaviorSanitizer: %*" },
		{ STACK_NOTE_CHECKER | STACK_BEGINS, 0, "%s:%l:%d: runtime error: %*" },
		{ STACK_NOTE_CHECKER | STACK_BEGINS, 0, "runtime error: %*" },
		{ STACK_NOTE_CHECKER | STACK_BEGINS, 0, "==%d==WARNING: MemorySanitizer: %*" },
		{ STACK_NOTE_CHECKER | STACK_BEGINS, 0, "WARNING: MemorySanitizer: %*" },
		{ STACK_THREAD, 0, "%n of size %d at %x thread %*" },
		{ STACK_THREAD, 0, "%n by thread %i here:" },
		{ STACK_THREAD, 0, "%n by thread %i (%*) here:" },
		{ STACK_THREAD, 0, "%n by thread %i here" },
		{ STACK_THREAD, 0, "Uninitialized value was %n by %*" },
		{ STACK_THREAD, 0, "Uninitialized value was %n to memory at" },
		{ STACK_STOP, 0, "Thread %d created by %*" },
		{ STACK_STOP, 0, "Thread T%* created by %*" },
		{ STACK_STOP, 0, "SUMMARY: %*Sanitizer: %*" },
		{ F, 0, "#%N %x (%m+0x%x)%*" },
		/*
		 * function names may contain blanks: "void f<int>(int)", "operator delete(void*)"
		 */
		{ F, 0, "#%N %x in %L ??:%*" },
		{ F, 0, "#%N %x in void %L %s:%l%*" },
		{ F, 0, "#%N %x in operator new%L %s:%l%*" },
		{ F, 0, "#%N %x in operator delete%L %s:%l%*" },
		{ F, 0, "#%N %x in %L const %s:%l%*" },
		{ F, 0, "#%N %x in %L %s:%l (%m+0x%x)%*" },
		{ F, 0, "#%N %x in %L (%m+0x%x)%*" },
		{ F, 0, "#%N %x in %L %s:%l%*" },
		{ F, 0, "#%N %x in %L /%*" },
		{ F, 0, "#%N %x in %L ../%*" },
		{ STACK_INNER, 1, "(%m+0x%x)%*" },
		{ STACK_INNER, 1, "../%s:%l%*" },
		{ STACK_INNER, 1, "/%s:%l%*" },
		{ F, 0, "#%N %x in %f" },
		{ F, 0, "#%N %F" },
		{ STACK_INNER, 2, "%s:%l" },
		{ STACK_INNER, 0, "%x is located %*" },
		{ STACK_INNER, 0, "Hint: %*" } } },
	/* source: valgrind, memcheck/mc_errors.c, MC_(pp_Error)(), and m_errormgr.c */
	{ "memcheck", SPACE_USER, false, 1, {
		{ STACK_NOTE_CHECKER | STACK_BEGINS, 0, "==%d== Invalid read of size %d" },
		{ STACK_NOTE_CHECKER | STACK_BEGINS, 0, "==%d== Invalid write of size %d" },
		{ STACK_NOTE_CHECKER | STACK_BEGINS, 0, "==%d== Invalid free() / delete%*" },
		{ STACK_NOTE_CHECKER | STACK_BEGINS, 0, "==%d== Mismatched free() / delete%*" },
		{ STACK_NOTE_CHECKER | STACK_BEGINS, 0, "==%d== Conditional jump or move depends on uninitialised value%*" },
		{ STACK_NOTE_CHECKER | STACK_BEGINS, 0, "==%d== Use of uninitialised value of size %d" },
		{ STACK_NOTE_CHECKER | STACK_BEGINS, 0, "==%d== Syscall param %* uninitialised byte%*" },
		{ STACK_NOTE_CHECKER | STACK_BEGINS, 0, "==%d== Source and destination overlap in %*" },
		{ STACK_NOTE_CHECKER | STACK_BEGINS, 0, "==%d== Jump to the invalid address stated on the next line" },
		{ STACK_THREAD, 0, "==%d== Address %x is %* bytes %* a block of size %* %n" },
		{ STACK_THREAD, 0, "==%d== Address %x is %* bytes %* a recently re-allocated block of size %* %n" },
		{ STACK_THREAD, 0, "==%d== Block was %n at" },
		{ STACK_THREAD, 0, "==%d== Uninitialised value was %n by a %*" },
		{ F, 0, "==%d== at %x: %f (in %m)" },
		{ F, 0, "==%d== at %x: %f (%s:%l)" },
		{ F, 0, "==%d== by %x: %f (in %m)" },
		{ F, 0, "==%d== by %x: %f (%s:%l)" },
		{ STACK_INNER, 0, "==%d== Address %*" },
		{ STACK_INNER, 0, "==%d==" } } },
	/*
	 * source: Kudu, src/kudu/util/debug-util.cc and server/diagnostics_log.cc; threads with
	 * equal stacks are printed together
	 */
	{ "kudu", SPACE_USER, false, 1, {
		{ T, 0, "tids=[%i]" },
		/* the innermost frame is the handler of the signal by which Kudu takes the stack */
		{ STACK_INNER, 0, "%x <unknown>" },
		{ F, 0, "%x %f" } } },
	/* source: elfutils/src/stack.c, print_frame() */
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
	/* source: lldb/source/Core/FormatEntity.cpp, the standard thread-format and frame-format */
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
	/* source: Elasticsearch, server/.../monitor/jvm/HotThreads.java */
	{ "hot-threads", SPACE_JIT, false, 1, {
		{ B, 0, "::: {%*" },
		{ STACK_INNER, 0, "Hot threads at %*" },
		{ T, 0, "%* cpu usage by thread '%n'" },
		{ STACK_INNER, 0, "%d/%d snapshots sharing following %d elements" },
		{ STACK_INNER, 0, "unique snapshot" },
		{ F, 4, "%F(%s:%l)" },
		{ F, 4, "%F(Native Method)" },
		{ F, 4, "%F(Unknown Source)" } } },
	/* source: java.base, java/lang/PinnedThreadPrinter.java (-Djdk.tracePinnedThreads) */
	{ "pinned-threads", SPACE_JIT, false, 1, {
		{ T, 0, "Thread[#%i,%n,%d,CarrierThreads]" },
		{ T, 0, "VirtualThread[#%i]/runnable@%n reason:%t" },
		{ T, 0, "VirtualThread[#%i,%*]/runnable@%n reason:%t" },
		{ F, 4, "%F(%s:%l) <== %*" },
		{ F, 4, "%F(%s:%l)" },
		{ F, 4, "%F(Native Method)%*" },
		{ F, 4, "%F(Unknown Source)%*" } } },
	/* source: jdk.jfr, jdk/jfr/internal/tool/PrettyWriter.java (jfr print) */
	{ "jfr-pinned", SPACE_JIT, false, 1, {
		{ T, 0, "jdk.%nThreadPinned {" },
		{ STACK_INNER, 0, "startTime = %*" },
		{ STACK_INNER, 0, "duration = %*" },
		{ STACK_INNER, 0, "blockingOperation = %*" },
		{ STACK_INNER, 0, "pinnedReason = %*" },
		{ STACK_INNER, 0, "carrierThread = %*" },
		{ STACK_INNER, 0, "eventThread = %*" },
		{ STACK_INNER, 0, "stackTrace = [" },
		{ STACK_INNER, 0, "...%*" },
		{ STACK_INNER, 0, "]" },
		{ STACK_INNER, 0, "}" },
		{ F, 4, "%F line: %l" } } },
	/* source: src/hotspot/share/runtime/thread.cpp, print_on(); javaClasses.cpp; ThreadInfo.toString() */
	{ "jstack", SPACE_JIT, false, 1, {
		{ B, 0, "Full thread dump%*" },
		{ T, 0, "\"%n\" #%d %*cpu=%ums elapsed=%es tid=%x nid=%i %t [%x]" },
		{ T, 0, "\"%n\" #%d %*tid=%x nid=%i %t [%x]" },
		{ T, 0, "\"%n\" #%d %*tid=%x nid=%i %t" },
		{ T, 0, "\"%n\" %*tid=%x nid=%i %t [%x]" },
		{ T, 0, "\"%n\" %*tid=%x nid=%i %t" },
		/*
		 * next patterns: Spring and other programs print java.lang.management.ThreadInfo in
		 * this form
		 */
		{ T, 0, "\"%n\" Id=%i in %t on lock=%K@%k owned by %o Id=%d%*" },
		{ T, 0, "\"%n\" Id=%i in %t on lock=%K@%k%*" },
		{ T, 0, "\"%n\" Id=%i in %t" },
		{ T, 0, "\"%n\" Id=%i %t on %K@%k owned by \"%o\" Id=%d%*" },
		{ T, 0, "\"%n\" Id=%i %t on %K@%k%*" },
		{ T, 0, "\"%n\" Id=%i %t" },
		{ T, 0, "\"%n\" %*prio=%d %*in group%*" },
		/* source of the next two patterns: VisualVM, ThreadDump of the sampler */
		{ T, 0, "\"%n\" - Thread %i" },
		{ T, 0, "\"%n\" #%d - Thread %i" },
		{ T, 0, "\"%n\":" },
		/*
		 * source: GlassFish and Payara, MonitorContract of generate-jvm-report
		 * --type=thread
		 */
		{ T, 0, "Thread \"%n\" thread-id: %i thread-state: %t Waiting on lock: %K@%k%*" },
		{ T, 0, "Thread \"%n\" thread-id: %i thread-state: %t" },
		{ F, 0, "at: %f(%s:%l)" },
		{ F, 0, "at: %f(%*" },
		{ STACK_STATE | STACK_BEGINS, 0, "java.lang.Thread.State: %t" },
		{ F | STACK_BEGINS, 0, "at %F(%s:%l)" },
		{ F | STACK_BEGINS, 0, "at %F(Native Method)" },
		{ F, 0, "at %f(%s:%l)" },
		{ F, 0, "at %f(%*" },
		{ STACK_WANTED, 0, "- waiting to lock <%k> (a %K) owned by \"%o\" %*" },
		{ STACK_WANTED, 0, "- waiting to lock <%k> (a %K)" },
		{ STACK_WANTED, 0, "- waiting to re-lock in wait() <%k> (a %K)" },
		{ STACK_WANTED, 0, "- blocked on %K@%k" },
		{ STACK_WANTED, 0, "waiting to lock monitor %x (object %k, a %K)%*" },
		{ STACK_WANTED, 0, "waiting for ownable synchronizer %k, (a %K)%*" },
		{ STACK_OWNED, 0, "which is held by \"%o\"" },
		/* source: HotSpot, javaVFrame.cpp, print_lock_info_on() */
		{ STACK_CLASS, 0, "- waiting on the Class initialization monitor for %K" },
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
		/* source: HotSpot, threadSMR.cpp, ThreadsSMRSupport::print_info_on() */
		{ STACK_INNER, 0, "Threads class SMR info:" },
		{ STACK_INNER, 0, "_java_thread_list=%*" },
		{ STACK_INNER, 0, "%x, %*" },
		{ STACK_INNER, 0, "%x," },
		{ STACK_INNER, 0, "%x" },
		{ STACK_INNER, 0, "}" },
		{ STACK_NOTE_DEADLOCK | STACK_BEGINS, 0, "Found one Java-level deadlock%*" },
		{ STACK_STOP, 0, "Java stack information for the threads listed above%*" },
		{ STACK_NOTE_PANIC | STACK_BEGINS, 0, "Exception in thread \"%n\" %*" },
		{ STACK_NOTE_PANIC | STACK_BEGINS, 0, "java.lang.StackOverflowError%*" },
		{ STACK_NOTE_PANIC | STACK_BEGINS, 0, "Caused by: java.lang.StackOverflowError%*" },
		{ STACK_NOTE_PANIC | STACK_BEGINS, 0, "java.lang.OutOfMemoryError%*" } } },
	/* source: runtime/traceback.go, goroutineheader() and traceback1(); runtime/panic.go */
	{ "goroutines", SPACE_USER, false, 1, {
		{ T, 0, "goroutine %i [%t, %g minutes]:" },
		{ T, 0, "goroutine %i [%t, %g minutes, %*]:" },
		{ T, 0, "goroutine %i [%t]:" },
		/* source: fortytwo/leaktest, leaktest.go; the prefix is that of go test */
		{ T, 0, "%*leaked goroutine: goroutine %i [%t]:" },
		{ T, 0, "goroutine %i %*[%t, %g minutes]:" },
		{ T, 0, "goroutine %i %*[%t]:" },
		/* source: uber-go/goleak, leaks.go; internal/stack/stacks.go, Stack.String() */
		{ STACK_NOTE_LEAK | STACK_BEGINS, 0, "%*found unexpected goroutines:" },
		{ STACK_INNER, 0, "Goroutine %i in state %t, with %f on top of the stack:" },
		{ STACK_INNER, 0, "[Goroutine %i in state %t, with %f on top of the stack:" },
		{ STACK_INNER, 0, "]" },
		/* source: testing/testing.go; go test prints the result of a test below its log */
		{ STACK_TITLE, 0, "--- %*" },
		{ STACK_TITLE, 0, "=== %*" },
		{ STACK_CREATOR, 0, "created by %f in goroutine %d" },
		{ STACK_CREATOR, 0, "created by %f" },
		{ STACK_NOTE_DEADLOCK | STACK_BEGINS, 0, "fatal error: all goroutines are asleep%*" },
		{ STACK_NOTE_PANIC | STACK_BEGINS, 0, "fatal error: %*" },
		/* source: testing/testing.go, startAlarm() */
		{ STACK_NOTE_TIMEOUT | STACK_BEGINS, 0, "panic: test timed out after %*" },
		{ STACK_INNER, 0, "running tests:" },
		{ STACK_INNER, 1, "Test%* (%*)" },
		{ STACK_INNER, 1, "Fuzz%* (%*)" },
		{ STACK_INNER, 1, "Example%* (%*)" },
		{ STACK_NOTE_PANIC | STACK_BEGINS, 0, "panic: %*" },
		{ STACK_NOTE_SIGNAL, 0, "[signal %*]" },
		{ STACK_NOTE_PANIC | STACK_BEGINS, 0, "runtime: goroutine stack exceeds%*" },
		{ STACK_INNER, 0, "goroutine running on other thread%*" },
		{ STACK_INNER, 0, "...%*" },
		{ STACK_PLACE | STACK_BEGINS, 1, "%s.go:%l +0x%x" },
		{ STACK_PLACE | STACK_BEGINS, 1, "%s:%l +0x%x fp=0x%x sp=0x%x%*" },
		{ STACK_PLACE, 1, "%s:%l +%x%*" },
		{ STACK_PLACE, 1, "%s:%l" },
		/*
		 * "48 GC worker (idle)" is not a frame, but a row of a list of states that a user
		 * wrote
		 */
		{ STACK_OTHER, 0, "%d %*" },
		{ F, 0, "%F(%a fp=%*" },
		{ F, 0, "%F(%a %s.go:%l" },
		{ F, 0, "%F(%a" } } },
	/*
	 * reports of Go's race detector; source: compiler-rt/lib/tsan/rtl/tsan_report.cpp,
	 * PrintReport() for SANITIZER_GO
	 */
	{ "goroutine-race", SPACE_USER, false, 1, {
		{ STACK_NOTE_CHECKER | STACK_BEGINS, 0, "WARNING: DATA RACE" },
		{ T, 0, "%n at %x by goroutine %i:" },
		{ T, 0, "%n at %x by %i goroutine:" },
		{ STACK_STOP, 0, "Goroutine %d (%*) created at:" },
		{ STACK_INNER, 0, "[failed to restore the stack]" },
		/* a report ends at "====" or, in the output of go test, at "--- FAIL: ..." */
		{ STACK_TITLE, 0, "==================" },
		{ STACK_INNER, 0, "--- %*" },
		{ STACK_PLACE, 1, "%s.go:%l +0x%x" },
		{ STACK_PLACE, 1, "%s:%l +0x%x" },
		{ STACK_PLACE, 1, "<autogenerated>:%l +0x%x" },
		{ F, 0, "%F(%a" } } },
	/*
	 * source: runtime/pprof/pprof.go, printCountProfile(), used for
	 * /debug/pprof/goroutine?debug=1
	 */
	{ "goroutine-profile", SPACE_USER, false, 0, {
		{ B, 0, "goroutine profile: total %c" },
		{ T, 0, "%c @ 0%f" },
		{ STACK_INNER, 0, "# labels: %*" },
		{ F, 0, "# 0x%x %f+0x%x %s:%l" },
		{ F, 0, "#~0x%x %f+0x%x%*" } } },
	/*
	 * source: rbspy, src/main.rs, snapshot(); src/core/types.rs, StackFrame; prints the
	 * outermost frame first
	 */
	{ "rbspy", SPACE_UNKNOWN, true, 2, {
		{ F | STACK_BEGINS | STACK_WEAK, 0, "%f - %s.rb:%l" },
		{ F, 0, "%f - unknown:%l" },
		{ F, 0, "%f - (unknown):%l" },
		{ F, 0, "%f - %s:%l" } } },
	/*
	 * source: panicparse (maruel), stack/ui.go; prints each stack once, with its number of
	 * goroutines
	 */
	{ "panicparse", SPACE_USER, false, 1, {
		{ T, 0, "%c: %t [%g minutes] [Created by %*]" },
		{ T, 0, "%c: %t [%g~%d minutes] [Created by %*]" },
		{ T, 0, "%c: %t [Created by %*]" },
		{ T, 0, "%c: %t [locked] [Created by %*]" },
		{ F, 1, "%m %s:%l %f(%a" } } },
	/*
	 * source: php-src, sapi/fpm/fpm/fpm_request.c, fpm_request_check_timed_out(), and
	 * fpm_php_trace.c (slow log: the stack of a request that exceeded the time limit)
	 */
	{ "php-fpm", SPACE_UNKNOWN, false, 1, {
		{ T, 0, "[%d-%*:%d:%d] [pool %n] pid %i" },
		{ STACK_INNER, 0, "script_filename = %*" },
		{ F, 0, "[%x] %f() %s:%l" },
		{ F, 0, "[%x] %f() unknown:0" },
		{ F, 0, "[%x] %f()" } } },
	/* source: py-spy/src/dump.rs, print_trace() */
	{ "py-spy", SPACE_UNKNOWN, false, 1, {
		{ B, 0, "Process %d: %*" },
		/* git and mailers fill lines: the head of a thread may follow that of its process */
		{ T, 0, "(%*) Thread %i (%t): \"%n\"" },
		{ T, 0, "Python v%* Thread %i (%t): \"%n\"" },
		{ T, 0, "Python v%* Thread %i (%t):" },
		{ STACK_INNER, 0, "Python v%*" },
		{ T, 0, "Thread %i (%t): \"%n\"" },
		{ T, 0, "Thread %i (idle)" },
		{ T, 0, "Thread %i (active)" },
		{ T, 0, "Thread %i (active+gil)" },
		{ F, 2, "%f (%s:%l)" },
		{ F, 2, "%f (%m)" } } },
	/* source: Python/traceback.c, _Py_DumpTracebackThreads() */
	{ "faulthandler", SPACE_UNKNOWN, false, 1, {
		{ T, 0, "Thread %i (most recent call first):" },
		{ T, 0, "Thread %i [%n] (most recent call first):" },
		{ T, 0, "Current thread %i (most recent call first):" },
		{ T, 0, "Current thread %i [%n] (most recent call first):" },
		{ T, 0, "Stack (most recent call first):" },
		{ STACK_INNER, 0, "Waiting for the GIL" },
		{ STACK_NOTE_SIGNAL | STACK_BEGINS, 0, "Fatal Python error: %*" },
		{ F, 0, "File \"%s\", line %l in %f" },
		{ F, 0, "File \"%s\", line %l, in %f" },
		{ STACK_INNER, 0, "<no Python frame>" } } },
	/* source: CPython, Tools/gdb/libpython.py, command py-bt; gdb, "thread N" and "info threads" */
	{ "py-bt", SPACE_UNKNOWN, false, 1, {
		{ T, 0, "Traceback (most recent call first):" },
		{ F, 0, "File \"%s\", line %l, in %f" },
		{ STACK_INNER, 0, "Waiting for the GIL" },
		{ STACK_INNER, 0, "<no Python frame>" },
		{ STACK_INNER, 0, "(gdb) %*" },
		{ STACK_INNER, 0, "[Switching to thread %*" },
		{ STACK_INNER, 0, "Id Target Id %*" },
		{ STACK_INNER, 0, "* %d Thread 0x%*" },
		{ STACK_INNER, 0, "%d Thread 0x%*" } } },
	/* source: CPython, Lib/asyncio/base_tasks.py, _task_print_stack(), and repr() of a task */
	{ "asyncio", SPACE_UNKNOWN, true, 1, {
		{ STACK_THREAD | STACK_BEGINS, 0, "Stack for <Task %t name='%n' coro=<%* (most recent call last):" },
		{ STACK_ROW | STACK_BEGINS, 0, "<Task %t name='%n' coro=<%f() running at %s:%l>%*" },
		{ F, 0, "File \"%s\", line %l, in %f" } } },
	/* source: Lib/traceback.py, StackSummary.format() */
	{ "python-traceback", SPACE_UNKNOWN, true, 1, {
		{ T, 0, "Traceback (most recent call last):" },
		{ F | STACK_BEGINS | STACK_WEAK, 0, "File \"%s\", line %l, in %f" },
		{ STACK_NOTE_PANIC, 0, "KeyboardInterrupt%*" },
		{ STACK_NOTE_PANIC, 0, "%iError: %*" },
		{ STACK_NOTE_PANIC, 0, "%iError" },
		{ STACK_NOTE_PANIC, 0, "%iException: %*" },
		{ STACK_NOTE_PANIC, 0, "%iException" },
		{ STACK_INNER, 2, "[Previous line repeated %d more times]" } } },
	/* source: library/std/src/backtrace.rs and panicking.rs */
	{ "rust", SPACE_USER, false, 2, {
		{ STACK_NOTE_PANIC | STACK_BEGINS, 0, "thread '%n' panicked at %*" },
		{ STACK_NOTE_PANIC | STACK_BEGINS, 0, "thread '%n' has overflowed its stack%*" },
		{ T, 0, "stack backtrace:" },
		{ F, 1, "%N: %x - %f" },
		{ F, 1, "%N: %f" },
		{ STACK_PLACE, 4, "at %s:%l:%d" },
		{ STACK_PLACE, 4, "at %s:%l" } } },
	/*
	 * pt-pmp (percona-toolkit) and poormansprofiler.org: one line per distinct stack, "17
	 * read,poll,main"
	 */
	{ "pmp", SPACE_USER, false, 2, {
		{ STACK_CHAIN | STACK_BEGINS, 0, "%c %f" },
		/*
		 * pt-pmp cuts each name at its first blank, so a bracket may stay open:
		 * "end(THD*,,start"
		 */
		{ STACK_CHAIN | STACK_BEGINS, 0, "%c %s" } } },
	/* source: backtrace_symbols(3); glog: src/signalhandler.cc and src/symbolize.cc */
	{ "backtrace", SPACE_USER, false, 2, {
		{ T, 0, "*** Check failure stack trace: ***" },
		{ STACK_NOTE_SIGNAL | STACK_BEGINS, 0, "*** SIG%*" },
		{ STACK_NOTE_SIGNAL | STACK_BEGINS, 0, "*** Aborted at %*" },
		{ F, 0, "@ 0x%x %f" },
		{ F | STACK_BEGINS, 0, "/%m(%f+0x%x)~[0x%x]" },
		{ F | STACK_BEGINS | STACK_WEAK, 0, "%m(%f+0x%x)[0x%x]" },
		{ STACK_INNER, 0, "%m(+0x%x)~[0x%x]" },
		{ STACK_INNER, 0, "%m()~[0x%x]" },
		{ STACK_INNER, 0, "%m[0x%x]" } } },
	/* source: tools/diagnostics of .NET, dotnet-stack report; SOS, clrstack */
	{ "dotnet", SPACE_JIT, false, 1, {
		{ T, 0, "Thread (0x%i):" },
		{ T, 0, "OS Thread Id: 0x%i (%d)" },
		{ F, 1, "%m!%f(%*" },
		{ STACK_INNER, 1, "[Native Frames]" },
		{ STACK_INNER, 0, "Child SP%*" },
		{ F, 0, "%x %x [%*] %f(%*" },
		{ F, 0, "%x %x %f(%*" } } },
	/*
	 * output of the commands k, ~*k and !process of WinDbg and kd; source: page "k, kb, kc, kd,
	 * kp, kP, kv" of their manual
	 */
	{ "windbg", SPACE_UNKNOWN, false, 2, {
		{ T, 0, ". %d Id: %x.%i Suspend: %*" },
		{ T, 0, "# %d Id: %x.%i Suspend: %*" },
		{ T, 0, "%d Id: %x.%i Suspend: %*" },
		{ T, 0, "THREAD %i Cid %*: (%t) %*" },
		{ STACK_INNER, 0, "# Child-SP%*" },
		{ STACK_INNER, 0, "Child-SP%*" },
		{ STACK_INNER, 0, "# ChildEBP%*" },
		{ STACK_INNER, 0, "ChildEBP%*" },
		{ STACK_INNER, 0, "0:%d> %*" },
		{ F, 0, "%N %x`%x %x`%x : %* : %m!%f+0x%x%*" },
		{ F | STACK_BEGINS, 0, "%N %x`%x %x`%x %m!%f+0x%x%*" },
		{ F, 0, "%N %x`%x %x`%x %m!%f" },
		{ F, 0, "%x`%x %x`%x : %* : %m!%f+0x%x%*" },
		{ F | STACK_BEGINS, 0, "%x`%x %x`%x %m!%f+0x%x%*" },
		{ F, 0, "%N %x %x %m!%f+0x%x%*" },
		{ F, 0, "%x %x %m!%f+0x%x%*" },
		{ F | STACK_BEGINS, 0, "%m!%F+0x%x" },
		{ F | STACK_BEGINS, 0, "%m!%f+0x%x" } } },
	/* lists by users and scripts: "12 goroutines blocked in:", then their common stack */
	{ "goroutine-counts", SPACE_USER, false, 2, {
		{ T, 0, "- %c goroutines %t in:" },
		{ T, 0, "%c goroutines %t in:" },
		{ T, 0, "- %c goroutines %t:" },
		{ T, 0, "%c goroutines %t:" },
		{ F, 0, "%F" } } },
	/* reports of macOS: ReportCrash and spindump */
	{ "macos-crash", SPACE_USER, false, 2, {
		{ T, 0, "Thread %i Crashed:: %n" },
		{ T, 0, "Thread %i Crashed:" },
		{ T, 0, "Thread %i:: %n" },
		{ T, 0, "Thread %i name: %n" },
		{ STACK_NOTE_SIGNAL | STACK_BEGINS, 0, "Exception Type: %*" },
		{ F, 0, "%N %m 0x%x 0x%x + %d" },
		{ F, 0, "%N %m 0x%x %f + %d (%s:%l)" },
		{ F, 0, "%N %m 0x%x %f + %d" } } },
	/*
	 * sources: binutils, addr2line -Cpfi; seastar, scripts/seastar-addr2line and "Reactor
	 * stalled" of core/reactor.cc
	 */
	{ "addr2line", SPACE_USER, false, 3, {
		{ T, 0, "%n: %t for %d ms on shard %i.%*" },
		{ T, 0, "%t for %d ms on shard %i.%*" },
		{ F, 0, "(inlined by) %f at %s:%l" },
		{ F, 0, "(inlined by) %f at %s:?" },
		{ F, 0, "| (inlined by) %f at %s:%l" },
		{ F, 0, "| (inlined by) %f at %s:?" },
		{ F | STACK_BEGINS | STACK_WEAK, 0, "| %F at %s:%l" },
		{ F | STACK_BEGINS | STACK_WEAK, 0, "0x%x: %F at %s:%l" },
		{ F, 0, "| %f at %s:%l" },
		{ F, 0, "| %f at %s:?" },
		{ F, 0, "0x%x: %f at %s:%l" },
		{ F | STACK_BEGINS | STACK_WEAK, 0, "%F at %s:%l" },
		{ F, 0, "%f at %s:%l" },
		{ F, 0, "%f at %s:?" } } },
	/* stacks of Ruby, printed by sigdump or Thread#backtrace */
	{ "ruby", SPACE_UNKNOWN, false, 1, {
		{ T, 0, "Thread #<Thread:%i %*> status=%t priority=%d" },
		{ F, 0, "%s:%l:in `%f'" },
		{ F, 0, "%s:%l:in '%f'" } } },
	/*
	 * procps: output of ps with the columns STAT or S (state) and WCHAN (kernel function in
	 * which a thread waits). The line of column titles shows the order of the columns.
	 */
	{ "ps", SPACE_KERNEL, false, 1, {
		{ B, 0, "PID STAT WCHAN COMMAND" },
		{ B, 0, "PID STAT WCHAN CMD" },
		{ B, 0, "PID S WCHAN COMMAND" },
		{ B, 0, "PID S WCHAN CMD" },
		{ B, 0, "PID TID STAT WCHAN COMMAND" },
		{ B, 0, "PID TID S WCHAN COMMAND" },
		{ STACK_ROW, 0, "%d %i %t %f %n" },
		{ STACK_ROW, 0, "%i %t %f %n" } } },
	{ "ps", SPACE_KERNEL, false, 1, {
		{ B, 0, "PID PPID STAT WCHAN COMMAND" },
		{ B, 0, "PID PPID STAT WCHAN CMD" },
		{ STACK_ROW, 0, "%i %d %t %f %n" } } },
	{ "ps", SPACE_KERNEL, false, 1, {
		{ B, 0, "USER PID STAT WCHAN COMMAND" },
		{ B, 0, "USER PID STAT WCHAN CMD" },
		{ STACK_ROW, 0, "%s %i %t %f %n" } } },
	/*
	 * crash(8), commands bt, foreach bt and ps -m (which prints the state); source: crash,
	 * kernel.c, print_task_header(), x86_64.c, x86_64_print_stack_entry(). Some rules have no
	 * "#0", because mail programs and bug trackers drop it.
	 */
	{ "crash", SPACE_KERNEL, false, 1, {
		{ T, 0, "PID: %i TASK: %x CPU: %d COMMAND: \"%n\"" },
		{ T, 0, "[%*] [%t] PID: %i TASK: %x CPU: %d COMMAND: \"%n\"" },
		{ B, 0, "crash> bt -%*" },
		{ T, 0, "crash> bt %i" },
		{ B, 0, "crash> bt" },
		/*
		 * %t, a state such as UN or the name of a task, selects the tasks whose stacks are
		 * printed
		 */
		{ B, 0, "crash> foreach %t bt%*" },
		{ B, 0, "crash> foreach bt%*" },
		{ STACK_FIRST | STACK_BEGINS, 0, "#0 [%x] %f+%*at %x [%m]" },
		{ STACK_FIRST | STACK_BEGINS, 0, "#0 [%x] %f+%*at %x" },
		{ STACK_FIRST | STACK_BEGINS, 0, "#0 [%x] %f at %x [%m]" },
		{ STACK_FIRST | STACK_BEGINS, 0, "#0 [%x] %f at %x" },
		{ F, 0, "#%N [%x] %f+%*at %x [%m]" },
		{ F, 0, "#%N [%x] %f+%*at %x" },
		{ F, 0, "#%N [%x] %f at %x [%m]" },
		{ F, 0, "#%N [%x] %f at %x%*" },
		{ STACK_FIRST | STACK_BEGINS, 0, "#0 %f at %x" },
		{ F, 0, "#%N %f at %x [%m]" },
		{ F, 0, "#%N %f at %x" },
		{ F, 0, "[%x] %f+%*at %x [%m]" },
		{ F, 0, "[%x] %f+%*at %x" },
		{ F | STACK_BEGINS | STACK_WEAK, 0, "[%x] %F at %x" },
		{ F, 0, "[%x] %f at %x [%m]" },
		{ F, 0, "[%x] %f at %x" },
		{ STACK_PLACE, 1, "/%s: %l" }, /* source file and line, from bt -l */
		{ STACK_INTERRUPTED, 0, "--- <NMI exception stack> ---" },
		/*
		 * without "---": git cuts a commit message at a line that begins with "---", so
		 * authors omit the dashes
		 */
		{ STACK_INTERRUPTED, 0, "<NMI exception stack>" },
		{ STACK_INNER, 0, "<%* stack>" },
		{ STACK_INNER, 0, "--- <%*> ---" },
		{ STACK_INNER, 0, "[exception RIP: %*" },
		{ STACK_INNER, 0, "ORIG_RAX: %x%*" },
		{ STACK_INNER, 0, "R%*: %x%*" } } },
	/* source: kernel/sched/core.c, sched_show_task(); kernel/sched/ext.c, scx_dump_task(); proc(5), /proc/PID/stack */
	{ "kernel-stacks", SPACE_KERNEL, false, 1, {
		/* source: mm/kmemleak.c, print_unreferenced() */
		{ STACK_NOTE_CHECKER | STACK_BEGINS, 0, "unreferenced object %x (size %d):" },
		{ STACK_INNER, 0, "comm \"%*\", pid %d, jiffies %*" },
		{ STACK_INNER, 0, "hex dump (first %d bytes):" },
		{ STACK_INNER, 0, "backtrace:" },
		{ STACK_INNER, 0, "backtrace (%*" },
		/*
		 * copies of /proc/PID/stack: the id is in the path, which is in the command or
		 * title above the stack
		 */
		{ STACK_THREAD, 0, "%*/proc/%d/task/%i/stack%*" },
		{ STACK_THREAD, 0, "%*/proc/%d/task/%i" },
		{ STACK_THREAD | STACK_BEGINS, 0, "%*/proc/%i/stack%*" },
		{ T, 0, "task:%n state:%t stack:~%d pid:~%i %*" },
		{ T, 0, "task:%n state:%t stack:~%d pid:~%i" }, /* the rest is on the next line */
		/*
		 * titles before Linux 5.12: name, state, address (old kernels only), free stack
		 * bytes, pid, parent's pid, flags
		 */
		{ STACK_THREAD, 0, "%n %t %x %d %i %d 0x%x" },
		{ STACK_THREAD, 0, "%n %t %d %i %d 0x%x" },
		{ STACK_THREAD, 0, "INFO: task %n:%i blocked for more than %G seconds." },
		/* source: kernel/hung_task.c, debug_show_blocker(); kernel/locking/lockdep.c */
		{ STACK_WAITS, 0, "INFO: task %n blocked on a %K likely %* task %o" },
		{ STACK_WAITS, 0, "INFO: task %n blocked on an %K likely %* task %o" },
		{ STACK_HOLDER, 0, "%d lock held by %n:" },
		{ STACK_HOLDER, 0, "%d locks held by %n:" },
		{ STACK_LISTED, 0, "#%N: %k (%K){%*}, at: %*" },
		/* title that a user wrote above the stack of the task that owns a lock */
		{ T | STACK_WEAK, 0, "%*tack trace for %n holding %K:" },
		{ T | STACK_WEAK, 0, "%*tack trace of %n holding %K:" },
		{ T | STACK_WEAK, 0, "%*all trace of %n holding %K:" },
		{ T | STACK_WEAK, 0, "%*tack of %n holding %K:" },
		/* source: Lustre, lustre/ptlrpc/service.c, ptlrpc_watchdog_fire() */
		{ T, 0, "%*ervice thread pid %i was inactive for%*" },
		{ T, 0, "R %n[%i] -%Mms" },
		{ T, 0, "*R %n[%i] %*" },
		{ T, 0, "D %n[%i] %*" },
		{ T, 0, "S %n[%i] %*" },
		/*
		 * the kernel marks an uncertain frame by '?'; a running task may have only such
		 * frames
		 */
		{ STACK_GUESS, 0, "[<%x>] ? %f+0x%x/0x%x [%m]" },
		{ STACK_GUESS, 0, "[<%x>] ? %f+0x%x/0x%x%*" },
		/* source: arch/powerpc/kernel/process.c, show_stack() */
		{ STACK_FIRST, 0, "NIP [%x] %f+0x%x/0x%x%*" },
		{ STACK_INNER, 0, "LR [%x] %*" },
		{ STACK_GUESS, 0, "[%x] [%x] %f+0x%x/0x%x%*(unreliable)" },
		{ STACK_INNER, 0, "[%x] [%x] 0x%x%*" },
		{ F, 0, "[%x] [%x] %f+0x%x/0x%x [%m]" },
		{ F, 0, "[%x] [%x] %f+0x%x/0x%x%*" },
		{ STACK_FIRST | STACK_BEGINS, 0, "[<0>] %f+0x%x/0x%x [%m]" },
		{ STACK_FIRST | STACK_BEGINS, 0, "[<%x>] %f+0x%x/0x%x [%m]" },
		{ STACK_FIRST | STACK_BEGINS, 0, "[<0>] %f+0x%x/0x%x%*" },
		{ STACK_FIRST | STACK_BEGINS, 0, "[<%x>] %f+0x%x/0x%x%*" },
		/* source: arch/s390/kernel/dumpstack.c, show_stack() */
		{ STACK_GUESS, 0, "([<%x>] %f+0x%x/0x%x%*)" },
		/* source: mm/kmemleak.c, print_unreferenced(), in some kernel versions */
		{ F, 0, "[%x] %f+0x%x/0x%x [%m]" },
		{ F, 0, "[%x] %f+0x%x/0x%x%*" },
		{ STACK_INNER, 0, "[%x] 0x%x%*" },
		{ STACK_GUESS, 0, "? %f+0x%x/0x%x [%m]" },
		{ STACK_GUESS, 0, "? %f+0x%x/0x%x%*" },
		{ STACK_INNER, 0, "? %*" },
		/*
		 * a function and its caller; source: arch/arm/kernel/traps.c,
		 * dump_backtrace_entry()
		 */
		{ F, 0, "%f [%m] from %*+0x%x/0x%x%*" },
		{ F, 0, "%f from %*+0x%x/0x%x%*" },
		{ F | STACK_BEGINS, 1, "%F+0x%x/0x%x" },
		{ F | STACK_BEGINS, 1, "%F+0x%x/0x%x [%m]" },
		{ F, 0, "%f+0x%x/0x%x" },
		{ F, 0, "%f+0x%x/0x%x [%m]" },
		{ STACK_INNER, 0, "Workqueue: %*" },
		{ STACK_INNER, 0, "Hardware name: %*" },
		/*
		 * decoded stacks: source location of a frame; locations of the functions that
		 * inlined this code may follow on the line
		 */
		{ F, 0, "%f (%s.c:%l%*" },
		{ F, 0, "%f (%s.h:%l%*" },
		{ F, 0, "%f (%s.S:%l%*" },
		{ F, 0, "%f (%s.rs:%l%*" },
		{ STACK_INNER, 0, "Call Trace:%*" },
		{ STACK_INNER, 0, "Call trace:%*" },
		{ STACK_INNER, 0, "<TASK>" },
		{ STACK_TITLE, 0, "</TASK>" },
		{ STACK_TITLE, 0, "---[ end trace%*" },
		{ STACK_THREAD, 0, "watchdog: BUG: soft lockup - CPU#%d stuck for %ds! [%n:%i]" },
		{ F, 0, "RIP: %d:%f+0x%x/0x%x" },
		{ STACK_INNER, 0, "scx_state/flags=%*" },
		{ STACK_INNER, 0, "sticky/holding_cpu=%*" },
		{ STACK_INNER, 0, "cpus=%*" } } },
	/* source: SystemTap, tapset/uconversions.stp and runtime/stack.c, print_ubacktrace(), print_backtrace() */
	{ "systemtap", SPACE_UNKNOWN, false, 2, {
		{ F | STACK_BEGINS, 0, "0x%x : %f+0x%x/0x%x [%m]%*" },
		{ STACK_INNER, 0, "0x%x : 0x%x%*" },
		{ STACK_INNER, 0, "0x%x [%*" } }, .may_have_counts = true },
	/*
	 * stack copied from a flame graph or a trace: lines "function (file:line)" or "function
	 * (library)"
	 */
	{ "bare-stack", SPACE_USER, false, 6, {
		{ F | STACK_BEGINS | STACK_WEAK, 1, "%F (%s:%l)" },
		{ F | STACK_BEGINS | STACK_WEAK, 1, "%F (lib%*)" },
		{ F, 1, "%f (%s:%l)" },
		{ F, 1, "%f (lib%*)" } } },
	/*
	 * source: bcc, tools/profile.py and offcputime.py with -d, if the user did not copy the
	 * amounts. Only the kernel's entry function, the last frame above "--", proves that the
	 * text is a stack
	 */
	{ "bcc-stack", SPACE_UNKNOWN, false, 6, {
		{ STACK_INNER, 1, "--" },
		/*
		 * %F matches the whole function name; it is tried first, because the rules below
		 * store only the end of the name
		 */
		{ F, 1, "%F" },
		{ F | STACK_BEGINS | STACK_WEAK, 1, "entry_SYSCALL_%f" },
		{ F | STACK_BEGINS | STACK_WEAK, 1, "entry_SYSENTER_%f" },
		{ F | STACK_BEGINS | STACK_WEAK, 1, "entry_INT80_%f" },
		{ F | STACK_BEGINS | STACK_WEAK, 1, "ret_from_fork_%f" },
		{ F | STACK_BEGINS | STACK_WEAK, 1, "el0t_64_%f" } }, .is_anchored = true },
};
/* clang-format on */
const size_t stack_dialects_len = ARRAY_LEN(stack_dialects);
