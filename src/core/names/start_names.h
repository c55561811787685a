/* SPDX-License-Identifier: MIT */
/*
 * start_names.h - names of functions that are the start of a stack, or that enter the kernel
 *
 * The table is compiled from the lines start/KIND of start_names.tsv. roles.tsv and call_order.tsv
 * refer to the same lines, so that only one table lists functions that start programs or threads.
 */
#ifndef CORE_START_NAMES_H
#define CORE_START_NAMES_H

#include "base/str.h"

#include <stdbool.h>

/* The order is that of the lines in start_names.tsv. */
enum start_role {
	START_ROLE_NONE,
	START_ROLE_PROGRAM,
	START_ROLE_LOADER,
	START_ROLE_LIBC,
	START_ROLE_LIBC_MAIN,
	START_ROLE_MAIN,
	START_ROLE_CLONE,
	START_ROLE_THREAD,
	START_ROLE_RUNTIME,
	START_ROLE_FORK,
	START_ROLE_KTHREAD,
	START_ROLE_BOOT,
	START_ROLE_CPU,
	START_ROLE_LOOP,
	START_ROLE_SYSCALL_ENTRY,
	START_ROLE_SYSCALL,
	START_ROLE_SYSCALL_EXIT,
	START_ROLE_SYSCALL_BODY,
	START_ROLE_INTERRUPT,
};

/* Sets of roles for start_names_have(). */
#define START_BIT(role) (1u << (role))
/* Roles of start-up code, which calls the program's main or the function of a thread. */
#define START_BEFORE_MAIN                                                \
	(START_BIT(START_ROLE_PROGRAM) | START_BIT(START_ROLE_LIBC) |    \
	 START_BIT(START_ROLE_LIBC_MAIN) | START_BIT(START_ROLE_CLONE) | \
	 START_BIT(START_ROLE_THREAD))
/* Roles of functions where system calls, interrupts and new tasks enter the kernel. */
#define START_ENTRY                                                         \
	(START_BIT(START_ROLE_FORK) | START_BIT(START_ROLE_SYSCALL_ENTRY) | \
	 START_BIT(START_ROLE_SYSCALL) | START_BIT(START_ROLE_INTERRUPT))

/* Whether @name matches a pattern of one of the @roles. Cost: a table walk, some microseconds. */
bool start_names_have(struct str name, unsigned int roles);
/*
 * Whether execution enters the kernel, or begins in it, at function @name. If so, all its callees
 * are kernel functions. This is for text formats that do not mark kernel frames.
 */
bool start_names_enter_kernel(struct str name);

#endif
