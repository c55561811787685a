/* SPDX-License-Identifier: MIT */
/*
 * query_plan_json.c - EXPLAIN (ANALYZE, FORMAT JSON) of PostgreSQL, ANALYZE FORMAT=JSON of MariaDB
 *
 * Each node of the document is converted to lines of a plan in text, and query_plan.c reads these
 * lines. json-c keeps no line numbers, so the line of a node is found by a search for the node's
 * key in the text. The keys are searched in the order of the document, each from the end of the key
 * before it.
 *
 * MariaDB measures the own time of a table, for all loops together: r_table_time_ms in the storage
 * engine and r_other_time_ms in the conditions. The times of a query block and of a sort include
 * the nodes inside them. There is one exception: the time of sorting a temporary table does not
 * include filling that table.
 *
 * Sources: src/backend/commands/explain.c of PostgreSQL (ExplainNode()); sql/sql_explain.cc of
 * MariaDB.
 */
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "formats/exchange/json_doc.h"
#include "formats/format.h"
#include "formats/statements/query_plan.h"

DECLARE_FORMAT(query_plan_json);

/* maximum number of lines from the first bracket to the key that shows a plan */
#define PLAN_JSON_HEAD   8u
#define PLAN_JSON_PREFIX 40u   /* maximum length of the text before the first bracket */
#define PLAN_JSON_TEXT   8192u /* maximum length of a line of the plan in text */
#define PLAN_JSON_SCORE  99u
#define PLAN_JSON_DEPTH  64u
/* indentation in columns for each level of the plan in text */
#define PLAN_INDENT 6u

static const struct diag_kind plan_json_deep = { "query-plan-json-deep", DIAG_DATALOSS,
						 "nodes of a plan below too many others" };

struct plan_json {
	struct plan_reader *plan;
	const struct region *in;
	struct capture *c;
	/*
	 * the document without the marks '+' at the ends of lines; line numbers are as in the input
	 */
	struct str text;
	size_t at;       /* offset in `text` after the last key that was found */
	uint32_t line;   /* number of the line at offset `at`, counted from 0 */
	uint32_t last;   /* line number of the last node; 0: none */
	bool is_crowded; /* two nodes are on the same line */
};

/* @line without "+" at its end, with which psql marks that a cell continues on the next line. */
static struct str plan_json_line(struct str line)
{
	struct str s = str_trim(line);

	return s.len > 0 && s.p[s.len - 1] == '+' ? str_trim(str_sub(s, 0, s.len - 1)) : s;
}

static bool plan_json_is_first(struct str line)
{
	struct str s = plan_json_line(line);

	return s.len > 0 && s.len <= PLAN_JSON_PREFIX &&
	       (s.p[s.len - 1] == '{' || s.p[s.len - 1] == '[') && s.p[0] != '"';
}

/* Whether @line may be a line inside a JSON document that has many lines. */
static bool plan_json_is_inner(struct str line)
{
	struct str s = plan_json_line(line);

	return s.len > 0 && (char_is_digit(s.p[0]) || str_find_char(STR("\"{}[]-tfn"), s.p[0]) < 9);
}

/* Whether one of the first lines of @rest has a key that shows a plan. */
static bool plan_json_has_key(struct str rest)
{
	struct str line;

	for (unsigned int i = 0; i < PLAN_JSON_HEAD && str_line(&rest, &line); i++) {
		if (str_glob(STR("\"Plan\": {|\"query_block\": {|\"query_optimization\": {"),
			     plan_json_line(line)))
			return true;
	}
	return false;
}

/*
 * Whether @line is a whole document with a plan. The reader fails for such a line, and advises to
 * print the plan on many lines.
 */
static bool plan_json_is_line(struct str line)
{
	struct str s = plan_json_line(line);

	return s.len > PLAN_JSON_PREFIX && str_find_char(STR("{["), s.p[0]) < 2 &&
	       (str_contains(s, STR("\"Actual Loops\"")) || str_contains(s, STR("\"r_loops\""))) &&
	       (str_contains(s, STR("\"Plan\"")) || str_contains(s, STR("\"query_block\"")));
}

/* Update *@depth by the brackets in @line. True: @line closes the last bracket of the document. */
static bool plan_json_closes(struct str line, unsigned int *depth)
{
	bool is_text = false;

	for (size_t i = 0; i < line.len; i++) {
		char c = line.p[i];

		if (is_text && c == '\\')
			i++;
		else if (c == '"')
			is_text = !is_text;
		else if (!is_text && (c == '{' || c == '['))
			++*depth;
		else if (!is_text && (c == '}' || c == ']') && *depth > 0 && --*depth == 0)
			return true;
	}
	return false;
}

static bool plan_json_find(struct str text, size_t from, struct extent *ret)
{
	struct str rest = str_skip(text, from);
	struct str line;

	for (size_t at = from; str_line(&rest, &line); at = text.len - rest.len) {
		struct str inner = rest;
		unsigned int depth = 0;
		bool has_loops = false;

		*ret = (struct extent){ .from = at,
					.to = text.len - rest.len,
					.score = PLAN_JSON_SCORE };
		if (plan_json_is_line(line))
			return true;
		if (!plan_json_is_first(line) || !plan_json_has_key(rest))
			continue;
		(void)plan_json_closes(line, &depth);
		while (str_line(&inner, &line) && plan_json_is_inner(line)) {
			has_loops |= str_starts(plan_json_line(line), STR("\"Actual Loops\":")) ||
				     str_starts(plan_json_line(line), STR("\"r_loops\":"));
			ret->to = text.len - inner.len;
			if (plan_json_closes(line, &depth))
				break;
		}
		if (has_loops)
			return true;
		rest = inner;
	}
	return false;
}

static unsigned int plan_json_probe(struct str head)
{
	struct extent e;

	return plan_json_find(head, 0, &e) ? 80 : 0;
}

/* The line number of the next @key in the text, such as "\"Node Type\"". */
static uint32_t plan_json_at(struct plan_json *j, struct str key)
{
	size_t step = str_find(str_skip(j->text, j->at), key);

	for (size_t i = j->at; step < j->text.len - j->at && i < j->at + step; i++)
		j->line += j->text.p[i] == '\n';
	if (step < j->text.len - j->at)
		j->at += step + key.len;
	return region_line(j->in, j->line);
}

static void plan_json_put(struct plan_json *j, const struct out *o, uint32_t line)
{
	query_plan_line(j->plan, str_sub(out_view(o), 0, PLAN_JSON_TEXT), line);
}

/* Write a property of a node at @depth as a line, such as "Filter: (a = 1)". */
static void plan_json_property(struct plan_json *j, unsigned int depth, struct str name,
			       struct str value, uint32_t line)
{
	struct out o = { .fd = -1 };

	out_repeat(&o, ' ', (size_t)depth * PLAN_INDENT + 3);
	out_str(&o, name);
	out_z(&o, ": ");
	out_str(&o, value);
	plan_json_put(j, &o, line);
	out_fini(&o);
}

static void plan_json_figure(struct plan_json *j, unsigned int depth, const char *before, double v,
			     const char *after, uint32_t line)
{
	struct out o = { .fd = -1 };

	out_repeat(&o, ' ', (size_t)depth * PLAN_INDENT + 3);
	out_z(&o, before);
	out_real(&o, v, 3);
	out_z(&o, after);
	plan_json_put(j, &o, line);
	out_fini(&o);
}

struct plan_json_node {
	struct str name;
	double estimate; /* estimated number of rows; negative: no estimate */
	double rows;     /* number of rows; negative: not measured */
	double loops;
	double ms; /* time of one loop including child nodes, in ms; negative: not measured */
};

/*
 * Write the line of node @n. *@ret_line: line number of the node. False: do not write the children
 * of the node.
 */
static bool plan_json_node(struct plan_json *j, const struct plan_json_node *n, unsigned int depth,
			   struct str key, uint32_t *ret_line)
{
	struct out o = { .fd = -1 };

	*ret_line = plan_json_at(j, key);
	if (depth > PLAN_JSON_DEPTH)
		diag_count(&j->c->diag, &plan_json_deep, *ret_line);
	j->is_crowded |= *ret_line == j->last;
	j->last = *ret_line;
	if (depth > PLAN_JSON_DEPTH || j->is_crowded)
		return false;
	if (depth > 0) {
		out_repeat(&o, ' ', (size_t)depth * PLAN_INDENT);
		out_z(&o, "->  ");
	}
	out_str(&o, str_sub(n->name, 0, PLAN_JSON_TEXT / 2));
	out_z(&o, "  ");
	if (n->estimate >= 0) {
		out_z(&o, "(cost=0 rows=");
		out_real(&o, n->estimate, 0);
		out_z(&o, ") ");
	}
	if (n->loops < 1) {
		out_z(&o, "(never executed)");
	} else {
		out_z(&o, "(actual ");
		if (n->ms >= 0) {
			out_z(&o, "time=0..");
			out_real(&o, n->ms, 9);
		}
		if (n->rows >= 0) {
			out_z(&o, " rows=");
			out_real(&o, n->rows, 2);
		}
		out_z(&o, " loops=");
		out_real(&o, n->loops, 0);
		out_char(&o, ')');
	}
	plan_json_put(j, &o, *ret_line);
	out_fini(&o);
	return true;
}

static struct str plan_json_str(struct json_object *o, const char *key)
{
	return json_doc_text(json_doc_get(o, key));
}

/* The number with the name @key in @o. If there is none, the result is @missing. */
static double plan_json_number(struct json_object *o, const char *key, double missing)
{
	struct json_object *v = json_doc_get(o, key);

	return json_doc_is_number(v) ? json_doc_number(v) : missing;
}

/* Write @v: if it is an array, its texts with commas between them; otherwise its text. */
static void plan_json_list(struct out *o, struct json_object *v)
{
	out_str(o, json_doc_text(v));
	for (size_t i = 0; i < json_doc_len(v); i++) {
		out_z(o, i ? ", " : "");
		out_str(o, json_doc_text(json_doc_at(v, i)));
	}
}

/* Write PostgreSQL's name of an operation: "Parallel Hash Left Join", "Partial HashAggregate". */
static void postgres_operation(struct out *o, struct json_object *node)
{
	struct str type = plan_json_str(node, "Node Type");
	struct str strategy = plan_json_str(node, "Strategy");
	struct str partial = plan_json_str(node, "Partial Mode");
	struct str join = plan_json_str(node, "Join Type");
	struct str verb = plan_json_str(node, "Operation");
	bool is_grouped = str_eq(type, STR("Aggregate"));

	if (json_doc_is_true(json_doc_get(node, "Parallel Aware")))
		out_z(o, "Parallel ");
	if (partial.len && !str_eq(partial, STR("Simple"))) {
		out_str(o, partial);
		out_char(o, ' ');
	}
	if (is_grouped && str_eq(strategy, STR("Sorted")))
		out_z(o, "Group");
	else if (strategy.len && !str_eq(strategy, STR("Plain")) &&
		 !str_eq(strategy, STR("Sorted")))
		out_z(o, str_eq(strategy, STR("Hashed")) ? "Hash" : "Mixed");
	if (str_eq(type, STR("ModifyTable"))) {
		out_str(o, verb);
	} else if (join.len && !str_eq(join, STR("Inner"))) {
		out_str(o, str_ends(type, STR(" Join")) ? str_sub(type, 0, type.len - 5) : type);
		out_char(o, ' ');
		out_str(o, join);
		out_z(o, " Join");
	} else {
		out_str(o, type);
	}
	if (str_eq(plan_json_str(node, "Scan Direction"), STR("Backward")))
		out_z(o, " Backward");
}

/* Write the full name of a node: "Index Scan using o_pkey on public.o a". */
static void postgres_name(struct out *o, struct json_object *node)
{
	static const char *const relations[] = { "Relation Name", "Function Name", "CTE Name",
						 "Table Function Name" };
	struct str index = plan_json_str(node, "Index Name");
	struct str alias = plan_json_str(node, "Alias");
	struct str relation = STR_NONE;

	postgres_operation(o, node);
	if (index.len) {
		bool is_bitmap = str_eq(plan_json_str(node, "Node Type"), STR("Bitmap Index Scan"));

		out_z(o, is_bitmap ? " on " : " using ");
		out_str(o, index);
	}
	for (size_t i = 0; i < ARRAY_LEN(relations) && !relation.len; i++)
		relation = plan_json_str(node, relations[i]);
	if (!alias.len && !relation.len)
		return;
	out_z(o, " on");
	if (relation.len) {
		out_char(o, ' ');
		if (plan_json_str(node, "Schema").len) {
			out_str(o, plan_json_str(node, "Schema"));
			out_char(o, '.');
		}
		out_str(o, relation);
	}
	if (alias.len && !str_eq(alias, relation)) {
		out_char(o, ' ');
		out_str(o, alias);
	}
}

/* Write the properties whose line in a text plan has another form than "Key: value". */
static void postgres_combined(struct plan_json *j, struct json_object *node, unsigned int depth,
			      uint32_t at)
{
	bool is_on_disk = str_eq(plan_json_str(node, "Sort Space Type"), STR("Disk"));
	double batches = plan_json_number(node, "Hash Batches", 0);

	if (is_on_disk)
		plan_json_figure(j, depth, "Sort Method: external merge  Disk: ",
				 plan_json_number(node, "Sort Space Used", 0), "kB", at);
	if (batches > 0)
		plan_json_figure(j, depth, "Buckets: 1 Batches: ", batches, "", at);
	if (plan_json_number(node, "Disk Usage", 0) > 0)
		plan_json_figure(j, depth,
				 "Batches: 1 Disk Usage: ", plan_json_number(node, "Disk Usage", 0),
				 "kB", at);
	if (plan_json_number(node, "Lossy Heap Blocks", 0) > 0)
		plan_json_figure(j, depth, "Heap Blocks: lossy=",
				 plan_json_number(node, "Lossy Heap Blocks", 0), "", at);
	if (plan_json_number(node, "Shared Hit Blocks", 0) > 0)
		plan_json_figure(j, depth, "Buffers: shared hit=",
				 plan_json_number(node, "Shared Hit Blocks", 0), "", at);
	if (plan_json_number(node, "Shared Read Blocks", 0) > 0)
		plan_json_figure(j, depth, "Buffers: shared read=",
				 plan_json_number(node, "Shared Read Blocks", 0), "", at);
}

static void postgres_properties(struct plan_json *j, struct json_object *node, unsigned int depth,
				uint32_t at)
{
	static const char *const texts[] = { "Sort Key",   "Filter",       "Join Filter",
					     "Index Cond", "Recheck Cond", "Hash Cond",
					     "Merge Cond" };
	static const char *const numbers[] = { "Rows Removed by Filter",
					       "Rows Removed by Join Filter",
					       "Rows Removed by Index Recheck",
					       "Heap Fetches",
					       "Workers Planned",
					       "Workers Launched" };

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct json_object *v = json_doc_get(node, texts[i]);
		struct out o = { .fd = -1 };

		plan_json_list(&o, v);
		if (o.len)
			plan_json_property(j, depth, str_of(texts[i]), out_view(&o), at);
		out_fini(&o);
	}
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		double v = plan_json_number(node, numbers[i], -1);
		struct out o = { .fd = -1 };

		out_real(&o, v, 0);
		if (v >= 0)
			plan_json_property(j, depth, str_of(numbers[i]), out_view(&o), at);
		out_fini(&o);
	}
	postgres_combined(j, node, depth, at);
}

static void postgres_node(struct plan_json *j, struct json_object *node, unsigned int depth)
{
	struct json_object *below = json_doc_get(node, "Plans");
	struct str label = plan_json_str(node, "Subplan Name");
	struct out o = { .fd = -1 };
	struct plan_json_node n = {
		.estimate = plan_json_number(node, "Plan Rows", -1),
		.rows = plan_json_number(node, "Actual Rows", -1),
		.loops = plan_json_number(node, "Actual Loops", 0),
		.ms = plan_json_number(node, "Actual Total Time", -1),
	};
	uint32_t at;

	if (label.len && depth > 0) {
		out_repeat(&o, ' ', (size_t)depth * PLAN_INDENT - 2);
		out_str(&o, label);
		plan_json_put(j, &o, j->last);
		o.len = 0;
	}
	postgres_name(&o, node);
	n.name = out_view(&o);
	if (plan_json_node(j, &n, depth, STR("\"Node Type\":"), &at)) {
		postgres_properties(j, node, depth, at);
		for (size_t i = 0; i < json_doc_len(below); i++)
			postgres_node(j, json_doc_at(below, i), depth + 1);
	}
	out_fini(&o);
}

static void postgres_trigger(struct plan_json *j, struct json_object *trigger)
{
	struct str constraint = plan_json_str(trigger, "Constraint Name");
	uint32_t at = plan_json_at(j, STR("\"Trigger Name\":"));
	struct out o = { .fd = -1 };

	j->is_crowded |= at == j->last;
	j->last = at;
	out_z(&o, constraint.len ? "Trigger for constraint " : "Trigger ");
	out_str(&o, constraint.len ? constraint : plan_json_str(trigger, "Trigger Name"));
	out_z(&o, ": time=");
	out_real(&o, plan_json_number(trigger, "Time", 0), 3);
	out_z(&o, " calls=");
	out_real(&o, plan_json_number(trigger, "Calls", 0), 0);
	plan_json_put(j, &o, at);
	out_fini(&o);
}

static void postgres_total(struct plan_json *j, struct json_object *o, const char *key,
			   const char *before, struct str quoted)
{
	double v = plan_json_number(o, key, -1);

	if (v >= 0)
		plan_json_figure(j, 0, before, v, " ms", plan_json_at(j, quoted));
}

/* Write the lines of a statement: its plan, triggers, and times. */
static void postgres_statement(struct plan_json *j, struct json_object *statement)
{
	struct json_object *triggers = json_doc_get(statement, "Triggers");
	struct json_object *timing = json_doc_get(json_doc_get(statement, "JIT"), "Timing");

	postgres_node(j, json_doc_get(statement, "Plan"), 0);
	postgres_total(j, statement, "Planning Time", "Planning Time: ", STR("\"Planning Time\":"));
	for (size_t i = 0; i < json_doc_len(triggers); i++)
		postgres_trigger(j, json_doc_at(triggers, i));
	postgres_total(j, timing, "Total", "Timing: all parts, Total ", STR("\"Timing\":"));
	postgres_total(j, statement, "Execution Time",
		       "Execution Time: ", STR("\"Execution Time\":"));
}

/* MariaDB's names of access types, and the names that MySQL prints for them. */
static const struct {
	const char *type;
	const char *name;
} maria_accesses[] = {
	{ "ALL", "Table scan on " },
	{ "index", "Index scan on " },
	{ "range", "Index range scan on " },
	{ "index_merge", "Index merge on " },
	{ "ref", "Index lookup on " },
	{ "ref_or_null", "Index lookup on " },
	{ "fulltext", "Full-text index search on " },
	{ "eq_ref", "Single-row index lookup on " },
	{ "const", "Constant row from " },
	{ "system", "Constant row from " },
};

/* Total time of a node in ms, for all its loops, including the nodes inside it. */
static double maria_total(struct json_object *o, unsigned int depth);

struct maria_sum {
	double ms;
	unsigned int depth;
};

static bool maria_is_node(const char *key)
{
	return str_glob(STR("query_block|filesort|temporary_table|table|block-nl-join"),
			str_of(key));
}

static void maria_add_total(void *arg, const char *key, struct json_object *v)
{
	struct maria_sum *sum = arg;

	if (sum->depth > PLAN_JSON_DEPTH)
		return;
	if (maria_is_node(key) && json_doc_is_object(v)) {
		sum->ms += str_eq(str_of(key), STR("query_block"))
				   ? plan_json_number(v, "r_total_time_ms", 0)
				   : maria_total(v, sum->depth + 1);
		return;
	}
	sum->depth++;
	json_doc_each(v, maria_add_total, sum);
	for (size_t i = 0; i < json_doc_len(v); i++)
		json_doc_each(json_doc_at(v, i), maria_add_total, sum);
	sum->depth--;
}

static double maria_total(struct json_object *o, unsigned int depth)
{
	struct maria_sum below = { .depth = depth };
	double own = plan_json_number(o, "r_table_time_ms", 0) +
		     plan_json_number(o, "r_unpack_time_ms", 0) +
		     plan_json_number(o, "r_other_time_ms", 0);

	json_doc_each(o, maria_add_total, &below);
	/* the time of a sort includes reading its table, but not filling a temporary table */
	if (json_doc_is_number(json_doc_get(o, "r_total_time_ms")) &&
	    !json_doc_get(o, "temporary_table"))
		return plan_json_number(o, "r_total_time_ms", 0);
	return own + plan_json_number(o, "r_total_time_ms", 0) + below.ms;
}

static void maria_name(struct out *o, const char *key, struct json_object *v)
{
	struct str index = plan_json_str(v, "key");

	if (str_eq(str_of(key), STR("table"))) {
		struct str type = plan_json_str(v, "access_type");
		const char *name = "Access to ";

		for (size_t i = 0; i < ARRAY_LEN(maria_accesses); i++) {
			if (str_eq(type, str_of(maria_accesses[i].type)))
				name = maria_accesses[i].name;
		}
		out_z(o, name);
		out_str(o, plan_json_str(v, "table_name"));
		if (index.len) {
			out_z(o, " using ");
			out_str(o, index);
		}
	} else if (str_eq(str_of(key), STR("query_block"))) {
		out_z(o, "Query block ");
		out_i64(o, json_doc_integer(json_doc_get(v, "select_id")));
	} else if (str_eq(str_of(key), STR("filesort"))) {
		out_z(o, "Sort: ");
		out_str(o, plan_json_str(v, "sort_key"));
	} else if (str_eq(str_of(key), STR("temporary_table"))) {
		out_z(o, "Temporary table");
	} else {
		out_z(o, "Block nested loop join (");
		out_str(o, plan_json_str(v, "join_type"));
		out_char(o, ')');
	}
}

struct maria_place {
	struct plan_json *json;
	unsigned int depth;
};

static void maria_walk(void *arg, const char *key, struct json_object *v);

/* Write the conditions of a node. @removed: number of rows that they removed, per loop. */
static void maria_conditions(struct plan_json *j, struct json_object *v, unsigned int depth,
			     double removed, bool is_join, uint32_t at)
{
	struct str condition = plan_json_str(v, "attached_condition");
	struct str index = plan_json_str(v, "index_condition");

	if (condition.len)
		plan_json_property(j, depth, is_join ? STR("Join Filter") : STR("Filter"),
				   condition, at);
	if (index.len)
		plan_json_property(j, depth, STR("Index Cond"), index, at);
	if (removed > 0)
		plan_json_figure(j, depth,
				 is_join ? "Rows Removed by Join Filter: "
					 : "Rows Removed by Filter: ",
				 removed, "", at);
}

static void maria_node(struct maria_place *p, const char *key, struct json_object *v)
{
	struct maria_place below = { p->json, p->depth + 1 };
	bool is_join = str_eq(str_of(key), STR("block-nl-join"));
	double read = plan_json_number(
		v, "r_rows",
		plan_json_number(v, "r_effective_rows", plan_json_number(v, "r_output_rows", -1)));
	double kept = plan_json_number(v, "r_filtered", 100) / 100;
	double estimate = plan_json_number(v, "rows", -1);
	/* a temporary table has no number of loops, because it is filled once */
	double loops = plan_json_number(v, "r_loops", json_doc_get(v, "access_type") ? 0 : 1);
	struct out name = { .fd = -1 };
	struct out quoted = { .fd = -1 };
	struct plan_json_node n = {
		.estimate =
			estimate < 0 ? -1 : estimate * plan_json_number(v, "filtered", 100) / 100,
		.rows = read < 0 ? -1 : read * kept,
		.loops = loops,
		.ms = loops >= 1 ? maria_total(v, 0) / loops : 0,
	};
	uint32_t at;

	maria_name(&name, key, v);
	n.name = out_view(&name);
	out_printf(&quoted, "\"%s\": {", key);
	if (plan_json_node(p->json, &n, p->depth, out_view(&quoted), &at)) {
		maria_conditions(p->json, v, p->depth, read * (1 - kept), is_join, at);
		json_doc_each(v, maria_walk, &below);
	}
	out_fini(&name);
	out_fini(&quoted);
}

/*
 * Write the nodes in @v, which is the member @key of an object. @v may be a node, or it may contain
 * nodes, as an array of subqueries does. Such an array is no node, so its nodes are not one level
 * deeper.
 */
static void maria_walk(void *arg, const char *key, struct json_object *v)
{
	struct maria_place *p = arg;

	if (p->depth > PLAN_JSON_DEPTH)
		return;
	if (maria_is_node(key) && json_doc_is_object(v)) {
		maria_node(p, key, v);
		return;
	}
	json_doc_each(v, maria_walk, p);
	for (size_t i = 0; i < json_doc_len(v); i++)
		json_doc_each(json_doc_at(v, i), maria_walk, p);
}

/* Copy the document without the marks '+' at the ends of lines. */
static void plan_json_copy(struct str text, struct out *o)
{
	struct str rest = text;
	struct str line;

	while (str_line(&rest, &line)) {
		struct str s = str_rtrim(line);

		out_str(o, s.len && s.p[s.len - 1] == '+' ? str_sub(s, 0, s.len - 1) : line);
		out_char(o, '\n');
	}
}

static int plan_json_read(const struct region *in, struct dossier *d, struct error *err)
{
	CLEANUP(out_fini) struct out copy = { .fd = -1 };
	CLEANUP(json_doc_freep) struct json_object *doc = NULL;
	CLEANUP(query_plan_freep) struct plan_reader *plan = NULL;
	struct plan_json j = { .in = in };
	struct json_object *statement;
	bool is_cut;
	int status;

	plan_json_copy(in->text, &copy);
	j.text = out_view(&copy);
	while (j.at < j.text.len && j.text.p[j.at] != '{' && j.text.p[j.at] != '[')
		j.at++;
	status = json_doc_open(str_skip(j.text, j.at), &doc, &is_cut, err);
	if (status < 0)
		return status;
	plan = query_plan_open(&format_query_plan_json, in, d);
	j.plan = plan;
	j.c = d->captures.data[d->captures.len - 1];
	statement = json_doc_is_array(doc) ? json_doc_at(doc, 0) : doc;
	if (json_doc_get(statement, "Plan"))
		postgres_statement(&j, statement);
	else
		maria_walk(&(struct maria_place){ &j, 0 }, "", statement);
	if (j.is_crowded)
		return fail(err, ERR_FORMAT,
			    "two nodes of the plan are on one line: print it with one member a "
			    "line, as jq does");
	return query_plan_close(plan, err);
}

const struct format format_query_plan_json = {
	.name = "query-plan-json",
	.title = "query plan",
	.summary = "EXPLAIN (ANALYZE, FORMAT JSON) of PostgreSQL, ANALYZE FORMAT=JSON of MariaDB",
	.kinds = KIND_PROFILE | KIND_COUNTERS,
	.probe = plan_json_probe,
	.find = plan_json_find,
	.read = plan_json_read,
};
