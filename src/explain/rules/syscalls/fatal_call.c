/* SPDX-License-Identifier: MIT */
/*
 * A system call fails, and then the program gives up: it writes a message to standard error and
 * exits with a status other than 0, or the log ends with the failure. Of several failures, the
 * reason is the one whose error or path the message quotes; otherwise the latest one.
 *
 * Thresholds: the message follows within eight calls of the thread, and the thread makes at most
 * twenty more calls. Calls that read message catalogs (translations), and errors that mean "try
 * again", are ignored. If the log shows no exit, only the last call of an excerpt can be the
 * reason. Sources: errno(3) and the manual pages of the calls; gettext: dcigettext.c.
 */
#include "core/calls.h"
#include "explain/words/syscall_words.h"

#include "analyses/syscalls/syscalls.h"
#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/fatal_call_names.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

DECLARE_RULE(fatal_call);

#define FATAL_MESSAGE 8u /* maximum number of calls from the failure to the message */
/*
 * maximum number of calls from the message to the end of the thread, such as calls that free
 * resources
 */
#define FATAL_AFTER 20u
/*
 * number of recent failures that are stored; at least FATAL_MESSAGE, because each call before a
 * message may have failed
 */
#define FATAL_TRIES        16u
#define FATAL_NAME         3u /* minimum length of a path, in bytes, for a search in a message */
#define FATAL_QUOTES_ERROR 2u
#define FATAL_QUOTES_PATH  1u
#define FATAL_SURE         75u
#define FATAL_GUESS        60u

static const struct {
	int error;
	const char *text; /* text of the error, as strerror(3) prints it */
	const char *cause;
	const char *next;
} fatal_errors[] = {
	{ EXDEV, "cross-device link",
	  "Source and target are on different file systems or mounts (an overlay, a bind mount): a "
	  "rename or a link cannot go from one to the other",
	  "findmnt -T of both paths; copy and remove instead, or create the new file next to the "
	  "old" },
	{ ENOSPC, "No space left on device",
	  "The file system or its inodes, or a quota, are used up",
	  "df, df -i and quota of that path" },
	{ EDQUOT, "quota exceeded", "The quota of the user is used up",
	  "quota; repquota of that file system" },
	{ EROFS, "Read-only file system", "The file system is mounted read-only",
	  "findmnt -T PATH; dmesg: errors before" },
	{ EACCES, "Permission denied",
	  "The permissions of the file or of a folder above it do not allow it",
	  "namei -l PATH; the user and groups of the process; SELinux or AppArmor logs" },
	{ EPERM, "Operation not permitted",
	  "The process lacks a capability, or a security module or filter forbids it",
	  "capsh --decode of CapEff in /proc/PID/status; seccomp and LSM logs" },
	{ ENOENT, "No such file or directory",
	  "The program looks for a file or folder that does not exist",
	  "check which path it asks for, and who should create it" },
	{ EADDRINUSE, "Address already in use", "Another socket has the address",
	  "ss -ltnp: which process listens there" },
	{ ECONNREFUSED, "Connection refused", "Nothing listens at the address",
	  "ss -ltn on the other side; its address" },
	{ EMFILE, "Too many open files", "The process has used up its descriptors",
	  "ls /proc/PID/fd; ulimit -n" },
	{ ENFILE, "Too many open files in system", "The system has used up its open files",
	  "cat /proc/sys/fs/file-nr" },
	{ ENOMEM, "Cannot allocate memory", "Memory, mappings or a limit are used up",
	  "ulimit -v; /proc/sys/vm/max_map_count; dmesg" },
	{ EINVAL, "Invalid argument", "An argument is outside of what the call accepts",
	  "check the arguments in that line" },
	{ EBUSY, "resource busy", "Something else still uses the object",
	  "fuser -v or lsof of the path" },
	{ EIO, "Input/output error", "The device or the file system reports an error",
	  "dmesg; smartctl -a" },
};

/*
 * Whether programs usually do not give up after this error: a later attempt may succeed, or a
 * search continues.
 */
static bool fatal_is_usual(int error)
{
	return error == EAGAIN || error == EINTR || error == EINPROGRESS || error == EALREADY ||
	       error == ENOTTY || error == EEXIST || error == ECHILD || error == ETIMEDOUT ||
	       error == ENODATA || error == EOPNOTSUPP || error == ENOSYS;
}

static struct str fatal_args(const struct rule_input *in, uint32_t i)
{
	const struct calls *c = in->capture->calls;

	return c->args.len ? strings_get(capture_strings(in->capture), c->args.data[i]) : STR_NONE;
}

/* The text in @args after the first quotation mark, up to index @end; empty: no quotation mark. */
static struct str fatal_quoted(struct str args, size_t end)
{
	return str_sub(args, str_find_char(args, '"') + 1, end);
}

/* The path in the arguments of call @i; empty: none. */
static struct str fatal_path(const struct rule_input *in, uint32_t i)
{
	struct str args = fatal_args(in, i);
	struct str rest = fatal_quoted(args, args.len);

	return str_sub(rest, 0, str_find_char(rest, '"'));
}

/* The text that call @i writes to standard error, as far as the log shows it; empty: none. */
static struct str fatal_text(const struct rule_input *in, uint32_t i)
{
	struct str args = fatal_args(in, i);

	if (!str_glob(STR("write|writev|sendto|sendmsg"),
		      syscall_words_name(in, in->capture->calls->sym.data[i])) ||
	    !str_starts(args, STR("2")) || args.len < 2 || char_is_digit(args.p[1]))
		return STR_NONE;
	return fatal_quoted(args, str_rfind_char(args, '"'));
}

/* Does @text report an error: "cannot open"? "0 errors" does not. */
static bool fatal_is_message(struct str text)
{
	static const char *const words[] = { "fail",   "fatal",   "cannot",  "can't",    "unable",
					     "denied", "invalid", "no such", "could not" };

	for (size_t k = 0; k < ARRAY_LEN(words); k++) {
		if (str_contains_nocase(text, str_of(words[k])))
			return true;
	}
	for (size_t i = 0; i < text.len; i++) {
		struct str before = str_sub(text, 0, i);

		if (str_starts_nocase(str_skip(text, i), STR("error")) &&
		    !str_ends(before, STR(" 0 ")) && !str_eq(before, STR("0 ")) &&
		    !str_ends(before, STR("no ")) && !str_ends(before, STR("No ")) &&
		    !str_ends(before, STR("without ")))
			return true;
	}
	return false;
}

/* Text of an error as strerror(3) prints it; empty: not in the table. */
static struct str fatal_error_text(int error)
{
	for (size_t i = 0; i < ARRAY_LEN(fatal_errors); i++) {
		if (fatal_errors[i].error == error)
			return str_of(fatal_errors[i].text);
	}
	return STR_NONE;
}

/*
 * Rate how well the message @text matches the failed call @i: FATAL_QUOTES_ERROR if it contains the
 * text of the error, plus FATAL_QUOTES_PATH if it contains the path or file name.
 */
static uint32_t fatal_quotes(const struct rule_input *in, uint32_t i, struct str text)
{
	struct str error = fatal_error_text(-syscalls_call_error(in->capture->calls, i));
	struct str path = fatal_path(in, i);
	struct str file = str_skip(path, str_rfind_char(path, '/') + 1);
	uint32_t ret = 0;

	if (error.len && str_contains_nocase(text, error))
		ret += FATAL_QUOTES_ERROR;
	if (path.len >= FATAL_NAME &&
	    (str_contains(text, path) || (file.len >= FATAL_NAME && str_contains(text, file))))
		ret += FATAL_QUOTES_PATH;
	return ret;
}

/*
 * Find an argument that is negative as a signed number: an offset or length that wrapped around. 0:
 * there is none.
 */
static int64_t fatal_wrapped(struct str args)
{
	bool is_quoted = false;

	for (size_t i = 0; i < args.len; i++) {
		struct str s = str_skip(args, i);
		uint64_t v;

		if (is_quoted && args.p[i] == '\\')
			i++;
		else if (args.p[i] == '"')
			is_quoted = !is_quoted;
		else if (!is_quoted && char_is_digit(args.p[i]) &&
			 (i == 0 || str_find_char(STR(" ,=("), args.p[i - 1]) < 4) &&
			 str_u64(&s, &v) && v > INT64_MAX)
			return (int64_t)v;
	}
	return 0;
}

struct fatal {
	uint32_t call; /* index of the failed call; INDEX_NONE: none */
	/*
	 * index of the call that writes the message; INDEX_NONE: none, because the log ends with
	 * the failure
	 */
	uint32_t message;
	uint32_t quotes; /* how well the messages match the failure: bits of fatal_quotes() */
};

/* A failed call that may be the reason for giving up. */
struct fatal_try {
	struct fatal failure;
	/*
	 * number of the failed call among the calls of the thread; calls of fatal_is_lookup() do
	 * not count
	 */
	uint32_t at;
};

/* State while the calls of one thread are read. */
struct fatal_pass {
	/* ring buffer: tries[i % FATAL_TRIES] is failure number i */
	struct fatal_try tries[FATAL_TRIES];
	uint64_t n_tries;
	uint32_t at;      /* number of calls so far, without calls of fatal_is_lookup() */
	uint32_t after;   /* number of calls since the last message */
	uint64_t catalog; /* descriptor of an open message catalog */
	bool has_catalog;
	bool is_last; /* the latest call failed; it is then the newest element of `tries` */
	bool has_exit;
	bool is_bad_exit; /* the exit status is not 0 */
};

/*
 * Whether call @i only reads message catalogs or locale tables. Such calls are skipped: the C
 * library makes them between the failure and the message.
 */
static bool fatal_is_lookup(const struct rule_input *in, struct fatal_pass *pass, uint32_t i)
{
	const struct calls *c = in->capture->calls;
	struct str args = fatal_args(in, i);
	struct str name = syscall_words_name(in, c->sym.data[i]);
	uint64_t fd;

	if (str_glob(STR(FATAL_LOOKUPS), fatal_path(in, i))) {
		if (str_starts(name, STR("open")) && c->retval.len && c->retval_kind.data[i] &&
		    syscalls_call_error(c, i) == 0) {
			pass->catalog = c->retval.data[i];
			pass->has_catalog = true;
		}
		return true;
	}
	if (!pass->has_catalog)
		return false;
	if (str_eq(name, STR("mmap")) || str_eq(name, STR("munmap")) || str_eq(name, STR("brk")))
		return true;
	(void)str_take(&args, STR("fd: "));
	if (!str_u64(&args, &fd) || fd != pass->catalog)
		return false;
	pass->has_catalog = !str_eq(name, STR("close"));
	return true;
}

/* Does call @i end the thread? *@ret_is_bad: its exit status is not 0. */
static bool fatal_is_exit(const struct rule_input *in, uint32_t i, bool *ret_is_bad)
{
	struct str args = fatal_args(in, i);
	uint64_t status = 0;

	if (!str_glob(STR("exit|exit_group|_exit"),
		      syscall_words_name(in, in->capture->calls->sym.data[i])))
		return false;
	args = str_ltrim(str_skip(
		args, str_find_char(args, ':') < args.len ? str_find_char(args, ':') + 1 : 0));
	(void)str_take(&args, STR("-"));
	if (str_take(&args, STR("0x")))
		(void)str_hex64(&args, &status);
	else
		(void)str_u64(&args, &status);
	*ret_is_bad = (status & 0xff) != 0;
	return true;
}

/*
 * Call @i writes @text to standard error. Store the call in each failure of pass->tries to which
 * @text belongs.
 */
static void fatal_take_message(const struct rule_input *in, struct fatal_pass *pass, uint32_t i,
			       struct str text)
{
	bool is_message = fatal_is_message(text);
	uint64_t n = pass->n_tries < FATAL_TRIES ? pass->n_tries : FATAL_TRIES;

	for (uint64_t k = 0; k < n; k++) {
		struct fatal_try *t = &pass->tries[k];
		uint32_t quotes = fatal_quotes(in, t->failure.call, text);

		if (pass->at - t->at > FATAL_MESSAGE && t->failure.message == INDEX_NONE)
			continue;
		if (!is_message && quotes < FATAL_QUOTES_ERROR)
			continue;
		/* keep the first message: later ones only explain it */
		if (t->failure.message == INDEX_NONE)
			t->failure.message = i;
		t->failure.quotes |= quotes;
		pass->after = 0;
	}
}

static void fatal_step(const struct rule_input *in, struct fatal_pass *pass, uint32_t i)
{
	int error = -syscalls_call_error(in->capture->calls, i);
	struct str text;

	pass->is_last = false;
	pass->has_exit |= fatal_is_exit(in, i, &pass->is_bad_exit);
	if (fatal_is_lookup(in, pass, i))
		return;
	pass->at++;
	pass->after++;
	if (error > 0 && !fatal_is_usual(error)) {
		pass->tries[pass->n_tries++ % FATAL_TRIES] =
			(struct fatal_try){ { i, INDEX_NONE, 0 }, pass->at };
		pass->is_last = true;
		return;
	}
	text = fatal_text(in, i);
	if (text.len)
		fatal_take_message(in, pass, i, text);
}

/* Find the failure after which a thread gives up. @calls: indices of the thread's @n calls. */
static struct fatal fatal_of_thread(const struct rule_input *in, const uint32_t *calls, size_t n)
{
	struct fatal_pass pass = { .at = 0 };
	struct fatal best = { INDEX_NONE, INDEX_NONE, 0 };
	uint64_t from;

	for (size_t i = 0; i < n; i++)
		fatal_step(in, &pass, calls[i]);
	if (pass.is_last && in->capture->calls->n < SYSCALL_EXCERPT && !pass.has_exit)
		return pass.tries[(pass.n_tries - 1) % FATAL_TRIES].failure;
	if (!pass.is_bad_exit || pass.after > FATAL_AFTER)
		return best;
	from = pass.n_tries > FATAL_TRIES ? pass.n_tries - FATAL_TRIES : 0;
	for (uint64_t k = from; k < pass.n_tries; k++) {
		const struct fatal *failure = &pass.tries[k % FATAL_TRIES].failure;

		if (failure->message != INDEX_NONE && failure->quotes >= best.quotes)
			best = *failure;
	}
	return best;
}

/*
 * Sort the indices of all calls by thread (lane). The calls of a lane begin at element
 * (*@ret_from)[lane]. Owner of both arrays: caller, free().
 */
static uint32_t *fatal_by_lane(const struct calls *c, size_t **ret_from)
{
	uint32_t *ret = xcalloc(c->n + 1, sizeof(*ret));
	size_t *from = xcalloc(c->lanes.len + 2, sizeof(*from));

	for (size_t i = 0; i < c->n; i++)
		from[c->lane.data[i] + 2]++;
	for (size_t lane = 0; lane < c->lanes.len; lane++)
		from[lane + 2] += from[lane + 1];
	for (size_t i = 0; i < c->n; i++)
		ret[from[c->lane.data[i] + 1]++] = (uint32_t)i;
	*ret_from = from;
	return ret;
}

/*
 * Whether the failed call only looks for a file that does not exist, and no message quotes its
 * path. Such failures are usual.
 */
static bool fatal_is_search(const struct rule_input *in, const struct fatal *e)
{
	const struct calls *c = in->capture->calls;
	enum syscall_kind kind =
		syscall_kind_of(syscall_words_name(in, c->sym.data[e->call]), false);

	return e->quotes == 0 && syscalls_call_error(c, e->call) == -ENOENT &&
	       (kind == SYSCALL_KIND_LOOKUP || kind == SYSCALL_KIND_OPEN);
}

static void fatal_finding(const struct rule_input *in, struct findings *out, const struct fatal *e)
{
	const struct calls *c = in->capture->calls;
	int error = -syscalls_call_error(c, e->call);
	int64_t wrapped = fatal_wrapped(fatal_args(in, e->call));
	bool is_said = e->message != INDEX_NONE;
	bool is_search = fatal_is_search(in, e);
	struct finding *f = finding_add(out, in, &rule_fatal_call, FINDING_NOTE,
					is_said && !is_search ? FATAL_SURE : FATAL_GUESS);
	size_t i = 0;

	while (i < ARRAY_LEN(fatal_errors) && fatal_errors[i].error != error)
		i++;
	f->impact = is_said || wrapped ? 100 : 0;
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
		finding_usual_cause(out, f, "%s",
				    i < ARRAY_LEN(fatal_errors)
					    ? fatal_errors[i].cause
					    : "The program takes this error as final");
	finding_because(out, f, "%s",
			!is_said    ? "no call follows\n"
				      "whether the log is cut"
			: e->quotes ? "the message quotes the failure, and the exit follows"
			: is_search ? "the message and the exit follow\n"
				      "whether it was one try of a search"
				    : "the message and the exit follow the failure");
	finding_next(out, f, "%s",
		     i < ARRAY_LEN(fatal_errors) ? fatal_errors[i].next
						 : "errno(3), and the man page of the call");
}

static void fatal_check(const struct rule_input *in, struct findings *out)
{
	const struct calls *c = in->capture->calls;
	struct fatal best = { INDEX_NONE, INDEX_NONE, 0 };
	uint32_t *calls;
	size_t *from;

	if (!in->syscalls->is_log) {
		finding_not_assessed(out, in, &rule_fatal_call, "strace -f COMMAND",
				     "a table does not show which call was the last");
		return;
	}
	calls = fatal_by_lane(c, &from);
	for (size_t lane = 0; lane < c->lanes.len; lane++) {
		struct fatal e =
			fatal_of_thread(in, calls + from[lane], from[lane + 1] - from[lane]);

		/* prefer a thread that wrote a message to a thread that only ended */
		if (e.call != INDEX_NONE &&
		    (best.call == INDEX_NONE ||
		     (best.message == INDEX_NONE && e.message != INDEX_NONE)))
			best = e;
	}
	free(calls);
	free(from);
	if (best.call != INDEX_NONE)
		fatal_finding(in, out, &best);
	else
		finding_clean(out, in, &rule_fatal_call,
			      "no thread gives up after a call that fails");
}

const struct rule rule_fatal_call = {
	.id = "fatal-call",
	.title = "Program gives up after a failed call",
	.needs = RULE_SYSCALLS,
	.check = fatal_check,
	.is_measured = true,
};
