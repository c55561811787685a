/* SPDX-License-Identifier: MIT */
/* @SNAKE@.c - `assay @NAME@`: describe the question that it answers here */
#include "base/command/args.h"
#include "base/status.h"
#include "base/vec.h"
#include "cmds/run/cmd.h"
#include "cmds/run/session.h"
#include "cmds/show/show.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/profile.h"
#include "render/view.h"

static int @SNAKE@_show(struct session *session)
{
	CLEANUP(view_freep) struct view *v = session_view(session);
	struct show s = { .session = session, .v = v };

	if (!v)
		return EXIT_FAILED;
	view_begin(v, "assay-@NAME@-1");
	view_list(v, "captures");
	VEC_FOREACH (c, &session->dossier->captures) {
		view_object(v, NULL, NULL);
		view_field(v, "path", "File", cell_text(show_string(&s, (*c)->path)));
		view_field(v, "first_line", "Line", cell_line((*c)->first_line));
		view_field(v, "format", "Format", cell_word((*c)->format));
		/* a figure that a capture may lack: unknown is null, never 0 */
		if ((*c)->profile)
			view_field(v, "samples", "Samples",
				   (*c)->profile->has_n_samples ?
					   cell_count((*c)->profile->n_samples) :
					   cell_null());
		view_object_end(v);
	}
	view_list_end(v);
	return show_end(&s, EXIT_DONE);
}

static int @SNAKE@_run(int argc, char **argv)
{
	struct session s;
	struct args_option options[] = {
		SESSION_JSON(&s),
		SESSION_OPTIONS(&s),
		ARGS_END,
	};
	struct args_spec spec = {
		.command = "assay @NAME@",
		.operands = "FILE...",
		.summary = "Say here what it answers.",
		.options = options,
	};
	int status;

	session_init(&s);
	if (session_parse(&s, &spec, argc, argv, &status) && session_load(&s, &spec, &status) &&
	    s.dossier->inputs.len)
		status = @SNAKE@_show(&s);
	return session_finish(&s, status);
}

const struct cmd cmd_@SNAKE@ = {
	.name = "@NAME@",
	.summary = "say here what it answers",
	.run = @SNAKE@_run,
};
