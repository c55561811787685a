/* SPDX-License-Identifier: MIT */
/* Every address of small programs as addr2line and llvm-symbolizer name it: functions, files,
 * lines. */
#include "unit.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "config.h"
#include "symbols/elf_symbols.h"
#include "symbols/lines/lines.h"
#include "symbols/symtab.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Functions in namespaces, classes, structures, functions and blocks; calls inlined into each
 * other. */
static const char source[] =
	"namespace a { namespace b {\n"
	"volatile long sink;\n"
	"static inline __attribute__((always_inline)) long twice(long n) {\n"
	"  sink = sink + n;\n"
	"  return sink * 2; }\n"
	"struct counter {\n"
	"  long value;\n"
	"  static long any(long n) { sink = sink ^ n; return sink; }\n"
	"  __attribute__((noinline)) long add(long n);\n"
	"  inline __attribute__((always_inline)) long less(long n) { value -= twice(n); return "
	"value; }\n"
	"  class deep { public: static __attribute__((noinline)) long in(long n) { return twice(n) "
	"+ 1; } };\n"
	"};\n"
	"long counter::add(long n) {\n"
	"  for (long i = 0; i < n; i++) {\n"
	"    long part = less(i);\n"
	"    if (part > 1000) {\n"
	"      long more = twice(part);\n"
	"      value += more; }\n"
	"  }\n"
	"  return value; }\n"
	"}\n"
	"__attribute__((noinline)) long outer(long n) {\n"
	"  struct local { static __attribute__((noinline)) long run(long m) { return b::twice(m) - "
	"3; } };\n"
	"  union other { long x; static __attribute__((noinline)) long walk(long m) { return "
	"b::twice(m); } };\n"
	"  if (n > 10) {\n"
	"    struct block { static __attribute__((noinline)) long jump(long m) { return "
	"b::twice(m) * 5; } };\n"
	"    long sum = block::jump(n);\n"
	"    return sum + n; }\n"
	"  return local::run(n) + other::walk(n) + b::counter::deep::in(n); }\n"
	"static inline __attribute__((always_inline)) long always(long n) {\n"
	"  struct inner { static __attribute__((noinline)) long hop(long m) { return b::twice(m) - "
	"9; } };\n"
	"  return inner::hop(n) + 4; }\n"
	"__attribute__((cold, noinline)) void rare(long);\n"
	"void rare(long n) { b::sink = n; }\n"
	"__attribute__((noinline)) long parts(long n) {\n"
	"  struct piece { static __attribute__((noinline)) long skip(long m) { return b::twice(m) "
	"+ 8; } };\n"
	"  if (n > 1000) {\n"
	"    rare(n);\n"
	"    rare(b::twice(n)); }\n"
	"  return piece::skip(n) + always(n); }\n"
	"}\n"
	"#line 300 \"other.h\"\n"
	"template <class T> __attribute__((noinline)) T largest(T x, T y) {\n"
	"  if (x > y)\n"
	"    return (T)a::b::twice((long)x);\n"
	"  return y; }\n"
	"extern \"C\" __attribute__((noinline, section(\".text.far\"))) long far(long n) {\n"
	"  a::b::counter c = { n };\n"
	"  return c.add(n) + a::outer(n) + a::parts(n) + largest<int>((int)n, 7) + "
	"largest<long>(n, 9) +\n"
	"         a::b::counter::any(n); }\n";

#define ADDRESSES_MAX 20000u

struct program {
	char folder[32];
	char path[48];
	struct lines *lines;
	VEC(uint64_t) addresses;
};

static int shell(const struct program *p, const char *script)
{
	char command[1024];

	(void)snprintf(command, sizeof(command), "cd %s && (%s) 2>/dev/null", p->folder, script);
	return system(command);
}

static void program_fini(struct program *p)
{
	char command[64];

	lines_free(p->lines);
	VEC_FREE(&p->addresses);
	(void)snprintf(command, sizeof(command), "rm -r %s", p->folder);
	(void)!system(command);
}

/* Write source or addresses into the folder. */
static FILE *program_file(const struct program *p, const char *name)
{
	char path[64];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%s", p->folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	return f;
}

/* List each address of functions, and one on both sides. */
static void list_addresses(struct program *p, const struct symtab *symbols)
{
	FILE *f = program_file(p, "addresses");

	VEC_FOREACH (s, &symbols->entries) {
		for (uint64_t at = s->start - 1; at <= s->end && p->addresses.len < ADDRESSES_MAX;
		     at++) {
			(void)fprintf(f, "0x%llx\n", (unsigned long long)at);
			*VEC_PUSH(&p->addresses) = at;
		}
	}
	(void)fclose(f);
}

/* Build a.so, and ask llvm-addr2line about each address. False: a tool is missing. */
static bool program_init(struct program *p, const char *compiler)
{
	struct elf_symbols e;
	char script[256];
	bool is_known = false;
	FILE *f;

	*p = (struct program){ .folder = "/tmp/assay-twin-XXXXXX" };
	if (!HAVE_LIBDW || !mkdtemp(p->folder))
		return false;
	f = program_file(p, "a.cc");
	(void)fputs(source, f);
	(void)fclose(f);
	(void)snprintf(script, sizeof(script), "%s -shared -fPIC -nostdlib -o a.so a.cc", compiler);
	(void)snprintf(p->path, sizeof(p->path), "%s/a.so", p->folder);
	if (shell(p, script) == 0 && elf_symbols_read(p->path, ELF_WHOLE, NULL, &e, NULL) == OK) {
		symtab_finish(&e.table, true);
		list_addresses(p, &e.table);
		elf_symbols_fini(&e);
		is_known = shell(p, "$(command -v llvm-addr2line || ls /usr/bin/llvm-addr2line-* | "
				    "tail -1) "
				    "-a -f -i -e a.so <addresses >reported") == 0 &&
			   lines_open(p->path, NULL, &p->lines, NULL) == OK;
	}
	if (!is_known)
		program_fini(p);
	return is_known;
}

/* A frame as a tool prints it: a line with the function, a line with file:line. */
struct frame {
	char function[200];
	char place[200];
};

static void without_folders(char *s)
{
	char *slash = strrchr(s, '/');

	if (slash)
		memmove(s, slash + 1, strlen(slash));
}

/* Read the frames of one address, up to the line with the next address. */
static size_t reported_frames(FILE *f, struct frame ret[LINES_FRAMES_MAX])
{
	struct frame at;
	size_t n = 0;

	while (fgets(at.function, sizeof(at.function), f) && strncmp(at.function, "0x", 2) != 0) {
		assert_non_null(fgets(at.place, sizeof(at.place), f));
		at.function[strcspn(at.function, "\n")] = '\0';
		at.place[strcspn(at.place, " \n")] = '\0';
		without_folders(at.place);
		/* the name is of the symbol table where there is no debug information */
		if (!strchr(at.place, '?') && (at.function[0] != '?' || !strstr(at.place, ":0")) &&
		    n < LINES_FRAMES_MAX)
			ret[n++] = at;
	}
	return n;
}

/*
 * Whether both name the same frames. The tools name the outermost function by the symbol table,
 * which has names of functions in functions, too, and names padding after a function.
 */
static bool is_same(const struct line_frame *found, size_t n, const struct frame *reported,
		    size_t n_reported)
{
	if (n != n_reported)
		return false;
	for (size_t i = 0; i < n; i++) {
		char place[200];

		(void)snprintf(place, sizeof(place), "%.*s:%u", STR_ARG(found[i].file),
			       found[i].line);
		without_folders(place);
		if (strcmp(place, reported[i].place) != 0 || found[i].is_inlined != (i + 1 < n))
			return false;
		if (i + 1 < n ? !str_eq(found[i].function, str_of(reported[i].function))
			      : str_find(str_of(reported[i].function), found[i].function) >=
					strlen(reported[i].function))
			return false;
	}
	return true;
}

/* Number of addresses where lines_find() and llvm-addr2line differ. @ret_deepest: frames at one
 * address. */
static size_t n_different(struct program *p, size_t *ret_deepest)
{
	struct line_frame found[LINES_FRAMES_MAX];
	struct frame reported[LINES_FRAMES_MAX];
	size_t n_wrong = 0;
	char path[64];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/reported", p->folder);
	f = fopen(path, "r");
	assert_non_null(f);
	(void)reported_frames(f, reported);
	VEC_FOREACH (at, &p->addresses) {
		size_t n_reported = reported_frames(f, reported);
		size_t n = lines_find(p->lines, *at, found);

		*ret_deepest = n_reported > *ret_deepest ? n_reported : *ret_deepest;
		if (!is_same(found, n, reported, n_reported)) {
			if (!n_wrong++)
				print_message("# at %llx\n", (unsigned long long)*at);
			for (size_t i = 0; n_wrong < 4 && i < n_reported; i++)
				print_message("# reported  %s %s\n", reported[i].function,
					      reported[i].place);
			for (size_t i = 0; n_wrong < 4 && i < n; i++)
				print_message("# found %.*s %.*s:%u\n", STR_ARG(found[i].function),
					      STR_ARG(found[i].file), found[i].line);
		}
	}
	(void)fclose(f);
	return n_wrong;
}

static void frames_are_those_of_llvm_addr2line(void **state)
{
	static const char *const builds[] = {
		"g++ -O0 -gdwarf-4",
		"g++ -O2 -gdwarf-4",
		"g++ -O0 -gdwarf-5",
		"g++ -O2 -gdwarf-5",
		"g++ -O2 -gdwarf-5 -gz",
		"g++ -O2 -gdwarf-4 -gsplit-dwarf",
		"g++ -O2 -gdwarf-5 -gsplit-dwarf",
		"clang++ -O0 -gdwarf-5",
		"clang++ -O2 -gdwarf-4",
		"clang++ -O2 -gdwarf-5",
		"clang++ -O2 -gdwarf-4 -gsplit-dwarf",
		"clang++ -O2 -gdwarf-5 -gsplit-dwarf",
	};
	size_t n_built = 0, n_wrong = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(builds); i++) {
		struct program p;
		size_t deepest = 0, n;

		if (!program_init(&p, builds[i]))
			continue;
		n = n_different(&p, &deepest);
		print_message("# %s: %zu of %zu differ, deepest %zu\n", builds[i], n,
			      p.addresses.len, deepest);
		n_wrong += n;
		assert_true(deepest >= 2);
		program_fini(&p);
		n_built++;
	}
	if (!n_built)
		SKIP_TEST("no C++ compiler, no llvm-addr2line or no libdw");
	assert_int_equal(n_wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(frames_are_those_of_llvm_addr2line) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
