/* SPDX-License-Identifier: MIT */
/*
 * atlas - draw maps from the tiles in a file
 *
 *   atlas FILE SECONDS
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "work.h"

#define TILE    65536u
#define N_TILES 1536u

static __attribute__((noinline)) uint64_t tile_draw(const unsigned char *tile)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < TILE; i += 64)
		sum = sum * 33 + tile[i];
	return sum;
}

static const unsigned char *atlas_open(const char *path)
{
	static unsigned char tile[TILE];
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	void *map;

	for (unsigned i = 0; i < N_TILES && fd >= 0; i++) {
		tile[i % TILE] = (unsigned char)i;
		if (write(fd, tile, TILE) != TILE)
			exit(1);
	}
	fsync(fd);
	map = mmap(NULL, (size_t)TILE * N_TILES, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	return map == MAP_FAILED ? NULL : map;
}

int main(int argc, char **argv)
{
	const unsigned char *tiles;
	uint64_t end_ns, n = 0, sum = 0;

	if (argc != 3 || !(tiles = atlas_open(argv[1])))
		return 2;
	end_ns = work_clock_ns(CLOCK_MONOTONIC) + work_number(argv[2]) * 1000000000u;
	for (; work_clock_ns(CLOCK_MONOTONIC) < end_ns; n++)
		sum += tile_draw(tiles + (n * 7919 % N_TILES) * TILE);
	work_print("tiles", n);
	work_print("sum", sum & 1);
	return 0;
}
