/* SPDX-License-Identifier: MIT */
/*
 * Runs a fuzz target on files and folders, without libFuzzer.
 *
 *   fuzz_NAME FILE|DIR...
 *   fuzz_NAME --mutants N [--seconds S] [--seed S] [--first I] [--save OUT] [--keep PREFIX]
 *             FILE|DIR...
 *
 * --mutants runs N damaged copies of the inputs, but stops after S seconds. A mutant depends only
 * on the seed and its number. Bits are flipped; fields are set to values at their limits; bytes are
 * removed, or inserted or overwritten with bytes of another input; the end is cut off; and parts
 * are changed with the lengths around them (mutators.h).
 *
 * A crash is reported with the number of its mutant. So is a run whose CPU time exceeds
 * 0.1 s + 1 s per megabyte (five times that under sanitizers). --first I --mutants 1 repeats that
 * mutant. --save writes every mutant to OUT before it runs, --keep writes the reported mutant to
 * PREFIX and its number. At the end: the number of mutants, the slowest, and the peak of memory.
 *
 * With FUZZ_SYMFS=/nonexistent, readers of recordings look up no symbols on this machine.
 */
#include "base/alloc.h"
#include "base/status.h"
#include "base/vec.h"
#include "mutators.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define STANDALONE_HANG_SECONDS 10u
#define STANDALONE_ONE_SECONDS  0.1 /* limit for a run, plus the next per megabyte */
#define STANDALONE_MB_SECONDS   1.0
#define STANDALONE_TRIES        3 /* a run is slow only if it is slow each time */

#if defined(__SANITIZE_ADDRESS__)
#define STANDALONE_SLOWER 5
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define STANDALONE_SLOWER 5
#endif
#endif
#ifndef STANDALONE_SLOWER
#define STANDALONE_SLOWER 1
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* defined by sanitizers only */
__attribute__((weak)) void __sanitizer_set_death_callback(void (*f)(void));

struct input {
	uint8_t *data;
	size_t len;
};

struct inputs {
	VEC(struct input) all;
};

struct mutate_options {
	uint64_t n; /* number of mutants; 0: run the inputs themselves */
	uint64_t seed;
	uint64_t first;
	uint64_t seconds; /* wall-clock time; 0: no limit */
	const char *save;
	const char *keep;
};

/* State for signal handlers and the death callback of sanitizers. */
static struct {
	volatile uint64_t mutant;
	volatile uint64_t looked_at; /* the mutant that ran at the previous tick */
	volatile unsigned int seconds;
	const uint8_t *data;
	size_t len;
	const char *keep;
} standalone;

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
	/* an exact copy, so that sanitizers detect a read past the end */
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
			inputs_add(in, file);
	}
	(void)closedir(dir);
}

/*
 * A random offset. Offsets in the first bytes, where headers are, and multiples of 8 are more
 * frequent.
 */
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

/* Insert bytes of @from, or overwrite bytes with them. */
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
	case 13: /* keeps the structure of the format */
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

/* Make mutant @number of @o in @m, whose buffer is large enough. */
static void mutant_make(struct mutation *m, const struct inputs *in, const struct mutate_options *o,
			uint64_t number)
{
	const struct input *from;
	const struct input *other;
	uint64_t steps;

	m->random = o->seed * UINT64_C(0xd1342543de82ef95) + number;
	/* take the smaller of two: small inputs allow more runs in the same time */
	from = &in->all.data[mutation_random(m, in->all.len)];
	other = &in->all.data[mutation_random(m, in->all.len)];
	from = other->len < from->len ? other : from;
	steps = 1 + mutation_random(m, mutation_random(m, 3) ? 4 : 24);
	m->room = from->len + 65536;
	m->len = from->len;
	if (from->len)
		memcpy(m->data, from->data, from->len);
	while (steps-- && m->len)
		mutant_step(m, in);
}

static void standalone_write(const char *path, const uint8_t *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0)
		return;
	(void)!write(fd, data, len);
	(void)close(fd);
}

/* Report the current mutant, and save it to the --keep file. */
static void standalone_report(const char *what, int number)
{
	char text[512];
	int n = snprintf(text, sizeof(text), "%s %d at mutant %llu\n", what, number,
			 (unsigned long long)standalone.mutant);

	(void)!write(STDERR_FILENO, text, n > 0 ? (size_t)n : 0);
	if (!standalone.keep)
		return;
	n = snprintf(text, sizeof(text), "%s%llu", standalone.keep,
		     (unsigned long long)standalone.mutant);
	if (n > 0 && (size_t)n < sizeof(text))
		standalone_write(text, standalone.data, standalone.len);
}

static void standalone_died(int signal_number)
{
	standalone_report("signal", signal_number);
	(void)signal(signal_number, SIG_DFL);
	(void)raise(signal_number);
}

static void standalone_stopped(void)
{
	standalone_report("sanitizer", 0);
}

/* At each second of CPU time, end a mutant that has run for too long, and report it. */
static void standalone_tick(int signal_number)
{
	if (standalone.looked_at != standalone.mutant)
		standalone.seconds = 0;
	standalone.looked_at = standalone.mutant;
	if (++standalone.seconds > STANDALONE_HANG_SECONDS * STANDALONE_SLOWER)
		standalone_died(signal_number);
}

static double standalone_now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double standalone_clock(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* CPU time of one run: the minimum of several, because other work evicts caches. */
static double mutant_again(const uint8_t *data, size_t len, double limit)
{
	double least = 1e9;

	for (int i = 0; i < STANDALONE_TRIES && least > limit; i++) {
		double from = standalone_now();

		(void)LLVMFuzzerTestOneInput(data, len);
		if (standalone_now() - from < least)
			least = standalone_now() - from;
	}
	return least;
}

/* Seconds of one run. First measured by a cheap clock; a run that seems slow is measured again. */
static double mutant_run(const struct mutation *m, const struct mutate_options *o, uint64_t number)
{
	double limit = STANDALONE_SLOWER *
		       (STANDALONE_ONE_SECONDS + STANDALONE_MB_SECONDS * (double)m->len / 1e6);
	/* an exact copy, so that sanitizers detect a read past the end */
	uint8_t *exact = xmalloc(m->len ? m->len : 1);
	double from;
	double took;

	if (m->len)
		memcpy(exact, m->data, m->len);
	if (o->save)
		standalone_write(o->save, exact, m->len);
	standalone.data = exact;
	standalone.len = m->len;
	standalone.mutant = number;
	from = standalone_clock();
	(void)LLVMFuzzerTestOneInput(exact, m->len);
	took = standalone_clock() - from;
	if (took > limit)
		took = mutant_again(exact, m->len, limit);
	if (took > limit) {
		(void)fprintf(stderr, "mutant %llu of %zu bytes: %.3f s of processor time\n",
			      (unsigned long long)number, m->len, took);
		abort();
	}
	free(exact);
	return took;
}

static void mutants_watch(const struct mutate_options *o)
{
	static const int deaths[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL };
	static const struct itimerval second = { { 1, 0 }, { 1, 0 } };

	standalone.keep = o->keep;
	for (size_t i = 0; i < ARRAY_LEN(deaths); i++) {
		if (deaths[i] == SIGABRT || deaths[i] == SIGILL || !__sanitizer_set_death_callback)
			(void)signal(deaths[i], standalone_died);
	}
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(standalone_stopped);
	(void)signal(SIGPROF, standalone_tick);
	(void)setitimer(ITIMER_PROF, &second, NULL);
}

static void mutants_run(const struct inputs *in, const struct mutate_options *o)
{
	double began = standalone_now();
	double clock_began = standalone_clock();
	struct mutation m = { .room = 65536 };
	struct rusage usage;
	double slowest = 0;
	uint64_t slow = o->first;
	uint64_t i;

	VEC_FOREACH (one, &in->all)
		m.room = one->len + 65536 > m.room ? one->len + 65536 : m.room;
	m.data = xmalloc(m.room);
	mutants_watch(o);
	for (i = o->first; i < o->first + o->n; i++) {
		double took;

		if (o->seconds && standalone_clock() - clock_began > (double)o->seconds)
			break;
		mutant_make(&m, in, o, i);
		took = mutant_run(&m, o, i);
		if (took > slowest) {
			slowest = took;
			slow = i;
		}
	}
	free(m.data);
	(void)getrusage(RUSAGE_SELF, &usage);
	printf("%llu mutants of %zu inputs, seed %llu: %.1f s, slowest %.3f s (mutant %llu), "
	       "peak %ld MB\n",
	       (unsigned long long)(i - o->first), in->all.len, (unsigned long long)o->seed,
	       standalone_now() - began, slowest, (unsigned long long)slow, usage.ru_maxrss / 1024);
}

/* Parse argument @*i and its value as an option. False: it is none. */
static bool standalone_option(struct mutate_options *o, int argc, char **argv, int *i)
{
	const char *name = argv[*i];
	uint64_t *number = strcmp(name, "--mutants") == 0   ? &o->n
			   : strcmp(name, "--seconds") == 0 ? &o->seconds
			   : strcmp(name, "--seed") == 0    ? &o->seed
			   : strcmp(name, "--first") == 0   ? &o->first
							    : NULL;
	const char **word = strcmp(name, "--save") == 0   ? &o->save
			    : strcmp(name, "--keep") == 0 ? &o->keep
							  : NULL;

	if (*i + 1 >= argc || (!number && !word))
		return false;
	++*i;
	if (number)
		*number = strtoull(argv[*i], NULL, 10);
	else
		*word = argv[*i];
	return true;
}

int main(int argc, char **argv)
{
	struct mutate_options o = { .seed = 1 };
	struct inputs in = { VEC_INIT };
	const char *symfs = getenv("FUZZ_SYMFS");
	size_t n;

	if (symfs)
		(void)setenv("HOME", symfs, 1); /* also skip ~/.debug */
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
