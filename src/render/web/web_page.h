/* SPDX-License-Identifier: MIT */
/*
 * web_page.h - one HTML file that works from disk and offline
 *
 * The page has three kinds of parts: the skeleton with its style and script (src/web, packed at
 * build time), JSON texts, and blocks. A block is a JSON text with compressed columns of
 * numbers. All data are in <script> elements of types that browsers do not run; names of the
 * input never become markup. The page's policy allows its own script and style, by hash, and no
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

#define WEB_SAMPLES_MAX  UINT32_C(2000000)  /* samples with a time */
#define WEB_CALLS_MAX    UINT32_C(1000000)  /* calls in a timeline */
#define WEB_RECORDS_MAX  UINT32_C(1000000)  /* records in a timeline */
#define WEB_TEXTS_MAX    UINT32_C(20000)    /* records with their text */
#define WEB_TEXT_BYTES   300u               /* length of such a text */
#define WEB_CHARTS_USAGE 16u                /* counters of a log that get a chart */
#define WEB_NODES_MAX    UINT32_C(20000000) /* frames of one flame graph */

enum web_type { WEB_U8, WEB_U16, WEB_U32, WEB_F64 };

/* JSON and columns: the caller fills the object "meta" between init and the end. */
struct web_block {
	struct json json; /* writes into the object "meta" */
	struct out head;
	struct out columns; /* JSON description of the columns */
	struct out body;
};

void web_block_init(struct web_block *b);
void web_block_fini(struct web_block *b);
/* Append @n numbers of @type in native byte order; copied. */
void web_block_column(struct web_block *b, const char *name, enum web_type type, const void *data,
		      size_t n);
/* Append integers as the narrowest of WEB_U8, U16, U32 that fits all, else as WEB_F64. */
void web_block_integers(struct web_block *b, const char *name, const uint64_t *data, size_t n);

void web_page_begin(struct out *out, struct str title);
/* Write @json as the element @id. */
void web_page_json(struct out *out, const char *id, struct str json);
/* The same, compressed. Errors: ERR_LIMIT when zlib refuses. */
MUST_CHECK int web_page_packed(struct out *out, const char *id, struct str json, struct error *err);
/* Write the block as the element @id; releases @b. */
MUST_CHECK int web_page_block(struct out *out, const char *id, struct web_block *b,
			      struct error *err);
void web_page_end(struct out *out);

/* Contents. Each fills @b, which is initialised, and returns true if there is data. */
bool web_profile_flame(struct web_block *b, const struct capture *c, struct category_cache *cats);
/* Samples with a time: time, frame of web_profile_flame(), thread. */
bool web_profile_samples(struct web_block *b, const struct capture *c, struct category_cache *cats);
bool web_calls(struct web_block *b, const struct capture *c, struct category_cache *cats);
bool web_log(struct web_block *b, const struct capture *c);
/* Figures in log records. The rate of records is in web_log(). */
bool web_charts(struct web_block *b, const struct capture *c);

/*
 * The stacks of both sides as one tree, callers first, each with its shares, interval and
 * verdict. @c has paths; flame_diff_names() was called.
 */
bool web_diff(struct web_block *b, const struct compare *c, const struct symbols *symbols,
	      struct category_cache *cats);

/*
 * Members of a block's meta, as far as known: "utc_ms", "boot_ms", the time of its first sample
 * or call by the clocks of logs.
 */
void web_clock(struct web_block *b, const struct capture *c, uint64_t first_ns);

/* Symbols of a block: numbered on first use, written as columns of one JSON object. */
struct web_symbols {
	const struct symbols *symbols;
	struct category_cache *cats;
	uint32_t *place; /* by sym_id: number + 1 */
	VEC(sym_id) rows;
};

void web_symbols_init(struct web_symbols *w, const struct symbols *symbols,
		      struct category_cache *cats);
void web_symbols_fini(struct web_symbols *w);
uint32_t web_symbols_add(struct web_symbols *w, sym_id sym);
/* "symbols": {name[], module[], space[], category[]}, with repeated words in lists. */
void web_symbols_write(const struct web_symbols *w, struct json *json);

/* The packed page (made at build time): up to the title, up to the data, the rest. */
extern const unsigned char web_page_head[];
extern const unsigned char web_page_middle[];
extern const unsigned char web_page_tail[];
extern const unsigned int web_page_lengths[3];

#endif
