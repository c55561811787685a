/* SPDX-License-Identifier: MIT */
/*
 * block_requests.h - requests of block devices, from the kernel's events or from blkparse
 *
 * Events belong to the same request if device and first sector are equal. A request waits in the
 * kernel from its first event (block_bio_queue, block_getrq or block_rq_insert) to block_rq_issue.
 * It is at the device from block_rq_issue to block_rq_complete. btt calls these times Q2D and D2C.
 * Source: kernel, include/trace/events/block.h; blktrace, btt.
 */
#ifndef ANALYSES_BLOCK_REQUESTS_H
#define ANALYSES_BLOCK_REQUESTS_H

#include "base/vec.h"

struct str;
struct capture;

struct block_request {
	uint32_t device; /* index in block_requests.devices */
	uint32_t line;   /* line of the request's first event in the input */
	uint32_t end_line;
	uint64_t sector;
	uint64_t wait_ns;   /* time from the request's first event to its issue */
	uint64_t device_ns; /* time from the request's issue to its completion */
	uint32_t sectors;
	bool is_write;
	/* the trace has an event of the request before its issue, so wait_ns is known */
	bool has_wait;
	/* begins at the sector where the previously issued request on this device ends */
	bool is_next;
};

struct block_requests {
	VEC(struct block_request) done; /* completed requests, in the order of their completions */
	VEC(struct str) devices;        /* "259,0"; borrowed from the capture */
};

/*
 * Find the completed requests of a trace. Owner: caller, block_requests_fini(). If there are more
 * than 64 devices, the last one in `devices` stands for all the others. Cost: O(events); calls are
 * not read.
 */
void block_requests_find(struct block_requests *b, const struct capture *c);
void block_requests_fini(struct block_requests *b);

#endif
