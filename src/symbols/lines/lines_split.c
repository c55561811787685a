/* SPDX-License-Identifier: MIT */
#include "config.h"

#if HAVE_LIBDW

#include "symbols/lines/lines_split.h"

#include "base/alloc.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "symbols/lines/split_file.h"

#include <dwarf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SPLIT_PATHS 4u
/* maximum number of addresses of a unit in DWARF 4, which does not store this number */
#define SPLIT_ADDRESSES (UINT64_C(1) << 18)

bool lines_split_is(Dwarf_Die *die)
{
	uint8_t type = 0;

	return dwarf_cu_info(die->cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) == 0 &&
	       type == DW_UT_skeleton;
}

static const char *split_text(Dwarf_Die *die, unsigned int name, unsigned int before_5)
{
	Dwarf_Attribute attr;

	if (!dwarf_attr(die, name, &attr) && !(before_5 && dwarf_attr(die, before_5, &attr)))
		return NULL;
	return dwarf_formstring(&attr);
}

static uint64_t split_number(Dwarf_Die *die, unsigned int name, unsigned int before_5)
{
	Dwarf_Attribute attr;
	Dwarf_Word v;

	if (!dwarf_attr(die, name, &attr) && !(before_5 && dwarf_attr(die, before_5, &attr)))
		return 0;
	return dwarf_formudata(&attr, &v) == 0 ? v : 0;
}

/* The addresses that the unit uses: a range of the program's section .debug_addr. */
static struct str split_addresses(struct lines_split *u)
{
	uint64_t base = split_number(&u->skeleton, DW_AT_addr_base, DW_AT_GNU_addr_base);
	struct str all = u->program.sections[SPLIT_ADDR];
	uint64_t n;

	if (base >= all.len)
		return STR_NONE;
	n = all.len - base;
	/*
	 * in DWARF 5, a header with length, version, address size and segment size precedes the
	 * addresses
	 */
	if (u->version >= 5 && base >= 8) {
		uint64_t len = split_file_number(&u->program, all, base - 8, 4);

		n = len >= 4 && len - 4 < n ? len - 4 : n;
	} else if (n > SPLIT_ADDRESSES * u->address_bytes) {
		n = SPLIT_ADDRESSES * u->address_bytes;
	}
	return str_sub(all, (size_t)base, (size_t)(base + n));
}

void lines_split_free(struct lines_split *u)
{
	if (!u)
		return;
	if (u->dwarf)
		(void)dwarf_end(u->dwarf);
	if (u->elf)
		(void)elf_end(u->elf);
	free(u->image.bytes);
	free(u);
}

DEFINE_CLEANUP(struct lines_split *, lines_split_free);

/*
 * Open the unit with the id @id in the file @f. Returns false if the file does not have this unit,
 * is damaged, or is too large.
 */
static bool split_take(struct lines_splits *s, struct lines_split *u, const struct split_file *f,
		       uint64_t id)
{
	uint64_t left = LIMIT_SPLIT_BYTES > s->n_bytes ? LIMIT_SPLIT_BYTES - s->n_bytes : 0;
	Dwarf_CU *cu = NULL;
	uint64_t found = 0;
	uint8_t type = 0;

	if (!split_file_image(f, id, split_addresses(u), (size_t)left, &u->image))
		return false;
	alloc_watch();
	u->elf = elf_memory(u->image.bytes, u->image.len);
	u->dwarf = u->elf ? dwarf_begin_elf(u->elf, DWARF_C_READ, NULL) : NULL;
	alloc_watched();
	while (u->dwarf && dwarf_get_units(u->dwarf, cu, &cu, NULL, &type, &u->die, NULL) == 0) {
		if (dwarf_cu_info(cu, NULL, NULL, NULL, NULL, &found, NULL, NULL) == 0 &&
		    type == DW_UT_split_compile && found == id) {
			s->n_bytes += u->image.len;
			return true;
		}
	}
	if (u->dwarf)
		(void)dwarf_end(u->dwarf);
	if (u->elf)
		(void)elf_end(u->elf);
	free(u->image.bytes);
	u->dwarf = NULL;
	u->elf = NULL;
	u->image.bytes = NULL;
	return false;
}

/*
 * Open the .dwp file. Three paths are tried: PROGRAM.dwp and, if the debug information is in a
 * separate file FILE.debug, FILE.dwp and FILE.debug.dwp.
 */
static void split_open_dwp(struct lines_splits *s)
{
	struct str path = str_of(s->path);
	struct str bare = str_ends(path, STR(".debug"))
				  ? str_sub(path, 0, path.len - strlen(".debug"))
				  : path;
	char paths[3][PATH_MAX];
	const char *const list[] = { paths[0], paths[1], paths[2] };
	size_t at;
	int fd;

	if (s->is_dwp_tried)
		return;
	s->is_dwp_tried = true;
	(void)snprintf(paths[0], PATH_MAX, "%s.dwp", s->program);
	(void)snprintf(paths[1], PATH_MAX, STR_FMT ".dwp", STR_ARG(bare));
	(void)snprintf(paths[2], PATH_MAX, STR_FMT ".dwp", STR_ARG(path));
	fd = files_open_first(list, ARRAY_LEN(list), FILES_ELF, &at);
	if (fd >= 0 && !split_file_open(&s->dwp, fd))
		(void)close(fd);
}

/*
 * List the paths at which the .dwo file may be. Its name is in the skeleton, and may be relative to
 * the folder of the compilation. The file may also be in the folder of the program. Returns the
 * number of paths.
 */
static size_t split_places(const struct lines_splits *s, Dwarf_Die *skeleton,
			   char ret[SPLIT_PATHS][PATH_MAX])
{
	const char *name = split_text(skeleton, DW_AT_dwo_name, DW_AT_GNU_dwo_name);
	const char *folder = split_text(skeleton, DW_AT_comp_dir, 0);
	size_t slash = str_rfind_char(str_of(s->program), '/');
	int own = slash < strlen(s->program) ? (int)slash + 1 : 0;
	const char *last;
	size_t n = 0;

	if (!name || !name[0])
		return 0;
	last = strrchr(name, '/');
	if (name[0] == '/')
		(void)snprintf(ret[n++], PATH_MAX, "%s%s", s->root, name);
	else if (folder)
		(void)snprintf(ret[n++], PATH_MAX, "%s%s/%s", s->root, folder, name);
	if (name[0] != '/')
		(void)snprintf(ret[n++], PATH_MAX, "%.*s%s", own, s->program, name);
	if (last)
		(void)snprintf(ret[n++], PATH_MAX, "%.*s%s", own, s->program, last + 1);
	return n;
}

static bool split_find(struct lines_splits *s, struct lines_split *u, uint64_t id)
{
	char paths[SPLIT_PATHS][PATH_MAX];
	const char *list[SPLIT_PATHS];
	size_t n = split_places(s, &u->skeleton, paths);
	size_t at = 0;

	split_open_dwp(s);
	if (s->dwp.elf && split_take(s, u, &s->dwp, id))
		return true;
	for (size_t i = 0; i < n; i++)
		list[i] = paths[i];
	for (size_t from = 0; from < n; from += at + 1) {
		int fd = files_open_first(list + from, n - from, FILES_ELF, &at);
		struct split_file dwo;
		bool is_taken;

		if (fd < 0)
			break;
		if (!split_file_open(&dwo, fd)) {
			(void)close(fd);
			continue;
		}
		is_taken = split_take(s, u, &dwo, id);
		split_file_fini(&dwo);
		if (is_taken)
			return true;
	}
	/*
	 * if the skeleton itself has entries for inlined calls, the .dwo file is not needed, so the
	 * unit does not count as missing
	 */
	if (dwarf_haschildren(&u->skeleton) == 1)
		return false;
	s->n_missing++;
	if (!s->missing && n)
		s->missing = xmemdupz(paths[0], strlen(paths[0]));
	return false;
}

struct lines_split *lines_split_open(struct lines_splits *s, Dwarf *program, Dwarf_Die *skeleton)
{
	CLEANUP(lines_split_freep) struct lines_split *u = xcalloc(1, sizeof(*u));
	Dwarf_Half version = 0;
	uint8_t address_bytes = 0;
	Dwarf_Addr base = 0;
	uint64_t id = 0;

	if (dwarf_cu_info(skeleton->cu, &version, NULL, NULL, NULL, &id, &address_bytes, NULL) != 0)
		return NULL;
	u->skeleton = *skeleton;
	u->version = version;
	u->address_bytes = address_bytes;
	u->base = dwarf_lowpc(skeleton, &base) == 0 ? base : 0;
	u->ranges_base = split_number(skeleton, DW_AT_GNU_ranges_base, 0);
	split_file_borrow(&u->program, dwarf_getelf(program));
	return split_find(s, u, id) ? TAKE(u) : NULL;
}

void lines_splits_fini(struct lines_splits *s)
{
	split_file_fini(&s->dwp);
	free(s->missing);
	free(s->path);
	free(s->program);
	free(s->root);
}

/*
 * Read the next range of a list in the program's section .debug_ranges (DWARF 4). @at: offset of
 * the range. Returns the offset of the next range; 0: end of the list.
 */
static ptrdiff_t split_next(const struct lines_split *u, uint64_t at, Dwarf_Addr *base,
			    Dwarf_Addr *start, Dwarf_Addr *end)
{
	struct str all = u->program.sections[SPLIT_RANGES];
	unsigned int n = u->address_bytes;
	uint64_t selects = n == 8 ? UINT64_MAX : UINT32_MAX;

	for (; at <= all.len && all.len - at >= 2 * n; at += 2 * n) {
		*start = split_file_number(&u->program, all, at, n);
		*end = split_file_number(&u->program, all, at + n, n);
		if (*start == selects) {
			*base = *end;
			continue;
		}
		if (*start == 0 && *end == 0)
			return 0;
		*start += *base;
		*end += *base;
		return (ptrdiff_t)(at + 2 * n);
	}
	return 0;
}

/*
 * Read the value of the attribute @attr, which is an offset in a section of the program. libdw
 * refuses to read this attribute. UINT32_MAX: the value is no offset.
 */
static uint64_t split_offset(const struct lines_split *u, const Dwarf_Attribute *attr)
{
	struct str all = { u->image.bytes, u->image.len };
	const char *p = (const char *)attr->valp;

	if (attr->form != DW_FORM_sec_offset || p < all.p || p > all.p + all.len)
		return UINT32_MAX;
	return split_file_number(&u->program, all, (uint64_t)(p - all.p), 4);
}

ptrdiff_t lines_split_ranges(struct lines_split *u, Dwarf_Die *die, ptrdiff_t at, Dwarf_Addr *base,
			     Dwarf_Addr *start, Dwarf_Addr *end)
{
	struct str lists = u->image.rnglists;
	Dwarf_Attribute attr;
	Dwarf_Word list;

	if (at == 0) {
		if (!dwarf_attr(die, DW_AT_ranges, &attr))
			return dwarf_ranges(die, 0, base, start, end);
		*base = u->base;
		if (u->version < 5)
			return split_next(u, split_offset(u, &attr) + u->ranges_base, base, start,
					  end);
		if (dwarf_formudata(&attr, &list) != 0)
			return -1;
		/*
		 * DWARF 5: the section starts with a header of 12 bytes, and then a table with the
		 * offsets of the lists
		 */
		if (attr.form == DW_FORM_rnglistx)
			list = 12 + split_file_number(&u->program, lists, 12 + 4 * list, 4);
		/*
		 * this is the first range. For each further range, the caller passes the returned
		 * offset as @at, and *base unchanged
		 */
		return list > 1 && list < lists.len
			       ? dwarf_ranges(die, (ptrdiff_t)list, base, start, end)
			       : -1;
	}
	return u->version < 5 && at != 1 ? split_next(u, (uint64_t)at, base, start, end)
					 : dwarf_ranges(die, at, base, start, end);
}

#endif
