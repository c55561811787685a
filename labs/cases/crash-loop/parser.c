/* SPDX-License-Identifier: MIT */
/*
 * parser - a supervisor that starts a document parser again whenever the parser ends
 *
 *   parser strict|lenient SECONDS
 *
 * 'strict': the parser aborts at an invalid mark in its document. 'lenient': it skips the mark.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

#define MEMORY (64u << 20)

/* Parse a document. A strict parser aborts at an invalid mark, the byte 0xff. */
static __attribute__((noinline)) uint64_t document_check(const unsigned char *text, bool is_strict)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < MEMORY; i += 64) {
		if (text[i] == 0xff && is_strict)
			abort();
		sum += text[i];
	}
	return sum;
}

static void parser_main(bool is_strict)
{
	unsigned char *text = malloc(MEMORY);

	if (!text)
		_exit(1);
	memset(text, 'a', MEMORY);
	text[MEMORY / 2] = 0xff;
	_exit((int)(document_check(text, is_strict) & 1));
}

int main(int argc, char **argv)
{
	const struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	uint64_t end_ns, n = 0;

	if (argc != 3)
		return 2;
	setrlimit(RLIMIT_CORE, &all);
	end_ns = work_clock_ns(CLOCK_MONOTONIC) + work_number(argv[2]) * 1000000000u;
	for (; work_clock_ns(CLOCK_MONOTONIC) < end_ns; n++) {
		pid_t pid = fork();

		if (pid == 0)
			parser_main(strcmp(argv[1], "strict") == 0);
		waitpid(pid, NULL, 0);
	}
	work_print("started", n);
	return 0;
}
