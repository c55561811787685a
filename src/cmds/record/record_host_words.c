/* SPDX-License-Identifier: MIT */
/* record_host_words.c - the command line for `assay record` on another machine */
#include "cmds/record/record_host.h"

#include "base/alloc.h"
#include "base/command/args.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"

#include <inttypes.h>
#include <stdio.h>

/* Options that concern this machine only. */
static const char *const words_local[] = {
	"host",   "host-program", "ssh",      "output", "force",
	"report", "repeat",       "progress", "remote", "dry-run"
};

static bool words_are_local(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(words_local); i++) {
		if (strcmp(name, words_local[i]) == 0)
			return true;
	}
	return false;
}

static void words_add(struct record_host_words *w, const char *no, const char *name,
		      const char *value)
{
	struct out o;

	out_init(&o);
	out_printf(&o, "--%s%s", no, name);
	if (value)
		out_printf(&o, "=%s", value);
	*VEC_PUSH(&w->words) = xmemdupz(o.data, o.len);
	out_fini(&o);
}

void record_host_words_option(struct record_host_words *w, const struct args_option *option,
			      const void *fresh)
{
	char number[24];

	if (!option->name || words_are_local(option->name))
		return;
	switch (option->kind) {
	case ARGS_FLAG:
		if (*(const bool *)option->target != *(const bool *)fresh)
			words_add(w, *(const bool *)fresh ? "no-" : "", option->name, NULL);
		break;
	case ARGS_TEXT:
		if (*(const char *const *)option->target)
			words_add(w, "", option->name, *(const char *const *)option->target);
		break;
	case ARGS_LIST:
		VEC_FOREACH (item, &((const struct args_list *)option->target)->items)
			words_add(w, "", option->name, *item);
		break;
	case ARGS_COUNT:
		if (*(const uint64_t *)option->target == *(const uint64_t *)fresh)
			break;
		(void)snprintf(number, sizeof(number), "%" PRIu64,
			       *(const uint64_t *)option->target);
		words_add(w, "", option->name, number);
		break;
	default:
		break;
	}
}

void record_host_words_fini(struct record_host_words *w)
{
	VEC_FOREACH (word, &w->words)
		free(*word);
	VEC_FREE(&w->words);
}
