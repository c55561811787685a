/* SPDX-License-Identifier: MIT */
/*
 * json.h - a streaming JSON writer (RFC 8259)
 *
 * Memory: O(1). The writer adds the commas. Each byte that is not valid UTF-8 becomes U+FFFD, so
 * the output is always valid JSON. Calls in a wrong order are a bug, such as a value without a key
 * in an object; an assertion then fails.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/limits.h"
#include "base/str.h"

struct out;

struct json {
	struct out *out; /* borrowed */
	unsigned int depth;
	bool pretty; /* one key per line, two spaces per level */
	bool after_key;
	bool is_object[LIMIT_JSON_DEPTH];
	bool has_items[LIMIT_JSON_DEPTH];
};

void json_init(struct json *j, struct out *out, bool pretty);
void json_object(struct json *j);
void json_object_end(struct json *j);
void json_array(struct json *j);
void json_array_end(struct json *j);
void json_key(struct json *j, const char *key);

void json_str(struct json *j, struct str s);
void json_z(struct json *j, const char *z);
void json_u64(struct json *j, uint64_t v);
void json_i64(struct json *j, int64_t v);
/* Write the number @v * 10^-@decimals without trailing zeros: (2680, 2) gives 26.8. */
void json_fixed(struct json *j, int64_t v, unsigned int decimals);
/*
 * Write the shortest text that, when it is read back, gives exactly @v. Writes null if @v is
 * infinite or not a number.
 */
void json_double(struct json *j, double v);
void json_bool(struct json *j, bool v);
void json_null(struct json *j);

#endif
