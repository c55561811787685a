/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

/* A name in a recording may be any path: a watchdog is started by open() alone. */
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
	for (unsigned int kind = FILES_ELF; kind <= FILES_KERNEL_NOTES; kind++) {
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

static void elf_files_are_told_by_their_first_bytes(void **state)
{
	int fd = files_open("/proc/self/exe", FILES_ELF);

	(void)state;
	assert_true(fd >= 0);
	(void)close(fd);
	assert_int_equal(files_open("/proc/self/exe", FILES_KALLSYMS), -1);
	assert_int_equal(errno, EACCES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_recording_names_is_not_opened_unless_it_is_a_regular_file),
		cmocka_unit_test(elf_files_are_told_by_their_first_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
