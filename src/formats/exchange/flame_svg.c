/* SPDX-License-Identifier: MIT */
/*
 * flame_svg.c - flame graphs as SVG: each rectangle is a frame, and lies above its caller
 *
 *     <title>parse_row (1,234 samples, 12.3%)</title><rect x="10.0" y="101" width="30.0" …/>
 *
 * Definition: FlameGraph's flamegraph.pl. inferno adds the exact place and width to each <rect>
 * (fg:x, fg:w). `assay flame` adds them to the <g> that contains the rect (data-s, data-w). See
 * docs/formats/flame-svg.md.
 *
 * The caller of a frame is the frame in the level below that covers the middle of the frame. The
 * self weight of a frame is its weight minus the weights of the frames directly above it.
 */
#include "formats/exchange/folded.h"

#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/names/start_names.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/format.h"

#include <stdlib.h>

DECLARE_FORMAT(flame_svg);

#define SVG_NAME_BYTES 65536u
/* maximum length of a g or rect tag; also the maximum distance from a title to its rect */
#define SVG_TAG_BYTES  512u
#define SVG_COMM_BYTES 15u /* maximum length of a Linux command name */
#define SVG_NOT_COMM   "*::*|*(*|all|[[]*"

static const struct diag_kind svg_no_caller = { "flame-svg-no-caller", DIAG_DATALOSS,
						"frames that are above no other frame" };
static const struct diag_kind svg_too_wide = { "flame-svg-too-wide", DIAG_DATALOSS,
					       "frames with less weight than the frames above" };
static const struct diag_kind svg_deep = { "flame-svg-deep-frames", DIAG_DATALOSS,
					   "frames of stacks deeper than 4096" };

struct svg_frame {
	double from, to; /* left and right edge, in pixels or in units of the weight */
	double y;
	/* the frame's weight, and the sum of the weights of the frames directly above it */
	uint64_t weight, above;
	struct str name;
	uint32_t line;  /* line in the region, from 0 */
	uint32_t level; /* level of the frame in the graph; 0: the root */
	stack_id node;
	uint32_t comm; /* str_id of the command, the outermost frame of the stack; 0: none */
	bool is_kernel;
	bool is_lost; /* the frame has no known caller, is too deep, or has a lost caller */
};

struct svg {
	VEC(struct svg_frame) frames;
	struct str unit, title;
};

/* The value of an attribute of the tag @tag. @name includes the blank, '=' and quote: ` x="`. */
static struct str svg_attribute(struct str tag, struct str name)
{
	struct str value = str_skip(tag, str_find(tag, name) + name.len);

	return str_sub(value, 0, str_find_char(value, '"'));
}

static bool svg_number(struct str tag, struct str name, double *ret)
{
	struct str value = svg_attribute(tag, name);

	return str_double(&value, ret) && *ret >= 0 && *ret < 1e18;
}

/* Parse "1,234". */
static bool svg_count(struct str *s, uint64_t *ret)
{
	uint64_t n = 0;
	size_t i = 0;

	for (; i < s->len && (char_is_digit(s->p[i]) || (i && s->p[i] == ',')); i++) {
		if (s->p[i] != ',' && (__builtin_mul_overflow(n, 10, &n) ||
				       __builtin_add_overflow(n, (uint64_t)(s->p[i] - '0'), &n)))
			return false;
	}
	*s = str_skip(*s, i);
	*ret = n;
	return i > 0;
}

/* Parse `name (1,234 samples, 12.3%)`. False: @title has another form. */
static bool svg_title(struct str title, struct svg_frame *ret, struct str *unit)
{
	size_t open = str_rfind_char(title, '(');
	struct str rest = str_skip(title, open + 1);
	size_t comma;

	if (open < 2 || open >= title.len || title.p[open - 1] != ' ' ||
	    !svg_count(&rest, &ret->weight) || !str_take(&rest, STR(" ")))
		return false;
	comma = str_find_char(rest, ',');
	if (comma == 0 || comma > 32 || str_find_char(rest, '%') >= rest.len)
		return false;
	*unit = str_sub(rest, 0, comma);
	ret->name = str_sub(title, 0, open - 1);
	return true;
}

/* Set the edges and the y of a frame from its <rect>, or from the <g> that contains the rect. */
static bool svg_place(struct str rect, struct str group, struct svg_frame *ret)
{
	double width;

	if (!svg_number(rect, STR(" y=\""), &ret->y))
		return false;
	if (!(svg_number(rect, STR(" fg:x=\""), &ret->from) &&
	      svg_number(rect, STR(" fg:w=\""), &width)) &&
	    !(svg_number(group, STR(" data-s=\""), &ret->from) &&
	      svg_number(group, STR(" data-w=\""), &width)) &&
	    !(svg_number(rect, STR(" x=\""), &ret->from) &&
	      svg_number(rect, STR(" width=\""), &width)))
		return false;
	ret->to = ret->from + width;
	return true;
}

/* The last `<g …` tag in @before, the text before a title. Empty: no such tag. */
static struct str svg_group(struct str before)
{
	struct str ret = STR_NONE;
	size_t at;

	while ((at = str_find(before, STR("<g "))) < before.len) {
		ret = str_skip(before, at);
		before = str_skip(ret, 1);
	}
	return ret;
}

/*
 * Parse a frame. @title: its title; @before, @after: the text before and after the title. @after
 * must begin with the rect of the frame. False: the title belongs to no frame.
 */
static bool svg_frame_of(struct str before, struct str title, struct str after,
			 struct svg_frame *ret, struct str *unit)
{
	struct str group = svg_group(before);
	struct str weight = svg_attribute(group, STR(" data-w=\""));
	struct str near = str_sub(after, 0, SVG_TAG_BYTES);
	size_t at = str_find(near, STR("<rect "));
	struct str rect = str_sub(str_skip(after, at), 0, SVG_TAG_BYTES);

	*unit = STR_NONE;
	*ret = (struct svg_frame){ .weight = 0 };
	if (at >= near.len || str_find(near, STR("<title>")) < at)
		return false;
	if (str_u64(&weight, &ret->weight))
		ret->name = str_sub(title, 0, str_find_char(title, '\n'));
	else if (!svg_title(title, ret, unit))
		return false;
	return ret->name.len && svg_place(str_sub(rect, 0, str_find_char(rect, '>')), group, ret);
}

/*
 * Find the next frame in @text, and set @text to the text after the frame's title. *ret_skipped:
 * the text from the old to the new start of @text. False: no more frames.
 */
static bool svg_next(struct str *text, struct svg_frame *ret, struct str *unit,
		     struct str *ret_skipped)
{
	struct str rest = *text;
	size_t at;

	while ((at = str_find(rest, STR("<title>"))) < rest.len) {
		struct str before = str_sub(rest, at > SVG_TAG_BYTES ? at - SVG_TAG_BYTES : 0, at);
		struct str title = str_skip(rest, at + STR("<title>").len);
		size_t end = str_find(str_sub(title, 0, SVG_NAME_BYTES), STR("</title>"));

		rest = title;
		if (end >= title.len || end >= SVG_NAME_BYTES)
			continue;
		rest = str_skip(title, end + STR("</title>").len);
		if (svg_frame_of(before, str_sub(title, 0, end), rest, ret, unit)) {
			*ret_skipped = str_sub(*text, 0, text->len - rest.len);
			*text = rest;
			return true;
		}
	}
	return false;
}

static size_t svg_line_start(struct str text, size_t from, size_t at)
{
	while (at > from && text.p[at - 1] != '\n')
		at--;
	return at;
}

/*
 * Find the next text from `<svg` to `</svg>` at or after @from. The range [*ret_from, *ret_to) is
 * extended to whole lines.
 */
static bool svg_extent(struct str text, size_t from, size_t *ret_from, size_t *ret_to)
{
	size_t at = from + str_find(str_skip(text, from), STR("<svg"));
	size_t end;

	if (at >= text.len)
		return false;
	end = at + str_find(str_skip(text, at), STR("</svg>"));
	at = svg_line_start(text, from, at);
	/* include the lines before `<svg`, such as `<?xml …?>` */
	while (at > from) {
		size_t above = svg_line_start(text, from, at - 1);

		if (!str_starts(str_skip(text, above), STR("<?xml")) &&
		    !str_starts(str_skip(text, above), STR("<!DOCTYPE")))
			break;
		at = above;
	}
	end += str_find_char(str_skip(text, end), '\n') + 1;
	*ret_from = at;
	*ret_to = end < text.len ? end : text.len;
	return true;
}

static bool svg_has_frame(struct str text)
{
	struct svg_frame frame;
	struct str unit, skipped;

	return svg_next(&text, &frame, &unit, &skipped);
}

static unsigned int svg_probe(struct str head)
{
	size_t at = str_find(head, STR("<svg"));

	return at < head.len && svg_has_frame(str_skip(head, at)) ? 95 : 0;
}

static bool svg_find(struct str text, size_t from, struct extent *ret)
{
	*ret = (struct extent){ .to = from, .score = 95 };
	while (svg_extent(text, ret->to, &ret->from, &ret->to)) {
		if (svg_has_frame(str_sub(text, ret->from, ret->to)))
			return true;
	}
	return false;
}

static int svg_by_y(const void *a, const void *b)
{
	const struct svg_frame *x = a, *y = b;

	if (x->y != y->y)
		return x->y < y->y ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

static int svg_by_level(const void *a, const void *b)
{
	const struct svg_frame *x = a, *y = b;

	if (x->level != y->level)
		return x->level < y->level ? -1 : 1;
	return svg_by_y(a, b);
}

/*
 * Set the level of each frame. Level 0, the root, is the bottom or top row of the graph: the one
 * with more weight. In icicle graphs, the root is at the top.
 */
static void svg_level(struct svg *svg)
{
	struct svg_frame *frames = svg->frames.data;
	size_t n = svg->frames.len;
	uint64_t top = 0, bottom = 0;
	uint32_t level = 0;

	VEC_SORT(&svg->frames, svg_by_y);
	for (size_t i = 0; i < n && frames[i].y == frames[0].y; i++)
		top = __builtin_add_overflow(top, frames[i].weight, &top) ? UINT64_MAX : top;
	for (size_t i = n; i-- > 0 && frames[i].y == frames[n - 1].y;)
		bottom = __builtin_add_overflow(bottom, frames[i].weight, &bottom) ? UINT64_MAX
										   : bottom;
	for (size_t i = 0; i < n; i++) {
		level += i && frames[i].y != frames[i - 1].y;
		frames[i].level = level;
	}
	/*
	 * with equal weights, the graph is a single stack: take the bottom row, since flame graphs
	 * usually grow upwards
	 */
	for (size_t i = 0; i < n && bottom >= top; i++)
		frames[i].level = level - frames[i].level;
	VEC_SORT(&svg->frames, svg_by_level);
}

/* Whether the frames at level 1 are commands, as stackcollapse-perf.pl writes them. */
static bool svg_has_comms(const struct svg *svg)
{
	size_t n = 0, n_entry = 0;

	VEC_FOREACH (f, &svg->frames) {
		if (f->level == 1 && (f->name.len > SVG_COMM_BYTES || folded_is_entry(f->name) ||
				      str_glob(STR(SVG_NOT_COMM), f->name)))
			return false;
		n += f->level == 2;
		n_entry += f->level == 2 && folded_is_entry(f->name);
	}
	return n_entry > 0 && n_entry * 10 >= n;
}

/* Make the stack of @f. @below: its caller; NULL if @f is the root, or has no known caller. */
static void svg_push(struct capture *c, struct dossier *d, struct svg_frame *f,
		     struct svg_frame *below, bool is_comm)
{
	struct profile *p = c->profile;
	bool is_root = f->level == 0;
	enum symbol_space space;

	if (is_root && str_glob(STR("all|root|total"), f->name))
		/*
		 * the root stands for all samples and is no function, so its node stays the empty
		 * stack
		 */
		return;
	f->is_lost = !is_root && (!below || below->is_lost);
	if (f->is_lost)
		return;
	if (f->level >= LIMIT_STACK_DEPTH) {
		diag_count(&c->diag, &svg_deep, c->first_line + f->line);
		f->is_lost = true;
		return;
	}
	if (below && __builtin_add_overflow(below->above, f->weight, &below->above))
		below->above = UINT64_MAX;
	is_comm = is_comm && f->level == 1;
	f->is_kernel =
		!is_comm && ((below && below->is_kernel) || start_names_enter_kernel(f->name));
	f->comm = is_comm ? strings_add(&d->strings, f->name).v : below ? below->comm : 0;
	space = is_comm ? SPACE_COMM : f->is_kernel ? SPACE_KERNEL : SPACE_UNKNOWN;
	f->node = stacks_push(&p->stacks, below ? below->node : STACK_ROOT,
			      symbols_add_text(&d->symbols, f->name, STR_NONE, space, 0));
}

/*
 * Make the stacks of all frames. Callers come first, because svg_by_level() has sorted the frames.
 */
static void svg_stacks(struct svg *svg, struct capture *c, struct dossier *d)
{
	struct svg_frame *frames = svg->frames.data;
	size_t n = svg->frames.len;
	/* below: index of a frame one level below; first: index of the first frame of this level */
	size_t below = 0, first = 0;
	bool has_comms = svg_has_comms(svg);

	for (size_t i = 0; i < n; i++) {
		struct svg_frame *f = &frames[i];
		double middle = f->from + (f->to - f->from) / 2;

		if (i && f->level != frames[i - 1].level) {
			below = first;
			first = i;
		}
		while (f->level && below + 1 < first && frames[below + 1].from <= middle)
			below++;
		if (f->level && (middle < frames[below].from || middle > frames[below].to)) {
			diag_count(&c->diag, &svg_no_caller, c->first_line + f->line);
			svg_push(c, d, f, NULL, has_comms);
		} else {
			svg_push(c, d, f, f->level ? &frames[below] : NULL, has_comms);
		}
	}
}

static int svg_samples(const struct svg *svg, struct capture *c)
{
	VEC_FOREACH (f, &svg->frames) {
		struct profile_thread thread = { .comm = { f->comm } };
		int ret;

		if (f->is_lost || f->weight == f->above)
			continue;
		if (f->weight < f->above) {
			diag_count(&c->diag, &svg_too_wide, c->first_line + f->line);
			continue;
		}
		ret = profile_add_sample(c->profile, f->node, f->weight - f->above);
		if (ret < 0)
			return ret;
		profile_set_thread(c->profile, f->comm ? &thread : NULL);
	}
	return OK;
}

static uint32_t svg_count_lines(struct str text)
{
	uint32_t n = 0;

	for (const char *p = text.p; (p = memchr(p, '\n', (size_t)(text.p + text.len - p))); p++)
		n++;
	return n;
}

/* The text of `<text id="title" …>Flame Graph</text>`. */
static struct str svg_head(struct str text)
{
	struct str rest = str_skip(text, str_find(text, STR("<text id=\"title\"")));

	rest = str_sub(rest, 0, 1024);
	rest = str_skip(rest, str_find_char(rest, '>') + 1);
	return str_trim(str_sub(rest, 0, str_find(rest, STR("</text>"))));
}

static int svg_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct svg svg = { .title = svg_head(in->text) };
	struct capture *c = format_add_capture(&format_flame_svg, in, d);
	struct str text = in->text, skipped, unit;
	struct svg_frame frame;
	uint32_t line = 0;
	int ret;

	capture_profile(c)->unit = WEIGHT_UNKNOWN;
	c->profile->is_summed = true;
	while (svg_next(&text, &frame, &unit, &skipped)) {
		line += svg_count_lines(skipped);
		frame.line = line;
		svg.unit = unit.len ? unit : svg.unit;
		*VEC_PUSH(&svg.frames) = frame;
	}
	svg_level(&svg);
	svg_stacks(&svg, c, d);
	ret = svg_samples(&svg, c);
	if (svg.title.len)
		capture_note(c, STR("title"), svg.title, region_line(in, 0));
	if (svg.unit.len)
		capture_note(c, STR("counted in"), svg.unit, region_line(in, 0));
	capture_note(c, STR("narrow frames"),
		     STR("not in the picture: they count as own weight of their callers"), 0);
	VEC_FREE(&svg.frames);
	if (ret < 0)
		return fail(err, ret, "line %u: too many stacks", region_line(in, line));
	return c->profile->samples.n ? OK : fail(err, ERR_FORMAT, "no frames found");
}

static const char *const svg_extensions[] = { ".svg", NULL };

const struct format format_flame_svg = {
	.name = "flame-svg",
	.summary = "flame graphs as SVG (flamegraph.pl, inferno, assay flame)",
	.kinds = KIND_PROFILE,
	.extensions = svg_extensions,
	.probe = svg_probe,
	.find = svg_find,
	.read = svg_read,
};
