/* SPDX-License-Identifier: MIT */
/*
 * profile_text.c - function tables of profilers: pprof, gprof, stackprof, …
 *
 * The same code reads all these tables; text_dialects.c describes the differences. The weight of a
 * row is its printed share, or its amount divided by the total that the text states. If the text
 * prints the callers of a function, the reader stores a chain of two functions for each caller. The
 * share of the function is divided among these chains.
 */
#include "formats/profilers/profile_text.h"

#include "base/idmap.h"
#include "base/number.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/profile_rows.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/format.h"
#include "formats/profilers/text_dialects.h"

#include "base/limits.h"

#include <math.h>

DECLARE_FORMAT(profile_text);

#define TEXT_DECIMALS  6u
#define TEXT_TERM      512u
#define TEXT_EDGES_MAX 4096u
/*
 * number of bytes before and after a table in which tables of the same pprof session are searched
 */
#define TEXT_SESSION 65536u
/* number of bytes before a table in which texts that describe the table are searched */
#define TEXT_BEFORE 1200u
/*
 * Time between two samples in a CPU profile of pprof. Go and gperftools sample 100 times per second
 * unless the program asks for another rate. At this rate, all amounts are multiples of this time.
 */
#define TEXT_CLOCK_NS 10e6
/* number of lines at the start of a text in which pprof may print the program's name */
#define TEXT_HEADER_LINES 8u
/*
 * largest rounding error of a printed share, in percentage points: every tool prints at least one
 * decimal
 */
#define TEXT_PCT_HALF 0.05
/*
 * percent: if the largest share is at least this, the total computed from its row is exact enough.
 * Shares are then computed from amounts and this total, instead of taken from the text
 */
#define TEXT_SCALE_PCT 1.0
/* percent: if the shares of all rows add up to this or more, the rows are the whole profile */
#define TEXT_WHOLE_PCT 98.0
/*
 * percent: if the text prints calls, and the costs of all functions add up to more than this, the
 * costs include callees
 */
#define TEXT_SELF_PCT 100.5
/*
 * percent: without printed calls, two functions with this share or more show that the costs include
 * callees
 */
#define TEXT_MOST_PCT 90.0
/* percent: if functions that block have this share or more, the samples are delays, not CPU time */
#define TEXT_BLOCK_PCT 50.0
/*
 * If the stacks add up to less than this part (0 to 1) of the stated total, the text is an excerpt.
 */
#define TEXT_CUT_PART 0.9

static const struct diag_kind text_lines = { "profile-text-lines", DIAG_DATALOSS,
					     "lines between rows that were not read" };

static const struct diag_kind text_nameless = { "profile-text-nameless", DIAG_DATALOSS,
						"rows without a function" };

/* A caller, printed before the function that it calls. */
struct text_edge {
	struct str name;
	/*
	 * part (0 to 1) of the called function's share that this caller causes. For gprof, fprof
	 * and callgrind_annotate, this is first the printed time or cost of the calls; the line of
	 * the called function follows and converts it to a part.
	 */
	double part;
	uint32_t line;
};

struct text_reader {
	const struct region *in;
	const struct text_dialect *dialect;
	struct capture *c;
	struct amount whole; /* the total, which is 100 %; value 0: unknown */
	/* amount in "Total samples = 1.2s" of pprof; value 0: not printed */
	struct amount stated;
	struct str program;   /* program in "File: api" of pprof */
	uint32_t stated_line; /* number of the line that prints `stated` */
	/* 20 in "Showing top 20 nodes out of 85" of pprof; empty: not printed */
	struct str n_rows;
	uint32_t n_rows_line;
	/* time in "Duration: 5.14s", on the same line of pprof as `stated`; value 0: not printed */
	struct amount elapsed;
	struct amount summed;  /* sum of the printed self amounts */
	double summed_pct;     /* sum of the printed self shares, percent */
	double largest_pct;    /* largest of the printed self shares, percent */
	struct amount largest; /* self amount of the row with the largest self share */
	/* the row with the largest self share is runtime.gopark, in which goroutines of Go wait */
	bool is_parked;
	bool is_off_clock; /* an amount is no multiple of TEXT_CLOCK_NS */
	/* amount of a single sample, in the unit of the rows; value 0: unknown */
	struct amount sample;
	enum amount_unit unit;
	struct str type; /* type of a pprof profile, as in "Type: inuse_space" */
	struct str event;
	/*
	 * the current row; while has_row is set, the row still lacks its name, which is on the next
	 * line
	 */
	struct text_row row;
	bool has_row;
	/*
	 * the current lines are in a section of V8 that is skipped: "[Summary]:" or "[Bottom up
	 * ...]:"
	 */
	bool is_skipped;
	/*
	 * the current block of a call graph has already printed its function. The lines before the
	 * function are its callers, the lines after it are its callees
	 */
	bool has_focus;
	/*
	 * `whole` was computed from the printed rows, and the tool prints only the rows with the
	 * largest amounts
	 */
	bool is_listed;
	bool is_scaled;   /* `whole` was computed from the row with the largest share */
	bool is_graph;    /* `whole` was computed from a call graph */
	struct str above; /* the line before the current one */
	sym_id focus;     /* function of the current block of stackprof (DIALECT_NAMED) */
	double focus_pct;
	bool has_callers; /* the current lines are callers of `focus`, not callees */
	struct text_processes processes;
	/* callgrind_annotate --inclusive=yes: the only amount in a row includes the callees */
	bool is_inclusive;
	/*
	 * callgrind_annotate --tree: the text prints callees. The self cost of a function is its
	 * inclusive cost minus the costs of its calls
	 */
	bool has_calls;
	/* `row` is a function whose callees may still follow, so the row is not added yet */
	bool has_caller_row;
	/* every share was computed from exact counts, not taken from a printed share */
	bool is_exact;
	unsigned int decimals; /* largest number of decimals of a printed share */
	/* largest rounding error of a share that was computed from an amount, percent */
	double half;
	double blocked; /* sum of the self shares of functions that block, percent */
	uint32_t line;
	struct idmap rows; /* symbol -> index of its row in the table */
	bool is_cpu;       /* the text has the line "Type: cpu" of pprof */
	/* nvprof: a group of rows is about the host, such as "API calls:", not about the GPU */
	bool is_host;
	/* an amount is negative, because pprof -base subtracted a profile */
	bool is_difference;
	VEC(struct text_edge) edges;
	VEC(struct str) frames; /* frames of the current stack, innermost first */
	struct amount weight;   /* weight of the current stack */
	bool has_weight;
};

static enum symbol_space text_space(const struct text_reader *r, struct str module)
{
	enum symbol_space space = symbol_space_of_module(module);

	if (space == SPACE_UNKNOWN && str_glob(STR("*vmlinu*|*.ko"), module))
		return SPACE_KERNEL;
	if (space == SPACE_UNKNOWN && (module.len || r->dialect->flags & DIALECT_NATIVE))
		return SPACE_USER;
	return space;
}

static sym_id text_symbol(const struct text_reader *r, struct str name, struct str module)
{
	char buffer[TEXT_TERM];

	if (r->dialect->flags & DIALECT_TERMS)
		name = profile_text_term_name(name, buffer, sizeof(buffer));
	return symbols_add_text(capture_symbols(r->c), name, module, text_space(r, module), 0);
}

/*
 * Whether the text before the table contains one of @words, which '|' separates. This text may
 * state facts that are missing in the table.
 */
static bool text_is_above(const struct text_reader *r, const char *words)
{
	const struct document *doc = r->in->doc;
	size_t at = doc && r->in->text.p >= doc->text.p ? (size_t)(r->in->text.p - doc->text.p) : 0;
	struct str patterns = str_of(words);
	struct str above;

	if (!doc || at > doc->text.len)
		return false;
	above = str_sub(doc->text, at > TEXT_BEFORE ? at - TEXT_BEFORE : 0, at);
	while (patterns.len) {
		struct str one = str_sub(patterns, 0, str_find_char(patterns, '|'));

		patterns = str_skip(patterns, one.len + 1);
		if (str_contains(above, one))
			return true;
	}
	return false;
}

/* Whether pprof's last command before the table subtracts a profile: -base, -diff_base. */
static bool text_is_subtracted(const struct text_reader *r)
{
	const struct document *doc = r->in->doc;
	size_t at = doc && r->in->text.p >= doc->text.p ? (size_t)(r->in->text.p - doc->text.p) : 0;
	bool is_subtracted = false;
	struct str above, line;

	if (!doc || at > doc->text.len)
		return false;
	above = str_sub(doc->text, at > TEXT_BEFORE ? at - TEXT_BEFORE : 0, at);
	while (str_line(&above, &line)) {
		if (str_contains(line, STR("pprof ")) && str_contains(line, STR(" -")))
			is_subtracted = str_contains(line, STR("-base ")) ||
					str_contains(line, STR("-base=")) ||
					str_contains(line, STR("-diff_base"));
	}
	return is_subtracted;
}

/* Whether the title of V8's summary is the last line before the table. */
static bool text_is_below_summary(const struct text_reader *r)
{
	const struct document *doc = r->in->doc;

	return doc && r->in->text.p >= doc->text.p &&
	       r->in->text.p <= doc->text.p + doc->text.len &&
	       str_ends(str_rtrim(str_sub(doc->text, 0, (size_t)(r->in->text.p - doc->text.p))),
			STR("[Summary]:"));
}

/*
 * Whether other tables or commands of the same pprof session are about a heap profile. A session
 * has one profile, so this table is about the heap, too.
 */
static bool text_is_heap_session(const struct text_reader *r)
{
	const struct document *doc = r->in->doc;
	size_t at = doc && r->in->text.p >= doc->text.p ? (size_t)(r->in->text.p - doc->text.p) : 0;
	struct str around;

	if (!doc || at > doc->text.len || !str_eq(str_of(r->dialect->name), STR("pprof-text")))
		return false;
	around = str_sub(doc->text, at > TEXT_SESSION ? at - TEXT_SESSION : 0,
			 at + r->in->text.len + TEXT_SESSION);
	return str_contains(around, STR("sample_index=alloc_")) ||
	       str_contains(around, STR("sample_index=inuse_"));
}

/*
 * The event of the profile. It is printed in the text, or fixed by the dialect (the tool's format),
 * or derived from the unit and the text before the table.
 */
static struct str text_event(const struct text_reader *r)
{
	bool is_alloc = text_is_above(r, "alloc|Alloc");

	if (str_starts(r->type, STR("inuse_")) && text_is_subtracted(r))
		return STR("memory_growth");
	if (r->type.len)
		return r->type;
	if (r->event.len)
		return r->event;
	if (r->dialect->flags & DIALECT_EVENTS && text_is_above(r, " hold:"))
		return STR("lock-holds");
	if (r->is_listed && r->dialect->listed)
		return str_of(r->dialect->listed);
	/*
	 * nvprof, "API calls:": the host calls these functions, so the times are elapsed times, not
	 * times of the GPU
	 */
	if (r->dialect->flags & DIALECT_GROUPS && (r->is_host || text_is_above(r, "API calls:\n")))
		return STR("elapsed-time");
	if (r->dialect->event)
		return str_of(r->dialect->event);
	if (r->dialect->flags & DIALECT_SAMPLES)
		return STR_NONE;
	if (r->unit == AMOUNT_BYTES)
		return is_alloc && !text_is_above(r, "inuse") ? STR("alloc_space") : STR("space");
	if (r->unit == AMOUNT_NS)
		return r->blocked >= TEXT_BLOCK_PCT ||
				       text_is_above(r, "mutex profile|block profile|/debug/pprof/"
							"mutex|/debug/pprof/block|contention")
			       ? STR("delay")
			       : STR("cpu");
	/*
	 * only a goroutine profile counts waiting goroutines, which use no CPU and allocate nothing
	 */
	if (r->is_parked)
		return STR("goroutine");
	if (is_alloc)
		return STR("alloc_objects");
	return text_is_heap_session(r) || text_is_above(r, "heap|Heap|memory|Memory|objects")
		       ? STR("objects")
		       : STR("count");
}

static void text_begin(struct text_reader *r, struct dossier *d)
{
	struct profile *p;

	r->c = format_add_capture(&format_profile_text, r->in, d);
	r->c->format = r->dialect->name;
	p = capture_profile(r->c);
	p->table.limit_pct = -1;
	if (r->program.len)
		capture_note(r->c, STR("program"), r->program, region_line(r->in, 0));
	r->is_exact = true;
	if (r->dialect->flags & DIALECT_STACKS)
		return;
	p->unit = WEIGHT_PERCENT;
	p->decimals = TEXT_DECIMALS;
}

static bool text_is_count(const struct text_reader *r, struct amount a)
{
	return r->whole.value > 0 && a.half == 0 && r->whole.half == 0 && a.unit == r->whole.unit;
}

/*
 * The share of a row in percent. @has: the row prints the amount @a. @pct: the share that the row
 * prints; < 0: none.
 *
 * If @a and the total are exact, the result is @a divided by the total. Otherwise it is @pct. If
 * @pct is missing, or if is_scaled is set, the result is the rounded @a divided by the total.
 */
static double text_pct(struct text_reader *r, struct amount a, bool has, double pct)
{
	if (has && text_is_count(r, a))
		return 100 * a.value / r->whole.value;
	if (pct >= 0 && !(has && r->is_scaled)) {
		r->is_exact = false;
		r->half = r->half > 0 ? r->half : 0;
		return pct;
	}
	if (!has || r->whole.value <= 0)
		return 0;
	r->is_exact = false;
	if (a.half / r->whole.value * 100 > r->half)
		r->half = a.half / r->whole.value * 100;
	return 100 * a.value / r->whole.value;
}

/*
 * Index in profile.table.rows of the row for @sym. If there is no such row, a row is added.
 * INDEX_NONE: the table already has LIMIT_ROWS rows.
 */
static uint32_t text_table_row(struct text_reader *r, sym_id sym, uint32_t line)
{
	const struct profile_table *t = &r->c->profile->table;
	struct idmap_probe probe = idmap_first(&r->rows, hash_u64(sym.v, 17));

	while (idmap_next(&r->rows, &probe)) {
		if (t->rows.data[probe.id].sym.v == sym.v)
			return probe.id;
	}
	if (t->rows.len >= LIMIT_ROWS)
		return INDEX_NONE;
	idmap_insert(&r->rows, &probe, (uint32_t)t->rows.len);
	profile_rows_add(r->c, sym, symbols_get(capture_symbols(r->c), sym)->module, ' ', 0, 0, 0,
			 line);
	return (uint32_t)t->rows.len - 1;
}

/*
 * For each collected caller of @sym, add a chain of two functions: the caller and @sym. @pct: share
 * of @sym, which is divided among the callers.
 */
static void text_flush_edges(struct text_reader *r, sym_id sym, double pct)
{
	VEC_FOREACH (e, &r->edges) {
		sym_id chain[2] = { sym, text_symbol(r, e->name, STR_NONE) };

		(void)profile_rows_trace(r->c, chain, 2, pct * (e->part < 1 ? e->part : 1),
					 e->line);
	}
	r->edges.len = 0;
}

static void text_add_row(struct text_reader *r)
{
	struct text_row *row = &r->row;
	struct str module = row->module;
	struct str name = text_dialect_name(r->dialect, row->name, &module);
	double self = text_pct(r, row->self, row->has_self, row->self_pct);
	double cum = text_pct(r, row->cum, row->has_cum, row->cum_pct);
	double own = self;
	sym_id sym;
	uint32_t at;

	r->has_row = false;
	if (name.len == 0) {
		diag_count(&r->c->diag, &text_nameless, r->line);
		return;
	}
	sym = text_symbol(r, name, module);
	at = text_table_row(r, sym, r->line);
	if (at == INDEX_NONE)
		return;
	profile_rows_set_calls(r->c, at, row->calls);
	/* a function may have one row per source line: add up these rows */
	if (r->c->profile->table.rows.data[at].has & ROW_HAS_SELF)
		self += profile_value(r->c->profile, r->c->profile->table.rows.data[at].self);
	if (row->has_self || row->self_pct >= 0 || !row->has_cum)
		profile_rows_set(r->c, at, /* is_self= */ true, self, r->line);
	if (row->has_cum || row->cum_pct >= 0)
		profile_rows_set(r->c, at, /* is_self= */ false, cum, r->line);
	if (row->decimals > r->decimals)
		r->decimals = row->decimals;
	if (row->self.value > 0)
		r->unit = row->self.unit;
	else if (row->cum.value > 0)
		r->unit = row->cum.unit;
	if (str_glob(STR("sync.(*Mutex).*|sync.(*RWMutex).*|runtime.selectgo|runtime.chanrecv*|"
			 "runtime.chansend*|sync.(*Cond).*|sync.(*WaitGroup).*"),
		     name))
		r->blocked += self;
	text_flush_edges(r, sym, r->dialect->flags & DIALECT_TERMS ? own : cum);
}

/*
 * Read a line before the rows that names the event or its unit: "Type: cpu", "Mode: wall(1000)",
 * "Counted X events".
 */
static void text_header(struct text_reader *r, struct str t)
{
	struct str word;

	if (str_take(&t, STR("Type: ")) && str_word(&t, &word))
		r->type = word;
	else if (str_take(&t, STR("Mode: ")) && str_word(&t, &word))
		r->type = str_sub(word, 0, str_find_char(word, '('));
	else if (str_starts(t, STR("Total: ")) && str_ends(t, STR(" samples")))
		r->event = STR("samples");
	else if (str_starts(t, STR("Total: ")) && str_ends(t, STR(" MB")))
		r->event = STR("inuse_space"); /* a heap profile of gperftools */
	else if (str_take(&t, STR("Counted ")) && str_word(&t, &word))
		r->event = word;
	else if (str_take(&t, STR("Each sample counts as ")))
		(void)text_dialect_amount(&t, &r->sample);
	else if (str_starts(t, STR("[")) && str_ends(t, STR("]:")))
		r->is_skipped = str_eq(t, STR("[Summary]:")) || str_contains(t, STR("Bottom up"));
}

/*
 * Read a line of a pprof block. Each function has a block: the callers of the function, then the
 * function itself, then its callees, then a ruler. False: @line is not in a block.
 */
static bool text_edge_line(struct text_reader *r, struct str line, uint32_t number)
{
	struct str before, name, unused;
	struct amount weight;
	struct text_row row;
	double pct = 0;

	if (!profile_text_edge(line, &before, &name))
		return false;
	if (text_row_of(r->dialect, before, &row)) {
		r->row = row;
		r->row.name = name;
		r->line = number;
		text_add_row(r);
		r->has_focus = true;
		return true;
	}
	if (!text_dialect_amount(&before, &weight))
		return false;
	(void)text_dialect_share(&before, true, &pct, NULL);
	if (!r->has_focus && r->edges.len < TEXT_EDGES_MAX)
		*VEC_PUSH(&r->edges) =
			(struct text_edge){ text_dialect_name(r->dialect, name, &unused), pct / 100,
					    number };
	return true;
}

/*
 * Compute the shares of a function in gprof's call graph: its self share, its share with callees,
 * and for each caller the part of the function's time that this caller causes. @pct: printed share
 * with callees; @self: self time; @sum: self time plus time of callees.
 *
 * If the function is in a cycle of calls, @sum is too large. If the total is known, the time with
 * callees is therefore computed as @pct of the total.
 */
static void text_graph_shares(struct text_reader *r, double pct, struct amount self, double sum)
{
	double cum = r->is_graph ? pct * r->whole.value / 100 : sum;
	double own = cum > 0 ? pct * self.value / cum : 0;

	VEC_FOREACH (e, &r->edges)
		e->part = sum > 0 ? e->part / sum : 0;
	r->row = (struct text_row){ .self_pct = own, .cum_pct = pct };
}

/*
 * Read a line of a block in gprof's call graph. It is the function, "[4] 96.1 0.00 1.24 30288 parse
 * [4]", or one of its callers or callees. False: @line is no such line.
 */
static bool text_graph_line(struct text_reader *r, struct str line, uint32_t number)
{
	struct str rest = str_trim(line);
	bool is_focus = str_starts(rest, STR("["));
	struct amount self, below;
	struct str word;
	double pct = 0;
	double sum;

	/*
	 * the function of this block was already read, so this line is a callee. Skip it; its times
	 * may be negative
	 */
	if (!is_focus && r->has_focus)
		return profile_text_is_row(r->dialect, line);
	if (is_focus ? !profile_text_graph_focus(&rest, &pct, &r->decimals, &self, &below)
		     : !text_dialect_amount(&rest, &self) || !text_dialect_amount(&rest, &below))
		return false;
	sum = self.value + below.value;
	rest = str_ltrim(rest);
	if (rest.len && char_is_digit(rest.p[0]))
		(void)str_word(&rest, &word); /* skip the number of calls: "30288/30288", "1+3" */
	rest = profile_text_graph_name(str_trim(rest));
	if (rest.len == 0)
		return false;
	if (!is_focus) {
		if (r->edges.len < TEXT_EDGES_MAX && !profile_text_graph_is_group(rest))
			*VEC_PUSH(&r->edges) = (struct text_edge){ rest, sum, number };
		return true;
	}
	r->has_focus = true;
	if (profile_text_graph_is_group(rest)) {
		r->edges.len = 0;
		return true;
	}
	text_graph_shares(r, pct, self, sum);
	r->row.name = rest;
	r->line = number;
	if (text_table_row(r, text_symbol(r, rest, STR_NONE), number) <
		    r->c->profile->table.rows.len &&
	    r->c->profile->table.rows
			    .data[text_table_row(r, text_symbol(r, rest, STR_NONE), number)]
			    .has &
		    ROW_HAS_SELF)
		/*
		 * the flat profile before the call graph already gave the self share, so do not add
		 * it again
		 */
		r->row.self_pct = 0;
	text_add_row(r);
	return true;
}

/*
 * Read a line of a block of fprof: a caller, the function, or a callee. False: @line is none of
 * these.
 */
static bool text_term_line(struct text_reader *r, struct str line, uint32_t number)
{
	struct text_row row;
	enum text_term kind = profile_text_term(line, &row);
	bool is_function = row.name.len && !str_eq(row.name, STR("undefined"));

	profile_text_term_process(&r->processes, kind, r->c->profile->table.rows.len > 0);
	if (r->processes.is_again)
		return kind != TERM_NONE;
	if (kind == TERM_BEGIN) {
		r->edges.len = 0;
		r->has_focus = false;
	}
	if (kind == TERM_FOCUS) {
		VEC_FOREACH (e, &r->edges)
			e->part = row.self.value > 0 ? e->part / row.self.value : 0;
		r->row = row;
		r->line = number;
		r->has_focus = true;
		if (is_function)
			text_add_row(r);
		r->edges.len = 0;
	} else if (is_function && !r->has_focus && r->edges.len < TEXT_EDGES_MAX) {
		*VEC_PUSH(&r->edges) = (struct text_edge){ row.name, row.self.value, number };
	}
	return kind != TERM_NONE;
}

/*
 * Read the row of the function in a block of stackprof. The previous line has the function's name.
 */
static void text_named_row(struct text_reader *r, struct dossier *d, struct str line,
			   uint32_t number)
{
	struct str name = profile_text_block_name(r->above);

	if (!r->c)
		text_begin(r, d);
	r->has_callers = false;
	if (!text_row_of(r->dialect, line, &r->row) || name.len == 0) {
		diag_count(&r->c->diag, &text_nameless, number);
		return;
	}
	r->row.name = name;
	r->line = number;
	r->focus = text_symbol(r, name, STR_NONE);
	r->focus_pct = r->row.cum_pct;
	text_add_row(r);
	r->has_callers = true; /* the lines up to "callees (" are callers */
}

/*
 * Read a line of a block of stackprof. If it is a caller of r->focus, add the caller. Callees are
 * skipped, because each callee has a block of its own.
 */
static void text_named_line(struct text_reader *r, struct str line, uint32_t number)
{
	struct text_edge e = { .line = number };
	struct str t = str_trim(line);

	if (str_starts(t, STR("callees (")) || str_starts(t, STR("code:")))
		r->has_callers = false;
	if (!r->has_callers || !profile_text_block_edge(line, &e.part, &e.name))
		return;
	*VEC_PUSH(&r->edges) = e;
	text_flush_edges(r, r->focus, r->focus_pct);
}

/* If @a is no multiple of TEXT_CLOCK_NS, the usual time between two samples, set is_off_clock. */
static void text_see_clock(struct text_reader *r, struct amount a)
{
	double rest = fabs(remainder(a.value, TEXT_CLOCK_NS));

	if (a.value > 0)
		r->is_off_clock |= a.unit != AMOUNT_NS || rest > a.half * 1.01;
}

static void text_stack_end(struct text_reader *r)
{
	struct profile *p = r->c->profile;
	stack_id at = STACK_ROOT;

	for (size_t i = r->frames.len; r->has_weight && i-- > 0;)
		at = stacks_push(&p->stacks, at, text_symbol(r, r->frames.data[i], STR_NONE));
	if (r->has_weight && r->frames.len && r->weight.value < 1e18)
		(void)(profile_add_sample(p, at, (uint64_t)llround(r->weight.value)) < 0);
	r->frames.len = 0;
	r->has_weight = false;
}

/*
 * Read a line of a printed stack. The first line is "     10ms   leaf"; the callers of leaf follow.
 * Lines with labels may precede the stack.
 */
static bool text_stack_line(struct text_reader *r, struct str line)
{
	struct str rest = str_trim(line);
	struct str module;
	struct amount weight;

	if (str_starts(rest, STR("---"))) {
		text_stack_end(r);
		return true;
	}
	if (!r->has_weight) {
		if (!text_dialect_amount(&rest, &weight) || str_trim(rest).len == 0)
			return rest.len == 0 || str_find_char(rest, ':') < rest.len;
		r->weight = weight;
		r->unit = weight.unit;
		text_see_clock(r, weight);
		r->has_weight = true;
	}
	rest = text_dialect_name(r->dialect, str_trim(rest), &module);
	if (rest.len && r->frames.len < LIMIT_STACK_DEPTH)
		*VEC_PUSH(&r->frames) = rest;
	return true;
}

/*
 * Add the last row of callgrind_annotate if it is not added yet (has_caller_row): all its callees
 * were read.
 */
static void text_end_calls(struct text_reader *r)
{
	if (r->has_caller_row)
		text_add_row(r);
	r->has_caller_row = false;
}

/*
 * Read a line of callgrind_annotate with inclusive costs: a function, or its caller or callee. The
 * self cost of a function is its inclusive cost minus the costs of its calls. False: @line is none
 * of these.
 */
static bool text_inclusive_line(struct text_reader *r, struct str line, uint32_t number)
{
	struct text_call call;
	struct text_row row;

	if (text_dialect_call(r->dialect, line, &call)) {
		struct str unused;

		if (!call.is_caller && r->has_caller_row) {
			r->row.self.value = fmax(r->row.self.value - call.amount.value, 0);
		} else if (call.is_caller) {
			text_end_calls(r);
			if (r->edges.len < TEXT_EDGES_MAX)
				*VEC_PUSH(&r->edges) =
					(struct text_edge){ text_dialect_name(r->dialect, call.name,
									      &unused),
							    call.amount.value, number };
		}
		return true;
	}
	text_end_calls(r);
	if (!text_row_of(r->dialect, line, &row))
		return false;
	VEC_FOREACH (e, &r->edges)
		e->part = row.self.value > 0 ? e->part / row.self.value : 0;
	r->row = row;
	r->row.cum = row.self;
	r->row.cum_pct = row.self_pct;
	r->row.has_cum = row.has_self;
	r->row.self_pct = -1;
	r->line = number;
	r->has_caller_row = true;
	return true;
}

/*
 * Read a caller in a table of callgrind_annotate --tree=caller, with the inclusive cost of its
 * calls. Callers are printed before the row of the function, so they are kept until this row is
 * read. False: @line is no caller.
 */
static bool text_caller_line(struct text_reader *r, struct str line, uint32_t number)
{
	struct text_call call;
	struct str unused;

	if (!r->dialect || r->is_skipped || !text_dialect_call(r->dialect, line, &call))
		return false;
	if (call.is_caller && r->edges.len < TEXT_EDGES_MAX)
		*VEC_PUSH(&r->edges) =
			(struct text_edge){ text_dialect_name(r->dialect, call.name, &unused),
					    call.amount.value, number };
	return true;
}

/*
 * Set the inclusive cost of the last row of callgrind_annotate to the sum of the costs on the lines
 * of its callers. Do not set it if the sum is smaller than the self cost, or larger than the total,
 * as it may be for a recursive function.
 */
static void text_take_callers(struct text_reader *r)
{
	struct amount sum = { .unit = r->row.self.unit };

	if (!(r->dialect->flags & DIALECT_FILES) || r->edges.len == 0)
		return;
	VEC_FOREACH (e, &r->edges)
		sum.value += e->part;
	if (sum.value < r->row.self.value || sum.value > r->whole.value) {
		r->edges.len = 0;
		return;
	}
	VEC_FOREACH (e, &r->edges)
		e->part = sum.value > 0 ? e->part / sum.value : 0;
	r->row.cum = sum;
	r->row.cum_pct = -1;
	r->row.has_cum = true;
}

/* Read a line that is no row: titles, header lines, or lines of a block. */
static void text_other(struct text_reader *r, struct str t, uint32_t number)
{
	if (t.len == 0 && !(r->has_focus && r->dialect && r->dialect->flags & DIALECT_GRAPH))
		return;
	if (t.len == 0 || str_starts(t, STR("---"))) {
		r->has_focus = false;
		r->edges.len = 0;
		return;
	}
	text_header(r, t);
	if (text_caller_line(r, t, number))
		return;
	if (r->c && !r->is_skipped && char_is_digit(t.p[0]) &&
	    !text_dialect_is_chain(r->dialect, t) && !text_dialect_is_preface(t) &&
	    !str_contains(t, STR(" Total ")))
		diag_count(&r->c->diag, &text_lines, number);
}

static void text_line(struct text_reader *r, struct dossier *d, struct str line, uint32_t number)
{
	const struct text_dialect *head = text_dialect_of_head(line);
	struct str t = str_trim(line);
	struct text_row row;
	bool is_row;

	if (head) {
		r->dialect = head;
		r->has_focus = false;
		if (head->flags & DIALECT_STACKS && r->c)
			text_stack_end(r);
		if (head->flags & DIALECT_NAMED)
			text_named_row(r, d, line, number);
		return;
	}
	if (!r->dialect)
		r->dialect = profile_text_alone(line);
	if (!r->dialect || t.len == 0 || r->is_skipped) {
		text_other(r, t, number);
		return;
	}
	if (r->dialect->flags & DIALECT_NAMED) {
		text_named_line(r, line, number);
		return;
	}
	if (r->is_inclusive && r->dialect->flags & DIALECT_FILES) {
		if (!r->c && profile_text_is_row(r->dialect, line))
			text_begin(r, d);
		if (r->c && text_inclusive_line(r, line, number))
			return;
	}
	is_row = r->dialect->row[0] && text_row_of(r->dialect, line, &row);
	if (r->has_row) { /* the name of the last row is on this line */
		r->row.name = is_row ? STR_NONE : t;
		text_add_row(r);
		if (!is_row)
			return;
	}
	if (!r->c && (is_row || profile_text_is_row(r->dialect, line)))
		text_begin(r, d);
	if (!r->c)
		text_other(r, t, number);
	else if (r->dialect->flags & DIALECT_STACKS)
		(void)text_stack_line(r, line);
	else if (r->dialect->flags & DIALECT_TERMS ? text_term_line(r, line, number)
		 : r->dialect->flags & DIALECT_GRAPH
			 ? text_graph_line(r, line, number)
			 : r->dialect->flags & DIALECT_EDGES && text_edge_line(r, line, number))
		return;
	else if (is_row) {
		r->row = row;
		r->line = number;
		r->has_row = row.name.len == 0;
		text_take_callers(r);
		if (!r->has_row)
			text_add_row(r);
	} else {
		text_other(r, t, number);
	}
}

/*
 * Whether @line is a row of pprof -base with a negative amount: "-20.12MB 16.39% 16.39% -20.12MB
 * 16.39%". If so, the table is the difference of two profiles.
 */
static bool text_is_decrease(const struct text_dialect *d, struct str line)
{
	struct str t = str_trim(line);
	struct amount amount;

	return d && d->flags & (DIALECT_EDGES | DIALECT_ROWS) &&
	       str_eq(str_of(d->name), STR("pprof-text")) && str_take(&t, STR("-")) &&
	       text_dialect_amount(&t, &amount) && str_find_char(t, '%') < t.len;
}

/*
 * Find the total, which is 100 %. A printed total is used first. If rows have shares, the total is
 * computed from the row with the largest share. Without shares, the total is that of the call
 * graph, or else the sum of the self amounts. If one function has a larger inclusive amount than
 * this sum, the text is an excerpt, and the total is this inclusive amount.
 */
static void text_find_whole(struct text_reader *r)
{
	struct str stated = STR("Total samples = ");
	double most_pct = 0;
	const struct text_dialect *d = NULL;
	struct str text = r->in->text;
	struct amount sum = { 0 };
	struct amount most = { 0 };
	struct amount graph = { 0 };
	struct text_processes processes = { 0 };
	bool has_shares = false;
	double files_pct = 0;
	unsigned int n_most = 0;
	struct text_call call;
	struct str line;

	for (uint32_t n = 0; str_line(&text, &line); n++) {
		const struct text_dialect *head = text_dialect_of_head(line);
		struct text_row row;
		bool is_row;

		if (!d && n < TEXT_HEADER_LINES && str_take(&line, STR("File: ")))
			r->program = str_trim(line);
		r->is_cpu |= !d && str_eq(str_trim(line), STR("Type: cpu"));
		if (str_starts(str_trim(line), STR("Duration: ")) && str_contains(line, stated)) {
			struct str rest = str_skip(line, str_find(line, stated) + stated.len);

			(void)text_dialect_amount(&rest, &r->stated);
			rest = str_ltrim(line);
			if (str_take(&rest, STR("Duration: "))) {
				rest = str_sub(rest, 0, str_find_char(rest, ','));
				(void)text_dialect_amount(&rest, &r->elapsed);
			}
			r->stated_line = region_line(r->in, n);
			continue;
		}
		if (str_starts(str_trim(line), STR("Showing top ")) &&
		    str_contains(line, STR(" nodes out of "))) {
			struct str rest = str_skip(str_trim(line), strlen("Showing top "));

			(void)str_word(&rest, &r->n_rows);
			r->n_rows_line = region_line(r->in, n);
		}
		d = head ? head : d;
		if (!d) {
			/* a row may also start a table without titles */
			d = profile_text_alone(line);
			d = d && d->alone ? d : NULL;
		}
		r->has_calls |= d && !head && text_dialect_call(d, line, &call) && !call.is_caller;
		is_row = d && !head && !(d->flags & DIALECT_TERMS) && d->row[0] &&
			 text_row_of(d, line, &row);
		if (!is_row && r->whole.value <= 0 && str_find_char(line, '(') != 0)
			(void)text_dialect_total(line, &r->whole);
		if (d && !head && d->flags & DIALECT_GRAPH)
			profile_text_graph_whole(&graph, line, &most_pct);
		r->is_difference |= text_is_decrease(d, line);
		if (!d || head)
			continue;
		if (d->flags & DIALECT_TERMS) {
			enum text_term kind = profile_text_term(line, &row);

			profile_text_term_process(&processes, kind, sum.value > 0);
			if (kind != TERM_FOCUS || processes.is_again)
				continue;
		} else if (!is_row) {
			continue;
		}
		text_see_clock(r, row.self);
		r->is_host |= d->flags & DIALECT_GROUPS && text_dialect_group(line) &&
			      !str_starts(str_ltrim(line), STR("GPU "));
		if (d->flags & DIALECT_FILES && r->whole.value > 0) {
			double pct = 100 * row.self.value / r->whole.value;

			files_pct += pct;
			n_most += pct >= TEXT_MOST_PCT && pct <= 100;
		}
		has_shares |= row.self_pct >= 0;
		r->summed_pct += row.self_pct > 0 ? row.self_pct : 0;
		if (row.self_pct > r->largest_pct && row.self.value > 0) {
			r->largest_pct = row.self_pct;
			r->is_parked = str_eq(row.name, STR("runtime.gopark"));
			r->largest = row.self;
		}
		sum.value += row.self.value;
		sum.half += row.self.half;
		if (row.cum.value > most.value)
			most = row.cum;
	}
	r->is_inclusive = files_pct > TEXT_SELF_PCT && (r->has_calls || n_most > 1);
	r->summed = sum;
	if (d && d->flags & DIALECT_SECONDS && r->whole.unit == AMOUNT_NS)
		r->whole =
			(struct amount){ r->whole.value / 1e9, r->whole.half / 1e9, AMOUNT_PLAIN };
	r->is_graph = r->whole.value <= 0 && !has_shares && graph.value > 0;
	if (r->is_graph)
		r->whole = graph;
	else if (r->whole.value <= 0 && !has_shares) {
		r->whole = sum.value >= most.value ? sum : most;
		r->is_listed = d && d->listed;
	} else if (r->whole.value <= 0 && d &&
		   d->flags & (DIALECT_MILLIS | DIALECT_TIMED | DIALECT_COUNTED) &&
		   r->largest_pct > 0) {
		/*
		 * every row has an amount and a share: compute the total from the row with the
		 * largest share
		 */
		r->is_scaled = r->largest_pct >= TEXT_SCALE_PCT;
		r->whole = r->largest;
		r->whole.value *= 100 / r->largest_pct;
		r->whole.half += r->whole.value * TEXT_PCT_HALF / r->largest_pct;
	}
}

/*
 * Whether the times are those of pprof's CPU profiler at its usual rate: each time is a multiple of
 * TEXT_CLOCK_NS. Rounding errors are allowed: pprof prints a total of a second or more in
 * hundredths of a second.
 */
static bool text_has_clock(struct text_reader *r)
{
	text_see_clock(r, r->whole);
	return str_eq(str_of(r->dialect->name), STR("pprof-text")) && r->whole.unit == AMOUNT_NS &&
	       !r->is_off_clock;
}

/*
 * Set the number of samples to the total divided by the amount of one sample. If the text does not
 * give both, the number stays unknown.
 */
static void text_count_samples(struct text_reader *r, struct str event)
{
	struct profile *p = r->c->profile;
	struct amount whole = r->whole;
	double n;

	if (r->dialect->flags & DIALECT_SAMPLES || str_eq(event, STR("samples"))) {
		r->sample.value = 1;
		if (whole.value <= 0 && !r->dialect->event && r->largest.unit == AMOUNT_PLAIN &&
		    r->largest_pct > 0) {
			whole.value = 100 * r->largest.value / r->largest_pct;
			whole.half = whole.value * TEXT_PCT_HALF / r->largest_pct;
		}
	} else if (r->stated.value > 0) {
		whole = r->stated;
		text_see_clock(r, whole);
		if (!r->is_off_clock && str_glob(STR("cpu|samples"), event))
			r->sample.value = TEXT_CLOCK_NS;
		p->n_samples_line = r->stated_line;
		p->is_n_samples_assumed = r->sample.value > 0;
		if (p->is_n_samples_assumed && r->elapsed.unit == AMOUNT_NS)
			p->wall_ns = number_whole(r->elapsed.value);
	} else if (whole.value > 0 && str_eq(event, STR("cpu")) && text_has_clock(r)) {
		r->sample.value = TEXT_CLOCK_NS;
		p->is_n_samples_assumed = true;
	} else if (whole.value <= 0 && r->summed_pct >= TEXT_WHOLE_PCT) {
		whole = r->summed;
		if (whole.half <= r->sample.value / 2 * (double)p->table.rows.len)
			/* each row has a whole number of samples, so the sum is exact */
			whole.half = 0;
	}
	n = r->sample.value > 0 ? whole.value / r->sample.value : 0;
	if (n < 1 || n >= 1e15) {
		p->is_summed |= p->samples.n > 0;
		return;
	}
	for (size_t i = 0; i < p->samples.n; i++) {
		double count = (double)p->samples.weight.data[i] / r->sample.value;

		*VEC_PUSH(&p->samples.count) =
			count < 1 ? 1 : (uint32_t)llround(fmin(count, UINT32_MAX));
	}
	p->n_samples = (uint64_t)llround(n);
	p->n_samples_err = (uint64_t)floor(whole.half / r->sample.value);
	p->has_n_samples = true;
}

/*
 * If the printed stacks are an excerpt, set left_out to the amount by which the stated total
 * exceeds their sum.
 */
static void text_see_cut(struct text_reader *r)
{
	struct profile *p = r->c->profile;
	double sum = 0;

	for (size_t i = 0; i < p->samples.n; i++)
		sum += (double)p->samples.weight.data[i];
	if (r->stated.unit == r->unit && sum < r->stated.value * TEXT_CUT_PART &&
	    r->stated.value < 1e18)
		p->left_out = (uint64_t)llround(r->stated.value - sum);
}

static void text_finish(struct text_reader *r)
{
	struct profile *p = r->c->profile;
	struct str event = text_event(r);
	double whole = r->whole.value * text_dialect_scale(r->dialect);

	p->has_hidden_idle = r->dialect->flags & DIALECT_IDLE;
	p->method = r->dialect->flags & DIALECT_COUNTED ? PROFILE_COUNTED
		    : r->dialect->flags & DIALECT_TIMED ? PROFILE_TIMED
							: PROFILE_SAMPLED;
	if (r->dialect->flags & DIALECT_STACKS) {
		text_stack_end(r);
		p->unit = r->unit == AMOUNT_NS      ? WEIGHT_NS
			  : r->unit == AMOUNT_BYTES ? WEIGHT_BYTES
						    : WEIGHT_UNKNOWN;
	} else {
		p->is_rounded = !r->is_exact;
		p->printed_decimals = (uint8_t)r->decimals;
		if (r->half > 0 && r->decimals == 0)
			p->printed_decimals =
				r->half < 0.5 ? (uint8_t)floor(-log10(2 * r->half)) : 0;
	}
	if (event.len)
		p->event = strings_add(capture_strings(r->c), event);
	if (r->n_rows.len) {
		capture_note(r->c, STR("rows of the list"), r->n_rows, r->n_rows_line);
		r->c->notes.data[r->c->notes.len - 1].is_detail = true;
	}
	if (whole >= 1 && whole < 1e18) {
		p->event_count = (uint64_t)llround(whole);
		p->has_event_count = true;
		p->repeats_total = r->dialect->flags & DIALECT_TOTAL;
	}
	text_count_samples(r, event);
	if (r->dialect->flags & DIALECT_STACKS)
		text_see_cut(r);
}

static int profile_text_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct text_reader r = { .in = in };
	struct str text = in->text;
	struct str line;
	int ret = OK;

	text_find_whole(&r);
	/*
	 * skip V8's summary, because its rows are kinds of code ("JavaScript", "GC"), not functions
	 */
	r.is_skipped = text_is_below_summary(&r);
	if (r.is_difference || (r.is_cpu && text_is_subtracted(&r)))
		return fail(err, ERR_FORMAT,
			    "a difference of two profiles (pprof -base): give both profiles to "
			    "assay diff");
	if (r.is_inclusive && !r.has_calls)
		return fail(err, ERR_FORMAT,
			    "costs with callees only: run callgrind_annotate without "
			    "--inclusive=yes, or with --tree=both");
	for (uint32_t n = 0; str_line(&text, &line); n++) {
		text_line(&r, d, line, region_line(in, n));
		r.above = line;
	}
	if (r.has_row)
		text_add_row(&r);
	if (r.c)
		text_end_calls(&r);
	if (r.c)
		text_finish(&r);
	if (!r.c || (r.c->profile->table.rows.len == 0 && r.c->profile->samples.n == 0))
		ret = fail(err, ERR_FORMAT, "no profile row found");
	idmap_fini(&r.rows);
	VEC_FREE(&r.edges);
	VEC_FREE(&r.frames);
	return ret;
}

const struct format format_profile_text = {
	.name = "profile-text",
	.title = "profile table",
	.summary = "tables of functions as pprof, gprof, stackprof and others print them",
	.kinds = KIND_PROFILE,
	.probe = profile_text_probe,
	.find = profile_text_find,
	.read = profile_text_read,
};
