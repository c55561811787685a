/* SPDX-License-Identifier: MIT */
/*
 * export.h - functions shared by readers and writers of viewers' formats
 *
 * These formats store a name and a file for each frame, but no symbol space (kernel, JIT, ...). So
 * each frame is written as a name and a module. Readers infer the symbol space from the module, as
 * symbol_space_of_module() does. If this results in a wrong space, the writer appends a suffix to
 * the name, as in folded stacks: `_[k]` kernel, `_[j]` JIT, and so on. `_[i]` marks an inlined
 * function if the format has no field for this. A frame that stands for a command has the module
 * "[command]"; a kernel function without a module has "[kernel]". export_symbol() converts such a
 * pair back to a symbol.
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
 * Append the name of @sym, with suffixes such as `_[k]`. @mark_inlined: append `_[i]` to the name
 * of an inlined function.
 */
void export_name(const struct symbols *t, sym_id sym, bool mark_inlined, struct out *out);
/*
 * Append @s as a part of one line of text. Line ends become blanks. Other control characters,
 * except tabs, become escapes such as \x1b; invisible characters such as U+202E become \u202e, and
 * invalid UTF-8 is escaped, too. So a name can neither add lines, nor control a terminal, nor look
 * like another name.
 */
void export_plain(struct out *out, struct str s);
/*
 * The module to write for @sym, as a string id of the dossier. It may be EXPORT_COMMAND or
 * EXPORT_KERNEL. STR_ID_NONE: no module.
 */
str_id export_module_id(const struct symbols *t, sym_id sym);
struct str export_module(const struct symbols *t, sym_id sym);
/*
 * Convert a written @name and @module to a symbol, the reverse of export_name() and
 * export_module().
 */
sym_id export_symbol(struct dossier *d, struct str name, struct str module, bool is_inlined);

/*
 * Can the stacks of @c be written? Error: ERR_UNSUPPORTED, with the reason in @err, if the capture
 * has neither samples nor calls.
 */
MUST_CHECK int export_check_stacks(const struct capture *c, struct error *err);
/*
 * Append the name of a thread: "bash 12/34" (pid/tid), "bash", or "12/34". If nothing is known, or
 * @thread is NULL, append "all threads".
 */
void export_thread_name(const struct capture *c, const struct profile_thread *thread,
			struct out *out);
/*
 * Parse a name from export_thread_name(). A name without ids is a command. False: @name is "all
 * threads".
 */
bool export_thread_parse(struct dossier *d, struct str name, struct profile_thread *ret);
/*
 * Append the origin of @captures[@i], if another of the @n captures gets the same name in the
 * written file. (Captures get the same name if both have no samples, or samples of the same event
 * and unit.) The origin is the shortest text that distinguishes the capture: " of b.data",
 * " of mail.txt line 12" or " of mail.txt capture 2". Cost: O(n).
 */
void export_origin(const struct capture *const *captures, size_t n, size_t i, struct out *out);
/*
 * Name of the unit of weights: "samples", "ns", "bytes", "%", or the event, such as "cycles". If
 * the event is unknown, "events"; if the unit is unknown, empty.
 */
struct str export_unit_name(const struct capture *c, enum weight_unit unit);

/* The samples of a profile, sorted by thread, and by time if times are known. */
struct export_threads {
	uint32_t *order; /* indexes of samples, sorted by thread and time */
	/*
	 * per thread: index in `order` of its first sample; one more element has the number of
	 * samples
	 */
	uint32_t *first;
	uint32_t n; /* number of threads; 1 if threads are unknown */
	bool has_threads;
};
void export_threads_of(const struct profile *p, struct export_threads *ret);
void export_threads_fini(struct export_threads *t);

/*
 * Start and end of each call on the tracks of a timeline. A track is a row of the viewer, for a
 * task, or for a CPU if tasks are unknown. A call has its measured duration, or the total duration
 * of its callees if that is longer. It starts at its measured time, or as near to this time
 * as possible if calls would not nest otherwise. If there are no start times, each call starts at
 * the end of the previous one.
 */
struct export_layout {
	uint64_t *start; /* per call: its start, in ns */
	uint64_t *end;   /* per call: its end, in ns */
	uint32_t *track; /* per call: number of its track */
	uint32_t n_tracks;
	/* per track: index in calls.lanes of its first lane */
	VEC(uint32_t) track_lane;
	bool is_measured; /* start times are measured */
};
void export_layout_of(const struct calls *c, struct export_layout *ret);
void export_layout_fini(struct export_layout *l);

#endif
