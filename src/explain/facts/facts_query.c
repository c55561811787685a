/* SPDX-License-Identifier: MIT */
/* Sums over the functions that match a pattern or are in a category. */
#include "explain/facts/facts_build.h"

#include "analyses/categories.h"
#include "base/alloc.h"
#include "base/idmap.h"
#include "base/stats.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/facts.h"

#define FACTS_ROOT_PART 0.99

static void facts_sum_add(struct fact_sum *s, const struct fact_function *f)
{
	s->self += f->self;
	s->leaf += f->rows ? f->self : f->leaf;
	s->err += f->self_err;
	s->samples += f->samples;
	s->functions++;
	if (f->children > s->children)
		s->children = f->children;
	if (!s->top)
		/* functions are sorted by self share, so the first match is the heaviest */
		s->top = f;
}

/*
 * Set s->low and s->high to the 95 % interval of s->self. If the number of samples is unknown, set
 * both to s->self.
 */
static void facts_sum_finish(const struct profile_facts *p, struct fact_sum *s)
{
	s->low = s->high = s->self;
	if (p->effective > 0) {
		struct interval i =
			stats_wilson(s->self / 100 * p->effective, p->effective, STATS_Z95);

		s->low = i.low;
		s->high = i.high;
	}
}

static void facts_find_add(struct facts_found *found, uint32_t number)
{
	if (found->has[number])
		return;
	found->has[number] = 1;
	*VEC_PUSH(&found->numbers) = number;
}

/*
 * Index in by_text of the first function whose name is not below @prefix in the sort order. The
 * names that begin with @prefix start there.
 */
static size_t facts_lower_bound(const struct profile_facts *p, struct str prefix)
{
	return VEC_PARTITION(&p->by_text, it,
			     str_cmp(facts_function_name(p, &p->functions.data[*it]), prefix) < 0);
}

static bool facts_is_wild(char c)
{
	return c == '*' || c == '?' || c == '[' || c == '\\';
}

/*
 * The pairs of adjacent letters that a name must contain to match @pattern, as facts_gram() bits.
 */
static uint64_t facts_grams_of(struct str pattern)
{
	uint64_t grams = 0;

	for (size_t i = 1; i < pattern.len; i++) {
		if (!facts_is_wild(pattern.p[i - 1]) && !facts_is_wild(pattern.p[i]))
			grams |= facts_gram(pattern.p[i - 1], pattern.p[i]);
	}
	return grams;
}

static void facts_find_one(const struct profile_facts *p, struct str pattern,
			   struct facts_found *found)
{
	size_t literal = 0;
	uint64_t grams = facts_grams_of(pattern);
	struct str prefix;

	while (literal < pattern.len && pattern.p[literal] != '*' && pattern.p[literal] != '?')
		literal++;
	prefix = str_sub(pattern, 0, literal);
	for (size_t i = facts_lower_bound(p, prefix); i < p->by_text.len; i++) {
		uint32_t number = p->by_text.data[i];
		struct str name;

		if (literal == 0 && grams & ~p->grams.data[i])
			continue;
		name = facts_function_name(p, &p->functions.data[number]);
		if (!str_starts(name, prefix))
			break;
		if (str_glob(pattern, name))
			facts_find_add(found, number);
	}
}

static int facts_compare_numbers(const void *a, const void *b)
{
	const uint32_t *x = a;
	const uint32_t *y = b;

	return *x < *y ? -1 : *x > *y;
}

void facts_find(const struct profile_facts *p, const char *pattern, struct facts_found *found)
{
	struct str rest = str_of(pattern);

	*found = (struct facts_found){ .numbers = VEC_INIT };
	found->has = xcalloc(p->functions.len, 1);
	while (rest.len) {
		size_t bar = str_find_char(rest, '|');

		facts_find_one(p, str_sub(rest, 0, bar), found);
		rest = str_skip(rest, bar + 1);
	}
	VEC_SORT(&found->numbers, facts_compare_numbers);
}

void facts_find_fini(struct facts_found *found)
{
	VEC_FREE(&found->numbers);
	free(found->has);
}

/*
 * Whether @names selects @f, if the name of @f matches names->pattern. Only names->is_kernel and
 * names->except are checked.
 */
static bool facts_is_selected(const struct profile_facts *p, const struct fact_names *names,
			      const struct fact_function *f)
{
	if (names->is_kernel) {
		enum symbol_space space = symbols_get(capture_symbols(p->capture), f->sym)->space;

		if (space == SPACE_USER || space == SPACE_GUEST_USER || space == SPACE_JIT)
			return false;
	}
	return !names->except || !str_glob(str_of(names->except), facts_function_name(p, f));
}

bool facts_is_one_of(const struct profile_facts *p, const struct fact_names *names,
		     const struct fact_function *f)
{
	return str_glob(str_of(names->pattern), facts_function_name(p, f)) &&
	       facts_is_selected(p, names, f);
}

void facts_mark(const struct profile_facts *p, const struct fact_names *names, uint8_t *marks)
{
	struct facts_found found;

	facts_find(p, names->pattern, &found);
	VEC_FOREACH (number, &found.numbers)
		marks[*number] |= facts_is_selected(p, names, &p->functions.data[*number]);
	facts_find_fini(&found);
}

struct fact_sum facts_sum_of(const struct profile_facts *p, const struct fact_names *names)
{
	struct fact_sum s = { .children = -1 };
	struct facts_found found;

	facts_find(p, names->pattern, &found);
	VEC_FOREACH (number, &found.numbers) {
		if (facts_is_selected(p, names, &p->functions.data[*number]))
			facts_sum_add(&s, &p->functions.data[*number]);
	}
	facts_find_fini(&found);
	facts_sum_finish(p, &s);
	return s;
}

struct fact_sum facts_sum(const struct profile_facts *p, const char *pattern)
{
	return facts_sum_of(p, &(struct fact_names){ .pattern = pattern });
}

size_t facts_heaviest_of(const struct profile_facts *p, const struct fact_names *names,
			 const struct fact_function **ret, size_t max)
{
	struct facts_found found;
	size_t n = 0;

	facts_find(p, names->pattern, &found);
	for (size_t i = 0; i < found.numbers.len && n < max; i++) {
		const struct fact_function *f = &p->functions.data[found.numbers.data[i]];

		if (facts_is_selected(p, names, f))
			ret[n++] = f;
	}
	facts_find_fini(&found);
	return n;
}

size_t facts_heaviest(const struct profile_facts *p, const char *pattern,
		      const struct fact_function **ret, size_t max)
{
	return facts_heaviest_of(p, &(struct fact_names){ .pattern = pattern }, ret, max);
}

bool facts_is_guessed(const struct fact_function *f)
{
	return category_is_meant(f->category, STR("application|other|unsymbolised|libc|kernel"));
}

struct fact_sum facts_category(const struct profile_facts *p, const char *category)
{
	struct fact_sum s = { .children = -1 };

	VEC_FOREACH (f, &p->functions) {
		if (category_is_in(f->category, str_of(category)))
			facts_sum_add(&s, f);
	}
	facts_sum_finish(p, &s);
	return s;
}

const struct fact_function *facts_by_name(const struct profile_facts *p, str_id id)
{
	uint64_t hash = hash_u64(id.v, 5);
	struct idmap_probe probe = { .hash = (uint32_t)(hash >> 32) ^ (uint32_t)hash };

	if (id.v == 0 || !p->by_name.slots)
		return NULL;
	probe.at = probe.hash & p->by_name.mask;
	while (idmap_next(&p->by_name, &probe)) {
		if (p->functions.data[probe.id].name.v == id.v)
			return &p->functions.data[probe.id];
	}
	return NULL;
}

const struct fact_function *facts_function(const struct profile_facts *p, const char *name)
{
	return facts_by_name(p, strings_find(capture_strings(p->capture), str_of(name)));
}

bool facts_is_root(const struct profile_facts *p, stack_id node)
{
	return stacks_parent(&p->capture->profile->stacks, node).v == 0 && p->inclusive &&
	       (double)p->inclusive[node.v] >= (double)p->weight * FACTS_ROOT_PART;
}
