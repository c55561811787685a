/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "texts.h"

#include "base/status.h"
#include "base/str.h"
#include "formats/format.h"

#include <stdio.h>

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
		cmocka_unit_test(other_lines_with_arrows_are_nobodys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
