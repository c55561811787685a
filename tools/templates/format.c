/* SPDX-License-Identifier: MIT */
/*
 * @SNAKE@.c - say here which tool prints this, with which option
 *
 *     @NAME@ samples by function
 *     parse_header 12
 *     copy_body 30
 *
 * Say here the source of each claim about the format.
 */
#include "formats/tables/line_table.h"

#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/symbols.h"
#include "formats/format.h"

DECLARE_FORMAT(@SNAKE@);

static const struct diag_kind @SNAKE@_skipped = { "@NAME@-skipped", DIAG_DATALOSS,
						 "lines that are no row" };

struct @SNAKE@_row {
	struct str name;
	uint64_t samples;
};

static bool @SNAKE@_row_of(struct str line, struct @SNAKE@_row *ret)
{
	if (!str_word(&line, &ret->name))
		return false;
	line = str_trim(line);
	return str_u64(&line, &ret->samples) && line.len == 0;
}

static enum line_kind @SNAKE@_kind(struct str line)
{
	struct @SNAKE@_row row;

	if (str_trim(line).len == 0)
		return LINE_BLANK;
	if (str_eq(str_trim(line), STR("@NAME@ samples by function")))
		return LINE_HEAD;
	return @SNAKE@_row_of(line, &row) ? LINE_ROW : LINE_OTHER;
}

/* Without the title, rows are ambiguous. */
static const struct line_table @SNAKE@_table = {
	.kind = @SNAKE@_kind, .gap = 2, .min_rows = UINT32_MAX, .score = 98
};

static unsigned int @SNAKE@_probe(struct str head)
{
	return line_table_probe(&@SNAKE@_table, head);
}

static bool @SNAKE@_find(struct str text, size_t from, struct extent *ret)
{
	return line_table_find(&@SNAKE@_table, text, from, ret);
}

static void @SNAKE@_add(struct capture *c, const struct @SNAKE@_row *row, uint32_t line)
{
	struct profile *p = c->profile;

	if (p->table.rows.len >= LIMIT_ROWS ||
	    __builtin_add_overflow(p->n_samples, row->samples, &p->n_samples)) {
		diag_count(&c->diag, &@SNAKE@_skipped, line);
		return;
	}
	*VEC_PUSH(&p->table.rows) = (struct profile_row){
		.self = row->samples,
		.samples = row->samples,
		.sym = symbols_add_text(capture_symbols(c), row->name, STR_NONE, SPACE_UNKNOWN, 0),
		.line = line,
		.tree = INDEX_NONE,
		.extra = INDEX_NONE,
		.has = ROW_HAS_SELF | ROW_HAS_SAMPLES | ROW_HAS_SYMBOL,
		.level = ' ',
	};
}

static int @SNAKE@_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct capture *c = format_add_capture(&format_@SNAKE@, in, d);
	struct profile *p = capture_profile(c);
	struct str text = in->text;
	struct str line;

	/*
	 * self is in this unit. For cycles or ticks: WEIGHT_EVENTS. Rules take the weights for CPU
	 * time unless p->event names an event of src/analyses/events.tsv
	 */
	p->unit = WEIGHT_SAMPLES;
	p->has_n_samples = true;
	p->table.limit_pct = -1;
	p->table.columns = ROW_HAS_SELF | ROW_HAS_SAMPLES | ROW_HAS_SYMBOL;
	for (uint32_t n = 0; str_line(&text, &line); n++) {
		struct @SNAKE@_row row;

		if (@SNAKE@_row_of(line, &row))
			@SNAKE@_add(c, &row, region_line(in, n));
		else if (@SNAKE@_kind(line) == LINE_OTHER)
			diag_count(&c->diag, &@SNAKE@_skipped, region_line(in, n));
	}
	return p->n_samples ? OK : fail(err, ERR_FORMAT, "no row of samples");
}

const struct format format_@SNAKE@ = {
	.name = "@NAME@",
	.summary = "samples by function, of @NAME@",
	.kinds = KIND_PROFILE,
	.probe = @SNAKE@_probe,
	.find = @SNAKE@_find,
	.read = @SNAKE@_read,
};
