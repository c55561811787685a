/* SPDX-License-Identifier: MIT */
#include "cmds/run/session.h"

#include "base/files.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/run/session_parts.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "formats/format.h"
#include "formats/load.h"
#include "render/escape.h"
#include "render/view.h"
#include <stdio.h>
#include <unistd.h>

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
	*s = (struct session){ .in = { .has_sandbox = true },
			       .sources = { .has_cache = true, .capture = INDEX_NONE },
			       .to = { .has_pager = true, .file = NEWFILE_NONE } };
	out_init(&s->to.out);
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

bool session_parse(struct session *s, const struct args_spec *spec, int argc, char **argv,
		   int *ret_status)
{
	struct error err = { "" };
	int first = 0;
	int r = args_parse(spec, argc, argv, &first, &err);

	/* store only the first argv: `diff` calls this function once for each side */
	s->words = s->words ? s->words : (const char *const *)argv;

	*ret_status = EXIT_DONE;
	if (r == ARGS_RUN && s->to.is_json && s->to.is_csv)
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
	if (session_input_choose(s, &err) < 0) {
		complain(NULL, "%s; try '%s --help'", err.msg, spec->command);
		*ret_status = EXIT_USAGE;
		return false;
	}
	for (int i = first; i < argc; i++)
		*VEC_PUSH(&s->in.paths.items) = argv[i];
	session_input_name_files(s, spec->options);
	return true;
}

int session_finish(struct session *s, int status)
{
	if (session_output_close(s, status == EXIT_DONE) < 0)
		status = EXIT_FAILED;
	if (status == EXIT_DONE && (s->loaded.n_failed || s->loaded.n_cut))
		status = EXIT_FAILED;
	if (status == EXIT_FAILED && s->to.is_refused)
		status = EXIT_USAGE;
	out_fini(&s->to.out);
	newfile_fini(&s->to.file);
	VEC_FREE(&s->in.paths.items);
	VEC_FREE(&s->sources.paths.items);
	VEC_FREE(&s->in.named.items);
	for (int i = 0; i < SELECT_KINDS; i++)
		VEC_FREE(&s->in.chosen[i].items);
	VEC_FREE(&s->loaded.input_ends);
	transform_fini(&s->change);
	category_cache_fini(&s->cats);
	dossier_free(s->dossier);
	return status;
}
