/* SPDX-License-Identifier: MIT */
/*
 * top.h - shared by the parts of `assay top`
 *
 * There are two processes. The first one records (record/window/live.h), owns the terminal, reads
 * the keys, and opens files for the second one (top_serve.c). The second process is confined like
 * every process that reads inputs (docs/trust.md). It receives the window (the samples of the last
 * seconds) as a perf.data file in memory, reads this file like any other, and draws (top_view.c,
 * top_page.c).
 *
 * The first process is the host of cmds/screen/screen_host.h, the second one is its drawing
 * process. With each update, the first process sends the file descriptor of the perf.data file.
 */
#ifndef CMDS_TOP_H
#define CMDS_TOP_H

#include "cmds/screen/screen_host.h"
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
	const char *target; /* phrase for the recorded target: "all processes" */
	/* notes and event names of the recorder, which are known after it has started */
	const struct record_result *result;
	bool is_forced; /* the key `w` may replace files that are not recordings */
	/* file that the key `w` writes; NULL: a file that is named after the current time */
	const char *output;
	uint64_t delay_ns;
	uint64_t window_ns;
	uint64_t max_bytes;
	uint64_t frames; /* number of frames that --batch prints; 0: unlimited */
	uint64_t rows;   /* maximum number of rows of a frame in --batch mode; 0: all */
	bool is_batch;
	bool is_sorted_by_children;
	/* enum top_group: each row of the table is a function, thread, command and so on */
	unsigned int group;
};

/* State of the recording, which the first process sends with each update. */
struct top_status {
	struct window_sum window;
	uint64_t lost; /* number of samples lost since the start of the recording */
	uint64_t at_ns;
	uint64_t cpu_ns; /* CPU time that the first process has used since its start */
	uint64_t frequency;
	uint32_t cpus;
	bool is_paused;
	bool has_ended; /* the recorded target (command or processes) has ended */
};

/* Messages of `assay top`, in addition to those of enum screen_word (cmds/screen/screen_host.h). */
enum top_word {
	/*
	 * to the second process: `text` contains a struct top_status; the message also passes the
	 * file descriptor of the window
	 */
	TOP_UPDATE = SCREEN_WORDS,
	/* messages from the second process to the first */
	TOP_AGAIN, /* request: send the window, the samples of the last seconds, again now */
	TOP_WRITE, /* request: write the window, the samples of the last seconds, to the file */
	TOP_PAUSE, /* request: pause the recording, or continue it */
};

/* Run the first process, which forks the second (top_serve.c). Returns the exit status. */
int top_run(struct session *s, const struct top_options *options);

/* Run the second process until @talk is closed (top_view.c). Returns the exit status. */
int top_view(struct session *s, const struct top_options *o, int talk);

#endif
