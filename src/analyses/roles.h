/* SPDX-License-Identifier: MIT */
/*
 * roles.h - what a function of a library, a runtime or the kernel does for its caller
 *
 * Allocating, copying, taking a lock, parsing: such functions are hot because of who
 * calls them. One table (roles.tsv, built in) knows them by their plain names
 * (plain_name.h) and modules. Where no line knows a function, it is code of its own:
 * there the cause of a cost is. ROLE_TRANSPARENT functions only pass on calls (start-up,
 * event loops, wrappers), and are no cause either.
 *
 * A category (categories.h) says which subsystem a function belongs to, a role what kind
 * of cost it is. docs/roles.md lists them.
 */
#ifndef ANALYSES_ROLES_H
#define ANALYSES_ROLES_H

#include "core/symbols.h"

/* In the order of roles.tsv. */
enum role {
	ROLE_NONE,
	ROLE_TRANSPARENT,
	ROLE_IDLE,
	ROLE_SPIN,
	ROLE_LOCK_SLOW,
	ROLE_LOCK,
	ROLE_WAIT,
	ROLE_SLEEP,
	ROLE_YIELD,
	ROLE_WAKE,
	ROLE_SWITCH,
	ROLE_POLL,
	ROLE_ACCEPT,
	ROLE_ALLOCATE,
	ROLE_FREE,
	ROLE_GC,
	ROLE_GC_ALLOC,
	ROLE_GC_BARRIER,
	ROLE_COPY,
	ROLE_ZERO,
	ROLE_COMPARE,
	ROLE_STRING_SCAN,
	ROLE_HASH,
	ROLE_HASH_LOOKUP,
	ROLE_HASH_RESIZE,
	ROLE_TREE,
	ROLE_SEARCH,
	ROLE_ITERATE,
	ROLE_CONTAINER_GROW,
	ROLE_SORT,
	ROLE_FORMAT,
	ROLE_STRING_BUILD,
	ROLE_PARSE_NUMBER,
	ROLE_PARSE,
	ROLE_STREAM_READ,
	ROLE_SERIALISE,
	ROLE_LOCALE,
	ROLE_REGEX,
	ROLE_CONVERT,
	ROLE_COMPRESS,
	ROLE_DECOMPRESS,
	ROLE_CHECKSUM,
	ROLE_ENCRYPT,
	ROLE_REFCOUNT,
	ROLE_ATOMIC,
	ROLE_EXCEPTION,
	ROLE_TYPE_CHECK,
	ROLE_REFLECT,
	ROLE_INTERPRET,
	ROLE_JIT,
	ROLE_LOAD,
	ROLE_LOG,
	ROLE_FSYNC,
	ROLE_READ_WRITE,
	ROLE_PATH,
	ROLE_NET_IO,
	ROLE_PAGE_FAULT,
	ROLE_ZERO_PAGE,
	ROLE_TLB,
	ROLE_MAP,
	ROLE_RECLAIM,
	ROLE_COMPACTION,
	ROLE_THP,
	ROLE_USER_COPY,
	ROLE_SYSCALL,
	ROLE_TIME,
	ROLE_RANDOM,
	ROLE_DNS,
	ROLE_PROCESS,
	ROLE_MATH,
	ROLE_LINEAR_ALGEBRA,
	ROLE_BIGNUM,
	ROLE_DIVIDE,
	ROLE_MEDIA,
	ROLE_DRAW,
	ROLE_DEBUG,
	ROLE_OBSERVE,
	ROLE_COUNT,
};

/* The role of each symbol once it was asked for: a byte a symbol. Zeroed is empty. */
struct role_cache {
	VEC(uint8_t) by_sym; /* role + 1; 0: not asked yet */
};

void role_cache_fini(struct role_cache *c);
/* Cost: O(1) when cached, else a microsecond. */
enum role role_of(struct role_cache *c, const struct symbols *symbols, sym_id sym);
/* The same without a cache and without a symbol table: of a name as printed. */
enum role role_of_name(struct str name, struct str module, enum symbol_space space);
/*
 * What the words of a name of ordinary code say that it does: "fwlc_srv_reposition" nothing,
 * "resolve_lookup" ROLE_SEARCH. A hint alone.
 */
enum role role_of_words(struct str name);

/* "lock-slow"; static. */
const char *role_name(enum role role);
/* After "12 % of the CPU time is": "memory allocation". */
const char *role_noun(enum role role);
/* The usual reasons, in one sentence; NULL where the role is no cost of its own. */
const char *role_cause(enum role role);
/* How to tell the reasons apart; NULL as role_cause(). */
const char *role_next(enum role role);
/* False: no such role. */
bool role_find(struct str name, enum role *ret);

#endif
