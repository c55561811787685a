/* SPDX-License-Identifier: MIT */
/*
 * motor - a control loop of high priority, a log of low priority, and a picture in between
 *
 *   motor plain|inherit SECONDS
 *
 * All run on one CPU. The control loop and the log share a mutex. 'inherit': who holds the mutex
 * has the priority of those that wait for it.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "work.h"

static pthread_mutex_t state_mutex;
static volatile uint64_t state;
static uint64_t end_ns;

static void busy_for(uint64_t ns)
{
	uint64_t until_ns = work_clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (work_clock_ns(CLOCK_THREAD_CPUTIME_ID) < until_ns)
		state = state * 31 + 7;
}

static bool is_over(void)
{
	return work_clock_ns(CLOCK_MONOTONIC) >= end_ns;
}

static __attribute__((noinline)) void motor_step(void)
{
	pthread_mutex_lock(&state_mutex);
	busy_for(20000);
	pthread_mutex_unlock(&state_mutex);
}

static __attribute__((noinline)) void log_write(void)
{
	pthread_mutex_lock(&state_mutex);
	busy_for(3000000);
	pthread_mutex_unlock(&state_mutex);
}

static __attribute__((noinline)) void picture_draw(void)
{
	busy_for(15000000);
}

static void *control_main(void *arg)
{
	for (; !is_over(); usleep(20000))
		motor_step();
	return arg;
}

static void *log_main(void *arg)
{
	for (; !is_over(); usleep(1000))
		log_write();
	return arg;
}

static void *picture_main(void *arg)
{
	for (; !is_over(); usleep(10000))
		picture_draw();
	return arg;
}

static void thread_start(pthread_t *thread, const char *name, void *(*start)(void *), int priority)
{
	struct sched_param param = { .sched_priority = priority };
	pthread_attr_t how;
	cpu_set_t cpu;

	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
	pthread_attr_init(&how);
	pthread_attr_setaffinity_np(&how, sizeof(cpu), &cpu);
	pthread_attr_setinheritsched(&how, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&how, SCHED_FIFO);
	pthread_attr_setschedparam(&how, &param);
	if (pthread_create(thread, &how, start, NULL))
		exit(1);
	pthread_setname_np(*thread, name);
}

int main(int argc, char **argv)
{
	pthread_mutexattr_t how;
	pthread_t threads[3];

	if (argc != 3)
		return 2;
	pthread_mutexattr_init(&how);
	if (strcmp(argv[1], "inherit") == 0)
		pthread_mutexattr_setprotocol(&how, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&state_mutex, &how);
	end_ns = work_clock_ns(CLOCK_MONOTONIC) + work_number(argv[2]) * 1000000000u;
	thread_start(&threads[0], "log", log_main, 1);
	thread_start(&threads[1], "picture", picture_main, 5);
	thread_start(&threads[2], "control", control_main, 9);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	work_print_cost();
	return 0;
}
