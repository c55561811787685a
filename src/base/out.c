/* SPDX-License-Identifier: MIT */
#include "base/out.h"

#include "base/alloc.h"
#include "base/newfile.h"
#include "base/status.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define OUT_FLUSH_BYTES 65536u

void out_init(struct out *o)
{
	*o = (struct out){ .fd = -1 };
}

void out_init_fd(struct out *o, int fd)
{
	*o = (struct out){ .fd = fd };
}

void out_fini(struct out *o)
{
	free(o->data);
	*o = (struct out){ .fd = -1 };
}

static void out_write(struct out *o, const char *p, size_t len)
{
	if (!o->error && !newfile_write(o->fd, p, len))
		o->error = errno;
}

static void out_flush(struct out *o)
{
	if (o->fd < 0)
		return;
	out_write(o, o->data, o->len);
	o->len = 0;
}

int out_finish(struct out *o, struct error *err)
{
	out_flush(o);
	if (o->error)
		return fail(err, ERR_IO, "cannot write the output: %s",
			    o->error == EBADF ? "standard output is closed" : strerror(o->error));
	return OK;
}

static char *out_room(struct out *o, size_t len)
{
	if (o->fd >= 0 && o->len >= OUT_FLUSH_BYTES)
		out_flush(o);
	if (o->cap - o->len < len) {
		size_t cap = o->cap * 2 > 256 ? o->cap * 2 : 256;

		if (cap < o->len + len)
			cap = o->len + len;
		o->data = xrealloc(o->data, cap);
		o->cap = cap;
	}
	return o->data + o->len;
}

void out_bytes(struct out *o, const void *p, size_t len)
{
	if (len == 0)
		return;
	memcpy(out_room(o, len), p, len);
	o->len += len;
}

void out_str(struct out *o, struct str s)
{
	out_bytes(o, s.p, s.len);
}

void out_z(struct out *o, const char *z)
{
	out_bytes(o, z, strlen(z));
}

void out_char(struct out *o, char c)
{
	*out_room(o, 1) = c;
	o->len++;
}

void out_repeat(struct out *o, char c, size_t n)
{
	if (n == 0)
		return;
	memset(out_room(o, n), c, n);
	o->len += n;
}

void out_printf(struct out *o, const char *fmt, ...)
{
	char buf[256];
	va_list ap;
	va_list again;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < sizeof(buf)) {
		out_bytes(o, buf, (size_t)n);
	} else if (n >= 0) {
		(void)vsnprintf(out_room(o, (size_t)n + 1), (size_t)n + 1, fmt, again);
		o->len += (size_t)n;
	}
	va_end(again);
}

void out_u64(struct out *o, uint64_t v)
{
	char buf[20];
	size_t i = sizeof(buf);

	do {
		buf[--i] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	out_bytes(o, buf + i, sizeof(buf) - i);
}

void out_i64(struct out *o, int64_t v)
{
	if (v < 0)
		out_char(o, '-');
	out_u64(o, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

void out_fixed(struct out *o, int64_t v, unsigned int decimals)
{
	char buf[48];
	size_t i = sizeof(buf);
	uint64_t u = v < 0 ? -(uint64_t)v : (uint64_t)v;

	for (unsigned int d = 0; d < decimals && d < 20; d++) {
		buf[--i] = (char)('0' + u % 10);
		u /= 10;
	}
	if (decimals)
		buf[--i] = '.';
	do {
		buf[--i] = (char)('0' + u % 10);
		u /= 10;
	} while (u);
	if (v < 0)
		buf[--i] = '-';
	out_bytes(o, buf + i, sizeof(buf) - i);
}

void out_real(struct out *o, double v, unsigned int decimals)
{
	static const double scales[] = { 1, 10, 100, 1000 };
	double scaled = decimals < 4 ? v * scales[decimals] : -1;
	double floored = floor(scaled);
	double rest = scaled - floored;

	/*
	 * The error of `scaled` is less than 10^-6, so rounding gives the right digits unless
	 * `rest` is near 0.5. printf() rounds that case.
	 */
	if (scaled >= 0 && scaled < 1e9 && !signbit(v) && fabs(rest - 0.5) > 1e-6)
		out_fixed(o, (int64_t)floored + (rest > 0.5), decimals);
	else
		out_printf(o, "%.*f", (int)decimals, v);
}

void out_double(struct out *o, double v)
{
	char buf[40];

	if (!isfinite(v)) {
		out_z(o, "null");
		return;
	}
	if (v == 0)
		v = 0; /* print -0 as "0" */
	for (int digits = 6; digits <= 17; digits++) {
		(void)snprintf(buf, sizeof(buf), "%.*g", digits, v);
		if (strtod(buf, NULL) == v)
			break;
	}
	out_z(o, buf);
}
