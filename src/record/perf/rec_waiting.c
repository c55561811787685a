/* SPDX-License-Identifier: MIT */
/*
 * Record threads that are already waiting when the recording starts. Without this, a thread that
 * never runs would not be in the recording. So the file starts with a generated context switch of
 * each such thread, in the kernel's format.
 *
 * The data come from files in /proc/PID/task/TID. "stat" has the thread's state, and "syscall" its
 * address in user space. "stack" has its kernel stack as names and offsets; it requires
 * CAP_SYS_ADMIN. If "stack" is unreadable, "wchan" has one function of the stack. The records are
 * those of sched:sched_switch, so readers need no special code.
 */
#include "record/perf/rec.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "record/perf/record.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/uio.h>
#include <time.h>

/* maximum number of frames of a stack; default of kernel.perf_event_max_stack */
#define WAITING_FRAMES  127u
#define WAITING_THREADS 65536 /* maximum number of recorded waiting threads */

/*
 * Values of the field prev_state, the same in all kernels. Source: TASK_REPORT in
 * include/linux/sched.h
 */
#define WAITING_SLEEPS  1u
#define WAITING_DISK    2u
#define WAITING_STOPPED 4u
#define WAITING_TRACED  8u

/*
 * A frame of a kernel stack: index of the function in waiting.symbols, and offset in the function
 * in bytes.
 */
struct waiting_frame {
	uint32_t symbol;
	uint64_t offset;
};

struct waiting_thread {
	uint32_t pid, tid;
	uint64_t time_ns;
	uint64_t state;
	uint64_t user_ip; /* address in user space at which the thread will continue; 0: unknown */
	char comm[16];
	/* the thread's n frames start at waiting.frames[first], innermost frame first */
	uint32_t first, n;
};

struct waiting_symbol {
	char *name;
	uint64_t address; /* address of the function; 0: unknown */
};

/* Offset and size in bytes of a field in the data of the tracepoint sched:sched_switch. */
struct waiting_place {
	uint32_t offset, size;
};

struct waiting {
	struct rec *r;
	const struct rec_event *event;
	struct waiting_place prev_comm, prev_pid, prev_state;
	uint32_t raw_bytes;
	VEC(struct waiting_thread) threads;
	VEC(struct waiting_frame) frames;
	VEC(struct waiting_symbol) symbols;
	struct idmap symbol_map;
	uint32_t pid; /* process whose threads are currently read */
};

static char *waiting_slurp(uint32_t pid, uint32_t tid, const char *name)
{
	char path[96];

	(void)snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/%s", pid, tid, name);
	return rec_slurp(path, NULL);
}

static uint32_t waiting_symbol(struct waiting *w, struct str name)
{
	struct idmap_probe p = idmap_first(&w->symbol_map, hash_str(name));

	while (idmap_next(&w->symbol_map, &p)) {
		if (str_eq(str_of(w->symbols.data[p.id].name), name))
			return p.id;
	}
	idmap_insert(&w->symbol_map, &p, (uint32_t)w->symbols.len);
	*VEC_PUSH(&w->symbols) = (struct waiting_symbol){ xmemdupz(name.p, name.len), 0 };
	return (uint32_t)w->symbols.len - 1;
}

/*
 * Read the kernel stack of @t from /proc. A line has one frame, "[<0>]
 * hrtimer_nanosleep+0x9d/0x110"; the innermost frame is first.
 */
static void waiting_stack(struct waiting *w, struct waiting_thread *t)
{
	CLEANUP(freep) char *text = waiting_slurp(t->pid, t->tid, "stack");
	struct str rest = str_of(text);
	struct str line;

	t->first = (uint32_t)w->frames.len;
	while (str_line(&rest, &line) && t->n < WAITING_FRAMES) {
		struct str name = str_skip(line, str_find(line, STR("] ")) + 2);
		size_t plus = str_find_char(name, '+');
		struct str digits = str_skip(name, plus + 3);
		uint64_t offset = 0;

		if (plus >= name.len || !str_hex64(&digits, &offset))
			continue;
		*VEC_PUSH(&w->frames) =
			(struct waiting_frame){ waiting_symbol(w, str_sub(name, 0, plus)), offset };
		t->n++;
	}
	if (t->n == 0) {
		CLEANUP(freep) char *wchan = waiting_slurp(t->pid, t->tid, "wchan");

		if (wchan && wchan[0] && strcmp(wchan, "0") != 0) {
			*VEC_PUSH(&w->frames) =
				(struct waiting_frame){ waiting_symbol(w, str_of(wchan)), 0 };
			t->n++;
		}
	}
}

/*
 * The instruction pointer in user space of @t; 0: unknown. It is the last word in the file
 * "syscall": "230 0x0 … STACK IP". For a running thread, this file has only the word "running".
 */
static uint64_t waiting_user_ip(const struct waiting_thread *t)
{
	CLEANUP(freep) char *text = waiting_slurp(t->pid, t->tid, "syscall");
	struct str s = text ? str_trim(str_of(text)) : STR_NONE;
	size_t at = str_find(s, STR(" 0x"));
	uint64_t ip = 0;

	while (at < s.len) {
		s = str_skip(s, at + 3);
		at = str_find(s, STR(" 0x"));
	}
	return str_hex64(&s, &ip) && s.len == 0 ? ip : 0;
}

static uint64_t waiting_state(char letter)
{
	switch (letter) {
	case 'S':
	case 'I':
		return WAITING_SLEEPS;
	case 'D':
		return WAITING_DISK;
	case 'T':
		return WAITING_STOPPED;
	case 't':
		return WAITING_TRACED;
	default:
		return 0;
	}
}

/* Add the thread @tid if it is waiting. Its file "stat" shows the state: "10026 (sleep) S …". */
static void waiting_thread(void *arg, uint32_t tid)
{
	struct waiting *w = arg;
	struct waiting_thread t = { .pid = w->pid,
				    .tid = tid,
				    .time_ns = rec_clock_ns(CLOCK_MONOTONIC) };
	CLEANUP(freep) char *text = waiting_slurp(w->pid, tid, "stat");
	struct str s = str_of(text);
	size_t open = str_find_char(s, '(');
	size_t end = str_rfind_char(s, ')');
	struct str comm;

	if (!text || end >= s.len || open >= end || s.len - end < 3 ||
	    w->threads.len >= WAITING_THREADS)
		return;
	t.state = waiting_state(s.p[end + 2]);
	if (!t.state)
		return;
	comm = str_sub(s, open + 1, end);
	memcpy(t.comm, comm.p, comm.len < sizeof(t.comm) - 1 ? comm.len : sizeof(t.comm) - 1);
	waiting_stack(w, &t);
	t.user_ip = waiting_user_ip(&t);
	*VEC_PUSH(&w->threads) = t;
}

static void waiting_process(void *arg, uint32_t pid)
{
	struct waiting *w = arg;

	w->pid = pid;
	(void)rec_threads("/proc", pid, waiting_thread, w);
}

static void waiting_all(struct waiting *w)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		struct str digits = str_of(entry->d_name);
		uint64_t pid;

		if (str_u64(&digits, &pid) && digits.len == 0)
			waiting_process(w, (uint32_t)pid);
	}
	if (dir)
		(void)closedir(dir);
}

/* Look up the addresses of all functions in the kernel stacks. */
static void waiting_resolve(struct waiting *w)
{
	CLEANUP(freep) char *text = w->symbols.len ? rec_slurp("/proc/kallsyms", NULL) : NULL;
	struct str rest = str_of(text);
	struct str line;

	while (str_line(&rest, &line)) {
		struct idmap_probe p;
		struct str type, name;
		uint64_t address;

		if (!str_hex64(&line, &address) || !str_word(&line, &type) ||
		    !str_word(&line, &name) || !strchr("tTwW", type.p[0]))
			continue;
		p = idmap_first(&w->symbol_map, hash_str(name));
		while (idmap_next(&w->symbol_map, &p)) {
			if (str_eq(str_of(w->symbols.data[p.id].name), name))
				w->symbols.data[p.id].address = address;
		}
	}
}

/*
 * Find the position of the field @field in the format text, which has lines such as "field:pid_t
 * prev_pid; offset:24; size:4; …". Returns false if there is no such field.
 */
static bool waiting_place(struct str format, const char *field, struct waiting_place *ret)
{
	struct str line;

	while (str_line(&format, &line)) {
		struct str head = str_sub(line, 0, str_find_char(line, ';'));
		struct str name = str_skip(head, str_rfind_char(head, ' ') + 1);
		uint64_t offset, size;

		name = str_sub(name, 0, str_find_char(name, '['));
		if (!str_eq(name, str_of(field)))
			continue;
		line = str_skip(line, str_find(line, STR("offset:")) + 7);
		if (!str_u64(&line, &offset))
			return false;
		line = str_skip(line, str_find(line, STR("size:")) + 5);
		if (!str_u64(&line, &size) || offset + size > 4096)
			return false;
		*ret = (struct waiting_place){ (uint32_t)offset, (uint32_t)size };
		return true;
	}
	return false;
}

/*
 * Find the fields of sched:sched_switch that are used. Returns false if the kernel's format lacks
 * one of them.
 */
static bool waiting_layout(struct waiting *w)
{
	CLEANUP(freep) char *format = rec_tracing_format(STR("sched:sched_switch"));
	struct str s = str_of(format);
	struct waiting_place last;

	if (!format || !waiting_place(s, "prev_comm", &w->prev_comm) ||
	    !waiting_place(s, "prev_pid", &w->prev_pid) ||
	    !waiting_place(s, "prev_state", &w->prev_state) ||
	    !waiting_place(s, "next_prio", &last) || w->prev_comm.size < 16 ||
	    w->prev_pid.size != 4 || (w->prev_state.size != 8 && w->prev_state.size != 4))
		return false;
	w->raw_bytes = last.offset + last.size;
	return w->prev_comm.offset + 16 <= w->raw_bytes && w->prev_pid.offset + 4 <= w->raw_bytes &&
	       w->prev_state.offset + w->prev_state.size <= w->raw_bytes;
}

static void waiting_u32(struct out *o, uint32_t v)
{
	out_bytes(o, &v, sizeof(v));
}

static void waiting_u64(struct out *o, uint64_t v)
{
	out_bytes(o, &v, sizeof(v));
}

/* Append the call chain of @t: u64 n; u64 ips[n]. */
static void waiting_chain(struct waiting *w, struct out *o, const struct waiting_thread *t)
{
	size_t at = o->len;
	uint64_t n = 0;

	waiting_u64(o, 0);
	for (uint32_t i = 0; i < t->n; i++) {
		const struct waiting_frame *f = &w->frames.data[t->first + i];
		uint64_t address = w->symbols.data[f->symbol].address;

		if (!address)
			continue;
		if (n == 0) {
			waiting_u64(o, (uint64_t)PERF_CONTEXT_KERNEL);
			n++;
		}
		waiting_u64(o, address + f->offset);
		n++;
	}
	if (t->user_ip) {
		waiting_u64(o, (uint64_t)PERF_CONTEXT_USER);
		waiting_u64(o, t->user_ip);
		n += 2;
	}
	memcpy(o->data + at, &n, sizeof(n));
}

/*
 * Append the data of the tracepoint: u32 size, then the data. Padding makes the total a multiple of
 * 8 bytes.
 */
static void waiting_raw(const struct waiting *w, struct out *o, const struct waiting_thread *t)
{
	uint32_t pad = (8 - (w->raw_bytes + 4) % 8) % 8;
	uint32_t state = (uint32_t)t->state;
	size_t at;

	waiting_u32(o, w->raw_bytes + pad);
	at = o->len;
	out_repeat(o, '\0', w->raw_bytes + pad);
	memcpy(o->data + at, &(uint16_t){ (uint16_t)w->event->attr.config }, 2);
	memcpy(o->data + at + 4, &t->tid, sizeof(t->tid)); /* the field common_pid */
	memcpy(o->data + at + w->prev_comm.offset, t->comm, sizeof(t->comm));
	memcpy(o->data + at + w->prev_pid.offset, &t->tid, sizeof(t->tid));
	if (w->prev_state.size == 8)
		memcpy(o->data + at + w->prev_state.offset, &t->state, 8);
	else
		memcpy(o->data + at + w->prev_state.offset, &state, 4);
}

static uint64_t waiting_ip(const struct waiting *w, const struct waiting_thread *t)
{
	for (uint32_t i = 0; i < t->n; i++) {
		const struct waiting_frame *f = &w->frames.data[t->first + i];

		if (w->symbols.data[f->symbol].address)
			return w->symbols.data[f->symbol].address + f->offset;
	}
	return t->user_ip;
}

/*
 * Append a sample record. Its fields have the order of PERF_RECORD_SAMPLE in
 * include/uapi/linux/perf_event.h.
 */
static void waiting_sample(struct waiting *w, struct out *o, const struct waiting_thread *t)
{
	uint64_t type = rec_chains_attr(w->r, w->event).sample_type;
	struct perf_event_header h = { .type = PERF_RECORD_SAMPLE,
				       .misc = t->n ? PERF_RECORD_MISC_KERNEL
						    : PERF_RECORD_MISC_USER };
	size_t at = o->len;

	out_bytes(o, &h, sizeof(h));
	waiting_u64(o, w->event->ids.data[0]);
	waiting_u64(o, waiting_ip(w, t));
	waiting_u32(o, t->pid);
	waiting_u32(o, t->tid);
	waiting_u64(o, t->time_ns);
	waiting_u64(o, UINT32_MAX); /* CPU: unknown, because the thread does not run */
	waiting_u64(o, 1);          /* period */
	if (type & PERF_SAMPLE_CALLCHAIN)
		waiting_chain(w, o, t);
	waiting_raw(w, o, t);
	if (type & PERF_SAMPLE_REGS_USER)
		waiting_u64(o, 0); /* no registers: PERF_SAMPLE_REGS_ABI_NONE */
	if (type & PERF_SAMPLE_STACK_USER)
		waiting_u64(o, 0); /* size of the stack copy */
	if (type & PERF_SAMPLE_CGROUP)
		waiting_u64(o, 0);
	h.size = (uint16_t)(o->len - at);
	memcpy(o->data + at, &h, sizeof(h));
}

/* The event of r->events that records context switches of the target; NULL: none. */
static const struct rec_event *waiting_event(const struct rec *r)
{
	VEC_FOREACH (e, &r->events) {
		if (e->is_tracepoint && strcmp(e->name, "sched:sched_switch") == 0 && e->ids.len &&
		    !e->is_everywhere)
			return e;
	}
	return NULL;
}

static void waiting_write(struct waiting *w)
{
	struct rec *r = w->r;
	struct out o;

	out_init(&o);
	VEC_FOREACH (t, &w->threads) {
		waiting_sample(w, &o, t);
		if (!r->first_ns || t->time_ns < r->first_ns)
			r->first_ns = t->time_ns;
		if (t->time_ns > r->last_ns)
			r->last_ns = t->time_ns;
	}
	if (o.len)
		rec_file_data(&r->file, &(struct iovec){ o.data, o.len }, 1);
	out_fini(&o);
}

void rec_waiting(struct rec *r)
{
	struct waiting w = { .r = r, .event = waiting_event(r) };

	if (!r->spec->has_off_cpu || r->spec->has_perf_clock || r->spec->argv || !w.event ||
	    !waiting_layout(&w))
		return;
	if (r->groups.len) {
		rec_groups_processes(r, waiting_process, &w);
	} else if (r->spec->is_system_wide) {
		waiting_all(&w);
	} else {
		VEC_FOREACH (tid, &r->tids) {
			w.pid = rec_process_of(*tid);
			waiting_thread(&w, *tid);
		}
	}
	waiting_resolve(&w);
	waiting_write(&w);
	VEC_FOREACH (s, &w.symbols)
		free(s->name);
	VEC_FREE(&w.symbols);
	VEC_FREE(&w.frames);
	VEC_FREE(&w.threads);
	idmap_fini(&w.symbol_map);
}
