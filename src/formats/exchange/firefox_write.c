/* SPDX-License-Identifier: MIT */
/*
 * firefox_write.c - write captures as a processed Firefox profile, version 48
 *
 * Each thread of a profile becomes a thread of the file. The thread's name contains the command, so
 * the command gets no frame. The tables of a thread have only the rows that its samples use. The
 * type of the weights is tracing-ms for times, bytes for bytes, and samples for all other units.
 * The process name contains the actual unit.
 */
#include "formats/exchange/firefox.h"

#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/json.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/paths.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/exchange/export.h"

#include "config.h"

/* a missing number in a table; firefox_key_numbers() writes it as null or -1 */
#define FIREFOX_NULL UINT32_MAX

struct firefox_writer {
	struct json j;
	struct out name;
	struct out origin; /* export_origin() of the capture, such as " of b.data"; usually empty */
	const struct capture *capture;
	const struct symbols *symbols;
	uint64_t origin_ns; /* time 0 of the file, in ns */
	VEC(str_id) libs;   /* names of all modules */
	uint32_t *lib_of;   /* per str_id: index of the module in libs, plus 1; 0: not a module */
	size_t n_lib_of;

	/*
	 * The arrays below give the row of each node, symbol and lib in the tables of the current
	 * thread. A row is valid only if its epoch equals `thread`, the number of the current
	 * thread.
	 */
	uint32_t thread;
	uint32_t *node_stack; /* per node: its row in the stack table */
	uint32_t *node_epoch; /* per node: number of the thread for which node_stack was set */
	uint32_t *sym_func;   /* per symbol: its row in the function table */
	uint32_t *sym_epoch;
	uint32_t *lib_resource; /* per element of libs: its row in the resource table */
	uint32_t *lib_epoch;
	VEC(uint32_t) stack_prefix;
	VEC(uint32_t) stack_func;
	VEC(sym_id) func_sym;
	VEC(uint32_t) func_name;
	VEC(uint32_t) func_resource;
	VEC(uint32_t) resource_lib;
	VEC(uint32_t) resource_name;
	VEC(uint32_t) path;
	struct strings strings;
};

/* Categories of frames, with their colours in the viewer. A frame refers to a category by index. */
static const struct {
	const char *name;
	const char *colour;
} firefox_categories[] = {
	{ "Other", "grey" },
	{ "User", "yellow" },
	{ "Kernel", "orange" },
	{ "JIT", "green" },
	{ "Guest", "magenta" },
	{ "BPF", "purple" },
	{ "Not resolved", "darkgrey" },
};

static uint32_t firefox_category(const struct symbol *s)
{
	if (s->flags & SYMBOL_ADDRESS)
		return 6;
	switch (s->space) {
	case SPACE_USER:
	case SPACE_VDSO:
		return 1;
	case SPACE_KERNEL:
	case SPACE_HYPERVISOR:
		return 2;
	case SPACE_JIT:
		return 3;
	case SPACE_GUEST_KERNEL:
	case SPACE_GUEST_USER:
		return 4;
	case SPACE_BPF:
		return 5;
	default:
		return 0;
	}
}

static uint32_t firefox_string(struct firefox_writer *w, struct str s)
{
	/* the id becomes the index of @s in "stringArray" of the file; id 0 is the empty string */
	return strings_add(&w->strings, s).v;
}

static uint32_t firefox_resource(struct firefox_writer *w, str_id module)
{
	uint32_t lib;

	if (module.v == 0 || module.v >= w->n_lib_of || !w->lib_of[module.v])
		return FIREFOX_NULL;
	lib = w->lib_of[module.v] - 1;
	if (w->lib_epoch[lib] != w->thread) {
		w->lib_epoch[lib] = w->thread;
		w->lib_resource[lib] = (uint32_t)w->resource_lib.len;
		*VEC_PUSH(&w->resource_lib) = lib;
		*VEC_PUSH(&w->resource_name) =
			firefox_string(w, strings_get(w->symbols->strings, module));
	}
	return w->lib_resource[lib];
}

static uint32_t firefox_func(struct firefox_writer *w, sym_id sym)
{
	if (w->sym_epoch[sym.v] == w->thread)
		return w->sym_func[sym.v];
	w->sym_epoch[sym.v] = w->thread;
	w->sym_func[sym.v] = (uint32_t)w->func_sym.len;
	w->name.len = 0;
	export_name(w->symbols, sym, false, &w->name);
	*VEC_PUSH(&w->func_sym) = sym;
	*VEC_PUSH(&w->func_name) = firefox_string(w, out_view(&w->name));
	*VEC_PUSH(&w->func_resource) = firefox_resource(w, export_module_id(w->symbols, sym));
	return w->sym_func[sym.v];
}

/*
 * Returns the row of @node in the stack table; adds the row if it is missing. FIREFOX_NULL: @node
 * is the root, or has no frame besides the command. @without_comm: the command at the bottom of the
 * stack gets no row.
 */
static uint32_t firefox_stack(struct firefox_writer *w, const struct stacks *s, uint32_t node,
			      bool without_comm)
{
	uint32_t prefix = FIREFOX_NULL;

	w->path.len = 0;
	for (; node; node = s->parent.data[node]) {
		if (w->node_epoch[node] == w->thread) {
			prefix = w->node_stack[node];
			break;
		}
		if (without_comm && s->parent.data[node] == 0 &&
		    symbols_get(w->symbols, s->sym.data[node])->space == SPACE_COMM)
			break;
		*VEC_PUSH(&w->path) = node;
	}
	while (w->path.len) {
		uint32_t at = w->path.data[--w->path.len];

		w->node_epoch[at] = w->thread;
		w->node_stack[at] = (uint32_t)w->stack_prefix.len;
		*VEC_PUSH(&w->stack_prefix) = prefix;
		*VEC_PUSH(&w->stack_func) = firefox_func(w, s->sym.data[at]);
		prefix = w->node_stack[at];
	}
	return prefix;
}

/* Write an array of numbers. FIREFOX_NULL is written as null if @none_is_null, otherwise as -1. */
static void firefox_key_numbers(struct firefox_writer *w, const char *key, const uint32_t *v,
				size_t n, bool none_is_null)
{
	json_key(&w->j, key);
	json_array(&w->j);
	for (size_t i = 0; i < n; i++) {
		if (v[i] != FIREFOX_NULL)
			json_u64(&w->j, v[i]);
		else if (none_is_null)
			json_null(&w->j);
		else
			json_i64(&w->j, -1);
	}
	json_array_end(&w->j);
}

/* Write an array with @n elements, each of which is @value. */
static void firefox_key_same(struct firefox_writer *w, const char *key, const char *value, size_t n)
{
	json_key(&w->j, key);
	json_array(&w->j);
	for (size_t i = 0; i < n; i++) {
		out_z(w->j.out, i ? "," : "");
		out_z(w->j.out, value);
	}
	json_array_end(&w->j);
}

static void firefox_table(struct firefox_writer *w, const char *key, size_t length)
{
	out_char(w->j.out, '\n');
	json_key(&w->j, key);
	json_object(&w->j);
	json_key(&w->j, "length");
	json_u64(&w->j, length);
}

static void firefox_stack_table(struct firefox_writer *w)
{
	size_t n = w->stack_func.len;

	firefox_table(w, "stackTable", n);
	firefox_key_numbers(w, "prefix", w->stack_prefix.data, n, true);
	firefox_key_numbers(w, "frame", w->stack_func.data, n, true);
	json_key(&w->j, "category");
	json_array(&w->j);
	for (size_t i = 0; i < n; i++)
		json_u64(&w->j, firefox_category(symbols_get(
					w->symbols, w->func_sym.data[w->stack_func.data[i]])));
	json_array_end(&w->j);
	firefox_key_same(w, "subcategory", "0", n);
	json_object_end(&w->j);
}

/* The frame table has one frame per function, because addresses and lines are unknown. */
static void firefox_frame_table(struct firefox_writer *w)
{
	static const char *const nulls[] = { "nativeSymbol", "innerWindowID", "implementation",
					     "line", "column" };
	size_t n = w->func_sym.len;

	firefox_table(w, "frameTable", n);
	firefox_key_same(w, "address", "-1", n);
	json_key(&w->j, "inlineDepth");
	json_array(&w->j);
	for (size_t i = 0; i < n; i++)
		json_u64(&w->j, symbols_get(w->symbols, w->func_sym.data[i])->flags & SYMBOL_INLINED
					? 1
					: 0);
	json_array_end(&w->j);
	json_key(&w->j, "category");
	json_array(&w->j);
	for (size_t i = 0; i < n; i++)
		json_u64(&w->j, firefox_category(symbols_get(w->symbols, w->func_sym.data[i])));
	json_array_end(&w->j);
	firefox_key_same(w, "subcategory", "0", n);
	json_key(&w->j, "func");
	json_array(&w->j);
	for (size_t i = 0; i < n; i++)
		json_u64(&w->j, i);
	json_array_end(&w->j);
	for (size_t i = 0; i < ARRAY_LEN(nulls); i++)
		firefox_key_same(w, nulls[i], i == 1 ? "0" : "null", n);
	json_object_end(&w->j);

	firefox_table(w, "funcTable", n);
	firefox_key_same(w, "isJS", "false", n);
	firefox_key_same(w, "relevantForJS", "false", n);
	firefox_key_numbers(w, "name", w->func_name.data, n, true);
	firefox_key_numbers(w, "resource", w->func_resource.data, n, false);
	firefox_key_same(w, "fileName", "null", n);
	firefox_key_same(w, "lineNumber", "null", n);
	firefox_key_same(w, "columnNumber", "null", n);
	json_object_end(&w->j);
}

static void firefox_other_tables(struct firefox_writer *w)
{
	static const char *const markers[] = { "data",    "name",  "startTime",
					       "endTime", "phase", "category" };
	static const char *const natives[] = { "libIndex", "address", "name", "functionSize" };
	size_t n = w->resource_lib.len;

	firefox_table(w, "resourceTable", n);
	firefox_key_numbers(w, "lib", w->resource_lib.data, n, true);
	firefox_key_numbers(w, "name", w->resource_name.data, n, true);
	firefox_key_same(w, "host", "null", n);
	firefox_key_same(w, "type", "1", n);
	json_object_end(&w->j);
	firefox_table(w, "nativeSymbols", 0);
	for (size_t i = 0; i < ARRAY_LEN(natives); i++)
		firefox_key_same(w, natives[i], "", 0);
	json_object_end(&w->j);
	firefox_table(w, "markers", 0);
	for (size_t i = 0; i < ARRAY_LEN(markers); i++)
		firefox_key_same(w, markers[i], "", 0);
	json_object_end(&w->j);
	out_char(w->j.out, '\n');
	json_key(&w->j, "stringArray");
	json_array(&w->j);
	for (size_t i = 0; i < w->strings.views.len; i++)
		json_str(&w->j, strings_get(&w->strings, (str_id){ (uint32_t)i }));
	json_array_end(&w->j);
}

static const char *firefox_weight_type(enum weight_unit unit)
{
	return unit == WEIGHT_NS ? "tracing-ms" : unit == WEIGHT_BYTES ? "bytes" : "samples";
}

static void firefox_weight(struct firefox_writer *w, uint64_t weight, enum weight_unit unit,
			   unsigned int decimals)
{
	/* print nanoseconds as milliseconds */
	decimals += unit == WEIGHT_NS ? 6 : 0;
	json_fixed(&w->j, (int64_t)(weight > INT64_MAX ? INT64_MAX : weight), decimals);
}

static void firefox_thread_head(struct firefox_writer *w, const struct profile_thread *thread,
				enum weight_unit unit)
{
	struct strings *strings = capture_strings(w->capture);
	const struct profile *p = w->capture->profile;

	json_object(&w->j);
	json_key(&w->j, "processType");
	json_z(&w->j, "default");
	json_key(&w->j, "processName");
	w->name.len = 0;
	if (p && p->event.v)
		out_str(&w->name, strings_get(strings, p->event));
	else if (w->origin.len)
		out_z(&w->name, p ? "stacks" : "calls");
	out_str(&w->name, out_view(&w->origin));
	if (unit == WEIGHT_UNKNOWN && w->origin.len)
		out_z(&w->name, " (weights)");
	else if (unit != WEIGHT_UNKNOWN && (unit != WEIGHT_EVENTS || !p || p->event.v == 0))
		out_printf(&w->name, " (" STR_FMT ")", STR_ARG(export_unit_name(w->capture, unit)));
	json_str(&w->j, out_view(&w->name));
	json_key(&w->j, "processStartupTime");
	json_u64(&w->j, 0);
	json_key(&w->j, "processShutdownTime");
	json_null(&w->j);
	json_key(&w->j, "registerTime");
	json_u64(&w->j, 0);
	json_key(&w->j, "unregisterTime");
	json_null(&w->j);
	json_key(&w->j, "pausedRanges");
	json_array(&w->j);
	json_array_end(&w->j);
	json_key(&w->j, "name");
	if (thread && thread->comm.v)
		json_str(&w->j, strings_get(strings, thread->comm));
	else
		json_z(&w->j, "all threads");
	json_key(&w->j, "isMainThread");
	json_bool(&w->j, !thread || !thread->has_pid || thread->pid == thread->tid);
	w->name.len = 0;
	if (thread && thread->has_pid)
		out_u64(&w->name, thread->pid);
	json_key(&w->j, "pid");
	json_str(&w->j, out_view(&w->name));
	json_key(&w->j, "tid");
	if (thread && thread->has_tid)
		json_u64(&w->j, thread->tid);
	else
		json_z(&w->j, "");
}

static void firefox_thread_begin(struct firefox_writer *w)
{
	w->thread++;
	w->stack_prefix.len = w->stack_func.len = 0;
	w->func_sym.len = w->func_name.len = w->func_resource.len = 0;
	w->resource_lib.len = w->resource_name.len = 0;
	strings_init(&w->strings);
}

static void firefox_thread_end(struct firefox_writer *w)
{
	firefox_stack_table(w);
	firefox_frame_table(w);
	firefox_other_tables(w);
	json_object_end(&w->j);
	out_char(w->j.out, '\n');
	strings_fini(&w->strings);
}

static void firefox_samples_begin(struct firefox_writer *w, size_t n, enum weight_unit unit)
{
	firefox_table(w, "samples", n);
	json_key(&w->j, "weightType");
	json_z(&w->j, firefox_weight_type(unit));
}

/* Write the @n samples whose indexes are in @order, all of one thread. */
static void firefox_sampled(struct firefox_writer *w, const uint32_t *order, size_t n,
			    const struct profile_thread *thread)
{
	const struct profile *p = w->capture->profile;
	enum weight_unit unit = profile_sample_unit(p);
	bool has_times = p->samples.time_ns.len == p->samples.n;
	uint64_t at = 0;

	firefox_thread_begin(w);
	firefox_thread_head(w, thread, unit);
	firefox_samples_begin(w, n, unit);
	json_key(&w->j, "stack");
	json_array(&w->j);
	for (size_t i = 0; i < n; i++) {
		uint32_t stack = firefox_stack(w, &p->stacks, p->samples.stack.data[order[i]].v,
					       thread && thread->comm.v);

		if (stack == FIREFOX_NULL)
			json_null(&w->j);
		else
			json_u64(&w->j, stack);
	}
	json_array_end(&w->j);
	json_key(&w->j, "time");
	json_array(&w->j);
	for (size_t i = 0; i < n; i++) {
		at = has_times ? p->samples.time_ns.data[order[i]] - w->origin_ns
			       : i * UINT64_C(1000000);
		json_fixed(&w->j, (int64_t)(at > INT64_MAX ? INT64_MAX : at), 6);
	}
	json_array_end(&w->j);
	json_key(&w->j, "weight");
	json_array(&w->j);
	for (size_t i = 0; i < n; i++)
		firefox_weight(w, p->samples.weight.data[order[i]], unit,
			       profile_sample_decimals(p));
	json_array_end(&w->j);
	json_object_end(&w->j);
	firefox_thread_end(w);
}

/*
 * Write calls as samples of one thread. Each call path becomes one sample, with its self time as
 * weight.
 */
static void firefox_paths(struct firefox_writer *w, const struct paths *p)
{
	size_t n = 0;

	firefox_thread_begin(w);
	firefox_thread_head(w, NULL, p->unit);
	for (uint32_t i = 0; i < stacks_count(p->stacks); i++)
		n += p->self[i] > 0;
	firefox_samples_begin(w, n, p->unit);
	json_key(&w->j, "stack");
	json_array(&w->j);
	for (uint32_t i = 1; i < stacks_count(p->stacks); i++) {
		if (p->self[i])
			json_u64(&w->j, firefox_stack(w, p->stacks, i, false));
	}
	json_array_end(&w->j);
	json_key(&w->j, "time");
	json_array(&w->j);
	for (size_t i = 0; i < n; i++)
		json_u64(&w->j, i);
	json_array_end(&w->j);
	json_key(&w->j, "weight");
	json_array(&w->j);
	for (uint32_t i = 1; i < stacks_count(p->stacks); i++) {
		if (p->self[i])
			firefox_weight(w, p->self[i], p->unit, p->decimals);
	}
	json_array_end(&w->j);
	json_object_end(&w->j);
	firefox_thread_end(w);
}

static void firefox_capture(struct firefox_writer *w)
{
	const struct profile *p = w->capture->profile;
	struct paths paths;
	uint32_t n_nodes;

	if (paths_of(w->capture, &paths, NULL) < 0)
		return;
	n_nodes = stacks_count(paths.stacks);
	w->node_stack = xcalloc(n_nodes, sizeof(*w->node_stack));
	w->node_epoch = xcalloc(n_nodes, sizeof(*w->node_epoch));
	if (paths.from_calls) {
		firefox_paths(w, &paths);
	} else {
		struct export_threads threads;

		export_threads_of(p, &threads);
		for (uint32_t t = 0; t < threads.n; t++) {
			if (threads.first[t] < threads.first[t + 1])
				firefox_sampled(w, threads.order + threads.first[t],
						threads.first[t + 1] - threads.first[t],
						threads.has_threads ? &p->threads.data[t] : NULL);
		}
		export_threads_fini(&threads);
	}
	free(w->node_stack);
	free(w->node_epoch);
	paths_fini(&paths);
}

static void firefox_meta(struct firefox_writer *w)
{
	json_key(&w->j, "meta");
	json_object(&w->j);
	json_key(&w->j, "interval");
	json_u64(&w->j, 1);
	json_key(&w->j, "startTime");
	json_u64(&w->j, 0);
	json_key(&w->j, "processType");
	json_u64(&w->j, 0);
	json_key(&w->j, "product");
	json_str(&w->j, strings_get(capture_strings(w->capture), w->capture->path));
	json_key(&w->j, "importedFrom");
	json_z(&w->j, "assay " ASSAY_VERSION);
	json_key(&w->j, "stackwalk");
	json_u64(&w->j, 1);
	json_key(&w->j, "debug");
	json_bool(&w->j, false);
	json_key(&w->j, "version");
	json_u64(&w->j, FIREFOX_GECKO_VERSION);
	json_key(&w->j, "preprocessedProfileVersion");
	json_u64(&w->j, FIREFOX_VERSION);
	json_key(&w->j, "symbolicated");
	json_bool(&w->j, true);
	json_key(&w->j, "markerSchema");
	json_array(&w->j);
	json_array_end(&w->j);
	json_key(&w->j, "categories");
	json_array(&w->j);
	for (size_t i = 0; i < ARRAY_LEN(firefox_categories); i++) {
		json_object(&w->j);
		json_key(&w->j, "name");
		json_z(&w->j, firefox_categories[i].name);
		json_key(&w->j, "color");
		json_z(&w->j, firefox_categories[i].colour);
		json_key(&w->j, "subcategories");
		json_array(&w->j);
		json_z(&w->j, "Other");
		json_array_end(&w->j);
		json_object_end(&w->j);
	}
	json_array_end(&w->j);
	json_object_end(&w->j);
	out_char(w->j.out, '\n');
}

static void firefox_add_libs(struct firefox_writer *w, const struct stacks *s)
{
	for (uint32_t i = 1; i < stacks_count(s); i++) {
		str_id module = export_module_id(w->symbols, s->sym.data[i]);

		if (module.v && module.v < w->n_lib_of && !w->lib_of[module.v]) {
			*VEC_PUSH(&w->libs) = module;
			w->lib_of[module.v] = (uint32_t)w->libs.len;
		}
	}
}

static void firefox_libs(struct firefox_writer *w)
{
	static const char *const keys[] = { "name", "path", "debugName", "debugPath" };

	json_key(&w->j, "libs");
	json_array(&w->j);
	for (size_t i = 0; i < w->libs.len; i++) {
		json_object(&w->j);
		json_key(&w->j, "arch");
		json_z(&w->j, "");
		for (size_t k = 0; k < ARRAY_LEN(keys); k++) {
			json_key(&w->j, keys[k]);
			json_str(&w->j, strings_get(w->symbols->strings, w->libs.data[i]));
		}
		json_key(&w->j, "breakpadId");
		json_z(&w->j, "000000000000000000000000000000000");
		json_key(&w->j, "codeId");
		json_null(&w->j);
		json_object_end(&w->j);
	}
	json_array_end(&w->j);
	out_char(w->j.out, '\n');
}

static void firefox_prepare(struct firefox_writer *w, const struct capture *const *captures,
			    size_t n)
{
	w->origin_ns = UINT64_MAX;
	for (size_t i = 0; i < n; i++) {
		const struct profile *p = captures[i]->profile;
		struct paths paths;

		for (size_t k = 0; p && k < p->samples.time_ns.len; k++)
			w->origin_ns = p->samples.time_ns.data[k] < w->origin_ns
					       ? p->samples.time_ns.data[k]
					       : w->origin_ns;
		/*
		 * paths_of() adds texts to the string table. Call it here only for these texts:
		 * w->lib_of, which is allocated below, must have an element for each string.
		 */
		if (paths_of(captures[i], &paths, NULL) == OK)
			paths_fini(&paths);
	}
	(void)strings_add(w->symbols->strings, EXPORT_KERNEL);
	(void)strings_add(w->symbols->strings, EXPORT_COMMAND);
	w->n_lib_of = w->symbols->strings->views.len;
	w->lib_of = xcalloc(w->n_lib_of, sizeof(*w->lib_of));
	w->sym_func = xcalloc(w->symbols->rows.len, sizeof(*w->sym_func));
	w->sym_epoch = xcalloc(w->symbols->rows.len, sizeof(*w->sym_epoch));
	for (size_t i = 0; i < n; i++) {
		struct paths paths;

		if (paths_of(captures[i], &paths, NULL) < 0)
			continue;
		firefox_add_libs(w, paths.stacks);
		paths_fini(&paths);
	}
	w->lib_resource = xcalloc(w->libs.len + 1, sizeof(*w->lib_resource));
	w->lib_epoch = xcalloc(w->libs.len + 1, sizeof(*w->lib_epoch));
}

int firefox_write(const struct capture *const *captures, size_t n, struct out *out,
		  struct error *err)
{
	struct firefox_writer w = { .thread = 0 };

	if (n == 0)
		return fail(err, ERR_UNSUPPORTED, "there is nothing to write");
	w.capture = captures[0];
	w.symbols = capture_symbols(captures[0]);
	out_init(&w.name);
	out_init(&w.origin);
	firefox_prepare(&w, captures, n);
	json_init(&w.j, out, false);
	json_object(&w.j);
	firefox_meta(&w);
	firefox_libs(&w);
	json_key(&w.j, "pages");
	json_array(&w.j);
	json_array_end(&w.j);
	json_key(&w.j, "threads");
	json_array(&w.j);
	for (size_t i = 0; i < n; i++) {
		w.capture = captures[i];
		w.origin.len = 0;
		export_origin(captures, n, i, &w.origin);
		firefox_capture(&w);
	}
	json_array_end(&w.j);
	json_object_end(&w.j);
	out_char(out, '\n');
	out_fini(&w.name);
	out_fini(&w.origin);
	free(w.lib_of);
	free(w.sym_func);
	free(w.sym_epoch);
	free(w.lib_resource);
	free(w.lib_epoch);
	VEC_FREE(&w.libs);
	VEC_FREE(&w.stack_prefix);
	VEC_FREE(&w.stack_func);
	VEC_FREE(&w.func_sym);
	VEC_FREE(&w.func_name);
	VEC_FREE(&w.func_resource);
	VEC_FREE(&w.resource_lib);
	VEC_FREE(&w.resource_name);
	VEC_FREE(&w.path);
	return OK;
}
