/* SPDX-License-Identifier: MIT */
/*
 * risk.c - `assay risk`: functions of a C source tree by metrics, optionally with their cost in a
 * profile
 */
#include "metrics/risk.h"
#include "base/command/args.h"
#include "base/command/progress.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/suggest.h"
#include "base/vec.h"
#include "cmds/risk/heat.h"
#include "cmds/risk/sources.h"
#include "cmds/run/cmd.h"
#include "cmds/run/confine.h"
#include "cmds/run/outputs.h"
#include "cmds/run/session.h"
#include "cmds/show/show_risk.h"
#include "metrics/code/c_files.h"
#include "metrics/git_library.h"
#include "metrics/history.h"
#include "render/view.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

DECLARE_CMD(risk);

/* Parse a limit of the option --max: "cyclomatic=10". */
static int risk_limit_parse(struct risk_args *a, const char *text, struct error *err)
{
	struct str s = str_of(text);
	size_t equals = str_find_char(s, '=');
	struct str value = str_skip(s, equals + 1);
	struct risk_limit *limit;
	unsigned int metric = risk_metric_find(str_sub(s, 0, equals));
	double most;

	if (equals == s.len || metric == RISK_METRIC_COUNT)
		return fail(err, ERR_USAGE,
			    "--max takes METRIC=N, with a metric of --list-metrics, not '%s'",
			    text);
	if (!str_double(&value, &most) || value.len)
		return fail(err, ERR_USAGE, "--max %s: the limit is no number", text);
	limit = VEC_PUSH(&a->limits);
	*limit = (struct risk_limit){ metric, most };
	return OK;
}

static int risk_limits(struct risk_args *a, struct error *err)
{
	static const uint16_t metrics[RISK_MAX_OPTIONS] = { CM_CYCLOMATIC, CM_COGNITIVE, CM_NESTING,
							    CM_PARAMETERS, CM_LINES };

	for (unsigned int i = 0; i < RISK_MAX_OPTIONS; i++) {
		if (a->max[i] != RISK_NO_LIMIT)
			*VEC_PUSH(&a->limits) =
				(struct risk_limit){ metrics[i], (double)a->max[i] };
	}
	for (size_t i = 0; i < a->max_list.items.len; i++) {
		int r = risk_limit_parse(a, a->max_list.items.data[i], err);

		if (r < 0)
			return r;
	}
	return OK;
}

/* Fail because no metric has the title @title, and suggest a similar one. Returns ERR_USAGE. */
static int risk_no_metric(struct str title, struct error *err)
{
	struct suggest like;

	suggest_init(&like, title);
	for (unsigned int i = 0; i < RISK_METRIC_COUNT; i++)
		suggest_try(&like, str_of(risk_metric_info(i)->title));
	return fail(err, ERR_USAGE,
		    "no metric is called '" STR_FMT "'%s%s; --list-metrics lists the metrics",
		    STR_ARG(title), like.best[0] ? "; did you mean " : "", like.best);
}

/*
 * Parse the comma-separated metric titles of --columns into a->columns, or set the default columns.
 */
static int risk_columns(struct risk_args *a, struct error *err)
{
	static const uint16_t history[] = { RM_LAST_CHANGE, RM_COMMITS, RM_FIXES };
	static const uint16_t standard[] = {
		RM_SCORE,      CM_CYCLOMATIC, CM_COGNITIVE,        CM_NESTING, CM_LINES,
		CM_PARAMETERS, CM_LEOPARD_V3, CM_UNCHECKED_COPIES, RM_CALLERS, RM_ENTRY_DEPTH
	};
	struct str rest = str_of(a->column_list);

	if (!a->column_list) {
		VEC_APPEND(&a->columns, standard, ARRAY_LEN(standard));
		if (a->has_history)
			VEC_APPEND(&a->columns, history, ARRAY_LEN(history));
		return OK;
	}
	while (rest.len) {
		size_t comma = str_find_char(rest, ',');
		struct str title = str_trim(str_sub(rest, 0, comma));
		unsigned int metric = risk_metric_find(title);

		if (metric == RISK_METRIC_COUNT)
			return risk_no_metric(title, err);
		*VEC_PUSH(&a->columns) = (uint16_t)metric;
		rest = str_skip(rest, comma + 1);
	}
	return OK;
}

static int risk_options_check(struct risk_args *a, struct error *err)
{
	int r = risk_limits(a, err);

	if (r == OK)
		r = risk_columns(a, err);
	a->sort = RM_SCORE;
	if (r == OK && a->sort_by) {
		a->sort = risk_metric_find(str_of(a->sort_by));
		a->is_sorted_by_heat = str_eq(str_of(a->sort_by), STR("heat"));
		if (a->sort == RISK_METRIC_COUNT && !a->is_sorted_by_heat)
			r = risk_no_metric(str_of(a->sort_by), err);
		if (r == OK && a->is_sorted_by_heat && !a->heat_file)
			r = fail(err, ERR_USAGE, "--sort heat needs --heat FILE");
	}
	if (r == OK && a->is_seed_layout && !a->is_compat)
		r = fail(err, ERR_USAGE,
			 "--format seed is the layout of --family compat; add that option");
	if (r == OK && a->is_sarif && !a->limits.len)
		r = fail(err, ERR_USAGE, "--sarif needs a gate, for example --max-cyclomatic 15");
	if (r == OK && a->is_sarif && a->session.to.is_json)
		r = fail(err, ERR_USAGE, "--json and --sarif exclude each other");
	if (r == OK && a->is_compat && (a->heat_file || a->column_list))
		r = fail(err, ERR_USAGE,
			 "--family compat has its own columns: no --columns and no --heat");
	return r;
}

/* Add the files that are listed in the file of --files-from, one path per line. */
static int risk_files_from(struct risk_args *a, struct c_file_list *files, struct error *err)
{
	bool is_stdin = strcmp(a->files_from, "-") == 0;
	int fd = is_stdin ? STDIN_FILENO : files_open(a->files_from, FILES_NAMED);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	char *line = NULL;
	size_t room = 0;
	ssize_t n;
	int r = OK;

	if (!f)
		return fail(err, ERR_IO, "%s: cannot be opened", a->files_from);
	while (r == OK && (n = getline(&line, &room, f)) > 0) {
		while (n > 0 && char_is_space(line[n - 1]))
			line[--n] = '\0';
		if (n > 0)
			r = c_file_list_add(files, line, err);
	}
	/* after a read error, the list is incomplete: report that */
	if (r == OK && !feof(f))
		r = fail(err, ERR_IO, "%s: cannot be read whole", a->files_from);
	free(line);
	if (!is_stdin)
		fclose(f);
	return r;
}

struct risk_text {
	VEC(char) bytes;
};

/* Read @fd to its end, up to LIMIT_SOURCE_BYTES. */
static int risk_read_all(int fd, const char *name, struct risk_text *text, struct error *err)
{
	while (text->bytes.len <= LIMIT_SOURCE_BYTES) {
		ssize_t n;

		VEC_RESERVE(&text->bytes, text->bytes.len + 65536);
		n = files_read(fd, text->bytes.data + text->bytes.len,
			       text->bytes.cap - text->bytes.len);
		if (n < 0)
			return fail(err, ERR_IO, "%s: %s", name, strerror(errno));
		if (n == 0)
			break;
		text->bytes.len += (size_t)n;
	}
	return OK;
}

/* Measure the C source on standard input. */
static int risk_stdin(const struct risk_options *options, struct risk_tree *t, struct error *err)
{
	struct risk_text text = { .bytes = VEC_INIT };
	int r = risk_read_all(STDIN_FILENO, "standard input", &text, err);

	if (r == OK)
		r = risk_measure_text(STR("-"), (struct str){ text.bytes.data, text.bytes.len },
				      options, t, err);
	VEC_FREE(&text.bytes);
	return r;
}

static int risk_labels(struct risk_args *a, struct error *err)
{
	struct risk_text text = { .bytes = VEC_INIT };
	int fd = files_open(a->labels_file, FILES_NAMED);
	int r = OK;

	if (fd < 0)
		return fail(err, ERR_IO, "%s: %s", a->labels_file, strerror(errno));
	r = risk_read_all(fd, a->labels_file, &text, err);
	close(fd);
	VEC_APPEND(&a->labels, text.bytes.data, text.bytes.len);
	VEC_FREE(&text.bytes);
	return r;
}

static void risk_progress(void *arg, uint64_t done_bytes, uint32_t done_files, uint32_t n_files)
{
	(void)done_bytes;
	progress_count(arg, done_files, n_files, "files");
}

static int risk_measure_all(struct risk_args *a, struct risk_tree *t, struct error *err)
{
	char folder[4096];
	struct risk_options options = { .n_threads = (unsigned int)a->threads,
					.cache = sources_cache(a->session.sources.has_cache, folder,
							       sizeof(folder)),
					.has_compat = a->is_compat,
					.progress = risk_progress,
					.arg = &a->session.progress };
	struct c_file_list files = { .paths = VEC_INIT };
	const char *only =
		a->session.in.paths.items.len == 1 ? a->session.in.paths.items.data[0] : NULL;
	int r = OK;

	if (only && strcmp(only, "-") == 0)
		return risk_stdin(&options, t, err);
	if (a->files_from)
		r = risk_files_from(a, &files, err);
	for (size_t i = 0; r == OK && i < a->session.in.paths.items.len; i++)
		r = c_file_list_add(&files, a->session.in.paths.items.data[i], err);
	if (r == OK && files.paths.len == 0)
		r = files.skipped_cxx ? sources_none(&files, only ? only : "these files", err)
				      : fail(err, ERR_NOTFOUND, "no C files (*.c, *.h) found");
	if (r == OK) {
		session_progress(&a->session, "measuring", only ? only : "the files");
		r = risk_measure(&files, &options, t, err);
		progress_end(&a->session.progress);
		/*
		 * pass 0 instead of the number of unreadable files: the page itself reports this
		 * number
		 */
		sources_report_unread(&files, 0);
	}
	c_file_list_fini(&files);
	return r;
}

/*
 * Load the file of --heat as the only input. The source paths, which were inputs so far, were
 * already read.
 */
static bool risk_heat(struct risk_args *a, const struct args_spec *spec, struct risk_tree *t,
		      int *ret_status)
{
	struct error err = { "" };

	a->session.in.wanted.places = true;
	a->session.in.paths.items.len = 0;
	*VEC_PUSH(&a->session.in.paths.items) = a->heat_file;
	if (!session_load(&a->session, spec, ret_status))
		return false;
	if (a->session.loaded.n_failed) {
		*ret_status = EXIT_FAILED;
		return false;
	}
	if (heat_join(&a->session, t, &a->heat, &err) < 0) {
		complain(a->heat_file, "%s", err.msg);
		*ret_status = EXIT_USAGE;
		return false;
	}
	return true;
}

static int risk_history(struct risk_args *a, struct risk_tree *t, struct error *err)
{
	struct history_options options = { .now = (int64_t)a->now, .has_compat = a->is_compat };
	uint32_t n_cut = 0;
	int r = history_measure(t, &options, &a->files_without_history, &n_cut, err);

	if (n_cut)
		complain(NULL,
			 "the history of %u files cannot be read to its beginning (a shallow "
			 "clone?): ages, churn and fixes are of what is there",
			 n_cut);
	/* without git history, only the column of ages is empty: print the other columns */
	if (r < 0 && a->is_compat && !a->has_history) {
		complain(NULL, "column c4 is empty: %s", err->msg);
		return OK;
	}
	return r;
}

static int risk_status(int r)
{
	return r == ERR_USAGE ? EXIT_USAGE : EXIT_FAILED;
}

static int risk_show(struct risk_args *a, struct risk_tree *t)
{
	struct error err = { "" };
	int status = EXIT_DONE;

	if (a->limits.len)
		return show_risk_gates(a, t, NULL, NULL);
	if (a->is_compat && a->is_seed_layout)
		return show_risk_seed(a, t);
	CLEANUP(view_freep) struct view *v = session_view(&a->session);
	if (!v)
		return EXIT_FAILED;
	show_risk(a, t, v);
	if (view_end(v, &err) < 0)
		status = EXIT_FAILED;
	return status;
}

static int risk_diff_check(const struct risk_args *a, struct error *err)
{
	bool is_stdin = a->session.in.paths.items.len &&
			strcmp(a->session.in.paths.items.data[0], "-") == 0;

	if (a->files_from || a->heat_file || a->labels_file || a->has_history || a->is_compat ||
	    a->sort_by || a->function || is_stdin)
		return fail(err, ERR_USAGE,
			    "--diff compares folders and files with a revision: no --heat, "
			    "--labels, --history, --family, --sort, --function, --files-from");
	return OK;
}

/*
 * Give up rights, but keep the source trees readable. With --files-from, keep "/", because the list
 * may name any file.
 */
static bool risk_confine(struct risk_args *a, int *ret_status)
{
	VEC(const char *) trees = VEC_INIT;
	bool is_confined;

	/* repositories of --git-dir come first, because the trees may refer to them */
	VEC_FOREACH (dir, &a->git_dirs.items)
		*VEC_PUSH(&trees) = *dir;
	VEC_FOREACH (path, &a->session.in.paths.items)
		*VEC_PUSH(&trees) = *path;
	if (a->files_from)
		*VEC_PUSH(&trees) = "/";
	*VEC_PUSH(&trees) = NULL;
	is_confined = session_confine(&a->session, trees.data, ret_status);
	VEC_FREE(&trees);
	return is_confined;
}

static int risk_go(struct risk_args *a, const struct args_spec *spec)
{
	struct error err = { "" };
	struct risk_tree t = { .functions = VEC_INIT };
	int status = EXIT_DONE;
	int r = risk_options_check(a, &err);

	if (r == OK && a->session.in.paths.items.len == 0 && !a->files_from)
		r = fail(&err, ERR_USAGE, "name a folder or files; try '%s --help'", spec->command);
	if (r == OK && a->revision)
		r = risk_diff_check(a, &err);
	a->session.sources.reads_history = a->has_history || a->is_compat || a->revision;
	if (a->session.sources.reads_history)
		git_library_prepare();
	if (r == OK && !risk_confine(a, &status))
		return status;
	if (r == OK && a->revision)
		return risk_diff(a);
	if (r == OK && a->labels_file)
		r = risk_labels(a, &err);
	if (r == OK)
		r = risk_measure_all(a, &t, &err);
	if (r == OK && (a->has_history || a->is_compat))
		r = risk_history(a, &t, &err);
	if (r < 0) {
		complain(NULL, "%s", err.msg);
		status = risk_status(r);
	} else if (!a->heat_file || risk_heat(a, spec, &t, &status)) {
		status = risk_show(a, &t);
	}
	risk_tree_fini(&t);
	return status;
}

static int risk_run(int argc, char **argv)
{
	struct risk_args a = { .limit = 20 };
	const struct args_option options[] = {
		ARGS_HEADING("output"),
		OPT(TEXT, "heat", 0, "CAPTURE", &a.heat_file,
		    "profile: mark risky functions that are hot"),
		OPT_DEFAULT(TEXT, "sort", 's', "METRIC", "score", &a.sort_by,
			    "sort by METRIC or heat, largest first"),
		OPT(TEXT, "columns", 0, "METRICS", &a.column_list,
		    "columns: metrics joined by commas"),
		OPT_DEFAULT(COUNT, "limit", 'n', "N", "20", &a.limit,
			    "print the first N rows; 0: all"),
		OPT(TEXT, "function", 0, "NAME", &a.function,
		    "print all metrics of these functions; * and ? match"),
		OPT_FLAG("list-metrics", 0, &a.is_list,
			 "list the metrics with their definitions and sources"),
		OPT_DEFAULT(CHOICE, "family", 0, "standard|compat", "standard", &a.family,
			    "standard metrics, or the eleven columns of an older tool"),
		OPT_DEFAULT(CHOICE, "format", 0, "table|seed", "table", &a.layout,
			    "seed: the layout of the older tool, with --family compat"),
		OPT_FLAG("history", 0, &a.has_history,
			 "add metrics from git: age, churn, fixes (slow)"),
		OPT(LIST, "git-dir", 0, "DIR", &a.git_dirs,
		    "git directory outside the folder that its repository refers to"),
		OPT_DEFAULT(COUNT, "now", 0, "SECONDS", "the clock", &a.now,
			    "compute ages at this Unix time"),
		OPT(TEXT, "diff", 0, "REV", &a.revision,
		    "compare with this git revision; gates then report only functions that newly "
		    "exceed them"),
		OPT(TEXT, "labels", 0, "FILE", &a.labels_file,
		    "list of known bad functions, one name per line; print how well --sort ranks "
		    "them"),
		ARGS_HEADING(
			"gates: print a warning for each function above the limit, exit with 3"),
		OPT(COUNT, "max-cyclomatic", 0, "N", &a.max[0], "limit of any function"),
		OPT(COUNT, "max-cognitive", 0, "N", &a.max[1], "limit of any function"),
		OPT(COUNT, "max-nesting", 0, "N", &a.max[2], "limit of any function"),
		OPT(COUNT, "max-parameters", 0, "N", &a.max[3], "limit of any function"),
		OPT(COUNT, "max-lines", 0, "N", &a.max[4], "limit of any function"),
		OPT(LIST, "max", 0, "METRIC=N", &a.max_list, "limit of any metric"),
		OPT_FLAG("sarif", 0, &a.is_sarif,
			 "print the warnings as SARIF 2.1.0, for CI systems"),
		ARGS_HEADING("files"),
		OPT(TEXT, "files-from", 0, "FILE", &a.files_from,
		    "read paths from FILE, one per line; - is standard input"),
		SESSION_CACHE(&a.session),
		OPT_DEFAULT(COUNT, "threads", 0, "N", "0", &a.threads,
			    "number of threads; 0: one per CPU"),
		SESSION_OPTIONS(&a.session),
		SESSION_FORCE(&a.session),
		SESSION_JSON(&a.session),
		SESSION_CSV(&a.session),
		ARGS_END,
	};
	const struct args_spec spec = {
		.command = "assay risk",
		.operands = "DIR|FILE...",
		.summary = "Rank the functions of C sources by risk, and mark those that are hot "
			   "in a profile.",
		.options = options,
		.tail = "examples:\n  assay risk src --sort cognitive\n  assay risk net --heat "
			"perf.data\n  assay risk src --max-cyclomatic 15    (for CI)\n  assay risk "
			"src --diff origin/main --max-cyclomatic 15",
	};
	int status;

	for (unsigned int i = 0; i < RISK_MAX_OPTIONS; i++)
		a.max[i] = RISK_NO_LIMIT;
	session_init(&a.session);
	if (session_parse(&a.session, &spec, argc, argv, &status)) {
		a.is_compat = a.family == 1;
		a.is_seed_layout = a.layout == 1;
		a.session.to.kind = a.is_sarif ? &output_json : NULL;
		status = a.is_list ? show_risk_metrics(&a) : risk_go(&a, &spec);
	}
	VEC_FREE(&a.limits);
	VEC_FREE(&a.columns);
	VEC_FREE(&a.max_list.items);
	VEC_FREE(&a.git_dirs.items);
	VEC_FREE(&a.labels);
	heat_fini(&a.heat);
	status = session_finish(&a.session, status);
	return status == EXIT_DONE && a.n_exceeded ? EXIT_FINDINGS : status;
}

const struct cmd cmd_risk = { "risk", "rank C functions by complexity and change history",
			      risk_run };
