/* SPDX-License-Identifier: MIT */
/*
 * A section of code in which interrupts or preemption are off, or a time in which a woken task
 * waits for a CPU. ftrace's latency tracers store the longest section; bcc's criticalstat prints
 * many. The trace shows the length of the section, its start and its end. The finding also names a
 * place in the section: the two consecutive rows of the trace with the longest time between them.
 *
 * Thresholds: a section of 1 ms is a warning: this is a whole tick of a kernel with HZ=1000, so a
 * longer section loses timer ticks. Shorter sections are notes, because only the user knows the
 * deadline. Sections below 10 us are normal: a spinlock or an interrupt takes that. The place is
 * reported if its time is a fifth of the section.
 */
#include "explain/rule.h"

#include "analyses/slow/latency_section.h"
#include "base/number.h"
#include "base/str.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/metrics.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/words/table_words.h"

DECLARE_RULE(latency_section);

/* Delay loops of the kernel: arch/x86/lib/delay.c, arch/arm64/lib/delay.c */
#define SECTION_DELAYS \
	"delay_tsc|delay_loop|delay_tpause|delay_halt*|__delay|__udelay|__const_udelay|__ndelay"
#define SECTION_SHORT_NS UINT64_C(10000)
#define SECTION_LONG_NS  UINT64_C(1000000)
#define SECTION_STEP_PCT 20.0

struct section_words {
	/*
	 * state of the CPU in the claim ("Interrupts were off"); NULL: the section is a wait of a
	 * task
	 */
	const char *state;
	const char *cause;
};

static const struct section_words section_words[] = {
	[LATENCY_IRQS_OFF] = { "Interrupts were off",
			       "No interrupt is served on this CPU meanwhile, and no other task "
			       "runs there: a timer or a real-time task waits for the whole time" },
	[LATENCY_PREEMPT_OFF] = { "Preemption was off",
				  "No other task can run on this CPU meanwhile, however high its "
				  "priority" },
	[LATENCY_BOTH_OFF] = { "Interrupts or preemption were off",
			       "No other task can run on this CPU meanwhile, however high its "
			       "priority" },
	[LATENCY_WAKEUP] = { NULL, "Between wakeup and switch a CPU leaves its idle state, serves "
				   "interrupts, or runs code with preemption off" },
};

/*
 * The task in the header of the trace: "bash-2042" for "bash-2042 (uid:0 nice:0 policy:0
 * rt_prio:0)"; "a task" if it is unknown.
 */
static struct str section_task(const struct capture *c)
{
	struct str task = capture_note_of(c, STR("task"));
	size_t end = str_find(task, STR(" ("));

	return task.len ? str_trim(str_sub(task, 0, end)) : STR("a task");
}

static const char *section_place(struct findings *out, const struct latency_row *row)
{
	return row->caller.len ? finding_name(out, STR_FMT ", called by " STR_FMT,
					      STR_ARG(row->name), STR_ARG(row->caller))
			       : finding_name(out, STR_FMT, STR_ARG(row->name));
}

/*
 * The clause ", while X ran": X is the task that ran on the CPU. "" if the CPU or the task
 * changed within the section.
 */
static const char *section_meanwhile(const struct capture *c, struct findings *out,
				     const struct latency_section *s)
{
	const struct call_lane *lane = &c->calls->lanes.data[s->first.lane];
	struct str ran = strings_get(capture_strings(c), lane->comm);

	if (s->first.lane != s->last.lane || ran.len == 0)
		return "";
	return lane->has_pid && lane->pid == 0
		       ? ", while this CPU was idle"
		       : finding_name(out, ", while " STR_FMT " ran", STR_ARG(ran));
}

/*
 * Whether the finding names the longest time between two rows as the place where the section spends
 * its time. This time must be a large part of the section, and longer than all time that the trace
 * does not show.
 */
static bool section_has_step(const struct latency_section *s)
{
	return 100 * (double)s->step_ns >= SECTION_STEP_PCT * (double)s->ns &&
	       s->step_ns > s->hidden_ns;
}

/*
 * The clause ", from A to B" if the header names the start and the end of the section; otherwise
 * "".
 */
static const char *section_ends(const struct capture *c, struct findings *out)
{
	struct str started = capture_note_of(c, STR("started at"));
	struct str ended = capture_note_of(c, STR("ended at"));

	return started.len && ended.len ? finding_name(out, ", from " STR_FMT " to " STR_FMT,
						       STR_ARG(started), STR_ARG(ended))
					: "";
}

static void section_claim(const struct rule_input *in, struct findings *out, struct finding *f,
			  const struct latency_section *s, enum latency_kind kind)
{
	const struct capture *c = in->capture;
	struct str task = section_task(c);
	const char *length = finding_duration(out, s->ns);
	const char *step = "";

	if (section_has_step(s))
		step = finding_name(out, "; %s of it between " STR_FMT " and " STR_FMT,
				    finding_duration(out, s->step_ns), STR_ARG(s->from.name),
				    STR_ARG(s->to.name));
	if (section_words[kind].state)
		finding_claim(out, f, "%s for %s in " STR_FMT "%s%s", section_words[kind].state,
			      length, STR_ARG(task), section_ends(c, out), step);
	else
		finding_claim(out, f, STR_FMT " waited %s for the CPU after its wakeup%s%s",
			      STR_ARG(task), length, section_meanwhile(c, out, s), step);
}

/* The state of the CPU in row @row of criticalstat's table. */
static enum latency_kind section_row_kind(const struct rule_input *in, size_t row)
{
	struct str off = table_words_text(in, row, table_words_column(in, "off"));

	if (str_eq(off, STR("IRQ")))
		return LATENCY_IRQS_OFF;
	return str_eq(off, STR("preempt")) ? LATENCY_PREEMPT_OFF : LATENCY_BOTH_OFF;
}

/*
 * The clause about start and end of the section in row @row: ", from A to B in C", or ", within A".
 */
static const char *section_row_ends(const struct rule_input *in, struct findings *out, size_t row)
{
	struct str start = table_words_text(in, row, table_words_column(in, "start"));
	struct str end = table_words_text(in, row, table_words_column(in, "end"));
	struct str code = table_words_text(in, row, table_words_column(in, "code"));
	const char *text = "";

	if (start.len && str_eq(start, end))
		text = finding_name(out, ", within " STR_FMT, STR_ARG(start));
	else if (start.len && end.len)
		text = finding_name(out, ", from " STR_FMT " to " STR_FMT, STR_ARG(start),
				    STR_ARG(end));
	if (code.len && !str_eq(code, start) && !str_eq(code, end))
		text = finding_name(out, "%s in " STR_FMT, text, STR_ARG(code));
	return text;
}

/* Add a finding about the longest section in criticalstat's table. */
static void section_table(const struct rule_input *in, struct findings *out)
{
	const struct metrics *m = in->capture->metrics;
	size_t column = table_words_column(in, "time");
	struct str caller;
	struct finding *f;
	size_t top = 0;
	double ns;

	if (column == TABLE_NO_COLUMN || !m->n_rows ||
	    table_words_column(in, "off") == TABLE_NO_COLUMN ||
	    table_words_column(in, "code") == TABLE_NO_COLUMN)
		return;
	for (size_t row = 1; row < m->n_rows; row++) {
		if (metrics_value(m, row, column) > metrics_value(m, top, column))
			top = row;
	}
	ns = metrics_value(m, top, column);
	if (!(ns >= (double)SECTION_SHORT_NS)) {
		finding_clean(out, in, &rule_latency_section, "the longest section took only %s",
			      finding_duration(out, number_whole(ns)));
		return;
	}
	f = finding_add(out, in, &rule_latency_section,
			ns >= (double)SECTION_LONG_NS ? FINDING_WARNING : FINDING_NOTE, 95);
	/*
	 * the impact is the length in percent of a tick, so that the finding about the longest
	 * section is first
	 */
	f->impact = ns < (double)SECTION_LONG_NS ? 100 * ns / (double)SECTION_LONG_NS : 100;
	finding_claim(out, f, "%s for %s in " STR_FMT "%s",
		      section_words[section_row_kind(in, top)].state,
		      finding_duration(out, number_whole(ns)),
		      STR_ARG(str_sub(table_words_name(in, top), 0, 96)),
		      section_row_ends(in, out, top));
	finding_figure(f, "length of the section", ns / 1000, 0, "us");
	finding_figure(f, "sections shown", (double)m->n_rows, 0, "");
	caller = table_words_text(in, top, table_words_column(in, "called by"));
	finding_evidence(out, f, in, m->lines.data[top], STR_FMT "%s" STR_FMT,
			 STR_ARG(table_words_name(in, top)), caller.len ? ", called by " : "",
			 STR_ARG(caller));
	finding_usual_cause(out, f, "%s", section_words[section_row_kind(in, top)].cause);
	finding_because(out, f, "the tool measures each section; the code is where it ended");
	finding_next(out, f,
		     "trace-cmd record -p function_graph --max-graph-depth 3: which call takes the "
		     "time between the two ends");
}

/* The first row of a delay loop of the kernel (udelay, mdelay); INDEX_NONE: none. */
static uint32_t section_delay(const struct rule_input *in)
{
	const struct calls *c = in->capture->calls;

	for (uint32_t i = 0; i < c->n; i++) {
		if (str_glob(STR(SECTION_DELAYS), facts_name(in->facts, c->sym.data[i])))
			return i;
	}
	return INDEX_NONE;
}

static void latency_section_check(const struct rule_input *in, struct findings *out)
{
	enum latency_kind kind;
	struct latency_section s;
	struct finding *f;
	uint32_t spin;
	double pct;

	if (in->capture->metrics)
		section_table(in, out);
	kind = in->calls ? latency_kind_of(in->capture) : LATENCY_NONE;
	if (kind == LATENCY_NONE)
		return;
	if (!latency_section_find(in->capture, &s)) {
		finding_not_assessed(
			out, in, &rule_latency_section, "the whole trace, with its header",
			"the header with \"latency: ... us\" is missing, or fewer than "
			"two rows have a time");
		return;
	}
	if (s.ns < SECTION_SHORT_NS) {
		finding_clean(out, in, &rule_latency_section, "the longest section took only %s",
			      finding_duration(out, s.ns));
		return;
	}
	pct = 100 * (double)s.step_ns / (double)s.ns;
	f = finding_add(out, in, &rule_latency_section,
			s.ns >= SECTION_LONG_NS ? FINDING_WARNING : FINDING_NOTE, 95);
	f->impact = pct;
	section_claim(in, out, f, &s, kind);
	finding_figure(f, "length of the section", (double)s.ns / 1000, 0.5, "us");
	if (s.hidden_ns)
		finding_figure(f, "between rows that are not on consecutive lines",
			       (double)s.hidden_ns / 1000, 0, "us");
	if (s.step_ns)
		finding_figure(f, "longest step", (double)s.step_ns / 1000, 0, "us");
	if (section_has_step(&s)) {
		finding_evidence(out, f, in, s.from.line, "%s: the longest step begins, %.0f %%",
				 section_place(out, &s.from), pct);
		finding_evidence(out, f, in, s.to.line, "%s: it ends", section_place(out, &s.to));
	} else {
		finding_evidence(out, f, in, s.first.line, "%s: the first row",
				 section_place(out, &s.first));
		finding_evidence(out, f, in, s.last.line, "%s: the last row",
				 section_place(out, &s.last));
	}
	spin = section_delay(in);
	if (spin != INDEX_NONE) {
		struct str name = facts_name(in->facts, in->capture->calls->sym.data[spin]);

		finding_evidence(out, f, in, in->capture->calls->line.data[spin],
				 STR_FMT ": waits by spinning", STR_ARG(name));
		finding_usual_cause(out, f,
				    "The code waits in a delay loop (" STR_FMT
				    "), which keeps the CPU. %s",
				    STR_ARG(name), section_words[kind].cause);
	} else {
		finding_usual_cause(out, f, "%s", section_words[kind].cause);
	}
	finding_because(out, f, "the tracer keeps the longest section that it saw");
	if (kind == LATENCY_WAKEUP)
		finding_next(out, f,
			     "trace-cmd record -e sched -e irq -e timer: what ran between wakeup "
			     "and switch");
	else
		finding_next(out, f,
			     "trace-cmd record -p function_graph%s%s --max-graph-depth 3: which "
			     "call takes the time between the two ends",
			     s.first.caller.len ? " -g " : "",
			     s.first.caller.len ? finding_word(out, s.first.caller, false) : "");
}

const struct rule rule_latency_section = {
	.id = "latency-section",
	.title = "Interrupts or preemption off, late wakeup",
	.needs = RULE_CALLS | RULE_METRICS,
	.is_measured = true,
	.check = latency_section_check,
};
