/* SPDX-License-Identifier: MIT */
/*
 * roles.h - the service that a function of a library, runtime or kernel performs for its caller
 *
 * Functions that allocate, copy, take a lock or parse are hot because of their callers. One table
 * (roles.tsv, compiled in) lists such functions by plain name (plain_name.h) and module. Other
 * functions are application code: the cause of a cost is sought in them. Functions with
 * ROLE_TRANSPARENT (start-up, event loops, wrappers) only pass calls on, so no cause is sought in
 * them.
 *
 * A category (categories.h) is the subsystem of a function; a role is the kind of its cost.
 * docs/roles.md lists the roles.
 */
#ifndef ANALYSES_ROLES_H
#define ANALYSES_ROLES_H

#include "analyses/name_table.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/symbols.h"

struct stacks;

/* Roles, in the order of roles.tsv. */
enum role {
	ROLE_NONE,
	ROLE_TRANSPARENT,
	ROLE_IDLE,
	ROLE_SPIN,
	ROLE_LOCK_SLOW,
	ROLE_LOCK,
	ROLE_GO_LOCK,
	ROLE_WAIT,
	ROLE_IO_WAIT,
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
	ROLE_BOX,
	ROLE_COPY,
	ROLE_CLONE,
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
	ROLE_CONTAINER_SHIFT,
	ROLE_SORT,
	ROLE_FORMAT,
	ROLE_STRING_BUILD,
	ROLE_PARSE_NUMBER,
	ROLE_PARSE,
	ROLE_PREPARE,
	ROLE_STREAM_READ,
	ROLE_SERIALISE,
	ROLE_LOCALE,
	ROLE_REGEX,
	ROLE_REGEX_COMPILE,
	ROLE_CONVERT,
	ROLE_COMPRESS,
	ROLE_DECOMPRESS,
	ROLE_CODEC,
	ROLE_CHECKSUM,
	ROLE_ENCRYPT,
	ROLE_PASSWORD,
	ROLE_REFCOUNT,
	ROLE_ATOMIC,
	ROLE_EXCEPTION,
	ROLE_STACK_WALK,
	ROLE_TYPE_CHECK,
	ROLE_REFLECT,
	ROLE_INTERPRET,
	ROLE_JIT,
	ROLE_LOAD,
	ROLE_LOG,
	ROLE_FSYNC,
	ROLE_READ_WRITE,
	ROLE_PATH,
	ROLE_DIRECTORY,
	ROLE_XATTR,
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
	ROLE_QUERY,
	ROLE_PROCESS,
	ROLE_MATH,
	ROLE_LINEAR_ALGEBRA,
	ROLE_BIGNUM,
	ROLE_DIVIDE,
	ROLE_MEDIA,
	ROLE_DRAW,
	ROLE_RASTER,
	ROLE_FOREIGN,
	ROLE_DEVICE_WAIT,
	ROLE_BARRIER,
	ROLE_RANK_WAIT,
	ROLE_DEBUG,
	ROLE_OBSERVE,
	ROLE_COUNT,
};

#define ROLE_MODULES 64u

/* A cached match of a module's name. */
struct role_module {
	struct name_match best;
	str_id module;
	uint8_t space; /* enum symbol_space + 1; 0: the entry is free */
};

/*
 * Cache of the roles of symbols, one byte a symbol. A zeroed struct is an empty cache. Owner:
 * caller, role_cache_fini().
 */
struct role_cache {
	struct role_module modules[ROLE_MODULES]; /* direct-mapped cache of module names */
	/* indexed by symbol: role + 1; 0: not looked up yet */
	VEC(uint8_t) by_sym;
};

void role_cache_fini(struct role_cache *c);
/* The role of a symbol. Cost: O(1) if cached, else about 1 µs. */
enum role role_of(struct role_cache *c, const struct symbols *symbols, sym_id sym);
/* Give @sym the role @role instead of the one in the table. Cost: O(1). */
void role_cache_set(struct role_cache *c, const struct symbols *symbols, sym_id sym,
		    enum role role);
/*
 * Whether @name, which includes the path of its file, is a function of Python's standard library,
 * or a builtin.
 */
bool role_is_standard_file(struct str name);
/*
 * Whether role_is_standard_file(@name) is true, or @name is in an installed package (site-packages,
 * node_modules, gems).
 */
bool role_is_library_file(struct str name);
/* The role of a function, by its printed name. Needs no cache and no symbol table. */
enum role role_of_name(struct str name, struct str module, enum symbol_space space);
/*
 * Whether the role of @name comes from a pattern that is so general that it may also match
 * functions of the application. Such a pattern has fewer than eight bytes before its '*'
 * ("json_*"), or a letter right before the '*' ("scavenge*"). A pattern such as "deflate_*" is
 * specific.
 */
bool role_is_by_word(struct str name, struct str module, enum symbol_space space);
/*
 * The role that the words in a name suggest, for functions of the application: ROLE_SEARCH for
 * "resolve_lookup", ROLE_NONE for "fwlc_srv_reposition".
 */
enum role role_of_words(struct str name);

/*
 * Whether @sym is in a user-space file, and its name is unknown: it is an address or "[unknown]".
 */
bool role_is_nameless(const struct symbols *symbols, sym_id sym);
/*
 * Whether the callees of a function with this role belong to its work (":within" in roles.tsv). For
 * example, a regular expression allocates memory as part of its work.
 */
bool role_is_within(enum role role);
/*
 * Give roles to functions without a name in stripped libraries: an address of libz that inflate()
 * calls belongs to decompression. Such a symbol inherits the role of its caller in the same
 * library, if that role has ":within" in roles.tsv and all stacks agree. Must be called before
 * role_of() of such symbols. Cost: O(nodes) if a symbol is an address.
 */
void role_inherit(struct role_cache *c, const struct symbols *symbols, const struct stacks *stacks);

/* Name of a role, such as "lock-slow"; static string. */
const char *role_name(enum role role);
/* Noun for a role, such as "memory allocation", which completes "12 % of CPU time is". */
const char *role_noun(enum role role);
/*
 * The noun for a role in profiles of CPU time, in which nothing waits: "blocking and waking
 * threads" instead of "waiting for other threads".
 */
const char *role_noun_running(enum role role);
/*
 * A sentence with common causes of the cost; NULL: functions with this role have no cost of their
 * own.
 */
const char *role_cause(enum role role);
/*
 * Whether functions with this role only access memory, wait or enter the kernel for their caller. A
 * page fault in such a function is the caller's.
 */
bool role_is_helper(enum role role);
/*
 * The role under which the cost of @role is reported, usually @role itself. ROLE_FREE is reported
 * as ROLE_ALLOCATE, because both have the same cause.
 */
enum role role_with(enum role role);
/*
 * Whether work of this role is the purpose of many programs (compression, encryption), so that its
 * cost is no problem.
 */
bool role_is_purpose(enum role role);
/* Whether idle threads wait in functions of this role. Their waiting time is no cost. */
bool role_may_idle(enum role role);
/*
 * Whether a program needs work of this role only at its start, if at all. In a program that serves
 * requests, even a small share is a problem.
 */
bool role_is_once(enum role role);
/* Whether servers do work of this role for each request. */
bool role_is_traffic(enum role role);
/*
 * Whether the cost of this role is explained by the role itself, even if a function with another
 * role called it. For example, if a parser throws exceptions, the cause is the exceptions, not the
 * parsing.
 */
bool role_leads(enum role role);
/* Whether functions with this role allocate for their caller. */
bool role_is_allocation(enum role role);
/* A next step that shows which cause in role_cause() applies; NULL: the role has no causes. */
const char *role_next(enum role role);

#endif
