/* SPDX-License-Identifier: MIT */
#include "cmds/mcp/mcp_cut.h"

#include "base/text/json.h"

void mcp_cut_init(struct mcp_cut *c, uint64_t from, size_t max_bytes)
{
	*c = (struct mcp_cut){ .from = from ? from : 1, .max_bytes = max_bytes };
	out_init(&c->kept);
	out_init(&c->line);
}

void mcp_cut_fini(struct mcp_cut *c)
{
	out_fini(&c->kept);
	out_fini(&c->line);
}

uint64_t mcp_cut_left(const struct mcp_cut *c)
{
	return c->n_lines > c->last ? c->n_lines - c->last : 0;
}

/* Length in bytes that @s has as a JSON string, without the quotation marks. */
static size_t cut_cost(struct str s)
{
	struct out out = { .fd = -1 };
	struct json j;
	size_t cost;

	json_init(&j, &out, false);
	json_str(&j, s);
	cost = out.len - 2;
	out_fini(&out);
	return cost;
}

/* Truncate a line that alone exceeds the budget of @max bytes. UTF-8 characters are not split. */
static struct str cut_start(struct str line, size_t max)
{
	while (line.len && cut_cost(line) > max) {
		line.len -= line.len > 64 ? line.len / 8 : 1;
		while (line.len && ((unsigned char)line.p[line.len - 1] & 0xc0) == 0x80)
			line.len--;
		if (line.len && (unsigned char)line.p[line.len - 1] >= 0xc0)
			line.len--;
	}
	return line;
}

static void cut_line(struct mcp_cut *c)
{
	struct str line = str_rtrim(out_view(&c->line));
	size_t cost;

	c->n_lines++;
	c->has_line = false;
	if (c->n_lines >= c->from && !c->is_full) {
		cost = cut_cost(line) + 2;
		if (cost > c->max_bytes - c->used && c->last == 0) {
			line = cut_start(line, c->max_bytes - 2);
			cost = cut_cost(line) + 2;
		}
		c->is_full = cost > c->max_bytes - c->used;
		if (!c->is_full) {
			out_str(&c->kept, line);
			out_char(&c->kept, '\n');
			c->used += cost;
			c->last = c->n_lines;
		}
	}
	c->line.len = 0;
}

void mcp_cut_add(struct mcp_cut *c, struct str bytes)
{
	while (bytes.len) {
		size_t end = str_find_char(bytes, '\n');
		bool is_line = end < bytes.len;
		struct str part = str_sub(bytes, 0, end);
		size_t room = c->max_bytes - c->line.len;

		out_str(&c->line, str_sub(part, 0, part.len < room ? part.len : room));
		c->has_line = true;
		if (is_line)
			cut_line(c);
		bytes = str_skip(bytes, end + is_line);
	}
}

void mcp_cut_end(struct mcp_cut *c)
{
	if (c->has_line)
		cut_line(c);
}
