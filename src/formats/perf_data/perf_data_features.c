/* SPDX-License-Identifier: MIT */
/*
 * Feature sections of a perf.data header: facts about the machine and the recording.
 *
 * Layouts: tools/perf/Documentation/perf.data-file-format.txt. Each section becomes notes, which
 * are pairs of key and value. The keys are those of perf report --header.
 */
#include "core/dossier.h"
#include "formats/perf_data/perf_data_file.h"

#include "base/limits.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/shell.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/perf_features.h"
#include "core/profile.h"
#include "core/strings.h"

#include <inttypes.h>
#include <stdio.h>

/* maximum number of notes per section; a section may describe thousands of CPUs */
#define FEATURE_MAX_NOTES 4096u
#define FEATURE_MAX_CPUS  UINT16_MAX

static void feature_add(struct perf_file *f, const char *key, struct str value, bool is_detail)
{
	struct strings *s = &f->dossier->strings;

	if (value.len)
		*VEC_PUSH(&f->notes) = (struct capture_note){ .key = strings_add(s, str_of(key)),
							      .value = strings_add(s, value),
							      .is_detail = is_detail };
}

static void PRINTF(3, 4) feature_note(struct perf_file *f, const char *key, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	feature_add(f, key, str_of(text), true);
}

/* struct perf_header_string: u32 len; char text[len] */
static struct str feature_string(struct perf_bytes *b)
{
	return perf_text(b, perf_u32(b));
}

static void feature_cmdline(struct perf_file *f, struct perf_bytes *b)
{
	struct out o;
	uint32_t n = perf_u32(b);

	out_init(&o);
	for (uint32_t i = 0; i < n && !b->is_over && o.len < LIMIT_NAME_BYTES; i++) {
		if (i)
			out_char(&o, ' ');
		shell_word(&o, feature_string(b), false);
	}
	feature_add(f, "cmdline", out_view(&o), false);
	out_fini(&o);
}

/*
 * Layout of the section: u32 nr; u32 attr_size;
 * nr times { attr; u32 nr_ids; string; u64 ids[nr_ids] }
 */
static void feature_events(struct perf_file *f, struct perf_bytes *b)
{
	uint32_t n = perf_u32(b);
	uint32_t size = perf_u32(b);

	for (uint32_t i = 0; i < n && !b->is_over && size; i++) {
		uint32_t n_ids;
		struct str name;
		uint32_t row = i;

		(void)perf_take(b, size);
		n_ids = perf_u32(b);
		name = feature_string(b);
		for (uint32_t k = 0; k < n_ids && !b->is_over; k++) {
			uint64_t id = perf_u64(b);

			if (k == 0)
				row = perf_file_attr_of(f, id);
			perf_file_add_id(f, id, row);
		}
		if (row < f->attrs.len && name.len)
			f->attrs.data[row].name = strings_add(&f->dossier->strings, name);
	}
}

static void feature_build_ids(struct perf_file *f, struct perf_bytes *b)
{
	while (b->len - b->at >= 8 + 4 + 24) {
		struct perf_bytes head = perf_sub(b, b->at, 8);
		uint16_t size;

		(void)perf_u32(&head);
		(void)perf_u16(&head);
		size = perf_u16(&head);
		if (size < 8 + 4 + 24)
			break;
		*VEC_PUSH(&f->build_id_records) = perf_take(b, size);
		if (b->is_over) {
			f->build_id_records.len--;
			break;
		}
	}
}

/* Layout of the section: u32 available; u32 online */
static void feature_nrcpus(struct perf_file *f, struct perf_bytes *b)
{
	char text[16];
	uint32_t available = perf_u32(b);

	(void)snprintf(text, sizeof(text), "%u", perf_u32(b));
	feature_add(f, "nrcpus online", str_of(text), false);
	(void)snprintf(text, sizeof(text), "%u", available);
	feature_add(f, "nrcpus avail", str_of(text), false);
}

static void feature_total_mem(struct perf_file *f, struct perf_bytes *b)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%" PRIu64 " kB", perf_u64(b));
	feature_add(f, "total memory", str_of(text), false);
}

static struct profile_cpu *feature_cpu(struct perf_file *f, uint32_t cpu)
{
	static const struct profile_cpu unknown = { UINT16_MAX, UINT16_MAX };

	if (cpu >= FEATURE_MAX_CPUS)
		return NULL;
	while (f->cpus.len <= cpu)
		*VEC_PUSH(&f->cpus) = unknown;
	return &f->cpus.data[cpu];
}

/* Number of available CPUs, from the note "nrcpus avail" of an earlier section; 0: no such note. */
static uint32_t feature_cpus_available(const struct perf_file *f)
{
	const struct strings *strings = &f->dossier->strings;

	VEC_FOREACH (note, &f->notes) {
		struct str value = strings_get(strings, note->value);
		uint64_t cpus;

		if (str_eq(strings_get(strings, note->key), STR("nrcpus avail")) &&
		    str_u64(&value, &cpus) && cpus < FEATURE_MAX_CPUS)
			return (uint32_t)cpus;
	}
	return 0;
}

/* Layout of the section: u32 nr; string[nr] */
static void feature_siblings(struct perf_file *f, struct perf_bytes *b, const char *key,
			     bool is_noted)
{
	uint32_t n = perf_u32(b);

	for (uint32_t i = 0; i < n && !b->is_over; i++) {
		struct str cpus = feature_string(b);

		if (is_noted && i < FEATURE_MAX_NOTES)
			feature_add(f, key, cpus, true);
	}
}

/*
 * Layout of the section: strings of sibling cores, strings of sibling threads, {u32 core; u32
 * socket} for each CPU, strings of sibling dies, u32 die for each CPU.
 */
static void feature_cpu_topology(struct perf_file *f, struct perf_bytes *b)
{
	struct perf_bytes places = *b;
	struct perf_bytes dies;
	uint32_t n = feature_cpus_available(f);
	bool has_dies;

	feature_siblings(f, &places, "sibling sockets", false);
	feature_siblings(f, &places, "sibling threads", false);
	dies = places;
	(void)perf_take(&dies, (size_t)n * 8);
	has_dies = dies.at < dies.len;
	feature_siblings(f, b, "sibling sockets", true);
	if (has_dies)
		feature_siblings(f, &dies, "sibling dies", true);
	feature_siblings(f, b, "sibling threads", true);
	if (b->at == b->len)
		return; /* perf versions before 4.6 end the section here */
	for (uint32_t i = 0; i < n && !b->is_over; i++) {
		struct profile_cpu *cpu = feature_cpu(f, i);
		uint32_t core = perf_u32(b);
		uint32_t socket = perf_u32(b);
		uint32_t die = has_dies ? perf_u32(&dies) : 0;
		char key[24];

		/* the socket is (u32)-1 for a CPU that was offline during the recording */
		if (!cpu || socket >= UINT16_MAX)
			continue;
		cpu->socket = (uint16_t)socket;
		(void)snprintf(key, sizeof(key), "CPU %u", i);
		if (i < FEATURE_MAX_NOTES && has_dies)
			feature_note(f, key, "Core ID %u, Die ID %u, Socket ID %u", core, die,
				     socket);
		else if (i < FEATURE_MAX_NOTES)
			feature_note(f, key, "Core ID %u, Socket ID %u", core, socket);
	}
}

/* Set the NUMA node of each CPU in @list, such as "0-3,8", to @node. */
static void feature_node_cpus(struct perf_file *f, struct str list, uint32_t node)
{
	while (list.len) {
		uint64_t from;
		uint64_t to;

		if (!str_u64(&list, &from))
			return;
		to = from;
		if (str_take(&list, STR("-")) && !str_u64(&list, &to))
			return;
		for (uint64_t i = from; i <= to && i < FEATURE_MAX_CPUS; i++)
			feature_cpu(f, (uint32_t)i)->node = (uint16_t)node;
		if (!str_take(&list, STR(",")))
			return;
	}
}

/* Layout of the section: u32 nr; nr times { u32 node; u64 total; u64 free; string cpus } */
static void feature_numa(struct perf_file *f, struct perf_bytes *b)
{
	uint32_t n = perf_u32(b);

	for (uint32_t i = 0; i < n && i < FEATURE_MAX_NOTES && !b->is_over; i++) {
		uint32_t node = perf_u32(b);
		uint64_t total = perf_u64(b);
		uint64_t left = perf_u64(b);
		struct str cpus = feature_string(b);
		char key[40];

		if (b->is_over)
			return;
		(void)snprintf(key, sizeof(key), "node%u meminfo", node);
		feature_note(f, key, "total = %" PRIu64 " kB, free = %" PRIu64 " kB", total, left);
		(void)snprintf(key, sizeof(key), "node%u cpu list", node);
		feature_add(f, key, cpus, true);
		if (node < UINT16_MAX)
			feature_node_cpus(f, cpus, node);
	}
}

/* Layout of the section: u32 nr; nr times { u32 type; string name } */
static void feature_pmus(struct perf_file *f, struct perf_bytes *b)
{
	struct out o;
	uint32_t n = perf_u32(b);

	out_init(&o);
	for (uint32_t i = 0; i < n && i < FEATURE_MAX_NOTES && !b->is_over; i++) {
		uint32_t type = perf_u32(b);
		struct str name = feature_string(b);

		out_printf(&o, "%s" STR_FMT " = %u", i ? ", " : "", STR_ARG(name), type);
	}
	feature_add(f, "pmu mappings", out_view(&o), true);
	out_fini(&o);
}

/* Layout of the section: u32 nr; nr times { string name; u32 leader; u32 members } */
static void feature_groups(struct perf_file *f, struct perf_bytes *b)
{
	uint32_t n = perf_u32(b);

	for (uint32_t i = 0; i < n && i < LIMIT_EVENTS && !b->is_over; i++) {
		struct str name = feature_string(b);
		uint32_t leader = perf_u32(b);
		uint32_t members = perf_u32(b);
		struct out o;

		if (b->is_over || leader >= f->attrs.len || members > f->attrs.len - leader)
			return;
		out_init(&o);
		out_printf(&o, STR_FMT "{", STR_ARG(name));
		for (uint32_t k = leader; k < leader + members; k++) {
			f->attrs.data[k].group = leader + 1;
			out_printf(
				&o, "%s" STR_FMT, k > leader ? "," : "",
				STR_ARG(strings_get(&f->dossier->strings, f->attrs.data[k].name)));
		}
		out_char(&o, '}');
		feature_add(f, "group", out_view(&o), true);
		out_fini(&o);
	}
}

/*
 * Layout of the section: u32 version; u32 nr;
 * nr times { u32 level, line, sets, ways; string type, size, map }
 */
static void feature_caches(struct perf_file *f, struct perf_bytes *b)
{
	uint32_t version = perf_u32(b);
	uint32_t n = perf_u32(b);

	for (uint32_t i = 0; version == 1 && i < n && i < FEATURE_MAX_NOTES && !b->is_over; i++) {
		uint32_t level = perf_u32(b);
		struct str type;
		struct str size;
		struct str map;

		(void)perf_take(b, 12);
		type = feature_string(b);
		size = feature_string(b);
		map = feature_string(b);
		if (!b->is_over)
			feature_note(f, "CPU cache", "L%u " STR_FMT " " STR_FMT " [" STR_FMT "]",
				     level, STR_ARG(str_sub(type, 0, 40)),
				     STR_ARG(str_sub(size, 0, 40)), STR_ARG(str_sub(map, 0, 200)));
	}
}

/* Layout of the section: u64 first; u64 last; both in nanoseconds */
static void feature_sample_time(struct perf_file *f, struct perf_bytes *b)
{
	uint64_t first = perf_u64(b);
	uint64_t last = perf_u64(b);

	if (b->is_over || last < first)
		return;
	f->last_ns = last;
	feature_note(f, "time of first sample", "%" PRIu64 ".%06" PRIu64, first / 1000000000,
		     first % 1000000000 / 1000);
	feature_note(f, "time of last sample", "%" PRIu64 ".%06" PRIu64, last / 1000000000,
		     last % 1000000000 / 1000);
	feature_note(f, "sample duration", "%.3f ms", (double)(last - first) / 1e6);
}

/* Layout of the section: u64 version; u64 block size; u64 nr; … */
static void feature_mem_topology(struct perf_file *f, struct perf_bytes *b)
{
	uint64_t version = perf_u64(b);
	uint64_t block = perf_u64(b);

	if (version == 1)
		feature_note(f, "memory nodes", "nr %" PRIu64 ", block size 0x%" PRIx64,
			     perf_u64(b), block);
}

/*
 * Layout of the section: u32 n;
 * n times { u32 info_len; u32 data_len; u64 arrays; info[info_len]; data[data_len] }
 */
static void feature_bpf_programs(struct perf_file *f, struct perf_bytes *b)
{
	uint32_t n = perf_u32(b);

	for (uint32_t i = 0; i < n && i < FEATURE_MAX_NOTES && !b->is_over; i++) {
		uint32_t info_len = perf_u32(b);
		uint32_t data_len = perf_u32(b);
		struct perf_bytes info;
		uint32_t id;
		struct str tag;
		struct str name;

		(void)perf_u64(b);
		info = perf_sub(b, b->at, info_len);
		(void)perf_take(b, info_len);
		(void)perf_take(b, data_len);
		/*
		 * struct bpf_prog_info: u32 type; u32 id; u8 tag[8]; … char name[16] at offset 64
		 */
		(void)perf_u32(&info);
		id = perf_u32(&info);
		tag = perf_take(&info, 8);
		(void)perf_take(&info, 64 - 16);
		name = perf_text(&info, 16);
		if (b->is_over || tag.len != 8)
			return;
		feature_note(f, "bpf_prog_info",
			     "id %u, name " STR_FMT ", tag %02x%02x%02x%02x%02x%02x%02x%02x", id,
			     STR_ARG(name), (uint8_t)tag.p[0], (uint8_t)tag.p[1], (uint8_t)tag.p[2],
			     (uint8_t)tag.p[3], (uint8_t)tag.p[4], (uint8_t)tag.p[5],
			     (uint8_t)tag.p[6], (uint8_t)tag.p[7]);
	}
}

/* Layout of the section: u32 version, type, level, ratio, mmap_len */
static void feature_compressed(struct perf_file *f, struct perf_bytes *b)
{
	uint32_t type;
	uint32_t level;

	(void)perf_u32(b);
	type = perf_u32(b);
	level = perf_u32(b);
	feature_note(f, "compressed", "%s, level = %u, ratio = %u", type == 1 ? "Zstd" : "Unknown",
		     level, perf_u32(b));
}

/* Layout of the section: u32 nr; nr times { string name; string value } */
static void feature_pmu_caps(struct perf_file *f, struct perf_bytes *b)
{
	struct out o;
	uint32_t n = perf_u32(b);

	out_init(&o);
	for (uint32_t i = 0; i < n && i < FEATURE_MAX_NOTES && !b->is_over; i++) {
		struct str name = feature_string(b);
		struct str value = feature_string(b);

		out_printf(&o, "%s" STR_FMT "=" STR_FMT, i ? ", " : "", STR_ARG(name),
			   STR_ARG(value));
	}
	feature_add(f, "cpu pmu capabilities", out_view(&o), true);
	out_fini(&o);
}

/*
 * Layout of the section: u32 version; u32 clockid; u64 wall clock; u64 time of clock clockid; both
 * in nanoseconds
 */
static void feature_clock_data(struct perf_file *f, struct perf_bytes *b)
{
	static const char *const names[] = { "realtime",
					     "monotonic",
					     "process_cputime_id",
					     "thread_cputime_id",
					     "monotonic_raw",
					     NULL,
					     NULL,
					     "boottime" };
	uint32_t clock;
	uint64_t wall;

	(void)perf_u32(b);
	clock = perf_u32(b);
	wall = perf_u64(b);
	if (b->is_over)
		return;
	feature_note(f, "clockid", "%s (%u)",
		     clock < ARRAY_LEN(names) && names[clock] ? names[clock] : "unknown", clock);
	feature_note(f, "reference time",
		     "%" PRIu64 ".%09" PRIu64 " (UTC) = %" PRIu64 " ns of that clock",
		     wall / 1000000000, wall % 1000000000, perf_u64(b));
}

static void feature_clock_frequency(struct perf_file *f, struct perf_bytes *b)
{
	uint64_t resolution_ns = perf_u64(b);

	if (resolution_ns && !b->is_over)
		feature_note(f, "clockid frequency", "%" PRIu64 " MHz", 1000 / resolution_ns);
}

/* Layout of the section: u64 version */
static void feature_directory(struct perf_file *f, struct perf_bytes *b)
{
	f->is_directory = perf_u64(b) == 1;
}

static void feature_tracing(struct perf_file *f, struct perf_bytes *b)
{
	f->tracing_data = perf_take(b, b->len - b->at);
}

static void feature_names(struct perf_file *f, struct perf_bytes *b)
{
	f->names = perf_take(b, b->len - b->at);
}

static const struct diag_kind perf_data_unknown_feature = {
	"perf-data-unknown-section", DIAG_INFO, "header sections of a kind that assay does not know"
};

void perf_file_feature(struct perf_file *f, unsigned int feature, struct perf_bytes body)
{
	static const struct {
		unsigned int feature;
		/*
		 * function that reads the section. NULL: the section is one string; it becomes the
		 * note with the key `key`
		 */
		void (*take)(struct perf_file *f, struct perf_bytes *b);
		const char *key;
	} features[] = {
		{ FEAT_TRACING_DATA, feature_tracing, NULL },
		{ FEAT_BUILD_ID, feature_build_ids, NULL },
		{ FEAT_HOSTNAME, NULL, "hostname" },
		{ FEAT_OSRELEASE, NULL, "os release" },
		{ FEAT_VERSION, NULL, "perf version" },
		{ FEAT_ARCH, NULL, "arch" },
		{ FEAT_NRCPUS, feature_nrcpus, NULL },
		{ FEAT_CPUDESC, NULL, "cpudesc" },
		{ FEAT_CPUID, NULL, "cpuid" },
		{ FEAT_TOTAL_MEM, feature_total_mem, NULL },
		{ FEAT_CMDLINE, feature_cmdline, NULL },
		{ FEAT_EVENT_DESC, feature_events, NULL },
		{ FEAT_CPU_TOPOLOGY, feature_cpu_topology, NULL },
		{ FEAT_NUMA_TOPOLOGY, feature_numa, NULL },
		{ FEAT_PMU_MAPPINGS, feature_pmus, NULL },
		{ FEAT_GROUP_DESC, feature_groups, NULL },
		{ FEAT_CACHE, feature_caches, NULL },
		{ FEAT_SAMPLE_TIME, feature_sample_time, NULL },
		{ FEAT_MEM_TOPOLOGY, feature_mem_topology, NULL },
		{ FEAT_CLOCKID, feature_clock_frequency, NULL },
		{ FEAT_DIR_FORMAT, feature_directory, NULL },
		{ FEAT_BPF_PROG_INFO, feature_bpf_programs, NULL },
		{ FEAT_COMPRESSED, feature_compressed, NULL },
		{ FEAT_CPU_PMU_CAPS, feature_pmu_caps, NULL },
		{ FEAT_CLOCK_DATA, feature_clock_data, NULL },
		{ FEAT_NAMES, feature_names, NULL },
	};

	for (size_t i = 0; i < ARRAY_LEN(features); i++) {
		if (features[i].feature != feature)
			continue;
		if (features[i].take)
			features[i].take(f, &body);
		else
			feature_add(f, features[i].key, feature_string(&body), false);
	}
	if (feature >= FEAT_MAX && feature != FEAT_NAMES)
		diag_count(&f->diag, &perf_data_unknown_feature, 0);
	if (body.is_over)
		diag_count(&f->diag, &perf_data_bad_feature, 0);
}

/* Print sample_type as perf does: "IP|TID|TIME". */
static void feature_sample_type(struct out *o, uint64_t type)
{
	static const char *const names[] = {
		"IP",
		"TID",
		"TIME",
		"ADDR",
		"READ",
		"CALLCHAIN",
		"ID",
		"CPU",
		"PERIOD",
		"STREAM_ID",
		"RAW",
		"BRANCH_STACK",
		"REGS_USER",
		"STACK_USER",
		"WEIGHT",
		"DATA_SRC",
		"IDENTIFIER",
		"TRANSACTION",
		"REGS_INTR",
		"PHYS_ADDR",
		"AUX",
		"CGROUP",
		"DATA_PAGE_SIZE",
		"CODE_PAGE_SIZE",
		"WEIGHT_STRUCT",
	};
	bool is_first = true;

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (!(type >> i & 1))
			continue;
		out_printf(o, "%s%s", is_first ? "" : "|", names[i]);
		is_first = false;
	}
}

void perf_file_note_events(struct perf_file *f)
{
	VEC_FOREACH (a, &f->attrs) {
		struct out o;

		out_init(&o);
		out_printf(&o,
			   "name = " STR_FMT ", type = %u, config = 0x%" PRIx64 ", %s = %" PRIu64
			   ", sample_type = ",
			   STR_ARG(strings_get(&f->dossier->strings, a->name)), a->type, a->config,
			   a->is_frequency ? "sample_freq" : "sample_period", a->period);
		feature_sample_type(&o, a->sample_type);
		feature_add(f, "event", out_view(&o), true);
		out_fini(&o);
	}
}
