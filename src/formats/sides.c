/* SPDX-License-Identifier: MIT */
#include "formats/sides.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "document/document.h"

#define SIDES_CAPTURES 64u
#define SIDES_BYTES    (4u << 20)
/* maximum number of non-blank lines from a mark, such as "before", up to its capture */
#define SIDES_LINES 8u
/*
 * Let a text have m lines about fixes and c lines with complaints. It is about a fix if m >
 * SIDES_MOSTLY * c, and about a regression if c > SIDES_MOSTLY * m.
 */
#define SIDES_MOSTLY 2u
#define SIDES_WORDS  24u /* maximum number of words in a line with a mark */

enum sides_mark {
	MARK_FIRST = 1 << 0,
	MARK_SECOND = 1 << 1,
	MARK_GOOD = 1 << 2,
	MARK_BAD = 1 << 3,
	MARK_SIDES = MARK_FIRST | MARK_SECOND,
	MARK_STATES = MARK_GOOD | MARK_BAD,
};

static const struct sides_word {
	const char *words; /* words or phrases, separated by '|' */
	unsigned int marks;
} sides_words[] = {
	{ "before|baseline|vanilla|base|old|without|unpatched|unmodified|original|parent|prior|w/o|"
	  "no patch|without patch|without the patch|not patched",
	  MARK_FIRST },
	{ "after|patched|with patch|with this patch|with the patch|with patches|with the fix|with "
	  "fix|"
	  "with this change|with the change|with this series|with this commit|new",
	  MARK_SECOND },
	{ "good|fast|healthy|ok|normal|working|fine", MARK_GOOD },
	{ "bad|slow|broken|culprit|regressed|degraded|unhealthy|problematic|slower|high load",
	  MARK_BAD },
};

/*
 * Words that judge the change, wherever they are in the text: the change is a fix (sides_mends), or
 * a regression (sides_complains).
 */
static const char sides_mends[] =
	"signed-off-by|this patch|this commit|this change|this series|optimize|optimise|speedup|"
	"speed up|improvement|improves|faster|reduces|reduce";
static const char sides_complains[] =
	"regression|regressed|regresses|bisect|bisected|upgrade|upgraded|upgrading|degraded|"
	"degradation|slower|worse";

/*
 * The lines from number `line` up to the line of the next struct sides_from are on the side `side`.
 */
struct sides_from {
	uint32_t line;
	enum capture_side side;
};

struct sides {
	unsigned int marks; /* enum sides_mark bits of the last line that has a mark */
	uint32_t line;      /* number of the line with `marks` */
	unsigned int lines; /* number of non-blank lines from line `line` on, including this line */
	/*
	 * mends: number of lines with words of sides_mends. complains: the same for sides_complains
	 */
	unsigned int mends, complains;
	bool is_change;    /* the text is a commit message */
	bool is_complaint; /* the subject of the commit message reports a regression */
	/* a line contains " regression of " or " improvement of ", as in reports of test robots */
	bool regression_of, improvement_of;
	/* the side of each range of lines, in order; the figures in these lines get this side */
	VEC(struct sides_from) parts;
};

static bool sides_is_word(char c)
{
	return char_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
	       c == '_' || c == '/';
}

/* Whether @line contains the word @word. Upper and lower case are equal. */
static bool sides_has_word(struct str line, struct str word)
{
	for (size_t i = 0; i + word.len <= line.len; i++) {
		if ((i == 0 || !sides_is_word(line.p[i - 1])) &&
		    (i + word.len == line.len || !sides_is_word(line.p[i + word.len])) &&
		    str_starts_nocase(str_skip(line, i), word))
			return true;
	}
	return false;
}

static bool sides_has(struct str line, const char *words)
{
	struct str rest = str_of(words);

	while (rest.len) {
		size_t bar = str_find_char(rest, '|');

		if (sides_has_word(line, str_sub(rest, 0, bar)))
			return true;
		rest = str_skip(rest, bar + 1);
	}
	return false;
}

/*
 * The marks (bits of enum sides_mark) that @line sets for the next capture. 0: no mark, or @line
 * has too many words for a title. "Before" and "after" in one line cancel each other; so do "good"
 * and "bad".
 */
static unsigned int sides_marks(struct str line)
{
	unsigned int marks = 0;
	unsigned int words = 0;
	struct str rest = line;
	struct str word;

	while (str_word(&rest, &word) && ++words <= SIDES_WORDS)
		;
	if (words > SIDES_WORDS)
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(sides_words); i++) {
		if (sides_has(line, sides_words[i].words))
			marks |= sides_words[i].marks;
	}
	if ((marks & MARK_SIDES) == MARK_SIDES)
		marks &= ~(unsigned int)MARK_SIDES;
	if ((marks & MARK_STATES) == MARK_STATES)
		marks &= ~(unsigned int)MARK_STATES;
	return marks;
}

/* Whether @line begins a commit message: "commit 1f2e…" or "Subject: [PATCH". */
static bool sides_is_commit(struct str line)
{
	uint64_t value;

	if (str_starts(line, STR("Subject:")))
		return str_starts(str_ltrim(str_skip(line, 8)), STR("[PATCH"));
	if (!str_take(&line, STR("commit ")) || line.len < 12)
		return false;
	line = str_sub(line, 0, 12);
	return str_hex64(&line, &value) && line.len == 0;
}

static enum capture_side sides_of_marks(unsigned int marks)
{
	return marks & MARK_FIRST ? SIDE_FIRST : marks & MARK_SECOND ? SIDE_SECOND : SIDE_NONE;
}

static void sides_line(struct sides *s, struct str line, uint32_t number)
{
	unsigned int marks;

	line = str_trim(line);
	if (line.len == 0)
		return;
	s->mends += sides_has(line, sides_mends);
	s->complains += sides_has(line, sides_complains);
	s->is_change |= sides_is_commit(line);
	s->is_complaint |=
		str_starts_nocase(line, STR("Subject:")) && sides_has(line, sides_complains);
	s->regression_of |= str_contains(line, STR(" regression of "));
	s->improvement_of |= str_contains(line, STR(" improvement of "));
	marks = sides_marks(line);
	s->lines++;
	/* a line with a mark replaces earlier marks, so the mark closest to a capture counts */
	if (marks == 0)
		return;
	s->marks = marks;
	s->line = number;
	s->lines = 1;
	*VEC_PUSH(&s->parts) = (struct sides_from){ number, sides_of_marks(marks) };
}

/* Set the side of each figure in c->facts. These figures come from the text around @c. */
static void sides_of_facts(const struct sides *s, struct capture *c)
{
	VEC_FOREACH (fact, &c->facts) {
		size_t low = 0, high = s->parts.len;

		/*
		 * after the loop, part low - 1 is the last part that begins at or before the fact's
		 * line
		 */
		while (low < high) {
			size_t mid = low + (high - low) / 2;

			if (s->parts.data[mid].line <= fact->line)
				low = mid + 1;
			else
				high = mid;
		}
		if (low && fact->line - s->parts.data[low - 1].line < SIDES_LINES)
			fact->side = (uint8_t)s->parts.data[low - 1].side;
	}
}

/*
 * Set side and state of @c from the marks of the last line that has a mark. @is_one: the text has
 * no other capture; then the side and state of @c are not set.
 */
static void sides_of_capture(struct sides *s, struct capture *c, bool is_one)
{
	if (!is_one && s->marks && s->lines <= SIDES_LINES) {
		c->side = sides_of_marks(s->marks);
		c->state = s->marks & MARK_BAD    ? STATE_BAD
			   : s->marks & MARK_GOOD ? STATE_GOOD
						  : STATE_UNKNOWN;
		c->side_line = s->line;
	}
	s->marks = 0;
	s->lines = 0;
	*VEC_PUSH(&s->parts) = (struct sides_from){ c->last_line, SIDE_NONE };
}

/*
 * If @c has a note "side", set the side from this note. Readers of tables with two profiles add the
 * note (profile_pair.h).
 */
static void sides_of_note(struct capture *c)
{
	struct str side = capture_note_of(c, STR("side"));

	if (side.len)
		c->side = str_eq(side, STR("after")) ? SIDE_SECOND : SIDE_FIRST;
}

/*
 * Decide from the whole text which side of the change is bad. The result is used only if no line
 * before a capture says good or bad.
 */
static enum capture_side sides_bad(const struct sides *s)
{
	if (s->regression_of != s->improvement_of)
		return s->regression_of ? SIDE_SECOND : SIDE_FIRST;
	if (s->is_change != s->is_complaint)
		return s->is_change ? SIDE_FIRST : SIDE_SECOND;
	if (s->mends > s->complains * SIDES_MOSTLY)
		return SIDE_FIRST;
	return s->complains > s->mends * SIDES_MOSTLY ? SIDE_SECOND : SIDE_NONE;
}

void sides_mark(struct dossier *d, const struct document *doc, size_t first)
{
	struct sides s = { .marks = 0 };
	size_t n = d->captures.len - first;
	size_t next = first;
	struct str text = doc->text;
	enum capture_side bad;
	bool has_state = false, has_facts = false;
	struct str line;

	for (size_t i = first; i < d->captures.len; i++)
		has_facts |= d->captures.data[i]->facts.len > 0;
	if (doc->is_binary || n == 0 || (n < 2 && !has_facts) || n > SIDES_CAPTURES ||
	    text.len > SIDES_BYTES)
		return;
	for (uint32_t clean = 1; str_line(&text, &line); clean++) {
		uint32_t number = document_line(doc, clean);

		while (next < d->captures.len && d->captures.data[next]->first_line <= number)
			sides_of_capture(&s, d->captures.data[next++], n == 1);
		if (next == first || d->captures.data[next - 1]->last_line < number)
			sides_line(&s, line, number);
	}
	for (size_t i = first; i < d->captures.len; i++)
		sides_of_facts(&s, d->captures.data[i]);
	VEC_FREE(&s.parts);
	if (n < 2)
		return;
	bad = sides_bad(&s);
	for (size_t i = first; i < d->captures.len; i++) {
		sides_of_note(d->captures.data[i]);
		has_state |= d->captures.data[i]->state != STATE_UNKNOWN;
	}
	for (size_t i = first; i < d->captures.len; i++) {
		struct capture *c = d->captures.data[i];

		if (!has_state && bad != SIDE_NONE && c->side != SIDE_NONE)
			c->state = c->side == bad ? STATE_BAD : STATE_GOOD;
	}
}
