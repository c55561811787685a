/* SPDX-License-Identifier: MIT */
/*
 * Write a large perf.data to standard output: the records of a small one, repeated with later
 * times.
 *
 *   gen_perf_data RECORDING BYTES
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { IP = 1, TID = 2, TIME = 4, ID = 64, CPU = 128, STREAM_ID = 512, IDENTIFIER = 65536 };

struct layout {
	size_t in_sample;  /* offset of the time in a sample */
	size_t in_trailer; /* offset of the time from the end of other records; 0: no time */
};

static uint64_t word(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static void put(uint8_t *p, uint64_t v)
{
	memcpy(p, &v, sizeof(v));
}

static struct layout layout_of(const uint8_t *attr)
{
	uint64_t type = word(attr + 24);
	struct layout l = { 0, 0 };

	if (!(type & TIME))
		return l;
	l.in_sample =
		8 + (type & IDENTIFIER ? 8u : 0) + (type & IP ? 8u : 0) + (type & TID ? 8u : 0);
	if (word(attr + 40) >> 18 & 1) /* the flag sample_id_all */
		l.in_trailer = 8 + (type & IDENTIFIER ? 8u : 0) + (type & CPU ? 8u : 0) +
			       (type & STREAM_ID ? 8u : 0) + (type & ID ? 8u : 0);
	return l;
}

/* Add @shift to the times of the records; returns their latest time. */
static uint64_t shift_times(uint8_t *data, size_t len, struct layout l, uint64_t shift)
{
	uint64_t first = UINT64_MAX;
	uint64_t last = 0;

	for (size_t at = 0; len - at >= 8;) {
		uint32_t type = (uint32_t)word(data + at);
		size_t size = word(data + at) >> 48;
		size_t where = 0;

		if (size < 8 || size > len - at || type == 81 || type == 83)
			exit(2);
		if (type == 9)
			where = l.in_sample;
		else if (type < 64 && l.in_trailer && size > l.in_trailer + 8)
			where = size - l.in_trailer;
		if (where) {
			uint64_t time = word(data + at + where);

			first = time && time < first ? time : first;
			last = time > last ? time : last;
			put(data + at + where, time ? time + shift : 0);
		}
		at += size;
	}
	return last > first ? last - first + 1 : 1;
}

int main(int argc, char **argv)
{
	int fd = argc == 3 ? open(argv[1], O_RDONLY) : -1;
	struct stat st;
	struct layout l;
	uint8_t *all;
	size_t from;
	size_t len;
	size_t n;
	size_t features = 0;
	uint64_t span;

	if (fd < 0 || fstat(fd, &st) != 0 || st.st_size < 104)
		return 2;
	all = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (all == MAP_FAILED || memcmp(all, "PERFILE2", 8) != 0 || word(all + 8) != 104)
		return 2;
	from = word(all + 40);
	len = word(all + 48);
	n = strtoull(argv[2], NULL, 10) / len + 1;
	l = layout_of(all + word(all + 24));
	span = shift_times(all + from, len, l, 0);
	for (size_t i = 0; i < 4; i++)
		features += (size_t)__builtin_popcountll(word(all + 72 + 8 * i));
	for (size_t i = 0; i < features; i++)
		put(all + from + len + 16 * i, word(all + from + len + 16 * i) + (n - 1) * len);
	put(all + 48, n * len);
	fwrite(all, 1, from, stdout);
	for (size_t i = 0; i < n; i++) {
		fwrite(all + from, 1, len, stdout);
		(void)shift_times(all + from, len, l, span);
	}
	fwrite(all + from + len, 1, (size_t)st.st_size - from - len, stdout);
	return fflush(stdout) == 0 ? 0 : 1;
}
