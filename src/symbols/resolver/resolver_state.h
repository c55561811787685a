/* SPDX-License-Identifier: MIT */
/*
 * resolver_state.h - state shared by the parts of the resolver
 *
 * resolver.c tracks threads, resolver_maps.c tracks which module is mapped where,
 * resolver_load.c loads symbols of a module, resolver_answers.c names addresses.
 *
 * Maps of a process are an array sorted by start address. Processes are few and maps change
 * rarely, so a change copies the array and samples only search.
 *
 * Private to resolver*.c.
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
#include "symbols/kallsyms.h"
#include "symbols/kernel_files.h"
#include "symbols/module_files.h"
#include "symbols/origin.h"
#include "symbols/resolver/resolver.h"
#include "symbols/symtab.h"

struct cfi;
struct jit_process;
struct line_frame;
struct lines;
struct resolver_lines;
struct resolver_places;
struct strings;

#define RESOLVER_KERNEL_PID UINT32_MAX
#define RESOLVER_NO_MODULE  UINT32_MAX

enum module_kind {
	MODULE_FILE,   /* ELF, addresses are file offsets */
	MODULE_KERNEL, /* addresses are virtual */
	MODULE_JIT,    /* perf-PID.map, addresses are virtual */
	MODULE_NONE,   /* [stack], [heap], anon: no code from a file */
};

struct module {
	str_id path;
	str_id name; /* perf's name: last component of the path, [module], [vdso] */
	struct build_id build_id;
	struct resolver_file file;
	uint32_t pid; /* the first process that mapped it */
	enum module_kind kind;
	enum symbol_space space;
	bool is_loaded; /* loading was tried */
	bool is_found;
	bool is_unread; /* part of its files is unreadable */
	bool is_path_judged;
	bool is_path_proven; /* see resolver_path_is_proven() */
	bool is_code_judged;
	bool is_code_here; /* see resolver_code_file() */
	bool is_cfi_tried;
	struct cfi *cfi; /* NULL: unavailable */
	bool is_lines_tried;
	struct module_lines *lines; /* NULL: unavailable */
	struct symtab table;
	unsigned int cache_age; /* rounds since it came from the cache, plus one */
	uint64_t failed_lookups;
	struct error why;
};

struct map {
	uint64_t start, end, offset;
	uint32_t module;
	bool is_data; /* not executable; present only in recordings with user stacks or addresses */
};

/* By start, not overlapping; shared by forked processes until one of them changes. */
struct map_set {
	uint32_t n_users;
	VEC(struct map) maps;
};

struct process {
	uint32_t pid;
	uint32_t last_map; /* result of the previous look-up */
	uint32_t jit;      /* row of resolver.jits plus one; 0: maps no jitdump */
	/* sum of the hashes of its maps: identifies the meaning of addresses */
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

/* A slot of the cache of results. */
struct answer {
	uint64_t address; /* relative to its module */
	uint32_t where;   /* container of the address: enum resolver_where in resolver_answers.c */
	sym_id sym;       /* SYM_ID_NONE: a free slot */
};

/* The kernel's symbols: first those that are cheap to load, then all. */
enum kernel_table_kind { KERNEL_OWN, KERNEL_WITH_MODULES, KERNEL_TABLES };

struct kernel_table {
	struct kallsyms kallsyms;
	uint64_t shift; /* recorded addresses minus those of the table */
	bool is_tried;
	bool is_there;
	bool is_unread;   /* one of its files exists but cannot be read whole */
	bool has_modules; /* modules in it are at their recorded addresses */
};

/* Answer to one question of origin.h. */
struct origin_verdict {
	enum origin origin;
	struct error why; /* reason, unless ORIGIN_SAME */
	bool is_judged;
};

struct resolver_origin {
	struct origin_facts recorded;
	struct origin_facts here;
	struct origin_texts texts;
	bool has_here, has_place; /* which facts about this machine are read */
	struct origin_verdict kernel, machine;
};

/* Debug information of the kernel itself. */
struct resolver_kernel_lines {
	struct lines *lines; /* NULL: unavailable */
	uint64_t shift;      /* recorded addresses minus those of the file */
	bool is_tried;
};

struct resolver {
	str_id unknown; /* "[unknown]"; STR_ID_NONE: not interned yet */
	struct symbols *symbols;
	struct resolver_options options;
	VEC(struct module) modules;
	struct idmap modules_map;
	VEC(struct process) processes;
	struct idmap processes_map;
	VEC(struct jit_process *) jits;
	size_t n_jits_waiting;   /* whose dump is not read yet */
	uint64_t now_ns;         /* resolver_at() */
	uint64_t next_change_ns; /* of the dumps that are read */
	VEC(struct thread) threads;
	struct idmap threads_map;
	VEC(struct known_id) known_ids;
	struct answer *answers; /* open addressing */
	size_t answers_mask;
	size_t n_answers;
	VEC(struct resolver_missing) missing;
	struct arena scratch;
	struct kernel_table kernel_tables[KERNEL_TABLES];
	struct resolver_origin origin;
	struct error kernel_error;      /* reason why the last table is unavailable */
	uint64_t reference_address;     /* recorded address of _text; 0: unknown */
	uint64_t n_maps;                /* in all sets */
	uint64_t lost_maps;             /* beyond LIMIT_MAPS and LIMIT_PROCESS_MAPS */
	uint64_t version;               /* counts events of threads and processes */
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

/* Cost: the first call reads this machine's facts. */
const struct origin_verdict *resolver_origin(struct resolver *r, enum origin_question question);
/* Set the start and end of the recorded kernel. */
void resolver_recorded_kernel(struct resolver *r, uint64_t text, uint64_t end);
struct build_id resolver_kernel_id(const struct resolver *r);
/*
 * Whether files at the path of @m may be used without a build id as proof. False for a module
 * with a recorded build id, which alone decides. m->why receives the reason.
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

/* resolver_maps.c */

/* Row of the process, made on first use: may reallocate the array. */
uint32_t resolver_process_row(struct resolver *r, uint32_t pid);
struct process *resolver_process(struct resolver *r, uint32_t pid);
/* Let @child have the maps of @parent, and forget its own. */
void resolver_share_maps(struct resolver *r, struct process *child, const struct process *parent);
/* Forget all maps of @p. */
void resolver_drop_maps(struct resolver *r, struct process *p);
/* The map that covers @address, or NULL. */
const struct map *resolver_find_map(struct process *p, uint64_t address);

/* resolver_load.c */

/* Load the symbols of @m, a file or JIT code; tried once. */
void resolver_load(struct resolver *r, struct module *m);
/* A symbol of the kernel or of one of its modules. */
struct kernel_symbol {
	struct symtab *table;
	struct symtab_entry *entry;
	uint64_t start;    /* its address when recorded */
	bool is_kernels;   /* belongs to the kernel itself */
	struct str module; /* otherwise the name of its module */
};
/* Search locations of the recorded kernel's files. */
struct kernel_files resolver_kernel_files(struct resolver *r);
bool resolver_kernel_entry(struct resolver *r, uint64_t address, struct kernel_symbol *ret);

/* resolver_jit.c */

/* Note that @p maps the file @path, if that is a jitdump. */
void resolver_jit_mark(struct resolver *r, struct process *p, struct str path, uint32_t module);
void resolver_jit_free(struct resolver *r);
/* The function at @address in @p, which maps a jitdump; none: not of the dump. */
sym_id resolver_jit_symbol(struct resolver *r, const struct process *p, const struct module *m,
			   uint64_t address);
/* A hash of the code of @p now. */
uint64_t resolver_jit_state(struct resolver *r, const struct process *p);
/* Reason why the dump of @pid is unavailable; NULL: it is there, or there is none. */
const struct error *resolver_jit_why(struct resolver *r, uint32_t pid);
/* The source line at @address; 0: unknown. */
size_t resolver_jit_line(struct resolver *r, uint32_t pid, uint64_t address,
			 struct line_frame *ret);
/* A number of the code at @address, different for each code; 0: none. */
uint32_t resolver_jit_order(struct resolver *r, uint32_t pid, uint64_t address);

/* resolver_cache.c */

/* Take the tables of @m from r->options.loaded. False: not cached. */
bool resolver_cache_take(struct resolver *r, struct module *m);
/* The same for the kernel. */
void resolver_cache_take_kernel(struct resolver *r);
/* Return all tables to the cache before the resolver is freed. */
void resolver_cache_give(struct resolver *r);

/* resolver_lines.c */
void resolver_lines_free(struct resolver *r);

/* resolver_unwind.c */
void resolver_places_free(struct resolver *r);

#endif
