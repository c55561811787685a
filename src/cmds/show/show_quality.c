/* SPDX-License-Identifier: MIT */
/* show_quality.c - the verdict on the quality of the data, with its reasons */
#include "analyses/quality/quality.h"

#include "base/alloc.h"
#include "base/out.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/show/show.h"
#include "cmds/show/show_findings.h"
#include "cmds/show/show_front.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "render/view.h"

#include <inttypes.h>

#define QUALITY_REASONS 6u /* maximum number of reasons of a verdict in text */
/* a smaller share below no row, in percent, is not named */
#define QUALITY_BELOW_PCT 1.0
#define QUALITY_PLACES    3u /* maximum number of captures that are named next to a verdict */
/*
 * If there are more captures than this, equal verdicts are not joined: comparing all verdicts would
 * take quadratic time.
 */
#define QUALITY_COMPARED 3000u

static void show_quality_reason(struct show *s, const struct capture *c,
				const struct quality_reason *r)
{
	view_object(s->v, NULL, NULL);
	view_field(s->v, "id", NULL, cell_word(r->id));
	view_field(s->v, "severity", NULL, cell_word(quality_severity_name(r->severity)));
	view_field(s->v, "sentence", NULL, cell_text(r->sentence));
	view_field(s->v, "figure", NULL, cell_real(r->figure, -1));
	view_field(s->v, "unit", NULL, *r->unit ? cell_word(r->unit) : cell_none());
	view_field(s->v, "path", NULL, show_name(s, c->path));
	view_field(s->v, "line", NULL, cell_line(r->line));
	view_object_end(s->v);
}

static const char *show_quality_word(enum quality_verdict verdict)
{
	return verdict == QUALITY_CANNOT_TELL ? "cannot tell" : quality_verdict_name(verdict);
}

/* Captures whose data has the same verdict, for the same reasons. */
struct show_quality_verdict {
	const struct quality *q;
	struct out places; /* names of the first QUALITY_PLACES captures */
	size_t n;
	uint32_t last; /* last line of the previously added capture */
};

struct show_quality_verdicts {
	VEC(struct show_quality_verdict) rows;
};

/*
 * Find the next reason that limits conclusions, from index *@at on. Set *@at to the index after
 * this reason. NULL: there is none.
 */
static const struct quality_reason *show_quality_doubt(const struct quality *q, size_t *at)
{
	while (*at < q->reasons.len) {
		const struct quality_reason *r = &q->reasons.data[(*at)++];

		if (r->severity != QUALITY_INFO)
			return r;
	}
	return NULL;
}

/* Like show_quality_doubt(), without reasons that show_quality_extent() has. */
static const struct quality_reason *show_quality_other(const struct quality *q, size_t *at)
{
	const struct quality_reason *r;

	do
		r = show_quality_doubt(q, at);
	while (r && show_quality_is_extent(r));
	return r;
}

static bool show_quality_is_same(const struct quality *a, const struct quality *b)
{
	struct out missing = { .fd = -1 }, others = { .fd = -1 };
	const struct quality_reason *r;
	const struct quality_reason *other;
	bool is_same;
	size_t i = 0;
	size_t k = 0;

	if (a->verdict != b->verdict || a->extent != b->extent || a->cut_line != b->cut_line)
		return false;
	do {
		r = show_quality_doubt(a, &i);
		other = show_quality_doubt(b, &k);
		if (!r != !other || (r && !str_eq(r->sentence, other->sentence)))
			return false;
	} while (r);
	quality_missing(a, &missing);
	quality_missing(b, &others);
	is_same = str_eq(out_view(&missing), out_view(&others));
	out_fini(&missing);
	out_fini(&others);
	return is_same;
}

/*
 * The kind of data of @c, " (metrics)", if another capture was read from the same lines and has
 * another kind. Otherwise "". For example, the table of a test robot becomes several captures.
 */
static const char *show_quality_kind(struct show *s, const struct capture *c)
{
	const struct dossier *d = s->session->dossier;

	for (size_t i = 0; i < d->captures.len && d->captures.len <= QUALITY_COMPARED; i++) {
		const struct capture *other = d->captures.data[i];

		if (other->path.v == c->path.v && other->first_line == c->first_line &&
		    other->last_line == c->last_line && other->kinds != c->kinds && c->first_line)
			return show_format(s, " (%s)", capture_kind_name(c->kinds)).p;
	}
	return "";
}

static void show_quality_verdicts_add(struct show *s, struct show_quality_verdicts *all,
				      const struct capture *c, const struct quality *q)
{
	struct show_quality_verdict *same = NULL;
	struct str lines = show_lines(s, c->first_line, c->last_line);

	VEC_FOREACH (v, &all->rows) {
		if (all->rows.len <= QUALITY_COMPARED && show_quality_is_same(v->q, q))
			same = v;
	}
	if (!same) {
		same = VEC_PUSH(&all->rows);
		*same = (struct show_quality_verdict){ .q = q, .places = { .fd = -1 } };
	}
	if ((lines.len == 0 && s->session->dossier->inputs.len == 1) || same->last == c->last_line)
		return; /* the capture has no line range, or the range of the previous capture */
	same->last = c->last_line;
	if (same->n++ >= QUALITY_PLACES)
		return;
	out_z(&same->places, same->n > 1 ? ", " : "");
	if (s->session->dossier->inputs.len > 1)
		out_printf(&same->places, STR_FMT "%s%s", STR_ARG(show_string(s, c->path)),
			   lines.len ? ":" : "",
			   lines.len ? show_format(s, "%" PRIu32, c->first_line).p : "");
	else if (same->n > 1)
		out_printf(&same->places, "%" PRIu32 "-%" PRIu32 "%s", c->first_line, c->last_line,
			   show_quality_kind(s, c));
	else
		out_printf(&same->places, STR_FMT "%s", STR_ARG(lines), show_quality_kind(s, c));
}

/* Append @text to @list if the list has no such item. */
static void show_quality_list(struct out *list, const char *text)
{
	if (!text || str_contains(out_view(list), str_of(text)))
		return;
	out_printf(list, "%s%s", list->len ? ", " : "", text);
}

/* The conclusions that @r rules out: a clause after "not for". NULL: none. */
static const char *show_quality_not_for(struct show *s, const struct quality_reason *r)
{
	const char *limit = quality_not_for(r);

	if (limit && strcmp(r->id, "visible") == 0 && r->figure > 0 && r->figure < 100)
		return show_format(s, "the %.1f %% that is not listed", 100 - r->figure).p;
	if (limit && strcmp(r->id, "below-rows") == 0 && r->figure >= QUALITY_BELOW_PCT)
		return show_format(s, "%s, the part below no row (at most %.1f %%)", limit,
				   r->figure)
			.p;
	return limit;
}

struct str show_quality_extent(struct show *s, const struct quality *q)
{
	struct out list = { .fd = -1 };
	struct str ret;

	quality_missing(q, &list);
	if (q->extent == QUALITY_CUT)
		ret = show_format(s, "cut at line %" PRIu32 "%s" STR_FMT, q->cut_line,
				  list.len ? ", an excerpt: " : "", STR_ARG(out_view(&list)));
	else
		ret = list.len ? show_format(s, "an excerpt: " STR_FMT, STR_ARG(out_view(&list)))
			       : STR("");
	out_fini(&list);
	return ret;
}

bool show_quality_is_extent(const struct quality_reason *r)
{
	return r->missing.len || strcmp(r->id, DIAG_CUT_LINE) == 0;
}

struct str show_quality_limits(struct show *s, const struct quality *q)
{
	struct out list = { .fd = -1 };
	const struct quality_reason *r;
	struct str ret;
	size_t at = 0;

	while ((r = show_quality_doubt(q, &at)))
		show_quality_list(&list, show_quality_not_for(s, r));
	ret = list.len ? show_format(s, "%s for: " STR_FMT,
				     q->verdict == QUALITY_POOR ? "do not use" : "not",
				     STR_ARG(out_view(&list)))
		       : STR("");
	out_fini(&list);
	return ret;
}

struct str show_quality_trust(struct show *s, const struct quality *q)
{
	struct str limits = show_quality_limits(s, q);

	return show_format(s, "%s%s" STR_FMT, show_quality_word(q->verdict),
			   limits.len == 0              ? ""
			   : q->verdict == QUALITY_POOR ? ", "
							: ", but ",
			   STR_ARG(limits));
}

/*
 * Print a verdict, "poor: sentence", with the reasons that limit conclusions. @has_others: other
 * captures have another verdict, so the captures must be named.
 */
static void show_quality_verdict_text(struct show *s, const struct show_quality_verdict *v,
				      bool has_others)
{
	struct str place = has_others ? out_view(&v->places) : STR("");
	struct str more = has_others && v->n > QUALITY_PLACES
				  ? show_format(s, " and %zu more", v->n - QUALITY_PLACES)
				  : STR("");
	struct str extent = show_quality_extent(s, v->q);
	const struct quality_reason *r;
	struct str trust;
	bool is_long;
	size_t at = 0;
	size_t n = 0;

	trust = show_quality_trust(s, v->q);
	/* a verdict that names no limits is short: print its first reason on the same line */
	is_long = str_contains(trust, STR(","));
	r = is_long || extent.len ? NULL : show_quality_other(v->q, &at);
	view_line(s->v, "Data", STR_FMT STR_FMT "%s" STR_FMT "%s" STR_FMT, STR_ARG(place),
		  STR_ARG(more), place.len ? ": " : "", STR_ARG(trust),
		  r                               ? ": "
		  : is_long                       ? ""
		  : extent.len                    ? ", "
		  : v->q->verdict != QUALITY_GOOD ? ""
		  : v->q->extent == QUALITY_WHOLE ? ", whole"
		  : v->q->extent == QUALITY_ENDS  ? ", with its first and last line"
						  : "",
		  STR_ARG(r         ? r->sentence
			  : is_long ? STR("")
				    : extent));
	if (extent.len && is_long)
		view_line(s->v, NULL, "- " STR_FMT, STR_ARG(extent));
	while ((r = show_quality_other(v->q, &at))) {
		if (++n < QUALITY_REASONS)
			view_line(s->v, NULL, "- " STR_FMT, STR_ARG(r->sentence));
	}
	if (n >= QUALITY_REASONS)
		view_line(s->v, NULL, "- %zu more: assay report " STR_FMT, n + 1 - QUALITY_REASONS,
			  STR_ARG(show_file(s)));
}

static void show_quality_verdicts_show(struct show *s, struct show_quality_verdicts *all)
{
	VEC_FOREACH (v, &all->rows) {
		show_quality_verdict_text(s, v, all->rows.len > 1);
		out_fini(&v->places);
	}
	VEC_FREE(&all->rows);
}

/*
 * The extent of all captures, which is @all for those before the capture of @q: an excerpt if one
 * of them is, and whole only if each of them is. @is_first: there is no capture before.
 */
static enum quality_extent show_quality_extent_of(enum quality_extent all, const struct quality *q,
						  bool is_first)
{
	bool is_larger = all >= QUALITY_EXCERPT || q->extent >= QUALITY_EXCERPT;

	if (is_first)
		return q->extent;
	return (q->extent > all) == is_larger ? q->extent : all;
}

void show_findings_quality(struct show *s)
{
	struct dossier *d = s->session->dossier;
	struct quality *all = xcalloc(d->captures.len, sizeof(*all));
	struct show_quality_verdicts verdicts = { .rows = VEC_INIT };
	enum quality_verdict worst = QUALITY_GOOD;
	enum quality_extent extent = QUALITY_EXTENT_UNKNOWN;
	bool is_first = true;

	view_object(s->v, "quality", NULL);
	for (size_t i = 0; i < d->captures.len; i++) {
		quality_of(d->captures.data[i], &s->session->cats, &all[i]);
		if (d->captures.data[i]->excerpt_of != INDEX_NONE)
			continue;
		worst = all[i].verdict > worst ? all[i].verdict : worst;
		extent = show_quality_extent_of(extent, &all[i], is_first);
		is_first = false;
	}
	view_field(s->v, "verdict", NULL, cell_word(quality_verdict_name(worst)));
	view_field(s->v, "extent", NULL,
		   extent == QUALITY_EXTENT_UNKNOWN ? cell_none()
						    : cell_word(quality_extent_name(extent)));
	view_list(s->v, "reasons");
	for (size_t i = 0; i < d->captures.len; i++) {
		const struct capture *c = d->captures.data[i];

		if (c->excerpt_of != INDEX_NONE || c->is_measured)
			continue;
		VEC_FOREACH (r, &all[i].reasons)
			show_quality_reason(s, c, r);
		show_quality_verdicts_add(s, &verdicts, c, &all[i]);
	}
	view_list_end(s->v);
	show_quality_verdicts_show(s, &verdicts);
	show_unread_line(s, NULL, "- ");
	for (size_t i = 0; i < d->captures.len; i++)
		quality_fini(&all[i]);
	view_object_end(s->v);
	free(all);
}
