/* SPDX-License-Identifier: MIT */
/* strace_command.h - the strace command quoted above its output */
#ifndef FORMATS_SYSCALLS_STRACE_COMMAND_H
#define FORMATS_SYSCALLS_STRACE_COMMAND_H

#include "base/str.h"

#include <stdint.h>

struct capture;
struct region;

/*
 * Keys of the note that lists the calls in -e trace=. The first key is used if the command has -f,
 * the second one if it does not.
 */
#define STRACE_FILTER_NOTE      "traced calls"
#define STRACE_FILTER_NOTE_NO_F "traced calls of one thread"

struct strace_command {
	/* the traced calls, "write,fsync"; empty: no filter, or a filter with classes of calls */
	struct str filter;
	struct str line; /* the line that has the command */
	/* rest of the command line from its first '|' on, such as "| grep write" */
	struct str pipe;
	uint64_t seconds; /* how long it ran: "timeout 5s strace", "strace -c, 10 seconds"; 0:
			     unknown */
	struct str pid;   /* number of the only process after -p; empty: none, or unknown */
	bool is_filtered; /* -e trace=, with any names or classes of calls */
	bool is_wall;     /* -w: times are wall-clock time */
	bool follows;     /* -f: child processes are traced */
};

/* Parse the strace command in the lines just above @in. False: there is none. */
bool strace_command_above(const struct region *in, struct strace_command *ret);
/* Add the process of the command above @in as a note to @c, and how long it ran as a fact. */
void strace_command_context(const struct region *in, struct capture *c);
/* If the command above @in names all calls that it traces, or traces all, add a note to @c. */
void strace_command_note(const struct region *in, struct capture *c);

#endif
