/* SPDX-License-Identifier: MIT */
/*
 * A file system has no free space, or no free inodes, in the output of df.
 *
 * df rounds the used share up (coreutils, src/df.c): 99.1 % is printed as 100 %. So the free space
 * decides: no free space is a warning; 100 % with some free space is a note. Images that are always
 * full, such as squashfs and iso9660, get no finding. If the type of a device is unknown and its
 * last block is used, it may be such an image: a note.
 */
#include "base/number.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/filesystem_full_names.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(filesystem_full);

#define FULL_PCT       100.0
#define FULL_SURE      95u
#define FULL_SURE_NOTE 80u
#define FULL_MOUNT     64u
/*
 * The free space counts as none if it is below both limits: a percentage of the size
 * (FULL_LEFT_PCT) and a number of KiB (FULL_LEFT_KIB).
 */
#define FULL_LEFT_PCT 0.1
#define FULL_LEFT_KIB (1 << 20)
/*
 * mkfs of ext4 makes a multiple of this number of inodes. The number of inodes in an image is
 * mostly no multiple, because it has one inode per file
 */
#define FULL_INODES 16
/* maximum number of findings about one listing */
#define FULL_MOST 8u
/* maximum number of full rows to examine: each of them needs a search through the whole listing */
#define FULL_LOOKS 64u

/* The values of one file system. */
struct full_disk {
	str_id mount;
	struct str device, type;
	double use, inode_use;                                    /* percent; < 0: not printed */
	double size_kib, used_kib, free_kib, inodes, free_inodes; /* < 0: not printed */
	uint32_t line, inode_line;
};

static double full_value(const struct capture *c, str_id mount, const char *name,
			 uint32_t *ret_line)
{
	VEC_FOREACH (row, &c->counters->rows) {
		if (row->key.v != mount.v ||
		    !str_eq(strings_get(capture_strings(c), row->name), str_of(name)))
			continue;
		if (ret_line)
			*ret_line = row->line;
		return counter_value(row);
	}
	return -1;
}

static void full_disk_of(const struct capture *c, const struct counter *row, struct full_disk *ret)
{
	struct str comment = strings_get(capture_strings(c), row->comment);
	size_t blank = str_find_char(comment, ' ');

	*ret = (struct full_disk){ .mount = row->key,
				   .type = str_sub(comment, 0, blank),
				   .device = str_skip(comment, blank + 1) };
	ret->use = full_value(c, row->key, "use", &ret->line);
	ret->inode_use = full_value(c, row->key, "inode use", &ret->inode_line);
	ret->size_kib = full_value(c, row->key, "size", NULL);
	ret->used_kib = full_value(c, row->key, "used", NULL);
	ret->free_kib = full_value(c, row->key, "available", NULL);
	ret->inodes = full_value(c, row->key, "inodes", NULL);
	ret->free_inodes = full_value(c, row->key, "inodes free", NULL);
}

/* Is the file system a read-only image, which is always full? */
static bool full_is_image(const struct capture *c, const struct counter *row)
{
	struct str comment = strings_get(capture_strings(c), row->comment);
	size_t blank = str_find_char(comment, ' ');

	return str_glob(str_of(FULL_IMAGE_TYPES), str_sub(comment, 0, blank)) ||
	       str_glob(str_of(FULL_IMAGE_DEVICES), str_skip(comment, blank + 1)) ||
	       str_glob(str_of(FULL_IMAGE_MOUNTS), strings_get(capture_strings(c), row->key));
}

/* May the file system be a read-only image? df prints no type, and the last block is used. */
static bool full_may_be_image(const struct full_disk *d)
{
	return d->type.len == 0 && str_starts(d->device, STR("/dev/")) && d->free_kib <= 0 &&
	       d->used_kib == d->size_kib;
}

/*
 * Like full_may_be_image(), for a list of inodes, which prints no sizes: whether the file system
 * may be a read-only image. The sign is a number of inodes that mkfs would not choose.
 */
static bool full_may_hold_image(const struct full_disk *d)
{
	return d->type.len == 0 && str_starts(d->device, STR("/dev/")) && d->use < 0 &&
	       d->inodes > 0 && number_whole(d->inodes) % FULL_INODES;
}

static void full_space(const struct rule_input *in, struct findings *out, const struct full_disk *d)
{
	struct str mount =
		str_sub(strings_get(capture_strings(in->capture), d->mount), 0, FULL_MOUNT);
	bool is_full = d->free_kib <= 0;
	bool may_be_image = full_may_be_image(d);
	bool is_certain = is_full && !may_be_image;
	bool is_lost = is_certain || (!is_full && d->free_kib < FULL_LEFT_KIB &&
				      d->free_kib < d->size_kib * FULL_LEFT_PCT / 100);
	struct finding *f = finding_add(out, in, &rule_filesystem_full,
					is_lost ? FINDING_WARNING : FINDING_NOTE,
					is_certain ? FULL_SURE : FULL_SURE_NOTE);

	f->is_kind = true;
	if (is_full)
		finding_claim(out, f,
			      "The file system " STR_FMT " is full: 100 %% used, no space "
			      "available%s",
			      STR_ARG(mount),
			      may_be_image ? ", unless it is a read-only image" : "");
	else
		finding_claim(out, f,
			      "The file system " STR_FMT " is almost full: %s available, which "
			      "df rounds to 100 %% used",
			      STR_ARG(mount), finding_bytes(out, 1024 * d->free_kib));
	finding_figure(f, "space used", d->use, 0, "%");
	finding_evidence(out, f, in, d->line, STR_FMT, STR_ARG(mount));
	if (d->inode_use >= 0 && d->inode_use < FULL_PCT)
		finding_evidence(out, f, in, d->inode_line, "inodes %.0f %% used", d->inode_use);
	finding_usual_cause(out, f,
			    "Logs, core dumps, old data, or deleted files that a process keeps "
			    "open. Writes fail with ENOSPC; some file systems keep a few percent "
			    "for root, so root may still write");
	finding_because(out, f,
			is_full ? may_be_image ? "df prints the sizes\n"
						 "whether it is an image that cannot be written, "
						 "which looks the same"
					       : "df prints no available space"
				: "df rounds up; the available space is printed");
	finding_next(out, f,
		     "du -xh --max-depth=2 " STR_FMT " | sort -h | tail: the largest folders",
		     STR_ARG(mount));
	finding_next(out, f, "lsof +L1 " STR_FMT ": deleted files that processes keep open",
		     STR_ARG(mount));
}

static void full_inodes(const struct rule_input *in, struct findings *out,
			const struct full_disk *d)
{
	struct str mount =
		str_sub(strings_get(capture_strings(in->capture), d->mount), 0, FULL_MOUNT);
	bool is_full = d->free_inodes <= 0;
	bool may_be_image = is_full && full_may_hold_image(d);
	bool is_certain = is_full && !may_be_image;
	struct finding *f = finding_add(out, in, &rule_filesystem_full,
					is_certain ? FINDING_WARNING : FINDING_NOTE,
					is_certain ? FULL_SURE : FULL_SURE_NOTE);

	f->is_kind = true;
	if (is_full)
		finding_claim(out, f,
			      "The file system " STR_FMT " has no free inode: no file can be "
			      "created%s",
			      STR_ARG(mount),
			      d->free_kib > 0 ? finding_name(out, ", although %s are available",
							     finding_bytes(out, 1024 * d->free_kib))
			      : may_be_image  ? ", unless it is a read-only image"
					      : "");
	else
		finding_claim(out, f,
			      "The file system " STR_FMT " has almost no free inodes: %.0f, which "
			      "df rounds to 100 %% used",
			      STR_ARG(mount), d->free_inodes);
	finding_figure(f, "inodes used", d->inode_use, 0, "%");
	finding_evidence(out, f, in, d->inode_line, STR_FMT, STR_ARG(mount));
	if (d->use >= 0)
		finding_evidence(out, f, in, d->line, "space %.0f %% used", d->use);
	finding_usual_cause(out, f,
			    "Very many small files: sessions, caches, mail queues, build "
			    "products. Each new file fails with ENOSPC");
	finding_because(
		out, f,
		may_be_image ? "df prints the sizes\n"
			       "whether it is an image that cannot be written, which looks the same"
		: is_full    ? "df prints no free inode"
			     : "df rounds up; the free inodes are printed");
	finding_next(out, f,
		     "du --inodes -x --max-depth=3 " STR_FMT
		     " | sort -n | tail: the folders with most files",
		     STR_ARG(mount));
}

/*
 * Was the same file system already reported at another mount point, as with mounts of containers?
 */
static bool full_is_again(const struct full_disk *seen, size_t n, const struct full_disk *d)
{
	for (size_t i = 0; i < n; i++) {
		if (d->size_kib > 0 && seen[i].size_kib == d->size_kib &&
		    seen[i].used_kib == d->used_kib && seen[i].free_kib == d->free_kib)
			return true;
	}
	return false;
}

static void full_check(const struct rule_input *in, struct findings *out)
{
	const struct capture *c = in->capture;
	const struct counter *fullest = NULL;
	struct full_disk seen[FULL_MOST];
	size_t n_seen = 0, looks = 0;
	bool has_full = false, has_use = false;

	if (!str_eq(strings_get(capture_strings(c), c->counters->tool), STR("df")))
		return;
	VEC_FOREACH (row, &c->counters->rows) {
		struct str name = strings_get(capture_strings(c), row->name);
		bool is_space = str_eq(name, STR("use"));
		struct full_disk d;

		if ((!is_space && !str_eq(name, STR("inode use"))) || full_is_image(c, row))
			continue;
		has_use = true;
		if (is_space && (!fullest || counter_value(row) > counter_value(fullest)))
			fullest = row;
		if (counter_value(row) < FULL_PCT || n_seen == FULL_MOST || looks == FULL_LOOKS)
			continue;
		looks++;
		full_disk_of(c, row, &d);
		/* a file system of size 0 stores nothing, so it cannot be full */
		if (d.size_kib == 0 || (is_space && full_is_again(seen, n_seen, &d)))
			continue;
		has_full = true;
		if (is_space) {
			seen[n_seen++] = d;
			full_space(in, out, &d);
		} else {
			seen[n_seen++] = (struct full_disk){ .size_kib = -1 };
			full_inodes(in, out, &d);
		}
	}
	if (has_full)
		return;
	if (fullest)
		finding_clean(out, in, &rule_filesystem_full,
			      "the fullest file system is " STR_FMT ", %.0f %% used",
			      STR_ARG(str_sub(strings_get(capture_strings(c), fullest->key), 0,
					      FULL_MOUNT)),
			      counter_value(fullest));
	else if (has_use)
		finding_clean(out, in, &rule_filesystem_full, "no file system is full");
	else
		finding_not_assessed(out, in, &rule_filesystem_full, "df -h; df -i",
				     "no file system with a share of used space is listed");
}

const struct rule rule_filesystem_full = {
	.id = "filesystem-full",
	.title = "File system full",
	.needs = RULE_COUNTERS,
	.check = full_check,
	.is_measured = true,
};
