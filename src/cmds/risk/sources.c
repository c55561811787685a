/* SPDX-License-Identifier: MIT */
/* sources.c - measure C sources of the command line, and add them as a capture */
#include "cmds/risk/sources.h"

#include "base/alloc.h"
#include "base/command/progress.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/run/session.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/metrics.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "metrics/code/c_files.h"
#include "metrics/risk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

const char *sources_cache(bool has_cache, char *buffer, size_t size)
{
	const char *base = getenv("XDG_CACHE_HOME");
	const char *end = "/assay";
	int n;

	/* ignore a relative path, as the XDG specification requires */
	if (!base || base[0] != '/') {
		base = getenv("HOME");
		end = "/.cache/assay";
	}
	if (!has_cache || !base || base[0] != '/')
		return NULL;
	n = snprintf(buffer, size, "%s%s", base, end);
	return n > 0 && (size_t)n < size ? buffer : NULL;
}

/* Metrics that are columns of the table, after the columns for names and positions. */
static const uint16_t sources_metrics[] = { RM_SCORE,      CM_CYCLOMATIC, CM_COGNITIVE,
					    CM_NESTING,    CM_LINES,      CM_PARAMETERS,
					    CM_LEOPARD_V3, CM_LEOPARD_V8, CM_UNCHECKED_COPIES,
					    RM_CALLERS,    RM_ENTRY_DEPTH };

static void sources_column(struct capture *c, const char *title, bool is_text)
{
	struct strings *strings = capture_strings(c);

	*VEC_PUSH(&c->metrics->columns) =
		(struct metric_column){ .name = strings_add(strings, str_of(title)),
					.is_integer = !is_text,
					.is_text = is_text };
}

static void sources_cell(struct metrics *m, double value, str_id text)
{
	*VEC_PUSH(&m->values) = value;
	*VEC_PUSH(&m->texts) = text;
}

static void sources_row(struct capture *c, const struct risk_function *f, const str_id *files)
{
	struct strings *strings = capture_strings(c);
	struct metrics *m = c->metrics;

	*VEC_PUSH(&m->names) =
		symbols_add_text(capture_symbols(c), f->name, STR_NONE, SPACE_UNKNOWN, 0);
	*VEC_PUSH(&m->lines) = 0;
	sources_cell(m, f->rank, STR_ID_NONE);
	sources_cell(m, NAN, files[f->file]);
	sources_cell(m, f->line, STR_ID_NONE);
	sources_cell(m, f->head_line, STR_ID_NONE);
	sources_cell(m, f->last_line, STR_ID_NONE);
	sources_cell(m, NAN, strings_add(strings, f->macro));
	for (size_t i = 0; i < ARRAY_LEN(sources_metrics); i++)
		sources_cell(m, f->m[sources_metrics[i]], STR_ID_NONE);
	m->n_rows++;
}

static void sources_capture(struct dossier *d, const char *path, const struct risk_tree *t)
{
	struct capture *c = dossier_add(d, "c-sources");
	str_id *files = xcalloc(t->files.len + 1, sizeof(*files));

	c->path = strings_add(&d->strings, str_of(path));
	c->is_measured = true;
	(void)capture_metrics(c);
	sources_column(c, "rank", false);
	sources_column(c, "file", true);
	sources_column(c, "line", false);
	sources_column(c, "head_line", false);
	sources_column(c, "last_line", false);
	sources_column(c, "macro", true);
	for (size_t i = 0; i < ARRAY_LEN(sources_metrics); i++)
		sources_column(c, risk_metric_info(sources_metrics[i])->title, false);
	for (size_t i = 0; i < t->files.len; i++)
		files[i] = strings_add(&d->strings, t->files.data[i].path);
	VEC_FOREACH (f, &t->functions)
		sources_row(c, f, files);
	free(files);
}

static bool sources_is_source(const char *path)
{
	struct str name = str_of(path);
	struct stat st;

	if (stat(path, &st) != 0)
		return false;
	return S_ISDIR(st.st_mode) ||
	       (S_ISREG(st.st_mode) && (str_ends(name, STR(".c")) || str_ends(name, STR(".h"))));
}

void sources_take(struct session *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->in.paths.items.len; i++) {
		const char *path = s->in.paths.items.data[i];

		if (sources_is_source(path))
			*VEC_PUSH(&s->sources.paths.items) = path;
		else
			s->in.paths.items.data[kept++] = path;
	}
	s->in.paths.items.len = kept;
}

static void sources_progress(void *arg, uint64_t done_bytes, uint32_t done_files, uint32_t n_files)
{
	(void)done_bytes;
	progress_count(arg, done_files, n_files, "files");
}

void sources_report_unread(const struct c_file_list *files, uint32_t n_unreadable)
{
	if (files->unreadable)
		complain(NULL, "%u folders or files of C sources cannot be opened",
			 files->unreadable);
	if (n_unreadable)
		complain(NULL, "%u files of C sources cannot be read", n_unreadable);
}

void sources_report_cxx(uint32_t n_cxx)
{
	if (n_cxx)
		complain(NULL, "%u C++ file%s left out: assay measures C", n_cxx,
			 n_cxx == 1 ? " is" : "s are");
}

int sources_none(const struct c_file_list *files, const char *path, struct error *err)
{
	if (files->skipped_cxx)
		return fail(err, ERR_NOTFOUND, "%s: C++ (%u file%s) and no C: assay measures C",
			    path, files->skipped_cxx, files->skipped_cxx == 1 ? "" : "s");
	return fail(err, ERR_NOTFOUND,
		    "%s: is a directory without C files; name the recordings or logs in it: "
		    "assay %s/*",
		    path, path);
}

int sources_measure(struct session *s, struct error *err)
{
	char folder[4096];
	const struct risk_options options = {
		.cache = sources_cache(s->sources.has_cache, folder, sizeof(folder)),
		.progress = sources_progress,
		.arg = &s->progress,
	};
	const char *first = s->sources.paths.items.data[0];
	struct c_file_list files = { .paths = VEC_INIT };
	struct risk_tree t = { .functions = VEC_INIT };
	int r = OK;

	for (size_t i = 0; r == OK && i < s->sources.paths.items.len; i++)
		r = c_file_list_add(&files, s->sources.paths.items.data[i], err);
	if (r == OK && files.paths.len == 0)
		r = sources_none(&files, first, err);
	if (r == OK) {
		session_progress(s, "measuring", first);
		r = risk_measure(&files, &options, &t, err);
		progress_end(&s->progress);
	}
	if (r == OK)
		sources_report_unread(&files, t.n_unreadable);
	sources_report_cxx(t.n_cxx);
	if (r == OK && t.functions.len == 0)
		r = fail(err, ERR_NOTFOUND, "%s: its C sources hold no function", first);
	if (r == OK) {
		s->sources.capture = (uint32_t)s->dossier->captures.len;
		s->sources.n_files = (uint32_t)t.files.len;
		s->sources.n_errors = t.n_errors;
		s->sources.bytes = t.bytes;
		sources_capture(s->dossier, first, &t);
	}
	c_file_list_fini(&files);
	risk_tree_fini(&t);
	return r;
}
