/* SPDX-License-Identifier: MIT */
#include "core/cgroup_names.h"

#include "base/str.h"

#include <stdbool.h>

#define CGROUP_ID_DIGITS  64u /* length of a container id, which is a SHA-256 */
#define CGROUP_ID_SHOWN   12u
#define CGROUP_UID_DIGITS 36u /* length of the uid of a pod, with dashes */

static bool cgroup_is_hex(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (!(s.p[i] >= '0' && s.p[i] <= '9') && !(s.p[i] >= 'a' && s.p[i] <= 'f'))
			return false;
	}
	return true;
}

/* Remove the last component from @path and return it. */
static struct str cgroup_last(struct str *path)
{
	size_t slash = str_rfind_char(*path, '/');
	struct str last = slash < path->len ? str_skip(*path, slash + 1) : *path;

	*path = slash < path->len ? str_sub(*path, 0, slash) : STR_NONE;
	return last;
}

struct str cgroup_names_unit(struct str path)
{
	while (path.len) {
		struct str last = cgroup_last(&path);

		if (str_ends(last, STR(".service")) || str_ends(last, STR(".scope")))
			return last;
	}
	return STR_NONE;
}

struct str cgroup_names_container_id(struct str path)
{
	while (path.len) {
		struct str last = cgroup_last(&path);

		/*
		 * last components of container paths: "docker-ID.scope", "cri-containerd-ID.scope",
		 * "crio-ID", "ID"
		 */
		if (str_ends(last, STR(".scope")))
			last = str_sub(last, 0, last.len - 6);
		if (last.len > CGROUP_ID_DIGITS && last.p[last.len - CGROUP_ID_DIGITS - 1] == '-')
			last = str_skip(last, last.len - CGROUP_ID_DIGITS);
		if (last.len == CGROUP_ID_DIGITS && cgroup_is_hex(last))
			return last;
	}
	return STR_NONE;
}

struct str cgroup_names_container(struct str path)
{
	return str_sub(cgroup_names_container_id(path), 0, CGROUP_ID_SHOWN);
}

struct str cgroup_names_pod(struct str path)
{
	while (path.len) {
		struct str last = cgroup_last(&path);

		/* last components of pod paths: "kubepods-burstable-podUID.slice", "podUID" */
		if (str_ends(last, STR(".slice")))
			last = str_sub(last, 0, last.len - 6);
		if (last.len < CGROUP_UID_DIGITS + 3)
			continue;
		last = str_skip(last, last.len - CGROUP_UID_DIGITS - 3);
		if (str_starts(last, STR("pod")) && cgroup_is_hex(str_sub(last, 3, 11)))
			return str_skip(last, 3);
	}
	return STR_NONE;
}
