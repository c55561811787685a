/* SPDX-License-Identifier: MIT */
/*
 * symbols.h - functions: a name in a module
 *
 * A symbol is identified by its name, its module, its space (kernel, user and so on) and whether it
 * is inlined. In some recordings, its start address and source line identify it, too. Its
 * *canonical* name has no suffixes of compilers and linkers: `.isra.0`, `.part.3`, `.constprop.0`,
 * `.cold`,
 * `.llvm.123`, `.lto_priv.0`, `.371002.4826`, `$hash.cfi_jt`, or `@@GLIBC_2.2.5`. The canonical
 * name identifies a function across builds, captures and source metrics. Both names are stored.
 *
 * The module is the DSO of perf, the kernel module of ftrace, or none. An unresolved address
 * (`0x7ff05bb7674d`) is a symbol, too, with the flag SYMBOL_ADDRESS.
 *
 * Not thread safe.
 */
#ifndef CORE_SYMBOLS_H
#define CORE_SYMBOLS_H

#include "base/idmap.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

struct strings;

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
	/*
	 * not a function: the name of a process's command, which is the outermost frame of its
	 * stacks
	 */
	SPACE_COMM,
	SPACE_COUNT,
};

enum symbol_flags {
	SYMBOL_ADDRESS = 1 << 0, /* an unresolved address: the name is a number */
	SYMBOL_INLINED = 1 << 1, /* an inlined frame, marked (inlined) by perf script */
	/* the code of the function is short and has a loop with a pause instruction: it spins */
	SYMBOL_SPINS = 1 << 2,
};

struct symbol {
	str_id name;
	str_id canonical; /* name without suffixes; same as name if it has no suffix */
	str_id module;    /* object or kernel module; STR_ID_NONE: unknown */
	/*
	 * the source line "file.c:12", or the source file, to which this symbol is limited;
	 * STR_ID_NONE: the whole function
	 */
	str_id place;
	uint64_t address; /* start of the function; 0: unknown, as in text formats */
	str_id file; /* source file of the function, from debug information; STR_ID_NONE: unknown */
	uint32_t line; /* first source line of the function in that file; 0: unknown */
	uint8_t space; /* enum symbol_space */
	uint8_t flags; /* set of enum symbol_flags */
};

struct symbols {
	struct strings *strings; /* borrowed */
	VEC(struct symbol) rows; /* row 0 is the empty symbol */
	struct idmap map;
};

void symbols_init(struct symbols *t, struct strings *strings);
void symbols_fini(struct symbols *t);
/*
 * Return the id of the symbol, which is added on first use. If the name is an address as perf
 * prints it ("0x…", or "0"), the symbol gets the flag SYMBOL_ADDRESS. Past LIMIT_SYMBOLS: the
 * symbol "[limit]".
 */
sym_id symbols_add(struct symbols *t, str_id name, str_id module, enum symbol_space space);
/*
 * Return the id of the function that starts at @address. Two static functions with the same name,
 * at different addresses of a module, are two symbols. In perf report, they are also two rows.
 */
sym_id symbols_add_at(struct symbols *t, str_id name, str_id module, enum symbol_space space,
		      uint64_t address);
/*
 * Like symbols_add(), with names as texts. @flags: set of enum symbol_flags. A function and its
 * inlined copies (SYMBOL_INLINED) are different symbols.
 */
sym_id symbols_add_text(struct symbols *t, struct str name, struct str module,
			enum symbol_space space, unsigned int flags);

/*
 * Return the symbol for one source line @place ("file.c:12") of @function. The symbol has the name,
 * module and start address of @function. If @name is not empty, it is a function that is inlined at
 * that line. The symbol then has this name and SYMBOL_INLINED, but no start address.
 */
sym_id symbols_add_place(struct symbols *t, sym_id function, struct str name, str_id place);

/* Set the source file of function @id, and the line where it begins. */
void symbols_set_place(struct symbols *t, sym_id id, str_id file, uint32_t line);

static inline const struct symbol *symbols_get(const struct symbols *t, sym_id id)
{
	return &t->rows.data[id.v < t->rows.len ? id.v : 0];
}

struct str symbols_name(const struct symbols *t, sym_id id);
struct str symbols_module(const struct symbols *t, sym_id id);
struct str symbols_canonical(const struct symbols *t, sym_id id);

/* @name without compiler suffixes. The result is a part of @name. */
struct str symbol_canonical_name(struct str name);
/* Whether @name equals @pattern or matches it (str_glob()), with or without its parameters. */
bool symbol_name_matches(struct str name, struct str pattern);
/* Whether @name is an unresolved address as perf prints it: "0x1f", "0x00000000000008ac", "0". */
bool symbol_name_is_address(struct str name);
/*
 * Whether @name is a kernel symbol of data, or a mark for the end of code, such as
 * "__start_rodata". No function has such a name.
 */
bool symbol_name_is_kernel_data(struct str name);
/*
 * Whether @name is truncated: a '<' or '(' has no closing bracket. The '<' of "operator<" needs
 * none.
 */
bool symbol_name_is_cut(struct str name);
/* The name of a space: "kernel", "user", …; "unknown" for other values. */
const char *symbol_space_name(enum symbol_space space);
/* The space for the letter that perf prints: k . g u H; SPACE_UNKNOWN for other letters. */
enum symbol_space symbol_space_of_level(char level);
/* The letter that perf prints for a space; ' ' if there is none. */
char symbol_level_of_space(enum symbol_space space);
/*
 * The space of a module, judged by its name. Kernel: [kernel…], [k], *.ko, vmlinux, and names of
 * modules in brackets. BPF: bpf_prog_*. vDSO: [vdso], [vsyscall]. JIT: perf-PID.map, [JIT]. Guest:
 * [guest.kernel…]. All other modules: SPACE_UNKNOWN.
 */
enum symbol_space symbol_space_of_module(struct str module);

#endif
