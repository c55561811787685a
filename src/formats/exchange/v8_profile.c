/* SPDX-License-Identifier: MIT */
/*
 * v8_profile.c - profiles that V8 writes: .cpuprofile and .heapprofile, of Node and Chrome
 *
 * A CPU profile has a list of nodes, which are the call tree, and a list of samples. A node has the
 * ids of its children. A sample is the id of a node, and stands for the time until the next sample.
 * timeDeltas has the microseconds before each sample. Three names are special: "(idle)" is a sample
 * without work, "(program)" is native code, and "(garbage collector)" is garbage collection. A heap
 * profile is a tree of nodes with their bytes.
 *
 * Sources: V8, src/inspector/js_protocol.pdl, domains Profiler and HeapProfiler.
 */
#include "base/idmap.h"
#include "base/limits.h"
#include "base/out.h"
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
#include "formats/exchange/export.h"
#include "formats/exchange/json_doc.h"
#include "formats/format.h"

DECLARE_FORMAT(v8_profile);

static const struct diag_kind v8_cut = { "v8-profile-cut", DIAG_DATALOSS,
					 "the file ends early: a part of it is missing" };
static const struct diag_kind v8_bad = { "v8-profile-unknown-node", DIAG_DATALOSS,
					 "samples whose node is not in the file" };
static const struct diag_kind v8_deep = { "v8-profile-deep", DIAG_DATALOSS,
					  "nodes below too many others" };
static const struct diag_kind v8_past = { "v8-profile-past-limit", DIAG_DATALOSS,
					  "samples past the limit" };

struct v8_node {
	uint64_t id;
	sym_id sym;      /* function of the node; SYM_ID_NONE: the root, which is no function */
	uint32_t parent; /* index of the parent node; INDEX_NONE: none */
	stack_id stack;
	bool has_stack;
	uint64_t hits;
};

struct v8_reader {
	struct capture *c;
	struct dossier *d;
	VEC(struct v8_node) nodes;
	struct idmap by_id;
};

static uint32_t v8_find(struct v8_reader *r, uint64_t id)
{
	struct idmap_probe p = idmap_first(&r->by_id, hash_u64(id, 61));

	while (idmap_next(&r->by_id, &p)) {
		if (r->nodes.data[p.id].id == id)
			return p.id;
	}
	return INDEX_NONE;
}

/* The symbol of a call frame. Its module is the script. */
static sym_id v8_symbol(struct v8_reader *r, struct json_object *frame)
{
	struct str name = json_doc_text(json_doc_get(frame, "functionName"));
	struct str url = json_doc_text(json_doc_get(frame, "url"));
	int64_t line = json_doc_integer(json_doc_get(frame, "lineNumber"));
	struct out o = { .fd = -1 };
	sym_id sym;

	(void)str_take(&url, STR("file://"));
	if (str_eq(name, STR("(root)")))
		return SYM_ID_NONE;
	if (name.len) {
		out_str(&o, name);
	} else {
		size_t slash = str_rfind_char(url, '/');

		out_z(&o, "(anonymous) ");
		out_str(&o, slash < url.len ? str_skip(url, slash + 1) : url);
		if (line >= 0) {
			out_char(&o, ':');
			out_i64(&o, line + 1); /* V8 counts lines from 0 */
		}
	}
	sym = export_symbol(r->d, str_rtrim(out_view(&o)), url, false);
	out_fini(&o);
	return sym;
}

static void v8_nodes(struct v8_reader *r, struct json_object *nodes)
{
	for (size_t i = 0; i < json_doc_len(nodes) && i < LIMIT_ROWS; i++) {
		struct json_object *n = json_doc_at(nodes, i);
		uint64_t id = (uint64_t)json_doc_integer(json_doc_get(n, "id"));
		struct idmap_probe p;
		int64_t hits = json_doc_integer(json_doc_get(n, "hitCount"));

		if (v8_find(r, id) != INDEX_NONE)
			continue;
		p = idmap_first(&r->by_id, hash_u64(id, 61));
		while (idmap_next(&r->by_id, &p))
			continue;
		idmap_insert(&r->by_id, &p, (uint32_t)r->nodes.len);
		*VEC_PUSH(&r->nodes) = (struct v8_node){
			.id = id,
			.sym = v8_symbol(r, json_doc_get(n, "callFrame")),
			.parent = INDEX_NONE,
			.hits = hits > 0 ? (uint64_t)hits : 0,
		};
	}
	for (size_t i = 0; i < json_doc_len(nodes) && i < LIMIT_ROWS; i++) {
		struct json_object *n = json_doc_at(nodes, i);
		struct json_object *children = json_doc_get(n, "children");
		uint32_t at = v8_find(r, (uint64_t)json_doc_integer(json_doc_get(n, "id")));

		for (size_t k = 0; k < json_doc_len(children); k++) {
			uint32_t child =
				v8_find(r, (uint64_t)json_doc_integer(json_doc_at(children, k)));

			if (child != INDEX_NONE && child != at &&
			    r->nodes.data[child].parent == INDEX_NONE)
				r->nodes.data[child].parent = at;
		}
	}
}

/*
 * The stack of the node @at. Damaged nodes may form a cycle; then the limit of the depth ends the
 * loop.
 */
static stack_id v8_stack(struct v8_reader *r, uint32_t at)
{
	VEC(uint32_t) path = VEC_INIT;
	stack_id stack = STACK_ROOT;
	uint32_t node = at;

	while (node != INDEX_NONE && !r->nodes.data[node].has_stack &&
	       path.len < LIMIT_STACK_DEPTH) {
		*VEC_PUSH(&path) = node;
		node = r->nodes.data[node].parent;
	}
	if (node != INDEX_NONE && r->nodes.data[node].has_stack)
		stack = r->nodes.data[node].stack;
	else if (node != INDEX_NONE)
		diag_count(&r->c->diag, &v8_deep, 0);
	while (path.len) {
		struct v8_node *n = &r->nodes.data[path.data[--path.len]];

		if (n->sym.v != SYM_ID_NONE.v)
			stack = stacks_push(&r->c->profile->stacks, stack, n->sym);
		n->stack = stack;
		n->has_stack = true;
	}
	VEC_FREE(&path);
	return stack;
}

static bool v8_add(struct v8_reader *r, uint32_t node, uint64_t weight)
{
	if (node == INDEX_NONE) {
		diag_count(&r->c->diag, &v8_bad, 0);
		return true;
	}
	if (profile_add_sample(r->c->profile, v8_stack(r, node), weight) < 0) {
		diag_count(&r->c->diag, &v8_past, 0);
		return false;
	}
	return true;
}

/*
 * Add all samples. If the file has no times, add one sample per node, weighted by its count of
 * samples.
 */
static void v8_samples(struct v8_reader *r, struct json_object *root)
{
	struct json_object *samples = json_doc_get(root, "samples");
	struct json_object *deltas = json_doc_get(root, "timeDeltas");
	size_t n = json_doc_len(samples);
	double start = json_doc_number(json_doc_get(root, "startTime"));
	double rest = json_doc_number(json_doc_get(root, "endTime")) - start;

	r->c->profile->unit = n && json_doc_len(deltas) ? WEIGHT_NS : WEIGHT_SAMPLES;
	for (size_t i = 0; i < n && r->c->profile->unit == WEIGHT_NS; i++) {
		double us = json_doc_number(json_doc_at(deltas, i + 1));

		rest -= json_doc_number(json_doc_at(deltas, i));
		/* the last sample lasts until the end of the profile */
		us = i + 1 < n ? us : rest;
		if (!v8_add(r, v8_find(r, (uint64_t)json_doc_integer(json_doc_at(samples, i))),
			    json_doc_scaled(us > 0 ? us : 0, 1e3)))
			return;
	}
	for (uint32_t i = 0; i < r->nodes.len && r->c->profile->unit == WEIGHT_SAMPLES; i++) {
		if (r->nodes.data[i].hits && !v8_add(r, i, r->nodes.data[i].hits))
			return;
	}
}

/*
 * Add the samples of a heap node and its descendants. The depth of the recursion is limited,
 * because json-c limits the depth of a document.
 */
static void v8_heap_node(struct v8_reader *r, struct json_object *n, stack_id above)
{
	struct json_object *children = json_doc_get(n, "children");
	double size = json_doc_number(json_doc_get(n, "selfSize"));
	sym_id sym = v8_symbol(r, json_doc_get(n, "callFrame"));
	stack_id stack =
		sym.v != SYM_ID_NONE.v ? stacks_push(&r->c->profile->stacks, above, sym) : above;

	if (size > 0 && profile_add_sample(r->c->profile, stack, json_doc_scaled(size, 1)) < 0)
		diag_count(&r->c->diag, &v8_past, 0);
	for (size_t i = 0; i < json_doc_len(children); i++)
		v8_heap_node(r, json_doc_at(children, i), stack);
}

static int v8_profile_read(const struct region *in, struct dossier *d, struct error *err)
{
	CLEANUP(json_doc_freep) struct json_object *root = NULL;
	struct v8_reader r = { .d = d };
	struct json_object *head, *cpu;
	struct profile *p;
	bool is_cut;
	int status = json_doc_open(in->text, &root, &is_cut, err);

	if (status < 0)
		return status;
	/* the DevTools protocol puts the profile into another object: {"profile": {...}} */
	cpu = json_doc_get(root, "nodes") ? root : json_doc_get(root, "profile");
	head = json_doc_get(root, "head");
	r.c = format_add_capture(&format_v8_profile, in, d);
	p = capture_profile(r.c);
	if (head && json_doc_get(head, "selfSize")) {
		p->unit = WEIGHT_BYTES;
		p->event = strings_add(&d->strings, STR("inuse_space"));
		v8_heap_node(&r, head, STACK_ROOT);
	} else {
		p->event = strings_add(&d->strings, STR("js-time"));
		v8_nodes(&r, json_doc_get(cpu, "nodes"));
		v8_samples(&r, cpu);
	}
	if (is_cut)
		diag_count(&r.c->diag, &v8_cut, 0);
	p->n_samples = p->samples.n;
	p->has_n_samples = p->unit == WEIGHT_NS;
	VEC_FREE(&r.nodes);
	idmap_fini(&r.by_id);
	return p->samples.n ? OK : fail(err, ERR_FORMAT, "a profile of V8 without a sample");
}

static bool v8_profile_is(struct str text)
{
	if (!json_doc_has(text, STR("\"callFrame\"")))
		return false;
	return json_doc_has(text, STR("\"selfSize\"")) || json_doc_has(text, STR("\"hitCount\"")) ||
	       json_doc_has(text, STR("\"timeDeltas\""));
}

static bool v8_profile_find(struct str text, size_t from, struct extent *ret)
{
	return json_doc_find(text, from, from == 0 && v8_profile_is(text), ret);
}

static unsigned int v8_profile_probe(struct str head)
{
	return v8_profile_is(head) ? 97 : 0;
}

static const char *const v8_profile_extensions[] = { ".cpuprofile", ".heapprofile", NULL };

const struct format format_v8_profile = {
	.name = "v8-profile",
	.title = "profile of V8",
	.summary = ".cpuprofile and .heapprofile of Node and Chrome: samples of JavaScript",
	.kinds = KIND_PROFILE,
	.extensions = v8_profile_extensions,
	.probe = v8_profile_probe,
	.find = v8_profile_find,
	.read = v8_profile_read,
};
