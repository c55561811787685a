/* SPDX-License-Identifier: MIT */
/*
 * Process the records that the kernel wrote. Their types are in enum perf_event_type of
 * include/uapi/linux/perf_event.h.
 */
#include "core/dossier.h"
#include "formats/perf_data/perf_data_reader.h"

#include "base/str.h"
#include "base/vec.h"
#include "core/diag.h"
#include "core/profile.h"
#include "formats/perf_data/perf_data_deferred.h"
#include "formats/perf_data/perf_data_file.h"
#include "formats/perf_data/perf_data_sample.h"
#include "symbols/elf_symbols.h"
#include "symbols/resolver/resolver.h"

#define PERF_MISC_COMM_EXEC (1u << 13)
#define PERF_MISC_FORK_EXEC (1u << 13)

static const struct diag_kind perf_data_throttled = { "perf-data-throttled", DIAG_INFO,
						      "times that the kernel throttled sampling" };
static const struct diag_kind perf_data_aux = {
	"perf-data-aux", DIAG_INFO, "records about hardware traces (AUX), which are not decoded"
};

#define MAP_MISC_BUILD_ID (1u << 14) /* PERF_RECORD_MISC_MMAP_BUILD_ID */
/*
 * a build id of at least this size, in bytes, is certain. A shorter one is accepted only if an
 * event requests build ids; otherwise the bytes may be device and inode numbers
 */
#define MAP_ID_SURE 16u

/*
 * Build id in a MMAP2 record: u8 size; u8, u16 reserved; u8 id[20]. Other MMAP2 records have device
 * and inode in the same bytes.
 */
struct map_place {
	uint8_t id_len;
	uint8_t reserved[3];
	uint8_t id[BUILD_ID_MAX];
};

static bool perf_maps_have_ids(const struct perf_reader *r)
{
	VEC_FOREACH (a, &r->file.attrs) {
		if (a->has_map_ids)
			return true;
	}
	return false;
}

/*
 * Copy the build id in @where, a struct map_place, to @ret. False: @where contains device and
 * inode.
 *
 * The flag MAP_MISC_BUILD_ID in @misc does not prove that there is a build id. If two recordings
 * run at the same time and one of them requests build ids, the kernel sets the flag in the records
 * of both (perf_event_mmap_output(), at least up to 6.18). The attribute perf_attr.has_map_ids does
 * not decide it, either: perf inject adds build ids without setting this attribute.
 */
static bool perf_take_map_id(const struct perf_reader *r, uint16_t misc, struct str where,
			     struct build_id *ret)
{
	struct map_place place;

	if (!(misc & MAP_MISC_BUILD_ID) || where.len != sizeof(place))
		return false;
	memcpy(&place, where.p, sizeof(place));
	if (place.id_len == 0 || place.id_len > BUILD_ID_MAX || place.reserved[0] ||
	    place.reserved[1] || place.reserved[2] ||
	    (place.id_len < MAP_ID_SURE && !perf_maps_have_ids(r)))
		return false;
	ret->len = place.id_len;
	memcpy(ret->bytes, place.id, place.id_len);
	return true;
}

/*
 * Process a memory map. Fields of MMAP: pid, tid, addr, len, pgoff, name. MMAP2 has these fields,
 * too; between pgoff and name it has the device or build id and the protection.
 */
static void perf_take_map(struct perf_reader *r, const uint8_t *record, bool is_mmap2)
{
	struct perf_bytes b = perf_record_body(r, record);
	uint16_t misc = perf_record_misc(r, record);
	struct build_id id = { .len = 0 };
	struct resolver_file file = { .inode = 0 };
	bool is_data = !is_mmap2 && misc & 1u << 13; /* PERF_RECORD_MISC_MMAP_DATA */
	uint32_t pid = perf_u32(&b);
	uint64_t start;
	uint64_t length;
	uint64_t offset;
	struct str name;

	(void)perf_u32(&b);
	start = perf_u64(&b);
	length = perf_u64(&b);
	offset = perf_u64(&b);
	if (is_mmap2) {
		struct str where = perf_take(&b, 24);
		uint32_t protection = perf_u32(&b);

		(void)perf_u32(&b);
		if (!perf_take_map_id(r, misc, where, &id) && where.len == 24) {
			struct perf_bytes f = { (const uint8_t *)where.p, 24, 0, b.is_swapped,
						false };

			file.major = perf_u32(&f);
			file.minor = perf_u32(&f);
			file.inode = perf_u64(&f);
		}
		is_data = !(protection & 4); /* 4 is PROT_EXEC */
	}
	name = perf_text(&b, SIZE_MAX);
	if (b.is_over || name.len == 0) {
		diag_count(&r->file.diag, &perf_data_bad_record, 0);
		return;
	}
	if ((misc & 7) == CPUMODE_KERNEL)
		pid = UINT32_MAX;
	if (is_data && pid != UINT32_MAX)
		resolver_map_data(r->resolver, pid, start, length, offset, name,
				  id.len ? &id : NULL);
	else if (!is_data)
		resolver_map(r->resolver, pid, start, length, offset, name, id.len ? &id : NULL);
	if (file.inode && !is_data)
		resolver_map_file(r->resolver, pid, name, &file);
}

/* Whether perf itself started the recorded command. */
static bool perf_is_of_command(const struct perf_reader *r)
{
	VEC_FOREACH (a, &r->file.attrs) {
		if (a->is_of_command)
			return true;
	}
	return false;
}

/*
 * Process the new name of a thread after an exec or prctl(). An exec does not remove the maps of
 * the process here, as in perf. The reason: until execve() returns, user frames of call chains
 * belong to the old program. The maps of the new program come later, and replace the old maps that
 * they overlap.
 */
static void perf_take_comm(struct perf_reader *r, const uint8_t *record)
{
	struct perf_bytes b = perf_record_body(r, record);
	uint32_t pid = perf_u32(&b);
	uint32_t tid = perf_u32(&b);

	resolver_comm(r->resolver, pid, tid, perf_text(&b, 16));
	if (perf_record_misc(r, record) & PERF_MISC_COMM_EXEC)
		resolver_exec(r->resolver, pid);
	if (!r->command && perf_record_misc(r, record) & PERF_MISC_COMM_EXEC &&
	    perf_is_of_command(r) && perf_record_time(r, record, &r->exec_ns))
		r->command = pid;
}

/*
 * Process the end of a thread: u32 pid, ppid, tid, ptid; u64 time. Stores when the thread ended.
 * The recorded command ends when its first thread ends.
 */
static void perf_take_exit(struct perf_reader *r, const uint8_t *record)
{
	struct perf_bytes b = perf_record_body(r, record);
	uint32_t pid = perf_u32(&b);
	uint64_t now;
	uint32_t tid;

	(void)perf_u32(&b);
	tid = perf_u32(&b);
	(void)perf_u32(&b);
	now = perf_u64(&b);
	if (!b.is_over)
		*VEC_PUSH(&r->exits) = (struct profile_exit){ tid, now };
	if (r->command && pid == r->command && tid == pid && perf_record_time(r, record, &now) &&
	    now > r->exec_ns)
		r->recording.command_ns = now - r->exec_ns;
}

/*
 * Process a fork: u32 pid, ppid, tid, ptid. A record with PERF_MISC_FORK_EXEC comes from perf, not
 * from the kernel, and describes a process that ran before the recording began. Such a process may
 * run another program than its parent, so records of its own maps follow.
 */
static void perf_take_fork(struct perf_reader *r, const uint8_t *record)
{
	struct perf_bytes b = perf_record_body(r, record);
	uint32_t pid = perf_u32(&b);
	uint32_t parent_pid = perf_u32(&b);
	uint32_t tid = perf_u32(&b);
	uint32_t parent_tid = perf_u32(&b);

	resolver_fork(r->resolver, pid, tid, parent_pid, parent_tid);
	if (pid != parent_pid && perf_record_misc(r, record) & PERF_MISC_FORK_EXEC)
		resolver_end(r->resolver, pid);
}

/*
 * Process a PERF_RECORD_CALLCHAIN_DEFERRED: u64 cookie; u64 nr; u64 ips[nr]. It is the user part of
 * earlier call chains of the same thread.
 */
static void perf_take_deferred(struct perf_reader *r, const uint8_t *record)
{
	struct perf_bytes b = perf_record_body(r, record);
	uint64_t cookie = perf_u64(&b);
	struct perf_words chain = { .n = perf_u64(&b), .is_swapped = b.is_swapped };
	uint32_t tid;

	if (b.is_over || chain.n > (b.len - b.at) / 8 || !perf_record_tid(r, record, &tid)) {
		diag_count(&r->file.diag, &perf_data_bad_record, 0);
		return;
	}
	chain.p = (const uint8_t *)perf_take(&b, (size_t)chain.n * 8).p;
	/*
	 * do not report here that the limit of stored chains or frames is reached. The samples that
	 * lack their user part for this reason are counted later
	 */
	if (!r->deferred->is_joining)
		(void)perf_deferred_add(r->deferred, tid, cookie, chain);
}

/* Process a kernel symbol: u64 addr; u32 len; u16 type; u16 flags (1: unregister); char name[] */
static void perf_take_ksymbol(struct perf_reader *r, const uint8_t *record)
{
	struct perf_bytes b = perf_record_body(r, record);
	uint64_t start = perf_u64(&b);
	uint32_t length = perf_u32(&b);
	uint16_t flags;

	(void)perf_u16(&b);
	flags = perf_u16(&b);
	resolver_kernel_symbol(r->resolver, start, length, perf_text(&b, SIZE_MAX), flags & 1);
}

/*
 * Update r->lost, the number of lost samples. Two kinds of records count the same losses. The
 * kernel writes a PERF_RECORD_LOST when the buffer has space again. The kernel also has counters,
 * which perf writes at the end as PERF_RECORD_LOST_SAMPLES. r->lost uses the larger of the two
 * sums.
 *
 * @streamed: losses in the current PERF_RECORD_LOST; the caller has already added them to
 * r->recording.lost_records. 0: the current record is not a PERF_RECORD_LOST.
 *
 * @counted: losses in the current PERF_RECORD_LOST_SAMPLES; 0: the current record is not of this
 * kind.
 */
static void perf_take_lost(struct perf_reader *r, uint64_t streamed, uint64_t counted)
{
	const struct profile_recording *n = &r->recording;
	uint64_t before = n->lost_records - streamed;

	r->lost -= before > r->lost_counted ? before : r->lost_counted;
	r->lost_counted += counted;
	r->lost += n->lost_records > r->lost_counted ? n->lost_records : r->lost_counted;
}

/*
 * Whether perf wrote this PERF_RECORD_LOST_SAMPLES at the end, from a counter. Its time is then 0.
 * Otherwise the kernel wrote it during the recording. @b: the rest of the record, after the number
 * of lost samples.
 */
static bool perf_is_counted(const struct perf_reader *r, struct perf_bytes b)
{
	const struct perf_attr *a = r->file.attrs.data;

	if (r->file.attrs.len == 0 || !a->has_sample_id_all || !(a->sample_type & PERF_SAMPLE_TIME))
		return false;
	if (a->sample_type & PERF_SAMPLE_TID)
		(void)perf_u64(&b);
	return perf_u64(&b) == 0 && !b.is_over;
}

void perf_take_event(struct perf_reader *r, const uint8_t *record)
{
	struct profile_recording *n = &r->recording;
	struct perf_bytes b;
	uint64_t lost;

	switch (perf_record_type(r, record)) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		perf_take_map(r, record, perf_record_type(r, record) == PERF_RECORD_MMAP2);
		break;
	case PERF_RECORD_COMM:
		perf_take_comm(r, record);
		break;
	case PERF_RECORD_FORK:
		n->forks++;
		perf_take_fork(r, record);
		break;
	case PERF_RECORD_KSYMBOL:
		perf_take_ksymbol(r, record);
		break;
	case PERF_RECORD_EXIT:
		n->exits++;
		perf_take_exit(r, record);
		break;
	case PERF_RECORD_LOST:
		b = perf_record_body(r, record);
		(void)perf_u64(&b);
		lost = perf_u64(&b);
		n->lost_records += lost;
		perf_take_lost(r, lost, 0);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		b = perf_record_body(r, record);
		lost = perf_u64(&b);
		n->lost_samples += lost;
		if (perf_is_counted(r, b))
			perf_take_lost(r, 0, lost);
		else
			/* the hardware lost these samples, which no other record counts */
			r->lost += lost;
		break;
	case PERF_RECORD_THROTTLE:
		n->throttled++;
		diag_count(&r->file.diag, &perf_data_throttled, 0);
		break;
	case PERF_RECORD_READ:
		n->reads++;
		break;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		n->switches++;
		perf_take_switch(r, record);
		break;
	case PERF_RECORD_NAMESPACES:
		n->namespaces++;
		perf_take_namespaces(r, record);
		break;
	case PERF_RECORD_CGROUP:
		n->cgroups++;
		perf_take_cgroup(r, record);
		break;
	case PERF_RECORD_CALLCHAIN_DEFERRED:
		perf_take_deferred(r, record);
		break;
	case PERF_RECORD_AUX:
	case PERF_RECORD_ITRACE_START:
	case PERF_RECORD_AUX_OUTPUT_HW_ID:
		n->aux++;
		diag_count(&r->file.diag, &perf_data_aux, 0);
		break;
	default:
		break;
	}
}

void perf_take_build_id(struct perf_reader *r, struct str record)
{
	struct perf_bytes b = { (const uint8_t *)record.p, record.len, 0, r->file.all.is_swapped,
				false };
	struct build_id id = { .len = BUILD_ID_MAX };
	struct str bytes;
	uint16_t misc;

	(void)perf_u32(&b);
	misc = perf_u16(&b);
	(void)perf_u16(&b);
	(void)perf_u32(&b); /* skip the pid */
	bytes = perf_take(&b, 24);
	if (b.is_over)
		return;
	/* PERF_RECORD_MISC_BUILD_ID_SIZE */
	if (misc & (1u << 15) && (uint8_t)bytes.p[20] <= BUILD_ID_MAX)
		id.len = (uint8_t)bytes.p[20];
	memcpy(id.bytes, bytes.p, id.len);
	resolver_build_id(r->resolver, perf_text(&b, SIZE_MAX), &id);
}
