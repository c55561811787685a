/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "render/screen.h"

#include <stdlib.h>

/* Contents of a terminal of @width by @height cells after @frame, lines joined by '|'. */
static struct str shown(const struct out *frame, unsigned int width, unsigned int height)
{
	static char cells[64][256];
	static struct out all;
	unsigned int row = 0;
	unsigned int column = 0;

	assert_true(width < 256 && height <= 64);
	memset(cells, '.', sizeof(cells)); /* left over from a previous frame */
	for (size_t i = 0; i < frame->len;) {
		char c = frame->data[i];

		if (c != '\033') {
			assert_true(column < width && row < height);
			cells[row][column++] = c;
			i++;
			continue;
		}
		for (i += 2; frame->data[i] < '@'; i++)
			;
		if (frame->data[i] == 'H') {
			row = 0;
			for (const char *p = frame->data + i; *p != '['; p--) {
				if (*p == ';') {
					const char *from = p;

					while (from[-1] != '[')
						from--;
					row = (unsigned int)strtoul(from, NULL, 10) - 1;
				}
			}
			column = 0;
			assert_true(row < height);
		} else if (frame->data[i] == 'K') {
			memset(cells[row] + column, ' ', width - column);
		}
		i++;
	}
	all.len = 0;
	all.fd = -1;
	for (unsigned int r = 0; r < height; r++) {
		unsigned int end = width;

		while (end && cells[r][end - 1] == ' ')
			end--;
		out_bytes(&all, cells[r], end);
		out_char(&all, '|');
	}
	return out_view(&all);
}

static const struct screen_page table = {
	.selected = SIZE_MAX,
	.head = { "head one\nhead two\n", 18 },
	.body = { "title\nrow 0\nrow 1\nrow 2\nrow 3\nrow 4\nrow 5\n", 42 },
	.n_titles = 1,
	.foot = { "foot", 4 },
};

static struct str draw(struct screen_page *page, unsigned int width, unsigned int height)
{
	struct out frame = { .fd = -1 };
	struct str s;

	screen_lay_out(page, height);
	screen_draw(page, width, height, NULL, &frame);
	s = shown(&frame, width, height);
	out_fini(&frame);
	return s;
}

static void parts_stand_where_they_belong(void **state)
{
	struct screen_page page = table;

	(void)state;
	assert_str(draw(&page, 20, 12),
		   "head one|head two|title|row 0|row 1|row 2|row 3|row 4|row 5|||foot|");
}

static void the_selected_row_is_always_to_be_seen(void **state)
{
	struct screen_page page = table;

	(void)state;
	page.selected = 5;
	assert_str(draw(&page, 20, 8), "head one|head two|title|row 2|row 3|row 4|row 5|foot|");
	assert_int_equal(page.first, 2);
	page.selected = 1;
	assert_str(draw(&page, 20, 8), "head one|head two|title|row 1|row 2|row 3|row 4|foot|");
}

static void the_head_gives_way_where_there_is_little_room(void **state)
{
	struct screen_page page = table;

	(void)state;
	assert_str(draw(&page, 20, 6), "head one|title|row 0|row 1|row 2|foot|");
	page = table;
	assert_str(draw(&page, 20, 4), "title|row 0|row 1|foot|");
}

static void no_size_is_too_small(void **state)
{
	(void)state;
	for (unsigned int height = 1; height <= 16; height++) {
		for (unsigned int width = 1; width <= 40; width++) {
			struct screen_page page = table;

			page.selected = 3;
			(void)draw(&page, width, height);
		}
	}
}

static void what_goes_shorter_takes_the_selection_along(void **state)
{
	struct screen_page page = table;

	(void)state;
	page.selected = 100;
	page.first = 90;
	(void)draw(&page, 20, 8);
	assert_int_equal(page.selected, 5);
	page.body = STR("title\n");
	(void)draw(&page, 20, 8);
	assert_true(page.selected == SIZE_MAX);
	assert_int_equal(page.first, 0);
}

static void a_line_is_clipped_at_columns_not_bytes(void **state)
{
	struct out out = { .fd = -1 };

	(void)state;
	assert_int_equal(screen_clip(STR("äöü日本"), 6, false, &out), 5);
	assert_str(out_view(&out), "äöü日");
	out.len = 0;
	assert_int_equal(screen_clip(STR("\033[31mred\033[0m and more"), 5, false, &out), 5);
	assert_str(out_view(&out), "\033[31mred\033[0m a\033[0m");
	out.len = 0;
	assert_int_equal(screen_clip(STR("\033[31mred\033[0m"), 6, true, &out), 6);
	assert_str(out_view(&out), "\033[7mred   \033[0m");
	out_fini(&out);
}

static void nothing_else_moves_the_cursor(void **state)
{
	struct out out = { .fd = -1 };

	(void)state;
	(void)screen_clip(STR("a\033[2Jb\tc\177d\377e"), 40, false, &out);
	for (size_t i = 0; i < out.len; i++)
		assert_true((unsigned char)out.data[i] >= ' ' && out.data[i] != '\177');
	out_fini(&out);
}

static void keys_are_distinguished(void **state)
{
	struct str bytes = STR("j\033[A\033[B\033OC\033[5~\033[6~\r\177\033");
	static const enum screen_key want[] = { KEY_CHAR,  KEY_UP,      KEY_DOWN,
						KEY_RIGHT, KEY_PAGE_UP, KEY_PAGE_DOWN,
						KEY_ENTER, KEY_ERASE,   KEY_ESCAPE };
	uint32_t code;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		assert_true(bytes.len > 0);
		assert_int_equal(screen_key(&bytes, &code), want[i]);
		if (i == 0)
			assert_int_equal(code, 'j');
	}
	assert_int_equal(bytes.len, 0);
}

static void keys_that_are_not_known_are_passed_over_whole(void **state)
{
	struct str bytes = STR("\033[1;5Dq\033[<0;10;10Mq");
	uint32_t code;

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(screen_key(&bytes, &code), KEY_NONE);
		assert_int_equal(screen_key(&bytes, &code), KEY_CHAR);
		assert_int_equal(code, 'q');
	}
	assert_int_equal(bytes.len, 0);
}

static void any_bytes_are_keys_in_the_end(void **state)
{
	char bytes[3];

	(void)state;
	for (unsigned int a = 0; a < 256; a++) {
		for (unsigned int b = 0; b < 256; b += 5) {
			struct str s = { bytes, 3 };
			uint32_t code;

			bytes[0] = '\033';
			bytes[1] = (char)a;
			bytes[2] = (char)b;
			while (s.len) {
				size_t before = s.len;

				(void)screen_key(&s, &code);
				assert_true(s.len < before);
			}
		}
	}
}

static void only_lines_that_changed_are_written(void **state)
{
	struct screen_page page = table;
	struct screen_shown shown = { .width = 0 };
	struct out frame = { .fd = -1 };
	size_t whole;

	(void)state;
	page.selected = 0;
	screen_lay_out(&page, 9);
	screen_draw(&page, 20, 9, &shown, &frame);
	whole = frame.len;
	assert_true(whole > 0);
	frame.len = 0;
	screen_draw(&page, 20, 9, &shown, &frame);
	assert_int_equal(frame.len, 0);
	/* the cursor moves: two lines change */
	page.selected = 1;
	screen_draw(&page, 20, 9, &shown, &frame);
	assert_true(str_contains(out_view(&frame), STR("row 0")));
	assert_true(str_contains(out_view(&frame), STR("row 1")));
	assert_false(str_contains(out_view(&frame), STR("row 2")));
	/* another width: all lines */
	frame.len = 0;
	screen_draw(&page, 21, 9, &shown, &frame);
	assert_true(str_contains(out_view(&frame), STR("head one")));
	screen_shown_fini(&shown);
	out_fini(&frame);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_lines_that_changed_are_written),
		cmocka_unit_test(parts_stand_where_they_belong),
		cmocka_unit_test(the_selected_row_is_always_to_be_seen),
		cmocka_unit_test(the_head_gives_way_where_there_is_little_room),
		cmocka_unit_test(no_size_is_too_small),
		cmocka_unit_test(what_goes_shorter_takes_the_selection_along),
		cmocka_unit_test(a_line_is_clipped_at_columns_not_bytes),
		cmocka_unit_test(nothing_else_moves_the_cursor),
		cmocka_unit_test(keys_are_distinguished),
		cmocka_unit_test(keys_that_are_not_known_are_passed_over_whole),
		cmocka_unit_test(any_bytes_are_keys_in_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
