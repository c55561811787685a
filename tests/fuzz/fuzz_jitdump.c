/* SPDX-License-Identifier: MIT */
/* Dumps of JIT compilers: code, look-ups at its bounds and times, lines. */
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "symbols/jitdump.h"

#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(x) ((x) ? (void)0 : __builtin_trap())
#define FUZZ_CODES    1000u /* limit for one input */

static void fuzz_look_up(struct jitdump *d, uint64_t address, uint64_t now)
{
	const struct jit_code *c = jitdump_find(d, address, now);
	const struct jit_line *l;

	if (!c)
		return;
	FUZZ_CHECK(address >= c->start && address < c->end);
	FUZZ_CHECK(jitdump_name(d, c->name).len > 0);
	FUZZ_CHECK((size_t)c->first_line + c->n_lines <= d->lines.len);
	l = jitdump_line(d, c, address);
	FUZZ_CHECK(!l || jitdump_name(d, l->file).len > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jitdump d;
	uint64_t last = 0;
	size_t n = 0;
	int fd = memfd_create("jit", MFD_CLOEXEC);

	FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	if (jitdump_read(fd, &d, NULL) == OK) {
		VEC_FOREACH (c, &d.codes) {
			FUZZ_CHECK(c->start >= last && c->end > c->start);
			last = c->start;
			if (n++ == FUZZ_CODES)
				break;
			fuzz_look_up(&d, c->start, c->from_ns);
			fuzz_look_up(&d, c->end - 1, c->from_ns - 1);
			fuzz_look_up(&d, c->end, c->until_ns);
			fuzz_look_up(&d, c->start, JITDUMP_NO_TIME);
		}
		for (size_t i = 1; i < d.changes.len; i++)
			FUZZ_CHECK(d.changes.data[i] > d.changes.data[i - 1]);
	}
	jitdump_fini(&d);
	(void)close(fd);
	return 0;
}
