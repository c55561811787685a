/* SPDX-License-Identifier: MIT */
/*
 * symbol_results.h - what src/symbols reads from a file, as text
 *
 * The commands "symbols elf|jitdump|kallsyms|split FILE" of results_found.h read inputs of the fuzz
 * targets of these names. "symbols resolve SCRIPT FILE..." calls the resolver, whose root is the
 * current folder. A line of the script is
 *
 *     map|data PID START LENGTH OFFSET PATH
 *     file PID INODE PATH
 *     id BYTE PATH                  the build id is 20 times this byte
 *     bpf START LENGTH NAME 0|1     loaded, or unloaded
 *     comm PID TID NAME
 *     fork PID TID PARENT-PID PARENT-TID
 *     end|exec PID
 *     at NANOSECONDS
 *     jit PATH START LENGTH NAME    a line of a perf-PID.map
 *     copy FROM TO                  of files
 *     user|kernel PID ADDRESS       print the symbol
 *     unwind PID IP                 print the call chain
 */
#ifndef SYMBOL_RESULTS_H
#define SYMBOL_RESULTS_H

#include "base/alloc.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "config.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "edges_found.h"
#include "symbols/elf_symbols.h"
#include "symbols/jitdump.h"
#include "symbols/kernel/kallsyms.h"
#include "symbols/kernel/kallsyms_index.h"
#include "symbols/lines/lines.h"
#include "symbols/resolver/resolver.h"
#include "symbols/resolver/resolver_cache.h"
#include "symbols/symtab.h"
#include "symbols/unwind/cfi.h"
#include "symbols/unwind/unwind.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct resolver_cache;
struct resolver;
struct kallsyms_index;
struct lines;

#define SYMBOLS_SHOWN  400u /* of each kind */
#define SYMBOLS_STACK  UINT64_C(0x7ffffff00000)
#define SYMBOLS_LINES  4096u /* addresses of a program */
#define SYMBOLS_STRIDE 7u

static inline void symbols_print_table(struct symtab *t)
{
	uint64_t beyond = 0;

	for (size_t i = 0; i < t->entries.len && i < SYMBOLS_SHOWN; i++) {
		const struct symtab_entry *e = &t->entries.data[i];

		printf("%" PRIx64 "-%" PRIx64 " " STR_FMT "\n", e->start, e->end,
		       STR_ARG(symtab_name(t, e)));
		beyond = e->end;
	}
	for (size_t i = 0; i < t->entries.len && i < SYMBOLS_SHOWN; i++) {
		const uint64_t start = t->entries.data[i].start, end = t->entries.data[i].end;
		const uint64_t at[] = { start - 1, start, start + 1, end - 1, end };

		for (size_t k = 0; k < ARRAY_LEN(at); k++) {
			const struct symtab_entry *e = symtab_find(t, at[k]);

			printf(" %d", e ? (int)(e - t->entries.data) : -1);
		}
	}
	printf(" %d\n", symtab_find(t, beyond + 1) != NULL);
}

static inline void symbols_print_loads(const struct elf_load *loads, size_t n,
				       const struct build_id *id)
{
	for (size_t i = 0; i < n; i++)
		printf("load %" PRIx64 " %" PRIx64 " %" PRIx64 "\n", loads[i].vaddr,
		       loads[i].offset, loads[i].size);
	printf("build id ");
	for (unsigned int i = 0; i < id->len; i++)
		printf("%02x", id->bytes[i]);
	printf("\n");
}

static inline struct unwind_place symbols_place(void *context, uint64_t address)
{
	struct cfi *c = context;

	return (struct unwind_place){ c, cfi_find(c, address), address % 3 != 0 };
}

static inline enum unwind_read symbols_read(void *context, uint64_t address, uint64_t *ret)
{
	(void)context;
	*ret = address & 0xffff;
	return (enum unwind_read)(address >> 4 & 3 ? address >> 4 & 1 : UNWIND_READ_UNMAPPED);
}

static inline enum unwind_call symbols_call(void *context, uint64_t address, uint64_t to)
{
	(void)context;
	return (enum unwind_call)((address ^ to) & 3);
}

/* Call chains from @ip; the stack holds addresses of functions of @c. */
static inline void symbols_print_unwinding(struct cfi *c, uint64_t ip)
{
	struct unwind_process process = { c, symbols_place, symbols_read, symbols_call };
	struct unwind_sample s = { .machine = c->machine };
	uint64_t stack[64], places[LIMIT_UNWIND_FRAMES];
	const struct unwind_chain fp = { stack + 4, 5 };

	for (size_t i = 0; i < ARRAY_LEN(stack); i++)
		stack[i] = i % 4 == 1         ? SYMBOLS_STACK + 8 * (i + 5)
			   : c->functions.len ? c->functions.data[i % c->functions.len].start + i
					      : i;
	s.stack = (const uint8_t *)stack;
	s.stack_bytes = sizeof(stack);
	s.has_regs = (UINT64_C(1) << CFI_REGISTERS) - 1;
	for (unsigned int i = 0; i < CFI_REGISTERS; i++)
		s.regs[i] = SYMBOLS_STACK + 8 * i;
	s.regs[7] = SYMBOLS_STACK;
	s.regs[31] = SYMBOLS_STACK;
	s.regs[16] = ip;
	s.regs[32] = ip;
	for (int mixed = 0; mixed < 2; mixed++) {
		size_t n = mixed ? unwind_mixed(&s, &process, fp, places, ARRAY_LEN(places))
				 : unwind_run(&s, &process, places, ARRAY_LEN(places));

		printf("  chain");
		for (size_t i = 0; i < n && i < 12; i++)
			printf(" %" PRIx64, places[i]);
		printf(" of %zu\n", n);
	}
}

static inline void symbols_print_rows(struct cfi *c, const struct cfi_function *f)
{
	for (uint32_t i = 0; f->first_row != INDEX_NONE && i < f->n_rows; i++) {
		const struct cfi_row *r = &c->rows.data[f->first_row + i];

		printf("  row %" PRIx64 " %d+%d return %d%s%s%s", r->start, r->cfa_reg,
		       r->cfa_value, r->return_reg, r->is_signal ? " signal" : "",
		       r->is_rare ? " rare" : "",
		       cfi_has_no_frame(c, f->first_row + i) ? " no frame" : "");
		for (unsigned int k = 0; k < r->n_rules; k++) {
			const struct cfi_rule *rule = &c->rules.data[r->first_rule + k];

			printf(" %d:%d:%d", rule->reg, rule->kind, rule->value);
		}
		printf("\n");
	}
}

static inline void symbols_print_cfi(struct cfi *c)
{
	printf("cfi %" PRIx64 " %zu %d machine %d table %u %" PRIx64 "\n", c->address, c->len,
	       c->is_debug_frame, c->machine, c->table.n, c->table.address);
	symbols_print_loads(c->loads, c->n_loads, &c->build_id);
	for (size_t i = 0; i < c->n_loads; i++) {
		for (uint64_t at = 0; at < c->loads[i].size && at < 0x2000; at += 0x4d)
			printf(" %x", (unsigned int)cfi_find(c, c->loads[i].vaddr + at));
		printf(" %" PRIx64 " %" PRIx64 "\n",
		       cfi_address_of_offset(c, c->loads[i].offset + c->loads[i].size - 1),
		       cfi_address_of_offset(c, c->loads[i].offset + c->loads[i].size));
	}
	cfi_read_all(c);
	for (size_t i = 0; i < c->functions.len && i < SYMBOLS_SHOWN; i++) {
		struct cfi_function f = c->functions.data[i];

		printf("function %" PRIx64 "-%" PRIx64 " %x-%x %u %" PRIu64 " %d %d\n", f.start,
		       f.end, f.at, f.until, f.common, cfi_function_size(c, f.start),
		       (int)cfi_find(c, f.start), (int)cfi_find(c, f.end - 1));
		symbols_print_rows(c, &c->functions.data[i]);
		symbols_print_unwinding(c, f.start);
		symbols_print_unwinding(c, f.start + (f.end - f.start) / 2);
		symbols_print_unwinding(c, f.end - 1);
	}
	printf("bad %" PRIu64 "\n", c->n_bad);
}

static inline void symbols_print_lines(const char *path, const struct elf_load *loads, size_t n)
{
	struct line_frame frames[LINES_FRAMES_MAX];
	struct elf_load sections[ELF_LOADS_MAX];
	struct lines *l = NULL;
	struct str missing = STR_NONE;
	unsigned int left = SYMBOLS_LINES;
	int r = lines_open(path, NULL, &l, NULL);

	printf("lines %d\n", r);
	if (r != OK)
		return;
	symbols_print_loads(sections, lines_loads(l, NULL, 0, 0x1000, sections),
			    &(struct build_id){ .len = 0 });
	for (size_t i = 0; i < n; i++) {
		for (uint64_t at = 0; at < loads[i].size && left; at += SYMBOLS_STRIDE, left--) {
			size_t found = lines_find(l, loads[i].vaddr + at, frames);

			for (size_t k = 0; k < found; k++)
				printf("%" PRIx64 " " STR_FMT " " STR_FMT ":%u%s\n",
				       loads[i].vaddr + at, STR_ARG(frames[k].function),
				       STR_ARG(frames[k].file), frames[k].line,
				       frames[k].is_inlined ? " inlined" : "");
		}
	}
	printf("missing %" PRIu64, lines_missing(l, &missing));
	printf(" " STR_FMT "\n", STR_ARG(missing));
	lines_free(l);
}

static inline void symbols_print_elf(const char *path)
{
	struct elf_symbols e;
	struct cfi *c = NULL;
	int r = elf_symbols_read(path, ELF_WHOLE, NULL, &e, NULL);

	printf("elf %d\n", r);
	if (r == OK) {
		symbols_print_loads(e.loads, e.n_loads, &e.build_id);
		printf("link %s %d %d\n", e.debuglink, e.has_symtab, e.is_cut);
		symtab_finish(&e.table, true);
		symbols_print_table(&e.table);
		for (size_t i = 0; i < e.indirect.len; i++)
			printf("indirect %u\n", e.indirect.data[i]);
		symbols_print_lines(path, e.loads, e.n_loads);
		elf_symbols_fini(&e);
	}
	r = cfi_open(path, &c, NULL);
	printf("cfi %d\n", r);
	if (r == OK)
		symbols_print_cfi(c);
	cfi_free(c);
}

static inline void symbols_print_code(struct jitdump *d, const struct jit_code *c, uint64_t address,
				      uint64_t now)
{
	const struct jit_code *found = jitdump_find(d, address, now);
	const struct jit_line *l = jitdump_line(d, c, address);

	printf(" %d", found ? (int)(found - d->codes.data) : -1);
	if (l)
		printf(":" STR_FMT ":%u", STR_ARG(jitdump_name(d, l->file)), l->line);
}

static inline void symbols_print_jitdump(const char *path)
{
	struct error err = { "" };
	struct jitdump d;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (jitdump_read(fd, &d, &err) != OK)
		d.codes.len = 0;
	printf("%s%u %d %d %d %d, %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", err.msg,
	       d.line_shift, d.has_lines, d.is_other_clock, d.is_closed, d.is_cut, d.n_bad,
	       d.n_unwinding, d.n_unknown, d.n_lines_wrong);
	for (size_t i = 0; i < d.codes.len && i < SYMBOLS_SHOWN; i++) {
		const struct jit_code *c = &d.codes.data[i];

		printf("%" PRIx64 "-%" PRIx64 " %" PRIu64 "-%" PRIu64 " " STR_FMT
		       " %u %u %u %" PRIx64 ":",
		       c->start, c->end, c->from_ns, c->until_ns,
		       STR_ARG(jitdump_name(&d, c->name)), c->order, c->first_line, c->n_lines,
		       d.reach.data[i]);
		symbols_print_code(&d, c, c->start - 1, c->from_ns);
		symbols_print_code(&d, c, c->start, c->from_ns);
		symbols_print_code(&d, c, c->start, c->from_ns - 1);
		symbols_print_code(&d, c, c->end - 1, c->until_ns - 1);
		symbols_print_code(&d, c, c->end - 1, c->until_ns);
		symbols_print_code(&d, c, c->end, c->from_ns);
		symbols_print_code(&d, c, c->start + 8, JITDUMP_NO_TIME);
		printf("\n");
	}
	for (size_t i = 0; i < d.lines.len && i < SYMBOLS_SHOWN; i++)
		printf("line %u %u\n", d.lines.data[i].offset, d.lines.data[i].line);
	for (size_t i = 0; i < d.changes.len && i < SYMBOLS_SHOWN; i++)
		printf("change %" PRIu64 "\n", d.changes.data[i]);
	jitdump_fini(&d);
	(void)close(fd);
}

static inline void symbols_print_index(const char *path, const struct symtab *t)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct kallsyms_index *x = kallsyms_index_open(fd);
	struct symtab *table;

	if (!x) {
		(void)close(fd);
		printf("no index\n");
		return;
	}
	printf("_text %" PRIx64 "\n", kallsyms_index_text(x));
	for (size_t i = 0; i < t->entries.len && i < SYMBOLS_SHOWN; i++) {
		const struct symtab_entry *e = &t->entries.data[i];
		const uint64_t at[] = { e->start - 1, e->start, e->end - 1, e->end };

		for (size_t k = 0; k < ARRAY_LEN(at); k++) {
			const struct symtab_entry *f = kallsyms_index_find(x, at[k], &table);

			if (f)
				printf(" %" PRIx64 "-%" PRIx64 " " STR_FMT, f->start, f->end,
				       STR_ARG(symtab_name(table, f)));
		}
		printf("\n");
	}
	kallsyms_index_free(x);
}

static inline void symbols_print_kallsyms(const char *path)
{
	CLEANUP(freep) char *text = NULL;
	struct kallsyms k = { .modules = VEC_INIT };
	struct error err = { "" };
	size_t len = 0;
	int r;

	text = edge_read_bytes(path, &len);
	kallsyms_add(&k, (struct str){ text, len });
	r = kallsyms_finish(&k, &err);
	printf("%s %zu %d\n", err.msg, k.n_lines, k.has_address);
	printf("marks %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 "\n", k.marks.text,
	       k.marks.etext, k.marks.init_text, k.marks.init_end);
	for (int i = -1; i < 2; i++)
		printf(" %d %d %d %d", kallsyms_is_data(&k.marks, k.marks.text + (uint64_t)i),
		       kallsyms_is_data(&k.marks, k.marks.etext + (uint64_t)i),
		       kallsyms_is_data(&k.marks, k.marks.init_text + (uint64_t)i),
		       kallsyms_is_data(&k.marks, k.marks.init_end + (uint64_t)i));
	for (size_t i = 0; r == OK && i < k.modules.len; i++) {
		printf("\nmodule " STR_FMT "\n", STR_ARG(kallsyms_module_name(&k.modules.data[i])));
		symbols_print_table(&k.modules.data[i].table);
	}
	if (r == OK)
		symbols_print_index(path, &k.modules.data[0].table);
	kallsyms_fini(&k);
}

/* A program and its .dwo or .dwp file, which follows its length and itself in the input. */
static inline void symbols_print_split(const char *path)
{
	static const char *const names[] = { "program", "program.dwp" };
	CLEANUP(freep) char *bytes = NULL;
	struct elf_symbols e;
	uint32_t len;
	size_t size = 0;

	bytes = edge_read_bytes(path, &size);
	if (size < sizeof(len))
		return;
	len = (uint32_t)(unsigned char)bytes[0] | (uint32_t)(unsigned char)bytes[1] << 8;
	size -= sizeof(len);
	len = len < size ? len : (uint32_t)size;
	for (size_t i = 0; i < 2; i++) {
		FILE *f = fopen(names[i], "we");

		if (!f)
			return;
		(void)fwrite(bytes + sizeof(len) + (i ? len : 0), 1, i ? size - len : len, f);
		(void)fclose(f);
	}
	if (elf_symbols_read(names[0], ELF_WHOLE, NULL, &e, NULL) == OK) {
		symbols_print_lines(names[0], e.loads, e.n_loads);
		elf_symbols_fini(&e);
	}
}

struct symbols_line {
	struct str words[8];
	uint64_t n[8]; /* words that are numbers */
};

static inline void symbols_print_frames(struct resolver *r, struct symbols *symbols, uint32_t pid,
					enum cpumode mode, uint64_t address, unsigned int detail)
{
	size_t n;
	const sym_id *frames = resolver_frames(r, pid, mode, address, detail, &n);

	printf(" |");
	for (size_t i = 0; i < n; i++)
		printf(" " STR_FMT, STR_ARG(symbols_name(symbols, frames[i])));
}

static inline void symbols_print_address(struct resolver *r, struct symbols *symbols, uint32_t pid,
					 enum cpumode mode, uint64_t address)
{
	struct resolver_spot spot;

	resolver_spot(r, pid, mode, address, &spot);
	printf("%" PRIu64 ": " STR_FMT " " STR_FMT " " STR_FMT " %" PRIx64 "+%" PRIx64 " %d",
	       address, STR_ARG(symbols_name(symbols, spot.sym)),
	       STR_ARG(symbols_module(symbols, spot.sym)),
	       STR_ARG(strings_get(symbols->strings, spot.module)), spot.shown, spot.offset,
	       resolver_has_no_frame(r, pid, address));
	symbols_print_frames(r, symbols, pid, mode, address, RESOLVER_INLINES);
	symbols_print_frames(r, symbols, pid, mode, address, RESOLVER_AFTER_CALL);
	symbols_print_frames(r, symbols, pid, mode, address, RESOLVER_INLINES | RESOLVER_LINES);
	symbols_print_frames(r, symbols, pid, mode, address, RESOLVER_PLACES);
	symbols_print_frames(r, symbols, pid, mode, address, RESOLVER_SOURCES);
	printf(" %d\n", resolver_is_data(r, spot.sym));
}

static inline void symbols_print_chain(struct resolver *r, uint32_t pid, uint64_t ip)
{
	struct unwind_sample s = { .machine = 62 };
	uint64_t stack[64], places[LIMIT_UNWIND_FRAMES];
	const struct unwind_chain fp = { stack + 4, 5 };

	for (size_t i = 0; i < ARRAY_LEN(stack); i++)
		stack[i] = i % 4 == 1 ? SYMBOLS_STACK + 8 * (i + 5) : ip + i;
	s.stack = (const uint8_t *)stack;
	s.stack_bytes = sizeof(stack);
	s.has_regs = (UINT64_C(1) << 17) - 1;
	for (unsigned int i = 0; i < CFI_REGISTERS; i++)
		s.regs[i] = SYMBOLS_STACK + 8 * i;
	s.regs[7] = SYMBOLS_STACK;
	s.regs[16] = ip;
	for (int mixed = 0; mixed < 2; mixed++) {
		size_t n = mixed ? resolver_unwind_mixed(r, pid, &s, fp, places, ARRAY_LEN(places))
				 : resolver_unwind(r, pid, &s, places, ARRAY_LEN(places));

		printf("chain");
		for (size_t i = 0; i < n && i < 12; i++)
			printf(" %" PRIu64, places[i]);
		printf("\n");
	}
}

static inline void symbols_add_jit(const struct symbols_line *l)
{
	char path[256];
	FILE *f;

	(void)mkdir("tmp", 0700);
	(void)snprintf(path, sizeof(path), STR_FMT, STR_ARG(l->words[1]));
	f = fopen(path, "ae");
	if (!f)
		return;
	(void)fprintf(f, "%" PRIx64 " %" PRIx64 " " STR_FMT "\n", l->n[2], l->n[3],
		      STR_ARG(l->words[4]));
	(void)fclose(f);
}

static inline void symbols_copy(const struct symbols_line *l)
{
	CLEANUP(freep) char *bytes = NULL;
	char path[256];
	size_t len = 0;
	FILE *f;

	(void)mkdir("tmp", 0700);
	(void)snprintf(path, sizeof(path), STR_FMT, STR_ARG(l->words[1]));
	bytes = edge_read_bytes(path, &len);
	(void)snprintf(path, sizeof(path), STR_FMT, STR_ARG(l->words[2]));
	f = bytes ? fopen(path, "we") : NULL;
	if (!f)
		return;
	(void)fwrite(bytes, 1, len, f);
	(void)fclose(f);
}

static inline void symbols_event(struct resolver *r, struct symbols *symbols,
				 const struct symbols_line *l)
{
	const struct str kind = l->words[0];
	const uint64_t *n = l->n;
	const uint32_t pid = (uint32_t)n[1];

	if (str_eq(kind, STR("map")))
		resolver_map(r, pid, n[2], n[3], n[4], l->words[5], NULL);
	else if (str_eq(kind, STR("data")))
		resolver_map_data(r, pid, n[2], n[3], n[4], l->words[5], NULL);
	else if (str_eq(kind, STR("file")))
		resolver_map_file(r, pid, l->words[3], &(struct resolver_file){ .inode = n[2] });
	else if (str_eq(kind, STR("bpf")))
		resolver_kernel_symbol(r, n[1], (uint32_t)n[2], l->words[3], n[4] != 0);
	else if (str_eq(kind, STR("comm")))
		resolver_comm(r, pid, (uint32_t)n[2], l->words[3]);
	else if (str_eq(kind, STR("fork")))
		resolver_fork(r, pid, (uint32_t)n[2], (uint32_t)n[3], (uint32_t)n[4]);
	else if (str_eq(kind, STR("end")))
		resolver_end(r, pid);
	else if (str_eq(kind, STR("exec")))
		resolver_exec(r, pid);
	else if (str_eq(kind, STR("at")))
		printf("next %" PRIu64 "\n", resolver_at(r, n[1]));
	else if (str_eq(kind, STR("copy")))
		symbols_copy(l);
	else if (str_eq(kind, STR("jit")))
		symbols_add_jit(l);
	else if (str_eq(kind, STR("user")))
		symbols_print_address(r, symbols, pid, CPUMODE_USER, n[2]);
	else if (str_eq(kind, STR("kernel")))
		symbols_print_address(r, symbols, pid, CPUMODE_KERNEL, n[2]);
	else if (str_eq(kind, STR("unwind")))
		symbols_print_chain(r, pid, n[2]);
	if (str_eq(kind, STR("id"))) {
		struct build_id id = { .len = 20 };

		memset(id.bytes, (int)n[1], 20);
		resolver_build_id(r, l->words[2], &id);
	}
}

static inline void symbols_print_missing(struct resolver *r)
{
	size_t n;
	const struct resolver_missing *m = resolver_missing(r, &n);

	for (size_t i = 0; i < n; i++)
		printf("missing " STR_FMT ": " STR_FMT " %" PRIu64 " %d\n", STR_ARG(m[i].path),
		       STR_ARG(m[i].why), m[i].lookups, m[i].is_kernel);
	printf("kernel " STR_FMT ", unread %zu\n", STR_ARG(resolver_kernel_missing(r)),
	       resolver_unread(r));
}

static inline void symbols_resolve(const char *path, struct resolver_cache *cache)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(freep) char *text = edge_read(path);
	const struct resolver_options options = { .root = ".",
						  .kallsyms = "2/kernel",
						  .loaded = cache };
	struct resolver *r = resolver_new(&d->symbols, &options);
	struct str rest = str_of(text ? text : ""), line, word;

	while (str_line(&rest, &line)) {
		struct symbols_line l = { .n = { 0 } };

		for (size_t i = 0; i < ARRAY_LEN(l.words) && str_word(&line, &word); i++) {
			struct str number = word;

			l.words[i] = word;
			(void)str_u64(&number, &l.n[i]);
		}
		symbols_event(r, &d->symbols, &l);
		if (str_eq(l.words[0], STR("user")))
			printf("  %u " STR_FMT " %" PRIu64 " %" PRIu64 "\n", (unsigned int)l.n[1],
			       STR_ARG(strings_get(&d->strings,
						   resolver_thread_comm(r, (uint32_t)l.n[1],
									(uint32_t)l.n[1]))),
			       resolver_version(r), resolver_next_code(r));
	}
	symbols_print_missing(r);
	resolver_free(r);
}

/* Three rounds, of which the later ones use tables of the earlier ones. */
static inline void symbols_print_resolved(const char *path)
{
	struct resolver_cache *cache = resolver_cache_new();

	for (int i = 0; i < 3; i++) {
		(void)unlink("tmp/perf-7.map");
		(void)unlink("tmp/jit-7.dump");
		symbols_resolve(path, cache);
		resolver_cache_age(cache);
	}
	resolver_cache_free(cache);
}

/* Run the command "symbols KIND FILE...". */
static inline int symbols_run(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*print)(const char *path);
	} kinds[] = { { "elf", symbols_print_elf },
		      { "jitdump", symbols_print_jitdump },
		      { "kallsyms", symbols_print_kallsyms },
		      { "resolve", symbols_print_resolved },
		      { "split", symbols_print_split } };

	for (size_t i = 0; argc >= 3 && i < ARRAY_LEN(kinds); i++) {
		if (strcmp(argv[1], kinds[i].name) == 0)
			kinds[i].print(argv[2]);
	}
	return 0;
}

#endif
