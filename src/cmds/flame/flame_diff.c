/* SPDX-License-Identifier: MIT */
#include "cmds/flame/flame_diff.h"

#include "analyses/compare/compare.h"
#include "analyses/flame/flame.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/run/session.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/strings.h"
#include "render/svg_flame.h"

#include <inttypes.h>
#include <math.h>

struct flame_diff_picture {
	struct session *s;
	const struct flame_diff_command *c;
	struct diff_side sides[2];
	struct compare compare;
	struct flame flame;
	struct flame_diff_counts counts;
	struct out text;
};

/* Print a difference of two percentages, with sign and two decimals. */
static void picture_points(struct out *out, double v)
{
	out_printf(out, "%+.2f", fabs(v) < 0.005 ? 0.0 : v);
}

/*
 * Print the tooltip text of a frame: "A 25.00 %, B 30.00 %: +5.00 points, 95 % interval +3.10 to
 * +6.90: more".
 */
static void picture_note(const struct flame *f, uint32_t frame, void *data, struct out *out)
{
	const struct flame_diff_picture *p = data;
	const struct flame_frame *one = &f->frames.data[frame];
	const struct compare_path *r;
	bool is_gone;

	if (one->row == INDEX_NONE) {
		if (one->is_gone)
			out_printf(out, "frames that %c has and %c has not: %.2f %% of %c, as wide",
				   p->c->is_of_a ? 'B' : 'A', p->c->is_of_a ? 'A' : 'B',
				   (double)one->weight / (double)FLAME_DIFF_UNIT,
				   p->c->is_of_a ? 'B' : 'A');
		else
			out_printf(out, "100 %% of %c; spread: %s", p->c->is_of_a ? 'A' : 'B',
				   compare_spread_name(p->compare.spread));
		return;
	}
	r = &p->compare.paths.rows.data[one->row];
	out_printf(out, "A %.2f %%, B %.2f %%: ", r->a, r->b);
	picture_points(out, r->b - r->a);
	out_z(out, p->compare.spread == COMPARE_UNKNOWN ? " points, the print allows "
							: " points, 95 % interval ");
	picture_points(out, r->low);
	out_z(out, " to ");
	picture_points(out, r->high);
	out_printf(out, ": %s",
		   r->verdict == COMPARE_CANNOT_TELL
			   ? "cannot tell"
			   : compare_verdict_name((enum compare_verdict)r->verdict));
	if (r->is_new || r->is_vanished)
		out_z(out, r->is_new ? ", not in A" : ", not in B");
	is_gone = p->c->is_of_a ? r->is_new : r->is_vanished;
	if (one->is_gone && !is_gone)
		out_z(out, "; here as the caller of what only the other side has");
	if (one->self && one->self != one->weight)
		out_printf(out, "; itself %.2f %%", (double)one->self / (double)FLAME_DIFF_UNIT);
}

static void picture_name(struct flame_diff_picture *p, int side)
{
	const struct capture *c = p->sides[side].captures[0];

	out_printf(&p->text, "%c: ", side ? 'B' : 'A');
	out_str(&p->text, strings_get(&p->s->dossier->strings, c->path));
	if (p->sides[side].of[0] > 1)
		out_printf(&p->text, " (capture %" PRIu32 ")", p->sides[side].numbers[0]);
}

/*
 * Print the picture's subtitle: "as wide as in B; in B 1 frame more, 2 less, 30 the same, 4
 * inconclusive; 3 only in A (dashed, right: 1.20 % of A; 2 reported); A: a.data, B: b.data". "as
 * wide as in B" means that the width of a frame is its share in B. The 3 frames that only A has are
 * drawn dashed, at the right.
 */
static void picture_subtitle(struct flame_diff_picture *p)
{
	const struct flame_diff_counts *n = &p->counts;
	char side = p->c->is_of_a ? 'A' : 'B', other = p->c->is_of_a ? 'B' : 'A';
	struct out *t = &p->text;

	out_printf(t,
		   "as wide as in %c; in B %" PRIu64 " frame%s more, %" PRIu64 " less, %" PRIu64
		   " the same, %" PRIu64 " inconclusive; ",
		   side, n->verdicts[COMPARE_MORE], n->verdicts[COMPARE_MORE] == 1 ? "" : "s",
		   n->verdicts[COMPARE_LESS], n->verdicts[COMPARE_SAME],
		   n->verdicts[COMPARE_CANNOT_TELL]);
	if (n->gone)
		out_printf(t,
			   "%" PRIu64 " only in %c (dashed, right: %.2f %% of %c; %" PRIu64
			   " reported); ",
			   n->gone, other, (double)n->gone_weight / (double)FLAME_DIFF_UNIT, other,
			   n->gone_reported);
	picture_name(p, 0);
	out_z(t, ", ");
	picture_name(p, 1);
}

static int picture_draw(struct flame_diff_picture *p, struct svg_flame_options *o)
{
	struct out *out = session_open(p->s);

	if (!out)
		return EXIT_FAILED;
	flame_diff_names(&p->compare, &p->s->dossier->symbols);
	flame_build_diff(&p->compare, &p->s->dossier->symbols, p->c->is_of_a, o->min_width,
			 svg_flame_inner_width(o->width), &p->flame, &p->counts);
	picture_subtitle(p);
	o->subtitle = out_view(&p->text);
	o->unit = WEIGHT_PERCENT;
	o->decimals = FLAME_DIFF_DECIMALS;
	o->note_of = picture_note;
	o->note_data = p;
	o->note_is_all = true;
	svg_flame(out, &p->flame, &p->s->dossier->symbols, o);
	flame_fini(&p->flame);
	return EXIT_DONE;
}

/* Compare the sides and draw. Warnings of the comparison go to stderr. */
static int picture_compare(struct flame_diff_picture *p, struct svg_flame_options *o)
{
	struct compare_spec spec = { .is_forced = p->s->to.is_forced,
				     .has_paths = true,
				     .is_only_paths = true };
	struct compare *c = &p->compare;
	struct error err = { "" };
	int e;

	spec.a.captures[spec.a.n++] = p->sides[0].captures[0];
	spec.b.captures[spec.b.n++] = p->sides[1].captures[0];
	e = compare_profiles(&spec, &p->s->cats, c, &err);
	if (e < 0 && e != ERR_UNSUPPORTED) {
		complain(NULL, "%s", err.msg);
		return e == ERR_USAGE ? EXIT_USAGE : EXIT_FAILED;
	}
	VEC_FOREACH (r, &c->refusals)
		complain(NULL, "%s: " STR_FMT, e == OK ? "forced" : "these cannot be compared",
			 STR_ARG(r->sentence));
	if (e < 0) {
		complain(NULL, "--force compares them all the same");
		return EXIT_FAILED;
	}
	VEC_FOREACH (n, &c->notes) {
		if (n->is_warning)
			complain(NULL, STR_FMT, STR_ARG(n->sentence));
	}
	if (c->paths.missing.len) {
		complain(NULL, "nothing to draw: " STR_FMT, STR_ARG(c->paths.missing));
		return EXIT_USAGE;
	}
	return picture_draw(p, o);
}

int flame_diff_draw(struct session *s, const struct flame_diff_command *c,
		    struct svg_flame_options *o)
{
	struct flame_diff_picture p = { .s = s, .c = c, .text = { .fd = -1 } };
	struct error err = { "" };
	uint32_t list;
	int status;

	if (s->in.paths.items.len > 2) {
		complain(NULL, "--diff needs two recordings, or one file with both");
		return EXIT_USAGE;
	}
	if (diff_pick(s, 1, &c->wish, p.sides, &list, &err) < 0) {
		complain(NULL, "%s", err.msg);
		if (list != INDEX_NONE)
			diff_list(s, list);
		return EXIT_USAGE;
	}
	if (!p.sides[0].captures[0]->profile && !p.sides[1].captures[0]->profile) {
		complain(NULL, "--diff draws profiles; 'assay diff' compares traces");
		return EXIT_USAGE;
	}
	status = picture_compare(&p, o);
	compare_fini(&p.compare);
	out_fini(&p.text);
	return status;
}
