/* SPDX-License-Identifier: MIT */
/*
 * tree_rows.c - lines of call trees: sample of macOS, GHC's .prof, pmcstat -G of FreeBSD,
 * Profile.print() of Julia, node --prof-process, sysprof, profiler-report of Emacs
 *
 * Definitions: sample(1) of macOS; rts/ProfilerReport.c of GHC; pmcstat_cgnode_print() in
 * usr.sbin/pmcstat/pmcpl_callgraph.c of FreeBSD; tree_format() in stdlib/Profile/src/Profile.jl of
 * Julia; printHeavyProfile() in tools/tickprocessor.mjs of V8.
 */
#include "formats/profilers/tree_rows.h"

#include "base/status.h"
#include "base/str.h"

#include <math.h>

#define TREE_BYTES 4096u /* maximum length of a line */
#define TREE_WORDS 64u
/*
 * how many numbers a row of GHC has: no., entries, %time and %alloc without callees, %time and
 * %alloc with callees
 */
#define TREE_NUMBERS 6u
/* how many numbers a row has with GHC -P, which appends ticks and bytes */
#define TREE_TICKS 8u

/*
 * Parse a row of macOS's sample. False: @line is no such row. Example (one line in the file):
 *   "    +   ! : 1800 shelf_find  (in shelfd) +
 *   44,28,...  [0x10f1a5a2c,...]  shelf.c:12"
 */
static bool tree_sample_row(struct str line, struct tree_row *ret)
{
	struct str rest = line;
	size_t in;

	while (rest.len && strchr(" +!:|", rest.p[0]))
		rest = str_skip(rest, 1);
	ret->tool = TREE_SAMPLE;
	ret->depth = line.len - rest.len;
	if (ret->depth < 4 || !str_u64(&rest, &ret->weight[0]) || !str_take(&rest, STR(" ")))
		return false;
	in = str_find(rest, STR("  (in "));
	ret->name = str_trim(str_sub(rest, 0, in));
	ret->is_thread = str_starts(ret->name, STR("Thread_"));
	/*
	 * shorten "Thread_7   DispatchQueue_1: com.apple.main-thread  (serial)", the name of a
	 * thread, to "Thread_7"
	 */
	if (ret->is_thread)
		ret->name = str_sub(ret->name, 0, str_find(ret->name, STR("   ")));
	rest = str_skip(rest, in + 6);
	ret->module = str_sub(rest, 0, str_find_char(rest, ')'));
	return ret->name.len && (ret->is_thread || (ret->module.len && in + 6 < line.len));
}

/*
 * Parse a row of GHC: "   put   Shelf   src/Shelf.hs:20:1-30   242   2000   20.1   30.4    91.3
 * 90.5". It has name, module, source, no., entries, two shares without callees, and two shares with
 * callees. False: @line is no such row.
 */
static bool tree_ghc_row(struct str line, struct tree_row *ret)
{
	struct str words[TREE_WORDS];
	double v[TREE_TICKS] = { 0 };
	struct str t = str_ltrim(line);
	size_t n = 0, tail = 0;

	ret->depth = line.len - t.len;
	while (n < TREE_WORDS && str_word(&t, &words[n]))
		n++;
	for (; tail < TREE_TICKS && tail + 2 < n; tail++) {
		struct str word = words[n - 1 - tail];

		if (!str_double(&word, &v[TREE_TICKS - 1 - tail]) || word.len ||
		    v[TREE_TICKS - 1 - tail] < 0 || v[TREE_TICKS - 1 - tail] > 1e15)
			break;
	}
	if (t.len || (tail != TREE_NUMBERS && tail != TREE_TICKS))
		return false;
	ret->tool = TREE_GHC;
	ret->has_ticks = tail == TREE_TICKS;
	ret->name = words[0];
	ret->module = words[1];
	/* MAIN is no function: its row stands for work outside of all cost centres */
	ret->is_thread = str_eq(ret->name, STR("MAIN")) && str_eq(ret->module, STR("MAIN"));
	/* store shares, which have one decimal, in tenths of a percent */
	for (size_t i = 0; i < TREE_AMOUNTS; i++)
		ret->weight[i] =
			(uint64_t)llround(ret->has_ticks ? v[TREE_NUMBERS + i] : 10 * v[2 + 2 + i]);
	return ret->name.len > 0 && (ret->has_ticks || (v[4] <= 100 && v[5] <= 100));
}

bool tree_tool_has_callers(enum tree_tool tool)
{
	return tool == TREE_PMCSTAT || tool == TREE_V8;
}

bool tree_row_title(struct str line, struct str *ret_event, uint64_t *ret_samples)
{
	struct str rest = str_trim(line);
	size_t at = str_rfind_char(rest, '[');
	size_t ticks = str_rfind_char(rest, '(');

	if (str_starts(rest, STR("Statistical profiling result from ")) && ticks < rest.len) {
		rest = str_skip(rest, ticks + 1);
		/* CPU time, because V8 takes no samples of sleeping threads */
		*ret_event = STR("cpu-time");
		return str_u64(&rest, ret_samples) && str_starts(rest, STR(" ticks, "));
	}
	if (!str_take(&rest, STR("@ ")) || at < 4)
		return false;
	at -= 2;
	*ret_event = str_trim(str_sub(rest, 0, at));
	rest = str_skip(rest, at + 1);
	return ret_event->len && str_find_char(*ret_event, ' ') == ret_event->len &&
	       str_u64(&rest, ret_samples) && str_eq(rest, STR(" samples]"));
}

/*
 * Parse a row of pmcstat: "  86.48%  [1490]        dmu_buf_will_dirty @ /boot/kernel/zfs.ko". A row
 * without an object has the same object as the row before it. False: @line is no such row.
 */
static bool tree_pmcstat_row(struct str line, struct tree_row *ret)
{
	struct str rest = str_ltrim(line);
	uint64_t whole, part;
	size_t at;

	ret->tool = TREE_PMCSTAT;
	ret->depth = line.len - rest.len;
	if (!str_u64(&rest, &whole) || !str_take(&rest, STR(".")) || !str_u64(&rest, &part) ||
	    !str_take(&rest, STR("%")) || whole > 100)
		return false;
	rest = str_ltrim(rest);
	if (!str_take(&rest, STR("[")) || !str_u64(&rest, &ret->weight[0]) ||
	    !str_take(&rest, STR("] ")))
		return false;
	at = str_find(rest, STR(" @ "));
	ret->name = str_trim(str_sub(rest, 0, at));
	ret->module = str_trim(str_skip(rest, at + 3));
	return ret->name.len > 0 && ret->weight[0] <= UINT32_MAX;
}

/*
 * Parse a row of Julia: "  8\xe2\x95\x8e   273 @Base/boot.jl:330; eval(::Module, ::Any)". Here the
 * function has 273 samples, 8 of them without callees. The depth of the row is the number of
 * characters of its indentation; every fifth of them is a bar. "+12 " before the number adds 12 to
 * the depth: these characters were left out. Before Julia 1.4, the indentation has only blanks.
 * False: @line is no such row.
 */
static bool tree_julia_row(struct str line, struct tree_row *ret)
{
	struct str bar = STR("\xe2\x95\x8e");
	size_t at = str_find(line, bar);
	struct str rest = line;
	uint64_t more = 0;
	size_t place;

	ret->tool = TREE_JULIA;
	ret->has_self = at < line.len;
	if (ret->has_self) {
		struct str self = str_trim(str_sub(line, 0, at));

		if (self.len && (!str_u64(&self, &ret->self) || self.len))
			return false;
		rest = str_skip(line, at + bar.len);
	}
	for (; rest.len && (rest.p[0] == ' ' || str_starts(rest, bar)); ret->depth++)
		rest = str_skip(rest, rest.p[0] == ' ' ? 1 : bar.len);
	if (str_take(&rest, STR("+")) && (!str_u64(&rest, &more) || !str_take(&rest, STR(" "))))
		return false;
	ret->depth += more < TREE_BYTES ? more : TREE_BYTES;
	if (!str_u64(&rest, &ret->weight[0]) || !str_starts(rest, STR(" ")) ||
	    ret->self > ret->weight[0])
		return false;
	place = str_find(rest, STR("; "));
	ret->name = str_trim(str_skip(rest, place + 2));
	rest = str_trim(str_sub(rest, 0, place));
	at = str_rfind_char(rest, ':');
	ret->module = str_sub(rest, 0, at);
	if (str_eq(ret->module, STR("?")))
		ret->module = STR_NONE;
	rest = str_skip(rest, at + 1);
	return ret->name.len && at &&
	       (str_eq(rest, STR("?")) || (str_u64(&rest, &more) && rest.len == 0));
}

/* Take a share with one decimal, in tenths of a percent: 309 for "30.9%". False: no share. */
static bool tree_v8_share(struct str *s, unsigned int *ret_permille)
{
	struct str rest = str_ltrim(*s);
	uint64_t whole, part;

	if (!str_u64(&rest, &whole) || !str_take(&rest, STR(".")) || !str_u64(&rest, &part) ||
	    !str_take(&rest, STR("%")) || whole > 100 || part > 9)
		return false;
	*ret_permille = (unsigned int)(whole * 10 + part);
	*s = rest;
	return true;
}

bool tree_row_v8_table(struct str line, struct tree_row *ret)
{
	struct str rest = str_ltrim(line);
	unsigned int nonlib;

	*ret = (struct tree_row){ .tool = TREE_V8 };
	if (rest.len == line.len || !str_u64(&rest, &ret->weight[0]) ||
	    !tree_v8_share(&rest, &ret->permille))
		return false;
	(void)tree_v8_share(&rest, &nonlib);
	ret->name = str_trim(rest);
	return ret->name.len > 0 && ret->weight[0] <= UINT32_MAX;
}

/*
 * Parse a row of V8's tree: "     42   30.9%    JS: *sorts /srv/app.js:2:15". False: @line is no
 * such row.
 */
static bool tree_v8_row(struct str line, struct tree_row *ret)
{
	struct str rest;

	if (!tree_row_v8_table(line, ret))
		return false;
	rest = str_sub(line, 0, line.len - ret->name.len);
	ret->depth = rest.len;
	if (str_eq(ret->name, STR("UNKNOWN")))
		ret->name = STR("[unknown]");
	/* a row with two shares belongs to a table, not to the tree */
	rest = str_rtrim(rest);
	return str_find_char(rest, '%') + 1 == rest.len;
}

/*
 * Take a share such as "[   0.01%] " and return it in hundredths of a percent. False: no share; @s
 * is unchanged.
 */
static bool tree_sysprof_share(struct str *s, uint64_t *ret)
{
	struct str rest = *s;
	unsigned int printed;

	if (!str_take(&rest, STR("[")))
		return false;
	rest = str_ltrim(rest);
	if (!str_fixed(&rest, 2, ret, &printed) || printed != 2 || *ret > 10000 ||
	    !str_take(&rest, STR("%]")))
		return false;
	*s = rest;
	return true;
}

/*
 * Parse a row of sysprof: "[   0.01%] [  47.09%]                process_one_work". It has the own
 * share, the share with callees, and the function, indented by its depth. Sources: sysprof,
 * src/libsysprof-ui, sysprof_callgraph_page_copy_cb(); for older versions sysprof.c. False: @line
 * is no such row.
 */
static bool tree_sysprof_row(struct str line, struct tree_row *ret)
{
	struct str rest = str_ltrim(line);
	struct str name;

	ret->tool = TREE_SYSPROF;
	if (!tree_sysprof_share(&rest, &ret->self) || !str_take(&rest, STR(" ")) ||
	    !tree_sysprof_share(&rest, &ret->weight[0]))
		return false;
	name = str_ltrim(rest);
	ret->depth = rest.len - name.len;
	ret->name = name;
	ret->has_self = true;
	ret->is_thread = name.len && name.p[0] == '[';
	if (ret->is_thread && str_ends(name, STR("]")))
		ret->name = str_sub(name, 1, name.len - 1);
	return ret->depth && ret->name.len;
}

/*
 * Parse a row of Emacs' profiler-report: "1213  66%      - redisplay" since Emacs 29, and "-
 * redisplay   1213  66%" in older versions. '-' marks a function whose callees follow; '+' marks a
 * function whose callees are hidden. Each blank of indentation is one call. A number with commas is
 * a number of bytes. Source: Emacs, lisp/profiler.el, profiler-report-cpu-line-format,
 * profiler-report-make-name-part(). False: @line is no such row.
 */
static bool tree_emacs_row(struct str line, struct tree_row *ret)
{
	struct str rest = str_ltrim(line);
	size_t at = str_rfind_char(line, '%');
	struct str number, text;
	uint64_t pct;

	ret->tool = TREE_EMACS;
	if (at >= line.len || at < 4)
		return false;
	/* if the line ends with the numbers, the name precedes them */
	if (str_trim(str_skip(line, at + 1)).len == 0) {
		size_t end = at;

		while (end && char_is_digit(line.p[end - 1]))
			end--;
		text = str_rtrim(str_sub(line, 0, end));
		number = str_skip(text, str_rfind_char(text, ' ') + 1);
		text = str_sub(text, 0, text.len - number.len);
		if (!str_ends(text, STR("  ")))
			return false;
		text = str_rtrim(text);
		rest = str_sub(line, end, at);
		if (!str_u64(&rest, &pct) || rest.len || pct > 100)
			return false;
	} else {
		size_t blank = str_find_char(rest, ' ');

		number = str_sub(rest, 0, blank);
		rest = str_ltrim(str_skip(rest, blank));
		if (!str_u64(&rest, &pct) || pct > 100 || !str_take(&rest, STR("%")) ||
		    !str_starts(rest, STR(" ")))
			return false;
		text = rest;
	}
	/* commas separate groups of digits: "12,345" */
	for (size_t i = 0; i < number.len; i++) {
		if (char_is_digit(number.p[i]) && ret->weight[0] < UINT32_MAX)
			ret->weight[0] = ret->weight[0] * 10 + (uint64_t)(number.p[i] - '0');
		else if (number.p[i] != ',' || i == 0)
			return false;
		ret->is_bytes |= number.p[i] == ',';
	}
	ret->name = str_ltrim(text);
	ret->depth = text.len - ret->name.len;
	ret->is_open = str_starts(ret->name, STR("- "));
	ret->is_folded = str_starts(ret->name, STR("+ "));
	/*
	 * hidden callees: it is unknown which samples are the function's own, so count all of them
	 * for the callees
	 */
	ret->has_self = ret->is_folded;
	if (ret->is_open || ret->is_folded)
		ret->name = str_skip(ret->name, 2);
	else if (ret->depth >= 2)
		ret->depth -= 2; /* two blanks stand in the place of '-' or '+' */
	else
		return false;
	return number.len && ret->name.len && !char_is_digit(ret->name.p[0]);
}

bool tree_row_of(struct str line, struct tree_row *ret)
{
	static bool (*const parsers[])(struct str line, struct tree_row * ret) = {
		tree_sample_row, tree_ghc_row,     tree_pmcstat_row, tree_julia_row,
		tree_v8_row,     tree_sysprof_row, tree_emacs_row
	};

	line = str_rtrim(str_sub(line, 0, TREE_BYTES));
	for (size_t i = 0; i < ARRAY_LEN(parsers); i++) {
		*ret = (struct tree_row){ .depth = 0 };
		if (parsers[i](line, ret))
			return true;
	}
	return false;
}

bool tree_row_is_sure(const struct tree_row *row)
{
	if (row->tool == TREE_JULIA)
		return row->has_self || str_ends(row->module, STR(".jl"));
	if (row->tool == TREE_EMACS)
		return row->is_open || row->is_folded;
	return row->tool == TREE_PMCSTAT && str_starts(row->module, STR("/"));
}
