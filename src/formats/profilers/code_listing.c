/* SPDX-License-Identifier: MIT */
/*
 * code_listing.c - functions line by line: perf annotate, pprof -list and -disasm, annotated source
 * of callgrind and opannotate, line_profiler, memory_profiler
 *
 * A row consists of numbers and an instruction or a source line. perf prints shares of the
 * function, in several layouts; the other tools print amounts. Quotations of a listing often lack
 * its title. So a row of perf is also recognised without a title, by the separator and the
 * instruction after it. See listing_line.h for the layouts.
 */
#include "formats/profilers/listing_line.h"
#include "formats/profilers/listing_name.h"
#include "formats/profilers/text_dialects.h"

#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/kinds/code.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/format.h"

#include <stdio.h>

DECLARE_FORMAT(code_listing);

/* maximum number of consecutive lines that are no rows; a wrapped row takes two lines */
#define LISTING_GAP    2u
#define LISTING_BLANKS 2u
/* minimum number of certain rows (is_sure) in a listing without title */
#define LISTING_MIN_ROWS 3u
/* number of bytes before the rows in which the name of the function is searched */
#define LISTING_BEFORE 400u

static const struct diag_kind listing_no_numbers = { "code-listing-no-numbers", DIAG_INFO,
						     "listings without a number at any line" };

struct listing_scan {
	enum listing_kind kind;
	size_t preface;
	bool has_preface;
	bool has_head;
	size_t rows, sure;
	unsigned int others, blanks;
};

static bool listing_is_whole(const struct listing_scan *s)
{
	return s->has_head ? s->rows > 0 : s->sure >= LISTING_MIN_ROWS;
}

static bool listing_scan_line(struct listing_scan *s, struct str line, size_t at, size_t next,
			      struct extent *ret)
{
	enum listing_kind head = listing_line_head(line);
	struct str t = str_trim(line);
	struct listing_row row;

	if (head != LISTING_NONE) {
		if (s->kind != LISTING_NONE && s->kind != head && s->rows)
			return false;
		/*
		 * Start the listing at its preface. Exception: callgrind_annotate prints a table
		 * before its listing. The rows of this table look like a preface, but they do not
		 * belong to the listing
		 */
		if (s->kind == LISTING_NONE || s->rows == 0)
			*ret = (struct extent){ .from = s->has_preface && head != LISTING_CALLGRIND
								? s->preface
								: at,
						.score = 98,
						.name = listing_line_name(head) };
		s->kind = head;
		s->has_head = true;
		s->others = s->blanks = 0;
		return true;
	}
	if (s->kind == LISTING_NONE && listing_line_perf_row(line, &row) && row.is_sure) {
		*ret = (struct extent){ .from = s->has_preface ? s->preface : at,
					.score = 97,
					.name = listing_line_name(LISTING_PERF) };
		s->kind = LISTING_PERF;
	}
	if (s->kind == LISTING_NONE &&
	    (listing_line_is_sums(t) || (listing_line_pprof_row(line, &row) && row.is_sure))) {
		*ret = (struct extent){ .from = s->has_preface ? s->preface : at,
					.score = 97,
					.name = listing_line_name(LISTING_PPROF) };
		s->kind = LISTING_PPROF;
		s->has_head = listing_line_is_sums(t);
		if (s->has_head)
			return true;
	}
	if (s->kind == LISTING_NONE && listing_row_of(LISTING_OPROFILE, line, &row) &&
	    row.is_sure) {
		*ret = (struct extent){ .from = at,
					.score = 97,
					.name = listing_line_name(LISTING_OPROFILE) };
		s->kind = LISTING_OPROFILE;
	}
	if (s->kind != LISTING_NONE && listing_row_of(s->kind, line, &row)) {
		s->rows++;
		s->sure += row.is_sure;
		ret->to = next;
		s->others = s->blanks = 0;
		return true;
	}
	if (s->kind == LISTING_NONE) {
		/*
		 * At its start, a listing of pprof may have rows with only zeros and numbers
		 * without a unit. Other texts have such rows, too. So they belong to the listing
		 * only if a certain row follows.
		 */
		bool is_preface = listing_line_is_preface(t) || listing_line_pprof_row(line, &row);

		if (!s->has_preface && is_preface)
			s->preface = at;
		s->has_preface = is_preface || (s->has_preface && s->blanks++ < 3);
		if (!s->has_preface || is_preface)
			s->blanks = 0;
		return true;
	}
	if (s->kind == LISTING_OPROFILE && listing_line_is_comment(t))
		return true;
	s->blanks = listing_line_is_preface(t) ? 0 : s->blanks + (t.len == 0);
	s->others += t.len && !listing_line_is_preface(t) && !str_starts(t, STR("--"));
	return s->others <= LISTING_GAP && s->blanks <= LISTING_BLANKS + (s->rows == 0) * 2u;
}

static bool code_listing_find(struct str text, size_t from, struct extent *ret)
{
	struct str rest = str_skip(text, from);
	struct listing_scan s = { 0 };
	struct str line;
	size_t at = from;

	while (str_line(&rest, &line)) {
		size_t next = text.len - rest.len;

		if (!listing_scan_line(&s, line, at, next, ret)) {
			if (listing_is_whole(&s))
				return true;
			s = (struct listing_scan){ 0 };
			(void)listing_scan_line(&s, line, at, next, ret);
		}
		at = next;
	}
	return s.kind != LISTING_NONE && listing_is_whole(&s);
}

static unsigned int code_listing_probe(struct str head)
{
	struct extent e;

	return code_listing_find(head, 0, &e) && e.from < 4096 ? 85 : 0;
}

struct listing_reader {
	const struct region *in;
	struct capture *c;
	struct code *code;
	enum listing_kind kind;
	struct str event;
	uint64_t samples;
	/* name of the next function; the text has it before the rows of this function */
	struct str name;
	struct str file;
	/* total of the profile, which is printed before the functions; value 0: missing */
	struct amount total;
	double whole; /* total cost of the next function */
	/* share of the next function in the whole profile, percent; < 0: missing */
	double of_all;
	double tick_ns; /* time unit in nanoseconds; 0: missing */
	/* callgrind: largest printed share of a row in the whole run, percent */
	double run_share;
	uint32_t number; /* callgrind: number of the next source line */
	/*
	 * symbol of the function in the last Go source line "func (r *T) name("; SYM_ID_NONE: no
	 * such line was read since the last row with weight
	 */
	sym_id func;
	bool is_named; /* the current function has its name from the title of the listing */
	bool has_rows; /* a row with weight of the current function was read */
	bool wants_function;
	/* the line "ROUTINE === f in" was wrapped, so the file is on the next line */
	bool wants_file;
	bool has_weight;
	bool has_blank; /* the previous line is blank */
};

static str_id listing_string(const struct listing_reader *r, struct str s)
{
	return s.len ? strings_add(capture_strings(r->c), s) : STR_ID_NONE;
}

/* The function that the text before the listing names; empty: none. */
static struct str listing_named_above(const struct listing_reader *r)
{
	const struct document *doc = r->in->doc;
	size_t at = doc && r->in->text.p >= doc->text.p ? (size_t)(r->in->text.p - doc->text.p) : 0;

	if (!doc || at > doc->text.len)
		return STR_NONE;
	return listing_name_above(
		str_sub(doc->text, at > LISTING_BEFORE ? at - LISTING_BEFORE : 0, at));
}

static bool listing_is_perf(const struct listing_reader *r)
{
	return r->kind == LISTING_PERF || r->kind == LISTING_PLAIN;
}

static bool listing_is_python(const struct listing_reader *r)
{
	return r->kind == LISTING_TIME || r->kind == LISTING_MEMORY;
}

static void listing_begin(struct listing_reader *r, struct dossier *d)
{
	if (r->c)
		return;
	r->c = format_add_capture(&format_code_listing, r->in, d);
	r->c->format = listing_line_name(r->kind);
	r->code = capture_code(r->c);
	r->code->is_percent = listing_is_perf(r);
	r->code->is_inclusive = listing_is_python(r);
	r->code->unit = listing_is_perf(r) ? WEIGHT_PERCENT : WEIGHT_UNKNOWN;
}

static void listing_function(struct listing_reader *r, uint32_t line)
{
	struct str name = r->name;
	struct code_function *f;

	if (name.len == 0 && listing_is_perf(r) && r->code->functions.len == 0)
		name = listing_named_above(r);
	f = code_add_function(
		r->code,
		name.len ? symbols_add_text(capture_symbols(r->c), name, STR_NONE, SPACE_UNKNOWN, 0)
			 : SYM_ID_NONE,
		line);
	f->file = listing_string(r, r->file);
	f->whole = listing_is_perf(r) ? 100 : r->whole;
	f->of_all = r->of_all;
	f->samples = r->samples;
	r->is_named = name.len > 0;
	r->has_rows = false;
	r->name = r->file = STR_NONE;
	r->whole = 0;
	r->of_all = -1;
	r->wants_function = false;
}

/* Read the title of a function: "ROUTINE ======================== main.f in /path/file.go". */
static void listing_routine(struct listing_reader *r, struct str t)
{
	struct str word;
	size_t in;

	(void)str_word(&t, &word);
	(void)str_word(&t, &word);
	t = str_trim(t);
	in = str_find(t, STR(" in "));
	if (in == t.len && str_ends(t, STR(" in"))) {
		in = t.len - 3;
		r->wants_file = true;
	}
	r->name = str_trim(str_sub(t, 0, in));
	r->file = str_trim(str_skip(t, in + 4));
}

/*
 * Read the line with the sums of a function, "10ms 20ms (flat, cum) 3.2% of Total". False: @t is no
 * such line.
 */
static bool listing_sums(struct listing_reader *r, struct str t)
{
	struct amount self, cum;
	unsigned int decimals = 0;

	if (!str_contains(t, STR("(flat, cum)")) || !text_dialect_amount(&t, &self) ||
	    !text_dialect_amount(&t, &cum))
		return false;
	t = str_skip(t, str_find(t, STR(")")) + 1);
	if (r->kind == LISTING_NONE)
		r->kind = LISTING_PPROF;
	r->wants_function = true;
	r->whole = cum.value > self.value ? cum.value : self.value;
	if (!text_dialect_share(&t, true, &r->of_all, &decimals))
		r->of_all = -1;
	return true;
}

/* Read a header line of perf annotate: the event, the number of samples, or the function. */
static void listing_perf_words(struct listing_reader *r, struct str t)
{
	size_t at = str_find(t, STR("of event '"));
	struct str rest;
	uint64_t n;

	if (at < t.len) {
		rest = str_skip(t, at + 10);
		r->event = str_sub(rest, 0, str_find_char(rest, '\''));
		return;
	}
	at = str_find(t, STR("Disassembly of "));
	if (at < t.len && str_find(t, STR(" for ")) < t.len) {
		rest = str_skip(t, str_find(t, STR(" for ")) + 5);
		(void)str_word(&rest, &r->event);
		rest = str_ltrim(rest);
		if (str_take(&rest, STR("(")) && str_u64(&rest, &n))
			r->samples = n;
		return;
	}
	/*
	 * the line names function, file and kind of share: "process_stream  /usr/sbin/haproxy
	 * [Percent: local period]"
	 */
	if (r->event.len && r->name.len == 0 && str_word(&t, &rest) &&
	    str_find_char(t, '/') < t.len) {
		r->name = str_sub(rest, 0, str_find(rest, STR("()")));
		r->wants_function = true;
	}
}

/*
 * Read a label such as "0000000000001139 <main>:", which starts the rows of a function. False:
 * @text is no label.
 */
static bool listing_label(struct listing_reader *r, struct str text)
{
	size_t open = str_find(text, STR(" <"));

	if (open >= text.len || !str_ends(text, STR(">:")) || char_hex(text.p[0]) < 0 ||
	    str_find_char(text, '+') < text.len)
		return false;
	r->name = str_sub(text, open + 2, text.len - 2);
	r->wants_function = true;
	return true;
}

/*
 * Store the name of the function that a Go source line begins in r->func: "(*Cell).fill" for "func
 * (c *Cell[T]) fill(". pprof prints the name in this form, after the package.
 */
static void listing_go_name(struct listing_reader *r, struct str text)
{
	struct str type = STR_NONE;
	struct str word;
	bool is_pointer = false;
	char name[256];
	size_t n = 0;
	int len;

	if (!str_take(&text, STR("func ")))
		return;
	if (str_take(&text, STR("("))) {
		struct str receiver = str_sub(text, 0, str_find_char(text, ')'));

		text = str_ltrim(str_skip(text, receiver.len + 1));
		while (str_word(&receiver, &word))
			type = word;
		is_pointer = str_take(&type, STR("*"));
		type = str_sub(type, 0, str_find_char(type, '['));
	}
	while (n < text.len && text.p[n] != '.' && text.p[n] != ':' && listing_name_has(text.p[n]))
		n++;
	if (n == 0 || n == text.len || (text.p[n] != '(' && text.p[n] != '['))
		return;
	len = snprintf(name, sizeof(name), "%s" STR_FMT "%s" STR_FMT, is_pointer ? "(*" : "",
		       STR_ARG(type),
		       is_pointer ? ")."
		       : type.len ? "."
				  : "",
		       STR_ARG(str_sub(text, 0, n)));
	if (len > 0 && (size_t)len < sizeof(name))
		r->func = symbols_add_text(capture_symbols(r->c), (struct str){ name, (size_t)len },
					   STR_NONE, SPACE_UNKNOWN, 0);
}

/*
 * In a pprof listing without title, take the function's name from the source lines "func name(".
 * The last such line before a row with weight names the function. Lines before rows without weight
 * do not count, because they may belong to functions nearby.
 */
static void listing_source_name(struct listing_reader *r, const struct listing_row *row,
				uint32_t line)
{
	if (r->kind != LISTING_PPROF || r->is_named)
		return;
	listing_go_name(r, row->text);
	if (row->self.value <= 0 && row->cum.value <= 0)
		return;
	if (r->func.v && r->has_rows)
		listing_function(r, line);
	if (r->func.v)
		r->code->functions.data[r->code->functions.len - 1].sym = r->func;
	r->func = SYM_ID_NONE;
	r->has_rows = true;
}

/* In a Python listing that does not name its function, take the name from "def fill(self):". */
static void listing_python_name(struct listing_reader *r, struct str text)
{
	struct code_function *f = &r->code->functions.data[r->code->functions.len - 1];

	(void)str_take(&text, STR("async "));
	if (!r->is_named && !f->sym.v && str_take(&text, STR("def ")))
		f->sym = symbols_add_text(capture_symbols(r->c),
					  str_trim(str_sub(text, 0, str_find_char(text, '('))),
					  STR_NONE, SPACE_UNKNOWN, 0);
}

/*
 * Take the target from a jump or call: c057e940 from "ble c057e940 <snd_ioctl+0xee0>". *@ret_rest:
 * the text after the target. False: @row is no jump or call, or its target is no number.
 */
static bool listing_target(const struct listing_row *row, struct str *ret_mnemonic,
			   uint64_t *ret_target, struct str *ret_rest)
{
	struct str word;

	*ret_rest = row->text;
	return row->address && str_word(ret_rest, ret_mnemonic) && str_word(ret_rest, &word) &&
	       str_hex64(&word, ret_target) && word.len == 0;
}

/*
 * In a listing of perf, store the target of a jump in @out. The text after a target names the
 * function of the target: "jne 1270 <f+0x10>". If the listing has no title, and the target is in
 * the range of rows read so far, this name becomes the name of the listing's function.
 */
static void listing_jump(struct listing_reader *r, const struct listing_row *row,
			 struct code_row *out)
{
	struct code_function *f = &r->code->functions.data[r->code->functions.len - 1];
	struct str mnemonic, text, name;
	uint64_t target;

	if (!listing_is_perf(r) || !listing_target(row, &mnemonic, &target, &text))
		return;
	if (str_glob(STR("j*|b.*|cbz|cbnz"), mnemonic))
		out->target = target;
	if (f->sym.v || target < r->code->rows.data[f->first].address || target > row->address ||
	    !str_take(&text, STR(" <")))
		return;
	name = str_sub(text, 0, str_find_char(text, '+'));
	if (name.len && name.len < text.len && str_ends(text, STR(">")))
		f->sym = symbols_add_text(capture_symbols(r->c), name, STR_NONE, SPACE_UNKNOWN, 0);
}

/* If the row has the comment of opannotate with a function's total, start this function. */
static void listing_oprofile_name(struct listing_reader *r, const struct listing_row *row)
{
	struct str name;

	if (r->kind != LISTING_OPROFILE ||
	    !listing_line_total(row->text, &name, &r->whole, &r->of_all))
		return;
	r->name = name;
	r->wants_function = true;
}

static void listing_add(struct listing_reader *r, const struct listing_row *row, uint32_t line)
{
	struct code_row *out;

	listing_oprofile_name(r, row);
	/* skip lines of opannotate before the first function, because they have no samples */
	if (r->kind == LISTING_OPROFILE && !row->has_weight && r->name.len == 0 &&
	    r->code->functions.len == 0)
		return;

	if (listing_is_perf(r) && (listing_label(r, row->text) || !row->text.len ||
				   str_starts(row->text, STR("Disassembly of section"))))
		return;
	if (r->wants_function || r->code->functions.len == 0)
		listing_function(r, line);
	listing_source_name(r, row, line);
	if (listing_is_python(r))
		listing_python_name(r, row->text);
	out = code_add_row(r->code, line);
	if (!out)
		return;
	out->self = row->self.value;
	out->half = row->self.half;
	out->cum = row->has_cum ? row->cum.value : row->self.value;
	if (r->kind == LISTING_TIME && r->tick_ns > 0) {
		out->self *= r->tick_ns;
		out->half *= r->tick_ns;
		out->cum = out->self;
		r->code->unit = WEIGHT_NS;
	}
	if (row->share > r->run_share) {
		r->run_share = row->share;
		r->code->run =
			100 * (row->self.value > 0 ? row->self.value : row->cum.value) / row->share;
	}
	out->address = row->address;
	listing_jump(r, row, out);
	/* callgrind: a call "=> file:function" has the number of the source line before it */
	out->number = r->kind != LISTING_CALLGRIND                     ? row->number
		      : r->number && str_starts(row->text, STR("=> ")) ? r->number - 1
								       : r->number;
	out->text = listing_string(r, row->text);
	out->is_source = row->is_source;
	out->has_weight = row->has_weight;
	r->has_weight |= out->self > 0 || out->cum > 0;
	r->code->has_calls |= row->has_cum;
	if (r->kind == LISTING_OPROFILE)
		r->code->unit = WEIGHT_SAMPLES;
	else if (!listing_is_perf(r) && r->code->unit != WEIGHT_NS &&
		 (row->self.value > 0 || row->cum.value > 0))
		r->code->unit = row->self.unit == AMOUNT_NS || row->cum.unit == AMOUNT_NS
					? WEIGHT_NS
				: row->self.unit == AMOUNT_BYTES || row->cum.unit == AMOUNT_BYTES
					? WEIGHT_BYTES
					: WEIGHT_EVENTS;
	r->number += r->number && !str_starts(row->text, STR("=> "));
}

/* If the last row of a pprof listing was wrapped, append its second line @t to the row's text. */
static void listing_join(struct listing_reader *r, struct str t)
{
	struct code_row *last;
	char text[512];
	int n;

	if (r->kind != LISTING_PPROF || !r->code || r->code->rows.len == 0 || r->wants_function)
		return;
	last = &r->code->rows.data[r->code->rows.len - 1];
	n = snprintf(text, sizeof(text), STR_FMT "%s" STR_FMT,
		     STR_ARG(strings_get(capture_strings(r->c), last->text)),
		     last->text.v ? " " : "", STR_ARG(t));
	if (n > 0 && (size_t)n < sizeof(text))
		last->text = listing_string(r, (struct str){ text, (size_t)n });
}

/*
 * Read a line that line_profiler or memory_profiler prints before a function, such as "Timer unit:
 * 1e-06 s". False: @t is no such line.
 */
static bool listing_python_words(struct listing_reader *r, struct str t)
{
	double value;

	if (str_take(&t, STR("Timer unit: "))) {
		if (str_double(&t, &value) && value > 0 && value <= 1)
			r->tick_ns = value * 1e9;
	} else if (str_take(&t, STR("Total time: "))) {
		if (str_double(&t, &value) && value > 0)
			r->whole = value * 1e9;
	} else if (str_take(&t, STR("File: ")) || str_take(&t, STR("Filename: "))) {
		r->file = t;
	} else if (str_take(&t, STR("Function: "))) {
		r->name = str_sub(t, 0, str_find(t, STR(" at line ")));
	} else {
		return false;
	}
	return true;
}

static void listing_other(struct listing_reader *r, struct str t)
{
	struct str rest = t;
	struct amount total;
	uint64_t n;
	struct str name;

	/*
	 * a quotation may have rows of several functions, and name each function in a sentence
	 * before its rows
	 */
	if (r->has_blank && r->code && listing_is_perf(r) && listing_name_in_prose(t, &name)) {
		r->name = name;
		r->wants_function = true;
	}
	r->has_blank = t.len == 0;
	if (r->wants_file && t.len && str_find_char(t, '/') < t.len) {
		r->file = t;
		r->wants_file = false;
	} else if (r->kind == LISTING_OPROFILE && str_take(&rest, STR("* Counted "))) {
		(void)str_word(&rest, &r->event);
	} else if (r->kind == LISTING_OPROFILE && listing_line_is_comment(t)) {
		return;
	} else if (r->kind == LISTING_CALLGRIND && str_take(&rest, STR("-- line ")) &&
		   str_u64(&rest, &n)) {
		r->number = (uint32_t)n;
	} else if (str_take(&rest, STR("Total: ")) && text_dialect_amount(&rest, &total)) {
		/*
		 * pprof prints the total of the whole profile before the first function. So keep
		 * the first total, and ignore later lines of this form
		 */
		if (r->total.value <= 0)
			r->total = total;
	} else if (!listing_python_words(r, t) && !listing_sums(r, t)) {
		listing_perf_words(r, t);
		if (t.len && !listing_line_is_preface(t))
			listing_join(r, t);
	}
}

static void listing_line(struct listing_reader *r, struct dossier *d, struct str line,
			 uint32_t number)
{
	enum listing_kind head = listing_line_head(line);
	struct str t = str_trim(line);
	struct listing_row row;

	if (head != LISTING_NONE) {
		r->kind = head;
		r->wants_function = true;
		if (head == LISTING_PPROF)
			listing_routine(r, t);
		else if (head == LISTING_OPROFILE)
			r->wants_function = false;
		else if (head == LISTING_CALLGRIND)
			r->file = str_trim(str_skip(t, str_find_char(t, ':') + 1));
		else
			listing_perf_words(r, t);
		r->number = head == LISTING_CALLGRIND;
		return;
	}
	if (r->kind == LISTING_NONE && listing_row_of(LISTING_OPROFILE, line, &row) && row.is_sure)
		r->kind = LISTING_OPROFILE;
	else if (r->kind == LISTING_NONE && listing_line_perf_row(line, &row) && row.is_sure)
		r->kind = LISTING_PERF;
	else if (r->kind == LISTING_NONE && listing_line_pprof_row(line, &row))
		r->kind = LISTING_PPROF;
	if (r->kind == LISTING_NONE || str_starts(t, STR("--")) || listing_line_is_preface(t) ||
	    str_contains(t, STR("(flat, cum)")) || !listing_row_of(r->kind, line, &row)) {
		listing_other(r, t);
		return;
	}
	listing_begin(r, d);
	listing_add(r, &row, number);
}

/* Compute the total of each function for which the text states none. Also set the event. */
static void listing_finish(struct listing_reader *r)
{
	VEC_FOREACH (f, &r->code->functions) {
		double sum = 0;

		for (uint32_t i = 0; i < f->n && f->whole <= 0; i++) {
			const struct code_row *row = &r->code->rows.data[f->first + i];

			sum += row->cum > row->self ? row->cum : row->self;
		}
		f->whole = f->whole > 0 ? f->whole : sum;
	}
	if (r->kind == LISTING_PPROF) {
		r->code->total = r->total.value;
		r->code->total_half = r->total.half;
	}
	r->code->event = listing_string(r, r->event);
	if (r->event.len == 0 && r->kind == LISTING_CALLGRIND)
		r->code->event = strings_add(capture_strings(r->c), STR("instructions"));
	if (listing_is_python(r))
		r->code->event = strings_add(capture_strings(r->c), r->kind == LISTING_TIME
									    ? STR("elapsed-time")
									    : STR("memory_growth"));
	if (!r->has_weight)
		diag_count(&r->c->diag, &listing_no_numbers, r->c->first_line);
}

static int code_listing_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct listing_reader r = { .in = in, .of_all = -1 };
	struct str text = in->text;
	struct str line;

	for (uint32_t n = 0; str_line(&text, &line); n++)
		listing_line(&r, d, line, region_line(in, n));
	if (!r.c)
		return fail(err, ERR_FORMAT, "no annotated function found");
	listing_finish(&r);
	return OK;
}

const struct format format_code_listing = {
	.name = "code-listing",
	.summary = "functions line by line: perf annotate, pprof -list, line_profiler",
	.kinds = KIND_CODE,
	.probe = code_listing_probe,
	.find = code_listing_find,
	.read = code_listing_read,
};
