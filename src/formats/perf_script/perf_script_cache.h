/* SPDX-License-Identifier: MIT */
/*
 * perf_script_cache.h - cache of parsed text, so that repeated text is parsed once
 *
 * Stacks repeat: the callers of a sample equal those of an earlier one byte for byte. Two
 * caches of fixed size use that. Both compare the bytes; the hash only selects a slot, so a
 * collision costs time but never gives a wrong frame.
 *
 * - frames: (symbol text, dso text) to a symbol; texts are compared with the
 *   names in the dossier's string table.
 * - callers: (root node, text of all frame lines after the first 1, 2, 4 … of
 *   a stack) to a node. A slot stores the offset of the text in the input, not a
 *   copy, and expires SCRIPT_CACHE_WINDOW bytes later. A ring of copies took 20 %
 *   of the time, mostly to clear its pages.
 *
 * A slot conflict evicts the old entry. Memory: at most 3 MB, less for small inputs, and the
 * window, which is pages of the file.
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

struct script_callers_slot {
	uint64_t at; /* latest offset of the text */
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

/* Prefetched bytes of a text; the hardware prefetcher continues. */
#define SCRIPT_CACHE_FETCH 512u
/* Distance behind the reader within which the text must stay mapped. */
#define SCRIPT_CACHE_WINDOW (UINT32_C(32) << 20)

void script_cache_init(struct script_cache *c, struct dossier *d, struct str text);
void script_cache_fini(struct script_cache *c);

/* The symbol of a frame whose parts are already split. */
sym_id script_cache_frame(struct script_cache *c, struct str name, struct str module,
			  bool is_kernel_address);
/*
 * The symbol of a frame line in perf's layout: a tab, 16 columns of address, a blank,
 * `symbol+0x1f (dso)`. False: another layout.
 */
bool script_cache_line(struct script_cache *c, struct str line, sym_id *ret);

/* Prefetch the slot for @hash; call some work before script_cache_callers(). */
static inline void script_cache_fetch(const struct script_cache *c, uint64_t hash)
{
	__builtin_prefetch(&c->callers[hash & c->callers_mask]);
}

/* Prefetch the text that the slot refers to, once the slot is in the CPU cache. */
static inline void script_cache_fetch_text(const struct script_cache *c, uint64_t hash)
{
	const struct script_callers_slot *slot = &c->callers[hash & c->callers_mask];
	uint32_t len = slot->len < SCRIPT_CACHE_FETCH ? slot->len : SCRIPT_CACHE_FETCH;

	if (slot->hash != (uint32_t)(hash >> 32))
		return;
	for (uint32_t i = 0; i < len; i += 64)
		__builtin_prefetch(c->text.p + slot->at + i);
}

/* The node of the @len bytes at @at below @root; NULL: not cached. */
const struct script_callers_slot *script_cache_callers(struct script_cache *c, uint32_t event,
						       uint32_t root, uint64_t hash, size_t at,
						       size_t len);
/* Cache the node of these bytes. */
void script_cache_put(struct script_cache *c, uint32_t event, uint32_t root, uint64_t hash,
		      size_t at, size_t len, stack_id node);

#endif
