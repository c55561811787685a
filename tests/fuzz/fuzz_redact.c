/* SPDX-License-Identifier: MIT */
/* Redaction of any text: lines stay, the same text gives the same bytes, and redacting is stable.
 */
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "core/names/redact.h"
#include "explain/redact/redact_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(x)  ((x) ? (void)0 : __builtin_trap())
#define FUZZ_BYTES_MAX 4096u

static struct out fuzz_redact(struct str text)
{
	const struct redact_key key = { 5, 6 };
	struct redact_text r;
	struct out o;

	out_init(&o);
	redact_text_init(&r, &key);
	redact_text_learn(&r, text);
	redact_text_write(&r, text, &o);
	redact_text_fini(&r);
	return o;
}

static size_t fuzz_lines(struct str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++)
		n += s.p[i] == '\n';
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size < FUZZ_BYTES_MAX ? size : FUZZ_BYTES_MAX };
	struct out a = fuzz_redact(text);
	struct out b = fuzz_redact(text);

	FUZZ_CHECK(fuzz_lines(out_view(&a)) == fuzz_lines(text));
	FUZZ_CHECK(a.len >= text.len && str_eq(out_view(&a), out_view(&b)));
	out_fini(&a);
	out_fini(&b);
	return 0;
}
