/* SPDX-License-Identifier: MIT */
/*
 * block_requests.h - requests of block devices, from the kernel's events or from blkparse
 *
 * Events belong to the same request if device and first sector are equal. A request waits in the
 * kernel from its first event (block_bio_queue, block_getrq or block_rq_insert) to block_rq_issue.
 * It is at the device from block_rq_issue to block_rq_complete. btt calls these times Q2D and D2C.
 * Issued reads and writes have their own list, `issued`. Even without completions, this list shows
 * whether small requests for adjacent sectors were merged before their issue.
 * Source: kernel, include/trace/events/block.h; block/blk-merge.c; blktrace, btt.
 */
#ifndef ANALYSES_BLOCK_REQUESTS_H
#define ANALYSES_BLOCK_REQUESTS_H

#include "base/str.h"
#include "base/vec.h"

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
	/*
	 * the trace has an event of the request before its issue (such as block_bio_queue), so
	 * wait_ns is known
	 */
	bool has_wait;
};

/* The issue of a read or write. Flushes and discards are not listed. */
struct block_issue {
	uint32_t device; /* index in block_requests.devices */
	uint32_t line;
	uint32_t sectors;
	/*
	 * time since the previous read or write was issued on this device; 0: this is the first one
	 */
	uint64_t gap_ns;
	/*
	 * the request continues the previous read or write of this device: it begins where the
	 * previous one ends, and both read or both write
	 */
	bool is_next;
	/*
	 * the previous read or write of this device had not completed when this request was queued.
	 * If the trace does not show when it was queued: when this request was issued
	 */
	bool is_pending;
	bool is_queued; /* the trace shows when the request was queued */
	/*
	 * the kernel cannot merge this request with the previous one, because a flush came between
	 * them, or because this request flushes
	 */
	bool is_flushed;
};

struct block_device {
	/* major and minor number of the device, "259,0"; borrowed from the capture */
	struct str name;
	/*
	 * number of reads and writes that were issued to the device; 0 for a partition, because
	 * block_rq_issue names the whole disk
	 */
	uint32_t issues;
	uint32_t merges; /* number of bios and requests that were merged into another request */
	/* number of bios that were split, because they exceed a limit of the device */
	uint32_t splits;
};

struct block_requests {
	VEC(struct block_request) done; /* completed requests, in the order of their completions */
	VEC(struct block_issue) issued; /* issued reads and writes, in the order of the trace */
	VEC(struct block_device) devices;
};

/*
 * Find the issued and the completed requests of a trace. Owner: caller, block_requests_fini(). If
 * there are more than 64 devices, the last one in `devices` stands for all the others. Cost:
 * O(events).
 */
void block_requests_find(struct block_requests *b, const struct capture *c);
void block_requests_fini(struct block_requests *b);

#endif
