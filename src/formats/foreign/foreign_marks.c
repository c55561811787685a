/* SPDX-License-Identifier: MIT */
/* foreign_marks.c - the tables that the build makes from foreign.tsv */
#include "formats/foreign/foreign.h"

#include "foreign_table.h"

const size_t foreign_n_kinds = ARRAY_LEN(foreign_kinds);
const size_t foreign_n_marks = ARRAY_LEN(foreign_marks);
const size_t foreign_n_json = ARRAY_LEN(foreign_json_kinds);

_Static_assert(ARRAY_LEN(foreign_kinds) <= FOREIGN_MAX_KINDS, "more kinds than a scan holds");
