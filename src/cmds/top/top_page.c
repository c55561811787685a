/* SPDX-License-Identifier: MIT */
#include "cmds/top/top_page.h"

#include "analyses/categories.h"
#include "analyses/quality/quality.h"
#include "analyses/top/top.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/run/session.h"
#include "cmds/show/show.h"
#include "cmds/show/show_findings.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/strings.h"
#include "document/document.h"
#include "explain/explain.h"
#include "explain/facts.h"
#include "formats/format.h"
#include "formats/load.h"
#include "record/window/window.h"
#include "render/view.h"
#include "symbols/resolver/resolver_cache.h"
#include "transform/select.h"
#include "transform/transform.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

DECLARE_FORMAT(perf_data);

void top_page_init(struct top_page *p, struct session *s, const struct top_options *o)
{
	*p = (struct top_page){ .session = s,
				.o = o,
				.cache = resolver_cache_new(),
				.choice = { .group = o->group,
					    .is_by_children = o->is_sorted_by_children,
					    .filter = SCREEN_PROMPT_NONE,
					    .inside_text = { .fd = -1 } },
				.cost_pct = NAN };
}

static void page_clear(struct top_page *p)
{
	struct session *s = p->session;

	findings_fini(&p->findings);
	memset(&p->findings, 0, sizeof(p->findings));
	if (p->facts)
		facts_free(p->facts);
	p->facts = NULL;
	p->capture = NULL;
	category_cache_fini(&s->cats);
	memset(&s->cats, 0, sizeof(s->cats));
	dossier_free(s->dossier);
	s->dossier = NULL;
	pages_clear(&p->pages);
}

void top_page_fini(struct top_page *p)
{
	page_clear(p);
	resolver_cache_free(p->cache);
	screen_prompt_fini(&p->choice.filter);
	out_fini(&p->choice.inside_text);
	pages_fini(&p->pages);
}

/* Update p->cost_pct, a moving average of assay's own CPU use. */
static void page_cost(struct top_page *p)
{
	struct timespec t;
	uint64_t cpu_ns = p->status.cpu_ns;
	uint64_t at_ns = p->status.at_ns;
	double now;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	cpu_ns += (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	/* while the recording is paused, no samples are read, so keep the average */
	if (p->status.is_paused)
		return;
	if (p->cost_at_ns && at_ns > p->cost_at_ns && cpu_ns >= p->cost_cpu_ns) {
		now = 100.0 * (double)(cpu_ns - p->cost_cpu_ns) / (double)(at_ns - p->cost_at_ns);
		p->cost_pct = isnan(p->cost_pct) ? now : (p->cost_pct * 3 + now) / 4;
	}
	p->cost_at_ns = at_ns;
	p->cost_cpu_ns = cpu_ns;
}

/*
 * If the user opened a row, keep only its samples. Shares in the table and in findings are then
 * relative to these samples.
 */
static int page_select(struct top_page *p)
{
	struct session *s = p->session;
	struct select_spec spec = { .is_relative = true };
	struct select_result result;
	struct out text = { .fd = -1 };
	struct capture *c = s->dossier->captures.data[0];
	enum select_kind kind = p->choice.inside == TOP_GROUP_DSO      ? SELECT_DSO
				: p->choice.inside == TOP_GROUP_THREAD ? SELECT_TID
								       : SELECT_COMM;

	int status = OK;

	p->of = p->kept = 0;
	s->change.select.is_relative = true;
	if (!select_is_empty(&s->change.select)) {
		status = select_apply(c, &s->change.select, NULL, &result, &p->why);
		p->of = result.of;
		p->kept = result.kept;
	}
	if (status < 0 || !p->choice.is_inside || p->choice.inside == TOP_GROUP_CATEGORY)
		return status;
	if (kind == SELECT_TID)
		out_u64(&text, p->choice.inside_tid);
	else
		out_str(&text, out_view(&p->choice.inside_text));
	status = select_parse(&spec, kind, out_view(&text), &p->why);
	if (status == OK) {
		status = select_apply(c, &spec, NULL, &result, &p->why);
		p->of = p->of ? p->of : result.of;
		p->kept = result.kept;
	}
	select_fini(&spec);
	out_fini(&text);
	return status;
}

void top_page_load(struct top_page *p, struct str image, const struct top_status *status)
{
	struct session *s = p->session;
	const struct load_options options = {
		.only = &format_perf_data,
		.is_raw = true,
		.read = { .without = SAMPLE_TIME | SAMPLE_CPU },
	};
	const struct document_options raw = { .is_raw = true };
	struct document *doc = NULL;

	page_clear(p);
	p->status = *status;
	p->why.msg[0] = '\0';
	s->dossier = dossier_new();
	s->dossier->wanted = s->in.wanted;
	s->dossier->wanted.loaded = p->cache;
	s->dossier->wanted.is_here = true;
	if (status->window.samples && document_from_memory(image, &raw, &doc, &p->why) == OK) {
		if (load_document(s->dossier, doc, "", &options, &p->why) == OK &&
		    s->dossier->captures.len) {
			p->capture = page_select(p) == OK ? s->dossier->captures.data[0] : NULL;
		}
		document_free(doc);
	}
	resolver_cache_age(p->cache);
	if (p->capture) {
		p->facts = facts_new(s->dossier);
		explain_run(p->facts, NULL, &p->findings);
	}
	page_cost(p);
}

const char *top_group_name(unsigned int group)
{
	static const char *const names[TOP_GROUPS] = { "symbol", "thread", "comm", "dso", "kind" };

	return group < TOP_GROUPS ? names[group] : "";
}

/* Format a number; from 10000 on, with groups of three digits: "12,345". */
static void page_count(struct out *out, uint64_t v)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, v);

	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0 && v >= 10000)
			out_char(out, ',');
		out_char(out, digits[i]);
	}
}

static void head_what(struct top_page *p, struct out *out)
{
	const struct top_status *st = &p->status;
	struct str event =
		p->capture ? strings_get(&p->session->dossier->strings, p->capture->profile->event)
			   : STR("");

	if (st->has_ended)
		out_z(out, "ENDED  ");
	else if (st->is_paused)
		out_z(out, "PAUSED  ");
	page_count(out, st->window.samples);
	out_z(out, st->window.samples == 1 ? " sample" : " samples");
	if (event.len)
		out_printf(out, " of " STR_FMT, STR_ARG(event));
	out_printf(out, " in %.1f s", (double)st->window.held_ns / 1e9);
	if (st->window.is_short)
		out_z(out, " (no room for more)");
	if (st->frequency)
		out_printf(out, ", %" PRIu64 " Hz", st->frequency);
	out_printf(out, ", %" PRIu32 " CPU%s, %s\n", st->cpus, st->cpus == 1 ? "" : "s",
		   p->o->target);
}

static void head_where(struct top_page *p, struct out *out)
{
	struct top_summary sum;
	struct error err;

	if (!p->capture || top_summarise(p->capture, &p->session->cats, &sum, &err) < 0) {
		out_printf(out, "%s\n",
			   p->why.msg[0] ? p->why.msg
					 : "nothing ran, or it was not there to be sampled");
		return;
	}
	out_printf(out, "user %.1f %%, kernel %.1f %% (idle %.1f %%), without a name %.1f %%\n",
		   sum.user.pct, sum.kernel.pct, sum.idle.pct, sum.unsymbolised.pct);
}

static void head_health(struct top_page *p, struct out *out)
{
	const struct top_status *st = &p->status;

	out_printf(out, "%" PRIu64 " lost", st->window.lost);
	if (st->lost != st->window.lost)
		out_printf(out, " (%" PRIu64 " since the start)", st->lost);
	out_printf(out, ", %" PRIu64 " throttled", st->window.throttled);
	if (!isnan(p->cost_pct))
		out_printf(out, ", assay itself %.1f %% of a CPU", p->cost_pct);
	out_z(out, "\n");
}

static void head_quality(struct top_page *p, struct out *out)
{
	struct quality q;
	bool is_reported = false;

	if (!p->capture)
		return;
	quality_of(p->capture, &p->session->cats, &q);
	out_printf(out, "%s",
		   q.verdict == QUALITY_CANNOT_TELL ? "cannot tell"
						    : quality_verdict_name(q.verdict));
	VEC_FOREACH (r, &q.reasons) {
		if (is_reported || r->severity == QUALITY_INFO)
			continue;
		out_printf(out, ": " STR_FMT, STR_ARG(r->sentence));
		is_reported = true;
	}
	out_char(out, '\n');
	quality_fini(&q);
}

static void head_finding(struct top_page *p, struct out *out)
{
	const struct findings *f = &p->findings;

	if (!p->capture)
		return;
	if (f->rows.len == 0) {
		out_printf(out, "no finding: %zu checks are clean\n", f->clean.len);
		return;
	}
	out_printf(out, "%s: " STR_FMT, finding_severity_name(f->rows.data[0].severity),
		   STR_ARG(f->rows.data[0].claim));
	if (f->rows.len > 1)
		out_printf(out, " (and %zu more)", f->rows.len - 1);
	out_char(out, '\n');
}

static void head_choice(struct top_page *p, struct out *out)
{
	const struct top_choice *c = &p->choice;

	if (!c->is_inside && !c->filter.text.len && !p->of)
		return;
	out_z(out, "only");
	if (c->is_inside)
		out_printf(out, " %s " STR_FMT, top_group_name(c->inside),
			   STR_ARG(out_view(&c->inside_text)));
	if (c->filter.text.len)
		out_printf(out, "%s rows with '" STR_FMT "'", c->is_inside ? "," : "",
			   STR_ARG(out_view(&c->filter.text)));
	if (p->of) {
		out_z(out, c->is_inside || c->filter.text.len ? ": " : " ");
		page_count(out, p->kept);
		out_z(out, " of ");
		page_count(out, p->of);
		out_z(out, " samples, of which shares are");
	}
	out_char(out, '\n');
}

/* The lines at the top of a page, in order. */
static const struct head_part {
	/* label of the line if --batch prints it; NULL: --batch omits the line */
	const char *title;
	const char *word; /* label of the line on the screen; "": none */
	void (*write)(struct top_page *p, struct out *out);
} head_parts[] = {
	{ "What", "", head_what },   { "Where", "", head_where },
	{ "Lost", "", head_health }, { "Data", "data: ", head_quality },
	{ NULL, "", head_finding },  { "Shown", "", head_choice },
};

void top_head(struct top_page *p, struct out *out)
{
	if (!p->status.at_ns) {
		out_printf(out, "sampling begins: %s\n", p->o->target);
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(head_parts); i++) {
		struct out line;

		out_init(&line);
		head_parts[i].write(p, &line);
		if (line.len)
			out_printf(out, "%s" STR_FMT, head_parts[i].word, STR_ARG(out_view(&line)));
		out_fini(&line);
	}
}

static void print_fields(struct top_page *p, struct view *v)
{
	const struct top_status *st = &p->status;

	view_object(v, "window", NULL);
	view_field(v, "seconds", NULL, cell_real((double)st->window.held_ns / 1e9, 3));
	view_field(v, "samples", NULL, cell_count(st->window.samples));
	view_field(v, "lost", NULL, cell_count(st->window.lost));
	view_field(v, "throttled", NULL, cell_count(st->window.throttled));
	view_field(v, "bytes", NULL, cell_count(st->window.bytes));
	view_field(v, "is_short", NULL, cell_bool(st->window.is_short));
	view_object_end(v);
	view_field(v, "frequency", NULL, cell_count(st->frequency));
	view_field(v, "cpus", NULL, cell_count(st->cpus));
	view_field(v, "lost_since_start", NULL, cell_count(st->lost));
	view_field(v, "cost", NULL, cell_real(p->cost_pct, -1));
	view_field(v, "has_ended", NULL, cell_bool(st->has_ended));
}

void top_print(struct top_page *p, struct view *v)
{
	struct show show = { .session = p->session, .v = v, .is_brief = true };

	for (size_t i = 0; i < ARRAY_LEN(head_parts); i++) {
		struct out line;

		out_init(&line);
		if (head_parts[i].title)
			head_parts[i].write(p, &line);
		if (line.len)
			view_line(v, head_parts[i].title, "%.*s", (int)line.len - 1, line.data);
		out_fini(&line);
	}
	print_fields(p, v);
	if (p->capture) {
		top_table(p, v, p->o->rows);
		if (p->findings.rows.len)
			view_heading(v, STR("What is wrong"), "%s", "");
		show_findings(&show, &p->findings, 0);
	}
	show_fini(&show);
}
