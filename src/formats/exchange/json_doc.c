/* SPDX-License-Identifier: MIT */
#include "formats/exchange/json_doc.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"

#include "config.h"

#include <math.h>

#define JSON_HEAD_BYTES (1u << 20) /* json_doc_has() searches only this many bytes */

bool json_doc_has(struct str text, struct str key)
{
	struct str head = str_ltrim(str_sub(text, 0, JSON_HEAD_BYTES));

	return head.len && (head.p[0] == '{' || head.p[0] == '[') && str_contains(head, key);
}

bool json_doc_find(struct str text, size_t from, bool is_ours, struct extent *ret)
{
	if (from > 0 || !is_ours)
		return false;
	*ret = (struct extent){ .from = 0, .to = text.len, .score = 98 };
	return true;
}

uint64_t json_doc_scaled(double v, double scale)
{
	double r = round(v * scale);

	if (!(r > 0))
		return 0;
	return r >= 9223372036854775807.0 ? (uint64_t)INT64_MAX : (uint64_t)r;
}

unsigned int json_doc_decimals(double v, unsigned int max)
{
	unsigned int n = 0;

	if (!isfinite(v))
		return 0;
	for (double x = fabs(v); n < max && fabs(x - round(x)) > 1e-9 * (x + 1); n++)
		x *= 10;
	return n;
}

#if HAVE_JSON
#include <json-c/json.h>

/* Complete a truncated document with closing brackets. NULL: the result is still invalid. */
static struct json_object *json_doc_close(struct json_tokener *tok)
{
	static const char *const tails[] = { "]", "]}", "}]}" };
	struct json_object *o = NULL;

	for (size_t i = 0;
	     !o && i < ARRAY_LEN(tails) && json_tokener_get_error(tok) == json_tokener_continue;
	     i++)
		o = json_tokener_parse_ex(tok, tails[i], (int)strlen(tails[i]));
	return o;
}

int json_doc_open(struct str text, struct json_object **ret, bool *ret_is_cut, struct error *err)
{
	struct json_tokener *tok;
	struct json_object *o;
	enum json_tokener_error status;

	*ret = NULL;
	*ret_is_cut = false;
	if (text.len > LIMIT_JSON_BYTES)
		return fail(err, ERR_LIMIT, "a JSON document of more than %llu MB is not read",
			    (unsigned long long)(LIMIT_JSON_BYTES >> 20));
	/* if an allocation fails, json-c reports success but returns no object: watch for this */
	alloc_watch();
	tok = json_tokener_new_ex(LIMIT_JSON_DEPTH);
	alloc_watched();
	if (!tok)
		return fail(err, ERR_LIMIT, "no memory to read JSON");
	o = json_tokener_parse_ex(tok, text.p, (int)text.len);
	status = json_tokener_get_error(tok);
	if (!o && status == json_tokener_continue) {
		*ret_is_cut = true;
		o = json_doc_close(tok);
		status = json_tokener_get_error(tok);
	}
	/*
	 * json-c changes errno when it parses a number, so errno is no sign of missing memory here
	 */
	alloc_watched_well();
	if (!o)
		(void)fail(err, ERR_FORMAT, "no JSON: %s at byte %zu",
			   status == json_tokener_continue ? "it ends too early"
							   : json_tokener_error_desc(status),
			   json_tokener_get_parse_end(tok));
	json_tokener_free(tok);
	*ret = o;
	return o ? OK : ERR_FORMAT;
}

int json_doc_open_whole(struct str text, struct json_object **ret, struct error *err)
{
	struct json_tokener *tok;
	struct json_object *o;

	*ret = NULL;
	if (text.len > LIMIT_JSON_BYTES)
		return fail(err, ERR_LIMIT, "a JSON document of more than %llu MB is not read",
			    (unsigned long long)(LIMIT_JSON_BYTES >> 20));
	alloc_watch();
	tok = json_tokener_new_ex(LIMIT_JSON_DEPTH);
	alloc_watched();
	if (!tok)
		return fail(err, ERR_LIMIT, "no memory to read JSON");
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT);
	o = json_tokener_parse_ex(tok, text.p, (int)text.len);
	alloc_watched_well();
	if (!o)
		(void)fail(err, ERR_FORMAT, "no JSON: %s at byte %zu",
			   json_tokener_get_error(tok) == json_tokener_continue
				   ? "it ends too early"
				   : json_tokener_error_desc(json_tokener_get_error(tok)),
			   json_tokener_get_parse_end(tok));
	else if (str_trim(str_skip(text, json_tokener_get_parse_end(tok))).len)
		(void)fail(err, ERR_FORMAT, "there is text after the JSON document");
	else
		*ret = o;
	if (o && !*ret)
		(void)json_object_put(o);
	json_tokener_free(tok);
	return *ret ? OK : ERR_FORMAT;
}

void json_doc_free(struct json_object *o)
{
	if (o)
		(void)json_object_put(o);
}

struct json_object *json_doc_get(struct json_object *o, const char *key)
{
	struct json_object *v = NULL;

	if (o && json_object_is_type(o, json_type_object))
		(void)json_object_object_get_ex(o, key, &v);
	return v;
}

struct json_object *json_doc_at(struct json_object *array, size_t i)
{
	if (i >= json_doc_len(array))
		return NULL;
	return json_object_array_get_idx(array, i);
}

size_t json_doc_len(struct json_object *array)
{
	if (!array || !json_object_is_type(array, json_type_array))
		return 0;
	return json_object_array_length(array);
}

bool json_doc_is_null(struct json_object *o)
{
	return o == NULL;
}

bool json_doc_is_number(struct json_object *o)
{
	return o &&
	       (json_object_is_type(o, json_type_int) || json_object_is_type(o, json_type_double));
}

bool json_doc_is_array(struct json_object *o)
{
	return o && json_object_is_type(o, json_type_array);
}

bool json_doc_is_integer(struct json_object *o)
{
	return o && json_object_is_type(o, json_type_int);
}

bool json_doc_is_text(struct json_object *o)
{
	return o && json_object_is_type(o, json_type_string);
}

bool json_doc_is_true(struct json_object *o)
{
	return o && json_object_is_type(o, json_type_boolean) && json_object_get_boolean(o);
}

bool json_doc_is_object(struct json_object *o)
{
	return o && json_object_is_type(o, json_type_object);
}

const char *json_doc_unknown(struct json_object *o,
			     bool (*is_known)(const void *arg, const char *key), const void *arg)
{
	if (!json_doc_is_object(o))
		return NULL;
	json_object_object_foreach(o, key, value)
	{
		(void)value;
		if (!is_known(arg, key))
			return key;
	}
	return NULL;
}

void json_doc_each(struct json_object *o,
		   void (*each)(void *arg, const char *key, struct json_object *value), void *arg)
{
	if (!json_doc_is_object(o))
		return;
	json_object_object_foreach(o, key, value)
	{
		each(arg, key, value);
	}
}

struct str json_doc_text(struct json_object *o)
{
	if (!o || !json_object_is_type(o, json_type_string))
		return STR_NONE;
	return (struct str){ json_object_get_string(o), (size_t)json_object_get_string_len(o) };
}

double json_doc_number(struct json_object *o)
{
	return json_doc_is_number(o) ? json_object_get_double(o) : 0;
}

int64_t json_doc_integer(struct json_object *o)
{
	return json_doc_is_integer(o) ? json_object_get_int64(o) : 0;
}
#else
int json_doc_open(struct str text, struct json_object **ret, bool *ret_is_cut, struct error *err)
{
	(void)text;
	*ret = NULL;
	*ret_is_cut = false;
	return fail(err, ERR_UNSUPPORTED, "this build cannot read JSON: it has no json-c");
}

int json_doc_open_whole(struct str text, struct json_object **ret, struct error *err)
{
	bool is_cut;

	return json_doc_open(text, ret, &is_cut, err);
}

void json_doc_free(struct json_object *o)
{
	(void)o;
}

bool json_doc_is_integer(struct json_object *o)
{
	(void)o;
	return false;
}

bool json_doc_is_text(struct json_object *o)
{
	(void)o;
	return false;
}

bool json_doc_is_true(struct json_object *o)
{
	(void)o;
	return false;
}

bool json_doc_is_object(struct json_object *o)
{
	(void)o;
	return false;
}

const char *json_doc_unknown(struct json_object *o,
			     bool (*is_known)(const void *arg, const char *key), const void *arg)
{
	(void)o;
	(void)is_known;
	(void)arg;
	return NULL;
}

void json_doc_each(struct json_object *o,
		   void (*each)(void *arg, const char *key, struct json_object *value), void *arg)
{
	(void)o;
	(void)each;
	(void)arg;
}

struct json_object *json_doc_get(struct json_object *o, const char *key)
{
	(void)key;
	(void)o;
	return NULL;
}

struct json_object *json_doc_at(struct json_object *array, size_t i)
{
	(void)i;
	(void)array;
	return NULL;
}

size_t json_doc_len(struct json_object *array)
{
	(void)array;
	return 0;
}

bool json_doc_is_null(struct json_object *o)
{
	return o == NULL;
}

bool json_doc_is_number(struct json_object *o)
{
	(void)o;
	return false;
}

bool json_doc_is_array(struct json_object *o)
{
	(void)o;
	return false;
}

struct str json_doc_text(struct json_object *o)
{
	(void)o;
	return STR_NONE;
}

double json_doc_number(struct json_object *o)
{
	(void)o;
	return 0;
}

int64_t json_doc_integer(struct json_object *o)
{
	(void)o;
	return 0;
}
#endif

uint32_t json_doc_index(struct json_object *o, size_t n)
{
	double v = json_doc_is_number(o) ? json_doc_number(o) : -1;

	return v >= 0 && v < (double)n && v < UINT32_MAX ? (uint32_t)v : UINT32_MAX;
}

bool json_doc_id(struct json_object *o, uint32_t *ret)
{
	struct str text = json_doc_text(o);
	uint64_t v;

	if (json_doc_is_number(o)) {
		*ret = json_doc_index(o, UINT32_MAX);
		return *ret != UINT32_MAX;
	}
	if (!str_u64(&text, &v) || v > UINT32_MAX)
		return false;
	*ret = (uint32_t)v;
	return true;
}
