/* SPDX-License-Identifier: MIT */
/*
 * record_runtime.h - names of functions of interpreters and virtual machines
 *
 * Such functions are not symbols of a file. Some runtimes write /tmp/perf-PID.map if an environment
 * variable requests it. The variable is set only for the recorded command.
 */
#ifndef CMDS_RECORD_RUNTIME_H
#define CMDS_RECORD_RUNTIME_H

#include <sys/types.h>

struct record_runtime;

/*
 * The runtime of the command @argv, from the name of its program, or from the interpreter of its
 * script; NULL: not known.
 */
const struct record_runtime *record_runtime_of(char *const *argv);
/*
 * Return "NAME=VALUE", the environment variable for a command of @rt. Options are appended to the
 * variable's current value. A switch that the user set stays. NULL: set nothing. Owner: caller,
 * free().
 */
char *record_runtime_setting(const struct record_runtime *rt);
/* The name of the language: "Python". */
const char *record_runtime_language(const struct record_runtime *rt);
/*
 * Explain why functions of @rt have no names in the recording of process @pid; NULL: they should
 * have names.
 */
const char *record_runtime_hint(const struct record_runtime *rt, char *const *argv, pid_t pid);

#endif
