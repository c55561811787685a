/* SPDX-License-Identifier: MIT */
#include "analyses/calls/call_events.h"
#include "base/status.h"
#include "base/vec.h"
#include "cmds/show/calls/show_calls.h"
#include "cmds/show/show.h"
#include "render/view.h"

#define EVENTS_BRIEF 6u
#define EVENTS_SHOWN 30u

void show_call_events(struct show *s, const struct capture *c)
{
	static const struct view_column columns[] = {
		{ "count", "Events", 0 },
		{ "event", "Event", COLUMN_FLEX },
		{ "line", "First at", 0 },
	};
	const struct view_table table = { .key = "events",
					  .columns = columns,
					  .n_columns = ARRAY_LEN(columns) };
	CLEANUP(call_events_fini) struct call_events events;
	size_t n = 0;

	call_events_count(c, &events);
	view_field(s->v, "n_events", NULL, cell_count(events.count));
	view_table(s->v, &table);
	VEC_FOREACH (e, &events.rows) {
		struct cell cells[] = { cell_count(e->count), cell_text(e->name),
					cell_line(e->line) };

		if (n++ >= show_rows_of(s, EVENTS_BRIEF, EVENTS_SHOWN))
			break;
		view_row(s->v, cells);
	}
	view_table_end(s->v);
}
