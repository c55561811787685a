/* SPDX-License-Identifier: MIT */
/* Places where a module's symbols and lines are found, each alone, and files of other builds there.
 */
#include "unit.h"

#include "base/files.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "config.h"
#include "symbols/elf_symbols.h"
#include "symbols/lines/lines.h"
#include "symbols/module_files.h"
#include "symbols/symtab.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ID    "0102030405060708090a0b0c0d0e0f1011121314"
#define OTHER "ff02030405060708090a0b0c0d0e0f1011121314"

/*
 * In the folder: full.so has symbols and lines, other.so the same with another build id, noid.so
 * without one; plain.so is full.so without symbols, and linked.so names app.debug besides.
 */
static const char script[] =
	"cd %s && printf 'static __attribute__((noinline)) long hidden(long n) { return n * 3; }\\n"
	"long shown(long n) { return hidden(n) + hidden(n + 1); }\\n' >a.c &&"
	"for id in full:0x" ID " other:0x" OTHER " noid:none; do "
	"cc -O1 -g -shared -fPIC -nostdlib -Wl,--build-id=${id#*:} -o ${id%%:*}.so a.c || exit 1; "
	"done;"
	"cp full.so app.debug && strip -o plain.so full.so && strip -o noid-plain.so noid.so &&"
	"objcopy --add-gnu-debuglink=app.debug plain.so linked.so && rm app.debug";

struct fixture {
	char root[64];
};

static bool build(struct fixture *f)
{
	char command[2048];

	*f = (struct fixture){ .root = "/tmp/assay-places-XXXXXX" };
	if (!HAVE_LIBDW || !mkdtemp(f->root))
		return false;
	(void)snprintf(command, sizeof(command), script, f->root);
	return system(command) == 0;
}

static void run(const struct fixture *f, const char *command)
{
	char text[1024];

	(void)snprintf(text, sizeof(text), "cd %s && { %s; }", f->root, command);
	assert_int_equal(system(text), 0);
}

static struct build_id id_of(const char *hex)
{
	struct build_id id = { .len = (uint8_t)(strlen(hex) / 2) };

	for (size_t i = 0; i < id.len; i++) {
		const char digits[] = { hex[2 * i], hex[2 * i + 1], '\0' };

		id.bytes[i] = (uint8_t)strtoul(digits, NULL, 16);
	}
	return id;
}

/* The functions that are found: 's' the exported one, 'h' the other, 'l' its source line. */
static const char *found(const struct fixture *f, const char *id, bool is_proven, struct error *why)
{
	static char ret[8];
	char cache[96];
	struct module_places places = { .root = f->root, .cache = cache, .is_proven = is_proven };
	struct build_id build = id_of(id);
	struct symtab table = { .entries = VEC_INIT };
	struct module_lines lines;
	struct line_frame frames[LINES_FRAMES_MAX];
	bool is_unread = false;
	uint64_t hidden = 0;

	(void)snprintf(cache, sizeof(cache), "%s/cache", f->root);
	*why = (struct error){ "" };
	ret[0] = '\0';
	if (module_files_load(STR("/bin/app"), &build, &places, &table, &is_unread, why) == OK) {
		VEC_FOREACH (e, &table.entries) {
			bool is_hidden = str_eq(symtab_name(&table, e), STR("hidden"));

			assert_true(e->end > e->start);
			if (is_hidden)
				hidden = e->start;
			if (is_hidden || str_eq(symtab_name(&table, e), STR("shown")))
				(void)strcat(ret, is_hidden ? "h" : "s");
		}
	}
	assert_false(is_unread);
	symtab_fini(&table);
	if (module_files_lines(STR("/bin/app"), &build, &places, &lines, NULL) == OK) {
		assert_true(lines.n_loads > 0);
		for (size_t i = 0; hidden && i < lines.n_loads; i++) {
			const struct elf_load *l = &lines.loads[i];

			if (hidden < l->offset || hidden - l->offset >= l->size)
				continue;
			assert_int_equal(
				lines_find(lines.lines, hidden - l->offset + l->vaddr, frames), 1);
			assert_int_equal(frames[0].line, 1);
		}
		(void)strcat(ret, "l");
		lines_free(lines.lines);
	}
	return ret;
}

static bool has(const char *found, const char *letters)
{
	for (; *letters; letters++) {
		if (!strchr(found, *letters))
			return false;
	}
	return true;
}

static const char *const places[] = {
	"bin/app.debug",
	"bin/.debug/app.debug",
	"usr/lib/debug/bin/app.debug",
	"cache/.build-id/01/02030405060708090a0b0c0d0e0f1011121314/elf",
	"usr/lib/debug/.build-id/01/02030405060708090a0b0c0d0e0f1011121314.debug",
	"usr/lib/debug/bin/app",
};

static void each_place_alone_has_symbols_and_lines(void **state)
{
	struct fixture f;
	struct error why;
	char command[512];

	(void)state;
	if (!build(&f))
		SKIP_TEST("no compiler or no libdw here");
	run(&f, "mkdir bin && cp linked.so bin/app");
	/* only what the program itself exports */
	assert_string_equal(found(&f, ID, false, &why), "s");
	assert_string_equal(found(&f, "", true, &why), "s");
	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		for (unsigned int other = 0; other < 2; other++) {
			(void)snprintf(command, sizeof(command),
				       "mkdir -p $(dirname %s) && cp %s.so %s", places[i],
				       other ? "other" : "full", places[i]);
			run(&f, command);
			if (other)
				assert_string_equal(found(&f, ID, false, &why), "s");
			else
				assert_true(has(found(&f, ID, false, &why), "shl"));
			/* the program says its build id where the recording has none */
			assert_int_equal(has(found(&f, "", true, &why), "shl"), !other);
			(void)snprintf(command, sizeof(command), "rm %s", places[i]);
			run(&f, command);
		}
	}
	run(&f, "rm -r $PWD");
}

static void a_program_of_another_build_is_left_alone(void **state)
{
	static const struct {
		const char *file, *id;
		bool is_proven;
		const char *found, *why;
	} rows[] = {
		{ "full", ID, false, "shl", "" },
		{ "other", ID, false, "", "the file here is of another build" },
		{ "other", ID, true, "", "the file here is of another build" },
		{ "full", "", false, "", "the file here is of another build" },
		{ "full", "", true, "shl", "" },
		{ "noid", ID, false, "", "the file here is of another build" },
		{ "noid", ID, true, "shl", "" },
		{ "noid", "", true, "shl", "" },
		{ "noid", "", false, "", "the file here is of another build" },
		{ "plain", ID, false, "s", "" },
		{ "missing", ID, true, "", "no file with symbols found" },
	};
	struct fixture f;
	struct error why;
	char command[512];

	(void)state;
	if (!build(&f))
		SKIP_TEST("no compiler or no libdw here");
	run(&f, "mkdir bin");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *got;

		(void)snprintf(command, sizeof(command),
			       "rm -f bin/app; cp %s.so bin/app 2>&- || :", rows[i].file);
		run(&f, command);
		got = found(&f, rows[i].id, rows[i].is_proven, &why);
		assert_true(has(got, rows[i].found) && strlen(got) == strlen(rows[i].found));
		assert_string_equal(why.msg, rows[i].why);
	}
	run(&f, "rm -r $PWD");
}

static void a_deleted_program_is_found_in_the_cache(void **state)
{
	struct fixture f;
	struct error why;

	(void)state;
	if (!build(&f))
		SKIP_TEST("no compiler or no libdw here");
	run(&f, "d=cache/.build-id/01/02030405060708090a0b0c0d0e0f1011121314 && mkdir -p $d &&"
		"cp full.so $d/elf");
	assert_true(has(found(&f, ID, false, &why), "shl"));
	/* without a build id there is no copy */
	assert_string_equal(found(&f, "", true, &why), "");
	assert_string_equal(found(&f, "01", true, &why), "");
	run(&f, "mkdir bin && cp other.so bin/app");
	assert_true(has(found(&f, ID, false, &why), "shl"));
	/* its separate debug file may be elsewhere */
	run(&f, "cp plain.so cache/.build-id/01/*/elf && mkdir -p usr/lib/debug/bin &&"
		"cp full.so usr/lib/debug/bin/app");
	assert_true(has(found(&f, ID, false, &why), "shl"));
	run(&f, "rm -r $PWD");
}

static void build_ids_are_written_in_hexadecimal(void **state)
{
	struct build_id id = id_of(ID);
	char hex[2 * BUILD_ID_MAX + 1], path[4096];
	char *home = getenv("HOME") ? strdup(getenv("HOME")) : NULL;

	(void)state;
	module_files_hex(&id, hex);
	assert_string_equal(hex, ID);
	assert_true(module_files_cached(&id, "/c", path));
	assert_string_equal(path, "/c/.build-id/01/02030405060708090a0b0c0d0e0f1011121314/elf");
	assert_int_equal(setenv("HOME", "/h", 1), 0);
	assert_true(module_files_cached(&id, NULL, path));
	assert_string_equal(path,
			    "/h/.debug/.build-id/01/02030405060708090a0b0c0d0e0f1011121314/elf");
	assert_int_equal(unsetenv("HOME"), 0);
	assert_false(module_files_cached(&id, NULL, path));
	id.len = 2;
	assert_true(module_files_cached(&id, "/c", path));
	assert_string_equal(path, "/c/.build-id/01/02/elf");
	id.len = 1;
	assert_false(module_files_cached(&id, "/c", path));
	id.len = 0;
	module_files_hex(&id, hex);
	assert_string_equal(hex, "");
	module_files_of_process(STR("/bin/app"), 12, path);
	assert_string_equal(path, "/proc/12/root/bin/app");
	if (home)
		assert_int_equal(setenv("HOME", home, 1), 0);
	free(home);
}

static void files_are_read_whole(void **state)
{
	static const size_t sizes[] = { 0, 1, 65535, 65536, 65537, 131072, 200000 };
	char path[] = "/tmp/assay-slurp-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	(void)close(fd);
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		FILE *out = fopen(path, "we");
		char *text;
		size_t len;

		assert_non_null(out);
		for (size_t k = 0; k < sizes[i]; k++)
			(void)fputc((int)('a' + k % 23), out);
		assert_int_equal(fclose(out), 0);
		assert_int_equal(module_files_slurp(path, FILES_NAMED, &text, &len, NULL), OK);
		assert_int_equal(len, sizes[i]);
		for (size_t k = 0; k < len; k++)
			assert_int_equal(text[k], (char)('a' + k % 23));
		free(text);
	}
	(void)unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_place_alone_has_symbols_and_lines),
		cmocka_unit_test(a_program_of_another_build_is_left_alone),
		cmocka_unit_test(a_deleted_program_is_found_in_the_cache),
		cmocka_unit_test(build_ids_are_written_in_hexadecimal),
		cmocka_unit_test(files_are_read_whole),
	};

	return cmocka_run_group_tests_name("module_places", tests, NULL, NULL);
}
