/* SPDX-License-Identifier: MIT */
/* Build ids from untrusted files in the recorder: valid and damaged ones. */
#include "unit.h"

#include "record/perf/rec.h"
#include "symbols/elf_symbols.h"

#include <elf.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const char path[] = "build-ids.tmp";

/* A file with one segment of notes, before it is damaged. */
struct made {
	Elf64_Ehdr head;
	Elf64_Phdr segment;
	uint32_t note[3]; /* length of the name, length of the description, type */
	char name[4];
	uint8_t id[20];
};

static struct made whole(void)
{
	const uint16_t one = 1;
	struct made m = {
		.head = { .e_phoff = offsetof(struct made, segment),
			  .e_phentsize = sizeof(Elf64_Phdr),
			  .e_phnum = 1 },
		.segment = { .p_type = PT_NOTE,
			     .p_offset = offsetof(struct made, note),
			     .p_filesz = sizeof(struct made) - offsetof(struct made, note) },
		.note = { 4, 20, NT_GNU_BUILD_ID },
		.name = "GNU",
	};

	memcpy(m.head.e_ident, ELFMAG, SELFMAG);
	m.head.e_ident[EI_CLASS] = ELFCLASS64;
	m.head.e_ident[EI_DATA] = *(const uint8_t *)&one ? ELFDATA2LSB : ELFDATA2MSB;
	for (uint8_t i = 0; i < sizeof(m.id); i++)
		m.id[i] = i;
	return m;
}

/* Length of the id found in the first @len bytes of @m. */
static unsigned int found(const struct made *m, size_t len)
{
	const struct rec_binary any = { .inode = 0 };
	struct build_id id;
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(m, 1, len, f), len);
	(void)fclose(f);
	rec_build_id_file(path, &any, &id);
	if (id.len == sizeof(m->id))
		assert_memory_equal(id.bytes, m->id, sizeof(m->id));
	(void)unlink(path);
	return id.len;
}

static void the_id_is_among_the_notes(void **state)
{
	struct made m = whole();

	(void)state;
	assert_int_equal(found(&m, sizeof(m)), 20);
	m.note[1] = 8;
	m.segment.p_filesz -= 12;
	assert_int_equal(found(&m, sizeof(m)), 8);
}

static void files_that_are_cut_or_lie_have_none(void **state)
{
	struct made m;

	(void)state;
	m = whole();
	for (size_t len = 0; len < sizeof(m); len++)
		assert_int_equal(found(&m, len), 0);
	m.head.e_ident[EI_DATA] ^= 3;
	assert_int_equal(found(&m, sizeof(m)), 0);
	m = whole();
	m.head.e_phoff = UINT64_MAX - 10;
	assert_int_equal(found(&m, sizeof(m)), 0);
	m = whole();
	m.head.e_phoff = INT64_MAX;
	m.head.e_phentsize = m.head.e_phnum = UINT16_MAX;
	assert_int_equal(found(&m, sizeof(m)), 0);
	m = whole();
	m.segment.p_filesz = UINT64_MAX;
	assert_int_equal(found(&m, sizeof(m)), 0);
	m = whole();
	m.segment.p_offset = UINT64_MAX - 3;
	assert_int_equal(found(&m, sizeof(m)), 0);
	m = whole();
	m.note[0] = UINT32_MAX;
	assert_int_equal(found(&m, sizeof(m)), 0);
	m = whole();
	m.note[1] = 21; /* longer than any id */
	assert_int_equal(found(&m, sizeof(m)), 0);
	m = whole();
	m.note[2] = 1;
	assert_int_equal(found(&m, sizeof(m)), 0);
}

static void another_file_of_that_name_has_none(void **state)
{
	struct made m = whole();
	struct rec_binary of = { .inode = 1 };
	struct build_id id;
	struct stat st;
	FILE *f = fopen(path, "w");

	(void)state;
	assert_non_null(f);
	assert_int_equal(fwrite(&m, sizeof(m), 1, f), 1);
	(void)fclose(f);
	assert_int_equal(stat(path, &st), 0);
	of.inode = (uint64_t)st.st_ino + 1;
	rec_build_id_file(path, &of, &id);
	assert_int_equal(id.len, 0);
	of.inode = (uint64_t)st.st_ino;
	rec_build_id_file(path, &of, &id);
	assert_int_equal(id.len, 20);
	(void)unlink(path);
}

static void a_pipe_is_not_waited_for(void **state)
{
	const struct rec_binary any = { .inode = 0 };
	struct build_id id;

	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	rec_build_id_file(path, &any, &id);
	assert_int_equal(id.len, 0);
	rec_build_id_file("/dev/zero", &any, &id);
	assert_int_equal(id.len, 0);
	(void)unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_id_is_among_the_notes),
		cmocka_unit_test(files_that_are_cut_or_lie_have_none),
		cmocka_unit_test(another_file_of_that_name_has_none),
		cmocka_unit_test(a_pipe_is_not_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
