/* SPDX-License-Identifier: MIT */
/*
 * cost_curl.c - the times that curl prints with --write-out, counted from the start of curl
 *
 * Source: curl(1), "--write-out". Each time is the end of a step, which began at the previous time.
 * Exception: time_redirect is the sum of other transfers.
 */
#include "formats/profilers/cost_head.h"

#include "base/status.h"
#include "base/str.h"

static const struct {
	const char *name;
	const char *step; /* the step of the transfer that ends at this time */
} curl_times[] = {
	{ "time_namelookup", "name lookup" },
	{ "time_connect", "TCP connect" },
	{ "time_appconnect", "TLS handshake" },
	{ "time_pretransfer", "preparation of the request" },
	{ "time_starttransfer", "wait for the first byte" },
	{ "time_total", "transfer of the body" },
};

const char *cost_curl_step(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(curl_times); i++) {
		if (str_eq(name, str_of(curl_times[i].name)))
			return curl_times[i].step;
	}
	return NULL;
}
