/* SPDX-License-Identifier: MIT */
#include "cmds/run/outputs.h"

#include "base/status.h"
#include "base/str.h"
#include "document/capsule.h"
#include "record/perf/record.h"

/* column of KEY in a line "  KEY       VALUE" of a text page (render/text_view.c) */
#define OUTPUT_KEY   2u
#define OUTPUT_VALUE 14u /* column of the value in a line "  KEY       VALUE" */

/* offset of the comment in a gzip file: the size of the header before it (RFC 1952) */
#define OUTPUT_GZIP_HEAD 10u

static bool output_holds(struct str s, struct str what)
{
	return str_find(s, what) < s.len;
}

static struct str output_line(struct str *head)
{
	size_t end = str_find_char(*head, '\n');
	struct str line = str_sub(*head, 0, end);

	*head = str_skip(*head, end + 1);
	return line;
}

static bool output_holds_each(struct str s, const char *const *what, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!output_holds(s, str_of(what[i])))
			return false;
	}
	return true;
}

static bool output_has_kind(struct str line)
{
	static const char *const kinds[] = { " (profile)", " (calls)", " (log)", " (metrics)" };

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (output_holds(line, str_of(kinds[i])))
			return true;
	}
	return false;
}

/* Whether @key is a range of lines as `info` prints it: "1-12", "9", "all". */
static bool output_is_lines(struct str key)
{
	bool has_digit = false;

	if (str_eq(key, STR("all")))
		return true;
	for (size_t i = 0; i < key.len; i++) {
		bool is_digit = key.p[i] >= '0' && key.p[i] <= '9';

		has_digit |= is_digit;
		if (!is_digit && !(key.p[i] == '-' && has_digit))
			return false;
	}
	return has_digit;
}

/*
 * Whether @line is a field of a page of assay, such as " Data poor: ...". Its key must be one of
 * `keys`. "Total" and "Next" are not in this list, because other programs print them, too.
 */
static bool output_is_fact(struct str line)
{
	static const char *const keys[] = {
		"Data",   "What",     "Sources", "Excerpt", "Stacks",
		"Stated", "Recorded", "Tracer",  "Spread",  "Untraced"
	};
	struct str key;
	struct str value = str_skip(line, OUTPUT_VALUE);

	if (line.len <= OUTPUT_VALUE || !str_starts(line, STR("  ")) || line.p[OUTPUT_KEY] == ' ' ||
	    line.p[OUTPUT_VALUE - 2] != ' ' || line.p[OUTPUT_VALUE - 1] != ' ' || value.p[0] == ' ')
		return false;
	key = str_trim(str_sub(line, OUTPUT_KEY, OUTPUT_VALUE));
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		if (str_eq(key, str_of(keys[i])))
			return true;
	}
	return output_is_lines(key) && (output_has_kind(value) || str_eq(value, STR("no capture")));
}

/*
 * Whether @line is the heading of a capture, such as "a.folded lines 1-2: folded (profile)", or of
 * a table of several events: "a.data 2 events side by side".
 */
static bool output_is_heading(struct str line)
{
	if (str_ends(line, STR(" events side by side")))
		return true;
	return output_holds(line, STR(" line")) && output_holds(line, STR(": ")) &&
	       str_ends(line, STR(")")) && output_has_kind(line);
}

/*
 * Whether @line is a line of `assay risk`: a warning about an exceeded limit, or a row of --format
 * seed.
 */
static bool output_is_risk_line(struct str line)
{
	static const char *const words[] = { ": warning: ", " of '", "' is ", ", over ", " [" };
	unsigned int colons = 0;

	if (str_ends(line, STR("]")) && output_holds_each(line, words, ARRAY_LEN(words)))
		return true;
	for (size_t i = 0; i + 3 <= line.len; i++)
		colons += str_starts(str_skip(line, i), STR(" : "));
	return colons == 11 && output_holds(line, STR(" \xef\xbc\x9a"));
}

/*
 * Whether @head is the start of a text page of assay. Text in the format of perf report is not
 * recognised, because nothing in it names assay.
 */
static bool output_is_text(struct str head)
{
	struct str first = output_line(&(struct str){ head.p, head.len });

	bool has_a = false;

	if (output_is_risk_line(first))
		return true;
	while (head.len) {
		struct str line = output_line(&head);

		has_a |= str_starts(line, STR("  A           "));
		if (output_is_fact(line) || output_is_heading(line) ||
		    /* the page of `diff` has a line for each of the sides A and B */
		    (has_a && str_starts(line, STR("  B           "))))
			return true;
	}
	return false;
}

/*
 * Whether @head is the start of a CSV table of assay: the first line contains known columns. A
 * table about captures is recognised by its last columns, any other table by its first columns.
 */
static bool output_is_csv(struct str head)
{
	static const char *const heads[] = {
		"rank,name,file,line,",
		"change,name,file,line,",
		"name,file,line,c1,c2,",
		"metric,unit,definition,source",
	};
	struct str line = str_trim(output_line(&head));

	for (size_t i = 0; i < ARRAY_LEN(heads); i++) {
		if (str_starts(line, str_of(heads[i])))
			return true;
	}
	return str_ends(line, STR(",capture,event")) ||
	       output_holds(line, STR(",space,a,b,a_low,a_high,"));
}

/*
 * Whether @head is the start of JSON that assay wrote. Such JSON has the schema of a command. For
 * viewers, it names assay as the exporter; in SARIF, as the tool.
 */
static bool output_is_json(struct str head)
{
	static const char *const marks[] = { "\"schema\": \"assay-", "\"schema\":\"assay-",
					     "\"exporter\":\"assay ", "\"importedFrom\":\"assay " };
	static const char *const sarif[] = { "/sarif-2.1.0.json\"", "\"driver\": {",
					     "\"name\": \"assay\"" };

	if (!str_starts(head, STR("{")))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
		if (output_holds(head, str_of(marks[i])))
			return true;
	}
	return output_holds_each(head, sarif, ARRAY_LEN(sarif));
}

static bool output_is_svg(struct str head)
{
	return output_holds(head, STR("<svg ")) && output_holds(head, STR("\nsvg{--bg:#"));
}

static bool output_is_html(struct str head)
{
	return str_starts(head, STR("<!doctype html>")) &&
	       output_holds(head, STR("default-src 'none'; script-src 'sha256-"));
}

/* Whether @line ends in a blank and a number: "f 12", "f 1.5". */
static bool output_is_stack(struct str line)
{
	size_t at = str_rfind_char(line, ' ');
	struct str number = str_skip(line, at + 1);

	for (size_t i = 0; i < number.len; i++) {
		if (!(number.p[i] >= '0' && number.p[i] <= '9') && number.p[i] != '.')
			return false;
	}
	return at && at < line.len && number.len;
}

/*
 * Whether every line is a folded stack ("a;b 12"), and at least one stack has callers. The last
 * line of @head may be truncated.
 */
static bool output_is_folded(struct str head)
{
	bool is_cut = head.len >= NEWFILE_HEAD;
	bool has_callers = false;

	while (head.len && !(is_cut && str_find_char(head, '\n') == head.len)) {
		struct str line = output_line(&head);

		if (!output_is_stack(line))
			return false;
		has_callers |= str_find_char(line, ';') < line.len;
	}
	return has_callers;
}

/* Whether @word consists of digits and the separators of perf script. */
static bool output_is_number(struct str word)
{
	bool has_digit = false;

	for (size_t i = 0; i < word.len; i++) {
		bool is_digit = word.p[i] >= '0' && word.p[i] <= '9';

		has_digit |= is_digit;
		if (!is_digit && !memchr("-/.[]", word.p[i], 5))
			return false;
	}
	return has_digit;
}

/*
 * Whether @head begins like the output of perf script: "find  10 [000]     1.000000:     250000
 * cpu-clock:". A frame must be on the same line or on the next one. Thread and count must be
 * numbers, and the event must follow the count.
 */
static bool output_is_perf_script(struct str head)
{
	struct str line = str_trim(output_line(&head));
	struct str word;
	unsigned int numbers = 0;
	/* the previous word is a number: the count of the event or, without a count, the time */
	bool is_after_number = false;

	for (bool is_first = true; line.len; is_first = false) {
		bool has_colon;
		bool is_number;

		word = str_sub(line, 0, str_find_char(line, ' '));
		line = str_trim(str_skip(line, word.len));
		has_colon = str_ends(word, STR(":"));
		is_number = !is_first && output_is_number(str_sub(word, 0, word.len - has_colon));
		if (has_colon && !is_number)
			return is_after_number && numbers >= 2 &&
			       (line.len || head.len == 0 || str_starts(head, STR("\t")) ||
				str_starts(head, STR("\n")));
		numbers += is_number;
		is_after_number = is_number;
	}
	return false;
}

/* Whether @head has the gzip comment that pprof_write.c writes. */
static bool output_is_pprof(struct str head)
{
	return str_starts(head, STR("\x1f\x8b\x08\x10")) &&
	       str_starts(str_skip(head, OUTPUT_GZIP_HEAD), STR("assay\0"));
}

const struct newfile_kind output_text = { "a page of assay", output_is_text };
const struct newfile_kind output_csv = { "a table of assay in CSV", output_is_csv };
const struct newfile_kind output_json = { "a JSON document of assay", output_is_json };
const struct newfile_kind output_svg = { "an SVG graph of assay", output_is_svg };
const struct newfile_kind output_html = { "an HTML page of assay", output_is_html };
const struct newfile_kind output_capsule = { "a capsule of assay", capsule_is };
static const struct newfile_kind output_folded = { "a file of folded stacks", output_is_folded };
static const struct newfile_kind output_script = { "the text of perf script",
						   output_is_perf_script };
static const struct newfile_kind output_pprof = { "a profile of pprof by assay", output_is_pprof };

const struct newfile_kind *output_kind_of(const char *format)
{
	static const struct {
		const char *format;
		const struct newfile_kind *kind;
	} kinds[] = {
		{ "folded", &output_folded },
		{ "perf-data", &record_kind },
		{ "perf-script", &output_script },
		{ "pprof", &output_pprof },
		{ "csv", &output_csv },
	};

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (strcmp(format, kinds[i].format) == 0)
			return kinds[i].kind;
	}
	return &output_json;
}
