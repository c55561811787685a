/* SPDX-License-Identifier: MIT */
#include "explain/words/source_words.h"

#include "base/str.h"
#include "core/capture.h"
#include "core/kinds/threads.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/findings.h"
#include "explain/source_words_names.h"

/* Did py-spy print the stacks of @c? */
static bool source_words_is_py_spy(const struct capture *c)
{
	return c->threads &&
	       str_eq(strings_get(capture_strings(c), c->threads->dialect), STR("py-spy"));
}

bool source_words_is_library(const struct capture *c, sym_id sym)
{
	const struct symbols *symbols = capture_symbols(c);
	const struct symbol *row = symbols_get(symbols, sym);
	struct str file = strings_get(capture_strings(c), row->file);
	struct str name = symbols_name(symbols, sym);
	struct str module = symbols_module(symbols, sym);

	return str_glob(STR(LIBRARY_SOURCES), file) ||
	       (source_words_is_py_spy(c) && str_glob(STR(LIBRARY_SOURCES_PY_SPY), file)) ||
	       str_glob(STR(LIBRARY_FUNCTIONS), name) || str_glob(STR(LIBRARY_OBJECTS), module) ||
	       (file.len + module.len == 0 && str_glob(STR(LIBRARY_FUNCTIONS_WITHOUT_PLACE), name));
}

bool source_words_is_program(const struct capture *c, sym_id sym)
{
	return symbols_get(capture_symbols(c), sym)->file.v && !source_words_is_library(c, sym);
}

const char *source_words_place(struct findings *out, const struct capture *c, sym_id sym)
{
	const struct symbol *row = symbols_get(capture_symbols(c), sym);
	struct str file = strings_get(capture_strings(c), row->file);
	size_t slash = str_rfind_char(file, '/');

	if (file.len == 0)
		return "";
	file = str_skip(file, slash < file.len ? slash + 1 : 0);
	return row->line ? finding_name(out, " (" STR_FMT ":%u)", STR_ARG(file), row->line)
			 : finding_name(out, " (" STR_FMT ")", STR_ARG(file));
}
