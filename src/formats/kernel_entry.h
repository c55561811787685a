/* SPDX-License-Identifier: MIT */
/* kernel_entry.h - where execution enters the kernel, by the name of the function */
#ifndef FORMATS_KERNEL_ENTRY_H
#define FORMATS_KERNEL_ENTRY_H

#include "base/str.h"

/*
 * Does execution enter the kernel or begin in it at @function? The frames that it calls are
 * kernel frames; where a text has no annotations nothing else marks these.
 */
bool kernel_entry_is(struct str function);

#endif
