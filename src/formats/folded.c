/* SPDX-License-Identifier: MIT */
/*
 * folded.c - folded stacks: `outermost;...;innermost count`, one a line
 *
 * Definition: FlameGraph's stackcollapse-*.pl. Frames may hold blanks; the count
 * is what stands behind the last blank.
 */
#include "formats/format.h"

static const struct diag_kind folded_no_count = { "folded-no-count", DIAG_DATALOSS,
						  "lines without a count after the stack" };

static bool folded_split(struct str line, struct str *ret_stack, uint64_t *ret_count)
{
	struct str count;
	size_t blank;

	line = str_rtrim(line);
	blank = str_rfind_char(line, ' ');
	if (blank == line.len || blank == 0)
		return false;
	count = str_skip(line, blank + 1);
	*ret_stack = str_rtrim(str_sub(line, 0, blank));
	return str_u64(&count, ret_count) && count.len == 0;
}

static unsigned int folded_probe(struct str head)
{
	struct str line;
	struct str stack;
	uint64_t count;
	size_t good = 0;
	size_t n = 0;

	while (str_line(&head, &line) && n < 64) {
		n++;
		if (folded_split(line, &stack, &count))
			good += str_find_char(stack, ';') < stack.len;
	}
	return n && good * 10 >= n * 8 ? 90 : 0;
}

static bool folded_find(struct str text, size_t from, struct extent *ret)
{
	if (from > 0 || folded_probe(str_sub(text, 0, 65536)) == 0)
		return false;
	*ret = (struct extent){ 0, text.len, 90 };
	return true;
}

static int folded_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct capture *c = format_add_capture(&format_folded, in, d);
	struct profile *p = capture_profile(c);
	struct str text = in->text;
	struct str line;

	p->unit = WEIGHT_UNKNOWN;
	for (uint32_t n = 0; str_line(&text, &line); n++) {
		stack_id stack = STACK_ROOT;
		struct str frames;
		uint64_t count;

		if (!folded_split(line, &frames, &count)) {
			diag_count(&c->diag, &folded_no_count, region_line(in, n));
			continue;
		}
		while (frames.len) {
			size_t semi = str_find_char(frames, ';');
			sym_id sym = symbols_add_text(&d->symbols, str_sub(frames, 0, semi),
						      STR(""), SPACE_UNKNOWN, 0);

			stack = stacks_push(&p->stacks, stack, sym);
			frames = str_skip(frames, semi + 1);
		}
		if (profile_add_sample(p, stack, count) < 0)
			return fail(err, ERR_LIMIT, "too many stacks");
	}
	return p->samples.n ? OK : fail(err, ERR_FORMAT, "no folded stack in it");
}

static const char *const folded_extensions[] = { ".folded", ".collapsed", NULL };

const struct format format_folded = {
	.name = "folded",
	.summary = "folded stacks (a;b;c 12)",
	.kinds = KIND_PROFILE,
	.extensions = folded_extensions,
	.probe = folded_probe,
	.find = folded_find,
	.read = folded_read,
};
