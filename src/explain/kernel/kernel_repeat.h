/* SPDX-License-Identifier: MIT */
/*
 * kernel_repeat.h - several reports about a CPU that does not schedule, of one task: do its stacks
 * show a loop
 *
 * Names are borrowed from the records.
 */
#ifndef EXPLAIN_KERNEL_REPEAT_H
#define EXPLAIN_KERNEL_REPEAT_H

#include "base/str.h"

struct findings;
struct rule_input;

/*
 * The function of the work item that the worker of the report at @record runs, by its line
 * "Workqueue: rpciod rpc_async_schedule [sunrpc]". Empty: none.
 */
struct str kernel_repeat_work(const struct rule_input *in, uint32_t record);
/*
 * A sentence about the place of a loop, if at least two reports of stalls and lockups are about the
 * task of the report at @record, and their stacks are in one function or one work item. NULL:
 * otherwise.
 */
const char *kernel_repeat_says(const struct rule_input *in, struct findings *out, uint32_t record);

#endif
