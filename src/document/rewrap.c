/* SPDX-License-Identifier: MIT */
#include "document/rewrap.h"

#include "base/alloc.h"
#include "base/str.h"
#include "base/text/cells.h"
#include "document/clean.h"
#include "document/mail/unwrap.h"

/* maximum number of lines into which a mailer breaks a row */
#define REWRAP_PARTS 4u
/* minimum number of columns: a table of three is rarely wider than a mail */
#define REWRAP_COLUMNS 4u
/* minimum length of a line that a mailer broke, in characters */
#define REWRAP_HEAD 40u
/* a mailer did not break a text that has a longer line (quote marks do not count) */
#define REWRAP_WIDTH 80u
/* minimum width at which a mailer breaks lines; usual are 72 columns or more */
#define REWRAP_MAIL 70u
/*
 * maximum length of the first line of a system call; it is large, because a mailer cannot break a
 * long path
 */
#define REWRAP_CALL 256u
/*
 * a mailer removes the gap between two columns where it breaks a line; this is the maximum width of
 * such a gap
 */
#define REWRAP_LOST 16u
/*
 * minimum number of lines with only the end of a command, if no other row of the table is broken
 */
#define REWRAP_RESTS 2u
/* the longest line of a table is searched in at most this many lines */
#define REWRAP_AROUND 64u

/* minimum number of words, and of numbers among them, in the row of a task up to its CPU time */
#define REWRAP_TASK         10u
#define REWRAP_TASK_NUMBERS 5u

struct rewrap_shape {
	/*
	 * words: how many words a line has; numbers: how many of these words are numbers. Neither
	 * includes times of day
	 */
	size_t words, numbers;
	size_t times;
};

/* Whether @word replaces a missing value, "---", or is the running time of a task, "10:12.33". */
static bool rewrap_is_value(struct str word)
{
	return str_eq(word, STR("?")) || str_glob(STR("-|--|---|n/a|N/A"), word) ||
	       (char_is_digit(word.p[0]) && str_glob(STR("*:??|*:??.??"), word));
}

/* Count the words, numbers and times of @line. */
static struct rewrap_shape rewrap_shape_of(struct str line)
{
	struct rewrap_shape ret = { .words = 0 };
	struct str word;

	while (str_word(&line, &word)) {
		if (cell_is_time(word)) {
			ret.times++;
			continue;
		}
		ret.words++;
		ret.numbers += cell_is_number(word) || rewrap_is_value(word);
	}
	return ret;
}

static struct rewrap_shape rewrap_sum(struct rewrap_shape a, struct rewrap_shape b)
{
	return (struct rewrap_shape){ a.words + b.words, a.numbers + b.numbers, a.times + b.times };
}

/* The lines of a text, with a flag for each line that is to be joined to the previous one. */
struct rewrap {
	const struct rewrap_line *l;
	size_t n;
	bool *is_tail; /* the line continues the previous line */
	size_t n_tails;
};

static bool rewrap_is_blank(const struct rewrap *r, size_t i)
{
	return i >= r->n || str_trim(r->l[i].text).len == 0;
}

/* Whether line @i separates titles and rows: it consists of dashes or equal signs. */
static bool rewrap_is_separator(const struct rewrap *r, size_t i)
{
	struct str line = str_trim(r->l[i].text);

	for (size_t k = 0; k < line.len; k++) {
		if (!strchr("-=+ ", line.p[k]))
			return false;
	}
	return line.len >= REWRAP_COLUMNS;
}

/* Whether line @i may continue line @i - 1: it is not blank, and its quote depth fits. */
static bool rewrap_may_follow(const struct rewrap *r, size_t i)
{
	return i > 0 && !rewrap_is_blank(r, i) &&
	       unwrap_depth_fits(r->l[i - 1].depth, r->l[i].depth);
}

/* The length of the longest line from line @from up to the next blank line. */
static size_t rewrap_width(const struct rewrap *r, size_t from)
{
	size_t width = 0;

	for (size_t i = from; i < from + REWRAP_AROUND && !rewrap_is_blank(r, i); i++) {
		size_t len = str_rtrim(r->l[i].text).len;

		/* a mailer cannot break a separator */
		width = len > width && !rewrap_is_separator(r, i) ? len : width;
	}
	return width;
}

/* A table: titles in @n_titles lines from line @at on, and rows after them. */
struct rewrap_table {
	size_t at, n_titles;
	size_t columns;             /* number of words of a row */
	size_t words[REWRAP_PARTS]; /* number of words of each line of titles */
	size_t width;               /* length of the longest line */
	/* number of blanks that a mailer may have removed where it broke a row */
	size_t lost;
	/* more words may follow the last value: the last column is a command or a name */
	bool ends_with_words;
};

/*
 * Whether the first word of line @i would fit into the previous line without exceeding @width.
 * @lost: number of blanks that the mailer may have removed between the two lines.
 */
static bool rewrap_fits(const struct rewrap *r, size_t i, size_t width, size_t lost)
{
	struct str line = r->l[i].text;
	struct str word;

	return !str_word(&line, &word) ||
	       str_rtrim(r->l[i - 1].text).len + 1 + word.len + lost <= width;
}

/*
 * Whether a mailer had to break the row in the @parts lines from @at on, because the first word of
 * each line did not fit into the previous line. @lost: number of blanks that the mailer may have
 * removed where it broke a line.
 */
static bool rewrap_is_too_long(const struct rewrap *r, size_t at, size_t parts, size_t width,
			       size_t lost)
{
	for (size_t i = at + 1; i < at + parts; i++) {
		if (str_rtrim(r->l[i - 1].text).len < REWRAP_HEAD || rewrap_fits(r, i, width, lost))
			return false;
	}
	return true;
}

static bool rewrap_is_alike(struct rewrap_shape a, struct rewrap_shape b)
{
	return a.words == b.words && a.numbers == b.numbers && a.times == b.times;
}

/* Whether each of the @n lines of a row has as many words as the same line of the titles. */
static bool rewrap_is_as_titles(const struct rewrap_table *t, const struct rewrap_shape *s,
				size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i >= t->n_titles || s[i].words != t->words[i])
			return false;
	}
	return n == t->n_titles;
}

/*
 * Whether the @n lines with the shapes @s can be the parts of one broken row. The first rule that
 * applies decides:
 *  - All lines have the same shape: no, each line is a row.
 *  - Each line has as many words as the same line of the titles: yes.
 *  - A line after the first has enough words for a complete row: no.
 *  - A line after the first has the shape of the first or of the previous line: no. Exception: it
 *    is not the last line, and row and titles have the same number of lines, at least three.
 *  - Otherwise: yes.
 */
static bool rewrap_are_parts(const struct rewrap_table *t, const struct rewrap_shape *s, size_t n)
{
	bool are_alike = n > 1;

	for (size_t i = 0; i < n; i++)
		are_alike &= rewrap_is_alike(s[i], s[0]);
	if (are_alike || rewrap_is_as_titles(t, s, n))
		return !are_alike;
	for (size_t i = 1; i < n; i++) {
		bool is_alike = rewrap_is_alike(s[i], s[0]) || rewrap_is_alike(s[i], s[i - 1]);

		if (s[i].words >= t->columns ||
		    (is_alike && (n < 3 || n != t->n_titles || i + 1 == n)))
			return false;
	}
	return true;
}

/*
 * Whether the last of @n lines is clearly shorter than the first one, as in a broken row. Complete
 * rows of a table have similar lengths. (A row that is broken like its titles needs no such proof:
 * its second line may even be longer.)
 */
static bool rewrap_is_remainder(const struct rewrap *r, size_t at, size_t n)
{
	return str_trim(r->l[at + n - 1].text).len * 8 <= str_rtrim(r->l[at].text).len * 7;
}

/* The number of lines of the row that begins at line @at; 0: no row of @t begins there. */
static size_t rewrap_row(const struct rewrap *r, const struct rewrap_table *t, size_t at)
{
	struct rewrap_shape sum = { .words = 0 };
	struct rewrap_shape s[REWRAP_PARTS];

	for (size_t n = 0; n < REWRAP_PARTS;) {
		if (rewrap_is_blank(r, at + n) || (n > 0 && !rewrap_may_follow(r, at + n)))
			return 0;
		s[n] = rewrap_shape_of(r->l[at + n].text);
		sum = rewrap_sum(sum, s[n++]);
		if (s[0].numbers == 0)
			return 0;
		if (sum.words < t->columns)
			continue;
		if (sum.numbers * 2 < t->columns || !rewrap_are_parts(t, s, n) ||
		    (sum.words > t->columns && !t->ends_with_words))
			return 0;
		return n == 1 || (rewrap_is_too_long(r, at, n, t->width, t->lost) &&
				  (t->ends_with_words || rewrap_is_as_titles(t, s, n) ||
				   rewrap_is_remainder(r, at, n)))
			       ? n
			       : 0;
	}
	return 0;
}

/*
 * Whether line @i is the end of the previous row, whose last column has several words: "worker 3"
 * of the command "python app.py worker 3".
 */
static bool rewrap_is_rest(const struct rewrap *r, const struct rewrap_table *t, size_t i,
			   size_t from)
{
	struct rewrap_shape s;

	if (!t->ends_with_words || i <= from || !rewrap_may_follow(r, i))
		return false;
	s = rewrap_shape_of(r->l[i].text);
	return s.numbers * 2 <= s.words && s.times == 0 &&
	       rewrap_is_too_long(r, i - 1, 2, t->width, t->lost);
}

/* Whether each word of line @i begins with a capital letter, as in "COMM PID TYPE DEV". */
static bool rewrap_has_capitals(const struct rewrap *r, size_t i)
{
	struct str line = r->l[i].text;
	struct str word;

	while (str_word(&line, &word)) {
		if (word.p[0] < 'A' || word.p[0] > 'Z')
			return false;
	}
	return true;
}

/*
 * The line of the first row below @parts lines of titles. A blank line may follow broken titles
 * with capital letters.
 */
static size_t rewrap_first_row(const struct rewrap *r, size_t at, size_t parts)
{
	bool has_blank = parts > 1 && rewrap_is_blank(r, at + parts);

	for (size_t i = at; has_blank && i < at + parts; i++)
		has_blank = rewrap_has_capitals(r, i);
	return at + parts + has_blank;
}

/*
 * Walk over the rows of @t, and count its lines and rows. @marks: also mark the lines that continue
 * another line. Returns the number of lines. *@ret_rows: number of rows; *@ret_tails: number of
 * lines that continue a row.
 */
static size_t rewrap_walk(struct rewrap *r, const struct rewrap_table *t, bool marks,
			  size_t *ret_rows, size_t *ret_tails)
{
	size_t from = rewrap_first_row(r, t->at, t->n_titles);
	size_t i = from;
	size_t rests = 0;

	*ret_rows = 0;
	*ret_tails = 0;
	for (size_t k = t->at + 1; marks && k < t->at + t->n_titles; k++)
		r->is_tail[k] = true;
	while (!rewrap_is_blank(r, i)) {
		size_t parts = rewrap_row(r, t, i);

		if (parts == 0 && rewrap_is_separator(r, i)) {
			/*
			 * a mailer that breaks rows would also have broken this long separator, so
			 * the rows are not broken
			 */
			if (rewrap_shape_of(r->l[i].text).words > 1 &&
			    (i + 1 >= r->n || !rewrap_is_separator(r, i + 1))) {
				*ret_rows = 0;
				break;
			}
			i += rewrap_shape_of(r->l[i].text).words > 1 ? 2 : 1;
			continue;
		}
		if (parts == 0 && rewrap_is_rest(r, t, i, from)) {
			r->is_tail[i] |= marks;
			rests++;
			i++;
			continue;
		}
		if (parts == 0)
			break;
		for (size_t k = i + 1; marks && k < i + parts; k++)
			r->is_tail[k] = true;
		++*ret_rows;
		*ret_tails += parts - 1;
		i += parts;
	}
	/* one line after a complete row may be other text */
	if (marks || *ret_tails || rests >= REWRAP_RESTS)
		*ret_tails += rests;
	return i - t->at;
}

/*
 * The number of words in the titles that are not the title of a column. Such words are "#" in "#
 * Time UID" of pidstat -h, "avg-cpu:", and '%' before titles of perf stat.
 */
static size_t rewrap_extra_words(struct str titles)
{
	struct str word;
	size_t n = 0;

	for (size_t i = 0; str_word(&titles, &word); i++)
		n += str_eq(word, STR("%")) || (i == 0 && str_glob(STR("#|avg-cpu:"), word));
	return n;
}

/*
 * The number of titles in @line, if titles are separated by at least two blanks. A title may then
 * consist of several words.
 */
static size_t rewrap_cells(struct str line)
{
	struct str word, before = STR_NONE;
	size_t n = 0;

	while (str_word(&line, &word)) {
		n += (!before.len || word.p > before.p + before.len + 1) && !str_eq(word, STR("%"));
		before = str_eq(word, STR("%")) ? STR_NONE : word;
	}
	return n;
}

static bool rewrap_has_letter(struct str line)
{
	for (size_t i = 0; i < line.len; i++) {
		char c = (char)(line.p[i] | 0x20);

		if (c >= 'a' && c <= 'z')
			return true;
	}
	return false;
}

/* The titles of a table, in lines without numbers. */
struct rewrap_titles {
	size_t words, cells;
	size_t of[REWRAP_PARTS]; /* number of words of each line of titles */
	struct str last;         /* the last word of the titles */
};

/* Parse @parts lines as titles; the first of them is line @at. */
static bool rewrap_titles(const struct rewrap *r, size_t at, size_t parts,
			  struct rewrap_titles *ret)
{
	*ret = (struct rewrap_titles){ .words = 0 };
	for (size_t i = at; i < at + parts; i++) {
		struct str rest = r->l[i].text;
		struct rewrap_shape s = rewrap_shape_of(rest);

		if ((i > at && !rewrap_may_follow(r, i)) || s.numbers || !rewrap_has_letter(rest) ||
		    str_contains(rest, STR("---")))
			return false;
		ret->words += s.words - rewrap_extra_words(rest);
		ret->cells += rewrap_cells(rest);
		ret->of[i - at] = s.words - rewrap_extra_words(rest);
		while (str_word(&rest, &ret->last))
			;
	}
	return true;
}

/*
 * Find the table whose titles are in the @parts lines from @at on. The number of columns is not
 * known: it is the number of words in the titles or, if a title can have several words, the number
 * of titles. It can differ from these numbers, because up to two columns may have no title, and one
 * title may be broken. Try each possible number of columns, and keep the table with the most rows.
 * Returns the number of its rows.
 */
static size_t rewrap_table_of(struct rewrap *r, size_t at, size_t parts, struct rewrap_table *ret)
{
	size_t below = rewrap_width(r, rewrap_first_row(r, at, parts));
	size_t above = rewrap_width(r, at);
	struct rewrap_titles titles;
	struct rewrap_table t = {
		.at = at,
		.n_titles = parts,
		.width = below > above ? below : above,
		.lost = parts > 1 ? REWRAP_LOST : 1,
	};
	size_t most = 0;

	if (t.width > REWRAP_WIDTH || !rewrap_titles(r, at, parts, &titles) ||
	    (parts > 1 && !rewrap_is_too_long(r, at, parts, t.width, t.lost)))
		return 0;
	memcpy(t.words, titles.of, sizeof(t.words));
	for (size_t k = 0; k < 6; k++) {
		const size_t columns[] = { titles.words,     titles.words + 1, titles.cells,
					   titles.cells + 1, titles.cells + 2, titles.cells - 1 };
		size_t rows, tails;

		t.columns = columns[k];
		t.ends_with_words =
			k == 0 && str_glob(STR("COMMAND|Command|CMD|NAME|RAW_VALUE"), titles.last);
		if (t.columns < REWRAP_COLUMNS ||
		    (k > 1 && (parts == 1 || titles.cells >= titles.words)))
			continue;
		(void)rewrap_walk(r, &t, false, &rows, &tails);
		/*
		 * Accept a table with only one row only if its titles are broken, too. If the
		 * titles are broken, but no row is, join the titles only if each of their words is
		 * the title of a column.
		 */
		if (rows > most && (tails > 0 || (parts > 1 && k == 0)) &&
		    (rows > 1 || (parts > 1 && k <= 2 && (tails > 0 || k == 0)))) {
			most = rows;
			*ret = t;
		}
	}
	return most;
}

/* Join the broken rows of a table whose titles begin at line @at. Returns its number of lines. */
static size_t rewrap_table(struct rewrap *r, size_t at)
{
	struct rewrap_table best = { .n_titles = 0 };
	size_t most = 0;
	size_t rows, tails;

	for (size_t parts = 1; parts <= REWRAP_PARTS; parts++) {
		size_t row = rewrap_first_row(r, at, parts);
		struct rewrap_table t;

		if (rewrap_is_blank(r, row) || (parts > 1 && rewrap_is_blank(r, at + parts - 1)))
			break;
		/* a fast check: a row needs numbers, and most lines of prose have none */
		if (rewrap_shape_of(r->l[row].text).numbers == 0 && !rewrap_is_separator(r, row))
			continue;
		rows = rewrap_table_of(r, at, parts, &t);
		if (rows > most) {
			most = rows;
			best = t;
		}
	}
	if (most == 0)
		return 0;
	most = rewrap_walk(r, &best, true, &rows, &tails);
	r->n_tails += tails + best.n_titles - 1;
	return most;
}

/*
 * Whether a mailer broke the list of numbers in line @i, "%Cpu(s):  12.0 us,  3.1 sy,", after a
 * comma, or between a number and its unit.
 */
static bool rewrap_is_broken_list(const struct rewrap *r, size_t i)
{
	struct str line = str_rtrim(r->l[i].text);
	struct str rest = line;
	struct str word = STR_NONE, next;
	size_t commas = 0;

	if (line.len < REWRAP_HEAD || line.len > REWRAP_WIDTH || i + 1 >= r->n ||
	    !rewrap_may_follow(r, i + 1))
		return false;
	for (size_t k = 0; k < line.len; k++) {
		/* in "0,3 us" the comma is a decimal point */
		commas += line.p[k] == ',' && (k + 1 == line.len || char_is_blank(line.p[k + 1]));
		if (strchr("=\"{[;", line.p[k]))
			return false;
	}
	while (str_word(&rest, &word))
		;
	rest = str_skip(line, str_find(line, STR(":")) + 1);
	if (!str_word(&rest, &next) || !cell_is_number(next))
		return false;
	next = str_trim(r->l[i + 1].text);
	return commas >= 3 && rewrap_shape_of(line).numbers + 1 >= commas &&
	       (str_ends(word, STR(",")) ? char_is_digit(next.p[0]) : cell_is_number(word)) &&
	       rewrap_shape_of(next).words <= 4 && rewrap_is_too_long(r, i, 2, REWRAP_MAIL, 0);
}

/* Whether @word is a CPU time, as ps and top print it before the command: "0:25", "53:37.12". */
static bool rewrap_is_cpu_time(struct str word)
{
	return char_is_digit(word.p[0]) && str_glob(STR("*:??|*:??.??"), word);
}

/*
 * Whether a mailer broke the row of a task in line @i after its CPU time, the column before the
 * command. The row may have no titles: "root 9768 88.1 0.0 2268 744 pts/0 D+ 16:20 0:25".
 */
static bool rewrap_is_broken_task(const struct rewrap *r, size_t i)
{
	struct str rest = str_rtrim(r->l[i].text);
	struct rewrap_shape s;
	struct str word = STR_NONE, second = STR_NONE;

	if (rest.len < REWRAP_HEAD || rest.len > REWRAP_WIDTH || i + 1 >= r->n ||
	    !rewrap_may_follow(r, i + 1))
		return false;
	s = rewrap_shape_of(rest);
	for (size_t n = 0; str_word(&rest, &word); n++)
		second = n == 1 ? word : second;
	return s.words + s.times >= REWRAP_TASK && s.numbers >= REWRAP_TASK_NUMBERS &&
	       cell_is_number(second) && rewrap_is_cpu_time(word) &&
	       rewrap_shape_of(r->l[i + 1].text).numbers == 0 &&
	       rewrap_is_too_long(r, i, 2, REWRAP_MAIL, 0);
}

/* The number of '|' in a line, and whether the line begins and ends with '|'. */
struct rewrap_bar {
	size_t n;
	bool begins, ends;
};

static struct rewrap_bar rewrap_bar_of(struct str line)
{
	struct rewrap_bar ret = { .n = 0 };

	line = str_trim(line);
	for (size_t i = 0; i < line.len; i++) {
		ret.n += line.p[i] == '|';
		if (line.p[i] == '|')
			continue;
		if (!strchr("@*# ", line.p[i]) && ret.n)
			/* text after a '|': the line has no bar of a histogram */
			return (struct rewrap_bar){ .n = SIZE_MAX };
	}
	ret.begins = line.len && line.p[0] == '|';
	ret.ends = line.len && line.p[line.len - 1] == '|';
	return ret;
}

/* Whether @line begins with the bounds and the count of a bucket: "[8, 16)  12", "4 -> 7 : 12". */
static bool rewrap_is_bucket(struct str line)
{
	struct str head = str_trim(str_sub(line, 0, str_find_char(line, '|')));
	struct rewrap_shape s = rewrap_shape_of(head);

	return s.numbers >= 2 && s.numbers <= 3 && s.words - s.numbers <= 2 &&
	       (head.p[0] == '[' || head.p[0] == '(' || str_contains(head, STR(" -> ")));
}

/* Whether the bar of the bucket in line @i begins or ends in the next line. */
static bool rewrap_is_broken_bar(const struct rewrap *r, size_t i)
{
	struct rewrap_bar a, b;

	if (i + 1 >= r->n || !rewrap_may_follow(r, i + 1) || !rewrap_is_bucket(r->l[i].text))
		return false;
	a = rewrap_bar_of(r->l[i].text);
	b = rewrap_bar_of(r->l[i + 1].text);
	return (a.n == 0 && b.n == 2 && b.begins && b.ends) ||
	       (a.n == 1 && b.n == 1 && b.ends && !a.ends);
}

/*
 * The text of a system call from its name on, "write(3, ...". A thread id and times may precede it.
 */
static struct str rewrap_call(struct str line)
{
	struct str rest = str_ltrim(line);
	struct str next = rest, word;

	for (unsigned int n = 0; n < 4 && str_word(&next, &word); n++) {
		size_t name = 0;

		while (name < word.len &&
		       ((word.p[name] >= 'a' && word.p[name] <= 'z') || word.p[name] == '_' ||
			(name && char_is_digit(word.p[name]))))
			name++;
		if (name && name < word.len && word.p[name] == '(')
			return (struct str){ word.p, (size_t)(line.p + line.len - word.p) };
		if (!str_eq(word, STR("[pid")) && !char_is_digit(word.p[0]))
			return STR_NONE;
	}
	return STR_NONE;
}

/* The state after reading a part of a call that is written in several lines. */
struct rewrap_open {
	unsigned int depth; /* number of open '(' */
	bool in_quotes, has_closed, has_result;
};

static void rewrap_read_call(struct rewrap_open *o, struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (o->in_quotes) {
			i += s.p[i] == '\\';
			o->in_quotes = i >= s.len || s.p[i] != '"';
		} else if (s.p[i] == '"') {
			o->in_quotes = true;
		} else if (s.p[i] == '(') {
			o->depth++;
		} else if (s.p[i] == ')' && o->depth) {
			o->has_closed |= --o->depth == 0;
		} else if (s.p[i] == '=' && o->has_closed && o->depth == 0) {
			o->has_result |= i + 1 < s.len && s.p[i + 1] == ' ';
		}
	}
}

/*
 * Whether @s is text that may follow the number of a result: "ENOENT (No such file", "(Timeout)",
 * "<0.01>".
 */
static bool rewrap_is_result(struct str s)
{
	return (s.p[0] == '<' && str_ends(s, STR(">"))) || s.p[0] == '(' ||
	       (s.len > 2 && s.p[0] == 'E' && s.p[1] >= '0' && s.p[1] <= 'Z');
}

/*
 * The number of lines of the system call in line @i. A broken call extends to the line with its
 * result, ") = 0", and its time, "<0.000192>". 1: the call is not broken, or line @i has no call.
 */
static size_t rewrap_call_lines(const struct rewrap *r, size_t i)
{
	struct rewrap_open o = { .depth = 0 };
	struct str call = rewrap_call(r->l[i].text);
	size_t n = 1;

	if (call.len == 0 || r->l[i].text.len > REWRAP_CALL ||
	    str_ends(str_rtrim(call), STR("...>")))
		return 1;
	rewrap_read_call(&o, call);
	for (; n < REWRAP_PARTS && i + n < r->n; n++) {
		struct str next = str_trim(r->l[i + n].text);
		bool is_whole = o.has_result && o.depth == 0 && !o.in_quotes;

		/*
		 * stop at a line that begins another record: "[pid 12] <... read resumed>", "+++
		 * exited with 0 +++"
		 */
		if (!rewrap_may_follow(r, i + n) || rewrap_call(r->l[i + n].text).len ||
		    str_glob(STR("[pid *|<... *|+++ *|--- *|strace: *|* <... *|* +++ *|* --- *"),
			     next) ||
		    rewrap_fits(r, i + n, REWRAP_MAIL, 0) || (is_whole && !rewrap_is_result(next)))
			break;
		rewrap_read_call(&o, next);
	}
	return o.has_result && o.depth == 0 && !o.in_quotes ? n : 1;
}

static bool rewrap_is_candidate(const struct rewrap *r, size_t i)
{
	struct rewrap_shape s;

	if (str_rtrim(r->l[i].text).len < REWRAP_HEAD || r->l[i].text.len > REWRAP_WIDTH)
		return false;
	s = rewrap_shape_of(r->l[i].text);
	return s.numbers == 0 && s.words > 1;
}

static void rewrap_write(const struct rewrap *r, struct clean *ret, uint32_t *ret_first)
{
	*ret_first = 0;
	for (size_t i = 0; i < r->n; i++) {
		const struct rewrap_line *l = &r->l[i];

		if (!r->is_tail[i]) {
			clean_line(ret, l->text, l->original, l->depth);
			continue;
		}
		*ret_first = *ret_first ? *ret_first : l->original;
		clean_join(ret, STR(" "), 0);
		clean_join(ret, str_trim(l->text), 0);
	}
}

size_t rewrap(const struct rewrap_line *l, size_t n, struct clean *ret, uint32_t *ret_first)
{
	struct rewrap r = { .l = l, .n = n, .is_tail = xcalloc(n + 1, sizeof(bool)) };

	for (size_t i = 0; i < n;) {
		size_t lines = 0;

		if (rewrap_is_broken_bar(&r, i)) {
			r.is_tail[i + 1] = true;
			r.n_tails++;
			lines = 2;
		} else if ((lines = rewrap_call_lines(&r, i)) > 1) {
			for (size_t k = i + 1; k < i + lines; k++)
				r.is_tail[k] = true;
			r.n_tails += lines - 1;
		} else if (rewrap_is_broken_list(&r, i) || rewrap_is_broken_task(&r, i)) {
			r.is_tail[i + 1] = true;
			r.n_tails++;
			/* check the next line separately, because it may be broken, too */
			lines = 1;
		} else if (rewrap_is_candidate(&r, i)) {
			lines = rewrap_table(&r, i);
		}
		i += lines ? lines : 1;
	}
	if (r.n_tails)
		rewrap_write(&r, ret, ret_first);
	free(r.is_tail);
	return r.n_tails;
}
