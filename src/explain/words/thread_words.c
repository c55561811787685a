/* SPDX-License-Identifier: MIT */
#include "explain/words/thread_words.h"

#include "analyses/plain_name.h"
#include "analyses/quality/quality.h"
#include "analyses/threads/thread_summary.h"
#include "analyses/threads/thread_waits.h"
#include "analyses/waits/wait_roles.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/threads.h"
#include "core/names/package.h"
#include "core/parts.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/checker_report_names.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/thread_waits_names.h"
#include "explain/words/source_words.h"
#include "explain/words/wait_reasons.h"

#include <string.h>

#define WORDS_MINUTE_NS UINT64_C(60000000000)
#define WORDS_HOUR_NS   (60 * WORDS_MINUTE_NS)
#define WORDS_DAY_NS    (24 * WORDS_HOUR_NS)
/* minimum times that are printed in minutes, in hours, and in days */
#define WORDS_MINUTES_NS (10 * WORDS_MINUTE_NS)
#define WORDS_HOURS_NS   (10 * WORDS_HOUR_NS)
#define WORDS_DAYS_NS    (3 * WORDS_DAY_NS)
/* maximum number of frames between two named frames that are cited, too */
#define THREAD_WORDS_BETWEEN 3u
/* maximum number of frames of a thread that are cited */
#define THREAD_WORDS_CITED 8u
/* patterns of names of the kernel image, without modules */
#define WORDS_KERNEL "?kernel*|?k?|vmlinux*|*/vmlinux*"
#define WORDS_NAME   160 /* maximum number of bytes of a name in a sentence */

static struct str words_short(struct str s)
{
	return str_sub(s, 0, WORDS_NAME);
}

const char *thread_words_kind(const struct rule_input *in)
{
	struct str dialect =
		strings_get(capture_strings(in->capture), in->capture->threads->dialect);

	if (in->capture->threads->is_sessions)
		return "session";
	/* each row of ps is a process or a thread */
	if (str_eq(dialect, STR("ps")))
		return "task";
	return str_starts(dialect, STR("goroutine")) ? "goroutine" : "thread";
}

bool thread_words_is_goroutine_profile(const struct capture *c)
{
	return str_eq(strings_get(capture_strings(c), c->threads->dialect),
		      STR("goroutine-profile"));
}

const char *thread_words_about_place(struct findings *out, const struct rule_input *in,
				     uint32_t row)
{
	sym_id sym = threads_summary_sym(in->threads, row, in->threads->rows.data[row].place);

	return finding_name(out, "place %u of capture %u", sym.v, in->number);
}

const char thread_words_goroutine_states[] =
	"curl -s 'http://HOST/debug/pprof/goroutine?debug=2': the state of each goroutine, and for "
	"how long";

/*
 * Do all threads of the snapshot, at least two, have one name? Then only their numbers distinguish
 * them.
 */
static bool words_has_one_name(const struct rule_input *in)
{
	const struct threads_summary *s = in->threads;
	str_id first = STR_ID_NONE;
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->rows.len; i++) {
		const struct thread_row *r = threads_summary_row(s, i);

		if (r->snapshot != s->snapshot)
			continue;
		if (n && r->name.v != first.v)
			return false;
		first = r->name;
		n++;
	}
	return n > 1;
}

const char *thread_words_all(struct findings *out, const struct rule_input *in, const char *threads)
{
	return finding_name(out, "%s in the %s", threads,
			    quality_is_part(in->capture) ? "text" : "dump");
}

const char *thread_words_name(struct findings *out, const struct rule_input *in, uint32_t row)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	const struct strings *names = capture_strings(in->capture);
	struct str name = strings_get(names, r->name);
	struct str id = strings_get(names, r->id);

	if (name.len && id.len && words_has_one_name(in))
		return finding_name(out, "%s '" STR_FMT "' (" STR_FMT ")", thread_words_kind(in),
				    STR_ARG(words_short(name)), STR_ARG(words_short(id)));
	if (name.len)
		return finding_name(out, "%s '" STR_FMT "'", thread_words_kind(in),
				    STR_ARG(words_short(name)));
	if (id.len)
		return finding_name(out, "%s " STR_FMT, thread_words_kind(in),
				    STR_ARG(words_short(id)));
	return finding_name(out, "the %s at line %u", thread_words_kind(in), r->line);
}

const char *thread_words_count(struct findings *out, const struct rule_input *in, uint64_t n)
{
	return finding_name(out, "%llu %s%s", (unsigned long long)n, thread_words_kind(in),
			    n == 1 ? "" : "s");
}

struct str thread_words_frame(const struct rule_input *in, uint32_t row, uint32_t frame)
{
	struct str name = facts_name(in->facts, threads_summary_sym(in->threads, row, frame));

	return name.len ? words_short(name) : STR("?");
}

bool thread_words_is_remote(const struct rule_input *in, uint32_t row)
{
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;

	for (uint32_t i = 0; i < n; i++) {
		if (str_glob(STR(WAITS_REMOTE), thread_words_frame(in, row, i)))
			return true;
	}
	return false;
}

const struct wait_reason *thread_words_reason(const struct rule_input *in, uint32_t row)
{
	const struct thread_seen *seen = &in->threads->rows.data[row];
	const struct symbols *symbols = capture_symbols(in->capture);
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;
	const struct wait_reason *general = NULL;
	bool is_remote;

	if (seen->kind != THREAD_WAIT_EVENT && seen->kind != THREAD_WAIT_DISK &&
	    seen->kind != THREAD_WAIT_SOCKET)
		return NULL;
	is_remote = seen->kind == THREAD_WAIT_DISK && thread_words_is_remote(in, row);
	for (uint32_t i = 0; i < n; i++) {
		sym_id sym = threads_summary_sym(in->threads, row, i);
		struct str name = symbols_canonical(symbols, sym);
		const struct wait_reason *reason =
			symbols_get(symbols, sym)->space == SPACE_KERNEL &&
					(!is_remote || str_glob(STR(WAITS_ALSO_REMOTE), name))
				? wait_reason_of(name)
				: NULL;

		/* beyond the place: helpers, such as rcu_barrier() around wait_for_completion() */
		if (i > seen->place && (!general || (!wait_role_has(WAIT_ROLE_HELPER, name) &&
						     !wait_role_has(WAIT_ROLE_SILENT, name))))
			break;
		if (reason && !wait_reason_is_general(reason))
			return reason;
		general = reason ? reason : general;
	}
	return general;
}

/* Does thread @row wait in a function of the kernel? */
static bool words_is_kernel(const struct rule_input *in, uint32_t row)
{
	const struct thread_seen *seen = &in->threads->rows.data[row];
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;
	sym_id sym = threads_summary_sym(in->threads, row, seen->place < n ? seen->place : 0);

	return n && symbols_get(capture_symbols(in->capture), sym)->space == SPACE_KERNEL;
}

const char *thread_words_object(const struct rule_input *in, uint32_t row)
{
	enum thread_wait kind = (enum thread_wait)in->threads->rows.data[row].kind;
	const struct wait_reason *reason = thread_words_reason(in, row);

	if (reason)
		return reason->object;
	if (kind == THREAD_WAIT_DISK && thread_words_is_remote(in, row))
		return "I/O of a network file system";
	/* in the kernel, an interrupt or a work item may end the wait, too */
	if (kind == THREAD_WAIT_EVENT && words_is_kernel(in, row))
		return "an event (of another task or a device)";
	return thread_wait_object(kind);
}

uint32_t thread_words_fault(const struct rule_input *in, uint32_t row, uint32_t from)
{
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;

	for (uint32_t i = from; i < n; i++) {
		if (!str_glob(STR(CHECKER_INNER), thread_words_frame(in, row, i)) &&
		    !str_eq(STR("??"), thread_words_frame(in, row, i)) &&
		    !thread_waits_is_allocator(capture_symbols(in->capture),
					       threads_summary_sym(in->threads, row, i)))
			return i;
	}
	return from;
}

/*
 * Index of the first frame of application code, from @frame outwards. Returns the number of frames
 * if there is no such frame.
 */
static uint32_t words_own_frame(const struct rule_input *in, uint32_t row, uint32_t frame)
{
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;

	while (frame < n &&
	       !thread_waits_is_own(in->capture, threads_summary_sym(in->threads, row, frame)))
		frame++;
	return frame;
}

struct str thread_words_step(const struct rule_input *in, uint32_t row)
{
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;
	const struct thread_seen *seen = &in->threads->rows.data[row];
	struct plain_name plain;

	if (seen->kind != THREAD_WAIT_NONE || seen->place != 0 || n < 2 ||
	    !thread_waits_is_own(in->capture, threads_summary_sym(in->threads, row, 1)) ||
	    !str_glob(STR(WAITS_STEPS), plain_name_make(&plain, thread_words_frame(in, row, 0))))
		return STR_NONE;
	return thread_words_frame(in, row, 0);
}

/* Is frame @frame of thread @row a function of a kernel module: [xfs], [ceph]? */
static bool words_is_in_module(const struct rule_input *in, uint32_t row, uint32_t frame)
{
	const struct symbols *symbols = capture_symbols(in->capture);
	sym_id sym = threads_summary_sym(in->threads, row, frame);

	return symbols_get(symbols, sym)->space == SPACE_KERNEL &&
	       symbols_module(symbols, sym).len > 0 &&
	       !str_glob(STR(WORDS_KERNEL), symbols_module(symbols, sym));
}

/*
 * Make sure that the @n frames in @frames include a function of a kernel module, because the module
 * shows whose work waits. If they include none, find the first such function further outwards, and
 * replace the last element of @frames by it.
 */
static void words_name_module(const struct rule_input *in, uint32_t row, uint32_t *frames, size_t n)
{
	uint32_t n_frames = threads_summary_row(in->threads, row)->n_frames;

	for (size_t i = 0; i < n; i++) {
		if (words_is_in_module(in, row, frames[i]))
			return;
	}
	for (uint32_t at = frames[n - 1] + 1; at < n_frames; at++) {
		if (words_is_in_module(in, row, at)) {
			frames[n - 1] = at;
			return;
		}
	}
}

/*
 * Does the function in which thread @row waits call a helper that waits for any caller, such as
 * flush_work()? Then the name of the helper says more than the kind of wait.
 */
static bool words_waits_in_helper(const struct rule_input *in, uint32_t row)
{
	const struct thread_seen *seen = &in->threads->rows.data[row];

	return seen->entry < seen->place &&
	       thread_waits_is_helper(capture_symbols(in->capture),
				      threads_summary_sym(in->threads, row, seen->entry));
}

/*
 * Write the indices of up to @max frames of thread @row to @ret, and return their number. First
 * comes the function (or helper) in which the thread waits or runs, then its callers in application
 * code. A recursive function is written once. A short step (thread_words_step()) is left out.
 */
static size_t words_frames(const struct rule_input *in, uint32_t row, uint32_t *ret, size_t max)
{
	uint32_t n_frames = threads_summary_row(in->threads, row)->n_frames;
	const struct thread_seen *seen = &in->threads->rows.data[row];
	uint32_t at = seen->place + (thread_words_step(in, row).len != 0);
	size_t n = 0;

	if (at >= n_frames && n_frames)
		ret[n++] = seen->entry < n_frames ? seen->entry : 0;
	else if (words_waits_in_helper(in, row))
		ret[n++] = seen->entry;
	for (; at < n_frames && n < max; at = words_own_frame(in, row, at + 1)) {
		if (n && str_eq(thread_words_frame(in, row, at),
				thread_words_frame(in, row, ret[n - 1])))
			continue;
		ret[n++] = at;
	}
	if (n > 1)
		words_name_module(in, row, ret, n);
	return n;
}

uint32_t thread_words_program(const struct rule_input *in, uint32_t row, uint32_t from)
{
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;

	for (; from < n; from++) {
		sym_id sym = threads_summary_sym(in->threads, row, from);

		if (thread_waits_is_own(in->capture, sym) &&
		    !source_words_is_library(in->capture, sym))
			return source_words_is_program(in->capture, sym) ? from : n;
	}
	return n;
}

const char *thread_words_frame_at(struct findings *out, const struct rule_input *in, uint32_t row,
				  uint32_t frame)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	struct str name = package_strip(thread_words_frame(in, row, frame));
	const struct thread_frame *f;
	struct str file;
	size_t slash;

	if (frame >= r->n_frames)
		return finding_name(out, STR_FMT, STR_ARG(name));
	f = &threads_frames(in->capture->threads, r)[frame];
	file = strings_get(capture_strings(in->capture), f->source_file);
	slash = str_rfind_char(file, '/');
	file = str_skip(file, slash < file.len ? slash + 1 : 0);
	return file.len && f->source_line
		       ? finding_name(out, STR_FMT " (" STR_FMT ":%u)", STR_ARG(name),
				      STR_ARG(file), f->source_line)
		       : finding_name(out, STR_FMT, STR_ARG(name));
}

const char *thread_words_place(struct findings *out, const struct rule_input *in, uint32_t row)
{
	uint32_t frames[THREAD_WORDS_CALLERS];
	size_t n = words_frames(in, row, frames, THREAD_WORDS_CALLERS);
	uint32_t program;
	bool is_far;
	const char *text = "";

	if (n == 0)
		return "a function that is not printed";
	program = thread_words_program(in, row, frames[0]);
	/* the last frame is of a library: name the first one of the program instead */
	is_far = n > 1 && program > frames[n - 1] &&
		 program < threads_summary_row(in->threads, row)->n_frames &&
		 source_words_is_library(in->capture,
					 threads_summary_sym(in->threads, row, frames[n - 1]));
	if (is_far)
		frames[n - 1] = program;
	for (size_t i = 0; i < n; i++)
		text = finding_name(
			out, "%s%s" STR_FMT "%s", text,
			i == 0                 ? ""
			: i == 1               ? ", called from "
			: is_far && i + 1 == n ? ", … from "
					       : ", from ",
			STR_ARG(package_strip(thread_words_frame(in, row, frames[i]))),
			frames[i] == program
				? source_words_place(out, in->capture,
						     threads_summary_sym(in->threads, row, program))
				: "");
	return text;
}

/*
 * The frames of thread @row to cite, in the order of the stack: the function below the one in which
 * it waits, which shows the wait, the function in which it waits or runs, and the callers that
 * thread_words_place() names. Frames between these are
 * cited, too, unless they are more than THREAD_WORDS_BETWEEN.
 */
static size_t words_cited(const struct rule_input *in, uint32_t row, uint32_t *ret, size_t max)
{
	const struct thread_seen *seen = &in->threads->rows.data[row];
	uint32_t frames[THREAD_WORDS_CALLERS];
	size_t n = words_frames(in, row, frames, ARRAY_LEN(frames));
	uint32_t from, program;
	size_t count = 0;

	if (n == 0)
		return 0;
	if (seen->kind != THREAD_WAIT_NONE && frames[0] == seen->place && frames[0] > seen->entry)
		ret[count++] = frames[0] - 1;
	ret[count++] = frames[0];
	from = frames[0] + 1;
	for (size_t i = 1; i < n; i++) {
		if (frames[i] < from || frames[i] - from > THREAD_WORDS_BETWEEN)
			from = frames[i];
		for (; from <= frames[i] && count < max; from++)
			ret[count++] = from;
	}
	program = thread_words_program(in, row, frames[0]);
	if (count < max && program >= from &&
	    program < threads_summary_row(in->threads, row)->n_frames)
		ret[count++] = program;
	return count;
}

void thread_words_cite(struct findings *out, struct finding *f, const struct rule_input *in,
		       uint32_t row)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	const struct thread_frame *lines = threads_frames(in->capture->threads, r);
	uint32_t frames[THREAD_WORDS_CITED];
	size_t n = words_cited(in, row, frames, ARRAY_LEN(frames));
	uint32_t place;

	if (n == 0)
		finding_evidence(out, f, in, r->line, "%s", thread_words_name(out, in, row));
	else if (words_frames(in, row, &place, 1))
		finding_subject(f, lines[place].sym, SUBJECT_EXPLAINED);
	for (size_t i = 0; i < n; i++) {
		/* inlined functions share one line: cite it once */
		if (i && lines[frames[i]].line == lines[frames[i - 1]].line)
			continue;
		finding_evidence(out, f, in, lines[frames[i]].line, STR_FMT,
				 STR_ARG(thread_words_frame(in, row, frames[i])));
	}
}

bool thread_words_lacks_gil(const struct rule_input *in, uint32_t row)
{
	const struct threads *t = in->capture->threads;
	const struct strings *names = capture_strings(in->capture);

	if (!str_eq(strings_get(names, t->dialect), STR("py-spy")) ||
	    str_contains(strings_get(names, t->rows.data[row].state_text), STR("+gil")))
		return false;
	VEC_FOREACH (r, &t->rows) {
		if (r->snapshot == t->rows.data[row].snapshot &&
		    str_contains(strings_get(names, r->state_text), STR("+gil")))
			return true;
	}
	return false;
}

bool thread_words_runs(const struct rule_input *in, uint32_t row)
{
	uint64_t cpu_ns, ns;

	if (in->capture->threads->is_stopped || thread_words_lacks_gil(in, row))
		return false;
	if (thread_words_used(in, row, &cpu_ns, &ns) && cpu_ns < ns / 2)
		return false;
	return threads_summary_runs(in->threads, row);
}

bool thread_words_is_shown_running(const struct rule_input *in, uint32_t row)
{
	uint64_t cpu_ns, ns;

	return threads_summary_row(in->threads, row)->state == THREAD_RUNNING ||
	       thread_words_used(in, row, &cpu_ns, &ns);
}

bool thread_words_sleeps(const struct rule_input *in, uint32_t row)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);

	return in->threads->rows.data[row].is_parked || r->state == THREAD_DISK ||
	       (r->state == THREAD_WAITING &&
		str_glob(STR("S|S *|S-*|I|I *|I-*|WAITING*|TIMED_WAITING*|in Object.wait()"),
			 strings_get(capture_strings(in->capture), r->state_text)));
}

const char *thread_words_verb(const struct rule_input *in, uint32_t row)
{
	if (thread_words_runs(in, row))
		return thread_words_is_shown_running(in, row) ? "run" : "stand";
	return thread_words_sleeps(in, row) ? "wait" : "stand";
}

bool thread_words_is_stateless(const struct rule_input *in, const struct rule *rule,
			       struct findings *out)
{
	VEC_FOREACH (row, &in->capture->threads->rows) {
		if (row->state != THREAD_UNKNOWN)
			return false;
	}
	finding_not_assessed(out, in, rule, "the columns state and wait_event",
			     "no session has a printed state");
	return true;
}

bool thread_words_is_nameless(const struct rule_input *in, const struct rule *rule,
			      struct findings *out)
{
	const struct threads *t = in->capture->threads;
	const struct symbols *symbols = capture_symbols(in->capture);

	VEC_FOREACH (frame, &t->frames) {
		if (!(symbols_get(symbols, frame->sym)->flags & SYMBOL_ADDRESS) &&
		    !str_eq(symbols_name(symbols, frame->sym), STR("\?\?")))
			return false;
	}
	if (t->frames.len == 0)
		return false;
	finding_not_assessed(
		out, in, rule,
		"the dump again, with symbols: DEBUGINFOD_URLS for gdb, or the -dbgsym "
		"packages",
		"no function of the stacks has a name");
	return true;
}

const char *thread_words_lock(struct findings *out, const struct rule_input *in, uint32_t lock)
{
	const struct thread_lock_seen *l = &in->threads->locks.data[lock];
	struct str type = strings_get(capture_strings(in->capture), l->type);
	int digits = in->capture->threads->lock_digits;

	if (!thread_lock_has_address(l->address))
		return finding_name(out, "%s" STR_FMT,
				    str_starts(type, STR("the ")) ? ""
				    : type.len && str_find_char(STR("aeiour"), type.p[0]) < 6
					    ? "an "
					    : "a ",
				    STR_ARG(type.len ? type : STR("lock")));
	if (!type.len)
		return finding_name(out, "0x%0*llx", digits, (unsigned long long)l->address);
	return finding_name(out, "0x%0*llx (" STR_FMT ")", digits, (unsigned long long)l->address,
			    STR_ARG(words_short(package_strip(type))));
}

const char *thread_words_dump(const struct rule_input *in, bool *is_stopped)
{
	static const struct {
		const char *dialects, *command;
	} tools[] = {
		{ "jstack|jfr-pinned|pinned-threads", "jstack PID" },
		{ "goroutine-profile|goroutine-counts",
		  "curl -s 'http://HOST/debug/pprof/goroutine?debug=1'" },
		{ "goroutine*|panicparse", "curl -s 'http://HOST/debug/pprof/goroutine?debug=2'" },
		{ "py-spy|faulthandler|py-bt|python-traceback", "py-spy dump --pid PID" },
		{ "rbspy|ruby", "rbspy snapshot --pid PID" },
		{ "dotnet", "dotnet-stack report -p PID" },
		{ "hot-threads", "curl -s 'http://HOST:9200/_nodes/hot_threads'" },
		{ "ps|kernel-stacks", "cat /proc/PID/task/*/stack" },
		{ "gdb|eu-stack|lldb|pmp|backtrace|kudu", "eu-stack -p PID" },
	};
	struct str dialect =
		strings_get(capture_strings(in->capture), in->capture->threads->dialect);

	*is_stopped = in->capture->threads->is_stopped || str_eq(dialect, STR("crash"));
	if (*is_stopped)
		return str_eq(dialect, STR("gdb"))     ? "thread apply all bt full, in this gdb"
		       : str_eq(dialect, STR("lldb"))  ? "bt all, in this lldb"
		       : str_eq(dialect, STR("crash")) ? "foreach bt, in this crash session"
						       : NULL;
	for (size_t i = 0; i < ARRAY_LEN(tools); i++) {
		if (str_glob(str_of(tools[i].dialects), dialect))
			return tools[i].command;
	}
	return NULL;
}

const char *thread_words_dumps(struct findings *out, const struct rule_input *in)
{
	bool is_stopped;
	const char *command = thread_words_dump(in, &is_stopped);

	if (!command)
		return is_stopped ? "the stacks of all threads in this core or debugger"
				  : "take three dumps ten seconds apart";
	return is_stopped ? command : finding_name(out, "%s, three times, 10 s apart", command);
}

bool thread_words_says_hang(const struct rule_input *in)
{
	return capture_note_of(in->capture, STR(CAPTURE_HANGS)).len > 0;
}

/* Is the dump of goroutines of a test? No server answers there, and the test may have ended. */
static bool words_is_go_test(const struct rule_input *in)
{
	const struct strings *strings = capture_strings(in->capture);

	return str_starts(strings_get(strings, in->capture->threads->dialect), STR("goroutine")) &&
	       str_glob(STR("go test*|* go test*"), strings_get(strings, in->capture->command));
}

const char *thread_words_watch(struct findings *out, const struct rule_input *in, const char *moves,
			       const char *stopped)
{
	bool is_stopped;

	if (words_is_go_test(in))
		return "go test -run TEST -count 10: does each run report this stack? Then read "
		       "where the test starts this goroutine, and what should end it";
	(void)thread_words_dump(in, &is_stopped);
	return finding_name(out, "%s: %s", thread_words_dumps(out, in),
			    is_stopped ? stopped : moves);
}

/* For the next step of a thread that waits for a lock, whose owner the dump may show. */
static const char *words_watch_waiters(struct findings *out, const struct rule_input *in)
{
	return thread_words_watch(out, in,
				  "waiters that move are contention, waiters that stay are stuck",
				  "which thread took the lock, and for what it waits itself");
}

/* The debugger that printed the dump of a stopped program, or can print more of its core. */
static const char *words_debugger(const struct rule_input *in)
{
	return str_eq(strings_get(capture_strings(in->capture), in->capture->threads->dialect),
		      STR("lldb"))
		       ? "lldb"
		       : "gdb";
}

const char *thread_words_mutex(struct findings *out, const struct rule_input *in, uint32_t row)
{
	const struct thread_seen *seen = &in->threads->rows.data[row];

	for (uint32_t i = 0; seen->lock && i <= seen->entry; i++) {
		if (str_glob(STR("*pthread_mutex_*lock*"), thread_words_frame(in, row, i)))
			return in->capture->threads->is_stopped
				       ? finding_name(
						 out, "p *(pthread_mutex_t *)0x%llx, in this %s",
						 (unsigned long long)seen->lock, words_debugger(in))
				       : finding_name(
						 out,
						 "gdb -p PID -ex 'p *(pthread_mutex_t *)0x%llx'",
						 (unsigned long long)seen->lock);
	}
	return NULL;
}

const char *thread_words_find_owner(struct findings *out, const struct rule_input *in, uint32_t row,
				    bool is_stuck)
{
	const struct thread_seen *seen = &in->threads->rows.data[row];
	struct str type = STR_NONE;
	const char *mutex = thread_words_mutex(out, in, row);
	uint32_t owner = INDEX_NONE;

	if (seen->wants != INDEX_NONE) {
		type = strings_get(capture_strings(in->capture),
				   in->threads->locks.data[seen->wants].type);
		owner = in->threads->locks.data[seen->wants].owner;
	}
	if (owner != INDEX_NONE && owner != row)
		return words_watch_waiters(out, in);
	if (str_starts(type, STR("java.util.concurrent.")))
		return "jstack -l PID: 'Locked ownable synchronizers' name the owner of a write "
		       "lock; readers of a lock are not listed";
	if (str_starts(strings_get(capture_strings(in->capture), in->capture->threads->dialect),
		       STR("goroutine")))
		return is_stuck ? "go test -race, and the code between Lock() and Unlock(): a "
				  "mutex of Go does not store its owner"
				: "go tool pprof http://HOST/debug/pprof/mutex, after "
				  "runtime.SetMutexProfileFraction(1): a mutex of Go does not "
				  "store its owner, the profile shows who held it";
	if (mutex)
		return finding_name(out, "%s: __owner is the thread that holds it", mutex);
	return words_watch_waiters(out, in);
}

bool thread_words_has_limit(const struct rule_input *in, uint32_t row)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	uint32_t place = in->threads->rows.data[row].place;

	for (uint32_t i = 0; i <= place && i < r->n_frames; i++) {
		if (str_glob(STR("*.timedRead*|*.timedWait*|*.parkNanos*|*.awaitNanos*|*timedwait*|"
				 "*timedlock*|*clockwait*"),
			     thread_words_frame(in, row, i)))
			return true;
	}
	return str_starts(strings_get(capture_strings(in->capture), r->state_text),
			  STR("TIMED_WAITING"));
}

/* Format @ns for a sentence. (Dumps of Go print whole minutes.) */
static const char *words_time(struct findings *out, uint64_t ns)
{
	uint64_t minutes = ns / WORDS_MINUTE_NS;

	if (ns >= WORDS_DAYS_NS)
		return finding_name(out, "%.1f days", (double)(ns / (WORDS_DAY_NS / 10)) / 10);
	if (ns >= WORDS_HOURS_NS)
		return finding_name(out, "%.1f hours", (double)(ns / (WORDS_HOUR_NS / 10)) / 10);
	if (ns >= WORDS_MINUTES_NS || (minutes && ns % WORDS_MINUTE_NS == 0))
		return finding_name(out, "%llu minute%s", (unsigned long long)minutes,
				    minutes == 1 ? "" : "s");
	if (minutes)
		return finding_name(out, "%llu s", (unsigned long long)(ns / 1000000000));
	return finding_name(out, "%.1f s", (double)(ns / 100000000) / 10);
}

const char *thread_words_age(struct findings *out, uint64_t ns)
{
	/* the age is a lower bound, so it must not be rounded up */
	return words_time(out, ns);
}

const char *thread_words_age_most(struct findings *out, uint64_t ns)
{
	uint64_t unit = ns >= WORDS_DAYS_NS      ? WORDS_DAY_NS / 10
			: ns >= WORDS_HOURS_NS   ? WORDS_HOUR_NS / 10
			: ns >= WORDS_MINUTES_NS ? WORDS_MINUTE_NS
						 : UINT64_C(100000000);

	return words_time(out, ns % unit ? ns - ns % unit + unit : ns);
}

const char *thread_words_ages(struct findings *out, const struct rule_input *in, uint64_t least,
			      uint64_t most)
{
	const char *age = thread_words_age(out, most);

	/*
	 * The kernel reports a task when its wait exceeds a limit. So the dump shows only that all
	 * waits exceed the shortest limit.
	 */
	if (in->capture->threads->has_limits)
		return least == 0 ? ""
		       : least < WORDS_MINUTES_NS
			       ? finding_name(out, "more than %llu s",
					      (unsigned long long)(least / 1000000000))
			       : finding_name(out, "more than %s", thread_words_age(out, least));
	if (least == most || strcmp(thread_words_age(out, least), age) == 0)
		return age;
	if (least == 0)
		return finding_name(out, "up to %s", age);
	if (least >= WORDS_MINUTE_NS && least % WORDS_MINUTE_NS == 0 &&
	    most % WORDS_MINUTE_NS == 0 && most < WORDS_HOURS_NS)
		return finding_name(out, "%llu to %s",
				    (unsigned long long)(least / WORDS_MINUTE_NS), age);
	return finding_name(out, "%s to %s", thread_words_age(out, least), age);
}

bool thread_words_wants_result(const struct rule_input *in, uint32_t row)
{
	uint32_t place = in->threads->rows.data[row].place;
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;

	for (uint32_t i = 0; i <= place && i < n; i++) {
		struct str name = thread_words_frame(in, row, i);

		if (str_glob(
			    STR("*uture*|*romise*|*CountDownLatch*|*esult*|*Task.*ait*|*Task.*oin*|"
				"*JoinHandle*|*WaitGroup*"),
			    name) &&
		    !str_glob(STR("*FutureTask.run*|*CompletableFuture$*.run*"), name))
			return true;
	}
	return false;
}

bool thread_words_is_in_task(const struct rule_input *in, uint32_t row)
{
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;

	for (uint32_t i = in->threads->rows.data[row].place + 1; i < n; i++) {
		struct str name = thread_words_frame(in, row, i);

		if (wait_role_find(name, WAIT_LINES_DUMP) == WAIT_ROLE_IDLE ||
		    str_glob(STR(THREAD_WORDS_TASKS), name))
			return true;
	}
	return false;
}

bool thread_words_used(const struct rule_input *in, uint32_t row, uint64_t *ret_cpu_ns,
		       uint64_t *ret_ns)
{
	const struct threads *t = in->capture->threads;
	const struct thread_row *now = &t->rows.data[row];

	for (uint32_t i = row; i-- > 0;) {
		const struct thread_row *before = &t->rows.data[i];

		if (before->snapshot >= now->snapshot || before->id.v != now->id.v ||
		    before->name.v != now->name.v)
			continue;
		if (now->id.v == 0 || before->lifetime_ns == 0 ||
		    now->lifetime_ns <= before->lifetime_ns || now->cpu_ns < before->cpu_ns)
			return false;
		*ret_cpu_ns = now->cpu_ns - before->cpu_ns;
		*ret_ns = now->lifetime_ns - before->lifetime_ns;
		return true;
	}
	return false;
}
