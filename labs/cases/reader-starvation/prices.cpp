// SPDX-License-Identifier: MIT
/*
 * prices - threads look up prices, one brings them up to date
 *
 *   prices plain|fair SECONDS
 *
 * 'plain': a lock by default. 'fair': a waiting update goes first.
 */
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

using clock_type = std::chrono::steady_clock;

static pthread_rwlock_t table_lock;
static std::array<unsigned, 4096> prices;
static clock_type::time_point end;
static unsigned long n_updates;

__attribute__((noinline)) static unsigned long basket_total(unsigned first)
{
	unsigned long total = 0;
	pthread_rwlock_rdlock(&table_lock);
	for (int turn = 0; turn < 20; turn++)
		for (unsigned i = 0; i < prices.size(); i += 16)
			total += prices[(first + i) % prices.size()];
	usleep(300); // a line of the basket is printed
	pthread_rwlock_unlock(&table_lock);
	return total;
}

__attribute__((noinline)) static void feed_apply(unsigned tick)
{
	pthread_rwlock_wrlock(&table_lock);
	prices[tick % prices.size()] = tick;
	n_updates++;
	pthread_rwlock_unlock(&table_lock);
}

static void shopper(unsigned seed)
{
	volatile unsigned long sum = 0;
	while (clock_type::now() < end)
		sum = sum + basket_total(seed++);
}

static void feed()
{
	unsigned tick = 0;
	while (clock_type::now() < end) {
		feed_apply(tick++);
		usleep(20000); // fifty ticks a second
	}
}

int main(int argc, char **argv)
{
	pthread_rwlockattr_t how;
	if (argc != 3)
		return 2;
	pthread_rwlockattr_init(&how);
	if (std::string(argv[1]) == "fair")
		pthread_rwlockattr_setkind_np(&how, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&table_lock, &how);
	end = clock_type::now() +
	      std::chrono::milliseconds(static_cast<long>(atof(argv[2]) * 1000));
	std::vector<std::thread> threads;
	for (unsigned i = 0; i < 5; i++)
		threads.emplace_back(shopper, i * 100);
	threads.emplace_back(feed);
	for (auto &t : threads)
		t.join();
	printf("updates %lu\n", n_updates);
	return 0;
}
