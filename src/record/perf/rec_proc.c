/* SPDX-License-Identifier: MIT */
#include "record/perf/rec.h"

#include "base/alloc.h"
#include "base/files.h"
#include "base/status.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define REC_SLURP_MAX (UINT64_C(1) << 26)

char *rec_slurp(const char *path, size_t *ret_len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t cap = 4096;
	size_t len = 0;
	char *text;

	if (fd < 0)
		return NULL;
	text = xmalloc(cap);
	for (;;) {
		ssize_t n;

		if (len + 1 >= cap)
			text = xrealloc(text, cap *= 2);
		n = files_read(fd, text + len, cap - len - 1);
		if (n <= 0 || len > REC_SLURP_MAX)
			break;
		len += (size_t)n;
	}
	(void)close(fd);
	text[len] = '\0';
	if (ret_len)
		*ret_len = len;
	return text;
}

int64_t rec_number(const char *path, int64_t missing)
{
	CLEANUP(freep) char *text = rec_slurp(path, NULL);
	struct str s = text ? str_trim(str_of(text)) : STR_NONE;
	bool is_negative = str_take(&s, STR("-"));
	uint64_t v;

	if (!str_u64(&s, &v) || v > INT64_MAX)
		return missing;
	return is_negative ? -(int64_t)v : (int64_t)v;
}

bool rec_list(const char *text, uint32_t max, void (*take)(void *arg, uint32_t n), void *arg)
{
	struct str list = str_trim(str_of(text));

	while (list.len) {
		uint64_t from;
		uint64_t to;

		if (!str_u64(&list, &from))
			return false;
		to = from;
		if (str_take(&list, STR("-")) && !str_u64(&list, &to))
			return false;
		if (to > max || from > to)
			return false;
		for (uint64_t i = from; i <= to; i++)
			take(arg, (uint32_t)i);
		if (list.len && !str_take(&list, STR(",")))
			return false;
	}
	return true;
}

uint64_t rec_clock_ns(int clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t) < 0)
		return 0;
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

bool rec_threads(const char *proc, uint32_t pid, void (*take)(void *arg, uint32_t tid), void *arg)
{
	char path[320];
	DIR *dir;
	struct dirent *entry;

	(void)snprintf(path, sizeof(path), "%s/%" PRIu32 "/task", proc, pid);
	dir = opendir(path);
	if (!dir)
		return false;
	while ((entry = readdir(dir))) {
		struct str name = str_of(entry->d_name);
		uint64_t tid;

		if (str_u64(&name, &tid) && name.len == 0)
			take(arg, (uint32_t)tid);
	}
	(void)closedir(dir);
	return true;
}

uint32_t rec_process_of(uint32_t tid)
{
	char path[64];
	CLEANUP(freep) char *text = NULL;
	struct str rest;
	struct str line;
	uint64_t pid;

	(void)snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", tid);
	text = rec_slurp(path, NULL);
	rest = str_of(text);
	while (str_line(&rest, &line)) {
		if (!str_take(&line, STR("Tgid:")))
			continue;
		line = str_trim(line);
		return str_u64(&line, &pid) ? (uint32_t)pid : tid;
	}
	return tid;
}
