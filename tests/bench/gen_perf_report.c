/* SPDX-License-Identifier: MIT */
/*
 * gen_perf_report.c - a large printed perf report: gen_perf_report BYTES > file
 *
 * Rows with callee trees in the layout of perf >= 4.6, over a few thousand functions, until BYTES
 * are written. The percentages inside a tree are consistent: branches are parts of their row.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t seed = 88172645463325252u;
static uint64_t written;

static uint32_t random_below(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)((seed >> 33) % n);
}

static void put(const char *fmt, const char *a, uint32_t b)
{
	int n = printf(fmt, a, b);

	if (n > 0)
		written += (uint64_t)n;
}

static const char *const stems[] = {
	"tcp_sendmsg", "ep_poll",   "do_syscall_64", "vfs_read",    "handle_mm_fault", "rb_insert",
	"json_parse",  "ktime_get", "nf_hook_slow",  "__alloc_skb", "copy_user",       "raft_run"
};
static const char *const modules[] = { "[kernel.kallsyms]", "libc.so.6", "server",
				       "libstdc++.so.6.0.30" };

static void function(const char *prefix)
{
	put("%s", prefix, 0);
	put("%s_%u\n", stems[random_below(sizeof(stems) / sizeof(*stems))], random_below(400));
}

/* One level of a tree: a branch, frames below it, perhaps a deeper branch. */
static void branch(int indent, uint32_t hundredths, int depth)
{
	char prefix[512];
	int frames = 1 + (int)random_below(5);

	(void)snprintf(prefix, sizeof(prefix), "%*s|          \n", indent, "");
	put("%s", prefix, 0);
	(void)snprintf(prefix, sizeof(prefix), "%*s --%u.%02u%%--", indent, "", hundredths / 100,
		       hundredths % 100);
	function(prefix);
	(void)snprintf(prefix, sizeof(prefix), "%*s", indent + 11, "");
	for (int i = 0; i < frames; i++)
		function(prefix);
	if (depth < 6 && random_below(3))
		branch(indent + 11, hundredths - random_below(hundredths / 8 + 1), depth + 1);
}

int main(int argc, char **argv)
{
	uint64_t bytes = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
	char row[512];

	put("%s",
	    "# Samples: 12M of event 'cycles'\n"
	    "# Event count (approx.): 9876543210123\n#\n"
	    "# Overhead  Command  Shared Object        Symbol\n"
	    "# ........  .......  ...................  ......\n#\n",
	    0);
	for (uint32_t i = 0; written < bytes; i++) {
		uint32_t hundredths = i < 2000 ? 2000 - i : random_below(3);
		const char *module = modules[random_below(4)];

		(void)snprintf(row, sizeof(row), "%6u.%02u%%  worker-%u  %-19s  [%c] ",
			       hundredths / 100, hundredths % 100, random_below(16), module,
			       module[0] == '[' ? 'k' : '.');
		function(row);
		if (random_below(4)) {
			branch(12, hundredths ? hundredths : 1, 0);
			put("%s", "\n", 0);
		}
	}
	return 0;
}
