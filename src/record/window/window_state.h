/* SPDX-License-Identifier: MIT */
/* window_state.h - state of processes, threads and maps at the start of a window */
#ifndef RECORD_WINDOW_STATE_H
#define RECORD_WINDOW_STATE_H

#include "base/idmap.h"
#include "base/vec.h"

struct out;

/* pid that stands for the kernel: its maps are stored under this pid */
#define WINDOW_KERNEL UINT32_MAX

/*
 * A record with a reference count. After a fork, parent and child share the records of their maps.
 */
struct window_record {
	uint32_t refs;
	uint8_t bytes[]; /* copy of the record, with zeros in its sample id */
};

struct window_map {
	uint64_t start, end;
	struct window_record *record;
};

struct window_process {
	uint32_t pid;
	uint32_t threads; /* number of known threads */
	bool is_gone;
	bool is_marked;
	VEC(struct window_map) maps; /* in the order in which the maps were added */
};

struct window_thread {
	uint32_t tid, pid;
	bool is_gone;
	bool is_marked;
	char comm[16];
	struct window_record *namespaces; /* NAMESPACES record of the thread; NULL: unknown */
};

struct window_state {
	uint32_t id_bytes;
	VEC(struct window_process) processes;
	struct idmap processes_map;
	VEC(struct window_thread) threads;
	struct idmap threads_map;
	/* kernel code that was loaded at run time, such as BPF programs (KSYMBOL records) */
	VEC(struct window_map) programs;
	VEC(struct window_record *) cgroups;
	/* number of ended processes and threads that are still in the lists */
	size_t gone;
	size_t maps;
	uint64_t forgotten;
};

void window_state_fini(struct window_state *s);
/* Apply a record to the state. A sample has no effect. */
void window_state_apply(struct window_state *s, const uint8_t *record);
/*
 * Remove ended processes and threads from the lists. @ask: first ask the kernel which of them have
 * ended, because EXIT records may be missing.
 */
void window_state_sweep(struct window_state *s, bool ask);
/* Mark a thread and its process to be written by window_state_write(). */
void window_state_mark(struct window_state *s, uint32_t pid, uint32_t tid);
/* Append records that describe the kernel and all marked processes to @out. Clear the marks. */
void window_state_write(struct window_state *s, struct out *out);

/*
 * The functions below read fields of a record. A record starts with the header u32 type; u16 misc;
 * u16 size.
 */
static inline uint32_t window_u32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint64_t window_u64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint16_t window_u16(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint16_t window_size(const uint8_t *record)
{
	return window_u16(record + 6);
}

#endif
