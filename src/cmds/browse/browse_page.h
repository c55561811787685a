/* SPDX-License-Identifier: MIT */
/* browse_page.h - compose one page of the browser from a place and the data */
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

/*
 * The call tree of the current capture. `is_open`: for each node, whether its children are shown.
 */
struct browse_tree {
	struct tree tree;
	VEC(uint8_t) is_open;
	/* capture that the tree was made from; NULL: the tree is not made yet */
	const struct capture *of;
	/*
	 * value of browse_data.generation when the tree was made; if it differs now, the tree is
	 * outdated
	 */
	unsigned int generation;
};

struct browse_page {
	struct browse_data *data;
	struct text_options text; /* `width` is the terminal's width */
	const struct browse_place *place;
	/* the previous place, which BROWSE_COMMAND shows as a command; NULL: there is none */
	const struct browse_place *previous;
	/* the keys that BROWSE_HELP lists */
	const struct screen_command *commands;
	size_t n_commands;

	/* results of browse_page_compose() */
	struct out head, body;
	size_t n_titles;
	bool has_frames; /* the page is a flame graph: the cursor is on a frame, not on a line */
	/*
	 * the key `/` hides the rows of this page that do not contain the typed text; false: the
	 * key only searches for the text
	 */
	bool has_filter;
	struct pages pages;
	struct browse_tree tree;
};

void browse_page_init(struct browse_page *p, struct browse_data *data);
void browse_page_fini(struct browse_page *p);
/* Compose the page into p->head (the first lines) and p->body. */
void browse_page_compose(struct browse_page *p);
/* Compose only p->head again, after the findings became known. */
void browse_page_head(struct browse_page *p);
/*
 * The call tree of the current capture, which is made on first use. NULL: the capture has no tree.
 */
struct browse_tree *browse_page_tree(struct browse_page *p);
/* Show or hide the children of the node @node. @is_deep: do the same for all nodes below it. */
void browse_page_open(struct browse_page *p, uint32_t node, bool is_deep);
/* Whether the view @view can show something for the current capture. */
bool browse_page_has(struct browse_page *p, enum browse_view_id view);
/* The view to show first for the current capture. */
enum browse_view_id browse_page_first(struct browse_page *p);
/* The capture that the place names; NULL: the input cannot be read. */
const struct capture *browse_page_capture(const struct browse_page *p);

/* Append the command that prints the same as the view of @place (browse_command.c). */
void browse_command(const struct browse_data *d, const struct browse_place *place, struct out *out);

#endif
