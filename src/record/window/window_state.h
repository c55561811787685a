/* SPDX-License-Identifier: MIT */
/*
 * window_state.h - processes, threads and maps as they were at the start of a window
 */
#ifndef RECORD_WINDOW_STATE_H
#define RECORD_WINDOW_STATE_H

#include "base/idmap.h"
#include "base/vec.h"

struct out;

#define WINDOW_KERNEL UINT32_MAX /* pid under which the kernel's own maps are stored */

/* A record. Several processes share it if a fork copied their maps. */
struct window_record {
	uint32_t refs;
	uint8_t bytes[]; /* the whole record; its sample id is zeroed */
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
	VEC(struct window_map) maps; /* maps, in the order in which they were added */
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
	/* kernel code that was registered at run time (KSYMBOL records) */
	VEC(struct window_map) programs;
	VEC(struct window_record *) cgroups;
	/* number of ended processes and threads that window_state_sweep() has not dropped yet */
	size_t gone;
	size_t maps;
	uint64_t forgotten;
};

void window_state_fini(struct window_state *s);
/* Apply a record to the state; samples are ignored. */
void window_state_apply(struct window_state *s, const uint8_t *record);
/*
 * Drop ended processes and threads. @ask: also ask the kernel, because a record of their end may be
 * missing.
 */
void window_state_sweep(struct window_state *s, bool ask);
/* Mark a thread and its process, so that window_state_write() writes them. */
void window_state_mark(struct window_state *s, uint32_t pid, uint32_t tid);
/* Append records about the kernel and all marked processes to @out, and clear the marks. */
void window_state_write(struct window_state *s, struct out *out);

/*
 * Functions that read fields of records. A record starts with the header u32 type; u16 misc; u16
 * size.
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
