/* SPDX-License-Identifier: MIT */
#include "cmds/capsule/capsule_reading.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "cmds/run/session.h"
#include "cmds/show/show.h"
#include "cmds/show/show_findings.h"
#include "core/dossier.h"
#include "explain/explain.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "formats/format.h"
#include "render/view.h"
#include "transform/transform.h"

#define CAPSULE_TEXT_COLUMNS 100u

void capsule_reading_options(struct session *s)
{
	s->in.wanted.inlines = true;
	s->change.finds_off_cpu = true;
	s->change.takes_trees = true;
	s->in.read.without = SAMPLE_TIME | SAMPLE_CPU | SAMPLE_THREAD;
}

void capsule_reading_make(const struct session *s, struct capsule_reading *ret)
{
	struct explain_options options = { .only = STR_NONE };

	*ret = (struct capsule_reading){ .facts = facts_new(s->dossier) };
	explain_run(ret->facts, &options, &ret->findings);
}

void capsule_reading_fini(struct capsule_reading *r)
{
	findings_fini(&r->findings);
	facts_free(r->facts);
}

void capsule_reading_text(struct session *s, const struct capsule_reading *r, bool is_json,
			  struct out *out)
{
	const struct text_options options = { .width = CAPSULE_TEXT_COLUMNS, .has_utf8 = true };
	CLEANUP(view_freep) struct view *v = is_json ? view_json(out) : view_text(out, &options);
	struct show show = { .session = s, .v = v, .is_verbose = true };

	view_begin(v, "assay-explain-1");
	show_findings_quality(&show);
	if (r->findings.rows.len == 0 && !show_few_checks(&show, &r->findings))
		view_heading(v, STR("No finding"), "%s", "");
	show_findings(&show, &r->findings, 0);
	show_unread(&show);
	show_checks(&show, &r->findings);
	(void)show_end(&show, EXIT_DONE);
}
