/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyses/calls/calls_summary.h"
#include "analyses/calls/calls_total.h"
#include "analyses/categories.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/load.h"

#include <dirent.h>
#include <stdio.h>

struct graph {
	struct dossier *d;
	struct document *doc;
	const struct capture *capture;
	struct category_cache cats;
	struct calls_summary s;
};

static void graph_sum(struct graph *g)
{
	assert_int_equal(load_document(g->d, g->doc, "test", NULL, NULL), OK);
	assert_int_equal(g->d->captures.len, 1);
	g->capture = g->d->captures.data[0];
	assert_int_equal(calls_summary_compute(g->capture, &g->cats, &g->s, NULL), OK);
}

static void graph_of_text(struct graph *g, const char *text)
{
	memset(g, 0, sizeof(*g));
	g->d = dossier_new();
	assert_int_equal(document_from_memory(str_of(text), NULL, &g->doc, NULL), OK);
	graph_sum(g);
}

/* The seed whose name starts with @number. False: missing. */
static bool graph_of_seed(struct graph *g, const char *number)
{
	const char *shared = getenv("ASSAY_SHARED");
	char path[4096] = "";
	struct dirent *e;
	DIR *dir;

	memset(g, 0, sizeof(*g));
	(void)snprintf(path, sizeof(path), "%s/seeds", shared ? shared : "");
	dir = opendir(path);
	while (dir && (e = readdir(dir))) {
		if (strncmp(e->d_name, number, strlen(number)) == 0)
			(void)snprintf(path, sizeof(path), "%s/seeds/%s", shared, e->d_name);
	}
	if (dir)
		(void)closedir(dir);
	if (!dir || !strstr(path, number))
		return false;
	g->d = dossier_new();
	assert_int_equal(document_open(path, NULL, &g->doc, NULL), OK);
	graph_sum(g);
	return true;
}

static void graph_fini(struct graph *g)
{
	calls_summary_fini(&g->s);
	category_cache_fini(&g->cats);
	dossier_free(g->d);
	document_free(g->doc);
}

static const struct calls_function *graph_function(const struct graph *g, const char *name)
{
	VEC_FOREACH (f, &g->s.functions) {
		if (str_eq(symbols_name(&g->d->symbols, f->sym), str_of(name)))
			return f;
	}
	print_error("%s is not there\n", name);
	_fail(__FILE__, __LINE__);
	return NULL;
}

struct set {
	const char *pattern;
	const char *without;
	unsigned int topmost, matching;
	uint64_t total_ns;
};

static void check_sets(const struct graph *g, const struct set *sets, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct calls_total t = calls_total_of(g->capture, str_of(sets[i].pattern),
						      str_of(sets[i].without));

		if (t.topmost == sets[i].topmost && t.matching == sets[i].matching &&
		    t.total_ns == sets[i].total_ns)
			continue;
		print_error("%s: %u topmost of %u, %u ns\n", sets[i].pattern,
			    (unsigned int)t.topmost, (unsigned int)t.matching,
			    (unsigned int)t.total_ns);
		_fail(__FILE__, __LINE__);
	}
}

struct group {
	const char *name;
	unsigned int calls;
	uint64_t self_ns, total_ns;
};

static void check_modules(const struct graph *g, const struct group *groups, size_t n)
{
	assert_int_equal(g->s.modules.len, n);
	for (size_t i = 0; i < n; i++) {
		const struct calls_module *found = NULL;

		VEC_FOREACH (m, &g->s.modules) {
			if (str_eq(strings_get(&g->d->strings, m->module), str_of(groups[i].name)))
				found = m;
		}
		assert_non_null(found);
		assert_int_equal(found->sum.calls, groups[i].calls);
		assert_int_equal(found->sum.self_ns, groups[i].self_ns);
		assert_int_equal(found->sum.total_ns, groups[i].total_ns);
	}
}

struct self {
	const char *name;
	unsigned int calls;
	uint64_t self_ns;
};

/* Expects these functions as the heaviest by self time, in this order. */
static void check_top_self(const struct graph *g, const struct self *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct calls_function *f = &g->s.functions.data[i];

		assert_str(symbols_name(&g->d->symbols, f->sym), rows[i].name);
		assert_int_equal(f->calls, rows[i].calls);
		assert_int_equal(f->self_ns, rows[i].self_ns);
	}
}

static void the_udp_trace_has_its_known_figures(void **state)
{
	static const struct group modules[] = {
		{ "", 245, 81192, 127599 },         { "nf_conntrack", 57, 23692, 32256 },
		{ "nf_nat", 12, 4416, 11898 },      { "iptable_nat", 8, 4057, 20159 },
		{ "igb", 10, 3923, 4004 },          { "ip_tables", 4, 3608, 4950 },
		{ "vxlan", 5, 3275, 55387 },        { "nf_conntrack_ipv4", 15, 2002, 26493 },
		{ "iptable_filter", 2, 978, 2423 }, { "xt_addrtype", 1, 307, 1021 },
		{ "nf_defrag_ipv4", 2, 119, 119 },  { "xt_comment", 1, 30, 30 },
	};
	static const struct set sets[] = {
		{ "nf_hook_slow", "", 4, 4, 55002 },
		{ "nf_iterate", "", 4, 4, 53809 },
		{ "ipv4_conntrack_*|nf_nat_ipv4_local_fn|nf_nat_ipv4_out|iptable_filter_hook|"
		  "ipv4_helper|ipv4_confirm",
		  "", 14, 14, 49054 },
		{ "ipv4_conntrack_*|ipv4_helper|ipv4_confirm", "", 8, 8, 26472 },
		{ "* [nf_conntrack]|* [nf_conntrack_ipv4]|* [nf_defrag_ipv4]", "", 15, 74, 34025 },
		{ "nf_nat_ipv4_local_fn|nf_nat_ipv4_out", "", 4, 4, 20159 },
		{ "nf_nat_setup_info", "", 2, 2, 11747 },
		{ "ipt_do_table", "", 4, 4, 4950 },
		{ "iptable_filter_hook", "", 2, 2, 2423 },
		{ "* [vxlan]", "", 1, 5, 55387 },
		{ "ip_route_output_flow", "", 1, 1, 2936 },
		{ "__skb_gso_segment", "", 1, 1, 16121 },
		{ "skb_segment", "", 1, 1, 9570 },
		{ "skb_checksum", "", 3, 3, 2372 },
		{ "igb_xmit_frame", "", 2, 2, 4004 },
		{ "_raw_*", "", 23, 23, 3087 },
		{ "local_bh_*", "", 32, 32, 1176 },
		{ "_raw_*|local_bh_*|lock_timer_base", "", 48, 58, 4959 },
		{ "add_timer|mod_timer|mod_timer_pending|neigh_add_timer|init_timer_key", "", 4, 6,
		  8324 },
		{ "kmem_cache_alloc*|__kmalloc*|__krealloc|alloc_pages_current", "", 10, 13, 9922 },
		{ "sock_wfree", "", 1, 1, 2499 },
		{ "sch_direct_xmit", "", 1, 1, 26766 },
		{ "*lockdep*", "", 0, 0, 0 },
	};
	static const struct self top[] = {
		{ "nf_conntrack_in", 2, 5327 },     { "nf_iterate", 4, 4755 },
		{ "ipt_do_table", 4, 3608 },        { "dev_hard_start_xmit", 2, 3199 },
		{ "mod_timer", 2, 3193 },           { "ip_finish_output", 2, 3161 },
		{ "skb_segment", 1, 3113 },         { "nf_nat_ipv4_fn", 4, 2736 },
		{ "igb_xmit_frame_ring", 2, 2722 }, { "nf_ct_invert_tuple", 5, 2720 },
		{ "udp_sendmsg", 1, 2529 },         { "__alloc_skb", 3, 2528 },
	};
	struct graph g;

	(void)state;
	if (!graph_of_seed(&g, "002"))
		SKIP_TEST("../shared/seeds is missing");
	assert_int_equal(g.s.calls, 362);
	assert_int_equal(g.s.leaf, 190);
	assert_int_equal(g.s.nested, 172);
	assert_int_equal(g.s.functions.len, 178);
	assert_int_equal(g.s.max_depth, 29);
	assert_int_equal(g.s.orphans + g.s.unclosed + g.s.after_loss + g.s.overfull, 0);
	assert_int_equal(g.s.roots.len, 1);
	assert_int_equal(g.s.roots.data[0].total_ns, 127599);
	assert_int_equal(g.s.roots.data[0].line, 3);
	assert_int_equal(g.s.root_total_ns, 127599);
	assert_int_equal(g.s.self_total_ns, 127599);
	assert_int_equal(graph_function(&g, "udp_sendmsg")->self_ns, 2529);
	check_modules(&g, modules, ARRAY_LEN(modules));
	check_sets(&g, sets, ARRAY_LEN(sets));
	check_top_self(&g, top, ARRAY_LEN(top));
	graph_fini(&g);
}

static void the_sockmap_trace_has_its_known_figures(void **state)
{
	static const struct group modules[] = { { "", 169, 194533, 194533 } };
	static const struct set sets[] = {
		{ "sk_msg_alloc", "", 1, 1, 23782 },
		{ "alloc_pages_noprof", "", 1, 1, 17186 },
		{ "__sk_mem_schedule|sk_msg_return", "", 3, 3, 5199 },
		{ "__mod_zone_page_state", "", 14, 14, 2839 },
		{ "sk_msg_alloc|__kmalloc_cache_noprof", "", 2, 2, 26582 },
		{ "sk_msg_memcopy_from_iter", "", 1, 1, 29818 },
		{ "lock_sock_nested|release_sock", "", 6, 6, 39758 },
		{ "_raw_*", "", 24, 24, 47114 },
		{ "lock_sock_nested|release_sock|_raw_*", "", 18, 30, 55512 },
		{ "__local_bh_*", "", 16, 16, 4148 },
		{ "*lockdep*|do_raw_*|__might_*|fs_reclaim_*|rcu_read_lock_held", "", 34, 39,
		  10780 },
		{ "do_raw_*", "", 24, 24, 5761 },
		{ "rcu_read_lock_held", "", 5, 5, 3367 },
		{ "__rcu_read_*", "", 10, 10, 2068 },
		{ "__cond_resched", "", 4, 4, 861 },
		{ "sk_psock_msg_verdict", "", 1, 1, 6048 },
		{ "tcp_bpf_sendmsg_redir", "", 1, 1, 63929 },
		{ "try_to_wake_up", "", 1, 1, 12872 },
		{ "default_send_IPI_single_phys", "", 1, 1, 5406 },
		{ "irq_enter_rcu|idle_cpu", "", 4, 4, 1010 },
		{ "* [*]", "", 0, 0, 0 },
	};
	static const struct self top[] = {
		{ "sk_msg_memcopy_from_iter", 1, 29609 },
		{ "_raw_spin_lock_bh", 7, 24530 },
		{ "tcp_bpf_sendmsg_redir", 1, 21591 },
		{ "__sys_sendto", 1, 21097 },
		{ "tcp_bpf_sendmsg", 1, 10471 },
		{ "get_page_from_freelist", 1, 7365 },
		{ "_raw_spin_unlock_bh", 7, 5447 },
		{ "default_send_IPI_single_phys", 1, 5406 },
		{ "release_sock", 3, 3626 },
		{ "lock_sock_nested", 3, 3455 },
		{ "inet_sendmsg", 1, 3334 },
		{ "__mod_zone_page_state", 14, 2839 },
	};
	struct graph g;

	(void)state;
	if (!graph_of_seed(&g, "003"))
		SKIP_TEST("../shared/seeds is missing");
	assert_int_equal(g.s.calls, 169);
	assert_int_equal(g.s.leaf, 99);
	assert_int_equal(g.s.nested, 70);
	assert_int_equal(g.s.functions.len, 74);
	assert_int_equal(g.s.max_depth, 13);
	assert_int_equal(g.s.roots.len, 1);
	assert_int_equal(g.s.root_total_ns, 194533);
	assert_int_equal(g.s.self_total_ns, 194533);
	assert_int_equal(g.s.overfull, 0);
	check_modules(&g, modules, ARRAY_LEN(modules));
	check_sets(&g, sets, ARRAY_LEN(sets));
	check_top_self(&g, top, ARRAY_LEN(top));
	graph_fini(&g);
}

static void recursion_is_counted_once(void **state)
{
	const struct calls_function *f;
	struct graph g;

	(void)state;
	graph_of_text(&g, " 0)               |  f() {\n"
			  " 0)               |    g() {\n"
			  " 0)   2.000 us    |      f();\n"
			  " 0)   5.000 us    |    }\n"
			  " 0)   9.000 us    |  }\n"
			  " 0)   1.000 us    |  f();\n");
	f = graph_function(&g, "f");
	assert_int_equal(f->calls, 3);
	assert_int_equal(f->leaf, 2);
	assert_int_equal(f->total_ns, 10000);
	assert_int_equal(f->self_ns, 4000 + 2000 + 1000);
	assert_int_equal(f->min_ns, 1000);
	assert_int_equal(f->p50_ns, 2000);
	assert_int_equal(f->p99_ns, 9000);
	assert_int_equal(f->max_ns, 9000);
	assert_int_equal(f->max_line, 1);
	assert_int_equal(g.s.root_calls, 2);
	assert_int_equal(g.s.root_total_ns, 10000);
	assert_int_equal(g.s.self_total_ns, 10000);
	graph_fini(&g);
}

/*
 * At most 1 in 100 calls is longer than the 99th percentile: none of 99 calls, one of 100 or 199.
 */
static void the_99th_percentile_leaves_one_call_in_a_hundred(void **state)
{
	static const struct {
		unsigned int calls, p50_us, p99_us;
	} cases[] = { { 1, 1, 1 },     { 2, 1, 2 },      { 3, 2, 3 },       { 99, 50, 99 },
		      { 100, 50, 99 }, { 101, 51, 100 }, { 199, 100, 198 }, { 200, 100, 198 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct calls_function *f;
		char text[1 << 14];
		size_t used = 0;
		struct graph g;

		for (unsigned int us = 1; us <= cases[i].calls; us++)
			used += (size_t)snprintf(text + used, sizeof(text) - used,
						 " 0) %3u.000 us    |  f();\n", us);
		graph_of_text(&g, text);
		f = graph_function(&g, "f");
		assert_int_equal(f->p50_ns, cases[i].p50_us * 1000);
		assert_int_equal(f->p99_ns, cases[i].p99_us * 1000);
		graph_fini(&g);
	}
}

static void what_is_not_known_is_not_added(void **state)
{
	struct graph g;

	(void)state;
	/* an orphan around leaves, and an unclosed call around a complete one */
	graph_of_text(&g, " 0)   1.000 us    |    a();\n"
			  " 0)   3.000 us    |  } /* b */\n"
			  " 0)               |  c() {\n"
			  " 0)               |    c() {\n"
			  " 0)   4.000 us    |      a();\n"
			  " 0)   6.000 us    |    }\n");
	assert_int_equal(g.s.orphans, 1);
	assert_int_equal(g.s.unclosed, 1);
	assert_int_equal(g.s.no_self, 2);
	assert_int_equal(g.s.untimed, 1);
	assert_int_equal(graph_function(&g, "b")->total_ns, 3000);
	assert_int_equal(graph_function(&g, "b")->self_ns, 0);
	/* the unclosed c() does not hide the call below it */
	assert_int_equal(graph_function(&g, "c")->total_ns, 6000);
	assert_int_equal(graph_function(&g, "c")->self_ns, 2000);
	graph_fini(&g);
}

/* With tracing_thresh, callers are printed after their callees. */
static void ends_alone_nest_by_their_levels(void **state)
{
	struct graph g;

	(void)state;
	graph_of_text(&g, "# tracer: function_graph\n"
			  " 0) ! 200.000 us  |      } /* f */\n"
			  " 1) ! 900.000 us  |  } /* g */\n"
			  " 0) ! 300.000 us  |    } /* nf_hook [nf_tables] */\n"
			  " 0) ! 150.000 us  |    } /* f */\n"
			  " 0) ! 700.000 us  |  } /* f */\n"
			  " 0) ! 400.000 us  |    } /* g */\n");
	assert_int_equal(g.s.orphans, 6);
	assert_int_equal(g.s.root_topmost, 3);
	assert_int_equal(g.s.root_total_ns, 2000000);
	assert_int_equal(graph_function(&g, "f")->total_ns, 700000);
	assert_int_equal(graph_function(&g, "g")->total_ns, 1300000);
	assert_int_equal(g.s.modules.len, 2);
	VEC_FOREACH (m, &g.s.modules)
		assert_int_equal(m->sum.total_ns, m->module.v ? 300000 : 2000000);
	assert_int_equal(g.s.no_self, 6);
	graph_fini(&g);
}

static void interleaved_cpus_do_not_mix(void **state)
{
	struct graph g;

	(void)state;
	graph_of_text(&g, " 0)               |  f() {\n"
			  " 1)               |  f() {\n"
			  " 0)   1.000 us    |    g();\n"
			  " 1)               |    h() {\n"
			  " 0)               |    h() {\n"
			  " 1)   2.000 us    |      f();\n"
			  " 0)   3.000 us    |      f();\n"
			  " 1)   4.000 us    |    }\n"
			  " 0)   5.000 us    |    }\n"
			  " 0)   8.000 us    |  }\n"
			  " 1)   9.000 us    |  }\n");
	assert_int_equal(graph_function(&g, "f")->total_ns, 17000);
	assert_int_equal(graph_function(&g, "h")->total_ns, 9000);
	assert_int_equal(g.s.self_total_ns, 17000);
	graph_fini(&g);
}

static void long_durations_keep_their_order(void **state)
{
	const struct calls_function *f;
	struct graph g;

	(void)state;
	graph_of_text(&g, " 0)               |  f() {\n"
			  " 0) $ 5000000 us  |    sleep();\n"
			  " 0) $ 7000000 us  |    sleep();\n"
			  " 0) $ 6000000 us  |    sleep();\n"
			  " 0)   1.000 us    |    sleep();\n"
			  " 0) $ 18000002 us |  }\n");
	f = graph_function(&g, "sleep");
	assert_int_equal(f->p50_ns, UINT64_C(5000000000));
	assert_int_equal(f->p99_ns, UINT64_C(7000000000));
	assert_int_equal(f->max_ns, UINT64_C(7000000000));
	assert_int_equal(f->max_line, 3);
	assert_int_equal(f->total_ns, UINT64_C(18000001000));
	assert_int_equal(graph_function(&g, "f")->self_ns, 1000);
	graph_fini(&g);
}

static void categories_count_their_parts_in(void **state)
{
	struct graph g;
	category_id network;
	category_id vxlan;
	uint64_t seen = 0;

	(void)state;
	assert_true(category_find(STR("network"), &network));
	assert_true(category_find(STR("network/vxlan"), &vxlan));
	graph_of_text(&g, " 0)               |  udp_sendmsg() {\n"
			  " 0)               |    vxlan_xmit [vxlan]() {\n"
			  " 0)   2.000 us    |      udp_tunnel_xmit_skb();\n"
			  " 0)   4.000 us    |    }\n"
			  " 0)   9.000 us    |  }\n");
	VEC_FOREACH (c, &g.s.categories) {
		if (c->category.v == network.v) {
			assert_int_equal(c->sum.topmost, 1);
			assert_int_equal(c->sum.total_ns, 9000);
			assert_int_equal(c->sum.self_ns, 9000);
			seen++;
		} else if (c->category.v == vxlan.v) {
			assert_int_equal(c->sum.total_ns, 4000);
			seen++;
		}
	}
	assert_int_equal(seen, 2);
	graph_fini(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_udp_trace_has_its_known_figures),
		cmocka_unit_test(the_sockmap_trace_has_its_known_figures),
		cmocka_unit_test(recursion_is_counted_once),
		cmocka_unit_test(the_99th_percentile_leaves_one_call_in_a_hundred),
		cmocka_unit_test(what_is_not_known_is_not_added),
		cmocka_unit_test(ends_alone_nest_by_their_levels),
		cmocka_unit_test(interleaved_cpus_do_not_mix),
		cmocka_unit_test(long_durations_keep_their_order),
		cmocka_unit_test(categories_count_their_parts_in),
	};

	return cmocka_run_group_tests_name("calls_summary", tests, NULL, NULL);
}
