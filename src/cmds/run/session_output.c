/* SPDX-License-Identifier: MIT */
#include "cmds/run/session.h"

#include "analyses/waits/waits.h"
#include "base/command/args.h"
#include "base/files.h"
#include "base/newfile.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/outputs.h"
#include "cmds/run/session_parts.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/profile.h"
#include "formats/format.h"
#include "record/perf/record.h"
#include "render/terminal.h"
#include "render/view.h"
#include <errno.h>
#include <signal.h>
#include <unistd.h>

int session_open_output(struct session *s)
{
	struct args_list inputs = { VEC_INIT };
	struct error err = { "" };
	struct newfile_spec spec = { .path = s->to.path,
				     .kind = s->to.kind      ? s->to.kind
					     : s->to.is_json ? &output_json
					     : s->to.is_csv  ? &output_csv
							     : &output_text,
				     .is_forced = s->to.is_forced,
				     .is_private = s->to.kind == &record_kind };
	const char *input = NULL;
	int r = OK;

	session_input_list(s, &inputs);
	spec.inputs = inputs.items.data;
	spec.n_inputs = inputs.items.len;
	if (s->to.path) {
		r = newfile_open(&spec, &s->to.file, &err);
	} else {
		input = newfile_is_input(STDOUT_FILENO, spec.inputs, spec.n_inputs);
		if (input)
			r = fail(&err, ERR_USAGE, "standard output is also this input");
	}
	if (r < 0)
		complain(s->to.path ? s->to.path[0] ? s->to.path : NULL : input, "%s", err.msg);
	s->to.is_refused |= r == ERR_USAGE;
	VEC_FREE(&inputs.items);
	return r;
}

bool session_wants_pager(const struct session *s)
{
	return s->to.has_pager && !s->to.path && !s->to.is_json && !s->to.is_csv;
}

/* Start the pager, or ask the parent to start it if this process is confined. */
static struct pager session_pager(void)
{
	struct pager p = { 0, STDOUT_FILENO };

	if (!files_are_confined())
		return pager_start(STDOUT_FILENO);
	if (files_wish(FILES_PAGER, "", NULL, &p.fd)) {
		p.pid = -1;
		/*
		 * the user may quit the pager early: writing then fails, but must not kill this
		 * process
		 */
		(void)signal(SIGPIPE, SIG_IGN);
	}
	return p;
}

struct out *session_open(struct session *s)
{
	int fd = STDOUT_FILENO;

	if (s->to.path) {
		if (s->to.file.fd < 0 && session_open_output(s) < 0)
			return NULL;
		fd = s->to.file.fd;
	} else if (session_wants_pager(s)) {
		s->to.pager = session_pager();
		fd = s->to.pager.fd;
	}
	out_init_fd(&s->to.out, fd);
	return &s->to.out;
}

struct view *session_view(struct session *s)
{
	struct text_options opt;
	int fd;

	if (!session_open(s))
		return NULL;
	if (s->to.is_json)
		return view_json(&s->to.out);
	if (s->to.is_csv)
		return view_csv(&s->to.out);
	fd = s->to.path ? s->to.file.fd : STDOUT_FILENO;
	opt = terminal_options(fd, s->to.colour);
	if (s->to.is_wide && isatty(fd) != 1) {
		opt.width = 0;
	} else if (!opt.width) {
		unsigned int watched = terminal_pipe_columns(fd);

		opt.width = watched && watched < SESSION_PIPED_COLUMNS ? watched
								       : SESSION_PIPED_COLUMNS;
		opt.is_piped = true;
	}
	opt.packages = s->to.packages;
	return view_text(&s->to.out, &opt);
}

int session_place(struct session *s, bool is_complete)
{
	bool is_good = newfile_place(&s->to.file, is_complete);

	if (!is_good)
		complain(s->to.path, "cannot write the output: %s", strerror(errno));
	return is_good ? OK : ERR_IO;
}

int session_output_close(struct session *s, bool is_complete)
{
	struct error err = { "" };
	int r = out_finish(&s->to.out, &err);
	bool has_left = s->to.pager.pid && s->to.out.error == EPIPE;

	pager_finish(&s->to.pager);
	if (r < 0 && !has_left)
		complain(s->to.path, "%s", err.msg);
	if (has_left)
		r = OK;
	is_complete &= r == OK;
	if (!files_are_confined())
		return session_place(s, is_complete) < 0 ? ERR_IO : r;
	if (is_complete && s->to.path)
		files_announce(FILES_COMPLETE, "");
	return r;
}
