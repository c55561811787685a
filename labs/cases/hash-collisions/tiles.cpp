/* SPDX-License-Identifier: MIT */
/*
 * tiles - the visible tiles of a map, kept by their coordinates
 *
 *   tiles xor|mix SECONDS
 */
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unordered_map>

struct coordinate {
	int x;
	int y;
	bool operator==(const coordinate &other) const
	{
		return x == other.x && y == other.y;
	}
};

static bool mixes;

struct coordinate_hash {
	size_t operator()(const coordinate &c) const
	{
		if (mixes)
			return (static_cast<uint64_t>(c.x) * 0x9e3779b97f4a7c15u +
				static_cast<uint64_t>(c.y)) *
				       0xff51afd7ed558ccdu >>
			       17;
		return std::hash<int>()(c.x) ^ std::hash<int>()(c.y);
	}
};

struct tile {
	uint32_t colour;
	uint32_t n_drawn;
};

using tile_map = std::unordered_map<coordinate, tile, coordinate_hash>;

/* Each pixel of a tile over the one below it. */
__attribute__((noinline)) static uint64_t blend(uint32_t colour)
{
	uint64_t sum = 0;
	for (uint32_t pixel = 0; pixel < 512; pixel++) {
		colour = colour * 1664525u + pixel;
		sum += (colour >> 8 & 0xff) * (256 - (pixel & 0xff)) >> 8;
	}
	return sum;
}

__attribute__((noinline)) static uint64_t draw(tile_map &tiles, int left, int top)
{
	uint64_t colours = 0;
	for (int y = top; y < top + 32; y++) {
		for (int x = left; x < left + 32; x++) {
			auto found = tiles.find({ x, y });
			if (found == tiles.end())
				continue;
			found->second.n_drawn++;
			colours += blend(found->second.colour);
		}
	}
	return colours;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	mixes = std::string(argv[1]) == "mix";
	auto end = std::chrono::steady_clock::now() +
		   std::chrono::milliseconds(static_cast<long>(atof(argv[2]) * 1000));
	tile_map tiles;
	for (int y = 0; y < 256; y++)
		for (int x = 0; x < 256; x++)
			tiles[{ x, y }] = { static_cast<uint32_t>(x * y), 0 };
	uint64_t colours = 0;
	for (int n = 0; std::chrono::steady_clock::now() < end; n++)
		colours += draw(tiles, n * 7 % 224, n * 13 % 224);
	printf("colours %lu\n", static_cast<unsigned long>(colours));
	return 0;
}
