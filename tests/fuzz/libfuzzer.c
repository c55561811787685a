/* SPDX-License-Identifier: MIT */
/* Linked with libFuzzer: half of its mutants keep the structure of their format. */
#include "mutators.h"

#include <stdlib.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *symfs = getenv("FUZZ_SYMFS");

	(void)argc;
	(void)argv;
	if (symfs)
		(void)setenv("HOME", symfs, 1); /* also skip ~/.debug */
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	struct mutation m = { .data = data, .len = size, .room = max_size, .random = seed };

	if (mutation_random(&m, 2) == 0 || !mutation_step(&m) || m.len == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	return m.len;
}
