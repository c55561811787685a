/* SPDX-License-Identifier: MIT */
/*
 * speedscope_write.c - write captures as a speedscope file
 *
 * A profile becomes one `sampled` profile per thread, with unchanged weights. Calls become one
 * `evented` profile per track (a task or CPU; see export.h), with times in nanoseconds. The name of
 * a profile has the thread and the event: "bash 12/34, cycles".
 */
#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/exchange/export.h"
#include "formats/exchange/speedscope.h"

#include "base/text/json.h"

#include "config.h"

struct speedscope_writer {
	struct json j;
	struct out name;
	struct out origin; /* export_origin() of the capture, such as " of b.data"; usually empty */
	/* index: symbol; value: its index in shared.frames, plus 1; 0: not written yet */
	uint32_t *frame;
	size_t n_symbols;
	uint32_t n_frames;
	VEC(uint32_t) path;
	uint64_t now; /* time in ns of the last event written to the current profile */
};

static void speedscope_newline(struct speedscope_writer *w)
{
	/* one element per line, for tools that work by line */
	out_char(w->j.out, '\n');
}

static void speedscope_frame(struct speedscope_writer *w, const struct capture *c, sym_id sym)
{
	const struct symbols *t = capture_symbols(c);
	struct str module = export_module(t, sym);

	if (sym.v >= w->n_symbols || w->frame[sym.v])
		return;
	w->frame[sym.v] = ++w->n_frames;
	w->name.len = 0;
	export_name(t, sym, true, &w->name);
	json_object(&w->j);
	json_key(&w->j, "name");
	json_str(&w->j, out_view(&w->name));
	if (module.len) {
		json_key(&w->j, "file");
		json_str(&w->j, module);
	}
	json_object_end(&w->j);
	speedscope_newline(w);
}

/* Write the frames of all captures, in the order in which samples and calls first use them. */
static void speedscope_frames(struct speedscope_writer *w, const struct capture *const *captures,
			      size_t n)
{
	json_key(&w->j, "shared");
	json_object(&w->j);
	json_key(&w->j, "frames");
	json_array(&w->j);
	for (size_t k = 0; k < n; k++) {
		const struct capture *c = captures[k];
		const struct profile *p = c->profile;

		for (uint32_t i = 1; p && p->samples.n && i < stacks_count(&p->stacks); i++)
			speedscope_frame(w, c, p->stacks.sym.data[i]);
		for (size_t i = 0; !(p && p->samples.n) && c->calls && i < c->calls->n; i++)
			speedscope_frame(w, c, c->calls->sym.data[i]);
	}
	json_array_end(&w->j);
	json_object_end(&w->j);
}

static const char *speedscope_unit(enum weight_unit unit)
{
	return unit == WEIGHT_NS ? "nanoseconds" : unit == WEIGHT_BYTES ? "bytes" : "none";
}

static void speedscope_stack(struct speedscope_writer *w, const struct profile *p, uint32_t node,
			     bool without_comm, const struct symbols *t)
{
	w->path.len = 0;
	for (; node; node = p->stacks.parent.data[node]) {
		sym_id sym = p->stacks.sym.data[node];

		if (without_comm && p->stacks.parent.data[node] == 0 &&
		    symbols_get(t, sym)->space == SPACE_COMM)
			break;
		*VEC_PUSH(&w->path) = w->frame[sym.v] - 1;
	}
	json_array(&w->j);
	while (w->path.len)
		json_u64(&w->j, w->path.data[--w->path.len]);
	json_array_end(&w->j);
}

static void speedscope_head(struct speedscope_writer *w, const char *type, const char *unit)
{
	json_object(&w->j);
	json_key(&w->j, "type");
	json_z(&w->j, type);
	json_key(&w->j, "name");
	json_str(&w->j, out_view(&w->name));
	json_key(&w->j, "unit");
	json_z(&w->j, unit);
	json_key(&w->j, "startValue");
}

/* Write the samples of one thread as a profile. Their indexes are order[from] to order[to - 1]. */
static void speedscope_sampled(struct speedscope_writer *w, const struct capture *c,
			       const uint32_t *order, size_t from, size_t to,
			       const struct profile_thread *thread)
{
	const struct profile *p = c->profile;
	enum weight_unit unit = profile_sample_unit(p);
	unsigned int decimals = profile_sample_decimals(p);
	bool without_comm = thread && thread->comm.v;
	int64_t sum = 0;

	w->name.len = 0;
	export_thread_name(c, thread, &w->name);
	if (p->event.v || unit != WEIGHT_UNKNOWN || w->origin.len) {
		struct str unit_name = export_unit_name(c, unit);

		out_z(&w->name, ", ");
		out_str(&w->name, p->event.v      ? strings_get(capture_strings(c), p->event)
				  : w->origin.len ? STR("stacks")
						  : STR_NONE);
		out_str(&w->name, out_view(&w->origin));
		if (unit != WEIGHT_EVENTS || p->event.v == 0)
			out_printf(&w->name, " (" STR_FMT ")",
				   STR_ARG(unit_name.len ? unit_name : STR("weights")));
	}
	speedscope_head(w, "sampled", speedscope_unit(unit));
	json_u64(&w->j, 0);
	json_key(&w->j, "samples");
	json_array(&w->j);
	for (size_t i = from; i < to; i++) {
		speedscope_stack(w, p, p->samples.stack.data[order[i]].v, without_comm,
				 capture_symbols(c));
		speedscope_newline(w);
	}
	json_array_end(&w->j);
	json_key(&w->j, "weights");
	json_array(&w->j);
	for (size_t i = from; i < to; i++) {
		uint64_t weight = p->samples.weight.data[order[i]];

		if (weight > INT64_MAX || __builtin_add_overflow(sum, (int64_t)weight, &sum))
			sum = INT64_MAX;
		json_fixed(&w->j, (int64_t)(weight > INT64_MAX ? INT64_MAX : weight), decimals);
		if (i % 16 == 15)
			speedscope_newline(w);
	}
	json_array_end(&w->j);
	json_key(&w->j, "endValue");
	json_fixed(&w->j, sum, decimals);
	json_object_end(&w->j);
	speedscope_newline(w);
}

static void speedscope_profile(struct speedscope_writer *w, const struct capture *c)
{
	struct export_threads threads;

	export_threads_of(c->profile, &threads);
	for (uint32_t t = 0; t < threads.n; t++) {
		if (threads.first[t] < threads.first[t + 1])
			speedscope_sampled(
				w, c, threads.order, threads.first[t], threads.first[t + 1],
				threads.has_threads ? &c->profile->threads.data[t] : NULL);
	}
	export_threads_fini(&threads);
}

/*
 * Write an event. Calls of a damaged trace may not nest: an event that is earlier than the previous
 * event gets the time of the previous event.
 */
static void speedscope_event(struct speedscope_writer *w, const char *type, uint64_t at,
			     uint32_t frame)
{
	w->now = at > w->now ? at : w->now;
	json_object(&w->j);
	json_key(&w->j, "type");
	json_z(&w->j, type);
	json_key(&w->j, "at");
	json_u64(&w->j, w->now);
	json_key(&w->j, "frame");
	json_u64(&w->j, frame);
	json_object_end(&w->j);
	speedscope_newline(w);
}

/*
 * Write the calls of one track (a task or CPU) as a profile. @first: the first call of the track.
 * @next: for each call, the next call of the same track, or INDEX_NONE.
 */
static void speedscope_evented(struct speedscope_writer *w, const struct capture *c,
			       const struct export_layout *l, uint32_t first, const uint32_t *next)
{
	const struct calls *calls = c->calls;
	VEC(uint32_t) open = VEC_INIT;

	w->now = 0;
	speedscope_head(w, "evented", "nanoseconds");
	json_u64(&w->j, l->start[first]);
	json_key(&w->j, "events");
	json_array(&w->j);
	for (uint32_t i = first;; i = next[i]) {
		uint32_t parent = i == INDEX_NONE ? INDEX_NONE : calls->parent.data[i];

		while (open.len && open.data[open.len - 1] != parent) {
			uint32_t done = open.data[--open.len];

			speedscope_event(w, "C", l->end[done],
					 w->frame[calls->sym.data[done].v] - 1);
		}
		if (i == INDEX_NONE)
			break;
		speedscope_event(w, "O", l->start[i], w->frame[calls->sym.data[i].v] - 1);
		*VEC_PUSH(&open) = i;
	}
	json_array_end(&w->j);
	json_key(&w->j, "endValue");
	json_u64(&w->j, w->now);
	json_object_end(&w->j);
	speedscope_newline(w);
	VEC_FREE(&open);
}

static void speedscope_track_name(struct speedscope_writer *w, const struct capture *c,
				  const struct export_layout *l, uint32_t track)
{
	const struct calls *calls = c->calls;
	const struct call_lane *lane =
		calls->lanes.len ? &calls->lanes.data[l->track_lane.data[track]] : NULL;

	w->name.len = 0;
	if (lane && (lane->comm.v || lane->has_pid)) {
		struct profile_thread thread = { .comm = lane->comm,
						 .tid = lane->pid,
						 .has_tid = lane->has_pid };

		export_thread_name(c, &thread, &w->name);
	} else if (lane && lane->cpu != UINT16_MAX) {
		out_printf(&w->name, "CPU %u", lane->cpu);
	} else {
		out_z(&w->name, "calls");
	}
	if (w->origin.len)
		out_printf(&w->name, ", calls" STR_FMT, STR_ARG(out_view(&w->origin)));
	if (!l->is_measured)
		out_z(&w->name, ", starts not in the trace");
}

static void speedscope_calls(struct speedscope_writer *w, const struct capture *c)
{
	const struct calls *calls = c->calls;
	struct export_layout l;
	uint32_t *next = xmalloc((calls->n + 1) * sizeof(*next));
	uint32_t *first;

	export_layout_of(calls, &l);
	first = xmalloc((size_t)l.n_tracks * sizeof(*first));
	for (uint32_t t = 0; t < l.n_tracks; t++)
		first[t] = INDEX_NONE;
	for (size_t i = calls->n; i-- > 0;) {
		next[i] = first[l.track[i]];
		first[l.track[i]] = (uint32_t)i;
	}
	for (uint32_t t = 0; t < l.n_tracks; t++) {
		if (first[t] == INDEX_NONE)
			continue;
		speedscope_track_name(w, c, &l, t);
		speedscope_evented(w, c, &l, first[t], next);
	}
	export_layout_fini(&l);
	free(first);
	free(next);
}

int speedscope_write(const struct capture *const *captures, size_t n, struct out *out,
		     struct error *err)
{
	struct speedscope_writer w = { .n_frames = 0 };

	(void)err;
	out_init(&w.name);
	out_init(&w.origin);
	w.n_symbols = n ? capture_symbols(captures[0])->rows.len : 0;
	w.frame = xcalloc(w.n_symbols + 1, sizeof(*w.frame));
	json_init(&w.j, out, false);
	json_object(&w.j);
	json_key(&w.j, "$schema");
	json_z(&w.j, "https://www.speedscope.app/file-format-schema.json");
	json_key(&w.j, "exporter");
	json_z(&w.j, "assay " ASSAY_VERSION);
	json_key(&w.j, "version");
	json_z(&w.j, "0.0.1");
	if (n) {
		json_key(&w.j, "name");
		json_str(&w.j, strings_get(capture_strings(captures[0]), captures[0]->path));
	}
	json_key(&w.j, "activeProfileIndex");
	json_u64(&w.j, 0);
	speedscope_frames(&w, captures, n);
	json_key(&w.j, "profiles");
	json_array(&w.j);
	for (size_t i = 0; i < n; i++) {
		w.origin.len = 0;
		export_origin(captures, n, i, &w.origin);
		if (captures[i]->profile && captures[i]->profile->samples.n)
			speedscope_profile(&w, captures[i]);
		else
			speedscope_calls(&w, captures[i]);
	}
	json_array_end(&w.j);
	json_object_end(&w.j);
	out_char(out, '\n');
	free(w.frame);
	out_fini(&w.name);
	out_fini(&w.origin);
	VEC_FREE(&w.path);
	return OK;
}
