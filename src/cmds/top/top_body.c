/* SPDX-License-Identifier: MIT */
/* The scrolling part of the page: the table, callers and callees, findings, or help. */
#include "cmds/top/top_page.h"

#include "analyses/top/top.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/screen/profile_pages.h"
#include "cmds/show/show.h"
#include "cmds/show/show_findings.h"
#include "cmds/top.h"
#include "core/ids.h"
#include "core/symbols.h"
#include "render/view.h"
#include "transform/name_list.h"

#include <inttypes.h>
#include <strings.h>

static void body_keys(const struct top_page *p, struct top_spec *spec)
{
	static const enum top_key keys[TOP_GROUPS][2] = {
		[TOP_GROUP_SYMBOL] = { TOP_DSO, TOP_SYM },
		[TOP_GROUP_THREAD] = { TOP_TID, TOP_COMM },
		[TOP_GROUP_COMM] = { TOP_COMM, TOP_COMM },
		[TOP_GROUP_DSO] = { TOP_DSO, TOP_DSO },
		[TOP_GROUP_CATEGORY] = { TOP_CATEGORY, TOP_CATEGORY },
	};
	unsigned int group = p->choice.group;

	spec->keys[0].key = keys[group][0];
	spec->keys[1].key = keys[group][1];
	spec->n_keys = keys[group][0] == keys[group][1] ? 1 : 2;
}

/* Clear the rows of p->pages and prepare it for the current window. False: there are no samples. */
static bool body_begin(struct top_page *p)
{
	pages_clear(&p->pages);
	p->pages.session = p->session;
	p->pages.capture = p->capture;
	p->pages.width = p->text.width;
	return p->capture;
}

void top_table(struct top_page *p, struct view *v, uint64_t max)
{
	struct top_spec spec = { .sort_by_self = !p->choice.is_by_children };
	const struct str kind = out_view(&p->choice.inside_text);
	const struct page_table table = {
		.spec = &spec,
		.is_by_children = p->choice.is_by_children,
		.filter = out_view(&p->choice.filter.text),
		.max = max,
	};

	if (!body_begin(p))
		return;
	body_keys(p, &spec);
	if (p->choice.is_inside && p->choice.inside == TOP_GROUP_CATEGORY)
		spec.categories = (struct name_list){ &kind, 1 };
	pages_table(&p->pages, v, &table);
}

void top_detail(struct top_page *p, struct view *v, sym_id sym)
{
	if (body_begin(p))
		pages_callers(&p->pages, v, sym);
}

void top_findings(struct top_page *p, struct view *v)
{
	struct show show = { .session = p->session, .v = v };

	if (!p->capture)
		return;
	show_findings_quality(&show);
	if (p->findings.rows.len == 0)
		view_heading(v, STR("No finding"), "%s", "");
	show_findings(&show, &p->findings, 0);
	show_checks(&show, &p->findings);
	show_fini(&show);
}

void top_help(const struct top_page *p, struct view *v)
{
	view_heading(v, STR("What is shown"), "%s", "");
	view_line(v, "Window",
		  "samples of the last seconds (--window), read anew each time (-d): shares and "
		  "findings are of these alone");
	view_line(v, "lost", "records for which a buffer had no room");
	view_line(v, "assay",
		  "processor time of both its processes; that of the kernel for "
		  "taking samples is not in it");
	if (!p->o->result || p->o->result->notes.len == 0)
		return;
	view_heading(v, STR("What it cannot contain"), "%s", "");
	VEC_FOREACH (note, &p->o->result->notes)
		view_line(v, NULL, "- %s", *note);
}
