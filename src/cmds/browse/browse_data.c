/* SPDX-License-Identifier: MIT */
#include "cmds/browse/browse_place.h"

#include "base/arena.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/browse.h"
#include "cmds/run/session.h"
#include "cmds/show/evidence.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/symbols.h"
#include "explain/explain.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "transform/select.h"
#include "transform/transform.h"

#include <string.h>
#include <unistd.h>

void browse_data_init(struct browse_data *d, const struct browse_options *o)
{
	*d = (struct browse_data){ .o = o };
}

static void data_forget_findings(struct browse_data *d)
{
	if (!d->has_findings)
		return;
	findings_fini(&d->findings);
	memset(&d->findings, 0, sizeof(d->findings));
	facts_free(d->facts);
	d->facts = NULL;
	d->has_findings = false;
}

static void data_forget(struct browse_data *d, enum browse_source source)
{
	if (source == BROWSE_AS_EXPLAIN)
		data_forget_findings(d);
	if (d->sources[source].is_loaded)
		(void)session_finish(&d->sources[source].session, EXIT_DONE);
	d->sources[source].is_loaded = false;
}

void browse_data_fini(struct browse_data *d)
{
	for (unsigned int i = 0; i < BROWSE_SOURCES; i++)
		data_forget(d, (enum browse_source)i);
	arena_fini(&d->names);
}

struct str browse_data_keep(struct browse_data *d, struct str text)
{
	return arena_str(&d->names, text);
}

/* Copy the options of the command line into the new session @ret, and add the filters of @place. */
static int data_options(struct browse_data *d, const struct browse_place *place,
			struct session *ret, struct error *err)
{
	const struct session *from = d->o->session;
	int status = OK;

	session_init(ret);
	/*
	 * show no progress after the first page is drawn, because a progress line would overwrite
	 * it
	 */
	if (d->sources[BROWSE_AS_REPORT].is_loaded)
		ret->progress.fd = -1;
	VEC_APPEND(&ret->in.paths.items, from->in.paths.items.data, from->in.paths.items.len);
	ret->in.as = from->in.as;
	ret->in.is_raw = from->in.is_raw;
	ret->in.hint_for = from->in.hint_for;
	memcpy(ret->in.hint, from->in.hint, sizeof(ret->in.hint));
	ret->in.wanted = from->in.wanted;
	ret->to.colour = from->to.colour;
	for (unsigned int k = 0; k < SELECT_KINDS; k++) {
		VEC_FOREACH (text, &from->in.chosen[k].items) {
			*VEC_PUSH(&ret->in.chosen[k].items) = *text;
			if (status == OK)
				status = select_parse(&ret->change.select, (enum select_kind)k,
						      str_of(*text), err);
		}
		/* browse_data_keep() made this text, so a NUL follows it */
		if (place->only[k].len && status == OK) {
			*VEC_PUSH(&ret->in.chosen[k].items) = place->only[k].p;
			status = select_parse(&ret->change.select, (enum select_kind)k,
					      place->only[k], err);
		}
	}
	return status;
}

static bool data_is_current(const struct browse_data *d, const struct browse_place *place,
			    enum browse_source source)
{
	bool is_current = d->sources[source].is_loaded;

	for (unsigned int k = 0; k < SELECT_KINDS && is_current; k++)
		is_current = str_eq(d->sources[source].only[k], place->only[k]);
	if (source == BROWSE_AS_ANNOTATE && place->function.len)
		is_current = is_current && str_eq(d->code_of, place->function);
	return is_current;
}

static void data_settings(struct browse_data *d, const struct browse_place *place,
			  enum browse_source source, struct session *s)
{
	bool has_filters = !select_is_empty(&s->change.select);

	switch (source) {
	case BROWSE_AS_EXPLAIN: {
		bool has_inlines = s->in.wanted.inlines;

		session_for_findings(s);
		s->in.wanted.inlines |= has_inlines;
		break;
	}
	case BROWSE_AS_ANNOTATE:
		d->code_of = place->function;
		session_for_instructions(s, &d->code_of, d->code_of.len > 0, has_filters);
		break;
	default:
		s->change.drops_helpers = true;
		break;
	}
}

struct session *browse_data_get(struct browse_data *d, const struct browse_place *place,
				enum browse_source source, int *ret_status)
{
	struct session *s = &d->sources[source].session;
	struct error err = { "" };

	*ret_status = EXIT_DONE;
	if (data_is_current(d, place, source))
		return s;
	data_forget(d, source);
	if (data_options(d, place, s, &err) < 0) {
		complain(NULL, "%s; try 'assay browse --help'", err.msg);
		*ret_status = EXIT_USAGE;
		(void)session_finish(s, EXIT_DONE);
		return NULL;
	}
	data_settings(d, place, source, s);
	/*
	 * standard input may be an input; browse.c made it a file in memory, so it can be read
	 * again
	 */
	(void)lseek(STDIN_FILENO, 0, SEEK_SET);
	if (!session_read(s, ret_status) || s->dossier->captures.len == 0) {
		*ret_status = *ret_status ? *ret_status : EXIT_FAILED;
		(void)session_finish(s, EXIT_DONE);
		return NULL;
	}
	d->sources[source].is_loaded = true;
	d->generation++;
	for (unsigned int k = 0; k < SELECT_KINDS; k++)
		d->sources[source].only[k] = place->only[k];
	*ret_status = EXIT_DONE;
	return s;
}

const struct findings *browse_data_findings(struct browse_data *d, const struct browse_place *place)
{
	int status;
	struct session *s = browse_data_get(d, place, BROWSE_AS_EXPLAIN, &status);

	if (!s)
		return NULL;
	if (!d->has_findings) {
		d->facts = facts_new(s->dossier);
		explain_run(d->facts, NULL, &d->findings);
		evidence_quote(s->dossier, &d->findings);
		d->has_findings = true;
	}
	return &d->findings;
}

sym_id browse_place_symbol(const struct browse_place *place, const struct session *session)
{
	const struct symbols *symbols = &session->dossier->symbols;

	for (uint32_t i = 1; i < symbols->rows.len && place->function.len; i++) {
		sym_id id = { i };

		if (str_eq(symbols_name(symbols, id), place->function) &&
		    (!place->module.len || str_eq(symbols_module(symbols, id), place->module)))
			return id;
	}
	return SYM_ID_NONE;
}
