/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "texts.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "formats/format.h"

DECLARE_FORMAT(counter_rows);

#define SS_HEAD "State      Recv-Q Send-Q Local Address:Port  Peer Address:Port Process\n"

static void sockets_are_counted_by_process_and_state(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d =
		text_load(NULL, SS_HEAD "LISTEN     3      128    0.0.0.0:80 0.0.0.0:* "
					"users:((\"web\",pid=7,fd=3))\n"
					"CLOSE-WAIT 1      0      192.0.2.1:80 198.51.100.2:4000 "
					"users:((\"web\",pid=7,fd=5))\n"
					"ESTAB      2048   0      192.0.2.1:80 198.51.100.2:4001 "
					"users:((\"web\",pid=7,fd=6))\n");

	(void)state;
	assert_string_equal(d->captures.data[0]->format, "counter-rows");
	assert_true(text_counter(d, "connections", "web (pid 7)") == 2);
	assert_true(text_counter(d, "CLOSE-WAIT", "web (pid 7)") == 1);
	assert_true(text_counter(d, "Recv-Q", "0.0.0.0:80") == 3);
	assert_true(text_counter(d, "unread", "192.0.2.1:80 from 198.51.100.2:4001") == 2);
}

static void without_a_process_the_port_of_the_server_counts(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d =
		text_load(NULL, "tcp 1 0 192.0.2.1:80 198.51.100.2:4000 CLOSE_WAIT -\n"
				"tcp 1 0 192.0.2.1:4100 198.51.100.3:25 CLOSE_WAIT -\n");

	(void)state;
	assert_true(text_counter(d, "CLOSE-WAIT", "local port 80") == 1);
	assert_true(text_counter(d, "CLOSE-WAIT", "198.51.100.3:25") == 1);
}

static void the_state_of_a_filter_is_that_of_its_rows(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d =
		text_load(NULL, "$ ss -tnp state close-wait\n"
				"Recv-Q Send-Q Local Address:Port Peer Address:Port Process\n"
				"1      0      192.0.2.1:80 198.51.100.2:4000 "
				"users:((\"web\",pid=7,fd=5))\n");
	struct extent e;

	(void)state;
	assert_true(text_counter(d, "CLOSE-WAIT", "web (pid 7)") == 1);
	assert_false(format_counter_rows.find(
		STR("Recv-Q Send-Q Local Address:Port Peer Address:Port Process\n"
		    "1 0 192.0.2.1:80 198.51.100.2:4000\n"),
		0, &e));
}

static void a_peer_that_answered_once_is_not_unanswered(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = text_load(NULL, "SYN-SENT 0 1 192.0.2.1:4000 198.51.100.2:80\n"
					    "TIME-WAIT 0 0 192.0.2.1:4001 198.51.100.2:80\n"
					    "SYN-SENT 0 1 192.0.2.1:4002 198.51.100.3:80\n");

	(void)state;
	assert_true(text_counter(d, "unanswered", "198.51.100.2:80") == 0);
	assert_true(text_counter(d, "unanswered", "198.51.100.3:80") == 1);
}

static void listening_sockets_and_round_trips_are_of_another_reader(void **state)
{
	struct extent e;

	(void)state;
	assert_false(format_counter_rows.find(STR(SS_HEAD "LISTEN 0 128 0.0.0.0:80 0.0.0.0:*\n"), 0,
					      &e));
	assert_false(
		format_counter_rows.find(STR(SS_HEAD "ESTAB 0 0 192.0.2.1:80 198.51.100.2:4000\n"
						     "\t cubic rto:204 rtt:3.5/1.2 cwnd:10\n"),
					 0, &e));
}

static void a_deleted_file_counts_once_and_threads_do_not(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = text_load(
		NULL,
		"COMMAND PID TID TASKCMD USER FD TYPE DEVICE SIZE/OFF NODE NAME\n"
		"db 9 app 4w REG 253,0 4194304 77 /var/log/db.log (deleted)\n"
		"db 9 app 5w REG 253,0 4194304 77 /var/log/db.log (deleted)\n"
		"db 9 10 dbio app 4w REG 253,0 4194304 77 /var/log/db.log (deleted)\n"
		"db 9 app 6u REG 0,1 9999999 78 /memfd:shm (deleted)\n"
		"db 9 app mem REG 253,0 4194304 79 /usr/lib/old.so (deleted)\n"
		"db 9 app 7u IPv4 881 0t0 TCP 192.0.2.1:80->198.51.100.2:4000 (CLOSE_WAIT)\n");

	(void)state;
	assert_true(text_counter(d, "deleted", "db (pid 9)") == 4);
	assert_true(text_counter(d, "descriptors", "db (pid 9)") == 4);
	assert_true(text_counter(d, "CLOSE-WAIT", "db (pid 9)") == 1);
}

static void files_that_lsof_may_not_read_are_of_no_kind(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = text_load(
		NULL, "COMMAND PID USER FD TYPE DEVICE SIZE/OFF NODE NAME\n"
		      "init 1 root 0 unknown /proc/1/fd/0 (readlink: Permission denied)\n"
		      "init 1 root 1 unknown /proc/1/fd/1 (readlink: Permission denied)\n");

	(void)state;
	assert_true(text_counter(d, "descriptors", "init (pid 1)") == 2);
	assert_true(text_counter(d, "copies", "init (pid 1): denied)") == -1);
}

static void rows_of_df_that_are_broken_are_one_again(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = text_load(NULL, "Filesystem 1K-blocks Used Available Use% Mounted on\n"
					    "/dev/mapper/vg-spool\n"
					    "           1000 900 100 90% /var/spool\n"
					    "/dev/mapper/vg-home 2000 500 1500 25%\n"
					    "/home\n");

	(void)state;
	assert_true(text_counter(d, "use", "/var/spool") == 90);
	assert_true(text_counter(d, "available", "/home") == 1500);
}

static void sizes_with_letters_are_binary(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = text_load(NULL, "Filesystem Type Size Used Avail Use% Mounted on\n"
					    "/dev/vda ext4 2.0G 1.5M 12 1% /srv/my data\n");

	(void)state;
	assert_true(text_counter(d, "size", "/srv/my data") == 2097152);
	assert_true(text_counter(d, "used", "/srv/my data") == 1536);
	assert_true(text_counter(d, "use", "/srv/my data") == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sockets_are_counted_by_process_and_state),
		cmocka_unit_test(without_a_process_the_port_of_the_server_counts),
		cmocka_unit_test(the_state_of_a_filter_is_that_of_its_rows),
		cmocka_unit_test(a_peer_that_answered_once_is_not_unanswered),
		cmocka_unit_test(listening_sockets_and_round_trips_are_of_another_reader),
		cmocka_unit_test(a_deleted_file_counts_once_and_threads_do_not),
		cmocka_unit_test(files_that_lsof_may_not_read_are_of_no_kind),
		cmocka_unit_test(rows_of_df_that_are_broken_are_one_again),
		cmocka_unit_test(sizes_with_letters_are_binary),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
