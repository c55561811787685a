/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyses/categories.h"
#include "base/status.h"
#include "base/str.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/symbols.h"

struct membership {
	const char *category;
	enum symbol_space space;
	const char *module;
	const char *names; /* separated by blanks */
};

/* Categories that other parts and the sample reports rely on. */
static const struct membership memberships[] = {
	{ "syscall-entry", SPACE_KERNEL, "[kernel.kallsyms]",
	  "syscall_exit_to_user_mode __entry_text_start syscall_return_via_sysret "
	  "entry_SYSCALL_64_after_hwframe entry_SYSRETQ_unsafe_stack do_syscall_64 "
	  "syscall_enter_from_user_mode entry_SYSCALL_64_safe_stack exit_to_user_mode_prepare "
	  "fpregs_assert_state_consistent entry_SYSCALL_64_fastpath int_ret_from_sys_call "
	  "syscall_return_slowpath exit_to_usermode_loop" },
	{ "mitigation", SPACE_KERNEL, "[kernel.kallsyms]",
	  "__x86_indirect_thunk_rax __x86_indirect_thunk_r15 __x86_return_thunk" },
	{ "epoll", SPACE_KERNEL, "[kernel.kallsyms]",
	  "ep_send_events ep_poll __x64_sys_epoll_wait do_epoll_wait ep_item_poll ep_done_scan "
	  "sys_epoll_wait SyS_epoll_ctl ep_poll_callback" },
	{ "poll", SPACE_KERNEL, "", "eventfd_poll do_sys_poll sys_poll sock_poll eventfd_signal" },
	{ "timekeeping", SPACE_KERNEL, "[kernel.kallsyms]",
	  "ktime_get_ts64 select_estimate_accuracy read_tsc timespec64_add_safe "
	  "set_normalized_timespec64" },
	{ "locking", SPACE_KERNEL, "",
	  "_raw_spin_lock_bh _raw_write_lock_irq mutex_lock mutex_unlock "
	  "native_queued_spin_lock_slowpath osq_lock mutex_spin_on_owner lock_sock_nested "
	  "release_sock rwsem_down_write_slowpath" },
	{ "locking", SPACE_KERNEL, "", "do_raw_spin_lock do_raw_read_unlock" },
	{ "locking/bh", SPACE_KERNEL, "", "local_bh_enable __local_bh_disable_ip" },
	{ "locking/futex", SPACE_KERNEL, "", "futex_wait do_futex __x64_sys_futex" },
	{ "debug", SPACE_KERNEL, "",
	  "rcu_read_lock_held fs_reclaim_acquire "
	  "__might_fault rcu_lockdep_current_cpu_online lock_acquire kasan_check_range" },
	{ "rcu", SPACE_KERNEL, "", "__rcu_read_lock __rcu_read_unlock call_rcu" },
	{ "scheduling/preemption", SPACE_KERNEL, "", "__cond_resched migrate_disable" },
	{ "wakeup", SPACE_KERNEL, "",
	  "try_to_wake_up __wake_up_sync_key sock_def_readable sock_wfree ttwu_queue_wakelist" },
	{ "interrupt/ipi", SPACE_KERNEL, "",
	  "default_send_IPI_single_phys native_send_call_func_single_ipi" },
	{ "timers", SPACE_KERNEL, "",
	  "add_timer mod_timer mod_timer_pending neigh_add_timer init_timer_key lock_timer_base "
	  "schedule_hrtimeout_range tcp_write_timer" },
	{ "memory/alloc", SPACE_KERNEL, "",
	  "kmem_cache_alloc kmem_cache_alloc_node __kmalloc __krealloc alloc_pages_current "
	  "alloc_pages_noprof __kmalloc_cache_noprof get_page_from_freelist sk_msg_alloc "
	  "__mod_zone_page_state sk_page_frag_refill ___slab_alloc" },
	{ "memory/copy", SPACE_KERNEL, "", "memcpy_erms clear_page_erms memset_erms" },
	{ "memory/user-copy", SPACE_KERNEL, "",
	  "copy_user_enhanced_fast_string __put_user_nocheck_8 _copy_from_iter "
	  "sk_msg_memcopy_from_iter" },
	{ "reclaim", SPACE_KERNEL, "", "shrink_slab shrink_node kswapd balance_pgdat" },
	{ "reclaim", SPACE_KERNEL, "[zfs]", "arc_kmem_reap_now" },
	{ "reclaim", SPACE_KERNEL, "[spl]",
	  "spl_kmem_cache_reap_now __spl_kmem_cache_generic_shrinker" },
	{ "page-fault", SPACE_KERNEL, "", "handle_mm_fault do_user_addr_fault exc_page_fault" },
	{ "crash", SPACE_KERNEL, "", "do_coredump elf_core_dump dump_emit get_dump_page" },
	{ "pipe", SPACE_KERNEL, "", "pipe_write copy_page_from_iter" },
	{ "idle", SPACE_KERNEL, "", "intel_idle native_safe_halt acpi_idle_enter do_idle" },
	{ "io_uring", SPACE_KERNEL, "",
	  "io_issue_sqe io_sendmsg io_submit_sqes __do_sys_io_uring_enter tctx_task_work "
	  "handle_tw_list io_recvmsg" },
	{ "netfilter", SPACE_KERNEL, "", "nf_hook_slow nf_iterate" },
	{ "netfilter/conntrack", SPACE_KERNEL, "nf_conntrack",
	  "nf_conntrack_in __nf_conntrack_confirm init_conntrack nf_ct_invert_tuple "
	  "udp_packet whatever_else" },
	{ "netfilter/conntrack", SPACE_KERNEL, "nf_conntrack_ipv4",
	  "ipv4_conntrack_local ipv4_helper ipv4_confirm" },
	{ "netfilter/conntrack", SPACE_KERNEL, "nf_defrag_ipv4", "ipv4_conntrack_defrag" },
	{ "netfilter/nat", SPACE_KERNEL, "nf_nat", "nf_nat_setup_info get_unique_tuple in_range" },
	{ "netfilter/nat", SPACE_KERNEL, "iptable_nat", "nf_nat_ipv4_local_fn nf_nat_ipv4_out" },
	{ "netfilter/iptables", SPACE_KERNEL, "ip_tables", "ipt_do_table" },
	{ "netfilter/iptables", SPACE_KERNEL, "iptable_filter", "iptable_filter_hook" },
	{ "network/vxlan", SPACE_KERNEL, "vxlan", "vxlan_xmit vxlan_sock_free" },
	{ "network/gso", SPACE_KERNEL, "", "__skb_gso_segment skb_segment inet_gso_segment" },
	{ "network/checksum", SPACE_KERNEL, "", "skb_checksum csum_partial" },
	{ "network/driver", SPACE_KERNEL, "igb", "igb_xmit_frame igb_xmit_frame_ring" },
	{ "network/driver", SPACE_KERNEL, "", "mlx5e_xmit cp_start_xmit foo_start_xmit" },
	{ "network/neighbour", SPACE_KERNEL, "", "__neigh_event_send neigh_resolve_output" },
	{ "network/qdisc", SPACE_KERNEL, "", "sch_direct_xmit dequeue_skb fq_codel_dequeue" },
	{ "network/routing", SPACE_KERNEL, "", "ip_route_output_flow fib_table_lookup" },
	{ "network/sockmap", SPACE_KERNEL, "",
	  "tcp_bpf_sendmsg sk_psock_msg_verdict bpf_msg_redirect_hash" },
	{ "network/socket", SPACE_KERNEL, "", "__sys_sendto inet_sendmsg sock_sendmsg" },
	{ "network/udp", SPACE_KERNEL, "", "udp_sendmsg udp_recvmsg" },
	{ "bpf", SPACE_BPF, "bpf_prog_6deef7357e7b4530_main", "bpf_prog_6deef7357e7b4530_main" },
	{ "syscall", SPACE_KERNEL, "", "__x64_sys_made_up" },
	{ "libevent", SPACE_USER, "libevent-2.1.so.7.0.1",
	  "event_base_loop evmap_io_active_ 0x000000000002a0b4" },
	{ "liburing", SPACE_USER, "liburing.so.2.9", "io_uring_peek_batch_cqe" },
	{ "libc", SPACE_USER, "libc.so.6", "__res_context_search parse_qtd_backslash" },
	{ "vdso", SPACE_VDSO, "[vdso]", "__vdso_clock_gettime 0x00000000000008ac" },
	{ "allocator", SPACE_USER, "libc-2.23.so", "malloc _int_malloc _int_free realloc" },
	{ "allocator", SPACE_USER, "libstdc++.so.6", "operator?new" },
	/* C++ */
	{ "libstdc++", SPACE_USER, "app",
	  "std::rethrow_exception __cxa_throw std::atomic<int>::load" },
	{ "text", SPACE_USER, "app",
	  "std::locale::locale std::num_put<char>::do_put std::__cxx11::basic_string<char>::append "
	  "std::ostream::operator<< boost::spirit::qi::parse" },
	{ "data-structures", SPACE_USER, "app",
	  "std::_Rb_tree<int>::find std::_Hashtable<int>::_M_find_before_node "
	  "void?std::__introsort_loop<int*> std::_Hash_bytes boost::unordered::map" },
	{ "regex", SPACE_USER, "app", "std::__detail::_Executor<char>::_M_dfs boost::regex_match" },
	/* Rust */
	{ "data-structures", SPACE_USER, "app",
	  "core::hash::BuildHasher::hash_one <core::hash::sip::Hasher<S>>::write "
	  "<std::hash::random::RandomState hashbrown::raw::RawTable<T>::reserve_rehash "
	  "std::collections::hash::map::HashMap<K,V,S>::insert core::slice::sort::merge_sort" },
	{ "text", SPACE_USER, "app",
	  "core::fmt::write alloc::fmt::format core::str::converts::from_utf8 "
	  "<alloc::string::String" },
	{ "allocator", SPACE_USER, "app",
	  "alloc::alloc::alloc alloc::raw_vec::RawVec<T,A>::grow_amortized __rust_alloc" },
	{ "locking/user", SPACE_USER, "app",
	  "std::sys::sync::mutex::futex::Mutex::lock_contended parking_lot::raw_mutex::lock_slow "
	  "std::mutex::lock crossbeam_channel::flavors::array::Channel<T>::recv" },
	{ "runtime/rust", SPACE_USER, "app",
	  "core::ops::function::FnOnce::call_once alloc::vec::Vec<T,A>::push std::io::Write::flush "
	  "std::sys::backtrace::__rust_begin_short_backtrace std::panicking::try" },
	{ "crypto", SPACE_USER, "app",
	  "sha2::sha256::compress256 rustls::conn::process ring::aead" },
	{ "event-loop", SPACE_USER, "app", "tokio::runtime::park" },
	/* Go */
	{ "crypto", SPACE_USER, "app",
	  "crypto/sha256.block crypto/sha256.blockAVX2 crypto/internal/fips140/aes.encryptBlockAsm "
	  "hash/crc32.ieeeCLMUL vendor/golang.org/x/crypto/chacha20.xorKeyStream" },
	{ "json", SPACE_USER, "app", "encoding/json.(*decodeState).object encoding/json.Marshal" },
	{ "allocator", SPACE_USER, "app",
	  "runtime.mallocgc runtime.mallocgcSmallScanNoHeader runtime.newobject runtime.growslice "
	  "runtime.(*mcache).nextFree" },
	{ "garbage-collection", SPACE_USER, "app",
	  "runtime.gcDrain runtime.scanobject runtime.(*gcWork).tryGet runtime.gcWriteBarrier" },
	{ "memory/copy", SPACE_USER, "app", "runtime.memmove runtime.memclrNoHeapPointers" },
	{ "data-structures", SPACE_USER, "app",
	  "runtime.mapaccess1_faststr internal/runtime/maps.(*Map).getWithKey sort.Sort "
	  "aeshashbody "
	  "slices.SortFunc[...]" },
	{ "text", SPACE_USER, "app",
	  "strings.Index strconv.ParseInt fmt.(*pp).doPrintf internal/bytealg.IndexByte" },
	{ "regex", SPACE_USER, "app", "regexp.(*Regexp).doExecute" },
	{ "compression", SPACE_USER, "app", "compress/flate.(*compressor).deflate" },
	{ "locking/user", SPACE_USER, "app",
	  "sync.(*Mutex).Lock runtime.lock2 runtime.futex internal/sync.(*Mutex).lockSlow" },
	{ "threads", SPACE_USER, "app", "runtime.findRunnable runtime.schedule runtime.chanrecv" },
	{ "event-loop", SPACE_USER, "app", "runtime.netpoll internal/poll.(*FD).Read" },
	{ "runtime/go", SPACE_USER, "app",
	  "runtime.convTstring runtime.convT64 reflect.Value.Call net/http.(*conn).serve "
	  "encoding/binary.Read bufio.(*Reader).Read io.(*PipeReader).Read" },
	{ "application", SPACE_USER, "app",
	  "main.main main.(*server).handle github.com/acme/app.run io.netty.util.Recycler.get" },
	/* Java: as perf's maps, agents and profilers write it */
	{ "data-structures", SPACE_JIT, "perf-1.map",
	  "java.util.HashMap.getNode Ljava/util/HashMap;::getNode java/util/HashMap.getNode" },
	{ "regex", SPACE_JIT, "perf-1.map", "java.util.regex.Pattern$Loop.match" },
	{ "crypto", SPACE_JIT, "perf-1.map",
	  "sun.security.provider.SHA2.implCompress com/sun/crypto/provider/AESCrypt.encryptBlock" },
	{ "json", SPACE_JIT, "perf-1.map", "com.fasterxml.jackson.core.json.UTF8StreamJsonParser" },
	{ "text", SPACE_JIT, "perf-1.map",
	  "java.lang.String.indexOf Ljava/lang/String;::hashCode" },
	{ "runtime/java", SPACE_JIT, "perf-1.map",
	  "java.io.FileInputStream.read jdk.internal.misc" },
	{ "runtime/java", SPACE_USER, "libjvm.so", "CompileBroker::compile Whatever::else" },
	{ "event-loop", SPACE_JIT, "perf-1.map", "io.netty.channel.nio.NioEventLoop.run" },
	/* JavaScript and Python */
	{ "jit", SPACE_JIT, "perf-1.map", "LazyCompile:*parse JS:*handle JS:~main" },
	{ "json", SPACE_USER, "node", "Builtins_JsonParse v8::internal::JsonParser<int>::Parse" },
	{ "regex", SPACE_JIT, "perf-1.map", "RegExp:^a+$" },
	{ "interpreter", SPACE_USER, "node", "Builtins_InterpreterEntryTrampoline JS::Call" },
	{ "interpreter", SPACE_USER, "python3.12", "_PyEval_EvalFrameDefault" },
	{ "json", SPACE_JIT, "perf-1.map", "py::decode:/usr/lib/python3.12/json/decoder.py" },
	{ "application", SPACE_JIT, "perf-1.map", "py::handle:/srv/app/main.py" },
	{ "ovs", SPACE_USER, "ovsdb-server", "raft_run ovsdb_txn_row_modify" },
	{ "application", SPACE_USER, "replica", "UDPTransport::RingCallback" },
	{ "unsymbolised", SPACE_USER, "replica", "0x0000000000011904" },
	{ "kernel", SPACE_KERNEL, "", "quite_unknown_function" },
	{ "other", SPACE_UNKNOWN, "", "quite_unknown_function" },
};

/* The second round reads the categories that the first round cached. */
static void functions_are_where_the_samples_need_them(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct category_cache cache = { 0 };
	int wrong = 0;

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_LEN(memberships); i++) {
		const struct membership *m = &memberships[i % ARRAY_LEN(memberships)];
		struct str rest = str_of(m->names);
		struct str name;

		while (str_word(&rest, &name)) {
			sym_id sym =
				symbols_add_text(&d->symbols, name, str_of(m->module), m->space, 0);
			const char *is = category_name(category_of(&cache, &d->symbols, sym));

			if (strcmp(is, m->category) != 0) {
				print_error(STR_FMT " is in %s, not in %s\n", STR_ARG(name), is,
					    m->category);
				wrong++;
			}
		}
	}
	assert_int_equal(wrong, 0);
	assert_string_equal(category_name(category_of(&cache, &d->symbols, (sym_id){ 1 << 30 })),
			    "other");
	category_cache_fini(&cache);
}

static void compiler_suffixes_do_not_change_the_category(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct category_cache cache = { 0 };
	sym_id sym = symbols_add_text(&d->symbols, STR("ep_item_poll.isra.0"), STR_NONE,
				      SPACE_KERNEL, 0);

	(void)state;
	assert_string_equal(category_name(category_of(&cache, &d->symbols, sym)), "epoll");
	category_cache_fini(&cache);
}

static void categories_nest(void **state)
{
	category_id vxlan;
	category_id top;

	(void)state;
	assert_true(category_find(STR("network/vxlan"), &vxlan));
	assert_true(category_is_in(vxlan, STR("network")));
	assert_true(category_is_in(vxlan, STR("network/vxlan")));
	assert_false(category_is_in(vxlan, STR("net")));
	assert_false(category_is_in(vxlan, STR("netfilter")));
	top = category_top(vxlan);
	assert_string_equal(category_name(top), "network");
	assert_false(category_find(STR("no-such-category"), &vxlan));
}

static void every_category_has_a_parent_and_a_title(void **state)
{
	(void)state;
	for (uint16_t i = 0; i < category_count(); i++) {
		struct str name = str_of(category_name((category_id){ i }));
		category_id parent;

		assert_true(strlen(category_title((category_id){ i })) >= 2);
		assert_true(category_find(str_sub(name, 0, str_find_char(name, '/')), &parent));
	}
}

/* Functions that no pattern knows have the category of their space. */
static void unknown_functions_have_the_category_of_their_space(void **state)
{
	static const struct {
		enum symbol_space space;
		const char *name, *category;
	} cases[] = {
		{ SPACE_KERNEL, "qqzx_made_up", "kernel" },
		{ SPACE_GUEST_KERNEL, "qqzx_made_up", "kernel" },
		{ SPACE_USER, "qqzx_made_up", "application" },
		{ SPACE_GUEST_USER, "qqzx_made_up", "application" },
		{ SPACE_BPF, "qqzx_made_up", "bpf" },
		{ SPACE_VDSO, "qqzx_made_up", "vdso" },
		{ SPACE_JIT, "qqzx_made_up", "jit" },
		{ SPACE_HYPERVISOR, "qqzx_made_up", "virtualization" },
		{ SPACE_UNKNOWN, "qqzx_made_up", "other" },
		{ SPACE_USER, "0x00000000deadbeef", "unsymbolised" },
		{ SPACE_KERNEL, "0xffffffff81000010", "unsymbolised" },
	};
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct category_cache cats = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		sym_id sym = symbols_add_text(&d->symbols, str_of(cases[i].name), STR("made"),
					      cases[i].space, 0);

		assert_string_equal(category_name(category_of(&cats, &d->symbols, sym)),
				    cases[i].category);
	}
	category_cache_fini(&cats);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_where_the_samples_need_them),
		cmocka_unit_test(compiler_suffixes_do_not_change_the_category),
		cmocka_unit_test(categories_nest),
		cmocka_unit_test(every_category_has_a_parent_and_a_title),
		cmocka_unit_test(unknown_functions_have_the_category_of_their_space),
	};

	return cmocka_run_group_tests_name("categories", tests, NULL, NULL);
}
