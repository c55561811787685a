/* SPDX-License-Identifier: MIT */
/*
 * column_tree.c - call trees with columns: copied from Instruments, reports of VTune
 *
 * The indentation of the name gives the depth. A printed self amount is the weight of the line's
 * stack. If no self amount is printed, the weight is the line's amount with callees, minus the
 * amounts of the lines directly under it in the tree. column_head.c reads the lines.
 */
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/format.h"
#include "formats/profilers/column_amount.h"
#include "formats/profilers/column_head.h"

DECLARE_FORMAT(column_tree);

/* maximum number of consecutive lines inside a tree that are not rows */
#define COLUMN_OTHERS 4u
#define COLUMN_BLANKS 3u
#define COLUMN_WHOLE  100e3 /* 100 %, in thousandths of one percent */
/*
 * minimum share, in thousandths of one percent, from which the total is computed; smaller shares
 * are rounded too coarsely
 */
#define COLUMN_LEAST_SHARE 1000
/*
 * the sum of the rows may be smaller than the total because of rounding, but only by this part of
 * the sum (0.02: 2 %)
 */
#define COLUMN_NEARLY 0.02

static const struct diag_kind column_lines = { "column-tree-lines", DIAG_DATALOSS,
					       "lines of a call tree that were not read" };

/* A row whose callees may still follow. */
struct column_open {
	size_t depth;
	stack_id stack;
	/* amount of the row minus the amounts of its callees that were read so far */
	uint64_t rest;
	uint64_t slack; /* sum of the rounding errors of the amounts in `rest` */
	bool has_self;
};

struct column_reader {
	const struct region *in;
	struct capture *c;
	struct column_head head;
	enum column_unit unit;
	VEC(struct column_open) open;
	VEC(sym_id) frames; /* callstacks: the current function, then its callers */
	uint64_t weight;    /* callstacks: weight of the stack in `frames` */
	/* callstacks: weight of the current function minus the weights of its stacks so far */
	uint64_t rest;
	uint64_t hidden; /* weight of callees that the report does not list */
	uint64_t sum, blocked;
	double least; /* the largest minimum of the total that a row gives; see column_whole() */
	/* estimate of the total from the row that gave `least`: self amount / share */
	double whole;
};

/* Whether the function @name waits. Instruments can record waiting threads, too. */
static bool column_is_wait(struct str name)
{
	return str_glob(STR("mach_msg*_trap|__psynch_*|__semwait_signal*|semaphore_*_trap|kevent*|"
			    "__workq_kernreturn|__select*|poll|__ulock_wait*|__sigwait"),
			name);
}

static struct str column_event(const struct column_reader *r)
{
	if (r->head.tool != COLUMN_INSTRUMENTS)
		return str_eq(r->head.metric, STR("CPU Time")) ? STR("cpu-time") : r->head.metric;
	switch (r->unit) {
	case COLUMN_TIME:
		return r->blocked >= r->sum / 2 && r->blocked ? STR("wall") : STR("cpu-time");
	case COLUMN_BYTES:
		return STR("space");
	case COLUMN_CYCLES:
		return STR("cycles");
	default:
		return STR_NONE;
	}
}

static void column_begin(struct column_reader *r, struct dossier *d)
{
	static const enum weight_unit units[] = {
		[COLUMN_PLAIN] = WEIGHT_UNKNOWN,   [COLUMN_TIME] = WEIGHT_NS,
		[COLUMN_BYTES] = WEIGHT_BYTES,     [COLUMN_CYCLES] = WEIGHT_EVENTS,
		[COLUMN_SAMPLES] = WEIGHT_SAMPLES, [COLUMN_SHARE] = WEIGHT_PERCENT,
	};
	struct profile *p;

	r->c = format_add_capture(&format_column_tree, r->in, d);
	r->c->format = r->head.tool == COLUMN_INSTRUMENTS ? "instruments" : "vtune";
	p = capture_profile(r->c);
	p->table.limit_pct = -1;
	p->unit = units[r->unit];
	p->is_summed = true;
	p->decimals = r->unit == COLUMN_SHARE || r->unit == COLUMN_PLAIN ? 3 : 0;
	p->is_rounded = r->unit == COLUMN_SHARE;
	p->printed_decimals = p->decimals;
}

static void column_sample(struct column_reader *r, stack_id stack, uint64_t weight)
{
	struct profile *p = r->c->profile;

	if (weight == 0 || profile_add_sample(p, stack, weight) < 0)
		return;
	r->sum += weight;
	if (stack.v != STACK_ROOT.v &&
	    column_is_wait(symbols_name(capture_symbols(r->c), stacks_sym(&p->stacks, stack))))
		r->blocked += weight;
}

static enum symbol_space column_space(struct str module)
{
	enum symbol_space space = symbol_space_of_module(module);

	return space != SPACE_UNKNOWN                                ? space
	       : str_glob(STR("*.sys|ntoskrnl.exe|vmlinu*"), module) ? SPACE_KERNEL
								     : SPACE_USER;
}

static sym_id column_symbol(struct column_reader *r, struct str name, struct str module)
{
	/* remove "func@", which VTune prints before an address without a function */
	(void)str_take(&name, STR("func@"));
	return symbols_add_text(capture_symbols(r->c), name, module, column_space(module), 0);
}

/* Whether the name of a row of Instruments is a program: "example_app (40414)". */
static bool column_is_program(struct str name)
{
	size_t at = str_rfind_char(name, '(');
	struct str rest = str_skip(name, at + 1);
	uint64_t pid;

	return at && at < name.len && str_u64(&rest, &pid) && str_eq(rest, STR(")"));
}

/*
 * Push the frame of @row on the stack of its caller @above, and return the new stack. @above is
 * NULL for a row without caller. Rows of threads and of the total add no frame.
 */
static stack_id column_stack(struct column_reader *r, const struct column_row *row,
			     const struct column_open *above)
{
	stack_id at = above ? above->stack : STACK_ROOT;
	struct stacks *stacks = &r->c->profile->stacks;

	if (r->head.tool == COLUMN_TOP_DOWN && !above && str_eq(row->name, STR("Total")))
		return at;
	if (r->head.tool == COLUMN_INSTRUMENTS) {
		if (!above && column_is_program(row->name))
			return stacks_push(
				stacks, at,
				symbols_add_text(capture_symbols(r->c),
						 str_rtrim(str_sub(row->name, 0,
								   str_rfind_char(row->name, '('))),
						 STR_NONE, SPACE_COMM, 0));
		if (r->open.len <= 1 && str_contains(row->name, STR("  0x")))
			return at;
	}
	return stacks_push(stacks, at, column_symbol(r, row->name, row->module));
}

/*
 * Close the rows whose depth is at least @depth. A row may have an amount that its callees do not
 * account for. This rest becomes a sample of the row's stack. If it may belong to callees that are
 * not printed, it is added to r->hidden instead.
 *
 * @is_end: the text has ended. A report of VTune may end after a number of lines, so its last rows
 * may lack callees.
 */
static void column_close(struct column_reader *r, size_t depth, bool is_end)
{
	bool is_cut = is_end && r->head.tool == COLUMN_TOP_DOWN;

	while (r->open.len && r->open.data[r->open.len - 1].depth >= depth) {
		const struct column_open *o = &r->open.data[--r->open.len];

		if (o->rest <= o->slack)
			continue;
		if (o->has_self || is_cut || o->stack.v == STACK_ROOT.v)
			r->hidden += o->rest;
		else
			column_sample(r, o->stack, o->rest);
	}
}

static void column_less(struct column_open *o, struct column_amount a)
{
	o->rest -= o->rest > a.value ? a.value : o->rest;
	o->slack += a.half;
}

/*
 * Estimate the total to which the printed shares refer. Example: a row has a self amount of 2 s,
 * and its share with callees is 40 %. As 2 s are at most 40 % of the total, the total is at least 5
 * s. The row with the largest such minimum is used.
 */
static void column_whole(struct column_reader *r, const struct column_row *row)
{
	double share = (double)row->total.value;
	double self = (double)row->self.value * COLUMN_WHOLE;
	double least;

	if (!row->has_total || row->total.unit != COLUMN_SHARE || share < COLUMN_LEAST_SHARE)
		return;
	least = self / (share + (double)row->total.half);
	if (least <= r->least)
		return;
	r->least = least;
	r->whole = self / share;
}

static void column_add(struct column_reader *r, const struct column_row *row)
{
	bool has_self = row->has_self && row->self.unit == r->unit;
	bool has_total = row->has_total && row->total.unit == r->unit;
	struct column_open o = { .depth = row->depth, .has_self = has_self };
	struct column_open *above;

	column_close(r, row->depth, /* is_end= */ false);
	if (r->open.len >= LIMIT_STACK_DEPTH)
		return;
	above = r->open.len ? &r->open.data[r->open.len - 1] : NULL;
	if (above && has_total)
		column_less(above, row->total);
	o.stack = column_stack(r, row, above);
	if (has_total) {
		o.rest = row->total.value;
		o.slack = row->total.half;
	}
	if (has_self) {
		column_less(&o, row->self);
		column_sample(r, o.stack, row->self.value);
		column_whole(r, row);
	}
	*VEC_PUSH(&r->open) = o;
}

/*
 * End the current stack of a callstacks report: add it as a sample. The next stack may have the
 * same function, so keep the frame of the function in r->frames, and drop the frames of its
 * callers.
 */
static void column_end_stack(struct column_reader *r)
{
	stack_id at = STACK_ROOT;

	for (size_t i = r->frames.len; r->weight && i-- > 0;)
		at = stacks_push(&r->c->profile->stacks, at, r->frames.data[i]);
	if (r->weight)
		column_sample(r, at, r->weight);
	r->rest -= r->rest > r->weight ? r->weight : r->rest;
	r->weight = 0;
	r->frames.len = r->frames.len ? 1 : 0;
}

static void column_end_function(struct column_reader *r)
{
	column_end_stack(r);
	r->weight = r->rest;
	column_end_stack(r);
	r->frames.len = 0;
}

/*
 * Add a row of a callstacks report. A row with an amount starts a new stack: its name is the first
 * caller of the function. A row without an amount is the next caller in the same stack.
 */
static void column_add_caller(struct column_reader *r, const struct column_row *row)
{
	struct column_amount a = row->has_self ? row->self : row->total;

	if (a.unit != r->unit)
		return;
	if (row->function.len) {
		column_end_function(r);
		r->rest = a.value;
		*VEC_PUSH(&r->frames) = column_symbol(r, row->function, row->module);
	}
	if (row->name.len == 0 || r->frames.len == 0 || r->frames.len >= LIMIT_STACK_DEPTH)
		return;
	if (a.value && !row->function.len)
		column_end_stack(r);
	if (a.value)
		r->weight = a.value;
	*VEC_PUSH(&r->frames) = column_symbol(r, row->name, row->module);
}

static void column_row(struct column_reader *r, struct dossier *d, const struct column_row *row)
{
	if (!r->c) {
		r->unit = row->has_self ? row->self.unit : row->total.unit;
		/* use the unit of the total, because "-" may be printed for a self amount of 0 */
		if (row->has_total && (!row->has_self || r->unit == COLUMN_PLAIN))
			r->unit = row->total.unit;
		column_begin(r, d);
	}
	if (r->head.tool == COLUMN_CALLSTACKS)
		column_add_caller(r, row);
	else
		column_add(r, row);
}

struct column_scan {
	struct column_head head;
	bool has_head;
	size_t rows;
	unsigned int others, blanks;
};

/* Scan one line for a call tree. False: the tree has ended before @line. */
static bool column_scan_line(struct column_scan *s, struct str line, size_t at, size_t next,
			     struct extent *ret)
{
	struct column_head head;
	struct column_row row;

	if (column_head_of(line, &head)) {
		if (s->rows)
			return false;
		s->head = head;
		s->has_head = true;
		s->others = s->blanks = 0;
		*ret = (struct extent){ .from = at, .score = 99 };
	} else if (s->has_head && column_head_row(&s->head, line, &row)) {
		s->rows++;
		s->others = s->blanks = 0;
		ret->to = next;
	} else if (s->has_head && !column_head_ruler(&s->head, line)) {
		bool is_blank = str_trim(line).len == 0;

		s->others += !is_blank;
		s->blanks += is_blank;
		if (s->others > COLUMN_OTHERS || s->blanks > COLUMN_BLANKS) {
			if (s->rows)
				return false;
			s->has_head = false;
		}
	}
	return true;
}

static bool column_tree_find(struct str text, size_t from, struct extent *ret)
{
	struct str rest = str_skip(text, from);
	struct column_scan s = { .has_head = false };
	struct str line;
	size_t at = from;

	while (str_line(&rest, &line)) {
		size_t next = text.len - rest.len;

		if (!column_scan_line(&s, line, at, next, ret))
			return true;
		at = next;
	}
	return s.rows > 0;
}

static unsigned int column_tree_probe(struct str head)
{
	struct extent e;

	return column_tree_find(head, 0, &e) && e.from < 4096 ? 96 : 0;
}

/*
 * Weight that the printed rows lack: the estimated total minus the sum of these rows. 0: nothing is
 * missing, or so little that rounding explains it (COLUMN_NEARLY).
 */
static uint64_t column_left_out(const struct column_reader *r)
{
	double rest = r->whole - (double)r->sum;

	return rest > (double)r->sum * COLUMN_NEARLY && rest < 1e18 ? (uint64_t)rest : 0;
}

static void column_finish(struct column_reader *r)
{
	struct profile *p = r->c->profile;
	struct str event = column_event(r);

	p->left_out = r->hidden ? r->hidden : column_left_out(r);
	if (event.len)
		p->event = strings_add(capture_strings(r->c), event);
}

static int column_tree_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct column_reader r = { .in = in };
	struct str text = in->text;
	bool has_head = false;
	struct column_row row;
	struct str line;

	for (uint32_t n = 0; str_line(&text, &line); n++) {
		if (!has_head)
			has_head = column_head_of(line, &r.head);
		else if (column_head_row(&r.head, line, &row))
			column_row(&r, d, &row);
		else if (!column_head_ruler(&r.head, line) && r.c && str_trim(line).len)
			diag_count(&r.c->diag, &column_lines, region_line(in, n));
	}
	if (r.c && r.head.tool == COLUMN_CALLSTACKS)
		column_end_function(&r);
	column_close(&r, 0, /* is_end= */ true);
	VEC_FREE(&r.open);
	VEC_FREE(&r.frames);
	if (!r.c || r.c->profile->samples.n == 0)
		return fail(err, ERR_FORMAT, "no amount in a call tree");
	column_finish(&r);
	return OK;
}

const struct format format_column_tree = {
	.name = "column-tree",
	.title = "call tree with columns",
	.summary = "call trees copied from Instruments, and printed by VTune",
	.kinds = KIND_PROFILE,
	.probe = column_tree_probe,
	.find = column_tree_find,
	.read = column_tree_read,
};
