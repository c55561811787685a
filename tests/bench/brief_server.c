/* SPDX-License-Identifier: MIT */
/*
 * brief_server.c - a small request server in which one fault is planted
 *
 *   FAULT=<number> ./server THREADS SECONDS
 *
 * Each thread parses requests, finds the session, builds a reply, computes its checksum and counts
 * it. FAULT chooses which of these steps is done badly; tests/bench/brief.py has the list.
 * Functions are named for their purpose in the server, not for the fault.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <regex.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define SESSIONS 4096u
#define BUCKETS  4096u

struct session {
	struct session *next;
	char name[32];
	uint64_t hits;
};

struct worker {
	char request[512];
	char reply[8192];
	uint64_t seed;
	uint64_t done;
	unsigned int number;
};

static int fault;
static volatile int stop;
static struct session sessions[SESSIONS];
static struct session *buckets[BUCKETS];
static struct session *order[SESSIONS];
static pthread_mutex_t stats_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t session_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t round_barrier;
static uint64_t total;
static uint64_t counters[64];
static uint64_t *table;
static int log_fd;

static uint64_t next_random(struct worker *w)
{
	w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
	return w->seed >> 33;
}

NOINLINE static uint32_t session_hash(const char *name)
{
	uint32_t h = 2166136261u;

	if (fault == 2)
		return (uint32_t)strlen(name);
	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	return h;
}

NOINLINE static struct session *session_find(const char *name)
{
	if (fault == 1) {
		for (size_t i = 0; i < SESSIONS; i++) {
			if (strcmp(sessions[i].name, name) == 0)
				return &sessions[i];
		}
		return NULL;
	}
	for (struct session *s = buckets[session_hash(name) % BUCKETS]; s; s = s->next) {
		if (strcmp(s->name, name) == 0)
			return s;
	}
	return NULL;
}

static int session_compare(const void *a, const void *b)
{
	const struct session *const *x = a;
	const struct session *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

NOINLINE static void session_rank(struct worker *w)
{
	struct session *copy[512];

	memcpy(copy, order, sizeof(copy));
	if (fault == 3)
		qsort(copy, 512, sizeof(*copy), session_compare);
	w->done += copy[0]->hits;
}

NOINLINE static void field_keep(const char *text, size_t n, char *out)
{
	if (fault == 4) {
		char **parts = calloc(n + 1, sizeof(*parts));

		for (size_t i = 0; i < n; i++) {
			parts[i] = malloc(16 + i % 48);
			parts[i][0] = text[i];
		}
		for (size_t i = 0; i < n; i++) {
			out[i] = parts[i][0];
			free(parts[i]);
		}
		free(parts);
	} else {
		memcpy(out, text, n);
	}
	out[n] = '\0';
}

NOINLINE static void request_check(const char *request)
{
	static regex_t once;
	static int is_ready;
	regex_t each;

	if (fault == 5) {
		if (regcomp(&each, "^[a-z]+ session-[0-9]+ ", REG_EXTENDED | REG_NOSUB) == 0) {
			(void)regexec(&each, request, 0, NULL, 0);
			regfree(&each);
		}
		return;
	}
	if (!__atomic_load_n(&is_ready, __ATOMIC_ACQUIRE)) {
		pthread_mutex_lock(&session_lock);
		if (!is_ready && regcomp(&once, "^[a-z]+ ", REG_EXTENDED | REG_NOSUB) == 0)
			__atomic_store_n(&is_ready, 1, __ATOMIC_RELEASE);
		pthread_mutex_unlock(&session_lock);
	}
	(void)request;
}

NOINLINE static void request_parse(struct worker *w, char *name)
{
	const char *from;

	(void)snprintf(w->request, sizeof(w->request), "get session-%u /index?item=%u&page=%u end",
		       (unsigned int)(next_random(w) % SESSIONS), (unsigned int)next_random(w),
		       (unsigned int)next_random(w));
	request_check(w->request);
	from = strchr(w->request, ' ') + 1;
	for (int i = 0; i < (fault == 4 ? 20 : 1); i++)
		field_keep(from, strcspn(from, " "), name);
}

NOINLINE static void config_reload(void)
{
	struct stat st;

	if (fault != 6)
		return;
	for (int i = 0; i < 20; i++)
		(void)stat("/etc/server/does/not/exist.conf", &st);
}

NOINLINE static void reply_append(struct worker *w, const char *text, size_t *len)
{
	size_t n = strlen(text);

	if (*len + n + 1 > sizeof(w->reply))
		return;
	if (fault == 7)
		strcat(w->reply, text);
	else
		memcpy(w->reply + *len, text, n + 1);
	*len += n;
}

NOINLINE static void reply_build(struct worker *w, const struct session *s)
{
	char line[64];
	size_t len = 0;

	if (fault == 8)
		memset(w->reply, 0, sizeof(w->reply));
	w->reply[0] = '\0';
	for (int i = 0; i < (fault == 7 ? 1300 : 12); i++) {
		line[0] = (char)('a' + i % 26);
		(void)memcpy(line + 1, s ? s->name : "none", 5);
		line[6] = '\0';
		reply_append(w, line, &len);
	}
}

NOINLINE static void reply_send(struct worker *w)
{
	if (fault == 8) {
		size_t n = 4u << 20;
		char *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED)
			abort();
		for (size_t i = 0; i < n; i += 4096)
			p[i] = w->reply[0];
		munmap(p, n);
	}
	if (fault == 9) {
		for (size_t i = 0; i < 64; i++)
			(void)!write(log_fd, w->reply + i, 1);
	}
	if (fault == 10) {
		(void)!write(log_fd, w->reply, 512);
		(void)fsync(log_fd);
	}
}

NOINLINE static uint32_t reply_checksum(const struct worker *w)
{
	uint32_t a = 1, b = 0;

	for (int round = 0; round < (fault == 11 ? 400 : 1); round++) {
		for (const char *p = w->reply; *p; p++) {
			a = (a + (unsigned char)*p) % 65521;
			b = (b + a) % 65521;
		}
	}
	return b << 16 | a;
}

NOINLINE static uint64_t rule_cost(int depth)
{
	return depth < 2 ? (uint64_t)depth : rule_cost(depth - 1) + rule_cost(depth - 2);
}

NOINLINE static void access_check(struct worker *w)
{
	w->done += rule_cost(fault == 12 ? 21 : 3);
}

NOINLINE static void index_touch(struct worker *w)
{
	uint64_t at = next_random(w);

	if (fault != 13)
		return;
	for (int i = 0; i < 200; i++)
		at = table[at & 0x7fffff];
	w->done += at & 1;
}

static void nap(long ns)
{
	struct timespec t = { 0, ns };

	nanosleep(&t, NULL);
}

NOINLINE static void session_update(struct session *s)
{
	if (fault != 14)
		return;
	pthread_mutex_lock(&session_lock);
	s->hits++;
	nap(2000000);
	pthread_mutex_unlock(&session_lock);
}

NOINLINE static void stats_add(struct worker *w, uint32_t sum)
{
	if (fault == 15) {
		char line[128];

		pthread_mutex_lock(&stats_lock);
		for (int i = 0; i < 40; i++)
			(void)snprintf(line, sizeof(line), "%u %08x %s", w->number, sum,
				       w->request);
		total++;
		pthread_mutex_unlock(&stats_lock);
	} else if (fault == 16) {
		for (int i = 0; i < 4000; i++)
			(*(volatile uint64_t *)&counters[w->number])++;
	} else {
		counters[w->number * 16 % 64]++;
	}
}

NOINLINE static void helper_run(void)
{
	pid_t pid;

	if (fault != 17)
		return;
	pid = fork();
	if (pid == 0)
		_exit(0);
	if (pid > 0)
		(void)waitpid(pid, NULL, 0);
}

NOINLINE static void queue_wait(void)
{
	struct pollfd p = { .fd = log_fd, .events = POLLPRI };

	if (fault != 18)
		return;
	for (int i = 0; i < 300 && !stop; i++)
		(void)poll(&p, 1, 0);
}

NOINLINE static void round_finish(struct worker *w)
{
	uint64_t n = w->number == 0 ? 4000000 : 40000;

	if (fault != 19)
		return;
	for (volatile uint64_t i = 0; i < n; i++)
		;
	pthread_barrier_wait(&round_barrier);
}

NOINLINE static void request_serve(struct worker *w)
{
	char name[512];
	struct session *s;

	queue_wait();
	request_parse(w, name);
	config_reload();
	s = session_find(name);
	access_check(w);
	index_touch(w);
	if (w->done % 64 == 0 || fault == 3)
		session_rank(w);
	session_update(s ? s : &sessions[0]);
	reply_build(w, s);
	stats_add(w, reply_checksum(w));
	reply_send(w);
	helper_run();
	round_finish(w);
	w->done++;
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;

	while (fault == 19 ? w->done < 600 : !stop)
		request_serve(w);
	return NULL;
}

static void sessions_fill(void)
{
	for (uint32_t i = 0; i < SESSIONS; i++) {
		uint32_t b;

		(void)snprintf(sessions[i].name, sizeof(sessions[i].name), "session-%u", i);
		b = session_hash(sessions[i].name) % BUCKETS;
		sessions[i].next = buckets[b];
		buckets[b] = &sessions[i];
		order[(i * 2654435761u) % SESSIONS] = &sessions[i];
	}
	for (uint32_t i = 0; i < SESSIONS; i++) {
		if (!order[i])
			order[i] = &sessions[i];
	}
}

static void table_fill(void)
{
	uint64_t x = 88172645463325252u;

	table = malloc(sizeof(*table) << 23);
	for (size_t i = 0; i < (size_t)1 << 23; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		table[i] = x;
	}
}

int main(int argc, char **argv)
{
	unsigned int n = argc > 1 ? (unsigned int)atoi(argv[1]) : 4;
	static struct worker workers[64];
	pthread_t threads[64];

	fault = getenv("FAULT") ? atoi(getenv("FAULT")) : 0;
	unsetenv("FAULT");
	log_fd = open("server.log", O_CREAT | O_RDWR | O_TRUNC, 0600);
	sessions_fill();
	if (fault == 13)
		table_fill();
	if (fault == 20) {
		cpu_set_t one;

		CPU_ZERO(&one);
		CPU_SET(0, &one);
		(void)sched_setaffinity(0, sizeof(one), &one);
	}
	pthread_barrier_init(&round_barrier, NULL, n);
	for (unsigned int i = 0; i < n && i < 64; i++) {
		workers[i] = (struct worker){ .seed = i + 1, .number = i };
		pthread_create(&threads[i], NULL, worker_main, &workers[i]);
	}
	sleep(argc > 2 ? (unsigned int)atoi(argv[2]) : 2);
	stop = 1;
	for (unsigned int i = 0; i < n && i < 64; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
