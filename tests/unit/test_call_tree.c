/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyses/calls/call_tree.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/load.h"

static const char trace[] = "# tracer: function_graph\n#\n"
			    " 0)               |  a() {\n"
			    " 0)   1.000 us    |    b();\n"
			    " 0)               |    c() {\n"
			    " 0)   2.000 us    |      b();\n"
			    " 0)   3.000 us    |    }\n"
			    " 0)   1.500 us    |    b();\n"
			    " 0)               |    c() {\n"
			    " 0)   4.000 us    |      d [m]();\n"
			    " 0)   6.000 us    |    }\n"
			    " 0) + 20.000 us   |  }\n"
			    " 0)   0.500 us    |  b();\n";

/* "a 1 20000|.b 2 2500|..." : depth as dots, name, calls, total. */
static void check_tree(const struct call_tree_options *options, const char *expected,
		       unsigned int not_kept)
{
	struct dossier *d = dossier_new();
	struct document *doc = NULL;
	struct out text = { .fd = -1 };
	struct call_tree tree;

	assert_int_equal(document_from_memory(str_of(trace), NULL, &doc, NULL), OK);
	assert_int_equal(load_document(d, doc, "test", NULL, NULL), OK);
	call_tree_build(d->captures.data[0], options, &tree);
	for (uint32_t i = tree.first; i != INDEX_NONE; i = call_tree_next(&tree, i)) {
		const struct call_node *n = &tree.nodes.data[i];

		for (unsigned int k = 0; k < n->depth; k++)
			out_char(&text, '.');
		out_printf(&text, STR_FMT " %u %u|", STR_ARG(symbols_name(&d->symbols, n->sym)),
			   (unsigned int)n->calls, (unsigned int)n->total_ns);
	}
	out_char(&text, '\0');
	assert_string_equal(text.data, expected);
	assert_int_equal(tree.not_kept, not_kept);
	call_tree_fini(&tree);
	out_fini(&text);
	dossier_free(d);
	document_free(doc);
}

static void equal_paths_are_one_node(void **state)
{
	(void)state;
	check_tree(&(struct call_tree_options){ .levels = 0 },
		   "a 1 20000|.b 2 2500|.c 2 9000|..b 1 2000|..d 1 4000|b 1 500|", 0);
}

static void levels_are_cut(void **state)
{
	(void)state;
	check_tree(&(struct call_tree_options){ .levels = 2 },
		   "a 1 20000|.b 2 2500|.c 2 9000|b 1 500|", 2);
}

static void a_line_opens(void **state)
{
	(void)state;
	check_tree(&(struct call_tree_options){ .expand = STR("c") },
		   "a 1 20000|.b 2 2500|.c 1 3000|..b 1 2000|.c 1 6000|..d 1 4000|b 1 500|", 0);
	check_tree(&(struct call_tree_options){ .expand = STR("L4") },
		   "a 1 20000|.b 1 1000|.c 2 9000|..b 1 2000|..d 1 4000|.b 1 1500|b 1 500|", 0);
	check_tree(&(struct call_tree_options){ .expand = STR("nothing") },
		   "a 1 20000|.b 2 2500|.c 2 9000|..b 1 2000|..d 1 4000|b 1 500|", 0);
}

static void trees_begin_below_what_is_asked_for(void **state)
{
	(void)state;
	check_tree(&(struct call_tree_options){ .under = STR("c") },
		   "c 2 9000|.b 1 2000|.d 1 4000|", 0);
	check_tree(&(struct call_tree_options){ .under = STR("nothing") }, "", 0);
}

static void others_are_left_out(void **state)
{
	(void)state;
	check_tree(&(struct call_tree_options){ .only = STR("a|b|* [m]") },
		   "a 1 20000|.b 3 4500|.d 1 4000|b 1 500|", 0);
	check_tree(&(struct call_tree_options){ .only = STR("b"), .under = STR("a") }, "b 3 4500|",
		   0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_paths_are_one_node),
		cmocka_unit_test(levels_are_cut),
		cmocka_unit_test(a_line_opens),
		cmocka_unit_test(trees_begin_below_what_is_asked_for),
		cmocka_unit_test(others_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
