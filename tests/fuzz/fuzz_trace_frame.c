/* SPDX-License-Identifier: MIT */
/* The container of a trace.dat: options, buffers, chunks, pages and records of every CPU. */
#include "formats/trace_dat/trace_dat_file.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "formats/trace_dat/trace_dat_cursor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(x) ((x) ? (void)0 : __builtin_trap())
#define FUZZ_RECORDS  20000u /* limit for one input */

static void fuzz_cpu(const struct td_file *f, const struct td_buffer *b,
		     const struct td_cpu_data *cpu, unsigned int commit)
{
	struct td_cursor c;
	uint64_t sum = 0;
	unsigned int n = 0;

	td_cursor_init(&c, f, b, cpu, commit, false);
	for (; c.has_record && n < FUZZ_RECORDS; n++) {
		for (size_t i = 0; i < c.record.len; i++)
			sum += (uint8_t)c.record.p[i];
		td_cursor_next(&c);
	}
	FUZZ_CHECK(sum <= (uint64_t)n * 255 * (1u << 20));
	td_cursor_fini(&c);
}

/* Free the file's tables; the reader itself leaves them to the end of the process. */
static void fuzz_free(struct td_file *f)
{
	VEC_FOREACH (b, &f->buffers)
		VEC_FREE(&b->cpus);
	VEC_FREE(&f->buffers);
	VEC_FREE(&f->notes);
	VEC_FREE(&f->formats);
	VEC_FOREACH (p, &f->plain)
		free(*p);
	VEC_FREE(&f->plain);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str bytes = { (const char *)data, size };
	struct error err = { "" };
	struct td_file f;
	int status = td_file_open(&f, bytes, &err);

	FUZZ_CHECK(status == OK || err.msg[0]);
	if (status == OK) {
		FUZZ_CHECK(f.buffers.len <= TD_MAX_BUFFERS && f.notes.len <= TD_MAX_NOTES);
		VEC_FOREACH (b, &f.buffers) {
			FUZZ_CHECK(b->cpus.len <= TD_MAX_CPUS);
			VEC_FOREACH (cpu, &b->cpus) {
				fuzz_cpu(&f, b, cpu, 8);
				fuzz_cpu(&f, b, cpu, 4);
			}
		}
	}
	fuzz_free(&f);
	return 0;
}
