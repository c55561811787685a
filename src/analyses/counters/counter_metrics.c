/* SPDX-License-Identifier: MIT */
#include "analyses/counters/counter_metrics.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "base/stats.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"

#include <math.h>

/* how far, in rows, to search before and after a row for other columns of the same input line */
#define METRIC_COLUMNS 20u
/*
 * a key (CPU, device or process) whose mean is at least this fraction of the highest mean is
 * counted in n_near
 */
#define METRIC_NEAR 0.9
/*
 * limits in percent for a share of a whole. A value outside them comes from a damaged row. A value
 * inside them, but below 0 or above 100, is a rounding error of the tool
 */
#define METRIC_LEAST -10.0
#define METRIC_MOST  110.0

/* clang-format off */
/* Ratios that perf computes (Linux tools/perf/util/stat-shadow.c), then columns of other tools. */
static const struct counter_metric_def metric_defs[] = {
	{ .id = "ipc", .title = "instructions per cycle", .unit = "", .top = COUNTS_INSTRUCTIONS, .bottom = COUNTS_CYCLES, .printed = "insn per cycle*|insns per cycle*", .scale = 1 },
	{ .id = "cpi", .title = "cycles per instruction", .unit = "", .top = COUNTS_CYCLES, .bottom = COUNTS_INSTRUCTIONS, .scale = 1 },
	{ .id = "cpus-utilised", .title = "CPUs utilised", .unit = "CPUs", .top = COUNTS_TASK_CLOCK, .bottom = COUNTS_ELAPSED, .printed = "CPUs utili*", .scale = 1 },
	{ .id = "frequency", .title = "clock frequency", .unit = "GHz", .top = COUNTS_CYCLES, .bottom = COUNTS_TASK_CLOCK, .scale = 1e-9 },
	{ .id = "user-share", .title = "of CPU time in user mode", .unit = "%", .top = COUNTS_USER, .bottom = COUNTS_TASK_CLOCK, .scale = 100, .is_part = true },
	{ .id = "system-share", .title = "of CPU time in the kernel", .unit = "%", .top = COUNTS_SYSTEM, .bottom = COUNTS_TASK_CLOCK, .scale = 100, .is_part = true },
	{ .id = "switches-per-second", .title = "context switches per second of CPU time", .unit = "/s", .top = COUNTS_SWITCHES, .bottom = COUNTS_TASK_CLOCK, .scale = 1 },
	{ .id = "elapsed-switches", .title = "context switches per second elapsed", .unit = "/s", .top = COUNTS_SWITCHES, .bottom = COUNTS_ELAPSED, .scale = 1 },
	{ .id = "migrations-per-second", .title = "migrations per second of CPU time", .unit = "/s", .top = COUNTS_MIGRATIONS, .bottom = COUNTS_TASK_CLOCK, .scale = 1 },
	{ .id = "faults-per-second", .title = "page faults per second of CPU time", .unit = "/s", .top = COUNTS_FAULTS, .bottom = COUNTS_TASK_CLOCK, .scale = 1 },
	{ .id = "major-faults-per-second", .title = "major faults per second elapsed", .unit = "/s", .top = COUNTS_MAJOR_FAULTS, .bottom = COUNTS_ELAPSED, .scale = 1 },
	{ .id = "branch-miss-share", .title = "of branches mispredicted", .unit = "%", .top = COUNTS_BRANCH_MISSES, .bottom = COUNTS_BRANCHES, .printed = "of all branches*", .scale = 100 },
	{ .id = "branch-misses", .title = "branch misses per 1000 instructions", .unit = "", .top = COUNTS_BRANCH_MISSES, .bottom = COUNTS_INSTRUCTIONS, .scale = 1000 },
	{ .id = "branch-miss-cycles", .title = "of cycles lost to branch misses", .unit = "%", .top = COUNTS_BRANCH_MISSES, .bottom = COUNTS_CYCLES, .scale = 100, .cost = 15, .cost_low = 10, .cost_high = 25 },
	{ .id = "cache-miss-share", .title = "of cache references miss", .unit = "%", .top = COUNTS_CACHE_MISSES, .bottom = COUNTS_CACHE_REFERENCES, .printed = "of all cache refs*", .scale = 100 },
	{ .id = "l1d-misses", .title = "L1 data misses per 1000 instructions", .unit = "", .top = COUNTS_L1D_MISSES, .bottom = COUNTS_INSTRUCTIONS, .scale = 1000 },
	{ .id = "l1d-miss-share", .title = "of L1 data loads miss", .unit = "%", .top = COUNTS_L1D_MISSES, .bottom = COUNTS_L1D_LOADS, .printed = "of all L1-dcache*", .scale = 100 },
	{ .id = "l1i-misses", .title = "L1 instruction misses per 1000 instructions", .unit = "", .top = COUNTS_L1I_MISSES, .bottom = COUNTS_INSTRUCTIONS, .scale = 1000 },
	{ .id = "llc-misses", .title = "last-level misses per 1000 instructions", .unit = "", .top = COUNTS_LLC_MISSES, .bottom = COUNTS_INSTRUCTIONS, .scale = 1000 },
	{ .id = "cache-misses", .title = "cache misses per 1000 instructions", .unit = "", .top = COUNTS_CACHE_MISSES, .bottom = COUNTS_INSTRUCTIONS, .scale = 1000 },
	{ .id = "llc-miss-share", .title = "of last-level loads miss", .unit = "%", .top = COUNTS_LLC_MISSES, .bottom = COUNTS_LLC_LOADS, .printed = "of all LL-cache*|of all L[23]*", .scale = 100 },
	{ .id = "dtlb-misses", .title = "data TLB misses per 1000 instructions", .unit = "", .top = COUNTS_DTLB_MISSES, .bottom = COUNTS_INSTRUCTIONS, .scale = 1000 },
	{ .id = "dtlb-miss-share", .title = "of data TLB loads miss", .unit = "%", .top = COUNTS_DTLB_MISSES, .bottom = COUNTS_DTLB_LOADS, .printed = "of all dTLB*", .scale = 100 },
	{ .id = "dtlb-walk-share", .title = "of cycles in page walks", .unit = "%", .top = COUNTS_DTLB_WALK, .bottom = COUNTS_CYCLES, .scale = 100 },
	{ .id = "dtlb-miss-cycles", .title = "of cycles lost to data TLB misses", .unit = "%", .top = COUNTS_DTLB_MISSES, .bottom = COUNTS_CYCLES, .scale = 100, .cost = 20, .cost_low = 7, .cost_high = 50 },
	{ .id = "itlb-misses", .title = "instruction TLB misses per 1000 instructions", .unit = "", .top = COUNTS_ITLB_MISSES, .bottom = COUNTS_INSTRUCTIONS, .scale = 1000 },
	{ .id = "itlb-miss-cycles", .title = "of cycles lost to instruction TLB misses", .unit = "%", .top = COUNTS_ITLB_MISSES, .bottom = COUNTS_CYCLES, .scale = 100, .cost = 20, .cost_low = 10, .cost_high = 50 },
	{ .id = "stalled-front", .title = "of cycles stalled in the front end", .unit = "%", .top = COUNTS_STALLS_FRONT, .bottom = COUNTS_CYCLES, .printed = "frontend cycles idle*", .scale = 100 },
	{ .id = "stalled-back", .title = "of cycles stalled in the back end", .unit = "%", .top = COUNTS_STALLS_BACK, .bottom = COUNTS_CYCLES, .printed = "backend*cycles idle*", .scale = 100 },
	{ .id = "node-miss-share", .title = "of node loads from another node", .unit = "%", .top = COUNTS_NODE_MISSES, .bottom = COUNTS_NODE_LOADS, .scale = 100 },
	{ .id = "hitm", .title = "loads of modified lines per 1000 instructions", .unit = "", .top = COUNTS_HITM, .bottom = COUNTS_INSTRUCTIONS, .scale = 1000 },
	{ .id = "retiring", .title = "of pipeline slots retire", .unit = "%", .top = COUNTS_TOPDOWN_RETIRING, .bottom = COUNTS_NONE, .printed = "Retiring*|retiring*", .scale = 1 },
	{ .id = "bad-speculation", .title = "of pipeline slots lost to bad speculation", .unit = "%", .top = COUNTS_TOPDOWN_SPECULATION, .bottom = COUNTS_NONE, .printed = "Bad Spec*|bad spec*", .scale = 1 },
	{ .id = "frontend-bound", .title = "of pipeline slots wait for the front end", .unit = "%", .top = COUNTS_TOPDOWN_FRONT, .bottom = COUNTS_NONE, .printed = "Frontend Bound*|frontend bound*", .scale = 1 },
	{ .id = "backend-bound", .title = "of pipeline slots wait for the back end", .unit = "%", .top = COUNTS_TOPDOWN_BACK, .bottom = COUNTS_NONE, .printed = "Backend Bound*|backend bound*", .scale = 1 },
	{ .id = "busy-cpu", .title = "of time busy", .unit = "%", .how = METRIC_TOP, .tool = "mpstat|sar", .column = "%idle", .also = "%iowait", .is_inverted = true, .is_share = true },
	{ .id = "other-cpus-idle", .title = "of time idle on the other CPUs", .unit = "%", .how = METRIC_OTHERS, .tool = "mpstat|sar", .column = "%idle", .is_share = true },
	{ .id = "softirq-cpu", .title = "of time in softirqs", .unit = "%", .how = METRIC_TOP, .tool = "mpstat", .column = "%soft", .is_share = true },
	{ .id = "steal", .title = "of CPU time stolen by the hypervisor", .unit = "%", .how = METRIC_ALL, .tool = "vmstat|mpstat|sar|iostat|top summary|dstat", .column = "st|stl|%steal", .is_share = true },
	{ .id = "iowait", .title = "of CPU time idle while I/O is pending", .unit = "%", .how = METRIC_ALL, .tool = "vmstat|mpstat|sar|iostat|top summary|dstat", .column = "wa|wai|%iowait", .is_share = true },
	{ .id = "system-cpu", .title = "of CPU time in the kernel", .unit = "%", .how = METRIC_ALL, .tool = "vmstat|mpstat|sar|iostat|top summary|dstat", .column = "sy|sys|%sys|%system", .is_share = true },
	{ .id = "waiting-cpu", .title = "of time idle while I/O is pending", .unit = "%", .how = METRIC_TOP, .tool = "mpstat|sar", .column = "%iowait", .is_share = true },
	{ .id = "cpu-busy", .title = "of CPU time busy", .unit = "%", .how = METRIC_ALL, .tool = "vmstat|mpstat|sar|iostat|top summary|dstat", .column = "id|idl|%idle", .also = "wa|wai|%iowait|st|stl|%steal", .is_inverted = true, .is_share = true },
	{ .id = "cpu-idle", .title = "of CPU time idle", .unit = "%", .how = METRIC_ALL, .tool = "vmstat|mpstat|sar|dstat", .column = "id|idl|%idle", .is_share = true },
	{ .id = "system-switches", .title = "context switches a second", .unit = "/s", .how = METRIC_ALL, .tool = "vmstat|sar|dstat", .column = "cs|csw|cswch/s" },
	{ .id = "system-interrupts", .title = "interrupts a second", .unit = "/s", .how = METRIC_ALL, .tool = "vmstat|dstat", .column = "in|int" },
	{ .id = "switches-per-interrupt", .title = "context switches per 100 interrupts", .unit = "", .how = METRIC_PART, .tool = "vmstat|dstat", .column = "cs|csw", .per = "in|int", .least = 1000, .scale = 100 },
	{ .id = "run-queue", .title = "runnable tasks", .unit = "", .how = METRIC_ALL, .tool = "vmstat|sar|top summary", .column = "r|runq-sz|running", .is_now = true },
	{ .id = "blocked-tasks", .title = "tasks blocked on I/O", .unit = "", .how = METRIC_ALL, .tool = "vmstat|sar", .column = "b|blocked", .is_now = true },
	{ .id = "tasks-in-d", .title = "tasks in state D", .unit = "", .how = METRIC_TOP, .tool = "top|ps", .column = "state D", .is_now = true },
	{ .id = "zombies", .title = "zombies", .unit = "", .how = METRIC_TOP, .tool = "top|ps", .column = "state Z", .is_now = true },
	{ .id = "all-zombies", .title = "zombies", .unit = "", .how = METRIC_LAST, .tool = "top summary", .column = "zombie", .is_now = true },
	{ .id = "swap-out", .title = "swapped out a second", .unit = "", .how = METRIC_ALL, .tool = "vmstat|sar", .column = "so|pswpout/s" },
	{ .id = "swap-in", .title = "swapped in a second", .unit = "", .how = METRIC_ALL, .tool = "vmstat|sar", .column = "si|pswpin/s" },
	{ .id = "process-rate", .title = "processes started a second", .unit = "/s", .how = METRIC_ALL, .tool = "sar", .column = "proc/s" },
	{ .id = "pressure-cpu", .title = "of the time a task waited for a CPU", .unit = "%", .how = METRIC_ALL, .tool = "sar", .column = "%scpu", .is_share = true },
	{ .id = "pressure-io", .title = "of the time a task waited for I/O", .unit = "%", .how = METRIC_ALL, .tool = "sar", .column = "%sio", .is_share = true },
	{ .id = "pressure-memory", .title = "of the time a task waited for memory", .unit = "%", .how = METRIC_ALL, .tool = "sar", .column = "%smem", .is_share = true },
	{ .id = "device-busy", .title = "of time busy", .unit = "%", .how = METRIC_TOP, .tool = "iostat|sar", .column = "%util|%b", .is_share = true },
	{ .id = "device-queue", .title = "requests in its queue", .unit = "", .how = METRIC_TOP, .tool = "iostat|sar", .column = "aqu-sz|avgqu-sz|actv" },
	{ .id = "throttled-share", .title = "of scheduling periods throttled", .unit = "%", .how = METRIC_PART, .tool = "cpu.stat|cpu.stat, difference", .column = "nr_throttled", .per = "nr_periods", .least = 100, .is_part_of_cases = true, .scale = 100 },
	{ .id = "retransmit-share", .title = "TCP segments sent again per 100 sent", .unit = "", .how = METRIC_PART, .tool = "nstat|netstat -s|/proc/net/snmp|sar", .column = "TcpRetransSegs|segments retransmit*|RetransSegs|retrans/s", .per = "TcpOutSegs|segments sent out|OutSegs|oseg/s", .least = 1000, .scale = 100 },
	{ .id = "connection-retransmit-share", .title = "segments of a connection sent again per 100 sent", .unit = "", .how = METRIC_PART, .tool = "ss", .column = "retrans", .per = "segs_out", .least = 1000, .scale = 100 },
	{ .id = "rwnd-limited", .title = "of its time with data to send", .unit = "%", .how = METRIC_PART, .tool = "ss", .column = "rwnd_limited", .per = "busy", .least = 500, .scale = 100, .is_part = true },
	{ .id = "sndbuf-limited", .title = "of its time with data to send", .unit = "%", .how = METRIC_PART, .tool = "ss", .column = "sndbuf_limited", .per = "busy", .least = 500, .scale = 100, .is_part = true },
	{ .id = "conntrack-full", .title = "of the table of tracked connections in use", .unit = "%", .how = METRIC_PART, .tool = "nf_conntrack", .column = "*nf_conntrack_count", .per = "*nf_conntrack_max", .least = 1, .scale = 100 },
	{ .id = "softnet-drop-share", .title = "of arriving packets dropped at the queue of a CPU", .unit = "%", .how = METRIC_PART, .tool = "softnet_stat|sar", .column = "dropped|dropd/s", .per = "processed|total/s", .least = 10000, .scale = 100, .is_of_both = true },
	{ .id = "redis-lua", .title = "of resident memory in the Lua interpreter", .unit = "%", .how = METRIC_PART, .tool = "redis INFO", .column = "used_memory_lua", .per = "used_memory_rss", .least = 1 << 25, .scale = 100, .is_part = true },
	{ .id = "redis-overhead", .title = "of the memory of Redis", .unit = "%", .how = METRIC_PART, .tool = "redis INFO", .column = "used_memory_overhead", .per = "used_memory", .least = 1 << 28, .scale = 100, .is_part = true },
	/* redis, src/server.c, getExpansiveClientsInfo(), and genRedisInfoString() before 5.0 */
	{ .id = "redis-unread-replies", .title = "entries in the longest list of replies of a client", .unit = "", .how = METRIC_LAST, .tool = "redis INFO", .column = "client_longest_output_list", .is_now = true },
	{ .id = "redis-output-buffer", .title = "bytes in the largest output buffer of a client", .unit = "B", .how = METRIC_LAST, .tool = "redis INFO", .column = "client_recent_max_output_buffer", .is_now = true },
	{ .id = "redis-refused", .title = "commands refused because the memory is full", .unit = "", .how = METRIC_LAST, .tool = "redis INFO", .column = "errorstat_OOM", .is_now = true },
	{ .id = "redis-limit", .title = "bytes in use for each byte of maxmemory", .unit = "", .how = METRIC_PART, .tool = "redis INFO", .column = "used_memory", .per = "maxmemory", .least = 1 << 25, .scale = 1 },
	{ .id = "allocator-spans", .title = "of the heap", .unit = "%", .how = METRIC_PART, .tool = "TCMalloc statistics", .column = "free in central cache", .per = "memory of the heap", .least = 1 << 27, .scale = 100, .is_part = true },
	{ .id = "allocator-used", .title = "of the heap is in use", .unit = "%", .how = METRIC_PART, .tool = "TCMalloc statistics", .column = "in use", .per = "memory of the heap", .least = 1 << 27, .scale = 100, .is_part = true },
	{ .id = "allocator-page-heap", .title = "of the heap is in the page heap", .unit = "%", .how = METRIC_PART, .tool = "TCMalloc statistics", .column = "free in page heap", .per = "memory of the heap", .least = 1 << 27, .scale = 100, .is_part = true },
	{ .id = "jemalloc-used", .title = "of the active pages is in use", .unit = "%", .how = METRIC_PART, .tool = "jemalloc statistics", .column = "allocated", .per = "active", .least = 1 << 27, .scale = 100, .is_part = true },
	{ .id = "glibc-used", .title = "of the heap is in use", .unit = "%", .how = METRIC_PART, .tool = "malloc_stats", .column = "in use bytes", .per = "system bytes", .keys = "Total", .least = 1 << 27, .scale = 100, .is_part = true },
	/* xfs_db counts blocks, which have 4 KiB by default (mkfs.xfs) */
	{ .id = "xfs-free-piece", .title = "KiB in each free extent", .unit = "KiB", .how = METRIC_PART, .tool = "xfs_db freesp", .column = "free blocks", .per = "free extents", .least = 1000, .scale = 4 },
	{ .id = "ext4-free-piece", .title = "KiB in each free extent", .unit = "KiB", .how = METRIC_LAST, .tool = "e2freefrag", .column = "average free extent" },
	{ .id = "softnet-cpu-share", .title = "of the packets", .unit = "%", .how = METRIC_SHARE, .tool = "softnet_stat", .column = "processed", .least = 1000000 },
	{ .id = "softnet-squeeze-share", .title = "squeezed rounds per 1000 packets", .unit = "", .how = METRIC_PART, .tool = "softnet_stat|sar", .column = "time_squeeze|squeezd/s", .per = "processed|total/s", .least = 10000, .scale = 1000 },
	{ .id = "receive-drop-share", .title = "packets dropped per 100 received", .unit = "", .how = METRIC_PART, .tool = "ethtool|ethtool -S, difference", .column = "rx_missed_errors|rx_out_of_buffer|rx_discards_phy|rx_fifo_errors|port.rx_dropped", .per = "rx_packets|rx_packets_phy|port.rx_unicast", .least = 10000, .scale = 100 },
	{ .id = "receive-pages-new", .title = "of the pages come from the page allocator", .unit = "%", .how = METRIC_PART, .tool = "ethtool|ethtool -S, difference", .column = "rx_cache_busy|rx_cache_empty", .per = "rx_cache_reuse", .least = 1000, .scale = 100, .is_of_both = true },
	{ .id = "receive-ring", .title = "of the receive ring in use", .unit = "%", .how = METRIC_PART, .tool = "ethtool -g", .column = "Current hardware settings RX", .per = "Pre-set maximums RX", .least = 1, .scale = 100, .is_part = true },
	{ .id = "receive-crc-share", .title = "packets with a bad checksum per million received", .unit = "", .how = METRIC_PART, .tool = "ethtool|ethtool -S, difference", .column = "rx_crc_errors|rx_crc_errors_phy|port.rx_crc_errors|rx_fcs_errors", .per = "rx_packets|rx_packets_phy|port.rx_unicast", .least = 10000, .scale = 1e6 },
	{ .id = "receive-queue-share", .title = "of the received packets", .unit = "%", .how = METRIC_SHARE, .tool = "ethtool|ethtool -S, difference", .column = "packets of a receive queue", .least = 100000 },
	{ .id = "listen-overflows", .title = "connections refused by a full accept queue per 100 accepted", .unit = "", .how = METRIC_PART, .tool = "nstat|netstat -s", .column = "TcpExtListenOverflows|times the listen queue of a socket overflowed", .per = "TcpPassiveOpens|passive connection*", .least = 1000, .scale = 100 },
	{ .id = "listen-overflow-count", .title = "times", .unit = "", .how = METRIC_LAST, .tool = "nstat|netstat -s", .column = "TcpExtListenOverflows|times the listen queue of a socket overflowed" },
	{ .id = "receive-memory", .title = "segments dropped for lack of receive memory", .unit = "", .how = METRIC_LAST, .tool = "nstat|netstat -s", .column = "TcpExtTCPRcvQDrop|TCPRcvQDrop" },
	{ .id = "out-of-order-pruned", .title = "times that out-of-order data was discarded", .unit = "", .how = METRIC_LAST, .tool = "nstat|netstat -s", .column = "TcpExtOfoPruned|packets dropped from out-of-order queue*" },
	{ .id = "segments-per-drop", .title = "segments received for each discard", .unit = "", .how = METRIC_PART, .tool = "nstat|netstat -s", .column = "TcpInSegs|segments received", .per = "TcpExtTCPRcvQDrop|TCPRcvQDrop|TcpExtOfoPruned|packets dropped from out-of-order queue*", .least = 1, .scale = 1 },
	{ .id = "udp-buffer-drops", .title = "of arriving UDP packets dropped by a full socket buffer", .unit = "%", .how = METRIC_PART, .tool = "nstat|/proc/net/snmp", .column = "UdpRcvbufErrors|RcvbufErrors", .per = "UdpInDatagrams|InDatagrams", .least = 1000, .scale = 100, .is_of_both = true },
	{ .id = "memory-available", .title = "of memory available", .unit = "%", .how = METRIC_PART, .tool = "/proc/meminfo|free|top summary", .column = "MemAvailable|available|available memory", .per = "MemTotal|total|total memory", .least = 1, .scale = 100, .is_part = true },
	{ .id = "huge-pages", .title = "of memory reserved as huge pages", .unit = "%", .how = METRIC_PART, .tool = "/proc/meminfo", .column = "Hugetlb", .per = "MemTotal", .least = 1, .scale = 100, .is_part = true },
	{ .id = "slab-kept", .title = "of memory in slab that cannot be reclaimed", .unit = "%", .how = METRIC_PART, .tool = "/proc/meminfo", .column = "SUnreclaim", .per = "MemTotal", .least = 1, .scale = 100, .is_part = true },
	{ .id = "page-tables", .title = "of memory in page tables", .unit = "%", .how = METRIC_PART, .tool = "/proc/meminfo", .column = "PageTables", .per = "MemTotal", .least = 1, .scale = 100, .is_part = true },
	{ .id = "slab-used", .title = "of slab memory in use", .unit = "%", .how = METRIC_PART, .tool = "slabtop summary", .column = "active size", .per = "total size", .least = 1 << 20, .scale = 100, .is_part = true },
	{ .id = "hash-load", .title = "entries in each bucket of a hash table", .unit = "", .how = METRIC_TOP, .tool = "show hashtable", .column = "LF", .is_now = true },
	{ .id = "slab-cache", .title = "of the listed slab", .unit = "%", .how = METRIC_SHARE, .tool = "slabtop", .column = "CACHE SIZE", .least = 1 << 20 },
	{ .id = "least-running", .title = "of the time counted", .unit = "%", .how = METRIC_RUNNING, .tool = "perf stat" },
	{ .id = "pressure", .title = "of the time stalled", .unit = "%", .how = METRIC_LAST, .tool = "/proc/pressure", .column = "avg10", .is_share = true },
	{ .id = "gc-cpu", .title = "of CPU time in the garbage collector since the start", .unit = "%", .how = METRIC_LAST, .tool = "Go gctrace", .column = "gc cpu", .is_share = true },
	{ .id = "gc-forced", .title = "of all collections", .unit = "%", .how = METRIC_PART, .tool = "Go gctrace", .column = "forced", .per = "collections", .least = 5, .scale = 100 },
	{ .id = "gc-age", .title = "s since the start of the program", .unit = "s", .how = METRIC_LAST, .tool = "Go gctrace", .column = "age" },
	{ .id = "gc-room", .title = "of the heap goal still live after a collection", .unit = "%", .how = METRIC_PART, .tool = "Go gctrace", .column = "heap live", .per = "goal", .least = 1, .scale = 100 },
	{ .id = "wakeup-latency", .title = "us at most from timer to thread", .unit = "us", .how = METRIC_LAST, .tool = "cyclictest|timerlat", .column = "max" },
	{ .id = "wakeup-latency-least", .title = "us at least from timer to thread", .unit = "us", .how = METRIC_LAST, .tool = "cyclictest|timerlat", .column = "min" },
	{ .id = "os-noise", .title = "of the time of a CPU", .unit = "%", .how = METRIC_TOP, .tool = "osnoise", .column = "available", .is_inverted = true, .is_share = true },
	{ .id = "hardware-latency", .title = "us without the kernel at most", .unit = "us", .how = METRIC_LAST, .tool = "hwlatdetect", .column = "max latency" },
	{ .id = "device-share", .title = "of the time of a request in the device", .unit = "%", .how = METRIC_PART, .tool = "btt", .column = "D2C avg", .per = "Q2C avg", .least = 1e-9, .scale = 100, .is_part = true },
	{ .id = "request-time", .title = "s a request on average", .unit = "s", .how = METRIC_LAST, .tool = "btt", .column = "Q2C avg" },
	{ .id = "heap-class", .title = "of the bytes listed", .unit = "%", .how = METRIC_SHARE, .tool = "jmap", .column = "#bytes", .least = 1 << 20 },
	{ .id = "erlang-busy-wait", .title = "of the time of a scheduler", .unit = "%", .how = METRIC_TOP, .tool = "erlang msacc", .column = "busy_wait" },
	{ .id = "erlang-other", .title = "of the time of a scheduler", .unit = "%", .how = METRIC_TOP, .tool = "erlang msacc", .column = "other" },
	{ .id = "ghc-gc", .title = "of CPU time in the garbage collector", .unit = "%", .how = METRIC_PART, .tool = "GHC +RTS -s", .column = "GC time", .per = "Total time", .least = 0.1, .scale = 100, .is_part = true },
	{ .id = "fio-system", .title = "of the jobs' time in the kernel", .unit = "%", .how = METRIC_LAST, .tool = "fio", .column = "sys", .is_share = true },
	{ .id = "julia-compile", .title = "of elapsed time in compilation", .unit = "%", .how = METRIC_LAST, .tool = "Julia @time", .column = "compilation time", .is_share = true },
	{ .id = "julia-gc", .title = "of elapsed time in the garbage collector", .unit = "%", .how = METRIC_LAST, .tool = "Julia @time", .column = "gc time", .is_share = true },
	{ .id = "julia-elapsed", .title = "s elapsed", .unit = "s", .how = METRIC_LAST, .tool = "Julia @time", .column = "elapsed" },
	{ .id = "ghc-gc-elapsed", .title = "of elapsed time in the garbage collector", .unit = "%", .how = METRIC_PART, .tool = "GHC +RTS -s", .column = "GC elapsed", .per = "Total elapsed", .least = 0.1, .scale = 100, .is_part = true },
	{ .id = "ghc-gc-cpus", .title = "CPUs busy in a collection", .unit = "CPUs", .how = METRIC_PART, .tool = "GHC +RTS -s", .column = "GC time", .per = "GC elapsed", .least = 0.01, .scale = 1 },
	{ .id = "ghc-balance", .title = "GC work balance, with 100 % for equal shares", .unit = "%", .how = METRIC_LAST, .tool = "GHC +RTS -s", .column = "parallel balance" },
	/* a segment has 1448 bytes, as on Ethernet without jumbo frames */
	{ .id = "iperf3-again", .title = "of 100 segments sent again", .unit = "", .how = METRIC_PART, .tool = "iperf3", .column = "sent again", .per = "sent MB", .least = 10, .scale = 100 * 1448.0 / (1 << 20) },
	{ .id = "iperf3-again-much", .title = "of 100 segments sent again", .unit = "", .how = METRIC_PART, .tool = "iperf3", .column = "sent again", .per = "sent GB", .least = 0.01, .scale = 100 * 1448.0 / (1 << 30) },
	{ .id = "ab-errors", .title = "errors per 100 requests", .unit = "", .how = METRIC_PART, .tool = "ab", .column = "errors", .per = "Complete requests", .least = 100, .scale = 100 },
	{ .id = "load-errors", .title = "errors per 100 requests", .unit = "", .how = METRIC_PART, .tool = "wrk|ab", .column = "errors|Failed requests", .per = "requests|Complete requests", .least = 100, .scale = 100 },
	{ .id = "k6-failed", .title = "errors per 100 requests", .unit = "", .how = METRIC_LAST, .tool = "k6", .column = "http_req_failed" },
	{ .id = "packets-again", .title = "data packets sent again per 100", .unit = "", .how = METRIC_PART, .tool = "tcpdump", .column = "sent again", .per = "data packets", .least = 20, .scale = 100 },
	{ .id = "dns-again", .title = "queries sent again per 100", .unit = "", .how = METRIC_PART, .tool = "tcpdump", .column = "queries sent again", .per = "queries", .least = 1, .scale = 100 },
	{ .id = "syn-again", .title = "SYN sent again", .unit = "", .how = METRIC_TOP, .tool = "tcpdump", .column = "SYN sent again", .is_now = true },
	{ .id = "refused-connections", .title = "connections refused", .unit = "", .how = METRIC_TOP, .tool = "tcpdump", .column = "refused", .is_now = true },
	{ .id = "window-stall", .title = "of connection time stalled", .unit = "%", .how = METRIC_PART, .tool = "tcpdump", .column = "stalled", .per = "open", .least = 200, .scale = 100, .is_part = true },
	{ .id = "held-segments", .title = "of connection time held back", .unit = "%", .how = METRIC_PART, .tool = "tcpdump", .column = "waits for a late ACK", .per = "open", .least = 200, .scale = 100, .is_part = true },
	{ .id = "answer-wait", .title = "ms from request to answer, without a round trip", .unit = "ms", .how = METRIC_PART, .tool = "tcpdump", .column = "waits beyond the handshake", .per = "answers", .least = 1, .scale = 1 },
	{ .id = "link-busy", .title = "of the speed of the interface", .unit = "%", .how = METRIC_TOP, .tool = "sar", .column = "%ifutil", .is_share = true },
	{ .id = "interface-drops", .title = "packets dropped a second", .unit = "/s", .how = METRIC_TOP, .tool = "sar", .column = "rxdrop/s" },
	{ .id = "direct-scan", .title = "pages scanned a second by tasks that allocate", .unit = "/s", .how = METRIC_ALL, .tool = "sar", .column = "pgscand/s" },
	{ .id = "sar-major-faults", .title = "major faults a second", .unit = "/s", .how = METRIC_ALL, .tool = "sar", .column = "majflt/s" },
	{ .id = "page-cache-hits", .title = "of page cache accesses hit", .unit = "%", .how = METRIC_ALL, .tool = "cachestat", .column = "HITRATIO|RATIO", .is_share = true },
	{ .id = "page-cache-misses", .title = "page cache misses an interval", .unit = "", .how = METRIC_ALL, .tool = "cachestat", .column = "MISSES" },
	{ .id = "refaults", .title = "pages read again for 100 reclaimed", .unit = "", .how = METRIC_PART, .tool = "memory.stat|memory.stat, difference|/proc/vmstat, difference|docker memory_stats", .column = "workingset_refault_file|workingset_refault", .per = "pgsteal|pgsteal_file", .least = 10000, .scale = 100 },
	{ .id = "memory-high", .title = "charges above memory.high", .unit = "", .how = METRIC_LAST, .tool = "memory.events|memory.events, difference", .column = "high" },
	{ .id = "memory-max", .title = "charges above memory.max", .unit = "", .how = METRIC_LAST, .tool = "memory.events|memory.events, difference", .column = "max" },
	{ .id = "redis-evictions", .title = "keys evicted per 100 look-ups that miss", .unit = "", .how = METRIC_PART, .tool = "redis INFO", .column = "evicted_keys", .per = "keyspace_misses", .least = 1000, .scale = 100 },
	{ .id = "redis-misses", .title = "look-ups that miss for each that hits", .unit = "", .how = METRIC_PART, .tool = "redis INFO", .column = "keyspace_misses", .per = "keyspace_hits", .least = 1, .scale = 1 },
	{ .id = "memcached-evictions", .title = "items evicted per 100 look-ups that miss", .unit = "", .how = METRIC_PART, .tool = "memcached stats", .column = "evictions", .per = "get_misses", .least = 1000, .scale = 100 },
	{ .id = "memcached-misses", .title = "of look-ups miss", .unit = "%", .how = METRIC_PART, .tool = "memcached stats", .column = "get_misses", .per = "cmd_get", .least = 1, .scale = 100, .is_part = true },
	{ .id = "clock-share", .title = "of the base clock", .unit = "%", .how = METRIC_PART, .tool = "turbostat", .column = "Bzy_MHz", .per = "TSC_MHz", .least = 100, .scale = 100 },
	{ .id = "clock-busy", .title = "of time busy", .unit = "%", .how = METRIC_ALL, .tool = "turbostat", .column = "Busy%", .is_share = true },
	{ .id = "pool-pending", .title = "pending tasks", .unit = "", .how = METRIC_TOP, .tool = "nodetool tpstats", .column = "Pending", .is_now = true },
	{ .id = "accept-queue", .title = "of the accept queue is full", .unit = "%", .how = METRIC_PART, .tool = "ss listen|ss -tan", .column = "Recv-Q", .per = "Send-Q", .least = 1, .scale = 100 },
	{ .id = "close-wait", .title = "sockets in CLOSE-WAIT", .unit = "", .how = METRIC_TOP, .tool = "ss -tan|netstat -tan|lsof", .column = "CLOSE-WAIT", .is_now = true },
	{ .id = "close-wait-share", .title = "of the connections in CLOSE-WAIT", .unit = "%", .how = METRIC_PART, .tool = "ss -tan|netstat -tan|lsof", .column = "CLOSE-WAIT", .per = "connections", .least = 50, .scale = 100, .is_part = true },
	{ .id = "unanswered", .title = "attempts to connect without an answer", .unit = "", .how = METRIC_TOP, .tool = "ss -tan|netstat -tan", .column = "unanswered", .is_now = true },
	{ .id = "local-ports", .title = "local ports", .unit = "", .how = METRIC_TOP, .tool = "ss -tan|netstat -tan", .column = "local ports", .is_now = true },
	{ .id = "unread", .title = "KiB received and not read", .unit = "KiB", .how = METRIC_TOP, .tool = "ss -tan|netstat -tan", .column = "unread", .is_now = true },
	{ .id = "unread-messages", .title = "KiB received and not read", .unit = "KiB", .how = METRIC_TOP, .tool = "ss -tan|netstat -tan", .column = "unread messages", .is_now = true },
	{ .id = "unsent", .title = "KiB sent and not acknowledged", .unit = "KiB", .how = METRIC_TOP, .tool = "ss -tan|netstat -tan", .column = "unsent", .is_now = true },
	{ .id = "file-copies", .title = "descriptors of one kind", .unit = "", .how = METRIC_TOP, .tool = "lsof|/proc/PID/fd", .column = "copies", .is_now = true },
	{ .id = "lost-sockets", .title = "sockets without a connection", .unit = "", .how = METRIC_TOP, .tool = "lsof", .column = "without a connection", .is_now = true },
	{ .id = "file-lock-waits", .title = "waiting for a file lock", .unit = "", .how = METRIC_TOP, .tool = "/proc/locks", .column = "waiting requests", .is_now = true },
	{ .id = "file-lock-own", .title = "waiting for a lock of the same process", .unit = "", .how = METRIC_TOP, .tool = "/proc/locks", .column = "requests of the holder", .is_now = true },
	{ .id = "deleted-space", .title = "MiB in deleted files", .unit = "MiB", .how = METRIC_TOP, .tool = "lsof", .column = "deleted", .is_now = true },
	{ .id = "container-memory", .title = "of the memory limit", .unit = "%", .how = METRIC_TOP, .tool = "docker stats", .column = "MEM %", .is_now = true, .is_share = true },
	{ .id = "wired-tiger-dirty", .title = "of the cache with dirty data", .unit = "%", .how = METRIC_ALL, .tool = "mongostat", .column = "dirty", .is_now = true, .is_share = true },
	{ .id = "wired-tiger-used", .title = "of the cache in use", .unit = "%", .how = METRIC_ALL, .tool = "mongostat", .column = "used", .is_now = true, .is_share = true },
	{ .id = "mongod-queue", .title = "operations in the queue", .unit = "", .how = METRIC_ALL, .tool = "mongostat", .column = "qw", .also = "qr", .is_now = true },
	{ .id = "zfs-pool-full", .title = "of the space in use", .unit = "%", .how = METRIC_PART, .tool = "zpool iostat", .column = "alloc", .per = "free", .least = 1, .is_of_both = true, .scale = 100 },
	{ .id = "gpu-busy", .title = "of the time with a kernel", .unit = "%", .how = METRIC_TOP, .tool = "nvidia-smi dmon", .column = "sm", .numbered = "GPU", .is_share = true },
	{ .id = "consumer-lag", .title = "messages behind", .unit = "", .how = METRIC_TOP, .tool = "kafka-consumer-groups", .column = "LAG", .is_now = true },
	{ .id = "task-io", .title = "of time waiting for I/O", .unit = "%", .how = METRIC_TOP, .tool = "iotop", .column = "io", .is_share = true },
	{ .id = "packet-loss", .title = "of packets lost", .unit = "%", .how = METRIC_LAST, .tool = "ping", .column = "loss", .is_share = true },
	{ .id = "ksoftirqd-cpu", .title = "of a CPU", .unit = "%", .how = METRIC_TOP, .tool = "pidstat|top", .column = "%CPU", .keys = "ksoftirqd/*" },
	{ .id = "thread-cpu", .title = "of a CPU", .unit = "%", .how = METRIC_TOP, .tool = "pidstat|top|ps", .column = "%CPU", .tasks = METRIC_TASKS_THREADS },
	{ .id = "task-writes", .title = "kB/s written", .unit = "kB/s", .how = METRIC_TOP, .tool = "pidstat", .column = "kB_wr/s" },
	{ .id = "task-reads", .title = "kB/s read", .unit = "kB/s", .how = METRIC_TOP, .tool = "pidstat", .column = "kB_rd/s" },
	{ .id = "task-switches", .title = "voluntary switches a second", .unit = "/s", .how = METRIC_TOP, .tool = "pidstat", .column = "cswch/s" },
	{ .id = "migration-cpu", .title = "of a CPU", .unit = "%", .how = METRIC_TOP, .tool = "pidstat|top|ps", .column = "%CPU", .keys = "migration/*|?migration/*" },
	{ .id = "display-cpu", .title = "of a CPU", .unit = "%", .how = METRIC_TOP, .tool = "pidstat|top", .column = "%CPU", .keys = "Xorg|X|Xwayland|Xvnc*|gnome-shell|kwin_*|cinnamon|compiz|mutter*|compton|picom|plasmashell|sway|weston|marco|muffin*|xfwm4" },
	{ .id = "kswapd-cpu", .title = "of a CPU", .unit = "%", .how = METRIC_TOP, .tool = "pidstat|top", .column = "%CPU", .keys = "kswapd*" },
	{ .id = "khugepaged-cpu", .title = "of a CPU", .unit = "%", .how = METRIC_TOP, .tool = "pidstat|top", .column = "%CPU", .keys = "khugepaged|kcompactd*" },
	{ .id = "task-cpu", .title = "of a CPU", .unit = "%", .how = METRIC_TOP, .tool = "pidstat|top|ps", .column = "%CPU", .tasks = METRIC_TASKS_WHOLE },
	{ .id = "damaged-rate", .title = "damaged packets a second", .unit = "/s", .how = METRIC_TOP, .tool = "sar", .column = "rxerr/s" },
	{ .id = "damaged-share", .title = "damaged packets per million received", .unit = "", .how = METRIC_PART, .tool = "ip -s link|ifconfig|/proc/net/dev", .column = "rx errors", .per = "rx packets", .least = 10000, .scale = 1e6 },
	{ .id = "dropped-share", .title = "packets dropped per 100 received", .unit = "", .how = METRIC_PART, .tool = "ip -s link|ifconfig|/proc/net/dev", .column = "rx dropped", .per = "rx packets", .least = 10000, .scale = 100 },
	{ .id = "qdisc-drops", .title = "of packets dropped before sending", .unit = "%", .how = METRIC_PART, .tool = "tc -s qdisc", .column = "dropped", .per = "packets", .least = 10000, .scale = 100, .is_of_both = true },
	{ .id = "numa-misses", .title = "pages from another node than wanted, per 100 from the wanted one", .unit = "", .how = METRIC_PART, .tool = "numastat|/proc/vmstat", .column = "numa_miss", .per = "numa_hit", .least = 10000, .scale = 100 },
	{ .id = "nfs-round-trip", .title = "ms on the network and the server a request", .unit = "ms", .how = METRIC_TOP, .tool = "nfsiostat", .column = "round trip" },
	{ .id = "nfs-queue-time", .title = "ms in the queue of the client a request", .unit = "ms", .how = METRIC_TOP, .tool = "nfsiostat", .column = "queue" },
	{ .id = "task-disk-time", .title = "ms a request of a task", .unit = "ms", .how = METRIC_TOP, .tool = "biotop", .column = "AVGms" },
	{ .id = "pending-sectors", .title = "sectors that cannot be read", .unit = "", .how = METRIC_TOP, .tool = "smartctl", .column = "RAW_VALUE", .keys = "Current_Pending_Sector*|Current_Pending_ECC*", .is_now = true },
	{ .id = "disk-link-errors", .title = "checksum errors on the link to the disk", .unit = "", .how = METRIC_TOP, .tool = "smartctl", .column = "RAW_VALUE", .keys = "UDMA_CRC_Error*|*CRC_Error_Count", .is_now = true },
	{ .id = "flash-wear", .title = "of the rated writes done", .unit = "%", .how = METRIC_LAST, .tool = "smartctl", .column = "Percentage Used" },
	{ .id = "device-hot", .title = "minutes above the warning temperature", .unit = "min", .how = METRIC_LAST, .tool = "smartctl", .column = "Warning  Comp. Temperature Time" },
};
/* clang-format on */

static struct str metric_string(const struct capture *c, str_id id)
{
	return strings_get(capture_strings(c), id);
}

double counter_metrics_seconds(const struct capture *c, const struct counter *row)
{
	enum counter_role role = (enum counter_role)row->role;
	struct str unit = metric_string(c, row->unit);
	struct str name = metric_string(c, row->name);

	if (role != COUNTS_ELAPSED && role != COUNTS_USER && role != COUNTS_SYSTEM &&
	    role != COUNTS_TASK_CLOCK)
		return 0;
	if (str_glob(STR("msec|ms"), unit))
		return 1e-3;
	if (str_glob(STR("nsec|ns"), unit))
		return 1e-9;
	if (str_glob(STR("usec|us"), unit))
		return 1e-6;
	if (unit.len)
		return 1;
	/* perf prints clocks in milliseconds, and its *_time events in nanoseconds */
	return role == COUNTS_TASK_CLOCK                                          ? 1e-3
	       : str_glob(STR("*duration_time*|*user_time*|*system_time*"), name) ? 1e-9
										  : 1;
}

/* The PMU of a hybrid CPU's event: "cpu_core" for "cpu_core/cycles/"; else STR_NONE. */
static struct str metric_pmu(struct str name)
{
	size_t slash = str_find_char(name, '/');

	return slash < name.len && str_starts(name, STR("cpu_")) ? str_sub(name, 0, slash)
								 : STR_NONE;
}

static bool metric_is_same_name(struct str first, struct str name)
{
	struct str a = metric_pmu(first);
	struct str b = metric_pmu(name);

	return str_eq(first, name) ||
	       (a.len && b.len && str_eq(str_skip(first, a.len), str_skip(name, b.len)));
}

bool counter_metrics_is_unseen(const struct capture *c, const struct counter *row)
{
	unsigned int levels = counter_levels(metric_string(c, row->name));

	return (row->role == COUNTS_SWITCHES || row->role == COUNTS_MIGRATIONS) &&
	       row->state == COUNTER_COUNTED && row->value == 0 && levels &&
	       !(levels & COUNTS_IN_KERNEL);
}

bool counter_sum_of(const struct capture *c, enum counter_role role, struct counter_sum *ret)
{
	const struct counters *k = c->counters;
	double variance = 0;
	bool has_spread = true;
	struct str first = STR_NONE;

	*ret = (struct counter_sum){ .running = -1 };
	if (!(k->roles >> role & 1))
		return false;
	for (uint32_t i = 0; i < k->rows.len; i++) {
		const struct counter *row = &k->rows.data[i];
		struct str name;
		double seconds, v;

		if (row->state != COUNTER_COUNTED || row->role != role ||
		    (k->is_since_boot && row->interval == 0))
			continue;
		name = metric_string(c, row->name);
		if (ret->n_rows && row->name.v != ret->name.v && !metric_is_same_name(first, name))
			continue;
		if (ret->n_rows == 0) {
			ret->name = row->name;
			ret->row = i;
			first = name;
		}
		seconds = counter_metrics_seconds(c, row);
		v = counter_value(row) * (seconds > 0 ? seconds : 1);
		ret->value += v;
		ret->is_unseen = v <= 0 && counter_metrics_is_unseen(c, row);
		has_spread &= row->spread >= 0;
		if (row->spread > 0)
			variance += v * row->spread / 100 * v * row->spread / 100;
		if (row->running >= 0 && (ret->running < 0 || row->running < ret->running))
			ret->running = row->running;
		ret->n_rows++;
	}
	ret->rel = has_spread && ret->value > 0 ? sqrt(variance) / ret->value : -1;
	return ret->n_rows > 0;
}

bool counter_metrics_elapsed(const struct capture *c, struct counter_sum *ret)
{
	const struct counters *k = c->counters;
	const struct counter *last = k->rows.len ? &k->rows.data[k->rows.len - 1] : NULL;

	if (counter_sum_of(c, COUNTS_ELAPSED, ret)) {
		/* every key has the same elapsed time, so use the mean instead of the sum */
		ret->value /= ret->n_rows;
		return ret->value > 0;
	}
	if (!last || last->time_ns == 0)
		return false;
	*ret = (struct counter_sum){ .value = (double)last->time_ns / 1e9,
				     .rel = -1,
				     .running = -1 };
	return true;
}

bool counter_metrics_cpu_seconds(const struct capture *c, struct counter_sum *ret)
{
	struct counter_sum sys;

	if (counter_sum_of(c, COUNTS_TASK_CLOCK, ret))
		return ret->value > 0;
	if (!counter_sum_of(c, COUNTS_USER, ret) || !counter_sum_of(c, COUNTS_SYSTEM, &sys))
		return false;
	ret->rel = ret->rel < 0 || sys.rel < 0
			   ? -1
			   : sqrt(pow(ret->rel * ret->value, 2) + pow(sys.rel * sys.value, 2));
	ret->value += sys.value;
	if (ret->rel > 0 && ret->value > 0)
		ret->rel /= ret->value;
	return ret->value > 0;
}

static bool metric_sum(const struct capture *c, enum counter_role role, struct counter_sum *ret)
{
	if (role == COUNTS_ELAPSED)
		return counter_metrics_elapsed(c, ret);
	if (role == COUNTS_TASK_CLOCK)
		return counter_metrics_cpu_seconds(c, ret);
	return counter_sum_of(c, role, ret);
}

static unsigned int metric_levels(const struct capture *c, const struct counter_sum *sum)
{
	return counter_levels(metric_string(c, sum->name));
}

static bool metric_is_hardware(enum counter_role role)
{
	return role >= COUNTS_CYCLES && role < COUNTS_TOPDOWN_RETIRING;
}

/* Take a number that perf printed: "0.138", or "0,138" in other locales. */
static bool metric_number(struct str *s, double *ret)
{
	struct str rest = *s;
	struct str part;
	double scale = 0.1;

	if (!str_double(&rest, ret))
		return false;
	part = rest;
	if (str_take(&part, STR(",")) && part.len && char_is_digit(part.p[0])) {
		for (rest = part; rest.len && char_is_digit(rest.p[0]); rest = str_skip(rest, 1)) {
			*ret += scale * (rest.p[0] - '0');
			scale /= 10;
		}
	}
	*s = rest;
	return true;
}

/*
 * Take the ratio that perf printed on the line of @top ("2.1 insn per cycle"). This is for excerpts
 * that lack the line of the denominator.
 */
static bool metric_printed(const struct capture *c, const struct counter_metric_def *def,
			   const struct counter_sum *top, struct counter_metric *ret)
{
	const struct counter *row = &c->counters->rows.data[top->row];
	struct str rest = metric_string(c, row->comment);
	double value;

	if (!def->printed || top->n_rows != 1 || !metric_number(&rest, &value))
		return false;
	rest = str_ltrim(rest);
	if (str_take(&rest, STR("%")) != str_eq(str_of(def->unit), STR("%")))
		return false;
	if (!str_glob(str_of(def->printed), str_ltrim(rest)))
		return false;
	*ret = (struct counter_metric){ .def = def,
					.value = value,
					.low = value,
					.high = value,
					.peak = value,
					.running = top->running,
					.n = 1,
					.name = top->name,
					.line = row->line };
	return isfinite(value) && value >= 0;
}

/*
 * Largest fraction (0 to 1) of the sum @top that was counted in one interval. 0: there are fewer
 * than three intervals.
 */
static double metric_burst(const struct capture *c, const struct counter_sum *top)
{
	const struct counters *k = c->counters;
	double sum = 0, most = 0, all = 0;
	uint32_t interval = 0;

	if (k->n_intervals < 3 || top->n_rows < 3)
		return 0;
	VEC_FOREACH (row, &k->rows) {
		if (row->state != COUNTER_COUNTED || row->name.v != top->name.v)
			continue;
		sum = row->interval == interval ? sum : 0;
		interval = row->interval;
		sum += counter_value(row);
		all += counter_value(row);
		most = fmax(most, sum);
	}
	return all > 0 ? most / all : 0;
}

/*
 * A percentage of pipeline slots (topdown-* events), for which perf counted slots: take the
 * percentage that perf printed next to the count, or divide the count by the number of all slots.
 */
static bool metric_of_slots(const struct capture *c, const struct counter_metric_def *def,
			    struct counter_sum *top, struct counter_metric *ret)
{
	struct counter_sum slots;

	if (metric_printed(c, def, top, ret))
		return true;
	if (!counter_sum_of(c, COUNTS_SLOTS, &slots) || !(slots.value >= top->value))
		return false;
	*ret = (struct counter_metric){ .def = def,
					.value = 100 * top->value / slots.value,
					.running = top->running,
					.n = 1,
					.name = top->name,
					.line = c->counters->rows.data[top->row].line };
	ret->low = ret->high = ret->peak = ret->value;
	return true;
}

static bool metric_ratio(const struct capture *c, const struct counter_metric_def *def,
			 struct counter_metric *ret)
{
	struct counter_sum top, bottom = { .value = 1, .running = -1 };
	double rel = 0;

	if (!metric_sum(c, def->top, &top))
		return false;
	if (def->bottom != COUNTS_NONE && !metric_sum(c, def->bottom, &bottom))
		return metric_printed(c, def, &top, ret);
	if (!(bottom.value > 0) ||
	    (metric_is_hardware(def->top) && metric_is_hardware(def->bottom) &&
	     metric_levels(c, &top) != metric_levels(c, &bottom)))
		return false;
	/*
	 * task-clock includes all privilege levels: cycles of only some levels give no clock
	 * frequency
	 */
	if (top.is_unseen || (def->top == COUNTS_CYCLES && def->bottom == COUNTS_TASK_CLOCK &&
			      metric_levels(c, &top)))
		return false;
	if (def->bottom == COUNTS_NONE && top.value > 100.0 * (double)top.n_rows)
		return metric_of_slots(c, def, &top, ret);
	if (def->bottom == COUNTS_NONE)
		top.value /= top.n_rows; /* `top` is a sum of percentages: use their mean */
	if (top.rel >= 0 && bottom.rel >= 0)
		rel = sqrt(top.rel * top.rel + bottom.rel * bottom.rel) * STATS_Z95;
	*ret = (struct counter_metric){ .def = def,
					.value = top.value / bottom.value * def->scale,
					.running = top.running,
					.n = 1,
					.name = top.name,
					.line = c->counters->rows.data[top.row].line };
	if (bottom.running >= 0 && (ret->running < 0 || bottom.running < ret->running))
		ret->running = bottom.running;
	if (bottom.n_rows) {
		ret->bottom = bottom.name;
		ret->bottom_line = c->counters->rows.data[bottom.row].line;
	}
	/*
	 * user and system time are counted in ticks: in a very short run, they may exceed
	 * task-clock
	 */
	if (def->is_part && ret->value > METRIC_MOST)
		return false;
	ret->value = def->is_part ? fmin(ret->value, 100) : ret->value;
	ret->low = fmax(0, ret->value * (1 - rel));
	ret->high = ret->value * (1 + rel);
	if (def->cost > 0) {
		ret->value *= def->cost;
		ret->low *= def->cost_low;
		ret->high *= def->cost_high;
	}
	ret->peak = ret->value;
	ret->burst = metric_burst(c, &top);
	return true;
}

/* Sum of a column over all intervals, for one key: a CPU, device or process. */
struct metric_key {
	str_id key;
	double sum, peak;
	uint64_t n; /* number of intervals in the sum */
	uint32_t row, peak_row;
};

struct metric_keys {
	struct idmap map;
	VEC(struct metric_key) rows;
	/* value of the first row that was left out because its value is impossible */
	double impossible;
	/* index of the row with the value `impossible`; INDEX_NONE: no row was left out */
	uint32_t bad_row;
};

static struct metric_key *metric_key_of(struct metric_keys *k, str_id key, uint32_t row)
{
	struct idmap_probe p = idmap_first(&k->map, hash_u64(key.v, 31));

	while (idmap_next(&k->map, &p)) {
		if (k->rows.data[p.id].key.v == key.v)
			return &k->rows.data[p.id];
	}
	idmap_insert(&k->map, &p, (uint32_t)k->rows.len);
	*VEC_PUSH(&k->rows) = (struct metric_key){ .key = key, .peak = -INFINITY, .row = row };
	return &k->rows.data[k->rows.len - 1];
}

/*
 * Sum of the values that def->also adds to the value of row @at. They are in other columns of the
 * same input line, and have the same key.
 */
static double metric_also(const struct capture *c, const struct counter_metric_def *def,
			  uint32_t at)
{
	const struct counters *k = c->counters;
	const struct counter *row = &k->rows.data[at];
	uint32_t from = at > METRIC_COLUMNS ? at - METRIC_COLUMNS : 0;
	double sum = 0;

	for (uint32_t i = from; def->also && i < k->rows.len && i - from <= 2 * METRIC_COLUMNS;
	     i++) {
		const struct counter *other = &k->rows.data[i];

		if (other->line == row->line && other->key.v == row->key.v &&
		    other->interval == row->interval && other->state == COUNTER_COUNTED &&
		    str_glob(str_of(def->also), metric_string(c, other->name)))
			sum += counter_value(other);
	}
	return sum;
}

/*
 * Whether @row must be left out, because its rates are means since boot, as in the first report of
 * vmstat.
 */
static bool metric_is_old(const struct capture *c, const struct counter_metric_def *def,
			  const struct counter *row)
{
	const struct counters *k = c->counters;

	return row->interval == 0 && (k->is_since_boot || (k->is_only_since_boot && !def->is_now));
}

/* A name, and the rows with this name. So a metric reads only the rows of its column. */
struct metric_name {
	str_id name;
	/* the rows with this name are rows[from] to rows[from + n - 1] of struct metric_names */
	uint32_t from, n;
};

struct metric_names {
	struct idmap map;
	VEC(struct metric_name) names; /* names of columns, in the order of their first rows */
	uint32_t *rows;
};

static uint32_t metric_name_of(struct metric_names *x, str_id name)
{
	struct idmap_probe p = idmap_first(&x->map, hash_u64(name.v, 31));

	while (idmap_next(&x->map, &p)) {
		if (x->names.data[p.id].name.v == name.v)
			return p.id;
	}
	idmap_insert(&x->map, &p, (uint32_t)x->names.len);
	*VEC_PUSH(&x->names) = (struct metric_name){ .name = name };
	return (uint32_t)x->names.len - 1;
}

/* Group the rows of @k by name. Owner: caller, metric_names_fini(). Cost: O(rows). */
static void metric_names_init(struct metric_names *x, const struct counters *k)
{
	uint32_t *ids = xmalloc((k->rows.len + 1) * sizeof(*ids));
	uint32_t from = 0;

	*x = (struct metric_names){ .rows = xmalloc((k->rows.len + 1) * sizeof(*x->rows)) };
	for (uint32_t i = 0; i < k->rows.len; i++) {
		ids[i] = metric_name_of(x, k->rows.data[i].name);
		x->names.data[ids[i]].n++;
	}
	VEC_FOREACH (name, &x->names) {
		name->from = from;
		from += name->n;
		name->n = 0;
	}
	for (uint32_t i = 0; i < k->rows.len; i++) {
		struct metric_name *name = &x->names.data[ids[i]];

		x->rows[name->from + name->n++] = i;
	}
	free(ids);
}

static void metric_names_fini(struct metric_names *x)
{
	VEC_FREE(&x->names);
	idmap_fini(&x->map);
	free(x->rows);
}

static bool metric_counts(const struct capture *c, const struct counter_metric_def *def,
			  const struct counter *row)
{
	/* "in" of dstat is a number of bytes paged in; that of vmstat is a number of interrupts */
	bool is_bytes =
		strcmp(def->unit, "/s") == 0 && str_eq(metric_string(c, row->unit), STR("B"));

	return row->state == COUNTER_COUNTED && !is_bytes && !metric_is_old(c, def, row);
}

/*
 * Find the column whose name matches the pattern @names, and which has a value. If several columns
 * match, take the column whose first value comes first in the input. NULL: none.
 */
static const struct metric_name *metric_column_of(const struct capture *c,
						  const struct metric_names *x,
						  const struct counter_metric_def *def,
						  const char *names)
{
	const struct metric_name *ret = NULL;
	uint32_t first = UINT32_MAX;

	VEC_FOREACH (name, &x->names) {
		if (!str_glob(str_of(names), metric_string(c, name->name)))
			continue;
		for (uint32_t i = name->from; i < name->from + name->n && x->rows[i] < first; i++) {
			if (!metric_counts(c, def, &c->counters->rows.data[x->rows[i]]))
				continue;
			first = x->rows[i];
			ret = name;
		}
	}
	return ret;
}

/* Whether @row is a thread: all rows of top -H are, and rows of pidstat -t with such a name. */
static bool metric_is_thread(const struct capture *c, const struct counter *row)
{
	bool is_thread;

	(void)counter_task_name(metric_string(c, row->key), &is_thread);
	return is_thread || c->counters->is_threads;
}

static bool metric_has_threads(const struct capture *c)
{
	VEC_FOREACH (row, &c->counters->rows) {
		if (metric_is_thread(c, row))
			return true;
	}
	return false;
}

/*
 * For each key (CPU, device, process), sum one column over all intervals. The column is the first
 * one whose name matches @names.
 */
static void metric_gather(const struct capture *c, const struct metric_names *x,
			  const struct counter_metric_def *def, const char *names,
			  struct metric_keys *k)
{
	const struct metric_name *column = metric_column_of(c, x, def, names);

	if (def->tasks == METRIC_TASKS_WHOLE && metric_has_threads(c))
		return;
	for (uint32_t n = 0; column && n < column->n; n++) {
		uint32_t i = x->rows[column->from + n];
		const struct counter *row = &c->counters->rows.data[i];
		struct metric_key *key;
		double v;

		if (!metric_counts(c, def, row) ||
		    (def->tasks == METRIC_TASKS_THREADS && !metric_is_thread(c, row)))
			continue;
		v = counter_value(row) + metric_also(c, def, i);
		v = def->is_inverted ? 100 - v : v;
		if (def->is_share && (v < METRIC_LEAST || v > METRIC_MOST)) {
			if (k->bad_row == INDEX_NONE)
				k->impossible = v;
			k->bad_row = k->bad_row == INDEX_NONE ? i : k->bad_row;
			continue;
		}
		/*
		 * METRIC_SHARE describes a single moment, such as one listing of top: use only the
		 * last interval
		 */
		if (def->how == METRIC_SHARE && row->interval + 1 < c->counters->n_intervals)
			continue;
		if (def->keys && !str_glob(str_of(def->keys), metric_string(c, row->key)))
			continue;
		if (def->is_share)
			v = fmin(fmax(v, 0), 100);
		key = metric_key_of(k, row->key, i);
		if (def->how == METRIC_LAST) {
			*key = (struct metric_key){ .key = row->key,
						    .peak = key->peak,
						    .row = i,
						    .peak_row = key->peak_row };
		}
		key->sum += v;
		key->n++;
		key->peak_row = v > key->peak ? i : key->peak_row;
		key->peak = fmax(key->peak, v);
	}
}

static bool metric_is_all(const struct capture *c, const struct metric_key *k)
{
	return k->key.v == 0 || str_glob(STR("all|-|-1"), metric_string(c, k->key));
}

static double metric_mean(const struct metric_key *k)
{
	return k->sum / (double)k->n;
}

/* The key (CPU, device or process) with the highest mean; NULL: rows have no keys, only totals. */
static const struct metric_key *metric_highest(const struct capture *c,
					       const struct metric_keys *keys)
{
	const struct metric_key *top = NULL;

	VEC_FOREACH (k, &keys->rows) {
		if (!metric_is_all(c, k) && (!top || metric_mean(k) > metric_mean(top)))
			top = k;
	}
	return top;
}

/*
 * Number of keys (CPUs, devices or processes) whose mean is at least METRIC_NEAR of the mean of
 * @top.
 */
static uint32_t metric_near(const struct capture *c, const struct metric_keys *keys,
			    const struct metric_key *top)
{
	uint32_t n = 0;

	VEC_FOREACH (k, &keys->rows)
		n += !metric_is_all(c, k) && metric_mean(k) >= metric_mean(top) * METRIC_NEAR;
	return n;
}

/*
 * The mean over all keys (CPUs, devices or processes) except @except. With @takes_all, use the row
 * "all" of the tool instead, if it printed one.
 */
static bool metric_rest(const struct capture *c, const struct metric_keys *keys, bool takes_all,
			const struct metric_key *except, struct metric_key *ret)
{
	*ret = (struct metric_key){ .n = 0 };
	VEC_FOREACH (k, &keys->rows) {
		if (takes_all && metric_is_all(c, k)) {
			*ret = *k;
			ret->key = STR_ID_NONE;
			return true;
		}
		if (metric_is_all(c, k) || k == except)
			continue;
		ret->row = ret->n ? ret->row : k->row;
		ret->sum += k->sum;
		ret->n += k->n;
		ret->peak_row = ret->n == k->n || k->peak > ret->peak ? k->peak_row : ret->peak_row;
		ret->peak = fmax(ret->peak, k->peak);
	}
	return ret->n > 0;
}

/*
 * The share of @top, in percent, of the sum over all keys (CPUs, devices or processes). False:
 * there is only one key, or the sum is less than def->least.
 */
static bool metric_share(const struct capture *c, const struct counter_metric_def *def,
			 const struct metric_keys *keys, const struct metric_key *top,
			 struct metric_key *ret)
{
	double all = 0;

	VEC_FOREACH (k, &keys->rows)
		all += metric_is_all(c, k) ? 0 : metric_mean(k);
	*ret = *top;
	ret->sum = all > 0 ? ret->sum / all * 100 : 0;
	ret->peak = metric_mean(ret);
	return all >= def->least && keys->rows.len > 1;
}

static const struct metric_key *metric_key_find(struct metric_keys *k, str_id key)
{
	struct idmap_probe p = idmap_first(&k->map, hash_u64(key.v, 31));

	while (idmap_next(&k->map, &p)) {
		if (k->rows.data[p.id].key.v == key.v)
			return &k->rows.data[p.id];
	}
	return NULL;
}

/*
 * For each key (CPU, device or process), divide a column by another column. Take the key with the
 * highest ratio.
 */
static bool metric_part(const struct capture *c, const struct metric_names *x,
			const struct counter_metric_def *def, struct metric_keys *tops,
			struct counter_metric *ret)
{
	struct metric_keys bottoms = { .rows = VEC_INIT, .bad_row = INDEX_NONE };
	const struct metric_key *bad = NULL;
	double impossible = 0;
	const struct counter *rows = c->counters->rows.data;

	*ret = (struct counter_metric){ .def = def, .running = -1, .n = 1, .value = -1 };
	metric_gather(c, x, def, def->per, &bottoms);
	VEC_FOREACH (top, &tops->rows) {
		const struct metric_key *bottom = metric_key_find(&bottoms, top->key);
		double whole = bottom ? bottom->sum + (def->is_of_both ? top->sum : 0) : 0;
		double part = bottom ? top->sum / whole * def->scale : 0;

		if (!bottom || !(whole > 0) || part <= ret->value ||
		    (whole < def->least && (!def->is_part_of_cases || top->sum > whole)))
			continue;
		if (def->is_part && part > METRIC_MOST) {
			bad = bad ? bad : top;
			impossible = bad == top ? part : impossible;
			continue;
		}
		part = def->is_part ? fmin(part, 100) : part;
		ret->value = ret->low = ret->high = ret->peak = part;
		ret->few = 0;
		if (whole < def->least) {
			struct interval i = stats_wilson(top->sum, whole, STATS_Z95);

			ret->few = whole;
			ret->low = i.low;
			ret->high = i.high;
		}
		ret->key = metric_is_all(c, top) ? STR_ID_NONE : top->key;
		ret->name = rows[top->row].name;
		ret->line = rows[top->row].line;
		ret->bottom = rows[bottom->row].name;
		ret->bottom_line = rows[bottom->row].line;
	}
	VEC_FREE(&bottoms.rows);
	idmap_fini(&bottoms.map);
	if (bad) {
		tops->bad_row = bad->row;
		tops->impossible = impossible;
	}
	return ret->value >= 0;
}

/*
 * Find the smallest percentage of the time in which an event had a hardware counter. perf prints it
 * only if events had to share counters.
 */
static bool metric_running(const struct capture *c, const struct counter_metric_def *def,
			   struct counter_metric *ret)
{
	*ret = (struct counter_metric){ .def = def, .value = 100, .running = -1, .n = 1 };
	VEC_FOREACH (row, &c->counters->rows) {
		double v = row->running;

		if (row->state != COUNTER_COUNTED || v < 0 || v >= ret->value)
			continue;
		ret->value = ret->low = ret->high = ret->peak = v;
		ret->name = row->name;
		ret->key = row->key;
		ret->line = row->line;
	}
	return ret->value < 100 && str_glob(str_of(def->tool), metric_string(c, c->counters->tool));
}

/*
 * For a metric without a valid row: if a row was left out because its value is impossible, append
 * this value to all->impossible.
 */
static void metric_add_impossible(const struct capture *c, const struct counter_metric_def *def,
				  const struct metric_keys *keys, struct counter_metrics *all)
{
	if (keys->bad_row != INDEX_NONE && all->n_impossible < COUNTER_IMPOSSIBLE_MAX)
		all->impossible[all->n_impossible++] =
			(struct counter_impossible){ def, keys->impossible,
						     c->counters->rows.data[keys->bad_row].line };
}

static bool metric_column(const struct capture *c, const struct metric_names *x,
			  const struct counter_metric_def *def, struct counter_metric *ret,
			  struct counter_metrics *all)
{
	struct metric_keys keys = { .rows = VEC_INIT, .bad_row = INDEX_NONE };
	const struct metric_key *top;
	struct metric_key k = { .n = 0 };
	bool has = false;

	if (!str_glob(str_of(def->tool), metric_string(c, c->counters->tool)))
		return false;
	metric_gather(c, x, def, def->column, &keys);
	top = metric_highest(c, &keys);
	if (def->how == METRIC_PART) {
		bool has_part = metric_part(c, x, def, &keys, ret);

		if (!has_part)
			metric_add_impossible(c, def, &keys, all);
		VEC_FREE(&keys.rows);
		idmap_fini(&keys.map);
		return has_part;
	}
	if (def->how == METRIC_LAST && !top && keys.rows.len)
		top = &keys.rows.data[0];
	if ((def->how == METRIC_TOP || def->how == METRIC_LAST) && top) {
		k = *top;
		has = true;
	} else if (def->how == METRIC_SHARE && top) {
		has = metric_share(c, def, &keys, top, &k);
	} else if (def->how == METRIC_ALL) {
		has = metric_rest(c, &keys, true, NULL, &k);
	} else if (def->how == METRIC_OTHERS && keys.rows.len > 1) {
		/*
		 * leave out the key with the lowest mean. For the column %idle, this is the busiest
		 * CPU
		 */
		VEC_FOREACH (other, &keys.rows) {
			if (!metric_is_all(c, other) && metric_mean(other) < metric_mean(top))
				top = other;
		}
		has = metric_rest(c, &keys, false, top, &k);
	}
	if (has)
		*ret = (struct counter_metric){
			.def = def,
			.value = metric_mean(&k),
			.low = metric_mean(&k),
			.high = metric_mean(&k),
			.running = -1,
			.peak = k.peak,
			.n = k.n,
			.name = c->counters->rows.data[k.row].name,
			.key = k.key,
			.line = c->counters->rows.data[k.row].line,
			.peak_line = def->how == METRIC_SHARE
					     ? 0
					     : c->counters->rows.data[k.peak_row].line,
			.n_near = def->how == METRIC_TOP ? metric_near(c, &keys, &k) : 0
		};
	else
		metric_add_impossible(c, def, &keys, all);
	VEC_FREE(&keys.rows);
	idmap_fini(&keys.map);
	return has;
}

void counter_metrics_compute(const struct capture *c, struct counter_metrics *ret)
{
	struct metric_names x;

	ret->n = 0;
	ret->n_impossible = 0;
	metric_names_init(&x, c->counters);
	for (size_t i = 0; i < ARRAY_LEN(metric_defs) && ret->n < COUNTER_METRICS_MAX; i++) {
		const struct counter_metric_def *def = &metric_defs[i];

		ret->n += def->how == METRIC_RATIO ? metric_ratio(c, def, &ret->rows[ret->n])
			  : def->how == METRIC_RUNNING
				  ? metric_running(c, def, &ret->rows[ret->n])
				  : metric_column(c, &x, def, &ret->rows[ret->n], ret);
	}
	metric_names_fini(&x);
}

const struct counter_metric *counter_metrics_find(const struct counter_metrics *m, const char *ids)
{
	for (size_t i = 0; i < m->n; i++) {
		if (str_glob(str_of(ids), str_of(m->rows[i].def->id)))
			return &m->rows[i];
	}
	return NULL;
}

bool counter_metric_is_whole(const struct counter_metric *m)
{
	return m->def->is_now && !str_eq(str_of(m->def->unit), STR("%")) && m->n == 1 &&
	       m->value == floor(m->value);
}

const struct counter_metric_def *counter_metrics_def(const struct capture *c, const char *ids)
{
	for (size_t i = 0; i < ARRAY_LEN(metric_defs); i++) {
		const struct counter_metric_def *def = &metric_defs[i];
		const char *tool = def->how == METRIC_RATIO ? "perf stat" : def->tool;

		/*
		 * skip metrics for certain keys (def->keys), or for tasks: the table may lack these
		 * keys or tasks
		 */
		if (def->how != METRIC_RUNNING && !def->keys &&
		    str_glob(str_of(ids), str_of(def->id)) &&
		    str_glob(str_of(tool), metric_string(c, c->counters->tool)) &&
		    (!def->tasks || (def->tasks == METRIC_TASKS_THREADS) == metric_has_threads(c)))
			return def;
	}
	return NULL;
}
