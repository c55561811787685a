/* SPDX-License-Identifier: MIT */
/*
 * convert.c - `assay convert`: captures in another form
 *
 * folded (and whatever formats can write) come from the format; json and csv are
 * the model itself, table by table.
 */
#include "cmds/cmd.h"
#include "cmds/show_model.h"

struct convert {
	struct session s;
	const char *to;
	uint64_t only; /* capture, from 1; 0: all */
};

static bool convert_wants(const struct convert *c, uint32_t capture)
{
	const struct capture *one = c->s.dossier->captures.data[capture];

	return c->only ? c->only == capture + 1 : one->excerpt_of == INDEX_NONE;
}

static int convert_model(struct convert *c)
{
	CLEANUP(view_freep) struct view *v = session_view(&c->s);
	struct show s = { .session = &c->s, .v = v };
	struct error err = { "" };
	int status = EXIT_DONE;

	if (!v)
		return EXIT_FAILED;
	view_begin(v, "assay-convert-1");
	view_list(v, "captures");
	for (uint32_t i = 0; i < c->s.dossier->captures.len; i++) {
		if (convert_wants(c, i))
			show_model(&s, i);
	}
	view_list_end(v);
	if (view_end(v, &err) < 0)
		status = EXIT_FAILED;
	arena_fini(&s.scratch);
	return status;
}

/* Captures that the format cannot hold are told and left out. */
static int convert_format(struct convert *c, const struct format *format)
{
	struct out *out = session_open(&c->s);
	struct error err = { "" };
	unsigned int written = 0;

	if (!out)
		return EXIT_FAILED;
	for (uint32_t i = 0; i < c->s.dossier->captures.len; i++) {
		const struct capture *one = c->s.dossier->captures.data[i];
		const char *path = strings_get(&c->s.dossier->strings, one->path).p;

		if (!convert_wants(c, i))
			continue;
		if (format->write(one, out, &err) < 0)
			complain(path, "%s of line %u: %s", one->format, one->first_line, err.msg);
		else
			written++;
	}
	return written ? EXIT_DONE : EXIT_FAILED;
}

static void convert_unknown(const struct convert *c)
{
	struct out known = { .fd = -1 };

	for (const struct format *const *f = formats; *f; f++) {
		if ((*f)->write)
			out_printf(&known, "%s, ", (*f)->name);
	}
	if (!c->to)
		complain(NULL, "--to says what to write: " STR_FMT "json or csv",
			 STR_ARG(out_view(&known)));
	else
		complain(NULL, "--to knows " STR_FMT "json and csv, not '%s'",
			 STR_ARG(out_view(&known)), c->to);
	out_fini(&known);
}

/* Finds what --to means; false and a sentence if it means nothing. */
static bool convert_target(struct convert *c, const struct format **ret)
{
	struct str to = str_of(c->to);

	*ret = c->to ? format_find(to) : NULL;
	c->s.is_json = str_eq(to, STR("json"));
	c->s.is_csv = str_eq(to, STR("csv"));
	if (c->s.is_json || c->s.is_csv || (*ret && (*ret)->write))
		return true;
	convert_unknown(c);
	return false;
}

static int convert_run(int argc, char **argv)
{
	struct convert c = { .to = NULL };
	const struct format *format = NULL;
	struct args_option options[] = {
		{ "to", 't', ARGS_TEXT, "FORMAT",
		  "folded, json (the whole model) or csv (its rows)", NULL, &c.to },
		{ "capture", 0, ARGS_COUNT, "N", "only the Nth capture, as assay info counts them",
		  NULL, &c.only },
		ARGS_HEADING("which samples"),
		SESSION_CHOICE(&c.s),
		SESSION_LEAVES(&c.s),
		SESSION_SYMBOLS(&c.s),
		SESSION_OPTIONS(&c.s),
		ARGS_END,
	};
	struct args_spec spec = {
		.command = "assay convert",
		.operands = "--to FORMAT FILE...",
		.summary = "Captures in another form.",
		.options = options,
		.tail = "example:\n  assay convert --to folded mail.txt | flamegraph.pl >mail.svg",
	};
	int status;

	session_init(&c.s);
	c.s.select.is_relative = true;
	if (!session_parse(&c.s, &spec, argc, argv, &status))
		return session_finish(&c.s, status);
	if (!convert_target(&c, &format))
		return session_finish(&c.s, EXIT_USAGE);
	if (!session_load(&c.s, &spec, &status) || c.s.dossier->captures.len == 0)
		return session_finish(&c.s, status);
	if (c.only > c.s.dossier->captures.len) {
		complain(NULL, "there are %zu captures, not %llu", c.s.dossier->captures.len,
			 (unsigned long long)c.only);
		return session_finish(&c.s, EXIT_FAILED);
	}
	status = format && !c.s.is_json && !c.s.is_csv ? convert_format(&c, format)
						       : convert_model(&c);
	return session_finish(&c.s, status);
}

const struct cmd cmd_convert = {
	.name = "convert",
	.summary = "captures as folded stacks, JSON or CSV",
	.run = convert_run,
};
