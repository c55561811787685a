/* SPDX-License-Identifier: MIT */
/*
 * perf_data_reader.h - what the parts of the perf.data reader share
 *
 * perf_data.c walks over records and puts them in order of time; samples go to
 * perf_data_stack.c, all others that change what addresses and threads mean to
 * perf_data_events.c, compressed ones to perf_data_chunks.c.
 *
 * Private to perf_data*.c.
 */
#ifndef FORMATS_PERF_DATA_READER_H
#define FORMATS_PERF_DATA_READER_H

#include "formats/perf_data/perf_data_queue.h"
#include "formats/perf_data/perf_data_raw.h"
#include "formats/perf_data/perf_data_rows.h"
#include "formats/perf_data/perf_data_sample.h"

/* One frame of a chain. */
struct perf_frame {
	uint64_t ip;
	uint64_t where; /* mode, the flag, and for perf_data_script.c the generation << 3 */
};

#define PERF_LONG_RECORD 2048u /* bytes of a record: the next one is not on its way by itself */

#define PERF_FRAME_AFTER_CALL (UINT64_C(1) << 63) /* ip is a return address */

struct perf_chunk {
	uint8_t *data;
	size_t len;
};

/* A control group of PERF_RECORD_CGROUP. */
struct perf_cgroup {
	uint64_t id;
	str_id path;
};

/* Samples of one id: where their fields are (perf_data_peek.h). */
struct perf_peek {
	size_t n_attrs; /* that there were; 0: nothing is known */
	bool has_id;
	uint64_t id; /* at @id_at */
	size_t id_at, time_at;
	uint32_t attr; /* PERF_QUEUED_SAMPLE: not plain */
	size_t least;  /* bytes of a record, of the first event and of this one */
	struct perf_layout layout;
	uint64_t period; /* where samples have none */
};

struct perf_reader {
	struct perf_file file;
	struct perf_peek peek;
	struct resolver *resolver;
	uint64_t seen_ns;    /* the latest time in the first records that have one */
	unsigned int detail; /* enum resolver_detail */
	struct perf_queue queue;
	struct perf_stacks *stacks;         /* perf_data_stack.c */
	VEC(struct perf_frame) frames;      /* of the sample at hand, innermost first */
	VEC(struct perf_chunk) chunks;      /* decompressed; [0] is the file itself */
	size_t chunks_freed;                /* of those in which nothing waits any more */
	VEC(struct document *) others;      /* files beside this one, of a directory */
	VEC(uint8_t) carry;                 /* start of a record that goes on in the next chunk */
	void *zstd;                         /* ZSTD_DStream */
	uint64_t lost;                      /* samples, of all events */
	uint64_t lost_counted;              /* as counters of the events said at the end */
	VEC(struct perf_cgroup) cgroups;    /* by id, the latest last */
	bool wants_cgroup;                  /* a field of samples that was asked for */
	struct perf_raw raw;                /* of samples whose fields are wanted */
	struct profile_recording recording; /* counts of the whole file */
	const uint8_t *released;
	struct perf_script *script; /* perf_data_script.c; NULL: nothing was printed */
};

extern const struct diag_kind perf_data_bad_record;

/* struct perf_event_header: u32 type; u16 misc; u16 size */
static inline uint32_t perf_record_type(const struct perf_reader *r, const uint8_t *p)
{
	uint32_t type;

	memcpy(&type, p, sizeof(type));
	return r->file.all.is_swapped ? __builtin_bswap32(type) : type;
}

static inline uint16_t perf_record_u16(const struct perf_reader *r, const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return r->file.all.is_swapped ? __builtin_bswap16(v) : v;
}

static inline uint16_t perf_record_misc(const struct perf_reader *r, const uint8_t *p)
{
	return perf_record_u16(r, p + 4);
}

static inline uint16_t perf_record_size(const struct perf_reader *r, const uint8_t *p)
{
	return perf_record_u16(r, p + 6);
}

/* What follows the header of a record whose size was checked. */
static inline struct perf_bytes perf_record_body(const struct perf_reader *r, const uint8_t *p)
{
	return (struct perf_bytes){ p + 8, perf_record_size(r, p) - 8u, 0, r->file.all.is_swapped,
				    false };
}

/* perf_data_stack.c: a sample becomes a stack of its event's capture. */
void perf_stack_init(struct perf_reader *r);
void perf_stack_fini(struct perf_reader *r);
/* perf_data_peek.c: XXH3 of words, of which there are some. */
uint64_t perf_words_hash(struct perf_words words, uint64_t seed);
/* What a chain is known by, and the place of its sample: 64 bits. */
static inline uint64_t perf_chain_hash(uint64_t ip, enum cpumode mode, struct perf_words chain)
{
	uint64_t seed = hash_u64(ip, (uint64_t)mode);

	return chain.n ? perf_words_hash(chain, seed) : seed;
}
/* The records of @items at the @n places of @order, in order of time. */
void perf_take_records(struct perf_reader *r, const struct perf_queued *items,
		       const uint32_t *order, size_t n);
/* All was read: what was added up becomes elements of the profiles. */
void perf_stack_finish(struct perf_reader *r);

/* perf_data_script.c: print the sample whose frames are in r->frames to wanted.script. */
void perf_script_sample(struct perf_reader *r, const struct perf_sample *s, str_id comm);
/* All was read: print what waits for the texts of tracepoints. */
void perf_script_finish(struct perf_reader *r);
void perf_script_free(struct perf_script *t);

/* A frame of the sample at hand, behind (that is, a caller of) those it has. */
void perf_add_frame(struct perf_reader *r, uint64_t ip, uint64_t where);

/* perf_data_unwind.c: the user frames by registers and stack. */
void perf_unwind(struct perf_reader *r, const struct perf_sample *s, uint64_t where,
		 struct diag *diag);

/* perf_data_events.c: records of the kernel that are no samples, in order of time. */
void perf_take_event(struct perf_reader *r, const uint8_t *record);
/* A PERF_RECORD_HEADER_BUILD_ID, whole, with its header. */
void perf_take_build_id(struct perf_reader *r, struct str record);

/*
 * perf_data_chunks.c: undo a compressed record, with what the one before left
 * over in front. False: nothing came of it. The chunk is the last of r->chunks.
 */
bool perf_chunk_add(struct perf_reader *r, struct perf_bytes body);
/* Free the chunks in front of @keep. */
void perf_chunks_drop(struct perf_reader *r, size_t keep);
/* Another stream begins: what the one before left over is not its start. */
void perf_chunks_restart(struct perf_reader *r);
void perf_chunks_fini(struct perf_reader *r);

#endif
