/* SPDX-License-Identifier: MIT */
/*
 * counter_lines.c - lines of one fixed form with several numbers: /proc/stat, /proc/pressure,
 * schedstat, perf sched stats, buddyinfo, softnet_stat, ss -i, the head of top, Go's gctrace,
 * @time of Julia, counts of bpftrace, rates of fio, cyclictest, btt, ping, VACUUM of PostgreSQL,
 * pgbench -P, redis-benchmark -q
 *
 * A dialect describes one kind of line by its form. In a form, a blank matches any run of blanks,
 * and characters outside of braces match themselves. A pair of braces is a slot, which matches one
 * of these:
 *
 *     {name|unit}  a number, which is kept with this name and unit
 *     {-}          a number that is not kept
 *     {=}          a word, which is added to the key of the line
 *     {=text}      this text, which is added to the key
 *     {=+text}     nothing in the line; this text is added to the key
 *     {*}          any text up to the literal text after the slot
 *     {x:name}, {x:-}, {x:=}  eight hexadecimal digits: kept, not kept, added to the key
 *     {:a|b/}      the rest of the line, in words such as "rtt:23.5/2.1". Numbers of words with the
 *                  names a and b are kept; '/' after a name selects the second number of its word
 *     {?name|text} nothing in the line; kept as 1 if the rest of the line has this text, else as 0
 *
 * The key of a line names the CPU, device or socket that its numbers belong to. Consecutive lines
 * of one tool become one capture, whatever their forms. A line that has the same form and key as
 * the first line of the capture begins something new: the next interval of the capture if is_series
 * is set, otherwise another capture.
 */
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "formats/counters/counter_label.h"
#include "formats/counters/counter_number.h"
#include "formats/format.h"
#include "formats/unread_rows.h"

#include <stdio.h>

DECLARE_FORMAT(counter_lines);

/* maximum number of consecutive lines of other kinds inside a group of lines */
#define LINES_GAP   3u
#define LINES_CELLS 16u
#define LINES_KEY   128u
/* maximum distance in lines from a title to the first line of its tool */
#define LINES_ABOVE 5u
#define LINES_BYTES 1024u
/* minimum length of a line with numbers, and of a title such as "CPU 0" */
#define LINES_SHORT 8u
#define LINES_TITLE 5u
/* for a form with a slot {:a|b}: minimum number of words in the line whose names are known */
#define LINES_PAIRS 4u
#define LINES_SCORE 98u
/*
 * Score for lines of a log. It is lower than the score of service_log.c, which reads the whole log.
 */
#define LINES_LOGGED 85u

static const struct diag_kind lines_others = { "counter-lines-others", DIAG_INFO,
					       "lines between lines of counters" };
static const struct diag_kind lines_past = { "counter-lines-past-limit", DIAG_DATALOSS,
					     "counters past the limit" };

struct lines_dialect {
	const char *tool;
	const char *form;
	/* a line that repeats the first line begins the next interval of the same capture */
	bool is_series;
	/*
	 * The line is a title without numbers. Its key is prepended to the keys of the next lines.
	 */
	bool is_title;
	/*
	 * Lines of this form also occur in other texts. So the form is tried only after another
	 * line of the tool.
	 */
	bool is_member;
	/* a second title under a title: its key is appended to the key of the first title */
	bool is_subtitle;
	/* the form is tried only after titles whose keys end with this text; NULL: always */
	const char *below;
	/* the line has numbers; its key is the title of this line and of the next lines */
	bool is_heading;
	/* each row has a name of its own, so the text before the table is not used as its label */
	bool is_named;
	/*
	 * such lines are messages of a log, and the reader of the log (service_log.c) is preferred
	 */
	bool is_logged;
	/*
	 * Another wording of the previous form. A line in one wording also counts as a repetition
	 * of a line in the other wording.
	 */
	bool is_variant;
	/*
	 * Each CPU has one line, in order, without a printed CPU number. Any other line ends the
	 * table.
	 */
	bool is_numbered;
};

/* clang-format off */
static const struct lines_dialect lines_dialects[] = {
	/* source: Go, runtime/extern.go, gctrace */
	{ "Go gctrace", "gc {-} @{age|s}s {gc cpu|%}%: {sweep termination|ms}+{mark|ms}+{mark termination|ms} ms clock, {*} ms cpu, "
	  "{heap at start|MB}->{heap at end|MB}->{heap live|MB} MB, {goal|MB} MB goal, {?collections|}{?forced|(forced)}{*}", true },
	/* source: Go, runtime/proc.go, schedtrace() */
	{ "Go schedtrace", "SCHED {-}ms: gomaxprocs={gomaxprocs} idleprocs={idle procs} threads={threads} spinningthreads={spinning threads} "
	  "needspinning={-} idlethreads={idle threads} runqueue={global run queue}{*}", true },
	{ "Go schedtrace", "SCHED {-}ms: gomaxprocs={gomaxprocs} idleprocs={idle procs} threads={threads} spinningthreads={spinning threads} "
	  "idlethreads={idle threads} runqueue={global run queue}{*}", true },
	/* source: tcpdump, tcpdump.c, info() */
	{ "tcpdump", "{captured|packets} packets captured" },
	{ "tcpdump", "{received by filter|packets} packets received by filter", .is_member = true },
	{ "tcpdump", "{dropped by kernel|packets} packets dropped by kernel", .is_member = true },
	/* source: Linux, Documentation/accounting/psi.rst */
	{ "/proc/pressure", "{*}/pressure/{=}:{=} avg10={avg10|%} avg60={avg60|%} avg300={avg300|%} total={total|us}" },
	{ "/proc/pressure", "{=}.pressure:{=} avg10={avg10|%} avg60={avg60|%} avg300={avg300|%} total={total|us}" },
	{ "/proc/pressure", "{=some} avg10={avg10|%} avg60={avg60|%} avg300={avg300|%} total={total|us}" },
	{ "/proc/pressure", "{=full} avg10={avg10|%} avg60={avg60|%} avg300={avg300|%} total={total|us}" },
	{ "/proc/pressure", "==> {*}/pressure/{=} <==", .is_title = true },
	{ "/proc/pressure", "{*}cat {*}/pressure/{=}", .is_title = true },
	{ "/proc/pressure", "/proc/pressure/{=}:", .is_title = true },
	{ "/proc/pressure", "{*}cat {=}.pressure", .is_title = true },
	{ "/proc/pressure", "/{=}.pressure", .is_title = true },
	/* source: Erlang/OTP, lib/runtime_tools/src/msacc.erl, print(); rabbitmq-diagnostics runtime_thread_stats */
	{ "erlang msacc", "{=scheduler}( {=}) {aux|%}% {check_io|%}% {emulator|%}% {gc|%}% {other|%}% {port|%}% {sleep|%}%" },
	{ "erlang msacc", "{=scheduler}({=}) {aux|%}% {check_io|%}% {emulator|%}% {gc|%}% {other|%}% {port|%}% {sleep|%}%", .is_variant = true },
	/* Erlang prints more states if configured with --with-microstate-accounting=extra */
	{ "erlang msacc", "{=scheduler}( {=}) {alloc|%}% {aux|%}% {bif|%}% {busy_wait|%}% {check_io|%}% {emulator|%}% {ets|%}% {gc|%}% "
	  "{gc_full|%}% {nif|%}% {other|%}% {port|%}% {send|%}% {sleep|%}% {timers|%}%" },
	/*
	 * source: Linux, net/core/net-procfs.c, softnet_seq_show(); before 5.10 each line is a CPU,
	 * whose number is not printed
	 */
	{ "softnet_stat", "{x:processed} {x:dropped} {x:time_squeeze} {x:-} {x:-} {x:-} {x:-} {x:-} {x:-} {x:received_rps} "
	  "{x:flow_limit_count}", .is_numbered = true },
	/* Linux 5.10 and later */
	{ "softnet_stat", "{x:processed} {x:dropped} {x:time_squeeze} {x:-} {x:-} {x:-} {x:-} {x:-} {x:-} {x:received_rps} "
	  "{x:flow_limit_count} {x:backlog_len} {x:=CPU}" },
	{ "softnet_stat", "{x:processed} {x:dropped} {x:time_squeeze} {x:-} {x:-} {x:-} {x:-} {x:-} {x:-} {x:received_rps} "
	  "{x:flow_limit_count} {x:backlog_len} {x:=CPU} {x:-} {x:-}" },
	/* source: iproute2, misc/ss.c, tcp_stats_print() */
	{ "ss", "{*}ESTAB {-} {-} {=} {=} {*}", .is_title = true },
	{ "ss", "{*}ESTAB {-} {-} {=} {=} {:rtt|minrtt|rto|mss|cwnd|ssthresh|bytes_sent|bytes_retrans|segs_out|retrans/|lost|unacked|"
	  "busy|rwnd_limited|sndbuf_limited}" },
	{ "ss", "{:rtt|minrtt|rto|mss|cwnd|ssthresh|bytes_sent|bytes_retrans|segs_out|retrans/|lost|unacked|busy|rwnd_limited|"
	  "sndbuf_limited}" },
	/*
	 * Queues of a listening socket count connections that wait for accept(). Source: iproute2,
	 * misc/ss.c, print_summary(), tcp_stats_print()
	 */
	{ "ss listen", "LISTEN {Recv-Q} {Send-Q} {=} {*}" },
	{ "ss listen", "tcp LISTEN {Recv-Q} {Send-Q} {=} {*}" },
	/* "ss -lnt" prints no state, as all sockets of one kind have the same */
	{ "ss listen", "Recv-Q Send-Q Local Address:Port Peer Address:Port{*}" },
	{ "ss listen", "{Recv-Q} {Send-Q} {=} *:*", .is_member = true },
	{ "ss listen", "{Recv-Q} {Send-Q} {=} :::*", .is_member = true },
	{ "ss listen", "{Recv-Q} {Send-Q} {=} 0.0.0.0:*", .is_member = true },
	{ "ss listen", "{Recv-Q} {Send-Q} {=} [::]:*", .is_member = true },
	{ "ss -s", "TCP: {total} (estab {established}, closed {closed}, orphaned {orphaned}, timewait {timewait})" },
	{ "ss -s", "TCP: {total} (estab {established}, closed {closed}, orphaned {orphaned}, synrecv {synrecv}, timewait {timewait}/{-}), ports {ports}" },
	/* source: docker/cli, cli/command/formatter/stats.go, defaultStatsTableFormat */
	{ "docker stats", "{=} {=} {CPU %|%}% {*}iB / {*}iB {MEM %|%}% {*}B / {*}B {*}B / {*}B {PIDS}" },
	/* source: kubernetes, pkg/printers/internalversion/printers.go, printPod() */
	{ "kubectl get pods", "NAME READY STATUS RESTARTS AGE{*}" },
	{ "kubectl get pods", "NAMESPACE NAME READY STATUS RESTARTS AGE{*}" },
	{ "kubectl get pods", "{=} {ready}/{containers} {=} {restarts} {*}", .is_member = true },
	{ "kubectl get pods", "{=} {=} {ready}/{containers} {=} {restarts} {*}", .is_member = true },
	/* source: kubernetes, staging/src/k8s.io/kubectl/pkg/metricsutil/metrics_printer.go */
	{ "kubectl top pod", "NAME CPU(cores) MEMORY(bytes)" },
	{ "kubectl top pod", "POD NAME CPU(cores) MEMORY(bytes)" },
	{ "kubectl top pod", "{=} {CPU|m}m {memory|Mi}Mi", .is_member = true },
	{ "kubectl top pod", "{=} {=} {CPU|m}m {memory|Mi}Mi", .is_member = true },
	/* source: procps, slabtop.c, print_stats() */
	{ "slabtop summary", "{*}Active / Total Objects (% used) : {active objects} / {total objects} ({-}%)" },
	{ "slabtop summary", "Active / Total Objects (% used) : {active objects} / {total objects} ({-}%)" },
	{ "slabtop summary", "Active / Total Slabs (% used) : {active slabs} / {total slabs} ({-}%)", .is_member = true },
	{ "slabtop summary", "Active / Total Caches (% used) : {active caches} / {total caches} ({-}%)", .is_member = true },
	{ "slabtop summary", "Active / Total Size (% used) : {active size|KiB}K / {total size|KiB}K ({-}%)", .is_member = true },
	{ "slabtop summary", "Minimum / Average / Maximum Object : {*}", .is_member = true },
	/* source: FRRouting, lib/hash.c, hash_show() */
	{ "show hashtable", "Hash table | Buckets Entries Empty LF {*}" },
	{ "show hashtable", "{=} | {=} {=+buckets,} {=} {=+entries} {-}% {LF} {*}", true, .is_member = true },
	{ "show hashtable", "{=} {=} | {=} {=+buckets,} {=} {=+entries} {-}% {LF} {*}", true, .is_member = true },
	{ "show hashtable", "{=} {=} {=} | {=} {=+buckets,} {=} {=+entries} {-}% {LF} {*}", true, .is_member = true },
	{ "show hashtable", "{=} {=} {=} {=} | {=} {=+buckets,} {=} {=+entries} {-}% {LF} {*}", true, .is_member = true },
	/* source: redis, src/redis-cli.c, latencyMode() */
	{ "redis-cli --latency", "min: {min|ms}, max: {max|ms}, avg: {avg|ms} ({samples} samples)", true },
	{ "redis-cli --latency", "min: {min|ms}, max: {max|ms}, avg: {avg|ms} ({samples} samples) -- {-} seconds range", true },
	/* source: redis, src/redis-benchmark.c, showLatencyReport() */
	{ "redis-benchmark", "{requests} requests completed in {time|seconds} seconds" },
	{ "redis-benchmark", "{clients} parallel clients", .is_member = true },
	{ "redis-benchmark", "{payload|bytes} bytes payload", .is_member = true },
	{ "redis-benchmark", "keep alive: {-}", .is_member = true },
	{ "redis-benchmark", "{rate|/s} requests per second" },
	{ "redis-benchmark", "throughput summary: {rate|/s} requests per second" },
	/*
	 * source: wg/wrk, src/wrk.c; counter_pairs.c reads the rates that wrk prints, such as
	 * Requests/sec
	 */
	{ "wrk", "{requests} requests in {duration|s}s, {*} read" },
	{ "wrk", "{requests} requests in {*} read" },
	{ "wrk", "Requests/sec: {Requests/sec}", .is_member = true },
	{ "wrk", "Transfer/sec: {Transfer/sec|KB}KB", .is_member = true },
	{ "wrk", "Transfer/sec: {Transfer/sec|MB}MB", .is_member = true },
	{ "wrk", "Transfer/sec: {Transfer/sec|GB}GB", .is_member = true },
	{ "wrk", "Socket errors: connect {errors|connect}, read {errors|read}, write {errors|write}, timeout {errors|timeout}", .is_member = true },
	{ "wrk", "Non-2xx or 3xx responses: {errors|responses}", .is_member = true },
	/* source: GHC, rts/Stats.c, report_summary() */
	{ "GHC +RTS -s", "{allocated|bytes} bytes allocated in the heap" },
	{ "GHC +RTS -s", "{copied|bytes} bytes copied during GC", .is_member = true },
	{ "GHC +RTS -s", "{maximum residency|bytes} bytes maximum residency ({samples} sample(s))", .is_member = true },
	{ "GHC +RTS -s", "{maximum slop|bytes} bytes maximum slop", .is_member = true },
	{ "GHC +RTS -s", "{memory in use|MiB} MiB total memory in use ({*}", .is_member = true },
	{ "GHC +RTS -s", "{memory in use|MB} MB total memory in use ({*}", .is_member = true },
	{ "GHC +RTS -s", "Gen {=} {colls} colls, {parallel colls} par {gc time|s}s {gc elapsed|s}s {pause avg|s}s {pause max|s}s", .is_member = true },
	{ "GHC +RTS -s", "Gen {=} {colls} colls, {gc time|s}s {gc elapsed|s}s {pause avg|s}s {pause max|s}s", .is_member = true },
	{ "GHC +RTS -s", "Parallel GC work balance: {parallel balance|%}% ({*}", .is_member = true },
	{ "GHC +RTS -s", "TASKS: {tasks} ({*}", .is_member = true },
	{ "GHC +RTS -s", "SPARKS: {sparks} ({*}", .is_member = true },
	{ "GHC +RTS -s", "INIT time {-}s ( {-}s elapsed)", .is_member = true },
	{ "GHC +RTS -s", "EXIT time {-}s ( {-}s elapsed)", .is_member = true },
	{ "GHC +RTS -s", "MUT time {MUT time|s}s ( {MUT elapsed|s}s elapsed)" },
	{ "GHC +RTS -s", "GC time {GC time|s}s ( {GC elapsed|s}s elapsed)", .is_member = true },
	{ "GHC +RTS -s", "Total time {Total time|s}s ( {Total elapsed|s}s elapsed)", .is_member = true },
	{ "GHC +RTS -s", "Productivity {productivity|%}% of total user, {-}% of total elapsed", .is_member = true },
	/* spins of the locks of the parallel collector; rts/Stats.c, report_summary() */
	{ "GHC +RTS -s", "{=gc_alloc_block_sync}: {spins}", .is_member = true },
	{ "GHC +RTS -s", "{=whitehole_spin}: {spins}", .is_member = true },
	{ "GHC +RTS -s", "gen[{=}].sync: {spins}", .is_member = true },
	/* source: Julia, base/timing.jl, time_print(), up to 1.11; prefixed by a name in @time "name" */
	{ "Julia @time", "{elapsed|s} seconds ({allocations|M} M allocations: {*}, {gc time|%}% gc time, {compilation time|%}% compilation time{*}" },
	{ "Julia @time", "{elapsed|s} seconds ({allocations|M} M allocations: {*}, {compilation time|%}% compilation time{*}", .is_variant = true },
	{ "Julia @time", "{elapsed|s} seconds ({allocations|M} M allocations: {*}, {gc time|%}% gc time{*}", .is_variant = true },
	{ "Julia @time", "{elapsed|s} seconds ({allocations|k} k allocations: {*}, {gc time|%}% gc time, {compilation time|%}% compilation time{*}", .is_variant = true },
	{ "Julia @time", "{elapsed|s} seconds ({allocations|k} k allocations: {*}, {compilation time|%}% compilation time{*}", .is_variant = true },
	{ "Julia @time", "{elapsed|s} seconds ({allocations|k} k allocations: {*}, {gc time|%}% gc time{*}", .is_variant = true },
	{ "Julia @time", "{elapsed|s} seconds ({allocations} allocations: {*}, {gc time|%}% gc time, {compilation time|%}% compilation time{*}", .is_variant = true },
	{ "Julia @time", "{elapsed|s} seconds ({allocations} allocations: {*}, {compilation time|%}% compilation time{*}", .is_variant = true },
	{ "Julia @time", "{elapsed|s} seconds ({allocations} allocations: {*}, {gc time|%}% gc time{*}", .is_variant = true },
	{ "Julia @time", "{elapsed|s} seconds ({allocations|M} M allocations: {*})", .is_variant = true },
	{ "Julia @time", "{elapsed|s} seconds ({allocations|k} k allocations: {*})", .is_variant = true },
	{ "Julia @time", "{elapsed|s} seconds ({allocations} allocations: {*})", .is_variant = true },
	/*
	 * source: fio, stat.c, show_ddir_status() and show_thread_status_normal(). A job that measures
	 * latencies prints them below its rate, and is read by histogram.c
	 */
	{ "fio", "{=+job}{=}: (groupid={-}, jobs={-}): err={*}", .is_title = true },
	{ "fio", "{=}: IOPS={requests|k/s}k, BW={*}", .is_logged = true },
	{ "fio", "{=}: IOPS={requests|/s}, BW={*}", .is_logged = true, .is_variant = true },
	{ "fio", "bw ({*}): min={*}", .is_member = true },
	{ "fio", "iops : min={*}", .is_member = true },
	{ "fio", "cpu : usr={usr|%}%, sys={sys|%}%, ctx={context switches}, {*}", .is_member = true },
	{ "fio", "IO depths : {*}", .is_member = true },
	{ "fio", "submit : {*}", .is_member = true },
	{ "fio", "complete : {*}", .is_member = true },
	{ "fio", "issued {*}", .is_member = true },
	{ "fio", "latency : {*}", .is_member = true },
	/* source: rt-tests, src/cyclictest/cyclictest.c, print_stat() */
	{ "cyclictest", "{=T}: {=} ( {-}) P: {-} I: {-} C: {cycles} Min: {min|us} Act: {act|us} Avg: {avg|us} Max: {max|us}", true },
	/* source: Linux, tools/tracing/rtla/src/timerlat_top.c, osnoise_top.c */
	{ "timerlat", "{=+CPU}{=} #{count} | {irq cur|us} {irq min|us} {irq avg|us} {irq max|us} | {cur|us} {min|us} {avg|us} {max|us}", true },
	{ "timerlat", "{=+CPU}{=} #{count} | {irq cur|us} {irq min|us} {irq avg|us} {irq max|us} | {cur|us} {min|us} {avg|us} {max|us} | "
	  "{user cur|us} {user min|us} {user avg|us} {user max|us}", true },
	{ "osnoise", "{=+CPU}{=} #{periods} {runtime|us} {noise|us} {available|%} {max noise|us} {max single|us} {hw} {nmi} {irq} "
	  "{softirq} {thread}", true },
	/* source: rt-tests, src/hwlatdetect/hwlatdetect.py */
	{ "hwlatdetect", "Max Latency: {max latency|us}us" },
	{ "hwlatdetect", "Samples recorded: {samples recorded}", .is_member = true },
	{ "hwlatdetect", "Samples exceeding threshold: {samples above threshold}", .is_member = true },
	/* source: blktrace, btt/output.c, __output_avgs() */
	{ "btt", "Q2Q {Q2Q min|s} {Q2Q avg|s} {Q2Q max|s} {Q2Q n}" },
	{ "btt", "Q2G {Q2G min|s} {Q2G avg|s} {Q2G max|s} {Q2G n}" },
	{ "btt", "G2I {G2I min|s} {G2I avg|s} {G2I max|s} {G2I n}" },
	{ "btt", "I2D {I2D min|s} {I2D avg|s} {I2D max|s} {I2D n}" },
	{ "btt", "M2D {M2D min|s} {M2D avg|s} {M2D max|s} {M2D n}" },
	{ "btt", "D2C {D2C min|s} {D2C avg|s} {D2C max|s} {D2C n}" },
	{ "btt", "Q2C {Q2C min|s} {Q2C avg|s} {Q2C max|s} {Q2C n}" },
	/* source: iperf3, src/iperf_locale.c, report_bw_retrans_* */
	{ "iperf3", "[ {=+ID}{=}] {-}-{-} sec {sent MB|MBytes} MBytes {rate|Mbits/sec} Mbits/sec {sent again} sender" },
	{ "iperf3", "[ {=+ID}{=}] {-}-{-} sec {sent GB|GBytes} GBytes {rate|Mbits/sec} Mbits/sec {sent again} sender" },
	{ "iperf3", "[ {=+ID}{=}] {-}-{-} sec {sent GB|GBytes} GBytes {rate|Gbits/sec} Gbits/sec {sent again} sender" },
	{ "iperf3", "[ {=+ID}{=}] {-}-{-} sec {received|MBytes} MBytes {rate|Mbits/sec} Mbits/sec receiver" },
	{ "iperf3", "[ {=+ID}{=}] {-}-{-} sec {received|GBytes} GBytes {rate|Mbits/sec} Mbits/sec receiver" },
	{ "iperf3", "[ {=+ID}{=}] {-}-{-} sec {received|GBytes} GBytes {rate|Gbits/sec} Gbits/sec receiver" },
	{ "iperf3", "[ {=+ID}{=}] {-}-{-} sec {transfer|MBytes} MBytes {bitrate|Mbits/sec} Mbits/sec {retr} {cwnd|KBytes} KBytes", true },
	{ "iperf3", "[ {=+ID}{=}] {-}-{-} sec {transfer|MBytes} MBytes {bitrate|Mbits/sec} Mbits/sec {retr} {cwnd|MBytes} MBytes", true },
	{ "iperf3", "[ {=+ID}{=}] {-}-{-} sec {transfer|GBytes} GBytes {bitrate|Gbits/sec} Gbits/sec {retr} {cwnd|KBytes} KBytes", true },
	{ "iperf3", "[ {=+ID}{=}] {-}-{-} sec {transfer|GBytes} GBytes {bitrate|Gbits/sec} Gbits/sec {retr} {cwnd|MBytes} MBytes", true },
	/* source: iotop, iotop/ui.py, with the columns of all its versions */
	{ "iotop", "{-} be/{-} {=} {*}/s {*}/s {swapin|%} % {io|%} % {=}{*}", true },
	{ "iotop", "{-} rt/{-} {=} {*}/s {*}/s {swapin|%} % {io|%} % {=}{*}", true },
	/* source: iputils, ping/ping_common.c, finish() */
	{ "ping", "{transmitted} packets transmitted, {received} received, {loss|%}% packet loss, time {*}" },
	{ "ping", "{transmitted} packets transmitted, {received} received, {errors} errors, {loss|%}% packet loss, time {*}" },
	{ "ping", "{transmitted} packets transmitted, {received} packets received, {loss|%}% packet loss" },
	{ "ping", "rtt min/avg/max/mdev = {rtt min|ms}/{rtt avg|ms}/{rtt max|ms}/{rtt mdev|ms} ms{*}", .is_member = true },
	/* source: procps, src/top/top.c */
	{ "top summary", "top - {*}load average: {1m}, {5m}, {15m}" },
	{ "top summary", "%Cpu(s): {us|%} us, {sy|%} sy, {ni|%} ni, {id|%} id, {wa|%} wa, {hi|%} hi, {si|%} si, {st|%} st" },
	{ "top summary", "Cpu(s): {us|%}%us, {sy|%}%sy, {ni|%}%ni, {id|%}%id, {wa|%}%wa, {hi|%}%hi, {si|%}%si, {st|%}%st" },
	{ "top summary", "%Cpu{=} : {us|%} us, {sy|%} sy, {ni|%} ni, {id|%} id, {wa|%} wa, {hi|%} hi, {si|%} si, {st|%} st" },
	{ "top summary", "KiB Mem : {total memory|KiB} total, {free memory|KiB} free, {used memory|KiB} used, {buff/cache|KiB} buff/cache", .is_member = true },
	{ "top summary", "MiB Mem : {total memory|MiB} total, {free memory|MiB} free, {used memory|MiB} used, {buff/cache|MiB} buff/cache", .is_member = true },
	{ "top summary", "GiB Mem : {total memory|GiB} total, {free memory|GiB} free, {used memory|GiB} used, {buff/cache|GiB} buff/cache", .is_member = true },
	{ "top summary", "KiB Swap: {total swap|KiB} total, {free swap|KiB} free, {used swap|KiB} used. {available memory|KiB} avail Mem", .is_member = true },
	{ "top summary", "MiB Swap: {total swap|MiB} total, {free swap|MiB} free, {used swap|MiB} used. {available memory|MiB} avail Mem", .is_member = true },
	{ "top summary", "GiB Swap: {total swap|GiB} total, {free swap|GiB} free, {used swap|GiB} used. {available memory|GiB} avail Mem", .is_member = true },
	{ "top summary", "KiB Mem: {total memory|KiB} total, {used memory|KiB} used, {free memory|KiB} free, {buffers|KiB} buffers", .is_member = true },
	{ "top summary", "KiB Swap: {total swap|KiB} total, {used swap|KiB} used, {free swap|KiB} free. {page cache|KiB} cached Mem", .is_member = true },
	{ "top summary", "Mem: {total memory|KiB}k total, {used memory|KiB}k used, {free memory|KiB}k free, {buffers|KiB}k buffers", .is_member = true },
	{ "top summary", "Swap: {total swap|KiB}k total, {used swap|KiB}k used, {free swap|KiB}k free, {page cache|KiB}k cached", .is_member = true },
	{ "top summary", "Tasks: {tasks} total, {running} running, {sleeping} sleeping, {stopped} stopped, {zombie} zombie" },
	{ "top summary", "Threads: {threads} total, {running} running, {sleeping} sleeping, {stopped} stopped, {zombie} zombie" },
	/* source: Linux, Documentation/filesystems/proc.rst, 1.7; fs/proc/stat.c */
	{ "/proc/stat", "cpu{=} {user ticks} {nice ticks} {system ticks} {idle ticks} {iowait ticks} {irq ticks} {softirq ticks} {steal ticks} "
	  "{guest ticks} {guest_nice ticks}" },
	{ "/proc/stat", "ctxt {ctxt}", .is_member = true },
	{ "/proc/stat", "processes {processes}", .is_member = true },
	{ "/proc/stat", "procs_running {procs_running}", .is_member = true },
	{ "/proc/stat", "procs_blocked {procs_blocked}", .is_member = true },
	{ "/proc/stat", "intr {intr} {*}", .is_member = true },
	{ "/proc/stat", "softirq {softirq} {*}", .is_member = true },
	/* source: numactl, numactl.c, hardware() */
	{ "numactl --hardware", "available: {-} nodes ({*}" },
	{ "numactl --hardware", "node {=} cpus: {*}", .is_member = true },
	/* the list of CPUs goes on in the next line, where a mailer broke it */
	{ "numactl --hardware", "{-} {-} {-} {-} {*}", .is_member = true },
	{ "numactl --hardware", "node {=} size: {size|MB} MB{*}", .is_member = true },
	{ "numactl --hardware", "node {=} free: {free|MB} MB{*}", .is_member = true },
	/* source: Linux, Documentation/scheduler/sched-stats.rst, versions 15 to 17 */
	{ "/proc/schedstat", "cpu{=} {sched_yield} {-} {schedule} {went idle} {wakeups} {local wakeups} {run time|ns} {wait time|ns} {time slices}" },
	/*
	 * source: Linux, tools/perf/builtin-sched.c, show_schedstat_data(); tools/lib/perf/include/perf/schedstat-v17.h.
	 * The times are those of /proc/schedstat, ns, although their names say jiffies
	 */
	{ "perf sched stats", "Time elapsed (in jiffies) : {elapsed|jiffies}", .is_named = true },
	{ "perf sched stats", "CPU <ALL CPUS SUMMARY>{=+all CPUs}", .is_title = true },
	{ "perf sched stats", "CPU <ALL CPUS SUMMARY>, DOMAIN {=}{=+of all CPUs}", .is_title = true },
	{ "perf sched stats", "CPU <ALL CPUS SUMMARY>, DOMAIN {=} CPUS {*}{=+of all CPUs}", .is_title = true },
	{ "perf sched stats", "{=CPU} {=}", .is_title = true },
	{ "perf sched stats", "{=CPU} {=} DOMAIN {=} CPUS {*}", .is_title = true },
	{ "perf sched stats", "{=CPU} {=}, DOMAIN {=} CPUS {*}", .is_title = true },
	{ "perf sched stats", "DESC {*}", .is_member = true, .is_named = true },
	{ "perf sched stats", "----{*}", .is_member = true, .is_named = true },
	{ "perf sched stats", "sched_yield() count : {sched_yield}", .is_named = true },
	{ "perf sched stats", "Legacy counter can be ignored : {-}", .is_member = true, .is_named = true },
	{ "perf sched stats", "schedule() called : {schedule}", .is_named = true },
	{ "perf sched stats", "schedule() left the processor idle : {went idle} ( {-}% )", .is_named = true },
	{ "perf sched stats", "try_to_wake_up() was called : {wakeups}", .is_named = true },
	{ "perf sched stats", "try_to_wake_up() was called to wake up the local cpu : {local wakeups} ( {-}% )", .is_named = true },
	{ "perf sched stats", "total runtime by tasks on this processor (in jiffies) : {run time|ns}", .is_named = true },
	{ "perf sched stats", "total waittime by tasks on this processor (in jiffies) : {wait time|ns} ( {-}% )", .is_named = true },
	{ "perf sched stats", "total timeslices run on this cpu : {time slices}", .is_named = true },
	{ "perf sched stats", "load_balance() count on cpu {=} : {load_balance} $ {-} $", .is_named = true },
	{ "perf sched stats", "load_balance() count on cpu {=newly} idle : {load_balance} $ {-} $", .is_named = true },
	{ "perf sched stats", "load_balance() found balanced on cpu {=} : {balanced} $ {-} $", .is_named = true },
	{ "perf sched stats", "load_balance() found balanced on cpu {=newly} idle : {balanced} $ {-} $", .is_named = true },
	{ "perf sched stats", "load_balance() move task failed on cpu {=} : {move failed} $ {-} $", .is_named = true },
	{ "perf sched stats", "load_balance() move task failed on cpu {=newly} idle : {move failed} $ {-} $", .is_named = true },
	{ "perf sched stats", "imbalance sum on cpu {=} : {imbalance}", .is_named = true },
	{ "perf sched stats", "imbalance sum on cpu {=newly} idle : {imbalance}", .is_named = true },
	{ "perf sched stats", "pull_task() count on cpu {=} : {pulled tasks}", .is_named = true },
	{ "perf sched stats", "pull_task() count on cpu {=newly} idle : {pulled tasks}", .is_named = true },
	{ "perf sched stats", "pull_task() when target task was cache-hot on cpu {=} : {pulled cache-hot tasks}", .is_named = true },
	{ "perf sched stats", "pull_task() when target task was cache-hot on cpu {=newly} idle : {pulled cache-hot tasks}", .is_named = true },
	{ "perf sched stats", "load_balance() failed to find busier queue on cpu {=} : {no busier queue} $ {-} $", .is_named = true },
	{ "perf sched stats", "load_balance() failed to find busier queue on cpu {=newly} idle : {no busier queue} $ {-} $", .is_named = true },
	{ "perf sched stats", "load_balance() failed to find busier group on cpu {=} : {no busier group} $ {-} $", .is_named = true },
	{ "perf sched stats", "load_balance() failed to find busier group on cpu {=newly} idle : {no busier group} $ {-} $", .is_named = true },
	{ "perf sched stats", "*load_balance() success count on cpu {=} : {successful load_balance}", .is_named = true },
	{ "perf sched stats", "*load_balance() success count on cpu {=newly} idle : {successful load_balance}", .is_named = true },
	{ "perf sched stats", "*avg task pulled per successful lb attempt (cpu {=}) : {tasks a success}", .is_named = true },
	{ "perf sched stats", "*avg task pulled per successful lb attempt (cpu {=newly} idle) : {tasks a success}", .is_named = true },
	{ "perf sched stats", "active_load_balance() count : {active_load_balance}", .is_named = true },
	{ "perf sched stats", "active_load_balance() move task failed : {active move failed}", .is_named = true },
	{ "perf sched stats", "active_load_balance() successfully moved a task : {active moved}", .is_named = true },
	{ "perf sched stats", "try_to_wake_up() awoke a task that last ran on a diff cpu : {woken on another CPU}", .is_named = true },
	{ "perf sched stats", "try_to_wake_up() moved task because cache-cold on own cpu : {moved cache-cold}", .is_named = true },
	{ "perf sched stats", "try_to_wake_up() started passive balancing : {passive balancing}", .is_named = true },
	/* source: bpftrace, src/output.cpp, maps of count() and sum() without a stack in their key */
	{ "bpftrace", "@[{=}]: {value}" },
	{ "bpftrace", "@{=}[{=}]: {value}" },
	{ "bpftrace", "@{=}: {value}", .is_member = true },
	/* source: bpftrace, src/output.cpp, maps of stats(): a whole number is printed as the average */
	{ "bpftrace", "@[{=}]: count {count}, average {average}, total {total}" },
	{ "bpftrace", "@{=}[{=}]: count {count}, average {average}, total {total}" },
	{ "bpftrace", "@{=}: count {count}, average {average}, total {total}" },
	/* source: PostgreSQL, src/bin/pgbench/pgbench.c, printProgressReport(), with and without failures */
	{ "pgbench -P", "progress: {-} s, {transactions|/s} tps, lat {latency|ms} ms stddev {stddev|ms}{*}", true },
	/* older versions print this for an interval without a finished transaction */
	{ "pgbench -P", "progress: {-} s, {transactions|/s} tps, lat {*}NaN ms stddev {*}", true, .is_variant = true },
	/*
	 * Redis 6.2 and later print p50; earlier versions do not. A line without p50 may also be
	 * prose. So such a line begins a group only if it names a test, such as PING_INLINE.
	 * Source: Redis, src/redis-benchmark.c, showLatencyReport(), option -q
	 */
	{ "redis-benchmark -q", "{=}: {requests|/s} requests per second, p50={p50|ms} msec" },
	{ "redis-benchmark -q", "{=} (first {-} elements): {requests|/s} requests per second, p50={p50|ms} msec" },
	{ "redis-benchmark -q", "{=} ({-} keys): {requests|/s} requests per second, p50={p50|ms} msec" },
	{ "redis-benchmark -q", "{=PING_INLINE}: {requests|/s} requests per second" },
	{ "redis-benchmark -q", "{=}: {requests|/s} requests per second", .is_member = true },
	{ "redis-benchmark -q", "{=} (first {-} elements): {requests|/s} requests per second", .is_member = true },
	{ "redis-benchmark -q", "{=} ({-} keys): {requests|/s} requests per second", .is_member = true },
	/* source: Linux, net/core/net-procfs.c, dev_seq_show() */
	{ "/proc/net/dev", "face |bytes packets errs drop fifo frame compressed multicast|bytes packets {*}" },
	{ "/proc/net/dev", "{=}: {rx bytes} {rx packets} {rx errors} {rx dropped} {rx fifo} {rx frame} {-} {-} {tx bytes} {tx packets} "
	  "{tx errors} {tx dropped} {tx fifo} {collisions} {carrier} {-}", .is_member = true },
	/* old and new layout; source: iproute2, ip/ipaddress.c, __print_link_stats() */
	{ "ip -s link", "{-}: {=}: <{*}", .is_title = true },
	{ "ip -s link", "{=RX}: bytes packets errors dropped {*}", .is_title = true, .is_subtitle = true },
	{ "ip -s link", "{=TX}: bytes packets errors dropped {*}", .is_title = true, .is_subtitle = true },
	{ "ip -s link", "{rx bytes} {rx packets} {rx errors} {rx dropped} {rx missed} {-}", .is_member = true, .below = "RX" },
	{ "ip -s link", "{tx bytes} {tx packets} {tx errors} {tx dropped} {carrier} {collisions}", .is_member = true, .below = "TX" },
	{ "ip -s link", "link/{*}" },
	/*
	 * current layout, and that before 2.0; source: net-tools, lib/interface.c, ife_print_long()
	 */
	{ "ifconfig", "{=}: flags={*}", .is_title = true },
	{ "ifconfig", "{=} Link encap:{*}", .is_title = true },
	{ "ifconfig", "RX packets {rx packets} bytes {rx bytes}{*}" },
	{ "ifconfig", "RX errors {rx errors} dropped {rx dropped} overruns {rx fifo} frame {rx frame}" },
	{ "ifconfig", "TX packets {tx packets} bytes {tx bytes}{*}" },
	{ "ifconfig", "TX errors {tx errors} dropped {tx dropped} overruns {tx fifo} carrier {carrier} collisions {collisions}" },
	{ "ifconfig", "RX packets:{rx packets} errors:{rx errors} dropped:{rx dropped} overruns:{rx fifo} frame:{rx frame}" },
	{ "ifconfig", "TX packets:{tx packets} errors:{tx errors} dropped:{tx dropped} overruns:{tx fifo} carrier:{carrier}" },
	{ "ifconfig", "inet{*}", .is_member = true },
	{ "ifconfig", "ether {*}", .is_member = true },
	{ "ifconfig", "loop {*}", .is_member = true },
	{ "ifconfig", "device {*}", .is_member = true },
	{ "ifconfig", "UP {*}", .is_member = true },
	{ "ifconfig", "collisions:{*}", .is_member = true },
	{ "ifconfig", "RX bytes:{*}", .is_member = true },
	{ "ifconfig", "Interrupt:{*}", .is_member = true },
	/* source: iproute2, tc/tc_qdisc.c, print_qdisc(); tc/tc_util.c, print_tcstats2_attr() */
	{ "tc -s qdisc", "qdisc {=} {*}dev {=} {*}", .is_title = true },
	{ "tc -s qdisc", "Sent {bytes} bytes {packets} pkt (dropped {dropped}, overlimits {overlimits} requeues {requeues})" },
	{ "tc -s qdisc", "backlog {*} {backlog|packets}p requeues {-}", .is_member = true },
	{ "tc -s qdisc", "maxpacket {*}", .is_member = true },
	{ "tc -s qdisc", "new_flows_len {*}", .is_member = true },
	/*
	 * old and new layout; source: nfs-utils, tools/nfs-iostat/nfs-iostat.py,
	 * __print_rpc_op_stats()
	 */
	{ "nfsiostat", "{*}:{*} mounted on {=}:", .is_title = true },
	{ "nfsiostat", "op/s rpc bklog" },
	{ "nfsiostat", "ops/s rpc bklog" },
	{ "nfsiostat", "{=read}: ops/s {*}", .is_title = true, .is_subtitle = true },
	{ "nfsiostat", "{=write}: ops/s {*}", .is_title = true, .is_subtitle = true },
	{ "nfsiostat", "{ops|/s} {rate|kB/s} {size|kB} {retrans} ({*}) {round trip|ms} {whole|ms}", .is_member = true },
	{ "nfsiostat", "{ops|/s} {rate|kB/s} {size|kB} {retrans} ({*}) {round trip|ms} {whole|ms} {queue|ms} {*}", .is_member = true },
	{ "nfsiostat", "{-} {rpc backlog}", .is_member = true },
	/*
	 * source: PostgreSQL, src/backend/access/heap/vacuumlazy.c, heap_vacuum_rel() and
	 * lazy_scan_heap(), versions 9.6 to 18
	 */
	{ "VACUUM", "INFO: vacuuming \"{=}\"", .is_title = true },
	{ "VACUUM", "INFO: aggressively vacuuming \"{=}\"", .is_title = true },
	{ "VACUUM", "INFO: finished vacuuming \"{=}\": index scans: {index scans}", true, .is_heading = true },
	{ "VACUUM", "{*}LOG: automatic {*}vacuum {*}of table \"{=}\": index scans: {index scans}", true, .is_heading = true,
	  .is_logged = true },
	{ "VACUUM", "INFO: \"{=}\": found {removed|rows} removable, {remaining|rows} nonremovable row versions in {-} out of {pages} pages", true,
	  .is_heading = true },
	/* VACUUM FULL; source: PostgreSQL, src/backend/commands/cluster.c, copy_table_data() */
	{ "VACUUM", "INFO: \"{=}\": found {removed|rows} removable, {remaining|rows} nonremovable row versions in {pages} pages", true,
	  .is_heading = true },
	{ "VACUUM", "INFO: table \"{=}\": found {removed|rows} removable, {remaining|rows} nonremovable row versions in {-} out of {pages} pages",
	  true, .is_heading = true },
	{ "VACUUM", "DETAIL: {dead but kept|rows} dead row versions cannot be removed yet, oldest xmin: {cutoff}", .is_member = true },
	{ "VACUUM", "DETAIL: {dead but kept|rows} dead row versions cannot be removed yet.", .is_member = true },
	{ "VACUUM", "{*}tuples: {removed|rows} removed, {remaining|rows} remain, {dead but kept|rows} are dead but not yet removable",
	  .is_member = true },
	{ "VACUUM", "{*}tuples: {removed|rows} removed, {remaining|rows} remain, {dead but kept|rows} are dead but not yet removable, "
	  "oldest xmin: {cutoff}", .is_member = true },
	{ "VACUUM", "{*}removable cutoff: {cutoff}, which was {cutoff age|XIDs} XIDs old when operation ended", .is_member = true },
	{ "VACUUM", "{*}pages: {pages removed} removed, {pages} remain, {*}", .is_member = true },
	{ "VACUUM", "{*}buffer usage: {*}", .is_member = true },
	{ "VACUUM", "{*}system usage: CPU: user: {user|s} s, system: {system|s} s, elapsed: {elapsed|s} s", .is_member = true },
	{ "VACUUM", "{*}index scan {*}needed: {*}", .is_member = true },
	{ "VACUUM", "{*}index scan bypassed: {*}", .is_member = true },
	{ "VACUUM", "{*}avg read rate: {*}", .is_member = true },
	{ "VACUUM", "{*}WAL usage: {*}", .is_member = true },
	{ "VACUUM", "{*}I/O timings: {*}", .is_member = true },
	{ "VACUUM", "{*}delay time: {*}", .is_member = true },
	{ "VACUUM", "{*}new relfrozenxid: {*}", .is_member = true },
	{ "VACUUM", "{*}new relminmxid: {*}", .is_member = true },
	{ "VACUUM", "{*}frozen: {*}", .is_member = true },
	{ "VACUUM", "{*}visibility map: {*}", .is_member = true },
	{ "VACUUM", "{*}index \"{*}", .is_member = true },
	{ "VACUUM", "There were {-} unused item {*}", .is_member = true },
	{ "VACUUM", "Skipped {-} page{*}", .is_member = true },
	{ "VACUUM", "{-} page{*} entirely empty.", .is_member = true },
	{ "VACUUM", "CPU: user: {*}", .is_member = true },
	{ "VACUUM", "INFO: scanned index {*}", .is_member = true },
	{ "VACUUM", "DETAIL: {*}", .is_member = true },
	/* source: PostgreSQL, src/backend/catalog/system_views.sql; psql, src/fe_utils/print.c */
	{ "pg_prepared_xacts", "transaction | gid | prepared | owner | database" },
	{ "pg_prepared_xacts", "gid | prepared | owner | database | transaction" },
	{ "pg_prepared_xacts", "gid | prepared | owner | transaction" },
	{ "pg_prepared_xacts", "gid | transaction | prepared{*}" },
	{ "pg_prepared_xacts", "gid | transaction{*}" },
	{ "pg_prepared_xacts", "transaction | gid{*}" },
	{ "pg_prepared_xacts", "{transaction} | {=}", .is_member = true, .is_named = true },
	{ "pg_prepared_xacts", "{transaction} | {=} | {*}", .is_member = true, .is_named = true },
	{ "pg_prepared_xacts", "{=} | {transaction}", .is_member = true, .is_named = true },
	{ "pg_prepared_xacts", "{=} | {transaction} | {*}", .is_member = true, .is_named = true },
	{ "pg_prepared_xacts", "{=} | {*} | {*} | {*} | {transaction}", .is_member = true, .is_named = true },
	{ "pg_prepared_xacts", "{=} | {*} | {*} | {transaction}", .is_member = true, .is_named = true },
	/* sources: gperftools, src/tcmalloc.cc, DumpStats(); google/tcmalloc, tcmalloc/global_stats.cc, DumpStats() */
	{ "TCMalloc statistics", "MALLOC: {in use|bytes} ({*}iB) Bytes in use by application" },
	{ "TCMalloc statistics", "MALLOC: + {free in per-CPU caches|bytes} ({*}iB) Bytes in per-CPU cache freelist", .is_member = true },
	{ "TCMalloc statistics", "MALLOC: + {free in sharded cache|bytes} ({*}iB) Bytes in Sharded cache freelist", .is_member = true },
	{ "TCMalloc statistics", "MALLOC: + {free in transfer cache|bytes} ({*}iB) Bytes in transfer cache freelist", .is_member = true },
	{ "TCMalloc statistics", "MALLOC: + {free in thread caches|bytes} ({*}iB) Bytes in thread cache freelists", .is_member = true },
	{ "TCMalloc statistics", "MALLOC: + {free in page heap|bytes} ({*}iB) Bytes in page heap freelist", .is_member = true },
	{ "TCMalloc statistics", "MALLOC: + {free in central cache|bytes} ({*}iB) Bytes in central cache freelist", .is_member = true },
	{ "TCMalloc statistics", "MALLOC: + {metadata|bytes} ({*}iB) Bytes in malloc metadata", .is_member = true },
	{ "TCMalloc statistics", "MALLOC: = {memory of the heap|bytes} ({*}iB) Actual memory used{*}", .is_member = true },
	{ "TCMalloc statistics", "MALLOC: + {given back|bytes} ({*}iB) Bytes released to OS{*}", .is_member = true },
	{ "TCMalloc statistics", "MALLOC: {spans} Spans in use", .is_member = true },
	{ "TCMalloc statistics", "MALLOC:{*}", .is_member = true },
	/* source: jemalloc, src/stats.c, stats_print_helper(), versions 3 to 5 */
	{ "jemalloc statistics", "Allocated: {allocated|bytes}, active: {active|bytes}, {*}resident: {resident|bytes}, {*}" },
	{ "jemalloc statistics", "Allocated: {allocated|bytes}, active: {active|bytes}, mapped: {mapped|bytes}" },
	/* source: glibc, malloc/malloc.c, __malloc_stats() */
	{ "malloc_stats", "{=Arena} {=}:", .is_title = true },
	{ "malloc_stats", "{=Total} (incl. mmap):", .is_title = true },
	{ "malloc_stats", "system bytes = {system bytes|bytes}" },
	{ "malloc_stats", "in use bytes = {in use bytes|bytes}", .is_member = true },
	{ "malloc_stats", "max mmap {*} = {-}", .is_member = true },
	/*
	 * source: RocksDB, db/internal_stats.cc, InternalStats::DumpDBStats() and
	 * DumpCFStatsNoFileHistogram(); versions 3 to 9. Sums since the start, except "Interval" and "Int"
	 */
	{ "RocksDB statistics", "{*}** Compaction Stats [{=}] **", .is_title = true },
	{ "RocksDB statistics", "{*}** DB Stats **", .is_title = true },
	{ "RocksDB statistics", "Level Files Size{*}Score{*}" },
	{ "RocksDB statistics", "Uptime(secs): {uptime|s} total, {interval|s} interval" },
	{ "RocksDB statistics", "Priority Files Size{*}", .is_member = true },
	{ "RocksDB statistics", "{=+level}L{=} {files}/{being compacted} {-} {*}B {score} {read|GB} {-} {-} {written|GB} {-} {-} {write amplification} {*}", .is_member = true },
	{ "RocksDB statistics", "{=+level}L{=} {files}/{being compacted} {-} {score} {read|GB} {-} {-} {written|GB} {*}", .is_member = true },
	{ "RocksDB statistics", "{=Sum} {files}/{being compacted} {-} {*}B {-} {read|GB} {-} {-} {written|GB} {-} {-} {write amplification} {*}", .is_member = true },
	{ "RocksDB statistics", "{=Int} {-}/{-} {-} {*}B {-} {read|GB} {-} {-} {written|GB} {-} {-} {write amplification} {*}", .is_member = true },
	{ "RocksDB statistics", "{=Sum} {files}/{being compacted} {-} {-} {read|GB} {-} {-} {written|GB} {*}", .is_member = true },
	{ "RocksDB statistics", "{=Int} {-}/{-} {-} {-} {read|GB} {-} {-} {written|GB} {*}", .is_member = true },
	{ "RocksDB statistics", "Stalls(secs): {level 0 slowdowns|s} level0_slowdown, {level 0 stops|s} level0_numfiles, {memtable stops|s} memtable_compaction, "
	  "{pending slowdowns|s} leveln_slowdown{*}", .is_member = true },
	{ "RocksDB statistics", "Stalls(count): {-} level0_slowdown, {-} level0_numfiles, {*}", .is_member = true },
	{ "RocksDB statistics", "Stalls(count): {level 0 slowdowns} level0_slowdown, {-} level0_slowdown_with_compaction, {level 0 stops} level0_numfiles, "
	  "{-} level0_numfiles_with_compaction, {pending stops} stop for pending_compaction_bytes, {pending slowdowns} slowdown for pending_compaction_bytes, "
	  "{memtable stops} memtable_compaction, {memtable slowdowns} memtable_slowdown, interval {stalls in the interval} total count", .is_member = true },
	{ "RocksDB statistics", "Write Stall (count): cf-l0-file-count-limit-delays-with-ongoing-compaction: {-}, cf-l0-file-count-limit-stops-with-ongoing-compaction: {-}, "
	  "l0-file-count-limit-delays: {level 0 slowdowns}, l0-file-count-limit-stops: {level 0 stops}, memtable-limit-delays: {memtable slowdowns}, "
	  "memtable-limit-stops: {memtable stops}, pending-compaction-bytes-delays: {pending slowdowns}, pending-compaction-bytes-stops: {pending stops}, {*}", .is_member = true },
	{ "RocksDB statistics", "Write Stall (count): {*}", .is_member = true },
	{ "RocksDB statistics", "Cumulative stall: {*} H:M:S, {stalled in all|%} percent", .is_member = true },
	{ "RocksDB statistics", "Interval stall: {*} H:M:S, {stalled|%} percent", .is_member = true },
	{ "RocksDB statistics", "Cumulative writes: {*}stall micros: {stalled in all|us}", .is_member = true },
	{ "RocksDB statistics", "Interval writes: {*}stall micros: {stalled|us}", .is_member = true },
	{ "RocksDB statistics", "Cumulative {*}", .is_member = true },
	{ "RocksDB statistics", "Interval {*}", .is_member = true },
	{ "RocksDB statistics", "Flush(GB): {*}", .is_member = true },
	{ "RocksDB statistics", "AddFile({*}", .is_member = true },
	{ "RocksDB statistics", "Blob file count: {*}", .is_member = true },
	{ "RocksDB statistics", "Block cache {*}", .is_member = true },
	{ "RocksDB statistics", "** File Read Latency Histogram{*}", .is_member = true },
	{ "RocksDB statistics", "Low {-}/{*}", .is_member = true },
	{ "RocksDB statistics", "High {-}/{*}", .is_member = true },
	{ "RocksDB statistics", "User {-}/{*}", .is_member = true },
	{ "RocksDB statistics", "--------{*}", .is_member = true },
	/* source: mtr, ui/report.c, report_close() */
	{ "mtr", "HOST: {*} Loss% Snt Last Avg Best Wrst StDev" },
	{ "mtr", "{=}.|-- {=} {loss|%}% {sent|packets} {last|ms} {average|ms} {best|ms} {worst|ms} {deviation|ms}", .is_member = true },
	{ "mtr", "{=}.|-- {=} {loss|%} {sent|packets} {last|ms} {average|ms} {best|ms} {worst|ms} {deviation|ms}", .is_member = true, .is_variant = true },
	/* source: xfsprogs, db/freesp.c, printhist() and dump_summary() */
	{ "xfs_db freesp", "from to extents blocks pct" },
	{ "xfs_db freesp", "from to extents blocks pct blkcdf extcdf" },
	{ "xfs_db freesp", "{=} {=} {extents} {blocks} {share|%}", .is_member = true },
	{ "xfs_db freesp", "{=} {=} {extents} {blocks} {share|%} {-} {-}", .is_member = true },
	{ "xfs_db freesp", "total free extents {free extents}" },
	{ "xfs_db freesp", "total free blocks {free blocks}", .is_member = true },
	{ "xfs_db freesp", "average free extent size {average free extent|blocks}", .is_member = true },
	/* source: e2fsprogs, misc/e2freefrag.c, dump_chunk_info() */
	{ "e2freefrag", "Min. free extent: {smallest free extent|KB} KB" },
	{ "e2freefrag", "Max. free extent: {largest free extent|KB} KB", .is_member = true },
	{ "e2freefrag", "Avg. free extent: {average free extent|KB} KB", .is_member = true },
	{ "e2freefrag", "Num. free extent: {free extents}", .is_member = true },
	/* source: Linux, mm/vmstat.c, frag_show_print() */
	{ "/proc/buddyinfo", "Node {=}, zone {=} {order 0} {order 1} {order 2} {order 3} {order 4} {order 5} {order 6} {order 7} {order 8} "
	  "{order 9} {order 10}" },
};
/* clang-format on */

struct lines_cell {
	struct str name, unit;
	struct counter_number value;
};

struct lines_line {
	const struct lines_dialect *dialect;
	struct lines_cell cells[LINES_CELLS];
	size_t n;
	char key[LINES_KEY];
	size_t key_len;
};

static bool lines_key(struct lines_line *l, struct str word)
{
	if (l->key_len + word.len + 1 > sizeof(l->key))
		return false;
	if (l->key_len && word.len)
		l->key[l->key_len++] = ' ';
	memcpy(l->key + l->key_len, word.p, word.len);
	l->key_len += word.len;
	return true;
}

/* The literal text at the start of @form, up to its first slot ('{') or blank. */
static struct str lines_literal(struct str form)
{
	return str_sub(form, 0, str_find_char(str_sub(form, 0, str_find_char(form, '{')), ' '));
}

static bool lines_cell(struct lines_line *l, struct str name, struct str unit,
		       const struct counter_number *value)
{
	if (l->n == LINES_CELLS)
		return false;
	l->cells[l->n++] = (struct lines_cell){ name, unit, *value };
	return true;
}

/* Parse a column of eight hexadecimal digits, "92b1f391". */
static bool lines_hex(struct str slot, struct str *s, struct lines_line *l)
{
	struct str word = str_sub(*s, 0, str_find_char(*s, ' '));
	struct str rest = word;
	struct counter_number n = { .decimals = 0 };
	uint64_t value;
	char key[16];
	int len;

	if (word.len != 8 || !str_hex64(&rest, &value) || rest.len)
		return false;
	*s = str_skip(*s, word.len);
	if (str_take(&slot, STR("="))) {
		len = snprintf(key, sizeof(key), STR_FMT "%u", STR_ARG(str_sub(slot, 0, 4)),
			       (unsigned int)value);
		return lines_key(l, (struct str){ key, (size_t)len });
	}
	n.value = (int64_t)value;
	return str_eq(slot, STR("-")) || lines_cell(l, slot, STR_NONE, &n);
}

/*
 * If the name in @word is in @names, add the number in @word. Examples of @word: "rtt:23.5/2.1",
 * "busy:120ms(3%)".
 */
static void lines_pair(struct str names, struct str word, struct lines_line *l)
{
	size_t colon = str_find_char(word, ':');
	struct str name = str_sub(word, 0, colon);
	struct str rest = str_skip(word, colon + 1);
	struct counter_number value;

	for (;;) {
		size_t bar = str_find_char(names, '|');
		struct str known = str_sub(names, 0, bar);
		bool is_second = str_ends(known, STR("/"));

		known.len -= is_second;
		if (str_eq(known, name)) {
			if (is_second)
				rest = str_skip(rest, str_find_char(rest, '/') + 1);
			if (rest.len && char_is_digit(rest.p[0]) && counter_number(&rest, &value) &&
			    !value.is_scaled)
				(void)lines_cell(l, known,
						 str_starts(rest, STR("ms")) ? STR("ms") : STR_NONE,
						 &value);
			return;
		}
		if (bar == names.len)
			return;
		names = str_skip(names, bar + 1);
	}
}

static bool lines_pairs(struct str names, struct str *s, struct lines_line *l)
{
	struct str word;

	while (str_word(s, &word))
		lines_pair(names, word, l);
	*s = STR_NONE;
	return l->n >= LINES_PAIRS;
}

/*
 * Match one slot of a form, such as {name|unit}, with the start of @s, and skip the matched text.
 * @slot: the text between '{' and '}'. @form: the rest of the form after the slot.
 */
static bool lines_slot(struct str slot, struct str form, struct str *s, struct lines_line *l)
{
	size_t bar = str_find_char(slot, '|');
	struct counter_number value;
	struct str word, rest;

	if (str_eq(slot, STR("*"))) {
		struct str next = lines_literal(str_ltrim(form));

		*s = str_skip(*s, next.len ? str_find(*s, next) : s->len);
		return true;
	}
	if (str_take(&slot, STR("x:")))
		return lines_hex(slot, s, l);
	if (str_take(&slot, STR(":")))
		return lines_pairs(slot, s, l);
	if (str_take(&slot, STR("?"))) {
		bar = str_find_char(slot, '|');
		value = (struct counter_number){ .value = str_contains(*s,
								       str_skip(slot, bar + 1)) };
		return lines_cell(l, str_sub(slot, 0, bar), STR_NONE, &value);
	}
	if (str_take(&slot, STR("="))) {
		struct str next = lines_literal(form);
		size_t end = str_find_char(*s, ' ');

		if (str_take(&slot, STR("+")))
			return lines_key(l, slot);
		if (slot.len)
			return str_take(s, slot) && lines_key(l, slot);
		/* a key may contain blanks if ']' follows the slot */
		end = next.len && (str_find(*s, next) < end || next.p[0] == ']')
			      ? str_find(*s, next)
			      : end;
		if (!lines_key(l, str_sub(*s, 0, end)))
			return false;
		*s = str_skip(*s, end);
		return true;
	}
	/* a number ends at a blank, because these tools do not group digits with blanks */
	word = str_sub(*s, 0, str_find_char(*s, ' '));
	/* slabtop prints "12.5K", where K is the unit KiB, and no factor of 1000 */
	if (str_ends(slot, STR("|KiB")))
		word = str_sub(word, 0, str_find_char(word, 'K'));
	rest = word;
	if (!char_is_digit(word.len > 1 && word.p[0] == '-' ? word.p[1]
			   : word.len                       ? word.p[0]
							    : ' ') ||
	    !counter_number(&rest, &value) || value.is_scaled)
		return false;
	*s = str_skip(*s, word.len - rest.len);
	if (str_eq(slot, STR("-")))
		return true;
	return lines_cell(l, str_sub(slot, 0, bar), str_skip(slot, bar + 1), &value);
}

/* Fast check before a match: can @line, which is not empty, match the start of d->form? */
static bool lines_may_match(const struct lines_dialect *d, struct str line)
{
	const char *form = d->form;

	if (form[0] != '{')
		return form[0] == line.p[0] || form[0] == ' ';
	if (form[1] == '=' && form[2] != '}' && form[2] != '+')
		return form[2] == line.p[0]; /* {=text}: the line must begin with `text` */
	if (form[1] == '*' || form[1] == '=' || form[1] == ':' ||
	    (form[1] == 'x' && form[2] == ':'))
		return true;
	return char_is_digit(line.p[0]) || line.p[0] == '-';
}

static bool lines_match(const struct lines_dialect *d, struct str s, struct lines_line *ret)
{
	struct str form = str_of(d->form);

	ret->dialect = d;
	ret->n = ret->key_len = 0;
	while (form.len) {
		if (form.p[0] == '{') {
			size_t end = str_find_char(form, '}');
			struct str slot = str_sub(form, 1, end);

			form = str_skip(form, end + 1);
			if (!lines_slot(slot, form, &s, ret))
				return false;
			continue;
		}
		if (form.p[0] == ' ') {
			s = str_ltrim(s);
		} else {
			if (s.len == 0 || s.p[0] != form.p[0])
				return false;
			s = str_skip(s, 1);
		}
		form = str_skip(form, 1);
	}
	return s.len == 0;
}

/* A group: consecutive lines of one tool. */
struct lines_group {
	/* form of the group's first line; NULL: no line yet */
	const struct lines_dialect *dialect;
	/* keys of the current title and subtitle; they are prepended to the keys of the lines */
	char title[2 * LINES_KEY];
	size_t title_len;
	/* length of the first title's key in `title`; the key of the subtitle follows */
	size_t main_len;
	/*
	 * Hash of title, key and form of the group's first line. A line with the same hash repeats
	 * the first line.
	 */
	uint32_t first;
	size_t n; /* number of lines with numbers */
};

/*
 * Find the form of @line. If the group @g already has lines, only forms of its tool are tried;
 * otherwise only forms that can begin a group. @is_title: try titles; false: try lines with
 * numbers.
 */
static bool lines_parse(const struct lines_group *g, struct str line, bool is_title,
			struct lines_line *ret)
{
	const struct lines_dialect *of = g->dialect;

	line = str_trim(line);
	if (line.len < (is_title ? LINES_TITLE : LINES_SHORT) || line.len > LINES_BYTES)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(lines_dialects); i++) {
		const struct lines_dialect *d = &lines_dialects[i];

		if (d->is_title == is_title && lines_may_match(d, line) &&
		    (of ? str_eq(str_of(of->tool), str_of(d->tool)) : !d->is_member) &&
		    (!d->below ||
		     str_ends((struct str){ g->title, g->title_len }, str_of(d->below))) &&
		    lines_match(d, line, ret))
			return true;
	}
	return false;
}

static void lines_title(struct lines_group *g, const struct lines_line *l)
{
	if (!l->dialect->is_subtitle)
		g->main_len = 0;
	g->title_len = g->main_len;
	if (g->title_len)
		g->title[g->title_len++] = ' ';
	memcpy(g->title + g->title_len, l->key, l->key_len);
	g->title_len += l->key_len;
	if (!l->dialect->is_subtitle)
		g->main_len = g->title_len;
}

/* If @l is a heading, its key becomes the title of @g. */
static void lines_heading(struct lines_group *g, struct lines_line *l)
{
	if (!l->dialect->is_heading)
		return;
	lines_title(g, l);
	l->key_len = 0;
}

/*
 * If the form of @l has one line for each CPU, and no CPU number in the line, set the key of @l to
 * the number of the CPU.
 */
static void lines_number(const struct lines_group *g, struct lines_line *l)
{
	int len;

	if (!l->dialect->is_numbered)
		return;
	len = snprintf(l->key, sizeof(l->key), "CPU%zu", g->n);
	l->key_len = len > 0 ? (size_t)len : 0;
}

/* Count @l as a line of @g. True: @l repeats the first line (same title, key and form). */
static bool lines_again(struct lines_group *g, const struct lines_line *l)
{
	const struct lines_dialect *form = l->dialect;
	uint32_t hash;

	if (l->n == 0)
		return false;
	while (form->is_variant)
		form--;
	hash = str_hash32((struct str){ l->key, l->key_len }) * 31 +
	       str_hash32((struct str){ g->title, g->title_len }) * 7 +
	       (uint32_t)(form - lines_dialects);
	if (g->n++ == 0) {
		g->first = hash;
		return false;
	}
	return hash == g->first;
}

/*
 * Find a title of the tool of @g before offset @at of @text. Only lines of the tool and blank lines
 * may be in between. Returns the offset of the title, or @at if there is none.
 */
static size_t lines_title_above(struct lines_group *g, struct str text, size_t from, size_t at)
{
	struct lines_line l;
	size_t start = at;

	for (unsigned int n = 0; n < LINES_ABOVE && start > from; n++) {
		size_t end = start - 1;
		size_t before = str_rfind_char(str_sub(text, from, end), '\n');
		struct str line;

		start = before < end - from ? from + before + 1 : from;
		line = str_sub(text, start, end);
		if (lines_parse(g, line, true, &l)) {
			lines_title(g, &l);
			return start;
		}
		if (str_trim(line).len && !lines_parse(g, line, false, &l))
			break;
	}
	return at;
}

/*
 * Can a group begin with the line @l? For most forms it can. If lines of the form may also be
 * ordinary messages of a log, the next line, at the start of @rest, must be a further line of the
 * same tool.
 */
static bool lines_begins(const struct lines_line *l, struct str rest)
{
	const struct lines_group g = { .dialect = l->dialect };
	struct lines_line next;
	struct str line;

	return !l->dialect->is_logged ||
	       (str_line(&rest, &line) && lines_parse(&g, line, false, &next) &&
		next.dialect->is_member);
}

static bool counter_lines_find(struct str text, size_t from, struct extent *ret)
{
	struct str rest = str_skip(text, from);
	struct lines_group g = { .dialect = NULL };
	struct lines_line l;
	struct str line;
	unsigned int others = 0;

	for (size_t at = from; str_line(&rest, &line); at = text.len - rest.len) {
		bool is_row = lines_parse(&g, line, false, &l);

		if (g.dialect && g.dialect->is_numbered && !is_row)
			break;
		if (g.dialect && !is_row) {
			if (lines_parse(&g, line, true, &l))
				lines_title(&g, &l);
			else if (++others > LINES_GAP && g.n)
				break;
			if (others <= LINES_GAP)
				continue;
			g = (struct lines_group){ .dialect = NULL };
			others = 0;
		}
		if (!is_row || (!g.dialect && !lines_begins(&l, rest)))
			continue;
		if (!g.dialect) {
			g.dialect = l.dialect;
			*ret = (struct extent){ .from = lines_title_above(&g, text, from, at),
						.score = l.dialect->is_logged ? LINES_LOGGED
									      : LINES_SCORE };
		}
		lines_heading(&g, &l);
		lines_number(&g, &l);
		if (lines_again(&g, &l) && !l.dialect->is_series)
			break;
		others = 0;
		ret->to = text.len - rest.len;
	}
	return g.n > 0;
}

static unsigned int counter_lines_probe(struct str head)
{
	struct extent e;

	/*
	 * The score is low: if the table of tasks follows the summary of top, the reader of this
	 * table is preferred.
	 */
	return counter_lines_find(head, 0, &e) ? 60 : 0;
}

static void lines_add(struct capture *c, const struct lines_group *g, const struct lines_line *l,
		      uint32_t interval, uint32_t line)
{
	struct strings *strings = capture_strings(c);
	char key[3 * LINES_KEY + 2];
	int n = snprintf(key, sizeof(key), "%.*s%s%.*s", (int)g->title_len, g->title,
			 g->title_len && l->key_len ? " " : "", (int)l->key_len, l->key);
	str_id key_id = n > 0 ? strings_add(strings, (struct str){ key, (size_t)n }) : STR_ID_NONE;

	for (size_t i = 0; i < l->n; i++) {
		const struct lines_cell *cell = &l->cells[i];

		if (counters_add(capture_counters(c), strings,
				 (struct counter){
					 .name = strings_add(strings, cell->name),
					 .unit = cell->unit.len ? strings_add(strings, cell->unit)
								: STR_ID_NONE,
					 .key = key_id,
					 .value = cell->value.value,
					 .decimals = cell->value.decimals,
					 .spread = -1,
					 .running = -1,
					 .interval = interval,
					 .line = line }) < 0)
			diag_count(&c->diag, &lines_past, line);
	}
}

static int counter_lines_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct capture *c = format_add_capture(&format_counter_lines, in, d);
	struct lines_group g = { .dialect = NULL };
	struct str text = in->text;
	struct lines_line l;
	struct str line;
	uint32_t interval = 0;

	for (uint32_t n = 0; str_line(&text, &line); n++) {
		if (lines_parse(&g, line, false, &l)) {
			lines_heading(&g, &l);
			lines_number(&g, &l);
			interval += lines_again(&g, &l);
			g.dialect = l.dialect;
			lines_add(c, &g, &l, interval, region_line(in, n));
		} else if (lines_parse(&g, line, true, &l)) {
			lines_title(&g, &l);
		} else {
			unread_rows_count(c, &lines_others, line, region_line(in, n));
		}
	}
	if (!c->counters)
		return fail(err, ERR_FORMAT, "no line of counters");
	c->counters->n_intervals = interval + 1;
	c->counters->tool = strings_add(capture_strings(c), str_of(g.dialect->tool));
	if (!g.dialect->is_named)
		c->counters->label = strings_add(capture_strings(c), counter_label(in));
	return OK;
}

const struct format format_counter_lines = {
	.name = "counter-lines",
	.title = "counters",
	.summary = "lines with several numbers: /proc/stat, pressure, softnet_stat, ss -i, top, "
		   "gctrace",
	.kinds = KIND_COUNTERS,
	.probe = counter_lines_probe,
	.find = counter_lines_find,
	.read = counter_lines_read,
};
