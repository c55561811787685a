/* SPDX-License-Identifier: MIT */
/*
 * ids.h - references between tables
 *
 * An id is an index into a table, wrapped in a struct so that the compiler rejects the id of
 * another table. Ids stay valid when the table grows, take half the memory of pointers, and can be
 * written to a file unchanged. Index 0 of strings, symbols and stacks is the empty value, so a
 * zeroed record means "none".
 */
#ifndef CORE_IDS_H
#define CORE_IDS_H

#include <stdint.h>

typedef struct {
	uint32_t v;
} str_id; /* row of core/strings.h */

typedef struct {
	uint32_t v;
} sym_id; /* row of core/symbols.h */

typedef struct {
	uint32_t v;
} stack_id; /* node of core/stacks.h */

#define STR_ID_NONE ((str_id){ 0 })
#define SYM_ID_NONE ((sym_id){ 0 })
#define STACK_ROOT  ((stack_id){ 0 })
#define INDEX_NONE  UINT32_MAX /* "no row", for tables whose row 0 is not the empty value */

#endif
