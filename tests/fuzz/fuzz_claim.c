/* SPDX-License-Identifier: MIT */
/*
 * Claims of assay check: each line is parsed. Names must be inside the line, and an error must have
 * a text.
 */
#include "base/status.h"
#include "base/str.h"
#include "explain/claims/claim.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(x) ((x) ? (void)0 : __builtin_trap())

static void fuzz_inside(struct str line, struct str part)
{
	FUZZ_CHECK(part.len == 0 || (part.p >= line.p && part.p + part.len <= line.p + line.len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	struct str line;

	while (str_line(&text, &line)) {
		struct error err = { "" };
		struct claim c;

		if (claim_parse(line, &c, &err) < 0) {
			FUZZ_CHECK(err.msg[0]);
			continue;
		}
		fuzz_inside(line, c.name);
		fuzz_inside(line, c.under);
		fuzz_inside(line, c.of);
		fuzz_inside(line, c.caller);
		FUZZ_CHECK(c.n_in <= CLAIM_SCOPES_MAX && isfinite(c.limit));
		FUZZ_CHECK(claim_measure_name(c.measure)[0]);
	}
	return 0;
}
