/* SPDX-License-Identifier: MIT */
/* profile_text_find.c - find where a profile as text begins and ends */
#include "formats/profilers/profile_text.h"

#include "base/idmap.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/profile.h"
#include "core/symbols.h"
#include "formats/format.h"
#include "formats/profilers/text_dialects.h"

#define TEXT_GAP    4u /* maximum number of unknown lines between two rows */
#define TEXT_BLANKS 3u
/*
 * maximum number of other lines between two parts of a table, such as gprof's explanation of
 * columns
 */
#define TEXT_PART_GAP 48u
#define TEXT_MIN_ROWS 2u /* minimum number of rows of a table without titles */

const struct text_dialect *profile_text_alone(struct str line)
{
	struct text_row row;

	bool has_share = str_find_char(line, '%') < line.len;
	bool has_size = str_find(line, STR(": size=")) < line.len ||
			str_find(line, STR(" +")) < line.len ||
			str_find(line, STR(" times, avg ")) < line.len;
	size_t colon = str_find(line, STR(": "));
	/* "000.614: ", as vim --startuptime prints it */
	bool has_step = colon < line.len && colon >= 7 && line.p[colon - 4] == '.' &&
			char_is_digit(line.p[colon - 1]);

	if (!has_share && !has_size && !has_step)
		return NULL;
	for (size_t i = 0; i < text_n_dialects; i++) {
		const char *alone = text_dialects[i].alone;

		if (text_dialects[i].flags & DIALECT_ROWS &&
		    (alone ? (has_size || has_step || text_dialect_group(line)) &&
				     str_glob(str_of(alone), line)
			   : has_share) &&
		    text_row_of(&text_dialects[i], line, &row) &&
		    /*
		     * reject a name that starts with a digit: the row has more columns than the
		     * dialect, so another tool printed it
		     */
		    !(row.name.len && char_is_digit(row.name.p[0])) &&
		    /*
		     * numbers of samples are whole, so a row with a fraction is from another tool
		     */
		    (!(text_dialects[i].flags & DIALECT_SAMPLES) || row.self.half <= 0))
			return &text_dialects[i];
	}
	return NULL;
}

bool profile_text_edge(struct str line, struct str *ret_before, struct str *ret_name)
{
	size_t bar = str_find(line, STR("| "));

	if (bar == line.len || bar == 0)
		return false;
	*ret_before = str_rtrim(str_sub(line, 0, bar));
	*ret_name = str_trim(str_skip(line, bar + 2));
	return ret_name->len > 0 && ret_before->len > 0;
}

bool profile_text_is_row(const struct text_dialect *d, struct str line)
{
	struct text_row row;
	struct text_call call;
	struct str before, name;
	struct str t = str_trim(line);

	if (d->flags & DIALECT_NAMED)
		return profile_text_block_edge(line, &row.self_pct, &name);
	if (d->flags & DIALECT_TERMS)
		return profile_text_term(line, &row) != TERM_NONE;
	if (d->flags & DIALECT_STACKS)
		return t.len > 0 && t.len < 512;
	if (d->flags & DIALECT_EDGES && profile_text_edge(line, &before, &name))
		return text_dialect_amount(&before, &row.self);
	if (d->flags & DIALECT_GRAPH)
		return (str_starts(t, STR("[")) || (t.len && char_is_digit(t.p[0]))) &&
		       str_ends(t, STR("]"));
	return text_row_of(d, line, &row) || text_dialect_call(d, line, &call);
}

struct str profile_text_block_name(struct str above)
{
	struct str option = STR("--method ");
	struct str name = str_trim(above);
	size_t at = str_find(name, option);
	size_t paren = str_rfind_char(name, '(');

	if (at < name.len) {
		name = str_trim(str_skip(name, at + option.len));
		if (str_take(&name, STR("'")))
			return str_sub(name, 0, str_find_char(name, '\''));
		if (str_take(&name, STR("\"")))
			return str_sub(name, 0, str_find_char(name, '"'));
		return str_sub(name, 0, str_find_char(name, ' '));
	}
	if (str_ends(name, STR(")")) && paren > 0 && paren < name.len &&
	    str_find_char(str_skip(name, paren), ':') < name.len - paren)
		return str_rtrim(str_sub(name, 0, paren));
	return str_ends(name, STR(":")) ? STR_NONE : name;
}

bool profile_text_block_edge(struct str line, double *ret_part, struct str *ret_name)
{
	struct str rest = line;
	struct amount count;
	double pct;

	if (!text_dialect_amount(&rest, &count) || !str_starts(str_ltrim(rest), STR("(")) ||
	    !text_dialect_share(&rest, true, &pct, NULL))
		return false;
	*ret_part = pct / 100;
	*ret_name = str_trim(rest);
	return ret_name->len > 0 && ret_name->p[0] != '/' && ret_name->p[0] != '|';
}

struct text_scan {
	const struct text_dialect *dialect; /* NULL: no table has started */
	/*
	 * offset of the first line directly before the table that may describe the table, such as
	 * "Type: cpu"
	 */
	size_t preface;
	bool has_preface;
	size_t above; /* offset of the previous line; SIZE_MAX: that line is blank or unknown */
	bool has_head;
	bool wants_name; /* the name of the last row is on the next line */
	size_t rows;
	unsigned int others, blanks;
};

static bool text_is_whole(const struct text_scan *s)
{
	return s->dialect && s->rows && (s->has_head || s->rows >= TEXT_MIN_ROWS);
}

/*
 * Read a line with the titles of dialect @d. True: the line starts a table, or another part of the
 * current table. False: the line starts another table, so the current table ends.
 */
static bool text_scan_head(struct text_scan *s, const struct text_dialect *d, size_t at,
			   struct extent *ret)
{
	bool is_again = s->dialect && str_eq(str_of(d->name), str_of(s->dialect->name));
	/* in BSD, the flat profile follows the call graph and repeats its times */
	bool is_flat =
		s->dialect && s->dialect->flags & DIALECT_GRAPH && !(d->flags & DIALECT_GRAPH);
	bool is_part = is_again && d->flags & DIALECT_PARTS && !is_flat;

	if (s->dialect && s->rows && !is_part && !(d->flags & DIALECT_STACKS && s->dialect == d) &&
	    text_is_whole(s))
		return false;
	if (!s->dialect || (!s->rows && !is_again)) {
		*ret = (struct extent){ .from = s->has_preface ? s->preface : at,
					.score = 98,
					.name = d->name };
		if (d->flags & DIALECT_NAMED && s->above < at)
			ret->from = s->above;
		s->rows = 0;
	}
	s->dialect = d;
	s->has_head = true;
	return true;
}

/* Whether @t is a line of the index below a call graph of gprof or VTune: "[44]   ColorAccum". */
static bool text_is_index(struct str t)
{
	uint64_t number;

	if (str_eq(t, STR("Index by function name")) || str_glob(STR("Index *Function"), t))
		return true;
	return str_take(&t, STR("[")) && str_u64(&t, &number) && str_take(&t, STR("]  ")) &&
	       str_find_char(t, '[') == t.len;
}

/* Scan one line for a table. False: the table ended before @line. */
static bool text_scan_line(struct text_scan *s, struct str line, size_t at, size_t next,
			   struct extent *ret)
{
	struct str t = str_trim(line);
	const struct text_dialect *d = text_dialect_of_head(line);
	struct text_row row;

	/*
	 * the source lines that callgrind_annotate prints after its table belong to a listing, not
	 * to the table
	 */
	if (text_is_whole(s) &&
	    str_glob(STR("-- Auto-annotated source*|-- User-annotated source*"), t))
		return false;
	/* another event starts: its shares refer to another total */
	if (text_is_whole(s) && s->dialect->flags & DIALECT_EVENTS &&
	    str_glob(STR("*: * events in * seconds (* events/sec)"), t))
		return false;
	/* another group starts: its shares refer to another total */
	if (text_is_whole(s) && s->dialect->flags & DIALECT_GROUPS && text_dialect_group(line))
		return false;
	if (!d && !s->dialect) {
		d = profile_text_alone(line);
		if (d && text_scan_head(s, d, at, ret))
			s->has_head = false;
	} else if (d) {
		if (!text_scan_head(s, d, at, ret))
			return false;
		s->others = s->blanks = 0;
		if (d->flags & DIALECT_NAMED) {
			s->rows++;
			ret->to = next;
		}
		return true;
	}
	if (s->dialect && profile_text_is_row(s->dialect, line)) {
		s->rows++;
		ret->to = next;
		s->others = s->blanks = 0;
		s->wants_name = s->dialect->row[0] && text_row_of(s->dialect, line, &row) &&
				row.name.len == 0;
	} else if (s->dialect) {
		bool is_part = s->dialect->flags & DIALECT_PARTS;

		/*
		 * lines that belong to the table: a wrapped name, "(inline)", and a ruler directly
		 * after a row
		 */
		if (s->rows && t.len &&
		    (s->wants_name || str_eq(t, STR("(inline)")) ||
		     (str_starts(t, STR("-----")) && s->others == 0)))
			ret->to = next;
		s->wants_name = false;
		if (s->rows && s->dialect->flags & DIALECT_GRAPH && text_is_index(t)) {
			s->blanks = s->others = 0;
			ret->to = next;
			return true;
		}
		if (text_dialect_is_chain(s->dialect, t)) {
			s->blanks = s->others = 0;
			ret->to = s->rows ? next : ret->to;
			return true;
		}
		s->blanks += t.len == 0;
		s->others += t.len && !text_dialect_is_preface(t);
		return s->others <= (is_part ? TEXT_PART_GAP : TEXT_GAP) &&
		       s->blanks <= (is_part ? TEXT_PART_GAP : TEXT_BLANKS);
	} else if ((t.len == 0 && s->has_preface) || text_dialect_is_preface(t)) {
		s->preface = s->has_preface ? s->preface : at;
		s->has_preface = true;
		return true;
	}
	s->has_preface = false;
	return true;
}

bool profile_text_find(struct str text, size_t from, struct extent *ret)
{
	struct str rest = str_skip(text, from);
	struct text_scan s = { .above = SIZE_MAX };
	struct str line;
	size_t at = from;

	while (str_line(&rest, &line)) {
		size_t next = text.len - rest.len;

		if (!text_scan_line(&s, line, at, next, ret)) {
			if (text_is_whole(&s))
				return true;
			s = (struct text_scan){ .above = s.above };
			(void)text_scan_line(&s, line, at, next, ret);
		}
		s.above = str_trim(line).len ? at : SIZE_MAX;
		at = next;
	}
	return text_is_whole(&s);
}

unsigned int profile_text_probe(struct str head)
{
	struct extent e;

	if (!profile_text_find(head, 0, &e) || e.from >= 4096)
		return 0;
	/*
	 * return a low score if the text has V8's call tree: profile_tree.c must read this text,
	 * both the tree and the tables before the tree
	 */
	return str_contains(head, STR("ticks parent  name")) ? 40 : 85;
}
