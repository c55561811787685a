/* SPDX-License-Identifier: MIT */
/*
 * top.h - what the parts of `assay top` share
 *
 * Two processes. The first records (record/window/live.h), owns the terminal and its keys,
 * and opens files for the second one (top_serve.c). The second one is confined as
 * every process of ours that reads (docs/trust.md): it gets the window as a perf.data
 * file in memory, reads it as any other, and draws (top_view.c, top_page.c).
 *
 * They talk in messages of one size over a socket; an update carries a descriptor.
 * The second one asks for nothing but what a user could do with keys.
 */
#ifndef CMDS_TOP_H
#define CMDS_TOP_H

#include "cmds/run/session.h"
#include "record/window/live.h"

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
	const struct record_result *result; /* of the recorder as it began: its notes */
	bool is_forced;                     /* w replaces what is no recording, too */
	const char *output; /* what is written on demand; NULL: a name with the time */
	uint64_t delay_ns;
	uint64_t window_ns;
	uint64_t max_bytes;
	uint64_t frames; /* of --batch; 0: until it ends */
	uint64_t rows;   /* of a printed frame; 0: all */
	bool is_batch;
	bool is_sorted_by_children;
	unsigned int group; /* enum top_group */
};

/* How the recording stands. */
struct top_status {
	struct window_sum window;
	uint64_t lost; /* from the start on */
	uint64_t at_ns;
	uint64_t cpu_ns; /* processor time of the first process so far */
	uint64_t frequency;
	uint32_t cpus;
	bool is_paused;
	bool has_ended; /* what is recorded has */
};

enum top_word {
	/* to the one that draws */
	TOP_UPDATE, /* status, and the window in a descriptor */
	TOP_KEYS,   /* text: as typed */
	TOP_SIZE,   /* width, height: draw anew */
	TOP_SAID,   /* text: of what it asked for */
	/* from it */
	TOP_READY, /* an update was drawn */
	TOP_AGAIN, /* the window once more, now */
	TOP_WRITE, /* the window into a file */
	TOP_PAUSE, /* or go on */
	TOP_QUIT,
};

struct top_message {
	uint32_t word; /* enum top_word */
	uint32_t width, height;
	uint32_t len; /* of the text */
	char text[512];
	struct top_status status;
};

/* top_serve.c: the first process, and the fork. The exit status. */
int top_run(struct session *s, const struct top_options *options);

/* top_view.c: the second process, until @talk is closed. The exit status. */
int top_view(struct session *s, const struct top_options *o, int talk);

#endif
