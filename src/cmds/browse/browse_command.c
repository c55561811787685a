/* SPDX-License-Identifier: MIT */
/* browse_command.c - make the command that prints the same as a view of the browser */
#include "base/out.h"
#include "base/str.h"
#include "base/text/shell.h"
#include "base/vec.h"
#include "cmds/browse.h"
#include "cmds/browse/browse_page.h"
#include "cmds/browse/browse_place.h"
#include "cmds/run/session.h"
#include "core/dossier.h"
#include "transform/select.h"

/* The value of the option --sort for a table whose rows are of the kind @by. */
static const char *browse_by_keys(enum browse_by by)
{
	static const char *const keys[BROWSE_BYS] = {
		"comm,dso,sym", "dso,sym", "comm", "dso", "category", "cpu",
	};

	return by < BROWSE_BYS ? keys[by] : "";
}

static void command_option(struct out *out, const char *option, const char *value)
{
	if (!value)
		return;
	out_printf(out, " --%s ", option);
	shell_word(out, str_of(value), false);
}

/* Append the names of the inputs, and the options that control how they are read. */
static void command_inputs(const struct browse_data *d, const struct browse_place *place,
			   struct out *out)
{
	const struct session *s = d->o->session;
	bool has_sources = place->view == BROWSE_ANNOTATE;

	if (s->in.wanted.inlines && place->view != BROWSE_FINDINGS && !has_sources)
		out_z(out, " --inline");
	if (s->in.wanted.debuginfod)
		out_z(out, " --debuginfod");
	command_option(out, "symfs", s->in.wanted.symfs);
	if (has_sources)
		command_option(out, "source", s->in.wanted.sources);
	else {
		command_option(out, "kallsyms", s->in.wanted.kallsyms);
		command_option(out, "vmlinux", s->in.wanted.vmlinux);
	}
	command_option(out, "as", s->in.as);
	if (s->in.is_raw)
		out_z(out, " --raw");
	for (unsigned int k = 0; k < SELECT_KINDS; k++) {
		const char *option = select_kind_name((enum select_kind)k);

		VEC_FOREACH (text, &s->in.chosen[k].items)
			command_option(out, option, *text);
		if (place->only[k].len)
			command_option(out, option, place->only[k].p);
	}
	VEC_FOREACH (path, &s->in.paths.items) {
		out_char(out, ' ');
		shell_word(out, str_of(*path), false);
	}
}

static void command_function(const struct browse_place *place, struct out *out)
{
	if (place->function.len) {
		out_z(out, " -S ");
		shell_word(out, place->function, false);
	}
}

void browse_command(const struct browse_data *d, const struct browse_place *place, struct out *out)
{
	out_z(out, "assay ");
	switch (place->view) {
	case BROWSE_FINDINGS:
		out_z(out, "explain");
		break;
	case BROWSE_TABLE:
		out_z(out, "report");
		if (place->is_by_self)
			out_z(out, " --no-children");
		if (place->by != BROWSE_BY_SYMBOL)
			command_option(out, "sort", browse_by_keys(place->by));
		break;
	case BROWSE_CALLERS:
		out_z(out, "report -g callee,0.1");
		command_function(place, out);
		break;
	case BROWSE_TREE:
		out_z(out, "report -g caller");
		break;
	case BROWSE_THREADS:
		out_z(out, "report --no-children --sort tid,comm");
		break;
	case BROWSE_ANNOTATE:
		out_z(out, place->is_whole ? "annotate -a" : "annotate");
		command_function(place, out);
		break;
	case BROWSE_FLAME:
		out_z(out, "flame --icicle -o flame.svg");
		break;
	case BROWSE_TIME:
		out_z(out, "html -o page.html");
		break;
	case BROWSE_DIFF:
		out_z(out, "diff");
		break;
	default:
		out_z(out, "report");
		break;
	}
	command_inputs(d, place, out);
}
