/* SPDX-License-Identifier: MIT */
/*
 * ledger - clerks add entries to a ledger, and send a copy of each entry to an archive; an
 * auditor adds up the balance
 *
 *   ledger inside|outside SECONDS
 *
 * 'inside': a clerk sends the copy while it holds the ledger's mutex. 'outside': after it has
 * unlocked the mutex.
 */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "work.h"

#define N_CLERKS 4

static pthread_mutex_t ledger_mutex = PTHREAD_MUTEX_INITIALIZER;
static bool archives_inside;
static uint64_t end_ns;
static uint64_t balance;
static uint64_t n_posted;

/* The archive answers after 2 ms. */
static __attribute__((noinline)) void archive_send(void)
{
	usleep(2000);
}

static __attribute__((noinline)) void entry_post(uint64_t amount)
{
	pthread_mutex_lock(&ledger_mutex);
	balance += amount;
	n_posted++;
	if (archives_inside)
		archive_send();
	pthread_mutex_unlock(&ledger_mutex);
	if (!archives_inside)
		archive_send();
}

static void *clerk_main(void *arg)
{
	uint64_t amount = *(uint64_t *)arg;

	while (work_clock_ns(CLOCK_MONOTONIC) < end_ns)
		entry_post(amount++);
	return NULL;
}

static __attribute__((noinline)) uint64_t page_digest(uint64_t page)
{
	for (int i = 0; i < 20000; i++)
		page = page * 6364136223846793005u + 1442695040888963407u;
	return page;
}

static void *auditor_main(void *arg)
{
	uint64_t *digest = arg;

	while (work_clock_ns(CLOCK_MONOTONIC) < end_ns) {
		*digest ^= page_digest(*digest);
		usleep(100);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t clerks[N_CLERKS], auditor;
	uint64_t first[N_CLERKS], digest = 1;

	if (argc != 3)
		return 2;
	archives_inside = strcmp(argv[1], "inside") == 0;
	end_ns = work_clock_ns(CLOCK_MONOTONIC) + work_number(argv[2]) * 1000000000u;
	pthread_create(&auditor, NULL, auditor_main, &digest);
	for (uint64_t i = 0; i < N_CLERKS; i++) {
		first[i] = i;
		pthread_create(&clerks[i], NULL, clerk_main, &first[i]);
	}
	for (int i = 0; i < N_CLERKS; i++)
		pthread_join(clerks[i], NULL);
	pthread_join(auditor, NULL);
	work_print("posted", n_posted);
	return 0;
}
