/* SPDX-License-Identifier: MIT */
#include "cmds/run/secret.h"

#include "base/files.h"
#include "base/out.h"
#include "base/status.h"
#include "core/names/redact.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define SECRET_MAX (1u << 20)

/* Read a file with a key. Errors: ERR_IO, ERR_USAGE. */
static int secret_file(const char *path, struct out *ret, struct error *err)
{
	int fd = files_open(path, FILES_NAMED);
	char buf[4096];
	ssize_t n = 0;

	if (fd < 0)
		return fail(err, ERR_IO, "cannot open the file: %s", strerror(errno));
	while (ret->len < SECRET_MAX && (n = files_read(fd, buf, sizeof(buf))) > 0)
		out_bytes(ret, buf, (size_t)n);
	(void)close(fd);
	if (n < 0)
		return fail(err, ERR_IO, "cannot read the file: %s", strerror(errno));
	if (ret->len < REDACT_SECRET_MIN)
		return fail(err, ERR_USAGE,
			    "the key is too short, it needs %u bytes; try 'head -c 32 /dev/urandom "
			    ">FILE'",
			    REDACT_SECRET_MIN);
	return OK;
}

int secret_read(const char *path, struct redact_key *ret, struct error *err)
{
	struct out secret = { .fd = -1 };
	uint64_t random[4];
	int r = OK;

	if (path[0])
		r = secret_file(path, &secret, err);
	else if (getrandom(random, sizeof(random), 0) != sizeof(random))
		r = fail(err, ERR_IO, "no random numbers: %s", strerror(errno));
	else
		out_bytes(&secret, random, sizeof(random));
	if (r == OK)
		*ret = redact_key_of(out_view(&secret));
	out_fini(&secret);
	return r;
}
