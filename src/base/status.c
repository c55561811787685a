/* SPDX-License-Identifier: MIT */
#include "base/status.h"

#include <stdio.h>

int fail(struct error *err, int status, const char *fmt, ...)
{
	if (err) {
		va_list ap;

		va_start(ap, fmt);
		(void)vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
		va_end(ap);
	}
	return status;
}
