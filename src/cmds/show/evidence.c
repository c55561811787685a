/* SPDX-License-Identifier: MIT */
#include "cmds/show/evidence.h"

#include "base/arena.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/utf8.h"
#include "base/vec.h"
#include "cmds/run/session.h"
#include "core/dossier.h"
#include "core/strings.h"
#include "document/document.h"
#include "explain/findings.h"

/*
 * a record, such as a stack trace, is quoted whole if it has at most this many lines after its
 * first line; otherwise only its first line is quoted
 */
#define EVIDENCE_LINES 3u

struct evidence_list {
	VEC(struct finding_evidence *) items;
};

static int evidence_compare(const void *a, const void *b)
{
	const struct finding_evidence *const *x = a;
	const struct finding_evidence *const *y = b;

	return ((*x)->line > (*y)->line) - ((*x)->line < (*y)->line);
}

/*
 * Whether the lines of the input can be read again and quoted. An encoded input (base64, UTF-16)
 * cannot be quoted, because it is read again without decoding.
 */
static bool evidence_can_quote(const struct dossier *d, const struct dossier_input *in)
{
	struct str path = strings_get(&d->strings, in->path);
	struct str encoding = strings_get(&d->strings, in->encoding);

	return in->lines && in->bytes <= EVIDENCE_INPUT_BYTES && !str_eq(path, STR("-")) &&
	       !str_contains(encoding, STR("base64")) && !str_contains(encoding, STR("utf-16"));
}

/* Truncate a line to EVIDENCE_LINE_BYTES, but not within a character. */
static struct str evidence_cut(struct str line)
{
	line = str_rtrim(line);
	if (line.len > EVIDENCE_LINE_BYTES) {
		line.len = EVIDENCE_LINE_BYTES;
		while (line.len && ((unsigned char)line.p[line.len] & 0xc0) == 0x80)
			line.len--;
	}
	return line;
}

/*
 * Whether @line only opens a call in a function graph ("f() {"), while @text, the summary that the
 * rule wrote, says more. The summary then stays, because such a line has no duration.
 */
static bool evidence_is_opening(struct str line, struct str text)
{
	return str_ends(str_rtrim(line), STR("{")) && str_contains(text, STR(" "));
}

/* The quote marks, such as "> >> ", at the start of a line of a mail. */
static size_t evidence_quote_marks(struct str line)
{
	size_t n = 0;

	while (n < line.len && (line.p[n] == '>' || line.p[n] == ' '))
		n++;
	return n;
}

/*
 * The text of the record that @e cites, without quote marks of a mail: @line and, if a mail program
 * wrapped it, lines of @rest. @rest: the text after @line.
 */
static struct str evidence_whole(const struct finding_evidence *e, struct str line, struct str rest,
				 struct arena *arena)
{
	struct out text = { .fd = -1 };
	struct str ret;

	if (e->last_line <= e->line || e->last_line - e->line > EVIDENCE_LINES)
		return arena_str(arena, evidence_cut(line));
	out_str(&text, str_rtrim(str_skip(line, evidence_quote_marks(line))));
	for (uint32_t i = e->line; i < e->last_line && str_line(&rest, &line); i++) {
		line = str_trim(str_skip(line, evidence_quote_marks(line)));
		if (line.len)
			out_printf(&text, " " STR_FMT, STR_ARG(line));
	}
	ret = arena_str(arena, evidence_cut(out_view(&text)));
	out_fini(&text);
	return ret;
}

/*
 * Convert @text, a quoted line of an input in Latin-1, to UTF-8. A byte that is not part of valid
 * UTF-8 becomes the character with the byte's number.
 */
static struct str evidence_from_latin(struct str text, struct arena *arena)
{
	struct out o = { .fd = -1 };
	struct str ret;

	if (utf8_valid(text))
		return text;
	for (size_t i = 0; i < text.len;) {
		size_t n = utf8_length(str_skip(text, i));

		if (n)
			out_bytes(&o, text.p + i, n);
		else
			utf8_encode(&o, (unsigned char)text.p[i]);
		i += n ? n : 1;
	}
	ret = arena_str(arena, out_view(&o));
	out_fini(&o);
	return ret;
}

static void evidence_of_input(const struct dossier *d, const struct dossier_input *in,
			      struct evidence_list *list, struct arena *arena)
{
	struct document_options options = { .is_raw = true };
	CLEANUP(document_freep) struct document *doc = NULL;
	struct error err;
	struct str text;
	struct str line = STR_NONE;
	uint32_t at = 0;
	bool is_latin = str_contains(strings_get(&d->strings, in->encoding), STR("latin-1"));

	if (document_open(strings_get(&d->strings, in->path).p, &options, &doc, &err) < 0) {
		complain(strings_get(&d->strings, in->path).p, "cannot quote the input: %s",
			 err.msg);
		return;
	}
	if (doc->is_binary)
		return;
	VEC_SORT(&list->items, evidence_compare);
	text = doc->text;
	VEC_FOREACH (e, &list->items) {
		while (at < (*e)->line && str_line(&text, &line))
			at++;
		if (at != (*e)->line)
			return;
		if (str_trim(line).len && !evidence_is_opening(line, (*e)->text))
			(*e)->text = evidence_whole(*e, line, text, arena);
		if (is_latin)
			(*e)->text = evidence_from_latin((*e)->text, arena);
	}
}

void evidence_quote(const struct dossier *d, struct findings *f)
{
	VEC_FOREACH (in, &d->inputs) {
		struct evidence_list list = { .items = VEC_INIT };

		if (!evidence_can_quote(d, in))
			continue;
		VEC_FOREACH (row, &f->rows) {
			VEC_FOREACH (e, &row->evidence) {
				if (e->line && e->path.v == in->path.v)
					*VEC_PUSH(&list.items) = e;
			}
		}
		if (list.items.len)
			evidence_of_input(d, in, &list, &f->arena);
		VEC_FREE(&list.items);
	}
}
