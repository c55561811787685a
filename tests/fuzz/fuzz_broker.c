/* SPDX-License-Identifier: MIT */
/*
 * Requests of a confined process to the broker that opens files, after a malicious file took
 * the process over. Each line is a request; its first two characters are its kind and target.
 * Files that were not named are never opened, and nothing is written.
 */
#include "base/files.h"
#include "base/str.h"
#include "metrics/risk_cache.h"

#include <fcntl.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(x) ((x) ? (void)0 : __builtin_trap())
#define FUZZ_FOLDER   "/proc/assay/cache" /* no file can be created there */

struct fuzz_request {
	uint32_t op;
	uint32_t what;
	char text[FILES_TEXT_MAX];
};

struct fuzz_answer {
	int32_t error;
	uint32_t at; /* index of the opened path in the request's text */
	char text[FILES_TEXT_MAX];
};

static bool fuzz_wish(void *arg, enum files_wish wish, const char *text,
		      char ret_text[FILES_TEXT_MAX], int *ret_fd)
{
	(void)arg;
	(void)ret_text;
	return wish >= FILES_CREATE && risk_cache_serve(FUZZ_FOLDER, wish, text, ret_fd);
}

/* Whether the opened path @at of @r is /dev/null: no other named file exists. */
static bool fuzz_is_named(const struct fuzz_request *r, uint32_t at)
{
	const char *path = r->text;
	const char *end = r->text + sizeof(r->text) - 1; /* a NUL in the last byte is implied */

	for (; at && path < end; at--)
		path += strnlen(path, (size_t)(end - path)) + 1;
	return path < end && strncmp(path, "/dev/null", 9) == 0;
}

/*
 * Send @r. A complete message is answered, unless it only announces progress; otherwise the server
 * ends the session.
 */
static bool fuzz_talk(struct files_server *s, int fd, const struct fuzz_request *r, size_t bytes)
{
	static struct fuzz_answer a;
	int passed = -1;

	FUZZ_CHECK(files_send(fd, r, bytes, -1));
	if (!files_serve(s))
		return false;
	FUZZ_CHECK(bytes == sizeof(*r));
	if (r->op == 3)
		return true;
	FUZZ_CHECK(files_receive(fd, &a, sizeof(a), &passed));
	FUZZ_CHECK(memchr(a.text, '\0', sizeof(a.text)));
	if (passed >= 0) {
		FUZZ_CHECK(r->op == 0 && a.error == 0);
		FUZZ_CHECK(r->what != FILES_NAMED || fuzz_is_named(r, a.at));
		(void)close(passed);
	}
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const words[] = {
		"assay", "report", "-o/nonexistent/o", "--output=/nonexistent/p", "/dev/null", NULL
	};
	struct files_server s = { .words = words, .wish = fuzz_wish };
	struct str rest = { (const char *)data, size < 8192 ? size : 8192 };
	static struct fuzz_request r;
	struct str line;
	int fds[2];

	FUZZ_CHECK(files_pair(fds));
	s.fd = fds[0];
	while (str_line(&rest, &line)) {
		struct str text = str_sub(str_skip(line, 2), 0, sizeof(r.text));

		memset(&r, 0, sizeof(r));
		r.op = line.len > 0 ? (uint8_t)line.p[0] - (uint32_t)'0' : 0;
		r.what = line.len > 1 ? (uint8_t)line.p[1] - (uint32_t)'0' : 0;
		if (text.len)
			memcpy(r.text, text.p, text.len);
		if (!fuzz_talk(&s, fds[1], &r, r.what == 9 ? text.len : sizeof(r)))
			break;
	}
	FUZZ_CHECK(memchr(s.reading, '\0', sizeof(s.reading)));
	(void)close(fds[0]);
	(void)close(fds[1]);
	return 0;
}
