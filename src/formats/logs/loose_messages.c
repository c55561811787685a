/* SPDX-License-Identifier: MIT */
#include "formats/logs/loose_messages.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/records.h"
#include "formats/format.h"
#include "formats/logs/log_stamp.h"
#include "formats/logs/service_line.h"

#define LOOSE_LINES 2000u /* maximum number of lines of a region to search */

/* The stream of lines with the clock of @stamp; NULL: without a time. */
static uint32_t loose_stream(struct records *r, const struct log_stamp *stamp)
{
	uint8_t clock = stamp ? stamp->clock : CLOCK_NONE;
	uint32_t i = 0;

	while (i < r->streams.len && r->streams.data[i].clock != clock)
		i++;
	if (i == r->streams.len)
		*VEC_PUSH(&r->streams) = (struct log_stream){
			.clock = clock,
			.tick_ns = stamp ? stamp->tick_ns : 0,
			.is_local = stamp && clock == CLOCK_REALTIME && !stamp->has_zone,
		};
	return i;
}

size_t loose_messages_read(const struct region *in, struct dossier *d, loose_is_message *is_message)
{
	struct str text = in->text;
	struct capture *c = NULL;
	struct records *r = NULL;
	struct str line;

	for (uint32_t n = 0; n < LOOSE_LINES && str_line(&text, &line); n++) {
		struct service_line l;
		unsigned int level = LEVEL_NONE;
		bool has_time;

		line = str_trim(str_sub(line, 0, LIMIT_LINE_BYTES));
		if (!line.len || !is_message(line, &level))
			continue;
		has_time = service_line_read(line, &l) && !l.stamp.is_json;
		if (!c) {
			c = format_add_capture(&format_service_log, in, d);
			c->first_line = region_line(in, n);
			r = capture_records(c);
		}
		*VEC_PUSH(&r->rows) = (struct log_record){
			.time_ns = has_time ? l.stamp.time_ns : 0,
			.text = arena_str(&r->arena, has_time ? l.text : line),
			.stream = loose_stream(r, has_time ? &l.stamp : NULL),
			.line = region_line(in, n),
			.last_line = region_line(in, n),
			.level = (uint8_t)(has_time && l.level > level ? l.level : level),
			.has_time = has_time,
		};
		c->last_line = region_line(in, n);
	}
	return r ? r->rows.len : 0;
}
