/* SPDX-License-Identifier: MIT */
/*
 * resolver_state.h - state shared by the parts of the resolver
 *
 * resolver.c tracks threads. resolver_maps.c tracks which module is mapped where. resolver_load.c
 * loads the symbols of a module. resolver_answers.c finds the symbol of an address.
 *
 * The maps of a process are an array sorted by start address. Processes are few and maps change
 * rarely, so a change may copy the array. Look-ups for samples are frequent and only search it.
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
	MODULE_FILE,   /* an ELF file; addresses in its table are file offsets */
	MODULE_KERNEL, /* the kernel or a kernel module; addresses in its table are virtual */
	MODULE_JIT,    /* a perf-PID.map; addresses in its table are virtual */
	MODULE_NONE,   /* [stack], [heap] and other memory without code from a file */
};

struct module {
	str_id path;
	str_id name; /* perf's name: last component of the path, [module], [vdso] */
	struct build_id build_id;
	struct resolver_file file;
	uint32_t pid; /* the first process that mapped the module */
	enum module_kind kind;
	enum symbol_space space;
	bool is_loaded; /* loading was tried, perhaps without success */
	bool is_found;
	bool is_unread; /* a file of the module cannot be read completely */
	bool is_path_judged;
	bool is_path_proven; /* result of resolver_path_is_proven(), once is_path_judged is set */
	bool is_code_judged;
	/*
	 * result for resolver_code_file(): the file at the path is the recorded one; valid once
	 * is_code_judged is set
	 */
	bool is_code_here;
	bool is_cfi_tried;
	struct cfi *cfi; /* call frame information; NULL: unavailable */
	bool is_lines_tried;
	struct module_lines *lines; /* debug information; NULL: unavailable */
	struct symtab table;
	/*
	 * number of rounds (updates of assay top) for which the cache has had the module, plus one;
	 * 0: it is not from the cache
	 */
	unsigned int cache_age;
	uint64_t failed_lookups;
	struct error why;
};

struct map {
	uint64_t start, end, offset;
	uint32_t module;
	bool is_data; /* not executable; only in recordings with user stacks or data addresses */
};

/*
 * Maps sorted by start, without overlap. Forked processes share a set until one of them changes its
 * maps.
 */
struct map_set {
	uint32_t n_users;
	VEC(struct map) maps;
};

struct process {
	uint32_t pid;
	uint32_t last_map; /* index of the map found by the previous look-up */
	uint32_t jit;      /* row of resolver.jits plus one; 0: the process maps no jitdump */
	/*
	 * sum of the hashes of the maps: if two sums are equal, equal addresses have equal symbols
	 */
	uint64_t generation;
	struct map_set *set; /* NULL: no map yet */
};

struct thread {
	uint32_t tid;
	str_id comm;
};

struct known_id {
	str_id path;
	struct build_id id;
};

/* A cached result of resolver_symbol(): a slot of a hash table. */
struct answer {
	uint64_t address; /* file offset in the module, or the address if there is no module */
	/*
	 * module or other memory that contains the address: enum resolver_where in
	 * resolver_answers.c
	 */
	uint32_t where;
	sym_id sym; /* SYM_ID_NONE: a free slot */
};

/*
 * The two symbol tables of the kernel, in the order of use: KERNEL_OWN has only the kernel's own
 * symbols and is cheaper to load.
 */
enum kernel_table_kind { KERNEL_OWN, KERNEL_WITH_MODULES, KERNEL_TABLES };

struct kernel_table {
	struct kallsyms kallsyms;
	uint64_t shift; /* recorded addresses minus addresses in the table */
	bool is_tried;
	bool is_there;
	bool is_unread;   /* a file of the table exists but cannot be read completely */
	bool has_modules; /* its kernel modules are at their recorded addresses */
};

/* A kernel function that was looked up, kept for the collection of names. */
struct kernel_used {
	struct str module; /* empty: the kernel itself */
	struct names_symbol symbol;
};

/* The cached answer to a question about the origin of a recording (origin.h). */
struct origin_verdict {
	enum origin origin;
	struct error why; /* reason why origin is not ORIGIN_SAME */
	bool is_judged;
};

struct resolver_origin {
	struct origin_facts recorded;
	struct origin_facts here;
	struct origin_texts texts;
	/*
	 * has_here: `here` is filled, except for the kernel's address; has_place: the kernel's
	 * address is filled
	 */
	bool has_here, has_place;
	struct origin_verdict kernel, machine;
};

/* Debug information of the kernel itself. */
struct resolver_kernel_lines {
	struct lines *lines; /* NULL: unavailable */
	uint64_t shift;      /* recorded addresses minus addresses in the file */
	bool is_tried;
};

struct resolver {
	str_id unknown; /* id of "[unknown]"; STR_ID_NONE: not interned yet */
	struct symbols *symbols;
	struct resolver_options options;
	VEC(struct module) modules;
	struct idmap modules_map;
	VEC(struct process) processes;
	struct idmap processes_map;
	VEC(struct jit_process *) jits;
	size_t n_jits_waiting;   /* number of jitdumps not read yet */
	uint64_t now_ns;         /* time to which look-ups refer, set by resolver_at() */
	uint64_t next_change_ns; /* time of the next change in the jitdumps read so far */
	VEC(struct thread) threads;
	struct idmap threads_map;
	VEC(struct known_id) known_ids;
	struct answer *answers; /* cached results: a hash table with open addressing */
	size_t answers_mask;
	size_t n_answers;
	VEC(struct resolver_missing) missing;
	struct arena scratch;
	struct kernel_table kernel_tables[KERNEL_TABLES];
	struct resolver_origin origin;
	struct error kernel_error;  /* reason why KERNEL_WITH_MODULES is unavailable */
	uint64_t reference_address; /* recorded address of _text; 0: unknown */
	uint64_t n_maps;            /* number of maps of all processes; a shared set counts once */
	/* number of maps dropped because of LIMIT_MAPS or LIMIT_PROCESS_MAPS */
	uint64_t lost_maps;
	/* number of events so far that changed threads, processes or JIT code */
	uint64_t version;
	/*
	 * number of changes of the kernel's maps so far, which is part of the key of cached results
	 */
	uint32_t kernel_state;
	uint32_t last_process;          /* row of the process looked up last */
	struct resolver_places *places; /* owned by resolver_unwind.c */
	struct resolver_lines *lines;   /* owned by resolver_lines.c */
	struct resolver_kernel_lines kernel_lines;
	/* kernel functions that were looked up; filled only if names are collected */
	VEC(struct kernel_used) kernel_used;
};

static inline struct strings *resolver_strings(struct resolver *r)
{
	return r->symbols->strings;
}

/* the next functions are in resolver_origin.c */

enum origin_question { ORIGIN_OF_KERNEL, ORIGIN_OF_MACHINE };

/*
 * Answer @question about the recording. The answer is cached. Cost: the first call reads facts
 * about this machine.
 */
const struct origin_verdict *resolver_origin(struct resolver *r, enum origin_question question);
/* Set the start and end of the recorded kernel. */
void resolver_recorded_kernel(struct resolver *r, uint64_t text, uint64_t end);
struct build_id resolver_kernel_id(const struct resolver *r);
/*
 * Whether files at the path of @m may be used without a build id. True if options.root is set,
 * because the user chose that folder. False if the recording has a build id for @m, because then
 * the build id decides. m->why receives the reason.
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

/* the next functions are in resolver_maps.c */

/* Return the row of process @pid, made on first use; this may move the array of processes. */
uint32_t resolver_process_row(struct resolver *r, uint32_t pid);
struct process *resolver_process(struct resolver *r, uint32_t pid);
/* Make @child share the maps of @parent; @child's own maps are forgotten. */
void resolver_share_maps(struct resolver *r, struct process *child, const struct process *parent);
void resolver_drop_maps(struct resolver *r, struct process *p);
/* The map that covers @address, or NULL. */
const struct map *resolver_find_map(struct process *p, uint64_t address);

/* the next functions are in resolver_load.c */

/* Load the symbols of @m, an ELF file or JIT code. Sets m->is_loaded; call once per module. */
void resolver_load(struct resolver *r, struct module *m);
/* A symbol of the kernel or of one of its modules. */
struct kernel_symbol {
	struct symtab *table;
	struct symtab_entry *entry;
	uint64_t start;    /* start address in the recorded kernel */
	bool is_kernels;   /* the symbol belongs to the kernel itself, not to a kernel module */
	struct str module; /* name of the kernel module */
};
/* Paths for the search for files of the recorded kernel. */
struct kernel_files resolver_kernel_files(struct resolver *r);
bool resolver_kernel_entry(struct resolver *r, uint64_t address, struct kernel_symbol *ret);

/* the next functions are in resolver_jit.c */

/* Remember that @p maps @path, if that is the name of a jitdump. */
void resolver_jit_mark(struct resolver *r, struct process *p, struct str path, uint32_t module);
void resolver_jit_free(struct resolver *r);
/* The JIT function at @address in @p, which maps a jitdump; SYM_ID_NONE: the dump has none. */
sym_id resolver_jit_symbol(struct resolver *r, const struct process *p, const struct module *m,
			   uint64_t address);
/* A hash of the JIT code that @p has at the time of look-ups. */
uint64_t resolver_jit_state(struct resolver *r, const struct process *p);
/* Reason why the jitdump of @pid is unavailable; NULL: it was read, or there is none. */
const struct error *resolver_jit_why(struct resolver *r, uint32_t pid);
/* Get the source line of JIT code at @address. Returns the number of frames; 0: unknown. */
size_t resolver_jit_line(struct resolver *r, uint32_t pid, uint64_t address,
			 struct line_frame *ret);
/*
 * A number that identifies the JIT code at @address. Code that was at this address earlier or later
 * has another number. 0: no code.
 */
uint32_t resolver_jit_order(struct resolver *r, uint32_t pid, uint64_t address);

/* Add to @n the names of all jitdumps that samples use. */
void resolver_jit_collect(struct resolver *r, struct names *n);

/*
 * the next functions are in resolver_names.c; they resolve by r->options.names, which must not be
 * NULL
 */

void resolver_names_load(struct resolver *r, struct module *m);
void resolver_names_load_kernel(struct resolver *r);
/* Set m->why, the reason for missing symbols, from the names in the recording. */
void resolver_names_why(struct resolver *r, struct module *m);
/* The frames at @address of @m (NULL: the kernel). Returns their number; 0: unknown. */
size_t resolver_names_lines(struct resolver *r, const struct module *m, uint64_t address,
			    struct line_frame frames[LINES_FRAMES_MAX]);
bool resolver_names_has_leaf(const struct resolver *r, const struct module *m, uint64_t offset);
/*
 * Fill @ret with the code of jitdump number @number, from the names in the recording. False: the
 * names have no such code, for the reason in @ret_why.
 */
bool resolver_names_jit(struct resolver *r, uint32_t number, struct jitdump *ret,
			struct error *ret_why);

/*
 * the next functions are in resolver_names.c; they collect in r->options.collected, which must not
 * be NULL
 */

void resolver_names_note_lines(struct resolver *r, const struct module *m, uint64_t address,
			       const struct line_frame *frames, size_t count);
void resolver_names_note_leaf(struct resolver *r, const struct module *m, uint64_t offset);
void resolver_names_note_kernel(struct resolver *r, const struct kernel_symbol *k);
void resolver_names_collect_jit(struct names *n, uint32_t number, const struct jitdump *d,
				bool is_there, const struct error *why);

/* the next functions are in resolver_cache.c */

/* Take the tables of @m from r->options.loaded. False: not cached. */
bool resolver_cache_take(struct resolver *r, struct module *m);
/* Take the kernel's tables from r->options.loaded. */
void resolver_cache_take_kernel(struct resolver *r);
/* Return all tables to the cache before the resolver is freed. */
void resolver_cache_give(struct resolver *r);

/* the next function is in resolver_lines.c */
void resolver_lines_free(struct resolver *r);

/* the next functions are in resolver_unwind.c */

void resolver_places_free(struct resolver *r);
#define RESOLVER_CODE_FILES 3u /* number of paths that resolver_code_file() can return */
/*
 * Get path number @i at which the file that ran may be:
 * 0. in the build-id cache, as in perf;
 * 1. the path of @m under options.root;
 * 2. the path of @m in the root directory of the process, which may be in a container.
 * False: no usable file at this path.
 */
bool resolver_code_file(struct resolver *r, struct module *m, unsigned int i, char ret[4096]);

#endif
