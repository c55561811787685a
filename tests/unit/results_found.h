/* SPDX-License-Identifier: MIT */
/*
 * results_found.h - the whole result of a command if one of its inputs has a change
 *
 * A command is a line such as "diff --json --all samples/a.txt samples/b.txt". It runs in this
 * process, in a folder of its own, where the input N is the file N/NAME. Commands are those of the
 * program, and "symbols" (symbol_results.h).
 */
#ifndef RESULTS_FOUND_H
#define RESULTS_FOUND_H

#include "base/out.h"
#include "base/str.h"
#include "cmds/run/cmd.h"
#include "edges_found.h"
#include "symbol_results.h"

#include <fcntl.h>
#include <ftw.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct FTW;
struct stat;

#define RESULT_WORDS 32

struct results {
	char top[4096];  /* of the sources */
	char folder[32]; /* current folder of the commands */
	int fd;          /* output of the last command */
};

/* Go to a new folder. @top: of the sources. False: that cannot be done. */
static inline bool results_init(struct results *r, const char *top)
{
	*r = (struct results){ .folder = "/tmp/results-XXXXXX", .fd = memfd_create("result", 0) };
	/* as tests/golden/sums.py */
	(void)setenv("LC_ALL", "C.UTF-8", 1);
	(void)unsetenv("COLUMNS");
	(void)setlocale(LC_CTYPE, "");
	return realpath(top, r->top) && r->fd >= 0 && mkdtemp(r->folder) && chdir(r->folder) == 0;
}

static inline int results_remove(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

static inline void results_fini(struct results *r)
{
	(void)close(r->fd);
	(void)nftw(r->folder, results_remove, 4, FTW_DEPTH | FTW_PHYS);
}

/* Load the inputs of a command: its words that are files of the sources. */
static inline bool result_load(const struct results *r, const char *command, struct edge_case *ret)
{
	struct str rest = str_of(command), word;
	struct out words = { .fd = -1 };

	*ret = (struct edge_case){ .n = 0 };
	while (str_word(&rest, &word)) {
		struct edge_file *file = &ret->files[ret->n];
		size_t slash = str_rfind_char(word, '/');
		char path[8192];

		(void)snprintf(path, sizeof(path), "%s/" STR_FMT, r->top, STR_ARG(word));
		if (slash == word.len || ret->n == EDGE_FILES_MAX) {
			out_printf(&words, STR_FMT " ", STR_ARG(word));
			continue;
		}
		file->text = edge_read_bytes(path, &file->len);
		if (!file->text)
			break;
		ret->n++;
		(void)snprintf(file->name, sizeof(file->name), "%zu/" STR_FMT, ret->n,
			       STR_ARG(str_skip(word, slash + 1)));
		out_printf(&words, "%s ", file->name);
	}
	(void)snprintf(ret->command, sizeof(ret->command), STR_FMT, STR_ARG(out_view(&words)));
	out_fini(&words);
	if (ret->n && !rest.len)
		return true;
	edge_case_fini(ret);
	return false;
}

/* Write the inputs into the current folder. */
static inline void result_inputs(const struct edge_case *c, const struct edge_change *change)
{
	for (size_t i = 0; i < c->n; i++) {
		struct out text = { .fd = -1 };
		char folder[24];
		FILE *f;

		(void)snprintf(folder, sizeof(folder), "%zu", i + 1);
		(void)mkdir(folder, 0700);
		if (change && change->file == i + 1)
			edge_change_apply(edge_text(&c->files[i]), change, &text);
		else
			out_str(&text, edge_text(&c->files[i]));
		f = fopen(c->files[i].name, "we");
		if (f) {
			/* an empty text is NULL */
			if (text.len)
				(void)fwrite(text.data, 1, text.len, f);
			(void)fclose(f);
		}
		out_fini(&text);
	}
}

/* Run @words, whose first is a command, with its output in r->fd. Returns the exit status. */
static inline int result_status(const struct results *r, char **words, int n)
{
	int was[2], ret = -1;

	(void)fflush(NULL);
	if (ftruncate(r->fd, 0) < 0)
		return -1;
	was[0] = dup(STDOUT_FILENO);
	was[1] = dup(STDERR_FILENO);
	(void)lseek(r->fd, 0, SEEK_SET);
	(void)dup2(r->fd, STDOUT_FILENO);
	(void)dup2(r->fd, STDERR_FILENO);
	if (strcmp(words[0], "symbols") == 0)
		ret = symbols_run(n, words);
	for (const struct cmd *const *c = cmds; *c; c++) {
		if (strcmp((*c)->name, words[0]) == 0)
			ret = (*c)->run(n, words);
	}
	(void)fflush(NULL);
	(void)dup2(was[0], STDOUT_FILENO);
	(void)dup2(was[1], STDERR_FILENO);
	(void)close(was[0]);
	(void)close(was[1]);
	return ret;
}

/* The result of a command: output, messages and exit status. */
static inline void result_run(const struct results *r, const struct edge_case *c,
			      const struct edge_change *change, struct out *ret)
{
	char words[sizeof(c->command)], *argv[RESULT_WORDS + 1] = { NULL }, *save = NULL;
	char no_sandbox[] = "--no-sandbox", bytes[4096];
	ssize_t len;
	int n = 0, status;

	result_inputs(c, change);
	memcpy(words, c->command, sizeof(words));
	for (char *word = strtok_r(words, " ", &save); word && n + 1 < RESULT_WORDS;
	     word = strtok_r(NULL, " ", &save)) {
		argv[n++] = word;
		if (n == 1 && strcmp(word, "symbols") != 0)
			argv[n++] = no_sandbox;
	}
	status = result_status(r, argv, n);
	(void)lseek(r->fd, 0, SEEK_SET);
	while ((len = read(r->fd, bytes, sizeof(bytes))) > 0)
		out_str(ret, (struct str){ bytes, (size_t)len });
	out_printf(ret, "exit %d\n", status);
}

/* The output of a row: its brief is a checksum of the result. */
static inline void result_output(const struct results *r, const struct edge_case *c,
				 const struct edge_change *change, struct edge_output *ret)
{
	struct out whole = { .fd = -1 };
	uint64_t sum = UINT64_C(0xcbf29ce484222325);

	*ret = (struct edge_output){ .whole = { .fd = -1 },
				     .brief = { .fd = -1 },
				     .shape = { .fd = -1 },
				     .kinds = { .fd = -1 } };
	result_run(r, c, change, &whole);
	for (size_t i = 0; i < whole.len; i++)
		sum = (sum ^ (unsigned char)whole.data[i]) * UINT64_C(0x100000001b3);
	out_printf(&ret->brief, "%012llx", (unsigned long long)(sum >> 16));
	out_str(&ret->shape, out_view(&whole));
	out_fini(&whole);
}

#endif
