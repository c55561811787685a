// SPDX-License-Identifier: MIT
/*
 * tickets - four workers check tickets; the number of a ticket chooses its worker
 *
 *   tickets low|mixed SECONDS
 */
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

constexpr unsigned n_lanes = 4;

struct lane {
	std::mutex mutex;
	std::condition_variable changed;
	std::deque<unsigned> tickets;
	bool is_over = false;
};

static lane lanes[n_lanes];
static std::atomic<unsigned long> n_checked;

__attribute__((noinline)) static bool ticket_check(unsigned number)
{
	volatile unsigned sum = number;
	for (unsigned i = 0; i < 20000; i++)
		sum = sum * 31 + i;
	return sum & 1;
}

/* All numbers of a day are multiples of eight. */
static unsigned lane_of(unsigned number, bool mixed)
{
	return (mixed ? number * 2654435761u >> 16 : number) % n_lanes;
}

static void lane_main(lane &l)
{
	for (;;) {
		std::unique_lock<std::mutex> guard(l.mutex);
		l.changed.wait(guard, [&] { return l.is_over || !l.tickets.empty(); });
		if (l.tickets.empty())
			return;
		unsigned number = l.tickets.front();
		l.tickets.pop_front();
		guard.unlock();
		n_checked += 1 + ticket_check(number);
	}
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	bool mixed = std::string(argv[1]) == "mixed";
	std::vector<std::thread> threads;
	for (auto &l : lanes)
		threads.emplace_back(lane_main, std::ref(l));
	auto end = std::chrono::steady_clock::now() +
		   std::chrono::milliseconds(static_cast<long>(atof(argv[2]) * 1000));
	for (unsigned number = 0; std::chrono::steady_clock::now() < end; number += 8) {
		lane &l = lanes[lane_of(number, mixed)];
		std::unique_lock<std::mutex> guard(l.mutex);
		bool is_full = l.tickets.size() > 40;
		if (!is_full)
			l.tickets.push_back(number);
		l.changed.notify_one();
		guard.unlock();
		if (is_full)
			std::this_thread::sleep_for(std::chrono::microseconds(200));
	}
	for (auto &l : lanes) {
		std::lock_guard<std::mutex> guard(l.mutex);
		l.is_over = true;
		l.changed.notify_all();
	}
	for (auto &t : threads)
		t.join();
	printf("checked %lu\n", n_checked.load());
	return 0;
}
