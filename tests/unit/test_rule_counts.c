/* SPDX-License-Identifier: MIT */
/*
 * Rules with a count as threshold: one occurrence too few, and just enough, in texts of repeated
 * lines. docs/rules has the thresholds.
 */
#include "unit.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "core/dossier.h"
#include "document/document.h"
#include "formats/load.h"
#include "rule_says.h"

#include <stdio.h>

#define WRITE     "10:48:58.4@ write(3, \"row @\\n\", 9) = 9\n"
#define GETPID    "10:48:58.4@ getpid() = 9\n"
#define BRK       "10:48:58.4@ brk(NULL) = 0x9\n"
#define MISSING   "10:48:58.4@ access(\"/etc/a@\", R_OK) = -1 ENOENT (No such file or directory)\n"
#define ACCESS    "10:48:58.4@ access(\"/etc/b@\", R_OK) = 0\n"
#define STAT      "10:48:58.4@ stat(\"/etc/conf\", {st_mode=S_IFREG|0644}) = 0\n"
#define POLL_ZERO "10:48:58.4@ poll([{fd=3, events=POLLIN}], 1, 0) = 0 (Timeout)\n"
#define POLL      "10:48:58.4@ poll([{fd=3, events=POLLIN}], 1, 500) = 1 ([{fd=3, revents=POLLIN}])\n"
#define LOOK                                                  \
	"poll([{fd=4, events=POLLIN}], 1, 0) = 0 (Timeout)\n" \
	"nanosleep({tv_sec=0, tv_nsec=50000000}, NULL) = 0\n"
#define READY     "poll([{fd=4, events=POLLIN}], 1, 0) = 1 ([{fd=4, revents=POLLIN}])\n"
#define NO_EVENT  "poll([{fd=8, events=POLLIN}], 1, 0) = 0 (Timeout)\n"
#define TIMES_OUT "poll([{fd=8, events=POLLIN}], 1, 50) = 0 (Timeout)\n"
#define WRITE_501 "10:48:58.4@ write(3, \"row @\\n\", 501) = 501\n"
#define WRITE_503 "10:48:58.4@ write(3, \"row @\\n\", 503) = 503\n"
#define SENDER \
	"goroutine @ [chan send]:\nmain.publish(0xc0000a2060?)\n\t/src/store/bus.go:9 +0x25\n\n"
#define RECEIVER   "goroutine 1@ [chan receive]:\nmain.wait()\n\t/src/store/bus.go:19 +0x25\n\n"
#define RECEIVER_2 "goroutine 2@ [chan receive]:\nmain.done()\n\t/src/store/bus.go:29 +0x25\n\n"
#define RECEIVER_3 "goroutine 3@ [chan receive]:\nmain.next()\n\t/src/store/bus.go:39 +0x25\n\n"
#define RUNNING    "goroutine 777 [running]:\nmain.main()\n\t/src/store/main.go:12 +0x25\n"
#define LABELS     "function,complexity,depth,label\nmade_a,0,1,0\nmade_b,1,2,0\nmade_c,2,3,0\n"
#define LABELLED   "one_@,7,3,1\n"
#define FAIL(c, e) "10:48:58.4@ " c " = -1 " e "\n"
#define SEGFAULT(ip)                                             \
	"[ 10@.000001] made[4@]: segfault at 10 ip 00007f000" ip \
	" sp 00007ffc00000000 error 4 in libmade.so[7f0000000000+20000]\n"
#define CRASHED "Program received signal SIGSEGV, Segmentation fault.\n"
#define FRAME   "#@ 0x0000555555555199 in visit (n=7) at tree.c:9\n"
#define SAMPLE                                                                          \
	"db  4242 [001] 100.01@:   10101010 cpu-clock: \n\t    55d0c0ffee10 main+0x10 " \
	"(/usr/bin/db)\n\n"
#define GRAPH                                                                                      \
	"# tracer: function_graph\n#\n# CPU  DURATION                  FUNCTION CALLS\n# |     | " \
	"  |                     |   |   |   |\n"
#define CALL(name, us) " 0)  " us " us |  " name "();\n"
#define ALLOCATION(us) " 0)  " us " us |    kmem_cache_alloc();\n"
#define ALLOCATES(us, all)                                                      \
	" 0)             |  sock_alloc_all() {\n" ALLOCATION(us) ALLOCATION(us) \
		ALLOCATION(us) " 0)  " all " us |  }\n"
#define SOCKETS   "State Recv-Q Send-Q Local Address:Port Peer Address:Port Process\n"
#define CLOSED    "TIME-WAIT 0 0 192.0.2.10:@ 198.51.100.30:6379\n"
#define STARTS    "TIME(ms)   PID    PARENT           ARGS\n"
#define START(ms) ms " 4@ rotate.sh cut -f1 /var/log/a.log\n"
#define THROWN(what)                                                                 \
	"Exception in thread \"main\" " what "\n\tat shop.Main.open(Main.java:12)\n" \
	"\tat shop.Main.main(Main.java:5)\n"
#define COUNTS(side, all, one) \
	side ":\n " all "  PROGRAM TOTALS\n\n " one "  lib/shelf/box.c:box_open [/srv/shelfd]\n\n"
#define COUNTED(last)                                           \
	"2026-03-02T08:00:00 INFO node: starting stock count\n" \
	"2026-03-02T08:00:01 INFO node: heartbeat 12\n"         \
	"2026-03-02T08:00:" last " INFO node: finished stock count\n"
#define HEARTBEAT(at) "2026-03-02T08:00:" at " INFO node: heartbeat @\n"
#define ABORT \
	"[ 9@.000001] sd 6:0:0:0: [sdc] tag#3 uas_eh_abort_handler 0 uas-tag 4 inflight: CMD\n"
#define FAILED      "[ 9@.000001] ata4.00: failed command: READ FPDMA QUEUED\n"
#define HANG        "[ 9@.000001] e1000e 0000:00:1f.6 eno1: Detected Hardware Unit Hang:\n"
#define RESET       "[ 9@.000001] usb 1-2: reset high-speed USB device number 2 using xhci_hcd\n"
#define SPIN_UP     "[ 9@.000001] ata4: SATA link up 6.0 Gbps (SStatus 133 SControl 300)\n"
#define ACCEPTED    "10:48:58.4@ accept4(3, NULL, NULL, 0) = 9\n"
#define ACCEPT_NONE FAIL("accept4(3, NULL, NULL, 0)", "EAGAIN (Resource temporarily unavailable)")
#define PROXIED(uct)                                                                      \
	"198.51.100.9 - - [03/Feb/2026:09:00:00 +0000] \"GET /shelf/@ HTTP/1.1\" 200 99 " \
	"\"-\" \"curl/8.5.0\" rt=2.000 uct=\"" uct "\" uht=\"1.900\" urt=\"2.000\" "      \
	"ua=\"192.0.2.20:8080\"\n"
#define WOKEN                                                                               \
	"2026-03-02T10:00:01.000Z|00001|poll_loop|INFO|wakeup due to [POLLIN] on fd 23 "    \
	"(192.0.2.1:6642<->192.0.2.9:43412) at ../lib/stream-fd.c:157 (93% CPU usage)\n"    \
	"2026-03-02T10:00:13.000Z|00003|poll_loop|INFO|Dropped 12000 log messages in last " \
	"12 seconds (most recently, 0 seconds ago) due to excessive rate\n"                 \
	"2026-03-02T10:00:13.500Z|00004|memory|INFO|cells:1000 monitors:2 sessions:2\n"
#define COUNTED_IN(second, end)                                                 \
	"2026-03-02T08:00:0" second ".000000 INFO node: starting stock count\n" \
	"2026-03-02T08:00:0" second "." end " INFO node: finished stock count\n"
#define TRY(server)                                                                          \
	"192.0.2.9 [2026-03-04T09:10:00+00:00] \"GET /stock HTTP/1.1\" 200 812 rt=1.521 "    \
	"uct=\"-, 0.001\" urt=\"1.500, 0.021\" ups=\"" server ", 192.0.2.32:80\" us=\"504, " \
	"200\"\n"
#define ANSWER                                                                            \
	"192.0.2.9 [2026-03-04T09:10:00+00:00] \"GET /stock HTTP/1.1\" 200 812 rt=0.023 " \
	"uct=\"0.000\" urt=\"0.022\" ups=\"192.0.2.32:80\" us=\"200\"\n"
#define TIMED(command, seconds)                                      \
	" Performance counter stats for '" command "':\n\n " seconds \
	" seconds time elapsed\n " seconds " seconds user\n 0.000 seconds sys\n\n"
#define SHARD(handler, le, n) \
	"store_read_duration_seconds_bucket{handler=\"" handler "\",le=\"" le "\"} " n "\n"
#define SHARDS(handler)                \
	SHARD(handler, "0.001", "900") \
	SHARD(handler, "0.01", "905")  \
	SHARD(handler, "0.1", "905") SHARD(handler, "1", "1000") SHARD(handler, "+Inf", "1000")
#define HANDLER "/shelf/a123456789a123456789a123456789a123456789a123456789abcde"
#define VACUUMED(table, remain, dead)                                                              \
	"INFO:  finished vacuuming \"ledger.public." table "\": index scans: 0\n"                  \
	"pages: 0 removed, 11904 remain, 11904 scanned (100.00% of total), 0 eagerly "             \
	"scanned\ntuples: 0 removed, " remain " remain, " dead " are dead but not yet removable\n" \
	"removable cutoff: 50412, which was 1730 XIDs old when operation ended\n"
#define SAMPLE_AT_0                                                                        \
	"$ perf record -e cpu-clock -g -p 4242\n$ perf script\n"                           \
	"ferryd  4242 [000] 0.000000:   250000 cpu-clock: \n\t    55d0c0ffee10 main+0x10 " \
	"(/usr/bin/ferryd)\n\n"
#define SKID(first, second)                                                                   \
	"# Samples: 42K of event 'cpu-clock'\n# Event count (approx.): 31415926535\n#\n"      \
	"# Overhead  Command       Shared Object      Symbol\n"                               \
	"# ........  ............  .................  ...............................\n#\n"   \
	"    80.00%  swapper       [kernel.kallsyms]  [k] intel_idle\n"                       \
	"    18.00%  db            db                 [.] plan_join\n"                        \
	"     " first "%  db            [kernel.kallsyms]  [k] _raw_spin_unlock_irqrestore\n" \
	"     " second "%  db            [kernel.kallsyms]  [k] finish_task_switch.isra.0\n"
#define PARTS_MAX 4

struct count {
	const char *rule;
	const char *said; /* as in rule_says.h, words separated by "; " */
	struct {
		unsigned int n;
		const char *lines; /* "@" is the number of the repetition */
	} parts[PARTS_MAX];
};

static const struct count counts[] = {
	/* accept() until no connection is left, and a failure that is none of these */
	{ "failing-calls", "clean", { { 60, ACCEPTED }, { 38, ACCEPT_NONE }, { 212, GETPID } } },
	{ "failing-calls",
	  "warning; accept4",
	  { { 60, ACCEPTED },
	    { 38, FAIL("accept4(3, NULL, NULL, 0)", "EMFILE (Too many open files)") },
	    { 212, GETPID } } },
	/* connections of a second SYN, and as many that are slow for another reason */
	{ "proxy-times",
	  "4 of 27 connections; take 1, 3 or 7 s and a little",
	  { { 20, PROXIED("0.001") }, { 4, PROXIED("1.010") }, { 3, PROXIED("0.700") } } },
	{ "proxy-times",
	  "!take 1, 3 or 7 s",
	  { { 20, PROXIED("0.001") }, { 4, PROXIED("1.010") }, { 4, PROXIED("0.700") } } },
	/* one descriptor a second is registered */
	{ "wakeup-storm",
	  "warning; descriptors registered: 1 /s",
	  { { 1,
	      WOKEN "2026-03-02T10:00:14.000Z|00005|coverage|INFO|poll_create_node 1.0/sec\n" } } },
	/* one operation takes 10 ms longer than the median */
	{ "slow-operation",
	  "warning; longest: 10.5 ms",
	  { { 1, COUNTED_IN("1", "000500") COUNTED_IN("2", "000500") COUNTED_IN("3", "000500") },
	    { 1,
	      COUNTED_IN("4", "000500") COUNTED_IN("5", "000500") COUNTED_IN("6", "010500") } } },
	{ "slow-operation",
	  "note; longest: 10.499 ms",
	  { { 1, COUNTED_IN("1", "000500") COUNTED_IN("2", "000500") COUNTED_IN("3", "000500") },
	    { 1,
	      COUNTED_IN("4", "000500") COUNTED_IN("5", "000500") COUNTED_IN("6", "010499") } } },
	/* samples whose times are all 0 do not show how long the recording took */
	{ "idle-process",
	  "not assessed: the recorded time is unknown",
	  { { 1, "$ perf record -e cpu-clock -g -p 4242\n$ perf script\n" },
	    { 9, "db  4242 [001] 0.000000:   10101010 cpu-clock: \n\t    55d0c0ffee10 main+0x10 "
		 "(/usr/bin/db)\n\n" } } },
	{ "local-ports", "clean", { { 1, SOCKETS }, { 22499, CLOSED } } },
	{ "local-ports", "note 85 %", { { 1, SOCKETS }, { 22500, CLOSED } } },
	{ "local-ports", "note 85 %", { { 1, SOCKETS }, { 26799, CLOSED } } },
	{ "local-ports", "warning 85 %", { { 1, SOCKETS }, { 26800, CLOSED } } },
	/* messages of drivers: the thresholds depend on the words */
	{ "troubled-device", "clean", { { 9, SPIN_UP } } },
	{ "troubled-device",
	  "note 90 %: The device sdc leaves commands unanswered",
	  { { 1, ABORT }, { 9, SPIN_UP } } },
	{ "troubled-device", "warning 90 %", { { 2, ABORT } } },
	{ "troubled-device", "note 90 %: The device ata4 reports errors", { { 2, FAILED } } },
	{ "troubled-device", "warning 90 %", { { 3, FAILED } } },
	{ "troubled-device", "warning 90 %: The device eno1 hangs", { { 1, HANG } } },
	{ "troubled-device", "clean", { { 2, RESET } } },
	{ "troubled-device", "note 90 %: The device usb 1-2 is reset", { { 3, RESET } } },
	{ "troubled-device", "note 90 %", { { 4, RESET } } },
	{ "troubled-device", "warning 90 %", { { 5, RESET } } },
	/* two or more crashes are one bug if more than half of them are at one instruction */
	{ "crash-loop", "error 92 %: The log reports 1 segfault", { { 1, SEGFAULT("0001000") } } },
	{ "crash-loop",
	  "error 97 %: 2 segfaults at the same; segfaults at one offset: 2 ",
	  { { 2, SEGFAULT("0001000") } } },
	{ "crash-loop",
	  "error 92 %: The log reports 2 segfaults",
	  { { 1, SEGFAULT("0001000") }, { 1, SEGFAULT("001@") } } },
	{ "crash-loop",
	  "error 60 %: 4 segfaults, 2 of 4 at one",
	  { { 2, SEGFAULT("0001000") }, { 2, SEGFAULT("001@") } } },
	{ "crash-loop",
	  "error 97 %: 5 segfaults, 3 of 5 segfaults at the same",
	  { { 3, SEGFAULT("0001000") }, { 2, SEGFAULT("001@") } } },
	/* a label is reported with fewer than ten ones, of which up to four are cited */
	{ "few-positives", "note 99 %; ones: 9 ; lines 4", { { 1, LABELS }, { 9, LABELLED } } },
	{ "few-positives", "clean", { { 1, LABELS }, { 10, LABELLED } } },
	/* nor in a table with fewer than ten rows */
	{ "few-positives", "lines 4", { { 1, LABELS }, { 7, LABELLED } } },
	/*
	 * leaks: ten senders without a receiver, or a hundred goroutines at one place that are half
	 * of all
	 */
	{ "thread-leak", "clean", { { 9, SENDER }, { 1, RUNNING } } },
	{ "thread-leak",
	  "warning 70 %: 10 goroutines blocked; lines 1",
	  { { 10, SENDER }, { 1, RUNNING } } },
	{ "thread-leak", "clean", { { 99, RECEIVER } } },
	{ "thread-leak", "note 60 %: 100 of 100 goroutines", { { 100, RECEIVER } } },
	{ "thread-leak",
	  "note 60 %: 100 of 200 goroutines; impact 50;",
	  { { 100, RECEIVER }, { 100, RECEIVER_2 } } },
	{ "thread-leak", "clean", { { 100, RECEIVER }, { 100, RECEIVER_2 }, { 1, RECEIVER_3 } } },
	/*
	 * writes below 256 bytes: a note from 20 calls (6 in an excerpt) and 15 % of all calls, a
	 * warning from 1000 calls and 40 %
	 */
	{ "tiny-io", "clean", { { 5, WRITE } } },
	{ "tiny-io", "note 90 %; share of calls: 100 %", { { 6, WRITE } } },
	{ "tiny-io", "clean", { { 19, WRITE }, { 41, GETPID } } },
	{ "tiny-io", "note 90 %", { { 20, WRITE }, { 40, GETPID } } },
	{ "tiny-io", "clean", { { 149, WRITE }, { 851, GETPID } } },
	{ "tiny-io", "note 90 %; impact 15;", { { 150, WRITE }, { 850, GETPID } } },
	{ "tiny-io", "note 90 %; bytes per call: 255", { { 50, WRITE }, { 50, WRITE_501 } } },
	{ "tiny-io", "clean", { { 50, WRITE }, { 50, WRITE_503 } } },
	{ "tiny-io", "note 90 %", { { 999, WRITE } } },
	{ "tiny-io", "warning 90 %", { { 1000, WRITE } } },
	{ "tiny-io", "note 90 %", { { 1000, WRITE }, { 1501, GETPID } } },
	{ "tiny-io", "warning 90 %", { { 1000, WRITE }, { 1500, GETPID } } },
	/*
	 * kinds of calls: 8 calls at least; a note from a quarter of all calls, a warning from 1000
	 * and half
	 */
	{ "system-calls", "not assessed", { { 7, GETPID } } },
	{ "system-calls", "note", { { 8, GETPID } } },
	{ "system-calls",
	  "(78 of 312) are access",
	  { { 75, GETPID }, { 78, BRK }, { 81, WRITE }, { 78, ACCESS } } },
	/* of few calls, also the least likely share must be a quarter */
	{ "system-calls", "clean", { { 5, ACCESS }, { 2, GETPID }, { 2, BRK }, { 2, WRITE } } },
	{ "system-calls",
	  "(7 of 13) are access",
	  { { 7, ACCESS }, { 2, GETPID }, { 2, BRK }, { 2, WRITE } } },
	/* an event loop reads or writes about once for each wait */
	{ "system-calls", "(200 of 500) are poll", { { 200, POLL }, { 300, WRITE } } },
	{ "system-calls", "(301 of 501) are write", { { 200, POLL }, { 301, WRITE } } },
	{ "system-calls", "note", { { 999, GETPID } } },
	{ "system-calls", "warning", { { 1000, GETPID } } },
	{ "system-calls",
	  "note",
	  { { 1000, GETPID }, { 334, BRK }, { 334, WRITE }, { 333, ACCESS } } },
	{ "system-calls",
	  "warning",
	  { { 1000, GETPID }, { 334, BRK }, { 333, WRITE }, { 333, ACCESS } } },
	/*
	 * polls with timeout 0: a note from ten calls and a fifth of the polls, a warning from 1000
	 * and half
	 */
	{ "empty-polls", "clean", { { 9, POLL_ZERO }, { 60, WRITE } } },
	{ "empty-polls", "note 90 %", { { 10, POLL_ZERO }, { 60, WRITE } } },
	{ "empty-polls", "clean", { { 199, POLL_ZERO }, { 801, POLL } } },
	{ "empty-polls", "note 90 %; share of polls: 20 %", { { 200, POLL_ZERO }, { 800, POLL } } },
	{ "empty-polls", "note 90 %", { { 999, POLL_ZERO } } },
	{ "empty-polls", "warning 90 %", { { 1000, POLL_ZERO } } },
	{ "empty-polls", "note 90 %", { { 1000, POLL_ZERO }, { 1001, POLL } } },
	{ "empty-polls", "warning 90 %", { { 1000, POLL_ZERO }, { 1000, POLL } } },
	{ "empty-polls", "burns a CPU", { { 10, POLL_ZERO } } },
	{ "empty-polls", "polls once more", { { 10, POLL_ZERO }, { 1, POLL } } },
	{ "empty-polls", "polls once more", { { 9, POLL_ZERO } } },
	{ "empty-polls", "clean", { { 1, POLL_ZERO }, { 3, WRITE } } },
	{ "empty-polls", "note 75 %", { { 1, POLL_ZERO }, { 1, POLL }, { 3, WRITE } } },
	/* sleeps of 100 ms between looks at a descriptor that is ready afterwards */
	{ "sleep-between-polls", "clean", { { 1, LOOK }, { 1, READY }, { 3, WRITE } } },
	{ "sleep-between-polls", "note 90 %; sleeps: 2 ", { { 2, LOOK }, { 1, READY } } },
	{ "sleep-between-polls", "clean", { { 9, LOOK } } },
	/*
	 * polls that time out: five, and four of five polls; at most two other calls for each, or
	 * they may be the timer's work
	 */
	{ "idle-wakeups", "clean", { { 4, TIMES_OUT }, { 1, WRITE } } },
	{ "idle-wakeups", "note 75 %", { { 5, TIMES_OUT } } },
	{ "idle-wakeups", "note 75 %", { { 8, TIMES_OUT }, { 2, READY } } },
	{ "idle-wakeups", "clean", { { 8, TIMES_OUT }, { 3, READY } } },
	{ "idle-wakeups", "note 75 %", { { 5, TIMES_OUT }, { 10, WRITE } } },
	{ "idle-wakeups", "note 50 %", { { 5, TIMES_OUT }, { 11, WRITE } } },
	/* four whole rounds are the period of a timer; the log may have only a part of the first */
	{ "idle-wakeups", "A timer wakes", { { 4, TIMES_OUT NO_EVENT }, { 1, TIMES_OUT } } },
	{ "idle-wakeups", "A timer of 50 ms wakes", { { 5, TIMES_OUT NO_EVENT } } },
	/*
	 * failures: a note from 15 (4 in an excerpt), 30 % of the calls of their kind and 3 % of
	 * all calls, a warning from 500 and 20 % of all calls
	 */
	{ "failing-calls", "clean", { { 3, MISSING } } },
	{ "failing-calls", "note 90 %", { { 4, MISSING } } },
	{ "failing-calls", "clean", { { 14, MISSING }, { 60, WRITE } } },
	{ "failing-calls", "note 90 %", { { 15, MISSING }, { 60, WRITE } } },
	{ "failing-calls", "clean", { { 299, MISSING }, { 701, ACCESS } } },
	{ "failing-calls", "note 90 %", { { 300, MISSING }, { 700, ACCESS } } },
	{ "failing-calls", "clean", { { 29, MISSING }, { 971, WRITE } } },
	{ "failing-calls", "note 90 %", { { 30, MISSING }, { 970, WRITE } } },
	{ "failing-calls", "note 90 %", { { 499, MISSING } } },
	{ "failing-calls", "warning 90 %", { { 500, MISSING } } },
	{ "failing-calls", "note 90 %", { { 500, MISSING }, { 2001, WRITE } } },
	{ "failing-calls", "warning 90 %", { { 500, MISSING }, { 2000, WRITE } } },
	/* the cause of each error, of some in calls of one kind only */
	{ "failing-calls",
	  "names that are not directories",
	  { { 4, FAIL("open(\"/etc/a/@\", O_RDONLY)", "ENOTDIR (Not a directory)") } } },
	{ "failing-calls",
	  "several threads race for the same lock",
	  { { 4, FAIL("futex(0x7f01, FUTEX_WAIT_PRIVATE, 2, NULL)",
		      "EAGAIN (Resource temporarily unavailable)") } } },
	{ "failing-calls",
	  "Another process holds the lock on the file",
	  { { 4,
	      FAIL("flock(7, LOCK_EX|LOCK_NB)", "EAGAIN (Resource temporarily unavailable)") } } },
	{ "failing-calls",
	  "Another process holds the lock on the file",
	  { { 4, FAIL("fcntl(7, F_SETLK, {l_type=F_WRLCK, l_whence=SEEK_SET, l_start=0, l_len=0})",
		      "EACCES (Permission denied)") } } },
	{ "failing-calls",
	  "No connection is left to accept",
	  { { 4, FAIL("accept4(5, NULL, NULL, SOCK_CLOEXEC)",
		      "EAGAIN (Resource temporarily unavailable)") } } },
	{ "failing-calls",
	  "The descriptor is not ready",
	  { { 4, FAIL("read(5, 0x7f01, 512)", "EAGAIN (Resource temporarily unavailable)") } } },
	{ "failing-calls",
	  "no such attribute",
	  { { 4, FAIL("getxattr(\"/srv/@\", \"user.tag\", NULL, 0)",
		      "ENODATA (No data available)") } } },
	{ "failing-calls",
	  "no thread sent a wake-up",
	  { { 4, FAIL("futex(0x7f01, FUTEX_WAIT_PRIVATE, 2, {tv_sec=0, tv_nsec=9})",
		      "ETIMEDOUT (Connection timed out)") } } },
	{ "failing-calls",
	  "descriptors that are not open",
	  { { 4, FAIL("close(9@)", "EBADF (Bad file descriptor)") } } },
	{ "failing-calls",
	  "being a terminal",
	  { { 4,
	      FAIL("ioctl(5, TCGETS, 0x7ffc01)", "ENOTTY (Inappropriate ioctl for device)") } } },
	{ "failing-calls",
	  "children that do not exist",
	  { { 4, FAIL("wait4(-1, NULL, WNOHANG, NULL)", "ECHILD (No child processes)") } } },
	{ "failing-calls",
	  "queries processes or threads that have ended",
	  { { 4, FAIL("kill(4@, 0)", "ESRCH (No such process)") } } },
	{ "failing-calls",
	  "the limit of watches",
	  { { 4, FAIL("inotify_add_watch(4, \"/srv/@\", IN_CREATE)",
		      "ENOSPC (No space left on device)") } } },
	{ "failing-calls",
	  "The device is full",
	  { { 4, FAIL("write(5, \"row\", 3)", "ENOSPC (No space left on device)") } } },
	{ "failing-calls",
	  "The connection stays in the queue",
	  { { 4, FAIL("accept4(5, NULL, NULL, SOCK_CLOEXEC)", "EMFILE (Too many open files)") } } },
	{ "failing-calls",
	  "or it needs more",
	  { { 4, FAIL("open(\"/etc/a@\", O_RDONLY)", "EMFILE (Too many open files)") } } },
	{ "failing-calls",
	  "fs.file-max",
	  { { 4,
	      FAIL("open(\"/etc/a@\", O_RDONLY)", "ENFILE (Too many open files in system)") } } },
	{ "failing-calls",
	  "The disk quota",
	  { { 4, FAIL("write(5, \"row\", 3)", "EDQUOT (Disk quota exceeded)") } } },
	{ "failing-calls",
	  "The kernel refuses memory",
	  { { 4, FAIL("mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, 3, 0)",
		      "ENOMEM (Cannot allocate memory)") } } },
	{ "failing-calls",
	  "The other side closed the connection",
	  { { 4, FAIL("write(5, \"row\", 3)", "EPIPE (Broken pipe)") } } },
	{ "failing-calls",
	  "Nobody listens at the address",
	  { { 4, FAIL("connect(5, {sa_family=AF_INET, sin_port=htons(81)}, 16)",
		      "ECONNREFUSED (Connection refused)") } } },
	{ "failing-calls",
	  "The send buffer is full",
	  { { 4, FAIL("sendto(5, \"row\", 3, 0, NULL, 0)",
		      "ENOBUFS (No buffer space available)") } } },
	{ "failing-calls",
	  "as if the failure did not matter",
	  { { 4, FAIL("write(5, \"row\", 3)", "EIO (Input/output error)") } } },
	/*
	 * calls with the same path: a note from ten (3 in an excerpt) and 5 % of all calls, a
	 * warning from 200 and 20 %
	 */
	{ "same-path-again", "clean", { { 2, STAT }, { 1, WRITE } } },
	{ "same-path-again", "note 90 %", { { 3, STAT } } },
	{ "same-path-again", "clean", { { 9, STAT }, { 60, WRITE } } },
	{ "same-path-again", "note 90 %", { { 10, STAT }, { 60, WRITE } } },
	{ "same-path-again", "clean", { { 49, STAT }, { 951, WRITE } } },
	{ "same-path-again", "note 90 %", { { 50, STAT }, { 950, WRITE } } },
	{ "same-path-again", "note 90 %", { { 199, STAT } } },
	{ "same-path-again", "warning 90 %", { { 200, STAT } } },
	{ "same-path-again", "note 90 %", { { 200, STAT }, { 801, WRITE } } },
	{ "same-path-again", "warning 90 %", { { 200, STAT }, { 800, WRITE } } },
	/*
	 * function graphs: the share of the trace from which a rule reports a note, and a warning
	 */
	{ "first-packet",
	  "note 97 %",
	  { { 1, GRAPH },
	    { 1, CALL("init_conntrack", " 99.000") },
	    { 1, CALL("udp_sendmsg", "901.000") } } },
	{ "first-packet",
	  "warning 97 %; impact 10;",
	  { { 1, GRAPH },
	    { 1, CALL("init_conntrack", "100.000") },
	    { 1, CALL("udp_sendmsg", "900.000") } } },
	{ "netfilter-hooks",
	  "clean",
	  { { 1, GRAPH },
	    { 1, CALL("nf_hook_slow", " 49.000") },
	    { 1, CALL("udp_sendmsg", "951.000") } } },
	{ "netfilter-hooks",
	  "note 99 %",
	  { { 1, GRAPH },
	    { 1, CALL("nf_hook_slow", " 50.000") },
	    { 1, CALL("udp_sendmsg", "950.000") } } },
	{ "netfilter-hooks",
	  "note 99 %",
	  { { 1, GRAPH },
	    { 1, CALL("nf_hook_slow", "249.000") },
	    { 1, CALL("udp_sendmsg", "751.000") } } },
	{ "netfilter-hooks",
	  "warning 99 %",
	  { { 1, GRAPH },
	    { 1, CALL("nf_hook_slow", "250.000") },
	    { 1, CALL("udp_sendmsg", "750.000") } } },
	{ "packet-tap",
	  "note 75 %",
	  { { 1, GRAPH },
	    { 1, CALL("dev_queue_xmit_nit", " 29.000") },
	    { 1, CALL("udp_sendmsg", "971.000") } } },
	{ "packet-tap",
	  "warning 75 %",
	  { { 1, GRAPH },
	    { 1, CALL("dev_queue_xmit_nit", " 30.000") },
	    { 1, CALL("udp_sendmsg", "970.000") } } },
	{ "software-segmentation",
	  "note 75 %",
	  { { 1, GRAPH },
	    { 1, CALL("__skb_gso_segment", " 49.000") },
	    { 1, CALL("udp_sendmsg", "951.000") } } },
	{ "software-segmentation",
	  "warning 75 %",
	  { { 1, GRAPH },
	    { 1, CALL("__skb_gso_segment", " 50.000") },
	    { 1, CALL("udp_sendmsg", "950.000") } } },
	{ "traced-debug-kernel",
	  "note 97 %",
	  { { 1, GRAPH },
	    { 1, CALL("do_raw_spin_lock", "  5.000") },
	    { 1, CALL("udp_sendmsg", "995.000") } } },
	{ "traced-debug-kernel",
	  "note 97 %",
	  { { 1, GRAPH },
	    { 1, CALL("do_raw_spin_lock", "  9.000") },
	    { 1, CALL("udp_sendmsg", "991.000") } } },
	{ "traced-debug-kernel",
	  "warning 97 %",
	  { { 1, GRAPH },
	    { 1, CALL("do_raw_spin_lock", " 10.000") },
	    { 1, CALL("udp_sendmsg", "990.000") } } },
	{ "traced-lock-wait",
	  "note 95 %",
	  { { 1, GRAPH },
	    { 1, CALL("queued_spin_lock_slowpath", " 49.000") },
	    { 1, CALL("udp_sendmsg", "951.000") } } },
	{ "traced-lock-wait",
	  "warning 95 %",
	  { { 1, GRAPH },
	    { 1, CALL("queued_spin_lock_slowpath", " 50.000") },
	    { 1, CALL("udp_sendmsg", "950.000") } } },
	{ "tunnel-traversal",
	  "note 99 %",
	  { { 1, GRAPH },
	    { 1, CALL("vxlan_xmit", "199.000") },
	    { 1, CALL("udp_sendmsg", "801.000") } } },
	{ "tunnel-traversal",
	  "warning 99 %; calls of these functions: 1 ; lines 1",
	  { { 1, GRAPH },
	    { 1, CALL("vxlan_xmit", "200.000") },
	    { 1, CALL("udp_sendmsg", "800.000") } } },
	{ "traced-dma-mapping",
	  "clean",
	  { { 1, GRAPH },
	    { 1, CALL("dma_map_sg", " 99.000") },
	    { 1, CALL("udp_sendmsg", "901.000") } } },
	{ "traced-dma-mapping",
	  "note 75 %",
	  { { 1, GRAPH },
	    { 1, CALL("dma_map_sg", "100.000") },
	    { 1, CALL("udp_sendmsg", "900.000") } } },
	{ "traced-dma-mapping",
	  "note 75 %",
	  { { 1, GRAPH },
	    { 1, CALL("dma_map_sg", "299.000") },
	    { 1, CALL("udp_sendmsg", "701.000") } } },
	{ "traced-dma-mapping",
	  "warning 75 %",
	  { { 1, GRAPH },
	    { 1, CALL("dma_map_sg", "300.000") },
	    { 1, CALL("udp_sendmsg", "700.000") } } },
	{ "traced-reclaim",
	  "note 75 %",
	  { { 1, GRAPH },
	    { 1, CALL("do_shrink_slab", "100.000") },
	    { 1, CALL("udp_sendmsg", "900.000") } } },
	{ "traced-reclaim",
	  "note 75 %",
	  { { 1, GRAPH },
	    { 1, CALL("do_shrink_slab", "249.000") },
	    { 1, CALL("udp_sendmsg", "751.000") } } },
	{ "traced-reclaim",
	  "warning 75 %",
	  { { 1, GRAPH },
	    { 1, CALL("do_shrink_slab", "250.000") },
	    { 1, CALL("udp_sendmsg", "750.000") } } },
	/* DMA mappings of 5 us and reclaim calls of 50 us are usual: no warning */
	{ "traced-dma-mapping",
	  "note 63 %",
	  { { 1, GRAPH },
	    { 7, CALL("dma_map_sg", "5.000") },
	    { 1, CALL("udp_sendmsg", "20.000") } } },
	{ "traced-dma-mapping",
	  "warning 75 %",
	  { { 1, GRAPH },
	    { 7, CALL("dma_map_sg", "5.001") },
	    { 1, CALL("udp_sendmsg", "20.000") } } },
	{ "traced-reclaim",
	  "note 66 %",
	  { { 1, GRAPH },
	    { 7, CALL("do_shrink_slab", "50.000") },
	    { 1, CALL("udp_sendmsg", "20.000") } } },
	{ "traced-reclaim",
	  "warning 75 %",
	  { { 1, GRAPH },
	    { 7, CALL("do_shrink_slab", "50.001") },
	    { 1, CALL("udp_sendmsg", "20.000") } } },
	/*
	 * recursion is reported from 12 calls of one function; with a crash or 1000 frames it is an
	 * overflow
	 */
	{ "deep-recursion", "clean", { { 1, CRASHED }, { 11, FRAME } } },
	{ "deep-recursion",
	  "error 90 %; calls of the function on the stack: 12 ; frames of the stack: 12 ",
	  { { 1, CRASHED }, { 12, FRAME } } },
	{ "deep-recursion", "clean", { { 1, "Thread 1 (LWP 77 \"tree\"):\n" }, { 11, FRAME } } },
	{ "deep-recursion",
	  "note 60 %: Deep recursion",
	  { { 1, "Thread 1 (LWP 77 \"tree\"):\n" }, { 12, FRAME } } },
	{ "deep-recursion",
	  "note 60 %: Deep recursion",
	  { { 1, "Thread 1 (LWP 77 \"tree\"):\n" }, { 999, FRAME } } },
	{ "deep-recursion",
	  "error 90 %: Stack overflow",
	  { { 1, "Thread 1 (LWP 77 \"tree\"):\n" }, { 1000, FRAME } } },
	/* too few samples: fewer than 400 */
	{ "few-samples", "note 99 %; samples: 399 samples", { { 399, SAMPLE } } },
	{ "few-samples", "clean", { { 400, SAMPLE } } },
	/* at most five functions are cited as evidence */
	{ "traced-debug-kernel",
	  "lines 4",
	  { { 1, GRAPH CALL("do_raw_spin_lock", "9.000") CALL("do_raw_spin_unlock", "9.000") CALL(
			 "do_raw_spin_trylock", "9.000") CALL("do_raw_read_lock", "9.000") } } },
	{ "traced-debug-kernel",
	  "calls of these functions: 6 ; lines 5",
	  { { 1, GRAPH CALL("do_raw_spin_lock", "9.000") CALL("do_raw_spin_unlock", "9.000")
			 CALL("do_raw_spin_trylock", "9.000") CALL("do_raw_read_lock", "9.000")
				 CALL("do_raw_read_unlock", "9.000")
					 CALL("do_raw_write_lock", "9.000") } } },
	/*
	 * allocations in calls that make three: a note from a quarter of their time, a warning from
	 * half if each allocation takes more than 5 us
	 */
	{ "traced-allocation",
	  "not assessed",
	  { { 1, GRAPH CALL("kmem_cache_alloc", "30.000") CALL("udp_sendmsg", "20.000") } } },
	{ "traced-allocation",
	  "not assessed",
	  { { 1, GRAPH CALL("kmem_cache_alloc", "30.000") } } },
	{ "traced-allocation",
	  "note 74 %; share of the trace: 25 %",
	  { { 1, GRAPH ALLOCATES("6.000", "72.000") } } },
	{ "traced-allocation", "note 74 %", { { 1, GRAPH ALLOCATES("6.000", "36.100") } } },
	{ "traced-allocation",
	  "warning 74 %; share of the trace: 50 %; mean of topmost calls: 6 us",
	  { { 1, GRAPH ALLOCATES("6.000", "36.000") } } },
	{ "traced-allocation", "note 55 %", { { 1, GRAPH ALLOCATES("5.000", "20.000") } } },
	{ "traced-allocation", "warning 74 %", { { 1, GRAPH ALLOCATES("5.001", "20.000") } } },
	/*
	 * sequences of calls: a note from 13 calls, 4 rounds and a fifth of all calls, a warning
	 * from 100 rounds and half
	 */
	{ "call-sequence", "clean", { { 12, GETPID } } },
	{ "call-sequence",
	  "note 75 %; the same call 13 times; share of calls: 100 %",
	  { { 13, GETPID } } },
	{ "call-sequence", "clean", { { 3, STAT ACCESS BRK GETPID } } },
	{ "call-sequence",
	  "note 75 %; the same 4 calls 4 times; rounds: 4 ; calls per round: 4 ",
	  { { 4, STAT ACCESS BRK GETPID } } },
	{ "call-sequence", "note 75 %", { { 99, STAT ACCESS BRK GETPID } } },
	{ "call-sequence", "warning 75 %; impact 100;", { { 100, STAT ACCESS BRK GETPID } } },
	{ "call-sequence",
	  "clean",
	  { { 13, GETPID },
	    { 5, STAT WRITE ACCESS WRITE STAT BRK BRK WRITE WRITE BRK },
	    { 1, STAT ACCESS WRITE } } },
	{ "call-sequence",
	  "note 75 %; share of calls: 23.2",
	  { { 13, GETPID },
	    { 4, STAT WRITE ACCESS WRITE STAT BRK BRK WRITE WRITE BRK },
	    { 1, STAT ACCESS WRITE } } },
	/* an excerpt of a log has fewer than 60 calls */
	{ "tiny-io", "note 90 %", { { 10, WRITE }, { 49, GETPID } } },
	{ "tiny-io", "clean", { { 10, WRITE }, { 50, GETPID } } },
	{ "empty-polls", "note 75 %; polls once more", { { 9, POLL_ZERO }, { 50, WRITE } } },
	{ "empty-polls", "clean", { { 9, POLL_ZERO }, { 51, WRITE } } },
	{ "empty-polls", "note", { { 2, POLL_ZERO }, { 57, WRITE } } },
	{ "empty-polls", "clean", { { 2, POLL_ZERO }, { 58, WRITE } } },
	{ "failing-calls", "note 90 %", { { 4, MISSING }, { 55, WRITE } } },
	{ "failing-calls", "clean", { { 4, MISSING }, { 56, WRITE } } },
	{ "same-path-again", "note 90 %", { { 3, STAT }, { 56, WRITE } } },
	{ "same-path-again", "clean", { { 3, STAT }, { 57, WRITE } } },
	/* each of two processes looks the path up once or twice, as at a start */
	{ "same-path-again",
	  "note 90 %; The log has 2 processes",
	  { { 2, "101 " STAT }, { 1, "102 " STAT } } },
	{ "same-path-again",
	  "note 90 %; The log has 2 processes",
	  { { 2, "101 " STAT }, { 2, "102 " STAT } } },
	{ "same-path-again",
	  "note 90 %; !The log has",
	  { { 3, "101 " STAT }, { 2, "102 " STAT } } },
	{ "same-path-again", "note 90 %; !The log has", { { 3, "101 " STAT } } },
	/* starts of programs: 20 of them; a note from 100 a second, a warning from 300 */
	{ "exec-rate", "not assessed: 19 starts", { { 1, STARTS }, { 19, START("@") } } },
	{ "exec-rate",
	  "warning 75 %; programs started: 20",
	  { { 1, STARTS }, { 20, START("@") } } },
	{ "exec-rate",
	  "clean: 99.9",
	  { { 1, STARTS }, { 100, START("@0") }, { 1, START("1001") } } },
	{ "exec-rate",
	  "note 75 %; programs started per second: 100 /s",
	  { { 1, STARTS }, { 100, START("@0") }, { 1, START("1000") } } },
	{ "exec-rate",
	  "note 75 %; programs started per second: 299",
	  { { 1, STARTS }, { 100, START("@0") START("@3") START("@6") }, { 1, START("1001") } } },
	{ "exec-rate",
	  "warning 75 %; programs started per second: 300 /s",
	  { { 1, STARTS }, { 100, START("@0") START("@3") START("@6") }, { 1, START("1000") } } },
	/* the message of an exception: its class, without the package */
	{ "crash-stack",
	  "('IllegalStateException: bad')",
	  { { 1, THROWN("java.lang.IllegalStateException: bad") } } },
	{ "crash-stack", "('Spoiled: see a.b')", { { 1, THROWN("Spoiled: see a.b") } } },
	{ "crash-stack", "('Spoiled')", { { 1, THROWN("Spoiled") } } },
	/* exact counts: a total of one is compared; a change from one percent on */
	{ "grown-cost",
	  "warning 75 %: box_open has 1; and 90 after",
	  { { 1, COUNTS("before", "1", "1") COUNTS("after", "100", "90") } } },
	/* an operation takes at least ten units of the last digit, 10 ms, and half of the time */
	{ "slow-operation",
	  "warning; longest: 10000",
	  { { 1, COUNTED("10") }, { 5, HEARTBEAT("12") } } },
	{ "slow-operation", "clean", { { 1, COUNTED("09") }, { 5, HEARTBEAT("12") } } },
	{ "slow-operation",
	  "warning; share of the traced time: 50 %",
	  { { 1, COUNTED("10") }, { 5, HEARTBEAT("20") } } },
	{ "slow-operation", "clean", { { 1, COUNTED("10") }, { 5, HEARTBEAT("21") } } },
	/* a server fails three requests, which are 1 % of all */
	{ "upstream-fails",
	  "warning 90 %; share of all requests: 1 %",
	  { { 3, TRY("192.0.2.31:80") }, { 297, ANSWER } } },
	{ "upstream-fails", "note 90 %", { { 3, TRY("192.0.2.31:80") }, { 298, ANSWER } } },
	/* an item without a name is no server */
	{ "upstream-fails",
	  "upstream server 192.0.2.31:80 fails 3 of 3; !upstream server  fails",
	  { { 3, TRY("192.0.2.31:80, ") }, { 30, ANSWER } } },
	/* each of several tables has its own figures */
	{ "dead-rows",
	  "640000 dead rows of ledger.public.postings, of 710000 rows",
	  { { 1, VACUUMED("postings", "710000", "640000") },
	    { 1, VACUUMED("accounts", "70000", "0") } } },
	/* a profile whose weight is at calls that block counts waiting, too */
	{ "costly-work",
	  "90.0 % of wall-clock time is waiting for other threads, all called from fetch",
	  { { 1, "app;main;fetch;msgrcv 900\napp;main;compute 100\n" } } },
	/* a table with such columns that systemd did not print */
	{ "slow-start-unit",
	  "!import.service",
	  { { 1, "function,complexity,depth,takes\nimport.service,3,1,72480000000\n"
		 "login.service,1,2,2064\nmade.service,2,2,10\n" } } },
	/* samples that have no time do not show how long the recording was */
	{ "idle-process", "not assessed: the recorded time is unknown", { { 1, SAMPLE_AT_0 } } },
	/* interrupts that are enabled again: 5 % of the busy time, but 2 % of all */
	{ "interrupts-on-skid", "clean", { { 1, SKID("1.00", "0.99") } } },
	{ "interrupts-on-skid", "note 75 %", { { 1, SKID("1.00", "1.00") } } },
	/* a command may begin with the number */
	{ "grows-faster",
	  "(1000 to 10000)",
	  { { 1, TIMED("1000.sh", "1.000") }, { 1, TIMED("10000.sh", "60.000") } } },
	/* 72 bytes of the labels of a metric are shown */
	{ "latency-modes",
	  "Request latency of 'store_read_duration_seconds{handler=\"" HANDLER "\"}'",
	  { { 1, SHARDS(HANDLER) } } },
	{ "latency-modes",
	  "Request latency of 'store_read_duration_seconds{handler=\"" HANDLER "f}'",
	  { { 1, SHARDS(HANDLER "f") } } },
	/* the most steps of a plan */
	{ "sqlite-plan",
	  "warning; 'b' is scanned again for each row of 'a'",
	  { { 1, "QUERY PLAN\n|--SCAN a\n|--SCAN b\n" },
	    { 4094, "|--SEARCH t@ USING INDEX by_k (k=?)\n" } } },
	{ "sqlite-plan",
	  "at most 4096 are judged",
	  { { 1, "QUERY PLAN\n|--SCAN a\n|--SCAN b\n" },
	    { 4095, "|--SEARCH t@ USING INDEX by_k (k=?)\n" } } },
};

static void repeat(const char *lines, unsigned int i, struct out *ret)
{
	for (; *lines; lines++) {
		if (*lines == '@')
			out_printf(ret, "%04u", i);
		else
			out_char(ret, *lines);
	}
}

static bool check(const struct count *c)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;
	struct out text = { .fd = -1 };
	struct out is = { .fd = -1 };
	bool ret;

	for (size_t p = 0; p < PARTS_MAX; p++) {
		for (unsigned int i = 0; i < c->parts[p].n; i++)
			repeat(c->parts[p].lines, i, &text);
	}
	assert_int_equal(document_from_memory(out_view(&text), NULL, &doc, NULL), OK);
	if (load_document(d, doc, "made.txt", NULL, NULL) == OK)
		rule_says(d, str_of(c->rule), &is);
	else
		out_z(&is, "no capture found");
	ret = rule_says_in(out_view(&is), c->said);
	if (!ret)
		print_error("%s, %u of %.40s: '%s' expected, is:\n" STR_FMT, c->rule, c->parts[0].n,
			    c->parts[0].lines, c->said, STR_ARG(out_view(&is)));
	out_fini(&text);
	out_fini(&is);
	return ret;
}

static void rules_change_their_minds_at_the_number_of_their_page(void **state)
{
	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(counts); i++)
		wrong += !check(&counts[i]);
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_change_their_minds_at_the_number_of_their_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
