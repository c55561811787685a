/* SPDX-License-Identifier: MIT */
/*
 * A program crashes again and again. Do the crashes have one cause? The same offset in the same
 * module is the same instruction, even in different processes. Bad memory or a bad disk would hit a
 * different instruction each time.
 *
 * No threshold: every crash is reported. If more than half of the segfaults are at one instruction,
 * they have one cause. Otherwise the causes differ.
 */
#include "core/capture.h"
#include "explain/words/log_words.h"

#include "analyses/logs/log_summary.h"
#include "base/out.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "explain/crash_loop_names.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(crash_loop);

#define CRASH_TRAP_NAME 40u
#define CRASH_SAME_MAX  4096u /* maximum number of segfaults to compare */

struct crash_facts {
	uint64_t crashes;
	uint64_t segfaults;
	uint64_t traps; /* number of exceptions of the processor, without segfaults */
	const struct log_trap *trap;
	/* number of crashes that a kernel log also reports as a segfault (by process id) */
	uint64_t both;
	uint32_t log;
	uint32_t first;
	uint32_t last;
	double seconds; /* seconds from the first to the last crash */
	bool has_seconds;
	/*
	 * Segfaults at the same instruction are a group. same: one segfault of the largest group;
	 * n_same: number of segfaults in this group.
	 */
	const struct log_segfault *same;
	uint64_t n_same;
	/*
	 * all segfaults of this group have the same command (is_of_one_program), or the same
	 * process id (is_of_one_process)
	 */
	bool is_of_one_program;
	bool is_of_one_process;
};

static bool crash_is_same(const struct log_segfault *a, const struct log_segfault *b)
{
	return a->has_object && b->has_object && a->offset == b->offset &&
	       str_eq(a->object, b->object);
}

static void crash_group(const struct log_summary *log, struct crash_facts *c)
{
	size_t n = log->segfaults.len < CRASH_SAME_MAX ? log->segfaults.len : CRASH_SAME_MAX;

	for (size_t i = 0; i < n && c->n_same * 2 <= n; i++) {
		const struct log_segfault *first = &log->segfaults.data[i];
		bool is_of_one_program = true;
		bool is_of_one_process = true;
		uint64_t same = 0;

		for (size_t k = i; k < n; k++) {
			if (!crash_is_same(first, &log->segfaults.data[k]))
				continue;
			same++;
			is_of_one_program &= str_eq(first->comm, log->segfaults.data[k].comm);
			is_of_one_process &= first->pid == log->segfaults.data[k].pid;
		}
		if (same > c->n_same) {
			c->n_same = same;
			c->is_of_one_program = is_of_one_program;
			c->is_of_one_process = is_of_one_process;
			c->same = &log->segfaults.data[i];
		}
	}
}

static void crash_times(const struct rule_input *log, struct crash_facts *c)
{
	double low = 0;
	double high = 0;

	VEC_FOREACH (r, &log->log->crashes) {
		double at;

		if (!log_words_seconds(log, log->log->crashes.data[0].record, r->record, &at))
			continue;
		low = at < low ? at : low;
		high = at > high ? at : high;
	}
	if (log->log->crashes.len > 1) {
		c->has_seconds = true;
		c->seconds = high - low;
	}
}

/*
 * Collect the crashes of input @path. All logs of the input are treated as one, even if they are
 * from two machines, because two logs may report the same crash.
 */
static void crash_collect(const struct rule_input *in, str_id path, struct crash_facts *c)
{
	struct rule_input log;

	for (uint32_t i = 0; i < in->facts->dossier->captures.len; i++) {
		if (!log_words_input(in, i, &log) || log.capture->path.v != path.v)
			continue;
		if (log.log->crashes.len && !c->has_seconds)
			crash_times(&log, c);
		c->crashes += log.log->crashes.len;
		c->segfaults += log.log->segfaults.len;
		if (!c->trap && log.log->traps.len)
			c->trap = &log.log->traps.data[0];
		c->traps += log.log->traps.len;
		crash_group(log.log, c);
	}
}

/* Does a log of the input report a segfault of @pid? */
static bool crash_has_segfault(const struct rule_input *in, str_id path, uint64_t pid)
{
	struct rule_input log;

	for (uint32_t i = 0; i < in->facts->dossier->captures.len; i++) {
		if (!log_words_input(in, i, &log) || log.capture->path.v != path.v)
			continue;
		for (size_t k = 0; k < log.log->segfaults.len && k < CRASH_SAME_MAX; k++) {
			if (pid && log.log->segfaults.data[k].pid == pid)
				return true;
		}
	}
	return false;
}

/*
 * Count the crashes that are reported twice: by the kernel, and by a program that monitors the
 * process.
 */
static void crash_match(const struct rule_input *in, str_id path, struct crash_facts *c)
{
	struct rule_input log;
	size_t left = CRASH_SAME_MAX;

	for (uint32_t i = 0; i < in->facts->dossier->captures.len; i++) {
		if (!log_words_input(in, i, &log) || log.capture->path.v != path.v)
			continue;
		for (size_t k = 0; k < log.log->crashes.len && left; k++, left--)
			c->both += crash_has_segfault(in, path, log.log->crashes.data[k].pid);
	}
}

/*
 * Describe exceptions of the processor other than segfaults: "2 traps (the first: invalid opcode)".
 * @is_more: put " and " before the text. "": there are none.
 */
static const char *crash_traps(struct findings *out, const struct crash_facts *c, bool is_more)
{
	if (!c->traps)
		return "";
	return finding_name(out, "%s%llu%s trap%s (%s" STR_FMT ")", is_more ? " and " : "",
			    (unsigned long long)c->traps, is_more ? " other" : "",
			    c->traps == 1 ? "" : "s", c->traps == 1 ? "" : "the first: ",
			    STR_ARG(str_sub(c->trap->name, 0, CRASH_TRAP_NAME)));
}

/*
 * Number and kind of the crashes: "3 segfaults", "2 crashes and 3 segfaults", "5 crashes, 3 of them
 * segfaults".
 */
static const char *crash_words(struct findings *out, const struct crash_facts *c)
{
	unsigned long long crashes = c->crashes;
	unsigned long long segfaults = c->segfaults;

	if (c->both == c->crashes)
		return finding_name(out, "%llu segfault%s", segfaults, segfaults == 1 ? "" : "s");
	if (c->both)
		return finding_name(out, "%llu crashes, %llu of them segfaults",
				    crashes + segfaults - c->both, segfaults);
	if (!c->segfaults)
		return finding_name(out, "%llu crash%s", crashes, crashes == 1 ? "" : "es");
	return finding_name(out, "%llu crash%s and %llu segfault%s", crashes,
			    crashes == 1 ? "" : "es", segfaults, segfaults == 1 ? "" : "s");
}

static void crash_cite(const struct rule_input *in, str_id path, struct findings *out,
		       struct finding *f)
{
	struct rule_input log;

	for (uint32_t i = 0; i < in->facts->dossier->captures.len; i++) {
		if (!log_words_input(in, i, &log) || log.capture->path.v != path.v)
			continue;
		for (size_t k = 0; k < log.log->crashes.len && k < LOG_EVIDENCE_MAX; k++)
			log_words_cite(out, f, &log, log.log->crashes.data[k].record);
		for (size_t k = 0; k < log.log->segfaults.len && k < LOG_EVIDENCE_MAX; k++)
			log_words_cite(out, f, &log, log.log->segfaults.data[k].record);
		for (size_t k = 0; k < log.log->traps.len && k < LOG_EVIDENCE_MAX; k++)
			log_words_cite(out, f, &log, log.log->traps.data[k].record);
	}
}

static bool crash_is_shared(const struct crash_facts *c)
{
	return c->same && str_glob(STR(CRASH_SHARED), c->same->object);
}

/* Are more than half of the segfaults at one instruction? Then they have one cause. */
static bool crash_is_one(const struct crash_facts *c)
{
	return c->n_same > 1 && c->n_same * 2 > c->segfaults;
}

/*
 * May the segfaults at one instruction be in abort() of the C library? Then their callers may
 * differ.
 */
static bool crash_may_abort(const struct crash_facts *c)
{
	return c->same->is_protection && str_glob(STR(CRASH_LIBC), c->same->object);
}

static unsigned int crash_sure(const struct crash_facts *c)
{
	if (crash_is_one(c) && crash_may_abort(c))
		return 75;

	if (c->n_same > 1 && !crash_is_one(c))
		return 60;
	return crash_is_one(c) && !crash_is_shared(c) && !c->is_of_one_process ? 97 : 92;
}

/* Set the claim if at most half of the segfaults are at one instruction. */
static void crash_scattered(struct findings *out, struct finding *f, const struct crash_facts *c)
{
	finding_claim(out, f,
		      "%s, %llu of %llu at one instruction (" STR_FMT
		      "+0x%llx), the others elsewhere",
		      crash_words(out, c), (unsigned long long)c->n_same,
		      (unsigned long long)c->segfaults, STR_ARG(c->same->object),
		      (unsigned long long)c->same->offset);
	finding_usual_cause(out, f,
			    "Several bugs, or one bug that damages memory and crashes later");
	finding_because(out, f, "no instruction has more than half of the segfaults");
	finding_next(out, f,
		     "coredumpctl gdb%s%s -A '-batch -ex bt': compare the backtraces of several "
		     "cores; then test the machine's memory",
		     c->is_of_one_program ? " " : "",
		     c->is_of_one_program ? finding_word(out, c->same->comm, false) : "");
	finding_figure(f, "segfaults at one offset", (double)c->n_same, 0, "");
}

/* Set the claim if more than half of the segfaults are at one instruction. */
static void crash_same(struct findings *out, struct finding *f, const struct crash_facts *c)
{
	struct out why = { .fd = -1 };

	log_segfault_error_text(c->same, &why);
	finding_claim(out, f, "%s%s at the same instruction (" STR_FMT "+0x%llx): %s",
		      crash_words(out, c),
		      c->n_same == c->segfaults && c->both == c->crashes
			      ? ""
			      : finding_name(out, ", %llu of %llu segfaults",
					     (unsigned long long)c->n_same,
					     (unsigned long long)c->segfaults),
		      STR_ARG(c->same->object), (unsigned long long)c->same->offset,
		      crash_may_abort(c)     ? "perhaps abort(), which many places call"
		      : !crash_is_shared(c)  ? "one bug, the same each time"
		      : c->is_of_one_program ? "probably one bug of this program"
					     : "perhaps one bug, but any caller may crash there");
	if (crash_may_abort(c))
		finding_usual_cause(out, f,
				    "General protection fault in the C library: an address that no "
				    "pointer may have, or abort(), which ends in a forbidden "
				    "instruction (hlt) if its signal does not end the process");
	else
		finding_cause(out, f, "a deterministic fault (" STR_FMT ")%s",
			      STR_ARG(out_view(&why)),
			      c->is_of_one_process ? "" : "; the hardware is an unlikely cause");
	finding_because(
		out, f,
		c->is_of_one_process
			? "one process faults at one instruction again and again"
			: "memory or disk faults do not hit one offset in several processes");
	finding_next(out, f,
		     "coredumpctl gdb%s%s -A '-batch -ex bt': the caller of the faulting "
		     "instruction; addr2line -fie %s 0x%llx with debug symbols: its line",
		     c->is_of_one_program ? " " : "",
		     c->is_of_one_program ? finding_word(out, c->same->comm, false) : "",
		     finding_word(out, c->same->object, false),
		     (unsigned long long)c->same->offset);
	finding_figure(f, "segfaults at one offset", (double)c->n_same, 0, "");
	out_fini(&why);
}

/* Add a finding about the crashes of input @path. False: its logs report none. */
static bool crash_found(const struct rule_input *in, str_id path, struct findings *out)
{
	struct crash_facts c = { .n_same = 0 };
	struct finding *f;

	crash_collect(in, path, &c);
	crash_match(in, path, &c);
	if (c.crashes + c.segfaults + c.traps == 0)
		return false;
	f = finding_add(out, in, &rule_crash_loop, FINDING_ERROR, crash_sure(&c));
	if (crash_is_one(&c)) {
		crash_same(out, f, &c);
	} else if (c.n_same > 1) {
		crash_scattered(out, f, &c);
	} else {
		bool is_more = c.crashes + c.segfaults > 0;

		finding_claim(out, f, "The log reports %s%s", is_more ? crash_words(out, &c) : "",
			      crash_traps(out, &c, is_more));
		finding_because(out, f, "reported by the monitor or the kernel");
		finding_next(out, f,
			     "coredumpctl list, or the directory in /proc/sys/kernel/core_pattern: "
			     "the core and its backtrace");
	}
	if (c.crashes)
		finding_figure(f, "crashes", (double)c.crashes, 0, "");
	if (c.segfaults)
		finding_figure(f, "segfaults", (double)c.segfaults, 0, "");
	if (c.traps)
		finding_figure(f, "other traps", (double)c.traps, 0, "");
	if (c.has_seconds)
		finding_figure(f, "from the first crash to the last", c.seconds, 0, "s");
	crash_cite(in, path, out, f);
	return true;
}

static void crash_check(const struct rule_input *in, struct findings *out)
{
	const struct dossier *d = in->facts->dossier;
	str_id path = STR_ID_NONE;
	bool has_log = false;
	bool has_crash = false;

	/* captures of one input are adjacent: check each input once */
	for (uint32_t i = 0; i < d->captures.len; i++) {
		if (!in->facts->logs[i] || (has_log && d->captures.data[i]->path.v == path.v))
			continue;
		path = d->captures.data[i]->path;
		has_log = true;
		has_crash |= crash_found(in, path, out);
	}
	if (has_log && !has_crash)
		finding_clean(out, in, &rule_crash_loop, "the logs report no crash");
}

static const char *const crash_explains[] = { "election-storm", "restart-failure", NULL };

const struct rule rule_crash_loop = {
	.id = "crash-loop",
	.title = "Crash loop",
	.needs = RULE_DOSSIER,
	.explains = crash_explains,
	.check = crash_check,
	.is_measured = true,
};
