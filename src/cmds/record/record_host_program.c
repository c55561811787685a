/* SPDX-License-Identifier: MIT */
/*
 * record_host_program.c - the static program that is copied to another machine
 *
 * Machines have the names that uname -m prints. The numbers are e_machine of the ELF header
 * (elf(5)).
 */
#include "cmds/record/record_host.h"

#include "base/files.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#define PROGRAM_SELF "/proc/self/exe"
#define PROGRAM_MAX  (UINT64_C(1) << 28)

struct program_machine {
	const char *name;
	uint16_t number;
};

static const struct program_machine program_machines[] = {
	{ "x86_64", EM_X86_64 }, { "aarch64", EM_AARCH64 }, { "riscv64", EM_RISCV },
	{ "s390x", EM_S390 },    { "ppc64le", EM_PPC64 },
};

static const char *program_machine_name(uint16_t number)
{
	for (size_t i = 0; i < ARRAY_LEN(program_machines); i++) {
		if (program_machines[i].number == number)
			return program_machines[i].name;
	}
	return "another machine";
}

/* Read the ELF header of @file. False: it is no 64-bit ELF file with this machine's byte order. */
static bool program_header(struct str file, Elf64_Ehdr *ret)
{
	unsigned char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;

	if (file.len < sizeof(*ret) || memcmp(file.p, ELFMAG, SELFMAG) != 0)
		return false;
	memcpy(ret, file.p, sizeof(*ret));
	return ret->e_ident[EI_CLASS] == ELFCLASS64 && ret->e_ident[EI_DATA] == order;
}

/*
 * Whether the program is dynamically linked. It then needs a loader and libraries that the other
 * machine may not have.
 */
static bool program_has_loader(struct str file, const Elf64_Ehdr *h)
{
	for (size_t i = 0; i < h->e_phnum; i++) {
		Elf64_Phdr p;
		size_t at = h->e_phoff + i * sizeof(p);

		if (h->e_phoff > file.len || at > file.len || file.len - at < sizeof(p))
			return false;
		memcpy(&p, file.p + at, sizeof(p));
		if (p.p_type == PT_INTERP)
			return true;
	}
	return false;
}

static int program_read(const char *path, struct out *ret, struct error *err)
{
	int fd = files_open(path, FILES_NAMED);
	char buf[65536];
	ssize_t n = fd < 0 ? -1 : 0;

	while (fd >= 0 && ret->len <= PROGRAM_MAX && (n = files_read(fd, buf, sizeof(buf))) > 0)
		out_bytes(ret, buf, (size_t)n);
	if (n < 0)
		(void)fail(err, ERR_IO, "--host-program %s: %s", path, strerror(errno));
	if (fd >= 0)
		(void)close(fd);
	if (n < 0)
		return ERR_IO;
	return ret->len <= PROGRAM_MAX
		       ? OK
		       : fail(err, ERR_LIMIT, "--host-program %s: larger than %u MiB", path,
			      (unsigned int)(PROGRAM_MAX >> 20));
}

int record_host_program(const struct record_host *h, const char *machine, struct out *ret,
			struct error *err)
{
	const char *path = h->program ? h->program : PROGRAM_SELF;
	Elf64_Ehdr elf;
	int status = program_read(path, ret, err);

	if (status < 0)
		return status;
	if (!program_header(out_view(ret), &elf))
		return fail(err, ERR_USAGE,
			    "--host-program %s: not a program of this kind of machine", path);
	if (strcmp(program_machine_name(elf.e_machine), machine) != 0)
		return h->program
			       ? fail(err, ERR_USAGE,
				      "--host-program %s is for %s, that machine is %s", path,
				      program_machine_name(elf.e_machine), machine)
			       : fail(err, ERR_USAGE,
				      "no assay of this version there, and this one is for %s, not "
				      "%s; name one with --host-program FILE",
				      program_machine_name(elf.e_machine), machine);
	if (!h->program && program_has_loader(out_view(ret), &elf))
		return fail(err, ERR_USAGE,
			    "no assay of this version there, and this one needs libraries; name a "
			    "static one ('make static') with --host-program FILE");
	return OK;
}
