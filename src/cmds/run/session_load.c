/* SPDX-License-Identifier: MIT */
#include "cmds/run/session.h"

#include "analyses/waits/waits.h"
#include "base/command/args.h"
#include "base/command/progress.h"
#include "base/files.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/suggest.h"
#include "base/vec.h"
#include "cmds/risk/sources.h"
#include "cmds/run/confine.h"
#include "cmds/run/session_parts.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/perf_features.h"
#include "core/profile.h"
#include "core/strings.h"
#include "explain/known_message.h"
#include "formats/format.h"
#include "formats/load.h"
#include "formats/registry.h"
#include "render/view.h"
#include "transform/off_cpu.h"
#include "transform/recover.h"
#include "transform/select.h"
#include "transform/transform.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Names of the fields of events to load. */
struct session_fields {
	struct str *data;
	size_t len, cap;
};

static void session_fields_fini(struct session_fields *f)
{
	VEC_FREE(f);
}

/* Report that --as has the unknown value @name, and name the most similar format. */
static void session_unknown_format(const char *name)
{
	struct suggest like;

	suggest_init(&like, str_of(name));
	for (const struct format *const *f = formats; *f; f++)
		suggest_try(&like, str_of((*f)->name));
	complain(NULL, "--as does not know '%s'%s%s%s; 'assay help formats' lists the formats",
		 name, like.best[0] ? ", did you mean '" : "", like.best, like.best[0] ? "'?" : "");
}

/* Report on stderr why filters cannot be applied to the capture @c. */
static void session_refuse(const struct session *s, const struct capture *c, const char *why)
{
	struct str path = strings_get(&s->dossier->strings, c->path);

	if (c->first_line)
		complain(path.p, "%s of line %u: %s", c->format, c->first_line, why);
	else
		complain(path.p, "%s: %s", c->format, why);
}

/*
 * Append the filters that the user gave: "--comm find". If there are several, add the number of
 * samples that each of them selects: "--comm find (2) and --cpu 1 (1)".
 */
static void session_asked(const struct session *s, const struct select_result *r, struct out *ret)
{
	size_t n = 0;

	for (enum select_kind k = 0; k < SELECT_KINDS; k++)
		n += r->counts[k].is_asked;
	for (enum select_kind k = 0; k < SELECT_KINDS; k++) {
		size_t i = 0;

		if (!r->counts[k].is_asked)
			continue;
		out_printf(ret, "%s--%s ", ret->len ? " and " : "", select_kind_name(k));
		VEC_FOREACH (text, &s->in.chosen[k].items)
			out_printf(ret, "%s%s", i++ ? "," : "", *text);
		if (n > 1)
			out_printf(ret, " (%llu)", (unsigned long long)r->counts[k].samples);
	}
}

/*
 * If filters select no sample of any profile, report that, with the available values, and return
 * true. Otherwise return false.
 */
static bool session_report_empty(const struct session *s)
{
	struct out asked = { .fd = -1 };
	const struct select_result *first = NULL;
	size_t at = 0;

	for (size_t i = s->change.selected.len; i-- > 0;) {
		const struct select_result *r = &s->change.selected.data[i];
		const struct capture *c = s->dossier->captures.data[i];

		/*
		 * rows of printed reports are filtered later, by the command: assume that some rows
		 * match
		 */
		if (r->is_done ? r->kept > 0 : c->profile && c->profile->table.rows.len)
			return false;
		if (r->is_done) {
			first = r;
			at = i;
		}
	}
	if (!first)
		return false;
	session_asked(s, first, &asked);
	complain(strings_get(&s->dossier->strings, s->dossier->captures.data[at]->path).p,
		 "no sample matches " STR_FMT "%s%s", STR_ARG(out_view(&asked)),
		 first->offer[0] ? "; " : "", first->offer);
	out_fini(&asked);
	return true;
}

static bool session_has_listing(const struct session *s)
{
	VEC_FOREACH (c, &s->dossier->captures) {
		if ((*c)->code)
			return true;
	}
	return false;
}

/*
 * Report filters that cannot be applied or select nothing, or that there is no profile to filter.
 * False: something was reported.
 */
static bool session_report_selected(const struct session *s)
{
	bool is_good = true;

	if (select_is_empty(&s->change.select) || s->dossier->captures.len == 0)
		return true;
	for (size_t i = 0; i < s->change.selected.len; i++) {
		const struct select_result *r = &s->change.selected.data[i];

		if (r->why.msg[0])
			session_refuse(s, s->dossier->captures.data[i], r->why.msg);
		is_good &= !r->why.msg[0];
	}
	if (s->change.n_selectable == 0) {
		complain(NULL, "nothing to select from: no profile was read%s",
			 session_has_listing(s)
				 ? "; a listing of instructions or lines has no samples: annotate "
				   "the recording itself"
				 : "");
		is_good = false;
	}
	return is_good && !session_report_empty(s);
}

/*
 * Report truncation, and failures that a reader counted in @diag. Each of them is reported only
 * once per input. @reported: failures already reported for this input; this function adds the
 * failures that it reports. *@is_cut: truncation was already reported for this input; this function
 * sets it when it reports truncation.
 */
static void session_report_cut(const struct diag *diag, const char *path, struct diag *reported,
			       bool *is_cut)
{
	VEC_FOREACH (e, &diag->entries) {
		unsigned long long n = e->count;

		if (e->kind->is_cut && !*is_cut)
			complain(path, "it is cut: what is complete is shown (%s: %llu)",
				 e->kind->sentence, n);
		*is_cut |= e->kind->is_cut;
		if (!e->kind->is_failure || diag_get(reported, e->kind->counter))
			continue;
		diag_add(reported, e->kind, e->count, e->first_line);
		complain(path, "%s: %llu", e->kind->sentence, n);
	}
}

/*
 * Report that an input is truncated, and failures of its readers. The input was read as far as
 * possible.
 */
static void session_report_cuts(struct session *s, const char *path, size_t first_input,
				size_t first_capture)
{
	struct diag reported = { VEC_INIT };
	bool is_cut = false;

	for (size_t i = first_input; i < s->dossier->inputs.len; i++)
		session_report_cut(&s->dossier->inputs.data[i].diag, path, &reported, &is_cut);
	for (size_t i = first_capture; i < s->dossier->captures.len; i++)
		session_report_cut(&s->dossier->captures.data[i]->diag, path, &reported, &is_cut);
	s->loaded.n_cut += is_cut;
	diag_fini(&reported);
}

/*
 * Set the fields of events to load: the fields that the command needs, and the fields of scheduler
 * events.
 */
static void session_off_cpu_fields(const struct session *s, struct session_fields *wanted,
				   struct load_options *options)
{
	VEC_APPEND(wanted, s->in.fields, s->in.n_fields);
	VEC_APPEND(wanted, off_cpu_fields, off_cpu_n_fields);
	options->fields = wanted->data;
	options->n_fields = wanted->len;
}

/*
 * Set the reason of each wait in @c. Shorten each stack to the frames that show where the thread
 * waits.
 */
static void session_name_waits(struct capture *c)
{
	struct wait_places places;

	waits_places(c, &places);
	off_cpu_name(c, places.reason, places.shown);
	waits_places_fini(&places);
}

const struct off_cpu *session_waits_of(const struct session *s, const struct capture *c)
{
	static const struct off_cpu none = { .is_done = false };
	size_t input = 0;

	for (size_t i = 0; i < s->dossier->captures.len; i++) {
		while (input < s->loaded.input_ends.len && i >= s->loaded.input_ends.data[input])
			input++;
		if (s->dossier->captures.data[i] == c)
			return input < s->change.off_cpu.len ? &s->change.off_cpu.data[input]
							     : &none;
	}
	return &none;
}

bool session_check(struct session *s, const struct args_spec *spec)
{
	if (s->sources.is_taken)
		sources_take(s);
	if (s->in.paths.items.len == 0 && s->sources.paths.items.len == 0) {
		complain(NULL, "no input; name a FILE, or - for standard input; try '%s --help'",
			 spec->command);
		return false;
	}
	if (s->in.as && !format_find(str_of(s->in.as))) {
		session_unknown_format(s->in.as);
		return false;
	}
	if (!session_input_is_each_once(s))
		return false;
	session_input_suggest(s);
	return true;
}

/* Read one input: the file @path or, if @bytes is set, these bytes with @path as their name. */
static void session_load_one(struct session *s, const char *path, struct str bytes,
			     const struct load_options *options)
{
	struct error err = { "" };
	size_t first_input = s->dossier->inputs.len;
	size_t first_capture = s->dossier->captures.len;
	int r;

	s->loaded.n_inputs++;
	files_announce(FILES_READING, path);
	session_progress(s, "reading", path);
	r = bytes.p ? load_bytes(s->dossier, bytes, path, options, &err)
		    : load_input(s->dossier, path, options, &err);
	progress_end(&s->progress);
	if (r == OK)
		r = transform_input(s->dossier, &s->change, first_capture, &err);
	else
		*VEC_PUSH(&s->change.off_cpu) = (struct off_cpu){ .is_done = false };
	if (r < 0) {
		bool is_hinted = s->in.hint_for == path;

		complain(path, "%s%s%s", err.msg, is_hinted ? "; did you mean " : "",
			 is_hinted ? s->in.hint : "");
		s->loaded.n_failed++;
	}
	if (r == OK)
		session_report_cuts(s, path, first_input, first_capture);
	*VEC_PUSH(&s->loaded.input_ends) = (uint32_t)s->dossier->captures.len;
}

static void session_load_sources(struct session *s)
{
	struct error err = { "" };

	if (s->sources.paths.items.len && sources_measure(s, &err) < 0) {
		complain(NULL, "%s", err.msg);
		s->loaded.n_failed++;
	}
}

static struct load_options session_load_options(struct session *s)
{
	return (struct load_options){
		.only = s->in.as ? format_find(str_of(s->in.as)) : NULL,
		.is_raw = s->in.is_raw,
		.fields = s->in.fields,
		.n_fields = s->in.n_fields,
		.read = s->in.read,
		.is_message = known_message_is,
		.progress = &s->progress,
	};
}

/* Tell the readers which data to load, and make the dossier, which will hold all captures. */
static void session_load_begin(struct session *s, struct session_fields *wanted,
			       struct load_options *options)
{
	struct transform *change = &s->change;

	if (change->is_off_cpu || change->finds_off_cpu || change->has_parallelism)
		session_off_cpu_fields(s, wanted, options);
	/*
	 * Filters and waits may need any data of a sample, so the reader must not omit data. A
	 * listing of instructions can be filtered only if the reader stores the instruction of each
	 * sample (with_code_rows). Otherwise, no listing is read.
	 */
	if (!select_is_empty(&change->select) || change->is_off_cpu || change->has_parallelism) {
		if (!options->read.with_code_rows)
			options->read = (struct read_options){ .without = 0 };
		options->read.without = 0;
	}
	options->read.is_for_switches = change->finds_off_cpu && !change->is_off_cpu;
	options->read.with_operations = change->finds_off_cpu;
	change->name_waits = session_name_waits;
	s->dossier = dossier_new();
	s->dossier->wanted = s->in.wanted;
}

static void session_load_end(struct session *s)
{
	struct error err = { "" };

	if (transform_all(s->dossier, &s->change, &err) < 0) {
		complain(NULL, "%s", err.msg);
		s->loaded.n_failed++;
	}
}

void session_load_bytes(struct session *s, struct str bytes, const char *name)
{
	CLEANUP(session_fields_fini) struct session_fields wanted = VEC_INIT;
	struct load_options options = session_load_options(s);

	session_load_begin(s, &wanted, &options);
	session_load_one(s, name, bytes, &options);
	session_load_end(s);
}

bool session_read(struct session *s, int *ret_status)
{
	CLEANUP(session_fields_fini) struct session_fields wanted = VEC_INIT;
	struct load_options options = session_load_options(s);

	session_load_begin(s, &wanted, &options);
	s->dossier->wanted.places |= s->sources.paths.items.len > 0;
	VEC_FOREACH (path, &s->in.paths.items)
		session_load_one(s, *path, STR_NONE, &options);
	session_load_sources(s);
	session_load_end(s);
	files_announce(FILES_READING, "");
	if (!session_report_selected(s)) {
		*ret_status = EXIT_USAGE;
		return false;
	}
	*ret_status = s->loaded.n_failed ? EXIT_FAILED : EXIT_DONE;
	return true;
}

/* Whether the file @path begins like a recording of perf. */
static bool session_is_recording(const char *path)
{
	char head[8] = "";
	struct stat st;
	ssize_t n;
	int fd;

	/* a pipe must not be opened twice */
	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	fd = files_open(path, FILES_NAMED);
	if (fd < 0)
		return false;
	n = pread(fd, head, sizeof(head), 0);
	close(fd);
	return n > 0 && perf_features_is_recording((struct str){ head, (size_t)n });
}

/*
 * Are there recordings and other files? Rules then look for samples at the times that a log prints,
 * so the readers must not omit the times of samples.
 */
static bool session_has_mixture(const struct session *s)
{
	size_t n = 0;

	VEC_FOREACH (path, &s->in.paths.items)
		n += *path && strcmp(*path, "-") != 0 && session_is_recording(*path);
	return n && n < s->in.paths.items.len;
}

bool session_load(struct session *s, const struct args_spec *spec, int *ret_status)
{
	if (!session_check(s, spec)) {
		*ret_status = EXIT_USAGE;
		return false;
	}
	if (s->sources.paths.items.len) {
		*VEC_PUSH(&s->sources.paths.items) = NULL;
		s->sources.paths.items.len--;
	}
	/* a confined process cannot look into the files */
	if (s->in.finds_times && session_has_mixture(s))
		s->in.read.without &= ~(unsigned int)SAMPLE_TIME;
	if (!session_confine(s, s->sources.paths.items.data, ret_status))
		return false;
	return session_read(s, ret_status);
}

void session_for_findings(struct session *s)
{
	/* findings are often about inlined functions */
	s->in.wanted.inlines = true;
	s->in.read.with_spots = true;
	s->in.read.with_processes = true;
	s->in.read.without = SAMPLE_TIME | SAMPLE_CPU | SAMPLE_THREAD;
	s->in.finds_times = true;
	s->change.finds_off_cpu = true;
	s->change.takes_trees = true;
	s->change.select.is_relative = true;
}

void session_for_instructions(struct session *s, const struct str *functions, size_t n,
			      bool has_rows)
{
	s->in.read = (struct read_options){
		.without = has_rows ? 0 : SAMPLE_TIME | SAMPLE_CPU | SAMPLE_THREAD,
		.with_spots = true,
		.with_sources = true,
		.code_of = functions,
		.n_code_of = n,
		.with_code_rows = has_rows,
	};
}
