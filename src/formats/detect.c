/* SPDX-License-Identifier: MIT */
#include "formats/detect.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"
#include "document/document.h"
#include "formats/registry.h"

/* in a large file, only this many bytes at the start are used to detect the format */
#define DETECT_WINDOW_BYTES (UINT64_C(512) << 10)
/*
 * Number and size of the samples that are used if the start of a large file does not determine the
 * format. They are evenly distributed over the file.
 */
#define DETECT_SAMPLES      64u
#define DETECT_SAMPLE_BYTES (UINT64_C(8) << 10)
/* number and size of the samples with which detect_goes_on() checks the rest of a file */
#define DETECT_CHECKS      32u
#define DETECT_CHECK_BYTES (UINT64_C(8) << 10)
/*
 * Maximum number of bytes that a format may scan, as a multiple of the size of the text.
 * DETECT_ASK_LARGE is for texts of more than DETECT_LARGE_BYTES, DETECT_ASK_FACTOR for others.
 */
#define DETECT_ASK_FACTOR 8u
#define DETECT_ASK_LARGE  2u

/* The next extent that a format claims. It is stored until the scan has passed its start. */
struct detect_next {
	struct extent e;
	bool has;
	bool is_done; /* the format claims nothing in the rest of the text */
	/*
	 * the format is out of the search for the current region, because it claims no text before
	 * a claim with a higher score
	 */
	bool is_left;
	uint64_t spent;
};

struct detect_scan {
	struct str text;
	struct detect_next *next; /* next extent of each entry in formats[] */
	size_t n_formats;
	uint64_t budget; /* bytes that each format may scan */
	/*
	 * claims[i] becomes true if format i claims something; NULL: the caller does not need these
	 * values
	 */
	bool *claims;
};

static size_t detect_n_formats(void)
{
	size_t n = 0;

	while (formats[n])
		n++;
	return n;
}

const char *detected_name(const struct detected *r)
{
	if (!r->format)
		return NULL;
	return r->extent.name ? r->extent.name : r->format->name;
}

void detection_fini(struct detection *d)
{
	VEC_FREE(&d->regions);
}

/*
 * Ask the format for its next extent in text[from, to). False: there is none, or it is invalid (see
 * format.h, find).
 */
static bool detect_find(const struct format *f, struct str text, size_t from, size_t to,
			struct extent *ret)
{
	struct extent e = { 0 };

	if (!f->find || f->is_binary || from >= to)
		return false;
	if (!f->find(str_sub(text, 0, to), from, &e))
		return false;
	if (e.from < from || e.to <= e.from || e.to > to || e.score == 0)
		return false;
	*ret = e;
	return true;
}

/*
 * If the stored extent of format @i begins before @pos, ask the format for its next extent. A
 * format that has already scanned more than its budget is not asked while its extent still ends
 * after @pos. Its extent is then shortened to begin at @pos.
 */
static void detect_refill(struct detect_scan *s, size_t i, size_t pos)
{
	struct detect_next *next = &s->next[i];

	if (next->is_done || (next->has && next->e.from >= pos))
		return;
	if (next->has && next->spent > s->budget && next->e.to > pos) {
		next->e.from = pos;
		return;
	}
	next->has = detect_find(formats[i], s->text, pos, s->text.len, &next->e);
	next->is_done = !next->has;
	if (s->claims && next->has)
		s->claims[i] = true;
	next->spent += (next->has ? next->e.to : s->text.len) - pos;
}

/*
 * Index of the format with the earliest claim. Of several claims with the same start, the one with
 * the highest score, then the longest one is used. n_formats: no format claims anything.
 */
static size_t detect_first(const struct detect_scan *s)
{
	size_t best = s->n_formats;

	for (size_t i = 0; i < s->n_formats; i++) {
		const struct extent *e = &s->next[i].e;
		const struct extent *b = best < s->n_formats ? &s->next[best].e : NULL;

		if (!s->next[i].has)
			continue;
		if (!b || e->from < b->from ||
		    (e->from == b->from &&
		     (e->score > b->score || (e->score == b->score && e->to > b->to))))
			best = i;
	}
	return best;
}

/*
 * Index of the format with the earliest claim that overlaps @e and has a higher score. Ignored are
 * format @but, which claims @e, and formats with is_left. n_formats: none.
 */
static size_t detect_surer(const struct detect_scan *s, size_t but, const struct extent *e)
{
	size_t best = s->n_formats;

	for (size_t i = 0; i < s->n_formats; i++) {
		const struct detect_next *n = &s->next[i];

		if (i == but || !n->has || n->is_left || n->e.from >= e->to ||
		    n->e.score <= e->score)
			continue;
		if (best == s->n_formats || n->e.from < s->next[best].e.from)
			best = i;
	}
	return best;
}

/*
 * Find the next region at or after @pos: the earliest claim. If a claim with a higher score
 * overlaps it, the format of the earlier claim is asked again, for the text before the overlap
 * only. If this format claims nothing there, the claim with the higher score is used. The loop
 * ends, because each round shortens the claim or excludes a format. (A shortened claim may have a
 * lower score than before.)
 */
static bool detect_next_region(struct detect_scan *s, size_t pos, struct detected *ret)
{
	size_t i;
	struct extent e;

	for (size_t k = 0; k < s->n_formats; k++) {
		s->next[k].is_left = false;
		detect_refill(s, k, pos);
	}
	i = detect_first(s);
	if (i == s->n_formats)
		return false;
	e = s->next[i].e;
	for (;;) {
		size_t k = detect_surer(s, i, &e);

		if (k == s->n_formats)
			break;
		if (!detect_find(formats[i], s->text, e.from, s->next[k].e.from, &e)) {
			s->next[i].is_left = true;
			i = k;
			e = s->next[k].e;
		}
	}
	*ret = (struct detected){ .format = formats[i], .extent = e };
	return true;
}

static void detect_add(struct detection *d, const struct format *f, struct extent e)
{
	if (e.from < e.to)
		*VEC_PUSH(&d->regions) = (struct detected){ .format = f, .extent = e };
}

/*
 * Find the regions of @text. @only[i]: format i is asked; NULL: all formats are asked. @claims[i]
 * becomes true if format i claims anything, even if another format gets this text; may be NULL.
 */
static void detect_scan_text(struct str text, const bool *only, bool *claims, struct detection *ret)
{
	struct detect_scan s = { .text = text, .n_formats = detect_n_formats(), .claims = claims };
	struct detected r;
	size_t pos = 0;

	s.budget = text.len > DETECT_LARGE_BYTES ? DETECT_ASK_LARGE : DETECT_ASK_FACTOR;
	s.budget = s.budget * text.len + DETECT_HEAD_BYTES;
	s.next = xcalloc(s.n_formats, sizeof(*s.next));
	for (size_t i = 0; only && i < s.n_formats; i++)
		s.next[i].is_done = !only[i];
	while (detect_next_region(&s, pos, &r)) {
		detect_add(ret, NULL, (struct extent){ pos, r.extent.from });
		detect_add(ret, r.format, r.extent);
		pos = r.extent.to;
		if (ret->regions.len + 2 > LIMIT_REGIONS) {
			ret->is_cut = pos < text.len;
			break;
		}
	}
	detect_add(ret, NULL, (struct extent){ pos, text.len });
	free(s.next);
}

/*
 * Set the first line and the number of lines of each region in @d. Also count the non-blank lines
 * of unclaimed regions.
 */
static void detect_number(struct str text, struct detection *d)
{
	uint32_t line_no = 1;

	VEC_FOREACH (r, &d->regions) {
		struct str in = str_sub(text, r->extent.from, r->extent.to);
		struct str line;

		r->first_line = line_no;
		if (r->format) {
			r->n_lines = format_count_lines(in);
		} else {
			while (str_line(&in, &line)) {
				r->n_lines++;
				r->n_text += str_trim(line).len > 0;
			}
		}
		line_no += r->n_lines;
	}
	d->n_lines = line_no - 1;
}

/* The complete lines in the first @bytes of @text. */
static struct str detect_head(struct str text, uint64_t bytes)
{
	struct str head = str_sub(text, 0, bytes);

	return str_sub(head, 0, str_rfind_char(head, '\n') + 1);
}

/* Does @head have only blank lines from offset @at on? */
static bool detect_is_end(struct str head, size_t at)
{
	return str_trim(str_skip(head, at)).len == 0;
}

/*
 * The last region of @head, if it certainly continues in the text after @head. Its score must be at
 * least DETECT_SURE, and only blank lines may follow it in @head. NULL: the region may end in
 * @head. If the last region of @d is unclaimed and has only blank lines, it is first removed from
 * @d.
 */
static struct detected *detect_tail(struct str head, struct detection *d)
{
	struct detected *last = d->regions.len ? &d->regions.data[d->regions.len - 1] : NULL;

	if (last && !last->format && d->regions.len > 1 && detect_is_end(head, last->extent.from)) {
		d->regions.len--;
		last--;
	}
	if (!last || !last->format || !detect_is_end(head, last->extent.to) ||
	    last->extent.score < DETECT_SURE)
		return NULL;
	return last;
}

/* Set the line numbers of the regions of @head, and extend the last region to the end of @text. */
static void detect_extend(struct str text, struct str head, struct detection *ret)
{
	struct detected *last = &ret->regions.data[ret->regions.len - 1];

	detect_number(head, ret);
	last->extent.to = text.len;
	last->n_lines = 0;
	ret->n_lines = 0;
}

/*
 * A sample of about @bytes of @text. It has complete lines, from the first line that begins after
 * offset @at.
 */
static struct str detect_sample(struct str text, size_t at, uint64_t bytes)
{
	struct str in = str_skip(text, at);

	return detect_head(str_skip(in, str_find_char(in, '\n') + 1), bytes);
}

/*
 * Is all of @in, a sample from the middle of a file, in the format of @of? One region of this
 * format must cover @in. It may leave out a quarter at the start and at the end, since a sample may
 * begin and end inside a record.
 */
static bool detect_is_all(struct str in, const struct detected *of)
{
	struct detection d = { .n_lines = 0 };
	bool is_all = false;

	detect_scan_text(in, NULL, NULL, &d);
	VEC_FOREACH (r, &d.regions)
		is_all |= r->format == of->format && r->extent.name == of->extent.name &&
			  r->extent.from <= in.len / 4 && r->extent.to >= in.len - in.len / 4;
	detection_fini(&d);
	return is_all;
}

/*
 * Do all DETECT_CHECKS samples of @text after @head have the format of the last claimed region of
 * @of_head? Unclaimed text after this region, such as an incomplete record, may have up to
 * DETECT_CHECK_BYTES. It is removed from @of_head.
 */
static bool detect_goes_on(struct str text, struct str head, struct detection *of_head)
{
	size_t step = (text.len - head.len) / DETECT_CHECKS;
	const struct detected *last = NULL;

	for (size_t n = of_head->regions.len; n-- > 0 && !last;) {
		const struct detected *r = &of_head->regions.data[n];

		if (r->format)
			last = r;
		else if (head.len - r->extent.from > DETECT_CHECK_BYTES)
			return false;
		else
			of_head->regions.len--;
	}
	for (size_t k = 0; last && k < DETECT_CHECKS; k++) {
		if (!detect_is_all(detect_sample(text, head.len + k * step, DETECT_CHECK_BYTES),
				   last))
			return false;
	}
	return last != NULL;
}

/*
 * Try to detect a large file by its head, in these steps. Each step is tried if the previous one
 * did not determine the format.
 * - All formats scan the first 64 KiB. If the score of the last region there is at least
 *   DETECT_SURE, only its format scans the first 512 KiB (the window). The format is determined if
 *   the score for the whole window is high, too.
 * - The last region of the 64 KiB is used if all samples of the rest have its format.
 * - All formats scan the window. A last region with a high score is used.
 *
 * If the format is determined, its last region is extended to the end of the file. @claims: the
 * formats that claim something in the window. False: the format is not determined.
 */
static bool detect_large(struct str text, bool *claims, struct detection *ret)
{
	struct str start = detect_head(text, DETECT_HEAD_BYTES);
	struct str head = detect_head(text, DETECT_WINDOW_BYTES);
	struct extent e;
	struct detected *last;

	detect_scan_text(start, NULL, NULL, ret);
	last = detect_tail(start, ret);
	if (last && !last->extent.declined &&
	    detect_find(last->format, head, last->extent.from, head.len, &e) &&
	    e.from == last->extent.from && detect_is_end(head, e.to) && e.score >= DETECT_SURE) {
		detect_extend(text, start, ret);
		return true;
	}
	if (detect_goes_on(text, start, ret)) {
		detect_extend(text, start, ret);
		return true;
	}
	ret->regions.len = 0;
	detect_scan_text(head, NULL, claims, ret);
	last = detect_tail(head, ret);
	if (last && (last->extent.from > 0 || !last->format->probe ||
		     last->format->probe(str_sub(text, 0, DETECT_HEAD_BYTES)) >= DETECT_SURE)) {
		detect_extend(text, head, ret);
		return true;
	}
	ret->regions.len = 0;
	return false;
}

/*
 * Detect a large file whose head does not determine the format. The whole file is scanned only by
 * the formats that claim something in the head or in a sample. (A scan by all formats would take a
 * second for each 10 MB.) @claims: the formats that claimed something in the head; formats that
 * claim a sample are added.
 */
static void detect_sampled(struct str text, bool *claims, struct detection *ret)
{
	struct str head = detect_head(text, DETECT_WINDOW_BYTES);
	size_t step = (text.len - head.len) / DETECT_SAMPLES;
	size_t n = detect_n_formats();
	struct extent e;

	for (size_t k = 0; k < DETECT_SAMPLES; k++) {
		struct str in = detect_sample(text, head.len + k * step, DETECT_SAMPLE_BYTES);

		for (size_t i = 0; i < n; i++)
			claims[i] = claims[i] || detect_find(formats[i], in, 0, in.len, &e);
	}
	detect_scan_text(text, claims, NULL, ret);
	ret->is_sampled = true;
}

static void detect_binary(const struct document *doc, struct detection *ret)
{
	struct str head = str_sub(doc->text, 0, DETECT_HEAD_BYTES);
	struct detected best = { .extent = { .to = doc->text.len } };

	for (const struct format *const *f = formats; *f; f++) {
		struct extent e = { .to = doc->text.len };

		if (!(*f)->is_binary)
			continue;
		if ((*f)->find ? !(*f)->find(doc->text, 0, &e) : !(e.score = (*f)->probe(head)))
			continue;
		if (e.score > best.extent.score)
			best = (struct detected){ .format = *f, .extent = e };
	}
	best.extent.from = 0;
	best.extent.to = doc->text.len;
	*VEC_PUSH(&ret->regions) = best;
}

void detect(const struct document *doc, struct detection *ret)
{
	*ret = (struct detection){ .n_lines = 0 };
	if (doc->is_binary) {
		detect_binary(doc, ret);
		return;
	}
	if (doc->text.len > DETECT_LARGE_BYTES) {
		bool *claims = xcalloc(detect_n_formats(), sizeof(*claims));
		bool is_done = detect_large(doc->text, claims, ret);

		if (!is_done)
			detect_sampled(doc->text, claims, ret);
		free(claims);
		if (is_done)
			return;
	} else {
		detect_scan_text(doc->text, NULL, NULL, ret);
	}
	detect_number(doc->text, ret);
}

void detect_as(const struct document *doc, const struct format *format, struct detection *ret)
{
	*ret = (struct detection){ .n_lines = 0 };
	detect_add(ret, format, (struct extent){ 0, doc->text.len, 100 });
	if (doc->is_binary)
		return;
	if (doc->text.len <= DETECT_LARGE_BYTES)
		detect_number(doc->text, ret);
	else
		ret->regions.data[0].first_line = 1;
}
