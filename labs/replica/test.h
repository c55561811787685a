/* SPDX-License-Identifier: MIT */
/*
 * test.h - claims of a test program: main() ends with test_failures
 */
#ifndef LABS_REPLICA_TEST_H
#define LABS_REPLICA_TEST_H

#include <stdbool.h>
#include <stdio.h>

static int test_failures;

#define TEST(claim) test_that((claim), #claim, __func__, __LINE__)

static void test_that(bool holds, const char *claim, const char *where, int line)
{
	if (holds)
		return;
	test_failures++;
	printf("%s, line %d: not so: %s\n", where, line, claim);
}

#endif
