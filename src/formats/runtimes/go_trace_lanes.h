/* SPDX-License-Identifier: MIT */
/*
 * go_trace_lanes.h - put the events of a Go execution trace in order
 *
 * A lane holds the events of one scheduler context (an M or a P), which are in order. Across lanes,
 * times decide, but clocks of CPUs differ a little. So an event that must follow another one, by
 * the numbers that Go gives to events of a goroutine, waits until the other was taken. If all lanes
 * wait, because the trace is damaged, the earliest event is taken.
 */
#ifndef FORMATS_GO_TRACE_LANES_H
#define FORMATS_GO_TRACE_LANES_H

#include "base/idmap.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "formats/runtimes/go_trace.h"

#define GO_ARGS 5u

struct go_event {
	uint64_t time;          /* ticks of the clock of the trace */
	uint64_t args[GO_ARGS]; /* without the time */
	uint32_t row; /* goroutine that it is about, once go_lanes_ops.is_ready() was true */
	uint8_t type;
};

/* Events of a lane that are together in the file. */
struct go_chunk {
	const unsigned char *from;
	const unsigned char *to;
	uint64_t time;
	uint32_t next; /* index of the lane's next chunk; INDEX_NONE: none */
};

struct go_lane {
	uint64_t id;
	uint32_t first, last; /* chunks */
	struct go_cursor at;
	uint64_t time;      /* of the event before `head` */
	uint32_t goroutine; /* row of the goroutine that runs; INDEX_NONE: none */
	uint64_t pause_ns;  /* begin of a pause; 0: none */
	struct str pause;   /* kind of the pause */
	struct go_event head;
};

struct go_lanes {
	VEC(struct go_lane) lanes;
	VEC(struct go_chunk) chunks;
	struct idmap by_id;
	VEC(uint32_t) heap; /* lanes with events, earliest first */
	VEC(uint32_t) aside;
	uint64_t fuel;
};

/* The struct go_lanes is the first member of the reader's own state. */
struct go_lanes_ops {
	/* Read the lane's next event into lane->head. False: there is none. */
	bool (*next)(struct go_reader *r, struct go_lanes *l, struct go_lane *lane);
	/* Whether all events that must precede lane->head were taken. */
	bool (*is_ready)(struct go_reader *r, struct go_lanes *l, struct go_lane *lane);
	void (*take)(struct go_reader *r, struct go_lanes *l, struct go_lane *lane);
};

/* Row of the lane @id, made on first use. INDEX_NONE: past the limit. */
uint32_t go_lane(struct go_lanes *l, uint64_t id);
void go_lane_add_chunk(struct go_lanes *l, uint32_t lane, struct go_chunk chunk);
/* Make the lane's next chunk the current one. False: there is none. */
bool go_lane_next_chunk(struct go_lanes *l, struct go_lane *lane);
/* Take all events of all lanes. Afterwards no lane has a chunk. */
void go_lanes_take(struct go_reader *r, struct go_lanes *l, const struct go_lanes_ops *ops);
void go_lanes_fini(struct go_lanes *l);

#endif
