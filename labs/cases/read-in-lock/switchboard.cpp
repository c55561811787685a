// SPDX-License-Identifier: MIT
/*
 * switchboard - eight operators, one telephone book, which is asked for over a pipe
 *
 *   switchboard inside|outside
 */
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

static std::mutex book_mutex;
static bool asks_inside;
static unsigned long n_calls;

struct line {
	int question[2];
	int answer[2];
};

__attribute__((noinline)) static char book_ask(line &l)
{
	char c = '?';
	if (write(l.question[1], &c, 1) != 1 || read(l.answer[0], &c, 1) != 1)
		_exit(1);
	return c;
}

__attribute__((noinline)) static void call_connect(line &l)
{
	char c = asks_inside ? '\0' : book_ask(l);
	std::lock_guard<std::mutex> guard(book_mutex);
	if (asks_inside)
		c = book_ask(l);
	n_calls += static_cast<unsigned char>(c);
}

static void book_keep(line &l)
{
	char c;
	while (read(l.question[0], &c, 1) == 1) {
		usleep(100000);
		if (write(l.answer[1], &c, 1) != 1)
			return;
	}
}

static void operator_main(line &l)
{
	for (;;)
		call_connect(l);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	asks_inside = std::string(argv[1]) == "inside";
	std::vector<line> lines(8);
	std::vector<std::thread> threads;
	for (auto &l : lines) {
		if (pipe(l.question) || pipe(l.answer))
			return 1;
		threads.emplace_back(book_keep, std::ref(l));
		threads.emplace_back(operator_main, std::ref(l));
	}
	for (auto &t : threads)
		t.join();
	return 0;
}
