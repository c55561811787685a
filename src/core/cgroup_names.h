/* SPDX-License-Identifier: MIT */
/*
 * cgroup_names.h - what a control group belongs to, by its path
 *
 * Paths are those of systemd (systemd.unit(5): components end in .service or .scope), and those
 * that docker, podman, containerd, CRI-O and the kubelet make by themselves or through systemd.
 */
#ifndef CORE_CGROUP_NAMES_H
#define CORE_CGROUP_NAMES_H

#include "base/str.h"

/* Each is a part of @path, borrowed; STR_NONE: none. */
/* The innermost unit: "nginx.service" of "/system.slice/nginx.service/worker". */
struct str cgroup_names_unit(struct str path);
/* The first 12 digits of a container's id, as `docker ps` prints them. */
struct str cgroup_names_container(struct str path);
/* All 64 digits of a container's id. */
struct str cgroup_names_container_id(struct str path);
/* The uid of a Kubernetes pod, with the '_' that systemd needs instead of '-'. */
struct str cgroup_names_pod(struct str path);

#endif
