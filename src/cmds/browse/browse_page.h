/* SPDX-License-Identifier: MIT */
/* browse_page.h - one page of the browser, composed from a place and the data */
#ifndef CMDS_BROWSE_PAGE_H
#define CMDS_BROWSE_PAGE_H

#include "analyses/top/tree.h"
#include "base/out.h"
#include "base/vec.h"
#include "cmds/browse/browse_place.h"
#include "cmds/screen/profile_pages.h"
#include "render/view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct capture;
struct screen_command;

/* The tree of the current capture, and which of its nodes show their children. */
struct browse_tree {
	struct tree tree;
	VEC(uint8_t) is_open;
	const struct capture *of; /* NULL: not built yet */
	unsigned int generation;  /* browse_data.generation at that time */
};

struct browse_page {
	struct browse_data *data;
	struct text_options text; /* width: that of the terminal */
	const struct browse_place *place;
	const struct browse_place *previous; /* for BROWSE_COMMAND; NULL: none */
	/* keys, for BROWSE_HELP */
	const struct screen_command *commands;
	size_t n_commands;

	/* results */
	struct out head, body;
	size_t n_titles;
	bool has_frames; /* a flame graph: the cursor is a frame instead of a line */
	bool has_filter; /* the filter limits the rows; false: `/` only searches */
	struct pages pages;
	struct browse_tree tree;
};

void browse_page_init(struct browse_page *p, struct browse_data *data);
void browse_page_fini(struct browse_page *p);
/* Compose p->head and p->body. */
void browse_page_compose(struct browse_page *p);
/* Compose only p->head: the findings are known now. */
void browse_page_head(struct browse_page *p);
/* The tree, built on first use; NULL: the capture has none. */
struct browse_tree *browse_page_tree(struct browse_page *p);
/* Open or close the node @node; with @is_deep, all nodes below it, too. */
void browse_page_open(struct browse_page *p, uint32_t node, bool is_deep);
/* Whether the view has anything to show for the current capture. */
bool browse_page_has(struct browse_page *p, enum browse_view_id view);
/* The view that shows a capture first. */
enum browse_view_id browse_page_first(struct browse_page *p);
/* The capture of the place; NULL: the input cannot be read. */
const struct capture *browse_page_capture(const struct browse_page *p);

/* Append the command that prints the view of @place (browse_command.c). */
void browse_command(const struct browse_data *d, const struct browse_place *place, struct out *out);

#endif
