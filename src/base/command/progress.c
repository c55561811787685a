/* SPDX-License-Identifier: MIT */
#include "base/command/progress.h"

#include "base/plural.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static uint64_t progress_now(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_MONOTONIC, &t) != 0)
		return 0;
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void progress_init(struct progress *p, int fd)
{
	const char *term = getenv("TERM");
	bool can_erase = term && *term && strcmp(term, "dumb") != 0;

	*p = (struct progress){ .fd = can_erase && isatty(fd) ? fd : -1,
				.after_ns = PROGRESS_AFTER_NS };
}

void progress_start(struct progress *p, struct str what)
{
	size_t n;

	if (!p || p->fd < 0)
		return;
	n = what.len < sizeof(p->what) - 1 ? what.len : sizeof(p->what) - 1;
	/* do not truncate inside a UTF-8 character */
	while (n && n < what.len && ((unsigned char)what.p[n] & 0xc0) == 0x80)
		n--;
	memcpy(p->what, what.p, n);
	p->what[n] = '\0';
	p->began_ns = progress_now();
	p->next_ns = p->began_ns + p->after_ns;
}

/*
 * Whether it is time to print the next progress line. If so, *@ret_ns is the time since the start
 * of the step.
 */
static bool progress_is_due(struct progress *p, uint64_t *ret_ns)
{
	uint64_t now;

	if (!p || p->fd < 0)
		return false;
	now = progress_now();
	if (now < p->next_ns)
		return false;
	p->next_ns = now + PROGRESS_EVERY_NS;
	*ret_ns = now - p->began_ns;
	return true;
}

static void progress_write(struct progress *p, const char *text)
{
	char line[192];
	int n = snprintf(line, sizeof(line), "\r%s: %s\033[K", p->what, text);

	if (n <= 0 || (size_t)n >= sizeof(line))
		return;
	p->is_shown = write(p->fd, line, (size_t)n) == n || p->is_shown;
}

void progress_amount(char *buf, size_t size, double bytes)
{
	if (bytes < 999.5)
		(void)snprintf(buf, size, "%.0f byte%s", bytes, plural((uint64_t)(bytes + 0.5)));
	else if (bytes < 999.5e3)
		(void)snprintf(buf, size, "%.0f kB", bytes / 1e3);
	else if (bytes < 999.5e6)
		(void)snprintf(buf, size, "%.0f MB", bytes / 1e6);
	else
		(void)snprintf(buf, size, "%.1f GB", bytes / 1e9);
}

static double progress_share(uint64_t done, uint64_t total)
{
	return done < total ? 100.0 * (double)done / (double)total : 100.0;
}

void progress_bytes(struct progress *p, uint64_t done, uint64_t total)
{
	uint64_t ns;
	char amount[32];
	char speed[32];
	char text[96];

	if (!progress_is_due(p, &ns))
		return;
	progress_amount(speed, sizeof(speed), (double)done * 1e9 / (double)(ns ? ns : 1));
	if (total) {
		(void)snprintf(text, sizeof(text), "%.0f %%, %s/s", progress_share(done, total),
			       speed);
	} else {
		progress_amount(amount, sizeof(amount), (double)done);
		(void)snprintf(text, sizeof(text), "%s, %s/s", amount, speed);
	}
	progress_write(p, text);
}

void progress_count(struct progress *p, uint64_t done, uint64_t total, const char *things)
{
	uint64_t ns;
	char text[96];

	if (!progress_is_due(p, &ns))
		return;
	(void)snprintf(text, sizeof(text), "%.0f %%, %llu of %llu %s", progress_share(done, total),
		       (unsigned long long)done, (unsigned long long)total, things);
	progress_write(p, text);
}

void progress_end(struct progress *p)
{
	static const char erase[] = "\r\033[K";

	if (!p || !p->is_shown)
		return;
	p->is_shown = write(p->fd, erase, sizeof(erase) - 1) < 0;
}
