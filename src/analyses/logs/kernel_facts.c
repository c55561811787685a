/* SPDX-License-Identifier: MIT */
#include "analyses/logs/log_facts.h"

#include "analyses/logs/log_summary.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/records.h"

#include <string.h>

/* Bits of an x86 page fault's error code, which the kernel prints in hex (asm/trap_pf.h). */
enum segfault_error {
	SEGFAULT_PROTECTION = 1 << 0, /* the page is present, but the access is not allowed */
	SEGFAULT_WRITE = 1 << 1,
	SEGFAULT_USER = 1 << 2,
	SEGFAULT_RESERVED = 1 << 3,
	SEGFAULT_FETCH = 1 << 4,
	SEGFAULT_KEY = 1 << 5,
	SEGFAULT_SHADOW_STACK = 1 << 6,
	SEGFAULT_SGX = 1 << 15,
};

/*
 * Parse the object with the fault: "in libc.so[7f96e9c96000+1c0000]" or, since Linux 6.7, "in
 * libc.so[7e45b,7f96e9c96000+1c0000]".
 */
static void segfault_object(struct str text, struct log_segfault *ret)
{
	struct str at = text;
	struct log_match m;
	size_t bracket;

	if (!str_take(&at, STR("in ")))
		return;
	/*
	 * the object's name may contain '[': only a '[' before hex digits and '+' or ',' begins the
	 * addresses
	 */
	for (size_t from = 0; from < at.len; from = bracket + 1) {
		bracket = from + str_find_char(str_skip(at, from), '[');
		if (log_match(str_skip(at, bracket), "[%x+%x]", &m) ||
		    log_match(str_skip(at, bracket), "[%x,%x+%x]", &m)) {
			ret->object = str_sub(at, 0, bracket);
			ret->base = m.n[m.n_numbers - 2];
			ret->size = m.n[m.n_numbers - 1];
			ret->offset = m.n_numbers == 3 ? m.n[0] : ret->ip - ret->base;
			ret->has_object = true;
			return;
		}
	}
}

/*
 * Parse "comm[pid]: segfault at …" into all members of @ret except `record`. False: @text is
 * another message. @ret borrows from @text.
 */
static bool log_segfault_parse(struct str text, struct log_segfault *ret)
{
	struct log_segfault f = { .record = 0 };
	size_t at = str_find(text, STR("]: segfault at "));
	size_t open = str_rfind_char(str_sub(text, 0, at), '[');
	struct str pid = str_sub(text, open + 1, at);
	struct log_match m;

	if (at == text.len || open >= at || !str_u64(&pid, &f.pid) || pid.len ||
	    !log_match(str_skip(text, at), "]: segfault at %x ip %x sp %x error %x", &m) ||
	    m.n[3] > UINT32_MAX)
		return false;
	f.comm = str_sub(text, 0, open);
	f.address = m.n[0];
	f.ip = m.n[1];
	f.sp = m.n[2];
	f.error = (uint32_t)m.n[3];
	segfault_object(str_ltrim(m.rest), &f);
	*ret = f;
	return true;
}

/*
 * Parse "traps: comm[pid] general protection fault ip:… sp:… error:…": a process gets SIGSEGV.
 * Source: arch/x86/kernel/traps.c, show_signal().
 */
static bool log_trap_parse(struct str text, struct log_segfault *ret)
{
	struct log_segfault f = { .is_protection = true };
	size_t at = str_find(text, STR("] general protection fault ip:"));
	size_t begin = str_find(text, STR("traps: "));
	size_t open = str_rfind_char(str_sub(text, 0, at), '[');
	struct str pid = str_sub(text, open + 1, at);
	struct log_match m;

	if (at == text.len || begin >= open || open >= at || !str_u64(&pid, &f.pid) || pid.len ||
	    !log_match(str_skip(text, at), "] general protection fault ip:%x sp:%x error:%x", &m))
		return false;
	f.comm = str_sub(text, begin + strlen("traps: "), open);
	f.ip = m.n[0];
	f.sp = m.n[1];
	segfault_object(str_ltrim(m.rest), &f);
	*ret = f;
	return true;
}

void log_segfault_error_text(const struct log_segfault *f, struct out *out)
{
	uint32_t error = f->error;

	if (f->is_protection) {
		out_z(out, "general protection fault: an address that no pointer may have");
		return;
	}
	out_z(out, error & SEGFAULT_FETCH   ? "instruction fetch from"
		   : error & SEGFAULT_WRITE ? "write to"
					    : "read of");
	out_z(out, error & SEGFAULT_RESERVED       ? " a page with reserved bits set"
		   : error & SEGFAULT_KEY          ? " a page that its protection key forbids"
		   : error & SEGFAULT_SGX          ? " an SGX page"
		   : error & SEGFAULT_SHADOW_STACK ? " a shadow stack"
		   : error & SEGFAULT_PROTECTION   ? " a page that does not allow it"
						   : " an unmapped address");
	out_z(out, error & SEGFAULT_USER ? " in user mode" : " in kernel mode");
}

/* Parse the CPU number in "CPU: 3", "CPU#10" or "CPU 3". */
static void kernel_facts_cpu(struct str text, struct kernel_event *e)
{
	size_t at = str_find(text, STR("CPU"));
	struct str rest = str_skip(text, at + 3);
	uint64_t cpu;

	while (rest.len && (rest.p[0] == ' ' || rest.p[0] == '#' || rest.p[0] == ':'))
		rest = str_skip(rest, 1);
	if (at < text.len && str_u64(&rest, &cpu) && cpu < UINT32_MAX) {
		e->has_cpu = true;
		e->cpu = (uint32_t)cpu;
	}
}

/* Parse the task in "task kworker/u16:1:12345 blocked": its pid follows the last ':'. */
static void kernel_facts_task(struct str task, struct kernel_event *e)
{
	size_t colon = str_rfind_char(task, ':');
	struct str pid = str_skip(task, colon + 1);

	e->task = task;
	if (colon < task.len && str_u64(&pid, &e->pid) && pid.len == 0) {
		e->has_pid = true;
		e->task = str_sub(task, 0, colon);
	}
}

static void kernel_facts_hung_task(struct str text, struct kernel_event *e)
{
	struct log_match m;
	size_t end = str_find(text, STR(" blocked for more than "));

	if (log_match(str_skip(text, end), " blocked for more than %u seconds", &m))
		e->seconds = m.n[0];
	text = str_ltrim(str_sub(text, 0, end));
	if (str_take(&text, STR("INFO: task ")) || str_take(&text, STR("task ")))
		kernel_facts_task(text, e);
}

static void kernel_facts_lockup(struct str text, struct kernel_event *e)
{
	size_t open = str_rfind_char(text, '[');
	struct log_match m;

	if (log_match_in(text, "stuck for %us!", &m))
		e->seconds = m.n[0];
	kernel_facts_cpu(text, e);
	if (open < text.len) {
		struct str task = str_skip(text, open + 1);

		kernel_facts_task(str_sub(task, 0, str_find_char(task, ']')), e);
	}
}

#define WORD(w, kind)                      \
	{                                  \
		{ w, sizeof(w) - 1 }, kind \
	}
static const struct {
	struct str word;
	enum kernel_event_kind kind;
} kernel_words[] = {
	WORD("soft lockup - CPU", KERNEL_SOFT_LOCKUP),
	WORD("hard LOCKUP on cpu", KERNEL_HARD_LOCKUP),
	WORD(" blocked for more than ", KERNEL_HUNG_TASK),
	WORD("Kernel panic", KERNEL_PANIC),
	WORD("self-detected stall on CPU", KERNEL_RCU_STALL),
	WORD("detected stalls on CPUs", KERNEL_RCU_STALL),
	WORD("detected expedited stalls", KERNEL_RCU_STALL),
	WORD("possible circular locking dependency", KERNEL_LOCK_ORDER),
	WORD("irq lock inversion dependency", KERNEL_LOCK_INTERRUPT),
	WORD("-unsafe lock order detected", KERNEL_LOCK_INTERRUPT),
	WORD("inconsistent lock state", KERNEL_LOCK_INTERRUPT),
	WORD("possible recursive locking", KERNEL_LOCK_TWICE),
	WORD("invoked oom-killer", KERNEL_OOM),
	WORD("Out of memory: Kill", KERNEL_OOM),
	WORD("cgroup out of memory: Kill", KERNEL_OOM),
	WORD("BUG: unable to handle", KERNEL_OOPS),
	WORD("kernel BUG at ", KERNEL_OOPS),
	WORD("general protection fault", KERNEL_OOPS),
	WORD("Unable to handle kernel", KERNEL_OOPS),
	WORD("Oops: ", KERNEL_OOPS),
	/* sources: kernel/sched/core.c, kernel/locking/lockdep.c */
	WORD("BUG: scheduling while atomic", KERNEL_ATOMIC_SLEEP),
	WORD("BUG: sleeping function called from", KERNEL_ATOMIC_SLEEP),
	WORD("BUG: Invalid wait context", KERNEL_ATOMIC_SLEEP),
	WORD("Voluntary context switch within RCU", KERNEL_ATOMIC_SLEEP),
	WORD("suspicious RCU usage", KERNEL_RCU_MISUSE),
	/*
	 * sources: kernel/kcsan/report.c, mm/kmsan/report.c, lib/ubsan.c, mm/kmemleak.c,
	 * kernel/irq/spurious.c
	 */
	WORD("BUG: KCSAN: ", KERNEL_DATA_RACE),
	WORD("BUG: KMSAN: ", KERNEL_UNINIT),
	WORD("UBSAN: ", KERNEL_UNDEFINED),
	WORD("unreferenced object 0x", KERNEL_LEAK),
	WORD(": nobody cared (try booting", KERNEL_NOBODY_CARED),
	/*
	 * sources: mm/kasan/report.c, mm/kfence/report.c, mm/page_alloc.c, lib/list_debug.c,
	 * lib/refcount.c
	 */
	WORD("BUG: KASAN: null-ptr-deref", KERNEL_OOPS),
	WORD("BUG: KASAN: ", KERNEL_CORRUPTION),
	WORD("BUG: KFENCE: ", KERNEL_CORRUPTION),
	WORD("list_add corruption", KERNEL_CORRUPTION),
	WORD("list_del corruption", KERNEL_CORRUPTION),
	WORD("refcount_t: underflow", KERNEL_CORRUPTION),
	WORD("refcount_t: addition on 0", KERNEL_CORRUPTION),
	WORD("BUG: Bad page state", KERNEL_CORRUPTION),
	/*
	 * sources: OpenZFS include/os/linux/spl/sys/debug.h; Lustre
	 * libcfs/include/libcfs/libcfs_private.h
	 */
	WORD("VERIFY(", KERNEL_ASSERTION),
	WORD("VERIFY3(", KERNEL_ASSERTION),
	WORD("VERIFY0(", KERNEL_ASSERTION),
	WORD("ASSERTION(", KERNEL_ASSERTION),
	/* source: kernel/workqueue.c */
	WORD("BUG: workqueue lockup", KERNEL_WORKQUEUE),
	/* sources: net/sched/sch_generic.c, mm/page_alloc.c, net/core/dev.c */
	WORD("NETDEV WATCHDOG: ", KERNEL_TX_TIMEOUT),
	WORD("page allocation failure", KERNEL_NO_PAGES),
	WORD("SLUB: Unable to allocate memory", KERNEL_NO_PAGES),
	WORD("unregister_netdevice: waiting for ", KERNEL_HELD_DEVICE),
	WORD("WARNING: CPU: ", KERNEL_WARNING),
	WORD("WARNING: at ", KERNEL_WARNING),
};
#undef WORD

/*
 * the title of a report of the lock validator is searched in at most this number of records before
 * the record "which lock already depends on the new lock"
 */
#define KERNEL_CHAIN_RECORDS 20u

/*
 * Handle record @i, "which lock already depends on the new lock": the lock validator reports a
 * wrong lock order. Usually the title of the report, which comes earlier, has already added an
 * event. If the title is missing, add an event at the line "is trying to acquire lock".
 */
static void kernel_facts_chain(struct log_summary *s, uint32_t i)
{
	const struct records *r = s->capture->records;
	struct kernel_event e = { .record = i, .kind = KERNEL_LOCK_ORDER };
	uint32_t from = i > KERNEL_CHAIN_RECORDS ? i - KERNEL_CHAIN_RECORDS : 0;

	if (s->kernel_events.len &&
	    s->kernel_events.data[s->kernel_events.len - 1].record >= from &&
	    s->kernel_events.data[s->kernel_events.len - 1].kind == KERNEL_LOCK_ORDER)
		return;
	while (e.record > from &&
	       !str_contains(r->rows.data[e.record].text, STR(" is trying to acquire lock:")))
		e.record--;
	*VEC_PUSH(&s->kernel_events) = e;
}

/*
 * Parse "traps: comm[pid] trap NAME ip:… sp:… error:…". The kernel prints it only if the process
 * does not handle the signal. Source: arch/x86/kernel/traps.c, show_signal().
 */
static bool log_other_trap_parse(struct str text, struct log_trap *ret)
{
	struct str rest = str_skip(text, str_find(text, STR("traps: ")));
	struct str name;
	struct log_match m;

	rest = str_skip(rest, str_find(rest, STR("] trap ")));
	if (!str_take(&rest, STR("] trap ")))
		return false;
	name = str_sub(rest, 0, str_find(rest, STR(" ip:")));
	if (!log_match(str_skip(rest, name.len), " ip:%x sp:%x error:%x", &m))
		return false;
	*ret = (struct log_trap){ .name = name };
	return true;
}

/*
 * Whether @text is a panic that only follows from the last event: sysctl softlockup_panic or
 * hung_task_panic makes the kernel panic after a lockup or hung task. Sources: kernel/watchdog.c,
 * kernel/hung_task.c.
 */
static bool kernel_facts_is_asked(const struct log_summary *s, struct str text)
{
	enum kernel_event_kind last =
		s->kernel_events.len
			? (enum kernel_event_kind)s->kernel_events.data[s->kernel_events.len - 1]
				  .kind
			: KERNEL_EVENT_KINDS;

	return (last == KERNEL_SOFT_LOCKUP && str_contains(text, STR("softlockup: hung tasks"))) ||
	       (last == KERNEL_HUNG_TASK && str_contains(text, STR("hung_task: blocked tasks")));
}

void kernel_facts_add(struct log_summary *s, uint32_t i)
{
	struct str text = s->capture->records->rows.data[i].text;
	struct kernel_event e = { .record = i, .kind = KERNEL_EVENT_KINDS };
	struct log_segfault f;
	struct log_trap trap;

	if (log_segfault_parse(text, &f) || log_trap_parse(text, &f)) {
		f.record = i;
		*VEC_PUSH(&s->segfaults) = f;
		return;
	}
	if (log_other_trap_parse(text, &trap)) {
		trap.record = i;
		*VEC_PUSH(&s->traps) = trap;
		return;
	}
	for (size_t k = 0; k < ARRAY_LEN(kernel_words) && e.kind == KERNEL_EVENT_KINDS; k++) {
		if (str_contains(text, kernel_words[k].word))
			e.kind = (uint8_t)kernel_words[k].kind;
	}
	if (e.kind == KERNEL_ASSERTION && !str_contains(text, STR(") failed")))
		e.kind = KERNEL_EVENT_KINDS;
	/* a "traps:" message about a user process is no oops of the kernel: ignore it */
	if (e.kind == KERNEL_OOPS && str_contains(text, STR("traps: ")) &&
	    str_contains(text, STR(" ip:")))
		e.kind = KERNEL_EVENT_KINDS;
	/*
	 * do not add an event for the panic: it only follows from the last event, a lockup or a
	 * hung task
	 */
	if (e.kind == KERNEL_PANIC && kernel_facts_is_asked(s, text))
		return;
	if (e.kind == KERNEL_HUNG_TASK)
		kernel_facts_hung_task(text, &e);
	else if (e.kind == KERNEL_SOFT_LOCKUP)
		kernel_facts_lockup(text, &e);
	else if (e.kind == KERNEL_WARNING)
		kernel_facts_cpu(text, &e);
	else if (str_contains(text, STR("which lock already depends on the new lock")))
		kernel_facts_chain(s, i);
	if (e.kind != KERNEL_EVENT_KINDS)
		*VEC_PUSH(&s->kernel_events) = e;
}

const char *kernel_event_name(enum kernel_event_kind kind)
{
	static const char *const names[] = {
		[KERNEL_OOPS] = "oops",
		[KERNEL_WARNING] = "warning",
		[KERNEL_SOFT_LOCKUP] = "soft lockup",
		[KERNEL_HARD_LOCKUP] = "hard lockup",
		[KERNEL_HUNG_TASK] = "hung task",
		[KERNEL_RCU_STALL] = "RCU stall",
		[KERNEL_OOM] = "out of memory",
		[KERNEL_PANIC] = "panic",
		[KERNEL_LOCK_ORDER] = "locks taken in opposite order",
		[KERNEL_LOCK_TWICE] = "a lock of a class already held",
		[KERNEL_LOCK_INTERRUPT] = "a lock that an interrupt takes, too",
		[KERNEL_ATOMIC_SLEEP] = "a sleep where none is allowed",
		[KERNEL_RCU_MISUSE] = "access to RCU data without its lock",
		[KERNEL_DATA_RACE] = "a data race",
		[KERNEL_UNINIT] = "use of uninitialised memory",
		[KERNEL_UNDEFINED] = "undefined behaviour",
		[KERNEL_LEAK] = "a memory leak",
		[KERNEL_NOBODY_CARED] = "an interrupt that no driver handles",
		[KERNEL_CORRUPTION] = "damaged or freed memory in use",
		[KERNEL_ASSERTION] = "a failed assertion",
		[KERNEL_WORKQUEUE] = "a work item that holds its queue up",
		[KERNEL_TX_TIMEOUT] = "a transmit queue that timed out",
		[KERNEL_NO_PAGES] = "a failed page allocation",
		[KERNEL_HELD_DEVICE] = "a network device that is still in use",
	};

	return (unsigned int)kind < ARRAY_LEN(names) ? names[kind] : "none";
}
