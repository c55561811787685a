/* SPDX-License-Identifier: MIT */
#include "cmds/run/session.h"

#include "analyses/waits/waits.h"
#include "base/alloc.h"
#include "base/command/args.h"
#include "base/files.h"
#include "base/newfile.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/suggest.h"
#include "base/vec.h"
#include "cmds/run/session_parts.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/profile.h"
#include "formats/format.h"
#include "render/view.h"
#include "transform/select.h"
#include "transform/transform.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

int session_input_choose(struct session *s, struct error *err)
{
	for (enum select_kind k = 0; k < SELECT_KINDS; k++) {
		VEC_FOREACH (text, &s->in.chosen[k].items) {
			int r = select_parse(&s->change.select, k, str_of(*text), err);

			if (r < 0)
				return r;
		}
	}
	return OK;
}

void session_input_name_files(struct session *s, const struct args_option *options)
{
	for (const struct args_option *o = options; o->name; o++) {
		static const char *const words[] = { "FILE", "DIR", "KEYFILE", "CAPTURE",
						     "FILE|NS" };
		bool is_file = false;

		for (size_t i = 0; o->arg && i < ARRAY_LEN(words); i++)
			is_file |= strcmp(o->arg, words[i]) == 0;
		if (!is_file || o->target == (const void *)&s->to.path ||
		    o->target == (const void *)&s->in.paths)
			continue;
		if (o->kind == ARGS_LIST) {
			const struct args_list *list = o->target;

			VEC_APPEND(&s->in.named.items, list->items.data, list->items.len);
		} else if (o->kind == ARGS_TEXT || o->kind == ARGS_MAYBE) {
			const char *path = *(const char *const *)o->target;

			if (path && path[0])
				*VEC_PUSH(&s->in.named.items) = path;
		}
	}
}

void session_input_list(const struct session *s, struct args_list *ret)
{
	VEC_APPEND(&ret->items, s->in.paths.items.data, s->in.paths.items.len);
	VEC_APPEND(&ret->items, s->sources.paths.items.data, s->sources.paths.items.len);
	VEC_APPEND(&ret->items, s->in.named.items.data, s->in.named.items.len);
}

struct session_name {
	struct newfile_identity is;
	size_t input;
	bool is_b; /* the input is on side B of a comparison */
};

static int session_name_cmp(const void *va, const void *vb)
{
	const struct session_name *a = va;
	const struct session_name *b = vb;

	if (a->is_b != b->is_b)
		return a->is_b ? 1 : -1;
	if (a->is.dev != b->is.dev)
		return a->is.dev < b->is.dev ? -1 : 1;
	if (a->is.ino != b->is.ino)
		return a->is.ino < b->is.ino ? -1 : 1;
	return a->input < b->input ? -1 : a->input > b->input;
}

/*
 * Index of an input that is named twice on the same side of a comparison; SIZE_MAX: there is none.
 */
static size_t session_named_twice(const struct session *s)
{
	size_t n = s->in.paths.items.len;
	CLEANUP(freep) struct session_name *names = xcalloc(n, sizeof(*names));
	size_t found = SIZE_MAX;
	size_t len = 0;

	for (size_t i = 0; i < n; i++) {
		struct newfile_identity is = newfile_identify(s->in.paths.items.data[i]);

		if (is.is_there)
			names[len++] = (struct session_name){ is, i, i >= s->in.side_b };
	}
	qsort(names, len, sizeof(*names), session_name_cmp);
	for (size_t i = 1; i < len; i++) {
		const struct session_name *a = &names[i - 1];
		const struct session_name *b = &names[i];

		if (a->is_b == b->is_b && a->is.dev == b->is.dev && a->is.ino == b->is.ino &&
		    b->input < found)
			found = b->input;
	}
	return found;
}

/* Index of the second "-" among the inputs; SIZE_MAX: there is none. */
static size_t session_stdin_twice(const struct session *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->in.paths.items.len; i++) {
		n += strcmp(s->in.paths.items.data[i], "-") == 0;
		if (n == 2)
			return i;
	}
	return SIZE_MAX;
}

bool session_input_is_each_once(const struct session *s)
{
	size_t twice = s->in.paths.items.len > 1 ? session_named_twice(s) : SIZE_MAX;
	size_t from_stdin = session_stdin_twice(s);
	bool is_stdin = from_stdin <= twice;

	if (twice == SIZE_MAX && from_stdin == SIZE_MAX)
		return true;
	complain(s->in.paths.items.data[is_stdin ? from_stdin : twice],
		 is_stdin ? "standard input is named twice, but can be read only once"
			  : "it is named twice and would count twice");
	return false;
}

void session_input_suggest(struct session *s)
{
	VEC_FOREACH (path, &s->in.paths.items) {
		const char *slash = strrchr(*path, '/');
		char folder[sizeof(s->in.hint) - SUGGEST_MAX] = ".";
		struct suggest like;
		struct dirent *entry;
		DIR *dir;

		if (strcmp(*path, "-") == 0 || access(*path, F_OK) == 0 || errno != ENOENT)
			continue;
		if (slash && (size_t)(slash - *path) + 1 >= sizeof(folder))
			continue;
		if (slash) {
			memcpy(folder, *path, (size_t)(slash - *path) + 1);
			folder[slash - *path + 1] = '\0';
		}
		dir = opendir(folder);
		if (!dir)
			continue;
		suggest_init(&like, str_of(slash ? slash + 1 : *path));
		while ((entry = readdir(dir)) != NULL)
			suggest_try(&like, str_of(entry->d_name));
		(void)closedir(dir);
		if (!like.best[0])
			continue;
		(void)snprintf(s->in.hint, sizeof(s->in.hint), "%s%s", slash ? folder : "",
			       like.best);
		s->in.hint_for = *path;
		return;
	}
}
