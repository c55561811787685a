/* SPDX-License-Identifier: MIT */
/*
 * Find the control groups that the user wants to record: by path, systemd unit or container. They
 * are searched in the hierarchy that the kernel uses for perf events.
 */
#include "record/perf/rec.h"

#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/suggest.h"
#include "base/vec.h"
#include "core/cgroup_names.h"
#include "record/perf/record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define GROUPS_MAX   65536u
#define GROUPS_DEPTH 32u
#define GROUPS_PATH  4096u
/* minimum length of a container id prefix; a shorter argument can only be a container's name */
#define GROUPS_ID_MIN 4u
#define GROUPS_SHOWN  3u
/* maximum number of docker containers whose names are read */
#define GROUPS_NAMES_MAX 512u
#define GROUPS_DOCKER    "/var/lib/docker/containers"

/* Paths of control groups, relative to the root of the hierarchy: "/system.slice". */
struct groups_paths {
	VEC(char *) items;
};

static void groups_free(struct groups_paths *paths)
{
	VEC_FOREACH (path, &paths->items)
		free(*path);
	VEC_FREE(&paths->items);
}

static bool groups_is_folder(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/*
 * Append the paths of all control groups below the folder @path, without the prefix @root. @root:
 * mount point of the hierarchy.
 */
static void groups_walk(const char *root, const char *path, unsigned int depth,
			struct groups_paths *ret)
{
	DIR *dir = depth < GROUPS_DEPTH ? opendir(path) : NULL;
	struct dirent *entry;

	while (dir && (entry = readdir(dir)) && ret->items.len < GROUPS_MAX) {
		char below[GROUPS_PATH];
		int n = snprintf(below, sizeof(below), "%s/%s", path, entry->d_name);

		if (entry->d_name[0] == '.' || n < 0 || (size_t)n >= sizeof(below) ||
		    !groups_is_folder(below))
			continue;
		*VEC_PUSH(&ret->items) = xmemdupz(below + strlen(root), (size_t)n - strlen(root));
		groups_walk(root, below, depth + 1, ret);
	}
	if (dir)
		(void)closedir(dir);
}

static struct str groups_last(struct str path)
{
	return str_skip(path, str_rfind_char(path, '/') + 1);
}

/*
 * The full id of the container of control group @path; empty: @path is not the top control group of
 * a container.
 */
static struct str groups_container(struct str path)
{
	struct str last = groups_last(path);
	struct str id = cgroup_names_container_id(last);

	/*
	 * skip the group of the container's monitor (conmon), which CRI-O and podman create for
	 * each container
	 */
	return str_contains(last, STR("-conmon-")) ? STR_NONE : id;
}

static bool groups_is_unit(struct str last, struct str want)
{
	return str_eq(last, want) ||
	       (str_starts(last, want) && str_eq(str_skip(last, want.len), STR(".service")));
}

/*
 * Whether the user's name @g means the control group @path. @id: id of the docker container named
 * g->name; empty: none.
 */
static bool groups_matches(const struct record_group *g, struct str path, struct str id)
{
	struct str want = str_of(g->name);

	switch (g->kind) {
	case RECORD_GROUP_UNIT:
		return groups_is_unit(groups_last(path), want);
	case RECORD_GROUP_CONTAINER:
		if (want.len >= GROUPS_ID_MIN && str_starts(groups_container(path), want))
			return true;
		return id.len ? str_eq(groups_container(path), id)
			      : str_eq(groups_last(path), want);
	default:
		return str_ends(path, want) && path.p[path.len - want.len - 1] == '/';
	}
}

/*
 * The name of the group at @path for messages: its systemd unit, its container id or the last
 * component of its path, depending on @kind. Empty: the group is not of this kind.
 */
static struct str groups_name(enum record_group_kind kind, struct str path)
{
	if (kind == RECORD_GROUP_UNIT)
		return str_eq(cgroup_names_unit(groups_last(path)), groups_last(path))
			       ? groups_last(path)
			       : STR_NONE;
	if (kind == RECORD_GROUP_CONTAINER)
		return str_sub(groups_container(path), 0, 12);
	return groups_last(path);
}

/*
 * Find the id of the docker container @name: one file in @folder contains "Name":"/NAME". Returns
 * false if there is no such container.
 */
static bool groups_docker(const char *folder, const char *name, char ret_id[65])
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	char want[300];
	unsigned int n = 0;
	bool is_found = false;

	(void)snprintf(want, sizeof(want), "\"Name\":\"/%s\"", name);
	while (dir && !is_found && (entry = readdir(dir)) && n < GROUPS_NAMES_MAX) {
		char path[640];
		CLEANUP(freep) char *text = NULL;

		if (strlen(entry->d_name) != 64)
			continue;
		n++;
		(void)snprintf(path, sizeof(path), "%s/%s/config.v2.json", folder, entry->d_name);
		text = rec_slurp(path, NULL);
		is_found = text && strstr(text, want);
		if (is_found)
			memcpy(ret_id, entry->d_name, 65);
	}
	if (dir)
		(void)closedir(dir);
	return is_found;
}

static const char *groups_word(enum record_group_kind kind)
{
	static const char *const words[] = { [RECORD_GROUP_PATH] = "control group",
					     [RECORD_GROUP_UNIT] = "unit",
					     [RECORD_GROUP_CONTAINER] = "container" };

	return words[kind];
}

/*
 * Report that no group has the name of @g. The message suggests the most similar name or, if no
 * name is similar, lists the first names.
 */
static int groups_missing(const char *root, const struct record_group *g,
			  const struct groups_paths *all, struct error *err)
{
	struct suggest like;
	struct out o;
	unsigned int n = 0;
	int status;

	suggest_init(&like, str_of(g->name));
	out_init(&o);
	VEC_FOREACH (path, &all->items) {
		struct str name = groups_name(g->kind, str_of(*path));

		if (name.len == 0)
			continue;
		suggest_try(&like, name);
		if (str_ends(name, STR(".service")))
			suggest_try(&like, str_sub(name, 0, name.len - 8));
		if (n++ < GROUPS_SHOWN)
			out_printf(&o, "%s" STR_FMT, n > 1 ? ", " : "",
				   STR_ARG(str_sub(name, 0, 40)));
	}
	out_char(&o, '\0');
	if (like.best[0])
		status = fail(err, ERR_NOTFOUND, "no %s '%s' below %s; did you mean %s?",
			      groups_word(g->kind), g->name, root, like.best);
	else if (n)
		status = fail(err, ERR_NOTFOUND, "no %s '%s' below %s, which has %u: %s%s",
			      groups_word(g->kind), g->name, root, n, o.data,
			      n > GROUPS_SHOWN ? " ..." : "");
	else
		status = fail(err, ERR_NOTFOUND, "no %s '%s' below %s, which has none",
			      groups_word(g->kind), g->name, root);
	out_fini(&o);
	return status;
}

/*
 * Convert the name of a group to a path relative to @root: "/sys/fs/cgroup/x" and "/x", as in
 * /proc/PID/cgroup, both become "x".
 */
static const char *groups_below(const char *root, const char *name)
{
	size_t len = strlen(root);

	if (strncmp(name, root, len) == 0 && (name[len] == '/' || name[len] == '\0'))
		name += len;
	while (*name == '/')
		name++;
	return name;
}

/*
 * Return the folder of the group whose path is exactly g->name; NULL: there is none. Call this
 * function before groups_pick(), which also accepts a path that only ends with g->name.
 */
static char *groups_exact(const char *root, const struct record_group *g)
{
	char path[GROUPS_PATH];
	const char *below = groups_below(root, g->name);
	int n = snprintf(path, sizeof(path), "%s%s%s", root, *below ? "/" : "", below);

	if (g->kind != RECORD_GROUP_PATH || n < 0 || (size_t)n >= sizeof(path) ||
	    strstr(below, "..") || !groups_is_folder(path))
		return NULL;
	return xmemdupz(path, (size_t)n);
}

static int groups_pick(const char *root, const struct record_group *g,
		       const struct groups_paths *all, struct str id, char **ret, struct error *err)
{
	const char *found = NULL;
	char path[GROUPS_PATH];

	VEC_FOREACH (at, &all->items) {
		if (!groups_matches(g, str_of(*at), id))
			continue;
		if (found)
			return fail(err, ERR_USAGE,
				    "'%.80s' are several control groups, %.80s and %.80s among "
				    "them: give the path of one (--cgroup)",
				    g->name, found, *at);
		found = *at;
	}
	if (!found)
		return groups_missing(root, g, all, err);
	(void)snprintf(path, sizeof(path), "%s%s", root, found);
	*ret = xmemdupz(path, strlen(path));
	return OK;
}

int rec_groups_find(const char *root, const char *docker, const struct record_group *g,
		    char **ret_path, struct error *err)
{
	struct groups_paths all = { VEC_INIT };
	struct record_group inner = *g;
	char id[65] = "";
	int status;

	inner.name = g->kind == RECORD_GROUP_PATH ? groups_below(root, g->name) : g->name;
	if (!g->name[0])
		return fail(err, ERR_USAGE, "a %s needs a name", groups_word(g->kind));
	*ret_path = groups_exact(root, g);
	if (*ret_path)
		return OK;
	if (g->kind == RECORD_GROUP_CONTAINER)
		(void)groups_docker(docker, g->name, id);
	groups_walk(root, root, 0, &all);
	status = groups_pick(root, &inner, &all, str_of(id), ret_path, err);
	groups_free(&all);
	return status;
}

bool rec_groups_root(const char *mounts, char *ret, size_t size)
{
	struct str rest = str_of(mounts);
	struct str line;
	bool is_found = false;

	/*
	 * fields of a line, by proc(5): id, parent, device, root, mount point, options ... - type,
	 * source, file system options
	 */
	while (str_line(&rest, &line)) {
		size_t dash = str_find(line, STR(" - "));
		struct str kind = str_skip(line, dash + 3);
		struct str point = STR_NONE;
		bool is_old = str_starts(kind, STR("cgroup "));

		for (unsigned int i = 0; i < 5; i++)
			(void)str_word(&line, &point);
		if (!is_old && (is_found || !str_starts(kind, STR("cgroup2 "))))
			continue;
		if (is_old && !str_contains(kind, STR(",perf_event")))
			continue;
		if (point.len == 0 || point.len >= size)
			continue;
		memcpy(ret, point.p, point.len);
		ret[point.len] = '\0';
		is_found = true;
		if (is_old)
			/*
			 * if a perf_event controller of cgroup version 1 is mounted, perf events
			 * use it
			 */
			return true;
	}
	return is_found;
}

static bool groups_is_within(const char *path, const char *outer)
{
	size_t len = strlen(outer);

	return strncmp(path, outer, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

static void groups_close(struct rec_group *g)
{
	if (g->fd >= 0)
		(void)close(g->fd);
	free(g->path);
}

/*
 * Add the group at @path to r->groups. A group that contains other listed groups replaces them,
 * because their samples would be taken twice. Takes ownership of @path.
 */
static int groups_take(struct rec *r, char *path, struct error *err)
{
	struct rec_group *g;
	size_t n = 0;

	VEC_FOREACH (known, &r->groups) {
		if (groups_is_within(path, known->path)) {
			free(path);
			return OK;
		}
	}
	VEC_FOREACH (known, &r->groups) {
		if (groups_is_within(known->path, path))
			groups_close(known);
		else
			r->groups.data[n++] = *known;
	}
	r->groups.len = n;
	g = VEC_PUSH(&r->groups);
	*g = (struct rec_group){ path, open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) };
	return g->fd < 0 ? fail(err, ERR_IO, "%s: %s", path, strerror(errno)) : OK;
}

void rec_groups_all(void (*take)(void *arg, const char *path, struct str name), void *arg)
{
	CLEANUP(freep) char *mounts = rec_slurp("/proc/self/mountinfo", NULL);
	struct groups_paths all = { VEC_INIT };
	char root[GROUPS_PATH];

	if (!mounts || !rec_groups_root(mounts, root, sizeof(root)))
		return;
	take(arg, root, STR("/"));
	groups_walk(root, root, 0, &all);
	VEC_FOREACH (name, &all.items) {
		char path[GROUPS_PATH * 2];

		(void)snprintf(path, sizeof(path), "%s%s", root, *name);
		take(arg, path, str_of(*name));
	}
	groups_free(&all);
}

int rec_groups_open(struct rec *r, struct error *err)
{
	CLEANUP(freep) char *mounts = NULL;
	char root[GROUPS_PATH];

	if (r->spec->groups.len == 0)
		return OK;
	mounts = rec_slurp("/proc/self/mountinfo", NULL);
	if (!mounts || !rec_groups_root(mounts, root, sizeof(root)))
		return fail(err, ERR_UNSUPPORTED,
			    "no control groups are mounted here for perf events (cgroup2, or "
			    "cgroup with perf_event)");
	VEC_FOREACH (want, &r->spec->groups) {
		char *path;
		int status = rec_groups_find(root, GROUPS_DOCKER, want, &path, err);

		if (status == OK)
			status = groups_take(r, path, err);
		if (status < 0)
			return status;
	}
	return OK;
}

/*
 * Call @take for each process of one group. The kernel does not list the processes of a group of
 * type "threaded".
 */
static void groups_members(const char *path, void (*take)(void *arg, uint32_t pid), void *arg)
{
	char file[GROUPS_PATH + 32];
	CLEANUP(freep) char *text = NULL;
	struct str rest;
	struct str line;

	(void)snprintf(file, sizeof(file), "%s/cgroup.procs", path);
	text = rec_slurp(file, NULL);
	rest = str_of(text);
	while (str_line(&rest, &line)) {
		uint64_t pid;

		if (str_u64(&line, &pid) && pid && pid <= INT32_MAX)
			take(arg, (uint32_t)pid);
	}
}

void rec_groups_processes(const struct rec *r, void (*take)(void *arg, uint32_t pid), void *arg)
{
	VEC_FOREACH (g, &r->groups) {
		struct groups_paths below = { VEC_INIT };

		groups_members(g->path, take, arg);
		groups_walk("", g->path, 0, &below);
		VEC_FOREACH (path, &below.items)
			groups_members(*path, take, arg);
		groups_free(&below);
	}
}

void rec_groups_fini(struct rec *r)
{
	VEC_FOREACH (g, &r->groups)
		groups_close(g);
	VEC_FREE(&r->groups);
}
