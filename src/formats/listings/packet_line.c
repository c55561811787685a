/* SPDX-License-Identifier: MIT */
#include "formats/listings/packet_line.h"

#include "base/status.h"

#define PACKET_BYTES    2048u
#define PACKET_ENDPOINT 80u
/* maximum number of words between the time and "IP", such as interface and direction */
#define PACKET_WORDS 4u
#define PACKET_NS    UINT64_C(1000000000)
#define PACKET_MAX_S (UINT64_C(1) << 33)

/* Take a fraction ".854726" as nanoseconds. */
static uint64_t packet_fraction(struct str *s)
{
	uint64_t ns = 0, scale = PACKET_NS / 10;

	if (!str_take(s, STR(".")))
		return 0;
	for (; s->len && char_is_digit(s->p[0]); *s = str_skip(*s, 1), scale /= 10)
		ns += (uint64_t)(s->p[0] - '0') * scale;
	return ns;
}

/*
 * Whether @line begins with a blank and a time, as tcpdump -ttt and -ttttt print it. Any other line
 * that begins with a blank is the second line of a packet (tcpdump -v).
 */
static bool packet_is_relative(struct str line)
{
	static const char shape[] = " 00:00:00.000000";

	for (size_t i = 0; i < sizeof(shape) - 1; i++) {
		if (i >= line.len ||
		    (char_is_digit(shape[i]) ? !char_is_digit(line.p[i]) : line.p[i] != shape[i]))
			return false;
	}
	return true;
}

/* Take the time: "04:58:11.854726", with or without a date before it, or "1764302291.854726". */
static bool packet_time(struct str *line, uint64_t *ret)
{
	struct str word, rest = *line;
	uint64_t part[3];

	if (!str_word(&rest, &word))
		return false;
	/* the word is a date, so the next word is the time */
	if (word.len == 10 && word.p[4] == '-' && word.p[7] == '-' && !str_word(&rest, &word))
		return false;
	*line = rest;
	for (size_t i = 0; i < ARRAY_LEN(part); i++) {
		if (!str_u64(&word, &part[i]) || part[i] > PACKET_MAX_S)
			return false;
		if (i == 0 && word.len && word.p[0] == '.') {
			*ret = part[0] * PACKET_NS + packet_fraction(&word);
			return word.len == 0 && part[0] > 1000000;
		}
		if (i < 2 && !str_take(&word, STR(":")))
			return false;
	}
	*ret = (part[0] * 3600 + part[1] * 60 + part[2]) * PACKET_NS + packet_fraction(&word);
	return word.len == 0 && part[0] < 24 && part[1] < 60 && part[2] <= 60;
}

size_t packet_line_port(struct str endpoint)
{
	return str_rfind_char(endpoint, '.');
}

/* Take both addresses with ports: "192.0.2.1.443 > 192.0.2.2.55854: ". */
static bool packet_endpoints(struct str *rest, struct packet_line *ret)
{
	struct str arrow;

	if (!str_word(rest, &ret->from) || !str_word(rest, &arrow) || !str_eq(arrow, STR(">")) ||
	    !str_word(rest, &ret->to) || !str_ends(ret->to, STR(":")))
		return false;
	ret->to.len--;
	*rest = str_ltrim(*rest);
	return ret->from.len && ret->to.len && ret->from.len <= PACKET_ENDPOINT &&
	       ret->to.len <= PACKET_ENDPOINT;
}

/* Find the number that follows the text @before in @s. False: not found. */
static bool packet_number(struct str s, const char *before, struct str *ret_rest, uint64_t *ret)
{
	size_t at = str_find(s, str_of(before));

	*ret_rest = str_skip(s, at + strlen(before));
	return at < s.len && str_u64(ret_rest, ret) && *ret < PACKET_MAX_S;
}

static bool packet_tcp(struct str s, struct packet_line *ret)
{
	struct str flags = s, rest;

	if (!str_take(&flags, STR("Flags [")))
		return false;
	flags = str_sub(flags, 0, str_find_char(flags, ']'));
	ret->is_syn = str_find_char(flags, 'S') < flags.len;
	ret->is_rst = str_find_char(flags, 'R') < flags.len;
	ret->is_fin = str_find_char(flags, 'F') < flags.len;
	ret->has_ack = packet_number(s, ", ack ", &rest, &ret->ack);
	ret->has_seq = packet_number(s, ", seq ", &rest, &ret->seq);
	ret->end = ret->seq;
	if (ret->has_seq && str_take(&rest, STR(":")) &&
	    (!str_u64(&rest, &ret->end) || ret->end < ret->seq || ret->end >= PACKET_MAX_S))
		return false;
	(void)packet_number(s, ", win ", &rest, &ret->window);
	return packet_number(s, ", length ", &rest, &ret->length) ||
	       packet_number(s, "length ", &rest, &ret->length);
}

static bool packet_is_dns(struct str endpoint)
{
	return str_ends(endpoint, STR(".53")) || str_ends(endpoint, STR(".domain"));
}

/*
 * Parse a message of DNS: "12345+ A? name. (32)" from a client, "12345 1/0/0 A 192.0.2.7 (48)" from
 * a server.
 */
static bool packet_dns(struct str s, struct packet_line *ret)
{
	ret->is_answer = packet_is_dns(ret->from);
	if (!ret->is_answer && !packet_is_dns(ret->to))
		return false;
	return str_u64(&s, &ret->id) && s.len;
}

void packet_line_parse(struct str line, struct packet_line *ret)
{
	bool is_relative = packet_is_relative(line);
	bool is_second = line.len && char_is_blank(line.p[0]) && !is_relative;
	struct str rest = line, word = STR_NONE;

	*ret = (struct packet_line){ .kind = PACKET_NONE, .is_relative = is_relative };
	if (line.len < 12 || line.len > PACKET_BYTES)
		return;
	if (!is_second) {
		unsigned int n = 0;

		ret->has_time = packet_time(&rest, &ret->ns);
		while (ret->has_time && n++ < PACKET_WORDS && str_word(&rest, &word) &&
		       !str_eq(word, STR("IP")) && !str_eq(word, STR("IP6")))
			continue;
		if (!ret->has_time || !str_glob(STR("IP|IP6"), word))
			return;
		rest = str_ltrim(rest);
		if (str_starts(rest, STR("("))) {
			ret->kind = PACKET_HEAD;
			return;
		}
	}
	if (!packet_endpoints(&rest, ret))
		return;
	ret->kind = packet_tcp(rest, ret)                  ? PACKET_TCP
		    : packet_dns(rest, ret)                ? PACKET_DNS
		    : is_second && !packet_is_dns(ret->to) ? PACKET_NONE
							   : PACKET_OTHER;
}
