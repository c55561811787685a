/* SPDX-License-Identifier: MIT */
/*
 * otlp_json.c - profiles of OpenTelemetry as JSON
 *
 * A JSON document has the same messages and fields as the protobuf form, but names instead of field
 * numbers. This file converts a document to protobuf with a table of names and numbers, and otlp.c
 * reads the result. The table has only the fields that otlp.c reads. Source: opentelemetry-proto,
 * docs/specification.md, "JSON Protobuf Encoding".
 */
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "formats/exchange/json_doc.h"
#include "formats/format.h"
#include "formats/pprof/otlp.h"
#include "formats/pprof/otlp_layout.h"

DECLARE_FORMAT(otlp_json);

#define OTLP_JSON_DEPTH 16u /* maximum depth of nested messages */
#define OTLP_JSON_BYTES 4096u

enum json_kind {
	JSON_NUMBER, /* a number, a string that contains a number, or a boolean */
	JSON_TEXT,
	JSON_MESSAGE,
};

enum json_message {
	JSON_NONE,
	JSON_DATA,
	JSON_RESOURCE_PROFILES,
	JSON_RESOURCE,
	JSON_KEY_VALUE,
	JSON_VALUE,
	JSON_SCOPE_PROFILES,
	JSON_PROFILE,
	JSON_VALUE_TYPE,
	JSON_SAMPLE,
	JSON_DICTIONARY,
	JSON_MAPPING,
	JSON_LOCATION,
	JSON_LINE,
	JSON_FUNCTION,
	JSON_LINK,
	JSON_ATTRIBUTE,
	JSON_STACK,
};

/* clang-format off */
/*
 * Names and numbers of the fields. For the fields of a sample, the numbers are those of the layout
 * OTLP_1_10.
 */
static const struct json_field {
	enum json_message of;
	const char *key;
	unsigned int number;
	enum json_kind kind;
	enum json_message message;
} json_fields[] = {
	{ JSON_DATA, "resourceProfiles", 1, JSON_MESSAGE, JSON_RESOURCE_PROFILES },
	{ JSON_DATA, "dictionary", 2, JSON_MESSAGE, JSON_DICTIONARY },
	{ JSON_RESOURCE_PROFILES, "resource", 1, JSON_MESSAGE, JSON_RESOURCE },
	{ JSON_RESOURCE_PROFILES, "scopeProfiles", 2, JSON_MESSAGE, JSON_SCOPE_PROFILES },
	{ JSON_RESOURCE, "attributes", 1, JSON_MESSAGE, JSON_KEY_VALUE },
	{ JSON_KEY_VALUE, "key", 1, JSON_TEXT, JSON_NONE },
	{ JSON_KEY_VALUE, "keyStrindex", 3, JSON_NUMBER, JSON_NONE },
	{ JSON_KEY_VALUE, "value", 2, JSON_MESSAGE, JSON_VALUE },
	{ JSON_VALUE, "stringValue", 1, JSON_TEXT, JSON_NONE },
	{ JSON_VALUE, "boolValue", 2, JSON_NUMBER, JSON_NONE },
	{ JSON_VALUE, "intValue", 3, JSON_NUMBER, JSON_NONE },
	{ JSON_VALUE, "stringValueStrindex", 8, JSON_NUMBER, JSON_NONE },
	{ JSON_SCOPE_PROFILES, "profiles", 2, JSON_MESSAGE, JSON_PROFILE },
	{ JSON_PROFILE, "sampleType", 1, JSON_MESSAGE, JSON_VALUE_TYPE },
	{ JSON_PROFILE, "samples", 2, JSON_MESSAGE, JSON_SAMPLE },
	{ JSON_PROFILE, "sample", 2, JSON_MESSAGE, JSON_SAMPLE },
	{ JSON_PROFILE, "periodType", 5, JSON_MESSAGE, JSON_VALUE_TYPE },
	{ JSON_VALUE_TYPE, "typeStrindex", 1, JSON_NUMBER, JSON_NONE },
	{ JSON_VALUE_TYPE, "unitStrindex", 2, JSON_NUMBER, JSON_NONE },
	{ JSON_SAMPLE, "stackIndex", 1, JSON_NUMBER, JSON_NONE },
	{ JSON_SAMPLE, "attributeIndices", 2, JSON_NUMBER, JSON_NONE },
	{ JSON_SAMPLE, "linkIndex", 3, JSON_NUMBER, JSON_NONE },
	{ JSON_SAMPLE, "values", 4, JSON_NUMBER, JSON_NONE },
	{ JSON_SAMPLE, "timestampsUnixNano", 5, JSON_NUMBER, JSON_NONE },
	{ JSON_DICTIONARY, "mappingTable", 1, JSON_MESSAGE, JSON_MAPPING },
	{ JSON_DICTIONARY, "locationTable", 2, JSON_MESSAGE, JSON_LOCATION },
	{ JSON_DICTIONARY, "functionTable", 3, JSON_MESSAGE, JSON_FUNCTION },
	{ JSON_DICTIONARY, "linkTable", 4, JSON_MESSAGE, JSON_LINK },
	{ JSON_DICTIONARY, "stringTable", 5, JSON_TEXT, JSON_NONE },
	{ JSON_DICTIONARY, "attributeTable", 6, JSON_MESSAGE, JSON_ATTRIBUTE },
	{ JSON_DICTIONARY, "stackTable", 7, JSON_MESSAGE, JSON_STACK },
	{ JSON_MAPPING, "filenameStrindex", 4, JSON_NUMBER, JSON_NONE },
	{ JSON_MAPPING, "attributeIndices", 5, JSON_NUMBER, JSON_NONE },
	{ JSON_LOCATION, "mappingIndex", 1, JSON_NUMBER, JSON_NONE },
	{ JSON_LOCATION, "address", 2, JSON_NUMBER, JSON_NONE },
	{ JSON_LOCATION, "lines", 3, JSON_MESSAGE, JSON_LINE },
	{ JSON_LOCATION, "line", 3, JSON_MESSAGE, JSON_LINE },
	{ JSON_LOCATION, "attributeIndices", 4, JSON_NUMBER, JSON_NONE },
	{ JSON_LINE, "functionIndex", 1, JSON_NUMBER, JSON_NONE },
	{ JSON_FUNCTION, "nameStrindex", 1, JSON_NUMBER, JSON_NONE },
	{ JSON_FUNCTION, "systemNameStrindex", 2, JSON_NUMBER, JSON_NONE },
	{ JSON_ATTRIBUTE, "keyStrindex", 1, JSON_NUMBER, JSON_NONE },
	{ JSON_ATTRIBUTE, "value", 2, JSON_MESSAGE, JSON_VALUE },
	{ JSON_STACK, "locationIndices", 1, JSON_NUMBER, JSON_NONE },
};
/* clang-format on */

static void json_put_varint(struct out *o, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		out_char(o, (char)(v | 0x80));
	out_char(o, (char)v);
}

static void json_put_bytes(struct out *o, unsigned int number, struct str bytes)
{
	json_put_varint(o, (uint64_t)number << 3 | 2);
	json_put_varint(o, bytes.len);
	out_str(o, bytes);
}

/* The value of @v, a number. JSON prints 64-bit numbers as strings. */
static uint64_t json_number(struct json_object *v)
{
	struct str text = json_doc_text(v);
	bool is_negative = str_take(&text, STR("-"));
	uint64_t n;

	if (json_doc_is_text(v))
		return !str_u64(&text, &n) || text.len ? 0 : is_negative ? 0 - n : n;
	return json_doc_is_true(v) ? 1 : (uint64_t)json_doc_integer(v);
}

static void json_put_message(struct out *o, enum json_message of, struct json_object *from,
			     unsigned int depth);

static void json_put(struct out *o, const struct json_field *f, struct json_object *v,
		     unsigned int depth)
{
	if (f->kind == JSON_NUMBER) {
		json_put_varint(o, (uint64_t)f->number << 3);
		json_put_varint(o, json_number(v));
	} else if (f->kind == JSON_TEXT) {
		json_put_bytes(o, f->number, json_doc_text(v));
	} else {
		struct out inner = { .fd = -1 };

		json_put_message(&inner, f->message, v, depth + 1);
		json_put_bytes(o, f->number, out_view(&inner));
		out_fini(&inner);
	}
}

/*
 * Append @from, a JSON object, as a protobuf message of type @of: each member becomes a field, and
 * each element of an array a field of its own.
 */
static void json_put_message(struct out *o, enum json_message of, struct json_object *from,
			     unsigned int depth)
{
	for (size_t i = 0; i < ARRAY_LEN(json_fields) && depth < OTLP_JSON_DEPTH; i++) {
		const struct json_field *f = &json_fields[i];
		struct json_object *v = f->of == of ? json_doc_get(from, f->key) : NULL;

		if (!v || json_doc_is_null(v))
			continue;
		if (!json_doc_is_array(v)) {
			json_put(o, f, v, depth);
			continue;
		}
		for (size_t k = 0; k < json_doc_len(v); k++)
			json_put(o, f, json_doc_at(v, k), depth);
	}
}

static int otlp_json_take(const struct region *in, struct json_object *root, struct dossier *d,
			  struct error *err)
{
	struct json_object *dictionary = json_doc_get(root, "dictionary");
	struct out message = { .fd = -1 };
	int r;

	if (!json_doc_is_array(json_doc_get(dictionary, "stackTable")))
		return fail(err, ERR_UNSUPPORTED,
			    "an OTLP profile without a table of stacks: it is of "
			    "opentelemetry-proto before 1.8, and only later ones are read");
	json_put_message(&message, JSON_DATA, root, 0);
	r = otlp_read_message(&format_otlp_json, in, out_view(&message), OTLP_1_10, d, err);
	out_fini(&message);
	return r;
}

static bool otlp_json_is(struct str text)
{
	struct str head = str_sub(text, 0, OTLP_JSON_BYTES);

	return json_doc_has(head, STR("\"resourceProfiles\"")) ||
	       json_doc_has(head, STR("\"mappingTable\""));
}

static int otlp_json_read(const struct region *in, struct dossier *d, struct error *err)
{
	CLEANUP(json_doc_freep) struct json_object *root = NULL;
	struct str text = in->text;
	struct str line;
	int ret = json_doc_open_whole(text, &root, err);
	int good = ret;

	if (ret == OK)
		return otlp_json_take(in, root, d, err);
	if (ret == ERR_UNSUPPORTED)
		return ret;
	/* the exporter of an OpenTelemetry collector writes one document per line of the file */
	while (str_line(&text, &line)) {
		CLEANUP(json_doc_freep) struct json_object *one = NULL;

		if (str_trim(line).len == 0)
			continue;
		ret = json_doc_open_whole(line, &one, err);
		if (ret == OK)
			ret = otlp_json_take(in, one, d, err);
		good = ret == OK ? OK : good;
	}
	return good;
}

static unsigned int otlp_json_probe(struct str head)
{
	return otlp_json_is(head) ? 95 : 0;
}

static bool otlp_json_find(struct str text, size_t from, struct extent *ret)
{
	return json_doc_find(text, from, from == 0 && otlp_json_is(text), ret);
}

static const char *const otlp_json_extensions[] = { ".json", ".jsonl", NULL };

const struct format format_otlp_json = {
	.name = "otlp-json",
	.title = "OTLP profile",
	.summary = "a profile of OpenTelemetry as JSON (in development status)",
	.kinds = KIND_PROFILE,
	.extensions = otlp_json_extensions,
	.probe = otlp_json_probe,
	.find = otlp_json_find,
	.read = otlp_json_read,
};
