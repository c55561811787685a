/* SPDX-License-Identifier: MIT */
#include "formats/counters/stat_columns.h"

#include "base/str.h"
#include "core/kinds/counter_roles.h"
#include "formats/counters/counter_number.h"
#include "formats/counters/stat_line.h"

/*
 * Patterns of titles with several words. perf may print only one blank between such a title and the
 * next title, so this list shows where the title ends.
 */
static const char stat_titles[] =
	"insn per cycle|stalled cycles per insn|frontend cycles idle|backend cycles idle|CPUs "
	"utilized|"
	"bad speculation|frontend bound|backend bound|heavy operations|light operations|"
	"branch mispredict|machine clears|fetch latency|fetch bandwidth|memory bound|core bound|"
	"Core bound|* of all branches|* of all cache refs|* of all L1-dcache accesses|"
	"* of all L1-dcache hits|* of all L1-icache accesses|* of all L1-icache hits|"
	"* of all dTLB cache accesses|* of all dTLB cache hits|* of all iTLB cache accesses|"
	"* of all iTLB cache hits|* of all LL-cache accesses|* of all LL-cache hits";

struct stat_values {
	struct counter_number values[STAT_COLUMNS];
	bool is_percent[STAT_COLUMNS];
	size_t n;
};

/* Take the values of a row: only numbers, some with '%'. False: there is another word. */
static bool stat_take_values(struct str s, struct stat_values *ret)
{
	struct str word;

	for (ret->n = 0; str_word(&s, &word); ret->n++) {
		if (ret->n == STAT_COLUMNS || !counter_number(&word, &ret->values[ret->n]))
			return false;
		ret->is_percent[ret->n] = str_take(&word, STR("%"));
		if (word.len)
			return false;
	}
	return ret->n > 0;
}

/* Parse a row: an optional time, an optional part of the machine (S0-D0-C0), and the values. */
static bool stat_columns_values(struct str line, struct stat_row *start, struct stat_values *ret)
{
	struct str rest = str_trim(line);

	*start = (struct stat_row){ .spread = -1, .running = -1 };
	stat_line_start(&rest, start);
	return stat_take_values(rest, ret);
}

/* Remove the titles of perf stat -I that are no metrics: "#           time socket cpus". */
static struct str stat_metric_titles(struct str line, bool *ret_has_time)
{
	struct str rest = str_trim(line);
	struct str word;

	*ret_has_time = str_take(&rest, STR("#"));
	if (!*ret_has_time)
		return rest;
	rest = str_ltrim(rest);
	if (!str_take(&rest, STR("time")))
		return STR_NONE;
	for (struct str next = rest;
	     str_word(&next, &word) &&
	     str_glob(STR("CPU|socket|die|core|node|cluster|cache|cpus"), word);)
		rest = next;
	return str_ltrim(rest);
}

/*
 * Split a line of titles into single titles. A title begins after two blanks, at a '%', or after a
 * title in stat_titles. Returns the number of titles; 0: too many.
 */
static size_t stat_split_titles(struct str s, struct stat_columns *ret)
{
	struct str word;
	bool is_open = false; /* the next word may belong to the same title */
	const char *end = s.p;

	ret->n = 0;
	while (str_word(&s, &word)) {
		bool is_percent = str_eq(word, STR("%"));

		if (is_open && !is_percent && word.p <= end + 1) {
			struct str *last = &ret->titles[ret->n - 1];

			last->len = (size_t)(word.p + word.len - last->p);
		} else if (ret->n && ret->is_percent[ret->n - 1] &&
			   ret->titles[ret->n - 1].len == 0) {
			ret->titles[ret->n - 1] = word;
		} else if (ret->n == STAT_COLUMNS) {
			return 0;
		} else {
			ret->is_percent[ret->n] = is_percent;
			ret->titles[ret->n++] = is_percent ? STR_NONE : word;
		}
		is_open = !is_percent && !str_glob(str_of(stat_titles), ret->titles[ret->n - 1]);
		end = word.p + word.len;
	}
	return ret->n && ret->titles[ret->n - 1].len ? ret->n : 0;
}

bool stat_columns_head(struct str line, struct str rest, struct stat_columns *ret)
{
	struct stat_values values;
	struct stat_row start;
	struct str titles, next;
	size_t n_topdown = 0;

	ret->n = 0;
	titles = stat_metric_titles(line, &ret->has_time);
	if (titles.len < 3 || !str_line(&rest, &next) ||
	    !stat_columns_values(next, &start, &values) || start.has_time != ret->has_time ||
	    stat_split_titles(titles, ret) != values.n) {
		ret->n = 0;
		return false;
	}
	for (size_t i = 0; i < ret->n; i++) {
		char first = (char)(ret->titles[i].p[0] | 0x20);

		if (first < 'a' || first > 'z' || ret->titles[i].len >= COUNTER_NAME_MAX) {
			ret->n = 0;
			return false;
		}
		n_topdown += counter_role_of(ret->titles[i]) >= COUNTS_TOPDOWN_RETIRING;
	}
	if (!ret->has_time && (ret->is_below_text || (!ret->is_headed && n_topdown < 2)))
		ret->n = 0;
	return ret->n > 0;
}

size_t stat_columns_row(const struct stat_columns *h, struct str line, struct stat_row *rows)
{
	struct stat_values values;
	struct stat_row start;

	if (h->n == 0 || !stat_columns_values(line, &start, &values) || values.n != h->n ||
	    start.has_time != h->has_time)
		return 0;
	for (size_t i = 0; i < h->n; i++) {
		rows[i] = start;
		rows[i].name = h->titles[i];
		rows[i].value = values.values[i];
		rows[i].unit = values.is_percent[i] || h->is_percent[i] ? STR("%") : STR_NONE;
		rows[i].is_metric = rows[i].is_sure = true;
	}
	return h->n;
}
