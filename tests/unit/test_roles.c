/* SPDX-License-Identifier: MIT */
/* Kinds of work of functions in libraries, runtimes and the kernel. */
#include "unit.h"

#include "analyses/plain_name.h"
#include "analyses/role_work.h"
#include "analyses/roles.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"

#include <stdio.h>

struct membership {
	const char *role;
	enum symbol_space space;
	const char *names; /* separated by ';' */
};

static const struct membership memberships[] = {
	{ "transparent", SPACE_USER,
	  "main;start_thread;std::thread::_State_impl<int>::_M_run();runtime.goexit;"
	  "java/lang/Thread.run;tokio::runtime::task::core::Core<T,S>::poll;aeMain;"
	  "_PyEval_EvalFrameDefault" },
	{ "transparent", SPACE_KERNEL, "do_syscall_64;worker_thread;ret_from_fork_asm" },
	{ "spin", SPACE_KERNEL, "native_queued_spin_lock_slowpath;osq_lock" },
	{ "spin", SPACE_USER, "ut_delay;s_lock;pthread_spin_lock;SpinPause;runtime.procyield" },
	{ "lock-slow", SPACE_USER,
	  "__lll_lock_wait;sync.(*Mutex).lockSlow;ObjectMonitor::EnterI(JavaThread*);"
	  "parking_lot::raw_mutex::RawMutex::lock_slow;LWLockAcquire;take_gil" },
	{ "lock-slow", SPACE_KERNEL,
	  "__mutex_lock.constprop.0;rwsem_down_read_slowpath;rt_mutex_slowlock;ww_mutex_lock;"
	  "percpu_down_write;__lock_sock" },
	{ "io-wait", SPACE_KERNEL,
	  "io_schedule;io_schedule_timeout;bit_wait_io;folio_wait_bit_common;wait_on_page_bit;"
	  "__wait_on_buffer;wait_for_completion_io;rq_qos_wait;blk_mq_get_tag;__lock_page;"
	  "__folio_lock;__wait_on_bit_lock;jbd2_log_wait_commit" },
	{ "wait", SPACE_KERNEL, "futex_wait;futex_wait_queue;wait_for_completion;__wait_on_bit" },
	{ "switch", SPACE_KERNEL, "schedule;schedule_preempt_disabled" },
	{ "go-lock", SPACE_USER, "runtime.lock2;runtime.unlock2;runtime.lockWithRank" },
	{ "lock", SPACE_USER,
	  "pthread_mutex_lock;std::mutex::lock();sync.(*RWMutex).RLock;"
	  "java.util.concurrent.locks.ReentrantLock.unlock;QMutex::lock()" },
	{ "wait", SPACE_USER,
	  "pthread_cond_wait@@GLIBC_2.3.2;std::condition_variable::wait;runtime.selectgo;"
	  "java.lang.Object.wait" },
	{ "yield", SPACE_USER, "sched_yield;__sched_yield;runtime.Gosched" },
	{ "sleep", SPACE_USER, "nanosleep;time.Sleep;java.lang.Thread.sleep" },
	{ "allocate", SPACE_USER,
	  "malloc;operator new(unsigned long);_int_malloc;je_malloc;mi_malloc;__rust_alloc;"
	  "tcmalloc::ThreadCache::FetchFromCentralCache;g_slice_alloc;palloc;"
	  "alloc::raw_vec::RawVec<T,A>::allocate_in" },
	{ "allocate", SPACE_KERNEL, "kmem_cache_alloc_node;__alloc_pages_noprof;___slab_alloc" },
	{ "free", SPACE_USER,
	  "cfree@GLIBC_2.2.5;operator delete(void*, unsigned long);_int_free;pfree;"
	  "core::ptr::drop_in_place<alloc::string::String>;"
	  "std::vector<int, std::allocator<int> >::~vector()" },
	{ "gc", SPACE_USER,
	  "runtime.scanobject;G1ParScanThreadState::trim_queue;gc_collect_main;rb_gc_mark;"
	  "v8::internal::MarkCompactCollector::ProcessMarkingWorklist;SVR::gc_heap::mark_object;"
	  "ZMark::drain" },
	{ "gc-alloc", SPACE_USER, "runtime.mallocgc;runtime.growslice;_PyObject_Malloc;_emalloc" },
	{ "gc-barrier", SPACE_USER, "runtime.gcWriteBarrier2;Builtins_RecordWrite" },
	{ "copy", SPACE_USER,
	  "__memmove_avx_unaligned_erms;memcpy@GLIBC_2.14;runtime.memmove;"
	  "std::vector<A, B>::vector(std::vector<A, B> const&);<alloc::vec::Vec<T,A> as "
	  "core::clone::Clone>::clone;java.lang.System.arraycopy" },
	{ "zero", SPACE_USER, "__memset_avx2_unaligned_erms;runtime.memclrNoHeapPointers" },
	{ "compare", SPACE_USER,
	  "__memcmp_avx2_movbe;__strcmp_sse2_unaligned;std::__cxx11::basic_string<char, "
	  "std::char_traits<char>, std::allocator<char> >::compare(char const*) const;"
	  "bool std::operator==<char>(std::string const&, char const*);runtime.memequal" },
	{ "hash", SPACE_USER, "std::_Hash_bytes;runtime.aeshashbody;XXH64;zend_string_hash_func" },
	{ "hash-lookup", SPACE_USER,
	  "std::_Hashtable<int, int>::_M_find_before_node(unsigned long, int const&) const;"
	  "runtime.mapaccess2_faststr;java/util/HashMap.getNode;zend_hash_find;"
	  "hashbrown::map::HashMap<K,V,S,A>::insert" },
	{ "hash-resize", SPACE_USER,
	  "std::_Hashtable<int, int>::_M_rehash_aux;java.util.HashMap.resize;runtime.hashGrow;"
	  "hashbrown::raw::RawTable<T,A>::reserve_rehash" },
	{ "tree", SPACE_USER,
	  "std::_Rb_tree<int, int>::_M_get_insert_unique_pos(int const&);java.util.TreeMap.put;"
	  "alloc::collections::btree::map::BTreeMap<K,V>::get;_bt_search" },
	{ "search", SPACE_USER,
	  "std::find<int*, int>(int*, int*, int const&);java.util.ArrayList.indexOf;"
	  "list_contains;Builtins_ArrayIncludes" },
	{ "sort", SPACE_USER,
	  "void std::__introsort_loop<int*, long>(int*, int*, long);msort_with_tmp.part.0;"
	  "slices.pdqsortCmpFunc[...];java.util.TimSort.mergeLo;core::slice::sort::merge_sort" },
	{ "format", SPACE_USER,
	  "vfprintf;__vfprintf_internal;fmt.(*pp).doPrintf;core::fmt::write;"
	  "std::ostream& std::ostream::_M_insert<long>(long);java.util.Formatter.format" },
	{ "parse", SPACE_USER,
	  "__vfscanf_internal;encoding/json.(*decodeState).object;xmlParseElement;"
	  "serde_json::de::from_str;com/fasterxml/jackson/core/json/"
	  "UTF8StreamJsonParser.nextToken" },
	{ "stream-read", SPACE_USER,
	  "std::istream::get();std::istream::sentry::sentry(std::istream&, bool);getc;"
	  "std::basic_istream<char, std::char_traits<char> >::read(char*, long)" },
	{ "parse-number", SPACE_USER, "strtod;____strtol_l_internal;strconv.ParseInt" },
	{ "locale", SPACE_USER, "std::locale::locale(std::locale const&);std::locale::~locale()" },
	{ "regex", SPACE_USER,
	  "std::__detail::_Executor<char "
	  "const*>::_M_dfs;regexp.(*Regexp).doExecute;pcre2_match_8" },
	{ "regex-compile", SPACE_USER,
	  "std::__detail::_BracketMatcher<std::regex_traits<char>, false, false>::_M_apply(char);"
	  "std::__cxx11::regex_traits<char>::transform_primary<char const*>(char const*);"
	  "regcomp;regexp.MustCompile;regexp/syntax.(*parser).literal;pcre2_compile_8;"
	  "java.util.regex.Pattern.compile;re._compile;std::__detail::_Compiler<std::regex_traits"
	  "<char> >::_M_term" },
	{ "string-build", SPACE_USER,
	  "std::__cxx11::basic_string<char>::_M_append(char const*, unsigned long);"
	  "runtime.concatstrings;java.lang.StringBuilder.append" },
	{ "container-grow", SPACE_USER,
	  "void std::vector<Foo, std::allocator<Foo> >::_M_realloc_insert<Foo>(Foo&&);"
	  "alloc::vec::Vec<T,A>::push;java.util.ArrayList.grow" },
	{ "refcount", SPACE_USER,
	  "std::_Sp_counted_base<(__gnu_cxx::_Lock_policy)2>::_M_release();"
	  "<alloc::sync::Arc<T> as core::clone::Clone>::clone" },
	{ "exception", SPACE_USER, "_Unwind_Find_FDE;__cxa_throw;java.lang.Throwable.<init>" },
	{ "type-check", SPACE_USER, "__dynamic_cast;runtime.assertE2I2" },
	{ "reflect", SPACE_USER, "reflect.Value.Field;_PyType_Lookup" },
	{ "compress", SPACE_USER, "deflate_slow;longest_match;ZSTD_compressBlock_fast" },
	{ "decompress", SPACE_USER, "inflate_fast;LZ4_decompress_safe" },
	{ "encrypt", SPACE_USER, "aesni_ctr32_encrypt_blocks;gcm_ghash_avx" },
	{ "checksum", SPACE_USER, "SHA256_Update;crypto/sha256.block" },
	{ "syscall", SPACE_USER, "internal/runtime/syscall.Syscall6" },
	{ "log", SPACE_USER, "spdlog::logger::log_it_;org.apache.logging.log4j.Logger.info" },
	{ "fsync", SPACE_USER, "fsync;os.(*File).Sync;XLogFlush" },
	{ "fsync", SPACE_KERNEL, "__x64_sys_fsync;ext4_sync_file" },
	{ "poll", SPACE_KERNEL, "__x64_sys_epoll_wait;ep_send_events" },
	{ "page-fault", SPACE_KERNEL, "asm_exc_page_fault;handle_mm_fault" },
	{ "zero-page", SPACE_KERNEL, "clear_page_erms" },
	{ "tlb", SPACE_KERNEL, "smp_call_function_many_cond;flush_tlb_mm_range" },
	{ "reclaim", SPACE_KERNEL, "shrink_lruvec;try_to_free_pages" },
	{ "compaction", SPACE_KERNEL, "isolate_freepages_block;compact_zone" },
	{ "user-copy", SPACE_KERNEL, "copy_user_enhanced_fast_string;rep_movs_alternative" },
	{ "time", SPACE_USER, "clock_gettime;std::chrono::_V2::steady_clock::now();time.Now" },
	{ "jit", SPACE_USER, "PhaseChaitin::Split;v8::internal::compiler::Pipeline::Run" },
	{ "interpret", SPACE_USER, "luaV_execute_;Builtins_LdaSmiHandler;ExecInterpExpr" },
	{ "dns", SPACE_USER, "getaddrinfo;net.(*Resolver).lookupIPAddr" },
	/* application code */
	{ "none", SPACE_USER,
	  "xlate_actions;Parser::token();my_app::run;com.example.Shop.total;main.handle;"
	  "(anonymous namespace)::step(int);stktable_lookup_key;compute;process_order;"
	  "app::Cache<std::vector<int> >::refresh(std::map<int, int> const&)" },
	{ "none", SPACE_KERNEL, "ext4_mb_good_group;fib_table_lookup_x;release_task_x" },
};

static stack_id pushed(struct strings *strings, struct symbols *symbols, struct stacks *stacks,
		       stack_id on, const char *module, const char *name)
{
	return stacks_push(stacks, on,
			   symbols_add(symbols, strings_add(strings, str_of(name)),
				       strings_add(strings, str_of(module)), SPACE_USER));
}

/* The role of @name after role_inherit() has seen all stacks. */
static enum role inherited(struct strings *strings, struct symbols *symbols, struct role_cache *c,
			   const char *module, const char *name)
{
	return role_of(c, symbols,
		       symbols_add(symbols, strings_add(strings, str_of(name)),
				   strings_add(strings, str_of(module)), SPACE_USER));
}

static void nameless_functions_do_the_work_of_their_entry(void **state)
{
	struct strings strings;
	struct symbols symbols;
	struct stacks stacks;
	struct role_cache c = { 0 };
	stack_id in;
	stack_id out;
	stack_id main;

	(void)state;
	strings_init(&strings);
	symbols_init(&symbols, &strings);
	stacks_init(&stacks);
	main = pushed(&strings, &symbols, &stacks, STACK_ROOT, "a", "main");
	in = pushed(&strings, &symbols, &stacks, main, "libz.so.1", "inflate");
	out = pushed(&strings, &symbols, &stacks, main, "libz.so.1", "deflate");
	in = pushed(&strings, &symbols, &stacks, in, "libz.so.1", "0x0000000000001000");
	(void)pushed(&strings, &symbols, &stacks, in, "libz.so.1", "0x0000000000001010");
	(void)pushed(&strings, &symbols, &stacks, in, "libz.so.1", "0x0000000000003000");
	(void)pushed(&strings, &symbols, &stacks, out, "libz.so.1", "0x0000000000002000");
	(void)pushed(&strings, &symbols, &stacks, out, "libz.so.1", "0x0000000000003000");
	/* a callback into another object is work of that object */
	(void)pushed(&strings, &symbols, &stacks, out, "a", "0x0000000000004000");
	role_inherit(&c, &symbols, &stacks);
	assert_int_equal(inherited(&strings, &symbols, &c, "libz.so.1", "0x0000000000001000"),
			 ROLE_DECOMPRESS);
	assert_int_equal(inherited(&strings, &symbols, &c, "libz.so.1", "0x0000000000001010"),
			 ROLE_DECOMPRESS);
	assert_int_equal(inherited(&strings, &symbols, &c, "libz.so.1", "0x0000000000002000"),
			 ROLE_COMPRESS);
	/* called from both: only the role of the library as a whole, which names no direction */
	assert_int_equal(inherited(&strings, &symbols, &c, "libz.so.1", "0x0000000000003000"),
			 ROLE_CODEC);
	assert_int_equal(inherited(&strings, &symbols, &c, "a", "0x0000000000004000"), ROLE_NONE);
	role_cache_fini(&c);
	stacks_fini(&stacks);
	symbols_fini(&symbols);
	strings_fini(&strings);
}

/* Add @weight to the leaf of @stack in @self; its frames are "file|function", separated by ';'. */
static void sampled(struct strings *strings, struct symbols *symbols, struct stacks *stacks,
		    const char *stack, uint64_t *self, uint64_t weight)
{
	stack_id at = STACK_ROOT;
	struct str rest = str_of(stack);

	while (rest.len) {
		struct str frame = str_sub(rest, 0, str_find_char(rest, ';'));
		size_t colon = str_find_char(frame, '|');
		char module[32];
		char name[64];

		rest = str_skip(rest, frame.len + 1);
		(void)snprintf(module, sizeof(module), STR_FMT, STR_ARG(str_sub(frame, 0, colon)));
		(void)snprintf(name, sizeof(name), STR_FMT, STR_ARG(str_skip(frame, colon + 1)));
		at = pushed(strings, symbols, stacks, at, module, name);
	}
	self[at.v] += weight;
}

static void work_of_a_library_includes_what_it_calls(void **state)
{
	static const struct {
		const char *stack;
		uint64_t weight;
	} samples[] = {
		{ "a|main;a|route;libc.so.6|regexec;libc.so.6|malloc", 30 },
		/* helper() has no role of its own, but belongs to the library that does the work */
		{ "a|main;a|route;libre.so|pcre2_match_8;libre.so|helper;libc.so.6|memcpy", 20 },
		/* the application's comparison and its callees are not the cost of qsort() */
		{ "a|main;a|route;libc.so.6|qsort;a|by_name;libc.so.6|strcmp", 10 },
		{ "a|main;a|route;libc.so.6|qsort", 5 },
		{ "a|main;a|other", 35 },
	};
	struct strings strings;
	struct symbols symbols;
	struct stacks stacks;
	struct role_cache c = { 0 };
	struct role_work w;
	uint64_t self[64] = { 0 };
	uint64_t sums[ROLE_COUNT];

	(void)state;
	strings_init(&strings);
	symbols_init(&symbols, &strings);
	stacks_init(&stacks);
	for (size_t i = 0; i < ARRAY_LEN(samples); i++)
		sampled(&strings, &symbols, &stacks, samples[i].stack, self, samples[i].weight);
	role_work_init(&w, &c, &symbols, &stacks, self);
	role_work_sum(&w, (struct role_set){ { 0 } }, sums);
	assert_int_equal(sums[ROLE_REGEX], 50);
	assert_int_equal(sums[ROLE_ALLOCATE], 30);
	assert_int_equal(sums[ROLE_COPY], 20);
	assert_int_equal(sums[ROLE_SORT], 5);
	assert_int_equal(sums[ROLE_COMPARE], 10);
	/* samples that are part of regular expressions count for no other kind of work */
	role_work_sum(&w, role_set_with((struct role_set){ { 0 } }, ROLE_REGEX), sums);
	assert_int_equal(sums[ROLE_ALLOCATE], 0);
	assert_int_equal(sums[ROLE_COPY], 0);
	assert_int_equal(sums[ROLE_COMPARE], 10);
	role_work_fini(&w);
	role_cache_fini(&c);
	stacks_fini(&stacks);
	symbols_fini(&symbols);
	strings_fini(&strings);
}

static void roles_of_libraries_are_known(void **state)
{
	unsigned int wrong = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(memberships); i++) {
		struct str rest = str_of(memberships[i].names);

		while (rest.len) {
			struct str name = str_sub(rest, 0, str_find_char(rest, ';'));
			enum role role = role_of_name(symbol_canonical_name(name), STR_NONE,
						      memberships[i].space);

			rest = str_skip(rest, name.len + 1);
			if (strcmp(role_name(role), memberships[i].role) == 0)
				continue;
			print_error("'" STR_FMT "' is %s, not %s\n", STR_ARG(name), role_name(role),
				    memberships[i].role);
			wrong++;
		}
	}
	assert_int_equal(wrong, 0);
}

static void a_module_has_a_role_and_a_named_function_another(void **state)
{
	(void)state;
	assert_int_equal(role_of_name(STR("0x1234"), STR("libz.so.1"), SPACE_USER), ROLE_CODEC);
	assert_int_equal(role_of_name(STR("inflate_fast"), STR("libz.so.1"), SPACE_USER),
			 ROLE_DECOMPRESS);
	assert_int_equal(role_of_name(STR("Node::Ideal"), STR("libjvm.so"), SPACE_USER), ROLE_JIT);
	assert_int_equal(role_of_name(STR("Node::Ideal"), STR("app"), SPACE_USER), ROLE_NONE);
	assert_int_equal(role_of_name(STR("bash"), STR_NONE, SPACE_COMM), ROLE_TRANSPARENT);
}

static void names_lose_their_types(void **state)
{
	static const char *const pairs[][2] = {
		{ "void std::vector<int, A<b> >::push_back(int const&)", "std::vector::push_back" },
		{ "<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop",
		  "alloc::vec::Vec::drop" },
		{ "<&mut serde_json::de::Deserializer<R> as serde::Deserializer>::deserialize_map",
		  "serde_json::de::Deserializer::deserialize_map" },
		{ "alloc::vec::Vec::<u8>::push", "alloc::vec::Vec::push" },
		{ "std::__1::basic_string<char>::append(char const*)",
		  "std::basic_string::append" },
		{ "operator new(unsigned long)", "operator new" },
		{ "A::operator()(int) const", "A::operator()" },
		{ "bool operator<(A const&, B<c> const&)", "operator<" },
		{ "std::ostream& operator<< <char>(std::ostream&, char)", "operator<<" },
		{ "A::operator->() const", "A::operator->" },
		{ "(anonymous namespace)::step(int)", "step" },
		{ "main.(*Server).handle", "main.(*Server).handle" },
		{ "java/util/HashMap.get", "java.util.HashMap.get" },
		{ "Ljava/util/HashMap;::get", "java.util.HashMap.get" },
		{ "java/util/HashMap.get_[j]", "java.util.HashMap.get" },
		{ "a/Map.get", "a.Map.get" },
		{ "/Map.get", "/Map.get" },
		{ "encoding/json.Unmarshal", "encoding/json.Unmarshal" },
		{ "run()::{lambda(int)#1}::operator()(int) const", "run::{lambda#1}::operator()" },
		{ "<module>", "<module>" },
		{ "vfprintf", "vfprintf" },
		{ "", "" },
		{ "a<b", "a" },
		{ "<a", "<a" },
	};

	unsigned int wrong = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
		struct plain_name plain;
		struct str is = plain_name_make(&plain, str_of(pairs[i][0]));

		if (str_eq(is, str_of(pairs[i][1])))
			continue;
		print_error("'%s' is '" STR_FMT "', not '%s'\n", pairs[i][0], STR_ARG(is),
			    pairs[i][1]);
		wrong++;
	}
	assert_int_equal(wrong, 0);
}

static void a_family_is_all_but_the_last_part(void **state)
{
	static const char *const families[][3] = {
		{ "std::vector::push_back", "std::vector", "push_back" },
		{ "main.(*Server).handle", "main.(*Server)", "handle" },
		{ "java.util.HashMap.get", "java.util.HashMap", "get" },
		{ "Array#each", "Array", "each" },
		{ "vfprintf", "", "vfprintf" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(families); i++) {
		struct str plain = str_of(families[i][0]);

		assert_true(str_eq(plain_name_family(plain), str_of(families[i][1])));
		assert_true(str_eq(plain_name_last(plain), str_of(families[i][2])));
	}
}

static void long_and_broken_names_are_cut(void **state)
{
	char text[3 * PLAIN_NAME_MAX];
	struct plain_name plain;

	(void)state;
	memset(text, '<', sizeof(text));
	assert_true(plain_name_make(&plain, (struct str){ text, sizeof(text) }).len <=
		    PLAIN_NAME_MAX);
	memset(text, 'a', sizeof(text));
	assert_int_equal(plain_name_make(&plain, (struct str){ text, sizeof(text) }).len,
			 PLAIN_NAME_MAX);
	memset(text, ' ', sizeof(text));
	(void)plain_name_make(&plain, (struct str){ text, sizeof(text) });
	assert_int_equal(role_of_words((struct str){ text, sizeof(text) }), ROLE_NONE);
}

static void words_of_a_name_hint_at_what_it_does(void **state)
{
	(void)state;
	assert_int_equal(role_of_words(STR("stktable_lookup_key")), ROLE_SEARCH);
	assert_int_equal(role_of_words(STR("Cache::findEntry(int)")), ROLE_SEARCH);
	assert_int_equal(role_of_words(STR("main.(*Tree).ParseNode")), ROLE_PARSE);
	assert_int_equal(role_of_words(STR("RBTreeInsert")), ROLE_CONTAINER_GROW);
	assert_int_equal(role_of_words(STR("HTTPParse")), ROLE_PARSE);
	/* only whole words count: no "lock" in a block, no "sort" in an assortment */
	assert_int_equal(role_of_words(STR("block_size")), ROLE_NONE);
	assert_int_equal(role_of_words(STR("assortment")), ROLE_NONE);
	assert_int_equal(role_of_words(STR("compute")), ROLE_NONE);
	/* the name of the function decides, not that of its class */
	assert_int_equal(role_of_words(STR("Parser::run")), ROLE_NONE);
}

static void each_cost_has_words(void **state)
{
	(void)state;
	for (unsigned int i = ROLE_IDLE + 1; i < ROLE_COUNT; i++) {
		assert_non_null(role_name((enum role)i));
		/* the rule hidden-script explains interpreters */
		if (i == ROLE_INTERPRET)
			continue;
		assert_non_null(role_cause((enum role)i));
		assert_non_null(role_next((enum role)i));
	}
	assert_null(role_cause(ROLE_TRANSPARENT));
}

static void roles_of_one_cause_have_one_name(void **state)
{
	(void)state;
	assert_int_equal(role_with(ROLE_FREE), ROLE_ALLOCATE);
	assert_int_equal(role_with(ROLE_GC_BARRIER), ROLE_GC);
	assert_int_equal(role_with(ROLE_LOCK_SLOW), ROLE_SPIN);
	assert_int_equal(role_with(ROLE_ZERO_PAGE), ROLE_PAGE_FAULT);
	assert_int_equal(role_with(ROLE_HASH), ROLE_HASH_LOOKUP);
	for (unsigned int i = 0; i < ROLE_COUNT; i++) {
		enum role with = role_with((enum role)i);

		assert_int_equal(role_with(with), with);
		assert_true(with == i || role_cause(with));
	}
	assert_int_equal(role_with(ROLE_LOCK), ROLE_LOCK);
}

static void work_that_programs_are_for_is_marked(void **state)
{
	(void)state;
	assert_true(role_is_purpose(ROLE_COMPRESS));
	assert_true(role_is_purpose(ROLE_COPY));
	assert_false(role_is_purpose(ROLE_ALLOCATE));
	assert_false(role_is_purpose(ROLE_NONE));
	assert_true(role_is_traffic(ROLE_NET_IO));
	assert_false(role_is_traffic(ROLE_FSYNC));
	assert_true(role_is_allocation(ROLE_CONTAINER_GROW));
	assert_false(role_is_allocation(ROLE_FREE));
}

static void a_cache_says_the_same(void **state)
{
	struct strings strings;
	struct symbols symbols;
	struct role_cache cache = { .by_sym = VEC_INIT };
	sym_id sym, other;

	(void)state;
	strings_init(&strings);
	symbols_init(&symbols, &strings);
	sym = symbols_add_text(&symbols, STR("malloc"), STR("libc.so.6"), SPACE_USER, 0);
	assert_int_equal(role_of(&cache, &symbols, sym), ROLE_ALLOCATE);
	other = symbols_add_text(&symbols, STR("parse_all"), STR("app"), SPACE_USER, 0);
	assert_int_equal(role_of(&cache, &symbols, other), ROLE_NONE);
	assert_int_equal(role_of(&cache, &symbols, sym), ROLE_ALLOCATE);
	assert_int_equal(role_of(&cache, &symbols, (sym_id){ 0 }), ROLE_TRANSPARENT);
	/* more modules than the cache has places: a place never keeps what it knew of another one
	 */
	for (unsigned int i = 0; i <= 2 * ROLE_MODULES; i++) {
		char module[32];

		(void)snprintf(module, sizeof(module), i % 2 ? "app%u" : "libz.so.%u", i);
		sym = symbols_add_text(&symbols, STR("0x1234"), str_of(module), SPACE_USER, 0);
		assert_int_equal(role_of(&cache, &symbols, sym), i % 2 ? ROLE_NONE : ROLE_CODEC);
	}
	role_cache_fini(&cache);
	symbols_fini(&symbols);
	strings_fini(&strings);
}

/* A role by a part of an own name is a hint, that of a known function is not. */
static void a_part_of_a_name_is_only_a_hint(void **state)
{
	static const struct {
		const char *name;
		bool is_hint;
	} cases[] = {
		{ "memeqbody", false },  { "qsort", false },         { "deflate_slow", false },
		{ "math_helper", true }, { "scavenger_hunt", true }, { "nothing_known", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(role_is_by_word(str_of(cases[i].name), STR("app"), SPACE_USER),
				 cases[i].is_hint);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(roles_of_libraries_are_known),
		cmocka_unit_test(a_part_of_a_name_is_only_a_hint),
		cmocka_unit_test(nameless_functions_do_the_work_of_their_entry),
		cmocka_unit_test(work_of_a_library_includes_what_it_calls),
		cmocka_unit_test(a_module_has_a_role_and_a_named_function_another),
		cmocka_unit_test(names_lose_their_types),
		cmocka_unit_test(a_family_is_all_but_the_last_part),
		cmocka_unit_test(long_and_broken_names_are_cut),
		cmocka_unit_test(words_of_a_name_hint_at_what_it_does),
		cmocka_unit_test(each_cost_has_words),
		cmocka_unit_test(roles_of_one_cause_have_one_name),
		cmocka_unit_test(work_that_programs_are_for_is_marked),
		cmocka_unit_test(a_cache_says_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
