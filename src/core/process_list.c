/* SPDX-License-Identifier: MIT */
#include "core/process_list.h"

void process_list_fini(struct process_list *l)
{
	VEC_FREE(&l->rows);
	idmap_fini(&l->map);
}

uint32_t process_list_row(struct process_list *l, uint32_t pid, str_id comm)
{
	struct idmap_probe at = idmap_first(&l->map, hash_u64(pid, comm.v));

	while (idmap_next(&l->map, &at)) {
		const struct process_row *row = &l->rows.data[at.id];

		if (row->pid == pid && row->comm.v == comm.v)
			return at.id;
	}
	idmap_insert(&l->map, &at, (uint32_t)l->rows.len);
	*VEC_PUSH(&l->rows) =
		(struct process_row){ .pid = pid, .comm = comm, .from_ns = UINT64_MAX };
	return (uint32_t)l->rows.len - 1;
}
