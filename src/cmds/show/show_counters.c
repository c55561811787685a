/* SPDX-License-Identifier: MIT */
/* show_counters.c - the counters of a capture, and ratios between them */
#include "analyses/counters/counter_metrics.h"
#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/run/session.h"
#include "cmds/show/show.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "render/view.h"

#include <inttypes.h>
#include <math.h>

#define COUNTERS_BRIEF 24u
/* Limits of the grid of the front page: number of counters, of columns with values, and of rows. */
#define GRID_COUNTERS 4096u
#define GRID_COLUMNS  6u
#define GRID_ROWS     10u
/* a line of counters that has at least this many bytes gets no further counter */
#define GRID_LINE 240u
/*
 * columns that show how busy a device, CPU, task or step of a query plan is, or how long it takes
 */
#define GRID_BUSY                                                                                  \
	"r/s|w/s|*await|aqu-sz|avgqu-sz|%util|%usr|%user|%sys|%system|%iowait|%idle|%CPU|RSS|%MEM" \
	"|rows removed|own time"
/* if a tree has too many rows, the rows with most of this time are printed */
#define GRID_TREE_TIME "own time"

static struct cell counters_value(const struct counter *k)
{
	if (k->state != COUNTER_COUNTED)
		return cell_null();
	return k->decimals == 0 && k->value >= 0 ? cell_count((uint64_t)k->value)
						 : cell_fixed(k->value, k->decimals);
}

/*
 * The value of a counter as text for people. @unit: the unit of @k; @ret_unit: the unit to print.
 * Nanoseconds from 1 ms on become ms or s. Seconds with more than six decimals, as perf prints
 * them, lose the last decimals, which are noise.
 */
static struct cell counters_for_people(const struct counter *k, struct str unit,
				       struct str *ret_unit)
{
	struct cell cell = counters_value(k);
	double value = counter_value(k);

	*ret_unit = unit;
	if (k->state != COUNTER_COUNTED)
		return cell;
	if (str_eq(unit, STR("ns")) && value >= 1e6) {
		*ret_unit = value < 1e9 ? STR("ms") : STR("s");
		return cell_real(value / (value < 1e9 ? 1e6 : 1e9), 3);
	}
	if (str_eq(unit, STR("seconds")) && k->decimals > 6)
		return k->value ? cell_real(value, value < 1 ? 6 : 4) : cell_count(0);
	return cell;
}

static struct cell counters_positive(double v, int shown)
{
	return v >= 0 ? cell_real(v, shown) : cell_none();
}

static void counters_row(struct show *s, const struct capture *c, const struct counter *row)
{
	const struct counters *k = c->counters;
	bool is_series = k->n_intervals > 1;
	bool is_text = !s->session->to.is_json && !s->session->to.is_csv;
	struct str unit = row->unit.v ? show_string(s, row->unit) : STR_NONE;
	struct cell value = is_text ? counters_for_people(row, unit, &unit) : counters_value(row);
	struct cell cells[] = {
		show_name(s, row->name),
		row->key.v ? show_name(s, row->key) : cell_none(),
		is_series && row->time_ns ? cell_real((double)row->time_ns / 1e9, 3) : cell_none(),
		is_series && !row->time_ns ? cell_count(row->interval + 1) : cell_none(),
		value,
		unit.len ? cell_text(unit) : cell_none(),
		counters_positive(row->spread, 2),
		counters_positive(row->running, 2),
		row->state == COUNTER_NOT_COUNTED     ? cell_word("not counted")
		: row->state == COUNTER_NOT_SUPPORTED ? cell_word("not supported")
		: counter_metrics_is_unseen(c, row)   ? cell_word("not measured")
						      : cell_none(),
		row->comment.v ? show_name(s, row->comment) : cell_none(),
		cell_line(row->line),
		k->is_threads && row->task ? cell_count(row->task) : cell_none(),
	};

	view_row(s->v, cells);
}

static void counters_rows(struct show *s, const struct capture *c)
{
	const struct counters *k = c->counters;
	static const struct view_column columns[] = {
		{ "name", "Counter", COLUMN_FLEX },
		{ "key", "Of", 0 },
		{ "time_s", "At s", COLUMN_RIGHT | COLUMN_MINOR },
		{ "interval", "Snapshot", COLUMN_RIGHT | COLUMN_MINOR },
		{ "value", "Value", COLUMN_RIGHT },
		{ "unit", "Unit", 0 },
		{ "spread_pct", "± %", COLUMN_RIGHT },
		{ "running_pct", "Ran %", COLUMN_RIGHT | COLUMN_MINOR },
		{ "state", "", 0 },
		{ "comment", NULL, 0 },
		{ "line", "Line", 0 },
		{ "tid", "TID", COLUMN_RIGHT },
	};
	/* only a table of threads has the last column */
	const struct view_table table = { .key = "counters",
					  .columns = columns,
					  .n_columns = ARRAY_LEN(columns) - !k->is_threads,
					  .is_main = true };
	size_t n = 0;

	view_table(s->v, &table);
	VEC_FOREACH (row, &k->rows) {
		if (n++ >= show_rows(s, COUNTERS_BRIEF))
			break;
		counters_row(s, c, row);
	}
	view_table_end(s->v);
	if (k->rows.len > show_rows(s, COUNTERS_BRIEF))
		view_line(s->v, NULL, "%zu more: assay report " STR_FMT,
			  k->rows.len - COUNTERS_BRIEF, STR_ARG(show_file(s)));
}

/*
 * A row of the grid. The front page shows counters in a grid, as tools print them: a row for each
 * object and snapshot, a column for each counter.
 */
struct grid_row {
	str_id key;
	uint32_t task;
	uint64_t time_ns;
	uint32_t interval;
	uint32_t line;
	uint32_t at;   /* index of the row before sorting */
	uint32_t rank; /* rank of the object; objects with the highest ratios are first */
	bool is_hidden;
};

struct grid_name {
	str_id name;
	str_id unit;
	bool is_set; /* some value of the counter is not 0 */
	/* the counter belongs to an object, such as a CPU or device, in at least one row */
	bool is_keyed;
	bool is_ratio; /* a ratio uses the counter */
	bool is_busy;  /* the counter shows how busy the object is (GRID_BUSY) */
	bool is_whole; /* all values are integers */
	bool is_shown;
};

struct grid {
	VEC(struct grid_row) rows;
	VEC(struct grid_name) names;
	/* cells[row * names.len + name]: index of the counter + 1; 0: no counter */
	uint32_t *cells;
	uint32_t *row_of; /* for each counter, the index of its row */
	uint32_t *name_of;
	/*
	 * the rows are steps of a query plan. Steps may have the same name, so each line is a row
	 */
	bool is_tree;
	bool is_by_line; /* several lines of an interval have the same key: each line is a row */
};

static uint32_t grid_row(struct grid *g, const struct counter *k)
{
	/* search from the end: the counters of a row are mostly next to each other */
	for (size_t i = g->rows.len; i-- > 0;) {
		const struct grid_row *row = &g->rows.data[i];

		if (row->key.v == k->key.v && row->interval == k->interval &&
		    (row->line == k->line || !(g->is_tree || g->is_by_line) || !k->key.v))
			return (uint32_t)i;
	}
	*VEC_PUSH(&g->rows) = (struct grid_row){
		.key = k->key,
		.task = k->task,
		.time_ns = k->time_ns,
		.interval = k->interval,
		.line = k->line,
	};
	g->rows.data[g->rows.len - 1].at = (uint32_t)g->rows.len - 1;
	return (uint32_t)g->rows.len - 1;
}

static uint32_t grid_name(struct grid *g, const struct counter *k)
{
	for (size_t i = 0; i < g->names.len; i++) {
		if (g->names.data[i].name.v == k->name.v)
			return (uint32_t)i;
	}
	*VEC_PUSH(&g->names) =
		(struct grid_name){ .name = k->name, .unit = k->unit, .is_whole = true };
	return (uint32_t)g->names.len - 1;
}

/* Whether two lines of an interval have a counter of the same name for the same object. */
static bool grid_has_twins(const struct grid *g, const struct counters *k)
{
	bool *is_taken = xcalloc(g->rows.len * g->names.len, sizeof(*is_taken));
	bool ret = false;

	for (size_t i = 0; i < k->rows.len && !ret; i++) {
		bool *cell = &is_taken[g->row_of[i] * g->names.len + g->name_of[i]];

		ret = *cell && k->rows.data[i].key.v &&
		      k->rows.data[i].line != g->rows.data[g->row_of[i]].line;
		*cell = true;
	}
	free(is_taken);
	return ret;
}

/* Collect the rows and columns of the grid. False: a grid is not suitable for the counters. */
static bool grid_build(struct grid *g, const struct counters *k)
{
	size_t n = k->rows.len;

	*g = (struct grid){ .cells = NULL };
	if (n < 2 || n > GRID_COUNTERS)
		return false;
	VEC_FOREACH (c, &k->rows)
		g->is_tree |= c->above != 0;
	g->row_of = xcalloc(n, sizeof(*g->row_of));
	g->name_of = xcalloc(n, sizeof(*g->name_of));
	for (size_t i = 0; i < n; i++) {
		const struct counter *c = &k->rows.data[i];

		g->row_of[i] = grid_row(g, c);
		g->name_of[i] = grid_name(g, c);
		g->names.data[g->name_of[i]].is_keyed |= c->key.v != 0;
		g->names.data[g->name_of[i]].is_set |= c->state == COUNTER_COUNTED && c->value;
		g->names.data[g->name_of[i]].is_whole &=
			floor(counter_value(c)) == counter_value(c);
		if (c->state != COUNTER_COUNTED || c->spread >= 0 || c->running >= 0)
			return false;
	}
	/*
	 * A grid is useful only if most objects have most counters. This does not apply to query
	 * plans, because each kind of step has its own counters.
	 */
	if (g->rows.len < 2 || g->names.len < 2 ||
	    (!g->is_tree && 2 * n < g->rows.len * g->names.len))
		return false;
	if (!g->is_tree && grid_has_twins(g, k)) {
		g->is_by_line = true;
		g->rows.len = 0;
		for (size_t i = 0; i < n; i++)
			g->row_of[i] = grid_row(g, &k->rows.data[i]);
		if (2 * n < g->rows.len * g->names.len)
			return false;
	}
	g->cells = xcalloc(g->rows.len * g->names.len, sizeof(*g->cells));
	for (size_t i = 0; i < n; i++)
		g->cells[g->row_of[i] * g->names.len + g->name_of[i]] = (uint32_t)i + 1;
	return true;
}

static void grid_fini(struct grid *g)
{
	VEC_FREE(&g->rows);
	VEC_FREE(&g->names);
	free(g->cells);
	free(g->row_of);
	free(g->name_of);
}

static int grid_compare(const void *a, const void *b)
{
	const struct grid_row *x = a;
	const struct grid_row *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->interval != y->interval)
		return x->interval < y->interval ? -1 : 1;
	return x->at < y->at ? -1 : 1;
}

/*
 * The index in s->cited of line @line of @c. If no finding cites the line, the length of s->cited.
 */
static uint32_t grid_cited(const struct show *s, const struct capture *c, uint32_t line)
{
	uint32_t ret = 0;

	while (ret < s->cited.len &&
	       (s->cited.data[ret].capture != c || s->cited.data[ret].line != line))
		ret++;
	return ret;
}

/*
 * Sort the rows. If there is one snapshot, rows that findings cite are first. Next are the objects
 * with the highest ratios (@m), then the others in the printed order. If there are several
 * snapshots, citations do not matter, because the rows of an object must stay together.
 */
static void grid_sort(const struct show *s, struct grid *g, const struct capture *c,
		      const struct counter_metrics *m)
{
	bool is_series = c->counters->n_intervals > 1;

	for (size_t i = 0; i < g->rows.len; i++) {
		struct grid_row *row = &g->rows.data[i];
		uint32_t cited = is_series ? 0 : grid_cited(s, c, row->line);
		uint32_t rank = 0;

		while (rank < m->n && !(row->key.v && m->rows[rank].key.v == row->key.v &&
					m->rows[rank].value != 0))
			rank++;
		for (size_t k = 0; rank >= m->n && g->rows.data[k].key.v != row->key.v; k++)
			rank++;
		if (!is_series)
			rank = cited < s->cited.len ? cited : rank + (uint32_t)s->cited.len;
		row->rank = g->is_tree ? row->at : rank; /* steps of a plan stay in their order */
	}
	VEC_SORT(&g->rows, grid_compare);
}

/* The value of the counter @name of row @at; -1: none. */
static double grid_value(const struct show *s, const struct counters *k, const struct grid *g,
			 uint32_t at, struct str name)
{
	for (size_t c = 0; c < g->names.len; c++) {
		uint32_t cell = g->cells[at * g->names.len + c];

		if (cell && str_eq(show_string(s, g->names.data[c].name), name))
			return counter_value(&k->rows.data[cell - 1]);
	}
	return -1;
}

/* Whether row @at has a value in a shown column. */
static bool grid_has_values(const struct grid *g, uint32_t at)
{
	for (size_t c = 0; c < g->names.len; c++) {
		if (g->names.data[c].is_shown && g->cells[at * g->names.len + c])
			return true;
	}
	return false;
}

/*
 * Hide rows without a value to show. If more than GRID_ROWS rows remain, hide more: in a tree, the
 * rows with the least time of their own, otherwise the last rows. Returns how many rows were hidden
 * because of GRID_ROWS.
 */
static size_t grid_hide(const struct show *s, const struct counters *k, struct grid *g,
			bool has_keys)
{
	size_t n = 0, hidden = 0;

	VEC_FOREACH (row, &g->rows) {
		row->is_hidden = (has_keys && !row->key.v) || !grid_has_values(g, row->at);
		n += !row->is_hidden;
	}
	for (; n > GRID_ROWS; n--, hidden++) {
		struct grid_row *least = NULL;
		double of = 0;

		VEC_FOREACH (row, &g->rows) {
			double v =
				g->is_tree ? grid_value(s, k, g, row->at, STR(GRID_TREE_TIME)) : 0;

			if (!row->is_hidden && (!least || v <= of)) {
				least = row;
				of = v;
			}
		}
		least->is_hidden = true;
	}
	return hidden;
}

/* Whether a row belongs to an object. */
static bool grid_has_keys(const struct grid *g)
{
	VEC_FOREACH (row, &g->rows) {
		if (row->key.v)
			return true;
	}
	return false;
}

/*
 * Choose the columns to show. If there are too many, prefer those that ratios use, then those of
 * GRID_BUSY.
 */
static void grid_choose(const struct show *s, struct grid *g, const struct counter_metrics *m)
{
	bool has_keys = grid_has_keys(g);
	size_t n_set = 0, n = 0;

	VEC_FOREACH (name, &g->names) {
		name->is_set &= name->is_keyed || !has_keys;
		n_set += name->is_set;
		for (size_t i = 0; i < m->n; i++)
			name->is_ratio |= m->rows[i].name.v == name->name.v;
		name->is_busy = str_glob(STR(GRID_BUSY), show_string(s, name->name));
	}
	for (unsigned int pass = 0; pass < 3; pass++) {
		VEC_FOREACH (name, &g->names) {
			if (name->is_shown || !name->is_set || n >= GRID_COLUMNS ||
			    (pass == 0 && n_set > GRID_COLUMNS && !name->is_ratio) ||
			    (pass == 1 && n_set > GRID_COLUMNS && !name->is_busy))
				continue;
			name->is_shown = true;
			n++;
		}
	}
}

/*
 * The unit of a column: the printed unit or, if none was printed, the unit that the tool documents.
 * Empty: there is none, or it is unknown.
 */
static struct str grid_unit(struct show *s, const struct counters *k, const struct grid_name *name)
{
	static const struct {
		const char *tool;
		const char *names;
		const char *unit;
	} units[] = {
		{ "pidstat", "VSZ|RSS|StkSize|StkRef", "kB" }, /* pidstat(1) */
		{ "vmstat", "swpd|free|buff|cache|inact|active", "KiB" },
		{ "iostat|sar", "*await", "ms" },
	};

	if (name->unit.v)
		return show_string(s, name->unit);
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (str_glob(str_of(units[i].tool), show_string(s, k->tool)) &&
		    str_glob(str_of(units[i].names), show_string(s, name->name)))
			return str_of(units[i].unit);
	}
	return STR_NONE;
}

/*
 * If only some counters have an object, print the counters without an object in one line: "planning
 * time 0.372 ms".
 */
static void grid_unkeyed(struct show *s, const struct counters *k, const struct grid *g)
{
	struct out text = { .fd = -1 };

	for (size_t i = 0; i < k->rows.len && grid_has_keys(g); i++) {
		const struct counter *row = &k->rows.data[i];
		struct str unit = show_string(s, row->unit);

		if (!row->key.v && text.len < GRID_LINE)
			out_printf(&text, "%s" STR_FMT " %.*f%s" STR_FMT, text.len ? ", " : "",
				   STR_ARG(show_string(s, row->name)), row->decimals,
				   counter_value(row), unit.len ? " " : "", STR_ARG(unit));
	}
	if (text.len)
		view_line(s->v, "Counters", STR_FMT, STR_ARG(out_view(&text)));
	out_fini(&text);
}

/*
 * The cell of the counter with index @at - 1. If @at is 0, the cell is empty. In a query plan,
 * whole numbers without a unit, such as numbers of rows, are printed without ".00".
 */
static struct cell grid_cell(const struct counters *k, const struct grid *g, uint32_t at,
			     const struct grid_name *name)
{
	if (!at)
		return cell_none();
	if (g->is_tree && name->is_whole && !name->unit.v)
		return cell_count((uint64_t)counter_value(&k->rows.data[at - 1]));
	return counters_value(&k->rows.data[at - 1]);
}

static void grid_show(struct show *s, const struct counters *k, struct grid *g)
{
	struct view_column columns[GRID_COLUMNS + 4];
	struct cell cells[GRID_COLUMNS + 4];
	struct view_table table = { .columns = columns };
	bool is_series = k->n_intervals > 1;
	size_t hidden_rows = grid_hide(s, k, g, grid_has_keys(g));
	size_t n = 0, hidden = 0;

	columns[n++] = (struct view_column){ NULL, k->is_threads ? "Thread" : "Of", COLUMN_FLEX };
	columns[n++] = (struct view_column){ NULL, k->is_threads ? "TID" : NULL, COLUMN_RIGHT };
	columns[n++] = (struct view_column){ NULL,
					     !is_series                ? NULL
					     : g->rows.data[0].time_ns ? "At s"
								       : "Snapshot",
					     COLUMN_RIGHT };
	VEC_FOREACH (name, &g->names) {
		struct str unit = grid_unit(s, k, name);

		hidden += name->is_set && !name->is_shown;
		if (name->is_shown)
			columns[n++] = (struct view_column){
				NULL,
				show_format(s, STR_FMT "%s" STR_FMT,
					    STR_ARG(show_string(s, name->name)),
					    unit.len ? " " : "", STR_ARG(unit))
					.p,
				COLUMN_RIGHT
			};
	}
	columns[n++] = (struct view_column){ NULL, "Line", COLUMN_MINOR };
	table.n_columns = (unsigned int)n;
	view_table(s->v, &table);
	VEC_FOREACH (row, &g->rows) {
		if (row->is_hidden)
			continue;
		n = 0;
		cells[n++] = row->key.v ? show_name(s, row->key) : cell_none();
		cells[n++] = k->is_threads && row->task ? cell_count(row->task) : cell_none();
		cells[n++] = !is_series     ? cell_none()
			     : row->time_ns ? cell_real((double)row->time_ns / 1e9, 3)
					    : cell_count(row->interval + 1);
		for (size_t c = 0; c < g->names.len; c++) {
			uint32_t at = g->cells[row->at * g->names.len + c];

			if (g->names.data[c].is_shown)
				cells[n++] = grid_cell(k, g, at, &g->names.data[c]);
		}
		cells[n++] = cell_line(row->line);
		view_row(s->v, cells);
	}
	view_table_end(s->v);
	if (hidden_rows || hidden) {
		view_line(s->v, NULL, "%s%s" STR_FMT ": assay report " STR_FMT,
			  hidden_rows ? show_plural(s, hidden_rows, "more row", "more rows").p : "",
			  hidden_rows && hidden ? ", " : "",
			  STR_ARG(hidden ? show_plural(s, hidden, "more counter", "more counters")
					 : STR("")),
			  STR_ARG(show_file(s)));
		s->has_path = true;
	}
	grid_unkeyed(s, k, g);
}

/*
 * Print the counters as a grid. False: nothing was printed, because a grid is not suitable, or
 * because only text on the front page has a grid.
 */
static bool counters_grid(struct show *s, const struct capture *c)
{
	struct counter_metrics m;
	struct grid g;
	bool is_grid;

	if (!s->is_brief || s->is_budget || s->session->to.is_json || s->session->to.is_csv)
		return false;
	is_grid = grid_build(&g, c->counters);
	if (is_grid) {
		counter_metrics_compute(c, &m);
		grid_choose(s, &g, &m);
		grid_sort(s, &g, c, &m);
		grid_show(s, c->counters, &g);
	}
	grid_fini(&g);
	return is_grid;
}

/*
 * The title of a ratio as a noun: "share of a CPU". If the ratio assumes a cost, the title includes
 * it: "cycles lost, at 15 each (10 to 25)".
 */
static struct str counters_title(struct show *s, const struct counter_metric_def *def)
{
	struct str title = str_of(def->title);

	if (str_glob(STR("of a *|of the *|of all *"), title))
		return show_format(s, "share " STR_FMT, STR_ARG(title));
	str_take(&title, STR("of "));
	return def->cost > 0 ? show_format(s, STR_FMT ", at %g each (%g to %g)", STR_ARG(title),
					   def->cost, def->cost_low, def->cost_high)
			     : title;
}

/* maximum number of words that a table's name may have on the front page */
#define COUNTERS_NAME_WORDS 7u
#define RATIO_DECIMALS      6 /* maximum number of decimals of a ratio */

/*
 * Number of decimals of a ratio: three significant digits from 0.1 on, and at least two for a
 * smaller ratio. "0.00 %" of two million events would look like no event at all.
 */
static int counters_decimals(const struct counter_metric *m)
{
	double x = m->value;
	int decimals = 2;

	if (counter_metric_is_whole(m))
		return 0;
	if (x >= 10)
		return x < 100 ? 1 : 0;
	while (x > 0 && x < 0.0995 && decimals < RATIO_DECIMALS) {
		x *= 10;
		decimals++;
	}
	return decimals;
}

/*
 * Whether an earlier row of @m prints the same text as row @at. For example, the same task may have
 * the highest value of two ratios with the same title.
 */
static bool counters_is_repeated(const struct counter_metrics *m, size_t at)
{
	const struct counter_metric *x = &m->rows[at];

	for (size_t i = 0; i < at; i++) {
		const struct counter_metric *y = &m->rows[i];

		if (x->key.v && x->key.v == y->key.v && x->line == y->line &&
		    x->value == y->value && str_eq(str_of(x->def->title), str_of(y->def->title)) &&
		    str_eq(str_of(x->def->unit), str_of(y->def->unit)))
			return true;
	}
	return false;
}

static void counters_metrics(struct show *s, const struct capture *c)
{
	static const struct view_column columns[] = {
		{ "id", NULL, 0 },
		{ "metric", "Ratio", COLUMN_FLEX },
		{ "value", "Value", COLUMN_RIGHT },
		{ "low", "From", COLUMN_RIGHT },
		{ "high", "To", COLUMN_RIGHT },
		{ "unit", "Unit", 0 },
		{ "key", "Highest", COLUMN_MINOR },
	};
	static const struct view_table table = { .key = "ratios",
						 .columns = columns,
						 .n_columns = ARRAY_LEN(columns) };
	struct counter_metrics m;
	bool is_text = !s->session->to.is_json && !s->session->to.is_csv;

	counter_metrics_compute(c, &m);
	if (m.n) {
		view_table(s->v, &table);
		for (size_t i = 0; i < m.n; i++) {
			const struct counter_metric *x = &m.rows[i];
			bool has_interval = x->high > x->low;
			/* like columns of the grid, ratios of 0 are omitted on the front page */
			bool is_hidden = (s->is_brief && !s->is_budget && is_text &&
					  x->value == 0 && x->high == 0) ||
					 (is_text && counters_is_repeated(&m, i));
			struct cell cells[] = {
				cell_word(x->def->id),
				cell_text(counters_title(s, x->def)),
				cell_real(x->value, counters_decimals(x)),
				has_interval ? cell_real(x->low, x->value < 10 ? 3 : 1)
					     : cell_none(),
				has_interval ? cell_real(x->high, x->value < 10 ? 3 : 1)
					     : cell_none(),
				cell_word(x->def->unit),
				x->key.v ? show_name(s, x->key) : cell_none(),
			};

			if (!is_hidden)
				view_row(s->v, cells);
		}
		view_table_end(s->v);
	}
}

static size_t counters_words(struct str text)
{
	struct str word;
	size_t n = 0;

	while (str_word(&text, &word))
		n++;
	return n;
}

void show_counters(struct show *s, const struct capture *c)
{
	const struct counters *k = c->counters;
	struct str label = k->label.v ? show_string(s, k->label) : STR_NONE;

	view_field(s->v, "tool", NULL, show_name(s, k->tool));
	view_field(s->v, "label", NULL, k->label.v ? show_name(s, k->label) : cell_none());
	view_field(s->v, "runs", NULL, k->runs ? cell_count(k->runs) : cell_none());
	view_field(s->v, "intervals", NULL, cell_count(k->n_intervals));
	/* a longer label is probably a sentence above the table, not a name */
	if (label.len && !(s->is_brief && counters_words(label) > COUNTERS_NAME_WORDS))
		view_line(s->v, "Name", STR_FMT, STR_ARG(label));
	if (k->runs > 1)
		view_line(s->v, "Runs", "means of %" PRIu32 " runs", k->runs);
	if (!counters_grid(s, c))
		counters_rows(s, c);
	counters_metrics(s, c);
}
