/* SPDX-License-Identifier: MIT */
/*
 * Threads that kept other threads waiting ("holders"), and their state meanwhile
 *
 * The input are the rows of analyses/waits/wait_holders.h. Rows with the same command, state and
 * function of the holder form a group (struct held).
 */
#include "explain/signatures/waiting.h"

#include "analyses/waits/wait_holders.h"
#include "analyses/waits/waits.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"

/* maximum number of groups; rows are sorted by time, so only groups with short times are dropped */
#define HELD_GROUPS 256u
/* the claim names a holder if it has at least this percentage of the waits */
#define HELD_CLAIM_PCT  30.0
#define HELD_SHOWN_PCT  10.0
#define HELD_SHOWN      3u
#define HELD_NAME_BYTES 64u
/* a priority inversion: the holder was ready in at least this percentage of the waits */
#define HELD_INVERTED_PCT 50.0

/*
 * A group of rows: threads of one command that kept others waiting, in the same state and
 * function.
 */
struct held {
	const struct wait_holder *most; /* the row of the group with the longest time */
	bool is_many;                   /* the group has several threads */
	uint64_t ns;
};

typedef VEC(struct held) held_vec;

static int held_cmp(const void *va, const void *vb)
{
	const struct held *a = va;
	const struct held *b = vb;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return a->most < b->most ? -1 : a->most > b->most;
}

static bool held_is_alike(const struct wait_holder *a, const struct wait_holder *b)
{
	return a->state == b->state && a->holder_comm.v == b->holder_comm.v &&
	       a->holder_reason.v == b->holder_reason.v &&
	       a->holder_at.leaf.v == b->holder_at.leaf.v &&
	       a->holder_at.place.v == b->holder_at.place.v;
}

/*
 * Collect the groups of rows about waits of @kinds (bits) in @ret. Returns the sum of all these
 * waits, including those without a known holder.
 */
static uint64_t held_collect(const struct rule_input *in, uint32_t kinds, held_vec *ret)
{
	uint64_t all = 0;

	VEC_FOREACH (row, &in->holders->rows) {
		struct held *found = NULL;
		enum wait_kind kind;

		if (!wait_kind_of_reason(strings_get(capture_strings(in->capture), row->reason),
					 &kind) ||
		    !(kinds >> kind & 1))
			continue;
		all += row->ns;
		if (!row->holder_tid)
			continue;
		VEC_FOREACH (h, ret) {
			if (held_is_alike(h->most, row))
				found = h;
		}
		if (found) {
			found->ns += row->ns;
			found->is_many |= found->most->holder_tid != row->holder_tid;
		} else if (ret->len < HELD_GROUPS) {
			*VEC_PUSH(ret) = (struct held){ row, false, row->ns };
		}
	}
	VEC_SORT(ret, held_cmp);
	return all;
}

/* Name and tid of the holder: "'a' (7)". For several threads: "threads 'pool'". */
static const char *held_who(const struct rule_input *in, struct findings *out, const struct held *h)
{
	struct str comm = str_sub(strings_get(capture_strings(in->capture), h->most->holder_comm),
				  0, HELD_NAME_BYTES);

	return h->is_many ? finding_name(out, "%ss '" STR_FMT "'", waiting_word(in), STR_ARG(comm))
			  : finding_name(out, "'" STR_FMT "' (%u)", STR_ARG(comm),
					 h->most->holder_tid);
}

/* The activity of the holder, as a verb after its name: "ran", "waited for storage". */
static const char *held_did(const struct rule_input *in, struct findings *out,
			    const struct wait_holder *row)
{
	enum wait_kind kind = WAIT_UNKNOWN;

	if (row->state == HOLDER_RUNNING)
		return "ran";
	if (row->state == HOLDER_READY)
		return "waited for a CPU";
	if (row->state != HOLDER_WAITING)
		return "was not recorded";
	(void)wait_kind_of_reason(strings_get(capture_strings(in->capture), row->holder_reason),
				  &kind);
	return kind == WAIT_SLEEP     ? "slept"
	       : kind == WAIT_UNKNOWN ? "waited"
				      : finding_name(out, "waited for %s", wait_kind_name(kind));
}

static struct str held_frames(const struct rule_input *in, struct findings *out,
			      const struct wait_holder *row)
{
	const struct capture *c = row->state == HOLDER_RUNNING ? in->holders->cpu : in->capture;

	return row->holder_at.leaf.v ? waiting_frames_of(in, out, c, row->holder_stack) : STR_NONE;
}

/* Add up all groups that have the same command as @h. */
static struct held held_whole(const held_vec *all, const struct held *h)
{
	struct held whole = { h->most, false, 0 };

	VEC_FOREACH (other, all) {
		if (other->most->holder_comm.v != h->most->holder_comm.v)
			continue;
		whole.ns += other->ns;
		whole.is_many |= other->is_many || other->most->holder_tid != h->most->holder_tid;
	}
	return whole;
}

/*
 * A clause about the command that kept others waiting longest: ", 80.0 % of it held by 'a' (7),
 * which mostly slept in nap". "": its share is below HELD_CLAIM_PCT.
 */
static const char *held_claim(const struct rule_input *in, struct findings *out,
			      const held_vec *all, uint64_t sum)
{
	const char *by = in->holders->has_locks ? "held by" : "ended by";
	struct held whole = { .ns = 0 };
	const struct held *part = NULL; /* the largest group of this command */
	const char *who;
	sym_id place;

	VEC_FOREACH (h, all) {
		struct held one = held_whole(all, h);

		if (one.ns > whole.ns) {
			whole = one;
			part = h;
		}
	}
	if (!part || waiting_pct(whole.ns, sum) < HELD_CLAIM_PCT)
		return "";
	who = finding_name(out, ", %.1f %% of it %s %s", waiting_pct(whole.ns, sum), by,
			   held_who(in, out, &whole));
	if (part->most->state == HOLDER_UNSEEN || part->ns < whole.ns / 2)
		return who;
	place = part->most->holder_at.place.v ? part->most->holder_at.place
					      : part->most->holder_at.leaf;
	return finding_name(out, "%s, which mostly %s%s" STR_FMT, who,
			    held_did(in, out, part->most), place.v ? " in " : "",
			    STR_ARG(str_sub(place.v ? facts_name(in->facts, place) : STR_NONE, 0,
					    HELD_NAME_BYTES)));
}

const char *waiting_held_claim(const struct rule_input *in, struct findings *out, uint32_t kinds)
{
	held_vec all = VEC_INIT;
	uint64_t sum = held_collect(in, kinds, &all);
	const char *ret = held_claim(in, out, &all, sum);

	VEC_FREE(&all);
	return ret;
}

/*
 * The real-time thread that ran most while threads called @comm were ready, as "picture (priority
 * 94)". Empty: other threads ran, or it is unknown which. The transform off-CPU writes the priority
 * of real-time threads only.
 */
static struct str held_ran_instead(const struct rule_input *in, str_id comm)
{
	struct str ret = STR_NONE;
	struct str name = strings_get(capture_strings(in->capture), comm);
	uint64_t most = 0;

	VEC_FOREACH (s, &in->waits->stacks) {
		struct str who = strings_get(capture_strings(in->capture), s->waker);

		if (s->kind != WAIT_CPU || s->waker_ns <= most ||
		    !str_eq(name, waiting_comm(in, s->stack)))
			continue;
		most = s->waker_ns;
		ret = str_glob(STR("* (priority *)"), who) ? who : STR_NONE;
	}
	return ret;
}

/* The priority in "picture (priority 94)". UINT64_MAX: there is none. */
static uint64_t held_priority(struct str who)
{
	struct str rest = str_skip(who, str_find(who, STR("(priority ")));
	uint64_t ret;

	return str_take(&rest, STR("(priority ")) && str_u64(&rest, &ret) ? ret : UINT64_MAX;
}

/*
 * The priority of threads called @comm, from waits for a CPU behind them: kernel priority, where
 * smaller numbers run first. UINT64_MAX: normal, if *@ret_is_known, else unknown.
 */
static uint64_t held_priority_of(const struct rule_input *in, str_id comm, bool *ret_is_known)
{
	struct str name = strings_get(capture_strings(in->capture), comm);

	*ret_is_known = false;
	VEC_FOREACH (s, &in->waits->stacks) {
		struct str who = strings_get(capture_strings(in->capture), s->waker);

		if (s->kind != WAIT_CPU || !str_take(&who, name) ||
		    (who.len && !str_starts(who, STR(" (priority "))))
			continue;
		*ret_is_known = true;
		return held_priority(who);
	}
	return UINT64_MAX;
}

struct str waiting_held_inverted(const struct rule_input *in, uint32_t kinds, bool *ret_is_certain)
{
	held_vec all = VEC_INIT;
	uint64_t sum = held_collect(in, kinds, &all), ready = 0;
	const struct held *most = NULL;
	struct str ret = STR_NONE;

	*ret_is_certain = false;
	VEC_FOREACH (h, &all) {
		if (h->most->state != HOLDER_READY)
			continue;
		ready += h->ns;
		most = !most || h->ns > most->ns ? h : most;
	}
	if (most && waiting_pct(ready, sum) >= HELD_INVERTED_PCT) {
		bool is_known;
		uint64_t waiter = held_priority_of(in, most->most->comm, &is_known);

		ret = held_ran_instead(in, most->most->holder_comm);
		*ret_is_certain = ret.len && is_known && waiter < held_priority(ret);
		if (is_known && !*ret_is_certain)
			ret = STR_NONE; /* the thread that ran has the right to */
	}
	VEC_FREE(&all);
	return ret;
}

void waiting_held_evidence(const struct rule_input *in, struct findings *out, struct finding *f,
			   uint32_t kinds)
{
	held_vec all = VEC_INIT;
	uint64_t sum = held_collect(in, kinds, &all);

	for (size_t i = 0; i < all.len && i < HELD_SHOWN; i++) {
		const struct held *h = &all.data[i];
		double pct = waiting_pct(h->ns, sum);
		struct str frames = held_frames(in, out, h->most);

		if (pct < HELD_SHOWN_PCT)
			break;
		finding_evidence(out, f, in, 0, "%s %s %s (%.1f %%), and %s%s" STR_FMT,
				 held_who(in, out, h),
				 /*
				  * if lock addresses are missing, only the thread that ended the
				  * wait is known, and not the holder
				  */
				 in->holders->has_locks ? "held the lock for" : "ended waits of",
				 finding_duration(out, h->ns), pct, held_did(in, out, h->most),
				 frames.len ? ": " : "", STR_ARG(frames));
	}
	VEC_FREE(&all);
}
