/* SPDX-License-Identifier: MIT */
/*
 * resolver.h - from (process, mode, address) to a symbol of the dossier
 *
 * Follows processes as the kernel reports them: maps, names, forks. Feed events
 * in time order, resolve samples between them. Modules are loaded on first use:
 * user modules from ELF files by path and build id (the build-id cache of perf,
 * /usr/lib/debug, .gnu_debuglink), the kernel and its modules from a kallsyms
 * table, BPF programs from their registration events, JIT code from
 * perf-PID.map files. Nothing is run and no network is used.
 *
 * What is not found is a symbol named by its address, as perf prints it: the
 * offset in the file where a map covers it, else the address itself, in module
 * "[unknown]". resolver_missing() says what could not be loaded and why.
 *
 * Not thread safe.
 */
#ifndef SYMBOLS_RESOLVER_H
#define SYMBOLS_RESOLVER_H

#include "core/symbols.h"
#include "symbols/origin.h"
#include "symbols/unwind.h"

struct resolver;

/* Where a sample or a frame ran: perf's cpumode (include/uapi/linux/perf_event.h). */
enum cpumode {
	CPUMODE_UNKNOWN = 0,
	CPUMODE_KERNEL = 1,
	CPUMODE_USER = 2,
	CPUMODE_HYPERVISOR = 3,
	CPUMODE_GUEST_KERNEL = 4,
	CPUMODE_GUEST_USER = 5,
};

struct resolver_options {
	const char *root; /* folder in front of all paths (a foreign machine's files); NULL: none */
	const char *kallsyms; /* table to use for the kernel; NULL: this machine's, if proven */
	const char *vmlinux;  /* file to take its symbols from; NULL: found by build id */
	const char *cache;    /* build-id cache; NULL: ~/.debug */
	bool has_debuginfod;  /* files that are not here may be fetched by build id */
	const char *kernel_refused;    /* take no names of the kernel, for this reason; NULL: do */
	bool is_here;                  /* this program recorded it on this machine, just now */
	struct resolver_cache *loaded; /* tables that another one had loaded; NULL: none */
};

struct resolver *resolver_new(struct symbols *symbols, const struct resolver_options *options);
void resolver_free(struct resolver *r);

/*
 * What the header says of the machine, texts borrowed; the place of the kernel and its build id
 * are taken from maps and resolver_build_id(). Without it nothing of this machine is taken but
 * by build ids, or by the place of the kernel (origin.h). Call it before addresses are asked for.
 */
void resolver_recorded(struct resolver *r, const struct origin_facts *facts);
/* The file that a map names, as the kernel knew it; inode 0: not recorded. */
struct resolver_file {
	uint32_t major, minor;
	uint64_t inode;
};
/* The same of the file at @path, which maps name. */
void resolver_map_file(struct resolver *r, uint32_t pid, struct str path,
		       const struct resolver_file *file);
/* A module that the recording names with its build id, before any map. */
void resolver_build_id(struct resolver *r, struct str path, const struct build_id *id);
/* A map of executable memory appears; what it overlaps is cut. pid -1: the kernel. */
void resolver_map(struct resolver *r, uint32_t pid, uint64_t start, uint64_t length,
		  uint64_t offset, struct str path, const struct build_id *id);
/* The same for memory that is not executable: where return addresses and stacks may lie. */
void resolver_map_data(struct resolver *r, uint32_t pid, uint64_t start, uint64_t length,
		       uint64_t offset, struct str path, const struct build_id *id);
/* Code of the kernel registered at run time (a BPF program) appears or goes. */
void resolver_kernel_symbol(struct resolver *r, uint64_t start, uint32_t length, struct str name,
			    bool is_gone);
void resolver_comm(struct resolver *r, uint32_t pid, uint32_t tid, struct str comm);
void resolver_fork(struct resolver *r, uint32_t pid, uint32_t tid, uint32_t parent_pid,
		   uint32_t parent_tid);

/* The name of a thread; ":tid" where none was reported. */
str_id resolver_thread_comm(struct resolver *r, uint32_t pid, uint32_t tid);
/*
 * What addresses of @pid mean, in 64 bits of hash: two processes with the same
 * maps have the same, as has one that maps what it had mapped before.
 */
uint64_t resolver_generation(struct resolver *r, uint32_t pid);
/* Changes with every event: while it does not, the two above answer the same. */
uint64_t resolver_version(const struct resolver *r);
/* Cost: a search in the maps; O(1) beside that for a place in a module seen before. */
sym_id resolver_symbol(struct resolver *r, uint32_t pid, enum cpumode mode, uint64_t address);

/* Read all that tells the kernel's symbols now: for one who can open no file later. */
void resolver_load_kernels(struct resolver *r);

/* The same in two steps, so that other work fits in between: memory is on its way then. */
struct resolver_key {
	uint64_t address; /* in the file, where it is in one */
	uint32_t where;   /* what it is of; see resolver_answers.c */
	uint32_t mode;    /* enum cpumode */
};
void resolver_locate(struct resolver *r, uint32_t pid, enum cpumode mode, uint64_t address,
		     struct resolver_key *ret);
/* No map may change in between. @ret: @n symbols. */
void resolver_symbols_at(struct resolver *r, const struct resolver_key *places, size_t n,
			 sym_id *ret);

/* An address in the words of perf script. */
struct resolver_spot {
	sym_id sym;
	str_id module;   /* path of the file; as resolver_symbol() names it where it is none */
	uint64_t shown;  /* the address; in files of user code the place in the file */
	uint64_t offset; /* behind the start of the function */
};
void resolver_spot(struct resolver *r, uint32_t pid, enum cpumode mode, uint64_t address,
		   struct resolver_spot *ret);

/* What resolver_frames() is to add. */
enum resolver_detail {
	RESOLVER_INLINES = 1 << 0, /* inlined functions as frames of their own (SYMBOL_INLINED) */
	RESOLVER_LINES = 1 << 1,   /* "name file.c:12": each line is a symbol of its own */
	RESOLVER_AFTER_CALL = 1 << 2, /* @address is a return address: look at the call before it */
	RESOLVER_PLACES = 1 << 3,     /* symbols apart by line, in symbol.place */
	RESOLVER_SOURCES = 1 << 4,    /* the same by file of source */
};

/*
 * The frames that @address stands for, the outermost first: the function, which is
 * always there, then what was inlined into it. Borrowed until the next call.
 * Cost: O(1) for an address seen before; a unit of debug information is read on
 * first use.
 */
const sym_id *resolver_frames(struct resolver *r, uint32_t pid, enum cpumode mode, uint64_t address,
			      unsigned int detail, size_t *ret_n);
/*
 * Say of every function of a file that was answered so far where its source is
 * (symbol.file, symbol.line). Cost: the debug information of the units that hold them.
 */
void resolver_set_places(struct resolver *r);
/*
 * The user frames of a sample with registers and stack, innermost first, at most @max.
 * Cost: a cached search a frame; a module's call frame information is read on first use.
 */
size_t resolver_unwind(struct resolver *r, uint32_t pid, const struct unwind_sample *s,
		       uint64_t *ret_places, size_t max);

/*
 * Does the call frame information at @address of the program say that the function has no
 * frame of its own there, so that its return address is still found by the stack pointer
 * (AArch64: is in the link register)? Who follows frame pointers goes from its callee to
 * its caller's caller then. False where nothing is known. Cost: a cached search.
 */
bool resolver_has_no_frame(struct resolver *r, uint32_t pid, uint64_t address);

/* A module of which no symbols could be had though samples fell into it. */
struct resolver_missing {
	struct str path;
	struct str why;
	uint64_t lookups;
	bool is_kernel; /* or one of its modules */
};

/* The function is data in the kernel's symbol table that named it: the table is not the right one.
 */
bool resolver_is_data(const struct resolver *r, sym_id function);
/* Why the kernel's own functions have no names; empty: they have, or nobody asked. */
struct str resolver_kernel_missing(const struct resolver *r);
/*
 * Modules of which a file is there and cannot be read, or not whole: their functions may
 * have no names, and chains end in them.
 */
size_t resolver_unread(const struct resolver *r);
/* @n of them, most wanted first; borrowed until the resolver is freed. */
const struct resolver_missing *resolver_missing(struct resolver *r, size_t *ret_n);

#endif
