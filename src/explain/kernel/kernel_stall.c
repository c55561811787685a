/* SPDX-License-Identifier: MIT */
#include "explain/kernel/kernel_stall.h"

#include "analyses/logs/log_facts.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/kinds/records.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/kernel/kernel_trace.h"

/*
 * Parse the line of one stalled CPU: "rcu:  3-....: (20999 ticks this GP) idle=… fqs=5250". The
 * four characters after "-" show the state of the CPU.
 */
static bool kernel_stall_cpu(struct str text, uint32_t record, struct kernel_stall *s)
{
	struct log_match m;
	uint64_t cpu;

	text = str_ltrim(text);
	(void)str_take(&text, STR("rcu:"));
	text = str_ltrim(text);
	if (!str_u64(&text, &cpu) || !str_take(&text, STR("-")) || text.len < 6 ||
	    !str_starts(str_skip(text, 4), STR(": (")))
		return false;
	if (s->n < KERNEL_STALL_CPUS) {
		s->cpus[s->n] = (unsigned int)cpu;
		s->records[s->n] = record;
	}
	s->n++;
	s->n_tickless += str_contains(text, STR("(0 ticks this GP)"));
	s->n_unforced += log_match_in(text, "fqs=%u", &m) && m.n[0] == 0;
	return true;
}

/*
 * Parse the list of stalled CPUs that older kernels print: "stalls on CPUs/tasks: { 3 14} (detected
 * by …".
 */
static void kernel_stall_list(struct str text, uint32_t record, struct kernel_stall *s)
{
	struct str word;

	text = str_skip(text, str_find(text, STR("stall")));
	text = str_skip(text, str_find_char(text, '{'));
	text = str_sub(text, 0, str_find_char(text, '}'));
	(void)str_take(&text, STR("{"));
	while (str_word(&text, &word)) {
		uint64_t cpu;

		/* an expedited stall prints the state of the CPU, too: "{ 0-... }" */
		if (!str_u64(&word, &cpu) || (word.len && word.p[0] != '-'))
			continue;
		if (s->n < KERNEL_STALL_CPUS) {
			s->cpus[s->n] = (unsigned int)cpu;
			s->records[s->n] = record;
		}
		s->n++;
	}
}

/* Parse a line of the task dump: "bch_rebalance   R  running task        0   353      2". */
static void kernel_stall_task(struct str text, uint32_t record, struct kernel_stall *s)
{
	size_t at = str_find(text, STR("  running task "));
	struct str name = str_trim(str_sub(text, 0, at));

	if (s->task.len || at == text.len || !str_ends(name, STR(" R")))
		return;
	(void)str_take(&name, STR("task:"));
	s->task = str_sub(name, 0, str_find(name, STR(" ")));
	s->task_record = record;
}

void kernel_stall_read(const struct rule_input *in, uint32_t first, struct kernel_stall *ret)
{
	const struct records *r = in->capture->records;

	struct log_match at;

	*ret = (struct kernel_stall){ .n = 0 };
	kernel_stall_list(r->rows.data[first].text, first, ret);
	if (log_match_in(r->rows.data[first].text, "} %u jiffies", &at)) {
		ret->jiffies = at.n[0];
		ret->jiffies_record = first;
	}
	for (uint32_t i = first; i < r->rows.len && i < first + KERNEL_STALL_LINES; i++) {
		struct str text = r->rows.data[i].text;
		struct log_match m;

		/* the list of CPUs ends with this line: "(detected by 0, t=26002 jiffies," */
		if (log_match_in(text, "t=%u jiffies", &m)) {
			ret->jiffies = m.n[0];
			ret->jiffies_record = i;
			return;
		}
		if (i > first)
			(void)kernel_stall_cpu(text, i, ret);
		kernel_stall_task(text, i, ret);
	}
}

const char *kernel_stall_cpus(struct findings *out, const struct kernel_stall *s)
{
	const char *text = "";

	if (s->n == 0)
		return "the stalled CPU";
	if (s->n > KERNEL_STALL_CPUS)
		return finding_name(out, "%u CPUs", s->n);
	for (unsigned int i = 0; i < s->n; i++)
		text = finding_name(out, "%s%s%u", text,
				    i == 0          ? ""
				    : i + 1 == s->n ? " and "
						    : ", ",
				    s->cpus[i]);
	return finding_name(out, "%s %s", s->n == 1 ? "CPU" : "CPUs", text);
}

const char *kernel_stall_says(struct findings *out, const struct kernel_stall *s)
{
	const char *after = "";

	if (s->jiffies)
		after = finding_name(out, " after %llu jiffies", (unsigned long long)s->jiffies);
	return finding_name(out, "%s%s%s%s%s" STR_FMT, s->n ? " of " : "",
			    s->n ? kernel_stall_cpus(out, s) : "", after,
			    s->n && s->n_tickless == s->n ? ", without a timer tick" : "",
			    s->task.len ? ", while it runs task " : "", STR_ARG(s->task));
}

/*
 * The module in the line of a frame, " [mod]" in "walk+0x11/0x20 [mod]" for the function "walk".
 * Empty: none.
 */
static struct str kernel_stall_module(struct str text, struct str function)
{
	size_t open;

	text = str_skip(text, str_find(text, function));
	open = str_find(text, STR(" ["));
	if (open == text.len)
		return STR_NONE;
	text = str_skip(text, open);
	return str_sub(text, 0, str_find_char(text, ']') + 1);
}

const char *kernel_stall_place(const struct rule_input *in, struct findings *out,
			       const struct kernel_trace *t, const char *which, const char *where)
{
	struct str text;
	struct str module;
	struct str place = str_of(where);
	size_t name = sizeof("in ") - 1 + t->names[0].len;
	const char *is_in = "the stack was";

	if (t->n == 0 || t->is_interrupted)
		return t->is_softirq
			       ? finding_name(out, "; at the %sreport it ran a softirq%s" STR_FMT,
					      which, t->n ? ", which had interrupted " : "",
					      STR_ARG(str_skip(place, sizeof("in ") - 1)))
			       : "";
	text = str_ltrim(in->capture->records->rows.data[t->records[0]].text);
	module = kernel_stall_module(text, t->names[0]);
	if (str_starts(text, STR("RIP")))
		is_in = "RIP was";
	else if (str_starts(text, STR("pc :")) || str_starts(text, STR("PC is at")))
		is_in = "PC was";
	return finding_name(out, "; at the %sreport %s " STR_FMT STR_FMT STR_FMT "%s", which, is_in,
			    STR_ARG(str_sub(place, 0, name)), STR_ARG(module),
			    STR_ARG(str_skip(place, name)), t->is_softirq ? ", in a softirq" : "");
}
