/* SPDX-License-Identifier: MIT */
/*
 * A poll returns events, the thread makes no call that could serve them, and the next poll returns
 * events again: the loop spins. Level-triggered events stay until they are served; an error or a
 * hang-up stays until the descriptor is closed or removed.
 *
 * Thresholds: three such polls, or two with an error or hang-up, and half of all polls. There is no
 * finding if a filter such as grep removed calls from the log. If the log has only polls, a filter
 * of the tracer may hide the calls that serve the events. Then the text must print the command, to
 * show that it traced all calls. Events without an error or hang-up may be served without system
 * calls, through shared memory (io_uring, AF_XDP, buffers of perf), so that finding is less
 * certain. Source: epoll(7), poll(2).
 */
#include "analyses/syscalls/syscalls.h"
#include "base/alloc.h"
#include "base/str.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/words/syscall_words.h"

#include <inttypes.h>
#include <stdlib.h>

DECLARE_RULE(unserved_events);

#define UNSERVED_LEAST       3u
#define UNSERVED_LEAST_ERROR 2u
#define UNSERVED_SURE        60u
#define UNSERVED_SURE_ERROR  85u

/* State of one thread while its calls are read in order. */
struct unserved_lane {
	/* the last poll that returned events, if no call has served them yet; INDEX_NONE: none */
	uint32_t last;
	bool has_other; /* the log has calls other than polls */
	bool is_armed;  /* a descriptor was registered again after the last poll */
};

struct unserved_sum {
	uint64_t polls;
	uint64_t unserved; /* number of polls whose events no call served before the next poll */
	uint32_t first;    /* index of the first poll in `unserved` */
	/* the first poll in `unserved` with an error or hang-up; INDEX_NONE: none */
	uint32_t error;
	/* number of polls in `unserved` after which a descriptor was registered again */
	uint64_t armed;
	bool has_other;
};

/* Does a call of this kind never serve an event? */
static bool unserved_is_aside(enum syscall_kind kind)
{
	return kind == SYSCALL_KIND_CLOCK || kind == SYSCALL_KIND_IDENTITY ||
	       kind == SYSCALL_KIND_MEMORY || kind == SYSCALL_KIND_SETTING ||
	       kind == SYSCALL_KIND_SIGNAL || kind == SYSCALL_KIND_YIELD ||
	       kind == SYSCALL_KIND_SLEEP;
}

static struct str unserved_args(const struct rule_input *in, uint32_t call)
{
	const struct calls *c = in->capture->calls;

	return strings_get(capture_strings(in->capture),
			   c->args.len ? c->args.data[call] : STR_ID_NONE);
}

/* Do the events that the poll @call returned include an error or a hang-up? */
static bool unserved_is_error(const struct rule_input *in, uint32_t call)
{
	struct str args = unserved_args(in, call);

	return str_contains(args, STR("POLLERR")) || str_contains(args, STR("POLLHUP")) ||
	       str_contains(args, STR("POLLRDHUP")) || str_contains(args, STR("POLLNVAL"));
}

/*
 * Does @call only register a descriptor again, after the poll @poll returned a hang-up or an error?
 * epoll(7) always reports hang-ups and errors of a registered descriptor, even if the program did
 * not request them. It reports the end of one direction (EPOLLRDHUP) only on request.
 */
static bool unserved_is_armed(const struct rule_input *in, uint32_t poll, uint32_t call)
{
	struct str events = unserved_args(in, poll);
	struct str args = unserved_args(in, call);

	return str_eq(syscall_words_name(in, in->capture->calls->sym.data[call]),
		      STR("epoll_ctl")) &&
	       (str_contains(args, STR("EPOLL_CTL_MOD")) ||
		str_contains(args, STR("EPOLL_CTL_ADD"))) &&
	       (str_contains(events, STR("EPOLLHUP")) || str_contains(events, STR("EPOLLERR")));
}

static bool unserved_has_events(const struct calls *c, uint32_t call)
{
	return c->retval.len > call && c->retval_kind.data[call] == RETVAL_DECIMAL &&
	       (int64_t)c->retval.data[call] > 0;
}

static void unserved_poll(const struct rule_input *in, uint32_t call, struct unserved_lane *l,
			  struct unserved_sum *sum)
{
	sum->polls++;
	if (l->last != INDEX_NONE) {
		sum->first = sum->unserved++ ? sum->first : l->last;
		sum->has_other |= l->has_other;
		if (sum->error == INDEX_NONE && unserved_is_error(in, l->last))
			sum->error = l->last;
		sum->armed += l->is_armed;
	}
	l->is_armed = false;
	l->last = unserved_has_events(in->capture->calls, call) ? call : INDEX_NONE;
}

static struct unserved_sum unserved_walk(const struct rule_input *in)
{
	const struct calls *c = in->capture->calls;
	struct unserved_sum sum = { .error = INDEX_NONE };
	struct unserved_lane *lanes = xcalloc(c->lanes.len, sizeof(*lanes));

	for (uint32_t i = 0; i < c->lanes.len; i++)
		lanes[i].last = INDEX_NONE;
	for (uint32_t i = 0; i < c->n; i++) {
		struct unserved_lane *l = &lanes[c->lane.data[i]];
		enum syscall_kind kind = syscall_kind_of_call(
			syscall_words_name(in, c->sym.data[i]), unserved_args(in, i), false);

		if (kind == SYSCALL_KIND_POLL) {
			unserved_poll(in, i, l, &sum);
			continue;
		}
		l->has_other = true;
		if (l->last != INDEX_NONE && unserved_is_armed(in, l->last, i))
			l->is_armed = true;
		else if (!unserved_is_aside(kind))
			l->last = INDEX_NONE;
	}
	free(lanes);
	return sum;
}

/* The event with an error or hang-up among @args: "EPOLLOUT|EPOLLHUP, {u32=245, u64=245}". */
static struct str unserved_event(struct str args)
{
	while (args.len) {
		size_t end = str_find(args, STR("}}"));
		struct str one;

		/* the arguments are those of poll(): "fd=4, revents=POLLHUP" */
		if (end == args.len)
			end = str_find(args, STR("}]"));
		one = str_sub(args, 0, end + (end < args.len));
		if (str_contains(one, STR("HUP")) || str_contains(one, STR("ERR")) ||
		    str_contains(one, STR("NVAL"))) {
			size_t open =
				str_rfind_char(str_sub(one, 0, str_find(one, STR("POLL"))), '{');

			return str_sub(str_skip(one, open < one.len ? open + 1 : 0), 0, 80);
		}
		args = str_skip(args, end + 2);
	}
	return STR_NONE;
}

static void unserved_finding(const struct rule_input *in, struct findings *out,
			     const struct unserved_sum *sum)
{
	const struct calls *c = in->capture->calls;
	bool is_error = sum->error != INDEX_NONE;
	uint32_t at = is_error ? sum->error : sum->first;
	struct str name = syscall_words_name(in, c->sym.data[at]);
	struct str event = is_error ? unserved_event(unserved_args(in, at)) : STR_NONE;
	struct finding *f = finding_add(out, in, &rule_unserved_events,
					is_error ? FINDING_WARNING : FINDING_NOTE,
					is_error ? UNSERVED_SURE_ERROR : UNSERVED_SURE);

	f->impact = syscall_words_pct((double)sum->unserved, (double)sum->polls);
	finding_claim(out, f,
		      "The loop spins: " STR_FMT " returns events %" PRIu64 " of %" PRIu64
		      " times, and the thread reads, writes or closes nothing before it polls "
		      "again%s" STR_FMT,
		      STR_ARG(name), sum->unserved, sum->polls, event.len ? "; " : "",
		      STR_ARG(event));
	finding_figure(f, "polls whose events are not served", (double)sum->unserved, 0, "");
	finding_figure_part(f, "share of polls", sum->unserved, sum->polls);
	finding_subject(f, c->sym.data[at], SUBJECT_EXPLAINED);
	finding_evidence(out, f, in, c->line.data[at], STR_FMT "(" STR_FMT, STR_ARG(name),
			 STR_ARG(str_sub(unserved_args(in, at), 0, 80)));
	finding_usual_cause(
		out, f, "%s",
		is_error && sum->armed * 2 >= sum->unserved
			? "The descriptor has an error or was closed by its peer, and the program "
			  "registers it again (EPOLL_CTL_MOD) instead of reading to its end and "
			  "closing it, so each poll returns at once"
		: is_error
			? "The descriptor has an error or was closed by its peer, and the "
			  "program neither closes it nor removes it, so each poll returns at "
			  "once"
			: "The events are of a kind that the program does not handle now, such as "
			  "'writable' with nothing to write. They stay, so each poll returns at "
			  "once");
	finding_because(out, f,
			is_error
				? "an error or hang-up stays until the descriptor is closed"
				: "events can also be served through shared memory, without calls");
	finding_next(out, f,
		     "ls -l /proc/PID/fd; gdb -p PID -batch -ex bt: which descriptor it is, and "
		     "the handler that skips it");
}

static void unserved_check(const struct rule_input *in, struct findings *out)
{
	const struct syscalls_summary *s = in->syscalls;
	struct unserved_sum sum;
	uint64_t least;

	if (s->is_library)
		return;
	if (!s->is_log) {
		finding_not_assessed(out, in, &rule_unserved_events, "strace -f -p PID",
				     "a table does not show the order of calls");
		return;
	}
	sum = unserved_walk(in);
	least = sum.error == INDEX_NONE ? UNSERVED_LEAST : UNSERVED_LEAST_ERROR;
	if (sum.unserved >= least && sum.unserved * 2 >= sum.polls &&
	    (sum.has_other || syscall_words_is_whole(in)) && !syscall_words_is_filtered(in))
		unserved_finding(in, out, &sum);
	else if (sum.unserved >= least && sum.unserved * 2 >= sum.polls)
		finding_not_assessed(out, in, &rule_unserved_events, "strace -f -p PID",
				     "only polls are traced, not what serves their events");
	else
		finding_clean(out, in, &rule_unserved_events,
			      "%" PRIu64 " of %" PRIu64 " polls return events that no call serves",
			      sum.unserved, sum.polls);
}

static const char *const unserved_explains[] = { "system-calls", "call-sequence", NULL };

const struct rule rule_unserved_events = {
	.id = "unserved-events",
	.title = "Busy loop: events that are not served",
	.needs = RULE_SYSCALLS,
	.explains = unserved_explains,
	.check = unserved_check,
	.is_measured = true,
};
