/* SPDX-License-Identifier: MIT */
/*
 * The user traced calls by name (strace -e trace=fsync), and one of these calls never occurs. So
 * the action that should cause it has no effect.
 *
 * The text must quote a strace command whose filter covers every call of the log; otherwise the
 * filter may belong to another log. Some calls replace each other (open and openat, fsync and
 * fdatasync): one call of such a group is enough. A log of few calls is an excerpt and proves
 * nothing.
 */
#include "explain/words/syscall_words.h"

#include "analyses/syscalls/syscalls.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "explain/absent_call_names.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(absent_call);

#define ABSENT_LEAST 8u /* minimum number of calls in the log */
/*
 * If a filter has more names than this, the user probably listed calls that may occur, and does not
 * expect each of them.
 */
#define ABSENT_NAMES 4u
#define ABSENT_MOST  2u

static struct str absent_filter(const struct rule_input *in, bool *ret_follows)
{
	struct str calls = capture_note_of(in->capture, STR("traced calls"));

	*ret_follows = calls.len;
	return calls.len ? calls : capture_note_of(in->capture, STR("traced calls of one thread"));
}

static bool absent_next(struct str *filter, struct str *ret)
{
	if (!filter->len)
		return false;
	*ret = str_sub(*filter, 0, str_find_char(*filter, ','));
	*filter = str_skip(*filter, ret->len + 1);
	return true;
}

/* Does @filter cover every call of the log, with at most ABSENT_NAMES names? */
static bool absent_fits(const struct rule_input *in, struct str filter)
{
	struct str all = filter;
	struct str any;
	unsigned int n = 0;

	while (absent_next(&all, &any))
		n++;
	if (n > ABSENT_NAMES)
		return false;
	VEC_FOREACH (row, &in->syscalls->rows) {
		struct str rest = filter;
		struct str name = STR_NONE;
		bool has = false;

		while (!has && absent_next(&rest, &name)) {
			(void)str_take(&name, STR("?"));
			has = str_eq(name, syscall_words_name(in, row->sym));
		}
		if (!has)
			return false;
	}
	return true;
}

static bool absent_is(const struct rule_input *in, struct str name)
{
	enum syscall_kind kind = syscall_kind_of(name, false);

	/*
	 * "?name" in a filter of strace means that the system may lack this call: it may be absent
	 */
	if (str_starts(name, STR("?")))
		return false;
	VEC_FOREACH (row, &in->syscalls->rows) {
		if (str_eq(name, syscall_words_name(in, row->sym)) ||
		    (row->kind == kind && !str_glob(str_of(ABSENT_ALONE), name)))
			return false;
	}
	return true;
}

static void absent_finding(const struct rule_input *in, struct findings *out, struct str name,
			   bool follows)
{
	const struct syscalls_summary *s = in->syscalls;
	struct finding *f =
		finding_add(out, in, &rule_absent_call, FINDING_WARNING, follows ? 74 : 65);

	f->impact = 50;
	finding_claim(out, f, STR_FMT " is traced but never called: 0 of %llu system calls",
		      STR_ARG(name), (unsigned long long)s->calls);
	finding_figure(f, "calls", 0, 0, "");
	finding_figure(f, "other calls", (double)s->calls, 0, "");
	finding_evidence(out, f, in, 0, "no " STR_FMT " in it", STR_ARG(name));
	finding_usual_cause(out, f,
			    "The option or code that should cause the call has no effect: not set, "
			    "ignored on this path, or not built in (missing #define)%s",
			    follows ? ""
				    : ". Or another thread makes the call: the command lacks -f");
	finding_because(out, f,
			"the command names the call, and every logged call passes its filter\n"
			"whether the log is cut");
	finding_next(out, f,
		     "strace -f -c -e trace=" STR_FMT " COMMAND: a count of 0 confirms it; then "
		     "gdb -ex 'break " STR_FMT "' at its caller",
		     STR_ARG(name), STR_ARG(name));
}

static void absent_check(const struct rule_input *in, struct findings *out)
{
	const struct syscalls_summary *s = in->syscalls;
	bool follows = false;
	struct str filter = absent_filter(in, &follows);
	struct str name;
	size_t n = 0;

	if (s->is_library)
		return;
	if (!filter.len || !absent_fits(in, filter) || s->calls < ABSENT_LEAST) {
		finding_not_assessed(out, in, &rule_absent_call,
				     "strace -f -e trace=NAME,… COMMAND, with its command line",
				     filter.len ? "the filter does not match the log, names more "
						  "than 4 calls, or the log is short"
						: "the text shows no option of strace that names "
						  "calls (-e trace=NAME)");
		return;
	}
	for (struct str rest = filter; absent_next(&rest, &name);) {
		if (n < ABSENT_MOST && absent_is(in, name)) {
			absent_finding(in, out, name, follows);
			n++;
		}
	}
	if (n == 0)
		finding_clean(out, in, &rule_absent_call,
			      "all calls named by the command occur in the log");
}

const struct rule rule_absent_call = {
	.id = "absent-call",
	.title = "Traced call never happens",
	.needs = RULE_SYSCALLS,
	.takes_selection = true,
	.check = absent_check,
};
