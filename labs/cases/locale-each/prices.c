/* SPDX-License-Identifier: MIT */
/*
 * prices - print prices with a point, whatever the user's locale is
 *
 *   prices each|once SECONDS
 *
 * 'each': switch to the locale "C" for each price and back. 'once': keep it.
 */
#include <locale.h>
#include <string.h>

#include "work.h"

static bool switches;

static __attribute__((noinline)) int price_print(char *to, size_t size, double price)
{
	int n;

	if (switches)
		setlocale(LC_ALL, "C");
	n = snprintf(to, size, "%.2f", price);
	if (switches)
		setlocale(LC_ALL, "C.UTF-8");
	return n;
}

int main(int argc, char **argv)
{
	char text[64];
	uint64_t end_ns, n = 0, sum = 0;

	if (argc != 3)
		return 2;
	switches = strcmp(argv[1], "each") == 0;
	setlocale(LC_ALL, switches ? "C.UTF-8" : "C");
	end_ns = work_clock_ns(CLOCK_MONOTONIC) + work_number(argv[2]) * 1000000000u;
	for (; work_clock_ns(CLOCK_MONOTONIC) < end_ns; n++)
		sum += (uint64_t)price_print(text, sizeof(text), (double)(n % 10000) / 7);
	work_print("printed", n);
	work_print("sum", sum & 1);
	return 0;
}
