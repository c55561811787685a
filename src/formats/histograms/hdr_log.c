/* SPDX-License-Identifier: MIT */
#include "formats/histograms/hdr_log.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/kinds/distribution.h"
#include "core/strings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define HDR_TAGS 64u
/*
 * maximum number of counts of a histogram. For example, a histogram of values from 1 ns to 1 hour
 * with 3 digits has 33 000 counts
 */
#define HDR_COUNTS      (UINT32_C(1) << 20)
#define HDR_PAYLOAD_MAX (UINT32_C(1) << 22)
#define HDR_COMPRESSED  0x1c849304u
#define HDR_ENCODED     0x1c849303u
/* mask for the two values above: it clears the four bits that store the size of a word */
#define HDR_COOKIE_BASE 0xffffff0fu
#define HDR_HEAD        40u
#define HDR_DIGITS      5u
#define HDR_BITS        63u /* maximum number of bits of a value */

struct hdr_head {
	uint32_t payload;
	unsigned int unit_bits, half_bits;
};

static uint32_t hdr_u32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint64_t hdr_u64(const uint8_t *p)
{
	return (uint64_t)hdr_u32(p) << 32 | hdr_u32(p + 4);
}

bool hdr_log_is_title(struct str line)
{
	line = str_trim(line);
	return str_starts(line, STR("\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\"")) ||
	       str_glob(STR("#[Histogram log format version *]|#[StartTime: *]|#[BaseTime: *]"),
			line);
}

bool hdr_log_parse(struct str line, struct hdr_interval *ret)
{
	struct str rest = str_trim(line);
	double number;

	*ret = (struct hdr_interval){ .tag = STR_NONE };
	if (str_take(&rest, STR("Tag="))) {
		ret->tag = str_sub(rest, 0, str_find_char(rest, ','));
		rest = str_skip(rest, ret->tag.len + 1);
	}
	for (unsigned int i = 0; i < 3; i++) {
		if (!str_double(&rest, &number) || !str_take(&rest, STR(",")))
			return false;
	}
	/* the encoded histogram begins at "HIST", the base64 form of the bytes 1c 84 93 */
	ret->encoded = rest;
	return str_starts(rest, STR("HIST")) && str_find_char(rest, ' ') == rest.len;
}

/*
 * Decode base64 at the start of @in, up to the first character that is not base64. Returns the
 * number of bytes.
 */
static size_t hdr_base64(struct str in, uint8_t *out)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t bits = 0;
	unsigned int n = 0;
	size_t len = 0;

	for (size_t i = 0; i < in.len; i++) {
		const char *at = memchr(letters, in.p[i], sizeof(letters) - 1);

		if (!at)
			break;
		bits = bits << 6 | (uint32_t)(at - letters);
		n += 6;
		if (n >= 8) {
			n -= 8;
			out[len++] = (uint8_t)(bits >> n);
		}
	}
	return len;
}

/* The smallest n for which 2^n >= @value. */
static unsigned int hdr_bits(uint64_t value)
{
	unsigned int n = 0;

	while (n < 63 && (UINT64_C(1) << n) < value)
		n++;
	return n;
}

/* Read the head of an encoded histogram. False: an unknown version or layout. */
static bool hdr_head_of(const uint8_t *p, struct hdr_head *ret)
{
	uint32_t digits = hdr_u32(p + 12);
	uint64_t lowest = hdr_u64(p + 16);
	uint64_t scale = 2;
	/*
	 * hdr-histogram-js writes 1 as normalizing offset. As conversion ratio, it writes
	 * the integer 1 instead of a double
	 */
	bool is_js = hdr_u32(p + 8) == 1 && hdr_u64(p + 32) == 1;

	/*
	 * Reject unsupported histograms. If values were shifted, the normalizing offset at byte 8
	 * is not 0. If values are doubles, the first four bytes (the cookie) are different.
	 */
	if ((hdr_u32(p) & HDR_COOKIE_BASE) != (HDR_ENCODED & HDR_COOKIE_BASE) ||
	    (hdr_u32(p + 8) != 0 && !is_js) || digits > HDR_DIGITS || lowest == 0 ||
	    lowest > INT64_MAX / 4)
		return false;
	for (uint32_t i = 0; i < digits; i++)
		scale *= 10;
	ret->payload = hdr_u32(p + 4);
	ret->unit_bits = hdr_bits(lowest);
	if ((UINT64_C(1) << ret->unit_bits) > lowest)
		ret->unit_bits--;
	ret->half_bits = hdr_bits(scale) ? hdr_bits(scale) - 1 : 0;
	return ret->payload <= HDR_PAYLOAD_MAX;
}

/*
 * Inflate the zlib data @packed. Owner of *ret_payload: caller, free(). False: the data is damaged,
 * or has an unknown version.
 */
static bool hdr_inflate(uint8_t *packed, size_t len, struct hdr_head *ret_head,
			uint8_t **ret_payload)
{
	z_stream z = { .next_in = packed, .avail_in = (uInt)len };
	uint8_t head[HDR_HEAD];
	uint8_t *payload = NULL;
	bool is_whole = false;
	int r;

	if (inflateInit(&z) != Z_OK)
		return false;
	z.next_out = head;
	z.avail_out = sizeof(head);
	r = inflate(&z, Z_SYNC_FLUSH);
	if ((r == Z_OK || r == Z_STREAM_END) && z.avail_out == 0 && hdr_head_of(head, ret_head)) {
		payload = xmalloc(ret_head->payload + 1);
		z.next_out = payload;
		z.avail_out = ret_head->payload;
		r = ret_head->payload ? inflate(&z, Z_SYNC_FLUSH) : Z_OK;
		is_whole = (r == Z_OK || r == Z_STREAM_END) && z.avail_out == 0;
	}
	(void)inflateEnd(&z);
	if (is_whole)
		*ret_payload = payload;
	else
		free(payload);
	return is_whole;
}

/*
 * Take a number of the payload: LEB128 of at most nine bytes, of which the ninth has eight bits.
 * The lowest bit of the number is the sign (zigzag).
 */
static bool hdr_number(const uint8_t **p, const uint8_t *end, int64_t *ret)
{
	uint64_t v = 0;
	bool more = true;

	for (unsigned int i = 0; more; i++) {
		uint8_t byte;

		if (*p == end)
			return false;
		byte = *(*p)++;
		more = i < 8 && byte & 0x80;
		v |= (uint64_t)(i < 8 ? byte & 0x7f : byte) << (7 * i);
	}
	*ret = (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
	return true;
}

/*
 * The sum of the histograms with the tag of @interval. The sum is made on first use. NULL: too many
 * tags, or the lowest value or number of digits differs from earlier intervals of the tag.
 */
static struct hdr_sum *hdr_sum_of(struct hdr_log *log, const struct hdr_interval *interval,
				  const struct hdr_head *head, uint32_t line)
{
	VEC_FOREACH (sum, &log->sums) {
		if (str_eq(sum->tag, interval->tag))
			return sum->unit_bits == head->unit_bits &&
					       sum->half_bits == head->half_bits
				       ? sum
				       : NULL;
	}
	if (log->sums.len == HDR_TAGS)
		return NULL;
	*VEC_PUSH(&log->sums) = (struct hdr_sum){ .tag = interval->tag,
						  .line = line,
						  .unit_bits = head->unit_bits,
						  .half_bits = head->half_bits };
	return &log->sums.data[log->sums.len - 1];
}

/*
 * Whether all counts in [@p, @end) can be read. False: a number is damaged, there are more than
 * HDR_COUNTS counts, or a count is for values of 2^63 or more.
 */
static bool hdr_is_readable(const struct hdr_head *head, const uint8_t *p, const uint8_t *end)
{
	uint64_t index = 0;
	int64_t count;

	while (p < end) {
		if (!hdr_number(&p, end, &count) || count == INT64_MIN)
			return false;
		index += count < 0 ? (uint64_t)-count : 1;
		if (index > HDR_COUNTS || (index >> head->half_bits) + head->unit_bits > HDR_BITS)
			return false;
	}
	return true;
}

static void hdr_counts_add(struct hdr_sum *sum, const uint8_t *p, const uint8_t *end)
{
	size_t index = 0;
	int64_t count;

	while (p < end && hdr_number(&p, end, &count)) {
		if (count <= 0) {
			/* the negative number -n stands for n zeros */
			index += count < 0 ? (size_t)-count : 1;
			continue;
		}
		while (sum->counts.len <= index)
			*VEC_PUSH(&sum->counts) = 0;
		if (__builtin_add_overflow(sum->counts.data[index], (uint64_t)count,
					   &sum->counts.data[index]))
			sum->counts.data[index] = UINT64_MAX;
		index++;
	}
}

int hdr_log_add(struct hdr_log *log, const struct hdr_interval *interval, uint32_t line)
{
	CLEANUP(freep) uint8_t *bytes = NULL;
	CLEANUP(freep) uint8_t *payload = NULL;
	struct hdr_head head;
	struct hdr_sum *sum;
	size_t len;

	if (interval->encoded.len > LIMIT_LINE_BYTES)
		return ERR_LIMIT;
	bytes = xmalloc(interval->encoded.len + 1);
	len = hdr_base64(interval->encoded, bytes);
	if (len < 8 || (hdr_u32(bytes) & HDR_COOKIE_BASE) != (HDR_COMPRESSED & HDR_COOKIE_BASE) ||
	    hdr_u32(bytes + 4) > len - 8 ||
	    !hdr_inflate(bytes + 8, hdr_u32(bytes + 4), &head, &payload) ||
	    !hdr_is_readable(&head, payload, payload + head.payload))
		return ERR_FORMAT;
	sum = hdr_sum_of(log, interval, &head, line);
	if (!sum)
		return ERR_LIMIT;
	hdr_counts_add(sum, payload, payload + head.payload);
	return OK;
}

/*
 * The lowest of the values that element @index of sum->counts counts. @ret_width: number of
 * adjacent values that this element counts.
 */
static double hdr_value(const struct hdr_sum *sum, size_t index, double *ret_width)
{
	size_t half = (size_t)1 << sum->half_bits;
	size_t bucket = index >> sum->half_bits;
	size_t sub = (index & (half - 1)) + (bucket ? half : 0);
	int shift = (int)((bucket ? bucket - 1 : 0) + sum->unit_bits);

	*ret_width = ldexp(1, shift);
	return ldexp((double)sub, shift);
}

int hdr_log_fill(const struct hdr_log *log, struct distribution *d, struct strings *strings)
{
	VEC_FOREACH (sum, &log->sums) {
		(void)distribution_begin(
			d, sum->tag.len ? strings_add(strings, sum->tag) : STR_ID_NONE, STR_ID_NONE,
			sum->line);
		for (size_t i = 0; i < sum->counts.len; i++) {
			double width, low;

			if (sum->counts.data[i] == 0)
				continue;
			low = hdr_value(sum, i, &width);
			if (distribution_add(d, low, low + width, sum->counts.data[i], sum->line) <
			    0)
				return ERR_LIMIT;
		}
	}
	return OK;
}

void hdr_log_fini(struct hdr_log *log)
{
	VEC_FOREACH (sum, &log->sums)
		VEC_FREE(&sum->counts);
	VEC_FREE(&log->sums);
}
