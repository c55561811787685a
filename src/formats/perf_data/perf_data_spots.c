/* SPDX-License-Identifier: MIT */
#include "formats/perf_data/perf_data_spots.h"

#include "base/idmap.h"
#include "base/limits.h"
#include "base/slots.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/code.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/format.h"
#include "formats/perf_data/fast/perf_data_rows.h"
#include "formats/perf_data/perf_data_deferred.h"
#include "formats/perf_data/perf_data_file.h"
#include "formats/perf_data/perf_data_raw.h"
#include "formats/perf_data/perf_data_reader.h"
#include "formats/perf_data/perf_data_sample.h"
#include "formats/perf_data/perf_data_stack.h"
#include "symbols/disassembly.h"
#include "symbols/resolver/resolver.h"
#include "symbols/source_files.h"

#include <stdio.h>

/* minimum self share, in percent, of a function whose code is disassembled */
#define SPOTS_LEAST_PCT 5.0
/*
 * maximum number of functions per event that are disassembled because of their share; with
 * options.with_code_rows, SPOTS_ASKED is used instead
 */
#define SPOTS_FUNCTIONS 8u
/* maximum number of functions per event that are disassembled because options.code_of names them */
#define SPOTS_ASKED 64u

static const struct diag_kind perf_data_spots_past = {
	"perf-data-spots", DIAG_INFO, "samples without their instruction: too many addresses"
};
static const struct diag_kind perf_data_spots_cut = {
	"perf-data-long-function", DIAG_INFO,
	"hot functions of which only the beginning was disassembled"
};

static const struct diag_kind perf_data_spots_changed = {
	"perf-data-newer-source", DIAG_INFO,
	"lines of source files that changed after the program was built: they may be other lines"
};

void perf_spots_fini(struct perf_reader *r)
{
	slots_fini(&r->spots.index);
	VEC_FREE(&r->spots.codes);
	VEC_FREE(&r->spots.rows);
	source_files_free(r->spots.sources);
}

uint32_t perf_spot_of(struct perf_reader *r, uint32_t pid, enum cpumode mode, uint64_t ip,
		      uint64_t state)
{
	struct perf_spots *s = &r->spots;
	uint64_t hash = hash_u64(ip, state);
	struct resolver_code code;
	struct slot *slot;
	uint32_t at = 0;

	if (!s->is_on || mode != CPUMODE_USER)
		return 0;
	slots_reserve(&s->index, 1);
	slot = slots_find(&s->index, (uint32_t)(hash >> 32), (uint32_t)hash);
	if (LIKELY(slot->value))
		return slot->value - 1;
	if (s->index.len >= LIMIT_SPOTS) {
		s->past++;
		return 0;
	}
	if (s->codes.len == 0)
		*VEC_PUSH(&s->codes) = (struct resolver_code){ .sym = SYM_ID_NONE };
	if (resolver_code_at(r->resolver, pid, ip, &code)) {
		at = (uint32_t)s->codes.len;
		*VEC_PUSH(&s->codes) = code;
	}
	slots_fill(&s->index, slot,
		   (struct slot){ (uint32_t)(hash >> 32), (uint32_t)hash, at + 1 });
	return at;
}

/* The weight of one spot (a sampled address) in one event. */
struct spot_weight {
	const struct resolver_code *code;
	uint64_t weight, n;
};

/* The spots (sampled addresses) of one function: a range of a sorted list. */
struct spot_function {
	const struct spot_weight *spots;
	size_t n_spots;
	uint64_t weight, n;
};

/* compare by file, function, then address */
static int spots_compare(const void *a, const void *b)
{
	const struct resolver_code *x = ((const struct spot_weight *)a)->code;
	const struct resolver_code *y = ((const struct spot_weight *)b)->code;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* compare by weight, the heaviest first; then by the address, the lowest first */
static int spots_compare_functions(const void *a, const void *b)
{
	const struct spot_function *x = a;
	const struct spot_function *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return spots_compare(x->spots, y->spots);
}

typedef VEC(struct spot_function) spot_functions;

/* Group the spots of one event by function. @spots: sorted by spots_compare(). */
static void spots_group(const struct spot_weight *spots, size_t n, spot_functions *ret)
{
	struct spot_function *f = NULL;

	for (size_t i = 0; i < n; i++) {
		if (!f || f->spots->code->module != spots[i].code->module ||
		    f->spots->code->start != spots[i].code->start) {
			f = VEC_PUSH(ret);
			*f = (struct spot_function){ .spots = &spots[i] };
		}
		f->n_spots++;
		f->weight += spots[i].weight;
		f->n += spots[i].n;
	}
	VEC_SORT(ret, spots_compare_functions);
}

/*
 * The text of an instruction. For a direct jump or call, the text contains its target: "jne 1270
 * <+0x10>".
 */
static str_id spots_text(struct perf_reader *r, const struct resolver_code *code,
			 const struct resolver_bytes *bytes, const struct disassembly_row *in)
{
	struct strings *strings = &r->file.dossier->strings;
	/* address of the target as an offset in the file */
	uint64_t target = in->target - bytes->shift;
	char text[DISASSEMBLY_TEXT + 200];
	uint64_t distance = 0;
	struct str name;
	int n;

	if (!in->has_target)
		return strings_add(strings, str_of(in->text));
	if (target >= code->start && target < code->end) {
		n = snprintf(text, sizeof(text), "%s %llx <+0x%llx>", in->text,
			     (unsigned long long)in->target,
			     (unsigned long long)(target - code->start));
	} else {
		name = str_sub(resolver_code_name(r->resolver, code, target, &distance), 0, 128);
		n = snprintf(text, sizeof(text), "%s %llx", in->text,
			     (unsigned long long)in->target);
		if (name.len && distance)
			n += snprintf(text + n, sizeof(text) - (size_t)n, " <" STR_FMT "+0x%llx>",
				      STR_ARG(name), (unsigned long long)distance);
		else if (name.len)
			n += snprintf(text + n, sizeof(text) - (size_t)n, " <" STR_FMT ">",
				      STR_ARG(name));
	}
	return strings_add(strings, (struct str){ text, (size_t)n });
}

/*
 * Add the source line @at as a row without weight. It is left out if it is the same line as @last.
 * @built_s: time of the last change of the program.
 */
static void spots_source(struct perf_reader *r, struct code *out, const struct resolver_source *at,
			 struct resolver_source *last, int64_t built_s)
{
	int64_t changed_s = 0;
	struct code_row *row;
	struct str text;

	if (!r->spots.sources || (at->file.v == last->file.v && at->line == last->line))
		return;
	*last = *at;
	text = source_files_line(r->spots.sources, at->folder, at->path, at->line, &changed_s);
	row = text.p ? code_add_row(out, 0) : NULL;
	if (!row)
		return;
	row->text = strings_add(&r->file.dossier->strings, text);
	row->file = at->file;
	row->number = at->line;
	row->inlined = at->inlined;
	row->is_source = true;
	r->spots.changed += built_s && changed_s > built_s;
}

/*
 * Add a row for each instruction of a function. The weight of an instruction is the sum of its
 * spots (sampled addresses).
 */
static void spots_rows(struct perf_reader *r, struct code *out, const struct spot_function *f,
		       const struct resolver_bytes *bytes, const struct disassembly *d)
{
	struct resolver_source last = { .line = 0 };
	struct resolver_code at = *f->spots->code;
	size_t spot = 0;

	for (size_t done = 0; done < bytes->len;) {
		struct disassembly_row in;
		struct resolver_source source;
		struct code_row *row;
		uint64_t weight = 0;
		bool has_source;

		at.offset = at.start + done;
		has_source = resolver_code_source(r->resolver, &at, &source);
		if (has_source)
			spots_source(r, out, &source, &last, bytes->changed_s);
		row = code_add_row(out, 0);
		if (!row)
			return;
		disassembly_next(d, bytes->data + done, bytes->len - done, at.offset + bytes->shift,
				 &in);
		for (; spot < f->n_spots && f->spots[spot].code->offset < at.offset + in.len;
		     spot++) {
			weight += f->spots[spot].weight;
			if (r->spots.rows.len)
				r->spots.rows.data[f->spots[spot].code - r->spots.codes.data] =
					(uint32_t)out->rows.len;
		}
		row->self = row->cum = 100 * (double)weight / (double)f->weight;
		row->has_weight = true;
		row->address = at.offset + bytes->shift;
		if (in.has_target && !str_starts(str_of(in.text), STR("call")) &&
		    in.target - bytes->shift >= at.start && in.target - bytes->shift < at.end)
			row->target = in.target;
		row->text = spots_text(r, &at, bytes, &in);
		if (has_source) {
			row->file = source.file;
			row->number = source.line;
			row->inlined = source.inlined;
		}
		done += in.len;
	}
}

/*
 * Read the code of a function, and make a disassembler for this code. On error, @err has the
 * reason.
 */
static int spots_read(struct perf_reader *r, const struct resolver_code *code,
		      struct resolver_bytes *ret_bytes, struct disassembly **ret, struct error *err)
{
	size_t left = LIMIT_CODES_BYTES - r->spots.n_bytes;
	int status;

	if (left == 0)
		return fail(err, ERR_LIMIT, "the functions before it have too much code");
	status = resolver_code_read(r->resolver, code,
				    left < LIMIT_CODE_BYTES ? left : LIMIT_CODE_BYTES, ret_bytes,
				    err);
	if (status < 0)
		return status;
	r->spots.n_bytes += ret_bytes->len;
	status = disassembly_new(ret_bytes->machine, ret, err);
	if (status < 0)
		free(ret_bytes->data);
	return status;
}

/*
 * Add the instructions of a function to the listing of @c. If its code cannot be read, add the
 * function with the reason to the functions without code.
 */
static void spots_function(struct perf_reader *r, struct capture *c, const struct spot_function *f)
{
	const struct resolver_code *code = f->spots->code;
	struct code *out = capture_instructions(c);
	double of_all = 100 * (double)f->weight / (double)c->profile->event_count;
	struct disassembly *d;
	struct resolver_bytes bytes;
	struct error err = { "" };
	struct code_function *function;

	if (spots_read(r, code, &bytes, &d, &err) < 0) {
		*VEC_PUSH(&out->missing) = (struct code_missing){
			code->sym, of_all, strings_add(&r->file.dossier->strings, str_of(err.msg))
		};
		return;
	}
	if (bytes.len < code->end - code->start)
		diag_count(&c->diag, &perf_data_spots_cut, 0);
	function = code_add_function(out, code->sym, 0);
	function->file = resolver_code_module(r->resolver, code);
	function->whole = 100;
	function->of_all = of_all;
	function->samples = f->n;
	spots_rows(r, out, f, &bytes, d);
	disassembly_free(d);
	free(bytes.data);
}

/*
 * Whether a pattern in options.code_of matches the name of the function at @code, with or without
 * its parameters, such as "(int)".
 */
static bool spots_is_asked(const struct perf_reader *r, const struct resolver_code *code)
{
	const struct read_options *options = &r->file.in->options;
	struct str name = symbols_name(&r->file.dossier->symbols, code->sym);

	for (size_t i = 0; i < options->n_code_of; i++) {
		if (symbol_name_matches(name, options->code_of[i]))
			return true;
	}
	return false;
}

/*
 * Add the functions that options.code_of names to the listing of @c. Returns how many were added.
 */
static size_t spots_asked(struct perf_reader *r, struct capture *c, const spot_functions *functions)
{
	size_t n = 0;

	for (size_t i = 0; i < functions->len && n < SPOTS_ASKED; i++) {
		if (spots_is_asked(r, functions->data[i].spots->code)) {
			spots_function(r, c, &functions->data[i]);
			n++;
		}
	}
	return n;
}

/*
 * Add the functions with the largest shares to the listing of @c, except those that spots_asked()
 * added.
 */
static void spots_hottest(struct perf_reader *r, struct capture *c, const spot_functions *functions,
			  double least)
{
	size_t most = r->file.in->options.with_code_rows ? SPOTS_ASKED : SPOTS_FUNCTIONS;

	for (size_t i = 0; i < functions->len && i < most; i++) {
		if ((double)functions->data[i].weight >= least &&
		    !spots_is_asked(r, functions->data[i].spots->code))
			spots_function(r, c, &functions->data[i]);
	}
}

/*
 * Convert samples.code_row of each sample of @c. Before the call, it is an index in r->spots.codes.
 * After the call, it is the index of the instruction's row in the listing, plus 1; 0: the listing
 * does not have the instruction.
 */
static void spots_number(struct perf_reader *r, struct capture *c)
{
	VEC_FOREACH (row, &c->profile->samples.code_row)
		*row = *row < r->spots.rows.len ? r->spots.rows.data[*row] : 0;
}

/*
 * Whether samples of @a are at the instructions that cause the event. This is false for
 * tracepoints, whose samples are where the kernel calls the tracepoint. It is also false for waits,
 * whose samples are in a system call.
 */
static bool spots_are_of_code(const struct perf_file *f, const struct perf_attr *a)
{
	return a->type != PERF_TYPE_TRACEPOINT && !perf_attr_is_off_cpu(f, a);
}

static void spots_of_event(struct perf_reader *r, struct perf_attr *a, const struct perf_rows *rows)
{
	struct capture *c = r->file.dossier->captures.data[a->capture];
	VEC(struct spot_weight) list = VEC_INIT;
	spot_functions functions = VEC_INIT;
	/*
	 * with_code_rows: disassemble functions with small shares, too, because the user may select
	 * samples in which their shares are higher
	 */
	double least = r->file.in->options.with_code_rows
			       ? 0
			       : SPOTS_LEAST_PCT / 100 * (double)c->profile->event_count;

	for (size_t i = 1; i < rows->at_spots.len; i++) {
		const struct perf_spot_sum *sum = &rows->at_spots.data[i];

		if (sum->weight)
			*VEC_PUSH(&list) = (struct spot_weight){ &r->spots.codes.data[i],
								 sum->weight, sum->n };
	}
	if (list.len) {
		VEC_SORT(&list, spots_compare);
		spots_group(list.data, list.len, &functions);
	}
	for (size_t i = 0; r->file.in->options.with_code_rows && i < r->spots.codes.len; i++)
		*VEC_PUSH(&r->spots.rows) = 0;
	if (spots_asked(r, c, &functions) == 0 || r->file.in->options.with_code_rows)
		spots_hottest(r, c, &functions, least);
	spots_number(r, c);
	if (c->instructions) {
		c->instructions->event = a->name;
		c->instructions->unit = WEIGHT_PERCENT;
		c->instructions->is_percent = true;
	}
	VEC_FREE(&functions);
	VEC_FREE(&list);
}

void perf_spots_finish(struct perf_reader *r)
{
	if (!r->spots.is_on)
		return;
	if (r->file.in->options.with_sources)
		r->spots.sources = source_files_new(r->file.dossier->wanted.sources,
						    r->file.dossier->wanted.symfs);
	diag_add(&r->file.diag, &perf_data_spots_past, r->spots.past, 0);
	for (size_t i = 0; i < r->file.attrs.len && i < r->stacks->rows.len; i++) {
		struct perf_attr *a = &r->file.attrs.data[i];

		if (a->capture == INDEX_NONE)
			continue;
		r->spots.rows.len = 0;
		if (spots_are_of_code(&r->file, a))
			spots_of_event(r, a, &r->stacks->rows.data[i]);
		else
			spots_number(r, r->file.dossier->captures.data[a->capture]);
	}
	diag_add(&r->file.diag, &perf_data_spots_changed, r->spots.changed, 0);
}
