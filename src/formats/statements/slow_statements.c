/* SPDX-License-Identifier: MIT */
/*
 * slow_statements.c - slow query logs of databases, added up by statement
 *
 * A record of such a log has a statement and its figures, such as its time. A dialect describes
 * which line has the figures and which labels precede them. It also describes where the statement
 * is: on the same line, or on the lines after it. Statements that differ only in literals become
 * one row.
 *
 * Sources: MySQL manual, "The Slow Query Log"; PostgreSQL documentation, "Error Reporting and
 * Logging" and "auto_explain"; MongoDB manual, "Log Messages"; Redis commands, "SLOWLOG GET".
 */
#include "base/idmap.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/kinds/metrics.h"
#include "core/names/statement.h"
#include "core/symbols.h"
#include "formats/format.h"
#include "formats/statements/lock_wait_lines.h"
#include "formats/statements/statement_rows.h"
#include "formats/tables/line_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

DECLARE_FORMAT(slow_statements);

/* maximum number of consecutive lines inside the log that belong to no record */
#define SLOW_GAP    8u
#define SLOW_BELOW  65536u /* maximum length of a statement in bytes */
#define SLOW_SCORE  97u
#define SLOW_FIELDS 8u
#define SLOW_BRACES 256u /* maximum number of bytes that are read between braces */
#define SLOW_PREFIX 48u  /* maximum length of the text before a JSON object */
#define SLOW_MOST   1e18 /* largest value that a figure may have */

static const struct diag_kind slow_lines = { "slow-statements-lines", DIAG_INFO,
					     "lines between statements" };
static const struct diag_kind slow_nameless = { "slow-statements-nameless", DIAG_DATALOSS,
						"durations without their statement" };
static const struct diag_kind slow_past = { "slow-statements-past-limit", DIAG_DATALOSS,
					    "statements past the limit" };

/*
 * A figure of a record: the number after `label`. If `label` ends with '{', the figure is the sum
 * of all numbers up to the next '}'. If `scale` is 0, the figure is 1 if the record contains
 * `label`.
 */
struct slow_field {
	const char *label;
	enum statement_column column;
	double scale;
};

enum slow_place {
	/* the statement is on the line with the figures; its further lines start with a tab */
	SLOW_ON_LINE,
	SLOW_SEMICOLON, /* the statement is on the lines after the figures, up to a ';' */
	/*
	 * the statement is on the lines after the figures; these are numbered, with one word each
	 */
	SLOW_NUMBERED,
};

/*
 * Where the statement starts: after the text `label`. If `then` is not NULL, it starts after the
 * first `then` that follows `label`.
 */
struct slow_start {
	const char *label;
	const char *then;
};

struct slow_dialect {
	const char *tool;
	const char *mark; /* text that only the line with the figures contains */
	/* first character of the line with the figures; '0': any digit; 0: any character */
	char first;
	enum slow_place place;
	enum statement_language language;
	struct slow_field fields[SLOW_FIELDS];
	struct slow_start starts[SLOW_FIELDS];
	/*
	 * The statement ends before the first of these texts. If this text starts with a blank, the
	 * statement ends with the line before the text.
	 */
	const char *ends[SLOW_FIELDS];
	/*
	 * Texts before the name of the table or collection, and before the name of the plan. These
	 * names are put before the statement
	 */
	const char *prefixes[2];
	/* str_glob pattern of the lines of a record before its line with the figures */
	const char *lead;
	/* str_glob pattern of lines of the tool that belong to no record */
	const char *between;
	/*
	 * a record with this text is left to another reader: query_plan.c reads plans with "(actual
	 * "
	 */
	const char *stop;
};

/* clang-format off */
static const struct slow_dialect slow_dialects[] = {
	{ .tool = "MySQL slow query log", .mark = "# Query_time: ", .first = '#', .place = SLOW_SEMICOLON,
	  .language = STATEMENT_SQL_QUOTES,
	  .fields = { { "Query_time: ", STATEMENT_TIME, 1e9 }, { "Lock_time: ", STATEMENT_LOCK, 1e9 },
		      { "Rows_sent: ", STATEMENT_RETURNED, 1 }, { "Rows_examined: ", STATEMENT_EXAMINED, 1 },
		      { "Full_scan: Yes", STATEMENT_SCANS, 0 }, { "Full_join: Yes", STATEMENT_JOINS, 0 } },
	  .lead = "# Time: *|# User@Host: *|# Thread_id: *|# Schema: *|*, Version: *|Tcp port: *|Time *Id*Command*" },
	{ .tool = "PostgreSQL log", .mark = "duration: ", .place = SLOW_ON_LINE,
	  .fields = { { "duration: ", STATEMENT_TIME, 1e6 } },
	  .starts = { { " ms  statement:", NULL }, { " ms  execute ", ": " }, { " ms  parse ", ": " },
		      { " ms  bind ", ": " }, { " ms  plan:", "Query Text: " } },
	  .ends = { "\n\tQuery Parameters: ", " (cost=", "\",," },
	  .lead = LOCK_WAIT_LINES, .between = "*DETAIL: *|*duration: * ms*|\t*", .stop = "(actual " },
	{ .tool = "MongoDB log", .mark = "\"msg\":\"Slow query\"", .first = '{', .place = SLOW_ON_LINE,
	  .language = STATEMENT_JSON,
	  .fields = { { "\"durationMillis\":", STATEMENT_TIME, 1e6 }, { "\"timeAcquiringMicros\":{", STATEMENT_LOCK, 1e3 },
		      { "\"docsExamined\":", STATEMENT_EXAMINED, 1 }, { "\"nreturned\":", STATEMENT_RETURNED, 1 },
		      { "\"nMatched\":", STATEMENT_RETURNED, 1 }, { "\"ndeleted\":", STATEMENT_RETURNED, 1 },
		      { "\"planSummary\":\"COLLSCAN", STATEMENT_SCANS, 0 } },
	  .starts = { { "\"command\":", NULL } },
	  .ends = { ",\"lsid\"", ",\"$clusterTime\"", ",\"$db\"", ",\"planSummary\"", ",\"keysExamined\"", ",\"numYields\"" },
	  .prefixes = { "\"ns\":\"", "\"planSummary\":\"" } },
	/* layout of MongoDB before 4.4 */
	{ .tool = "MongoDB log", .mark = " protocol:op_", .first = '0', .place = SLOW_ON_LINE,
	  .language = STATEMENT_JSON,
	  .fields = { { " protocol:op_msg ", STATEMENT_TIME, 1e6 }, { " protocol:op_query ", STATEMENT_TIME, 1e6 },
		      { "timeAcquiringMicros: {", STATEMENT_LOCK, 1e3 }, { " docsExamined:", STATEMENT_EXAMINED, 1 },
		      { " nreturned:", STATEMENT_RETURNED, 1 }, { " nMatched:", STATEMENT_RETURNED, 1 }, { " ndeleted:", STATEMENT_RETURNED, 1 },
		      { " planSummary: COLLSCAN ", STATEMENT_SCANS, 0 } },
	  .starts = { { " command: ", NULL } },
	  .ends = { ", lsid:", ", $clusterTime:", ", $db:", " planSummary:", " keysExamined:", " numYields:" },
	  .prefixes = { "] command ", " planSummary: " } },
	{ .tool = "Redis slow log", .mark = ") 1) (integer) ", .place = SLOW_NUMBERED },
};
/* clang-format on */

/* A statement with its figures, from one record of the log. */
struct slow_record {
	/* figures of the record; NAN: the log has no such figure */
	double values[STATEMENT_COLUMNS];
	char shape[STATEMENT_BYTES];
	size_t shape_len; /* length of `shape`; 0: the statement is unknown */
	size_t bytes;     /* length of all lines of the record */
};

/* The number at the start of @text, which blanks may precede; < 0: none. */
static double slow_number(struct str text)
{
	double value;

	text = str_ltrim(text);
	return text.len && char_is_digit(text.p[0]) && str_double(&text, &value) &&
			       value < SLOW_MOST
		       ? value
		       : -1;
}

/* The sum of the numbers that follow a ':' in @text, up to the first '}'. */
static double slow_braces(struct str text)
{
	double sum = 0;

	text = str_sub(text, 0, SLOW_BRACES);
	text = str_sub(text, 0, str_find_char(text, '}'));
	for (size_t at; (at = str_find_char(text, ':')) < text.len;) {
		text = str_skip(text, at + 1);
		sum += fmax(slow_number(text), 0);
	}
	return sum;
}

static bool slow_skip_past(struct str *text, const char *label)
{
	size_t at = str_find(*text, str_of(label));

	if (at >= text->len)
		return false;
	*text = str_skip(*text, at + strlen(label));
	return true;
}

/*
 * Read the figure @f from @text into @values. In JSON, a user's document may contain the same label
 * before the figure, so the last number with this label is used. Exception: sums in braces ('{')
 * are added up over all places of the label.
 */
static void slow_figure(const struct slow_dialect *d, const struct slow_field *f, struct str text,
			double values[STATEMENT_COLUMNS])
{
	bool is_sum = f->scale > 0 && f->label[strlen(f->label) - 1] == '{';
	double found = -1;

	while (slow_skip_past(&text, f->label)) {
		double value = f->scale <= 0 ? 1 : is_sum ? slow_braces(text) : slow_number(text);

		found = is_sum && found > 0 ? found + value : value;
		if (d->language != STATEMENT_JSON)
			break;
	}
	if (found >= 0)
		values[f->column] = f->scale > 0 ? round(found * f->scale) : found;
}

/* The first line of @text, including its line break. */
static struct str slow_whole_line(struct str text)
{
	return str_sub(text, 0, str_find_char(text, '\n') + 1);
}

/*
 * Offset in @text of the end of a record whose first line ends at @from. Further lines of a record
 * start with a tab. If the first line ends with ':', its tabs may have been lost. Then all lines up
 * to a blank line or the next record belong to the record.
 */
static size_t slow_continued(struct str text, size_t from)
{
	bool is_below = str_ends(str_rtrim(str_sub(text, 0, from)), STR(":"));

	for (size_t most = from + SLOW_BELOW; from < most;) {
		struct str line = slow_whole_line(str_skip(text, from));
		bool is_more = is_below && str_trim(line).len && !str_contains(line, STR(":  ")) &&
			       !str_contains(line, STR("duration: ")) &&
			       !str_starts(line, STR("```"));

		if (!str_starts(line, STR("\t")) && !is_more)
			break;
		from += line.len;
	}
	return from;
}

/*
 * Offset in @text of the end of the JSON object with which @text starts, including the rest of its
 * last line. An object may take several lines, because long lines are often broken. 0: the object
 * does not end within SLOW_BELOW bytes.
 */
static size_t slow_object(struct str text)
{
	unsigned int depth = 0;
	bool is_string = false;

	for (size_t i = 0; i < text.len && i < SLOW_BELOW; i++) {
		char c = text.p[i];

		if (is_string && c == '\\')
			i++;
		else if (c == '"')
			is_string = !is_string;
		else if (!is_string && (c == '{' || c == '['))
			depth++;
		else if (!is_string && (c == '}' || c == ']') && (depth == 0 || --depth == 0))
			return i + slow_whole_line(str_skip(text, i)).len;
	}
	return 0;
}

/* @line without a text before its JSON object, such as "mongo-1  | " of container tools. */
static struct str slow_unprefixed(struct str line)
{
	size_t at = str_find(line, STR(" | {\""));

	return at < line.len && at <= SLOW_PREFIX ? str_skip(line, at + 3) : line;
}

/* Find the statement in @text, whose first line has the figures. Empty: no statement. */
static struct str slow_on_line(const struct slow_dialect *d, struct str text)
{
	struct str best = STR_NONE;

	for (size_t i = 0; i < SLOW_FIELDS && d->starts[i].label; i++) {
		struct str rest = text;

		if (slow_skip_past(&rest, d->starts[i].label) && rest.len > best.len &&
		    (!d->starts[i].then || slow_skip_past(&rest, d->starts[i].then)))
			best = rest;
	}
	for (size_t i = 0; i < SLOW_FIELDS && d->ends[i]; i++) {
		size_t at = str_find(best, str_of(d->ends[i]));

		best = str_sub(best, 0,
			       at < best.len && d->ends[i][0] == ' '
				       ? str_rfind_char(str_sub(best, 0, at), '\n')
				       : at);
	}
	return best;
}

/*
 * Find the statement in the lines after the first line of @text, which has the figures. Lines with
 * comments, the database and the time may precede the statement. *@ret_bytes: length of the whole
 * record.
 */
static struct str slow_below(struct str text, size_t *ret_bytes)
{
	size_t from = slow_whole_line(text).len;
	size_t to = from;

	for (size_t most = to + SLOW_BELOW; to < text.len && to < most;) {
		struct str line = slow_whole_line(str_skip(text, to));
		bool is_comment = str_starts(line, STR("#"));

		if (is_comment && (to > from || str_glob(STR("# Time: *|# User@Host: *"), line)))
			break;
		to += line.len;
		if (is_comment ||
		    (from + line.len == to && str_glob(STR("use *|SET timestamp=*"), line)))
			from = to;
		else if (str_ends(str_rtrim(line), STR(";")))
			break;
	}
	*ret_bytes = to;
	text = str_rtrim(str_sub(text, from, to));
	return str_sub(text, 0, text.len - str_ends(text, STR(";")));
}

/*
 * Column in which the fields of a Redis entry start: the length of "1) " in "1) (integer) 15".
 * redis-cli aligns the numbers of entries, so this length depends on how many entries there are. 0:
 * @line starts no entry.
 */
static size_t slow_column(struct str line)
{
	struct str rest = str_ltrim(line);
	uint64_t n;

	return str_u64(&rest, &n) && str_starts(rest, STR(") 1) (integer) "))
		       ? line.len - rest.len + 2
		       : 0;
}

#define SLOW_CALLS 8u  /* maximum number of commands of a script that are listed */
#define SLOW_NAME  20u /* maximum number of bytes of the name of a command */

/*
 * Append the commands that a Redis script calls, in the order of their first calls: "calls KEYS,
 * DEL: ". @text: the script, in which quotes are escaped, as in redis.call(\"KEYS\", ARGV[1]).
 */
static void slow_script(struct str text, struct slow_record *ret)
{
	char names[SLOW_CALLS][SLOW_NAME];
	struct str found[SLOW_CALLS];
	size_t n = 0;

	while (n < SLOW_CALLS && slow_skip_past(&text, "call(")) {
		struct str name = { names[n], 0 };
		bool is_new = true;

		while (text.len && (char_is_blank(text.p[0]) || text.p[0] == '\\' ||
				    text.p[0] == '"' || text.p[0] == '\''))
			text = str_skip(text, 1);
		for (; name.len < text.len && name.len < SLOW_NAME &&
		       char_is_letter(text.p[name.len]);
		     name.len++)
			names[n][name.len] = (char)(char_lower(text.p[name.len]) - 'a' + 'A');
		for (size_t i = 0; i < n; i++)
			is_new &= !str_eq(found[i], name);
		if (name.len && is_new)
			found[n++] = name;
	}
	for (size_t i = 0; i < n && ret->shape_len + SLOW_NAME + 8 < STATEMENT_BYTES; i++)
		ret->shape_len += (size_t)snprintf(ret->shape + ret->shape_len,
						   STATEMENT_BYTES - ret->shape_len,
						   "%s" STR_FMT "%s", i ? ", " : "calls ",
						   STR_ARG(found[i]), i + 1 == n ? ": " : "");
}

/*
 * Read the time of a Redis entry, its command and its first argument. Their lines look like `   3)
 * (integer) 28343`, `   4) 1) "GET"` and `      2) "key:1"`. Returns the length of the whole
 * record.
 */
static size_t slow_words(struct str text, struct slow_record *ret)
{
	size_t to = slow_whole_line(text).len;
	size_t column = slow_column(slow_whole_line(text));
	size_t words = 0;
	bool is_script = false;

	for (size_t most = to + SLOW_BELOW; to < text.len && to < most;) {
		struct str line = slow_whole_line(str_skip(text, to));
		struct str field = str_skip(line, column);
		size_t quote = str_find_char(line, '"');
		struct str word = str_sub(str_rtrim(line), quote + 1, line.len);

		if (str_ltrim(line).len > field.len || !str_contains(line, STR(") ")))
			break;
		to += line.len;
		if (str_take(&field, STR("3) (integer) ")) && slow_number(field) >= 0)
			ret->values[STATEMENT_TIME] = round(slow_number(field) * 1e3);
		if (str_starts(field, STR("4) 1) ")))
			words = 1;
		else if (words == 0 || !str_starts(field, STR("   ")))
			words = 0;
		if (words == 0 || words > 2 || word.len == 0)
			continue;
		word = str_sub(word, 0, word.len - str_ends(word, STR("\"")));
		if (words == 1)
			is_script = str_starts_nocase(word, STR("EVAL"));
		if (words++ == 2 && ret->shape_len < STATEMENT_BYTES)
			ret->shape[ret->shape_len++] = ' ';
		if (words == 3 && is_script)
			slow_script(word, ret);
		ret->shape_len = statement_shape(word, STATEMENT_SQL, ret->shape, ret->shape_len,
						 STATEMENT_BYTES);
	}
	return to;
}

static void slow_prefix(const struct slow_dialect *d, struct str line, struct slow_record *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(d->prefixes) && d->prefixes[i]; i++) {
		struct str rest = line;

		if (!slow_skip_past(&rest, d->prefixes[i]))
			continue;
		for (size_t k = 0; k < rest.len && ret->shape_len < STATEMENT_BYTES / 2; k++) {
			if (char_is_space(rest.p[k]) || rest.p[k] == '"')
				break;
			ret->shape[ret->shape_len++] = rest.p[k];
		}
		ret->shape[ret->shape_len++] = ' ';
	}
}

/*
 * Read a record of dialect @d from @text, whose first line must be the line with the figures.
 * False: @text does not start with such a record.
 */
static bool slow_take(const struct slow_dialect *d, struct str text, struct slow_record *ret)
{
	struct str line = str_sub(slow_whole_line(text), 0, LIMIT_LINE_BYTES);
	struct str statement = STR_NONE;
	size_t whole = slow_whole_line(text).len;

	if (d->first == '{' && str_contains(line, str_of(d->mark))) {
		struct str from = slow_unprefixed(line);
		size_t object = slow_object(str_skip(text, line.len - from.len));

		line = from;
		whole = object ? (size_t)(from.p - text.p) + object : whole;
		if (object)
			line = str_sub(str_skip(text, (size_t)(from.p - text.p)), 0, object);
	}
	if (line.len == 0 ||
	    (d->first == '0' ? !char_is_digit(line.p[0]) : d->first && line.p[0] != d->first) ||
	    !str_contains(line, str_of(d->mark)) ||
	    (d->place == SLOW_NUMBERED && slow_column(line) == 0))
		return false;
	*ret = (struct slow_record){ .bytes = whole };
	for (size_t i = 0; i < STATEMENT_COLUMNS; i++)
		ret->values[i] = (double)NAN;
	if (d->place == SLOW_ON_LINE) {
		ret->bytes = slow_continued(text, ret->bytes);
		statement = slow_on_line(d, str_sub(text, 0, ret->bytes));
		if (d->stop && str_contains(str_sub(text, 0, ret->bytes), str_of(d->stop)))
			return false;
	} else if (d->place == SLOW_SEMICOLON) {
		statement = slow_below(text, &ret->bytes);
		line = str_sub(text, 0, (size_t)(statement.p - text.p));
	} else {
		ret->bytes = slow_words(text, ret);
		line = str_sub(text, 0, ret->bytes);
	}
	for (size_t i = 0; i < SLOW_FIELDS && d->fields[i].label; i++)
		slow_figure(d, &d->fields[i], line, ret->values);
	if (statement.len) {
		slow_prefix(d, line, ret);
		ret->shape_len = statement_shape(statement, d->language, ret->shape, ret->shape_len,
						 STATEMENT_BYTES);
	}
	/* the time is at the end of a JSON line, so it is missing if the line was cut off */
	return (!isnan(ret->values[STATEMENT_TIME]) ||
		(d->language == STATEMENT_JSON && !isnan(ret->values[STATEMENT_EXAMINED]))) &&
	       (ret->shape_len || d->place == SLOW_SEMICOLON);
}

/*
 * The dialect of the record whose line with the figures is the first line of @text; NULL: no record
 * starts with this line.
 */
static const struct slow_dialect *slow_begun(struct str text, struct slow_record *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(slow_dialects); i++) {
		if (slow_take(&slow_dialects[i], text, ret))
			return &slow_dialects[i];
	}
	return NULL;
}

/*
 * Whether @line is a line of a record before its line with the figures. @d: dialect of the record;
 * NULL: any dialect.
 */
static bool slow_is_lead(const struct slow_dialect *d, struct str line)
{
	if (d)
		return d->lead && str_glob(str_of(d->lead), line);
	for (size_t i = 0; i < ARRAY_LEN(slow_dialects); i++) {
		if (slow_is_lead(&slow_dialects[i], line))
			return true;
	}
	return false;
}

static bool slow_is_between(const struct slow_dialect *d, struct str line)
{
	return str_trim(line).len == 0 || (d->between && str_glob(str_of(d->between), line));
}

static bool slow_statements_find(struct str text, size_t from, struct extent *ret)
{
	const struct slow_dialect *d = NULL;
	/*
	 * offset of the next record's first line if the line with its figures comes later;
	 * SIZE_MAX: the next record has not started
	 */
	size_t lead = SIZE_MAX;
	struct slow_record record;
	unsigned int others = 0;

	for (size_t at = from; at < text.len;) {
		struct str rest = str_skip(text, at);
		struct str line = str_sub(slow_whole_line(rest), 0, LIMIT_LINE_BYTES);
		bool is_first = d == NULL;

		if (d ? slow_take(d, rest, &record) : (d = slow_begun(rest, &record)) != NULL) {
			if (is_first)
				*ret = (struct extent){ .from = lead < at ? lead : at,
							.score = SLOW_SCORE };
			at += record.bytes;
			ret->to = at;
			others = 0;
			lead = SIZE_MAX;
			continue;
		}
		if (slow_is_lead(d, line))
			lead = lead == SIZE_MAX ? at : lead;
		else if (d && (others += !slow_is_between(d, line)) > SLOW_GAP)
			break;
		else
			lead = SIZE_MAX;
		if (d && d->stop && str_contains(line, str_of(d->stop)))
			break;
		at += slow_whole_line(rest).len;
		/* the text ends inside a record, before the line with its figures */
		if (d && at == text.len && others == 0 && str_trim(line).len)
			ret->to = at;
	}
	return d != NULL;
}

static unsigned int slow_statements_probe(struct str head)
{
	struct extent e;

	return slow_statements_find(head, 0, &e) ? SLOW_SCORE : 0;
}

#define SLOW_HIDDEN 8u

struct slow_rows {
	struct statement_rows sums;
	struct lock_waits locks;
	/*
	 * statements that waited for a lock, but no line gives the time of the wait: total time of
	 * the statements in ns, and their number
	 */
	double hidden_ns;
	unsigned int n_hidden;
	/* process ids of the first SLOW_HIDDEN of these statements */
	uint64_t hidden[SLOW_HIDDEN];
};

static void slow_add(struct capture *c, struct slow_rows *s, struct slow_record *record,
		     uint32_t line)
{
	struct str shape = { record->shape, record->shape_len };

	if (shape.len == 0) {
		diag_count(&c->diag, &slow_nameless, line);
		shape = STR("[statement missing]");
	}
	record->values[STATEMENT_CALLS] = 1;
	record->values[STATEMENT_LONGEST] = record->values[STATEMENT_TIME];
	if (!statement_rows_add(c, &s->sums, shape, record->values, line))
		diag_count(&c->diag, &slow_past, line);
}

/*
 * If the lock time of @record is unknown, set it from earlier lines about waits for locks. @line:
 * the first line of @record.
 */
static void slow_lock(struct slow_rows *s, struct slow_record *record, struct str line)
{
	uint64_t hidden;
	double ns = lock_waits_end(&s->locks, line, &hidden);

	if (hidden && isnan(record->values[STATEMENT_LOCK])) {
		if (s->n_hidden < SLOW_HIDDEN)
			s->hidden[s->n_hidden] = hidden;
		s->n_hidden++;
		s->hidden_ns += record->values[STATEMENT_TIME];
	}
	if (ns > 0 && ns <= record->values[STATEMENT_TIME] && isnan(record->values[STATEMENT_LOCK]))
		record->values[STATEMENT_LOCK] = ns;
}

/*
 * If the log has lines about waits for locks, a statement without a lock time had no long wait: set
 * its lock time to 0.
 */
static void slow_unlocked(struct slow_rows *s)
{
	VEC_FOREACH (row, &s->sums.rows) {
		if (s->locks.has_any && isnan(row->values[STATEMENT_LOCK]))
			row->values[STATEMENT_LOCK] = 0;
	}
}

/*
 * Add a note about the statements whose waits were not measured: "7.8 s of 548". The rule
 * statement-locks reads the note.
 */
static void slow_note_hidden(struct capture *c, const struct slow_rows *s)
{
	char text[32 + SLOW_HIDDEN * 22];
	struct str rest = { text, 0 };

	if (s->n_hidden == 0)
		return;
	rest.len = (size_t)snprintf(text, sizeof(text), "%.3f s of", s->hidden_ns / 1e9);
	for (unsigned int i = 0; i < s->n_hidden && i < SLOW_HIDDEN; i++)
		rest.len += (size_t)snprintf(text + rest.len, sizeof(text) - rest.len, " %" PRIu64,
					     s->hidden[i]);
	capture_note(c, STR("statements with an unmeasured lock wait"), rest, c->first_line);
}

/*
 * Add a note about the lock with the longest queue: "33 21 2 2000500000 ShareLock|transaction 90".
 * It has the holder, the first process of the queue, the length of the queue, the wait in ns, the
 * mode and the lock. '+' after the holder means that there are more holders. The rule
 * statement-locks reads the note.
 */
static void slow_note_queue(struct capture *c, const struct slow_rows *s)
{
	const struct lock_queue *q = lock_waits_queue(&s->locks);
	char text[2 * LOCK_QUEUE_TEXT + 96];
	int n;

	if (!q)
		return;
	n = snprintf(text, sizeof(text), "%" PRIu64 "%s %" PRIu64 " %u %.0f %s|%s", q->holder,
		     q->has_holders ? "+" : "", q->head, q->length, q->ns, q->mode, q->object);
	capture_note(c, STR("queue of a lock"), (struct str){ text, (size_t)n }, c->first_line);
}

static uint32_t slow_lines_in(struct str text)
{
	uint32_t n = 0;
	struct str line;

	while (str_line(&text, &line))
		n++;
	return n;
}

/* Read all records of @in into @s. Returns the dialect of the records; NULL: no record. */
static const struct slow_dialect *slow_read_all(const struct region *in, struct capture *c,
						struct slow_rows *s)
{
	const struct slow_dialect *d = NULL;
	struct slow_record record;
	uint32_t n = 0;

	for (size_t at = 0; at < in->text.len;) {
		struct str rest = str_skip(in->text, at);
		struct str line = slow_whole_line(rest);

		if (d ? slow_take(d, rest, &record) : (d = slow_begun(rest, &record)) != NULL) {
			slow_lock(s, &record, line);
			slow_add(c, s, &record, region_line(in, n));
			line = str_sub(rest, 0, record.bytes);
		} else {
			lock_waits_line(&s->locks, line);
			if (str_trim(line).len && !slow_is_lead(d, line))
				diag_count(&c->diag, &slow_lines, region_line(in, n));
		}
		n += slow_lines_in(line);
		at += line.len;
	}
	return d;
}

static int slow_statements_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct capture *c = format_add_capture(&format_slow_statements, in, d);
	struct slow_rows s = { .sums = { .map = { .slots = NULL } } };
	const struct slow_dialect *dialect = slow_read_all(in, c, &s);

	if (dialect) {
		slow_unlocked(&s);
		statement_rows_fill(c, &s.sums);
		capture_note(c, STR("printed by"), str_of(dialect->tool), c->first_line);
		slow_note_hidden(c, &s);
		slow_note_queue(c, &s);
	}
	statement_rows_fini(&s.sums);
	lock_waits_fini(&s.locks);
	return dialect ? OK : fail(err, ERR_FORMAT, "no slow statement");
}

const struct format format_slow_statements = {
	.name = "slow-statements",
	.title = "slow statements",
	.summary = "slow statements of MySQL, PostgreSQL, MongoDB and Redis, added up",
	.kinds = KIND_METRICS,
	.probe = slow_statements_probe,
	.find = slow_statements_find,
	.read = slow_statements_read,
};
