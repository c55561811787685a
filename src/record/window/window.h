/* SPDX-License-Identifier: MIT */
/*
 * window.h - records of the last seconds, in memory
 *
 * Records are kept as the kernel wrote them, in time slices. Slices are dropped when they are too
 * old, or when all slices together are too large. A dropped slice updates a compact state of all
 * running processes (window_state.h), by its records about maps, names, forks and ends of threads.
 * All addresses of a written window can therefore be resolved, however long ago they were mapped.
 *
 * Memory: the records of the window, at most max_bytes; about 150 bytes per executable map and 40
 * per thread of running processes.
 *
 * Not thread safe.
 */
#ifndef RECORD_WINDOW_H
#define RECORD_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

struct iovec;
struct out;
struct window;

struct window_options {
	uint64_t span_ns;   /* maximum age of records */
	uint64_t max_bytes; /* maximum size of all records */
	uint32_t time_at;   /* offset of the time in a sample record, in bytes */
	/*
	 * size in bytes of the sample id at the end of each record that is not a sample; it has pid
	 * and tid, time, and more
	 */
	uint32_t id_bytes;
};

struct window_sum {
	uint64_t from_ns, until_ns; /* times at which the window starts and ends */
	uint64_t held_ns;           /* duration of the window, without pauses */
	uint64_t samples;
	uint64_t first_ns, last_ns; /* times of the first and last sample; 0: no samples */
	/*
	 * number of lost records, according to PERF_RECORD_LOST or PERF_RECORD_LOST_SAMPLES,
	 * whichever reports more
	 */
	uint64_t lost;
	uint64_t throttled;
	uint64_t bytes;
	/* the window is shorter than span_ns, because older records exceeded max_bytes */
	bool is_short;
	size_t processes, threads, maps; /* number of known processes, threads and maps */
	/*
	 * number of maps dropped because of WINDOW_MAPS_MAX, plus control groups dropped because of
	 * WINDOW_CGROUPS_MAX
	 */
	uint64_t forgotten;
};

/* maximum number of maps per process; beyond it, the oldest map is dropped */
#define WINDOW_MAPS_MAX    2048u
#define WINDOW_CGROUPS_MAX 4096u

/* Owner: caller, window_free(). */
struct window *window_new(const struct window_options *options, uint64_t now_ns);
void window_free(struct window *w);
/* Store the processes and maps that exist when the first slice starts. @records describe them. */
void window_describe(struct window *w, const void *records, size_t len);
/* Append records to the current slice. A record may be split between two elements of @iov. */
void window_take(struct window *w, const struct iovec *iov, size_t n);
/*
 * End the current slice at @now_ns, and drop old slices. Cost: linear in the size of the ended and
 * the dropped slices.
 */
void window_cut(struct window *w, uint64_t now_ns);
/*
 * Remove samples before @from_ns from the finished slices. Cost: linear in the size of the slices
 * that have such samples.
 */
void window_trim(struct window *w, uint64_t from_ns);
/*
 * With @is_on, freeze the window: ignore new samples, and drop no slices because of their age. Maps
 * and names are still recorded. Without @is_on, end the freeze.
 */
void window_pause(struct window *w, bool is_on, uint64_t now_ns);
void window_sum(const struct window *w, struct window_sum *ret);
/*
 * Append the window as records of a perf.data file: first the state of the processes that have
 * samples, then the slices. Cost: linear in the number of bytes written.
 */
void window_write(struct window *w, struct out *out);

#endif
