/* SPDX-License-Identifier: MIT */
/*
 * web_page.h - one HTML file that works from disk and offline
 *
 * The file has three kinds of parts: the page of src/web with its style and script, packed at build
 * time; JSON texts; and blocks. A block is a JSON text and columns of numbers, compressed. All data
 * is in <script> elements of types that browsers do not run. So names of the input never become
 * markup. The page's Content-Security-Policy allows its own script and style, by hash, and no
 * requests.
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
#define WEB_TEXTS_MAX   UINT32_C(20000)   /* maximum number of log records with their text */
#define WEB_TEXT_BYTES  300u              /* maximum length of a log record's text */
/* maximum number of counters of a log that get a chart */
#define WEB_CHARTS_USAGE 16u
#define WEB_NODES_MAX    UINT32_C(20000000) /* maximum number of frames in a flame graph */

enum web_type { WEB_U8, WEB_U16, WEB_U32, WEB_F64 };

/*
 * A part of the page with a JSON object and columns of numbers. After web_block_init(), the caller
 * writes members of the object "meta" through `json`, and appends columns.
 */
struct web_block {
	struct json json; /* writes the members of the object "meta" */
	struct out head;
	struct out columns; /* JSON text that describes the columns */
	struct out body;
};

void web_block_init(struct web_block *b);
void web_block_fini(struct web_block *b);
/* Append a column of @n numbers of @type in native byte order. @data is copied. */
void web_block_column(struct web_block *b, const char *name, enum web_type type, const void *data,
		      size_t n);
/*
 * Append a column of integers, in the narrowest type that fits all: WEB_U8, WEB_U16, WEB_U32, else
 * WEB_F64.
 */
void web_block_integers(struct web_block *b, const char *name, const uint64_t *data, size_t n);

void web_page_begin(struct out *out, struct str title);
/* Write @json as a <script> element with the id @id. */
void web_page_json(struct out *out, const char *id, struct str json);
/* As web_page_json(), with compression. Errors: ERR_LIMIT if zlib fails. */
MUST_CHECK int web_page_packed(struct out *out, const char *id, struct str json, struct error *err);
/*
 * Write the block as a <script> element with the id @id, compressed, and release @b. Errors:
 * ERR_LIMIT.
 */
MUST_CHECK int web_page_block(struct out *out, const char *id, struct web_block *b,
			      struct error *err);
void web_page_end(struct out *out);

/*
 * Each web_*() function below writes one part of the page into @b, which is initialised. It returns
 * false if the input has no data for the part.
 */
bool web_profile_flame(struct web_block *b, const struct capture *c, struct category_cache *cats);
/*
 * Samples with times. Columns: time, index of the frame that web_profile_flame() wrote, weight,
 * thread.
 */
bool web_profile_samples(struct web_block *b, const struct capture *c, struct category_cache *cats);
bool web_calls(struct web_block *b, const struct capture *c, struct category_cache *cats);
bool web_log(struct web_block *b, const struct capture *c);
/* Charts of the figures in log records over time. The rate of records is in web_log(). */
bool web_charts(struct web_block *b, const struct capture *c);

/*
 * The stacks of both profiles as one tree, in preorder. Each stack has its two shares, the interval
 * and the verdict of their difference. Needs c->paths (compare_spec.has_paths). Call
 * flame_diff_names() before.
 */
bool web_diff(struct web_block *b, const struct compare *c, const struct symbols *symbols,
	      struct category_cache *cats);

/*
 * Relate the times of a block to the clocks of logs, if the relation is known. Writes the time of
 * the block's first sample or call to "meta": "utc_ms" in ms since 1970, "boot_ms" in ms since
 * boot. @first_ns: this time by the recording's clock.
 */
void web_clock(struct web_block *b, const struct capture *c, uint64_t first_ns);

/*
 * The symbols that a block uses. Each symbol gets a number when it is first added. The block's JSON
 * has one array for each property, indexed by this number.
 */
struct web_symbols {
	const struct symbols *symbols;
	struct category_cache *cats;
	uint32_t *place; /* indexed by sym_id: the symbol's number + 1; 0: no number yet */
	VEC(sym_id) rows;
};

void web_symbols_init(struct web_symbols *w, const struct symbols *symbols,
		      struct category_cache *cats);
void web_symbols_fini(struct web_symbols *w);
uint32_t web_symbols_add(struct web_symbols *w, sym_id sym);
/*
 * Write the arrays "name", "module", "space" and "category" into an object "symbols". Modules and
 * categories are written once, in lists of their own, and the arrays contain indexes in these
 * lists.
 */
void web_symbols_write(const struct web_symbols *w, struct json *json);

/*
 * The page of src/web, packed at build time, in three parts: the text before the title, the text
 * between title and data, and the rest.
 */
extern const unsigned char web_page_head[];
extern const unsigned char web_page_middle[];
extern const unsigned char web_page_tail[];
extern const unsigned int web_page_lengths[3];

#endif
