/* SPDX-License-Identifier: MIT */
/*
 * Tracepoints: their ids, and the file section with their formats, which perf script needs to print
 * fields. Format of the section: version 0.6 of tools/perf/util/trace-event-info.c.
 */
#include "record/perf/rec.h"

#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static const char *const tracing_places[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

/* The mount point of tracefs that this user can read; NULL: none. */
static const char *tracing_root(void)
{
	for (size_t i = 0; i < ARRAY_LEN(tracing_places); i++) {
		char path[64];

		(void)snprintf(path, sizeof(path), "%s/events", tracing_places[i]);
		if (access(path, R_OK | X_OK) == 0)
			return tracing_places[i];
	}
	return NULL;
}

int rec_tracing_id(struct str name, uint64_t *ret, struct error *err)
{
	size_t colon = str_find_char(name, ':');
	const char *root = tracing_root();
	char path[512];
	int64_t id;

	if (!root)
		return fail(err, access("/sys/kernel/tracing", F_OK) == 0 ? ERR_PERM : ERR_NOTFOUND,
			    "tracepoint '" STR_FMT "': tracefs cannot be read at "
			    "/sys/kernel/tracing (it takes root, or a mount: 'mount -t tracefs "
			    "none /sys/kernel/tracing')",
			    STR_ARG(name));
	(void)snprintf(path, sizeof(path), "%s/events/" STR_FMT "/" STR_FMT "/id", root,
		       STR_ARG(str_sub(name, 0, colon)), STR_ARG(str_skip(name, colon + 1)));
	id = str_find_char(name, '/') < name.len ? -1 : rec_number(path, -1);
	if (id < 0 && errno == EACCES)
		return fail(err, ERR_PERM, "tracepoint '" STR_FMT "': %s may not be read",
			    STR_ARG(name), path);
	if (id < 0)
		return fail(err, ERR_NOTFOUND,
			    "there is no tracepoint '" STR_FMT "' in %s/available_events",
			    STR_ARG(name), root);
	*ret = (uint64_t)id;
	return OK;
}

char *rec_tracing_format(struct str name)
{
	size_t colon = str_find_char(name, ':');
	const char *root = tracing_root();
	char path[512];

	if (!root || colon == name.len)
		return NULL;
	(void)snprintf(path, sizeof(path), "%s/events/" STR_FMT "/" STR_FMT "/format", root,
		       STR_ARG(str_sub(name, 0, colon)), STR_ARG(str_skip(name, colon + 1)));
	return rec_slurp(path, NULL);
}

/*
 * Write a copy of the file @path: u64 size, then the content. Returns false if the file is
 * unreadable.
 */
static bool tracing_file(struct out *o, const char *path)
{
	size_t len = 0;
	CLEANUP(freep) char *text = rec_slurp(path, &len);
	uint64_t size = len;

	out_bytes(o, &size, sizeof(size));
	out_bytes(o, text, len);
	return text != NULL;
}

/* Write the formats of the recorded events of one group: u32 n, then n formats. */
static void tracing_group(const struct rec *r, const char *root, struct str group, struct out *o)
{
	uint32_t n = 0;

	VEC_FOREACH (e, &r->events)
		n += e->is_tracepoint &&
		     str_eq(str_sub(str_of(e->name), 0, str_find_char(str_of(e->name), ':')),
			    group);
	out_str(o, group);
	out_char(o, '\0');
	out_bytes(o, &n, sizeof(n));
	VEC_FOREACH (e, &r->events) {
		struct str name = str_of(e->name);
		size_t colon = str_find_char(name, ':');
		char path[512];

		if (!e->is_tracepoint || !str_eq(str_sub(name, 0, colon), group))
			continue;
		(void)snprintf(path, sizeof(path), "%s/events/" STR_FMT "/" STR_FMT "/format", root,
			       STR_ARG(group), STR_ARG(str_skip(name, colon + 1)));
		(void)tracing_file(o, path);
	}
}

bool rec_tracing_data(const struct rec *r, struct out *o)
{
	static const uint8_t magic[] = { 23, 8, 68, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
	const char *root = tracing_root();
	uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
	uint16_t one = 1;
	VEC(struct str) groups = VEC_INIT;
	uint32_t n;
	char path[64];

	VEC_FOREACH (e, &r->events) {
		struct str name = str_of(e->name);
		struct str group = str_sub(name, 0, str_find_char(name, ':'));
		bool is_known = !e->is_tracepoint;

		VEC_FOREACH (g, &groups)
			is_known |= str_eq(*g, group);
		if (!is_known)
			*VEC_PUSH(&groups) = group;
	}
	if (groups.len == 0 || !root) {
		VEC_FREE(&groups);
		return false;
	}
	out_bytes(o, magic, sizeof(magic));
	out_bytes(o, "0.6", 4);
	out_char(o, *(uint8_t *)&one == 1 ? 0 : 1); /* byte order: 0 is little endian */
	out_char(o, sizeof(long));
	out_bytes(o, &page, sizeof(page));
	out_bytes(o, "header_page", sizeof("header_page"));
	(void)snprintf(path, sizeof(path), "%s/events/header_page", root);
	(void)tracing_file(o, path);
	out_bytes(o, "header_event", sizeof("header_event"));
	(void)snprintf(path, sizeof(path), "%s/events/header_event", root);
	(void)tracing_file(o, path);
	/* number of formats of ftrace's own events: none */
	out_repeat(o, '\0', sizeof(uint32_t));
	n = (uint32_t)groups.len;
	out_bytes(o, &n, sizeof(n));
	VEC_FOREACH (g, &groups)
		tracing_group(r, root, *g, o);
	/*
	 * the remaining sections are empty, so write their sizes 0: kallsyms (u32), printk formats
	 * (u32), command names (u64)
	 */
	out_repeat(o, '\0', sizeof(uint32_t) + sizeof(uint32_t) + sizeof(uint64_t));
	VEC_FREE(&groups);
	return true;
}
