/* SPDX-License-Identifier: MIT */
#include "cmds/outputs.h"

#define OUTPUT_KEY   2u  /* column of the key of a line of facts, render/text_view.c */
#define OUTPUT_VALUE 14u /* of its value */

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

/* "  Data        poor: ...": no prose has blanks there. */
static bool output_is_fact(struct str line)
{
	return line.len > OUTPUT_VALUE && line.p[0] == ' ' && line.p[1] == ' ' &&
	       line.p[OUTPUT_KEY] != ' ' && line.p[OUTPUT_VALUE - 2] == ' ' &&
	       line.p[OUTPUT_VALUE - 1] == ' ' && line.p[OUTPUT_VALUE] != ' ';
}

/* A line of a gate of `risk`, or of its --format seed. */
static bool output_is_risk_line(struct str line)
{
	unsigned int colons = 0;

	if (line.len && line.p[line.len - 1] == ']' && output_holds(line, STR(": warning: ")))
		return true;
	for (size_t i = 0; i + 3 <= line.len; i++)
		colons += str_starts(str_skip(line, i), STR(" : "));
	return colons == 11;
}

static bool output_is_text(struct str head)
{
	struct str first = output_line(&(struct str){ head.p, head.len });

	if (str_starts(head, STR("# To display the perf.data header info")) ||
	    output_is_risk_line(first))
		return true;
	while (head.len) {
		if (output_is_fact(output_line(&head)))
			return true;
	}
	return false;
}

/* A head of names between commas. */
static bool output_is_csv(struct str head)
{
	struct str line = str_trim(output_line(&head));
	bool has_comma = false;

	for (size_t i = 0; i < line.len; i++) {
		char c = line.p[i];

		has_comma |= c == ',';
		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_' && c != ',')
			return false;
	}
	return has_comma;
}

static bool output_is_json(struct str head)
{
	return str_starts(head, STR("{")) && output_holds(head, STR("\"assay"));
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

/* "main;f 12" */
static bool output_is_folded(struct str head)
{
	struct str line = str_trim(output_line(&head));
	size_t at = str_rfind_char(line, ' ');
	struct str number = str_skip(line, at + 1);

	for (size_t i = 0; i < number.len; i++) {
		if (!(number.p[i] >= '0' && number.p[i] <= '9') && number.p[i] != '.')
			return false;
	}
	return at && at < line.len && number.len;
}

/* "1.000000:", as perf script prints a time. */
static bool output_is_time(struct str word)
{
	size_t dot = str_find_char(word, '.');

	if (dot == 0 || dot + 2 >= word.len || word.p[word.len - 1] != ':')
		return false;
	for (size_t i = 0; i + 1 < word.len; i++) {
		if (i != dot && !(word.p[i] >= '0' && word.p[i] <= '9'))
			return false;
	}
	return true;
}

/* "find  10 [000]     1.000000:     250000 cpu-clock:", then a frame, there or in the next line. */
static bool output_is_perf_script(struct str head)
{
	struct str line = str_trim(output_line(&head));
	struct str word;

	if (str_ends(line, STR(":")) && (str_starts(head, STR("\t")) || head.len == 0))
		return true;
	for (; line.len; line = str_trim(str_skip(line, word.len))) {
		word = str_sub(line, 0, str_find_char(line, ' '));
		if (output_is_time(word))
			return true;
	}
	return false;
}

static bool output_is_gzip(struct str head)
{
	return str_starts(head, STR("\x1f\x8b"));
}

const struct newfile_kind output_text = { "a page of assay", output_is_text };
const struct newfile_kind output_csv = { "a table of assay in CSV", output_is_csv };
const struct newfile_kind output_json = { "a JSON document of assay", output_is_json };
const struct newfile_kind output_svg = { "an SVG graph of assay", output_is_svg };
const struct newfile_kind output_html = { "an HTML page of assay", output_is_html };
static const struct newfile_kind output_folded = { "a file of folded stacks", output_is_folded };
static const struct newfile_kind output_script = { "the text of perf script",
						   output_is_perf_script };
static const struct newfile_kind output_pprof = { "a profile of pprof", output_is_gzip };

const struct newfile_kind *output_kind_of(const char *format)
{
	static const struct {
		const char *format;
		const struct newfile_kind *kind;
	} kinds[] = {
		{ "folded", &output_folded },
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
