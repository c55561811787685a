/* SPDX-License-Identifier: MIT */
/*
 * rights_filter.h - the program by which seccomp decides, for rights.h and its test
 */
#ifndef BASE_RIGHTS_FILTER_H
#define BASE_RIGHTS_FILTER_H

#include <stddef.h>

struct sock_filter;

#define RIGHTS_FILTER_MAX 640

/*
 * Into @ret, of RIGHTS_FILTER_MAX: allows what @kept (enum rights_kept) needs on this
 * machine. Returns its length, 0 where there is no list of calls for this machine.
 */
size_t rights_filter(unsigned int kept, struct sock_filter *ret);

#endif
