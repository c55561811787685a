/* SPDX-License-Identifier: MIT */
/*
 * Threads of the program wait for each other: threads want one mutex, spin lock or arena
 * of the allocator at once.
 *
 * Thresholds, of the time that is not idle: Programs with threads in good health spend 2
 * to 5 % in uncontended locks.
 */
#include "explain/signature.h"

#define USER_LOCK_NOTE_PCT 10.0
#define USER_LOCK_LEAD_PCT 20.0

static const struct signature user_lock = {
	.functions = "__lll_lock_wait*|__GI___lll_*|__GI___pthread_mutex_*|__GI___pthread_rwlock_*|"
		     "__lll_lock_elision|lll_lock_*|futex_wait*|"
		     "futex_wake*|do_futex|futex_q_lock|futex_hash|get_futex_key*|drop_futex_key*|"
		     "__futex_wait*|__x64_sys_futex|sys_futex|wake_futex*|futex_q_unlock|"
		     "__unqueue_futex|futex_unqueue|unqueue_me|hash_futex|pthread_mutex_lock|"
		     "__pthread_mutex_lock*|___pthread_mutex_lock|pthread_mutex_unlock|"
		     "__pthread_mutex_unlock*|___pthread_mutex_unlock|"
		     "pthread_mutex_trylock|__pthread_mutex_trylock|pthread_rwlock_*|"
		     "__pthread_rwlock_*|pthread_spin_lock|pthread_cond_*|"
		     "__pthread_cond_*|sched_yield|__sched_yield|do_sched_yield|"
		     "__x64_sys_sched_yield|SpinPause|ut_delay|s_lock|"
		     "perform_spin_delay|LWLockAcquire*|LWLockAttemptLock|"
		     "TTASEventMutex*|PolicyMutex*|std::mutex::*|absl::Mutex::*|"
		     "je_malloc_mutex_lock_slow|SpinLock::SlowLock|"
		     "tcmalloc::CentralFreeList*|*::SpinLock*|*spinlock*::lock*|"
		     "parking_lot*|ovs_mutex_lock*|pl_wait_*|runtime.lock*|"
		     "runtime.futex*|sem_wait*|__new_sem_wait*",
	.through = "__lll_*|futex_*|do_futex|*sys_futex|pthread_*|__pthread_*|"
		   "___pthread_*|std::*|do_syscall_64|entry_SYSCALL*|__x64_sys*|"
		   "x64_sys_call|do_sched_yield|sched_yield|__sched_yield",
	.note_pct = USER_LOCK_NOTE_PCT,
	.lead_pct = USER_LOCK_LEAD_PCT,
	.sure_note = 60,
	.sure_lead = 80,
	.is_user = true,
	.what = "waits for locks of the program",
	.name = "locks of user code",
	.cause = "threads want one mutex, spin lock or arena of the allocator at "
		 "once",
	.because = "most of these functions are slow paths; a free mutex costs some "
		   "ten cycles",
	.next = { "perf record -g -e syscalls:sys_enter_futex -p PID; or: perf lock "
		  "contention -abu",
		  "hold the lock shorter, split it, one arena or queue for each "
		  "thread" },
};

const struct rule rule_user_lock = {
	.id = "user-lock",
	.title = "threads of the program wait for each other",
	.needs = RULE_PROFILE,
	.signature = &user_lock,
};
