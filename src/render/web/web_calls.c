/* SPDX-License-Identifier: MIT */
/*
 * web_calls.c - data for the web page: the calls of a trace over time, in one lane per task or CPU
 *
 * If the trace has no start times, each call is placed directly after the previous call of the same
 * caller, and "has_times" in the JSON is false.
 */
#include "render/web/web_page.h"

#include "base/alloc.h"
#include "base/number.h"
#include "base/out.h"
#include "base/str.h"
#include "base/text/json.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/strings.h"

/*
 * Set @start to the start time of each call, relative to the earliest start. Returns false if a
 * call has no start time.
 */
static bool web_calls_starts(const struct calls *c, size_t n, uint64_t *start, uint64_t *ret_first)
{
	uint64_t first = UINT64_MAX;

	if (c->start_ns.len < n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (c->start_ns.data[i] == UINT64_MAX)
			return false;
		first = c->start_ns.data[i] < first ? c->start_ns.data[i] : first;
	}
	for (size_t i = 0; i < n; i++)
		start[i] = c->start_ns.data[i] - first;
	*ret_first = first;
	return true;
}

/*
 * Set @start for a trace without start times: each call starts at the end of the previous call with
 * the same caller. An outermost call starts at the end of the previous outermost call in its lane
 * (task or CPU).
 */
static void web_calls_order(const struct calls *c, size_t n, uint64_t *start)
{
	uint64_t *end = xcalloc(n, sizeof(*end));
	uint64_t *lane = xcalloc(c->lanes.len + 1, sizeof(*lane));

	for (size_t i = 0; i < n; i++) {
		uint32_t parent = c->parent.data[i];
		uint64_t dur = calls_duration(c, (uint32_t)i);
		uint64_t *at = parent < i                       ? &end[parent]
			       : c->lane.data[i] < c->lanes.len ? &lane[c->lane.data[i]]
								: &lane[c->lanes.len];

		start[i] = *at;
		end[i] = start[i];
		*at = number_sum(*at, dur);
	}
	free(end);
	free(lane);
}

static void web_calls_lanes(struct web_block *b, const struct capture *c)
{
	json_key(&b->json, "lanes");
	json_array(&b->json);
	VEC_FOREACH (lane, &c->calls->lanes) {
		struct out name = { .fd = -1 };

		if (lane->comm.v)
			out_str(&name, strings_get(capture_strings(c), lane->comm));
		if (lane->has_pid)
			out_printf(&name, "%s%u", name.len ? " " : "", lane->pid);
		if (lane->cpu != UINT16_MAX)
			out_printf(&name, "%sCPU %u", name.len ? ", " : "", lane->cpu);
		json_str(&b->json, name.len ? out_view(&name) : STR("all"));
		out_fini(&name);
	}
	json_array_end(&b->json);
}

bool web_calls(struct web_block *b, const struct capture *c, struct category_cache *cats)
{
	struct web_symbols names;
	const struct calls *calls = c->calls;
	uint64_t *column;
	uint64_t first = 0;
	bool has_times;
	size_t n;

	if (!calls || calls->n == 0 || !calls->has_durations)
		return false;
	n = calls->n < WEB_CALLS_MAX ? calls->n : WEB_CALLS_MAX;
	column = xmalloc(n * sizeof(*column));
	has_times = web_calls_starts(calls, n, column, &first);
	if (!has_times)
		web_calls_order(calls, n, column);
	web_block_integers(b, "start", column, n);
	for (size_t i = 0; i < n; i++)
		column[i] = calls_duration(calls, (uint32_t)i);
	web_block_integers(b, "dur", column, n);
	web_symbols_init(&names, capture_symbols(c), cats);
	for (size_t i = 0; i < n; i++)
		column[i] = web_symbols_add(&names, calls->sym.data[i]);
	web_block_integers(b, "sym", column, n);
	for (size_t i = 0; i < n; i++)
		column[i] = calls->depth.data[i];
	web_block_integers(b, "depth", column, n);
	for (size_t i = 0; i < n; i++)
		column[i] = calls->lane.data[i];
	web_block_integers(b, "lane", column, n);
	for (size_t i = 0; i < n; i++)
		column[i] = calls->line.data[i];
	web_block_integers(b, "line", column, n);
	free(column);
	json_key(&b->json, "calls");
	json_u64(&b->json, calls->n);
	json_key(&b->json, "has_times");
	json_bool(&b->json, has_times);
	if (has_times)
		web_clock(b, c, first);
	web_calls_lanes(b, c);
	web_symbols_write(&names, &b->json);
	web_symbols_fini(&names);
	return true;
}
