/* SPDX-License-Identifier: MIT */
/*
 * Unwind for a recorder: by call frame information where it exists, otherwise by frame pointers. A
 * wrong caller is worse than a missing one, so a guessed return address is accepted only if a call
 * instruction precedes it.
 */
#include "symbols/unwind/unwind.h"

#include "core/ids.h"
#include "symbols/unwind/unwind_expression.h"

#include <elf.h>

/*
 * Number of words on top of the stack in which the return address of a function without a frame is
 * searched.
 */
#define MIXED_LEAF_WORDS 8u
/*
 * Number of words on top of the stack in which the return address of a stub is searched. A stub
 * only calls another function. Padding and a saved register may precede its return address.
 */
#define MIXED_STUB_WORDS 4u

static enum unwind_call mixed_call(const struct unwind_frame *f, uint64_t address)
{
	return f->process->call(f->process->context, address, f->ip);
}

/*
 * Step to the caller by a return address in the top @words words of the stack. It is the first word
 * that mixed_call() rates at least @least. Returns false if there is none.
 */
static bool mixed_top(struct unwind_frame *f, unsigned int words, enum unwind_call least)
{
	for (unsigned int i = 0; i < words; i++) {
		uint64_t word;

		if (!unwind_stack(f, f->cfa + 8 * i, &word))
			return false;
		if (mixed_call(f, word) < least)
			continue;
		f->ip = word;
		f->cfa += 8 * (i + 1);
		return true;
	}
	return false;
}

/*
 * Step to the caller by the frame pointer. Returns false if it does not lead to a return address.
 */
static bool mixed_frame(struct unwind_frame *f)
{
	uint64_t rbp;
	uint64_t outer;
	uint64_t back;

	if (!unwind_get(f, X86_RBP, &rbp) || rbp % 8 || rbp < f->cfa ||
	    !unwind_stack(f, rbp, &outer) || !unwind_stack(f, rbp + 8, &back) ||
	    mixed_call(f, back) == UNWIND_CALL_NONE || (outer && outer <= rbp))
		return false;
	memset(f->kind, UNWIND_NOWHERE, sizeof(f->kind));
	unwind_set(f, X86_RBP, UNWIND_VALUE, outer);
	f->ip = back;
	f->cfa = rbp + 16;
	return true;
}

/* Step to the caller of code without a row of call frame information, by guessing. */
static bool mixed_guess(struct unwind_frame *f)
{
	bool is_leaf = !f->is_after_call;

	if (f->sample->machine != EM_X86_64)
		return false;
	f->is_after_call = true;
	if (unwind_is_plt(f) && mixed_top(f, 1, UNWIND_CALL_UNSEEN))
		return true;
	if (is_leaf && mixed_top(f, MIXED_LEAF_WORDS, UNWIND_CALL_TO))
		return true;
	return mixed_frame(f) || mixed_top(f, is_leaf ? 1 : MIXED_STUB_WORDS, UNWIND_CALL_ANY);
}

/*
 * Append addresses of the chain @fp to @ret_places, from number @at on, up to the first one that
 * cannot be a return address. Returns the new number of addresses.
 */
static size_t mixed_continue(struct unwind_frame *f, struct unwind_chain fp, size_t at,
			     uint64_t *ret_places, size_t n, size_t max)
{
	for (; at < fp.n && n < max; at++) {
		if (mixed_call(f, fp.ips[at]) == UNWIND_CALL_NONE)
			break;
		ret_places[n++] = fp.ips[at] - 1;
	}
	return n;
}

size_t unwind_mixed(const struct unwind_sample *s, const struct unwind_process *process,
		    struct unwind_chain fp, uint64_t *ret_places, size_t max)
{
	struct unwind_frame f;
	size_t n = 0;
	/* number of innermost frames of @fp that the unwound chain also has, in the same order */
	size_t common = 0;
	bool is_common = false;

	unwind_start(&f, s, process);
	while (n < max) {
		struct unwind_place place =
			process->place(process->context, f.ip - f.is_after_call);
		bool has_row =
			place.cfi && place.cfi->machine == s->machine && place.row != INDEX_NONE;

		if (n && !place.is_code)
			return n;
		ret_places[n++] = f.ip - f.is_after_call;
		is_common = common < fp.n && fp.ips[common] == f.ip;
		common += is_common;
		if (has_row ? !unwind_by_row(&f, place) : !mixed_guess(&f))
			break;
	}
	return f.is_outermost || !is_common ? n
					    : mixed_continue(&f, fp, common, ret_places, n, max);
}
