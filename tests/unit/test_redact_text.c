/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "core/names/redact.h"
#include "explain/redact/redact_text.h"

static const struct redact_key key = { 17, 4 };

/* @text without its names. Owner: caller, out_fini(). */
static struct out redacted(const char *text)
{
	struct redact_text r;
	struct out o;

	out_init(&o);
	redact_text_init(&r, &key);
	redact_text_learn(&r, str_of(text));
	redact_text_write(&r, str_of(text), &o);
	redact_text_fini(&r);
	return o;
}

static void stays(const char *text)
{
	struct out o = redacted(text);

	out_char(&o, '\0');
	assert_string_equal(o.data, text);
	out_fini(&o);
}

/* Nothing of @gone is in the text any more, and its length stays. */
static void loses(const char *text, const char *gone)
{
	struct out o = redacted(text);

	if (str_contains(out_view(&o), str_of(gone)))
		print_error("'%s' became '" STR_FMT "'\n", text, STR_ARG(out_view(&o)));
	assert_false(str_contains(out_view(&o), str_of(gone)));
	assert_int_equal(o.len, strlen(text));
	out_fini(&o);
}

static void words_that_readers_and_rules_know_stay(void **state)
{
	(void)state;
	stays("# Overhead  Command      Shared Object      Symbol\n");
	stays("    52.24%     1.49%  [kernel.kallsyms]  [k] elf_core_dump\n");
	stays("native_queued_spin_lock_slowpath\n");
	stays("native_queued_spin_lock_slowp\n"); /* cut by a column */
	stays("Samples: 67  of event 'cpu-clock:ppp'\n");
	stays("2018-04-23T05:11:34.237Z 0x7f3a12 ffffffff81a0b2c3 10us 4kB 7f3a\n");
	stays("Thu Oct  9 09:49:59 2025\n");
	stays("127.0.0.1 0.0.0.0 /proc/self/maps cpu12\n");
}

static void names_of_programs_and_functions_are_gone(void **state)
{
	(void)state;
	loses("12.00%  acmed  acmed  [.] settle_invoices\n", "acmed");
	loses("12.00%  acmed  acmed  [.] settle_invoices\n", "invoices");
	loses("acme::Ledger::post(Invoice const&)\n", "Ledger");
	loses("copy_acme_ledger\n", "acme");
	loses("_ZN4acme6Ledger4postEv\n", "Ledger");
	loses("{\"name\":\"x\\nLedgerly\"}\n", "Ledgerly");
	loses("J\xc3\xbcrgen\n", "rgen");
}

static void a_mangled_name_keeps_its_lengths(void **state)
{
	struct out o = redacted("_ZN4acme6LedgerEv\n");

	(void)state;
	assert_true(str_starts(out_view(&o), STR("_ZN4")));
	assert_true(o.data[8] == '6');
	assert_true(str_ends(out_view(&o), STR("Ev\n")));
	out_fini(&o);
}

static void what_a_pattern_has_literally_stays(void **state)
{
	struct out o = redacted("copy_acme_ledger\n");

	(void)state;
	assert_true(str_starts(out_view(&o), STR("copy_")));
	out_fini(&o);
}

static void hosts_people_paths_and_addresses_are_gone(void **state)
{
	(void)state;
	loses("# hostname : server\n", "server");
	loses("From: Mark Long <mark@long.example.com>\n", "Mark");
	loses("From: Mark Long <mark@long.example.com>\n", "long");
	loses("Reviewed-by: Mark Long <m@example.org>\n", "Long");
	loses("connect to server.memory.com failed\n", "server.memory");
	loses("root@server:/# perf top\n", "server");
	loses("open /home/user/data/file.txt failed\n", "/home/user/data");
	loses("open /root/file\n", "/root");
	loses("peer 10.1.22.133:80\n", "10.1.22.133");
	loses("host ip-10-1-22-133 is down\n", "10-1-22-133");
	loses("peer fe80::5054:ff:fe12:3456 up\n", "5054");
	loses("link 52:54:00:12:34:56 up\n", "52:54:00");
	loses("id 01234567-89ab-cdef-0123-456789abcdef\n", "456789abcdef");
	loses("commit 0123456789abcdef0123456789abcdef01234567\n", "0123456789abcdef");
}

static void the_same_name_becomes_the_same_word(void **state)
{
	struct out o = redacted("acmed|acmed.isra.0|acmed\n");
	struct str s = out_view(&o);

	(void)state;
	assert_true(str_eq(str_sub(s, 0, 5), str_sub(s, 6, 11)));
	assert_true(str_eq(str_sub(s, 0, 5), str_sub(s, 19, 24)));
	assert_true(str_eq(str_sub(s, 11, 18), STR(".isra.0")));
	out_fini(&o);
}

static void different_names_become_different_words(void **state)
{
	struct out all;
	struct out o;

	(void)state;
	out_init(&all);
	for (int i = 0; i < 26 * 26; i++) /* more than there are pairs of consonants */
		out_printf(&all, "%c%c\n", 'a' + i / 26, 'a' + i % 26);
	out_char(&all, '\0');
	o = redacted(all.data);
	for (size_t i = 0; i < 200; i++) {
		struct str rest = out_view(&o);
		struct str one = STR_NONE;
		struct str line;
		size_t n = 0;

		for (size_t k = 0; k <= i; k++)
			(void)str_line(&rest, &one);
		rest = out_view(&o);
		while (str_line(&rest, &line))
			n += str_eq(line, one);
		assert_int_equal(n, 1);
	}
	out_fini(&all);
	out_fini(&o);
}

static void another_key_gives_other_words(void **state)
{
	const struct redact_key other = { 18, 4 };
	struct out a = redacted("settle_invoices\n");
	struct redact_text r;
	struct out b;

	(void)state;
	out_init(&b);
	redact_text_init(&r, &other);
	redact_text_write(&r, STR("settle_invoices\n"), &b);
	assert_false(str_eq(out_view(&a), out_view(&b)));
	redact_text_fini(&r);
	out_fini(&a);
	out_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_that_readers_and_rules_know_stay),
		cmocka_unit_test(names_of_programs_and_functions_are_gone),
		cmocka_unit_test(a_mangled_name_keeps_its_lengths),
		cmocka_unit_test(what_a_pattern_has_literally_stays),
		cmocka_unit_test(hosts_people_paths_and_addresses_are_gone),
		cmocka_unit_test(the_same_name_becomes_the_same_word),
		cmocka_unit_test(different_names_become_different_words),
		cmocka_unit_test(another_key_gives_other_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
