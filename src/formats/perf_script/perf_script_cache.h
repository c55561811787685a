/* SPDX-License-Identifier: MIT */
/*
 * perf_script_cache.h - cache of the symbols of frames
 *
 * Frames repeat, so the cache maps the printed name and module (dso) of a frame to its symbol. The
 * hash only selects a slot. A look-up compares name and module, so a collision costs time but never
 * gives a wrong symbol. If the slot of a new entry is in use, the old entry moves to the
 * neighbouring slot and replaces the entry there. The cache has a fixed size. Memory: at most 1
 * MiB, less for small inputs.
 */
#ifndef FORMATS_PERF_SCRIPT_CACHE_H
#define FORMATS_PERF_SCRIPT_CACHE_H

#include "base/str.h"
#include "core/ids.h"

struct dossier;

struct script_frame_slot {
	const char *name; /* name in the string table; NULL: the slot is empty */
	const char *module;
	uint32_t name_len;
	uint32_t module_len;
	sym_id sym;
	bool is_kernel_address;
};

struct script_cache {
	struct dossier *dossier; /* borrowed */
	struct script_frame_slot *frames;
	size_t frames_mask;
};

/* Make an empty cache. @text_bytes: size of the input; the number of slots depends on it. */
void script_cache_init(struct script_cache *c, struct dossier *d, size_t text_bytes);
void script_cache_fini(struct script_cache *c);

/*
 * The symbol of a frame. @name, @module: texts of the frame's line, such as "main" and
 * "/bin/a.out".
 */
sym_id script_cache_frame(struct script_cache *c, struct str name, struct str module,
			  bool is_kernel_address);
/*
 * The symbol of a frame @line in perf's own layout: tab, address in 16 columns, blank, `symbol+0x1f
 * (dso)`. False: the line has another layout.
 */
bool script_cache_line(struct script_cache *c, struct str line, sym_id *ret);

#endif
