/* SPDX-License-Identifier: MIT */
/*
 * Unwind samples with the maps of the resolver. Each step needs a map, a function and a row of call
 * frame information. Most samples have one of a few thousand addresses, so rows are cached. The key
 * is module and file offset, so that all processes share the cache. Pieces of files are also
 * cached, because reading costs a system call, and opening another file costs a request to the
 * parent process.
 */
#include "symbols/resolver/resolver_state.h"

#include "base/alloc.h"
#include "base/files.h"
#include "base/idmap.h"
#include "base/status.h"
#include "base/str.h"
#include "core/ids.h"
#include "core/strings.h"
#include "symbols/elf_symbols.h"
#include "symbols/module_files.h"
#include "symbols/resolver/resolver.h"
#include "symbols/unwind/cfi.h"
#include "symbols/unwind/unwind.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

/* number of slots for rows, 16 bytes each; a power of two */
#define RESOLVER_ROWS 16384u
/* number of slots for pieces of files, 88 bytes each; a power of two */
#define RESOLVER_PIECES 16384u

/*
 * Size in bytes of a piece of a file; a power of two. 8 more bytes are stored, so that each 8-byte
 * word that starts in the piece is complete.
 */
#define RESOLVER_PIECE_BYTES 64u

/* Cached row of call frame information. Key: module and file offset. */
struct resolver_row {
	uint64_t offset;
	uint32_t module_1; /* 1 + index of the module; 0: this slot is empty */
	uint32_t row;
};

/* Cached piece of a file. Key: module and file offset. */
struct resolver_piece {
	uint64_t offset;
	uint32_t module_1; /* 1 + index of the module; 0: this slot is empty */
	/* number of valid bytes in `bytes`; less than its size at the end of the file */
	uint32_t len;
	uint8_t bytes[RESOLVER_PIECE_BYTES + 8];
};

struct resolver_places {
	struct resolver_row rows[RESOLVER_ROWS];
	struct resolver_piece pieces[RESOLVER_PIECES];
	/* open file of the module number fd_module, the last module that was read; -1: none */
	int fd;
	uint32_t fd_module;
};

struct resolver_unwinding {
	struct resolver *r;
	uint32_t pid;
	/* machine of the sample, EM_X86_64 or EM_AARCH64; used only by resolver_call() */
	uint16_t machine;
};

void resolver_places_free(struct resolver *r)
{
	if (r->places && r->places->fd >= 0)
		(void)close(r->places->fd);
	free(r->places);
}

static bool resolver_is_vdso(struct resolver *r, const struct module *m)
{
	return str_eq(strings_get(resolver_strings(r), m->path), STR("[vdso]"));
}

/* Whether the file at the path of @m is the file that was mapped during the recording. */
static bool resolver_has_code(struct resolver *r, struct module *m, const char *path)
{
	struct elf_symbols e;

	if (!m->is_code_judged) {
		m->is_code_judged = true;
		m->is_code_here = resolver_path_is_proven(r, m);
		if (m->build_id.len && elf_symbols_read(path, ELF_FRAME, NULL, &e, NULL) == OK) {
			m->is_code_here = build_id_eq(&m->build_id, &e.build_id) ||
					  (m->is_code_here && !e.build_id.len);
			elf_symbols_fini(&e);
		}
	}
	return m->is_code_here;
}

/*
 * Whether the file @path has the recorded build id. This proves that the file ran, if its path does
 * not prove it.
 */
static bool resolver_has_build_id(const struct module *m, const char *path)
{
	struct elf_symbols e;
	bool has;

	if (!m->build_id.len || elf_symbols_read(path, ELF_FRAME, NULL, &e, NULL) < 0)
		return false;
	has = build_id_eq(&m->build_id, &e.build_id);
	elf_symbols_fini(&e);
	return has;
}

bool resolver_code_file(struct resolver *r, struct module *m, unsigned int i, char ret[4096])
{
	struct str path = strings_get(resolver_strings(r), m->path);
	const char *root = r->options.root ? r->options.root : "";

	if (r->options.names)
		return false;
	if (i == 0)
		return module_files_cached(&m->build_id, r->options.cache, ret);
	if (path.len == 0 || path.p[0] != '/' || path.len > PATH_MAX / 2)
		return false;
	if (i == 1) {
		(void)snprintf(ret, PATH_MAX, "%s" STR_FMT, root, STR_ARG(path));
		return resolver_has_code(r, m, ret);
	}
	if (i > 2 || r->options.root || !m->pid)
		return false;
	module_files_of_process(path, m->pid, ret);
	return resolver_has_build_id(m, ret);
}

static void resolver_load_cfi(struct resolver *r, struct module *m)
{
	char path[PATH_MAX];

	m->is_cfi_tried = true;
	if (m->kind != MODULE_FILE || r->options.names || !module_files_are_read())
		return;
	if (resolver_is_vdso(r, m)) {
		size_t len;
		const void *image = elf_symbols_vdso_image(&len);

		if (image && (m->build_id.len || resolver_path_is_proven(r, m)))
			(void)!cfi_open_image(image, len, &m->cfi, NULL);
	}
	for (unsigned int i = 0; i < RESOLVER_CODE_FILES && !m->cfi; i++) {
		if (resolver_code_file(r, m, i, path))
			m->is_unread |= cfi_open(path, &m->cfi, NULL) == ERR_IO;
	}
	if (m->cfi && build_id_differ(&m->build_id, &m->cfi->build_id)) {
		cfi_free(m->cfi);
		m->cfi = NULL;
	}
}

static uint32_t resolver_find_row(struct resolver *r, uint32_t module, uint64_t offset)
{
	struct resolver_row *row = &r->places->rows[hash_u64(offset, module) & (RESOLVER_ROWS - 1)];
	struct cfi *c = r->modules.data[module].cfi;

	if (row->offset != offset || row->module_1 != module + 1)
		*row = (struct resolver_row){ offset, module + 1,
					      cfi_find(c, cfi_address_of_offset(c, offset)) };
	return row->row;
}

static struct unwind_place resolver_place(void *context, uint64_t address)
{
	struct resolver_unwinding *u = context;
	struct resolver *r = u->r;
	const struct map *map = resolver_find_map(resolver_process(r, u->pid), address);
	struct module *m = map ? &r->modules.data[map->module] : NULL;

	if (m && !m->is_cfi_tried)
		resolver_load_cfi(r, m);
	if (!m || !m->cfi)
		return (struct unwind_place){ NULL, INDEX_NONE, map && !map->is_data };
	return (struct unwind_place){
		m->cfi, resolver_find_row(r, map->module, address - map->start + map->offset),
		!map->is_data
	};
}

/*
 * Read bytes of the module's file from @offset on into @p. At the end of the file, @p gets fewer
 * bytes.
 */
static void resolver_read_piece(struct resolver *r, uint32_t module, uint64_t offset,
				struct resolver_piece *p)
{
	struct resolver_places *places = r->places;
	char path[PATH_MAX];
	ssize_t n = 0;

	if (places->fd_module != module) {
		if (places->fd >= 0)
			(void)close(places->fd);
		places->fd = -1;
		places->fd_module = module;
		for (unsigned int i = 0; i < RESOLVER_CODE_FILES && places->fd < 0; i++) {
			if (resolver_code_file(r, &r->modules.data[module], i, path))
				places->fd = files_open(path, FILES_ELF);
		}
	}
	if (places->fd >= 0)
		n = pread(places->fd, p->bytes, sizeof(p->bytes), (off_t)offset);
	p->offset = offset;
	p->module_1 = module + 1;
	p->len = n > 0 ? (uint32_t)n : 0;
}

static enum unwind_read resolver_read(void *context, uint64_t address, uint64_t *ret)
{
	struct resolver_unwinding *u = context;
	struct resolver *r = u->r;
	const struct map *map = resolver_find_map(resolver_process(r, u->pid), address);
	struct module *m = map ? &r->modules.data[map->module] : NULL;
	struct resolver_piece *p;
	uint64_t offset;
	size_t at;

	if (!m)
		return UNWIND_READ_UNMAPPED;
	if (m->kind != MODULE_FILE || !module_files_are_read() || resolver_is_vdso(r, m))
		return UNWIND_READ_NOTHING;
	offset = address - map->start + map->offset;
	at = offset % RESOLVER_PIECE_BYTES;
	offset -= at;
	p = &r->places->pieces[hash_u64(offset, map->module) & (RESOLVER_PIECES - 1)];
	if (p->offset != offset || p->module_1 != map->module + 1)
		resolver_read_piece(r, map->module, offset, p);
	if (p->len < at + sizeof(*ret))
		return UNWIND_READ_NOTHING;
	memcpy(ret, p->bytes + at, sizeof(*ret));
	*ret = le64toh(*ret);
	return UNWIND_READ_OK;
}

/*
 * Whether an indirect call (opcode ff /2, 2 to 7 bytes) ends exactly at a return address. @at: the
 * 8 bytes before this address.
 */
static bool resolver_is_indirect_call(const uint8_t at[8])
{
	for (unsigned int len = 2; len <= 7; len++) {
		uint8_t modrm = at[8 - len + 1];
		unsigned int mod = modrm >> 6;
		unsigned int rm = modrm & 7;
		/*
		 * length of an indirect call: opcode and ModRM (2 bytes), SIB byte if present; the
		 * displacement is added below
		 */
		unsigned int need = mod != 3 && rm == 4 ? 3 : 2;

		if (mod == 1)
			need += 1;
		else if (mod == 2 || (mod == 0 && rm == 5))
			need += 4;
		if (at[8 - len] == 0xff && (modrm >> 3 & 7) == 2 && need == len)
			return true;
	}
	return false;
}

/*
 * a call instruction counts as a call of the function at `to` if the target of the call is less
 * than this number of bytes below `to`
 */
#define RESOLVER_CALLEE_BYTES 65536u

static enum unwind_call resolver_call(void *context, uint64_t address, uint64_t to)
{
	struct resolver_unwinding *u = context;
	const struct map *map = resolver_find_map(resolver_process(u->r, u->pid), address - 1);
	uint8_t bytes[8];
	uint64_t word;
	int32_t distance;

	if (!map || map->is_data || address - map->start < sizeof(word))
		return UNWIND_CALL_NONE;
	if (resolver_read(context, address - sizeof(word), &word) != UNWIND_READ_OK)
		return UNWIND_CALL_UNSEEN;
	word = htole64(word);
	memcpy(bytes, &word, sizeof(bytes));
	if (u->machine == EM_AARCH64) /* on AArch64, a call is bl or blr */
		return (bytes[7] & 0xfc) == 0x94 || (bytes[7] == 0xd6 && (bytes[6] & 0xe0) == 0x20)
			       ? UNWIND_CALL_ANY
			       : UNWIND_CALL_NONE;
	if (bytes[3] == 0xe8) {
		memcpy(&distance, bytes + 4, sizeof(distance));
		return to - (address + (uint64_t)(int64_t)distance) < RESOLVER_CALLEE_BYTES
			       ? UNWIND_CALL_TO
			       : UNWIND_CALL_ANY;
	}
	return resolver_is_indirect_call(bytes) ? UNWIND_CALL_ANY : UNWIND_CALL_NONE;
}

static void resolver_make_places(struct resolver *r)
{
	if (r->places)
		return;
	r->places = xcalloc(1, sizeof(*r->places));
	r->places->fd = -1;
	r->places->fd_module = RESOLVER_NO_MODULE;
}

bool resolver_has_no_frame(struct resolver *r, uint32_t pid, uint64_t address)
{
	struct resolver_unwinding u = { r, pid, 0 };
	const struct map *map = resolver_find_map(resolver_process(r, pid), address);
	const struct module *m = map ? &r->modules.data[map->module] : NULL;
	uint64_t offset = map ? address - map->start + map->offset : 0;
	struct unwind_place place;
	bool has_none;

	if (m && r->options.names)
		return resolver_names_has_leaf(r, m, offset);
	resolver_make_places(r);
	place = resolver_place(&u, address);
	has_none = place.cfi && place.row != INDEX_NONE && cfi_has_no_frame(place.cfi, place.row);
	if (m && has_none && r->options.collected)
		resolver_names_note_leaf(r, m, offset);
	return has_none;
}

size_t resolver_unwind(struct resolver *r, uint32_t pid, const struct unwind_sample *s,
		       uint64_t *ret_places, size_t max)
{
	struct resolver_unwinding u = { r, pid, 0 };
	struct unwind_process process = {
		.context = &u,
		.place = resolver_place,
		.read = resolver_read,
	};

	resolver_make_places(r);
	return unwind_run(s, &process, ret_places, max);
}

size_t resolver_unwind_mixed(struct resolver *r, uint32_t pid, const struct unwind_sample *s,
			     struct unwind_chain fp, uint64_t *ret_places, size_t max)
{
	struct resolver_unwinding u = { r, pid, s->machine };
	struct unwind_process process = {
		.context = &u,
		.place = resolver_place,
		.read = resolver_read,
		.call = resolver_call,
	};

	resolver_make_places(r);
	return unwind_mixed(s, &process, fp, ret_places, max);
}

void resolver_end(struct resolver *r, uint32_t pid)
{
	struct process *p = resolver_process(r, pid);

	r->version++;
	p->generation = 0;
	p->last_map = 0;
	p->jit = 0;
	resolver_drop_maps(r, p);
}
