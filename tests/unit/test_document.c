/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "config.h"
#include "core/diag.h"
#include "document/decompress.h"
#include "document/document.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define ROW "    52.24%     1.49%  db-server  [kernel.kallsyms]   [k] elf_core_dump\n"

static struct document *open_bytes(struct str bytes)
{
	struct document *d = NULL;
	struct error err = { { 0 } };

	if (document_from_memory(bytes, NULL, &d, &err) < 0)
		print_error("%s\n", err.msg);
	assert_non_null(d);
	return d;
}

static void assert_error(struct str bytes, int status, const char *msg)
{
	struct document *d = NULL;
	struct error err = { { 0 } };

	assert_int_equal(document_from_memory(bytes, NULL, &d, &err), status);
	assert_null(d);
	assert_string_equal(err.msg, msg);
}

/* @s compressed by gzip. Owner: caller, free(). */
static struct str gzip_of(struct str s)
{
	z_stream z = { 0 };
	size_t cap = s.len + 256;
	char *p = xmalloc(cap);

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = (Bytef *)(uintptr_t)s.p;
	z.avail_in = (uInt)s.len;
	z.next_out = (Bytef *)p;
	z.avail_out = (uInt)cap;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	(void)deflateEnd(&z);
	return (struct str){ p, cap - z.avail_out };
}

static void clean_text_is_not_copied(void **state)
{
	static const char text[] = "# Samples: 67  of event 'cycles'\n" ROW "\n"
				   "   a => b\n"
				   "=> schedule\n"
				   "std::vector<int\n"
				   "> >::push_back\n";
	struct str s = STR(text);
	CLEANUP(document_freep) struct document *d = open_bytes(s);

	(void)state;
	assert_true(d->is_clean);
	assert_ptr_equal(d->text.p, s.p);
	assert_int_equal(d->text.len, s.len);
	assert_string_equal(d->encoding, "");
	assert_int_equal(document_line(d, 7), 7);
	assert_int_equal(document_quote_depth(d, 7), 0);
}

static void a_byte_order_mark_goes_without_a_copy(void **state)
{
	CLEANUP(document_freep)
	struct document *d = open_bytes(STR("\xef\xbb\xbf"
					    "a 1\n"));

	(void)state;
	assert_str(d->text, "a 1\n");
	assert_true(d->is_clean);
}

static void crlf_escapes_and_no_break_blanks_go(void **state)
{
	CLEANUP(document_freep)
	struct document *d = open_bytes(STR("\x1b[1;31mred\x1b[0m\tx\r\n"
					    "a\xc2\xa0\xc2\xa0"
					    "b\r\n"
					    "row     \xe2\x96\x92\r\n"
					    "10%\r20%\r\n"
					    "\x1b]0;title\x07"
					    "end\x1b(B"));

	(void)state;
	assert_str(d->text, "red\tx\na  b\nrow\n10%\n20%\nend\n");
	assert_string_equal(d->encoding, "cr, escapes, Unicode blanks, shading");
	assert_int_equal(document_line(d, 3), 3);
	assert_int_equal(document_line(d, 5), 4);
	assert_int_equal(document_line(d, 6), 5);
}

static void utf16_becomes_utf8(void **state)
{
	static const char le[] = "\xff\xfe"
				 "a\0;\0b\0 \0\x31\0\r\0\n\0c\0 \0\xac\x20\n";
	CLEANUP(document_freep)
	/* the NUL of @le completes the last character, "\n\0" */
	struct document *d = open_bytes((struct str){ le, sizeof(le) });

	(void)state;
	assert_str(d->text, "a;b 1\nc \xe2\x82\xac\n");
	assert_false(d->is_binary);
	assert_int_equal(document_line(d, 2), 2);
	{
		static const char be[] = "\0a\0;\0b\0;\0c\0;\0d\0 \0\x31\0\n\0a\0 \0\x32\0\n";
		CLEANUP(document_freep)
		struct document *e = open_bytes((struct str){ be, sizeof(be) - 1 });

		assert_str(e->text, "a;b;c;d 1\na 2\n");
		assert_string_equal(e->encoding, "utf-16");
	}
}

static void gzip_is_undone_twice(void **state)
{
	struct str one = gzip_of(STR(ROW ROW));
	struct str two = gzip_of(one);
	struct str three = gzip_of(two);
	struct str four = gzip_of(three);
	CLEANUP(document_freep) struct document *d = open_bytes(two);

	(void)state;
	assert_str(d->text, ROW ROW);
	assert_string_equal(d->encoding, "gzip, gzip");
	assert_int_equal(d->bytes, two.len);
	assert_true(d->is_clean);
	assert_error(four, ERR_LIMIT, "compressed more than 3 times");
	free((void *)(uintptr_t)one.p);
	free((void *)(uintptr_t)two.p);
	free((void *)(uintptr_t)three.p);
	free((void *)(uintptr_t)four.p);
}

static void a_truncated_gzip_gives_what_was_there(void **state)
{
	struct out o;
	struct str z;

	(void)state;
	out_init(&o);
	for (unsigned int i = 0; i < 20000; i++)
		out_printf(&o, "%u %u\n", i, i * 2654435761u);
	z = gzip_of(out_view(&o));
	{
		CLEANUP(document_freep) struct document *d = open_bytes(str_sub(z, 0, z.len / 2));

		assert_true(d->text.len > o.len / 4 && d->text.len < o.len);
		assert_memory_equal(d->text.p, o.data, d->text.len);
		assert_int_equal(diag_get(&d->diag, "document-compressed-truncated"), 1);
	}
	assert_error(str_sub(z, 0, 12), ERR_FORMAT,
		     "the gzip data is damaged; nothing could be had");
	free((void *)(uintptr_t)z.p);
	out_fini(&o);
}

static void a_bomb_is_cut_at_the_limit(void **state)
{
	char *zeros = xcalloc(1, 1u << 22);
	struct document_options options = { .max_bytes = 1u << 20 };
	CLEANUP(document_freep) struct document *d = NULL;
	struct str z;

	(void)state;
	memset(zeros, 'a', 1u << 22);
	z = gzip_of((struct str){ zeros, 1u << 22 });
	assert_int_equal(document_from_memory(z, &options, &d, NULL), OK);
	assert_int_equal(d->text.len, 1u << 20);
	assert_int_equal(diag_get(&d->diag, "document-compressed-cut"), 1);
	free((void *)(uintptr_t)z.p);
	free(zeros);
}

/*
 * A frame of zstd whose blocks repeat a line feed: each layer expands 20 000 times. The first layer
 * is 330 KB that begin with another such frame.
 */
static void layers_of_a_bomb_are_bounded_by_the_input(void **state)
{
#if HAVE_ZSTD
	static const char bomb[] =
		"\x28\xb5\x2f\xfd\x00\x53\x00\x01\x00\x28\xb5\x2f\xfd\x00\x50\x4b\x4a\x03"
		"\x6f\x28\xb5\x2f\xfd\x00\x45\x53\x00\x01\x00\x28\xb5\x2f\xfd\x00\x50\x0a"
		"\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a"
		"\x0a\x0a\x0a\x0a\x53\x00\x2f\xfd\x00\x00\x53\x00\x0a\x00\x01\x28\xb5\x2f"
		"\xfd\x00\x00\x53\x00\x01\x02\x30\x0a\x02\x0a\x0a\x02\x0a\x0a\x0a\x0a\x0a";
	CLEANUP(document_freep) struct document *d = NULL;

	assert_int_equal(
		document_from_memory((struct str){ bomb, sizeof(bomb) - 1 }, NULL, &d, NULL), OK);
	assert_int_equal(d->text.len, DECOMPRESS_LEAST_BYTES);
	assert_int_equal(diag_get(&d->diag, "document-compressed-cut"), 1);
#endif
	(void)state;
	assert_int_equal(decompress_limit(90), DECOMPRESS_LEAST_BYTES);
	assert_int_equal(decompress_limit(DECOMPRESS_LEAST_BYTES / 256), DECOMPRESS_LEAST_BYTES);
	assert_int_equal(decompress_limit(DECOMPRESS_LEAST_BYTES / 256 + 1),
			 DECOMPRESS_LEAST_BYTES + 256);
	assert_int_equal(decompress_limit(UINT64_MAX), UINT64_MAX);
}

static void what_is_not_read_is_named(void **state)
{
	(void)state;
	assert_error(STR_NONE, ERR_FORMAT,
		     "the input is empty; record it again, or check the command that wrote it");
	assert_error(STR("PK\x03\x04"
			 "aaaa"),
		     ERR_UNSUPPORTED, "zip data is not read; unpack it and name the files");
	assert_error(STR("BZh91AY&SYxx"), ERR_UNSUPPORTED,
		     "bzip2 data is not read; unpack it and name the files");
#if !HAVE_ZSTD
	assert_error(STR("\x28\xb5\x2f\xfd"
			 "aaaa"),
		     ERR_UNSUPPORTED,
		     "zstd-compressed, and this build has no zstd; "
		     "pipe it through 'zstd -dc', or build with -Dzstd=enabled");
#endif
#if !HAVE_LZMA
	assert_error(STR("\xfd\x37\x7a\x58\x5a\x00"
			 "aaaa"),
		     ERR_UNSUPPORTED,
		     "xz-compressed, and this build has no lzma; "
		     "pipe it through 'xz -dc', or build with -Dlzma=enabled");
#endif
}

static void binary_junk_is_binary(void **state)
{
	char junk[4096];
	uint32_t x = 1;

	(void)state;
	for (size_t i = 0; i < sizeof(junk); i++)
		junk[i] = (char)((x = x * 1664525u + 1013904223u) >> 24);
	{
		CLEANUP(document_freep)
		struct document *d = open_bytes((struct str){ junk, sizeof(junk) });
		CLEANUP(document_freep)
		struct document *perf = open_bytes(STR("PERFILE2aaaaaaaaaaaaaaaaaaaaaaaaaa"));
		CLEANUP(document_freep)
		struct document *text =
			open_bytes(STR("a trace with one \0 in it, and \xff bad bytes\n" ROW ROW));

		assert_true(d->is_binary);
		assert_true(perf->is_binary);
		assert_false(text->is_binary);
	}
}

static void markdown_keeps_what_is_in_a_fence(void **state)
{
	CLEANUP(document_freep)
	struct document *d = open_bytes(STR("It is slow:\n"
					    "\n"
					    "   ```text\n"
					    "     > 1 a &lt; b\n"
					    "     > 2\n"
					    "   ```\n"
					    "<details><summary>log</summary>\n"
					    "<pre>  10.00%  f&lt;int&gt;\n"
					    "</pre>\n"
					    "</details>\n"));

	(void)state;
	assert_str(d->text,
		   "It is slow:\n\n\n  > 1 a &lt; b\n  > 2\n\nlog\n  10.00%  f<int>\n\n\n");
	assert_string_equal(d->encoding, "markdown, entities");
	assert_int_equal(document_line(d, 8), 8);
}

static void markdown_keeps_content_on_the_line_of_a_fence(void **state)
{
	static const struct {
		const char *text, *clean;
	} cases[] = {
		{ "log:\n```[0.7s][info][gc] GC(3) Pause Full 9M->8M(16M) 2.1ms\n> b\n```\nend\n",
		  "log:\n[0.7s][info][gc] GC(3) Pause Full 9M->8M(16M) 2.1ms\n> b\n\nend\n" },
		/* the end may be on the line of the content, too; then the quote is outside */
		{ "```$ vmstat 1\n 1 2```\n&lt;\n", "$ vmstat 1\n 1 2\n<\n" },
		{ "```\n$ a```\n&lt;\n```\n", "\n$ a```\n&lt;\n\n" },
		{ "  ```{ \"usage\": 12,\n    \"rss\": 7 }\n  ```\n",
		  "{ \"usage\": 12,\n  \"rss\": 7 }\n\n" },
		/* names of languages, and their attributes */
		{ "```text/x-log\n12 a\n```\n", "\n12 a\n\n" },
		{ "```c++ title=\"a.cc\" start=3\n12 a\n```\n", "\n12 a\n\n" },
		{ "```{.sh #id}\n12 a\n```\n", "\n12 a\n\n" },
		{ "```sh {1,3}\n12 a\n```\n", "\n12 a\n\n" },
		/* in an open fence, such a line is content */
		{ "```\n```$ a b\n&lt;\n```\n", "\n```$ a b\n&lt;\n\n" },
		/* no fence */
		{ "```a b``` is code\n&lt;\n", "```a b``` is code\n<\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(document_freep)
		struct document *d = open_bytes(str_of(cases[i].text));

		assert_str(d->text, cases[i].clean);
	}
}

static void a_page_becomes_its_text(void **state)
{
	CLEANUP(document_freep)
	struct document *d = open_bytes(STR("<!DOCTYPE html>\n"
					    "<html><head><style>a > b {}</style>\n"
					    "<script>if (a<b) f();</script></head><body>\n"
					    "<p>See   the\n"
					    "trace:</p>\n"
					    "<pre>\n"
					    " 10.00%  std::vector&lt;int&gt;\n"
					    "&gt; quoted\n"
					    "&gt;&gt; deeper\n"
					    "</pre>\n"
					    "<!-- no\n -->tail<br>end</body></html>\n"));

	(void)state;
	assert_str(d->text,
		   "See the trace:\n 10.00%  std::vector<int>\nquoted\ndeeper\ntail\nend\n");
	assert_int_equal(document_line(d, 2), 7);
	assert_int_equal(document_line(d, 3), 8);
	assert_int_equal(document_quote_depth(d, 4), 2);
	assert_int_equal(document_line(d, 6), 12);
}

static void a_diff_is_not_quoting(void **state)
{
	CLEANUP(document_freep)
	struct document *d = open_bytes(STR("1,2c1,2\n< a\n< b\n---\n> c\n> d\n"));

	(void)state;
	assert_true(d->is_clean);
}

static void a_million_quote_levels_take_linear_time(void **state)
{
	struct out o;

	(void)state;
	out_init(&o);
	for (unsigned int i = 0; i < 3; i++) {
		out_repeat(&o, '>', 1000000);
		out_z(&o, " text\n");
	}
	for (unsigned int i = 0; i < 300000; i++)
		out_z(&o, "> ");
	out_z(&o, "end\n> |\n> |\n");
	{
		CLEANUP(document_freep) struct document *d = open_bytes(out_view(&o));

		assert_str(d->text, "text\ntext\ntext\nend\n|\n|\n");
		assert_int_equal(document_quote_depth(d, 1), LIMIT_QUOTE_DEPTH);
	}
	out_fini(&o);
}

/* Quadratic work on any of these would take minutes. */
static void hostile_text_takes_linear_time(void **state)
{
	static const char mail[] = "From: a\nTo: b\nContent-Type: ";
	static const struct {
		const char *head, *again;
	} cases[] = {
		{ "<html>", "<" },
		{ "<html>", "<a " },
		{ "<html>", "<a b=\"" },
		{ "<html>", "<script>" },
		{ "<html>", "<!--" },
		{ "<html>", "&" },
		{ "<pre>\n", "</pre>" },
		{ "&lt;\n", "&" },
		{ "", "```x`\n" },
		{ "", "\x1b]" },
		{ "", "\x1b[1" },
		{ "> a\n> b\nx:\n", "| a\n" },
		{ "> a\n> b\n", "x:\n| a b\n| a b\n" },
		{ "text/plain\n\n", "a<b<c<d\n> >x\n" },
		{ "text/plain\n\n", "> a\nb\n" },
		{ "text/plain; format=flowed\n\n",
		  "seventy columns of words that stand before the one that does not fit \n" },
		{ "multipart/mixed; boundary=b\n\n", "--b\n" },
		{ "multipart/mixed; boundary=b\n\n", "--bb\n" },
		{ "multipart/mixed; boundary=b\n\n", "--b--b" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(document_freep) struct document *d = NULL;
		struct out o;

		out_init(&o);
		if (str_contains(str_of(cases[i].head), STR("/")) && cases[i].head[0] != '<')
			out_z(&o, mail);
		out_z(&o, cases[i].head);
		while (o.len < 1u << 21)
			out_z(&o, cases[i].again);
		d = open_bytes(out_view(&o));
		assert_false(d->is_binary);
		out_fini(&o);
	}
}

/* Write @text to a temporary file, whose path becomes @path. */
static void write_file(char path[64], struct str text)
{
	int fd;

	(void)snprintf(path, 64, "/tmp/assay-test-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text.p, text.len), (ssize_t)text.len);
	(void)close(fd);
}

static void unreadable_files_are_reported(void **state)
{
	struct document *d = NULL;
	struct error err;
	char path[64];

	(void)state;
	assert_int_equal(document_open("/tmp", NULL, &d, &err), ERR_IO);
	assert_string_equal(err.msg, "is a directory; name the files in it");
	assert_int_equal(document_open("/tmp/assay-no-such-file", NULL, &d, &err), ERR_IO);
	assert_string_equal(err.msg, "no such file");
	write_file(path, STR_NONE);
	assert_int_equal(document_open(path, NULL, &d, &err), ERR_FORMAT);
	assert_string_equal(
		err.msg, "the input is empty; record it again, or check the command that wrote it");
	(void)unlink(path);
}

static void released_pages_can_be_read_again(void **state)
{
	CLEANUP(document_freep) struct document *d = NULL;
	struct out o;
	char path[64];

	(void)state;
	out_init(&o);
	for (unsigned int i = 0; i < 200000; i++)
		out_z(&o, ROW);
	write_file(path, out_view(&o));
	assert_int_equal(document_open(path, NULL, &d, NULL), OK);
	assert_true(d->is_clean);
	document_release(d, d->text.p + d->text.len);
	document_release(d, d->text.p + 5);
	document_release(d, NULL);
	assert_memory_equal(d->text.p, o.data, o.len);
	(void)unlink(path);
	out_fini(&o);
}

static void a_fifo_is_read_to_its_end(void **state)
{
	CLEANUP(document_freep) struct document *d = NULL;
	char path[64];
	char command[160];
	FILE *writer;

	(void)state;
	write_file(path, STR_NONE);
	(void)unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	(void)snprintf(command, sizeof(command), "printf 'a;b 1\\na;c 2\\n' > %s", path);
	writer = popen(command, "we");
	assert_non_null(writer);
	assert_int_equal(document_open(path, NULL, &d, NULL), OK);
	(void)pclose(writer);
	assert_str(d->text, "a;b 1\na;c 2\n");
	document_release(d, d->text.p + d->text.len);
	assert_str(d->text, "a;b 1\na;c 2\n");
	(void)unlink(path);
}

static void a_file_of_proc_is_read(void **state)
{
	CLEANUP(document_freep) struct document *d = NULL;

	(void)state;
	assert_int_equal(document_open("/proc/self/maps", NULL, &d, NULL), OK);
	assert_true(str_contains(d->text, STR("[stack]")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clean_text_is_not_copied),
		cmocka_unit_test(a_byte_order_mark_goes_without_a_copy),
		cmocka_unit_test(crlf_escapes_and_no_break_blanks_go),
		cmocka_unit_test(utf16_becomes_utf8),
		cmocka_unit_test(gzip_is_undone_twice),
		cmocka_unit_test(a_truncated_gzip_gives_what_was_there),
		cmocka_unit_test(a_bomb_is_cut_at_the_limit),
		cmocka_unit_test(layers_of_a_bomb_are_bounded_by_the_input),
		cmocka_unit_test(what_is_not_read_is_named),
		cmocka_unit_test(binary_junk_is_binary),
		cmocka_unit_test(markdown_keeps_what_is_in_a_fence),
		cmocka_unit_test(markdown_keeps_content_on_the_line_of_a_fence),
		cmocka_unit_test(a_page_becomes_its_text),
		cmocka_unit_test(a_diff_is_not_quoting),
		cmocka_unit_test(a_million_quote_levels_take_linear_time),
		cmocka_unit_test(hostile_text_takes_linear_time),
		cmocka_unit_test(unreadable_files_are_reported),
		cmocka_unit_test(released_pages_can_be_read_again),
		cmocka_unit_test(a_fifo_is_read_to_its_end),
		cmocka_unit_test(a_file_of_proc_is_read),
	};

	return cmocka_run_group_tests_name("document", tests, NULL, NULL);
}
