/* SPDX-License-Identifier: MIT */
/*
 * cgroup_names.h - the unit, container or pod of a control group, from its path
 *
 * It recognises the paths of systemd, whose components end in .service or .scope (systemd.unit(5)).
 * It also recognises those of docker, podman, containerd, CRI-O and the kubelet, with or without
 * systemd.
 */
#ifndef CORE_CGROUP_NAMES_H
#define CORE_CGROUP_NAMES_H

#include "base/str.h"

/* All functions return a part of @path, borrowed; STR_NONE: @path has no such part. */
/* The innermost unit: "nginx.service" for "/system.slice/nginx.service/worker". */
struct str cgroup_names_unit(struct str path);
/* The first 12 digits of a container's id, as `docker ps` prints them. */
struct str cgroup_names_container(struct str path);
/* All 64 digits of a container's id. */
struct str cgroup_names_container_id(struct str path);
/* The uid of a Kubernetes pod. The path has '_' instead of '-' where systemd requires it. */
struct str cgroup_names_pod(struct str path);

#endif
