/* SPDX-License-Identifier: MIT */
#include "symbols/lines/lines.h"

#include "base/alloc.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "symbols/lines/lines_object.h"

#include "config.h"

#if HAVE_LIBDW

#include "symbols/lines/lines_split.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#define LINES_DEPTH_MAX 64u /* maximum nesting of DWARF scopes */

struct lines_range {
	uint64_t start, end;
	uint32_t what; /* index of the unit, function or inlined call whose range this is */
	/*
	 * number of the range in reading order; if two ranges are equal, the later one is nested in
	 * the earlier one
	 */
	uint32_t order;
};

typedef VEC(struct lines_range) lines_ranges;

/* An inlined call. */
struct lines_call {
	struct str function;
	/*
	 * index of the inlined call that directly contains this call; INDEX_NONE: it is directly in
	 * the function
	 */
	uint32_t caller;
	uint32_t file, line;
};

struct lines_function {
	Dwarf_Off die;
	bool is_read;
	struct str name;
	lines_ranges ranges;
	VEC(struct lines_call) calls;
};

struct lines_unit {
	/*
	 * offset in the program's .debug_info of the DWARF entry (DIE) of the unit. If the unit is
	 * split, this is the entry of its skeleton
	 */
	Dwarf_Off die;
	bool is_read;
	bool is_skeleton; /* the unit is only a DWARF skeleton: its functions are in a .dwo file */
	/* the unit in the .dwo file; NULL: no such unit, not found, or not read yet */
	struct lines_split *split;
	lines_ranges ranges; /* address ranges of the elements of `functions` */
	VEC(struct lines_function) functions;
};

struct lines {
	Dwarf *dwarf;
	/* for a kernel module: the object that owns @dwarf; NULL: this struct owns @dwarf */
	struct lines_object *object;
	/*
	 * supplementary file of the tool dwz, with DWARF entries that several files share; NULL:
	 * none
	 */
	Dwarf *alt;
	struct lines_splits splits;
	int fd, alt_fd;
	lines_ranges ranges; /* address ranges of the elements of `units` */
	VEC(struct lines_unit) units;
	/*
	 * number of DWARF entries (DIEs) that may still be visited; this limits the work for
	 * damaged files
	 */
	uint64_t dies_left;
};

void lines_free(struct lines *l)
{
	if (!l)
		return;
	VEC_FOREACH (u, &l->units) {
		VEC_FOREACH (f, &u->functions) {
			VEC_FREE(&f->ranges);
			VEC_FREE(&f->calls);
		}
		VEC_FREE(&u->ranges);
		VEC_FREE(&u->functions);
		lines_split_free(u->split);
	}
	VEC_FREE(&l->units);
	VEC_FREE(&l->ranges);
	lines_splits_fini(&l->splits);
	if (l->object)
		lines_object_free(l->object);
	else if (l->dwarf)
		(void)dwarf_end(l->dwarf);
	if (l->alt)
		(void)dwarf_end(l->alt);
	if (l->alt_fd >= 0)
		(void)close(l->alt_fd);
	if (l->fd >= 0)
		(void)close(l->fd);
	free(l);
}

DEFINE_CLEANUP(struct lines *, lines_free);

/*
 * Add the address ranges of @die to @to. @what: index that lines_lookup() must return for these
 * ranges (lines_range.what). @split: the unit that contains @die, if this unit is in a .dwo file;
 * otherwise NULL.
 */
static void lines_add_ranges(lines_ranges *to, struct lines_split *split, Dwarf_Die *die,
			     uint32_t what)
{
	Dwarf_Addr base;
	Dwarf_Addr start;
	Dwarf_Addr end;
	ptrdiff_t at = 0;

	while (to->len < LIMIT_LINE_RANGES &&
	       (at = split ? lines_split_ranges(split, die, at, &base, &start, &end)
			   : dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		/* skip a range that starts at 0: the linker has removed its code */
		if (start < end && start)
			*VEC_PUSH(to) = (struct lines_range){ start, end, what, (uint32_t)to->len };
	}
}

static int lines_compare(const void *a, const void *b)
{
	const struct lines_range *x = a;
	const struct lines_range *y = b;

	return SORT_ORDER(x->start, y->start) ?: SORT_ORDER(x->order, y->order);
}

static void lines_sort(lines_ranges *r)
{
	VEC_SORT(r, lines_compare);
}

/* Find the range that covers @address, and return its `what`. INDEX_NONE: no range. */
static uint32_t lines_lookup(const lines_ranges *r, uint64_t address)
{
	size_t low = 0;
	size_t high = r->len;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (r->data[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	/* functions may be nested, so an earlier range may cover @address: check up to 8 ranges */
	for (size_t back = 0; low > 0 && back < 8; back++, low--) {
		if (address < r->data[low - 1].end)
			return r->data[low - 1].what;
	}
	return INDEX_NONE;
}

static struct str lines_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr))
		name = dwarf_formstring(&attr);
	else
		name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attr));
	return str_of(name ? name : "");
}

static uint32_t lines_number(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	Dwarf_Word v;

	if (!dwarf_attr(die, name, &attr) || dwarf_formudata(&attr, &v) != 0 || v > INT32_MAX)
		return 0;
	return (uint32_t)v;
}

/*
 * Open the supplementary file of the tool dwz. The section .gnu_debugaltlink has its name and build
 * id. The file is searched in the folder of @path, and in the folder of build ids
 * (/usr/lib/debug/.build-id). This is done here, because libdw would open the file itself, which a
 * confined process may not do.
 */
static void lines_open_alt(struct lines *l, const char *path)
{
	size_t folder = str_rfind_char(str_of(path), '/');
	const char *name = NULL;
	const void *id = NULL;
	const void *found = NULL;
	ssize_t n = dwelf_dwarf_gnu_debugaltlink(l->dwarf, &name, &id);
	char paths[2][PATH_MAX];
	const char *const list[] = { paths[0], paths[1] };
	const uint8_t *bytes = id;
	size_t at;
	int len;

	if (n < 2 || n > BUILD_ID_MAX)
		return;
	(void)snprintf(paths[0], PATH_MAX, "%.*s%s",
		       name[0] == '/' || folder >= strlen(path) ? 0 : (int)folder + 1, path, name);
	len = snprintf(paths[1], PATH_MAX, "/usr/lib/debug/.build-id/%02x/", bytes[0]);
	for (ssize_t i = 1; i < n; i++)
		len += snprintf(paths[1] + len, PATH_MAX - (size_t)len, "%02x", bytes[i]);
	(void)snprintf(paths[1] + len, PATH_MAX - (size_t)len, ".debug");
	l->alt_fd = files_open_first(list, ARRAY_LEN(list), FILES_ELF, &at);
	if (l->alt_fd < 0)
		return;
	l->alt = dwarf_begin(l->alt_fd, DWARF_C_READ);
	if (l->alt && dwelf_elf_gnu_build_id(dwarf_getelf(l->alt), &found) == n &&
	    memcmp(found, id, (size_t)n) == 0)
		dwarf_setalt(l->dwarf, l->alt);
}

int lines_open(const char *path, const struct lines_places *places, struct lines **ret,
	       struct error *err)
{
	const char *program = places && places->program ? places->program : path;
	const char *root = places && places->root ? places->root : "";
	CLEANUP(lines_freep) struct lines *l = xcalloc(1, sizeof(*l));
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	l->dies_left = LIMIT_LINE_DIES;
	l->alt_fd = -1;
	l->fd = files_open(path, FILES_ELF);
	if (l->fd < 0)
		return fail(err, ERR_IO, "%s: %s", path, strerror(errno));
	alloc_watch();
	if (lines_object_is(l->fd))
		l->object = lines_object_open(l->fd);
	else
		l->dwarf = dwarf_begin(l->fd, DWARF_C_READ);
	if (l->object)
		l->dwarf = lines_object_dwarf(l->object);
	alloc_watched();
	if (!l->dwarf)
		return fail(err, ERR_NOTFOUND, "no debug information");
	lines_open_alt(l, path);
	l->splits.path = xmemdupz(path, strlen(path));
	l->splits.program = xmemdupz(program, strlen(program));
	l->splits.root = xmemdupz(root, strlen(root));
	alloc_watched();
	while (dwarf_get_units(l->dwarf, cu, &cu, NULL, NULL, &die, NULL) == 0) {
		if (l->units.len == LIMIT_LINE_UNITS)
			break;
		/*
		 * a skeleton unit is read, too: the program has its ranges and lines, and a .dwo
		 * file has its functions
		 */
		if (dwarf_tag(&die) != DW_TAG_compile_unit &&
		    dwarf_tag(&die) != DW_TAG_skeleton_unit)
			continue;
		lines_add_ranges(&l->ranges, NULL, &die, (uint32_t)l->units.len);
		*VEC_PUSH(&l->units) =
			(struct lines_unit){ .die = dwarf_dieoffset(&die),
					     .is_skeleton = !l->object && lines_split_is(&die) };
	}
	alloc_watched();
	if (l->ranges.len == 0)
		return fail(err, ERR_NOTFOUND, "no debug information of code");
	lines_sort(&l->ranges);
	*ret = TAKE(l);
	return OK;
}

size_t lines_loads(const struct lines *l, const struct symtab *known, uint64_t shift,
		   uint64_t start, struct elf_load ret[ELF_LOADS_MAX])
{
	return l->object ? lines_object_loads(l->object, known, shift, start, ret) : 0;
}

/*
 * Whether the entry @die may contain functions: it is a namespace, class, block, or a function with
 * local types.
 */
static bool lines_has_functions(Dwarf_Die *die, int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_class_type || tag == DW_TAG_union_type || tag == DW_TAG_module ||
	       tag == DW_TAG_lexical_block ||
	       (tag == DW_TAG_subprogram && !dwarf_hasattr(die, DW_AT_declaration));
}

/*
 * Collect the functions with code below the entry @parent, including functions in namespaces and
 * classes.
 */
static void lines_read_functions(struct lines *l, struct lines_unit *u, Dwarf_Die *parent,
				 unsigned int depth)
{
	Dwarf_Die die;

	if (depth == LINES_DEPTH_MAX || dwarf_child(parent, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);

		if (l->dies_left == 0)
			return;
		l->dies_left--;
		if (tag == DW_TAG_subprogram && !dwarf_hasattr(&die, DW_AT_declaration)) {
			lines_add_ranges(&u->ranges, u->split, &die, (uint32_t)u->functions.len);
			*VEC_PUSH(&u->functions) =
				(struct lines_function){ .die = dwarf_dieoffset(&die) };
		}
		if (lines_has_functions(&die, tag))
			lines_read_functions(l, u, &die, depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
}

/*
 * Collect the inlined calls below the entry @parent. Each call gets a higher index than the call
 * that contains it.
 */
static void lines_read_calls(struct lines *l, struct lines_split *split, struct lines_function *f,
			     Dwarf_Die *parent, uint32_t caller, unsigned int depth)
{
	Dwarf_Die die;

	if (depth == LINES_DEPTH_MAX || dwarf_child(parent, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);
		uint32_t inner = caller;

		if (l->dies_left == 0)
			return;
		l->dies_left--;
		if (tag == DW_TAG_inlined_subroutine) {
			inner = (uint32_t)f->calls.len;
			lines_add_ranges(&f->ranges, split, &die, inner);
			*VEC_PUSH(&f->calls) =
				(struct lines_call){ lines_name(&die), caller,
						     lines_number(&die, DW_AT_call_file),
						     lines_number(&die, DW_AT_call_line) };
		}
		if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block)
			lines_read_calls(l, split, f, &die, inner, depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
}

/* The function of @unit that covers @address, with its inlined calls. NULL: no such function. */
static struct lines_function *lines_function_at(struct lines *l, struct lines_unit *unit,
						Dwarf_Die *unit_die, uint64_t address)
{
	struct lines_function *f;
	Dwarf_Die die;
	uint32_t i;

	if (!unit->is_read) {
		unit->is_read = true;
		if (unit->is_skeleton)
			unit->split = lines_split_open(&l->splits, l->dwarf, unit_die);
		lines_read_functions(l, unit, unit->split ? &unit->split->die : unit_die, 0);
		lines_sort(&unit->ranges);
	}
	i = lines_lookup(&unit->ranges, address);
	if (i == INDEX_NONE)
		return NULL;
	f = &unit->functions.data[i];
	if (!f->is_read &&
	    dwarf_offdie(unit->split ? unit->split->dwarf : l->dwarf, f->die, &die)) {
		f->is_read = true;
		f->name = lines_name(&die);
		lines_read_calls(l, unit->split, f, &die, INDEX_NONE, 0);
	}
	return f;
}

/*
 * Index of the innermost inlined call that covers @address; INDEX_NONE: none. It has the highest
 * index of all calls that cover @address.
 */
static uint32_t lines_call_at(const struct lines_function *f, uint64_t address)
{
	uint32_t found = INDEX_NONE;

	VEC_FOREACH (r, &f->ranges) {
		if (address >= r->start && address < r->end &&
		    (found == INDEX_NONE || r->what > found))
			found = r->what;
	}
	return found;
}

uint64_t lines_missing(const struct lines *l, struct str *ret_path)
{
	*ret_path = str_of(l->splits.missing ? l->splits.missing : "");
	return l->splits.n_missing;
}

/* The folder in which the compiler ran for @unit; empty: unknown. */
static struct str lines_folder(Dwarf_Die *unit)
{
	Dwarf_Attribute attribute;
	const char *text =
		dwarf_attr(unit, DW_AT_comp_dir, &attribute) ? dwarf_formstring(&attribute) : NULL;

	return str_of(text ? text : "");
}

size_t lines_find(struct lines *l, uint64_t address, struct line_frame ret[LINES_FRAMES_MAX])
{
	uint32_t i = lines_lookup(&l->ranges, address);
	struct line_frame here = { .line = 0 };
	struct lines_function *f;
	Dwarf_Files *files = NULL;
	size_t n_files = 0;
	Dwarf_Line *line;
	Dwarf_Die unit;
	size_t n = 0;
	bool has_names = true;
	struct line_frame place;
	int number = 0;

	alloc_watch();
	if (i == INDEX_NONE || !dwarf_offdie(l->dwarf, l->units.data[i].die, &unit))
		return 0;
	line = dwarf_getsrc_die(&unit, address);
	alloc_watched();
	if (line) {
		(void)dwarf_lineno(line, &number);
		here.line = (uint32_t)number;
		here.file = str_of(dwarf_linesrc(line, NULL, NULL));
		here.folder = lines_folder(&unit);
	}
	f = lines_function_at(l, &l->units.data[i], &unit, address);
	alloc_watched();
	if (!f) {
		ret[0] = here;
		return here.line ? 1 : 0;
	}
	/*
	 * a .dwo unit has the same file numbers as its skeleton unit, so this table is valid for
	 * both
	 */
	(void)dwarf_getsrcfiles(&unit, &files, &n_files);
	alloc_watched();
	place = here;
	for (i = lines_call_at(f, address); i != INDEX_NONE && n < LINES_FRAMES_MAX - 1;
	     i = f->calls.data[i].caller) {
		const struct lines_call *c = &f->calls.data[i];

		has_names &= c->function.len > 0;
		here.function = c->function;
		here.is_inlined = true;
		ret[n++] = here;
		here = (struct line_frame){ .line = c->line };
		if (files && c->file < n_files)
			here.file = str_of(dwarf_filesrc(files, c->file, NULL, NULL));
	}
	if (!has_names) {
		/*
		 * inlined functions have no names, because a .dwo file is missing: return only one
		 * frame, the function with the source line of the address
		 */
		here = place;
		n = 0;
	}
	here.function = f->name;
	ret[n++] = here;
	return n;
}

#else

int lines_open(const char *path, const struct lines_places *places, struct lines **ret,
	       struct error *err)
{
	(void)path;
	(void)places;
	(void)ret;
	return fail(err, ERR_UNSUPPORTED, "this build cannot read debug information (libdw)");
}

void lines_free(struct lines *l)
{
	(void)l;
}

size_t lines_loads(const struct lines *l, const struct symtab *known, uint64_t shift,
		   uint64_t start, struct elf_load ret[ELF_LOADS_MAX])
{
	(void)l;
	(void)known;
	(void)shift;
	(void)start;
	(void)ret;
	return 0;
}

size_t lines_find(struct lines *l, uint64_t address, struct line_frame ret[LINES_FRAMES_MAX])
{
	(void)l;
	(void)address;
	(void)ret;
	return 0;
}

uint64_t lines_missing(const struct lines *l, struct str *ret_path)
{
	(void)l;
	*ret_path = STR_NONE;
	return 0;
}

#endif
