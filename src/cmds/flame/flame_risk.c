/* SPDX-License-Identifier: MIT */
#include "cmds/flame/flame_risk.h"

#include "analyses/flame/flame.h"
#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/symbols.h"
#include "metrics/risk.h"
#include "render/svg_flame.h"

#include <math.h>

enum risk_class { RISK_NO_CODE, RISK_TOP_1, RISK_TOP_5, RISK_TOP_25, RISK_LOWER, RISK_NOT_THERE };

int flame_risk_open(struct flame_risk *r, const char *path, bool has_cache, struct error *err)
{
	*r = (struct flame_risk){ .classes = NULL };
	return heat_sources_open(path, has_cache, &r->sources, err);
}

/*
 * Whether the function with rank @rank (from 1) is among the first @share * @n of @n functions.
 * This is always true for rank 1.
 */
static bool risk_is_top(uint32_t rank, size_t n, double share)
{
	return rank <= ceil(share * (double)n);
}

static enum risk_class risk_class_of(const struct heat_sources *s, const struct symbols *symbols,
				     sym_id sym)
{
	const struct risk_function *f;
	uint32_t alike;
	size_t n = s->tree.functions.len;

	if (sym.v == 0 || symbols_get(symbols, sym)->space == SPACE_COMM)
		return RISK_NO_CODE;
	f = heat_sources_find(s, sym, &alike);
	if (!f)
		return RISK_NOT_THERE;
	return risk_is_top(f->rank, n, 0.01)   ? RISK_TOP_1
	       : risk_is_top(f->rank, n, 0.05) ? RISK_TOP_5
	       : risk_is_top(f->rank, n, 0.25) ? RISK_TOP_25
					       : RISK_LOWER;
}

static void risk_note(const struct flame *f, uint32_t frame, void *data, struct out *out)
{
	const struct flame_risk *r = data;
	sym_id sym = f->frames.data[frame].sym;
	const struct risk_function *one;
	uint32_t alike = 0;

	if (sym.v == 0)
		return;
	one = heat_sources_find(&r->sources, sym, &alike);
	if (!one)
		return;
	out_printf(out, "; risk rank %u of %zu, score %.1f, cyclomatic %.0f, ", one->rank,
		   r->sources.tree.functions.len, one->m[RM_SCORE], one->m[CM_CYCLOMATIC]);
	heat_sources_place(&r->sources, one, alike, out);
}

void flame_risk_build(struct flame_risk *r, const struct capture *c, const struct paths *p,
		      uint64_t min_weight, struct svg_flame_options *o, struct flame *ret)
{
	static const struct flame_label labels[] = {
		[RISK_NO_CODE] = { .text = "no code", .shade = 0 },
		[RISK_TOP_1] = { .text = "risk: top 1 %", .shade = SVG_FLAME_SHADE_MORE },
		[RISK_TOP_5] = { .text = "top 5 %", .shade = SVG_FLAME_SHADE_MORE - 1 },
		[RISK_TOP_25] = { .text = "top 25 %", .shade = SVG_FLAME_SHADE_MORE - 2 },
		[RISK_LOWER] = { .text = "lower", .shade = SVG_FLAME_SHADE_SAME },
		[RISK_NOT_THERE] = { .text = "not in the sources",
				     .shade = SVG_FLAME_SHADE_LESS + 3 },
	};
	const struct symbols *symbols = capture_symbols(c);
	struct flame_classes classes = { .n_symbols = symbols->rows.len,
					 .labels = labels,
					 .n_labels = ARRAY_LEN(labels) };

	heat_sources_join(&r->sources, symbols);
	free(r->classes);
	r->classes = xcalloc(classes.n_symbols + 1, 1);
	for (size_t i = 0; i < classes.n_symbols; i++)
		r->classes[i] =
			(uint8_t)risk_class_of(&r->sources, symbols, (sym_id){ (uint32_t)i });
	classes.of_symbol = r->classes;
	flame_build_classes(c, p, min_weight, &classes, ret);
	o->note_of = risk_note;
	o->note_data = r;
}

void flame_risk_subtitle(const struct flame_risk *r, struct out *out)
{
	out_printf(out, "; colours: risk rank among %zu functions of ",
		   r->sources.tree.functions.len);
	out_printf(out, "%zu files", r->sources.tree.files.len);
}

void flame_risk_fini(struct flame_risk *r)
{
	heat_sources_fini(&r->sources);
	free(r->classes);
}
