#!/usr/bin/env bats
# What root's recorder does where others have prepared files, processes and programs.
bats_require_minimum_version 1.5.0
load assay.bash

setup() {
	assay_setup
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	needs_rights -- true
}

# program NAME: it spins in NAME_spins() and prints its effective user
program() {
	cat >"$1.c" <<-C
		#include <stdio.h>
		#include <unistd.h>
		__attribute__((noinline)) unsigned long $1_spins(unsigned long x)
		{ for (long i = 0; i < 3000000; i++) { x = x * 1664525 + 1; __asm__ volatile("" : "+r"(x)); } return x; }
		int main(int n, char **args)
		{ unsigned long x = 1; printf("user %u\\n", geteuid()); fflush(stdout);
		  for (int i = 0; n > 1 || i < 60; i++) x = $1_spins(x); return x == 0; }
	C
	cc -O1 -o "$1" "$1.c" || skip "no compiler"
}

@test "a process id that is used again: each process has its own symbols" {
	program first
	program second
	cat >script <<-'S'
		./first forever >/dev/null & old=$!
		sleep 0.5
		kill -9 $old
		wait $old
		i=0
		while [ $i -lt 200 ]; do
			echo $((old - 1)) >/proc/sys/kernel/ns_last_pid
			./second forever >/dev/null & new=$!
			[ $new -ne $old ] || break
			kill -9 $new; wait $new
			i=$((i + 1))
		done
		echo $old $new >pids
		sleep 0.5
		kill -9 $new
	S
	"$ASSAY" record -q -o pids.data -- sh script 2>said || true
	read -r old new <pids
	[ "$old" = "$new" ] || skip "no process id could be used again"
	"$ASSAY" report --csv --no-children -g none --sort comm,sym pids.data >out
	grep -q ',first,first_spins' out || { cat out; return 1; }
	grep -q ',second,second_spins' out || { cat out; return 1; }
	! grep -E ',first,second_spins|,second,first_spins' out || return 1
}

@test "a set-user-id program runs with its user, has no samples and the reason is named; with -a it has" {
	program suid
	chown 12345 suid
	chmod 4755 suid
	chmod 755 .
	"$ASSAY" record --no-report -o suid.data -- ./suid >out 2>said || true
	grep -qx "user 12345" out || skip "no set-user-id programs here"
	grep -qF "./suid is set-user-id: the kernel ends the events" said || { cat said; return 1; }
	PATH=$PWD:$PATH "$ASSAY" record --no-report -o path.data -- suid >out 2>said || true
	grep -qF "suid is set-user-id: the kernel ends the events" said || { cat said; return 1; }
	"$ASSAY" record --no-report -o sh.data -- sh -c './suid; :' >out 2>said || true
	grep -q "set-user-id programs never" said || { cat said; return 1; }
	# the kernel ends the events of a process that starts such a program, but not those of CPUs
	./suid forever >/dev/null &
	pid=$!
	"$ASSAY" record -q -a -o all.data --for 0.5s
	kill -9 $pid
	"$ASSAY" report --csv --no-children -g none --sort comm,sym all.data | grep -q ',suid,suid_spins'
}

@test "files of --ring take no name that another user has prepared" {
	mkdir shared victim
	chmod 1777 shared
	echo secret >victim/file
	for n in 001 002 003; do ln -s "$PWD/victim/file" "shared/r.data.$n"; done
	ln -s "$PWD/victim/made" shared/r.data.004
	chown -h 12345 shared/r.data.*
	"$ASSAY" record --no-report --ring 400ms -o shared/r.data -- sh -c 'while :; do :; done' 2>said &
	pid=$!
	sleep 1
	kill -USR2 $pid
	waits_for grep -q SIGUSR2 said
	kill -INT $pid
	wait $pid || true
	[ "$(cat victim/file)" = secret ]
	[ ! -e victim/made ]
	file=$(sed -n 's/.*\(shared\/r.data.[0-9]*\): .*SIGUSR2.*/\1/p' said)
	[ -f "$file" ] && [ ! -L "$file" ] || { cat said; ls -l shared; return 1; }
	[ "$(stat -c %u "$file")" -eq 0 ]
	"$ASSAY" info "$file" >/dev/null
}

@test "killed with the command: an earlier recording stays, and nothing goes on" {
	"$ASSAY" record -q -o r.data -- true
	sum=$(md5sum <r.data)
	"$ASSAY" record --no-report --ring 5s -o r.data -- sh -c 'echo $$ >target; while :; do :; done' 2>/dev/null &
	pid=$!
	waits_for [ -s target ]
	sleep 0.5
	kill -9 $pid "$(cat target)"
	wait $pid || true
	[ "$(md5sum <r.data)" = "$sum" ]
	"$ASSAY" record -q -o next.data -- true
}

@test "a device that a process has mapped is not opened" {
	[ "$(uname -m)" = x86_64 ] || skip "machine code of x86-64"
	command -v strace >/dev/null || skip "no strace"
	cat >device.c <<-'C'
		#include <fcntl.h>
		#include <string.h>
		#include <sys/mman.h>
		static const unsigned char code[] = { 0x89, 0xf8, 0xff, 0xc8, 0x75, 0xfc, 0xc3 };
		int main(void)
		{
			void *p = mmap(0, 4096, 7, MAP_PRIVATE, open("/dev/zero", O_RDWR), 0);
			memcpy(p, code, sizeof(code));
			for (;;) ((int (*)(int))p)(1000000);
		}
	C
	cc -O1 -o device device.c || skip "no compiler"
	./device &
	pid=$!
	sleep 0.2
	strace -f -e trace=open,openat -o calls "$ASSAY" record -q -o m.data -p $pid --for 0.3s || true
	kill -9 $pid
	[ -s m.data ]
	# its place is looked at, without opening it
	grep -q '"/dev/zero".*O_PATH' calls
	! grep '"/dev/zero"' calls | grep -v O_PATH || return 1
}

@test "10 000 threads are recorded: of a command, and of a process with few descriptors left" {
	cat >threads.c <<-'C'
		#include <pthread.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <unistd.h>
		static pthread_barrier_t all;
		static void *waits(void *a) { pthread_barrier_wait(&all); return a; }
		__attribute__((noinline)) void threads_spin(unsigned long n)
		{ for (unsigned long i = 0; i < n; i++) __asm__ volatile("" : "+r"(i)); }
		int main(int n, char **args)
		{
			int wanted = atoi(args[1]), i;
			pthread_attr_t small;
			pthread_t t;
			pthread_attr_init(&small);
			pthread_attr_setstacksize(&small, 16384);
			pthread_barrier_init(&all, NULL, wanted + 1);
			for (i = 0; i < wanted; i++)
				if (pthread_create(&t, &small, waits, NULL) != 0)
					return 3;
			puts("made"); fflush(stdout);
			do threads_spin(200000000); while (n > 2);
			pthread_barrier_wait(&all);
			return 0;
		}
	C
	cc -O1 -pthread -o threads threads.c || skip "no compiler"
	# one process: no limit of processes is near
	./threads 10000 >out || skip "no 10000 threads here"
	timeout 60 "$ASSAY" record -q -o c.data -- ./threads 10000 >out
	grep -qx made out
	"$ASSAY" report --csv --no-children -g none --sort comm,sym c.data | grep -q ',threads,threads_spin'
	./threads 10000 forever >out 3>&- &
	pid=$!
	waits_for grep -qx made out
	(ulimit -n 1024 && timeout 60 "$ASSAY" record --no-report -o p.data -p $pid --for 1s 2>said) || bad=1
	kill -9 $pid
	[ -z "${bad:-}" ] || { cat said; return 1; }
	"$ASSAY" report --csv --no-children -g none --sort comm,sym p.data >p.csv
	grep -q ',threads,threads_spin' p.csv
	[ "$(cut -d, -f6 p.csv | grep -cvx 'comm\|threads')" -eq 0 ] || { cat p.csv; return 1; }
}
