/* SPDX-License-Identifier: MIT */
/* gen_perf_script BYTES[k|m|g] [SEED] > FILE: output of perf script, about that size. */
#include "gen.h"

static int gen_frame_line(char *out, size_t size, const struct gen_frame *f, uint64_t offset)
{
	static const char *const modules[4] = { "/usr/lib/x86_64-linux-gnu/libc.so.6",
						"/usr/local/bin/server", "[kernel.kallsyms]",
						"/opt/service/lib/libengine-core.so.2.1.0" };
	char name[160];
	uint64_t base =
		f->function % 4 == 2 ? UINT64_C(0xffffffff81000000) : UINT64_C(0x7f3a00000000);

	(void)gen_name(name, sizeof(name), f->function);
	return snprintf(out, size, "\t%16lx %s+0x%lx (%s)\n",
			(unsigned long)(base + f->function * 4096u + offset), name,
			(unsigned long)offset, modules[f->function % 4]);
}

int main(int argc, char **argv)
{
	uint64_t bytes = argc > 1 ? gen_number(argv[1]) : 1 << 20;
	uint64_t state = argc > 2 ? gen_number(argv[2]) : 1;
	uint64_t ns = UINT64_C(86400) * 1000000000;
	uint64_t done = 0;
	static char line[512];

	while (done < bytes) {
		struct gen_frame frames[GEN_DEPTH];
		uint32_t comm = gen_skewed(&state, GEN_COMMS);
		uint32_t tid = 1000 + comm * 64 + gen_skewed(&state, 16);
		uint32_t n = gen_walk(&state, comm, frames);
		char name[32];

		(void)gen_comm(name, sizeof(name), comm);
		ns += 10000 + gen_random(&state) % 100000;
		done += (uint64_t)printf(
			"%s %5u/%-5u [%03u] %5lu.%06lu: %10u cycles: \n", name, 1000 + comm * 64,
			tid, (unsigned int)(gen_random(&state) % 64),
			(unsigned long)(ns / 1000000000), (unsigned long)(ns % 1000000000 / 1000),
			(unsigned int)(gen_random(&state) % 4000000 + 1));
		for (uint32_t i = n; i-- > 0;) {
			/*
			 * return addresses are fixed; a sampled address is anywhere in its function
			 */
			uint64_t offset =
				i + 1 == n ? gen_random(&state) % 2000 : frames[i].site % 2000;
			int len = gen_frame_line(line, sizeof(line), &frames[i], offset);

			(void)fwrite(line, 1, (size_t)len, stdout);
			done += (uint64_t)len;
		}
		(void)putchar('\n');
		done++;
	}
	return fflush(stdout) == 0 ? 0 : 1;
}
