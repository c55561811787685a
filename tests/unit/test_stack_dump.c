/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/kinds/threads.h"
#include "core/parts.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/format.h"

#include "base/limits.h"
#include "formats/load.h"

#include <stdio.h>
#include <stdlib.h>

DECLARE_FORMAT(stack_dump);

static struct dossier *stacks_of(const char *text)
{
	CLEANUP(document_freep) struct document *doc = NULL;
	struct dossier *d = dossier_new();

	assert_int_equal(document_from_memory(str_of(text), NULL, &doc, NULL), OK);
	assert_int_equal(load_document(d, doc, "made.txt", NULL, NULL), OK);
	assert_int_equal(d->captures.len, 1);
	assert_string_equal(d->captures.data[0]->format, "stack-dump");
	return d;
}

/* Expects the rows of the first capture, one per line: "name|id|state|count|frame,frame...". */
static void rows_are(const struct dossier *d, const char *dialect, const char *expected)
{
	static const char *const states[] = {
		[THREAD_UNKNOWN] = "unknown", [THREAD_RUNNING] = "running",
		[THREAD_BLOCKED] = "blocked", [THREAD_WAITING] = "waiting",
		[THREAD_READY] = "ready",     [THREAD_DISK] = "disk",
	};
	const struct threads *t = d->captures.data[0]->threads;
	struct out got = { .fd = -1 };

	assert_non_null(t);
	assert_str(strings_get(&d->strings, t->dialect), dialect);
	VEC_FOREACH (row, &t->rows) {
		out_printf(&got, STR_FMT "|" STR_FMT "|%s|%d|",
			   STR_ARG(strings_get(&d->strings, row->name)),
			   STR_ARG(strings_get(&d->strings, row->id)), states[row->state],
			   (int)row->count);
		for (uint32_t i = 0; i < row->n_frames; i++)
			out_printf(
				&got, "%s" STR_FMT, i ? "," : "",
				STR_ARG(symbols_name(&d->symbols, threads_frames(t, row)[i].sym)));
		out_char(&got, '\n');
	}
	out_char(&got, '\0');
	assert_string_equal(got.data, expected);
	out_fini(&got);
}

/* The input @name in the corpus of the fuzz target. */
static struct dossier *corpus(const char *name)
{
	const char *source = unit_source();
	static char text[65536];
	char path[4096];
	FILE *f;
	size_t n;

	(void)snprintf(path, sizeof(path), "%s/tests/fuzz/corpus/stack_dump/%s",
		       source ? source : ".", name);
	f = fopen(path, "r");
	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	(void)fclose(f);
	return stacks_of(text);
}

static void gdb_prints_threads_with_arguments(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = corpus("gdb");
	const struct threads *t = d->captures.data[0]->threads;

	(void)state;
	rows_are(d, "gdb",
		 "shipper|4103|unknown|1|futex_wait,__GI___lll_lock_wait,___pthread_mutex_lock,"
		 "Depot::ship,std::function<void (int)>::operator()(int) const,start_thread\n"
		 "|4102|unknown|1|clock_nanosleep,idle\n"
		 "|4101|unknown|1|handler,read,main\n");
	assert_int_equal(t->rows.data[2].signal_at, 1);
	assert_int_equal(t->rows.data[2].depth, 4);
	/* "this" is before other pointers, and the lock is the argument of the mutex function */
	assert_true(threads_frames(t, &t->rows.data[0])[2].object == 0x55d0a9c1f080);
	assert_true(threads_frames(t, &t->rows.data[0])[3].object == 0x55d0aa001000);
	assert_int_equal(t->rows.data[0].line, 4);
	assert_int_equal(threads_frames(t, &t->rows.data[0])[3].line, 8);
}

static void a_bare_backtrace_is_one_thread_and_keeps_the_signal(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = corpus("bt");
	const struct threads *t = d->captures.data[0]->threads;

	(void)state;
	rows_are(d, "gdb", "||unknown|1|node_next,walk,main\n");
	assert_int_equal(t->notes.len, 1);
	assert_int_equal(t->notes.data[0].kind, THREAD_NOTE_SIGNAL);
	assert_str(strings_get(&d->strings, t->notes.data[0].text),
		   "Program received signal SIGSEGV, Segmentation fault.");
}

static void other_debuggers_are_read(void **state)
{
	struct dossier *d = corpus("eu-stack");

	(void)state;
	rows_are(d, "eu-stack",
		 "|812|unknown|1|__poll,loop_once,main\n"
		 "|815|unknown|1|__futex_abstimed_wait_common,worker\n");
	dossier_free(d);
	d = corpus("lldb");
	rows_are(d, "lldb",
		 "|1|waiting|1|__psynch_mutexwait,take_second(m=0x0000000100008010),main\n"
		 "indexer|2|unknown|1|__psynch_cvwait,Indexer::run(this=0x0000600000c04000)\n");
	dossier_free(d);
	d = corpus("crash");
	rows_are(d, "crash", "flusher|1203|unknown|1|__schedule,io_schedule,wait_on_buffer_slow\n");
	dossier_free(d);
	d = corpus("macos-crash");
	rows_are(d, "macos-crash",
		 "Dispatch queue: com.apple.main-thread|0|unknown|1|__psynch_mutexwait,till_close,"
		 "main\n");
	dossier_free(d);
}

static void a_jvm_prints_locks_and_states(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = corpus("jstack");
	const struct threads *t = d->captures.data[0]->threads;
	const struct thread_lock *locks = threads_locks(t, &t->rows.data[0]);

	(void)state;
	rows_are(d, "jstack",
		 "left|0x5a21|blocked|1|shop.Till.close,"
		 "shop.Till$$Lambda$1/0x0000000800c03000.run,java.lang.Thread.run\n"
		 "right|0x5a22|blocked|1|shop.Ledger.post,java.lang.Thread.run\n"
		 "VM Thread|0x7bab|running|1|\n");
	assert_int_equal(t->rows.data[0].n_locks, 2);
	assert_int_equal(locks[0].kind, THREAD_LOCK_WANTED);
	assert_true(locks[0].address == 0x69ec193f8);
	assert_str(strings_get(&d->strings, locks[0].type), "shop.Ledger");
	assert_int_equal(locks[1].kind, THREAD_LOCK_HELD);
	assert_int_equal(t->notes.len, 1);
	assert_int_equal(t->notes.data[0].kind, THREAD_NOTE_DEADLOCK);
}

static void a_jvm_prints_cpu_times(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d =
		stacks_of("\"w\" #21 prio=5 os_prio=0 cpu=812.25ms elapsed=412.5s tid=0x1f "
			  "nid=0x21 runnable [0x7f]\n"
			  "   java.lang.Thread.State: RUNNABLE\n"
			  "\tat shop.Till.close(Till.java:3)\n"
			  "\tat shop.Till.run(Till.java:9)\n");
	const struct threads *t = d->captures.data[0]->threads;

	(void)state;
	assert_true(t->rows.data[0].cpu_ns == 812250000);
	assert_true(t->rows.data[0].lifetime_ns == UINT64_C(412500000000));
}

static void thread_info_of_java_names_owners(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = corpus("thread-info");
	const struct threads *t = d->captures.data[0]->threads;

	(void)state;
	rows_are(d, "jstack",
		 "writer|21|blocked|1|app//shop.Ledger.append,java.lang.Thread.run\n"
		 "reader|22|waiting|1|java.lang.Thread.sleep0,app//shop.Ledger.scan\n");
	assert_str(strings_get(&d->strings, threads_locks(t, &t->rows.data[0])[0].owner), "reader");
	assert_int_equal(threads_locks(t, &t->rows.data[1])[0].kind, THREAD_LOCK_HELD);
}

static void goroutines_have_states_ages_and_creators(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = corpus("goroutines");
	const struct threads *t = d->captures.data[0]->threads;

	(void)state;
	rows_are(d, "goroutines",
		 "|1|running|1|main.(*Store).Get,main.main\n"
		 "|18|waiting|1|main.publish\n"
		 "|20|blocked|1|sync.(*Mutex).lockSlow,main.count\n");
	assert_true(t->rows.data[1].age_ns == UINT64_C(42) * 60 * 1000000000);
	assert_str(strings_get(&d->strings, t->rows.data[1].creator), "main.start");
	assert_int_equal(t->notes.len, 2);
	assert_int_equal(t->notes.data[0].kind, THREAD_NOTE_PANIC);
	assert_int_equal(t->notes.data[1].kind, THREAD_NOTE_SIGNAL);
}

static void aggregates_keep_their_counts(void **state)
{
	struct dossier *d = corpus("goroutine-profile");

	(void)state;
	rows_are(d, "goroutine-profile",
		 "||unknown|1200|main.publish\n"
		 "||unknown|4|sync.runtime_SemacquireMutex,main.count\n");
	assert_int_equal(d->captures.data[0]->profile->n_samples, 1204);
	dossier_free(d);
	d = stacks_of("goroutine profile: total 3\n2 @ 0x43a1c0 0x44b8e6\n1 @ 0x43a1c0\n");
	rows_are(d, "goroutine-profile", "||unknown|2|0x43a1c0,0x44b8e6\n||unknown|1|0x43a1c0\n");
	dossier_free(d);
	d = corpus("pmp");
	rows_are(d, "pmp",
		 "||unknown|41|__lll_lock_wait,pthread_mutex_lock,cache_put,serve_one,worker_main\n"
		 "||unknown|7|epoll_wait,loop_poll,worker_main\n"
		 "||unknown|1|write_block,flush_log,worker_main\n");
	dossier_free(d);
}

static void interpreters_are_read(void **state)
{
	struct dossier *d = corpus("py-spy");

	(void)state;
	rows_are(d, "py-spy",
		 "MainThread|911|waiting|1|wait,result,run,<module>\n"
		 "parser_0|0x7F01AA|running|1|tokenize,load\n");
	dossier_free(d);
	d = corpus("faulthandler");
	rows_are(d, "faulthandler",
		 "|0x00007f34aface6c0|unknown|1|wait_for_rows,run\n"
		 "MainThread|0x00007f34b1036b80|unknown|1|load,<module>\n");
	assert_true(d->captures.data[0]->threads->rows.data[1].is_current);
	dossier_free(d);
	/* the input prints the outermost frame first */
	d = corpus("traceback");
	rows_are(d, "python-traceback", "||unknown|1|fetch,main,<module>\n");
	dossier_free(d);
	d = corpus("ruby");
	rows_are(d, "ruby", "|0x00007f2a60a0|waiting|1|sleep,block in checkout,<main>\n");
	dossier_free(d);
	d = corpus("dotnet");
	rows_are(d, "dotnet",
		 "|3E8C|unknown|1|System.Threading.Monitor.Wait,Shop.Queue.Take,Shop.Program."
		 "Main\n");
	dossier_free(d);
	d = corpus("rust");
	rows_are(d, "rust",
		 "||unknown|1|rust_begin_unwind,core::panicking::panic_fmt,index::Shard::merge\n");
	dossier_free(d);
}

static void stacks_of_the_kernel_are_read(void **state)
{
	struct dossier *d = corpus("kernel-stack");

	(void)state;
	rows_are(d, "kernel-stacks",
		 "||unknown|1|futex_wait_queue,futex_wait,do_futex,__x64_sys_futex,do_syscall_64\n"
		 "||unknown|1|anon_pipe_read,vfs_read\n");
	dossier_free(d);
	d = corpus("scx");
	rows_are(d, "kernel-stacks",
		 "burner|20311|ready|1|burn_pages,do_syscall_64,entry_SYSCALL_64_after_hwframe\n");
	dossier_free(d);
}

static void tasks_of_a_kernel_log_are_threads(void **state)
{
	CLEANUP(document_freep) struct document *doc = NULL;
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct threads *t;

	(void)state;
	assert_int_equal(
		document_from_memory(
			STR("[   12.000001] INFO: task flusher:811 blocked for more than 122 "
			    "seconds.\n"
			    "[   12.000002] task:flusher   state:D stack:0     pid:811   ppid:2    "
			    "  "
			    "flags:0x00004000\n"
			    "[   12.000003] Call Trace:\n[   12.000004]  <TASK>\n[   12.000005]  "
			    "__schedule+0x34d/0x9e0\n"
			    "[   12.000006]  ? inode_walk+0x1/0x2\n[   12.000007]  "
			    "inode_sweep+0x2b/0x60 [ext4]\n"
			    "[   12.000008]  </TASK>\n[   12.000009] other_thing+0x2b/0x60\n"),
			NULL, &doc, NULL),
		OK);
	assert_int_equal(load_document(d, doc, "made.txt", NULL, NULL), OK);
	assert_int_equal(d->captures.len, 2);
	assert_string_equal(d->captures.data[0]->format, "kernel-log");
	t = d->captures.data[1]->threads;
	assert_int_equal(t->rows.len, 1);
	assert_int_equal(t->rows.data[0].n_frames, 2);
	assert_int_equal(t->rows.data[0].state, THREAD_DISK);
	assert_true(t->rows.data[0].age_ns == UINT64_C(122000000000));
	assert_str(symbols_name(&d->symbols, threads_frames(t, &t->rows.data[0])[1].sym),
		   "inode_sweep");
}

static void a_part_of_a_backtrace_is_read(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = stacks_of("#5  0x01 in serve (c=0x6000) at s.c:3\n"
				      "#6  0x02 in main () at s.c:9\n");

	(void)state;
	rows_are(d, "gdb", "||unknown|1|serve,main\n");
	assert_int_equal(d->captures.data[0]->threads->rows.data[0].depth, 7);
}

static void addresses_of_backtrace_symbols_have_names(void **state)
{
	struct dossier *d = corpus("glog");

	(void)state;
	rows_are(d, "backtrace", "||unknown|1|google::LogMessage::Fail(),shop::Till::close()\n");
	dossier_free(d);
	d = stacks_of("/usr/sbin/shopd(till_close+0x2b) [0x55d0a9c1c1d1]\n"
		      "/usr/sbin/shopd(main+0x9e) [0x55d0a9c1c296]\n");
	rows_are(d, "backtrace", "||unknown|1|till_close,main\n");
	dossier_free(d);
}

static void a_thread_that_comes_again_begins_another_snapshot(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = stacks_of("Thread 2 (LWP 12):\n#0  0x01 in read () from libc.so\n"
				      "Thread 1 (LWP 11):\n#0  0x01 in main () at a.c:3\n"
				      "Thread 2 (LWP 12):\n#0  0x01 in read () from libc.so\n"
				      "Thread 1 (LWP 11):\n#0  0x01 in work () at a.c:9\n");
	const struct threads *t = d->captures.data[0]->threads;

	(void)state;
	assert_int_equal(t->snapshots, 2);
	assert_int_equal(t->rows.data[1].snapshot, 0);
	assert_int_equal(t->rows.data[2].snapshot, 1);
	assert_int_equal(threads_count(t, 1), 2);
	assert_int_equal(t->rows.data[0].stack.v, t->rows.data[2].stack.v);
}

static void a_dump_goes_on_over_a_few_lines_of_prose(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = stacks_of("Thread 1 (LWP 11):\n#0  0x01 in main () at a.c:3\n"
				      "and the other one:\n\n"
				      "Thread 2 (LWP 12):\n#0  0x01 in read () from libc.so\n");

	(void)state;
	assert_int_equal(d->captures.data[0]->threads->rows.len, 2);
	assert_int_equal(diag_get(&d->captures.data[0]->diag, "threads-other-lines"), 1);
}

static void prose_and_tables_are_nobodys(void **state)
{
	static const char *const texts[] = {
		"#0 is the first item (see below)\n#1 is the second one\n",
		"#0 is the first item (see below)\n#1 is the second (too)\n#2 is the last (x)\n",
		"#0 first (see below)\n#1 second (too)\n",
		"Thread 2 (the slow one) waits\n",
		"the goroutine 5 [sic] waits for main()\n",
		"12 one, two, three\n13 four, five, six\n",
		"at the end (of the day)\nat noon (maybe)\n",
		"\"name\" is a word\n\tat home(here)\n",
		"    60.00%  app      app                [.] work\n",
		"R1 [2] 3\nD [4] 5\n",
	};
	struct extent e;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		assert_false(format_stack_dump.find(str_of(texts[i]), 0, &e));
		assert_int_equal(format_stack_dump.probe(str_of(texts[i])), 0);
	}
}

static void frames_without_addresses_are_a_stack_from_three_on(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = stacks_of("Several threads stand here:\n\n"
				      "  #0  sys_futex (... <ns::Pool::lock_>)\n"
				      "  #1  SpinLock::SlowLock() ()\n"
				      "  #2  ns::Pool<int, char>::~Pool (...)\n");

	(void)state;
	rows_are(d, "gdb",
		 "||unknown|1|sys_futex,SpinLock::SlowLock(),ns::Pool<int, char>::~Pool\n");
}

static void stacks_of_a_jvm_without_their_titles_are_threads(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = stacks_of("   java.lang.Thread.State: BLOCKED (on object monitor)\n"
				      "\tat org.acme.Pool.take(Pool.java:21)\n"
				      "\t- waiting to lock <0x00000000e0001000> (a org.acme.Pool)\n"
				      "\tat org.acme.Worker.run(Worker.java:7)\n"
				      "\n"
				      "   java.lang.Thread.State: RUNNABLE\n"
				      "\tat org.acme.Pool.put(Pool.java:40)\n"
				      "\t- locked <0x00000000e0001000> (a org.acme.Pool)\n");
	struct extent e;

	(void)state;
	rows_are(d, "jstack",
		 "||blocked|1|org.acme.Pool.take,org.acme.Worker.run\n"
		 "||running|1|org.acme.Pool.put\n");
	assert_int_equal(d->captures.data[0]->threads->locks.len, 2);
	assert_false(format_stack_dump.find(
		STR("java.lang.Thread.State: BLOCKED\nis a state of a thread.\n"), 0, &e));
}

/* A line that a pattern could match in very many ways must not take long. */
static void a_hostile_line_is_given_up(void **state)
{
	struct out o = { .fd = -1 };
	struct extent e;

	(void)state;
	for (unsigned int n = 0; n < 64; n++) {
		out_z(&o, "\"");
		for (unsigned int i = 0; i < 2000; i++)
			out_z(&o, "\" tid=0");
		out_z(&o, "\n");
	}
	assert_false(format_stack_dump.find(out_view(&o), 0, &e));
	out_fini(&o);
}

static void exceptions_and_keys_are_no_threads(void **state)
{
	struct extent e;

	(void)state;
	assert_false(format_stack_dump.find(STR("java.lang.IllegalStateException: no\n"
						"\tat a.b.C.d(C.java:12)\n"
						"\tat a.b.C.e(C.java:13)\n"),
					    0, &e));
	assert_true(format_stack_dump.find(STR("\tat a.b.C.d(C.java:12)\n"
					       "\tat a.b.C.e(C.java:13)\n"),
					   0, &e));
	assert_false(
		format_stack_dump.find(STR("\"name\":\n  { \"at\": 12 }\n\"other\":\n"), 0, &e));
	assert_false(format_stack_dump.find(STR("Direct leak of 8 byte(s) in 1 object(s) "
						"allocated from:\n"
						"    #0 0x7f12 in malloc (/usr/lib/a.so+0x1)\n"
						"    #1 0x55aa in main /src/a.c:2\n"),
					    0, &e));
}

static void frames_of_go_begin_at_the_function_above_the_place(void **state)
{
	static const char text[] = "It hangs:\nmain.work(0x1)\n\t/src/a.go:12 +0x1c\n"
				   "main.main()\n\t/src/a.go:22 +0x20\n";
	struct extent e;

	(void)state;
	assert_true(format_stack_dump.find(STR(text), 0, &e));
	assert_int_equal(e.from, 10);
	assert_int_equal(e.to, sizeof(text) - 1);
}

/* Is a sentence above a stack taken for one that says that the program hangs? */
static void hang_is(const char *sentence, bool is_hang)
{
	static const char stack[] = "#0  0x400000 in pthread_cond_wait () from /lib64/libc.so.6\n"
				    "#1  0x400002 in take (d=0x1) at depot.c:90\n"
				    "#2  0x400008 in main () at main.c:90\n";
	char text[1024];
	struct dossier *d;

	(void)snprintf(text, sizeof(text), "%s\n\n%s", sentence, stack);
	d = stacks_of(text);
	assert_str(capture_note_of(d->captures.data[0], STR(CAPTURE_HANGS)),
		   is_hang ? sentence : "");
	dossier_free(d);
}

static void a_sentence_says_that_the_program_hangs(void **state)
{
	static const char *const hangs[] = {
		"It hangs.",
		"Program hangs at startup",
		"The call does not return",
		"server does not respond to requests",
		"It does not crash, it hangs",
		"It didn't crash but it hangs.",
		"Is this stuck?",
		"The UI froze",
	};
	static const char *const others[] = {
		"it never hangs",
		"No hangs so far",
		"it no longer hangs",
		"We do not see a deadlock here",
		"this doesn't deadlock",
		"the call did not return an error, it crashed",
		"it never ends in a crash",
		"The freezer cgroup was used",
		"see hang.py",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(hangs); i++)
		hang_is(hangs[i], true);
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		hang_is(others[i], false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exceptions_and_keys_are_no_threads),
		cmocka_unit_test(frames_of_go_begin_at_the_function_above_the_place),
		cmocka_unit_test(gdb_prints_threads_with_arguments),
		cmocka_unit_test(a_bare_backtrace_is_one_thread_and_keeps_the_signal),
		cmocka_unit_test(other_debuggers_are_read),
		cmocka_unit_test(a_jvm_prints_locks_and_states),
		cmocka_unit_test(a_jvm_prints_cpu_times),
		cmocka_unit_test(thread_info_of_java_names_owners),
		cmocka_unit_test(goroutines_have_states_ages_and_creators),
		cmocka_unit_test(aggregates_keep_their_counts),
		cmocka_unit_test(interpreters_are_read),
		cmocka_unit_test(stacks_of_the_kernel_are_read),
		cmocka_unit_test(tasks_of_a_kernel_log_are_threads),
		cmocka_unit_test(a_part_of_a_backtrace_is_read),
		cmocka_unit_test(addresses_of_backtrace_symbols_have_names),
		cmocka_unit_test(a_thread_that_comes_again_begins_another_snapshot),
		cmocka_unit_test(a_dump_goes_on_over_a_few_lines_of_prose),
		cmocka_unit_test(prose_and_tables_are_nobodys),
		cmocka_unit_test(frames_without_addresses_are_a_stack_from_three_on),
		cmocka_unit_test(stacks_of_a_jvm_without_their_titles_are_threads),
		cmocka_unit_test(a_hostile_line_is_given_up),
		cmocka_unit_test(a_sentence_says_that_the_program_hangs),
	};

	return cmocka_run_group_tests_name("stack_dump", tests, NULL, NULL);
}
