/* SPDX-License-Identifier: MIT */
#include "formats/ftrace/function_graph_fast.h"

#include "base/status.h"
#include "base/str.h"
#include "core/calls.h"
#include "core/ids.h"
#include "formats/ftrace/function_graph_build.h"
#include "formats/ftrace/function_graph_line.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* maximum indentation in blanks (79 levels); fg_line_parse() reads lines with more blanks */
#define FG_MAX_BLANKS    160u
#define FG_DURATION_SPAN 16 /* width of the duration column, including its '|' */

static inline uint64_t fg_load8(const char *p)
{
	uint64_t w;

	memcpy(&w, p, sizeof(w));
	return w;
}

/*
 * Keep the first @len bytes (in memory order) of @w, a word from fg_load8(), and clear the other
 * bytes. @len must be less than 8.
 */
static inline uint64_t fg_first(uint64_t w, uint32_t len)
{
	uint64_t low = (UINT64_C(1) << 8 * len) - 1;

	return w & (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? low : ~(~UINT64_C(0) >> 8 * len));
}

/* Compare each of 16 bytes with @c. Bit i of the result is set if p[i] == c. */
static inline uint32_t fg_equal16(const char *p, char c)
{
#ifdef __SSE2__
	__m128i v;

	memcpy(&v, p, sizeof(v));
	return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8(c)));
#else
	uint32_t m = 0;

	for (unsigned int i = 0; i < 16; i++)
		m |= (uint32_t)(p[i] == c) << i;
	return m;
#endif
}

/*
 * Whether the first @len bytes are equal. Of both texts, @len bytes must be readable, rounded up to
 * a multiple of 16.
 */
static inline bool fg_same(const char *a, const char *b, uint32_t len)
{
#ifdef __SSE2__
	for (uint32_t i = 0; i < len; i += 16) {
		uint32_t want = len - i >= 16 ? 0xffff : (1u << (len - i)) - 1;
		__m128i x;
		__m128i y;

		memcpy(&x, a + i, sizeof(x));
		memcpy(&y, b + i, sizeof(y));
		if (((uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(x, y)) & want) != want)
			return false;
	}
	return true;
#else
	return memcmp(a, b, len) == 0;
#endif
}

/* Number of blanks at @p; at most FG_MAX_BLANKS. */
static inline uint32_t fg_blanks(const char *p)
{
	uint32_t n = 0;

	while (n < FG_MAX_BLANKS) {
		uint32_t other = ~fg_equal16(p + n, ' ') & 0xffff;

		if (other)
			return n + (uint32_t)__builtin_ctz(other);
		n += 16;
	}
	return n;
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/*
 * Parse a duration, "12.345 us   |": one to four digits, '.', three digits, " us", blanks. @p: byte
 * 3 of the duration column, where the digits begin. @blank: bit i is set if byte i of the column is
 * a blank.
 */
static inline bool fg_duration(const char *p, uint32_t blank, uint32_t *ret_ns)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t w = fg_load8(p);
	uint64_t x = w ^ ones * '.';
	uint64_t dot = (x - ones) & ~x & ones * 0x80;
	unsigned int k; /* number of digits before the dot: 1 to 4 */
	uint64_t digits;

	if (UNLIKELY(!dot))
		return false;
	k = (unsigned int)__builtin_ctzll(dot) / 8;
	if (UNLIKELY(k - 1 > 3))
		return false;
	digits = (w & ((UINT64_C(1) << 8 * k) - 1)) | ((w >> 8 * (k + 1)) << 8 * k);
	/*
	 * the high bytes get the k digits before the '.' and the 3 digits after it; the low bytes
	 * get 0
	 */
	digits <<= 8 * (5 - k);
	digits ^= (ones * '0') << 8 * (5 - k);
	if (UNLIKELY(((digits + ones * 0x76) | digits) & ones * 0x80))
		return false;
	/* the three bytes after the digits must be " us" */
	if (UNLIKELY((fg_load8(p + k + 4) & 0xffffff) != 0x737520))
		return false;
	if (UNLIKELY(blank >> (k + 10) != 0x7fffu >> (k + 10)))
		return false;
	digits = digits * 10 + (digits >> 8);
	digits = (((digits & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064)) +
		  (((digits >> 16) & UINT64_C(0x000000ff000000ff)) *
		   UINT64_C(0x0000271000000001))) >>
		 32;
	*ret_ns = (uint32_t)digits;
	return true;
}
#else
static inline bool fg_duration(const char *p, uint32_t blank, uint32_t *ret_ns)
{
	(void)p;
	(void)blank;
	(void)ret_ns;
	return false; /* fg_line_parse() must read this line */
}
#endif

/*
 * Find the symbol of the function name p[0, len). The 15 bytes after the name must be readable.
 * False: not a name.
 */
static inline bool fg_lookup(struct fg *g, const char *p, uint32_t len, sym_id *ret)
{
	uint64_t a = fg_load8(p);
	uint64_t h;
	struct fg_name *n;

	if (len >= 8)
		h = a ^ (fg_load8(p + len - 8) * UINT64_C(0x9e3779b97f4a7c15)) ^
		    (fg_load8(p + len / 2 - 4) * UINT64_C(0xc2b2ae3d27d4eb4f));
	else
		h = fg_first(a, len);
	h = (h ^ len) * UINT64_C(0x9fb21c651e98df25);
	n = &g->names[h >> 52 & (FG_NAME_SLOTS - 1)];
	if (LIKELY(n->len == len && fg_same(p, n->text, len))) {
		*ret = n->sym;
		return true;
	}
	if (!fg_name_ok((struct str){ p, len }))
		return false;
	*ret = fg_symbol(g, (struct str){ p, len });
	if (len <= FG_NAME_BYTES) {
		memcpy(n->text, p, len);
		n->len = len;
		n->sym = *ret;
	}
	return true;
}

/* Values of the columns of a line. */
struct fg_plain {
	struct fg_cpu *cpu;
	uint64_t time_ns;
	uint32_t dur_ns;
	bool has_duration;
};

/*
 * Parse "10.891838", with up to nine decimals. @p must be at the first digit. Returns the end;
 * NULL: another layout.
 */
static inline const char *fg_fast_seconds(const char *p, uint64_t *ret_ns)
{
	uint64_t seconds = 0;
	uint64_t part = 0;
	uint32_t scale = 1000000000;
	int n;

	for (n = 0; n < 10 && char_is_digit(*p); n++)
		seconds = seconds * 10 + (uint64_t)(*p++ - '0');
	if (n == 0 || *p++ != '.')
		return NULL;
	for (n = 0; n < 9 && char_is_digit(*p); n++) {
		part = part * 10 + (uint64_t)(*p++ - '0');
		scale /= 10;
	}
	*ret_ns = seconds * 1000000000 + part * scale;
	return p;
}

/* Parse the time column, "   10.891838 |". Returns the end of the column; NULL: another layout. */
static inline const char *fg_fast_time(const char *p, struct fg_plain *ret)
{
	p = fg_fast_seconds(p + fg_blanks(p), &ret->time_ns);
	return p && p[0] == ' ' && p[1] == '|' ? p + 2 : NULL;
}

/*
 * Parse the columns of a line, up to the last '|' or ')' before the call. Returns the end of the
 * columns; NULL: another layout.
 */
static inline __attribute__((always_inline)) const char *
fg_fast_columns(struct fg *g, const char *p, const unsigned int columns, struct fg_plain *ret)
{
	uint32_t n = 0;

	ret->time_ns = FG_TIME_UNKNOWN;
	ret->dur_ns = 0;
	ret->has_duration = false;
	if (columns & FG_TIME) {
		p = fg_fast_time(p, ret);
		if (UNLIKELY(!p))
			return NULL;
	}
	if (columns & FG_CPU) {
		p += fg_blanks(p);
		n = (unsigned char)*p++ - (uint32_t)'0';
		if (UNLIKELY(n > 9))
			return NULL;
		while (char_is_digit(*p) && n < FG_MAX_CPUS)
			n = n * 10 + (uint32_t)(*p++ - '0');
		n++;
		if (UNLIKELY(n >= g->n_cpus || *p++ != ')'))
			return NULL;
	}
	ret->cpu = &g->cpus[n];
	if (UNLIKELY(!ret->cpu->task))
		return NULL;
	if (columns & FG_TASK) {
		/* the task is the same if the task column is the same as in the CPU's last line */
		if (UNLIKELY(!ret->cpu->field_len ||
			     !fg_same(p, ret->cpu->field, ret->cpu->field_len)))
			return NULL;
		p += ret->cpu->field_len;
	}
	if (columns & FG_FLAGS) {
		uint32_t bar = fg_equal16(p, '|');

		if (UNLIKELY(!bar || __builtin_ctz(bar) < 5))
			return NULL;
		p += __builtin_ctz(bar) + 1;
	}
	if (columns & FG_DURATION) {
		uint32_t blank = fg_equal16(p, ' ');

		if (UNLIKELY(p[FG_DURATION_SPAN - 1] != '|'))
			return NULL;
		if (blank != 0x7fff) {
			/*
			 * " + 12.345 us   |": bytes 0 and 2 of the column must be blank; byte 1 is
			 * a mark such as '+'
			 */
			if (UNLIKELY((blank & 5) != 5 || !fg_duration(p + 3, blank, &ret->dur_ns)))
				return NULL;
			if (UNLIKELY(!(blank & 2) && !memchr("+!#*@$", p[1], 6)))
				return NULL;
			ret->has_duration = true;
		}
		p += FG_DURATION_SPAN;
	}
	return p;
}

/*
 * Parse the comment after a call. Returns the end of the line; NULL: the comment has another form.
 */
static const char *fg_fast_tail(const char *p, const char *end, struct fg_tail *ret)
{
	const char *nl = memchr(p, '\n', (size_t)(end - p));

	if (!nl || nl - p > FG_FAST_MARGIN ||
	    !fg_tail_parse((struct str){ p, (size_t)(nl - p) }, ret))
		return NULL;
	return nl;
}

/*
 * Close a call. @p must be after the '}'. Returns the start of the next line; NULL: fg_line_parse()
 * must read the line.
 */
static inline const char *fg_fast_close(struct fg *g, const char *p, const char *end,
					uint32_t depth, const struct fg_plain *l)
{
	struct fg_task *t = l->cpu->task;
	struct fg_tail tail;

	if (LIKELY(*p == '\n' && t->n && t->open[t->n - 1].depth == depth)) {
		uint32_t call = fg_pop(g, l->cpu);

		if (LIKELY(l->has_duration))
			calls_set_duration(g->calls, call, l->dur_ns);
		return p + 1;
	}
	p = fg_fast_tail(p, end, &tail);
	if (!p)
		return NULL;
	fg_close(g, l->cpu, depth, &tail, l->has_duration, l->dur_ns, l->time_ns);
	return p + 1;
}

/*
 * Add a call. @p must be at the function's name. Returns the start of the next line; NULL:
 * fg_line_parse() must read the line.
 */
static inline const char *fg_fast_call(struct fg *g, const char *p, const char *end, uint32_t depth,
				       const struct fg_plain *l)
{
	uint32_t len = 0;
	uint32_t paren;
	struct fg_tail tail;
	bool has_tail;
	uint8_t state;
	uint32_t call;
	sym_id sym;

	for (;; len += 16) {
		uint32_t newline = fg_equal16(p + len, '\n');

		paren = fg_equal16(p + len, '(');
		if (paren) {
			if (UNLIKELY(newline && newline < (paren & -paren)))
				return NULL;
			break;
		}
		if (UNLIKELY(newline || len >= 64))
			return NULL;
	}
	len += (uint32_t)__builtin_ctz(paren);
	if (UNLIKELY(!len || p[len + 1] != ')'))
		return NULL;
	if (p[len + 2] == ';')
		state = CALL_CLOSED | CALL_LEAF;
	else if (p[len + 2] == ' ' && p[len + 3] == '{')
		state = CALL_OPEN;
	else
		return NULL;
	if (UNLIKELY(!fg_lookup(g, p, len, &sym)))
		return NULL;
	p += len + 3 + (state == CALL_OPEN);
	has_tail = *p != '\n';
	if (UNLIKELY(has_tail)) {
		p = fg_fast_tail(p, end, &tail);
		if (!p)
			return NULL;
	}
	call = fg_add(g, l->cpu, sym, depth, state);
	if (UNLIKELY(call == FG_NO_CALL))
		return p + 1;
	if (l->has_duration && state != CALL_OPEN)
		calls_set_duration(g->calls, call, l->dur_ns);
	if (l->time_ns != FG_TIME_UNKNOWN)
		calls_set_start(g->calls, call, l->time_ns);
	if (UNLIKELY(has_tail))
		fg_set_tail(g, call, &tail);
	return p + 1;
}

static inline __attribute__((always_inline)) const char *
fg_fast_layout(struct fg *g, const char *p, const char *end, const unsigned int columns)
{
	const uint32_t base = columns & FG_DURATION ? 2 : columns != 0;
	uint32_t last_cpu = g->last_cpu;

	while (end - p > FG_FAST_MARGIN) {
		struct fg_plain l;
		const char *q = fg_fast_columns(g, p, columns, &l);
		uint32_t blanks;

		if (UNLIKELY(!q))
			break;
		blanks = fg_blanks(q);
		if (UNLIKELY(blanks >= FG_MAX_BLANKS || blanks < base || (blanks - base) % 2))
			break;
		q += blanks;
		if (*q == '}')
			q = fg_fast_close(g, q + 1, end, (blanks - base) / 2, &l);
		else
			q = fg_fast_call(g, q, end, (blanks - base) / 2, &l);
		if (UNLIKELY(!q))
			break;
		p = q;
		last_cpu = (uint32_t)(l.cpu - g->cpus);
		g->line++;
	}
	g->last_cpu = last_cpu;
	return p;
}

/*
 * Parse the time "27.345009: ", with up to nine decimals. @p must be at the first digit. Returns
 * the end; NULL: another layout.
 */
static inline const char *fg_fast_stamp(const char *p, uint64_t *ret)
{
	p = fg_fast_seconds(p, ret);
	return p && p[0] == ':' && p[1] == ' ' ? p + 2 : NULL;
}

/*
 * Parse the start of a line of trace-cmd report, up to the '|': `comm-pid [001] 7.061681:
 * funcgraph_entry:      + 59.928 us  |  `. Returns the end; NULL: another layout.
 */
static const char *fg_fast_trace_cmd_front(struct fg *g, const char *p, struct fg_plain *ret)
{
	uint32_t open = fg_equal16(p + 16, '['); /* the task column has at least 16 bytes */
	const char *field = p;
	uint32_t blank;
	uint32_t n = 0;
	uint32_t at = 16;

	if (!open) {
		at = 32;
		open = fg_equal16(p + 32, '[');
	}
	if (UNLIKELY(!open))
		return NULL;
	p += at + (uint32_t)__builtin_ctz(open) + 1;
	while (char_is_digit(*p) && n < FG_MAX_CPUS)
		n = n * 10 + (uint32_t)(*p++ - '0');
	if (UNLIKELY(*p++ != ']' || ++n >= g->n_cpus))
		return NULL;
	ret->cpu = &g->cpus[n];
	n = ret->cpu->field_len;
	if (UNLIKELY(!ret->cpu->task || !n || field[n] != '[' ||
		     !fg_same(field, ret->cpu->field, n)))
		return NULL;
	p += fg_blanks(p);
	p = fg_fast_stamp(p, &ret->time_ns);
	if (UNLIKELY(!p || memcmp(p, "funcgraph_e", 11) != 0))
		return NULL;
	if (memcmp(p + 11, "ntry:     ", 10) == 0)
		p += 21;
	else if (memcmp(p + 11, "xit:      ", 10) == 0)
		p += 21;
	else
		return NULL;
	/*
	 * treat byte 14, the '|', as blank: the duration column is one byte narrower than in
	 * tracefs
	 */
	blank = fg_equal16(p, ' ') | 0x4000;
	if (UNLIKELY(p[14] != '|'))
		return NULL;
	ret->has_duration = false;
	if ((blank & 0x7fff) != 0x7fff) {
		if (UNLIKELY((blank & 5) != 5 || !fg_duration(p + 3, blank & 0x7fff, &ret->dur_ns)))
			return NULL;
		if (UNLIKELY(!(blank & 2) && !memchr("+!#*@$", p[1], 6)))
			return NULL;
		ret->has_duration = true;
	}
	return p + 15;
}

static const char *fg_fast_trace_cmd(struct fg *g, const char *p, const char *end)
{
	while (end - p > FG_FAST_MARGIN) {
		struct fg_plain l = { .dur_ns = 0 };
		const char *q = fg_fast_trace_cmd_front(g, p, &l);
		uint32_t blanks;

		if (UNLIKELY(!q))
			break;
		blanks = fg_blanks(q);
		if (UNLIKELY(blanks >= FG_MAX_BLANKS || blanks < 2 || blanks % 2))
			break;
		q += blanks;
		if (*q == '}')
			q = fg_fast_close(g, q + 1, end, (blanks - 2) / 2, &l);
		else
			q = fg_fast_call(g, q, end, (blanks - 2) / 2, &l);
		if (UNLIKELY(!q))
			break;
		p = q;
		g->last_cpu = (uint32_t)(l.cpu - g->cpus);
		g->line++;
	}
	return p;
}

const char *fg_fast_lines(struct fg *g, const char *p, const char *end)
{
	if (g->columns & FG_TRACE_CMD)
		return fg_fast_trace_cmd(g, p, end);
	switch (g->columns) {
	case FG_CPU | FG_DURATION:
		return fg_fast_layout(g, p, end, FG_CPU | FG_DURATION);
	case FG_TIME | FG_CPU | FG_DURATION:
		return fg_fast_layout(g, p, end, FG_TIME | FG_CPU | FG_DURATION);
	case FG_CPU | FG_TASK | FG_DURATION:
		return fg_fast_layout(g, p, end, FG_CPU | FG_TASK | FG_DURATION);
	case FG_TIME | FG_CPU | FG_TASK | FG_DURATION:
		return fg_fast_layout(g, p, end, FG_TIME | FG_CPU | FG_TASK | FG_DURATION);
	default:
		return g->columns & (FG_TRACE_CMD | FG_REL_TIME)
			       ? p
			       : fg_fast_layout(g, p, end, g->columns);
	}
}
