/* SPDX-License-Identifier: MIT */
/*
 * block_requests.h - requests of block devices, from the kernel's events or from blkparse
 *
 * A request is known by its device and first sector. Its time has two parts: from the first event
 * (block_bio_queue, block_getrq or block_rq_insert) to block_rq_issue it waits in the kernel, and
 * from there to block_rq_complete it is at the device. btt calls them Q2D and D2C.
 * Source: kernel, include/trace/events/block.h; blktrace, btt.
 */
#ifndef ANALYSES_BLOCK_REQUESTS_H
#define ANALYSES_BLOCK_REQUESTS_H

#include "base/vec.h"

struct str;
struct capture;

struct block_request {
	uint32_t device; /* index in block_requests.devices */
	uint32_t line;   /* of its first event */
	uint32_t end_line;
	uint64_t sector;
	uint64_t wait_ns;   /* from the first event to the issue */
	uint64_t device_ns; /* from the issue to the completion */
	uint32_t sectors;
	bool is_write;
	bool has_wait; /* an event before its issue is in the trace */
	bool is_next;  /* begins where the request issued before it on this device has its end */
};

struct block_requests {
	VEC(struct block_request) done; /* completed ones, in the order of their ends */
	VEC(struct str) devices;        /* "259,0"; borrowed from the capture */
};

/* Find the completed requests. Owner: caller, block_requests_fini(). Past 64 devices, the last
 * stands for the rest. Cost: O(marks). */
void block_requests_find(struct block_requests *b, const struct capture *c);
void block_requests_fini(struct block_requests *b);

#endif
