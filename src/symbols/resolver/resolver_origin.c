/* SPDX-License-Identifier: MIT */
/* resolver_origin.c - decide which symbols of this machine belong to the recording */
#include "symbols/resolver/resolver_state.h"

#include "base/files.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "symbols/elf_symbols.h"
#include "symbols/module_files.h"
#include "symbols/origin.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define ORIGIN_NS_A_SECOND UINT64_C(1000000000)

void resolver_recorded(struct resolver *r, const struct origin_facts *facts)
{
	struct origin_facts old = r->origin.recorded;

	r->origin.recorded = *facts;
	r->origin.recorded.text = old.text;
	memcpy(r->origin.recorded.text_ends, old.text_ends, sizeof(old.text_ends));
	r->origin.kernel.is_judged = r->origin.machine.is_judged = false;
}

void resolver_recorded_kernel(struct resolver *r, uint64_t text, uint64_t end)
{
	r->origin.recorded.text = text;
	r->origin.recorded.text_ends[0] = end;
	r->origin.kernel.is_judged = r->origin.machine.is_judged = false;
}

struct build_id resolver_kernel_id(const struct resolver *r)
{
	struct build_id id = { .len = 0 };

	VEC_FOREACH (k, &r->known_ids) {
		if (str_starts(strings_get(r->symbols->strings, k->path), STR("[kernel.kallsyms]")))
			id = k->id;
	}
	return id;
}

const struct origin_verdict *resolver_origin(struct resolver *r, enum origin_question question)
{
	struct resolver_origin *o = &r->origin;
	struct origin_verdict *v = question == ORIGIN_OF_KERNEL ? &o->kernel : &o->machine;

	if (v->is_judged)
		return v;
	*v = (struct origin_verdict){ .is_judged = true,
				      .origin = r->options.is_here ? ORIGIN_SAME : ORIGIN_OPEN };
	if (r->options.is_here || r->options.names || !module_files_are_read())
		return v;
	if (!o->has_here) {
		origin_read_here(&o->texts, &o->here);
		o->has_here = true;
	}
	o->recorded.kernel = resolver_kernel_id(r);
	/*
	 * read the address of this machine's kernel only if build ids are not enough: equal build
	 * ids do not show which boot was recorded
	 */
	if (!o->has_place && !build_id_differ(&o->recorded.kernel, &o->here.kernel) &&
	    (question == ORIGIN_OF_MACHINE || !o->recorded.kernel.len)) {
		origin_read_place(&o->here, !o->recorded.kernel.len);
		o->has_place = true;
	}
	v->origin = question == ORIGIN_OF_KERNEL ? origin_kernel(&o->recorded, &o->here, &v->why)
						 : origin_machine(&o->recorded, &o->here, &v->why);
	return v;
}

/*
 * Whether device and inode of the file are those of the recorded map. Never true on file systems
 * that report a different device for maps.
 */
static bool origin_is_inode(const struct module *m, const struct stat *st)
{
	return m->file.inode && m->file.inode == st->st_ino &&
	       makedev(m->file.major, m->file.minor) == st->st_dev;
}

static uint64_t origin_ns(const struct timespec *t)
{
	return t->tv_sec > 0 ? (uint64_t)t->tv_sec * ORIGIN_NS_A_SECOND + (uint64_t)t->tv_nsec : 0;
}

/*
 * The time at which the file's content last changed, or at which it was copied to this place. A
 * copy keeps the mtime but gets a new ctime, so return the later of both. With @is_inode, the file
 * has the recorded inode, so it is no copy: return the mtime. The ctime may be later, because each
 * hard link changes it, such as the link that perf record makes in ~/.debug.
 */
static uint64_t origin_changed_ns(const struct stat *st, bool is_inode)
{
	uint64_t content = origin_ns(&st->st_mtim), inode = origin_ns(&st->st_ctim);

	return is_inode || content > inode ? content : inode;
}

/*
 * Whether the file at the path of @m is the file that was mapped during the recording. Used for
 * modules without a recorded build id.
 */
static bool origin_has_file(struct resolver *r, struct module *m)
{
	const struct origin_verdict *v = resolver_origin(r, ORIGIN_OF_MACHINE);
	struct str path = strings_get(resolver_strings(r), m->path);
	uint64_t written = r->origin.recorded.wall_ns;
	struct stat st;
	char name[PATH_MAX];
	int fd;
	bool is_known;
	bool is_same_file;

	m->why = v->why;
	if (v->origin == ORIGIN_OTHER || path.len == 0 || path.len >= sizeof(name))
		return false;
	(void)snprintf(name, sizeof(name), STR_FMT, STR_ARG(path));
	fd = files_open(name, FILES_ELF);
	if (fd < 0)
		/* no file is at the path, but a separate debug file may exist */
		return v->origin == ORIGIN_SAME;
	is_known = fstat(fd, &st) == 0;
	(void)close(fd);
	if (!is_known)
		return false;
	if (written && origin_changed_ns(&st, origin_is_inode(m, &st)) > written) {
		m->why = (struct error){ "the file here is newer than the recording" };
		return false;
	}
	/* a different device proves nothing: some file systems report another one for maps */
	if (!m->file.inode || makedev(m->file.major, m->file.minor) != st.st_dev)
		return v->origin == ORIGIN_SAME;
	is_same_file = m->file.inode == st.st_ino;
	if (!is_same_file)
		m->why = (struct error){ "the file here is another one than the recorded" };
	return is_same_file;
}

/*
 * Whether the vDSO is the recorded one. The kernel supplies the vDSO, so the kernel must be the
 * recorded one.
 */
static bool origin_has_vdso(struct resolver *r, struct module *m)
{
	const struct origin_verdict *v = resolver_origin(r, ORIGIN_OF_KERNEL);

	m->why = v->why;
	return v->origin == ORIGIN_SAME;
}

bool resolver_path_is_proven(struct resolver *r, struct module *m)
{
	if (m->space == SPACE_VDSO)
		return !m->build_id.len && origin_has_vdso(r, m);
	if (r->options.root) /* trust the files in this folder, which the user chose */
		return true;
	if (m->build_id.len)
		return false;
	if (!m->is_path_judged) {
		m->is_path_judged = true;
		m->is_path_proven =
			module_files_are_read() && m->kind == MODULE_FILE && origin_has_file(r, m);
	}
	return m->is_path_proven;
}
