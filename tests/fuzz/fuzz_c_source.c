/* SPDX-License-Identifier: MIT */
/* fuzz_c_source.c - any bytes as a C source: tokens, functions, metrics, call trees. */
#include "metrics/risk.h"

#include "base/status.h"
#include "base/str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };

	for (int has_compat = 0; has_compat < 2; has_compat++) {
		struct risk_options options = { .has_compat = has_compat };
		struct risk_tree t;
		struct error err = { "" };

		if (risk_measure_text(STR("fuzz.c"), text, &options, &t, &err) == OK)
			risk_tree_fini(&t);
	}
	return 0;
}
