/* SPDX-License-Identifier: MIT */
#include "core/names/scaling_words.h"

#define SCALING_WORD_MAX 24u

static const char scaling_counts[] =
	"threads|nthreads|clients|nclients|connections|conns|nodes|cores|ncores|cpus|ncpus|vcpus|"
	"concurrency|parallelism|workers|nworkers|processes|procs|nprocs|jobs|goroutines|users|vus|"
	"sockets|ranks|producers|consumers|readers|writers|streams|processors|backends|queries";
/*
 * words that may stand next to a word of scaling_counts in a title, as in "max number of threads"
 */
static const char scaling_fillers[] =
	"max|num|number|of|nr|n|no|count|concurrent|parallel|the|cpu|openmp|mpi|worker|client|numa|"
	"active|client-side|server|total|hardware|hw|logical|physical|benchmark|io";

/*
 * Copy the next word of @s to @buffer, in lower case, and remove it from @s. Words have letters,
 * digits, '/' and '-'.
 */
static struct str scaling_word(struct str *s, char *buffer)
{
	size_t n = 0, at = 0;

	while (at < s->len) {
		char c = s->p[at++];

		c = c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
		if ((c >= 'a' && c <= 'z') || char_is_digit(c) || c == '/' || c == '-') {
			if (n < SCALING_WORD_MAX)
				buffer[n++] = c;
		} else if (n) {
			break;
		}
	}
	*s = str_skip(*s, at);
	return (struct str){ buffer, n };
}

bool scaling_words_is_count(struct str title)
{
	char buffer[SCALING_WORD_MAX];
	struct str word;
	bool has_count = false;

	while ((word = scaling_word(&title, buffer)).len) {
		if (str_glob(str_of(scaling_counts), word))
			has_count = true;
		else if (!str_glob(str_of(scaling_fillers), word))
			return false;
	}
	return has_count;
}

bool scaling_words_is_ambiguous(struct str title)
{
	char buffer[SCALING_WORD_MAX];
	struct str word;

	while ((word = scaling_word(&title, buffer)).len) {
		if (str_glob(STR("numa"), word))
			return false;
		if (str_glob(STR("nodes|sockets|streams|processes|procs|jobs|users|queries"), word))
			return true;
	}
	return false;
}

static bool scaling_is_duration(struct str unit)
{
	return str_glob(STR("s|sec|secs|second|seconds|ms|msec|msecs|us|usec|usecs|ns|nsec|min|"
			    "mins|minutes|h|hours|\xc2\xb5s|\xce\xbcs"),
			unit);
}

enum scaling_value scaling_value_of(struct str title, struct str unit)
{
	static const char rates[] =
		"throughput|qps|tps|rps|iops|kiops|miops|ops|kops|mops|opsec|tpmc|tpm|nopm|"
		"tpmtotal|"
		"speedup|bandwidth|bw|mpps|kpps|pps|*/s|*/sec|*/second|flops|gflops|mflops";
	static const char cpus[] = "cpu|user|usr|sys|system|kernel";
	static const char times[] = "time|wall|elapsed|duration|real|runtime|walltime|took";
	static const char latencies[] = "latency|latencies|lat|p50|p75|p90|p95|p99|p999|p99-9|"
					"percentile|response|rtt|*s/op|*/op|*s/iter";
	/* words for quantities that do not show speed, or that are better if smaller */
	static const char others[] =
		"errors|error|err|errs|switches|cs|csw|misses|miss|faults|interrupts|retries|"
		"retrans|retransmits|drops|dropped|aborts|aborted|timeouts|conflicts|failed|"
		"failures|"
		"migrations|stddev|stdev|std|sd|variance|jitter|deviation|gc|idle|iowait|wait|"
		"waits|"
		"change|diff|delta|ratio|improvement|degradation|loss|overhead";
	char buffer[SCALING_WORD_MAX];
	struct str word;
	bool has_rate = false, has_cpu = false, has_time = false, has_latency = false;
	bool has_duration = scaling_is_duration(unit);
	bool has_per = false;

	while ((word = scaling_word(&title, buffer)).len) {
		if (str_glob(str_of(others), str_sub(word, 0, str_find_char(word, '/'))))
			return SCALING_NONE;
		has_rate |= str_glob(str_of(rates), word) ||
			    (has_per && str_glob(STR("s|sec|second"), word));
		has_cpu |= str_glob(str_of(cpus), word);
		has_time |= str_glob(str_of(times), word);
		has_latency |= str_glob(str_of(latencies), word);
		has_duration |= scaling_is_duration(word);
		has_per = str_eq(word, STR("per"));
	}
	if (str_eq(unit, STR("%")))
		return SCALING_NONE;
	if (has_latency)
		return SCALING_LATENCY;
	if (unit.len && str_glob(STR("*/s|*/sec|*ps|tps|qps|QPS|TPS|RPS|IOPS|iops"), unit) &&
	    !scaling_is_duration(unit))
		return SCALING_RATE;
	if (has_cpu)
		return has_duration ? SCALING_CPU : SCALING_NONE;
	if (has_rate)
		return SCALING_RATE;
	return has_time || has_duration ? SCALING_TIME : SCALING_NONE;
}
