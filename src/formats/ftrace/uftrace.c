/* SPDX-License-Identifier: MIT */
/*
 * uftrace.c - calls printed by `uftrace replay`
 *
 *     # DURATION     TID     FUNCTION
 *                 [  2411] | main() {
 *        0.050 us [  2411] |   fib(1) = 1;
 *        2.592 ms [  2411] | } = 0; …
 *
 * The header names the columns before the bar. This reader does not read the output of `uftrace
 * graph` and `uftrace report`.
 */
#include "formats/ftrace/function_graph_build.h"

#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/format.h"
#include "formats/ftrace/function_graph_line.h"

DECLARE_FORMAT(uftrace);

#define UF_MAX_COLUMNS 12u
#define UF_RELEASE     (4u << 20)
#define UF_FRONT_BYTES 200u

enum uf_column {
	UF_NONE,
	UF_DURATION,
	UF_TID,
	UF_TIMESTAMP,
	UF_DELTA,
	UF_ELAPSED,
	UF_FUNCTION,
	UF_OTHER,
};

static const struct diag_kind uf_junk = { "uftrace-not-understood", DIAG_DATALOSS,
					  "lines that are no part of uftrace replay" };

struct uf_header {
	enum uf_column columns[UF_MAX_COLUMNS];
	unsigned int n;
};

struct uf_line {
	uint32_t tid;
	bool has_tid;
	bool has_duration;
	bool has_time;
	uint64_t dur_ns;
	uint64_t time_ns;
	struct str right; /* text after the bar */
};

static enum uf_column uf_column_of(struct str *s)
{
	static const struct {
		struct str name;
		enum uf_column column;
	} names[] = {
		{ STR("DURATION"), UF_DURATION }, { STR("TIMESTAMP"), UF_TIMESTAMP },
		{ STR("TIMEDELTA"), UF_DELTA },   { STR("ELAPSED"), UF_ELAPSED },
		{ STR("TID"), UF_TID },           { STR("FUNCTION"), UF_FUNCTION },
		{ STR("TASK NAME"), UF_OTHER },   { STR("MODULE NAME"), UF_OTHER },
		{ STR("ADDRESS"), UF_OTHER },
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (str_take(s, names[i].name))
			return names[i].column;
	}
	return UF_NONE;
}

/* Parse the header: "# DURATION     TID     FUNCTION". */
static bool uf_header_parse(struct str line, struct uf_header *ret)
{
	struct str s = str_trim(line);
	bool has_duration = false;

	ret->n = 0;
	if (!str_take(&s, STR("#")) || s.len > 300)
		return false;
	while (ret->n < UF_MAX_COLUMNS) {
		enum uf_column c;

		s = str_ltrim(s);
		c = uf_column_of(&s);
		if (c == UF_NONE)
			return false;
		if (c == UF_FUNCTION)
			return has_duration && str_trim(s).len == 0;
		has_duration |= c == UF_DURATION;
		ret->columns[ret->n++] = c;
	}
	return false;
}

#define UF_SECOND UINT64_C(1000000000)
#define UF_MINUTE (60 * UF_SECOND)
#define UF_HOUR   (24 * UF_MINUTE)

static uint64_t uf_unit(struct str unit)
{
	return str_eq(unit, STR("us"))   ? 1000
	       : str_eq(unit, STR("ms")) ? 1000000
	       : str_eq(unit, STR("ns")) ? 1
	       : str_eq(unit, STR("s"))  ? 1000000000
	       : str_eq(unit, STR("m"))  ? UF_MINUTE
	       : str_eq(unit, STR("h"))  ? UF_HOUR
					 : 0;
}

/*
 * Parse a number such as "12.345", in units of @scale ns. Minutes and hours have no decimals. After
 * the dot, minutes have seconds ("1.034 m" is 94 s), and hours have minutes. uftrace has a bug: its
 * hours have 24 minutes. Source: __print_time_unit() in utils/debug.c of uftrace. False: not a
 * number, or too large.
 */
static bool uf_number(struct str s, uint64_t scale, uint64_t *ret)
{
	uint64_t whole;
	uint64_t part = 0;
	uint64_t tens = 1;

	if (!str_u64(&s, &whole) || __builtin_mul_overflow(whole, scale, &whole))
		return false;
	if (scale >= UF_MINUTE && str_take(&s, STR("."))) {
		if (!str_u64(&s, &part) || part >= 60)
			return false;
		part *= scale == UF_MINUTE ? UF_SECOND : UF_MINUTE;
	} else if (str_take(&s, STR("."))) {
		for (; s.len && char_is_digit(s.p[0]) && tens < 1000000000; s = str_skip(s, 1)) {
			tens *= 10;
			part += scale / tens * (uint64_t)(s.p[0] - '0');
		}
	}
	return s.len == 0 && !__builtin_add_overflow(whole, part, ret);
}

/*
 * Parse the columns before the bar, which the header names. At the start of a call, the duration
 * and the time since the previous line may be blank. Only words are read, so a blank column is not
 * seen. Therefore the columns with a unit are counted, separately before and after the tid. The
 * duration is read only if all columns with a unit on its side of the tid have a value.
 */
static bool uf_front(struct str s, const struct uf_header *h, struct uf_line *ret)
{
	/* number of columns with a unit in the header: [0] before the tid, [1] after the tid */
	unsigned int want[2] = { 0, 0 };
	unsigned int have[2] = { 0, 0 };
	unsigned int nth[2] = { 0,
				/*
				 * number of the duration among the columns with a unit on this side
				 * of the tid, from 1; 0: the duration is not on this side
				 */
				0 };
	uint64_t values[2][UF_MAX_COLUMNS];
	unsigned int side = 0;
	struct str word;

	for (unsigned int i = 0; i < h->n; i++) {
		side |= h->columns[i] == UF_TID;
		if (h->columns[i] == UF_DURATION || h->columns[i] == UF_DELTA ||
		    h->columns[i] == UF_ELAPSED)
			want[side]++;
		if (h->columns[i] == UF_DURATION)
			nth[side] = want[side];
	}
	side = 0;
	while (str_word(&s, &word)) {
		struct str unit;
		struct str rest = s;
		uint64_t v;

		if (word.p[0] == '[') {
			struct str tid = str_skip(word, 1);

			if (!tid.len && !str_word(&s, &tid))
				return false;
			if (!str_u64(&tid, &v) || v > UINT32_MAX || !str_eq(tid, STR("]")))
				return false;
			ret->tid = (uint32_t)v;
			ret->has_tid = true;
			side = 1;
		} else if (char_is_digit(word.p[0]) && str_word(&rest, &unit) && uf_unit(unit) &&
			   have[side] < UF_MAX_COLUMNS &&
			   uf_number(word, uf_unit(unit), &values[side][have[side]])) {
			have[side]++;
			s = rest;
		} else if (char_is_digit(word.p[0]) && str_find_char(word, '.') < word.len &&
			   uf_number(word, 1000000000, &v)) {
			ret->time_ns = v;
			ret->has_time = true;
		}
	}
	for (side = 0; side < 2; side++) {
		if (nth[side] && have[side] == want[side]) {
			ret->dur_ns = values[side][nth[side] - 1];
			ret->has_duration = true;
		}
	}
	return true;
}

static bool uf_line_parse(struct str line, const struct uf_header *h, struct uf_line *ret)
{
	size_t bar = str_find(str_sub(line, 0, UF_FRONT_BYTES), STR("| "));

	memset(ret, 0, sizeof(*ret));
	if (bar >= line.len || bar >= UF_FRONT_BYTES)
		return false;
	ret->right = str_rtrim(str_skip(line, bar + 2));
	return uf_front(str_sub(line, 0, bar), h, ret) && ret->right.len;
}

static bool uf_is_call(struct str right)
{
	struct str s = str_ltrim(right);

	return s.len && (s.p[0] == '}' || str_ends(s, STR(";")) || str_ends(s, STR("{")) ||
			 str_starts(s, STR("/*")));
}

static bool uf_find(struct str text, size_t from, struct extent *ret)
{
	struct str rest = str_skip(text, from);
	struct str line;
	struct uf_header h = { .n = 0 };
	size_t start = 0;
	size_t end = 0;
	size_t n = 0;
	unsigned int gap = 0;

	while (str_line(&rest, &line)) {
		struct uf_header next;
		struct uf_line l;

		line = str_sub(line, 0, LIMIT_LINE_BYTES);
		if (str_starts(str_ltrim(str_sub(line, 0, 64)), STR("#")) &&
		    uf_header_parse(line, &next)) {
			if (n)
				break;
			h = next;
			start = (size_t)(line.p - text.p);
		} else if (h.n && uf_line_parse(line, &h, &l) && l.has_tid && uf_is_call(l.right)) {
			n++;
			gap = 0;
			end = (size_t)(rest.p - text.p);
		} else if (h.n && str_trim(line).len && ++gap > 2) {
			if (n)
				break;
			h.n = 0;
		}
	}
	if (!n)
		return false;
	*ret = (struct extent){ start, end, 98, NULL, NULL };
	return true;
}

static unsigned int uf_probe(struct str head)
{
	struct extent e;

	return uf_find(head, 0, &e) && e.from < 512 ? 95 : 0;
}

struct uf_reader {
	struct fg g;
	struct uf_header header;
	uint64_t n_junk;
	uint32_t junk_line;
};

/*
 * uftrace prints no CPU: record that the task of @l runs on the unknown CPU, and return that CPU.
 */
static struct fg_cpu *uf_place(struct uf_reader *r, const struct uf_line *l)
{
	struct fg_cpu *cpu = &r->g.cpus[0];

	if (!cpu->task || !cpu->has_pid || cpu->pid != l->tid)
		fg_run(&r->g, cpu, STR_ID_NONE, l->tid);
	return cpu;
}

/* The symbol of "name" or "name@module". */
static sym_id uf_symbol(struct uf_reader *r, struct str name)
{
	size_t at = str_rfind_char(name, '@');
	struct str module = STR_NONE;

	if (at < name.len && at > 0) {
		module = str_skip(name, at + 1);
		name = str_sub(name, 0, at);
	}
	return symbols_add_text(&r->g.dossier->symbols, name, module,
				str_starts(name, STR("linux:")) ? SPACE_KERNEL : SPACE_USER, 0);
}

/* Offset of the '(' that matches the ')' at the end of @s; s.len: no match. */
static size_t uf_opening(struct str s)
{
	size_t depth = 0;
	bool is_text = false;

	for (size_t i = s.len; i-- > 0;) {
		is_text ^= s.p[i] == '"';
		if (is_text)
			continue;
		depth += s.p[i] == ')';
		if (s.p[i] == '(' && --depth == 0)
			return i;
	}
	return s.len;
}

static void uf_retval(struct uf_reader *r, uint32_t call, struct str text)
{
	bool negative = str_take(&text, STR("-"));
	bool is_hex = str_starts(text, STR("0x"));
	uint64_t v;

	if ((is_hex ? !str_hex64(&text, &v) : !str_u64(&text, &v)) || text.len)
		return;
	calls_set_retval(r->g.calls, call, negative ? 0 - v : v,
			 is_hex ? RETVAL_HEX : RETVAL_DECIMAL);
}

/* Process the end of a call: "}" or "} = 1;". The function's name may follow in a C comment. */
static void uf_take_close(struct uf_reader *r, struct str s, uint32_t depth,
			  const struct uf_line *l)
{
	struct fg_cpu *cpu = uf_place(r, l);
	struct fg_task *t = cpu->task;
	struct fg_tail tail = { .retval_kind = RETVAL_NONE };
	size_t at = str_find(s, STR("/* "));
	struct str value = str_trim(str_sub(str_skip(s, 1), 0, at ? at - 1 : 0));
	uint32_t call;
	sym_id sym = SYM_ID_NONE;

	if (at < s.len) {
		tail.name = str_skip(s, at + 3);
		tail.name = str_trim(str_sub(tail.name, 0, str_find(tail.name, STR("*/"))));
		sym = uf_symbol(r, tail.name);
		tail.name = symbols_name(&r->g.dossier->symbols, sym);
	}
	if (t->n && t->open[t->n - 1].depth == depth &&
	    (!tail.name.len || r->g.calls->sym.data[t->open[t->n - 1].call].v == sym.v)) {
		call = fg_pop(&r->g, cpu);
		if (l->has_duration)
			calls_set_duration(r->g.calls, call, l->dur_ns);
		if (str_take(&value, STR("= ")))
			uf_retval(r, call,
				  str_sub(value, 0, value.len - str_ends(value, STR(";"))));
		return;
	}
	fg_close(&r->g, cpu, depth, &tail, l->has_duration, l->dur_ns,
		 l->has_time ? l->time_ns : FG_TIME_UNKNOWN);
}

/*
 * Parse `name(args);`, `name(args) = value;` or `name(args) {`, and add the call. False: another
 * text.
 */
static bool uf_take_call(struct uf_reader *r, struct str s, uint32_t depth, const struct uf_line *l)
{
	bool is_open = str_ends(s, STR("{"));
	struct str value = STR_NONE;
	struct fg_cpu *cpu;
	size_t paren;
	uint32_t call;

	if (!is_open && !str_ends(s, STR(";")))
		return false;
	s = str_rtrim(str_sub(s, 0, s.len - 1));
	if (!str_ends(s, STR(")"))) {
		size_t at = str_find(s, STR(") = "));

		if (at >= s.len)
			return false;
		value = str_skip(s, at + 4);
		s = str_sub(s, 0, at + 1);
	}
	paren = uf_opening(s);
	if (paren == 0 || paren >= s.len)
		return false;
	cpu = uf_place(r, l);
	call = fg_add(&r->g, cpu, uf_symbol(r, str_sub(s, 0, paren)), depth,
		      is_open ? CALL_OPEN : CALL_CLOSED | CALL_LEAF);
	if (call == FG_NO_CALL)
		return true;
	if (!is_open && l->has_duration)
		calls_set_duration(r->g.calls, call, l->dur_ns);
	if (l->has_time)
		calls_set_start(r->g.calls, call, l->time_ns);
	if (s.len - paren > 2)
		calls_set_args(
			r->g.calls, call,
			strings_add(&r->g.dossier->strings, str_sub(s, paren + 1, s.len - 1)));
	uf_retval(r, call, value);
	return true;
}

/*
 * Process a comment. A comment with a duration is a wait (linux:schedule), and becomes a call. Any
 * other comment is an event.
 */
static void uf_take_comment(struct uf_reader *r, struct str s, uint32_t depth,
			    const struct uf_line *l)
{
	struct str text = str_trim(str_sub(str_skip(s, 2), 0, str_find(str_skip(s, 2), STR("*/"))));
	struct fg_cpu *cpu = uf_place(r, l);
	struct fg_line event = { .kind = FG_EVENT, .text = text };
	uint32_t call;

	if (!l->has_duration || !text.len) {
		event.columns = l->has_time ? FG_TIME : 0;
		event.time_ns = l->time_ns;
		fg_apply(&r->g, &event);
		return;
	}
	text = str_sub(text, 0, str_find_char(text, ' '));
	call = fg_add(&r->g, cpu, uf_symbol(r, text), depth, CALL_CLOSED | CALL_LEAF);
	if (call == FG_NO_CALL)
		return;
	calls_set_duration(r->g.calls, call, l->dur_ns);
	if (l->has_time)
		calls_set_start(r->g.calls, call, l->time_ns);
}

static void uf_take(struct uf_reader *r, struct str line)
{
	struct uf_header header;
	struct uf_line l;
	size_t blanks = 0;
	uint32_t depth;
	struct str s;

	if (str_trim(line).len == 0)
		return;
	if (uf_header_parse(line, &header)) {
		r->header = header;
		return;
	}
	if (!uf_line_parse(line, &r->header, &l)) {
		if (r->n_junk++ == 0)
			r->junk_line = fg_here(&r->g);
		return;
	}
	while (blanks < l.right.len && l.right.p[blanks] == ' ')
		blanks++;
	s = str_skip(l.right, blanks);
	depth = (uint32_t)(blanks / 2 > UINT16_MAX ? UINT16_MAX : blanks / 2);
	if (str_starts(s, STR("}")))
		uf_take_close(r, s, depth, &l);
	else if (str_starts(s, STR("/*")))
		uf_take_comment(r, s, depth, &l);
	else if (!uf_take_call(r, s, depth, &l) && r->n_junk++ == 0)
		r->junk_line = fg_here(&r->g);
}

static int uf_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct uf_reader r = { .n_junk = 0 };
	struct str rest = in->text;
	const char *released = rest.p;
	struct str line;
	bool is_empty;

	fg_init(&r.g, in, d);
	fg_begin(&r.g, 0);
	r.g.capture->format = "uftrace";
	r.g.calls->tracer = strings_add(&d->strings, STR("uftrace"));
	while (str_line(&rest, &line)) {
		uf_take(&r, str_sub(line, 0, LIMIT_LINE_BYTES));
		r.g.line++;
		if (rest.p - released >= (ptrdiff_t)UF_RELEASE) {
			document_release(in->doc, rest.p);
			released = rest.p;
		}
	}
	fg_end(&r.g, r.g.line ? r.g.line - 1 : 0);
	if (r.n_junk)
		diag_add(&r.g.capture->diag, &uf_junk, r.n_junk, r.junk_line);
	is_empty = !r.g.calls->n;
	if (is_empty)
		dossier_drop_last(d);
	fg_fini(&r.g);
	return is_empty ? fail(err, ERR_FORMAT, "no call found") : OK;
}

const struct format format_uftrace = {
	.name = "uftrace",
	.summary = "calls as uftrace replay prints them",
	.kinds = KIND_CALLS,
	.probe = uf_probe,
	.find = uf_find,
	.read = uf_read,
};
