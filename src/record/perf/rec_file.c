/* SPDX-License-Identifier: MIT */
/* Write a perf.data file: header, event ids, attributes, records, feature sections. */
#include "record/perf/rec.h"

#include "base/alloc.h"
#include "base/newfile.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/perf_features.h"
#include "record/perf/record.h"
#include "record/window/window.h"

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#if HAVE_ZSTD
#include <zstd.h>
#endif

#define FILE_COPY (1u << 20)
/* minimum distance between the offsets at which a file may be cut after a write error */
#define FILE_SALVAGE_STEP 2048u

struct file_section {
	uint64_t offset, size;
};

/* perf's struct perf_file_header */
struct file_header {
	char magic[8];
	uint64_t size;
	uint64_t attr_size;
	struct file_section attrs;
	struct file_section data;
	struct file_section event_types;
	uint64_t features[4];
};

static bool file_is_recording(struct str head)
{
	return perf_features_is_recording(head);
}

const struct newfile_kind record_kind = { "a recording (perf.data)", file_is_recording };

int rec_output_find(struct rec *r, const struct newfile_kind *kind, struct error *err)
{
	VEC(const char *) inputs = VEC_INIT;
	struct newfile_spec spec = { .path = r->spec->output,
				     .kind = kind,
				     .is_forced = r->spec->is_forced,
				     .is_private = true,
				     .keeps_old = true,
				     .is_file = r->spec->keep_ns || r->spec->keep_bytes };
	struct error why = { "" };
	int status;

	for (char *const *word = r->spec->argv; word && *word; word++)
		*VEC_PUSH(&inputs) = *word;
	spec.inputs = inputs.data;
	spec.n_inputs = inputs.len;
	status = newfile_find(&spec, &r->output, &why);
	VEC_FREE(&inputs);
	return status == OK ? OK : fail(err, status, "%s: %s", r->spec->output, why.msg);
}

int rec_output_make(struct rec *r, struct error *err)
{
	struct error why = { "" };
	int status = newfile_make(&r->output, &why);

	return status == OK ? OK : fail(err, status, "%s: %s", r->spec->output, why.msg);
}

int rec_output_put(struct rec *r, struct error *err)
{
	struct error why = { "" };
	int status = newfile_put(&r->output, /* keeps_old= */ true, &why);

	return status == OK ? OK : fail(err, status, "%s: %s", r->spec->output, why.msg);
}

/*
 * Append the file header, event ids and attributes to @o. @data_at, @bytes: offset and size of the
 * records in the file.
 */
static void file_head(const struct rec *r, uint64_t data_at, uint64_t bytes,
		      const uint64_t features[4], struct out *o)
{
	struct file_header h = { .size = sizeof(h) };
	uint64_t ids_at = sizeof(h);
	uint64_t n_ids = 0;

	VEC_FOREACH (e, &r->events)
		n_ids += e->ids.len;
	/* the magic as a u64 shows the byte order to readers */
	memcpy(h.magic, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? PERF_MAGIC : PERF_MAGIC_OTHER,
	       8);
	h.attr_size = sizeof(struct perf_event_attr) + sizeof(struct file_section);
	h.attrs = (struct file_section){ ids_at + n_ids * 8, r->events.len * h.attr_size };
	h.data = (struct file_section){ data_at, bytes };
	memcpy(h.features, features, sizeof(h.features));
	out_bytes(o, &h, sizeof(h));
	VEC_FOREACH (e, &r->events)
		out_bytes(o, e->ids.data, e->ids.len * 8);
	VEC_FOREACH (e, &r->events) {
		struct file_section ids = { ids_at, e->ids.len * 8 };
		struct perf_event_attr attr = rec_chains_attr(r, e);

		out_bytes(o, &attr, sizeof(attr));
		out_bytes(o, &ids, sizeof(ids));
		ids_at += ids.size;
	}
}

static int file_compression(struct rec_file *f, struct error *err)
{
	if (!f->zstd_level)
		return OK;
#if HAVE_ZSTD
	f->zstd = ZSTD_createCStream();
	f->packed = xmalloc(REC_COMPRESSED_MAX);
	if (!f->zstd || ZSTD_isError(ZSTD_initCStream(f->zstd, (int)f->zstd_level)))
		return fail(err, ERR_IO, "zstd refuses level %u", f->zstd_level);
	return OK;
#else
	return fail(err, ERR_UNSUPPORTED,
		    "-z: built without libzstd, so recordings are not compressed");
#endif
}

int rec_file_create(struct rec *r, struct error *err)
{
	static const uint64_t none[4];
	struct rec_file *f = &r->file;
	struct iovec iov;
	struct out o;
	int status;

	*f = (struct rec_file){ .fd = -1,
				.path = r->spec->shown ? r->spec->shown : r->spec->output };
	f->zstd_level = r->spec->zstd_level;
	status = file_compression(f, err);
	if (status < 0)
		return status;
	/*
	 * the header is written at the end, but an output such as a pipe cannot seek back: then use
	 * a temporary file, and copy it at the end
	 */
	f->fd = newfile_is_straight(&r->output)
			? newfile_scratch(NULL)
			: fcntl(r->output.fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (f->fd < 0)
		return fail(err, ERR_IO, "%s: cannot write it: %s", f->path, strerror(errno));
	out_init(&o);
	file_head(r, 0, 0, none, &o);
	f->data_at = o.len;
	out_fini(&o);
	out_init(&o);
	file_head(r, f->data_at, 0, none, &o);
	iov = (struct iovec){ o.data, o.len };
	rec_file_write(f, &iov, 1);
	out_fini(&o);
	if (f->error)
		return fail(err, ERR_IO, "%s: cannot write it: %s", f->path, strerror(f->error));
	*VEC_PUSH(&f->rounds) = (struct rec_round){ f->at, 0 };
	return OK;
}

void rec_file_write(struct rec_file *f, struct iovec *iov, size_t n)
{
	while (n && !f->error) {
		ssize_t done = writev(f->fd, iov, n > 1024 ? 1024 : (int)n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) {
			f->error = done < 0 ? errno : EIO;
			return;
		}
		f->at += (uint64_t)done;
		while (n && (size_t)done >= iov->iov_len) {
			done -= (ssize_t)iov->iov_len;
			iov++;
			n--;
		}
		if (n) {
			iov->iov_base = (uint8_t *)iov->iov_base + done;
			iov->iov_len -= (size_t)done;
		}
	}
}

#if HAVE_ZSTD
/*
 * Write f->packed as one PERF_RECORD_COMPRESSED. @len: size of the record, that is of the header,
 * which is filled in here, and of the output of zstd, which follows it.
 */
static void file_packed(struct rec_file *f, size_t len)
{
	struct perf_event_header h = { PERF_RECORD_COMPRESSED, 0, (uint16_t)len };
	struct iovec iov = { f->packed, len };

	memcpy(f->packed, &h, sizeof(h));
	if (len > sizeof(h))
		rec_file_write(f, &iov, 1);
}

/*
 * Write data as compressed records. perf decompresses a record into a buffer with the size in the
 * file header, so both the compressed and the uncompressed size of a record are limited.
 */
static void file_pack(struct rec_file *f, const uint8_t *p, size_t len)
{
	while (len) {
		ZSTD_inBuffer in = { p, len < REC_PACK_BYTES ? len : REC_PACK_BYTES, 0 };
		size_t left;

		p += in.size;
		len -= in.size;
		f->raw_bytes += in.size;
		do {
			ZSTD_outBuffer out = { f->packed, REC_COMPRESSED_MAX,
					       sizeof(struct perf_event_header) };

			left = ZSTD_compressStream2(f->zstd, &out, &in, ZSTD_e_flush);
			if (ZSTD_isError(left)) {
				f->error = EIO;
				return;
			}
			file_packed(f, out.pos);
		} while (left);
	}
}
#endif

void rec_file_data(struct rec_file *f, struct iovec *iov, size_t n)
{
#if HAVE_ZSTD
	if (f->zstd) {
		for (size_t i = 0; i < n && !f->error; i++)
			file_pack(f, iov[i].iov_base, iov[i].iov_len);
		return;
	}
#endif
	rec_file_write(f, iov, n);
}

void rec_file_round(struct rec_file *f, uint64_t samples)
{
	struct perf_event_header h = { PERF_RECORD_FINISHED_ROUND, 0, sizeof(h) };
	struct iovec iov = { &h, sizeof(h) };

	rec_file_write(f, &iov, 1);
	if (!f->error)
		*VEC_PUSH(&f->rounds) = (struct rec_round){ f->at, samples };
}

static int file_pwrite(int fd, const char *p, size_t len, uint64_t at)
{
	while (len) {
		ssize_t n = pwrite(fd, p, len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? errno : EIO;
		p += n;
		len -= (size_t)n;
		at += (uint64_t)n;
	}
	return 0;
}

void rec_file_checkpoint(struct rec *r)
{
	struct rec_file *f = &r->file;
	uint64_t bytes = f->rounds.data[f->rounds.len - 1].at - f->data_at;

	if (!f->error)
		(void)file_pwrite(f->fd, (const char *)&bytes, sizeof(bytes),
				  offsetof(struct file_header, data.size));
}

/*
 * End the records at offset @at. Write the feature sections at @at, and the header at the start of
 * the file. Returns 0 or an errno.
 */
static int file_close_at(struct rec *r, uint64_t at)
{
	struct rec_file *f = &r->file;
	uint64_t features[4] = { 0 };
	struct out sections;
	struct out head;
	int error;

	f->at = at;
	out_init(&sections);
	rec_features(r, at, features, &sections);
	out_init(&head);
	file_head(r, f->data_at, at - f->data_at, features, &head);
	error = ftruncate(f->fd, (off_t)at) < 0 ? errno : 0;
	if (!error)
		error = file_pwrite(f->fd, sections.data, sections.len, at);
	if (!error)
		error = file_pwrite(f->fd, head.data, head.len, 0);
	f->at += sections.len;
	out_fini(&sections);
	out_fini(&head);
	return error;
}

/*
 * After a failed write, the file ends in the middle of a round. Add offsets after complete records
 * of this round to f->rounds: these are further offsets at which the file may be cut.
 */
static void file_salvage(struct rec_file *f)
{
	struct rec_round end = f->rounds.data[f->rounds.len - 1];
	size_t len = (size_t)(f->at - end.at);
	CLEANUP(freep) uint8_t *p = xmalloc(len + 1);
	ssize_t n = len ? pread(f->fd, p, len, (off_t)end.at) : 0;
	size_t at = 0;
	size_t marked = 0;
	struct perf_event_header h;

	while (n > 0 && (size_t)n - at >= sizeof(h)) {
		memcpy(&h, p + at, sizeof(h));
		if (h.size < sizeof(h) || h.size > (size_t)n - at)
			break;
		at += h.size;
		end.samples += h.type == PERF_RECORD_SAMPLE;
		/*
		 * rec_file_finish() tries to end the file at these offsets, from the last to the
		 * first, until the feature sections fit
		 */
		if (at - marked >= FILE_SALVAGE_STEP) {
			*VEC_PUSH(&f->rounds) = (struct rec_round){ end.at + at, end.samples };
			marked = at;
		}
	}
}

/* Copy the temporary file to @to, which may be a pipe. Returns 0 or an errno. */
static int file_copy_out(const struct rec_file *f, int to)
{
	CLEANUP(freep) char *p = xmalloc(FILE_COPY);
	uint64_t at = 0;

	while (at < f->at) {
		ssize_t n = pread(f->fd, p, FILE_COPY, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? errno : EIO;
		if (!newfile_write(to, p, (size_t)n))
			return errno;
		at += (uint64_t)n;
	}
	return 0;
}

static uint64_t file_feature_bytes(struct rec *r)
{
	uint64_t bits[4] = { 0 };
	struct out sections;
	uint64_t n;

	out_init(&sections);
	rec_features(r, 0, bits, &sections);
	n = sections.len;
	out_fini(&sections);
	return n;
}

int rec_file_fits(struct rec *r, struct error *err)
{
	uint64_t most = r->spec->max_bytes;
	uint64_t least;

	if (!most)
		return OK;
	r->feature_bytes = file_feature_bytes(r);
	r->described_at = r->file.at;
	least = r->described_at + r->feature_bytes + FILE_SALVAGE_STEP;
	if (least <= most)
		return OK;
	return fail(err, ERR_USAGE,
		    "--max-size is too small: this recording needs %" PRIu64
		    "K before its first sample",
		    least / 1024 + 1);
}

/* Find the last complete record that ends at offset @most or before, and return its end. */
static struct rec_round file_end_before(const struct rec_file *f, uint64_t most)
{
	size_t last = f->rounds.len - 1;
	CLEANUP(freep) uint8_t *p = NULL;
	struct rec_round end;
	struct perf_event_header h;
	ssize_t n;

	while (last && f->rounds.data[last].at > most)
		last--;
	end = f->rounds.data[last];
	/* compressed data do not show where single records end: cut after a complete round */
	if (f->zstd || most <= end.at)
		return end;
	p = xmalloc((size_t)(most - end.at));
	n = pread(f->fd, p, (size_t)(most - end.at), (off_t)end.at);
	for (size_t at = 0; n > 0 && (size_t)n - at >= sizeof(h); at += h.size) {
		memcpy(&h, p + at, sizeof(h));
		if (h.size < sizeof(h) || h.size > (size_t)n - at)
			break;
		end.at += h.size;
		end.samples += h.type == PERF_RECORD_SAMPLE;
	}
	return end;
}

/* If the file with its feature sections would be larger than --max-size, drop the last records. */
static void file_cut(struct rec *r)
{
	struct rec_file *f = &r->file;
	uint64_t rest = file_feature_bytes(r);
	uint64_t most = r->spec->max_bytes;
	struct rec_round end;

	if (!most || f->error || f->at + rest <= most)
		return;
	most = most > rest + r->described_at ? most - rest : r->described_at;
	end = file_end_before(f, most);
	f->at = end.at;
	while (f->rounds.len > 1 && f->rounds.data[f->rounds.len - 1].at > end.at)
		f->rounds.len--;
	r->result->counts.samples = end.samples;
	r->result->end = RECORD_SIZE_OVER;
}

int rec_file_finish(struct rec *r, struct error *err)
{
	struct rec_file *f = &r->file;
	struct record_counts *c = &r->result->counts;
	size_t last;
	int error = 0;

	file_cut(r);
	if (!f->error)
		error = file_close_at(r, f->at);
	if (error)
		f->error = error;
	if (f->error)
		file_salvage(f);
	last = f->rounds.len;
	/*
	 * after a write error (usually a full disk): drop the last records, so that there is space
	 * for the sections
	 */
	while (f->error && last--) {
		uint64_t kept = f->rounds.data[last].samples;

		error = file_close_at(r, f->rounds.data[last].at);
		if (error)
			continue;
		rec_note(r,
			 "%s: %s; the last %" PRIu64 " samples are not in the file, all before "
			 "them are",
			 f->path, f->error == ENOSPC ? "no space is left" : strerror(f->error),
			 c->samples - kept);
		r->result->end = RECORD_DISK_FULL;
		c->samples = kept;
		break;
	}
	c->bytes = f->at;
	if (!error && newfile_is_straight(&r->output))
		error = file_copy_out(f, r->output.fd);
	if (close(f->fd) < 0 && !error)
		error = errno;
	f->fd = -1;
	if (error)
		return fail(err, ERR_IO, "%s: cannot write it: %s", f->path, strerror(error));
	return OK;
}

void rec_file_image(struct rec *r, struct str sections, const uint64_t bits[4], struct out *out)
{
	struct out head;
	size_t n = 0;
	uint64_t at;

	out_init(&head);
	file_head(r, 0, 0, bits, &head);
	/* reserve space for the header, which is written at the end */
	out_repeat(out, '\0', head.len);
	window_write(r->window, out);
	at = out->len;
	out_str(out, sections);
	for (unsigned int i = 0; i < 256; i++)
		n += bits[i / 64] >> i % 64 & 1;
	for (size_t i = 0; i < n; i++) {
		struct file_section s;
		char *p = out->data + at + i * sizeof(s);

		memcpy(&s, p, sizeof(s));
		s.offset += at;
		memcpy(p, &s, sizeof(s));
	}
	n = head.len;
	head.len = 0;
	file_head(r, n, at - n, bits, &head);
	memcpy(out->data, head.data, head.len);
	out_fini(&head);
}

void rec_file_fini(struct rec_file *f)
{
	if (f->fd >= 0)
		(void)close(f->fd);
#if HAVE_ZSTD
	(void)ZSTD_freeCStream(f->zstd);
#endif
	f->zstd = NULL;
	free(f->packed);
	f->packed = NULL;
	VEC_FREE(&f->rounds);
}
