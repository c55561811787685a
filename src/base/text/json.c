/* SPDX-License-Identifier: MIT */
#include "base/text/json.h"

#include "base/out.h"
#include "base/str.h"
#include "base/text/utf8.h"

#include <assert.h>
#include <inttypes.h>

void json_init(struct json *j, struct out *out, bool pretty)
{
	*j = (struct json){ .out = out, .pretty = pretty };
}

static void json_newline(struct json *j)
{
	if (!j->pretty)
		return;
	out_char(j->out, '\n');
	out_repeat(j->out, ' ', (size_t)j->depth * 2);
}

/* Write the comma and line break before the next value or key. */
static void json_separate(struct json *j)
{
	if (j->after_key) {
		j->after_key = false;
		return;
	}
	if (j->depth == 0)
		return;
	if (j->has_items[j->depth - 1])
		out_char(j->out, ',');
	j->has_items[j->depth - 1] = true;
	json_newline(j);
}

static void json_value(struct json *j)
{
	assert(j->depth == 0 || !j->is_object[j->depth - 1] || j->after_key);
	json_separate(j);
}

static void json_open(struct json *j, char c, bool is_object)
{
	json_value(j);
	assert(j->depth < LIMIT_JSON_DEPTH);
	out_char(j->out, c);
	j->is_object[j->depth] = is_object;
	j->has_items[j->depth] = false;
	j->depth++;
}

static void json_close(struct json *j, char c)
{
	assert(j->depth > 0 && !j->after_key);
	j->depth--;
	if (j->has_items[j->depth])
		json_newline(j);
	out_char(j->out, c);
	if (j->depth == 0 && j->pretty)
		out_char(j->out, '\n');
}

void json_object(struct json *j)
{
	json_open(j, '{', true);
}

void json_object_end(struct json *j)
{
	json_close(j, '}');
}

void json_array(struct json *j)
{
	json_open(j, '[', false);
}

void json_array_end(struct json *j)
{
	json_close(j, ']');
}

static void json_escape_code(struct out *o, uint32_t code)
{
	switch (code) {
	case '"':
		out_z(o, "\\\"");
		break;
	case '\\':
		out_z(o, "\\\\");
		break;
	case '\n':
		out_z(o, "\\n");
		break;
	case '\t':
		out_z(o, "\\t");
		break;
	case '\r':
		out_z(o, "\\r");
		break;
	default:
		if (code > 0xffff)
			out_printf(o, "\\u%04x\\u%04x", 0xd7c0 + (code >> 10),
				   0xdc00 + (code & 0x3ff));
		else
			out_printf(o, "\\u%04x", code);
	}
}

/* Write @s as a JSON string, quotes included. */
static void json_escape(struct out *o, struct str s)
{
	size_t plain = 0;

	out_char(o, '"');
	for (size_t i = 0; i < s.len;) {
		unsigned char c = (unsigned char)s.p[i];
		uint32_t code = c;
		size_t n = 1;

		if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\') {
			i++;
			continue;
		}
		if (c >= 0x80) {
			n = utf8_length(str_skip(s, i));
			if (n)
				(void)utf8_decode(str_skip(s, i), &code);
		}
		/*
		 * copy valid UTF-8 that a terminal shows as a character; escape characters that a
		 * terminal hides or interprets
		 */
		if (c >= 0x80 && n && !utf8_is_unseen(code)) {
			i += n;
			continue;
		}
		out_bytes(o, s.p + plain, i - plain);
		if (n)
			json_escape_code(o, code);
		else
			out_z(o, "\xef\xbf\xbd");
		i += n ? n : 1;
		plain = i;
	}
	out_bytes(o, s.p + plain, s.len - plain);
	out_char(o, '"');
}

static void json_key_str(struct json *j, struct str key)
{
	assert(j->depth > 0 && j->is_object[j->depth - 1] && !j->after_key);
	json_separate(j);
	json_escape(j->out, key);
	out_z(j->out, j->pretty ? ": " : ":");
	j->after_key = true;
}

void json_key(struct json *j, const char *key)
{
	json_key_str(j, str_of(key));
}

void json_str(struct json *j, struct str s)
{
	json_value(j);
	json_escape(j->out, s);
}

void json_z(struct json *j, const char *z)
{
	json_str(j, str_of(z));
}

void json_u64(struct json *j, uint64_t v)
{
	json_value(j);
	out_u64(j->out, v);
}

void json_i64(struct json *j, int64_t v)
{
	json_value(j);
	out_i64(j->out, v);
}

void json_fixed(struct json *j, int64_t v, unsigned int decimals)
{
	while (decimals && v % 10 == 0) {
		v /= 10;
		decimals--;
	}
	json_value(j);
	out_fixed(j->out, v, decimals);
}

void json_double(struct json *j, double v)
{
	json_value(j);
	out_double(j->out, v);
}

void json_bool(struct json *j, bool v)
{
	json_value(j);
	out_z(j->out, v ? "true" : "false");
}

void json_null(struct json *j)
{
	json_value(j);
	out_z(j->out, "null");
}
