/* SPDX-License-Identifier: MIT */
/*
 * ovs_error.c - fatal errors of Open vSwitch and OVN programs
 *
 * These programs print "ovsdb-server: ovsdb error: …" to the terminal, without time, module or
 * level, before they exit. A message may have up to ERROR_LINES lines, and becomes a record of
 * level error. Definition: lib/util.c (ovs_fatal) of Open vSwitch.
 */
#include "formats/tables/line_table.h"

#include "base/arena.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/records.h"
#include "core/strings.h"
#include "formats/format.h"
#include "formats/logs/log_prefix.h"
#include "formats/logs/vlog_line.h"

DECLARE_FORMAT(ovs_error);

/* maximum number of lines into which a mailer breaks a message */
#define ERROR_LINES 4u

/*
 * Take one line from @rest. If it begins an error message, also take the lines that continue the
 * message. @message: buffer that gets the joined message. @ret_lines: number of lines that were
 * taken, at least one. False: the line begins no error message.
 */
static bool error_take(struct str *rest, struct out *message, struct str *ret_program,
		       uint32_t *ret_lines)
{
	struct log_day day = { "", 0 };
	struct str line;
	struct str part;
	struct str ahead;

	*ret_lines = 1;
	message->len = 0;
	if (!str_line(rest, &line) || !vlog_error_begins(line, ret_program, &part))
		return false;
	out_str(message, part);
	ahead = *rest;
	while (*ret_lines < ERROR_LINES && str_line(&ahead, &line)) {
		struct str program;
		struct str next = str_trim(line);
		struct vlog_line record;

		if (next.len == 0 || vlog_error_begins(line, &program, &part) ||
		    vlog_line_read(line, &day, &record))
			break;
		out_str(message, STR(" "));
		out_str(message, next);
		(*ret_lines)++;
		*rest = ahead;
	}
	return vlog_error_is_one(out_view(message));
}

static bool ovs_error_find(struct str text, size_t from, struct extent *ret)
{
	struct out message = { .fd = -1 };
	struct str rest = str_skip(text, from);
	bool found = false;

	while (rest.len && !found) {
		size_t at = text.len - rest.len;
		struct str program;
		uint32_t lines;

		found = error_take(&rest, &message, &program, &lines);
		if (found)
			*ret = (struct extent){ .from = at,
						.to = text.len - rest.len,
						.score = 60 };
	}
	out_fini(&message);
	return found;
}

/*
 * If @head has only error messages, return a low score, 40 of 100, because one message is little
 * evidence. If @head has any other text, return 0.
 */
static unsigned int ovs_error_probe(struct str head)
{
	struct extent e;

	return ovs_error_find(head, 0, &e) && e.from == 0 && e.to >= head.len ? 40 : 0;
}

static int ovs_error_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct capture *c = format_add_capture(&format_ovs_error, in, d);
	struct records *records = capture_records(c);
	struct out message = { .fd = -1 };
	struct str rest = in->text;
	uint32_t n = 0;

	while (rest.len) {
		struct str program;
		uint32_t lines;
		bool is_one = error_take(&rest, &message, &program, &lines);

		if (is_one) {
			*VEC_PUSH(&records->streams) = (struct log_stream){
				.process = strings_add(capture_strings(c), program),
			};
			*VEC_PUSH(&records->rows) = (struct log_record){
				.text = arena_str(&records->arena, out_view(&message)),
				.stream = (uint32_t)records->streams.len - 1,
				.line = region_line(in, n),
				.last_line = region_line(in, n + lines - 1),
				.level = LEVEL_ERROR,
			};
		}
		n += lines;
	}
	out_fini(&message);
	return records->rows.len ? OK
				 : fail(err, ERR_FORMAT, "no message of a program that gave up");
}

const struct format format_ovs_error = {
	.name = "ovs-error",
	.summary = "last words of Open vSwitch and OVN programs on a terminal",
	.kinds = KIND_LOG,
	.probe = ovs_error_probe,
	.find = ovs_error_find,
	.read = ovs_error_read,
};
