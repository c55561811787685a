/* SPDX-License-Identifier: MIT */
/* rights_filter.h - the seccomp program, for rights.h and its test */
#ifndef BASE_RIGHTS_FILTER_H
#define BASE_RIGHTS_FILTER_H

#include <stdbool.h>
#include <stddef.h>

struct sock_filter;

#define RIGHTS_FILTER_MAX 640

/*
 * Write a seccomp program to @ret, which has room for RIGHTS_FILTER_MAX instructions. The program
 * allows the system calls that @kept (enum rights_kept) needs. @asks_clone: for each clone(), the
 * kernel asks another process (SECCOMP_RET_USER_NOTIF). Returns the number of instructions; 0: this
 * machine has no list of calls.
 */
size_t rights_filter(unsigned int kept, bool asks_clone, struct sock_filter *ret);

#endif
