/* SPDX-License-Identifier: MIT */
/*
 * mutants_shown.h - inputs whose output a mutant of tools/mutate changes
 *
 * In a tree of tools/mutate each mutant can be chosen at run time, and each run notes those that
 * could matter. A mutant is tried in a child: it may crash or hang.
 */
#ifndef MUTANTS_SHOWN_H
#define MUTANTS_SHOWN_H

#include "base/alloc.h"
#include "base/out.h"
#include "base/str.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define MUTANTS_MAX     (1u << 16)
#define MUTANTS_WORDS   40   /* bytes cited of texts that differ */
#define MUTANTS_TRIES   24u  /* of a mutant of a rule with inputs of a golden */
#define MUTANTS_ALL     160u /* of a mutant of a rule */
#define MUTANTS_BASE    4u   /* of another mutant with inputs of a golden */
#define MUTANTS_MANY    400u /* of another mutant */
#define MUTANTS_LOOKS   8u   /* of another mutant with rows that exist */
#define MUTANTS_HANG_MS 100

/* Of the tree of tools/mutate; without it these are NULL. */
extern int mutant_chosen __attribute__((weak));
extern unsigned char *mutant_reached __attribute__((weak));

enum mutant_is {
	MUTANT_SAME,
	MUTANT_BRIEF, /* another output, or none */
	MUTANT_WORDS, /* other words */
};

/* Write the output for an input: both parts. */
typedef void mutants_run(const void *input, struct out *brief, struct out *whole);

enum mutants_mode {
	MUTANTS_SEARCH, /* make a row of an input that shows one */
	MUTANTS_ROW,    /* as test_edges_found compares a row that exists */
	MUTANTS_GOLDEN, /* as the golden test: all words */
};

struct mutants {
	enum mutants_mode mode;
	unsigned int tries_max, all_max, looks_max; /* MUTANTS_BASE, MUTANTS_MANY, MUTANTS_LOOKS */
	struct str row_words;
	unsigned char shown[MUTANTS_MAX];
	unsigned short tries[MUTANTS_MAX];
	unsigned short all[MUTANTS_MAX], looked[MUTANTS_MAX]; /* in searches, in rows that exist */
	uint64_t last[MUTANTS_MAX];                           /* output with which it was tried */
	const char *rule;                                     /* whose input it is */
	char of[MUTANTS_MAX][40]; /* the rule to whose source a mutant belongs, or "" */
	struct str golden;
	bool is_begun; /* a row of the golden is printed */
	struct {
		unsigned int at, n, id[MUTANTS_MAX];
		enum mutant_is is[MUTANTS_MAX];
		char words[MUTANTS_MAX][2 * MUTANTS_WORDS];
	} * child; /* shared with it */
};

static inline struct mutants *mutants_new(void)
{
	struct mutants *ret;
	void *map = mmap(NULL, sizeof(*ret->child), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (!&mutant_chosen || map == MAP_FAILED)
		return NULL;
	ret = xcalloc(1, sizeof(*ret));
	ret->child = map;
	ret->tries_max = MUTANTS_BASE;
	ret->all_max = MUTANTS_MANY;
	ret->looks_max = MUTANTS_LOOKS;
	return ret;
}

/* Print which mutants no row shows. */
static inline void mutants_free(struct mutants *m)
{
	if (!m)
		return;
	for (unsigned int i = 0; i < MUTANTS_MAX; i++) {
		if (m->all[i] || m->looked[i])
			(void)fprintf(stderr, "%u %s\n", i, m->shown[i] ? "shown" : "left");
	}
	(void)munmap(m->child, sizeof(*m->child));
	free(m);
}

/* Read lines of mutant and its rule. */
static inline void mutants_read(struct mutants *m, const char *path)
{
	FILE *f = fopen(path, "re");
	unsigned int id;
	char rule[40];

	while (f && fscanf(f, "%u %39s", &id, rule) == 2 && id < MUTANTS_MAX)
		(void)snprintf(m->of[id], sizeof(m->of[id]), "%s", rule);
	if (f)
		(void)fclose(f);
}

/* Before inputs of another golden or recording. */
static inline void mutants_begin(struct mutants *m, struct str golden)
{
	m->golden = golden;
	m->is_begun = false;
	for (unsigned int i = 0; i < MUTANTS_MAX; i++)
		m->tries[i] = 0;
}

/* Before the output of the program for an input. */
static inline void mutants_forget(void)
{
	for (unsigned int i = 0; i < MUTANTS_MAX; i++)
		mutant_reached[i] = 0;
}

/* Words of @a where it differs from @b. */
static inline struct str mutants_words(struct str a, struct str b)
{
	size_t from = 0, end;

	while (from < a.len && from < b.len && a.p[from] == b.p[from])
		from++;
	while (from && a.p[from - 1] != ' ' && a.p[from - 1] != '\n')
		from--;
	for (end = from; end < a.len && a.p[end] != '\n' && a.p[end] != '\t' &&
			 (end - from < MUTANTS_WORDS || a.p[end] != ' ');)
		end++;
	return str_sub(a, from, end);
}

/* Try the mutants that are left from m->child->at on. */
static inline void mutants_child(struct mutants *m, mutants_run *run, const void *input,
				 struct str brief, struct str whole)
{
	const struct itimerval until = { .it_value.tv_usec = MUTANTS_HANG_MS * 1000 };

	for (; m->child->at < m->child->n; m->child->at++) {
		struct out brief_is = { .fd = -1 }, whole_is = { .fd = -1 };
		unsigned int i = m->child->at;
		struct str is, words;

		(void)setitimer(ITIMER_PROF, &until, NULL);
		mutant_chosen = (int)m->child->id[i];
		run(input, &brief_is, &whole_is);
		is = out_view(&whole_is);
		words = mutants_words(whole, is);
		m->child->is[i] = MUTANT_SAME;
		if (!str_eq(brief, out_view(&brief_is)) ||
		    (m->mode == MUTANTS_ROW && !str_contains(is, m->row_words)) ||
		    (m->mode == MUTANTS_GOLDEN && !str_eq(whole, is)))
			m->child->is[i] = MUTANT_BRIEF;
		else if (m->mode == MUTANTS_SEARCH && words.len &&
			 words.len < sizeof(m->child->words[i]) && !str_contains(is, words))
			m->child->is[i] = MUTANT_WORDS;
		for (size_t k = 0; k < sizeof(m->child->words[i]); k++)
			m->child->words[i][k] = k < words.len ? words.p[k] : '\0';
		out_fini(&brief_is);
		out_fini(&whole_is);
	}
}

/* Try all mutants of m->child. */
static inline void mutants_try(struct mutants *m, mutants_run *run, const void *input,
			       struct str brief, struct str whole)
{
	for (m->child->at = 0; m->child->at < m->child->n; m->child->at++) {
		pid_t pid = fork();
		int status;

		if (pid == 0) {
			mutants_child(m, run, input, brief, whole);
			_exit(0);
		}
		if (pid > 0 && waitpid(pid, &status, 0) == pid && m->child->at < m->child->n)
			m->child->is[m->child->at] = MUTANT_BRIEF; /* ended early */
	}
}

/*
 * Which mutants does an input show, whose output without a mutant is @brief and @whole? The
 * answers are in m->child.
 */
static inline void mutants_show(struct mutants *m, mutants_run *run, const void *input,
				struct str brief, struct str whole)
{
	uint64_t output = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < brief.len + whole.len; i++)
		output = (output ^
			  (unsigned char)(i < brief.len ? brief.p[i] : whole.p[i - brief.len])) *
			 UINT64_C(0x100000001b3);
	m->child->n = 0;
	for (unsigned int i = 0; i < MUTANTS_MAX; i++) {
		bool is_rule, is_row = m->mode != MUTANTS_SEARCH;

		if (!mutant_reached[i] || m->shown[i])
			continue;
		is_rule = m->of[i][0] != '\0';
		if (is_rule && strcmp(m->of[i], m->rule) != 0)
			continue;
		if (!is_rule && (m->tries[i] >= m->tries_max ||
				 (is_row ? m->looked[i] >= m->looks_max : m->all[i] >= m->all_max)))
			continue;
		if (!is_row && (m->last[i] == output || (is_rule && (m->tries[i] >= MUTANTS_TRIES ||
								     m->all[i] >= MUTANTS_ALL))))
			continue;
		m->tries[i]++;
		if (is_row) {
			m->looked[i]++;
		} else {
			m->all[i]++;
			m->last[i] = output;
		}
		m->child->id[m->child->n++] = i;
	}
	mutants_try(m, run, input, brief, whole);
	for (unsigned int i = 0; i < m->child->n; i++)
		m->shown[m->child->id[i]] = m->child->is[i] != MUTANT_SAME;
}

#endif
