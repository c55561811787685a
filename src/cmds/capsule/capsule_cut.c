/* SPDX-License-Identifier: MIT */
#include "cmds/capsule/capsule_cut.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "document/document.h"
#include "explain/findings.h"

/*
 * Whether @place is in the lines of @in from which the capture @number was read. A place without a
 * line number is in all captures of its input.
 */
static bool cut_is_in(const struct dossier_input *in, uint32_t number,
		      const struct finding_evidence *place)
{
	if (place->path.v != in->path.v)
		return false;
	VEC_FOREACH (r, &in->regions) {
		if (r->capture == number &&
		    (!place->line || (place->line >= r->first_line && place->line <= r->last_line)))
			return true;
	}
	return false;
}

/* Whether @f is about several captures and cites a line of the capture @number. */
static bool cut_is_shared(const struct finding *f, const struct dossier *d, uint32_t number)
{
	if (f->capture != INDEX_NONE)
		return false;
	VEC_FOREACH (in, &d->inputs) {
		VEC_FOREACH (e, &f->evidence) {
			if (cut_is_in(in, number, e))
				return true;
		}
	}
	return false;
}

/* Whether a finding is about the capture @number or cites it. */
static bool cut_is_needed(const struct findings *f, const struct dossier *d, uint32_t number)
{
	VEC_FOREACH (row, &f->rows) {
		if (row->capture == number || cut_is_shared(row, d, number))
			return true;
		VEC_FOREACH (also, &row->also) {
			if (also->capture == number)
				return true;
		}
	}
	return false;
}

/* Whether a finding cites @line of the input @in. */
static bool cut_is_cited(const struct findings *f, const struct dossier_input *in, uint32_t line)
{
	VEC_FOREACH (row, &f->rows) {
		VEC_FOREACH (e, &row->evidence) {
			if (e->line == line && e->path.v == in->path.v)
				return true;
		}
	}
	return false;
}

/* The region of @in that has @line and was read as a capture; NULL: there is none. */
static const struct dossier_region *cut_region(const struct dossier_input *in, uint32_t line)
{
	VEC_FOREACH (r, &in->regions) {
		if (r->capture != INDEX_NONE && line >= r->first_line && line <= r->last_line)
			return r;
	}
	return NULL;
}

void capsule_plan_init(struct capsule_plan *p, const struct findings *f, const struct dossier *d)
{
	size_t n = d->captures.len;

	*p = (struct capsule_plan){ .findings = f, .n = n };
	p->keeps = xcalloc(n + 1, sizeof(*p->keeps));
	for (size_t i = 0; i < n; i++)
		p->keeps[i] = cut_is_needed(f, d, (uint32_t)i);
}

void capsule_plan_fini(struct capsule_plan *p)
{
	free(p->keeps);
	*p = (struct capsule_plan){ .findings = NULL };
}

size_t capsule_plan_count(const struct capsule_plan *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		n += !p->keeps[i];
	return n;
}

bool capsule_plan_drops(const struct capsule_plan *p, const struct dossier_input *in)
{
	bool has_capture = false;

	VEC_FOREACH (r, &in->regions) {
		if (r->capture == INDEX_NONE)
			continue;
		if (p->keeps[r->capture])
			return false;
		has_capture = true;
	}
	VEC_FOREACH (row, &p->findings->rows) {
		VEC_FOREACH (e, &row->evidence) {
			if (e->path.v == in->path.v)
				return false;
		}
	}
	return has_capture;
}

struct str capsule_cut(const struct capsule_plan *p, const struct dossier_input *in,
		       const struct document *doc, struct arena *arena)
{
	struct str rest = doc->text;
	struct str line;
	struct str kept;
	struct out out;

	out_init(&out);
	for (uint32_t n = 1; str_line(&rest, &line); n++) {
		uint32_t original = document_line(doc, n);
		const struct dossier_region *r = cut_region(in, original);

		/*
		 * one blank line replaces consecutive omitted lines, so that the parts before and
		 * after them stay separate
		 */
		if (!r || p->keeps[r->capture] || cut_is_cited(p->findings, in, original))
			out_str(&out, line);
		else if (out.len > 1 && out.data[out.len - 2] == '\n')
			continue;
		out_char(&out, '\n');
	}
	kept = arena_str(arena, out_view(&out));
	out_fini(&out);
	return kept;
}
