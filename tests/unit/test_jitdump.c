/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "core/dossier.h"
#include "core/symbols.h"
#include "jitdumps.h"
#include "symbols/elf_symbols.h"
#include "symbols/jitdump.h"
#include "symbols/origin.h"
#include "symbols/resolver/resolver.h"

#include <stdlib.h>
#include <sys/stat.h>

static struct str name_at(struct jitdump *d, uint64_t address, uint64_t now)
{
	const struct jit_code *c = jitdump_find(d, address, now);

	return c ? jitdump_name(d, c->name) : STR_NONE;
}

static void read_all(const struct jit_bytes *b, size_t len, struct jitdump *ret)
{
	int fd = jit_file(b, len);

	assert_int_equal(jitdump_read(fd, ret, NULL), OK);
	(void)close(fd);
}

static void an_address_has_the_function_of_its_time(void **state)
{
	(void)state;
	for (int is_swapped = 0; is_swapped < 2; is_swapped++) {
		struct jit_bytes b;
		struct jitdump d;

		jit_begin(&b, is_swapped, 0);
		jit_load(&b, 100, 0x1000, 0x40, 1, "one");
		jit_load(&b, 110, 0x2000, 0x10, 2, "alone");
		jit_load(&b, 200, 0x1020, 0x40, 3, "two");
		jit_record(&b, 4, 0, 210); /* unwinding information */
		jit_record(&b, 9, 8, 210); /* a record of unknown kind */
		jit_put64(&b, 0);
		jit_record(&b, 3, 0, 220); /* close */
		read_all(&b, b.o.len, &d);
		assert_str(name_at(&d, 0x1000, 150), "one");
		assert_str(name_at(&d, 0x103f, 199), "one");
		assert_str(name_at(&d, 0x1020, 200), "two");
		assert_str(name_at(&d, 0x101f, 200), "one");
		assert_str(name_at(&d, 0x105f, 300), "two");
		assert_int_equal(name_at(&d, 0x1060, 300).len, 0);
		assert_int_equal(name_at(&d, 0xfff, 300).len, 0);
		/*
		 * a runtime logs code after the code began to run, so earlier samples get the first
		 * name, too
		 */
		assert_str(name_at(&d, 0x1020, 99), "one");
		assert_str(name_at(&d, 0x2000, 1), "alone");
		/* without a time, an address is named if it was in one function only */
		assert_str(name_at(&d, 0x2000, JITDUMP_NO_TIME), "alone");
		assert_str(name_at(&d, 0x1000, JITDUMP_NO_TIME), "one");
		assert_int_equal(name_at(&d, 0x1020, JITDUMP_NO_TIME).len, 0);
		/* names change only at these times */
		assert_int_equal(d.changes.len, 2);
		assert_int_equal(d.changes.data[0], 100);
		assert_int_equal(d.changes.data[1], 200);
		assert_int_equal(d.n_unwinding, 1);
		assert_int_equal(d.n_unknown, 1);
		assert_int_equal(d.n_bad, 0);
		assert_true(d.is_closed);
		assert_false(d.is_cut);
		jitdump_fini(&d);
		out_fini(&b.o);
	}
}

static void moved_code_has_its_name_at_the_new_place(void **state)
{
	struct jit_bytes b;
	struct jitdump d;

	(void)state;
	jit_begin(&b, false, 0);
	jit_load(&b, 100, 0x1000, 0x40, 1, "moved");
	jit_move(&b, 200, 0x1000, 0x3000, 0x40, 1);
	jit_move(&b, 210, 0x1000, 0x4000, 0x40, 1); /* it is no longer there */
	jit_move(&b, 220, 0x5000, 0x6000, 0x40, 8); /* never loaded */
	jit_move(&b, 300, 0x3000, 0x7000, 0x20, 1);
	read_all(&b, b.o.len, &d);
	assert_str(name_at(&d, 0x1000, 199), "moved");
	assert_int_equal(name_at(&d, 0x1000, 200).len, 0);
	assert_str(name_at(&d, 0x3000, 299), "moved");
	assert_int_equal(name_at(&d, 0x3000, 300).len, 0);
	assert_str(name_at(&d, 0x701f, 300), "moved");
	assert_int_equal(name_at(&d, 0x7020, 300).len, 0);
	assert_int_equal(d.n_bad, 2);
	jitdump_fini(&d);
	out_fini(&b.o);
}

/* Code of 0x100 bytes at 0x1000 with two lines, at offsets @first and @second. */
static void put_lines(struct jit_bytes *b, uint64_t first, uint64_t second, const char *file)
{
	jit_begin(b, false, 0);
	jit_record(b, 2, 16 + 2 * 16 + strlen(file) + 1 + 2, 90);
	jit_put64(b, 0x1000);
	jit_put64(b, 2);
	jit_entry(b, 0x1000 + first, 3, file);
	jit_entry(b, 0x1000 + second, 5, "\xff"); /* the same file */
	jit_load(b, 100, 0x1000, 0x100, 1, "f");
}

static uint32_t line_at(uint64_t first, uint64_t second, const char *file, uint64_t address,
			uint64_t *ret_wrong)
{
	struct jit_bytes b;
	struct jitdump d;
	const struct jit_line *l;
	uint32_t line;

	put_lines(&b, first, second, file);
	read_all(&b, b.o.len, &d);
	l = jitdump_line(&d, jitdump_find(&d, 0x1000, 100), address);
	line = l ? l->line : 0;
	if (l)
		assert_str(jitdump_name(&d, l->file), "a.js");
	*ret_wrong = d.n_lines_wrong;
	jitdump_fini(&d);
	out_fini(&b.o);
	return line;
}

static void lines_are_those_of_the_code_at_the_address(void **state)
{
	uint64_t wrong;

	(void)state;
	assert_int_equal(line_at(0, 0x20, "a.js", 0x1000, &wrong), 3);
	assert_int_equal(line_at(0, 0x20, "a.js", 0x101f, &wrong), 3);
	assert_int_equal(line_at(0, 0x20, "a.js", 0x1020, &wrong), 5);
	assert_int_equal(line_at(0x3f, 0x60, "a.js", 0x103e, &wrong), 0); /* no line yet */
	/*
	 * V8 adds the size of an ELF header to offsets: a line at or after the end of the code
	 * reveals this
	 */
	assert_int_equal(line_at(0x40, 0x100, "a.js", 0x1000, &wrong), 3);
	assert_int_equal(line_at(0x40, 0x100, "a.js", 0x10bf, &wrong), 3);
	assert_int_equal(line_at(0x40, 0x100, "a.js", 0x10c0, &wrong), 5);
	/* without such a line or one in the first 64 bytes, it is unknown if a header was added */
	assert_int_equal(line_at(0x40, 0xff, "a.js", 0x10ff, &wrong), 0);
	assert_int_equal(wrong, 0);
}

static void lines_that_contradict_their_code_are_counted_and_left_out(void **state)
{
	uint64_t wrong;

	(void)state;
	assert_int_equal(line_at(0, 0x140, "a.js", 0x1000, &wrong), 0); /* beyond the code */
	assert_int_equal(wrong, 1);
	/* a line in the first 64 bytes and a line at the end of the code contradict each other */
	assert_int_equal(line_at(0, 0x100, "a.js", 0x1000, &wrong), 0);
	assert_int_equal(wrong, 1);
	assert_int_equal(line_at(0x20, 0x10, "a.js", 0x1020, &wrong), 0); /* offsets go back */
	assert_int_equal(wrong, 1);
	assert_int_equal(line_at(0, 0x20, "^9\x02", 0x1000, &wrong), 0); /* not a file name */
	assert_int_equal(wrong, 1);
	assert_int_equal(line_at(0, 0x20, "\xff", 0x1000, &wrong), 0); /* same as no file */
	assert_int_equal(wrong, 1);
}

static void every_cut_of_a_dump_keeps_the_whole_records_before_it(void **state)
{
	struct jit_bytes b;
	size_t lines;
	size_t first;

	(void)state;
	put_lines(&b, 0, 0x20, "a.js");
	first = b.o.len;
	lines = first - 56 - 2 - 0x100; /* end of the record before the load */
	jit_load(&b, 200, 0x2000, 0x10, 2, "g");
	for (size_t len = 40; len <= b.o.len; len++) {
		struct jitdump d;

		read_all(&b, len, &d);
		assert_int_equal(d.codes.len, (len >= first) + (len == b.o.len));
		assert_int_equal(d.n_bad, 0);
		assert_int_equal(d.is_cut,
				 len != 40 && len != lines && len != first && len != b.o.len);
		jitdump_fini(&d);
	}
	out_fini(&b.o);
}

static void records_that_contradict_their_size_are_counted(void **state)
{
	struct jit_bytes b;
	struct jitdump d;
	struct error err;
	int fd;

	(void)state;
	jit_begin(&b, false, 0);
	jit_record(&b, 0, 0, 1);                /* a load without a body */
	jit_record(&b, 2, 0, 1);                /* lines without a body */
	jit_load(&b, 2, UINT64_MAX, 2, 1, "f"); /* beyond the address space */
	jit_load(&b, 3, 0x1000, 1, 2, "");      /* code without a name is no error */
	jit_load(&b, 4, 0x1000, 1, 3, "good");
	jit_put32(&b, 0);
	jit_put32(&b, 15); /* smaller than its own header: the next record cannot be found */
	jit_put64(&b, 0);
	jit_load(&b, 5, 0x2000, 1, 4, "lost");
	read_all(&b, b.o.len, &d);
	assert_int_equal(d.n_bad, 4);
	assert_int_equal(d.codes.len, 1);
	assert_str(name_at(&d, 0x1000, 4), "good");
	jitdump_fini(&d);
	fd = jit_file(&b, 39);
	assert_int_equal(jitdump_read(fd, &d, &err), ERR_FORMAT);
	jitdump_fini(&d);
	(void)close(fd);
	out_fini(&b.o);
	jit_begin(&b, false, 0);
	b.o.data[4] = 2;
	fd = jit_file(&b, b.o.len);
	assert_int_equal(jitdump_read(fd, &d, &err), ERR_FORMAT);
	assert_str(str_of(err.msg), "a jitdump of the unknown version 2");
	jitdump_fini(&d);
	(void)close(fd);
	out_fini(&b.o);
}

static struct str symbol_at(struct dossier *d, struct resolver *r, uint32_t pid, uint64_t address)
{
	return symbols_name(&d->symbols, resolver_symbol(r, pid, CPUMODE_USER, address));
}

/* A dump in @folder, which is used as --symfs. */
static void write_dump(const char *folder)
{
	char path[128];
	struct jit_bytes b;
	FILE *f;

	jit_begin(&b, false, 0);
	jit_load(&b, 100, 0x1000, 0x40, 1, "one");
	jit_load(&b, 200, 0x1000, 0x40, 2, "two");
	jit_load(&b, 100, 0x9000, 0x40, 3, "of_a_file");
	(void)snprintf(path, sizeof(path), "%s/jit-7.dump", folder);
	f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(b.o.data, 1, b.o.len, f), b.o.len);
	assert_int_equal(fclose(f), 0);
	out_fini(&b.o);
}

static struct resolver *resolver_with_dump(struct dossier *d, const char *folder, bool is_monotonic)
{
	struct resolver_options options = { .root = folder };
	struct origin_facts facts = { .is_monotonic = is_monotonic };
	struct resolver *r = resolver_new(&d->symbols, &options);

	resolver_recorded(r, &facts);
	resolver_map(r, 7, 0x1000, 0x1000, 0, STR("//anon"), NULL);
	resolver_map(r, 7, 0x9000, 0x1000, 0, STR("/nowhere/a.so"), NULL);
	assert_true(resolver_next_code(r) == UINT64_MAX);
	resolver_map(r, 7, 0x5000, 0x1000, 0, STR("/jit-7.dump"), NULL);
	return r;
}

static void recordings_name_jit_code_by_the_dump_that_the_process_maps(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	char folder[] = "jitdump-XXXXXX";
	char path[128];
	struct resolver *r;
	uint64_t before;

	(void)state;
	assert_non_null(mkdtemp(folder));
	write_dump(folder);
	r = resolver_with_dump(d, folder, true);
	(void)resolver_at(r, 150);
	assert_str(symbol_at(d, r, 7, 0x1010), "one");
	assert_str(symbols_module(&d->symbols, resolver_symbol(r, 7, CPUMODE_USER, 0x1010)),
		   "[JIT] tid 7");
	assert_int_equal(resolver_next_code(r), 200);
	before = resolver_generation(r, 7);
	assert_true(resolver_at(r, 199) == 200);
	assert_true(resolver_generation(r, 7) == before);
	assert_true(resolver_at(r, 200) == UINT64_MAX);
	assert_true(resolver_generation(r, 7) != before); /* addresses have other names now */
	assert_str(symbol_at(d, r, 7, 0x1010), "two");
	/* the dump names no code of a mapped file, and no code of a process without the dump */
	assert_str(symbol_at(d, r, 7, 0x9010), "0x0000000000000010");
	resolver_fork(r, 8, 8, 7, 7);
	assert_str(symbol_at(d, r, 8, 0x1010), "0x0000000000001010");
	/* after exec the addresses belong to another program */
	resolver_exec(r, 7);
	assert_str(symbol_at(d, r, 7, 0x1010), "0x0000000000001010");
	resolver_free(r);
	/* with times of another clock it is unknown which of two functions ran */
	r = resolver_with_dump(d, folder, false);
	(void)resolver_at(r, 150);
	assert_str(symbol_at(d, r, 7, 0x1010), "0x0000000000001010");
	resolver_free(r);
	(void)snprintf(path, sizeof(path), "%s/jit-7.dump", folder);
	(void)unlink(path);
	(void)rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_address_has_the_function_of_its_time),
		cmocka_unit_test(moved_code_has_its_name_at_the_new_place),
		cmocka_unit_test(lines_are_those_of_the_code_at_the_address),
		cmocka_unit_test(lines_that_contradict_their_code_are_counted_and_left_out),
		cmocka_unit_test(every_cut_of_a_dump_keeps_the_whole_records_before_it),
		cmocka_unit_test(records_that_contradict_their_size_are_counted),
		cmocka_unit_test(recordings_name_jit_code_by_the_dump_that_the_process_maps),
	};

	return cmocka_run_group_tests_name("jitdump", tests, NULL, NULL);
}
