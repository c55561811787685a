// SPDX-License-Identifier: MIT
/*
 * press - one thread sets pages, another prints them; 200 pages a second come in
 *
 *   press SECONDS
 */
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable changed;
static std::deque<unsigned> pages;
static bool is_over;

__attribute__((noinline)) static unsigned page_work(unsigned seed)
{
	volatile unsigned sum = seed;
	for (unsigned i = 0; i < 300000; i++)
		sum = sum * 31 + i;
	return sum;
}

static void printer()
{
	for (;;) {
		std::unique_lock<std::mutex> guard(mutex);
		changed.wait(guard, [] { return is_over || !pages.empty(); });
		if (pages.empty())
			return;
		unsigned page = pages.front();
		pages.pop_front();
		guard.unlock();
		page_work(page);
	}
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	std::thread thread(printer);
	auto end = std::chrono::steady_clock::now() +
		   std::chrono::milliseconds(static_cast<long>(atof(argv[1]) * 1000));
	for (unsigned n = 0; std::chrono::steady_clock::now() < end; n++) {
		unsigned page = page_work(n);
		{
			std::lock_guard<std::mutex> guard(mutex);
			pages.push_back(page);
		}
		changed.notify_one();
		std::this_thread::sleep_for(std::chrono::milliseconds(5));
	}
	{
		std::lock_guard<std::mutex> guard(mutex);
		is_over = true;
	}
	changed.notify_one();
	thread.join();
	return 0;
}
