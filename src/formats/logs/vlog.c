/* SPDX-License-Identifier: MIT */
/*
 * vlog.c - logs of Open vSwitch and OVN, from files, containers and mails
 *
 * A title is a short line above records, such as "#node3 ovsdb-server-nb logs". Each thread counts
 * its own sequence numbers. So a stream has the records of one thread of one process under one
 * title. It ends where the sequence numbers restart. A record may continue on the next lines, up to
 * a blank line, a title or the next record.
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
#include "formats/format.h"
#include "formats/logs/log_prefix.h"
#include "formats/logs/vlog_line.h"

DECLARE_FORMAT(vlog);

#define VLOG_RELEASE_BYTES (UINT64_C(8) << 20)
#define VLOG_TAIL_LINES    64u /* maximum number of lines that continue a record */
/* maximum number of lines of prose between two records of a capture */
#define VLOG_GAP_LINES 64u
/*
 * up to this number of lines of prose between two records may be titles; if there are more, the log
 * contains prose
 */
#define VLOG_TITLE_LINES 2u
#define VLOG_TITLE_BYTES 120u /* maximum length of a title */
/* maximum number of blank lines between a title and its first record */
#define VLOG_BLANK_LINES 3u
#define VLOG_CACHE       64u
#define VLOG_TICK_NS     UINT64_C(1000000)    /* resolution of vlog's own times */
#define VLOG_SECOND_NS   UINT64_C(1000000000) /* resolution of syslog's times */
#define VLOG_SURE        95u                  /* score of a log without prose */
#define VLOG_LIKELY      80u

static const struct diag_kind vlog_other = {
	"vlog-other-lines", DIAG_INFO, "lines of other programs between the records of the log"
};
static const struct diag_kind vlog_prose = { "vlog-prose-lines", DIAG_INFO,
					     "lines of prose between the records of the log" };
static const struct diag_kind vlog_truncated = { "vlog-truncated", DIAG_DATALOSS,
						 "records that end before their message" };
static const struct diag_kind vlog_junk = { "vlog-prefix-junk", DIAG_INFO,
					    "records with stray characters before the time" };
static const struct diag_kind vlog_level = { "vlog-unknown-level", DIAG_INFO,
					     "records with a level that is none of vlog's" };
static const struct diag_kind vlog_no_year = { "vlog-no-year", DIAG_INFO,
					       "records whose time does not say the year" };
static const struct diag_kind vlog_limit = { "vlog-past-limit", DIAG_DATALOSS,
					     "records past the number that can be held" };

enum vlog_class {
	VLOG_RECORD,
	VLOG_OTHER,  /* log line of another program */
	VLOG_KERNEL, /* kernel line, which the reader of kernel logs takes */
	VLOG_ERROR,  /* error of a program that exits, which ovs_error.c takes */
	VLOG_BLANK,
	VLOG_TAIL, /* continuation of a record */
	VLOG_PROSE,
};

/* State while lines are classified. The class of a line depends on the lines before it. */
struct vlog_scan {
	struct log_day day;
	struct vlog_line line; /* valid if the class is VLOG_RECORD */
	unsigned int n_tail;
	bool is_open; /* the next line may continue the latest record */
};

/*
 * Whether @line ends a record: it stands for omitted text ("...", "[...]", "<snip>"), or is a ruler
 * such as "-----".
 */
static bool vlog_is_elision(struct str line)
{
	line = str_trim(line);
	if (line.len && memchr("`-=_*~", line.p[0], 6))
		return true; /* a ruler, "-----", or the border of a quote, "```" */
	if (line.len <= 8 && str_contains(line, STR("...")))
		return true;
	return line.len <= 16 && str_starts(line, STR("<")) && str_ends(line, STR(">"));
}

static enum vlog_class vlog_classify(struct vlog_scan *s, struct str line)
{
	struct str text = str_ltrim(line);
	struct str program, message;
	bool may_go_on = s->is_open && s->n_tail < VLOG_TAIL_LINES;

	s->is_open = false;
	if (vlog_line_read(line, &s->day, &s->line)) {
		s->is_open = true;
		s->n_tail = 0;
		return VLOG_RECORD;
	}
	if (text.len == 0)
		return VLOG_BLANK;
	if (text.p[0] == '[' && vlog_line_is_kernel(text))
		return VLOG_KERNEL;
	if (vlog_error_begins(text, &program, &message) && vlog_error_is_one(message))
		return VLOG_ERROR;
	if (log_prefix_is_in(text))
		return VLOG_OTHER;
	if (!may_go_on || text.p[0] == '#' || vlog_is_elision(text))
		return VLOG_PROSE;
	s->is_open = true;
	s->n_tail++;
	return VLOG_TAIL;
}

/* Whether @line may be a title of the records that follow: it is short and has letters. */
static bool vlog_is_title(struct str line)
{
	line = str_trim(line);
	if (line.len == 0 || line.len > VLOG_TITLE_BYTES)
		return false;
	for (size_t i = 0; i < line.len; i++) {
		if ((line.p[i] | 0x20) >= 'a' && (line.p[i] | 0x20) <= 'z')
			return true;
	}
	return false;
}

static unsigned int vlog_probe(struct str head)
{
	struct vlog_scan s = { .n_tail = 0 };
	struct str line;
	size_t records = 0;
	size_t others = 0;
	size_t prose = 0;

	while (str_line(&head, &line)) {
		switch (vlog_classify(&s, str_sub(line, 0, LIMIT_LINE_BYTES))) {
		case VLOG_RECORD:
			records++;
			break;
		case VLOG_OTHER:
			others++;
			break;
		case VLOG_BLANK:
		case VLOG_TAIL:
			break;
		default:
			prose++;
		}
	}
	if (records == 0)
		return 0;
	return prose * 20 <= records + others ? VLOG_SURE : prose <= records ? 60 : 0;
}

/* Offset of the line before the line at @at. The result is at least @from. */
static size_t vlog_line_before(struct str text, size_t from, size_t at)
{
	const char *nl = at > from + 1 ? memrchr(text.p + from, '\n', at - from - 1) : NULL;

	return nl ? (size_t)(nl - text.p) + 1 : from;
}

/*
 * Offset of the first line of the log whose first record is at @at. The log may start before the
 * record, with a title or with lines of other programs. Otherwise the result is @at.
 */
static size_t vlog_extend_up(struct str text, size_t from, size_t at)
{
	unsigned int blanks = 0;
	size_t start = at;

	while (start > from) {
		size_t before = vlog_line_before(text, from, start);
		struct str line = str_sub(text, before, start);

		if (str_trim(str_sub(line, 0, LIMIT_LINE_BYTES)).len == 0) {
			if (++blanks > VLOG_BLANK_LINES)
				break;
		} else if (log_prefix_is_in(str_ltrim(line))) {
			at = before;
		} else {
			return vlog_is_title(line) ? before : at;
		}
		start = before;
	}
	return at;
}

/* Offset of the first line at or after @from that has a record; text.len: no such line. */
static size_t vlog_first(struct str text, size_t from)
{
	struct log_day day = { "", 0 };
	struct vlog_line l;
	size_t at = from;

	while (at < text.len) {
		size_t pipe = at + str_find_char(str_skip(text, at), '|');
		size_t start;
		struct str rest;
		struct str line;

		if (pipe >= text.len)
			break;
		start = vlog_line_before(text, at, pipe + 1);
		rest = str_skip(text, start);
		if (!str_line(&rest, &line))
			break;
		if (vlog_line_read(line, &day, &l))
			return start;
		at = (size_t)(rest.p - text.p);
	}
	return text.len;
}

static bool vlog_find(struct str text, size_t from, struct extent *ret)
{
	struct vlog_scan s = { .n_tail = 0 };
	size_t first = vlog_first(text, from);
	struct str rest = str_skip(text, first);
	unsigned int gap = 0;
	bool has_prose = false;
	struct str line;

	if (first >= text.len)
		return false;
	*ret = (struct extent){ .from = vlog_extend_up(text, from, first), .to = first };
	while (gap <= VLOG_GAP_LINES && str_line(&rest, &line)) {
		enum vlog_class class = vlog_classify(&s, str_sub(line, 0, LIMIT_LINE_BYTES));

		if (class == VLOG_KERNEL || class == VLOG_ERROR)
			break;
		if (class == VLOG_PROSE)
			gap++;
		if (class == VLOG_RECORD) {
			has_prose |= gap > VLOG_TITLE_LINES;
			gap = 0;
		}
		if (class == VLOG_RECORD || class == VLOG_TAIL || (class == VLOG_OTHER && !gap))
			ret->to = (size_t)(rest.p - text.p);
	}
	ret->score = has_prose ? VLOG_LIKELY : VLOG_SURE;
	return true;
}

/*
 * The key of a stream: title, process, node and thread. Also the stream that currently has this
 * key, and its last sequence number.
 */
struct vlog_key {
	uint32_t title_line;
	str_id process;
	str_id node;
	str_id thread;
	uint32_t stream; /* index in records.streams */
	uint32_t last_sequence;
	bool has_sequence;
	/*
	 * the stream that had this key before the sequence numbers restarted. Its process may still
	 * write to the log while the process of the new stream already writes. has_sequence false:
	 * the numbers have not restarted
	 */
	struct {
		uint32_t stream;
		uint32_t last_sequence;
		bool has_sequence;
	} other;
};

/*
 * Entry in the cache of vlog_intern(): the last text with a given hash, and the string id of this
 * text.
 */
struct vlog_name {
	struct str text;
	str_id id;
};

struct vlog_reader {
	const struct region *in;
	struct capture *c;
	struct records *r;
	struct vlog_scan scan;
	VEC(struct vlog_key) keys;
	struct idmap map;
	struct vlog_name modules[VLOG_CACHE];
	struct log_prefix prefix; /* prefix of the latest record */
	/*
	 * last line that may be a title of the next records; title_line is the number of this line
	 */
	struct str title;
	uint32_t title_line;
	struct str title_now; /* title of the current records */
	uint32_t title_line_now;
	str_id title_process;
	str_id title_node;
	uint32_t last_key;
	/* row of the record that the next line may continue; INDEX_NONE: none */
	uint32_t open_row;
	uint32_t n_tail; /* number of lines that continued the record open_row */
	struct str open_line;
	unsigned int open_depth;
	/* joined lines of the record open_row; used only if the record has several lines */
	struct out text;
};

static str_id vlog_intern(struct vlog_reader *v, struct str s)
{
	struct vlog_name *slot;
	unsigned int h = (unsigned int)s.len;

	if (s.len == 0)
		return STR_ID_NONE;
	h = h * 31 + (unsigned char)s.p[0];
	h = h * 31 + (unsigned char)s.p[s.len / 2];
	/*
	 * hash the second last character, too: it is the only difference between "(handler7)" and
	 * "(handler8)"
	 */
	h = h * 31 + (unsigned char)s.p[s.len > 1 ? s.len - 2 : 0];
	slot = &v->modules[h % VLOG_CACHE];
	if (!str_eq(slot->text, s)) {
		slot->id = strings_add(capture_strings(v->c), s);
		slot->text = strings_get(capture_strings(v->c), slot->id);
	}
	return slot->id;
}

/* The thread that @module names: "monitor" in "daemon_unix(monitor)"; empty: none. */
static struct str vlog_thread(struct str module)
{
	size_t open = str_find_char(module, '(');

	if (open >= module.len || module.p[module.len - 1] != ')')
		return STR("");
	return str_sub(module, open + 1, module.len - 1);
}

static void vlog_take_title(struct vlog_reader *v)
{
	char node[32];

	if (v->title_line == v->title_line_now)
		return;
	v->title_now = v->title;
	v->title_line_now = v->title_line;
	v->title_process = vlog_intern(v, vlog_title_process(v->title));
	v->title_node = strings_add(capture_strings(v->c), vlog_title_node(v->title, node));
}

static void vlog_open_stream(struct vlog_reader *v, struct vlog_key *key, uint8_t clock)
{
	key->stream = (uint32_t)v->r->streams.len;
	key->has_sequence = false;
	*VEC_PUSH(&v->r->streams) = (struct log_stream){
		.title = strings_add(capture_strings(v->c), v->title_now),
		.process = key->process,
		.node = key->node,
		.title_line = v->title_line_now,
		.tick_ns = clock == CLOCK_YEAR ? VLOG_SECOND_NS : VLOG_TICK_NS,
		.clock = clock,
	};
}

static struct vlog_key *vlog_find_key(struct vlog_reader *v, const struct vlog_key *want,
				      uint8_t clock)
{
	struct vlog_key *k = v->last_key < v->keys.len ? &v->keys.data[v->last_key] : NULL;
	struct idmap_probe p;

	if (k && k->title_line == want->title_line && k->process.v == want->process.v &&
	    k->node.v == want->node.v && k->thread.v == want->thread.v)
		return k;
	p = idmap_first(&v->map, hash_u64(hash_u64(want->title_line, want->process.v),
					  hash_u64(want->node.v, want->thread.v)));
	while (idmap_next(&v->map, &p)) {
		k = &v->keys.data[p.id];
		if (k->title_line == want->title_line && k->process.v == want->process.v &&
		    k->node.v == want->node.v && k->thread.v == want->thread.v) {
			v->last_key = p.id;
			return k;
		}
	}
	v->last_key = (uint32_t)v->keys.len;
	idmap_insert(&v->map, &p, v->last_key);
	k = VEC_PUSH(&v->keys);
	*k = *want;
	vlog_open_stream(v, k, clock);
	return k;
}

/* Exchange the current stream of @k with k->other. */
static void vlog_swap(struct vlog_key *k)
{
	uint32_t stream = k->stream, last = k->last_sequence;

	k->stream = k->other.stream;
	k->last_sequence = k->other.last_sequence;
	k->other.stream = stream;
	k->other.last_sequence = last;
}

static uint32_t vlog_stream(struct vlog_reader *v, const struct vlog_line *l, uint8_t clock)
{
	struct vlog_key want = { .title_line = v->title_line_now };
	struct vlog_key *k;

	want.process = v->prefix.process.len ? vlog_intern(v, v->prefix.process) : v->title_process;
	want.node = v->prefix.node.len ? vlog_intern(v, v->prefix.node) : v->title_node;
	want.thread = vlog_intern(v, vlog_thread(l->module));
	k = vlog_find_key(v, &want, clock);
	if (l->has_sequence) {
		bool is_next = k->has_sequence && l->sequence == k->last_sequence + 1;

		if (!is_next && k->other.has_sequence &&
		    l->sequence == k->other.last_sequence + 1) {
			vlog_swap(k);
		} else if (k->has_sequence && l->sequence <= k->last_sequence) {
			k->other.stream = k->stream;
			k->other.last_sequence = k->last_sequence;
			k->other.has_sequence = true;
			vlog_open_stream(v, k, clock);
		}
		k->has_sequence = true;
		k->last_sequence = l->sequence;
	}
	return k->stream;
}

/*
 * If the process of @stream is unknown, and only one program has the vlog module @module, set the
 * process to this program.
 */
static void vlog_guess_process(struct vlog_reader *v, uint32_t stream, struct str module)
{
	struct log_stream *s = &v->r->streams.data[stream];

	if (s->process.v == STR_ID_NONE.v)
		s->process = vlog_intern(v, vlog_module_process(module));
}

/*
 * Decode @text, a message in a line of docker's json-file: replace the escapes, and remove the JSON
 * members after the message.
 */
static struct str vlog_json_text(struct vlog_reader *v, struct str text)
{
	static const struct {
		struct str from;
		char to;
	} escapes[] = {
		{ { "\\\"", 2 }, '"' },    { { "\\\\", 2 }, '\\' },   { { "\\t", 2 }, '\t' },
		{ { "\\u003c", 6 }, '<' }, { { "\\u003e", 6 }, '>' }, { { "\\u0026", 6 }, '&' },
	};

	text = str_sub(text, 0, str_find(text, STR("\\n\",\"stream\":")));
	v->text.len = 0;
	while (text.len) {
		size_t n = text.p[0] == '\\' ? 0 : str_find_char(text, '\\');
		size_t i = 0;

		out_str(&v->text, str_sub(text, 0, n));
		text = str_skip(text, n);
		while (n == 0 && i < ARRAY_LEN(escapes) && !str_starts(text, escapes[i].from))
			i++;
		if (n == 0) {
			out_char(&v->text, i < ARRAY_LEN(escapes) ? escapes[i].to : '\\');
			text = str_skip(text, i < ARRAY_LEN(escapes) ? escapes[i].from.len : 1);
		}
	}
	return out_view(&v->text);
}

/* Copy module, level and is_truncated of @l to @rec. */
static void vlog_fill(struct vlog_reader *v, struct log_record *rec, const struct vlog_line *l)
{
	rec->module = vlog_intern(v, l->module);
	rec->level_text = vlog_intern(v, l->level_text);
	rec->level = l->level;
	rec->is_truncated = l->is_truncated;
}

static void vlog_add(struct vlog_reader *v, const struct vlog_line *l, uint32_t n)
{
	struct records *r = v->r;
	struct log_record *rec;
	uint32_t line = region_line(v->in, n);
	uint8_t clock = CLOCK_REALTIME;
	uint64_t time_ns = l->time_ns;
	struct str text = l->text;

	v->open_row = INDEX_NONE;
	if (r->rows.len >= LIMIT_LOG_RECORDS) {
		diag_count(&v->c->diag, &vlog_limit, line);
		return;
	}
	if (l->prefix.len == 0) {
		v->prefix = (struct log_prefix){ .clock = CLOCK_NONE };
	} else {
		log_prefix_read(l->prefix, &v->scan.day, &v->prefix);
		if (str_ends(l->prefix, STR("{\"log\":\"")))
			text = vlog_json_text(v, text);
		else if (!v->prefix.process.len && !v->prefix.clock && str_trim(l->prefix).len)
			diag_count(&v->c->diag, &vlog_junk, line);
	}
	if (!l->has_time) {
		clock = v->prefix.clock;
		time_ns = v->prefix.time_ns;
		if (clock == CLOCK_YEAR)
			diag_count(&v->c->diag, &vlog_no_year, line);
	}
	vlog_take_title(v);
	v->open_row = (uint32_t)r->rows.len;
	v->n_tail = 0;
	rec = VEC_PUSH(&r->rows);
	*rec = (struct log_record){
		.time_ns = time_ns,
		.text = arena_str(&r->arena, str_rtrim(text)),
		.stream = vlog_stream(v, l, clock),
		.sequence = l->sequence,
		.line = line,
		.last_line = line,
		.has_time = clock != CLOCK_NONE,
		.has_sequence = l->has_sequence,
	};
	vlog_fill(v, rec, l);
	vlog_guess_process(v, rec->stream, l->module);
}

/* Complete the record open_row. If it has several lines, store their joined text. */
static void vlog_close(struct vlog_reader *v)
{
	struct log_record *rec;
	struct vlog_line l;

	if (v->open_row == INDEX_NONE)
		return;
	rec = &v->r->rows.data[v->open_row];
	v->open_row = INDEX_NONE;
	if (v->n_tail && rec->is_truncated) {
		/* the record's first line ends before the message: parse the joined lines */
		if (vlog_line_read(out_view(&v->text), &v->scan.day, &l)) {
			vlog_fill(v, rec, &l);
			rec->text = arena_str(&v->r->arena, str_rtrim(l.text));
		} else {
			diag_add(&v->c->diag, &vlog_prose, v->n_tail, rec->last_line);
		}
	} else if (v->n_tail) {
		rec->text = arena_str(&v->r->arena, str_rtrim(out_view(&v->text)));
	}
	if (rec->is_truncated)
		diag_count(&v->c->diag, &vlog_truncated, rec->line);
	else if (rec->level == LEVEL_NONE)
		diag_count(&v->c->diag, &vlog_level, rec->line);
}

static void vlog_go_on(struct vlog_reader *v, struct str line, uint32_t n)
{
	struct log_record *rec = &v->r->rows.data[v->open_row];

	if (v->n_tail++ == 0) {
		v->text.len = 0;
		out_str(&v->text, rec->is_truncated ? str_rtrim(v->open_line) : rec->text);
	}
	if (v->text.len > LIMIT_LINE_BYTES) {
		rec->last_line = region_line(v->in, n);
		return;
	}
	if (rec->is_truncated) {
		/*
		 * the mailer broke the line inside its fields, which have no blanks: join the lines
		 * without a blank
		 */
		out_str(&v->text, str_trim(line));
	} else {
		unwrap_append_squeezed(&v->text, line);
	}
	rec->last_line = region_line(v->in, n);
}

/* Count v->title, the last line that may be a title, as prose if no record followed it. */
static void vlog_drop_title(struct vlog_reader *v)
{
	if (v->title_line != v->title_line_now)
		diag_count(&v->c->diag, &vlog_prose, v->title_line);
}

static void vlog_line(struct vlog_reader *v, struct str line, uint32_t n)
{
	uint32_t clean_line = v->in->first_line + n;
	bool was_open = v->open_row != INDEX_NONE;
	enum vlog_class class;

	v->scan.is_open =
		was_open &&
		unwrap_depth_fits(v->open_depth, document_quote_depth(v->in->doc, clean_line));
	class = vlog_classify(&v->scan, line);
	if (class == VLOG_TAIL) {
		vlog_go_on(v, line, n);
		return;
	}
	vlog_close(v);
	v->scan.n_tail = 0;
	if (class == VLOG_RECORD) {
		v->open_line = line;
		v->open_depth = document_quote_depth(v->in->doc, clean_line);
		vlog_add(v, &v->scan.line, n);
	} else if (class == VLOG_PROSE && vlog_is_title(line)) {
		vlog_drop_title(v);
		v->title = str_trim(line);
		v->title_line = region_line(v->in, n);
	} else if (class == VLOG_OTHER || class == VLOG_KERNEL || class == VLOG_ERROR) {
		diag_count(&v->c->diag, &vlog_other, region_line(v->in, n));
	} else if (class == VLOG_PROSE) {
		diag_count(&v->c->diag, &vlog_prose, region_line(v->in, n));
	}
}

static int vlog_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct vlog_reader v = { .in = in, .open_row = INDEX_NONE };
	const char *release = in->text.p;
	struct str text = in->text;
	struct str line;
	uint32_t n = 0;

	v.c = format_add_capture(&format_vlog, in, d);
	v.r = capture_records(v.c);
	out_init(&v.text);
	for (; str_line(&text, &line); n++) {
		vlog_line(&v, str_sub(line, 0, LIMIT_LINE_BYTES), n);
		if ((size_t)(text.p - release) > VLOG_RELEASE_BYTES) {
			release = text.p;
			document_release(in->doc, release);
		}
	}
	vlog_close(&v);
	vlog_drop_title(&v);
	v.c->last_line = region_line(in, n ? n - 1 : 0);
	VEC_FREE(&v.keys);
	idmap_fini(&v.map);
	out_fini(&v.text);
	return v.r->rows.len ? OK : fail(err, ERR_FORMAT, "no vlog record found");
}

static const char *const vlog_extensions[] = { ".log", NULL };

const struct format format_vlog = {
	.name = "ovs-vlog",
	.summary = "logs of Open vSwitch and OVN",
	.kinds = KIND_LOG,
	.extensions = vlog_extensions,
	.probe = vlog_probe,
	.find = vlog_find,
	.read = vlog_read,
};
