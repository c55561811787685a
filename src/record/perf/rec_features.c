/* SPDX-License-Identifier: MIT */
/* Write the feature sections of a perf.data file: facts about the machine and the recording. */
#include "record/perf/rec.h"

#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/perf_features.h"
#include "record/perf/record.h"

#include "config.h"

#include <stdio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define FEATURES_ALIGN 64u /* texts are padded to a multiple of this size, as in perf */

static void features_u32(struct out *o, uint32_t v)
{
	out_bytes(o, &v, sizeof(v));
}

static void features_u64(struct out *o, uint64_t v)
{
	out_bytes(o, &v, sizeof(v));
}

/* Write a text as u32 len; char text[len]. @len includes the NUL and padding. */
static void features_text(struct out *o, struct str s)
{
	uint32_t len = (uint32_t)(s.len + FEATURES_ALIGN) / FEATURES_ALIGN * FEATURES_ALIGN;

	features_u32(o, len);
	out_str(o, s);
	out_repeat(o, '\0', len - s.len);
}

static bool features_uname(struct rec *r, struct out *o, unsigned int bit)
{
	struct utsname u;

	(void)r;
	if (uname(&u) < 0)
		return false;
	features_text(o, str_of(bit == FEAT_HOSTNAME    ? u.nodename
				: bit == FEAT_OSRELEASE ? u.release
							: u.machine));
	return true;
}

static bool features_version(struct rec *r, struct out *o, unsigned int bit)
{
	(void)r;
	(void)bit;
	features_text(o, STR("assay " ASSAY_VERSION));
	return true;
}

static bool features_cpus(struct rec *r, struct out *o, unsigned int bit)
{
	(void)r;
	(void)bit;
	features_u32(o, (uint32_t)sysconf(_SC_NPROCESSORS_CONF));
	features_u32(o, (uint32_t)sysconf(_SC_NPROCESSORS_ONLN));
	return true;
}

/* Write the name of the CPU: the text after "model name	: " in /proc/cpuinfo. */
static bool features_cpu_name(struct rec *r, struct out *o, unsigned int bit)
{
	CLEANUP(freep) char *text = rec_slurp("/proc/cpuinfo", NULL);
	struct str rest = str_of(text);
	struct str line;

	(void)r;
	(void)bit;
	while (str_line(&rest, &line)) {
		size_t colon = str_find_char(line, ':');

		if (!str_starts(line, STR("model name")))
			continue;
		features_text(o, str_trim(str_skip(line, colon + 1)));
		return true;
	}
	return false;
}

static bool features_memory(struct rec *r, struct out *o, unsigned int bit)
{
	CLEANUP(freep) char *text = rec_slurp("/proc/meminfo", NULL);
	struct str s = str_of(text);
	uint64_t kb;

	(void)r;
	(void)bit;
	if (!str_take(&s, STR("MemTotal:")))
		return false;
	s = str_ltrim(s);
	if (!str_u64(&s, &kb))
		return false;
	features_u64(o, kb);
	return true;
}

static bool features_command(struct rec *r, struct out *o, unsigned int bit)
{
	char *const *words = r->spec->command_line;
	uint32_t n = 0;

	(void)bit;
	if (!words)
		return false;
	while (words[n])
		n++;
	features_u32(o, n);
	for (uint32_t i = 0; i < n; i++)
		features_text(o, str_of(words[i]));
	return true;
}

/* Write: u32 nr; u32 attr_size; then nr times { attr; u32 nr_ids; text; u64 ids[nr_ids] }. */
static bool features_events(struct rec *r, struct out *o, unsigned int bit)
{
	(void)bit;
	features_u32(o, (uint32_t)r->events.len);
	features_u32(o, sizeof(struct perf_event_attr));
	VEC_FOREACH (e, &r->events) {
		out_bytes(o, &e->attr, sizeof(e->attr));
		features_u32(o, (uint32_t)e->ids.len);
		features_text(o, str_of(e->name));
		out_bytes(o, e->ids.data, e->ids.len * 8);
	}
	return true;
}

/*
 * Write the lists of sibling CPUs, such as "0-3", without duplicates. @file: the file in /sys that
 * contains the list of a CPU.
 */
static void features_siblings(struct out *o, const char *file, uint32_t cpus)
{
	VEC(char *) lists = VEC_INIT;

	for (uint32_t i = 0; i < cpus; i++) {
		char path[96];
		char *text;
		bool is_known = false;

		(void)snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/topology/%s", i,
			       file);
		text = rec_slurp(path, NULL);
		if (text)
			text[str_trim(str_of(text)).len] = '\0';
		VEC_FOREACH (known, &lists)
			is_known |= text && strcmp(*known, text) == 0;
		if (text && !is_known)
			*VEC_PUSH(&lists) = TAKE(text);
		free(text);
	}
	features_u32(o, (uint32_t)lists.len);
	VEC_FOREACH (text, &lists) {
		features_text(o, str_of(*text));
		free(*text);
	}
	VEC_FREE(&lists);
}

/* Write the CPU lists of sockets and of cores, then {u32 core; u32 socket} for each CPU. */
static bool features_topology(struct rec *r, struct out *o, unsigned int bit)
{
	uint32_t cpus = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);

	(void)r;
	(void)bit;
	features_siblings(o, "core_siblings_list", cpus);
	features_siblings(o, "thread_siblings_list", cpus);
	for (uint32_t i = 0; i < cpus; i++) {
		char path[96];

		(void)snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/topology/core_id",
			       i);
		features_u32(o, (uint32_t)rec_number(path, -1));
		(void)snprintf(path, sizeof(path),
			       "/sys/devices/system/cpu/cpu%u/topology/physical_package_id", i);
		features_u32(o, (uint32_t)rec_number(path, -1));
	}
	return true;
}

/* Write the times of the first and the last sample: u64 first; u64 last. */
static bool features_times(struct rec *r, struct out *o, unsigned int bit)
{
	(void)bit;
	features_u64(o, r->first_ns);
	features_u64(o, r->last_ns);
	return r->first_ns != 0;
}

static bool features_clock(struct rec *r, struct out *o, unsigned int bit)
{
	if (r->spec->has_perf_clock)
		return false;
	if (bit == FEAT_CLOCKID) {
		features_u64(o, 1); /* resolution of the clock: 1 ns */
		return true;
	}
	/*
	 * fields: u32 version; u32 clock id; u64 time of day; u64 time by this clock at the same
	 * instant
	 */
	features_u32(o, 1);
	features_u32(o, CLOCK_MONOTONIC);
	features_u64(o, r->reference_wall_ns);
	features_u64(o, r->reference_ns);
	return true;
}

/*
 * Write the compression header: u32 version, type (1: zstd), level, compression ratio, and maximum
 * number of uncompressed bytes per record.
 */
static bool features_compressed(struct rec *r, struct out *o, unsigned int bit)
{
	const struct rec_file *f = &r->file;
	uint64_t packed = f->at - f->data_at;

	(void)bit;
	if (!f->zstd_level)
		return false;
	features_u32(o, 1);
	features_u32(o, 1);
	features_u32(o, f->zstd_level);
	features_u32(o, packed ? (uint32_t)((f->raw_bytes + packed / 2) / packed) : 1);
	features_u32(o, REC_PACK_BYTES);
	return true;
}

static bool features_tracing(struct rec *r, struct out *o, unsigned int bit)
{
	(void)bit;
	out_str(o, out_view(&r->tracing));
	return r->tracing.len != 0;
}

static bool features_build_ids(struct rec *r, struct out *o, unsigned int bit)
{
	(void)bit;
	return rec_build_ids_section(r, o);
}

void rec_features(struct rec *r, uint64_t at, uint64_t bits[4], struct out *out)
{
	static const struct {
		unsigned int bit;
		bool (*put)(struct rec *r, struct out *o, unsigned int bit);
	} features[] = {
		{ FEAT_TRACING_DATA, features_tracing },  { FEAT_BUILD_ID, features_build_ids },
		{ FEAT_HOSTNAME, features_uname },        { FEAT_OSRELEASE, features_uname },
		{ FEAT_VERSION, features_version },       { FEAT_ARCH, features_uname },
		{ FEAT_NRCPUS, features_cpus },           { FEAT_CPUDESC, features_cpu_name },
		{ FEAT_TOTAL_MEM, features_memory },      { FEAT_CMDLINE, features_command },
		{ FEAT_EVENT_DESC, features_events },     { FEAT_CPU_TOPOLOGY, features_topology },
		{ FEAT_SAMPLE_TIME, features_times },     { FEAT_CLOCKID, features_clock },
		{ FEAT_COMPRESSED, features_compressed }, { FEAT_CLOCK_DATA, features_clock },
	};
	struct {
		uint64_t offset, size;
	} table[ARRAY_LEN(features)];
	size_t n = 0;
	struct out bodies;

	out_init(&bodies);
	for (size_t i = 0; i < ARRAY_LEN(features); i++) {
		size_t from = bodies.len;

		if (!features[i].put(r, &bodies, features[i].bit)) {
			bodies.len = from;
			continue;
		}
		table[n].offset = from;
		table[n++].size = bodies.len - from;
		bits[features[i].bit / 64] |= UINT64_C(1) << features[i].bit % 64;
	}
	for (size_t i = 0; i < n; i++)
		table[i].offset += at + n * sizeof(table[0]);
	out_bytes(out, table, n * sizeof(table[0]));
	out_str(out, out_view(&bodies));
	out_fini(&bodies);
}
