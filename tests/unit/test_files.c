/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/files.h"
#include "base/status.h"
#include "base/str.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A recording may name any path, and merely opening a watchdog device starts it. */
static void what_a_recording_names_is_not_opened_unless_it_is_a_regular_file(void **state)
{
	char folder[] = "files-XXXXXX";
	char path[64];
	char event[512];
	int opened = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	(void)state;
	assert_true(opened >= 0);
	assert_non_null(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/pipe", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_true(inotify_add_watch(opened, path, IN_OPEN) >= 0);
	for (unsigned int kind = FILES_ELF; kind <= FILES_SOURCE; kind++) {
		errno = 0;
		assert_int_equal(files_open(path, (enum files_kind)kind), -1);
		assert_int_equal(errno, EACCES);
	}
	assert_int_equal(read(opened, event, sizeof(event)), -1);
	assert_int_equal(errno, EAGAIN);
	(void)close(opened);
	(void)unlink(path);
	(void)rmdir(folder);
	assert_int_equal(files_open("/dev/null", FILES_ELF), -1);
	assert_int_equal(errno, EACCES);
	assert_int_equal(files_open("/nonexistent/file", FILES_ELF), -1);
	assert_int_equal(errno, ENOENT);
}

/* Programs, libraries and objects are opened, memory dumps of processes are not. */
static void core_dumps_are_no_programs(void **state)
{
	static const struct {
		unsigned char type; /* e_type, little-endian */
		bool is_opened;
	} kinds[] = { { 0, false }, { 1, true }, { 2, true }, { 3, true }, { 4, false } };
	unsigned char head[64] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };
	char path[] = "files-XXXXXX";
	int made = mkstemp(path);

	(void)state;
	assert_true(made >= 0);
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		int fd;

		head[16] = kinds[i].type;
		assert_int_equal(pwrite(made, head, sizeof(head), 0), sizeof(head));
		fd = files_open(path, FILES_ELF);
		assert_int_equal(fd >= 0, kinds[i].is_opened);
		if (fd >= 0)
			(void)close(fd);
	}
	assert_int_equal(files_open("/proc/kcore", FILES_ELF), -1);
	(void)close(made);
	(void)unlink(path);
}

static void elf_files_are_recognised_by_their_first_bytes(void **state)
{
	int fd = files_open("/proc/self/exe", FILES_ELF);

	(void)state;
	assert_true(fd >= 0);
	(void)close(fd);
	assert_int_equal(files_open("/proc/self/exe", FILES_KALLSYMS), -1);
	assert_int_equal(errno, EACCES);
}

/* A file is no jitdump if its name or its first bytes differ by one character. */
static void jitdumps_are_recognised_by_name_and_first_bytes(void **state)
{
	static const struct {
		const char *name, *head;
		bool is_dump;
	} cases[] = {
		{ "jit-12.dump", "DTiJ\1", true },   { "jit-12.dump", "JiTD\1", true },
		{ "jit-12.dump", "JiTE\1", false },  { "jit-12.dump", "DTi", false },
		{ "jit-.dump", "DTiJ\1", false },    { "xjit-12.dump", "DTiJ\1", false },
		{ "jit-12.dumps", "DTiJ\1", false },
	};
	char folder[] = "files-XXXXXX";

	(void)state;
	assert_non_null(mkdtemp(folder));
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char path[64];
		FILE *f;
		int fd;

		(void)snprintf(path, sizeof(path), "%s/%s", folder, cases[i].name);
		f = fopen(path, "wb");
		assert_non_null(f);
		assert_true(fputs(cases[i].head, f) >= 0);
		assert_int_equal(fclose(f), 0);
		fd = files_open(path, FILES_JITDUMP);
		assert_int_equal(fd >= 0, cases[i].is_dump);
		if (fd >= 0)
			(void)close(fd);
		assert_int_equal(files_open(path, FILES_PERF_MAP), -1);
		(void)unlink(path);
	}
	(void)rmdir(folder);
}

#define FILES_TEST_ELF "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0"

/* Make or remove the folder @name in @folder. */
static void files_test_folder(const char *folder, const char *name, bool is_made)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(is_made ? mkdir(path, 0700) : rmdir(path), 0);
}

/* Debug information names sources: only texts with the name of a source are opened. */
static void sources_are_texts_with_the_name_of_a_source(void **state)
{
	static const struct {
		const char *name;
		struct str text;
		bool is_source;
	} files[] = { { "a.c", STR("int main(void);\n"), true },
		      { "b.rs", STR("fn main() {}\n"), true },
		      { "empty.h", STR(""), true },
		      { "c.c", STR("a\0b"), false },
		      { "id_rsa", STR("int main(void);\n"), false },
		      { "key.pem", STR("int main(void);\n"), false } };
	char folder[] = "files-XXXXXX";

	(void)state;
	assert_non_null(mkdtemp(folder));
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		char path[64];
		FILE *f;
		int fd;

		(void)snprintf(path, sizeof(path), "%s/%s", folder, files[i].name);
		f = fopen(path, "wb");
		assert_non_null(f);
		assert_int_equal(fwrite(files[i].text.p, 1, files[i].text.len, f),
				 files[i].text.len);
		assert_int_equal(fclose(f), 0);
		fd = files_open(path, FILES_SOURCE);
		assert_int_equal(fd >= 0, files[i].is_source);
		if (fd >= 0)
			assert_int_equal(close(fd), 0);
		assert_int_equal(unlink(path), 0);
	}
	assert_int_equal(rmdir(folder), 0);
}

/*
 * Files that are found by name in /tmp and in folders of debug information are opened if they are
 * of this user or root, and not everybody may write them.
 */
static void what_others_may_write_names_no_functions(void **state)
{
	static const struct {
		const char *name;
		struct str text;
		enum files_kind kind;
	} files[] = { { "perf-12.map", STR("10 20 f\n"), FILES_PERF_MAP },
		      { "jit-12.dump", STR("DTiJ\1"), FILES_JITDUMP },
		      { ".debug/elf", STR(FILES_TEST_ELF), FILES_ELF },
		      { ".build-id/elf", STR(FILES_TEST_ELF), FILES_ELF },
		      { ".debug/kallsyms", STR("ffffffff81000000 T f\n"), FILES_KALLSYMS } };
	static const struct {
		mode_t mode;
		bool is_trusted;
	} cases[] = { { 0644, true }, { 0664, true }, { 0666, false }, { 0602, false } };
	char folder[] = "files-XXXXXX";

	(void)state;
	assert_non_null(mkdtemp(folder));
	files_test_folder(folder, ".debug", true);
	files_test_folder(folder, ".build-id", true);
	for (size_t i = 0; i < ARRAY_LEN(files) * ARRAY_LEN(cases); i++) {
		size_t k = i / ARRAY_LEN(cases);
		mode_t mode = cases[i % ARRAY_LEN(cases)].mode;
		char path[64];
		FILE *f;
		int fd;

		(void)snprintf(path, sizeof(path), "%s/%s", folder, files[k].name);
		f = fopen(path, "wb");
		assert_non_null(f);
		assert_int_equal(fwrite(files[k].text.p, 1, files[k].text.len, f),
				 files[k].text.len);
		assert_int_equal(fclose(f), 0);
		assert_int_equal(chmod(path, mode), 0);
		fd = files_open(path, files[k].kind);
		assert_int_equal(fd >= 0, cases[i % ARRAY_LEN(cases)].is_trusted);
		if (fd >= 0)
			(void)close(fd);
		(void)unlink(path);
	}
	files_test_folder(folder, ".debug", false);
	files_test_folder(folder, ".build-id", false);
	(void)rmdir(folder);
}

static void files_of_other_users_are_not_trusted(void **state)
{
	bool is_root = geteuid() == 0;
	uid_t own;
	struct stat st = { .st_mode = S_IFREG | 0644 };

	(void)state;
	if (is_root) {
		st.st_uid = 12345;
		assert_true(files_is_trusted(&st));
		assert_int_equal(seteuid(54321), 0);
	}
	own = geteuid();
	st.st_uid = own;
	assert_true(files_is_trusted(&st));
	st.st_uid = 0;
	assert_true(files_is_trusted(&st));
	st.st_uid = own + 1;
	assert_false(files_is_trusted(&st));
	st = (struct stat){ .st_mode = S_IFIFO | 0644, .st_uid = own };
	assert_false(files_is_trusted(&st));
	if (is_root)
		assert_int_equal(seteuid(0), 0);
}

/*
 * In a folder of another user, a file that was checked can become a link or a pipe before it is
 * opened.
 */
static void named_files_stay_below_a_folder(void **state)
{
	static const struct {
		const char *path;
		bool is_opened;
	} cases[] = { { "file", true },    { "./file", true },        { "in/file", true },
		      { "link", false },   { "around/file", false },  { "pipe", false },
		      { "../out", false }, { "in/../../out", false }, { "/dev/null", false } };
	char folder[] = "files-XXXXXX";
	pid_t pid;
	int status;

	(void)state;
	assert_non_null(mkdtemp(folder));
	pid = fork();
	if (pid == 0) {
		bool is_ok = chdir(folder) == 0 && mkdir("below", 0700) == 0 &&
			     chdir("below") == 0 && mkdir("in", 0700) == 0 &&
			     symlink("../out", "link") == 0 && symlink("..", "around") == 0 &&
			     mkfifo("pipe", 0600) == 0 && mknod("file", S_IFREG | 0600, 0) == 0 &&
			     mknod("in/file", S_IFREG | 0600, 0) == 0 &&
			     mknod("../out", S_IFREG | 0600, 0) == 0 &&
			     mknod("../file", S_IFREG | 0600, 0) == 0;
		int first = files_open("link", FILES_NAMED);

		is_ok &= first >= 0;
		files_stay_below();
		for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
			int fd = files_open(cases[i].path, FILES_NAMED);

			if ((fd >= 0) != cases[i].is_opened) {
				(void)fprintf(stderr, "%s\n", cases[i].path);
				is_ok = false;
			}
		}
		_exit(is_ok ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	static const char *const made[] = { "below/in/file", "below/in",   "below/link",
					    "below/around",  "below/pipe", "below/file",
					    "below",         "out",        "file" };
	for (size_t i = 0; i < ARRAY_LEN(made); i++) {
		char path[64];

		(void)snprintf(path, sizeof(path), "%s/%s", folder, made[i]);
		assert_int_equal(remove(path), 0);
	}
	assert_int_equal(rmdir(folder), 0);
}

#define PATHS 12

/* Find the only existing file among so many paths that they need more than two messages. */
static void check_first(void)
{
	static char text[PATHS][1000];
	const char *paths[PATHS];
	size_t at;
	int fd;

	for (size_t i = 0; i < PATHS; i++) {
		memset(text[i], 'a', sizeof(text[i]) - 1);
		memcpy(text[i], "/nonexistent/", 13);
		paths[i] = text[i];
	}
	assert_int_equal(files_open_first(paths, PATHS, FILES_ELF, &at), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(at, PATHS - 1);
	paths[1] = "/dev/null";
	paths[PATHS - 2] = "/proc/self/exe";
	fd = files_open_first(paths, PATHS, FILES_ELF, &at);
	assert_true(fd >= 0);
	assert_int_equal(at, PATHS - 2);
	(void)close(fd);
	paths[0] = "";
	paths[1] = "/proc/self/exe";
	fd = files_open_first(paths, PATHS, FILES_ELF, &at);
	assert_true(fd >= 0);
	assert_int_equal(at, 1);
	(void)close(fd);
	paths[0] = "/nonexistent";
	paths[1] = "";
	paths[2] = "/proc/self/exe";
	fd = files_open_first(paths, 3, FILES_ELF, &at);
	assert_true(fd >= 0);
	assert_int_equal(at, 2);
	(void)close(fd);
	assert_int_equal(files_open_first(paths, 2, FILES_ELF, &at), -1);
	assert_int_equal(at, 1);
}

static void the_first_of_several_places_is_opened(void **state)
{
	(void)state;
	check_first();
}

/* A socket pair, and a server on it until the other side closes. */
static pid_t serve(int ret_fds[2])
{
	pid_t pid;

	assert_true(files_pair(ret_fds));
	pid = fork();
	if (pid == 0) {
		struct files_server server = { .fd = ret_fds[0] };

		(void)close(ret_fds[1]);
		while (files_serve(&server))
			;
		_exit(0);
	}
	(void)close(ret_fds[0]);
	return pid;
}

static void check_served(pid_t server, int fd)
{
	int status = -1;

	(void)close(fd);
	assert_int_equal(waitpid(server, &status, 0), server);
	assert_int_equal(status, 0);
}

static void the_process_outside_opens_the_first_of_several_places(void **state)
{
	int fds[2];
	pid_t server = serve(fds);
	pid_t asking = fork();
	int status = -1;

	(void)state;
	if (asking == 0) {
		files_confine(fds[1], -1);
		check_first();
		_exit(0);
	}
	assert_int_equal(waitpid(asking, &status, 0), asking);
	assert_int_equal(status, 0);
	check_served(server, fds[1]);
}

/* Requests may come from a compromised process. */
static void a_request_without_an_end_is_answered_all_the_same(void **state)
{
	char request[2 * sizeof(uint32_t) + FILES_TEXT_MAX];
	char answer[sizeof(request)];
	uint32_t kind = FILES_ELF;
	int fds[2];
	pid_t server = serve(fds);
	int passed = -1;

	(void)state;
	memset(request, 'a', sizeof(request));
	memset(request, 0, sizeof(uint32_t));
	memcpy(request + sizeof(uint32_t), &kind, sizeof(kind));
	assert_true(files_send(fds[1], request, sizeof(request), -1));
	assert_true(files_receive(fds[1], answer, sizeof(answer), &passed));
	assert_int_equal(passed, -1);
	check_served(server, fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_recording_names_is_not_opened_unless_it_is_a_regular_file),
		cmocka_unit_test(core_dumps_are_no_programs),
		cmocka_unit_test(elf_files_are_recognised_by_their_first_bytes),
		cmocka_unit_test(jitdumps_are_recognised_by_name_and_first_bytes),
		cmocka_unit_test(sources_are_texts_with_the_name_of_a_source),
		cmocka_unit_test(what_others_may_write_names_no_functions),
		cmocka_unit_test(files_of_other_users_are_not_trusted),
		cmocka_unit_test(named_files_stay_below_a_folder),
		cmocka_unit_test(the_first_of_several_places_is_opened),
		cmocka_unit_test(the_process_outside_opens_the_first_of_several_places),
		cmocka_unit_test(a_request_without_an_end_is_answered_all_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
