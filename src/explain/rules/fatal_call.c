/* SPDX-License-Identifier: MIT */
/*
 * A system call fails, and the program gives up: it writes a message to standard error and exits,
 * or the log ends with the failure.
 *
 * Thresholds: the message follows within eight calls of the thread, and the thread makes at most
 * twenty more. Errors that mean "try again" do not count. Without an exit in the log, only the last
 * call of an excerpt does. Sources: errno(3) and the manual pages of the calls.
 */
#include "core/calls.h"
#include "explain/words/syscall_words.h"

#include "analyses/syscalls/syscalls.h"
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <errno.h>
#include <stdint.h>

DECLARE_RULE(fatal_call);

#define FATAL_MESSAGE 8u  /* calls between the failure and the message, at most */
#define FATAL_AFTER   20u /* calls after the message, at most: cleaning up */
#define FATAL_SURE    75u
#define FATAL_GUESS   60u

static const struct {
	int error;
	const char *cause;
	const char *next;
} fatal_errors[] = {
	{ EXDEV,
	  "Source and target are on different file systems or mounts (an overlay, a bind mount): a "
	  "rename or a link cannot go from one to the other",
	  "findmnt -T of both paths; copy and remove instead, or create the new file next to the "
	  "old" },
	{ ENOSPC, "The file system or its inodes, or a quota, are used up",
	  "df, df -i and quota of that path" },
	{ EDQUOT, "The quota of the user is used up", "quota; repquota of that file system" },
	{ EROFS, "The file system is mounted read-only", "findmnt -T PATH; dmesg: errors before" },
	{ EACCES, "The permissions of the file or of a folder above it do not allow it",
	  "namei -l PATH; the user and groups of the process; SELinux or AppArmor logs" },
	{ EPERM, "The process lacks a capability, or a security module or filter forbids it",
	  "capsh --decode of CapEff in /proc/PID/status; seccomp and LSM logs" },
	{ ENOENT, "A file or folder that the program needs does not exist",
	  "which path does it ask for, and who should create it" },
	{ EADDRINUSE, "Another socket has the address", "ss -ltnp: which process listens there" },
	{ ECONNREFUSED, "Nothing listens at the address",
	  "ss -ltn on the other side; its address" },
	{ EMFILE, "The process has used up its descriptors", "ls /proc/PID/fd; ulimit -n" },
	{ ENFILE, "The system has used up its open files", "cat /proc/sys/fs/file-nr" },
	{ ENOMEM, "Memory, mappings or a limit are used up",
	  "ulimit -v; /proc/sys/vm/max_map_count; dmesg" },
	{ EINVAL, "An argument is outside of what the call accepts", "the arguments in that line" },
	{ EBUSY, "Something else still uses the object", "fuser -v or lsof of the path" },
	{ EIO, "The device or the file system reports an error", "dmesg; smartctl -a" },
};

/* Whether the error means that a later try may succeed, or that a search goes on. */
static bool fatal_is_usual(int error)
{
	return error == EAGAIN || error == EINTR || error == EINPROGRESS || error == EALREADY ||
	       error == ENOTTY || error == EEXIST || error == ECHILD || error == ETIMEDOUT ||
	       error == ENODATA || error == EOPNOTSUPP || error == ENOSYS;
}

/* Whether call @i writes the text of an error to standard error. */
static bool fatal_is_message(const struct rule_input *in, uint32_t i)
{
	static const char *const words[] = {
		"error",  "fail",   "fatal",   "cannot",  "can't",
		"unable", "denied", "invalid", "no such", "could not"
	};
	const struct calls *c = in->capture->calls;
	struct str args =
		c->args.len ? strings_get(capture_strings(in->capture), c->args.data[i]) : STR_NONE;

	if (!str_glob(STR("write|writev|sendto|sendmsg"), syscall_words_name(in, c->sym.data[i])) ||
	    !str_starts(args, STR("2")) || args.len < 2 || char_is_digit(args.p[1]))
		return false;
	for (size_t k = 0; k < ARRAY_LEN(words); k++) {
		if (str_contains_nocase(args, str_of(words[k])))
			return true;
	}
	return false;
}

/* A number that is negative as a signed one: an offset or a length that wrapped around. */
static int64_t fatal_wrapped(struct str args)
{
	for (size_t i = 0; i < args.len; i++) {
		struct str s = str_skip(args, i);
		uint64_t v;

		if (!char_is_digit(s.p[0]) || (i && char_is_digit(args.p[i - 1])))
			continue;
		if (str_u64(&s, &v) && v > INT64_MAX)
			return (int64_t)v;
	}
	return 0;
}

struct fatal {
	uint32_t call;    /* INDEX_NONE: none */
	uint32_t message; /* INDEX_NONE: none; the log ends with the failure */
};

/* The failure after which the thread of @lane gives up. */
static struct fatal fatal_of_lane(const struct rule_input *in, uint32_t lane)
{
	const struct calls *c = in->capture->calls;
	struct fatal ret = { INDEX_NONE, INDEX_NONE };
	uint32_t failed = INDEX_NONE;
	uint32_t since = 0, after = 0;
	bool is_last = false, has_exit = false;

	for (uint32_t i = 0; i < c->n; i++) {
		int error = -syscalls_call_error(c, i);

		if (c->lane.data[i] != lane)
			continue;
		since++;
		after++;
		is_last = false;
		has_exit |=
			str_glob(STR("exit|exit_group"), syscall_words_name(in, c->sym.data[i]));
		if (error > 0 && !fatal_is_usual(error)) {
			failed = i;
			since = 0;
			is_last = true;
		} else if (failed != INDEX_NONE && since <= FATAL_MESSAGE &&
			   fatal_is_message(in, i)) {
			/* the first message after the failure; later ones explain it */
			if (ret.call != failed)
				ret = (struct fatal){ failed, i };
			after = 0;
		}
	}
	if (ret.call != INDEX_NONE && has_exit && after <= FATAL_AFTER)
		return ret;
	if (is_last && c->n < SYSCALL_EXCERPT && !has_exit)
		return (struct fatal){ failed, INDEX_NONE };
	return (struct fatal){ INDEX_NONE, INDEX_NONE };
}

static void fatal_finding(const struct rule_input *in, struct findings *out, const struct fatal *e)
{
	const struct calls *c = in->capture->calls;
	struct str args = c->args.len
				  ? strings_get(capture_strings(in->capture), c->args.data[e->call])
				  : STR_NONE;
	int error = -syscalls_call_error(c, e->call);
	int64_t wrapped = fatal_wrapped(args);
	bool is_said = e->message != INDEX_NONE;
	struct finding *f = finding_add(out, in, &rule_fatal_call, FINDING_NOTE,
					is_said ? FATAL_SURE : FATAL_GUESS);
	size_t i = 0;

	while (i < ARRAY_LEN(fatal_errors) && fatal_errors[i].error != error)
		i++;
	f->impact = 100;
	finding_claim(out, f, "%s %s: %s", syscall_words_thread(in, out, c->lane.data[e->call]),
		      is_said ? "gives up after a call that fails"
			      : "ends in this log with a call "
				"that fails",
		      syscall_words_call(in, out, e->call));
	finding_figure(f, "calls in the log", (double)c->n, 0, "");
	finding_subject(f, c->sym.data[e->call], SUBJECT_EXPLAINED);
	finding_evidence(out, f, in, c->line.data[e->call], "%s",
			 syscall_words_call(in, out, e->call));
	if (is_said)
		finding_evidence(out, f, in, c->line.data[e->message], "%s",
				 syscall_words_call(in, out, e->message));
	if (wrapped)
		finding_cause(
			out, f,
			"An argument is the negative number %lld: an offset or a length wrapped "
			"around, as where something is larger than the file or the device",
			(long long)wrapped);
	else
		finding_cause(out, f, "%s",
			      i < ARRAY_LEN(fatal_errors)
				      ? fatal_errors[i].cause
				      : "The program takes this error as final");
	finding_because(out, f, "%s",
			is_said ? "the message and the exit follow the failure"
				: "no call follows; the log may be cut");
	finding_next(out, f, "%s",
		     i < ARRAY_LEN(fatal_errors) ? fatal_errors[i].next
						 : "errno(3), and the man page of the call");
}

static void fatal_check(const struct rule_input *in, struct findings *out)
{
	if (!in->syscalls->is_log) {
		finding_not_assessed(out, in, &rule_fatal_call, "strace -f COMMAND",
				     "a table does not show which call was the last");
		return;
	}
	for (uint32_t lane = 0; lane < in->capture->calls->lanes.len; lane++) {
		struct fatal e = fatal_of_lane(in, lane);

		if (e.call == INDEX_NONE)
			continue;
		fatal_finding(in, out, &e);
		return;
	}
	finding_clean(out, in, &rule_fatal_call, "no thread gives up after a call that fails");
}

const struct rule rule_fatal_call = {
	.id = "fatal-call",
	.title = "Program gives up after a failed call",
	.needs = RULE_SYSCALLS,
	.check = fatal_check,
	.is_measured = true,
};
