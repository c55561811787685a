/* SPDX-License-Identifier: MIT */
/* Which functions and objects of two profiles are the same. */
#include "unit.h"

#include "analyses/compare/compare_names.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/strings.h"
#include "profiles.h"

#include <stdio.h>

/* Base names of functions. */
static const struct {
	const char *name, *base;
} functions[] = {
	{ "f", "f" },
	{ " f ", "f" },
	{ "f (inlined)", "f" },
	{ "f [inlined]", "f" },
	{ "f_[i]", "f" },
	{ "f@plt", "f" },
	{ "@plt", "@plt" },
	{ "_[i]", "_[i]" },
	{ "f.isra.0 (inlined)", "f" },
	{ "f.constprop.0.isra.3", "f" },
	{ "f(int) [clone .cold]", "f(int)" },
	{ "f@@GLIBC_2.3", "f" },
	{ "f@GLIBC_2.3", "f" },
	{ "f@CXXABI_1", "f" },
	{ "@@x", "@@x" },
	{ "f@x", "f@x" },
	{ "bpf_prog_6deef7357e7b4530_sd_fw_ingress", "sd_fw_ingress" },
	{ "bpf_prog_6deef7357e7b4530_x", "x" },
	{ "bpf_prog_6deef7357e7b4530_", "bpf_prog_6deef7357e7b4530_" },
	{ "bpf_prog_6deef7357e7b4530", "bpf_prog_6deef7357e7b4530" },
	{ "bpf_prog_6deef7357e7b453g_x", "bpf_prog_6deef7357e7b453g_x" },
	{ "bpf_prog_gdeef7357e7b4530_x", "bpf_prog_gdeef7357e7b4530_x" },
	{ "bpf_prog_6deef7357e7b45301x", "bpf_prog_6deef7357e7b45301x" },
};

static void names_lose_suffixes_of_compilers_and_linkers(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(functions); i++)
		assert_str(compare_base_name(str_of(functions[i].name)), functions[i].base);
}

static void objects_lose_folders_and_versions(void **state)
{
	static const struct {
		const char *name, *base;
	} rows[] = {
		{ "/lib/libc-2.31.so", "libc" },
		{ "libc.so.6", "libc" },
		{ "libfoo-bar.so.1", "libfoo-bar" },
		{ "libfoo-1bar.so", "libfoo" },
		{ "x-1.so", "x" },
		{ "-1.so", "-1" },
		{ "a-.so", "a-" },
		{ ".so", ".so" },
		{ "/usr/bin/app", "app" },
		{ "/", "" },
		{ "[kernel.kallsyms]", "[kernel]" },
		{ "[k]", "[kernel]" },
		{ "/boot/vmlinux-6.1", "[kernel]" },
		{ "[guest.kernel.kallsyms]", "[kernel]" },
		{ "perf-123.map", "[jit]" },
		{ "/tmp/perf-123.map", "[jit]" },
		{ "perf-123.mop", "perf-123.mop" },
		{ "[ext4]", "ext4" },
		{ "[vdso]", "vdso" },
		{ "[]", "[]" },
		{ "[x", "[x" },
		{ "[a/b]", "a/b" },
		{ "/lib/modules/ext4.ko.xz", "ext4" },
		{ ".ko", ".ko" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_str(compare_base_dso(str_of(rows[i].name)), rows[i].base);
}

#define LONG "a_name_of_thirty_one_characters"

/* Functions as OBJECT!NAME by commas; the groups as A=B, by blanks. */
static const struct {
	const char *a, *b, *groups;
	unsigned int n_base, n_dso;
} pairs[] = {
	{ "app!f,app!g", "app!f,app!g", "f=f g=g", 0, 0 },
	{ "app!f,app!g", "app!f", "f=f g=", 0, 0 },
	{ "app!f", "app!g", "f= =g", 0, 0 },
	{ "app!f.isra.0", "app!f", "f.isra.0=f", 1, 0 },
	{ "app!f.isra.0,app!f", "app!f", "f.isra.0=f", 1, 0 },
	{ "app!f,app!f.isra.0", "app!f", "f=f", 0, 0 },
	/* in other objects, if the name is the only one on each side */
	{ "app!f", "lib!f", "f=f", 0, 0 }, /* the objects are the same, too */
	{ "app!f,app!g,app!h", "lib!f,lib!x,lib!y", "f=f g= h= =x =y", 0, 1 },
	{ "app!f,lib!f", "lib!f", "f= f=f", 0, 0 },
	{ "app!f,lib!f", "other!f", "f= f=f", 0, 0 },
	{ "app!f", "lib!f,other!f", "f= =f =f", 0, 0 },
	{ "!f", "lib!f", "f=f", 0, 0 },
	/* names cut to at least 28 characters, by at most three */
	{ "app!" LONG, "app!a_name_of_thirty_one_character", LONG "=a_name_of_thirty_one_character",
	  1, 0 },
	{ "app!" LONG, "app!a_name_of_thirty_one_charact", LONG "=a_name_of_thirty_one_charact", 1,
	  0 },
	{ "app!" LONG, "app!a_name_of_thirty_one_charac", LONG "= =a_name_of_thirty_one_charac", 0,
	  0 },
	{ "app!a_name_of_thirty_one_charact", "app!" LONG, "a_name_of_thirty_one_charact=" LONG, 1,
	  0 },
	{ "app!a_name_of_thirty_one_charac", "app!a_name_of_thirty_one_charact",
	  "a_name_of_thirty_one_charac= =a_name_of_thirty_one_charact", 0, 0 },
	/* addresses of an object are one row */
	{ "app!0x10,app!0x20", "app!0x30", "[no symbol]=[no symbol]", 0, 0 },
	{ "app!0x10", "lib!0x30", "[no symbol]= =[no symbol]", 0, 0 },
};

static void add_side(struct dossier *d, struct capture *c, const char *text)
{
	char copy[256], *next = copy;

	(void)snprintf(copy, sizeof(copy), "%s", text);
	while (next) {
		char *row = next, *name;

		next = strchr(row, ',');
		if (next)
			*next++ = '\0';
		name = strchr(row, '!');
		assert_non_null(name);
		*name++ = '\0';
		(void)profile_add_row(d, c, "x", row, '.', name, UINT64_MAX, 100);
	}
}

static void functions_of_two_sides_are_matched(void **state)
{
	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		struct capture *a = dossier_add(d, "perf-report"),
			       *b = dossier_add(d, "perf-report");
		const struct capture *side_a = a, *side_b = b;
		struct compare_names n;
		struct out out;

		add_side(d, a, pairs[i].a);
		add_side(d, b, pairs[i].b);
		compare_names_init(&n, &side_a, 1, &side_b, 1);
		out_init(&out);
		VEC_FOREACH (g, &n.functions) {
			if (g->merged)
				continue;
			if (out.len)
				out_char(&out, ' ');
			out_str(&out, strings_get(&n.strings, g->name[0]));
			out_char(&out, '=');
			out_str(&out, strings_get(&n.strings, g->name[1]));
		}
		if (!str_eq(out_view(&out), str_of(pairs[i].groups)) ||
		    n.n_base != pairs[i].n_base || n.n_dso != pairs[i].n_dso) {
			print_error("case %zu: " STR_FMT ", %u %u\n", i, STR_ARG(out_view(&out)),
				    (unsigned int)n.n_base, (unsigned int)n.n_dso);
			wrong++;
		}
		assert_int_equal(n.example == INDEX_NONE, n.n_base == 0);
		/* every row leads to a group that is not merged, and to an object */
		for (int s = 0; s < 2; s++) {
			VEC_FOREACH (row, &(s ? b : a)->profile->table.rows) {
				uint32_t f = n.function_of[row->sym.v];

				assert_true(f < n.functions.len && !n.functions.data[f].merged);
				assert_true(n.functions.data[f].name[s].v != 0);
			}
		}
		out_fini(&out);
		compare_names_fini(&n);
	}
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_lose_suffixes_of_compilers_and_linkers),
		cmocka_unit_test(objects_lose_folders_and_versions),
		cmocka_unit_test(functions_of_two_sides_are_matched),
	};

	return cmocka_run_group_tests_name("compare_names", tests, NULL, NULL);
}
