/* SPDX-License-Identifier: MIT */
#include "document/document.h"

#include "base/alloc.h"
#include "base/command/progress.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/out.h"
#include "base/status.h"
#include "base/vec.h"
#include "document/capsule.h"
#include "document/clean.h"
#include "document/decompress.h"
#include "document/inspect.h"
#include "document/mail/body.h"
#include "document/mail/charset.h"
#include "document/mail/mail.h"
#include "document/markup.h"
#include "document/piece.h"
#include "document/rewrap.h"
#include "document/spool.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* document_release() frees at most this many bytes of a mapped file, just before @upto */
#define DOCUMENT_RELEASE_BYTES (UINT64_C(64) << 20)

static const struct diag_kind document_cut = { "document-stream-cut", DIAG_DATALOSS,
					       "streams that did not fit or broke off and were cut",
					       true };
static const struct diag_kind document_too_large = {
	"document-too-large-to-clean", DIAG_INFO,
	"texts too large to undo what mail or terminals did to them; read as they are"
};

static const struct diag_kind document_rewrapped = {
	"document-rows-joined", DIAG_INFO, "lines that continue a broken row of a table, joined",
	.is_change = true
};

static const struct {
	uint32_t bit;
	const char *name;
} document_undone[] = {
	{ UNDONE_UTF16, "utf-16" },
	{ UNDONE_BOM, "byte order mark" },
	{ UNDONE_MBOX, "mailbox" },
	{ UNDONE_MAIL, "mail" },
	{ UNDONE_MIME, "mime" },
	{ UNDONE_BASE64, "base64" },
	{ UNDONE_QP, "quoted-printable" },
	{ UNDONE_PACKED, "packed attachment" },
	{ UNDONE_LATIN1, "latin-1" },
	{ UNDONE_FLOWED, "flowed" },
	{ UNDONE_HTML, "html" },
	{ UNDONE_QUOTES, "quotes" },
	{ UNDONE_FENCES, "markdown" },
	{ UNDONE_ENTITIES, "entities" },
	{ UNDONE_CR, "cr" },
	{ UNDONE_ESCAPES, "escapes" },
	{ UNDONE_NBSP, "Unicode blanks" },
	{ UNDONE_SHADES, "shading" },
	{ UNDONE_LABELS, "container names" },
	{ UNDONE_LISTING, "line numbers" },
	{ UNDONE_LINKS, "links for frame numbers" },
	{ UNDONE_WRAPPED, "broken table rows" },
};

static void document_closep(int *fd)
{
	if (*fd > STDERR_FILENO)
		(void)close(*fd);
}

/* Append the name of an encoding to d->encoding, if there is room. */
static void document_name(struct document *d, const char *name)
{
	size_t n = strlen(d->encoding);

	if (n + strlen(name) + 3 <= sizeof(d->encoding))
		(void)snprintf(d->encoding + n, sizeof(d->encoding) - n, "%s%s", n ? ", " : "",
			       name);
}

static void document_unmap(struct document *d)
{
	if (d->mapping)
		(void)munmap(d->mapping, d->mapping_bytes);
	d->mapping = NULL;
	d->mapping_bytes = 0;
	d->is_file = false;
}

/* Make the data in @spool the text of the document, which takes over its memory. */
static void document_adopt(struct document *d, struct spool *spool)
{
	document_unmap(d);
	d->mapping = spool->data;
	d->mapping_bytes = spool->cap;
	d->text = spool_view(spool);
	*spool = (struct spool){ 0 };
}

/* Replace the document's text, which is a capsule, by one of the inputs in that capsule. */
static int document_enter(struct document *d, const struct document_options *options,
			  struct error *err)
{
	struct str whole = d->text;
	struct capsule c;
	int r;

	if (d->n_evidence)
		return fail(err, ERR_UNSUPPORTED,
			    "a capsule in a capsule; unpack it with 'tar xf'");
	r = capsule_open(whole, options->at, &d->diag, &c, err);
	if (r < 0)
		return r;
	d->capsule = whole;
	d->n_evidence = c.n_evidence;
	d->name = c.name;
	d->text = c.text;
	d->outer = d->mapping;
	d->outer_bytes = d->mapping_bytes;
	d->mapping = NULL;
	d->mapping_bytes = 0;
	d->is_file = false;
	document_name(d, "capsule");
	return OK;
}

/*
 * Undo all layers around the text: compression, such as a .gz inside a .xz, and a capsule. @most:
 * limit of decompressed data, in bytes.
 */
static int document_unpack(struct document *d, const struct document_options *options,
			   uint64_t most, struct error *err)
{
	for (unsigned int layer = 0;; layer++) {
		enum compression how = decompress_detect(d->text);
		CLEANUP(spool_fini) struct spool spool = { 0 };
		int r;

		if (how == COMPRESSION_NONE && !capsule_is(d->text))
			return OK;
		if (how == COMPRESSION_NONE) {
			r = document_enter(d, options, err);
			if (r < 0)
				return r;
			continue;
		}
		if (layer == DECOMPRESS_LAYERS)
			return fail(err, ERR_LIMIT, "compressed more than %u times",
				    DECOMPRESS_LAYERS);
		spool_init(&spool, options->max_bytes);
		if (spool.limit > most)
			spool.limit = (size_t)most;
		r = decompress(d->text, how, &spool, &d->diag, err);
		if (r < 0)
			return r;
		document_name(d, decompress_name(how));
		document_adopt(d, &spool);
	}
}

/* Replace the text by the cleaned text in @c, if cleaning changed anything. */
static void document_take(struct document *d, struct clean *c)
{
	if (c->undone == 0 && !clean_is_full(c))
		return;
	for (size_t i = 0; i < ARRAY_LEN(document_undone); i++) {
		if (c->undone & document_undone[i].bit)
			document_name(d, document_undone[i].name);
	}
	/* allocate an array even for no lines: if line_map is NULL, the text counts as clean */
	VEC_RESERVE(&c->lines, 1);
	free(d->owned);
	free(d->line_map);
	d->owned = c->text.data;
	d->text = out_view(&c->text);
	d->line_map = c->lines.data;
	d->n_lines = c->lines.len;
	d->is_clean = false;
	free(d->depth_map);
	d->depth_map = NULL;
	if (c->has_depth) {
		d->depth_map = c->depths.data;
		c->depths.data = NULL;
	}
	c->text.data = NULL;
	c->lines.data = NULL;
	document_unmap(d);
}

/* Clean the text. @most: limit of its data, in bytes, with decompressed attachments. */
static void document_clean(struct document *d, const struct text_look *look, uint64_t most)
{
	struct piece p = { .text = d->text, .first_line = 1 };
	struct body_options options = { .quotes = look->has_quotes ? BODY_QUOTES_BLOCK
								   : BODY_QUOTES_NONE };
	struct line_breaks breaks = { VEC_INIT };
	struct clean c;
	struct out page;

	clean_init(&c, most < LIMIT_CLEAN_BYTES ? most : LIMIT_CLEAN_BYTES, &d->diag);
	out_init(&page);
	if (look->is_mail) {
		mail_write(&p, &c);
	} else if (look->is_html) {
		(void)markup_html(&p, LIMIT_CLEAN_BYTES, &page, &breaks);
		p.text = out_view(&page);
		p.breaks = &breaks;
		c.undone |= UNDONE_HTML;
		options.quotes = BODY_QUOTES_BLOCK;
		body_write(&p, &options, &c);
	} else {
		body_write(&p, &options, &c);
	}
	document_take(d, &c);
	clean_fini(&c);
	out_fini(&page);
	VEC_FREE(&breaks.v);
}

/* Join the rows of tables that a mailer broke (rewrap.h). */
static void document_rewrap(struct document *d)
{
	VEC(struct rewrap_line) lines = VEC_INIT;
	struct str rest = d->text;
	struct str line;
	struct clean c;
	uint32_t first;
	size_t n;

	if (d->text.len > REWRAP_BYTES)
		return;
	for (uint32_t i = 1; str_line(&rest, &line); i++)
		*VEC_PUSH(&lines) = (struct rewrap_line){ line, document_line(d, i),
							  (uint8_t)document_quote_depth(d, i) };
	clean_init(&c, LIMIT_CLEAN_BYTES, &d->diag);
	n = rewrap(lines.data, lines.len, &c, &first);
	if (n) {
		c.undone = UNDONE_WRAPPED;
		diag_add(&d->diag, &document_rewrapped, n, first);
		document_take(d, &c);
		d->tail_lines = lines.data[lines.len - 1].original - d->line_map[d->n_lines - 1];
	}
	clean_fini(&c);
	VEC_FREE(&lines);
}

/* Convert UTF-16 to UTF-8. Line numbers do not change. */
static void document_utf16(struct document *d, bool is_big_endian)
{
	struct piece p = { .text = d->text, .first_line = 1 };
	struct out utf8;

	out_init(&utf8);
	if (!charset_from_utf16(&p, is_big_endian, LIMIT_CLEAN_BYTES, &utf8, NULL))
		diag_count(&d->diag, &document_cut, 0);
	document_name(d, "utf-16");
	d->owned = utf8.data;
	d->text = out_view(&utf8);
	d->is_clean = false;
	document_unmap(d);
}

/*
 * Turn the document's bytes into text: unpack, convert and clean them. Called for files, streams
 * and memory alike.
 */
static int document_finish(struct document *d, const struct document_options *options,
			   struct error *err)
{
	struct text_look look;
	enum charset charset;
	size_t bom;
	uint64_t most = decompress_limit(d->text.len);
	int r = document_unpack(d, options, most, err);

	if (r < 0)
		return r;
	charset = charset_detect(d->text, &bom);
	if (!options->is_raw && (charset == CHARSET_UTF16_LE || charset == CHARSET_UTF16_BE)) {
		if (d->text.len > LIMIT_CLEAN_BYTES)
			return fail(
				err, ERR_LIMIT,
				"UTF-16 and too large; convert it with 'iconv -f utf-16 -t utf-8'");
		document_utf16(d, charset == CHARSET_UTF16_BE);
		bom = str_starts(d->text, STR("\xef\xbb\xbf")) ? 3 : 0;
	}
	d->is_binary = inspect_is_binary(d->text);
	if (options->is_raw || d->is_binary)
		return OK;
	d->text = str_skip(d->text, bom);
	look = inspect_text(d->text);
	if (look.is_dirty && d->text.len > LIMIT_CLEAN_BYTES)
		diag_count(&d->diag, &document_too_large, 0);
	else if (look.is_dirty)
		document_clean(d, &look, most);
	document_rewrap(d);
	return OK;
}

static int document_finish_to(struct document **slot, const struct document_options *options,
			      struct document **ret, struct error *err)
{
	static const struct document_options defaults = { 0 };
	int r = document_finish(*slot, options ? options : &defaults, err);

	if (r < 0)
		return r;
	*ret = TAKE(*slot);
	return OK;
}

int document_from_memory(struct str bytes, const struct document_options *options,
			 struct document **ret, struct error *err)
{
	CLEANUP(document_freep) struct document *d = NULL;

	if (bytes.len == 0)
		return fail(
			err, ERR_FORMAT,
			"the input is empty; record it again, or check the command that wrote it");
	d = xcalloc(1, sizeof(*d));
	d->bytes = bytes.len;
	d->text = bytes;
	d->is_clean = true;
	d->progress = options ? options->progress : NULL;
	return document_finish_to(&d, options, ret, err);
}

/* Read all of a pipe, a terminal, or a /proc file, none of which has a size. */
static int document_read(struct document *d, int fd, const struct document_options *options,
			 struct error *err)
{
	CLEANUP(spool_fini) struct spool spool = { 0 };
	bool is_cut;
	int r;

	spool_init(&spool, options ? options->max_bytes : 0);
	spool.progress = d->progress;
	r = spool_read(&spool, fd, &is_cut, err);
	if (r < 0)
		return r;
	if (is_cut)
		diag_count(&d->diag, &document_cut, 0);
	if (spool.len == 0)
		return fail(
			err, ERR_FORMAT,
			"the input is empty; record it again, or check the command that wrote it");
	d->bytes = spool.len;
	document_adopt(d, &spool);
	return OK;
}

static int document_map(struct document *d, int fd, size_t size, struct error *err)
{
	void *p;

	if (size > LIMIT_INPUT_BYTES)
		return fail(err, ERR_LIMIT, "larger than 1 TiB");
	p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return fail(err, ERR_IO, "cannot map the file: %s", strerror(errno));
	/*
	 * do not use MADV_SEQUENTIAL: the page cache would then use small pages, which are slow to
	 * map
	 */
	d->mapping = p;
	d->mapping_bytes = size;
	d->is_file = true;
	d->bytes = size;
	d->text = (struct str){ p, size };
	return OK;
}

static int document_open_fd(const char *path, int *ret_fd, struct error *err)
{
	if (strcmp(path, "-") == 0) {
		*ret_fd = STDIN_FILENO;
		return OK;
	}
	*ret_fd = files_open(path, FILES_NAMED);
	if (*ret_fd >= 0)
		return OK;
	if (errno == ENOENT)
		return fail(err, ERR_IO, "no such file");
	if (errno == EACCES || errno == EPERM)
		return fail(err, ERR_PERM, "permission denied");
	return fail(err, ERR_IO, "cannot open the file: %s", strerror(errno));
}

/* Open the input NAME of the capsule FILE, if @path has the form FILE/NAME. */
static int document_open_inside(const char *path, const struct document_options *options,
				struct document **ret, struct error *err)
{
	struct document_options inside = options ? *options : (struct document_options){ 0 };
	const char *slash = strrchr(path, '/');
	CLEANUP(document_freep) struct document *first = NULL;
	CLEANUP(freep) char *file = NULL;
	int r;

	if (!slash || slash == path)
		return ERR_NOTFOUND;
	file = xcalloc(1, (size_t)(slash - path) + 1);
	memcpy(file, path, (size_t)(slash - path));
	inside.at = 0;
	if (document_open(file, &inside, &first, NULL) < 0 || !first->n_evidence)
		return ERR_NOTFOUND;
	inside.at = capsule_find(first->capsule, str_of(slash + 1));
	r = document_open(file, &inside, ret, err);
	return r;
}

int document_open(const char *path, const struct document_options *options, struct document **ret,
		  struct error *err)
{
	CLEANUP(document_freep) struct document *d = NULL;
	CLEANUP(document_closep) int fd = -1;
	struct stat st;
	int r = document_open_fd(path, &fd, err);

	if (r < 0)
		return document_open_inside(path, options, ret, NULL) == OK ? OK : r;
	if (fstat(fd, &st) < 0)
		return fail(err, ERR_IO, "cannot stat the file: %s", strerror(errno));
	if (S_ISDIR(st.st_mode))
		return fail(err, ERR_IO, "is a directory; name the files in it");
	d = xcalloc(1, sizeof(*d));
	d->is_clean = true;
	d->progress = options ? options->progress : NULL;
	if (S_ISREG(st.st_mode) && st.st_mtim.tv_sec > 0)
		d->written_ns =
			(uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec;
	/* standard input may be a file that was partly read: map it only if it is at its start */
	if (S_ISREG(st.st_mode) && st.st_size > 0 &&
	    (fd != STDIN_FILENO || lseek(fd, 0, SEEK_CUR) == 0))
		r = document_map(d, fd, (size_t)st.st_size, err);
	else
		r = document_read(d, fd, options, err);
	if (r < 0)
		return r;
	return document_finish_to(&d, options, ret, err);
}

void document_free(struct document *d)
{
	if (!d)
		return;
	document_unmap(d);
	if (d->outer)
		(void)munmap(d->outer, d->outer_bytes);
	free(d->owned);
	free(d->line_map);
	free(d->depth_map);
	diag_fini(&d->diag);
	free(d);
}

void document_release(const struct document *d, const char *upto)
{
	const uintptr_t page = 4096;
	uintptr_t first = (uintptr_t)d->mapping;
	uintptr_t to = (uintptr_t)upto;
	uintptr_t from;

	if (upto >= d->text.p && upto <= d->text.p + d->text.len)
		progress_bytes(d->progress, (uint64_t)(upto - d->text.p), d->text.len);
	/* only pages of a mapped file can be released: the kernel reads them again when needed */
	if (!d->is_file || to < first || to > first + d->mapping_bytes)
		return;
	to -= to % page;
	from = to - first > DOCUMENT_RELEASE_BYTES ? to - DOCUMENT_RELEASE_BYTES : first;
	/* pages of the mapping were never written, so no data is lost */
	if (to > from)
		(void)madvise((char *)d->mapping + (from - first), to - from, MADV_DONTNEED);
}
