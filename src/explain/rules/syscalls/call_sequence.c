/* SPDX-License-Identifier: MIT */
/*
 * A thread repeats the same sequence of calls, such as sendto, poll, recvfrom: one step of its work
 * needs all these calls.
 *
 * Thresholds: four rounds with a fifth of the thread's calls are a loop. A warning needs a hundred
 * rounds with half of the calls.
 */
#include "analyses/syscalls/syscalls.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/strings.h"
#include "explain/words/syscall_words.h"

#include "base/str.h"
#include "base/vec.h"
#include "explain/call_sequence_names.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(call_sequence);

#define SEQUENCE_ROUNDS 4u
/* if all calls of the sequence take less time, ns, they are no problem */
#define SEQUENCE_LEAST_NS    3e6
#define SEQUENCE_NOTE_PCT    20.0
#define SEQUENCE_LEAD_PCT    50.0
#define SEQUENCE_LEAD_ROUNDS 100u
#define SEQUENCE_RECEIVES    "recv|recvfrom|recvmsg"

struct sequence_text {
	/* two patterns of call names; the sequence must have a call for each; "": no condition */
	const char *has;
	const char *and;
	const char *cause;
	/* "yes": the text is used only if requests and answers go through a socket or pipe */
	const char *streams;
	/* "no": the text is used only if no poll of the log returned an event */
	const char *events;
};

static const struct sequence_text sequence_texts[] = { SEQUENCE_TEXTS };

static bool sequence_has(const struct rule_input *in, const struct syscall_cycle *c,
			 const char *pattern)
{
	for (unsigned int i = 0; i < c->n; i++) {
		if (str_glob(str_of(pattern), syscall_words_name(in, c->names[i])))
			return true;
	}
	return false;
}

/* Does a call of the sequence that matches @pattern use the stream @name? */
static bool sequence_uses(const struct rule_input *in, const struct syscall_cycle *c,
			  const char *pattern, str_id name)
{
	VEC_FOREACH (o, &in->syscalls->objects) {
		if (o->name.v != name.v ||
		    !str_glob(str_of(pattern), syscall_words_name(in, o->sym)))
			continue;
		for (unsigned int i = 0; i < c->n; i++) {
			if (c->names[i].v == o->sym.v)
				return true;
		}
	}
	return false;
}

/*
 * Does one stream carry both the requests and the answers of the sequence? A stream is a socket, a
 * pipe, or a descriptor that no traced call opened. Also true if the sequence waits in poll, epoll
 * or select, or if the log has no arguments.
 */
static bool sequence_is_round_trip(const struct rule_input *in, const struct syscall_cycle *c)
{
	if (sequence_has(in, c, "poll*|epoll_*wait*|select") || !in->syscalls->objects.len)
		return true;
	VEC_FOREACH (o, &in->syscalls->objects) {
		if (syscalls_is_stream(strings_get(capture_strings(in->capture), o->name)) &&
		    sequence_uses(in, c, "send*|write*", o->name) &&
		    sequence_uses(in, c, "recv*|read*", o->name))
			return true;
	}
	return false;
}

static const char *sequence_cause(const struct rule_input *in, const struct syscall_cycle *c)
{
	const struct sequence_text *t = sequence_texts;

	while (!sequence_has(in, c, t->has) || !sequence_has(in, c, t->and) ||
	       (t->streams && !sequence_is_round_trip(in, c)) ||
	       (t->events && (in->syscalls->polls_found || !in->syscalls->polls_ended)))
		t++;
	return t->cause;
}

/*
 * Whether the sequence reads messages of another process: most of its reads return less than the
 * size of the buffer.
 */
static bool sequence_is_answers(const struct rule_input *in, const struct syscall_cycle *c)
{
	for (unsigned int i = 0; i < c->n; i++) {
		VEC_FOREACH (row, &in->syscalls->rows) {
			if (row->sym.v == c->names[i].v && row->messages &&
			    row->messages * 2 > row->io_calls)
				return true;
		}
	}
	return false;
}

/* Does each round read the request of a client, and nothing else from a socket or pipe? */
static bool sequence_is_served(const struct rule_input *in, const struct syscall_cycle *c)
{
	bool has_request = false;

	VEC_FOREACH (o, &in->syscalls->objects) {
		bool is_request = o->requests * 2 > o->calls;

		if (!syscalls_is_stream(strings_get(capture_strings(in->capture), o->name)) ||
		    !str_glob(STR("recv*|read*"), syscall_words_name(in, o->sym)))
			continue;
		for (unsigned int i = 0; i < c->n; i++) {
			if (c->names[i].v == o->sym.v && !is_request)
				return false;
			has_request |= c->names[i].v == o->sym.v;
		}
	}
	return has_request;
}

/* Does the sequence only receive? Then no request of the thread waits for these messages. */
static bool sequence_only_receives(const struct rule_input *in, const struct syscall_cycle *c)
{
	for (unsigned int i = 0; i < c->n; i++) {
		if (!str_glob(STR(SEQUENCE_RECEIVES), syscall_words_name(in, c->names[i])))
			return false;
	}
	return true;
}

static const char *sequence_answers_cause(const struct rule_input *in,
					  const struct syscall_cycle *c)
{
	return sequence_only_receives(in, c)
		       ? "Each message or packet that arrives takes a call of its own. recvmmsg() "
			 "takes several at once, and a ring of a packet socket (PACKET_RX_RING) "
			 "hands "
			 "over blocks of packets"
		       : "A server answers each message, or a client waits for each answer before "
			 "it "
			 "sends the next request (N+1 queries)";
}

/* Add the finding. @of: number of calls of the thread, inside and outside of the sequence. */
static void sequence_finding(const struct rule_input *in, struct findings *out, uint64_t of)
{
	const struct syscall_cycle *c = &in->syscalls->cycle;
	uint64_t rounds = c->calls / c->n;
	/* without the calls of an incomplete last round */
	uint64_t calls = rounds * c->n;
	double pct = syscall_words_pct((double)calls, (double)of);
	const char *names = "";
	bool is_answers = sequence_is_answers(in, c);
	struct finding *f = finding_add(out, in, &rule_call_sequence,
					!is_answers && rounds >= SEQUENCE_LEAD_ROUNDS &&
							pct >= SEQUENCE_LEAD_PCT
						? FINDING_WARNING
						: FINDING_NOTE,
					is_answers ? 60 : 75);

	for (unsigned int i = 0; i < c->n; i++)
		names = finding_name(out, "%s%s" STR_FMT, names, i ? ", " : "",
				     STR_ARG(syscall_words_name(in, c->names[i])));
	f->impact = pct;
	/* a single call that repeats: a rule about its sizes or errors knows more */
	f->is_general = c->n == 1;
	finding_claim(out, f, "%s makes the same %s %llu times in a row (%.1f %% of its calls): %s",
		      syscall_words_thread(in, out, c->lane),
		      c->n == 1 ? "call" : finding_name(out, "%u calls", c->n),
		      (unsigned long long)rounds, pct, names);
	finding_figure(f, "rounds", (double)rounds, 0, "");
	finding_figure(f, "calls per round", c->n, 0, "");
	finding_figure_part(f, "share of calls", calls, of);
	for (unsigned int i = 0; i < c->n; i++)
		finding_subject(f, c->names[i], SUBJECT_EXPLAINED);
	finding_evidence(out, f, in, c->line, "first round: %s", names);
	finding_usual_cause(out, f, "%s",
			    is_answers ? sequence_answers_cause(in, c) : sequence_cause(in, c));
	finding_because(out, f,
			"the log shows the order of calls\n"
			"what they are for");
	finding_next(out, f, "strace -f -k -e trace=" STR_FMT " COMMAND: the stack of the loop",
		     STR_ARG(syscall_words_name(in, c->names[0])));
}

/*
 * Time of all calls whose names are in the sequence, ns. If a name has no printed durations, its
 * time is assumed to be SEQUENCE_LEAST_NS, which is enough for a finding.
 */
static double sequence_ns(const struct syscalls_summary *s)
{
	double ns = 0;

	for (unsigned int i = 0; i < s->cycle.n; i++) {
		VEC_FOREACH (row, &s->rows) {
			if (row->sym.v == s->cycle.names[i].v)
				ns += row->time_ns >= 0 ? row->time_ns : SEQUENCE_LEAST_NS;
		}
	}
	return ns;
}

static void sequence_check(const struct rule_input *in, struct findings *out)
{
	const struct syscalls_summary *s = in->syscalls;
	uint64_t of = 0;

	if (!s->is_log) {
		finding_not_assessed(out, in, &rule_call_sequence, "strace -f -o out COMMAND",
				     "a table does not show the order of calls");
		return;
	}
	VEC_FOREACH (t, &s->threads) {
		if (s->cycle.n && t->lane == s->cycle.lane)
			of = t->calls;
	}
	if (s->cycle.n == 1 && sequence_ns(s) < SEQUENCE_LEAST_NS)
		finding_clean(out, in, &rule_call_sequence,
			      "the calls that repeat take %.2f ms in all", sequence_ns(s) / 1e6);
	else if (s->cycle.n && sequence_is_served(in, &s->cycle))
		finding_clean(out, in, &rule_call_sequence,
			      "a server answers one request of a client in each round");
	else if (s->cycle.n && s->cycle.calls / s->cycle.n >= SEQUENCE_ROUNDS &&
		 syscall_words_pct((double)(s->cycle.calls / s->cycle.n * s->cycle.n),
				   (double)of) >= SEQUENCE_NOTE_PCT)
		sequence_finding(in, out, of);
	else
		finding_clean(
			out, in, &rule_call_sequence,
			"no sequence of up to %u calls accounts for a fifth of a thread's calls",
			SYSCALLS_CYCLE_MAX);
}

static const char *const sequence_explains[] = { "system-calls", NULL };

const struct rule rule_call_sequence = {
	.id = "call-sequence",
	.title = "Repeated call sequence",
	.needs = RULE_SYSCALLS,
	.explains = sequence_explains,
	.check = sequence_check,
};
