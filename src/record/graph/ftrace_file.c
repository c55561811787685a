/* SPDX-License-Identifier: MIT */
/*
 * Write the recording as a trace.dat file, version 6. Format: trace-cmd's
 * Documentation/trace-cmd/trace-cmd.dat.v6.5.txt.
 */
#include "record/graph/ftrace_parts.h"
#include "record/perf/record.h"

#include "base/alloc.h"
#include "base/newfile.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "record/graph/ftrace.h"
#include "record/perf/rec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define FTRACE_COPY (1u << 20)

void ftrace_put_number(struct out *o, uint64_t v, size_t bytes)
{
	/* write in native byte order, which the file header states */
	const char *p = (const char *)&v;

	out_bytes(o, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? p : p + sizeof(v) - bytes, bytes);
}

void ftrace_put_blob(struct out *o, const char *path, size_t bytes)
{
	size_t len = 0;
	CLEANUP(freep) char *text = rec_slurp(path, &len);

	ftrace_put_number(o, len, bytes);
	out_bytes(o, text ? text : "", len);
}

/* Write a copy of the tracefs file @name: its size in @bytes bytes, then its content. */
static void file_blob(const struct ftrace *t, struct out *o, const char *name, size_t bytes)
{
	char path[FTRACE_PATH_BYTES];

	ftrace_path(path, "%s/%s", t->root, name);
	ftrace_put_blob(o, path, bytes);
}

/* Write the formats of the tracers' own events (events/ftrace). */
static void file_own_events(const struct ftrace *t, struct out *o)
{
	char path[FTRACE_PATH_BYTES];
	struct dirent *e;
	VEC(char *) names = VEC_INIT;
	DIR *dir;

	ftrace_path(path, "%s/events/ftrace", t->root);
	dir = opendir(path);
	while (dir && (e = readdir(dir))) {
		ftrace_path(path, "%s/events/ftrace/%.100s/format", t->root, e->d_name);
		if (e->d_name[0] != '.' && access(path, R_OK) == 0)
			*VEC_PUSH(&names) = xmemdupz(path, strlen(path));
	}
	if (dir)
		(void)closedir(dir);
	ftrace_put_number(o, names.len, 4);
	VEC_FOREACH (name, &names) {
		ftrace_put_blob(o, *name, 8);
		free(*name);
	}
	VEC_FREE(&names);
}

/* Write the formats of the recorded events, sorted into groups such as "sched". */
static void file_events(const struct ftrace *t, struct out *o)
{
	struct out groups = { .fd = -1 };
	uint32_t n_groups = 0;
	size_t end;

	for (size_t i = 0; ftrace_events[i]; i = end) {
		struct str first = str_of(ftrace_events[i]);
		struct str group = str_sub(first, 0, str_find_char(first, '/') + 1);
		struct out formats = { .fd = -1 };
		uint32_t n = 0;

		for (end = i; ftrace_events[end] && str_starts(str_of(ftrace_events[end]), group);
		     end++) {
			char path[FTRACE_PATH_BYTES];

			ftrace_path(path, "%s/events/%s/format", t->root, ftrace_events[end]);
			if (access(path, R_OK) != 0)
				continue;
			ftrace_put_blob(&formats, path, 8);
			n++;
		}
		if (n) {
			n_groups++;
			out_str(&groups, str_sub(group, 0, group.len - 1));
			out_char(&groups, '\0');
			ftrace_put_number(&groups, n, 4);
			out_str(&groups, out_view(&formats));
		}
		out_fini(&formats);
	}
	ftrace_put_number(o, n_groups, 4);
	out_str(o, out_view(&groups));
	out_fini(&groups);
}

void ftrace_put_option(struct out *o, unsigned int id, struct str data)
{
	ftrace_put_number(o, id, 2);
	ftrace_put_number(o, data.len, 4);
	out_str(o, data);
}

/* Write assay's own command line. Omit the traced command, because its arguments may be secret. */
void ftrace_put_made_by(const struct ftrace *t, const char *how, struct out *o)
{
	struct out text = { .fd = -1 };

	out_z(&text, "assay record --graph ");
	VEC_FOREACH (name, &t->options->functions)
		out_printf(&text, "%s%s", name == t->options->functions.data ? "" : ",", *name);
	VEC_FOREACH (name, &t->options->only)
		out_printf(&text, "%s%s", name == t->options->only.data ? " --graph-only " : ",",
			   *name);
	if (t->options->depth)
		out_printf(&text, " --depth %" PRIu32, t->options->depth);
	if (t->options->threshold_us)
		out_printf(&text, " --threshold %" PRIu64, t->options->threshold_us);
	if (how)
		out_printf(&text, " (%s)", how);
	ftrace_put_option(o, 9, out_view(&text));
	out_fini(&text);
}

/* Write the kernel's statistics of each CPU's buffer, such as the number of lost records. */
static void file_statistics(const struct ftrace *t, struct out *o)
{
	for (size_t i = 0; i < t->cpus.len; i++) {
		char name[FTRACE_PATH_BYTES];
		CLEANUP(freep) char *stats = NULL;
		struct out text = { .fd = -1 };

		ftrace_path(name, "per_cpu/cpu%zu/stats", i);
		stats = ftrace_read(t, name, NULL);
		if (!stats)
			continue;
		out_printf(&text, "CPU: %zu\n%s", i, stats);
		ftrace_put_option(o, 2, out_view(&text));
		out_fini(&text);
	}
}

void ftrace_put_start(struct out *o, size_t page_bytes)
{
	static const uint8_t magic[] = { 23, 8, 68, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
	uint16_t one = 1;

	out_bytes(o, magic, sizeof(magic));
	out_bytes(o, "6", 2);
	out_char(o, *(uint8_t *)&one == 1 ? 0 : 1);
	out_char(o, (char)sizeof(long));
	ftrace_put_number(o, page_bytes, 4);
}

void ftrace_file_header(const struct ftrace *t, struct out *o)
{
	CLEANUP(freep) char *clock = ftrace_read(t, "trace_clock", NULL);

	ftrace_put_start(o, t->page_bytes);
	out_bytes(o, "header_page", sizeof("header_page"));
	file_blob(t, o, "events/header_page", 8);
	out_bytes(o, "header_event", sizeof("header_event"));
	file_blob(t, o, "events/header_event", 8);
	file_own_events(t, o);
	file_events(t, o);
	ftrace_put_blob(o, "/proc/kallsyms", 4);
	file_blob(t, o, "printk_formats", 4);
	file_blob(t, o, "saved_cmdlines", 8);
	ftrace_put_number(o, t->cpus.len, 4);
	out_bytes(o, "options  ", sizeof("options  "));
	ftrace_put_option(o, 4, str_trim(str_of(clock ? clock : "")));
	ftrace_put_made_by(t, NULL, o);
	file_statistics(t, o);
	ftrace_put_number(o, 0, 2);
	out_bytes(o, "flyrecord", sizeof("flyrecord"));
}

/*
 * Copy @bytes bytes from the start of the temporary file @from to @fd. Returns false after an
 * error.
 */
static bool file_copy(int fd, int from, uint64_t bytes)
{
	CLEANUP(freep) uint8_t *buffer = xmalloc(FTRACE_COPY);
	uint64_t at = 0;

	while (at < bytes) {
		size_t want = bytes - at < FTRACE_COPY ? (size_t)(bytes - at) : FTRACE_COPY;
		ssize_t n = pread(from, buffer, want, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 || !newfile_write(fd, buffer, (size_t)n))
			return false;
		at += (uint64_t)n;
	}
	return true;
}

static bool file_put_all(struct ftrace *t, int fd)
{
	struct out o = { .fd = -1 };
	uint64_t at;
	bool is_good;

	t->source->header(t, &o);
	at = (o.len + t->cpus.len * 16 + t->page_bytes - 1) / t->page_bytes * t->page_bytes;
	VEC_FOREACH (c, &t->cpus) {
		ftrace_put_number(&o, c->bytes ? at : 0, 8);
		ftrace_put_number(&o, c->bytes, 8);
		at += c->bytes;
	}
	out_repeat(&o, '\0', (t->page_bytes - o.len % t->page_bytes) % t->page_bytes);
	is_good = newfile_write(fd, o.data, o.len);
	out_fini(&o);
	VEC_FOREACH (c, &t->cpus) {
		is_good = is_good && file_copy(fd, c->data, c->bytes);
		(void)close(c->data);
		c->data = -1;
	}
	return is_good;
}

static bool file_is_trace(struct str head)
{
	return str_starts(head, STR("\x17\x08\x44tracing"));
}

const struct newfile_kind ftrace_kind = { "a recording of calls (trace.dat)", file_is_trace };

int ftrace_file_write(struct ftrace *t, struct error *err)
{
	struct newfile *f = &t->rec.output;
	int status = rec_output_make(&t->rec, err);

	if (status < 0)
		return status;
	errno = 0;
	if (!file_put_all(t, f->fd) || (f->part && fsync(f->fd) < 0 && errno != EINVAL))
		return fail(err, ERR_IO, "%s cannot be written: %s", t->rec.spec->output,
			    strerror(errno ? errno : EIO));
	return rec_output_put(&t->rec, err);
}
