/* SPDX-License-Identifier: MIT */
#include "document/mail/transfer.h"

#include "base/out.h"
#include "base/str.h"
#include "document/piece.h"

size_t transfer_quoted_printable(const struct piece *p, struct out *out, struct line_breaks *ret)
{
	struct piece_cursor c = piece_cursor(p);
	size_t first = out->len;
	bool is_soft = false;
	size_t n_bad = 0;
	struct str line;
	uint32_t original;

	while (piece_line(&c, &line, &original)) {
		line = str_rtrim(line); /* remove trailing blanks, which were added in transit */
		/* a line that was joined from several lines gets the number of the first one */
		if (!is_soft)
			line_breaks_add(ret, out->len - first, original);
		is_soft = line.len && line.p[line.len - 1] == '=';
		if (is_soft)
			line.len--;
		while (line.len) {
			size_t eq = str_find_char(line, '=');
			int hi, lo;

			out_str(out, str_sub(line, 0, eq));
			line = str_skip(line, eq);
			if (line.len == 0)
				break;
			hi = line.len > 2 ? char_hex(line.p[1]) : -1;
			lo = line.len > 2 ? char_hex(line.p[2]) : -1;
			if (hi < 0 || lo < 0) {
				out_char(out, '=');
				line = str_skip(line, 1);
				n_bad++;
				continue;
			}
			out_char(out, (char)(hi << 4 | lo));
			line = str_skip(line, 3);
		}
		if (!is_soft)
			out_char(out, '\n');
	}
	return n_bad;
}

static int transfer_digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (char_is_digit(c))
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/*
 * Whether @line is plain text, such as the footer that mailing lists append to an encoded body: it
 * has characters other than those of base64.
 */
static bool transfer_is_plain(struct str line)
{
	for (size_t i = 0; i < line.len; i++) {
		if (transfer_digit(line.p[i]) < 0 && line.p[i] != '=')
			return true;
	}
	return false;
}

size_t transfer_base64(const struct piece *p, struct out *out, struct line_breaks *ret)
{
	struct piece_cursor c = piece_cursor(p);
	size_t first = out->len;
	unsigned int bits = 0;
	uint32_t acc = 0;
	size_t n_bad = 0;
	struct str line;
	uint32_t original;

	while (piece_line(&c, &line, &original)) {
		line = str_trim(line);
		if (transfer_is_plain(line)) {
			if (out->len > first && out->data[out->len - 1] != '\n')
				out_char(out, '\n');
			line_breaks_add(ret, out->len - first, original);
			out_str(out, line);
			out_char(out, '\n');
			n_bad++;
			bits = 0;
			continue;
		}
		line_breaks_add(ret, out->len - first, original);
		for (size_t i = 0; i < line.len; i++) {
			int d = transfer_digit(line.p[i]);

			/* '=' fills up the end of encoded data; more encoded data may follow */
			if (d < 0) {
				bits = 0;
				continue;
			}
			acc = acc << 6 | (uint32_t)d;
			bits += 6;
			if (bits >= 8) {
				bits -= 8;
				out_char(out, (char)(acc >> bits & 0xff));
			}
		}
	}
	return n_bad;
}
