/* SPDX-License-Identifier: MIT */
#include "symbols/kernel/kernel_files.h"

#include "base/alloc.h"
#include "base/files.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "symbols/kernel/kallsyms.h"
#include "symbols/kernel/kallsyms_index.h"
#include "symbols/lines/lines.h"
#include "symbols/module_files.h"
#include "symbols/symtab.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#define KERNEL_READ_BYTES (UINT32_C(1) << 16)

/*
 * Read and parse the file @path in pieces. This saves memory, because the text is larger than the
 * table that is made of it.
 */
static int kernel_read_kallsyms(const char *path, enum files_kind kind, struct kallsyms *ret,
				struct error *err)
{
	int fd = module_files_are_read() ? files_open(path, kind) : -1;
	CLEANUP(freep) char *text = NULL;
	size_t left = 0;
	ssize_t n;
	int r;

	memset(ret, 0, sizeof(*ret));
	if (fd < 0)
		return fail(err, ERR_NOTFOUND, "%s: %s", path, strerror(errno));
	text = xmalloc(KERNEL_READ_BYTES);
	while ((n = files_read(fd, text + left, KERNEL_READ_BYTES - left)) > 0) {
		struct str all = { text, left + (size_t)n };
		size_t eol = str_rfind_char(all, '\n');
		/* a full buffer without a newline is not from a symbol table: skip it */
		size_t used = eol < all.len ? eol + 1 : all.len < KERNEL_READ_BYTES ? 0 : all.len;

		kallsyms_add(ret, str_sub(all, 0, used));
		left = all.len - used;
		memmove(text, text + used, left);
	}
	(void)close(fd);
	kallsyms_add(ret, (struct str){ text, left });
	/*
	 * reject the whole table if symbols are missing: otherwise an address would get the name of
	 * a neighbouring symbol
	 */
	r = n < 0 ? fail(err, ERR_IO, "%s: cannot be read whole", path) : kallsyms_finish(ret, err);
	if (r < 0)
		kallsyms_fini(ret);
	return r;
}

static int kernel_read_vmlinux(const char *path, const struct build_id *id, bool is_named,
			       struct kallsyms *ret, struct error *err)
{
	/*
	 * without loadable segments, elf_symbols_read() cannot convert addresses to file offsets:
	 * the symbols keep their link addresses, as needed here
	 */
	const struct elf_symbols nowhere = { .n_loads = 0 };
	struct elf_symbols e;
	int r;

	if (!module_files_are_read())
		return fail(err, ERR_NOTFOUND, "%s: not read", path);
	r = elf_symbols_read(path, ELF_SYMTAB_ONLY, &nowhere, &e, err);
	if (r < 0)
		return r;
	if (is_named ? build_id_differ(id, &e.build_id) : !build_id_eq(id, &e.build_id)) {
		elf_symbols_fini(&e);
		return fail(err, ERR_NOTFOUND, "%s: of another build than the recorded kernel",
			    path);
	}
	if (!e.has_symtab) {
		elf_symbols_fini(&e);
		return fail(err, ERR_NOTFOUND, "%s: without symbols", path);
	}
	memset(ret, 0, sizeof(*ret));
	*VEC_PUSH(&ret->modules) = (struct kallsyms_module){ .table = e.table };
	(void)symtab_add_names(&ret->modules.data[0].table, STR(""), &ret->modules.data[0].name);
	VEC_FOREACH (s, &ret->modules.data[0].table.entries)
		kallsyms_mark(&ret->marks, symtab_name(&ret->modules.data[0].table, s), s->start);
	symtab_finish(&ret->modules.data[0].table, false);
	return OK;
}

/*
 * Write to @ret the path number @i of the paths at which distributions store vmlinux. @ret can be
 * empty, for example if the path contains the kernel's release, and the release is unknown. Returns
 * false if there is no path number @i.
 */
static bool kernel_candidate(const struct kernel_files *f, unsigned int i, char ret[PATH_MAX])
{
	const char *root = f->root ? f->root : "";
	struct str release = str_contains(f->release, STR("/")) ? STR_NONE : f->release;
	bool is_known = release.len > 0 && release.len < 256;
	char hex[2 * BUILD_ID_MAX + 1];

	ret[0] = '\0';
	switch (i) {
	case 0:
		module_files_hex(&f->id, hex);
		(void)snprintf(ret, PATH_MAX, "%s/usr/lib/debug/.build-id/%.2s/%s.debug", root, hex,
			       hex + 2);
		return true;
	case 1:
		if (is_known)
			(void)snprintf(ret, PATH_MAX, "%s/usr/lib/debug/boot/vmlinux-" STR_FMT,
				       root, STR_ARG(release));
		return true;
	case 2:
		if (is_known)
			(void)snprintf(ret, PATH_MAX,
				       "%s/usr/lib/debug/lib/modules/" STR_FMT "/vmlinux", root,
				       STR_ARG(release));
		return true;
	case 3:
		if (is_known)
			(void)snprintf(ret, PATH_MAX, "%s/lib/modules/" STR_FMT "/build/vmlinux",
				       root, STR_ARG(release));
		return true;
	case 4:
		if (is_known)
			(void)snprintf(ret, PATH_MAX, "%s/boot/vmlinux-" STR_FMT, root,
				       STR_ARG(release));
		return true;
	case 5:
		(void)module_files_cached(&f->id, f->cache, ret);
		return true;
	default:
		return false;
	}
}

static bool kernel_cached_kallsyms(const struct kernel_files *f, char ret[PATH_MAX])
{
	const char *home = getenv("HOME");
	char hex[2 * BUILD_ID_MAX + 1];

	if (!f->cache && !home)
		return false;
	module_files_hex(&f->id, hex);
	(void)snprintf(ret, PATH_MAX, "%s%s/[kernel.kallsyms]/%s/kallsyms",
		       f->cache ? f->cache : home, f->cache ? "" : "/.debug", hex);
	return true;
}

static bool kernel_index_kallsyms(const char *path, struct kallsyms *ret)
{
	int fd = module_files_are_read() ? files_open(path, FILES_KALLSYMS) : -1;

	memset(ret, 0, sizeof(*ret));
	if (fd < 0)
		return false;
	ret->index = kallsyms_index_open(fd);
	if (!ret->index)
		(void)close(fd);
	return ret->index != NULL;
}

bool kernel_files_own(const struct kernel_files *f, struct kallsyms *ret)
{
	char path[PATH_MAX];

	if (f->kallsyms || f->vmlinux || f->id.len < 2 || !f->is_running ||
	    !kernel_cached_kallsyms(f, path))
		return false;
	if (kernel_index_kallsyms(path, ret))
		return true;
	if (kernel_read_kallsyms(path, FILES_KALLSYMS, ret, NULL) < 0)
		return false;
	/*
	 * remove the kernel modules: perf record may have made this copy in an earlier boot, in
	 * which modules had other addresses
	 */
	for (; ret->modules.len > 1; ret->modules.len--)
		symtab_fini(&ret->modules.data[ret->modules.len - 1].table);
	return true;
}

int kernel_files_load(const struct kernel_files *f, struct kallsyms *ret,
		      enum kernel_source *ret_source, struct error *err)
{
	char path[PATH_MAX];
	struct error why = { "" };
	int r = ERR_NOTFOUND;

	*ret_source = KERNEL_NAMED;
	if (f->kallsyms)
		return kernel_read_kallsyms(f->kallsyms, FILES_NAMED, ret, err);
	if (f->vmlinux)
		return kernel_read_vmlinux(f->vmlinux, &f->id, true, ret, err);
	*ret_source = KERNEL_RUNNING;
	if (f->is_running)
		r = kernel_read_kallsyms("/proc/kallsyms", FILES_KALLSYMS, ret, &why);
	else
		(void)fail(&why, r, "%s",
			   f->why_not ? f->why_not : "no symbols of the kernel were found");
	if (r == OK || f->id.len < 2)
		return r == OK ? OK : fail(err, r, "%s", why.msg);
	*ret_source = KERNEL_COPY;
	if (kernel_cached_kallsyms(f, path) &&
	    kernel_read_kallsyms(path, FILES_KALLSYMS, ret, NULL) == OK)
		return OK;
	*ret_source = KERNEL_FILE;
	for (unsigned int i = 0; kernel_candidate(f, i, path); i++) {
		if (path[0] && kernel_read_vmlinux(path, &f->id, false, ret, NULL) == OK)
			return OK;
	}
	return fail(err, r, "%s", why.msg);
}

/*
 * Open the kernel's debug information in @path. @is_named: the user named this file. *@ret_text:
 * receives the link address of _text, if the file has this symbol. Returns false if the file has no
 * debug information or is of another build; *@ret_text is then unchanged.
 */
static bool kernel_read_lines(const char *path, const struct build_id *id, bool is_named,
			      struct lines **ret, uint64_t *ret_text)
{
	const struct elf_symbols nowhere = { .n_loads = 0 };
	struct elf_symbols e;
	uint64_t text = *ret_text;
	bool is_same;

	if (!path[0] || !module_files_are_read() ||
	    elf_symbols_read(path, ELF_WHOLE, &nowhere, &e, NULL) < 0)
		return false;
	is_same = is_named ? !build_id_differ(id, &e.build_id) : build_id_eq(id, &e.build_id);
	VEC_FOREACH (s, &e.table.entries) {
		if (str_eq(symtab_name(&e.table, s), STR("_text")))
			text = s->start;
	}
	elf_symbols_fini(&e);
	if (!is_same || lines_open(path, NULL, ret, NULL) < 0)
		return false;
	*ret_text = text;
	return true;
}

int kernel_files_lines(const struct kernel_files *f, struct lines **ret, uint64_t *ret_text,
		       struct error *err)
{
	char path[PATH_MAX];

	if (f->vmlinux && kernel_read_lines(f->vmlinux, &f->id, true, ret, ret_text))
		return OK;
	for (unsigned int i = 0; !f->vmlinux && f->id.len > 1 && kernel_candidate(f, i, path);
	     i++) {
		if (kernel_read_lines(path, &f->id, false, ret, ret_text))
			return OK;
	}
	return fail(err, ERR_NOTFOUND, "no file of the kernel with debug information found");
}
