/* SPDX-License-Identifier: MIT */
#include "explain/signatures/waiting.h"

#include "analyses/roles.h"
#include "analyses/waits/waits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/names/start_names.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"

/*
 * A finding and a warning need waits of at least these percentages of the lifetime (wall-clock
 * time) of the waiting threads. A thread that rarely has work may wait whenever it has work, and
 * still lose almost no time.
 */
#define WAITING_LIFE_PCT      1.0
#define WAITING_LEAD_LIFE_PCT 12.0
#define WAITING_EVIDENCE      3u
/* Modules that are not part of the program itself. */
#define WAITING_LIBRARIES                                                                    \
	"libc.so*|libc-*|ld-*|libpthread*|libstdc++*|libc++*|libc.musl*|libjvm*|libpython*|" \
	"*/libc.so*|*/libc-*|*/ld-*|*/libpthread*|*/libstdc++*|*/libjvm*|*/libpython*"
/*
 * Functions of the kernel that take mmap_lock. If such a function waits for a read-write semaphore,
 * it waits for mmap_lock. Source: mm/mmap.c, mm/util.c, mm/mprotect.c, mm/madvise.c,
 * arch/x86/mm/fault.c.
 */
#define WAITING_MMAP_CALLERS                                                           \
	"vm_mmap_pgoff|vm_munmap|__vm_munmap|do_user_addr_fault|lock_mm_and_find_vma|" \
	"do_mprotect_pkey*|mprotect_fixup|do_madvise*|__mm_populate|do_page_fault|"    \
	"__do_page_fault|*sys_brk|*sys_mremap|*sys_munmap|*sys_mprotect"
#define WAITING_RWSEM "rwsem_down_*|rwsem_*|down_read*|down_write*|__down_read*|__down_write*"
/*
 * WAITING_PLACES: maximum number of functions whose waits are added up. WAITING_PLACE_PART: the
 * claim names a function that has at least this part (0 to 1) of the waits.
 */
#define WAITING_PLACES     32u
#define WAITING_PLACE_PART 0.5
#define WAITING_FRAMES     4u
/* maximum certainty of a finding ("likely") if switches are missing */
#define WAITING_PARTIAL_SURE 85u
#define WAITING_NAME_MAX     64u
/*
 * The evidence names the waker (the thread that ends a wait) of at least this part (0 to 1) of the
 * waits.
 */
#define WAITING_WAKER_PART 0.5

bool waiting_misses_waits(const struct rule_input *in)
{
	const struct profile_switches *s = &in->capture->profile->switches;

	return s->uncounted;
}

bool waiting_is_partial(const struct rule_input *in)
{
	const struct profile_switches *s = &in->capture->profile->switches;

	return s->unlinked || s->uncounted;
}

/* A clause for the reason of a finding if the recording is incomplete; "": it is complete. */
static const char *waiting_partial(const struct rule_input *in, const struct waiting *s)
{
	if (waiting_is_partial(in))
		return "; switches are missing, so there may be more waits";
	if (s->kind == WAIT_CPU && in->capture->profile->switches.misses_cpus)
		return "; a preempted thread may have run on a CPU that the trace lacks";
	return "";
}

double waiting_pct(uint64_t ns, uint64_t of)
{
	return of ? (double)ns / (double)of * 100 : 0;
}

uint64_t waiting_busy_ns(const struct waits *w)
{
	uint64_t ns = w->ran_ns;

	for (unsigned int k = 0; k < WAIT_KINDS; k++)
		ns += WAIT_BUSY_KINDS >> k & 1 ? w->kinds[k].ns : 0;
	return ns;
}

const char *waiting_word(const struct rule_input *in)
{
	return in->capture->profile->is_goroutines ? "goroutine" : "thread";
}

struct str waiting_who(const struct rule_input *in, struct findings *out, uint32_t tid)
{
	const struct wait_thread *t = waits_thread(in->waits, tid);
	struct str comm =
		t ? strings_get(capture_strings(in->capture), t->comm) : str_of(waiting_word(in));

	return str_of(finding_name(out, "'" STR_FMT "' (%u)",
				   STR_ARG(str_sub(comm, 0, WAITING_NAME_MAX)), tid));
}

struct finding *waiting_add(const struct rule_input *in, struct findings *out,
			    const struct rule *rule, enum finding_severity severity,
			    unsigned int sure)
{
	struct finding *f;

	if (waiting_is_partial(in) && sure > WAITING_PARTIAL_SURE)
		sure = WAITING_PARTIAL_SURE;
	f = finding_add(out, in, rule, severity, sure);
	f->capture = INDEX_NONE;
	return f;
}

struct str waiting_frames_of(const struct rule_input *in, struct findings *out,
			     const struct capture *c, stack_id stack)
{
	const struct stacks *s = &c->profile->stacks;
	const struct symbols *symbols = capture_symbols(c);
	struct str text = STR("");
	struct str last_kernel = STR("");
	unsigned int n = 0;

	for (uint32_t at = stack.v; at && n < WAITING_FRAMES; at = s->parent.data[at]) {
		const struct symbol *sym = symbols_get(symbols, s->sym.data[at]);
		struct str name = facts_short_name(in->facts, s->sym.data[at], WAITING_NAME_MAX);

		if (sym->space == SPACE_COMM)
			break;
		if (sym->space == SPACE_KERNEL) {
			/*
			 * the system call is the outermost kernel frame, apart from the entry code
			 */
			if (!start_names_have(name,
					      START_ENTRY | START_BIT(START_ROLE_SYSCALL_EXIT)))
				last_kernel = name;
			continue;
		}
		if (sym->flags & SYMBOL_ADDRESS || str_eq(name, STR("[unknown]")))
			continue;
		text = str_of(finding_name(out, STR_FMT "%s" STR_FMT, STR_ARG(text),
					   n++ ? " < " : "", STR_ARG(name)));
	}
	if (last_kernel.len == 0)
		return n ? text : STR("no stack");
	return str_of(finding_name(out, STR_FMT "%s" STR_FMT, STR_ARG(last_kernel), n ? " < " : "",
				   STR_ARG(text)));
}

struct str waiting_frames(const struct rule_input *in, struct findings *out, stack_id stack)
{
	return waiting_frames_of(in, out, in->capture, stack);
}

struct str waiting_comm(const struct rule_input *in, stack_id stack)
{
	const struct stacks *s = &in->capture->profile->stacks;

	for (uint32_t at = stack.v; at; at = s->parent.data[at]) {
		if (symbols_get(capture_symbols(in->capture), s->sym.data[at])->space == SPACE_COMM)
			return symbols_name(capture_symbols(in->capture), s->sym.data[at]);
	}
	return STR("");
}

void waiting_evidence(const struct rule_input *in, struct findings *out, struct finding *f,
		      uint32_t kinds, struct str comm, unsigned int max)
{
	unsigned int n = 0;

	VEC_FOREACH (s, &in->waits->stacks) {
		struct str who = strings_get(capture_strings(in->capture), s->waker);
		bool has_waker = who.len && !str_eq(who, STR("-")) &&
				 (double)s->waker_ns >= (double)s->sum.ns * WAITING_WAKER_PART;

		if (!(kinds >> s->kind & 1) || s->is_kernel ||
		    (comm.len && !str_eq(comm, waiting_comm(in, s->stack))))
			continue;
		if (n++ == max)
			break;
		finding_evidence(out, f, in, 0,
				 STR_FMT " in '" STR_FMT
					 "': %s in %llu wait%s, longest %s%s" STR_FMT "%s",
				 STR_ARG(waiting_frames(in, out, s->stack)),
				 STR_ARG(str_sub(waiting_comm(in, s->stack), 0, WAITING_NAME_MAX)),
				 finding_duration(out, s->sum.ns), (unsigned long long)s->sum.n,
				 s->sum.n == 1 ? "" : "s", finding_duration(out, s->sum.longest_ns),
				 !has_waker            ? ""
				 : s->kind != WAIT_CPU ? ", woken by '"
				 : s->sum.n == 1       ? ", behind '"
						       : ", mostly behind '",
				 STR_ARG(has_waker ? who : STR("")), has_waker ? "'" : "");
	}
}

void waiting_not_ruled_out(const struct rule_input *in, struct findings *out,
			   const struct rule *rule)
{
	finding_not_assessed(out, in, rule, "perf sched record, or assay record --off-cpu -a",
			     "context switches are missing, so waits may be missing too");
}

bool waiting_can_rule_out(const struct rule_input *in, struct findings *out,
			  const struct rule *rule)
{
	const struct waits *w = in->waits;
	uint64_t blocked = 0;

	for (unsigned int k = 0; k < WAIT_KINDS; k++)
		blocked += k == WAIT_CPU ? 0 : w->kinds[k].ns;
	if (waiting_pct(w->kinds[WAIT_UNKNOWN].ns, blocked) >= WAITING_UNKNOWN_PCT) {
		finding_not_assessed(out, in, rule, "assay record --off-cpu, or perf record -g",
				     "%.1f %% of the waiting has no stack: its reason is unknown",
				     waiting_pct(w->kinds[WAIT_UNKNOWN].ns, blocked));
		return false;
	}
	if (!waiting_misses_waits(in))
		return true;
	waiting_not_ruled_out(in, out, rule);
	return false;
}

/*
 * Sums over the threads of the program that wait longest. The group includes each thread that waits
 * at least a tenth as long as the thread with the longest wait.
 */
struct waiting_group {
	unsigned int n;
	uint64_t ns;      /* sum of the waits of these threads, ns */
	uint64_t life_ns; /* sum of the lifetimes (wall-clock times) of these threads, ns */
};

static struct waiting_group waiting_threads(const struct waits *w, enum wait_kind kind)
{
	struct waiting_group ret = { 0 };
	uint64_t most = 0;

	VEC_FOREACH (t, &w->threads) {
		if (!t->is_kernel && t->kinds[kind].ns > most)
			most = t->kinds[kind].ns;
	}
	VEC_FOREACH (t, &w->threads) {
		if (t->is_kernel || t->kinds[kind].ns == 0 || t->kinds[kind].ns < most / 10)
			continue;
		ret.n++;
		ret.ns += t->kinds[kind].ns;
		ret.life_ns += t->life_ns;
	}
	return ret;
}

sym_id waiting_program(const struct rule_input *in, stack_id stack)
{
	const struct stacks *s = &in->capture->profile->stacks;
	const struct symbols *symbols = capture_symbols(in->capture);

	for (uint32_t at = stack.v; at; at = s->parent.data[at]) {
		sym_id sym = s->sym.data[at];
		const struct symbol *row = symbols_get(symbols, sym);

		if (row->space != SPACE_KERNEL && row->space != SPACE_COMM &&
		    !(row->flags & SYMBOL_ADDRESS) &&
		    !str_glob(STR(WAITING_LIBRARIES), symbols_module(symbols, sym)) &&
		    role_of(in->facts->roles, symbols, sym) == ROLE_NONE)
			return sym;
	}
	return (sym_id){ 0 };
}

/*
 * The clause ", 98.2 % of it in journal_append" about the function with most of the waits. "": no
 * function has WAITING_PLACE_PART of the waits.
 */
static const char *waiting_place(const struct rule_input *in, struct findings *out,
				 struct finding *f, enum wait_kind kind)
{
	struct {
		sym_id sym;
		uint64_t ns;
	} places[WAITING_PLACES] = { 0 };
	size_t n = 0;
	uint64_t all = 0;
	size_t best = 0;

	VEC_FOREACH (row, &in->waits->stacks) {
		sym_id sym;
		size_t at = 0;

		if (row->kind != kind || row->is_kernel)
			continue;
		all += row->sum.ns;
		sym = waiting_program(in, row->stack);
		while (at < n && places[at].sym.v != sym.v)
			at++;
		if (!sym.v || at == WAITING_PLACES)
			continue;
		n += at == n;
		places[at].sym = sym;
		places[at].ns += row->sum.ns;
		if (places[at].ns > places[best].ns)
			best = at;
	}
	if (n == 0 || (double)places[best].ns < (double)all * WAITING_PLACE_PART)
		return "";
	finding_subject(f, places[best].sym, SUBJECT_CALLER);
	return finding_name(out, ", %.1f %% of it in " STR_FMT, waiting_pct(places[best].ns, all),
			    STR_ARG(facts_short_name(in->facts, places[best].sym, 96)));
}

/*
 * Is the input a trace of goroutines, which does not show the waits of this rule? Such a trace
 * never shows page faults. It may show a wait for storage only as a system call, without its
 * purpose. True: "not assessed" was added.
 */
static bool waiting_is_hidden(const struct rule_input *in, struct findings *out,
			      const struct rule *rule)
{
	const struct waiting *s = rule->waiting;
	const struct waits *w = in->waits;
	uint64_t other = w->kinds[WAIT_OTHER].ns;

	if (!in->capture->profile->is_goroutines)
		return false;
	if (s->kind == WAIT_MEMORY) {
		finding_not_assessed(out, in, rule, "assay record --off-cpu",
				     "a trace of goroutines does not show page faults");
		return true;
	}
	if (s->kind != WAIT_DISK || waiting_pct(other, waiting_busy_ns(w) + other) < s->note_pct)
		return false;
	finding_not_assessed(out, in, rule, "assay record --off-cpu",
			     "goroutines waited %s in calls whose purpose the trace does not show",
			     finding_duration(out, other));
	return true;
}

/* Add "clean" if the data is complete enough, otherwise "not assessed". */
static void waiting_rule_out(const struct rule_input *in, struct findings *out,
			     const struct rule *rule, double pct, double life)
{
	const struct waiting *s = rule->waiting;
	const struct waits *w = in->waits;
	uint64_t busy = waiting_busy_ns(w);
	double futex = waiting_pct(w->kinds[WAIT_FUTEX].ns, busy + w->kinds[WAIT_FUTEX].ns);

	if (s->kind == WAIT_CPU && !w->has_wakers) {
		finding_not_assessed(
			out, in, rule, "assay record --off-cpu",
			"no wake-ups recorded: the wait for a CPU after a wake-up is unknown");
		return;
	}
	if (s->kind == WAIT_LOCK && futex >= s->note_pct) {
		finding_not_assessed(
			out, in, rule,
			"frame pointers or symbols for the C library; perf trace -s -e futex",
			"%s in futexes: waits for locks or for work; the stacks do not show which",
			finding_duration(out, w->kinds[WAIT_FUTEX].ns));
		return;
	}
	if (waiting_is_hidden(in, out, rule) ||
	    (s->kind != WAIT_CPU && !waiting_can_rule_out(in, out, rule)))
		return;
	if (s->kind == WAIT_CPU && waiting_misses_waits(in)) {
		waiting_not_ruled_out(in, out, rule);
		return;
	}
	if (pct >= s->note_pct)
		finding_clean(out, in, rule, "%s: %.1f %% of the wall time of the %ss that wait",
			      s->name, life, waiting_word(in));
	else
		finding_clean(out, in, rule, "%s: %.1f %% of the time that %ss had work", s->name,
			      pct, waiting_word(in));
}

/* Does the thread at @stack wait for the lock of an address space (mmap_lock)? */
static bool waiting_is_mmap(const struct rule_input *in, stack_id stack)
{
	const struct stacks *s = &in->capture->profile->stacks;
	const struct symbols *symbols = capture_symbols(in->capture);
	bool is_rwsem = false;

	for (uint32_t at = stack.v; at; at = s->parent.data[at]) {
		struct str name = symbols_name(symbols, s->sym.data[at]);

		if (symbols_get(symbols, s->sym.data[at])->space != SPACE_KERNEL)
			continue;
		is_rwsem |= str_glob(STR(WAITING_RWSEM), name);
		if (is_rwsem && str_glob(STR(WAITING_MMAP_CALLERS), name))
			return true;
	}
	return false;
}

/* Are most waits for locks waits for the lock of an address space (mmap_lock)? */
static bool waiting_is_mostly_mmap(const struct rule_input *in)
{
	uint64_t all = 0;
	uint64_t mmap = 0;

	VEC_FOREACH (row, &in->waits->stacks) {
		if (row->kind != WAIT_LOCK || row->is_kernel)
			continue;
		all += row->sum.ns;
		mmap += waiting_is_mmap(in, row->stack) ? row->sum.ns : 0;
	}
	return all && (double)mmap >= (double)all * WAITING_PLACE_PART;
}

void waiting_check(const struct rule_input *in, struct findings *out, const struct rule *rule)
{
	const struct waiting *s = rule->waiting;
	const struct waits *w = in->waits;
	const struct wait_sum *sum = &w->kinds[s->kind];
	uint64_t busy = waiting_busy_ns(w);
	double pct = waiting_pct(sum->ns, busy);
	struct waiting_group group = waiting_threads(w, s->kind);
	double life = waiting_pct(group.ns, group.life_ns);
	const char *place;
	const char *held;
	struct str inverted;
	bool is_inverted = false;
	struct finding *f;
	bool leads;
	bool is_mmap;

	if (w->threads.len == 0)
		return;
	if (pct < s->note_pct || waiting_pct(sum->ns, w->span_ns) < WAITING_SPAN_PCT ||
	    life < WAITING_LIFE_PCT) {
		waiting_rule_out(in, out, rule, pct, life);
		return;
	}
	inverted = s->kind == WAIT_LOCK ? waiting_held_inverted(in, 1u << s->kind, &is_inverted)
					: STR_NONE;
	leads = is_inverted || (pct >= s->lead_pct && life >= WAITING_LEAD_LIFE_PCT &&
				waiting_pct(sum->ns, w->span_ns) >= WAITING_LEAD_SPAN_PCT);
	f = waiting_add(in, out, rule, leads ? FINDING_WARNING : FINDING_NOTE,
			*waiting_partial(in, s) && s->sure > WAITING_PARTIAL_SURE
				? WAITING_PARTIAL_SURE
				: s->sure);
	f->impact = life < pct ? life : pct;
	f->is_kind = true;
	is_mmap = s->kind == WAIT_LOCK && waiting_is_mostly_mmap(in);
	held = waiting_held_claim(in, out, 1u << s->kind);
	place = waiting_place(in, out, f, s->kind);
	finding_claim(out, f,
		      "%s with work to do were %s %.1f %% of the time%s (%.1f %% of their wall "
		      "time)%s%s%s %s in %llu wait%s of %u %s%s, longest %s",
		      in->capture->profile->is_goroutines ? "Goroutines" : "Threads",
		      is_mmap ? "blocked on mmap_lock, the lock of their address space," : s->what,
		      pct, waiting_is_partial(in) ? " seen" : "", life, place, held,
		      *held || *place ? ";" : ":", finding_duration(out, sum->ns),
		      (unsigned long long)sum->n, sum->n == 1 ? "" : "s", group.n, waiting_word(in),
		      group.n == 1 ? "" : "s", finding_duration(out, sum->longest_ns));
	finding_figure(f, s->name, pct, 0, "%");
	finding_figure(f, "total", (double)sum->ns / 1e6, 0, "ms");
	finding_figure(f, "waits", (double)sum->n, 0, "");
	finding_figure(f, "mean wait", (double)sum->ns / 1e3 / (double)sum->n, 0, "us");
	finding_figure(f, "running meanwhile", (double)w->ran_ns / 1e6, 0, "ms");
	finding_figure(f, "recorded", (double)w->span_ns / 1e6, 0, "ms");
	waiting_evidence(in, out, f, 1u << s->kind, STR_NONE, WAITING_EVIDENCE);
	waiting_held_evidence(in, out, f, 1u << s->kind);
	if (is_mmap)
		finding_cause(out, f,
			      "Mapping, unmapping and page faults of all threads of a process take "
			      "one lock: memory is mapped and returned all the time, or a thread "
			      "holds the lock for long");
	else if (is_inverted)
		finding_cause(
			out, f,
			"Priority inversion: the holder of the lock is ready, and a real-time "
			"thread of lower priority than the waiting one runs in its place, '" STR_FMT
			"'. A mutex with priority inheritance lets the holder run",
			STR_ARG(inverted));
	else if (inverted.len)
		finding_usual_cause(
			out, f,
			"Priority inversion, if the waiting thread has a higher priority than "
			"'" STR_FMT
			"', a real-time thread that runs while the holder of the lock is ready: a "
			"mutex with priority inheritance lets the holder run\n"
			"the real-time thread comes first as intended, if the waiting thread has a "
			"normal priority",
			STR_ARG(inverted));
	else
		finding_causes(out, f, s->cause, s->usual_cause);
	finding_because(out, f, "%s%s", s->because, waiting_partial(in, s));
	finding_unknown(out, f, s->not_known);
	if (is_mmap)
		finding_next(
			out, f,
			"keep memory instead of returning it (MALLOC_TRIM_THRESHOLD_, "
			"MALLOC_MMAP_THRESHOLD_, a pool), or use processes instead of threads");
	for (size_t i = is_mmap; i < ARRAY_LEN(s->next) && s->next[i]; i++)
		finding_next(out, f, "%s", s->next[i]);
}
