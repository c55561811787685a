/* SPDX-License-Identifier: MIT */
/* folded_line.c - parse a line of folded stacks, and find such lines */
#include "formats/exchange/folded.h"

#include "base/str.h"
#include "formats/format.h"

#define FOLDED_HEAD_BYTES 65536u
#define FOLDED_HEAD_LINES 256u
/*
 * Maximum number of ';' in one frame. A function of the JVM has at most 255 parameters, and the
 * class name of a parameter ends with ';'.
 */
#define FOLDED_INNER 300u
/* maximum number of consecutive lines of other kinds between two folded stacks */
#define FOLDED_GAP_LINES 3u

bool folded_is_comment(struct str line)
{
	line = str_ltrim(line);
	return line.len == 0 || line.p[0] == '#' || str_starts(line, STR("//"));
}

/* Parse the count @s. False: @s is not a count, or has other text after it. */
static bool folded_count(struct str s, struct folded_count *ret)
{
	struct folded_count c = { 0 };

	if (!str_u64(&s, &c.value))
		return false;
	if (s.len && s.p[0] == '.') {
		s = str_skip(s, 1);
		while (s.len && s.p[s.len - 1] == '0')
			s.len--;
		for (; s.len && char_is_digit(s.p[0]); s = str_skip(s, 1)) {
			if (c.decimals == FOLDED_DECIMALS) {
				c.is_cut = true;
				continue;
			}
			if (__builtin_mul_overflow(c.value, 10, &c.value) ||
			    __builtin_add_overflow(c.value, (uint64_t)(s.p[0] - '0'), &c.value))
				return false;
			c.decimals++;
		}
	}
	*ret = c;
	return s.len == 0;
}

/*
 * Remove the count after the last blank of @s, and the blanks before the count, from @s. False: @s
 * has no count.
 */
static bool folded_take_count(struct str *s, struct folded_count *ret)
{
	size_t n = s->len;

	while (n && !char_is_blank(s->p[n - 1]))
		n--;
	if (n < 2 || !folded_count(str_skip(*s, n), ret))
		return false;
	while (n && char_is_blank(s->p[n - 1]))
		n--;
	s->len = n;
	return n > 0;
}

bool folded_split(struct str line, unsigned int n_counts, struct folded_line *ret)
{
	struct folded_line l = { .frames = str_rtrim(line) };

	if (!folded_take_count(&l.frames, &l.counts[n_counts - 1]))
		return false;
	if (n_counts == 2 && !folded_take_count(&l.frames, &l.counts[0]))
		return false;
	*ret = l;
	return true;
}

static bool folded_is_class_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || char_is_digit(c) || c == '_' ||
	       c == '$' || c == '/' || c == '-';
}

/*
 * Whether the bytes [from, to) of @s are a list of JVM type descriptors. The last descriptor must
 * be a class name without its ';', which is at @to: "ILjava/lang/String".
 */
static bool folded_is_descriptor(struct str s, size_t from, size_t to)
{
	while (from < to) {
		if (s.p[from] == '[' || strchr("BCDFIJSZV", s.p[from])) {
			from++;
			continue;
		}
		if (s.p[from] != 'L')
			return false;
		for (from++; from < to && folded_is_class_char(s.p[from]);)
			from++;
		if (from == to)
			return true;
		if (s.p[from] != ';')
			return false;
		from++;
	}
	return false;
}

/*
 * Whether the ';' at offset @semi is inside the frame that starts at offset @at, and does not end
 * it.
 */
static bool folded_is_inner(struct str s, size_t at, size_t semi)
{
	char next = semi + 1 < s.len ? s.p[semi + 1] : ' ';
	struct str frame = str_sub(s, at, semi);
	size_t open;
	size_t close;

	/* a class name precedes: LFoo;::bar or LFoo;.bar */
	if (s.p[at] == 'L' && (next == ':' || next == '.')) {
		size_t i = at;

		while (i < semi && folded_is_class_char(s.p[i]))
			i++;
		if (i == semi)
			return true;
	}
	open = str_rfind_char(frame, '(');
	if (open == frame.len)
		return false;
	close = str_rfind_char(frame, ')');
	/* inside the types of parameters, the ';' ends a class name: a(ILFoo;I)V */
	if (close == frame.len || close < open)
		return folded_is_descriptor(s, at + open + 1, semi);
	/*
	 * in a return type, the ';' ends a class name: a()LFoo;; or a()LFoo; at the end of the line
	 */
	return (next == ';' || next == ' ') && close + 1 < frame.len &&
	       folded_is_descriptor(s, at + close + 1, semi);
}

size_t folded_frame_end(struct str frames, size_t at)
{
	size_t from = at;

	for (size_t n = 0;; n++) {
		size_t semi = from + str_find_char(str_skip(frames, from), ';');

		if (semi >= frames.len)
			return frames.len;
		if (n == FOLDED_INNER || !folded_is_inner(frames, at, semi))
			return semi;
		from = semi + 1;
	}
}

unsigned int folded_n_counts(struct str text)
{
	size_t n = 0;
	size_t two = 0;
	struct str line;

	text = str_sub(text, 0, FOLDED_HEAD_BYTES);
	while (n < FOLDED_HEAD_LINES && str_line(&text, &line)) {
		struct folded_line l;

		if (folded_is_comment(line) || !folded_split(line, 1, &l))
			continue;
		n++;
		two += folded_split(line, 2, &l);
	}
	return n && two * 10 >= n * 9 ? 2 : 1;
}

/* Properties of a line, from which folded stacks are recognised. */
struct folded_look {
	struct str root;
	bool is_line;  /* the line has a stack and a count */
	bool is_stack; /* the line has two frames or more */
	bool is_deep;  /* the line has at least five frames, which is rare in prose and code */
};

/*
 * Whether @frames, a line without its last count, is a row of a table: it has a tab, and the text
 * after the first tab is not just one more count. For example, VTune and spreadsheets print a row
 * of source code as "13<TAB>sum += a[i];<TAB>8.2s<TAB>820". Tools that write folded stacks print no
 * tab in a frame.
 */
static bool folded_has_cells(struct str frames)
{
	size_t tab = str_find_char(frames, '\t');
	struct folded_count count;

	return tab < frames.len && !folded_count(str_ltrim(str_skip(frames, tab)), &count);
}

static struct folded_look folded_look(struct str line)
{
	struct folded_look look = { .root = STR_NONE };
	struct folded_line l;
	size_t letters = 0;
	size_t frames = 1;
	size_t semi;

	if (line.len == 0 || char_is_blank(line.p[0]) || folded_is_comment(line) ||
	    !folded_split(line, 1, &l) || folded_has_cells(l.frames))
		return look;
	semi = str_find_char(l.frames, ';');
	look.root = str_sub(l.frames, 0, semi);
	for (size_t i = 0; i < l.frames.len; i++) {
		char c = l.frames.p[i];

		letters += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80);
		frames += c == ';';
		/* an empty frame, or a blank after ';', is a sign of code or prose */
		if (c == ';' && (i == 0 || (i + 1 < l.frames.len && l.frames.p[i + 1] == ' ')))
			return look;
	}
	look.is_line = letters > 0;
	look.is_stack = look.is_line && semi < l.frames.len && l.frames.p[l.frames.len - 1] != ';';
	look.is_deep = look.is_stack && frames >= 5;
	return look;
}

struct folded_seen {
	size_t n_stacks;
	size_t n_deep;
	size_t n_single; /* lines with a single frame */
	size_t n_other;
	size_t n_joined; /* stacks with the same outermost frame as the previous stack */
};

static unsigned int folded_score(const struct folded_seen *s)
{
	unsigned int score;

	if (s->n_stacks == 0)
		return 0;
	if (s->n_stacks >= 3)
		score = s->n_joined * 3 >= s->n_stacks || s->n_deep * 3 >= s->n_stacks ? 95 : 80;
	else if (s->n_deep == s->n_stacks)
		score = s->n_stacks == 2 ? 92 : 75;
	else
		score = s->n_joined ? 70 : 50;
	if (s->n_single > s->n_stacks)
		score -= 20;
	return s->n_other * 3 > s->n_stacks + s->n_single ? score / 2 : score;
}

static void folded_see(struct folded_seen *seen, const struct folded_look *look, struct str *last)
{
	if (look->is_stack) {
		seen->n_joined += str_eq(*last, look->root);
		*last = look->root;
		seen->n_stacks++;
		seen->n_deep += look->is_deep;
	} else {
		seen->n_single++;
	}
}

unsigned int folded_probe(struct str head)
{
	struct folded_seen seen = { 0 };
	struct str last = STR_NONE;
	struct str line;
	bool is_cut = head.len >= FOLDED_HEAD_BYTES;
	size_t n = 0;

	(void)str_take(&head, STR("\xef\xbb\xbf"));
	while (n < FOLDED_HEAD_LINES && str_line(&head, &line)) {
		struct folded_look look = folded_look(line);

		if (is_cut && head.len == 0)
			break;
		n++;
		if (look.is_line)
			folded_see(&seen, &look, &last);
		else
			seen.n_other += !folded_is_comment(line);
	}
	return folded_score(&seen);
}

bool folded_find(struct str text, size_t from, struct extent *ret)
{
	struct str rest = str_skip(text, from);
	struct folded_seen seen = { 0 };
	struct str last = STR_NONE;
	struct str line;
	size_t start = text.len;
	/* offset of the comment lines that directly precede the stacks */
	size_t comment = text.len;
	size_t good = 0;
	size_t gap = 0;
	bool is_next = false; /* the previous line was a stack */

	for (;;) {
		size_t at = (size_t)(rest.p - text.p);
		struct folded_look look;

		if (!rest.p || !str_line(&rest, &line))
			break;
		look = folded_look(line);
		/*
		 * prose may end with a number, too, so a line with one frame is not always a stack.
		 * The line is a stack if the previous line was a stack, or if its frame is the
		 * outermost frame of the last stack
		 */
		if (look.is_stack ||
		    (look.is_line && start < text.len && (is_next || str_eq(look.root, last)))) {
			if (start == text.len)
				start = comment < at ? comment : at;
			folded_see(&seen, &look, &last);
			good = (size_t)(rest.p - text.p);
			seen.n_other += gap;
			gap = 0;
			is_next = true;
		} else if (folded_is_comment(line)) {
			is_next = false;
			if (line.len && line.p[0] == '#' && comment == text.len)
				comment = at;
			if (line.len && line.p[0] == '#' && good && gap == 0)
				good = (size_t)(rest.p - text.p);
		} else {
			comment = text.len;
			is_next = false;
			if (start == text.len || ++gap <= FOLDED_GAP_LINES)
				continue;
			if (folded_score(&seen) >= 50 && seen.n_stacks >= 2)
				break;
			memset(&seen, 0, sizeof(seen));
			start = text.len;
			good = 0;
			gap = 0;
		}
	}
	if (start == text.len || folded_score(&seen) == 0)
		return false;
	*ret = (struct extent){ .from = start, .to = good, .score = folded_score(&seen) };
	return true;
}
