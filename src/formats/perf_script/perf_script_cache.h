/* SPDX-License-Identifier: MIT */
/*
 * perf_script_cache.h - cache of the symbols of frames
 *
 * Frames repeat: (symbol text, dso text) leads to a symbol. The cache has a fixed size and
 * compares the texts with the names in the dossier's string table; the hash only selects a
 * slot, so a collision costs time but never gives a wrong frame. A new entry moves the old one of
 * its slot to the neighbouring slot, whose entry is lost. Memory: at most 1 MiB, less for small
 * inputs.
 */
#ifndef FORMATS_PERF_SCRIPT_CACHE_H
#define FORMATS_PERF_SCRIPT_CACHE_H

#include "base/str.h"
#include "core/ids.h"

struct dossier;

struct script_frame_slot {
	const char *name; /* in the string table; NULL: empty slot */
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

/* @text_bytes: size of the input, from which the number of slots follows. */
void script_cache_init(struct script_cache *c, struct dossier *d, size_t text_bytes);
void script_cache_fini(struct script_cache *c);

/* The symbol of a frame whose parts are already split. */
sym_id script_cache_frame(struct script_cache *c, struct str name, struct str module,
			  bool is_kernel_address);
/*
 * The symbol of a frame line in perf's layout: a tab, 16 columns of address, a blank,
 * `symbol+0x1f (dso)`. False: another layout.
 */
bool script_cache_line(struct script_cache *c, struct str line, sym_id *ret);

#endif
