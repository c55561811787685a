/* SPDX-License-Identifier: MIT */
/*
 * resolver.h - find the symbol for an address of a process, in a given CPU mode
 *
 * The resolver tracks processes by the kernel's events: maps, names, forks. The caller passes these
 * events in order of time, and resolves a sample after all earlier events. Symbols of a module are
 * loaded on first use. They come from:
 * - user modules: ELF files, found by path and build id (perf's build-id cache,
 *   /usr/lib/debug, .gnu_debuglink);
 * - the kernel and its modules: a kallsyms table;
 * - BPF programs: their registration events;
 * - JIT code: jit-PID.dump, if the process mapped it, and perf-PID.map.
 * The resolver runs no program, and uses the network only if has_debuginfod is set.
 *
 * As in perf, an unresolved address becomes a symbol whose name is a number. It is the file offset
 * if a map covers the address; otherwise it is the address, and the module is "[unknown]".
 * resolver_missing() returns the modules without symbols, with reasons.
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

/*
 * CPU mode of a sample or frame, with the values of perf's cpumode
 * (include/uapi/linux/perf_event.h).
 */
enum cpumode {
	CPUMODE_UNKNOWN = 0,
	CPUMODE_KERNEL = 1,
	CPUMODE_USER = 2,
	CPUMODE_HYPERVISOR = 3,
	CPUMODE_GUEST_KERNEL = 4,
	CPUMODE_GUEST_USER = 5,
};

struct resolver_options {
	/*
	 * folder that is put before all paths, if the files of another machine are in it; NULL:
	 * none
	 */
	const char *root;
	/*
	 * kernel symbol table (kallsyms) to use; NULL: that of the running kernel, if it is proven
	 * that this kernel was recorded
	 */
	const char *kallsyms;
	const char *vmlinux; /* ELF file of the kernel (vmlinux) to use; NULL: search by build id */
	const char *cache;   /* folder of perf's build-id cache; NULL: ~/.debug */
	bool has_debuginfod; /* missing files may be fetched by build id from debuginfod servers */
	/* why kernel addresses must not be resolved; NULL: they are resolved */
	const char *kernel_refused;
	/*
	 * this program has just made the recording on this machine, so all files are the recorded
	 * ones
	 */
	bool is_here;
	/* symbol tables that earlier resolvers loaded (resolver_cache.h); NULL: none */
	struct resolver_cache *loaded;
	/* names stored in the recording (names.h); if set, no file is opened; NULL: none */
	const struct names *names;
	/*
	 * receives the names of all resolved addresses (names.h), to store them in a recording;
	 * NULL: do not collect names
	 */
	struct names *collected;
};

struct resolver *resolver_new(struct symbols *symbols, const struct resolver_options *options);
void resolver_free(struct resolver *r);

/*
 * Set facts about the recorded machine, from the header of the recording. Texts are borrowed.
 * (resolver_map() and resolver_build_id() set the address and build id of the kernel.) Without
 * these facts, only a build id or the kernel's address can prove that a file of this machine is the
 * recorded one (origin.h). Call this function before the first look-up.
 */
void resolver_recorded(struct resolver *r, const struct origin_facts *facts);
/* Device and inode of a mapped file, from the recording. inode 0: unknown. */
struct resolver_file {
	uint32_t major, minor;
	uint64_t inode;
};
/* Set the recorded device and inode of the file @path that @pid mapped. */
void resolver_map_file(struct resolver *r, uint32_t pid, struct str path,
		       const struct resolver_file *file);
/* Add the recorded build id of a module. Call this before adding a map of the module. */
void resolver_build_id(struct resolver *r, struct str path, const struct build_id *id);
/*
 * Add a map of executable memory. If it overlaps earlier maps, it replaces the overlapped parts.
 * @pid: process; -1: the kernel.
 */
void resolver_map(struct resolver *r, uint32_t pid, uint64_t start, uint64_t length,
		  uint64_t offset, struct str path, const struct build_id *id);
/*
 * Add a map of memory that is not executable. Unwinding needs such maps to know whether an address
 * is mapped, and to read the data of a file at this address.
 */
void resolver_map_data(struct resolver *r, uint32_t pid, uint64_t start, uint64_t length,
		       uint64_t offset, struct str path, const struct build_id *id);
/*
 * Add a BPF program that was loaded during the recording. If @is_gone is set, the program was
 * unloaded, and nothing is done.
 */
void resolver_kernel_symbol(struct resolver *r, uint64_t start, uint32_t length, struct str name,
			    bool is_gone);
void resolver_comm(struct resolver *r, uint32_t pid, uint32_t tid, struct str comm);
void resolver_fork(struct resolver *r, uint32_t pid, uint32_t tid, uint32_t parent_pid,
		   uint32_t parent_tid);

/* Remove the maps of a process that has ended or has executed another program. */
void resolver_end(struct resolver *r, uint32_t pid);
/* Remove the jitdump of a process that has executed another program. */
void resolver_exec(struct resolver *r, uint32_t pid);

/*
 * Set the time to which the next look-ups refer. This is needed because JIT compilers reuse
 * addresses. @now_ns may decrease between calls, but only a little. Returns the next time at which
 * an address starts to belong to another function. Samples before this time need no further call.
 * UINT64_MAX: there is no such time. 0: unknown, because a jitdump was not read yet.
 */
uint64_t resolver_at(struct resolver *r, uint64_t now_ns);
/*
 * The last result of resolver_at(). It is 0 if a jitdump was mapped since then and is not read yet,
 * because its changes are unknown.
 */
uint64_t resolver_next_code(const struct resolver *r);

/* Name of the thread @tid; if it is unknown: ":TID", or "swapper" if @pid is 0. */
str_id resolver_thread_comm(struct resolver *r, uint32_t pid, uint32_t tid);
/*
 * A 64-bit hash of the state that determines the symbols of addresses in @pid: its maps and JIT
 * code. Processes with equal maps have equal hashes. A process that gets the same maps again also
 * gets the same hash again. For 100,000 different states, the probability of two equal hashes is 1
 * in 3.7 billion. A symbol is then wrong only if both states also use the same address.
 */
uint64_t resolver_generation(struct resolver *r, uint32_t pid);
/*
 * Number of changes so far to threads, processes and JIT code. As long as this number stays the
 * same, resolver_thread_comm() and resolver_generation() also return the same values.
 */
uint64_t resolver_version(const struct resolver *r);
/*
 * Find the symbol of an address. Cost: a search in the maps; then O(1) if the address was resolved
 * before.
 */
sym_id resolver_symbol(struct resolver *r, uint32_t pid, enum cpumode mode, uint64_t address);

/*
 * Complete options.collected. Call this function after the last look-up. The texts are valid until
 * resolver_free() is called, or the strings of the resolver's symbols are freed.
 */
void resolver_collect_names(struct resolver *r);

/* Load all kernel symbols now, because this process cannot open files later. */
void resolver_load_kernels(struct resolver *r);

/* An address and its symbol, with the values that perf script prints. */
struct resolver_spot {
	sym_id sym;
	/*
	 * path of the file that contains the address; if the address is in no file, the module of
	 * the symbol
	 */
	str_id module;
	/* value to print: the file offset for user code, otherwise the address */
	uint64_t shown;
	uint64_t offset; /* number of bytes from the start of the function to the address */
};
void resolver_spot(struct resolver *r, uint32_t pid, enum cpumode mode, uint64_t address,
		   struct resolver_spot *ret);

/* A user-space address that is in a known function of a file. */
struct resolver_code {
	sym_id sym;
	uint32_t module; /* index of the file in resolver.modules */
	/* file offsets of the function's first byte, and of the byte after its last one */
	uint64_t start, end;
	uint64_t offset; /* file offset of the address */
};

/*
 * Find the function at @address, in the file that @pid mapped there. Returns false if there is no
 * file or no known function.
 */
bool resolver_code_at(struct resolver *r, uint32_t pid, uint64_t address,
		      struct resolver_code *ret);
/* The name of the file that contains @code, without folders. */
str_id resolver_code_module(const struct resolver *r, const struct resolver_code *code);

/* Machine code of a function. */
struct resolver_bytes {
	uint8_t *data; /* owned; release with free() */
	size_t len;
	uint64_t shift;   /* add this to a file offset to get the virtual address in the file */
	uint16_t machine; /* ELF machine number, such as EM_X86_64; EM_NONE: unknown */
	/* time of the last change of the file, in seconds since 1970; 0: unknown */
	int64_t changed_s;
};

/*
 * Read the code of a function from the file that ran: at most @max bytes, from the function's
 * start. Errors: ERR_NOTFOUND, with the reason as a clause.
 */
MUST_CHECK int resolver_code_read(struct resolver *r, const struct resolver_code *code, size_t max,
				  struct resolver_bytes *ret, struct error *err);
/*
 * Name of the function at file offset @offset of the file that contains @code; empty: unknown.
 * *@ret_distance: number of bytes from the start of this function to @offset.
 */
struct str resolver_code_name(struct resolver *r, const struct resolver_code *code, uint64_t offset,
			      uint64_t *ret_distance);

/* The source line of an instruction. */
struct resolver_source {
	str_id file;       /* name of the source file without folders; STR_ID_NONE: unknown */
	struct str path;   /* path of the source file, as the compiler recorded it; borrowed */
	struct str folder; /* folder at which a relative `path` starts; empty: unknown; borrowed */
	uint32_t line;     /* 0: unknown */
	/* innermost inlined function that contains the instruction; SYM_ID_NONE: none */
	sym_id inlined;
};

/*
 * Find the source line of the instruction at code->offset. Returns false if it is unknown. Cost: as
 * for resolver_frames().
 */
bool resolver_code_source(struct resolver *r, const struct resolver_code *code,
			  struct resolver_source *ret);

/* Flags: details that resolver_frames() adds. */
enum resolver_detail {
	RESOLVER_INLINES = 1 << 0, /* add frames of inlined functions (SYMBOL_INLINED) */
	/* return one symbol per source line and not per function: "name file.c:12" */
	RESOLVER_LINES = 1 << 1,
	/* the address is a return address: look up the call instruction that ends there */
	RESOLVER_AFTER_CALL = 1 << 2,
	/* return one symbol per source line; the line is in symbol.place */
	RESOLVER_PLACES = 1 << 3,
	/* return one symbol per source file; the file is in symbol.place */
	RESOLVER_SOURCES = 1 << 4,
};

/*
 * The frames at @address, outermost first: the function, which is always present, and after it the
 * functions inlined into it. The result is valid until the next call. Cost: O(1) for an address
 * that was looked up before; otherwise a unit of debug information may be read.
 */
const sym_id *resolver_frames(struct resolver *r, uint32_t pid, enum cpumode mode, uint64_t address,
			      unsigned int detail, size_t *ret_n);
/*
 * Set source file and first line (symbol.file, symbol.line) of all user functions that were
 * resolved so far. Cost: the debug information of their units is read.
 */
void resolver_set_places(struct resolver *r);
/*
 * Unwind the user frames of a sample that has registers and a stack dump. @ret_places: addresses of
 * at most @max frames, innermost first. Returns their number. Cost: a cached search per frame; the
 * call frame information of a module is read on first use.
 */
size_t resolver_unwind(struct resolver *r, uint32_t pid, const struct unwind_sample *s,
		       uint64_t *ret_places, size_t max);

/*
 * Like resolver_unwind(), but with unwind_mixed(), for a recorder: the result need not be the same
 * as in perf. @fp: user-space call chain that the kernel found by frame pointers.
 */
size_t resolver_unwind_mixed(struct resolver *r, uint32_t pid, const struct unwind_sample *s,
			     struct unwind_chain fp, uint64_t *ret_places, size_t max);

/*
 * Whether call frame information shows that the function has not set up a stack frame at @address.
 * If so, the return address is on top of the stack (AArch64: in the link register), and a chain of
 * frame pointers lacks the function's caller. Returns false if unknown. Cost: a cached search.
 */
bool resolver_has_no_frame(struct resolver *r, uint32_t pid, uint64_t address);

/* A module that has samples, but no symbols. */
struct resolver_missing {
	struct str path;
	struct str why;
	uint64_t lookups;
	bool is_kernel; /* the module is the kernel or a kernel module */
};

/*
 * Whether the kernel's symbol table has @function at an address that is not code. If so, the table
 * is not from the recorded kernel.
 */
bool resolver_is_data(const struct resolver *r, sym_id function);
/*
 * Why kernel functions are not resolved: options.kernel_refused, or the reason of a failed look-up.
 * Empty: all look-ups succeeded.
 */
struct str resolver_kernel_missing(const struct resolver *r);
/*
 * Number of modules with a partly unreadable file. Some of their functions may have no names, and
 * call chains end in them.
 */
size_t resolver_unread(const struct resolver *r);
/*
 * Number of compile units whose .dwo file was needed but not found. Their inlined functions are
 * unknown. @ret_path: path of the first missing file, valid until resolver_free().
 */
uint64_t resolver_split_missing(const struct resolver *r, struct str *ret_path);
/*
 * All modules without symbols; those with the most look-ups are first. *@ret_n: their number. The
 * result is valid until resolver_free().
 */
const struct resolver_missing *resolver_missing(struct resolver *r, size_t *ret_n);

#endif
