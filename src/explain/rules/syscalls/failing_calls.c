/* SPDX-License-Identifier: MIT */
/*
 * Many system calls of one name fail. Usual reasons are a search path, a descriptor that is not
 * ready, closing descriptors that are not open, or a race for a lock.
 *
 * Thresholds: at least 15 failures of one name, because the start of a program has about ten. Four
 * are enough in an excerpt, or for an error that no start of a program causes, such as
 * ECONNREFUSED. The failures are 3 % of all calls, and 30 % of the calls of that name: with fewer,
 * failures are the exception. A warning needs 500 failures, and 20 % of all calls. In a log, errors
 * that are a usual answer (EINPROGRESS, EINTR, EEXIST) are ignored. A table of counts does not name
 * the errors.
 */
#include "core/calls.h"
#include "core/capture.h"
#include "core/kinds/metrics.h"
#include "explain/words/syscall_words.h"

#include "analyses/syscalls/syscalls.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <errno.h>

DECLARE_RULE(failing_calls);

/* names of calls that have no file among their arguments */
#define FAILING_NO_FILE                                                                            \
	"futex*|*nanosleep*|wait*|kill|tkill|tgkill|rt_sig*|restart_syscall|mmap|munmap|mprotect|" \
	"madvise|brk|sched_*|clone*|fork|vfork|prctl|arch_prctl|set*id|rseq|membarrier"

#define FAILING_TABLES 4u /* maximum number of tables that a finding cites */
#define FAILING_MIN    15u
/*
 * minimum number of failures, instead of FAILING_MIN, in an excerpt, or for an error that no start
 * of a program causes
 */
#define FAILING_MIN_LOG  4u
#define FAILING_OWN_PCT  30.0
#define FAILING_NOTE_PCT 3.0 /* minimum share of the failures in all calls, percent */
#define FAILING_LEAD_PCT 20.0
#define FAILING_LEAD     500u
#define FAILING_MOST     2u
/* If at least this number of threads find nothing at one descriptor, an event wakes all of them. */
#define FAILING_WOKEN 3u
/* The claim names a path or descriptor if it has more than one in this number of failures. */
#define FAILING_OBJECT_PART 10u

#define FAILING_WOKEN_CAUSE                                                                     \
	"The threads wait for the same descriptor, if they belong to one process or inherited " \
	"it: each event wakes all of them, and one gets the data (thundering herd). Let one "   \
	"thread wait for it (EPOLLEXCLUSIVE), or give each its own (SO_REUSEPORT)"

struct failing_text {
	/*
	 * negative error number, such as -ENOENT; 0: any error (tables of counts print no error
	 * numbers)
	 */
	int error;
	unsigned int kind; /* kind of the call (enum syscall_kind); 0: any kind */
	const char *cause;
	const char *call; /* pattern (str_glob) of the name of the call; NULL: any */
};

static const struct failing_text failing_texts[] = {
	{ -2, 0,
	  "The program looks for files that do not exist: each directory of a search path is "
	  "tried, or a missing file is requested again and again" },
	{ -20, 0, "A search path contains names that are not directories" },
	{ -11, SYSCALL_KIND_FUTEX,
	  "The value changed before the thread slept: several threads race for the same lock (lock "
	  "contention), or a wake-up came first" },
	{ -11, SYSCALL_KIND_FILE_LOCK,
	  "Another process holds the lock on the file. The program does not wait for it, and tries "
	  "again" },
	{ -13, SYSCALL_KIND_FILE_LOCK,
	  "Another process holds the lock on the file. The program does not wait for it, and tries "
	  "again" },
	{ -11, SYSCALL_KIND_SOCKET,
	  "No connection is left to accept. Several processes wake for one connection, or each "
	  "accepts until none is left" },
	{ -11, 0,
	  "The descriptor is not ready (EAGAIN). The program retries without waiting, or reads "
	  "once more after each message to drain it" },
	{ -61, 0,
	  "The file has no such attribute (ENODATA), which is the answer for most files: the "
	  "program "
	  "asks for each, as ls -l does for access lists and labels" },
	{ -95, 0,
	  "The file system has no such attributes (EOPNOTSUPP): the program asks for each file, as "
	  "ls -l does for access lists and labels",
	  "*xattr*" },
	{ -110, 0, "waits end by timeout: no thread sent a wake-up" },
	{ -9, 0,
	  "The program uses or closes descriptors that are not open. Some programs close every "
	  "possible descriptor before exec; close_range needs one call" },
	{ -25, 0,
	  "The program tests files for being a terminal, or sends requests that their driver does "
	  "not know" },
	{ -10, 0, "The program waits for children that do not exist" },
	{ -3, 0, "The program queries processes or threads that have ended" },
	{ -28, 0,
	  "the user is at the limit of watches (fs.inotify.max_user_watches); no disk is full",
	  "inotify_add_watch" },
	{ -28, 0, "the device is full" },
	{ -24, SYSCALL_KIND_SOCKET,
	  "The process is at its limit of open files (ulimit -n): descriptors leak, or more "
	  "clients come than the limit allows. The connection stays in the queue, so a poll "
	  "reports it "
	  "again at once, and the loop never sleeps" },
	{ -24, 0,
	  "The process is at its limit of open files (ulimit -n): descriptors leak, or it needs "
	  "more" },
	{ -23, 0, "the system is at its limit of open files (fs.file-max)" },
	{ -122, 0, "the disk quota of the user is used up" },
	{ -12, 0, "the kernel refuses memory" },
	{ -32, 0, "the other side closed the connection" },
	{ -111, 0, "Nobody listens at the address, and the program keeps trying to connect" },
	{ -105, 0, "the send buffer is full" },
	{ 0, SYSCALL_KIND_LOOKUP,
	  "Most likely the program looks for files that do not exist (ENOENT): a search path is "
	  "tried, or a missing file is requested again" },
	{ 0, SYSCALL_KIND_OPEN,
	  "Most likely the program opens files that do not exist (ENOENT): each directory of a "
	  "search path is tried. Failing close calls (EBADF) close every possible descriptor" },
	{ 0, SYSCALL_KIND_FUTEX,
	  "Most likely the value changed before the thread slept (EAGAIN), so threads race for a "
	  "lock. Or waits time out (ETIMEDOUT)" },
	{ 0, SYSCALL_KIND_IO,
	  "Most likely descriptors are not ready (EAGAIN): the program retries without waiting, or "
	  "reads once more after each message" },
	{ 0, SYSCALL_KIND_NETWORK,
	  "Most likely sockets are not ready (EAGAIN): the program retries without waiting, or "
	  "reads once more after each message" },
	{ 0, SYSCALL_KIND_SOCKET,
	  "Most likely connect does not wait for its connection (EINPROGRESS), or accept finds "
	  "none "
	  "left (EAGAIN). If connect waits, nobody listens or the network is down" },
	{ 0, SYSCALL_KIND_DEVICE,
	  "Most likely the program tests files for being a terminal (ENOTTY)" },
	{ 0, 0,
	  "The program continues as if the failure did not matter: each failed call is wasted" },
};

/*
 * Whether the error is an ordinary answer. For example, most files that `ls -l` lists have no
 * extended attribute, so asking for it fails.
 */
static bool failing_is_answer(enum syscall_kind kind, int error)
{
	return error == -61 || (error == -95 && kind == SYSCALL_KIND_LOOKUP);
}

static bool failing_is_usual(int error)
{
	return error == -115 || error == -4 || error == -17;
}

static const char *failing_cause(int error, enum syscall_kind kind, struct str name)
{
	const struct failing_text *t = failing_texts;

	while (!(t->error == error && (t->kind == 0 || t->kind == kind) &&
		 (!t->call || str_glob(str_of(t->call), name))) &&
	       t + 1 < failing_texts + ARRAY_LEN(failing_texts))
		t++;
	return t->cause;
}

/* Number of calls that wait for descriptors to be ready. */
static uint64_t failing_polls(const struct rule_input *in)
{
	uint64_t n = 0;

	VEC_FOREACH (row, &in->syscalls->rows)
		n += row->kind == SYSCALL_KIND_POLL ? row->calls : 0;
	return n;
}

/*
 * The cause of @n failures of @row. If a table has at least as many waits for descriptors, the
 * program does not retry without waiting.
 */
static const char *failing_table_cause(const struct rule_input *in, struct findings *out,
				       const struct syscall_row *row, int error, uint64_t n)
{
	uint64_t polls = error ? 0 : failing_polls(in);

	if (polls >= n && (row->kind == SYSCALL_KIND_IO || row->kind == SYSCALL_KIND_NETWORK))
		return finding_name(out,
				    "Most likely descriptors are not ready (EAGAIN): an event loop "
				    "reads until no data is left, and then waits. It waits %llu "
				    "times for events, so it does not retry without waiting",
				    (unsigned long long)polls);
	return failing_cause(error, row->kind, syscall_words_name(in, row->sym));
}

/*
 * Whether a server accepts connections until there are none, so that its last accept() always
 * fails. Such failures must be less than FAILING_LEAD_PCT of all calls. With more, several
 * processes probably wake for one connection.
 */
static bool failing_is_drained(const struct rule_input *in, const struct syscall_row *row,
			       int error, uint64_t n)
{
	return (error == 0 || error == -11) &&
	       str_glob(STR("accept|accept4"), syscall_words_name(in, row->sym)) &&
	       syscall_words_pct((double)n, (double)in->syscalls->calls) < FAILING_LEAD_PCT;
}

static const struct syscall_row *failing_row(const struct syscalls_summary *s,
					     const struct syscall_error *e)
{
	VEC_FOREACH (row, &s->rows) {
		if (row->sym.v == e->sym.v && row->name_kind == e->kind)
			return row;
	}
	return NULL;
}

/*
 * Find the path or descriptor with most failures of the call @sym. @n: number of all failures of
 * @sym. NULL: no path or descriptor has many, or two have equally many.
 */
static const struct syscall_object *failing_object(const struct syscalls_summary *s, sym_id sym,
						   uint64_t n)
{
	const struct syscall_object *best = NULL;
	bool is_tie = false;

	VEC_FOREACH (o, &s->objects) {
		if (o->sym.v != sym.v || !o->errors || (best && o->errors < best->errors))
			continue;
		is_tie = best && o->errors == best->errors;
		best = o;
	}
	return best && !is_tie && best->errors >= n / FAILING_OBJECT_PART + 1 ? best : NULL;
}

/*
 * Whether an event wakes several threads that read or accept from the object @o, and all except one
 * find nothing. (A thread that reads until EAGAIN is different: it was not woken in vain.)
 */
static bool failing_is_woken(const struct syscall_object *o, const struct syscall_row *row,
			     int error)
{
	return o && error == -EAGAIN && o->empty_threads >= FAILING_WOKEN &&
	       (row->kind == SYSCALL_KIND_IO || row->kind == SYSCALL_KIND_NETWORK ||
		row->kind == SYSCALL_KIND_SOCKET);
}

/*
 * Number of rows with failed calls of @sym in tables of counts. There may be several, because a
 * text can have one table per thread.
 */
static size_t failing_tables(const struct rule_input *in, sym_id sym)
{
	const struct metrics *m = in->capture->metrics;
	size_t n = 0;

	for (size_t i = 0; !in->syscalls->is_log && m && i < m->n_rows; i++)
		n += m->names.data[i].v == sym.v && metrics_value(m, i, 1) > 0;
	return n;
}

/*
 * Cite the rows with failed calls of @sym in the first FAILING_TABLES tables. The figure of the
 * finding is the sum of all such rows.
 */
static void failing_cite_tables(const struct rule_input *in, struct findings *out,
				struct finding *f, sym_id sym)
{
	const struct metrics *m = in->capture->metrics;
	size_t n = 0;

	for (size_t i = 0; i < m->n_rows && n < FAILING_TABLES; i++) {
		if (m->names.data[i].v != sym.v || !(metrics_value(m, i, 1) > 0))
			continue;
		n++;
		finding_evidence(out, f, in, m->lines.data[i], STR_FMT ": %.0f of %.0f",
				 STR_ARG(syscall_words_name(in, sym)), metrics_value(m, i, 1),
				 metrics_value(m, i, 0));
	}
}

/* Threads that have the failures, from a table of counts. */
struct failing_threads {
	/* common name of these threads; empty: their names differ, or are unknown */
	struct str comm;
	const char *ids; /* "123,124"; empty: unknown, or too many for a command line */
};

/* Split the name of a thread, "find (123)". False: @thread has another form. */
static bool failing_thread_split(struct str thread, struct str *comm, struct str *id)
{
	size_t at = str_rfind_char(thread, '(');

	if (at == thread.len || at == 0 || !str_ends(thread, STR(")")))
		return false;
	*comm = str_trim(str_sub(thread, 0, at));
	*id = str_sub(thread, at + 1, thread.len - 1);
	return comm->len && id->len && char_is_digit(id->p[0]);
}

static struct failing_threads failing_threads_of(const struct rule_input *in, struct findings *out,
						 sym_id sym)
{
	const struct metrics *m = in->capture->metrics;
	struct failing_threads ret = { STR(""), "" };
	struct str comm, id;
	size_t n = 0;

	for (size_t i = 0; !in->syscalls->is_log && m && i < m->n_rows; i++) {
		if (m->names.data[i].v != sym.v || !(metrics_value(m, i, 1) > 0))
			continue;
		if (n == FAILING_TABLES ||
		    !failing_thread_split(syscall_words_row_thread(in, i), &comm, &id))
			return (struct failing_threads){ STR(""), "" };
		ret.comm = n == 0 || str_eq(comm, ret.comm) ? comm : STR("");
		ret.ids = finding_name(out, "%s%s" STR_FMT, ret.ids, n ? "," : "", STR_ARG(id));
		n++;
	}
	return ret;
}

/* Does the error mean that a limit is reached? Then a single failure is a finding. */
static bool failing_is_limit(int error)
{
	return error == -EMFILE || error == -ENFILE || error == -ENOSPC || error == -EDQUOT;
}

static void failing_finding(const struct rule_input *in, struct findings *out,
			    const struct syscall_row *row, int error, uint64_t n, uint32_t line)
{
	const struct syscalls_summary *s = in->syscalls;
	double all = syscall_words_pct((double)n, (double)s->calls);
	const struct syscall_object *o = failing_object(s, row->sym, n);
	struct str name = syscall_words_name(in, row->sym);
	struct finding *f = finding_add(
		out, in, &rule_failing_calls,
		failing_is_limit(error) || (all >= FAILING_LEAD_PCT && n >= FAILING_LEAD &&
					    !failing_is_answer(row->kind, error))
			? FINDING_WARNING
			: FINDING_NOTE,
		error ? 90
		/*
		 * futex() also fails if an idle wait ends at its timeout, so its failures prove
		 * less
		 */
		: row->kind == SYSCALL_KIND_FUTEX ? 50
						  : 75);
	struct failing_threads t = failing_threads_of(in, out, row->sym);
	const char *with =
		error ? finding_name(out, " with %s", syscall_words_errno(out, error)) : "";
	bool is_woken = failing_is_woken(o, row, error);
	const char *where;

	f->impact = all;
	where = finding_name(out, "%s%s%s" STR_FMT "%s", o ? ", most often on " : "",
			     o ? syscall_words_about(in, out, o->name) : "",
			     t.comm.len ? ", in " : "", STR_ARG(t.comm),
			     is_woken ? finding_name(out, ", in %u threads", o->empty_threads)
				      : "");
	if (n < FAILING_MIN_LOG)
		finding_claim(out, f, STR_FMT " fails%s: %llu of %llu call%s%s", STR_ARG(name),
			      with, (unsigned long long)n, (unsigned long long)row->calls,
			      row->calls == 1 ? "" : "s", where);
	else
		finding_claim(out, f, "%s of " STR_FMT " calls fail%s: %llu of %llu%s",
			      syscall_words_share(out, (double)n, (double)row->calls),
			      STR_ARG(name), with, (unsigned long long)n,
			      (unsigned long long)row->calls, where);
	finding_figure(f, "failed", (double)n, 0, "");
	if (failing_tables(in, row->sym) > 1)
		finding_figure(f, "tables with such failures", (double)failing_tables(in, row->sym),
			       0, "");
	finding_figure_part(f, "share of its calls", n, row->calls);
	finding_figure_part(f, "share of all calls", n, s->calls);
	finding_subject(f, row->sym, SUBJECT_EXPLAINED);
	if (failing_tables(in, row->sym) > 1)
		failing_cite_tables(in, out, f, row->sym);
	else
		finding_evidence(out, f, in, line, STR_FMT "%s", STR_ARG(name), with);
	if (o && o->line != line)
		finding_evidence(out, f, in, o->line, "%s: %llu failed",
				 syscall_words_about(in, out, o->name),
				 (unsigned long long)o->errors);
	finding_usual_cause(out, f, "%s",
			    is_woken ? FAILING_WOKEN_CAUSE
				     : failing_table_cause(in, out, row, error, n));
	finding_because(out, f,
			error ? "the log shows each failure"
			      : "a table counts failures without naming the error");
	if (error == -EMFILE)
		finding_next(
			out, f,
			"ls -l /proc/PID/fd; grep 'open files' /proc/PID/limits: what the open "
			"descriptors are, and how many it may have");
	finding_next(out, f,
		     "strace -f -y -e trace=" STR_FMT " -e status=failed %s%s: which error%s",
		     STR_ARG(name), t.ids[0] ? "-p " : "COMMAND", t.ids,
		     str_glob(STR(FAILING_NO_FILE), name) ? "" : ", on which file");
}

/* Is the error unusual for the start of a program? (ENOENT and ENOTTY, for example, are usual.) */
static bool failing_is_rare(int error)
{
	static const int errors[] = { ECONNREFUSED, ECONNRESET, EHOSTUNREACH, ENETUNREACH, ENOSPC,
				      EMFILE,       ENOMEM,     EPIPE,        EIO };

	for (size_t i = 0; i < ARRAY_LEN(errors); i++) {
		if (error == -errors[i])
			return true;
	}
	return false;
}

/*
 * Whether @n failures of one call are many enough for a finding. @of: number of all calls of this
 * name; @error: negative error number; 0: unknown.
 */
static bool failing_is_many(const struct rule_input *in, int error, uint64_t n, uint64_t of)
{
	const struct syscalls_summary *s = in->syscalls;
	uint64_t least = s->is_log && (s->calls < SYSCALL_EXCERPT || failing_is_rare(error))
				 ? FAILING_MIN_LOG
				 : FAILING_MIN;

	if (s->is_log && failing_is_limit(error))
		return true;
	return n >= least && syscall_words_pct((double)n, (double)of) >= FAILING_OWN_PCT &&
	       syscall_words_pct((double)n, (double)s->calls) >= FAILING_NOTE_PCT;
}

static void failing_check(const struct rule_input *in, struct findings *out)
{
	const struct syscalls_summary *s = in->syscalls;
	size_t n = 0;

	if (s->is_library)
		return;
	VEC_FOREACH (e, &s->errors) {
		const struct syscall_row *row = failing_row(s, e);

		if (n < FAILING_MOST && row && !failing_is_usual(e->error) &&
		    !failing_is_drained(in, row, e->error, e->calls) &&
		    failing_is_many(in, e->error, e->calls, row->calls)) {
			failing_finding(in, out, row, e->error, e->calls, e->line);
			n++;
		}
	}
	VEC_FOREACH (row, &s->rows) {
		if (!s->is_log && n < FAILING_MOST &&
		    !failing_is_drained(in, row, 0, row->errors) &&
		    failing_is_many(in, 0, row->errors, row->calls)) {
			failing_finding(in, out, row, 0, row->errors, row->line);
			n++;
		}
	}
	if (n)
		return;
	if (!s->is_log && s->failed == 0)
		finding_not_assessed(out, in, &rule_failing_calls, "strace -f -c -w COMMAND",
				     "the table shows no errors, or lacks an error column");
	else
		finding_clean(out, in, &rule_failing_calls, "%llu of %llu calls fail",
			      (unsigned long long)s->failed, (unsigned long long)s->calls);
}

static const char *const failing_explains[] = { "system-calls", "call-sequence", NULL };

const struct rule rule_failing_calls = {
	.id = "failing-calls",
	.title = "Failing system calls",
	.needs = RULE_SYSCALLS,
	.explains = failing_explains,
	.check = failing_check,
	.is_measured = true,
};
