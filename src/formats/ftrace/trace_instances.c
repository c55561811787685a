/* SPDX-License-Identifier: MIT */
#include "formats/ftrace/trace_instances.h"

#define INSTANCES_LINES 200u /* the name of an instance is searched in this many lines */
#define INSTANCES_NAME  100u

struct str trace_instance_of(struct str line)
{
	struct str s = str_ltrim(line);
	size_t n = 0;
	size_t bracket;

	while (n < s.len && n < INSTANCES_NAME && s.p[n] != ':' && s.p[n] != ' ' && s.p[n] != '[')
		n++;
	if (n == 0 || n + 1 >= s.len || s.p[n] != ':' || s.p[n + 1] != ' ')
		return STR("");
	/* a ':' can also be the end of a comm, so "comm-pid [cpu]" must follow the ':' */
	bracket = str_find_char(str_sub(s, n, n + INSTANCES_NAME), '[');
	if (bracket + 1 >= s.len - n || bracket >= INSTANCES_NAME ||
	    !char_is_digit(s.p[n + bracket + 1]) ||
	    str_rfind_char(str_sub(s, n, n + bracket), '-') >= bracket)
		return STR("");
	return str_sub(s, 0, n);
}

/*
 * Whether @line looks like a trace line, "comm-pid [cpu] ... time: event". Only the "[cpu]" is
 * checked.
 */
static bool instances_is_row(struct str line)
{
	size_t bracket = str_find_char(str_sub(line, 0, 128), '[');

	return bracket + 1 < line.len && bracket < 128 && char_is_digit(line.p[bracket + 1]);
}

static void instances_add(struct trace_instances *t, struct str line)
{
	struct str name = trace_instance_of(line);
	bool is_graph = str_contains(str_sub(line, 0, 160), STR(": funcgraph_e"));

	VEC_FOREACH (row, &t->rows) {
		if (!str_eq(row->name, name))
			continue;
		t->n_graphs += is_graph && !row->has_graph;
		row->has_graph |= is_graph;
		return;
	}
	if (t->rows.len >= TRACE_INSTANCES_MAX)
		return;
	*VEC_PUSH(&t->rows) = (struct trace_instance){ name, is_graph };
	t->n_graphs += is_graph;
}

void trace_instances_find(struct str text, struct trace_instances *ret)
{
	struct str rest = text;
	struct str line;
	bool has_any = false;

	memset(ret, 0, sizeof(*ret));
	for (unsigned int i = 0; i < INSTANCES_LINES && !has_any && str_line(&rest, &line); i++)
		has_any = instances_is_row(line) && trace_instance_of(line).len;
	rest = text;
	while (has_any && str_line(&rest, &line)) {
		if (instances_is_row(line))
			instances_add(ret, line);
	}
}
