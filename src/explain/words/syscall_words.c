/* SPDX-License-Identifier: MIT */
#include "explain/words/syscall_words.h"

#include "analyses/syscalls/syscalls.h"
#include "core/calls.h"
#include "core/kinds/metrics.h"

#include "analyses/calls/retvals.h"
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/metrics.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"

#include <math.h>

const char *syscall_words_noun(const struct rule_input *in)
{
	if (!in->syscalls->is_log && (in->capture->metrics->listed_pct > 0 ||
				      syscalls_has_no_start(in->syscalls, in->capture)))
		return in->syscalls->is_library ? "listed library calls" : "listed system calls";
	return in->syscalls->is_library ? "library calls" : "system calls";
}

const char *syscall_words_share(struct findings *out, double part, double whole)
{
	double pct = syscall_words_pct(part, whole);
	int decimals = 1;

	/*
	 * Print more decimals if a part that is neither 0 nor all would be printed as 0.0 % or
	 * 100.0 %.
	 */
	while (decimals < 4 && part > 0 && part < whole &&
	       (pct >= 100 - 0.5 / pow(10, decimals) || pct < 0.5 / pow(10, decimals)))
		decimals++;
	return finding_name(out, "%.*f %%", decimals, pct);
}

bool syscall_words_is_filtered(const struct rule_input *in)
{
	return in->syscalls->is_log && in->capture->filtered_by.v && !in->capture->is_cut;
}

bool syscall_words_is_whole(const struct rule_input *in)
{
	return capture_note_of(in->capture, STR(METRICS_NOTE_NO_FILTER)).len > 0;
}

struct str syscall_words_name(const struct rule_input *in, sym_id sym)
{
	return str_sub(symbols_name(capture_symbols(in->capture), sym), 0, 64);
}

struct str syscall_words_row_thread(const struct rule_input *in, size_t row)
{
	const struct metrics *m = in->capture->metrics;

	for (size_t i = 0; m && m->texts.len && i < m->columns.len; i++) {
		if (m->columns.data[i].is_text)
			return strings_get(capture_strings(in->capture),
					   m->texts.data[row * m->columns.len + i]);
	}
	return STR("");
}

const char *syscall_words_thread(const struct rule_input *in, struct findings *out, uint32_t lane)
{
	const struct call_lane *l = &in->capture->calls->lanes.data[lane];
	struct str comm = strings_get(capture_strings(in->capture), l->comm);

	if (!l->has_pid)
		return "the thread";
	if (comm.len)
		return finding_name(out, "thread %u (" STR_FMT ")", l->pid, STR_ARG(comm));
	return finding_name(out, "thread %u", l->pid);
}

bool syscall_words_is_events(struct str about)
{
	return str_glob(STR("anon_inode:*|inotify*|/dev/pts/*|/dev/tty*|/dev/ptmx|/dev/console|"
			    "/dev/input/*|/dev/fuse|/dev/kmsg|/proc/kmsg|/dev/net/tun|NETLINK:*"),
			about);
}

const char *syscall_words_about(const struct rule_input *in, struct findings *out, str_id name)
{
	struct str text = strings_get(capture_strings(in->capture), name);

	if (text.len <= 72)
		return finding_name(out, STR_FMT, STR_ARG(text));
	return finding_name(out, STR_FMT "..." STR_FMT, STR_ARG(str_sub(text, 0, 30)),
			    STR_ARG(str_skip(text, text.len - 39)));
}

double syscall_words_pct(double part, double whole)
{
	return part > 0 && whole > 0 ? part / whole * 100 : 0;
}

const char *syscall_words_errno(struct findings *out, int error)
{
	const char *name = retval_errno_name(error);

	return name ? name : finding_name(out, "error %d", -error);
}

const char *syscall_words_call(const struct rule_input *in, struct findings *out, uint32_t call)
{
	const struct calls *c = in->capture->calls;
	struct str args = c->args.len
				  ? strings_get(capture_strings(in->capture), c->args.data[call])
				  : STR_NONE;
	int error = syscalls_call_error(c, call);

	return finding_name(out, STR_FMT "(" STR_FMT "%s)%s%s",
			    STR_ARG(syscall_words_name(in, c->sym.data[call])),
			    STR_ARG(str_sub(args, 0, 60)), args.len > 60 ? "..." : "",
			    error ? " = " : "", error ? syscall_words_errno(out, error) : "");
}

static const struct {
	enum syscall_kind kind;
	const char *cause;
} words_kinds[] = {
	{ SYSCALL_KIND_SYNC, "The call waits until the device has stored the data: storage is "
			     "slow, or each record is flushed separately" },
	{ SYSCALL_KIND_IO, "The data has not arrived: a slow device or file system, or the other "
			   "side of a pipe or socket" },
	{ SYSCALL_KIND_NETWORK,
	  "No data comes or goes: the peer is slow or has nothing to send, the "
	  "network holds packets back, or the peer's window is full" },
	{ SYSCALL_KIND_FUTEX, "The thread waits for another thread: for a lock, or for work" },
	{ SYSCALL_KIND_POLL,
	  "The thread waits for events or its timeout; it is idle if there is no work" },
	{ SYSCALL_KIND_WAIT, "The child process uses this time: look at the child" },
	{ SYSCALL_KIND_SLEEP, "the program sleeps on purpose: a fixed delay" },
	{ SYSCALL_KIND_SIGNAL_WAIT, "The thread waits for a signal; it is idle if none is due" },
	{ SYSCALL_KIND_MEMORY, "Mapping or unmapping is slow: other threads hold the lock on the "
			       "address space, or many pages are freed" },
	{ SYSCALL_KIND_OPEN,
	  "Opening or closing is slow: a slow file system or device, or close flushes data" },
	{ SYSCALL_KIND_LOOKUP,
	  "The lookup is slow: metadata is not cached, or comes over a network" },
	{ SYSCALL_KIND_PROCESS,
	  "Starting is slow: fork copies the page tables of a large process" },
	{ SYSCALL_KIND_FILE_LOCK, "another process holds the file lock" },
};

static const struct {
	const char *calls;
	const char *cause;
} words_names[] = {
	{ "accept|accept4", "No client connects: the thread is idle until one does" },
	{ "io_uring_enter|io_getevents|io_pgetevents*",
	  "The thread waits until requests that it submitted are done; it is idle if there are "
	  "none" },
	{ "msgrcv|mq_*receive*", "No message came: the thread is idle until one does" },
	{ "connect", "the peer is slow to accept, or a name server or a timeout delays it" },
};

const char *syscall_words_cause(enum syscall_kind kind, struct str name)
{
	/*
	 * strace prints restart_syscall instead of the name of a restarted call. Reads are never
	 * restarted in this way, so the kind SYSCALL_KIND_IO is wrong here.
	 */
	if (kind == SYSCALL_KIND_IO && str_eq(name, STR("restart_syscall")))
		return "A wait with a timeout goes on that began before the trace. The name of "
		       "the call is not certain";
	for (size_t i = 0; i < ARRAY_LEN(words_names); i++) {
		if (str_glob(str_of(words_names[i].calls), name))
			return words_names[i].cause;
	}
	for (size_t i = 0; i < ARRAY_LEN(words_kinds); i++) {
		if (words_kinds[i].kind == kind)
			return words_kinds[i].cause;
	}
	return "The kernel worked or waited inside the call. Its stack (/proc/PID/stack) shows the "
	       "reason";
}
