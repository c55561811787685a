/* SPDX-License-Identifier: MIT */
#include "explain/claims/claim_bless.h"

#include "analyses/calls/calls_summary.h"
#include "analyses/compare/compare.h"
#include "base/arena.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/claims/claim.h"
#include "explain/claims/claim_build.h"
#include "explain/claims/claim_judge.h"
#include "explain/facts.h"

#include <math.h>

#define BLESS_CLAIMS_MAX 32u
#define BLESS_FUNCTIONS  10u
#define BLESS_SELF_MIN   1.0 /* functions with a smaller self share, in percent, get no claim */

struct bless {
	struct facts *facts;
	struct arena arena;
	struct claim claims[BLESS_CLAIMS_MAX];
	size_t n;
};

static bool bless_has(const struct bless *b, struct str text)
{
	for (size_t i = 0; i < b->n; i++) {
		if (str_eq(b->claims[i].text, text))
			return true;
	}
	return false;
}

/*
 * Add the claim "MEASURE(NAME) LIMIT". A name with both kinds of quotation marks cannot be written
 * in a claim, so nothing is added for it.
 */
static void bless_add(struct bless *b, const char *measure, struct str name, const char *limit)
{
	const char *quote = str_find_char(name, '"') == name.len    ? "\""
			    : str_find_char(name, '\'') == name.len ? "'"
								    : NULL;
	struct out text = { .fd = -1 };
	struct error err;

	if (!quote || !name.len || b->n == BLESS_CLAIMS_MAX)
		return;
	if (str_find_char(name, ' ') == name.len && str_find_char(name, '(') == name.len &&
	    str_find_char(name, '<') == name.len && str_find_char(name, ',') == name.len)
		quote = "";
	out_printf(&text, "%s(%s" STR_FMT "%s)%s", measure, quote, STR_ARG(name), quote, limit);
	/* write a claim only once, even if the profiles of two events give the same claim */
	if (!bless_has(b, out_view(&text)) &&
	    claim_parse(arena_str(&b->arena, out_view(&text)), &b->claims[b->n], &err) == OK)
		b->n++;
	out_fini(&text);
}

static void bless_profile(struct bless *b, const struct profile_facts *p)
{
	const struct symbols *symbols = capture_symbols(p->capture);
	size_t n = 0;

	VEC_FOREACH (f, &p->functions) {
		if (f->self < BLESS_SELF_MIN || n == BLESS_FUNCTIONS)
			break;
		if (symbols_get(symbols, f->sym)->flags & SYMBOL_ADDRESS)
			continue;
		bless_add(b, "self", strings_get(capture_strings(p->capture), f->name), " < 100%");
		n++;
	}
}

static void bless_calls(struct bless *b, const struct capture *capture,
			const struct calls_summary *sum)
{
	for (size_t i = 0; i < sum->functions.len && i < BLESS_FUNCTIONS; i++)
		bless_add(b, "p50",
			  symbols_canonical(capture_symbols(capture), sum->functions.data[i].sym),
			  " < 1000s");
}

/*
 * Add claims about counters of repeated runs. Only their spread shows how much the next run may
 * differ.
 */
static void bless_counters(struct bless *b, const struct capture *capture)
{
	static const char *const limits[] = {
		[CLAIM_NUMBER] = " < 1000000G", [CLAIM_PERCENT] = " < 100%", [CLAIM_NS] = " < 1000s"
	};
	size_t n = 0;

	VEC_FOREACH (row, &capture->counters->rows) {
		struct str name = strings_get(capture_strings(capture), row->name);

		if (row->spread >= 0 && n++ < BLESS_FUNCTIONS)
			bless_add(b, "value", name, limits[claim_counters_unit(capture, row)]);
	}
}

/* Round @v up to two significant digits. */
static double bless_round(double v)
{
	double unit = pow(10, floor(log10(v)) - 1);

	return ceil(v / unit) * unit;
}

/*
 * Append the claim of @r to @out, with a new limit somewhat above the measured figure. False:
 * nothing was appended, because the figure has no upper limit or is near 100 %.
 */
static bool bless_limit(const struct claim_result *r, struct out *out)
{
	double spread = 2 * COMPARE_RUN_SPREAD / 100 * r->value;
	double limit = bless_round(r->high + (r->high - r->value) + spread);
	struct str head = str_sub(r->claim->text, 0, str_rfind_char(r->claim->text, '<'));

	if (!r->has_figure || r->is_final || isinf(r->high) || !(r->value > 0) ||
	    (r->unit == CLAIM_PERCENT && limit >= 100))
		return false;
	if (r->unit == CLAIM_PERCENT)
		out_printf(out, "# %.2f %% (%.2f to %.2f)\n" STR_FMT "< %.10g%%\n", r->value,
			   r->low, r->high, STR_ARG(head), limit);
	else if (r->unit == CLAIM_NUMBER)
		out_printf(out, "# %.10g (%.10g to %.10g)\n" STR_FMT "< %.10g\n", r->value, r->low,
			   r->high, STR_ARG(head), limit);
	else
		out_printf(out, "# %.3f µs (%.3f to %.3f)\n" STR_FMT "< %.10gus\n", r->value / 1e3,
			   r->low / 1e3, r->high / 1e3, STR_ARG(head), limit / 1e3);
	return true;
}

size_t claim_bless_write(struct facts *f, const struct claim_options *options, struct out *out)
{
	struct bless b = { .facts = f };
	struct claim_result results[BLESS_CLAIMS_MAX];
	struct error err;
	size_t n = 0;

	for (uint32_t i = 0; i < f->dossier->captures.len; i++) {
		const struct capture *capture = f->dossier->captures.data[i];

		if (options->capture != INDEX_NONE && options->capture != i)
			continue;
		if (f->calls[i] && capture->calls)
			bless_calls(&b, capture, f->calls[i]);
		else if (capture->counters && capture->counters->runs > 1)
			bless_counters(&b, capture);
		else if (f->profiles[i] && !f->waits[i])
			bless_profile(&b, f->profiles[i]);
	}
	if (b.n < BLESS_CLAIMS_MAX &&
	    claim_parse(STR("no finding >= error"), &b.claims[b.n], &err) == OK)
		b.n++;
	claim_judge(f, b.claims, b.n, options, results);
	for (size_t i = 0; i < b.n; i++) {
		if (results[i].claim->kind == CLAIM_FIGURE) {
			n += bless_limit(&results[i], out);
		} else if (results[i].outcome == CLAIM_TRUE) {
			out_printf(out, STR_FMT "\n", STR_ARG(results[i].claim->text));
			n++;
		}
	}
	arena_fini(&b.arena);
	return n;
}
