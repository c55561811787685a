/* SPDX-License-Identifier: MIT */
/*
 * window.h - records of the last seconds, in memory
 *
 * Records are kept as the kernel wrote them, in time slices. The oldest slices are dropped by
 * age and by size. Maps, names, forks and thread ends in dropped slices stay in compact form
 * while the process lives. A written window is therefore a stream of records that resolves
 * everything in it, whenever it was mapped.
 *
 * Memory: the records of the window, at most max_bytes; about 150 bytes per executable map and
 * 40 per thread of running processes.
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
	uint64_t span_ns;   /* kept time */
	uint64_t max_bytes; /* limit of records */
	uint32_t time_at;   /* offset of the time in a sample; pid and tid precede it */
	uint32_t id_bytes;  /* sample id after every other record: pid and tid, time, and more */
};

struct window_sum {
	uint64_t from_ns, until_ns; /* range of the window */
	uint64_t held_ns;           /* its length without pauses */
	uint64_t samples;
	uint64_t first_ns, last_ns; /* times of samples; 0: no samples */
	uint64_t lost;              /* records that did not fit a buffer, by records or counters */
	uint64_t throttled;
	uint64_t bytes;
	bool is_short;                   /* the size limit cut the time range */
	size_t processes, threads, maps; /* known processes */
	/* maps beyond WINDOW_MAPS_MAX of a process, control groups beyond their limit */
	uint64_t forgotten;
};

#define WINDOW_MAPS_MAX    2048u /* per process; the oldest is dropped */
#define WINDOW_CGROUPS_MAX 4096u

/* Owner: caller, window_free(). */
struct window *window_new(const struct window_options *options, uint64_t now_ns);
void window_free(struct window *w);
/* Add maps and names from before the first slice. */
void window_describe(struct window *w, const void *records, size_t len);
/* Append records; one may continue in the next piece. */
void window_take(struct window *w, const struct iovec *iov, size_t n);
/*
 * End a slice at @now_ns and drop old slices. Cost: linear in the slices that end and are
 * dropped.
 */
void window_cut(struct window *w, uint64_t now_ns);
/*
 * Remove samples before @from_ns from finished slices. Cost: linear in the slices that contain
 * any.
 */
void window_trim(struct window *w, uint64_t from_ns);
/*
 * Freeze the window: ignore new samples and drop nothing for its age, until called with @is_on
 * false. Maps and names are still tracked.
 */
void window_pause(struct window *w, bool is_on, uint64_t now_ns);
void window_sum(const struct window *w, struct window_sum *ret);
/*
 * Write the window as records of a perf.data file: processes with samples, then the slices.
 * Cost: linear in its bytes.
 */
void window_write(struct window *w, struct out *out);

#endif
