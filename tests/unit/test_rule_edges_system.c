/* SPDX-License-Identifier: MIT */
/* Rules about tables of the system and of its calls, at their thresholds: rule_edges.h. */
#include "unit.h"

#include "base/status.h"
#include "rule_edges.h"

static const struct edge edges[] = {
	/* page cache of a container: a quarter of its usage, without shared memory */
	{ "container-cache-fires", "note 90 %: 25.0 %", { { "419430400", "167772160" } } },
	{ "container-cache-fires", "clean", { { "419430400", "167772159" } } },
	{ "container-cache-fires", "not assessed", { { "419430400", "671088641" } } },
	{ "container-cache-fires", "note 90 %: 100.0 %", { { "419430400", "671088640" } } },
	{ "container-cache-clean-shared", "clean", { { "629145600", "471859201" } } },
	{ "container-cache-clean-shared", "note 90 %: 25.0 %", { { "629145600", "471859200" } } },
	{ "container-cache-fires-inactive", "At least 31.0 %", { { NULL } } },
	{ "container-cache-fires-inactive", "clean", { { "325058560", "262143999" } } },
	/* a queue of the thread pool: 20 items, doubled; 100 are a warning, and so are 10 s */
	{ "thread-pool-queue-fires-note", "note 80 %: Work waits", { { NULL } } },
	{ "thread-pool-queue-fires-note", "not assessed", { { "Metric,42", "Metric,41" } } },
	{ "thread-pool-queue-fires-note", "not assessed", { { "Metric,21", "Metric,19" } } },
	{ "thread-pool-queue-fires-note",
	  "note 80 %: Work waits for the thread pool: its queue grew from 0 to 40 items in 2 s",
	  { { "Metric,21", "Metric,20" }, { "Metric,42", "Metric,40" } } },
	{ "thread-pool-queue-fires-note", "note 80 %", { { "Metric,42", "Metric,99" } } },
	{ "thread-pool-queue-fires-note", "warning 80 %", { { "Metric,42", "Metric,100" } } },
	{ "thread-pool-queue-fires-note", "clean", { { "Metric,42", "Metric,19" } } },
	{ "thread-pool-queue-fires-long",
	  "warning 80 %: Work waits for the thread pool: its queue had 20 items or more for 10 s",
	  { { NULL } } },
	{ "thread-pool-queue-fires-long", "clean", { { "12:00:04", "12:00:03" } } },
	/* a gap in the samples: more than five times the shortest step */
	{ "thread-pool-queue-clean-gap", "clean", { { "09:42:20", "09:41:16" } } },
	{ "thread-pool-queue-clean-gap",
	  "had 20 items or more for 12 s",
	  { { "09:42:20", "09:41:15" } } },
	/* busy CPUs are another cause */
	{ "thread-pool-queue-fires-busy", "The CPUs are busy", { { "98.5", "80" } } },
	{ "thread-pool-queue-fires-busy", "Thread pool starvation", { { "98.5", "79.9" } } },
	/* a table of calls: a warning needs 0.5 s, or 100 µs each, or a quarter of failed calls */
	{ "system-calls-table-shares", "note 75 %; Directories are read", { { NULL } } },
	{ "system-calls-table-shares",
	  "note",
	  { { "5     47800       120", "5     47800 11949" } } },
	{ "system-calls-table-shares",
	  "warning 75 %; or each place",
	  { { "5     47800       120", "5     47800 11950" } } },
	{ "system-calls-table-shares",
	  "note",
	  { { "0.239000", "0.499000" }, { "0.336000", "0.596000" } } },
	{ "system-calls-table-shares",
	  "warning 75 %; Directories are read",
	  { { "0.239000", "0.500000" }, { "0.336000", "0.597000" } } },
	{ "system-calls-table-shares",
	  "note",
	  { { "5     47800       120", "98     2500" }, { "12400", "  400" } } },
	{ "system-calls-table-shares",
	  "warning",
	  { { "5     47800       120", "98     2390" }, { "12400", "  400" } } },
	/* a search path is tried if a twentieth of the calls fail */
	{ "system-calls-table-shares",
	  "note; Directories are read and",
	  { { "47800       120", "47800      2389" } } },
	{ "system-calls-table-shares",
	  "note; search path",
	  { { "47800       120", "47800      2390" } } },
	/* no error in the whole table: it may have no column of them */
	{ "system-calls-table-opened", "search path", { { "        10 ", "           " } } },
	{ "system-calls-table-opened", "note; the paths tell", { { NULL } } },
	{ "system-calls-table-opened",
	  "Many closes without opens",
	  { { "     41790", "     83601" } } },
	/* a request without an answer: from a tenth; a warning from 40 %, 100 ms and two waits */
	{ "unanswered-request-fires", "clean", { { "14:20:00.200000", "14:20:01.002000" } } },
	{ "unanswered-request-fires",
	  "note 85 %: Thread 812 waits 10.0 %",
	  { { "14:20:00.200000", "14:20:01.000000" } } },
	{ "unanswered-request-fires",
	  "note; 39.9 %",
	  { { "14:20:00.200000", "14:20:00.250800" } } },
	{ "unanswered-request-fires",
	  "warning 85 %; 40.0 %",
	  { { "14:20:00.200000", "14:20:00.250200" } } },
	{ "unanswered-request-fires",
	  "note; after 49.9",
	  { { "<0.050061>", "<0.049930>" }, { "<0.050062>", "<0.049930>" } } },
	{ "unanswered-request-local", "note; 1 wait for an answer ends", { { NULL } } },
	/* short waits, waits for room and other descriptors do not count */
	{ "unanswered-request-fires",
	  "clean: waits for answers that do not come take 0.0 %",
	  { { "<0.050061>", "<0.009999>" }, { "<0.050062>", "<0.009999>" } } },
	{ "unanswered-request-fires",
	  "clean: waits for answers that do not come take 5.0 %",
	  { { "<0.050061>", "<0.010000>" }, { "<0.050062>", "<0.009999>" } } },
	{ "unanswered-request-fires", "clean", { { "POLLIN", "POLLOUT" } } },
	{ "unanswered-request-fires", "clean", { { "{fd=6", "{fd=7" } } },
	/* an answer, a closed or an unknown socket */
	{ "unanswered-request-fires",
	  "answers: 1; The peer answers late",
	  { { "812 14:20:00.100800 close(6) = 0",
	      "812 14:20:00.100800 recv(6, 0x7f, 64, 0) = 1" } } },
	{ "unanswered-request-clean",
	  "note; 500.1 ms",
	  { { "recvfrom(6, \"ok\\n\", 512, 0, NULL, NULL) = 3", "getpid() = 812" },
	    { "14:20:00.501200 poll", "14:20:00.501200 epoll_wait" } } },
	{ "unanswered-request-cannot-tell", "not assessed", { { NULL } } },
	{ "unanswered-request-cannot-tell",
	  "warning; 192.0.2.9, port 99",
	  { { "0, NULL, 0)", "0, {sa_family=AF_INET, sin_port=htons(99), "
			     "sin_addr=inet_addr(\"192.0.2.9\")}, 16)" } } },
	/* few scheduling periods: the interval of the share decides, against 5 % and 25 % */
	{ "cpu-throttled-few", "warning 85 %; 50.0 %", { { NULL } } },
	{ "cpu-throttled-few", "note; 41.7 %", { { "nr_throttled 6", "nr_throttled 5" } } },
	{ "cpu-throttled-few",
	  "note; 21.4 %",
	  { { "nr_throttled 6", "nr_throttled 3" }, { "nr_periods 12", "nr_periods 14" } } },
	{ "cpu-throttled-few",
	  "not assessed: only 12 counted: 8.33 %",
	  { { "nr_throttled 6", "nr_throttled 1" } } },
	{ "cpu-throttled-few",
	  "clean: 0.00 %",
	  { { "nr_throttled 6", "nr_throttled 0" }, { "nr_periods 12", "nr_periods 99" } } },
	{ "cpu-throttled-few",
	  "not assessed: only 12",
	  { { "nr_throttled 6", "nr_throttled 0" } } },
	/* from 100 periods on the share itself */
	{ "cpu-throttled-few",
	  "not assessed",
	  { { "nr_throttled 6", "nr_throttled 6" }, { "nr_periods 12", "nr_periods 99" } } },
	{ "cpu-throttled-few",
	  "note; 6.00 %",
	  { { "nr_throttled 6", "nr_throttled 6" }, { "nr_periods 12", "nr_periods 100" } } },
	/* stolen time is not busy, and a cause from 5 % */
	{ "run-queue-stolen", "warning; 12 runnable tasks; hypervisor takes 30 %", { { NULL } } },
	{ "run-queue-stolen", "clean", { { "9.9 id", "10.1 id" }, { "30.0 st", "29.8 st" } } },
	{ "run-queue-stolen",
	  "hypervisor takes 5 %",
	  { { "60.0 us", "85.0 us" }, { "30.0 st", "5.0 st" } } },
	{ "run-queue-stolen",
	  "each waits for its turn",
	  { { "60.0 us", "85.1 us" }, { "30.0 st", "4.9 st" } } },
	{ "run-queue-nproc", "warning", { { "\n8\n", "\n7\n" } } },
	{ "run-queue-nproc", "note; on 9 CPUs", { { "\n8\n", "\n9\n" } } },
	{ "run-queue-nproc", "note 60 %: CPUs are", { { "nproc", "my_nproc" } } },
	{ "run-queue-two-machines", "warning; on 8 CPUs", { { "\n16\n", "\n8\n" } } },
	/* the name of a distribution, or its key, tells that it counts sizes of transfers */
	{ "tiny-transfers-fires",
	  "note 70 %: Size of '@sent[sock_size]'; values: 60000",
	  { { "@sent_bytes: ", "@sent[sock_size]: " } } },
	{ "tiny-transfers-fires", "!values", { { "@sent_bytes: ", "@sent[sock_len]: " } } },
	{ "tiny-transfers-fires", "!values", { { "@sent_bytes: ", "@sent_bytes[heap]: " } } },
	/* one blocked session is a note, until it has waited for 10 s */
	{ "session-lock-microseconds",
	  "note 95 %: Session 26 blocks 1 session",
	  { { "LOCK WAIT 2 lock struct(s), heap size 1128, 1 row lock(s)\nMariaDB thread id 26",
	      "2 lock struct(s), heap size 1128, 1 row lock(s)\nMariaDB thread id 26" },
	    { "------- TRX HAS BEEN WAITING 2995950 us FOR THIS LOCK TO BE GRANTED:\n", "" },
	    { "trx id 92 lock_mode X locks rec but not gap waiting", "trx id 92" },
	    { "WAITING 3011925 us", "WAITING 9999999 us" } } },
	{ "session-lock-microseconds",
	  "warning 95 %: Session 26 blocks 1 session",
	  { { "LOCK WAIT 2 lock struct(s), heap size 1128, 1 row lock(s)\nMariaDB thread id 26",
	      "2 lock struct(s), heap size 1128, 1 row lock(s)\nMariaDB thread id 26" },
	    { "------- TRX HAS BEEN WAITING 2995950 us FOR THIS LOCK TO BE GRANTED:\n", "" },
	    { "trx id 92 lock_mode X locks rec but not gap waiting", "trx id 92" },
	    { "WAITING 3011925 us", "WAITING 10000000 us" } } },
	/* the first 64 KiB are never mapped: an address there is a NULL pointer and an offset */
	{ "ended-by-signal-fires",
	  "(SIGSEGV at 0xffff, a NULL pointer)",
	  { { "si_addr=NULL", "si_addr=0xffff" } } },
	{ "ended-by-signal-fires",
	  "(SIGSEGV at 0x10000); !NULL pointer",
	  { { "si_addr=NULL", "si_addr=0x10000" } } },
	/* a host name may have one character, and none is no name */
	{ "name-lookups-fires",
	  "different names: 2; 'a' is asked for 4 times",
	  { { "\\2db\\5depot\\7example\\0", "\\1a\\0" } } },
	{ "name-lookups-fires",
	  "queries: 7; different names: 1; ",
	  { { "\\2db\\5depot\\7example\\0", "\\0" } } },
};

static void rules_change_their_minds_at_their_thresholds(void **state)
{
	(void)state;
	assert_int_equal(rule_edges_wrong(edges, ARRAY_LEN(edges)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_change_their_minds_at_their_thresholds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
