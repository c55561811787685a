/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "texts.h"

#include "base/status.h"
#include "base/str.h"
#include "formats/format.h"

#include <stdio.h>

DECLARE_FORMAT(packet_dump);

#define C "192.0.2.1.50000 > 192.0.2.2.8001: "
#define S "192.0.2.2.8001 > 192.0.2.1.50000: "
#define OPENED                                                                        \
	"10:00:00.000000 IP " C "Flags [S], seq 900, win 64240, length 0\n"           \
	"10:00:00.002000 IP " S "Flags [S.], seq 700, ack 901, win 64240, length 0\n" \
	"10:00:00.002100 IP " C "Flags [.], ack 1, win 63, length 0\n"

static void handshake_and_answers_are_timed(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = text_load(
		&format_packet_dump, OPENED
		"10:00:00.003000 IP " C "Flags [P.], seq 1:37, ack 1, win 63, length 36\n"
		"10:00:00.005000 IP " S "Flags [.], ack 37, win 64, length 0\n"
		"10:00:00.253000 IP " S "Flags [P.], seq 1:101, ack 37, win 64, length 100\n"
		"10:00:00.254000 IP " S "Flags [P.], seq 101:201, ack 37, win 64, length 100\n"
		"10:00:01.000000 IP " C "Flags [P.], seq 37:73, ack 201, win 63, length 36\n"
		"10:00:01.050000 IP " S "Flags [P.], seq 201:301, ack 73, win 64, length 100\n");

	(void)state;
	assert_near(text_counter(d, "handshake", NULL), 2, 1e-6);
	assert_near(text_counter(d, "connections", NULL), 1, 0);
	assert_near(text_counter(d, "answers", NULL), 2, 0);
	assert_near(text_counter(d, "waits for answers", NULL), 300, 1e-6);
	assert_near(text_counter(d, "longest wait", NULL), 250, 1e-6);
	assert_near(text_counter(d, "waits beyond the handshake", NULL), 296, 1e-6);
	assert_near(text_counter(d, "data packets", NULL), 5, 0);
	assert_near(text_counter(d, "sent again", NULL), 0, 0);
}

static void bytes_of_an_earlier_packet_are_sent_again(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = text_load(
		&format_packet_dump, OPENED
		"10:00:00.003000 IP " C "Flags [.], seq 1:1001, ack 1, win 63, length 1000\n"
		"10:00:00.003100 IP " C "Flags [.], seq 1001:2001, ack 1, win 63, length 1000\n"
		"10:00:00.210000 IP " C "Flags [.], seq 1:1001, ack 1, win 63, length 1000\n");

	(void)state;
	assert_near(text_counter(d, "sent again", NULL), 1, 0);
	assert_near(text_counter(d, "data packets", NULL), 3, 0);
}

/* A packet that fills a hole came late by itself, or after its loss. */
static struct dossier *with_hole(const char *time)
{
	static char text[2048];

	(void)snprintf(text, sizeof(text),
		       OPENED
		       "10:00:00.003000 IP " S "Flags [.], seq 1:1001, ack 1, win 63, length "
		       "1000\n"
		       "10:00:00.010000 IP " S "Flags [.], seq 2001:3001, ack 1, win 63, length "
		       "1000\n"
		       "%s IP " S "Flags [.], seq 1001:2001, ack 1, win 63, length 1000\n",
		       time);
	return text_load(&format_packet_dump, text);
}

static void a_hole_is_a_loss_after_three_ms(void **state)
{
	CLEANUP(dossier_freep) struct dossier *late = with_hole("10:00:00.013000");
	CLEANUP(dossier_freep) struct dossier *reordered = with_hole("10:00:00.012999");

	(void)state;
	assert_near(text_counter(late, "sent again", NULL), 1, 0);
	assert_near(text_counter(reordered, "sent again", NULL), 0, 0);
}

static void a_window_of_zero_stalls_until_a_larger_one(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = text_load(
		&format_packet_dump,
		OPENED "10:00:00.003000 IP " C "Flags [.], seq 1:1001, ack 1, win 63, length 1000\n"
		       "10:00:00.004000 IP " S "Flags [.], ack 1001, win 0, length 0\n"
		       "10:00:00.204000 IP " C "Flags [.], seq 1:2, ack 1, win 63, length 1\n"
		       "10:00:00.204100 IP " S "Flags [.], ack 1001, win 0, length 0\n"
		       "10:00:00.504000 IP " S "Flags [.], ack 1001, win 63, length 0\n"
		       "10:00:01.000000 IP " S "Flags [.], ack 1001, win 63, length 0\n");

	(void)state;
	assert_near(text_counter(d, "zero windows", NULL), 2, 0);
	assert_near(text_counter(d, "stalled", NULL), 500, 1e-6);
	assert_near(text_counter(d, "open", NULL), 1000, 1e-6);
	assert_near(text_counter(d, "sent again", NULL), 0, 0);
}

static void a_name_server_that_is_asked_again(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d =
		text_load(&format_packet_dump,
			  "1764302291.100000 IP 192.0.2.1.40001 > 192.0.2.53.53: 4711+ A? "
			  "depot.example. (31)\n"
			  "1764302296.105000 IP 192.0.2.1.40001 > 192.0.2.53.53: 4711+ A? "
			  "depot.example. (31)\n"
			  "1764302296.107000 IP 192.0.2.53.53 > 192.0.2.1.40001: 4711 "
			  "1/0/0 A 192.0.2.7 (47)\n"
			  "1764302297.000000 IP 192.0.2.1.40002 > 192.0.2.53.53: 4712+ A? "
			  "shop.example. (30)\n");

	(void)state;
	assert_near(text_counter(d, "queries", NULL), 3, 0);
	assert_near(text_counter(d, "queries sent again", NULL), 1, 0);
	assert_near(text_counter(d, "queries without answer", NULL), 1, 0);
	assert_near(text_counter(d, "longest wait", NULL), 5007, 1e-3);
}

static void two_lines_a_packet_and_names_of_interfaces_are_read(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = text_load(
		&format_packet_dump, "2026-03-04 10:00:00.000000 eth0  Out IP 192.0.2.1.50000 > "
				     "192.0.2.2.443: Flags [S], "
				     "seq 9, win 64240, length 0\n"
				     "2026-03-04 10:00:01.010000 IP (tos 0x0, ttl 64, id 5, offset "
				     "0, flags [DF], proto TCP "
				     "(6), length 60)\n"
				     "    192.0.2.1.50000 > 192.0.2.2.443: Flags [S], cksum 0x844d "
				     "(correct), seq 9, win "
				     "64240, length 0\n"
				     "2026-03-04 10:00:03.010000 eth0  Out IP 192.0.2.1.50000 > "
				     "192.0.2.2.443: Flags [S], "
				     "seq 9, win 64240, length 0\n"
				     "2026-03-04 10:00:03.011000 eth0  In  IP 192.0.2.2.443 > "
				     "192.0.2.1.50000: Flags [R.], "
				     "seq 0, ack 10, win 0, length 0\n");

	(void)state;
	assert_near(text_counter(d, "SYN sent again", NULL), 2, 0);
	assert_near(text_counter(d, "refused", NULL), 1, 0);
	assert_near(text_counter(d, "connections", NULL), 1, 0);
}

static void a_syn_after_its_answer_is_sent_again_or_a_new_connection(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *lost = text_load(
		&format_packet_dump, OPENED
		"10:00:01.010000 IP " C "Flags [S], seq 900, win 64240, length 0\n"
		"10:00:01.010100 IP " S "Flags [S.], seq 700, ack 901, win 64240, length 0\n");
	CLEANUP(dossier_freep)
	struct dossier *other = text_load(
		&format_packet_dump, OPENED
		"10:00:01.010000 IP " C "Flags [S], seq 5900, win 64240, length 0\n"
		"10:00:01.010100 IP " S "Flags [S.], seq 6700, ack 5901, win 64240, length 0\n");

	(void)state;
	assert_near(text_counter(lost, "SYN sent again", NULL), 1, 0);
	assert_near(text_counter(lost, "connections", NULL), 1, 0);
	assert_near(text_counter(other, "SYN sent again", NULL), 0, 0);
	assert_near(text_counter(other, "connections", NULL), 2, 0);
}

static void a_packet_at_two_interfaces_is_one(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = text_load(
		&format_packet_dump,
		"10:00:00.000000 v1 In  IP " C "Flags [S], seq 900, win 64240, length 0\n"
		"10:00:00.000010 v2 Out IP " C "Flags [S], seq 900, win 64240, length 0\n"
		"10:00:00.002000 v2 In  IP " S "Flags [S.], seq 700, ack 901, win 64240, length 0\n"
		"10:00:00.003000 v1 In  IP " C "Flags [.], seq 1:1001, ack 1, win 63, length 1000\n"
		"10:00:00.005999 v2 Out IP " C "Flags [.], seq 1:1001, ack 1, win 63, length 1000\n"
		"10:00:00.006000 v2 Out IP " C
		"Flags [.], seq 1:1001, ack 1, win 63, length 1000\n");

	(void)state;
	assert_near(text_counter(d, "SYN sent again", NULL), 0, 0);
	assert_near(text_counter(d, "connections", NULL), 1, 0);
	assert_near(text_counter(d, "data packets", NULL), 2, 0);
	/* from 3 ms on it is another packet */
	assert_near(text_counter(d, "sent again", NULL), 1, 0);
}

static void other_lines_with_arrows_are_nobodys(void **state)
{
	struct extent e;

	(void)state;
	assert_false(format_packet_dump.find(
		STR("10:00:00.000000 main > worker: Flags [S], seq 9, win 1, length 0\n"
		    "10:00:00.000000 main > worker: Flags [S], seq 9, win 1, length 0\n"
		    "10:00:00.000000 main > worker: Flags [S], seq 9, win 1, length 0\n"),
		0, &e));
	assert_int_equal(format_packet_dump.probe(STR("10:00:00.000000 IP " C "Flags [S], seq 9, "
						      "win 1, length 0\n")),
			 0);
}

/*
 * A request of 12 bytes and, @rest_us after its ACK, 180 more. The ACK comes @late_us after the
 * request, and the answer @answer_us after the rest. @n segments of 12 bytes are on the way.
 */
static void held_round(char *text, size_t size, unsigned int late_us, unsigned int rest_us,
		       unsigned int answer_us, unsigned int n)
{
	unsigned int us = 3000;
	unsigned int end = 1;
	size_t at = (size_t)snprintf(text, size, "%s", OPENED);

	for (unsigned int i = 0; i < n; i++, us += 10, end += 12)
		at += (size_t)snprintf(text + at, size - at,
				       "10:00:00.%06u IP " C
				       "Flags [P.], seq %u:%u, ack 1, win 63, "
				       "length 12\n",
				       us, end, end + 12);
	us += late_us - 10;
	at += (size_t)snprintf(text + at, size - at,
			       "10:00:00.%06u IP " S "Flags [.], ack %u, win 64, length 0\n", us,
			       end);
	us += rest_us;
	at += (size_t)snprintf(text + at, size - at,
			       "10:00:00.%06u IP " C "Flags [P.], seq %u:%u, ack 1, win 63, "
			       "length 180\n",
			       us, end, end + 180);
	us += answer_us;
	(void)snprintf(text + at, size - at,
		       "10:00:00.%06u IP " S "Flags [P.], seq 1:21, ack %u, win 64, length 20\n",
		       us, end + 180);
}

static void data_after_a_late_ack_was_held_back(void **state)
{
	static const struct {
		unsigned int late_us, rest_us, answer_us, n;
		double held_ms;
	} cases[] = {
		{ 40000, 40, 100, 1, 40 },
		{ 30000, 40, 0, 1, 30 },
		{ 29999, 40, 0, 1, 0 },      /* no delayed ACK */
		{ 500000, 40, 100, 1, 500 }, /* the latest one */
		{ 500001, 40, 100, 1, 0 },
		{ 40000, 2000, 100, 1, 40 },
		{ 40000, 2001, 100, 1, 0 }, /* the sender had no more data before */
		{ 40000, 40, 9999, 1, 40 }, /* the answer is 30 ms faster */
		{ 40000, 40, 10001, 1, 0 }, /* each ACK takes long */
		{ 40000, 40, 100, 3, 40 },
		{ 40000, 40, 100, 4, 0 }, /* a full congestion window */
	};
	char text[4096];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(dossier_freep) struct dossier *d = NULL;

		held_round(text, sizeof(text), cases[i].late_us, cases[i].rest_us,
			   cases[i].answer_us, cases[i].n);
		d = text_load(&format_packet_dump, text);
		assert_near(text_counter(d, "waits for a late ACK", NULL), cases[i].held_ms, 1e-3);
	}
}

static void data_after_a_loss_is_not_held_back(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = text_load(
		&format_packet_dump, OPENED
		"10:00:00.003000 IP " C "Flags [P.], seq 1:13, ack 1, win 63, length 12\n"
		"10:00:00.203000 IP " C "Flags [P.], seq 1:13, ack 1, win 63, length 12\n"
		"10:00:00.243000 IP " S "Flags [.], ack 13, win 64, length 0\n"
		"10:00:00.243040 IP " C "Flags [P.], seq 13:193, ack 1, win 63, length 180\n"
		"10:00:00.243100 IP " S "Flags [P.], seq 1:21, ack 193, win 64, length 20\n");

	(void)state;
	assert_near(text_counter(d, "sent again", NULL), 1, 0);
	assert_near(text_counter(d, "waits for a late ACK", NULL), 0, 0);
}

static void times_since_the_packet_before_are_added_up(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = text_load(
		&format_packet_dump,
		" 00:00:00.000000 IP " C "Flags [P.], seq 1:37, ack 1, win 63, length 36\n"
		" 00:00:00.200000 IP " S "Flags [P.], seq 1:101, ack 37, win 64, length 100\n"
		" 00:00:00.100000 IP " C "Flags [P.], seq 37:73, ack 101, win 63, length 36\n"
		" 00:00:00.300000 IP " S "Flags [P.], seq 101:201, ack 73, win 64, length 100\n");
	/* since the first packet: tcpdump -ttttt */
	CLEANUP(dossier_freep)
	struct dossier *first = text_load(
		&format_packet_dump,
		" 00:00:00.000000 IP " C "Flags [P.], seq 1:37, ack 1, win 63, length 36\n"
		" 00:00:00.200000 IP " S "Flags [P.], seq 1:101, ack 37, win 64, length 100\n"
		" 00:00:00.300000 IP " C "Flags [P.], seq 37:73, ack 101, win 63, length 36\n"
		" 00:00:00.600000 IP " S "Flags [P.], seq 101:201, ack 73, win 64, length 100\n");

	(void)state;
	assert_near(text_counter(d, "open", NULL), 600, 1e-6);
	assert_near(text_counter(d, "waits for answers", NULL), 500, 1e-6);
	assert_near(text_counter(first, "open", NULL), 600, 1e-6);
	assert_near(text_counter(first, "waits for answers", NULL), 500, 1e-6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(handshake_and_answers_are_timed),
		cmocka_unit_test(bytes_of_an_earlier_packet_are_sent_again),
		cmocka_unit_test(a_hole_is_a_loss_after_three_ms),
		cmocka_unit_test(a_window_of_zero_stalls_until_a_larger_one),
		cmocka_unit_test(a_name_server_that_is_asked_again),
		cmocka_unit_test(two_lines_a_packet_and_names_of_interfaces_are_read),
		cmocka_unit_test(a_syn_after_its_answer_is_sent_again_or_a_new_connection),
		cmocka_unit_test(a_packet_at_two_interfaces_is_one),
		cmocka_unit_test(data_after_a_late_ack_was_held_back),
		cmocka_unit_test(data_after_a_loss_is_not_held_back),
		cmocka_unit_test(times_since_the_packet_before_are_added_up),
		cmocka_unit_test(other_lines_with_arrows_are_nobodys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
