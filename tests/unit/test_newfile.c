/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/newfile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char *content(const char *path)
{
	static char text[64];
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

	if (f)
		(void)fclose(f);
	text[n] = '\0';
	return text;
}

/* A folder with "old" in its file; both paths are static. */
static const char *make_place(char **ret_folder)
{
	static char folder[64];
	static char path[80];
	FILE *f;

	(void)snprintf(folder, sizeof(folder), "/tmp/assay-newfile-XXXXXX");
	assert_non_null(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/place", folder);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs("old", f) >= 0);
	assert_int_equal(fclose(f), 0);
	*ret_folder = folder;
	return path;
}

/* Nothing but the file is in the folder: that goes away, too. */
static void remove_place(const char *path, const char *folder)
{
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0);
}

static void the_old_file_is_seen_until_the_new_one_is_whole(void **state)
{
	char *folder;
	const char *path = make_place(&folder);
	struct stat st;
	char *name;
	int fd = newfile_create(path, 0640, &name);

	(void)state;
	assert_true(fd >= 0);
	assert_true(write_all(fd, "new and longer", 14));
	assert_string_equal(content(path), "old");
	assert_true(newfile_place(fd, name, path, true));
	assert_string_equal(content(path), "new and longer");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	remove_place(path, folder);
}

static void what_is_not_complete_leaves_nothing(void **state)
{
	char *folder;
	const char *path = make_place(&folder);
	char *name;
	int fd = newfile_create(path, 0600, &name);

	(void)state;
	assert_true(write_all(fd, "half", 4));
	assert_true(newfile_place(fd, name, path, false));
	assert_string_equal(content(path), "old");
	remove_place(path, folder);
}

static void what_cannot_be_put_there_is_removed_and_said(void **state)
{
	char *folder;
	const char *path = make_place(&folder);
	char *name;
	int fd = newfile_create(path, 0600, &name);

	(void)state;
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0); /* a folder stands there now */
	errno = 0;
	assert_false(newfile_place(fd, name, path, true));
	assert_int_equal(errno, EISDIR);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(rmdir(folder), 0);
}

static void a_folder_that_is_not_there_is_an_error(void **state)
{
	char some[] = "some";
	char *name = some;

	(void)state;
	assert_int_equal(newfile_create("/nonexistent/folder/file", 0600, &name), -1);
	assert_int_equal(errno, ENOENT);
	assert_null(name);
}

static void more_than_a_pipe_takes_at_once_is_written(void **state)
{
	static char data[1 << 20];
	int fds[2];
	size_t n = 0;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	if (fork() == 0)
		_exit(write_all(fds[1], data, sizeof(data)) ? 0 : 1);
	(void)close(fds[1]);
	for (;;) {
		char part[777];
		ssize_t got = read(fds[0], part, sizeof(part));

		if (got <= 0)
			break;
		n += (size_t)got;
	}
	(void)close(fds[0]);
	assert_int_equal(n, sizeof(data));
}

static void a_reader_that_left_is_an_error(void **state)
{
	int fds[2];

	(void)state;
	(void)signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(fds), 0);
	(void)close(fds[0]);
	errno = 0;
	assert_false(write_all(fds[1], "x", 1));
	assert_int_equal(errno, EPIPE);
	(void)close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_old_file_is_seen_until_the_new_one_is_whole),
		cmocka_unit_test(what_is_not_complete_leaves_nothing),
		cmocka_unit_test(what_cannot_be_put_there_is_removed_and_said),
		cmocka_unit_test(a_folder_that_is_not_there_is_an_error),
		cmocka_unit_test(more_than_a_pipe_takes_at_once_is_written),
		cmocka_unit_test(a_reader_that_left_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
