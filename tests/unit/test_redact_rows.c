/* SPDX-License-Identifier: MIT */
/*
 * Texts without their names: tests/edges/redact.tab has lines of text, the places of its changed
 * vowels, and the shapes found in it as PLACE+LENGTH and the letter of the shape; p: names of
 * people from there. Replacements are consonants chosen by a hash, so only vowels show a replaced
 * name.
 *
 * UPDATE=1 writes the results of this build into the file: read its git diff then.
 */
#include "unit.h"

#include "base/out.h"
#include "base/str.h"
#include "core/names/redact.h"
#include "explain/redact/redact_shapes.h"
#include "explain/redact/redact_text.h"

#include <stdio.h>
#include <stdlib.h>

static void redacted(struct str text, struct out *ret)
{
	static const struct redact_key key = { 17, 4 };
	struct redact_text r;

	redact_text_init(&r, &key);
	redact_text_learn(&r, text);
	redact_text_write(&r, text, ret);
	redact_text_fini(&r);
}

/* Write @before with '#' for each vowel that is not in @after. */
static void vowels(struct str before, struct str after, struct out *ret)
{
	for (size_t i = 0; i < before.len; i++) {
		bool is_vowel = strchr("aeiouAEIOU", before.p[i]) != NULL;

		out_char(ret, is_vowel && after.p[i] != before.p[i] ? '#' : before.p[i]);
	}
	if (after.len != before.len)
		out_printf(ret, " %zu longer", after.len - before.len);
}

static void shapes(struct str line, struct out *ret)
{
	static const char letters[] = "-4xmh/e";

	for (size_t at = 0; at < line.len; at++) {
		enum redact_shape shape = REDACT_SHAPE_NONE;
		size_t n = redact_shape_find(line, at, &shape);

		if (n)
			out_printf(ret, "%zu+%zu%c ", at, n, letters[shape]);
	}
	if (redact_shape_people(line) < line.len)
		out_printf(ret, "%zup ", redact_shape_people(line));
	out_printf(ret, "%zuw%s%s", redact_shape_word(line),
		   redact_shape_is_common(line) ? " common" : "",
		   redact_shape_is_private(line) ? " private" : "");
}

/* Each address of @before is still an address in @after, of the same length. */
static bool has_addresses(struct str before, struct str after)
{
	bool ret = true;

	for (size_t at = 0; at < before.len && after.len == before.len; at++) {
		enum redact_shape is = REDACT_SHAPE_NONE, now = REDACT_SHAPE_NONE;
		size_t n = redact_shape_find(before, at, &is);

		if (n && is == REDACT_SHAPE_IPV4)
			ret &= redact_shape_find(after, at, &now) == n && now == is;
	}
	return ret;
}

static void texts_lose_their_names_as_they_did(void **state)
{
	static char text[1 << 20];
	struct str rest = { text, 0 }, line;
	struct out now = { .fd = -1 };
	size_t wrong = 0, n = 0;
	char path[4096];
	FILE *f;

	(void)state;
	(void)snprintf(path, sizeof(path), "%s/tests/edges/redact.tab", unit_source());
	f = fopen(path, "re");
	assert_non_null(f);
	rest.len = fread(text, 1, sizeof(text), f);
	(void)fclose(f);
	while (str_line(&rest, &line)) {
		struct str before = str_sub(line, 0, str_find_char(line, '\t'));
		struct out after = { .fd = -1 };
		size_t from = now.len;
		struct str is;

		out_printf(&now, STR_FMT "\t", STR_ARG(before));
		redacted(before, &after);
		vowels(before, out_view(&after), &now);
		if (!has_addresses(before, out_view(&after))) {
			print_error("no address: " STR_FMT "\n", STR_ARG(out_view(&after)));
			wrong++;
		}
		out_fini(&after);
		out_char(&now, '\t');
		shapes(before, &now);
		is = str_skip(out_view(&now), from);
		if (!str_eq(is, line)) {
			print_error(STR_FMT "\nis\n" STR_FMT "\n", STR_ARG(line), STR_ARG(is));
			wrong++;
		}
		out_char(&now, '\n');
		n++;
	}
	if (wrong && getenv("UPDATE")) {
		f = fopen(path, "we");
		assert_non_null(f);
		(void)fwrite(now.data, 1, now.len, f);
		(void)fclose(f);
	}
	out_fini(&now);
	assert_int_equal(wrong, 0);
	assert_true(n > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_lose_their_names_as_they_did),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
