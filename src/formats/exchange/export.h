/* SPDX-License-Identifier: MIT */
/*
 * export.h - what writers and readers of viewers' formats share
 *
 * Those formats know names and files, not the spaces of assay. A frame is
 * written as (name, module); the space is told by the module as
 * symbol_space_of_module() does. Where the module does not tell it, the name
 * ends in a mark as in folded stacks: `_[k]` kernel, `_[j]` JIT, `_[i]` inlined
 * (where the format has no word for it), and so on; a command has the module
 * "[command]", a kernel function without a module "[kernel]". export_symbol() undoes all this.
 *
 * Private to the formats.
 */
#ifndef FORMATS_EXPORT_H
#define FORMATS_EXPORT_H

#include "formats/format.h"

#define EXPORT_COMMAND STR("[command]")
#define EXPORT_KERNEL  STR("[kernel]")

/* Append the name of @sym with its marks. @mark_inlined: the format cannot say it. */
void export_name(const struct symbols *t, sym_id sym, bool mark_inlined, struct out *out);
/*
 * Append @s to a line of text: line ends as blanks, other control characters and bytes
 * that are no UTF-8 as \x1b, so that no name makes lines of its own or steers a terminal.
 */
void export_plain(struct out *out, struct str s);
/* Its module, EXPORT_COMMAND or EXPORT_KERNEL, as an id of the dossier; STR_ID_NONE: none. */
str_id export_module_id(const struct symbols *t, sym_id sym);
struct str export_module(const struct symbols *t, sym_id sym);
/* The symbol that was written as (@name, @module). */
sym_id export_symbol(struct dossier *d, struct str name, struct str module, bool is_inlined);

/* ERR_UNSUPPORTED, with a sentence, for a capture without samples and calls. */
MUST_CHECK int export_check_stacks(const struct capture *c, struct error *err);
/* "bash 12/34", "bash", "12/34", "all threads"; @thread may be NULL. */
void export_thread_name(const struct capture *c, const struct profile_thread *thread,
			struct out *out);
/* What export_thread_name() wrote; false: it did not. */
bool export_thread_parse(struct dossier *d, struct str name, struct profile_thread *ret);
/*
 * Where several captures of a document are of one event and unit: " of b.data", " of mail.txt
 * line 12" behind the event of @captures[@i], so that nobody takes them for one. Else nothing.
 * Cost: O(n).
 */
void export_origin(const struct capture *const *captures, size_t n, size_t i, struct out *out);
/* Unit of a weight for people: "samples", "cycles", "ns". */
struct str export_unit_name(const struct capture *c, enum weight_unit unit);

/*
 * Samples in the order to be written: by thread, and of one thread by time where
 * times are known.
 */
struct export_threads {
	uint32_t *order; /* sample numbers */
	uint32_t *first; /* by thread: place in `order` of its first; n + 1 elements */
	uint32_t n;      /* threads; 1 where none are known */
	bool has_threads;
};
void export_threads_of(const struct profile *p, struct export_threads *ret);
void export_threads_fini(struct export_threads *t);

/*
 * Calls laid out on lines of time. Durations are as measured; starts are too
 * where the trace has them, moved (by what rounding takes) so that calls nest;
 * else calls stand one behind the other. A call without a duration is as long as
 * the calls below it.
 */
struct export_layout {
	uint64_t *start; /* by call, ns */
	uint64_t *end;
	uint32_t *track; /* by call */
	uint32_t n_tracks;
	VEC(uint32_t) track_lane; /* by track: one of its lanes */
	bool is_measured;         /* starts come from the trace */
};
void export_layout_of(const struct calls *c, struct export_layout *ret);
void export_layout_fini(struct export_layout *l);

#endif
