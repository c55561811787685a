/* SPDX-License-Identifier: MIT */
/*
 * elf_spins.h - find short functions that wait in a loop with a pause instruction: spin locks
 *
 * Programs use pause (x86) or yield (AArch64) only to wait in a loop for another thread. A long
 * function may wait in one part and work in another, so only short functions are marked. On x86, a
 * jump backwards must follow the pause, because the two bytes of a pause may also be part of a
 * number.
 */
#ifndef SYMBOLS_ELF_SPINS_H
#define SYMBOLS_ELF_SPINS_H

#include "base/str.h"

#include <stdint.h>

struct symtab;

/*
 * Whether a function with this @code waits in a loop. @machine: an ELF machine number such as
 * EM_X86_64.
 */
bool elf_spins_code(struct str code, uint16_t machine);
/*
 * Set @t->spins, the functions that wait in a loop. The entries of @t must have file offsets, and
 * must not be sorted yet. @image: the whole file. Cost: O(bytes of short functions). A file larger
 * than 4 MiB is not searched.
 */
void elf_spins_find(struct symtab *t, struct str image, uint16_t machine);

#endif
