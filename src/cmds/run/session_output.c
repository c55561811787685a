/* SPDX-License-Identifier: MIT */
#include "cmds/run/session.h"

#include "analyses/waits/waits.h"
#include "base/command/args.h"
#include "base/command/progress.h"
#include "base/files.h"
#include "base/newfile.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/run/outputs.h"
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
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
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
		else if (s->to.is_opened)
			r = fail(&err, ERR_USAGE, "--open needs a file: -o FILE");
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

/* Open the file of -o in the program that the desktop has for it. */
static int session_show_file(const char *path)
{
	char *whole = realpath(path, NULL);
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		(void)execlp("xdg-open", "xdg-open", whole ? whole : path, (char *)NULL);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	free(whole);
	if (pid > 0 && status == 0)
		return OK;
	complain(path, "xdg-open cannot open the file%s",
		 WIFEXITED(status) && WEXITSTATUS(status) == 127 ? ": it is not installed" : "");
	return ERR_IO;
}

int session_place(struct session *s, bool is_complete)
{
	struct stat st = { .st_size = 0 };
	bool is_new =
		is_complete && s->to.path && fstat(s->to.file.fd, &st) == 0 && S_ISREG(st.st_mode);
	char size[32];

	if (!newfile_place(&s->to.file, is_complete)) {
		complain(s->to.path, "cannot write the output: %s", strerror(errno));
		return ERR_IO;
	}
	progress_amount(size, sizeof(size), (double)st.st_size);
	if (is_new && isatty(STDERR_FILENO) == 1)
		complain(NULL, "wrote %s (%s)", s->to.path, size);
	return is_new && s->to.is_opened ? session_show_file(s->to.path) : OK;
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
