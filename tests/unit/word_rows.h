/* SPDX-License-Identifier: MIT */
/*
 * word_rows.h - what analyses and symbols say about a text: a name of a function, object, event or
 * system call, a message, or an instruction
 */
#ifndef WORD_ROWS_H
#define WORD_ROWS_H

#include "analyses/calls/call_kinds.h"
#include "analyses/calls/retvals.h"
#include "analyses/categories.h"
#include "analyses/compare/compare_names.h"
#include "analyses/event_unit.h"
#include "analyses/instruction.h"
#include "analyses/logs/log_durations.h"
#include "analyses/logs/log_summary.h"
#include "analyses/operations/operation_key.h"
#include "analyses/operations/operation_words.h"
#include "analyses/plain_name.h"
#include "analyses/roles.h"
#include "analyses/syscalls/syscalls.h"
#include "base/arena.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "symbols/demangle.h"

static inline void word_text(struct out *ret, const char *key, struct str text, struct str is)
{
	if (!str_eq(text, is))
		out_printf(ret, " %s='" STR_FMT "'", key, STR_ARG(is));
}

/* As a name. */
static inline void word_name(struct str text, struct out *ret)
{
	static const enum symbol_space spaces[] = { SPACE_UNKNOWN, SPACE_KERNEL, SPACE_USER };
	static const char letters[] = "?ku";
	struct str sides[] = { text, STR("[kernel.kallsyms]"), STR("libc.so.6") };
	struct category_cache categories = { .by_sym = VEC_INIT };
	struct symbols symbols;
	struct strings strings;
	struct arena arena = { .blocks = NULL };
	struct plain_name plain;
	bool is_marked = false;

	strings_init(&strings);
	symbols_init(&symbols, &strings);
	for (size_t i = 0; i < ARRAY_LEN(spaces); i++) {
		enum role role = role_of_name(text, STR_NONE, spaces[i]);
		sym_id sym = symbols_add_text(&symbols, text, sides[i], spaces[i], 0);
		category_id category = category_of(&categories, &symbols, sym);

		out_printf(ret, " %c%s%s,%s,%s", letters[i], role_name(role),
			   role_is_by_word(text, STR_NONE, spaces[i]) ? "~" : "",
			   role_name(role_of_name(text, sides[i], spaces[i])),
			   category_name(category));
		if (call_kind_of(&symbols, sym))
			out_printf(ret, ",kind%u", call_kind_of(&symbols, sym));
		if (role_is_nameless(&symbols, sym))
			out_z(ret, ",nameless");
	}
	if (role_of_words(text))
		out_printf(ret, " words=%s", role_name(role_of_words(text)));
	word_text(ret, "plain", text, plain_name_make(&plain, text));
	word_text(ret, "family", text, plain_name_family(text));
	word_text(ret, "last", text, plain_name_last(text));
	word_text(ret, "base", text, compare_base_name(text));
	word_text(ret, "dso", text, compare_base_dso(text));
	word_text(ret, "stem", text, compare_object_stem(text, &is_marked));
	word_text(ret, "demangled", text, demangle(&arena, text));
	if (is_marked)
		out_z(ret, " marked");
	if (syscalls_is_stream(text))
		out_z(ret, " stream");
	category_cache_fini(&categories);
	symbols_fini(&symbols);
	strings_fini(&strings);
	arena_fini(&arena);
}

static inline void word_syscall(struct str text, struct out *ret)
{
	size_t open = str_find_char(text, '(');
	struct str name = str_sub(text, 0, open), args = str_skip(text, open + 1);

	for (unsigned int is_library = 0; is_library < 2; is_library++)
		out_printf(ret, " %u,%u", syscall_kind_of(name, is_library),
			   syscall_kind_of_call(name, args, is_library));
	out_printf(ret, "%s",
		   syscall_is_idle(name, syscall_kind_of_call(name, args, false)) ? " idle" : "");
}

static inline void word_event(struct str text, struct out *ret)
{
	struct event_unit unit = event_unit_named(text);
	struct operation_text operation;

	out_printf(ret, " %u,%s%s%s%s", unit.kind, unit.of, unit.is_plural ? "+" : "",
		   event_unit_is_lock_wait(&unit) ? ",lock" : "",
		   event_unit_is_wait(&unit) ? ",wait" : "");
	if (operation_words_event(text, &operation))
		out_printf(ret, " event=%x,%x," STR_FMT, operation.begins, operation.ends,
			   STR_ARG(operation.name));
}

static inline void word_message(struct str text, struct out *ret)
{
	struct operation_key keys[OPERATION_KEYS_MAX];
	struct operation_text operation;
	struct log_duration d;
	struct out template = { .fd = -1 };
	size_t at = 0, n;

	log_template_text(text, &template);
	word_text(ret, "template", text, out_view(&template));
	out_fini(&template);
	if (log_duration_of(text, &d))
		out_printf(ret, " took=%llu~%llu", (unsigned long long)d.ns,
			   (unsigned long long)d.half_ns);
	while (log_duration_next(text, &at, &d))
		out_printf(ret, " step=%llu~%llu@%zu", (unsigned long long)d.ns,
			   (unsigned long long)d.half_ns, d.what.len);
	if (operation_words_message(text, &operation))
		out_printf(ret, " message=%x,%x," STR_FMT, operation.begins, operation.ends,
			   STR_ARG(operation.name));
	n = operation_keys_of(text, keys);
	for (size_t i = 0; i < n; i++) {
		struct str value = operation_key_value(&keys[i], text);

		out_printf(ret, " %d%u" STR_FMT "=" STR_FMT, keys[i].kind, keys[i].at,
			   STR_ARG(keys[i].name), STR_ARG(value));
	}
}

static inline void word_instruction(struct str text, struct out *ret)
{
	enum instruction_kind kind = instruction_kind_of(text);

	if (kind != INSTRUCTION_OTHER)
		out_printf(ret, " %s", instruction_of(kind)->does);
}

/* Write the output for @text, whose first letter is its kind. */
static inline void word_row(struct str text, struct out *ret)
{
	struct str rest = str_skip(text, 2);

	switch (text.len ? text.p[0] : '\0') {
	case 'n':
		word_name(rest, ret);
		break;
	case 's':
		word_syscall(rest, ret);
		break;
	case 'e':
		word_event(rest, ret);
		break;
	case 'm':
		word_message(rest, ret);
		break;
	case 'i':
		word_instruction(rest, ret);
		break;
	default:
		break;
	}
}

#endif
