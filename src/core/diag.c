/* SPDX-License-Identifier: MIT */
#include "core/diag.h"

void diag_fini(struct diag *d)
{
	VEC_FREE(&d->entries);
}

void diag_add(struct diag *d, const struct diag_kind *kind, uint64_t n, uint32_t line)
{
	if (n == 0)
		return;
	VEC_FOREACH (e, &d->entries) {
		if (e->kind == kind) {
			e->count += n;
			return;
		}
	}
	*VEC_PUSH(&d->entries) = (struct diag_entry){ kind, n, line };
}

void diag_count(struct diag *d, const struct diag_kind *kind, uint32_t line)
{
	diag_add(d, kind, 1, line);
}

uint64_t diag_get(const struct diag *d, const char *counter)
{
	uint64_t n = 0;

	VEC_FOREACH (e, &d->entries) {
		if (strcmp(e->kind->counter, counter) == 0)
			n += e->count;
	}
	return n;
}

const char *diag_severity_name(enum diag_severity severity)
{
	return severity == DIAG_INFO ? "info" : severity == DIAG_DATALOSS ? "dataloss" : "error";
}
