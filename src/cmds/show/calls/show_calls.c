/* SPDX-License-Identifier: MIT */
/*
 * show_calls.c - a function graph: its outermost calls, and its time by function, module and kind
 * of work
 */
#include "cmds/show/calls/show_calls.h"

#include "analyses/calls/call_gaps.h"
#include "analyses/calls/calls_away.h"
#include "analyses/calls/calls_summary.h"
#include "analyses/calls/hidden_calls.h"
#include "analyses/calls/retvals.h"
#include "analyses/categories.h"
#include "analyses/slow/slow_calls.h"
#include "analyses/tracer/tracer_cost.h"
#include "analyses/tracer/tracer_joint.h"
#include "base/out.h"
#include "base/plural.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/show/show.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/symbols.h"
#include "render/view.h"

#include <inttypes.h>
#include <math.h>

#define CALLS_ROWS_BRIEF   10u
#define CALLS_GROUPS_BRIEF 7u
#define CALLS_KINDS_BRIEF  9u
#define CALLS_BELOW_BRIEF  4u
#define CALLS_ROOTS_BRIEF  5u

/* Results of analyses that calls_tables() prints. */
struct calls_results {
	const struct tracer_joint *trace;
	const struct call_gaps *gaps;
	const struct slow_calls *slow;
	const struct retval_errors *errors;
};

static double calls_share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : (double)NAN;
}

static struct str calls_module_name(const struct show *s, const struct calls_module *m)
{
	return m->module.v  ? show_string(s, m->module)
	       : m->is_user ? STR("(program)")
			    : STR("(kernel)");
}

/*
 * The title of a column of durations. NULL if no call has a duration, for example because the trace
 * has only the entries of calls. Text then omits the column.
 */
static const char *calls_time_title(const struct calls_summary *sum, const char *title)
{
	return sum->root_total_ns || sum->self_total_ns ? title : NULL;
}

/*
 * A cell for time asleep or in interrupts. @why_not: the reason why the trace cannot show such
 * time; the cell is then null. NULL: the trace can show it.
 */
static struct cell calls_away(const char *why_not, uint64_t ns)
{
	return why_not ? cell_null() : cell_ns(ns);
}

/*
 * The title of a column for time asleep or in interrupts. NULL: text must omit the column. There
 * are three reasons: the page is the front page, the trace cannot show such time (@why_not), or the
 * time @ns is 0.
 */
static const char *calls_away_title(const struct show *s, const char *why_not, uint64_t ns,
				    const char *title)
{
	return s->is_brief || why_not || ns == 0 ? NULL : title;
}

static void calls_head(struct show *s, const struct capture *c, const struct calls_summary *sum)
{
	const struct calls *calls = c->calls;
	struct out what = { .fd = -1 };

	view_field(s->v, "calls", NULL, cell_count(sum->calls));
	view_field(s->v, "leaf", NULL, cell_count(sum->leaf));
	view_field(s->v, "nested", NULL, cell_count(sum->nested));
	view_field(s->v, "n_functions", NULL, cell_count(sum->functions.len));
	view_field(s->v, "max_depth", NULL, cell_count(sum->max_depth));
	view_field(s->v, "orphans", NULL, cell_count(sum->orphans));
	view_field(s->v, "unclosed", NULL, cell_count(sum->unclosed));
	view_field(s->v, "lost", NULL, cell_count(sum->lost_events));
	view_field(s->v, "after_loss", NULL, cell_count(sum->after_loss));
	view_field(s->v, "untimed", NULL, cell_count(sum->untimed));
	view_field(s->v, "total_ns", NULL, cell_ns(sum->root_total_ns));
	view_field(s->v, "self_ns", NULL, cell_ns(sum->self_total_ns));
	view_field(s->v, "asleep_ns", NULL,
		   calls_away(sum->away.asleep_why_not, sum->root_asleep_ns));
	view_field(s->v, "irq_ns", NULL, calls_away(sum->away.irq_why_not, sum->root_irq_ns));
	view_field(s->v, "tracer", NULL, show_name(s, calls->tracer));
	view_field(s->v, "options", NULL, show_name(s, calls->options));
	out_printf(&what,
		   "%" PRIu64 " call%s (%" PRIu64 " leaf, %" PRIu64 " nested) of %zu function%s",
		   sum->calls, plural(sum->calls), sum->leaf, sum->nested, sum->functions.len,
		   plural(sum->functions.len));
	out_printf(&what, ", depth 0 to %" PRIu32, sum->max_depth);
	if (calls->lanes.len > 1)
		out_printf(&what, ", %zu pairs of CPU and task", calls->lanes.len);
	if (sum->orphans)
		out_printf(&what, ", %" PRIu64 " without a start", sum->orphans);
	if (sum->unclosed)
		out_printf(&what, ", %" PRIu64 " without an end", sum->unclosed);
	if (sum->lost_events)
		out_printf(&what, ", %" PRIu64 " events lost", sum->lost_events);
	out_char(&what, '\0');
	if (sum->calls || sum->orphans || sum->unclosed || sum->lost_events)
		view_line(s->v, "What", "%s", what.data);
	out_fini(&what);
}

/*
 * Whether no call in the trace has callees. The table of outermost calls would then repeat the
 * table of functions.
 */
static bool calls_is_flat(const struct calls_summary *sum)
{
	return sum->max_depth == 0 && sum->roots.len == sum->functions.len;
}

static void calls_roots(struct show *s, const struct calls_summary *sum)
{
	const struct view_column columns[] = {
		{ "total_ns", calls_time_title(sum, "Total"), 0 },
		{ "calls", "Calls", 0 },
		{ "symbol", "Root", COLUMN_FLEX },
		{ "module", NULL, 0 },
		{ "line", "Line", 0 },
	};
	const struct view_table table = { .key = "roots",
					  .columns = columns,
					  .n_columns = ARRAY_LEN(columns),
					  .is_json_only = s->is_brief && (sum->roots.len == 1 ||
									  calls_is_flat(sum)) };
	size_t n = 0;

	view_table(s->v, &table);
	VEC_FOREACH (root, &sum->roots) {
		const struct symbol *sym = symbols_get(&s->session->dossier->symbols, root->sym);
		struct cell cells[] = {
			root->total_ns ? cell_ns(root->total_ns) : cell_null(),
			cell_count(root->calls),
			show_name(s, sym->name),
			show_name(s, sym->module),
			cell_line(root->line),
		};

		if (n++ >= show_rows(s, CALLS_ROOTS_BRIEF))
			break;
		view_row(s->v, cells);
	}
	view_table_end(s->v);
}

/*
 * Figures of a function after subtracting the tracing overhead. `self` and `total` are valid if
 * has_self and has_total are set.
 */
struct calls_corrected {
	struct tracer_span self;
	struct tracer_span total;
	bool has_self;
	bool has_total;
};

static struct calls_corrected calls_corrected(const struct tracer_joint *trace,
					      const struct calls_function *f)
{
	const struct hidden_calls *hidden = &trace->hidden;
	struct tracer_paid self = { .n = f->self_known, .below = f->children };
	struct tracer_paid total = { .n = f->topmost, .below = f->below - f->topmost };
	struct calls_corrected c = { .has_self = false };

	if (trace->cost.why_not)
		return c;
	if (hidden->levels) {
		self.hidden = hidden->selfs[f->sym.v];
		total.hidden = hidden->totals[f->sym.v];
	}
	c.has_self =
		tracer_cost_without(&trace->cost, TRACER_COST_SELF, f->self_ns, &self, &c.self);
	c.has_total =
		tracer_cost_without(&trace->cost, TRACER_COST_TOTAL, f->total_ns, &total, &c.total);
	return c;
}

static struct cell calls_ns(double ns)
{
	return cell_ns((uint64_t)llround(ns));
}

static void calls_functions(struct show *s, const struct tracer_joint *trace)
{
	const struct calls_summary *sum = trace->sum;
	const struct tracer_cost *cost = &trace->cost;
	bool brief = s->is_brief;
	const struct view_column columns[] = {
		{ "self_ns", calls_time_title(sum, "Self"), 0 },
		{ "self_pct", calls_time_title(sum, "Self %"), COLUMN_HEAT },
		{ NULL, brief ? "" : NULL, COLUMN_BAR | COLUMN_MINOR },
		{ "corrected_self_ns", cost->why_not ? NULL : "Net self",
		  brief ? 0u : COLUMN_MINOR },
		{ "corrected_self_low_ns", NULL, 0 },
		{ "corrected_self_high_ns", NULL, 0 },
		{ "total_ns", calls_time_title(sum, "Total"), 0 },
		{ "corrected_total_ns", brief || cost->why_not ? NULL : "Net total", COLUMN_MINOR },
		{ "corrected_total_low_ns", NULL, 0 },
		{ "corrected_total_high_ns", NULL, 0 },
		{ "asleep_ns",
		  calls_away_title(s, sum->away.asleep_why_not, sum->root_asleep_ns, "Asleep"),
		  COLUMN_NO_ZERO },
		{ "irq_ns", calls_away_title(s, sum->away.irq_why_not, sum->root_irq_ns, "In irq"),
		  COLUMN_NO_ZERO },
		{ "self_asleep_ns", NULL, 0 },
		{ "calls", "Calls", 0 },
		{ "min_ns", brief ? NULL : "Min", COLUMN_MINOR },
		{ "p50_ns", brief ? NULL : "p50", COLUMN_MINOR },
		{ "p99_ns", brief ? NULL : "p99", COLUMN_MINOR },
		{ "max_ns", "Max", brief ? COLUMN_MINOR : 0u },
		{ "symbol", "Function", COLUMN_FLEX },
		{ "module", "Module", COLUMN_FLEX },
		{ "category", brief ? NULL : "Kind of work", COLUMN_MINOR },
		{ "max_line", "Max at", 0 },
	};
	const struct view_table table = { .key = "functions",
					  .columns = columns,
					  .n_columns = ARRAY_LEN(columns),
					  .is_main = s->calls_by <= CALLS_BY_FUNCTION };
	size_t n = 0;

	view_table(s->v, &table);
	VEC_FOREACH (f, &sum->functions) {
		const struct symbol *sym = symbols_get(&s->session->dossier->symbols, f->sym);
		double share = calls_share(f->self_ns, sum->self_total_ns);
		struct calls_corrected net = calls_corrected(trace, f);
		struct cell cells[] = {
			f->self_known ? cell_ns(f->self_ns) : cell_null(),
			f->self_known ? cell_real(share, 2) : cell_null(),
			cell_real(share, 2),
			net.has_self ? calls_ns(net.self.ns) : cell_null(),
			net.has_self ? calls_ns(net.self.low_ns) : cell_null(),
			cost->why_not ? cell_null() : calls_ns(net.self.high_ns),
			f->timed ? cell_ns(f->total_ns) : cell_null(),
			net.has_total ? calls_ns(net.total.ns) : cell_null(),
			net.has_total ? calls_ns(net.total.low_ns) : cell_null(),
			cost->why_not ? cell_null() : calls_ns(net.total.high_ns),
			calls_away(sum->away.asleep_why_not, f->asleep_ns),
			calls_away(sum->away.irq_why_not, f->irq_ns),
			calls_away(sum->away.asleep_why_not, f->self_asleep_ns),
			cell_count(f->calls),
			f->timed ? cell_ns(f->min_ns) : cell_none(),
			f->timed ? cell_ns(f->p50_ns) : cell_none(),
			f->timed ? cell_ns(f->p99_ns) : cell_none(),
			f->timed ? cell_ns(f->max_ns) : cell_none(),
			show_name(s, sym->name),
			show_name(s, sym->module),
			cell_word(category_name(f->category)),
			cell_line(f->max_line),
		};

		if (n++ >= show_rows(s, CALLS_ROWS_BRIEF))
			break;
		view_row(s->v, cells);
	}
	view_table_end(s->v);
}

#define CALLS_GROUP_CELLS 10u

static void calls_group(struct show *s, const struct calls_summary *sum, struct cell name,
			struct cell shown, const struct calls_group *g)
{
	double share = calls_share(g->self_ns, sum->self_total_ns);
	struct cell cells[CALLS_GROUP_CELLS] = {
		sum->no_self < sum->calls ? cell_ns(g->self_ns) : cell_null(),
		cell_real(share, 2),
		cell_ns(g->total_ns),
		calls_away(sum->away.asleep_why_not, g->asleep_ns),
		calls_away(sum->away.irq_why_not, g->irq_ns),
		cell_count(g->calls),
		cell_count(g->topmost),
		cell_count(g->functions),
		name,
		shown,
	};

	view_row(s->v, cells);
}

static void calls_group_table(struct show *s, const struct calls_summary *sum, const char *key,
			      const char *name, const char *title, enum show_calls_by by, size_t n)
{
	const struct view_column columns[CALLS_GROUP_CELLS] = {
		{ "self_ns", calls_time_title(sum, "Self"), 0 },
		{ "self_pct", calls_time_title(sum, "Self %"), COLUMN_HEAT },
		{ "total_ns", calls_time_title(sum, "Total"), 0 },
		{ "asleep_ns",
		  calls_away_title(s, sum->away.asleep_why_not, sum->root_asleep_ns, "Asleep"),
		  COLUMN_NO_ZERO | COLUMN_MINOR },
		{ "irq_ns", calls_away_title(s, sum->away.irq_why_not, sum->root_irq_ns, "In irq"),
		  COLUMN_NO_ZERO | COLUMN_MINOR },
		{ "calls", "Calls", 0 },
		{ "topmost", NULL, 0 },
		{ "functions", NULL, 0 },
		{ name, NULL, 0 },
		{ NULL, title, COLUMN_FLEX },
	};

	view_table(s->v, &(struct view_table){ .key = key,
					       .columns = columns,
					       .n_columns = CALLS_GROUP_CELLS,
					       .is_main = s->calls_by == by,
					       /*
						* a single group would only show that it has 100 %
						*/
					       .is_json_only = s->is_brief && n == 1 });
}

static void calls_modules(struct show *s, const struct calls_summary *sum)
{
	size_t limit = show_rows(s, CALLS_GROUPS_BRIEF);

	calls_group_table(s, sum, "by_module", "module", "Module", CALLS_BY_MODULE,
			  sum->modules.len);
	for (size_t i = 0; i < sum->modules.len && i < limit; i++) {
		const struct calls_module *m = &sum->modules.data[i];
		struct cell name = cell_text(calls_module_name(s, m));

		calls_group(s, sum, name, name, &m->sum);
	}
	view_table_end(s->v);
}

/* Print rows for the kinds of work that are a part of the kind @top. Returns the number of rows. */
static size_t calls_categories_below(struct show *s, const struct calls_summary *sum,
				     const struct calls_category *top)
{
	size_t n = 0;

	VEC_FOREACH (cat, &sum->categories) {
		const char *name = category_name(cat->category);

		if (category_top(cat->category).v != top->category.v ||
		    cat->category.v == top->category.v)
			continue;
		if (s->is_brief && (n >= show_rows(s, CALLS_BELOW_BRIEF) ||
				    calls_share(cat->sum.self_ns, sum->self_total_ns) < 1))
			continue;
		calls_group(s, sum, cell_word(name),
			    cell_text(show_format(s, "  %s",
						  strchr(name, '/') ? strchr(name, '/') : name)),
			    &cat->sum);
		n++;
	}
	return n;
}

static void calls_categories(struct show *s, const struct calls_summary *sum)
{
	size_t n = 0;

	calls_group_table(s, sum, "by_category", "category", "Kind of work", CALLS_BY_CATEGORY,
			  sum->categories.len);
	VEC_FOREACH (cat, &sum->categories) {
		const char *name = category_name(cat->category);

		if (category_top(cat->category).v != cat->category.v)
			continue;
		if (n >= show_rows(s, CALLS_KINDS_BRIEF))
			break;
		calls_group(s, sum, cell_word(name), cell_word(name), &cat->sum);
		n += 1 + calls_categories_below(s, sum, cat);
	}
	view_table_end(s->v);
}

static struct str calls_lane_text(struct show *s, const struct call_lane *lane, bool by_task)
{
	if (!by_task)
		return show_format(s, "%" PRIu16, lane->cpu);
	return lane->has_pid ? show_format(s, STR_FMT "-%" PRIu32,
					   STR_ARG(show_string(s, lane->comm)), lane->pid)
			     : show_string(s, lane->comm);
}

/*
 * Print the table by task, or by CPU. A table with a single row is printed only if --by requests
 * it.
 */
static void calls_lanes(struct show *s, const struct calls *c, const struct calls_summary *sum,
			bool by_task)
{
	const struct calls_lane_sum *rows = by_task ? sum->tasks.data : sum->cpus.data;
	size_t n = by_task ? sum->tasks.len : sum->cpus.len;
	enum show_calls_by by = by_task ? CALLS_BY_TASK : CALLS_BY_CPU;

	if (n <= 1 && s->calls_by != by)
		return;
	calls_group_table(s, sum, by_task ? "by_task" : "by_cpu", by_task ? "task" : "cpu",
			  by_task ? "Task" : "CPU", by, n);
	for (size_t i = 0; i < n && i < (show_rows(s, CALLS_GROUPS_BRIEF)); i++) {
		struct cell name =
			cell_text(calls_lane_text(s, &c->lanes.data[rows[i].lane], by_task));

		calls_group(s, sum, name, name, &rows[i].sum);
	}
	view_table_end(s->v);
	if (n == 0)
		view_line(s->v, NULL, "the trace does not name %s", by_task ? "tasks" : "CPUs");
}

/* Print all tables, or the table that --by requests. */
static void calls_tables(struct show *s, const struct capture *c, const struct calls_summary *sum,
			 const struct calls_results *results)
{
	switch (s->calls_by) {
	case CALLS_BY_ALL:
		break;
	case CALLS_BY_FUNCTION:
		calls_functions(s, results->trace);
		return;
	case CALLS_BY_MODULE:
		calls_modules(s, sum);
		return;
	case CALLS_BY_CATEGORY:
		calls_categories(s, sum);
		return;
	case CALLS_BY_TASK:
	case CALLS_BY_CPU:
		calls_lanes(s, c->calls, sum, s->calls_by == CALLS_BY_TASK);
		return;
	case CALLS_BY_SLOW:
		show_each_slow_call(s, c, results->slow);
		show_slow_calls(s, c, results->slow);
		return;
	}
	calls_roots(s, sum);
	if (!s->is_brief)
		calls_functions(s, results->trace);
	show_call_gaps(s, c, results->gaps);
	show_slow_calls(s, c, results->slow);
	show_retval_errors(s, results->errors);
	show_call_events(s, c);
	view_side_by_side(s->v);
	calls_modules(s, sum);
	calls_categories(s, sum);
	view_side_by_side_end(s->v);
	if (s->is_brief)
		return;
	view_side_by_side(s->v);
	calls_lanes(s, c->calls, sum, true);
	calls_lanes(s, c->calls, sum, false);
	view_side_by_side_end(s->v);
}

/* Print sentences about the accuracy of the figures, then the tables. */
static void calls_page(struct show *s, const struct capture *c, const struct tracer_joint *trace)
{
	const struct calls_summary *sum = trace->sum;
	struct call_gaps gaps;
	struct slow_calls slow;
	struct retval_errors errors;
	struct calls_results results = { trace, &gaps, &slow, &errors };

	call_gaps_find(c, sum, &trace->cost, &gaps);
	slow_calls_find(c, sum, &trace->cost, &slow);
	retval_errors_find(c, &errors);
	if (s->is_brief) /* the front page begins with the table of functions */
		calls_functions(s, trace);
	calls_head(s, c, sum);
	show_tracer_cost(s, trace);
	show_call_gaps_text(s, c, &gaps);
	show_unseen(s, c, sum, &trace->cost);
	show_slow_calls_text(s, c, &slow);
	if (s->call_tree)
		show_call_tree(s, trace);
	if (!s->call_tree || s->is_budget)
		calls_tables(s, c, sum, &results);
	retval_errors_fini(&errors);
	slow_calls_fini(&slow);
	call_gaps_fini(&gaps);
}

int show_calls(struct show *s, uint32_t capture, struct error *err)
{
	const struct capture *c = s->session->dossier->captures.data[capture];
	struct calls_summary sum;
	struct tracer_joint trace = { .capture = c, .sum = &sum };
	int r;

	if (s->joint && s->joint[capture].sum) {
		calls_page(s, c, &s->joint[capture]);
		return OK;
	}
	r = calls_summary_compute(c, &s->session->cats, &sum, err);
	if (r < 0)
		return r;
	if (s->tracer_cost)
		tracer_cost_take(c, &sum, s->tracer_cost, &trace.cost);
	else
		tracer_cost_estimate(c, &sum, &trace.cost);
	tracer_joint_solve(&trace, 1, SIZE_MAX);
	calls_page(s, c, &trace);
	tracer_joint_fini(&trace);
	calls_summary_fini(&sum);
	return OK;
}
