/* SPDX-License-Identifier: MIT */
/*
 * Sources: lsof, lib/print.c, print_file(); lsof(8), OUTPUT; proc_pid_fd(5).
 */
#include "formats/listings/file_row.h"

#include "base/status.h"
#include "formats/listings/socket_row.h"

#define FILE_BYTES   4096u /* maximum length of a row */
#define FILE_COLUMNS 24u
#define FILE_FD      12u /* maximum length of the column FD */

bool file_row_head(struct str line, struct file_head *ret)
{
	struct str words[FILE_COLUMNS];
	size_t n = 0;

	*ret = (struct file_head){ .fd = 0 };
	while (n < FILE_COLUMNS && str_word(&line, &words[n]))
		n++;
	if (n < 7 || !str_eq(words[0], STR("COMMAND")) || !str_eq(words[1], STR("PID")) ||
	    !str_eq(words[n - 1], STR("NAME")))
		return false;
	for (size_t i = 2; i + 1 < n; i++) {
		if (str_eq(words[i], STR("TID")))
			ret->tid = i;
		if (str_eq(words[i], STR("TASKCMD")))
			ret->has_task = true;
		if (str_eq(words[i], STR("NLINK")))
			ret->has_links = true;
		if (str_eq(words[i], STR("FD")) && str_eq(words[i + 1], STR("TYPE")))
			ret->fd = i;
	}
	return ret->fd > 0;
}

static bool file_is_number(struct str word)
{
	uint64_t n;

	return str_u64(&word, &n) && word.len == 0;
}

/*
 * Whether the column FD has a descriptor number: "12u", "3rW". For numbers above 9999, lsof prints
 * '*' and the last three digits.
 */
static bool file_is_descriptor(struct str fd)
{
	(void)str_take(&fd, STR("*"));
	return fd.len && char_is_digit(fd.p[0]);
}

/* Source: lsof, lib/proto.h and dialects/linux: types of files that have a descriptor. */
#define FILE_TYPES                                                                          \
	"REG|DIR|CHR|BLK|FIFO|LINK|PIPE|IPv4|IPv6|unix|sock|a_inode|0000|netlink|pack|raw|" \
	"KQUEUE|systm|unknown"

/* Is @word the column FD of a row with a descriptor number: "661u", "*022r", "7uW"? */
static bool file_fits_fd(struct str word)
{
	size_t n = 0;

	(void)str_take(&word, STR("*"));
	while (n < word.len && char_is_digit(word.p[n]))
		n++;
	return n > 0 && n < word.len && word.len - n <= 2 && memchr("rwu", word.p[n], 3);
}

bool file_row_bare(struct str line, struct file_head *ret)
{
	struct str words[8];
	size_t n = 0;

	while (n < ARRAY_LEN(words) && str_word(&line, &words[n]))
		n++;
	if (n < ARRAY_LEN(words) || !file_is_number(words[1]))
		return false;
	for (size_t fd = 3; fd <= 5; fd++) {
		if (!file_fits_fd(words[fd]) || !str_glob(STR(FILE_TYPES), words[fd + 1]))
			continue;
		*ret = (struct file_head){ .fd = fd };
		/* the columns TID and TASKCMD, which rows of threads have */
		if (fd > 3 && file_is_number(words[2]))
			ret->tid = 2;
		ret->has_task = fd == 5;
		return fd == 3 || ret->tid > 0;
	}
	return false;
}

/*
 * The type of the target of a descriptor in /proc/PID/fd. Source: proc_pid_fd(5). Targets with a
 * path are called files: a directory looks the same.
 */
static struct str file_link_type(struct str target)
{
	static const struct {
		const char *pattern, *type;
	} types[] = { { "socket:*", "socket" },
		      { "pipe:*", "FIFO" },
		      { "anon_inode:*", "a_inode" },
		      { "/dev/*", "CHR" },
		      { "/memfd:*", "memfd" } };

	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		if (str_glob(str_of(types[i].pattern), target))
			return str_of(types[i].type);
	}
	return STR("file");
}

bool file_row_parse_link(struct str line, struct file_row *ret)
{
	size_t arrow = str_find(line, STR(" -> "));
	struct str target = str_trim(str_skip(line, arrow + 4));
	struct str left = str_sub(line, 0, arrow);
	struct str word = STR_NONE, mode;

	if (arrow == line.len || line.len > FILE_BYTES || !target.len || !str_word(&left, &mode))
		return false;
	while (left.len && str_word(&left, &word))
		;
	if (mode.len < 10 || !str_glob(STR("l??x------*"), mode) || !file_is_number(word))
		return false;
	if (target.len > 2 && target.p[0] == '\'' && str_ends(target, STR("'")))
		target = str_sub(target, 1, target.len - 1);
	*ret = (struct file_row){ .type = file_link_type(target),
				  .name = target,
				  .is_descriptor = true,
				  .is_deleted = str_ends(target, STR("(deleted)")) };
	if (str_starts(target, STR("anon_inode:")))
		ret->name = str_skip(target, strlen("anon_inode:"));
	return true;
}

/* Parse the columns after TYPE: DEVICE, SIZE/OFF, NLINK, NODE, NAME. */
static void file_rest(const struct file_head *h, struct str rest, struct file_row *ret)
{
	struct str size, links = STR_NONE;
	size_t open;

	if (!str_word(&rest, &ret->device) || !str_word(&rest, &size) ||
	    (h->has_links && !str_word(&rest, &links)) || !str_word(&rest, &ret->node))
		return;
	/* values that begin with "0t" or "0x" are offsets, not sizes */
	if (file_is_number(size))
		(void)str_u64(&size, &ret->size);
	ret->name = str_trim(rest);
	ret->is_deleted = str_ends(ret->name, STR("(deleted)")) || str_eq(links, STR("0"));
	if (!str_glob(STR("IPv4|IPv6"), ret->type) || !str_ends(ret->name, STR(")")))
		return;
	open = str_rfind_char(ret->name, '(');
	if (open < ret->name.len)
		ret->state = socket_row_state(str_sub(ret->name, open + 1, ret->name.len - 1));
}

bool file_row_parse(const struct file_head *h, struct str line, struct file_row *ret)
{
	struct str words[FILE_COLUMNS];
	struct str rest = line;
	size_t n = 0, fd = h->fd;

	if (line.len > FILE_BYTES || fd == 0 || fd + 2 > FILE_COLUMNS)
		return false;
	*ret = (struct file_row){ .size = 0 };
	while (n < fd && str_word(&rest, &words[n]))
		n++;
	if (n < fd || !file_is_number(words[1]))
		return false;
	ret->is_thread = h->tid && file_is_number(words[h->tid]);
	if (h->tid && !ret->is_thread) {
		/* a row about the whole process has no columns TID and TASKCMD */
		if (fd < 4)
			return false;
		fd -= h->has_task ? 2 : 1;
		rest = line;
		for (n = 0; n < fd && str_word(&rest, &words[n]); n++)
			;
	}
	if (!str_word(&rest, &words[fd]) || words[fd].len > FILE_FD)
		return false;
	ret->command = words[0];
	ret->pid = words[1];
	if (!str_word(&rest, &ret->type))
		return false;
	ret->is_descriptor = file_is_descriptor(words[fd]);
	if (str_eq(ret->type, STR("unknown"))) {
		/* nothing is known about the file: "/proc/1/fd/0 (readlink: Permission denied)" */
		ret->name = str_trim(rest);
		return true;
	}
	file_rest(h, rest, ret);
	/* a descriptor without a name is not a complete row */
	return !ret->is_descriptor || ret->name.len > 0;
}
