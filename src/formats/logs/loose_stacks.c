/* SPDX-License-Identifier: MIT */
#include "formats/logs/loose_stacks.h"

#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/names/symbol_offset.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/detect.h"
#include "formats/logs/kernel_line.h"
#include "formats/logs/log_prefix.h"

DECLARE_FORMAT(kernel_log);

/* minimum number of frames of a stack, because a single word may look like a frame */
#define LOOSE_FRAMES_MIN 2u
#define LOOSE_FRAMES_MAX 65536u /* maximum number of frames of all stacks in one run of assay */
/* maximum number of frames in one stack; further frames are dropped */
#define LOOSE_DEPTH   128u
#define LOOSE_ADDRESS 8u /* minimum number of digits of an address before a function name */

struct loose_run {
	struct dossier *d;
	uint32_t capture;
	size_t n;
	struct str names[LOOSE_DEPTH];
	/* number of each frame's line in the document's text, counted from 0 */
	uint32_t lines[LOOSE_DEPTH];
};

/*
 * End the collection of frames. If there are enough of them, add them to the dossier as a stack.
 * Then start with an empty collection.
 */
static void loose_end(struct loose_run *run, const struct document *doc)
{
	struct dossier *d = run->d;

	if (run->n >= LOOSE_FRAMES_MIN && d->frames.len + run->n <= LOOSE_FRAMES_MAX) {
		*VEC_PUSH(&d->stacks) =
			(struct dossier_stack){ run->capture, (uint32_t)d->frames.len,
						(uint32_t)run->n };
		for (size_t i = 0; i < run->n; i++)
			*VEC_PUSH(&d->frames) = (struct dossier_frame){
				symbols_add_text(&d->symbols, run->names[i], STR_NONE,
						 SPACE_UNKNOWN, 0),
				document_line(doc, run->lines[i]),
			};
	}
	run->n = 0;
}

static void loose_add(struct loose_run *run, struct str name, uint32_t line)
{
	if (run->n == LOOSE_DEPTH)
		return;
	run->names[run->n] = name;
	run->lines[run->n++] = line;
}

/* Whether @word is an address: "ffffffff8110a2a1" or "[<ffffffff8110a2a1>]". */
static bool loose_is_address(struct str word)
{
	uint64_t value;

	if (word.len > 4 && str_take(&word, STR("[<")))
		word.len -= 2;
	(void)str_take(&word, STR("0x"));
	return word.len >= LOOSE_ADDRESS && str_hex64(&word, &value) && word.len == 0;
}

static bool loose_is_name(char c)
{
	return c == '_' || char_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Find the function name in @line if @line has nothing but one frame. False: any other line. */
static bool loose_frame(struct str line, struct str *ret)
{
	struct str rest = str_trim(line);
	struct str word;
	size_t n = 0;

	if (rest.len == 0 || rest.len > LIMIT_NAME_BYTES || !str_word(&rest, &word))
		return false;
	if (loose_is_address(word) && !str_word(&rest, &word))
		return false;
	while (n < word.len && (loose_is_name(word.p[n]) || (n && word.p[n] == '.')))
		n++;
	if (n < 3 || char_is_digit(word.p[0]) || (n < word.len && word.p[n] != '+'))
		return false;
	*ret = symbol_offset_is_past_end(str_skip(word, n)) ? STR("[unknown]")
							    : str_sub(word, 0, n);
	rest = str_trim(rest); /* only the module may follow the name, in brackets: "[kvm]" */
	return rest.len == 0 || ((rest.p[0] == '(' || rest.p[0] == '[') &&
				 (rest.p[rest.len - 1] == ')' || rest.p[rest.len - 1] == ']'));
}

static void loose_read_region(struct loose_run *run, const struct document *doc,
			      const struct detected *r)
{
	struct str text = str_sub(doc->text, r->extent.from, r->extent.to);
	struct str line;
	struct str name;

	for (uint32_t n = r->first_line; str_line(&text, &line); n++) {
		if (loose_frame(line, &name))
			loose_add(run, name, n);
		else
			loose_end(run, doc);
	}
	loose_end(run, doc);
}

/*
 * Add the stacks of the kernel dumps in a region. A dump starts with its innermost frame, "RIP:
 * 0010:f+0x1d/0x2a0". Lines of registers, "Call Trace:" and the callers follow. Lines with '?' are
 * skipped, because they are old values on the stack and not callers.
 */
static void loose_read_dumps(struct loose_run *run, const struct document *doc,
			     const struct detected *r)
{
	struct str text = str_sub(doc->text, r->extent.from, r->extent.to);
	bool is_trace = false;
	struct str line;
	struct str name;

	for (uint32_t n = r->first_line; str_line(&text, &line); n++) {
		struct log_day day = { 0 };
		struct kernel_line k;
		struct str s = kernel_line_read(line, &day, &k) ? str_trim(k.text) : str_trim(line);

		if (str_take(&s, STR("RIP: "))) {
			loose_end(run, doc);
			s = str_skip(s, str_find_char(s, ':') + 1);
			is_trace = false;
			if (loose_frame(s, &name))
				loose_add(run, name, n);
		} else if (str_starts(s, STR("Call Trace:")) || str_starts(s, STR("<"))) {
			is_trace = true;
		} else if (is_trace && loose_frame(s, &name)) {
			loose_add(run, name, n);
		} else if (is_trace && !str_starts(s, STR("?"))) {
			loose_end(run, doc);
			is_trace = false;
		}
	}
	loose_end(run, doc);
}

void loose_stacks_read(struct dossier *d, const struct document *doc, const struct detection *found,
		       size_t first_capture)
{
	struct loose_run run = { .d = d, .capture = INDEX_NONE };

	for (size_t i = first_capture; i < d->captures.len; i++) {
		if (d->captures.data[i]->profile)
			run.capture = (uint32_t)i;
	}
	if (doc->is_binary || run.capture == INDEX_NONE)
		return;
	VEC_FOREACH (r, &found->regions) {
		if (!r->format || r->extent.declined || !r->format->read)
			loose_read_region(&run, doc, r);
		else if (r->format == &format_kernel_log)
			loose_read_dumps(&run, doc, r);
	}
}
