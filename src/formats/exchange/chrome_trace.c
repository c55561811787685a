/* SPDX-License-Identifier: MIT */
/*
 * chrome_trace.c - Chrome's trace events
 *
 * Complete events (X) and begin/end pairs (B, E) become calls, nested by time within a thread. All
 * other events (counters, flows, asynchronous events) are only counted in the diag. See
 * docs/formats/chrome-trace.md.
 */
#include "formats/exchange/chrome_trace.h"

#include "base/idmap.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/strings.h"
#include "formats/exchange/export.h"
#include "formats/exchange/json_doc.h"
#include "formats/format.h"

#include <math.h>

DECLARE_FORMAT(chrome_trace);

#define CHROME_MAX_GROUPS 1024u /* maximum number of captures per file */

static const struct diag_kind chrome_other = { "chrome-trace-other-events", DIAG_INFO,
					       "events that are no calls" };
static const struct diag_kind chrome_sampled = {
	"chrome-trace-samples", DIAG_DATALOSS,
	"events of a sampled CPU profile, which assay does not read"
};
static const struct diag_kind chrome_unopened = { "chrome-trace-unopened", DIAG_DATALOSS,
						  "ends of calls that did not begin" };
static const struct diag_kind chrome_bad = { "chrome-trace-bad-events", DIAG_DATALOSS,
					     "events without a time" };
static const struct diag_kind chrome_crossed = {
	"chrome-trace-crossed", DIAG_INFO,
	"calls that end after the call around them, taken as inside it"
};
static const struct diag_kind chrome_too_many = { "chrome-trace-past-limit", DIAG_DATALOSS,
						  "events past the limit" };
static const struct diag_kind chrome_deep = { "chrome-trace-deep-calls", DIAG_DATALOSS,
					      "calls deeper than 4096" };
static const struct diag_kind chrome_cut = { "json-cut", DIAG_DATALOSS,
					     "documents that end too early" };

/* A thread of the file. */
struct chrome_lane {
	uint64_t pid;
	uint64_t tid;
	str_id comm;
	/* number of the capture to which the thread belongs; the first capture of the file has 0 */
	uint32_t group;
	uint32_t lane;     /* index in calls.lanes of the capture */
	bool has_cpu_name; /* the thread has the name of a CPU: "CPU 3" */
	uint16_t cpu;
};

struct chrome_event {
	uint64_t start;
	uint64_t dur;   /* duration; UINT64_MAX: the end of the call is missing */
	uint32_t lane;  /* index of the event's thread in chrome_reader.lanes */
	uint32_t seq;   /* number of the event in the file */
	uint32_t group; /* number of the capture to which the event's thread belongs */
	sym_id sym;
	char kind; /* phase of the event: 'X' complete, 'B' begin, 'E' end */
};

struct chrome_reader {
	const struct region *in;
	struct dossier *d;
	bool is_ours; /* assay wrote the file */
	VEC(struct chrome_lane) lanes;
	struct idmap lanes_map;
	VEC(struct chrome_event) events;
	size_t n_calls; /* number of events 'X' and 'B' */
	struct diag diag;
	/* the start times were measured; false: the program that wrote the file computed them */
	bool is_measured;
	bool has_pairs; /* the file has events B or E */
};

static uint64_t chrome_id(struct json_object *o)
{
	uint32_t id;

	if (json_doc_id(o, &id))
		return id;
	return json_doc_text(o).len ? hash_str(json_doc_text(o)) | UINT64_C(1) << 63 : 0;
}

static uint32_t chrome_lane_of(struct chrome_reader *r, struct json_object *e)
{
	uint64_t pid = chrome_id(json_doc_get(e, "pid"));
	uint64_t tid = chrome_id(json_doc_get(e, "tid"));
	struct idmap_probe p = idmap_first(&r->lanes_map, hash_u64(pid, tid));

	while (idmap_next(&r->lanes_map, &p)) {
		if (r->lanes.data[p.id].pid == pid && r->lanes.data[p.id].tid == tid)
			return p.id;
	}
	idmap_insert(&r->lanes_map, &p, (uint32_t)r->lanes.len);
	*VEC_PUSH(&r->lanes) = (struct chrome_lane){ .pid = pid, .tid = tid };
	return (uint32_t)r->lanes.len - 1;
}

static void chrome_read_metadata(struct chrome_reader *r, struct json_object *e)
{
	struct str name = json_doc_text(json_doc_get(json_doc_get(e, "args"), "name"));
	struct chrome_lane *lane;
	struct str cpu = name;
	uint32_t row;
	uint64_t v;

	if (!str_eq(json_doc_text(json_doc_get(e, "name")), STR("thread_name")) || name.len == 0)
		return;
	/* adding a lane may move r->lanes, so get the pointer after it */
	row = chrome_lane_of(r, e);
	lane = &r->lanes.data[row];
	lane->comm = strings_add(&r->d->strings, name);
	if (r->is_ours && str_take(&cpu, STR("CPU ")) && str_u64(&cpu, &v) && !cpu.len &&
	    v < UINT16_MAX) {
		lane->has_cpu_name = true;
		lane->cpu = (uint16_t)v;
	}
}

static sym_id chrome_symbol(struct chrome_reader *r, struct json_object *e)
{
	struct str name = json_doc_text(json_doc_get(e, "name"));
	/* assay writes the module in "cat"; other programs write categories in "cat" */
	struct str module = r->is_ours ? json_doc_text(json_doc_get(e, "cat")) : STR_NONE;

	return export_symbol(r->d, name.len ? name : STR("[unknown]"), module, false);
}

static struct chrome_event *chrome_add(struct chrome_reader *r, struct json_object *e, char kind)
{
	struct chrome_event *x = VEC_PUSH(&r->events);

	*x = (struct chrome_event){
		.lane = chrome_lane_of(r, e),
		.seq = (uint32_t)r->events.len - 1,
		.kind = kind,
		.dur = UINT64_MAX,
		.sym = kind == 'E' && !json_doc_text(json_doc_get(e, "name")).len
			       ? SYM_ID_NONE
			       : chrome_symbol(r, e),
		.start = json_doc_scaled(json_doc_number(json_doc_get(e, "ts")), 1e3)
	};
	r->n_calls += kind != 'E';
	r->has_pairs |= kind != 'X';
	return x;
}

static void chrome_event(struct chrome_reader *r, struct json_object *e)
{
	struct str ph = json_doc_text(json_doc_get(e, "ph"));
	char kind = ph.len == 1 ? ph.p[0] : '?';
	struct json_object *dur;
	struct chrome_event *x;

	if (kind == 'M') {
		chrome_read_metadata(r, e);
		return;
	}
	if (kind != 'X' && kind != 'B' && kind != 'E') {
		bool is_sampled = kind == 'P' || str_starts(json_doc_text(json_doc_get(e, "name")),
							    STR("ProfileChunk"));

		diag_count(&r->diag, is_sampled ? &chrome_sampled : &chrome_other, 0);
		return;
	}
	if (!json_doc_is_number(json_doc_get(e, "ts"))) {
		diag_count(&r->diag, &chrome_bad, 0);
		return;
	}
	if (r->n_calls >= LIMIT_TRACE_EVENTS || r->events.len >= 2 * LIMIT_TRACE_EVENTS) {
		diag_count(&r->diag, &chrome_too_many, 0);
		return;
	}
	x = chrome_add(r, e, kind);
	dur = kind == 'X' ? json_doc_get(e, "dur") : NULL;
	if (json_doc_is_number(dur) &&
	    !str_eq(json_doc_text(json_doc_get(json_doc_get(e, "args"), "duration")),
		    STR("not in the trace")))
		x->dur = json_doc_scaled(json_doc_number(dur), 1e3);
}

/* Order events by thread, then by start time, then by their order in the file. */
static int chrome_time_cmp(const void *va, const void *vb)
{
	const struct chrome_event *a = va;
	const struct chrome_event *b = vb;

	if (a->lane != b->lane)
		return a->lane < b->lane ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

/*
 * Find the begin event for the end event @x: the innermost of the @n open events that has the same
 * name. If @x has no name, it is the innermost open event. Returns its index in @open; @n: none.
 */
static size_t chrome_begin_of(const struct chrome_reader *r, const size_t *open, size_t n,
			      const struct chrome_event *x)
{
	for (size_t i = n; i-- > 0;) {
		if (!x->sym.v || r->events.data[open[i]].sym.v == x->sym.v)
			return i;
	}
	return n;
}

/*
 * Set the duration of each begin event from its end event, and remove the end events. Events in a
 * file may have any order (Trace Event Format, "JSON Array Format"), so they are first sorted by
 * lane and time.
 */
static void chrome_pair(struct chrome_reader *r)
{
	/* stack of begin events without an end event so far, innermost last */
	VEC(size_t) open = VEC_INIT;
	uint32_t lane = INDEX_NONE;
	size_t n = 0;

	if (!r->has_pairs)
		return;
	VEC_SORT(&r->events, chrome_time_cmp);
	for (size_t i = 0; i < r->events.len; i++) {
		struct chrome_event x = r->events.data[i];
		size_t at;

		if (x.lane != lane)
			open.len = 0;
		lane = x.lane;
		at = x.kind == 'E' ? chrome_begin_of(r, open.data, open.len, &x) : 0;
		if (x.kind == 'E' && at == open.len) {
			diag_count(&r->diag, &chrome_unopened, 0);
		} else if (x.kind == 'E') {
			struct chrome_event *begin = &r->events.data[open.data[at]];

			begin->dur = x.start - begin->start;
			memmove(&open.data[at], &open.data[at + 1],
				(--open.len - at) * sizeof(*open.data));
		} else {
			if (x.kind == 'B')
				*VEC_PUSH(&open) = n;
			r->events.data[n++] = x;
		}
	}
	r->events.len = n;
	VEC_FREE(&open);
}

static int chrome_event_cmp(const void *va, const void *vb)
{
	const struct chrome_event *a = va;
	const struct chrome_event *b = vb;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->lane != b->lane)
		return a->lane < b->lane ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	/*
	 * Of two events with the same start, the longer one contains the shorter one. An event
	 * without an end is the longest.
	 */
	if (a->dur != b->dur)
		return a->dur > b->dur ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

/*
 * Assign each thread to a capture. In a file that assay wrote, each process is a capture; in other
 * files, all threads are one capture. Returns the number of captures.
 */
static uint32_t chrome_groups(struct chrome_reader *r)
{
	struct idmap map = { 0 };
	VEC(uint64_t) pids = VEC_INIT;
	uint32_t n;

	VEC_FOREACH (l, &r->lanes) {
		struct idmap_probe p = idmap_first(&map, hash_u64(l->pid, 0));
		bool is_found = !r->is_ours;

		while (!is_found && idmap_next(&map, &p)) {
			is_found = pids.data[p.id] == l->pid;
			l->group = p.id;
		}
		if (is_found)
			continue;
		l->group = (uint32_t)pids.len;
		if (pids.len == CHROME_MAX_GROUPS) {
			l->group--;
			continue;
		}
		idmap_insert(&map, &p, l->group);
		*VEC_PUSH(&pids) = l->pid;
	}
	n = pids.len ? (uint32_t)pids.len : 1;
	idmap_fini(&map);
	VEC_FREE(&pids);
	VEC_FOREACH (x, &r->events)
		x->group = r->lanes.data[x->lane].group;
	return n;
}

static uint32_t chrome_make_lane(const struct chrome_lane *l, struct calls *c)
{
	struct call_lane lane = { .cpu = UINT16_MAX };

	if (l->has_cpu_name) {
		lane.cpu = l->cpu;
		c->has_cpus = true;
	} else {
		lane.comm = l->comm;
		lane.pid = l->tid < UINT32_C(1000000000) ? (uint32_t)l->tid : 0;
		lane.has_pid = l->tid < UINT32_C(1000000000);
		c->has_tasks = true;
	}
	return calls_lane(c, lane);
}

/*
 * Does @x begin when @top ends, apart from rounding errors? Most writers store microseconds in a
 * double, and this reader rounds to nanoseconds.
 */
static bool chrome_touches(const struct chrome_event *top, const struct chrome_event *x)
{
	uint64_t overlap = top->dur - (x->start - top->start);
	double us = (double)x->start / 1e3;

	return x->dur > overlap && (double)overlap <= 2 + 1e3 * (nextafter(us, INFINITY) - us);
}

/*
 * Add the calls of capture number @group to @capture, nested by time. @from: index in r->events of
 * the group's first event; *@ret_to: index after its last event.
 */
static int chrome_nest(struct chrome_reader *r, uint32_t group, size_t from,
		       struct capture *capture, size_t *ret_to)
{
	struct calls *c = capture_calls(capture);
	VEC(struct chrome_event *) open = VEC_INIT;
	VEC(uint32_t) rows = VEC_INIT;
	uint32_t lane = INDEX_NONE;
	int status = OK;

	for (*ret_to = from; *ret_to < r->events.len; (*ret_to)++) {
		struct chrome_event *x = &r->events.data[*ret_to];
		struct chrome_lane *l = &r->lanes.data[x->lane];
		uint32_t row;

		if (x->group != group)
			break;
		if (x->lane != lane) {
			lane = x->lane;
			open.len = rows.len = 0;
			l->lane = chrome_make_lane(l, c);
		}
		while (open.len) {
			const struct chrome_event *top = open.data[open.len - 1];

			if (top->dur == UINT64_MAX ||
			    (x->start - top->start < top->dur && !chrome_touches(top, x)) ||
			    (x->start == top->start && x->dur == top->dur && x->dur == 0))
				break;
			open.len--;
			rows.len--;
		}
		if (open.len >= LIMIT_CALL_DEPTH) {
			diag_count(&capture->diag, &chrome_deep, 0);
			continue;
		}
		if (open.len) {
			const struct chrome_event *top = open.data[open.len - 1];
			uint64_t left = top->dur - (x->start - top->start);

			if (top->dur != UINT64_MAX && x->dur != UINT64_MAX && x->dur > left)
				diag_count(&capture->diag, &chrome_crossed, 0);
		}
		status = calls_add(c, x->sym, rows.len ? rows.data[rows.len - 1] : INDEX_NONE,
				   l->lane, (uint32_t)open.len,
				   x->dur == UINT64_MAX ? CALL_OPEN : CALL_CLOSED, 0, &row);
		if (status < 0)
			break;
		if (r->is_measured)
			calls_set_start(c, row, x->start);
		if (x->dur != UINT64_MAX)
			calls_set_duration(c, row, x->dur);
		*VEC_PUSH(&open) = x;
		*VEC_PUSH(&rows) = row;
	}
	calls_finish(c);
	c->tracer = strings_add(&r->d->strings, STR("chrome-trace"));
	c->duration_decimals = 3;
	VEC_FREE(&open);
	VEC_FREE(&rows);
	return status;
}

static void chrome_reader_fini(struct chrome_reader *r)
{
	VEC_FREE(&r->lanes);
	VEC_FREE(&r->events);
	idmap_fini(&r->lanes_map);
	diag_fini(&r->diag);
}

static int chrome_trace_read(const struct region *in, struct dossier *d, struct error *err)
{
	CLEANUP(json_doc_freep) struct json_object *root = NULL;
	CLEANUP(chrome_reader_fini) struct chrome_reader r = { .in = in, .d = d };
	struct json_object *events;
	bool is_cut = false;
	int status = json_doc_open(in->text, &root, &is_cut, err);
	uint32_t n_groups;
	size_t at = 0;

	if (status < 0)
		return status;
	events = json_doc_is_array(root) ? root : json_doc_get(root, "traceEvents");
	r.is_ours =
		str_starts(json_doc_text(json_doc_get(json_doc_get(root, "otherData"), "exporter")),
			   STR("assay "));
	r.is_measured =
		!r.is_ours ||
		str_starts(json_doc_text(json_doc_get(json_doc_get(root, "otherData"), "starts")),
			   STR("as in"));
	for (size_t i = 0; i < json_doc_len(events); i++)
		chrome_event(&r, json_doc_at(events, i));
	chrome_pair(&r);
	if (r.events.len == 0)
		return fail(err, ERR_FORMAT,
			    diag_get(&r.diag, "chrome-trace-samples")
				    ? "a Chrome trace with a sampled CPU profile and no calls; "
				      "sampled profiles of Chrome are not read"
				    : "a Chrome trace without calls (events X, B and E)");
	n_groups = chrome_groups(&r);
	VEC_SORT(&r.events, chrome_event_cmp);
	for (uint32_t g = 0; g < n_groups && status == OK; g++) {
		struct capture *c;

		/* no capture for a process without calls */
		if (at < r.events.len && r.events.data[at].group != g)
			continue;
		if (at == r.events.len)
			break;
		c = format_add_capture(&format_chrome_trace, in, d);
		status = chrome_nest(&r, g, at, c, &at);
		if (is_cut)
			diag_count(&c->diag, &chrome_cut, 0);
		VEC_FOREACH (e, &r.diag.entries)
			diag_add(&c->diag, e->kind, e->count, e->first_line);
		r.diag.entries.len = 0;
	}
	return status;
}

static bool chrome_trace_is(struct str text)
{
	return json_doc_has(text, STR("\"traceEvents\"")) ||
	       (json_doc_has(text, STR("\"ph\"")) && json_doc_has(text, STR("\"ts\"")));
}

static bool chrome_trace_find(struct str text, size_t from, struct extent *ret)
{
	return json_doc_find(text, from, from == 0 && chrome_trace_is(text), ret);
}

static unsigned int chrome_trace_probe(struct str head)
{
	return chrome_trace_is(head) ? 98 : 0;
}

static const char *const chrome_trace_extensions[] = { ".json", NULL };

const struct format format_chrome_trace = {
	.name = "chrome-trace",
	.summary = "calls as trace events of Chrome and Perfetto (JSON)",
	.kinds = KIND_CALLS,
	.extensions = chrome_trace_extensions,
	.probe = chrome_trace_probe,
	.find = chrome_trace_find,
	.read = chrome_trace_read,
	.check = chrome_trace_check,
	.write_all = chrome_trace_write,
};
