/* SPDX-License-Identifier: MIT */
/*
 * chrome_trace_write.c - write calls as Chrome trace events, for Perfetto
 *
 * Each call is a complete event ("ph":"X") with ts and dur in microseconds with three decimals. If
 * calls would not nest, dur has more decimals. A capture is a process. A task is a thread; if tasks
 * are unknown, a CPU is a thread. Interrupts and trace events are instant events ("i").
 */
#include "formats/exchange/chrome_trace.h"

#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/json.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/strings.h"
#include "formats/exchange/export.h"

#include "config.h"

#include <math.h>
#include <stdlib.h>

struct chrome_writer {
	struct json j;
	struct out name;
	const struct capture *capture;
	const struct export_layout *layout;
	/* per call: start time in microseconds, as a reader parses it from the printed ts */
	double *begin;
	uint32_t process; /* number of the capture, used as process id in the file */
};

/*
 * Thread id in the file: the task's pid if it is known, otherwise the number of its track (a row in
 * the viewer) or CPU.
 */
static uint32_t chrome_tid(const struct chrome_writer *w, uint32_t track)
{
	const struct calls *c = w->capture->calls;
	const struct call_lane *lane;

	if (c->lanes.len == 0)
		return 1;
	lane = &c->lanes.data[w->layout->track_lane.data[track]];
	if (c->has_tasks && lane->has_pid && lane->pid)
		return lane->pid;
	if (c->has_tasks)
		return UINT32_C(1000000000) +
		       /*
			* the idle tasks of all CPUs (swapper) have pid 0, so the number of the
			* track replaces it
			*/
		       track;
	return lane->cpu != UINT16_MAX ? lane->cpu : track;
}

static void chrome_begin(struct chrome_writer *w, const char *ph, uint32_t track)
{
	json_object(&w->j);
	json_key(&w->j, "ph");
	json_z(&w->j, ph);
	json_key(&w->j, "pid");
	json_u64(&w->j, w->process);
	json_key(&w->j, "tid");
	json_u64(&w->j, chrome_tid(w, track));
}

static void chrome_end(struct chrome_writer *w)
{
	json_object_end(&w->j);
	out_char(w->j.out, '\n');
}

static void chrome_name_of_track(struct chrome_writer *w, uint32_t track)
{
	const struct calls *c = w->capture->calls;
	const struct call_lane *lane =
		c->lanes.len ? &c->lanes.data[w->layout->track_lane.data[track]] : NULL;

	w->name.len = 0;
	if (lane && c->has_tasks && lane->comm.v)
		out_str(&w->name, strings_get(capture_strings(w->capture), lane->comm));
	else if (lane && c->has_tasks && lane->has_pid)
		out_printf(&w->name, "task %u", lane->pid);
	else if (lane && lane->cpu != UINT16_MAX)
		out_printf(&w->name, "CPU %u", lane->cpu);
	else
		out_z(&w->name, "calls");
}

static void chrome_metadata(struct chrome_writer *w)
{
	struct strings *strings = capture_strings(w->capture);

	json_object(&w->j);
	json_key(&w->j, "ph");
	json_z(&w->j, "M");
	json_key(&w->j, "pid");
	json_u64(&w->j, w->process);
	json_key(&w->j, "name");
	json_z(&w->j, "process_name");
	json_key(&w->j, "args");
	json_object(&w->j);
	json_key(&w->j, "name");
	w->name.len = 0;
	out_str(&w->name, strings_get(strings, w->capture->path));
	if (w->capture->first_line)
		out_printf(&w->name, " line %u", w->capture->first_line);
	json_str(&w->j, out_view(&w->name));
	json_object_end(&w->j);
	chrome_end(w);
	for (uint32_t t = 0; t < w->layout->n_tracks; t++) {
		chrome_begin(w, "M", t);
		json_key(&w->j, "name");
		json_z(&w->j, "thread_name");
		json_key(&w->j, "args");
		json_object(&w->j);
		json_key(&w->j, "name");
		chrome_name_of_track(w, t);
		json_str(&w->j, out_view(&w->name));
		json_object_end(&w->j);
		chrome_end(w);
	}
}

static void chrome_arg_str(struct chrome_writer *w, const char *key, str_id id)
{
	if (id.v == 0)
		return;
	json_key(&w->j, key);
	json_str(&w->j, strings_get(capture_strings(w->capture), id));
}

/* Write "args" of a call: its line, CPU, arguments, return value and state. */
static void chrome_args(struct chrome_writer *w, uint32_t i)
{
	const struct calls *c = w->capture->calls;
	uint8_t state = c->state.data[i];
	uint32_t lane = c->lane.data[i];

	json_key(&w->j, "args");
	json_object(&w->j);
	json_key(&w->j, "line");
	json_u64(&w->j, c->line.data[i]);
	if (lane < c->lanes.len && c->has_tasks && c->lanes.data[lane].cpu != UINT16_MAX) {
		json_key(&w->j, "cpu");
		json_u64(&w->j, c->lanes.data[lane].cpu);
	}
	if (c->args.len)
		chrome_arg_str(w, "arguments", c->args.data[i]);
	if (c->retval.len && c->retval_kind.data[i] == RETVAL_DECIMAL) {
		json_key(&w->j, "ret");
		json_i64(&w->j, (int64_t)c->retval.data[i]);
	} else if (c->retval.len && c->retval_kind.data[i] == RETVAL_HEX) {
		w->name.len = 0;
		out_printf(&w->name, "0x%llx", (unsigned long long)c->retval.data[i]);
		json_key(&w->j, "ret");
		json_str(&w->j, out_view(&w->name));
	}
	if (state & CALL_NO_DURATION) {
		json_key(&w->j, "duration");
		json_z(&w->j, "not in the trace");
	}
	if ((state & CALL_STATE_MASK) != CALL_CLOSED) {
		json_key(&w->j, "state");
		json_z(&w->j, (state & CALL_STATE_MASK) == CALL_OPEN        ? "open"
			      : (state & CALL_STATE_MASK) == CALL_ORPHAN    ? "orphan"
			      : (state & CALL_STATE_MASK) == CALL_SHORTENED ? "shortened"
									    : "after loss");
	}
	json_object_end(&w->j);
}

/* The time @ns in microseconds, as a reader parses it from text with three decimals: "1.234". */
static double chrome_as_read(struct chrome_writer *w, uint64_t ns)
{
	if (ns <= UINT64_C(1) << 53)
		/*
		 * a double holds such an @ns exactly, so only the division rounds. The result is
		 * therefore the double that a reader parses
		 */
		return (double)ns / 1e3;
	w->name.len = 0;
	out_fixed(&w->name, (int64_t)(ns > INT64_MAX ? INT64_MAX : ns), 3);
	out_char(&w->name, '\0');
	return strtod(w->name.data, NULL);
}

static void chrome_us(struct chrome_writer *w, const char *key, uint64_t ns, bool is_fixed,
		      double us)
{
	json_key(&w->j, key);
	if (is_fixed)
		json_fixed(&w->j, (int64_t)(ns > INT64_MAX ? INT64_MAX : ns), 3);
	else
		json_double(&w->j, us);
}

/*
 * Print ts and dur so that viewers can nest the calls. Viewers compute the end of a call as ts +
 * dur in doubles, and drop or move calls that overlap. With three decimals, the last bit of this
 * end may differ from the start of the next call. Then dur gets more decimals, so that ts + dur is
 * exactly that start. If rounding makes this impossible, the call and its callees start at the next
 * larger double.
 */
static void chrome_times(struct chrome_writer *w, uint32_t i)
{
	uint64_t start = w->layout->start[i];
	uint64_t end = w->layout->end[i];
	uint32_t parent = w->capture->calls->parent.data[i];
	double as_printed = chrome_as_read(w, start);
	double from = as_printed;
	double to = chrome_as_read(w, end);
	double dur = chrome_as_read(w, end - start);
	bool is_fixed;

	if (parent < i && from < w->begin[parent])
		from = w->begin[parent];
	to = to < from ? from : to;
	is_fixed = from + dur == to;
	if (!is_fixed && from + (to - from) != to)
		from = nextafter(from, to);
	if (!is_fixed)
		dur = to - from;
	w->begin[i] = from;
	/* print three decimals if a reader parses them as the same double */
	chrome_us(w, "ts", start, from == as_printed, from);
	chrome_us(w, "dur", end - start, is_fixed, dur);
}

static void chrome_call(struct chrome_writer *w, uint32_t i)
{
	const struct calls *c = w->capture->calls;
	const struct symbols *t = capture_symbols(w->capture);
	struct str module = export_module(t, c->sym.data[i]);

	chrome_begin(w, "X", w->layout->track[i]);
	chrome_times(w, i);
	json_key(&w->j, "name");
	w->name.len = 0;
	export_name(t, c->sym.data[i], true, &w->name);
	json_str(&w->j, out_view(&w->name));
	if (module.len) {
		json_key(&w->j, "cat");
		json_str(&w->j, module);
	}
	chrome_args(w, i);
	chrome_end(w);
}

static void chrome_mark(struct chrome_writer *w, const struct call_mark *m)
{
	static const char *const names[] = {
		[MARK_EVENT] = "event",
		[MARK_IRQ_ENTER] = "interrupt",
		[MARK_IRQ_EXIT] = "interrupt over",
		[MARK_TASK_SWITCH] = "task switch",
		[MARK_LOST] = "lost events",
		[MARK_ELIDED] = "lines left out",
		[MARK_FAULT] = "signal",
		[MARK_STOPPED] = "stopped by a signal",
		[MARK_KILLED] = "killed by a signal",
		[MARK_GAP] = "time since the line before",
	};
	const struct calls *c = w->capture->calls;
	uint32_t call = m->before_call;
	uint64_t at;

	if (c->n == 0 || m->kind >= ARRAY_LEN(names))
		return;
	at = m->time_ns && w->layout->is_measured ? m->time_ns
	     : call < c->n                        ? w->layout->start[call]
						  : w->layout->end[c->n - 1];
	chrome_begin(w, "i", w->layout->track[call < c->n ? call : c->n - 1]);
	json_key(&w->j, "ts");
	json_fixed(&w->j, (int64_t)(at > INT64_MAX ? INT64_MAX : at), 3);
	json_key(&w->j, "s");
	json_z(&w->j, "t");
	json_key(&w->j, "name");
	json_z(&w->j, names[m->kind]);
	json_key(&w->j, "args");
	json_object(&w->j);
	json_key(&w->j, "line");
	json_u64(&w->j, m->line);
	chrome_arg_str(w, "text", m->text);
	if (m->kind == MARK_LOST) {
		json_key(&w->j, "count");
		json_u64(&w->j, m->count);
	}
	json_object_end(&w->j);
	chrome_end(w);
}

static void chrome_capture(struct chrome_writer *w)
{
	const struct calls *c = w->capture->calls;
	struct export_layout layout;

	export_layout_of(c, &layout);
	w->layout = &layout;
	w->begin = xcalloc(c->n + 1, sizeof(*w->begin));
	chrome_metadata(w);
	for (uint32_t i = 0; i < c->n; i++)
		chrome_call(w, i);
	VEC_FOREACH (m, &c->marks)
		chrome_mark(w, m);
	free(w->begin);
	export_layout_fini(&layout);
}

int chrome_trace_check(const struct capture *c, struct error *err)
{
	if (c->calls && c->calls->n)
		return OK;
	if (!c->profile)
		return fail(err, ERR_UNSUPPORTED,
			    "chrome-trace needs the times of calls, and this capture has no calls; "
			    "assay report shows it");
	return fail(err, ERR_UNSUPPORTED,
		    "chrome-trace needs the times of calls, and this capture has only samples; try "
		    "--to speedscope or firefox");
}

int chrome_trace_write(const struct capture *const *captures, size_t n, struct out *out,
		       struct error *err)
{
	struct chrome_writer w = { .process = 0 };
	bool is_measured = true;

	(void)err;
	out_init(&w.name);
	json_init(&w.j, out, false);
	json_object(&w.j);
	json_key(&w.j, "displayTimeUnit");
	json_z(&w.j, "ns");
	json_key(&w.j, "otherData");
	json_object(&w.j);
	json_key(&w.j, "exporter");
	json_z(&w.j, "assay " ASSAY_VERSION);
	for (size_t i = 0; i < n; i++)
		is_measured &= captures[i]->calls->start_ns.len == captures[i]->calls->n;
	json_key(&w.j, "starts");
	json_z(&w.j, is_measured ? "as in the trace, moved where they do not nest"
				 : "not in the trace: calls are placed one after the other");
	json_object_end(&w.j);
	json_key(&w.j, "traceEvents");
	json_array(&w.j);
	out_char(out, '\n');
	for (size_t i = 0; i < n; i++) {
		w.capture = captures[i];
		w.process = (uint32_t)i + 1;
		chrome_capture(&w);
	}
	json_array_end(&w.j);
	json_object_end(&w.j);
	out_char(out, '\n');
	out_fini(&w.name);
	return OK;
}
