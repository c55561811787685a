/* SPDX-License-Identifier: MIT */
/*
 * journal - append the events that arrive, EVENTS a second, to a file
 *
 *   journal each|many FILE SECONDS
 *
 * 'each': sync the file after each event. 'many': sync it after a hundred events.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "work.h"

#define EVENTS 4000u

/* Wait until event @number has arrived. */
static void event_wait(uint64_t begin_ns, uint64_t number)
{
	uint64_t due_ns = begin_ns + number * (1000000000u / EVENTS);
	uint64_t now_ns = work_clock_ns(CLOCK_MONOTONIC);

	if (now_ns + 1000000u < due_ns)
		usleep((unsigned int)((due_ns - now_ns) / 1000));
}

static __attribute__((noinline)) void event_fill(char *event, size_t size, uint64_t number)
{
	memset(event, 'a' + (int)(number % 26), size);
	snprintf(event, size, "%lu", (unsigned long)number);
	event[size - 1] = '\n';
}

static __attribute__((noinline)) int event_store(int fd, const char *event, size_t size,
						 bool is_last)
{
	if (write(fd, event, size) != (ssize_t)size)
		return -1;
	if (is_last && fsync(fd))
		return -1;
	return 0;
}

int main(int argc, char **argv)
{
	char event[200];
	uint64_t n = 0, begin_ns, end_ns;
	int fd;

	if (argc != 4)
		return 2;
	fd = open(argv[2], O_WRONLY | O_CREAT | O_APPEND | O_TRUNC, 0600);
	if (fd < 0)
		return 1;
	begin_ns = work_clock_ns(CLOCK_MONOTONIC);
	end_ns = begin_ns + work_number(argv[3]) * 1000000000u;
	while (work_clock_ns(CLOCK_MONOTONIC) < end_ns) {
		event_wait(begin_ns, n);
		event_fill(event, sizeof(event), n++);
		if (event_store(fd, event, sizeof(event),
				strcmp(argv[1], "each") == 0 || n % 100 == 0))
			return 1;
	}
	close(fd);
	work_print("stored", n);
	return 0;
}
