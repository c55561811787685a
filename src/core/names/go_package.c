/* SPDX-License-Identifier: MIT */
/*
 * The symbol of a Go function begins with the path of its package:
 * "example.org/mill/loom.(*Shed).weave". Go source code uses only the package's name, the last part
 * of the path: "loom". If the last part is a version, as in "example.org/loom/v2", the name is the
 * part before it. pprof shortens names in its graphs in the same way (internal/graph/graph.go,
 * ShortenFunctionName).
 */
#include "core/names/go_package.h"

#include "base/out.h"
#include "base/str.h"

#include <stdlib.h>

/* File name extensions: "lib/shed.py" is a file, not a function of a package "lib/shed". */
#define GO_FILES                                                                             \
	"c|cc|cpp|cxx|h|hh|hpp|go|py|pyx|pyc|js|mjs|cjs|ts|tsx|rb|rs|so|S|s|java|kt|php|pl|" \
	"pm|lua|ex|exs|erl|hs|ml|swift|sh|o|a|ko|txt|log|json|data|tsv|csv|eml|html|xml"

static bool go_is_word(char c)
{
	return c == '_' || char_is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* Whether @c may be in the path of a package, besides '/'. */
static bool go_is_path(char c)
{
	return go_is_word(c) || strchr(".~%+-", c);
}

/*
 * Length of the package path at the start of @text: "example.org/mill/loom" in
 * "example.org/mill/loom.(*Shed).weave", or "loom" in "loom.New". 0: there is no path.
 */
static size_t go_package_length(struct str text)
{
	size_t last = 0; /* start of the last part of the path */
	size_t dot, end;

	for (end = 0; end < text.len && (text.p[end] == '/' || go_is_path(text.p[end])); end++) {
		if (text.p[end] == '/')
			last = end + 1;
	}
	if (end == 0 || !go_is_word(text.p[0]) || last >= end)
		return 0;
	dot = last + str_find_char(str_sub(text, last, text.len), '.');
	if (dot == last || dot > end || dot + 1 >= text.len ||
	    (text.p[dot + 1] != '(' && !go_is_word(text.p[dot + 1])))
		return 0;
	for (end = dot + 1; end < text.len && go_is_word(text.p[end]);)
		end++;
	if (str_glob(STR(GO_FILES), str_sub(text, dot + 1, end)) &&
	    (end == text.len || !strchr("([", text.p[end])))
		return 0;
	return dot;
}

/* The name that source code uses for the package @path: "loom" for "example.org/mill/loom". */
static struct str go_package_name(struct str path)
{
	size_t slash = str_rfind_char(path, '/');
	struct str name = slash < path.len ? str_skip(path, slash + 1) : path;
	bool is_version = name.len > 1 && name.p[0] == 'v' && slash < path.len;

	for (size_t i = 1; i < name.len; i++)
		is_version &= char_is_digit(name.p[i]);
	return is_version ? go_package_name(str_sub(path, 0, slash)) : name;
}

void go_packages_add(struct go_packages *g, struct str name)
{
	struct str path = str_sub(name, 0, go_package_length(name));

	if (path.len)
		*VEC_PUSH(&g->rows) = (struct go_package){ path, go_package_name(path) };
}

static int go_compare(struct str a, struct str b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int ret = n ? memcmp(a.p, b.p, n) : 0;

	return ret ? ret : (a.len > b.len) - (a.len < b.len);
}

static int go_compare_names(const void *a, const void *b)
{
	const struct go_package *x = a;
	const struct go_package *y = b;
	int ret = go_compare(x->name, y->name);

	return ret ? ret : go_compare(x->path, y->path);
}

static int go_compare_paths(const void *a, const void *b)
{
	const struct go_package *x = a;
	const struct go_package *y = b;

	return go_compare(x->path, y->path);
}

void go_packages_finish(struct go_packages *g)
{
	struct go_package *rows = g->rows.data;
	size_t n = 0;

	if (g->rows.len == 0)
		return;
	qsort(rows, g->rows.len, sizeof(*rows), go_compare_names);
	for (size_t i = 0, end; i < g->rows.len; i = end) {
		for (end = i + 1; end < g->rows.len && str_eq(rows[end].name, rows[i].name);)
			end++;
		/*
		 * the paths of equal names are sorted: if the first one equals the last one, all
		 * are equal
		 */
		if (str_eq(rows[i].path, rows[end - 1].path) && rows[i].path.len > rows[i].name.len)
			rows[n++] = rows[i];
	}
	g->rows.len = n;
	if (n)
		qsort(rows, n, sizeof(*rows), go_compare_paths);
}

bool go_packages_shorten(const struct go_packages *g, struct str text, struct out *out)
{
	bool is_changed = false;
	size_t done = 0;

	for (size_t i = 0, n; g->rows.len && i < text.len; i += n) {
		struct go_package wanted = { .path = str_sub(text, i, text.len) };
		const struct go_package *found = NULL;

		wanted.path.len = go_package_length(wanted.path);
		if (wanted.path.len)
			found = bsearch(&wanted, g->rows.data, g->rows.len, sizeof(wanted),
					go_compare_paths);
		if (found) {
			out_str(out, str_sub(text, done, i));
			out_str(out, found->name);
			done = i + wanted.path.len;
			is_changed = true;
		}
		/* continue after this word and the separators that follow it */
		n = wanted.path.len;
		while (i + n < text.len && (text.p[i + n] == '/' || go_is_path(text.p[i + n])))
			n++;
		while (i + n < text.len && text.p[i + n] != '/' && !go_is_path(text.p[i + n]))
			n++;
	}
	out_str(out, str_skip(text, done));
	return is_changed;
}

void go_packages_fini(struct go_packages *g)
{
	VEC_FREE(&g->rows);
}
