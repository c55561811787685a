/* SPDX-License-Identifier: MIT */
/*
 * top.h - shared by the parts of `assay top`
 *
 * Two processes. The first records (record/window/live.h), owns the terminal and its keys, and
 * opens files for the second (top_serve.c). The second is confined as every reading process
 * (docs/trust.md). It receives the window as a perf.data file in memory, reads it like any
 * other, and draws (top_view.c, top_page.c).
 *
 * They exchange messages of fixed size over a socket; an update carries a descriptor. The
 * second process can request only actions that a user has keys for.
 */
#ifndef CMDS_TOP_H
#define CMDS_TOP_H

#include "record/perf/record.h"
#include "record/window/window.h"

struct session;

enum top_group {
	TOP_GROUP_SYMBOL,
	TOP_GROUP_THREAD,
	TOP_GROUP_COMM,
	TOP_GROUP_DSO,
	TOP_GROUP_CATEGORY,
	TOP_GROUPS,
};

struct top_options {
	struct record_spec spec;
	const char *target;                 /* "all processes", for people */
	const struct record_result *result; /* of the recorder at its start: its notes */
	bool is_forced;                     /* key w may replace files that are not recordings */
	const char *output;                 /* file written on demand; NULL: a name with the time */
	uint64_t delay_ns;
	uint64_t window_ns;
	uint64_t max_bytes;
	uint64_t frames; /* of --batch; 0: unlimited */
	uint64_t rows;   /* rows of a printed frame; 0: all */
	bool is_batch;
	bool is_sorted_by_children;
	unsigned int group; /* enum top_group */
};

/* State of the recording. */
struct top_status {
	struct window_sum window;
	uint64_t lost; /* since the start */
	uint64_t at_ns;
	uint64_t cpu_ns; /* CPU time of the first process so far */
	uint64_t frequency;
	uint32_t cpus;
	bool is_paused;
	bool has_ended; /* the recorded target ended */
};

enum top_word {
	/* to the drawing process */
	TOP_UPDATE, /* status, and the window in a descriptor */
	TOP_KEYS,   /* text: as typed */
	TOP_SIZE,   /* width, height: redraw */
	TOP_SAID,   /* text: answer to its request */
	/* from the drawing process */
	TOP_READY, /* an update is drawn */
	TOP_AGAIN, /* send the window again now */
	TOP_WRITE, /* write the window to a file */
	TOP_PAUSE, /* pause or continue */
	TOP_QUIT,
};

struct top_message {
	uint32_t word; /* enum top_word */
	uint32_t width, height;
	uint32_t len; /* of the text */
	char text[512];
	struct top_status status;
};

/* top_serve.c: run the first process, and fork the second. Returns the exit status. */
int top_run(struct session *s, const struct top_options *options);

/* top_view.c: run the second process until @talk is closed. Returns the exit status. */
int top_view(struct session *s, const struct top_options *o, int talk);

#endif
