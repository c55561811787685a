/* SPDX-License-Identifier: MIT */
/*
 * Records that pass through the in-memory window. The kernel writes their frames and terminates
 * their strings; processes, maps and times have arbitrary values. Each byte pair of the input is a
 * type and the number of words that follow.
 */
#include "record/window/window.h"

#include "base/out.h"
#include "base/str.h"

#include <linux/perf_event.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(x) ((x) ? (void)0 : __builtin_trap())
#define FUZZ_ID_BYTES 32u
#define FUZZ_TIME_AT  32u
#define FUZZ_CUT      200u /* types from here on are calls: end a slice, pause, trim, write */

/* The smallest valid number of words of a record of this type. */
static size_t fuzz_words(unsigned int type, size_t words)
{
	static const uint8_t least[] = {
		[PERF_RECORD_MMAP] = 5,        [PERF_RECORD_LOST] = 2,
		[PERF_RECORD_COMM] = 3,        [PERF_RECORD_EXIT] = 3,
		[PERF_RECORD_THROTTLE] = 3,    [PERF_RECORD_UNTHROTTLE] = 3,
		[PERF_RECORD_FORK] = 3,        [PERF_RECORD_SAMPLE] = 6,
		[PERF_RECORD_MMAP2] = 9,       [PERF_RECORD_NAMESPACES] = 2,
		[PERF_RECORD_KSYMBOL] = 3,     [PERF_RECORD_CGROUP] = 2,
		[PERF_RECORD_LOST_SAMPLES] = 1
	};
	size_t n = type < sizeof(least) ? least[type] : 0;

	return words > n ? words : n;
}

static void fuzz_record(struct out *o, unsigned int type, struct str words)
{
	struct perf_event_header h = { .type = type, .misc = (uint16_t)(words.len & 7) };
	size_t n = fuzz_words(type, words.len / 8);
	size_t id = type == PERF_RECORD_SAMPLE ? 0 : FUZZ_ID_BYTES;

	h.size = (uint16_t)(sizeof(h) + 8 * n + id);
	out_bytes(o, &h, sizeof(h));
	out_bytes(o, words.p, words.len / 8 * 8);
	out_repeat(o, '\0', 8 * (n - words.len / 8));
	/* strings are at the end of a record */
	if (id && n)
		o->data[o->len - 1] = '\0';
	if (id) {
		out_repeat(o, '\0', id - 16);
		out_bytes(o, words.len >= 8 ? words.p : "\1\0\0\0\1\0\0\0", 8);
		out_repeat(o, '\0', 8);
	}
}

static void fuzz_end(struct window *w, struct out *o, unsigned int how, uint64_t *now)
{
	struct iovec pieces[2] = { { o->data, o->len / 2 },
				   { o->data + o->len / 2, o->len - o->len / 2 } };
	struct window_sum sum;
	struct out image;

	if (o->len)
		window_take(w, pieces, 2);
	o->len = 0;
	*now += 1000;
	if (how == FUZZ_CUT + 1)
		window_pause(w, (*now / 1000) % 2, *now);
	else if (how == FUZZ_CUT + 2)
		window_trim(w, *now / 2);
	else
		window_cut(w, *now);
	if (how != FUZZ_CUT + 3)
		return;
	window_sum(w, &sum);
	FUZZ_CHECK(sum.until_ns >= sum.from_ns && sum.first_ns <= sum.last_ns);
	out_init(&image);
	window_write(w, &image);
	out_fini(&image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct window_options options = { .span_ns = 5000,
						.max_bytes = 1 << 16,
						.time_at = FUZZ_TIME_AT,
						.id_bytes = FUZZ_ID_BYTES };
	struct window *w = window_new(&options, 0);
	struct str rest = { (const char *)data, size };
	uint64_t now = 0;
	struct out o;

	out_init(&o);
	while (rest.len >= 2) {
		unsigned int type = (uint8_t)rest.p[0];
		struct str words = str_sub(rest, 2, 2 + 8 * ((uint8_t)rest.p[1] & 31u));

		rest = str_skip(rest, 2 + words.len);
		if (type >= FUZZ_CUT)
			fuzz_end(w, &o, type, &now);
		else
			fuzz_record(&o, type % 24, words);
	}
	fuzz_end(w, &o, FUZZ_CUT + 3, &now);
	out_fini(&o);
	window_free(w);
	return 0;
}
