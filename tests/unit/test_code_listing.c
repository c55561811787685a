/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyses/instruction.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/code.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "document/document.h"
#include "explain/explain.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "formats/format.h"
#include "formats/load.h"
#include "texts.h"

#include <stdio.h>

DECLARE_FORMAT(code_listing);

static const struct capture *load_text(struct dossier *d, const char *text)
{
	(void)text_detect(d, text);
	return d->captures.data[d->captures.len - 1];
}

static const struct code_row *row_of(const struct capture *c, const char *pattern)
{
	VEC_FOREACH (row, &c->code->rows) {
		if (str_glob(str_of(pattern), strings_get(capture_strings(c), row->text)))
			return row;
	}
	return NULL;
}

#define is_near(a, b) assert_true((a) > (b)-1e-6 && (a) < (b) + 1e-6)

static const char stdio_text[] =
	" Percent |\tSource code & Disassembly of shelfd for cycles:u (250 samples, percent: local "
	"period)\n"
	"---------------------------------------------------------------\n"
	"         : 5    0000000000001139 <shelf_walk>:\n"
	"         : 9    static long shelf_walk(struct cell *c) {\n"
	"    0.00 :   1139:   test   %rdi,%rdi\n"
	"   80.00 :   1147:   mov    (%rdi),%rdi\n"
	"   20.00 :   114a:   jne    1143 <shelf_walk+0xa>\n";

static void stdio_has_function_event_and_samples(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = load_text(d, stdio_text);
	const struct code_function *f = &c->code->functions.data[0];

	(void)state;
	assert_string_equal(c->format, "perf-annotate");
	assert_int_equal(c->code->functions.len, 1);
	assert_str(symbols_name(&d->symbols, f->sym), "shelf_walk");
	assert_int_equal(f->samples, 250);
	assert_str(strings_get(&d->strings, c->code->event), "cycles:u");
	is_near(row_of(c, "mov *")->self, 80);
	assert_int_equal(row_of(c, "mov *")->address, 0x1147);
	assert_true(row_of(c, "static long*")->is_source);
	assert_int_equal(row_of(c, "static long*")->number, 9);
	is_near(code_sum(c->code, f), 100);
}

static void tui_pastes_have_bars_arrows_and_decimal_commas(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = load_text(
		d, "Samples: 12K of event 'cycles', 4000 Hz, Event count (approx.): 9012345678\n"
		   "turn_page  /usr/bin/shelfd [Percent: local period]\n"
		   "Percent\xe2\x94\x82\n"
		   "       \xe2\x94\x82    \xe2\x86\x92 call   turn_page\n"
		   "  2,31 \xe2\x94\x82      sub    $0x8,%rsp\n"
		   " 30,12 \xe2\x94\x82      div    %rsi\n"
		   "       \xe2\x94\x82"
		   "40:   mov    %rdx,%rax\n");

	(void)state;
	assert_str(symbols_name(&d->symbols, c->code->functions.data[0].sym), "turn_page");
	is_near(row_of(c, "div*")->self, 30.12);
	assert_int_equal(row_of(c, "mov*")->address, 0x40);
	assert_false(row_of(c, "call*")->is_source);
	assert_false(row_of(c, "call*")->has_weight);
}

static void rows_without_a_head_are_known_by_their_instructions(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c =
		load_text(d, "perf annotate of stock_count():\n\n"
			     "  0.10 |        mov        0x18(%rbx),%rax\n"
			     "  0.00 |        mov        0x40(%rax),%edx     ## shelf->reserved\n"
			     " 21.40 |        test       %edx,%edx\n"
			     "       |      if (shelf->reserved)\n");

	(void)state;
	assert_int_equal(c->code->rows.len, 4);
	assert_str(symbols_name(&d->symbols, c->code->functions.data[0].sym), "stock_count");
	assert_true(row_of(c, "if (*")->is_source);
}

static void stdio2_has_no_separator(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = load_text(
		d, "Samples: 9  of event 'cpu-clock', 4000 Hz, Event count (approx.): 2250000\n"
		   "divide() /srv/hot\n"
		   "Percent        \n"
		   "              mov  %edi,%r8d\n"
		   "              div  %esi     \n"
		   " 77.78        add  %edx,%r9d\n");

	(void)state;
	assert_str(symbols_name(&d->symbols, c->code->functions.data[0].sym), "divide");
	is_near(row_of(c, "add*")->self, 77.78);
}

static void pprof_lists_source_with_self_and_callees(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c =
		load_text(d, "Total: 2.38s\n"
			     "ROUTINE ======================== main.(*Rack).Collect in\n"
			     "example.org/warehouse/rack.go\n"
			     "     0.80s      1.60s (flat, cum) 67.23% of Total\n"
			     "         .          .     12:func (r *Rack) Collect(into\n"
			     "[]string) []string {\n"
			     "     0.80s      0.80s     16:\tbox := r.box\n"
			     "         .      800ms     17:\n"
			     "r.box.MustRead(&box.content)\n"
			     "         .          .     18:}\n");
	const struct code_function *f = &c->code->functions.data[0];

	(void)state;
	assert_string_equal(c->format, "pprof-list");
	assert_str(strings_get(&d->strings, f->file), "example.org/warehouse/rack.go");
	is_near(f->of_all, 67.23);
	is_near(f->whole, 1.6e9);
	assert_int_equal(c->code->unit, WEIGHT_NS);
	is_near(row_of(c, "box := *")->self, 0.8e9);
	is_near(row_of(c, "*MustRead*")->cum, 0.8e9);
	is_near(row_of(c, "*MustRead*")->self, 0);
	assert_int_equal(row_of(c, "*MustRead*")->number, 17);
	assert_non_null(row_of(c, "func (r *Rack) Collect(into []string) []string {"));
}

static void pprof_rows_without_routine_are_named_by_their_source(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = load_text(
		d,
		"       30s    1.50mins (flat, cum)  3.70% of Total\n"
		"         .          .     11:}\n"
		"         .          .     12:func (r *Rack[T]) Collect(into []string) []string {\n"
		"       20s        20s     16:\tbox := r.box\n"
		"       10s    1.17mins    17:\tr.box.MustRead(&box.content)\n"
		"         .          .     18:}\n"
		"         .          .     20:func (r *Rack[T]) Close() {\n");
	const struct code_function *f = &c->code->functions.data[0];

	(void)state;
	assert_string_equal(c->format, "pprof-list");
	assert_int_equal(c->code->functions.len, 1);
	assert_str(symbols_name(&d->symbols, f->sym), "(*Rack).Collect");
	assert_int_equal(c->code->unit, WEIGHT_NS);
	is_near(f->of_all, 3.7);
	is_near(f->whole / 90e9, 1);
	is_near(row_of(c, "box :=*")->self / 20e9, 1);
	is_near(row_of(c, "r.box*")->cum / 70.2e9, 1);
}

static void pprof_rows_alone_are_split_at_functions(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = load_text(d, "     512kB    1.50MB     30:\treturn box\n"
					       "         .          .     31:}\n"
					       "         .          .     33:func fill(r Rack) {\n"
					       "  512.50kB   512.50kB     34:\tr.box = box{}\n"
					       "         .          .     35:}\n");

	(void)state;
	assert_int_equal(c->code->functions.len, 2);
	assert_int_equal(c->code->functions.data[0].sym.v, 0);
	assert_str(symbols_name(&d->symbols, c->code->functions.data[1].sym), "fill");
	assert_int_equal(c->code->unit, WEIGHT_BYTES);
	is_near(c->code->functions.data[1].whole, 524800);
}

static void callgrind_has_amounts_next_to_source(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = load_text(
		d,
		"-- Auto-annotated source: shelf.c\n"
		"--------------------------------------------------------------------------------\n"
		"Ir                 \n\n"
		"        .           #include <stdio.h>\n"
		"4,320,015 (65.42%)  static void turn(long n) { sink += n % 7; }\n"
		"       15 ( 0.00%)  static void shape(void) { turn(90000); }\n"
		"4,320,015 (65.42%)  => shelf.c:turn (3x)\n");

	(void)state;
	assert_string_equal(c->format, "callgrind-source");
	is_near(row_of(c, "static void turn*")->self, 4320015);
	assert_int_equal(row_of(c, "static void turn*")->number, 2);
	is_near(row_of(c, "=> shelf.c:turn*")->self, 0);
	is_near(row_of(c, "=> shelf.c:turn*")->cum, 4320015);
}

static void prose_and_source_are_nobodys(void **state)
{
	static const char *const texts[] = {
		"  1.25 | the share of it\n  3.50 | of another\n  2.20 | and more\n",
		"| 12.50 | mov | 30 |\n| 12.50 | add | 30 |\n| 1.50 | sub | 3 |\n",
		"        mov (%rdi),%rdi\n        add %eax,%ebx\n        jne 40\n",
		"   52.24%  1.49%  shelfd  [kernel.kallsyms]  [k] elf_core_dump\n",
		"10 20 30: one\n10 21 31: two\n10 22 32: three\n10 23 33: four\n",
		"1ms 2ms 3: one\n1ms 2ms 4: two\n",
	};

	(void)state;
	text_claims_none(&format_code_listing, texts, ARRAY_LEN(texts));
}

static void instructions_are_known_in_all_syntaxes(void **state)
{
	static const struct {
		const char *text;
		enum instruction_kind kind;
	} cases[] = {
		{ "lock addq $0x1,(%rdi)", INSTRUCTION_ATOMIC },
		{ "xchg   %al,(%rdi)", INSTRUCTION_ATOMIC },
		{ "xchg   %ax,%ax", INSTRUCTION_OTHER },
		{ "LOCK CMPXCHGL DX, 0(CX)", INSTRUCTION_ATOMIC },
		{ "ldaxr  w0, [x1]", INSTRUCTION_ATOMIC },
		{ "div    %esi", INSTRUCTION_DIVIDE },
		{ "divsd  %xmm4,%xmm0", INSTRUCTION_DIVIDE },
		{ "pause", INSTRUCTION_PAUSE },
		{ "rep stos %al,%es:(%rdi)", INSTRUCTION_FILL },
		{ "rep movsb %ds:(%rsi),%es:(%rdi)", INSTRUCTION_COPY },
		{ "repz ret", INSTRUCTION_OTHER },
		{ "mov    0xa00(%rax),%ecx     ## p->queue", INSTRUCTION_LOAD },
		{ "mov    %ecx,0xa00(%rax)", INSTRUCTION_OTHER },
		{ "lea    0x8(%rax),%rdx", INSTRUCTION_OTHER },
		{ "cmpl   $0x3,0x10(%rax)", INSTRUCTION_LOAD },
		{ "ldr    x0, [x1, #8]", INSTRUCTION_LOAD },
		{ "str    x0, [x1, #8]", INSTRUCTION_OTHER },
		{ "mov    rax, [rdi+8]", INSTRUCTION_LOAD },
		{ "stac", INSTRUCTION_USER_ACCESS },
		{ "in     (%dx),%eax", INSTRUCTION_DEVICE },
		{ "inc    %eax", INSTRUCTION_OTHER },
		{ "call   *0x10(%rax)", INSTRUCTION_INDIRECT },
		{ "mfence", INSTRUCTION_FENCE },
		{ "", INSTRUCTION_OTHER },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(instruction_kind_of(str_of(cases[i].text)), cases[i].kind);
}

/*
 * The kind of the instruction that is blamed for the heaviest row of @rows, which perf printed.
 * Expects that the text of the blamed row matches @text.
 */
static enum instruction_kind blamed(const char *rows, const char *text)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = load_text(d, rows);
	const struct code_function *f = &c->code->functions.data[0];
	struct instruction_blame blame;
	uint32_t hot = f->first;

	for (uint32_t i = f->first; i < f->first + f->n; i++)
		hot = c->code->rows.data[i].self > c->code->rows.data[hot].self ? i : hot;
	blame = instruction_blame(c->code, capture_strings(c), f, hot);
	assert_true(str_glob(str_of(text),
			     strings_get(&d->strings, c->code->rows.data[blame.row].text)));
	return blame.kind;
}

#define HEAD "Percent |\n"

static void blame_goes_to_the_slow_instruction_before(void **state)
{
	(void)state;
	assert_int_equal(blamed(HEAD " 0.00 | div %esi\n 77.00 | add %edx,%r9d\n", "div*"),
			 INSTRUCTION_DIVIDE);
	assert_int_equal(
		blamed(HEAD " 0.00 | mov 0x40(%rax),%edx\n 40.00 | test %edx,%edx\n", "mov 0x40*"),
		INSTRUCTION_LOAD);
	assert_int_equal(
		blamed(HEAD " 0.00 | mov 0x40(%rax),%edx\n 40.00 | test %esi,%esi\n", "test*"),
		INSTRUCTION_OTHER);
	assert_int_equal(
		blamed(HEAD " 0.00 | add 0x8(%rdi),%rax\n 90.00 | mov (%rdi),%rdi\n", "mov (*"),
		INSTRUCTION_CHASE);
	assert_int_equal(blamed(HEAD " 0.00 | cmpl $0x0,0x40(%rax)\n 40.00 | je 1f40\n", "cmpl*"),
			 INSTRUCTION_LOAD);
	assert_int_equal(
		blamed(HEAD " 0.00 | lock incl (%rax)\n 90.00 | rep stos %al,(%rdi)\n", "rep*"),
		INSTRUCTION_FILL);
}

static const struct finding *found(struct findings *f, struct dossier *d, const char *rule)
{
	CLEANUP(facts_freep) struct facts *facts = facts_new(d);

	explain_run(facts, NULL, f);
	assert_null(findings_check(f));
	VEC_FOREACH (row, &f->rows) {
		if (strcmp(row->rule->id, rule) == 0)
			return row;
	}
	return NULL;
}

/*
 * The severity of costly-instruction for a load with @pct of the samples of a function of 40
 * instructions.
 */
static int severity_of(double pct)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct findings f = { .rows = VEC_INIT };
	const struct finding *row;
	char text[4096] = HEAD;
	size_t n = strlen(text);
	int ret;

	for (int i = 0; i < 39; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "  1.00 | add %%eax,%%ebx\n");
	(void)snprintf(text + n, sizeof(text) - n, " %5.2f | mov (%%rax),%%ecx\n", pct);
	(void)load_text(d, text);
	row = found(&f, d, "costly-instruction");
	ret = row ? (int)row->severity : -1;
	findings_fini(&f);
	return ret;
}

/* The severity of costly-instruction for a load with @pct in a loop of three instructions. */
static int loop_severity(const char *pct)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct findings f = { .rows = VEC_INIT };
	const struct finding *row;
	char text[256];
	int ret;

	(void)snprintf(text, sizeof(text),
		       HEAD " 30.00 | add %%eax,%%ebx\n 20.00 | sub %%eax,%%esi\n"
			    " %s | mov (%%rax),%%ecx\n",
		       pct);
	(void)load_text(d, text);
	row = found(&f, d, "costly-instruction");
	ret = row ? (int)row->severity : -1;
	findings_fini(&f);
	return ret;
}

static void an_instruction_is_worth_a_line_from_five_percent_on(void **state)
{
	(void)state;
	assert_int_equal(severity_of(4.99), -1);
	assert_int_equal(severity_of(5.01), FINDING_NOTE);
	assert_int_equal(severity_of(19.99), FINDING_NOTE);
	assert_int_equal(severity_of(20.00), FINDING_WARNING);
	/* in a short loop, an instruction is reported from half of the time on */
	assert_int_equal(loop_severity("49.90"), -1);
	assert_int_equal(loop_severity("50.00"), FINDING_WARNING);
}

static void few_samples_make_no_warning(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(dossier_freep) struct dossier *few = dossier_new();
	struct findings f = { .rows = VEC_INIT };
	struct findings g = { .rows = VEC_INIT };
	const struct finding *row;

	(void)state;
	(void)load_text(d, stdio_text);
	row = found(&f, d, "costly-instruction");
	assert_int_equal(row->severity, FINDING_WARNING);
	assert_int_equal(row->sure, 75);
	assert_true(row->figures.data[0].low > 74 && row->figures.data[0].low < 75);
	(void)load_text(few, "Percent |\tSource code & Disassembly of x for cycles (99 samples)\n"
			     "  0.00 | add %eax,%ebx\n  1.00 | sub %eax,%ebx\n"
			     "  1.00 | sub %eax,%ebx\n  1.00 | sub %eax,%ebx\n"
			     "  1.00 | sub %eax,%ebx\n 96.00 | mov (%rax),%ecx\n");
	row = found(&g, few, "costly-instruction");
	assert_int_equal(row->severity, FINDING_NOTE);
	assert_int_equal(row->sure, 60);
	findings_fini(&f);
	findings_fini(&g);
}

/* Whether source-line claims @claim about @line of a function that has 50 % of the total. */
static bool line_claims(const char *before, const char *line, const char *claim)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct findings f = { .rows = VEC_INIT };
	const struct finding *row;
	char text[1024];
	bool ret;

	(void)snprintf(text, sizeof(text),
		       "%s\nROUTINE ======================== main.build in /srv/shelf.go\n"
		       "       600       1000 (flat, cum) 50.00%% of Total\n"
		       "       300        600     12:\t%s\n"
		       "       300        400     13:\treturn x\n",
		       before, line);
	(void)load_text(d, text);
	row = found(&f, d, "source-line");
	ret = row && str_contains(row->claim, str_of(claim));
	findings_fini(&f);
	return ret;
}

static void a_line_says_its_kind_of_work(void **state)
{
	static const char heap[] = "Type: alloc_space\n"
				   "Showing nodes accounting for 900MB, 90% of 1000MB total\n"
				   "      flat  flat%   sum%        cum   cum%\n"
				   "     600MB 60.00% 60.00%      900MB 90.00%  main.build\n";

	(void)state;
	assert_true(
		line_claims("", "re := regexp.MustCompile(p)", "compiles a regular expression"));
	assert_true(line_claims("", "s := fmt.Sprintf(p)", "formats text"));
	assert_true(line_claims("", "x = append(x, y)", "appends to a slice"));
	assert_false(line_claims("", "x := y.z", ", which"));
	assert_true(line_claims(heap, "x := y.z", "allocated bytes of main.build are on line 12"));
	assert_true(line_claims(heap, "x := y.z", "which allocates"));
}

/* The severity of source-line for a line with @amount of 1000; -1: no finding. */
static int line_severity(int amount, const char *of_all)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct findings f = { .rows = VEC_INIT };
	const struct finding *row;
	char text[1024];
	int ret;

	(void)snprintf(text, sizeof(text),
		       "ROUTINE ======================== main.build in /srv/shelf.go\n"
		       "      1000       1000 (flat, cum) %s of Total\n"
		       "       %d        %d     12:\tx := y\n"
		       "       280        280     13:\tx := y\n",
		       of_all, amount, amount);
	(void)load_text(d, text);
	row = found(&f, d, "source-line");
	ret = row ? (int)row->severity : -1;
	findings_fini(&f);
	return ret;
}

/*
 * Whether any rule claims @claim about @line, which has @own of 100 seconds and is two lines below
 * @above.
 */
static bool skid_claims(const char *above, const char *line, int own, const char *claim)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(facts_freep) struct facts *facts = NULL;
	struct findings f = { .rows = VEC_INIT };
	char text[1024];
	bool ret = false;

	(void)snprintf(text, sizeof(text),
		       "       100s       200s (flat, cum) 50.00%% of Total\n"
		       "         1s         1s     11:func (r *Rack) Count(n uint64) {\n"
		       "         1s       100s     12:\t%s\n"
		       "         1s         1s     13:\tn++\n"
		       "        %ds        %ds     14:\t%s\n"
		       "        %ds        %ds     15:\treturn r.add(n)\n",
		       above, own, own, line, 97 - own, 97 - own);
	(void)load_text(d, text);
	facts = facts_new(d);
	explain_run(facts, NULL, &f);
	assert_null(findings_check(&f));
	VEC_FOREACH (row, &f.rows)
		ret |= str_contains(row->claim, str_of(claim));
	findings_fini(&f);
	return ret;
}

static void a_line_that_only_computes_waits_for_a_load_above(void **state)
{
	static const char load[] = "v := r.counts.Load(n)";
	static const char only[] = "only computes, but has ";

	(void)state;
	assert_true(skid_claims(load, "s := (n * 31) & 15", 50, "'v := r.counts.Load(n)' reads"));
	assert_true(skid_claims(load, "s := (n * 31) & 15", 50, only));
	assert_false(skid_claims(load, "s := (n * 31) & 15", 49, only));
	assert_false(skid_claims(load, "s := hash(n)", 60, only));
	assert_false(skid_claims(load, "", 60, only));
	assert_false(skid_claims(load, "s := r.seed ^ n", 60, only));
	assert_false(skid_claims("v := n + 1", "s := (n * 31) & 15", 60, only));
}

static void a_line_is_found_from_a_third_of_its_function_on(void **state)
{
	(void)state;
	assert_int_equal(line_severity(299, "90.00%"), -1);
	assert_int_equal(line_severity(300, "90.00%"), FINDING_NOTE);
	assert_int_equal(line_severity(400, "74.90%"), FINDING_NOTE);
	assert_int_equal(line_severity(400, "75.10%"), FINDING_WARNING);
}

static void the_innermost_listed_function_is_the_one(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct findings f = { .rows = VEC_INIT };
	const struct finding *row;

	(void)state;
	(void)load_text(d, "Total: 1000\n"
			   "ROUTINE ======================== main.main in /srv/shelf.go\n"
			   "         0       1000 (flat, cum) 100% of Total\n"
			   "         .        900     20:\tx = build(y)\n"
			   "         .        100     21:\tx = other(y)\n"
			   "ROUTINE ======================== main.build in /srv/shelf.go\n"
			   "       100        900 (flat, cum) 90.00% of Total\n"
			   "       100        800     12:\tout += fmt.Sprintf(y)\n"
			   "         .        100     13:\treturn out\n");
	row = found(&f, d, "source-line");
	assert_true(str_contains(row->claim, STR("main.build")));
	assert_true(str_contains(row->claim, STR("line 12")));
	findings_fini(&f);
}

/* The severity of allocation-site for a heap profile whose first row has @pct; -1: no finding. */
static int site_severity(const char *type, int pct, const char *name, const char *claim)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct findings f = { .rows = VEC_INIT };
	const struct finding *row;
	char text[1024];
	int ret;

	(void)snprintf(text, sizeof(text),
		       "Type: %s\n"
		       "Showing nodes accounting for 1000, 100%% of 1000 total\n"
		       "      flat  flat%%   sum%%        cum   cum%%\n"
		       "       %d %d.0%% %d.0%%        1000 100%%  %s\n"
		       "       110 11.0%% 90.0%%        110 11.0%%  main.other\n",
		       type, pct * 10, pct, pct, name);
	(void)load_text(d, text);
	row = found(&f, d, "allocation-site");
	ret = row ? (int)row->severity : -1;
	if (row && claim)
		assert_true(str_contains(row->claim, str_of(claim)));
	findings_fini(&f);
	return ret;
}

/* Whether the claim about a site with @pct also names main.other, which has 11 %. */
static bool site_names_other(int pct)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct findings f = { .rows = VEC_INIT };
	const struct finding *row;
	char text[512];
	bool ret;

	(void)snprintf(text, sizeof(text),
		       "Type: inuse_space\n"
		       "Showing nodes accounting for 1000, 100%% of 1000 total\n"
		       "      flat  flat%%   sum%%        cum   cum%%\n"
		       "       %d %d.0%% %d.0%%        1000 100%%  main.keep\n"
		       "       110 11.0%% 90.0%%        110 11.0%%  main.other\n",
		       pct * 10, pct, pct);
	(void)load_text(d, text);
	row = found(&f, d, "allocation-site");
	ret = row && str_contains(row->claim, STR("main.other"));
	findings_fini(&f);
	return ret;
}

static void sites_of_half_the_size_are_named_as_well(void **state)
{
	(void)state;
	assert_int_equal(
		site_severity("inuse_space", 22, "main.keep", ", and main.other has 11.0 %"),
		FINDING_NOTE);
	assert_false(site_names_other(23));
	assert_true(site_names_other(22));
}

static void a_site_is_found_from_twelve_percent_on(void **state)
{
	(void)state;
	assert_int_equal(site_severity("inuse_space", 11, "main.keep", NULL), -1);
	assert_int_equal(site_severity("inuse_space", 12, "main.keep", "holds 12.0 %"),
			 FINDING_NOTE);
	assert_int_equal(site_severity("alloc_objects", 29, "main.keep", "allocates 29.0 %"),
			 FINDING_NOTE);
	assert_int_equal(site_severity("alloc_objects", 30, "main.keep", NULL), FINDING_WARNING);
	/* no finding for the allocator itself if its caller is not printed */
	assert_int_equal(site_severity("alloc_objects", 80, "runtime.growslice", NULL), -1);
	/* CPU time is not an allocation */
	assert_int_equal(site_severity("cpu", 80, "main.keep", NULL), -1);
}

static void line_profiler_has_times_in_its_timer_unit(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = load_text(
		d,
		"Timer unit: 1e-06 s\n\nTotal time: 2.5 s\nFile: shelf.py\n"
		"Function: find at line 12\n\n"
		"Line #      Hits         Time  Per Hit   % Time  Line Contents\n"
		"==============================================================\n"
		"    12                                           def find(shelf, name):\n"
		"    14    502503     700000.0      1.4     28.0      for box in shelf:\n"
		"    15    501501    1800000.0      3.6     72.0          if str(box) == name:\n");

	(void)state;
	assert_string_equal(c->format, "line-profiler");
	assert_int_equal(d->captures.len, 1); /* "Total time" is not of perf bench */
	assert_int_equal(c->code->unit, WEIGHT_NS);
	is_near(c->code->functions.data[0].whole, 2.5e9);
	is_near(row_of(c, "if str*")->self, 1.8e9);
	assert_int_equal(row_of(c, "if str*")->number, 15);
	assert_false(row_of(c, "def*")->has_weight);
	assert_true(c->code->is_inclusive);
}

static void memory_profiler_charges_no_line_with_the_memory_before_it(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = load_text(
		d, "Filename: shelf.py\n\n"
		   "Line #    Mem usage    Increment  Occurrences   Line Contents\n"
		   "=============================================================\n"
		   "     4     38.8 MiB     38.8 MiB           1   @profile\n"
		   "     5                                         def fill(lock):\n"
		   "     6     46.3 MiB      7.5 MiB           1       a = [1] * n\n"
		   "     7     40.3 MiB     -6.0 MiB           1       del a\n"
		   "     8     40.3 MiB      0.0 MiB        1001           mutex.acquire()\n"
		   "     9     40.8 MiB      0.5 MiB           1       return 7    + 2\n");

	(void)state;
	assert_string_equal(c->format, "memory-profiler"); /* not read as a table of perf lock */
	assert_int_equal(c->code->unit, WEIGHT_BYTES);
	assert_string_equal(symbols_name(capture_symbols(c), c->code->functions.data[0].sym).p,
			    "fill");
	is_near(row_of(c, "@profile")->self, 0);
	is_near(row_of(c, "a =*")->self, 7.5 * 1048576);
	is_near(row_of(c, "del*")->self, 0);
	is_near(row_of(c, "return 7    + 2")->self, 0.5 * 1048576);
	is_near(c->code->functions.data[0].whole, 8 * 1048576);
}

/* pprof -raw: "     1   10000000: 1 2 3" has a colon and ten numbers, like a row of lock_stat */
static void numbers_behind_a_colon_are_no_lock(void **state)
{
	static const char text[] = "          1   10000000: 1 2 3 4 5 6 7 8 9 10\n";
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;
	struct error err;

	(void)state;
	assert_int_equal(document_from_memory(STR(text), NULL, &doc, &err), OK);
	assert_int_not_equal(load_document(d, doc, "x.txt", NULL, &err), OK);
	assert_int_equal(d->captures.len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stdio_has_function_event_and_samples),
		cmocka_unit_test(tui_pastes_have_bars_arrows_and_decimal_commas),
		cmocka_unit_test(rows_without_a_head_are_known_by_their_instructions),
		cmocka_unit_test(stdio2_has_no_separator),
		cmocka_unit_test(pprof_lists_source_with_self_and_callees),
		cmocka_unit_test(callgrind_has_amounts_next_to_source),
		cmocka_unit_test(prose_and_source_are_nobodys),
		cmocka_unit_test(instructions_are_known_in_all_syntaxes),
		cmocka_unit_test(blame_goes_to_the_slow_instruction_before),
		cmocka_unit_test(an_instruction_is_worth_a_line_from_five_percent_on),
		cmocka_unit_test(few_samples_make_no_warning),
		cmocka_unit_test(a_line_says_its_kind_of_work),
		cmocka_unit_test(a_line_is_found_from_a_third_of_its_function_on),
		cmocka_unit_test(the_innermost_listed_function_is_the_one),
		cmocka_unit_test(pprof_rows_without_routine_are_named_by_their_source),
		cmocka_unit_test(pprof_rows_alone_are_split_at_functions),
		cmocka_unit_test(a_line_that_only_computes_waits_for_a_load_above),
		cmocka_unit_test(sites_of_half_the_size_are_named_as_well),
		cmocka_unit_test(a_site_is_found_from_twelve_percent_on),
		cmocka_unit_test(line_profiler_has_times_in_its_timer_unit),
		cmocka_unit_test(memory_profiler_charges_no_line_with_the_memory_before_it),
		cmocka_unit_test(numbers_behind_a_colon_are_no_lock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
