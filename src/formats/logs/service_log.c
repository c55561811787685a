/* SPDX-License-Identifier: MIT */
/*
 * service_log.c - logs of services: any text whose lines start with a time
 *
 * The layouts of times are in log_stamp.c. A stream has the records of one program on one host with
 * one kind of clock. Other formats know more about their lines. So this format has the lowest
 * score, and text that another format claims goes to the other format. Only pure logs and logs with
 * stack traces have a higher score.
 *
 * A text is a log if all of this is true. It has at least SERVICE_LEAST timed lines; fewer lines
 * are enough if their form is more certain (SERVICE_KLOG, SERVICE_SURE, SERVICE_WRAPPED). Most
 * lines are timed. Times rarely go back. Most messages have words. After a blank line, a line
 * without a time is prose, and ends the log.
 *
 * A stack trace between records belongs to the previous record (log_trace.h). A trace after the
 * last record is left to the reader of stack dumps.
 */
#include "base/arena.h"
#include "base/idmap.h"
#include "base/limits.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/kinds/records.h"
#include "core/strings.h"
#include "document/document.h"
#include "document/mail/unwrap.h"
#include "formats/context.h"
#include "formats/format.h"
#include "formats/logs/log_stamp.h"
#include "formats/logs/log_trace.h"
#include "formats/logs/service_line.h"

DECLARE_FORMAT(service_log);

#define SERVICE_SCORE 30u
/* minimum number of records of a pure log, which has only lines with a time */
#define SERVICE_PURE       200u
#define SERVICE_PURE_SCORE 90u /* score of a pure log; the same as DETECT_SURE */
/*
 * score of a log with stack traces. It must equal the score of stack_dump.c, which also reads such
 * traces
 */
#define SERVICE_TRACED 98u
#define SERVICE_LEAST  5u /* minimum number of timed lines of a log */
/* minimum number of timed lines if all are of klog: letter, date, time, thread, "file.go:12]" */
#define SERVICE_KLOG 2u
/*
 * minimum number of timed lines if the log has no other lines, and each line is certain: it has
 * date and level, or the name and pid of syslog
 */
#define SERVICE_SURE 1u
/*
 * minimum number of timed lines if each is certain, and all other lines of the log are
 * continuations without indentation
 */
#define SERVICE_WRAPPED 3u
/* maximum number of indented lines that continue a record, such as stacks and statements */
#define SERVICE_TAILS 200u
/* maximum number of lines without indentation that continue a record which a mailer broke */
#define SERVICE_WRAPS 3u
/* maximum percentage of records in a log whose time goes back by more than SERVICE_BACK_NS */
#define SERVICE_BACK_PCT 10u
#define SERVICE_BACK_NS  UINT64_C(1000000000)
/* minimum percentage of records in a log whose message has words */
#define SERVICE_WORDS_PCT 50u
#define SERVICE_LAYOUTS   64u /* must be at least the number of layouts in log_stamp.c */
#define SERVICE_DAY_NS    UINT64_C(86400000000000)
#define SERVICE_RELEASE   (UINT64_C(8) << 20)

static const struct diag_kind service_tails = { "log-continued-lines", DIAG_INFO,
						"lines without a time after a record" };
static const struct diag_kind service_traces = { "log-traces", DIAG_INFO,
						 "records with a stack trace" };
static const struct diag_kind service_zone = { "log-local-time", DIAG_INFO,
					       "records in local time of an unknown zone" };
static const struct diag_kind service_year = { "log-no-date", DIAG_INFO,
					       "records whose time does not say the year or day" };
static const struct diag_kind service_back = { "log-time-back", DIAG_INFO,
					       "records with an earlier time than the one before" };
static const struct diag_kind service_limit = { "log-past-limit", DIAG_DATALOSS,
						"records past the number that can be held" };

enum service_class {
	SERVICE_RECORD,
	/* a line without a time that continues a record: it is indented or part of a stack trace */
	SERVICE_TAIL,
	/* any other line without a time that directly follows a record or its continuation */
	SERVICE_WRAP,
	SERVICE_BLANK,
	SERVICE_PROSE,
};

struct service_scan {
	struct service_line line;          /* valid if the class is SERVICE_RECORD */
	uint64_t last_ns[SERVICE_LAYOUTS]; /* for each layout, the time of its last record */
	size_t records;
	size_t others; /* number of SERVICE_WRAP lines between records */
	/*
	 * number of records whose time goes back by more than SERVICE_BACK_NS from the previous
	 * time in the same layout
	 */
	size_t back;
	size_t worded; /* number of records whose message has words */
	size_t klog;   /* number of records of klog or glog */
	/* number of certain records: they have date and level, or name and pid of syslog */
	size_t sure;
	size_t tailed;  /* number of SERVICE_TAIL and SERVICE_WRAP lines */
	size_t wrapped; /* number of SERVICE_WRAP lines */
	/*
	 * number of SERVICE_TAIL lines (tails) and of SERVICE_WRAP lines (wraps) since the last
	 * record
	 */
	unsigned int tails, wraps;
	bool is_open, is_blank;
	struct log_trace trace; /* trace of the latest record */
	struct str above;       /* previous line */
	size_t traced;          /* number of lines of stack traces between records */
	/*
	 * another format may claim some of the lines: a record is of the kernel, or its time has a
	 * weekday or no date
	 */
	bool is_shared;
};

static enum service_class service_classify(struct service_scan *s, struct str line)
{
	struct str above = s->above;
	struct str command;

	s->above = line;
	if (service_line_read(line, &s->line)) {
		s->is_open = true;
		s->is_blank = false;
		s->tails = s->wraps = 0;
		s->trace = (struct log_trace){ .frames = 0 };
		return SERVICE_RECORD;
	}
	if (str_trim(line).len == 0) {
		s->is_blank = true;
		return SERVICE_BLANK;
	}
	/* a shell command ends the log, because the next lines are the command's output */
	if (s->is_open && context_command(line, &command)) {
		s->is_open = false;
		return SERVICE_PROSE;
	}
	if (s->is_open && s->tails < SERVICE_TAILS && log_trace_take(&s->trace, line, above)) {
		s->tails++;
		return SERVICE_TAIL;
	}
	if (s->is_open && service_line_is_tail(line) && ++s->tails <= SERVICE_TAILS)
		return SERVICE_TAIL;
	if (s->is_open && !s->is_blank && ++s->wraps <= SERVICE_WRAPS)
		return SERVICE_WRAP;
	s->is_open = false;
	return SERVICE_PROSE;
}

static void service_count(struct service_scan *s)
{
	const struct log_stamp *stamp = &s->line.stamp;
	uint64_t *last = &s->last_ns[stamp->layout % SERVICE_LAYOUTS];

	s->records++;
	s->worded += service_line_has_words(&s->line);
	s->klog += stamp->level != 0;
	s->sure += (stamp->clock == CLOCK_REALTIME && s->line.level != LEVEL_NONE) ||
		   (stamp->is_syslog && s->line.process.len && s->line.thread);
	s->is_shared |= str_eq(s->line.process, STR("kernel")) || stamp->clock == CLOCK_DAY ||
			stamp->has_weekday;
	s->back += stamp->time_ns + SERVICE_BACK_NS < *last;
	*last = stamp->time_ns;
}

static bool service_is_log(const struct service_scan *s)
{
	/*
	 * every line is a certain record. A text with other lines, such as plans and stacks, may
	 * belong to another format, so it needs more records
	 */
	bool is_sure = s->sure == s->records && !s->tailed && !s->traced;
	/*
	 * every record is certain, and the lines that are no records are all SERVICE_WRAP lines.
	 * The cause is a mailer that broke lines, or a quotation in which lines are missing
	 */
	bool is_wrapped = s->sure == s->records && s->tailed == s->wrapped && !s->traced;
	size_t least = is_sure                 ? SERVICE_SURE
		       : is_wrapped            ? SERVICE_WRAPPED
		       : s->klog == s->records ? SERVICE_KLOG
					       : SERVICE_LEAST;

	return s->records >= least && s->others < s->records + is_wrapped &&
	       s->back * 100 <= s->records * SERVICE_BACK_PCT &&
	       s->worded * 100 >= s->records * SERVICE_WORDS_PCT;
}

/*
 * Whether the log is pure: it has many records and no other lines. Its high score,
 * SERVICE_PURE_SCORE, saves the other readers from scanning a large file.
 */
static bool service_is_pure(const struct service_scan *s)
{
	return s->records >= SERVICE_PURE && s->worded == s->records && !s->others && !s->tailed &&
	       !s->back && !s->is_shared;
}

/*
 * Whether the lines scanned so far are a log. If so, and the log has stack traces or is pure, set
 * ret->score to the higher score.
 */
static bool service_ends(const struct service_scan *s, struct extent *ret)
{
	if (!service_is_log(s))
		return false;
	if (s->traced)
		ret->score = SERVICE_TRACED;
	else if (service_is_pure(s))
		ret->score = SERVICE_PURE_SCORE;
	return true;
}

static bool service_log_find(struct str text, size_t from, struct extent *ret)
{
	struct service_scan s = { .records = 0 };
	struct str rest = str_skip(text, from);
	/*
	 * counts since the last record: SERVICE_WRAP lines (others), and lines of stack traces
	 * (traced)
	 */
	size_t others = 0, traced = 0;
	struct str line;

	while (rest.len && str_line(&rest, &line)) {
		enum service_class class = service_classify(&s, str_sub(line, 0, LIMIT_LINE_BYTES));

		if (class == SERVICE_PROSE && s.records) {
			if (service_ends(&s, ret))
				return true;
			s = (struct service_scan){ .records = 0 };
			continue;
		}
		others += class == SERVICE_WRAP;
		s.tailed += class == SERVICE_TAIL || class == SERVICE_WRAP;
		s.wrapped += class == SERVICE_WRAP;
		traced += class == SERVICE_TAIL && s.trace.frames;
		if (class != SERVICE_RECORD)
			continue;
		if (s.records == 0) {
			*ret = (struct extent){ .from = (size_t)(line.p - text.p),
						.score = SERVICE_SCORE };
			s.tailed = s.wrapped = 0;
			others = traced = 0;
		}
		s.others += others;
		s.traced += traced;
		others = traced = 0;
		service_count(&s);
		ret->to = (size_t)(rest.p - text.p);
	}
	return service_ends(&s, ret);
}

static unsigned int service_log_probe(struct str head)
{
	struct extent e;

	return service_log_find(head, 0, &e) && e.from == 0 && e.to * 2 >= head.len ? SERVICE_SCORE
										    : 0;
}

struct service_key {
	str_id process, node;
	uint8_t clock;
	bool is_local;
};

struct service_reader {
	const struct region *in;
	struct capture *c;
	struct records *r;
	struct service_scan scan;
	VEC(struct service_key) keys; /* key of each stream in r->streams */
	VEC(uint64_t) last_ns;        /* latest time of each stream in r->streams */
	struct idmap map;
	uint32_t last; /* index in r->streams of the previous record's stream */
	struct out text;
};

static bool service_is_key(const struct service_key *a, const struct service_key *b)
{
	return a->process.v == b->process.v && a->node.v == b->node.v && a->clock == b->clock &&
	       a->is_local == b->is_local;
}

static uint32_t service_stream(struct service_reader *v, const struct service_line *l)
{
	struct strings *names = capture_strings(v->c);
	struct service_key key = {
		.process = l->process.len ? strings_add(names, l->process) : STR_ID_NONE,
		.node = l->node.len ? strings_add(names, l->node) : STR_ID_NONE,
		.clock = l->stamp.clock,
		.is_local = l->stamp.clock == CLOCK_REALTIME && !l->stamp.has_zone,
	};
	struct idmap_probe p;

	if (v->last < v->keys.len && service_is_key(&v->keys.data[v->last], &key))
		return v->last;
	p = idmap_first(&v->map, hash_u64(hash_u64(key.process.v, key.node.v),
					  (uint64_t)key.clock << 1 | key.is_local));
	while (idmap_next(&v->map, &p)) {
		if (service_is_key(&v->keys.data[p.id], &key)) {
			v->last = p.id;
			return p.id;
		}
	}
	v->last = (uint32_t)v->keys.len;
	idmap_insert(&v->map, &p, v->last);
	*VEC_PUSH(&v->keys) = key;
	*VEC_PUSH(&v->last_ns) = 0;
	*VEC_PUSH(&v->r->streams) = (struct log_stream){ .process = key.process,
							 .node = key.node,
							 .clock = key.clock,
							 .is_local = key.is_local,
							 .tick_ns = l->stamp.tick_ns };
	return v->last;
}

/*
 * The time of @l on the clock of its stream. A clock without a date starts again at midnight: if
 * the time goes back by more than half a day, 24 hours are added. A clock without a year gets a
 * year added in the same way.
 */
static uint64_t service_time(struct service_reader *v, uint32_t stream,
			     const struct service_line *l, uint32_t line)
{
	uint64_t around = l->stamp.clock == CLOCK_DAY    ? SERVICE_DAY_NS
			  : l->stamp.clock == CLOCK_YEAR ? SERVICE_DAY_NS * 365
							 : 0;
	uint64_t last = v->last_ns.data[stream];
	uint64_t ns = l->stamp.time_ns;

	if (around) {
		diag_count(&v->c->diag, &service_year, line);
		ns += last / around * around;
		if (ns + around / 2 < last)
			ns += around;
	} else if (v->keys.data[stream].is_local) {
		diag_count(&v->c->diag, &service_zone, line);
	}
	if (ns + SERVICE_BACK_NS < last)
		diag_count(&v->c->diag, &service_back, line);
	v->last_ns.data[stream] = ns;
	return ns;
}

static struct str service_text(struct service_reader *v, const struct service_line *l)
{
	if (l->object.len == 0)
		return l->text;
	v->text.len = 0;
	service_line_text(l, &v->text);
	return out_view(&v->text);
}

static void service_add(struct service_reader *v, uint32_t n)
{
	const struct service_line *l = &v->scan.line;
	uint32_t line = region_line(v->in, n);
	uint32_t stream;

	if (v->r->rows.len >= LIMIT_LOG_RECORDS) {
		diag_count(&v->c->diag, &service_limit, line);
		return;
	}
	stream = service_stream(v, l);
	if (l->stamp.tick_ns < v->r->streams.data[stream].tick_ns)
		v->r->streams.data[stream].tick_ns = l->stamp.tick_ns;
	*VEC_PUSH(&v->r->rows) = (struct log_record){
		.time_ns = service_time(v, stream, l, line),
		.text = arena_str(&v->r->arena, service_text(v, l)),
		.level_text = l->level_text.len ? strings_add(capture_strings(v->c), l->level_text)
						: STR_ID_NONE,
		.stream = stream,
		.thread = l->thread,
		.line = line,
		.last_line = line,
		.level = l->level,
		.has_time = true,
	};
}

static void service_go_on(struct service_reader *v, enum service_class class, struct str line,
			  uint32_t n)
{
	struct log_record *rec;

	diag_count(&v->c->diag, &service_tails, region_line(v->in, n));
	if (!v->r->rows.len || v->r->rows.len >= LIMIT_LOG_RECORDS)
		return;
	rec = &v->r->rows.data[v->r->rows.len - 1];
	rec->last_line = region_line(v->in, n);
	if (class != SERVICE_WRAP || rec->text.len > LIMIT_LINE_BYTES)
		return;
	v->text.len = 0;
	out_str(&v->text, rec->text);
	unwrap_append_squeezed(&v->text, line);
	rec->text = arena_str(&v->r->arena, str_rtrim(out_view(&v->text)));
}

/* If the trace @t has frames, add it to the last record. */
static void service_keep_trace(struct service_reader *v, const struct log_trace *t)
{
	struct strings *names = capture_strings(v->c);
	struct str where = log_trace_where(t);

	if (!t->frames || !where.len || !v->r->rows.len || v->r->rows.len >= LIMIT_LOG_RECORDS)
		return;
	*VEC_PUSH(&v->r->traces) = (struct log_trace_record){
		.what = t->what.len ? strings_add(names, t->what) : STR_ID_NONE,
		.where = strings_add(names, where),
		.record = (uint32_t)v->r->rows.len - 1,
	};
	diag_count(&v->c->diag, &service_traces, v->r->rows.data[v->r->rows.len - 1].line);
}

static int service_log_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct service_reader v = { .in = in };
	const char *release = in->text.p;
	struct str text = in->text;
	struct str line;
	uint32_t n = 0;

	v.c = format_add_capture(&format_service_log, in, d);
	v.r = capture_records(v.c);
	out_init(&v.text);
	for (; str_line(&text, &line); n++) {
		struct log_trace trace = v.scan.trace;
		enum service_class class;

		line = str_sub(line, 0, LIMIT_LINE_BYTES);
		class = service_classify(&v.scan, line);
		if (class == SERVICE_RECORD) {
			service_keep_trace(&v, &trace);
			service_add(&v, n);
		} else if (class != SERVICE_BLANK) {
			service_go_on(&v, class, line, n);
		}
		if ((size_t)(text.p - release) > SERVICE_RELEASE) {
			release = text.p;
			document_release(in->doc, release);
		}
	}
	service_keep_trace(&v, &v.scan.trace);
	v.c->last_line = region_line(in, n ? n - 1 : 0);
	VEC_FREE(&v.keys);
	VEC_FREE(&v.last_ns);
	idmap_fini(&v.map);
	out_fini(&v.text);
	return v.r->rows.len ? OK : fail(err, ERR_FORMAT, "no line that starts with a time");
}

static const char *const service_log_extensions[] = { ".log", NULL };

const struct format format_service_log = {
	.name = "service-log",
	.summary = "logs of services: lines that start with a time",
	.kinds = KIND_LOG,
	.extensions = service_log_extensions,
	.probe = service_log_probe,
	.find = service_log_find,
	.read = service_log_read,
};
