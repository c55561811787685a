/* SPDX-License-Identifier: MIT */
/* A function of two recordings by line: which line is which, and the verdict of each. */
#include "unit.h"

#include "analyses/compare/compare.h"
#include "analyses/compare/compare_lines.h"
#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/code.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"

#include <math.h>
#include <stdio.h>

/* A row of a listing. An empty one ends the list. */
struct line {
	unsigned int number; /* 0: no source line is known */
	const char *text;    /* of the source, if samples is -1; otherwise of the instruction */
	int samples;
	const char *inlined; /* NULL: none */
};

#define SOURCE -1

/* Begin a recording of the function @name with @rows, and with @rest samples elsewhere. */
static struct capture *record(struct dossier *d, const char *name, const struct line *rows,
			      unsigned int rest)
{
	struct capture *c = dossier_add(d, "perf-data");
	struct profile *p = capture_profile(c);
	struct code *code = capture_instructions(c);
	sym_id sym = symbols_add_text(&d->symbols, str_of(name), STR("kiln"), SPACE_USER, 0);
	stack_id stack = stacks_push(&p->stacks, STACK_ROOT, sym);
	uint64_t address = 0x1000;

	p->unit = WEIGHT_SAMPLES;
	p->event = strings_add(&d->strings, STR("cycles"));
	(void)code_add_function(code, sym, 0);
	for (; rows->text; rows++) {
		struct code_row *row = code_add_row(code, 0);

		row->is_source = rows->samples == SOURCE;
		row->number = rows->number;
		row->file = rows->number ? strings_add(&d->strings, STR("kiln.c")) : STR_ID_NONE;
		row->text = strings_add(&d->strings, str_of(rows->text));
		if (rows->inlined)
			row->inlined = symbols_add_text(&d->symbols, str_of(rows->inlined),
							STR("kiln"), SPACE_USER, SYMBOL_INLINED);
		if (row->is_source)
			continue;
		row->self = rows->samples;
		row->address = address;
		address += 4;
		for (int i = 0; i < rows->samples; i++) {
			assert_int_equal(profile_add_sample(p, stack, 1), OK);
			*VEC_PUSH(&p->samples.code_row) = (uint32_t)code->rows.len;
		}
	}
	for (unsigned int i = 0; i < rest; i++) {
		assert_int_equal(profile_add_sample(p, stack, 1), OK);
		*VEC_PUSH(&p->samples.code_row) = 0;
	}
	return c;
}

/* Compare the function @name of the two captures of @d. */
static int compare(struct dossier *d, const char *name, struct compare_lines *ret,
		   struct error *err)
{
	struct compare_spec spec = {
		.a = { { d->captures.data[0] }, 1 },
		.b = { { d->captures.data[1] }, 1 },
	};

	return compare_lines(&spec, str_of(name), ret, err);
}

static const struct compare_line *line_of(const struct compare_lines *l, uint32_t a, uint32_t b)
{
	VEC_FOREACH (line, &l->rows) {
		if (line->a_number == a && line->b_number == b)
			return line;
	}
	return NULL;
}

static void equal_code_matches_lines_that_moved(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct line a[] = { { 40, "mov (%rdi),%rax", 500, NULL },
				  { 41, "cmp $0x80,%rax", 300, NULL },
				  { 0 } };
	const struct line b[] = { { 52, "mov (%rdi),%rax", 100, NULL },
				  { 50, "cmp $0x200,%rax", 300, NULL },
				  { 0 } };
	static const struct diag_kind newer = { "perf-data-newer-source", DIAG_INFO, "newer" };
	struct error err = { "" };
	const struct compare_line *line;
	struct compare_lines l;

	(void)state;
	(void)record(d, "bake", a, 200);
	(void)record(d, "bake", b, 600);
	assert_int_equal(compare(d, "bake", &l, &err), OK);
	assert_int_equal(l.by, COMPARE_LINES_BY_CODE);
	assert_int_equal(l.rows.len, 2);
	assert_int_equal(l.samples_a, 800);
	assert_int_equal(l.samples_b, 400);
	line = line_of(&l, 40, 52);
	assert_non_null(line);
	assert_int_equal(line->row.verdict, COMPARE_LESS);
	assert_true(fabs(line->row.a - 50) < 1e-9 && fabs(line->row.b - 10) < 1e-9);
	assert_true(fabs(line->a_self - 62.5) < 1e-9 && fabs(line->b_self - 25) < 1e-9);
	line = line_of(&l, 41, 50);
	assert_non_null(line);
	/* 300 of 1000 on both sides: the interval is wider than the margin */
	assert_int_equal(line->row.verdict, COMPARE_CANNOT_TELL);
	assert_int_equal(l.function.verdict, COMPARE_LESS);
	assert_true(fabs(l.function.delta + 40) < 1e-9);
	assert_false(l.is_changed);
	compare_lines_fini(&l);
	/* the texts are those of B, so only B's matter */
	diag_count(&d->captures.data[0]->diag, &newer, 0);
	assert_int_equal(compare(d, "bake", &l, &err), OK);
	assert_false(l.is_changed);
	compare_lines_fini(&l);
	diag_count(&d->captures.data[1]->diag, &newer, 0);
	assert_int_equal(compare(d, "bake", &l, &err), OK);
	assert_int_equal(l.by, COMPARE_LINES_BY_CODE);
	assert_true(l.is_changed);
	compare_lines_fini(&l);
}

static void texts_match_lines_around_an_edit(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct line a[] = { { 7, "\theat(oven);", SOURCE, NULL },
				  { 7, "mov $0x1,%eax", 500, NULL },
				  { 8, "\tturn(loaf);", SOURCE, NULL },
				  { 8, "add %rbx,%rcx", 200, NULL },
				  { 0 } };
	const struct line b[] = { { 7, "\tcheck(oven);", SOURCE, NULL },
				  { 7, "xor %edx,%edx", 400, NULL },
				  { 8, "  heat(oven);", SOURCE, NULL },
				  { 8, "mov $0x1,%eax", 100, NULL },
				  { 9, "\tspin(loaf);", SOURCE, NULL },
				  { 9, "add %rbx,%rcx", 200, NULL },
				  { 0 } };
	struct error err = { "" };
	const struct compare_line *line;
	struct compare_lines l;

	(void)state;
	(void)record(d, "bake", a, 300);
	(void)record(d, "bake", b, 300);
	assert_int_equal(compare(d, "bake", &l, &err), OK);
	assert_int_equal(l.by, COMPARE_LINES_BY_TEXT);
	assert_int_equal(l.rows.len, 4);
	line = line_of(&l, 7, 8);
	assert_non_null(line);
	assert_int_equal(line->row.verdict, COMPARE_LESS);
	assert_str(strings_get(&d->strings, line->text), "heat(oven);");
	line = line_of(&l, 0, 7);
	assert_non_null(line);
	assert_true(line->row.is_new);
	assert_int_equal(line->row.verdict, COMPARE_MORE);
	/* the edited line is another one: line 8 of A is not line 8 of B */
	line = line_of(&l, 8, 0);
	assert_non_null(line);
	assert_true(line->row.is_vanished);
	line = line_of(&l, 0, 9);
	assert_non_null(line);
	assert_true(line->row.is_new);
	compare_lines_fini(&l);
}

static void a_function_whose_hot_lines_are_new_is_the_same_program(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct line a[] = { { 7, "heat(oven);", SOURCE, NULL },
				  { 7, "mov $0x1,%eax", 950, NULL },
				  { 8, "turn(loaf);", SOURCE, NULL },
				  { 8, "add %rbx,%rcx", 50, NULL },
				  { 0 } };
	const struct line b[] = { { 7, "check(oven);", SOURCE, NULL },
				  { 7, "xor %edx,%edx", 950, NULL },
				  { 8, "turn(loaf);", SOURCE, NULL },
				  { 8, "add %rbx,%rcx", 50, NULL },
				  { 0 } };
	struct error err = { "" };
	struct compare_lines l;

	(void)state;
	(void)record(d, "bake", a, 0);
	(void)record(d, "bake", b, 0);
	assert_int_equal(compare(d, "bake", &l, &err), OK);
	assert_true(l.all.overlap < 10);
	VEC_FOREACH (note, &l.all.notes)
		assert_string_not_equal(note->id, "overlap");
	compare_lines_fini(&l);
}

static void without_texts_all_lines_must_move_alike(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct line a[] = { { 30, "mov (%rdi),%rax", 500, NULL },
				  { 32, "cmp $0x80,%rax", 300, NULL },
				  { 0 } };
	struct line b[] = { { 33, "mov (%rsi),%rax", 100, NULL },
			    { 35, "cmp $0x80,%rax", 300, NULL },
			    { 0 } };
	static const struct diag_kind newer = { "perf-data-newer-source", DIAG_INFO, "newer" };
	struct error err = { "" };
	struct compare_lines l;

	(void)state;
	(void)record(d, "bake", a, 200);
	(void)record(d, "bake", b, 600);
	assert_int_equal(compare(d, "bake", &l, &err), OK);
	assert_int_equal(l.by, COMPARE_LINES_BY_NUMBER);
	assert_false(l.is_changed);
	assert_non_null(line_of(&l, 30, 33));
	assert_non_null(line_of(&l, 32, 35));
	compare_lines_fini(&l);
	/* one line was added between them */
	dossier_drop_last(d);
	b[1].number = 36;
	(void)record(d, "bake", b, 600);
	assert_int_equal(compare(d, "bake", &l, &err), ERR_UNSUPPORTED);
	assert_non_null(strstr(err.msg, "code for different lines of bake"));
	assert_non_null(strstr(err.msg, "are not here"));
	compare_lines_fini(&l);
	diag_count(&d->captures.data[0]->diag, &newer, 0);
	assert_int_equal(compare(d, "bake", &l, &err), ERR_UNSUPPORTED);
	assert_non_null(strstr(err.msg, "its source changed"));
	compare_lines_fini(&l);
}

/* How a function of @n lines is matched whose code differs, but not its texts. */
static enum compare_lines_by matched_by(unsigned int n)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct line *rows = xcalloc(2 * n + 1, sizeof(*rows));
	char(*texts)[16] = xcalloc(n, sizeof(*texts));
	struct error err = { "" };
	enum compare_lines_by by;
	struct compare_lines l;

	for (int side = 0; side < 2; side++) {
		for (unsigned int i = 0; i < n; i++) {
			(void)snprintf(texts[i], sizeof(texts[i]), "stir(%u);", i);
			rows[2 * i] = (struct line){ i + 1, texts[i], SOURCE, NULL };
			rows[2 * i + 1] = (struct line){ i + 1, side ? "inc %rbx" : "inc %rax",
							 i == 0 ? 100 : 0, NULL };
		}
		(void)record(d, "bake", rows, 100);
	}
	assert_int_equal(compare(d, "bake", &l, &err), OK);
	by = l.by;
	compare_lines_fini(&l);
	free(rows);
	free(texts);
	return by;
}

static void texts_of_too_many_lines_match_by_number(void **state)
{
	(void)state;
	assert_int_equal(matched_by(COMPARE_LINES_TEXTS), COMPARE_LINES_BY_TEXT);
	assert_int_equal(matched_by(COMPARE_LINES_TEXTS + 1), COMPARE_LINES_BY_NUMBER);
}

static void texts_of_a_newer_source_match_nothing(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct line a[] = { { 7, "heat(oven);", SOURCE, NULL },
				  { 7, "mov $0x1,%eax", 500, NULL },
				  { 0 } };
	const struct line b[] = { { 9, "heat(oven);", SOURCE, NULL },
				  { 9, "mov %ebx,%eax", 100, NULL },
				  { 0 } };
	static const struct diag_kind newer = { "perf-data-newer-source", DIAG_INFO, "newer" };
	struct error err = { "" };
	struct compare_lines l;

	(void)state;
	(void)record(d, "bake", a, 500);
	(void)record(d, "bake", b, 900);
	diag_count(&d->captures.data[0]->diag, &newer, 0);
	assert_int_equal(compare(d, "bake", &l, &err), OK);
	assert_int_equal(l.by, COMPARE_LINES_BY_NUMBER);
	assert_true(l.is_changed);
	compare_lines_fini(&l);
}

static void without_lines_the_same_instructions_match(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct line a[] = { { 0, "mov (%rdi),%rax", 500, NULL },
				  { 0, "jne 401000 <+0x0>", 100, NULL },
				  { 0 } };
	struct line b[] = { { 0, "mov (%rdi),%rax", 100, NULL },
			    { 0, "jne 55000 <+0x0>", 100, NULL },
			    { 0 } };
	struct error err = { "" };
	struct compare_lines l;

	(void)state;
	(void)record(d, "bake", a, 400);
	(void)record(d, "bake", b, 800);
	assert_int_equal(compare(d, "bake", &l, &err), OK);
	assert_int_equal(l.by, COMPARE_LINES_BY_ADDRESS);
	assert_int_equal(l.rows.len, 2);
	assert_int_equal(l.rows.data[0].offset, 0);
	assert_int_equal(l.rows.data[0].row.verdict, COMPARE_LESS);
	assert_int_equal(l.rows.data[1].offset, 4);
	compare_lines_fini(&l);
	/* another register: not the same code */
	dossier_drop_last(d);
	b[0].text = "mov (%rsi),%rax";
	(void)record(d, "bake", b, 800);
	assert_int_equal(compare(d, "bake", &l, &err), ERR_UNSUPPORTED);
	assert_non_null(strstr(err.msg, "build both programs with -g"));
	compare_lines_fini(&l);
}

static void an_inlined_function_is_compared_with_itself(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	/* in A a function, into which lift() is inlined; in B it is inlined into main() */
	const struct line a[] = { { 5, "for (each)", SOURCE, NULL },
				  { 5, "inc %rax", 400, NULL },
				  { 90, "up++;", SOURCE, "lift" },
				  { 90, "inc %rdx", 100, "lift" },
				  { 0 } };
	const struct line b[] = { { 5, "for (each)", SOURCE, "bake" },
				  { 5, "inc %rcx", 100, "bake" },
				  { 60, "knead();", SOURCE, NULL },
				  { 60, "inc %rdx", 400, NULL },
				  { 0 } };
	struct error err = { "" };
	struct compare_lines l;

	(void)state;
	(void)record(d, "bake", a, 500);
	(void)record(d, "main", b, 500);
	assert_int_equal(compare(d, "bake", &l, &err), OK);
	assert_true(l.is_inlined);
	assert_int_equal(l.rows.len, 1);
	assert_int_equal(l.samples_a, 400);
	assert_int_equal(l.samples_b, 100);
	assert_int_equal(l.rows.data[0].row.verdict, COMPARE_LESS);
	compare_lines_fini(&l);
}

static void a_function_without_samples_on_a_side_is_declined(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct line rows[] = { { 5, "inc %rax", 400, NULL }, { 0 } };
	struct capture *b;
	struct error err = { "" };
	struct compare_lines l;

	(void)state;
	(void)record(d, "bake", rows, 100);
	b = record(d, "main", rows, 100);
	assert_int_equal(compare(d, "bake", &l, &err), ERR_UNSUPPORTED);
	assert_non_null(strstr(err.msg, "B has no samples in bake itself"));
	compare_lines_fini(&l);
	*VEC_PUSH(&b->instructions->missing) = (struct code_missing){
		symbols_add_text(&d->symbols, STR("bake"), STR("kiln"), SPACE_USER, 0), 9,
		strings_add(&d->strings, STR("the file here is of another build"))
	};
	assert_int_equal(compare(d, "bake", &l, &err), ERR_UNSUPPORTED);
	assert_string_equal(err.msg, "B has no instructions of bake: the file here is of another "
				     "build");
	compare_lines_fini(&l);
}

/* The verdict of a line with @a and @b of 1000 samples. *@ret_needs: compare_line_needs(). */
static enum compare_verdict verdict_of(int a, int b, double *ret_needs)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct line before[] = { { 5, "inc %rax", a, NULL }, { 0 } };
	const struct line after[] = { { 5, "inc %rax", b, NULL }, { 0 } };
	struct error err = { "" };
	enum compare_verdict verdict;
	struct compare_lines l;

	(void)record(d, "bake", before, (unsigned int)(1000 - a));
	(void)record(d, "bake", after, (unsigned int)(1000 - b));
	assert_int_equal(compare(d, "bake", &l, &err), OK);
	verdict = l.rows.data[0].row.verdict;
	*ret_needs = compare_line_needs(&l.rows.data[0].row);
	compare_lines_fini(&l);
	return verdict;
}

static void few_samples_cannot_tell_and_say_how_many_would(void **state)
{
	double needs, less;

	(void)state;
	assert_int_equal(verdict_of(300, 250, &needs), COMPARE_LESS);
	assert_int_equal(verdict_of(300, 270, &needs), COMPARE_CANNOT_TELL);
	assert_true(needs > 1);
	assert_int_equal(verdict_of(300, 285, &less), COMPARE_CANNOT_TELL);
	/* half the difference needs four times the samples */
	assert_true(less / needs > 3.8 && less / needs < 4.2);
	assert_int_equal(verdict_of(300, 300, &needs), COMPARE_CANNOT_TELL);
	assert_true(isnan(needs));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_code_matches_lines_that_moved),
		cmocka_unit_test(texts_match_lines_around_an_edit),
		cmocka_unit_test(a_function_whose_hot_lines_are_new_is_the_same_program),
		cmocka_unit_test(without_texts_all_lines_must_move_alike),
		cmocka_unit_test(texts_of_too_many_lines_match_by_number),
		cmocka_unit_test(texts_of_a_newer_source_match_nothing),
		cmocka_unit_test(without_lines_the_same_instructions_match),
		cmocka_unit_test(an_inlined_function_is_compared_with_itself),
		cmocka_unit_test(a_function_without_samples_on_a_side_is_declined),
		cmocka_unit_test(few_samples_cannot_tell_and_say_how_many_would),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
