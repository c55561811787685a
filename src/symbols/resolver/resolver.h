/* SPDX-License-Identifier: MIT */
/*
 * resolver.h - find the symbol for an address of a process, in a given CPU mode
 *
 * It tracks processes by the kernel's events: maps, names, forks. The caller passes these events in
 * the order of time, and resolves each sample after the events that precede it. Symbols of a module
 * are loaded on first use. Their sources:
 * - user modules: ELF files by path and build id (perf's build-id cache, /usr/lib/debug,
 *   .gnu_debuglink);
 * - the kernel and its modules: a kallsyms table;
 * - BPF programs: their registration events;
 * - JIT code: jit-PID.dump, if the process mapped it, and perf-PID.map.
 * The resolver runs no program, and uses the network only if has_debuginfod is set.
 *
 * An unresolved address becomes a symbol named by the address, as in perf. If a map covers the
 * address, the name is the file offset; otherwise it is the address itself, in module "[unknown]".
 * resolver_missing() reports modules without symbols, with reasons.
 *
 * Not thread safe.
 */
#ifndef SYMBOLS_RESOLVER_H
#define SYMBOLS_RESOLVER_H

#include "base/status.h"
#include "base/str.h"
#include "core/ids.h"
#include "symbols/unwind/unwind.h"

struct build_id;
struct names;
struct origin_facts;
struct resolver_cache;
struct symbols;

struct resolver;

/* Execution mode of a sample or frame: perf's cpumode (include/uapi/linux/perf_event.h). */
enum cpumode {
	CPUMODE_UNKNOWN = 0,
	CPUMODE_KERNEL = 1,
	CPUMODE_USER = 2,
	CPUMODE_HYPERVISOR = 3,
	CPUMODE_GUEST_KERNEL = 4,
	CPUMODE_GUEST_USER = 5,
};

struct resolver_options {
	/* folder prepended to all paths, for files of another machine; NULL: none */
	const char *root;
	/*
	 * kernel symbol table to use; NULL: the table of the running kernel, if this kernel is
	 * provably the recorded one
	 */
	const char *kallsyms;
	const char *vmlinux; /* kernel ELF file to use; NULL: search by build id */
	const char *cache;   /* build-id cache; NULL: ~/.debug */
	bool has_debuginfod; /* missing files may be fetched by build id */
	/* reason why kernel names must not be resolved; NULL: resolve them */
	const char *kernel_refused;
	/* assay itself has just made the recording on this machine */
	bool is_here;
	struct resolver_cache *loaded; /* tables that an earlier resolver loaded; NULL: none */
	/* names in the recording itself: then no file is opened; NULL: none */
	const struct names *names;
	/*
	 * receives the names of all addresses that are resolved (names.h); NULL: none are collected
	 */
	struct names *collected;
};

struct resolver *resolver_new(struct symbols *symbols, const struct resolver_options *options);
void resolver_free(struct resolver *r);

/*
 * Set facts about the recorded machine from the recording's header; texts are borrowed. The address
 * and build id of the kernel are set by resolver_map() and resolver_build_id() instead. Without
 * this call, only a build id or the kernel's address can prove that a file of this machine is the
 * recorded one (origin.h). Call before resolving addresses.
 */
void resolver_recorded(struct resolver *r, const struct origin_facts *facts);
/* Device and inode of a mapped file, as recorded by the kernel; inode 0: unknown. */
struct resolver_file {
	uint32_t major, minor;
	uint64_t inode;
};
/* Set device and inode of the file that @pid mapped at @path. */
void resolver_map_file(struct resolver *r, uint32_t pid, struct str path,
		       const struct resolver_file *file);
/* Add the recorded build id of a module. Call this before adding a map of the module. */
void resolver_build_id(struct resolver *r, struct str path, const struct build_id *id);
/*
 * Add a map of executable memory. It replaces the parts of earlier maps that it overlaps. @pid -1:
 * the kernel.
 */
void resolver_map(struct resolver *r, uint32_t pid, uint64_t start, uint64_t length,
		  uint64_t offset, struct str path, const struct build_id *id);
/* Add a map of non-executable memory; unwinding needs maps with stacks or file data. */
void resolver_map_data(struct resolver *r, uint32_t pid, uint64_t start, uint64_t length,
		       uint64_t offset, struct str path, const struct build_id *id);
/* Add (or, with @is_gone, remove) a BPF program that was loaded (unloaded) during the recording. */
void resolver_kernel_symbol(struct resolver *r, uint64_t start, uint32_t length, struct str name,
			    bool is_gone);
void resolver_comm(struct resolver *r, uint32_t pid, uint32_t tid, struct str comm);
void resolver_fork(struct resolver *r, uint32_t pid, uint32_t tid, uint32_t parent_pid,
		   uint32_t parent_tid);

/* Forget the maps of a process that ended or executed another program. */
void resolver_end(struct resolver *r, uint32_t pid);
/* Forget the jitdump of a process that executed another program. */
void resolver_exec(struct resolver *r, uint32_t pid);

/*
 * Set the time of the next look-ups, because JIT compilers reuse addresses. Times may go back only
 * a little. Returns the next time at which an address starts to belong to another function: until
 * then, the call need not be repeated. UINT64_MAX: no such time is known. 0: unknown, because a
 * jitdump is not read yet.
 */
uint64_t resolver_at(struct resolver *r, uint64_t now_ns);
/*
 * The value that the last resolver_at() returned, or 0 if a jitdump has been mapped since and is
 * not read yet.
 */
uint64_t resolver_next_code(const struct resolver *r);

/* The name of a thread; if it is unknown, ":TID", or "swapper" for @pid 0. */
str_id resolver_thread_comm(struct resolver *r, uint32_t pid, uint32_t tid);
/*
 * A 64-bit hash of all that determines the symbol of an address in @pid: its maps and JIT code.
 * Processes with equal maps have equal hashes. If a process has the same maps as at an earlier
 * time, it has the same hash again. The probability that two of 100,000 different states have the
 * same hash is 1 in 3.7 billion. A symbol is wrong only if both states also have the same address.
 */
uint64_t resolver_generation(struct resolver *r, uint32_t pid);
/*
 * A counter of events that changed a process. While it is unchanged, resolver_thread_comm() and
 * resolver_generation() return the same values as before.
 */
uint64_t resolver_version(const struct resolver *r);
/* Resolve an address. Cost: a search in the maps, then O(1) for an address resolved before. */
sym_id resolver_symbol(struct resolver *r, uint32_t pid, enum cpumode mode, uint64_t address);

/*
 * Complete options.collected, after all look-ups. Its texts are valid until resolver_free(), and
 * not longer than the strings of the resolver's symbols.
 */
void resolver_collect_names(struct resolver *r);

/* Load all kernel symbols now, for a process that cannot open files later. */
void resolver_load_kernels(struct resolver *r);

/* An address and its symbol, in the form in which perf script prints them. */
struct resolver_spot {
	sym_id sym;
	/* path of the file; without a file, the module of the symbol */
	str_id module;
	/* address to print: the file offset in user code, otherwise the address itself */
	uint64_t shown;
	uint64_t offset; /* distance from the start of the function, in bytes */
};
void resolver_spot(struct resolver *r, uint32_t pid, enum cpumode mode, uint64_t address,
		   struct resolver_spot *ret);

/* A user address in a function of a file. */
struct resolver_code {
	sym_id sym;
	uint32_t module;     /* the resolver's number of the file */
	uint64_t start, end; /* the function in the file, as offsets; `end` is exclusive */
	uint64_t offset;     /* file offset of the address */
};

/*
 * Find the function of the file that @pid mapped at @address. False: the address is not in a file,
 * or its function is unknown.
 */
bool resolver_code_at(struct resolver *r, uint32_t pid, uint64_t address,
		      struct resolver_code *ret);
/* The name of the file that contains @code, without folders. */
str_id resolver_code_module(const struct resolver *r, const struct resolver_code *code);

/* Machine code of a function. */
struct resolver_bytes {
	uint8_t *data; /* owned: free() */
	size_t len;
	uint64_t shift;    /* virtual addresses in the file minus file offsets */
	uint16_t machine;  /* a number of ELF such as EM_X86_64; EM_NONE: unknown */
	int64_t changed_s; /* last change of the file, in seconds since 1970; 0: unknown */
};

/*
 * Read the code of a function, at most @max bytes from its start, from the file that ran. Errors:
 * ERR_NOTFOUND, with the reason as a clause.
 */
MUST_CHECK int resolver_code_read(struct resolver *r, const struct resolver_code *code, size_t max,
				  struct resolver_bytes *ret, struct error *err);
/*
 * The name of the function at file offset @offset of the file that contains @code; empty: unknown.
 * *@ret_distance: distance from its start.
 */
struct str resolver_code_name(struct resolver *r, const struct resolver_code *code, uint64_t offset,
			      uint64_t *ret_distance);

/* The source of an instruction. */
struct resolver_source {
	str_id file;       /* without folders; STR_ID_NONE: unknown */
	struct str path;   /* that file with folders, as the compiler recorded it; borrowed */
	struct str folder; /* folder to which a relative path refers; empty: unknown; borrowed */
	uint32_t line;     /* 0: unknown */
	sym_id inlined;    /* innermost inlined function at the instruction; SYM_ID_NONE: none */
};

/*
 * Find the source of the instruction at code->offset. False: unknown. Cost: that of
 * resolver_frames().
 */
bool resolver_code_source(struct resolver *r, const struct resolver_code *code,
			  struct resolver_source *ret);

/* Details that resolver_frames() adds. */
enum resolver_detail {
	RESOLVER_INLINES = 1 << 0, /* frames of inlined functions (SYMBOL_INLINED) */
	/* a symbol for each source line instead of the function: "name file.c:12" */
	RESOLVER_LINES = 1 << 1,
	/* the address is a return address: resolve the call instruction, which ends there */
	RESOLVER_AFTER_CALL = 1 << 2,
	/* a symbol for each source line, which is stored in symbol.place */
	RESOLVER_PLACES = 1 << 3,
	/* a symbol for each source file, which is stored in symbol.place */
	RESOLVER_SOURCES = 1 << 4,
};

/*
 * The frames at @address, outermost first: the function, which is always present, then functions
 * inlined into it. Borrowed until the next call. Cost: O(1) for a repeated address; the first use
 * reads a unit of debug information.
 */
const sym_id *resolver_frames(struct resolver *r, uint32_t pid, enum cpumode mode, uint64_t address,
			      unsigned int detail, size_t *ret_n);
/*
 * Set the source file and first line (symbol.file, symbol.line) of every user function resolved so
 * far. Cost: reads the debug information of the units that contain these functions.
 */
void resolver_set_places(struct resolver *r);
/*
 * Unwind the user frames of a sample with registers and stack dump, innermost first, at most @max.
 * Cost: a cached search per frame; the first use of a module reads its call frame information.
 */
size_t resolver_unwind(struct resolver *r, uint32_t pid, const struct unwind_sample *s,
		       uint64_t *ret_places, size_t max);

/*
 * As resolver_unwind(), but by unwind_mixed(). For a recorder, whose result may differ from that of
 * perf. @fp: the user call chain that the kernel recorded by frame pointers.
 */
size_t resolver_unwind_mixed(struct resolver *r, uint32_t pid, const struct unwind_sample *s,
			     struct unwind_chain fp, uint64_t *ret_places, size_t max);

/*
 * Whether call frame information shows that the function at @address has not yet set up a stack
 * frame. The return address is then on top of the stack (AArch64: in the link register), and a
 * chain of frame pointers lacks the function's caller. False if unknown. Cost: a cached search.
 */
bool resolver_has_no_frame(struct resolver *r, uint32_t pid, uint64_t address);

/* A module that has samples, but whose symbols are unavailable. */
struct resolver_missing {
	struct str path;
	struct str why;
	uint64_t lookups;
	bool is_kernel; /* the kernel or one of its modules */
};

/*
 * Whether the kernel's symbol table lists @function as data, not code. If so, the table belongs to
 * another kernel than the recorded one.
 */
bool resolver_is_data(const struct resolver *r, sym_id function);
/*
 * Reason why kernel functions are unresolved: options.kernel_refused if set, else the reason of a
 * look-up that failed; empty: no look-up failed.
 */
struct str resolver_kernel_missing(const struct resolver *r);
/*
 * Number of modules with a file that cannot be read completely. Functions of these modules may lack
 * names, and call chains end in these modules.
 */
size_t resolver_unread(const struct resolver *r);
/*
 * Number of compile units whose .dwo file was needed and not found. Inlined functions of these
 * units are missing. @ret_path: the first such file, borrowed until resolver_free().
 */
uint64_t resolver_split_missing(const struct resolver *r, struct str *ret_path);
/*
 * All modules without symbols, those with most look-ups first; *@ret_n is their number. Borrowed
 * until resolver_free().
 */
const struct resolver_missing *resolver_missing(struct resolver *r, size_t *ret_n);

#endif
