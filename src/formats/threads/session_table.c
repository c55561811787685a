/* SPDX-License-Identifier: MIT */
/*
 * session_table.c - tables of the sessions of a database and of their locks: pg_stat_activity,
 * pg_locks, SHOW PROCESSLIST, views of who blocks whom
 *
 * Users choose columns and join views, so the tables differ. Therefore the title of a column
 * decides its content, whichever tool printed it. A line with enough known titles starts a table.
 *
 * Clients separate columns by bars, by tabs (mysql -B, text copied from a window), or by commas
 * with quoted texts. sqlcmd prints columns at fixed offsets, marked by a line of dashes. psql \x
 * and mysql \G print one column per line.
 */
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/kinds/threads.h"
#include "core/strings.h"
#include "formats/format.h"
#include "formats/threads/session_rows.h"
#include "formats/threads/session_wait.h"

#include <stdio.h>

DECLARE_FORMAT(session_table);

#define SESSION_COLUMNS 64u
#define SESSION_LINE    8192u
/*
 * Minimum number of points of a table of sessions. The points of its titles (session_titles) are
 * added up. A table of MySQL needs one point more.
 */
#define SESSION_POINTS 3u
/* maximum number of consecutive lines between the tables of a region that belong to no table */
#define SESSION_GAP    8u
#define SESSION_SCORE  97u
#define SESSION_OBJECT 160u

static const struct diag_kind session_lines = { "session-table-lines", DIAG_INFO,
						"lines between rows of sessions" };
static const struct diag_kind session_cells = { "session-table-cells", DIAG_DATALOSS,
						"rows with more or fewer cells than titles" };

static const struct diag_kind session_open = { "session-table-open", DIAG_DATALOSS,
					       "statements of which the text has only the start" };

enum session_field {
	FIELD_NONE,
	FIELD_ID,
	FIELD_STATE,
	FIELD_WAIT_TYPE,
	FIELD_WAIT,
	FIELD_WAITING, /* whether the session waits for a lock: t or f */
	FIELD_STATE_AGE,
	FIELD_STATE_MS, /* time in the state, in milliseconds */
	FIELD_STATE_AT,
	FIELD_TRANSACTION_AGE,
	FIELD_TRANSACTION_AT,
	FIELD_NOW,
	FIELD_CLOCK, /* time of the dump */
	FIELD_QUERY,
	FIELD_BLOCKERS, /* list of the sessions that block this one: "{20114,20120}" */
	FIELD_BLOCKER,
	FIELD_BLOCKER_STATE,
	FIELD_BLOCKER_AGE, /* age of the transaction of the session that blocks this one */
	FIELD_BLOCKER_QUERY,
	FIELD_OBJECT,
	FIELD_MODE,
	FIELD_GRANTED,
	FIELDS,
};

/*
 * Titles of columns, and the fields that they mean. Sources: PostgreSQL documentation,
 * pg_stat_activity, pg_locks, and the wiki's "Lock Monitoring"; MySQL documentation, SHOW
 * PROCESSLIST, sys.innodb_lock_waits; SQL Server documentation, sys.dm_exec_requests,
 * sys.dm_os_waiting_tasks.
 *
 * points: 0 for a title that many other tables also have, such as "Id"; more for a title that shows
 * a table of sessions.
 */
static const struct {
	const char *titles; /* str_glob pattern */
	uint8_t field;
	uint8_t points;
} session_titles[] = {
	{ "pid|procpid|blocked_pid|waiting_pid", FIELD_ID, 1 },
	{ "Id|ID|PROCESSLIST_ID", FIELD_ID, 0 },
	{ "session_id|spid|SPID", FIELD_ID, 1 },
	{ "state|Command|COMMAND", FIELD_STATE, 1 },
	{ "status", FIELD_STATE, 0 },
	{ "wait_event_type|wait_class", FIELD_WAIT_TYPE, 2 },
	{ "wait_event|wait_type|lastwaittype", FIELD_WAIT, 2 },
	{ "wait", FIELD_WAIT, 1 },
	{ "wait_time|wait_duration_ms|wait_time_ms|waittime", FIELD_STATE_MS, 1 },
	{ "State|STATE", FIELD_WAIT, 1 },
	{ "waiting", FIELD_WAITING, 1 },
	{ "Time|TIME|wait_age_secs|runtime|duration|query_age|wait_age|*_duration|"
	  "since_change|state_age|time_in_state|query_time|waited",
	  FIELD_STATE_AGE, 1 },
	{ "query_start|state_change|waitstart", FIELD_STATE_AT, 1 },
	{ "xact_age|transaction_age|waiting_trx_age", FIELD_TRANSACTION_AGE, 1 },
	{ "xact_start", FIELD_TRANSACTION_AT, 1 },
	{ "backend_start", FIELD_NOW, 1 },
	{ "now", FIELD_CLOCK, 1 },
	{ "query|Info|INFO|current_query|blocked_statement|blocked_query|waiting_query|statement|"
	  "sql_text|text|substr|substring|left",
	  FIELD_QUERY, 1 },
	{ "blocked_by|pg_blocking_pids|blocking_pids|blockers", FIELD_BLOCKERS, 3 },
	{ "blocking_pid|blocker_pid|blocking_session_id|blocked|BlkBy", FIELD_BLOCKER, 3 },
	{ "blocking_state", FIELD_BLOCKER_STATE, 0 },
	{ "blocking_trx_age|blocking_transaction_age|blocking_xact_age", FIELD_BLOCKER_AGE, 0 },
	{ "blocking_query|blocking_statement|current_statement_in_blocking_process|"
	  "current_or_recent_query_in_blocking_process",
	  FIELD_BLOCKER_QUERY, 0 },
	{ "locktype|relation|relname|table_name|page|tuple|virtualxid|transactionid|classid|objid|"
	  "objsubid",
	  FIELD_OBJECT, 0 },
	{ "mode", FIELD_MODE, 1 },
	{ "granted", FIELD_GRANTED, 2 },
};

/*
 * The database that printed the table, judged by its titles. Some findings have commands for this
 * database as next steps.
 */
enum session_tool { TOOL_POSTGRESQL, TOOL_MYSQL, TOOL_SQL_SERVER, TOOL_MARIADB };

struct session_head {
	uint8_t fields[SESSION_COLUMNS];
	struct str titles[SESSION_COLUMNS];
	size_t n;
	unsigned int points;
	enum session_tool tool;
	/*
	 * character between cells: '|', ',' or a tab; 0: cells start at the fixed offsets in `from`
	 */
	char between;
	/* if `between` is 0: offset in a line at which each column starts */
	uint16_t from[SESSION_COLUMNS];
};

static unsigned int session_title(struct str title, uint8_t *ret_field)
{
	for (size_t i = 0; i < ARRAY_LEN(session_titles); i++) {
		if (str_glob(str_of(session_titles[i].titles), title)) {
			*ret_field = session_titles[i].field;
			return session_titles[i].points;
		}
	}
	*ret_field = FIELD_NONE;
	return 0;
}

/*
 * Take the quoted text at the start of @line: 'idle', "SELECT 1". Statements also contain quotes,
 * so a quote ends the text only before a comma or at the end of the line.
 */
static struct str session_quoted(struct str *line)
{
	char quote = line->p[0];

	for (size_t i = 1; i < line->len; i++) {
		if (line->p[i] == quote && (i + 1 == line->len || line->p[i + 1] == ',')) {
			struct str ret = str_sub(*line, 1, i);

			*line = str_skip(*line, i + 1);
			return ret;
		}
	}
	/* no quote ends the text, so the statement continues on the next line */
	struct str rest = str_skip(*line, 1);

	*line = str_skip(*line, line->len);
	return rest;
}

/*
 * Split @line at commas. Clients copy rows in this form: "17, 'app', 'Query', 12, 'SELECT 1'".
 * Returns the number of cells, or 0, as session_split() does.
 */
static size_t session_split_commas(struct str line, struct str *ret)
{
	size_t n = 0;

	line = str_trim(line);
	(void)str_take(&line, STR("# "));
	if (line.len > SESSION_LINE || str_find_char(line, ',') == line.len)
		return 0;
	for (; n < SESSION_COLUMNS; line = str_ltrim(str_skip(line, 1))) {
		if (line.len && (line.p[0] == '\'' || line.p[0] == '"')) {
			ret[n++] = session_quoted(&line);
		} else {
			size_t comma = str_find_char(line, ',');

			ret[n++] = str_trim(str_sub(line, 0, comma));
			line = str_skip(line, comma);
		}
		if (!line.len || line.p[0] != ',')
			return line.len ? 0 : n;
	}
	return 0;
}

/*
 * Split @line at bars, tabs or commas (@between). Returns the number of cells; 0: the line has no
 * such separator, too many bytes, or too many cells.
 */
static size_t session_split(struct str line, char between, struct str *ret)
{
	size_t n = 0;

	if (between == ',')
		return session_split_commas(line, ret);
	line = between == '|' ? str_trim(line) : line;
	if (line.len > SESSION_LINE || str_find_char(line, between) == line.len)
		return 0;
	if (between == '|' && str_take(&line, STR("|"))) {
		if (str_ends(line, STR("|")))
			line.len--;
	}
	for (;;) {
		size_t bar = str_find_char(line, between);

		if (n == SESSION_COLUMNS)
			return 0;
		ret[n++] = str_trim(str_sub(line, 0, bar));
		if (bar == line.len)
			return n;
		line = str_skip(line, bar + 1);
	}
}

static void session_head_add(struct session_head *h, struct str title)
{
	h->titles[h->n] = title;
	h->points += session_title(title, &h->fields[h->n]);
	if (str_glob(STR("Id|ID|Info|INFO|Command|waiting_pid|waiting_trx*"), title))
		h->tool = TOOL_MYSQL;
	else if (h->tool == TOOL_MYSQL && str_glob(STR("Progress|PROGRESS"), title))
		h->tool = TOOL_MARIADB;
	else if (str_glob(STR("session_id|spid|SPID|blocking_session_id|BlkBy"), title))
		h->tool = TOOL_SQL_SERVER;
	h->n++;
}

static bool session_has(const struct session_head *h, enum session_field field)
{
	for (size_t i = 0; i < h->n; i++) {
		if (h->fields[i] == field)
			return true;
	}
	return false;
}

static bool session_head_is_sure(const struct session_head *h)
{
	bool has_blocker = session_has(h, FIELD_BLOCKERS) || session_has(h, FIELD_BLOCKER);

	/*
	 * without a title for ids, the table must have bars, and titles for state, statement and
	 * waits
	 */
	if (!session_has(h, FIELD_ID))
		return h->between == '|' && h->points > SESSION_POINTS &&
		       session_has(h, FIELD_STATE) && session_has(h, FIELD_QUERY) &&
		       (session_has(h, FIELD_WAITING) || session_has(h, FIELD_WAIT_TYPE));
	/* the titles of MySQL are common words, so they need more points */
	return h->n >= (has_blocker ? 2 : 3) &&
	       h->points >= SESSION_POINTS + (h->tool == TOOL_MYSQL || h->tool == TOOL_MARIADB);
}

/* Whether @line is a ruler: "-----+------", "+----+----+", "|----|---:|". */
static bool session_is_rule(struct str line)
{
	line = str_trim(line);
	for (size_t i = 0; i < line.len; i++) {
		if (!strchr("+-|:", line.p[i]))
			return false;
	}
	return line.len > 2;
}

/*
 * Fast test whether @line may have a title for the id of a session, or a title for waits. Each such
 * title contains "pid", "wait" or another text of this function.
 */
static bool session_may_be_head(struct str line)
{
	return str_contains(line, STR("pid")) || str_contains(line, STR("Id")) ||
	       str_contains(line, STR("ID")) || str_contains(line, STR("session_id")) ||
	       str_contains(line, STR("wait"));
}

static bool session_head(struct str line, struct session_head *ret)
{
	struct str cells[SESSION_COLUMNS];
	size_t n;

	*ret = (struct session_head){ .n = 0 };
	if (!session_may_be_head(line))
		return false;
	ret->between = str_find_char(line, '|') < line.len    ? '|'
		       : str_find_char(line, '\t') < line.len ? '\t'
							      : ',';
	n = session_split(line, ret->between, cells);
	/*
	 * "Id | User | Info |": the first bar was lost when the titles were copied, so ignore the
	 * last one
	 */
	if (n && ret->between == '|' && cells[n - 1].len == 0)
		n--;
	for (size_t i = 0; i < n; i++)
		session_head_add(ret, cells[i]);
	return session_head_is_sure(ret);
}

/*
 * The cell of column @column in a table with fixed offsets. The last cell extends to the end of the
 * line.
 */
static struct str session_place(const struct session_head *h, struct str line, size_t column)
{
	size_t from = h->from[column] < line.len ? h->from[column] : line.len;
	size_t to = column + 1 < h->n ? h->from[column + 1] : line.len;

	return str_trim(str_sub(line, from, to < line.len ? to : line.len));
}

/*
 * Read titles at fixed offsets, "session_id command". @rule: the ruler below them, "----------
 * -------". Each group of dashes marks a column.
 */
static bool session_fixed_head(struct str titles, struct str rule, struct session_head *ret)
{
	*ret = (struct session_head){ .n = 0 };
	rule = str_rtrim(rule);
	if (rule.len > UINT16_MAX || !session_may_be_head(titles))
		return false;
	for (size_t i = 0; i < rule.len; i++) {
		if (rule.p[i] != '-' && rule.p[i] != ' ')
			return false;
		if (rule.p[i] == ' ' || (i && rule.p[i - 1] == '-'))
			continue;
		if (ret->n == SESSION_COLUMNS)
			return false;
		ret->from[ret->n++] = (uint16_t)i;
	}
	for (size_t i = 0, n = ret->n; i < n; i++) {
		struct str title = session_place(ret, titles, i);

		ret->n = i;
		session_head_add(ret, title);
		ret->n = n;
	}
	return session_head_is_sure(ret);
}

static size_t session_places(const struct session_head *h, struct str line, struct str *ret)
{
	if (line.len > SESSION_LINE)
		return 0;
	for (size_t i = 0; i < h->n; i++)
		ret[i] = session_place(h, line, i);
	return h->n;
}

/*
 * Whether @line starts a record, which has one column on each line: -[ RECORD 1 ]---+---- ***** 1.
 * row *****
 */
static bool session_is_record(struct str line)
{
	line = str_trim(line);
	return str_glob(STR("-\\[ RECORD * ]-*|-[ RECORD * ]-*|-[ RECORD * ]*"), line) ||
	       (str_starts(line, STR("*****")) && str_find(line, STR(". row *")) < line.len);
}

/*
 * Split a line of a record into title and value: "pid | 20114", "   Id: 4". False: the title is
 * empty or contains a blank.
 */
static bool session_pair(struct str line, struct str *ret_title, struct str *ret_value)
{
	size_t bar = str_find_char(line, '|');
	size_t colon = str_find_char(line, ':');
	size_t at = bar < colon ? bar : colon;
	uint8_t field;

	*ret_title = str_trim(str_sub(line, 0, at));
	if (at == line.len || ret_title->len == 0 ||
	    str_find_char(*ret_title, ' ') < ret_title->len)
		return false;
	*ret_value = str_trim(str_skip(line, at + 1));
	(void)session_title(*ret_title, &field);
	return true;
}

/*
 * Fit the @n cells of a row to the titles of a table with commas. There may be too many cells,
 * because the statement contains quotes with commas after them: join these cells. If the statement
 * ends on a later line, the cells after the statement are missing: leave them empty. Returns the
 * number of cells; 0: they do not fit.
 */
static size_t session_fit_commas(const struct session_head *h, struct str *cells, size_t n)
{
	size_t at = 0;

	while (at < h->n && h->fields[at] != FIELD_QUERY)
		at++;
	if (at == h->n || n <= at || (n < h->n && n != at + 1))
		return 0;
	if (n > h->n) {
		size_t more = n - h->n;
		const char *end = cells[at + more].p + cells[at + more].len;

		cells[at].len = (size_t)(end - cells[at].p);
		memmove(&cells[at + 1], &cells[at + more + 1], (h->n - at - 1) * sizeof(cells[0]));
	}
	for (; n < h->n; n++)
		cells[n] = STR_NONE;
	return h->n;
}

static bool session_is_row(const struct session_head *h, struct str line, struct str *cells)
{
	size_t n = session_is_rule(line) ? 0
		   : h->between          ? session_split(line, h->between, cells)
					 : session_places(h, line, cells);

	/*
	 * psql prints no bar before the first cell. If a line starts with a bar, its first cell is
	 * empty, and the bar is the one after this cell
	 */
	if (n && n + 1 == h->n && h->between == '|' && str_starts(str_trim(line), STR("|"))) {
		memmove(&cells[1], &cells[0], n * sizeof(cells[0]));
		cells[0] = STR_NONE;
		n++;
	}
	if (n > h->n && h->n && h->fields[h->n - 1] == FIELD_QUERY) {
		/*
		 * more cells than titles: join the last cells, because the last column is the
		 * statement, which may contain a bar or tab
		 */
		const char *end = line.p + line.len;

		cells[h->n - 1].len = (size_t)(end - cells[h->n - 1].p);
		n = h->n;
	}
	if (n && n != h->n && h->between == ',')
		n = session_fit_commas(h, cells, n);
	for (size_t i = 0; i < n && n == h->n; i++) {
		if (h->fields[i] != FIELD_ID)
			continue;
		/*
		 * The id must be a number. It may be empty only between bars, because otherwise any
		 * line could be a row.
		 */
		if (cells[i].len ? !char_is_digit(cells[i].p[0]) : h->between != '|')
			return false;
	}
	return n == h->n && n > 0;
}

/*
 * State of a walk over the lines of a text: the titles of the current table, and its current row.
 */
struct session_walk {
	struct session_head head;
	struct str cells[SESSION_COLUMNS];
	bool is_record; /* the current line is in a record, which has one column per line */
	/* rows may follow now: the ruler below the titles was read, or this table needs no ruler */
	bool is_ruled;
	/*
	 * the current line is the ruler of a table with fixed offsets, whose titles are on the
	 * previous line
	 */
	bool is_below;
	struct str last; /* the previous line */
	/* an earlier table has the same titles, so another dump of the table begins */
	bool is_again;
	uint32_t titles[4]; /* hashes of the titles of earlier tables */
	size_t n_titles;
};

/*
 * Kinds of lines. LINE_PAIR: one column of a record. LINE_SPLIT: a row whose number of cells
 * differs from the number of titles.
 */
enum session_line { LINE_OTHER, LINE_HEAD, LINE_ROW, LINE_PAIR, LINE_INNER, LINE_SPLIT };

static enum session_line session_record_line(struct session_walk *w, struct str line)
{
	struct str title, value;

	if (!session_pair(line, &title, &value) || w->head.n == SESSION_COLUMNS)
		return LINE_OTHER;
	w->cells[w->head.n] = value;
	session_head_add(&w->head, title);
	return LINE_PAIR;
}

/*
 * Store the titles of a table. If an earlier table has the same titles, set is_again, because
 * another dump of this table begins.
 */
static void session_note_titles(struct session_walk *w, struct str line)
{
	uint32_t hash = str_hash32(str_trim(line));

	for (size_t i = 0; i < w->n_titles; i++)
		w->is_again |= w->titles[i] == hash;
	if (w->n_titles < ARRAY_LEN(w->titles))
		w->titles[w->n_titles++] = hash;
}

/*
 * Whether @rule is the ruler below the titles of another table, and these titles are unknown. Only
 * rulers of psql, which start with '-', are accepted: a line that starts with '+' may also be the
 * end of a table of MySQL.
 */
static bool session_is_other(const struct session_walk *w, struct str rule)
{
	struct str cells[SESSION_COLUMNS];
	size_t n = session_split(w->last, '|', cells);

	return w->is_ruled && str_starts(rule, STR("-")) && n && n != w->head.n;
}

static enum session_line session_line_kind(struct session_walk *w, struct str line)
{
	struct session_head next;

	w->is_below = false;
	if (session_is_record(line)) {
		w->head = (struct session_head){ .n = 0 };
		w->is_record = true;
		return LINE_HEAD;
	}
	if (w->is_record && session_record_line(w, line) == LINE_PAIR)
		return LINE_PAIR;
	w->is_record = w->is_record && str_trim(line).len;
	if (!w->is_record && session_head(line, &next)) {
		w->head = next;
		/*
		 * two kinds of titles have no ruler: titles with tabs between them, and titles
		 * without any blank, as psql -A prints them
		 */
		w->is_ruled = next.between != '|' ||
			      str_find_char(str_trim(line), ' ') == str_trim(line).len;
		session_note_titles(w, line);
		return LINE_HEAD;
	}
	if (!w->is_record && str_starts(line, STR("--")) &&
	    session_fixed_head(w->last, line, &next)) {
		w->head = next;
		w->is_ruled = w->is_below = true;
		session_note_titles(w, w->last);
		return LINE_HEAD;
	}
	if (session_is_rule(line)) {
		if (session_is_other(w, line))
			w->head = (struct session_head){ .n = 0 };
		w->is_ruled = w->head.n > 0;
		return LINE_INNER;
	}
	if (w->is_record || !w->is_ruled ||
	    (w->head.between && str_find_char(line, w->head.between) == line.len))
		return str_glob(STR("(* rows)|(1 row)|* rows in set*|1 row in set*"),
				str_trim(line))
			       ? LINE_INNER
			       : LINE_OTHER;
	if (session_is_row(&w->head, line, w->cells))
		return LINE_ROW;
	return w->head.between == '|' ? LINE_SPLIT : LINE_OTHER;
}

static enum session_line session_line(struct session_walk *w, struct str line)
{
	enum session_line kind = session_line_kind(w, line);

	w->last = line;
	return kind;
}

static bool session_table_find(struct str text, size_t from, struct extent *ret)
{
	struct session_walk w = { .is_record = false };
	struct str rest = str_skip(text, from);
	struct str line;
	/* rule: offset of the previous line if it is a ruler, otherwise SIZE_MAX */
	size_t start = from, rows = 0, rule = SIZE_MAX;
	size_t above = from; /* offset of the previous line */
	unsigned int others = 0;

	for (size_t at = from; str_line(&rest, &line); at = text.len - rest.len) {
		enum session_line kind = session_line(&w, line);

		if (kind == LINE_HEAD && w.is_again && rows)
			break;
		if (kind == LINE_HEAD && rows == 0 && (!w.is_record || start == from || others)) {
			start = w.is_below ? above : rule != SIZE_MAX ? rule : at;
			others = 0;
			w.n_titles = w.is_record ? 0 : 1;
			w.is_again = false;
		}
		rule = rows == 0 && session_is_rule(line) ? at : SIZE_MAX;
		above = at;
		if (kind == LINE_PAIR && !session_head_is_sure(&w.head))
			continue;
		if (kind == LINE_ROW || kind == LINE_PAIR)
			rows++;
		if (kind == LINE_OTHER && str_trim(line).len && ++others > SESSION_GAP && rows)
			break;
		if (kind == LINE_OTHER || kind == LINE_HEAD || rows == 0)
			continue;
		others = 0;
		ret->to = text.len - rest.len;
	}
	if (rows == 0)
		return false;
	*ret = (struct extent){ .from = start, .to = ret->to, .score = SESSION_SCORE };
	return true;
}

static unsigned int session_table_probe(struct str head)
{
	struct extent e;

	return session_table_find(head, 0, &e) ? 96 : 0;
}

/*
 * Convert an age, "903", "00:41:07.113204" or "2 days 03:04:05", to nanoseconds; 0: @s is no age.
 */
static uint64_t session_age(struct str s)
{
	uint64_t days = 0, part[2] = { 0, 0 };
	double seconds;
	struct str rest = s;

	if (str_u64(&rest, &days) && str_starts(rest, STR(" day"))) {
		s = str_skip(rest, str_find_char(str_skip(rest, 1), ' ') + 1);
		s = str_ltrim(s);
	} else {
		days = 0;
	}
	for (size_t i = 0; i < 2 && str_find_char(s, ':') < s.len; i++) {
		part[0] = part[1];
		if (!str_u64(&s, &part[1]) || !str_take(&s, STR(":")) || part[1] > 100000)
			return 0;
	}
	if (!str_double(&s, &seconds) || seconds < 0 || seconds > 1e9 || days > 10000)
		return 0;
	return (uint64_t)(((double)(days * 86400 + part[0] * 3600 + part[1] * 60) + seconds) * 1e9);
}

struct session_values {
	struct str fields[FIELDS]; /* for each field, its first value in the row */
	char object[SESSION_OBJECT];
	size_t object_len;
	/*
	 * a row may have several columns for one field: the latest time of each field, and the
	 * longest age in ns
	 */
	double latest[FIELDS];
	uint64_t longest[FIELDS];
	/* the table has a column that shows waits, even if this row has no wait */
	bool has_waits;
};

static bool session_is_empty(struct str value)
{
	return value.len == 0 || str_glob(STR("NULL|null|<null>|{}|[null]"), value);
}

/*
 * The field of a column whose title the user chose, judged by @title and @value: FIELD_WAIT_TYPE or
 * FIELD_WAIT. FIELD_NONE: the column shows no waits.
 */
static uint8_t session_wait_field(struct str title, struct str value)
{
	return session_wait_is_type(title, value)    ? FIELD_WAIT_TYPE
	       : session_wait_is_event(title, value) ? FIELD_WAIT
						     : FIELD_NONE;
}

static bool session_shows_waits(uint8_t field, struct str title)
{
	return field == FIELD_WAIT_TYPE || field == FIELD_WAIT || field == FIELD_WAITING ||
	       field == FIELD_BLOCKERS || field == FIELD_BLOCKER || field == FIELD_GRANTED ||
	       (field == FIELD_NONE && str_contains(title, STR("wait")));
}

static void session_collect(struct session_walk *w, struct session_values *v)
{
	*v = (struct session_values){ .object_len = 0 };
	for (size_t i = 0; i < w->head.n; i++) {
		uint8_t field = w->head.fields[i];
		struct str value = w->cells[i];

		v->has_waits |= session_shows_waits(field, w->head.titles[i]);
		if (session_is_empty(value))
			continue;
		field = field ? field : session_wait_field(w->head.titles[i], value);
		if (field == FIELD_NONE)
			continue;
		v->has_waits |= session_shows_waits(field, STR_NONE);
		if (v->fields[field].len == 0)
			v->fields[field] = value;
		if (sessions_time(value) > v->latest[field])
			v->latest[field] = sessions_time(value);
		if (session_age(value) > v->longest[field])
			v->longest[field] = session_age(value);
		if (field == FIELD_OBJECT && v->object_len + value.len + 1 < sizeof(v->object)) {
			if (v->object_len)
				v->object[v->object_len++] = ' ';
			memcpy(v->object + v->object_len, value.p, value.len);
			v->object_len += value.len;
		}
	}
}

static str_id session_text(struct sessions *s, struct str text)
{
	return session_is_empty(text) ? STR_ID_NONE
				      : strings_add(capture_strings(s->c), str_sub(text, 0, 200));
}

/* Whether a session in this state is idle: "idle in transaction", "Sleep". */
static bool session_is_idle(struct str state)
{
	return str_glob(STR("idle*|Sleep|Daemon|Binlog Dump*"), state);
}

static void session_set_wait(struct sessions *s, struct session *row,
			     const struct session_values *v)
{
	struct str type = v->fields[FIELD_WAIT_TYPE];
	struct str wait = v->fields[FIELD_WAIT];
	char buffer[256];
	uint8_t kind;

	wait = session_wait_text(type, wait, buffer, sizeof(buffer));
	if (wait.len == 0 && str_eq(v->fields[FIELD_WAITING], STR("t")))
		wait = STR("Lock: unknown");
	if (wait.len == 0)
		return;
	row->wait = session_text(s, wait);
	/* if this wait is unknown, keep the state that an earlier table may have set */
	kind = session_wait_state(wait);
	row->kind = kind ? kind : row->kind;
}

static void session_set_state(struct sessions *s, struct session *row, struct str state)
{
	if (session_is_empty(state))
		return;
	row->state = session_text(s, state);
	if (session_is_idle(state)) {
		row->kind = THREAD_WAITING;
		row->wait = row->state;
	} else if (row->kind == THREAD_UNKNOWN) {
		row->kind = THREAD_RUNNING;
	}
}

static void session_set(struct sessions *s, struct session *row, const struct session_values *v)
{
	if (v->fields[FIELD_QUERY].len)
		row->query = sessions_query(s, v->fields[FIELD_QUERY]);
	session_set_wait(s, row, v);
	s->has_waits |= v->has_waits;
	session_set_state(s, row, v->fields[FIELD_STATE]);
	if (v->longest[FIELD_STATE_AGE])
		row->state_ns = v->longest[FIELD_STATE_AGE];
	else if (v->longest[FIELD_STATE_MS])
		row->state_ns = v->longest[FIELD_STATE_MS] / 1000;
	if (v->longest[FIELD_TRANSACTION_AGE])
		row->transaction_ns = v->longest[FIELD_TRANSACTION_AGE];
	if (v->latest[FIELD_STATE_AT] > row->state_at)
		row->state_at = v->latest[FIELD_STATE_AT];
	if (v->latest[FIELD_TRANSACTION_AT] > 0)
		row->transaction_at = v->latest[FIELD_TRANSACTION_AT];
	s->has_clock |= v->latest[FIELD_CLOCK] > 0;
	for (size_t i = 0; i < FIELDS; i++)
		s->now = v->latest[i] > s->now ? v->latest[i] : s->now;
}

/*
 * Add a wait for a session: the session with the id @row waits until the transaction of the session
 * with the id @id ends. Both ids are texts as printed.
 */
static void session_blocked(struct sessions *s, struct str row, struct str id, uint32_t line)
{
	char object[64];
	size_t n = id.len < 32 ? id.len : 32;
	struct session *waiter;
	struct session_lock *wait;
	struct session *blocker = sessions_get(s, id, line);

	memcpy(object, "session ", 8);
	memcpy(object + 8, id.p, n);
	if (blocker)
		(void)sessions_lock(s, blocker, (struct str){ object, n + 8 }, STR_NONE,
				    THREAD_LOCK_HELD);
	waiter = sessions_get(s, row, line);
	if (!waiter)
		return;
	waiter->kind = THREAD_BLOCKED;
	waiter->is_owner_printed = true;
	wait = sessions_lock(s, waiter, (struct str){ object, n + 8 }, STR_NONE,
			     THREAD_LOCK_WANTED);
	if (wait)
		wait->is_owner_printed = true;
}

static void session_blockers(struct sessions *s, const struct session_values *v, uint32_t line)
{
	struct str list = v->fields[FIELD_BLOCKERS];
	struct str id = v->fields[FIELD_BLOCKER];
	struct session *row;
	uint64_t number;

	for (size_t i = 0; i < list.len; i++) {
		struct str rest = str_skip(list, i);

		if ((i == 0 || !char_is_digit(list.p[i - 1])) && str_u64(&rest, &number))
			session_blocked(s, v->fields[FIELD_ID],
					str_sub(list, i, (size_t)(rest.p - list.p)), line);
	}
	/*
	 * no session blocks this one: the id is missing, 0, NULL, a negative number (SQL Server),
	 * or its own id
	 */
	if (id.len == 0 || str_eq(id, STR("0")) || str_eq(id, v->fields[FIELD_ID]) ||
	    !char_is_digit(id.p[0]))
		return;
	session_blocked(s, v->fields[FIELD_ID], id, line);
	row = sessions_get(s, id, line);
	if (!row)
		return;
	if (v->fields[FIELD_BLOCKER_QUERY].len)
		row->query = sessions_query(s, v->fields[FIELD_BLOCKER_QUERY]);
	session_set_state(s, row, v->fields[FIELD_BLOCKER_STATE]);
	if (v->longest[FIELD_BLOCKER_AGE])
		row->transaction_ns = v->longest[FIELD_BLOCKER_AGE];
}

static void session_take(struct sessions *s, struct session_walk *w, uint32_t line)
{
	struct session_values v;
	struct session *row;
	struct str granted;
	char name[16];

	session_collect(w, &v);
	/* a table without ids: the line number is the id, "L12" */
	if (!session_has(&w->head, FIELD_ID) && v.fields[FIELD_STATE].len)
		v.fields[FIELD_ID] =
			(struct str){ name, (size_t)snprintf(name, sizeof(name), "L%u", line) };
	if (v.fields[FIELD_ID].len == 0)
		return; /* a row without id continues the statement of the row before it */
	row = sessions_get(s, v.fields[FIELD_ID], line);
	if (!row)
		return;
	granted = v.fields[FIELD_GRANTED];
	session_set(s, row, &v);
	if (granted.len && v.object_len) {
		bool is_held = str_glob(STR("t|true|yes"), granted);

		if (!is_held)
			row->kind = THREAD_BLOCKED;
		(void)sessions_lock(s, row, (struct str){ v.object, v.object_len },
				    v.fields[FIELD_MODE],
				    is_held ? THREAD_LOCK_HELD : THREAD_LOCK_WANTED);
	}
	session_blockers(s, &v, line);
}

/* Whether the row in @line, with commas between cells, ends inside a quoted statement. */
static bool session_is_open(const struct session_walk *w, struct str line)
{
	const char *end;

	line = str_trim(line);
	end = line.p + line.len;
	for (size_t i = 0; w->head.between == ',' && i < w->head.n; i++) {
		struct str cell = w->cells[i];

		if (cell.len && cell.p > line.p && cell.p + cell.len == end &&
		    (cell.p[-1] == '\'' || cell.p[-1] == '"'))
			return true;
	}
	return false;
}

static int session_table_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct sessions s = { .c = format_add_capture(&format_session_table, in, d) };
	struct session_walk w = { .is_record = false };
	struct str text = in->text;
	uint32_t record = 0; /* line number at which the current record begins; 0: no record */
	static const char *const tools[] = { "PostgreSQL", "MySQL", "SQL Server", "MariaDB" };
	enum session_tool tool = TOOL_POSTGRESQL;
	bool is_any;
	struct str line;
	/* line number of the previous line if it is a LINE_SPLIT; otherwise 0 */
	uint32_t split = 0;

	for (uint32_t n = 0;; n++) {
		struct session_walk before = w;
		bool has_line = str_line(&text, &line);
		enum session_line kind = has_line ? session_line(&w, line) : LINE_OTHER;

		/*
		 * if this line is the ruler of another table, the previous line has the titles of
		 * that table and is no damaged row
		 */
		if (split && !(kind == LINE_INNER && w.head.n == 0))
			diag_count(&s.c->diag, &session_cells, split);
		split = kind == LINE_SPLIT ? region_line(in, n) : 0;
		if (record && kind != LINE_PAIR && session_head_is_sure(&before.head)) {
			session_take(&s, &before, record);
			record = 0;
		}
		if (!has_line)
			break;
		tool = w.head.tool ? w.head.tool : tool;
		if (kind == LINE_HEAD)
			record = w.is_record ? region_line(in, n) : 0;
		else if (kind == LINE_ROW)
			session_take(&s, &w, region_line(in, n));
		else if (kind == LINE_OTHER && str_trim(line).len)
			diag_count(&s.c->diag, &session_lines, region_line(in, n));
		if (kind == LINE_ROW && session_is_open(&w, line))
			diag_count(&s.c->diag, &session_open, region_line(in, n));
	}
	is_any = sessions_finish(&s, tools[tool]);
	sessions_fini(&s);
	return is_any ? OK : fail(err, ERR_FORMAT, "no session found");
}

const struct format format_session_table = {
	.name = "session-table",
	.title = "database sessions",
	.summary = "sessions of a database: pg_stat_activity, SHOW PROCESSLIST, dm_exec_requests",
	.kinds = KIND_PROFILE | KIND_THREADS,
	.probe = session_table_probe,
	.find = session_table_find,
	.read = session_table_read,
};
