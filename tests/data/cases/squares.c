/* SPDX-License-Identifier: MIT */
/* A program with one hot function. */
#include <stdint.h>
#include <stdio.h>

static __attribute__((noinline)) uint64_t sum_squares(uint64_t n)
{
	uint64_t sum = 0;

	for (volatile uint64_t i = 0; i < n; i++)
		sum += i * i;
	return sum;
}

int main(void)
{
	printf("%lu\n", (unsigned long)sum_squares(500000000));
	return 0;
}
