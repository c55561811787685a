/* SPDX-License-Identifier: MIT */
/*
 * record_runtime.h - names of functions of interpreters and virtual machines
 *
 * Their functions are not symbols of a file. Some runtimes write /tmp/perf-PID.map if their
 * environment requests it; it is set for the recorded command only.
 */
#ifndef CMDS_RECORD_RUNTIME_H
#define CMDS_RECORD_RUNTIME_H

#include <sys/types.h>

struct record_runtime;

/* The runtime of the command @argv, by the name of its program or of its script's interpreter. */
const struct record_runtime *record_runtime_of(char *const *argv);
/*
 * "NAME=VALUE" to set for a command of @rt: options are added to the current ones, a switch that
 * the user set stays. NULL: no setting is needed. Owner: caller, free().
 */
char *record_runtime_setting(const struct record_runtime *rt);
/* The language, as in "Python". */
const char *record_runtime_language(const struct record_runtime *rt);
/* Why functions of @rt have no names in a recording of process @pid; NULL: they should have. */
const char *record_runtime_hint(const struct record_runtime *rt, char *const *argv, pid_t pid);

#endif
