/* SPDX-License-Identifier: MIT */
#include "analyses/calls/calls_total.h"

#include "analyses/calls/calls_below.h"
#include "base/alloc.h"
#include "base/number.h"
#include "base/str.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/strings.h"
#include "core/symbols.h"

static bool option_is_between(char c)
{
	return char_is_space(c) || c == ',' || c == '=';
}

static bool option_has_word(struct str text, struct str word)
{
	for (size_t at; (at = str_find(text, word)) < text.len;) {
		size_t end = at + word.len;

		if ((at == 0 || option_is_between(text.p[at - 1])) &&
		    (end == text.len || option_is_between(text.p[end])))
			return true;
		text = str_sub(text, end, text.len);
	}
	return false;
}

bool calls_has_option(const struct capture *capture, struct str option)
{
	const struct strings *strings = capture_symbols(capture)->strings;

	return option_has_word(strings_get(strings, capture->calls->options), option) ||
	       option_has_word(strings_get(strings, capture->command), option);
}

bool calls_matches(const struct symbols *symbols, sym_id sym, struct str pattern)
{
	struct str name = symbols_name(symbols, sym);
	struct str module = symbols_module(symbols, sym);
	char text[512];
	size_t n = 0;

	if (str_glob(pattern, name) || str_glob(pattern, symbols_canonical(symbols, sym)))
		return true;
	if (!module.len || name.len + module.len + 3 > sizeof(text))
		return false;
	memcpy(text, name.p, name.len);
	n = name.len;
	text[n++] = ' ';
	text[n++] = '[';
	memcpy(text + n, module.p, module.len);
	n += module.len;
	text[n++] = ']';
	return str_glob(pattern, (struct str){ text, n });
}

/* Bits: the patterns of a query (struct calls_query) that a function matches. */
enum total_match {
	TOTAL_MATCHES = 1 << 0,
	TOTAL_INNER = 1 << 1,
	TOTAL_AROUND = 1 << 2,
};

static uint8_t total_match(const struct symbols *symbols, sym_id sym, const struct calls_query *q)
{
	uint8_t match = 0;

	if (q->pattern.len && calls_matches(symbols, sym, q->pattern) &&
	    !(q->without.len && calls_matches(symbols, sym, q->without)))
		match |= TOTAL_MATCHES;
	if (q->inner.len && calls_matches(symbols, sym, q->inner))
		match |= TOTAL_INNER;
	if (q->around.len && calls_matches(symbols, sym, q->around))
		match |= TOTAL_AROUND;
	return match;
}

/*
 * The patterns that each function matches, as a set of enum total_match. `sets` is indexed by
 * symbol or, with is_by_call, by call. is_by_call saves work if the trace has fewer calls than
 * there are symbols.
 */
struct total_matches {
	uint8_t *sets;
	bool is_by_call;
};

/*
 * Match the functions of @c with the patterns of @q. False: no call can match the query, and
 * nothing needs to be freed.
 */
static bool total_matches_init(struct total_matches *m, const struct calls *c,
			       const struct symbols *symbols, const struct calls_query *q)
{
	size_t n = c->n < symbols->rows.len ? c->n : symbols->rows.len;
	uint8_t all = 0;

	m->is_by_call = c->n < symbols->rows.len;
	m->sets = xcalloc(n + 1, 1);
	for (uint32_t i = 0; i < n; i++) {
		sym_id sym = m->is_by_call ? c->sym.data[i] : (sym_id){ i };

		m->sets[i] = total_match(symbols, sym, q);
		all |= m->sets[i];
	}
	if (all & TOTAL_MATCHES || (all & TOTAL_INNER && all & TOTAL_AROUND))
		return true;
	free(m->sets);
	return false;
}

static bool total_bit(const uint64_t *bits, uint32_t call)
{
	return call != INDEX_NONE && (bits[call / 64] >> call % 64 & 1);
}

struct calls_total calls_total_query(const struct capture *capture, const struct calls_query *query)
{
	const struct calls *c = capture->calls;
	const struct symbols *symbols = capture_symbols(capture);
	struct calls_total total = { .longest = INDEX_NONE };
	struct calls_below children;
	/*
	 * one bit per call: the query selects the call or one of its callers, and that call is
	 * timed
	 */
	uint64_t *inside;
	/* one bit per call: the call or one of its callers matches query->around */
	uint64_t *around;
	struct total_matches matches;

	if (!c || c->n == 0)
		return total;
	if (!total_matches_init(&matches, c, symbols, query))
		return total;
	calls_below_init(&children, c);
	inside = xcalloc(c->n / 64 + 1, sizeof(*inside));
	around = xcalloc(c->n / 64 + 1, sizeof(*around));
	for (uint32_t i = 0; i < c->n; i++) {
		uint8_t match = matches.sets[matches.is_by_call ? i : c->sym.data[i].v];
		uint32_t parent = c->parent.data[i];
		bool is_inside = total_bit(inside, parent);
		bool is_around = total_bit(around, parent);
		bool overfull;
		uint64_t self;

		if (match & TOTAL_MATCHES || (is_around && match & TOTAL_INNER)) {
			total.matching++;
			(void)calls_self(c, &children, i, &self, &overfull);
			total.self_ns = number_sum(total.self_ns, self);
			if (!is_inside && calls_is_timed(c, i)) {
				total.topmost++;
				total.total_ns = number_sum(total.total_ns, calls_duration(c, i));
				if (total.longest == INDEX_NONE ||
				    calls_duration(c, i) > calls_duration(c, total.longest))
					total.longest = i;
				is_inside = true;
			}
		}
		total.below += is_inside;
		inside[i / 64] |= (uint64_t)is_inside << i % 64;
		around[i / 64] |= (uint64_t)(is_around || match & TOTAL_AROUND) << i % 64;
	}
	free(matches.sets);
	free(inside);
	free(around);
	calls_below_fini(&children);
	return total;
}

struct calls_total calls_total_of(const struct capture *capture, struct str pattern,
				  struct str without)
{
	return calls_total_query(capture,
				 &(struct calls_query){ pattern, without, STR_NONE, STR_NONE });
}
