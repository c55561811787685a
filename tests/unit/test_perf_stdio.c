/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/profile.h"
#include "core/strings.h"
#include "profiles.h"
#include "render/perf_stdio.h"
#include "seeds.h"
#include "transform/recover.h"

static void print(const struct capture *c, struct perf_stdio_options options, struct out *out)
{
	struct error err;

	out_init(out);
	assert_int_equal(perf_stdio_print(out, c, &options, &err), OK);
}

/*
 * Expects the lines of @text in the seed file, in order from line @first on; returns their number.
 */
static size_t lines_as_in_seed(struct str text, const char *prefix, uint32_t first)
{
	char pattern[4096];
	static char seed[2 << 20];
	struct str rest = { seed, 0 };
	struct str want, have;
	size_t n = 0;
	glob_t found;
	FILE *f;

	snprintf(pattern, sizeof(pattern), "%s/seeds/%s_*.txt", getenv("ASSAY_SHARED"), prefix);
	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	f = fopen(found.gl_pathv[0], "r");
	assert_non_null(f);
	rest.len = fread(seed, 1, sizeof(seed), f);
	fclose(f);
	globfree(&found);
	for (uint32_t i = 1; i < first; i++)
		assert_true(str_line(&rest, &want));
	while (str_line(&text, &have)) {
		assert_true(str_line(&rest, &want));
		if (!str_eq(str_rtrim(have), str_rtrim(want))) {
			print_error("line %u: '" STR_FMT "' is not '" STR_FMT "'\n",
				    first + (unsigned int)n, STR_ARG(have), STR_ARG(want));
			assert_true(false);
		}
		n++;
	}
	return n;
}

static void the_recovered_attachment_prints_as_it_was(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct recover_result r;
	struct capture *c;
	struct out out;

	(void)state;
	if (!seed_load(d, "001"))
		SKIP_TEST("../shared/seeds is missing");
	c = seed_largest_table(d);
	recover_samples(c, &r);
	assert_int_equal(r.recovery, RECOVERY_EXACT);
	print(c, (struct perf_stdio_options){ .percent_limit = -1 }, &out);
	/* lines 849 to 9488: the report without the tip and the trailer of the list */
	assert_int_equal(lines_as_in_seed(out_view(&out), "001", 849), 9488 - 849 + 1);
	out_fini(&out);
}

static void a_report_with_new_trees_prints_as_it_was(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct recover_result r;
	struct capture *c;
	struct out out;

	(void)state;
	if (!seed_load(d, "000"))
		SKIP_TEST("../shared/seeds is missing");
	c = seed_largest_table(d);
	recover_samples(c, &r);
	print(c, (struct perf_stdio_options){ .percent_limit = -1 }, &out);
	assert_true(lines_as_in_seed(out_view(&out), "000", 5) > 840);
	out_fini(&out);
}

static const char stacks[] = "app;main;f;g;f;g 3\n"
			     "app;main;f 2\n"
			     "app;main;h;sys_read_[k] 4\n"
			     "other;main;h 1\n";

static void samples_are_drawn_as_perf_does(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = profile_of_folded(d, stacks);
	struct out out;

	(void)state;
	c->profile->event = strings_add(&d->strings, STR("cycles"));
	print(c, (struct perf_stdio_options){ .percent_limit = 15 }, &out);
	assert_str(out_view(&out),
		   "# To display the perf.data header info, please use --header/--header-only "
		   "options.\n"
		   "#\n"
		   "#\n"
		   "# Samples: 4  of event 'cycles'\n"
		   "#\n"
		   "# Children      Self  Command  Shared Object      Symbol      \n"
		   "# ........  ........  .......  .................  ............\n"
		   "#\n"
		   "    90.00%     0.00%  app      app                [.] main\n"
		   "    50.00%    20.00%  app      app                [.] f\n"
		   "            |\n"
		   "            ---f\n"
		   "               |          \n"
		   "               |--30.00%--g\n"
		   "               |          f\n"
		   "               |          main\n"
		   "               |          \n"
		   "                --20.00%--main\n"
		   "\n"
		   "    40.00%    40.00%  app      [kernel.kallsyms]  [k] sys_read\n"
		   "            |\n"
		   "            ---sys_read\n"
		   "               h\n"
		   "               main\n"
		   "\n"
		   "    40.00%     0.00%  app      app                [.] h\n"
		   "            |\n"
		   "            ---h\n"
		   "               main\n"
		   "\n"
		   "    30.00%    30.00%  app      app                [.] g\n"
		   "            |\n"
		   "            ---g\n"
		   "               f\n"
		   "               g\n"
		   "               f\n"
		   "               main\n"
		   "\n"
		   "    10.00%    10.00%  other    app                [.] h\n"
		   "    10.00%     0.00%  other    app                [.] main\n");
	out_fini(&out);
	print(c, (struct perf_stdio_options){ .no_children = true, .no_trees = true }, &out);
	assert_true(str_contains(out_view(&out), STR("# Overhead  Command")));
	assert_true(str_contains(out_view(&out), STR("\n    40.00%  app      [kernel.kallsyms]")));
	out_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_recovered_attachment_prints_as_it_was),
		cmocka_unit_test(a_report_with_new_trees_prints_as_it_was),
		cmocka_unit_test(samples_are_drawn_as_perf_does),
	};

	return cmocka_run_group_tests_name("perf_stdio", tests, NULL, NULL);
}
