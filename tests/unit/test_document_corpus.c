/* SPDX-License-Identifier: MIT */
/* Real mails and captures, if available. They are not part of the project. */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "document/document.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

static size_t count_lines(struct str s)
{
	struct str line;
	size_t n = 0;

	while (str_line(&s, &line))
		n++;
	return n;
}

/* Line @n of @text, from 1. */
static struct str line_of(struct str text, uint32_t n)
{
	struct str line = STR_NONE;

	while (n-- && str_line(&text, &line))
		;
	return line;
}

static struct document *open_shared(const char *path, bool is_raw)
{
	const char *root = getenv("ASSAY_SHARED");
	struct document_options options = { .is_raw = is_raw };
	struct document *d = NULL;
	struct error err = { { 0 } };
	char full[8192];
	FILE *f;

	(void)snprintf(full, sizeof(full), "%s/%s", root ? root : "", path);
	f = fopen(full, "re");
	if (!f)
		return NULL;
	(void)fclose(f);
	if (document_open(full, &options, &d, &err) < 0)
		print_error("%s: %s\n", path, err.msg);
	return d;
}

/* Expects each word of a clean line in its original line, or in a line soon after it. */
static void check_maps(const char *path, const struct document *d, const struct document *raw)
{
	size_t n_raw = count_lines(raw->text);
	bool is_decoded = strstr(d->encoding, "base64") || strstr(d->encoding, "printable") ||
			  strstr(d->encoding, "utf-16") || strstr(d->encoding, "html") ||
			  strstr(d->encoding, "latin-1") || strstr(d->encoding, "blanks") ||
			  strstr(d->encoding, "entities") || strstr(d->encoding, "shading");
	struct str clean = d->text;
	struct str left = raw->text;
	struct str original = STR_NONE;
	struct str line;
	uint32_t at = 0;
	uint32_t last = 0;

	for (uint32_t n = 1; str_line(&clean, &line); n++) {
		uint32_t to = document_line(d, n);

		if (to < 1 || to > n_raw || to < last)
			print_error("%s: line %u leads to %u of %zu\n", path, n, to, n_raw);
		assert_true(to >= 1 && to <= n_raw && to >= last);
		while (at < to && str_line(&left, &original))
			at++;
		last = to;
		line = str_trim(line);
		/* a joined line starts like the first of its original lines */
		if (!is_decoded && !str_contains(original, str_sub(line, 0, 12))) {
			print_error("%s:%u: '" STR_FMT "'\n", path, to, STR_ARG(line));
			assert_true(false);
		}
	}
}

static void every_line_of_the_corpus_leads_back(void **state)
{
	const char *root = getenv("ASSAY_SHARED");
	struct dirent *folder;
	char path[1024];
	unsigned int n = 0;
	DIR *given;

	(void)state;
	(void)snprintf(path, sizeof(path), "%s/corpus/given", root ? root : "");
	given = opendir(path);
	if (!given)
		SKIP_TEST("../shared/corpus is missing");
	while ((folder = readdir(given))) {
		struct dirent *file;
		DIR *dir;

		if (folder->d_name[0] == '.')
			continue;
		(void)snprintf(path, sizeof(path), "%s/corpus/given/%s", root, folder->d_name);
		dir = opendir(path);
		while (dir && (file = readdir(dir))) {
			CLEANUP(document_freep) struct document *d = NULL;
			CLEANUP(document_freep) struct document *raw = NULL;

			if (file->d_name[0] == '.')
				continue;
			(void)snprintf(path, sizeof(path), "corpus/given/%s/%s", folder->d_name,
				       file->d_name);
			d = open_shared(path, /* is_raw= */ false);
			raw = open_shared(path, /* is_raw= */ true);
			assert_non_null(d);
			assert_non_null(raw);
			assert_false(d->is_binary);
			check_maps(path, d, raw);
			/* no header in a sent mail looks like a capture */
			if (strstr(path, ".eml"))
				assert_false(
					str_contains(str_sub(d->text, 0, 200), STR("Received:")));
			n++;
		}
		if (dir)
			(void)closedir(dir);
	}
	(void)closedir(given);
	assert_true(n > 200);
}

static void the_sample_mail_leads_back(void **state)
{
	static const struct {
		uint32_t line;
		unsigned int depth;
		const char *text;
	} known[] = {
		{ 13, 0, "    52.24%     0.00%  ovsdb-server  ovsdb-server        [.]" },
		{ 14, 0, "raft_store_snapshot" },
		{ 190, 1,
		  "2018-04-23T05:11:34.237Z|00015|raft|INFO|tcp:192.168.10.10:43412: learned" },
		{ 466, 5, "2018-04-06T01:19:06.481Z|00466|ovn_northd|INFO|ovn-northd lock lost." },
		{ 467, 4, "This" },
		{ 549, 6, "2018-04-05T06:29:32.628Z|00065|poll_loop|INFO|wakeup due to 9-ms" },
		{ 550, 4, "timeout" },
		{ 598, 6, " 122.8/sec   115.967/sec       68.2761/sec   total: 2309640" },
		{ 848, 0, "-------------- next part --------------" },
		{ 854, 0, "# Samples: 67  of event 'cpu-clock'" },
		{ 1878, 0,
		  "    52.24%     1.49%  ovsdb-server  [kernel.kallsyms]   [k] elf_core_dump       "
		  "               " },
		{ 1879, 0, "            |          " },
	};
	CLEANUP(document_freep)
	struct document *d = open_shared("seeds/001_5cb8d1146f867adc.txt", /* is_raw= */ false);

	(void)state;
	if (!d)
		SKIP_TEST("../shared/seeds is missing");
	assert_false(d->is_clean);
	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		/* no line above was joined or dropped */
		assert_int_equal(document_line(d, known[i].line), known[i].line);
		assert_int_equal(document_quote_depth(d, known[i].line), known[i].depth);
		assert_str(line_of(d->text, known[i].line), known[i].text);
	}
}

static void the_other_samples_are_clean(void **state)
{
	static const char *const paths[] = {
		"seeds/000_3151eef8346c8b93.txt",
		"seeds/002_76c6522b3146f63d.txt",
		"seeds/003_42a8f16914de080a.txt",
		"seeds/004_3024d9debeae2d09.txt",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		CLEANUP(document_freep)
		struct document *d = open_shared(paths[i], /* is_raw= */ false);

		if (!d)
			SKIP_TEST("../shared/seeds is missing");
		assert_true(d->is_clean);
		assert_ptr_equal(d->text.p, d->mapping);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_line_of_the_corpus_leads_back),
		cmocka_unit_test(the_sample_mail_leads_back),
		cmocka_unit_test(the_other_samples_are_clean),
	};

	return cmocka_run_group_tests_name("document_corpus", tests, NULL, NULL);
}
