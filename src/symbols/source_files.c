/* SPDX-License-Identifier: MIT */
#include "symbols/source_files.h"

#include "base/alloc.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct source_file {
	char *path; /* path with the folder of compilation, as recorded; owned */
	char *text; /* content of the file; NULL: file not found; owned */
	size_t len;
	int64_t changed_s;
	VEC(uint32_t) starts; /* starts[i]: offset in `text` of line i + 1 */
};

struct source_files {
	const char *folder, *root;
	VEC(struct source_file) files;
};

struct source_files *source_files_new(const char *folder, const char *root)
{
	struct source_files *s = xcalloc(1, sizeof(*s));

	s->folder = folder;
	s->root = root;
	return s;
}

void source_files_free(struct source_files *s)
{
	if (!s)
		return;
	VEC_FOREACH (f, &s->files) {
		free(f->path);
		free(f->text);
		VEC_FREE(&f->starts);
	}
	VEC_FREE(&s->files);
	free(s);
}

/* Open @path in the folder @folder. Returns -1 if there is no such file. */
static int source_open_below(const char *folder, struct str path)
{
	char name[PATH_MAX];
	int n = snprintf(name, sizeof(name), "%s%s" STR_FMT, folder,
			 path.len && path.p[0] == '/' ? "" : "/", STR_ARG(path));

	return n > 0 && (size_t)n < sizeof(name) ? files_open(name, FILES_SOURCE) : -1;
}

static int source_open(const struct source_files *s, struct str path)
{
	int fd = -1;

	for (struct str rest = path; s->folder && fd < 0 && rest.len;) {
		size_t slash;

		fd = source_open_below(s->folder, rest);
		rest = str_skip(rest, rest.p[0] == '/' ? 1 : 0);
		slash = str_find_char(rest, '/');
		rest = str_skip(rest, slash < rest.len ? slash + 1 : rest.len);
	}
	/* only absolute paths: a relative path would start at the current folder of assay */
	if (fd < 0 && path.p[0] == '/')
		fd = source_open_below(s->root ? s->root : "", path);
	return fd;
}

static void source_read(struct source_file *f, int fd)
{
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) < 0 || st.st_size <= 0)
		return;
	f->len = (uint64_t)st.st_size < LIMIT_LISTING_BYTES ? (size_t)st.st_size
							    : LIMIT_LISTING_BYTES;
	f->text = xmalloc(f->len);
	f->changed_s = st.st_mtime;
	n = files_read_head(fd, f->text, f->len);
	f->len = n > 0 ? (size_t)n : 0;
	for (size_t at = 0; at < f->len;) {
		const char *end = memchr(f->text + at, '\n', f->len - at);

		*VEC_PUSH(&f->starts) = (uint32_t)at;
		at = end ? (size_t)(end - f->text) + 1 : f->len;
	}
}

/*
 * Join folder and path: "FOLDER/PATH"; an absolute path is used alone. Returns false if the result
 * is too long, or @path is empty or invalid.
 */
static bool source_name(struct str folder, struct str path, char ret[PATH_MAX])
{
	bool is_whole = path.len && path.p[0] == '/';
	int n;

	if (!path.len || memchr(path.p, '\0', path.len))
		return false;
	n = is_whole || !folder.len
		    ? snprintf(ret, PATH_MAX, STR_FMT, STR_ARG(path))
		    : snprintf(ret, PATH_MAX, STR_FMT "/" STR_FMT, STR_ARG(folder), STR_ARG(path));
	return n > 0 && n < PATH_MAX;
}

static const struct source_file *source_find(struct source_files *s, struct str folder,
					     struct str path)
{
	struct source_file *f;
	char name[PATH_MAX];
	int fd;

	if (!source_name(folder, path, name))
		return NULL;
	VEC_FOREACH (known, &s->files) {
		if (strcmp(known->path, name) == 0)
			return known;
	}
	if (s->files.len >= LIMIT_LISTING_FILES)
		return NULL;
	f = VEC_PUSH(&s->files);
	*f = (struct source_file){ .path = xcalloc(strlen(name) + 1, 1) };
	memcpy(f->path, name, strlen(name));
	fd = source_open(s, str_of(name));
	if (fd >= 0) {
		source_read(f, fd);
		(void)close(fd);
	}
	return f;
}

struct str source_files_line(struct source_files *s, struct str folder, struct str path,
			     uint32_t line, int64_t *ret_changed_s)
{
	const struct source_file *f = source_find(s, folder, path);
	struct str ret;

	if (!f || line == 0 || line > f->starts.len)
		return STR_NONE;
	*ret_changed_s = f->changed_s;
	ret = str_skip((struct str){ f->text, f->len }, f->starts.data[line - 1]);
	ret = str_sub(ret, 0, str_find_char(ret, '\n'));
	return ret.len && ret.p[ret.len - 1] == '\r' ? str_sub(ret, 0, ret.len - 1) : ret;
}
