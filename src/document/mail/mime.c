/* SPDX-License-Identifier: MIT */
#include "document/mail/mime.h"

#include "base/status.h"
#include "base/str.h"

#include <stdio.h>

#define MIME_HEADER_BYTES (UINT64_C(1) << 20)
#define MIME_VALUE_BYTES  1024u

/* Take a field name and the colon after it from @line; *@ret is the name. */
static bool mime_field_name(struct str *line, struct str *ret)
{
	size_t n = 0;

	while (n < line->len && n < 77 && line->p[n] > ' ' && line->p[n] < 0x7f &&
	       line->p[n] != ':')
		n++;
	if (n == 0 || n >= line->len || line->p[n] != ':')
		return false;
	*ret = str_sub(*line, 0, n);
	*line = str_skip(*line, n + 1);
	return true;
}

static bool mime_is_mail_field(struct str name)
{
	static const char *const names[] = {
		"from",       "to",           "subject",      "date",         "message-id",
		"received",   "return-path",  "cc",           "reply-to",     "in-reply-to",
		"references", "delivered-to", "mime-version", "content-type", "x-original-to",
		"sender",     "list-id",
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (str_eq_nocase(name, str_of(names[i])))
			return true;
	}
	return false;
}

/*
 * The value of the parameter @name in @value, such as utf-8 for "charset" in
 *  text/plain; charset="utf-8"
 * Empty if missing.
 */
static struct str mime_parameter(struct str value, const char *name)
{
	struct str want = str_of(name);

	for (;;) {
		size_t semi = str_find_char(value, ';');

		if (semi == value.len)
			return STR_NONE;
		value = str_ltrim(str_skip(value, semi + 1));
		if (!str_starts_nocase(value, want))
			continue;
		value = str_ltrim(str_skip(value, want.len));
		/* extended syntax of RFC 2231: "filename*=utf-8''a.txt" */
		if (value.len && value.p[0] == '*')
			value = str_skip(value, 1);
		if (value.len == 0 || value.p[0] != '=')
			continue;
		value = str_ltrim(str_skip(value, 1));
		if (value.len && value.p[0] == '"') {
			value = str_skip(value, 1);
			return str_sub(value, 0, str_find_char(value, '"'));
		}
		for (semi = 0;
		     semi < value.len && value.p[semi] != ';' && !char_is_space(value.p[semi]);)
			semi++;
		return str_sub(value, 0, semi);
	}
}

static enum mime_kind mime_kind(struct str type)
{
	if (str_starts_nocase(type, STR("multipart/")))
		return MIME_MULTIPART;
	if (str_eq_nocase(type, STR("message/rfc822")))
		return MIME_MESSAGE;
	if (str_eq_nocase(type, STR("text/html")))
		return MIME_HTML;
	if (str_eq_nocase(type, STR("text/plain")) || str_find_char(type, '/') == type.len)
		return MIME_TEXT;
	if (str_starts_nocase(type, STR("text/")) || str_starts_nocase(type, STR("message/")) ||
	    str_starts_nocase(type, STR("application/")))
		return MIME_VERBATIM;
	return MIME_OPAQUE;
}

static void mime_content_type(struct str value, struct mime_header *h)
{
	struct str type = str_trim(str_sub(value, 0, str_find_char(value, ';')));
	struct str boundary = mime_parameter(value, "boundary");

	h->kind = mime_kind(type);
	h->is_alternative = str_eq_nocase(type, STR("multipart/alternative"));
	h->charset = charset_named(mime_parameter(value, "charset"));
	h->is_flowed = str_eq_nocase(mime_parameter(value, "format"), STR("flowed"));
	h->is_delsp = str_eq_nocase(mime_parameter(value, "delsp"), STR("yes"));
	h->is_attachment |= mime_parameter(value, "name").len > 0;
	if (boundary.len < sizeof(h->boundary) - 1)
		(void)snprintf(h->boundary, sizeof(h->boundary), STR_FMT, STR_ARG(boundary));
}

static void mime_field(struct str name, struct str value, struct mime_header *h)
{
	h->n_fields++;
	h->n_mail_fields += mime_is_mail_field(name);
	if (str_eq_nocase(name, STR("content-type"))) {
		mime_content_type(value, h);
	} else if (str_eq_nocase(name, STR("content-transfer-encoding"))) {
		value = str_trim(value);
		h->transfer = str_eq_nocase(value, STR("base64")) ? TRANSFER_BASE64
			      : str_eq_nocase(value, STR("quoted-printable"))
				      ? TRANSFER_QUOTED_PRINTABLE
				      : TRANSFER_NONE;
	} else if (str_eq_nocase(name, STR("content-disposition"))) {
		value = str_ltrim(value);
		h->is_attachment |= str_starts_nocase(value, STR("attachment")) ||
				    mime_parameter(value, "filename").len > 0;
	}
}

size_t mime_header(struct str text, struct mime_header *ret)
{
	struct mime_header h = { .kind = MIME_TEXT };
	struct str rest = str_sub(text, 0, MIME_HEADER_BYTES);
	char folded[MIME_VALUE_BYTES];
	size_t used = 0;
	struct str name = STR_NONE;
	struct str line;

	while (str_line(&rest, &line)) {
		if (line.len == 0) { /* an empty line ends the header */
			if (name.len)
				mime_field(name, (struct str){ folded, used }, &h);
			*ret = h;
			return (size_t)(rest.p - text.p);
		}
		/* a mailbox may have its "From " line inside the header */
		if (str_starts(line, STR(">From ")) || str_starts(line, STR("From ")))
			continue;
		if (!char_is_blank(line.p[0])) {
			if (name.len)
				mime_field(name, (struct str){ folded, used }, &h);
			used = 0;
			if (!mime_field_name(&line, &name))
				return 0;
		} else if (name.len == 0) {
			return 0;
		}
		if (line.len > sizeof(folded) - used)
			line.len = sizeof(folded) - used;
		if (line.len)
			memcpy(folded + used, line.p, line.len);
		used += line.len;
	}
	return 0;
}

size_t mime_boundary(struct str text, size_t from, const char *boundary, size_t *ret_end,
		     bool *ret_is_last)
{
	char buf[MIME_WORD_BYTES + 2];
	struct str needle;
	size_t at = from;

	(void)snprintf(buf, sizeof(buf), "--%s", boundary);
	needle = str_of(buf);
	for (;; at += needle.len) {
		struct str line;
		size_t nl;

		at += str_find(str_skip(text, at), needle);
		if (at >= text.len)
			return text.len;
		if (at > 0 && text.p[at - 1] != '\n')
			continue;
		line = str_skip(text, at);
		nl = str_find_char(line, '\n');
		*ret_end = at + nl + (nl < line.len);
		line = str_rtrim(str_sub(line, needle.len, nl));
		*ret_is_last = str_eq(line, STR("--"));
		if (line.len == 0 || *ret_is_last)
			return at;
	}
}
