/* SPDX-License-Identifier: MIT */
/* Debug files of servers, with a library that stands in for libdebuginfod. */
#include "unit.h"

#include "base/status.h"
#include "symbols/debuginfod.h"
#include "symbols/elf_symbols.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* The library knows one file, by the build id aabb; with MADE_REFUSES it cannot start. */
static const char script[] =
	"set -e; cd \"$1\"; : >made.debug; chmod 600 made.debug\n"
	"cat >made.c <<'END'\n"
	"#include <fcntl.h>\n"
	"#include <stdlib.h>\n"
	"#include <string.h>\n"
	"void *debuginfod_begin(void) { return getenv(\"MADE_REFUSES\") ? NULL : malloc(1); }\n"
	"void debuginfod_end(void *c) { free(c); }\n"
	"int debuginfod_find_debuginfo(void *c, const unsigned char *id, int n, char **path)\n"
	"{\n"
	"	if (!c || n != 2 || id[0] != 0xaa || id[1] != 0xbb)\n"
	"		return -2;\n"
	"	*path = strdup(getenv(\"MADE_PATH\"));\n"
	"	return open(*path, O_RDONLY);\n"
	"}\n"
	"END\n"
	"cc -shared -fPIC -Wl,-soname,libdebuginfod.so.1 -o made.so made.c\n";

static int setup(void **state)
{
	static char folder[64];
	char command[2048];

	(void)state;
	(void)snprintf(folder, sizeof(folder), "/tmp/assay-debuginfod-XXXXXX");
	if (!mkdtemp(folder))
		return 0;
	unit_state = folder;
	(void)snprintf(command, sizeof(command), "set -- %s; %s", folder, script);
	if (system(command) != 0)
		return 0;
	(void)snprintf(command, sizeof(command), "%s/made.so", folder);
	/* later searches for this name find a library that is loaded already */
	if (!dlopen(command, RTLD_NOW | RTLD_LOCAL))
		return 0;
	(void)snprintf(command, sizeof(command), "%s/made.debug", folder);
	return setenv("MADE_PATH", command, 1);
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	if (unit_state) {
		(void)snprintf(command, sizeof(command), "rm -r %s", (char *)unit_state);
		(void)!system(command);
	}
	return 0;
}

/* Search for the file of the build id @id of @n bytes; expect its path, or else the reason @why. */
static void expect(const char *id, uint8_t n, const char *why)
{
	struct build_id wanted = { .len = n };
	char path[DEBUGINFOD_PATH_MAX] = "";
	struct error err = { "" };

	memcpy(wanted.bytes, id, n);
	assert_int_equal(debuginfod_find(&wanted, path, &err), why == NULL);
	assert_string_equal(err.msg, why ? why : "");
	assert_string_equal(path, why ? "" : getenv("MADE_PATH"));
}

static void a_server_is_asked_only_if_the_user_names_one(void **state)
{
	(void)state;
	(void)unsetenv("DEBUGINFOD_URLS");
	expect("\xaa\xbb", 2, "DEBUGINFOD_URLS names no server");
	(void)setenv("DEBUGINFOD_URLS", "", 1);
	expect("\xaa\xbb", 2, "DEBUGINFOD_URLS names no server");
	/* one byte is no build id */
	expect("\xaa", 1, "");
}

static void the_path_of_a_file_is_in_the_cache(void **state)
{
	(void)state;
	if (!getenv("MADE_PATH"))
		SKIP_TEST("no compiler here");
	(void)setenv("DEBUGINFOD_URLS", "http://localhost:1", 1);
	expect("\xaa\xbb", 2, NULL);
	expect("\xaa\xbc", 2, "no server has this file");
	expect("\xaa\xbb\xcc", 3, "no server has this file");
	(void)setenv("MADE_REFUSES", "1", 1);
	expect("\xaa\xbb", 2, "no server has this file");
	(void)unsetenv("MADE_REFUSES");
}

static void a_file_that_others_may_write_is_not_used(void **state)
{
	(void)state;
	if (!getenv("MADE_PATH"))
		SKIP_TEST("no compiler here");
	(void)setenv("DEBUGINFOD_URLS", "http://localhost:1", 1);
	assert_int_equal(chmod(getenv("MADE_PATH"), 0602), 0);
	expect("\xaa\xbb", 2, "others may write its cache");
	assert_int_equal(chmod(getenv("MADE_PATH"), 0604), 0);
	expect("\xaa\xbb", 2, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_server_is_asked_only_if_the_user_names_one),
		cmocka_unit_test(the_path_of_a_file_is_in_the_cache),
		cmocka_unit_test(a_file_that_others_may_write_is_not_used),
	};

	return cmocka_run_group_tests_name("debuginfod", tests, setup, teardown);
}
