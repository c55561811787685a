/* SPDX-License-Identifier: MIT */
/*
 * otlp_layout.h - which release of opentelemetry-proto wrote a message with profiles
 *
 * No field states the release, but the types of fields on the wire differ. Field 3 of Sample, for
 * example, is a packed list of attributes up to 1.9, and the number of a link since 1.10.
 *
 * Source: opentelemetry/proto/profiles/v1development/profiles.proto, releases 1.5 to 1.10.
 */
#ifndef FORMATS_OTLP_LAYOUT_H
#define FORMATS_OTLP_LAYOUT_H

#include "base/status.h"
#include "base/str.h"

enum otlp_layout {
	OTLP_BARE, /* no dictionary */
	OTLP_OLD,  /* 1.7 and earlier: each profile has its own locations, or its own tables */
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
	OTLP_OLD_LOCATIONS = 3, /* up to 1.7 a list; in later releases a 64-bit time */
	OTLP_PERIOD_TYPE = 5,
};

/* Numbers of the fields of Sample that differ between releases. */
struct otlp_fields {
	unsigned int attributes, link, values;
};

/* The layout of the samples of @message, a complete ProfilesData. Cost: O(n). */
enum otlp_layout otlp_layout_of(struct str message);
struct otlp_fields otlp_fields_of(enum otlp_layout layout);
/* Text for users: "opentelemetry-proto 1.8 or 1.9, v1development". Static. */
const char *otlp_layout_name(enum otlp_layout layout);
/* Whether @head is the start of a ProfilesData. */
bool otlp_layout_is_profile(struct str head);

#endif
