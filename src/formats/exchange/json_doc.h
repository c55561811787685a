/* SPDX-License-Identifier: MIT */
/*
 * json_doc.h - read profiles that are one JSON document, with json-c
 *
 * Without json-c (HAVE_JSON 0) such inputs are recognised, and json_doc_open() reports that this
 * build cannot read them. Limits on text and depth also limit the memory: LIMIT_JSON_BYTES of text
 * need up to about ten times as many bytes of memory. The functions that read values return NULL, 0
 * or "" for a missing key or a wrong type.
 */
#ifndef FORMATS_JSON_DOC_H
#define FORMATS_JSON_DOC_H

#include "base/status.h"
#include "base/str.h"
#include "formats/format.h"

struct json_object;

/*
 * Whether @text begins like JSON, and its first MiB contains @key. @key includes the quotes:
 * "\"nodes\"".
 */
bool json_doc_has(struct str text, struct str key);
/*
 * Implements format.find for JSON formats: claims all of @text. @is_ours: @text has this format.
 * False: @is_ours is false, or @from is above 0.
 */
bool json_doc_find(struct str text, size_t from, bool is_ours, struct extent *ret);

/*
 * Parse a document. A truncated document gets the missing closing brackets, and *ret_is_cut is set.
 * Owner of @ret: caller, json_doc_free(). Errors: ERR_FORMAT, ERR_LIMIT, ERR_UNSUPPORTED (a build
 * without json-c).
 */
MUST_CHECK int json_doc_open(struct str text, struct json_object **ret, bool *ret_is_cut,
			     struct error *err);
/* Like json_doc_open(), but fails if the document is truncated, or text follows the document. */
MUST_CHECK int json_doc_open_whole(struct str text, struct json_object **ret, struct error *err);
void json_doc_free(struct json_object *o);
DEFINE_CLEANUP(struct json_object *, json_doc_free);

/* The value of @key in object @o; NULL: no such key, or @o is not an object. Borrowed from @o. */
struct json_object *json_doc_get(struct json_object *o, const char *key);
/* Element @i of @array; NULL: no such element, or not an array. Borrowed from @array. */
struct json_object *json_doc_at(struct json_object *array, size_t i);
/* Number of elements of an array; 0 for other types. */
size_t json_doc_len(struct json_object *array);
bool json_doc_is_null(struct json_object *o);
bool json_doc_is_number(struct json_object *o);
bool json_doc_is_integer(struct json_object *o);
bool json_doc_is_array(struct json_object *o);
bool json_doc_is_text(struct json_object *o);
bool json_doc_is_true(struct json_object *o);
bool json_doc_is_object(struct json_object *o);
/* The first key of object @o for which @is_known returns false; NULL: none. */
const char *json_doc_unknown(struct json_object *o,
			     bool (*is_known)(const void *arg, const char *key), const void *arg);
/* Call @each for the members of object @o, in the order of the document. */
void json_doc_each(struct json_object *o,
		   void (*each)(void *arg, const char *key, struct json_object *value), void *arg);
/* The text of a string. Borrowed from @o; STR_NONE for other types. */
struct str json_doc_text(struct json_object *o);
double json_doc_number(struct json_object *o);
/* The value of an integer, limited to the range of int64_t; 0 for other types. */
int64_t json_doc_integer(struct json_object *o);
/* The value of @o as an index below @n; UINT32_MAX: @o is not such an index. */
uint32_t json_doc_index(struct json_object *o, size_t n);
/*
 * Read a 32-bit id from a number, or from a text that begins with a number. False: @o is neither.
 */
bool json_doc_id(struct json_object *o, uint32_t *ret);
/* @v * @scale, rounded, at most INT64_MAX; 0 if the product is negative or not finite. */
uint64_t json_doc_scaled(double v, double scale);
/*
 * The smallest number of decimals, at most @max, that represents @v with a relative error of at
 * most 1e-9. 0 if @v is not finite.
 */
unsigned int json_doc_decimals(double v, unsigned int max);

#endif
