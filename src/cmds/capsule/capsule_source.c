/* SPDX-License-Identifier: MIT */
#include "cmds/capsule/capsule_source.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/files.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/capsule/capsule_box.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "document/capsule.h"
#include "explain/findings.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * number of lines to add before the first statement of a function: they show its name, its
 * parameters and its comment
 */
#define SOURCE_BEFORE 6u
/* maximum number of lines from the first statement of a function to its end */
#define SOURCE_LINES_MAX 80u
#define SOURCE_FILES_MAX 32u
/* a function with at least this self share in a profile, in percent, is hot */
#define SOURCE_HOT       1.0
#define SOURCE_BYTES_MAX (1u << 24) /* a larger file is not a source file */
#define SOURCE_PATH_MAX  4096u

/* Range of line numbers, which start at 1. Includes both `from` and `to`. */
struct source_range {
	uint32_t from, to;
};

static void source_mark(const struct symbols *symbols, sym_id sym, bool *wanted)
{
	const struct symbol *row = symbols_get(symbols, sym);

	wanted[sym.v] |= row->file.v && row->line;
}

/* Mark in @wanted the hot functions of @p (SOURCE_HOT) whose file and line are known. */
static void source_hot(const struct dossier *d, const struct profile *p, bool *wanted)
{
	CLEANUP(freep) double *weights = xcalloc(d->symbols.rows.len + 1, sizeof(*weights));
	double total = 0;

	for (size_t i = 0; i < p->samples.n; i++) {
		double weight = (double)p->samples.weight.data[i];

		weights[stacks_sym(&p->stacks, p->samples.stack.data[i]).v] += weight;
		total += weight;
	}
	for (uint32_t i = 1; i < d->symbols.rows.len; i++) {
		if (100 * weights[i] >= SOURCE_HOT * total && weights[i] > 0)
			source_mark(&d->symbols, (sym_id){ i }, wanted);
	}
}

/*
 * For each symbol, whether its source lines are wanted: a finding is about the function, or it is
 * hot. Owner: caller, free().
 */
static bool *source_wanted(const struct dossier *d, const struct findings *f)
{
	bool *wanted = xcalloc(d->symbols.rows.len + 1, sizeof(*wanted));

	VEC_FOREACH (row, &f->rows) {
		VEC_FOREACH (subject, &row->subjects)
			source_mark(&d->symbols, subject->sym, wanted);
	}
	VEC_FOREACH (c, &d->captures) {
		if ((*c)->profile)
			source_hot(d, (*c)->profile, wanted);
	}
	return wanted;
}

/*
 * Read the text file @path. The caller frees @ret with out_fini(). False: it cannot be read, is not
 * a regular file, is too large, or has a NUL byte.
 */
static bool source_read(const char *path, struct out *ret)
{
	struct stat st;
	char buf[1 << 16];
	ssize_t n = 0;
	int fd = files_open_regular(path, O_NOFOLLOW, &st);

	if (fd < 0)
		return false;
	out_init(ret);
	while (st.st_size <= SOURCE_BYTES_MAX && (n = files_read(fd, buf, sizeof(buf))) > 0 &&
	       ret->len <= SOURCE_BYTES_MAX)
		out_bytes(ret, buf, (size_t)n);
	(void)close(fd);
	if (n == 0 && ret->len && !memchr(ret->data, '\0', ret->len))
		return true;
	out_fini(ret);
	return false;
}

/*
 * Find and read @file below the folder @dir. The whole path of @file is tried first, then the path
 * without its first component, and so on. A path with ".." is refused.
 */
static bool source_find(const char *dir, struct str file, struct out *ret)
{
	char path[SOURCE_PATH_MAX];

	for (size_t i = 0; i < file.len; i++) {
		if (file.p[i] == '/' && str_starts(str_skip(file, i + 1), STR("../")))
			return false;
	}
	if (str_starts(file, STR("../")))
		return false;
	for (;;) {
		while (file.len && file.p[0] == '/')
			file = str_skip(file, 1);
		if (!file.len || snprintf(path, sizeof(path), "%s/" STR_FMT, dir, STR_ARG(file)) >=
					 (int)sizeof(path))
			return false;
		if (source_read(path, ret))
			return true;
		file = str_skip(file, str_find_char(file, '/'));
	}
}

/*
 * The last line of the function whose first statement is in line @from. The function ends at a "}"
 * in column 1, or after SOURCE_LINES_MAX lines.
 */
static uint32_t source_end(struct str text, uint32_t from)
{
	uint32_t number = 0;
	struct str line;

	while (str_line(&text, &line) && number < from + SOURCE_LINES_MAX - 1) {
		number++;
		if (number > from && line.len && line.p[0] == '}')
			break;
	}
	return number;
}

static int source_compare(const void *a, const void *b)
{
	const struct source_range *x = a;
	const struct source_range *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

/*
 * Write the lines of @text that are in the ranges, with their numbers. A line "..." separates lines
 * that are not consecutive.
 */
static void source_print(struct str file, struct str text, const struct source_range *ranges,
			 size_t n, struct out *out)
{
	uint32_t number = 0;
	size_t at = 0;
	bool is_gap = false;
	struct str line;

	out_printf(out, STR_FMT "\n", STR_ARG(file));
	while (at < n && str_line(&text, &line)) {
		number++;
		while (at < n && number > ranges[at].to)
			at++;
		if (at < n && number >= ranges[at].from) {
			if (is_gap)
				out_z(out, "...\n");
			is_gap = false;
			out_printf(out, "%6u  " STR_FMT "\n", number, STR_ARG(line));
		} else {
			is_gap |= out->len > file.len + 1;
		}
	}
}

/* Add a member with the lines of all wanted functions of @file. False: the file is not found. */
static bool source_add(const struct dossier *d, const bool *wanted, str_id file, const char *dir,
		       struct capsule_box *box)
{
	VEC(struct source_range) ranges = VEC_INIT;
	struct str path = strings_get(&d->strings, file);
	struct out text = { .fd = -1 }, out;
	bool is_found = source_find(dir, path, &text);

	if (!is_found)
		return false;
	VEC_FOREACH (row, &d->symbols.rows) {
		uint32_t line = row->line;

		if (!wanted[row - d->symbols.rows.data] || row->file.v != file.v)
			continue;
		*VEC_PUSH(&ranges) = (struct source_range){
			.from = line > SOURCE_BEFORE ? line - SOURCE_BEFORE : 1,
			.to = source_end(out_view(&text), line),
		};
	}
	VEC_SORT(&ranges, source_compare);
	out_init(&out);
	source_print(path, out_view(&text), ranges.data, ranges.len, &out);
	(void)capsule_box_file(box, STR(CAPSULE_SOURCE), path,
			       arena_str(&box->arena, out_view(&out)));
	out_fini(&out);
	out_fini(&text);
	VEC_FREE(&ranges);
	return true;
}

size_t capsule_source_add(const struct dossier *d, const struct findings *f, const char *dir,
			  struct capsule_box *box)
{
	CLEANUP(freep) bool *wanted = source_wanted(d, f);
	CLEANUP(freep) bool *is_done = xcalloc(d->strings.views.len + 1, sizeof(*is_done));
	size_t n = 0;

	for (uint32_t i = 1; i < d->symbols.rows.len && n < SOURCE_FILES_MAX; i++) {
		str_id file = d->symbols.rows.data[i].file;

		if (!wanted[i] || is_done[file.v])
			continue;
		is_done[file.v] = true;
		n += source_add(d, wanted, file, dir, box);
	}
	return n;
}
