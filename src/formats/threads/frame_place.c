/* SPDX-License-Identifier: MIT */
#include "formats/threads/frame_place.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "core/strings.h"
#include "core/symbols.h"

#define PLACE_PATH_MAX 200u
/* longest extension of a source file: "java", "swift" */
#define PLACE_EXTENSION_MAX 5u
/* characters that end a path on its left side */
#define PLACE_BEFORE " \t(<[\"'`,;="
/* files with machine code: the number behind them is no source line */
#define PLACE_OBJECTS "so|dll|exe|dylib|o|a|ko"

static bool place_is_file(struct str path)
{
	struct str name = str_skip(
		path, str_rfind_char(path, '/') < path.len ? str_rfind_char(path, '/') + 1 : 0);
	size_t dot = str_rfind_char(name, '.');
	struct str extension = str_skip(name, dot < name.len ? dot + 1 : name.len);

	if (dot == 0 || extension.len == 0 || extension.len > PLACE_EXTENSION_MAX ||
	    path.len > PLACE_PATH_MAX || !char_is_letter(extension.p[0]))
		return false;
	for (size_t i = 0; i < extension.len; i++) {
		if (!char_is_letter(extension.p[i]) && !char_is_digit(extension.p[i]) &&
		    extension.p[i] != '+')
			return false;
	}
	return !str_glob(STR(PLACE_OBJECTS), extension);
}

/*
 * Is the text from @from on part of an argument's value: url="db.local:5432", host=db.local:5432?
 * gdb also prints a string after its address: s=0x1234 "db.local:5432".
 */
static bool place_is_value(struct str text, size_t from)
{
	bool is_quoted = false;

	for (size_t i = 0; i < from; i++) {
		if (text.p[i] == '\\' && is_quoted)
			i++;
		else if (text.p[i] == '"')
			is_quoted = !is_quoted;
	}
	return is_quoted || (from && text.p[from - 1] == '=');
}

bool frame_place_find(struct str text, struct str *ret_file, uint32_t *ret_line)
{
	for (size_t colon = text.len; colon-- > 1;) {
		struct str number = str_skip(text, colon + 1);
		size_t from = colon;
		uint64_t line;

		if (text.p[colon] != ':' || !str_u64(&number, &line) || line == 0 ||
		    line > UINT32_MAX)
			continue;
		while (from > 0 && !strchr(PLACE_BEFORE, text.p[from - 1]))
			from--;
		*ret_file = str_sub(text, from, colon);
		*ret_line = (uint32_t)line;
		if (place_is_file(*ret_file) && !place_is_value(text, from))
			return true;
	}
	return false;
}

static struct str place_base(struct str path)
{
	size_t slash = str_rfind_char(path, '/');

	return str_skip(path, slash < path.len ? slash + 1 : 0);
}

/*
 * The file of a function whose frames name @file and @other: "a.c, b.c". Static functions of
 * several files may have one name.
 */
static str_id place_join(struct strings *strings, str_id file, str_id other)
{
	struct str text = strings_get(strings, file);
	struct str base = place_base(strings_get(strings, other));
	struct out joined = { .fd = -1 };
	str_id ret = file;

	if (file.v == other.v || text.len + base.len > PLACE_PATH_MAX ||
	    (str_contains(text, STR(", ")) && str_contains(text, base)))
		return file;
	if (str_contains(text, STR(", ")))
		out_printf(&joined, STR_FMT ", " STR_FMT, STR_ARG(text), STR_ARG(base));
	else
		out_printf(&joined, STR_FMT ", " STR_FMT, STR_ARG(place_base(text)), STR_ARG(base));
	ret = strings_add(strings, out_view(&joined));
	out_fini(&joined);
	return ret;
}

void frame_place_keep(struct symbols *symbols, sym_id sym, struct str text)
{
	const struct symbol *row = symbols_get(symbols, sym);
	struct str path;
	uint32_t line;
	str_id file;

	if (sym.v == 0 || !frame_place_find(text, &path, &line))
		return;
	file = strings_add(symbols->strings, path);
	if (!row->file.v)
		symbols_set_place(symbols, sym, file, line);
	else if (row->file.v != file.v || row->line != line)
		symbols_set_place(symbols, sym, place_join(symbols->strings, row->file, file), 0);
}
