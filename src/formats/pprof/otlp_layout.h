/* SPDX-License-Identifier: MIT */
/*
 * otlp_layout.h - infer the release of opentelemetry-proto with which a message was written
 *
 * No field states the release, but the types of the encoded fields differ. Example: field 3 of
 * Sample is a packed list of attributes up to 1.9, and the number of a link since 1.10.
 *
 * Source: opentelemetry/proto/profiles/v1development/profiles.proto, releases 1.5 to 1.10.
 */
#ifndef FORMATS_OTLP_LAYOUT_H
#define FORMATS_OTLP_LAYOUT_H

#include "base/status.h"
#include "base/str.h"

enum otlp_layout {
	OTLP_BARE, /* the message has no dictionary, so the release is unknown */
	/* before 1.8, but with a dictionary: each profile has its own list of locations */
	OTLP_OLD,
	OTLP_1_8,  /* 1.8 and 1.9: in a sample, values precede attributes */
	OTLP_1_10, /* 1.10 and later: in a sample, attributes precede values */
};

enum otlp_field {
	OTLP_RESOURCES = 1, /* fields of ProfilesData */
	OTLP_DICTIONARY = 2,
	OTLP_RESOURCE = 1, /* fields of ResourceProfiles */
	OTLP_SCOPES = 2,
	OTLP_PROFILES = 2,    /* field of ScopeProfiles */
	OTLP_SAMPLE_TYPE = 1, /* fields of Profile */
	OTLP_SAMPLES = 2,
	/* up to 1.7 a list of locations; in later releases a 64-bit time */
	OTLP_OLD_LOCATIONS = 3,
	OTLP_PERIOD_TYPE = 5,
};

/* Numbers of the fields of Sample that differ between releases. */
struct otlp_fields {
	unsigned int attributes, link, values;
};

/* The layout of the samples of @message, a complete ProfilesData. Cost: O(n). */
enum otlp_layout otlp_layout_of(struct str message);
struct otlp_fields otlp_fields_of(enum otlp_layout layout);
/*
 * The releases of @layout as a text for users: "opentelemetry-proto 1.8 or 1.9, v1development". The
 * text is static.
 */
const char *otlp_layout_name(enum otlp_layout layout);
/* Whether @head may be the start of a ProfilesData message. */
bool otlp_layout_is_profile(struct str head);

#endif
