/* SPDX-License-Identifier: MIT */
/*
 * strace.c - logs with one call per line: strace, ltrace, perf trace, truss
 *
 * Each thread is a lane. An unfinished call is joined with its "resumed" line. A result is a signed
 * number; as in the kernel, the result of a failed call is negative, such as -2 for ENOENT. If a
 * log prints no durations, its calls have no duration: the time from a line to the next includes
 * more than the call.
 */
#include "base/limits.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "document/document.h"
#include "document/omission.h"
#include "formats/format.h"
#include "formats/syscalls/strace_command.h"
#include "formats/syscalls/syscall_line.h"
#include "formats/tables/line_table.h"

DECLARE_FORMAT(strace);

#define STRACE_ARGS_BYTES 240u
#define STRACE_DAY_NS     UINT64_C(86400000000000)
/*
 * a shorter time between two lines, in ns, is not stored; ten thousand system calls take this long
 */
#define STRACE_GAP_NS UINT64_C(10000000)
/*
 * "ts" and "ts -i" receive a line one after the other, so their times since the previous line
 * differ by up to this time, in ns
 */
#define STRACE_GAP_ERR_NS UINT64_C(1000000000)

static const struct diag_kind strace_lines = { "strace-lines", DIAG_INFO,
					       "lines between calls that are none" };
static const struct diag_kind strace_frames = { "strace-frames", DIAG_INFO,
						"frames of stacks below calls, not read" };
static const struct diag_kind strace_resumed = { "strace-resumed", DIAG_INFO,
						 "calls whose begin is not in the log" };
static const struct diag_kind strace_args = { "strace-args", DIAG_INFO,
					      "calls whose arguments were cut to 240 bytes" };
static const struct diag_kind strace_omitted = { "strace-omitted", DIAG_DATALOSS,
						 "places where calls were left out" };
static const struct diag_kind strace_full = { "strace-limit", DIAG_DATALOSS,
					      "calls past the limit of calls" };

static enum line_kind strace_kind(struct str line)
{
	struct syscall_line l;

	if (str_trim(line).len == 0)
		return LINE_BLANK;
	syscall_line_parse(line, &l);
	switch (l.kind) {
	case SYSCALL_OTHER:
		return omission_is_in_words(line) ? LINE_TAIL : LINE_OTHER;
	case SYSCALL_FRAME:
	case SYSCALL_EXIT:
	case SYSCALL_SIGNAL:
	case SYSCALL_STOPPED:
	case SYSCALL_KILLED:
		return LINE_TAIL;
	case SYSCALL_NOTE:
		return LINE_PART;
	default:
		return l.is_sure ? LINE_SURE : LINE_ROW;
	}
}

static const struct line_table strace_table = {
	.kind = strace_kind, .gap = 3, .min_rows = 3, .score = 95
};

static unsigned int strace_probe(struct str head)
{
	return line_table_probe(&strace_table, head);
}

static bool strace_find(struct str text, size_t from, struct extent *ret)
{
	return line_table_find(&strace_table, text, from, ret);
}

struct strace_reader {
	const struct region *in;
	struct capture *c;
	struct calls *calls;
	VEC(uint32_t) open; /* for each lane: index of its unfinished call; INDEX_NONE: none */
	uint64_t last_ns;   /* time of the last line that has a time */
	/* with times at which calls returned: that of the previous line */
	uint64_t returned_ns;
	/* days since the first line, in ns; this is added to times of day */
	uint64_t days_ns;
	bool has_time;
	bool is_library;
	/*
	 * if a line has two times, the first is longer than the time since the previous line, so it
	 * has another meaning, as with "ts -s"
	 */
	bool has_no_gaps;
	bool is_perf; /* the log is of perf trace, which prints names of arguments */
};

static uint32_t strace_lane(struct strace_reader *r, const struct syscall_line *l)
{
	uint32_t lane = calls_lane(
		r->calls, (struct call_lane){
				  .comm = l->comm.len ? strings_add(capture_strings(r->c), l->comm)
						      : STR_ID_NONE,
				  .pid = l->pid,
				  .cpu = UINT16_MAX,
				  .has_pid = l->pid != 0,
			  });

	while (r->open.len <= lane)
		*VEC_PUSH(&r->open) = INDEX_NONE;
	return lane;
}

/*
 * The time of line @l in ns. It increases over the whole log: relative times are added up, and
 * after midnight a day is added to times of day.
 */
static uint64_t strace_time(struct strace_reader *r, const struct syscall_line *l)
{
	uint64_t ns = l->time_ns;

	if (l->clock == SYSCALL_RELATIVE)
		ns += r->last_ns;
	else if (l->time_ns < STRACE_DAY_NS)
		ns += r->days_ns;
	if (r->has_time && l->clock == SYSCALL_ABSOLUTE && ns + STRACE_DAY_NS / 2 < r->last_ns) {
		r->days_ns += STRACE_DAY_NS;
		ns += STRACE_DAY_NS;
	}
	r->has_time = true;
	r->last_ns = ns;
	return ns;
}

/* Whether the arguments have names, as in perf trace: "fd: 3, count: 10". */
static bool strace_names_args(struct str args)
{
	size_t n = 0;

	while (n < args.len && ((args.p[n] >= 'a' && args.p[n] <= 'z') ||
				char_is_digit(args.p[n]) || args.p[n] == '_'))
		n++;
	return n && !char_is_digit(args.p[0]) && str_starts(str_skip(args, n), STR(": "));
}

static str_id strace_text(struct strace_reader *r, struct str args, uint32_t line)
{
	if (args.len > STRACE_ARGS_BYTES)
		diag_count(&r->c->diag, &strace_args, line);
	return strings_add(capture_strings(r->c), str_sub(args, 0, STRACE_ARGS_BYTES));
}

/* Set result and duration of @call from @l, the line that ends the call. */
static void strace_close(struct strace_reader *r, uint32_t call, const struct syscall_line *l)
{
	int64_t result = l->result;
	int error = l->error.len ? syscall_line_errno(l->error) : 0;

	if (error)
		result = error;
	if (l->has_result || l->error.len)
		calls_set_retval(r->calls, call, (uint64_t)result, RETVAL_DECIMAL);
	if (l->has_duration)
		calls_set_duration(r->calls, call, l->duration_ns);
}

static int strace_open(struct strace_reader *r, const struct syscall_line *l, uint8_t state,
		       uint32_t line, uint32_t *ret_call)
{
	uint32_t lane = strace_lane(r, l);
	sym_id sym = symbols_add_text(capture_symbols(r->c), l->name, STR_NONE,
				      l->is_library ? SPACE_USER : SPACE_KERNEL, 0);

	r->is_library |= l->is_library;
	if (calls_add(r->calls, sym, INDEX_NONE, lane, 0, state, line, ret_call) < 0)
		return ERR_LIMIT;
	if (l->clock && state != CALL_ORPHAN) {
		uint64_t now = strace_time(r, l);

		/* the call began after the previous line was printed */
		calls_set_start(r->calls, *ret_call,
				l->is_end_time && r->returned_ns ? r->returned_ns : now);
		r->returned_ns = now;
	}
	calls_set_args(r->calls, *ret_call, strace_text(r, l->args, line));
	return OK;
}

/* Read the line @l, "<... read resumed>", which ends the unfinished call of its lane (thread). */
static int strace_resume(struct strace_reader *r, const struct syscall_line *l, uint32_t line)
{
	uint32_t lane = strace_lane(r, l);
	uint32_t call = r->open.data[lane];
	struct calls *c = r->calls;
	struct out args = { .fd = -1 };
	uint64_t now;

	if (call == INDEX_NONE) {
		diag_count(&r->c->diag, &strace_resumed, line);
		if (strace_open(r, l, CALL_ORPHAN, line, &call) < 0)
			return ERR_LIMIT;
		strace_close(r, call, l);
		return OK;
	}
	r->open.data[lane] = INDEX_NONE;
	c->state.data[call] = (uint8_t)((c->state.data[call] & ~CALL_STATE_MASK) | CALL_CLOSED);
	if (l->args.len) {
		struct str first = strings_get(capture_strings(r->c), c->args.data[call]);

		out_printf(&args, STR_FMT "%s" STR_FMT, STR_ARG(first), first.len ? ", " : "",
			   STR_ARG(str_sub(l->args, 0, STRACE_ARGS_BYTES)));
		calls_set_args(c, call, strace_text(r, out_view(&args), line));
		out_fini(&args);
	}
	strace_close(r, call, l);
	if (!l->clock)
		return OK;
	now = strace_time(r, l);
	if (!l->has_duration && c->start_ns.len && c->start_ns.data[call] <= now)
		calls_set_duration(c, call, now - c->start_ns.data[call]);
	return OK;
}

/* Parse a hexadecimal number such as "0x7f12". False: @s has another form. */
static bool strace_address(struct str s, uint64_t *ret)
{
	return str_take(&s, STR("0x")) && str_hex64(&s, ret) && s.len == 0;
}

static void strace_mark(struct strace_reader *r, const struct syscall_line *l, uint32_t line)
{
	uint32_t lane = strace_lane(r, l);
	struct str address = l->args;
	uint64_t at = 0;
	bool is_fault = l->kind == SYSCALL_SIGNAL &&
			(str_eq(address, STR("NULL")) || strace_address(address, &at));

	*VEC_PUSH(&r->calls->marks) = (struct call_mark){
		.time_ns = l->clock ? strace_time(r, l) : 0,
		.before_call = (uint32_t)r->calls->n,
		.lane = lane,
		.line = line,
		.text = strings_add(capture_strings(r->c), l->name),
		.count = at,
		.kind = l->kind == SYSCALL_KILLED    ? MARK_KILLED
			: l->kind == SYSCALL_STOPPED ? MARK_STOPPED
			: is_fault                   ? MARK_FAULT
						     : MARK_EVENT,
	};
}

/* Store l->gap_ns, the time since the previous line, as a mark before the next call. */
static void strace_gap(struct strace_reader *r, const struct syscall_line *l, uint32_t line)
{
	bool had_time = r->has_time;
	uint64_t last = r->last_ns;
	uint64_t now = strace_time(r, l);

	if (had_time && l->gap_ns > now - last + STRACE_GAP_ERR_NS)
		r->has_no_gaps = true;
	if (l->gap_ns < STRACE_GAP_NS || r->calls->marks.len >= LIMIT_CALLS)
		return;
	*VEC_PUSH(&r->calls->marks) = (struct call_mark){
		.time_ns = now,
		.count = l->gap_ns,
		.before_call = (uint32_t)r->calls->n,
		.lane = strace_lane(r, l),
		.line = line,
		.kind = MARK_GAP,
	};
}

/*
 * Remove the stored times since the previous line, because has_no_gaps shows that they have another
 * meaning.
 */
static void strace_drop_gaps(struct calls *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->marks.len; i++) {
		if (c->marks.data[i].kind != MARK_GAP)
			c->marks.data[n++] = c->marks.data[i];
	}
	c->marks.len = n;
}

static int strace_line(struct strace_reader *r, struct str text, uint32_t line)
{
	struct syscall_line l;
	uint32_t call;

	syscall_line_parse(text, &l);
	if (l.has_gap && l.kind == SYSCALL_CALL)
		strace_gap(r, &l, line);
	switch (l.kind) {
	case SYSCALL_CALL:
	case SYSCALL_UNFINISHED:
		r->is_perf |= strace_names_args(l.args);
		if (strace_open(r, &l, l.kind == SYSCALL_CALL ? CALL_CLOSED : CALL_OPEN, line,
				&call) < 0)
			return ERR_LIMIT;
		if (l.kind == SYSCALL_CALL)
			strace_close(r, call, &l);
		else
			r->open.data[r->calls->lane.data[call]] = call;
		return OK;
	case SYSCALL_RESUMED:
		return strace_resume(r, &l, line);
	case SYSCALL_SIGNAL:
	case SYSCALL_STOPPED:
	case SYSCALL_KILLED:
		if (r->calls->marks.len < LIMIT_CALLS)
			strace_mark(r, &l, line);
		return OK;
	case SYSCALL_FRAME:
		diag_count(&r->c->diag, &strace_frames, line);
		return OK;
	case SYSCALL_OTHER:
		if (omission_is_in_words(text))
			diag_count(&r->c->diag, &strace_omitted, line);
		else if (str_trim(text).len)
			diag_count(&r->c->diag, &strace_lines, line);
		return OK;
	default:
		return OK;
	}
}

static int strace_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct capture *c = format_add_capture(&format_strace, in, d);
	struct strace_reader r = { .in = in, .c = c, .calls = capture_calls(c) };
	struct str text = in->text;
	struct str line;

	r.calls->duration_decimals = 0;
	r.calls->is_from_events = r.calls->has_tasks = true;
	for (uint32_t n = 0; str_line(&text, &line); n++) {
		if (strace_line(&r, line, region_line(in, n)) < 0) {
			diag_count(&c->diag, &strace_full, region_line(in, n));
			break;
		}
		if ((n & 0xffff) == 0)
			document_release(in->doc, text.p);
	}
	if (r.has_no_gaps)
		strace_drop_gaps(r.calls);
	calls_finish(r.calls);
	VEC_FREE(&r.open);
	r.calls->log_of = r.is_library ? CALLS_OF_LIBRARIES : CALLS_OF_SYSTEM;
	if (!r.is_library)
		strace_command_note(in, c);
	if (r.is_perf)
		capture_note(c, STR("printed by"), STR("perf trace"), c->first_line);
	return r.calls->n ? OK : fail(err, ERR_FORMAT, "no call in the log");
}

const struct format format_strace = {
	.name = "strace",
	.summary = "logs of system calls or library calls, of strace, ltrace, perf trace, truss",
	.kinds = KIND_CALLS,
	.probe = strace_probe,
	.find = strace_find,
	.read = strace_read,
};
