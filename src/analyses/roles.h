/* SPDX-License-Identifier: MIT */
/*
 * roles.h - service that a library, runtime or kernel function performs for its caller
 *
 * Functions that allocate, copy, take a lock or parse are hot because of their callers. One
 * table (roles.tsv, compiled in) lists them by plain name (plain_name.h) and module. A function
 * without a line is application code, and the cause of a cost is there. ROLE_TRANSPARENT
 * functions only pass calls on (start-up, event loops, wrappers) and are no cause either.
 *
 * A category (categories.h) names the subsystem of a function, a role the kind of cost.
 * docs/roles.md lists them.
 */
#ifndef ANALYSES_ROLES_H
#define ANALYSES_ROLES_H

#include "analyses/name_table.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/symbols.h"

struct stacks;

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
	ROLE_CODEC,
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
	ROLE_FOREIGN,
	ROLE_DEVICE_WAIT,
	ROLE_RANK_WAIT,
	ROLE_DEBUG,
	ROLE_OBSERVE,
	ROLE_COUNT,
};

#define ROLE_MODULES 64u

/* The line of the table for a whole module. */
struct role_module {
	struct name_match best;
	str_id module;
	uint8_t space; /* enum symbol_space + 1; 0: free */
};

/* Cached roles: a byte a symbol. Zeroed is empty. Owner: caller, role_cache_fini(). */
struct role_cache {
	struct role_module modules[ROLE_MODULES]; /* direct-mapped */
	VEC(uint8_t) by_sym;                      /* role + 1; 0: not looked up yet */
};

void role_cache_fini(struct role_cache *c);
/* Cost: O(1) if cached, else about 1 µs. */
enum role role_of(struct role_cache *c, const struct symbols *symbols, sym_id sym);
/* The same for a printed name, without cache and symbol table. */
enum role role_of_name(struct str name, struct str module, enum symbol_space space);
/*
 * A role hinted at by the words in a name of application code: none for "fwlc_srv_reposition",
 * ROLE_SEARCH for "resolve_lookup".
 */
enum role role_of_words(struct str name);

/* Whether @sym is a function without a name, an address or "[unknown]", of a user-space file. */
bool role_is_nameless(const struct symbols *symbols, sym_id sym);
/* Is what such a function calls part of its work: the allocations of a regular expression? */
bool role_is_within(enum role role);
/*
 * Nameless functions of a stripped library below one of its named functions do that one's work:
 * an address of libz below inflate() decompresses. Sets it in @c for the addresses of which all
 * stacks agree; roles with ":within" in roles.tsv only. Call it before role_of() of these.
 * Cost: O(nodes), if a symbol is an address.
 */
void role_inherit(struct role_cache *c, const struct symbols *symbols, const struct stacks *stacks);

/* "lock-slow"; static. */
const char *role_name(enum role role);
/* Follows "12 % of CPU time is": "memory allocation". */
const char *role_noun(enum role role);
/* Common causes in one sentence; NULL for a role without an own cost. */
const char *role_cause(enum role role);
/*
 * Whether such functions touch memory, wait or enter the kernel for their caller, so that the
 * caller is the place of a page fault below them. Other functions have their own purpose.
 */
bool role_is_helper(enum role role);
/*
 * The role to which the cost of @role is added, @role itself by default: ROLE_ALLOCATE for
 * ROLE_FREE, as both have one cause.
 */
enum role role_with(enum role role);
/* Whether work of this role is the purpose of many programs, and therefore no problem. */
bool role_is_purpose(enum role role);
/* Whether servers do work of this role for each request. */
bool role_is_traffic(enum role role);
/* Whether such functions allocate for their caller. */
bool role_is_allocation(enum role role);
/* How to distinguish the causes; NULL like role_cause(). */
const char *role_next(enum role role);

#endif
