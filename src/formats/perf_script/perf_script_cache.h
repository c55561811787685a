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
 *   a stack) to a node. What is remembered is the place of the text in the input,
 *   not a copy, and forgotten SCRIPT_CACHE_WINDOW bytes later: a ring of copies
 *   took 20 % of the time, most of it to clear its pages.
 *
 * Both forget on a clash of slots. Memory: at most 3 MB, less for small inputs,
 * and the window, pages of the file.
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
	uint64_t at; /* the newest place of the text */
	uint32_t hash;
	uint32_t len; /* 0: empty slot */
	uint32_t event;
	uint32_t root;
	stack_id node;
};

struct script_cache {
	struct dossier *dossier; /* borrowed */
	struct str text;         /* the input; borrowed */
	struct script_frame_slot *frames;
	size_t frames_mask;
	struct script_callers_slot *callers;
	size_t callers_mask;
};

#define SCRIPT_CACHE_FETCH 512u /* bytes of a text: the CPU follows by itself */
/* How far behind the reader the text must stay. */
#define SCRIPT_CACHE_WINDOW (UINT32_C(32) << 20)

void script_cache_init(struct script_cache *c, struct dossier *d, struct str text);
void script_cache_fini(struct script_cache *c);

/* The symbol of a frame whose texts are split already. */
sym_id script_cache_frame(struct script_cache *c, struct str name, struct str module,
			  bool is_kernel_address);
/*
 * The symbol of a frame line as perf prints it: a tab, 16 columns of address, a
 * blank, `symbol+0x1f (dso)`. False when the line is not just so.
 */
bool script_cache_line(struct script_cache *c, struct str line, sym_id *ret);

/* Fetch the slot for @hash: to call some work ahead of script_cache_callers(). */
static inline void script_cache_fetch(const struct script_cache *c, uint64_t hash)
{
	__builtin_prefetch(&c->callers[hash & c->callers_mask]);
}

/* With the slot there, fetch the text that it names. */
static inline void script_cache_fetch_text(const struct script_cache *c, uint64_t hash)
{
	const struct script_callers_slot *slot = &c->callers[hash & c->callers_mask];
	uint32_t len = slot->len < SCRIPT_CACHE_FETCH ? slot->len : SCRIPT_CACHE_FETCH;

	if (slot->hash != (uint32_t)(hash >> 32))
		return;
	for (uint32_t i = 0; i < len; i += 64)
		__builtin_prefetch(c->text.p + slot->at + i);
}

/* The node that the @len bytes at @at led to below @root; NULL: not known. */
const struct script_callers_slot *script_cache_callers(struct script_cache *c, uint32_t event,
						       uint32_t root, uint64_t hash, size_t at,
						       size_t len);
/* Remember that they lead to @node. */
void script_cache_put(struct script_cache *c, uint32_t event, uint32_t root, uint64_t hash,
		      size_t at, size_t len, stack_id node);

#endif
