/* SPDX-License-Identifier: MIT */
/*
 * files.h - every file that is opened to be read, by one door
 *
 * In a process that was confined (base/sandbox.h) no file can be opened by name:
 * the process outside opens it and passes the descriptor. It does so for files
 * that the user named, and for what a recording refers to only where the file is
 * what it is said to be. The same checks are made where nothing is confined.
 *
 * Thread safe. What is asked for here never blocks on a device or a pipe, unless
 * the user named it.
 */
#ifndef BASE_FILES_H
#define BASE_FILES_H

#include "base/str.h"

#include <stdint.h>
#include <sys/types.h>

#define FILES_TEXT_MAX 4096u
#define FILES_LOST     123 /* exit status of a confined process whose other side is gone */

enum files_kind {
	FILES_NAMED,        /* a word of the command line: whatever it is */
	FILES_ELF,          /* a program, library or kernel */
	FILES_KALLSYMS,     /* "ffffffff81000000 T name" */
	FILES_PERF_MAP,     /* perf-PID.map */
	FILES_KERNEL_NOTES, /* /sys/kernel/notes */
};

/*
 * A descriptor to read @path, close-on-exec; -1 with errno. EACCES is also said
 * of a file that is not of this kind.
 */
int files_open(const char *path, enum files_kind kind);
/*
 * Of @n paths the first that is not absent (files_is_absent()): as files_open() of it, and its
 * place in *@ret_at. Cost: one message to the process outside for as many as fit in it.
 */
int files_open_first(const char *const *paths, size_t n, enum files_kind kind, size_t *ret_at);
/* read(), taken up again where a signal interrupted it. */
ssize_t files_read(int fd, void *p, size_t n);
/* The first @n bytes, fewer only where it ends before; its position stays. */
ssize_t files_read_head(int fd, void *p, size_t n);
/* Whether @error of files_open() says that there is no such file for us, not that it failed. */
bool files_is_absent(int error);
/* Whether @path, a word of the command line, is a folder. */
bool files_is_folder(const char *path);

/*
 * What only the process outside can do; false where it was refused or there is
 * none: @ret_text says why then, or is empty.
 */
enum files_wish {
	FILES_FETCH, /* @text: a build id in hex; the path of its debug information */
	FILES_PAGER, /* a descriptor to write to, in *@ret_fd */
	/* of a cache that the process outside knows; @text is the path */
	FILES_CREATE, /* a new file: a descriptor to write to */
	FILES_PLACE,  /* it is whole: ".new" is taken off its name */
	FILES_DROP,   /* it is not */
};

bool files_wish(enum files_wish wish, const char *text, char ret_text[FILES_TEXT_MAX], int *ret_fd);

/* What the process outside should know. */
enum files_news {
	FILES_READING,  /* @text: this input, from now on; "": all are read */
	FILES_COMPLETE, /* the output: it may be put in place */
};

void files_tell(enum files_news news, const char *text);

/* From here on this process asks @broker; @statm is /proc/self/statm, open, or -1. */
void files_confine(int broker, int statm);
bool files_are_confined(void);
/* Bytes of address space that this process has now; 0: not known. */
uint64_t files_memory_now(void);

/* The other side. */
struct files_server {
	int fd;
	const char *const *words; /* of the command line, NULL at the end */
	/* may be NULL; as files_wish() */
	bool (*wish)(void *arg, enum files_wish wish, const char *text,
		     char ret_text[FILES_TEXT_MAX], int *ret_fd);
	void *arg;

	/* what was told */
	char reading[FILES_TEXT_MAX];
	bool has_read;
	bool is_complete;
};

/* A pair of sockets: [0] for the server, [1] for the process that asks. False: errno. */
bool files_pair(int ret_fds[2]);
/* One message over such a pair, with a descriptor (-1: none). False: the other side is gone. */
bool files_send(int fd, const void *p, size_t len, int passed);
/* Exactly @len bytes; @ret_passed -1: none came; NULL: none is wanted. */
bool files_receive(int fd, void *p, size_t len, int *ret_passed);
/* Answer one request. False: the other side is gone. */
bool files_serve(struct files_server *s);

#endif
