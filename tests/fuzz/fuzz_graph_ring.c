/* SPDX-License-Identifier: MIT */
/* Records of a BPF program's ring buffer, converted to pages of a trace.dat. */
#include "record/graph/graph_bpf.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "base/vec.h"
#include "record/graph/ftrace_parts.h"

#include <fcntl.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#if FUZZ_HAS_BPF
#define FUZZ_CHECK(x) ((x) ? (void)0 : __builtin_trap())
#define FUZZ_RING     ((size_t)64 << 10)
#define FUZZ_PAGE     4096u

/*
 * Fill the ring from @at on: the reader's position, which the first bytes of the input set. The
 * kernel maps the ring twice in a row, so that no record is split.
 */
static void fuzz_fill(uint8_t *ring, const uint8_t *data, size_t size, uint64_t at)
{
	for (size_t i = 0; i < size; i++) {
		size_t to = (at + i) & (FUZZ_RING - 1);

		ring[to] = data[i];
		ring[FUZZ_RING + to] = data[i];
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t machine_page = (size_t)sysconf(_SC_PAGESIZE);
	struct graph_bpf g = { .ring_bytes = FUZZ_RING };
	struct ftrace t = { .bpf = &g };
	struct graph_cpu cpu = { .map = 0 };
	struct ftrace_cpu out = { .fd = -1 };
	uint64_t at;
	uint64_t end;

	if (size < 8)
		return 0;
	out.data = open("/dev/null", O_WRONLY | O_CLOEXEC);
	memcpy(&at, data, 8);
	at &= UINT64_C(0x3ffffffffffffff8);
	data += 8;
	size = (size - 8 < FUZZ_RING ? size - 8 : FUZZ_RING) & ~(size_t)7;
	end = at + size;
	cpu.consumer = xcalloc(1, 8);
	cpu.producer = xcalloc(1, machine_page + 2 * FUZZ_RING);
	cpu.page = xcalloc(1, FUZZ_PAGE);
	memcpy(cpu.consumer, &at, 8);
	memcpy(cpu.producer, &end, 8);
	fuzz_fill(cpu.producer + machine_page, data, size, at);
	g.ftrace = &t;
	*VEC_PUSH(&g.cpus) = cpu;
	*VEC_PUSH(&t.cpus) = out;
	graph_file_drain(&g, true);
	memcpy(&at, cpu.consumer, 8);
	FUZZ_CHECK(g.cpus.data[0].used == 0);
	FUZZ_CHECK(t.bytes % FUZZ_PAGE == 0);
	FUZZ_CHECK(g.n_records <= size / 8);
	VEC_FREE(&g.cpus);
	VEC_FREE(&t.cpus);
	VEC_FREE(&g.tasks);
	idmap_fini(&g.task_ids);
	free(cpu.consumer);
	free(cpu.producer);
	free(cpu.page);
	(void)close(out.data);
	return 0;
}
#else
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	(void)data;
	(void)size;
	return 0;
}
#endif
