/* SPDX-License-Identifier: MIT */
/*
 * Runs a fuzz target over files and folders named on the command line, without
 * libFuzzer.
 *
 *   fuzz_NAME FILE|DIR...
 *   fuzz_NAME --mutants N [--seed S] [--first I] [--save OUT] FILE|DIR...
 *
 * With --mutants, N damaged copies of the inputs are run, each made from the seed
 * and its number alone: bits flipped, fields set to values at their edges, bytes
 * taken out, doubled or put in from another input, the end cut off, and parts
 * changed so that the lengths around them fit (mutators.h). A crash or a
 * run of more than 10 s says which mutant it was; --first I --mutants 1 runs it
 * again, --save writes it. At the end: the slowest, and the peak of memory. With
 * FUZZ_SYMFS=/nonexistent readers of recordings look for no symbols of this machine.
 */
#include "base/alloc.h"
#include "base/vec.h"
#include "mutators.h"

#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define STANDALONE_HANG_SECONDS 10u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	uint8_t *data;
	size_t len;
};

struct inputs {
	VEC(struct input) all;
};

struct mutate_options {
	uint64_t n; /* 0: none, the inputs as they are */
	uint64_t seed;
	uint64_t first;
	const char *save;
};

/* For the signal handler alone. */
static volatile sig_atomic_t standalone_mutant;

static void inputs_add_file(struct inputs *in, const char *path)
{
	FILE *f = fopen(path, "re");
	uint8_t *buf = NULL;
	size_t len = 0;
	size_t n;

	if (!f)
		return;
	do {
		buf = xrealloc(buf, len + 65536);
		n = fread(buf + len, 1, 65536, f);
		len += n;
	} while (n);
	(void)fclose(f);
	/* an exact copy, so that a sanitizer sees a read past the end */
	*VEC_PUSH(&in->all) = (struct input){ xrealloc(buf, len ? len : 1), len };
}

static void inputs_add(struct inputs *in, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;

	if (!dir) {
		inputs_add_file(in, path);
		return;
	}
	while ((e = readdir(dir))) {
		char file[4096];

		(void)snprintf(file, sizeof(file), "%s/%s", path, e->d_name);
		if (e->d_name[0] != '.')
			inputs_add_file(in, file);
	}
	(void)closedir(dir);
}

/* A place: often in the first bytes, where headers are, often at a multiple of 8. */
static size_t mutant_place(struct mutation *m)
{
	size_t reach = mutation_random(m, 4) == 0 && m->len > 512 ? 512 : m->len;
	size_t at = (size_t)mutation_random(m, reach);

	return mutation_random(m, 2) ? at & ~(size_t)7 : at;
}

static void mutant_set(struct mutation *m)
{
	static const uint64_t edges[] = { 0,
					  1,
					  7,
					  8,
					  9,
					  16,
					  0x7f,
					  0x80,
					  0xff,
					  0x100,
					  0x7fff,
					  0x8000,
					  0xfff8,
					  0xffff,
					  0x10000,
					  0x7fffffff,
					  0x80000000,
					  0xfffffff8,
					  0xffffffff,
					  0x100000000,
					  0x7fffffffffffffff,
					  0x8000000000000000,
					  0xfffffffffffffff8,
					  0xffffffffffffffff };
	size_t at = mutant_place(m);
	size_t width = (size_t)1 << mutation_random(m, 4);
	uint64_t value = 0;

	width = width < m->len - at ? width : m->len - at;
	memcpy(&value, m->data + at, width);
	switch (mutation_random(m, 4)) {
	case 0:
		value += mutation_random(m, 33) - 16;
		break;
	case 1:
		value = m->len + mutation_random(m, 17) - 8;
		break;
	default:
		value = edges[mutation_random(m, ARRAY_LEN(edges))];
		break;
	}
	memcpy(m->data + at, &value, width);
}

static void mutant_remove(struct mutation *m)
{
	size_t at = mutant_place(m);
	size_t n = (size_t)mutation_random(m, mutation_random(m, 2) ? 64 : m->len) + 1;

	n = n < m->len - at ? n : m->len - at;
	memmove(m->data + at, m->data + at + n, m->len - at - n);
	m->len -= n;
}

/* Some bytes of @from go in, or over what is there. */
static void mutant_splice(struct mutation *m, const struct input *from)
{
	size_t at = mutant_place(m);
	size_t start = from->len ? (size_t)mutation_random(m, from->len) & ~(size_t)7 : 0;
	size_t n = (size_t)mutation_random(m, mutation_random(m, 2) ? 64 : 4096) + 1;

	n = n < from->len - start ? n : from->len - start;
	if (mutation_random(m, 2)) {
		n = n < m->room - m->len ? n : m->room - m->len;
		memmove(m->data + at + n, m->data + at, m->len - at);
		m->len += n;
	} else {
		n = n < m->len - at ? n : m->len - at;
	}
	memcpy(m->data + at, from->data + start, n);
}

static void mutant_step(struct mutation *m, const struct inputs *in)
{
	switch (mutation_random(m, 14)) {
	case 10:
	case 11:
	case 12:
	case 13: /* in the outline of its format */
		(void)mutation_step(m);
		break;
	case 0:
	case 1:
		m->data[mutant_place(m)] ^= (uint8_t)(1u << mutation_random(m, 8));
		break;
	case 2:
		m->data[mutant_place(m)] = (uint8_t)mutation_random(m, 256);
		break;
	case 3:
		m->len = mutant_place(m) + 1;
		break;
	case 4:
		mutant_remove(m);
		break;
	case 5:
		mutant_splice(m, &in->all.data[mutation_random(m, in->all.len)]);
		break;
	default:
		mutant_set(m);
		break;
	}
}

/* Mutant @number of @o; free() its data. */
static struct mutation mutant_make(const struct inputs *in, const struct mutate_options *o,
				   uint64_t number)
{
	struct mutation m = { .random = o->seed * UINT64_C(0xd1342543de82ef95) + number };
	const struct input *from = &in->all.data[mutation_random(&m, in->all.len)];
	uint64_t steps = 1 + mutation_random(&m, mutation_random(&m, 3) ? 4 : 24);

	m.room = from->len + 65536;
	m.data = xmalloc(m.room);
	m.len = from->len;
	memcpy(m.data, from->data, from->len);
	while (steps-- && m.len)
		mutant_step(&m, in);
	m.data = xrealloc(m.data, m.len ? m.len : 1);
	return m;
}

static void standalone_died(int signal_number)
{
	char text[64];
	int n = snprintf(text, sizeof(text), "signal %d at mutant %d\n", signal_number,
			 (int)standalone_mutant);

	(void)!write(STDERR_FILENO, text, n > 0 ? (size_t)n : 0);
	(void)signal(signal_number, SIG_DFL);
	(void)raise(signal_number);
}

static double standalone_now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void mutants_run(const struct inputs *in, const struct mutate_options *o)
{
	static const int deaths[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM };
	double began = standalone_now();
	double slowest = 0;
	uint64_t slow = o->first;
	struct rusage usage;

	for (size_t i = 0; i < ARRAY_LEN(deaths); i++)
		(void)signal(deaths[i], standalone_died);
	for (uint64_t i = o->first; i < o->first + o->n; i++) {
		struct mutation m = mutant_make(in, o, i);
		double from = standalone_now();
		FILE *f = o->save ? fopen(o->save, "we") : NULL;

		standalone_mutant = (sig_atomic_t)i;
		if (f) {
			(void)fwrite(m.data, 1, m.len, f);
			(void)fclose(f);
		}
		(void)alarm(STANDALONE_HANG_SECONDS);
		(void)LLVMFuzzerTestOneInput(m.data, m.len);
		(void)alarm(0);
		free(m.data);
		if (standalone_now() - from > slowest) {
			slowest = standalone_now() - from;
			slow = i;
		}
	}
	(void)getrusage(RUSAGE_SELF, &usage);
	printf("%llu mutants of %zu inputs, seed %llu: %.1f s, slowest %.3f s (mutant %llu), "
	       "peak %ld MB\n",
	       (unsigned long long)o->n, in->all.len, (unsigned long long)o->seed,
	       standalone_now() - began, slowest, (unsigned long long)slow, usage.ru_maxrss / 1024);
}

/* True when @argv[*@i] and the word behind it are an option. */
static bool standalone_option(struct mutate_options *o, int argc, char **argv, int *i)
{
	const char *name = argv[*i];
	uint64_t *number = strcmp(name, "--mutants") == 0 ? &o->n
			   : strcmp(name, "--seed") == 0  ? &o->seed
			   : strcmp(name, "--first") == 0 ? &o->first
							  : NULL;

	if (*i + 1 >= argc || (!number && strcmp(name, "--save") != 0))
		return false;
	++*i;
	if (number)
		*number = strtoull(argv[*i], NULL, 10);
	else
		o->save = argv[*i];
	return true;
}

int main(int argc, char **argv)
{
	struct mutate_options o = { .seed = 1 };
	struct inputs in = { VEC_INIT };
	size_t n;

	for (int i = 1; i < argc; i++) {
		if (!standalone_option(&o, argc, argv, &i))
			inputs_add(&in, argv[i]);
	}
	n = in.all.len;
	if (n && o.n) {
		mutants_run(&in, &o);
	} else {
		VEC_FOREACH (one, &in.all)
			(void)LLVMFuzzerTestOneInput(one->data, one->len);
		printf("%zu inputs\n", n);
	}
	VEC_FOREACH (one, &in.all)
		free(one->data);
	VEC_FREE(&in.all);
	return n ? 0 : 1;
}
