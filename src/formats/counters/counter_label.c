/* SPDX-License-Identifier: MIT */
#include "formats/counters/counter_label.h"

#include "base/str.h"
#include "core/names/side_words.h"
#include "formats/counters/stat_line.h"

/* number of lines before a table in which its label is searched, including blank lines */
#define LABEL_LINES 10u
#define LABEL_MAX   100u
/*
 * Maximum number of words of a label that does not end with ':'. Longer lines are prose, such as
 * "we looked at the old numbers before we ...".
 */
#define LABEL_WORDS 12u

/* Remove marks of headings and lists from both ends of @s: "## Before:" becomes "Before". */
static struct str label_trim(struct str s)
{
	static const struct str marks = { "#*=-_:~`>|[]().", 16 };

	s = str_trim(s);
	while (s.len && (str_find_char(marks, s.p[0]) < marks.len || char_is_blank(s.p[0])))
		s = str_skip(s, 1);
	while (s.len &&
	       (str_find_char(marks, s.p[s.len - 1]) < marks.len ||
		char_is_blank(s.p[s.len - 1])) &&
	       !(s.p[s.len - 1] == ')' && str_find_char(s, '(') < s.len))
		s.len--;
	return s;
}

static size_t label_words(struct str s)
{
	struct str word;
	size_t n = 0;

	while (str_word(&s, &word))
		n++;
	return n;
}

static bool label_is_prompt(struct str line)
{
	line = str_ltrim(line);
	return str_starts(line, STR("$")) || str_starts(line, STR("# perf")) ||
	       str_contains(line, STR("perf stat"));
}

/*
 * Is @line a command of a script (echo "After the change:"), a frame of a stack
 * ("entry_SYSCALL_64_after_hwframe+0x44/0xa9"), or a name with a colon inside ("rs:main Q:Reg")?
 */
static bool label_is_other(struct str line)
{
	struct str rest = line;
	struct str word;
	size_t at;

	if (str_word(&rest, &word) && str_glob(STR("echo|printf|cat|grep|egrep|sudo"), word) &&
	    rest.len)
		return true;
	at = str_find_char(line, ':');
	return str_contains(line, STR("+0x")) ||
	       (at > 0 && at + 1 < line.len && char_is_letter(line.p[at - 1]) &&
		char_is_letter(line.p[at + 1]));
}

/*
 * Is @line an indented name with a number, as in the output of GNU time: "        Swaps: 0"? Or is
 * it the result of dd: "5120000 bytes (5.1 MB) copied, 3.9 s, 1.3 MB/s"?
 */
static bool label_is_row(struct str line)
{
	size_t at = str_find(line, STR(": "));

	if (str_glob(STR("* bytes (*B) *, * s, *B/s"), str_trim(line)))
		return true;
	return line.len && line.p[0] == '\t' && at + 2 < line.len && char_is_digit(line.p[at + 2]);
}

/* Is @line a setting, "TX: off"? */
static bool label_is_setting(struct str line)
{
	size_t at = str_find(line, STR(": "));

	return at > 0 && at < line.len &&
	       str_glob(STR("on|off|yes|no|enabled|disabled"), str_trim(str_skip(line, at + 2)));
}

/* The last line of @text, which ends at a line break or is the whole text. */
static struct str label_last_line(struct str text)
{
	size_t cut;

	text.len -= text.len > 0;
	cut = str_rfind_char(text, '\n');
	return cut < text.len ? str_skip(text, cut + 1) : text;
}

/*
 * Does @line end the introduction of a quoted mail: "On Mon, Nov 23, Ann <ann@example.org> wrote:"?
 * Mail programs may break this line before the address or before "wrote". The address identifies it
 * in any language.
 */
static bool label_is_attribution(struct str line)
{
	size_t at;

	line = str_trim(line);
	if (!str_ends(line, STR(":")))
		return false;
	line = str_trim(str_sub(line, 0, line.len - 1));
	at = str_find_char(line, '<');
	return str_ends(line, STR("wrote")) ||
	       ((at == 0 || line.p[at - 1] == ' ') && str_glob(STR("<*@*>*"), str_skip(line, at)));
}

struct str counter_label(const struct region *in)
{
	struct str text = in->doc->text;
	struct str above;
	struct str near = STR_NONE;
	unsigned int n_text = 0;

	if (in->text.p < text.p || in->text.p > text.p + text.len)
		return STR_NONE;
	above = str_sub(text, 0, (size_t)(in->text.p - text.p));
	for (unsigned int i = 0; i < LABEL_LINES && above.len; i++) {
		size_t cut;
		struct str line;
		struct str label;
		struct stat_row row;

		above.len--; /* cut off the '\n' of the previous line */
		cut = str_rfind_char(above, '\n');
		line = cut < above.len ? str_skip(above, cut + 1) : above;
		above.len = cut < above.len ? cut + 1 : 0;
		/* the text before a quote was written by another author, so the search ends here */
		if ((stat_line(line, &row) && row.is_sure) || label_is_attribution(line))
			break;
		label = label_trim(line);
		/*
		 * Rows, and lines with " = ", are results of another measurement. A label before
		 * them belongs to that measurement.
		 */
		if (str_contains(label, STR(" = ")) || label_is_row(line))
			break;
		/* two settings or more are the output of another tool, and no label */
		if (label_is_setting(line) && label_is_setting(label_last_line(above)))
			break;
		if (label.len == 0 || label_is_prompt(line) || label_is_other(line))
			continue;
		n_text++;
		if (label.len > LABEL_MAX)
			continue;
		/* the label of "Before: 549-553 MB/s" is "Before" */
		if (side_of_words(str_sub(label, 0, str_find_char(label, ':'))) != SIDE_UNKNOWN)
			label = str_sub(label, 0, str_find_char(label, ':'));
		if (side_of_words(label) != SIDE_UNKNOWN &&
		    (label_words(label) <= LABEL_WORDS || str_ends(str_trim(line), STR(":"))))
			return label;
		if (n_text == 1 && str_ends(str_trim(line), STR(":")))
			near = label;
	}
	return near;
}

bool counter_label_is_side(struct str line)
{
	struct str label = label_trim(line);

	return str_ends(str_trim(line), STR(":")) && label.len <= LABEL_MAX &&
	       label_words(label) <= LABEL_WORDS && side_of_words(label) != SIDE_UNKNOWN;
}
