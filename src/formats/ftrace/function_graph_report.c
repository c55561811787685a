/* SPDX-License-Identifier: MIT */
/* function_graph_report.c - lines of a function graph as trace-cmd report prints them */
#include "formats/ftrace/function_graph_line.h"

#include "base/str.h"
#include "core/calls.h"

static bool fg_hex_field(struct str s, struct str key, uint64_t *ret)
{
	size_t at = str_find(s, key);

	if (at == s.len)
		return false;
	s = str_skip(s, at + key.len);
	return str_hex64(&s, ret);
}

/*
 * Parse the fields of an event of trace-cmd report -R: "func=f depth=1 calltime=1a4e8b1e5
 * rettime=1a4e99bfd".
 */
static void fg_trace_cmd_raw(struct str s, bool is_exit, struct fg_line *ret)
{
	struct str depth = str_skip(s, str_find(s, STR("depth=")) + 6);
	uint64_t n = 0;
	uint64_t from;
	uint64_t to;

	ret->name = str_sub(s, 5, 5 + str_find_char(str_skip(s, 5), ' '));
	if (!fg_name_ok(ret->name) || !str_u64(&depth, &n) || n > UINT32_MAX) {
		ret->kind = FG_PARTIAL;
		return;
	}
	ret->kind = is_exit ? FG_CLOSE : FG_OPEN;
	ret->depth = (uint32_t)n;
	ret->has_depth = true;
	ret->columns |= FG_DURATION;
	if (!is_exit)
		return;
	ret->tail.name = ret->name;
	if (fg_hex_field(s, STR("retval="), &ret->tail.retval))
		ret->tail.retval_kind = RETVAL_HEX;
	if (fg_hex_field(s, STR("calltime="), &from) && fg_hex_field(s, STR("rettime="), &to) &&
	    to >= from) {
		ret->dur_ns = to - from;
		ret->has_duration = true;
		ret->decimals = 3;
	}
}

/* Parse the CPU: "[001]". trace-cmd report -l prints CPU and flags instead: "1..s1.". */
static bool fg_trace_cmd_cpu(struct str word, struct fg_line *ret)
{
	struct str s = word;
	uint64_t cpu;

	if (str_take(&s, STR("["))) {
		if (!str_u64(&s, &cpu) || !str_eq(s, STR("]")) || cpu > UINT32_MAX)
			return false;
	} else if (!str_u64(&s, &cpu) || cpu > UINT32_MAX || !fg_is_flags(s)) {
		return false;
	}
	ret->cpu = (uint32_t)cpu;
	ret->columns |= FG_CPU;
	return true;
}

bool fg_trace_cmd_front(struct str s, struct fg_line *ret)
{
	struct str task = STR_NONE;
	struct str rest;
	struct str word;
	struct str comm;
	uint32_t pid;
	uint8_t decimals;

	s = str_trim(s);
	if (s.len && s.p[s.len - 1] == ')') /* "(+264)": the time difference that --ts-diff adds */
		s = str_rtrim(str_sub(s, 0, str_rfind_char(s, '(')));
	if (!str_ends(s, STR(":")))
		return s.len == 0;
	s.len--;
	word = str_skip(s, str_rfind_char(s, ' ') == s.len ? 0 : str_rfind_char(s, ' ') + 1);
	s = str_rtrim(str_sub(s, 0, (size_t)(word.p - s.p)));
	if (!word.len || !fg_number(word, 1000000000, &ret->time_ns, &decimals))
		return false;
	ret->columns |= FG_TIME;
	rest = s;
	while (str_word(&rest, &word) && !fg_trace_cmd_cpu(word, ret))
		task = (struct str){ s.p, (size_t)(word.p + word.len - s.p) };
	if (!(ret->columns & FG_CPU))
		return true;
	task = str_trim(task);
	/* "inst:  comm-pid": the instance that -B adds */
	if (task.len && str_find(task, STR(": ")) < task.len)
		task = str_ltrim(str_skip(task, str_find(task, STR(": ")) + 2));
	if (task.len > 10 && task.p[task.len - 1] == ')') /* "(tgid)": the thread group */
		task = str_rtrim(str_sub(task, 0, str_rfind_char(task, '(')));
	if (fg_task_split(task, &comm, &pid)) {
		ret->columns |= FG_TASK;
		ret->task = task;
	}
	return true;
}

bool fg_trace_cmd(struct str s, struct fg_line *ret)
{
	size_t at = str_find(s, STR("funcgraph_e"));
	struct str rest = str_skip(s, at);
	bool is_exit;

	if (at == s.len)
		return false;
	is_exit = str_take(&rest, STR("funcgraph_exit:"));
	if (!is_exit && !str_take(&rest, STR("funcgraph_entry:")))
		return false;
	if (!fg_trace_cmd_front(str_sub(s, 0, at), ret))
		return false;
	rest = str_rtrim(rest);
	ret->columns |= FG_TRACE_CMD;
	if (str_starts(str_ltrim(rest), STR("func="))) {
		fg_trace_cmd_raw(str_ltrim(rest), is_exit, ret);
		return true;
	}
	ret->kind = FG_PARTIAL;
	{
		struct fg_line right = { .columns = FG_CPU };

		fg_columns(rest, &right);
		if (!(right.columns & FG_DURATION))
			return true;
		right.columns |= ret->columns;
		right.cpu = ret->cpu;
		right.time_ns = ret->time_ns;
		right.task = ret->task;
		if (!(ret->columns & FG_CPU))
			right.columns &= ~(unsigned int)FG_CPU;
		*ret = right;
	}
	return true;
}
