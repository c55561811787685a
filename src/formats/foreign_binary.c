/* SPDX-License-Identifier: MIT */
/*
 * foreign_binary.c - binary formats that assay knows by name only
 *
 * Known by the bytes at their start.
 */
#include "formats/format.h"

struct foreign_magic {
	struct str magic;
	size_t at;
	const char *name;
	const char *declined;
};

static const struct foreign_magic foreign_binary_magics[] = {
	{ STR("JAVA PROFILE 1.0."), 0, "hprof", "a heap dump of a JVM: not read yet" },
	{ STR("FLR\0"), 0, "jfr", "a Java Flight Recorder file: not read yet" },
	{ STR("\x5e\x97\xca\xfd"), 0, "sysprof", "a sysprof capture: not read yet" },
	{ STR("\xfd\xca\x97\x5e"), 0, "sysprof", "a sysprof capture: not read yet" },
	{ STR("Ftrace!\0"), 0, "uftrace",
	  "data of uftrace record: not read yet; try uftrace dump" },
	{ STR("PK\x03\x04"), 0, "zip", "a zip archive: not read yet; unpack it first" },
	{ STR("SQLite format 3\0"), 0, "sqlite", "an SQLite database: not read yet" },
	{ STR("\x7f"
	      "ELF"),
	  0, "elf", "a program or library: not a capture" },
};

static bool foreign_binary_find(struct str bytes, size_t from, struct extent *ret)
{
	if (from > 0 || bytes.len < 4)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(foreign_binary_magics); i++) {
		const struct foreign_magic *m = &foreign_binary_magics[i];

		if (!str_starts(str_skip(bytes, m->at), m->magic))
			continue;
		*ret = (struct extent){ 0, bytes.len, 97, m->name, m->declined };
		return true;
	}
	return false;
}

static unsigned int foreign_binary_probe(struct str head)
{
	struct extent e;

	return foreign_binary_find(head, 0, &e) ? e.score : 0;
}

const struct format format_foreign_binary = {
	.name = "foreign-binary",
	.summary = "binary formats known by name and not read yet",
	.is_binary = true,
	.probe = foreign_binary_probe,
	.find = foreign_binary_find,
};
