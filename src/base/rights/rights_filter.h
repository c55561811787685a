/* SPDX-License-Identifier: MIT */
/* rights_filter.h - the seccomp program, for rights.h and its test */
#ifndef BASE_RIGHTS_FILTER_H
#define BASE_RIGHTS_FILTER_H

#include <stddef.h>

struct sock_filter;

#define RIGHTS_FILTER_MAX 640

/*
 * Write to @ret, of RIGHTS_FILTER_MAX instructions, the program that allows the calls that @kept
 * (enum rights_kept) needs. Returns its length, 0 on a machine without a list of calls.
 */
size_t rights_filter(unsigned int kept, struct sock_filter *ret);

#endif
