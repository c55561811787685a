// SPDX-License-Identifier: MIT
/*
 * spans - parse records; a trace says how long each field took
 *
 *   spans field|file SECONDS
 *
 * 'field': the trace has an entry for each field. 'file': it has one for each thousand records.
 */
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

static std::vector<long> trace(4096);
static size_t n_traced;

__attribute__((noinline)) static long stamp()
{
	timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void trace_add(long ns)
{
	trace[n_traced++ % trace.size()] = ns;
}

__attribute__((noinline)) static unsigned record_parse(const std::string &record, bool traces)
{
	unsigned sum = 0;
	size_t at = 0;
	while (at < record.size()) {
		long began = traces ? stamp() : 0;
		unsigned value = 0;
		for (; at < record.size() && record[at] != ';'; at++)
			value = value * 10 + static_cast<unsigned>(record[at] - '0');
		at++;
		sum += value;
		if (traces)
			trace_add(stamp() - began);
	}
	return sum;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	bool each = std::string(argv[1]) == "field";
	long end = stamp() + static_cast<long>(atof(argv[2]) * 1e9);
	std::string record = "17;4;99;120;3;8;45;1;77;5;2;61";
	unsigned long sum = 0, n = 0;
	while (stamp() < end) {
		long began = stamp();
		for (int i = 0; i < 1000; i++)
			sum += record_parse(record, each);
		trace_add(stamp() - began);
		n += 1000;
	}
	printf("records %lu %lu\n", n, sum & 1);
	return 0;
}
