/* SPDX-License-Identifier: MIT */
/*
 * budget_write.c - write the kept items as text or JSON, and a footer with the number of omitted
 * items
 */
#include "render/budget_part.h"

#include "base/out.h"
#include "base/str.h"
#include "base/text/json.h"
#include "base/vec.h"
#include "core/ids.h"
#include "render/view.h"

#include <inttypes.h>

/*
 * Name of a part in the footer: the title of its table, otherwise its column titles, otherwise the
 * heading above it.
 */
static struct str budget_name(const struct budget_view *b, const struct budget_part *part)
{
	if (part->title.len)
		return part->title;
	if (part->head.len)
		return str_sub(part->head, 0, 60);
	return part->section != INDEX_NONE ? str_sub(b->sections.data[part->section], 0, 60)
					   : STR("text");
}

static uint64_t budget_left(const struct budget_part *part)
{
	return part->n - part->kept + part->unseen;
}

void budget_write_footer(const struct budget_view *b, size_t max, struct out *ret)
{
	struct out one = { .fd = -1 };
	uint64_t rows = 0, sentences = 0;
	uint64_t unnamed = 0;

	ret->len = 0;
	VEC_FOREACH (part, &b->parts) {
		rows += part->is_table ? budget_left(part) : 0;
		sentences += part->is_table ? 0 : budget_left(part);
	}
	if (rows + sentences == 0)
		return;
	out_printf(ret, "\nLeft out: %" PRIu64 " rows, %" PRIu64 " sentences (assay explain FILE)",
		   rows, sentences);
	VEC_FOREACH (part, &b->parts) {
		if (!part->is_table || budget_left(part) == 0)
			continue;
		one.len = 0;
		out_printf(&one, "\n%" PRIu64 " of %" PRIu64 " rows, " STR_FMT ": %s",
			   budget_left(part), part->n + part->unseen, STR_ARG(budget_name(b, part)),
			   part->command);
		if (ret->len + one.len + 30 <= max)
			out_str(ret, out_view(&one));
		else
			unnamed++;
	}
	if (unnamed)
		out_printf(ret, "\nand in %" PRIu64 " more tables", unnamed);
	out_char(ret, '\n');
	out_fini(&one);
}

static void budget_text_part(const struct budget_view *b, const struct budget_part *part,
			     struct out *ret)
{
	if (part->title.len)
		out_printf(ret, STR_FMT "\n", STR_ARG(part->title));
	if (part->head.len)
		out_printf(ret, STR_FMT "\n", STR_ARG(part->head));
	if (part->constant.len)
		out_printf(ret, "(" STR_FMT ")\n", STR_ARG(part->constant));
	for (uint32_t i = part->first; i < part->first + part->n; i++) {
		if (!b->items.data[i].is_kept)
			continue;
		out_str(ret, b->items.data[i].text);
		out_char(ret, '\n');
	}
}

void budget_write_text(const struct budget_view *b, size_t limit, struct out *ret)
{
	uint32_t section = INDEX_NONE;

	ret->len = 0;
	if (b->sections.len && b->sections.data[0].len + 2 <= limit) {
		out_printf(ret, STR_FMT "\n", STR_ARG(b->sections.data[0]));
		section = 0;
	}
	VEC_FOREACH (part, &b->parts) {
		if (part->kept == 0)
			continue;
		if (part->section != section && part->section != INDEX_NONE)
			out_printf(ret, "%s" STR_FMT "\n", ret->len ? "\n" : "",
				   STR_ARG(b->sections.data[part->section]));
		section = part->section;
		budget_text_part(b, part, ret);
	}
}

static void budget_json_part(const struct budget_view *b, const struct budget_part *part,
			     struct json *j)
{
	json_object(j);
	if (part->section != INDEX_NONE) {
		json_key(j, "section");
		json_str(j, b->sections.data[part->section]);
	}
	if (part->title.len) {
		json_key(j, "title");
		json_str(j, part->title);
	}
	if (part->is_table) {
		json_key(j, "columns");
		json_str(j, part->head);
	}
	if (part->constant.len) {
		json_key(j, "all_rows");
		json_str(j, part->constant);
	}
	json_key(j, part->is_table ? "rows" : "sentences");
	json_array(j);
	for (uint32_t i = part->first; i < part->first + part->n; i++) {
		if (b->items.data[i].is_kept)
			json_str(j, b->items.data[i].text);
	}
	json_array_end(j);
	json_key(j, "left_out");
	json_u64(j, budget_left(part));
	if (part->is_table && budget_left(part)) {
		json_key(j, "command");
		json_z(j, part->command);
	}
	json_object_end(j);
}

void budget_write_json(const struct budget_view *b, unsigned int tokens)
{
	struct json j;

	json_init(&j, b->base.out, /* pretty= */ true);
	json_object(&j);
	json_key(&j, "schema");
	json_z(&j, "assay-brief-1");
	json_key(&j, "budget");
	json_u64(&j, b->opt.tokens);
	json_key(&j, "tokens");
	json_u64(&j, tokens);
	json_key(&j, "parts");
	json_array(&j);
	VEC_FOREACH (part, &b->parts)
		budget_json_part(b, part, &j);
	json_array_end(&j);
	json_object_end(&j);
	out_char(b->base.out, '\n');
}
