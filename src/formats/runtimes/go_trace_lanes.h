/* SPDX-License-Identifier: MIT */
/*
 * go_trace_lanes.h - put the events of a Go execution trace in order
 *
 * A lane has the events of one thread (M) or processor (P) of Go's scheduler, in order. Events of
 * different lanes are ordered by their times, but the clocks of CPUs differ a little. The sequence
 * numbers of a goroutine show which of its events must precede another one. An event is ready when
 * all events that must precede it were taken. If no lane has a ready event, the trace is damaged,
 * and the earliest event is taken.
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
	uint64_t args[GO_ARGS]; /* arguments of the event, without the time */
	/* index of the event's goroutine, set by go_lanes_ops.is_ready() */
	uint32_t row;
	uint8_t type;
};

/* A range of bytes in the file with consecutive events of one lane. */
struct go_chunk {
	const unsigned char *from;
	const unsigned char *to;
	/*
	 * time at which the chunk starts. An event stores the difference between its time and that
	 * of the previous event; the first event stores the difference to this start time
	 */
	uint64_t time;
	uint32_t next; /* index of the next chunk of the same lane; INDEX_NONE: none */
};

struct go_lane {
	uint64_t id;
	/* first and last of the chunks that were not read yet; INDEX_NONE: there are none */
	uint32_t first, last;
	struct go_cursor at;
	uint64_t time;      /* time of the last event that was read */
	uint32_t goroutine; /* index of the running goroutine; INDEX_NONE: none */
	uint64_t pause_ns;  /* time at which a pause began; 0: no pause */
	struct str pause;   /* kind of the pause */
	struct go_event head;
};

struct go_lanes {
	VEC(struct go_lane) lanes;
	VEC(struct go_chunk) chunks;
	struct idmap by_id;
	/*
	 * lanes that have events, as a binary heap; its first element is the lane with the earliest
	 * event
	 */
	VEC(uint32_t) heap;
	/*
	 * lanes that are temporarily removed from the heap, because their first event is not ready
	 */
	VEC(uint32_t) aside;
	uint64_t fuel; /* number of attempts to find a ready event that are left */
};

/*
 * Functions of a reader. The first member of the reader's own state must be a struct go_lanes, so
 * that the functions can cast @l to this state.
 */
struct go_lanes_ops {
	/* Read the next event of @lane into lane->head. False: @lane has no further event. */
	bool (*next)(struct go_reader *r, struct go_lanes *l, struct go_lane *lane);
	/* Whether all events that must precede lane->head were taken. */
	bool (*is_ready)(struct go_reader *r, struct go_lanes *l, struct go_lane *lane);
	void (*take)(struct go_reader *r, struct go_lanes *l, struct go_lane *lane);
};

/*
 * Index of the lane with the id @id. If there is none, a lane is added. INDEX_NONE: too many lanes.
 */
uint32_t go_lane(struct go_lanes *l, uint64_t id);
void go_lane_add_chunk(struct go_lanes *l, uint32_t lane, struct go_chunk chunk);
/* Go to the next chunk of @lane. False: @lane has no further chunk. */
bool go_lane_next_chunk(struct go_lanes *l, struct go_lane *lane);
/* Take all events of all lanes. No lane has a chunk afterwards. */
void go_lanes_take(struct go_reader *r, struct go_lanes *l, const struct go_lanes_ops *ops);
void go_lanes_fini(struct go_lanes *l);

#endif
