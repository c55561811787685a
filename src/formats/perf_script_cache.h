/* SPDX-License-Identifier: MIT */
/*
 * perf_script_cache.h - remember what text was seen, so that it is parsed once
 *
 * Stacks repeat: the callers of a sample are, byte for byte, those of an earlier
 * one. Two caches of fixed size use that; both compare the bytes themselves, a
 * hash only finds the place, so a collision costs time, never a wrong frame.
 *
 * - frames: (symbol text, dso text) to a symbol; texts are compared with the
 *   names in the dossier's string table.
 * - callers: (first node, text of all frame lines behind the first 1, 2, 4 … of
 *   a stack) to a node; texts are kept in a ring, and forgotten when it has gone
 *   round.
 *
 * Both forget on a clash of slots. Memory: at most 39 MB, less for small inputs.
 */
#ifndef FORMATS_PERF_SCRIPT_CACHE_H
#define FORMATS_PERF_SCRIPT_CACHE_H

#include "core/dossier.h"

struct script_frame_slot {
	const char *name; /* in the string table; NULL: empty slot */
	const char *module;
	uint32_t name_len;
	uint32_t module_len;
	sym_id sym;
	bool is_kernel_address;
};

struct script_callers_slot {
	uint64_t hash;
	uint64_t at; /* bytes ever put in the ring, before this text */
	uint64_t base;
	uint32_t len; /* 0: empty slot */
	uint32_t n_lines;
	stack_id node;
};

struct script_cache {
	struct dossier *dossier; /* borrowed */
	struct script_frame_slot *frames;
	size_t frames_mask;
	struct script_callers_slot *callers;
	size_t callers_mask;
	char *ring;
	size_t ring_size;
	uint64_t ring_at;
};

/* For a text of @bytes. */
void script_cache_init(struct script_cache *c, struct dossier *d, size_t bytes);
void script_cache_fini(struct script_cache *c);

/* The symbol of a frame whose texts are split already. */
sym_id script_cache_frame(struct script_cache *c, struct str name, struct str module,
			  bool is_kernel_address);
/*
 * The symbol of a frame line as perf prints it: a tab, 16 columns of address, a
 * blank, `symbol+0x1f (dso)`. False when the line is not just so.
 */
bool script_cache_line(struct script_cache *c, struct str line, sym_id *ret);

/* The place to look for @text below @base: its hash. The slot is fetched ahead. */
uint64_t script_cache_hash(const struct script_cache *c, uint64_t base, struct str text);
/* The node that @text led to, and its lines; NULL: not known. */
const struct script_callers_slot *script_cache_callers(const struct script_cache *c, uint64_t base,
						       struct str text, uint64_t hash);
/* Keep @text; @ret_at is where. False: too long to keep. */
bool script_cache_store(struct script_cache *c, struct str text, uint64_t *ret_at);
/* Remember that the @len bytes at @at of what was kept lead to @node. */
void script_cache_put(struct script_cache *c, uint64_t base, uint64_t hash, uint64_t at, size_t len,
		      uint32_t n_lines, stack_id node);

#endif
