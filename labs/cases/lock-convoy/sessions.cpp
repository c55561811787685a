/* SPDX-License-Identifier: MIT */
/*
 * sessions - a web front end's table of sessions, refreshed by each request
 *
 *   sessions one|own SECONDS
 *
 * 'one': all workers share a table. 'own': requests of a user go to one worker, which has its
 * own table and needs no lock.
 */
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

struct session {
	uint64_t user;
	uint64_t last_seen;
	uint32_t n_requests;
};

/* Sessions by user. */
class session_table {
public:
	__attribute__((noinline)) void touch(uint64_t user, uint64_t now)
	{
		std::unique_lock<std::mutex> guard(mutex, std::defer_lock);
		if (is_shared)
			guard.lock();
		session &s = sessions[user % sessions.size()];
		if (s.user != user)
			s = { user, now, 0 };
		s.last_seen = now;
		s.n_requests++;
	}

	bool is_shared = false;

private:
	std::mutex mutex;
	std::array<session, 512> sessions{};
};

constexpr unsigned n_workers = 6;

static std::array<session_table, n_workers> tables;
static bool has_own_tables;

/* Users come back often: the number of a request, mixed. */
static uint64_t request_user(uint64_t number)
{
	number ^= number >> 33;
	number *= 0xff51afd7ed558ccdu;
	number ^= number >> 29;
	return number % 400;
}

static void worker(unsigned id, std::chrono::steady_clock::time_point end)
{
	session_table &table = tables[has_own_tables ? id : 0];
	uint64_t number = id * 1000003u;
	while (std::chrono::steady_clock::now() < end) {
		for (int i = 0; i < 1000; i++) {
			table.touch(request_user(number), number);
			number++;
		}
	}
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	if (std::string(argv[1]) == "own")
		has_own_tables = true;
	tables[0].is_shared = !has_own_tables;
	auto end = std::chrono::steady_clock::now() +
		   std::chrono::milliseconds(static_cast<long>(atof(argv[2]) * 1000));
	std::vector<std::thread> threads;
	for (unsigned i = 0; i < n_workers; i++)
		threads.emplace_back(worker, i, end);
	for (auto &t : threads)
		t.join();
	return 0;
}
