/* SPDX-License-Identifier: MIT */
/* resolver_origin.c - decide which symbols of this machine may be used for the recording */
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
	 * the address of the running kernel is slow to read: read it only if the answer needs it.
	 * It is needed to prove that this boot was recorded, because build ids are the same in each
	 * boot. It is also needed if the recording has no build id of the kernel
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
 * Whether the file has the device and inode of the recorded map. Always false on file systems that
 * report different devices in maps and in stat().
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
 * The time at which the file got its content at this place. If the file has the recorded inode
 * (@is_inode), it was not copied since the recording: return the mtime. Its ctime is not used,
 * because it may be later: each hard link changes the ctime, and perf record makes a hard link in
 * ~/.debug. Otherwise the file may be a copy with an old mtime: return the later of mtime and
 * ctime.
 */
static uint64_t origin_changed_ns(const struct stat *st, bool is_inode)
{
	uint64_t content = origin_ns(&st->st_mtim), inode = origin_ns(&st->st_ctim);

	return is_inode || content > inode ? content : inode;
}

/*
 * Whether the file at the path of @m is the file that was mapped during the recording. Used for
 * modules for which the recording has no build id.
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
		/*
		 * the file is missing, but its separate debug file may exist: use that only if this
		 * machine was recorded
		 */
		return v->origin == ORIGIN_SAME;
	is_known = fstat(fd, &st) == 0;
	(void)close(fd);
	if (!is_known)
		return false;
	if (written && origin_changed_ns(&st, origin_is_inode(m, &st)) > written) {
		m->why = (struct error){ "the file here is newer than the recording" };
		return false;
	}
	/*
	 * different devices prove nothing, because some file systems report different devices in
	 * maps and in stat()
	 */
	if (!m->file.inode || makedev(m->file.major, m->file.minor) != st.st_dev)
		return v->origin == ORIGIN_SAME;
	is_same_file = m->file.inode == st.st_ino;
	if (!is_same_file)
		m->why = (struct error){ "the file here is another one than the recorded" };
	return is_same_file;
}

/*
 * Whether the vDSO of this machine is the recorded one. This is so if the kernel is the recorded
 * one, because the vDSO is a part of the kernel.
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
	if (r->options.root) /* the user chose this folder, so its files are trusted */
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
