/* SPDX-License-Identifier: MIT */
#include "formats/logs/vlog_line.h"

#include "base/status.h"
#include "base/str.h"
#include "core/kinds/records.h"
#include "formats/logs/log_prefix.h"

#define VLOG_PREFIX_BYTES 512u
/* maximum number of '|' in a line that are tried as the start of a record's fields */
#define VLOG_PIPES 8u
/* maximum length of a module; the longest known is "ofproto_dpif_upcall(revalidator11)" */
#define VLOG_MODULE_BYTES 96u
#define VLOG_LEVEL_BYTES  16u

static const struct {
	struct str text;
	enum log_level level;
} vlog_levels[] = {
	{ { "INFO", 4 }, LEVEL_INFO },      { { "WARN", 4 }, LEVEL_WARN },
	{ { "DBG", 3 }, LEVEL_DEBUG },      { { "ERR", 3 }, LEVEL_ERROR },
	{ { "EMER", 4 }, LEVEL_EMERGENCY },
};

static enum log_level vlog_level(struct str s)
{
	for (size_t i = 0; i < ARRAY_LEN(vlog_levels); i++) {
		if (str_eq(s, vlog_levels[i].text))
			return vlog_levels[i].level;
	}
	return LEVEL_NONE;
}

static bool vlog_is_level_start(struct str s)
{
	for (size_t i = 0; i < ARRAY_LEN(vlog_levels); i++) {
		if (str_starts(vlog_levels[i].text, s))
			return true;
	}
	return false;
}

static bool vlog_is_name(struct str s, size_t max)
{
	if (s.len == 0 || s.len > max)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		char c = s.p[i];

		if (c <= ' ' || c > '~' || c == '"' || c == '{' || c == '}' || c == '<')
			return false;
	}
	return true;
}

/*
 * Offset in @line at which a time starts if this time ends at offset @end. If no time ends at @end,
 * the result is @end.
 */
static size_t vlog_stamp(struct str line, size_t end, struct log_day *day, uint64_t *ret_ns)
{
	/* lengths of times with 3, 0, 6 and 9 decimals */
	static const size_t lengths[] = { 24, 20, 27, 30 };

	for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
		struct str s;

		if (end < lengths[i])
			continue;
		s = str_sub(line, end - lengths[i], end);
		if (s.p[10] == 'T' && log_prefix_take_iso_time(&s, day, ret_ns, NULL) && s.len == 0)
			return end - lengths[i];
	}
	return end;
}

/* Parse the fields after the time: "00015|raft|INFO|text". */
static bool vlog_fields(struct str s, struct vlog_line *l)
{
	uint64_t sequence = 0;
	size_t pipe;

	if (!str_u64(&s, &sequence))
		return false;
	l->has_sequence = sequence <= UINT32_MAX;
	l->sequence = l->has_sequence ? (uint32_t)sequence : 0;
	l->is_truncated = true;
	if (s.len && s.p[0] != '|')
		return str_trim(s).len == 0;
	s = str_skip(s, 1);
	pipe = str_find_char(str_sub(s, 0, VLOG_MODULE_BYTES + 1), '|');
	l->module = pipe < s.len ? str_sub(s, 0, pipe) : str_rtrim(s);
	if (!vlog_is_name(l->module, VLOG_MODULE_BYTES))
		return str_trim(s).len == 0;
	if (pipe == s.len)
		return true;
	s = str_skip(s, pipe + 1);
	pipe = str_find_char(str_sub(s, 0, VLOG_LEVEL_BYTES + 1), '|');
	if (pipe == s.len) {
		l->level_text = str_rtrim(s);
		return vlog_is_level_start(l->level_text);
	}
	l->level_text = str_sub(s, 0, pipe);
	l->level = (uint8_t)vlog_level(l->level_text);
	l->text = str_skip(s, pipe + 1);
	l->is_truncated = false;
	return l->level != LEVEL_NONE || vlog_is_name(l->level_text, VLOG_LEVEL_BYTES);
}

/*
 * Parse the short form of a record that is quoted in texts, without time and number:
 * "timeval|WARN|Unreasonably long poll". The fields are module, level and text. Only blanks may
 * precede the module on the line. @pipe: offset of the '|' after the module.
 */
static bool vlog_short(struct str line, size_t pipe, struct vlog_line *l)
{
	struct str module = str_ltrim(str_sub(line, 0, pipe));
	struct str rest = str_sub(line, pipe + 1, pipe + 2 + VLOG_LEVEL_BYTES);
	size_t end = str_find_char(rest, '|');

	if (!vlog_is_name(module, VLOG_MODULE_BYTES) || module.p[0] < 'a' || module.p[0] > 'z')
		return false;
	l->level_text = str_sub(rest, 0, end);
	l->level = (uint8_t)vlog_level(l->level_text);
	if (end == rest.len || l->level == LEVEL_NONE)
		return false;
	l->module = module;
	l->text = str_skip(line, pipe + 1 + end + 1);
	l->prefix = str_sub(line, 0, (size_t)(module.p - line.p));
	return true;
}

bool vlog_line_read(struct str line, struct log_day *day, struct vlog_line *ret)
{
	struct str head = str_sub(line, 0, VLOG_PREFIX_BYTES);
	size_t pipe = 0;

	for (unsigned int n = 0; n < VLOG_PIPES; n++, pipe++) {
		struct vlog_line l = { .level = LEVEL_NONE };
		size_t start;

		pipe += str_find_char(str_skip(head, pipe), '|');
		if (pipe >= head.len)
			return false;
		if (pipe >= 20 && line.p[pipe - 1] == 'Z') {
			start = vlog_stamp(line, pipe, day, &l.time_ns);
			l.has_time = start < pipe;
			if (!l.has_time)
				continue;
		} else if (pipe >= 3 && memcmp(line.p + pipe - 3, "ovs", 3) == 0 &&
			   (pipe == 3 || char_is_space(line.p[pipe - 4]))) {
			start = pipe - 3;
		} else if (n == 0 && vlog_short(line, pipe, &l)) {
			*ret = l;
			return true;
		} else {
			continue;
		}
		if (!vlog_fields(str_skip(line, pipe + 1), &l) ||
		    (!l.has_time && l.level == LEVEL_NONE))
			continue;
		l.prefix = str_sub(line, 0, start);
		*ret = l;
		return true;
	}
	return false;
}

bool vlog_line_is_kernel(struct str line)
{
	uint64_t seconds;

	line = str_ltrim(line);
	if (!str_take(&line, STR("[")))
		return false;
	line = str_ltrim(line);
	return str_u64(&line, &seconds) && line.len > 7 && line.p[0] == '.' && line.p[7] == ']';
}

static bool vlog_is_letter(char c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/* Write @s in lower case to @buf, truncated to the size of @buf. Returns a view of @buf. */
static struct str vlog_lower(struct str s, char buf[160])
{
	size_t n = s.len < 160 ? s.len : 160;

	for (size_t i = 0; i < n; i++)
		buf[i] = s.p[i] >= 'A' && s.p[i] <= 'Z' ? (char)(s.p[i] | 0x20) : s.p[i];
	return (struct str){ buf, n };
}

struct str vlog_title_process(struct str title)
{
	static const struct {
		struct str word;
		struct str process;
	} words[] = {
#define WORD(w, p)                       \
	{                                \
		{ w, sizeof(w) - 1 },    \
		{                        \
			p, sizeof(p) - 1 \
		}                        \
	}
		WORD("ovsdb-server-nb", "ovsdb-server-nb"),
		WORD("ovsdb-server-sb", "ovsdb-server-sb"),
		WORD("nb db", "ovsdb-server-nb"),
		WORD("sb db", "ovsdb-server-sb"),
		WORD("nb-db", "ovsdb-server-nb"),
		WORD("sb-db", "ovsdb-server-sb"),
		WORD("nbdb", "ovsdb-server-nb"),
		WORD("sbdb", "ovsdb-server-sb"),
		WORD("ovnnb", "ovsdb-server-nb"),
		WORD("ovnsb", "ovsdb-server-sb"),
		WORD("ovn-northd", "ovn-northd"),
		WORD("northd", "ovn-northd"),
		WORD("ovn-controller", "ovn-controller"),
		WORD("controller log", "ovn-controller"),
		WORD("ovs-vswitchd", "ovs-vswitchd"),
		WORD("vswitchd", "ovs-vswitchd"),
		WORD("ovsdb-server", "ovsdb-server"),
#undef WORD
	};
	char buf[160];
	struct str lower = vlog_lower(title, buf);
	struct str found = STR("");
	size_t best = lower.len;

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		size_t at = str_find(lower, words[i].word);

		if (at < best) {
			best = at;
			found = words[i].process;
		}
	}
	return found;
}

struct str vlog_title_node(struct str title, char buf[32])
{
	static const struct {
		struct str word;
		struct str name;
		bool is_bare_ok;
	} words[] = {
		{ { "node", 4 }, { "node", 4 }, false },
		{ { "hv", 2 }, { "HV", 2 }, true },
		{ { "chassis", 7 }, { "chassis", 7 }, false },
		{ { "compute", 7 }, { "compute", 7 }, false },
		{ { "host", 4 }, { "host", 4 }, false },
	};
	char lower_buf[160];
	struct str lower = vlog_lower(title, lower_buf);

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		size_t word = words[i].word.len;

		for (size_t at = 0; at + word <= lower.len; at++) {
			size_t end;
			size_t digits = 0;

			at += str_find(str_skip(lower, at), words[i].word);
			end = at + word;
			if (end > lower.len || (at > 0 && vlog_is_letter(lower.p[at - 1])))
				continue;
			end += end < lower.len && strchr(" -_#", lower.p[end]) ? 1 : 0;
			while (end + digits < lower.len && char_is_digit(lower.p[end + digits]))
				digits++;
			if (digits == 0 && words[i].is_bare_ok)
				end = at + word;
			if ((digits == 0 && !words[i].is_bare_ok) || digits > 9 ||
			    (end + digits < lower.len && vlog_is_letter(lower.p[end + digits])))
				continue;
			memcpy(buf, words[i].name.p, word);
			memcpy(buf + word, lower.p + end, digits);
			return (struct str){ buf, word + digits };
		}
	}
	return STR("");
}

static bool vlog_is_program(struct str word)
{
	return str_glob(STR("ovsdb-server|ovsdb-client|ovsdb-tool|ovs-vswitchd|ovs-vsctl|ovs-ofctl|"
			    "ovs-dpctl|ovs-appctl|ovn-northd|ovn-controller|ovn-nbctl|ovn-sbctl|"
			    "ovn-ic|ovn-trace|ovn-controller-vtep"),
			word);
}

bool vlog_error_begins(struct str line, struct str *ret_program, struct str *ret_message)
{
	size_t colon = str_find_char(line, ':');

	if (colon + 2 > line.len || line.p[colon + 1] != ' ' ||
	    !vlog_is_program(str_sub(line, 0, colon)))
		return false;
	*ret_program = str_sub(line, 0, colon);
	*ret_message = str_trim(str_skip(line, colon + 2));
	return ret_message->len > 0;
}

bool vlog_error_is_one(struct str message)
{
	return str_contains(message, STR("error")) || str_contains(message, STR("failed")) ||
	       str_contains(message, STR("cannot ")) || str_contains(message, STR("assertion"));
}

struct str vlog_module_process(struct str module)
{
	static const struct {
		struct str module;
		struct str process;
	} own[] = {
#define OWN(m, p)                        \
	{                                \
		{ m, sizeof(m) - 1 },    \
		{                        \
			p, sizeof(p) - 1 \
		}                        \
	}
		OWN("ovn_northd", "ovn-northd"),     OWN("northd", "ovn-northd"),
		OWN("binding", "ovn-controller"),    OWN("ofctrl", "ovn-controller"),
		OWN("pinctrl", "ovn-controller"),    OWN("raft", "ovsdb-server"),
		OWN("ovsdb_server", "ovsdb-server"), OWN("ovsdb_jsonrpc_server", "ovsdb-server"),
		OWN("bridge", "ovs-vswitchd"),       OWN("ofproto_dpif_upcall", "ovs-vswitchd"),
#undef OWN
	};
	struct str name = str_sub(module, 0, str_find_char(module, '('));

	for (size_t i = 0; i < ARRAY_LEN(own); i++) {
		if (str_eq(name, own[i].module))
			return own[i].process;
	}
	return STR("");
}
