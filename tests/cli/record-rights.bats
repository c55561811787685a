#!/usr/bin/env bats
bats_require_minimum_version 1.5.0
load assay.bash

# CAP_KILL alone, of a recorder of a command.
kill_alone=0000000000000020
none=0000000000000000
# CAP_DAC_READ_SEARCH, to unwind programs of all users.
read_alone=0000000000000004

sets='grep -E "^(CapEff|CapPrm|NoNewPrivs)" /proc/$PPID/status'

needs_root() {
	needs_rights -- true
	[ "$(sed -n 's/^CapEff:[ \t]*//p' /proc/self/status)" != "$none" ] || skip "no capabilities to give up"
}

@test "while a command is recorded, capabilities are given up, and it keeps its own" {
	needs_root
	run --separate-stderr "$ASSAY" record -o a.data -- sh -c "$sets; sed -n 's/^CapEff/own/p' /proc/self/status"
	[[ $output == *"CapEff:	$kill_alone"* ]]
	[[ $output == *"NoNewPrivs:	1"* ]]
	[[ $output == *"own:	$(sed -n 's/^CapEff:[ \t]*//p' /proc/self/status)"* ]]
}

@test "they are gone for good where nothing is shown afterwards" {
	needs_root
	# the last of them just after the command has begun
	"$ASSAY" record -q -o b.data -- sh -c "for i in \$(seq 300); do
		$sets | grep -q 'CapPrm:	$kill_alone' && exit; sleep 0.1; done; $sets; exit 1"
	"$ASSAY" record --no-report -a -o c.data --for 60s 2>/dev/null &
	pid=$!
	for ((i = 0; i < 200; i++)); do # on a busy machine it takes a while to begin
		if grep -q "CapEff:	$read_alone" /proc/$pid/status; then break; fi
		sleep 0.2
	done
	grep -q "CapEff:	$read_alone" /proc/$pid/status
	grep -q "CapPrm:	$read_alone" /proc/$pid/status
	kill -INT $pid
	wait $pid
	"$ASSAY" record --no-report -a --call-graph fp -o c.data --for 60s 2>/dev/null &
	pid=$!
	waits_for grep -q "CapEff:	$none" /proc/$pid/status
	grep -q "CapPrm:	$none" /proc/$pid/status
	kill -INT $pid
	wait $pid
}

@test "files of --ring are written without them, or with those that the folder takes" {
	needs_root
	"$ASSAY" record -q --ring 1s -o d.data -- sh -c "$sets" >sets
	grep -q "CapEff:	$kill_alone" sets
	[ -s d.data ]
	mkdir theirs
	chown 65534 theirs || skip "this user gives no folder away"
	chmod 700 theirs
	"$ASSAY" record -q --ring 1s -o theirs/d.data -- sh -c "$sets" >sets
	grep -q "CapEff:	000000000000002a" sets
	[ -s theirs/d.data ]
}

@test "the kernel's functions have their names on the front page" {
	needs_root
	grep -q ' T _text$' /proc/kallsyms || skip "no kernel symbols"
	[[ $(grep -m1 ' _text$' /proc/kallsyms) != 0000000000000000* ]] || skip "they are hidden"
	run "$ASSAY" record -o e.data -- sh -c 'i=0; while [ $i -lt 3000 ]; do i=$((i+1)); : </proc/self/stat; done'
	[[ $output == *"[k] "* ]]
	[[ $output != *"[k] 0x"* ]]
}

# A process with its own root folder and pid 1, as in a container: CMD...
contained() {
	exec unshare --mount --pid --fork --kill-child -- sh -c 'mount --bind "$0" "$0" && cd "$0" && pivot_root . old &&
		exec "$@"' "$PWD/inside" "$@"
}

# The root folder of a plain chroot is no mount point: no mount namespace can be made below it.
needs_namespaces() {
	unshare --mount --pid --fork true 2>unshare.log || skip "no namespaces"
}

teardown() {
	[ -z "${box:-}" ] || kill -9 "$box"
}

@test "programs of a container have their names, and what they compiled, too" {
	needs_root
	cat >busy.c <<-'END'
		#define _GNU_SOURCE
		#include <stdio.h>
		#include <string.h>
		#include <sys/mman.h>
		static const unsigned char code[] = { 0x89, 0xf8, 0xff, 0xc8, 0x75, 0xfc, 0xc3 };
		__attribute__((noinline)) static void busy_inside(void)
		{ for (volatile long i = 0; i < 1000000; i++) ; }
		int main(void)
		{
			void *p = mmap(0, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			FILE *f = fopen("/tmp/perf-1.map", "w");
			memcpy(p, code, sizeof(code));
			fprintf(f, "%lx 100 jit_inside\n", (unsigned long)p);
			fclose(f);
			for (;;) { busy_inside(); ((int (*)(int))p)(1000000); }
		}
	END
	[ "$(uname -m)" = x86_64 ] || skip "machine code of x86-64"
	mkdir -p inside/app inside/old inside/tmp
	cc -O1 -static -Wl,--build-id -o inside/app/busy busy.c || skip "no static libc"
	needs_namespaces
	contained /app/busy 3>&- &
	box=$!
	waits_for test -s inside/tmp/perf-1.map
	pid=$(pgrep -P "$box")
	[ -n "$pid" ] || skip "no namespaces"
	"$ASSAY" record -q -o box.data -p "$pid" --for 0.5s || skip "no samples"
	"$ASSAY" report --no-children -g none --sort sym box.data >named
	# a pipe in its place, a link, or a file of another user is not opened
	cp inside/tmp/perf-1.map inside/tmp/other.map
	rm inside/tmp/perf-1.map
	mkfifo inside/tmp/perf-1.map
	timeout 20 "$ASSAY" report --no-children -g none --sort sym box.data >pipe
	echo "0 ffffffffffffffff jit_outside" >outside.map
	ln -sf "$PWD/outside.map" inside/tmp/perf-1.map
	"$ASSAY" report --no-children -g none --sort sym box.data >link
	ln -sf other.map inside/tmp/perf-1.map
	"$ASSAY" report --no-children -g none --sort sym box.data >link-inside
	mv inside/tmp/other.map inside/tmp/perf-1.map
	"$ASSAY" report --no-children -g none --sort sym box.data >again
	chown 12345 inside/tmp/perf-1.map
	"$ASSAY" report --no-children -g none --sort sym box.data >other-user
	kill -9 "$box"
	box=
	grep -q busy_inside named
	grep -q jit_inside named
	grep -q busy_inside pipe
	[ "$(grep -c jit_ pipe)" -eq 0 ]
	[ "$(grep -c jit_ link)" -eq 0 ]
	[ "$(grep -c jit_ link-inside)" -eq 0 ]
	grep -q jit_inside again
	[ "$(grep -c jit_ other-user)" -eq 0 ]
}

@test "what a container compiled has the names of its dump, unless another file took its place" {
	needs_root
	cat >compiler.c <<-'END'
		#define _GNU_SOURCE
		#include <fcntl.h>
		#include <stdint.h>
		#include <string.h>
		#include <sys/mman.h>
		#include <unistd.h>
		static const unsigned char code[] = { 0x89, 0xf8, 0xff, 0xc8, 0x75, 0xfc, 0xc3 };
		struct { uint32_t magic, version, size, machine, pad, pid; uint64_t time, flags;
			 uint32_t id, total; uint64_t at; uint32_t p, t; uint64_t vma, start, bytes, index; char name[8];
		} dump = { 0x4a695444, 1, 40, 62, 0, 1, 0, 0, 0, 64, 1, 1, 1, 0, 0, 4096, 1, "dumped" };
		int main(void)
		{
			void *p = mmap(0, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			int fd = open("/tmp/jit-1.dump", O_CREAT | O_RDWR, 0600);
			memcpy(p, code, sizeof(code));
			dump.vma = dump.start = (uintptr_t)p;
			mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
			if (write(fd, &dump, sizeof(dump)) != sizeof(dump)) return 1;
			for (;;) ((int (*)(int))p)(1000000);
		}
	END
	[ "$(uname -m)" = x86_64 ] || skip "machine code of x86-64"
	mkdir -p inside/app inside/old inside/tmp
	cc -O1 -static -Wl,--build-id -o inside/app/compiler compiler.c || skip "no static libc"
	needs_namespaces
	contained /app/compiler 3>&- &
	box=$!
	waits_for test -s inside/tmp/jit-1.dump
	pid=$(pgrep -P "$box")
	[ -n "$pid" ] || skip "no namespaces"
	"$ASSAY" record -q -o box.data -p "$pid" --for 0.5s || skip "no samples"
	"$ASSAY" report --no-children -g none --sort sym box.data >named
	sed s/dumped/forged/ inside/tmp/jit-1.dump >forged
	rm inside/tmp/jit-1.dump
	cp forged inside/tmp/jit-1.dump
	"$ASSAY" report --no-children -g none --sort sym box.data >copy
	rm inside/tmp/jit-1.dump
	mkfifo inside/tmp/jit-1.dump
	timeout 20 "$ASSAY" report --no-children -g none --sort sym box.data >pipe
	kill -9 "$box"
	box=
	grep -q dumped named
	[ "$(grep -c 'dumped\|forged' copy)" -eq 0 ]
	[ "$(grep -c 'dumped\|forged' pipe)" -eq 0 ]
}
