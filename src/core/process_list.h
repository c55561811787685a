/* SPDX-License-Identifier: MIT */
/*
 * process_list.h - processes of a profile: the cost of each, and when it was seen
 *
 * A process that changes its name, as by exec, has one row for each name. Memory: 60 bytes per row.
 */
#ifndef CORE_PROCESS_LIST_H
#define CORE_PROCESS_LIST_H

#include "base/idmap.h"
#include "base/status.h"
#include "base/vec.h"
#include "core/ids.h"

struct process_row {
	uint32_t pid;
	str_id comm;
	uint64_t weight;         /* sum of the weights of its samples */
	uint64_t from_ns, to_ns; /* times of its first and last sample */
};

struct process_list {
	VEC(struct process_row) rows; /* in the order of their first samples */
	struct idmap map;             /* from pid and name to the row */
};

void process_list_fini(struct process_list *l);
/* Return the index of the row of @pid and @comm; it is added on first use. */
uint32_t process_list_row(struct process_list *l, uint32_t pid, str_id comm);

/* Add a sample to the row @row. */
static inline void process_list_add(struct process_list *l, uint32_t row, uint64_t weight,
				    uint64_t time_ns)
{
	struct process_row *r = &l->rows.data[row];

	r->weight += weight;
	r->from_ns = time_ns < r->from_ns ? time_ns : r->from_ns;
	r->to_ns = time_ns > r->to_ns ? time_ns : r->to_ns;
}

#endif
