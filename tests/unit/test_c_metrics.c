/* SPDX-License-Identifier: MIT */
/* Metrics of C sources: functions, metrics, ranks. */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "config.h"
#include "metrics/code/c_functions.h"
#include "metrics/code/c_tokens.h"
#include "metrics/risk.h"

#include <math.h>
#include <stdio.h>

static const struct risk_function *find(const struct risk_tree *t, const char *name)
{
	VEC_FOREACH (f, &t->functions) {
		if (str_eq(f->name, str_of(name)))
			return f;
	}
	return NULL;
}

/* Expects @want: the names of the functions in @text, joined by blanks. */
static void names_are(const char *text, const char *want)
{
	struct c_tokens t;
	struct c_functions f;
	char got[512] = "";

	c_tokens_init(&t, str_of(text));
	c_functions_init(&f, &t);
	VEC_FOREACH (x, &f.items) {
		strncat(got, *got ? " " : "", sizeof(got) - strlen(got) - 1);
		strncat(got, x->name.p,
			x->name.len < sizeof(got) - strlen(got) - 1 ? x->name.len : 0);
	}
	assert_string_equal(got, want);
	c_functions_fini(&f);
	c_tokens_fini(&t);
}

static void test_annotations_are_never_the_name(void **state)
{
	(void)state;
	names_are("int OVS_EXCLUDED(mutex) foo(int a) OVS_REQUIRES(m)\n{ }\n"
		  "static int __init bar(void) __acquires(x) __must_hold(&y) { }\n"
		  "__printf(1, 2) void baz(const char *f, ...) { }\n"
		  "__attribute__((noinline)) static long qux(void) { }\n"
		  "_In_opt_(x) VOID Quux(int a) { }\n",
		  "foo bar baz qux Quux");
}

static void test_macros_make_definitions_named_by_their_argument(void **state)
{
	(void)state;
	names_are("SYSCALL_DEFINE2(pick, int, fd, int, flags)\n{ }\n"
		  "BPF_CALL_1(bpf_get, void *, p)\n{ }\n"
		  "uint64_t XXH64(const void *p) { }\n",
		  "pick bpf_get XXH64");
}

static void test_what_is_no_function_is_none(void **state)
{
	(void)state;
	names_are("struct a { int b; };\nint t[] = { 1, 2 };\n"
		  "static const struct ops o = { .f = g(1) };\nenum e { A, B };\n"
		  "typedef struct { int x; } y;\nint declared(int a);\n"
		  "DEFINE_THING(a, b, 0)\nenum { C };\n#define m(x) { }\n"
		  "extern \"C\" {\nint inside(void) { return 0; }\n}\n",
		  "inside");
}

static void test_function_pointers_and_old_style(void **state)
{
	(void)state;
	names_are("int (*pick(int a))(int) { return 0; }\n"
		  "int old(a, b)\n\tint a;\n\tchar *b;\n{\n}\n"
		  "int (plain)(int a) { return a; }\nmain() { }\n",
		  "pick old plain main");
}

static void test_unbalanced_arms_and_macros_stay_in_their_function(void **state)
{
	(void)state;
	names_are("int one(int a)\n{\n#ifdef X\n\tif (a) {\n#else\n\tif (!a) {\n#endif\n\t}\n}\n"
		  "int two(int a)\n{\n\tOPEN_BRACE {\n\treturn a;\n}\n"
		  "int three(int a)\n{\n\tCLOSE }\n\treturn a;\n}\nint four(void) { }\n",
		  "one two three four");
}

static void test_hostile_text_ends(void **state)
{
	char *deep = malloc(400001);
	struct c_tokens t;
	struct c_functions f;

	(void)state;
	for (int kind = 0; kind < 3; kind++) {
		const char *piece = kind == 0 ? "{(" : kind == 1 ? "f()" : "/*";

		for (size_t i = 0; i < 400000; i++)
			deep[i] = piece[i % strlen(piece)];
		c_tokens_init(&t, (struct str){ deep, 400000 });
		c_functions_init(&f, &t);
		c_functions_fini(&f);
		c_tokens_fini(&t);
	}
	names_are("", "");
	names_are("int f(", "");
	names_are("int f() { \"", "f");
	free(deep);
}

static void measure(const char *text, struct risk_tree *t)
{
	struct risk_options options = { .has_compat = false };
	struct error err = { "" };

	assert_int_equal(risk_measure_text(STR("made-up.c"), str_of(text), &options, t, &err), OK);
}

static void metric_is(const struct risk_tree *t, const char *function, const char *title,
		      double want)
{
	const struct risk_function *f = find(t, function);
	unsigned int m = risk_metric_find(str_of(title));

	assert_non_null(f);
	assert_true(m < RISK_METRIC_COUNT);
	if (isnan(want) ? !isnan(f->m[m]) : f->m[m] != want) {
		print_error("%s of %s is %g, not %g\n", title, function, f->m[m], want);
		assert_true(false);
	}
}

static void test_leopard_counts_nests_and_conditions(void **state)
{
	struct risk_tree t;

	(void)state;
	if (!HAVE_TREE_SITTER)
		SKIP_TEST("this build has no tree-sitter");
	measure("int nest(int n, char *p)\n{\n\tint i;\n\tif (n > 0) {\n"
		"\t\tfor (i = 0; i < n; i++) {\n\t\t\tif (i == 1 && n)\n\t\t\t\tp[i]++;\n"
		"\t\t\telse if (p->x)\n\t\t\t\tn--;\n\t\t}\n\t}\n"
		"\twhile (*p)\n\t\tp++;\n\treturn use(p, n, 3);\n}\n",
		&t);
	metric_is(&t, "nest", "leopard-c1", 7);
	metric_is(&t, "nest", "cyclomatic", 7);
	metric_is(&t, "nest", "loops", 2);
	metric_is(&t, "nest", "nested-loops", 0);
	metric_is(&t, "nest", "loop-nesting", 1);
	metric_is(&t, "nest", "leopard-v1", 2);
	metric_is(&t, "nest", "leopard-v2", 2); /* p, n */
	metric_is(&t, "nest", "leopard-v3", 4); /* p[i], p->x, *p, p++ */
	metric_is(&t, "nest", "leopard-v4", 1);
	metric_is(&t, "nest", "leopard-v5", 4);
	metric_is(&t, "nest", "leopard-v6", 5); /* for in an if; both inner ifs in for and if */
	metric_is(&t, "nest", "leopard-v7", 3);
	metric_is(&t, "nest", "leopard-v8", 4);
	metric_is(&t, "nest", "leopard-v9", 3);  /* n in an if, a for and an if */
	metric_is(&t, "nest", "leopard-v10", 2); /* the outer if and the last else if */
	metric_is(&t, "nest", "leopard-v11", 3); /* n, i, p */
	risk_tree_fini(&t);
}

static void test_cognitive_follows_nesting(void **state)
{
	struct risk_tree t;

	(void)state;
	if (!HAVE_TREE_SITTER)
		SKIP_TEST("this build has no tree-sitter");
	measure("int f(int a, int b)\n{\n"
		"\tif (a && b && a) {\n"                   /* 1, and 1 for the run of && */
		"\t\twhile (a || b && a)\n"                /* 2, and 1 for each of 2 runs */
		"\t\t\ta = b ? 1 : 2;\n"                   /* 3: nested twice */
		"\t} else if (a) {\n\t\tf(a, b);\n"        /* 1, and 1 for the recursion */
		"\t} else {\n\t\tgoto out;\n\t}\n"         /* 1 for else, 1 for goto */
		"\tswitch (a) { case 1: if (b) a = 1; }\n" /* 1 for switch, 2 for the if in it */
		"out:\n\treturn a;\n}\n",
		&t);
	metric_is(&t, "f", "cognitive", 16);
	metric_is(&t, "f", "recursive", 1);
	risk_tree_fini(&t);
}

static void test_parameters_of_all_shapes(void **state)
{
	struct risk_tree t;

	(void)state;
	if (!HAVE_TREE_SITTER)
		SKIP_TEST("this build has no tree-sitter");
	measure("#if 0\nint never(void) { return 0; }\n#endif\nint none(void) { return 0; }\nint "
		"empty() { return 0; }\n"
		"char *three(struct a *x, int (*cb)(int, void *), char v[2][3]) { return 0; }\n"
		"int dots(const char *f, ...) { return 0; }\nint unnamed(int, char *) { return 0; "
		"}\n"
		"SYSCALL_DEFINE3(call, int, a, char *, b, long, c) { return 0; }\n",
		&t);
	assert_null(find(&t, "never"));
	metric_is(&t, "none", "parameters", 0);
	metric_is(&t, "empty", "parameters", 0);
	metric_is(&t, "three", "parameters", 3);
	metric_is(&t, "three", "leopard-v1", 3);
	metric_is(&t, "dots", "parameters", 1);
	metric_is(&t, "unnamed", "parameters", 2);
	metric_is(&t, "unnamed", "leopard-v1", 0);
	metric_is(&t, "call", "parameters", 3);
	risk_tree_fini(&t);
}

static void test_call_graph_counts_sets(void **state)
{
	struct risk_tree t;

	(void)state;
	if (!HAVE_TREE_SITTER)
		SKIP_TEST("this build has no tree-sitter");
	measure("static int d(int a) { return a; }\n"
		"static int b(int a) { return d(a); }\nstatic int c(int a) { return d(a) + d(1); "
		"}\n"
		"int a1(int a) { return b(a) + c(a); }\nEXPORT_SYMBOL(a1);\n"
		"static int x(int a);\nstatic int y(int a) { return x(a); }\n"
		"static int x(int a) { return a ? y(a - 1) : 0; }\n"
		"static int alone(int d) { return d; }\n",
		&t);
	metric_is(&t, "a1", "callees", 2);
	metric_is(&t, "a1", "reach", 3);
	metric_is(&t, "a1", "entry-depth", 0);
	metric_is(&t, "d", "entry-depth", 2);
	metric_is(&t, "d", "callers", 2); /* alone() is no caller: d is a variable there */
	metric_is(&t, "d", "reached-by", 3);
	metric_is(&t, "x", "recursive", 1);
	metric_is(&t, "y", "recursive", 1);
	metric_is(&t, "d", "recursive", 0);
	metric_is(&t, "x", "reach", 1);
	metric_is(&t, "x", "entry-depth", NAN);
	risk_tree_fini(&t);
}

static void test_bins_hold_equal_complexity_and_rounds_fall_with_v(void **state)
{
	struct risk_tree t;

	(void)state;
	if (!HAVE_TREE_SITTER)
		SKIP_TEST("this build has no tree-sitter");
	measure("int a(int p) { return p; }\nint b(int p, int q) { return p; }\n"
		"int c(int p, int q) { return q; }\nint d(int p) { if (p) return 1; return 2; }\n",
		&t);
	metric_is(&t, "a", "leopard-bin", 1);
	metric_is(&t, "d", "leopard-bin", 2);
	metric_is(&t, "b", "leopard-k", 1);
	metric_is(&t, "c", "leopard-k", 1);
	metric_is(&t, "a", "leopard-k", 3);
	metric_is(&t, "d", "leopard-k", 1);
	assert_int_equal(find(&t, "d")->rank, 1);
	risk_tree_fini(&t);
}

static void test_deep_nesting_is_counted_but_not_parsed(void **state)
{
	struct risk_tree t;
	char *text;
	size_t n = 0;

	(void)state;
	if (!HAVE_TREE_SITTER)
		SKIP_TEST("this build has no tree-sitter");
	text = malloc(400100);
	assert_non_null(text);
	n += (size_t)sprintf(text, "int f(int a)\n{\n");
	memset(text + n, '{', 100000);
	n += 100000;
	memset(text + n, '}', 100000);
	n += 100000;
	strcpy(text + n, "\n}\nint g(void) { return 1; }\n");
	measure(text, &t);
	assert_int_equal(t.functions.len, 2);
	assert_int_equal(t.n_unmeasured, 1);
	metric_is(&t, "f", "cognitive", NAN);
	metric_is(&t, "f", "cyclomatic", 1);
	metric_is(&t, "g", "returns", 1);
	risk_tree_fini(&t);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_annotations_are_never_the_name),
		cmocka_unit_test(test_macros_make_definitions_named_by_their_argument),
		cmocka_unit_test(test_what_is_no_function_is_none),
		cmocka_unit_test(test_function_pointers_and_old_style),
		cmocka_unit_test(test_unbalanced_arms_and_macros_stay_in_their_function),
		cmocka_unit_test(test_hostile_text_ends),
		cmocka_unit_test(test_leopard_counts_nests_and_conditions),
		cmocka_unit_test(test_cognitive_follows_nesting),
		cmocka_unit_test(test_parameters_of_all_shapes),
		cmocka_unit_test(test_call_graph_counts_sets),
		cmocka_unit_test(test_bins_hold_equal_complexity_and_rounds_fall_with_v),
		cmocka_unit_test(test_deep_nesting_is_counted_but_not_parsed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
