/* SPDX-License-Identifier: MIT */
/* rights_filter.h - the seccomp program, for rights.h and its test */
#ifndef BASE_RIGHTS_FILTER_H
#define BASE_RIGHTS_FILTER_H

#include <stdbool.h>
#include <stddef.h>

struct sock_filter;

#define RIGHTS_FILTER_MAX 640

/*
 * Write to @ret, of RIGHTS_FILTER_MAX instructions, the program that allows the calls that @kept
 * (enum rights_kept) needs. @asks_clone: each clone() is a question to another process
 * (SECCOMP_RET_USER_NOTIF) instead of being allowed. Returns the length, 0 on a machine without a
 * list of calls.
 */
size_t rights_filter(unsigned int kept, bool asks_clone, struct sock_filter *ret);

#endif
