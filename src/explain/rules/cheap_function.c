/* SPDX-License-Identifier: MIT */
/*
 * Functions that have little to do by their names (take, count, release, next, random,
 * put into or take from a queue, the loop of a worker thread) and have much of the time: they wait.
 * For a lock that is taken inside and was inlined, or for a cache line that other CPUs write.
 *
 * Thresholds, of the time that is not idle: a function of ten instructions has 1 to 5 %
 * in a program in good health, also when it is called for every request.
 */
#include "explain/signature.h"

#define CHEAP_FUNCTION_NOTE_PCT 10.0
#define CHEAP_FUNCTION_LEAD_PCT 25.0

static const struct signature cheap_function = {
	.functions = "*_get_next*|*_get_entry*|*_next_server|*_pick_next*|*_get_ref*|"
		     "*_put_ref*|*_getref*|*_addref*|*_add_ref*|*_release_ref*|"
		     "*_refcount_*|*_ref_get|*_ref_put|*_inc_ref*|*_dec_ref*|*_inc|"
		     "*_dec|*_incr|*_decr|*_increment|*_decrement|*::increment|"
		     "*::decrement|*::fetch_add|*::fetch_sub|*::fetch_or|"
		     "*::compare_exchange*|*::incr|*::tick|*Tick|*_tick_count*|*_touch|"
		     "*_touch_*|*_prng*|*_rng_*|*_reposition|*_requeue|*_relink|"
		     "*_try_pop*|*_try_push*|*_commit_*ring|*_fill_event|*_post_event|"
		     "*_counter|*_counters|*_counter_add*|*_counter_inc*|*_count_inc*|"
		     "*_stat_inc*|*_stats_inc*|*_stats_add*|*_stats_update*|"
		     "*_update_stats|*_account|*_file_get|*_file_put|*_is_enabled|"
		     "*_is_set|*_try_acquire*|*::TryAcquire*|*::AddRef*|*::Release|"
		     "*::Ref|*::Unref|*AtomicCounter*|*::_M_add_ref*|*::_M_release|"
		     "*random64*|*random32*|*_rand64|*_rand32|*queue_push*|*queue_pop*|"
		     "*stack_push|*stack_pop|*ring_push*|*ring_pop*|*list_push*|"
		     "*list_pop*|*ring_enqueue*|*ring_dequeue*|*queue_enqueue*|"
		     "*queue_dequeue*|*::enqueue|*::dequeue|io_wq*_worker|worker_thread|"
		     "kthread_worker_fn|process_one_work|*_kthread",
	.note_pct = CHEAP_FUNCTION_NOTE_PCT,
	.lead_pct = CHEAP_FUNCTION_LEAD_PCT,
	.sure_note = 55,
	.sure_lead = 66,
	.is_user = true,
	.needs_threads = true,
	.what = "goes into functions that have little to do",
	.name = "functions with little to do",
	.cause = "they probably wait: for a lock that is taken in them and was inlined, or "
		 "for a cache line that other CPUs write (false sharing beside a "
		 "counter included)",
	.because = "by their names they have few instructions; whether they wait, or are called "
		   "very often, a share does not tell",
	.next = { "perf annotate FUNCTION: time behind a locked instruction, a pause "
		  "or one load is waiting; perf c2c record -a: which line, who "
		  "writes it",
		  "one lock, counter or list head for each thread or group of "
		  "threads; fields that are written away from those that are read" },
};

const struct rule rule_cheap_function = {
	.id = "cheap-function",
	.title = "a function with little to do has much of the time",
	.needs = RULE_PROFILE,
	.signature = &cheap_function,
};
