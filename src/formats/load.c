/* SPDX-License-Identifier: MIT */
#include "formats/load.h"

#include "base/alloc.h"
#include "base/files.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/strings.h"
#include "document/document.h"
#include "formats/bar_tables.h"
#include "formats/context.h"
#include "formats/cut_text.h"
#include "formats/detect.h"
#include "formats/examples.h"
#include "formats/excerpt.h"
#include "formats/logs/loose_messages.h"
#include "formats/logs/loose_stacks.h"
#include "formats/output_parts.h"
#include "formats/sides.h"
#include "formats/stated_samples.h"
#include "formats/unread_rows.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct diag_kind load_unreadable = { "region-unreadable", DIAG_DATALOSS,
						  "stretches that looked like a capture and "
						  "had nothing in them" };
static const struct diag_kind load_too_many = {
	"regions-past-limit", DIAG_DATALOSS, "documents with more captures than are kept apart"
};

static const struct diag_kind load_sampled = {
	"searched-in-samples", DIAG_INFO,
	"large texts without one format: searched by their head and samples (--as FORMAT reads all)"
};

struct load {
	struct dossier *d;
	const struct document *doc;
	const struct load_options *options; /* may be NULL */
	size_t input;                       /* index in d->inputs */
	str_id path;
	size_t n_read;
	/*
	 * index in d->captures of the table that ends directly before the next region; SIZE_MAX: no
	 * table ends there
	 */
	size_t table;
	struct str last_row; /* text of the last line of the table `table` */
	size_t n_declined;   /* number of regions with a known format that assay does not read */
	/* why assay does not read the first of the regions in n_declined; NULL: n_declined is 0 */
	const char *declined;
	struct error failure;    /* error of the first reader that failed */
	const char *failed;      /* name of the format of the reader that failed first */
	int status;              /* code of the first error that is not ERR_FORMAT */
	struct error status_err; /* message of the error `status` */
};

static struct dossier_input *load_entry(const struct load *l)
{
	return &l->d->inputs.data[l->input];
}

static uint32_t load_line(const struct load *l, uint32_t clean_line)
{
	return clean_line ? document_line(l->doc, clean_line) : 0;
}

static struct dossier_region load_region(const struct load *l, const struct detected *r)
{
	uint32_t last = r->n_lines ? r->first_line + r->n_lines - 1 : 0;

	return (struct dossier_region){
		.format = detected_name(r),
		.declined = r->extent.declined,
		.capture = INDEX_NONE,
		.first_line = load_line(l, r->first_line),
		.last_line = load_line(l, last),
	};
}

/* Remove the captures from index @from on that the last reader added but left without content. */
static void load_drop_empty(struct load *l, size_t from)
{
	while (l->d->captures.len > from && l->d->captures.data[l->d->captures.len - 1]->kinds == 0)
		dossier_drop_last(l->d);
}

/*
 * Add one entry to the input's regions for each capture from index @from on. The reader made these
 * captures from @r. If the reader did not set the first or last line of a capture, this function
 * sets it.
 */
static void load_enter_captures(struct load *l, const struct detected *r, size_t from)
{
	struct dossier_region region = load_region(l, r);

	for (size_t i = from; i < l->d->captures.len; i++) {
		struct capture *c = l->d->captures.data[i];
		bool is_text = !l->doc->is_binary && r->first_line;

		if (is_text && !c->first_line)
			c->first_line = region.first_line;
		if (is_text && !c->last_line && !region.last_line)
			c->last_line = load_line(
				l, r->first_line - 1 +
					   format_count_lines(str_sub(l->doc->text, r->extent.from,
								      r->extent.to)));
		if (is_text && !c->last_line)
			c->last_line = region.last_line;
		region.capture = (uint32_t)i;
		region.first_line = c->first_line;
		region.last_line = c->last_line;
		*VEC_PUSH(&load_entry(l)->regions) = region;
	}
}

/* The last non-blank line of @text. */
static struct str load_last_line(struct str text)
{
	size_t newline;

	text = str_rtrim(text);
	newline = str_rfind_char(text, '\n');
	return newline < text.len ? str_skip(text, newline + 1) : text;
}

/*
 * Find rows that belong to the table directly above @r, a region that no reader takes. Such rows
 * are the first lines of @r that look like the last row of the table. Each is reported as an unread
 * row of the table. Returns the number of these rows.
 */
static uint32_t load_rows_below(struct load *l, const struct detected *r)
{
	struct str text = str_sub(l->doc->text, r->extent.from, r->extent.to);
	struct capture *c = l->table < l->d->captures.len ? l->d->captures.data[l->table] : NULL;
	struct str line;
	uint32_t n = 0;

	if (!c || !(c->counters || c->distribution || c->metrics))
		return 0;
	for (; str_line(&text, &line) && unread_rows_is_like(line, l->last_row); n++)
		unread_rows_add(c, load_line(l, r->first_line + n));
	return n;
}

/* Is @line a line that a tool draws, such as "-----" or "procs ----memory---- --swap--"? */
static bool load_is_ruler(struct str line)
{
	size_t marks = 0;
	size_t others = 0;

	for (size_t i = 0; i < line.len; i++) {
		if (strchr("-=*_~", line.p[i]))
			marks++;
		else
			others += !char_is_blank(line.p[i]);
	}
	return marks > others;
}

/*
 * Count a line that belongs to no capture. The input keeps the text of the first ones, cut to
 * DOSSIER_UNREAD_BYTES, but not within a character.
 */
static void load_unread(struct load *l, uint32_t number, struct str line)
{
	struct dossier_input *in = load_entry(l);
	struct str text = str_trim(line);
	size_t len = text.len < DOSSIER_UNREAD_BYTES ? text.len : DOSSIER_UNREAD_BYTES;

	in->unrecognised_lines++;
	if (in->n_unread == DOSSIER_UNREAD)
		return;
	while (len < text.len && len && ((unsigned char)text.p[len] & 0xc0) == 0x80)
		len--;
	in->unread[in->n_unread++] = (struct dossier_unread){
		.line = number,
		.text = strings_add(&l->d->strings, str_sub(text, 0, len)),
		.is_cut = len < text.len,
	};
}

/*
 * The line @number is in use, for instance as the title of a capture. If it was counted as a line
 * that belongs to no capture, undo this.
 */
static void load_used_line(struct load *l, uint32_t number)
{
	struct dossier_input *in = load_entry(l);

	for (uint32_t i = 0; number && i < in->n_unread; i++) {
		if (in->unread[i].line != number)
			continue;
		in->n_unread--;
		in->unrecognised_lines--;
		memmove(&in->unread[i], &in->unread[i + 1],
			(in->n_unread - i) * sizeof(in->unread[i]));
		return;
	}
}

/*
 * Add @r to the input's regions, because no format claims it or its reader rejected it. @n_rows:
 * number of lines to skip at the start of @r, because load_rows_below() counted them.
 */
static void load_unrecognised(struct load *l, const struct detected *r, uint32_t n_rows)
{
	struct dossier_region region = load_region(l, r);
	struct context_walk walk = { .text = str_sub(l->doc->text, r->extent.from, r->extent.to) };
	enum context_kind kind;
	uint32_t first = 0;
	uint32_t last = 0;
	struct str line;

	region.format = NULL;
	region.declined = NULL;
	if (l->doc->is_binary) {
		*VEC_PUSH(&load_entry(l)->regions) = region;
		return;
	}
	for (uint32_t n = r->first_line; context_next(&walk, &line, &kind); n++) {
		if (kind != CONTEXT_PROSE || n < r->first_line + n_rows || load_is_ruler(line))
			continue;
		load_unread(l, load_line(l, n), line);
		first = first ? first : n;
		last = n;
	}
	if (!first)
		return;
	region.first_line = load_line(l, first);
	region.last_line = load_line(l, last);
	*VEC_PUSH(&load_entry(l)->regions) = region;
}

static struct region load_part(const struct load *l, const struct detected *r)
{
	return (struct region){
		.doc = l->doc,
		.path = l->path,
		.text = str_sub(l->doc->text, r->extent.from, r->extent.to),
		.first_line = r->first_line,
		.n_lines = r->n_lines,
		.fields = l->options ? l->options->fields : NULL,
		.n_fields = l->options ? l->options->n_fields : 0,
		.options = l->options ? l->options->read : (struct read_options){ .without = 0 },
	};
}

/* Make a capture of the known messages in @r, a region that no reader takes. */
static void load_messages(struct load *l, const struct detected *r)
{
	struct region in = load_part(l, r);
	size_t before = l->d->captures.len;

	if (l->doc->is_binary || !l->options || !l->options->is_message || l->options->only ||
	    !loose_messages_read(&in, l->d, l->options->is_message))
		return;
	load_enter_captures(l, r, before);
	l->n_read++;
}

static void load_read(struct load *l, const struct detected *r)
{
	struct region in = load_part(l, r);
	size_t before = l->d->captures.len;
	struct error err = { "" };
	int status = r->format->read(&in, l->d, &err);

	if (status < 0)
		load_drop_empty(l, before);
	if (status < 0 && status != ERR_FORMAT && l->status == OK) {
		l->status = status;
		l->status_err = err;
	}
	if (l->d->captures.len > before) {
		load_enter_captures(l, r, before);
		l->table = before;
		l->last_row = l->doc->is_binary ? STR_NONE : load_last_line(in.text);
		l->n_read++;
		return;
	}
	if (!l->failed) {
		l->failed = detected_name(r);
		l->failure = err;
	}
	diag_count(&load_entry(l)->diag, &load_unreadable, load_line(l, r->first_line));
	load_unrecognised(l, r, 0);
}

static void load_decline(struct load *l, const struct detected *r)
{
	struct dossier_region region = load_region(l, r);

	if (!region.declined)
		region.declined = "not read yet";
	if (!l->n_declined++)
		l->declined = region.declined;
	*VEC_PUSH(&load_entry(l)->regions) = region;
}

/*
 * Whether found->regions[at] is only the head of the text in the next region. True if its reader
 * marked it as a head (extent.is_head), and the next readable region has the same format.
 */
static bool load_is_head(const struct detection *found, size_t at)
{
	const struct detected *r = &found->regions.data[at];

	if (!r->extent.is_head)
		return false;
	while (++at < found->regions.len) {
		const struct detected *next = &found->regions.data[at];

		if (next->format && !next->extent.declined)
			return str_eq(str_of(next->format->name), str_of(detected_name(r)));
	}
	return false;
}

static void load_regions(struct load *l, const struct detection *found)
{
	size_t first_capture = l->d->captures.len;

	l->table = SIZE_MAX;
	for (size_t i = 0; i < found->regions.len; i++) {
		const struct detected *r = &found->regions.data[i];

		if (r->format)
			l->table = SIZE_MAX;
		if (!r->format || load_is_head(found, i)) {
			load_messages(l, r);
			load_unrecognised(l, r, load_rows_below(l, r));
		} else if (r->extent.declined || !r->format->read) {
			load_decline(l, r);
		} else {
			load_read(l, r);
		}
	}
	if (found->is_cut)
		diag_count(&load_entry(l)->diag, &load_too_many, 0);
	if (found->is_sampled)
		diag_count(&load_entry(l)->diag, &load_sampled, 0);
	context_read(l->d, l->doc, found, first_capture);
	stated_samples_read(l->d, l->doc, found, first_capture);
	loose_stacks_read(l->d, l->doc, found, first_capture);
	cut_text_mark(l->d, l->doc, found, first_capture);
	excerpts_mark(l->d, first_capture);
	output_parts_mark(l->d, l->doc, found, first_capture);
	sides_mark(l->d, l->doc, first_capture);
	for (size_t i = first_capture; i < l->d->captures.len; i++) {
		load_used_line(l, l->d->captures.data[i]->title_line);
		load_used_line(l, l->d->captures.data[i]->side_line);
	}
	examples_mark(load_entry(l), l->doc);
}

/* Return ERR_FORMAT and set @err to a description of the input. Called if no capture was made. */
static int load_nothing(const struct load *l, struct error *err)
{
	const struct dossier_input *in = load_entry(l);
	struct str text = l->doc->text;
	struct str line;
	size_t n = 0;

	if (l->n_declined > 1)
		return fail(err, ERR_FORMAT, "%s (and %zu more such part%s)", l->declined,
			    l->n_declined - 1, l->n_declined == 2 ? "" : "s");
	if (l->n_declined)
		return fail(err, ERR_FORMAT, "%s", l->declined);
	if (l->failed)
		return fail(err, ERR_FORMAT, "looks like %s, but: %s", l->failed,
			    l->failure.msg[0] ? l->failure.msg : "nothing useful is in it");
	if (l->doc->is_binary)
		return fail(err, ERR_FORMAT, "unknown binary data (%llu bytes)",
			    (unsigned long long)in->bytes);
	while (str_line(&text, &line))
		n += str_trim(line).len != 0;
	return fail(err, ERR_FORMAT,
		    "no capture found in %zu %s of text; 'assay help topics' lists the formats", n,
		    n == 1 ? "line" : "lines");
}

static uint32_t load_lines(const struct load *l, const struct detection *found)
{
	const struct dossier_input *in = load_entry(l);

	if (l->doc->is_binary)
		return 0;
	if (found->n_lines)
		return load_line(l, found->n_lines) + l->doc->tail_lines;
	return in->regions.len ? in->regions.data[in->regions.len - 1].last_line : 0;
}

/* Like load_document(), for a text without bars of Markdown around known tables. */
static int load_plain(struct dossier *d, const struct document *doc, const char *path,
		      const struct load_options *options, struct error *err)
{
	struct load l = { .d = d, .doc = doc, .options = options, .input = d->inputs.len };
	struct detection found;

	l.path = strings_add(&d->strings, str_of(path));
	*VEC_PUSH(&d->inputs) = (struct dossier_input){
		.path = l.path,
		.bytes = doc->bytes,
		.encoding = strings_add(&d->strings, str_of(doc->encoding)),
	};
	VEC_FOREACH (e, &doc->diag.entries)
		diag_add(&load_entry(&l)->diag, e->kind, e->count, e->first_line);
	if (options && options->only)
		detect_as(doc, options->only, &found);
	else
		detect(doc, &found);
	load_regions(&l, &found);
	load_entry(&l)->lines = load_lines(&l, &found);
	detection_fini(&found);
	if (l.status < 0) {
		if (err)
			*err = l.status_err;
		return l.status;
	}
	return l.n_read ? OK : load_nothing(&l, err);
}

int load_document(struct dossier *d, const struct document *doc, const char *path,
		  const struct load_options *options, struct error *err)
{
	CLEANUP(freep) char *blank = doc->is_binary ? NULL : bar_tables_blank(doc->text);
	struct document plain;

	if (!blank)
		return load_plain(d, doc, path, options, err);
	plain = *doc;
	plain.text.p = blank;
	return load_plain(d, &plain, path, options, err);
}

/*
 * If the folder @path is a recording of `perf record --threads`, return the path of its file
 * "data". The caller frees this path. NULL: the folder is not such a recording.
 */
static char *load_inside(const char *path)
{
	size_t len = strlen(path);
	char *inside;
	int fd;

	if (!files_is_folder(path))
		return NULL;
	inside = xmalloc(len + sizeof("/data"));
	memcpy(inside, path, len);
	memcpy(inside + len, "/data", sizeof("/data"));
	fd = files_open(inside, FILES_NAMED);
	if (fd >= 0) {
		(void)close(fd);
		return inside;
	}
	free(inside);
	return NULL;
}

/*
 * Read @doc. If @doc is an input in a capsule (an archive made by `assay capsule`), read all inputs
 * of that capsule. Each input gets the path PATH/NAME. This fails only if no input can be read.
 */
static int load_opened(struct dossier *d, const struct document *doc, const char *path,
		       const struct document_options *dopt, const struct load_options *options,
		       struct error *err)
{
	size_t n_read = 0;
	int first = OK;

	if (doc->n_evidence < 2)
		return load_document(d, doc, path, options, err);
	for (size_t i = 0; i < doc->n_evidence; i++) {
		CLEANUP(document_freep) struct document *one = NULL;
		CLEANUP(out_fini) struct out name = { .fd = -1 };
		struct document_options inside = *dopt;
		struct error why = { "" };
		int r;

		inside.at = i;
		r = document_from_memory(doc->capsule, &inside, &one, &why);
		if (r == OK) {
			out_printf(&name, "%s/" STR_FMT "%c", path, STR_ARG(one->name), '\0');
			r = load_document(d, one, name.data, options, &why);
		}
		n_read += r == OK;
		if (r < 0 && first == OK) {
			first = r;
			if (err)
				*err = why;
		}
	}
	return n_read ? OK : first;
}

int load_input(struct dossier *d, const char *path, const struct load_options *options,
	       struct error *err)
{
	CLEANUP(document_freep) struct document *doc = NULL;
	CLEANUP(freep) char *inside = load_inside(path);
	struct document_options dopt = { .is_raw = options && options->is_raw,
					 .progress = options ? options->progress : NULL };
	int r = document_open(inside ? inside : path, &dopt, &doc, err);

	if (r < 0)
		return r;
	return load_opened(d, doc, path, &dopt, options, err);
}

int load_bytes(struct dossier *d, struct str bytes, const char *path,
	       const struct load_options *options, struct error *err)
{
	CLEANUP(document_freep) struct document *doc = NULL;
	struct document_options dopt = { .is_raw = options && options->is_raw };
	int r = document_from_memory(bytes, &dopt, &doc, err);

	if (r < 0)
		return r;
	return load_opened(d, doc, path, &dopt, options, err);
}
