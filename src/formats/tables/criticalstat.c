/* SPDX-License-Identifier: MIT */
/*
 * criticalstat.c - code sections with interrupts or preemption disabled, from bcc's criticalstat
 *
 *     Finding critical section with IRQ disabled for > 100us
 *     TASK: kworker/u16:5 (pid  5903 tid  5903) Total Time: 194.427  us
 *     Section start: __schedule -> schedule
 *     Section end:   _raw_spin_unlock_irq -> finish_task_switch
 *       trace_hardirqs_on+0xdc
 *
 * Each section becomes a row with the name of its task. The column "code" has the innermost
 * function of the stack that is not in CRITICAL_ENDS. Definition: tools/criticalstat.py of bcc,
 * print_event().
 */
#include "formats/tables/line_table.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/symbols.h"
#include "formats/format.h"

DECLARE_FORMAT(criticalstat);

static const struct diag_kind critical_lines = { "criticalstat-lines", DIAG_INFO,
						 "lines between sections that were not read" };
static const struct diag_kind critical_past = { "criticalstat-past-limit", DIAG_DATALOSS,
						"sections past the limit" };

/*
 * Functions that enable interrupts or preemption, and functions of the tracer. They are the
 * innermost frames of every stack, so they do not identify the code of the section.
 */
#define CRITICAL_ENDS                                                                        \
	"trace_*|tracer_*|preempt_latency_*|preempt_count_*|preempt_enable*|_raw_*|__raw_*|" \
	"raw_spin_*|spin_unlock*|local_irq_*|arch_local_irq_*|__local_bh_*|local_bh_*|"      \
	"lockdep_*"

static const struct line_column critical_columns[] = {
	{ "time", "ns", false }, { "off", NULL, true },  { "start", NULL, true },
	{ "end", NULL, true },   { "code", NULL, true }, { "called by", NULL, true },
};

enum {
	CRITICAL_TIME,
	CRITICAL_OFF,
	CRITICAL_START,
	CRITICAL_END,
	CRITICAL_CODE,
	CRITICAL_CALLER,
	CRITICAL_N
};

/* The section that is being read; it becomes a row. */
struct critical_section {
	struct str task;
	struct str tid;
	struct str texts[CRITICAL_N];
	double ns;
	uint32_t line;
	bool is_open;
};

/*
 * Parse "TASK: name (pid  5903 tid  5903) Total Time: 194.427  us". The name may contain brackets.
 */
static bool critical_task(struct str line, struct critical_section *ret)
{
	size_t at, end;

	line = str_trim(line);
	if (!str_take(&line, STR("TASK: ")))
		return false;
	at = str_find(line, STR(" (pid "));
	end = str_find(line, STR(") Total Time: "));
	if (at == 0 || at >= line.len || end >= line.len || end < at)
		return false;
	ret->task = str_trim(str_sub(line, 0, at));
	ret->tid = str_sub(line, at, end);
	at = str_find(ret->tid, STR(" tid "));
	ret->tid = str_trim(str_skip(ret->tid, at + 5));
	line = str_skip(line, end + STR(") Total Time: ").len);
	return ret->task.len && line_table_duration(&line, &ret->ns);
}

/*
 * Parse an indented frame, "  clk_enable+0x80". @ret: its function; STR_NONE for "[unknown]".
 * False: @line is no frame.
 */
static bool critical_frame(struct str line, struct str *ret)
{
	struct str s = str_trim(line);
	size_t plus = str_find(s, STR("+0x"));

	*ret = STR_NONE;
	if (str_eq(s, STR("[unknown]")))
		return true;
	if (s.len == line.len || plus == 0 || plus >= s.len || str_find_char(s, ' ') < plus)
		return false;
	*ret = str_sub(s, 0, plus);
	return true;
}

static bool critical_is_head(struct str line)
{
	return str_starts(line, STR("Finding critical section with ")) &&
	       str_contains(line, STR(" disabled for > "));
}

static enum line_kind critical_kind(struct str line)
{
	struct critical_section s;
	struct str name;
	struct str t = str_trim(line);

	if (t.len == 0)
		return LINE_BLANK;
	if (critical_is_head(t))
		return LINE_HEAD;
	if (critical_task(line, &s))
		return LINE_SURE;
	if (str_starts(t, STR("Section start: ")) || str_starts(t, STR("Section end: ")) ||
	    str_starts(t, STR("====")) || str_starts(t, STR("NO STACK FOUND")) ||
	    critical_frame(line, &name))
		return LINE_TAIL;
	return LINE_OTHER;
}

static const struct line_table critical_table = {
	.kind = critical_kind, .gap = 0, .min_rows = UINT32_MAX, .score = 98
};

static unsigned int criticalstat_probe(struct str head)
{
	return line_table_probe(&critical_table, head);
}

static bool criticalstat_find(struct str text, size_t from, struct extent *ret)
{
	return line_table_find(&critical_table, text, from, ret);
}

/* If a section was read since the last call, add it as a row. */
static void critical_close(struct capture *c, struct critical_section *s)
{
	double values[CRITICAL_N] = { [CRITICAL_TIME] = s->ns };
	struct out name;

	if (!s->is_open)
		return;
	s->is_open = false;
	out_init(&name);
	out_str(&name, str_sub(s->task, 0, 64));
	if (s->tid.len)
		out_printf(&name, " (" STR_FMT ")", STR_ARG(str_sub(s->tid, 0, 16)));
	if (!line_table_add(c,
			    symbols_add_text(capture_symbols(c), out_view(&name), STR_NONE,
					     SPACE_UNKNOWN, 0),
			    values, s->texts, s->line))
		diag_count(&c->diag, &critical_past, s->line);
	out_fini(&name);
}

/*
 * Process a frame of the section's stack. @name: its function; the frames come innermost first. The
 * first function that is not in CRITICAL_ENDS is the code of the section, and the next one is its
 * caller. A tracing function shows whether interrupts or preemption were disabled.
 */
static void critical_stack(struct critical_section *s, struct str name)
{
	if (name.len == 0 || s->texts[CRITICAL_CALLER].len)
		return;
	if (s->texts[CRITICAL_CODE].len)
		s->texts[CRITICAL_CALLER] = name;
	else if (!str_glob(STR(CRITICAL_ENDS), name))
		s->texts[CRITICAL_CODE] = name;
	if (!s->texts[CRITICAL_OFF].len && str_starts(name, STR("trace_hardirqs_")))
		s->texts[CRITICAL_OFF] = STR("IRQ");
	else if (!s->texts[CRITICAL_OFF].len && str_starts(name, STR("trace_preempt_")))
		s->texts[CRITICAL_OFF] = STR("preempt");
}

/* The first function of @s: "clk_enable_lock" in "clk_enable_lock -> clk_enable". */
static struct str critical_place(struct str s)
{
	return str_trim(str_sub(s, 0, str_find(s, STR(" ->"))));
}

static void critical_line(struct capture *c, struct critical_section *s, struct str line,
			  uint32_t number)
{
	struct str t = str_trim(line);
	struct str name;

	if (str_take(&t, STR("Section start:")))
		s->texts[CRITICAL_START] = critical_place(t);
	else if (str_take(&t, STR("Section end:")))
		s->texts[CRITICAL_END] = critical_place(t);
	else if (critical_frame(line, &name))
		critical_stack(s, name);
	else if (str_starts(t, STR("====")))
		critical_close(c, s);
	else if (critical_kind(line) == LINE_OTHER)
		diag_count(&c->diag, &critical_lines, number);
}

static int criticalstat_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct capture *c = format_add_capture(&format_criticalstat, in, d);
	struct critical_section s = { .is_open = false };
	struct str text = in->text;
	struct str off = STR_NONE;
	struct str line;
	size_t rows = 0;

	line_table_columns(c, "task", "time", critical_columns, CRITICAL_N);
	for (uint32_t n = 0; str_line(&text, &line); n++) {
		struct critical_section next = { .line = region_line(in, n), .is_open = true };
		struct str t = str_trim(line);

		if (critical_task(line, &next)) {
			critical_close(c, &s);
			s = next;
			s.texts[CRITICAL_OFF] = off;
			rows++;
		} else if (critical_is_head(t)) {
			off = str_skip(t, STR("Finding critical section with ").len);
			off = str_sub(off, 0, str_find_char(off, ' '));
			capture_note(c, STR("longer than"), str_skip(t, str_rfind_char(t, ' ') + 1),
				     next.line);
		} else {
			critical_line(c, &s, line, next.line);
		}
	}
	critical_close(c, &s);
	return rows ? OK : fail(err, ERR_FORMAT, "no section");
}

const struct format format_criticalstat = {
	.name = "criticalstat",
	.summary = "sections with interrupts or preemption off, of bcc's criticalstat",
	.kinds = KIND_METRICS,
	.probe = criticalstat_probe,
	.find = criticalstat_find,
	.read = criticalstat_read,
};
