/* SPDX-License-Identifier: MIT */
/*
 * counter_pairs.c - lines with one name and one value: /proc/meminfo, smaps, status, vmstat,
 * summaries of load generators, statistics of caches
 *
 * A dialect is the set of names that one tool prints. Consecutive lines of one tool are a group,
 * which becomes one capture. If a name is repeated, another capture begins.
 *
 * ethtool -S prints totals since the driver was loaded. Two of its snapshots of one device become
 * one capture, which has the differences.
 */
#include "base/idmap.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "formats/counters/counter_label.h"
#include "formats/counters/counter_number.h"
#include "formats/format.h"
#include "formats/unread_rows.h"

#include <stdio.h>

DECLARE_FORMAT(counter_pairs);

/* maximum number of consecutive lines of other kinds inside a group of lines */
#define PAIRS_GAP   3u
#define PAIRS_SCORE 95u
#define PAIRS_UNIT  12u
#define PAIRS_NAME  128u /* maximum length of a name with its section, in bytes */
/* for lines whose value is ignored: maximum number of bytes before the value */
#define PAIRS_OTHER 40u
/* a new name is compared with at most this number of earlier names of its group */
#define PAIRS_NAMES 64u
/* maximum number of other lines between the command and the first snapshot */
#define PAIRS_ABOVE 3u
/* maximum distance in lines between the command and a later snapshot */
#define PAIRS_BACK 256u
/* maximum number of files in a command */
#define PAIRS_FILES 16u
/* two snapshots have a difference only if they have at least this number of counters in common */
#define PAIRS_SHARED 4u
/* name of the tool in a capture that has the differences of two snapshots */
#define PAIRS_DIFFERENCE "ethtool -S, difference"

static const struct diag_kind pairs_lines = { "counter-pairs-lines", DIAG_INFO,
					      "lines between names and values" };
static const struct diag_kind pairs_past = { "counter-pairs-past-limit", DIAG_DATALOSS,
					     "values past the limit" };

enum pairs_order {
	PAIRS_COLON, /* name, ':' or '=', value: "Name: 12 kB", "Name = 12 ms" */
	PAIRS_BLANK, /* name, blank, value: "name 12" */
	PAIRS_VALUE, /* value, then name: "12.5 usecs/op" */
	PAIRS_STAT,  /* the word STAT, name, value: "STAT name 12" */
	PAIRS_ORDERS,
};

struct pairs_dialect {
	const char *tool;
	const char *names; /* str_glob pattern of the names that the tool prints */
	enum pairs_order order;
	unsigned int least; /* minimum number of lines that form a group */
	/* str_glob pattern of the tool's lines whose value is ignored; NULL: none */
	const char *others;
	/* a value must have this unit, because other tools print the same name; NULL: any unit */
	const char *unit;
	/*
	 * str_glob pattern of names of errors; a list "(Connect: 0, Length: 12)" may also have
	 * them. Each becomes a counter "errors" with the name as its unit, so that errors can be
	 * added up.
	 */
	const char *errors;
	/*
	 * str_glob pattern of the titles of sections, if several sections have the same names. Then
	 * the title is put before the name of each counter. NULL: no sections.
	 */
	const char *sections;
	/*
	 * str_glob pattern of a title whose last word is the owner of the next counters; NULL: none
	 */
	const char *owner;
	/* the values are totals since boot, so the differences of two snapshots are used */
	bool is_total;
	/*
	 * The tool also prints names that are not in `names`. So any line "name: 12" is a counter,
	 * if it follows the title or a known name, and has the same indentation.
	 */
	bool is_open;
};

/* clang-format off */
static const struct pairs_dialect pairs_dialects[] = {
	/* source: Documentation/filesystems/proc.rst: meminfo, smaps, status; mm/vmstat.c: vmstat_text[] */
	{ "/proc/meminfo", "MemTotal|MemFree|Balloon|MemAvailable|Buffers|Cached|SwapCached|Active|Active(*)|Inactive|Inactive(*)|"
	  "Unevictable|Mlocked|SwapTotal|SwapFree|Zswap|Zswapped|Dirty|Writeback|AnonPages|Mapped|Shmem|KReclaimable|Slab|"
	  "SReclaimable|SUnreclaim|KernelStack|PageTables|SecPageTables|NFS_Unstable|Bounce|WritebackTmp|CommitLimit|"
	  "Committed_AS|VmallocTotal|VmallocUsed|VmallocChunk|Percpu|HardwareCorrupted|AnonHugePages|ShmemHugePages|"
	  "ShmemPmdMapped|FileHugePages|FilePmdMapped|CmaTotal|CmaFree|HugePages_*|Hugepagesize|Hugetlb|DirectMap*", PAIRS_COLON, 3 },
	{ "/proc/PID/smaps", "Size|KernelPageSize|MMUPageSize|Rss|Pss|Pss_*|Shared_Clean|Shared_Dirty|Private_Clean|Private_Dirty|"
	  "Referenced|Anonymous|KSM|LazyFree|AnonHugePages|ShmemPmdMapped|FilePmdMapped|Shared_Hugetlb|Private_Hugetlb|Swap|"
	  "SwapPss|Locked", PAIRS_COLON, 3 },
	{ "/proc/PID/status", "Pid|VmPeak|VmSize|VmLck|VmPin|VmHWM|VmRSS|RssAnon|RssFile|RssShmem|VmData|VmStk|VmExe|VmLib|VmPTE|VmPMD|"
	  "VmSwap|HugetlbPages|Threads|voluntary_ctxt_switches|nonvoluntary_ctxt_switches", PAIRS_COLON, 2,
	  "Umask:*|State:*(*)|Tgid:*|Ngid:*|PPid:*|TracerPid:*|Uid:*|Gid:*|FDSize:*|Groups:*|NS*id:*|Sig*:*|Shd*:*|Cap*:*|"
	  "Kthread:*|x86_Thread_features*:*|untag_mask:*|Seccomp*:*|Cpus_allowed*:*|Mems_allowed*:*|CoreDumping:*|THP_enabled:*|NoNewPrivs:*|Speculation*:*" },
	/* source: Linux, kernel/sched/core.c, cpu_cfs_stat_show(); kernel/cgroup/rstat.c, cgroup_base_stat_cputime_show() */
	{ "cpu.stat", "usage_usec|user_usec|system_usec|nice_usec|core_sched.force_idle_usec|nr_periods|nr_throttled|throttled_usec|"
	  "throttled_time|wait_sum|current_bw|nr_bursts|burst_usec|burst_time", PAIRS_BLANK, 3 },
	/* source: iproute2, misc/nstat.c, dump_kern_db(); net-tools: statistics.c */
	/* one line, as people select it with grep: no other tool prints these names */
	{ "nstat", "TcpExtListenOverflows|TcpExtListenDrops", PAIRS_BLANK, 1 },
	{ "nstat", "Ip*|Icmp*|Tcp*|Udp*", PAIRS_BLANK, 3 },
	{ "netstat -s", "times the listen queue of a socket overflowed|SYNs to LISTEN sockets dropped|SYNs to LISTEN sockets ignored",
	  PAIRS_VALUE, 1 },
	{ "netstat -s", "active connection*|passive connection*|failed connection attempts|connection resets received|"
	  "connections established|segments received|segments sent out|segments retransmit*|bad segments received|resets sent|"
	  "packets received|packets sent|packet receive errors|receive buffer errors|send buffer errors|packets to unknown port received|"
	  "total packets received|incoming packets *|requests sent out|forwarded|with invalid *|outgoing packets dropped|"
	  "TCP sockets finished time wait *|delayed acks *|fast retransmits|retransmits in slow start|connections reset due to *|"
	  "connections aborted due to *|times the listen queue of a socket overflowed|SYNs to LISTEN sockets dropped|"
	  "packets pruned from receive queue *|packets dropped from out-of-order queue *|packets collapsed in receive queue *|packet headers predicted|acknowledgments *|"
	  "predicted acknowledgments|ICMP messages *|other TCP timeouts|* loss probes*|* timeouts in *|* packets rejected *", PAIRS_VALUE, 5,
	  "Ip:|Icmp:|IcmpMsg:|Tcp:|Udp:|UdpLite:|TcpExt:|IpExt:|MPTcpExt:" },
	{ "netstat -s", "TCP*|InType*|OutType*|IPReversePathFilter|InOctets|OutOctets|InNoECTPkts|InMcastPkts|InBcastPkts", PAIRS_COLON, 5 },
	/*
	 * each driver has names of its own; source: ethtool(8), -S;
	 * Documentation/networking/statistics.rst
	 */
	{ "ethtool", "rx_*|tx_*|rx?_*|tx?_*|rx??_*|tx??_*|port.rx_*|port.tx_*|veb.rx_*|veb.tx_*|rx-*|tx-*|ch*_*|alloc_rx_*|fdir_*|"
	  "queue_*_rx_*|queue_*_tx_*",
	  PAIRS_COLON, 4, "NIC statistics:", .is_total = true, .is_open = true },
	/* source: ethtool(8), -g; ethtool.c, dump_ring() */
	{ "ethtool -g", "RX|RX Mini|RX Jumbo|TX|RX Buf Len|CQE Size", PAIRS_COLON, 2,
	  "Ring parameters for *:|Pre-set maximums:|Current hardware settings:|R? *:*n/a|TX:*n/a|TX Push*:*|RX Buf*:*n/a|"
	  "CQE Size:*n/a|TCP data split:*", .unit = "", .sections = "Pre-set maximums:|Current hardware settings:",
	  .owner = "Ring parameters for *:" },
	/*
	 * The path of the file may precede the value: "/proc/sys/...:value". Source:
	 * Documentation/networking/nf_conntrack-sysctl.rst
	 */
	{ "nf_conntrack", "*nf_conntrack_count|*nf_conntrack_max|*nf_conntrack_buckets|*nf_conntrack_*_timeout*|*nf_conntrack_tcp_loose|"
	  "*nf_conntrack_tcp_be_liberal|*nf_conntrack_expect_max", PAIRS_COLON, 2 },
	{ "/proc/vmstat", "nr_*|numa_*|pg*|psw*|allocstall*|compact_*|thp_*|workingset_*|kswapd_*|oom_kill|unevictable_pgs_*|"
	  "htlb_*|balloon_*|swpin_*|swpout_*|ksm_*|cow_ksm|zswpin|zswpout|zswpwb|direct_map_*|drop_pagecache|drop_slab|pageoutrun|slabs_scanned|zone_reclaim*|swap_ra*", PAIRS_BLANK, 3 },
	/*
	 * memory.stat must follow vmstat in this table: both files have some names in common, such
	 * as pgfault, and a group that begins with such a name is read as vmstat. Source: Linux,
	 * mm/memcontrol.c, memcg_stat_format()
	 */
	{ "memory.stat", "anon|file|kernel|kernel_stack|pagetables|sec_pagetables|percpu|sock|vmalloc|shmem|zswap|zswapped|file_mapped|"
	  "file_dirty|file_writeback|swapcached|anon_thp|file_thp|shmem_thp|inactive_anon|active_anon|inactive_file|active_file|"
	  "unevictable|slab_reclaimable|slab_unreclaimable|slab|hugetlb|workingset_*|pgscan|pgsteal|pgscan_*|pgsteal_*|pgfault|"
	  "pgmajfault|pgrefill|pgactivate|pgdeactivate|pglazyfree|pglazyfreed|swpin_zero|swpout_zero|zswpin|zswpout|zswpwb|thp_*|"
	  "numa_*|pgdemote_*|pgpromote_*|pswpin|pswpout", PAIRS_BLANK, 6 },
	/* source: Linux, mm/memcontrol.c, __memory_events_show() */
	{ "memory.events", "low|high|max|oom|oom_kill|oom_group_kill|sock_throttled", PAIRS_BLANK, 4 },
	/* source: Linux, Documentation/admin-guide/cgroup-v2.rst; the output of "grep . memory.*" */
	{ "cgroup memory", "*memory.current|*memory.peak|*memory.low|*memory.min|*memory.high|*memory.max|*memory.swap.current|"
	  "*memory.swap.peak|*memory.swap.high|*memory.swap.max", PAIRS_COLON, 1, "*memory.oom.group:*|*memory.*:max" },
	/* source: src/bin/pgbench/pgbench.c, printResults() */
	{ "pgbench", "tps|latency average|latency stddev|initial connection time|number of transactions actually processed|"
	  "number of failed transactions|number of serialization failures|number of deadlock failures|number of other failures|"
	  "number of transactions retried|total number of retries|scaling factor|number of clients|number of threads|"
	  "maximum number of tries|duration", PAIRS_COLON, 3 },
	/* source: wg/wrk, src/wrk.c */
	{ "wrk", "Requests/sec|Transfer/sec", PAIRS_COLON, 1 },
	/* source: apache, support/ab.c */
	{ "ab", "Concurrency Level|Time taken for tests|Complete requests|Failed requests|Total transferred|HTML transferred|"
	  "Requests per second|Time per request|Transfer rate|Write errors|Non-2xx responses", PAIRS_COLON, 3,
	  .errors = "Connect|Receive|Exceptions|Write errors|Non-2xx responses" },
	/* source: redis, src/server.c, genRedisInfoString() */
	{ "redis INFO", "uptime_in_seconds|uptime_in_days|used_cpu_*|connected_clients|connected_slaves|client_longest_output_list|client_biggest_input_buf|client_recent_*|blocked_clients|tracking_clients|clients_in_*|"
	  "used_memory|used_memory_rss|used_memory_peak|used_memory_overhead|used_memory_startup|used_memory_dataset|used_memory_lua|used_memory_vm_*|used_memory_scripts|used_memory_functions|total_system_memory|number_of_cached_scripts|maxmemory|allocator_*|rss_overhead_*|"
	  "mem_fragmentation_*|mem_clients_*|mem_aof_buffer|mem_replication_backlog|mem_not_counted_for_evict|active_defrag_*|lazyfree*|"
	  "loading|rdb_*|aof_*|changes_since_last_save|bgsave_in_progress|bgrewriteaof_in_progress|last_save_time|total_connections_received|total_commands_processed|total_net_*|total_reads_processed|total_writes_processed|total_error_replies|total_forks|instantaneous_*|"
	  "rejected_connections|sync_full|sync_partial_*|expired_keys|expired_time_cap_reached_count|evicted_keys|evicted_clients|keyspace_hits|keyspace_misses|pubsub_*|latest_fork_usec|"
	  "master_link_down_since_seconds|master_last_io_seconds_ago|master_sync_*|master_repl_offset|second_repl_offset|"
	  "repl_backlog_*|slave_*|vm_enabled|io_threads_active|errorstat_*|hz|configured_hz|lru_clock|process_id|arch_bits|tcp_port", PAIRS_COLON, 4,
	  "# Server|# Clients|# Memory|# Persistence|# Stats|# Replication|# CPU|# Modules|# Errorstats|# Cluster|# Keyspace|"
	  "redis_*:*|os:*|multiplexing_api:*|atomicvar_api:*|gcc_version:*|run_id:*|executable:*|config_file:*|*_human:*|mem_allocator:*|"
	  "maxmemory_policy:*|rdb_last_bgsave_status:*|aof_last_*_status:*|instantaneous_*_kbps:*|role:*|slave?:*|master_host:*|"
	  "master_link_status:*|master_replid*:*|master_failover_state:*|*_perc:*%|db*:keys=*|module:*|*_kbps:*|*_perc:*|server_*:*|"
	  "monotonic_clock:*",
	  .is_open = true },
	/*
	 * The output of "stats slabs", "stats items" and "stats conns" is not read here: it has a
	 * number before each name. Source: memcached, doc/protocol.txt, "General-purpose
	 * statistics"
	 */
	{ "memcached stats", "pid|uptime|time|pointer_size|rusage_user|rusage_system|max_connections|curr_connections|total_connections|"
	  "rejected_connections|connection_structures|response_obj_*|read_buf_*|reserved_fds|cmd_*|get_hits|get_misses|get_expired|"
	  "get_flushed|delete_hits|delete_misses|incr_hits|incr_misses|decr_hits|decr_misses|cas_hits|cas_misses|cas_badval|touch_hits|"
	  "touch_misses|store_too_large|store_no_memory|auth_cmds|auth_errors|idle_kicks|bytes|bytes_read|bytes_written|limit_maxbytes|"
	  "accepting_conns|listen_disabled_num|time_in_listen_disabled_us|threads|conn_yields|hash_power_level|hash_bytes|"
	  "hash_is_expanding|slab_*|slabs_moved|curr_items|total_items|expired_unfetched|evicted_unfetched|evicted_active|evictions|"
	  "reclaimed|crawler_reclaimed|crawler_items_checked|lru_*|lrutail_reflocked|moves_to_cold|moves_to_warm|moves_within_lru|"
	  "direct_reclaims|malloc_fails|log_*|unexpected_napi_ids|round_robin_fallback", PAIRS_STAT, 3,
	  "STAT version *|STAT libevent *" },
	/* source: smartmontools, smartctl/nvmeprint.cpp, print_smart_log() */
	{ "smartctl", "Critical Warning|Temperature|Available Spare|Available Spare Threshold|Percentage Used|Data Units Read|"
	  "Data Units Written|Host Read Commands|Host Write Commands|Controller Busy Time|Power Cycles|Power On Hours|Unsafe Shutdowns|"
	  "Media and Data Integrity Errors|Error Information Log Entries|Warning  Comp. Temperature Time|"
	  "Critical Comp. Temperature Time|Temperature Sensor *", PAIRS_COLON, 4, "Critical Warning:*0x*" },
	/* source: Linux, tools/perf/bench */
	/* the unit must be "sec", because line_profiler prints "Total time" with the unit "s" */
	{ "perf bench", "Total time", PAIRS_COLON, 1, NULL, "sec" },
	{ "perf bench", "usecs/op|nsecs/op|ops/sec|MB/sec|GB/sec|nsecs/call|msecs/op", PAIRS_VALUE, 2 },
	/* source: sysbench, src/sysbench.c, and its tests */
	{ "sysbench", "events per second|total time|total number of events|min|avg|max|95th percentile|99th percentile|sum|"
	  "transactions|queries|ignored errors|reconnects|read|write|other|total", PAIRS_COLON, 5 },
};
/* clang-format on */

struct pairs_line {
	const struct pairs_dialect *dialect;
	struct str text; /* the line, without blanks at its ends */
	struct str name;
	struct str unit;
	struct counter_number value;
	bool is_other; /* a line of the tool whose value is ignored */
};

/*
 * Parse the optional unit after a value: "kB", "[sec]", "ms". A '%' before the unit is skipped.
 * *@ret is empty if there is no unit, or only a remark in parentheses. Returns false if the text is
 * no unit. A unit has at most PAIRS_UNIT bytes, and contains no digits and no brackets. Only a
 * remark may follow it.
 */
static bool pairs_unit(struct str rest, struct str *ret)
{
	struct str word = STR_NONE;

	*ret = STR_NONE;
	(void)str_take(&rest, STR("%"));
	if (!str_word(&rest, &word) || word.p[0] == '(')
		return true;
	if (str_starts(word, STR("[")) && str_ends(word, STR("]")))
		word = str_sub(word, 1, word.len - 1);
	for (size_t i = 0; i < word.len; i++) {
		if (char_is_digit(word.p[i]) || strchr("()[]:,;|<>\"", word.p[i]))
			return false;
	}
	*ret = word;
	rest = str_trim(rest);
	return word.len <= PAIRS_UNIT && (rest.len == 0 || rest.p[0] == '(' || rest.p[0] == '[');
}

static bool pairs_split(enum pairs_order order, struct str line, struct pairs_line *ret)
{
	size_t at;
	struct str rest;

	if (order == PAIRS_STAT && !str_take(&line, STR("STAT ")))
		return false;
	at = order == PAIRS_BLANK || order == PAIRS_STAT ? str_find_char(line, ' ')
	     : order == PAIRS_VALUE                      ? 0
							 : str_find_char(line, ':');
	if (order == PAIRS_COLON && at == line.len)
		at = str_find_char(line, '=');
	if (at == line.len)
		return false;
	ret->name = str_rtrim(str_sub(line, 0, at));
	rest = str_ltrim(str_skip(line, at + (order == PAIRS_COLON)));
	/* "errorstat_OOM:count=16" */
	if (order == PAIRS_COLON)
		(void)str_take(&rest, STR("count="));
	if (!counter_number(&rest, &ret->value))
		return false;
	if (order == PAIRS_VALUE) {
		if (rest.len == 0 || !char_is_blank(rest.p[0]))
			return false;
		ret->name = str_trim(rest);
		ret->unit = STR_NONE;
		return true;
	}
	if (order == PAIRS_BLANK && str_eq(str_trim(rest), STR("0.0")))
		/*
		 * ignore the second value, the rate that nstat prints; it is 0.0 if the daemon of
		 * nstat does not run
		 */
		rest = STR_NONE;
	return pairs_unit(rest, &ret->unit) && (order == PAIRS_COLON || str_trim(rest).len == 0);
}

/*
 * The name of a counter without the file in which grep found it: "high" of "memory.events:high",
 * if @tool is the name of that file.
 */
static struct str pairs_in_file(struct str name, const char *tool)
{
	size_t colon = str_rfind_char(name, ':');
	struct str file = str_sub(name, 0, colon);
	size_t slash = str_rfind_char(file, '/');

	if (slash < file.len)
		file = str_skip(file, slash + 1);
	return colon < name.len && str_eq(file, str_of(tool)) ? str_skip(name, colon + 1) : name;
}

/*
 * Parse a line of any dialect. @is_of: only lines of this dialect's tool are accepted; NULL: lines
 * of any tool. False: no dialect has such a line.
 */
static bool pairs_parse(const struct pairs_dialect *is_of, struct str line, struct pairs_line *ret)
{
	struct pairs_line splits[PAIRS_ORDERS];
	bool has[PAIRS_ORDERS];
	bool any = false;

	line = str_trim(line);
	if (line.len < 4 || line.len > 160)
		return false;
	for (unsigned int o = 0; o < ARRAY_LEN(splits); o++)
		any |= has[o] = pairs_split((enum pairs_order)o, line, &splits[o]);
	for (size_t i = 0; any && i < ARRAY_LEN(pairs_dialects); i++) {
		const struct pairs_dialect *d = &pairs_dialects[i];
		struct str name = splits[d->order].name;

		if ((is_of && strcmp(is_of->tool, d->tool) != 0) || !has[d->order])
			continue;
		if (d->order == PAIRS_BLANK)
			name = pairs_in_file(name, d->tool);
		if (!str_glob(str_of(d->names), name) ||
		    (d->unit && !str_eq(str_of(d->unit), splits[d->order].unit)))
			continue;
		*ret = splits[d->order];
		ret->name = name;
		ret->dialect = d;
		ret->is_other = false;
		return true;
	}
	for (size_t i = 0; str_find_char(line, ':') < PAIRS_OTHER && i < ARRAY_LEN(pairs_dialects);
	     i++) {
		const struct pairs_dialect *d = &pairs_dialects[i];

		if ((is_of && is_of != d) || !d->others || !str_glob(str_of(d->others), line))
			continue;
		*ret = (struct pairs_line){ .dialect = d, .text = line, .is_other = true };
		return true;
	}
	return false;
}

/* The table that contains the current line. */
struct pairs_table {
	/* dialect of the first line of the table; NULL: no line yet */
	const struct pairs_dialect *dialect;
	size_t indent; /* number of blanks before the first counter */
	bool has_indent;
};

static size_t pairs_indent(struct str line)
{
	return line.len - str_ltrim(line).len;
}

/*
 * Parse a counter with an unknown name, "os2bmc_rx: 0" or "[0]: tpa_aborts: 12". The name is one
 * word, and the value an integer without a unit.
 */
static bool pairs_open_line(const struct pairs_dialect *d, struct str line, struct pairs_line *ret)
{
	size_t colon;
	struct str rest, name;

	line = str_trim(line);
	colon = str_rfind_char(line, ':');
	if (colon >= line.len || line.len > PAIRS_NAME)
		return false;
	rest = str_trim(str_skip(line, colon + 1));
	name = str_rtrim(str_sub(line, 0, colon));
	for (size_t i = 0; i < rest.len; i++) {
		if (!char_is_digit(rest.p[i]))
			return false;
	}
	*ret = (struct pairs_line){ .dialect = d, .name = name };
	if (!counter_number(&rest, &ret->value) || rest.len)
		return false;
	if (name.len && name.p[0] == '[')
		name = str_trim(str_skip(name, str_find(name, STR("]:")) + 2));
	return name.len && str_find_char(name, ' ') == name.len &&
	       str_find_char(name, ':') == name.len;
}

/*
 * Parse the next line of a table, like pairs_parse(). If the dialect is open, unknown names are
 * accepted, too.
 */
static bool pairs_next(struct pairs_table *t, struct str line, struct pairs_line *ret)
{
	bool is_pair = pairs_parse(t->dialect, line, ret);
	bool is_indented = !t->has_indent || pairs_indent(line) == t->indent;

	if (!is_pair && t->dialect && t->dialect->is_open && is_indented)
		is_pair = pairs_open_line(t->dialect, line, ret);
	if (!is_pair)
		return false;
	t->dialect = t->dialect ? t->dialect : ret->dialect;
	if (!ret->is_other && !t->has_indent) {
		t->indent = pairs_indent(line);
		t->has_indent = true;
	}
	return true;
}

struct pairs_group {
	struct pairs_table table;
	struct str names[PAIRS_NAMES];
	size_t n;
	/* number of names from previous sections; a later section may repeat these names */
	size_t named;
	unsigned int least, others;
	bool has_snapshot; /* a complete snapshot of the tool precedes the current one */
	bool has_begin;
};

static bool pairs_is_section(const struct pairs_line *l)
{
	return l->is_other && l->dialect->sections &&
	       str_glob(str_of(l->dialect->sections), l->text);
}

static bool pairs_has(const struct pairs_group *g, struct str name)
{
	for (size_t i = g->named; i < g->n && i < PAIRS_NAMES; i++) {
		if (str_eq(g->names[i], name))
			return true;
	}
	return false;
}

static bool pairs_is_whole(const struct pairs_group *g)
{
	return g->table.dialect && (g->has_snapshot || g->n >= g->least);
}

/*
 * The name of @l already occurs in @g. Does it begin the next snapshot of a tool that prints
 * totals?
 */
static bool pairs_is_snapshot(const struct pairs_group *g, const struct pairs_line *l)
{
	return g->table.dialect && g->table.dialect->is_total && g->n >= g->least && !l->is_other &&
	       pairs_has(g, l->name);
}

static bool counter_pairs_find(struct str text, size_t from, struct extent *ret)
{
	struct str rest = str_skip(text, from);
	struct pairs_group g = { .n = 0 };
	struct pairs_line l;
	struct str line;

	for (size_t at = from; str_line(&rest, &line); at = text.len - rest.len) {
		bool is_pair = pairs_next(&g.table, line, &l);

		if (is_pair && pairs_is_snapshot(&g, &l)) {
			g.n = g.named = 0;
			g.has_snapshot = true;
		}
		if (g.table.dialect &&
		    (is_pair ? !l.is_other && pairs_has(&g, l.name) : ++g.others > PAIRS_GAP)) {
			if (pairs_is_whole(&g))
				break;
			g = (struct pairs_group){ .n = 0 };
			is_pair = pairs_next(&g.table, line, &l);
		}
		if (!is_pair)
			continue;
		if (!g.has_begin) {
			*ret = (struct extent){ .from = at, .score = PAIRS_SCORE };
			g.has_begin = true;
			g.least = l.dialect->least;
		}
		if (l.dialect->least < g.least)
			g.least = l.dialect->least;
		if (pairs_is_section(&l))
			g.named = g.n;
		if (!l.is_other && g.n < PAIRS_NAMES)
			g.names[g.n] = l.name;
		g.n += !l.is_other;
		g.others = 0;
		ret->to = text.len - rest.len;
	}
	return pairs_is_whole(&g);
}

static unsigned int counter_pairs_probe(struct str head)
{
	struct extent e;

	return counter_pairs_find(head, 0, &e) ? 85 : 0;
}

/* Titles that apply to the following lines. */
struct pairs_titles {
	struct str section, owner;
};

/* Store the title @l, which applies to the following lines. */
static void pairs_take_title(const struct pairs_line *l, struct pairs_titles *titles)
{
	struct str text = str_sub(l->text, 0, l->text.len - (l->text.len > 0));

	if (pairs_is_section(l))
		titles->section = text;
	if (l->dialect->owner && str_glob(str_of(l->dialect->owner), l->text))
		titles->owner = str_skip(text, str_rfind_char(text, ' ') + 1);
}

/*
 * The receive queue in the name of a packet counter of ethtool -S: "rx_queue_0" in
 * "rx_queue_0_packets". Empty: another counter. Sources: Linux, drivers/net/ethernet: intel,
 * mellanox, amazon/ena.
 */
static struct str pairs_queue(struct str name)
{
	static const char *const prefixes[] = { "rx_queue_", "rx-", "rx", "queue_" };
	uint64_t n;

	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++) {
		struct str rest = name;

		if (str_take(&rest, str_of(prefixes[i])) && str_u64(&rest, &n) &&
		    str_glob(STR("_packets|.packets|_rx_cnt"), rest))
			return str_sub(name, 0, name.len - rest.len);
	}
	return STR_NONE;
}

static void pairs_add(struct capture *c, const struct pairs_line *l,
		      const struct pairs_titles *titles, uint32_t line)
{
	struct strings *strings = capture_strings(c);
	char text[PAIRS_NAME];
	int len = snprintf(text, sizeof(text), STR_FMT " " STR_FMT, STR_ARG(titles->section),
			   STR_ARG(l->name));
	struct str name = titles->section.len && len > 0 && (size_t)len < sizeof(text)
				  ? (struct str){ text, (size_t)len }
				  : l->name;

	if (counters_add(capture_counters(c), strings,
			 (struct counter){
				 .name = strings_add(strings, name),
				 .key = titles->owner.len ? strings_add(strings, titles->owner)
							  : STR_ID_NONE,
				 .unit = l->unit.len ? strings_add(strings, l->unit) : STR_ID_NONE,
				 .value = l->value.value,
				 .decimals = l->value.decimals,
				 .spread = -1,
				 .running = -1,
				 .line = line }) < 0)
		diag_count(&c->diag, &pairs_past, line);
}

/*
 * If @l counts the packets of a receive queue, also add it as the counter "packets of a receive
 * queue", with the queue as its key.
 */
static void pairs_add_queue(struct capture *c, const struct pairs_line *l, uint32_t line)
{
	struct str queue = l->dialect->is_total ? pairs_queue(l->name) : STR_NONE;
	struct pairs_line packets = *l;

	packets.name = STR("packets of a receive queue");
	if (queue.len)
		pairs_add(c, &packets, &(struct pairs_titles){ .owner = queue }, line);
}

/*
 * Add the counter of @l. If its name is a kind of error ("Connect"), it becomes the counter
 * "errors" with this kind as its unit.
 */
static void pairs_add_as(struct capture *c, const struct pairs_dialect *d, struct pairs_line l,
			 const struct pairs_titles *titles, uint32_t line)
{
	if (d->errors && str_glob(str_of(d->errors), l.name)) {
		l.unit = l.name;
		l.name = STR("errors");
	}
	pairs_add(c, &l, titles, line);
	pairs_add_queue(c, &l, line);
}

/*
 * Add the counters in a list of kinds of errors: "(Connect: 0, Receive: 0, Length: 4122,
 * Exceptions: 0)". False: @line is no such list.
 */
static bool pairs_list(struct capture *c, const struct pairs_dialect *d, struct str line,
		       uint32_t number)
{
	struct pairs_line l = { .dialect = d };

	line = str_trim(line);
	if (!d || !d->errors || !str_take(&line, STR("(")) || !str_ends(line, STR(")")))
		return false;
	line.len--;
	while (line.len) {
		struct str item = str_sub(line, 0, str_find_char(line, ','));

		line = str_skip(line, item.len + (item.len < line.len));
		if (!pairs_split(PAIRS_COLON, str_trim(item), &l))
			return false;
		pairs_add_as(c, d, l, &(struct pairs_titles){ .section = STR_NONE }, number);
	}
	return true;
}

/*
 * The file names in @line are the words that end with @tool. Returns file name number @n; after the
 * last file name, counting continues at the first. Empty: no word ends with @tool.
 */
static struct str pairs_file_word(struct str line, struct str tool, uint32_t n)
{
	struct str files[PAIRS_FILES];
	struct str word;
	uint32_t n_files = 0;

	while (n_files < PAIRS_FILES && str_word(&line, &word)) {
		word.len -= str_ends(word, STR(";"));
		if (str_ends(word, tool))
			files[n_files++] = word;
	}
	return n_files ? files[n % n_files] : STR_NONE;
}

/*
 * Find the file in a command before the region: "# cat batch/cpu.stat". A line may name several
 * files; then each of them has a snapshot, in this order. The number of snapshots between the line
 * and the region selects the file. Empty: no file.
 */
static struct str pairs_file(const struct region *in, struct str tool)
{
	struct str doc = in->doc ? in->doc->text : STR_NONE;
	struct str ret = STR_NONE;
	struct str text = in->text;
	struct str above, first;
	uint32_t snapshots = 0;
	unsigned int others = 0;

	if (!doc.p || in->text.p < doc.p || in->text.p > doc.p + doc.len ||
	    !str_word(&text, &first))
		return STR_NONE;
	above = (struct str){ doc.p, (size_t)(in->text.p - doc.p) };
	for (unsigned int n = 0;
	     above.len && n < PAIRS_BACK && others < PAIRS_ABOVE && ret.len == 0; n++) {
		struct str line, name, value;
		size_t start;

		above.len--;
		start = str_rfind_char(above, '\n');
		start = start == above.len ? 0 : start + 1;
		line = str_skip(above, start);
		above.len = start;
		ret = pairs_file_word(line, tool, snapshots);
		if (!str_word(&line, &name) || !str_word(&line, &value) ||
		    !char_is_digit(value.p[0]))
			others++;
		else
			snapshots += str_eq(name, first);
	}
	return ret;
}

static int pairs_read_group(const struct region *in, struct dossier *d, struct error *err)
{
	struct capture *c = format_add_capture(&format_counter_pairs, in, d);
	struct pairs_table table = { .dialect = NULL };
	struct str text = in->text;
	struct pairs_titles titles = { .section = STR_NONE };
	struct pairs_line l;
	struct str line;

	for (uint32_t n = 0; str_line(&text, &line); n++) {
		if (pairs_next(&table, line, &l)) {
			table.dialect = l.dialect;
			if (l.is_other)
				pairs_take_title(&l, &titles);
			else
				pairs_add_as(c, l.dialect, l, &titles, region_line(in, n));
		} else if (pairs_list(c, table.dialect, line, region_line(in, n))) {
			continue;
		} else {
			unread_rows_count(c, &pairs_lines, line, region_line(in, n));
		}
	}
	if (!c->counters)
		return fail(err, ERR_FORMAT, "no name with a value");
	c->counters->n_intervals = 1;
	c->counters->tool = strings_add(capture_strings(c), str_of(table.dialect->tool));
	c->counters->source =
		strings_add(capture_strings(c), pairs_file(in, str_of(table.dialect->tool)));
	c->counters->label = strings_add(capture_strings(c), counter_label(in));
	return OK;
}

/* One counter of a snapshot. */
struct pairs_count {
	struct pairs_line line;
	uint32_t at; /* line of the counter, as an index of lines in the region */
};

/* The first line of a snapshot. */
struct pairs_start {
	size_t offset; /* offset of the line in the region */
	size_t count;  /* index in `counts` of the snapshot's first counter */
	uint32_t line; /* index of the line among the lines of the region */
};

/* The snapshots of a tool in one region. */
struct pairs_snapshots {
	VEC(struct pairs_count) counts;
	VEC(struct pairs_start) starts;
	/* device in the first command ethtool -S; empty: no command is printed */
	struct str device;
	bool is_other;    /* commands name different devices */
	bool is_repeated; /* the text repeats its command with sleep or watch */
};

/* Find the devices of the commands in @line: "ethtool -S eth0; sleep 10; ethtool -S eth0". */
static void pairs_devices(struct str line, struct pairs_snapshots *s)
{
	struct str word, before = STR_NONE;
	bool is_command = false;

	s->is_repeated |= str_contains(line, STR("sleep ")) || str_contains(line, STR("watch "));
	while (str_word(&line, &word)) {
		if (is_command && str_glob(STR("-S|--statistics"), before)) {
			/* "eth0;" and "eth0|grep": the name ends at a character of the shell */
			for (size_t i = 0; i < word.len; i++) {
				if (strchr(";|&><\"'", word.p[i]))
					word.len = i;
			}
			s->is_other |= s->device.len && !str_eq(s->device, word);
			s->device = s->device.len ? s->device : word;
			is_command = false;
		}
		is_command |= str_ends(word, STR("ethtool"));
		before = word;
	}
}

/* Find the devices of commands in the lines before the region. */
static void pairs_devices_above(const struct region *in, struct pairs_snapshots *s)
{
	struct str doc = in->doc ? in->doc->text : STR_NONE;
	struct str above;

	if (!doc.p || in->text.p < doc.p || in->text.p > doc.p + doc.len)
		return;
	above = (struct str){ doc.p, (size_t)(in->text.p - doc.p) };
	for (unsigned int n = 0; above.len && n < PAIRS_ABOVE; n++) {
		size_t start;

		above.len--;
		start = str_rfind_char(above, '\n');
		start = start == above.len ? 0 : start + 1;
		pairs_devices(str_skip(above, start), s);
		above.len = start;
	}
}

static void pairs_snapshots_of(const struct region *in, struct pairs_snapshots *ret)
{
	struct pairs_group g = { .n = 0 };
	struct str text = in->text;
	struct pairs_line l;
	struct str line;
	size_t at = 0, title = SIZE_MAX;
	uint32_t title_line = 0;

	*ret = (struct pairs_snapshots){ .counts = VEC_INIT, .starts = VEC_INIT };
	pairs_devices_above(in, ret);
	for (uint32_t n = 0; str_line(&text, &line); n++, at = in->text.len - text.len) {
		if (!pairs_next(&g.table, line, &l)) {
			pairs_devices(line, ret);
			continue;
		}
		if (l.is_other) {
			title = at;
			title_line = n;
			continue;
		}
		if (!g.has_begin || pairs_is_snapshot(&g, &l)) {
			bool has_title = title != SIZE_MAX;

			*VEC_PUSH(&ret->starts) = (struct pairs_start){
				.offset = !g.has_begin ? 0
					  : has_title  ? title
						       : at,
				.count = ret->counts.len,
				.line = !g.has_begin ? 0
					: has_title  ? title_line
						     : n,
			};
			g.n = 0;
			g.has_begin = true;
			g.table.dialect = l.dialect;
			g.least = l.dialect->least;
		}
		title = SIZE_MAX;
		if (g.n < PAIRS_NAMES)
			g.names[g.n] = l.name;
		g.n++;
		*VEC_PUSH(&ret->counts) = (struct pairs_count){ l, n };
	}
}

static void pairs_snapshots_fini(struct pairs_snapshots *s)
{
	VEC_FREE(&s->counts);
	VEC_FREE(&s->starts);
}

/*
 * Find the counter @name of the first snapshot. @m maps the names of that snapshot. Returns the
 * index in s->counts; INDEX_NONE: the snapshot has no such counter.
 */
static uint32_t pairs_first_of(const struct pairs_snapshots *s, struct idmap *m, struct str name,
			       struct idmap_probe *ret_probe)
{
	*ret_probe = idmap_first(m, hash_u64(str_hash32(name), 41));
	while (idmap_next(m, ret_probe)) {
		if (str_eq(s->counts.data[ret_probe->id].line.name, name))
			return ret_probe->id;
	}
	return INDEX_NONE;
}

/*
 * Replace the last snapshot by its difference from the first one. Only counters that are in both
 * snapshots and have not decreased remain. False: the snapshots are equal, or from different
 * devices.
 */
static bool pairs_subtract(struct pairs_snapshots *s)
{
	size_t from = s->starts.data[s->starts.len - 1].count;
	struct idmap map = { .slots = NULL };
	struct idmap_probe p;
	size_t shared = 0, kept = from, changed = 0;
	int64_t most = 0, most_grown = 0;
	bool is_reset = false;

	for (size_t i = 0; i < s->starts.data[1].count; i++) {
		if (pairs_first_of(s, &map, s->counts.data[i].line.name, &p) == INDEX_NONE)
			idmap_insert(&map, &p, (uint32_t)i);
	}
	for (size_t i = from; i < s->counts.len; i++) {
		struct pairs_count now = s->counts.data[i];
		uint32_t first = pairs_first_of(s, &map, now.line.name, &p);
		const struct counter_number *old;
		int64_t grown;

		if (first == INDEX_NONE)
			continue;
		old = &s->counts.data[first].line.value;
		if (old->decimals != now.line.value.decimals ||
		    __builtin_sub_overflow(now.line.value.value, old->value, &grown))
			continue;
		shared++;
		changed += grown != 0;
		is_reset |= grown < 0 && str_glob(STR("*packets*|*bytes*"), now.line.name);
		if (old->value > most) {
			most = old->value;
			most_grown = grown;
		}
		if (grown < 0)
			continue; /* the value can decrease, so it is a state and no total */
		now.line.value.value = grown;
		s->counts.data[kept++] = now;
	}
	idmap_fini(&map);
	if (shared < PAIRS_SHARED || !changed || is_reset || s->is_other)
		return false;
	s->counts.len = kept;
	/*
	 * without sleep or watch, a variable of the shell ("$dev") may be another device each time
	 */
	if (s->device.len)
		return s->device.p[0] != '$' || s->is_repeated;
	/*
	 * Without a command, the snapshots are from different devices if some counters have
	 * decreased, or if the largest counter has grown to more than twice its value.
	 */
	return kept - from == shared && most_grown <= most;
}

static int pairs_read_difference(const struct region *in, const struct pairs_snapshots *s,
				 struct dossier *d, struct error *err)
{
	struct capture *c = format_add_capture(&format_counter_pairs, in, d);
	const struct pairs_titles titles = { .section = STR_NONE };
	struct pairs_table table = { .dialect = NULL };
	struct str text = in->text;
	struct pairs_line l;
	struct str line;

	for (size_t i = s->starts.data[s->starts.len - 1].count; i < s->counts.len; i++) {
		const struct pairs_count *count = &s->counts.data[i];

		pairs_add_as(c, count->line.dialect, count->line, &titles,
			     region_line(in, count->at));
	}
	if (!c->counters)
		return fail(err, ERR_FORMAT, "no name with a value");
	for (uint32_t n = 0; str_line(&text, &line); n++) {
		if (!pairs_next(&table, line, &l))
			unread_rows_count(c, &pairs_lines, line, region_line(in, n));
	}
	c->counters->n_intervals = 1;
	c->counters->tool = strings_add(capture_strings(c), STR(PAIRS_DIFFERENCE));
	c->counters->label = strings_add(capture_strings(c), counter_label(in));
	return OK;
}

/* Store the interface for which ethtool ran in the captures of @d from index @from on. */
static void pairs_note_interface(const struct pairs_snapshots *s, struct dossier *d, size_t from)
{
	for (size_t i = from; i < d->captures.len; i++) {
		struct capture *c = d->captures.data[i];

		if (c->counters && s->device.len && s->device.p[0] != '$' && !s->is_other &&
		    str_starts(strings_get(capture_strings(c), c->counters->tool), STR("ethtool")))
			capture_note(c, STR(COUNTERS_NOTE_INTERFACE), s->device, /* line= */ 0);
	}
}

/* Read each snapshot into a separate capture. */
static int pairs_read_each(const struct region *in, const struct pairs_snapshots *s,
			   struct dossier *d, struct error *err)
{
	int r = OK;

	for (size_t i = 0; i < s->starts.len && r == OK; i++) {
		const struct pairs_start *start = &s->starts.data[i];
		bool is_last = i + 1 == s->starts.len;
		struct region part = *in;

		part.text =
			str_sub(in->text, start->offset, is_last ? in->text.len : start[1].offset);
		part.first_line = in->first_line + start->line;
		if (in->n_lines)
			part.n_lines = (is_last ? in->n_lines : start[1].line) - start->line;
		r = pairs_read_group(&part, d, err);
	}
	return r;
}

static int counter_pairs_read(const struct region *in, struct dossier *d, struct error *err)
{
	size_t from = d->captures.len;
	struct pairs_snapshots s;
	int r;

	pairs_snapshots_of(in, &s);
	r = s.starts.len < 2     ? pairs_read_group(in, d, err)
	    : pairs_subtract(&s) ? pairs_read_difference(in, &s, d, err)
				 : pairs_read_each(in, &s, d, err);
	pairs_note_interface(&s, d, from);
	pairs_snapshots_fini(&s);
	return r;
}

const struct format format_counter_pairs = {
	.name = "counter-pairs",
	.title = "counters",
	.summary = "names with values: /proc/meminfo, smaps, status, vmstat, load generators",
	.kinds = KIND_COUNTERS,
	.probe = counter_pairs_probe,
	.find = counter_pairs_find,
	.read = counter_pairs_read,
};
