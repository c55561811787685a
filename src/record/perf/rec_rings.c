/* SPDX-License-Identifier: MIT */
/*
 * Ring buffers of events. All events of a CPU share one buffer. Data is written from the buffer to
 * the file without a copy; the recorder reads only headers and a few fields.
 */
#include "record/perf/rec.h"

#include "base/status.h"
#include "base/vec.h"
#include "record/perf/record.h"
#include "record/window/window.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define RINGS_MIN_BYTES   (UINT64_C(128) << 10) /* minimum size of a buffer */
#define RINGS_USUAL_BYTES (UINT64_C(512) << 10)
#define RINGS_MOST_BYTES  (UINT64_C(32) << 20)
/* limit of all buffers together: 1/64 of the machine's memory */
#define RINGS_ALL_SHARE 64u
/* assumed size of a sample in bytes, with a typical call chain */
#define RINGS_CHAIN_BYTES 400u
/* number of open files that are reserved for other purposes than events */
#define RINGS_FILES 256u
/* size in bytes of the largest map record (path of length PATH_MAX) */
#define RINGS_MAP_BYTES 4352u
/* a buffer must have space for the samples of this many seconds */
#define RINGS_SECONDS 2u
/*
 * as RINGS_SECONDS, for recordings that unwind stacks; it is smaller, because a sample with a stack
 * copy is large
 */
#define RINGS_UNWOUND_SECONDS 1u

/*
 * Whether an event takes a sample at each occurrence. The number of samples per second is then
 * unlimited, as for context switches, page faults and tracepoints.
 */
static bool rings_any_rate(const struct rec *r)
{
	size_t i;

	for (i = 0; i < r->events.len; i++)
		if (!r->events.data[i].attr.freq && r->events.data[i].attr.sample_period == 1)
			return true;
	return r->spec->has_off_cpu;
}

/*
 * Size of a buffer: large enough for a busy CPU's samples in RINGS_SECONDS or, if the recorder
 * unwinds stacks, in RINGS_UNWOUND_SECONDS.
 */
static uint64_t rings_size(const struct rec *r)
{
	const struct record_spec *spec = r->spec;
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t most = memory / RINGS_ALL_SHARE / (r->cpus.len ? r->cpus.len : 1);
	uint64_t sample = RINGS_CHAIN_BYTES;
	uint64_t want;
	uint64_t size = RINGS_USUAL_BYTES;

	if (spec->chains == RECORD_DWARF || r->unwinds)
		sample += rec_stack_bytes(r);
	want = sample * r->frequency * (r->unwinds ? RINGS_UNWOUND_SECONDS : RINGS_SECONDS);
	if (r->unwinds && rings_any_rate(r))
		want = RINGS_MOST_BYTES;
	if (spec->ring_bytes) {
		want = spec->ring_bytes;
		most = UINT64_MAX / 2;
		size = (uint64_t)sysconf(_SC_PAGESIZE);
	} else if (most > RINGS_MOST_BYTES) {
		most = RINGS_MOST_BYTES;
	}
	while (size < want && size * 2 <= most)
		size *= 2;
	return size;
}

/*
 * Raise the limit of open files to the number that all events need. Returns false if this user may
 * not raise the limit that far.
 */
static bool rings_raise_limit(const struct rec *r)
{
	uint64_t need = (uint64_t)r->events.len * r->cpus.len * (r->tids.len + r->groups.len + 1) +
			RINGS_FILES;
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) < 0 || lim.rlim_cur >= need)
		return true;
	/* this also raises the hard limit, which requires CAP_SYS_RESOURCE */
	lim.rlim_cur = need;
	if (lim.rlim_max < need)
		lim.rlim_max = need;
	if (setrlimit(RLIMIT_NOFILE, &lim) == 0 || getrlimit(RLIMIT_NOFILE, &lim) < 0)
		return true;
	lim.rlim_cur = lim.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &lim);
	return lim.rlim_cur >= need;
}

static bool rings_may_all(const struct rec *r)
{
	int fd = rec_event_open(&r->events.data[0].attr, -1, (int)r->cpus.data[0]);

	if (fd >= 0)
		(void)close(fd);
	return fd >= 0;
}

static int rings_refuse(const struct rec *r, const struct rec_event *e, int error,
			struct error *err)
{
	int64_t paranoid = rec_number("/proc/sys/kernel/perf_event_paranoid", -100);

	if (error == EMFILE || error == ENFILE)
		return fail(err, ERR_LIMIT,
			    "%zu events on %zu CPUs of %zu threads need more open files than the "
			    "limit allows (ulimit -n); record all with -a, or fewer threads",
			    r->events.len, r->cpus.len, r->tids.len);
	if ((error == EACCES || error == EPERM) && r->spec->is_system_wide)
		return fail(err, ERR_PERM,
			    "%s can be recorded by root, with CAP_PERFMON, or where "
			    "kernel.perf_event_paranoid is 0 or less (it is %" PRId64
			    "); your own can be with -p PID or -- CMD",
			    r->groups.len ? "control groups" : "all processes", paranoid);
	if (error == EACCES || error == EPERM)
		return fail(err, ERR_PERM,
			    "event '%s': these processes belong to another user, or to the kernel",
			    e->name);
	return fail(err, ERR_IO, "event '%s': %s", e->name, strerror(error));
}

/* The threads that an event measures: all threads, one thread, or a control group. */
struct rings_target {
	enum { RINGS_ALL, RINGS_THREAD, RINGS_GROUP } kind;
	int id; /* thread id, or descriptor of the control group */
};

/* Open an event on a CPU. Returns OK, or ERR_NOTFOUND if the thread or CPU no longer exists. */
static int rings_open_one(struct rec *r, uint32_t event, uint32_t ring, struct rings_target who,
			  struct error *err)
{
	int cpu = (int)r->rings.data[ring].cpu;
	struct rec_event *e = &r->events.data[event];
	struct rec_fd *f;
	int fd;

	fd = who.kind == RINGS_GROUP
		     ? rec_event_open_group(&e->attr, who.id, cpu)
		     : rec_event_open(&e->attr, who.kind == RINGS_THREAD ? who.id : -1, cpu);
	if (fd == -ESRCH && who.kind == RINGS_THREAD)
		return ERR_NOTFOUND;
	if (fd == -EINVAL && who.kind == RINGS_GROUP)
		return fail(err, ERR_UNSUPPORTED,
			    "this kernel cannot limit events to a control group "
			    "(CONFIG_CGROUP_PERF)");
	if (fd == -ENODEV)
		return ERR_NOTFOUND;
	if (fd < 0)
		return rings_refuse(r, e, -fd, err);
	f = VEC_PUSH(&r->fds);
	*f = (struct rec_fd){ .fd = fd, .event = event, .ring = ring };
	if (ioctl(fd, PERF_EVENT_IOC_ID, &f->id) < 0)
		return fail(err, ERR_IO, "event '%s' has no id: %s", e->name, strerror(errno));
	*VEC_PUSH(&e->ids) = f->id;
	/* ignore an error: without the filter, there are more samples than needed */
	if (e->filter)
		(void)ioctl(fd, PERF_EVENT_IOC_SET_FILTER, e->filter);
	return OK;
}

static bool rings_is_chosen(const struct rec *r, uint32_t cpu)
{
	VEC_FOREACH (chosen, &r->chosen_cpus) {
		if (*chosen == cpu)
			return true;
	}
	return r->chosen_cpus.len == 0;
}

/* Set @ret to target number @i of the event @e. Returns false if @e has no such target. */
static bool rings_target(const struct rec *r, const struct rec_event *e, size_t i,
			 struct rings_target *ret)
{
	*ret = (struct rings_target){ RINGS_ALL, -1 };
	if (!e->is_everywhere && r->groups.len) {
		if (i < r->groups.len)
			*ret = (struct rings_target){ RINGS_GROUP, r->groups.data[i].fd };
		return i < r->groups.len;
	}
	if (e->is_everywhere || r->spec->is_system_wide || r->is_filtered)
		return i == 0;
	if (i < r->tids.len)
		*ret = (struct rings_target){ RINGS_THREAD, (int)r->tids.data[i] };
	return i < r->tids.len;
}

static int rings_open_event(struct rec *r, uint32_t event, struct error *err)
{
	struct rec_event *e = &r->events.data[event];
	struct rings_target who;

	for (uint32_t ring = 0; ring < r->rings.len; ring++) {
		if (!e->is_tracking && !rings_is_chosen(r, r->rings.data[ring].cpu))
			continue;

		for (size_t i = 0; rings_target(r, e, i, &who); i++) {
			int status = rings_open_one(r, event, ring, who, err);

			if (status < 0 && status != ERR_NOTFOUND)
				return status;
		}
	}
	if (e->ids.len == 0)
		return fail(err, ERR_NOTFOUND, "the process has ended");
	return OK;
}

/*
 * Map the buffer of ring number @ring with the descriptor of the ring's first event. Make all other
 * events of the ring write to the same buffer.
 */
static int rings_map(struct rec *r, uint32_t ring, uint64_t size)
{
	struct rec_ring *g = &r->rings.data[ring];
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	int leader = -1;

	VEC_FOREACH (f, &r->fds) {
		if (f->ring != ring)
			continue;
		if (leader >= 0) {
			if (ioctl(f->fd, PERF_EVENT_IOC_SET_OUTPUT, leader) < 0)
				return errno;
			continue;
		}
		leader = f->fd;
		g->page = mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_SHARED, leader, 0);
		if (g->page == MAP_FAILED) {
			g->page = NULL;
			return errno;
		}
		g->data = (const uint8_t *)g->page + page;
		g->size = size;
	}
	return 0;
}

static void rings_unmap(struct rec *r)
{
	VEC_FOREACH (g, &r->rings) {
		if (g->page)
			(void)munmap(g->page, g->size + (uint64_t)sysconf(_SC_PAGESIZE));
		g->page = NULL;
	}
}

static int rings_map_all(struct rec *r, uint64_t size)
{
	for (uint32_t i = 0; i < r->rings.len; i++) {
		int error = rings_map(r, i, size);

		if (error) {
			rings_unmap(r);
			return error;
		}
	}
	return 0;
}

int rec_rings_open(struct rec *r, struct error *err)
{
	uint64_t size = rings_size(r);
	uint64_t wanted = size;
	int error;

	/*
	 * the events of all threads need more descriptors than this user may open. If permitted,
	 * open the events for all processes instead, and drop samples of processes outside of the
	 * target
	 */
	if (!rings_raise_limit(r) && !r->spec->is_system_wide && !r->spec->argv &&
	    rings_may_all(r)) {
		r->is_filtered = true;
		rec_note(r,
			 "%zu threads are more than files may be open (ulimit -n): all processes "
			 "were sampled, and only what was asked for written; processes that it "
			 "starts are not in it",
			 r->tids.len);
	}
	VEC_FOREACH (cpu, &r->cpus)
		*VEC_PUSH(&r->rings) = (struct rec_ring){ .cpu = *cpu };
	for (uint32_t i = 0; i < r->events.len; i++) {
		int status = rings_open_event(r, i, err);

		if (status < 0)
			return status;
	}
	while ((error = rings_map_all(r, size)) == EPERM && size > RINGS_MIN_BYTES)
		size /= 2;
	if (error == EPERM)
		return fail(err, ERR_PERM,
			    "cannot lock memory for buffers; raise kernel.perf_event_mlock_kb or "
			    "ulimit -l");
	if (error)
		return fail(err, ERR_IO, "cannot map the buffers: %s", strerror(error));
	/*
	 * add a note if the buffers are smaller than wanted. If stacks are unwound, a quarter of
	 * the wanted size is enough, so there is a note only below that size
	 */
	if (size < (r->unwinds ? wanted / 4 : wanted))
		rec_note(r,
			 "buffers of %" PRIu64 " KiB a CPU instead of %" PRIu64
			 " KiB: more may not be locked (kernel.perf_event_mlock_kb)",
			 size >> 10, wanted >> 10);
	return OK;
}

void rec_rings_enable(struct rec *r, bool only_tracking)
{
	VEC_FOREACH (f, &r->fds) {
		const struct rec_event *e = &r->events.data[f->event];

		if (e->is_tracking == only_tracking && !e->attr.enable_on_exec)
			(void)ioctl(f->fd, PERF_EVENT_IOC_ENABLE, 0);
	}
}

void rec_rings_disable(struct rec *r)
{
	VEC_FOREACH (f, &r->fds)
		(void)ioctl(f->fd, PERF_EVENT_IOC_DISABLE, 0);
}

static uint64_t rings_word(const struct rec_ring *g, uint64_t at)
{
	uint64_t v;

	memcpy(&v, g->data + (at & (g->size - 1)), sizeof(v));
	return v;
}

static void rings_piece(struct rec *r, const uint8_t *p, uint64_t len)
{
	if (len)
		*VEC_PUSH(&r->iov) = (struct iovec){ (void *)(uintptr_t)p, (size_t)len };
}

/*
 * Queue the data of the buffer @g from offset @from to @to for writing. Data that wrap around the
 * end of the buffer are queued as two pieces.
 */
static void rings_span(struct rec *r, const struct rec_ring *g, uint64_t from, uint64_t to)
{
	uint64_t at = from & (g->size - 1);
	uint64_t first = to - from < g->size - at ? to - from : g->size - at;

	rings_piece(r, g->data + at, first);
	rings_piece(r, g->data, to - from - first);
}

/*
 * Whether the target includes the thread of a sample. @word: the field of the sample with pid and
 * tid.
 */
static bool rings_wants(const struct rec *r, uint64_t word)
{
	/* pid, then tid; their order in memory does not depend on the byte order */
	uint32_t who[2];

	memcpy(who, &word, sizeof(who));
	VEC_FOREACH (want, &r->spec->pids) {
		if (*want == who[0])
			return true;
	}
	VEC_FOREACH (want, &r->spec->tids) {
		if (*want == who[1])
			return true;
	}
	return false;
}

static void rings_sample(struct rec *r, uint64_t time)
{
	r->result->counts.samples++;
	if (r->first_ns == 0 || time < r->first_ns)
		r->first_ns = time;
	if (time > r->last_ns)
		r->last_ns = time;
}

/*
 * Add the file in the map record at offset @at to the list of files for the header section with
 * build ids.
 */
static void rings_map_seen(struct rec *r, const struct rec_ring *g, uint64_t at, size_t size)
{
	uint8_t record[RINGS_MAP_BYTES];
	uint64_t from = at & (g->size - 1);
	size_t first = size < g->size - from ? size : (size_t)(g->size - from);

	if (size > sizeof(record))
		return;
	memcpy(record, g->data + from, first);
	memcpy(record + first, g->data, size - first);
	rec_build_ids_seen(r, record, size);
}

bool rec_rings_account(struct rec *r, const uint8_t *record)
{
	struct perf_event_header h;
	uint64_t word;

	memcpy(&h, record, sizeof(h));
	if (h.type == PERF_RECORD_SAMPLE) {
		memcpy(&word, record + r->layout.time_at - 8, sizeof(word));
		if (r->is_filtered && !rings_wants(r, word))
			return false;
		memcpy(&word, record + r->layout.time_at, sizeof(word));
		rings_sample(r, word);
	} else if (h.type == PERF_RECORD_LOST) {
		/* fields of the record: u64 id; u64 lost */
		memcpy(&word, record + 16, sizeof(word));
		r->result->counts.lost += word;
	} else if (h.type == PERF_RECORD_THROTTLE) {
		r->result->throttled++;
	} else if (h.type == PERF_RECORD_MMAP2 && !r->has_map_ids) {
		rec_build_ids_seen(r, record, h.size);
	}
	return true;
}

/*
 * Count the records of @g up to its head, and queue them for writing. Then set the head to the end
 * of the last complete record.
 */
static void rings_look(struct rec *r, struct rec_ring *g)
{
	uint32_t time_at = r->layout.time_at;
	uint64_t from = g->tail;
	uint64_t at = g->tail;

	while (g->head - at >= sizeof(struct perf_event_header)) {
		uint64_t word = rings_word(g, at);
		struct perf_event_header h;

		memcpy(&h, &word, sizeof(h));
		if (h.size < sizeof(h) || h.size > g->head - at)
			break;
		if (h.type == PERF_RECORD_SAMPLE && r->is_filtered &&
		    !rings_wants(r, rings_word(g, at + time_at - 8))) {
			rings_span(r, g, from, at);
			from = at + h.size;
		} else if (h.type == PERF_RECORD_SAMPLE) {
			rings_sample(r, rings_word(g, at + time_at));
		} else if (h.type == PERF_RECORD_LOST) {
			/* fields of the record: u64 id; u64 lost */
			r->result->counts.lost += rings_word(g, at + 16);
		} else if (h.type == PERF_RECORD_THROTTLE) {
			r->result->throttled++;
		} else if (h.type == PERF_RECORD_MMAP2 && !r->has_map_ids) {
			rings_map_seen(r, g, at, h.size);
		}
		at += h.size;
	}
	rings_span(r, g, from, at);
	g->head = at;
}

bool rec_rings_drain(struct rec *r, bool is_last)
{
	uint64_t now = rec_clock_ns(CLOCK_MONOTONIC);
	bool has_any = false;

	r->iov.len = 0;
	VEC_FOREACH (g, &r->rings) {
		if (!g->page)
			continue;
		g->head = __atomic_load_n(&g->page->data_head, __ATOMIC_ACQUIRE);
		if (g->head != g->tail && !r->chains)
			rings_look(r, g);
	}
	if (r->chains)
		rec_chains_take(r, now, is_last);
	if (r->window)
		window_take(r->window, r->iov.data, r->iov.len);
	else if (r->iov.len)
		rec_file_data(&r->file, r->iov.data, r->iov.len);
	VEC_FOREACH (g, &r->rings) {
		if (!g->page || g->head == g->tail)
			continue;
		has_any = true;
		g->tail = g->head;
		__atomic_store_n(&g->page->data_tail, g->tail, __ATOMIC_RELEASE);
	}
	if (r->iov.len && !r->window)
		rec_file_round(&r->file, r->result->counts.samples);
	return has_any;
}

uint64_t rec_rings_lost(struct rec *r)
{
	/*
	 * a PERF_RECORD_LOST_SAMPLES: header; u64 lost; and the sample id: u32 pid, tid; u64 time;
	 * u32 cpu, reserved; u64 id
	 */
	struct {
		struct perf_event_header header;
		uint64_t lost;
		uint32_t pid, tid;
		/* always 0, because the number of lost samples comes from counters without times */
		uint64_t time;
		uint32_t cpu, reserved;
		uint64_t id;
	} record = { .header = { PERF_RECORD_LOST_SAMPLES, 0, sizeof(record) } };
	uint64_t lost = 0;

	if (!r->has_lost_counts)
		return 0;
	VEC_FOREACH (f, &r->fds) {
		uint64_t now[3]; /* read() returns three numbers: value, id, lost samples */
		struct iovec iov = { &record, sizeof(record) };

		if (read(f->fd, now, sizeof(now)) != (ssize_t)sizeof(now) || now[2] <= f->lost)
			continue;
		record.lost = now[2] - f->lost;
		record.cpu = r->rings.data[f->ring].cpu;
		record.id = f->id;
		f->lost = now[2];
		lost += record.lost;
		if (r->window)
			window_take(r->window, &iov, 1);
		else
			rec_file_write(&r->file, &iov, 1);
	}
	return lost;
}

void rec_rings_fini(struct rec *r)
{
	rings_unmap(r);
	VEC_FOREACH (f, &r->fds)
		(void)close(f->fd);
	VEC_FREE(&r->fds);
	VEC_FREE(&r->rings);
	VEC_FREE(&r->iov);
}
