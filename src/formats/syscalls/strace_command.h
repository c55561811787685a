/* SPDX-License-Identifier: MIT */
/* strace_command.h - parse the strace command in the text before its output */
#ifndef FORMATS_SYSCALLS_STRACE_COMMAND_H
#define FORMATS_SYSCALLS_STRACE_COMMAND_H

#include "base/str.h"

#include <stdint.h>

struct capture;
struct region;

/*
 * Keys of the note that lists the calls of -e trace=. STRACE_FILTER_NOTE is for commands with -f,
 * STRACE_FILTER_NOTE_NO_F for commands without -f.
 */
#define STRACE_FILTER_NOTE      "traced calls"
#define STRACE_FILTER_NOTE_NO_F "traced calls of one thread"

struct strace_command {
	/*
	 * the traced calls, "write,fsync"; empty: all calls are traced, or classes of calls are
	 * named
	 */
	struct str filter;
	struct str line; /* the line with the command */
	/* text from the first '|' of the line on, such as "| grep write" */
	struct str pipe;
	/* run time in seconds, as in "timeout 5s strace" or "strace -c, 10 seconds"; 0: unknown */
	uint64_t seconds;
	/* process id after -p; empty: none, unknown, or several processes */
	struct str pid;
	bool is_filtered; /* the command has -e trace= with names or with classes of calls */
	bool is_wall;     /* -w: times are wall-clock time */
	bool follows;     /* -f: child processes are traced */
};

/* Parse the strace command in the lines just before @in. False: no command. */
bool strace_command_above(const struct region *in, struct strace_command *ret);
/* Add two facts about the command before @in to @c: its process id as a note, and its run time. */
void strace_command_context(const struct region *in, struct capture *c);
/*
 * Add a note to @c that the command before @in traces all calls, or a note with the names of all
 * calls that it traces. If neither is certain, add no note.
 */
void strace_command_note(const struct region *in, struct capture *c);

#endif
