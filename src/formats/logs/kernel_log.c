/* SPDX-License-Identifier: MIT */
/*
 * kernel_log.c - kernel logs: dmesg, the console, kernel lines of syslog, mails
 *
 * A stream has the records of one boot of one kernel, under one title. A new stream begins if the
 * time goes back. Each line of a dump (registers, call trace) becomes a record, as the kernel logs
 * each line separately. Lines that a mailer broke are joined.
 */
#include "base/arena.h"
#include "base/limits.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/records.h"
#include "core/kinds/threads.h"
#include "core/strings.h"
#include "document/document.h"
#include "document/mail/unwrap.h"
#include "formats/format.h"
#include "formats/logs/kernel_line.h"
#include "formats/logs/log_prefix.h"
#include "formats/logs/vlog_line.h"
#include "formats/threads/stack_reader.h"

DECLARE_FORMAT(kernel_log);
DECLARE_FORMAT(stack_dump);

#define KERNEL_RELEASE_BYTES (UINT64_C(8) << 20)
/* maximum number of lines into which a mailer breaks one line */
#define KERNEL_TAIL_LINES 8u
/*
 * minimum number of records of a log that gets a high score; a shorter log may be a quote in a text
 * of another format
 */
#define KERNEL_SURE_LINES 100u
/* maximum number of lines of prose between two records of a capture; such lines may be titles */
#define KERNEL_GAP_LINES   2u
#define KERNEL_TITLE_BYTES 120u
#define KERNEL_BLANK_LINES 3u
#define KERNEL_TICK_NS     UINT64_C(1000)       /* resolution of the time since boot */
#define KERNEL_SECOND_NS   UINT64_C(1000000000) /* resolution of a wall-clock time */
/* resolution of a time in dmesg -H */
#define KERNEL_MINUTE_NS (60 * KERNEL_SECOND_NS)
/* if a time is earlier than the previous time by more than this, the machine was rebooted */
#define KERNEL_BACK_NS UINT64_C(1000000000)

static const struct diag_kind kernel_other = {
	"kernel-other-lines", DIAG_INFO, "lines of other programs between those of the kernel"
};
static const struct diag_kind kernel_prose = { "kernel-prose-lines", DIAG_INFO,
					       "lines of prose between those of the kernel" };
static const struct diag_kind kernel_untimed = { "kernel-without-time", DIAG_INFO,
						 "lines that were printed without a time" };
static const struct diag_kind kernel_zone = { "kernel-local-time", DIAG_INFO,
					      "records in local time of an unknown zone" };
static const struct diag_kind kernel_no_year = { "kernel-no-year", DIAG_INFO,
						 "records whose time does not say the year" };
static const struct diag_kind kernel_limit = { "kernel-past-limit", DIAG_DATALOSS,
					       "records past the number that can be held" };

enum kernel_class {
	KERNEL_RECORD,
	KERNEL_DUMP,  /* a line of a kernel dump that has no time; it becomes a record, too */
	KERNEL_OTHER, /* log line of another program */
	KERNEL_BLANK,
	KERNEL_TAIL,  /* rest of the previous record's line, which a mailer broke */
	KERNEL_PROSE, /* any other line; it may be a title */
};

struct kernel_scan {
	struct log_day day;
	struct kernel_line line; /* valid if the class is KERNEL_RECORD */
	unsigned int n_tail;
	bool is_open; /* the next line may be a continuation of the current line */
	/*
	 * the previous record has no time, so a dump that follows it may have lines without a time
	 */
	bool is_untimed;
};

static enum kernel_class kernel_classify(struct kernel_scan *s, struct str line)
{
	struct str text;
	bool was_open = s->is_open;

	line = kernel_line_bare(line);
	text = str_ltrim(line);
	s->is_open = false;
	if (text.len == 0)
		return KERNEL_BLANK;
	if (kernel_line_read(line, &s->day, &s->line)) {
		s->is_open = true;
		s->is_untimed = s->line.is_strong;
		s->n_tail = 0;
		return KERNEL_RECORD;
	}
	if (log_prefix_is_in(text)) {
		s->is_untimed = false;
		return KERNEL_OTHER;
	}
	if (s->is_untimed && kernel_line_is_dump(line)) {
		s->is_open = true;
		s->n_tail = 0;
		return KERNEL_DUMP;
	}
	if (was_open && kernel_line_is_code(line)) {
		s->is_open = true;
		return KERNEL_TAIL;
	}
	if (!was_open || s->n_tail >= KERNEL_TAIL_LINES || memchr("#<`-=_*~", text.p[0], 8))
		return KERNEL_PROSE;
	s->is_open = true;
	s->n_tail++;
	return KERNEL_TAIL;
}

static bool kernel_is_title(struct str line)
{
	line = str_trim(line);
	if (line.len == 0 || line.len > KERNEL_TITLE_BYTES)
		return false;
	for (size_t i = 0; i < line.len; i++) {
		if ((line.p[i] | 0x20) >= 'a' && (line.p[i] | 0x20) <= 'z')
			return true;
	}
	return false;
}

static unsigned int kernel_log_probe(struct str head)
{
	struct kernel_scan s = { .n_tail = 0 };
	struct str line;
	size_t timed = 0;
	size_t others = 0;

	while (str_line(&head, &line)) {
		enum kernel_class class = kernel_classify(&s, str_sub(line, 0, LIMIT_LINE_BYTES));

		timed += class == KERNEL_RECORD && !s.line.is_strong;
		others += class == KERNEL_OTHER || class == KERNEL_PROSE;
	}
	if (timed < 3)
		return 0;
	return others * 20 <= timed ? 95 : others <= timed ? 60 : 0;
}

/*
 * Offset of the last non-blank line before @at, if this line may be a title. Otherwise the result
 * is @at.
 */
static size_t kernel_title_above(struct str text, size_t from, size_t at)
{
	size_t start = at;

	for (unsigned int blanks = 0; start > from && blanks <= KERNEL_BLANK_LINES; blanks++) {
		const char *nl =
			start > from + 1 ? memrchr(text.p + from, '\n', start - from - 1) : NULL;
		size_t before = nl ? (size_t)(nl - text.p) + 1 : from;
		struct str line = str_trim(str_sub(text, before, start));

		if (line.len)
			return kernel_is_title(line) && !log_prefix_is_in(line) ? before : at;
		start = before;
	}
	return at;
}

static bool kernel_log_find(struct str text, size_t from, struct extent *ret)
{
	struct kernel_scan s = { .n_tail = 0 };
	struct str rest = str_skip(text, from);
	unsigned int gap = 0;
	size_t n = 0;
	struct str line;

	ret->from = text.len;
	while (str_line(&rest, &line)) {
		enum kernel_class class;

		line = str_sub(line, 0, LIMIT_LINE_BYTES);
		if (n == 0) {
			size_t start = (size_t)(line.p - text.p);

			if (!kernel_line_read(kernel_line_bare(line), &s.day, &s.line))
				continue;
			*ret = (struct extent){ .from = kernel_title_above(text, from, start) };
		}
		class = kernel_classify(&s, line);
		gap += class == KERNEL_PROSE;
		if (gap > KERNEL_GAP_LINES)
			break;
		if (class == KERNEL_RECORD || class == KERNEL_DUMP)
			gap = 0;
		n += class == KERNEL_RECORD;
		if (class == KERNEL_RECORD || class == KERNEL_TAIL || class == KERNEL_DUMP)
			ret->to = (size_t)(rest.p - text.p);
	}
	ret->score = n >= KERNEL_SURE_LINES ? 90 : n >= 3 ? 85 : 80;
	return n > 0;
}

struct kernel_key {
	uint32_t title_line;
	str_id node;
	uint8_t clock;
	uint32_t stream;
	uint64_t last_ns;
};

struct kernel_reader {
	const struct region *in;
	struct capture *c;
	struct records *r;
	struct kernel_scan scan;
	struct kernel_key key; /* key of the current stream */
	bool has_key;
	struct str title;
	uint32_t title_line;
	str_id kernel; /* id of the string "kernel" */
	str_id module; /* string id of module_text, the module of the last record; cached */
	struct str module_text;
	uint32_t open_row; /* row of the record that the next line may continue; INDEX_NONE: none */
	uint32_t n_tail;
	unsigned int open_depth;
	struct out text;
};

static str_id kernel_node(struct kernel_reader *k, struct str node)
{
	char buf[32];

	if (node.len == 0)
		node = vlog_title_node(k->title, buf);
	return strings_add(capture_strings(k->c), node);
}

static uint32_t kernel_stream(struct kernel_reader *k, const struct kernel_line *l)
{
	struct kernel_key *key = &k->key;
	struct strings *names = capture_strings(k->c);
	bool is_same = k->has_key && key->title_line == k->title_line &&
		       (l->clock == CLOCK_NONE || l->clock == key->clock) &&
		       (l->node.len == 0 || str_eq(strings_get(names, key->node), l->node));

	if (is_same && l->clock != CLOCK_NONE && l->time_ns + KERNEL_BACK_NS < key->last_ns)
		is_same = false; /* the time went back, because the machine rebooted */
	if (!is_same) {
		*key = (struct kernel_key){ .title_line = k->title_line,
					    .node = kernel_node(k, l->node),
					    .clock = l->clock,
					    .stream = (uint32_t)k->r->streams.len };
		k->has_key = true;
		*VEC_PUSH(&k->r->streams) = (struct log_stream){
			.title = strings_add(names, k->title),
			.process = k->kernel,
			.node = key->node,
			.title_line = k->title_line,
			.tick_ns = l->is_minute             ? KERNEL_MINUTE_NS
				   : l->clock == CLOCK_BOOT ? KERNEL_TICK_NS
							    : KERNEL_SECOND_NS,
			.clock = l->clock,
			/* dmesg -T prints local time, but not the time zone */
			.is_local = l->clock == CLOCK_REALTIME && l->node.len == 0,
		};
	}
	if (l->clock != CLOCK_NONE)
		key->last_ns = l->time_ns;
	return key->stream;
}

static str_id kernel_intern(struct kernel_reader *k, struct str s)
{
	if (s.len == 0)
		return STR_ID_NONE;
	if (!str_eq(s, k->module_text)) {
		k->module = strings_add(capture_strings(k->c), s);
		k->module_text = strings_get(capture_strings(k->c), k->module);
	}
	return k->module;
}

static void kernel_count(struct kernel_reader *k, const struct kernel_line *l, uint32_t line)
{
	if (l->clock == CLOCK_NONE)
		diag_count(&k->c->diag, &kernel_untimed, line);
	else if (l->clock == CLOCK_YEAR)
		diag_count(&k->c->diag, &kernel_no_year, line);
	else if (l->clock == CLOCK_REALTIME && l->node.len == 0)
		diag_count(&k->c->diag, &kernel_zone, line);
}

static void kernel_add(struct kernel_reader *k, const struct kernel_line *l, uint32_t n)
{
	uint32_t line = region_line(k->in, n);

	if (k->r->rows.len >= LIMIT_LOG_RECORDS) {
		diag_count(&k->c->diag, &kernel_limit, line);
		return;
	}
	kernel_count(k, l, line);
	k->open_row = (uint32_t)k->r->rows.len;
	k->n_tail = 0;
	*VEC_PUSH(&k->r->rows) = (struct log_record){
		.time_ns = l->time_ns,
		.text = arena_str(&k->r->arena, l->text),
		.module = kernel_intern(k, l->module),
		.level_text = l->level_text.len ? strings_add(capture_strings(k->c), l->level_text)
						: STR_ID_NONE,
		.stream = kernel_stream(k, l),
		.line = line,
		.last_line = line,
		.level = l->level,
		.has_time = l->clock != CLOCK_NONE,
	};
}

static void kernel_close(struct kernel_reader *k)
{
	struct log_record *rec;
	struct kernel_line l;
	struct log_day day = { "", 0 };

	if (k->open_row == INDEX_NONE)
		return;
	rec = &k->r->rows.data[k->open_row];
	k->open_row = INDEX_NONE;
	if (k->n_tail == 0)
		return;
	rec->text = arena_str(&k->r->arena, str_rtrim(out_view(&k->text)));
	/*
	 * no level was found, perhaps because the mailer broke the words that show it: search it
	 * again in the joined text
	 */
	if (rec->level == LEVEL_NONE && kernel_line_read(rec->text, &day, &l))
		rec->level = l.level;
}

static void kernel_go_on(struct kernel_reader *k, struct str line, uint32_t n)
{
	struct log_record *rec = &k->r->rows.data[k->open_row];

	if (k->n_tail++ == 0) {
		k->text.len = 0;
		out_str(&k->text, rec->text);
	}
	rec->last_line = region_line(k->in, n);
	unwrap_append_squeezed(&k->text, line);
}

/*
 * Handle a line of prose. If it may be a title, keep it as the title of the next record. If no
 * record followed the previously kept line, that line was not a title: count it as prose. @line_no
 * 0: the log has ended.
 */
static void kernel_prose_line(struct kernel_reader *k, struct str line, uint32_t line_no)
{
	if (k->title_line && (!k->has_key || k->key.title_line != k->title_line))
		diag_count(&k->c->diag, &kernel_prose, k->title_line);
	if (kernel_is_title(line)) {
		k->title = str_trim(line);
		k->title_line = line_no;
	} else if (line_no) {
		diag_count(&k->c->diag, &kernel_prose, line_no);
	}
}

/*
 * Convert the time of @l from "since the previous record" to the clock of the current stream. The
 * first record of a stream gets the time 0.
 */
static void kernel_set_after(const struct kernel_reader *k, struct kernel_line *l)
{
	bool is_first =
		!k->has_key || k->key.title_line != k->title_line || k->key.clock == CLOCK_NONE;

	l->clock = is_first ? CLOCK_BOOT : k->key.clock;
	l->time_ns = is_first ? 0 : k->key.last_ns + l->time_ns;
}

static void kernel_log_line(struct kernel_reader *k, struct str line, uint32_t n)
{
	unsigned int depth = document_quote_depth(k->in->doc, k->in->first_line + n);
	struct kernel_line dump;
	enum kernel_class class;

	line = kernel_line_bare(line);
	dump = (struct kernel_line){ .text = str_trim(line) };
	k->scan.is_open = k->open_row != INDEX_NONE && unwrap_depth_fits(k->open_depth, depth);
	class = kernel_classify(&k->scan, line);
	if (class == KERNEL_TAIL) {
		kernel_go_on(k, line, n);
		return;
	}
	kernel_close(k);
	if (class == KERNEL_RECORD || class == KERNEL_DUMP) {
		k->open_depth = depth;
		if (class == KERNEL_RECORD && k->scan.line.is_after)
			kernel_set_after(k, &k->scan.line);
		kernel_add(k, class == KERNEL_RECORD ? &k->scan.line : &dump, n);
	} else if (class == KERNEL_OTHER) {
		diag_count(&k->c->diag, &kernel_other, region_line(k->in, n));
	} else if (class == KERNEL_PROSE) {
		kernel_prose_line(k, line, region_line(k->in, n));
	}
}

/*
 * Whether @t has a thread with both an id and a stack. The stacks of oopses and warnings have no
 * thread id.
 */
static bool kernel_has_task(const struct threads *t)
{
	VEC_FOREACH (row, &t->rows) {
		if (row->id.v && row->n_frames)
			return true;
	}
	return false;
}

/* Add a capture of threads: the tasks whose stacks the log contains. */
static void kernel_threads(const struct region *in, struct dossier *d)
{
	struct log_day day = { "", 0 };
	struct str text = in->text;
	struct stack_reader r = { .c = NULL };
	struct str line;

	if (!str_contains(in->text, STR("task:")) &&
	    !str_contains(in->text, STR(" blocked for ")) &&
	    !str_contains(in->text, STR(" 0x00000")))
		return;
	stack_reader_init(&r, format_add_capture(&format_stack_dump, in, d),
			  stack_dialect_find("kernel-stacks"));
	for (uint32_t n = 0; str_line(&text, &line); n++) {
		struct kernel_line k;

		line = kernel_line_bare(str_sub(line, 0, LIMIT_LINE_BYTES));
		(void)stack_reader_line(&r, kernel_line_read(line, &day, &k) ? k.text : line,
					region_line(in, n));
	}
	(void)stack_reader_end(&r);
	if (!kernel_has_task(r.c->threads))
		dossier_drop_last(d);
	stack_reader_fini(&r);
}

static int kernel_log_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct kernel_reader k = { .in = in, .open_row = INDEX_NONE };
	const char *release = in->text.p;
	struct str text = in->text;
	struct str line;
	uint32_t n = 0;

	k.c = format_add_capture(&format_kernel_log, in, d);
	k.r = capture_records(k.c);
	k.r->is_kernel = true;
	k.kernel = strings_add(&d->strings, STR("kernel"));
	out_init(&k.text);
	for (; str_line(&text, &line); n++) {
		kernel_log_line(&k, str_sub(line, 0, LIMIT_LINE_BYTES), n);
		if ((size_t)(text.p - release) > KERNEL_RELEASE_BYTES) {
			release = text.p;
			document_release(in->doc, release);
		}
	}
	kernel_close(&k);
	kernel_prose_line(&k, STR(""), 0);
	k.c->last_line = region_line(in, n ? n - 1 : 0);
	out_fini(&k.text);
	if (!k.r->rows.len)
		return fail(err, ERR_FORMAT, "no kernel log line found");
	kernel_threads(in, d);
	return OK;
}

static const char *const kernel_log_extensions[] = { ".dmesg", ".log", NULL };

const struct format format_kernel_log = {
	.name = "kernel-log",
	.summary = "kernel logs: dmesg, console, syslog",
	.kinds = KIND_LOG,
	.extensions = kernel_log_extensions,
	.probe = kernel_log_probe,
	.find = kernel_log_find,
	.read = kernel_log_read,
};
