/* SPDX-License-Identifier: MIT */
#include "formats/loose_stacks.h"

#include "base/limits.h"

#define LOOSE_FRAMES_MIN 2u     /* one function on a line is a word */
#define LOOSE_FRAMES_MAX 65536u /* of one run of assay */
#define LOOSE_DEPTH      128u   /* of one stack */
#define LOOSE_ADDRESS    8u     /* digits of an address in front of a name, at least */

struct loose_run {
	struct dossier *d;
	uint32_t capture;
	uint32_t line; /* of the first frame, in the original */
	size_t n;
	struct str names[LOOSE_DEPTH];
};

/* A run of frames is over: it becomes a stack. */
static void loose_end(struct loose_run *run)
{
	struct dossier *d = run->d;

	if (run->n >= LOOSE_FRAMES_MIN && d->stack_syms.len + run->n <= LOOSE_FRAMES_MAX) {
		*VEC_PUSH(&d->stacks) =
			(struct dossier_stack){ run->capture, run->line,
						(uint32_t)d->stack_syms.len, (uint32_t)run->n };
		for (size_t i = 0; i < run->n; i++)
			*VEC_PUSH(&d->stack_syms) = symbols_add_text(&d->symbols, run->names[i],
								     STR_NONE, SPACE_UNKNOWN, 0);
	}
	run->n = 0;
}

/* "ffffffff8110a2a1" or "[<ffffffff8110a2a1>]" before a name. */
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

/* The name of a line that is one frame and nothing else. */
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
	*ret = str_sub(word, 0, n);
	rest = str_trim(rest); /* the module */
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
		if (!loose_frame(line, &name)) {
			loose_end(run);
			continue;
		}
		if (run->n == 0)
			run->line = document_line(doc, n);
		if (run->n < LOOSE_DEPTH)
			run->names[run->n++] = name;
	}
	loose_end(run);
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
	}
}
