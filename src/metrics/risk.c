/* SPDX-License-Identifier: MIT */
/* risk.c - measure the files of a tree on several threads */
#include "metrics/risk.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "metrics/code/c_files.h"
#include "metrics/code/c_functions.h"
#include "metrics/code/c_language.h"
#include "metrics/code/c_measure.h"
#include "metrics/code/c_names.h"
#include "metrics/code/c_tokens.h"
#include "metrics/code/c_tree.h"
#include "metrics/risk_cache.h"
#include "metrics/risk_part.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#define RISK_THREADS_MAX    64u
#define RISK_PROGRESS_FILES 16u
#define RISK_BINARY_HEAD    65536u /* a file with a NUL in its first 64 KiB is binary */

static const struct c_metric_info risk_infos[RISK_METRIC_COUNT - C_METRIC_COUNT] = {
#define RISK_METRIC_INFO(id, title, unit, definition, source) { title, unit, definition, source },
	RISK_METRICS(RISK_METRIC_INFO)
#undef RISK_METRIC_INFO
};

const struct c_metric_info *risk_metric_info(unsigned int metric)
{
	return metric < C_METRIC_COUNT ? &c_metric_infos[metric]
				       : &risk_infos[metric - C_METRIC_COUNT];
}

unsigned int risk_metric_find(struct str title)
{
	unsigned int i = 0;

	while (i < RISK_METRIC_COUNT && !str_eq(title, str_of(risk_metric_info(i)->title)))
		i++;
	return i;
}

struct risk_worker {
	struct c_parser *parser;
	struct c_measure *measure;
	struct c_tree tree;
	struct c_names names;
	VEC(char) buffer;
};

struct risk_job {
	const struct c_file_list *files;
	const struct risk_options *options;
	struct risk_part *parts;
	struct risk_cache *cache; /* NULL: no cache */
	atomic_uint next;
	atomic_uint done;
	atomic_ullong done_bytes;
};

/*
 * Append to part->call_names the names that the body of @f calls, or uses as a value, each name
 * once. A variable of the function itself is appended only if it is called.
 */
static void risk_calls(struct risk_worker *w, struct risk_part *part, const struct c_tokens *t,
		       const struct c_function *f, struct risk_function *ret)
{
	c_names_clear(&w->names);
	for (uint32_t i = f->body; i < f->end; i++) {
		const struct c_token *k = &t->items.data[i];
		const struct c_token *before = &t->items.data[i - 1];

		if (k->kind != C_WORD || k->keyword != C_NO_KEYWORD || k->arm == C_ARM_NEVER ||
		    c_token_is(before, '.') ||
		    (before->kind == C_OPERATOR && before->len == 2 && before->first == '-' &&
		     t->text.p[before->at + 1] == '>'))
			continue;
		if (!c_token_is(k + 1, '(') &&
		    c_names_find(&w->measure->variables, c_token_text(t, i)) != UINT32_MAX)
			continue;
		c_names_add(&w->names, c_token_text(t, i));
	}
	ret->calls = (uint32_t)part->call_names.len;
	for (size_t i = 0; i < w->names.names.len; i++)
		*VEC_PUSH(&part->call_names) = w->names.names.data[i];
	ret->n_calls = (uint32_t)w->names.names.len;
}

static void risk_entry_add(struct risk_part *part, struct str name, enum risk_entry kind)
{
	*VEC_PUSH(&part->entries) = arena_str(&part->arena, name);
	*VEC_PUSH(&part->entry_kinds) = (uint8_t)kind;
}

/*
 * Find entries: functions that code outside of the tree can call. Such a function is named in
 * EXPORT_SYMBOL(name), module_init(name), module_exit(name) or *_initcall(name), or in an
 * initializer outside of functions.
 */
static void risk_entries(struct risk_part *part, const struct c_tokens *t,
			 const struct c_functions *f)
{
	uint32_t next = 0;
	uint32_t n = (uint32_t)t->items.len;

	for (uint32_t i = 1; i + 1 < n; i++) {
		const struct c_token *k = &t->items.data[i];
		const struct c_token *before = k - 1;
		const struct c_token *after = k + 1;

		if (next < f->items.len && i == f->items.data[next].body) {
			i = f->items.data[next++].end;
			continue;
		}
		if (k->kind != C_WORD || k->keyword != C_NO_KEYWORD)
			continue;
		if (c_token_is(before, '(') && c_token_is(after, ')') && i >= 2) {
			struct str macro = c_token_text(t, i - 2);

			if (str_starts(macro, STR("EXPORT_SYMBOL")))
				risk_entry_add(part, c_token_text(t, i), ENTRY_EXPORTED);
			else if (str_ends(macro, STR("_initcall")) ||
				 str_eq(macro, STR("module_init")) ||
				 str_eq(macro, STR("module_exit")))
				risk_entry_add(part, c_token_text(t, i), ENTRY_TABLE);
		} else if ((c_token_is(before, '=') || c_token_is(before, '{') ||
			    c_token_is(before, ',') || c_token_is(before, '&')) &&
			   (c_token_is(after, ',') || c_token_is(after, '}') ||
			    c_token_is(after, ';'))) {
			risk_entry_add(part, c_token_text(t, i), ENTRY_TABLE);
		}
	}
}

static void risk_function_measure(struct risk_worker *w, struct risk_part *part,
				  const struct c_tokens *t, const struct c_function *f)
{
	struct risk_function *r = VEC_PUSH(&part->functions);

	*r = (struct risk_function){
		.name = arena_str(&part->arena, f->name),
		.macro = arena_str(&part->arena, f->macro),
		.line = f->line,
		.head_line = f->head_line,
		.last_line = f->last_line,
		.is_static = f->is_static,
		.entry = str_contains(f->macro, STR("SYSCALL")) ? ENTRY_SYSCALL
			 : str_eq(f->name, STR("main"))         ? ENTRY_MAIN
								: ENTRY_NONE,
	};
	r->is_unmeasured = !c_parser_body(w->parser, t, f, &w->tree);
	r->has_error = w->tree.nodes.len && w->tree.has_error;
	c_measure_function(w->measure, t, f, &w->tree, r->m);
	for (unsigned int i = C_METRIC_COUNT; i < RISK_METRIC_COUNT; i++)
		r->m[i] = NAN;
	risk_calls(w, part, t, f, r);
}

static void risk_compat(struct risk_part *part, const struct c_tokens *t,
			const struct c_functions *f)
{
	struct compat_table table;

	compat_init(&table, t, f);
	VEC_FOREACH (row, &table.rows) {
		struct risk_function *r = &part->functions.data[row->function];

		r->has_compat = true;
		memcpy(r->c, row->c, sizeof(r->c));
	}
	part->is_compat_cut = table.is_cut;
	compat_fini(&table);
}

/* Remove the functions under `#if 0`, which are never compiled. */
static void risk_drop_never(struct c_functions *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->items.len; i++) {
		if (!f->items.data[i].is_never)
			f->items.data[kept++] = f->items.data[i];
	}
	f->items.len = kept;
}

static void risk_parse(struct risk_worker *w, struct risk_part *part, struct str text,
		       const struct risk_options *options)
{
	struct c_tokens t;
	struct c_functions f;

	c_tokens_init(&t, text);
	c_functions_init(&f, &t);
	/*
	 * keep functions under `#if 0` for the compat metrics, because the legacy tool counts them
	 */
	if (!options->has_compat)
		risk_drop_never(&f);
	VEC_RESERVE(&part->functions, f.items.len);
	VEC_FOREACH (x, &f.items)
		risk_function_measure(w, part, &t, x);
	risk_entries(part, &t, &f);
	if (options->has_compat)
		risk_compat(part, &t, &f);
	/* copy the names: they point into the source text, which is freed */
	for (size_t i = 0; i < part->call_names.len; i++)
		part->call_names.data[i] = arena_str(&part->arena, part->call_names.data[i]);
	c_functions_fini(&f);
	c_tokens_fini(&t);
}

static void risk_text(struct risk_worker *w, struct risk_part *part, struct str text,
		      const struct risk_options *options, struct risk_cache *cache)
{
	struct str head = str_sub(text, 0, RISK_BINARY_HEAD);

	part->file.bytes = text.len;
	part->file.is_cut = text.len > LIMIT_SOURCE_BYTES;
	part->file.is_binary = str_find_char(head, '\0') < head.len;
	part->file.is_cxx = str_ends(part->file.path, STR(".h")) && c_language_is_cxx_text(text);
	if (part->file.is_binary || part->file.is_cxx ||
	    (cache && risk_cache_find(cache, text, options->has_compat, part)))
		return;
	risk_parse(w, part, text, options);
	if (cache)
		risk_cache_add(cache, text, options->has_compat, part);
}

static bool risk_read(struct risk_worker *w, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	bool is_whole = false;

	w->buffer.len = 0;
	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && (S_ISREG(st.st_mode) || S_ISFIFO(st.st_mode))) {
		VEC_RESERVE(&w->buffer, (size_t)(st.st_size > 0 ? st.st_size : 0) + 4096);
		for (;;) {
			ssize_t n;

			VEC_RESERVE(&w->buffer, w->buffer.len + 4096);
			n = files_read(fd, w->buffer.data + w->buffer.len,
				       w->buffer.cap - w->buffer.len);
			is_whole = n == 0;
			if (n <= 0 || w->buffer.len > LIMIT_SOURCE_BYTES)
				break;
			w->buffer.len += (size_t)n;
		}
		is_whole |= w->buffer.len > LIMIT_SOURCE_BYTES;
	}
	close(fd);
	return is_whole;
}

static bool risk_worker_init(struct risk_worker *w)
{
	memset(w, 0, sizeof(*w));
	w->parser = c_parser_new();
	w->measure = c_measure_new();
	return w->parser != NULL;
}

static void risk_worker_fini(struct risk_worker *w)
{
	c_parser_free(w->parser);
	c_measure_free(w->measure);
	c_tree_fini(&w->tree);
	c_names_fini(&w->names);
	VEC_FREE(&w->buffer);
}

static void risk_one(struct risk_job *job, struct risk_worker *w, uint32_t i)
{
	struct risk_part *part = &job->parts[i];
	const char *path = job->files->paths.data[i].p;

	part->file.path = job->files->paths.data[i];
	if (risk_read(w, path))
		risk_text(w, part, (struct str){ w->buffer.data, w->buffer.len }, job->options,
			  job->cache);
	else
		part->file.is_unreadable = true;
	atomic_fetch_add(&job->done_bytes, part->file.bytes);
	atomic_fetch_add(&job->done, 1);
}

static void *risk_thread(void *arg)
{
	struct risk_job *job = arg;
	struct risk_worker w;
	uint32_t i;

	if (risk_worker_init(&w)) {
		while ((i = atomic_fetch_add(&job->next, 1)) < job->files->paths.len)
			risk_one(job, &w, i);
	}
	risk_worker_fini(&w);
	return NULL;
}

/*
 * Measure files on the calling thread, as the other threads do, and also report the progress of all
 * threads.
 */
static void risk_work_here(struct risk_job *job, struct risk_worker *w)
{
	uint32_t n = (uint32_t)job->files->paths.len;
	uint32_t reported = 0;
	uint32_t i;

	while ((i = atomic_fetch_add(&job->next, 1)) < n) {
		uint32_t done;

		risk_one(job, w, i);
		done = atomic_load(&job->done);
		if (job->options->progress && done >= reported + RISK_PROGRESS_FILES) {
			reported = done;
			job->options->progress(job->options->arg, atomic_load(&job->done_bytes),
					       done, n);
		}
	}
}

struct risk_merge {
	struct risk_tree *tree;
	/*
	 * names of all functions that are not static; `global` and `is_several` are indexed by
	 * number of name
	 */
	struct c_names names;
	/* global[i]: index in risk_tree.functions of the first function with name number i */
	VEC(uint32_t) global;
	/* is_several[i]: 1 if several functions have name number i */
	VEC(uint8_t) is_several;
	struct c_names local; /* names of all functions in the current file */
	/* local_rows[i]: index of the function whose name has number i in `local` */
	VEC(uint32_t) local_rows;
};

static void risk_merge_functions(struct risk_merge *m, struct risk_part *part, uint32_t file)
{
	struct risk_tree *t = m->tree;

	*VEC_PUSH(&t->files) = part->file;
	t->files.data[file].path = arena_str(&t->arena, part->file.path);
	t->files.data[file].n_functions = (uint32_t)part->functions.len;
	t->bytes += part->file.bytes;
	t->n_binary += part->file.is_binary;
	t->n_cut += part->file.is_cut;
	t->n_unreadable += part->file.is_unreadable;
	t->n_cxx += part->file.is_cxx;
	t->is_compat_cut |= part->is_compat_cut;
	t->n_cached += part->is_cached;
	VEC_FOREACH (f, &part->functions) {
		struct risk_function *r = VEC_PUSH(&t->functions);
		uint32_t id;

		*r = *f;
		r->name = arena_str(&t->arena, f->name);
		r->macro = arena_str(&t->arena, f->macro);
		r->file = file;
		t->n_errors += f->has_error;
		t->files.data[file].n_errors += f->has_error;
		t->n_unmeasured += f->is_unmeasured;
		if (f->is_static)
			continue;
		id = c_names_add(&m->names, r->name);
		if (id >= m->global.len) {
			*VEC_PUSH(&m->global) = (uint32_t)t->functions.len - 1;
			*VEC_PUSH(&m->is_several) = 0;
		} else {
			m->is_several.data[id] = 1;
		}
	}
}

/*
 * Index of the function that the current file calls by @name. A function of the same file has
 * priority over a function that is not static. UINT32_MAX: there is no such function.
 */
static uint32_t risk_resolve(struct risk_merge *m, struct str name)
{
	uint32_t id = c_names_find(&m->local, name);

	if (id != UINT32_MAX)
		return m->local_rows.data[id];
	id = c_names_find(&m->names, name);
	if (id == UINT32_MAX)
		return UINT32_MAX;
	m->tree->n_ambiguous += m->is_several.data[id];
	return m->global.data[id];
}

static void risk_merge_calls(struct risk_merge *m, struct risk_part *part, uint32_t first)
{
	struct risk_tree *t = m->tree;

	c_names_clear(&m->local);
	m->local_rows.len = 0;
	for (uint32_t i = 0; i < part->functions.len; i++) {
		uint32_t id = c_names_add(&m->local, part->functions.data[i].name);

		if (id >= m->local_rows.len)
			*VEC_PUSH(&m->local_rows) = first + i;
	}
	for (uint32_t i = 0; i < part->functions.len; i++) {
		const struct risk_function *f = &part->functions.data[i];
		struct risk_function *r = &t->functions.data[first + i];

		r->calls = (uint32_t)t->calls.len;
		for (uint32_t k = f->calls; k < f->calls + f->n_calls; k++) {
			uint32_t to = risk_resolve(m, part->call_names.data[k]);

			if (to != UINT32_MAX)
				*VEC_PUSH(&t->calls) = to;
		}
		r->n_calls = (uint32_t)t->calls.len - r->calls;
	}
	for (uint32_t i = 0; i < part->entries.len; i++) {
		uint32_t to = risk_resolve(m, part->entries.data[i]);

		if (to != UINT32_MAX && t->functions.data[to].entry == ENTRY_NONE)
			t->functions.data[to].entry = part->entry_kinds.data[i];
	}
}

void risk_part_fini(struct risk_part *part)
{
	arena_fini(&part->arena);
	VEC_FREE(&part->functions);
	VEC_FREE(&part->call_names);
	VEC_FREE(&part->entries);
	VEC_FREE(&part->entry_kinds);
}

static void risk_merge(struct risk_part *parts, uint32_t n, struct risk_tree *ret)
{
	struct risk_merge m = { .tree = ret };
	uint32_t first = 0;

	for (uint32_t i = 0; i < n; i++)
		risk_merge_functions(&m, &parts[i], i);
	for (uint32_t i = 0; i < n; i++) {
		risk_merge_calls(&m, &parts[i], first);
		first += (uint32_t)parts[i].functions.len;
		risk_part_fini(&parts[i]);
	}
	c_names_fini(&m.names);
	c_names_fini(&m.local);
	VEC_FREE(&m.global);
	VEC_FREE(&m.is_several);
	VEC_FREE(&m.local_rows);
	call_graph_measure(ret);
	risk_rank(ret);
}

static int risk_no_parser(struct error *err)
{
	return fail(err, ERR_UNSUPPORTED,
		    "this build cannot read C sources: it has no tree-sitter");
}

int risk_measure(const struct c_file_list *files, const struct risk_options *options,
		 struct risk_tree *ret, struct error *err)
{
	pthread_t threads[RISK_THREADS_MAX];
	unsigned int n_threads = options->n_threads;
	unsigned int started = 0;
	uint32_t n = (uint32_t)files->paths.len;
	struct risk_job job = { .files = files, .options = options };
	struct risk_worker w;

	*ret = (struct risk_tree){ .has_compat = options->has_compat, .n_cxx = files->skipped_cxx };
	if (!risk_worker_init(&w)) {
		risk_worker_fini(&w);
		return risk_no_parser(err);
	}
	if (n_threads == 0) {
		long online = sysconf(_SC_NPROCESSORS_ONLN);

		n_threads = online > 0 ? (unsigned int)online : 1;
	}
	if (n_threads > RISK_THREADS_MAX)
		n_threads = RISK_THREADS_MAX;
	job.parts = xcalloc(n + 1, sizeof(*job.parts));
	if (options->cache)
		job.cache = risk_cache_open(options->cache);
	while (started + 1 < n_threads && started < n &&
	       pthread_create(&threads[started], NULL, risk_thread, &job) == 0)
		started++;
	risk_work_here(&job, &w);
	for (unsigned int i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	risk_worker_fini(&w);
	if (job.cache)
		risk_cache_close(job.cache);
	risk_merge(job.parts, n, ret);
	free(job.parts);
	return OK;
}

int risk_measure_texts(const struct str *paths, const struct str *texts, uint32_t n,
		       const struct risk_options *options, struct risk_tree *ret, struct error *err)
{
	struct risk_part *parts;
	struct risk_cache *cache = NULL;
	struct risk_worker w;

	*ret = (struct risk_tree){ .has_compat = options->has_compat };
	if (!risk_worker_init(&w)) {
		risk_worker_fini(&w);
		return risk_no_parser(err);
	}
	parts = xcalloc((size_t)n + 1, sizeof(*parts));
	if (options->cache)
		cache = risk_cache_open(options->cache);
	for (uint32_t i = 0; i < n; i++) {
		parts[i].file.path = paths[i];
		risk_text(&w, &parts[i], texts[i], options, cache);
	}
	if (cache)
		risk_cache_close(cache);
	risk_worker_fini(&w);
	risk_merge(parts, n, ret);
	free(parts);
	return OK;
}

int risk_measure_text(struct str path, struct str text, const struct risk_options *options,
		      struct risk_tree *ret, struct error *err)
{
	return risk_measure_texts(&path, &text, 1, options, ret, err);
}

void risk_tree_fini(struct risk_tree *t)
{
	VEC_FREE(&t->files);
	VEC_FREE(&t->functions);
	VEC_FREE(&t->calls);
	VEC_FREE(&t->by_rank);
	arena_fini(&t->arena);
}
