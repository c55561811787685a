/* SPDX-License-Identifier: MIT */
/* Flame graphs against the sums of their stacks, taken one by one. */
#include "unit.h"

#include "analyses/categories.h"
#include "analyses/flame/flame.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/paths.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "profiles.h"

#include <stdio.h>

#define STACKS_MAX 20

struct made_stack {
	char path[64]; /* "x;a;b" */
	uint64_t weight;
};

static uint64_t next(uint64_t *x, uint64_t below)
{
	*x = *x * 6364136223846793005u + 1442695040888963407u;
	return (*x >> 33) % below;
}

/* Whether @path is @top or a path below it. */
static bool is_below(const char *path, const char *top)
{
	size_t n = strlen(top);

	return strncmp(path, top, n) == 0 && (path[n] == '\0' || path[n] == ';' || n == 0);
}

static uint64_t weight_below(const struct made_stack *s, size_t n, const char *top)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += is_below(s[i].path, top) ? s[i].weight : 0;
	return sum;
}

static uint64_t weight_of(const struct made_stack *s, size_t n, const char *path)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += strcmp(s[i].path, path) == 0 ? s[i].weight : 0;
	return sum;
}

struct expected {
	struct out out;
	uint64_t hidden_frames, hidden_weight;
	uint32_t max_depth;
};

/* Frames in preorder, by name, each as "DEPTH NAME START+WEIGHT/SELF". */
static void expect(const struct made_stack *s, size_t n, const char *top, unsigned int depth,
		   uint64_t start, uint64_t min, bool is_hidden, struct expected *e)
{
	const char *name = strrchr(top, ';') ? strrchr(top, ';') + 1 : top;

	if (!is_hidden) {
		out_printf(&e->out, "%u %s %u+%u/%u\n", depth, name, (unsigned int)start,
			   (unsigned int)weight_below(s, n, top),
			   (unsigned int)weight_of(s, n, top));
		e->max_depth = depth > e->max_depth ? depth : e->max_depth;
	}
	for (char c = 'a'; c <= 'z'; c++) {
		char child[80];
		uint64_t weight;
		bool hides;

		(void)snprintf(child, sizeof(child), "%s%s%c", top, *top ? ";" : "", c);
		weight = weight_below(s, n, child);
		if (weight == 0)
			continue;
		hides = is_hidden || weight < min;
		if (hides) {
			e->hidden_frames++;
			e->hidden_weight += is_hidden ? 0 : weight;
		}
		expect(s, n, child, depth + 1, start, min, hides, e);
		start += hides ? 0 : weight;
	}
}

static void frames_are_the_sums_of_their_stacks(void **state)
{
	uint64_t x = 4;

	(void)state;
	for (int turn = 0; turn < 150; turn++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		struct category_cache cats = { 0 };
		struct made_stack s[STACKS_MAX];
		size_t n = 1 + next(&x, STACKS_MAX);
		uint64_t min = next(&x, 5), total = 0;
		struct expected e = { .max_depth = 0 };
		struct capture *c;
		struct flame f;
		struct paths p;
		struct error err;
		struct out folded, out;

		out_init(&folded);
		out_init(&out);
		out_init(&e.out);
		for (size_t i = 0; i < n; i++) {
			size_t depth = 1 + next(&x, 4);

			(void)snprintf(s[i].path, sizeof(s[i].path), "%c",
				       (char)('x' + next(&x, 2)));
			for (size_t k = 1; k < depth; k++)
				(void)snprintf(s[i].path + 2 * k - 1, 4, ";%c",
					       (char)('a' + next(&x, 3)));
			s[i].weight = next(&x, 4);
			total += s[i].weight;
			out_printf(&folded, "%s %u\n", s[i].path, (unsigned int)s[i].weight);
		}
		out_char(&folded, '\0');
		c = profile_of_folded(d, out_view(&folded).p);
		assert_int_equal(paths_of(c, &p, &err), OK);
		flame_build(c, &p, min, (enum flame_colours)(turn % 4), &cats, &f);
		expect(s, n, "", 0, 0, min, false, &e);
		VEC_FOREACH (frame, &f.frames) {
			out_printf(&out, "%u ", frame->depth);
			out_str(&out, frame->parent == INDEX_NONE
					      ? STR("")
					      : symbols_name(&d->symbols, frame->sym));
			out_printf(&out, " %u+%u/%u\n", (unsigned int)frame->start,
				   (unsigned int)frame->weight, (unsigned int)frame->self);
			assert_true(f.labels[frame->colour].is_used);
			assert_true(frame->colour < f.n_labels && !frame->is_gone);
			assert_int_equal(frame->row, INDEX_NONE);
			if (frame->parent != INDEX_NONE)
				assert_int_equal(f.frames.data[frame->parent].depth + 1,
						 frame->depth);
		}
		assert_true(str_eq(out_view(&out), out_view(&e.out)));
		assert_int_equal(f.hidden_frames, e.hidden_frames);
		assert_int_equal(f.hidden_weight, e.hidden_weight);
		assert_int_equal(f.max_depth, e.max_depth);
		assert_true(f.whole == total && f.span == total);
		/* every label has the self weight of its frames, hidden ones too */
		for (unsigned int i = 0; i < f.n_labels; i++)
			total -= f.labels[i].self;
		assert_int_equal(total, 0);
		flame_fini(&f);
		paths_fini(&p);
		category_cache_fini(&cats);
		out_fini(&folded);
		out_fini(&out);
		out_fini(&e.out);
	}
}

/* Eleven objects for ten colours: the nine heaviest, and the others; of equal ones the first. */
static void the_heaviest_objects_have_their_own_colour(void **state)
{
	(void)state;
	for (unsigned int n = 7; n <= 12; n++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		struct capture *c = profile_of_folded(d, "x;a 0\n");
		struct profile *p = capture_profile(c);
		uint64_t rest = 0;
		struct error err;
		struct paths paths;
		struct flame f;

		for (unsigned int i = 0; i < n; i++) {
			char name[16];
			sym_id sym;

			(void)snprintf(name, sizeof(name), "lib%u.so", i);
			sym = symbols_add_text(&d->symbols, str_of("f"), str_of(name), SPACE_USER,
					       0);
			assert_int_equal(
				profile_add_sample(p, stacks_push(&p->stacks, STACK_ROOT, sym),
						   100 - i / 2),
				OK);
		}
		assert_int_equal(paths_of(c, &paths, &err), OK);
		flame_build(c, &paths, 0, FLAME_BY_DSO, NULL, &f);
		assert_int_equal(f.n_labels, n < 9 ? n + 1 : 10);
		for (unsigned int i = 1; i < f.n_labels; i++) {
			char name[16];

			(void)snprintf(name, sizeof(name), "lib%u.so", i - 1);
			assert_str(strings_get(&d->strings, f.labels[i].name), name);
			assert_int_equal(f.labels[i].self, 100 - (i - 1) / 2);
		}
		for (unsigned int i = f.n_labels - 1; i < n; i++)
			rest += 100 - i / 2;
		assert_int_equal(f.labels[0].self, rest);
		flame_fini(&f);
		paths_fini(&paths);
	}
}

/* Colours that the caller chose: of a function that has none, and of the weights of each. */
static void a_caller_may_choose_the_colours(void **state)
{
	static const struct flame_label labels[] = {
		{ .text = "none", .shade = 1 },
		{ .text = "hot", .shade = 2 },
		{ .text = "cold", .shade = 3 },
	};
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = profile_of_folded(d, "app;f 3\napp;g 4\napp;h 5\napp;late 6\n");
	struct flame_classes classes = { .labels = labels, .n_labels = ARRAY_LEN(labels) };
	uint8_t of_symbol[16] = { 0 };
	struct error err;
	struct paths paths;
	struct flame f;

	(void)state;
	for (uint32_t i = 0; i < d->symbols.rows.len; i++) {
		struct str name = symbols_name(&d->symbols, (sym_id){ i });

		of_symbol[i] = str_eq(name, STR("f")) || str_eq(name, STR("g")) ? 1
			       : str_eq(name, STR("h"))                         ? 2
										: 0;
		/* the last symbol is newer than the classes, although it would be hot */
		if (str_eq(name, STR("late"))) {
			of_symbol[i] = 1;
			classes.n_symbols = i;
		}
	}
	classes.of_symbol = of_symbol;
	assert_int_equal(paths_of(c, &paths, &err), OK);
	flame_build_classes(c, &paths, 0, &classes, &f);
	assert_int_equal(f.n_labels, 3);
	assert_int_equal(f.labels[0].self, 6);
	assert_int_equal(f.labels[1].self, 7);
	assert_int_equal(f.labels[2].self, 5);
	flame_fini(&f);
	paths_fini(&paths);
}

/* The colour of a frame by where its code is from. */
static void a_frame_has_the_colour_of_its_space(void **state)
{
	static const struct {
		enum symbol_space space;
		const char *name, *module;
	} frames[] = {
		{ SPACE_KERNEL, "f", "[kernel.kallsyms]" },
		{ SPACE_USER, "f", "app" },
		{ SPACE_VDSO, "f", "[vdso]" },
		{ SPACE_USER, "f", "libc.so.6" },
	};
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = profile_of_folded(d, "x;a 0\n");
	struct profile *p = capture_profile(c);
	uint32_t colours[ARRAY_LEN(frames)] = { 0 };
	struct category_cache cats = { 0 };
	struct error err;
	struct paths paths;
	struct flame f;

	(void)state;
	for (unsigned int i = 0; i < ARRAY_LEN(frames); i++) {
		sym_id sym = symbols_add_text(&d->symbols, str_of(frames[i].name),
					      str_of(frames[i].module), frames[i].space, 0);

		assert_int_equal(
			profile_add_sample(p, stacks_push(&p->stacks, STACK_ROOT, sym), 1u << i),
			OK);
	}
	assert_int_equal(paths_of(c, &paths, &err), OK);
	flame_build(c, &paths, 0, FLAME_BY_SPACE, &cats, &f);
	VEC_FOREACH (frame, &f.frames) {
		for (unsigned int i = 0; i < ARRAY_LEN(frames) && frame->parent != INDEX_NONE;
		     i++) {
			if (frame->self == 1u << i)
				colours[i] = frame->colour;
		}
	}
	/* code of the vDSO is shown as a library */
	assert_int_equal(colours[2], colours[3]);
	assert_int_not_equal(colours[1], colours[3]);
	assert_int_not_equal(colours[0], colours[3]);
	assert_int_equal(f.labels[colours[3]].self, 12);
	flame_fini(&f);
	paths_fini(&paths);
	category_cache_fini(&cats);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_the_sums_of_their_stacks),
		cmocka_unit_test(the_heaviest_objects_have_their_own_colour),
		cmocka_unit_test(a_caller_may_choose_the_colours),
		cmocka_unit_test(a_frame_has_the_colour_of_its_space),
	};

	return cmocka_run_group_tests_name("flame", tests, NULL, NULL);
}
