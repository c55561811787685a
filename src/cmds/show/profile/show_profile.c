/* SPDX-License-Identifier: MIT */
/* show_profile.c - a profile: its table of rows, and sums by command, object and kind of work */
#include "cmds/show/profile/show_profile.h"

#include "analyses/categories.h"
#include "analyses/event_unit.h"
#include "analyses/memory_access.h"
#include "analyses/top/top.h"
#include "base/arena.h"
#include "base/out.h"
#include "base/stats.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/risk/heat.h"
#include "cmds/run/session.h"
#include "cmds/show/show.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/profile_inclusive.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "metrics/risk.h"
#include "render/view.h"
#include "transform/off_cpu.h"
#include "transform/recover.h"

#include <inttypes.h>
#include <math.h>

#define PROFILE_ROWS_BRIEF 10u
/* if at least this many rows are printed, a note says how to print fewer */
#define PROFILE_ROWS_LONG    200u
#define PROFILE_GROUPS_BRIEF 7u
/* text omits groups with a share (percent) below this value, which two decimals show as 0 */
#define PROFILE_GROUPS_ZERO 0.005
/* if view_budget() chooses the rows, omit groups with a share (percent) below this value */
#define PROFILE_GROUPS_LEAST 0.05
/*
 * factor by which view_weigh() multiplies the worth of a row in a table of shares by command,
 * object or kind of work
 */
#define PROFILE_GROUPS_WORTH 0.3
/*
 * with more samples than this, the front page has no shares with callees, because computing them is
 * slow
 */
#define PROFILE_CHILDREN_SAMPLES 5000000u

const char *show_profile_samples_title(const struct profile *p)
{
	return p->has_n_samples || p->table.rows.len ? "Samples" : "Stacks";
}

void show_profile_column(struct profile_columns *cols, const char *key, const char *title,
			 unsigned int flags)
{
	cols->columns[cols->n++] = (struct view_column){ key, title, flags };
}

struct cell show_profile_pct(double pct, double err)
{
	return cell_with_err(cell_real(pct, 2), err);
}

struct cell show_profile_share(const struct show *s, double pct, double err)
{
	return cell_with_err(cell_real(pct, s->is_brief ? (int)s->decimals : 2), err);
}

/*
 * Number of decimals that the number of samples justifies for percentages. For printed reports, it
 * is always two.
 */
static unsigned int profile_decimals(const struct profile *p)
{
	uint64_t n = p->has_n_samples ? p->n_samples : profile_count_samples(p);

	/* without a unit, the weights of stacks are probably numbers of samples */
	if (!p->has_n_samples && (p->unit == WEIGHT_UNKNOWN || p->unit == WEIGHT_SAMPLES)) {
		n = 0;
		VEC_FOREACH (weight, &p->samples.weight)
			n += *weight;
	}
	if (p->table.rows.len || p->is_complete || n >= 10000)
		return 2;
	return n >= 1000 ? 1 : 0;
}

/*
 * Whether text shows the table. A table needs at least two rows. A table of CPUs needs only one if
 * view_budget() chooses the rows.
 */
static bool profile_is_informative(const struct show *s, const struct top *top)
{
	size_t n = 0;

	VEC_FOREACH (row, &top->rows)
		n += row->self_pct >= 0.01;
	/*
	 * A single CPU may be the cause of a problem, so its row is shown. A single row of any
	 * other table would only show 100 %.
	 */
	return s->is_brief && n > (s->is_budget && top->keys[0].key == TOP_CPU ? 0 : 1);
}

/*
 * Print a table whose rows have one key, such as by_dso. @of: specification of the main table. If
 * the main table has shares with callees, this table has them, too.
 */
static void profile_by(struct show *s, const struct capture *c, const struct top_spec *of,
		       enum top_key key, const char *table_key, const char *title)
{
	const struct top_spec spec = { .keys = { { .key = key } },
				       .n_keys = 1,
				       .no_children = of->no_children,
				       .sort_by_self = true };
	const struct view_column columns[] = {
		{ "self", "Self %", COLUMN_HEAT | COLUMN_ERR },
		{ "rows", "Rows", 0 },
		{ top_key_name(key), title, COLUMN_FLEX },
		{ "title", NULL, 0 },
	};
	struct view_table table = {
		.key = table_key,
		.columns = columns,
		.n_columns = ARRAY_LEN(columns),
	};
	bool is_text = !s->session->to.is_json && !s->session->to.is_csv;
	struct error err;
	struct top top;
	size_t n = 0;

	if (!s->is_brief && is_text)
		return; /* the text of `report` has no table besides the main table */
	if (top_compute(c, &s->session->cats, &spec, &top, &err) < 0)
		return;
	table.is_json_only = !profile_is_informative(s, &top);
	view_table(s->v, &table);
	VEC_FOREACH (row, &top.rows) {
		char buffer[24];
		struct cell cells[] = {
			show_profile_share(s, row->self_pct, row->self_err),
			cell_count(row->rows),
			key == TOP_DSO ? show_profile_dso(s, top_key_text(c, &top, row, 0, buffer))
				       : cell_text(top_key_text(c, &top, row, 0, buffer)),
			key == TOP_CATEGORY
				? cell_word(category_title((category_id){ (uint16_t)row->keys[0] }))
				: cell_none(),
		};

		/*
		 * in text, the shares of this group and of all later groups would be printed as
		 * 0.00
		 */
		if (n && is_text && row->self_pct < PROFILE_GROUPS_ZERO)
			break;
		if (n++ >= show_rows(s, PROFILE_GROUPS_BRIEF) ||
		    (s->is_budget && row->self_pct < PROFILE_GROUPS_LEAST))
			break;
		view_row(s->v, cells);
	}
	view_table_end(s->v);
	top_fini(&top);
}

/* For the option --per: the number of units of work to divide by, and the title of the column. */
struct profile_per {
	uint64_t by;
	bool is_on;
	struct str unit;
	const char *title;
};

static int profile_per(struct show *s, const struct capture *c, struct profile_per *ret,
		       struct error *err)
{
	struct str name = s->profile ? s->profile->per : STR_NONE;
	struct str known = STR("");
	double value;
	double half;

	*ret = (struct profile_per){ .unit = top_divide_unit(c) };
	if (!name.len)
		return OK;
	if (!top_fact(c, name, &ret->by)) {
		VEC_FOREACH (f, &c->facts)
			known = show_format(s, STR_FMT "%s" STR_FMT, STR_ARG(known),
					    known.len ? ", " : ", only of ",
					    STR_ARG(show_string(s, f->name)));
		return fail(err, ERR_USAGE,
			    "%s--per: the text states no number of '" STR_FMT "'" STR_FMT,
			    c->first_line
				    ? show_format(s, "lines %u-%u: ", c->first_line, c->last_line).p
				    : "",
			    STR_ARG(name), STR_ARG(known));
	}
	if (!top_divide(c, 100, 0, ret->by, &value, &half))
		return fail(err, ERR_USAGE,
			    "--per " STR_FMT ": the number of events is unknown, so nothing "
			    "can be divided",
			    STR_ARG(name));
	ret->is_on = true;
	ret->title = show_format(s, STR_FMT "/" STR_FMT, STR_ARG(ret->unit),
				 STR_ARG(str_ends(name, STR("s")) ? str_sub(name, 0, name.len - 1)
								  : name))
			     .p;
	view_object(s->v, "per", NULL);
	view_field(s->v, "fact", NULL, cell_text(name));
	view_field(s->v, "count", NULL, cell_count(ret->by));
	view_field(s->v, "unit", NULL, cell_text(ret->unit));
	view_field(s->v, "total", NULL, cell_real(value, -1));
	view_object_end(s->v);
	view_line(s->v, "Per", "%.0f %s in all", value, ret->title);
	return OK;
}

static struct cell profile_per_cell(const struct capture *c, const struct profile_per *per,
				    const struct top_row *row)
{
	double value;
	double half;

	if (!per->is_on || !top_divide(c, row->self_pct, row->self_err, per->by, &value, &half))
		return cell_none();
	return cell_with_err(cell_real(value, fabs(value) >= 100 ? 0 : 2), half);
}

/* Add the columns of --risk: metrics of the row's function, from the C sources. */
static void profile_risk_columns(const struct show *s, struct profile_columns *cols)
{
	if (!s->profile || !s->profile->risk)
		return;
	show_profile_column(cols, "risk_score", "Score", 0);
	show_profile_column(cols, "cyclomatic", "Cyclomatic", 0);
	show_profile_column(cols, "place", "Place", COLUMN_FLEX);
	show_profile_column(cols, "risk_alike", NULL, 0);
}

static unsigned int profile_risk_cells(struct show *s, const struct top *top,
				       const struct top_row *row, struct cell *cells)
{
	const struct heat_sources *sources = s->profile ? s->profile->risk : NULL;
	const struct risk_function *f = NULL;
	struct out place = { .fd = -1 };
	uint32_t alike = 0;
	size_t sym;

	if (!sources)
		return 0;
	if (show_profile_has_key(top, TOP_SYM, &sym))
		f = heat_sources_find(sources, (sym_id){ row->keys[sym] }, &alike);
	for (unsigned int i = 0; i < 4; i++)
		cells[i] = cell_none();
	if (!f)
		return 4;
	heat_sources_place(sources, f, s->session->to.is_json || s->session->to.is_csv ? 1 : alike,
			   &place);
	cells[0] = cell_real(f->m[RM_SCORE], 1);
	cells[1] = cell_real(f->m[CM_CYCLOMATIC], 0);
	cells[2] = cell_text(arena_str(&s->scratch, out_view(&place)));
	cells[3] = cell_count(alike);
	out_fini(&place);
	return 4;
}

/* Print the share of CPU time in rows whose functions are in the C sources of --risk. */
static void profile_risk_line(struct show *s, const struct top *top)
{
	const struct heat_sources *sources = s->profile ? s->profile->risk : NULL;
	double met = 0, all = 0;
	uint32_t alike;
	size_t sym;

	if (!sources || !show_profile_has_key(top, TOP_SYM, &sym))
		return;
	VEC_FOREACH (row, &top->rows) {
		all += row->self_pct;
		if (heat_sources_find(sources, (sym_id){ row->keys[sym] }, &alike))
			met += row->self_pct;
	}
	view_object(s->v, "risk", NULL);
	view_field(s->v, "functions", NULL, cell_count(sources->tree.functions.len));
	view_field(s->v, "files", NULL, cell_count(sources->tree.files.len));
	view_field(s->v, "matched_pct", NULL, cell_real(met, 2));
	view_field(s->v, "total_pct", NULL, cell_real(all, 2));
	view_object_end(s->v);
	view_line(s->v, "Sources",
		  "%.2f %% of %.2f %% is in their %zu functions (%zu file%s); joined by name", met,
		  all, sources->tree.functions.len, sources->tree.files.len,
		  sources->tree.files.len == 1 ? "" : "s");
}

/* Whether the front page sorts the rows by their shares with callees, and draws bars of them. */
static bool profile_is_by_children(const struct show *s, const struct profile *p)
{
	struct profile_inclusive unused;

	return s->is_brief && !s->is_budget && profile_has_self(p) &&
	       profile_is_inclusive(p, &unused);
}

/*
 * Whether the column of self shares comes first: only in text on the front page, where rows are
 * sorted by self share.
 */
static bool profile_is_self_first(const struct show *s, const struct profile *p)
{
	return s->is_brief && !s->session->to.is_json && !s->session->to.is_csv &&
	       !profile_is_by_children(s, p);
}

/*
 * Add the columns of shares. In text, the column by which rows are sorted comes first. In JSON and
 * CSV the order is fixed.
 */
static void profile_share_columns(struct show *s, const struct capture *c, const struct top *top,
				  unsigned int wanted, struct profile_columns *cols)
{
	bool is_self_first = profile_is_self_first(s, c->profile);
	bool is_by_children = profile_is_by_children(s, c->profile);
	const char *children = top->has_children && wanted & SHOW_CHILDREN ? "Children %" : NULL;
	const char *self = wanted & SHOW_SELF && profile_has_self(c->profile) ? "Self %" : NULL;
	/* the column of bars continues the title: "Self % of CPU time" */
	const char *bar = s->is_brief && profile_has_self(c->profile)
				  ? show_format(s, "of %s", event_unit_of(c).of).p
				  : NULL;
	unsigned int flags = COLUMN_HEAT | (top->has_children ? COLUMN_ERR : 0);

	if (!is_self_first)
		show_profile_column(cols, "children", children, flags);
	if (is_by_children)
		show_profile_column(cols, NULL, bar, COLUMN_BAR | COLUMN_MINOR);
	show_profile_column(cols, "self", self, COLUMN_HEAT | COLUMN_ERR);
	if (!is_by_children)
		show_profile_column(cols, NULL, bar, COLUMN_BAR | COLUMN_MINOR);
	show_profile_column(cols, NULL, s->is_budget ? "95 %" : NULL, 0);
	if (is_self_first)
		show_profile_column(cols, "children", children, flags);
}

/*
 * Format the 95 % interval of the row's self share, which follows from the number of samples:
 * "21.3-29.0".
 */
static struct cell profile_interval(struct show *s, const struct profile *p,
				    const struct top_row *row)
{
	double n = (double)p->n_samples;
	struct interval i;

	if (!s->is_budget || p->is_complete || !p->has_n_samples)
		return cell_none();
	i = stats_wilson(row->self_pct / 100 * n, n, STATS_Z95);
	return cell_text(show_format(s, "%.1f-%.1f", i.low, i.high));
}

/* Whether the self share of @row is known. Some rows of a table may have no self share. */
static bool profile_row_has_self(const struct profile *p, const struct top_row *row)
{
	return profile_has_self(p) && (row->rows != 1 || row->first_row == INDEX_NONE ||
				       p->table.rows.data[row->first_row].has & ROW_HAS_SELF);
}

/* The order of the columns: profile_share_columns(). */
enum profile_order { PROFILE_CHILDREN_FIRST, PROFILE_SELF_FIRST, PROFILE_BY_CHILDREN };

static unsigned int profile_share_cells(struct show *s, const struct profile *p,
					enum profile_order order, const struct top_row *row,
					struct cell *cells)
{
	static const unsigned int at[][3] = { [PROFILE_CHILDREN_FIRST] = { 0, 1, 2 },
					      [PROFILE_SELF_FIRST] = { 3, 0, 1 },
					      [PROFILE_BY_CHILDREN] = { 0, 2, 1 } };

	cells[at[order][0]] = row->has_children
				      ? show_profile_share(s, row->children_pct, row->children_err)
				      : cell_none();
	cells[at[order][1]] = profile_row_has_self(p, row)
				      ? show_profile_share(s, row->self_pct, row->self_err)
				      : cell_null();
	cells[at[order][2]] =
		cell_real(order == PROFILE_BY_CHILDREN ? row->children_pct : row->self_pct, 2);
	cells[order == PROFILE_SELF_FIRST ? 2 : 3] = profile_interval(s, p, row);
	return 4;
}

static size_t profile_limit(const struct show *s)
{
	if (s->profile && s->profile->limit)
		return s->profile->limit;
	return show_rows(s, PROFILE_ROWS_BRIEF);
}

/* If the table omits rows, or is very long, print how to get more or fewer rows. */
static void profile_more(struct show *s, size_t shown, size_t all, bool is_text)
{
	if (!is_text)
		return;
	if (s->is_budget)
		return;
	if (shown < all && s->is_brief) {
		view_line(s->v, NULL, STR_FMT ": assay report " STR_FMT,
			  STR_ARG(show_plural(s, all - shown, "more row", "more rows")),
			  STR_ARG(show_file(s)));
		s->has_path = true;
	} else if (shown < all)
		view_line(s->v, NULL, STR_FMT "; --limit 0 shows all",
			  STR_ARG(show_plural(s, all - shown, "more row", "more rows")));
	else if (all >= PROFILE_ROWS_LONG)
		view_line(s->v, NULL, "%zu rows; --limit 20 shows the first", all);
}

static void profile_rows(struct show *s, const struct capture *c, const struct top *top,
			 const struct profile_per *per)
{
	struct profile_columns cols = { .n = 0 };
	bool has_tree = s->profile && s->profile->has_tree;
	struct view_table table = { .key = "rows",
				    .is_main = true,
				    .is_json_only = has_tree || c->excerpt_of != INDEX_NONE };
	size_t limit = profile_limit(s);
	size_t n = 0;
	size_t sym;
	bool has_sym = show_profile_has_key(top, TOP_SYM, &sym);
	enum profile_order order = profile_is_self_first(s, c->profile)    ? PROFILE_SELF_FIRST
				   : profile_is_by_children(s, c->profile) ? PROFILE_BY_CHILDREN
									   : PROFILE_CHILDREN_FIRST;
	unsigned int wanted = s->profile && s->profile->columns ? s->profile->columns
								: ~(unsigned int)SHOW_PERIOD;

	/*
	 * on the front page, bars are more useful than numbers of samples, which repeat the shares
	 */
	unsigned int minor = s->is_brief && profile_has_self(c->profile) ? COLUMN_MINOR : 0;

	profile_share_columns(s, c, top, wanted, &cols);
	show_profile_column(&cols, "samples",
			    wanted & SHOW_SAMPLES ? show_profile_samples_title(c->profile) : NULL,
			    minor);
	show_profile_column(&cols, "weight",
			    top->unit == WEIGHT_UNKNOWN ? "Weight"
			    : wanted & SHOW_PERIOD      ? "Period"
							: NULL,
			    minor);
	show_profile_column(&cols, per->is_on ? "per" : NULL, per->is_on ? per->title : NULL,
			    per->is_on ? COLUMN_ERR : 0);
	show_profile_key_columns(s, c, top, &cols);
	profile_risk_columns(s, &cols);
	show_profile_column(&cols, has_sym ? NULL : "rows", has_sym ? NULL : "Rows", 0);
	show_profile_column(&cols, "line", "Line", 0);
	table.columns = cols.columns;
	table.n_columns = cols.n;
	view_table(s->v, &table);
	VEC_FOREACH (row, &top->rows) {
		struct cell cells[ARRAY_LEN(cols.columns)];
		unsigned int k = 0;

		if (n >= limit || (s->is_brief && n && row->self == 0 &&
				   profile_has_self(c->profile) && order != PROFILE_BY_CHILDREN))
			break;
		n++;
		k += profile_share_cells(s, c->profile, order, row, cells);
		cells[k++] = row->has_samples && top->unit != WEIGHT_UNKNOWN
				     ? cell_count(row->samples)
				     : cell_none();
		cells[k++] = cell_fixed((int64_t)row->self, top->decimals);
		cells[k++] = profile_per_cell(c, per, row);
		k += show_profile_key_cells(s, c, top, row, cells + k);
		k += profile_risk_cells(s, top, row, cells + k);
		cells[k++] = cell_count(row->rows);
		cells[k++] = cell_line(row->line);
		view_row(s->v, cells);
	}
	view_table_end(s->v);
	profile_more(s, n, top->rows.len, !table.is_json_only);
}

static void profile_totals(struct show *s, const struct capture *c, const struct top *top)
{
	struct out rest = { .fd = -1 };

	view_field(s->v, "total", NULL, show_profile_pct(top->total_pct, top->total_err));
	view_field(s->v, "n_rows", NULL, cell_count(top->rows.len + top->hidden_rows));
	view_field(s->v, "zero_rows", NULL, cell_count(top->n_zero_rows));
	view_field(s->v, "hidden_rows", NULL, cell_count(top->hidden_rows));
	if (s->is_brief)
		return;
	if (c->excerpt_of != INDEX_NONE)
		return;
	if (!profile_has_self(c->profile))
		return;
	if (top->n_zero_rows)
		out_printf(&rest, ", %" PRIu64 " printed as 0 (each less than %g %%)",
			   top->n_zero_rows, profile_half_width(c->profile));
	if (top->hidden_rows)
		out_printf(&rest, ", " STR_FMT " below the limit not listed",
			   STR_ARG(show_plural(s, top->hidden_rows, "row", "rows")));
	out_char(&rest, '\0');
	view_line(s->v, "Total", STR_FMT " in " STR_FMT "%s",
		  STR_ARG(show_pct(s, top->total_pct, top->total_err)),
		  STR_ARG(show_plural(s, top->rows.len + top->hidden_rows, "row", "rows")),
		  rest.data);
	out_fini(&rest);
}

/*
 * Print the cost per unit of work. If the input states the numbers of several units, use the unit
 * with the largest number.
 */
void show_per_hint(struct show *s, const struct capture *c)
{
	const struct capture_fact *most = NULL;
	struct str unit = top_divide_unit(c);
	double value;
	double half;

	VEC_FOREACH (f, &c->facts) {
		if (!most || f->value > most->value)
			most = f;
	}
	if (!s->is_brief || !most || most->value < 2 ||
	    !top_divide(c, 100, 0, most->value, &value, &half))
		return;
	view_line(s->v, "Per",
		  STR_FMT " for each of %" PRIu64 " " STR_FMT
			  ", all threads together; assay report --per " STR_FMT " divides each row",
		  STR_ARG(show_amount(s, value, unit)), most->value,
		  STR_ARG(show_string(s, most->name)), STR_ARG(show_string(s, most->name)));
}

/*
 * Choose the keys of a table of waits: command, reason and function. The front page in text omits
 * the command. JSON and CSV also have the object.
 */
static void profile_wait_keys(const struct show *s, const struct capture *c, struct top_spec *spec)
{
	bool is_text = !s->session->to.is_json && !s->session->to.is_csv;

	if (spec->n_keys || !off_cpu_is_named(c))
		return;
	if (!s->is_brief || !is_text)
		spec->keys[spec->n_keys++] = (struct top_column){ .key = TOP_COMM };
	spec->keys[spec->n_keys++] = (struct top_column){ .key = TOP_FIELD, .name = STR("reason") };
	if (!is_text)
		spec->keys[spec->n_keys++] = (struct top_column){ .key = TOP_DSO };
	spec->keys[spec->n_keys++] = (struct top_column){ .key = TOP_SYM };
}

/*
 * Choose the keys of a table of memory accesses. perf prints a row for each address and latency.
 * Here, all accesses of a function at the same memory level are one row.
 */
static void profile_memory_keys(const struct capture *c, struct top_spec *spec)
{
	const struct profile_table *t = &c->profile->table;
	static const struct {
		unsigned int bit;
		enum top_key key;
	} keys[] = { { ROW_HAS_COMM, TOP_COMM },
		     { ROW_HAS_DSO, TOP_DSO },
		     { ROW_HAS_SYMBOL, TOP_SYM } };

	if (spec->n_keys || memory_access_column(c, MEMORY_LEVEL) == INDEX_NONE)
		return;
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		if (t->columns & keys[i].bit)
			spec->keys[spec->n_keys++].key = keys[i].key;
	}
	spec->keys[spec->n_keys++] =
		(struct top_column){ .key = TOP_FIELD, .name = memory_access_title(MEMORY_LEVEL) };
	spec->keep_rows = false;
}

/*
 * Choose the keys of a table that has the calls of each function and no other additional column.
 * The number of calls says whether a function is slow or only called often.
 */
static void profile_calls_keys(const struct capture *c, struct top_spec *spec)
{
	const struct profile_table *t = &c->profile->table;

	if (spec->n_keys || t->extra_columns.len != 1 || !(t->columns & ROW_HAS_SYMBOL) ||
	    !str_eq(strings_get(capture_strings(c), t->extra_columns.data[0]), STR("calls")))
		return;
	if (t->columns & ROW_HAS_DSO)
		spec->keys[spec->n_keys++].key = TOP_DSO;
	spec->keys[spec->n_keys++] = (struct top_column){ .key = TOP_EXTRA, .extra = 0 };
	spec->keys[spec->n_keys++].key = TOP_SYM;
}

/*
 * Whether the printed trees are shown without the option -g: the rows alone show only that the cost
 * is below them.
 */
static bool profile_needs_tree(const struct show *s, const struct profile *p, const struct top *top)
{
	struct profile_inclusive unused;

	return !s->is_brief && !s->profile->has_keys && top->source == TOP_FROM_ROWS &&
	       p->table.nodes.len && profile_is_inclusive(p, &unused);
}

int show_profile(struct show *s, uint32_t capture, struct error *err)
{
	const struct capture *c = s->session->dossier->captures.data[capture];
	struct top_spec spec = s->profile ? s->profile->spec : (struct top_spec){ 0 };
	struct profile_per per;
	struct top top;
	int r;

	s->decimals = profile_decimals(c->profile);
	if (s->is_budget && s->decimals == 0)
		/* the share needs a decimal, because the interval after it has one */
		s->decimals = 1;
	spec.no_children |=
		s->is_brief && profile_count_samples(c->profile) > PROFILE_CHILDREN_SAMPLES;
	spec.sort_by_self |= s->is_brief && !profile_is_by_children(s, c->profile);
	spec.keep_rows = spec.n_keys == 0;
	profile_wait_keys(s, c, &spec);
	profile_memory_keys(c, &spec);
	profile_calls_keys(c, &spec);
	/* if text shows trees instead of rows, it needs only the number of rows, not their names */
	spec.is_unnamed = s->profile && s->profile->has_tree && c->profile->samples.n > 0 &&
			  !s->session->to.is_json && !s->session->to.is_csv && spec.symbols.n == 0;
	r = top_compute(c, &s->session->cats, &spec, &top, err);
	if (r < 0)
		return r;
	r = profile_per(s, c, &per, err);
	if (r == OK) {
		if (!s->is_brief)
			show_profile_stacks(s, capture);
		profile_totals(s, c, &top);
		profile_risk_line(s, &top);
		profile_rows(s, c, &top, &per);
		if (s->profile && (s->profile->has_tree || profile_needs_tree(s, c->profile, &top)))
			r = show_profile_trees(s, c, &top, err);
		if (s->is_brief)
			show_hot_paths(s, c);
		if (s->is_budget)
			show_hot_callers(s, c, &top);
		view_weigh(s->v, PROFILE_GROUPS_WORTH);
		view_side_by_side(s->v);
		profile_by(s, c, &spec, TOP_COMM, "by_comm", "Command");
		profile_by(s, c, &spec, TOP_DSO, "by_dso", "Shared Object");
		profile_by(s, c, &spec, TOP_CATEGORY, "by_category", "Kind of work");
		if (s->is_budget) {
			profile_by(s, c, &spec, TOP_TID, "by_tid", "Thread");
			profile_by(s, c, &spec, TOP_CPU, "by_cpu", "CPU");
		}
		view_side_by_side_end(s->v);
		view_weigh(s->v, 1);
	}
	top_fini(&top);
	return r;
}
