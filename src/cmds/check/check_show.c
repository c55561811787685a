/* SPDX-License-Identifier: MIT */
/* check_show.c - results of `assay check` as text and as JSON */
#include "cmds/check/check_show.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "cmds/run/session.h"
#include "cmds/show/show.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/strings.h"
#include "explain/claims/claim.h"
#include "explain/claims/claim_judge.h"
#include "render/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CHECK_MORE_DIGITS 4

/* Append a number with its unit: "12.3 %", "127.6 µs", "12000". @more: number of extra digits. */
static void check_number(double v, enum claim_unit unit, int more, struct out *out)
{
	static const struct {
		const char *name;
		double factor;
	} times[] = { { "s", 1e9 }, { "ms", 1e6 }, { "\u00b5s", 1e3 }, { "ns", 1 } };

	if (isinf(v)) {
		out_z(out, "unknown");
		return;
	}
	if (unit == CLAIM_PERCENT) {
		out_printf(out, "%.*f %%", (fabs(v) < 1 ? 3 : 2) + more, v);
		return;
	}
	for (size_t i = 0; unit == CLAIM_NS && i < ARRAY_LEN(times); i++) {
		if (fabs(v) >= times[i].factor || times[i].factor <= 1) {
			out_printf(out, "%.*g %s", 4 + more, v / times[i].factor, times[i].name);
			return;
		}
	}
	if (fabs(v) < 1e15 && (v == floor(v) || fabs(v) >= 1e6))
		out_printf(out, "%.0f", v);
	else
		out_printf(out, "%.6g", v);
}

/* Number of extra digits that the limits of an interval need, so that they differ in print. */
static int check_more(const struct claim_result *r)
{
	double step = r->unit == CLAIM_PERCENT ? fabs(r->low) < 1 ? 1e-3 : 1e-2
					       : pow(10, floor(log10(fabs(r->low))) - 3);
	int more = 0;

	if (r->unit == CLAIM_NUMBER || isinf(r->high) || !(r->low > 0))
		return 0;
	for (; more < CHECK_MORE_DIGITS && r->high - r->low < step; step /= 10)
		more++;
	return more;
}

void check_show_figure(const struct claim_result *r, struct out *out)
{
	if (!r->has_figure)
		return;
	check_number(r->value, r->unit, 0, out);
	if (r->of[0])
		out_printf(out, r->unit == CLAIM_NUMBER ? " %s" : " of %s", r->of);
	out_z(out, " (");
	if (r->low < r->high) {
		check_number(r->low, r->unit, check_more(r), out);
		out_z(out, " to ");
		check_number(r->high, r->unit, check_more(r), out);
	} else {
		out_z(out, "exact");
	}
	if (r->n_of && isnan(r->n))
		out_printf(out, ", %s", r->n_of);
	else if (r->n_of)
		out_printf(out, ", %.0f %.*s", r->n, (int)strlen(r->n_of) - (r->n == 1), r->n_of);
	out_char(out, ')');
}

void check_show_place(const struct dossier *d, const struct claim_result *r, struct out *out)
{
	const struct capture *c;

	if (r->capture == INDEX_NONE)
		return;
	c = d->captures.data[r->capture];
	out_str(out, strings_get(&d->strings, c->path));
	for (unsigned int i = 0; i < r->n_lines; i++)
		out_printf(out, "%s%u",
			   i                ? ", "
			   : r->n_lines > 1 ? " lines "
					    : " line ",
			   r->lines[i]);
}

static void check_json(struct show *s, const struct claim_result *r)
{
	static const char *const units[] = {
		[CLAIM_NUMBER] = "", [CLAIM_PERCENT] = "%", [CLAIM_NS] = "ns"
	};
	const struct capture *c =
		r->capture == INDEX_NONE ? NULL : s->session->dossier->captures.data[r->capture];

	view_field(s->v, "claim", NULL, cell_text(r->claim->text));
	view_field(s->v, "outcome", NULL,
		   cell_word(r->outcome == CLAIM_CANNOT_TELL ? "cannot-tell"
							     : claim_outcome_name(r->outcome)));
	if (r->has_figure) {
		view_field(s->v, "value", NULL, cell_real(r->value, -1));
		view_field(s->v, "low", NULL, cell_real(r->low, -1));
		view_field(s->v, "high", NULL,
			   isinf(r->high) ? cell_null() : cell_real(r->high, -1));
		view_field(s->v, "unit", NULL, cell_word(units[r->unit]));
		view_field(s->v, "of", NULL, r->of[0] ? cell_text(str_of(r->of)) : cell_none());
		view_field(s->v, "n", NULL, isnan(r->n) ? cell_null() : cell_real(r->n, -1));
		view_field(s->v, "n_of", NULL, r->n_of ? cell_word(r->n_of) : cell_none());
		view_field(s->v, "is_sampled", NULL, cell_bool(r->is_sampled));
	}
	if (c) {
		view_field(s->v, "capture", NULL, cell_count(r->capture + 1));
		view_field(s->v, "path", NULL, cell_text(show_string(s, c->path)));
		view_list(s->v, "lines");
		for (unsigned int i = 0; i < r->n_lines; i++)
			view_field(s->v, NULL, NULL, cell_line(r->lines[i]));
		view_list_end(s->v);
	}
	view_field(s->v, "note", NULL, r->why[0] ? cell_text(str_of(r->why)) : cell_none());
	view_field(s->v, "to_decide", NULL,
		   r->decide[0] ? cell_text(str_of(r->decide)) : cell_none());
}

static void check_text(struct show *s, const struct claim_result *r)
{
	static const char *const marks[] = { [CLAIM_TRUE] = "true:",
					     [CLAIM_FALSE] = "false:",
					     [CLAIM_CANNOT_TELL] = "cannot tell:" };
	struct out figure = { .fd = -1 };
	struct out place = { .fd = -1 };

	check_show_figure(r, &figure);
	check_show_place(s->session->dossier, r, &place);
	view_heading(s->v, str_of(marks[r->outcome]), STR_FMT, STR_ARG(r->claim->text));
	if (figure.len || place.len)
		view_line(s->v, NULL, STR_FMT "%s" STR_FMT, STR_ARG(out_view(&figure)),
			  figure.len && place.len ? ", " : "", STR_ARG(out_view(&place)));
	if (r->why[0])
		view_line(s->v, NULL, "%s", r->why);
	if (r->decide[0] && r->outcome == CLAIM_CANNOT_TELL)
		view_line(s->v, NULL, "To decide: %s", r->decide);
	out_fini(&figure);
	out_fini(&place);
}

static void check_sums(struct show *s, const struct check_report *report)
{
	size_t counts[3] = { 0, 0, 0 };
	bool has_chance = false;
	double alpha = CLAIM_ALPHA / (double)(report->n ? report->n : 1);

	for (size_t i = 0; i < report->n; i++) {
		counts[report->results[i].outcome]++;
		has_chance |= report->results[i].is_sampled;
	}
	view_field(s->v, "true", NULL, cell_count(counts[CLAIM_TRUE]));
	view_field(s->v, "false", NULL, cell_count(counts[CLAIM_FALSE]));
	view_field(s->v, "cannot_tell", NULL, cell_count(counts[CLAIM_CANNOT_TELL]));
	view_field(s->v, "alpha", NULL, cell_real(CLAIM_ALPHA, -1));
	view_field(s->v, "alpha_each", NULL, cell_real(alpha, -1));
	view_heading(s->v, STR("Claims:"), "%zu, %zu true, %zu false, %zu cannot tell", report->n,
		     counts[CLAIM_TRUE], counts[CLAIM_FALSE], counts[CLAIM_CANNOT_TELL]);
	if (has_chance && !report->is_recorded_only)
		view_line(s->v, NULL,
			  "Intervals are %.*g %%%s: a wrong true or false in at most 1 of 20 "
			  "recordings",
			  alpha < 1e-3 ? 6 : 4, 100 * (1 - alpha),
			  report->n > 1 ? " each, corrected for the number of claims" : "");
}

static int check_view(struct session *session, const struct check_report *report)
{
	CLEANUP(view_freep) struct view *v = session_view(session);
	struct show s = { .session = session, .v = v };

	if (!v)
		return EXIT_FAILED;
	view_begin(v, "assay-check-1");
	view_list(v, "claims");
	for (size_t i = 0; i < report->n; i++) {
		view_object(v, NULL, NULL);
		check_json(&s, &report->results[i]);
		check_text(&s, &report->results[i]);
		view_object_end(v);
	}
	view_list_end(v);
	check_sums(&s, report);
	return show_end(&s, EXIT_DONE);
}

int check_show(struct session *s, enum check_format format, const struct check_report *report)
{
	struct out *out;

	if (format == CHECK_TEXT || format == CHECK_JSON)
		return check_view(s, report);
	s->to.has_pager = false;
	out = session_open(s);
	if (!out)
		return EXIT_FAILED;
	if (format == CHECK_TAP)
		check_formats_tap(s->dossier, report, out);
	else if (format == CHECK_JUNIT)
		check_formats_junit(s->dossier, report, out);
	else
		check_formats_sarif(s->dossier, report, out);
	return EXIT_DONE;
}
