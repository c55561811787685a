/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/newfile.h"
#include "base/status.h"
#include "base/str.h"

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

/* A folder with a file that contains "old"; both paths are static. */
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

/* The folder contains only the file: remove both. */
static void remove_place(const char *path, const char *folder)
{
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0);
}

static int make(const char *path, struct newfile *ret)
{
	const struct newfile_spec spec = { .path = path };
	struct error err = { "" };

	return newfile_open(&spec, ret, &err);
}

static void the_old_file_is_seen_until_the_new_one_is_whole(void **state)
{
	char *folder;
	const char *path = make_place(&folder);
	struct newfile f;
	struct stat st;

	(void)state;
	assert_int_equal(chmod(path, 0640), 0);
	assert_int_equal(make(path, &f), OK);
	assert_true(newfile_write(f.fd, "new and longer", 14));
	assert_string_equal(content(path), "old");
	assert_true(newfile_place(&f, true));
	assert_string_equal(content(path), "new and longer");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	newfile_fini(&f);
	remove_place(path, folder);
}

static void a_new_file_has_the_rights_of_the_umask_and_a_private_one_is_the_owners(void **state)
{
	char *folder;
	const char *path = make_place(&folder);
	struct newfile_spec spec = { .path = path };
	struct newfile f;
	struct stat st;
	mode_t old = umask(027);

	(void)state;
	assert_int_equal(unlink(path), 0);
	assert_int_equal(newfile_open(&spec, &f, NULL), OK);
	assert_true(newfile_place(&f, true));
	newfile_fini(&f);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	spec.is_private = true;
	assert_int_equal(newfile_open(&spec, &f, NULL), OK);
	assert_true(newfile_place(&f, true));
	newfile_fini(&f);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	(void)umask(old);
	remove_place(path, folder);
}

static void what_is_not_complete_leaves_nothing(void **state)
{
	char *folder;
	const char *path = make_place(&folder);
	struct newfile f;

	(void)state;
	assert_int_equal(make(path, &f), OK);
	assert_true(newfile_write(f.fd, "half", 4));
	assert_true(newfile_place(&f, false));
	newfile_fini(&f);
	assert_string_equal(content(path), "old");
	remove_place(path, folder);
}

static void what_cannot_be_put_there_is_removed_and_said(void **state)
{
	char *folder;
	const char *path = make_place(&folder);
	struct newfile f;

	(void)state;
	assert_int_equal(make(path, &f), OK);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0); /* now the place is a folder */
	errno = 0;
	assert_false(newfile_place(&f, true));
	assert_int_equal(errno, EISDIR);
	newfile_fini(&f);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(rmdir(folder), 0);
}

static void a_folder_that_is_not_there_is_an_error(void **state)
{
	struct newfile f = NEWFILE_NONE;

	(void)state;
	assert_int_equal(make("/nonexistent/folder/file", &f), ERR_IO);
	assert_int_equal(make("", &f), ERR_USAGE);
	assert_int_equal(make("/tmp/", &f), ERR_USAGE);
	assert_int_equal(f.fd, -1);
}

static void an_input_is_refused_under_every_name_and_by_force(void **state)
{
	char *folder;
	const char *path = make_place(&folder);
	const char *const inputs[] = { "/nonexistent", path };
	char hard[96];
	char soft[96];
	const char *const names[] = { path, hard, soft };
	struct newfile f = NEWFILE_NONE;

	(void)state;
	(void)snprintf(hard, sizeof(hard), "%s/hard", folder);
	(void)snprintf(soft, sizeof(soft), "%s/soft", folder);
	assert_int_equal(link(path, hard), 0);
	assert_int_equal(symlink("hard", soft), 0);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const struct newfile_spec spec = {
			.path = names[i], .is_forced = true, .inputs = inputs, .n_inputs = 2
		};

		assert_int_equal(newfile_open(&spec, &f, NULL), ERR_USAGE);
	}
	assert_string_equal(content(path), "old");
	assert_int_equal(unlink(soft), 0);
	assert_int_equal(unlink(hard), 0);
	remove_place(path, folder);
}

static bool begins_with_mine(struct str head)
{
	return str_starts(head, STR("mine"));
}

static const struct newfile_kind mine = { "mine", begins_with_mine };

static void only_its_own_kind_is_overwritten_unless_forced(void **state)
{
	char *folder;
	const char *path = make_place(&folder);
	struct newfile_spec spec = { .path = path, .kind = &mine };
	struct newfile f = NEWFILE_NONE;

	(void)state;
	assert_int_equal(newfile_open(&spec, &f, NULL), ERR_USAGE);
	spec.is_forced = true;
	assert_int_equal(newfile_open(&spec, &f, NULL), OK);
	assert_true(newfile_write(f.fd, "mine", 4));
	assert_true(newfile_place(&f, true));
	newfile_fini(&f);
	spec.is_forced = false;
	assert_int_equal(newfile_open(&spec, &f, NULL), OK);
	assert_true(newfile_place(&f, true)); /* the file is empty now */
	newfile_fini(&f);
	assert_int_equal(newfile_open(&spec, &f, NULL), OK);
	newfile_fini(&f);
	remove_place(path, folder);
}

static void what_lies_in_a_folder_that_is_read_is_kept_but_for_its_own_kind(void **state)
{
	char *folder;
	const char *path = make_place(&folder);
	const char *inputs[] = { folder };
	struct newfile_spec spec = {
		.path = path, .kind = &mine, .is_forced = true, .inputs = inputs, .n_inputs = 1
	};
	struct newfile f = NEWFILE_NONE;

	(void)state;
	assert_int_equal(newfile_open(&spec, &f, NULL), ERR_USAGE);
	inputs[0] = "/usr";
	assert_int_equal(newfile_open(&spec, &f, NULL), OK);
	newfile_fini(&f);
	remove_place(path, folder);
}

static void an_own_link_is_followed_also_to_what_is_not_there_yet(void **state)
{
	char *folder;
	const char *path = make_place(&folder);
	struct newfile f = NEWFILE_NONE;
	struct stat st;
	char soft[96];

	(void)state;
	(void)snprintf(soft, sizeof(soft), "%s/soft", folder);
	assert_int_equal(symlink("place", soft), 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(make(soft, &f), OK);
	assert_true(newfile_write(f.fd, "new", 3));
	assert_true(newfile_place(&f, true));
	newfile_fini(&f);
	assert_string_equal(content(path), "new");
	assert_int_equal(lstat(soft, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(unlink(soft), 0);
	remove_place(path, folder);
}

static void a_link_of_another_user_is_not_followed(void **state)
{
	char *folder;
	const char *path = make_place(&folder);
	struct newfile f = NEWFILE_NONE;
	char soft[96];

	(void)state;
	(void)snprintf(soft, sizeof(soft), "%s/soft", folder);
	assert_int_equal(symlink("place", soft), 0);
	if (lchown(soft, 12345, 12345) == 0) {
		const struct newfile_spec spec = { .path = soft, .is_forced = true };

		assert_int_equal(newfile_open(&spec, &f, NULL), ERR_USAGE);
		assert_string_equal(content(path), "old");
	}
	assert_int_equal(unlink(soft), 0);
	remove_place(path, folder);
}

static void a_descriptor_is_written_where_it_stands(void **state)
{
	char *folder;
	const char *path = make_place(&folder);
	struct newfile f = NEWFILE_NONE;
	char name[64];
	int fd = open(path, O_WRONLY | O_APPEND);

	(void)state;
	assert_true(fd >= 0);
	(void)snprintf(name, sizeof(name), "/dev/fd/%d", fd);
	assert_int_equal(make(name, &f), OK);
	assert_true(newfile_is_straight(&f));
	assert_true(newfile_write(f.fd, "er", 2));
	assert_true(newfile_place(&f, true));
	newfile_fini(&f);
	(void)close(fd);
	assert_string_equal(content(path), "older");
	fd = open(path, O_RDONLY);
	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	assert_int_equal(make(name, &f), ERR_IO);
	(void)close(fd);
	assert_int_equal(make("/dev/null", &f), OK);
	assert_true(newfile_is_straight(&f));
	newfile_fini(&f);
	remove_place(path, folder);
}

static void the_old_file_stays_under_another_name_where_that_is_asked_for(void **state)
{
	char *folder;
	const char *path = make_place(&folder);
	struct newfile f = NEWFILE_NONE;
	char old[96];

	(void)state;
	(void)snprintf(old, sizeof(old), "%s.old", path);
	assert_int_equal(make(path, &f), OK);
	assert_int_equal(newfile_put(&f, true, NULL), OK);
	assert_true(newfile_write(f.fd, "grows", 5));
	newfile_fini(&f);
	assert_string_equal(content(path), "grows");
	assert_string_equal(content(old), "old");
	assert_int_equal(unlink(old), 0);
	remove_place(path, folder);
}

static void the_old_file_is_back_where_the_new_one_cannot_be_put(void **state)
{
	char *folder;
	const char *path = make_place(&folder);
	struct newfile f = NEWFILE_NONE;
	char old[96];

	(void)state;
	(void)snprintf(old, sizeof(old), "%s.old", path);
	assert_int_equal(make(path, &f), OK);
	assert_int_equal(unlinkat(f.folder, f.part, 0), 0);
	assert_int_equal(newfile_put(&f, true, NULL), ERR_IO);
	newfile_fini(&f);
	assert_string_equal(content(path), "old");
	assert_int_equal(access(old, F_OK), -1);
	remove_place(path, folder);
}

static void a_number_is_never_taken_twice(void **state)
{
	char *folder;
	const char *path = make_place(&folder);
	struct newfile f = NEWFILE_NONE;
	char first[96];

	(void)state;
	(void)snprintf(first, sizeof(first), "%s.001", path);
	assert_int_equal(make(path, &f), OK);
	assert_int_equal(newfile_put_new(&f, ".001", NULL), OK);
	(void)newfile_place(&f, false);
	assert_int_equal(newfile_make(&f, NULL), OK);
	assert_int_equal(newfile_put_new(&f, ".001", NULL), ERR_LIMIT);
	newfile_fini(&f);
	assert_string_equal(content(path), "old");
	assert_int_equal(unlink(first), 0);
	remove_place(path, folder);
}

static void the_longest_name_has_room_for_its_part(void **state)
{
	char *folder;
	const char *path = make_place(&folder);
	struct newfile f = NEWFILE_NONE;
	char name[400];

	(void)state;
	(void)snprintf(name, sizeof(name), "%s/%0255d", folder, 1);
	assert_int_equal(make(name, &f), OK);
	assert_true(newfile_place(&f, true));
	newfile_fini(&f);
	assert_int_equal(unlink(name), 0);
	remove_place(path, folder);
}

static void a_scratch_file_leaves_no_name(void **state)
{
	char *folder;
	const char *path = make_place(&folder);
	struct newfile f = NEWFILE_NONE;
	int fd;

	(void)state;
	assert_int_equal(make(path, &f), OK);
	fd = newfile_scratch(&f);
	assert_true(fd >= 0);
	assert_true(newfile_write(fd, "x", 1));
	(void)close(fd);
	newfile_fini(&f);
	fd = newfile_scratch(NULL);
	assert_true(fd >= 0);
	(void)close(fd);
	remove_place(path, folder);
}

static void more_than_a_pipe_takes_at_once_is_written(void **state)
{
	static char data[1 << 20];
	int fds[2];
	size_t n = 0;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	if (fork() == 0)
		_exit(newfile_write(fds[1], data, sizeof(data)) ? 0 : 1);
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
	assert_false(newfile_write(fds[1], "x", 1));
	assert_int_equal(errno, EPIPE);
	(void)close(fds[1]);
}

/* Another user may have put a file or a link there, in a folder that all may write. */
static void a_part_file_takes_no_name_that_exists(void **state)
{
	static const char *const targets[] = { "place", "nothing" };
	char *folder;
	const char *path = make_place(&folder);
	char made[128];
	char link[128];
	int fd;

	(void)state;
	assert_int_equal(newfile_exclusive(AT_FDCWD, path, 0600), -1);
	assert_int_equal(errno, EEXIST);
	(void)snprintf(link, sizeof(link), "%s/link", folder);
	for (size_t i = 0; i < ARRAY_LEN(targets); i++) {
		assert_int_equal(symlink(targets[i], link), 0);
		assert_int_equal(newfile_exclusive(AT_FDCWD, link, 0600), -1);
		assert_int_equal(errno, EEXIST);
		assert_int_equal(unlink(link), 0);
	}
	assert_string_equal(content(path), "old");
	(void)snprintf(made, sizeof(made), "%s/nothing", folder);
	assert_int_equal(access(made, F_OK), -1);
	fd = newfile_exclusive(AT_FDCWD, made, 0600);
	assert_true(fd >= 0);
	(void)close(fd);
	(void)unlink(made);
	(void)unlink(path);
	(void)rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_part_file_takes_no_name_that_exists),
		cmocka_unit_test(the_old_file_is_seen_until_the_new_one_is_whole),
		cmocka_unit_test(
			a_new_file_has_the_rights_of_the_umask_and_a_private_one_is_the_owners),
		cmocka_unit_test(what_is_not_complete_leaves_nothing),
		cmocka_unit_test(what_cannot_be_put_there_is_removed_and_said),
		cmocka_unit_test(a_folder_that_is_not_there_is_an_error),
		cmocka_unit_test(an_input_is_refused_under_every_name_and_by_force),
		cmocka_unit_test(only_its_own_kind_is_overwritten_unless_forced),
		cmocka_unit_test(what_lies_in_a_folder_that_is_read_is_kept_but_for_its_own_kind),
		cmocka_unit_test(an_own_link_is_followed_also_to_what_is_not_there_yet),
		cmocka_unit_test(a_link_of_another_user_is_not_followed),
		cmocka_unit_test(a_descriptor_is_written_where_it_stands),
		cmocka_unit_test(the_old_file_stays_under_another_name_where_that_is_asked_for),
		cmocka_unit_test(the_old_file_is_back_where_the_new_one_cannot_be_put),
		cmocka_unit_test(a_number_is_never_taken_twice),
		cmocka_unit_test(the_longest_name_has_room_for_its_part),
		cmocka_unit_test(a_scratch_file_leaves_no_name),
		cmocka_unit_test(more_than_a_pipe_takes_at_once_is_written),
		cmocka_unit_test(a_reader_that_left_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
