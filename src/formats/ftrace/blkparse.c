/* SPDX-License-Identifier: MIT */
/*
 * blkparse.c - rows of blkparse: events of block requests
 *
 *     8,0    3        1     0.000000000   697  G   W 223490 + 8 [kjournald]
 *     8,0    3        2     0.000001829   697  P   R [kjournald]
 *     8,0    3        6     0.000012345   697  D   W 223490 + 8 [kjournald]
 *     8,0    1        9     0.004712345     0  C   W 223490 + 8 [0]
 *
 * The columns are device, CPU, sequence number, seconds, pid, action, kind of the request (such as
 * W), and details that depend on the action. An action, one or two letters, stands for a trace
 * event of the kernel's block layer. The reader converts each row to this trace event, so that all
 * analyses of block events work. Source: blktrace, blkparse.1 (TRACE ACTIONS), blkparse_fmt.c;
 * kernel/trace/blktrace.c.
 */
#include "formats/ftrace/function_graph_build.h"

#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/strings.h"
#include "formats/format.h"

#include <stdio.h>

DECLARE_FORMAT(blkparse);

#define BLK_GAP       3u /* maximum number of consecutive lines of other kinds between two rows */
#define BLK_LEAST     2u
#define BLK_EVENT_MAX 240u
#define BLK_PROBE     64u

static const struct diag_kind blk_junk = { "blkparse-not-understood", DIAG_DATALOSS,
					   "lines that are no rows of blkparse" };

/* The trace event of each action. Source: kernel file include/trace/events/block.h. */
static const struct {
	const char *action;
	const char *event;
} blk_actions[] = {
	{ "A", "block_bio_remap" },      { "B", "block_bio_bounce" },
	{ "C", "block_rq_complete" },    { "D", "block_rq_issue" },
	{ "F", "block_bio_frontmerge" }, { "G", "block_getrq" },
	{ "I", "block_rq_insert" },      { "M", "block_bio_backmerge" },
	{ "P", "block_plug" },           { "Q", "block_bio_queue" },
	{ "R", "block_rq_requeue" },     { "S", "block_sleeprq" },
	{ "T", "block_unplug_timer" },   { "U", "block_unplug" },
	{ "UT", "block_unplug_timer" },  { "X", "block_split" },
	{ "m", "block_message" },
};

struct blk_row {
	struct str device; /* major and minor number of the device: "8,0" */
	uint32_t cpu;
	uint32_t pid;
	uint64_t time_ns;
	const char *event;
	struct str fields; /* details after the action */
	struct str comm;   /* command name; empty: the row has none */
};

static const char *blk_event(struct str action)
{
	for (size_t i = 0; i < ARRAY_LEN(blk_actions); i++) {
		if (str_eq(action, str_of(blk_actions[i].action)))
			return blk_actions[i].event;
	}
	return NULL;
}

/* Parse "259,0". */
static bool blk_device(struct str word)
{
	uint64_t major, minor;

	return str_u64(&word, &major) && str_take(&word, STR(",")) && str_u64(&word, &minor) &&
	       word.len == 0;
}

static bool blk_number(struct str *line, uint64_t limit, uint64_t *ret)
{
	struct str word;

	return str_word(line, &word) && str_u64(&word, ret) && word.len == 0 && *ret <= limit;
}

/* Take a time in seconds with exactly nine decimals. */
static bool blk_time(struct str *line, uint64_t *ret_ns)
{
	unsigned int printed;
	struct str word;

	return str_word(line, &word) && str_fixed(&word, 9, ret_ns, &printed) && word.len == 0 &&
	       printed == 9;
}

/*
 * The text in the last brackets of a row: the command, "[fio]". A completed request has an error
 * number there, "[0]".
 */
static struct str blk_comm(struct str fields)
{
	size_t from = str_rfind_char(fields, '[');
	size_t to = str_rfind_char(fields, ']');

	return from < to && to < fields.len ? str_sub(fields, from + 1, to) : STR_NONE;
}

static bool blk_kind(struct str word)
{
	for (size_t i = 0; i < word.len; i++) {
		if (str_find_char(STR("RWDFNSAMUVBPC"), word.p[i]) >= 13)
			return false;
	}
	return word.len > 0 && word.len <= 8;
}

static bool blk_parse(struct str line, struct blk_row *ret)
{
	struct str rest = str_trim(str_sub(line, 0, LIMIT_LINE_BYTES));
	uint64_t cpu, sequence, pid;
	struct str word;

	if (str_take(&rest, STR("^C"))) /* the terminal printed ^C when the user stopped blktrace */
		rest = str_ltrim(rest);
	if (!rest.len || !char_is_digit(rest.p[0]) || !str_word(&rest, &ret->device) ||
	    !blk_device(ret->device) || !blk_number(&rest, FG_MAX_CPUS - 1, &cpu) ||
	    !blk_number(&rest, UINT32_MAX, &sequence) || !blk_time(&rest, &ret->time_ns) ||
	    !blk_number(&rest, UINT32_MAX, &pid) || !str_word(&rest, &word))
		return false;
	ret->event = blk_event(word);
	ret->fields = str_ltrim(rest);
	if (!ret->event || !str_word(&rest, &word) || !blk_kind(word))
		return false;
	ret->cpu = (uint32_t)cpu;
	ret->pid = (uint32_t)pid;
	ret->comm = ret->event == blk_event(STR("C")) ? STR_NONE : blk_comm(ret->fields);
	return true;
}

static bool blk_find(struct str text, size_t from, struct extent *ret)
{
	struct str rest = str_skip(text, from);
	size_t start = SIZE_MAX;
	size_t end = from;
	unsigned int gap = 0;
	size_t n = 0;
	struct str line;

	while (str_line(&rest, &line)) {
		struct blk_row row;

		if (!blk_parse(line, &row)) {
			if (start == SIZE_MAX || ++gap <= BLK_GAP)
				continue;
			if (n >= BLK_LEAST)
				break;
			start = SIZE_MAX;
			continue;
		}
		if (start == SIZE_MAX) {
			start = (size_t)(line.p - text.p);
			n = 0;
		}
		n++;
		gap = 0;
		end = (size_t)(text.len - rest.len);
	}
	if (n < BLK_LEAST || start == SIZE_MAX)
		return false;
	*ret = (struct extent){ start, end, 96, NULL, NULL };
	return true;
}

static unsigned int blk_probe(struct str head)
{
	size_t rows = 0;
	size_t n = 0;
	struct str line;

	while (n < BLK_PROBE && str_line(&head, &line)) {
		struct blk_row row;

		if (head.len == 0 && n > 2)
			break; /* the last line may be truncated */
		if (str_trim(line).len == 0)
			continue;
		n++;
		rows += blk_parse(line, &row);
	}
	return rows >= BLK_LEAST && rows * 10 >= n * 9 ? 92 : 0;
}

/*
 * Whether @text has an issued request (action D). Devices such as RAID and LVM complete requests
 * (action C), but issue none.
 */
static bool blk_has_issue(struct str text)
{
	struct str line;

	while (str_line(&text, &line)) {
		struct blk_row row;

		if (blk_parse(line, &row) && row.event == blk_event(STR("D")))
			return true;
	}
	return false;
}

static void blk_take(struct fg *g, const struct blk_row *row, bool has_issue)
{
	struct fg_cpu *cpu = fg_cpu_of(g, row->cpu);
	const char *event = row->event;
	char text[BLK_EVENT_MAX];
	int n;

	if (!cpu)
		return;
	if (!has_issue && event == blk_event(STR("C")))
		event = "block_bio_complete";
	fg_run(g, cpu, strings_add(&g->dossier->strings, row->comm), row->pid);
	n = snprintf(text, sizeof(text), "%s: " STR_FMT " " STR_FMT, event, STR_ARG(row->device),
		     STR_ARG(row->fields));
	if (n > 0)
		(void)fg_event(g, cpu, str_sub(str_of(text), 0, sizeof(text) - 1), row->time_ns);
}

static int blk_read(const struct region *in, struct dossier *d, struct error *err)
{
	bool has_issue = blk_has_issue(in->text);
	struct str rest = in->text;
	uint64_t n_rows = 0;
	uint64_t n_junk = 0;
	uint32_t junk_line = 0;
	struct str line;
	struct fg g;

	fg_init(&g, in, d);
	fg_begin(&g, 0);
	g.capture->format = "blkparse";
	g.calls->tracer = strings_add(&d->strings, STR("blk"));
	while (str_line(&rest, &line)) {
		struct blk_row row;

		if (blk_parse(line, &row)) {
			blk_take(&g, &row, has_issue);
			n_rows++;
		} else if (str_trim(line).len && n_junk++ == 0) {
			junk_line = fg_here(&g);
		}
		g.line++;
	}
	fg_end(&g, g.line ? g.line - 1 : 0);
	if (n_junk)
		diag_add(&g.capture->diag, &blk_junk, n_junk, junk_line);
	if (!n_rows)
		dossier_drop_last(d);
	fg_fini(&g);
	return n_rows ? OK : fail(err, ERR_FORMAT, "no row of blkparse found");
}

const struct format format_blkparse = {
	.name = "blkparse",
	.summary = "block requests of blktrace, as blkparse prints them",
	.kinds = KIND_CALLS,
	.probe = blk_probe,
	.find = blk_find,
	.read = blk_read,
};
