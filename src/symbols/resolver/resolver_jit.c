/* SPDX-License-Identifier: MIT */
/*
 * resolver_jit.c - functions of JIT compilers, from jit-PID.dump
 *
 * A JIT compiler maps its dump once. The only purpose of this map is that a recording contains the
 * path of the dump. The dump is read when an address needs it for the first time.
 */
#include "symbols/resolver/resolver_state.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/files.h"
#include "base/idmap.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "symbols/demangle.h"
#include "symbols/jitdump.h"
#include "symbols/lines/lines.h"
#include "symbols/module_files.h"
#include "symbols/names.h"
#include "symbols/origin.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct jit_process {
	uint32_t pid;
	uint32_t module; /* index of the dump in resolver.modules */
	bool is_tried;
	bool is_there;
	struct jitdump dump;
	size_t next;    /* index in dump.changes of the first change later than resolver.now_ns */
	uint64_t state; /* hash of the changes up to resolver.now_ns */
	struct error why;
};

void resolver_jit_free(struct resolver *r)
{
	VEC_FOREACH (j, &r->jits) {
		jitdump_fini(&(*j)->dump);
		free(*j);
	}
	VEC_FREE(&r->jits);
}

static struct jit_process *resolver_jit_of(struct resolver *r, const struct process *p)
{
	return p->jit ? r->jits.data[p->jit - 1] : NULL;
}

void resolver_jit_mark(struct resolver *r, struct process *p, struct str path, uint32_t module)
{
	const struct jit_process *known = resolver_jit_of(r, p);
	char name[PATH_MAX];

	if (path.len >= sizeof(name) || !str_ends(path, STR(".dump")))
		return;
	(void)snprintf(name, sizeof(name), STR_FMT, STR_ARG(path));
	if (!files_names_jitdump(name) || (known && known->module == module) ||
	    r->jits.len >= LIMIT_JITDUMPS)
		return;
	*VEC_PUSH(&r->jits) = xcalloc(1, sizeof(struct jit_process));
	p->jit = (uint32_t)r->jits.len;
	r->jits.data[p->jit - 1]->pid = p->pid;
	r->jits.data[p->jit - 1]->module = module;
	r->n_jits_waiting++;
}

void resolver_exec(struct resolver *r, uint32_t pid)
{
	resolver_process(r, pid)->jit = 0;
	r->version++;
}

/* Open the jitdump that the process mapped. Returns a descriptor, or -1 with the reason in @why. */
static int resolver_jit_open(struct resolver *r, const struct jit_process *j, struct error *why)
{
	const struct module *m = &r->modules.data[j->module];
	struct str path = strings_get(resolver_strings(r), m->path);
	const char *root = r->options.root;
	char names[2][PATH_MAX];

	if (!module_files_are_read() || path.len > PATH_MAX / 2)
		return fail(why, ERR_NOTFOUND, "not a file");
	if (!root && resolver_origin(r, ORIGIN_OF_MACHINE)->origin != ORIGIN_SAME) {
		*why = resolver_origin(r, ORIGIN_OF_MACHINE)->why;
		return -1;
	}
	(void)snprintf(names[0], PATH_MAX, "%s" STR_FMT, root ? root : "", STR_ARG(path));
	/* if the process runs in a container, the path is relative to the container's root */
	module_files_of_process(path, j->pid, names[1]);
	for (size_t i = 0; i < (root ? 1 : 2); i++) {
		int fd = files_open(names[i], FILES_JITDUMP);
		struct stat st;

		if (fd < 0 && i == 0)
			(void)fail(why, ERR_NOTFOUND, "%s: %s", names[i], strerror(errno));
		if (fd < 0)
			continue;
		if (root || !m->file.inode || (fstat(fd, &st) == 0 && st.st_ino == m->file.inode)) {
			*why = (struct error){ "" };
			return fd;
		}
		(void)fail(why, ERR_NOTFOUND, "%s: another file than the recorded one", names[i]);
		(void)close(fd);
	}
	return -1;
}

/* Advance j->next to the first change later than @now_ns. Returns whether any change was passed. */
static bool jit_pass_changes(struct jit_process *j, uint64_t now_ns)
{
	size_t before = j->next;

	while (j->next < j->dump.changes.len && j->dump.changes.data[j->next] <= now_ns)
		j->next++;
	j->state = j->next ? hash_u64(j->next, j->pid) : 0;
	return j->next != before;
}

static uint64_t jit_next_change(const struct jit_process *j)
{
	return j->next < j->dump.changes.len ? j->dump.changes.data[j->next] : UINT64_MAX;
}

/*
 * Number of the jitdump @j: its index in resolver.jits. This array has the order in which the maps
 * of jitdumps are recorded.
 */
static uint32_t resolver_jit_number(const struct resolver *r, const struct jit_process *j)
{
	uint32_t n = 0;

	while (r->jits.data[n] != j)
		n++;
	return n;
}

static void resolver_jit_load(struct resolver *r, struct jit_process *j)
{
	int fd = r->options.names ? -1 : resolver_jit_open(r, j, &j->why);

	j->is_tried = true;
	r->n_jits_waiting--;
	if (r->options.names)
		j->is_there = resolver_names_jit(r, resolver_jit_number(r, j), &j->dump, &j->why);
	if (fd >= 0) {
		j->is_there = jitdump_read(fd, &j->dump, &j->why) == OK;
		(void)close(fd);
	}
	if (!j->is_there && !j->dump.n_bad)
		return;
	if (j->dump.n_bad)
		r->modules.data[j->module].is_unread = true;
	(void)jit_pass_changes(j, r->now_ns);
	if (jit_next_change(j) < r->next_change_ns)
		r->next_change_ns = jit_next_change(j);
}

/*
 * Time for look-ups in the dump. JITDUMP_NO_TIME: the dump and the recording have different clocks.
 */
static uint64_t resolver_jit_now(const struct resolver *r, const struct jit_process *j)
{
	return r->origin.recorded.is_monotonic && !j->dump.is_other_clock ? r->now_ns
									  : JITDUMP_NO_TIME;
}

uint64_t resolver_at(struct resolver *r, uint64_t now_ns)
{
	uint64_t next = UINT64_MAX;

	r->now_ns = now_ns;
	if (now_ns >= r->next_change_ns) {
		VEC_FOREACH (j, &r->jits) {
			if (jit_pass_changes(*j, now_ns))
				r->version++;
			if (jit_next_change(*j) < next)
				next = jit_next_change(*j);
		}
		r->next_change_ns = next;
	}
	return resolver_next_code(r);
}

uint64_t resolver_next_code(const struct resolver *r)
{
	return r->n_jits_waiting ? 0 : r->next_change_ns;
}

uint64_t resolver_jit_state(struct resolver *r, const struct process *p)
{
	return p->jit ? r->jits.data[p->jit - 1]->state : 0;
}

/* The code at @address in the jitdump. The dump is read on first use. NULL: none. */
static struct jit_code *resolver_jit_code(struct resolver *r, struct jit_process *j,
					  uint64_t address)
{
	if (!j->is_tried)
		resolver_jit_load(r, j);
	return j->is_there ? jitdump_find(&j->dump, address, resolver_jit_now(r, j)) : NULL;
}

sym_id resolver_jit_symbol(struct resolver *r, const struct process *p, const struct module *m,
			   uint64_t address)
{
	struct jit_process *j = resolver_jit_of(r, p);
	struct jit_code *c = resolver_jit_code(r, j, address);
	struct str name;
	char module[32];

	if (!c || c->sym.v)
		return c ? c->sym : SYM_ID_NONE;
	(void)snprintf(module, sizeof(module), "[JIT] tid %u", j->pid);
	name = demangle(&r->scratch, jitdump_name(&j->dump, c->name));
	c->sym = symbols_add_at(r->symbols, strings_add(resolver_strings(r), name),
				m && m->kind == MODULE_JIT
					? m->name
					: strings_add(resolver_strings(r), str_of(module)),
				SPACE_JIT, c->start);
	arena_clear(&r->scratch);
	return c->sym;
}

const struct error *resolver_jit_why(struct resolver *r, uint32_t pid)
{
	const struct jit_process *j = resolver_jit_of(r, resolver_process(r, pid));

	return j && j->why.msg[0] ? &j->why : NULL;
}

size_t resolver_jit_line(struct resolver *r, uint32_t pid, uint64_t address, struct line_frame *ret)
{
	struct jit_process *j = resolver_jit_of(r, resolver_process(r, pid));
	const struct jit_code *c = j ? resolver_jit_code(r, j, address) : NULL;
	const struct jit_line *line = c ? jitdump_line(&j->dump, c, address) : NULL;

	if (!line)
		return 0;
	*ret = (struct line_frame){ .function = jitdump_name(&j->dump, c->name),
				    .file = jitdump_name(&j->dump, line->file),
				    .line = line->line };
	return 1;
}

uint32_t resolver_jit_order(struct resolver *r, uint32_t pid, uint64_t address)
{
	struct jit_process *j = resolver_jit_of(r, resolver_process(r, pid));
	const struct jit_code *c = j ? resolver_jit_code(r, j, address) : NULL;

	return c ? c->order + 1 : 0;
}

void resolver_jit_collect(struct resolver *r, struct names *n)
{
	for (uint32_t i = 0; i < r->jits.len; i++) {
		const struct jit_process *j = r->jits.data[i];

		if (j->is_tried)
			resolver_names_collect_jit(n, i, &j->dump, j->is_there, &j->why);
	}
}
