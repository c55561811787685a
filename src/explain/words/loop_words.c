/* SPDX-License-Identifier: MIT */
#include "explain/words/loop_words.h"

#include "analyses/role_work.h"
#include "analyses/roles.h"
#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/loop_words_names.h"
#include "explain/rule.h"

#include <stdlib.h>

/* minimum part (0 to 1) of the work of a kind that must be in the loop */
#define LOOP_WORK_PART 0.5
/*
 * minimum part (0 to 1) of the loop's time that is work of the kind; 0 for a kind that is slow on
 * purpose
 */
#define LOOP_MUCH_PART 0.4
#define LOOP_NAME_MAX  64u

struct loop_piece {
	enum role kind;
	unsigned int slow;
	const char *instead;
};

static const struct loop_piece loop_pieces[] = { LOOP_PIECES };

/* What is known about a symbol: whether it is the function of a loop. */
enum { LOOP_NOT_KNOWN, LOOP_NO, LOOP_YES };

bool loop_words_is_loop(struct str name)
{
	return str_glob(STR(EVENT_LOOPS), name);
}

static const struct loop_piece *loop_piece_of(enum role kind)
{
	for (size_t i = 0; i < ARRAY_LEN(loop_pieces); i++) {
		if (loop_pieces[i].kind == kind)
			return &loop_pieces[i];
	}
	return NULL;
}

/* Sums of samples, as weights. */
struct loop_sums {
	uint64_t work;    /* work of the kind */
	uint64_t in_loop; /* the part of `work` that is in a loop */
	uint64_t loop;    /* everything in a loop */
	uint64_t most;    /* largest weight of one stack of `in_loop` */
	sym_id sym;       /* the loop of that stack */
};

static void loop_sum(const struct rule_input *in, const struct role_work *all, enum role kind,
		     struct loop_sums *ret)
{
	const struct symbols *symbols = capture_symbols(in->capture);
	const struct stacks *stacks = &in->capture->profile->stacks;
	uint8_t *known = xcalloc(symbols->rows.len + 1, 1);
	/* loop[node]: the outermost function of a loop on the stack; 0: none */
	uint32_t *loop = xcalloc((size_t)all->n + 1, sizeof(*loop));

	*ret = (struct loop_sums){ .work = 0 };
	for (uint32_t i = 1; i < all->n; i++) {
		sym_id sym = stacks_sym(stacks, (stack_id){ i });
		bool is_work = role_set_has(all->at[i], kind);

		loop[i] = loop[stacks_parent(stacks, (stack_id){ i }).v];
		if (!loop[i] && known[sym.v] == LOOP_NOT_KNOWN)
			known[sym.v] =
				loop_words_is_loop(facts_name(in->facts, sym)) ? LOOP_YES : LOOP_NO;
		if (!loop[i] && known[sym.v] == LOOP_YES)
			loop[i] = sym.v;
		ret->loop += loop[i] ? all->self[i] : 0;
		if (!is_work)
			continue;
		ret->work += all->self[i];
		ret->in_loop += loop[i] ? all->self[i] : 0;
		if (loop[i] && all->self[i] > ret->most) {
			ret->most = all->self[i];
			ret->sym.v = loop[i];
		}
	}
	free(known);
	free(loop);
}

void loop_words_find(const struct rule_input *in, const struct role_work *all, enum role kind,
		     enum role by, struct loop_work *ret)
{
	const struct loop_piece *piece = loop_piece_of(by ? role_with(by) : kind);
	double weight = (double)in->profile->weight;
	struct loop_sums sums;

	*ret = (struct loop_work){ .work = 0 };
	if (!piece || !all->n || in->profile->weight == 0)
		return;
	loop_sum(in, all, kind, &sums);
	if (!sums.sym.v || (double)sums.in_loop < (double)sums.work * LOOP_WORK_PART)
		return;
	if (!piece->slow && ((double)sums.in_loop < (double)sums.loop * LOOP_MUCH_PART ||
			     str_glob(STR(CUT_LOOPS), facts_name(in->facts, sums.sym))))
		return;
	*ret = (struct loop_work){
		.loop = sums.sym,
		.work = (double)sums.in_loop / weight * 100,
		.of_loop = (double)sums.loop / weight * 100,
		.is_slow = piece->slow,
		.instead = piece->instead,
	};
}

const char *loop_words_claim(const struct rule_input *in, struct findings *out,
			     const struct loop_work *w)
{
	if (!w->loop.v)
		return "";
	return finding_name(out, ", in the event loop (" STR_FMT ")",
			    STR_ARG(facts_short_name(in->facts, w->loop, LOOP_NAME_MAX)));
}

const char *loop_words_cause(const struct loop_work *w)
{
	if (!w->loop.v)
		return "";
	return w->is_slow ? ". In the event loop, each call blocks all other events for its time"
			  : ". The event loop does nothing else meanwhile: if one call is long, "
			    "all other events wait for it";
}

void loop_words_add(const struct rule_input *in, struct findings *out, struct finding *f,
		    const struct loop_work *w)
{
	if (!w->loop.v)
		return;
	finding_figure(f, "of it in the event loop", w->work, 0, "%");
	finding_figure(f, "the event loop, with callees", w->of_loop, 0, "%");
	finding_subject(f, w->loop, SUBJECT_LISTED);
	finding_evidence(out, f, in, 0, "below " STR_FMT " %.2f %%",
			 STR_ARG(facts_short_name(in->facts, w->loop, LOOP_NAME_MAX)), w->work);
	finding_next(out, f, "use %s", w->instead);
}
