/* SPDX-License-Identifier: MIT */
/*
 * window.h - records of the last seconds, in memory
 *
 * Records are kept as the kernel wrote them, in time slices. A slice is dropped when it is too old,
 * or when all slices together are too large. When a slice is dropped, its records about maps,
 * names, forks and ends of threads update a compact state of all running processes
 * (window_state.h). So all addresses of a written window can be resolved, even if the file was
 * mapped long ago.
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
	uint64_t max_bytes; /* maximum total size of the records */
	uint32_t time_at;   /* offset in bytes of the time in a sample record */
	/*
	 * size in bytes of the sample id at the end of each record that is not a sample. It starts
	 * with pid and tid, then the time
	 */
	uint32_t id_bytes;
};

struct window_sum {
	uint64_t from_ns, until_ns; /* times at which the window starts and ends */
	uint64_t held_ns;           /* duration of the window, without pauses */
	uint64_t samples;
	uint64_t first_ns, last_ns; /* times of the first and last sample; 0: no samples */
	/*
	 * number of lost records; if PERF_RECORD_LOST and PERF_RECORD_LOST_SAMPLES report different
	 * numbers, the larger one
	 */
	uint64_t lost;
	uint64_t throttled;
	uint64_t bytes;
	/* the window covers less than span_ns, because all records of this time exceed max_bytes */
	bool is_short;
	size_t processes, threads, maps; /* numbers of known processes, threads and maps */
	/*
	 * number of maps dropped because of WINDOW_MAPS_MAX, and of control groups dropped because
	 * of WINDOW_CGROUPS_MAX
	 */
	uint64_t forgotten;
};

/* maximum number of maps per process; if it is exceeded, the oldest map is dropped */
#define WINDOW_MAPS_MAX    2048u
#define WINDOW_CGROUPS_MAX 4096u

/* Create a window that starts at @now_ns. Owner: caller, window_free(). */
struct window *window_new(const struct window_options *options, uint64_t now_ns);
void window_free(struct window *w);
/*
 * Initialise the state of processes and maps, before the first slice. @records: records that
 * describe them, @len bytes.
 */
void window_describe(struct window *w, const void *records, size_t len);
/* Append records to the current slice. A record may be split between two elements of @iov. */
void window_take(struct window *w, const struct iovec *iov, size_t n);
/*
 * End the current slice at the time @now_ns, and drop slices that are too old. Cost: linear in the
 * size of these slices.
 */
void window_cut(struct window *w, uint64_t now_ns);
/*
 * Remove samples that are older than @from_ns from the finished slices. Cost: linear in the size of
 * the affected slices.
 */
void window_trim(struct window *w, uint64_t from_ns);
/*
 * Freeze the window if @is_on is set: ignore new samples, and do not drop slices because of their
 * age. Maps and names are still recorded. Otherwise end the freeze.
 */
void window_pause(struct window *w, bool is_on, uint64_t now_ns);
void window_sum(const struct window *w, struct window_sum *ret);
/*
 * Append the window to @out, as records of a perf.data file: first the state of the processes that
 * have samples, then the slices. Cost: linear in the number of bytes written.
 */
void window_write(struct window *w, struct out *out);

#endif
