/* SPDX-License-Identifier: MIT */
/*
 * sqlite_plan.c - EXPLAIN QUERY PLAN of SQLite: a tree of steps without figures
 *
 *     QUERY PLAN
 *     |--SCAN parcels
 *     |--SEARCH depots USING INTEGER PRIMARY KEY (rowid=?)
 *     `--USE TEMP B-TREE FOR ORDER BY
 *
 * SCAN and SEARCH steps at one depth are nested loops: the second one runs for each row of the
 * first. Before version 3.36 the word TABLE precedes the name. Before 3.24, and in programs that
 * print the rows of the result, the lines are "0|1|1|SEARCH TABLE depots USING ...".
 *
 * Source: SQLite, "EXPLAIN QUERY PLAN" (eqp.html); src/wherecode.c, sqlite3WhereExplainOneScan();
 * src/select.c, explainTempTable(), generateWithRecursiveQuery().
 */
#include "formats/tables/line_table.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/kinds/metrics.h"
#include "core/symbols.h"
#include "formats/format.h"

#include <math.h>

DECLARE_FORMAT(sqlite_plan);

static const struct diag_kind sqlite_plan_skipped = { "sqlite-plan-skipped", DIAG_DATALOSS,
						      "lines that are no step of the plan" };

enum sqlite_column {
	SQLITE_STEP,
	SQLITE_INDEX,
	SQLITE_CONDITION,
	SQLITE_DEPTH,
	SQLITE_COLUMNS,
};

static const struct line_column sqlite_columns[SQLITE_COLUMNS] = {
	[SQLITE_STEP] = { "step", NULL, true },
	[SQLITE_INDEX] = { "index", NULL, true },
	[SQLITE_CONDITION] = { "condition", NULL, true },
	[SQLITE_DEPTH] = { "depth", NULL, false },
};

/* A step of the plan: "SEARCH t USING COVERING INDEX by_day (day=?)". */
struct sqlite_step {
	struct str step;      /* "SEARCH" */
	struct str name;      /* "t" */
	struct str index;     /* "COVERING INDEX by_day", "VIRTUAL TABLE INDEX 0:M1"; empty: none */
	struct str condition; /* "(day=?)"; empty: none */
	double depth;         /* NaN: unknown */
};

/* Take the branches before a step: "|  `--". False: @line has none. */
static bool sqlite_branch(struct str *line, double *ret_depth)
{
	struct str rest = str_ltrim(*line);
	size_t column = (size_t)(rest.p - line->p);

	while (str_starts(rest, STR("|  "))) {
		struct str next = str_ltrim(str_skip(rest, 1));

		column += (size_t)(next.p - rest.p);
		rest = next;
	}
	if (!str_take(&rest, STR("|--")) && !str_take(&rest, STR("`--")))
		return false;
	*ret_depth = (double)(column / 3);
	*line = rest;
	return true;
}

/*
 * Take the three numbers before a step in rows of the result: "0|1|1|". Their meaning depends on
 * the version, so the depth of the step is unknown.
 */
static bool sqlite_numbers(struct str *line)
{
	struct str rest = str_ltrim(*line);
	uint64_t n;

	for (unsigned int i = 0; i < 3; i++) {
		if (!str_u64(&rest, &n) ||
		    (!str_take(&rest, STR("|")) && !str_take(&rest, STR("\t"))))
			return false;
	}
	*line = rest;
	return true;
}

/* Whether @name is no table, but rows that the statement spells out: "CONSTANT ROW". */
static bool sqlite_is_constant(struct str name)
{
	uint64_t n;

	if (str_u64(&name, &n) && !str_take(&name, STR(" ")))
		return false;
	return str_glob(STR("CONSTANT ROW|CONSTANT ROWS"), name);
}

/* Drop the words and the estimate that may end a step: "LEFT-JOIN", "(~10 rows)". */
static struct str sqlite_without_end(struct str text)
{
	static const char *const ends[] = { " LEFT-JOIN", " EXISTS" };
	size_t at = str_find(text, STR(" (~"));

	text = str_trim(str_sub(text, 0, at));
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		if (str_ends(text, str_of(ends[i])))
			text = str_trim(str_sub(text, 0, text.len - strlen(ends[i])));
	}
	return text;
}

/* The bracket at the start of @text, up to the one that closes it. */
static struct str sqlite_bracket(struct str text)
{
	size_t depth = 0;

	for (size_t i = 0; i < text.len; i++) {
		depth += text.p[i] == '(';
		if (text.p[i] == ')' && --depth == 0)
			return str_sub(text, 0, i + 1);
		if (depth == 0)
			break;
	}
	return text;
}

/* Take a name, which may have blanks, up to the words that can follow a name. */
static struct str sqlite_name(struct str *rest)
{
	static const char *const words[] = { " USING ", " AS ", " VIRTUAL TABLE INDEX " };
	size_t end = rest->len;
	struct str name;

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		size_t at = str_find(*rest, str_of(words[i]));

		end = at < end ? at : end;
	}
	name = str_sub(*rest, 0, end);
	*rest = str_ltrim(str_skip(*rest, end));
	return str_trim(name);
}

/* Parse the text of a scan after its first word: "TABLE t AS x USING INDEX i (a=? AND b>?)". */
static bool sqlite_scan(struct str rest, struct sqlite_step *ret)
{
	size_t at;

	rest = sqlite_without_end(str_trim(rest));
	(void)str_take(&rest, STR("TABLE "));
	if (str_starts(rest, STR("SUBQUERY ")) || sqlite_is_constant(rest)) {
		ret->name = rest;
		return true;
	}
	ret->name = sqlite_name(&rest);
	if (!ret->name.len)
		return false;
	if (str_take(&rest, STR("AS ")) && !sqlite_name(&rest).len)
		return false;
	if (str_starts(rest, STR("VIRTUAL ")))
		ret->index = rest;
	if (!str_take(&rest, STR("USING ")))
		return true;
	at = str_find(rest, STR(" ("));
	ret->index = str_sub(rest, 0, at);
	ret->condition = sqlite_bracket(str_trim(str_skip(rest, at)));
	return ret->index.len > 0;
}

/* Parse a step other than SCAN and SEARCH. */
static bool sqlite_other(struct str text, struct sqlite_step *ret)
{
	static const char *const named[] = { "CO-ROUTINE ", "MATERIALIZE ", "BLOOM FILTER ON " };

	for (size_t i = 0; i < ARRAY_LEN(named); i++) {
		struct str rest = text;

		if (!str_take(&rest, str_of(named[i])))
			continue;
		ret->step = str_sub(text, 0, strlen(named[i]) - 1);
		return str_word(&rest, &ret->name);
	}
	ret->step = text;
	ret->name = text;
	return str_glob(STR("SETUP|RECURSIVE STEP|COMPOUND QUERY|COMPOUND SUBQUERIES *|"
			    "LEFT-MOST SUBQUERY|UNION ALL|UNION USING *|EXCEPT USING *|"
			    "INTERSECT USING *|MERGE (*)|LEFT|RIGHT|MULTI-INDEX OR|INDEX ?|"
			    "USE TEMP B-TREE FOR *|SCALAR SUBQUERY *|LIST SUBQUERY *|"
			    "CORRELATED SCALAR SUBQUERY *|CORRELATED LIST SUBQUERY *|"
			    "EXECUTE * SUBQUERY *|REUSE LIST SUBQUERY *|RIGHT-JOIN *"),
			text);
}

static bool sqlite_step_of(struct str line, struct sqlite_step *ret)
{
	struct str text = line;
	struct str rest;

	*ret = (struct sqlite_step){ .depth = (double)NAN };
	if (!sqlite_branch(&text, &ret->depth) && !sqlite_numbers(&text))
		return false;
	text = str_trim(text);
	rest = text;
	if (str_take(&rest, STR("SCAN ")) || str_take(&rest, STR("SEARCH "))) {
		ret->step = str_sub(text, 0, str_find_char(text, ' '));
		return sqlite_scan(rest, ret);
	}
	return sqlite_other(text, ret);
}

static enum line_kind sqlite_plan_kind(struct str line)
{
	struct sqlite_step step;

	if (str_trim(line).len == 0)
		return LINE_BLANK;
	if (str_eq(str_trim(line), STR("QUERY PLAN")))
		return LINE_HEAD;
	if (!sqlite_step_of(line, &step))
		return LINE_OTHER;
	/* a name with a blank may be prose: "`--SCAN the disk" */
	return str_glob(STR("SCAN|SEARCH"), step.step) &&
			       (step.index.len || str_find_char(step.name, ' ') == step.name.len ||
				str_starts(step.name, STR("SUBQUERY ")))
		       ? LINE_SURE
		       : LINE_ROW;
}

static const struct line_table sqlite_plan_table = {
	.kind = sqlite_plan_kind, .gap = 0, .min_rows = UINT32_MAX, .score = 98
};

static unsigned int sqlite_plan_probe(struct str head)
{
	return line_table_probe(&sqlite_plan_table, head);
}

static bool sqlite_plan_find(struct str text, size_t from, struct extent *ret)
{
	return line_table_find(&sqlite_plan_table, text, from, ret);
}

static int sqlite_plan_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct capture *c = format_add_capture(&format_sqlite_plan, in, d);
	struct str text = in->text;
	struct str line;

	line_table_columns(c, "of", NULL, sqlite_columns, ARRAY_LEN(sqlite_columns));
	for (uint32_t n = 0; str_line(&text, &line); n++) {
		struct sqlite_step s;
		struct str texts[SQLITE_COLUMNS] = { STR_NONE };
		double values[SQLITE_COLUMNS] = { 0 };

		if (!sqlite_step_of(line, &s)) {
			if (sqlite_plan_kind(line) == LINE_OTHER)
				diag_count(&c->diag, &sqlite_plan_skipped, region_line(in, n));
			continue;
		}
		texts[SQLITE_STEP] = s.step;
		texts[SQLITE_INDEX] = s.index;
		texts[SQLITE_CONDITION] = s.condition;
		values[SQLITE_DEPTH] = s.depth;
		if (!line_table_add(c,
				    symbols_add_text(capture_symbols(c), s.name, STR_NONE,
						     SPACE_UNKNOWN, 0),
				    values, texts, region_line(in, n)))
			break;
	}
	return c->metrics->n_rows ? OK : fail(err, ERR_FORMAT, "no step of a plan");
}

const struct format format_sqlite_plan = {
	.name = "sqlite-plan",
	.title = "EXPLAIN QUERY PLAN of SQLite",
	.summary = "EXPLAIN QUERY PLAN of SQLite, as a tree or as rows",
	.kinds = KIND_METRICS,
	.probe = sqlite_plan_probe,
	.find = sqlite_plan_find,
	.read = sqlite_plan_read,
};
