/* SPDX-License-Identifier: MIT */
/*
 * gen_vlog.c - a large log of an Open vSwitch daemon: gen_vlog BYTES > file
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t seed = 88172645463325252u;

static uint32_t random_below(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)((seed >> 33) % n);
}

int main(int argc, char **argv)
{
	uint64_t bytes = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
	uint64_t ms = 0;
	uint64_t written = 0;

	for (uint32_t sequence = 1; written < bytes; sequence++) {
		uint32_t s;
		int n;

		ms += random_below(40);
		s = (uint32_t)(ms / 1000);
		n = printf("2026-03-%02uT%02u:%02u:%02u.%03uZ|%05u|", 1 + s / 86400 % 28,
			   s / 3600 % 24, s / 60 % 60, s % 60, (uint32_t)(ms % 1000), sequence);
		written += (uint64_t)n;
		switch (random_below(5)) {
		case 0:
			n = printf(
				"poll_loop|INFO|wakeup due to [POLLIN] on fd %u (192.0.2.%u:6642<->"
				"192.0.2.%u:%u) at lib/stream-fd.c:157 (%u%% CPU usage)\n",
				random_below(64), random_below(255), random_below(255),
				random_below(65536), random_below(100));
			break;
		case 1:
			n = printf("raft|INFO|term %u: %u ms timeout expired, starting election\n",
				   random_below(40), 1000 + random_below(1000));
			break;
		case 2:
			n = printf("timeval|WARN|Unreasonably long %ums poll interval (%ums user, "
				   "%ums "
				   "system)\n",
				   1000 + random_below(1000), random_below(900), random_below(90));
			break;
		case 3:
			n = printf("reconnect|INFO|tcp:192.0.2.%u:%u: connection closed by peer\n",
				   random_below(255), random_below(65536));
			break;
		default:
			n = printf("memory|INFO|peak resident set size grew %u%% in last %u.0 "
				   "seconds, "
				   "from %u kB to %u kB\n",
				   50 + random_below(20), random_below(400), random_below(90000),
				   random_below(90000));
		}
		written += (uint64_t)n;
	}
	return 0;
}
