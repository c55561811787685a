/* SPDX-License-Identifier: MIT */
/*
 * resolver_state.h - what the parts of the resolver share
 *
 * resolver.c follows threads, resolver_maps.c keeps which module lies where,
 * resolver_load.c gets the symbols of a module, resolver_answers.c names addresses.
 *
 * Maps of a process are an array by start address; processes are few and maps
 * change seldom, so a change copies and samples only search.
 *
 * Private to resolver*.c.
 */
#ifndef SYMBOLS_RESOLVER_STATE_H
#define SYMBOLS_RESOLVER_STATE_H

#include "base/vec.h"
#include "symbols/kernel_files.h"
#include "symbols/module_files.h"
#include "symbols/resolver.h"

#define RESOLVER_KERNEL_PID UINT32_MAX
#define RESOLVER_NO_MODULE  UINT32_MAX

enum module_kind {
	MODULE_FILE,   /* ELF, addresses are file offsets */
	MODULE_KERNEL, /* addresses are virtual */
	MODULE_JIT,    /* perf-PID.map, addresses are virtual */
	MODULE_NONE,   /* [stack], [heap], anon: no code of a file */
};

struct module {
	str_id path;
	str_id name; /* as perf shows it: last part of the path, [module], [vdso] */
	struct build_id build_id;
	struct resolver_file file;
	enum module_kind kind;
	enum symbol_space space;
	bool is_loaded; /* it was tried */
	bool is_found;
	bool is_unread; /* a part of its files cannot be read */
	bool is_path_judged;
	bool is_path_proven; /* see resolver_path_is_proven() */
	bool is_code_judged;
	bool is_code_here; /* see resolver_code_file() */
	bool is_cfi_tried;
	struct cfi *cfi; /* NULL: none to be had */
	bool is_lines_tried;
	struct module_lines *lines; /* NULL: none to be had */
	struct symtab table;
	unsigned int cache_age; /* of what came from the cache: rounds, plus one */
	uint64_t failed_lookups;
	struct error why;
};

struct map {
	uint64_t start, end, offset;
	uint32_t module;
	bool is_data; /* not executable; only recordings with user stacks or addresses have these */
};

struct process {
	uint32_t pid;
	uint32_t last_map;    /* of the look-up before */
	uint64_t generation;  /* sum of the hashes of its maps: says what addresses mean */
	uint64_t code;        /* the same of those that are executable */
	VEC(struct map) maps; /* by start, not overlapping */
};

struct thread {
	uint32_t tid;
	str_id comm;
};

struct known_id {
	str_id path;
	struct build_id id;
};

/* A slot of the table of answers. */
struct answer {
	uint64_t address; /* in its module */
	uint32_t where;   /* what the address is of: resolver_answers.c, enum resolver_where */
	sym_id sym;       /* none: a free slot */
};

/* A place that has no answer yet, on its way to one. */
struct unasked {
	uint64_t address;
	sym_id sym;      /* of a function; else: */
	uint32_t answer; /* its slot */
	str_id module, name;
	enum symbol_space space;
};

/* The kernel's symbols: first what is cheap to get, then all. */
enum kernel_table_kind { KERNEL_OWN, KERNEL_WITH_MODULES, KERNEL_TABLES };

struct kernel_table {
	struct kallsyms kallsyms;
	uint64_t shift; /* recorded addresses minus those of the table */
	bool is_tried;
	bool is_there;
	bool is_unread;   /* a file of it is there and cannot be read whole */
	bool has_modules; /* its modules lie where they were when recorded */
};

/* What was found out about one question of origin.h. */
struct origin_verdict {
	enum origin origin;
	struct error why; /* not ORIGIN_SAME: the reason */
	bool is_judged;
};

struct resolver_origin {
	struct origin_facts recorded;
	struct origin_facts here;
	struct origin_texts texts;
	bool has_here, has_place; /* of the facts about this machine */
	struct origin_verdict kernel, machine;
};

/* Debug information of the kernel's own file. */
struct resolver_kernel_lines {
	struct lines *lines; /* NULL: none to be had */
	uint64_t shift;      /* recorded addresses minus those of the file */
	bool is_tried;
};

struct resolver {
	str_id unknown; /* "[unknown]"; STR_ID_NONE: not asked for yet */
	struct symbols *symbols;
	struct resolver_options options;
	VEC(struct module) modules;
	struct idmap modules_map;
	VEC(struct process) processes;
	struct idmap processes_map;
	VEC(struct thread) threads;
	struct idmap threads_map;
	VEC(struct known_id) known_ids;
	struct answer *answers; /* open addressing */
	size_t answers_mask;
	size_t n_answers;
	VEC(struct unasked) unasked; /* of the places that are looked up now */
	VEC(uint32_t) late;          /* those of them that wait for one */
	VEC(struct resolver_missing) missing;
	struct arena scratch;
	struct kernel_table kernel_tables[KERNEL_TABLES];
	struct resolver_origin origin;
	struct error kernel_error;      /* why the last of them is not there */
	uint64_t reference_address;     /* of _text when recorded; 0: not said */
	uint64_t version;               /* of threads and processes: counts events */
	uint32_t kernel_state;          /* counts changes of the kernel's maps */
	uint32_t last_process;          /* row of the process looked up last */
	struct resolver_places *places; /* resolver_unwind.c */
	struct resolver_lines *lines;   /* resolver_lines.c */
	struct resolver_kernel_lines kernel_lines;
};

static inline struct strings *resolver_strings(struct resolver *r)
{
	return r->symbols->strings;
}

/* resolver_origin.c */

enum origin_question { ORIGIN_OF_KERNEL, ORIGIN_OF_MACHINE };

/* Cost: this machine's facts are read once, on first use. */
const struct origin_verdict *resolver_origin(struct resolver *r, enum origin_question question);
/* Where the recorded kernel begins and ends. */
void resolver_recorded_kernel(struct resolver *r, uint64_t text, uint64_t end);
struct build_id resolver_kernel_id(const struct resolver *r);
/*
 * Whether files at the path of @m may be taken though no build id says that they ran. False for
 * a module whose build id is recorded: that decides alone. m->why says the reason.
 */
bool resolver_path_is_proven(struct resolver *r, struct module *m);

static inline struct module_places resolver_module_places(struct resolver *r, struct module *m)
{
	return (struct module_places){ r->options.root, r->options.cache, r->options.has_debuginfod,
				       resolver_path_is_proven(r, m) };
}

/* resolver_maps.c */

/* Row of the process, made on first use: may move the array. */
uint32_t resolver_process_row(struct resolver *r, uint32_t pid);
struct process *resolver_process(struct resolver *r, uint32_t pid);
/* The module of @path, made on first use; one for each process where it is not a file. */
uint32_t resolver_module(struct resolver *r, struct str path, uint32_t pid,
			 const struct build_id *id);
/* The map that covers @address, or NULL. */
const struct map *resolver_find_map(struct process *p, uint64_t address);

/* resolver_load.c */

/* Get the symbols of @m, which must be a file or JIT code; tried once. */
void resolver_load(struct resolver *r, struct module *m);
/* A symbol of the kernel or of one of its modules. */
struct kernel_symbol {
	struct symtab *table;
	struct symtab_entry *entry;
	uint64_t start;    /* where it was when it was recorded */
	bool is_kernels;   /* of the kernel itself */
	struct str module; /* else the name of its module */
};
/* Where the recorded kernel's files may lie. */
struct kernel_files resolver_kernel_files(struct resolver *r);
bool resolver_kernel_entry(struct resolver *r, uint64_t address, struct kernel_symbol *ret);

/* resolver_cache.c */

/* The tables of @m from r->options.loaded. False: they are not there. */
bool resolver_cache_take(struct resolver *r, struct module *m);
/* The same of the kernel. */
void resolver_cache_take_kernel(struct resolver *r);
/* Everything back; the resolver is about to go. */
void resolver_cache_give(struct resolver *r);

/* resolver_lines.c */
void resolver_lines_free(struct resolver *r);

/* resolver_unwind.c */
void resolver_places_free(struct resolver *r);

#endif
