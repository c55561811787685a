/* SPDX-License-Identifier: MIT */
#include "document/document.h"

#include "base/alloc.h"
#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define DOCUMENT_SNIFF_BYTES 65536u

static void document_closep(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
}

int document_from_memory(struct str bytes, const struct document_options *options,
			 struct document **ret, struct error *err)
{
	struct document *d;

	(void)options;
	if (bytes.len == 0)
		return fail(err, ERR_FORMAT, "the input is empty");
	d = xcalloc(1, sizeof(*d));
	d->bytes = bytes.len;
	d->text = bytes;
	d->is_clean = true;
	d->is_binary = str_find_char(str_sub(bytes, 0, DOCUMENT_SNIFF_BYTES), '\0') <
		       str_sub(bytes, 0, DOCUMENT_SNIFF_BYTES).len;
	*ret = d;
	return OK;
}

int document_open(const char *path, const struct document_options *options, struct document **ret,
		  struct error *err)
{
	CLEANUP(document_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *p;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0)
		return fail(err, ERR_IO, "cannot open it: %s", strerror(errno));
	if (S_ISDIR(st.st_mode))
		return fail(err, ERR_IO, "it is a directory; name the files in it");
	if (st.st_size == 0)
		return fail(err, ERR_FORMAT, "the input is empty");
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return fail(err, ERR_IO, "cannot map it: %s", strerror(errno));
	r = document_from_memory((struct str){ p, (size_t)st.st_size }, options, ret, err);
	if (r < 0) {
		(void)munmap(p, (size_t)st.st_size);
		return r;
	}
	(*ret)->mapping = p;
	(*ret)->mapping_bytes = (size_t)st.st_size;
	return OK;
}

void document_free(struct document *d)
{
	if (!d)
		return;
	if (d->mapping)
		(void)munmap(d->mapping, d->mapping_bytes);
	free(d->owned);
	free(d->line_map);
	free(d->depth_map);
	diag_fini(&d->diag);
	free(d);
}

void document_release(const struct document *d, const char *upto)
{
	(void)d;
	(void)upto;
}
