/* SPDX-License-Identifier: MIT */
/* redact_shapes.h - find addresses, hosts, paths and names of people by their shape */
#ifndef EXPLAIN_REDACT_SHAPES_H
#define EXPLAIN_REDACT_SHAPES_H

#include "base/str.h"

enum redact_shape {
	REDACT_SHAPE_NONE,
	REDACT_SHAPE_IPV4,   /* "10.0.3.17", and "10-0-3-17" in names of hosts */
	REDACT_SHAPE_HEX,    /* IPv6 and hardware addresses, UUIDs */
	REDACT_SHAPE_MAIL,   /* "joe@example.com", and "root@db1" of a prompt */
	REDACT_SHAPE_HOST,   /* "db1.example.com" */
	REDACT_SHAPE_PATH,   /* an absolute path */
	REDACT_SHAPE_ESCAPE, /* "\n" and "cycles:ppp", of which the letters are no word */
};

/* The shape that begins at @at of @line, and its length. Cost: O(length). */
size_t redact_shape_find(struct str line, size_t at, enum redact_shape *ret);
/*
 * Where in @line words are names of people or hosts, as in "From: Joe" and "hostname : db1". The
 * length of the line: nowhere.
 */
size_t redact_shape_people(struct str line);
/* Length of the run of letters (of any script), digits and '_' at the start of @s; 0: none. */
size_t redact_shape_word(struct str s);
/* Whether @path is in a folder that is not the same on all machines, such as /home. */
bool redact_shape_is_private(struct str path);
/* Whether @word is a user, host or address that everybody has: "root", "127.0.0.1". */
bool redact_shape_is_common(struct str word);

#endif
