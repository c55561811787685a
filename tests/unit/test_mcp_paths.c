/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "cmds/mcp/mcp_paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The folder top has the files in/a.folded, in/-b and in/sub/c.folded. Links: in/good to a.folded,
 * in/out to ../out/secret, in/dir to ../out. Outside of in: out/secret, inner, in2/a.folded and
 * ex/a.folded, whose folder has a name as long as "in".
 */
struct place {
	char top[64];
	struct mcp_paths paths;
};

static const char *const folders[] = { "in", "in/sub", "out", "in2", "ex" };
static const char *const files[] = { "in/a.folded", "in/-b",       "in/sub/c.folded",
				     "out/secret",  "inner",       "in2/a.folded",
				     "inXa.folded", "in/..secret", "ex/a.folded" };
static const char *const links[][2] = { { "a.folded", "in/good" },
					{ "../out/secret", "in/out" },
					{ "../out", "in/dir" },
					{ "loop", "in/loop" } };

static const char *at(const struct place *p, const char *name)
{
	static char path[512];

	(void)snprintf(path, sizeof(path), "%s/%s", p->top, name);
	return path;
}

static void place_make(struct place *p)
{
	struct error err = { "" };

	*p = (struct place){ .top = "/tmp/assay-mcp-paths-XXXXXX" };
	assert_non_null(mkdtemp(p->top));
	for (size_t i = 0; i < ARRAY_LEN(folders); i++)
		assert_int_equal(mkdir(at(p, folders[i]), 0700), 0);
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		FILE *f = fopen(at(p, files[i]), "w");

		assert_non_null(f);
		assert_int_equal(fclose(f), 0);
	}
	for (size_t i = 0; i < ARRAY_LEN(links); i++)
		assert_int_equal(symlink(links[i][0], at(p, links[i][1])), 0);
	assert_int_equal(mcp_paths_add(&p->paths, at(p, "in"), &err), OK);
}

static void place_remove(struct place *p)
{
	mcp_paths_fini(&p->paths);
	for (size_t i = 0; i < ARRAY_LEN(links); i++)
		assert_int_equal(unlink(at(p, links[i][1])), 0);
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		assert_int_equal(unlink(at(p, files[i])), 0);
	for (size_t i = ARRAY_LEN(folders); i-- > 0;)
		assert_int_equal(rmdir(at(p, folders[i])), 0);
	assert_int_equal(rmdir(p->top), 0);
}

static void assert_found(const struct place *p, const char *name, const char *expected)
{
	struct error err = { "" };
	size_t root = 9;
	char *found = NULL;

	assert_int_equal(mcp_paths_find(&p->paths, str_of(name), &found, &root, &err), OK);
	assert_string_equal(found, expected);
	assert_int_equal(root, 0);
	free(found);
}

static void assert_refused(const struct place *p, struct str name)
{
	struct error err = { "" };
	size_t root = 9;
	char *found = NULL;

	if (mcp_paths_find(&p->paths, name, &found, &root, &err) == OK)
		print_error("'" STR_FMT "' is read as %s\n", STR_ARG(name), found);
	assert_null(found);
	assert_int_equal(root, 9);
}

static void files_below_the_directory_are_found_by_each_of_their_names(void **state)
{
	struct place p;

	(void)state;
	place_make(&p);
	assert_found(&p, "a.folded", "a.folded");
	assert_found(&p, "./a.folded", "a.folded");
	assert_found(&p, "sub/../a.folded", "a.folded");
	assert_found(&p, "../in/a.folded", "a.folded");
	assert_found(&p, "good", "a.folded");
	assert_found(&p, "sub/c.folded", "sub/c.folded");
	assert_found(&p, at(&p, "in/sub/c.folded"), "sub/c.folded");
	assert_found(&p, "..secret", "..secret");
	place_remove(&p);
}

static void a_name_never_becomes_an_option(void **state)
{
	struct place p;

	(void)state;
	place_make(&p);
	assert_found(&p, "-b", "./-b");
	assert_found(&p, at(&p, "in/-b"), "./-b");
	place_remove(&p);
}

static void no_name_leads_out_of_the_directory(void **state)
{
	static const char *const names[] = { "../out/secret",
					     "sub/../../out/secret",
					     "./.././out//secret",
					     "out",
					     "dir/secret",
					     "dir/../inner",
					     "../inner",
					     "../in2/a.folded",
					     "../ex/a.folded",
					     "../inXa.folded",
					     "loop",
					     "sub",
					     "..",
					     ".",
					     "missing",
					     "/etc/passwd",
					     "/proc/self/exe",
					     "/",
					     "/dev/null" };
	static const char *const absolute[] = { "out/secret",  "inner",  "in2/a.folded",
						"inXa.folded", "in/out", "in/dir/secret",
						"in/../inner", "in",     "in/sub/../../inner" };
	struct place p;

	(void)state;
	place_make(&p);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		assert_refused(&p, str_of(names[i]));
	for (size_t i = 0; i < ARRAY_LEN(absolute); i++)
		assert_refused(&p, str_of(at(&p, absolute[i])));
	place_remove(&p);
}

static void hard_names_are_refused(void **state)
{
	static char many[5000];
	struct place p;

	(void)state;
	place_make(&p);
	memset(many, '/', sizeof(many));
	assert_refused(&p, STR_NONE);
	assert_refused(&p, (struct str){ "a.folded\0", 9 });
	assert_refused(&p, (struct str){ "a.folded\0/../../inner", 21 });
	assert_refused(&p, (struct str){ many, sizeof(many) });
	assert_refused(&p, STR("a.folded\n"));
	place_remove(&p);
}

static void a_root_is_a_directory(void **state)
{
	struct error err = { "" };
	struct place p;

	(void)state;
	place_make(&p);
	assert_int_equal(mcp_paths_add(&p.paths, at(&p, "in/a.folded"), &err), ERR_USAGE);
	assert_int_equal(mcp_paths_add(&p.paths, at(&p, "nothing"), &err), ERR_NOTFOUND);
	assert_int_equal(p.paths.roots.len, 1);
	place_remove(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_below_the_directory_are_found_by_each_of_their_names),
		cmocka_unit_test(a_name_never_becomes_an_option),
		cmocka_unit_test(no_name_leads_out_of_the_directory),
		cmocka_unit_test(hard_names_are_refused),
		cmocka_unit_test(a_root_is_a_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
