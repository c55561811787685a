/* SPDX-License-Identifier: MIT */
/*
 * retsnoop.c - call traces (-T) and stacks of retsnoop
 *
 *     FUNCTION CALLS    RESULT    DURATION
 *     → f
 *         ↔ g           [-ENOMEM]  5.539us
 *     ← f               [0]       10.265us
 *
 *        73us [-ENOMEM]  f+0x1a          (file.c:50:1)
 *                        . inlined
 *     !*  2us [NULL]     g
 *
 * In a trace, the indentation shows how calls nest. In a stack, only frames with a time are read.
 * The caller of such a frame is the previous frame with a time. Frames without a time, such as
 * inlined frames, are dropped. If an event has both a trace and a stack, the stack is dropped.
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
#include "formats/format.h"
#include "formats/ftrace/function_graph_line.h"

DECLARE_FORMAT(retsnoop);

#define RS_INDENT 4u
#define RS_GAP    3u
#define RS_ERRNOS 134

static const struct diag_kind rs_junk = { "retsnoop-not-understood", DIAG_DATALOSS,
					  "lines that are no part of retsnoop's output" };
static const struct diag_kind rs_frames = {
	"retsnoop-untimed", DIAG_INFO,
	"frames without a time, or of a stack whose calls are in the trace, not kept"
};

enum rs_kind {
	RS_NONE,
	RS_BLANK,
	RS_HEADER, /* "FUNCTION CALLS …", or the line of dashes that follows it */
	RS_TITLE,  /* title of an event: "time -> time TID/PID 1/1 (comm/comm):" */
	RS_ENTRY,
	RS_EXIT,
	RS_LEAF,
	RS_ELIDED,
	RS_FRAME,   /* stack frame with a time */
	RS_UNTIMED, /* stack frame without a time */
	RS_ARGUMENT,
};

struct rs_line {
	enum rs_kind kind;
	uint32_t depth;
	struct str name;
	struct str result; /* return value: the text between the brackets */
	struct str rest;   /* arguments of the call */
	struct str comm;
	uint32_t tid;
	uint64_t dur_ns;
	bool has_duration;
};

/* Parse "5.539us", "73us" or "1.2ms". */
static bool rs_duration(struct str word, uint64_t *ret)
{
	uint64_t scale = 1000;
	uint64_t v;

	if (str_ends(word, STR("ms")))
		scale = 1000000;
	else if (str_ends(word, STR("ns")))
		scale = 1;
	else if (!str_ends(word, STR("us")))
		return false;
	word.len -= 2;
	if (!str_u64(&word, &v) || __builtin_mul_overflow(v, scale, ret))
		return false;
	if (str_take(&word, STR("."))) {
		for (; word.len && char_is_digit(word.p[0]); word = str_skip(word, 1)) {
			scale /= 10;
			*ret += scale * (uint64_t)(word.p[0] - '0');
		}
	}
	return word.len == 0;
}

/* Take "[…]" from the start of @s. */
static bool rs_result(struct str *s, struct str *ret)
{
	size_t n = str_find_char(*s, ']');

	if (!s->len || s->p[0] != '[' || n >= s->len)
		return false;
	*ret = str_sub(*s, 1, n);
	*s = str_ltrim(str_skip(*s, n + 1));
	return true;
}

/*
 * Parse a line of a trace: an arrow and a function name. At the end of a call, the line also has
 * the call's result and duration. False: another line.
 */
static bool rs_trace_line(struct str s, size_t blanks, struct rs_line *ret)
{
	struct str word;
	struct str rest;

	if (str_take(&s, STR("\xe2\x86\x92 ")))
		ret->kind = RS_ENTRY;
	else if (str_take(&s, STR("\xe2\x86\x90 ")))
		ret->kind = RS_EXIT;
	else if (str_take(&s, STR("\xe2\x86\x94 ")))
		ret->kind = RS_LEAF;
	else
		return false;
	ret->depth = (uint32_t)(blanks / RS_INDENT);
	if (!str_word(&s, &ret->name) || !fg_name_ok(ret->name)) {
		ret->kind = RS_NONE;
		return false;
	}
	s = str_ltrim(s);
	if (ret->kind != RS_ENTRY && rs_result(&s, &ret->result)) {
		rest = s;
		if (str_word(&rest, &word) && rs_duration(word, &ret->dur_ns)) {
			ret->has_duration = true;
			s = rest;
		}
	}
	ret->rest = str_trim(s);
	return true;
}

/* Parse a stack frame with a time: `!*  2us [NULL]     name+0x1a  (place)`. False: another line. */
static bool rs_stack_line(struct str s, struct rs_line *ret)
{
	struct str word;

	while (s.len && (s.p[0] == '!' || s.p[0] == '*' || s.p[0] == ' '))
		s = str_skip(s, 1);
	if (!str_word(&s, &word) || !rs_duration(word, &ret->dur_ns))
		return false;
	s = str_ltrim(s);
	if (!rs_result(&s, &ret->result) || !str_word(&s, &ret->name))
		return false;
	ret->name = str_sub(ret->name, 0, str_find_char(ret->name, '+'));
	if (!fg_name_ok(ret->name))
		return false;
	ret->kind = RS_FRAME;
	ret->has_duration = true;
	return true;
}

/* Parse "20:29:17.844718 -> 20:29:17.844749 TID/PID 238/237 (simfail/simfail):". */
static bool rs_title(struct str s, struct rs_line *ret)
{
	size_t at = str_find(s, STR(" TID/PID "));
	struct str comm;
	uint64_t tid;

	if (at >= s.len || !str_contains(str_sub(s, 0, at), STR(" -> ")))
		return false;
	s = str_skip(s, at + 9);
	if (!str_u64(&s, &tid) || tid > UINT32_MAX)
		return false;
	comm = str_skip(s, str_find_char(s, '(') + 1);
	ret->comm = str_sub(comm, 0, str_find_char(comm, '/'));
	ret->tid = (uint32_t)tid;
	ret->kind = RS_TITLE;
	return true;
}

/*
 * Whether the line is an indented frame without a time: "do_syscall_64+0x3d
 * (arch/x86/entry/common.c:80)" or ". inlined".
 */
static bool rs_is_untimed(struct str s, size_t blanks)
{
	struct str word;

	if (blanks < 8 || !str_word(&s, &word))
		return false;
	if (str_eq(word, STR(".")))
		return str_word(&s, &word) && fg_name_ok(word);
	return str_find(word, STR("+0x")) < word.len;
}

static void rs_parse(struct str line, struct rs_line *ret)
{
	struct str s = str_trim(line);
	size_t blanks = 0;

	memset(ret, 0, sizeof(*ret));
	while (blanks < line.len && line.p[blanks] == ' ')
		blanks++;
	if (s.len == 0)
		ret->kind = RS_BLANK;
	else if (str_starts(s, STR("FUNCTION CALL")) && str_contains(s, STR("DURATION")))
		ret->kind = RS_HEADER;
	else if (str_starts(s, STR("--------")))
		ret->kind = RS_HEADER;
	else if (str_starts(s, STR("[...]")) || str_eq(s, STR("...")) ||
		 str_starts(s, STR("\xe2\x80\xa6")))
		ret->kind = RS_ELIDED;
	else if (str_starts(s, STR("\xe2\x80\xba ")))
		ret->kind = RS_ARGUMENT;
	else if (rs_trace_line(s, blanks, ret) || rs_stack_line(line, ret) || rs_title(s, ret))
		return;
	else if (rs_is_untimed(s, blanks))
		ret->kind = RS_UNTIMED;
}

static bool rs_is_sure(const struct rs_line *l)
{
	return l->kind == RS_FRAME ||
	       ((l->kind == RS_LEAF || l->kind == RS_EXIT) && l->has_duration);
}

static bool rs_find(struct str text, size_t from, struct extent *ret)
{
	struct str rest = str_skip(text, from);
	struct str line;
	size_t start = SIZE_MAX;
	size_t end = 0;
	size_t n = 0;
	unsigned int gap = 0;

	while (str_line(&rest, &line)) {
		struct rs_line l;

		rs_parse(str_sub(line, 0, LIMIT_LINE_BYTES), &l);
		if (l.kind == RS_NONE || l.kind == RS_BLANK) {
			gap += start != SIZE_MAX;
			if (gap < RS_GAP && l.kind == RS_BLANK)
				continue;
			if (n && start != SIZE_MAX && (l.kind == RS_NONE || gap >= RS_GAP))
				break;
			start = SIZE_MAX;
			gap = 0;
			continue;
		}
		if (start == SIZE_MAX) {
			if (l.kind == RS_ELIDED || l.kind == RS_ARGUMENT ||
			    (l.kind == RS_HEADER && !str_starts(str_trim(line), STR("FUNCTION"))))
				continue;
			start = (size_t)(line.p - text.p);
			n = 0;
		}
		n += rs_is_sure(&l);
		gap = 0;
		end = (size_t)(rest.p - text.p);
	}
	if (!n || start == SIZE_MAX)
		return false;
	*ret = (struct extent){ start, end, 97, NULL, NULL };
	return true;
}

static unsigned int rs_probe(struct str head)
{
	struct extent e;

	return rs_find(head, 0, &e) && e.from < 1024 ? 92 : 0;
}

struct rs_reader {
	struct fg g;
	bool is_begun;
	bool in_stack;
	/* the current event has a trace, so skip its stack: it adds no information */
	bool has_trace;
	uint32_t depth; /* depth of the next stack frame that is added */
	str_id comm;
	uint32_t tid;
	uint64_t n_junk;
	uint64_t n_frames;
	uint32_t junk_line;
};

static struct fg_cpu *rs_place(struct rs_reader *r)
{
	struct fg_cpu *cpu = &r->g.cpus[0];

	if (!cpu->task || cpu->pid != r->tid || cpu->comm.v != r->comm.v)
		fg_run(&r->g, cpu, r->comm, r->tid);
	return cpu;
}

/*
 * Set the return value of a call: "-ENOMEM", "0xffff…", "5", "NULL", "true". Nothing is set for
 * "void".
 */
static void rs_retval(struct rs_reader *r, uint32_t call, struct str s)
{
	bool negative = str_take(&s, STR("-"));
	uint64_t v;

	if (str_eq(s, STR("NULL")) || str_eq(s, STR("false")) || str_eq(s, STR("true"))) {
		calls_set_retval(r->g.calls, call, s.p[0] == 't', RETVAL_HEX);
	} else if (str_starts(s, STR("E"))) {
		for (int e = 1; e < RS_ERRNOS; e++) {
			const char *name = strerrorname_np(e);

			if (name && str_eq(str_of(name), s)) {
				calls_set_retval(r->g.calls, call, (uint64_t) - (int64_t)e,
						 RETVAL_DECIMAL);
				return;
			}
		}
	} else if (str_starts(s, STR("0x"))) {
		if (str_hex64(&s, &v))
			calls_set_retval(r->g.calls, call, v, RETVAL_HEX);
	} else if (str_u64(&s, &v)) {
		calls_set_retval(r->g.calls, call, negative ? 0 - v : v, RETVAL_DECIMAL);
	}
}

static void rs_values(struct rs_reader *r, uint32_t call, const struct rs_line *l)
{
	if (l->has_duration)
		calls_set_duration(r->g.calls, call, l->dur_ns);
	if (l->result.len)
		rs_retval(r, call, l->result);
	if (l->rest.len)
		calls_set_args(r->g.calls, call, strings_add(&r->g.dossier->strings, l->rest));
}

static void rs_take_exit(struct rs_reader *r, const struct rs_line *l)
{
	struct fg_cpu *cpu = rs_place(r);
	const struct fg_task *t = cpu->task;
	sym_id sym = fg_symbol(&r->g, l->name);
	struct fg_tail tail = { .name = l->name };

	if (t->n && t->open[t->n - 1].depth == l->depth &&
	    r->g.calls->sym.data[t->open[t->n - 1].call].v == sym.v) {
		rs_values(r, fg_pop(&r->g, cpu), l);
		return;
	}
	fg_close(&r->g, cpu, l->depth, &tail, l->has_duration, l->dur_ns, FG_TIME_UNKNOWN);
}

/* Add a stack frame as a call. Its caller is the previous frame with a time. */
static void rs_take_frame(struct rs_reader *r, const struct rs_line *l)
{
	struct fg_cpu *cpu = rs_place(r);
	uint32_t call;

	if (!r->in_stack && cpu->task->n)
		cpu->task->n = cpu->task->lossy = 0;
	if (!r->in_stack)
		r->depth = 0;
	r->in_stack = true;
	call = fg_add(&r->g, cpu, fg_symbol(&r->g, l->name), r->depth++, CALL_OPEN);
	if (call == FG_NO_CALL)
		return;
	r->g.calls->state.data[call] =
		(uint8_t)((r->g.calls->state.data[call] & ~CALL_STATE_MASK) | CALL_CLOSED);
	rs_values(r, call, l);
}

static void rs_take(struct rs_reader *r, struct str line)
{
	struct fg_line elided = { .kind = FG_ELIDED };
	struct rs_line l;
	uint32_t call;

	rs_parse(line, &l);
	if (l.kind != RS_FRAME && l.kind != RS_UNTIMED && l.kind != RS_ARGUMENT && r->in_stack) {
		struct fg_task *t = r->g.cpus[0].task;

		r->in_stack = false;
		if (t)
			t->n = t->lossy = 0;
	}
	switch (l.kind) {
	case RS_ENTRY:
	case RS_LEAF:
		r->has_trace = true;
		call = fg_add(&r->g, rs_place(r), fg_symbol(&r->g, l.name), l.depth,
			      l.kind == RS_LEAF ? CALL_CLOSED | CALL_LEAF : CALL_OPEN);
		if (call != FG_NO_CALL)
			rs_values(r, call, &l);
		break;
	case RS_EXIT:
		r->has_trace = true;
		rs_take_exit(r, &l);
		break;
	case RS_FRAME:
		if (r->has_trace)
			r->n_frames++;
		else
			rs_take_frame(r, &l);
		break;
	case RS_TITLE:
		r->has_trace = false;
		r->comm = strings_add(&r->g.dossier->strings, l.comm);
		r->tid = l.tid;
		break;
	case RS_ELIDED:
		fg_apply(&r->g, &elided);
		break;
	case RS_UNTIMED:
		r->n_frames++;
		break;
	case RS_NONE:
		if (r->n_junk++ == 0)
			r->junk_line = fg_here(&r->g);
		break;
	default:
		break;
	}
}

static int rs_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct rs_reader r = { .n_junk = 0 };
	struct str rest = in->text;
	struct str line;
	bool is_empty;

	fg_init(&r.g, in, d);
	fg_begin(&r.g, 0);
	r.g.capture->format = "retsnoop";
	r.g.calls->tracer = strings_add(&d->strings, STR("retsnoop"));
	while (str_line(&rest, &line)) {
		rs_take(&r, str_sub(line, 0, LIMIT_LINE_BYTES));
		r.g.line++;
	}
	fg_end(&r.g, r.g.line ? r.g.line - 1 : 0);
	if (r.n_junk)
		diag_add(&r.g.capture->diag, &rs_junk, r.n_junk, r.junk_line);
	if (r.n_frames)
		diag_add(&r.g.capture->diag, &rs_frames, r.n_frames, 0);
	is_empty = !r.g.calls->n;
	if (is_empty)
		dossier_drop_last(d);
	fg_fini(&r.g);
	return is_empty ? fail(err, ERR_FORMAT, "no call found") : OK;
}

const struct format format_retsnoop = {
	.name = "retsnoop",
	.summary = "call traces and stacks of retsnoop",
	.kinds = KIND_CALLS,
	.probe = rs_probe,
	.find = rs_find,
	.read = rs_read,
};
