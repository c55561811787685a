/* SPDX-License-Identifier: MIT */
/*
 * web_log.c - the records of a log, for the page: columns with time, severity and stream of all
 * records, and the text of the first records
 */
#include "render/web/web_page.h"

#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/json.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/records.h"
#include "core/strings.h"

static void web_log_streams(struct web_block *b, const struct capture *c)
{
	static const char *const clocks[] = { [CLOCK_NONE] = "none",
					      [CLOCK_REALTIME] = "utc",
					      [CLOCK_BOOT] = "boot",
					      [CLOCK_YEAR] = "year",
					      [CLOCK_DAY] = "day" };

	json_key(&b->json, "streams");
	json_array(&b->json);
	VEC_FOREACH (s, &c->records->streams) {
		json_object(&b->json);
		json_key(&b->json, "process");
		json_str(&b->json, strings_get(capture_strings(c), s->process));
		json_key(&b->json, "node");
		json_str(&b->json, strings_get(capture_strings(c), s->node));
		json_key(&b->json, "title");
		json_str(&b->json, strings_get(capture_strings(c), s->title));
		json_key(&b->json, "clock");
		json_z(&b->json, s->clock < ARRAY_LEN(clocks) ? clocks[s->clock] : "none");
		json_object_end(&b->json);
	}
	json_array_end(&b->json);
}

static void web_log_texts(struct web_block *b, const struct capture *c, size_t n)
{
	json_key(&b->json, "texts");
	json_array(&b->json);
	for (size_t i = 0; i < n && i < WEB_TEXTS_MAX; i++)
		json_str(&b->json, str_sub(c->records->rows.data[i].text, 0, WEB_TEXT_BYTES));
	json_array_end(&b->json);
	json_key(&b->json, "modules");
	json_array(&b->json);
	for (size_t i = 0; i < n && i < WEB_TEXTS_MAX; i++)
		json_str(&b->json,
			 strings_get(capture_strings(c), c->records->rows.data[i].module));
	json_array_end(&b->json);
}

bool web_log(struct web_block *b, const struct capture *c)
{
	const struct log_record *rows;
	uint64_t *column;
	double *times;
	size_t n;

	if (!c->records || c->records->rows.len == 0)
		return false;
	n = c->records->rows.len < WEB_RECORDS_MAX ? c->records->rows.len : WEB_RECORDS_MAX;
	rows = c->records->rows.data;
	times = xmalloc(n * sizeof(*times));
	column = xmalloc(n * sizeof(*column));
	/* times in ms; -1: the record has no time */
	for (size_t i = 0; i < n; i++)
		times[i] = rows[i].has_time ? (double)rows[i].time_ns / 1e6 : -1;
	web_block_column(b, "ms", WEB_F64, times, n);
	for (size_t i = 0; i < n; i++)
		column[i] = rows[i].level;
	web_block_integers(b, "level", column, n);
	for (size_t i = 0; i < n; i++)
		column[i] = rows[i].stream;
	web_block_integers(b, "stream", column, n);
	for (size_t i = 0; i < n; i++)
		column[i] = rows[i].line;
	web_block_integers(b, "line", column, n);
	free(column);
	free(times);
	json_key(&b->json, "records");
	json_u64(&b->json, c->records->rows.len);
	json_key(&b->json, "levels");
	json_array(&b->json);
	for (unsigned int i = LEVEL_NONE; i <= LEVEL_EMERGENCY; i++)
		json_z(&b->json, log_level_name((enum log_level)i));
	json_array_end(&b->json);
	web_log_streams(b, c);
	web_log_texts(b, c, n);
	return true;
}
