/* SPDX-License-Identifier: MIT */
#include "formats/bar_tables.h"

#include "base/alloc.h"
#include "base/status.h"
#include "formats/format.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

DECLARE_FORMAT(perf_report);
DECLARE_FORMAT(profile_text);
DECLARE_FORMAT(syscall_counts);

/* formats whose columns are separated by blanks */
static const struct {
	const struct format *format;
	/*
	 * pattern of the titles, for a format that takes a table from its rows on; NULL: it takes
	 * the titles, too
	 */
	const char *titles;
} bar_formats[] = {
	{ &format_perf_report, "*Overhead * Symbol*|*Children * Self * Symbol*" },
	{ &format_profile_text, NULL },
	{ &format_syscall_counts, NULL },
};

/* Whether @line is the ruler below the titles: dashes, bars and ':' for the alignment. */
static bool bar_is_ruler(struct str line)
{
	size_t bars = 0;

	for (size_t i = 0; i < line.len; i++) {
		if (!strchr("|-: \t", line.p[i]))
			return false;
		bars += line.p[i] == '|';
	}
	return bars && str_contains(line, STR("--"));
}

/* Blank the bars and the marks for code and bold text in the @len bytes at @p. */
static void bar_blank(char *p, size_t len, bool is_ruler)
{
	for (size_t i = 0; i < len; i++) {
		bool is_bold = p[i] == '*' && i + 1 < len && p[i + 1] == '*';

		if (is_ruler && p[i] == ':')
			p[i] = '-';
		if ((p[i] == '|' && !(i && p[i - 1] == '\\')) || p[i] == '`')
			p[i] = ' ';
		if (is_bold)
			p[i] = p[i + 1] = ' ';
	}
}

/*
 * Find the table whose titles are in the first line of @rest. Returns the number of its bytes; 0:
 * the line has no titles of a table.
 */
static size_t bar_table(struct str rest)
{
	struct str all = rest;
	struct str line;

	if (!str_line(&rest, &line) || str_find_char(line, '|') == line.len ||
	    !str_line(&rest, &line) || !bar_is_ruler(line))
		return 0;
	for (;;) {
		size_t end = all.len - rest.len;

		if (!str_line(&rest, &line) || str_find_char(line, '|') == line.len)
			return end;
	}
}

/* Blank the bars of the table in the @len bytes at @p. */
static void bar_blank_table(char *p, size_t len)
{
	struct str rest = { p, len };
	struct str line;

	for (size_t n = 0; str_line(&rest, &line); n++)
		bar_blank(p + (line.p - p), line.len, n == 1);
}

/* Whether a reader takes @table, whose bars are blank, from its titles on. */
static bool bar_is_taken(struct str table)
{
	struct str rest = table;
	struct str titles, ruler;
	size_t rows;

	if (!str_line(&rest, &titles) || !str_line(&rest, &ruler))
		return false;
	rows = table.len - rest.len;
	for (size_t i = 0; i < ARRAY_LEN(bar_formats); i++) {
		const char *pattern = bar_formats[i].titles;
		struct extent e = { 0 };

		if (pattern && !str_glob(str_of(pattern), titles))
			continue;
		if (bar_formats[i].format->find(table, 0, &e) && e.score &&
		    e.from <= (pattern ? rows : 0))
			return true;
	}
	return false;
}

char *bar_tables_blank(struct str text)
{
	struct str rest = text;
	struct str line;
	char *ret = NULL;

	if (text.len > BAR_TABLES_BYTES)
		return NULL;
	while (rest.len) {
		size_t at = text.len - rest.len;
		size_t len = bar_table(rest);
		char *table;

		if (!len) {
			(void)str_line(&rest, &line);
			continue;
		}
		table = xmalloc(len);
		memcpy(table, rest.p, len);
		bar_blank_table(table, len);
		if (bar_is_taken((struct str){ table, len })) {
			if (!ret) {
				ret = xmalloc(text.len);
				memcpy(ret, text.p, text.len);
			}
			memcpy(ret + at, table, len);
		}
		free(table);
		rest = str_skip(rest, len);
	}
	return ret;
}
