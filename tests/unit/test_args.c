/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/command/args.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"

#include <stdio.h>

struct chosen {
	bool json;
	bool children;
	const char *sort;
	uint64_t limit;
	double percent;
	unsigned int color;
	struct args_list inputs;
};

static int parse(struct chosen *c, char **argv, int *ret_first, struct error *err)
{
	struct args_option options[] = {
		OPT_FLAG("json", 'j', &c->json, "as JSON"),
		OPT_FLAG("children", 0, &c->children, "add callees"),
		OPT_DEFAULT(TEXT, "sort", 's', "KEYS", "sym", &c->sort, "sort by"),
		OPT(COUNT, "sum", 0, "N", &c->limit, "sum"),
		OPT(NUMBER, "percent-limit", 0, "P", &c->percent, "limit"),
		OPT(CHOICE, "color", 0, "auto|always|never", &c->color, "colour"),
		OPT(LIST, "input", 'i', "FILE", &c->inputs, "read"),
		ARGS_END,
	};
	struct args_spec spec = { "t", "FILE...", "test", options, NULL };
	int argc = 0;

	while (argv[argc])
		argc++;
	return args_parse(&spec, argc, argv, ret_first, err);
}

#define ARGV(...) ((char *[]){ (char[]){ "t" }, __VA_ARGS__, NULL })
#define W(s)      ((char[]){ s })

static void options_and_operands_may_be_mixed(void **state)
{
	struct chosen c = { .children = true };
	struct error err = { "" };
	int first;
	char **argv = ARGV(W("a"), W("--json"), W("-s"), W("dso"), W("b"), W("--no-children"),
			   W("-ix"), W("--"), W("-y"));

	(void)state;
	assert_int_equal(parse(&c, argv, &first, &err), ARGS_RUN);
	assert_true(c.json);
	assert_false(c.children);
	assert_string_equal(c.sort, "dso");
	assert_int_equal(c.inputs.items.len, 1);
	assert_string_equal(argv[first], "a");
	assert_string_equal(argv[first + 1], "b");
	assert_string_equal(argv[first + 2], "-y");
	VEC_FREE(&c.inputs.items);
}

static void long_names_may_be_abbreviated(void **state)
{
	struct chosen c = { 0 };
	struct error err = { "" };
	int first;

	(void)state;
	assert_int_equal(parse(&c, ARGV(W("--perc=0.5"), W("--col"), W("never")), &first, &err),
			 ARGS_RUN);
	assert_true(c.percent > 0.49 && c.percent < 0.51);
	assert_int_equal(c.color, 2);
}

static void usage_errors_are_one_sentence(void **state)
{
	static const struct {
		const char *word;
		const char *sentence;
	} cases[] = {
		{ "--nope", "unknown option '--nope'" },
		{ "-z", "unknown option '-z'" },
		{ "--s", "'--s' could be --sort or --sum" },
		{ "--sort", "'--sort' wants an argument: KEYS" },
		{ "--json=1", "--json takes no argument" },
		{ "--sum=x", "--sum wants a whole number, not 'x'" },
		{ "--percent-limit=-1", "--percent-limit wants a number, not '-1'" },
		{ "--color=red", "--color knows auto|always|never, not 'red'" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct chosen c = { 0 };
		struct error err = { "" };
		char word[32];
		int first;

		(void)snprintf(word, sizeof(word), "%s", cases[i].word);
		assert_int_equal(parse(&c, ARGV(word), &first, &err), ERR_USAGE);
		assert_string_equal(err.msg, cases[i].sentence);
	}
}

static void lists_of_words_take_the_start_of_a_word(void **state)
{
	static const char *const words[] = { "comm", "dso", "sym", "symbol", NULL };
	struct error err = { "" };
	unsigned int got[4];
	size_t n;

	(void)state;
	assert_int_equal(args_words("dso,sym, com", words, got, 4, &n, &err), OK);
	assert_int_equal(n, 3);
	assert_int_equal(got[0], 1);
	assert_int_equal(got[1], 2);
	assert_int_equal(got[2], 0);
	assert_int_equal(args_words("dso,x", words, got, 4, &n, &err), ERR_USAGE);
	assert_string_equal(err.msg, "'x' is none of comm, dso, sym, symbol");
	assert_int_equal(args_words("sy", words, got, 4, &n, &err), ERR_USAGE);
}

static void help_names_every_option(void **state)
{
	struct args_option options[] = {
		ARGS_HEADING("output"),
		OPT_FLAG("json", 'j', NULL, "as JSON"),
		OPT_DEFAULT(TEXT, "sort", 0, "KEYS", "sym", NULL, "sort by"),
		ARGS_END,
	};
	struct args_spec spec = { "t", "FILE...", "test", options, "tail" };
	struct out out;

	(void)state;
	out_init(&out);
	args_help(&spec, &out, 80);
	assert_str(out_view(&out), "usage: t [options] FILE...\n\ntest\n\noutput:\n"
				   "  -j, --json                as JSON\n"
				   "      --sort KEYS           sort by [sym]\n"
				   "  -h, --help                this page\n\ntail\n");
	out_fini(&out);
}

static void help_fits_the_width(void **state)
{
	struct args_option options[] = {
		OPT_DEFAULT(TEXT, "sort", 0, "KEYS", "sym", NULL, "sort by these keys"),
		ARGS_END,
	};
	struct args_spec spec = { "t", "FILE", "what is hot", options,
				  "more words\n  a command that is longer" };
	struct out out;

	(void)state;
	out_init(&out);
	args_help(&spec, &out, 46);
	assert_str(out_view(&out), "usage: t [options] FILE\n\nwhat is hot\n\noptions:\n"
				   "      --sort KEYS           sort by these keys\n"
				   "                            [sym]\n"
				   "  -h, --help                this page\n\nmore words\n"
				   "  a command that is longer\n");
	args_help(&spec, &out, 9);
	assert_true(str_find(out_view(&out), STR("what is\nhot\n")) < out.len);
	assert_true(str_find(out_view(&out), STR("more\nwords\n  a command that is longer\n")) <
		    out.len);
	out_fini(&out);
}

static void times_and_sizes_have_units(void **state)
{
	static const char *const not_times[] = { "", "s", "10x", "0", "-1s", "2M", "1e30h", "1 s" };
	static const char *const not_sizes[] = {
		"", "K", "10x", "0", "-1", "1.5M", "18446744073709551615G"
	};
	struct error err;
	uint64_t v = 0;

	(void)state;
	assert_int_equal(args_time(STR("10"), &v, &err), OK);
	assert_true(v == UINT64_C(10000000000));
	assert_int_equal(args_time(STR("1.5ms"), &v, &err), OK);
	assert_true(v == 1500000);
	assert_int_equal(args_time(STR("2m"), &v, &err), OK);
	assert_true(v == UINT64_C(120000000000));
	for (size_t i = 0; i < ARRAY_LEN(not_times); i++)
		assert_int_equal(args_time(str_of(not_times[i]), &v, &err), ERR_USAGE);
	assert_int_equal(args_size(STR("512"), &v, &err), OK);
	assert_true(v == 512);
	assert_int_equal(args_size(STR("3k"), &v, &err), OK);
	assert_true(v == 3072);
	assert_int_equal(args_size(STR("2G"), &v, &err), OK);
	assert_true(v == UINT64_C(2) << 30);
	for (size_t i = 0; i < ARRAY_LEN(not_sizes); i++)
		assert_int_equal(args_size(str_of(not_sizes[i]), &v, &err), ERR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_and_operands_may_be_mixed),
		cmocka_unit_test(long_names_may_be_abbreviated),
		cmocka_unit_test(usage_errors_are_one_sentence),
		cmocka_unit_test(lists_of_words_take_the_start_of_a_word),
		cmocka_unit_test(help_names_every_option),
		cmocka_unit_test(help_fits_the_width),
		cmocka_unit_test(times_and_sizes_have_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
