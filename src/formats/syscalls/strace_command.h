/* SPDX-License-Identifier: MIT */
/* strace_command.h - the strace command in the text before its output */
#ifndef FORMATS_SYSCALLS_STRACE_COMMAND_H
#define FORMATS_SYSCALLS_STRACE_COMMAND_H

#include "base/str.h"

#include <stdint.h>

struct capture;
struct region;

/*
 * Keys of the note that lists the calls of -e trace=: the first key for commands with -f, the
 * second key for commands without -f.
 */
#define STRACE_FILTER_NOTE      "traced calls"
#define STRACE_FILTER_NOTE_NO_F "traced calls of one thread"

struct strace_command {
	/* the traced calls, "write,fsync"; empty: no filter, or a filter with classes of calls */
	struct str filter;
	struct str line; /* the line with the command */
	/* rest of the line from the first '|' on, such as "| grep write" */
	struct str pipe;
	/* run time in seconds: "timeout 5s strace", "strace -c, 10 seconds"; 0: unknown */
	uint64_t seconds;
	/* number of the process after -p; empty: none, unknown, or several processes */
	struct str pid;
	bool is_filtered; /* the command has -e trace= with names or classes of calls */
	bool is_wall;     /* -w: times are wall-clock time */
	bool follows;     /* -f: child processes are traced */
};

/* Parse the strace command in the lines just before @in. False: no command. */
bool strace_command_above(const struct region *in, struct strace_command *ret);
/* Add two facts about the command before @in to @c: its process as a note, and its run time. */
void strace_command_context(const struct region *in, struct capture *c);
/*
 * Add a note to @c if the command before @in traces all calls, or names all calls that it traces.
 */
void strace_command_note(const struct region *in, struct capture *c);

#endif
