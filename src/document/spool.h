/* SPDX-License-Identifier: MIT */
/*
 * spool.h - anonymous memory that grows with a stream
 *
 * It is an own mapping, so growing moves pages instead of copying them, and releasing returns
 * them to the system. Unwritten pages cost nothing.
 */
#ifndef DOCUMENT_SPOOL_H
#define DOCUMENT_SPOOL_H

#include "base/status.h"
#include "base/str.h"

struct progress;

struct spool {
	char *data;
	size_t len;
	size_t cap;
	size_t limit;              /* largest len */
	struct progress *progress; /* progress of spool_read(); NULL: none */
};

/* @limit: size limit in bytes; 0: LIMIT_STREAM_BYTES or half of the machine's memory. */
void spool_init(struct spool *s, uint64_t limit);
void spool_fini(struct spool *s);

/*
 * Space after the data, *@ret_room bytes, at least one; NULL at the limit or if memory is
 * exhausted. The caller adds the bytes written to s->len.
 */
char *spool_room(struct spool *s, size_t *ret_room);

/* Read @fd to its end. *@ret_is_cut: stopped at the limit. Errors: ERR_IO. */
MUST_CHECK int spool_read(struct spool *s, int fd, bool *ret_is_cut, struct error *err);

static inline struct str spool_view(const struct spool *s)
{
	return (struct str){ s->data, s->len };
}

#endif
