// SPDX-License-Identifier: MIT
/*
 * counter - serve small requests
 *
 *   counter thread|own SECONDS
 *
 * 'thread': a thread for each request. 'own': the thread that takes the request serves it.
 */
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

static std::atomic<unsigned long> n_served;

__attribute__((noinline)) static void request_serve(unsigned number)
{
	volatile unsigned sum = number;
	for (unsigned i = 0; i < 200; i++)
		sum = sum * 31 + i;
	n_served += 1 + (sum & 1) / 2;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	bool starts = std::string(argv[1]) == "thread";
	auto end = std::chrono::steady_clock::now() +
		   std::chrono::milliseconds(static_cast<long>(atof(argv[2]) * 1000));
	for (unsigned number = 0; std::chrono::steady_clock::now() < end; number++) {
		if (starts)
			std::thread(request_serve, number).join();
		else
			request_serve(number);
	}
	printf("served %lu\n", n_served.load());
	return 0;
}
