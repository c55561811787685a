/* SPDX-License-Identifier: MIT */
/*
 * Convert new call chains to stacks: collect the frames, resolve their functions, and add stack
 * nodes. If an earlier chain had the same callers, their stack node comes from the cache of
 * perf_data_callers.h, and they are not resolved again.
 */
#include "core/dossier.h"
#include "formats/perf_data/perf_data_stack.h"

#include "base/idmap.h"
#include "base/limits.h"
#include "base/vec.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/symbols.h"
#include "formats/format.h"
#include "formats/perf_data/fast/perf_data_callers.h"
#include "formats/perf_data/perf_data_deferred.h"
#include "formats/perf_data/perf_data_file.h"
#include "formats/perf_data/perf_data_reader.h"
#include "formats/perf_data/perf_data_sample.h"
#include "symbols/resolver/resolver.h"

#define PERF_CONTEXT_MAX          ((uint64_t)-4095)
#define PERF_CONTEXT_KERNEL       ((uint64_t)-128)
#define PERF_CONTEXT_USER         ((uint64_t)-512)
#define PERF_CONTEXT_HV           ((uint64_t)-32)
#define PERF_CONTEXT_GUEST_KERNEL ((uint64_t)-2176)
#define PERF_CONTEXT_GUEST_USER   ((uint64_t)-2560)

static const struct diag_kind perf_data_deep = { "perf-data-deep-stack", DIAG_DATALOSS,
						 "stacks cut at the limit of frames" };
static const struct diag_kind perf_data_bad_chain = {
	"perf-data-bad-chain", DIAG_INFO,
	"call chains that are garbage, of which only the sampled place is kept"
};

static const struct diag_kind perf_data_deferred = {
	"perf-data-deferred-chain", DIAG_DATALOSS,
	"call chains whose user part was to be recorded later, and is missing"
};

void perf_add_frame(struct perf_reader *r, uint64_t ip, uint64_t where)
{
	*VEC_PUSH(&r->frames) = (struct perf_frame){ ip, where };
}

static enum cpumode perf_context_mode(uint64_t context)
{
	return context == PERF_CONTEXT_KERNEL         ? CPUMODE_KERNEL
	       : context == PERF_CONTEXT_USER         ? CPUMODE_USER
	       : context == PERF_CONTEXT_HV           ? CPUMODE_HYPERVISOR
	       : context == PERF_CONTEXT_GUEST_KERNEL ? CPUMODE_GUEST_KERNEL
	       : context == PERF_CONTEXT_GUEST_USER   ? CPUMODE_GUEST_USER
						      : CPUMODE_UNKNOWN;
}

/*
 * Collect the user frames from branch records in call-stack mode (LBR). These records have one pair
 * of addresses for each active call: the source (the call instruction) and the target (the called
 * function). As in perf, the innermost frame is the target of the last call. The sources of the
 * calls follow, innermost first. If the sample's own address is in the same function as the
 * innermost frame, it is more precise and replaces this frame.
 */
static void perf_collect_calls(struct perf_reader *r, const struct perf_sample *s, uint64_t where)
{
	uint64_t entered = perf_word(s->branches, 1);

	if (s->mode == CPUMODE_USER &&
	    resolver_symbol(r->resolver, s->pid, CPUMODE_USER, entered).v ==
		    resolver_symbol(r->resolver, s->pid, CPUMODE_USER, s->ip).v)
		entered = s->ip;
	*VEC_PUSH(&r->frames) = (struct perf_frame){ entered, where };
	for (uint64_t i = 0; i + 2 < s->branches.n && r->frames.len < LIMIT_STACK_DEPTH; i += 3)
		*VEC_PUSH(&r->frames) = (struct perf_frame){ perf_word(s->branches, i), where };
}

void perf_collect_frames(struct perf_reader *r, const struct perf_sample *s, struct diag *diag)
{
	/*
	 * If samples are printed, the texts of frames are cached, with perf_frame.ip and
	 * perf_frame.where as key. The text also depends on the maps of the process. So `where`
	 * contains resolver_generation(), a hash of these maps
	 */
	bool is_printed = r->stacks->is_printed;
	uint64_t kernel =
		is_printed ? (uint64_t)resolver_generation(r->resolver, UINT32_MAX) << 4 >> 1 : 0;
	uint64_t user =
		is_printed ? (uint64_t)resolver_generation(r->resolver, s->pid) << 4 >> 1 : 0;
	enum cpumode mode = s->mode;
	/*
	 * mark return addresses: inlined functions are looked up at the call instruction, which
	 * precedes the return address
	 */
	uint64_t after_call = r->detail ? PERF_FRAME_AFTER_CALL : 0;
	bool is_garbage = false;
	bool has_calls = s->branches.n && r->file.attrs.data[s->attr].branch_sample_type &
						  PERF_SAMPLE_BRANCH_CALL_STACK;

	/*
	 * a chain from branches must not be cached, because branches are not part of the cache key
	 */
	r->stacks->must_not_cache = has_calls;
	r->frames.len = 0;
	for (uint64_t i = 0; i < s->chain.n; i++) {
		uint64_t ip = perf_word(s->chain, i);

		if (ip >= PERF_CONTEXT_MAX) {
			mode = perf_context_mode(ip);
			if (ip == PERF_CONTEXT_USER && has_calls) {
				perf_collect_calls(r, s, user | CPUMODE_USER);
				break;
			}
			if (mode != CPUMODE_UNKNOWN)
				continue;
			if (ip == PERF_CONTEXT_USER_DEFERRED) {
				diag_count(diag, &perf_data_deferred, 0);
				r->stacks->must_not_cache = true;
				break;
			}
			/*
			 * the context marker is invalid: drop the whole chain as garbage, as perf
			 * does
			 */
			diag_count(diag, &perf_data_bad_chain, 0);
			r->stacks->must_not_cache = true;
			r->frames.len = 0;
			is_garbage = true;
			break;
		}
		if (r->frames.len == LIMIT_STACK_DEPTH) {
			diag_count(diag, &perf_data_deep, 0);
			r->stacks->must_not_cache = true;
			break;
		}
		perf_add_frame(r, ip,
			       (mode == CPUMODE_KERNEL ? kernel : user) | mode |
				       (r->frames.len ? after_call : 0));
	}
	if (s->user_stack.len && !is_garbage)
		perf_unwind(r, s, user | CPUMODE_USER, diag);
	/*
	 * Insert the sample's own address as innermost frame if there is no chain, or if the chain
	 * starts at another address (skid of precise events).
	 */
	if (r->frames.len == 0 || r->frames.data[0].ip != s->ip) {
		(void)VEC_PUSH(&r->frames);
		memmove(&r->frames.data[1], &r->frames.data[0],
			(r->frames.len - 1) * sizeof(*r->frames.data));
		r->frames.data[0] =
			(struct perf_frame){ s->ip, (s->mode == CPUMODE_KERNEL ? kernel : user) |
							    s->mode };
	}
}

bool perf_leaf_has_no_frame(struct perf_reader *r, const struct perf_sample *s)
{
	const struct perf_attr *a = &r->file.attrs.data[s->attr];

	if (perf_chain_source(a) != CHAINS_FRAME_POINTERS || r->file.in->options.without_callers)
		return false;
	VEC_FOREACH (f, &r->frames) {
		if ((f->where & 7) == CPUMODE_USER)
			return resolver_has_no_frame(r->resolver, s->pid, f->ip);
	}
	return false;
}

/*
 * The root node of all stacks of the command @comm. The last result is cached, because consecutive
 * samples usually have the same command.
 */
static stack_id perf_root(struct perf_reader *r, struct profile *p, uint32_t attr, str_id comm)
{
	struct perf_stacks *s = r->stacks;

	if (s->root_attr != attr || s->root_comm.v != comm.v) {
		s->root_attr = attr;
		s->root_comm = comm;
		s->root = stacks_push(
			&p->stacks, STACK_ROOT,
			symbols_add(&r->file.dossier->symbols, comm, STR_ID_NONE, SPACE_COMM));
	}
	return s->root;
}

/*
 * Append the symbol of frame @f to r->stacks->syms. If r->detail requests inlined functions or
 * source lines, also append a symbol for each inlined function.
 */
static void perf_resolve(struct perf_reader *r, const struct perf_frame *f)
{
	uint32_t pid = r->stacks->sample.pid;
	enum cpumode mode = (enum cpumode)(f->where & 7);
	unsigned int detail = r->detail;
	const sym_id *syms;
	size_t n;

	if (!detail) {
		*VEC_PUSH(&r->stacks->syms) = resolver_symbol(r->resolver, pid, mode, f->ip);
		return;
	}
	if (f->where & PERF_FRAME_AFTER_CALL)
		detail |= RESOLVER_AFTER_CALL;
	syms = resolver_frames(r->resolver, pid, mode, f->ip, detail, &n);
	VEC_APPEND(&r->stacks->syms, syms, n);
}

/*
 * Search the cache of perf_data_callers.h for the callers in r->frames. Find the longest sequence
 * of frames that starts at the outermost frame, is in the cache, and lacks at least the innermost
 * frame. @ret_node: stack node of this sequence; STACK_ROOT: no sequence is cached. Returns the
 * number of frames that are not in the sequence. r->stacks->hashes gets one hash for each of these
 * frames.
 */
static size_t perf_unknown_frames(struct perf_reader *r, uint64_t state, stack_id *ret_node)
{
	struct perf_stacks *s = r->stacks;
	size_t n = r->frames.len;
	uint64_t hash = hash_u64(state, s->sample.attr);
	uint64_t *hashes;

	VEC_RESERVE(&s->hashes, n);
	hashes = s->hashes.data;
	for (size_t i = 0; i < n; i++) {
		const struct perf_frame *f = &r->frames.data[n - 1 - i];

		hash = hash_u64(hash + f->where, f->ip);
		hashes[i] = hash;
	}
	for (size_t known = n - 1; known > 0; known--) {
		*ret_node = perf_callers_find(&s->callers, hashes[known - 1]);
		if (ret_node->v) {
			memmove(hashes, hashes + known, (n - known) * sizeof(*hashes));
			return n - known;
		}
	}
	return n;
}

stack_id perf_push_chain(struct perf_reader *r, struct profile *p, const struct perf_thread *t)
{
	struct perf_stacks *s = r->stacks;
	stack_id node = STACK_ROOT;
	/*
	 * the cache of callers is not used with r->detail, because its nodes have no inlined
	 * functions or source lines
	 */
	size_t n = r->detail ? r->frames.len : perf_unknown_frames(r, t->state, &node);

	s->syms.len = 0;
	while (n > 0)
		perf_resolve(r, &r->frames.data[--n]);
	if (!node.v)
		node = perf_root(r, p, s->sample.attr, t->comm);
	for (size_t i = 0; i < s->syms.len; i++) {
		node = stacks_push(&p->stacks, node, s->syms.data[i]);
		if (!r->detail && i + 1 < s->syms.len)
			perf_callers_set(&s->callers, s->hashes.data[i], node);
	}
	return node;
}
