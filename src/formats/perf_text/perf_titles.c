/* SPDX-License-Identifier: MIT */
#include "formats/perf_text/perf_titles.h"

#include "base/status.h"
#include "base/str.h"
#include "formats/perf_text/perf_line.h"

/*
 * Known titles, searched in order. If a title is the start of a longer title, the longer title
 * comes first.
 */
static const struct title {
	struct str text;
	uint8_t kind;
	bool is_percent;
	/*
	 * minimum number of letters that perf's TUI leaves of the title; 0: it is never truncated
	 */
	uint8_t shortest;
} titles_known[] = {
	{ STR("Source Shared Object"), PERF_COL_DSO, false, 0 },
	{ STR("Target Shared Object"), PERF_COL_EXTRA, false, 0 },
	{ STR("Source Symbol"), PERF_COL_SYMBOL, false, 10 },
	{ STR("Target Symbol"), PERF_COL_EXTRA, false, 10 },
	{ STR("From Source:Line"), PERF_COL_EXTRA, false, 0 },
	{ STR("To Source:Line"), PERF_COL_EXTRA, false, 0 },
	{ STR("From Line"), PERF_COL_EXTRA, false, 0 },
	{ STR("To Line"), PERF_COL_EXTRA, false, 0 },
	{ STR("FromSrcLine"), PERF_COL_EXTRA, false, 0 },
	{ STR("ToSrcLine"), PERF_COL_EXTRA, false, 0 },
	{ STR("BBCycles"), PERF_COL_EXTRA, false, 0 },
	{ STR("Basic Block Cycles"), PERF_COL_EXTRA, false, 0 },
	{ STR("Branch Mispredicted"), PERF_COL_EXTRA, false, 0 },
	{ STR("Branch Predicted"), PERF_COL_EXTRA, false, 0 },
	{ STR("Source:Line"), PERF_COL_EXTRA, false, 0 },
	{ STR("Source File"), PERF_COL_EXTRA, false, 0 },
	{ STR("In Transaction"), PERF_COL_EXTRA, false, 0 },
	{ STR("guest sys"), PERF_COL_EXTRA, true, 0 },
	{ STR("guest usr"), PERF_COL_EXTRA, true, 0 },
	{ STR("sys"), PERF_COL_EXTRA, true, 0 },
	{ STR("usr"), PERF_COL_EXTRA, true, 0 },
	{ STR("Parent symbol"), PERF_COL_EXTRA, false, 0 },
	{ STR("Data Symbol"), PERF_COL_EXTRA, false, 0 },
	{ STR("Data Object"), PERF_COL_EXTRA, false, 0 },
	{ STR("Data Type Offset"), PERF_COL_EXTRA, false, 0 },
	{ STR("Data Type"), PERF_COL_EXTRA, false, 0 },
	{ STR("Trace output"), PERF_COL_EXTRA, false, 0 },
	{ STR("Memory access"), PERF_COL_EXTRA, false, 0 },
	{ STR("Local Weight"), PERF_COL_EXTRA, false, 0 },
	{ STR("Weight"), PERF_COL_EXTRA, false, 0 },
	{ STR("TLB access"), PERF_COL_EXTRA, false, 0 },
	{ STR("Locked"), PERF_COL_EXTRA, false, 0 },
	{ STR("Blocked"), PERF_COL_EXTRA, false, 0 },
	{ STR("Local INSTR Latency"), PERF_COL_EXTRA, false, 0 },
	{ STR("INSTR Latency"), PERF_COL_EXTRA, false, 0 },
	{ STR("Local Retire Latency"), PERF_COL_EXTRA, false, 0 },
	{ STR("Retire Latency"), PERF_COL_EXTRA, false, 0 },
	{ STR("Data Physical Address"), PERF_COL_EXTRA, false, 0 },
	{ STR("Data Page Size"), PERF_COL_EXTRA, false, 0 },
	{ STR("Snoop"), PERF_COL_EXTRA, false, 0 },
	{ STR("Sampled Cycles%"), PERF_COL_SELF, true, 0 },
	{ STR("Sampled Cycles"), PERF_COL_EXTRA, false, 0 },
	{ STR("Avg Cycles%"), PERF_COL_EXTRA, false, 0 },
	{ STR("Avg Cycles"), PERF_COL_EXTRA, false, 0 },
	{ STR("[Program Block Range]"), PERF_COL_EXTRA, false, 0 },
	{ STR("Overhead"), PERF_COL_SELF, true, 0 },
	{ STR("Children"), PERF_COL_CHILDREN, true, 0 },
	{ STR("Self"), PERF_COL_SELF, true, 0 },
	{ STR("pcnt"), PERF_COL_SELF, true, 0 },
	{ STR("Samples"), PERF_COL_SAMPLES, false, 0 },
	{ STR("samples"), PERF_COL_SAMPLES, false, 0 },
	{ STR("Sample"), PERF_COL_SAMPLES, false, 0 },
	{ STR("Period"), PERF_COL_PERIOD, false, 0 },
	{ STR("EventCount"), PERF_COL_PERIOD, false, 0 },
	{ STR("Pid:Command"), PERF_COL_PID, false, 5 },
	{ STR("Pid: Command"), PERF_COL_PID, false, 6 },
	{ STR("Tid:Command"), PERF_COL_PID, false, 5 },
	{ STR("Pid"), PERF_COL_PID, false, 0 },
	{ STR("Tid"), PERF_COL_EXTRA, false, 0 },
	{ STR("CPU"), PERF_COL_CPU, false, 0 },
	{ STR("Command"), PERF_COL_COMM, false, 4 },
	{ STR("Shared Object"), PERF_COL_DSO, false, 6 },
	{ STR("Object"), PERF_COL_DSO, false, 0 },
	{ STR("DSO"), PERF_COL_DSO, false, 0 },
	{ STR("Symbol"), PERF_COL_SYMBOL, false, 3 },
	{ STR("function"), PERF_COL_SYMBOL, false, 0 },
};

/*
 * The known title at the start of @s, which perf's TUI may have truncated; NULL: none. @ret_len:
 * length of the title as printed.
 */
static const struct title *titles_find(struct str s, size_t *ret_len)
{
	for (size_t i = 0; i < ARRAY_LEN(titles_known); i++) {
		const struct title *t = &titles_known[i];
		size_t n = 0;

		if (t->text.p[0] != s.p[0])
			continue;
		while (n < s.len && n < t->text.len && s.p[n] == t->text.p[n])
			n++;
		if (n < t->text.len && (!t->shortest || n < t->shortest))
			continue;
		while (n > 0 && s.p[n - 1] == ' ')
			n--;
		if (n < s.len && !char_is_space(s.p[n]))
			continue;
		*ret_len = n;
		return t;
	}
	return NULL;
}

/*
 * Take one title from the start of @s into @column. Returns its length. A known title may contain
 * gaps; an unknown title ends at a gap, which is two blanks or a tab. @ret_percent: whether the
 * column has percentages.
 */
static size_t titles_take(struct str s, struct perf_column *column, bool *ret_percent)
{
	size_t len = perf_line_gap(s);
	const struct title *t = NULL;

	/*
	 * "Command / Shared Object / Symbol" is a single title, because --hierarchy has one column
	 * for all levels
	 */
	if (!str_contains(str_sub(s, 0, len), STR(" / ")))
		t = titles_find(s, &len);
	*ret_percent = t && t->is_percent;
	column->kind = t ? t->kind : PERF_COL_EXTRA;
	if (!t) {
		/* "IPC   [IPC Coverage]" is one column */
		if (str_starts(s, STR("IPC")) && str_find_char(s, ']') < s.len)
			len = str_find_char(s, ']') + 1;
	}
	column->title = str_rtrim(str_sub(s, 0, len));
	return len;
}

/* Split @title, the title of --hierarchy, into its levels: "Command / Shared Object / Symbol". */
static void titles_hierarchy(struct str title, struct perf_layout *l)
{
	struct str sep = STR(" / ");

	if (!str_contains(title, sep))
		return;
	for (l->n_hierarchy = 0; title.len && l->n_hierarchy < PERF_HIERARCHY;) {
		size_t end = str_find(title, sep);
		struct str level = str_trim(str_sub(title, 0, end));
		size_t len;
		const struct title *t = level.len ? titles_find(level, &len) : NULL;

		l->level_titles[l->n_hierarchy] = level;
		l->hierarchy[l->n_hierarchy++] = t ? t->kind : PERF_COL_EXTRA;
		title = str_skip(title, end + sep.len);
	}
}

static void titles_read(struct str line, struct perf_layout *l)
{
	size_t at = 0;

	while (l->n < PERF_COLUMNS) {
		struct perf_column *c = &l->columns[l->n];
		bool is_percent;
		size_t len;

		while (at < line.len && char_is_space(line.p[at]))
			at++;
		if (at == line.len)
			break;
		len = titles_take(str_skip(line, at), c, &is_percent);
		c->from = (uint32_t)at;
		titles_hierarchy(c->title, l);
		if (is_percent && l->n == l->n_percents + l->n_leading)
			l->n_percents++;
		else if (l->n_percents == 0)
			l->n_leading++;
		if (c->kind == PERF_COL_SYMBOL) {
			if (l->has_symbol)
				c->kind = PERF_COL_EXTRA;
			l->has_symbol = true;
		}
		l->n++;
		at += len;
	}
}

bool perf_titles_read(struct str line, struct perf_layout *ret)
{
	struct str s = line;
	size_t i = perf_line_indent(line);
	size_t len;
	unsigned int known = 0;

	if (i < s.len && s.p[i] == '#')
		i++;
	while (i < s.len && char_is_blank(s.p[i]))
		i++;
	if (i == s.len || !memchr("OCSBsP", s.p[i], 6))
		return false;
	if (!str_starts(str_skip(s, i), STR("Baseline")) && !titles_find(str_skip(s, i), &len))
		return false;
	*ret = (struct perf_layout){ .has_titles = true };
	/* '#' precedes the titles: their start columns still count from the start of the line */
	if (perf_line_indent(line) < i && s.p[perf_line_indent(line)] == '#') {
		struct str rest = str_skip(s, i);

		titles_read(rest, ret);
		for (unsigned int k = 0; k < ret->n; k++)
			ret->columns[k].from += (uint32_t)i;
	} else {
		titles_read(line, ret);
	}
	for (unsigned int k = 0; k < ret->n; k++) {
		const struct perf_column *c = &ret->columns[k];
		bool is_known = titles_find(c->title, &len) != NULL;

		known += is_known;
		ret->is_diff |=
			str_eq(c->title, STR("Baseline")) || str_starts(c->title, STR("Delta"));
		/*
		 * words separated by single blanks are a sentence, not titles: "Overhead of this is
		 * 5%"
		 */
		if (!is_known && k > 0 &&
		    c->from < ret->columns[k - 1].from + ret->columns[k - 1].title.len + 2)
			return false;
	}
	if (ret->is_diff)
		return true;
	if (ret->n_percents == 0)
		return false;
	if (str_trim(line).p[0] == '#')
		return ret->n > 1;
	return ret->n > ret->n_percents && known * 2 >= ret->n;
}

void perf_titles_more(struct str line, struct perf_layout *layout)
{
	unsigned int n = layout->n;

	line = str_ltrim(line);
	if (line.len && line.p[0] == '#')
		line = str_skip(line, 1);
	titles_read(line, layout);
	for (; n < layout->n; n++)
		/*
		 * place the titles of the second line to the right of all titles of the first line
		 */
		layout->columns[n].from += 1u << 16;
}

void perf_titles_ruler(struct str line, struct perf_layout *layout)
{
	size_t at = 0;
	unsigned int k = 0;
	uint32_t from[PERF_COLUMNS];

	if (str_starts(line, STR("#")))
		at = 1;
	while (k < PERF_COLUMNS) {
		while (at < line.len && line.p[at] != '.' && line.p[at] != '_')
			at++;
		if (at >= line.len)
			break;
		from[k++] = (uint32_t)at;
		while (at < line.len && (line.p[at] == '.' || line.p[at] == '_'))
			at++;
	}
	if (k != layout->n)
		return;
	for (unsigned int i = 0; i < k; i++)
		layout->columns[i].from = from[i];
}

void perf_titles_memory(struct perf_layout *ret)
{
	/*
	 * source: default_mem_sort_order in tools/perf/util/sort.c. The columns Overhead and
	 * Samples precede these columns
	 */
	static const struct {
		struct str title;
		uint8_t kind;
	} columns[] = {
		{ STR("Overhead"), PERF_COL_SELF },      { STR("Samples"), PERF_COL_SAMPLES },
		{ STR("Local Weight"), PERF_COL_EXTRA }, { STR("Memory access"), PERF_COL_EXTRA },
		{ STR("Symbol"), PERF_COL_SYMBOL },      { STR("Shared Object"), PERF_COL_DSO },
		{ STR("Data Symbol"), PERF_COL_EXTRA },  { STR("Data Object"), PERF_COL_EXTRA },
		{ STR("Snoop"), PERF_COL_EXTRA },        { STR("TLB access"), PERF_COL_EXTRA },
		{ STR("Locked"), PERF_COL_EXTRA },       { STR("Blocked"), PERF_COL_EXTRA },
	};

	*ret = (struct perf_layout){
		.n = ARRAY_LEN(columns), .n_percents = 1, .has_titles = true, .has_symbol = true
	};
	/* the start columns are unknown, so cells are assigned in order */
	for (unsigned int i = 0; i < ret->n; i++)
		ret->columns[i] =
			(struct perf_column){ columns[i].title, UINT32_MAX, columns[i].kind };
}
