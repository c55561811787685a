/* SPDX-License-Identifier: MIT */
/*
 * counter_table.c - tables with a line of column titles: vmstat, iostat, mpstat, sar ...
 *
 * One reader serves all tools. A dialect lists the titles that identify the tool, the column that
 * names a row's owner (CPU, device), and the columns that contain words. Each cell becomes a
 * counter. If a row under the same titles repeats the first key, the next interval begins. The
 * output of top may list several tasks with one name, so there an interval begins when the titles
 * are repeated.
 */
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/strings.h"
#include "document/document.h"
#include "formats/context.h"
#include "formats/counters/counter_label.h"
#include "formats/counters/counter_number.h"
#include "formats/counters/counter_split.h"
#include "formats/counters/counter_threads.h"
#include "formats/counters/counter_twins.h"

#include "base/limits.h"
#include "core/kinds/counters.h"
#include "formats/format.h"
#include "formats/unread_rows.h"

#include <stdio.h>

DECLARE_FORMAT(counter_table);

#define TABLE_COLUMNS 64u
/* maximum number of consecutive lines of other kinds between rows, such as dates */
#define TABLE_GAP    3u
#define TABLE_BLANKS 4u
/* maximum length of a key, after each sequence of blanks is replaced by one blank */
#define TABLE_KEY_BYTES  256u
#define TABLE_HEAD_BYTES 1024u /* maximum length of a line of titles */
/*
 * maximum number of different tables that a tool prints in turn; iostat prints CPUs, then devices
 */
#define TABLE_KINDS 8u
/*
 * Tasks in state D are counted by place (a kernel function or a command), and zombies by command.
 * Maximum number of places and commands per interval.
 */
#define TABLE_BLOCKED 32u
/* maximum length of the name of a place; longer names are truncated */
#define TABLE_PLACE_BYTES 64u
/* maximum number of lines from a command of smartctl to its attributes */
#define TABLE_DEVICE_LINES 80u
#define TABLE_SCORE        99u /* the score is high, because only one tool prints these titles */

struct table_dialect {
	const char *tool;
	/* words of a line of titles; a line with all of them, in any order, belongs to this tool */
	const char *titles;
	/*
	 * str_glob pattern of the title of the column that names the rows' owners, such as "CPU" or
	 * "Device"; NULL: none
	 */
	const char *key;
	/*
	 * str_glob pattern of the titles of columns with words, which are not stored; NULL: all
	 * columns are stored
	 */
	const char *words;
	bool is_since_boot;   /* the first report is the mean since boot */
	bool ends_with_words; /* the last column may contain blanks */
	bool has_bare_key;    /* the first column, the key, has no title: "Mem:", "NET_RX:" */
	/*
	 * the table is transposed: titles name the owner of a value (CPU, device), and rows name
	 * the metric
	 */
	bool is_turned;
	bool has_kib; /* values with 'K' are in KiB; values without 'K' have no unit */
	/* title of the column with a task's state, in which 'D' and 'Z' are counted; NULL: none */
	const char *state;
	/*
	 * The titles are repeated for each interval. So a repeated key ("java") does not begin the
	 * next interval.
	 */
	bool has_titles_again;
	bool has_bare_word; /* a key without a title has no colon: "numa_hit" */
	/*
	 * str_glob pattern of the titles of columns with bytes, NULL: none. 'B' is one byte, 'k' or
	 * 'K' 1024 bytes, and 'M', 'G' and 'T' are each 1024 times the previous unit.
	 */
	const char *bytes;
	/*
	 * Columns whose cells hold two numbers, "0|91", in groups of three words: the title, and
	 * the names of both numbers. NULL: none. A '*' before a number has no meaning here:
	 * mongostat prints it for operations of replication.
	 */
	const char *pairs;
	/* the key may contain blanks, if numbers follow it: the command "rs:main Q:Reg" */
	bool has_blanks_in_key;
	/*
	 * The last title may be a time zone (vmstat -t). Then each row ends with "2026-03-01
	 * 10:00:05".
	 */
	bool may_end_with_time;
};

/* one row for each table of a tool: table_dialects.tsv */
#include "table_dialects.h"

enum table_cell {
	TABLE_VALUE,
	TABLE_KEY,
	TABLE_WORDS,  /* words, which are not stored */
	TABLE_TASK,   /* number of a task, which distinguishes tasks with the same name */
	TABLE_STATE,  /* state of a task; tasks in the states D and Z are counted */
	TABLE_WCHAN,  /* kernel function in which a task sleeps */
	TABLE_PARENT, /* number of the parent of a task */
};

/* A line of titles, which applies to the following rows. */
struct table_head {
	const struct table_dialect *dialect; /* dialect of the titles; NULL: no titles yet */
	struct str titles[TABLE_COLUMNS];
	uint8_t cells[TABLE_COLUMNS]; /* enum table_cell of each column */
	size_t n;
	bool has_time;       /* rows begin with a time of day */
	bool ends_with_time; /* rows end with a date and a time of day */
	/*
	 * The titles come from a command line, and are not in the output. So a row without numbers
	 * does not begin another table.
	 */
	bool is_command;
};

/*
 * Split a line into words at blanks, and at the bars that dstat prints between groups of columns.
 */
static size_t table_split(struct str line, struct str *ret)
{
	struct str word;
	size_t n = 0;

	while (n < TABLE_COLUMNS && str_word(&line, &word)) {
		size_t bar = str_find_char(word, '|');

		if (bar < word.len) {
			/* a bar of dstat ends the word; continue after the bar */
			line = (struct str){ word.p + bar + 1,
					     (size_t)(line.p + line.len - word.p) - bar - 1 };
			word.len = bar;
			if (bar == 0)
				continue;
		}
		ret[n++] = word;
	}
	return str_trim(line).len ? 0 : n;
}

/* Join words that are one title, such as "Avg Spin", in place. Returns the number of titles. */
static size_t table_join(struct str *words, size_t n)
{
	/* each of these titles begins with a letter of "OCAMTPpcN", which the loop checks first */
	static const char joined[] =
		"Pool Name|Node ?|Node ??|All time|All time blocked|OBJ SIZE|CACHE SIZE|Avg "
		"Spin|Max spin|Total spin|Avg Hold|"
		"Max hold|Total hold|Avg. Latency|p* Latency|class name|"
		"class name (module)|per sec";
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		struct str both = words[i];

		while (i + 1 < n && memchr("OCAMTPpcN", both.p[0], 9)) {
			struct str next = words[i + 1];

			next = (struct str){ both.p, (size_t)(next.p + next.len - both.p) };
			if (!str_glob(STR(joined), next))
				break;
			both = next;
			i++;
		}
		words[kept++] = both;
	}
	return kept;
}

/*
 * The number of words before the values. It is 1 for a time of day ("12:00:01") or "Average:", 2
 * for "12:00:01 AM", otherwise 0.
 */
static size_t table_clock(const struct str *words, size_t n)
{
	if (n == 0 || words[0].len < 8)
		return 0;
	if (str_eq(words[0], STR("Average:")))
		return 1;
	if (words[0].p[2] != ':' || words[0].p[5] != ':' || !char_is_digit(words[0].p[0]))
		return 0;
	return n > 1 && str_glob(STR("AM|PM"), words[1]) ? 2 : 1;
}

static bool table_has(const struct str *words, size_t n, struct str title)
{
	for (size_t i = 0; i < n; i++) {
		/* a title is not empty, and does not begin with a wildcard */
		if (words[i].len && words[i].p[0] == title.p[0] &&
		    (str_eq(words[i], title) || str_glob(title, words[i])))
			return true;
	}
	return false;
}

static enum table_cell table_cell(const struct table_dialect *t, struct str title)
{
	if (t->key && str_glob(str_of(t->key), title))
		return TABLE_KEY;
	if (t->state && str_eq(str_of(t->state), title))
		return TABLE_STATE;
	if (t->state && str_eq(STR("WCHAN"), title))
		return TABLE_WCHAN;
	/* columns that the author left out */
	if (str_glob(STR("...|\xe2\x80\xa6"), title))
		return TABLE_WORDS;
	if (!t->words || !str_glob(str_of(t->words), title))
		return TABLE_VALUE;
	if (str_eq(title, STR("PPID")))
		return TABLE_PARENT;
	return str_glob(STR("TGID|PID|TID|LWP|SPID"), title) ? TABLE_TASK : TABLE_WORDS;
}

/* fields of ps -o, with the titles that ps prints for them; source: procps, src/ps/output.c */
static const struct {
	const char *fields; /* str_glob pattern of names of the field */
	const char *title;
} table_fields[] = {
	{ "stat", "STAT" },
	{ "s|state", "S" },
	{ "wchan", "WCHAN" },
	{ "pid", "PID" },
	{ "ppid", "PPID" },
	{ "lwp|tid|spid", "LWP" },
	{ "pgid|pgrp", "PGID" },
	{ "user|uname|euser", "USER" },
	{ "uid|euid", "UID" },
	{ "tty|tt", "TT" },
	{ "time|cputime", "TIME" },
	{ "etime|etimes", "ELAPSED" },
	{ "start|stime", "START" },
	{ "cls|class|policy", "CLS" },
	{ "pcpu|%cpu|c", "%CPU" },
	{ "pmem|%mem", "%MEM" },
	{ "rss|rssize", "RSS" },
	{ "vsz|vsize", "VSZ" },
	{ "nlwp|thcount", "NLWP" },
	{ "psr", "PSR" },
	{ "pri", "PRI" },
	{ "ni|nice", "NI" },
	{ "comm|cmd|args|command|ucmd", "COMMAND" },
};

/*
 * Get the titles from a command line "ps -eLo stat,pid,wchan:24,pcpu,comm | grep D", whose grep
 * removes the titles from the output. Returns their number; 0: there is no such command, or a field
 * is unknown.
 */
static size_t table_command(struct str line, struct str *titles)
{
	struct str word, before = STR_NONE, list = STR_NONE;
	bool is_ps = false;
	size_t n = 0;

	while (list.len == 0 && str_word(&line, &word)) {
		is_ps |= str_eq(word, STR("ps")) || str_ends(word, STR("/ps"));
		if (is_ps && str_starts(before, STR("-")) && str_ends(before, STR("o")))
			list = word;
		before = word;
	}
	while (list.len && n < TABLE_COLUMNS) {
		struct str field = str_sub(list, 0, str_find_char(list, ','));
		const char *title = NULL;

		list = str_skip(list, field.len + 1);
		field.len = str_find_char(field, ':');
		for (size_t i = 0; i < ARRAY_LEN(table_fields) && !title; i++) {
			if (str_glob(str_of(table_fields[i].fields), field))
				title = table_fields[i].title;
		}
		if (!title)
			return 0;
		titles[n++] = str_of(title);
	}
	return list.len ? 0 : n;
}

/* Is @title a time zone, "UTC" or "+03"? (Titles of counters are in lower case.) */
static bool table_is_zone(struct str title)
{
	return (title.p[0] >= 'A' && title.p[0] <= 'Z') || title.p[0] == '+' || title.p[0] == '-';
}

/* Give each number of a pair its own title: "qrw" becomes "qr" and "qw". */
static void table_head_pairs(struct table_head *h, const char *pairs)
{
	struct str rest = str_of(pairs);
	struct str title, first, second;

	while (str_word(&rest, &title) && str_word(&rest, &first) && str_word(&rest, &second)) {
		for (size_t i = 0; i < h->n && h->n < TABLE_COLUMNS; i++) {
			if (!str_eq(h->titles[i], title))
				continue;
			memmove(h->titles + i + 1, h->titles + i,
				(h->n++ - i) * sizeof(*h->titles));
			h->titles[i++] = first;
			h->titles[i] = second;
		}
	}
}

static bool table_is_head(struct str line, struct table_head *ret)
{
	struct str words[TABLE_COLUMNS];
	uint64_t firsts[2] = { 0 }; /* set of the first characters of all words, as bits */
	size_t n, clock;
	bool is_command, has_time_title;

	if (line.len < 8 || line.len > TABLE_HEAD_BYTES)
		return false;
	n = str_contains(line, STR("ps -")) ? table_command(line, words) : 0;
	is_command = n > 0;
	if ((str_starts(line, STR("# ")) || str_starts(line, STR("#\t"))) &&
	    !str_contains(line, STR(" Item_Size ")))
		line = str_skip(line, 1); /* pidstat -h prints "# " before the titles */
	if (n == 0)
		n = table_join(words, table_split(line, words));
	clock = table_clock(words, n);
	if (clock == 0 && n && str_eq(words[0], STR("Time")))
		clock = 1;
	has_time_title = clock == 0 && n && str_eq(words[0], STR("TIME"));
	if (n < clock + 2)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (words[i].len)
			firsts[(unsigned char)words[i].p[0] >> 6 & 1] |= UINT64_C(1)
									 << (words[i].p[0] & 63);
	}
	for (size_t i = 0; i < ARRAY_LEN(table_dialects); i++) {
		const struct table_dialect *t = &table_dialects[i];
		struct str rest = str_of(t->titles);
		struct str title;
		bool has_all = firsts[t->titles[0] >> 6 & 1] >> (t->titles[0] & 63) & 1;

		while (has_all && str_word(&rest, &title))
			has_all = table_has(words, n, title);
		if (!has_all)
			continue;
		/*
		 * The title "TIME" means that each row begins with a time of day. But in ps it is
		 * the title of the CPU time of a task.
		 */
		if (has_time_title && !t->state)
			clock = 1;
		*ret = (struct table_head){ .dialect = t,
					    .n = n - clock,
					    .has_time = clock > 0,
					    .is_command = is_command };
		memcpy(ret->titles, words + clock, (n - clock) * sizeof(*words));
		if (t->has_bare_key && str_ends(words[clock], STR(":"))) {
			/*
			 * "Tcp: InSegs OutSegs": "Tcp:" is no title, because it is also the key of
			 * the next row.
			 */
			memmove(ret->titles, ret->titles + 1, --ret->n * sizeof(*words));
		}
		if (t->pairs)
			table_head_pairs(ret, t->pairs);
		for (size_t k = 0; k < ret->n; k++)
			ret->cells[k] = (uint8_t)table_cell(t, ret->titles[k]);
		if (t->may_end_with_time && table_is_zone(ret->titles[ret->n - 1])) {
			ret->ends_with_time = true;
			ret->n--;
		}
		return true;
	}
	return false;
}

/*
 * Parse "12.5", "1,5", "45%", or "1.2g", which is converted to KiB. False for other text, such as
 * "-".
 */
static bool table_number(struct str s, struct counter_number *ret)
{
	struct str rest = s;
	char c;

	if (!counter_number(&rest, ret))
		return false;
	c = rest.len ? (char)(rest.p[0] | 0x20) : '\0';
	if (rest.len == 1 && (c == 'k' || c == 'm' || c == 'g' || c == 't')) {
		/*
		 * A number of top without a letter is in KiB. Each letter of "kmgt" is 1024 times
		 * the previous one.
		 */
		for (const char *letter = "kmgt"; *letter != c; letter++) {
			if (__builtin_mul_overflow(ret->value, 1024, &ret->value))
				return false;
		}
		return true;
	}
	return rest.len == 0 || str_eq(rest, STR("%"));
}

/* Parse a number of bytes: "0", "456B", "12k" and "12K" (12 KiB), "1.5M". */
static bool table_bytes(struct str s, struct counter_number *ret)
{
	char last = s.len ? s.p[s.len - 1] : '0';
	size_t scale = str_find_char(STR("BkMGT"), last == 'K' ? 'k' : last);

	s.len -= scale < strlen("BkMGT");
	if (!table_number(s, ret))
		return false;
	for (; scale && scale < strlen("BkMGT"); scale--) {
		if (__builtin_mul_overflow(ret->value, 1024, &ret->value))
			return false;
	}
	return true;
}

struct table_row {
	struct str key;
	/* time of day at the start of the row: "12:00:01 AM"; empty: not printed */
	struct str time;
	struct counter_number values[TABLE_COLUMNS];
	bool has[TABLE_COLUMNS];
	bool is_kib[TABLE_COLUMNS]; /* per column: the value is printed with 'K', as in slabtop */
	bool is_average;
	bool has_state;   /* the state of a task is printed */
	bool is_blocked;  /* the row is a task in state D */
	bool is_zombie;   /* the row is a task that has ended and that its parent did not collect */
	struct str wchan; /* kernel function in which the task sleeps; empty: not printed */
	struct str task;  /* number of the task; empty: not printed */
	/* numbers of the process and of the thread; empty: no column has only these */
	struct str process, thread;
	struct str parent; /* number of its parent; empty: not printed */
};

/*
 * Parse a row whose first word is a key without a title: "Mem:  32083  1193". Its values belong to
 * the titles in order; the last values may be missing. Words after all values replace the key: in
 * "24:  1 2 PCI-MSI  eth0-rx-0" the key is "PCI-MSI  eth0-rx-0".
 */
static bool table_bare_row(const struct table_head *h, struct str line, struct table_row *row)
{
	struct str rest = line;
	struct str word;
	size_t n = 0;

	if (!str_word(&rest, &row->key) ||
	    (!str_ends(row->key, STR(":")) && !h->dialect->has_bare_word))
		return false;
	row->key.len -= str_ends(row->key, STR(":"));
	row->is_average = row->has_state = row->is_blocked = row->is_zombie = false;
	row->task = row->process = row->thread = row->parent = STR_NONE;
	memset(row->has, 0, sizeof(row->has));
	memset(row->is_kib, 0, sizeof(row->is_kib));
	for (struct str next = rest; n < h->n && str_word(&next, &word); rest = next) {
		row->has[n] = table_number(word, &row->values[n]);
		if (!row->has[n])
			break;
		n++;
	}
	rest = str_trim(rest);
	if ((rest.len && (!h->dialect->ends_with_words || n < h->n)) ||
	    (h->dialect->has_bare_word && n < h->n))
		return false;
	row->key = rest.len ? rest : row->key;
	return n > 0 && row->key.len > 0;
}

/* Is @word the state of a task, as ps and top print it: "Ss+", "D"? Source: ps(1). */
static bool table_is_state(struct str word)
{
	if (word.len == 0 || word.len > 6 || !memchr("DIRSTUWXZt", word.p[0], 10))
		return false;
	for (size_t i = 1; i < word.len; i++) {
		if (!memchr("<>ALNWVEXlns+", word.p[i], 13))
			return false;
	}
	return true;
}

static bool table_row(const struct table_head *h, struct str line, struct table_row *row)
{
	const struct table_dialect *t = h->dialect;
	struct str words[TABLE_COLUMNS];
	size_t n, clock, offset, more, at, numbers = 0;

	if (!t || line.len > 4096)
		return false;
	row->time = STR_NONE;
	if (t->has_bare_key)
		return table_bare_row(h, line, row);
	n = table_split(line, words);
	clock = table_clock(words, n);
	if (h->ends_with_time) {
		/* the row must end with a date and time: "2026-03-01 10:00:05" */
		if (n < 3 || table_clock(words + n - 1, 1) == 0 || words[n - 2].len != 10 ||
		    words[n - 2].p[4] != '-' || words[n - 2].p[7] != '-')
			return false;
		row->time = words[n - 1];
		n -= 2;
	}
	if (clock)
		row->time = (struct str){ words[0].p, (size_t)(words[clock - 1].p +
							       words[clock - 1].len - words[0].p) };
	if (n == 0 || (clock > 0) != h->has_time)
		return false;
	row->is_average = str_eq(words[0], STR("Average:"));
	memset(row->has, 0, sizeof(row->has));
	/* "avg-cpu:" is printed in the line of titles, but no column belongs to it */
	offset = str_eq(h->titles[0], STR("avg-cpu:")) ? 1 : 0;
	if (n - clock != h->n - offset &&
	    !((t->ends_with_words || t->has_blanks_in_key) && n - clock > h->n))
		return false;
	/* number of additional words of a key that contains blanks */
	more = t->has_blanks_in_key ? n - clock - (h->n - offset) : 0;
	row->key = row->wchan = row->task = row->process = row->thread = row->parent = STR_NONE;
	row->has_state = row->is_blocked = row->is_zombie = false;
	at = clock;
	for (size_t i = offset; i < h->n; i++) {
		struct str word;

		/*
		 * If two columns are keys, each has taken the additional words. Then no word
		 * remains for this column, so the line is no row.
		 */
		if (at >= n)
			return false;
		word = words[at++];
		row->has[i] = row->is_kib[i] = false;
		if (h->cells[i] == TABLE_KEY) {
			/*
			 * Two adjacent columns of keys form one key: from the start of the first
			 * word to the end of the last one.
			 */
			if (row->key.len)
				word = (struct str){ row->key.p,
						     (size_t)(word.p + word.len - row->key.p) };
			at += more;
			if (at > n)
				return false;
			if (more)
				word.len = (size_t)(words[at - 1].p + words[at - 1].len - word.p);
			row->key = t->ends_with_words && i + 1 == h->n
					   ? str_trim(str_skip(line, (size_t)(word.p - line.p)))
					   : word;
			continue;
		}
		if (h->cells[i] == TABLE_STATE) {
			row->has_state = table_is_state(word);
			row->is_blocked = str_starts(word, STR("D"));
			row->is_zombie = str_starts(word, STR("Z"));
		}
		if (h->cells[i] == TABLE_PARENT)
			row->parent = word;
		if (h->cells[i] == TABLE_WCHAN)
			row->wchan = word;
		if (h->cells[i] == TABLE_TASK && !str_eq(word, STR("-"))) {
			bool is_process = str_glob(STR("PID|TGID"), h->titles[i]);

			row->task = word;
			*(is_process ? &row->process : &row->thread) = word;
		}
		if (h->cells[i] != TABLE_VALUE || str_eq(word, STR("-")) ||
		    str_eq(word, STR("---")))
			continue;
		row->is_kib[i] = t->has_kib && str_ends(word, STR("K"));
		word.len -= row->is_kib[i];
		if (t->pairs && str_starts(word, STR("*")))
			word = str_skip(word, 1);
		row->has[i] = t->bytes && str_glob(str_of(t->bytes), h->titles[i])
				      ? table_bytes(word, &row->values[i])
				      : table_number(word, &row->values[i]);
		if (!row->has[i])
			return false;
		numbers++;
	}
	/* ps -ef prints no states */
	row->is_zombie |= str_ends(row->key, STR("<defunct>"));
	/* the reader of stacks prefers tables without numbers that say where tasks wait */
	return (numbers > 0 || h->is_command || (row->has_state && !row->wchan.len)) &&
	       (!t->key || row->key.len);
}

/* Parse the first line of sysstat: "Linux 6.1.0 (host)  11/22/26  _x86_64_  (8 CPU)". */
static bool table_machine(struct str line, struct str *ret_release, uint64_t *ret_cpus)
{
	size_t open = str_rfind_char(line, '(');
	struct str rest = str_skip(line, open + 1);
	struct str words = line;

	return str_word(&words, ret_release) && str_word(&words, ret_release) &&
	       str_starts(line, STR("Linux ")) && open < line.len && str_u64(&rest, ret_cpus) &&
	       str_starts(rest, STR(" CPU"));
}

/* Does @line have more than blanks, or dashes under titles? */
static bool table_is_text(struct str line)
{
	for (size_t i = 0; i < line.len; i++) {
		if (!char_is_space(line.p[i]) && line.p[i] != '-')
			return true;
	}
	return false;
}

/*
 * Titles that a filter such as grep removed above the rows of "ps aux", "ps axl", "ps -ef", "ps ax"
 * and top.
 * The rows show them by the form of several columns.
 */
static const char *const table_bare[] = {
	"USER PID %CPU %MEM VSZ RSS TTY STAT START TIME COMMAND",
	"F UID PID PPID PRI NI VSZ RSS WCHAN STAT TTY TIME COMMAND",
	"UID PID PPID C STIME TTY TIME CMD",
	"PID TTY STAT TIME COMMAND",
	"PID USER PR NI VIRT RES SHR S %CPU %MEM TIME+ COMMAND",
};

/* Has @word the form of a value below @title? */
static bool table_fits(struct str title, struct str word)
{
	struct counter_number number;
	struct str rest = word;
	uint64_t n;

	if (str_glob(STR("PID|PPID|C"), title))
		return str_u64(&rest, &n) && rest.len == 0;
	if (str_glob(STR("%CPU|%MEM|VSZ|RSS|NI|VIRT|RES|SHR"), title)) {
		(void)str_take(&word, STR("-"));
		return table_number(word, &number);
	}
	if (str_eq(title, STR("PR")))
		return str_eq(word, STR("rt")) || str_take(&word, STR("-")) ||
		       table_number(word, &number);
	if (str_eq(title, STR("TTY")))
		return str_eq(word, STR("?")) || str_eq(word, STR("??")) ||
		       str_glob(STR("-|pts/*|tty*|console|hvc*"), word);
	if (str_glob(STR("STAT|S"), title))
		return table_is_state(word);
	if (str_glob(STR("TIME|TIME+"), title))
		return char_is_digit(word.p[0]) && str_find_char(word, ':') < word.len &&
		       char_is_digit(word.p[word.len - 1]);
	return true;
}

/* Is @line a row of ps or top whose titles are missing? @ret_head gets the titles. */
static bool table_is_bare(struct str line, struct table_head *ret_head)
{
	struct str words[TABLE_COLUMNS];
	struct str copy = line;
	size_t n;

	/* most lines end here: no column of these tools has another form */
	if (!str_word(&copy, &words[0]) || !str_word(&copy, &words[1]) ||
	    str_find_char(line, ':') == line.len)
		return false;
	n = table_split(line, words);
	for (size_t i = 0; i < ARRAY_LEN(table_bare); i++) {
		struct str rest = str_of(table_bare[i]);
		struct str title;
		size_t at = 0;

		while (at < n && str_word(&rest, &title) && table_fits(title, words[at]))
			at++;
		/* the last title is the command, which has any form */
		if (rest.len == 0 && table_is_head(str_of(table_bare[i]), ret_head)) {
			ret_head->is_command = true;
			return true;
		}
	}
	return false;
}

/* TABLE_BARE: a row whose titles are missing */
enum table_line { TABLE_OTHER, TABLE_HEAD, TABLE_ROW, TABLE_BARE };

/* Return the kind of @line: titles, a row below @head, or other text. */
static enum table_line table_classify(const struct table_head *head, struct str line,
				      struct table_head *ret_head, struct table_row *ret_row)
{
	/* try this first: most lines are rows */
	if (table_row(head, line, ret_row))
		return TABLE_ROW;
	if (table_is_head(line, ret_head))
		return TABLE_HEAD;
	return table_is_bare(line, ret_head) && table_row(ret_head, line, ret_row) ? TABLE_BARE
										   : TABLE_OTHER;
}

/*
 * Are @a and @b titles of the same table in two versions of the tool, and so from two machines?
 * They are if two thirds of the titles are in both lines, but not all titles.
 */
static bool table_is_other_version(const struct table_head *a, const struct table_head *b)
{
	size_t least = a->n < b->n ? a->n : b->n;
	size_t most = a->n < b->n ? b->n : a->n;
	size_t common = 0;

	for (size_t i = 0; i < a->n; i++) {
		for (size_t k = 0; k < b->n; k++) {
			if (str_eq(a->titles[i], b->titles[k])) {
				common++;
				break;
			}
		}
	}
	return common < most && common * 3 >= least * 2;
}

/*
 * Is @line a command after a prompt that runs the tool of @head with other arguments than the
 * command before, @run? The same command again is the next interval. If @line is a command, @run
 * becomes this command.
 */
static bool table_is_other_run(const struct table_head *head, struct str line, struct str *run)
{
	struct str before = *run, command, word, again;

	if (!context_command(line, &command))
		return false;
	*run = command;
	return head->dialect && !str_eq(before, command) && str_word(&before, &word) &&
	       str_eq(word, str_of(head->dialect->tool)) && str_word(&command, &again) &&
	       str_eq(again, word);
}

static bool counter_table_find(struct str text, size_t from, struct extent *ret)
{
	struct table_head head = { .dialect = NULL };
	struct table_head next;
	struct table_row row;
	struct str rest = str_skip(text, from);
	struct str line, release;
	unsigned int others = 0, blanks = 0;
	size_t rows = 0;
	size_t at = from;
	/* offset of the line about the machine that sysstat prints; SIZE_MAX: none */
	size_t machine = SIZE_MAX;
	bool is_other = false;     /* the next titles begin another table */
	struct str run = STR_NONE; /* the last command after a prompt */
	uint64_t cpus;

	for (; str_line(&rest, &line); at = text.len - rest.len) {
		enum table_line kind = table_classify(&head, line, &next, &row);

		if (kind == TABLE_HEAD || kind == TABLE_BARE) {
			if (rows && (is_other || next.dialect->tool != head.dialect->tool ||
				     table_is_other_version(&head, &next)))
				break;
			if (!head.dialect)
				ret->from = machine != SIZE_MAX ? machine : at;
			head = next;
			others = blanks = 0;
		}
		if (kind == TABLE_HEAD) {
			continue;
		} else if (kind == TABLE_ROW || kind == TABLE_BARE) {
			rows++;
			is_other = false;
			ret->to = text.len - rest.len;
			others = blanks = 0;
		} else if (str_trim(line).len == 0) {
			blanks++;
		} else if (rows && table_machine(line, &release, &cpus)) {
			/*
			 * a second line about the machine: sysstat prints it first, so another run
			 * begins here
			 */
			break;
		} else {
			others++;
			is_other |= counter_label_is_side(line) ||
				    table_is_other_run(&head, line, &run);
			machine = table_machine(line, &release, &cpus) ? at : machine;
		}
		if (others > TABLE_GAP || blanks > TABLE_BLANKS) {
			if (rows)
				break;
			head.dialect = NULL;
			machine = SIZE_MAX;
			others = blanks = 0;
		}
	}
	if (rows == 0)
		return false;
	ret->score = TABLE_SCORE;
	ret->name = head.dialect->tool;
	ret->declined = NULL;
	return true;
}

static unsigned int counter_table_probe(struct str head)
{
	struct extent e;

	return counter_table_find(head, 0, &e) ? 85 : 0;
}

/* The id of @key, with one blank instead of each sequence of blanks. */
static str_id table_key(struct strings *strings, struct str key)
{
	char text[TABLE_KEY_BYTES];
	struct str word;
	size_t n = 0;

	if (!str_contains(key, STR("  ")) || key.len > sizeof(text))
		return strings_add(strings, key);
	while (str_word(&key, &word)) {
		if (n)
			text[n++] = ' ';
		memcpy(text + n, word.p, word.len);
		n += word.len;
	}
	return strings_add(strings, (struct str){ text, n });
}

/*
 * A series: all tables of a tool with the same titles. iostat prints tables of CPUs and of devices
 * in turn, which are two series. Each series counts its own intervals.
 */
struct table_series {
	struct table_head head;
	/* ids of the titles; STR_ID_NONE: the column has had no value yet */
	str_id names[TABLE_COLUMNS];
	/*
	 * key of the first row of the interval; if the table has no times, a row with this key
	 * begins the next interval
	 */
	struct str first_key;
	struct str time; /* time of day of the last row; empty: not printed */
	uint32_t interval;
	uint32_t first_line; /* line of the first row of the interval */
	bool has_first;
	bool has_state; /* rows print the state of a task */
	struct table_blocked {
		struct str where, command;
		uint32_t n, line;
		bool is_zombie;
		/* numbers of tasks in state D or Z in the interval, one element per place */
	} blocked[TABLE_BLOCKED];
	size_t n_blocked;
};

struct table_reader {
	const struct region *in;
	struct capture *c;
	struct table_series series[TABLE_KINDS];
	size_t n, at; /* number of series; index of the current series */
	bool has_row; /* there was a row of an interval; false: only rows of averages so far */
	struct twins twins;
	struct thread_blocks blocks;
};

static const struct diag_kind table_past = { "counter-rows-past-limit", DIAG_DATALOSS,
					     "cells past the limit" };
static const struct diag_kind table_averages = { "counter-averages", DIAG_INFO,
						 "rows of averages, which are computed here" };
static const struct diag_kind table_lines = { "counter-lines", DIAG_INFO,
					      "lines between rows of counters" };

/* The command of a zombie: "sh" of "[sh] <defunct>". */
static struct str table_zombie(struct str command)
{
	if (str_ends(command, STR("<defunct>")))
		command = str_trim(str_sub(command, 0, command.len - strlen("<defunct>")));
	return command.len > 2 && command.p[0] == '[' && str_ends(command, STR("]"))
		       ? str_sub(command, 1, command.len - 1)
		       : command;
}

/*
 * Count the task of @row, which is in state D, by the place where it sleeps. If the place is not
 * printed, count it by its command. A zombie is counted by its command and its parent.
 */
static void table_block(struct table_reader *r, const struct table_row *row, uint32_t line)
{
	struct table_series *of = &r->series[r->at];
	struct str where = row->wchan.len && !str_eq(row->wchan, STR("-")) ? row->wchan : row->key;
	struct str command = row->key;
	size_t i = 0;

	if (row->is_zombie) {
		where = table_zombie(row->key);
		command = row->parent;
	}
	while (i < of->n_blocked && (!str_eq(of->blocked[i].where, where) ||
				     of->blocked[i].is_zombie != row->is_zombie ||
				     (row->is_zombie && !str_eq(of->blocked[i].command, command))))
		i++;
	if (i == TABLE_BLOCKED) {
		diag_count(&r->c->diag, &table_past, line);
		return;
	}
	if (i == of->n_blocked)
		of->blocked[of->n_blocked++] =
			(struct table_blocked){ where, command, 0, line, row->is_zombie };
	of->blocked[i].n++;
}

/*
 * Add a counter of tasks in state D or Z. b->where: the place where they sleep, or their command.
 */
static void table_add_blocked(struct table_reader *r, const struct table_blocked *b)
{
	struct strings *strings = capture_strings(r->c);
	struct str where = str_sub(b->where, 0, TABLE_PLACE_BYTES);
	struct str command = str_sub(b->command, 0, TABLE_PLACE_BYTES);
	char text[TABLE_KEY_BYTES];
	int len;

	if (b->is_zombie && command.len)
		len = snprintf(text, sizeof(text), STR_FMT ", children of process " STR_FMT,
			       STR_ARG(where), STR_ARG(command));
	else
		len = command.len == 0 || str_eq(where, command)
			      ? snprintf(text, sizeof(text), STR_FMT, STR_ARG(where))
			      : snprintf(text, sizeof(text), STR_FMT " (" STR_FMT ")",
					 STR_ARG(where), STR_ARG(command));
	if (counters_add(capture_counters(r->c), strings,
			 (struct counter){
				 .name = strings_add(strings, b->is_zombie ? STR("state Z")
									   : STR("state D")),
				 .key = strings_add(strings, (struct str){ text, (size_t)len }),
				 .value = b->n,
				 .spread = -1,
				 .running = -1,
				 .interval = r->series[r->at].interval,
				 .line = b->line }) < 0)
		diag_count(&r->c->diag, &table_past, b->line);
}

/*
 * Add the counters of tasks in state D of the current interval, one for each place: "rpc_wait
 * (php-fpm)". If there were no such tasks, add one counter "all tasks" with the value 0.
 */
static void table_flush(struct table_reader *r)
{
	struct table_series *of = &r->series[r->at];
	bool is_blocked = false;

	if (r->n == 0 || !of->has_first)
		return;
	for (size_t i = 0; i < of->n_blocked; i++) {
		is_blocked |= !of->blocked[i].is_zombie;
		table_add_blocked(r, &of->blocked[i]);
	}
	if (!is_blocked && of->has_state)
		table_add_blocked(r, &(struct table_blocked){ .where = STR("all tasks"),
							      .line = of->first_line });
	of->n_blocked = 0;
}

/*
 * Does @row begin the next interval? It does if its time of day differs from that of the previous
 * row. If the table has no times, it does if it has the key of the first row. (Two tasks of one
 * interval may have the same name.)
 */
static bool table_is_next(const struct table_series *of, const struct table_row *row)
{
	return row->time.len && of->time.len ? !str_eq(row->time, of->time)
					     : str_eq(row->key, of->first_key);
}

/*
 * Convert the time of day "03:25:45" or "03:25:45 PM" to seconds, counted from 1. 0: it is no such
 * time.
 */
static uint32_t table_second(struct str time)
{
	uint64_t hour, minute, second;
	bool is_12 = str_ends(time, STR(" AM")) || str_ends(time, STR(" PM"));

	if (!str_u64(&time, &hour) || !str_take(&time, STR(":")) || !str_u64(&time, &minute) ||
	    !str_take(&time, STR(":")) || !str_u64(&time, &second) || hour > 23 || minute > 59 ||
	    second > 60)
		return 0;
	if (is_12)
		hour = hour % 12 + (str_eq(str_trim(time), STR("PM")) ? 12 : 0);
	return (uint32_t)(hour * 3600 + minute * 60 + second + 1);
}

/* The unit of the cell of @row in column @column; STR_ID_NONE: the table does not show it. */
static str_id table_unit(struct strings *strings, const struct table_head *h,
			 const struct table_row *row, size_t column)
{
	if (row->is_kib[column])
		return strings_add(strings, STR("KiB"));
	return h->dialect->bytes && str_glob(str_of(h->dialect->bytes), h->titles[column])
		       ? strings_add(strings, STR("B"))
		       : STR_ID_NONE;
}

/* The number of a task; 0: it is not printed, or no number. */
static uint32_t table_task(struct str word)
{
	uint64_t ret;

	return str_u64(&word, &ret) && word.len == 0 && ret <= UINT32_MAX ? (uint32_t)ret : 0;
}

static void table_add(struct table_reader *r, const struct table_head *h,
		      const struct table_row *row, uint32_t line)
{
	struct counters *k = capture_counters(r->c);
	struct strings *strings = capture_strings(r->c);
	struct table_series *of = &r->series[r->at];
	uint32_t second = table_second(row->time);
	uint32_t task = table_task(row->task);
	str_id key = STR_ID_NONE;
	size_t first = k->rows.len;

	if (row->is_average && r->has_row) {
		diag_count(&r->c->diag, &table_averages, line);
		return;
	}
	if (of->has_first && !h->dialect->has_titles_again && table_is_next(of, row))
		of->interval++;
	of->has_state |= row->has_state;
	if (row->is_blocked || row->is_zombie)
		table_block(r, row, line);
	if (!of->has_first) {
		of->first_key = row->key;
		of->first_line = line;
	}
	of->time = row->time;
	of->has_first = true;
	r->has_row |= !row->is_average;
	k->n_intervals = of->interval + 1 > k->n_intervals ? of->interval + 1 : k->n_intervals;
	for (size_t i = 0; i < h->n; i++) {
		struct counter_number n = row->values[i];

		if (!row->has[i])
			continue;
		if (!of->names[i].v)
			of->names[i] = strings_add(strings, h->titles[i]);
		if (!key.v && row->key.len)
			key = table_key(strings, row->key);
		if (counters_add(
			    k, strings,
			    (struct counter){ .name = h->dialect->is_turned ? key : of->names[i],
					      .key = h->dialect->is_turned ? of->names[i] : key,
					      .unit = table_unit(strings, h, row, i),
					      .value = n.value,
					      .decimals = n.decimals,
					      .spread = -1,
					      .running = -1,
					      .interval = of->interval,
					      .second = second,
					      .task = task,
					      .line = line }) < 0)
			diag_count(&r->c->diag, &table_past, line);
	}
	thread_blocks_row(&r->blocks, row->process, row->thread, line);
	if (!h->dialect->is_turned)
		twins_add(&r->twins, k, first, key, row->task, of->interval);
}

static bool table_is_same(const struct table_head *a, const struct table_head *b)
{
	if (a->dialect != b->dialect || a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		if (!str_eq(a->titles[i], b->titles[i]))
			return false;
	}
	return true;
}

/*
 * Select the series with the titles @head. If there is none, add a series; but if there are already
 * TABLE_KINDS series, the new series replaces the last one. If the tool repeats the titles in each
 * interval, the next interval begins.
 */
static void table_select(struct table_reader *r, const struct table_head *head)
{
	size_t i = 0;

	while (i < r->n && !table_is_same(&r->series[i].head, head))
		i++;
	if (i == r->n) {
		i = r->n < TABLE_KINDS ? r->n++ : TABLE_KINDS - 1;
		r->series[i] = (struct table_series){ .head = *head };
	}
	r->at = i;
	if (head->dialect->has_titles_again && r->series[i].has_first) {
		r->series[i].interval++;
		r->series[i].has_first = false;
	}
}

/*
 * The value after @title in a line: "Device Model:     WDC WD40EFRX". Empty: the line has another
 * title.
 */
static struct str table_titled(struct str line, const char *title)
{
	line = str_trim(line);
	return str_take(&line, str_of(title)) ? str_trim(line) : STR_NONE;
}

/* The device in a command of smartctl, such as "/dev/sda". Empty: @line is no such command. */
static struct str table_smart_device(struct str line)
{
	struct str word;
	bool is_command = false;

	while (str_word(&line, &word)) {
		is_command |= str_eq(word, STR("smartctl"));
		if (is_command && str_starts(word, STR("/dev/")))
			return word;
	}
	return STR_NONE;
}

/*
 * Add a note that names the disk that smartctl read: by the device in the command, or else by the
 * model of the disk. Both are in the lines before @in, with which the output of smartctl begins.
 */
static void table_note_device(struct capture *c, const struct region *in)
{
	struct str doc = in->doc ? in->doc->text : STR_NONE;
	struct str above, model = STR_NONE, device = STR_NONE;

	if (!doc.p || in->text.p < doc.p || in->text.p > doc.p + doc.len)
		return;
	above = (struct str){ doc.p, (size_t)(in->text.p - doc.p) };
	for (unsigned int n = 0; above.len && !device.len && n < TABLE_DEVICE_LINES; n++) {
		struct str line;
		size_t start;

		above.len--;
		start = str_rfind_char(above, '\n');
		start = start == above.len ? 0 : start + 1;
		line = str_skip(above, start);
		above.len = start;
		/*
		 * this line begins the table of another disk, so the previous lines are not about
		 * this disk
		 */
		if (str_contains(line, STR("ATTRIBUTE_NAME")))
			break;
		device = table_smart_device(line);
		if (!model.len)
			model = table_titled(line, "Device Model:");
	}
	if (device.len || model.len)
		capture_note(c, STR(COUNTERS_NOTE_DEVICE),
			     str_sub(device.len ? device : model, 0, TABLE_PLACE_BYTES), 0);
}

/*
 * Add the size of all slab caches, KiB, as a fact. It is in the head of slabtop before @in. (The
 * list of caches may be truncated.) Source: procps, slabtop.c.
 */
static void table_note_slab(struct capture *c, const struct region *in)
{
	struct str doc = in->doc ? in->doc->text : STR_NONE;
	struct str above, line, size = STR_NONE;
	uint64_t kib;

	if (!doc.p || in->text.p < doc.p || in->text.p > doc.p + doc.len)
		return;
	above = (struct str){ doc.p, (size_t)(in->text.p - doc.p) };
	while (str_line(&above, &line)) {
		line = str_skip(line, str_find(line, STR("Active / Total Size (% used)")));
		line = str_skip(line, str_find_char(line, ':'));
		if (line.len)
			size = str_skip(line, str_find(line, STR(" / ")));
	}
	if (str_take(&size, STR(" / ")) && str_u64(&size, &kib) && kib > 0)
		*VEC_PUSH(&c->facts) = (struct capture_fact){
			strings_add(capture_strings(c), STR(COUNTERS_FACT_SLAB)), kib, 0
		};
}

static int counter_table_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct table_reader r = { .in = in, .c = format_add_capture(&format_counter_table, in, d) };
	struct table_head head = { .dialect = NULL };
	/* dialect of the last rows; head.dialect may be NULL again */
	const struct table_dialect *dialect = NULL;
	struct table_head next;
	struct table_row row;
	struct str text = in->text;
	struct str line, release;
	uint64_t cpus;

	thread_blocks_above(&r.blocks, in);
	for (uint32_t n = 0; str_line(&text, &line); n++) {
		enum table_line kind = table_classify(&head, line, &next, &row);

		if (kind == TABLE_OTHER)
			thread_blocks_line(&r.blocks, line);
		/* rows without titles below another command are the next snapshot */
		if (kind == TABLE_OTHER && head.is_command && str_contains(line, STR("ps ")))
			head = (struct table_head){ .dialect = NULL };
		if (kind == TABLE_HEAD || kind == TABLE_BARE) {
			table_flush(&r);
			table_select(&r, &next);
			thread_blocks_begin(&r.blocks, region_line(in, n),
					    r.c->counters ? r.c->counters->rows.len : 0);
			head = next;
			dialect = next.dialect;
		}
		if (kind == TABLE_HEAD)
			continue;
		if (kind == TABLE_ROW || kind == TABLE_BARE) {
			table_add(&r, &head, &row, region_line(in, n));
		} else if (table_machine(line, &release, &cpus)) {
			*VEC_PUSH(&r.c->facts) =
				(struct capture_fact){ strings_add(capture_strings(r.c),
								   STR("CPUs")),
						       cpus, region_line(in, n) };
			capture_note(r.c, STR("os release"), release, region_line(in, n));
		} else if (table_is_text(line)) {
			unread_rows_count(r.c, &table_lines, line, region_line(in, n));
		}
	}
	if (!r.c->counters) {
		VEC_FREE(&r.twins.rows);
		VEC_FREE(&r.blocks.rows);
		return fail(err, ERR_FORMAT, "no row of counters");
	}
	table_flush(&r);
	twins_apply(&r.twins, r.c->counters, capture_strings(r.c));
	r.c->counters->tool = strings_add(capture_strings(r.c), str_of(dialect->tool));
	if (str_eq(str_of(dialect->tool), STR("smartctl")))
		table_note_device(r.c, in);
	if (str_eq(str_of(dialect->tool), STR("slabtop")))
		table_note_slab(r.c, in);
	r.c->counters->label = strings_add(capture_strings(r.c), counter_label(in));
	r.c->counters->is_since_boot = dialect->is_since_boot && r.c->counters->n_intervals > 1;
	r.c->counters->is_only_since_boot = dialect->is_since_boot &&
					    r.c->counters->n_intervals == 1 &&
					    str_eq(str_of(dialect->tool), STR("vmstat"));
	counter_split_rows(&format_counter_table, in, r.c);
	counter_threads_apply(&format_counter_table, in, r.c, &r.blocks);
	return OK;
}

const struct format format_counter_table = {
	.name = "counter-table",
	.title = "counters",
	.summary = "tables of vmstat, iostat, mpstat, pidstat, sar, top, free, slabtop, bcc tools",
	.kinds = KIND_COUNTERS,
	.probe = counter_table_probe,
	.find = counter_table_find,
	.read = counter_table_read,
};
