/* SPDX-License-Identifier: MIT */
/*
 * window_state.h - processes, threads and maps at the start of a window
 *
 * Private to src/record.
 */
#ifndef RECORD_WINDOW_STATE_H
#define RECORD_WINDOW_STATE_H

#include "base/idmap.h"
#include "base/out.h"
#include "base/vec.h"

#define WINDOW_KERNEL UINT32_MAX /* the process that the kernel's own maps are of */

/* Shared by the maps of processes that were forked from each other. */
struct window_record {
	uint32_t refs;
	uint8_t bytes[]; /* whole, its sample id zeroed */
};

struct window_map {
	uint64_t start, end;
	struct window_record *record;
};

struct window_process {
	uint32_t pid;
	uint32_t threads; /* that were heard of */
	bool is_gone;
	bool is_marked;
	VEC(struct window_map) maps; /* in the order in which they came */
};

struct window_thread {
	uint32_t tid, pid;
	bool is_gone;
	bool is_marked;
	char comm[16];
	struct window_record *namespaces; /* NULL: not told */
};

struct window_state {
	uint32_t id_bytes;
	VEC(struct window_process) processes;
	struct idmap processes_map;
	VEC(struct window_thread) threads;
	struct idmap threads_map;
	VEC(struct window_map) programs; /* code registered in the kernel: KSYMBOL */
	VEC(struct window_record *) cgroups;
	size_t gone; /* rows of processes and threads that are */
	size_t maps;
	uint64_t forgotten;
};

void window_state_fini(struct window_state *s);
/* Take what a record that is no sample says. */
void window_state_apply(struct window_state *s, const uint8_t *record);
/* Forget what has ended; processes whose end was not heard of as well, if @ask. */
void window_state_sweep(struct window_state *s, bool ask);
/* What window_state_write() is to write. */
void window_state_mark(struct window_state *s, uint32_t pid, uint32_t tid);
/* Records of the kernel and of what is marked, which no longer is then. */
void window_state_write(struct window_state *s, struct out *out);

/* struct perf_event_header: u32 type; u16 misc; u16 size */
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
