/* SPDX-License-Identifier: MIT */
#include "explain/words/source_words.h"

#include "base/str.h"
#include "core/capture.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/findings.h"
#include "explain/source_words_names.h"

bool source_words_is_library(const struct capture *c, sym_id sym)
{
	const struct symbols *symbols = capture_symbols(c);
	const struct symbol *row = symbols_get(symbols, sym);

	return str_glob(STR(LIBRARY_SOURCES), strings_get(capture_strings(c), row->file)) ||
	       str_glob(STR(LIBRARY_FUNCTIONS), symbols_name(symbols, sym)) ||
	       str_glob(STR(LIBRARY_OBJECTS), symbols_module(symbols, sym));
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
