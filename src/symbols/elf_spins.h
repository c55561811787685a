/* SPDX-License-Identifier: MIT */
/*
 * elf_spins.h - short functions that wait in a loop with a pause instruction: spin locks
 *
 * Programs use pause (x86) or yield (AArch64) only to wait in a loop for another thread. A long
 * function may spin in one place and work in another, so only short functions count. On x86 a jump
 * backwards must follow the pause: the two bytes of a pause may also be part of a number.
 */
#ifndef SYMBOLS_ELF_SPINS_H
#define SYMBOLS_ELF_SPINS_H

#include "base/str.h"

#include <stdint.h>

struct symtab;

/* Does a function with this @code spin? @machine: a number of ELF such as EM_X86_64. */
bool elf_spins_code(struct str code, uint16_t machine);
/*
 * Set @t->spins. Entries of @t have file offsets and are not sorted yet. @image: the whole file.
 * Cost: O(bytes of short functions). Files above 4 MiB are left out.
 */
void elf_spins_find(struct symtab *t, struct str image, uint16_t machine);

#endif
