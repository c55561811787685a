/* SPDX-License-Identifier: MIT */
#include "record/window/window_state.h"

#include "base/alloc.h"
#include "base/out.h"
#include "record/window/window.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>

#define STATE_SWEEP_MIN 256u
#define STATE_HEAD      sizeof(struct perf_event_header)

static void state_release(struct window_record *record)
{
	if (record && --record->refs == 0)
		free(record);
}

static void state_free_maps(struct window_state *s, struct window_process *p)
{
	VEC_FOREACH (m, &p->maps)
		state_release(m->record);
	s->maps -= p->maps.len;
	VEC_FREE(&p->maps);
}

void window_state_fini(struct window_state *s)
{
	VEC_FOREACH (p, &s->processes)
		state_free_maps(s, p);
	VEC_FOREACH (m, &s->programs)
		state_release(m->record);
	VEC_FOREACH (t, &s->threads)
		state_release(t->namespaces);
	VEC_FOREACH (c, &s->cgroups)
		state_release(*c);
	VEC_FREE(&s->cgroups);
	VEC_FREE(&s->processes);
	VEC_FREE(&s->threads);
	VEC_FREE(&s->programs);
	idmap_fini(&s->processes_map);
	idmap_fini(&s->threads_map);
}

static struct window_process *state_find(struct window_state *s, uint32_t pid)
{
	struct idmap_probe p = idmap_first(&s->processes_map, hash_u64(pid, 1));

	while (idmap_next(&s->processes_map, &p)) {
		if (s->processes.data[p.id].pid == pid)
			return &s->processes.data[p.id];
	}
	idmap_insert(&s->processes_map, &p, (uint32_t)s->processes.len);
	*VEC_PUSH(&s->processes) = (struct window_process){ .pid = pid, .is_gone = true };
	s->gone++;
	return &s->processes.data[s->processes.len - 1];
}

/* Return the process @pid, and mark it as running. It is added if it is unknown. */
static struct window_process *state_process(struct window_state *s, uint32_t pid)
{
	struct window_process *p = state_find(s, pid);

	s->gone -= p->is_gone;
	p->is_gone = false;
	return p;
}

static struct window_thread *state_find_thread(struct window_state *s, uint32_t tid)
{
	struct idmap_probe p = idmap_first(&s->threads_map, hash_u64(tid, 2));

	while (idmap_next(&s->threads_map, &p)) {
		if (s->threads.data[p.id].tid == tid)
			return &s->threads.data[p.id];
	}
	idmap_insert(&s->threads_map, &p, (uint32_t)s->threads.len);
	*VEC_PUSH(&s->threads) = (struct window_thread){ .tid = tid, .is_gone = true };
	s->gone++;
	return &s->threads.data[s->threads.len - 1];
}

/*
 * Return the thread @tid of the process @pid, and mark it as running. It is added if it is unknown.
 */
static struct window_thread *state_thread(struct window_state *s, uint32_t pid, uint32_t tid)
{
	struct window_thread *t = state_find_thread(s, tid);

	if (t->is_gone || t->pid != pid) {
		if (!t->is_gone && t->pid)
			state_find(s, t->pid)->threads--;
		s->gone -= t->is_gone;
		state_process(s, pid)->threads++;
	}
	t->is_gone = false;
	t->pid = pid;
	return t;
}

static void state_end_thread(struct window_state *s, struct window_thread *t)
{
	t->is_gone = true;
	s->gone++;
	state_release(t->namespaces);
	t->namespaces = NULL;
}

static struct window_record *state_copy(const struct window_state *s, const uint8_t *record)
{
	size_t size = window_size(record);
	struct window_record *copy = xmalloc(sizeof(*copy) + size);

	copy->refs = 1;
	memcpy(copy->bytes, record, size);
	memset(copy->bytes + size - s->id_bytes, 0, s->id_bytes);
	return copy;
}

/*
 * Add a map to @p. Remove maps that the new map covers completely. If there are too many maps,
 * remove the oldest one.
 */
static void state_add_map(struct window_state *s, struct window_process *p, uint64_t start,
			  uint64_t end, struct window_record *record)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->maps.len; i++) {
		struct window_map *m = &p->maps.data[i];
		bool is_oldest = i == 0 && p->maps.len >= WINDOW_MAPS_MAX;

		if ((m->start >= start && m->end <= end) || is_oldest) {
			s->forgotten += !(m->start >= start && m->end <= end);
			state_release(m->record);
			s->maps--;
		} else {
			p->maps.data[kept++] = *m;
		}
	}
	p->maps.len = kept;
	*VEC_PUSH(&p->maps) = (struct window_map){ start, end, record };
	s->maps++;
}

/* Apply an MMAP or MMAP2 record: u32 pid, tid; u64 start, length, offset; ... */
static void state_map(struct window_state *s, const uint8_t *record)
{
	bool is_kernel =
		(window_u16(record + 4) & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	uint32_t pid = is_kernel ? WINDOW_KERNEL : window_u32(record + STATE_HEAD);
	uint64_t start = window_u64(record + STATE_HEAD + 8);
	uint64_t length = window_u64(record + STATE_HEAD + 16);

	if (window_size(record) < STATE_HEAD + 32 + s->id_bytes)
		return;
	state_add_map(s, state_process(s, pid), start,
		      length > UINT64_MAX - start ? UINT64_MAX : start + length,
		      state_copy(s, record));
}

/* Apply a COMM record: u32 pid, tid; char comm[] */
static void state_comm(struct window_state *s, const uint8_t *record)
{
	uint32_t pid = window_u32(record + STATE_HEAD);
	uint32_t tid = window_u32(record + STATE_HEAD + 4);
	struct window_thread *t = state_thread(s, pid, tid);
	size_t len = window_size(record) - STATE_HEAD - 8 - s->id_bytes;

	memset(t->comm, 0, sizeof(t->comm));
	memcpy(t->comm, record + STATE_HEAD + 8, len < 15 ? len : 15);
	if (window_u16(record + 4) & PERF_RECORD_MISC_COMM_EXEC)
		state_free_maps(s, state_find(s, pid));
}

/* Apply a FORK record: u32 pid, ppid, tid, ptid */
static void state_fork(struct window_state *s, const uint8_t *record)
{
	uint32_t pid = window_u32(record + STATE_HEAD);
	uint32_t parent = window_u32(record + STATE_HEAD + 4);
	uint32_t tid = window_u32(record + STATE_HEAD + 8);
	char comm[16];
	struct window_process *child;
	const struct window_process *from;

	memcpy(comm, state_find_thread(s, window_u32(record + STATE_HEAD + 12))->comm,
	       sizeof(comm));
	memcpy(state_thread(s, pid, tid)->comm, comm, sizeof(comm));
	if (pid == parent)
		return;
	/*
	 * state_find() may reallocate the array: add the parent before pointers to elements are
	 * taken
	 */
	(void)state_find(s, parent);
	child = state_process(s, pid);
	from = state_find(s, parent);
	state_free_maps(s, child);
	VEC_APPEND(&child->maps, from->maps.data, from->maps.len);
	VEC_FOREACH (m, &child->maps)
		m->record->refs++;
	s->maps += child->maps.len;
}

/* Apply an EXIT record; it has the same fields as FORK. */
static void state_exit(struct window_state *s, const uint8_t *record)
{
	struct window_thread *t = state_find_thread(s, window_u32(record + STATE_HEAD + 8));
	struct window_process *p;

	if (t->is_gone)
		return;
	state_end_thread(s, t);
	p = state_find(s, t->pid);
	if (p->threads)
		p->threads--;
	if (p->threads || p->is_gone)
		return;
	p->is_gone = true;
	s->gone++;
	state_free_maps(s, p);
}

/* Apply a KSYMBOL record: u64 start; u32 length; u16 type, flags (1: unregister); char name[] */
static void state_program(struct window_state *s, const uint8_t *record)
{
	uint64_t start = window_u64(record + STATE_HEAD);
	uint64_t end = start + window_u32(record + STATE_HEAD + 8);
	bool is_going = window_u16(record + STATE_HEAD + 14) & 1;
	size_t kept = 0;

	VEC_FOREACH (m, &s->programs) {
		if (m->start < end && start < m->end)
			state_release(m->record);
		else
			s->programs.data[kept++] = *m;
	}
	s->programs.len = kept;
	if (!is_going && kept < WINDOW_MAPS_MAX)
		*VEC_PUSH(&s->programs) = (struct window_map){ start, end, state_copy(s, record) };
}

/* Apply a CGROUP record: u64 id; char path[] */
static void state_cgroup(struct window_state *s, const uint8_t *record)
{
	VEC_FOREACH (known, &s->cgroups) {
		if (window_u64((*known)->bytes + STATE_HEAD) != window_u64(record + STATE_HEAD))
			continue;
		state_release(*known);
		*known = state_copy(s, record);
		return;
	}
	if (s->cgroups.len < WINDOW_CGROUPS_MAX)
		*VEC_PUSH(&s->cgroups) = state_copy(s, record);
	else
		s->forgotten++;
}

/* Apply a NAMESPACES record: u32 pid, tid; u64 n; { u64 device, inode } [n] */
static void state_namespaces(struct window_state *s, const uint8_t *record)
{
	struct window_thread *t = state_thread(s, window_u32(record + STATE_HEAD),
					       window_u32(record + STATE_HEAD + 4));

	state_release(t->namespaces);
	t->namespaces = state_copy(s, record);
}

void window_state_apply(struct window_state *s, const uint8_t *record)
{
	if (window_size(record) < STATE_HEAD + 16 + s->id_bytes)
		return;
	switch (window_u32(record)) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		state_map(s, record);
		break;
	case PERF_RECORD_COMM:
		state_comm(s, record);
		break;
	case PERF_RECORD_FORK:
		state_fork(s, record);
		break;
	case PERF_RECORD_EXIT:
		state_exit(s, record);
		break;
	case PERF_RECORD_KSYMBOL:
		state_program(s, record);
		break;
	case PERF_RECORD_CGROUP:
		state_cgroup(s, record);
		break;
	case PERF_RECORD_NAMESPACES:
		state_namespaces(s, record);
		break;
	default:
		break;
	}
}

/*
 * Ask the kernel which threads and processes have ended, and mark these. Their EXIT records may
 * have been lost.
 */
static void state_ask(struct window_state *s)
{
	VEC_FOREACH (t, &s->threads) {
		if (t->is_gone || t->tid == 0 || t->tid > INT32_MAX)
			continue;
		if (kill((pid_t)t->tid, 0) == 0 || errno != ESRCH)
			continue;
		state_end_thread(s, t);
		if (state_find(s, t->pid)->threads)
			state_find(s, t->pid)->threads--;
	}
	VEC_FOREACH (p, &s->processes) {
		if (p->is_gone || p->threads || p->pid == WINDOW_KERNEL || p->pid == 0 ||
		    kill((pid_t)p->pid, 0) == 0 || errno != ESRCH)
			continue;
		p->is_gone = true;
		s->gone++;
		state_free_maps(s, p);
	}
}

void window_state_sweep(struct window_state *s, bool ask)
{
	size_t kept = 0;

	if (ask)
		state_ask(s);
	if (s->gone < STATE_SWEEP_MIN || s->gone < (s->processes.len + s->threads.len) / 2)
		return;
	idmap_fini(&s->processes_map);
	idmap_fini(&s->threads_map);
	VEC_FOREACH (p, &s->processes) {
		struct idmap_probe probe;

		if (p->is_gone) {
			state_free_maps(s, p);
			continue;
		}
		s->processes.data[kept] = *p;
		probe = idmap_first(&s->processes_map, hash_u64(p->pid, 1));
		idmap_insert(&s->processes_map, &probe, (uint32_t)kept++);
	}
	s->processes.len = kept;
	kept = 0;
	VEC_FOREACH (t, &s->threads) {
		struct idmap_probe probe;

		if (t->is_gone)
			continue;
		s->threads.data[kept] = *t;
		probe = idmap_first(&s->threads_map, hash_u64(t->tid, 2));
		idmap_insert(&s->threads_map, &probe, (uint32_t)kept++);
	}
	s->threads.len = kept;
	s->gone = 0;
}

void window_state_mark(struct window_state *s, uint32_t pid, uint32_t tid)
{
	state_find(s, pid)->is_marked = true;
	state_find_thread(s, tid)->is_marked = true;
}

static void state_write(const struct window_record *record, struct out *out)
{
	out_bytes(out, record->bytes, window_size(record->bytes));
}

static void state_write_maps(const struct window_process *p, struct out *out)
{
	VEC_FOREACH (m, &p->maps) {
		char *at;

		state_write(m->record, out);
		/*
		 * set the pid only in the written copy, because several processes may share the
		 * record
		 */
		at = out->data + out->len - window_size(m->record->bytes) + STATE_HEAD;
		memcpy(at, &p->pid, sizeof(p->pid));
		memcpy(at + sizeof(p->pid), &p->pid, sizeof(p->pid));
	}
}

static void state_write_comm(const struct window_state *s, const struct window_thread *t,
			     struct out *out)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		char comm[16];
	} record = { .header = { PERF_RECORD_COMM, 0, (uint16_t)(sizeof(record) + s->id_bytes) },
		     .pid = t->pid,
		     .tid = t->tid };

	memcpy(record.comm, t->comm, sizeof(record.comm));
	out_bytes(out, &record, sizeof(record));
	out_repeat(out, '\0', s->id_bytes);
}

void window_state_write(struct window_state *s, struct out *out)
{
	state_write_maps(state_find(s, WINDOW_KERNEL), out);
	VEC_FOREACH (m, &s->programs)
		state_write(m->record, out);
	VEC_FOREACH (c, &s->cgroups)
		state_write(*c, out);
	VEC_FOREACH (t, &s->threads) {
		if (t->is_marked && !t->is_gone && t->comm[0])
			state_write_comm(s, t, out);
		if (t->is_marked && t->namespaces)
			state_write(t->namespaces, out);
		t->is_marked = false;
	}
	VEC_FOREACH (p, &s->processes) {
		if (p->is_marked && p->pid != WINDOW_KERNEL)
			state_write_maps(p, out);
		p->is_marked = false;
	}
}
