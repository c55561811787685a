/* SPDX-License-Identifier: MIT */
#include "analyses/calls/calls_away.h"

#include "analyses/calls/call_kinds.h"
#include "analyses/calls/calls_below.h"
#include "analyses/calls/calls_total.h"
#include "base/alloc.h"
#include "base/idmap.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/strings.h"
#include "core/symbols.h"

#define AWAY_WALK_MAX 1024u /* maximum number of callers examined for one event */

/* State of a task (of a CPU, if the trace does not show tasks) during the pass over its events. */
struct away_line {
	uint64_t key;
	uint32_t last; /* index of the latest call so far; INDEX_NONE: none */
	/* number of interrupts that have begun and not ended at the current event */
	uint32_t nested;
	uint64_t irq_ns;   /* time at which the outermost interrupt started */
	uint32_t irq_call; /* index of the call that the outermost interrupt interrupted */
	uint64_t off_ns;   /* time at which the task stopped running; UINT64_MAX: it runs */
	uint32_t off_call;
	bool has_switch;
};

struct away {
	const struct calls *c;
	const struct symbols *symbols;
	struct calls_away *out;
	uint8_t *kind;    /* indexed by symbol: enum call_kind */
	uint64_t *in_irq; /* one bit per call: the call is in an interrupt */
	uint32_t *line;   /* indexed by lane (a task on a CPU): index in `lines` of its task */
	VEC(struct away_line) lines;
	struct idmap lines_map;
	/*
	 * number of sched_switch events at which a task gets a CPU again, and the trace shows when
	 * it left its CPU
	 */
	uint64_t switches;
	/*
	 * number of sched_switch events at which a task gets a CPU, and the trace does not show
	 * when it left its CPU. Counts only tasks with an earlier call
	 */
	uint64_t switches_alone;
};

/* Key of a task in lines_map. All idle tasks have pid 0, so their key contains the CPU. */
static uint64_t away_pid_key(uint64_t pid, uint16_t cpu)
{
	return pid ? pid : UINT64_C(1) << 32 | cpu;
}

static uint64_t away_key(const struct call_lane *lane)
{
	return lane->has_pid ? away_pid_key(lane->pid, lane->cpu) : UINT64_C(2) << 32 | lane->cpu;
}

static struct away_line *away_line(struct away *a, uint64_t key, bool make)
{
	struct idmap_probe p = idmap_first(&a->lines_map, hash_u64(key, 1));

	while (idmap_next(&a->lines_map, &p)) {
		if (a->lines.data[p.id].key == key)
			return &a->lines.data[p.id];
	}
	if (!make)
		return NULL;
	idmap_insert(&a->lines_map, &p, (uint32_t)a->lines.len);
	*VEC_PUSH(&a->lines) = (struct away_line){
		.key = key,
		.last = INDEX_NONE,
		.off_ns = UINT64_MAX,
	};
	return &a->lines.data[a->lines.len - 1];
}

static void away_init(struct away *a, const struct capture *capture, struct calls_away *out)
{
	size_t n_symbols;

	memset(a, 0, sizeof(*a));
	a->c = capture->calls;
	a->symbols = capture_symbols(capture);
	a->out = out;
	n_symbols = a->symbols->rows.len;
	a->kind = xcalloc(n_symbols + 1, 1);
	for (uint32_t i = 0; i < n_symbols; i++)
		a->kind[i] = (uint8_t)call_kind_of(a->symbols, (sym_id){ i });
	a->in_irq = xcalloc(a->c->n / 64 + 1, sizeof(*a->in_irq));
	a->line = xcalloc(a->c->lanes.len + 1, sizeof(*a->line));
	for (size_t i = 0; i < a->c->lanes.len; i++)
		a->line[i] = (uint32_t)(away_line(a, away_key(&a->c->lanes.data[i]), true) -
					a->lines.data);
}

static void away_fini(struct away *a)
{
	free(a->kind);
	free(a->in_irq);
	free(a->line);
	VEC_FREE(&a->lines);
	idmap_fini(&a->lines_map);
}

static bool away_in_irq(const struct away *a, uint32_t call)
{
	return call != INDEX_NONE && (a->in_irq[call / 64] >> call % 64 & 1);
}

static enum call_kind away_kind(const struct away *a, uint32_t call)
{
	return a->kind[a->c->sym.data[call].v];
}

static void away_add(struct away *a, uint32_t call, uint64_t asleep_ns, uint64_t irq_ns)
{
	if (asleep_ns || irq_ns)
		*VEC_PUSH(&a->out->rows) = (struct call_away){ call, asleep_ns, irq_ns };
}

/*
 * Find calls in interrupts, by the names of functions and by ftrace's interrupt arrows
 * ("==========>"). Returns the number of interrupts.
 */
static uint64_t away_handlers(struct away *a)
{
	const struct calls *c = a->c;
	uint64_t n = 0;

	for (uint32_t i = 0; i < c->n; i++) {
		bool above = away_in_irq(a, c->parent.data[i]);

		if (!above && away_kind(a, i) != CALL_KIND_INTERRUPT &&
		    !(c->state.data[i] & CALL_IN_IRQ))
			continue;
		a->in_irq[i / 64] |= UINT64_C(1) << i % 64;
		if (above)
			continue;
		n++;
		away_add(a, i, 0, calls_duration(c, i));
	}
	return n;
}

/*
 * Parse the number after @key in @s: 1 in "prev_pid=1". If @s lacks @key, parse the number after
 * the last ':': 1 in "a:1 [120]". False: there is no number.
 */
static bool away_pid(struct str s, struct str key, uint64_t *ret)
{
	size_t at = str_find(s, key);
	uint64_t pid = 0;
	size_t i;

	at = at < s.len ? at + key.len : str_rfind_char(s, ':') + 1;
	for (i = at; i < s.len && char_is_digit(s.p[i]) && pid <= UINT32_MAX; i++)
		pid = pid * 10 + (uint64_t)(s.p[i] - '0');
	*ret = pid;
	return i > at && pid <= UINT32_MAX;
}

/*
 * Parse the pids of the previous and the next task. Two formats: "prev_pid=1 ... ==> ...
 * next_pid=2" and "a:1 [120] S ==> b:2 [120]".
 */
static bool away_switch(struct str text, uint64_t *ret_prev, uint64_t *ret_next)
{
	size_t arrow = str_find(text, STR("==>"));

	return arrow < text.len && away_pid(str_sub(text, 0, arrow), STR("prev_pid="), ret_prev) &&
	       away_pid(str_sub(text, arrow, text.len), STR("next_pid="), ret_next);
}

static bool away_holds(const struct calls *c, uint32_t call, uint64_t from, uint64_t to)
{
	uint64_t start = c->start_ns.data[call];

	if (start == UINT64_MAX || from < start)
		return false;
	return !calls_is_timed(c, call) || to - start <= calls_duration(c, call);
}

/*
 * Find the call during which the task was off its CPU, or interrupted, from @from to @to. The
 * search begins at @last, the latest call before @from, and goes on with its callers. The result is
 * the innermost sleeping function, such as schedule(), that was active at @from. Without one, it is
 * the innermost call that contains both times. INDEX_NONE: none.
 */
static uint32_t away_call_at(const struct away *a, uint32_t last, uint64_t from, uint64_t to)
{
	uint32_t found = INDEX_NONE;
	uint32_t steps = 0;

	for (; last != INDEX_NONE && steps < AWAY_WALK_MAX;
	     last = a->c->parent.data[last], steps++) {
		if (!away_holds(a->c, last, from, from))
			continue;
		if (away_kind(a, last) == CALL_KIND_SLEEP)
			return last;
		if (found == INDEX_NONE && away_holds(a->c, last, from, to))
			found = last;
	}
	return found;
}

/* Time in ns from @from to @to, or to the end of @call, whichever is earlier. */
static uint64_t away_part(const struct away *a, uint32_t call, uint64_t from, uint64_t to)
{
	uint64_t end = a->c->start_ns.data[call] + calls_duration(a->c, call);

	if (!calls_is_timed(a->c, call))
		return 0;
	to = to < end ? to : end;
	return to > from ? to - from : 0;
}

static void away_switched(struct away *a, const struct call_mark *m, struct str text)
{
	uint16_t cpu = a->c->lanes.data[m->lane].cpu;
	struct away_line *line;
	uint64_t prev;
	uint64_t next;

	if (!away_switch(text, &prev, &next))
		return;
	line = away_line(a, away_pid_key(prev, cpu), false);
	if (line) {
		line->has_switch = true;
		line->off_ns = m->time_ns;
		line->off_call = line->last;
	}
	line = away_line(a, away_pid_key(next, cpu), false);
	if (line && line->off_ns != UINT64_MAX) {
		uint32_t call = m->time_ns < line->off_ns
					? INDEX_NONE
					: away_call_at(a, line->off_call, line->off_ns, m->time_ns);

		if (call != INDEX_NONE)
			away_add(a, call, away_part(a, call, line->off_ns, m->time_ns), 0);
		line->off_ns = UINT64_MAX;
		a->switches++;
	} else if (line && line->last != INDEX_NONE) {
		a->switches_alone++;
	}
}

/* Names of interrupt events: "irq_handler" stands for irq_handler_entry and irq_handler_exit. */
static const char *const away_interrupts[] = { "irq_handler",   "softirq",
					       "local_timer",   "reschedule",
					       "call_function", "call_function_single",
					       "irq_work" };

enum away_step { AWAY_NO_STEP, AWAY_STEP_IN, AWAY_STEP_OUT };

/*
 * Whether an event enters or leaves an interrupt. Quick tests come first, because most events do
 * neither.
 */
static enum away_step away_step_of(struct str text)
{
	enum away_step step = AWAY_STEP_OUT;
	struct str name;

	if (!text.len || !memchr("isrlc", text.p[0], 5))
		return AWAY_NO_STEP;
	name = str_sub(text, 0, 32);
	name = str_sub(name, 0, str_find_char(name, ':'));
	if (str_ends(name, STR("_entry"))) {
		step = AWAY_STEP_IN;
		name.len -= strlen("_entry");
	} else if (str_ends(name, STR("_exit"))) {
		name.len -= strlen("_exit");
	} else {
		return AWAY_NO_STEP;
	}
	for (size_t i = 0; i < ARRAY_LEN(away_interrupts); i++) {
		if (str_eq(name, str_of(away_interrupts[i])))
			return step;
	}
	return AWAY_NO_STEP;
}

/*
 * Process an event that enters or leaves an interrupt. Returns 1 if the event ends an interrupt
 * that began during a call, else 0.
 */
static uint64_t away_stepped(struct away *a, const struct call_mark *m, bool enters)
{
	struct away_line *line = &a->lines.data[a->line[m->lane]];
	uint32_t call;

	if (enters) {
		if (line->nested++ == 0) {
			line->irq_ns = m->time_ns;
			line->irq_call = line->last;
		}
		return 0;
	}
	if (line->nested == 0 || --line->nested || m->time_ns < line->irq_ns)
		return 0;
	call = away_call_at(a, line->irq_call, line->irq_ns, m->time_ns);
	if (call == INDEX_NONE || away_in_irq(a, call) || away_kind(a, call) == CALL_KIND_SLEEP)
		return 0;
	away_add(a, call, 0, away_part(a, call, line->irq_ns, m->time_ns));
	return 1;
}

/*
 * Process the timed events of task switches and interrupts, in trace order. Returns the number of
 * interrupts that came during a call.
 */
static uint64_t away_events(struct away *a, bool sleep_counts)
{
	const struct calls *c = a->c;
	uint32_t call = 0;
	uint64_t n = 0;

	if (c->start_ns.len == 0)
		return 0;
	VEC_FOREACH (m, &c->marks) {
		enum away_step step;
		struct str text;

		if (m->kind != MARK_EVENT || m->time_ns == 0 || m->lane >= c->lanes.len)
			continue;
		for (; call < m->before_call && call < c->n; call++)
			a->lines.data[a->line[c->lane.data[call]]].last = call;
		text = strings_get(a->symbols->strings, m->text);
		if (sleep_counts && str_starts(text, STR("sched_switch")))
			away_switched(a, m, text);
		else if ((step = away_step_of(text)) != AWAY_NO_STEP)
			n += away_stepped(a, m, step == AWAY_STEP_IN);
	}
	return n;
}

/*
 * For tasks without sched_switch events: count the self time of each innermost schedule() as sleep.
 * Returns the number of such calls.
 */
static uint64_t away_sleeps(struct away *a, const struct calls_below *below)
{
	const struct calls *c = a->c;
	/* one bit per call: the call directly contains a call that sleeps */
	uint64_t *outer = xcalloc(c->n / 64 + 1, sizeof(*outer));
	uint64_t n = 0;

	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t parent = c->parent.data[i];

		if (parent != INDEX_NONE && away_kind(a, i) == CALL_KIND_SLEEP)
			outer[parent / 64] |= UINT64_C(1) << parent % 64;
	}
	for (uint32_t i = 0; i < c->n; i++) {
		uint64_t self;
		bool is_overfull;

		if (away_kind(a, i) != CALL_KIND_SLEEP || (outer[i / 64] >> i % 64 & 1) ||
		    a->lines.data[a->line[c->lane.data[i]]].has_switch ||
		    !calls_self(c, below, i, &self, &is_overfull))
			continue;
		n++;
		away_add(a, i, self, 0);
	}
	free(outer);
	return n;
}

static int away_compare(const void *a, const void *b)
{
	const struct call_away *x = a;
	const struct call_away *y = b;

	return SORT_ORDER(x->call, y->call);
}

/*
 * Sort the rows by call, merge rows of the same call, and limit their times to the call's duration.
 */
static void away_merge(struct away *a)
{
	struct calls_away *out = a->out;
	size_t n = 0;

	VEC_SORT(&out->rows, away_compare);
	VEC_FOREACH (row, &out->rows) {
		if (n && out->rows.data[n - 1].call == row->call) {
			out->rows.data[n - 1].asleep_ns += row->asleep_ns;
			out->rows.data[n - 1].irq_ns += row->irq_ns;
		} else {
			out->rows.data[n++] = *row;
		}
	}
	out->rows.len = n;
	VEC_FOREACH (row, &out->rows) {
		uint64_t most = calls_duration(a->c, row->call);

		row->asleep_ns = row->asleep_ns < most ? row->asleep_ns : most;
		row->irq_ns =
			row->irq_ns < most - row->asleep_ns ? row->irq_ns : most - row->asleep_ns;
	}
}

/* Whether a function of @kind is in the trace; if not, a pass over all calls can be skipped. */
static bool away_has_kind(const struct away *a, enum call_kind kind)
{
	for (size_t i = 0; i < a->symbols->rows.len; i++) {
		if (a->kind[i] == kind)
			return true;
	}
	return false;
}

static bool away_has_arrows(const struct calls *c)
{
	VEC_FOREACH (m, &c->marks) {
		if (m->kind == MARK_IRQ_ENTER || m->kind == MARK_IRQ_EXIT)
			return true;
	}
	return false;
}

/*
 * Whether only the ends of calls are in the trace, as with tracing_thresh. Start times and callees
 * are then unknown.
 */
static bool away_has_only_ends(const struct calls *c)
{
	for (size_t i = 0; i < c->n; i++) {
		if ((c->state.data[i] & CALL_STATE_MASK) != CALL_ORPHAN)
			return false;
	}
	return c->n > 0;
}

void calls_away_find(const struct capture *capture, const struct calls_below *below,
		     struct calls_away *ret)
{
	bool sleep_counts = !calls_has_option(capture, STR("nosleep-time"));
	struct away a;
	uint64_t interrupts = 0;
	uint64_t sleeps = 0;
	bool is_switch_cut;

	memset(ret, 0, sizeof(*ret));
	away_init(&a, capture, ret);
	if (away_has_kind(&a, CALL_KIND_INTERRUPT) || away_has_arrows(a.c))
		interrupts = away_handlers(&a);
	interrupts += away_events(&a, sleep_counts);
	VEC_FOREACH (line, &a.lines)
		ret->has_switch_events |= line->has_switch;
	if (sleep_counts && away_has_kind(&a, CALL_KIND_SLEEP))
		sleeps = away_sleeps(&a, below);
	away_merge(&a);
	VEC_FOREACH (line, &a.lines)
		ret->irqs_open += line->nested;
	is_switch_cut = a.switches == 0 && a.switches_alone > 0;
	away_fini(&a);
	if (!sleep_counts)
		ret->asleep_why_not = "nosleep-time leaves it out of the durations";
	else if (!sleeps && away_has_only_ends(capture->calls))
		ret->asleep_why_not = "only ends of calls are in the trace";
	else if (!sleeps && !ret->has_switch_events)
		ret->asleep_why_not = "no schedule() and no sched_switch in the trace";
	else if (!sleeps && is_switch_cut)
		ret->asleep_why_not = "a task starts to run again, and the trace does not show "
				      "when it stopped";
	if (calls_has_option(capture, STR("noirqs")) ||
	    calls_has_option(capture, STR("nofuncgraph-irqs")))
		ret->irq_why_not =
			"noirqs leaves them out; their time is self time of what they hit";
	else if (!interrupts && ret->irqs_open)
		ret->irq_why_not = "an interrupt begins, and the trace does not show its end";
	else if (!interrupts)
		ret->irq_why_not = "none in the trace";
}

void calls_away_fini(struct calls_away *a)
{
	VEC_FREE(&a->rows);
}

struct call_away calls_away_of(const struct calls_away *a, uint32_t call)
{
	size_t low = VEC_PARTITION(&a->rows, it, it->call < call);

	return low < a->rows.len && a->rows.data[low].call == call
		       ? a->rows.data[low]
		       : (struct call_away){ .call = call };
}
