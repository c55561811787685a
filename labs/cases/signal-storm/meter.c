/* SPDX-License-Identifier: MIT */
/*
 * meter - count the words of a text, while a timer signal shows the progress
 *
 *   meter fine|coarse SECONDS
 *
 * 'fine': a signal every 20 µs. 'coarse': every 100 ms.
 */
#include <signal.h>
#include <string.h>
#include <sys/time.h>

#include "work.h"

static volatile sig_atomic_t progress;
static volatile uint64_t position;

static void progress_show(int number)
{
	(void)number;
	progress = (int)(position & 0x7fffffff);
}

static __attribute__((noinline)) uint64_t words_count(const char *text, size_t size)
{
	uint64_t words = 0;

	for (size_t i = 1; i < size; i++)
		words += text[i] == ' ' && text[i - 1] != ' ';
	return words;
}

int main(int argc, char **argv)
{
	static char text[4000];
	struct sigaction how = { .sa_handler = progress_show, .sa_flags = SA_RESTART };
	struct itimerval each = { 0 };
	uint64_t end_ns, words = 0;
	timer_t timer;
	struct itimerspec fine = { .it_interval.tv_nsec = 20000, .it_value.tv_nsec = 20000 };

	if (argc != 3)
		return 2;
	memset(text, 'w', sizeof(text));
	for (size_t i = 5; i < sizeof(text); i += 6)
		text[i] = ' ';
	sigaction(SIGALRM, &how, NULL);
	if (strcmp(argv[1], "fine") == 0) {
		if (timer_create(CLOCK_MONOTONIC, NULL, &timer) ||
		    timer_settime(timer, 0, &fine, NULL))
			return 1;
	} else {
		each.it_interval.tv_usec = each.it_value.tv_usec = 100000;
		setitimer(ITIMER_REAL, &each, NULL);
	}
	end_ns = work_clock_ns(CLOCK_MONOTONIC) + work_number(argv[2]) * 1000000000u;
	while (work_clock_ns(CLOCK_MONOTONIC) < end_ns) {
		words += words_count(text, sizeof(text));
		position++;
	}
	work_print("words", words);
	return 0;
}
