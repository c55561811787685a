/* SPDX-License-Identifier: MIT */
/* web_profile.c - flame graphs and samples with times for the page */
#include "analyses/flame/flame.h"
#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "base/text/json.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/paths.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "render/web/web_page.h"

static const char *web_unit(enum weight_unit unit)
{
	static const char *const names[] = {
		[WEIGHT_SAMPLES] = "samples", [WEIGHT_EVENTS] = "events", [WEIGHT_NS] = "ns",
		[WEIGHT_PERCENT] = "percent", [WEIGHT_BYTES] = "bytes",   [WEIGHT_UNKNOWN] = "",
	};

	return (unsigned int)unit < ARRAY_LEN(names) ? names[unit] : "";
}

static void web_flame_meta(struct web_block *b, const struct paths *p, const struct flame *f,
			   const struct capture *c)
{
	json_key(&b->json, "unit");
	json_z(&b->json, web_unit(p->unit));
	json_key(&b->json, "decimals");
	json_u64(&b->json, p->decimals);
	json_key(&b->json, "whole");
	json_double(&b->json, (double)f->whole);
	json_key(&b->json, "from_calls");
	json_bool(&b->json, p->from_calls);
	json_key(&b->json, "samples");
	json_u64(&b->json, p->n_samples);
	json_key(&b->json, "hidden_frames");
	json_u64(&b->json, f->hidden_frames);
	json_key(&b->json, "hidden");
	json_double(&b->json, (double)f->hidden_weight);
	json_key(&b->json, "rebuilt");
	json_bool(&b->json, c->profile && c->profile->recovery == RECOVERY_EXACT);
	json_key(&b->json, "partly");
	json_bool(&b->json, c->profile && c->profile->recovery == RECOVERY_PARTIAL);
}

/*
 * Build the frames of a flame graph. Frames with the lowest weights are omitted if there are more
 * than WEB_NODES_MAX.
 */
static void web_flame_frames(const struct capture *c, const struct paths *p,
			     struct category_cache *cats, struct flame *ret)
{
	uint64_t min = 1;

	for (;;) {
		flame_build(c, p, min, FLAME_BY_SPACE, cats, ret);
		if (ret->frames.len <= WEB_NODES_MAX || min > p->total)
			return;
		flame_fini(ret);
		min = min * 4 > p->total / 1000000 ? min * 4 : p->total / 1000000;
	}
}

bool web_profile_flame(struct web_block *b, const struct capture *c, struct category_cache *cats)
{
	struct web_symbols names;
	struct flame flame;
	struct paths p;
	uint64_t *column;
	size_t n;

	if (paths_of(c, &p, NULL) < 0)
		return false;
	if (p.total == 0) {
		paths_fini(&p);
		return false;
	}
	web_flame_frames(c, &p, cats, &flame);
	n = flame.frames.len;
	column = xmalloc(n * sizeof(*column));
	web_symbols_init(&names, capture_symbols(c), cats);
	for (size_t i = 0; i < n; i++)
		column[i] = web_symbols_add(&names, flame.frames.data[i].sym);
	web_block_integers(b, "sym", column, n);
	for (size_t i = 0; i < n; i++)
		column[i] = flame.frames.data[i].depth;
	web_block_integers(b, "depth", column, n);
	for (size_t i = 0; i < n; i++)
		column[i] = flame.frames.data[i].weight;
	web_block_integers(b, "total", column, n);
	for (size_t i = 0; i < n; i++)
		column[i] = flame.frames.data[i].self;
	web_block_integers(b, "self", column, n);
	for (size_t i = 0; i < n; i++)
		column[i] = p.count[flame.frames.data[i].node.v];
	web_block_integers(b, "count", column, n);
	web_flame_meta(b, &p, &flame, c);
	web_symbols_write(&names, &b->json);
	web_symbols_fini(&names);
	free(column);
	flame_fini(&flame);
	paths_fini(&p);
	return n > 1;
}

/*
 * Returns an array, indexed by stack node: index of the node's frame in the flame graph. If the
 * flame graph has no frame for a node, the array has the frame of its nearest caller.
 */
static uint32_t *web_frames_by_node(const struct paths *p, const struct flame *f)
{
	uint32_t n = stacks_count(p->stacks);
	uint32_t *frame = xmalloc(n * sizeof(*frame));

	memset(frame, 0xff, n * sizeof(*frame));
	for (size_t i = 0; i < f->frames.len; i++)
		frame[f->frames.data[i].node.v] = (uint32_t)i;
	for (uint32_t i = 1; i < n; i++) {
		if (frame[i] == INDEX_NONE)
			frame[i] = frame[p->stacks->parent.data[i]];
	}
	return frame;
}

static bool web_samples_span(const struct samples *s, uint64_t *ret_first, uint64_t *ret_last)
{
	*ret_first = UINT64_MAX;
	*ret_last = 0;
	for (size_t i = 0; i < s->n; i++) {
		*ret_first = s->time_ns.data[i] < *ret_first ? s->time_ns.data[i] : *ret_first;
		*ret_last = s->time_ns.data[i] > *ret_last ? s->time_ns.data[i] : *ret_last;
	}
	return *ret_last > *ret_first;
}

static void web_samples_columns(struct web_block *b, const struct samples *s, const uint32_t *frame,
				uint64_t first, uint64_t tick)
{
	size_t n = s->n < WEB_SAMPLES_MAX ? s->n : WEB_SAMPLES_MAX;
	uint64_t *column = xmalloc(n * sizeof(*column));

	/*
	 * write at most n samples: if there are more, choose n of them, evenly distributed over all
	 * samples
	 */
	for (size_t i = 0; i < n; i++)
		column[i] = (s->time_ns.data[i * s->n / n] - first) / tick;
	web_block_integers(b, "time", column, n);
	for (size_t i = 0; i < n; i++)
		column[i] = frame[s->stack.data[i * s->n / n].v];
	web_block_integers(b, "frame", column, n);
	for (size_t i = 0; i < n; i++)
		column[i] = s->weight.data[i * s->n / n];
	web_block_integers(b, "weight", column, n);
	if (s->thread.len) {
		for (size_t i = 0; i < n; i++)
			column[i] = s->thread.data[i * s->n / n];
		web_block_integers(b, "thread", column, n);
	}
	free(column);
}

bool web_profile_samples(struct web_block *b, const struct capture *c, struct category_cache *cats)
{
	const struct samples *s = c->profile ? &c->profile->samples : NULL;
	uint64_t first;
	uint64_t last;
	uint64_t tick = 1;
	struct flame flame;
	struct paths p;
	uint32_t *frame;

	if (!s || s->n < 2 || s->time_ns.len != s->n || !web_samples_span(s, &first, &last) ||
	    paths_of(c, &p, NULL) < 0)
		return false;
	while ((last - first) / tick > UINT32_MAX)
		tick *= 10;
	web_flame_frames(c, &p, cats, &flame);
	frame = web_frames_by_node(&p, &flame);
	web_samples_columns(b, s, frame, first, tick);
	json_key(&b->json, "tick_ns");
	json_u64(&b->json, tick);
	web_clock(b, c, first);
	json_key(&b->json, "samples");
	json_u64(&b->json, s->n);
	json_key(&b->json, "threads");
	json_array(&b->json);
	VEC_FOREACH (t, &c->profile->threads) {
		struct out name = { .fd = -1 };

		out_str(&name, strings_get(capture_strings(c), t->comm));
		if (t->has_tid)
			out_printf(&name, " %u", t->tid);
		json_str(&b->json, out_view(&name));
		out_fini(&name);
	}
	json_array_end(&b->json);
	free(frame);
	flame_fini(&flame);
	paths_fini(&p);
	return true;
}
