/* SPDX-License-Identifier: MIT */
/*
 * Split debug information: the first four bytes of the input are the length of the program, then
 * come the program and its .dwo or .dwp file.
 */
#include "config.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#if HAVE_LIBDW

#include "symbols/lines/lines_split.h"

#include "symbols/lines/split_file.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <endian.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FUZZ_CHECK(x) ((x) ? (void)0 : __builtin_trap())
#define FUZZ_DIES     5000u /* limits for one input */
#define FUZZ_RANGES   100u

static int fuzz_file(const uint8_t *data, size_t size)
{
	int fd = memfd_create("split", MFD_CLOEXEC);

	FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	return fd;
}

/* Read the ranges of an entry and of all entries below it. */
static void fuzz_die(struct lines_split *u, Dwarf_Die *die, unsigned int depth, unsigned int *left)
{
	Dwarf_Addr base = 0;
	Dwarf_Addr start = 0;
	Dwarf_Addr end = 0;
	ptrdiff_t at = 0;
	Dwarf_Die child;

	if (*left == 0)
		return;
	--*left;
	for (unsigned int i = 0; i < FUZZ_RANGES; i++) {
		at = lines_split_ranges(u, die, at, &base, &start, &end);
		if (at <= 0)
			break;
	}
	if (depth == 0 || dwarf_child(die, &child) != 0)
		return;
	do {
		fuzz_die(u, &child, depth - 1, left);
	} while (*left && dwarf_siblingof(&child, &child) == 0);
}

static void fuzz_units(Dwarf *program, struct lines_splits *s)
{
	unsigned int left = FUZZ_DIES;
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	while (left && dwarf_get_units(program, cu, &cu, NULL, NULL, &die, NULL) == 0) {
		struct lines_split *u;

		left--;
		if (!lines_split_is(&die))
			continue;
		u = lines_split_open(s, program, &die);
		FUZZ_CHECK(u || dwarf_haschildren(&die) || s->n_missing);
		if (u)
			fuzz_die(u, &u->die, 16, &left);
		lines_split_free(u);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* no file of this machine is opened: the .dwp is, and the folder does not exist */
	char path[] = "/nonexistent/program";
	struct lines_splits s = {
		.path = path, .program = path, .root = path, .is_dwp_tried = true
	};
	uint32_t len;
	Dwarf *program;
	int fd;
	int split;

	if (size < sizeof(len))
		return 0;
	memcpy(&len, data, sizeof(len));
	len = le32toh(len);
	data += sizeof(len);
	size -= sizeof(len);
	len = len < size ? len : (uint32_t)size;
	fd = fuzz_file(data, len);
	split = fuzz_file(data + len, size - len);
	if (!split_file_open(&s.dwp, split))
		(void)close(split);
	program = dwarf_begin(fd, DWARF_C_READ);
	if (program) {
		fuzz_units(program, &s);
		(void)dwarf_end(program);
	}
	/* the paths are not on the heap */
	s.path = s.program = s.root = NULL;
	lines_splits_fini(&s);
	(void)close(fd);
	return 0;
}

#else

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	(void)data;
	(void)size;
	return 0;
}

#endif
