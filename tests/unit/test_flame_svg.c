/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/format.h"
#include "texts.h"

DECLARE_FORMAT(flame_svg);
DECLARE_FORMAT(folded);

#define HEAD                                                        \
	"<?xml version=\"1.0\"?>\n<svg width=\"1200\">\n<style/>\n" \
	"<text id=\"title\" x=\"600\" y=\"24\">Night job</text>\n<title>page</title>\n"
#define FRAME(name, count, x, y, width)                                          \
	"<g>\n<title>" name " (" count ", 1.0%)</title><rect x=\"" x "\" y=\"" y \
	"\" width=\"" width "\" height=\"15.0\" />\n<text x=\"3\" y=\"4\">n..</text>\n</g>\n"
#define END "</g>\n</svg>\n"

/* Two stacks of main on "nightjob", of which one has two callees; the frames are in any order. */
#define TREE                                                  \
	FRAME("pack", "1,300 samples", "10.0", "37", "130.0") \
	FRAME("all", "2,000 samples", "10.0", "85", "200.0")  \
	FRAME("sort", "400 samples", "140.0", "37", "40.0")   \
	FRAME("main", "2,000 samples", "10.0", "53", "200.0") \
	FRAME("nightjob", "2,000 samples", "10.0", "69", "200.0")

static void assert_folded(const char *svg, const char *expected)
{
	struct reading f = reading_of(&format_flame_svg, svg);
	struct out out;

	out_init(&out);
	assert_int_equal(format_folded.write(f.c, &out, NULL), OK);
	assert_str(out_view(&out), expected);
	out_fini(&out);
	reading_fini(&f);
}

static void own_weight_is_that_without_the_frames_above(void **state)
{
	(void)state;
	assert_folded(HEAD TREE END,
		      "nightjob;main 300\nnightjob;main;pack 1300\nnightjob;main;sort 400\n");
}

static void a_command_is_no_function(void **state)
{
	struct reading f = reading_of(&format_flame_svg, HEAD TREE END);

	(void)state;
	assert_int_equal(f.p->threads.len, 1);
	assert_str(strings_get(&f.d->strings, f.p->threads.data[0].comm), "nightjob");
	assert_int_equal(f.c->first_line, 1);
	assert_int_equal(f.c->last_line, 27);
	assert_str(capture_note_of(f.c, STR("title")), "Night job");
	assert_str(capture_note_of(f.c, STR("counted in")), "samples");
	assert_int_equal(f.c->diag.entries.len, 0);
	reading_fini(&f);
}

static void functions_on_the_root_are_no_commands(void **state)
{
	struct reading f =
		reading_of(&format_flame_svg,
			   HEAD FRAME("all", "9 samples", "10.0", "85", "90.0")
				   FRAME("run::loop", "9 samples", "10.0", "69", "90.0")
					   FRAME("main", "9 samples", "10.0", "53", "90.0") END);

	(void)state;
	assert_int_equal(f.p->threads.len, 0);
	reading_fini(&f);
}

static void an_icicle_has_its_root_on_top(void **state)
{
	(void)state;
	assert_folded(HEAD FRAME("all", "20 samples", "10.0", "37", "200.0")
			      FRAME("read(int, char*)", "13 samples", "10.0", "53", "130.0")
				      FRAME("copy", "4 samples", "50.0", "69", "40.0") END,
		      "[unknown] 7\nread 9\nread;copy 4\n");
}

static void exact_places_count_more_than_pixels(void **state)
{
	/* by pixels, both callees would be above the first caller */
	static const char text[] =
		"<svg>\n"
		"<g><title>all (30 samples, 100%)</title><rect x=\"0%\" y=\"85\" width=\"100%\" "
		"fg:x=\"0\" fg:w=\"30\"/></g>\n"
		"<g><title>left (20 samples, 66%)</title><rect x=\"0%\" y=\"69\" width=\"100%\" "
		"fg:x=\"0\" fg:w=\"20\"/></g>\n"
		"<g><title>right (10 samples, 33%)</title><rect x=\"99%\" y=\"69\" width=\"1%\" "
		"fg:x=\"20\" fg:w=\"10\"/></g>\n"
		"<g><title>a (20 samples, 66%)</title><rect x=\"0%\" y=\"53\" width=\"9%\" "
		"fg:x=\"0\" fg:w=\"20\"/></g>\n"
		"<g><title>b (10 samples, 33%)</title><rect x=\"0%\" y=\"53\" width=\"9%\" "
		"fg:x=\"20\" fg:w=\"10\"/></g>\n"
		"</svg>\n";

	(void)state;
	assert_folded(text, "left;a 20\nright;b 10\n");
}

static void assays_own_are_read(void **state)
{
	static const char text[] =
		"<svg>\n<g id=\"frames\">\n"
		"<g class=\"k0\" data-s=\"0\" data-w=\"12000\"><title>all\n100 %, 12 us</title>"
		"<rect x=\"10\" y=\"64\" width=\"100\" height=\"15\"/></g>\n"
		"<g class=\"k3\" data-s=\"0\" data-w=\"12000\"><title>poll\n100 %, 12 us; itself "
		"50 %"
		"</title><rect x=\"10\" y=\"48\" width=\"100\" height=\"15\"/></g>\n"
		"<g class=\"k3\" data-s=\"500\" data-w=\"6000\"><title>read\n50 %, 6 us</title>"
		"<rect x=\"10\" y=\"32\" width=\"50\" height=\"15\"/></g>\n</g>\n</svg>\n";

	(void)state;
	assert_folded(text, "poll 6000\npoll;read 6000\n");
}

static void the_kernel_is_what_lies_above_its_entry(void **state)
{
	struct reading f = reading_of(
		&format_flame_svg,
		HEAD FRAME("all", "5 samples", "10.0", "85", "50.0")
			FRAME("do_syscall_64", "5 samples", "10.0", "69", "50.0")
				FRAME("vfs_read", "5 samples", "10.0", "53", "50.0") END);
	stack_id leaf = f.p->samples.stack.data[0];

	(void)state;
	assert_int_equal(symbols_get(&f.d->symbols, stacks_sym(&f.p->stacks, leaf))->space,
			 SPACE_KERNEL);
	reading_fini(&f);
}

static void damage_is_counted(void **state)
{
	struct reading f =
		reading_of(&format_flame_svg,
			   HEAD FRAME("all", "20 samples", "10.0", "85",
				      "200.0") FRAME("thin", "3 samples", "10.0", "69", "100.0")
				   FRAME("fat", "9 samples", "10.0", "53",
					 "90.0") FRAME("adrift", "2 samples", "150.0", "53", "20.0")
					   FRAME("above", "1 samples", "150.0", "37", "9.0")
						   FRAME("x", "many samples", "1", "2", "3") END);

	(void)state;
	assert_int_equal(diag_get(&f.c->diag, "flame-svg-no-caller"), 1);
	assert_int_equal(diag_get(&f.c->diag, "flame-svg-too-wide"), 1);
	assert_int_equal(f.p->samples.n, 2);
	reading_fini(&f);
}

static void other_pictures_are_nobodys(void **state)
{
	static const char text[] =
		"<svg>\n<title>Sales (12 units)</title>\n<rect x=\"1\" y=\"2\" "
		"width=\"3\"/>\n<g><title>May (3 samples, 4)</title></g>\n</svg>\n";
	struct extent e;

	(void)state;
	assert_int_equal(format_flame_svg.probe(str_of(text)), 0);
	assert_false(format_flame_svg.find(str_of(text), 0, &e));
	assert_true(format_flame_svg.find(STR(HEAD TREE END), 0, &e));
	assert_int_equal(e.from, 0);
	assert_int_equal(e.to, sizeof(HEAD TREE END) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_weight_is_that_without_the_frames_above),
		cmocka_unit_test(a_command_is_no_function),
		cmocka_unit_test(functions_on_the_root_are_no_commands),
		cmocka_unit_test(an_icicle_has_its_root_on_top),
		cmocka_unit_test(exact_places_count_more_than_pixels),
		cmocka_unit_test(assays_own_are_read),
		cmocka_unit_test(the_kernel_is_what_lies_above_its_entry),
		cmocka_unit_test(damage_is_counted),
		cmocka_unit_test(other_pictures_are_nobodys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
