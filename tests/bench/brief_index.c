/* SPDX-License-Identifier: MIT */
/*
 * brief_index.c - an indexer of documents in which one fault is planted
 *
 *   FAULT=<number> ./indexer THREADS SECONDS
 *
 * A reader makes documents and puts them into a queue. Writers take them, split them into terms,
 * keep a sorted list of the terms of each document, rank it, and append it to a segment on disk.
 * FAULT chooses which of these steps is done badly; tests/bench/brief.py has the list.
 * Functions are named for their purpose in the indexer, not for the fault.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define QUEUE    16u
#define TERMS    600u
#define TEXT     6000u

struct document {
	uint64_t number;
	char text[TEXT];
};

struct writer {
	struct document doc;
	char *terms[TERMS];
	size_t n_terms;
	uint32_t *places;
	size_t n_places;
	size_t size;
	uint64_t done;
	double score;
	int segment;
};

static int fault;
static volatile int stop;
static struct document queue[QUEUE];
static unsigned int queue_head, queue_tail;
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queue_has = PTHREAD_COND_INITIALIZER;
static pthread_cond_t queue_room = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t schema_lock = PTHREAD_RWLOCK_INITIALIZER;
static char store[1u << 16];
static int store_fd;
static uint64_t progress;

static void nap(long ns)
{
	struct timespec t = { ns / 1000000000, ns % 1000000000 };

	nanosleep(&t, NULL);
}

/* The text of a document comes from a store of 64 kB on disk. */
NOINLINE static void store_read(struct document *d)
{
	size_t from = d->number * 4099 % (sizeof(store) - TEXT);

	if (fault == 1) {
		for (size_t i = 0; i < TEXT - 1; i += 4)
			(void)!pread(store_fd, d->text + i, 4, (off_t)(from + i));
	} else {
		(void)!pread(store_fd, d->text, TEXT - 1, (off_t)from);
	}
	d->text[TEXT - 1] = '\0';
}

NOINLINE static void text_lower(char *text)
{
	size_t n = strlen(text);

	for (size_t i = 0; i < (fault == 2 ? strlen(text) : n); i++) {
		if (text[i] >= 'A' && text[i] <= 'Z')
			text[i] = (char)(text[i] - 'A' + 'a');
	}
}

/* Where each term stands. */
NOINLINE static void places_add(struct writer *w, uint32_t at)
{
	if (w->n_places == w->size) {
		if (fault == 3) {
			uint32_t *more = malloc((w->size + 1) * sizeof(*more));

			memcpy(more, w->places, w->size * sizeof(*more));
			free(w->places);
			w->places = more;
			w->size++;
		} else {
			w->size = w->size ? 2 * w->size : 64;
			w->places = realloc(w->places, w->size * sizeof(*w->places));
		}
	}
	w->places[w->n_places++] = at;
}

/* Terms are kept in the order of the alphabet. */
NOINLINE static void terms_insert(struct writer *w, char *term)
{
	size_t low = 0, high = w->n_terms;

	if (w->n_terms == TERMS)
		return;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (strcmp(w->terms[middle], term) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	memmove(w->terms + low + 1, w->terms + low, (w->n_terms - low) * sizeof(*w->terms));
	w->terms[low] = term;
	w->n_terms++;
}

NOINLINE static void document_split(struct writer *w)
{
	char *p = w->doc.text;

	w->n_terms = 0;
	w->n_places = 0;
	if (fault == 3) {
		free(w->places);
		w->places = NULL;
		w->size = 0;
	}
	while (*p) {
		char *end = strchrnul(p, ' ');

		if (fault == 3) {
			for (uint32_t i = 0; i < 5; i++)
				places_add(w, (uint32_t)(p - w->doc.text));
		} else {
			places_add(w, (uint32_t)(p - w->doc.text));
		}
		if (!*end)
			break;
		*end = '\0';
		terms_insert(w, p);
		p = end + 1;
	}
}

/* What the day of a document is, for its rank. */
NOINLINE static double document_age(const struct document *d)
{
	struct tm parts = { 0 };
	time_t t = (time_t)(1700000000 + d->number % 86400);

	if (fault == 4) {
		char text[64];

		for (int i = 0; i < 400; i++) {
			localtime_r(&t, &parts);
			strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &parts);
			strptime(text, "%Y-%m-%d %H:%M:%S", &parts);
			t = mktime(&parts) + i;
		}
	}
	return (double)t / 86400;
}

NOINLINE static void document_rank(struct writer *w)
{
	w->score += document_age(&w->doc);
	for (size_t i = 0; i < w->n_terms; i++)
		w->score += (double)w->terms[i][0] / 7;
}

NOINLINE static void segment_append(struct writer *w)
{
	char line[64];
	int n = snprintf(line, sizeof(line), "%ju %zu %zu\n", (uintmax_t)w->doc.number, w->n_terms,
			 w->n_places);

	if (fault == 5) {
		int fd = open("segment", O_CREAT | O_WRONLY | O_APPEND, 0600);

		(void)!write(fd, line, (size_t)n);
		(void)fdatasync(fd);
		close(fd);
	} else if (w->done % 256 == 0) {
		(void)!write(w->segment, line, (size_t)n);
	}
}

/* The schema may change between documents. */
NOINLINE static void schema_check(struct writer *w)
{
	if (fault == 6) {
		pthread_rwlock_wrlock(&schema_lock);
		document_rank(w);
		for (int i = 0; i < 12; i++)
			text_lower(w->doc.text + 8 * i);
		document_split(w);
		pthread_rwlock_unlock(&schema_lock);
	} else {
		pthread_rwlock_rdlock(&schema_lock);
		w->done++;
		pthread_rwlock_unlock(&schema_lock);
	}
}

NOINLINE static void progress_note(struct writer *w)
{
	if (fault == 7) {
		static pthread_mutex_t note_lock = PTHREAD_MUTEX_INITIALIZER;

		for (int i = 0; i < 300; i++) {
			pthread_mutex_lock(&note_lock);
			dprintf(w->segment, "indexed %ju, part %d\n", (uintmax_t)w->doc.number, i);
			pthread_mutex_unlock(&note_lock);
		}
	} else {
		__atomic_fetch_add(&progress, 1, __ATOMIC_RELAXED);
	}
}

NOINLINE static int queue_take(struct document *d)
{
	pthread_mutex_lock(&queue_lock);
	while (queue_head == queue_tail && !stop) {
		if (fault == 8) {
			pthread_mutex_unlock(&queue_lock);
			nap(20000000);
			pthread_mutex_lock(&queue_lock);
		} else {
			pthread_cond_wait(&queue_has, &queue_lock);
		}
	}
	if (queue_head == queue_tail) {
		pthread_mutex_unlock(&queue_lock);
		return 0;
	}
	d->number = queue[queue_tail++ % QUEUE].number;
	if (fault != 8)
		pthread_cond_signal(&queue_room);
	pthread_mutex_unlock(&queue_lock);
	return 1;
}

NOINLINE static void queue_put(uint64_t number)
{
	pthread_mutex_lock(&queue_lock);
	while (queue_head - queue_tail == QUEUE && !stop) {
		if (fault == 8) {
			pthread_mutex_unlock(&queue_lock);
			nap(5000000);
			pthread_mutex_lock(&queue_lock);
		} else {
			pthread_cond_wait(&queue_room, &queue_lock);
		}
	}
	queue[queue_head++ % QUEUE].number = number;
	if (fault != 8)
		pthread_cond_signal(&queue_has);
	pthread_mutex_unlock(&queue_lock);
}

/* Documents that the source sends in parts are joined. */
NOINLINE static void source_join(uint64_t number)
{
	static volatile uint64_t sum;

	if (fault == 9) {
		for (uint64_t i = 0; i < 1500000; i++)
			sum += i ^ number;
	}
}

static void *reader_main(void *arg)
{
	for (uint64_t number = 0; !stop; number++) {
		source_join(number);
		queue_put(number);
	}
	return arg;
}

static void *writer_main(void *arg)
{
	struct writer *w = arg;

	while (queue_take(&w->doc)) {
		store_read(&w->doc);
		text_lower(w->doc.text);
		schema_check(w);
		document_split(w);
		document_rank(w);
		segment_append(w);
		progress_note(w);
		w->done++;
	}
	return NULL;
}

static void store_fill(void)
{
	uint64_t x = 88172645463325252u;

	store_fd = open("store", O_CREAT | O_RDWR | O_TRUNC, 0600);
	for (size_t i = 0; i < sizeof(store); i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		store[i] = x % 11 ? (char)("aAbcdeEfghilmnorst"[x % 18]) : ' ';
	}
	(void)!write(store_fd, store, sizeof(store));
}

int main(int argc, char **argv)
{
	unsigned int n = argc > 1 ? (unsigned int)atoi(argv[1]) : 3;
	static struct writer writers[16];
	pthread_t threads[16], reader;

	fault = getenv("FAULT") ? atoi(getenv("FAULT")) : 0;
	unsetenv("FAULT");
	store_fill();
	pthread_create(&reader, NULL, reader_main, NULL);
	for (unsigned int i = 0; i < n && i < 16; i++) {
		writers[i].segment = open("segment", O_CREAT | O_WRONLY | O_APPEND, 0600);
		pthread_create(&threads[i], NULL, writer_main, &writers[i]);
	}
	sleep(argc > 2 ? (unsigned int)atoi(argv[2]) : 2);
	pthread_mutex_lock(&queue_lock);
	stop = 1;
	pthread_cond_broadcast(&queue_has);
	pthread_cond_broadcast(&queue_room);
	pthread_mutex_unlock(&queue_lock);
	pthread_join(reader, NULL);
	for (unsigned int i = 0; i < n && i < 16; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
