/* SPDX-License-Identifier: MIT */
/* The name of a measurement, from the text above its table. */
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "document/document.h"
#include "formats/load.h"
#include "unit.h"

static void assert_label(const char *above, const char *mark, const char *label)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;
	struct out text = { .fd = -1 };

	out_printf(&text,
		   "%s%sused_memory:1000\n%sevicted_keys:12\n%skeyspace_hits:9\n"
		   "%skeyspace_misses:8\n",
		   above, mark, mark, mark, mark);
	assert_int_equal(document_from_memory(out_view(&text), NULL, &doc, NULL), OK);
	assert_int_equal(load_document(d, doc, "made.txt", NULL, NULL), OK);
	assert_int_equal(d->captures.len, 1);
	assert_str(strings_get(&d->strings, d->captures.data[0]->counters->label), label);
	out_fini(&text);
}

static void a_side_of_a_comparison_is_a_label(void **state)
{
	(void)state;
	assert_label("Before:\n", "", "Before");
	assert_label("It was slow.\n\nWith the patch:\n\n", "", "With the patch");
}

static void commands_stacks_and_names_with_colons_are_no_labels(void **state)
{
	(void)state;
	assert_label("[<0>] entry_SYSCALL_64_after_hwframe+0x44/0xa9\n\n", "", "");
	assert_label("echo \"# After the walk:\"\n", "", "");
	assert_label("0 be/4 root 0.00 % [rs:main Q:Reg]\n", "", "");
	assert_label("Before\necho done:\n", "", "Before");
}

static void any_text_with_a_colon_directly_above_is_a_label(void **state)
{
	(void)state;
	assert_label("Cache of shop 3:\n", "", "Cache of shop 3");
	assert_label("Cache of shop 3\n", "", "");
}

static void a_list_of_settings_has_no_label(void **state)
{
	(void)state;
	assert_label("Autonegotiate: on\nTX: off\n---\n", "", "");
	assert_label("Turbo: off\n", "", "Turbo: off");
}

static void the_author_of_a_quoted_mail_is_no_label(void **state)
{
	(void)state;
	assert_label("On Mon, Nov 23, 2026 at 10:00 AM Ann <ann@example.org> wrote:\n", "> ", "");
	assert_label("On Mon, Nov 23, 2026 at 10:00 AM Ann Smith\n<ann@example.org> wrote:\n", "> ",
		     "");
	assert_label("On Monday, Ann of the new team\nwrote:\n", "> ", "");
	assert_label("Le 23 nov. 2026, Ann <ann@example.org> a écrit :\n", "> ", "");
	assert_label("Am 23.11. schrieb Ann <ann@example.org>:\n", "> ", "");
}

static void text_above_a_quote_is_no_label_of_the_quote(void **state)
{
	(void)state;
	assert_label("Before:\n\nOn Monday, Ann wrote:\n", "> ", "");
}

static void a_heading_inside_the_quote_is_its_label(void **state)
{
	(void)state;
	assert_label("On Monday, Ann wrote:\n> After the change:\n", "> ", "After the change");
	assert_label("On Monday, Ann wrote:\n> With list<user@host> enabled:\n", "> ",
		     "With list<user@host> enabled");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_side_of_a_comparison_is_a_label),
		cmocka_unit_test(commands_stacks_and_names_with_colons_are_no_labels),
		cmocka_unit_test(any_text_with_a_colon_directly_above_is_a_label),
		cmocka_unit_test(a_list_of_settings_has_no_label),
		cmocka_unit_test(the_author_of_a_quoted_mail_is_no_label),
		cmocka_unit_test(text_above_a_quote_is_no_label_of_the_quote),
		cmocka_unit_test(a_heading_inside_the_quote_is_its_label),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
