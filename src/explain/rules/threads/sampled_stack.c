/* SPDX-License-Identifier: MIT */
/*
 * One stack that a person copied from a profile because it is hot. The finding names its work, by
 * the roles of its functions (analyses/roles.h), and the function of the program that requested
 * this work.
 *
 * A single stack does not show a share of the time, so the finding is a note, and only possible.
 * The search starts at the innermost frame and ends at the first function without a role. The last
 * role before this function is the work. So if fork() copies page tables, the work is the fork, and
 * not the copying. Functions of the kernel without a role are skipped.
 */
#include "analyses/roles.h"
#include "analyses/threads/thread_summary.h"
#include "analyses/threads/thread_waits.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/threads.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/words/thread_words.h"

DECLARE_RULE(sampled_stack);

#define SAMPLED_SURE 55u
/* functions through which a program enters the kernel */
#define SAMPLED_ENTRY "entry_*|do_syscall_64*|el0_*|el0t_*|ret_from_*|x64_sys_call"

#define SAMPLED_PROBE "systemtap"

struct sampled {
	enum role role;
	uint32_t at; /* index of the outermost frame that belongs to the work */
	/* index of the program's function that requests the work; INDEX_NONE: none */
	uint32_t owner;
	/*
	 * index of the outermost function of the program; INDEX_NONE: `owner` is the outermost one
	 */
	uint32_t outer;
};

/*
 * Does rule thread-waits explain the stack better? It does if the thread waits. Exception: a stack
 * of the dialects bare-stack and systemtap that waits for a lock is explained by this rule.
 */
static bool sampled_waits(const struct rule_input *in, struct str dialect)
{
	uint8_t kind = in->threads->rows.data[0].kind;

	return kind != THREAD_WAIT_NONE &&
	       (kind != THREAD_WAIT_LOCK || !str_glob(STR("bare-stack|systemtap"), dialect));
}

static enum role sampled_role(const struct rule_input *in, uint32_t frame, uint32_t kernel)
{
	return role_with(role_of_name(thread_words_frame(in, 0, frame), STR_NONE,
				      frame < kernel ? SPACE_KERNEL : SPACE_USER));
}

/* Number of innermost frames that belong to the kernel. */
static uint32_t sampled_kernel(const struct rule_input *in, uint32_t n)
{
	uint32_t ret = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (str_glob(STR(SAMPLED_ENTRY), thread_words_frame(in, 0, i)))
			ret = i + 1;
	}
	return ret;
}

/* Find the work of the stack. False: no function has a role that describes its work. */
static bool sampled_work(const struct rule_input *in, struct sampled *ret)
{
	uint32_t n = threads_summary_row(in->threads, 0)->n_frames;
	uint32_t kernel = sampled_kernel(in, n);

	*ret = (struct sampled){ .role = ROLE_NONE, .owner = INDEX_NONE, .outer = INDEX_NONE };
	for (uint32_t i = 0; i < n; i++) {
		enum role role = sampled_role(in, i, kernel);

		if (role == ROLE_NONE && i >= kernel) {
			ret->owner = i;
			break;
		}
		if (role_cause(role) && role != ROLE_SYSCALL && role != ROLE_IDLE) {
			ret->role = role;
			ret->at = i;
		}
	}
	for (uint32_t i = n; ret->owner != INDEX_NONE && i-- > ret->owner + 1;) {
		if (sampled_role(in, i, kernel) == ROLE_NONE) {
			ret->outer = i;
			break;
		}
	}
	return ret->role != ROLE_NONE;
}

static void sampled_stack_check(const struct rule_input *in, struct findings *out)
{
	const struct threads_summary *t = in->threads;
	struct str dialect =
		strings_get(capture_strings(in->capture), in->capture->threads->dialect);
	const struct thread_frame *frames;
	struct sampled s;
	struct finding *f;
	const char *noun;
	bool is_lock;

	if (!str_glob(STR("bare-stack|bcc-stack|systemtap"), dialect) || t->rows.len != 1)
		return;
	if (sampled_waits(in, dialect)) {
		finding_clean(out, in, &rule_sampled_stack, "the stack is a wait");
		return;
	}
	if (!sampled_work(in, &s)) {
		finding_not_assessed(out, in, &rule_sampled_stack,
				     "the whole profile: which functions have the largest shares",
				     "the innermost functions do not show a kind of work");
		return;
	}
	frames = threads_frames(in->capture->threads, threads_summary_row(t, 0));
	/*
	 * systemtap prints a stack when the probed function is called. So it is known that the
	 * thread takes a lock, but not if it then waits.
	 */
	is_lock = str_eq(dialect, STR(SAMPLED_PROBE)) &&
		  in->threads->rows.data[0].kind == THREAD_WAIT_LOCK;
	noun = is_lock ? "taking a lock, or waiting for it" : role_noun(s.role);
	f = finding_add(out, in, &rule_sampled_stack, FINDING_NOTE, SAMPLED_SURE);
	if (s.owner == INDEX_NONE)
		finding_claim(out, f, "The stack is %s (in " STR_FMT ")", noun,
			      STR_ARG(thread_words_frame(in, 0, 0)));
	else
		finding_claim(out, f,
			      "The stack is %s (in " STR_FMT "), called from " STR_FMT "%s" STR_FMT,
			      noun, STR_ARG(thread_words_frame(in, 0, 0)),
			      STR_ARG(thread_words_frame(in, 0, s.owner)),
			      s.outer == INDEX_NONE ? "" : ", below ",
			      STR_ARG(s.outer == INDEX_NONE ? STR_NONE
							    : thread_words_frame(in, 0, s.outer)));
	finding_figure(f, "stacks", 1, 0, "");
	finding_evidence(out, f, in, frames[0].line, STR_FMT,
			 STR_ARG(thread_words_frame(in, 0, 0)));
	if (s.at)
		finding_evidence(out, f, in, frames[s.at].line, STR_FMT,
				 STR_ARG(thread_words_frame(in, 0, s.at)));
	if (s.owner != INDEX_NONE)
		finding_evidence(out, f, in, frames[s.owner].line, STR_FMT,
				 STR_ARG(thread_words_frame(in, 0, s.owner)));
	finding_usual_cause(
		out, f, "%s",
		is_lock ? "If many stacks are like this one, threads contend for the lock: it is "
			  "held too long, taken too often, or guards too much"
			: role_cause(s.role));
	finding_because(
		out, f,
		"the stack is printed\n"
		"its share of the samples: it counts only if it was chosen because it is hot");
	finding_next(
		out, f,
		"look at the whole profile, with the amount of each stack: does this one lead");
	if (role_next(s.role))
		finding_next(out, f, "%s", role_next(s.role));
}

const struct rule rule_sampled_stack = {
	.id = "sampled-stack",
	.title = "Work of a single stack",
	.needs = RULE_THREADS,
	.check = sampled_stack_check,
	.is_general = true,
};
