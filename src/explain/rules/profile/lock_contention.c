/* SPDX-License-Identifier: MIT */
/*
 * CPUs spin on kernel locks. The caller that takes the lock matters, not the lock's own code.
 *
 * Thresholds for the share of the busy time: above 5 % a note, above 10 % more certain, above 20 %
 * a warning, above 60 % the dominant cost. In profiles from mailing lists and bug reports in which
 * a lock was the cause, its slow path had 12 to 97 %.
 *
 * Some locks have no visible slow path: PowerPC and ARM spin inline, and some code only tries to
 * take a read lock. Then the functions that take the lock are hot. Without contention all these
 * functions together cost below 5 %. So with 15 % or more the lock's cache line is contended, but
 * this is less certain than with a slow path.
 */
#include "explain/signatures/signature.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/ids.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/lock_contention_names.h"
#include "explain/rule.h"

#include <stdio.h>

DECLARE_RULE(lock_contention);

#define LOCK_NOTE_PCT    5.0
#define LOCK_LOOK_PCT    10.0
#define LOCK_LEAD_PCT    20.0
#define LOCK_SURE_PCT    60.0
#define LOCK_ENTRIES_PCT 15.0
/*
 * If all work on kernel locks exceeds the share of this finding by at least this, in percentage
 * points, the finding also prints the share of all this work. In healthy programs the difference is
 * smaller.
 */
#define LOCK_MORE_PCT 5.0
/*
 * Limits for an excerpt, whose rows add up to less than LOCK_EXCERPT_PCT. Slow paths are reported
 * if they have at least the part LOCK_EXCERPT_PART (0 to 1) of the printed shares, even if their
 * own share is small.
 */
#define LOCK_EXCERPT_PCT  10.0
#define LOCK_EXCERPT_PART 0.8
/* number of callers by which the kind of lock is recognised */
#define LOCK_KIND_CALLERS 3
/*
 * The claim names a single caller under two conditions. The caller causes at least this part (0 to
 * 1) of the waiting. Each other caller has less than this part of the share of that caller.
 */
#define LOCK_MAIN_CALLER 0.5
/*
 * If callers are unknown, functions that run while a lock is held hint at the kind of lock: if the
 * lock is contended, they are hot, too. A function with less than this part (0 to 1) of the waiting
 * is no hint.
 */
#define LOCK_HINT_PART 0.05
/*
 * If the functions that take locks have at least this share, percent, the finding is more certain:
 * locks without contention cannot cost that much.
 */
#define LOCK_ENTRIES_SURE_PCT 40.0
/*
 * If releasing a lock costs at least this part (0 to 1) of taking it, a loop takes and releases the
 * lock all the time.
 */
#define LOCK_LOOP_PART 0.25
/*
 * such a loop is in a caller that causes at least this part (0 to 1) of the cost of taking the lock
 */
#define LOCK_LOOP_CALLER 0.8
#define LOCK_LOOP_SURE   70u

/*
 * A kind of lock. It is recognised by the functions that take the lock, or by functions that run
 * while the lock is held (hints).
 */
struct lock_kind {
	const char *callers;
	/* functions that run with the lock held; NULL: only callers identify this kind */
	const char *hints;
	const char *lock;
	const char *cause;
	const char *next;
};

static const struct lock_kind lock_kinds[] = { LOCK_KINDS };

struct lock_who {
	struct fact_caller callers[LOCK_KIND_CALLERS];
	size_t n;
	/*
	 * the capture that shows the callers, if it is another capture of the same text; NULL: the
	 * callers are from the capture of the finding
	 */
	const struct capture *where;
	/*
	 * the caller is from a call stack in the text that belongs to no capture, so its share is
	 * unknown
	 */
	bool is_loose;
	bool is_shared; /* another caller has nearly the same share as the first one */
	/*
	 * the kind of lock that the first caller uses; NULL: unknown, or a caller with nearly the
	 * same share uses another kind
	 */
	const struct lock_kind *kind;
	/*
	 * if callers are unknown: the kind of lock whose hints are hottest (lock_near()); NULL:
	 * none
	 */
	const struct lock_kind *likely;
};

/*
 * Find the kind of lock whose hints (functions that run while the lock is held) have the largest
 * self share. @self: share of the waiting. NULL: no kind has hints with LOCK_HINT_PART of @self.
 */
static const struct lock_kind *lock_near(const struct rule_input *in, double self)
{
	const struct lock_kind *found = NULL;
	double most = self * LOCK_HINT_PART;

	for (size_t k = 0; k < ARRAY_LEN(lock_kinds); k++) {
		double share =
			lock_kinds[k].hints ? facts_sum(in->profile, lock_kinds[k].hints).self : 0;

		if (share > most) {
			most = share;
			found = &lock_kinds[k];
		}
	}
	return found;
}

/*
 * Find callers of the functions that match @pattern, in this capture. If there are none, search
 * another capture of the text.
 */
static void lock_ask(const struct rule_input *in, const char *pattern, struct lock_who *who)
{
	who->n = facts_callers(in->profile, pattern, LOCK_HELPERS, who->callers,
			       ARRAY_LEN(who->callers));
	if (who->n == 0)
		who->n = facts_callers_printed(in->profile, pattern, LOCK_HELPERS, who->callers,
					       ARRAY_LEN(who->callers));
	if (who->n == 0)
		who->n =
			facts_callers_elsewhere(in->facts, in->capture, pattern, LOCK_HELPERS,
						who->callers, ARRAY_LEN(who->callers), &who->where);
}

/*
 * Find callers if no row shows the slow path: a printed tree may end at the function that takes the
 * lock, and the share of this function then includes the slow path. The callers are used only if
 * they have at least LOCK_MAIN_CALLER of the waiting (@self).
 */
static void lock_ask_entries(const struct rule_input *in, double self, struct lock_who *who)
{
	double all = 0;

	lock_ask(in, LOCK_SLOW_PATHS "|" LOCK_HELPERS, who);
	for (size_t i = 0; i < who->n; i++)
		all += who->callers[i].pct;
	if (all < self * LOCK_MAIN_CALLER)
		*who = (struct lock_who){ 0 };
}

static const struct lock_kind *lock_kind_of(const struct rule_input *in, sym_id caller)
{
	for (size_t k = 0; k < ARRAY_LEN(lock_kinds); k++) {
		if (str_glob(str_of(lock_kinds[k].callers), facts_name(in->facts, caller)))
			return &lock_kinds[k];
	}
	return NULL;
}

static void lock_who_of(const struct rule_input *in, const char *pattern, double self,
			struct lock_who *who)
{
	*who = (struct lock_who){ 0 };
	lock_ask(in, pattern, who);
	if (who->n == 0)
		lock_ask_entries(in, self, who);
	if (who->n == 0 &&
	    facts_caller_in_text(in->facts, in->capture, pattern, LOCK_HELPERS, who->callers)) {
		who->n = 1;
		who->is_loose = true;
	}
	if (who->n == 0)
		who->likely = lock_near(in, self);
	if (who->n)
		who->kind = lock_kind_of(in, who->callers[0].sym);
	for (size_t i = 1; i < who->n; i++) {
		if (who->callers[i].pct < who->callers[0].pct * LOCK_MAIN_CALLER)
			break;
		who->is_shared = true;
		if (lock_kind_of(in, who->callers[i].sym) != who->kind)
			who->kind = NULL;
	}
}

static void lock_name_caller(const struct rule_input *in, struct findings *out, struct finding *f,
			     const struct lock_who *who, double self, struct str slow, bool spins)
{
	struct str name = facts_name(in->facts, who->callers[0].sym);
	bool is_spread = who->is_shared || who->callers[0].pct < self * LOCK_MAIN_CALLER;
	bool is_partial = is_spread && who->n < LOCK_KIND_CALLERS;
	double all = 0;

	for (size_t i = 0; i < who->n; i++)
		all += who->callers[i].pct;
	if (is_partial && all < self * LOCK_MAIN_CALLER)
		finding_claim(out, f,
			      "%.1f %% of %s %s (" STR_FMT
			      "); callers are shown for %.1f %% only, mainly " STR_FMT "%s%s",
			      self, in->profile->unit.of,
			      spins ? "is spinning on kernel locks" : "is taking kernel locks",
			      STR_ARG(slow), all, STR_ARG(name), who->kind ? ": " : "",
			      who->kind ? who->kind->lock : "");
	else if (is_spread)
		finding_claim(out, f,
			      "%.1f %% of %s %s (" STR_FMT
			      ") from several callers, most of all " STR_FMT " with %.1f %%%s%s",
			      self, in->profile->unit.of,
			      spins ? "is spinning on locks" : "is taking locks", STR_ARG(slow),
			      STR_ARG(name), who->callers[0].pct, who->kind ? ": " : "",
			      who->kind ? who->kind->lock : "");
	else
		finding_claim(out, f, "%.1f %% of %s %s that " STR_FMT " takes%s%s (" STR_FMT ")",
			      self, in->profile->unit.of,
			      spins ? "is spinning on a lock" : "is taking a lock", STR_ARG(name),
			      who->kind ? ": " : "", who->kind ? who->kind->lock : "",
			      STR_ARG(slow));
	if (is_spread && !(who->is_shared && who->kind))
		finding_usual_cause(
			out, f, "Lock contention: one lock that many paths take, or several locks");
	else if (who->kind)
		finding_usual_cause(out, f, "%s", who->kind->cause);
	else
		finding_cause_if(out, f, spins,
				 "Several CPUs want the lock of " STR_FMT
				 " at once (lock contention)",
				 STR_ARG(name));
	for (size_t i = 0; i < who->n; i++) {
		finding_figure(
			f,
			finding_name(out, "share through " STR_FMT,
				     STR_ARG(facts_short_name(in->facts, who->callers[i].sym, 64))),
			who->callers[i].pct, 0, "%");
		finding_caller(out, f, in, &who->callers[i]);
	}
	finding_next(out, f,
		     "perf lock contention -ab -Y spinlock,mutex,rwsem sleep 10: the contended "
		     "lock in %s",
		     finding_word(out, name, true));
}

/*
 * Set the claim if the callers are from another capture or from a stack of the text. Their shares
 * cannot be compared with @self, because they have another total.
 */
static void lock_name_elsewhere(const struct rule_input *in, struct findings *out,
				struct finding *f, const struct lock_who *who, double self,
				struct str slow, bool spins)
{
	struct str name = facts_name(in->facts, who->callers[0].sym);
	finding_claim(out, f,
		      "%.1f %% of %s %s (" STR_FMT "); in the call %s in line %u " STR_FMT
		      " takes %s%s%s",
		      self, in->profile->unit.of,
		      spins ? "is spinning on a kernel lock" : "is taking kernel locks",
		      STR_ARG(slow), who->is_loose ? "stack" : "tree", who->callers[0].line,
		      STR_ARG(name), who->is_shared ? "the largest part of it" : "it",
		      who->kind ? ": " : "", who->kind ? who->kind->lock : "");
	if (who->kind)
		finding_usual_cause(out, f,
				    "Several CPUs want one lock at once (lock contention): %s",
				    who->kind->cause);
	else
		finding_cause_if(out, f, spins,
				 "Several CPUs want the lock of " STR_FMT
				 " at once (lock contention)",
				 STR_ARG(name));
	if (who->is_loose) {
		finding_subject(f, who->callers[0].sym, SUBJECT_CALLER);
		finding_evidence(out, f, in, who->callers[0].line, "called by " STR_FMT,
				 STR_ARG(name));
	}
	for (size_t i = 0; i < who->n && who->where; i++) {
		finding_subject(f, who->callers[i].sym, SUBJECT_CALLER);
		finding_figure(
			f,
			finding_name(
				out, "share through " STR_FMT ", in the table in line %u",
				STR_ARG(str_sub(facts_name(in->facts, who->callers[i].sym), 0, 80)),
				who->where->first_line),
			who->callers[i].pct, 0, "%");
		finding_evidence(out, f, in, who->callers[i].line,
				 "called by " STR_FMT " %.2f %%, in the table in line %u",
				 STR_ARG(facts_name(in->facts, who->callers[i].sym)),
				 who->callers[i].pct, who->where->first_line);
	}
	finding_next(
		out, f,
		"perf lock contention -ab -Y spinlock,mutex,rwsem sleep 10: shows which lock %s "
		"waits for, and who holds it",
		finding_word(out, name, true));
}

/*
 * Share of all functions that take, wait for or release kernel locks, percent. It is the row
 * "locking" in the table of kinds of work.
 */
static double lock_work(const struct rule_input *in)
{
	static const char *const others[] = { "locking/bh", "locking/futex", "locking/user" };
	double ret = facts_category(in->profile, "locking").self;

	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		ret -= facts_category(in->profile, others[i]).self;
	return ret;
}

static void lock_name_none(const struct rule_input *in, struct findings *out, struct finding *f,
			   const struct lock_who *who, double self, struct str slow, bool spins)
{
	const struct fact_function *hot[2];
	size_t n = who->likely
			   ? facts_heaviest(in->profile, who->likely->hints, hot, ARRAY_LEN(hot))
			   : 0;
	double work = lock_work(in);

	if (spins && work - self >= LOCK_MORE_PCT)
		finding_claim(out, f,
			      "%.1f %% of %s is spinning on a kernel lock (" STR_FMT
			      "), and %.1f %% is lock work in all; no call chain names its caller",
			      self, in->profile->unit.of, STR_ARG(slow), work);
	else
		finding_claim(out, f,
			      "%.1f %% of %s %s (" STR_FMT "); no call chain names its caller",
			      self, in->profile->unit.of,
			      spins ? "is spinning on a kernel lock" : "is taking kernel locks",
			      STR_ARG(slow));
	finding_usual_cause(
		out, f,
		"Several CPUs want one lock at once (lock contention). Its callers would "
		"name the lock");
	finding_next(out, f, "perf record -a -g sleep 10, or perf lock contention -ab sleep 10");
	for (size_t i = 0; i < n && hot[i]->self > 0; i++)
		finding_evidence(out, f, in, hot[i]->line, "hint: " STR_FMT " %.1f %%",
				 STR_ARG(facts_name(in->facts, hot[i]->sym)), hot[i]->self);
	if (n)
		finding_next(out, f,
			     "suspect: the lock of %s, because " STR_FMT
			     " is also hot, with %.1f %% (no proof). If confirmed: %s",
			     who->likely->lock, STR_ARG(facts_name(in->facts, hot[0]->sym)),
			     hot[0]->self, who->likely->next);
}

/*
 * Add a finding if one caller takes and releases a lock again and again. Then releasing costs at
 * least LOCK_LOOP_PART of taking. (If the caller waited for another CPU, only taking would be
 * expensive.) False: there is no such caller.
 */
static bool lock_loop(const struct rule_input *in, struct findings *out, const struct lock_who *who,
		      double self)
{
	struct fact_sum back = facts_sum(in->profile, LOCK_RELEASES);
	struct fact_caller caller;
	struct finding *f;
	struct str name;

	if (!back.top || back.self < self * LOCK_LOOP_PART || who->n == 0 || who->where ||
	    who->is_loose || who->is_shared || who->callers[0].pct < self * LOCK_LOOP_CALLER ||
	    facts_callers(in->profile, LOCK_RELEASES, NULL, &caller, 1) == 0 ||
	    caller.sym.v != who->callers[0].sym.v)
		return false;
	name = facts_name(in->facts, caller.sym);
	f = finding_add(out, in, &rule_lock_contention,
			self + back.self >= LOCK_LEAD_PCT ? FINDING_WARNING : FINDING_NOTE,
			LOCK_LOOP_SURE);
	f->impact = self + back.self;
	finding_claim(out, f,
		      "%.1f %% of %s takes and releases a lock in a loop of " STR_FMT
		      ": %.1f %% to take it, %.1f %% to release it",
		      self + back.self, in->profile->unit.of, STR_ARG(name), self, back.self);
	finding_figure(f, "taking the lock", self, 0, "%");
	finding_figure(f, "releasing it", back.self, 0, "%");
	finding_caller(out, f, in, &who->callers[0]);
	signature_evidence(in, out, f, LOCK_ENTRIES);
	signature_evidence(in, out, f, LOCK_RELEASES);
	finding_usual_cause(
		out, f,
		"A busy loop: it tests a condition under the lock again and again, or locks "
		"once for each small step");
	finding_because(out, f,
			"waiting for another CPU costs on the taking side only; a second user of "
			"the lock would make both sides slower");
	finding_next(out, f,
		     "read the loop of %s: sleep until the event comes (a completion or wait "
		     "queue), or take the lock once around the loop",
		     finding_word(out, name, true));
	return true;
}

static void lock_finding(const struct rule_input *in, struct findings *out, const char *pattern,
			 struct fact_sum sum, bool spins)
{
	double share = signature_of_busy(in, sum.self);
	struct str slow = facts_name(in->facts, sum.top->sym);
	bool is_guest = facts_sum(in->profile, LOCK_GUEST).functions > 0;
	unsigned int sure = !spins && share >= LOCK_ENTRIES_SURE_PCT ? 80
			    : !spins                                 ? 68
			    : share >= LOCK_SURE_PCT                 ? 97
			    : share >= LOCK_LEAD_PCT                 ? 90
			    : share >= LOCK_LOOK_PCT                 ? 75
								     : 60;
	struct lock_who who;
	struct finding *f;

	lock_who_of(in, pattern, sum.self, &who);
	if (!spins && lock_loop(in, out, &who, sum.self))
		return;
	f = finding_add(out, in, &rule_lock_contention,
			share >= LOCK_LEAD_PCT ? FINDING_WARNING : FINDING_NOTE,
			signature_sure(in, &sum, LOCK_NOTE_PCT, sure, 75));
	f->impact = sum.self;
	finding_figure_interval(f, spins ? "self share of the slow paths" : "self share of locks",
				sum.self, sum.low, sum.high, "%");
	if (lock_work(in) - sum.self >= LOCK_MORE_PCT)
		finding_figure(f, "all work on kernel locks", lock_work(in), 0, "%");
	signature_evidence(in, out, f, pattern);
	if (who.where || who.is_loose)
		lock_name_elsewhere(in, out, f, &who, sum.self, slow, spins);
	else if (who.n)
		lock_name_caller(in, out, f, &who, sum.self, slow, spins);
	else
		lock_name_none(in, out, f, &who, sum.self, slow, spins);
	finding_because(
		out, f, "%s",
		spins ? "these functions run only while another CPU holds the lock"
		      : "taking a free lock is cheap; the wait is in the lock entry itself");
	if (who.kind)
		finding_next(out, f, "%s", who.kind->next);
	if (is_guest)
		finding_next(
			out, f,
			"vmstat 1: with st above 0, the lock holder of a guest may not be running; "
			"compare virtual with real CPUs");
}

static void lock_check(const struct rule_input *in, struct findings *out)
{
	struct fact_sum sum = facts_sum(in->profile, LOCK_SLOW_PATHS);
	struct fact_sum all;

	if (!signature_can_judge(in, out, &rule_lock_contention))
		return;
	/*
	 * If only printed trees show the slow paths, their self share is unknown. Slow paths call
	 * nothing, so their inclusive share is equal to their self share.
	 */
	if (sum.top && sum.self <= 0 && sum.children > 0)
		sum.self = sum.low = sum.high = sum.children;
	if (sum.top && signature_of_busy(in, sum.self) >= LOCK_NOTE_PCT) {
		lock_finding(in, out, LOCK_SLOW_PATHS, sum, true);
		return;
	}
	if (sum.top && in->profile->total < LOCK_EXCERPT_PCT &&
	    sum.self >= in->profile->total * LOCK_EXCERPT_PART) {
		lock_finding(in, out, LOCK_SLOW_PATHS, sum, true);
		return;
	}
	all = facts_sum(in->profile, LOCK_SLOW_PATHS "|" LOCK_ENTRIES);
	if (all.top && signature_of_busy(in, all.self) >= LOCK_ENTRIES_PCT)
		lock_finding(in, out, LOCK_SLOW_PATHS "|" LOCK_ENTRIES, all, false);
	else
		finding_clean(out, in, &rule_lock_contention,
			      "%.1f %% in slow paths of kernel locks (of %.1f %% busy)", sum.self,
			      in->profile->busy);
}

/* Findings of these rules may follow from a contended lock. */
static const char *const lock_explains[] = { "reclaim", "writeback", "mapping-churn", NULL };

const struct rule rule_lock_contention = {
	.id = "lock-contention",
	.title = "Kernel lock contention",
	.needs = RULE_PROFILE,
	.wants = RULE_WANTS_KERNEL,
	.hides_pct = LOCK_NOTE_PCT,
	.explains = lock_explains,
	.check = lock_check,
};
