/* SPDX-License-Identifier: MIT */
/*
 * gen.h - made-up programs for the generators of benchmark inputs
 *
 * A program is a command with a call tree that exists only as a function of a hash: the same path
 * always has the same children, and the first ones are taken most often. Stacks therefore repeat
 * and their tails vary as in real profiles, without any storage.
 */
#ifndef BENCH_GEN_H
#define BENCH_GEN_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GEN_FUNCTIONS 6000u
#define GEN_COMMS     48u
#define GEN_MODULES   24u
#define GEN_DEPTH     60u

struct gen_frame {
	uint32_t function;
	uint64_t site; /* hash of the path: its code location */
};

static inline uint64_t gen_mix(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static inline uint64_t gen_random(uint64_t *state)
{
	return gen_mix((*state)++);
}

/* A number from 0 to n - 1; small numbers are far more frequent. */
static inline uint32_t gen_skewed(uint64_t *state, uint32_t n)
{
	double u = (double)(gen_random(state) >> 11) / 9007199254740992.0;

	u = u * u * u;
	return (uint32_t)(u * u * n);
}

static inline const char *gen_word(uint64_t h)
{
	static const char *const words[32] = {
		"alloc",  "buffer", "cache",  "commit", "copy",  "decode", "entry", "event",
		"flush",  "frame",  "handle", "hash",   "index", "insert", "list",  "lock",
		"lookup", "map",    "node",   "packet", "parse", "poll",   "queue", "read",
		"recv",   "run",    "send",   "sync",   "table", "update", "wait",  "write",
	};

	return words[h & 31];
}

/* The name of a function; its number determines its kind (C, C++, kernel). */
static inline int gen_name(char *out, size_t size, uint32_t f)
{
	uint64_t h = gen_mix(f);

	switch (f % 4) {
	case 0:
		return snprintf(out, size, "%s_%s_%s_%u", gen_word(h), gen_word(h >> 5),
				gen_word(h >> 10), f);
	case 1:
		return snprintf(out, size, "%s::%sManager::%s%u", gen_word(h), gen_word(h >> 5),
				gen_word(h >> 10), f);
	case 2:
		return snprintf(out, size, "__%s_%s%u", gen_word(h), gen_word(h >> 5), f);
	default:
		return snprintf(out, size, "%s<%s::%s, unsigned long>::do_%s_%u", gen_word(h),
				gen_word(h >> 5), gen_word(h >> 10), gen_word(h >> 15), f);
	}
}

static inline int gen_comm(char *out, size_t size, uint32_t c)
{
	uint64_t h = gen_mix(c + 77777u);

	if (c % 7 == 3)
		return snprintf(out, size, "%s %s", gen_word(h), gen_word(h >> 5));
	return snprintf(out, size, "%s-%s%u", gen_word(h), gen_word(h >> 5), c % 10);
}

/* Walk one stack of command @comm, outermost first; returns the number of frames. */
static inline uint32_t gen_walk(uint64_t *state, uint32_t comm, struct gen_frame *frames)
{
	uint64_t path = gen_mix(comm + 1u);
	uint32_t n = 5 + gen_skewed(state, 56);
	uint32_t i;

	/* deep programs are deep most of the time */
	if (comm % 3 == 0)
		n = 25 + gen_skewed(state, 36);
	for (i = 0; i < n && i < GEN_DEPTH; i++) {
		/* mostly unbranched chains, with a fork now and then */
		uint32_t children = path % 4 ? 1 : 2 + (uint32_t)(path >> 8) % 6;
		uint32_t child = gen_skewed(state, children);

		path = gen_mix(path + child);
		frames[i].function = (uint32_t)(path >> 20) % GEN_FUNCTIONS;
		frames[i].site = path;
	}
	return i;
}

static inline uint64_t gen_number(const char *text)
{
	char *end;
	uint64_t n = strtoull(text, &end, 10);

	switch (*end) {
	case 'k':
		return n << 10;
	case 'm':
		return n << 20;
	case 'g':
		return n << 30;
	default:
		return n;
	}
}

#endif
