/* SPDX-License-Identifier: MIT */
/* jitdumps.h - jitdump files for tests, byte by byte from the specification */
#ifndef UNIT_JITDUMPS_H
#define UNIT_JITDUMPS_H

#include "base/out.h"
#include "base/str.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct jit_bytes {
	struct out o;
	bool is_swapped;
};

static inline void jit_put32(struct jit_bytes *b, uint32_t v)
{
	v = b->is_swapped ? __builtin_bswap32(v) : v;
	out_str(&b->o, (struct str){ (const char *)&v, sizeof(v) });
}

static inline void jit_put64(struct jit_bytes *b, uint64_t v)
{
	v = b->is_swapped ? __builtin_bswap64(v) : v;
	out_str(&b->o, (struct str){ (const char *)&v, sizeof(v) });
}

static inline void jit_text(struct jit_bytes *b, const char *text)
{
	out_str(&b->o, (struct str){ text, strlen(text) + 1 });
}

static inline void jit_begin(struct jit_bytes *b, bool is_swapped, uint64_t flags)
{
	out_init(&b->o);
	b->is_swapped = is_swapped;
	jit_put32(b, 0x4a695444); /* magic */
	jit_put32(b, 1);          /* version */
	jit_put32(b, 40);         /* size of this header */
	jit_put32(b, 62);         /* elf_mach */
	jit_put32(b, 0);
	jit_put32(b, 7);  /* pid */
	jit_put64(b, 50); /* timestamp */
	jit_put64(b, flags);
}

static inline void jit_record(struct jit_bytes *b, uint32_t id, size_t body, uint64_t time)
{
	jit_put32(b, id);
	jit_put32(b, (uint32_t)(16 + body));
	jit_put64(b, time);
}

/* JIT_CODE_LOAD, with the bytes of the code. */
static inline void jit_load(struct jit_bytes *b, uint64_t time, uint64_t at, uint64_t size,
			    uint64_t index, const char *name)
{
	jit_record(b, 0, 40 + strlen(name) + 1 + size, time);
	jit_put32(b, 7);
	jit_put32(b, 7);
	jit_put64(b, at); /* vma */
	jit_put64(b, at);
	jit_put64(b, size);
	jit_put64(b, index);
	jit_text(b, name);
	for (uint64_t i = 0; i < size; i++)
		out_z(&b->o, "\x90");
}

/* JIT_CODE_MOVE */
static inline void jit_move(struct jit_bytes *b, uint64_t time, uint64_t old, uint64_t new,
			    uint64_t size, uint64_t index)
{
	jit_record(b, 1, 48, time);
	jit_put32(b, 7);
	jit_put32(b, 7);
	jit_put64(b, new);
	jit_put64(b, old);
	jit_put64(b, new);
	jit_put64(b, size);
	jit_put64(b, index);
}

/* One entry of JIT_CODE_DEBUG_INFO. The record's body has 16 bytes before its entries. */
static inline void jit_entry(struct jit_bytes *b, uint64_t at, uint32_t line, const char *file)
{
	jit_put64(b, at);
	jit_put32(b, line);
	jit_put32(b, 0);
	jit_text(b, file);
}

/* A file with these bytes; the caller closes it. */
static inline int jit_file(const struct jit_bytes *b, size_t len)
{
	int fd = memfd_create("jit", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, b->o.data, len), len);
	return fd;
}

#endif
