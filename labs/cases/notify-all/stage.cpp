// SPDX-License-Identifier: MIT
/*
 * stage - a queue of small jobs for 48 threads
 *
 *   stage all|one SECONDS
 */
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

static std::mutex mutex;
static std::condition_variable changed;
static std::deque<unsigned> jobs;
static bool is_over;
static bool tells_all;
static unsigned long n_done;

__attribute__((noinline)) static void job_put(unsigned job)
{
	std::lock_guard<std::mutex> guard(mutex);
	jobs.push_back(job);
	if (tells_all)
		changed.notify_all();
	else
		changed.notify_one();
}

__attribute__((noinline)) static bool job_take(unsigned &job)
{
	std::unique_lock<std::mutex> guard(mutex);
	changed.wait(guard, [] { return is_over || !jobs.empty(); });
	if (jobs.empty())
		return false;
	job = jobs.front();
	jobs.pop_front();
	n_done++;
	return true;
}

static void worker()
{
	unsigned job = 0;
	volatile unsigned sum = 0;
	while (job_take(job))
		for (unsigned i = 0; i < 2000; i++)
			sum = sum + i * job;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	tells_all = std::string(argv[1]) == "all";
	std::vector<std::thread> threads;
	for (int i = 0; i < 48; i++)
		threads.emplace_back(worker);
	auto end = std::chrono::steady_clock::now() +
		   std::chrono::milliseconds(static_cast<long>(atof(argv[2]) * 1000));
	for (unsigned n = 0; std::chrono::steady_clock::now() < end; n++) {
		job_put(n);
		std::this_thread::sleep_for(std::chrono::microseconds(300));
	}
	{
		std::lock_guard<std::mutex> guard(mutex);
		is_over = true;
	}
	changed.notify_all();
	for (auto &t : threads)
		t.join();
	printf("jobs %lu\n", n_done);
	return 0;
}
