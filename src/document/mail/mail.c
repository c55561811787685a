/* SPDX-License-Identifier: MIT */
#include "document/mail/mail.h"

#include "base/limits.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/diag.h"
#include "document/clean.h"
#include "document/decompress.h"
#include "document/mail/body.h"
#include "document/mail/charset.h"
#include "document/mail/mime.h"
#include "document/mail/transfer.h"
#include "document/markup.h"
#include "document/piece.h"
#include "document/spool.h"
#include "document/terminal.h"

/* number of bytes at the start of a text in which the header of a mail must be found */
#define MAIL_LOOK_BYTES (UINT64_C(1) << 20)
/* maximum size in bytes of a decompressed attachment */
#define MAIL_UNPACKED_BYTES (UINT64_C(1) << 28)

static const struct diag_kind mail_opaque = { "document-attachment-skipped", DIAG_DATALOSS,
					      "attachments that are not text" };
static const struct diag_kind mail_alternative = {
	"document-alternative-skipped", DIAG_INFO,
	"other forms of a text that is there in plain form"
};
static const struct diag_kind mail_too_deep = { "document-mime-depth", DIAG_DATALOSS,
						"mail parts nested too deeply" };
static const struct diag_kind mail_bad_code = {
	"document-transfer-damaged", DIAG_INFO, "places in encoded mail bodies that are not encoded"
};
static const struct diag_kind mail_charset = { "document-charset", DIAG_INFO,
					       "texts in a character set that is not converted" };
static const struct diag_kind mail_no_boundary = { "document-mime-no-boundary", DIAG_INFO,
						   "mails of several parts without any part" };

static void mail_entity(const struct piece *p, unsigned int level, struct clean *out);

/*
 * The part of @p from byte @from to byte @to. The cursor @c must be at or before @from, and is
 * moved to @from.
 */
static struct piece mail_part(const struct piece *p, struct piece_cursor *c, size_t from, size_t to)
{
	piece_seek(c, from);
	return (struct piece){ .text = str_sub(p->text, from, to),
			       .first_line = c->line,
			       .is_one_line = p->is_one_line };
}

static bool mail_is_binary(struct str text)
{
	text = str_sub(text, 0, 65536);
	return terminal_traits(text).n_control * 64 > text.len;
}

/*
 * Convert the text @p to UTF-8 and from HTML to text, clean it, and write it to @out. Its transfer
 * encoding was already decoded.
 */
static void mail_text(const struct piece *p, const struct mime_header *h, struct clean *out)
{
	struct body_options options = {
		.quotes = h->is_attachment || h->kind == MIME_VERBATIM ? BODY_QUOTES_NONE
								       : BODY_QUOTES_MAIL,
		.is_mail = true,
		.is_flowed = h->is_flowed && !h->is_attachment,
		.is_delsp = h->is_delsp,
		.charset = h->charset,
	};
	struct line_breaks breaks = { VEC_INIT };
	struct line_breaks page = { VEC_INIT };
	struct piece text = *p;
	struct out utf8;
	struct out plain;
	size_t bom;
	enum charset charset = charset_detect(text.text, &bom);

	out_init(&utf8);
	out_init(&plain);
	if (h->charset == CHARSET_OTHER)
		diag_count(out->diag, &mail_charset, p->first_line);
	if (charset == CHARSET_UTF16_LE || charset == CHARSET_UTF16_BE) {
		(void)charset_from_utf16(&text, charset == CHARSET_UTF16_BE, out->limit, &utf8,
					 &breaks);
		text.text = out_view(&utf8);
		text.breaks = text.breaks ? &breaks : NULL;
		out->undone |= UNDONE_UTF16;
	}
	if (h->kind == MIME_HTML || (h->is_attachment && markup_is_html(text.text))) {
		(void)markup_html(&text, out->limit, &plain, &page);
		text.text = out_view(&plain);
		text.breaks = &page;
		out->undone |= UNDONE_HTML;
	}
	clean_separate(out, p->first_line);
	body_write(&text, &options, out);
	out_fini(&utf8);
	out_fini(&plain);
	VEC_FREE(&breaks.v);
	VEC_FREE(&page.v);
}

/*
 * Write a decoded attachment or text. Compressed data is decompressed first; data that is no text
 * is skipped.
 */
static void mail_unpack(const struct piece *p, const struct mime_header *h, struct clean *out)
{
	enum compression how = decompress_detect(p->text);
	CLEANUP(spool_fini) struct spool spool = { 0 };
	struct piece text = *p;
	enum charset charset;
	size_t bom;

	spool_init(&spool, out->limit < MAIL_UNPACKED_BYTES ? out->limit : MAIL_UNPACKED_BYTES);
	if (how != COMPRESSION_NONE) {
		if (decompress(p->text, how, &spool, out->diag, NULL) < 0) {
			diag_count(out->diag, &mail_opaque, p->first_line);
			return;
		}
		text = (struct piece){ .text = spool_view(&spool),
				       .first_line = p->first_line,
				       .is_one_line = true };
		out->undone |= UNDONE_PACKED;
	}
	charset = charset_detect(text.text, &bom);
	if (charset == CHARSET_UTF8 && mail_is_binary(text.text)) {
		diag_count(out->diag, &mail_opaque, p->first_line);
		return;
	}
	mail_text(&text, h, out);
}

static void mail_leaf(const struct piece *p, const struct mime_header *h, struct clean *out)
{
	struct line_breaks breaks = { VEC_INIT };
	struct piece text = *p;
	struct out decoded;
	size_t n_bad = 0;

	if (p->text.len == 0)
		return;
	if (h->kind == MIME_OPAQUE) {
		diag_count(out->diag, &mail_opaque, p->first_line);
		return;
	}
	out_init(&decoded);
	if (h->transfer == TRANSFER_BASE64) {
		n_bad = transfer_base64(p, &decoded, &breaks);
		out->undone |= UNDONE_BASE64;
	} else if (h->transfer == TRANSFER_QUOTED_PRINTABLE) {
		n_bad = transfer_quoted_printable(p, &decoded, &breaks);
		out->undone |= UNDONE_QP;
	}
	if (h->transfer != TRANSFER_NONE) {
		text.text = out_view(&decoded);
		text.breaks = text.is_one_line ? NULL : &breaks;
	}
	diag_add(out->diag, &mail_bad_code, n_bad, p->first_line);
	mail_unpack(&text, h, out);
	out_fini(&decoded);
	VEC_FREE(&breaks.v);
}

static enum mime_kind mail_kind_of(struct str part)
{
	struct mime_header h = { 0 };

	return mime_header(part, &h) ? h.kind : MIME_TEXT;
}

/* Whether one of the parts of @text is text/plain. */
static bool mail_has_plain(struct str text, const char *boundary)
{
	bool is_last = false;
	size_t from = 0;
	size_t at = mime_boundary(text, 0, boundary, &from, &is_last);

	while (at < text.len && !is_last) {
		size_t next = text.len;

		at = mime_boundary(text, from, boundary, &next, &is_last);
		if (mail_kind_of(str_sub(text, from, at)) == MIME_TEXT)
			return true;
		from = next;
	}
	return false;
}

/* Write the texts of all parts of the multipart body @p. */
static void mail_multipart(const struct piece *p, const struct mime_header *h, unsigned int level,
			   struct clean *out)
{
	struct piece_cursor c = piece_cursor(p);
	bool is_last = false;
	bool has_plain = h->is_alternative && mail_has_plain(p->text, h->boundary);
	size_t from = 0;
	size_t next = 0;
	size_t at = mime_boundary(p->text, 0, h->boundary, &from, &is_last);

	if (at == p->text.len || is_last) {
		struct mime_header plain = { .kind = MIME_TEXT, .charset = h->charset };

		diag_count(out->diag, &mail_no_boundary, p->first_line);
		mail_leaf(p, &plain, out);
		return;
	}
	out->undone |= UNDONE_MIME;
	while (!is_last && at < p->text.len && !clean_is_full(out)) {
		struct piece part;

		next = p->text.len;
		at = mime_boundary(p->text, from, h->boundary, &next, &is_last);
		/* the line break before a boundary belongs to that boundary */
		part = mail_part(p, &c, from, at > from && at < p->text.len ? at - 1 : at);
		from = next;
		if (h->is_alternative) {
			enum mime_kind kind = mail_kind_of(part.text);

			if (has_plain && (kind == MIME_HTML || kind == MIME_MULTIPART)) {
				diag_count(out->diag, &mail_alternative, part.first_line);
				continue;
			}
		}
		mail_entity(&part, level + 1, out);
	}
	/* text after the last part, such as the footer of a mailing list */
	if (is_last && from < p->text.len) {
		struct piece rest = mail_part(p, &c, from, p->text.len);
		struct mime_header plain = { .kind = MIME_TEXT };

		if (str_trim(rest.text).len)
			mail_leaf(&rest, &plain, out);
	}
}

/* Write the texts of a MIME entity: of its body, or of all parts of its body. */
static void mail_entity(const struct piece *p, unsigned int level, struct clean *out)
{
	struct mime_header h = { .kind = MIME_TEXT };
	struct piece_cursor c = piece_cursor(p);
	struct piece body;
	size_t n;

	if (level > LIMIT_MIME_DEPTH) {
		diag_count(out->diag, &mail_too_deep, p->first_line);
		return;
	}
	n = mime_header(p->text, &h);
	/* n: length of the header; 0: the part has no header */
	body = mail_part(p, &c, n, p->text.len);
	if (h.kind == MIME_MULTIPART)
		mail_multipart(&body, &h, level, out);
	else if (h.kind == MIME_MESSAGE)
		mail_entity(&body, level + 1, out);
	else
		mail_leaf(&body, &h, out);
}

/* Whether @line begins a mail in a mailbox: "From someone Thu May  3 06:40:34 2018". */
static bool mail_is_from_line(struct str line)
{
	size_t digits = 0;

	if (!str_starts(line, STR("From ")) || line.len > 512)
		return false;
	line = str_rtrim(line);
	while (digits < line.len && char_is_digit(line.p[line.len - digits - 1]))
		digits++;
	return digits == 4 && str_find_char(line, ':') < line.len;
}

/* Offset of the end of the mail that starts with the "From " line at @from. */
static size_t mail_end(struct str text, size_t from)
{
	static const struct str needle = STR("\nFrom ");

	for (;;) {
		struct str rest;
		struct str line;

		from += str_find(str_skip(text, from), needle);
		if (from >= text.len)
			return text.len;
		from++;
		rest = str_skip(text, from);
		if (str_line(&rest, &line) && mail_is_from_line(line)) {
			/* a field of a header must follow the "From " line */
			rest = str_sub(rest, 0, 77);
			rest = str_sub(rest, 0, str_find_char(rest, ':'));
			if (rest.len && rest.len < 77 && str_find_char(rest, ' ') == rest.len &&
			    str_find_char(rest, '\n') == rest.len)
				return from;
		}
	}
}

bool mail_is(struct str text)
{
	struct mime_header h = { 0 };
	struct str rest = text;
	struct str line;

	if (str_starts(text, STR("From "))) {
		rest = str_sub(rest, 0, MAIL_LOOK_BYTES);
		if (!str_line(&rest, &line) || !mail_is_from_line(line))
			return false;
		return mime_header(rest, &h) > 0 && h.n_mail_fields >= 2;
	}
	return mime_header(text, &h) > 0 && h.n_mail_fields >= 2;
}

void mail_write(const struct piece *p, struct clean *out)
{
	struct piece_cursor c = piece_cursor(p);
	struct str text = p->text;
	bool is_mbox = str_starts(text, STR("From "));
	size_t at = 0;

	out->undone |= UNDONE_MAIL;
	while (at < text.len && !clean_is_full(out)) {
		struct str line;
		struct str rest = str_skip(text, at);
		size_t end = is_mbox ? mail_end(text, at) : text.len;
		struct piece mail;

		if (is_mbox && str_line(&rest, &line)) {
			at += (size_t)(rest.p - (text.p + at));
			out->undone |= at < text.len && end < text.len ? UNDONE_MBOX : 0u;
		}
		mail = mail_part(p, &c, at < end ? at : end, end);
		mail_entity(&mail, 0, out);
		at = end;
	}
}
