/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "core/diag.h"
#include "document/document.h"
#include "document/listing.h"
#include "document/mail/quote.h"

#define HEAD                                   \
	"Return-Path: <list@example.org>\n"    \
	"Received: from a.example.org\n"       \
	"\tby b.example.org (1.2 %) with X;\n" \
	"From: A <a@example.org>\n"            \
	"Subject: [PATCH] 9.99% faster\n"

static struct document *open_mail(struct str bytes)
{
	struct document *d = NULL;
	struct error err = { { 0 } };

	if (document_from_memory(bytes, NULL, &d, &err) < 0)
		print_error("%s\n", err.msg);
	assert_non_null(d);
	return d;
}

/*
 * Expects the lines of @d as @want: "original depth text", where original is the original line
 * number and depth the quote depth.
 */
static void assert_lines(const struct document *d, const char *want)
{
	struct str text = d->text;
	struct str line;
	struct out o;

	out_init(&o);
	for (uint32_t n = 1; str_line(&text, &line); n++)
		out_printf(&o, "%u %u " STR_FMT "\n", document_line(d, n),
			   document_quote_depth(d, n), STR_ARG(line));
	assert_str(out_view(&o), want);
	out_fini(&o);
}

static void headers_go_and_quotes_are_undone(void **state)
{
	CLEANUP(document_freep)
	struct document *d = open_mail(STR(HEAD "\n"
						"On Monday, B wrote:\n"
						">    26.76%  a  [k] f\n"
						">           |\n"
						"> > older\n"
						">>> oldest\n"
						">\n"
						">>>> > mixed\n"
						">>>> tail\n"
						"Yes.\n"));

	(void)state;
	assert_lines(d, "7 0 On Monday, B wrote:\n"
			"8 1    26.76%  a  [k] f\n"
			"9 1           |\n"
			"10 2 older\n"
			"11 3 oldest\n"
			"12 1 \n"
			"13 5 mixed\n"
			"14 4 tail\n"
			"15 0 Yes.\n");
	assert_string_equal(d->encoding, "mail, quotes");
}

static void quoting_is_seen_without_a_header(void **state)
{
	CLEANUP(document_freep)
	struct document *d = open_mail(STR("Hi:\n"
					   "\n"
					   "> one\n"
					   ">   two\n"
					   "so wrote C:\n"
					   "> three\n"
					   "text\n"));

	(void)state;
	assert_lines(d,
		     "1 0 Hi:\n2 0 \n3 1 one\n4 1   two\n5 0 so wrote C:\n6 1 three\n7 0 text\n");
}

static void marks_without_a_blank_leave_columns_alone(void **state)
{
	CLEANUP(document_freep)
	struct document *d = open_mail(STR(HEAD "\n"
						">name  count\n"
						">  f      10\n"
						">g        12\n"));

	(void)state;
	assert_lines(d, "7 1 name  count\n8 1   f      10\n9 1 g        12\n");
}

static void a_wrapped_name_is_not_a_quote(void **state)
{
	CLEANUP(document_freep)
	struct document *d = open_mail(STR(HEAD "\n"
						"  1.00%  a  [.] std::map<int, std::vector<long\n"
						"> >::find\n"
						"> quoted std::set<int\n"
						"> >::insert\n"
						"> if (a >= b)\n"
						"> -> x\n"));

	(void)state;
	assert_lines(d, "7 0   1.00%  a  [.] std::map<int, std::vector<long\n"
			"8 0 > >::find\n"
			"9 1 quoted std::set<int\n"
			"10 1 >::insert\n"
			"11 1 if (a >= b)\n"
			"12 1 -> x\n");
}

static void bars_can_be_marks(void **state)
{
	CLEANUP(document_freep)
	struct document *d = open_mail(STR(HEAD "\n"
						"D writes:\n"
						"| one two\n"
						"|   1.0%  f\n"
						"| three\n"
						"\n"
						"a table:\n"
						"| a | b |\n"
						"| 1 | 2 |\n"
						"| 3 | 4 |\n"
						"a tree:\n"
						"|\n"
						"|--39.5%--f\n"
						"|          g\n"));

	(void)state;
	assert_lines(d, "7 0 D writes:\n8 1 one two\n9 1   1.0%  f\n10 1 three\n11 0 \n"
			"12 0 a table:\n13 0 | a | b |\n14 0 | 1 | 2 |\n15 0 | 3 | 4 |\n"
			"16 0 a tree:\n17 0 |\n18 0 |--39.5%--f\n19 0 |          g\n");
}

static void names_of_containers_are_marks(void **state)
{
	CLEANUP(document_freep)
	struct document *d = open_mail(STR("web_1  | one\n"
					   "db_1   | two\n"
					   "web_1  |   three\n"
					   "db_1   |\n"
					   "x\n"
					   "\x1b[36ma-web-12 |\x1b[0m four\n"
					   "\x1b[36ma-web-12 |\x1b[0m five\n"
					   "\x1b[36ma-web-12 |\x1b[0m six\n"));

	(void)state;
	assert_lines(d,
		     "1 0 one\n2 0 two\n3 0   three\n4 0 \n5 0 x\n6 0 four\n7 0 five\n8 0 six\n");
}

static void numbers_of_lines_are_marks(void **state)
{
	CLEANUP(document_freep)
	struct document *d = open_mail(STR("> 99 one\n"
					   "> 100   two\n"
					   "> 101\n"
					   "> 102 four\n"
					   "> 103 five\n"
					   "> 105 six\n"));

	(void)state;
	assert_lines(d, "1 1 one\n2 1   two\n3 1 \n4 1 four\n5 1 five\n6 1 105 six\n");
}

/* A first column counts up in many tables: only a listing also numbers empty lines. */
static void first_columns_are_no_numbers_of_lines(void **state)
{
	static const char *const texts[] = {
		"1 a\n2 b\n3 c\n4 d\n5 e\n6 f\n", /* no empty line */
		"1 a\n2\n3 c\n4 d\n",             /* four lines */
		"1 a\n2\n3 c\n5 d\n6 e\n",        /* a gap */
		"1\n2\n3\n4 d\n5 e\n6 f\n",       /* no more texts than empty lines */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		assert_false(listing_is_in(str_of(texts[i])));
	assert_true(listing_is_in(STR("x\n1 a\n2\n3 c\n4 d\n5 e\n")));
}

static void links_of_a_forge_become_frame_numbers(void **state)
{
	CLEANUP(document_freep)
	struct document *d = open_mail(STR("    #0 0x7f0f in copy a.c:1\n"
					   "    https://github.com/a/b/issues/1 0x8679 in f b.c:2\n"
					   "https://github.com/a/b/pull/22 0x8679 in main\n"
					   "\tgit#6  f (a=1)\n"
					   "git#8 is fixed (by x)\n"
					   "https://github.com/a/b/issues/7 is fixed\n"
					   "https://github.com/a/b/issues/x 0x1\n"));

	(void)state;
	assert_lines(d, "1 0     #0 0x7f0f in copy a.c:1\n2 0     #1 0x8679 in f b.c:2\n"
			"3 0 #22 0x8679 in main\n4 0 \t#6  f (a=1)\n5 0 git#8 is fixed (by x)\n"
			"6 0 https://github.com/a/b/issues/7 is fixed\n"
			"7 0 https://github.com/a/b/issues/x 0x1\n");
}

static void rows_of_tables_are_no_names_of_containers(void **state)
{
	/*
	 * only two lines; bars in different columns; two names in three lines; a name without a
	 * number
	 */
	static const char *const texts[] = {
		"web_1 | one\nweb_1 | two\n",
		"web_1 | one\nweb_1  | two\nweb_1 | three\n",
		"web_1 | one\nweb_2 | two\nweb_1 | three\n",
		"web | one\nweb | two\nweb | three\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		CLEANUP(document_freep)
		struct document *d = open_mail(str_of(texts[i]));

		assert_true(d->is_clean);
	}
	CLEANUP(document_freep)
	struct document *d = open_mail(STR("name   | n\r\n-------+---\r\n"
					   "node_1 | 1\r\nnode_1 | 2\r\nnode_1 | 3\r\n"));

	assert_lines(d, "1 0 name   | n\n2 0 -------+---\n3 0 node_1 | 1\n4 0 node_1 | 2\n"
			"5 0 node_1 | 3\n");
}

static void quoted_printable_is_decoded(void **state)
{
	CLEANUP(document_freep)
	struct document *d = open_mail(STR(HEAD "MIME-Version: 1.0\n"
						"Content-Type: text/plain;\n"
						" charset=\"utf-8\"\n"
						"Content-Transfer-Encoding: Quoted-Printable\n"
						"\n"
						"> 10.00%=C2=A0 a  [k] =\n"
						"f\n"
						"a =3D b =\n"
						"=\n"
						"c=0Anext\n"
						"100 =% done  \n"));

	(void)state;
	assert_lines(d, "11 1 10.00%  a  [k] f\n13 0 a = b c\n13 0 next\n16 0 100 =% done\n");
	assert_string_equal(d->encoding, "mail, quoted-printable, quotes, Unicode blanks");
	assert_int_equal(diag_get(&d->diag, "document-transfer-damaged"), 1);
}

static void latin1_becomes_utf8(void **state)
{
	CLEANUP(document_freep)
	struct document *d = open_mail(STR(HEAD "Content-Type: text/plain; charset=iso-8859-1\n\n"
						"3904 \xb1  2%\n"
						"\xc2\xb1 was UTF-8\n"));

	(void)state;
	assert_lines(d, "8 0 3904 \xc2\xb1  2%\n9 0 \xc2\xb1 was UTF-8\n");
}

static void flowed_lines_are_joined(void **state)
{
	CLEANUP(document_freep)
	struct document *d = open_mail(
		STR(HEAD "Content-Type: text/plain; charset=UTF-8; format=flowed\n\n"
			 "    49.31%  md0_raid5        [kernel.kallsyms]               [k] \n"
			 "handle_stripe_of_the_array\n"
			 "short \n"
			 "line\n"
			 " stuffed\n"
			 ">> a line that was quoted and is broken at the place where it was full \n"
			 ">> with\n"
			 "> other\n"
			 "-- \n"
			 "name\n"));

	(void)state;
	assert_lines(
		d, "8 0    49.31%  md0_raid5        [kernel.kallsyms]               [k] "
		   "handle_stripe_of_the_array\n"
		   "10 0 short \n"
		   "11 0 line\n"
		   "12 0 stuffed\n"
		   "13 2 a line that was quoted and is broken at the place where it was full with\n"
		   "15 1 other\n"
		   "16 0 -- \n"
		   "17 0 name\n");
}

static void delsp_takes_the_blank_away(void **state)
{
	CLEANUP(document_freep)
	struct document *d = open_mail(
		STR(HEAD "Content-Type: text/plain; format=flowed; delsp=yes\n\n"
			 "a_very_long_name_that_was_broken_in_the_middle_because_it_is_so_ \n"
			 "long\n"));

	(void)state;
	assert_lines(d,
		     "8 0 a_very_long_name_that_was_broken_in_the_middle_because_it_is_so_long\n");
}

/* "one 1\ntwo 2\n" in base64. */
#define BASE64_TEXT "b25lIDEKdHdv\nIDIK\n"

static void parts_are_taken_apart(void **state)
{
	CLEANUP(document_freep)
	struct document *d = open_mail(STR(HEAD "MIME-Version: 1.0\n"
						"Content-Type: multipart/mixed;\n"
						"\tboundary=\"=_o(1)\"\n"
						"\n"
						"for old mailers\n"
						"--=_o(1)\n"
						"Content-Type: multipart/alternative; boundary=in\n"
						"\n"
						"--in\n"
						"Content-Type: text/plain\n"
						"\n"
						"> body\n"
						"--in\n"
						"Content-Type: text/html\n"
						"\n"
						"<p>body</p>\n"
						"--in--\n"
						"--=_o(1)\n"
						"Content-Type: text/x-log; name=\"a.log\"\n"
						"Content-Transfer-Encoding: base64\n"
						"\n" BASE64_TEXT "--=_o(1)\n"
						"Content-Type: image/png\n"
						"\n"
						"xx\n"
						"--=_o(1)\n"
						"Content-Type: text/plain\n"
						"Content-Disposition: attachment; filename=b.txt\n"
						"\n"
						"> kept\n"
						"> kept too\n"
						"--=_o(1)--\n"
						"footer\n"));

	(void)state;
	assert_lines(d, "17 1 body\n"
			"27 0 \n"
			"27 0 one 1\n"
			"27 0 two 2\n"
			"37 0 \n"
			"37 0 > kept\n"
			"38 0 > kept too\n"
			"40 0 \n"
			"40 0 footer\n");
	assert_int_equal(diag_get(&d->diag, "document-attachment-skipped"), 1);
	assert_int_equal(diag_get(&d->diag, "document-alternative-skipped"), 1);
	assert_string_equal(d->encoding, "mail, mime, base64, quotes");
}

static void the_plain_form_is_taken_wherever_it_stands(void **state)
{
	CLEANUP(document_freep)
	struct document *d = open_mail(STR(HEAD "Content-Type: multipart/alternative; boundary=b\n"
						"\n"
						"--b\n"
						"Content-Type: text/html\n"
						"\n"
						"<p>html</p>\n"
						"--b\n"
						"\n"
						"plain\n"
						"--b--\n"));
	CLEANUP(document_freep)
	struct document *html =
		open_mail(STR(HEAD "Content-Type: multipart/alternative; boundary=b\n"
				   "\n"
				   "--b\n"
				   "Content-Type: text/html\n"
				   "\n"
				   "<p>a &lt; b</p>\n"
				   "--b--\n"));

	(void)state;
	assert_lines(d, "14 0 plain\n");
	assert_int_equal(diag_get(&d->diag, "document-alternative-skipped"), 1);
	assert_lines(html, "11 0 a < b\n");
}

static void packed_attachments_are_unpacked(void **state)
{
	/* gzip of "packed;text 7\n" */
	CLEANUP(document_freep)
	struct document *d =
		open_mail(STR(HEAD "Content-Type: application/gzip; name=a.gz\n"
				   "Content-Transfer-Encoding: base64\n"
				   "\n"
				   "H4sIAAAAAAACAytITM5OTbEuSa0oUTDnAgC0zxAPDgAAAA==\n"));

	(void)state;
	/* the text is complete, whatever the checksum */
	assert_str(d->text, "packed;text 7\n");
	assert_int_equal(document_line(d, 1), 9);
}

static void parts_nested_too_deeply_are_left_out(void **state)
{
	CLEANUP(document_freep) struct document *d = NULL;
	struct out o;

	(void)state;
	out_init(&o);
	out_z(&o, HEAD);
	for (unsigned int i = 0; i < 100; i++)
		out_printf(&o, "Content-Type: multipart/mixed; boundary=b%u\n\nx\n--b%u\n", i, i);
	out_z(&o, "\ndeep\n");
	d = open_mail(out_view(&o));
	assert_int_equal(diag_get(&d->diag, "document-mime-depth"), 1);
	assert_int_equal(d->text.len, 0);
	out_fini(&o);
}

static void a_mailbox_has_several_mails(void **state)
{
	CLEANUP(document_freep)
	struct document *d =
		open_mail(STR("From a at example.org  Thu May  3 06:40:34 2018\n" HEAD "\n"
			      "one\n"
			      ">From here on\n"
			      "\n"
			      "From here it is 10:00 prose 2018\n"
			      "not a mail\n"
			      "\n"
			      "From b Thu May  3 06:40:35 2018\n" HEAD "\n"
			      "two\n"));

	(void)state;
	assert_lines(d, "8 0 one\n"
			"9 0 From here on\n"
			"10 0 \n"
			"11 0 From here it is 10:00 prose 2018\n"
			"12 0 not a mail\n"
			"13 0 \n"
			"21 0 two\n");
	assert_string_equal(d->encoding, "mailbox, mail");
}

static void attachments_of_an_archive_stay_as_they_are(void **state)
{
	CLEANUP(document_freep)
	struct document *d = open_mail(STR("> a\n> b\n"
					   "-------------- next part --------------\n"
					   "> c\n> d\n"));

	(void)state;
	assert_lines(d, "1 1 a\n2 1 b\n3 0 -------------- next part --------------\n"
			"4 0 > c\n5 0 > d\n");
}

static void a_mail_without_a_body_is_empty(void **state)
{
	CLEANUP(document_freep) struct document *d = open_mail(STR(HEAD "\n"));

	(void)state;
	assert_int_equal(d->text.len, 0);
	assert_int_equal(document_line(d, 1), 0);
}

static void marks_are_parsed(void **state)
{
	static const struct {
		const char *line;
		size_t depth, bytes;
	} cases[] = {
		{ "> a", 1, 1 }, { ">> a", 2, 2 },   { "> > a", 2, 3 }, { ">>>> >> a", 6, 7 },
		{ ">", 1, 1 },   { "> >= 5", 1, 1 }, { ">= 5", 0, 0 },  { " > a", 1, 2 },
		{ " >a", 0, 0 }, { ">  > a", 1, 1 }, { "=> a", 0, 0 },  { "", 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct quote_marks m = quote_parse(str_of(cases[i].line), SIZE_MAX);

		assert_int_equal(m.depth, cases[i].depth);
		assert_int_equal(m.bytes, cases[i].bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headers_go_and_quotes_are_undone),
		cmocka_unit_test(quoting_is_seen_without_a_header),
		cmocka_unit_test(marks_without_a_blank_leave_columns_alone),
		cmocka_unit_test(a_wrapped_name_is_not_a_quote),
		cmocka_unit_test(bars_can_be_marks),
		cmocka_unit_test(names_of_containers_are_marks),
		cmocka_unit_test(numbers_of_lines_are_marks),
		cmocka_unit_test(first_columns_are_no_numbers_of_lines),
		cmocka_unit_test(links_of_a_forge_become_frame_numbers),
		cmocka_unit_test(rows_of_tables_are_no_names_of_containers),
		cmocka_unit_test(quoted_printable_is_decoded),
		cmocka_unit_test(latin1_becomes_utf8),
		cmocka_unit_test(flowed_lines_are_joined),
		cmocka_unit_test(delsp_takes_the_blank_away),
		cmocka_unit_test(parts_are_taken_apart),
		cmocka_unit_test(the_plain_form_is_taken_wherever_it_stands),
		cmocka_unit_test(packed_attachments_are_unpacked),
		cmocka_unit_test(parts_nested_too_deeply_are_left_out),
		cmocka_unit_test(a_mailbox_has_several_mails),
		cmocka_unit_test(attachments_of_an_archive_stay_as_they_are),
		cmocka_unit_test(a_mail_without_a_body_is_empty),
		cmocka_unit_test(marks_are_parsed),
	};

	return cmocka_run_group_tests_name("document_mail", tests, NULL, NULL);
}
