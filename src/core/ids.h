/* SPDX-License-Identifier: MIT */
/*
 * ids.h - how tables refer to each other
 *
 * Ids are positions in a table, wrapped so that the compiler tells them apart.
 * They survive growth, halve memory against pointers and can be written to a
 * file as they are. Position 0 of strings, symbols and stacks is the empty
 * value, so a zeroed record says "none".
 */
#ifndef CORE_IDS_H
#define CORE_IDS_H

#include <stdint.h>

typedef struct {
	uint32_t v;
} str_id; /* core/strings.h */

typedef struct {
	uint32_t v;
} sym_id; /* core/symbols.h */

typedef struct {
	uint32_t v;
} stack_id; /* core/stacks.h */

#define STR_ID_NONE ((str_id){ 0 })
#define SYM_ID_NONE ((sym_id){ 0 })
#define STACK_ROOT  ((stack_id){ 0 })
#define INDEX_NONE  UINT32_MAX /* "no such row" where 0 is a row */

#endif
