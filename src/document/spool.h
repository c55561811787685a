/* SPDX-License-Identifier: MIT */
/*
 * spool.h - anonymous memory that grows with a stream
 *
 * A spool is one anonymous mapping. To grow, it moves pages instead of copying them. spool_fini()
 * returns the pages to the system. Unwritten pages need no memory.
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
	size_t limit;              /* limit of the data, in bytes */
	struct progress *progress; /* reports the progress of spool_read(); NULL: none */
};

/*
 * Make an empty spool. @limit: maximum size of the data, in bytes; 0: the smaller of
 * LIMIT_STREAM_BYTES and half of the machine's memory.
 */
void spool_init(struct spool *s, uint64_t limit);
void spool_fini(struct spool *s);

/*
 * Return the free space after the data; *@ret_room: its size, at least one byte. The caller writes
 * there, and adds the number of bytes to s->len. NULL: the limit is reached, or memory is
 * exhausted.
 */
char *spool_room(struct spool *s, size_t *ret_room);

/*
 * Read @fd to its end. *@ret_is_cut: reading stopped at the limit, or at an error after some data.
 * Errors: ERR_IO: no data could be read.
 */
MUST_CHECK int spool_read(struct spool *s, int fd, bool *ret_is_cut, struct error *err);

static inline struct str spool_view(const struct spool *s)
{
	return (struct str){ s->data, s->len };
}

#endif
