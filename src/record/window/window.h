/* SPDX-License-Identifier: MIT */
/*
 * window.h - what was recorded in the last seconds, in memory
 *
 * Records are kept as the kernel wrote them, in slices of time; slices that are too
 * old go, the oldest first, and so do those for which there is no room. What their
 * maps, names, forks and ends of threads said stays, compacted, as long as there is
 * the process: written out, the window is a stream of records that names everything
 * in it, whenever it was mapped.
 *
 * Memory: the records of the window, at most max_bytes; about 150 bytes for each
 * executable map and 40 for each thread of processes that run.
 *
 * Not thread safe.
 */
#ifndef RECORD_WINDOW_H
#define RECORD_WINDOW_H

#include "base/out.h"

#include <sys/uio.h>

struct window;

struct window_options {
	uint64_t span_ns;   /* of time that is kept */
	uint64_t max_bytes; /* of records */
	uint32_t time_at;   /* of a sample: where its time stands; pid and tid are before it */
	uint32_t id_bytes;  /* behind every other record: pid and tid, time, and more */
};

struct window_sum {
	uint64_t from_ns, until_ns; /* of what is held */
	uint64_t held_ns;           /* of them, without pauses */
	uint64_t samples;
	uint64_t first_ns, last_ns; /* of samples; 0: there are none */
	uint64_t lost; /* that found no room in a buffer, by the stream or by counters */
	uint64_t throttled;
	uint64_t bytes;
	bool is_short;                   /* for want of room the span is not kept */
	size_t processes, threads, maps; /* that are known */
	uint64_t forgotten; /* maps past WINDOW_MAPS_MAX of a process, control groups past theirs */
};

#define WINDOW_MAPS_MAX    2048u /* of a process; the oldest goes */
#define WINDOW_CGROUPS_MAX 4096u

/* Owner: caller, window_free(). */
struct window *window_new(const struct window_options *options, uint64_t now_ns);
void window_free(struct window *w);
/* What was there before the first slice: maps and names. */
void window_describe(struct window *w, const void *records, size_t len);
/* More records; one may go over from a piece to the next. */
void window_take(struct window *w, const struct iovec *iov, size_t n);
/* A slice ends at @now_ns; what is too old goes. Cost: linear in the slices that end and go. */
void window_cut(struct window *w, uint64_t now_ns);
/* Samples before @from_ns go, of slices that have ended. Cost: linear in those that have any. */
void window_trim(struct window *w, uint64_t from_ns);
/*
 * Held as it is: no sample is taken and nothing goes for its age, until it is called
 * again without @is_on. What is told of maps and names is still kept.
 */
void window_pause(struct window *w, bool is_on, uint64_t now_ns);
void window_sum(const struct window *w, struct window_sum *ret);
/*
 * All of it as records of a perf.data file: what processes with samples are, then the
 * slices. Cost: linear in its bytes.
 */
void window_write(struct window *w, struct out *out);

#endif
