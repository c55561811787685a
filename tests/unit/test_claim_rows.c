/* SPDX-License-Identifier: MIT */
/*
 * Claims, and figures in prose, about recordings: tests/edges/claims.tab has lines of claim, and
 * outcome with its figure, interval, lines and reasons, below a line "= PATH..." of the inputs.
 * Claims that begin with ": " are prose. Limits are just below and just above the interval.
 *
 * UPDATE=1 writes the outcomes of this build into the file: read its git diff then.
 */
#include "unit.h"

#include "base/out.h"
#include "base/str.h"
#include "claim_rows.h"

static void claims_come_out_as_they_did(void **state)
{
	struct recordings r = { .d = NULL };
	struct out now = { .fd = -1 };
	size_t wrong = 0, n = 0;
	struct str rest, line;
	char path[2048];
	char *text;

	(void)state;
	(void)snprintf(path, sizeof(path), "%s/tests/edges/claims.tab", unit_source());
	text = read_whole(path);
	rest = str_of(text);
	while (str_line(&rest, &line)) {
		struct str claim = str_sub(line, 0, str_find_char(line, '\t'));
		struct str expected = str_skip(line, claim.len + 1);
		struct out is = { .fd = -1 };

		if (str_take(&line, STR("= "))) {
			recordings_load(&r, line);
			out_printf(&now, "= " STR_FMT "\n", STR_ARG(line));
			continue;
		}
		assert_non_null(r.d);
		row_print(&r, claim, &is);
		if (!str_eq(out_view(&is), expected)) {
			print_error(STR_FMT ": " STR_FMT ":\n  " STR_FMT "\n  is " STR_FMT "\n",
				    STR_ARG(r.paths), STR_ARG(claim), STR_ARG(expected),
				    STR_ARG(out_view(&is)));
			wrong++;
		}
		out_printf(&now, STR_FMT "\t" STR_FMT "\n", STR_ARG(claim), STR_ARG(out_view(&is)));
		out_fini(&is);
		n++;
	}
	recordings_fini(&r);
	if (wrong && getenv("UPDATE")) {
		FILE *f = fopen(path, "we");

		assert_non_null(f);
		(void)fwrite(now.data, 1, now.len, f);
		(void)fclose(f);
	}
	out_fini(&now);
	free(text);
	assert_int_equal(wrong, 0);
	assert_true(n > 300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(claims_come_out_as_they_did),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
