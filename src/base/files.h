/* SPDX-License-Identifier: MIT */
/*
 * files.h - the only way to open a file for reading
 *
 * A confined process (base/rights/sandbox.h) cannot open files by name: its parent opens them and
 * passes the descriptor. The parent opens any file that the user named. It opens a file that a
 * recording refers to only if its content is of the requested kind. The same checks apply in an
 * unconfined process.
 *
 * Thread safe. No request blocks on a device or a pipe, unless the user named it.
 */
#ifndef BASE_FILES_H
#define BASE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct stat;

#define FILES_TEXT_MAX 4096u
#define FILES_LOST     123 /* exit status of a confined process that lost its parent */

enum files_kind {
	FILES_NAMED, /* any kind of file that the command line names */
	/*
	 * a program, library or kernel; in folders of debug information and the cache of build ids
	 * only if files_is_trusted()
	 */
	FILES_ELF,
	FILES_KALLSYMS, /* "ffffffff81000000 T name" */
	/*
	 * /tmp/perf-PID.map; for a container, /proc/PID/root/tmp/perf-PID.map, where PID is the
	 * host's number
	 */
	FILES_PERF_MAP,
	/* jit-PID.dump; as perf-PID.map, opened only if files_is_trusted() */
	FILES_JITDUMP,
	FILES_KERNEL_NOTES, /* /sys/kernel/notes */
	/*
	 * a text with the name of a source file, such as a.c or b.rs, which debug information
	 * names; not in /proc or /sys
	 */
	FILES_SOURCE,
};

/*
 * Open @path for reading, close-on-exec; -1 with errno. EACCES also means that the file is not
 * of @kind.
 */
int files_open(const char *path, enum files_kind kind);
/*
 * Open the first of @n paths that exists (see files_is_absent()); its index goes to *@ret_at.
 * Returns the descriptor, or -1 with errno. Cost: one message to the parent for as many paths as
 * fit into it.
 */
int files_open_first(const char *const *paths, size_t n, enum files_kind kind, size_t *ret_at);
/*
 * Read the first line of the regular file @path, without its newline. For files in untrusted
 * folders; not for a confined process. A symbolic link as the last component, a pipe, a device, a
 * line that does not fit and a NUL byte are refused. False: the file has no such line.
 */
bool files_first_line(const char *path, char *ret, size_t size);
/*
 * Whether a file that assay finds by itself, such as /tmp/perf-PID.map, can be trusted with names
 * of functions: it is a regular file of this user or root that not everybody may write. Root
 * trusts files of any user.
 */
bool files_is_trusted(const struct stat *st);
/*
 * Open @path for reading, close-on-exec, if it is a regular file; @ret is its status. Nothing else
 * is opened, because opening a device or a pipe has side effects. @flags: O_NOFOLLOW or 0. Not for
 * a confined process. -1 with errno; EACCES also means another kind of file.
 */
int files_open_regular(const char *path, unsigned int flags, struct stat *ret);
/* read() that restarts after an interrupting signal. */
ssize_t files_read(int fd, void *p, size_t n);
/* Read the first @n bytes, fewer only if the file is shorter; the file position does not change. */
ssize_t files_read_head(int fd, void *p, size_t n);
/*
 * Whether @error, from files_open(), means that the file does not exist or is not accessible. Other
 * errors are failures.
 */
bool files_is_absent(int error);
/* Whether @path ends with "jit-PID.dump". */
bool files_names_jitdump(const char *path);
/* Whether @path, an argument of the command line, is a folder. */
bool files_is_folder(const char *path);

/*
 * Requests that only the parent process can serve. files_wish() returns false if the parent
 * refused, or if there is no parent; @ret_text then holds the reason, or is empty.
 */
enum files_wish {
	FILES_FETCH, /* @text: a build id in hex; answers the path of its debug information */
	FILES_PAGER, /* answers a descriptor: the write end of a pipe to a pager, in *@ret_fd */
	/*
	 * the next three are for files of a cache directory that the parent knows; @text is the
	 * path
	 */
	FILES_CREATE, /* create a file: answers a descriptor for writing */
	FILES_PLACE,  /* the file is complete: rename it, without its ".new" */
	FILES_DROP,   /* the file is incomplete: remove it */
};

bool files_wish(enum files_wish wish, const char *text, char ret_text[FILES_TEXT_MAX], int *ret_fd);

/* Progress to report to the parent process. */
enum files_news {
	FILES_READING,  /* @text: the input being read from now on; "": all inputs are read */
	FILES_COMPLETE, /* the output is complete and may be put in place */
};

void files_announce(enum files_news news, const char *text);

/*
 * From now on, ask the parent process for files, over the socket @broker. @statm: descriptor of
 * /proc/self/statm, or -1.
 */
void files_confine(int broker, int statm);
bool files_are_confined(void);
/*
 * From now on, FILES_NAMED opens only regular files below the working directory, and follows no
 * symbolic link: the folder may be another user's, who can replace files after their names were
 * checked. Inherited by a child process.
 */
void files_stay_below(void);
/* Address space of this process in bytes; 0: unknown. */
uint64_t files_memory_now(void);

/* The parent's end of the socket. */
struct files_server {
	int fd;
	const char *const *words; /* arguments of the command line, NULL-terminated */
	/* serves the requests of files_wish(); may be NULL */
	bool (*wish)(void *arg, enum files_wish wish, const char *text,
		     char ret_text[FILES_TEXT_MAX], int *ret_fd);
	void *arg;

	/* state reported by files_announce() */
	char reading[FILES_TEXT_MAX];
	bool has_read;
	bool is_complete;
};

/* Make a pair of sockets: [0] for the server, [1] for the process that asks. False: errno. */
bool files_pair(int ret_fds[2]);
/*
 * Send one message over a socket of files_pair(), with the descriptor @passed (-1: none). False:
 * the peer is gone.
 */
bool files_send(int fd, const void *p, size_t len, int passed);
/*
 * Receive exactly @len bytes. @ret_passed: the descriptor passed with them, or -1; may be NULL.
 * False: the peer is gone.
 */
bool files_receive(int fd, void *p, size_t len, int *ret_passed);
/* Answer one request. Never blocks on the peer. False: the peer is gone, or breaks the protocol. */
bool files_serve(struct files_server *s);

#endif
