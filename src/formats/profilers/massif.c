/* SPDX-License-Identifier: MIT */
/* massif.c - heap usage over time: files of valgrind's massif, and output of ms_print */
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/format.h"
#include "formats/profilers/text_dialects.h"
#include "formats/tables/line_table.h"

#include "base/alloc.h"
#include "base/limits.h"

#include <stdio.h>

DECLARE_FORMAT(massif);

#define MASSIF_GAP 3u
/* maximum number of blank lines and rulers between rows; ms_print prints many around its graph */
#define MASSIF_BLANKS 40u
#define MASSIF_DEPTH  256u
/*
 * a tree belongs to the last snapshot before it if the heap sizes of the two differ by at most this
 * part of the snapshot's heap (0.02: 2 %)
 */
#define MASSIF_SAME 0.02

/*
 * Headers of libstdc++. The name of a function that is inlined from such a header is printed
 * without its namespace: "allocate (new_allocator.h:137)". A file name without a suffix ("tuple")
 * is a header of the C++ standard.
 *
 * A program may have its own headers with the names in MASSIF_COMMON_HEADERS. So a function from a
 * header with such a name belongs to libstdc++ only if C++ reserves the function's name
 * ("_M_allocate").
 */
#define MASSIF_HEADERS                                                                       \
	"stl_*.h|basic_string.h|*.tcc|new_allocator.h|alloc_traits.h|ext/*|bits/*|"          \
	"hashtable_policy.h|unordered_map.h|unordered_set.h|unique_ptr.h|shared_ptr_base.h|" \
	"shared_ptr.h|char_traits.h|std_function.h|aligned_buffer.h|ptr_traits.h|"           \
	"cow_string.h|node_handle.h|erase_if.h|std_thread.h|malloc_allocator.h"
#define MASSIF_COMMON_HEADERS "hashtable.h|allocator.h|move.h|invoke.h|predefined_ops.h"
#define MASSIF_LIBRARY        "libstdc++"

static const struct diag_kind massif_deep = { "massif-too-deep", DIAG_DATALOSS,
					      "frames below the depth that is kept" };

static const struct diag_kind massif_missing = { "massif-missing-snapshots", DIAG_DATALOSS,
						 "snapshots that the text announces but lacks" };

static const struct line_column massif_columns[] = {
	{ "time", NULL, false },      { "total", "B", false },  { "useful heap", "B", false },
	{ "extra heap", "B", false }, { "stacks", "B", false },
};

enum { MASSIF_TIME, MASSIF_TOTAL, MASSIF_HEAP, MASSIF_EXTRA, MASSIF_STACKS, MASSIF_COLUMNS };

/*
 * A line of a tree of callers. ms_print prints "| ->80.00% (25,568B) 0x109145: put_box (heap.c:5)";
 * the file of massif has " n1: 25568 0x…: …".
 */
struct massif_node {
	/* column of the arrow or the text; the callers of this line are further right */
	unsigned int column;
	bool is_root; /* the line stands for the whole heap */
	uint64_t bytes;
	struct str name; /* function name; empty: the line is the sum of many places */
	struct str module;
};

/*
 * Whether the function @name comes from a header of libstdc++. @place: the header and line of the
 * function, such as "tuple:1817".
 */
static bool massif_is_of_header(struct str name, struct str place)
{
	struct str file = str_sub(place, 0, str_find_char(place, ':'));
	bool is_reserved = name.len > 1 && name.p[0] == '_' &&
			   (name.p[1] == '_' || (name.p[1] >= 'A' && name.p[1] <= 'Z'));

	if (file.len == place.len)
		return false;
	return str_find_char(file, '.') == file.len || str_glob(STR(MASSIF_HEADERS), file) ||
	       (is_reserved && str_glob(STR(MASSIF_COMMON_HEADERS), file));
}

/*
 * Read function and module of a node from @rest: "0x109145: put_box (heap.c:5)" or "0x109145:
 * malloc (in /usr/lib/libc.so.6)". valgrind since 3.15 omits the address. Two kinds of nodes have
 * no function: the sum "in 4 places, …", and the root "(heap allocation functions)".
 */
static void massif_name(struct str rest, struct massif_node *n)
{
	size_t colon = str_find(rest, STR(": "));
	size_t open;

	if (str_starts(rest, STR("(")) || str_starts(rest, STR("in ")))
		return;
	if (str_starts(rest, STR("0x"))) {
		if (colon == rest.len)
			return;
		rest = str_skip(rest, colon + 2);
	} else if (!str_ends(str_rtrim(rest), STR(")"))) {
		return;
	}
	rest = str_trim(rest);
	open = str_rfind_char(rest, '(');
	n->name = open && open < rest.len ? str_rtrim(str_sub(rest, 0, open)) : rest;
	rest = str_skip(rest, open);
	if (str_take(&rest, STR("(in ")) && str_ends(rest, STR(")")))
		n->module = str_sub(rest, 0, rest.len - 1);
	else if (str_take(&rest, STR("(")) && massif_is_of_header(n->name, rest))
		n->module = STR(MASSIF_LIBRARY);
}

/* Parse a number of bytes, "25,568B", or one that a user rounded, "7,401 MB". */
static bool massif_bytes(struct str text, struct amount *ret)
{
	size_t blank = str_find_char(text, ' ');
	char joined[48];

	if (blank > 0 && blank < text.len && text.len <= sizeof(joined)) {
		memcpy(joined, text.p, blank);
		memcpy(joined + blank, text.p + blank + 1, text.len - blank - 1);
		text = (struct str){ joined, text.len - 1 };
	}
	return text_dialect_amount(&text, ret) && text.len == 0 && ret->unit == AMOUNT_BYTES;
}

/* Parse a tree line in the form of ms_print. */
static bool massif_printed_node(struct str line, struct massif_node *n)
{
	size_t arrow = str_find(line, STR("->"));
	bool is_root = arrow == line.len;
	struct str rest = is_root ? str_ltrim(line) : str_skip(line, arrow + 2);
	struct amount bytes;
	double share;

	*n = (struct massif_node){ .column = (unsigned int)arrow, .is_root = is_root };
	for (size_t i = 0; i < arrow && !is_root; i++) {
		if (line.p[i] != '|' && !char_is_blank(line.p[i]))
			return false;
	}
	if (!text_dialect_share(&rest, true, &share, NULL) || !str_take(&rest, STR(" (")))
		return false;
	if (!massif_bytes(str_sub(rest, 0, str_find_char(rest, ')')), &bytes))
		return false;
	n->bytes = bytes.value < 1e18 ? (uint64_t)bytes.value : 0;
	rest = str_ltrim(str_skip(rest, str_find_char(rest, ')') + 1));
	massif_name(rest, n);
	return !is_root || str_starts(rest, STR("(heap allocation"));
}

/* Parse a tree line in the form of massif's files. */
static bool massif_file_node(struct str line, struct massif_node *n)
{
	struct str rest = str_ltrim(line);
	uint64_t children;

	*n = (struct massif_node){ .column = (unsigned int)(line.len - rest.len),
				   .is_root = line.len == rest.len };
	if (!str_take(&rest, STR("n")) || !str_u64(&rest, &children) ||
	    !str_take(&rest, STR(": ")) || !str_u64(&rest, &n->bytes) || !str_take(&rest, STR(" ")))
		return false;
	massif_name(rest, n);
	return n->name.len || str_starts(rest, STR("(heap allocation")) ||
	       str_starts(rest, STR("in ")) || str_starts(rest, STR("(page allocation"));
}

static bool massif_node_of(struct str line, struct massif_node *n)
{
	return massif_printed_node(line, n) || massif_file_node(line, n);
}

/*
 * Parse a snapshot in the form of ms_print:
 *   "  3        198,181           52,440           41,952        10,488            0".
 */
static bool massif_snapshot(struct str line, double values[MASSIF_COLUMNS], uint64_t *ret_number)
{
	struct str rest = str_ltrim(line);
	struct amount a;

	if (!str_u64(&rest, ret_number) || str_find_char(line, '.') < line.len)
		return false;
	for (size_t i = 0; i < MASSIF_COLUMNS; i++) {
		/* the column of stacks is missing: without --stacks=yes it is 0 */
		values[i] = 0;
		if (i == MASSIF_STACKS && str_trim(rest).len == 0)
			break;
		if (!text_dialect_amount(&rest, &a) || a.unit != AMOUNT_PLAIN)
			return false;
		values[i] = a.value;
	}
	return str_trim(rest).len == 0;
}

/* Whether @t is a line that only massif or ms_print writes. */
static bool massif_is_mark(struct str t)
{
	return str_starts(t, STR("heap_tree=")) || str_starts(t, STR("mem_heap_B=")) ||
	       str_starts(t, STR("mem_heap_extra_B=")) || str_starts(t, STR("snapshot=")) ||
	       str_starts(t, STR("time_unit: ")) || str_starts(t, STR("Massif arguments:")) ||
	       str_starts(t, STR("ms_print arguments:")) || str_contains(t, STR("useful-heap(B)"));
}

/* Whether @t may be a line between snapshots: a line of the graph, a ruler or a header. */
static bool massif_is_filler(struct str t)
{
	return t.len == 0 || str_starts(t, STR("---")) || str_starts(t, STR("#---")) ||
	       str_starts(t, STR("desc:")) || str_starts(t, STR("cmd:")) ||
	       str_starts(t, STR("time=")) || str_starts(t, STR("mem_stacks_B=")) ||
	       str_starts(t, STR("Command:")) || str_starts(t, STR("Number of snapshots")) ||
	       str_starts(t, STR("Detailed snapshots")) || str_find_char(t, '^') < t.len ||
	       t.p[0] == '|' || str_find(t, STR("+---")) < t.len || t.len < 4;
}

static bool massif_find(struct str text, size_t from, struct extent *ret)
{
	struct str rest = str_skip(text, from);
	unsigned int others = 0;
	unsigned int blanks = 0;
	bool has_begin = false;
	size_t at = from;
	struct str line;

	while (str_line(&rest, &line)) {
		size_t next = text.len - rest.len;
		struct str t = str_trim(line);
		struct massif_node node;
		double values[MASSIF_COLUMNS];
		uint64_t number;
		bool is_mine = massif_node_of(line, &node) || massif_is_mark(t) ||
			       (has_begin && massif_snapshot(line, values, &number));

		if (is_mine) {
			if (!has_begin)
				*ret = (struct extent){ .from = at, .score = 98 };
			has_begin = true;
			ret->to = next;
			others = blanks = 0;
		} else if (has_begin) {
			blanks += massif_is_filler(t);
			others += !massif_is_filler(t);
			if (others > MASSIF_GAP || blanks > MASSIF_BLANKS)
				return true;
		}
		at = next;
	}
	return has_begin;
}

static unsigned int massif_probe(struct str head)
{
	struct extent e;

	return massif_find(head, 0, &e) && e.from < 4096 ? 85 : 0;
}

struct massif_reader {
	const struct region *in;
	struct dossier *d;
	/* capture with the largest tree, which becomes a profile */
	struct capture *c;
	struct capture *table; /* capture with the snapshots, which become metrics */
	/* values of the snapshot that is being read from a file */
	double values[MASSIF_COLUMNS];
	bool has_values;
	double last[MASSIF_COLUMNS]; /* values of the last complete snapshot */
	unsigned int depth;          /* number of nodes in `path` */
	struct massif_node path[MASSIF_DEPTH];
	/* for each node of `path`: sum of the bytes of its callers that were read so far */
	uint64_t below[MASSIF_DEPTH];
	uint64_t number; /* number of the snapshot that is added next */
	/* number of the snapshot that the text marks as peak; UINT64_MAX: none */
	uint64_t peak_number;
	uint64_t first_number; /* number of the text's first snapshot */
	uint64_t announced;    /* "Number of snapshots: 57" in the head of ms_print; 0: none */
	double most;           /* largest total of a snapshot so far, in bytes */
	uint32_t snapshots;
	bool is_peak_next; /* the next tree is the tree of the peak: "heap_tree=peak" */
};

/*
 * Shorten r->path to its first @depth nodes. For each removed node, a sample is added: the bytes of
 * the node minus those of its callers.
 */
static void massif_close(struct massif_reader *r, unsigned int depth)
{
	struct profile *p = capture_profile(r->c);

	while (r->depth > depth) {
		const struct massif_node *n = &r->path[--r->depth];
		stack_id at = STACK_ROOT;

		if (n->bytes <= r->below[r->depth])
			continue;
		/*
		 * r->path starts at the allocation and ends at the outermost caller, so push its
		 * last node first
		 */
		for (unsigned int i = r->depth + 1; i-- > 0;) {
			if (r->path[i].name.len)
				at = stacks_push(
					&p->stacks, at,
					symbols_add_text(capture_symbols(r->c), r->path[i].name,
							 r->path[i].module, SPACE_USER, 0));
		}
		if (at.v == STACK_ROOT.v)
			at = stacks_push(&p->stacks, at,
					 symbols_add_text(capture_symbols(r->c),
							  STR(PROFILE_OTHER_PLACES), STR_NONE,
							  SPACE_USER, 0));
		(void)(profile_add_sample(p, at, n->bytes - r->below[r->depth]) < 0);
	}
}

static void massif_add_node(struct massif_reader *r, const struct massif_node *n, uint32_t line)
{
	unsigned int depth = r->depth;

	if (!r->c)
		r->c = format_add_capture(&format_massif, r->in, r->d);
	/*
	 * find the parent node by its column; depending on the version, each level is indented by
	 * one or two columns
	 */
	while (depth && (n->is_root ||
			 (!r->path[depth - 1].is_root && r->path[depth - 1].column >= n->column)))
		depth--;
	if (depth >= MASSIF_DEPTH) {
		diag_count(&r->c->diag, &massif_deep, line);
		return;
	}
	massif_close(r, depth);
	if (depth)
		r->below[depth - 1] += n->bytes;
	r->path[depth] = *n;
	r->below[depth] = 0;
	r->depth = depth + 1;
}

static void massif_add_part(struct massif_reader *r, struct str name, double bytes)
{
	struct profile *p = capture_profile(r->c);

	if (bytes < 1 || bytes >= 1e18)
		return;
	(void)(profile_add_sample(p,
				  stacks_push(&p->stacks, STACK_ROOT,
					      symbols_add_text(capture_symbols(r->c), name,
							       STR_NONE, SPACE_USER, 0)),
				  (uint64_t)bytes) < 0);
}

/*
 * Add the parts of the snapshot's memory that the tree of @root lacks: heap overhead and thread
 * stacks. The tree has only the bytes that the program requested. But its printed shares refer to
 * all memory, so the profile must contain all memory to give the same shares.
 */
static void massif_add_rest(struct massif_reader *r, const struct massif_node *root)
{
	double heap = r->last[MASSIF_HEAP];
	double differs = heap - (double)root->bytes;

	if (!root->is_root || differs > heap * MASSIF_SAME || -differs > heap * MASSIF_SAME)
		return;
	massif_add_part(r, STR("[heap overhead]"), r->last[MASSIF_EXTRA]);
	massif_add_part(r, STR("[thread stacks]"), r->last[MASSIF_STACKS]);
}

static void massif_add_snapshot(struct massif_reader *r, const double *values, uint32_t line)
{
	char name[32];

	memcpy(r->last, values, sizeof(r->last));
	if (r->snapshots++ == 0)
		r->first_number = r->number;
	r->most = values[MASSIF_TOTAL] > r->most ? values[MASSIF_TOTAL] : r->most;
	int n = snprintf(name, sizeof(name), "snapshot %llu", (unsigned long long)r->number++);
	if (!r->table)
		r->table = format_add_capture(&format_massif, r->in, r->d);
	if (!r->table->metrics)
		line_table_columns(r->table, "snapshot", NULL, massif_columns, MASSIF_COLUMNS);
	(void)line_table_add(r->table,
			     symbols_add_text(capture_symbols(r->table),
					      (struct str){ name, n > 0 ? (size_t)n : 0 }, STR_NONE,
					      SPACE_UNKNOWN, 0),
			     values, NULL, line);
}

/*
 * Read a line of a snapshot in a file: its number, or a value such as "mem_heap_B=25568". The
 * snapshot is complete after its last value, "mem_stacks_B=".
 */
static void massif_value(struct massif_reader *r, struct str t, uint32_t line)
{
	static const struct {
		const char *key;
		unsigned int column;
	} keys[] = { { "time=", MASSIF_TIME },
		     { "mem_heap_B=", MASSIF_HEAP },
		     { "mem_heap_extra_B=", MASSIF_EXTRA },
		     { "mem_stacks_B=", MASSIF_STACKS } };

	if (str_take(&t, STR("snapshot="))) {
		uint64_t number;

		r->number = str_u64(&t, &number) ? number : r->number;
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		struct amount a;

		if (!str_take(&t, str_of(keys[i].key)) || !text_dialect_amount(&t, &a))
			continue;
		r->values[keys[i].column] = a.value;
		r->has_values = true;
		if (keys[i].column != MASSIF_STACKS)
			return;
		r->values[MASSIF_TOTAL] =
			r->values[MASSIF_HEAP] + r->values[MASSIF_EXTRA] + r->values[MASSIF_STACKS];
		massif_add_snapshot(r, r->values, line);
		memset(r->values, 0, sizeof(r->values));
		r->has_values = false;
	}
}

/*
 * Read which snapshot is the peak. In a file, "heap_tree=peak" precedes its tree. ms_print prints "
 * Detailed snapshots: [9, 14 (peak), 24]" in its head.
 */
static void massif_peak(struct massif_reader *r, struct str t)
{
	size_t at = str_find(t, STR(" (peak)"));
	size_t from = at;

	if (str_starts(t, STR("heap_tree=")))
		r->is_peak_next = str_eq(t, STR("heap_tree=peak"));
	if (str_take(&t, STR("Number of snapshots: ")) && !str_u64(&t, &r->announced))
		r->announced = 0;
	if (at >= t.len)
		return;
	while (from && char_is_digit(t.p[from - 1]))
		from--;
	t = str_sub(t, from, at);
	if (!str_u64(&t, &r->peak_number))
		r->peak_number = UINT64_MAX;
}

/* Count the snapshots that the head of ms_print announces, but that are not in the text. */
static void massif_count_missing(struct massif_reader *r)
{
	if (r->table && r->announced > r->snapshots)
		diag_add(&r->table->diag, &massif_missing, r->announced - r->snapshots,
			 r->table->last_line);
}

/*
 * Whether the text marks the snapshot of the current tree as peak. If no snapshot is marked,
 * massif_read() compares the totals of all snapshots, provided that the text has the first one.
 */
static bool massif_is_peak(const struct massif_reader *r)
{
	return r->is_peak_next || (r->snapshots && r->number - 1 == r->peak_number);
}

/* Index of the line with the root of the largest tree. */
static uint32_t massif_largest(struct str text)
{
	uint64_t most = 0;
	uint32_t ret = 0;
	struct str line;

	for (uint32_t n = 0; str_line(&text, &line); n++) {
		struct massif_node node;

		if (massif_node_of(line, &node) && node.is_root && node.bytes >= most) {
			most = node.bytes;
			ret = n;
		}
	}
	return ret;
}

static int massif_read(const struct region *in, struct dossier *d, struct error *err)
{
	CLEANUP(freep) struct massif_reader *r = xcalloc(1, sizeof(*r));
	uint32_t largest = massif_largest(in->text);
	struct str text = in->text;
	/* the text may start inside a tree, so its first lines may be nodes without a root */
	bool is_in_tree = true;
	struct str line;
	struct profile *p;
	bool is_peak = false;
	double total = 0;

	r->in = in;
	r->peak_number = UINT64_MAX;
	r->d = d;
	for (uint32_t n = 0; str_line(&text, &line); n++) {
		struct massif_node node;
		double values[MASSIF_COLUMNS];
		uint64_t number;

		if (massif_node_of(line, &node)) {
			if (node.is_root)
				is_in_tree = n == largest;
			if (is_in_tree && n >= largest)
				massif_add_node(r, &node, region_line(in, n));
			if (n == largest) {
				massif_add_rest(r, &node);
				is_peak = massif_is_peak(r);
				total = r->last[MASSIF_TOTAL];
			}
		} else if (massif_snapshot(line, values, &number)) {
			r->number = number;
			massif_add_snapshot(r, values, region_line(in, n));
		} else {
			massif_value(r, str_trim(line), region_line(in, n));
			massif_peak(r, str_trim(line));
		}
	}
	if (r->depth)
		massif_close(r, 0);
	massif_count_missing(r);
	p = r->c ? r->c->profile : NULL;
	if (p) {
		p->unit = WEIGHT_BYTES;
		is_peak |= r->snapshots > 1 && r->first_number == 0 && total >= r->most;
		p->event = strings_add(capture_strings(r->c),
				       is_peak ? STR("peak_space") : STR("snapshot_space"));
	}
	if (!p && !r->table)
		return fail(err, ERR_FORMAT, "no snapshot of a heap");
	return OK;
}

const struct format format_massif = {
	.name = "massif",
	.summary = "a heap over time: valgrind's massif, and ms_print",
	.kinds = KIND_PROFILE | KIND_METRICS,
	.probe = massif_probe,
	.find = massif_find,
	.read = massif_read,
};
