/* SPDX-License-Identifier: MIT */
/*
 * Sources: lsof, lib/print.c, print_file(); lsof(8), OUTPUT.
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
		fd -= 2;
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
