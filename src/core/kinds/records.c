/* SPDX-License-Identifier: MIT */
#include "core/kinds/records.h"

#include "base/arena.h"
#include "base/status.h"
#include "base/vec.h"

void records_init(struct records *r)
{
	memset(r, 0, sizeof(*r));
}

void records_fini(struct records *r)
{
	VEC_FREE(&r->rows);
	VEC_FREE(&r->streams);
	VEC_FREE(&r->traces);
	arena_fini(&r->arena);
}

uint64_t records_tick_ns(const struct records *r)
{
	uint64_t ret = 0;

	VEC_FOREACH (s, &r->streams)
		ret = s->tick_ns > ret ? s->tick_ns : ret;
	return ret;
}

const char *log_level_name(enum log_level level)
{
	static const char *const names[] = {
		[LEVEL_NONE] = "none",         [LEVEL_DEBUG] = "debug",
		[LEVEL_INFO] = "info",         [LEVEL_NOTICE] = "notice",
		[LEVEL_WARN] = "warning",      [LEVEL_ERROR] = "error",
		[LEVEL_CRITICAL] = "critical", [LEVEL_EMERGENCY] = "emergency",
	};

	return (unsigned int)level < ARRAY_LEN(names) ? names[level] : "none";
}
