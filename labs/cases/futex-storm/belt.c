/* SPDX-License-Identifier: MIT */
/*
 * belt - put items on a belt, from which a reader takes them
 *
 *   belt each|asleep SECONDS
 *
 * 'each': wake the reader for each item. 'asleep': only if it says that it sleeps.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "work.h"

#define N_ITEMS 1024u

static uint32_t items[N_ITEMS];
static atomic_uint n_put;
static atomic_bool is_asleep;
static bool wakes_each;

static __attribute__((noinline)) void item_put(uint32_t item)
{
	unsigned int at = atomic_fetch_add(&n_put, 1);

	items[at % N_ITEMS] = item * 2654435761u;
	if (wakes_each || atomic_load(&is_asleep))
		syscall(SYS_futex, &n_put, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static __attribute__((noinline)) uint32_t item_make(uint32_t number)
{
	for (int i = 0; i < 40; i++)
		number = number * 31 + (number >> 7);
	return number;
}

int main(int argc, char **argv)
{
	uint64_t end_ns;
	uint32_t n = 0;

	if (argc != 3)
		return 2;
	wakes_each = strcmp(argv[1], "each") == 0;
	end_ns = work_clock_ns(CLOCK_MONOTONIC) + work_number(argv[2]) * 1000000000u;
	while (work_clock_ns(CLOCK_MONOTONIC) < end_ns) {
		for (int i = 0; i < 1000; i++)
			item_put(item_make(n++));
	}
	work_print("put", n);
	work_print("last", items[(n - 1) % N_ITEMS] & 1);
	return 0;
}
