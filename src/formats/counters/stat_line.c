/* SPDX-License-Identifier: MIT */
#include "formats/counters/stat_line.h"

#include "base/status.h"
#include "base/str.h"
#include "core/kinds/counter_roles.h"
#include "core/kinds/counters.h"

#include <math.h>

#define STAT_FIELDS 16u

static struct str stat_word(struct str s)
{
	struct str word;

	return str_word(&s, &word) ? word : STR_NONE;
}

/* Is @word the name of a part of the machine: "CPU3", "S0-D0-C1", "N1", "D0-L3-ID0"? */
static bool stat_is_key(struct str word)
{
	size_t letters = 0;

	if (str_starts(word, STR("CPU"))) {
		for (letters = 3; letters < word.len && char_is_digit(word.p[letters]); letters++)
			;
		return letters > 3 && letters == word.len;
	}
	for (size_t i = 0; i < word.len; i++) {
		if (char_is_digit(word.p[i]) || (word.p[i] == '-' && i))
			continue;
		if (str_find_char(STR("SDCNLI"), word.p[i]) == 6)
			return false;
		letters++;
	}
	return letters && word.len >= 2 && char_is_digit(word.p[word.len - 1]) &&
	       !char_is_digit(word.p[0]);
}

/* Is @word the name of a thread, as with --per-thread: "comm-1234"? */
static bool stat_is_thread(struct str word)
{
	size_t dash = str_rfind_char(word, '-');
	struct str pid = str_skip(word, dash + 1);
	uint64_t n;

	return dash && dash < word.len && pid.len && str_u64(&pid, &n) && pid.len == 0 &&
	       !char_is_digit(word.p[0]);
}

static bool stat_is_unit(struct str word)
{
	return str_glob(STR("msec|sec|secs|nsec|ns|usec|us|ms|MiB|KiB|GiB|MB|KB|GB|Bytes|bytes|"
			    "Joules|Watts|J|C|Cel|%|mV"),
			word);
}

static bool stat_is_event(struct str name)
{
	size_t letters = 0;

	for (size_t i = 0; i < name.len; i++) {
		char c = name.p[i];
		bool is_letter = ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');

		letters += is_letter;
		if (!is_letter && !char_is_digit(c) && !strchr("_-:./,=@{}$<>+*?~", c))
			return false;
	}
	return letters > 1 && (name.p[0] | 0x20) >= 'a' && (name.p[0] | 0x20) <= 'z' &&
	       name.p[name.len - 1] != ':' && name.p[name.len - 1] != ',' &&
	       name.p[name.len - 1] != '.';
}

/*
 * The offset in @s at which the name of the counter ends: at a comment, a bracket, a spread, or the
 * end.
 */
static size_t stat_name_end(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		bool at_gap = i == 0 || char_is_blank(s.p[i - 1]);

		if (at_gap && (s.p[i] == '#' || s.p[i] == '(' || s.p[i] == '[' ||
			       str_starts(str_skip(s, i), STR("+-")) ||
			       str_starts(str_skip(s, i), STR("\xc2\xb1"))))
			return i;
		if (at_gap && s.p[i] == '=' && i + 1 < s.len && char_is_blank(s.p[i + 1]))
			return i; /* "=23" is a '#' in quoted-printable, an encoding of mails */
	}
	return s.len;
}

/* Is @tail only "= 32"? Other tools print this; perf prints words after a number. */
static bool stat_is_equation(struct str tail)
{
	double value;

	if (!str_take(&tail, STR("=")))
		return false;
	tail = str_ltrim(tail);
	return str_double(&tail, &value) && str_trim(tail).len == 0;
}

/* The percentage after @mark in @s, such as 12.5 for "12.5%". NaN: none. */
static double stat_percent_after(struct str s, struct str mark)
{
	size_t at = str_find(s, mark);
	struct str rest = str_ltrim(str_skip(s, at + mark.len));
	struct counter_number n;

	if (at >= s.len || !counter_number(&rest, &n) || !str_starts(str_ltrim(rest), STR("%")))
		return (double)NAN;
	return counter_number_double(&n);
}

/*
 * Percentage of the time in which the event was counted: "(83.04%)", "[83.04%]", "(scaled from
 * 66.60%)". -1: not printed.
 */
static double stat_running(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		struct str rest = str_ltrim(str_skip(s, i + 1));
		struct counter_number n;

		if (s.p[i] != '(' && s.p[i] != '[')
			continue;
		(void)str_take(&rest, STR("scaled from "));
		if (!counter_number(&rest, &n) || !str_take(&rest, STR("%")))
			continue;
		rest = str_ltrim(rest);
		if (rest.len && (rest.p[0] == ')' || rest.p[0] == ']') &&
		    counter_number_double(&n) <= 100)
			return counter_number_double(&n);
	}
	return -1;
}

static bool stat_is_figure(struct str s)
{
	s = str_ltrim(s);
	return s.len &&
	       (char_is_digit(s.p[0]) || str_starts(s, STR("nan")) || str_starts(s, STR("inf")));
}

static void stat_tail(struct str tail, struct stat_row *row)
{
	double spread = stat_percent_after(tail, STR("+-"));
	size_t hash = str_find_char(tail, '#');

	if (isnan(spread))
		spread = stat_percent_after(tail, STR("\xc2\xb1"));
	row->spread = isnan(spread) ? -1 : spread;
	row->running = stat_running(tail);
	if (hash >= tail.len && tail.len && tail.p[0] == '=')
		hash = 0;
	if (hash < tail.len) {
		struct str rest = str_skip(tail, hash + 1);

		row->comment = str_trim(str_sub(rest, 0, stat_name_end(rest)));
	}
	row->is_sure |= row->spread >= 0 || stat_is_figure(row->comment);
}

static bool stat_known(struct str name)
{
	enum counter_role role = counter_role_of(name);

	/*
	 * The names "user", "system", "elapsed" and "cs" do not count as known, because they also
	 * occur in prose and in tables of other tools.
	 */
	return role != COUNTS_NONE && role != COUNTS_USER && role != COUNTS_SYSTEM &&
	       role != COUNTS_ELAPSED && !str_eq(name, STR("cs"));
}

/*
 * Parse "seconds time elapsed", "seconds user" or "seconds sys", with or without "+- 0.01" before
 * it.
 */
static bool stat_summary(struct str rest, struct stat_row *row)
{
	static const struct str names[] = { { "seconds time elapsed", 20 },
					    { "seconds user", 12 },
					    { "seconds sys", 11 } };
	struct counter_number error;
	struct str after = rest;

	if (str_take(&after, STR("+-")) || str_take(&after, STR("\xc2\xb1"))) {
		after = str_ltrim(after);
		if (!counter_number(&after, &error))
			return false;
		rest = str_ltrim(after);
	}
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (!str_starts(rest, names[i]))
			continue;
		rest = str_skip(rest, names[i].len);
		if (rest.len && !char_is_space(rest.p[0]))
			return false;
		if (i && str_trim(rest).len && str_trim(rest).p[0] != '(' &&
		    str_trim(rest).p[0] != '#')
			return false; /* prose: "3 seconds user code ran" */
		row->name = names[i];
		row->unit = STR("seconds");
		row->is_summary = row->is_sure = true;
		stat_tail(rest, row);
		return true;
	}
	return false;
}

/*
 * Parse the text after the value, up to the comment: "msec task-clock:u", "task-clock (msec)", "cpu
 * cycles".
 */
static bool stat_name(struct str rest, struct stat_row *row)
{
	size_t end = stat_name_end(rest);
	struct str name = str_trim(str_sub(rest, 0, end));
	struct str word = stat_word(name);
	bool is_wide;

	if (word.len < name.len && stat_is_unit(word)) {
		row->unit = word;
		name = str_ltrim(str_skip(name, word.len));
		word = stat_word(name);
		row->is_sure |= row->state == COUNTER_COUNTED && str_eq(row->unit, STR("msec"));
	}
	if (str_starts(str_skip(rest, end), STR("(msec)"))) {
		row->unit = STR("msec");
		end += sizeof("(msec)") - 1;
	}
	row->is_known = stat_known(name);
	is_wide = word.len < name.len;
	if (name.len == 0 || (is_wide ? !row->is_known : !stat_is_event(name)) ||
	    stat_is_equation(str_skip(rest, end)))
		return false;
	row->name = name;
	row->is_sure |= row->is_known;
	stat_tail(str_skip(rest, end), row);
	return true;
}

/* Take the time of a row of perf stat -I, "1.000123456". The time has nine decimals. */
static bool stat_time(struct str *s, struct stat_row *row)
{
	struct str rest = *s;
	size_t dot = str_find_char(rest, '.');
	uint64_t ns;

	if (dot >= rest.len || dot + 10 >= rest.len || !char_is_blank(rest.p[dot + 10]) ||
	    !str_fixed(&rest, 9, &ns, NULL) || rest.p != s->p + dot + 10)
		return false;
	row->time_ns = ns;
	row->has_time = true;
	*s = str_ltrim(rest);
	return true;
}

/*
 * Take the key at the start of a row. The key is a thread ("comm-1234"), or a part of the machine
 * with the number of its CPUs ("S0-D0 8" in "S0-D0 8 1,234 cycles"). Without a key, @s is
 * unchanged.
 */
static void stat_key(struct str *s, struct stat_row *row)
{
	struct str rest = *s;
	struct str word;
	struct str cpus;
	uint64_t n;

	if (!str_word(&rest, &word) || (!stat_is_key(word) && !stat_is_thread(word)))
		return;
	rest = str_ltrim(rest);
	if (rest.len < 2 || (!char_is_digit(rest.p[rest.p[0] == '-']) && rest.p[0] != '<'))
		return;
	cpus = rest;
	if (str_u64(&cpus, &n) && str_starts(cpus, STR("  ")) && str_ltrim(cpus).len &&
	    (char_is_digit(str_ltrim(cpus).p[0]) || strchr("<-", str_ltrim(cpus).p[0])))
		rest = str_ltrim(cpus);
	row->key = word;
	row->is_sure = stat_is_key(word);
	*s = rest;
}

void stat_line_start(struct str *s, struct stat_row *row)
{
	(void)stat_time(s, row);
	stat_key(s, row);
}

static bool stat_text(struct str line, struct stat_row *row)
{
	struct str rest = str_trim(line);

	if (stat_time(&rest, row) &&
	    (rest.len == 0 ||
	     (!char_is_digit(rest.p[0]) && rest.p[0] != '<' && !stat_is_key(stat_word(rest)) &&
	      !stat_is_thread(stat_word(rest))))) {
		/*
		 * in "0.613972165  seconds time elapsed", the number is the value, and not a time
		 */
		row->has_time = false;
		row->time_ns = 0;
		rest = str_trim(line);
	}
	stat_key(&rest, row);
	if (str_take(&rest, STR("<not counted>")))
		row->state = COUNTER_NOT_COUNTED;
	else if (str_take(&rest, STR("<not supported>")))
		row->state = COUNTER_NOT_SUPPORTED;
	else if (!counter_number(&rest, &row->value) || rest.len == 0)
		return false;
	if (rest.len == 0 || !char_is_space(rest.p[0])) {
		if (!str_starts(rest, STR("\xc2\xa0")))
			return false;
	}
	row->is_sure |= row->state != COUNTER_COUNTED;
	rest = str_ltrim(rest);
	if (row->state == COUNTER_COUNTED && stat_summary(rest, row))
		return true;
	if (!stat_name(rest, row))
		return false;
	if (row->unit.len == 0 && counter_role_of(row->name) != COUNTS_TASK_CLOCK)
		row->value = counter_number_whole(row->value);
	return true;
}

/* Split a line of perf stat -x into at most STAT_FIELDS fields. */
static size_t stat_split(struct str line, char separator, struct str *ret)
{
	size_t n = 0;

	while (n < STAT_FIELDS) {
		size_t at = str_find_char(line, separator);

		ret[n++] = str_trim(str_sub(line, 0, at));
		if (at >= line.len)
			break;
		line = str_skip(line, at + 1);
	}
	return n;
}

static bool stat_field_number(struct str s, double *ret)
{
	if (str_ends(s, STR("%")))
		s.len--;
	return s.len && char_is_digit(s.p[0]) && str_double(&s, ret) && s.len == 0;
}

/* Parse the value of a row. "<not counted>" and "<not supported>" are also accepted. */
static bool stat_value(struct str value, struct stat_row *row)
{
	if (str_eq(value, STR("<not counted>")))
		row->state = COUNTER_NOT_COUNTED;
	else if (str_eq(value, STR("<not supported>")))
		row->state = COUNTER_NOT_SUPPORTED;
	else if (!counter_number(&value, &row->value) || value.len)
		return false;
	return true;
}

/*
 * Parse the fields of a line of perf stat -x, from @f[@i] on: value, unit, event, spread
 * (optional), run time in ns, percentage of time in which the event was counted.
 */
static bool stat_fields(const struct str *f, size_t n, size_t i, struct stat_row *row)
{
	struct str value = f[i];
	size_t at = i + 3;
	double time;

	if (i + 5 > n || !stat_is_event(f[i + 2]))
		return false;
	if (!stat_value(value, row))
		return false;
	if (str_ends(f[at], STR("%")) && !stat_field_number(f[at++], &row->spread))
		return false;
	if (at + 2 > n || !stat_field_number(f[at], &time) ||
	    !stat_field_number(f[at + 1], &row->running) || row->running > 100)
		return false;
	row->unit = f[i + 1];
	row->name = f[i + 2];
	if (at + 3 < n)
		row->comment = (struct str){ f[at + 2].p,
					     (size_t)(f[at + 3].p + f[at + 3].len - f[at + 2].p) };
	row->is_known = stat_known(row->name);
	return row->is_sure = true;
}

static bool stat_csv(struct str line, struct stat_row *row)
{
	static const char separators[] = ",;\t|:";
	struct str f[STAT_FIELDS];

	for (size_t k = 0; k < sizeof(separators) - 1; k++) {
		size_t n = stat_split(line, separators[k], f);
		const struct stat_row none = *row;
		double time;

		if (n < 5)
			continue;
		/* order of the fields: [time,] [key, [cpus,]] value, unit, event */
		for (size_t i = 0; i <= 3; i++) {
			*row = none;
			if (i && stat_field_number(f[0], &time) &&
			    str_find_char(f[0], '.') < f[0].len) {
				row->time_ns = time < 1e9 ? (uint64_t)(time * 1e9) : 0;
				row->has_time = true;
			}
			if (i > (size_t)row->has_time)
				row->key = f[row->has_time];
			if ((i <= (size_t)row->has_time || row->key.len) &&
			    stat_fields(f, n, i, row))
				return true;
		}
		*row = none;
	}
	return false;
}

/* The value of @key in a line of perf stat -j, without quotes. */
static struct str stat_json_value(struct str line, const char *key)
{
	size_t at = str_find(line, str_of(key));
	struct str rest = str_skip(line, at + strlen(key));
	bool is_quoted;

	rest = str_ltrim(rest);
	if (at >= line.len || !str_take(&rest, STR(":")))
		return STR_NONE;
	rest = str_ltrim(rest);
	is_quoted = str_take(&rest, STR("\""));
	return is_quoted ? str_sub(rest, 0, str_find_char(rest, '"'))
			 : str_trim(str_sub(
				   rest, 0,
				   str_find_char(str_sub(rest, 0, str_find_char(rest, '}')), ',')));
}

static bool stat_json(struct str line, struct stat_row *row)
{
	static const char *const keys[] = { "\"cpu\"",    "\"core\"", "\"die\"",
					    "\"socket\"", "\"node\"", "\"thread\"" };
	struct str value = stat_json_value(line, "\"counter-value\"");
	struct str number;
	double time;

	row->name = stat_json_value(line, "\"event\"");
	if (value.len == 0 || row->name.len == 0)
		return false;
	if (!stat_value(value, row))
		return false;
	row->unit = stat_json_value(line, "\"unit\"");
	number = stat_json_value(line, "\"pcnt-running\"");
	(void)stat_field_number(number, &row->running);
	(void)stat_field_number(stat_json_value(line, "\"variance\""), &row->spread);
	row->has_time = stat_field_number(stat_json_value(line, "\"interval\""), &time);
	if (row->has_time && time < 1e9)
		row->time_ns = (uint64_t)(time * 1e9);
	for (size_t i = 0; i < ARRAY_LEN(keys) && row->key.len == 0; i++)
		row->key = stat_json_value(line, keys[i]);
	for (; row->value.decimals && row->value.value % 10 == 0; row->value.decimals--)
		/* remove zeros after the point: JSON prints counts as "3703680000.000000" */
		row->value.value /= 10;
	row->comment = stat_json_value(line, "\"metric-unit\"");
	row->is_known = stat_known(row->name);
	return row->is_sure = true;
}

bool stat_line_more(struct str line, struct stat_row *row)
{
	struct str t = str_trim(line);
	struct stat_row more = { .spread = -1, .running = -1 };

	if (t.len < 3 || (t.p[0] != '#' && t.p[0] != '(' && t.p[0] != '['))
		return false;
	if (t.p[0] == '#' && !(char_is_blank(t.p[1]) && stat_is_figure(str_skip(t, 1))))
		return false;
	stat_tail(t, &more);
	if (t.p[0] != '#' && more.spread < 0 && more.running < 0)
		return false;
	row->comment = more.comment.len ? more.comment : row->comment;
	row->spread = more.spread >= 0 ? more.spread : row->spread;
	row->running = more.running >= 0 ? more.running : row->running;
	return true;
}

bool stat_line_metric(struct str comment, struct stat_row *row)
{
	struct str rest = comment;
	struct counter_number n;

	if (!counter_number(&rest, &n))
		return false;
	rest = str_ltrim(rest);
	*row = (struct stat_row){ .value = n, .spread = -1, .running = -1, .is_metric = true };
	if (str_take(&rest, STR("%")))
		row->unit = STR("%");
	row->name = str_trim(rest);
	/*
	 * Accept only metrics that perf alone can compute. assay computes other ratios from the
	 * counted events.
	 */
	return row->name.len && row->name.len < COUNTER_NAME_MAX &&
	       (counter_role_of(row->name) >= COUNTS_TOPDOWN_RETIRING ||
		str_starts(row->name, STR("tma_")));
}

bool stat_line(struct str line, struct stat_row *row)
{
	struct str t = str_trim(line);

	*row = (struct stat_row){ .spread = -1, .running = -1 };
	if (t.len < 5)
		return false;
	if (t.p[0] == '{')
		return stat_json(t, row);
	if (stat_text(t, row))
		return true;
	if (!char_is_digit(t.p[0]) && str_find_char(STR("<CSND"), t.p[0]) == 5)
		return false;
	*row = (struct stat_row){ .spread = -1, .running = -1 };
	return stat_csv(t, row);
}
