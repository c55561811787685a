/* SPDX-License-Identifier: MIT */
/*
 * speedscope.c - profiles of speedscope
 *
 * A `sampled` profile becomes the samples of one thread. An `evented` profile becomes calls if its
 * unit is a time, otherwise samples. All profiles with the same event become one capture. Only
 * files of assay contain the name of the event. In other files, all profiles with the same unit
 * become one capture.
 * See docs/formats/speedscope.md.
 */
#include "formats/exchange/speedscope.h"

#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/exchange/export.h"
#include "formats/exchange/json_doc.h"

DECLARE_FORMAT(speedscope);

static const struct diag_kind speedscope_bad_frame = { "speedscope-bad-frames", DIAG_DATALOSS,
						       "frames that the file does not define" };
static const struct diag_kind speedscope_no_weight = { "speedscope-no-weight", DIAG_DATALOSS,
						       "samples without a weight, left out" };
static const struct diag_kind speedscope_negative = { "speedscope-negative-weights", DIAG_DATALOSS,
						      "weights below zero, taken as zero" };
static const struct diag_kind speedscope_rounded = { "speedscope-rounded-weights", DIAG_DATALOSS,
						     "threads whose weights were rounded" };
static const struct diag_kind speedscope_unclosed = { "speedscope-unclosed", DIAG_DATALOSS,
						      "frames that are never closed" };
static const struct diag_kind speedscope_unopened = { "speedscope-unopened", DIAG_DATALOSS,
						      "frames that are closed and were not open" };
static const struct diag_kind speedscope_deep = { "speedscope-deep-frames", DIAG_DATALOSS,
						  "inner frames of stacks deeper than 4096" };
static const struct diag_kind speedscope_cut = { "json-cut", DIAG_DATALOSS,
						 "documents that end too early" };

struct speedscope_group {
	str_id event;
	str_id unit;
	bool is_calls;
	uint32_t capture;
	unsigned int decimals;
};

struct speedscope_reader {
	const struct region *in;
	struct dossier *d;
	struct json_object *root;
	bool is_ours; /* assay wrote the file */
	size_t n_profiles;
	VEC(sym_id) frames; /* index: number in shared.frames of the file; value: symbol */
	VEC(struct speedscope_group) groups;
	bool is_cut;

	/* This and the following members describe the current profile. */
	struct json_object *profile;
	struct capture *capture;
	enum weight_unit unit;
	/*
	 * factor from a printed weight to the stored integer: to nanoseconds if the unit is a time,
	 * otherwise 10^decimals of the capture's profile
	 */
	double scale;
	struct profile_thread thread;
	bool has_thread;
	/* outermost frame of all stacks of the profile: the thread's name, or STACK_ROOT */
	stack_id bottom;
};

static void speedscope_frames(struct speedscope_reader *r)
{
	struct json_object *frames = json_doc_get(json_doc_get(r->root, "shared"), "frames");

	for (size_t i = 0; i < json_doc_len(frames); i++) {
		struct json_object *f = json_doc_at(frames, i);
		struct str name = json_doc_text(json_doc_get(f, "name"));

		*VEC_PUSH(&r->frames) =
			export_symbol(r->d, name.len ? name : STR("[unknown]"),
				      json_doc_text(json_doc_get(f, "file")), false);
	}
}

/* Number of nanoseconds in one @unit, such as "microseconds"; 0: not a unit of time. */
static double speedscope_time_unit(struct str unit)
{
	if (str_eq(unit, STR("nanoseconds")))
		return 1;
	if (str_eq(unit, STR("microseconds")))
		return 1e3;
	if (str_eq(unit, STR("milliseconds")))
		return 1e6;
	return str_eq(unit, STR("seconds")) ? 1e9 : 0;
}

/*
 * Split a profile name that assay wrote, such as "bash 12/34, cycles (ns)", into thread, event and
 * unit. Returns the thread, "bash 12/34".
 */
static struct str speedscope_own_name(struct str name, struct str *ret_event, struct str *ret_unit)
{
	size_t comma = name.len;
	size_t open;

	*ret_event = *ret_unit = STR_NONE;
	for (size_t i = 0; i + 1 < name.len; i++) {
		if (name.p[i] == ',' && name.p[i + 1] == ' ')
			comma = i;
	}
	if (comma == name.len)
		return name;
	*ret_event = str_skip(name, comma + 2);
	open = str_rfind_char(*ret_event, '(');
	if (open < ret_event->len && str_ends(*ret_event, STR(")"))) {
		*ret_unit = str_sub(*ret_event, open + 1, ret_event->len - 1);
		*ret_event = str_rtrim(str_sub(*ret_event, 0, open));
	}
	return str_sub(name, 0, comma);
}

static enum weight_unit speedscope_unit(const struct speedscope_reader *r, struct str unit,
					struct str event, struct str own)
{
	if (speedscope_time_unit(unit) > 0)
		return WEIGHT_NS;
	if (str_eq(unit, STR("bytes")))
		return WEIGHT_BYTES;
	if (!r->is_ours)
		return WEIGHT_UNKNOWN;
	return str_eq(own, STR("samples"))  ? WEIGHT_SAMPLES
	       : str_eq(own, STR("%"))      ? WEIGHT_PERCENT
	       : event.len && own.len == 0  ? WEIGHT_EVENTS
	       : str_eq(own, STR("events")) ? WEIGHT_EVENTS
					    : WEIGHT_UNKNOWN;
}

/* The number of decimals, at most 9, that represents all weights without rounding. */
static unsigned int speedscope_decimals(struct json_object *weights)
{
	unsigned int most = 0;

	for (size_t i = 0; i < json_doc_len(weights); i++) {
		unsigned int n = json_doc_decimals(json_doc_number(json_doc_at(weights, i)), 9);

		most = n > most ? n : most;
	}
	return most;
}

/*
 * Set r->capture to the capture for this event, unit and kind of data. The capture is made on first
 * use.
 */
static void speedscope_group(struct speedscope_reader *r, struct str event, struct str unit,
			     bool is_calls)
{
	struct strings *s = &r->d->strings;
	str_id event_id = strings_add(s, event);
	str_id unit_id = strings_add(s, unit);
	struct speedscope_group *g;

	VEC_FOREACH (known, &r->groups) {
		if (known->event.v == event_id.v && known->unit.v == unit_id.v &&
		    known->is_calls == is_calls) {
			r->capture = r->d->captures.data[known->capture];
			return;
		}
	}
	r->capture = format_add_capture(&format_speedscope, r->in, r->d);
	g = VEC_PUSH(&r->groups);
	*g = (struct speedscope_group){ event_id, unit_id, is_calls,
					(uint32_t)r->d->captures.len - 1, 0 };
	if (is_calls) {
		capture_calls(r->capture)->tracer = strings_add(s, STR("speedscope"));
		return;
	}
	capture_profile(r->capture)->event = event_id;
	r->capture->profile->unit = r->unit;
}

/* Add a sample of the current profile. False: a limit is reached. */
static bool speedscope_sample(struct speedscope_reader *r, stack_id stack, uint64_t weight)
{
	struct profile *p = r->capture->profile;

	if (profile_add_sample(p, stack, weight) < 0)
		return false;
	profile_set_thread(p, r->has_thread ? &r->thread : NULL);
	return true;
}

static void speedscope_read_sampled(struct speedscope_reader *r)
{
	struct json_object *samples = json_doc_get(r->profile, "samples");
	struct json_object *weights = json_doc_get(r->profile, "weights");
	struct profile *p = r->capture->profile;

	if (r->scale == 0) {
		/* weights with too many decimals are rounded */
		if (profile_set_decimals(p, speedscope_decimals(weights)) < 0)
			diag_count(&r->capture->diag, &speedscope_rounded, 0);
		r->scale = (double)profile_scale(p);
	}
	for (size_t i = 0; i < json_doc_len(samples); i++) {
		struct json_object *stack = json_doc_at(samples, i);
		struct json_object *weight = json_doc_at(weights, i);
		stack_id at = r->bottom;

		if (!json_doc_is_number(weight)) {
			diag_count(&r->capture->diag, &speedscope_no_weight, 0);
			continue;
		}
		if (json_doc_number(weight) < 0)
			diag_count(&r->capture->diag, &speedscope_negative, 0);
		for (size_t k = 0; k < json_doc_len(stack); k++) {
			uint32_t f = json_doc_index(json_doc_at(stack, k), r->frames.len);

			if (f == UINT32_MAX)
				diag_count(&r->capture->diag, &speedscope_bad_frame, 0);
			else if (k >= LIMIT_STACK_DEPTH)
				diag_count(&r->capture->diag, &speedscope_deep, 0);
			else
				at = stacks_push(&p->stacks, at, r->frames.data[f]);
		}
		if (!speedscope_sample(r, at, json_doc_scaled(json_doc_number(weight), r->scale)))
			break;
	}
}

struct speedscope_open {
	uint32_t frame;
	uint32_t call;
	uint64_t start;
	stack_id node;
};

static uint32_t speedscope_lane(struct speedscope_reader *r, struct str name)
{
	struct call_lane lane = { .cpu = UINT16_MAX };
	struct str cpu = name;
	uint64_t v;

	if (r->is_ours && str_take(&cpu, STR("CPU ")) && str_u64(&cpu, &v) && !cpu.len &&
	    v < UINT16_MAX) {
		lane.cpu = (uint16_t)v;
		r->capture->calls->has_cpus = true;
	} else if (r->has_thread) {
		lane.comm = r->thread.comm;
		lane.pid = r->thread.tid;
		lane.has_pid = r->thread.has_tid;
		r->capture->calls->has_tasks = true;
	}
	return calls_lane(r->capture->calls, lane);
}

/*
 * Process an event of type "O": the frame o->frame begins. Adds a call, or a stack node if the
 * capture has samples. False: the limit of calls is reached.
 */
static bool speedscope_open(struct speedscope_reader *r, struct speedscope_open *o,
			    const struct speedscope_open *parent, uint32_t depth, uint32_t lane)
{
	struct calls *c = r->capture->calls;

	if (!c) {
		o->node = stacks_push(&r->capture->profile->stacks,
				      parent ? parent->node : r->bottom, r->frames.data[o->frame]);
		return true;
	}
	return calls_add(c, r->frames.data[o->frame], parent ? parent->call : INDEX_NONE, lane,
			 depth, CALL_CLOSED, 0, &o->call) == OK;
}

static void speedscope_read_evented(struct speedscope_reader *r, struct str name, bool has_starts)
{
	struct json_object *events = json_doc_get(r->profile, "events");
	struct calls *c = r->capture->calls;
	VEC(struct speedscope_open) open = VEC_INIT;
	uint32_t lane = c ? speedscope_lane(r, name) : 0;
	uint64_t last =
		json_doc_scaled(json_doc_number(json_doc_get(r->profile, "startValue")), r->scale);

	for (size_t i = 0; i < json_doc_len(events); i++) {
		struct json_object *e = json_doc_at(events, i);
		uint64_t at = json_doc_scaled(json_doc_number(json_doc_get(e, "at")), r->scale);
		uint32_t frame = json_doc_index(json_doc_get(e, "frame"), r->frames.len);
		bool is_open = str_eq(json_doc_text(json_doc_get(e, "type")), STR("O"));

		at = at < last ? last : at;
		if (!c && at > last &&
		    !speedscope_sample(r, open.len ? open.data[open.len - 1].node : r->bottom,
				       at - last))
			break;
		last = at;
		if (frame == UINT32_MAX) {
			diag_count(&r->capture->diag, &speedscope_bad_frame, 0);
		} else if (is_open && open.len >= LIMIT_CALL_DEPTH) {
			diag_count(&r->capture->diag, &speedscope_deep, 0);
		} else if (is_open) {
			struct speedscope_open o = { .frame = frame, .start = at };

			if (!speedscope_open(r, &o, open.len ? &open.data[open.len - 1] : NULL,
					     (uint32_t)open.len, lane))
				break;
			if (c && has_starts)
				calls_set_start(c, o.call, at);
			*VEC_PUSH(&open) = o;
		} else if (open.len == 0 || open.data[open.len - 1].frame != frame) {
			diag_count(&r->capture->diag, &speedscope_unopened, 0);
		} else {
			struct speedscope_open o = open.data[--open.len];

			if (c)
				calls_set_duration(c, o.call, at - o.start);
		}
	}
	diag_add(&r->capture->diag, &speedscope_unclosed, open.len, 0);
	for (size_t i = 0; c && i < open.len; i++)
		c->state.data[open.data[i].call] =
			(uint8_t)((c->state.data[open.data[i].call] & ~CALL_STATE_MASK) |
				  CALL_OPEN);
	VEC_FREE(&open);
}

static void speedscope_read_profile(struct speedscope_reader *r)
{
	static const struct str no_starts = { ", starts not in the trace", 25 };
	struct str type = json_doc_text(json_doc_get(r->profile, "type"));
	struct str unit = json_doc_text(json_doc_get(r->profile, "unit"));
	struct str name = json_doc_text(json_doc_get(r->profile, "name"));
	bool is_evented = str_eq(type, STR("evented"));
	bool has_starts = !(r->is_ours && str_ends(name, no_starts));
	struct str event = STR_NONE;
	struct str own = STR_NONE;

	if (!has_starts)
		name.len -= no_starts.len;
	if (r->is_ours)
		name = speedscope_own_name(name, &event, &own);
	r->has_thread = false;
	r->thread = (struct profile_thread){ .pid = 0 };
	if (r->is_ours) {
		r->has_thread = export_thread_parse(r->d, name, &r->thread);
	} else if (r->n_profiles > 1 && name.len) {
		r->has_thread = true;
		r->thread.comm = strings_add(&r->d->strings, name);
	}
	r->unit = speedscope_unit(r, unit, event, own);
	r->scale = r->unit == WEIGHT_NS ? speedscope_time_unit(unit) : 0;
	speedscope_group(r, event, r->is_ours ? own : unit, is_evented && r->unit == WEIGHT_NS);
	r->bottom = STACK_ROOT;
	if (r->capture->profile && r->has_thread && r->thread.comm.v)
		r->bottom = stacks_push(
			&r->capture->profile->stacks, STACK_ROOT,
			symbols_add(&r->d->symbols, r->thread.comm, STR_ID_NONE, SPACE_COMM));
	if (!is_evented) {
		speedscope_read_sampled(r);
		return;
	}
	if (r->scale == 0)
		r->scale = 1;
	speedscope_read_evented(r, name, has_starts);
}

/* Complete the captures. False: no capture has samples or calls. */
static bool speedscope_finish(struct speedscope_reader *r)
{
	bool any = false;

	VEC_FOREACH (g, &r->groups) {
		struct capture *c = r->d->captures.data[g->capture];

		if (c->calls) {
			calls_finish(c->calls);
			c->calls->duration_decimals = 3;
			any |= c->calls->n > 0;
		}
		if (c->profile) {
			c->profile->n_samples = c->profile->samples.n;
			c->profile->has_n_samples = r->is_ours &&
						    c->profile->unit != WEIGHT_UNKNOWN &&
						    c->profile->unit != WEIGHT_PERCENT;
			any |= c->profile->samples.n > 0;
		}
		if (r->is_cut)
			diag_count(&c->diag, &speedscope_cut, 0);
	}
	return any;
}

static int speedscope_read(const struct region *in, struct dossier *d, struct error *err)
{
	CLEANUP(json_doc_freep) struct json_object *root = NULL;
	struct speedscope_reader r = { .in = in, .d = d };
	struct json_object *profiles;
	int status = json_doc_open(in->text, &root, &r.is_cut, err);
	bool any;

	if (status < 0)
		return status;
	r.root = root;
	r.is_ours = str_starts(json_doc_text(json_doc_get(root, "exporter")), STR("assay "));
	profiles = json_doc_get(root, "profiles");
	r.n_profiles = json_doc_len(profiles);
	speedscope_frames(&r);
	for (size_t i = 0; i < r.n_profiles; i++) {
		r.profile = json_doc_at(profiles, i);
		speedscope_read_profile(&r);
	}
	any = speedscope_finish(&r);
	VEC_FREE(&r.frames);
	VEC_FREE(&r.groups);
	return any ? OK : fail(err, ERR_FORMAT, "a speedscope file without a sample or a call");
}

static bool speedscope_is(struct str text)
{
	return json_doc_has(text, STR("speedscope.app/file-format-schema"));
}

static bool speedscope_find(struct str text, size_t from, struct extent *ret)
{
	return json_doc_find(text, from, from == 0 && speedscope_is(text), ret);
}

static unsigned int speedscope_probe(struct str head)
{
	return speedscope_is(head) ? 98 : 0;
}

static const char *const speedscope_extensions[] = { ".speedscope.json", NULL };

const struct format format_speedscope = {
	.name = "speedscope",
	.summary = "a speedscope file: samples or calls of threads",
	.kinds = KIND_PROFILE | KIND_CALLS,
	.extensions = speedscope_extensions,
	.probe = speedscope_probe,
	.find = speedscope_find,
	.read = speedscope_read,
	.check = export_check_stacks,
	.write_all = speedscope_write,
};
