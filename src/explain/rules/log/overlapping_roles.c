/* SPDX-License-Identifier: MIT */
/*
 * Two instances of one daemon were active at the same time, although a lock allows only one. An
 * instance is active from "lock acquired … now active" to "lock lost … standby".
 *
 * Threshold: both were active for 100 ms or more, because clocks synchronised by NTP differ by
 * less.
 */
#include "core/capture.h"
#include "explain/words/log_words.h"

#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/kinds/records.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(overlapping_roles);

#define ROLES_CLOCK_SECONDS 0.1
#define ROLES_MAX           65536u

struct server_role {
	uint64_t from_ns;
	uint64_t to_ns;
	/* indices of two log records: where the instance became active, and where it ended */
	uint32_t from;
	uint32_t to;
	uint32_t stream;
};

struct roles {
	VEC(struct server_role) rows;
};

static bool role_is_gained(struct str text)
{
	return str_contains(text, STR("lock acquired")) && str_contains(text, STR("active"));
}

static bool role_is_lost(struct str text)
{
	return str_contains(text, STR("lock lost")) && str_contains(text, STR("standby"));
}

static void roles_gather(const struct rule_input *in, struct roles *roles)
{
	uint32_t n = (uint32_t)in->capture->records->rows.len;
	uint32_t open = INDEX_NONE;

	for (uint32_t i = 0; i < n && roles->rows.len < ROLES_MAX; i++) {
		const struct log_record *r = log_words_record(in, i);

		if (open != INDEX_NONE && log_words_record(in, open)->stream != r->stream)
			open = INDEX_NONE;
		if (!r->has_time)
			continue;
		if (role_is_gained(r->text)) {
			open = i;
		} else if (open != INDEX_NONE && role_is_lost(r->text)) {
			*VEC_PUSH(&roles->rows) =
				(struct server_role){ log_words_record(in, open)->time_ns,
						      r->time_ns, open, i, r->stream };
			open = INDEX_NONE;
		}
	}
}

static int role_compare(const void *a, const void *b)
{
	const struct server_role *x = a;
	const struct server_role *y = b;

	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

/*
 * The longest time, in seconds, during which two instances were both active. Instances are log
 * streams with the same process name. *@ret_a, *@ret_b: the two instances.
 */
static double roles_overlap(const struct rule_input *in, struct roles *roles,
			    struct server_role *ret_a, struct server_role *ret_b)
{
	double longest = 0;
	/* the instance that ends last among those that began before @r */
	const struct server_role *last = NULL;

	VEC_SORT(&roles->rows, role_compare);
	VEC_FOREACH (r, &roles->rows) {
		if (last && last->stream != r->stream && last->to_ns > r->from_ns &&
		    log_words_stream(in, last->from)->process.v ==
			    log_words_stream(in, r->from)->process.v) {
			uint64_t end = last->to_ns < r->to_ns ? last->to_ns : r->to_ns;
			double seconds = (double)(end - r->from_ns) / 1e9;

			if (seconds > longest) {
				longest = seconds;
				*ret_a = *last;
				*ret_b = *r;
			}
		}
		if (!last || r->to_ns > last->to_ns)
			last = r;
	}
	return longest;
}

static void roles_check(const struct rule_input *in, struct findings *out)
{
	struct roles roles = { .rows = VEC_INIT };
	struct server_role a = { .from = 0 };
	struct server_role b = { .from = 0 };
	struct finding *f;
	double seconds;

	roles_gather(in, &roles);
	seconds = roles_overlap(in, &roles, &a, &b);
	if (roles.rows.len > 1 && seconds < ROLES_CLOCK_SECONDS)
		finding_clean(out, in, &rule_overlapping_roles,
			      "%zu times active, never two at once", roles.rows.len);
	if (seconds >= ROLES_CLOCK_SECONDS) {
		f = finding_add(out, in, &rule_overlapping_roles, FINDING_WARNING, 60);
		finding_claim(out, f,
			      STR_FMT " and " STR_FMT " were both active for %.2f s (split brain, "
				      "if their clocks agree)",
			      STR_ARG(log_words_who(out, in, a.from)),
			      STR_ARG(log_words_who(out, in, b.from)), seconds);
		finding_usual_cause(
			out, f,
			"The server granted the lock again while its holder could not learn of it");
		finding_because(out, f, "holds only if the clocks of both machines agree");
		finding_figure(f, "both active", seconds, 0, "s");
		log_words_cite(out, f, in, a.from);
		log_words_cite(out, f, in, a.to);
		log_words_cite(out, f, in, b.from);
		log_words_cite(out, f, in, b.to);
		finding_next(out, f,
			     "chronyc tracking, on both machines; then look for duplicate rows "
			     "that both wrote");
	}
	VEC_FREE(&roles.rows);
}

const struct rule rule_overlapping_roles = {
	.id = "overlapping-roles",
	.title = "Split brain: two instances active at once",
	.needs = RULE_LOG,
	.check = roles_check,
};
