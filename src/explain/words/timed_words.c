/* SPDX-License-Identifier: MIT */
#include "explain/words/timed_words.h"

#include "base/number.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/timed_words_names.h"

#include <math.h>

/* minimum number of calls of __hash__; with fewer calls, hash collisions are not reported */
#define TIMED_HASHES 100.0
/* A good hash needs at most one comparison per look-up. With at least this number, keys collide. */
#define TIMED_COLLISIONS 5.0
/*
 * A function that waits for other threads is the reason for a wait if its time with callees is at
 * least this part (0 to 1) of the time of the wait.
 */
#define TIMED_WAIT_PART 0.5

/* The number at the start of @s. It may have commas between groups of three digits. */
static double timed_number(struct str s)
{
	double ret;

	if (!str_double(&s, &ret))
		return 0;
	while (s.len > 3 && s.p[0] == ',' && char_is_digit(s.p[1]) && char_is_digit(s.p[2]) &&
	       char_is_digit(s.p[3]) && (s.len == 4 || !char_is_digit(s.p[4]))) {
		ret = ret * 1000 + (s.p[1] - '0') * 100 + (s.p[2] - '0') * 10 + (s.p[3] - '0');
		s = str_skip(s, 4);
	}
	return ret;
}

double timed_words_calls(const struct rule_input *in, const struct fact_function *fn)
{
	const struct profile_table *t = &in->capture->profile->table;
	double calls;

	if (!t->extra_columns.len)
		return 0;
	VEC_FOREACH (row, &t->rows) {
		struct str cell;

		if (row->sym.v != fn->sym.v || row->extra == INDEX_NONE)
			continue;
		cell = strings_get(capture_strings(in->capture), t->extra_cells.data[row->extra]);
		calls = timed_number(cell);
		return calls > 0 ? calls : 0;
	}
	return 0;
}

const char *timed_words_in_calls(struct findings *out, const struct rule_input *in,
				 const struct fact_function *fn, double ns, const char *call)
{
	double calls = timed_words_calls(in, fn);

	if (calls < 1 || ns <= 0)
		return "";
	if (calls < 2)
		return finding_name(out, ", in 1 %s", call);
	return finding_name(out, ", in %s %ss of %s", finding_count(out, calls), call,
			    finding_duration(out, number_whole(round(ns / calls))));
}

/* The function @word in the same file as the function @name, "routes.py:6(__eq__)"; NULL: none. */
static const struct fact_function *timed_of_file(const struct rule_input *in, struct str name,
						 struct str word)
{
	struct str file = str_sub(name, 0, str_find_char(name, ':') + 1);

	VEC_FOREACH (fn, &in->profile->functions) {
		struct str other = facts_name(in->facts, fn->sym);

		if (str_starts(other, file) && str_ends(other, word))
			return fn;
	}
	return NULL;
}

/* Do methods of dict or set spend time in their callees? Such callees compare and hash keys. */
static bool timed_has_lookups(const struct rule_input *in, const struct fact_function *eq)
{
	VEC_FOREACH (fn, &in->profile->functions) {
		if (str_glob(STR("*' of 'dict' objects}|*' of 'set' objects}"),
			     facts_name(in->facts, fn->sym)) &&
		    fn->children - fn->self > eq->self / 10)
			return true;
	}
	return false;
}

/*
 * Set claim and cause if keys have hash collisions, that is, if there are many calls of __eq__ for
 * each call of __hash__. After a collision, a look-up in a dict or set compares the key with many
 * other keys.
 */
static bool timed_collisions(const struct rule_input *in, struct findings *out, struct finding *f,
			     const struct fact_function *eq)
{
	const struct fact_function *hash =
		timed_of_file(in, facts_name(in->facts, eq->sym), STR("(__hash__)"));
	double compared = timed_words_calls(in, eq);
	double hashed = hash ? timed_words_calls(in, hash) : 0;

	if (hashed < TIMED_HASHES || compared < hashed * TIMED_COLLISIONS)
		return false;
	finding_claim(out, f, STR_FMT ", with %.0f comparisons for each hash", STR_ARG(f->claim),
		      compared / hashed);
	finding_figure(f, "comparisons per hash", compared / hashed, 0, "");
	finding_evidence(out, f, in, hash->line, "%.0f calls of __hash__, %.0f of __eq__", hashed,
			 compared);
	finding_usual_cause(out, f,
			    "Hash collisions: %.0f comparisons for each hash. A dict or set then "
			    "compares a key with many others, as in a list%s",
			    compared / hashed,
			    timed_has_lookups(in, eq)
				    ? ""
				    : ". (Or lists are searched with 'in', which compares, too)");
	finding_because(out, f,
			"calls are counted\n"
			"the hash values");
	finding_next(
		out, f,
		"print(len(keys), len({hash(k) for k in keys})): far fewer hashes than keys? "
		"Then let __hash__ return hash() of a tuple of all fields that __eq__ compares");
	return true;
}

/*
 * The heaviest function that waits for other threads (TIMED_WAITERS). Its time with callees is at
 * least TIMED_WAIT_PART of the self time of @wait. NULL: none.
 */
static const struct fact_function *timed_waiter(const struct rule_input *in,
						const struct fact_function *wait)
{
	const struct fact_function *best = NULL;

	VEC_FOREACH (fn, &in->profile->functions) {
		if (fn->children >= wait->self * TIMED_WAIT_PART &&
		    (!best || fn->children > best->children) &&
		    str_glob(STR(TIMED_WAITERS), facts_name(in->facts, fn->sym)))
			best = fn;
	}
	return best;
}

/*
 * If the profiled thread waits for other threads, rewrite the claim: cProfile does not record those
 * threads. False: the thread does not wait for others.
 */
static bool timed_others(const struct rule_input *in, struct findings *out, struct finding *f,
			 const struct fact_function *wait)
{
	const struct fact_function *by = timed_waiter(in, wait);

	if (!by)
		return false;
	finding_inclusive(out, f, in, by);
	finding_claim(out, f, STR_FMT ", while the profiled thread waits for others in " STR_FMT,
		      STR_ARG(f->claim), STR_ARG(facts_short_name(in->facts, by->sym, 96)));
	finding_usual_cause(out, f,
			    "The work is done in other threads or processes: cProfile records one "
			    "thread. It shows no lock that several threads want");
	finding_because(out, f,
			"the profiler timed each call\n"
			"what the other threads do");
	finding_next(out, f,
		     "py-spy record --threads --pid PID -o out.svg: all threads; or profile the "
		     "function that the pool runs");
	return true;
}

bool timed_words_cause(const struct rule_input *in, struct findings *out, struct finding *f,
		       const struct fact_function *first, struct str bare)
{
	if (strcmp(in->capture->format, "pstats") != 0)
		return false;
	if (str_eq(bare, STR("__eq__")))
		return timed_collisions(in, out, f, first);
	return str_glob(STR(TIMED_LOCKS), facts_name(in->facts, first->sym)) &&
	       timed_others(in, out, f, first);
}
