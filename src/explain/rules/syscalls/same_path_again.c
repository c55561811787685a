/* SPDX-License-Identifier: MIT */
/*
 * A program makes the same call for the same path again and again.
 *
 * Thresholds: the same call occurs ten times (in an excerpt: three times), and is 5 % of all calls.
 * In an excerpt, three look-ups of one path by different calls are enough, if they are a fifth of
 * all calls. A warning needs a fifth of all calls. Only calls that look up, open or change a path
 * are examined: repeated reads and writes of one descriptor are normal.
 */
#include "core/calls.h"
#include "explain/words/syscall_words.h"

#include "analyses/syscalls/syscalls.h"
#include "base/plural.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(same_path_again);

#define AGAIN_MIN      10u
#define AGAIN_MIN_LOG  3u /* minimum number of equal calls in an excerpt of a log */
#define AGAIN_NOTE_PCT 5.0
#define AGAIN_LEAD_PCT 20.0
#define AGAIN_LEAD     200u
#define AGAIN_MOST     2u

static bool again_counts(const struct rule_input *in, const struct syscall_object *o)
{
	struct str name = syscall_words_name(in, o->sym);
	enum syscall_kind kind = syscall_kind_of(name, in->syscalls->is_library);
	struct str about = strings_get(capture_strings(in->capture), o->name);

	if (kind == SYSCALL_KIND_OPEN)
		return !str_starts(name, STR("close"));
	return (kind == SYSCALL_KIND_LOOKUP || kind == SYSCALL_KIND_NAMES) &&
	       !str_starts(about, STR("fd "));
}

/*
 * How many threads and started programs the log has: each of them may look up the path once without
 * waste.
 */
static uint64_t again_users(const struct rule_input *in)
{
	uint64_t started = 0;

	VEC_FOREACH (row, &in->syscalls->rows)
		started += str_glob(STR("execve|execveat"), syscall_words_name(in, row->sym))
				   ? row->calls - row->errors
				   : 0;
	return started > in->syscalls->threads.len ? started : in->syscalls->threads.len;
}

static void again_cause(const struct rule_input *in, struct findings *out, struct finding *f,
			const struct syscall_object *o)
{
	struct str path = strings_get(capture_strings(in->capture), o->name);
	uint64_t users = again_users(in);

	if (users > 1 && users * 2 >= o->calls)
		finding_usual_cause(
			out, f,
			"The log has %llu processes, and each of them looks it up once or twice, "
			"as programs that start do: fewer starts make fewer look-ups",
			(unsigned long long)users);
	else if (str_glob(STR("/proc/*|/sys/*"), path))
		finding_usual_cause(
			out, f,
			"The kernel makes the content of this file at each read, so a program that "
			"watches it must read it again. It can keep the file open and read from "
			"its start (pread), or read less often");
	else
		finding_usual_cause(
			out, f,
			"The program does not cache the answer: it %s again for each step. Read it "
			"once, keep it open, or watch for changes",
			o->errors == o->calls ? "looks for the missing file"
			: syscall_kind_of(syscall_words_name(in, o->sym), false) ==
					SYSCALL_KIND_OPEN
				? "opens and reads the file"
				: "looks up the file");
}

static void again_finding(const struct rule_input *in, struct findings *out,
			  const struct syscall_object *o, uint64_t paths)
{
	const struct syscalls_summary *s = in->syscalls;
	double pct = syscall_words_pct((double)o->calls, (double)s->calls);
	struct str name = syscall_words_name(in, o->sym);
	const char *about = syscall_words_about(in, out, o->name);
	struct finding *f = finding_add(out, in, &rule_same_path_again,
					pct >= AGAIN_LEAD_PCT && o->calls >= AGAIN_LEAD &&
							!syscall_words_is_filtered(in)
						? FINDING_WARNING
						: FINDING_NOTE,
					90);

	f->impact = pct;
	if (syscall_words_is_filtered(in))
		finding_claim(out, f,
			      STR_FMT " looks up the same path %llu times: %s (in the lines "
				      "that " STR_FMT " printed)",
			      STR_ARG(name), (unsigned long long)o->calls, about,
			      STR_ARG(strings_get(capture_strings(in->capture),
						  in->capture->filtered_by)));
	else
		finding_claim(out, f,
			      STR_FMT
			      " looks up the same path %llu times: %s (%.1f %% of %llu calls)",
			      STR_ARG(name), (unsigned long long)o->calls, about, pct,
			      (unsigned long long)s->calls);
	finding_figure(f, "calls for the same path", (double)o->calls, 0, "");
	if (!syscall_words_is_filtered(in))
		finding_figure_part(f, "share of calls", o->calls, s->calls);
	finding_figure(f, "paths looked up more than twice", (double)paths, 0, "");
	finding_subject(f, o->sym, SUBJECT_EXPLAINED);
	finding_evidence(out, f, in, o->line, STR_FMT " %s", STR_ARG(name), about);
	again_cause(in, out, f, o);
	finding_because(out, f, "the log shows equal paths");
	finding_next(out, f, "strace -f -k -P %s COMMAND: the stacks that look it up",
		     finding_word(out, strings_get(capture_strings(in->capture), o->name), false));
}

/* Look-ups of one path by several system calls, such as stat and lstat. */
struct again_path {
	/* the system call that looks up the path most often; NULL: the path was not looked up */
	const struct syscall_object *most;
	uint64_t calls;
	unsigned int kinds; /* number of different system calls */
};

/*
 * For an excerpt: the path with the most look-ups, among paths that at least two different system
 * calls look up.
 */
static struct again_path again_any_call(const struct rule_input *in)
{
	const struct syscalls_summary *s = in->syscalls;
	struct again_path best = { .most = NULL };

	VEC_FOREACH (a, &s->objects) {
		struct again_path one = { .most = a };

		VEC_FOREACH (b, &s->objects) {
			if (b->name.v != a->name.v ||
			    syscall_kind_of(syscall_words_name(in, b->sym), false) !=
				    SYSCALL_KIND_LOOKUP)
				continue;
			one.calls += b->calls;
			one.kinds++;
			one.most = b->calls > one.most->calls ? b : one.most;
		}
		if (again_counts(in, a) && one.kinds > 1 && one.calls > best.calls)
			best = one;
	}
	return best;
}

static void again_any_finding(const struct rule_input *in, struct findings *out,
			      const struct again_path *p)
{
	const struct syscalls_summary *s = in->syscalls;
	const char *about = syscall_words_about(in, out, p->most->name);
	struct finding *f = finding_add(out, in, &rule_same_path_again, FINDING_NOTE, 75);

	f->impact = syscall_words_pct((double)p->calls, (double)s->calls);
	finding_claim(
		out, f,
		"The same path is looked up %llu times by %u different calls, most often " STR_FMT
		": %s (%s)",
		(unsigned long long)p->calls, p->kinds,
		STR_ARG(syscall_words_name(in, p->most->sym)), about,
		syscall_words_is_filtered(in)
			? finding_name(out, "in the lines that " STR_FMT " printed",
				       STR_ARG(strings_get(capture_strings(in->capture),
							   in->capture->filtered_by)))
			: finding_name(out, "%.1f %% of %llu calls", f->impact,
				       (unsigned long long)s->calls));
	finding_figure(f, "look-ups of the same path", (double)p->calls, 0, "");
	finding_subject(f, p->most->sym, SUBJECT_EXPLAINED);
	finding_evidence(out, f, in, p->most->line, STR_FMT " %s",
			 STR_ARG(syscall_words_name(in, p->most->sym)), about);
	finding_cause(
		out, f,
		"Functions one after another ask the kernel for the same file: one answer, kept "
		"by the caller, would do");
	finding_because(out, f,
			"the log shows equal paths\n"
			"the part of all look-ups: the log is an excerpt");
	finding_next(
		out, f, "strace -f -k -P %s COMMAND: the stacks that look it up",
		finding_word(out, strings_get(capture_strings(in->capture), p->most->name), false));
}

static void again_check(const struct rule_input *in, struct findings *out)
{
	const struct syscalls_summary *s = in->syscalls;
	uint64_t least = s->calls < SYSCALL_EXCERPT ? AGAIN_MIN_LOG : AGAIN_MIN;
	uint64_t paths = 0;
	uint64_t most = 0;
	size_t n = 0;

	if (s->is_library)
		return;
	if (!s->is_log || s->objects.len == 0) {
		finding_not_assessed(out, in, &rule_same_path_again,
				     "strace -f -e trace=%file -o out COMMAND",
				     "no paths in this data, so repeats are invisible");
		return;
	}
	VEC_FOREACH (o, &s->objects)
		paths += o->calls > 2 && again_counts(in, o);
	VEC_FOREACH (o, &s->objects) {
		if (!again_counts(in, o))
			continue;
		most = o->calls > most ? o->calls : most;
		if (n == AGAIN_MOST || o->calls < least ||
		    syscall_words_pct((double)o->calls, (double)s->calls) < AGAIN_NOTE_PCT)
			continue;
		again_finding(in, out, o, paths);
		n++;
	}
	if (n == 0 && s->calls < SYSCALL_EXCERPT) {
		struct again_path any = again_any_call(in);

		if (any.most && any.calls >= AGAIN_MIN_LOG &&
		    syscall_words_pct((double)any.calls, (double)s->calls) >= AGAIN_LEAD_PCT) {
			again_any_finding(in, out, &any);
			return;
		}
	}
	if (n == 0)
		finding_clean(out, in, &rule_same_path_again,
			      "no call looks up one path more than %llu time%s",
			      (unsigned long long)most, plural(most));
}

static const char *const again_explains[] = { "system-calls", NULL };

const struct rule rule_same_path_again = {
	.id = "same-path-again",
	.title = "Same path looked up again and again",
	.needs = RULE_SYSCALLS,
	.takes_selection = true,
	.explains = again_explains,
	.check = again_check,
	.is_measured = true,
};
