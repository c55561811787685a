/* SPDX-License-Identifier: MIT */
/*
 * record_runtime.h - function names of interpreters and virtual machines
 *
 * Functions that a runtime interprets or compiles have no symbols in any file. Some runtimes write
 * the names of such functions to /tmp/perf-PID.map if an environment variable requests it. The
 * variable is set only for the recorded command.
 */
#ifndef CMDS_RECORD_RUNTIME_H
#define CMDS_RECORD_RUNTIME_H

#include <sys/types.h>

struct record_runtime;

/*
 * Recognise the runtime of the command @argv by the name of its program, or by the interpreter of
 * its script. NULL: no known runtime.
 */
const struct record_runtime *record_runtime_of(char *const *argv);
/*
 * Return the environment variable for a command of @rt, as "NAME=VALUE". If the variable holds
 * options, they are appended to the user's value. Any other variable that the user has set stays
 * unchanged. NULL: set nothing. Owner: caller, free().
 */
char *record_runtime_setting(const struct record_runtime *rt);
/* The name of the runtime's language: "Python". */
const char *record_runtime_language(const struct record_runtime *rt);
/*
 * A sentence for the user: why functions of @rt probably have no names in the recording of the
 * process @pid. NULL: they should have names.
 */
const char *record_runtime_hint(const struct record_runtime *rt, char *const *argv, pid_t pid);

#endif
