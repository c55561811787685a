/* SPDX-License-Identifier: MIT */
/*
 * export.h - functions shared by readers and writers of viewers' formats
 *
 * These formats store a name and a file for each frame, but no symbol space (kernel, JIT, ...). So
 * each frame is written as a pair, name and module. Readers infer the space from the module, as
 * symbol_space_of_module() does. Where that gives another space, the name gets a suffix as in
 * folded stacks: `_[k]` kernel, `_[j]` JIT, and so on. `_[i]` marks an inlined function if the
 * format has no field for it. A frame that stands for a command has the module "[command]"; a
 * kernel function without a module has "[kernel]". export_symbol() converts such a pair back to a
 * symbol.
 *
 * Private to the formats.
 */
#ifndef FORMATS_EXPORT_H
#define FORMATS_EXPORT_H

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/profile.h"
#include "formats/format.h"

struct calls;
struct capture;
struct dossier;
struct out;
struct symbols;

#define EXPORT_COMMAND STR("[command]")
#define EXPORT_KERNEL  STR("[kernel]")

/* Append the name of @sym with its suffixes. @mark_inlined: append `_[i]` to inlined functions. */
void export_name(const struct symbols *t, sym_id sym, bool mark_inlined, struct out *out);
/*
 * Append @s to a line of text, so that a name can neither add lines nor control a terminal. Line
 * ends become blanks. Other control characters, except tabs, and bytes that are not UTF-8 become
 * escapes such as \x1b.
 */
void export_plain(struct out *out, struct str s);
/*
 * The module of @sym, which may be EXPORT_COMMAND or EXPORT_KERNEL, as a string id of the dossier;
 * STR_ID_NONE: none.
 */
str_id export_module_id(const struct symbols *t, sym_id sym);
struct str export_module(const struct symbols *t, sym_id sym);
/* Make the symbol for which export_name() wrote @name, and export_module() @module. */
sym_id export_symbol(struct dossier *d, struct str name, struct str module, bool is_inlined);

/* Returns ERR_UNSUPPORTED, with a sentence, if the capture has neither samples nor calls. */
MUST_CHECK int export_check_stacks(const struct capture *c, struct error *err);
/* Append "bash 12/34", "bash", "12/34" or "all threads"; @thread may be NULL. */
void export_thread_name(const struct capture *c, const struct profile_thread *thread,
			struct out *out);
/* Parse the output of export_thread_name(); false: other text. */
bool export_thread_parse(struct dossier *d, struct str name, struct profile_thread *ret);
/*
 * Append the origin of @captures[@i] if another of the @n captures has the same event and unit, or
 * if both are calls. The origin is the first of these that differs: " of b.data", " of mail.txt
 * line 12", " of mail.txt capture 2". Otherwise append nothing. Cost: O(n).
 */
void export_origin(const struct capture *const *captures, size_t n, size_t i, struct out *out);
/* Name of the unit of weights: "samples", "ns", or the event, such as "cycles". Empty: unknown. */
struct str export_unit_name(const struct capture *c, enum weight_unit unit);

/* The samples of a profile, sorted by thread, then by time if times are known. */
struct export_threads {
	uint32_t *order; /* indexes of samples, sorted by thread, then by time */
	uint32_t *first; /* per thread: index in `order` of its first sample; n + 1 elements */
	uint32_t n;      /* number of threads; 1 if threads are unknown */
	bool has_threads;
};
void export_threads_of(const struct profile *p, struct export_threads *ret);
void export_threads_fini(struct export_threads *t);

/*
 * Start and end of each call on the tracks of a timeline; a track is a task, or a CPU if tasks are
 * unknown. Durations are as measured. Start times are as measured, or moved just as far as calls
 * need to nest. Without start times, calls follow one another. A call without a duration is as long
 * as its callees together.
 */
struct export_layout {
	uint64_t *start; /* per call: start in ns */
	uint64_t *end;
	uint32_t *track; /* per call: number of its track */
	uint32_t n_tracks;
	VEC(uint32_t) track_lane; /* per track: index in calls.lanes of its first lane */
	bool is_measured;         /* start times are from the trace */
};
void export_layout_of(const struct calls *c, struct export_layout *ret);
void export_layout_fini(struct export_layout *l);

#endif
