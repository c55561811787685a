/* SPDX-License-Identifier: MIT */
/*
 * screen_keys.h - tables of keys, and text that the user types
 *
 * A program has a table of its own keys. screen_pager.h has a table of keys that move the cursor.
 * The help page is made from these tables, so it always agrees with the keys.
 */
#ifndef CMDS_SCREEN_KEYS_H
#define CMDS_SCREEN_KEYS_H

#include "base/out.h"
#include "render/screen.h"

#include <stdbool.h>
#include <stdint.h>

struct view;

struct screen_command {
	const char *chars; /* characters that run the command; all ASCII */
	uint32_t keys;     /* further keys: set of 1 << enum screen_key */
	const char *title; /* the text for the keys in the help; NULL: not in the help */
	const char *what;
	void (*run)(void *arg, uint32_t code);
};

/*
 * Find the key @key, with the character @code, among the @n commands of @table, and run its
 * command. False: no command has this key.
 */
bool screen_command_run(const struct screen_command *table, size_t n, enum screen_key key,
			uint32_t code, void *arg);
/* Write a line of help for each command. */
void screen_command_help(const struct screen_command *table, size_t n, struct view *v);

/* A line of text that the user types. */
struct screen_prompt {
	bool is_on;
	struct out text;
	struct out before; /* the text when the user began to type; Escape restores it */
};

#define SCREEN_PROMPT_NONE                                  \
	{                                                   \
		.text = { .fd = -1 }, .before = {.fd = -1 } \
	}

/* Begin to edit the text. */
void screen_prompt_begin(struct screen_prompt *p);
/* Handle a typed key. Enter ends and keeps the text. Escape ends and restores the previous text. */
void screen_prompt_key(struct screen_prompt *p, enum screen_key key, uint32_t code);
void screen_prompt_fini(struct screen_prompt *p);

#endif
