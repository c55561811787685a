/* SPDX-License-Identifier: MIT */
#include "render/web/web_page.h"

#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "render/escape.h"

#include <limits.h>
#define ZLIB_CONST /* makes zlib.h declare next_in as a pointer to const */
#include <zlib.h>

#define WEB_GZIP_BITS (15 + 16)
/* bytes per chunk; a multiple of 3, so that no chunk needs base64 padding */
#define WEB_CHUNK      49152u
#define WEB_GZIP_LEVEL 6

/* Print @s as the text of an HTML element, with special characters escaped. */
static void web_text(struct out *out, struct str s)
{
	struct out plain = { .fd = -1 };

	escape_text(&plain, s);
	for (size_t i = 0; i < plain.len; i++) {
		switch (plain.data[i]) {
		case '<':
			out_z(out, "&lt;");
			break;
		case '>':
			out_z(out, "&gt;");
			break;
		case '&':
			out_z(out, "&amp;");
			break;
		default:
			out_char(out, plain.data[i]);
		}
	}
	out_fini(&plain);
}

void web_page_begin(struct out *out, struct str title)
{
	out_bytes(out, web_page_head, web_page_lengths[0]);
	web_text(out, title);
	out_bytes(out, web_page_middle, web_page_lengths[1]);
}

void web_page_json(struct out *out, const char *id, struct str json)
{
	out_printf(out, "<script type=\"application/json\" id=\"%s\">", id);
	while (json.len) {
		size_t n = str_find_char(json, '<');

		out_bytes(out, json.p, n);
		if (n < json.len)
			out_z(out, "\\u003c");
		json = str_skip(json, n < json.len ? n + 1 : n);
	}
	out_z(out, "</script>\n");
}

struct web_packer {
	struct out *out;
	z_stream z;
	unsigned char chunk[WEB_CHUNK];
};

static void web_pack(struct web_packer *p, const void *data, size_t len, bool is_last)
{
	const unsigned char *from = data;
	int r = Z_OK;

	do {
		size_t n = len > UINT_MAX / 2 ? UINT_MAX / 2 : len;
		int flush = is_last && n == len ? Z_FINISH : Z_NO_FLUSH;

		p->z.next_in = from;
		p->z.avail_in = (uInt)n;
		do {
			r = deflate(&p->z, flush);
			if (p->z.avail_out == 0 || (flush == Z_FINISH && r == Z_STREAM_END)) {
				base64_write(p->out, p->chunk, WEB_CHUNK - p->z.avail_out);
				p->z.next_out = p->chunk;
				p->z.avail_out = WEB_CHUNK;
			}
		} while (flush == Z_FINISH ? r != Z_STREAM_END : p->z.avail_in != 0);
		from += n;
		len -= n;
	} while (len);
}

static int web_packed(struct out *out, const char *id, struct str head, struct str body,
		      struct error *err)
{
	struct web_packer *p = xcalloc(1, sizeof(*p));

	p->out = out;
	if (deflateInit2(&p->z, WEB_GZIP_LEVEL, Z_DEFLATED, WEB_GZIP_BITS, 8, Z_DEFAULT_STRATEGY) !=
	    Z_OK) {
		free(p);
		return fail(err, ERR_LIMIT, "no memory to compress the page");
	}
	p->z.next_out = p->chunk;
	p->z.avail_out = WEB_CHUNK;
	out_printf(out, "<script type=\"application/gzip\" id=\"%s\">", id);
	web_pack(p, head.p, head.len, false);
	web_pack(p, body.p, body.len, true);
	out_z(out, "</script>\n");
	(void)deflateEnd(&p->z);
	free(p);
	return OK;
}

int web_page_packed(struct out *out, const char *id, struct str json, struct error *err)
{
	return web_packed(out, id, json, STR(""), err);
}

int web_page_block(struct out *out, const char *id, struct web_block *b, struct error *err)
{
	struct out head = { .fd = -1 };
	uint32_t len;
	unsigned char bytes[4];
	int r;

	json_object_end(&b->json);
	out_bytes(&head, "\0\0\0\0", 4);
	out_str(&head, out_view(&b->head));
	out_z(&head, ",\"columns\":[");
	out_str(&head, out_view(&b->columns));
	out_z(&head, "]}");
	while (head.len % 8)
		out_char(&head, ' ');
	if (head.len > UINT32_MAX) {
		out_fini(&head);
		return fail(err, ERR_LIMIT, "its names take more than 4 GiB");
	}
	len = (uint32_t)head.len - 4;
	for (unsigned int i = 0; i < 4; i++)
		bytes[i] = (unsigned char)(len >> 8 * i);
	memcpy(head.data, bytes, 4);
	r = web_packed(out, id, out_view(&head), out_view(&b->body), err);
	out_fini(&head);
	return r;
}

void web_page_end(struct out *out)
{
	out_bytes(out, web_page_tail, web_page_lengths[2]);
}
