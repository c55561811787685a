/* SPDX-License-Identifier: MIT */
#include "formats/ftrace/function_graph_build.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/idmap.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/ftrace/function_graph_line.h"

/* clang-format off */
static const struct diag_kind fg_diags[FG_COUNT_N] = {
	[FG_COUNT_JUNK] = { "function-graph-not-understood", DIAG_DATALOSS,
		"lines that are no part of a function graph" },
	[FG_COUNT_CUT] = { "function-graph-cut", DIAG_DATALOSS, "lines that end too early" },
	[FG_COUNT_REST] = { "function-graph-rest", DIAG_DATALOSS,
		"lines with unknown words after the call" },
	[FG_COUNT_LONG_LINE] = { "function-graph-long-line", DIAG_DATALOSS,
		"lines over a megabyte, cut" },
	[FG_COUNT_JOINED] = { "function-graph-joined", DIAG_INFO, "folded lines put together again" },
	[FG_COUNT_NO_INDENT] = { "function-graph-no-indent", DIAG_INFO,
		"lines whose indentation was lost: nesting taken from the order" },
	[FG_COUNT_ODD_INDENT] = { "function-graph-odd-indent", DIAG_INFO,
		"lines indented by an odd number of blanks" },
	[FG_COUNT_ORPHAN] = { "function-graph-orphan", DIAG_INFO,
		"calls that began before the trace" },
	[FG_COUNT_UNNAMED] = { "function-graph-unnamed", DIAG_INFO,
		"of them without a name" },
	[FG_COUNT_MISMATCH] = { "function-graph-mismatch", DIAG_ERROR,
		"closing braces that name another function than the one open at their depth" },
	[FG_COUNT_MIXED] = { "function-graph-mixed", DIAG_INFO,
		"calls closed by depth, as lines of several CPUs or tasks are mixed and not marked" },
	[FG_COUNT_UNCLOSED] = { "function-graph-unclosed", DIAG_INFO,
		"calls whose end is not in the trace" },
	[FG_COUNT_JUMP] = { "function-graph-depth-jump", DIAG_INFO,
		"calls more than one level below the call around them" },
	[FG_COUNT_NO_CALLER] = { "function-graph-no-caller", DIAG_INFO,
		"calls inside a caller that is not in the trace" },
	[FG_COUNT_LOST] = { "function-graph-lost", DIAG_DATALOSS, "events lost while tracing" },
	[FG_COUNT_LOST_UNKNOWN] = { "function-graph-lost-unknown", DIAG_DATALOSS,
		"places where an unknown number of events was lost" },
	[FG_COUNT_ELIDED] = { "function-graph-elided", DIAG_DATALOSS,
		"gaps where lines are missing" },
	[FG_COUNT_SWITCH] = { "function-graph-switch", DIAG_INFO,
		"task switches away from another task than the one that ran" },
	[FG_COUNT_BAD_CPU] = { "function-graph-cpu", DIAG_DATALOSS,
		"lines of a CPU past number 8191, skipped" },
	[FG_COUNT_BAD_DURATION] = { "function-graph-duration", DIAG_ERROR,
		"durations that are too big to be true, taken as not known" },
	[FG_COUNT_TOO_DEEP] = { "function-graph-depth-limit", DIAG_DATALOSS,
		"calls past 4096 open ones, which do not nest" },
	[FG_COUNT_TOO_MANY_TASKS] = { "function-graph-task-limit", DIAG_DATALOSS,
		"switches to tasks past the limit, taken as one task" },
	[FG_COUNT_TOO_MANY_CALLS] = { "function-graph-call-limit", DIAG_DATALOSS,
		"calls past the limit, skipped" },
	[FG_COUNT_NOTE] = { "function-graph-note", DIAG_INFO,
		"lines of stack traces and overrun counts, not kept" },
};

/* clang-format on */

void fg_init(struct fg *g, const struct region *in, struct dossier *d)
{
	memset(g, 0, sizeof(*g));
	g->in = in;
	g->dossier = d;
	g->n_cpus = 17;
	g->cpus = xcalloc(g->n_cpus, sizeof(*g->cpus));
	g->names = xcalloc(FG_NAME_SLOTS, sizeof(*g->names));
}

static void fg_forget_tasks(struct fg *g)
{
	/* free the open calls of all tasks; anonymous tasks are in g->tasks, too */
	VEC_FOREACH (t, &g->tasks)
		free((*t)->open);
	g->tasks.len = 0;
	idmap_fini(&g->tasks_map);
	memset(&g->tasks_map, 0, sizeof(g->tasks_map));
	arena_clear(&g->arena);
	memset(g->cpus, 0, g->n_cpus * sizeof(*g->cpus));
	g->adrift.len = 0;
	g->switch_cpu = 0;
	g->has_switches = false;
}

void fg_fini(struct fg *g)
{
	fg_forget_tasks(g);
	VEC_FREE(&g->tasks);
	VEC_FREE(&g->adrift);
	arena_fini(&g->arena);
	free(g->cpus);
	free(g->names);
}

void fg_begin(struct fg *g, uint32_t first_line)
{
	fg_forget_tasks(g);
	memset(g->counts, 0, sizeof(g->counts));
	g->is_full = false;
	g->columns = 0;
	g->last_cpu = 0;
	g->capture = dossier_add(g->dossier, "function-graph");
	g->capture->path = g->in->path;
	g->capture->first_line = region_line(g->in, first_line);
	g->calls = capture_calls(g->capture);
	g->calls->duration_decimals = 3;
}

void fg_end(struct fg *g, uint32_t last_line)
{
	struct calls *c = g->calls;
	uint64_t unclosed = 0;
	uint32_t first = 0;

	for (size_t i = 0; i < c->n; i++) {
		if ((c->state.data[i] & CALL_STATE_MASK) != CALL_OPEN)
			continue;
		if (unclosed++ == 0)
			first = c->line.data[i];
	}
	g->counts[FG_COUNT_UNCLOSED] = unclosed;
	g->first_lines[FG_COUNT_UNCLOSED] = first;
	g->counts[FG_COUNT_LOST] = c->lost_events;
	c->mixed = g->counts[FG_COUNT_MIXED];
	c->mixed_line = g->first_lines[FG_COUNT_MIXED];
	c->is_bare = g->cpus[0].task && g->cpus[0].task->key == 0;
	c->is_mixed = c->mixed || (c->is_bare && g->has_switches);
	for (size_t i = 0; i < FG_COUNT_N; i++) {
		if (g->counts[i])
			diag_add(&g->capture->diag, &fg_diags[i], g->counts[i], g->first_lines[i]);
	}
	calls_finish(c);
	fg_adopt(c);
	g->capture->last_line = region_line(g->in, last_line);
}

sym_id fg_symbol(struct fg *g, struct str name)
{
	size_t bracket = str_find(name, STR(" ["));
	struct str module = str_skip(name, bracket + 2);
	enum symbol_space space = SPACE_KERNEL;

	if (str_ends(module, STR("]")))
		module.len--;
	if (str_eq(module, STR("bpf")))
		space = SPACE_BPF;
	return symbols_add_text(&g->dossier->symbols, str_sub(name, 0, bracket), module, space, 0);
}

/*
 * Reduce the blanks in "name:        fields", which trace-cmd prints, to one. Returns @text or a
 * part of @buffer.
 */
static struct str fg_event_text(struct str text, char *buffer, size_t size)
{
	size_t colon = str_find_char(str_sub(text, 0, 64), ':');
	struct str fields;

	if (colon >= 64 || !str_starts(str_skip(text, colon), STR(":  ")))
		return text;
	fields = str_ltrim(str_skip(text, colon + 1));
	if (colon + 2 + fields.len > size)
		return text;
	memcpy(buffer, text.p, colon + 2);
	memcpy(buffer + colon + 2, fields.p, fields.len);
	return (struct str){ buffer, colon + 2 + fields.len };
}

static struct call_mark *fg_mark_new(struct fg *g, enum call_mark_kind kind, uint32_t lane,
				     uint64_t time_ns)
{
	struct calls *c = g->calls;
	struct call_mark *m;

	if (c->marks.len >= LIMIT_CALLS) {
		fg_count(g, FG_COUNT_TOO_MANY_CALLS);
		return NULL;
	}
	m = VEC_PUSH(&c->marks);
	*m = (struct call_mark){
		.time_ns = time_ns,
		.before_call = (uint32_t)c->n,
		.lane = lane,
		.line = fg_here(g),
		.kind = (uint8_t)kind,
	};
	return m;
}

static void fg_mark(struct fg *g, enum call_mark_kind kind, uint32_t lane, struct str text,
		    const struct fg_line *l)
{
	struct call_mark *m = fg_mark_new(g, kind, lane, l->columns & FG_TIME ? l->time_ns : 0);
	char buffer[512];

	if (!m)
		return;
	text = fg_event_text(text, buffer, sizeof(buffer));
	m->text = text.len ? strings_add(&g->dossier->strings, text) : STR_ID_NONE;
	m->count = l->count;
}

struct call_mark *fg_event(struct fg *g, const struct fg_cpu *cpu, struct str text,
			   uint64_t time_ns)
{
	struct call_mark *m = fg_mark_new(g, MARK_EVENT, cpu->lane, time_ns);
	char buffer[512];

	if (m && text.len)
		m->text = strings_add(&g->dossier->strings,
				      fg_event_text(text, buffer, sizeof(buffer)));
	return m;
}

/*
 * Whether @t is the task of all lines that have neither CPU nor task. It then has the calls of
 * several CPUs, because these lines do not show which CPU ran a call.
 */
static bool fg_is_nobody(const struct fg *g, const struct fg_task *t)
{
	return t == g->cpus[0].task && t->key == 0;
}

/*
 * Remove the innermost open call of @t, whose closing brace is missing. If the lines have neither
 * CPU nor task, keep the call in g->adrift. Its closing brace may still follow, because lines of
 * several CPUs alternate.
 */
static void fg_give_up(struct fg *g, struct fg_task *t)
{
	t->n--;
	/*
	 * The author of the text cut lines out, perhaps the missing brace. Then callees of the
	 * caller may also be missing: mark the caller, too.
	 */
	if (t->n && t->open[t->n].is_shortened)
		t->open[t->n - 1].is_shortened = true;
	if (fg_is_nobody(g, t)) {
		if (g->adrift.len == FG_ADRIFT_MAX) {
			g->adrift.len /= 2;
			memmove(g->adrift.data, g->adrift.data + g->adrift.len,
				g->adrift.len * sizeof(*g->adrift.data));
		}
		*VEC_PUSH(&g->adrift) = t->open[t->n];
	}
	if (t->lossy > t->n)
		t->lossy = t->n;
}

void fg_unusual_depth(struct fg *g, struct fg_task *t, uint32_t depth)
{
	while (t->n && t->open[t->n - 1].depth >= depth)
		fg_give_up(g, t);
	if (t->n && t->open[t->n - 1].depth + 1 < depth)
		fg_count(g, FG_COUNT_JUMP);
	else if (!t->n && depth)
		fg_count(g, FG_COUNT_NO_CALLER);
}

void fg_push_grow(struct fg *g, struct fg_task *t)
{
	uint32_t want = t->cap ? t->cap * 2 : 16;

	if (t->cap >= LIMIT_CALL_DEPTH) {
		fg_count(g, FG_COUNT_TOO_DEEP);
		return;
	}
	t->open = xreallocarray(t->open, want, sizeof(*t->open));
	t->cap = want;
}

void fg_set_tail(struct fg *g, uint32_t call, const struct fg_tail *tail)
{
	if (tail->retval_kind != RETVAL_NONE)
		calls_set_retval(g->calls, call, tail->retval, tail->retval_kind);
	if (tail->retaddr.len)
		calls_set_retaddr(g->calls, call, strings_add(&g->dossier->strings, tail->retaddr));
}

static bool fg_is_named(const struct fg *g, uint32_t call, struct str name)
{
	struct str have = symbols_name(&g->dossier->symbols, g->calls->sym.data[call]);

	return str_starts(name, have) && (name.len == have.len || name.p[have.len] == ' ');
}

/*
 * Find the call that a closing brace ends, if the brace matches no open call. In a trace without
 * CPU and task, the call may be in g->adrift: it is the latest call there with this depth. If a
 * name follows the brace, the call must have this name. If no name follows, any call at this depth
 * will do: the kernel omits the name only if the trace has the call's opening line at that depth
 * (enter_funcs in print_graph_return(), kernel/trace/trace_functions_graph.c). Closes the call and
 * returns its row; FG_NO_CALL: no such call.
 */
static uint32_t fg_take_adrift(struct fg *g, struct fg_task *t, uint32_t depth, struct str name)
{
	if (!fg_is_nobody(g, t))
		return FG_NO_CALL;
	for (size_t i = g->adrift.len; i-- > 0;) {
		struct fg_open o = g->adrift.data[i];

		if (o.depth != depth || (name.len && !fg_is_named(g, o.call, name)))
			continue;
		memmove(&g->adrift.data[i], &g->adrift.data[i + 1],
			(g->adrift.len - i - 1) * sizeof(o));
		g->adrift.len--;
		g->calls->state.data[o.call] =
			(uint8_t)((g->calls->state.data[o.call] & ~CALL_STATE_MASK) | CALL_CLOSED);
		fg_count(g, FG_COUNT_MIXED);
		return o.call;
	}
	return FG_NO_CALL;
}

static void fg_add_orphan(struct fg *g, struct fg_cpu *cpu, uint32_t depth, struct str name,
			  uint32_t *ret_call)
{
	struct fg_task *t = cpu->task;
	sym_id sym = name.len ? fg_symbol(g, name) : SYM_ID_NONE;

	fg_count(g, FG_COUNT_ORPHAN);
	if (!name.len)
		fg_count(g, FG_COUNT_UNNAMED);
	if (calls_add(g->calls, sym, t->n ? t->open[t->n - 1].call : INDEX_NONE, cpu->lane, depth,
		      (uint8_t)(CALL_ORPHAN | (cpu->in_irq ? CALL_IN_IRQ : 0)), fg_here(g),
		      ret_call) < 0) {
		fg_count(g, FG_COUNT_TOO_MANY_CALLS);
		*ret_call = FG_NO_CALL;
	}
}

void fg_close(struct fg *g, struct fg_cpu *cpu, uint32_t depth, const struct fg_tail *tail,
	      bool has_duration, uint64_t dur_ns, uint64_t time_ns)
{
	struct fg_task *t = cpu->task;
	uint32_t call = FG_NO_CALL;

	if (depth == FG_DEPTH_FROM_TOP)
		depth = t->n ? t->open[t->n - 1].depth : 0;
	while (t->n && t->open[t->n - 1].depth > depth)
		fg_give_up(g, t);
	if (t->n && t->open[t->n - 1].depth == depth) {
		if (!tail->name.len || fg_is_named(g, t->open[t->n - 1].call, tail->name)) {
			call = fg_pop(g, cpu);
		} else if (!fg_is_nobody(g, t)) {
			fg_count(g, FG_COUNT_MISMATCH);
			fg_give_up(g, t);
		}
	}
	if (call == FG_NO_CALL)
		call = fg_take_adrift(g, t, depth, tail->name);
	if (call == FG_NO_CALL) {
		fg_add_orphan(g, cpu, depth, tail->name, &call);
		if (call == FG_NO_CALL)
			return;
		if (time_ns != FG_TIME_UNKNOWN && has_duration && time_ns >= dur_ns)
			calls_set_start(g->calls, call, time_ns - dur_ns);
	}
	if (has_duration)
		calls_set_duration(g->calls, call, dur_ns);
	fg_set_tail(g, call, tail);
}

/* Events were lost on @cpu, so the open calls of its task may lack callees: mark them. */
static void fg_lose(struct fg_cpu *cpu)
{
	if (cpu->task)
		cpu->task->lossy = cpu->task->n;
}

/* The author of the text cut lines out here, so the innermost open call lacks callees: mark it. */
static void fg_shorten(struct fg_cpu *cpu)
{
	struct fg_task *t = cpu->task;

	fg_lose(cpu);
	if (t && t->n)
		t->open[t->n - 1].is_shortened = true;
}

static void fg_apply_lost(struct fg *g, const struct fg_line *l)
{
	struct fg_cpu *cpu = fg_place(g, l);

	if (!cpu)
		return;
	fg_lose(cpu);
	fg_lose(&g->cpus[0]);
	fg_count(g, l->has_count ? FG_COUNT_LOST : FG_COUNT_LOST_UNKNOWN);
	if (__builtin_add_overflow(g->calls->lost_events, l->count, &g->calls->lost_events))
		g->calls->lost_events = UINT64_MAX;
	fg_mark(g, MARK_LOST, cpu->lane, STR_NONE, l);
}

/* Name the task that runs on @cpu, which was unknown so far: @comm with @pid. */
static void fg_name_anonymous(struct fg *g, struct fg_cpu *cpu, str_id comm, uint32_t pid)
{
	struct fg_task *anonymous = cpu->task;
	struct fg_task *t = fg_task_of(g, fg_task_key(g, cpu, pid), anonymous);

	(void)calls_lane_name(g->calls, cpu->lane, comm, pid);
	/*
	 * If the trace already has a task with this pid, append the open calls of the unknown task
	 * to the open calls of that task. Stop at the first call that is not deeper than the
	 * innermost open call of that task.
	 */
	for (uint32_t i = 0; t != anonymous && i < anonymous->n; i++) {
		if (t->n && t->open[t->n - 1].depth >= anonymous->open[i].depth)
			break;
		if (t->n == t->cap)
			fg_push_grow(g, t);
		if (t->n < t->cap)
			t->open[t->n++] = anonymous->open[i];
	}
	if (t != anonymous)
		anonymous->n = anonymous->lossy = 0;
	cpu->task = t;
	cpu->comm = comm;
	cpu->pid = pid;
	cpu->has_pid = true;
}

static void fg_apply_switch(struct fg *g, const struct fg_line *l)
{
	struct strings *strings = &g->dossier->strings;
	struct fg_line place = { .columns = FG_CPU, .cpu = l->cpu };
	struct fg_cpu *cpu = fg_place(g, &place);
	struct str from;
	struct str to;
	uint32_t from_pid;
	uint32_t to_pid;

	if (!cpu || !fg_task_split(l->task, &from, &from_pid) ||
	    !fg_task_split(l->text, &to, &to_pid))
		return;
	g->has_switches |= g->switch_cpu && g->switch_cpu != g->last_cpu;
	g->switch_cpu = g->last_cpu;
	if (cpu->task->key == 0)
		fg_name_anonymous(g, cpu, strings_add(strings, from), from_pid);
	else if (cpu->task->key != fg_task_key(g, cpu, from_pid))
		fg_count(g, FG_COUNT_SWITCH);
	fg_mark(g, MARK_TASK_SWITCH, cpu->lane, l->text, l);
	fg_run(g, cpu, strings_add(strings, to), to_pid);
	cpu->in_irq = false;
}

static void fg_apply_call(struct fg *g, const struct fg_line *l)
{
	struct fg_cpu *cpu = fg_place(g, l);
	uint32_t depth = l->has_depth ? l->depth : FG_DEPTH_FROM_TOP;
	uint64_t time = l->columns & FG_TIME ? l->time_ns : FG_TIME_UNKNOWN;
	uint32_t call;

	if (!cpu)
		return;
	if (!l->has_depth)
		fg_count(g, FG_COUNT_NO_INDENT);
	if (l->has_odd_indent)
		fg_count(g, FG_COUNT_ODD_INDENT);
	if (l->bad_duration)
		fg_count(g, FG_COUNT_BAD_DURATION);
	if (l->has_rest)
		fg_count(g, FG_COUNT_REST);
	if (l->kind == FG_CLOSE) {
		fg_close(g, cpu, depth, &l->tail, l->has_duration, l->dur_ns, time);
		return;
	}
	call = fg_add(g, cpu, fg_symbol(g, l->name), depth,
		      l->kind == FG_LEAF ? CALL_CLOSED | CALL_LEAF : CALL_OPEN);
	if (call == FG_NO_CALL)
		return;
	if (l->kind == FG_LEAF && l->has_duration)
		calls_set_duration(g->calls, call, l->dur_ns);
	if (time != FG_TIME_UNKNOWN)
		calls_set_start(g->calls, call, time);
	if (l->args.len)
		calls_set_args(g->calls, call, strings_add(&g->dossier->strings, l->args));
	fg_set_tail(g, call, &l->tail);
}

static void fg_apply_irq(struct fg *g, const struct fg_line *l, bool enters)
{
	struct fg_cpu *cpu = fg_place(g, l);

	if (!cpu)
		return;
	cpu->in_irq = enters;
	fg_mark(g, enters ? MARK_IRQ_ENTER : MARK_IRQ_EXIT, cpu->lane, STR_NONE, l);
}

void fg_apply(struct fg *g, const struct fg_line *l)
{
	struct fg_cpu *cpu;

	switch (l->kind) {
	case FG_OPEN:
	case FG_LEAF:
	case FG_CLOSE:
		fg_apply_call(g, l);
		break;
	case FG_EVENT:
		cpu = fg_place(g, l);
		if (cpu)
			fg_mark(g, MARK_EVENT, cpu->lane, l->text, l);
		break;
	case FG_IRQ_ENTER:
	case FG_IRQ_EXIT:
		fg_apply_irq(g, l, l->kind == FG_IRQ_ENTER);
		break;
	case FG_SWITCH:
		fg_apply_switch(g, l);
		break;
	case FG_LOST:
		fg_apply_lost(g, l);
		break;
	case FG_ELIDED:
		fg_count(g, FG_COUNT_ELIDED);
		fg_mark(g, MARK_ELIDED, g->cpus[g->last_cpu].lane, STR_NONE, l);
		fg_shorten(&g->cpus[g->last_cpu]);
		break;
	case FG_NOTE:
		fg_count(g, FG_COUNT_NOTE);
		break;
	default:
		break;
	}
}
