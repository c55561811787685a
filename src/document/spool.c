/* SPDX-License-Identifier: MIT */
#include "document/spool.h"

#include "base/command/progress.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/status.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#define SPOOL_FIRST_BYTES (UINT64_C(1) << 20)
#define SPOOL_READ_BYTES  (UINT64_C(1) << 24) /* limit of the bytes of one read() */

void spool_init(struct spool *s, uint64_t limit)
{
	if (limit == 0) {
		long pages = sysconf(_SC_PHYS_PAGES);
		long page = sysconf(_SC_PAGESIZE);

		limit = LIMIT_STREAM_BYTES;
		if (pages > 0 && page > 0 && (uint64_t)pages / 2 < limit / (uint64_t)page)
			limit = (uint64_t)pages / 2 * (uint64_t)page;
	}
	*s = (struct spool){ .limit = (size_t)limit };
}

void spool_fini(struct spool *s)
{
	if (s->data)
		(void)munmap(s->data, s->cap);
	*s = (struct spool){ 0 };
}

static bool spool_grow(struct spool *s)
{
	size_t cap = s->cap ? s->cap * 2 : SPOOL_FIRST_BYTES;
	void *p;

	if (!s->data)
		p = mmap(NULL, cap, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	else
		p = mremap(s->data, s->cap, cap, MREMAP_MAYMOVE);
	if (p == MAP_FAILED)
		return false;
	s->data = p;
	s->cap = cap;
	return true;
}

char *spool_room(struct spool *s, size_t *ret_room)
{
	size_t end;

	if (s->len >= s->limit || (s->len == s->cap && !spool_grow(s)))
		return NULL;
	end = s->cap < s->limit ? s->cap : s->limit;
	*ret_room = end - s->len;
	return s->data + s->len;
}

int spool_read(struct spool *s, int fd, bool *ret_is_cut, struct error *err)
{
	*ret_is_cut = false;
	for (;;) {
		size_t room;
		char *p = spool_room(s, &room);
		char extra;
		ssize_t n = files_read(fd, p ? p : &extra,
				       !p                        ? 1
				       : room < SPOOL_READ_BYTES ? room
								 : SPOOL_READ_BYTES);

		if (n == 0)
			return OK;
		if (n < 0) {
			if (s->len > 0) { /* keep the data that was read before the error */
				*ret_is_cut = true;
				return OK;
			}
			return fail(err, ERR_IO, "cannot read the file: %s",
				    errno == EBADF ? "it is closed" : strerror(errno));
		}
		if (!p) {
			*ret_is_cut = true;
			return OK;
		}
		s->len += (size_t)n;
		progress_bytes(s->progress, s->len, 0);
	}
}
