/* SPDX-License-Identifier: MIT */
/* Code of the sandboxed child process that prints the fields of tracepoints (perf_data_raw.h). */
#include "formats/perf_data/perf_data_raw.h"

#include "base/alloc.h"
#include "base/newfile.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/symbols.h"
#include "symbols/resolver/resolver.h"

#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#define CHILD_BUFFER 65536u
#define CHILD_TEXT   4096u

struct raw_child {
	const struct perf_raw_job *job;
	struct tep_handle *tep;
	struct trace_seq text;  /* text of the whole event */
	struct trace_seq value; /* text of a single field */
	int fd;
	size_t len;
	char buffer[CHILD_BUFFER];
};

static bool child_flush(struct raw_child *c)
{
	size_t len = c->len;

	c->len = 0;
	return newfile_write(c->fd, c->buffer, len);
}

static bool child_send(struct raw_child *c, struct str word)
{
	uint32_t len = (uint32_t)(word.len < CHILD_TEXT ? word.len : CHILD_TEXT);

	if (c->len + sizeof(len) + len > sizeof(c->buffer) && !child_flush(c))
		return false;
	memcpy(c->buffer + c->len, &len, sizeof(len));
	if (len)
		memcpy(c->buffer + c->len + sizeof(len), word.p, len);
	c->len += sizeof(len) + len;
	return true;
}

static struct str child_view(struct trace_seq *seq)
{
	struct str s = { seq->buffer, seq->len };

	return seq->state == TRACE_SEQ__GOOD ? str_rtrim(s) : STR("");
}

/*
 * The value of the field @name as perf prints it. This is the text after "name=" in c->text, the
 * printed event. If that text has no "name=", the field is printed according to its type.
 */
static struct str child_field(struct raw_child *c, struct tep_event *event,
			      const struct perf_raw_item *item, struct str name)
{
	struct str text = child_view(&c->text);
	char *z = xmemdupz(name.p, name.len);
	struct tep_format_field *field = tep_find_any_field(event, z);
	char *data = c->job->raw->bytes.data + item->at;

	free(z);
	if (!field)
		return STR("");
	for (size_t at = 0; at < text.len;) {
		struct str word = str_skip(text, at);
		size_t end = str_find_char(word, ' ');

		if (str_starts(word, name) && name.len < word.len && word.p[name.len] == '=')
			return str_sub(word, name.len + 1, end);
		at += end + 1;
	}
	trace_seq_reset(&c->value);
	if ((size_t)field->offset + (size_t)field->size > item->len)
		return STR("");
	tep_print_field(&c->value, data, field);
	return child_view(&c->value);
}

/*
 * Name of the function at the kernel address *@address, for formats such as "call_site=%pS".
 * Subtracts the offset in the function from *@address. NULL: unknown function.
 */
static char *child_resolve(void *arg, unsigned long long *address, char **ret_module)
{
	const struct perf_raw_job *job = ((struct raw_child *)arg)->job;
	const struct symbols *symbols = job->symbols;
	struct resolver_spot spot;
	const struct symbol *s;

	resolver_spot(job->resolver, 0, CPUMODE_KERNEL, *address, &spot);
	s = symbols_get(symbols, spot.sym);
	if (s->flags & SYMBOL_ADDRESS)
		return NULL;
	*ret_module = NULL;
	*address -= spot.offset;
	/*
	 * A text in the symbol table ends with NUL and never moves, so it is valid as long as the
	 * table is.
	 */
	return (char *)(uintptr_t)symbols_name(symbols, spot.sym).p;
}

static bool child_item(struct raw_child *c, const struct perf_raw_item *item)
{
	struct tep_record record = { .data = c->job->raw->bytes.data + item->at,
				     .size = (int)item->len };
	struct tep_event *event = NULL;
	unsigned long long type = 0;

	alloc_watch();
	if (item->len >= 4)
		type = tep_read_number(c->tep, record.data, 2);
	if (type)
		event = tep_find_event(c->tep, (int)type);
	trace_seq_reset(&c->text);
	if (event)
		tep_print_event(c->tep, &c->text, &record, "%s", TEP_PRINT_INFO);
	for (size_t i = 0; i < c->job->n_fields; i++) {
		struct str name = c->job->fields[i];
		struct str word = STR("");

		if (event && str_eq(name, STR("trace")))
			word = child_view(&c->text);
		else if (event)
			word = child_field(c, event, item, name);
		alloc_watched();
		if (!child_send(c, word))
			return false;
	}
	return true;
}

int perf_raw_child(void *arg, int in_fd, int out_fd)
{
	const struct perf_raw_job *job = arg;
	struct raw_child *c = xcalloc(1, sizeof(*c));
	bool is_big_here = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	char *copy;

	(void)in_fd;
	c->job = job;
	c->fd = out_fd;
	alloc_watch();
	tep_set_loglevel(TEP_LOG_NONE);
	c->tep = tep_alloc();
	trace_seq_init(&c->text);
	trace_seq_init(&c->value);
	alloc_watched();
	if (!c->tep)
		return 1;
	tep_set_long_size(c->tep, (int)job->long_size);
	tep_set_page_size(c->tep, (int)job->page_size);
	tep_set_file_bigendian(c->tep, job->is_big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(c->tep, is_big_here ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	if (job->resolver)
		tep_set_function_resolver(c->tep, child_resolve, c);
	VEC_FOREACH (format, &job->formats) {
		char *system = xmemdupz(format->system.p, format->system.len);

		copy = xmemdupz(format->text.p, format->text.len);
		alloc_watch();
		(void)tep_parse_event(c->tep, copy, format->text.len, system);
		alloc_watched();
	}
	copy = xmemdupz(job->printk.p, job->printk.len);
	alloc_watch();
	(void)tep_parse_printk_formats(c->tep, copy);
	alloc_watched();
	VEC_FOREACH (item, &job->raw->items) {
		if (!child_item(c, item))
			return 1;
	}
	return child_flush(c) ? 0 : 1;
}
