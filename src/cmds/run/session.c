/* SPDX-License-Identifier: MIT */
#include "cmds/run/session.h"

#include "analyses/waits.h"
#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/suggest.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/strings.h"
#include "formats/format.h"
#include "formats/load.h"
#include "render/view.h"
#include "transform/off_cpu.h"
#include "transform/recover.h"
#include "transform/wall_clock.h"

#include "base/files.h"
#include "cmds/outputs.h"
#include "cmds/risk/sources.h"
#include "cmds/run/confine.h"
#include "render/escape.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Names of sample fields. */
struct session_fields {
	struct str *data;
	size_t len, cap;
};

static void session_fields_fini(struct session_fields *f)
{
	VEC_FREE(f);
}

void complain(const char *what, const char *fmt, ...)
{
	struct out out = { .fd = -1 };
	struct out raw = { .fd = -1 };
	char sentence[1024];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(sentence, sizeof(sentence), fmt, ap);
	va_end(ap);
	out_z(&raw, "assay: ");
	if (what)
		out_printf(&raw, "%s: ", what);
	out_z(&raw, sentence);
	escape_text(&out, out_view(&raw));
	out_char(&out, '\n');
	(void)fwrite(out.data, 1, out.len, stderr);
	out_fini(&raw);
	out_fini(&out);
}

void session_init(struct session *s)
{
	*s = (struct session){ .has_pager = true,
			       .has_sandbox = true,
			       .has_cache = true,
			       .file = NEWFILE_NONE,
			       .measured = { .capture = INDEX_NONE } };
	out_init(&s->out);
	progress_init(&s->progress, STDERR_FILENO);
}

void session_progress(struct session *s, const char *doing, const char *path)
{
	struct out raw = { .fd = -1 };
	struct out out = { .fd = -1 };

	if (s->progress.fd < 0)
		return;
	out_printf(&raw, "%s %s", doing, path);
	escape_text(&out, out_view(&raw));
	progress_start(&s->progress, out_view(&out));
	out_fini(&raw);
	out_fini(&out);
}

int session_print(const struct args_spec *spec, enum args_outcome outcome)
{
	struct error err = { "" };
	struct out out;
	struct text_options opt = terminal_options(STDOUT_FILENO, COLOUR_NEVER);
	int status = EXIT_DONE;

	out_init_fd(&out, STDOUT_FILENO);
	if (outcome == ARGS_HELP)
		args_help(spec, &out, opt.width);
	else if (outcome == ARGS_DESCRIBE)
		args_describe(spec, &out);
	else
		args_list(spec, &out);
	if (out_finish(&out, &err) < 0) {
		complain(NULL, "%s", err.msg);
		status = EXIT_FAILED;
	}
	out_fini(&out);
	return status;
}

static int session_choice(struct session *s, struct error *err)
{
	for (enum select_kind k = 0; k < SELECT_KINDS; k++) {
		VEC_FOREACH (text, &s->chosen[k].items) {
			int r = select_parse(&s->select, k, str_of(*text), err);

			if (r < 0)
				return r;
		}
	}
	return OK;
}

/* Collect option values that are input files: "--kallsyms FILE". */
static void session_name_files(struct session *s, const struct args_option *options)
{
	for (const struct args_option *o = options; o->name; o++) {
		static const char *const words[] = { "FILE", "DIR", "KEYFILE", "CAPTURE",
						     "FILE|NS" };
		bool is_file = false;

		for (size_t i = 0; o->arg && i < ARRAY_LEN(words); i++)
			is_file |= strcmp(o->arg, words[i]) == 0;
		if (!is_file || o->target == (const void *)&s->output ||
		    o->target == (const void *)&s->inputs)
			continue;
		if (o->kind == ARGS_LIST) {
			const struct args_list *list = o->target;

			VEC_APPEND(&s->named.items, list->items.data, list->items.len);
		} else if (o->kind == ARGS_TEXT || o->kind == ARGS_MAYBE) {
			const char *path = *(const char *const *)o->target;

			if (path && path[0])
				*VEC_PUSH(&s->named.items) = path;
		}
	}
}

bool session_parse(struct session *s, const struct args_spec *spec, int argc, char **argv,
		   int *ret_status)
{
	struct error err = { "" };
	int first = 0;
	int r = args_parse(spec, argc, argv, &first, &err);

	/* keep the first: `diff` parses its sides separately */
	s->words = s->words ? s->words : (const char *const *)argv;

	*ret_status = EXIT_DONE;
	if (r == ARGS_RUN && s->is_json && s->is_csv)
		r = fail(&err, ERR_USAGE, "--json and --csv exclude each other");
	if (r < 0) {
		complain(NULL, "%s; try '%s --help'", err.msg, spec->command);
		*ret_status = EXIT_USAGE;
		return false;
	}
	if (r != ARGS_RUN) {
		*ret_status = session_print(spec, (enum args_outcome)r);
		return false;
	}
	if (session_choice(s, &err) < 0) {
		complain(NULL, "%s; try '%s --help'", err.msg, spec->command);
		*ret_status = EXIT_USAGE;
		return false;
	}
	for (int i = first; i < argc; i++)
		*VEC_PUSH(&s->inputs.items) = argv[i];
	session_name_files(s, spec->options);
	return true;
}

/* Report the unknown format @name and the known ones. */
static void session_unknown_format(const char *name)
{
	struct out known = { .fd = -1 };

	for (const struct format *const *f = formats; *f; f++)
		out_printf(&known, "%s%s", f == formats ? "" : ", ", (*f)->name);
	complain(NULL, "--as knows " STR_FMT ", not '%s'", STR_ARG(out_view(&known)), name);
	out_fini(&known);
}

static void session_recover(struct session *s)
{
	while (s->recovered.len < s->dossier->captures.len) {
		struct capture *c = s->dossier->captures.data[s->recovered.len];
		struct recover_result *r = VEC_PUSH(&s->recovered);

		*r = (struct recover_result){ .recovery = RECOVERY_NONE };
		if (c->profile && c->profile->table.rows.len)
			recover_samples(c, r);
	}
}

/* The range from the first to the last sample of the input with @c. */
static bool session_span(const struct session *s, const struct capture *c, struct select_range *ret)
{
	struct select_range one;
	bool found = false;

	VEC_FOREACH (other, &s->dossier->captures) {
		if ((*other)->path.v != c->path.v || !select_time_span(*other, &one))
			continue;
		if (!found || one.from < ret->from)
			ret->from = one.from;
		if (!found || one.to > ret->to)
			ret->to = one.to;
		found = true;
	}
	return found;
}

/* Report a refusal for "mail.txt", or "mail.txt line 13". */
static void session_refuse(const struct session *s, const struct capture *c, const char *why)
{
	struct str path = strings_get(&s->dossier->strings, c->path);

	if (c->first_line)
		complain(path.p, "%s of line %u: %s", c->format, c->first_line, why);
	else
		complain(path.p, "%s: %s", c->format, why);
}

/* Append the given filters with their numbers of samples: "--comm find (2) and --cpu 1 (1)". */
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
		VEC_FOREACH (text, &s->chosen[k].items)
			out_printf(ret, "%s%s", i++ ? "," : "", *text);
		if (n > 1)
			out_printf(ret, " (%llu)", (unsigned long long)r->counts[k].samples);
	}
}

/*
 * Report filters that select nothing in any profile, with the available choices. False: they
 * select something.
 */
static bool session_report_empty(const struct session *s)
{
	struct out asked = { .fd = -1 };
	const struct select_result *first = NULL;
	size_t at = 0;

	for (size_t i = s->selected.len; i-- > 0;) {
		const struct select_result *r = &s->selected.data[i];
		const struct capture *c = s->dossier->captures.data[i];

		/* printed rows are filtered later */
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

/* Apply the sample filters. False: a profile lacks the data, or there is no profile. */
static bool session_select(struct session *s)
{
	struct select_range *spans;
	bool is_good = true;
	size_t n_profiles = 0;

	for (size_t i = 0; i < s->dossier->captures.len; i++)
		*VEC_PUSH(&s->selected) = (struct select_result){ .is_done = false };
	if (select_is_empty(&s->select) || s->dossier->captures.len == 0)
		return true;
	spans = xcalloc(s->dossier->captures.len, sizeof(*spans));
	for (size_t i = 0; i < s->dossier->captures.len; i++)
		(void)session_span(s, s->dossier->captures.data[i], &spans[i]);
	for (size_t i = 0; i < s->dossier->captures.len; i++) {
		struct capture *c = s->dossier->captures.data[i];
		struct error err = { "" };
		bool is_printed = c->profile && c->profile->table.rows.len;

		if (!c->profile || c->excerpt_of != INDEX_NONE)
			continue;
		n_profiles++;
		if (is_printed && s->filters_rows_itself)
			continue;
		if (is_printed)
			(void)fail(&err, ERR_USAGE,
				   "of a printed report only 'assay report' can choose rows");
		else if (select_apply(c, &s->select, &spans[i], &s->selected.data[i], &err) == OK)
			continue;
		session_refuse(s, c, err.msg);
		is_good = false;
	}
	free(spans);
	if (n_profiles == 0) {
		complain(NULL, "there are no samples to choose from: no profile was read");
		is_good = false;
	}
	return is_good && !session_report_empty(s);
}

/*
 * Report each kind of failure once, although every capture has it; of truncations only the
 * first.
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

/* Report truncated inputs; they are read as far as possible. */
static void session_report_cuts(struct session *s, const char *path, size_t first_input,
				size_t first_capture)
{
	struct diag reported = { VEC_INIT };
	bool is_cut = false;

	for (size_t i = first_input; i < s->dossier->inputs.len; i++)
		session_report_cut(&s->dossier->inputs.data[i].diag, path, &reported, &is_cut);
	for (size_t i = first_capture; i < s->dossier->captures.len; i++)
		session_report_cut(&s->dossier->captures.data[i]->diag, path, &reported, &is_cut);
	s->n_cut += is_cut;
	diag_fini(&reported);
}

/* Request fields of scheduler events, in addition to those of the command. */
static void session_off_cpu_fields(const struct session *s, struct session_fields *wanted,
				   struct load_options *options)
{
	VEC_APPEND(wanted, s->fields, s->n_fields);
	VEC_APPEND(wanted, off_cpu_fields, off_cpu_n_fields);
	options->fields = wanted->data;
	options->n_fields = wanted->len;
}

/* Name the waits from input @first on: their reasons, and the frames that say something. */
static void session_name_waits(struct session *s, size_t first)
{
	for (size_t i = first; i < s->dossier->captures.len; i++) {
		struct capture *c = s->dossier->captures.data[i];
		struct wait_places places;

		if (!off_cpu_has_waits(c))
			continue;
		waits_places(c, &places);
		off_cpu_name(c, places.reason, places.shown);
		waits_places_fini(&places);
	}
}

/* Convert the switches of the last input to waits. */
static int session_off_cpu(struct session *s, size_t first, struct off_cpu *ret, struct error *err)
{
	struct off_cpu found;
	int r = off_cpu_make(s->dossier, first, &found, err);

	if (r == OK && !found.is_done)
		r = fail(err, ERR_NOTFOUND,
			 "no switches of threads in it: 'assay record --off-cpu' records them");
	if (r == OK) {
		*ret = found;
		session_name_waits(s, first);
	}
	if (r == OK && s->wall)
		r = wall_clock_make(s->dossier, first, &found, s->wall == SESSION_WALL_ONLY, err);
	/* only waits were requested: drop the rest */
	while (r < 0 && s->dossier->captures.len > first)
		dossier_drop_last(s->dossier);
	return r;
}

const struct off_cpu *session_waits_of(const struct session *s, const struct capture *c)
{
	static const struct off_cpu none = { .is_done = false };
	size_t input = 0;

	for (size_t i = 0; i < s->dossier->captures.len; i++) {
		while (input < s->input_ends.len && i >= s->input_ends.data[input])
			input++;
		if (s->dossier->captures.data[i] == c)
			return input < s->off_cpu.len ? &s->off_cpu.data[input] : &none;
	}
	return &none;
}

struct session_name {
	struct newfile_identity is;
	size_t input;
	bool is_b; /* on the second side of a comparison */
};

static int session_name_cmp(const void *va, const void *vb)
{
	const struct session_name *a = va;
	const struct session_name *b = vb;

	if (a->is_b != b->is_b)
		return a->is_b ? 1 : -1;
	if (a->is.dev != b->is.dev)
		return a->is.dev < b->is.dev ? -1 : 1;
	if (a->is.ino != b->is.ino)
		return a->is.ino < b->is.ino ? -1 : 1;
	return a->input < b->input ? -1 : a->input > b->input;
}

/* The first input that already occurred on its side; SIZE_MAX: none. */
static size_t session_named_twice(const struct session *s)
{
	size_t n = s->inputs.items.len;
	CLEANUP(freep) struct session_name *names = xcalloc(n, sizeof(*names));
	size_t found = SIZE_MAX;
	size_t len = 0;

	for (size_t i = 0; i < n; i++) {
		struct newfile_identity is = newfile_identify(s->inputs.items.data[i]);

		if (is.is_there)
			names[len++] = (struct session_name){ is, i, i >= s->side_b };
	}
	qsort(names, len, sizeof(*names), session_name_cmp);
	for (size_t i = 1; i < len; i++) {
		const struct session_name *a = &names[i - 1];
		const struct session_name *b = &names[i];

		if (a->is_b == b->is_b && a->is.dev == b->is.dev && a->is.ino == b->is.ino &&
		    b->input < found)
			found = b->input;
	}
	return found;
}

/* The second "-"; SIZE_MAX: none. */
static size_t session_stdin_twice(const struct session *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->inputs.items.len; i++) {
		n += strcmp(s->inputs.items.data[i], "-") == 0;
		if (n == 2)
			return i;
	}
	return SIZE_MAX;
}

/* False: an input occurs twice, and its samples would count twice. */
static bool session_is_each_once(const struct session *s)
{
	size_t twice = s->inputs.items.len > 1 ? session_named_twice(s) : SIZE_MAX;
	size_t from_stdin = session_stdin_twice(s);
	bool is_stdin = from_stdin <= twice;

	if (twice == SIZE_MAX && from_stdin == SIZE_MAX)
		return true;
	complain(s->inputs.items.data[is_stdin ? from_stdin : twice],
		 is_stdin ? "standard input can be read once; it is named twice"
			  : "it is named twice and would count twice");
	return false;
}

/* Find a file with a name like that of the first missing input: its process may list folders. */
static void session_hint(struct session *s)
{
	VEC_FOREACH (path, &s->inputs.items) {
		const char *slash = strrchr(*path, '/');
		char folder[sizeof(s->hint) - SUGGEST_MAX] = ".";
		struct suggest like;
		struct dirent *entry;
		DIR *dir;

		if (strcmp(*path, "-") == 0 || access(*path, F_OK) == 0 || errno != ENOENT)
			continue;
		if (slash && (size_t)(slash - *path) + 1 >= sizeof(folder))
			continue;
		if (slash) {
			memcpy(folder, *path, (size_t)(slash - *path) + 1);
			folder[slash - *path + 1] = '\0';
		}
		dir = opendir(folder);
		if (!dir)
			continue;
		suggest_init(&like, str_of(slash ? slash + 1 : *path));
		while ((entry = readdir(dir)) != NULL)
			suggest_try(&like, str_of(entry->d_name));
		(void)closedir(dir);
		if (!like.best[0])
			continue;
		(void)snprintf(s->hint, sizeof(s->hint), "%s%s", slash ? folder : "", like.best);
		s->hint_for = *path;
		return;
	}
}

bool session_load(struct session *s, const struct args_spec *spec, int *ret_status)
{
	CLEANUP(session_fields_fini) struct session_fields wanted = VEC_INIT;
	struct load_options options = {
		.is_raw = s->is_raw,
		.fields = s->fields,
		.n_fields = s->n_fields,
		.read = s->read,
		.progress = &s->progress,
	};

	if (s->takes_sources)
		sources_take(s);
	if (s->inputs.items.len == 0 && s->sources.items.len == 0) {
		complain(NULL, "no input; name a FILE, or - for standard input; try '%s --help'",
			 spec->command);
		*ret_status = EXIT_USAGE;
		return false;
	}
	if (s->as) {
		options.only = format_find(str_of(s->as));
		if (!options.only) {
			session_unknown_format(s->as);
			*ret_status = EXIT_USAGE;
			return false;
		}
	}
	if (!session_is_each_once(s)) {
		*ret_status = EXIT_USAGE;
		return false;
	}
	if (s->sources.items.len) {
		*VEC_PUSH(&s->sources.items) = NULL;
		s->sources.items.len--;
	}
	session_hint(s);
	if (!session_confine(s, s->sources.items.data, ret_status))
		return false;
	if (s->is_off_cpu || s->finds_off_cpu)
		session_off_cpu_fields(s, &wanted, &options);
	/* filters need all fields */
	if (!select_is_empty(&s->select) || s->is_off_cpu)
		options.read = (struct read_options){ .without = 0 };
	options.read.is_for_switches = s->finds_off_cpu && !s->is_off_cpu;
	s->dossier = dossier_new();
	s->dossier->wanted = s->wanted;
	s->dossier->wanted.places |= s->sources.items.len > 0;
	VEC_FOREACH (path, &s->inputs.items) {
		struct error err = { "" };
		size_t first_input = s->dossier->inputs.len;
		size_t first_capture = s->dossier->captures.len;
		struct off_cpu waits = { .is_done = false };
		int r;

		s->n_inputs++;
		files_announce(FILES_READING, *path);
		session_progress(s, "reading", *path);
		r = load_input(s->dossier, *path, &options, &err);
		progress_end(&s->progress);
		if (r == OK && (s->is_off_cpu ||
				(s->finds_off_cpu && off_cpu_can_make(s->dossier, first_capture))))
			r = session_off_cpu(s, first_capture, &waits, &err);
		else if (r == OK && s->drops_helpers)
			off_cpu_drop_helpers(s->dossier, first_capture);
		if (r < 0) {
			bool is_hinted = s->hint_for == *path;

			complain(*path, "%s%s%s", err.msg, is_hinted ? "; did you mean " : "",
				 is_hinted ? s->hint : "");
			s->n_failed++;
		}
		if (r == OK)
			session_report_cuts(s, *path, first_input, first_capture);
		*VEC_PUSH(&s->input_ends) = (uint32_t)s->dossier->captures.len;
		*VEC_PUSH(&s->off_cpu) = waits;
		session_recover(s);
	}
	if (s->sources.items.len) {
		struct error err = { "" };

		if (sources_measure(s, &err) < 0) {
			complain(NULL, "%s", err.msg);
			s->n_failed++;
		}
		session_recover(s);
	}
	files_announce(FILES_READING, "");
	if (!session_select(s)) {
		*ret_status = EXIT_USAGE;
		return false;
	}
	*ret_status = s->n_failed ? EXIT_FAILED : EXIT_DONE;
	return true;
}

/* All input files and folders of the command line. Owner: caller, VEC_FREE(). */
static void session_all_inputs(const struct session *s, struct args_list *ret)
{
	VEC_APPEND(&ret->items, s->inputs.items.data, s->inputs.items.len);
	VEC_APPEND(&ret->items, s->sources.items.data, s->sources.items.len);
	VEC_APPEND(&ret->items, s->named.items.data, s->named.items.len);
}

int session_open_output(struct session *s)
{
	struct args_list inputs = { VEC_INIT };
	struct error err = { "" };
	struct newfile_spec spec = { .path = s->output,
				     .kind = s->kind      ? s->kind
					     : s->is_json ? &output_json
					     : s->is_csv  ? &output_csv
							  : &output_text,
				     .is_forced = s->is_forced };
	const char *input = NULL;
	int r = OK;

	session_all_inputs(s, &inputs);
	spec.inputs = inputs.items.data;
	spec.n_inputs = inputs.items.len;
	if (s->output) {
		r = newfile_open(&spec, &s->file, &err);
	} else {
		input = newfile_is_input(STDOUT_FILENO, spec.inputs, spec.n_inputs);
		if (input)
			r = fail(&err, ERR_USAGE, "standard output is this input, too");
	}
	if (r < 0)
		complain(s->output ? s->output[0] ? s->output : NULL : input, "%s", err.msg);
	s->is_refused |= r == ERR_USAGE;
	VEC_FREE(&inputs.items);
	return r;
}

bool session_wants_pager(const struct session *s)
{
	return s->has_pager && !s->output && !s->is_json && !s->is_csv;
}

/* Start the pager; a confined process asks its parent. */
static struct pager session_pager(void)
{
	struct pager p = { 0, STDOUT_FILENO };

	if (!files_are_confined())
		return pager_start(STDOUT_FILENO);
	if (files_wish(FILES_PAGER, "", NULL, &p.fd)) {
		p.pid = -1;
		(void)signal(SIGPIPE, SIG_IGN); /* the pager may quit early */
	}
	return p;
}

struct out *session_open(struct session *s)
{
	int fd = STDOUT_FILENO;

	if (s->output) {
		if (s->file.fd < 0 && session_open_output(s) < 0)
			return NULL;
		fd = s->file.fd;
	} else if (session_wants_pager(s)) {
		s->pager = session_pager();
		fd = s->pager.fd;
	}
	out_init_fd(&s->out, fd);
	return &s->out;
}

struct view *session_view(struct session *s)
{
	struct text_options opt;

	if (!session_open(s))
		return NULL;
	if (s->is_json)
		return view_json(&s->out);
	if (s->is_csv)
		return view_csv(&s->out);
	opt = terminal_options(s->output ? s->file.fd : STDOUT_FILENO, s->colour);
	if (!opt.width && !s->is_wide) {
		opt.width = SESSION_PIPED_COLUMNS;
		opt.is_piped = true;
	}
	return view_text(&s->out, &opt);
}

int session_place(struct session *s, bool is_complete)
{
	bool is_good = newfile_place(&s->file, is_complete);

	if (!is_good)
		complain(s->output, "cannot write the output: %s", strerror(errno));
	return is_good ? OK : ERR_IO;
}

/* Flush the output and put the file in place; a confined process leaves that to its parent. */
static int session_close_output(struct session *s, bool is_complete)
{
	struct error err = { "" };
	int r = out_finish(&s->out, &err);
	bool has_left = s->pager.pid && s->out.error == EPIPE;

	pager_finish(&s->pager);
	if (r < 0 && !has_left)
		complain(s->output, "%s", err.msg);
	if (has_left)
		r = OK;
	is_complete &= r == OK;
	if (!files_are_confined())
		return session_place(s, is_complete) < 0 ? ERR_IO : r;
	if (is_complete && s->output)
		files_announce(FILES_COMPLETE, "");
	return r;
}

int session_finish(struct session *s, int status)
{
	if (session_close_output(s, status == EXIT_DONE) < 0)
		status = EXIT_FAILED;
	if (status == EXIT_DONE && (s->n_failed || s->n_cut))
		status = EXIT_FAILED;
	if (status == EXIT_FAILED && s->is_refused)
		status = EXIT_USAGE;
	out_fini(&s->out);
	newfile_fini(&s->file);
	VEC_FREE(&s->inputs.items);
	VEC_FREE(&s->sources.items);
	VEC_FREE(&s->named.items);
	VEC_FREE(&s->recovered);
	VEC_FREE(&s->selected);
	for (int i = 0; i < SELECT_KINDS; i++)
		VEC_FREE(&s->chosen[i].items);
	select_fini(&s->select);
	VEC_FREE(&s->input_ends);
	VEC_FREE(&s->off_cpu);
	category_cache_fini(&s->cats);
	dossier_free(s->dossier);
	return status;
}
