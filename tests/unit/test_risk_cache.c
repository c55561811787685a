/* SPDX-License-Identifier: MIT */
/* Measured files come from the cache, and a damaged cache is never trusted. */
#include "unit.h"

#include "base/alloc.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "config.h"
#include "metrics/risk.h"
#include "metrics/risk_cache.h"
#include "metrics/risk_pack.h"
#include "metrics/risk_part.h"

#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define N_TEXTS 3u

struct place {
	char folder[256];
	struct out texts[N_TEXTS];
	struct str paths[N_TEXTS];
	struct str views[N_TEXTS];
};

/* Three texts, together large enough to be worth keeping. */
static void place_open(struct place *p)
{
	const char *around = getenv("TMPDIR");

	(void)snprintf(p->folder, sizeof(p->folder), "%s/assay-cache-XXXXXX",
		       around && strlen(around) < 200 ? around : "/tmp");
	assert_non_null(mkdtemp(p->folder));
	strcat(p->folder, "/a");
	for (unsigned int i = 0; i < N_TEXTS; i++) {
		p->texts[i] = (struct out){ .fd = -1 };
		for (unsigned int k = 0; p->texts[i].len < RISK_CACHE_WORTH / 2; k++)
			out_printf(&p->texts[i],
				   "static int f%u_%u(char *to, const char *from, int n)\n{\n"
				   "\tfor (int i = 0; i < n; i++)\n\t\tif (from[i] && n > %u)\n"
				   "\t\t\tto[i] = from[i] + g%u(to);\n\treturn n;\n}\n"
				   "EXPORT_SYMBOL(f%u_%u);\n",
				   i, k, k, k % 7, i, k);
		p->paths[i] = STR("a.c");
		p->views[i] = out_view(&p->texts[i]);
	}
}

static void place_each(const struct place *p, void (*call)(const char *path))
{
	char pattern[300];
	glob_t found;

	(void)snprintf(pattern, sizeof(pattern), "%s/functions-*", p->folder);
	if (glob(pattern, 0, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			call(found.gl_pathv[i]);
		globfree(&found);
	}
}

static void file_remove(const char *path)
{
	assert_int_equal(unlink(path), 0);
}

static void place_close(struct place *p)
{
	place_each(p, file_remove);
	(void)rmdir(p->folder);
	*strrchr(p->folder, '/') = '\0';
	assert_int_equal(rmdir(p->folder), 0);
	for (unsigned int i = 0; i < N_TEXTS; i++)
		out_fini(&p->texts[i]);
}

/*
 * Measure through the cache; @ret: number of texts that were cached. False: this build has no
 * parser.
 */
static bool measure(const struct place *p, bool has_compat, struct risk_tree *t, uint32_t *ret)
{
	const struct risk_options options = { .cache = p->folder, .has_compat = has_compat };
	struct error err;

	if (risk_measure_texts(p->paths, p->views, N_TEXTS, &options, t, &err) < 0)
		return false;
	*ret = t->n_cached;
	return true;
}

static void assert_same(const struct risk_tree *a, const struct risk_tree *b)
{
	assert_int_equal(a->functions.len, b->functions.len);
	assert_int_equal(a->calls.len, b->calls.len);
	for (size_t i = 0; i < a->functions.len; i++) {
		const struct risk_function *x = &a->functions.data[i];
		const struct risk_function *y = &b->functions.data[i];

		assert_true(str_eq(x->name, y->name) && x->line == y->line &&
			    x->head_line == y->head_line && x->last_line == y->last_line &&
			    x->n_calls == y->n_calls && x->entry == y->entry &&
			    x->rank == y->rank && x->has_compat == y->has_compat);
		assert_memory_equal(x->m, y->m, sizeof(x->m));
		if (x->has_compat)
			assert_memory_equal(x->c, y->c, sizeof(x->c));
	}
}

static void test_a_second_run_finds_what_the_first_measured(void **state)
{
	struct place p;

	(void)state;
	place_open(&p);
	for (unsigned int has_compat = 0; has_compat < 2; has_compat++) {
		struct risk_tree first;
		struct risk_tree second;
		uint32_t n = 0;

		if (!measure(&p, has_compat, &first, &n)) {
			place_close(&p);
			SKIP_TEST("this build has no tree-sitter");
		}
		assert_int_equal(n, 0);
		assert_true(measure(&p, has_compat, &second, &n));
		assert_int_equal(n, N_TEXTS);
		assert_same(&first, &second);
		risk_tree_fini(&first);
		risk_tree_fini(&second);
	}
	place_close(&p);
}

static void file_cut(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(truncate(path, st.st_size - 100), 0);
}

static void file_mode(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 077, 0);
}

static void test_a_cut_file_is_measured_again_and_made_whole(void **state)
{
	struct risk_tree first;
	struct risk_tree again;
	struct place p;
	uint32_t n;

	(void)state;
	place_open(&p);
	if (!measure(&p, false, &first, &n)) {
		place_close(&p);
		SKIP_TEST("this build has no tree-sitter");
	}
	place_each(&p, file_mode);
	place_each(&p, file_cut);
	assert_true(measure(&p, false, &again, &n));
	assert_true(n < N_TEXTS);
	assert_same(&first, &again);
	risk_tree_fini(&again);
	assert_true(measure(&p, false, &again, &n));
	assert_int_equal(n, N_TEXTS);
	assert_same(&first, &again);
	risk_tree_fini(&again);
	risk_tree_fini(&first);
	place_close(&p);
}

/* Change every byte of the head and of the index, and some of the other bytes. */
static void file_mutate(const char *path)
{
	int fd = open(path, O_RDWR);
	struct stat st;

	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	for (off_t at = 0; at < st.st_size; at += at < 256 ? 1 : 997) {
		char byte;

		assert_int_equal(pread(fd, &byte, 1, at), 1);
		byte ^= (char)(1 << at % 8);
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	}
	close(fd);
}

static void test_a_changed_file_is_not_believed(void **state)
{
	struct risk_tree first;
	struct risk_tree again;
	struct place p;
	uint32_t n;

	(void)state;
	place_open(&p);
	if (!measure(&p, false, &first, &n)) {
		place_close(&p);
		SKIP_TEST("this build has no tree-sitter");
	}
	place_each(&p, file_mutate);
	assert_true(measure(&p, false, &again, &n));
	assert_int_equal(n, 0);
	assert_same(&first, &again);
	risk_tree_fini(&again);
	risk_tree_fini(&first);
	place_close(&p);
}

static void file_publish(const char *path)
{
	assert_int_equal(chmod(path, 0666), 0);
}

static void file_give_away(const char *path)
{
	assert_int_equal(chown(path, 12345, 12345), 0);
}

static void test_a_file_of_others_is_not_believed(void **state)
{
	static void (*const changes[])(const char *path) = { file_publish, file_give_away };
	struct risk_tree t;
	struct place p;
	uint32_t n;

	(void)state;
	place_open(&p);
	if (!measure(&p, false, &t, &n)) {
		place_close(&p);
		SKIP_TEST("this build has no tree-sitter");
	}
	risk_tree_fini(&t);
	/* only root can give files away */
	for (size_t i = 0; i < (geteuid() == 0 ? 2u : 1u); i++) {
		place_each(&p, changes[i]);
		assert_true(measure(&p, false, &t, &n));
		assert_int_equal(n, 0);
		risk_tree_fini(&t);
		assert_true(measure(&p, false, &t, &n));
		assert_int_equal(n, N_TEXTS);
		risk_tree_fini(&t);
	}
	place_close(&p);
}

/* A part with @n functions: names, calls, an entry point and numbers of all kinds. */
static void part_make(struct risk_part *part, unsigned int n)
{
	*part = (struct risk_part){ .file = { .bytes = 1000 } };
	for (unsigned int i = 0; i < n; i++) {
		struct risk_function *f = VEC_PUSH(&part->functions);

		*f = (struct risk_function){ .name = STR("name"),
					     .head_line = 3 + i,
					     .line = 4 + i,
					     .last_line = 9 + i,
					     .calls = (uint32_t)part->call_names.len,
					     .n_calls = 2,
					     .has_compat = i % 2 };
		*VEC_PUSH(&part->call_names) = STR("one");
		*VEC_PUSH(&part->call_names) = STR("name");
		for (unsigned int m = 0; m < RISK_METRIC_COUNT; m++)
			f->m[m] = m % 3 ? 0.1 * m : 1e6 * m;
	}
	*VEC_PUSH(&part->entries) = STR("name");
	*VEC_PUSH(&part->entry_kinds) = ENTRY_EXPORTED;
}

static void test_any_bytes_are_unpacked_or_refused(void **state)
{
	struct risk_bytes good = { .bytes = VEC_INIT };
	struct risk_part part;
	uint32_t seed = 1;

	(void)state;
	part_make(&part, 3);
	risk_pack(&part, &good);
	risk_part_fini(&part);
	for (unsigned int round = 0; round < 20000; round++) {
		size_t n = good.bytes.len;
		uint8_t *bytes = xmalloc(n);
		struct risk_part back = { .file = { .bytes = 1000 } };

		memcpy(bytes, good.bytes.data, n);
		if (round % 4 == 3)
			n = round / 4 % n;
		for (unsigned int k = 0; round && k <= round % 4; k++) {
			seed = seed * 1664525u + 1013904223u;
			bytes[(seed >> 8) % good.bytes.len] =
				round % 2 ? 255 : (uint8_t)(seed >> 24);
		}
		if (risk_unpack(bytes, n, &back)) {
			VEC_FOREACH (f, &back.functions)
				assert_true(f->name.len && f->head_line <= f->line &&
					    f->line <= f->last_line && f->last_line <= 1001 &&
					    f->calls + f->n_calls <= back.call_names.len);
		} else {
			assert_int_not_equal(round, 0);
		}
		risk_part_fini(&back);
		free(bytes);
	}
	VEC_FREE(&good.bytes);
}

/* A process that sources have taken over asks for files of any name and makes them large. */
static void test_other_names_and_large_files_are_not_placed(void **state)
{
	static const char *const names[] = { "functions-00",         "functions-00.old",
					     "functions-zz.new",     "../functions-00.new",
					     "functions-00.new.new", "" };
	struct place p;
	char path[400];
	char placed[400];
	int fd = -1;

	(void)state;
	place_open(&p);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", p.folder, names[i]);
		assert_false(risk_cache_serve(p.folder, FILES_CREATE, path, &fd));
		assert_false(risk_cache_serve(p.folder, FILES_PLACE, path, &fd));
	}
	(void)snprintf(path, sizeof(path), "%s/functions-00.new", p.folder);
	(void)snprintf(placed, sizeof(placed), "%s/functions-00", p.folder);
	for (int k = 0; k < 2; k++) {
		off_t size = (off_t)LIMIT_CACHE_SHARD_BYTES + k;

		assert_true(risk_cache_serve(p.folder, FILES_CREATE, path, &fd));
		assert_true(fd >= 0);
		assert_int_equal(ftruncate(fd, size), 0);
		(void)close(fd);
		assert_true(risk_cache_serve(p.folder, FILES_PLACE, path, &fd));
		assert_int_equal(access(placed, F_OK), k == 0 ? 0 : -1);
		assert_int_equal(access(path, F_OK), -1);
		(void)unlink(placed);
	}
	place_close(&p);
}

/* A folder of another user, or one that everybody may write, could be changed between two steps. */
static void test_a_folder_of_others_is_not_written(void **state)
{
	struct place p;
	char path[400];
	char link[300];
	int fd = -1;

	(void)state;
	place_open(&p);
	(void)snprintf(path, sizeof(path), "%s/functions-00.new", p.folder);
	assert_int_equal(mkdir(p.folder, 0700), 0);
	/* as made; for all to write; of another user, which only root can try */
	for (int i = 0; i < (geteuid() == 0 ? 3 : 2); i++) {
		bool is_safe = i == 0;

		assert_int_equal(chmod(p.folder, i == 1 ? 0777 : 0755), 0);
		if (i == 2)
			file_give_away(p.folder);
		assert_int_equal(risk_cache_serve(p.folder, FILES_CREATE, path, &fd), is_safe);
		if (is_safe)
			(void)close(fd);
		assert_int_equal(risk_cache_serve(p.folder, FILES_PLACE, path, &fd), is_safe);
	}
	/* a link of another user to an own folder; an own link is fine */
	assert_int_equal(chown(p.folder, geteuid(), getegid()), 0);
	assert_int_equal(chmod(p.folder, 0700), 0);
	(void)snprintf(link, sizeof(link), "%s.link", p.folder);
	(void)snprintf(path, sizeof(path), "%s/functions-00.new", link);
	assert_int_equal(symlink(p.folder, link), 0);
	assert_true(risk_cache_serve(link, FILES_CREATE, path, &fd));
	(void)close(fd);
	assert_true(risk_cache_serve(link, FILES_DROP, path, &fd));
	if (geteuid() == 0) {
		assert_int_equal(lchown(link, 12345, 12345), 0);
		assert_false(risk_cache_serve(link, FILES_CREATE, path, &fd));
	}
	assert_int_equal(unlink(link), 0);
	place_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_folder_of_others_is_not_written),
		cmocka_unit_test(test_other_names_and_large_files_are_not_placed),
		cmocka_unit_test(test_a_second_run_finds_what_the_first_measured),
		cmocka_unit_test(test_a_cut_file_is_measured_again_and_made_whole),
		cmocka_unit_test(test_a_changed_file_is_not_believed),
		cmocka_unit_test(test_a_file_of_others_is_not_believed),
		cmocka_unit_test(test_any_bytes_are_unpacked_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
