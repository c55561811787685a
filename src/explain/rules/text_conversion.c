/* SPDX-License-Identifier: MIT */
/*
 * Numbers are turned into text and back: values pass through text between two programs, or
 * kernel and program, that could be passed as they are.
 *
 * Thresholds, of the time that is not idle: Logging and protocol heads cost some percent
 * in most servers.
 */
#include "explain/signature.h"

#define TEXT_CONVERSION_NOTE_PCT 10.0
#define TEXT_CONVERSION_LEAD_PCT 20.0

static const struct signature text_conversion = {
	.functions = "vsnprintf|format_decode|string_nocheck|"
		     "put_dec*|snprintf|seq_printf|seq_vprintf|seq_put_*|vfprintf*|"
		     "__vfprintf_internal|_IO_vfprintf*|__printf_buffer*|_itoa*|"
		     "__vfscanf_internal|_IO_vfscanf*|__GI_____strto*|____strto*|"
		     "strtoul*|strtol*|strtoull*|strtod*|__strto*|sscanf|vsscanf|"
		     "_IO_fgets|_IO_getline*|_IO_sputbackc|_IO_getdelim|getline|"
		     "__strchrnul_*|json_*|*json*parse*|*json*lexer*|*Json*Parse*|"
		     "*Json*parse*|*JSON*Parse*|*json*decode*|*json*serial*|*json*dump*|"
		     "*encoding/json.*|rapidjson::*|simdjson::*|yyjson_*|cJSON_*|jansson_*|"
		     "_parse_object_*|_parse_array_*|scan_once_*|scanstring_*|encoder_listencode_*|"
		     "py_scanstring|serde_json::*|xmlParse*|XML_Parse*|doProlog|doContent|yyparse|"
		     "yylex|yy_*|tolower|toupper|__ctype_*|"
		     "isspace|regexec|re_search*|printf_positional|__GI___printf*|"
		     "printfPQExpBuffer|vasprintf|__vsnprintf*|_IO_old_init|"
		     "_IO_default_xsputn|_IO_str_*|inet_pton*|fmt_u|pg_vsnprintf|dopr|"
		     "fmtint",
	.through = "vsnprintf|snprintf|seq_*|vfprintf*|__vfprintf*|sscanf|vsscanf|"
		   "__printf_buffer*|format_decode|number|string",
	.note_pct = TEXT_CONVERSION_NOTE_PCT,
	.lead_pct = TEXT_CONVERSION_LEAD_PCT,
	.sure_note = 65,
	.sure_lead = 78,
	.is_user = true,
	.what = "formats or parses text",
	.name = "formatting and parsing of text",
	.cause = "logging, or values that pass through text between two programs, or kernel and "
		 "program, and could perhaps be passed as they are",
	.because = "by their names these functions format and parse; whether that is the work "
		   "itself a profile does not show",
	.next = { "perf record -g: who formats, who parses",
		  "use the binary interface (netlink, BPF, ioctl, a cached value), "
		  "read less often, or keep the parsed form" },
};

const struct rule rule_text_conversion = {
	.id = "text-conversion",
	.title = "numbers are turned into text and back",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &text_conversion,
};
