/* SPDX-License-Identifier: MIT */
#include "symbols/debuginfod.h"

#include "base/files.h"
#include "base/status.h"
#include "symbols/elf_symbols.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Function types of <elfutils/debuginfod.h>. They are declared here, because this header may be
 * missing at build time.
 */
typedef void *debuginfod_begin_fn(void);
typedef void debuginfod_end_fn(void *client);
typedef int debuginfod_find_fn(void *client, const unsigned char *id, int len, char **path);

static int debuginfod_ask(void *library, const struct build_id *id, char **ret_path)
{
	debuginfod_begin_fn *begin = (debuginfod_begin_fn *)dlsym(library, "debuginfod_begin");
	debuginfod_end_fn *end = (debuginfod_end_fn *)dlsym(library, "debuginfod_end");
	debuginfod_find_fn *find =
		(debuginfod_find_fn *)dlsym(library, "debuginfod_find_debuginfo");
	void *client = begin && end && find ? begin() : NULL;
	int fd;

	if (!client)
		return -1;
	fd = find(client, id->bytes, id->len, ret_path);
	end(client);
	return fd;
}

/* Let the parent process query the servers, because a confined process has no network access. */
static bool debuginfod_ask_outside(const struct build_id *id, char ret[DEBUGINFOD_PATH_MAX],
				   struct error *err)
{
	_Static_assert(DEBUGINFOD_PATH_MAX >= FILES_TEXT_MAX, "a path fits");
	char hex[2 * BUILD_ID_MAX + 1] = "";

	for (size_t i = 0; i < id->len; i++)
		(void)snprintf(hex + 2 * i, 3, "%02x", id->bytes[i]);
	if (files_wish(FILES_FETCH, hex, ret, NULL))
		return true;
	(void)fail(err, ERR_NOTFOUND, "%s", ret);
	return false;
}

bool debuginfod_find(const struct build_id *id, char ret[DEBUGINFOD_PATH_MAX], struct error *err)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	char *path = NULL;
	struct stat st;
	void *library;
	int fd;
	bool is_found;

	if (id->len < 2)
		return false;
	if (files_are_confined())
		return debuginfod_ask_outside(id, ret, err);
	if (!urls || !urls[0]) {
		(void)fail(err, ERR_NOTFOUND, "DEBUGINFOD_URLS names no server");
		return false;
	}
	library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		(void)fail(err, ERR_UNSUPPORTED, "libdebuginfod1 is not installed");
		return false;
	}
	fd = debuginfod_ask(library, id, &path);
	is_found = fd >= 0 && fstat(fd, &st) == 0 && files_is_trusted(&st);
	if (fd < 0)
		(void)fail(err, ERR_NOTFOUND, "no server has this file");
	else if (!is_found)
		(void)fail(err, ERR_PERM, "others may write its cache");
	if (fd >= 0)
		(void)close(fd);
	if (is_found && path)
		(void)snprintf(ret, DEBUGINFOD_PATH_MAX, "%s", path);
	free(path);
	/* do not call dlclose(): libdebuginfod uses libcurl, whose threads may still be running */
	return is_found;
}
