/* SPDX-License-Identifier: MIT */
/*
 * risk_cache.c - cache of the metrics of source files, so that unchanged files are not parsed again
 *
 * Each file of the cache (shard) has a header, then an index of its entries, then their data. One
 * entry is the result for one source file. Numbers are little endian.
 */
#include "metrics/risk_cache.h"

#include "base/alloc.h"
#include "base/files.h"
#include "base/idmap.h"
#include "base/limits.h"
#include "base/newfile.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "metrics/risk.h"
#include "metrics/risk_pack.h"
#include "metrics/risk_part.h"
#include "metrics_version.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define CACHE_MAGIC "assayfn\n"
/* size of the header: magic (8 bytes), version (8), number of entries (8), zero (8) */
#define CACHE_HEAD 32u
/*
 * size of an index entry: hash of the source (16 bytes), hash of the data (8), offset (4), length
 * (4)
 */
#define CACHE_ENTRY 32u
/*
 * age in seconds of a temporary file from which it is deleted, because the process that wrote it
 * was probably killed
 */
#define CACHE_STALE_SECS 60

struct cache_key {
	uint64_t low, high;
};

struct cache_entry {
	struct cache_key key;
	uint64_t check;
	uint32_t from; /* offset of the entry's data in `bytes` */
	uint32_t n;
	_Atomic bool is_used;
};

struct cache_fresh {
	struct cache_key key;
	size_t from; /* offset of the entry's data in fresh_bytes */
	size_t n;
};

struct cache_shard {
	pthread_mutex_t lock;
	bool is_read;
	VEC(uint8_t) bytes; /* content of the shard's file; not changed after reading */
	struct cache_entry *entries;
	uint32_t n;
	/* hash of a source -> index in `entries`; not changed after it was filled */
	struct idmap map;
	VEC(struct cache_fresh) fresh;
	struct risk_bytes fresh_bytes;
};

struct risk_cache {
	char *folder;
	struct cache_shard shards[RISK_CACHE_SHARDS];
	atomic_ullong fresh_sources; /* total size in bytes of the sources that this run measured */
};

static uint64_t cache_u64(const uint8_t *p)
{
	uint64_t v = 0;

	for (unsigned int i = 0; i < 8; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return v;
}

static uint8_t *cache_put(uint8_t *p, uint64_t v, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		*p++ = (uint8_t)(v >> 8 * i);
	return p;
}

/*
 * A hash that changes whenever metrics may change: with this program's code, and with the versions
 * of tree-sitter and its grammar. Cached results with another hash are not used.
 */
static uint64_t cache_version(void)
{
	return XXH3_64bits(METRICS_VERSION, sizeof(METRICS_VERSION) - 1);
}

static struct cache_key cache_key_of(struct str text, bool has_compat)
{
	XXH128_hash_t h = XXH3_128bits_withSeed(text.p, text.len, has_compat);

	return (struct cache_key){ h.low64, h.high64 };
}

struct risk_cache *risk_cache_open(const char *folder)
{
	struct risk_cache *c = xcalloc(1, sizeof(*c));
	size_t len = strlen(folder) + 1;

	c->folder = xmalloc(len);
	memcpy(c->folder, folder, len);
	for (unsigned int i = 0; i < RISK_CACHE_SHARDS; i++)
		pthread_mutex_init(&c->shards[i].lock, NULL);
	return c;
}

static void cache_path(const struct risk_cache *c, unsigned int shard, const char *end,
		       char ret[4096])
{
	(void)snprintf(ret, 4096, "%s/functions-%02x%s", c->folder, shard, end);
}

/*
 * Read the file @path into s->bytes, if it belongs to this user and is not larger than its limit.
 */
static void cache_read_file(struct cache_shard *s, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && files_is_trusted(&st) && st.st_uid == geteuid() &&
	    st.st_size <= (off_t)LIMIT_CACHE_SHARD_BYTES) {
		VEC_RESERVE(&s->bytes, (size_t)st.st_size + 1);
		while (s->bytes.len < s->bytes.cap) {
			ssize_t n = files_read(fd, s->bytes.data + s->bytes.len,
					       s->bytes.cap - s->bytes.len);

			if (n <= 0)
				break;
			s->bytes.len += (size_t)n;
		}
	}
	close(fd);
}

/*
 * Fill s->entries and s->map from s->bytes. Entries with truncated data are left out, and all
 * entries of a shard with another version (cache_version()).
 */
static void cache_index(struct cache_shard *s)
{
	const uint8_t *p = s->bytes.data;
	uint64_t n;

	if (s->bytes.len < CACHE_HEAD || memcmp(p, CACHE_MAGIC, 8) != 0 ||
	    cache_u64(p + 8) != cache_version())
		return;
	n = cache_u64(p + 16);
	if (n > (s->bytes.len - CACHE_HEAD) / CACHE_ENTRY)
		return;
	s->entries = xcalloc(n + 1, sizeof(*s->entries));
	for (uint64_t i = 0; i < n; i++) {
		struct cache_entry *e = &s->entries[s->n];
		struct idmap_probe probe;
		uint64_t place;

		p = s->bytes.data + CACHE_HEAD + i * CACHE_ENTRY;
		e->key = (struct cache_key){ cache_u64(p), cache_u64(p + 8) };
		e->check = cache_u64(p + 16);
		place = cache_u64(p + 24);
		e->from = (uint32_t)place;
		e->n = (uint32_t)(place >> 32);
		if (e->from > s->bytes.len || e->n > s->bytes.len - e->from)
			continue;
		probe = idmap_first(&s->map, e->key.high);
		idmap_insert(&s->map, &probe, s->n++);
	}
}

static struct cache_shard *cache_shard_of(struct risk_cache *c, struct cache_key key)
{
	unsigned int i = (unsigned int)(key.low % RISK_CACHE_SHARDS);
	struct cache_shard *s = &c->shards[i];
	char path[4096];

	pthread_mutex_lock(&s->lock);
	if (!s->is_read) {
		s->is_read = true;
		cache_path(c, i, "", path);
		cache_read_file(s, path);
		cache_index(s);
		/*
		 * the first look-up may modify the map: do it here, before several threads use the
		 * map
		 */
		(void)idmap_first(&s->map, 0);
	}
	pthread_mutex_unlock(&s->lock);
	return s;
}

static struct cache_entry *cache_entry_of(struct cache_shard *s, struct cache_key key)
{
	struct idmap_probe probe = idmap_first(&s->map, key.high);

	while (idmap_next(&s->map, &probe)) {
		struct cache_entry *e = &s->entries[probe.id];

		if (e->key.low == key.low && e->key.high == key.high)
			return e;
	}
	return NULL;
}

bool risk_cache_find(struct risk_cache *c, struct str text, bool has_compat, struct risk_part *part)
{
	struct cache_key key = cache_key_of(text, has_compat);
	struct cache_shard *s = cache_shard_of(c, key);
	const struct cache_entry *e = cache_entry_of(s, key);
	struct risk_file file = part->file;

	if (!e || XXH3_64bits_withSeed(s->bytes.data + e->from, e->n, key.low) != e->check)
		return false;
	if (!risk_unpack(s->bytes.data + e->from, e->n, part)) {
		risk_part_fini(part);
		*part = (struct risk_part){ .file = file };
		return false;
	}
	part->is_cached = true;
	atomic_store_explicit(&s->entries[e - s->entries].is_used, true, memory_order_relaxed);
	return true;
}

void risk_cache_add(struct risk_cache *c, struct str text, bool has_compat,
		    const struct risk_part *part)
{
	struct cache_key key = cache_key_of(text, has_compat);
	struct cache_shard *s = cache_shard_of(c, key);
	struct cache_fresh *f;

	pthread_mutex_lock(&s->lock);
	if (s->fresh_bytes.bytes.len < LIMIT_CACHE_SHARD_BYTES) {
		f = VEC_PUSH(&s->fresh);
		*f = (struct cache_fresh){ .key = key, .from = s->fresh_bytes.bytes.len };
		risk_pack(part, &s->fresh_bytes);
		f->n = s->fresh_bytes.bytes.len - f->from;
		atomic_fetch_add(&c->fresh_sources, text.len);
	}
	pthread_mutex_unlock(&s->lock);
}

/* The parts of a new shard file that is to be written. */
struct cache_writer {
	VEC(uint8_t) index;
	VEC(uint8_t) bytes;
	uint64_t n;
};

static void cache_write_entry(struct cache_writer *w, struct cache_key key, uint64_t check,
			      const uint8_t *bytes, size_t n)
{
	uint8_t entry[CACHE_ENTRY];
	uint8_t *p = entry;

	if (CACHE_HEAD + w->index.len + CACHE_ENTRY + w->bytes.len + n > LIMIT_CACHE_SHARD_BYTES)
		return;
	p = cache_put(p, key.low, 8);
	p = cache_put(p, key.high, 8);
	p = cache_put(p, check, 8);
	/*
	 * offset of the data in w->bytes; cache_collect() later replaces it by the offset in the
	 * file of the shard
	 */
	p = cache_put(p, w->bytes.len, 4);
	(void)cache_put(p, n, 4);
	VEC_APPEND(&w->index, entry, sizeof(entry));
	VEC_APPEND(&w->bytes, bytes, n);
	w->n++;
}

/*
 * Collect the entries of the new shard in this order: new entries, entries used in this run, all
 * others. The size limit thus drops unused entries first.
 */
static void cache_collect(struct cache_shard *s, struct cache_writer *w)
{
	VEC_FOREACH (f, &s->fresh) {
		const uint8_t *bytes = s->fresh_bytes.bytes.data + f->from;

		cache_write_entry(w, f->key, XXH3_64bits_withSeed(bytes, f->n, f->key.low), bytes,
				  f->n);
	}
	for (unsigned int used = 2; used-- > 0;) {
		for (uint32_t i = 0; i < s->n; i++) {
			struct cache_entry *e = &s->entries[i];
			bool is_fresh = false;

			/*
			 * skip an old entry that was damaged and therefore measured again: only its
			 * new version is written
			 */
			VEC_FOREACH (f, &s->fresh)
				is_fresh |= f->key.low == e->key.low && f->key.high == e->key.high;
			if (!is_fresh && atomic_load(&e->is_used) == (used == 1))
				cache_write_entry(w, e->key, e->check, s->bytes.data + e->from,
						  e->n);
		}
	}
	for (uint64_t i = 0; i < w->n; i++) {
		uint8_t *p = w->index.data + i * CACHE_ENTRY + 24;
		uint64_t place = cache_u64(p) & UINT32_MAX;

		(void)cache_put(p, place + CACHE_HEAD + w->index.len, 4);
	}
}

/*
 * Whether @folder is protected from other users. The folder must belong to this user, and must not
 * be writable for all users. If @folder is a link, the link must belong to this user, too. A
 * missing folder is safe, because this program will create it.
 */
static bool cache_is_safe(const char *folder)
{
	struct stat link;
	struct stat st;

	if (lstat(folder, &link) != 0)
		return errno == ENOENT;
	return link.st_uid == geteuid() && stat(folder, &st) == 0 && S_ISDIR(st.st_mode) &&
	       st.st_uid == geteuid() && !(st.st_mode & S_IWOTH);
}

/*
 * Create the temporary file of a shard. Its fixed name ensures that only one process writes the
 * shard, and that a killed process leaves at most one file. Returns the descriptor; < 0: another
 * process is writing, or an error.
 */
static int cache_create(const char *path)
{
	int fd = -1;
	struct stat st;

	if (files_are_confined())
		return files_wish(FILES_CREATE, path, NULL, &fd) ? fd : -1;
	fd = newfile_exclusive(AT_FDCWD, path, 0600);
	if (fd >= 0 || errno != EEXIST || lstat(path, &st) != 0 ||
	    time(NULL) - st.st_mtime < CACHE_STALE_SECS)
		return fd;
	(void)unlink(path);
	return newfile_exclusive(AT_FDCWD, path, 0600);
}

static void cache_end(const char *temporary, const char *path, bool is_whole)
{
	if (files_are_confined())
		(void)files_wish(is_whole ? FILES_PLACE : FILES_DROP, temporary, NULL, NULL);
	else if (!is_whole || !newfile_exclusive_put(temporary, path))
		(void)unlink(temporary);
}

static void cache_write_shard(struct risk_cache *c, unsigned int shard)
{
	struct cache_writer w = { .index = VEC_INIT };
	uint8_t head[CACHE_HEAD] = CACHE_MAGIC;
	char temporary[4096];
	char path[4096];
	bool is_whole;
	int fd;

	cache_path(c, shard, "", path);
	cache_path(c, shard, ".new", temporary);
	fd = cache_create(temporary);
	if (fd < 0)
		return;
	cache_collect(&c->shards[shard], &w);
	(void)cache_put(cache_put(head + 8, cache_version(), 8), w.n, 8);
	is_whole = newfile_write(fd, head, sizeof(head)) &&
		   newfile_write(fd, w.index.data, w.index.len) &&
		   newfile_write(fd, w.bytes.data, w.bytes.len);
	is_whole = close(fd) == 0 && is_whole;
	cache_end(temporary, path, is_whole);
	VEC_FREE(&w.index);
	VEC_FREE(&w.bytes);
}

/* Create the folder of the cache, and also its parent folder if that is missing. */
static void cache_make_folder(const char *folder)
{
	char around[4096];
	size_t slash = str_rfind_char(str_of(folder), '/');

	if (mkdir(folder, 0700) == 0 || errno != ENOENT || slash == 0 || slash >= sizeof(around))
		return;
	memcpy(around, folder, slash);
	around[slash] = '\0';
	if (mkdir(around, 0700) == 0)
		(void)mkdir(folder, 0700);
}

/* Whether @path is a temporary file of the cache: "FOLDER/functions-3f.new". */
static bool cache_is_temporary(const char *folder, const char *path)
{
	char expected[4096];

	for (unsigned int i = 0; i < RISK_CACHE_SHARDS; i++) {
		(void)snprintf(expected, sizeof(expected), "%s/functions-%02x.new", folder, i);
		if (strcmp(path, expected) == 0)
			return true;
	}
	return false;
}

bool risk_cache_serve(const char *folder, enum files_wish wish, const char *path, int *ret_fd)
{
	char final[4096];
	struct stat st;

	if (!cache_is_temporary(folder, path) || !cache_is_safe(folder))
		return false;
	if (wish == FILES_CREATE) {
		cache_make_folder(folder);
		*ret_fd = cache_create(path);
		return *ret_fd >= 0;
	}
	(void)snprintf(final, sizeof(final), "%.*s", (int)(strlen(path) - strlen(".new")), path);
	/*
	 * Check the file before it becomes the shard. The process that wrote it reads untrusted
	 * sources, and a malicious source may have taken control of the process.
	 */
	cache_end(path, final,
		  wish == FILES_PLACE && lstat(path, &st) == 0 && S_ISREG(st.st_mode) &&
			  st.st_size <= (off_t)LIMIT_CACHE_SHARD_BYTES);
	return true;
}

void risk_cache_trim(const char *folder)
{
	static const char *const ends[] = { "", ".new" };

	if (!cache_is_safe(folder))
		return;
	for (unsigned int i = 0; i < RISK_CACHE_SHARDS; i++) {
		for (size_t k = 0; k < ARRAY_LEN(ends); k++) {
			char path[4096];
			struct stat st;

			(void)snprintf(path, sizeof(path), "%s/functions-%02x%s", folder, i,
				       ends[k]);
			if (lstat(path, &st) == 0 && S_ISREG(st.st_mode) &&
			    st.st_size > (off_t)LIMIT_CACHE_SHARD_BYTES)
				(void)unlink(path);
		}
	}
}

void risk_cache_close(struct risk_cache *c)
{
	bool is_worth_it = atomic_load(&c->fresh_sources) >= RISK_CACHE_WORTH &&
			   (files_are_confined() || cache_is_safe(c->folder));

	if (is_worth_it && !files_are_confined())
		cache_make_folder(c->folder);
	for (unsigned int i = 0; i < RISK_CACHE_SHARDS; i++) {
		struct cache_shard *s = &c->shards[i];

		if (is_worth_it && s->fresh.len)
			cache_write_shard(c, i);
		VEC_FREE(&s->bytes);
		VEC_FREE(&s->fresh);
		VEC_FREE(&s->fresh_bytes.bytes);
		idmap_fini(&s->map);
		free(s->entries);
		pthread_mutex_destroy(&s->lock);
	}
	free(c->folder);
	free(c);
}
