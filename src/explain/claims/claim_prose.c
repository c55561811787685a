/* SPDX-License-Identifier: MIT */
/* claim_prose.c - find figures in prose; claim_said.c judges them */
#include "explain/claims/claim_prose.h"

#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/claims/claim_build.h"
#include "explain/claims/claim_judge.h"
#include "explain/claims/claim_prose_names.h"
#include "explain/facts.h"

#include <math.h>

#define PROSE_WORDS_MAX 400u /* maximum length of a sentence in words; a longer one is split */
#define PROSE_ABOUT     0.1  /* tolerance of "about": a tenth of the figure */
#define PROSE_NEAR      5u   /* maximum number of words between a name and its figure */
#define PROSE_SHOWN     160u /* maximum number of bytes that a claim quotes */
/* maximum number of words between a figure and a word that qualifies it: "about", "over" */
#define PROSE_HEDGE_BACK 3u

enum prose_kind { PROSE_WORD, PROSE_NAME, PROSE_FIGURE };

struct prose_word {
	struct str text;
	struct str name; /* for PROSE_NAME: the whole name of the function */
	uint32_t line;
	enum prose_kind kind;
	enum claim_unit unit; /* for PROSE_FIGURE: unit of the figure */
	double value;
	double half;   /* half of one unit of the last digit: 0.05 for "26.8" */
	double spread; /* for a range such as "3-4%": half of its width; 0: no range */
	bool is_signed;
	bool is_round;
	bool is_about;
	bool is_bracketed;
	bool is_closed; /* a closing bracket follows the word */
	/*
	 * A comma or a closing bracket follows the word. The next word then begins another item:
	 * "memcpy 12 %, read 9 %"
	 */
	bool is_cut;
	bool is_more, is_less; /* '>' or '<' precedes the figure, as in ">60%" */
	const char *end;       /* end of the figure in the text, after its unit */
	bool is_end;           /* the word is the last word of a sentence */
};

struct prose {
	struct facts *facts;
	struct claim_prose *ret;
	struct prose_names names;
	struct prose_word words[PROSE_WORDS_MAX];
	size_t n;
};

static const struct {
	const char *word;
	enum claim_unit unit;
	double factor;
} prose_units[] = {
	{ "%", CLAIM_PERCENT, 1 },    { "percent", CLAIM_PERCENT, 1 }, { "ns", CLAIM_NS, 1 },
	{ "us", CLAIM_NS, 1e3 },      { "usec", CLAIM_NS, 1e3 },       { "\u00b5s", CLAIM_NS, 1e3 },
	{ "\u03bcs", CLAIM_NS, 1e3 }, { "ms", CLAIM_NS, 1e6 },         { "msec", CLAIM_NS, 1e6 },
	{ "s", CLAIM_NS, 1e9 },       { "seconds", CLAIM_NS, 1e9 },    { "calls", CLAIM_NUMBER, 1 },
	{ "times", CLAIM_NUMBER, 1 }, { "samples", CLAIM_NUMBER, 1 },
};

static bool prose_is_one_of(struct str word, const char *const *words)
{
	for (; *words; words++) {
		if (str_eq_nocase(word, str_of(*words)))
			return true;
	}
	return false;
}

static bool prose_begins(struct str word, const char *const *words)
{
	for (; *words; words++) {
		if (str_starts_nocase(word, str_of(*words)))
			return true;
	}
	return false;
}

static bool prose_is_punctuation(char c)
{
	return c && strchr("`'\"*,;:!?()[]<>{}|~=", c);
}

/* After "3" of "3-4%", parse "-4%" and set the figure to the middle of the range. */
static void prose_take_range(struct prose_word *w, struct str *rest)
{
	struct str s = str_skip(*rest, 1);
	double to;

	if (!rest->len || rest->p[0] != '-' || !s.len || !char_is_digit(s.p[0]) ||
	    !str_double(&s, &to) || !isfinite(to) || to <= w->value)
		return;
	w->spread = (to - w->value) / 2;
	w->value += w->spread;
	*rest = s;
}

/*
 * Parse the number in "26.8%", "~27", "+5%" or "3-4%". @ret_rest: the text after the number, such
 * as the unit.
 */
static bool prose_is_number(struct str s, struct prose_word *w, struct str *ret_rest)
{
	struct str digits;
	size_t point;

	w->is_about = s.len && s.p[0] == '~';
	s = str_skip(s, w->is_about);
	w->is_signed = s.len && (s.p[0] == '+' || s.p[0] == '-');
	s = str_skip(s, w->is_signed);
	digits = s;
	if (!s.len || !char_is_digit(s.p[0]) || !str_double(&s, &w->value) || !isfinite(w->value))
		return false;
	digits.len -= s.len;
	point = str_find_char(digits, '.');
	w->half = 0.5 * pow(10, point < digits.len ? -(double)(digits.len - point - 1) : 0);
	w->is_round = point == digits.len && digits.len > 1 && digits.p[digits.len - 1] == '0';
	prose_take_range(w, &s);
	*ret_rest = s;
	return true;
}

static bool prose_take_unit(struct prose_word *w, struct str unit)
{
	while (unit.len &&
	       (prose_is_punctuation(unit.p[unit.len - 1]) || unit.p[unit.len - 1] == '.'))
		unit.len--;
	for (size_t i = 0; i < ARRAY_LEN(prose_units); i++) {
		if (!str_eq_nocase(unit, str_of(prose_units[i].word)))
			continue;
		w->unit = prose_units[i].unit;
		w->value *= prose_units[i].factor;
		w->half *= prose_units[i].factor;
		w->spread *= prose_units[i].factor;
		w->kind = PROSE_FIGURE;
		return true;
	}
	return false;
}

/* Add the word @raw to p->words, without punctuation before and after it. */
static void prose_add(struct prose *p, struct str raw, uint32_t line)
{
	struct prose_word *w = &p->words[p->n];
	struct str s = raw;
	struct str rest;
	bool is_code;

	*w = (struct prose_word){ .line = line, .end = raw.p + raw.len };
	while (s.len && s.p[0] != '~' && prose_is_punctuation(s.p[0])) {
		w->is_bracketed |= s.p[0] == '(';
		w->is_more |= s.p[0] == '>';
		w->is_less |= s.p[0] == '<';
		s = str_skip(s, 1);
	}
	while (s.len && (prose_is_punctuation(s.p[s.len - 1]) || s.p[s.len - 1] == '.')) {
		w->is_end |= strchr(".!?", s.p[s.len - 1]) != NULL;
		w->is_closed |= s.p[s.len - 1] == ')';
		w->is_cut |= strchr(",;:)", s.p[s.len - 1]) != NULL;
		s.len--;
	}
	/* DTrace prints MODULE`FUNCTION */
	if (str_find_char(s, '`') < s.len)
		s = str_skip(s, str_find_char(s, '`') + 1);
	is_code = str_find_char(raw, '`') < raw.len || str_contains(raw, STR("()"));
	w->text = s;
	if (prose_is_number(s, w, &rest)) {
		if (rest.len)
			(void)prose_take_unit(w, rest);
	} else if (p->n && p->words[p->n - 1].kind == PROSE_WORD &&
		   prose_is_number(p->words[p->n - 1].text, &p->words[p->n - 1], &rest) &&
		   rest.len == 0 && prose_take_unit(&p->words[p->n - 1], s)) {
		p->words[p->n - 1].is_end = w->is_end;
		p->words[p->n - 1].is_closed = w->is_closed;
		p->words[p->n - 1].is_cut = w->is_cut;
		p->words[p->n - 1].end = s.p + s.len;
		return; /* @s is the unit of the previous word, not a word of its own */
	} else if (prose_names_find(&p->names, s, is_code, &rest)) {
		w->kind = PROSE_NAME;
		w->name = rest;
	}
	p->n++;
}

/*
 * If a bracket begins at word @i, as in "96 % of the heap (3.4 GB)", return the index of the word
 * after the bracket. Otherwise return @i.
 */
static size_t prose_skip_bracket(const struct prose *p, size_t i)
{
	size_t end = i;

	if (i >= p->n || !p->words[i].is_bracketed)
		return i;
	while (end < p->n && p->words[end].kind != PROSE_NAME && !p->words[end].is_closed)
		end++;
	return end < p->n && p->words[end].kind != PROSE_NAME ? end + 1 : i;
}

/*
 * Whether the figure at @at is an item of a list, such as "memcpy 12 %, read 9 % under main". The
 * figure is then about the name directly before it.
 */
static bool prose_is_item(const struct prose *p, size_t at)
{
	static const char *const ends[] = { "+", "under", "below", "-", "<-", NULL };

	return at > 0 && p->words[at - 1].kind == PROSE_NAME && !p->words[at - 1].is_cut &&
	       (p->words[at].is_cut ||
		(at + 1 < p->n && prose_is_one_of(p->words[at + 1].text, ends)));
}

/*
 * Index of the word that the figure at @at is about: "memcpy" for "12 % of CPU time in memcpy".
 * This is the first word after the figure that is no connecting word. *@ret_is_of: a connecting
 * word such as "in" shows that the figure is about this word.
 */
static size_t prose_object(const struct prose *p, size_t at, bool *ret_is_of)
{
	static const char *const words[] = { "of",   "the",  "spent", "is",      "was",
					     "are",  "cpu",  "time",  "cycles",  "from",
					     "to",   "all",  "goes",  "were",    "total",
					     "our",  "its",  "",      "samples", "function",
					     "heap", "self", "spend", "objects", "allocations",
					     NULL };
	static const char *const places[] = { "in",      "by", "inside", "within", "under", "below",
					      "calling", "at", "on",     "for",    NULL };
	static const char *const machine[] = { "all",   "this", "my",    "each",
					       "every", "one",  "total", NULL };
	size_t i = at + 1;

	*ret_is_of = false;
	/* "8.2 %, istream::get 5.7 %": the name after the comma is the next item of a list */
	if (p->words[at].is_cut && at > 0 && p->words[at - 1].kind == PROSE_NAME)
		return p->n;
	while (i < p->n && p->words[i].kind == PROSE_WORD) {
		bool is_place = prose_is_one_of(p->words[i].text, places);

		/* "3 % on all cores", "3 times in this run" are not about "cores" and "run" */
		if (is_place && i + 1 < p->n && prose_is_one_of(p->words[i + 1].text, machine))
			return p->n;
		if (!is_place && !prose_is_one_of(p->words[i].text, words))
			break;
		*ret_is_of |= is_place;
		i = prose_skip_bracket(p, i + 1);
	}
	return i;
}

/*
 * Index of the name in "12 % of the time of this benchmark is spent in memcpy"; SIZE_MAX: no such
 * name. @at: the figure.
 */
static size_t prose_spent_in(const struct prose *p, size_t at)
{
	static const char *const verbs[] = { "spent",     "spend", "wasted",  "lost", "declared",
					     "allocated", "made",  "created", NULL };
	size_t i = at + 1;

	while (i < p->n && p->words[i].kind == PROSE_WORD)
		i++;
	return i < p->n && p->words[i].kind == PROSE_NAME && i > at + 2 &&
			       str_eq_nocase(p->words[i - 1].text, STR("in")) &&
			       prose_is_one_of(p->words[i - 2].text, verbs)
		       ? i
		       : SIZE_MAX;
}

/*
 * Whether the figure at @i and the next figure are about the same name: "NAME took 12 samples,
 * which was 3 %", "NAME is 7 % self / 8 % total", "NAME 28 % + 9 %".
 */
static bool prose_is_restated(const struct prose *p, size_t i)
{
	static const char *const joins[] = { "which", "/", "+", NULL };
	static const char *const columns[] = { "self", "total", "children", "flat", "cum", NULL };

	if (p->words[i].kind != PROSE_FIGURE)
		return false;
	i++;
	/* skip the word between the two figures: "self", or the name of the thread */
	if (i + 1 < p->n && p->words[i].kind == PROSE_WORD &&
	    (prose_is_one_of(p->words[i].text, columns) || str_eq(p->words[i + 1].text, STR("+"))))
		i++;
	return i < p->n && prose_is_one_of(p->words[i].text, joins);
}

/*
 * Take words directly before the figures of a list as names: "kfree 4 %, sentry 3 %". Here, even an
 * English word is a name if a function has this name.
 */
static void prose_items(struct prose *p)
{
	static const char *const ends[] = { "+", "/", "under", "below", NULL };
	struct str name;

	for (size_t i = 1; i < p->n; i++) {
		struct prose_word *w = &p->words[i - 1];
		const struct prose_word *figure = &p->words[i];

		if (figure->kind == PROSE_FIGURE && figure->unit == CLAIM_PERCENT &&
		    w->kind == PROSE_WORD && !w->is_cut && !w->is_end &&
		    (figure->is_cut || figure->is_end ||
		     (i + 1 < p->n && prose_is_one_of(p->words[i + 1].text, ends))) &&
		    prose_names_find(&p->names, w->text, true, &name)) {
			w->kind = PROSE_NAME;
			w->name = name;
		}
	}
}

/*
 * Index of the name before the figure at @at, as in "memcpy takes 12 %". SIZE_MAX: none. Between
 * name and figure there must be no other name, no figure about something else, and no word such as
 * "and".
 */
static size_t prose_subject(const struct prose *p, size_t at)
{
	static const char *const breaks[] = { "and", "while", "but", "whereas", "or", NULL };
	size_t i = at;

	while (i > 0 && at - i < PROSE_NEAR &&
	       (p->words[i - 1].kind == PROSE_WORD || prose_is_restated(p, i - 1)) &&
	       !prose_is_one_of(p->words[i - 1].text, breaks))
		i--;
	if (i == 0 || p->words[i - 1].kind != PROSE_NAME)
		return SIZE_MAX;
	i--;
	/* in "f and g take 12 %", the figure is not about g alone */
	if (i > 1 && prose_is_one_of(p->words[i - 1].text, breaks) &&
	    p->words[i - 2].kind == PROSE_NAME)
		return SIZE_MAX;
	return i;
}

/* Index of the name that the figure at @at is about; SIZE_MAX: none. */
static size_t prose_name_of(const struct prose *p, size_t at)
{
	bool is_of;
	size_t object, spent_in;

	if (prose_is_item(p, at))
		return at - 1;
	object = prose_object(p, at, &is_of);
	if (object < p->n && p->words[object].kind == PROSE_NAME)
		return object;
	/*
	 * is_of is set, but the word is not a name: the text names a function that no capture has,
	 * as in "12 % in memset"
	 */
	spent_in = prose_spent_in(p, at);
	if (spent_in != SIZE_MAX || (is_of && object < p->n))
		return spent_in;
	return prose_subject(p, at);
}

static bool prose_is_compared(const struct prose *p)
{
	static const char *const words[] = {
		"before", "after",    "from",     "faster",  "slower",    "improv",  "reduc",
		"drop",   "decreas",  "increas",  "regress", "compar",    "versus",  "vs",
		"patch",  "instead",  "previous", "old",     "new",       "gain",    "save",
		"saving", "down",     "would",    "expect",  "baseline",  "without", "respectively",
		"each",   "together", "combined", "not",     "never",     "doesn",   "isn",
		"didn",   "every",    "interval", "timeout", "threshold", "if",      "should",
		"could",  "might",    "diff",     NULL
	};
	bool is_compared = false;

	for (size_t i = 0; i < p->n; i++)
		is_compared |= prose_begins(p->words[i].text, words);
	return is_compared;
}

/*
 * Whether a verb such as "took" or "costs" is among the words between @from and @to. Only then is a
 * time in the text a duration of the function. (The name of a function, "run_queue", is no verb.)
 */
static bool prose_takes(const struct prose *p, size_t from, size_t to)
{
	static const char *const words[] = { "tak", "took", "last", "spen", "cost", "run", NULL };
	bool takes = false;

	for (size_t i = from + 1; i < to; i++)
		takes |= prose_begins(p->words[i].text, words);
	return takes;
}

static void prose_hedge(const struct prose *p, size_t at, struct claim_said *said)
{
	static const char *const about[] = { "about",  "around", "roughly", "approximately",
					     "some",   "nearly", "almost",  "ca",
					     "approx", "circa",  NULL };
	static const char *const low[] = { "over", "more", "least", "above", "exceeds", NULL };
	static const char *const high[] = { "under", "below", "less", "most", "up", NULL };
	const struct prose_word *w = &p->words[at];
	size_t from = at > PROSE_HEDGE_BACK ? at - PROSE_HEDGE_BACK : 0;
	bool is_about = w->is_about;

	said->is_hedged_low = w->is_more;
	said->is_hedged_high = w->is_less;

	for (size_t i = from; i < at; i++) {
		is_about |= prose_is_one_of(p->words[i].text, about);
		said->is_hedged_low |= prose_is_one_of(p->words[i].text, low);
		said->is_hedged_high |= prose_is_one_of(p->words[i].text, high);
	}
	said->tolerance = w->half + w->spread;
	if (is_about)
		said->tolerance = fmax(said->tolerance, PROSE_ABOUT * w->value);
	said->digit = w->spread > 0 ? 0 : 2 * w->half;
	said->is_round = w->is_round && w->spread == 0;
}

static void prose_say(struct prose *p, size_t at, size_t name)
{
	const struct prose_word *w = &p->words[at];
	const struct prose_word *first = name < at ? &p->words[name] : w;
	const struct prose_word *last = name < at ? w : &p->words[name];
	struct str span = { first->text.p, (size_t)(last->end - first->text.p) };
	struct out text = { .fd = -1 };
	struct claim_said *said;

	if (p->ret->said.len >= CLAIM_PROSE_MAX)
		return;
	said = VEC_PUSH(&p->ret->said);
	*said = (struct claim_said){ .value = w->value, .line = w->line };
	/*
	 * "memcpy 12 %" may be a row of a quoted table with unknown columns. The claim can then be
	 * judged true or cannot tell, but not false
	 */
	said->is_compared = w->is_signed || prose_is_compared(p) ||
			    (first + 1 == last && !w->is_bracketed) ||
			    (w->unit == CLAIM_NS &&
			     !prose_takes(p, name < at ? name : at, name < at ? at : name));
	/* after "+", the figure may be about something else: "NAME 28 % + 9 %" */
	for (size_t i = name; i < at; i++)
		said->is_compared |= str_eq(p->words[i].text, STR("+"));
	prose_hedge(p, at, said);
	out_printf(&text, "line %u: ", w->line);
	for (size_t i = 0; i < span.len && i < PROSE_SHOWN; i++)
		out_char(&text, char_is_space(span.p[i]) ? ' ' : span.p[i]);
	said->claim = (struct claim){ .text = arena_str(&p->ret->arena, out_view(&text)),
				      .target = CLAIM_OF_FUNCTION,
				      .name = arena_str(&p->ret->arena, p->words[name].name),
				      .unit = w->unit };
	out_fini(&text);
}

static void prose_sentence(struct prose *p)
{
	prose_items(p);
	for (size_t i = 0; i < p->n; i++) {
		size_t name = p->words[i].kind == PROSE_FIGURE ? prose_name_of(p, i) : SIZE_MAX;

		if (name != SIZE_MAX)
			prose_say(p, i, name);
	}
	p->n = 0;
}

/* Whether line @line of @path belongs to a capture. It is then data, not prose. */
static bool prose_is_data(const struct prose *p, struct str path, uint32_t line)
{
	const struct dossier *d = p->facts->dossier;

	VEC_FOREACH (in, &d->inputs) {
		if (!str_eq(strings_get(&d->strings, in->path), path))
			continue;
		VEC_FOREACH (region, &in->regions) {
			if (region->capture != INDEX_NONE && line >= region->first_line &&
			    line <= region->last_line)
				return true;
		}
	}
	return false;
}

/*
 * Return @line without the '>' of quoted mail. Empty: the line is not prose, but part of a table, a
 * patch or a tree.
 */
static struct str prose_line(struct str line)
{
	struct str s = str_trim(line);

	while (s.len && s.p[0] == '>')
		s = str_ltrim(str_skip(s, 1));
	if (s.len && strchr("+@|", s.p[0]))
		return STR_NONE;
	for (size_t i = 0; i < s.len; i++) {
		bool is_gap = i > 0 && i + 1 < s.len && char_is_blank(s.p[i]) &&
			      char_is_blank(s.p[i + 1]) && !strchr(".:?!,", s.p[i - 1]);
		bool is_sum = i + 1 < s.len && s.p[i + 1] == '=' && strchr("<=>", s.p[i]);

		if (is_gap || is_sum || s.p[i] == '|' || s.p[i] == '\t' ||
		    (i + 1 < s.len && s.p[i] == '-' && s.p[i + 1] == '-'))
			return STR_NONE;
	}
	return s;
}

void claim_prose_judge(struct facts *f, struct str text, struct str path, struct claim_prose *ret)
{
	struct prose *p = xcalloc(1, sizeof(*p));
	bool is_fenced = false;
	uint32_t number = 0;
	struct str line;

	*ret = (struct claim_prose){ .said = VEC_INIT };
	p->facts = f;
	p->ret = ret;
	prose_names_init(&p->names, f);
	while (str_line(&text, &line)) {
		struct str word;
		char line_end;
		bool is_fence = str_starts(str_ltrim(line), STR("```"));

		number++;
		is_fenced ^= is_fence;
		line = prose_line(line);
		if (is_fence || is_fenced || !line.len || prose_is_data(p, path, number)) {
			prose_sentence(p);
			continue;
		}
		line_end = line.p[line.len - 1];
		while (str_word(&line, &word)) {
			if (p->n == PROSE_WORDS_MAX)
				prose_sentence(p);
			prose_add(p, word, number);
			if (p->n && p->words[p->n - 1].is_end)
				prose_sentence(p);
		}
		/*
		 * a line that ends in ':' introduces a list or quotation: the sentence ends with
		 * it
		 */
		if (line_end == ':')
			prose_sentence(p);
	}
	prose_sentence(p);
	prose_names_fini(&p->names);
	free(p);
	ret->results = xcalloc(ret->said.len + 1, sizeof(*ret->results));
	for (size_t i = 0; i < ret->said.len; i++)
		claim_said_judge(f, &ret->said.data[i], &ret->results[i]);
}

void claim_prose_fini(struct claim_prose *p)
{
	VEC_FREE(&p->said);
	free(p->results);
	arena_fini(&p->arena);
}
