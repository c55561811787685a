/* SPDX-License-Identifier: MIT */
/*
 * A message is sent in two or more small parts, and its answer takes 40 ms. Nagle's algorithm
 * delays the second part until the first one is acknowledged. The peer delays its acknowledgement,
 * because it has nothing to send yet.
 *
 * A log of system calls shows two sends to one socket in a row, each smaller than a segment. Then
 * the thread waits for data from the same socket. Linux delays an acknowledgement by at least 40 ms
 * (TCP_DELACK_MIN, TCP_ATO_MIN in include/net/tcp.h), and longer on a busy machine.
 *
 * Thresholds: five such waits, and half of the messages in parts have such a wait. If the waits
 * take a tenth of a thread's time, the finding is a note; with 40 % it is a warning.
 */
#include "analyses/syscalls/syscalls.h"
#include "base/alloc.h"
#include "base/number.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/words/syscall_words.h"

#include <stdlib.h>

DECLARE_RULE(delayed_ack);

/* a larger send (bytes) fills a segment, which is transmitted at once */
#define ACK_SEGMENT  1400u
#define ACK_LEAST_NS 39e6
#define ACK_MOST_NS  55e6
#define ACK_WAITS    5u
#define ACK_PART     0.5
#define ACK_NOTE_PCT 10.0
#define ACK_LEAD_PCT 40.0

/*
 * A thread with its latest message that has no answer yet. A message consists of one or more small
 * sends to one socket.
 */
struct ack_lane {
	uint64_t fd;
	unsigned int parts;
	uint64_t polled_ns; /* time that the thread spent in poll() since it sent the last part */
	/* sum of the waits for answers that were as long as a delayed acknowledgement, ns */
	double ns;
	uint32_t first; /* index of the call that sent the first part of the message */
};

struct ack_sum {
	uint64_t messages; /* number of messages that were sent in parts and answered */
	/* number of these messages whose answer came after a delayed acknowledgement */
	uint64_t waits;
	double ns;
	/*
	 * indices of two calls to cite: the first part of the first message with a delayed answer,
	 * and the wait for this answer
	 */
	uint32_t first, wait;
};

static bool ack_fd(const struct rule_input *in, uint32_t call, uint64_t *ret)
{
	struct str args =
		strings_get(capture_strings(in->capture), in->capture->calls->args.data[call]);

	return str_u64(&args, ret);
}

/* Does @call send less than a segment? */
static bool ack_is_part(const struct calls *c, uint32_t call)
{
	return c->retval_kind.data[call] == RETVAL_DECIMAL && c->retval.data[call] &&
	       c->retval.data[call] < ACK_SEGMENT;
}

static void ack_answer(const struct calls *c, struct ack_lane *l, uint32_t call,
		       struct ack_sum *sum)
{
	double ns = (double)(calls_duration(c, call) + l->polled_ns);

	if (l->parts < 2)
		return;
	sum->messages++;
	if (ns < ACK_LEAST_NS || ns > ACK_MOST_NS)
		return;
	if (sum->waits++ == 0) {
		sum->first = l->first;
		sum->wait = call;
	}
	sum->ns += ns;
	l->ns += ns;
}

static void ack_call(const struct rule_input *in, struct ack_lane *l, uint32_t call,
		     struct ack_sum *sum)
{
	const struct calls *c = in->capture->calls;
	struct str name = syscall_words_name(in, c->sym.data[call]);
	bool sends = str_glob(STR("send|sendto|sendmsg|write|writev"), name);
	bool takes = str_glob(STR("recv|recvfrom|recvmsg|read|readv"), name);
	uint64_t fd;

	if (l->parts && str_glob(STR("poll|ppoll|select|pselect6|epoll_*wait*"), name)) {
		l->polled_ns += calls_is_timed(c, call) ? calls_duration(c, call) : 0;
		return;
	}
	if (!(sends || takes) || !ack_fd(in, call, &fd))
		return;
	if (takes && l->parts && fd == l->fd && calls_is_timed(c, call))
		ack_answer(c, l, call, sum);
	if (!sends || !ack_is_part(c, call)) {
		l->parts = 0;
		return;
	}
	if (l->parts == 0 || l->fd != fd)
		*l = (struct ack_lane){ .fd = fd, .ns = l->ns, .first = call };
	l->parts++;
	l->polled_ns = 0;
}

static void ack_finding(const struct rule_input *in, struct findings *out,
			const struct ack_sum *sum, uint32_t lane, double pct)
{
	const struct calls *c = in->capture->calls;
	struct str name = syscall_words_name(in, c->sym.data[sum->wait]);
	struct finding *f = finding_add(out, in, &rule_delayed_ack,
					pct >= ACK_LEAD_PCT ? FINDING_WARNING : FINDING_NOTE, 75);

	f->impact = pct;
	finding_claim(out, f,
		      "Delayed acknowledgements: %llu of %llu answers to messages sent in two or "
		      "more small parts take %s each, %.1f %% of the time of %s: " STR_FMT,
		      (unsigned long long)sum->waits, (unsigned long long)sum->messages,
		      finding_duration(out, number_whole(sum->ns / (double)sum->waits)), pct,
		      syscall_words_thread(in, out, lane), STR_ARG(name));
	finding_figure(f, "waits of 40 to 55 ms", (double)sum->waits, 0, "");
	finding_figure(f, "messages in parts", (double)sum->messages, 0, "");
	finding_figure(f, "share of the thread's time", pct, 0, "%");
	finding_subject(f, c->sym.data[sum->wait], SUBJECT_EXPLAINED);
	finding_evidence(out, f, in, c->line.data[sum->first], "the first part");
	finding_evidence(out, f, in, c->line.data[sum->wait], "the wait for its answer");
	finding_usual_cause(
		out, f,
		"Nagle's algorithm holds the second small part until the peer acknowledges "
		"the first, and the peer delays its acknowledgement by 40 ms: it waits for "
		"the whole message");
	finding_because(out, f,
			"the log shows sizes, order and durations\n"
			"whether the peer needs these 40 ms for its answer, which looks the same");
	finding_next(out, f,
		     "send the message at once (writev, one buffer, MSG_MORE), or set "
		     "TCP_NODELAY");
	finding_next(out, f,
		     "tcpdump on the port: the second part leaves right after the "
		     "acknowledgement");
}

static void ack_check(const struct rule_input *in, struct findings *out)
{
	const struct syscalls_summary *s = in->syscalls;
	const struct calls *c = in->capture->calls;
	struct ack_sum sum = { .waits = 0 };
	struct ack_lane *lanes;
	uint32_t slowest = 0;
	double pct = 0;

	if (s->is_library)
		return;
	if (!s->is_log || !c || !c->args.len || !c->retval.len || s->clock != SYSCALL_WALL_TIME) {
		finding_not_assessed(out, in, &rule_delayed_ack,
				     "strace -f -tt -T -e trace=network,read,write -o out COMMAND",
				     "no log with durations, arguments and results of calls");
		return;
	}
	lanes = xcalloc(c->lanes.len + 1, sizeof(*lanes));
	for (uint32_t i = 0; i < c->n; i++)
		ack_call(in, &lanes[c->lane.data[i]], i, &sum);
	for (uint32_t i = 1; i < c->lanes.len; i++)
		slowest = lanes[i].ns > lanes[slowest].ns ? i : slowest;
	VEC_FOREACH (t, &s->threads) {
		if (t->lane == slowest)
			pct = syscall_words_pct(lanes[slowest].ns, (double)t->span_ns);
	}
	free(lanes);
	if (sum.waits >= ACK_WAITS && (double)sum.waits >= ACK_PART * (double)sum.messages &&
	    pct >= ACK_NOTE_PCT)
		ack_finding(in, out, &sum, slowest, pct);
	else
		finding_clean(out, in, &rule_delayed_ack,
			      "%llu of %llu answers to messages in parts take 40 to 55 ms",
			      (unsigned long long)sum.waits, (unsigned long long)sum.messages);
}

static const char *const ack_explains[] = { "long-calls", "call-sequence", "tiny-io",
					    "system-calls", NULL };

const struct rule rule_delayed_ack = {
	.id = "delayed-ack",
	.title = "Delayed acknowledgement",
	.needs = RULE_SYSCALLS,
	.explains = ack_explains,
	.check = ack_check,
};
