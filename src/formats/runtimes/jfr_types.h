/* SPDX-License-Identifier: MIT */
/*
 * jfr_types.h - the types and constants of one chunk of a Java Flight Recorder file
 *
 * A chunk describes its own events. A metadata event names the classes and their fields. Checkpoint
 * events have constants, which are values to which other events refer by class and key. Readers ask
 * for fields by name (enum jfr_slot); all other fields are skipped according to their type. One
 * pass finds the constants, and a constant is decoded only when it is needed.
 *
 * No byte of the file is trusted: a cursor never reads past its end. In a damaged file, a class may
 * have fields without any bytes, and reading them might never end. So a cursor's fuel limits the
 * number of fields that are read.
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

/* Fields of events and of constants that the readers use. */
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
	uint64_t fuel; /* number of fields that this cursor may still read */
	bool is_compressed;
	bool is_bad;
};

struct jfr_field {
	struct str name;
	uint64_t class_id;
	/* index in jfr_types.classes; INDEX_NONE: the file does not define the class */
	uint32_t class;
	uint8_t slot; /* enum jfr_slot; JFR_SLOTS: no reader uses the field */
	bool is_array;
	bool is_constant; /* the field contains the key of a constant instead of the value */
};

struct jfr_class {
	uint64_t id;
	struct str name;
	uint32_t first; /* index of the class's first field in jfr_types.fields */
	uint32_t n;
	/* number of fields up to the last field that a reader uses; fields after it are not read */
	uint32_t n_useful;
	uint8_t kind; /* enum jfr_kind: how a value of the class is stored */
};

struct jfr_constant {
	uint64_t class_id;
	uint64_t key;
	const unsigned char *at;
	uint32_t class;
	/* the reader's id for the constant, such as that of its symbol, plus 1; 0: no id yet */
	uint32_t made;
};

/*
 * A value: a number, a string, or the address of an array or struct. `class`: index of the value's
 * class.
 */
struct jfr_value {
	uint64_t number;
	struct str text;
	const unsigned char *at;
	uint32_t class;
	bool is_constant;
};

struct jfr_values {
	uint32_t has; /* one bit for each slot; it is set if `v` has a value for the slot */
	struct jfr_value v[JFR_SLOTS];
};

struct jfr_types {
	const unsigned char *end; /* end of the chunk */
	bool is_compressed;
	VEC(struct str) strings; /* strings of the metadata, by index */
	VEC(struct jfr_class) classes;
	VEC(struct jfr_field) fields;
	VEC(struct jfr_constant) constants;
	struct idmap class_map;
	struct idmap constant_map;
	struct arena arena; /* metadata strings, converted to UTF-8 */
	struct arena texts; /* strings of the current event, converted to UTF-8 */
};

void jfr_types_fini(struct jfr_types *t);
/* Clear all tables before the next chunk. */
void jfr_types_clear(struct jfr_types *t);
/* A cursor over the bytes of the chunk from @p up to, but not including, *@end. */
struct jfr_cursor jfr_cursor(const struct jfr_types *t, const unsigned char *p,
			     const unsigned char *end);
/*
 * Read a 32-bit number (jfr_int) or a 64-bit number (jfr_long). At the end of the bytes, the result
 * is 0 and is_bad is set.
 */
uint64_t jfr_int(struct jfr_cursor *c);
uint64_t jfr_long(struct jfr_cursor *c);
/*
 * Read the classes from a metadata event. At the call, @c is after the size and the type of the
 * event. False: the event is damaged.
 */
bool jfr_types_metadata(struct jfr_types *t, struct jfr_cursor *c);
/*
 * Store where each constant of a checkpoint event is. At the call, @c is after the size and the
 * type of the event. False: the event is damaged.
 */
bool jfr_types_checkpoint(struct jfr_types *t, struct jfr_cursor *c);
/* Index in t->classes of the class with the id @id; INDEX_NONE: the chunk does not define it. */
uint32_t jfr_class_row(struct jfr_types *t, uint64_t id);
/*
 * Read the value at @c into @ret, but only its fields that have a slot (enum jfr_slot). @row: index
 * of the value's class. @whole: also move @c to the end of the value.
 */
void jfr_read(struct jfr_types *t, uint32_t row, struct jfr_cursor *c, bool whole,
	      struct jfr_values *ret);
/*
 * The constant to which the field in @slot refers. NULL: the field is no reference, or the constant
 * is missing. The result stays in t->constants.
 */
struct jfr_constant *jfr_constant(struct jfr_types *t, const struct jfr_values *v,
				  enum jfr_slot slot);
/* Read the fields of @constant into @ret. False: the constant is damaged. */
bool jfr_constant_read(struct jfr_types *t, const struct jfr_constant *constant,
		       struct jfr_values *ret);
/*
 * The text of the field in @slot. If the field refers to a constant, the text of that constant.
 * STR_NONE: no text.
 */
struct str jfr_text(struct jfr_types *t, const struct jfr_values *v, enum jfr_slot slot);

static inline uint64_t jfr_number(const struct jfr_values *v, enum jfr_slot slot)
{
	return v->has >> slot & 1 ? v->v[slot].number : 0;
}

#endif
