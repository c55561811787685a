/* SPDX-License-Identifier: MIT */
/* redact_shapes.h - find addresses, host names, paths and names of people by their form */
#ifndef EXPLAIN_REDACT_SHAPES_H
#define EXPLAIN_REDACT_SHAPES_H

#include "base/str.h"

enum redact_shape {
	REDACT_SHAPE_NONE,
	REDACT_SHAPE_IPV4, /* "10.0.3.17", and "10-0-3-17" in host names */
	REDACT_SHAPE_HEX,  /* IPv6 address, hardware address or UUID */
	REDACT_SHAPE_MAIL, /* "joe@example.com", and "root@db1" of a prompt */
	REDACT_SHAPE_HOST, /* host name: "db1.example.com" */
	REDACT_SHAPE_PATH, /* an absolute path */
	/* letters that belong to no word: "\n" in a string, "ppp" in "cycles:ppp" */
	REDACT_SHAPE_ESCAPE,
};

/*
 * Find a shape that begins in @line at byte @at. Returns its length in bytes; 0: none. *@ret: its
 * kind. Cost: O(length).
 */
size_t redact_shape_find(struct str line, size_t at, enum redact_shape *ret);
/*
 * Index in @line from which on all words are names of people or hosts: after "From: " or "hostname
 * : ". The length of @line: there are no such names.
 */
size_t redact_shape_people(struct str line);
/* Length of the run of letters (of any script), digits and '_' at the start of @s; 0: none. */
size_t redact_shape_word(struct str s);
/* Whether @path is outside of the folders that every machine has, such as /usr and /proc. */
bool redact_shape_is_private(struct str path);
/* Whether @word is a user, host or address that every machine has: "root", "127.0.0.1". */
bool redact_shape_is_common(struct str word);

#endif
