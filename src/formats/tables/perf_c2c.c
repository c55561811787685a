/* SPDX-License-Identifier: MIT */
/*
 * perf_c2c.c - `perf c2c report`: accesses to contended cache lines
 *
 * The table that is read has the title "Shared Cache Line Distribution Pareto". For each cache line
 * it has a head: number, hits in modified lines of other CPUs (HITM), address. Below the head are
 * the accesses to the line: shares of these hits, offset in the line, function, source line.
 *
 * The columns differ between versions. The shares of remote and local hits come first. The offset
 * is the first hexadecimal number. The function follows its level in brackets. The number of CPUs
 * precedes the level, and the list of these CPUs by node ("0{0-1,4}  1{24}") ends the row.
 *
 * Above the Pareto is the "Shared Data Cache Line Table". It prints the share of each line in all
 * hits, also for lines that the Pareto omits. Definition: tools/perf/builtin-c2c.c of Linux.
 */
#include "core/kinds/metrics.h"
#include "formats/tables/line_table.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/symbols.h"
#include "formats/format.h"

#include <math.h>

DECLARE_FORMAT(perf_c2c);

static const struct diag_kind c2c_lines = { "perf-c2c-lines", DIAG_INFO,
					    "lines of other tables of the report, not read" };

static const struct diag_kind c2c_rejects = {
	"perf-c2c-rejects", DIAG_DATALOSS,
	"samples that perf left out, as their page is unknown (No Page Map Rejects)"
};
static const struct diag_kind c2c_unparsed = {
	"perf-c2c-unparsed", DIAG_DATALOSS,
	"samples that perf left out, as it cannot parse the source of their data"
};

static const struct line_column c2c_columns[] = {
	{ "offset", NULL, true },       { "HITM", NULL, false },
	{ "remote HITM", "%", false },  { "local HITM", "%", false },
	{ "stores", "%", false },       { "CPUs", NULL, false },
	{ "source", NULL, true },       { "cache line", NULL, true },
	{ "object", NULL, true },       { "line HITM", NULL, false },
	{ "line stores", NULL, false }, { "CPU list", NULL, true },
	{ "line share", "%", false },   { "line remote share", "%", false },
};

enum {
	C2C_OFFSET,
	C2C_HITM,
	C2C_REMOTE,
	C2C_LOCAL,
	C2C_STORES,
	C2C_CPUS,
	C2C_SOURCE,
	C2C_LINE,
	C2C_OBJECT,
	C2C_LINE_HITM,
	C2C_LINE_STORES,
	C2C_CPU_LIST,
	C2C_LINE_SHARE,
	C2C_REMOTE_SHARE,
	C2C_N
};

#define C2C_UPPER "Shared Data Cache Line Table" /* title of the upper table */
#define C2C_WORDS 40u
/* maximum number of columns of stores, such as L1 hit, L1 miss, N/A */
#define C2C_KINDS 4u
/* maximum number of cache lines of the upper table whose shares are stored */
#define C2C_SHARES 64u

struct c2c_words {
	struct str words[C2C_WORDS];
	size_t n;
};

struct c2c_head {
	struct str address;
	/*
	 * number of loads that hit a modified line of another CPU (HITM), in a remote or the local
	 * node
	 */
	double remote, local;
	double stores;
	double of_kind[C2C_KINDS]; /* number of stores in each column of stores */
	size_t n_kinds;
};

static void c2c_split(struct str line, struct c2c_words *ret)
{
	struct str rest = line_table_unnumbered(line);

	ret->n = 0;
	while (ret->n < C2C_WORDS && str_word(&rest, &ret->words[ret->n]))
		ret->n++;
}

static bool c2c_hex(struct str word, uint64_t *ret)
{
	return str_starts(word, STR("0x")) && str_hex64(&word, ret) && word.len == 0;
}

static bool c2c_number(struct str word, double *ret)
{
	uint64_t n;

	if (!str_u64(&word, &n) || word.len)
		return false;
	*ret = (double)n;
	return true;
}

/*
 * Parse the head of a cache line: "0  9834  2269  109036  468  0x602180". These are its number,
 * remote and local hits, stores, and its address; the total is not used.
 */
static bool c2c_head_of(const struct c2c_words *w, struct c2c_head *ret)
{
	uint64_t address;
	double v[8];
	size_t n = 0;

	while (n < w->n && n < ARRAY_LEN(v) && c2c_number(w->words[n], &v[n]))
		n++;
	if (n < 4 || n >= w->n || !c2c_hex(w->words[n], &address) || w->n > n + 3)
		return false;
	ret->address = w->words[n];
	ret->remote = v[1];
	ret->local = v[2];
	ret->stores = 0;
	ret->n_kinds = 0;
	for (size_t i = 3; i < n; i++) {
		ret->stores += v[i];
		if (ret->n_kinds < C2C_KINDS)
			ret->of_kind[ret->n_kinds++] = v[i];
	}
	return true;
}

/* The share of one cache line in the hits of all lines, as the upper table prints it. */
struct c2c_share {
	struct str address;
	double pct;
};

/*
 * Parse a row of the upper table: "0  0x602180  0  18201  301922  77.09%  12103 ...". The row has
 * one percentage. If the titles contain "Hitm", it is the cache line's share in all hits.
 * Otherwise, it may be a share in snoops.
 */
static bool c2c_share_of(const struct c2c_words *w, struct c2c_share *ret)
{
	uint64_t address;
	double index;
	size_t n = 0;

	if (w->n < 5 || !c2c_number(w->words[0], &index) || !c2c_hex(w->words[1], &address))
		return false;
	ret->address = w->words[1];
	for (size_t i = 2; i < w->n; i++) {
		struct str word = w->words[i];

		n += line_table_percent(&word, false, &ret->pct) && word.len == 0;
	}
	return n == 1 && ret->pct <= 100;
}

/*
 * The share of an access in all stores to its cache line, in percent. The columns of @pct are
 * shares in different totals (L1 hits, L1 misses), so each is weighted with its total in @head.
 * NAN: the number of columns differs from that in @head.
 */
static double c2c_stores(const struct c2c_head *head, const double *pct, size_t n)
{
	double sum = 0;

	if (n != head->n_kinds)
		return (double)NAN;
	for (size_t i = 0; i < n; i++)
		sum += pct[i] * head->of_kind[i];
	return head->stores > 0 ? sum / head->stores : 0;
}

/* The list of CPUs by node at the end of an access: "0{0-1,4}  1{24}". STR_NONE: there is none. */
static struct str c2c_cpu_list(const struct c2c_words *w, size_t from)
{
	const char *end;

	if (from >= w->n || w->n == C2C_WORDS)
		return STR_NONE;
	for (size_t i = from; i < w->n; i++) {
		struct str word = w->words[i];
		uint64_t node;

		if (!str_u64(&word, &node) || !str_starts(word, STR("{")) ||
		    word.p[word.len - 1] != '}')
			return STR_NONE;
	}
	end = w->words[w->n - 1].p + w->words[w->n - 1].len;
	return (struct str){ w->words[from].p, (size_t)(end - w->words[from].p) };
}

/* Parse an access: percentages, offset, other numbers, "[.] function object source:line". */
static bool c2c_row_of(const struct c2c_words *w, const struct c2c_head *head, double values[C2C_N],
		       struct str texts[C2C_N], struct str *ret_name, char *ret_level)
{
	double pct[8];
	uint64_t offset;
	size_t n = 0;
	size_t at;

	while (n < w->n && n < ARRAY_LEN(pct)) {
		struct str word = w->words[n];

		if (!line_table_percent(&word, false, &pct[n]) || word.len)
			break;
		n++;
	}
	if (n < 3 || n >= w->n || !c2c_hex(w->words[n], &offset))
		return false;
	for (at = n; at < w->n; at++) {
		if (w->words[at].len == 3 && w->words[at].p[0] == '[' && w->words[at].p[2] == ']')
			break;
	}
	if (at + 1 >= w->n)
		return false;
	values[C2C_REMOTE] = pct[0];
	values[C2C_LOCAL] = pct[1];
	values[C2C_STORES] = c2c_stores(head, pct + 2, n - 2);
	texts[C2C_OFFSET] = w->words[n];
	values[C2C_HITM] = round((pct[0] * head->remote + pct[1] * head->local) / 100);
	if (!c2c_number(w->words[at - 1], &values[C2C_CPUS]))
		values[C2C_CPUS] = (double)NAN;
	*ret_level = w->words[at].p[1];
	*ret_name = w->words[at + 1];
	texts[C2C_OBJECT] = at + 2 < w->n ? w->words[at + 2] : STR_NONE;
	texts[C2C_SOURCE] = at + 3 < w->n ? w->words[at + 3] : STR_NONE;
	texts[C2C_CPU_LIST] = c2c_cpu_list(w, at + 4);
	return true;
}

static enum line_kind c2c_kind(struct str line)
{
	struct c2c_words w;
	struct c2c_head head = { .address = STR_NONE };
	double values[C2C_N];
	struct str texts[C2C_N];
	struct str name;
	char level;

	line = str_trim(line_table_unnumbered(line));
	if (str_contains(line, STR("Shared Cache Line Distribution Pareto")))
		return LINE_HEAD;
	if (line.len == 0 || line.p[0] == '#' || str_starts(line, STR("---")) ||
	    str_starts(line, STR("===")))
		return LINE_BLANK;
	c2c_split(line, &w);
	if (c2c_head_of(&w, &head))
		/* the head of a cache line is inside the table, above the accesses to the line */
		return LINE_PART;
	return c2c_row_of(&w, &head, values, texts, &name, &level) ? LINE_ROW : LINE_OTHER;
}

static const struct line_table c2c_table = {
	.kind = c2c_kind, .gap = 4, .min_rows = 3, .score = 98
};

static unsigned int perf_c2c_probe(struct str head)
{
	return line_table_probe(&c2c_table, head);
}

/* Find a report. It consists of the Pareto table and of the tables with totals above this table. */
static bool perf_c2c_find(struct str text, size_t from, struct extent *ret)
{
	struct str above;
	size_t at;

	if (!line_table_find(&c2c_table, text, from, ret))
		return false;
	above = str_sub(text, from, ret->from);
	at = from + str_find(above, STR("Trace Event Information"));
	if (at >= ret->from)
		at = from + str_find(above, STR(C2C_UPPER));
	if (at < ret->from) {
		while (at > from && text.p[at - 1] != '\n')
			at--;
		ret->from = at;
	}
	return true;
}

/* The share in all hits of the cache line at @address, in percent; NAN: not printed. */
static double c2c_line_share(const struct c2c_share *shares, size_t n, struct str address)
{
	for (size_t i = 0; i < n; i++) {
		if (str_eq(shares[i].address, address))
			return shares[i].pct;
	}
	return (double)NAN;
}

/* The kind of hits in which the upper table prints shares. */
enum c2c_base {
	C2C_NO_BASE,
	C2C_TOTAL, /* local and remote hits */
	C2C_ONLY_REMOTE,
};

/* Totals over all cache lines of a report, from the tables above the Pareto. */
struct c2c_totals {
	/* number of loads that hit a modified line of another CPU (HITM); NAN: not printed */
	double remote, local;
	enum c2c_base base;
	struct c2c_share shares[C2C_SHARES];
	size_t n_shares;
	struct str title; /* the previous line, if it is a line of titles */
};

/*
 * Read a line of titles. The column of shares is the first "Hitm" after "records". The word above
 * this title shows which hits are meant: "Tot" or "Rmt".
 */
static void c2c_titles(struct c2c_totals *t, struct str line)
{
	size_t records = str_find(line, STR("records"));
	struct str rest = str_skip(line, records + 7);
	struct str word = str_ltrim(rest);
	size_t end;

	if (records < line.len && str_take(&word, STR("Hitm"))) {
		end = line.len - word.len;
		word = str_trim(str_sub(t->title, end > 4 ? end - 4 : 0, end));
		t->base = str_eq(word, STR("Tot"))   ? C2C_TOTAL
			  : str_eq(word, STR("Rmt")) ? C2C_ONLY_REMOTE
						     : C2C_NO_BASE;
	}
	t->title = line;
}

/*
 * Take the number from a line "  Load Local HITM                   :       3402". False: the line
 * does not start with @name.
 */
static bool c2c_total_of(struct str line, const char *name, double *ret)
{
	line = str_trim(line);
	if (!str_take(&line, str_of(name)))
		return false;
	line = str_ltrim(line);
	return str_take(&line, STR(":")) && c2c_number(str_trim(line), ret);
}

/* Read a line of the tables above the accesses. False: the line is not read. */
static bool c2c_total(struct c2c_totals *t, struct capture *c, struct str line, uint32_t number,
		      const struct c2c_words *w)
{
	double n;

	line = line_table_unnumbered(line);
	if (str_starts(str_trim(line), STR("#")))
		c2c_titles(t, line);
	if (t->base != C2C_NO_BASE && t->n_shares < C2C_SHARES &&
	    c2c_share_of(w, &t->shares[t->n_shares])) {
		t->n_shares++;
		return true;
	}
	if (c2c_total_of(line, "Load Local HITM", &t->local) ||
	    c2c_total_of(line, "Load Remote HITM", &t->remote))
		return true;
	if (c2c_total_of(line, "No Page Map Rejects", &n) && n > 0)
		diag_add(&c->diag, &c2c_rejects, (uint64_t)n, number);
	if (c2c_total_of(line, "Unable to parse data source", &n) && n > 0)
		diag_add(&c->diag, &c2c_unparsed, (uint64_t)n, number);
	return false;
}

/*
 * Set the shares of a cache line in all hits. If they are not printed, they are computed from the
 * totals. @head: head of the cache line.
 */
static void c2c_shares(const struct c2c_totals *t, const struct c2c_head *head,
		       double values[C2C_N])
{
	double printed = c2c_line_share(t->shares, t->n_shares, head->address);
	double all = t->local + t->remote;

	values[C2C_LINE_SHARE] = values[C2C_REMOTE_SHARE] = (double)NAN;
	if (all > 0 && head->local + head->remote <= all)
		values[C2C_LINE_SHARE] = (head->local + head->remote) / all * 100;
	if (t->base == C2C_TOTAL && !isnan(printed))
		values[C2C_LINE_SHARE] = printed;
	if (t->base == C2C_ONLY_REMOTE)
		values[C2C_REMOTE_SHARE] = printed;
}

static int perf_c2c_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct capture *c = format_add_capture(&format_perf_c2c, in, d);
	struct c2c_head head = { .address = STR_NONE };
	struct c2c_totals totals = { .remote = (double)NAN, .local = (double)NAN };
	struct str text = in->text;
	struct str line;

	for (uint32_t n = 0; str_line(&text, &line); n++) {
		struct c2c_words w;
		double values[C2C_N] = { 0 };
		struct str texts[C2C_N] = { STR_NONE };
		struct str name;
		char level;

		c2c_split(line, &w);
		if (c2c_head_of(&w, &head))
			continue;
		if (!c2c_row_of(&w, &head, values, texts, &name, &level)) {
			if (!c2c_total(&totals, c, line, region_line(in, n), &w) &&
			    c2c_kind(line) == LINE_OTHER)
				diag_count(&c->diag, &c2c_lines, region_line(in, n));
			continue;
		}
		if (!c->metrics)
			line_table_columns(c, "function", NULL, c2c_columns, C2C_N);
		values[C2C_LINE_HITM] = head.remote + head.local;
		values[C2C_LINE_STORES] = head.stores;
		texts[C2C_LINE] = head.address;
		c2c_shares(&totals, &head, values);
		if (!line_table_add(c,
				    symbols_add_text(capture_symbols(c), name, texts[C2C_OBJECT],
						     symbol_space_of_level(level), 0),
				    values, texts, region_line(in, n)))
			break;
	}
	return c->metrics && c->metrics->n_rows ? OK
						: fail(err, ERR_FORMAT, "no access of perf c2c");
}

const struct format format_perf_c2c = {
	.name = "perf-c2c",
	.summary = "accesses to contended cache lines, of perf c2c report",
	.kinds = KIND_METRICS,
	.probe = perf_c2c_probe,
	.find = perf_c2c_find,
	.read = perf_c2c_read,
};
