/* SPDX-License-Identifier: MIT */
/*
 * check_formats.c - results of `assay check` for test harnesses and CI
 *
 * TAP 13 (https://testanything.org/tap-version-13-specification.html): an inconclusive claim is a
 * skipped test.
 *
 * JUnit XML, as Jenkins and GitLab read it: a false claim is a failure, and an inconclusive claim
 * is a skipped test.
 *
 * SARIF: there is one rule for false claims and one for inconclusive claims. The results of both
 * rules have the level "warning".
 */
#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "cmds/check/check_show.h"
#include "cmds/show/sarif.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/strings.h"
#include "explain/claims/claim.h"
#include "explain/claims/claim_judge.h"
#include "render/escape.h"

/*
 * Append, in one line, the figure that the claim is about, its place, and the reason for the
 * result. For an inconclusive claim, also append which data would decide it.
 */
static void check_sentence(const struct dossier *d, const struct claim_result *r, struct out *out)
{
	check_show_figure(r, out);
	if (r->capture != INDEX_NONE) {
		out_z(out, out->len ? ", " : "");
		check_show_place(d, r, out);
	}
	if (r->why[0])
		out_printf(out, "%s%s", out->len ? "; " : "", r->why);
	if (r->decide[0] && r->outcome == CLAIM_CANNOT_TELL)
		out_printf(out, "; to decide: %s", r->decide);
}

/*
 * Append a text from an input to TAP output, escaped. This includes '#', because it begins a
 * directive in TAP.
 */
static void check_tap_text(struct str text, struct out *out)
{
	struct out safe = { .fd = -1 };

	escape_text(&safe, text);
	for (size_t i = 0; i < safe.len; i++) {
		if (safe.data[i] == '#')
			out_char(out, '\\');
		out_char(out, safe.data[i]);
	}
	out_fini(&safe);
}

static void check_xml(struct str text, struct out *out)
{
	struct out safe = { .fd = -1 };

	escape_text(&safe, text);
	for (size_t i = 0; i < safe.len; i++) {
		char c = safe.data[i];

		if (c == '&')
			out_z(out, "&amp;");
		else if (c == '<')
			out_z(out, "&lt;");
		else if (c == '>')
			out_z(out, "&gt;");
		else if (c == '"')
			out_z(out, "&quot;");
		else
			out_char(out, c);
	}
	out_fini(&safe);
}

void check_formats_tap(const struct dossier *d, const struct check_report *report, struct out *out)
{
	out_printf(out, "TAP version 13\n1..%zu\n", report->n);
	for (size_t i = 0; i < report->n; i++) {
		const struct claim_result *r = &report->results[i];
		struct out sentence = { .fd = -1 };

		check_sentence(d, r, &sentence);
		out_printf(out, "%s %zu - ", r->outcome == CLAIM_FALSE ? "not ok" : "ok", i + 1);
		check_tap_text(r->claim->text, out);
		if (r->outcome == CLAIM_CANNOT_TELL)
			out_z(out, " # SKIP cannot tell");
		out_z(out, "\n# ");
		check_tap_text(out_view(&sentence), out);
		out_char(out, '\n');
		out_fini(&sentence);
	}
}

static size_t check_count(const struct check_report *report, enum claim_outcome outcome)
{
	size_t n = 0;

	for (size_t i = 0; i < report->n; i++)
		n += report->results[i].outcome == outcome;
	return n;
}

void check_formats_junit(const struct dossier *d, const struct check_report *report,
			 struct out *out)
{
	out_printf(out,
		   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"assay check\" "
		   "tests=\"%zu\" failures=\"%zu\" skipped=\"%zu\">\n",
		   report->n, check_count(report, CLAIM_FALSE),
		   check_count(report, CLAIM_CANNOT_TELL));
	for (size_t i = 0; i < report->n; i++) {
		const struct claim_result *r = &report->results[i];
		const char *element = r->outcome == CLAIM_FALSE         ? "failure"
				      : r->outcome == CLAIM_CANNOT_TELL ? "skipped"
									: NULL;
		struct out sentence = { .fd = -1 };

		check_sentence(d, r, &sentence);
		out_z(out, "  <testcase classname=\"claims\" name=\"");
		check_xml(r->claim->text, out);
		out_z(out, "\">");
		if (element) {
			out_printf(out, "<%s message=\"", element);
			check_xml(out_view(&sentence), out);
			out_z(out, "\"/>");
		} else {
			out_z(out, "<system-out>");
			check_xml(out_view(&sentence), out);
			out_z(out, "</system-out>");
		}
		out_z(out, "</testcase>\n");
		out_fini(&sentence);
	}
	out_z(out, "</testsuite>\n");
}

/* Append a SARIF result for each claim that is false or inconclusive. */
void check_formats_sarif(const struct dossier *d, const struct check_report *report,
			 struct out *out)
{
	static const struct sarif_rule reported[] = {
		{ "claim-false", "A claim about the recording is false" },
		{ "claim-undecided", "The recording cannot decide a claim" },
	};
	struct sarif_place *places = xcalloc(report->n + 1, sizeof(*places));
	struct out *texts = xcalloc(report->n + 1, sizeof(*texts));
	size_t n = 0;

	for (size_t i = 0; i < report->n; i++) {
		const struct claim_result *r = &report->results[i];
		uint32_t capture = r->capture == INDEX_NONE ? 0 : r->capture;

		if (r->outcome == CLAIM_TRUE)
			continue;
		texts[n].fd = -1;
		out_printf(&texts[n], "%s: " STR_FMT ": ", claim_outcome_name(r->outcome),
			   STR_ARG(r->claim->text));
		check_sentence(d, r, &texts[n]);
		places[n] = (struct sarif_place){
			.path = strings_get(&d->strings, d->captures.data[capture]->path),
			.line = r->n_lines ? r->lines[0] : 0,
			.rule = reported[r->outcome == CLAIM_CANNOT_TELL].id,
			.message = out_view(&texts[n]),
		};
		n++;
	}
	sarif_write_places(reported, ARRAY_LEN(reported), places, n, out);
	for (size_t i = 0; i < n; i++)
		out_fini(&texts[i]);
	free(texts);
	free(places);
}
