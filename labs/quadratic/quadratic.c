/* SPDX-License-Identifier: MIT */
/*
 * quadratic - a registry of names
 *
 *   lab-quadratic list|hash NAMES
 *
 * 'list' is the defect: each new name is compared with all names in the list, so that n names cost
 * n * n / 2 comparisons. 'hash' is the fix: a new name is compared only with the names in its
 * bucket.
 */
#include "lib/work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 24u

struct entry {
	struct entry *next; /* next entry in the list; with 'hash', in the bucket */
	char name[NAME_BYTES];
};

struct registry {
	struct entry *entries;
	struct entry **buckets;
	size_t n_entries;
	size_t n_buckets; /* power of two */
};

static uint64_t name_hash(const char *name)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (; *name != '\0'; name++)
		h = (h ^ (unsigned char)*name) * 0x100000001b3u;
	return h ^ h >> 32;
}

static struct entry **registry_bucket(struct registry *r, const char *name)
{
	return &r->buckets[name_hash(name) & (r->n_buckets - 1)];
}

static __attribute__((noinline)) struct entry *registry_find(struct entry *first, const char *name)
{
	for (struct entry *e = first; e; e = e->next) {
		if (memcmp(e->name, name, NAME_BYTES) == 0)
			return e;
	}
	return NULL;
}

static __attribute__((noinline)) bool registry_add(struct registry *r, const char *name)
{
	struct entry **bucket = registry_bucket(r, name);
	struct entry *e = &r->entries[r->n_entries];

	if (registry_find(*bucket, name))
		return false;
	memcpy(e->name, name, NAME_BYTES);
	e->next = *bucket;
	*bucket = e;
	r->n_entries++;
	return true;
}

int main(int argc, char **argv)
{
	uint64_t names = argc == 3 ? work_number(argv[2]) : 0;
	struct registry r = { .n_buckets = 1 };
	uint64_t added = 0;
	uint64_t begin_ns;

	if (names == 0 || names > 10000000) {
		fprintf(stderr, "usage: lab-quadratic list|hash NAMES\n");
		return 2;
	}
	/* a hash table with one bucket is a list */
	while (strcmp(argv[1], "hash") == 0 && r.n_buckets < names)
		r.n_buckets *= 2;
	r.entries = calloc(names, sizeof(*r.entries));
	r.buckets = calloc(r.n_buckets, sizeof(struct entry *));
	if (!r.entries || !r.buckets)
		return 1;
	begin_ns = work_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	for (uint64_t i = 0; i < names; i++) {
		char name[NAME_BYTES] = { 0 };

		snprintf(name, sizeof(name), "port-%" PRIu64, i);
		added += registry_add(&r, name);
	}
	work_print("names", added);
	/* CPU time without the start of the program, which costs more than the first names */
	work_print("cpu_ns", work_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin_ns);
	free(r.buckets);
	free(r.entries);
	return added == names ? 0 : 1;
}
