/* SPDX-License-Identifier: MIT */
/*
 * A thread polls with a fixed sleep in between. It checks a descriptor without waiting (a poll with
 * timeout 0, or a read, recv or accept that returns EAGAIN), sleeps, and checks again. If an event
 * arrives during the sleep, the thread reacts only when the sleep ends. A poll with a time limit
 * would return at once.
 *
 * In this file, a "look" is such a check, and a "round" is a look that finds nothing, a sleep, and
 * another look at the same descriptor.
 *
 * Thresholds: one round whose second look finds an event, or that waits for a connect in the
 * background (EINPROGRESS). In all other cases the loop may have other work in each period. If the
 * thread's time is known, a note needs sleeps of 10 % of this time and 100 ms in total, which users
 * notice. A warning needs 40 % and 1 s. Source: poll(2), connect(2) on EINPROGRESS.
 */
#include "analyses/syscalls/syscalls.h"
#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/words/syscall_words.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

DECLARE_RULE(sleep_between_polls);

#define SLEEP_NOTE_NS  UINT64_C(100000000)
#define SLEEP_LEAD_NS  UINT64_C(1000000000)
#define SLEEP_NOTE_PCT 10.0
#define SLEEP_LEAD_PCT 40.0
#define SLEEP_SURE     90u

/* The rounds of one thread (see the start of this file). */
struct sleep_rounds {
	uint32_t lane;
	/* number of rounds; number of rounds whose second look finds an event */
	uint32_t n, found;
	uint64_t ns;         /* total time of the sleeps, ns */
	uint64_t longest_ns; /* duration of the longest sleep, ns */
	uint32_t look, sleep, again;
	/*
	 * the connect() in the background whose result the longest round waits for; INDEX_NONE:
	 * none
	 */
	uint32_t connect;
	uint64_t fd;
};

/* State of one thread while its calls are read in order. */
struct sleep_lane {
	struct sleep_rounds rounds;
	uint32_t look;  /* the previous look, if it found nothing; INDEX_NONE: none */
	uint32_t sleep; /* the sleep that follows `look`; INDEX_NONE: none */
	uint64_t look_fd, sleep_ns;
	uint32_t connect; /* the latest connect in the background; INDEX_NONE: none */
	uint64_t connect_fd;
};

static struct str sleep_args(const struct rule_input *in, uint32_t call)
{
	const struct calls *c = in->capture->calls;

	return strings_get(capture_strings(in->capture), c->args.data[call]);
}

/*
 * Is @call a look: does it check a descriptor without waiting? *@ret_found: there was an event or
 * data. *@ret_fd: the descriptor.
 */
static bool sleep_is_look(const struct rule_input *in, uint32_t call, uint64_t *ret_fd,
			  bool *ret_found)
{
	const struct calls *c = in->capture->calls;
	struct str name = syscall_words_name(in, c->sym.data[call]);
	struct str args = sleep_args(in, call);
	enum syscall_kind kind = syscall_kind_of(name, false);
	int error = syscalls_call_error(c, call);

	if (c->retval.len <= call || c->retval_kind.data[call] != RETVAL_DECIMAL ||
	    !syscall_descriptor(name, args, ret_fd))
		return false;
	if (kind == SYSCALL_KIND_POLL) {
		*ret_found = error == 0 && c->retval.data[call] > 0;
		return *ret_found || (error == 0 && syscall_poll_is_zero(name, args));
	}
	*ret_found = error == 0;
	return str_glob(STR("read*|recv*|accept*"), name) && (error == 0 || error == -EAGAIN);
}

/* Count the round that ends with the look @call. @is_found: this look found an event. */
static void sleep_round(struct sleep_lane *l, uint32_t call, bool is_found)
{
	struct sleep_rounds *r = &l->rounds;

	r->n++;
	r->found += is_found;
	r->ns += l->sleep_ns;
	if (l->sleep_ns <= r->longest_ns)
		return;
	r->longest_ns = l->sleep_ns;
	r->look = l->look;
	r->sleep = l->sleep;
	r->again = call;
	r->fd = l->look_fd;
	r->connect = l->connect != INDEX_NONE && l->connect_fd == r->fd ? l->connect : INDEX_NONE;
}

static void sleep_take(const struct rule_input *in, struct sleep_lane *l, uint32_t call)
{
	const struct calls *c = in->capture->calls;
	struct str name = syscall_words_name(in, c->sym.data[call]);
	uint64_t fd = 0, ns;
	bool is_found = false;

	if (str_eq(name, STR("connect"))) {
		l->connect = syscalls_call_error(c, call) == -EINPROGRESS &&
					     syscall_descriptor(name, sleep_args(in, call), &fd)
				     ? call
				     : INDEX_NONE;
		l->connect_fd = fd;
	}
	if (l->look != INDEX_NONE && l->sleep == INDEX_NONE &&
	    syscall_sleep_ns(name, sleep_args(in, call), &ns)) {
		l->sleep = call;
		l->sleep_ns = ns;
		return;
	}
	if (syscall_kind_of(name, false) == SYSCALL_KIND_CLOCK)
		return;
	if (!sleep_is_look(in, call, &fd, &is_found)) {
		l->look = l->sleep = INDEX_NONE;
		return;
	}
	if (l->sleep != INDEX_NONE && fd == l->look_fd)
		sleep_round(l, call, is_found);
	l->look = is_found ? INDEX_NONE : call;
	l->look_fd = fd;
	l->sleep = INDEX_NONE;
}

/* The rounds of the thread that slept longest. Member n is 0 if no thread polls like this. */
static struct sleep_rounds sleep_find(const struct rule_input *in)
{
	const struct calls *c = in->capture->calls;
	struct sleep_lane *lanes = xcalloc(c->lanes.len, sizeof(*lanes));
	struct sleep_rounds best = { .n = 0 };

	for (uint32_t i = 0; i < c->lanes.len; i++)
		lanes[i] = (struct sleep_lane){
			.rounds = { .lane = i, .connect = INDEX_NONE },
			.look = INDEX_NONE,
			.sleep = INDEX_NONE,
			.connect = INDEX_NONE,
		};
	for (uint32_t i = 0; i < c->n && c->args.len; i++)
		sleep_take(in, &lanes[c->lane.data[i]], i);
	for (uint32_t i = 0; i < c->lanes.len; i++) {
		struct sleep_rounds *r = &lanes[i].rounds;

		if ((r->found || r->connect != INDEX_NONE) && r->ns > best.ns)
			best = *r;
	}
	free(lanes);
	return best;
}

/* Share of the sleeps in the thread's time, percent; negative: unknown. */
static double sleep_pct(const struct rule_input *in, const struct sleep_rounds *r)
{
	VEC_FOREACH (t, &in->syscalls->threads) {
		if (t->lane == r->lane && t->span_ns >= r->ns && !syscall_words_is_filtered(in))
			return syscall_words_pct((double)r->ns, (double)t->span_ns);
	}
	return -1;
}

static void sleep_claim(const struct rule_input *in, struct findings *out, struct finding *f,
			const struct sleep_rounds *r, double pct)
{
	const struct calls *c = in->capture->calls;
	const char *share =
		pct < 0 ? "" : finding_name(out, " (%.*f %% of its time)", pct > 99.9 ? 2 : 1, pct);

	finding_claim(out, f,
		      "%s sleeps %s in %s" STR_FMT "%s instead of waiting for %sfd %" PRIu64
		      "; " STR_FMT " only looks before and after",
		      syscall_words_thread(in, out, r->lane), finding_duration(out, r->ns),
		      r->n == 1 ? "" : finding_name(out, "%u calls of ", r->n),
		      STR_ARG(syscall_words_name(in, c->sym.data[r->sleep])), share,
		      r->connect != INDEX_NONE ? "the connection of " : "", r->fd,
		      STR_ARG(syscall_words_name(in, c->sym.data[r->look])));
	finding_figure(f, "time", (double)r->ns / 1e9, 0, "s");
	finding_figure(f, "sleeps", r->n, 0, "");
	finding_figure(f, "ready after the sleep", r->found, 0, "");
	if (pct >= 0)
		finding_figure(f, "share of the thread's time", pct, 0, "%");
}

/* Cite the sleep first, then the other calls of the longest round. */
static void sleep_cite(const struct rule_input *in, struct findings *out, struct finding *f,
		       const struct sleep_rounds *r)
{
	const struct calls *c = in->capture->calls;
	uint32_t calls[] = { r->sleep, r->connect, r->look, r->again };

	for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
		if (calls[i] == INDEX_NONE)
			continue;
		finding_evidence(out, f, in, c->line.data[calls[i]], "%s",
				 syscall_words_call(in, out, calls[i]));
		if (i != 1)
			finding_subject(f, c->sym.data[calls[i]], SUBJECT_EXPLAINED);
	}
}

static void sleep_finding(const struct rule_input *in, struct findings *out,
			  const struct sleep_rounds *r, double pct)
{
	const struct calls *c = in->capture->calls;
	struct str look = syscall_words_name(in, c->sym.data[r->look]);
	bool is_poll = syscall_kind_of(look, false) == SYSCALL_KIND_POLL;
	bool leads = pct >= SLEEP_LEAD_PCT && r->ns >= SLEEP_LEAD_NS;
	struct finding *f = finding_add(out, in, &rule_sleep_between_polls,
					leads ? FINDING_WARNING : FINDING_NOTE, SLEEP_SURE);

	f->impact = pct >= 0 ? pct : syscall_words_pct(2.0 * r->n, (double)in->syscalls->calls);
	sleep_claim(in, out, f, r, pct);
	sleep_cite(in, out, f, r);
	finding_cause(
		out, f,
		"%sThe sleep lasts its whole time, however soon the event comes. Drop it, and "
		"give %s a time limit of %" PRIu64 " ms: poll returns at the event",
		r->connect != INDEX_NONE ? "The connect goes on in the background (EINPROGRESS). "
					 : "",
		is_poll ? finding_name(out, STR_FMT, STR_ARG(look)) : "a poll before the call",
		r->longest_ns / 1000000);
	finding_because(out, f,
			"calls, descriptor and times are in the log\n"
			"when the event came");
	finding_next(out, f,
		     "strace -f -tt -k -e trace=" STR_FMT "," STR_FMT
		     " COMMAND: the code of the loop; give the poll the time limit",
		     STR_ARG(look), STR_ARG(syscall_words_name(in, c->sym.data[r->sleep])));
}

static void sleep_between_polls_check(const struct rule_input *in, struct findings *out)
{
	const struct syscalls_summary *s = in->syscalls;
	struct sleep_rounds r;
	double pct;

	if (s->is_library)
		return;
	if (!s->is_log) {
		finding_not_assessed(out, in, &rule_sleep_between_polls,
				     "strace -f -tt -o out COMMAND",
				     "a table does not show the order of calls");
		return;
	}
	r = sleep_find(in);
	pct = r.n ? sleep_pct(in, &r) : -1;
	if (r.n && r.ns >= SLEEP_NOTE_NS && (pct < 0 || pct >= SLEEP_NOTE_PCT))
		sleep_finding(in, out, &r, pct);
	else if (r.n)
		finding_clean(out, in, &rule_sleep_between_polls,
			      "sleeps between two looks at one descriptor take %s",
			      finding_duration(out, r.ns));
	else
		finding_clean(out, in, &rule_sleep_between_polls,
			      "no thread sleeps between two looks at one descriptor");
}

static const char *const sleep_explains[] = {
	"empty-polls",   "call-gaps", "call-sequence", "system-calls", "long-calls",
	"failing-calls", NULL
};

const struct rule rule_sleep_between_polls = {
	.id = "sleep-between-polls",
	.title = "Sleep instead of waiting for an event",
	.needs = RULE_SYSCALLS,
	.explains = sleep_explains,
	.check = sleep_between_polls_check,
	.is_measured = true,
};
