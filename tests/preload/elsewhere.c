/* SPDX-License-Identifier: MIT */
/*
 * Simulates another machine: the kernel's symbol table, its notes, and the results of uname()
 * come from $ELSEWHERE_KALLSYMS, $ELSEWHERE_NOTES, $ELSEWHERE_HOST and $ELSEWHERE_RELEASE, if
 * set. Preloaded by tests/cli/other_machine.py.
 */
#undef _FILE_OFFSET_BITS /* so that open() and open64() can both be defined */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#define EXPORTED __attribute__((visibility("default")))

static const char *elsewhere_path(const char *path)
{
	const char *other = NULL;

	if (strcmp(path, "/proc/kallsyms") == 0)
		other = getenv("ELSEWHERE_KALLSYMS");
	else if (strcmp(path, "/sys/kernel/notes") == 0)
		other = getenv("ELSEWHERE_NOTES");
	return other ? other : path;
}

static int elsewhere_open(const char *name, const char *path, int flags, mode_t mode)
{
	int (*next)(const char *, int, ...);

	*(void **)&next = dlsym(RTLD_NEXT, name);
	return next(elsewhere_path(path), flags, mode);
}

EXPORTED int open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	return elsewhere_open("open", path, flags, mode);
}

EXPORTED int open64(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	return elsewhere_open("open64", path, flags, mode);
}

/* glibc calls these for open() with flags that the compiler does not know (_FORTIFY_SOURCE). */
EXPORTED int __open_2(const char *path, int flags)
{
	return elsewhere_open("open", path, flags, 0);
}

EXPORTED int __open64_2(const char *path, int flags)
{
	return elsewhere_open("open64", path, flags, 0);
}

EXPORTED int uname(struct utsname *u)
{
	int (*next)(struct utsname *);
	const char *host = getenv("ELSEWHERE_HOST");
	const char *release = getenv("ELSEWHERE_RELEASE");
	int r;

	*(void **)&next = dlsym(RTLD_NEXT, "uname");
	r = next(u);
	if (host)
		(void)snprintf(u->nodename, sizeof(u->nodename), "%s", host);
	if (release)
		(void)snprintf(u->release, sizeof(u->release), "%s", release);
	return r;
}
