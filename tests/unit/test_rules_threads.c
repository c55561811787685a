/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/dossier.h"
#include "explain/explain.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "texts.h"

#include <stdio.h>

struct explained {
	struct dossier *d;
	struct facts *facts;
	struct findings f;
};

static struct explained explained;

static void explain_text(const char *text)
{
	explained.d = text_load(NULL, text);
	assert_true(explained.d->captures.len > 0);
	explained.facts = facts_new(explained.d);
	memset(&explained.f, 0, sizeof(explained.f));
	explain_run(explained.facts, NULL, &explained.f);
	assert_null(findings_check(&explained.f));
}

static void explain_end(void)
{
	findings_fini(&explained.f);
	facts_free(explained.facts);
	dossier_free(explained.d);
}

static const struct finding *found(const char *rule)
{
	VEC_FOREACH (row, &explained.f.rows) {
		if (strcmp(row->rule->id, rule) == 0)
			return row;
	}
	return NULL;
}

static bool is_clean(const char *rule)
{
	VEC_FOREACH (row, &explained.f.clean) {
		if (strcmp(row->rule->id, rule) == 0)
			return true;
	}
	return false;
}

static bool is_not_assessed(const char *rule)
{
	VEC_FOREACH (row, &explained.f.not_assessed) {
		if (strcmp(row->rule->id, rule) == 0)
			return true;
	}
	return false;
}

/*
 * Expects that @rule claims @part about @text with certainty @sure. @part NULL: the rule is clean.
 */
static void claims(const char *text, const char *rule, const char *part, unsigned int sure)
{
	const struct finding *f;

	explain_text(text);
	f = found(rule);
	if (!part) {
		assert_null(f);
		assert_true(is_clean(rule));
	} else {
		assert_non_null(f);
		if (!str_contains(f->claim, str_of(part)))
			print_error("%.*s\n", (int)f->claim.len, f->claim.p);
		assert_true(str_contains(f->claim, str_of(part)));
		assert_int_equal(f->sure, sure);
	}
	explain_end();
}

#define JAVA(name, nid, state) \
	"\"" name "\" #1 prio=5 os_prio=0 tid=0x1 nid=" nid " " state " [0x1]\n"
#define BLOCKED "   java.lang.Thread.State: BLOCKED (on object monitor)\n"
#define CYCLE                                                                                   \
	JAVA("a", "0x1", "waiting for monitor entry")                                           \
	BLOCKED "\tat shop.Till.close(Till.java:1)\n\t- waiting to lock <0x20> (a shop.Book)\n" \
		"\t- locked <0x10> (a shop.Till)\n\n" JAVA("b", "0x2",                          \
							   "waiting for monitor entry") BLOCKED \
		"\tat shop.Book.post(Book.java:1)\n\t- waiting to lock <0x10> (a shop.Till)\n"

static void a_cycle_of_owners_is_a_deadlock(void **state)
{
	(void)state;
	claims(CYCLE "\t- locked <0x20> (a shop.Book)\n", "thread-deadlock",
	       "thread 'b' holds 0x20 (shop.Book) and waits for 0x10 (shop.Till) in "
	       "shop.Book.post",
	       97);
	/* nobody holds the second lock: no cycle */
	claims(CYCLE, "thread-deadlock", NULL, 0);
}

static void a_monitor_that_waits_is_not_held(void **state)
{
	(void)state;
	claims(JAVA("a", "0x1", "in Object.wait()") "   java.lang.Thread.State: WAITING\n"
						    "\tat java.lang.Object.wait(Native "
						    "Method)\n\t- waiting on <0x10> (a shop.Till)\n"
						    "\tat shop.Till.idle(Till.java:1)\n\t- locked "
						    "<0x10> (a shop.Till)\n\n" JAVA(
							    "b", "0x2", "waiting for monitor entry")
							    BLOCKED
	       "\tat shop.Book.post(Book.java:1)\n\t- waiting to lock <0x10> (a shop.Till)\n" JAVA(
		       "c", "0x3", "waiting for monitor entry") BLOCKED
	       "\tat shop.Book.post(Book.java:1)\n\t- waiting to lock <0x10> (a shop.Till)\n",
	       "thread-lock", NULL, 0);
}

static void a_join_below_a_wanted_lock_is_a_deadlock(void **state)
{
	(void)state;
	claims(JAVA("main", "0x1",
		    "in Object.wait()") "   java.lang.Thread.State: WAITING\n"
					"\tat java.lang.Object.wait(Native Method)\n\tat "
					"java.lang.Thread.join(Thread.java:1)\n"
					"\t- locked <0x30> (a java.lang.Thread)\n\tat "
					"shop.Till.stop(Till.java:9)\n"
					"\t- locked <0x10> (a shop.Till)\n\n" JAVA(
						"worker", "0x2", "waiting for monitor entry")
						BLOCKED
	       "\tat shop.Book.post(Book.java:1)\n\t- waiting to lock <0x10> (a shop.Till)\n",
	       "thread-deadlock", "in shop.Till.stop while it holds a lock that 1 thread wait", 85);
}

#define LOCK_BT(object)                                               \
	"#0  __lll_lock_wait () at lowlevellock.c:49\n"               \
	"#1  0x01 in pthread_mutex_lock (mutex=0x7000) at lock.c:9\n" \
	"#2  0x02 in Panel::log (this=0x6000) at panel.cc:4\n"        \
	"#3  0x03 in describe (e=...) at error.cc:8\n"                \
	"#4  0x04 in Panel::log (this=" object ") at panel.cc:9\n"

static void a_lock_that_is_taken_again_is_a_self_deadlock(void **state)
{
	(void)state;
	claims(LOCK_BT("0x6000"), "thread-deadlock", "Panel::log, which is twice on its own stack",
	       85);
	/* the other object has another lock */
	claims(LOCK_BT("0x6100"), "thread-deadlock", NULL, 0);
}

static void a_callback_into_a_locked_object_is_possibly_a_deadlock(void **state)
{
#define CALLBACK(between, outer)                                                        \
	"goroutine 7 [sync.Mutex.Lock, 9 minutes]:\nsync.(*Mutex).Lock(0xc000200000)\n" \
	"\t/m.go:3 +0x1\nmain.(*Book).Total(0xc000100000)\n\t/a.go:3 +0x1\n" between    \
	"main.(*Book).Close(" outer ")\n\t/a.go:9 +0x1\n"
	(void)state;
	claims(CALLBACK("main.report(0xc000300000)\n\t/r.go:1 +0x1\n", "0xc000100000"),
	       "thread-deadlock",
	       "main.(*Book).Total of the object 0xc000100000, and an outer caller is "
	       "main.(*Book).Close of the "
	       "same object",
	       60);
	claims(CALLBACK("main.report(0xc000300000)\n\t/r.go:1 +0x1\n", "0xc000900000"),
	       "thread-deadlock", NULL, 0);
	/* methods of one object often call each other directly */
	claims(CALLBACK("", "0xc000100000"), "thread-deadlock", NULL, 0);
}

static void a_handler_that_wants_the_interrupted_lock_is_a_self_deadlock(void **state)
{
	static const char handler[] = "#0  __lll_lock_wait_private () at lowlevellock.S:95\n"
				      "#1  0x01 in malloc (bytes=9) at malloc.c:9\n"
				      "#2  0x02 in on_alarm (sig=14) at watch.c:4\n"
				      "#3  <signal handler called>\n";
	char text[1024];

	(void)state;
	(void)snprintf(text, sizeof(text),
		       "%s#4  0x04 in _int_malloc (n=9) at malloc.c:9\n"
		       "#5  0x05 in parse () at parse.c:2\n",
		       handler);
	claims(text, "thread-deadlock",
	       "on_alarm waits for a lock of the memory allocator, and the interrupted code, "
	       "_int_malloc, already holds it",
	       90);
	(void)snprintf(text, sizeof(text), "%s#4  0x05 in parse () at parse.c:2\n", handler);
	claims(text, "thread-deadlock", "parse, possibly holds it", 75);
}

#define WAITER_OPEN(n, mutex, fn)                                        \
	"Thread " n " (Thread 0x7f (LWP 1" n ")):\n"                     \
	"#0  __lll_lock_wait () at lowlevellock.c:49\n"                  \
	"#1  0x01 in pthread_mutex_lock (mutex=" mutex ") at lock.c:9\n" \
	"#2  0x02 in " fn " (x=1) at a.c:4\n"
#define WAITER(n, mutex, fn) WAITER_OPEN(n, mutex, fn) "\n"
/* the same, called by a function that may hold another lock */
#define CALLED(n, mutex, fn) WAITER_OPEN(n, mutex, fn) "#3  0x03 in serve_one (x=1) at a.c:9\n\n"
#define RUNNER(n, fn) \
	"Thread " n " (Thread 0x7f (LWP 1" n ")):\n#0  0x02 in " fn " (x=1) at a.c:4\n\n"

static void two_locks_and_no_runner_are_a_likely_deadlock(void **state)
{
	(void)state;
	claims(CALLED("1", "0x7000", "sell") CALLED("2", "0x8000", "buy"), "thread-deadlock",
	       "Likely deadlock: 2 threads wait for 2 different locks", 75);
	claims(CALLED("1", "0x7000", "sell") CALLED("2", "0x8000", "buy") RUNNER("3", "count"),
	       "thread-deadlock", NULL, 0);
	claims(WAITER("1", "0x7000", "sell") WAITER("2", "0x7000", "buy"), "thread-deadlock", NULL,
	       0);
	/* nobody below sell() and buy() can hold the other lock */
	claims(WAITER("1", "0x7000", "sell") WAITER("2", "0x8000", "buy"), "thread-deadlock",
	       "Possible deadlock", 60);
}

static void locks_without_addresses_are_not_assessed(void **state)
{
	(void)state;
	explain_text(
		"3 __lll_lock_wait,pthread_mutex_lock,cache_put\n1 epoll_wait,loop_poll,main_x\n");
	assert_true(is_not_assessed("thread-deadlock"));
	assert_true(is_not_assessed("thread-pool"));
	explain_end();
}

static void many_waiters_name_the_place_and_the_runner(void **state)
{
	(void)state;
	claims(WAITER("1", "0x7000", "sell") WAITER("2", "0x7000", "sell")
		       WAITER("3", "0x7000", "sell") RUNNER("4", "count"),
	       "thread-lock",
	       "3 of 4 threads wait for the lock 0x7000, all in sell (a.c:4); the only running "
	       "thread, "
	       "thread 14, is in count (a.c:4) and may hold the lock",
	       75);
	/* two waiters are too few if the owner is unknown */
	claims(WAITER("1", "0x7000", "sell") WAITER("2", "0x7000", "sell"), "thread-lock", NULL, 0);
	claims("2 __lll_lock_wait,pthread_mutex_lock,cache_put\n1 a_b,c,d\n", "thread-lock", NULL,
	       0);
	claims("3 __lll_lock_wait,pthread_mutex_lock,cache_put\n1 a_b,c,d\n", "thread-lock",
	       "3 of 4 threads wait for a lock, all in cache_put", 75);
}

static void the_owner_is_named_with_its_own_wait(void **state)
{
	(void)state;
	claims(JAVA("w-1", "0x1", "waiting for monitor entry") BLOCKED
	       "\tat shop.Book.post(Book.java:1)\n\t- waiting to lock <0x10> (a "
	       "shop.Till)\n\n" JAVA("w-2", "0x2", "waiting for monitor entry") BLOCKED
	       "\tat shop.Book.post(Book.java:1)\n\t- waiting to lock <0x10> (a "
	       "shop.Till)\n\n" JAVA(
		       "owner", "0x3",
		       "runnable") "   java.lang.Thread.State: RUNNABLE\n"
				   "\tat java.net.Inet4AddressImpl.lookupAllHostAddr(Native "
				   "Method)\n"
				   "\tat shop.Till.open(Till.java:3)\n\t- locked <0x10> (a "
				   "shop.Till)\n",
	       "thread-lock",
	       "thread 'owner' holds it while it waits for a DNS answer in "
	       "shop.Till.open",
	       95);
}

static void a_send_without_a_receiver_leaks(void **state)
{
	(void)state;
	claims("goroutine 7 [chan send, 1 minutes]:\nmain.push(0x1)\n\t/a.go:3 +0x1\n"
	       "created by main.start\n\t/a.go:9 +0x1\n",
	       "thread-leak", "sending on a channel in main.push (a.go:3), started by main.start",
	       70);
	/* a send of less than a minute may still be received */
	claims("goroutine 7 [chan send]:\nmain.push(0x1)\n\t/a.go:3 +0x1\n", "thread-leak", NULL,
	       0);
}

static void many_at_one_place_leak(void **state)
{
	(void)state;
	claims("goroutine profile: total 199\n100 @ 0x1\n#\t0x1\tmain.push+0x2\t/a.go:3\n\n"
	       "99 @ 0x2\n#\t0x2\tmain.serve+0x2\t/a.go:5\n",
	       "thread-leak", "100 of 199 goroutines are at one place", 60);
	claims("goroutine profile: total 99\n99 @ 0x1\n#\t0x1\tmain.push+0x2\t/a.go:3\n",
	       "thread-leak", NULL, 0);
	claims("goroutine profile: total 201\n100 @ 0x1\n#\t0x1\tmain.push+0x2\t/a.go:3\n\n"
	       "101 @ 0x2\n#\t0x2\truntime.gcBgMarkWorker+0x2\t/a.go:5\n",
	       "thread-leak", NULL, 0);
}

#define READER(n, state, frame)                  \
	JAVA("exec-" n, "0x" n, "x")             \
	"   java.lang.Thread.State: " state "\n" \
	"\tat " frame "(Native Method)\n\tat shop.Api.call(Api.java:7)\n\n"
#define SOCKET(n) READER(n, "RUNNABLE", "java.net.SocketInputStream.socketRead0")
#define IDLE(n)   READER(n, "WAITING", "java.util.concurrent.LinkedBlockingQueue.take")

static void a_pool_of_which_all_wait_is_exhausted(void **state)
{
	(void)state;
	claims(SOCKET("1") SOCKET("2") SOCKET("3") SOCKET("4"), "thread-pool",
	       "4 of 4 threads of 'exec-N' wait for the network in shop.Api.call", 75);
	claims(SOCKET("1") SOCKET("2") SOCKET("3"), "thread-pool", NULL, 0);
	claims(SOCKET("1") SOCKET("2") SOCKET("3") IDLE("4"), "thread-pool", NULL, 0);
	claims(IDLE("1") IDLE("2") IDLE("3") IDLE("4"), "thread-pool", NULL, 0);
}

/* @head, followed by a stack in which two functions call each other @times times. */
static void recursion_text(char *text, size_t size, const char *head, unsigned int times)
{
	size_t n = (size_t)snprintf(text, size, "%s", head);

	for (unsigned int i = 0; i < times; i++)
		n += (size_t)snprintf(text + n, size - n,
				      "#%u  0x0%u in visit (n=0x6%u) at t.c:3\n"
				      "#%u  0x0%u in visit_all (n=0x6%u) at t.c:8\n",
				      i * 2, i, i, i * 2 + 1, i, i);
	(void)snprintf(text + n, size - n, "#%u  0x01 in main () at t.c:20\n", times * 2);
}

static void calls_of_itself_are_recursion(void **state)
{
	char text[8192];

	(void)state;
	recursion_text(text, sizeof(text), "", 12);
	claims(text, "deep-recursion",
	       "Deep recursion: visit (t.c:3) calls itself through visit_all and occurs 12 times "
	       "in "
	       "25",
	       60);
	recursion_text(text, sizeof(text), "", 11);
	claims(text, "deep-recursion", NULL, 0);
	recursion_text(text, sizeof(text), "Program received signal SIGSEGV, Segmentation fault.\n",
		       12);
	/* so few frames, down to main, fill no stack: the crash has another cause */
	claims(text, "deep-recursion", "Deep recursion: visit", 60);
	text[strlen(text) - strlen("#24  0x01 in main () at t.c:20\n")] = '\0';
	claims(text, "deep-recursion", "Stack overflow by recursion: visit", 90);
}

static void the_kind_of_a_crash_comes_from_its_frames(void **state)
{
	static const struct {
		const char *text, *part;
	} crashes[] = {
		{ "#0  raise () from libc.so.6\n#1  0x01 in abort () from libc.so.6\n"
		  "#2  0x02 in __assert_fail () from libc.so.6\n#3  0x03 in put (k=0x0) at m.c:3\n",
		  "a failed assertion in put" },
		{ "#0  raise () from libc.so.6\n#1  0x01 in abort () from libc.so.6\n"
		  "#2  0x02 in malloc_printerr () from libc.so.6\n#3  0x03 in free () from "
		  "libc.so.6\n"
		  "#4  0x04 in drop (p=0x6000) at m.c:3\n",
		  "heap corruption found by the allocator (double free, or a write past a block) "
		  "in "
		  "drop" },
		{ "Program received signal SIGSEGV, Segmentation fault.\n"
		  "#0  0x01 in next (n=0x0) at m.c:3\n#1  0x02 in main () at m.c:9\n",
		  "a null pointer in next, called from main" },
		{ "Program received signal SIGSEGV, Segmentation fault.\n"
		  "#0  0x01 in next (n=0x6000) at m.c:3\n#1  0x02 in main () at m.c:9\n",
		  "a bad memory access in next" },
		{ "panic: runtime error: invalid memory address or nil pointer dereference\n\n"
		  "goroutine 1 [running]:\nmain.get(0x0)\n\t/a.go:3 +0x1\nmain.main()\n\t/a.go:9 "
		  "+0x1\n",
		  "a null pointer in main.get" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(crashes); i++)
		claims(crashes[i].text, "crash-stack", crashes[i].part, 90);
	claims("Program received signal SIGINT, Interrupt.\n#0  0x01 in next (n=0x0) at m.c:3\n"
	       "#1  0x02 in main () at m.c:9\n",
	       "crash-stack", NULL, 0);
}

static void one_thread_says_where_it_hangs(void **state)
{
	(void)state;
	claims("#0  0x01 in __wait4 () from libc.so.6\n#1  0x02 in reap (pid=9) at job.c:3\n"
	       "#2  0x03 in main () at job.c:20\n",
	       "thread-waits",
	       "waits for the end of a child process in reap (job.c:3), called from main", 75);
	claims("  R burner[20311] -5230ms\n      scx_state/flags=3/0x9\n\n"
	       "    burn_pages+0x1c8/0x260\n    do_syscall_64+0x82/0x190\n",
	       "thread-waits", "Thread 'burner' has been runnable for 5.2 s but is not scheduled",
	       75);
	claims("Thread 2 (LWP 12):\n#0  0x01 in fsync () from libc.so\n#1  0x02 in save () at "
	       "a.c:3\n"
	       "Thread 1 (LWP 11):\n#0  0x01 in connect () from libc.so\n#1  0x02 in dial () at "
	       "b.c:3\n",
	       "thread-waits",
	       "Thread 12 waits for the disk in save (a.c:3); thread 11 waits for a connection to "
	       "be "
	       "made "
	       "in dial",
	       75);
	/* idle workers next to an event loop are usual in a healthy program */
	claims(IDLE("1") IDLE("2") IDLE("3") IDLE("4"), "thread-waits", NULL, 0);
}

static void what_a_dump_does_not_show_is_not_called_running(void **state)
{
	(void)state;
	claims("#0  0x01 in some_new_call () from /lib/libc.so.6\n#1  0x02 in work (x=1) at "
	       "a.c:3\n",
	       "thread-waits", "The thread at line 1 stands in some_new_call, called from work",
	       75);
	claims("#0  0x01 in spin (x=1) at a.c:9\n#1  0x02 in work (x=1) at a.c:3\n", "thread-waits",
	       "The thread at line 1 is in spin (a.c:9), called from work", 75);
	claims("Thread 0x00007f34aface6c0 (most recent call first):\n"
	       "  File \"/srv/etl.py\", line 4 in fetch\n  File \"/srv/etl.py\", line 9 in main\n",
	       "thread-waits", "Thread 0x00007f34aface6c0 stands in fetch", 75);
}

static void a_dump_has_no_cpu_time(void **state)
{
	(void)state;
	explain_text(
		"41 __lll_lock_wait,pthread_mutex_lock,cache_put\n7 epoll_wait,loop_poll,main_x\n");
	assert_null(found("hot-function"));
	assert_null(found("user-lock"));
	assert_null(found("few-samples"));
	explain_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cycle_of_owners_is_a_deadlock),
		cmocka_unit_test(a_monitor_that_waits_is_not_held),
		cmocka_unit_test(a_join_below_a_wanted_lock_is_a_deadlock),
		cmocka_unit_test(a_lock_that_is_taken_again_is_a_self_deadlock),
		cmocka_unit_test(a_callback_into_a_locked_object_is_possibly_a_deadlock),
		cmocka_unit_test(a_handler_that_wants_the_interrupted_lock_is_a_self_deadlock),
		cmocka_unit_test(two_locks_and_no_runner_are_a_likely_deadlock),
		cmocka_unit_test(locks_without_addresses_are_not_assessed),
		cmocka_unit_test(many_waiters_name_the_place_and_the_runner),
		cmocka_unit_test(the_owner_is_named_with_its_own_wait),
		cmocka_unit_test(a_send_without_a_receiver_leaks),
		cmocka_unit_test(many_at_one_place_leak),
		cmocka_unit_test(a_pool_of_which_all_wait_is_exhausted),
		cmocka_unit_test(calls_of_itself_are_recursion),
		cmocka_unit_test(the_kind_of_a_crash_comes_from_its_frames),
		cmocka_unit_test(one_thread_says_where_it_hangs),
		cmocka_unit_test(what_a_dump_does_not_show_is_not_called_running),
		cmocka_unit_test(a_dump_has_no_cpu_time),
	};

	return cmocka_run_group_tests_name("rules_threads", tests, NULL, NULL);
}
