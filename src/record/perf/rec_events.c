/* SPDX-License-Identifier: MIT */
/*
 * Convert the user's event names to struct perf_event_attr. Leave out attributes that this kernel
 * does not support, or that this user may not set.
 */
#include "record/perf/rec.h"

#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "record/perf/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EVENTS_MAX 256u
/*
 * size in bytes of the stack copy in a sample if the reader of the file unwinds it; same default as
 * perf
 */
#define EVENTS_STACK 8192u
/*
 * Size in bytes of the stack copy in a sample if the recorder unwinds it. With 8 KiB, 3 to 8 % of
 * the call chains of compilers, Python and Node were truncated; with 16 KiB, 0 to 2 %.
 */
#define EVENTS_STACK_UNWOUND 16384u
/* the kernel's maximum of a stack copy: less than 64 KiB, and a multiple of 8 */
#define EVENTS_STACK_MAX 65528u
#define EVENTS_ALL_SAMPLE                                                               \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

/*
 * Registers that a sample with a stack copy has, as in perf record. The bits are defined in
 * asm/perf_regs.h.
 */
#if defined(__x86_64__)
#define EVENTS_REGS UINT64_C(0xff0fff) /* all registers except DS, ES, FS, GS */
#elif defined(__aarch64__)
#define EVENTS_REGS ((UINT64_C(1) << 33) - 1)
#else
#define EVENTS_REGS UINT64_C(0)
#endif

int rec_event_open(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	struct perf_event_attr copy = *attr;
	long fd = syscall(SYS_perf_event_open, &copy, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

int rec_event_open_group(const struct perf_event_attr *attr, int group, int cpu)
{
	struct perf_event_attr copy = *attr;
	long fd = syscall(SYS_perf_event_open, &copy, group, cpu, -1,
			  PERF_FLAG_FD_CLOEXEC | PERF_FLAG_PID_CGROUP);

	return fd < 0 ? -errno : (int)fd;
}

/* Try to open an event for this process, then close it. Returns 0 or -errno. */
static int events_try(const struct perf_event_attr *attr)
{
	struct perf_event_attr copy = *attr;
	int fd;

	copy.disabled = 1;
	copy.enable_on_exec = 0;
	copy.inherit = 0;
	fd = rec_event_open(&copy, 0, -1);
	if (fd < 0)
		return fd;
	(void)close(fd);
	return 0;
}

/* Set the attributes that all events have in common, as far as this kernel supports them. */
static void events_base(struct rec *r, struct perf_event_attr *a)
{
	const struct record_spec *spec = r->spec;
	struct perf_event_attr probe = { .size = sizeof(probe) };

	*a = (struct perf_event_attr){ .size = sizeof(*a) };
	a->disabled = 1;
	a->exclude_guest = 1;
	a->sample_id_all = 1;
	a->sample_type = EVENTS_ALL_SAMPLE;
	a->read_format = PERF_FORMAT_ID;
	a->inherit = !spec->is_system_wide && !spec->has_no_inherit;
	/*
	 * the buffer size is not known yet, so wakeup_watermark stays 0: the kernel then wakes the
	 * recorder when the buffer is half full
	 */
	a->watermark = 1;
	a->exclude_kernel = spec->has_no_kernel;
	a->exclude_user = spec->has_no_user;
	if (!spec->has_perf_clock) {
		a->use_clockid = 1;
		a->clockid = CLOCK_MONOTONIC;
	}
	probe.type = PERF_TYPE_SOFTWARE;
	probe.config = PERF_COUNT_SW_DUMMY;
	probe.exclude_kernel = 1;
	probe.read_format = PERF_FORMAT_ID | REC_FORMAT_LOST;
	r->has_lost_counts = events_try(&probe) == 0;
	if (r->has_lost_counts)
		a->read_format |= REC_FORMAT_LOST;
}

/*
 * Make the event @a also record maps, names and threads. Only one event of a recording does this.
 */
static void events_track(struct rec *r, struct perf_event_attr *a)
{
	struct perf_event_attr probe = { .size = sizeof(probe),
					 .type = PERF_TYPE_SOFTWARE,
					 .config = PERF_COUNT_SW_DUMMY,
					 .exclude_kernel = 1 };

	a->mmap = 1;
	a->mmap2 = 1;
	a->comm = 1;
	a->comm_exec = 1;
	a->task = 1;
	probe.mmap = probe.mmap2 = probe.build_id = 1;
	r->has_map_ids = !r->spec->has_no_map_ids && events_try(&probe) == 0;
	a->build_id = r->has_map_ids;
	probe.build_id = 0;
	probe.ksymbol = probe.bpf_event = 1;
	if (events_try(&probe) == 0)
		a->ksymbol = a->bpf_event = 1;
	a->context_switch = r->has_switch_records;
	if (r->spec->has_namespaces)
		a->namespaces = 1;
	if (r->spec->has_cgroups)
		a->cgroup = 1;
}

static struct rec_event *events_add(struct rec *r, const struct perf_event_attr *base,
				    struct str name)
{
	struct rec_event *e = VEC_PUSH(&r->events);

	*e = (struct rec_event){ .attr = *base, .name = xmemdupz(name.p, name.len) };
	return e;
}

static int events_tracepoint(struct rec *r, const struct perf_event_attr *base, struct str name,
			     struct error *err)
{
	struct rec_event *e;
	uint64_t id;
	int status = rec_tracing_id(name, &id, err);

	if (status < 0)
		return status;
	e = events_add(r, base, name);
	e->is_tracepoint = true;
	e->attr.type = PERF_TYPE_TRACEPOINT;
	e->attr.config = id;
	e->attr.sample_type |= PERF_SAMPLE_RAW;
	return OK;
}

/* Parse one event of the option -e, and add it to r->events. */
static int events_take(struct rec *r, const struct perf_event_attr *base, struct str word,
		       struct error *err)
{
	struct perf_event_attr a = *base;
	struct rec_terms terms;
	struct rec_event *e;
	struct out o;
	int status;

	if (r->events.len >= EVENTS_MAX)
		return fail(err, ERR_LIMIT, "more than %u events", EVENTS_MAX);
	status = rec_word_take(word, REC_DEVICES, &a, &terms, err);
	if (status == ERR_NOTFOUND && str_find_char(word, ':') < word.len &&
	    str_find_char(word, '/') == word.len)
		return events_tracepoint(r, base, word, err);
	if (status < 0)
		return status;
	e = events_add(r, &a, terms.name.len ? terms.name : word);
	e->period = terms.period;
	e->frequency = terms.frequency;
	/* like perf, append the modifier to the event's name if the user wrote none */
	if (str_find_char(word, ':') == word.len && str_find_char(word, '/') == word.len &&
	    a.exclude_kernel != a.exclude_user) {
		out_init(&o);
		out_printf(&o, STR_FMT ":%c", STR_ARG(word), a.exclude_kernel ? 'u' : 'k');
		out_char(&o, '\0');
		free(e->name);
		e->name = o.data;
	}
	return OK;
}

static int events_take_list(struct rec *r, const struct perf_event_attr *base, struct str list,
			    struct error *err)
{
	while (list.len) {
		struct str first = rec_word_first(list);
		struct str word = str_trim(first);
		int status;

		list = str_skip(list, first.len + 1);
		if (word.len == 0)
			continue;
		status = events_take(r, base, word, err);
		if (status < 0)
			return status;
	}
	return OK;
}

static bool events_counts_time(const struct perf_event_attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE &&
	       (a->config == PERF_COUNT_SW_CPU_CLOCK || a->config == PERF_COUNT_SW_TASK_CLOCK);
}

uint32_t rec_stack_bytes(const struct rec *r)
{
	/* limit the stack copy to a quarter of the buffer */
	uint64_t most = r->spec->ring_bytes / 4 / 8 * 8;

	if (r->spec->stack_bytes || !r->unwinds)
		return r->spec->stack_bytes ? r->spec->stack_bytes : EVENTS_STACK;
	return most && most < EVENTS_STACK_UNWOUND ? (uint32_t)most : EVENTS_STACK_UNWOUND;
}

/* Set the period or frequency of the event, and the fields of its samples. */
static void events_configure(struct rec *r, struct rec_event *e)
{
	const struct record_spec *spec = r->spec;
	struct perf_event_attr *a = &e->attr;

	if (e->period || (spec->period && !e->frequency)) {
		a->sample_period = e->period ? e->period : spec->period;
	} else if (e->frequency) {
		a->freq = 1;
		a->sample_freq = e->frequency;
	} else if (e->is_tracepoint ||
		   (a->type == PERF_TYPE_SOFTWARE && !events_counts_time(a) && !spec->frequency)) {
		/* take a sample at each occurrence of the event, as perf does for tracepoints */
		a->sample_period = 1;
	} else {
		a->freq = 1;
		a->sample_freq = r->frequency;
	}
	if (spec->chains != RECORD_NO_CHAINS)
		a->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (spec->chains == RECORD_BRANCHES)
		rec_branches_set(a);
	if (spec->chains == RECORD_DWARF || r->unwinds) {
		a->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		a->sample_regs_user = EVENTS_REGS;
		a->sample_stack_user = rec_stack_bytes(r);
		if (r->unwinds && e->is_tracepoint && !spec->stack_bytes &&
		    a->sample_stack_user > EVENTS_STACK)
			/* tracepoints may occur very often, so copy less of the stack */
			a->sample_stack_user = EVENTS_STACK;
		/*
		 * also let the kernel record the user part of the call chain, by frame pointers: if
		 * unwinding stops, the recorder continues with that chain
		 */
		a->exclude_callchain_user = !r->unwinds;
	}
	if (spec->has_cgroups)
		a->sample_type |= PERF_SAMPLE_CGROUP;
	if (spec->argv && !e->is_everywhere)
		a->enable_on_exec = 1;
}

/* Restrict the event @e to user space, and append ":u" to its name. */
static void events_without_kernel(struct rec_event *e)
{
	size_t len = strlen(e->name);

	e->attr.exclude_kernel = 1;
	if (e->is_tracepoint || strchr(e->name, ':') || strchr(e->name, '/'))
		return;
	e->name = xrealloc(e->name, len + 3);
	memcpy(e->name + len, ":u", 3);
}

static int events_refuse(const struct rec_event *e, int error, struct error *err)
{
	int64_t paranoid = rec_number("/proc/sys/kernel/perf_event_paranoid", -100);

	if (paranoid == -100)
		return fail(err, ERR_UNSUPPORTED, "this kernel has no perf events, or hides them");
	if (error == EACCES || error == EPERM)
		return fail(err, ERR_PERM,
			    "event '%s': the kernel refuses it to this user "
			    "(perf_event_paranoid is %" PRId64 "); with CAP_PERFMON, as root, or "
			    "after 'sysctl kernel.perf_event_paranoid=%d' it can be had",
			    e->name, paranoid,
			    e->is_tracepoint ? -1
			    : paranoid > 2   ? 2
					     : 1);
	if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV)
		return fail(err, ERR_UNSUPPORTED, "event '%s': not supported by this machine",
			    e->name);
	if (error == EINVAL && strchr(e->name, '/'))
		return fail(err, ERR_UNSUPPORTED,
			    "event '%s': the kernel refuses it: a PMU that only counts cannot be "
			    "sampled, and one of a socket takes -a",
			    e->name);
	return fail(err, ERR_IO, "event '%s': %s", e->name, strerror(error));
}

/*
 * Remove attributes that this machine or this user may not use, until the event can be opened.
 * Returns 0, or -errno if the event cannot be opened even without them.
 */
static int events_settle(struct rec *r, struct rec_event *e)
{
	int error = -events_try(&e->attr);

	if ((error == EACCES || error == EPERM) && !e->attr.exclude_kernel &&
	    !r->spec->has_no_user && !e->is_tracepoint) {
		events_without_kernel(e);
		error = -events_try(&e->attr);
		if (error == 0)
			rec_note(r,
				 "the kernel is not in this recording, only user space: "
				 "perf_event_paranoid is %" PRId64 " and this user has no "
				 "CAP_PERFMON",
				 rec_number("/proc/sys/kernel/perf_event_paranoid", 2));
	}
	while (error && error != EACCES && error != EPERM && e->attr.precise_ip) {
		e->attr.precise_ip--;
		error = -events_try(&e->attr);
	}
	if (error == EINVAL && e->attr.exclude_guest && strchr(e->name, '/')) {
		e->attr.exclude_guest = 0; /* this PMU cannot exclude guests */
		error = -events_try(&e->attr);
	}
	return error ? -error : OK;
}

/*
 * Add the default event: cycles with the highest precision or, if the machine has no hardware
 * counters, cpu-clock.
 */
static int events_standard(struct rec *r, const struct perf_event_attr *base, struct error *err)
{
	struct rec_event *e;
	int error;

	if (events_take(r, base, STR("cycles"), err) < 0)
		return ERR_USAGE;
	e = &r->events.data[0];
	e->attr.precise_ip = 3;
	events_configure(r, e);
	error = -events_settle(r, e);
	if (error == 0)
		return OK;
	if (r->spec->chains == RECORD_BRANCHES ||
	    (error != ENOENT && error != EOPNOTSUPP && error != ENODEV && error != EINVAL))
		return events_refuse(e, error, err);
	free(e->name);
	r->events.len = 0;
	if (events_take(r, base, STR("cpu-clock"), err) < 0)
		return ERR_USAGE;
	e = &r->events.data[0];
	events_configure(r, e);
	error = -events_settle(r, e);
	if (error)
		return events_refuse(e, error, err);
	rec_note(r,
		 "this machine counts no cycles (no PMU): sampling by timer (cpu-clock). Time with "
		 "interrupts off is charged to the point where they are re-enabled");
	return OK;
}

static int events_named(struct rec *r, const struct perf_event_attr *base, struct error *err)
{
	VEC_FOREACH (list, &r->spec->events) {
		int status = events_take_list(r, base, str_of(*list), err);

		if (status < 0)
			return status;
	}
	if (r->events.len == 0)
		return fail(err, ERR_USAGE, "-e has no event");
	VEC_FOREACH (e, &r->events) {
		int error;

		if (r->spec->chains == RECORD_BRANCHES && !rec_branches_are_of(&e->attr))
			return fail(err, ERR_USAGE,
				    "--call-graph lbr: event '%s' is none of the processor; use "
				    "cycles, or --call-graph unwind",
				    e->name);

		events_configure(r, e);
		error = -events_settle(r, e);
		if (error)
			return events_refuse(e, error, err);
	}
	return OK;
}

/* Add the dummy event. It records maps and threads before sampling starts. */
static void events_add_tracking(struct rec *r, const struct perf_event_attr *base)
{
	struct rec_event *e = events_add(r, base, STR("dummy:u"));

	e->is_tracking = true;
	e->attr.type = PERF_TYPE_SOFTWARE;
	e->attr.config = PERF_COUNT_SW_DUMMY;
	e->attr.exclude_kernel = 1;
	e->attr.exclude_user = 0;
	e->attr.sample_period = 1;
	events_track(r, &e->attr);
}

static void events_without_chain(struct perf_event_attr *a)
{
	a->sample_type &= ~(uint64_t)(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
				      PERF_SAMPLE_STACK_USER | PERF_SAMPLE_BRANCH_STACK);
	a->branch_sample_type = 0;
	a->sample_regs_user = 0;
	a->sample_stack_user = 0;
	a->exclude_callchain_user = 0;
}

/*
 * Add three events that record context switches:
 * - threads of the target are switched out, with their call stacks;
 * - threads are switched in;
 * - threads are woken.
 * The last two events occur while another thread is running, so they are opened on all CPUs.
 */
static int events_add_switches(struct rec *r, const struct perf_event_attr *base, struct error *err)
{
	static const struct {
		const char *name;
		bool is_everywhere;
	} events[] = { { "sched:sched_switch", false },
		       { "sched:sched_switch", true },
		       { "sched:sched_waking", true } };

	for (size_t i = 0; i < ARRAY_LEN(events); i++) {
		struct rec_event *e;
		int status;

		if (i == 1 && r->spec->is_system_wide && r->groups.len == 0)
			/*
			 * the whole system is recorded, so the first event already records the
			 * switches of all threads
			 */
			continue;
		status = events_tracepoint(r, base, str_of(events[i].name), err);
		if (status < 0)
			return status;
		e = &r->events.data[r->events.len - 1];
		e->is_everywhere = events[i].is_everywhere;
		events_configure(r, e);
		e->attr.freq = 0;
		e->attr.sample_period = 1;
		e->attr.exclude_user = e->attr.exclude_kernel = 0;
		if (e->is_everywhere) {
			e->attr.inherit = 0;
			events_without_chain(&e->attr);
		}
		status = events_settle(r, e);
		if (status < 0)
			return events_refuse(e, -status, err);
	}
	return OK;
}

/*
 * Record the addresses of the locks for which threads of the target wait; these help to find the
 * owners of the locks. Tracepoints that the kernel lacks are skipped: contention_begin exists since
 * Linux 5.19.
 */
static void events_add_locks(struct rec *r, const struct perf_event_attr *base)
{
	static const struct {
		const char *name;
		const char *filter; /* filter expression on the fields of the tracepoint */
	} events[] = {
		/* exclude FUTEX_WAKE (op 1; 129 with the private flag), which does not wait */
		{ "syscalls:sys_enter_futex", "op != 1 && op != 129" },
		/* exclude spinlocks (LCB_F_SPIN), because their waiters do not sleep */
		{ "lock:contention_begin", "!(flags & 1)" },
	};

	for (size_t i = 0; i < ARRAY_LEN(events); i++) {
		struct error ignored = { "" };
		struct rec_event *e;

		if (events_tracepoint(r, base, str_of(events[i].name), &ignored) < 0)
			continue;
		e = &r->events.data[r->events.len - 1];
		events_configure(r, e);
		e->filter = events[i].filter;
		e->attr.freq = 0;
		e->attr.sample_period = 1;
		e->attr.exclude_user = e->attr.exclude_kernel = 0;
		events_without_chain(&e->attr);
		if (events_settle(r, e) < 0) {
			free(e->name);
			r->events.len--;
		}
	}
}

/*
 * Record context switches by tracepoints. If tracepoints are not available, use switch records,
 * which a user may record for his own threads.
 */
static void events_add_off_cpu(struct rec *r, const struct perf_event_attr *base)
{
	struct error why = { "" };
	size_t n = r->events.len;

	if (events_add_switches(r, base, &why) == OK) {
		events_add_locks(r, base);
		return;
	}
	while (r->events.len > n)
		free(r->events.data[--r->events.len].name);
	r->has_switch_records = true;
	rec_note(r, "waits are recorded without stacks, reasons and holders: %s", why.msg);
}

static void events_layout(struct rec *r)
{
	/* header, identifier, ip, and pid with tid precede the time: 8 bytes each */
	r->layout.time_at = 8 + 8 + 8 + 8;
	/* the sample id has 4 fields of 8 bytes: pid with tid, time, cpu, identifier */
	r->layout.id_bytes = 4 * 8;
	VEC_FOREACH (e, &r->events)
		r->has_kernel |= !e->attr.exclude_kernel && !e->is_tracking;
}

/*
 * The default number of samples per second and CPU. System-wide, it decreases with the number of
 * CPUs: all CPUs together take at most 16000 samples per second, but each CPU takes at least 99.
 */
static uint64_t events_frequency(bool is_system_wide, uint32_t cpus)
{
	static const uint64_t steps[] = { 997, 499, 199, 99 };
	uint64_t budget = 16000; /* maximum number of samples per second on all CPUs together */

	for (size_t i = 0; is_system_wide && i < ARRAY_LEN(steps); i++) {
		if (steps[i] * cpus <= budget)
			return steps[i];
	}
	return is_system_wide ? steps[ARRAY_LEN(steps) - 1] : steps[0];
}

int rec_events_choose(struct rec *r, struct error *err)
{
	const struct record_spec *spec = r->spec;
	struct perf_event_attr base;
	int64_t most = rec_number("/proc/sys/kernel/perf_event_max_sample_rate", INT64_MAX);
	int status;

	if (spec->stack_bytes > EVENTS_STACK_MAX || spec->stack_bytes % 8)
		return fail(err, ERR_USAGE,
			    "a stack dump is a multiple of 8 up to %u bytes, not %u",
			    EVENTS_STACK_MAX, spec->stack_bytes);
	if (spec->chains == RECORD_DWARF && EVENTS_REGS == 0)
		return fail(err, ERR_UNSUPPORTED,
			    "--call-graph dwarf is not known for this kind of machine");
	status = rec_branches_check(r, err);
	if (status < 0)
		return status;
	r->frequency = spec->frequency
			       ? spec->frequency
			       : events_frequency(spec->is_system_wide, (uint32_t)r->cpus.len);
	if (!spec->period && most > 0 && r->frequency > (uint64_t)most) {
		rec_note(r,
			 "%" PRIu64 " Hz are asked for, the kernel allows %" PRId64
			 " (kernel.perf_event_max_sample_rate): recorded with that",
			 r->frequency, most);
		r->frequency = (uint64_t)most;
	}
	r->unwinds = spec->chains == RECORD_UNWOUND && EVENTS_REGS != 0 && !spec->has_no_user;
	events_base(r, &base);
	status = spec->events.len ? events_named(r, &base, err) : events_standard(r, &base, err);
	if (status < 0)
		return status;
	if (spec->has_off_cpu)
		events_add_off_cpu(r, &base);
	if (spec->argv && !spec->cpus)
		events_track(r, &r->events.data[0].attr);
	else
		events_add_tracking(r, &base);
	events_layout(r);
	return OK;
}

void rec_events_fini(struct rec *r)
{
	VEC_FOREACH (e, &r->events) {
		free(e->name);
		VEC_FREE(&e->ids);
	}
	VEC_FREE(&r->events);
}

uint64_t record_rate_limit(void)
{
	int64_t most = rec_number("/proc/sys/kernel/perf_event_max_sample_rate", 0);

	return most > 0 ? (uint64_t)most : 0;
}
