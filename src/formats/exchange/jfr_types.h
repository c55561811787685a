/* SPDX-License-Identifier: MIT */
/*
 * jfr_types.h - the types and constants of one chunk of a Java Flight Recorder file
 *
 * A chunk describes its own events: a metadata event names classes and their fields, checkpoint
 * events hold constants by class and key. Readers ask for fields by name (enum jfr_slot); all
 * other fields are skipped by their type. Constants are found in one pass and decoded on demand.
 *
 * Every byte is untrusted: a cursor never leaves its bytes, and its fuel limits the work that
 * classes without bytes can cause.
 *
 * Source: OpenJDK, jdk.jfr.internal.consumer (ChunkHeader, ChunkParser, ParserFactory) and
 * jdk.jfr.internal.MetadataReader.
 */
#ifndef FORMATS_JFR_TYPES_H
#define FORMATS_JFR_TYPES_H

#include "base/arena.h"
#include "base/idmap.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"

/* Fields that readers use, of events and of constants. */
enum jfr_slot {
	JFR_START,
	JFR_DURATION,
	JFR_THREAD,
	JFR_STACK,
	JFR_STATE,
	JFR_WEIGHT,
	JFR_ALLOCATION,
	JFR_TLAB,
	JFR_SAMPLES,
	JFR_PARKED,
	JFR_OWNER,
	JFR_GC_ID,
	JFR_CAUSE,
	JFR_NAME,
	JFR_STRING,
	JFR_FRAMES,
	JFR_METHOD,
	JFR_TYPE,
	JFR_OS_NAME,
	JFR_OS_ID,
	JFR_JAVA_NAME,
	JFR_DESCRIPTION,
	JFR_SLOTS,
};

struct jfr_cursor {
	const unsigned char *p;
	const unsigned char *end;
	uint64_t fuel; /* fields that may still be read */
	bool is_compressed;
	bool is_bad;
};

struct jfr_field {
	struct str name;
	uint64_t class_id;
	uint32_t class; /* row of classes, INDEX_NONE: undefined */
	uint8_t slot;   /* JFR_SLOTS: not used */
	bool is_array;
	bool is_constant; /* the value is a key */
};

struct jfr_class {
	uint64_t id;
	struct str name;
	uint32_t first; /* row of fields */
	uint32_t n;
	uint32_t n_useful; /* fields up to the last with a slot */
	uint8_t kind;      /* how a value is stored */
};

struct jfr_constant {
	uint64_t class_id;
	uint64_t key;
	const unsigned char *at;
	uint32_t class;
	uint32_t made; /* for the reader: what it made of it + 1; 0: nothing yet */
};

/* A number, a string, or the place of an array. @class is that of the value. */
struct jfr_value {
	uint64_t number;
	struct str text;
	const unsigned char *at;
	uint32_t class;
	bool is_constant;
};

struct jfr_values {
	uint32_t has; /* bits of enum jfr_slot */
	struct jfr_value v[JFR_SLOTS];
};

struct jfr_types {
	const unsigned char *end; /* of the chunk */
	bool is_compressed;
	VEC(struct str) strings; /* of the metadata */
	VEC(struct jfr_class) classes;
	VEC(struct jfr_field) fields;
	VEC(struct jfr_constant) constants;
	struct idmap class_map;
	struct idmap constant_map;
	struct arena arena; /* strings of the metadata that are not stored as UTF-8 */
	struct arena texts; /* the same of values: the reader clears it after each event */
};

void jfr_types_fini(struct jfr_types *t);
/* Forget everything, for another chunk. */
void jfr_types_clear(struct jfr_types *t);
/* A cursor over [@p, @end) of the chunk. */
struct jfr_cursor jfr_cursor(const struct jfr_types *t, const unsigned char *p,
			     const unsigned char *end);
/* Read the numbers of the format: 0 and is_bad past the end. */
uint64_t jfr_int(struct jfr_cursor *c);
uint64_t jfr_long(struct jfr_cursor *c);
/* Read the classes of a metadata event, after its size and type. False: damaged. */
bool jfr_types_metadata(struct jfr_types *t, struct jfr_cursor *c);
/* Index the constants of a checkpoint event, after its size and type. False: damaged. */
bool jfr_types_checkpoint(struct jfr_types *t, struct jfr_cursor *c);
/* Row of the class @id; INDEX_NONE: undefined. */
uint32_t jfr_class_row(struct jfr_types *t, uint64_t id);
/* Read the fields of a value of class @row that have slots; @whole: up to its end. */
void jfr_read(struct jfr_types *t, uint32_t row, struct jfr_cursor *c, bool whole,
	      struct jfr_values *ret);
/* The constant that the field in @slot refers to; NULL: none. Borrowed. */
struct jfr_constant *jfr_constant(struct jfr_types *t, const struct jfr_values *v,
				  enum jfr_slot slot);
/* Read the fields of @constant. False: damaged. */
bool jfr_constant_read(struct jfr_types *t, const struct jfr_constant *constant,
		       struct jfr_values *ret);
/* The text of the field in @slot, through constants as far as they lead; STR_NONE: none. */
struct str jfr_text(struct jfr_types *t, const struct jfr_values *v, enum jfr_slot slot);

static inline uint64_t jfr_number(const struct jfr_values *v, enum jfr_slot slot)
{
	return v->has >> slot & 1 ? v->v[slot].number : 0;
}

#endif
