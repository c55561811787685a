/* SPDX-License-Identifier: MIT */
/* The cache file of `assay risk` with arbitrary contents. */
#include "metrics/risk_pack.h"

#include "base/vec.h"
#include "metrics/risk.h"
#include "metrics/risk_part.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(x) ((x) ? (void)0 : __builtin_trap())

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct risk_part part = { .file = { .bytes = 1000 } };
	struct risk_bytes again = { VEC_INIT };

	if (risk_unpack(data, size, &part)) {
		VEC_FOREACH (f, &part.functions)
			FUZZ_CHECK((size_t)f->calls + f->n_calls <= part.call_names.len);
		risk_pack(&part, &again);
		FUZZ_CHECK(again.bytes.len > 0);
	}
	VEC_FREE(&again.bytes);
	risk_part_fini(&part);
	return 0;
}
