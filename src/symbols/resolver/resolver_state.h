/* SPDX-License-Identifier: MIT */
/*
 * resolver_state.h - state shared by the source files of the resolver
 *
 * resolver.c tracks threads. resolver_maps.c tracks which module is mapped at which address.
 * resolver_load.c loads the symbols of a module. resolver_answers.c finds the symbol of an address.
 *
 * The maps of a process are an array sorted by start address. Maps change rarely, so a change may
 * copy the array. Look-ups are frequent, and only search the array.
 */
#ifndef SYMBOLS_RESOLVER_STATE_H
#define SYMBOLS_RESOLVER_STATE_H

#include "base/arena.h"
#include "base/idmap.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/symbols.h"
#include "symbols/elf_symbols.h"
#include "symbols/kernel/kallsyms.h"
#include "symbols/kernel/kernel_files.h"
#include "symbols/lines/lines.h"
#include "symbols/module_files.h"
#include "symbols/names.h"
#include "symbols/origin.h"
#include "symbols/resolver/resolver.h"
#include "symbols/symtab.h"

struct cfi;
struct jit_process;
struct jitdump;
struct line_frame;
struct lines;
struct resolver_lines;
struct resolver_places;
struct strings;

#define RESOLVER_KERNEL_PID UINT32_MAX
#define RESOLVER_NO_MODULE  UINT32_MAX

enum module_kind {
	MODULE_FILE,   /* ELF file; its table has file offsets */
	MODULE_KERNEL, /* the kernel or a kernel module; its table has virtual addresses */
	MODULE_JIT,    /* JIT code (perf-PID.map); its table has virtual addresses */
	MODULE_NONE,   /* [stack], [heap] and other memory that has no code from a file */
};

struct module {
	str_id path;
	str_id name; /* name as in perf: last component of the path, "[module]", "[vdso]" */
	struct build_id build_id;
	struct resolver_file file;
	uint32_t pid; /* first process that mapped the module */
	enum module_kind kind;
	enum symbol_space space;
	bool is_loaded; /* loading was tried, with or without success */
	bool is_found;
	bool is_unread; /* a part of the module's file is unreadable */
	bool is_path_judged;
	/* result of resolver_path_is_proven(); valid if is_path_judged is set */
	bool is_path_proven;
	bool is_code_judged;
	/*
	 * the file at the path is the recorded one (resolver_code_file()); valid if is_code_judged
	 * is set
	 */
	bool is_code_here;
	bool is_cfi_tried;
	struct cfi *cfi; /* call frame information; NULL: not available */
	bool is_lines_tried;
	struct module_lines *lines; /* debug information; NULL: not available */
	struct symtab table;
	/*
	 * age of the module in the cache: number of rounds (updates of assay top) since it was put
	 * there, plus 1; 0: the module is not from the cache
	 */
	unsigned int cache_age;
	uint64_t failed_lookups;
	struct error why;
};

struct map {
	uint64_t start, end, offset;
	uint32_t module;
	/*
	 * the memory is not executable. A recording has such maps only if it has user stacks or
	 * data addresses
	 */
	bool is_data;
};

/*
 * The maps of a process: sorted by start address, without overlaps. After a fork, parent and child
 * share a set until one of them changes its maps.
 */
struct map_set {
	uint32_t n_users;
	VEC(struct map) maps;
};

struct process {
	uint32_t pid;
	uint32_t last_map; /* index in `set` of the map that was found last */
	uint32_t jit;      /* 1 + index in resolver.jits; 0: the process has mapped no jitdump */
	/* sum of the hashes of all maps; processes with equal sums have equal symbols */
	uint64_t generation;
	struct map_set *set; /* maps of the process; NULL: none so far */
};

struct thread {
	uint32_t tid;
	str_id comm;
};

struct known_id {
	str_id path;
	struct build_id id;
};

/* A cached result of resolver_symbol(), in a hash table. */
struct answer {
	uint64_t address; /* file offset if the address is in a module, otherwise the address */
	/* where the address is: enum resolver_where in resolver_answers.c */
	uint32_t where;
	sym_id sym; /* the result; SYM_ID_NONE: this slot is free */
};

/*
 * The two symbol tables of the kernel. KERNEL_OWN has only symbols of the kernel itself. It is used
 * first, because loading it is cheaper.
 */
enum kernel_table_kind { KERNEL_OWN, KERNEL_WITH_MODULES, KERNEL_TABLES };

struct kernel_table {
	struct kallsyms kallsyms;
	uint64_t shift; /* add this to an address in the table to get the recorded address */
	bool is_tried;
	bool is_there;
	bool is_unread;   /* a file of this table exists, but a part of it is unreadable */
	bool has_modules; /* the kernel modules in this table have the addresses of the recording */
};

/* A kernel function that was looked up. It is stored because names are collected. */
struct kernel_used {
	struct str module; /* name of the kernel module; empty: the kernel itself */
	struct names_symbol symbol;
};

/* A cached decision about the origin of the recording (origin.h). */
struct origin_verdict {
	enum origin origin;
	struct error why; /* why `origin` is not ORIGIN_SAME */
	bool is_judged;
};

struct resolver_origin {
	struct origin_facts recorded;
	struct origin_facts here;
	struct origin_texts texts;
	/*
	 * has_here: the facts in `here` were read, except the address of the kernel; has_place:
	 * this address was read, too
	 */
	bool has_here, has_place;
	struct origin_verdict kernel, machine;
};

/* Debug information of the kernel itself. */
struct resolver_kernel_lines {
	struct lines *lines; /* NULL: not available */
	/* subtract this from a recorded address to get the address in the file */
	uint64_t shift;
	bool is_tried;
};

struct resolver {
	/* id of the string "[unknown]"; STR_ID_NONE: not added to the strings yet */
	str_id unknown;
	struct symbols *symbols;
	struct resolver_options options;
	VEC(struct module) modules;
	struct idmap modules_map;
	VEC(struct process) processes;
	struct idmap processes_map;
	VEC(struct jit_process *) jits;
	size_t n_jits_waiting;   /* number of jitdumps that were not read yet */
	uint64_t now_ns;         /* time to which look-ups refer; set by resolver_at() */
	uint64_t next_change_ns; /* time of the next change in the jitdumps that were read */
	VEC(struct thread) threads;
	struct idmap threads_map;
	VEC(struct known_id) known_ids;
	struct answer *answers; /* hash table of cached results, with open addressing */
	size_t answers_mask;
	size_t n_answers;
	VEC(struct resolver_missing) missing;
	struct arena scratch;
	struct kernel_table kernel_tables[KERNEL_TABLES];
	struct resolver_origin origin;
	struct error kernel_error; /* why KERNEL_WITH_MODULES is not available */
	/* address of the symbol _text in the recorded kernel; 0: unknown */
	uint64_t reference_address;
	/* total number of maps; a set that processes share counts once */
	uint64_t n_maps;
	/* number of maps that were dropped because of LIMIT_MAPS or LIMIT_PROCESS_MAPS */
	uint64_t lost_maps;
	/* number of events so far that changed a thread, a process or JIT code */
	uint64_t version;
	/* number of changes of the kernel's maps so far; part of the key of cached results */
	uint32_t kernel_state;
	/* index in `processes` of the process that was looked up last */
	uint32_t last_process;
	struct resolver_places *places; /* private to resolver_unwind.c */
	struct resolver_lines *lines;   /* private to resolver_lines.c */
	struct resolver_kernel_lines kernel_lines;
	/* kernel functions that were looked up; empty if names are not collected */
	VEC(struct kernel_used) kernel_used;
};

static inline struct strings *resolver_strings(struct resolver *r)
{
	return r->symbols->strings;
}

/* the functions below are in resolver_origin.c */

enum origin_question { ORIGIN_OF_KERNEL, ORIGIN_OF_MACHINE };

/*
 * Return the answer to @question about the recording. It is computed on first use, and cached. The
 * first call reads facts about this machine.
 */
const struct origin_verdict *resolver_origin(struct resolver *r, enum origin_question question);
/* Set the start and end address of the recorded kernel. */
void resolver_recorded_kernel(struct resolver *r, uint64_t text, uint64_t end);
struct build_id resolver_kernel_id(const struct resolver *r);
/*
 * Whether it is proven that files at the path of @m are the recorded ones, so that no build id is
 * needed. True if options.root is set, because the user chose this folder. False if the recording
 * has a build id for @m, because the build id must then be compared. m->why receives the reason.
 */
bool resolver_path_is_proven(struct resolver *r, struct module *m);

static inline struct module_places resolver_module_places(struct resolver *r, struct module *m)
{
	return (struct module_places){ .root = r->options.root,
				       .cache = r->options.cache,
				       .has_debuginfod = r->options.has_debuginfod,
				       .is_proven = resolver_path_is_proven(r, m),
				       .pid = r->options.root ? 0 : m->pid };
}

/* the functions below are in resolver_maps.c */

/*
 * Return the index of the process @pid, which is added if necessary. May reallocate the array
 * `processes`.
 */
uint32_t resolver_process_row(struct resolver *r, uint32_t pid);
struct process *resolver_process(struct resolver *r, uint32_t pid);
/* Let @child share the maps of @parent. The previous maps of @child are removed. */
void resolver_share_maps(struct resolver *r, struct process *child, const struct process *parent);
void resolver_drop_maps(struct resolver *r, struct process *p);
/* The map that covers @address; NULL: none. */
const struct map *resolver_find_map(struct process *p, uint64_t address);

/* the functions below are in resolver_load.c */

/*
 * Load the symbols of the module @m, an ELF file or JIT code, and set m->is_loaded. Call this
 * function once per module.
 */
void resolver_load(struct resolver *r, struct module *m);
/* A symbol of the kernel or of one of its modules. */
struct kernel_symbol {
	struct symtab *table;
	struct symtab_entry *entry;
	uint64_t start;    /* start address of the function in the recorded kernel */
	bool is_kernels;   /* the symbol belongs to the kernel itself and not to a kernel module */
	struct str module; /* name of the kernel module; empty: the kernel itself */
};
/* Where files of the recorded kernel are searched. */
struct kernel_files resolver_kernel_files(struct resolver *r);
bool resolver_kernel_entry(struct resolver *r, uint64_t address, struct kernel_symbol *ret);

/* the functions below are in resolver_jit.c */

/* If @path is the name of a jitdump, remember that the process @p has mapped it. */
void resolver_jit_mark(struct resolver *r, struct process *p, struct str path, uint32_t module);
void resolver_jit_free(struct resolver *r);
/*
 * The JIT function at @address of the process @p, which has mapped a jitdump. SYM_ID_NONE: the
 * jitdump has no such function.
 */
sym_id resolver_jit_symbol(struct resolver *r, const struct process *p, const struct module *m,
			   uint64_t address);
/* A hash of the JIT code that @p has at the time resolver.now_ns; 0: @p has no jitdump. */
uint64_t resolver_jit_state(struct resolver *r, const struct process *p);
/* Why the jitdump of @pid is not available; NULL: it was read, or the process has none. */
const struct error *resolver_jit_why(struct resolver *r, uint32_t pid);
/* Find the source line of the JIT code at @address. Returns the number of frames; 0: unknown. */
size_t resolver_jit_line(struct resolver *r, uint32_t pid, uint64_t address,
			 struct line_frame *ret);
/*
 * Number of the JIT code at @address; 0: none. Other code that was at this address at another time
 * has another number.
 */
uint32_t resolver_jit_order(struct resolver *r, uint32_t pid, uint64_t address);

/* Add the names of all jitdumps that samples use to @n. */
void resolver_jit_collect(struct resolver *r, struct names *n);

/* the functions below are in resolver_names.c; they use r->options.names, which must not be NULL */

void resolver_names_load(struct resolver *r, struct module *m);
void resolver_names_load_kernel(struct resolver *r);
/* Set m->why from the reason that is stored in the recording's names. */
void resolver_names_why(struct resolver *r, struct module *m);
/*
 * Find the frames at @address of the module @m (NULL: the kernel). Returns their number; 0:
 * unknown.
 */
size_t resolver_names_lines(struct resolver *r, const struct module *m, uint64_t address,
			    struct line_frame frames[LINES_FRAMES_MAX]);
bool resolver_names_has_leaf(const struct resolver *r, const struct module *m, uint64_t offset);
/*
 * Fill @ret with the code of the jitdump number @number, from the names in the recording. Returns
 * false if there is no such code; @ret_why has the reason.
 */
bool resolver_names_jit(struct resolver *r, uint32_t number, struct jitdump *ret,
			struct error *ret_why);

/*
 * the functions below are in resolver_names.c; they add to r->options.collected, which must not be
 * NULL
 */

void resolver_names_note_lines(struct resolver *r, const struct module *m, uint64_t address,
			       const struct line_frame *frames, size_t count);
void resolver_names_note_leaf(struct resolver *r, const struct module *m, uint64_t offset);
void resolver_names_note_kernel(struct resolver *r, const struct kernel_symbol *k);
void resolver_names_collect_jit(struct names *n, uint32_t number, const struct jitdump *d,
				bool is_there, const struct error *why);

/* the functions below are in resolver_cache.c */

/*
 * Take the symbol table of @m from the cache r->options.loaded. Returns false if it is not in the
 * cache.
 */
bool resolver_cache_take(struct resolver *r, struct module *m);
/* Take the kernel's symbol tables from the cache r->options.loaded. */
void resolver_cache_take_kernel(struct resolver *r);
/* Return all symbol tables to the cache. Called when the resolver is freed. */
void resolver_cache_give(struct resolver *r);

/* the function below is in resolver_lines.c */
void resolver_lines_free(struct resolver *r);

/* the functions below are in resolver_unwind.c */

void resolver_places_free(struct resolver *r);
#define RESOLVER_CODE_FILES 3u /* number of paths that resolver_code_file() knows */
/*
 * Get path number @i of the file that ran. The paths are:
 * 0. in the build-id cache, as in perf;
 * 1. the path of @m in options.root;
 * 2. the path of @m in the root folder of the process, which may be in a container.
 * Returns false if this path has no usable file.
 */
bool resolver_code_file(struct resolver *r, struct module *m, unsigned int i, char ret[4096]);

#endif
