/* SPDX-License-Identifier: MIT */
/* show_profile_key.c - columns and cells for the sort keys of a profile's rows */
#include "cmds/show/profile/show_profile.h"

#include "analyses/categories.h"
#include "analyses/top/top.h"
#include "base/arena.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "cmds/run/session.h"
#include "cmds/show/show.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/symbols.h"
#include "metrics/risk.h"
#include "render/view.h"

struct cell show_profile_dso(const struct show *s, struct str dso)
{
	size_t slash = str_rfind_char(dso, '/');

	if (s->session->to.is_json || s->session->to.is_csv || slash + 1 >= dso.len ||
	    dso.p[0] != '/')
		return cell_text(dso);
	return cell_text(str_skip(dso, slash + 1));
}

/* The title of the column for the sort key @key. */
static const char *show_profile_key_title(const struct show *s, const struct capture *c,
					  const struct top_column *key)
{
	static const char *const titles[TOP_KEY_COUNT] = {
		[TOP_COMM] = "Command",
		[TOP_DSO] = "Shared Object",
		[TOP_SYM] = "Symbol",
		[TOP_CANONICAL] = "Function",
		[TOP_PID] = "Pid",
		[TOP_TID] = "Tid",
		[TOP_CPU] = "CPU",
		[TOP_SPACE] = "Space",
		[TOP_CATEGORY] = "Category",
		[TOP_SOCKET] = "Socket",
		[TOP_NODE] = "Node",
		[TOP_SRCLINE] = "Source:Line",
		[TOP_SRCFILE] = "Source File",
		[TOP_COMM_NODIGIT] = "Command",
	};

	if (key->key == TOP_EXTRA)
		return show_string(s, c->profile->table.extra_columns.data[key->extra]).p;
	if (key->key == TOP_FIELD)
		return key->name.p;
	return titles[key->key];
}

bool show_profile_has_key(const struct top *top, enum top_key key, size_t *ret)
{
	for (size_t i = 0; i < top->n_keys; i++) {
		if (top->keys[i].key == key) {
			*ret = i;
			return true;
		}
	}
	return false;
}

void show_profile_key_columns(struct show *s, const struct capture *c, const struct top *top,
			      struct profile_columns *cols)
{
	for (size_t i = 0; i < top->n_keys; i++) {
		const struct top_column *key = &top->keys[i];
		const char *title = show_profile_key_title(s, c, key);
		bool is_named = key->key == TOP_EXTRA || key->key == TOP_FIELD;
		const char *name = is_named ? title : top_key_name(key->key);
		bool is_noise = s->is_brief && !s->is_budget && key->key == TOP_COMM;

		if (is_named && strcmp(title, "calls") == 0)
			title = "Calls";
		show_profile_column(cols, name, is_noise ? NULL : title, COLUMN_FLEX);
		if (key->key == TOP_SYM) {
			show_profile_column(cols, "canonical", NULL, 0);
			show_profile_column(cols, "space", NULL, 0);
			show_profile_column(cols, "category", NULL, 0);
		}
	}
}

struct cell show_profile_symbol(struct show *s, const struct symbol *sym)
{
	char level = symbol_level_of_space(sym->space);
	struct str name = show_string(s, sym->name);
	char space[] = "[?] ";

	if (level == ' ' || s->session->to.is_json || s->session->to.is_csv)
		return cell_text(name);
	space[1] = level;
	s->name.fd = -1;
	s->name.len = 0;
	out_bytes(&s->name, space, sizeof(space) - 1);
	out_str(&s->name, name);
	return cell_text(out_view(&s->name));
}

unsigned int show_profile_key_cells(struct show *s, const struct capture *c, const struct top *top,
				    const struct top_row *row, struct cell *cells)
{
	const struct symbols *symbols = capture_symbols(c);
	unsigned int n = 0;

	for (size_t i = 0; i < top->n_keys; i++) {
		char buffer[24];
		struct str text = top_key_text(c, top, row, i, buffer);
		sym_id id = { row->keys[i] };
		const struct symbol *sym;

		if (top->keys[i].key == TOP_DSO) {
			cells[n++] = show_profile_dso(s, text);
			continue;
		}
		if (top->keys[i].key != TOP_SYM) {
			cells[n++] =
				cell_text(text.p == buffer ? arena_str(&s->scratch, text) : text);
			continue;
		}
		sym = symbols_get(symbols, id);
		cells[n++] = show_profile_symbol(s, sym);
		if (!s->session->to.is_json && !s->session->to.is_csv) {
			/* these columns are only in JSON and CSV */
			for (unsigned int k = 0; k < 3; k++)
				cells[n++] = cell_none();
			continue;
		}
		cells[n++] = show_name(s, sym->canonical);
		cells[n++] = cell_word(symbol_space_name(sym->space));
		cells[n++] = cell_word(category_name(category_of(&s->session->cats, symbols, id)));
	}
	return n;
}
