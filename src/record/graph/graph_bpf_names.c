/* SPDX-License-Identifier: MIT */
/*
 * Find traceable kernel functions, and their addresses, by name or glob.
 *
 * From Linux 6.5 on, tracefs lists functions with their addresses. On older kernels, or without
 * tracefs, addresses are read from the kernel's symbol table. A function whose name occurs several
 * times in this table is left out.
 */
#include "record/graph/ftrace.h"
#include "record/graph/graph_bpf.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "record/graph/ftrace_parts.h"
#include "record/perf/rec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define NAMES_MAX (1u << 20) /* the kernel's limit of functions per link */

static const char *const names_roots[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

/*
 * Functions that are not traced as callees: BPF helpers, and functions that the kernel calls around
 * each BPF program. Tracing them would multiply the cost of each traced call.
 */
static const char names_own[] =
	"__rcu_read_lock|__rcu_read_unlock|migrate_disable|migrate_enable|bpf_get_current_*|"
	"bpf_get_smp_processor_id|bpf_ktime_get_*|bpf_map_*_elem|bpf_ringbuf_*|__bpf_ringbuf_*|"
	"*htab_*|lookup_nulls_elem_raw|array_map_*|percpu_array_*|ringbuf_*|rethook_*|fprobe_*|"
	"ftrace_*";

struct names_symbol {
	struct str name;
	uint64_t address;
};

static bool names_match(const struct str *patterns, size_t n, struct str name)
{
	for (size_t i = 0; i < n; i++) {
		if (str_glob(patterns[i], name))
			return true;
	}
	return false;
}

/*
 * Read the tracefs file @file. Returns NULL if the file is unreadable or empty. Owner: caller,
 * free().
 */
static char *names_list(const struct ftrace *t, const char *file)
{
	const char *asked = t->options->root;

	for (size_t i = 0; i < (asked ? 1 : ARRAY_LEN(names_roots)); i++) {
		char path[FTRACE_PATH_BYTES];
		char *text;

		ftrace_path(path, "%s/%s", asked ? asked : names_roots[i], file);
		text = rec_slurp(path, NULL);
		if (text && *text)
			return text;
		free(text);
	}
	return NULL;
}

static int names_compare(const void *a, const void *b)
{
	const struct names_symbol *x = a;
	const struct names_symbol *y = b;

	return str_cmp(x->name, y->name);
}

/*
 * Set the addresses of n->functions from the symbol table. Removes functions whose name is not in
 * the table, or is in it several times. Errors: ERR_PERM if the kernel hides addresses.
 */
static int names_resolve(struct graph_names *n, struct error *err)
{
	VEC(struct names_symbol) symbols = VEC_INIT;
	struct str rest;
	struct str line;
	size_t kept = 0;
	bool has_address = false;

	n->symbols = rec_slurp("/proc/kallsyms", NULL);
	rest = n->symbols ? str_of(n->symbols) : STR_NONE;
	while (str_line(&rest, &line)) {
		struct names_symbol s = { { NULL, 0 }, 0 };
		struct str type;

		if (!str_hex64(&line, &s.address) || !str_word(&line, &type) ||
		    !str_word(&line, &s.name) || type.len != 1 || (type.p[0] | 0x20) != 't')
			continue;
		has_address |= s.address != 0;
		*VEC_PUSH(&symbols) = s;
	}
	if (!has_address) {
		VEC_FREE(&symbols);
		return fail(err, ERR_PERM, "the kernel hides its addresses (kernel.kptr_restrict)");
	}
	VEC_SORT(&symbols, names_compare);
	VEC_FOREACH (f, &n->functions) {
		struct names_symbol key = { f->name, 0 };
		struct names_symbol *s = bsearch(&key, symbols.data, symbols.len,
						 sizeof(*symbols.data), names_compare);

		if (!s || (s > symbols.data && str_eq(s[-1].name, f->name)) ||
		    (s + 1 < symbols.data + symbols.len && str_eq(s[1].name, f->name)))
			continue;
		f->address = s->address;
		n->functions.data[kept++] = *f;
	}
	n->functions.len = kept;
	VEC_FREE(&symbols);
	return OK;
}

struct names_wanted {
	const struct str *roots, *only;
	size_t n_roots, n_only;
	bool is_all; /* trace all functions, and not only `roots` and `only` */
};

/*
 * Add the wanted functions of the list n->text. Its lines are "ffffffff81000130 name [module]". If
 * @has_address is false, the address is missing in each line.
 */
static void names_take(struct graph_names *n, bool has_address, const struct names_wanted *w)
{
	struct str rest = str_of(n->text);
	struct str line;

	while (str_line(&rest, &line) && n->functions.len < NAMES_MAX) {
		struct graph_function f = { .address = 0 };

		if (has_address && !str_hex64(&line, &f.address))
			continue;
		if (!str_word(&line, &f.name) || str_starts(f.name, STR("__ftrace_invalid")))
			continue;
		f.is_module = str_trim(line).len != 0;
		f.is_root = names_match(w->roots, w->n_roots, f.name);
		if (!f.is_root && w->is_all && str_glob(str_of(names_own), f.name))
			continue;
		if (f.is_root || w->is_all || names_match(w->only, w->n_only, f.name))
			*VEC_PUSH(&n->functions) = f;
	}
}

/*
 * Add the wanted functions of /proc/kallsyms. Some of them may not be traceable, because this file
 * lists all functions.
 */
static void names_take_symbols(struct graph_names *n, const struct names_wanted *w)
{
	struct str rest = str_of(n->text);
	struct str line;

	while (str_line(&rest, &line) && n->functions.len < NAMES_MAX) {
		struct graph_function f = { .address = 0 };
		struct str type;

		if (!str_hex64(&line, &f.address) || !str_word(&line, &type) ||
		    !str_word(&line, &f.name) || type.len != 1 || (type.p[0] | 0x20) != 't')
			continue;
		f.is_module = str_trim(line).len != 0;
		f.is_root = names_match(w->roots, w->n_roots, f.name);
		if (f.is_root || names_match(w->only, w->n_only, f.name))
			*VEC_PUSH(&n->functions) = f;
	}
}

/* Check that every name or glob matches a function. */
static int names_check(const struct graph_names *n, const struct names_wanted *w, struct error *err)
{
	/*
	 * w->only follows w->roots in the same array, so w->roots[i] also reads the elements of
	 * w->only
	 */
	for (size_t i = 0; i < w->n_roots + w->n_only; i++) {
		bool is_there = false;

		VEC_FOREACH (f, &n->functions) {
			if (str_glob(w->roots[i], f->name)) {
				is_there = true;
				break;
			}
		}
		if (!is_there)
			return fail(err, ERR_NOTFOUND,
				    "%.*s: no function of that name can be traced here",
				    (int)w->roots[i].len, w->roots[i].p);
	}
	return OK;
}

static int names_read(struct graph_names *n, const struct ftrace *t, const struct names_wanted *w,
		      struct error *err)
{
	struct names_wanted named = *w;

	n->is_all = w->is_all;
	n->text = names_list(t, "available_filter_functions_addrs");
	if (n->text) {
		names_take(n, true, w);
		return OK;
	}
	n->text = names_list(t, "available_filter_functions");
	if (n->text) {
		names_take(n, false, w);
		return names_resolve(n, err);
	}
	n->text = rec_slurp("/proc/kallsyms", NULL);
	if (!n->text)
		return fail(err, ERR_PERM, "/proc/kallsyms: %s", strerror(errno));
	/*
	 * /proc/kallsyms does not show which functions are traceable: trace only functions that the
	 * user named
	 */
	n->is_all = named.is_all = false;
	names_take_symbols(n, &named);
	return OK;
}

int graph_names_choose(struct graph_names *n, const struct ftrace *t, bool is_single,
		       struct error *err)
{
	VEC(struct str) patterns = VEC_INIT;
	struct names_wanted w = { .n_roots = t->options->functions.len,
				  .n_only = t->options->only.len,
				  .is_all = t->options->only.len == 0 && !is_single };
	int status;

	VEC_FOREACH (name, &t->options->functions)
		*VEC_PUSH(&patterns) = str_of(*name);
	VEC_FOREACH (name, &t->options->only)
		*VEC_PUSH(&patterns) = str_of(*name);
	w.roots = patterns.data;
	w.only = patterns.data + w.n_roots;
	status = names_read(n, t, &w, err);
	if (status == OK)
		status = names_check(n, &w, err);
	VEC_FREE(&patterns);
	return status;
}

void graph_names_fini(struct graph_names *n)
{
	VEC_FREE(&n->functions);
	free(n->text);
	free(n->symbols);
	n->text = n->symbols = NULL;
}
