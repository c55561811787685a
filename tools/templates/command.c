/* SPDX-License-Identifier: MIT */
/* @SNAKE@.c - `assay @NAME@`: say here which question it answers */
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

DECLARE_CMD(@SNAKE@);

static int @SNAKE@_show(struct session *session)
{
	static const struct view_column columns[] = {
		{ "path", "File", COLUMN_FLEX },
		{ "first_line", "Line", 0 },
		{ "format", "Format", 0 },
		{ "samples", "Samples", 0 },
	};
	static const struct view_table table = { .key = "captures",
						 .columns = columns,
						 .n_columns = ARRAY_LEN(columns),
						 .is_main = true };
	CLEANUP(view_freep) struct view *v = session_view(session);
	struct show s = { .session = session, .v = v };

	if (!v)
		return EXIT_FAILED;
	view_begin(v, "assay-@NAME@-1");
	view_table(v, &table);
	VEC_FOREACH (c, &session->dossier->captures) {
		const struct profile *p = (*c)->profile;
		/* a text that show_*() makes is valid until arena_clear(&s.scratch) */
		struct cell cells[] = {
			cell_text(show_string(&s, (*c)->path)),
			cell_line((*c)->first_line),
			cell_word((*c)->format),
			/* a figure that a capture may lack: unknown is null, never 0 */
			p && p->has_n_samples ? cell_count(p->n_samples) : cell_null(),
		};

		view_row(v, cells);
	}
	view_table_end(v);
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
