/* SPDX-License-Identifier: MIT */
/*
 * callgrind.c - files of valgrind's callgrind and cachegrind, and of tools that use their format
 *
 * A line of costs belongs to the function that the last "fn=" line names. The line after "calls="
 * has the cost of these calls, which includes the callees of the called function. A name is printed
 * once with a number, "fn=(3) main", and later as the number alone, "fn=(3)". Definition:
 * callgrind/docs/cl-format.xml of valgrind; cachegrind/docs/cg-manual.xml.
 *
 * Only the first event is read. The cost of a function with its callees is the cost of all calls to
 * it from other functions. Levels of recursion ("walk'2") count as one function.
 */
#include "base/limits.h"
#include "base/slots.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/call_costs.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/format.h"
#include "formats/tables/line_table.h"

#include <math.h>

DECLARE_FORMAT(callgrind);

#define CALLGRIND_BYTES     4096u /* maximum length of a line */
#define CALLGRIND_POSITIONS 3u
#define CALLGRIND_DECIMALS  6u
#define CALLGRIND_FUZZ      1e-9

static const struct diag_kind callgrind_lines = { "callgrind-lines", DIAG_DATALOSS,
						  "lines that are no cost, call or name" };
static const struct diag_kind callgrind_names = { "callgrind-names", DIAG_DATALOSS,
						  "numbers of names that no line defines" };
static const struct diag_kind callgrind_cycles = {
	"callgrind-cycles", DIAG_INFO,
	"functions in a cycle: their cost with callees is limited to the whole"
};
static const struct diag_kind callgrind_total = { "callgrind-total", DIAG_DATALOSS,
						  "summaries that differ from the sum of costs" };

/*
 * Kinds of names, each numbered separately: functions (keys fn, cfn), files (fl, fi, fe, cfi) and
 * objects (ob, cob). A number, such as "(3)", stands for a name.
 */
enum callgrind_space { CALLGRIND_FN, CALLGRIND_FL, CALLGRIND_OB };

struct callgrind_reader {
	const struct region *in;
	struct capture *c;
	VEC(struct str) names;
	/* maps a name's number and kind (function, file, object) to its index in `names`, plus 1 */
	struct slots by_number;
	struct call_costs costs;
	struct str object, called_object;
	uint32_t at; /* index in `costs` of the current function; INDEX_NONE: none yet */
	/* index in `costs` of the function that the next line "calls=" calls */
	uint32_t callee;
	unsigned int positions;
	bool is_call; /* the next line of costs has the cost of calls */
	double whole; /* total that the file states; 0: not stated */
	struct str event;
	uint32_t line;
};

/* Whether @t starts with the key of a name, such as "fn=". @ret_space: the kind of the name. */
static bool callgrind_is_name(struct str t, struct str *ret_key, enum callgrind_space *ret_space)
{
	*ret_key = str_sub(t, 0, str_find_char(t, '='));
	if (ret_key->len == t.len)
		return false;
	*ret_space = str_glob(STR("fn|cfn|jfn"), *ret_key) ? CALLGRIND_FN
		     : str_glob(STR("ob|cob"), *ret_key)   ? CALLGRIND_OB
							   : CALLGRIND_FL;
	return *ret_space != CALLGRIND_FL || str_glob(STR("fl|fi|fe|cfl|cfi|jfi"), *ret_key);
}

/*
 * Take a position (a line number or address): "0x4a0", "+3", "-12" or "*". "+", "-" and "*" are
 * relative to the previous position.
 */
static bool callgrind_position(struct str *s)
{
	struct str rest = *s;
	uint64_t n;

	if (str_take(&rest, STR("*"))) {
		*s = rest;
		return true;
	}
	if (!str_take(&rest, STR("+")))
		(void)str_take(&rest, STR("-"));
	if (str_take(&rest, STR("0x")) ? !str_hex64(&rest, &n) : !str_u64(&rest, &n))
		return false;
	*s = rest;
	return true;
}

/*
 * Read a line of costs: @positions positions, then one number per event. @ret: the number of the
 * first event; 0 if it is missing. False: @t is no line of costs.
 */
static bool callgrind_cost_of(struct str t, unsigned int positions, double *ret)
{
	uint64_t n = 0;
	bool is_first = true;

	for (unsigned int i = 0; i < positions; i++) {
		if (!callgrind_position(&t) || (t.len && !char_is_blank(t.p[0])))
			return false;
		t = str_ltrim(t);
	}
	*ret = 0;
	while (t.len) {
		if (!str_u64(&t, &n) || (t.len && !char_is_blank(t.p[0])))
			return false;
		t = str_ltrim(t);
		*ret = is_first ? (double)n : *ret;
		is_first = false;
	}
	return true;
}

/* Whether @t is a header line, or another line of the format without costs. */
static bool callgrind_is_header(struct str t)
{
	return str_glob(STR("creator: *|event: *|cmd: *|summary: *|totals: *|pid: *|"
			    "part: *|thread: *|ob=*|jump=*|jcnd=*|calls=*"),
			t);
}

static enum line_kind callgrind_kind(struct str line)
{
	struct str t = str_trim(str_sub(line, 0, CALLGRIND_BYTES));
	enum callgrind_space space;
	struct str key;
	double cost;

	if (str_glob(STR("# callgrind format|version: *|positions: *|events: *|desc: *"), t))
		return LINE_HEAD;
	if (str_starts(t, STR("fn=")))
		return LINE_ROW;
	if (t.len == 0 || callgrind_is_header(t) || callgrind_is_name(t, &key, &space))
		return LINE_TAIL;
	for (unsigned int n = 1; n <= CALLGRIND_POSITIONS; n++) {
		if (callgrind_cost_of(t, n, &cost))
			return LINE_TAIL;
	}
	return LINE_OTHER;
}

static const struct line_table callgrind_table = {
	.kind = callgrind_kind, .gap = 24, .min_rows = 3, .score = 98
};

static unsigned int callgrind_probe(struct str head)
{
	return line_table_probe(&callgrind_table, head);
}

static bool callgrind_find(struct str text, size_t from, struct extent *ret)
{
	return line_table_find(&callgrind_table, text, from, ret);
}

/*
 * The name that @value gives. @value is "(3) main", "(3)" (an earlier line has defined the name),
 * or a name without number.
 */
static struct str callgrind_text(struct callgrind_reader *r, enum callgrind_space space,
				 struct str value)
{
	struct str rest = value;
	struct slot *slot;
	uint64_t number;

	if (!str_take(&rest, STR("(")) || !str_u64(&rest, &number) || number > UINT32_MAX ||
	    !str_take(&rest, STR(")")))
		return value;
	rest = str_trim(rest);
	slots_reserve(&r->by_number, 1);
	slot = slots_find(&r->by_number, (uint32_t)number, (uint32_t)space);
	if (slot->value && rest.len)
		r->names.data[slot->value - 1] = rest;
	if (slot->value)
		return r->names.data[slot->value - 1];
	if (rest.len == 0) {
		diag_count(&r->c->diag, &callgrind_names, r->line);
		return value;
	}
	if (r->names.len < LIMIT_SYMBOLS) {
		*VEC_PUSH(&r->names) = rest;
		slots_fill(
			&r->by_number, slot,
			(struct slot){ (uint32_t)number, (uint32_t)space, (uint32_t)r->names.len });
	}
	return rest;
}

/* @name without the level of recursion: "walk" for "walk'2". */
static struct str callgrind_base(struct str name)
{
	size_t at = str_rfind_char(name, '\'');
	struct str rest = str_skip(name, at + 1);
	uint64_t level;

	return at && at < name.len && str_u64(&rest, &level) && rest.len == 0 ? str_sub(name, 0, at)
									      : name;
}

static uint32_t callgrind_function(struct callgrind_reader *r, struct str name, struct str object)
{
	struct str module = str_eq(object, STR("???")) ? STR_NONE : object;

	return call_costs_function(
		&r->costs,
		symbols_add_text(capture_symbols(r->c), callgrind_base(name), module,
				 module.len ? symbol_space_of_module(module) : SPACE_USER, 0),
		r->line);
}

static void callgrind_name(struct callgrind_reader *r, struct str key, enum callgrind_space space,
			   struct str value)
{
	struct str text = callgrind_text(r, space, value);

	if (str_eq(key, STR("ob")))
		r->object = r->called_object = text;
	else if (str_eq(key, STR("cob")))
		r->called_object = text;
	else if (str_eq(key, STR("fn")))
		r->at = callgrind_function(r, text, r->object);
	else if (str_eq(key, STR("cfn")))
		r->callee = callgrind_function(r, text, r->called_object);
}

static void callgrind_header(struct callgrind_reader *r, struct str t)
{
	struct str word;
	double n;

	if (str_take(&t, STR("positions: "))) {
		for (r->positions = 0; r->positions < CALLGRIND_POSITIONS && str_word(&t, &word);)
			r->positions++;
	} else if (str_take(&t, STR("events: "))) {
		if (r->event.len == 0)
			(void)str_word(&t, &r->event);
	} else if ((str_take(&t, STR("summary: ")) || str_take(&t, STR("totals: "))) &&
		   callgrind_cost_of(str_trim(t), 0, &n) && n > 0) {
		r->whole = n;
	}
}

static void callgrind_line(struct callgrind_reader *r, struct str t)
{
	enum callgrind_space space;
	struct str key;
	double cost;

	if (callgrind_is_name(t, &key, &space)) {
		callgrind_name(r, key, space, str_trim(str_skip(t, key.len + 1)));
	} else if (str_starts(t, STR("calls="))) {
		r->is_call = true;
	} else if (callgrind_cost_of(t, r->positions, &cost)) {
		if (r->is_call) {
			call_costs_add_call(&r->costs, r->at, r->callee, cost, r->line);
			r->called_object = r->object;
		} else {
			call_costs_add_self(&r->costs, r->at, cost);
		}
		r->is_call = false;
	} else {
		callgrind_header(r, t);
		if (callgrind_kind(t) == LINE_OTHER && r->at != INDEX_NONE)
			diag_count(&r->c->diag, &callgrind_lines, r->line);
	}
}

/*
 * The event's name without the unit that pprof adds: "cpu" for "cpu(ms)". "Ir" of valgrind becomes
 * "instructions". @ret_ns: the unit in nanoseconds; 0: not a time.
 */
static struct str callgrind_event(struct str event, double *ret_ns)
{
	struct str unit = str_skip(event, str_find_char(event, '('));

	*ret_ns = 0;
	if (str_eq(event, STR("Ir")))
		return STR("instructions");
	if (!str_take(&unit, STR("(")) || !str_ends(unit, STR(")")) || unit.len > 4)
		return event;
	unit.len--;
	*ret_ns = str_eq(unit, STR("ms"))   ? 1e6
		  : str_eq(unit, STR("us")) ? 1e3
		  : str_eq(unit, STR("s"))  ? 1e9
					    : str_eq(unit, STR("ns"));
	return str_sub(event, 0, str_find_char(event, '('));
}

static void callgrind_finish(struct callgrind_reader *r)
{
	struct profile *p = r->c->profile;
	double whole = r->costs.whole;
	uint32_t line = 0;
	double ns;
	struct str event = callgrind_event(r->event, &ns);

	if (r->whole > 0 && fabs(r->whole - whole) > CALLGRIND_FUZZ * whole)
		diag_count(&r->c->diag, &callgrind_total, r->c->first_line);
	if (event.len)
		p->event = strings_add(capture_strings(r->c), event);
	/*
	 * "Ir" is an event of valgrind, which counts each event instead of sampling. pprof also
	 * writes files in this format, but with other events
	 */
	if (str_eq(r->event, STR("Ir")))
		p->method = PROFILE_COUNTED;
	ns = ns > 0 ? ns : 1;
	if (whole < 1 || whole * ns > 1e18)
		return;
	p->event_count = (uint64_t)llround(whole * ns);
	p->has_event_count = true;
	for (size_t n = call_costs_write(&r->costs, r->c, &line); n; n--)
		diag_count(&r->c->diag, &callgrind_cycles, line);
}

static int callgrind_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct callgrind_reader r = {
		.in = in, .at = INDEX_NONE, .callee = INDEX_NONE, .positions = 1
	};
	struct str text = in->text;
	struct profile *p;
	struct str line;
	size_t rows;

	r.c = format_add_capture(&format_callgrind, in, d);
	p = capture_profile(r.c);
	p->unit = WEIGHT_PERCENT;
	p->decimals = CALLGRIND_DECIMALS;
	p->table.limit_pct = -1;
	for (uint32_t n = 0; str_line(&text, &line); n++) {
		struct str t = str_trim(str_sub(line, 0, CALLGRIND_BYTES));

		r.line = region_line(in, n);
		if (t.len)
			callgrind_line(&r, t);
	}
	callgrind_finish(&r);
	rows = p->table.rows.len;
	slots_fini(&r.by_number);
	call_costs_fini(&r.costs);
	VEC_FREE(&r.names);
	return rows ? OK : fail(err, ERR_FORMAT, "no cost of a function");
}

const struct format format_callgrind = {
	.name = "callgrind",
	.summary = "files of valgrind's callgrind and cachegrind, and of pprof -callgrind",
	.kinds = KIND_PROFILE,
	.probe = callgrind_probe,
	.find = callgrind_find,
	.read = callgrind_read,
};
