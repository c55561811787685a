/* SPDX-License-Identifier: MIT */
/* Copy records from the kernel's buffers to temporary files, one file per CPU. */
#include "record/graph/ftrace_parts.h"
#include "record/perf/record.h"

#include "base/alloc.h"
#include "base/files.h"
#include "base/newfile.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FTRACE_MAX_CPUS 8192u

int ftrace_buffers_add(struct ftrace *t, int fd, struct error *err)
{
	struct ftrace_cpu *c = VEC_PUSH(&t->cpus);

	*c = (struct ftrace_cpu){ .fd = fd, .data = newfile_scratch(&t->rec.output) };
	return c->data < 0 ? fail(err, ERR_IO, "%s: cannot write: %s", t->rec.spec->output,
				  strerror(errno))
			   : OK;
}

void ftrace_buffers_put(struct ftrace *t, struct ftrace_cpu *c, const void *data, size_t len)
{
	const uint8_t *p = data;

	while (len && !t->rec.file.error) {
		ssize_t n = write(c->data, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			t->rec.file.error = n < 0 ? errno : ENOSPC;
			return;
		}
		p += n;
		len -= (size_t)n;
		c->bytes += (uint64_t)n;
		t->bytes += (uint64_t)n;
	}
}

int ftrace_buffers_open(struct ftrace *t, struct error *err)
{
	char path[FTRACE_PATH_BYTES];
	struct dirent *e;
	uint32_t n = 0;
	DIR *dir;

	t->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	t->page = xmalloc(t->page_bytes);
	ftrace_path(path, "%s/per_cpu", t->dir);
	dir = opendir(path);
	while (dir && (e = readdir(dir))) {
		struct str name = str_of(e->d_name);
		uint64_t cpu;

		if (str_take(&name, STR("cpu")) && str_u64(&name, &cpu) && cpu < FTRACE_MAX_CPUS &&
		    cpu >= n)
			n = (uint32_t)cpu + 1;
	}
	if (dir)
		(void)closedir(dir);
	if (n == 0)
		return fail(err, ERR_IO, "%s cannot be read", path);
	for (uint32_t cpu = 0; cpu < n; cpu++) {
		int status;

		ftrace_path(path, "%s/per_cpu/cpu%" PRIu32 "/trace_pipe_raw", t->dir, cpu);
		status = ftrace_buffers_add(t, open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), err);
		if (status < 0)
			return status;
	}
	return OK;
}

/*
 * Copy one page of the buffer to the temporary file. Returns false if the buffer is empty, or after
 * an error.
 */
static bool buffers_take(struct ftrace *t, struct ftrace_cpu *c)
{
	ssize_t n;

	n = files_read(c->fd, t->page, t->page_bytes);
	if (n <= 0)
		return false;
	memset(t->page + n, 0, t->page_bytes - (size_t)n);
	ftrace_buffers_put(t, c, t->page, t->page_bytes);
	return !t->rec.file.error;
}

void ftrace_buffers_drain(struct ftrace *t)
{
	VEC_FOREACH (c, &t->cpus) {
		while (c->fd >= 0 && !t->rec.file.error && buffers_take(t, c))
			;
	}
}

static uint64_t buffers_stat(struct str text, const char *key)
{
	size_t at = str_find(text, str_of(key));
	uint64_t v = 0;

	if (at >= text.len)
		return 0;
	text = str_ltrim(str_skip(text, at + strlen(key)));
	return str_u64(&text, &v) ? v : 0;
}

void ftrace_buffers_count(const struct ftrace *t, uint64_t *ret_events, uint64_t *ret_lost)
{
	*ret_events = *ret_lost = 0;
	for (size_t i = 0; i < t->cpus.len; i++) {
		char name[FTRACE_PATH_BYTES];
		CLEANUP(freep) char *text = NULL;
		struct str s;

		ftrace_path(name, "per_cpu/cpu%zu/stats", i);
		text = ftrace_read(t, name, NULL);
		s = text ? str_of(text) : STR_NONE;
		*ret_events += buffers_stat(s, "read events:");
		/* "\n" prevents a match with "commit overrun:", whose number is added separately */
		*ret_lost += buffers_stat(s, "\noverrun:") + buffers_stat(s, "commit overrun:") +
			     buffers_stat(s, "dropped events:");
	}
}

void ftrace_buffers_fini(struct ftrace *t)
{
	VEC_FOREACH (c, &t->cpus) {
		if (c->fd >= 0)
			(void)close(c->fd);
		if (c->data >= 0)
			(void)close(c->data);
	}
	VEC_FREE(&t->cpus);
	free(t->page);
	t->page = NULL;
}
