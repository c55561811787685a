/* SPDX-License-Identifier: MIT */
/*
 * firefox.c - processed profiles of the Firefox Profiler
 *
 * Reads version 40 and later. In older versions each thread has its own tables; in later ones,
 * threads share tables. Threads with the same event form one capture. Only files that assay wrote
 * contain names of events. In other files, threads with the same weight type form one capture.
 * Firefox's own format (Gecko's) is not read; foreign.c names it to the user. See
 * docs/formats/firefox.md.
 */
#include "formats/exchange/firefox.h"

#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
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
#include "formats/format.h"

DECLARE_FORMAT(firefox);

#define FIREFOX_MAX_STACKS (UINT32_C(1) << 26)

static const struct diag_kind firefox_bad_stack = {
	"firefox-bad-stacks", DIAG_DATALOSS, "samples whose stack the file does not define"
};
static const struct diag_kind firefox_no_stack = { "firefox-no-stack", DIAG_INFO,
						   "samples without a stack" };
static const struct diag_kind firefox_negative = { "firefox-negative-weights", DIAG_DATALOSS,
						   "weights below zero, taken as zero" };
static const struct diag_kind firefox_deep = { "firefox-deep-stacks", DIAG_DATALOSS,
					       "stacks cut at 4096 frames" };
static const struct diag_kind firefox_markers = { "firefox-markers", DIAG_INFO,
						  "markers, which are no samples" };
static const struct diag_kind firefox_cut = { "json-cut", DIAG_DATALOSS,
					      "documents that end too early" };
static const struct diag_kind firefox_rounded = { "firefox-rounded-weights", DIAG_DATALOSS,
						  "threads whose weights were rounded" };

struct firefox_group {
	str_id name;
	str_id type;
	uint32_t capture;
};

struct firefox_node {
	stack_id node;
	uint32_t epoch;
	uint32_t depth;
};

struct firefox_reader {
	const struct region *in;
	struct dossier *d;
	struct json_object *root;
	/* tables shared by all threads; NULL: each thread has its own tables */
	struct json_object *shared;
	bool is_ours; /* assay wrote the file */
	bool is_cut;
	VEC(struct firefox_group) groups;

	struct json_object *thread;
	struct capture *capture;
	struct json_object *stack_frames;
	struct json_object *stack_prefixes;
	size_t n_frames;
	uint32_t epoch; /* number of the current thread, from 1 */
	/* cache: per row of the stack table, its node; valid if its `epoch` equals r->epoch */
	VEC(struct firefox_node) nodes;
	VEC(uint32_t) path;
	/* cache: per row of the function table, its symbol; SYM_ID_NONE: not looked up yet */
	VEC(sym_id) funcs;
	/* per symbol: 1 if it has a frame that is not inlined; empty if assay wrote the file */
	VEC(uint8_t) is_called;
};

/*
 * The table @key of the current thread. If threads share their tables, the table of the file. NULL:
 * there is none.
 */
static struct json_object *firefox_get(const struct firefox_reader *r, const char *key)
{
	struct json_object *o = json_doc_get(r->thread, key);

	return o ? o : json_doc_get(r->shared, key);
}

static struct str firefox_text(const struct firefox_reader *r, struct json_object *index)
{
	struct json_object *strings = firefox_get(r, "stringArray");
	uint32_t i = json_doc_index(index, json_doc_len(strings));

	if (i == UINT32_MAX)
		/* some tables contain the text itself instead of its index */
		return json_doc_text(index);
	return json_doc_text(json_doc_at(strings, i));
}

static struct str firefox_module(const struct firefox_reader *r, struct json_object *funcs,
				 uint32_t func)
{
	struct json_object *resources = firefox_get(r, "resourceTable");
	struct json_object *names = json_doc_get(resources, "name");
	uint32_t resource = json_doc_index(json_doc_at(json_doc_get(funcs, "resource"), func),
					   json_doc_len(names));

	if (resource == UINT32_MAX)
		return STR_NONE;
	return firefox_text(r, json_doc_at(names, resource));
}

static sym_id firefox_symbol(struct firefox_reader *r, uint32_t frame)
{
	struct json_object *frames = firefox_get(r, "frameTable");
	struct json_object *funcs = firefox_get(r, "funcTable");
	struct json_object *names = json_doc_get(funcs, "name");
	uint32_t func = json_doc_index(json_doc_at(json_doc_get(frames, "func"), frame),
				       json_doc_len(names));
	bool is_inlined =
		json_doc_number(json_doc_at(json_doc_get(frames, "inlineDepth"), frame)) > 0;
	struct str name;

	if (func == UINT32_MAX)
		return export_symbol(r->d, STR("[unknown]"), STR_NONE, false);
	while (r->funcs.len <= func)
		*VEC_PUSH(&r->funcs) = SYM_ID_NONE;
	if (r->funcs.data[func].v && !is_inlined)
		return r->funcs.data[func];
	name = firefox_text(r, json_doc_at(names, func));
	if (is_inlined) {
		sym_id called = export_symbol(r->d, name, firefox_module(r, funcs, func), false);

		if (called.v < r->is_called.len && r->is_called.data[called.v])
			return called;
		return export_symbol(r->d, name, firefox_module(r, funcs, func), true);
	}
	r->funcs.data[func] = export_symbol(r->d, name.len ? name : STR("[unknown]"),
					    firefox_module(r, funcs, func), false);
	return r->funcs.data[func];
}

/*
 * Fill r->is_called: mark the functions with a frame that is not inlined. All frames of such a
 * function get one symbol, even its inlined frames, as in the Firefox Profiler. In files that assay
 * wrote, inlined frames keep their own symbol, as in perf.
 */
static void firefox_find_called(struct firefox_reader *r, struct json_object *threads)
{
	for (size_t i = 0; i < json_doc_len(threads); i++) {
		struct json_object *frames;

		r->thread = json_doc_at(threads, i);
		frames = firefox_get(r, "frameTable");
		r->funcs.len = 0;
		for (size_t k = 0; k < json_doc_len(json_doc_get(frames, "func")) && k < UINT32_MAX;
		     k++) {
			sym_id sym;

			if (json_doc_number(json_doc_at(json_doc_get(frames, "inlineDepth"), k)) >
			    0)
				continue;
			sym = firefox_symbol(r, (uint32_t)k);
			while (r->is_called.len <= sym.v)
				*VEC_PUSH(&r->is_called) = false;
			r->is_called.data[sym.v] = true;
		}
		if (json_doc_get(r->shared, "frameTable"))
			break;
	}
	r->funcs.len = 0;
}

/*
 * Set the members of @r that describe the stack table of the current thread, such as stack_frames
 * and n_frames.
 */
static void firefox_stacks(struct firefox_reader *r)
{
	struct json_object *table = firefox_get(r, "stackTable");

	r->stack_frames = json_doc_get(table, "frame");
	r->stack_prefixes = json_doc_get(table, "prefix");
	r->n_frames = json_doc_len(json_doc_get(firefox_get(r, "frameTable"), "func"));
	r->epoch++;
	if (!json_doc_get(r->shared, "funcTable"))
		r->funcs.len = 0;
	while (r->nodes.len < json_doc_len(r->stack_frames) && r->nodes.len < FIREFOX_MAX_STACKS)
		*VEC_PUSH(&r->nodes) = (struct firefox_node){ .epoch = 0 };
}

/*
 * The node for row @row of the stack table. It is created on first use. @root: parent of the
 * outermost frame. The caller of a row ("prefix") must have a smaller row number. If a stack is too
 * deep, its outermost frames are lost.
 */
static stack_id firefox_node_of(struct firefox_reader *r, uint32_t row, stack_id root)
{
	stack_id at = root;
	uint32_t depth = 0;

	r->path.len = 0;
	while (row != UINT32_MAX && r->nodes.data[row].epoch != r->epoch) {
		*VEC_PUSH(&r->path) = row;
		if (r->path.len >= LIMIT_STACK_DEPTH) {
			diag_count(&r->capture->diag, &firefox_deep, 0);
			break;
		}
		row = json_doc_index(json_doc_at(r->stack_prefixes, row), row);
	}
	if (row != UINT32_MAX && r->nodes.data[row].epoch == r->epoch) {
		at = r->nodes.data[row].node;
		depth = r->nodes.data[row].depth;
	}
	while (r->path.len) {
		uint32_t i = r->path.data[--r->path.len];
		uint32_t frame = json_doc_index(json_doc_at(r->stack_frames, i), r->n_frames);

		if (depth < LIMIT_STACK_DEPTH) {
			depth++;
			at = stacks_push(&r->capture->profile->stacks, at,
					 frame == UINT32_MAX ? export_symbol(r->d, STR("[unknown]"),
									     STR_NONE, false)
							     : firefox_symbol(r, frame));
		}
		r->nodes.data[i] = (struct firefox_node){ at, r->epoch, depth };
	}
	return at;
}

static enum weight_unit firefox_unit(const struct firefox_reader *r, struct str type,
				     bool has_weight, struct str event, struct str own)
{
	if (str_eq(type, STR("tracing-ms")))
		return WEIGHT_NS;
	if (str_eq(type, STR("bytes")))
		return WEIGHT_BYTES;
	if (!r->is_ours || !has_weight || str_eq(own, STR("samples")))
		return has_weight && !r->is_ours ? WEIGHT_UNKNOWN : WEIGHT_SAMPLES;
	if (str_eq(own, STR("%")))
		return WEIGHT_PERCENT;
	if (str_eq(own, STR("weights")))
		return WEIGHT_UNKNOWN;
	return event.len || own.len ? WEIGHT_EVENTS : WEIGHT_UNKNOWN;
}

/*
 * Set r->capture to the capture for this event and weight type. It is created on first use. @name:
 * name of the event; empty if assay did not write the file, because other files name no events.
 */
static void firefox_group(struct firefox_reader *r, struct str name, struct str type,
			  enum weight_unit unit)
{
	struct strings *s = &r->d->strings;
	str_id name_id = strings_add(s, name);
	str_id type_id = strings_add(s, type);

	VEC_FOREACH (g, &r->groups) {
		if (g->name.v == name_id.v && g->type.v == type_id.v) {
			r->capture = r->d->captures.data[g->capture];
			return;
		}
	}
	r->capture = format_add_capture(&format_firefox, r->in, r->d);
	*VEC_PUSH(&r->groups) =
		(struct firefox_group){ name_id, type_id, (uint32_t)r->d->captures.len - 1 };
	capture_profile(r->capture)->unit = unit;
	r->capture->profile->event = name_id;
}

/*
 * Split the name of a process that assay wrote: "cpu-clock (ns)". Returns "cpu-clock"; *@ret_unit:
 * "ns".
 */
static struct str firefox_own_event(struct str name, struct str *ret_unit)
{
	size_t open = str_rfind_char(name, '(');

	*ret_unit = STR_NONE;
	if (open == name.len || !str_ends(name, STR(")")))
		return name;
	*ret_unit = str_sub(name, open + 1, name.len - 1);
	return str_rtrim(str_sub(name, 0, open));
}

static struct profile_thread firefox_thread(const struct firefox_reader *r, bool *ret_has)
{
	struct str name = json_doc_text(json_doc_get(r->thread, "name"));
	struct profile_thread t = { .pid = 0 };

	*ret_has = !(r->is_ours && str_eq(name, STR("all threads")));
	t.comm = strings_add(&r->d->strings, name);
	t.has_pid = json_doc_id(json_doc_get(r->thread, "pid"), &t.pid);
	t.has_tid = json_doc_id(json_doc_get(r->thread, "tid"), &t.tid);
	return t;
}

static void firefox_sample(struct firefox_reader *r, struct json_object *stack, uint64_t weight,
			   stack_id root)
{
	size_t n = json_doc_len(r->stack_frames);
	uint32_t row = json_doc_index(stack, n < r->nodes.len ? n : r->nodes.len);
	stack_id node = root;

	if (row != UINT32_MAX)
		node = firefox_node_of(r, row, root);
	else if (json_doc_is_null(stack))
		diag_count(&r->capture->diag, &firefox_no_stack, 0);
	else
		diag_count(&r->capture->diag, &firefox_bad_stack, 0);
	if (profile_add_sample(r->capture->profile, node, weight) < 0)
		diag_count(&r->capture->diag, &firefox_bad_stack, 0);
}

/* Does each sample of the thread have a time? */
static bool firefox_has_times(struct json_object *samples)
{
	return json_doc_len(json_doc_get(samples, "time")) ==
	       json_doc_len(json_doc_get(samples, "stack"));
}

static void firefox_samples(struct firefox_reader *r, const struct profile_thread *thread,
			    stack_id root)
{
	struct json_object *samples = json_doc_get(r->thread, "samples");
	struct json_object *stacks = json_doc_get(samples, "stack");
	struct json_object *weights = json_doc_get(samples, "weight");
	struct json_object *times = json_doc_get(samples, "time");
	struct profile *p = r->capture->profile;
	bool has_weights = json_doc_is_array(weights);
	bool has_times = firefox_has_times(samples);
	uint32_t row = thread ? profile_thread(p, *thread) : 0;
	double scale = 1e6;

	if (p->unit != WEIGHT_NS) {
		unsigned int decimals = 0;

		for (size_t i = 0; i < json_doc_len(weights); i++) {
			unsigned int n =
				json_doc_decimals(json_doc_number(json_doc_at(weights, i)), 9);

			decimals = n > decimals ? n : decimals;
		}
		if (profile_set_decimals(p, decimals) < 0)
			diag_count(&r->capture->diag, &firefox_rounded, 0);
		scale = (double)profile_scale(p);
	}
	for (size_t i = 0; i < json_doc_len(stacks); i++) {
		double weight = has_weights ? json_doc_number(json_doc_at(weights, i)) : 1;
		size_t before = p->samples.n;

		if (weight < 0)
			diag_count(&r->capture->diag, &firefox_negative, 0);
		firefox_sample(r, json_doc_at(stacks, i), json_doc_scaled(weight, scale), root);
		if (p->samples.n == before)
			break;
		if (thread)
			*VEC_PUSH(&p->samples.thread) = row;
		if (has_times && p->samples.time_ns.len == before)
			*VEC_PUSH(&p->samples.time_ns) =
				json_doc_scaled(json_doc_number(json_doc_at(times, i)), 1e6);
	}
}

static void firefox_read_thread(struct firefox_reader *r)
{
	struct json_object *samples = json_doc_get(r->thread, "samples");
	struct str type = json_doc_text(json_doc_get(samples, "weightType"));
	bool has_weights = json_doc_is_array(json_doc_get(samples, "weight"));
	struct str own = STR_NONE;
	struct str event = STR_NONE;
	struct profile_thread thread;
	stack_id root = STACK_ROOT;
	bool has_thread;

	if (json_doc_len(json_doc_get(samples, "stack")) == 0)
		return;
	if (r->is_ours)
		event = firefox_own_event(json_doc_text(json_doc_get(r->thread, "processName")),
					  &own);
	firefox_group(r, event, type, firefox_unit(r, type, has_weights, event, own));
	thread = firefox_thread(r, &has_thread);
	if (has_thread && thread.comm.v)
		root = stacks_push(
			&r->capture->profile->stacks, STACK_ROOT,
			symbols_add(&r->d->symbols, thread.comm, STR_ID_NONE, SPACE_COMM));
	firefox_stacks(r);
	firefox_samples(r, has_thread ? &thread : NULL, root);
	diag_add(&r->capture->diag, &firefox_markers,
		 json_doc_len(json_doc_get(json_doc_get(r->thread, "markers"), "name")), 0);
}

/*
 * Complete the captures. If some samples of a capture have no time, the times of all its samples
 * are removed. If some have no thread, the threads are removed.
 */
static void firefox_finish(struct firefox_reader *r)
{
	VEC_FOREACH (g, &r->groups) {
		struct capture *c = r->d->captures.data[g->capture];
		struct profile *p = c->profile;

		if (p->samples.time_ns.len != p->samples.n)
			p->samples.time_ns.len = 0;
		if (p->samples.thread.len != p->samples.n)
			p->samples.thread.len = 0;
		p->n_samples = p->samples.n;
		p->has_n_samples = p->unit != WEIGHT_UNKNOWN && p->unit != WEIGHT_PERCENT;
		if (r->is_cut)
			diag_count(&c->diag, &firefox_cut, 0);
	}
}

static int firefox_read(const struct region *in, struct dossier *d, struct error *err)
{
	CLEANUP(json_doc_freep) struct json_object *root = NULL;
	struct firefox_reader r = { .in = in, .d = d };
	struct json_object *threads;
	struct json_object *meta;
	int status = json_doc_open(in->text, &root, &r.is_cut, err);
	size_t n;

	if (status < 0)
		return status;
	r.root = root;
	r.shared = json_doc_get(root, "shared");
	meta = json_doc_get(root, "meta");
	r.is_ours = str_starts(json_doc_text(json_doc_get(meta, "importedFrom")), STR("assay "));
	threads = json_doc_get(root, "threads");
	if (!r.is_ours)
		firefox_find_called(&r, threads);
	for (size_t i = 0; i < json_doc_len(threads); i++) {
		r.thread = json_doc_at(threads, i);
		firefox_read_thread(&r);
	}
	firefox_finish(&r);
	n = r.groups.len;
	VEC_FREE(&r.groups);
	VEC_FREE(&r.nodes);
	VEC_FREE(&r.path);
	VEC_FREE(&r.funcs);
	VEC_FREE(&r.is_called);
	return n ? OK : fail(err, ERR_FORMAT, "a Firefox profile without a sample");
}

static bool firefox_is(struct str text)
{
	return json_doc_has(text, STR("\"preprocessedProfileVersion\""));
}

static bool firefox_find(struct str text, size_t from, struct extent *ret)
{
	return json_doc_find(text, from, from == 0 && firefox_is(text), ret);
}

static unsigned int firefox_probe(struct str head)
{
	return firefox_is(head) ? 98 : 0;
}

const struct format format_firefox = {
	.name = "firefox",
	.summary = "a processed profile of the Firefox Profiler",
	.kinds = KIND_PROFILE,
	.probe = firefox_probe,
	.find = firefox_find,
	.read = firefox_read,
	.check = export_check_stacks,
	.write_all = firefox_write,
};
