/* SPDX-License-Identifier: MIT */
/*
 * symbols.h - functions: a name in a module
 *
 * A symbol is (name, module, space), and whether it was inlined. Its *canonical* name drops what
 * compilers and linkers add (`.isra.0`, `.part.3`, `.constprop.0`, `.cold`, `.llvm.123`,
 * `.lto_priv.0`, `.371002.4826`, `$hash.cfi_jt`, `@@GLIBC_2.2.5`), so that the same function
 * joins across builds, captures and source metrics; both names are kept.
 *
 * The module is the DSO of perf, the kernel module of ftrace, or none. A raw
 * address (`0x7ff05bb7674d`) is a symbol too, flagged SYMBOL_ADDRESS.
 *
 * Not thread safe.
 */
#ifndef CORE_SYMBOLS_H
#define CORE_SYMBOLS_H

#include "core/strings.h"

enum symbol_space {
	SPACE_UNKNOWN,
	SPACE_KERNEL,
	SPACE_USER,
	SPACE_GUEST_KERNEL,
	SPACE_GUEST_USER,
	SPACE_HYPERVISOR,
	SPACE_BPF,
	SPACE_JIT,
	SPACE_VDSO,
	SPACE_COMM, /* not code: the command at the root of a stack */
	SPACE_COUNT,
};

enum symbol_flags {
	SYMBOL_ADDRESS = 1 << 0, /* the name is a number: nothing resolved it */
	SYMBOL_INLINED = 1 << 1, /* an inlined frame, as perf script marks it */
};

struct symbol {
	str_id name;
	str_id canonical; /* == name where nothing was dropped */
	str_id module;    /* STR_ID_NONE: not said */
	str_id place;     /* the line of source that it stands for alone, "file.c:12"; see
			     symbols_add_place() */
	uint64_t address; /* start of the function; 0: not known (text formats) */
	str_id file;      /* of its source, as debug information has it; STR_ID_NONE: not said */
	uint32_t line;    /* where its code begins in that file; 0: not said */
	uint8_t space;    /* enum symbol_space */
	uint8_t flags;    /* enum symbol_flags */
};

struct symbols {
	struct strings *strings; /* borrowed */
	VEC(struct symbol) rows; /* row 0: the symbol without a name */
	struct idmap map;
};

void symbols_init(struct symbols *t, struct strings *strings);
void symbols_fini(struct symbols *t);
/*
 * The id of the symbol, made on first use. SYMBOL_ADDRESS is set by itself when
 * the whole name is a hex number as perf prints addresses ("0x…", or "0").
 * Past LIMIT_SYMBOLS: the symbol named "[limit]".
 */
sym_id symbols_add(struct symbols *t, str_id name, str_id module, enum symbol_space space);
/* Fetch what symbols_add() of the same will look at. */
void symbols_prefetch(const struct symbols *t, str_id name, str_id module, enum symbol_space space);
/*
 * The same for a function whose start is known: two static functions of one name
 * at different addresses of a module are two symbols, as they are two rows in
 * perf report.
 */
sym_id symbols_add_at(struct symbols *t, str_id name, str_id module, enum symbol_space space,
		      uint64_t address);
/*
 * The same with texts, and flags to set on it. SYMBOL_INLINED tells symbols
 * apart: the inlined copy of a function is another symbol of the same name.
 */
sym_id symbols_add_text(struct symbols *t, struct str name, struct str module,
			enum symbol_space space, unsigned int flags);

/*
 * One line of @function, @place in words: another symbol of the same name, module and start.
 * @name, where it is not empty, is that of a function inlined there (SYMBOL_INLINED).
 */
sym_id symbols_add_place(struct symbols *t, sym_id function, struct str name, str_id place);

/* Say where the source of @id is. */
void symbols_set_place(struct symbols *t, sym_id id, str_id file, uint32_t line);

static inline const struct symbol *symbols_get(const struct symbols *t, sym_id id)
{
	return &t->rows.data[id.v < t->rows.len ? id.v : 0];
}

struct str symbols_name(const struct symbols *t, sym_id id);
struct str symbols_module(const struct symbols *t, sym_id id);
struct str symbols_canonical(const struct symbols *t, sym_id id);

/* @name without compiler suffixes, as a view into it. */
struct str symbol_canonical_name(struct str name);
/* True for "0x1f", "0x00000000000008ac", "0": what perf prints for no symbol. */
bool symbol_name_is_address(struct str name);
/*
 * True for names of a kernel's symbol table that stand for data or for the end of code, such as
 * "__start_rodata": no function has one.
 */
bool symbol_name_is_kernel_data(struct str name);
/* Is @name not all of a name? Only '<' and '(' count: "operator<" has no partner. */
bool symbol_name_is_cut(struct str name);
/* "kernel", "user", …; "unknown" for what is none. */
const char *symbol_space_name(enum symbol_space space);
/* The space of perf's letter: k . g u H; SPACE_UNKNOWN for others. */
enum symbol_space symbol_space_of_level(char level);
/* perf's letter for a space, ' ' where it has none. */
char symbol_level_of_space(enum symbol_space space);
/*
 * What a module name alone tells: [kernel…], [k], *.ko, [name of a module] are
 * kernel, bpf_prog_* is BPF, [vdso] [vsyscall] vDSO, perf-PID.map and [JIT] jit,
 * [guest.kernel…] guest; SPACE_UNKNOWN else.
 */
enum symbol_space symbol_space_of_module(struct str module);

#endif
