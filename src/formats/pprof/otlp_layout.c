/* SPDX-License-Identifier: MIT */
#include "formats/pprof/otlp_layout.h"

#include "base/status.h"
#include "base/str.h"
#include "formats/pprof/pprof_wire.h"

/* Facts about the samples of a message from which the release is inferred. */
struct otlp_seen {
	bool is_old;
	bool has_list_3; /* field 3 is a list: attributes, in releases up to 1.9 */
	bool has_list_4; /* field 4 is a list: values, in releases from 1.10 on */
	/*
	 * field 2 of a sample has a different number of elements than the list of times. So field 2
	 * is not the list of values, which has one value per time
	 */
	bool has_other_2;
};

struct otlp_fields otlp_fields_of(enum otlp_layout layout)
{
	if (layout == OTLP_1_10)
		return (struct otlp_fields){ .attributes = 2, .link = 3, .values = 4 };
	return (struct otlp_fields){ .values = 2, .attributes = 3, .link = 4 };
}

const char *otlp_layout_name(enum otlp_layout layout)
{
	return layout == OTLP_1_10  ? "opentelemetry-proto 1.10 or later, v1development"
	       : layout == OTLP_1_8 ? "opentelemetry-proto 1.8 or 1.9, v1development"
				    : "opentelemetry-proto before 1.8";
}

static size_t otlp_count(struct str list)
{
	size_t n = 0;
	uint64_t v;

	while (pprof_take_varint(&list, &v))
		n++;
	return n;
}

static void otlp_see_sample(struct str body, struct otlp_seen *seen)
{
	struct pprof_item f;
	bool is_bad = false;
	size_t n_times = 0, n_2 = 0;

	while (pprof_next(&body, &f, &is_bad)) {
		if (f.field == 2 && !f.is_bytes)
			/* up to 1.7, field 2 is a number: the length of the stack */
			seen->is_old = true;
		else if (f.field == 2)
			n_2 += otlp_count(f.bytes);
		seen->has_list_3 |= f.field == 3 && f.is_bytes;
		seen->has_list_4 |= f.field == 4 && f.is_bytes;
		if (f.field == 5)
			n_times += f.is_bytes ? f.bytes.len / 8 : 1;
	}
	/* if a sample has times, it has one value per time */
	seen->has_other_2 |= n_times && n_2 && n_2 != n_times;
}

static void otlp_see_profile(struct str body, struct otlp_seen *seen)
{
	struct pprof_item f;
	bool is_bad = false;

	while (pprof_next(&body, &f, &is_bad)) {
		seen->is_old |= f.field == OTLP_OLD_LOCATIONS && f.is_bytes;
		if (f.field == OTLP_SAMPLES && f.is_bytes)
			otlp_see_sample(f.bytes, seen);
	}
}

static void otlp_see_resource(struct str body, struct otlp_seen *seen)
{
	struct pprof_item f, inner;
	bool is_bad = false;

	while (pprof_next(&body, &f, &is_bad)) {
		if (f.field != OTLP_SCOPES || !f.is_bytes)
			continue;
		while (pprof_next(&f.bytes, &inner, &is_bad)) {
			if (inner.field == OTLP_PROFILES && inner.is_bytes)
				otlp_see_profile(inner.bytes, seen);
		}
	}
}

enum otlp_layout otlp_layout_of(struct str message)
{
	struct otlp_seen seen = { .is_old = false };
	struct pprof_item f;
	bool is_bad = false;
	bool has_dictionary = false;

	while (pprof_next(&message, &f, &is_bad)) {
		has_dictionary |= f.field == OTLP_DICTIONARY && f.is_bytes;
		if (f.field == OTLP_RESOURCES && f.is_bytes)
			otlp_see_resource(f.bytes, &seen);
	}
	if (!has_dictionary)
		return OTLP_BARE;
	if (seen.is_old)
		return OTLP_OLD;
	/* if neither field 3 nor field 4 is a list, field 2 probably has the values, as in 1.8 */
	return seen.has_list_4 || (seen.has_other_2 && !seen.has_list_3) ? OTLP_1_10 : OTLP_1_8;
}

/*
 * Take a field with bytes from the start of @s, a message that may be incomplete at its end.
 * @fields: bit n is set if field n is accepted. @ret: the bytes. False: @s does not start with such
 * a field.
 */
static bool otlp_enter(struct str *s, unsigned int fields, unsigned int *ret_field, struct str *ret)
{
	uint64_t key, len;

	if (!pprof_take_varint(s, &key) || (key & 7) != 2 || key >> 3 > 31 ||
	    !(fields >> (key >> 3) & 1) || !pprof_take_varint(s, &len))
		return false;
	*ret_field = (unsigned int)(key >> 3);
	*ret = str_sub(*s, 0, len < s->len ? (size_t)len : s->len);
	*s = str_skip(*s, ret->len);
	return true;
}

/* Whether @s is a ValueType: only numbers, in fields 1 to 3. */
static bool otlp_is_type(struct str s)
{
	uint64_t key, v;

	if (s.len == 0)
		return false;
	while (s.len) {
		if (!pprof_take_varint(&s, &key) || (key & 7) != 0 || key >> 3 == 0 ||
		    key >> 3 > 3 || !pprof_take_varint(&s, &v) || v > INT32_MAX)
			return false;
	}
	return true;
}

/*
 * Fields 1 to 3, as bits for otlp_enter(). In ResourceProfiles, they are the resource, the scopes
 * and the URL of the schema. In ScopeProfiles, they are the scope, the profiles and the URL.
 */
#define OTLP_ENVELOPE (1u << 1 | 1u << 2 | 1u << 3)

static bool otlp_is_profile(struct str s)
{
	unsigned int field;
	struct str first, second;

	return otlp_enter(&s, 1u << OTLP_SAMPLE_TYPE, &field, &first) && otlp_is_type(first) &&
	       otlp_enter(&s, 1u << OTLP_SAMPLE_TYPE | 1u << OTLP_SAMPLES, &field, &second);
}

bool otlp_layout_is_profile(struct str head)
{
	struct str resource, scope, profile;
	unsigned int field;

	while (otlp_enter(&head, 1u << OTLP_RESOURCES, &field, &resource)) {
		while (otlp_enter(&resource, OTLP_ENVELOPE, &field, &scope)) {
			while (field == OTLP_SCOPES &&
			       otlp_enter(&scope, OTLP_ENVELOPE, &field, &profile)) {
				if (field == OTLP_PROFILES)
					return otlp_is_profile(profile);
				field = OTLP_SCOPES;
			}
		}
	}
	return false;
}
