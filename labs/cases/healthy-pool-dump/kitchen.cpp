// SPDX-License-Identifier: MIT
/*
 * kitchen - twelve cooks wait for orders, which come now and then
 */
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <vector>

static std::mutex mutex;
static std::condition_variable changed;
static std::deque<unsigned> orders;

__attribute__((noinline)) static unsigned order_take()
{
	std::unique_lock<std::mutex> guard(mutex);
	changed.wait(guard, [] { return !orders.empty(); });
	unsigned order = orders.front();
	orders.pop_front();
	return order;
}

static void cook()
{
	volatile unsigned sum = 0;
	for (;;) {
		unsigned order = order_take();
		for (unsigned i = 0; i < 100000; i++)
			sum = sum + i * order;
	}
}

int main()
{
	std::vector<std::thread> cooks;
	for (int i = 0; i < 12; i++)
		cooks.emplace_back(cook);
	for (unsigned n = 0;; n++) {
		{
			std::lock_guard<std::mutex> guard(mutex);
			orders.push_back(n);
		}
		changed.notify_one();
		usleep(20000);
	}
}
