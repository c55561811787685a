/* SPDX-License-Identifier: MIT */
/*
 * Build ids of files that processes had mapped before the recording. Map records have no build ids
 * if the kernel is too old, or if the user wants a file for old readers. In this case, the build
 * ids of all mapped files are collected for a header section.
 *
 * The files may belong to other, malicious users, so only a limited number of bytes is read from
 * each file.
 */
#include "record/perf/rec.h"

#include "base/alloc.h"
#include "base/files.h"
#include "base/idmap.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "symbols/elf_symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUILD_IDS_SEGMENTS  64u
#define BUILD_IDS_NOTES_MAX 65536u
#define BUILD_IDS_BINARIES  65536u
#define BUILD_IDS_HAS_SIZE  (1u << 15) /* PERF_RECORD_MISC_BUILD_ID_SIZE */

static bool build_ids_read(int fd, void *p, size_t len, uint64_t at)
{
	return at <= INT64_MAX && pread(fd, p, len, (off_t)at) == (ssize_t)len;
}

/*
 * If the program header at offset @at of the file is a segment with notes, set *@from and *@len to
 * the segment's range in the file, and return true. @class: ELFCLASS32 or ELFCLASS64.
 */
static bool build_ids_segment(int fd, uint8_t class, uint64_t at, uint64_t *from, uint64_t *len)
{
	Elf64_Phdr wide;
	Elf32_Phdr narrow;

	if (class == ELFCLASS64) {
		if (!build_ids_read(fd, &wide, sizeof(wide), at) || wide.p_type != PT_NOTE)
			return false;
		*from = wide.p_offset;
		*len = wide.p_filesz;
		return true;
	}
	if (!build_ids_read(fd, &narrow, sizeof(narrow), at) || narrow.p_type != PT_NOTE)
		return false;
	*from = narrow.p_offset;
	*len = narrow.p_filesz;
	return true;
}

static void build_ids_elf(int fd, struct build_id *ret)
{
	const uint16_t one = 1;
	const uint8_t order = *(const uint8_t *)&one ? ELFDATA2LSB : ELFDATA2MSB;
	union {
		Elf64_Ehdr wide;
		Elf32_Ehdr narrow;
		uint8_t ident[EI_NIDENT];
	} head;
	uint64_t at;
	uint32_t each;
	uint32_t n;

	if (!build_ids_read(fd, &head, sizeof(head.narrow), 0) ||
	    memcmp(head.ident, ELFMAG, SELFMAG) != 0 || head.ident[EI_DATA] != order)
		return;
	if (head.ident[EI_CLASS] == ELFCLASS64) {
		if (!build_ids_read(fd, &head, sizeof(head.wide), 0))
			return;
		at = head.wide.e_phoff;
		each = head.wide.e_phentsize;
		n = head.wide.e_phnum;
	} else {
		at = head.narrow.e_phoff;
		each = head.narrow.e_phentsize;
		n = head.narrow.e_phnum;
	}
	for (uint32_t i = 0; i < n && i < BUILD_IDS_SEGMENTS && ret->len == 0; i++) {
		CLEANUP(freep) char *notes = NULL;
		uint64_t from;
		uint64_t len;

		if (at > INT64_MAX ||
		    !build_ids_segment(fd, head.ident[EI_CLASS], at + (uint64_t)i * each, &from,
				       &len) ||
		    len > BUILD_IDS_NOTES_MAX)
			continue;
		notes = xmalloc((size_t)len + 1);
		if (build_ids_read(fd, notes, (size_t)len, from))
			build_id_of_notes(notes, (size_t)len, ret);
	}
}

/*
 * Only the inode is compared, because for some file systems maps and stat() report different
 * devices.
 */
void rec_build_id_file(const char *path, const struct rec_binary *of, struct build_id *ret)
{
	struct stat st;
	int fd = files_open_regular(path, 0, &st);

	*ret = (struct build_id){ .len = 0 };
	if (fd < 0)
		return;
	if (of->inode == 0 || (uint64_t)st.st_ino == of->inode)
		build_ids_elf(fd, ret);
	(void)close(fd);
}

/*
 * Find the file with this name, device and inode in r->binaries. If it is missing, add it without a
 * build id. NULL: the list is full.
 */
static struct rec_binary *build_ids_find(struct rec *r, const struct rec_binary *like,
					 struct str name)
{
	struct idmap_probe p =
		idmap_first(&r->binary_map, hash_u64(str_hash32(name), like->inode ^ like->minor));

	while (idmap_next(&r->binary_map, &p)) {
		struct rec_binary *b = &r->binaries.data[p.id];

		if (b->inode == like->inode && b->major == like->major && b->minor == like->minor &&
		    str_eq(str_of(b->name), name))
			return b;
	}
	if (r->binaries.len >= BUILD_IDS_BINARIES)
		return NULL;
	idmap_insert(&r->binary_map, &p, (uint32_t)r->binaries.len);
	*VEC_PUSH(&r->binaries) = *like;
	r->binaries.data[r->binaries.len - 1].name = xmemdupz(name.p, name.len);
	return &r->binaries.data[r->binaries.len - 1];
}

void rec_build_ids_mapped(struct rec *r, uint32_t pid, const struct rec_binary *like,
			  struct str name, struct build_id *ret)
{
	struct rec_binary *b;
	char path[4200];

	if (name.len == 0 || name.p[0] != '/' || str_starts(name, STR("//")))
		return;
	b = build_ids_find(r, like, name);
	if (!b)
		return;
	if (!b->is_read) {
		/* first try the path below the root folder of the process, then the path itself */
		(void)snprintf(path, sizeof(path), "/proc/%" PRIu32 "/root" STR_FMT, pid,
			       STR_ARG(name));
		rec_build_id_file(path, b, &b->id);
		if (b->id.len == 0)
			rec_build_id_file(b->name, b, &b->id);
		b->is_read = true;
	}
	*ret = b->id;
}

void rec_build_ids_known(struct rec *r, struct str name, const struct build_id *id)
{
	struct rec_binary like = { .is_read = true, .is_kernel = true };
	struct rec_binary *b = build_ids_find(r, &like, name);

	if (b)
		b->id = *id;
}

void rec_build_ids_seen(struct rec *r, const uint8_t *record, size_t size)
{
	/*
	 * An MMAP2 record has these fields: header; u32 pid, tid; u64 address, length, offset; u32
	 * major, minor; u64 inode, generation; u32 protection, flags; name. @place: offset of the
	 * field major (device number). @name_at: offset of the name of the file.
	 */
	static const size_t place = 8 + 8 + 24;
	static const size_t name_at = 8 + 8 + 24 + 24 + 8;
	struct rec_binary like = { .is_read = false };
	const char *name = (const char *)record + name_at;

	if (size <= name_at + r->layout.id_bytes)
		return;
	memcpy(&like.major, record + place, sizeof(like.major));
	memcpy(&like.minor, record + place + 4, sizeof(like.minor));
	memcpy(&like.inode, record + place + 8, sizeof(like.inode));
	if (name[0] == '/' && name[1] != '/')
		(void)build_ids_find(
			r, &like,
			(struct str){ name, strnlen(name, size - name_at - r->layout.id_bytes) });
}

bool rec_build_ids_section(struct rec *r, struct out *o)
{
	size_t from = o->len;

	if (r->has_map_ids)
		return false;
	VEC_FOREACH (b, &r->binaries) {
		/* the record is perf's struct perf_record_header_build_id */
		struct {
			struct perf_event_header header;
			int32_t pid;
			uint8_t id[BUILD_ID_MAX];
			uint8_t id_len, reserved[3];
		} record = { .pid = -1 };
		size_t len = strlen(b->name);

		if (!b->is_read)
			rec_build_id_file(b->name, b, &b->id);
		b->is_read = true;
		if (b->id.len == 0)
			continue;
		record.header.misc = BUILD_IDS_HAS_SIZE | (b->is_kernel ? PERF_RECORD_MISC_KERNEL
									: PERF_RECORD_MISC_USER);
		record.header.size = (uint16_t)(sizeof(record) + len + 8 - len % 8);
		record.id_len = b->id.len;
		memcpy(record.id, b->id.bytes, b->id.len);
		out_bytes(o, &record, sizeof(record));
		out_bytes(o, b->name, len);
		out_repeat(o, '\0', 8 - len % 8);
	}
	return o->len > from;
}

void rec_build_ids_fini(struct rec *r)
{
	VEC_FOREACH (b, &r->binaries)
		free(b->name);
	VEC_FREE(&r->binaries);
	idmap_fini(&r->binary_map);
}
