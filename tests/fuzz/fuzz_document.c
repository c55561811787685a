/* SPDX-License-Identifier: MIT */
/* The document layer: open any bytes, then check that text, line map and depth map agree. */
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "document/document.h"
#include "document/mail/unwrap.h"

#include "base/limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(x) ((x) ? (void)0 : __builtin_trap())

static size_t fuzz_count_lines(struct str s)
{
	struct str line;
	size_t n = 0;

	while (str_line(&s, &line))
		n++;
	return n;
}

static void fuzz_maps(const struct document *d, struct str original)
{
	size_t n = fuzz_count_lines(d->text);
	bool is_packed = strstr(d->encoding, "gzip") || strstr(d->encoding, "zstd") ||
			 strstr(d->encoding, "xz");
	uint32_t last = 0;

	FUZZ_CHECK(d->is_clean == !d->line_map || strstr(d->encoding, "utf-16"));
	if (!d->line_map)
		return;
	FUZZ_CHECK(d->n_lines == n);
	FUZZ_CHECK(d->text.len == 0 || d->text.p[d->text.len - 1] == '\n');
	for (uint32_t i = 1; i <= n; i++) {
		uint32_t line = document_line(d, i);

		FUZZ_CHECK(line >= 1 && line >= last);
		FUZZ_CHECK(document_quote_depth(d, i) <= LIMIT_QUOTE_DEPTH);
		last = line;
	}
	/* line ends in UTF-16 are no single bytes of the input */
	if (!is_packed && !strstr(d->encoding, "utf-16"))
		FUZZ_CHECK(last <= fuzz_count_lines(original) + 1);
}

static void fuzz_unwrap(struct str text)
{
	struct out o;
	struct str line;

	out_init(&o);
	while (str_line(&text, &line)) {
		size_t before = o.len;

		unwrap_append_squeezed(&o, line);
		FUZZ_CHECK(o.len <= before + line.len + 1);
	}
	out_fini(&o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(document_freep) struct document *d = NULL;
	CLEANUP(document_freep) struct document *raw = NULL;
	struct document_options options = { .max_bytes = 1u << 20 };
	struct str bytes = { (const char *)data, size };
	struct error err = { { 0 } };

	if (document_from_memory(bytes, &options, &d, &err) < 0) {
		FUZZ_CHECK(err.msg[0] != '\0' && err.msg[strlen(err.msg) - 1] != '.');
		return 0;
	}
	fuzz_maps(d, bytes);
	fuzz_unwrap(str_sub(d->text, 0, 65536));
	options.is_raw = true;
	FUZZ_CHECK(document_from_memory(bytes, &options, &raw, NULL) == OK);
	FUZZ_CHECK(raw->line_map == NULL);
	return 0;
}
