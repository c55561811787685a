/* SPDX-License-Identifier: MIT */
/*
 * dtrace_counts.c - samples by function, from hotkernel and hotuser of the DTraceToolkit
 *
 *     FUNCTION                              COUNT   PCNT
 *     genunix`strrput                           1   0.1%
 *     unix`cpu_halt                          1575  99.2%
 *
 * The count is exact, so the percentage is ignored. Tables by module (-m) are skipped, because they
 * count the same samples again.
 */
#include "formats/tables/line_table.h"

#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/format.h"

DECLARE_FORMAT(dtrace_counts);

struct counts_row {
	struct str module;
	struct str name;
	uint64_t count;
};

static bool counts_is_head(struct str line, struct str first)
{
	struct str word;

	return str_word(&line, &word) && str_eq(word, first) && str_word(&line, &word) &&
	       str_eq(word, STR("COUNT")) && str_word(&line, &word) && str_eq(word, STR("PCNT")) &&
	       str_trim(line).len == 0;
}

/*
 * Parse "module`name  12  0.5%". The line is split from its end, because a C++ name may contain
 * blanks.
 */
static bool counts_row_of(struct str line, struct counts_row *ret)
{
	size_t blank;
	size_t tick;
	struct str number;
	double pct;

	line = str_trim(line);
	if (!str_ends(line, STR("%")))
		return false;
	line.len--;
	blank = str_rfind_char(line, ' ');
	number = str_skip(line, blank + 1);
	if (blank >= line.len || !str_double(&number, &pct) || number.len || pct < 0 || pct > 100)
		return false;
	line = str_trim(str_sub(line, 0, blank));
	blank = str_rfind_char(line, ' ');
	number = str_skip(line, blank + 1);
	if (blank >= line.len || !str_u64(&number, &ret->count) || number.len)
		return false;
	line = str_trim(str_sub(line, 0, blank));
	tick = str_find_char(line, '`');
	if (line.len == 0 || tick == 0)
		return false;
	ret->module = tick < line.len ? str_sub(line, 0, tick) : STR_NONE;
	ret->name = tick < line.len ? str_skip(line, tick + 1) : line;
	return ret->name.len > 0;
}

static enum line_kind counts_kind(struct str line)
{
	struct counts_row row;

	if (str_trim(line).len == 0)
		return LINE_BLANK;
	if (counts_is_head(line, STR("FUNCTION")))
		return LINE_HEAD;
	return counts_row_of(line, &row) && row.module.len ? LINE_ROW : LINE_OTHER;
}

/* .min_rows: a table needs its titles, because other tables have such rows, too. */
static const struct line_table counts_table = {
	.kind = counts_kind, .gap = 0, .min_rows = UINT32_MAX, .score = 98
};

static unsigned int dtrace_counts_probe(struct str head)
{
	return line_table_probe(&counts_table, head);
}

static bool dtrace_counts_find(struct str text, size_t from, struct extent *ret)
{
	return line_table_find(&counts_table, text, from, ret);
}

static void counts_add(struct capture *c, const struct counts_row *row, enum symbol_space space,
		       uint32_t line)
{
	struct profile *p = c->profile;

	if (p->table.rows.len >= LIMIT_ROWS ||
	    __builtin_add_overflow(p->n_samples, row->count, &p->n_samples))
		return;
	*VEC_PUSH(&p->table.rows) = (struct profile_row){
		.self = row->count,
		.samples = row->count,
		.sym = symbols_add_text(capture_symbols(c), row->name, row->module, space, 0),
		.dso = strings_add(capture_strings(c), row->module),
		.line = line,
		.tree = INDEX_NONE,
		.extra = INDEX_NONE,
		.has = (uint16_t)(ROW_HAS_SELF | ROW_HAS_SAMPLES | ROW_HAS_SYMBOL |
				  (row->module.len ? ROW_HAS_DSO : 0)),
		.level = space == SPACE_KERNEL ? 'k' : ' ',
	};
}

static int dtrace_counts_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct capture *c = format_add_capture(&format_dtrace_counts, in, d);
	struct profile *p = capture_profile(c);
	struct str text = in->text;
	struct str line;
	/*
	 * only hotkernel prints functions of unix, the core module of the illumos and Solaris
	 * kernel
	 */
	bool is_kernel = str_contains(text, STR("unix`"));

	p->unit = WEIGHT_SAMPLES;
	p->has_n_samples = true;
	p->table.limit_pct = -1;
	p->table.columns = ROW_HAS_SELF | ROW_HAS_SAMPLES | ROW_HAS_SYMBOL | ROW_HAS_DSO;
	for (uint32_t n = 0; str_line(&text, &line); n++) {
		struct counts_row row;

		if (counts_row_of(line, &row))
			counts_add(c, &row, is_kernel ? SPACE_KERNEL : SPACE_UNKNOWN,
				   region_line(in, n));
	}
	return p->n_samples ? OK : fail(err, ERR_FORMAT, "no row of samples");
}

const struct format format_dtrace_counts = {
	.name = "dtrace-counts",
	.summary = "samples by function, of hotkernel and hotuser",
	.kinds = KIND_PROFILE,
	.probe = dtrace_counts_probe,
	.find = dtrace_counts_find,
	.read = dtrace_counts_read,
};
