/* SPDX-License-Identifier: MIT */
/* strace_command.h - the strace command that people quote above its output */
#ifndef FORMATS_SYSCALLS_STRACE_COMMAND_H
#define FORMATS_SYSCALLS_STRACE_COMMAND_H

#include "base/str.h"

struct capture;
struct region;

/* Key of the note with the names of -e trace=, and of the same where -f is missing. */
#define STRACE_FILTER_NOTE      "traced calls"
#define STRACE_FILTER_NOTE_NO_F "traced calls of one thread"

struct strace_command {
	struct str filter; /* "write,fsync"; empty: none, or one by class */
	struct str pipe;   /* the text from the first '|' on */
	bool is_wall;      /* -w */
	bool follows;      /* -f */
};

/* The command in the last lines above @in. False: there is none. */
bool strace_command_above(const struct region *in, struct strace_command *ret);
/* Note on @c which calls the command above @in selects, if it names each of them. */
void strace_command_note(const struct region *in, struct capture *c);

#endif
