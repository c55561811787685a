/* SPDX-License-Identifier: MIT */
#include "cmds/capsule/capsule_cut.h"

#include "base/arena.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "document/document.h"
#include "explain/findings.h"

/* Whether a finding is about the capture with the index @number, or about all captures. */
static bool cut_is_needed(const struct findings *f, uint32_t number)
{
	VEC_FOREACH (row, &f->rows) {
		if (row->capture == number || row->capture == INDEX_NONE)
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

/* The region of @in that contains @line and became a capture; NULL: none. */
static const struct dossier_region *cut_region(const struct dossier_input *in, uint32_t line)
{
	VEC_FOREACH (r, &in->regions) {
		if (r->capture != INDEX_NONE && line >= r->first_line && line <= r->last_line)
			return r;
	}
	return NULL;
}

struct str capsule_cut(const struct findings *f, const struct dossier_input *in,
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
		 * replace a group of omitted lines by a blank line, which separates the parts
		 * before and after it
		 */
		if (!r || cut_is_needed(f, r->capture) || cut_is_cited(f, in, original))
			out_str(&out, line);
		else if (out.len > 1 && out.data[out.len - 2] == '\n')
			continue;
		out_char(&out, '\n');
	}
	kept = arena_str(arena, out_view(&out));
	out_fini(&out);
	return kept;
}
