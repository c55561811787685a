/* SPDX-License-Identifier: MIT */
/*
 * A program reads, writes or sends few bytes at a time, with one system call each time.
 *
 * Thresholds: the calls of one name transfer less than 256 bytes on average. Then nearly all of
 * their time is overhead: a call costs about as much as copying a few kilobytes. A note needs 15 %
 * of all calls; a warning 40 %, and at least 1000 calls. Reads and writes of event descriptors and
 * terminals are ignored, because each of them is one event. Rare calls are ignored, too: less than
 * a hundredth of the time of all calls, and fewer than 100 per second.
 */
#include "analyses/syscalls/syscalls.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/strings.h"
#include "explain/words/syscall_words.h"

#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(tiny_io);

#define TINY_BYTES    256.0
#define TINY_NOTE_PCT 15.0
#define TINY_LEAD_PCT 40.0
#define TINY_LEAD     1000u
#define TINY_MIN      20u
#define TINY_MIN_LOG  6u /* minimum number of calls of one name in an excerpt */
/* calls below both limits are ignored: share of the time in percent, and calls per second */
#define TINY_LITTLE_PCT  1.0
#define TINY_LITTLE_RATE 100.0

/*
 * Number of calls of @sym that each transfer one event. Two signs show this: the descriptor is an
 * event descriptor or a terminal, by its name; or the data is a small number in eight bytes, as
 * eventfd and timerfd transfer it.
 */
static uint64_t tiny_events(const struct rule_input *in, sym_id sym)
{
	const struct calls *c = in->capture->calls;
	uint64_t named = 0, counts = 0;

	VEC_FOREACH (o, &in->syscalls->objects) {
		if (o->sym.v == sym.v &&
		    syscall_words_is_events(strings_get(capture_strings(in->capture), o->name)))
			named += o->calls;
	}
	for (uint32_t i = 0; c && c->args.len && i < c->n; i++)
		counts += c->sym.data[i].v == sym.v &&
			  str_contains(strings_get(capture_strings(in->capture), c->args.data[i]),
				       STR("\\0\\0\\0\\0\\0\\0\\0\", 8"));
	return named > counts ? named : counts;
}

/* Are the calls of @row so short and so rare that fewer calls would save nothing? */
static bool tiny_is_cheap(const struct syscalls_summary *s, const struct syscall_row *row)
{
	return s->clock == SYSCALL_WALL_TIME &&
	       syscall_words_pct(row->time_ns, s->time_ns) < TINY_LITTLE_PCT &&
	       (double)row->calls * 1e9 < TINY_LITTLE_RATE * s->time_ns;
}

/* The path or descriptor for which most calls of @sym are made; NULL: unknown. */
static const struct syscall_object *tiny_object(const struct syscalls_summary *s, sym_id sym)
{
	VEC_FOREACH (o, &s->objects) {
		if (o->sym.v == sym.v)
			return o;
	}
	return NULL;
}

static void tiny_finding(const struct rule_input *in, struct findings *out,
			 const struct syscall_row *row, double mean)
{
	const struct syscalls_summary *s = in->syscalls;
	double pct = syscall_words_pct((double)row->calls, (double)s->calls);
	const struct syscall_object *o = tiny_object(s, row->sym);
	struct str name = syscall_words_name(in, row->sym);
	bool is_net = row->kind == SYSCALL_KIND_NETWORK;
	struct finding *f = finding_add(
		out, in, &rule_tiny_io,
		pct >= TINY_LEAD_PCT && row->calls >= TINY_LEAD ? FINDING_WARNING : FINDING_NOTE,
		is_net ? 75 : 90);

	f->impact = pct;
	finding_claim(out, f, STR_FMT " moves %.1f bytes per call: %llu calls, %.1f %% of all%s%s",
		      STR_ARG(name), mean, (unsigned long long)row->io_calls, pct,
		      o ? ", most often on " : "", o ? syscall_words_about(in, out, o->name) : "");
	finding_figure(f, "bytes per call", mean, 0, "");
	finding_figure(f, "calls", (double)row->io_calls, 0, "");
	finding_figure_part(f, "share of calls", row->calls, s->calls);
	finding_subject(f, row->sym, SUBJECT_EXPLAINED);
	finding_evidence(out, f, in, row->line, STR_FMT, STR_ARG(name));
	if (o && o->line != row->line)
		finding_evidence(out, f, in, o->line, "%s: %llu calls",
				 syscall_words_about(in, out, o->name),
				 (unsigned long long)o->calls);
	finding_usual_cause(
		out, f, "%s",
		is_net ? "Small messages are sent one by one, perhaps with a round trip "
			 "each. Send several at once (writev, sendmmsg, pipelining)"
		       : "Small unbuffered I/O: each line, record or byte is one system "
			 "call. A buffer of some kilobytes needs far fewer calls");
	finding_because(out, f, "the log shows the size of each call");
	finding_next(out, f,
		     "strace -f -y -k -e trace=" STR_FMT " COMMAND: which code, on which file",
		     STR_ARG(name));
}

static void tiny_check(const struct rule_input *in, struct findings *out)
{
	const struct syscalls_summary *s = in->syscalls;
	uint64_t least = s->calls < SYSCALL_EXCERPT ? TINY_MIN_LOG : TINY_MIN;
	uint64_t calls = 0, messages = 0, cheap = 0;
	size_t n = 0;

	if (s->is_library)
		return;
	VEC_FOREACH (row, &s->rows) {
		double mean = row->io_calls ? (double)row->io_bytes / (double)row->io_calls : 0;

		calls += row->io_calls;
		if (row->io_calls < least || mean >= TINY_BYTES || mean <= 0 ||
		    syscall_words_pct((double)row->calls, (double)s->calls) < TINY_NOTE_PCT)
			continue;
		/*
		 * a larger buffer would not help: each read already returned all data that the peer
		 * had sent
		 */
		if (row->messages * 2 > row->io_calls) {
			messages += row->io_calls;
			continue;
		}
		if (tiny_events(in, row->sym) * 2 > row->io_calls || tiny_is_cheap(s, row)) {
			cheap += row->io_calls;
			continue;
		}
		tiny_finding(in, out, row, mean);
		n++;
	}
	if (n)
		return;
	if (!s->is_log)
		finding_not_assessed(
			out, in, &rule_tiny_io,
			"strace -f -y -e trace=read,write,readv,writev,pread64,pwrite64 "
			"-o out COMMAND",
			"a table does not show sizes");
	else if (messages)
		finding_clean(
			out, in, &rule_tiny_io,
			"%llu small reads and writes are messages: the buffer had room for more",
			(unsigned long long)messages);
	else if (cheap)
		finding_clean(out, in, &rule_tiny_io,
			      "%llu small reads and writes are events, or are rare and cost little",
			      (unsigned long long)cheap);
	else
		finding_clean(out, in, &rule_tiny_io,
			      "no frequent read or write moves less than %.0f bytes (%llu of these "
			      "calls)",
			      TINY_BYTES, (unsigned long long)calls);
}

static const char *const tiny_explains[] = { "system-calls", "call-sequence", NULL };

const struct rule rule_tiny_io = {
	.id = "tiny-io",
	.title = "Tiny reads or writes",
	.needs = RULE_SYSCALLS,
	.explains = tiny_explains,
	.check = tiny_check,
	.is_measured = true,
};
