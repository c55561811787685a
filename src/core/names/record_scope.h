/* SPDX-License-Identifier: MIT */
/* record_scope.h - whether a command line records all CPUs: "perf record -a -g sleep 5" */
#ifndef CORE_RECORD_SCOPE_H
#define CORE_RECORD_SCOPE_H

#include "base/str.h"

/*
 * Whether @text, a command or a sentence that quotes a command, has a `perf record` of all CPUs
 * (option -a or --all-cpus). Options of the recorded program do not count. Cost: O(length of
 * @text).
 */
bool record_scope_is_all(struct str text);

#endif
