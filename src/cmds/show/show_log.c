/* SPDX-License-Identifier: MIT */
/*
 * show_log.c - a log: its streams, levels, repeated and dropped messages, and the events that it
 * reports
 */
#include "analyses/logs/log_summary.h"
#include "base/out.h"
#include "base/plural.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/run/session.h"
#include "cmds/show/show.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/records.h"
#include "explain/findings.h"
#include "render/view.h"

#include <inttypes.h>

#define LOG_STREAMS_BRIEF   14u
#define LOG_TEMPLATES_BRIEF 6u
#define LOG_MODULES_BRIEF   7u
#define LOG_EVENTS_BRIEF    3u
#define LOG_EVENTS_FULL     200u

static const struct log_record *log_record(const struct capture *c, uint32_t record)
{
	return &c->records->rows.data[record];
}

/*
 * Format days since 1970-01-01 as a date, with the algorithm civil_from_days of H. Hinnant.
 * <time.h> is not used, because it defines CLOCK_REALTIME, which is also a name of this program.
 */
static struct str log_date(struct show *s, uint64_t days)
{
	uint64_t z = days + 719468;
	uint64_t era = z / 146097;
	uint64_t doe = z % 146097;
	uint64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	uint64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	uint64_t mp = (5 * doy + 2) / 153;
	uint64_t month = mp < 10 ? mp + 3 : mp - 9;

	return show_format(s, "%04" PRIu64 "-%02" PRIu64 "-%02" PRIu64 " ",
			   yoe + era * 400 + (month <= 2), month, doy - (153 * mp + 2) / 5 + 1);
}

static struct str log_time_text(struct show *s, uint8_t clock, uint64_t ns, bool has_date)
{
	uint64_t seconds = ns / 1000000000;
	struct str date = STR("");

	if (clock != CLOCK_REALTIME && clock != CLOCK_YEAR && clock != CLOCK_DAY)
		return show_format(s, "%" PRIu64 ".%06" PRIu64, seconds, ns / 1000 % 1000000);
	if (has_date && clock == CLOCK_REALTIME)
		date = log_date(s, seconds / 86400);
	else if (has_date && clock == CLOCK_YEAR)
		/*
		 * the year is unknown: compute the date in 1971, which has 365 days, and print it
		 * without the year
		 */
		date = str_skip(log_date(s, 365 + seconds / 86400), 5);
	return show_format(s, STR_FMT "%02" PRIu64 ":%02" PRIu64 ":%02" PRIu64 ".%03" PRIu64,
			   STR_ARG(date), seconds / 3600 % 24, seconds / 60 % 60, seconds % 60,
			   ns / 1000000 % 1000);
}

static struct cell log_time(struct show *s, const struct capture *c, const struct log_record *rec)
{
	uint8_t clock = c->records->streams.len > rec->stream
				? c->records->streams.data[rec->stream].clock
				: (uint8_t)CLOCK_NONE;

	return rec->has_time ? cell_text(log_time_text(s, clock, rec->time_ns, true)) : cell_none();
}

/* Format the source of messages: "ovsdb-server-nb@node1"; '?' replaces an unknown part. */
static struct str log_source(struct show *s, str_id process, str_id node)
{
	struct str p = process.v ? show_string(s, process) : STR("?");
	struct str n = node.v ? show_string(s, node) : STR("?");

	return show_format(s, STR_FMT "@" STR_FMT, STR_ARG(p), STR_ARG(n));
}

static void log_head(struct show *s, const struct capture *c, const struct log_summary *sum)
{
	uint64_t lines = 0;
	struct out what = { .fd = -1 };

	VEC_FOREACH (rec, &c->records->rows)
		lines += rec->last_line >= rec->line ? rec->last_line - rec->line + 1 : 1;
	view_field(s->v, "records", NULL, cell_count(sum->n_records));
	view_field(s->v, "record_lines", NULL, cell_count(lines));
	view_field(s->v, "truncated", NULL, cell_count(sum->n_truncated));
	out_printf(&what, STR_FMT " on %" PRIu64 " line%s in " STR_FMT,
		   STR_ARG(show_plural(s, sum->n_records, "record", "records")), lines,
		   plural(lines), STR_ARG(show_plural(s, sum->streams.len, "stream", "streams")));
	if (sum->n_truncated)
		out_printf(&what, ", %" PRIu64 " cut off", sum->n_truncated);
	if (sum->dropped_messages)
		out_printf(&what, "; %" PRIu64 " more were dropped by the writer's rate limit",
			   sum->dropped_messages);
	out_char(&what, '\0');
	view_line(s->v, "What", "%s", what.data);
	out_fini(&what);
}

/*
 * The title of the column with the time of the first message of each row. If all streams have the
 * same clock, the title names it.
 */
static const char *log_first_title(const struct capture *c)
{
	bool is_utc = true;
	bool is_boot = true;
	bool is_local = true;
	bool has_no_year = true;

	VEC_FOREACH (st, &c->records->streams) {
		is_utc &= st->clock == CLOCK_NONE || (st->clock == CLOCK_REALTIME && !st->is_local);
		is_local &= st->clock == CLOCK_REALTIME && st->is_local;
		is_boot &= st->clock == CLOCK_NONE || st->clock == CLOCK_BOOT;
		has_no_year &= st->clock == CLOCK_YEAR;
	}
	return is_utc        ? "From (UTC)"
	       : is_boot     ? "From (s since boot)"
	       : is_local    ? "From (local time)"
	       : has_no_year ? "From (no year)"
			     : "From";
}

static void log_streams(struct show *s, const struct capture *c, const struct log_summary *sum)
{
	const struct view_column columns[] = {
		{ "process", NULL, 0 },
		{ "node", NULL, 0 },
		{ NULL, "Stream", COLUMN_FLEX },
		{ "title", NULL, 0 },
		{ "records", "Records", 0 },
		{ "first", log_first_title(c), 0 },
		{ "last", "To", 0 },
		{ "first_ns", NULL, 0 },
		{ "last_ns", NULL, 0 },
		{ "first_sequence", NULL, 0 },
		{ "last_sequence", NULL, 0 },
		{ "missing", "Missing", COLUMN_MINOR },
		{ "gaps", NULL, 0 },
		{ "line", "Line", 0 },
	};
	const struct view_table table = { .key = "streams",
					  .columns = columns,
					  .n_columns = ARRAY_LEN(columns) };
	size_t limit = show_rows(s, LOG_STREAMS_BRIEF);

	view_table(s->v, &table);
	for (size_t i = 0; i < sum->streams.len && i < limit; i++) {
		const struct log_stream_summary *st = &sum->streams.data[i];
		const struct log_stream *stream = &c->records->streams.data[i];
		bool same_day = st->first_ns / UINT64_C(86400000000000) ==
				st->last_ns / UINT64_C(86400000000000);
		uint32_t line = stream->title_line;

		if (!line && st->first_record != INDEX_NONE)
			line = log_record(c, st->first_record)->line;
		struct cell cells[] = {
			show_name(s, stream->process),
			show_name(s, stream->node),
			stream->process.v || stream->node.v
				? cell_text(log_source(s, stream->process, stream->node))
				: cell_none(),
			show_name(s, stream->title),
			cell_count(st->records),
			st->has_time
				? cell_text(log_time_text(s, stream->clock, st->first_ns, true))
				: cell_none(),
			st->has_time ? cell_text(log_time_text(s, stream->clock, st->last_ns,
							       !same_day || s->session->to.is_json))
				     : cell_none(),
			st->has_time ? cell_ns(st->first_ns) : cell_none(),
			st->has_time ? cell_ns(st->last_ns) : cell_none(),
			st->has_sequence ? cell_count(st->first_sequence) : cell_none(),
			st->has_sequence ? cell_count(st->last_sequence) : cell_none(),
			st->has_sequence ? cell_count(st->missing) : cell_none(),
			st->has_sequence ? cell_count(st->gaps) : cell_none(),
			cell_line(line),
		};

		view_row(s->v, cells);
	}
	view_table_end(s->v);
}

static void log_counts(struct show *s, const struct log_summary *sum)
{
	static const struct view_column levels[] = { { "records", "Records", 0 },
						     { "level", "Level", 0 } };
	static const struct view_column modules[] = { { "records", "Records", 0 },
						      { "module", "Module", COLUMN_FLEX } };
	static const struct view_column sources[] = {
		{ "records", "Records", 0 },
		{ NULL, "Process@node", COLUMN_FLEX },
		{ "process", NULL, 0 },
		{ "node", NULL, 0 },
	};
	size_t limit = show_rows(s, LOG_MODULES_BRIEF);

	view_table(s->v,
		   &(struct view_table){ .key = "by_level", .columns = levels, .n_columns = 2 });
	for (int i = LEVEL_EMERGENCY; i >= 0; i--) {
		struct cell cells[] = { cell_count(sum->by_level[i]),
					cell_word(log_level_name((enum log_level)i)) };

		if (sum->by_level[i])
			view_row(s->v, cells);
	}
	view_table_end(s->v);
	view_table(s->v,
		   &(struct view_table){ .key = "by_module", .columns = modules, .n_columns = 2 });
	for (size_t i = 0; i < sum->by_module.len && i < limit; i++) {
		const struct log_count *m = &sum->by_module.data[i];
		struct cell cells[] = { cell_count(m->n),
					m->name.v ? show_name(s, m->name) : cell_word("(none)") };

		view_row(s->v, cells);
	}
	view_table_end(s->v);
	view_table(s->v, &(struct view_table){ .key = "by_process_node",
					       .columns = sources,
					       .n_columns = 4,
					       .is_json_only = s->is_brief });
	VEC_FOREACH (src, &sum->by_source) {
		struct cell cells[] = { cell_count(src->n),
					cell_text(log_source(s, src->process, src->node)),
					show_name(s, src->process), show_name(s, src->node) };

		view_row(s->v, cells);
	}
	view_table_end(s->v);
}

static void log_templates(struct show *s, const struct capture *c, const struct log_summary *sum)
{
	static const struct view_column columns[] = {
		{ "records", "Records", 0 },  { "level", "Level", 0 },
		{ "module", "Module", 0 },    { "text", "Message", COLUMN_FLEX },
		{ "first_line", "First", 0 }, { "last_line", "Last", 0 },
	};
	static const struct view_table table = { .key = "templates",
						 .columns = columns,
						 .n_columns = ARRAY_LEN(columns),
						 .is_main = true };
	size_t limit = show_rows(s, LOG_TEMPLATES_BRIEF);

	view_table(s->v, &table);
	for (size_t i = 0; i < sum->templates.len && i < limit; i++) {
		const struct log_template *t = &sum->templates.data[i];
		struct cell cells[] = {
			cell_count(t->n),
			cell_word(log_level_name((enum log_level)t->level)),
			show_name(s, t->module),
			cell_text(t->text),
			cell_line(log_record(c, t->first_record)->line),
			cell_line(log_record(c, t->last_record)->line),
		};

		view_row(s->v, cells);
	}
	view_table_end(s->v);
}

static void log_dropped(struct show *s, const struct log_summary *sum)
{
	static const struct view_column columns[] = {
		{ "dropped", "Dropped", 0 }, { "per_second", "per s", 0 },
		{ "seconds", NULL, 0 },      { "active_seconds", NULL, 0 },
		{ "reports", NULL, 0 },      { NULL, "By", COLUMN_FLEX },
		{ "process", NULL, 0 },      { "node", NULL, 0 },
		{ "module", "Module", 0 },
	};
	static const struct view_table table = { .key = "by",
						 .columns = columns,
						 .n_columns = ARRAY_LEN(columns) };

	view_object(s->v, "dropped", NULL);
	view_field(s->v, "messages", NULL, cell_count(sum->dropped_messages));
	view_table(s->v, &table);
	VEC_FOREACH (d, &sum->dropped_total) {
		struct cell cells[] = {
			cell_count(d->dropped),
			d->active_seconds
				? cell_real((double)d->dropped / (double)d->active_seconds, 0)
				: cell_none(),
			cell_count(d->seconds),
			cell_count(d->active_seconds),
			cell_count(d->reports),
			cell_text(log_source(s, d->process, d->node)),
			show_name(s, d->process),
			show_name(s, d->node),
			show_name(s, d->module),
		};

		view_row(s->v, cells);
	}
	view_table_end(s->v);
	view_object_end(s->v);
}

/* A list of events that a log reports: in JSON with figures, in text one sentence each. */
struct log_event {
	const char *title;
	size_t n;
};

static size_t log_events_shown(const struct show *s)
{
	return show_rows_of(s, LOG_EVENTS_BRIEF, LOG_EVENTS_FULL);
}

/* Whether to print the next event in text. JSON has all events. */
static bool log_event_is_shown(const struct show *s, struct log_event *e)
{
	return e->n++ < log_events_shown(s);
}

static void log_event_place(struct show *s, const struct capture *c, uint32_t record)
{
	const struct log_record *rec = log_record(c, record);

	view_field(s->v, "line", NULL, cell_line(rec->line));
	view_field(s->v, "time", NULL, log_time(s, c, rec));
}

static void log_event_text(struct show *s, const struct capture *c, struct log_event *e,
			   uint32_t record, struct str sentence)
{
	const struct log_record *rec = log_record(c, record);
	struct cell time = log_time(s, c, rec);

	view_line(s->v, e->title, STR_FMT "%s" STR_FMT " (L%" PRIu32 ")",
		  time.kind == CELL_TEXT ? (int)time.s.len : 0,
		  time.kind == CELL_TEXT ? time.s.p : "", time.kind == CELL_TEXT ? ": " : "",
		  STR_ARG(sentence), rec->line);
	e->title = NULL;
}

static void log_event_more(struct show *s, const struct log_event *e)
{
	if (e->n > log_events_shown(s))
		view_line(s->v, NULL, "... and %zu more%s", e->n - log_events_shown(s),
			  s->is_brief ? "" : ": --json has all");
}

static void log_crashes(struct show *s, const struct capture *c, const struct log_summary *sum)
{
	struct log_event e = { "Crashes", 0 };

	view_list(s->v, "crashes");
	VEC_FOREACH (x, &sum->crashes) {
		view_object(s->v, NULL, NULL);
		log_event_place(s, c, x->record);
		view_field(s->v, "pid", NULL, cell_count(x->pid));
		view_field(s->v, "crashes", NULL, cell_count(x->crashes));
		view_field(s->v, "signal", NULL,
			   x->signal.len ? cell_text(x->signal) : cell_none());
		view_field(s->v, "core_dumped", NULL, cell_bool(x->is_core_dumped));
		view_object_end(s->v);
		if (!log_event_is_shown(s, &e))
			continue;
		log_event_text(s, c, &e, x->record,
			       show_format(s,
					   "pid %" PRIu64 " died"
					   "%s" STR_FMT,
					   x->pid, x->signal.len ? ", " : "", STR_ARG(x->signal)));
	}
	view_list_end(s->v);
	log_event_more(s, &e);
}

static void log_segfaults(struct show *s, const struct capture *c, const struct log_summary *sum)
{
	struct log_event e = { "Segfaults", 0 };

	view_list(s->v, "segfaults");
	VEC_FOREACH (x, &sum->segfaults) {
		struct out cause = { .fd = -1 };

		log_segfault_error_text(x, &cause);
		view_object(s->v, NULL, NULL);
		log_event_place(s, c, x->record);
		view_field(s->v, "comm", NULL, cell_text(x->comm));
		view_field(s->v, "pid", NULL, cell_count(x->pid));
		view_field(s->v, "object", NULL,
			   x->has_object ? cell_text(x->object) : cell_none());
		view_field(s->v, "offset", NULL,
			   x->has_object ? cell_text(show_format(s, "0x%" PRIx64, x->offset))
					 : cell_none());
		view_field(s->v, "error", NULL, cell_count(x->error));
		view_field(s->v, "cause", NULL, cell_text(out_view(&cause)));
		view_object_end(s->v);
		if (!log_event_is_shown(s, &e))
			; /* the event is only in JSON */
		else if (x->has_object)
			log_event_text(s, c, &e, x->record,
				       show_format(s,
						   STR_FMT "[%" PRIu64 "] at " STR_FMT "+0x%" PRIx64
							   ", " STR_FMT,
						   STR_ARG(x->comm), x->pid, STR_ARG(x->object),
						   x->offset, STR_ARG(out_view(&cause))));
		else
			log_event_text(s, c, &e, x->record,
				       show_format(s, STR_FMT "[%" PRIu64 "], " STR_FMT,
						   STR_ARG(x->comm), x->pid,
						   STR_ARG(out_view(&cause))));
		out_fini(&cause);
	}
	view_list_end(s->v);
	log_event_more(s, &e);
}

/*
 * Format a time of the log as the log prints it, "1278 ms". A long time has a larger unit: "20
 * min".
 */
static struct str log_ms(struct show *s, uint64_t ms)
{
	if (ms < 10000)
		return show_format(s, "%" PRIu64 " ms", ms);
	return finding_time(&s->scratch, ms < UINT64_MAX / 1000000 ? ms * 1000000 : UINT64_MAX);
}

static void log_elections(struct show *s, const struct capture *c, const struct log_summary *sum)
{
	struct log_event e = { "Elections", 0 };

	view_list(s->v, "elections");
	VEC_FOREACH (x, &sum->elections) {
		view_object(s->v, NULL, NULL);
		log_event_place(s, c, x->record);
		view_field(s->v, "term", NULL, cell_count(x->term));
		view_field(s->v, "timeout_ms", NULL,
			   x->has_timeout ? cell_count(x->timeout_ms) : cell_none());
		view_object_end(s->v);
		if (!log_event_is_shown(s, &e))
			continue;
		log_event_text(
			s, c, &e, x->record,
			x->has_timeout
				? show_format(s, "term %" PRIu64 " after " STR_FMT, x->term,
					      STR_ARG(log_ms(s, x->timeout_ms)))
				: show_format(s, "term %" PRIu64 ", of a new cluster", x->term));
	}
	view_list_end(s->v);
	log_event_more(s, &e);
}

static void log_long_polls(struct show *s, const struct capture *c, const struct log_summary *sum)
{
	struct log_event e = { "Long polls", 0 };

	view_list(s->v, "long_polls");
	VEC_FOREACH (x, &sum->long_polls) {
		view_object(s->v, NULL, NULL);
		log_event_place(s, c, x->record);
		view_field(s->v, "interval_ms", NULL, cell_count(x->interval_ms));
		view_field(s->v, "user_ms", NULL,
			   x->has_cpu ? cell_count(x->user_ms) : cell_none());
		view_field(s->v, "system_ms", NULL,
			   x->has_cpu ? cell_count(x->system_ms) : cell_none());
		view_object_end(s->v);
		if (!log_event_is_shown(s, &e))
			continue;
		log_event_text(s, c, &e, x->record,
			       x->has_cpu ? show_format(s,
							STR_FMT ", of it " STR_FMT
								" user and " STR_FMT " system",
							STR_ARG(log_ms(s, x->interval_ms)),
							STR_ARG(log_ms(s, x->user_ms)),
							STR_ARG(log_ms(s, x->system_ms)))
					  : log_ms(s, x->interval_ms));
	}
	view_list_end(s->v);
	log_event_more(s, &e);
}

static void log_kernel(struct show *s, const struct capture *c, const struct log_summary *sum)
{
	struct log_event e = { "Kernel", 0 };

	view_list(s->v, "kernel_events");
	VEC_FOREACH (x, &sum->kernel_events) {
		const char *name = kernel_event_name((enum kernel_event_kind)x->kind);
		struct str task =
			x->task.len ? show_format(s, ", task " STR_FMT, STR_ARG(x->task)) : STR("");

		view_object(s->v, NULL, NULL);
		log_event_place(s, c, x->record);
		view_field(s->v, "kind", NULL, cell_word(name));
		view_field(s->v, "task", NULL, x->task.len ? cell_text(x->task) : cell_none());
		view_field(s->v, "pid", NULL, x->has_pid ? cell_count(x->pid) : cell_none());
		view_field(s->v, "cpu", NULL, x->has_cpu ? cell_count(x->cpu) : cell_none());
		view_field(s->v, "seconds", NULL,
			   x->seconds ? cell_count(x->seconds) : cell_none());
		view_object_end(s->v);
		if (!log_event_is_shown(s, &e))
			continue;
		log_event_text(s, c, &e, x->record,
			       show_format(s, "%s" STR_FMT, name, STR_ARG(task)));
	}
	view_list_end(s->v);
	log_event_more(s, &e);
}

static void log_memory(struct show *s, const struct capture *c, const struct log_summary *sum)
{
	view_list(s->v, "memory");
	VEC_FOREACH (x, &sum->memory) {
		view_object(s->v, NULL, NULL);
		log_event_place(s, c, x->record);
		view_field(s->v, "from_kb", NULL,
			   x->is_first ? cell_none() : cell_count(x->from_kb));
		view_field(s->v, "to_kb", NULL, cell_count(x->to_kb));
		view_field(s->v, "seconds", NULL, cell_fixed((int64_t)x->seconds_tenths, 1));
		view_object_end(s->v);
	}
	view_list_end(s->v);
	if (sum->prerequisites.len)
		view_line(s->v, "Conflicts", "%zu entr%s not match %s prerequisite",
			  sum->prerequisites.len,
			  plural_of(sum->prerequisites.len, "y did", "ies did"),
			  plural_of(sum->prerequisites.len, "its", "their"));
	view_field(s->v, "prerequisites", NULL, cell_count(sum->prerequisites.len));
}

void show_log(struct show *s, const struct capture *c)
{
	struct log_summary sum;

	log_summary_init(&sum, c);
	log_head(s, c, &sum);
	log_crashes(s, c, &sum);
	log_segfaults(s, c, &sum);
	log_kernel(s, c, &sum);
	log_elections(s, c, &sum);
	log_long_polls(s, c, &sum);
	log_memory(s, c, &sum);
	log_streams(s, c, &sum);
	log_templates(s, c, &sum);
	view_side_by_side(s->v);
	log_counts(s, &sum);
	log_dropped(s, &sum);
	view_side_by_side_end(s->v);
	log_summary_fini(&sum);
}
