/* SPDX-License-Identifier: MIT */
/*
 * export.h - functions shared by readers and writers of viewers' formats
 *
 * These formats store a name and a file for each frame, but no symbol space (kernel, JIT, ...). A
 * frame is written as (name, module). The module implies the space as in symbol_space_of_module().
 * Otherwise the name gets a suffix as in folded stacks: `_[k]` kernel, `_[j]` JIT, `_[i]` inlined
 * (if the format has no field for it), and so on. A command has the module "[command]", a kernel
 * function without a module "[kernel]". export_symbol() reverses all this.
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

/*
 * Append the name of @sym with its suffixes. @mark_inlined: the format has no field for inlined
 * frames.
 */
void export_name(const struct symbols *t, sym_id sym, bool mark_inlined, struct out *out);
/*
 * Append @s to a line of text. Line ends become blanks; other control characters and invalid
 * UTF-8 become \x1b, so that a name can neither add lines nor control a terminal.
 */
void export_plain(struct out *out, struct str s);
/*
 * The module of @sym, which may be EXPORT_COMMAND or EXPORT_KERNEL, as a string id of the dossier;
 * STR_ID_NONE: none.
 */
str_id export_module_id(const struct symbols *t, sym_id sym);
struct str export_module(const struct symbols *t, sym_id sym);
/* The symbol that export_name() and export_module() wrote as (@name, @module). */
sym_id export_symbol(struct dossier *d, struct str name, struct str module, bool is_inlined);

/* Returns ERR_UNSUPPORTED, with a sentence, if the capture has neither samples nor calls. */
MUST_CHECK int export_check_stacks(const struct capture *c, struct error *err);
/* Append "bash 12/34", "bash", "12/34" or "all threads"; @thread may be NULL. */
void export_thread_name(const struct capture *c, const struct profile_thread *thread,
			struct out *out);
/* Parse the output of export_thread_name(); false: other text. */
bool export_thread_parse(struct dossier *d, struct str name, struct profile_thread *ret);
/*
 * Append " of b.data" or " of mail.txt line 12" if several captures of a document have the event
 * and unit of @captures[@i], to distinguish them. Otherwise append nothing. Cost: O(n).
 */
void export_origin(const struct capture *const *captures, size_t n, size_t i, struct out *out);
/* Unit of a weight for people: "samples", "cycles", "ns". */
struct str export_unit_name(const struct capture *c, enum weight_unit unit);

/* Samples in output order: by thread, then by time if times are known. */
struct export_threads {
	uint32_t *order; /* sample numbers */
	uint32_t *first; /* per thread: index in `order` of its first sample; n + 1 elements */
	uint32_t n;      /* number of threads; 1 if unknown */
	bool has_threads;
};
void export_threads_of(const struct profile *p, struct export_threads *ret);
void export_threads_fini(struct export_threads *t);

/*
 * Calls placed on tracks. Durations are as measured. Start times are as measured, or shifted within
 * the rounding error so that calls nest. Without start times, calls follow one another. A call
 * without a duration is as long as its callees.
 */
struct export_layout {
	uint64_t *start; /* per call: start in ns */
	uint64_t *end;
	uint32_t *track; /* per call: number of its track */
	uint32_t n_tracks;
	VEC(uint32_t) track_lane; /* per track: one of its lanes */
	bool is_measured;         /* start times are from the trace */
};
void export_layout_of(const struct calls *c, struct export_layout *ret);
void export_layout_fini(struct export_layout *l);

#endif
