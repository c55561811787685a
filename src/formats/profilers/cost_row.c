/* SPDX-License-Identifier: MIT */
/* cost_row.c - split one row of a cost table into cells and read their values */
#include "formats/profilers/cost_head.h"

#include "base/idmap.h"
#include "base/status.h"
#include "base/str.h"
#include "formats/profilers/text_dialects.h"

#include <string.h>

#define COST_TOKENS_MAX 96u
#define COST_NAME_MAX   400u
#define COST_LINE_MAX   4096u
/* maximum number of bytes of a share in brackets such as "( 10%)", from "(" to "%)" */
#define COST_ASIDE 8u

struct cost_cells {
	struct str at[COST_COLUMNS_MAX];
	size_t n;
};

static bool cost_is_number(struct str s)
{
	size_t at = s.len && strchr("-+(", s.p[0]) ? 1 : 0;

	return s.len > at && (char_is_digit(s.p[at]) ||
			      (s.p[at] == '.' && s.len > at + 1 && char_is_digit(s.p[at + 1])));
}

static bool cost_is_nothing(struct str s)
{
	return s.len == 0 || str_glob(STR("-|--|.|n/a|N/A|NULL"), s);
}

static bool cost_is_unit(struct str s)
{
	return str_glob(
		STR("%|ns|us|\xc2\xb5s|ms|s|sec|secs|seconds|min|msec|usec|B|kB|KB|KiB|MB|MiB|"
		    "GB|GiB|bytes"),
		s);
}

/* Whether @s is a share in brackets, "( 10%)". It belongs to the number that precedes it. */
static bool cost_is_aside(struct str s)
{
	return str_starts(s, STR("(")) && str_ends(s, STR("%)"));
}

/*
 * Offset in @cell of the end of the minutes, as in "1min 30.1s" and "1m30.1s"; cell.len: no
 * minutes. @ret: offset of the seconds.
 */
static size_t cost_minutes(struct str cell, size_t *ret)
{
	size_t at = str_find(cell, STR("min "));

	*ret = at + 4;
	if (at < cell.len)
		return at;
	at = str_find_char(cell, 'm');
	*ret = at + 1;
	return *ret < cell.len && char_is_digit(cell.p[*ret]) ? at : cell.len;
}

/*
 * Read an amount: "12.3ms", "12.3 ms", "1:02.5" (minutes), "1min 30.1s", "1m30.1s", "1,234", "12k".
 * If the cell has a unit, the unit of the title is ignored.
 */
static bool cost_amount(const struct cost_column *col, struct str cell, struct amount *ret)
{
	static const struct {
		const char *suffix;
		double scale;
	} counts[] = { { "k", 1e3 }, { "K", 1e3 }, { "M", 1e6 }, { "G", 1e9 } };
	struct str rest = cell;
	struct str number;
	size_t colon = str_find_char(cell, ':');
	struct amount more;
	size_t n = 0;
	size_t minutes, after;

	if (colon < cell.len) {
		number = str_sub(cell, 0, colon);
		rest = str_skip(cell, colon + 1);
		if (!text_dialect_amount(&number, ret) || number.len ||
		    !text_dialect_amount(&rest, &more) || str_trim(rest).len)
			return false;
		*ret = (struct amount){ (ret->value * 60 + more.value) * 1e9, more.half * 1e9,
					AMOUNT_NS };
		return true;
	}
	minutes = cost_minutes(cell, &after);
	if (minutes < cell.len) {
		number = str_sub(cell, 0, minutes);
		rest = str_skip(cell, after);
		if (!text_dialect_amount(&number, ret) || number.len ||
		    !text_dialect_amount(&rest, &more) || more.unit != AMOUNT_NS)
			return false;
		*ret = (struct amount){ ret->value * 60e9 + more.value, more.half, AMOUNT_NS };
		return true;
	}
	while (n < rest.len && (char_is_digit(rest.p[n]) || strchr(",.", rest.p[n])))
		n++;
	number = str_sub(rest, 0, n);
	rest = str_trim(str_skip(rest, n));
	/* ignore a share after the amount: "0.85 ( 12%)" */
	rest = str_sub(rest, 0, str_find_char(rest, '('));
	rest = str_rtrim(rest);
	if (number.len == 0 || !text_dialect_amount(&number, ret) || number.len)
		return false;
	if (rest.len == 0 || str_eq(rest, STR("%"))) {
		double scale = col->scale > 0 ? col->scale : 1;

		*ret = (struct amount){ ret->value * scale, ret->half * scale, col->unit };
		return true;
	}
	for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
		if (str_eq(rest, str_of(counts[i].suffix))) {
			double scale = counts[i].scale * (col->scale > 0 ? col->scale : 1);

			*ret = (struct amount){ ret->value * scale,
						(ret->half > 0 ? ret->half : 0.5) * scale,
						col->unit };
			return true;
		}
	}
	if (!cost_is_unit(rest) || cell.len >= COST_NAME_MAX)
		return false;
	{
		char joined[64];
		size_t len = str_sub(cell, 0, n).len;
		struct str one;

		if (len + rest.len > sizeof(joined))
			return false;
		memcpy(joined, cell.p, len);
		memcpy(&joined[len], rest.p, rest.len);
		one = (struct str){ joined, len + rest.len };
		if (str_ends(one, STR("secs")))
			one.len -= 3;
		else if (str_ends(one, STR("sec")) || str_ends(one, STR("iB")))
			/* "msec" becomes "ms". "KiB" becomes "KB", which here is 1024 bytes, too */
			one.len -= 2;
		return text_dialect_amount(&one, ret) && one.len == 0;
	}
}

/*
 * Store the value of @cell in the row @r. @col: the column of @cell. An empty cell has no value.
 * False: the text of the cell is no value.
 */
static bool cost_set(const struct cost_column *col, struct str cell, struct cost_row *r)
{
	enum cost_value v = col->kind == COST_SELF    ? COST_VALUE_SELF
			    : col->kind == COST_TOTAL ? COST_VALUE_TOTAL
						      : COST_VALUE_PLAIN;
	struct amount value;
	double share;

	if (cost_is_nothing(cell))
		return true;
	if (col->is_share || str_ends(cell, STR("%"))) {
		if (!text_dialect_share(&cell, false, &share, &r->decimals))
			return false;
		/* if a row has several shares, keep the first */
		r->pct[v] = r->pct[v] < 0 ? share : r->pct[v];
		return true;
	}
	if (!cost_amount(col, cell, &value))
		return false;
	if (r->amount[v].value < 0)
		r->amount[v] = value;
	return true;
}

static bool cost_has_letter(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)(s.p[i] | 0x20);

		if ((c >= 'a' && c <= 'z') || c >= 0x80 || c == '_')
			return true;
	}
	return false;
}

/*
 * Whether @s is an operator such as "==" or ">>=". In Haskell and similar languages, operators are
 * functions.
 */
static bool cost_is_operator(struct str s)
{
	size_t n = 0;

	while (n < s.len && strchr("!#$%&*+./<=>?@^|-~:\\", s.p[n]))
		n++;
	return n == s.len && n >= 2;
}

/*
 * @s without the text around a name: a number before it ("3. name"), a final colon, quotes, and
 * marks such as '|'.
 */
static struct str cost_name(struct str s)
{
	size_t n = 0;

	s = str_trim(s);
	while (n < s.len && char_is_digit(s.p[n]))
		n++;
	if (n && n + 1 < s.len && (s.p[n] == '.' || s.p[n] == ')') && s.p[n + 1] == ' ')
		s = str_ltrim(str_skip(s, n + 1));
	if (str_ends(s, STR(":")))
		s = str_rtrim(str_sub(s, 0, s.len - 1));
	if (s.len > 2 && s.p[0] == s.p[s.len - 1] && strchr("`\"'", s.p[0]))
		s = str_sub(s, 1, s.len - 1);
	while (s.len > 1 && strchr("|*", s.p[0]))
		/* in GCC's table, '|' marks a row that is part of another row: "|name" */
		s = str_ltrim(str_skip(s, 1));
	return s;
}

static bool cost_cells_delimited(const struct cost_head *h, struct str line, struct cost_cells *ret)
{
	struct str rest = str_trim(line);

	if (h->delimiter == '|') {
		(void)str_take(&rest, STR("|"));
		if (str_ends(rest, STR("|")))
			rest.len--;
	}
	while (ret->n < COST_COLUMNS_MAX) {
		bool is_quoted = str_starts(rest, STR("\""));
		size_t end = is_quoted ? 1 + str_find_char(str_skip(rest, 1), '"') : 0;

		end += str_find_char(str_skip(rest, end), h->delimiter);
		ret->at[ret->n++] = str_trim(str_sub(rest, 0, end));
		if (end >= rest.len)
			break;
		rest = str_skip(rest, end + 1);
	}
	return ret->n == h->n;
}

/*
 * Split a row at the ends of the columns, which the ruler below the titles marks. A word between
 * two columns belongs to the right column. False: a word crosses the end of a column.
 */
static bool cost_cells_ruled(const struct cost_head *h, struct str line, struct cost_cells *ret)
{
	for (size_t i = 0; i < h->n; i++) {
		size_t from = i ? h->columns[i - 1].to : 0;
		size_t to = i + 1 < h->n ? h->columns[i].to : line.len;

		if (from >= line.len)
			break;
		to = to < line.len ? to : line.len;
		/* a word crosses the end of the column, so the table does not have this layout */
		if (to < line.len && to > 0 && !char_is_blank(line.p[to]) &&
		    !char_is_blank(line.p[to - 1]))
			return false;
		ret->at[i] = str_trim(str_sub(line, from, to));
	}
	ret->n = h->n;
	return true;
}

/*
 * Split a line into words. A number, its unit and a share in brackets after it are one word.
 * Returns the number of words; 0: too many.
 */
static size_t cost_tokens(struct str line, struct str *ret)
{
	struct str rest = line;
	struct str word;
	size_t n = 0;

	while (n < COST_TOKENS_MAX && str_word(&rest, &word)) {
		struct str *last = n ? &ret[n - 1] : NULL;
		size_t close = str_find(rest, STR("%)"));

		if (str_eq(word, STR("(")) && close < rest.len && close < COST_ASIDE) {
			word.len = (size_t)(rest.p - word.p) + close + 2;
			rest = str_skip(rest, close + 2);
		}
		if (str_eq(word, STR(":")))
			continue;
		if (last && cost_is_number(*last) &&
		    (cost_is_unit(word) || (cost_is_aside(word) && !cost_is_aside(*last))))
			last->len = (size_t)(word.p + word.len - last->p);
		else
			ret[n++] = word;
	}
	return rest.len && str_word(&rest, &word) ? 0 : n;
}

static bool cost_is_count(struct str s)
{
	size_t n = 0;

	while (n < s.len && (char_is_digit(s.p[n]) || s.p[n] == '.' || s.p[n] == ','))
		n++;
	return n == s.len && n > 0 && char_is_digit(s.p[0]);
}

/*
 * Whether @name contains a number that may be a cell of another column. @name: the words that are
 * left after each other column has taken one word of the row. The number is at the start of @name
 * if the table has columns to the left of the name, or at the end if it has columns to the right.
 * If the result is true, the row may have more cells than the table has titles.
 */
static bool cost_is_stuck(const struct cost_head *h, struct str name)
{
	struct str rest = name;
	struct str first;
	struct str last = str_skip(name, str_rfind_char(name, ' ') + 1);

	if (!str_word(&rest, &first) || str_trim(rest).len == 0)
		return false;
	return (h->name > 0 && cost_is_count(first)) ||
	       (h->name + 1 < h->n && str_find_char(name, ' ') < name.len && cost_is_count(last));
}

/*
 * Split a row into words. Each column to the left of the name takes one word from the left end.
 * Each column to the right of the name takes one word from the right end. The name gets the words
 * in between.
 */
static bool cost_cells_words(const struct cost_head *h, struct str line, struct cost_cells *ret)
{
	struct str tokens[COST_TOKENS_MAX];
	size_t n = cost_tokens(line, tokens);
	bool has_module =
		h->module < h->n && (h->module + 1 == h->name || h->module == h->name + 1);
	size_t first = has_module && h->module < h->name ? h->module : h->name;
	size_t last = has_module && h->module > h->name ? h->module : h->name;
	size_t behind = h->n - 1 - last;
	struct str middle;

	if (n < first + 1 + behind)
		return false;
	for (size_t i = 0; i < first; i++)
		ret->at[i] = tokens[i];
	for (size_t i = 0; i < behind; i++)
		ret->at[last + 1 + i] = tokens[n - behind + i];
	for (size_t i = first; i < n - behind && i - first < 1; i++) {
		const struct str *end = &tokens[n - behind - 1];

		middle = (struct str){ tokens[i].p, (size_t)(end->p + end->len - tokens[i].p) };
		ret->at[h->name] = middle;
	}
	if (has_module && n - behind - first >= 2) {
		struct str *module = h->module < h->name ? &tokens[first] : &tokens[n - behind - 1];

		ret->at[h->module] = *module;
		middle = ret->at[h->name];
		ret->at[h->name] =
			h->module < h->name
				? str_trim(str_skip(middle, module->len))
				: str_trim(str_sub(middle, 0, (size_t)(module->p - middle.p)));
	}
	ret->n = h->n;
	return true;
}

static bool cost_cells_spaced(const struct cost_head *h, struct str line, struct cost_cells *ret)
{
	struct str rest = str_trim(line);

	while (rest.len && ret->n < COST_COLUMNS_MAX) {
		size_t end = str_find(rest, STR("  "));
		size_t tab = str_find_char(rest, '\t');

		end = tab < end ? tab : end;
		ret->at[ret->n++] = str_trim(str_sub(rest, 0, end));
		rest = str_ltrim(str_skip(rest, end));
	}
	/* the last column has modules, and the module may be missing in a row */
	if (rest.len == 0 && ret->n + 1 == h->n && h->columns[h->n - 1].kind == COST_MODULE &&
	    h->name + 1 != h->n)
		ret->at[ret->n++] = STR_NONE;
	if (rest.len || ret->n != h->n) {
		*ret = (struct cost_cells){ 0 };
		return false;
	}
	return true;
}

/* Read the values of all cells. False: the cells do not fit the columns, or the row has no cost. */
static bool cost_row_fill(const struct cost_head *h, struct str line,
			  const struct cost_cells *cells, struct cost_row *r)
{
	size_t n_costs = 0;

	for (size_t i = 0; i < h->n; i++) {
		const struct cost_column *col = &h->columns[i];
		struct str cell = cells->at[i];

		if (i == h->name) {
			r->name = cost_name(cell);
			r->indent = i == 0 && h->layout != COST_DELIMITED && r->name.len
					    ? (size_t)(r->name.p - line.p)
					    : 0;
		} else if (i == h->module) {
			r->module = cost_name(cell);
		} else if (col->kind >= COST_SELF) {
			if (!cost_set(col, cell, r))
				return false;
			n_costs += !cost_is_nothing(cell);
		} else if (!cost_is_nothing(cell) &&
			   (col->kind == COST_CALLS
				    ? !cost_is_number(cell)
				    : col->kind == COST_MODULE && !cost_has_letter(cell))) {
			return false;
		} else if (col->kind == COST_CALLS && r->calls.len == 0 && !cost_is_nothing(cell)) {
			r->calls = cell;
		}
	}
	return n_costs && r->name.len && r->name.len < COST_NAME_MAX &&
	       (cost_has_letter(r->name) || (r->module.len && cost_is_operator(r->name)));
}

static struct cost_row cost_row_empty(void)
{
	struct cost_row r = { .name = STR_NONE };

	for (size_t v = 0; v < COST_VALUES; v++)
		r.amount[v].value = r.pct[v] = -1;
	return r;
}

static bool cost_list_row(const struct cost_head *h, struct str line, struct cost_row *ret);

/*
 * Collect the cells of a row such as "name: calls=12,usec=345". False: the titles in the row are
 * not those of @h.
 */
static bool cost_cells_keyed(const struct cost_head *h, struct str line, struct cost_cells *ret)
{
	struct str rest = line;
	struct str name = cost_head_take_name(&rest);
	struct str title, value;
	uint64_t titles = 0;

	if (h->is_named != (name.len > 0))
		return false;
	if (h->is_named)
		ret->at[ret->n++] = name;
	while (ret->n < h->n && cost_head_take_pair(&rest, &title, &value)) {
		ret->at[ret->n++] = value;
		titles = hash_u64(hash_str(title), titles);
	}
	return ret->n == h->n && titles == h->titles && str_trim(rest).len == 0;
}

/*
 * Parse a row without its first column, which names a group of rows: "GPU activities:". Only the
 * first row of a group has this cell.
 */
static bool cost_row_of_group(const struct cost_head *h, struct str line, struct cost_row *ret)
{
	struct cost_head rest = *h;
	struct cost_cells cells = { 0 };
	size_t colon = str_find(line, STR(": "));

	for (size_t i = 1; i < h->n; i++)
		rest.columns[i - 1] = h->columns[i];
	rest.n--;
	rest.name--;
	rest.module -= rest.module > 0;
	if (colon < line.len && !cost_is_number(str_trim(str_sub(line, 0, colon))))
		line = str_skip(line, colon + 1);
	*ret = cost_row_empty();
	return cost_cells_words(&rest, line, &cells) && cost_row_fill(&rest, line, &cells, ret);
}

/* @line without a remark that a user added at its end, such as "  <--- this one". */
static struct str cost_without_remark(struct str line)
{
	static const char *const arrows[] = { " <--", " <==", " <<<" };

	for (size_t i = 0; i < ARRAY_LEN(arrows); i++)
		line = str_rtrim(str_sub(line, 0, str_find(line, str_of(arrows[i]))));
	return line;
}

bool cost_row_of(const struct cost_head *h, struct str line, struct cost_row *ret)
{
	struct cost_cells cells = { 0 };
	bool ok;

	line = cost_without_remark(line);
	*ret = cost_row_empty();
	if (line.len > COST_LINE_MAX)
		return false;
	if (h->layout == COST_KEYED)
		return cost_cells_keyed(h, line, &cells) && cost_row_fill(h, line, &cells, ret);
	if (h->layout >= COST_SHARES)
		return cost_list_row(h, line, ret);
	if (h->layout == COST_DELIMITED)
		ok = cost_cells_delimited(h, line, &cells);
	else if (h->layout == COST_RULED)
		ok = cost_cells_ruled(h, line, &cells);
	else
		ok = cost_cells_spaced(h, line, &cells);
	if (ok && cost_row_fill(h, line, &cells, ret))
		return true;
	if (h->layout == COST_DELIMITED)
		return false;
	cells = (struct cost_cells){ 0 };
	*ret = cost_row_empty();
	if (cost_cells_words(h, line, &cells) && cost_row_fill(h, line, &cells, ret)) {
		ret->is_stuck = cost_is_stuck(h, cells.at[h->name]);
		return true;
	}
	return h->columns[0].kind == COST_OTHER && h->name > 1 && cost_row_of_group(h, line, ret);
}

/* Parse "12.3%  object  name"; the object may be missing. */
static bool cost_share_row(struct str line, struct cost_row *ret)
{
	struct str rest = str_trim(line);
	size_t gap;

	if (!text_dialect_share(&rest, true, &ret->pct[COST_VALUE_PLAIN], &ret->decimals) ||
	    rest.len == 0 || !char_is_blank(rest.p[0]))
		return false;
	rest = str_trim(rest);
	gap = str_find(rest, STR("  "));
	gap = gap < rest.len ? gap : str_find_char(rest, '\t');
	if (gap < rest.len) {
		ret->module = str_rtrim(str_sub(rest, 0, gap));
		rest = str_ltrim(str_skip(rest, gap));
		if (str_find(rest, STR("  ")) < rest.len)
			return false;
	}
	ret->name = cost_name(rest);
	return ret->name.len && ret->name.len < COST_NAME_MAX && cost_has_letter(ret->name) &&
	       !cost_is_number(ret->name);
}

/*
 * Whether @name names a statistic (min, p99) or a state (before, new). If so, the row is not a part
 * of the work.
 */
static bool cost_is_statistic(struct str name)
{
	struct str word;

	while (str_starts(name, STR("- ")) || str_starts(name, STR("* ")))
		name = str_skip(name, 2);
	return str_word(&name, &word) &&
	       str_glob(
		       STR("min|max|avg|mean|median|p[0-9]*|p50*|p90*|p95*|p99*|std*|Min*|Max*|Avg*"
			   "|"
			   "Mean*|Median*|P50*|P9*|average*|Average*|minimum*|maximum*|latency*|"
			   "Latency*|real|user|sys|mdev|rtt|range|Range|uptime*|timeout*|interval*|"
			   "before*|Before*|after*|After*|now*|Now*|old*|Old*|new*|New*|diff*|"
			   "Diff*|baseline*|Baseline*|with|With|without|Without"),
		       word);
}

/*
 * Whether @word is a time. @word: the word between the name and the time of a row. If it is a time,
 * too, the row has several times: start and end, percentiles, or a part and its whole.
 */
static bool cost_is_time(struct str word)
{
	static const struct cost_column plain = { .kind = COST_AMOUNT };
	struct amount time;

	return cost_is_number(word) && cost_amount(&plain, word, &time) && time.unit == AMOUNT_NS;
}

/*
 * The factor from a number to ns, if @name ends with a unit of time. @name is the text before the
 * number, such as "sort, seconds:", "load (ms):" or "save in ms =". The unit is removed from @name.
 * 0: no unit of time, or @name is the name of a rate or a setting.
 */
static double cost_unit_before(struct str *name)
{
	static const struct {
		const char *units;
		double scale;
	} units[] = {
		{ "seconds|secs|sec|Seconds", 1e9 },
		{ "milliseconds|millis|msecs|msec|ms|Milliseconds", 1e6 },
		{ "microseconds|usecs|usec|us|\xc2\xb5s", 1e3 },
		{ "nanoseconds|nsecs|nsec|ns", 1 },
		{ "minutes", 60e9 },
	};
	struct str rest = *name;
	struct str unit;
	bool is_bracket;
	size_t blank;

	while (rest.len && strchr(":= \t", rest.p[rest.len - 1]))
		rest.len--;
	/* curl prints seconds without a unit */
	if (cost_curl_step(str_trim(rest)) || str_eq(str_trim(rest), STR("time_redirect")))
		return 1e9;
	is_bracket = rest.len && strchr(")]", rest.p[rest.len - 1]);
	blank = str_rfind_char(rest, ' ');
	if (blank >= rest.len)
		return 0;
	unit = str_skip(rest, blank + 1);
	if (is_bracket)
		unit = str_sub(unit, 1, unit.len - 1);
	rest = str_rtrim(str_sub(rest, 0, blank));
	if (str_ends(rest, STR(" in")))
		rest.len -= 3;
	if (!rest.len || str_glob(STR("* per|* a|*imeout*|*nterval*|*imit*|*TTL*|*ttl*|*eriod*|"
				      "*elay*|*xpir*|*etention*|*max*|*Max*"),
				  rest))
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (!str_glob(str_of(units[i].units), unit) &&
		    !(i == 0 && is_bracket && str_eq(unit, STR("s"))))
			continue;
		while (rest.len && strchr(", ;", rest.p[rest.len - 1]))
			rest.len--;
		*name = rest;
		return units[i].scale;
	}
	return 0;
}

/*
 * Parse a line that has only a name and a time: "name: 12.3 s" or "12.3 s name". False: the line
 * has another form.
 */
static bool cost_time_row(const struct cost_head *h, struct str line, struct cost_row *ret)
{
	struct cost_column column = { .kind = COST_AMOUNT };
	struct str tokens[COST_TOKENS_MAX];
	size_t n = line.len < 200 ? cost_tokens(str_trim(line), tokens) : 0;
	bool is_first = h->layout == COST_TIME_NAME;
	size_t from, to; /* indices of the first and the last word of the name */
	struct str name, time;

	if (n < 2 || n > 10)
		return false;
	if (!is_first && n > 2 && str_ends(tokens[n - 1], STR("%"))) {
		struct str share = tokens[n - 1];

		n--; /* drop the share at the end: "load 140.2 s 98.90%" */
		if (!text_dialect_share(&share, true, &ret->pct[COST_VALUE_PLAIN], &ret->decimals))
			return false;
	}
	from = is_first ? 1 : 0;
	to = is_first ? n - 1 : n - 2;
	time = tokens[is_first ? 0 : n - 1];
	if (is_first && n > 2 && str_ends(time, STR("min")) && cost_is_number(tokens[1])) {
		time.len = (size_t)(tokens[1].p + tokens[1].len - time.p);
		from = 2;
	}
	if (from < to && cost_is_time(tokens[is_first ? from : to]))
		return false;
	name = (struct str){ tokens[from].p,
			     (size_t)(tokens[to].p + tokens[to].len - tokens[from].p) };
	if (str_starts(time, STR("(")) && str_ends(time, STR(")")))
		time = str_sub(time, 1, time.len - 1);
	if (!is_first && cost_is_number(time) && char_is_digit(time.p[time.len - 1])) {
		column.scale = cost_unit_before(&name);
		column.unit = column.scale > 0 ? AMOUNT_NS : AMOUNT_PLAIN;
	}
	if (!cost_is_number(time) || !cost_amount(&column, time, &ret->amount[COST_VALUE_PLAIN]) ||
	    ret->amount[COST_VALUE_PLAIN].unit != AMOUNT_NS)
		return false;
	name = str_rtrim(name);
	if (str_ends(name, STR("=")))
		name.len--;
	if (str_find_char(name, '=') < name.len)
		return false; /* the line has several values */
	while (name.len && strchr(":.->|~ \t", name.p[name.len - 1]))
		name.len--;
	if (str_ends(name, STR(" took")))
		name.len -= 5;
	ret->name = cost_name(name);
	ret->indent = is_first || ret->name.len == 0 ? 0 : (size_t)(ret->name.p - line.p);
	return ret->name.len > 1 && cost_has_letter(ret->name) && !cost_is_number(ret->name) &&
	       !cost_is_statistic(ret->name);
}

static bool cost_list_row(const struct cost_head *h, struct str line, struct cost_row *ret)
{
	return h->layout == COST_SHARES ? cost_share_row(line, ret) : cost_time_row(h, line, ret);
}

bool cost_row_list(struct str line, struct cost_head *ret)
{
	static const enum cost_layout layouts[] = { COST_SHARES, COST_NAME_TIME, COST_TIME_NAME };
	struct str t = str_ltrim(cost_without_remark(line));
	struct cost_row row;
	size_t last;

	if (t.len < 6 || t.len > 400)
		return false;
	if (str_find_char(t, '=') < t.len)
		return cost_head_keyed(t, ret) && cost_row_of(ret, t, &row);
	/* a line that starts with a name must end with a time: "12.3s" or "(12.3 ms)" */
	if (!char_is_digit(t.p[0])) {
		struct str name = str_sub(t, 0, str_rfind_char(t, ' '));

		if (!strchr("s)%", t.p[t.len - 1]) &&
		    (!char_is_digit(t.p[t.len - 1]) || cost_unit_before(&name) <= 0))
			return false;
		if (t.p[t.len - 1] == '%')
			t = str_rtrim(str_sub(t, 0, str_rfind_char(t, ' ')));
		last = str_rfind_char(t, ' ');
		if (last + 1 < t.len && !char_is_digit(t.p[last + 1]))
			last = str_rfind_char(str_sub(t, 0, last), ' ');
		if (last + 2 >= t.len ||
		    (!char_is_digit(t.p[last + 1]) && !char_is_digit(t.p[last + 2])))
			return false;
	}
	for (size_t i = 0; i < ARRAY_LEN(layouts); i++) {
		*ret = (struct cost_head){ .layout = layouts[i] };
		row = cost_row_empty();
		if (cost_list_row(ret, line, &row))
			return true;
	}
	return false;
}
