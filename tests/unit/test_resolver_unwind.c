/* SPDX-License-Identifier: MIT */
/* Calls before return addresses, judged by the bytes of mapped files, next to a plain decoder. */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "core/dossier.h"
#include "symbols/resolver/resolver.h"
#include "symbols/unwind/unwind.h"

#include <elf.h>
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PID        7u
#define FILE_BYTES 700u
#define STACK      UINT64_C(0x7ff000000000)
#define WORDS      16u

/* A map of the process; its bytes are those of a file, or unknown. */
struct area {
	uint64_t start, end, offset;
	bool is_data;
	const uint8_t *bytes; /* FILE_BYTES; NULL: not a file that can be read */
};

struct machine {
	struct dossier *d;
	struct resolver *r;
	char root[64];
	uint8_t files[2][FILE_BYTES];
	struct area areas[8];
	size_t n_areas;
	uint32_t seed;
};

static uint32_t draw(struct machine *m, uint32_t below)
{
	m->seed = m->seed * 1664525 + 1013904223;
	return (m->seed >> 8) % below;
}

/* Code in which parts of calls are frequent. */
static void fill_code(struct machine *m, uint8_t *code)
{
	static const uint8_t parts[] = {
		0xff, 0xff, 0xff, 0xe8, 0x10, 0x14, 0x15, 0x24, 0x25, 0x50,
		0x54, 0x90, 0x92, 0x94, 0x95, 0xd0, 0xd6, 0xe0, 0x00, 0x3f
	};

	for (size_t i = 0; i < FILE_BYTES; i++)
		code[i] = draw(m, 4) ? parts[draw(m, ARRAY_LEN(parts))] : (uint8_t)draw(m, 256);
	/* files_open() accepts this head */
	memset(code, 0, EI_NIDENT + 2);
	memcpy(code, ELFMAG, SELFMAG);
	code[EI_DATA] = ELFDATA2LSB;
	code[EI_NIDENT] = ET_DYN;
}

/* Write calls of near functions, which are seldom drawn. */
static void put_near_calls(struct machine *m, uint8_t *code)
{
	for (size_t at = 24; at + 8 < FILE_BYTES; at += 8 + draw(m, 20)) {
		/* up to 64 KiB before or after the call */
		int32_t distance = (int32_t)draw(m, 0x20000) - 0x10000;

		code[at] = 0xe8;
		memcpy(code + at + 1, &(uint32_t){ htole32((uint32_t)distance) }, 4);
	}
}

static void add_area(struct machine *m, uint64_t start, uint64_t len, uint64_t offset,
		     const char *path, bool is_data, const uint8_t *bytes)
{
	m->areas[m->n_areas++] = (struct area){ start, start + len, offset, is_data, bytes };
	(is_data ? resolver_map_data : resolver_map)(m->r, PID, start, len, offset, str_of(path),
						     NULL);
}

static void write_file(const char *root, const char *name, const uint8_t *bytes)
{
	char path[128];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s%s", root, name);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, FILE_BYTES, f), FILE_BYTES);
	assert_int_equal(fclose(f), 0);
}

static void machine_make(struct machine *m, uint32_t seed)
{
	struct resolver_options options = { .root = m->root };

	*m = (struct machine){ .root = "/tmp/assay-unwind-XXXXXX", .seed = seed };
	m->d = dossier_new();
	assert_non_null(mkdtemp(m->root));
	for (size_t i = 0; i < 2; i++) {
		fill_code(m, m->files[i]);
		put_near_calls(m, m->files[i]);
		write_file(m->root, i ? "/b" : "/a", m->files[i]);
	}
	m->r = resolver_new(&m->d->symbols, &options);
	add_area(m, 0x10000, 0x1000, 0, "/a", false, m->files[0]);
	add_area(m, 0x11000, 0x1000, 0x40, "/b", false, m->files[1]);
	add_area(m, 0x20000, 0x100, 0x100, "/a", false, m->files[0]);
	add_area(m, 0x30000, 0x100, 0, "/b", true, m->files[1]);
	add_area(m, 0x40000, 0x100, 0, "//anon", false, NULL);
	add_area(m, 0x50000, 0x100, 0, "[vdso]", false, NULL);
	add_area(m, 0x60000, 0x100, 0, "/missing", false, NULL);
}

static void machine_drop(struct machine *m)
{
	char path[128];

	for (size_t i = 0; i < 2; i++) {
		(void)snprintf(path, sizeof(path), "%s%s", m->root, i ? "/b" : "/a");
		(void)unlink(path);
	}
	(void)rmdir(m->root);
	resolver_free(m->r);
	dossier_free(m->d);
}

static const struct area *area_of(const struct machine *m, uint64_t address)
{
	for (size_t i = 0; i < m->n_areas; i++) {
		if (address >= m->areas[i].start && address < m->areas[i].end)
			return &m->areas[i];
	}
	return NULL;
}

/* Length of call *r/m64 (ff /2) by its ModRM byte: Intel's manual, table 2-2. */
static const uint8_t call_bytes[4][8] = {
	{ 2, 2, 2, 2, 3, 6, 2, 2 },
	{ 3, 3, 3, 3, 4, 3, 3, 3 },
	{ 6, 6, 6, 6, 7, 6, 6, 6 },
	{ 2, 2, 2, 2, 2, 2, 2, 2 },
};

static bool ends_with_indirect_call(const uint8_t *end)
{
	for (int len = 2; len <= 7; len++) {
		uint8_t modrm = end[1 - len];

		if (end[-len] == 0xff && (modrm & 0x38) == 0x10 &&
		    call_bytes[modrm >> 6][modrm & 7] == len)
			return true;
	}
	return false;
}

/* As resolver_unwind_mixed() judges @address, called from code at @ip. */
static enum unwind_call judged(const struct machine *m, uint16_t machine, uint64_t address,
			       uint64_t ip)
{
	const struct area *a = area_of(m, address - 1);
	const uint8_t *end;
	uint64_t offset;

	if (!a || a->is_data || address < a->start + 8)
		return UNWIND_CALL_NONE;
	offset = address - a->start + a->offset;
	if (!a->bytes || offset > FILE_BYTES)
		return UNWIND_CALL_UNSEEN;
	end = a->bytes + offset;
	if (machine == EM_AARCH64) {
		uint32_t word = (uint32_t)end[-4] | (uint32_t)end[-3] << 8 |
				(uint32_t)end[-2] << 16 | (uint32_t)end[-1] << 24;

		/* bl: 100101 and 26 bits; blr: 1101011 0 0 01, the rest is not looked at */
		return word >> 26 == 0x25 || (word & 0xffe00000) == 0xd6200000 ? UNWIND_CALL_ANY
									       : UNWIND_CALL_NONE;
	}
	if (end[-5] == 0xe8) {
		int32_t distance = (int32_t)((uint32_t)end[-4] | (uint32_t)end[-3] << 8 |
					     (uint32_t)end[-2] << 16 | (uint32_t)end[-1] << 24);
		int64_t into = (int64_t)ip - ((int64_t)address + distance);

		return into >= 0 && into < 65536 ? UNWIND_CALL_TO : UNWIND_CALL_ANY;
	}
	return ends_with_indirect_call(end) ? UNWIND_CALL_ANY : UNWIND_CALL_NONE;
}

/* Number of frames of a sample at @ip with @word at stack[@at], and a frame pointer if @rbp is set.
 */
static size_t frames(struct machine *m, uint16_t machine, uint64_t ip, uint64_t word, size_t at,
		     uint64_t rbp, struct unwind_chain chain)
{
	uint64_t stack[WORDS] = { 0 };
	uint64_t places[4] = { 0 };
	struct unwind_sample s = { .machine = machine,
				   .stack = (const uint8_t *)stack,
				   .stack_bytes = sizeof(stack) };
	size_t n;

	stack[at] = htole64(word);
	s.regs[machine == EM_AARCH64 ? 32 : 16] = ip;
	s.regs[machine == EM_AARCH64 ? 31 : 7] = STACK;
	s.regs[6] = rbp;
	s.has_regs = machine == EM_AARCH64 ? UINT64_C(3) << 31 : 1u << 16 | 1u << 7;
	if (rbp)
		s.has_regs |= 1u << 6;
	n = resolver_unwind_mixed(m->r, PID, &s, chain, places, 2);
	assert_int_equal(places[0], ip);
	if (n > 1)
		assert_int_equal(places[1], word - 1);
	return n;
}

static enum unwind_call found(struct machine *m, uint64_t ip, uint64_t word)
{
	static const struct unwind_chain none = { NULL, 0 };

	/* only a call of this very function is found below other words */
	if (frames(m, EM_X86_64, ip, word, 3, 0, none) == 2)
		return UNWIND_CALL_TO;
	if (frames(m, EM_X86_64, ip, word, 0, 0, none) == 2)
		return UNWIND_CALL_ANY;
	/* a frame pointer is believed unless no call can be there */
	return frames(m, EM_X86_64, ip, word, 3, STACK + 16, none) == 2 ? UNWIND_CALL_UNSEEN
									: UNWIND_CALL_NONE;
}

static void return_addresses_follow_calls(void **state)
{
	size_t count[4] = { 0 };

	(void)state;
	for (uint32_t seed = 1; seed <= 6; seed++) {
		struct machine m;

		machine_make(&m, seed);
		for (unsigned int i = 0; i < 4000; i++) {
			const struct area *a = &m.areas[draw(&m, (uint32_t)m.n_areas)];
			/* from before the map until behind the end of its file */
			uint64_t word = a->start - 4 + draw(&m, FILE_BYTES + 24);
			uint64_t ip = draw(&m, 2) ? word + 0x100 : 0x10000 + draw(&m, 0x2000);
			enum unwind_call want;

			if (!area_of(&m, ip) || area_of(&m, ip)->is_data)
				ip = 0x10100;
			want = judged(&m, EM_X86_64, word, ip);
			if (found(&m, ip, word) != want)
				print_error("seed %u: %llx from %llx\n", seed,
					    (unsigned long long)word, (unsigned long long)ip);
			assert_int_equal(found(&m, ip, word), want);
			count[want]++;
		}
		machine_drop(&m);
	}
	for (size_t i = 0; i < ARRAY_LEN(count); i++)
		assert_in_range(count[i], 100, 30000);
}

/* A call of a function that starts up to 64 KiB before the sampled address calls it. */
static void a_call_leads_to_code_shortly_after_its_target(void **state)
{
	static const struct {
		int64_t into;
		enum unwind_call is;
	} rows[] = {
		{ -1, UNWIND_CALL_ANY },
		{ 0, UNWIND_CALL_TO },
		{ 65535, UNWIND_CALL_TO },
		{ 65536, UNWIND_CALL_ANY },
	};
	struct machine m;

	(void)state;
	machine_make(&m, 3);
	add_area(&m, 0x100000, 0x40000, 0x1000, "//anon", false, NULL);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		uint64_t target = 0x120000, back = 0x10000 + 0x105;
		uint32_t distance = htole32((uint32_t)(target - back));
		char path[128];

		m.files[0][0x100] = 0xe8;
		memcpy(m.files[0] + 0x101, &distance, 4);
		write_file(m.root, "/a", m.files[0]);
		(void)snprintf(path, sizeof(path), "%s/a", m.root);
		assert_int_equal(found(&m, target + (uint64_t)rows[i].into, back), rows[i].is);
	}
	machine_drop(&m);
}

static void the_chain_of_an_arm_machine_goes_on_after_calls(void **state)
{
	size_t count[2] = { 0 };

	(void)state;
	for (uint32_t seed = 1; seed <= 4; seed++) {
		struct machine m;

		machine_make(&m, seed);
		for (unsigned int i = 0; i < 3000; i++) {
			const struct area *a = &m.areas[draw(&m, (uint32_t)m.n_areas)];
			uint64_t word = a->start - 4 + draw(&m, FILE_BYTES + 24);
			uint64_t chain[] = { 0x10100, word };
			bool want = judged(&m, EM_AARCH64, word, chain[0]) != UNWIND_CALL_NONE;
			size_t n = frames(&m, EM_AARCH64, chain[0], word, 0, 0,
					  (struct unwind_chain){ chain, 2 });

			assert_int_equal(n, want ? 2 : 1);
			count[want]++;
		}
		machine_drop(&m);
	}
	assert_true(count[0] > 200 && count[1] > 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(return_addresses_follow_calls),
		cmocka_unit_test(a_call_leads_to_code_shortly_after_its_target),
		cmocka_unit_test(the_chain_of_an_arm_machine_goes_on_after_calls),
	};

	return cmocka_run_group_tests_name("resolver_unwind", tests, NULL, NULL);
}
