/* SPDX-License-Identifier: MIT */
#include "document/mail/body.h"

#include "base/out.h"
#include "base/str.h"
#include "base/text/utf8.h"
#include "document/clean.h"
#include "document/label.h"
#include "document/listing.h"
#include "document/mail/quote.h"
#include "document/markup.h"
#include "document/piece.h"
#include "document/terminal.h"

/*
 * With format=flowed, a line that ends in a blank continues in the next line. Join the two lines
 * only if the first line and the first word of the next line together are longer than this number
 * of characters.
 */
#define BODY_FLOW_COLUMNS 60u

/* Archives of mailing lists append attachments after this line, without quoting them. */
#define BODY_NEXT_PART STR("-------------- next part --------------")

struct body {
	const struct body_options *options;
	struct clean *out;
	struct byte_traits traits;
	bool is_markdown;
	/* the current line is in an attachment, where quote marks are part of the text */
	bool is_verbatim;
	struct markup_state markup;

	struct quote_run run; /* the current run of consecutive quoted lines */
	uint64_t n_line;      /* number of the current line, from 0 */
	uint64_t run_end;     /* number of the first line after the run of quoted lines */
	bool run_is_quote;
	/*
	 * Lines before the line with this number were already checked: none of them is the start of
	 * a block quoted with '|'.
	 */
	uint64_t bars_checked;
	uint64_t bars_end; /* number of the first line after the block of lines quoted with '|' */
	size_t bars_depth;
	/*
	 * Lines before the line with this number were already checked: none is the start of a block
	 * with labels ("db_1 | text", label.h).
	 */
	uint64_t labels_checked;
	uint64_t labels_end; /* number of the first line after the block of lines with labels */
	/* as labels_checked and labels_end, here for blocks with line numbers (listing.h) */
	uint64_t listing_checked;
	uint64_t listing_end;

	bool has_last;     /* at least one line of this text has been written */
	size_t last_depth; /* quote depth of the previous line */
	/*
	 * the previous line was wrapped: its text continues in the next line of the same quote
	 * depth
	 */
	bool is_flow_open;
	bool ends_in_colon; /* the last line that is not empty ends in a colon */
	size_t last_len;    /* length of the previous line */
	/*
	 * buffers for the current line after each step: Latin-1 to UTF-8, terminal codes, entities,
	 * links
	 */
	struct out latin;
	struct out plain;
	struct out decoded;
	struct out linked;
	bool has_links;
};

/* Strip the quote marks of @line; *@ret_depth is their number. */
static struct str body_unquote(struct body *b, struct str line, size_t *ret_depth)
{
	size_t max = SIZE_MAX;
	struct quote_marks m;
	bool eats_blank;

	*ret_depth = 0;
	/* do not take a '>' inside a Markdown fence as a quote mark */
	if (b->markup.fence && !b->options->is_mail)
		max = b->markup.depth;
	if (b->options->is_mail && b->run.n_lines == 1 && str_starts(line, STR(">From ")))
		return str_skip(line, 1);
	m = quote_parse(line, max);
	/*
	 * A C++ name may be wrapped: "std::vector<int" / ">::push_back". A '>' that closes a '<' of
	 * the previous line is no quote mark.
	 */
	if (b->has_last && m.depth > b->last_depth && b->traits.has_less) {
		size_t open = quote_open_brackets(clean_last(b->out));

		if (open && m.depth - b->last_depth <= open)
			m = quote_parse(line, b->last_depth);
	}
	if (m.depth == 0)
		return line;
	*ret_depth = m.depth;
	b->out->undone |= UNDONE_QUOTES;
	eats_blank = quote_eats_blank(&b->run, m.depth);
	line = str_skip(line, m.bytes);
	return eats_blank && line.len && line.p[0] == ' ' ? str_skip(line, 1) : line;
}

/*
 * Remove the quote mark '|' from @line, if the line is in a block of lines quoted with '|'. If
 * @line is the first line of such a block, find the end of the block. @here: cursor at the current
 * line.
 */
static struct str body_unbar(struct body *b, const struct piece_cursor *here, struct str line,
			     size_t *depth)
{
	if (b->n_line >= b->bars_end && b->n_line >= b->bars_checked && b->ends_in_colon) {
		size_t n = quote_scan_bars(*here, *depth);

		b->bars_checked = b->n_line + (n ? n : 1);
		b->bars_end = b->n_line + n;
		b->bars_depth = *depth;
	}
	if (b->n_line >= b->bars_end || *depth != b->bars_depth)
		return line;
	(*depth)++;
	b->out->undone |= UNDONE_QUOTES;
	line = str_skip(line, 1);
	return line.len && line.p[0] == ' ' ? str_skip(line, 1) : line;
}

/*
 * Remove the label ("db_1 | ", label.h) from a line in a block of lines with labels. If @line is
 * the first line of such a block, find the end of the block.
 */
static struct str body_unlabel(struct body *b, const struct piece_cursor *here, struct str line,
			       size_t depth)
{
	size_t bytes = label_bytes(line);

	if (!bytes)
		return line;
	if (b->n_line >= b->labels_end && b->n_line >= b->labels_checked &&
	    !str_contains(b->has_last ? clean_last(b->out) : STR_NONE, STR("-+-"))) {
		size_t n = label_scan(*here, depth);

		b->labels_checked = b->n_line + (n ? n : 1);
		b->labels_end = b->n_line + n;
	}
	if (b->n_line >= b->labels_end)
		return line;
	b->out->undone |= UNDONE_LABELS;
	return str_skip(line, bytes);
}

/*
 * Remove the line number ("3976 ", listing.h) from a line in a block of lines with line numbers. If
 * @line is the first line of such a block, find the end of the block.
 */
static struct str body_unlist(struct body *b, const struct piece_cursor *here, struct str line,
			      size_t depth)
{
	size_t bytes = listing_bytes(line);

	if (!bytes)
		return line;
	if (b->n_line >= b->listing_end && b->n_line >= b->listing_checked) {
		bool is_listing;
		size_t n = listing_scan(*here, depth, &is_listing);

		b->listing_checked = b->n_line + (n ? n : 1);
		b->listing_end = is_listing ? b->n_line + n : b->listing_end;
	}
	if (b->n_line >= b->listing_end)
		return line;
	b->out->undone |= UNDONE_LISTING;
	return str_skip(line, bytes);
}

static size_t body_first_word(struct str line)
{
	size_t n = 0;

	while (n < line.len && n < BODY_FLOW_COLUMNS && line.p[n] != ' ')
		n++;
	return n;
}

/*
 * Write @line, or append it to the previous line if that was wrapped (format=flowed, RFC 3676). A
 * wrapped line ends in a blank, but rows of a table may end in blanks, too. So the previous line
 * counts as wrapped only if the first word of @line was too long for it.
 */
static void body_flow(struct body *b, struct str line, uint32_t original, size_t depth)
{
	bool is_signature = str_eq(line, STR("-- "));

	if (depth == 0 && line.len && line.p[0] == ' ')
		/*
		 * RFC 3676 (space-stuffing): mailers add a blank to some lines; it is not part of
		 * the text
		 */
		line = str_skip(line, 1);
	if (b->is_flow_open && depth == b->last_depth && !is_signature && line.len &&
	    line.p[0] != ' ' && b->last_len + body_first_word(line) > BODY_FLOW_COLUMNS) {
		clean_join(b->out, line, b->options->is_delsp ? 1 : 0);
		b->out->undone |= UNDONE_FLOWED;
	} else {
		clean_line(b->out, line, original, depth);
	}
	b->last_len = line.len;
	b->is_flow_open = line.len && line.p[line.len - 1] == ' ' && !is_signature;
}

/* Clean one line without its CR and write it. @here: cursor at the start of the line. */
static void body_line(struct body *b, const struct piece_cursor *here, struct str line,
		      uint32_t original)
{
	size_t depth = 0;

	if (b->options->charset == CHARSET_LATIN1 || b->options->charset == CHARSET_WINDOWS_1252) {
		/*
		 * a line that is valid UTF-8 is taken as UTF-8, although the mail declares another
		 * charset
		 */
		if (b->traits.has_high && !utf8_valid(line)) {
			b->latin.len = 0;
			charset_from_latin(line, b->options->charset, &b->latin);
			if (b->latin.len > line.len)
				b->out->undone |= UNDONE_LATIN1;
			line = out_view(&b->latin);
		}
	}
	if (terminal_is_dirty(line, &b->traits)) {
		b->plain.len = 0;
		terminal_line(line, &b->plain, &b->out->undone);
		line = out_view(&b->plain);
	}
	if (b->run_is_quote && b->n_line < b->run_end)
		line = body_unquote(b, line, &depth);
	if (!b->is_verbatim && line.len && line.p[0] == '|')
		line = body_unbar(b, here, line, &depth);
	else if (line.len)
		line = body_unlist(b, here, body_unlabel(b, here, line, depth), depth);
	if (depth == 0 && str_eq(line, BODY_NEXT_PART))
		b->is_verbatim = true;
	if (b->is_markdown)
		line = markup_line(&b->markup, line, depth, &b->out->undone);
	if (b->traits.has_amp && !b->markup.fence && markup_has_entity(line)) {
		b->decoded.len = 0;
		markup_entities(line, &b->decoded);
		line = out_view(&b->decoded);
		b->out->undone |= UNDONE_ENTITIES;
	}
	b->linked.len = 0;
	if (b->has_links && markup_issue_link(line, &b->linked)) {
		line = out_view(&b->linked);
		b->out->undone |= UNDONE_LINKS;
	}
	if (b->options->is_flowed)
		body_flow(b, line, original, depth);
	else
		clean_line(b->out, line, original, depth);
	b->has_last = true;
	b->last_depth = depth;
	line = str_rtrim(line);
	if (line.len)
		b->ends_in_colon = line.p[line.len - 1] == ':';
}

/* At the first line of a run of lines with '>', decide whether each '>' is a quote mark. */
static void body_enter_run(struct body *b, const struct piece_cursor *here)
{
	quote_scan(*here, &b->run);
	b->run_end = b->n_line + b->run.n_lines;
	b->run_is_quote =
		b->options->quotes == BODY_QUOTES_MAIL || b->run.n_lines >= 2 || b->ends_in_colon;
}

/*
 * Clean a line that has CRs inside. A terminal would overwrite each part with the next one. Here,
 * each part becomes a line of its own.
 */
static void body_split_cr(struct body *b, const struct piece_cursor *here, struct str line,
			  uint32_t original)
{
	while (line.len && line.p[line.len - 1] == '\r') {
		line.len--;
		b->out->undone |= UNDONE_CR;
	}
	for (;;) {
		size_t cr = str_find_char(line, '\r');

		body_line(b, here, str_sub(line, 0, cr), original);
		if (cr == line.len)
			return;
		line = str_skip(line, cr + 1);
		b->out->undone |= UNDONE_CR;
	}
}

void body_write(const struct piece *p, const struct body_options *options, struct clean *out)
{
	struct body b = { .options = options, .out = out, .traits = terminal_traits(p->text) };
	struct piece_cursor c = piece_cursor(p);
	struct piece_cursor here = c;
	struct str line;
	uint32_t original;

	b.is_verbatim = options->quotes == BODY_QUOTES_NONE;
	out_init(&b.latin);
	out_init(&b.plain);
	out_init(&b.decoded);
	out_init(&b.linked);
	b.has_links = markup_has_issue_link(p->text);
	b.is_markdown = (b.traits.has_tick || b.traits.has_less ||
			 str_contains(str_sub(p->text, 0, 1u << 20), STR("~~~"))) &&
			markup_is_markdown(p->text);
	while (!clean_is_full(out) && piece_line(&c, &line, &original)) {
		if (b.n_line == 0 && str_take(&line, STR("\xef\xbb\xbf")))
			out->undone |= UNDONE_BOM;
		if (!b.is_verbatim && b.n_line >= b.run_end && quote_is_marked(line))
			body_enter_run(&b, &here);
		if (b.traits.has_cr)
			body_split_cr(&b, &here, line, original);
		else
			body_line(&b, &here, line, original);
		b.n_line++;
		here = c;
	}
	out_fini(&b.latin);
	out_fini(&b.plain);
	out_fini(&b.decoded);
	out_fini(&b.linked);
}
