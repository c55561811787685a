/* SPDX-License-Identifier: MIT */
/*
 * files.h - the only way to open a file for reading
 *
 * A confined process (base/rights/sandbox.h) cannot open files by name. Its parent process opens
 * them and passes the descriptors. The parent opens any file that the user named on the command
 * line. It opens other files, such as those that a recording names, only if their content is of the
 * requested kind. In a process that is not confined, the same checks apply.
 *
 * Thread safe. No request waits for a device or a pipe, unless the user named that device or pipe.
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
	FILES_NAMED, /* a file of any kind that the command line names */
	/*
	 * a program, library or kernel; in a folder of debug information or in the cache of build
	 * ids, the file must also satisfy files_is_trusted()
	 */
	FILES_ELF,
	FILES_KALLSYMS, /* list of kernel symbols, with lines such as "ffffffff81000000 T name" */
	/*
	 * /tmp/perf-PID.map; for a container /proc/PID/root/tmp/perf-PID.map, where PID is the id
	 * outside of the container; the file must satisfy files_is_trusted()
	 */
	FILES_PERF_MAP,
	/* jit-PID.dump; the file must satisfy files_is_trusted() */
	FILES_JITDUMP,
	FILES_KERNEL_NOTES, /* /sys/kernel/notes */
	/*
	 * a text that debug information names, with the name of a source file, such as a.c or b.rs;
	 * not in /proc or /sys
	 */
	FILES_SOURCE,
};

/*
 * Open @path for reading, close-on-exec. Returns the descriptor, or -1 with errno. EACCES can also
 * mean that the file is not of @kind.
 */
int files_open(const char *path, enum files_kind kind);
/*
 * Open the first of the @n paths that exists (see files_is_absent()). *@ret_at receives its index.
 * Returns the descriptor, or -1 with errno. Cost: a confined process sends the paths to its parent,
 * which opens the file. One message holds many paths.
 */
int files_open_first(const char *const *paths, size_t n, enum files_kind kind, size_t *ret_at);
/*
 * Copy the first line of the regular file @path, without its newline, to @ret, which has @size
 * bytes. Use this for files in untrusted folders; a confined process cannot use it. False: the file
 * cannot be read, is a symbolic link, or is no regular file. Also false if the line is too long or
 * contains a NUL byte.
 */
bool files_first_line(const char *path, char *ret, size_t size);
/*
 * Whether function names from a file that assay finds without the user, such as /tmp/perf-PID.map,
 * can be trusted. The file must be a regular file that not everybody may write, and must belong to
 * this user or root. Root trusts files of any user.
 */
bool files_is_trusted(const struct stat *st);
/*
 * Open @path for reading, close-on-exec, if it is a regular file; @ret receives its status. Other
 * files are not opened, because opening a device or a pipe has side effects. @flags: O_NOFOLLOW or
 * 0. A confined process cannot use this function. Returns -1 with errno; EACCES can also mean that
 * the file is not a regular file.
 */
int files_open_regular(const char *path, unsigned int flags, struct stat *ret);
/* read() that restarts after an interrupting signal. */
ssize_t files_read(int fd, void *p, size_t n);
/*
 * Read the first @n bytes of a file, without a change of the file position. Returns fewer bytes
 * only if the file is shorter.
 */
ssize_t files_read_head(int fd, void *p, size_t n);
/*
 * Whether the errno @error of files_open() means that the file does not exist or may not be read.
 * Any other errno is a failure that must be reported.
 */
bool files_is_absent(int error);
/* Whether @path ends with "jit-PID.dump". */
bool files_names_jitdump(const char *path);
/* Whether @path, an argument of the command line, is a folder. */
bool files_is_folder(const char *path);

/*
 * Requests that only the parent process can serve, for files_wish(). files_wish() returns false if
 * there is no parent process or if it refuses. @ret_text then holds the parent's reason; it is
 * empty if there is none.
 */
enum files_wish {
	/*
	 * fetch the debug information for the build id @text (hex); @ret_text receives the path of
	 * the file
	 */
	FILES_FETCH,
	FILES_PAGER, /* start a pager; *@ret_fd receives the write end of a pipe to it */
	/*
	 * the next three requests are about the file with the path @text in a cache directory; the
	 * parent knows the directory
	 */
	FILES_CREATE, /* create the file; *@ret_fd receives a descriptor for writing */
	FILES_PLACE,  /* the file is complete: remove ".new" from its name */
	FILES_DROP,   /* the file is incomplete: remove the file */
};

bool files_wish(enum files_wish wish, const char *text, char ret_text[FILES_TEXT_MAX], int *ret_fd);

/* Progress to report to the parent process. */
enum files_news {
	FILES_READING,  /* @text: the input that is read from now on; "": all inputs are read */
	FILES_COMPLETE, /* the output is complete, so the parent process may rename it into place */
};

void files_announce(enum files_news news, const char *text);

/*
 * From now on, ask the parent process for files, over the socket @broker (-1: there is no parent to
 * ask). @statm: an open descriptor of /proc/self/statm, or -1.
 */
void files_confine(int broker, int statm);
bool files_are_confined(void);
/*
 * From now on, FILES_NAMED opens only regular files below the working directory, and refuses paths
 * with symbolic links. This is for a folder of another user, who could replace a file after its
 * name was checked. Child processes inherit this setting.
 */
void files_stay_below(void);
/* Address space of this process in bytes; 0: unknown. */
uint64_t files_memory_now(void);

/* The parent's side of the protocol: its socket, and what it knows of the confined process. */
struct files_server {
	int fd;
	const char *const *words; /* arguments of the command line, NULL-terminated */
	/* function that serves the requests of files_wish(); may be NULL */
	bool (*wish)(void *arg, enum files_wish wish, const char *text,
		     char ret_text[FILES_TEXT_MAX], int *ret_fd);
	void *arg;

	/* the members from here on are what the confined process reported with files_announce() */
	char reading[FILES_TEXT_MAX];
	bool has_read;
	bool is_complete;
};

/*
 * Create two connected sockets: [0] for the server, [1] for the process that asks. False with
 * errno.
 */
bool files_pair(int ret_fds[2]);
/*
 * Send one message over a socket of files_pair(), together with the descriptor @passed (-1: none).
 * False: the other process is gone.
 */
bool files_send(int fd, const void *p, size_t len, int passed);
/*
 * Receive a message of exactly @len bytes. @ret_passed receives the descriptor that came with it,
 * or -1; may be NULL. False: the other process is gone, or the message is shorter.
 */
bool files_receive(int fd, void *p, size_t len, int *ret_passed);
/*
 * Receive one request and answer it. Never waits until the client reads the answer. False: the
 * client is gone, or breaks the protocol.
 */
bool files_serve(struct files_server *s);

#endif
