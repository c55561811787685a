/* SPDX-License-Identifier: MIT */
/*
 * foreign_binary.c - binary formats that assay recognises by their first bytes but does not read
 */
#include "formats/format.h"

#include "base/status.h"
#include "base/str.h"

DECLARE_FORMAT(foreign_binary);

struct foreign_magic {
	struct str magic; /* first bytes of the file */
	struct str also;  /* more bytes that the file must have, at offset also_at; empty: none */
	size_t also_at;
	const char *name;
	const char *declined;
};

#define GPERFTOOLS_CPU                                                                          \
	"gperftools-cpu", "a CPU profile of gperftools in its old form: not read yet; go tool " \
			  "pprof -proto -output=new.pb.gz PROGRAM FILE makes one that is"
#define ART_TRACE                                                                      \
	"art-trace", "a method trace of Android (ART, Dalvik): not read yet; Android " \
		     "Studio and ui.perfetto.dev open it"

static const struct foreign_magic foreign_binary_magics[] = {
	{ STR("JAVA PROFILE 1.0."), STR(""), 0, "hprof", "a heap dump of a JVM: not read yet" },
	{ STR("\x5e\x97\xca\xfd"), STR(""), 0, "sysprof", "a sysprof capture: not read yet" },
	{ STR("\xfd\xca\x97\x5e"), STR(""), 0, "sysprof", "a sysprof capture: not read yet" },
	{ STR("Ftrace!\0"), STR(""), 0, "uftrace",
	  "data of uftrace record: not read yet; try uftrace dump" },
	/*
	 * source: gperftools, docs/cpuprofile-fileformat.html. The file begins with the words 0, 3,
	 * 0, in the byte order of the recorded machine.
	 */
	{ STR("\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"), STR(""), 0, GPERFTOOLS_CPU },
	{ STR("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0"), STR(""), 0, GPERFTOOLS_CPU },
	{ STR("\0\0\0\0\3\0\0\0\0\0\0\0"), STR(""), 0, GPERFTOOLS_CPU },
	{ STR("\0\0\0\0\0\0\0\3\0\0\0\0"), STR(""), 0, GPERFTOOLS_CPU },
	/* source: Linux, tools/perf/util/header.c, __perf_magic1, in either byte order */
	{ STR("PERFFILE"), STR(""), 0, "perf-data-1",
	  "a recording of perf from before 2012 (version 1): not read; perf script -i FILE "
	  ">FILE.txt makes text that is" },
	{ STR("ELIFFREP"), STR(""), 0, "perf-data-1",
	  "a recording of perf from before 2012 (version 1): not read; perf script -i FILE "
	  ">FILE.txt makes text that is" },
	/*
	 * stackprof writes a hash that begins with :version; source: Ruby, doc/marshal.rdoc;
	 * stackprof, ext/stackprof/stackprof.c
	 */
	{ STR("\x04\x08{"), STR(":\x0cversion"), 4, "stackprof",
	  "a stackprof profile of Ruby: not read yet; stackprof --stackcollapse makes folded "
	  "stacks" },
	/*
	 * source: Android, art/runtime/trace.cc. The file begins with a text header, or with a
	 * stream of records.
	 */
	{ STR("*version\n"), STR("\ndata-file-overflow="), 10, ART_TRACE },
	{ STR("SLOW"), STR("\0"), 5, ART_TRACE },
	{ STR("PK\x03\x04"), STR(""), 0, "zip", "a zip archive: not read yet; unpack it first" },
	{ STR("SQLite format 3\0"), STR(""), 0, "sqlite", "an SQLite database: not read yet" },
	{ STR("\x7f"
	      "ELF"),
	  STR(""), 0, "elf",
	  "a program or library, not a capture: assay record -- FILE records it, assay "
	  "perf.data reads the recording" },
};

static bool foreign_binary_find(struct str bytes, size_t from, struct extent *ret)
{
	if (from > 0 || bytes.len < 4)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(foreign_binary_magics); i++) {
		const struct foreign_magic *m = &foreign_binary_magics[i];

		if (!str_starts(bytes, m->magic) ||
		    !str_starts(str_skip(bytes, m->also_at), m->also))
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
