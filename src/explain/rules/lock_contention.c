/* SPDX-License-Identifier: MIT */
/*
 * Spinning on kernel locks: the caller of the lock matters, not the lock's own code.
 *
 * Thresholds: above 5 % of the busy time it is worth a line, above 10 % a look, above 20 % it
 * leads, above 60 % nothing else matters. In profiles of public threads where a lock was named
 * as the cause, its slow path had 12 to 97 %.
 *
 * Without a slow path (PowerPC and ARM spin inline; a read lock is tried and released) the
 * entries of locks themselves are hot. Uncontended locks cost below 5 % in all entries
 * together, so from 15 % on the cache line of the lock is contended. That is less certain than
 * a slow path.
 */
#include "explain/signature.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/ids.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <stdio.h>

DECLARE_RULE(lock_contention);

#define LOCK_NOTE_PCT    5.0
#define LOCK_LOOK_PCT    10.0
#define LOCK_LEAD_PCT    20.0
#define LOCK_SURE_PCT    60.0
#define LOCK_ENTRIES_PCT 15.0
/* Callers examined to decide the kind of lock. */
#define LOCK_KIND_CALLERS 3
/*
 * The first caller stands for the lock if it has this part of the waiting, and no other caller
 * has this part of its share.
 */
#define LOCK_MAIN_CALLER 0.5
/*
 * Lock holders are hot next to the waiters, but a hot function need not hold the lock: below
 * this part of the waiting it is not worth a look.
 */
#define LOCK_BESIDE_PART 0.05
/* This much in lock entries is more than uncontended locks cost. */
#define LOCK_ENTRIES_SURE_PCT 40.0

/* Slow paths: code that runs only if another CPU holds the lock. */
#define LOCK_SLOW_PATHS                                                                            \
	"native_queued_spin_lock_slowpa*|queued_spin_lock_slowpa*|"                                \
	"__pv_queued_spin_lock_slowpa*|__ticket_spin_lock|osq_lock|mutex_spin_on_owner|"           \
	"rwsem_spin_on_owner|rwsem_optimistic_spin|queued_read_lock_slowpath|"                     \
	"queued_write_lock_slowpath|rwsem_down_*_slowpath|__mutex_lock_slowpath|"                  \
	"mcs_spin_lock|do_raw_spin_lock_slowpath|rt_spin_lock_slowlock*|__write_lock_fai*|"        \
	"__read_lock_failed|call_rwsem_down_*_failed|rwsem_down_*_failed*|rtlock_slowlock*|rt_"    \
	"mutex_slowlock*|__rt_mutex_slowlock*|rwbase_*_lock|__down_*_failed*|__mutex_lock_common*" \
	"slow*|xen_spin_lock_slow|queued_spin_lock_wait*|arch_spin_lock_wait*|arch_spin_lock_"     \
	"queued|"                                                                                  \
	"arch_spin_lock_classic|arch_spin_trylock_retry|arch_read_lock_wait*|arch_write_lock_"     \
	"wait*|"                                                                                   \
	"resilient_queued_spin_lock_slow*|splpar_*_yield|__spin_yield|__rw_yield|"                 \
	"virt_spin_lock|hv_qlock_wait"
/* Entries: acquire and release, also without contention. */
#define LOCK_ENTRIES                                                                           \
	"_raw_spin_lock|_raw_spin_lock_irq|_raw_spin_lock_bh|_raw_spin_lock_irqsave|"          \
	"__raw_spin_lock_irqsave|_spin_lock*|down_read_trylock|down_read|__down_read_common|"  \
	"up_read|_raw_read_lock*|_raw_write_lock*|mutex_trylock|mutex_lock|__lock_text_start|" \
	"do_raw_spin_lock|down_write|up_write|mutex_unlock"

/* Frames between a slow path and the code that takes the lock. */
#define LOCK_HELPERS                                                                           \
	"_raw_spin_*|_raw_read_*|_raw_write_*|_raw_spin_lock*|do_raw_*|__raw_*|mutex_lock*|"   \
	"__mutex_lock*|mutex_optimistic_spin|down_read*|down_write*|rwsem_*|__down_*|"         \
	"lock_acquire*|pv_*|rt_spin_lock*|call_rwsem_*|__sched_text_start|queued_read_lock*|"  \
	"queued_write_lock*|__lock_text_start|lock_page_lruvec*|folio_lruvec_lock*|lock_sock*" \
	"|percpu_down_*"

/*
 * Lock kinds by caller. Patterns of callers, and of functions to look at first if callers are
 * unknown.
 */
struct lock_kind {
	const char *callers;
	const char *beside; /* NULL: only a caller decides */
	const char *lock;
	const char *cause;
	const char *next;
};

static const struct lock_kind lock_kinds[] = {
	{ "__wake_up*|wake_up_*|prepare_to_wait*|finish_wait|add_wait_queue*|remove_wait_queue*|"
	  "__wake_up_common_lock",
	  NULL, "a wait queue",
	  "the kernel takes the queue's lock to wake waiters, even when there are none",
	  "check waitqueue_active() or wq_has_sleeper() before waking; wake in batches" },
	{ "release_pages|lru_add_fn|folio_batch_move_lru|pagevec_lru_move_fn|__pagevec_lru_add*|"
	  "folio_lruvec_*|lru_add_drain*|__page_cache_release|shrink_inactive_list|"
	  "shrink_active_list|isolate_lru_*|folio_add_lru*|lru_note_cost*|check_move_unevictable*|"
	  "__folio_batch_release|folios_put_refs|put_pages_list|activate_page|move_folios_to_lru|"
	  "shrink_lruvec|evict_folios",
	  "release_pages|lru_add_fn|__pagevec_lru_add_fn|folio_batch_move_lru|"
	  "pagevec_lru_move_fn",
	  "the LRU lists of pages",
	  "many CPUs add pages to or remove them from the lists of one node or group at once",
	  "use larger folios, fewer pages per operation, more memory groups or nodes" },
	{ "free_pcppages_bulk|rmqueue*|__rmqueue*|get_page_from_freelist|free_one_page|"
	  "free_unref_page*|__free_pages_ok|__alloc_pages*|drain_pages*",
	  "rmqueue_bulk|rmqueue|get_page_from_freelist", "a memory zone",
	  "pages are allocated and freed faster than the per-CPU lists can hold",
	  "raise vm.percpu_pagelist_high_fraction; recycle pages; larger folios" },
	{ "__remove_mapping|__filemap_add_folio|__add_to_page_cache_locked|__filemap_remove*|"
	  "filemap_remove_folio|delete_from_page_cache*|__folio_end_writeback|"
	  "__folio_start_writeback|folio_mark_dirty*|__folio_mark_dirty|truncate_*|"
	  "clear_inode|test_clear_page_writeback|__test_set_page_writeback|"
	  "tag_pages_for_writeback|__set_page_dirty*|page_cache_delete*|shadow_lru_isolate",
	  "__remove_mapping|__filemap_add_folio|__add_to_page_cache_locked|"
	  "__folio_end_writeback|__folio_start_writeback",
	  "the page cache of one file (mapping tree)",
	  "one writer adds pages while reclaim or write-back removes them",
	  "use larger folios, smaller files or O_DIRECT; start write-back earlier" },
	{ "pcpu_alloc*|free_percpu|pcpu_balance*|__percpu_counter_init*", "pcpu_alloc*",
	  "the per-CPU allocator",
	  "objects with per-CPU parts are created and destroyed: short-lived control groups, "
	  "mounts, devices",
	  "keep such objects, or allocate in bulk" },
	{ "copy_process|release_task|do_exit|exit_notify|cgroup_*fork|cgroup_post_fork|do_wait*|"
	  "__exit_signal|wait_consider_task|cgroup_css_set_fork|cgroup_exit|cgroup_release|"
	  "free_pid|alloc_pid|exit_signals|kernel_wait4|setpgid|forget_original_parent|"
	  "css_set_move_task|cgroup_can_fork|__cond_resched_rwlock*",
	  "copy_process|release_task|wait_consider_task|alloc_vmap_area",
	  "the list of tasks (fork and exit)",
	  "processes or threads start and end faster than one lock allows",
	  "keep processes (pools), use threads, or call posix_spawn less often" },
	{ "*rstat*|mem_cgroup_flush_stats*|memcg_rstat*", "*rstat_flush*",
	  "the statistics of control groups (rstat)",
	  "many readers of memory.stat, or kswapd, flush the counters of all CPUs",
	  "read memory.stat less often, with one reader for all" },
	{ "shrink_slab*|register_shrinker*|unregister_shrinker*|prealloc_shrinker*|"
	  "shrinker_free|do_shrink_slab",
	  "shrink_slab", "the list of shrinkers",
	  "reclaim tries the lock of all shrinkers while mounts and groups appear and disappear",
	  "a kernel with lockless shrinkers (6.7); fewer mounts and groups" },
	{ "add_transaction_credits|start_this_handle|jbd2_*|__jbd2_*|prepare_to_wait_event|"
	  "wait_transaction_locked|ext4_fc_*|xlog_*|xfs_log_*|btrfs_*transaction*|"
	  "jbd2__journal_start",
	  "add_transaction_credits|start_this_handle|jbd2_journal_*|ext4_fc_*|xlog_grant*|"
	  "xlog_cil*",
	  "the journal of the file system",
	  "the journal is too small for the load, or every writer commits",
	  "a larger journal (tune2fs -J size=, mkfs.xfs -l size=); fewer fsync" },
	{ "do_user_addr_fault|vm_mmap_pgoff|__vm_munmap|do_munmap|do_vmi_*|mmap_region|"
	  "handle_mm_fault|__handle_mm_fault|exit_mmap|do_madvise*|lock_mm_and_find_vma|"
	  "mmap_read_lock*|mmap_write_lock*|vm_*|do_mprotect*|__do_page_fault|do_page_fault|"
	  "__get_user_pages*|get_user_pages*|internal_get_user_pages*|unmap_page_range|"
	  "zap_pte_range|do_anonymous_page|do_wp_page|__pte_offset_map_lock|unmap_vmas|"
	  "page_vma_mapped_walk|pte_alloc*|do_brk*|sys_brk|__x64_sys_brk|follow_page_*|"
	  "finish_fault|filemap_map_pages|do_set_pmd|unlink_*_vmas|find_next_iomem_res",
	  "find_next_iomem_res|unmap_page_range|lock_mm_and_find_vma",
	  "the address space or its page tables (mmap_lock, page-table locks)",
	  "threads of one process fault, map and unmap at once",
	  "use fewer mmap and munmap calls, pre-faulted or huge pages, or processes instead of "
	  "threads" },
	{ "io_wqe_*|io_wq_*|iou_*|io_worker_*|io_queue_*|io_submit_*|io_req_*|__io_queue*|"
	  "worker_thread|__queue_work|process_one_work|io_prep_async_work|io_acct_*|"
	  "queue_work_on|flush_workqueue|io_run_task_work*|io_uring_*",
	  "io_wqe_*|io_wq_*|io_worker_handle_work|io_prep_async_work|io_acct_*",
	  "a queue of workers", "submission and all workers take one lock",
	  "use fewer workers (IORING_REGISTER_IOWQ_MAX_WORKERS), several rings, or operations "
	  "without workers" },
	{ "dev_queue_xmit*|__dev_queue_xmit|sch_direct_xmit|qdisc_*|__qdisc_run|pfifo_fast_*|"
	  "net_tx_action|__dev_xmit_skb",
	  "sch_direct_xmit|__qdisc_run", "a transmit queue", "many CPUs send through one queue",
	  "a queue for each CPU (mq, fq), XPS" },
	{ "inet_csk_accept|inet_csk_*|tcp_v4_rcv|tcp_v6_rcv|sk_*|__lock_sock*|inet_hash*|"
	  "__inet_*|tcp_conn_request|inet_csk_reqsk_queue_add|sock_*|ep_poll_callback|"
	  "ep_send_events*|ep_scan_ready_list*|udp_*|__udp_*|unix_*|skb_queue_*",
	  "inet_csk_accept|ep_poll_callback", "a socket, its table or an epoll set",
	  "many threads use one listener, socket or epoll set",
	  "SO_REUSEPORT, one epoll set and listener for each thread or group of threads" },
	{ "lockref_*|d_alloc|d_alloc_parallel|d_lookup|dput|__d_lookup|d_walk|dget_parent|"
	  "d_invalidate|shrink_dentry_list|__legitimize_path",
	  NULL, "a directory entry (dentry)",
	  "many threads look up paths through one directory and count its entry",
	  "keep files open, or use paths relative to one directory per thread (openat)" },
	{ "inode_sb_list_add|inode_sb_list_del|evict_inodes|"
	  "invalidate_inodes|wb_wait_for_inodes|wait_sb_inodes",
	  NULL, "the list of inodes of one file system", "many tasks create and destroy inodes",
	  "create fewer short-lived files; pipes, sockets and files of /proc count as well" },
	{ "lock_timer_base|__mod_timer|mod_timer*|timer_delete*|del_timer*|try_to_del_timer*|"
	  "__run_timers|run_timer_*|hrtimer_*|__hrtimer_*|lock_hrtimer_base*",
	  NULL, "the timers of a CPU", "many tasks set and cancel timers on one CPU",
	  "set timers where they are used; use fewer and longer ones" },
	{ "raw_spin_rq_lock*|double_rq_lock|task_rq_lock|__task_rq_lock|try_to_wake_up|"
	  "ttwu_queue|__schedule|load_balance|newidle_balance|sched_balance_*|rebalance_domains",
	  NULL, "the run queue of a CPU, or a task that is woken",
	  "many wake tasks on one CPU, or move tasks away from it",
	  "perf sched latency: who wakes whom; affinity; fewer threads" },
	{ "___slab_alloc|__slab_free|get_partial_node*|get_from_partial_node*|"
	  "__unfreeze_partials|put_cpu_partial|deactivate_slab|cache_alloc_refill|cache_flusharray|"
	  "free_block|drain_array*|__put_partials|do_slab_free",
	  NULL, "the slabs of one kind of object on a node",
	  "objects are allocated on one CPU and freed on another, faster than per-CPU caches can "
	  "hold",
	  "use bulk allocation or recycling, or free objects on the CPU that allocated them" },
	{ "nf_conntrack_*|__nf_conntrack_*|nf_ct_*|____nf_conntrack*", NULL,
	  "the table of tracked connections",
	  "connections start and end faster than its buckets allow",
	  "a larger table (nf_conntrack_buckets), or no tracking (notrack) for this traffic" },
	{ "nvme_queue_rq*|nvme_submit_cmd*|nvme_irq|blk_mq_*|__blk_mq_*|dd_*|bfq_*|kyber_*|"
	  "scsi_queue_rq|virtio_queue_rq*|scsi_dec_host_busy|blk_queue_bio|blk_flush_*|"
	  "elv_*|cfq_*",
	  NULL, "a queue of a block device", "many CPUs submit to one queue or its scheduler",
	  "more hardware queues, no scheduler (none) for fast devices" },
	{ "cgroup_kn_lock_live|cgroup_lock_and_drain_offline|cgroup_procs_write_start|"
	  "cgroup_attach_*|cgroup1_*|__cgroup1_*|cgroup_mkdir|cgroup_rmdir|proc_cgroup_show",
	  NULL, "the control groups (cgroup_mutex)",
	  "many tasks create, remove or list groups, or move tasks, at once",
	  "use fewer and longer-lived groups; start tasks in their group (clone3, "
	  "CLONE_INTO_CGROUP)" },
	{ "kernfs_*", NULL, "sysfs or the files of control groups (kernfs)",
	  "many tasks read or walk these files at once",
	  "read the files less often, keep them open, use one reader for all" },
	{ "futex_wait_setup|futex_q_lock|futex_wake*|futex_requeue*|futex_wait*|queue_unlock", NULL,
	  "a bucket of futexes", "many threads wait for, or wake through, one lock of the program",
	  "fix the program's lock: hold it for less time, or split it" },
	{ "alloc_iova*|free_iova*|iova_magazine_*|__free_iova|remove_iova", NULL,
	  "addresses for devices (IOVA)",
	  "buffers are mapped for devices faster than per-CPU caches can hold",
	  "keep buffers mapped (page_pool), or iommu.strict=0 or iommu=pt where that is safe" },
	{ "get_swap_pages|scan_swap_map*|swap_range_*|swapcache_free*|swap_alloc*|"
	  "get_swap_device|free_swap_slot|swap_entry_free|__swap_entry_free*|add_to_swap*|"
	  "zswap_*|cluster_alloc_swap*",
	  NULL, "the swap area", "many CPUs allocate or free slots of one swap area",
	  "several swap areas of one priority; more memory" },
	{ "alloc_vmap_area|free_vmap_area_noflush|find_vmap_area*|__purge_vmap_area_lazy|"
	  "purge_vmap_*|find_unlink_vmap_area|free_vmap_block|vm_unmap_ram|vb_alloc",
	  NULL, "the kernel's address space (vmalloc)", "many CPUs map and unmap areas at once",
	  "use larger areas and keep them; Linux 6.9 has several vmalloc nodes" },
	{ "rcu_report_*|rcu_core|rcu_gp_*|note_gp_changes|__note_gp_changes|force_qs_rnp|"
	  "rcu_accelerate_*|call_rcu*|__call_rcu*|srcu_*|synchronize_srcu*",
	  NULL, "RCU's own nodes", "many CPUs report or request grace periods at once",
	  "fewer call_rcu and synchronize; rcutree.use_softirq, rcu_nocbs on large machines" },
	{ "console_*|vprintk*|printk*|serial8250_*|uart_*|n_tty_*|tty_*|pl011_*", NULL,
	  "the console or a terminal", "many tasks write to a slow console",
	  "fewer messages; dmesg -n 1; no serial console" },
	{ "rtnl_lock*|rtnetlink_*|rtnl_*|ip_tunnel_*ioctl|dev_ioctl", NULL,
	  "the network configuration (rtnl)",
	  "many tasks change or list interfaces, addresses or routes at once",
	  "batch the changes; fewer listings" },
	{ "alloc_fd|__alloc_fd|close_fd*|__close_fd*|file_close_fd*|fd_install|get_unused_fd*|"
	  "do_dup2|expand_files",
	  NULL, "the table of open files of one process",
	  "its threads open and close files at once",
	  "keep files open, or use processes instead of threads" },
};

struct lock_who {
	struct fact_caller callers[LOCK_KIND_CALLERS];
	size_t n;
	/* another table of the text with the callers; NULL: this one */
	const struct capture *where;
	bool is_loose;                  /* from a loose stack in the text, without a share */
	bool is_shared;                 /* another caller has nearly the share of the first */
	const struct lock_kind *kind;   /* of all callers with a large part */
	const struct lock_kind *beside; /* possible kind; only if no caller is known */
};

/* The kind whose functions are hot next to the lock: a place to look first. */
static const struct lock_kind *lock_near(const struct rule_input *in, double self)
{
	const struct lock_kind *found = NULL;
	double most = self * LOCK_BESIDE_PART;

	for (size_t k = 0; k < ARRAY_LEN(lock_kinds); k++) {
		double share = lock_kinds[k].beside
				       ? facts_sum(in->profile, lock_kinds[k].beside).self
				       : 0;

		if (share > most) {
			most = share;
			found = &lock_kinds[k];
		}
	}
	return found;
}

/* Callers of @pattern in this table, otherwise in another one of the text. */
static void lock_ask(const struct rule_input *in, const char *pattern, struct lock_who *who)
{
	who->n = facts_callers(in->profile, pattern, LOCK_HELPERS, who->callers,
			       ARRAY_LEN(who->callers));
	if (who->n == 0)
		who->n = facts_callers_printed(in->profile, pattern, LOCK_HELPERS, who->callers,
					       ARRAY_LEN(who->callers));
	if (who->n == 0)
		who->n =
			facts_callers_elsewhere(in->facts, in->capture, pattern, LOCK_HELPERS,
						who->callers, ARRAY_LEN(who->callers), &who->where);
}

/*
 * Trees may end in the entry of the lock, with the slow path folded into it: use the entry's
 * callers if most of the waiting is below them.
 */
static void lock_ask_entries(const struct rule_input *in, double self, struct lock_who *who)
{
	double all = 0;

	lock_ask(in, LOCK_SLOW_PATHS "|" LOCK_HELPERS, who);
	for (size_t i = 0; i < who->n; i++)
		all += who->callers[i].pct;
	if (all < self * LOCK_MAIN_CALLER)
		*who = (struct lock_who){ 0 };
}

static const struct lock_kind *lock_kind_of(const struct rule_input *in, sym_id caller)
{
	for (size_t k = 0; k < ARRAY_LEN(lock_kinds); k++) {
		if (str_glob(str_of(lock_kinds[k].callers), facts_name(in->facts, caller)))
			return &lock_kinds[k];
	}
	return NULL;
}

static void lock_who_of(const struct rule_input *in, const char *pattern, double self,
			struct lock_who *who)
{
	*who = (struct lock_who){ 0 };
	lock_ask(in, pattern, who);
	if (who->n == 0)
		lock_ask_entries(in, self, who);
	if (who->n == 0 &&
	    facts_caller_in_text(in->facts, in->capture, pattern, LOCK_HELPERS, who->callers)) {
		who->n = 1;
		who->is_loose = true;
	}
	if (who->n == 0)
		who->beside = lock_near(in, self);
	if (who->n)
		who->kind = lock_kind_of(in, who->callers[0].sym);
	for (size_t i = 1; i < who->n; i++) {
		if (who->callers[i].pct < who->callers[0].pct * LOCK_MAIN_CALLER)
			break;
		who->is_shared = true;
		if (lock_kind_of(in, who->callers[i].sym) != who->kind)
			who->kind = NULL;
	}
}

static void lock_name_caller(const struct rule_input *in, struct findings *out, struct finding *f,
			     const struct lock_who *who, double self, struct str slow, bool spins)
{
	struct str name = facts_name(in->facts, who->callers[0].sym);
	bool is_spread = who->is_shared || who->callers[0].pct < self * LOCK_MAIN_CALLER;
	bool is_partial = is_spread && who->n < LOCK_KIND_CALLERS;
	double all = 0;

	for (size_t i = 0; i < who->n; i++)
		all += who->callers[i].pct;
	if (is_partial && all < self * LOCK_MAIN_CALLER)
		finding_claim(out, f,
			      "%.1f %% of %s %s (" STR_FMT
			      "); callers are shown for %.1f %% only, mainly " STR_FMT "%s%s",
			      self, in->profile->unit.of,
			      spins ? "is spinning on kernel locks" : "is taking kernel locks",
			      STR_ARG(slow), all, STR_ARG(name), who->kind ? ": " : "",
			      who->kind ? who->kind->lock : "");
	else if (is_spread)
		finding_claim(out, f,
			      "%.1f %% of %s %s (" STR_FMT
			      ") from several callers, most of all " STR_FMT " with %.1f %%%s%s",
			      self, in->profile->unit.of,
			      spins ? "is spinning on locks" : "is taking locks", STR_ARG(slow),
			      STR_ARG(name), who->callers[0].pct, who->kind ? ": " : "",
			      who->kind ? who->kind->lock : "");
	else
		finding_claim(out, f, "%.1f %% of %s %s that " STR_FMT " takes%s%s (" STR_FMT ")",
			      self, in->profile->unit.of,
			      spins ? "is spinning on a lock" : "is taking a lock", STR_ARG(name),
			      who->kind ? ": " : "", who->kind ? who->kind->lock : "",
			      STR_ARG(slow));
	if (is_spread && !(who->is_shared && who->kind))
		finding_cause(out, f,
			      "Lock contention: one lock that many paths take, or several locks. "
			      "The chains do not name the lock");
	else if (who->kind)
		finding_cause(out, f, "%s", who->kind->cause);
	else
		finding_cause(out, f,
			      "Several CPUs want the lock of " STR_FMT " at once (lock contention)",
			      STR_ARG(name));
	for (size_t i = 0; i < who->n; i++) {
		finding_figure(f, "share through a caller", who->callers[i].pct, 0, "%");
		finding_caller(out, f, in, &who->callers[i]);
	}
	finding_next(out, f,
		     "perf lock contention -ab -Y spinlock,mutex,rwsem sleep 10: the contended "
		     "lock in %s",
		     finding_word(out, name, true));
}

/* Callers from another table or stack of the text: shares, if any, have another denominator. */
static void lock_name_elsewhere(const struct rule_input *in, struct findings *out,
				struct finding *f, const struct lock_who *who, double self,
				struct str slow, bool spins)
{
	struct str name = facts_name(in->facts, who->callers[0].sym);
	finding_claim(out, f,
		      "%.1f %% of %s %s (" STR_FMT "); in the call %s in line %u " STR_FMT
		      " takes %s%s%s",
		      self, in->profile->unit.of,
		      spins ? "is spinning on a kernel lock" : "is taking kernel locks",
		      STR_ARG(slow), who->is_loose ? "stack" : "tree", who->callers[0].line,
		      STR_ARG(name), who->is_shared ? "the largest part of it" : "it",
		      who->kind ? ": " : "", who->kind ? who->kind->lock : "");
	if (who->kind)
		finding_cause(out, f, "Several CPUs want one lock at once (lock contention): %s",
			      who->kind->cause);
	else
		finding_cause(out, f,
			      "Several CPUs want the lock of " STR_FMT " at once (lock contention)",
			      STR_ARG(name));
	if (who->is_loose) {
		finding_subject(f, who->callers[0].sym, SUBJECT_CALLER);
		finding_evidence(out, f, in, who->callers[0].line, "called by " STR_FMT,
				 STR_ARG(name));
	}
	for (size_t i = 0; i < who->n && who->where; i++) {
		finding_subject(f, who->callers[i].sym, SUBJECT_CALLER);
		finding_figure(f, "share through a caller, in the other table", who->callers[i].pct,
			       0, "%");
		finding_evidence(out, f, in, who->callers[i].line,
				 "called by " STR_FMT " %.2f %%, in the table in line %u",
				 STR_ARG(facts_name(in->facts, who->callers[i].sym)),
				 who->callers[i].pct, who->where->first_line);
	}
	finding_next(
		out, f,
		"see what %s protects; perf lock contention -ab -Y spinlock,mutex,rwsem sleep 10",
		finding_word(out, name, true));
}

static void lock_name_none(const struct rule_input *in, struct findings *out, struct finding *f,
			   const struct lock_who *who, double self, struct str slow, bool spins)
{
	const struct fact_function *hot[2];
	size_t n = who->beside
			   ? facts_heaviest(in->profile, who->beside->beside, hot, ARRAY_LEN(hot))
			   : 0;

	finding_claim(
		out, f, "%.1f %% of %s %s (" STR_FMT "); the call chains do not show its caller",
		self, in->profile->unit.of,
		spins ? "is spinning on a kernel lock" : "is taking kernel locks", STR_ARG(slow));
	finding_cause(out, f,
		      "Several CPUs want one lock at once (lock contention); its callers would "
		      "name the lock");
	finding_next(out, f, "perf record -a -g sleep 10, or perf lock contention -ab sleep 10");
	for (size_t i = 0; i < n && hot[i]->self > 0; i++)
		finding_evidence(out, f, in, hot[i]->line, "also hot: " STR_FMT " %.1f %%",
				 STR_ARG(facts_name(in->facts, hot[i]->sym)), hot[i]->self);
	if (n)
		finding_next(out, f,
			     "look first at %s. Functions that take that lock are also hot, which "
			     "is no proof. If confirmed: %s",
			     who->beside->lock, who->beside->next);
}

static void lock_finding(const struct rule_input *in, struct findings *out, const char *pattern,
			 struct fact_sum sum, bool spins)
{
	double share = signature_of_busy(in, sum.self);
	struct str slow = facts_name(in->facts, sum.top->sym);
	bool is_guest = facts_sum(in->profile, "__pv_queued_spin_lock_slowpa*|pv_wait*|"
					       "__raw_callee_save___pv_*|kvm_wait|xen_qlock_wait")
				.functions > 0;
	unsigned int sure = !spins && share >= LOCK_ENTRIES_SURE_PCT ? 80
			    : !spins                                 ? 68
			    : share >= LOCK_SURE_PCT                 ? 97
			    : share >= LOCK_LEAD_PCT                 ? 90
			    : share >= LOCK_LOOK_PCT                 ? 75
								     : 60;
	struct lock_who who;
	struct finding *f;

	lock_who_of(in, pattern, sum.self, &who);
	f = finding_add(out, in, &rule_lock_contention,
			share >= LOCK_LEAD_PCT ? FINDING_WARNING : FINDING_NOTE,
			signature_sure(in, &sum, LOCK_NOTE_PCT, sure, 75));
	f->impact = sum.self;
	finding_figure_interval(f, spins ? "self share of the slow paths" : "self share of locks",
				sum.self, sum.low, sum.high, "%");
	if (who.where || who.is_loose)
		lock_name_elsewhere(in, out, f, &who, sum.self, slow, spins);
	else if (who.n)
		lock_name_caller(in, out, f, &who, sum.self, slow, spins);
	else
		lock_name_none(in, out, f, &who, sum.self, slow, spins);
	finding_because(
		out, f, "%s",
		spins ? "these functions run only while another CPU holds the lock"
		      : "taking a free lock is cheap; the wait is in the lock entry itself");
	signature_evidence(in, out, f, pattern);
	if (who.kind)
		finding_next(out, f, "%s", who.kind->next);
	if (is_guest)
		finding_next(out, f,
			     "vmstat 1 (st): in a guest, the lock holder may not be running; "
			     "compare virtual with real CPUs");
}

static void lock_check(const struct rule_input *in, struct findings *out)
{
	struct fact_sum sum = facts_sum(in->profile, LOCK_SLOW_PATHS);
	struct fact_sum all;

	if (in->profile->functions.len == 0 || !signature_can_judge(in, out, &rule_lock_contention))
		return;
	/* only in trees: slow paths call nothing, so their inclusive share is their own */
	if (sum.top && sum.self <= 0 && sum.children > 0)
		sum.self = sum.low = sum.high = sum.children;
	if (sum.top && signature_of_busy(in, sum.self) >= LOCK_NOTE_PCT) {
		lock_finding(in, out, LOCK_SLOW_PATHS, sum, true);
		return;
	}
	all = facts_sum(in->profile, LOCK_SLOW_PATHS "|" LOCK_ENTRIES);
	if (all.top && signature_of_busy(in, all.self) >= LOCK_ENTRIES_PCT)
		lock_finding(in, out, LOCK_SLOW_PATHS "|" LOCK_ENTRIES, all, false);
	else
		finding_clean(out, in, &rule_lock_contention,
			      "%.1f %% in slow paths of kernel locks (of %.1f %% busy)", sum.self,
			      in->profile->busy);
}

/* Work that takes long because its lock is contended. */
static const char *const lock_explains[] = { "reclaim", "writeback", "mapping-churn", NULL };

const struct rule rule_lock_contention = {
	.id = "lock-contention",
	.title = "Kernel lock contention",
	.needs = RULE_PROFILE,
	.wants = RULE_WANTS_KERNEL,
	.hides_pct = LOCK_NOTE_PCT,
	.explains = lock_explains,
	.check = lock_check,
};
