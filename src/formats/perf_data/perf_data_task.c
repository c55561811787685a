/* SPDX-License-Identifier: MIT */
/*
 * Set sample fields that come from other records: the control group of the sample, and the
 * namespaces of its thread.
 */
#include "formats/perf_data/perf_data_reader.h"

#include "base/idmap.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/cgroup_names.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/strings.h"
#include "formats/perf_data/perf_data_file.h"
#include "formats/perf_data/perf_data_raw.h"
#include "formats/perf_data/perf_data_sample.h"

#include <inttypes.h>
#include <stdio.h>

#define TASK_NAMESPACES_MAX (1u << 20) /* maximum number of threads whose namespaces are stored */
#define TASK_CGROUP_NS      6u
/* maximum number of stored control groups; it is small, because they are searched linearly */
#define TASK_CGROUPS_MAX 4096u

/*
 * Kinds of namespaces, in the order of PERF_RECORD_NAMESPACES. Each row has the name, and the inode
 * of the initial namespace, which is fixed (linux/nsfs.h).
 */
static const struct {
	const char *name;
	uint64_t initial;
} task_namespaces[] = {
	{ "net", 0xeffffff9 },    { "uts", 0xeffffffe },  { "ipc", 0xefffffff },
	{ "pid", 0xeffffffc },    { "user", 0xeffffffd }, { "mnt", 0xeffffff8 },
	{ "cgroup", 0xeffffffb },
};

/* Fields of a sample that are derived from the path of its control group. */
static const struct {
	struct str name;
	/* function that takes the field from the path; NULL: the field is the whole path */
	struct str (*part)(struct str path);
} task_cgroup_fields[] = { { { "cgroup", 6 }, NULL },
			   { { "unit", 4 }, cgroup_names_unit },
			   { { "container", 9 }, cgroup_names_container },
			   { { "pod", 3 }, cgroup_names_pod } };

bool perf_is_task_field(struct str field)
{
	bool is = str_eq(field, STR("cgroup_id")) || str_eq(field, STR("namespaces"));

	for (size_t i = 0; i < ARRAY_LEN(task_cgroup_fields); i++)
		is |= str_eq(field, task_cgroup_fields[i].name);
	return is;
}

/* Process a PERF_RECORD_CGROUP: u64 id; char path[] */
void perf_take_cgroup(struct perf_reader *r, const uint8_t *record)
{
	struct perf_bytes b = perf_record_body(r, record);
	uint64_t id = perf_u64(&b);
	str_id path = strings_add(&r->file.dossier->strings, perf_text(&b, SIZE_MAX));

	if (b.is_over || !r->n_task_fields)
		return;
	VEC_FOREACH (known, &r->cgroups) {
		if (known->id == id) {
			known->path = path;
			return;
		}
	}
	if (r->cgroups.len < TASK_CGROUPS_MAX)
		*VEC_PUSH(&r->cgroups) = (struct perf_cgroup){ id, path };
}

/*
 * The entry in r->namespaces for thread @tid of process @pid; NULL: there is none. @is_added: the
 * caller will overwrite the entry. An entry of @tid with another pid is then returned, too. If @tid
 * has no entry, one is added; NULL: the limit of entries is reached.
 */
static struct perf_namespaces *task_namespaces_of(struct perf_reader *r, uint32_t pid, uint32_t tid,
						  bool is_added)
{
	struct idmap_probe probe =
		idmap_first(&r->namespaces_map, hash_u64(tid, UINT64_C(0x9e3779b97f4a7c15)));

	while (idmap_next(&r->namespaces_map, &probe)) {
		struct perf_namespaces *known = &r->namespaces.data[probe.id];

		if (known->tid == tid)
			return known->pid == pid || is_added ? known : NULL;
	}
	if (!is_added || r->namespaces.len >= TASK_NAMESPACES_MAX)
		return NULL;
	idmap_insert(&r->namespaces_map, &probe, (uint32_t)r->namespaces.len);
	return VEC_PUSH(&r->namespaces);
}

/* Process a PERF_RECORD_NAMESPACES: u32 pid, tid; u64 nr; { u64 device, inode }[nr] */
void perf_take_namespaces(struct perf_reader *r, const uint8_t *record)
{
	struct perf_bytes b = perf_record_body(r, record);
	uint32_t pid = perf_u32(&b);
	uint32_t tid = perf_u32(&b);
	uint64_t n = perf_u64(&b);
	struct strings *strings = &r->file.dossier->strings;
	struct perf_namespaces *of;
	struct perf_namespaces is = { pid, tid, strings_add(strings, STR_NONE), { 0 } };
	struct out all;

	if (b.is_over || n > (b.len - b.at) / 16) {
		diag_count(&r->file.diag, &perf_data_bad_record, 0);
		return;
	}
	if (!r->n_task_fields)
		return;
	out_init(&all);
	for (size_t i = 0; i < n && i < ARRAY_LEN(task_namespaces); i++) {
		uint64_t device = perf_u64(&b);
		uint64_t inode = perf_u64(&b);
		char text[48];

		if (inode != task_namespaces[i].initial)
			out_printf(&all, "%s%s:%" PRIu64, all.len ? " " : "",
				   task_namespaces[i].name, inode);
		if (i != TASK_CGROUP_NS)
			continue;
		(void)snprintf(text, sizeof(text), "%" PRIu64 "/0x%" PRIx64, device, inode);
		/* "device/inode", as perf prints it */
		is.cgroup_id = strings_add(strings, str_of(text));
	}
	is.all = strings_add(strings, all.len ? out_view(&all) : STR("initial"));
	out_fini(&all);
	of = task_namespaces_of(r, pid, tid, true);
	if (of)
		*of = is;
}

static void task_set(struct perf_reader *r, struct profile *p, struct str field, str_id value)
{
	profile_set_field(p, p->samples.n - 1, strings_add(&r->file.dossier->strings, field),
			  value);
}

void perf_add_task_fields(struct perf_reader *r, struct profile *p, const struct perf_sample *s)
{
	struct strings *strings = &r->file.dossier->strings;
	const struct perf_namespaces *of = task_namespaces_of(r, s->pid, s->tid, false);
	bool is_named = false;

	VEC_FOREACH (known, &r->cgroups) {
		struct str path = strings_get(strings, known->path);

		if (known->id != s->cgroup)
			continue;
		is_named = true;
		for (size_t i = 0; i < ARRAY_LEN(task_cgroup_fields); i++)
			task_set(r, p, task_cgroup_fields[i].name,
				 task_cgroup_fields[i].part
					 ? strings_add(strings, task_cgroup_fields[i].part(path))
					 : known->path);
	}
	/* perf's word for a control group that no record names */
	if (s->cgroup && !is_named)
		task_set(r, p, STR("cgroup"), strings_add(strings, STR("unknown")));
	if (!of)
		return;
	task_set(r, p, STR("cgroup_id"), of->cgroup_id);
	task_set(r, p, STR("namespaces"), of->all);
}

void perf_task_fields_fini(struct perf_reader *r)
{
	VEC_FREE(&r->cgroups);
	VEC_FREE(&r->namespaces);
	idmap_fini(&r->namespaces_map);
}
