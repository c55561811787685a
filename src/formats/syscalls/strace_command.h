/* SPDX-License-Identifier: MIT */
/* strace_command.h - the strace command quoted above its output */
#ifndef FORMATS_SYSCALLS_STRACE_COMMAND_H
#define FORMATS_SYSCALLS_STRACE_COMMAND_H

#include "base/str.h"

struct capture;
struct region;

/* Keys of the note with the calls that -e trace= names: for a command with -f, and without it. */
#define STRACE_FILTER_NOTE      "traced calls"
#define STRACE_FILTER_NOTE_NO_F "traced calls of one thread"

struct strace_command {
	/* the traced calls, "write,fsync"; empty: no filter, or a filter with classes of calls */
	struct str filter;
	struct str pipe; /* text of the command after its first '|', with the '|' */
	bool is_wall;    /* -w: times are wall-clock time */
	bool follows;    /* -f: child processes are traced */
};

/* Parse the strace command in the last lines before @in. False: there is none. */
bool strace_command_above(const struct region *in, struct strace_command *ret);
/* Add a note to @c with the calls that the command before @in traces, if it names each of them. */
void strace_command_note(const struct region *in, struct capture *c);

#endif
