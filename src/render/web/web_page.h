/* SPDX-License-Identifier: MIT */
/*
 * web_page.h - a page: one HTML file that works from disk, without network
 *
 * The file has three kinds of content: the page of src/web with its style and script, packed at
 * build time; JSON texts; and blocks. A block is a JSON text with columns of numbers, compressed.
 * All data are in <script> elements of types that browsers do not execute, so names of the input
 * cannot become markup. The Content-Security-Policy of the page allows only its own script and
 * style, by hash, and no requests.
 *
 *     web_page_begin(out, title);
 *     web_page_json(out, "explain", json);
 *     web_block_init(&b); … web_page_block(out, "flame-0", &b, &err);
 *     web_page_end(out);
 */
#ifndef RENDER_WEB_PAGE_H
#define RENDER_WEB_PAGE_H

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/json.h"
#include "base/vec.h"
#include "core/ids.h"

struct capture;
struct category_cache;
struct compare;
struct symbols;

#define WEB_SAMPLES_MAX UINT32_C(2000000) /* maximum number of samples with a time */
#define WEB_CALLS_MAX   UINT32_C(1000000) /* maximum number of calls in a timeline */
#define WEB_RECORDS_MAX UINT32_C(1000000) /* maximum number of log records in a timeline */
/* maximum number of log records whose text is included */
#define WEB_TEXTS_MAX UINT32_C(20000)
/* maximum length of a log record's text in bytes */
#define WEB_TEXT_BYTES 300u
/* maximum number of charts of counters in a log; further counters have no chart */
#define WEB_CHARTS_USAGE 16u
#define WEB_NODES_MAX    UINT32_C(20000000) /* maximum number of frames in a flame graph */

enum web_type { WEB_U8, WEB_U16, WEB_U32, WEB_F64 };

/*
 * Data of the page: a JSON object and columns of numbers. After web_block_init(), the caller writes
 * the members of the object "meta" with `json`, and appends columns.
 */
struct web_block {
	struct json json; /* writer for the members of the object "meta" */
	struct out head;
	struct out columns; /* JSON text with the names and types of the columns */
	struct out body;
};

void web_block_init(struct web_block *b);
void web_block_fini(struct web_block *b);
/* Append a column of @n numbers of type @type, in native byte order. @data is copied. */
void web_block_column(struct web_block *b, const char *name, enum web_type type, const void *data,
		      size_t n);
/*
 * Append a column of integers. Its type is the smallest one that can hold all values: WEB_U8,
 * WEB_U16, WEB_U32, otherwise WEB_F64.
 */
void web_block_integers(struct web_block *b, const char *name, const uint64_t *data, size_t n);

void web_page_begin(struct out *out, struct str title);
/* Write @json as a <script> element with the id @id. */
void web_page_json(struct out *out, const char *id, struct str json);
/* Like web_page_json(), but compressed. Errors: ERR_LIMIT if zlib fails. */
MUST_CHECK int web_page_packed(struct out *out, const char *id, struct str json, struct error *err);
/*
 * Write the block, compressed, as a <script> element with the id @id. Frees @b. Errors: ERR_LIMIT.
 */
MUST_CHECK int web_page_block(struct out *out, const char *id, struct web_block *b,
			      struct error *err);
void web_page_end(struct out *out);

/*
 * The web_*() functions below write one part of the page to @b, which must be initialised. They
 * return false if the input has no data for this part.
 */
bool web_profile_flame(struct web_block *b, const struct capture *c, struct category_cache *cats);
/*
 * Write the samples that have times. Columns: time, index of the frame in the block of
 * web_profile_flame(), weight, thread.
 */
bool web_profile_samples(struct web_block *b, const struct capture *c, struct category_cache *cats);
bool web_calls(struct web_block *b, const struct capture *c, struct category_cache *cats);
bool web_log(struct web_block *b, const struct capture *c);
/* Write charts of figures in log records over time. (web_log() writes the rate of records.) */
bool web_charts(struct web_block *b, const struct capture *c);

/*
 * Write the stacks of two compared profiles as one tree, in preorder. A stack has its share in each
 * profile, and the interval and verdict of the difference. @c must have been computed with
 * compare_spec.has_paths. Call flame_diff_names() before.
 */
bool web_diff(struct web_block *b, const struct compare *c, const struct symbols *symbols,
	      struct category_cache *cats);

/*
 * Write the time of the block's first sample or call to "meta": as "utc_ms" in ms since 1970, and
 * as "boot_ms" in ms since boot. Logs use these two clocks. A time that is unknown is omitted.
 * @first_ns: the time of this sample or call by the recording's clock.
 */
void web_clock(struct web_block *b, const struct capture *c, uint64_t first_ns);

/*
 * The symbols that a block uses. Each symbol has a number, which it gets when it is added. The
 * block's JSON has one array per property of symbols, indexed by this number.
 */
struct web_symbols {
	const struct symbols *symbols;
	struct category_cache *cats;
	uint32_t *place; /* indexed by sym_id: number of the symbol + 1; 0: it was not added */
	VEC(sym_id) rows;
};

void web_symbols_init(struct web_symbols *w, const struct symbols *symbols,
		      struct category_cache *cats);
void web_symbols_fini(struct web_symbols *w);
uint32_t web_symbols_add(struct web_symbols *w, sym_id sym);
/*
 * Write the object "symbols". Its array "name" has the name of each symbol. The arrays "module",
 * "category" and "space" have an index for each symbol, in the lists "modules", "categories" and
 * "spaces". So each of these names is written only once.
 */
void web_symbols_write(const struct web_symbols *w, struct json *json);

/*
 * The page of src/web, packed at build time, in three pieces: before the title, from the title to
 * the data, and after the data.
 */
extern const unsigned char web_page_head[];
extern const unsigned char web_page_middle[];
extern const unsigned char web_page_tail[];
extern const unsigned int web_page_lengths[3];

#endif
