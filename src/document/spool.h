/* SPDX-License-Identifier: MIT */
/*
 * spool.h - anonymous memory that grows while a stream is read
 *
 * A mapping of its own, so that growing moves pages instead of copying them and
 * giving it back really gives it back. Pages not yet written cost nothing.
 */
#ifndef DOCUMENT_SPOOL_H
#define DOCUMENT_SPOOL_H

#include "base/progress.h"
#include "base/str.h"

struct spool {
	char *data;
	size_t len;
	size_t cap;
	size_t limit;              /* of len */
	struct progress *progress; /* of spool_read(); NULL: none */
};

/* @limit: at most so many bytes; 0 for LIMIT_STREAM_BYTES or half of the machine's memory. */
void spool_init(struct spool *s, uint64_t limit);
void spool_fini(struct spool *s);

/*
 * Room to write to behind what is there, *@ret_room bytes, at least one; NULL
 * at the limit or when there is no memory. Add what was written to s->len.
 */
char *spool_room(struct spool *s, size_t *ret_room);

/* Read @fd to its end. True in *@ret_is_cut: the limit came first. Errors: ERR_IO. */
MUST_CHECK int spool_read(struct spool *s, int fd, bool *ret_is_cut, struct error *err);

static inline struct str spool_view(const struct spool *s)
{
	return (struct str){ s->data, s->len };
}

#endif
