#!/usr/bin/env bats
bats_require_minimum_version 1.5.0
load assay.bash

busy='i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done'

@test "a command is recorded, shown, and its exit status passed on" {
	needs_rights -- true
	run --separate-stderr "$ASSAY" record -- sh -c "$busy; exit 7"
	[ "$status" -eq 7 ]
	[[ $output == perf.data*"perf-data"* ]]
	[[ $stderr == *"perf.data: "*" samples of "* ]]
	"$ASSAY" info --json perf.data | is_json
}

@test "what was there before becomes FILE.old" {
	needs_rights -- true
	"$ASSAY" record -q -o a.data -- sh -c "$busy"
	cp a.data first
	"$ASSAY" record -q -o a.data -- true
	cmp first a.data.old
	[ "$(head -c 8 a.data)" = PERFILE2 ]
}

@test "a command that is not there is a sentence and the shell's exit status" {
	needs_rights -- true
	rm -f probe.data
	run -127 --separate-stderr "$ASSAY" record -- ./no-such-command
	[ -z "$output" ]
	[ "$stderr" = "assay: ./no-such-command: no such command" ]
	[ ! -e perf.data ]
	: >plain
	run -126 --separate-stderr "$ASSAY" record -- ./plain
}

@test "a signal's exit status is the shell's" {
	needs_rights -- true
	run "$ASSAY" record -q -- sh -c 'kill -KILL $$'
	[ "$status" -eq 137 ]
}

@test "without a target, or with two, nothing is recorded" {
	fails 2 record
	[[ $stderr == *"nothing to record; name a command"* ]]
	fails 2 record -a -- true
	fails 2 record -a -p 1
	fails 2 record -F 99 -c 1000 -- true
	fails 2 record --for 10x -- true
	fails 2 record --max-size big -- true
	fails 2 record --call-graph lbrs -- true
	[ ! -e perf.data ]
}

@test "chains of branch records are recorded, or a sentence says that the machine has none" {
	needs_rights -- true
	run --separate-stderr "$ASSAY" record --no-report -o lbr.data --call-graph lbr -- sh -c "$busy"
	if [ "$status" -eq 0 ]; then
		"$ASSAY" report lbr.data | grep -q 'Call chains'
	else
		[[ $stderr == "assay: --call-graph lbr: this machine records no branches in call-stack mode"* ]]
		[ "$(printf '%s\n' "$stderr" | wc -l)" -eq 1 ]
		[ ! -e lbr.data ]
	fi
	fails 2 record --call-graph lbr --all-kernel -- true
	[[ $stderr == *"callers in user space, which --all-kernel excludes"* ]]
}

@test "an event that is not there is named" {
	needs_rights -- true
	fails 1 record -e no-such-event -- true
	[[ $stderr == *"there is no event 'no-such-event'"* ]]
}

@test "a process that is not there is named" {
	needs_rights -- true
	fails 1 record -p 4194000
	[ "$stderr" = "assay: there is no process 4194000" ]
}

@test "--for ends it, and the command with it" {
	needs_rights -- true
	run --separate-stderr timeout 20 "$ASSAY" record --no-report --for 300ms -- sleep 60
	[ "$status" -eq 0 ]
	[[ $stderr == *"time is over"* ]]
}

@test "SIGINT leaves a whole file" {
	needs_rights -- true
	# it has used enough CPU time to be sampled, however busy the machine is
	"$ASSAY" record -q -o int.data -- sh -c 'i=0
		while [ $i -lt 200000 ]; do i=$((i + 1)); done
		: >started
		while :; do :; done' &
	pid=$!
	waits_for [ -e started ]
	kill -INT $pid
	wait $pid || true
	run --separate-stderr "$ASSAY" info int.data
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
}

@test "what is lost is counted: with what was written it is what the kernel counted" {
	needs_rights -- true
	cat >faults.c <<-'C'
		#include <linux/perf_event.h>
		#include <stdio.h>
		#include <string.h>
		#include <sys/mman.h>
		#include <sys/resource.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		#define PAGES 20000
		/* page faults that the kernel counted from here on, and before */
		int main(void)
		{
			struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(a),
						     .config = PERF_COUNT_SW_PAGE_FAULTS };
			struct rusage u;
			long long n = 0;
			char *p;
			int fd;
			getrusage(RUSAGE_SELF, &u);
			fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, 0);
			p = mmap(NULL, PAGES * 4096UL, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			madvise(p, PAGES * 4096UL, MADV_NOHUGEPAGE);
			for (int k = 0; k < 5; k++) {
				for (long i = 0; i < PAGES; i++)
					p[i * 4096] = 1;
				madvise(p, PAGES * 4096UL, MADV_DONTNEED);
			}
			if (read(fd, &n, sizeof(n)) != sizeof(n))
				return 1;
			printf("%lld %ld\n", n, u.ru_minflt + u.ru_majflt);
			return 0;
		}
	C
	cc -O1 -o faults faults.c || skip "no compiler"
	local i lost=0
	for ((i = 0; i < 5 && lost == 0; i++)); do # until 8 kB were not enough
		"$ASSAY" record -q -e page-faults -c 1 --buffer 8K -o faults.data -- ./faults >counted
		lost=$("$ASSAY" report --json faults.data | python3 -c '
import json, sys
counted, before = map(int, open("counted").read().split())
c = json.load(sys.stdin)["captures"][0]
total = c["samples"] + c["lost"]
# of those before main() some are from before the program was there
assert counted <= total <= counted + before, (c["samples"], c["lost"], counted, before)
print(c["lost"])')
	done
	[ "$lost" -gt 0 ]
}

@test "frame pointers, dumped stacks, no chains, compression: all can be read back" {
	needs_rights -- true
	for options in "" "--call-graph dwarf" "--call-graph no" "-c 1000000" "-F 99" \
		"--all-user" "--no-inherit" "--namespaces"; do
		# 99 Hz needs well above 10 ms of CPU time for one sample
		# shellcheck disable=SC2086 # several words
		"$ASSAY" record -q -o o.data $options -- sh -c "${busy/20000/200000}"
		run --separate-stderr "$ASSAY" report --csv o.data
		[ "$status" -eq 0 ]
		[ -z "$stderr" ]
	done
}

@test "time off the CPU: a sleep has its length, and an interrupt ends it" {
	needs_rights --off-cpu -- true
	local try waker=interrupt # not i, which 'run' changes
	# some kernels leave out what an idle CPU does, now and then: then nobody is known to have woken it;
	# and a busy machine may wake it late
	for try in 1 2 3 4 5; do
		"$ASSAY" record -q --off-cpu -o w.data -- sleep 0.4
		run --separate-stderr "$ASSAY" report --off-cpu --no-children --json --sort comm,waker,wait w.data
		[ "$status" -eq 0 ] || skip "$stderr"
		[[ $output != *perf-data-switch-records* ]] || waker=-
		python3 -c '
import json, sys
rows = json.load(sys.stdin)["captures"][0]["rows"]
row = next(r for r in rows if r["comm"] == "sleep" and r["wait"] == "blocked")
assert 400e6 <= row["weight"] and row["waker"] in (sys.argv[1], "-"), row
sys.exit(0 if row["weight"] <= 440e6 and row["waker"] == sys.argv[1] else 3)' "$waker" <<<"$output" && break
		[ $? -eq 3 ]
		try=none
	done
	[ "$try" != none ]
	run "$ASSAY" w.data
	[[ $output == *"On and off the CPU"* ]]
	[ "$waker" = interrupt ] || skip "no tracepoints on this machine: who wakes it is not recorded"
	# what only serves to compute waits is no row of others' time
	run --separate-stderr "$ASSAY" report w.data
	[[ $output != *sched_waking* && $output != *swapper* ]]
	run --separate-stderr "$ASSAY" report --event sched:sched_waking w.data
	[[ $output == *sched_waking* ]]
}

@test "--off-cpu shows a process that never ran: how long and where it is blocked" {
	needs_rights --off-cpu -- true
	[ "$(id -u)" -eq 0 ] || skip "/proc/PID/stack is for root"
	sleep 60 &
	local pid=$!
	sleep 0.1
	"$ASSAY" record -q --off-cpu --for 1s -o still.data -p "$pid"
	kill "$pid"
	run --separate-stderr "$ASSAY" report --off-cpu --no-children --json --sort pid,comm,state,sym still.data
	[ "$status" -eq 0 ] || skip "$stderr"
	python3 -c '
import json, sys
rows = json.load(sys.stdin)["captures"][0]["rows"]
assert len(rows) == 1, rows
row = rows[0]
assert row["comm"] == "sleep" and row["state"] == "S" and str(row["pid"]) == sys.argv[1], row
# on a busy machine the recorder needs a part of the second to look at the process first
assert "nanosleep" in row["symbol"] and 500e6 < row["weight"] < 3e9, row' "$pid" <<<"$output"
}

@test "--off-cpu of a recording without switches is a sentence" {
	needs_rights -- true
	"$ASSAY" record -q -o plain.data -- sh -c "$busy"
	fails 1 report --off-cpu plain.data
	[[ $stderr == *"no context switches recorded"* ]]
}

@test "chains of a static program are whole" {
	printf 'volatile long n;\nint main(void) { while (n < 100000000) n++; }\n' >still.c
	cc -O1 -fno-omit-frame-pointer -static -o still still.c || skip "no static libc"
	needs_rights -- true
	"$ASSAY" record -q -o s.data -- ./still >/dev/null
	run "$ASSAY" explain --rule broken-chains s.data
	# a sample may fall into the few instructions before main() has a frame
	[[ $output =~ broken-chains:\ [0-2]\.[0-9]\ % ]]
}

@test "chains by frame pointers say where they may miss the direct caller, and that none is there" {
	cat >dup.c <<-'END'
		#include <string.h>
		char text[2][16384];
		volatile unsigned long n;
		__attribute__((noinline)) void has_dup(void) { n += memcmp(text[0], text[1], n % 2 + 16000) == 0; }
		__attribute__((noinline)) void check_all(void) { for (int i = 0; i < 250; i++) has_dup(); n++; }
		int main(void) { for (int i = 0; i < 20000; i++) check_all(); return n == 0; }
	END
	cc -O2 -fno-builtin -fno-omit-frame-pointer -o framed dup.c || skip "no compiler"
	cc -O2 -fno-builtin -fomit-frame-pointer -o frameless dup.c
	[ "$(uname -m)" = x86_64 ] || skip "the functions of this machine's C library may have frames"
	needs_rights -- true
	"$ASSAY" record -q --all-user --call-graph fp -o framed.data -- ./framed >/dev/null
	"$ASSAY" record -q --all-user --call-graph fp -o frameless.data -- ./frameless >/dev/null
	"$ASSAY" record -q --all-user --call-graph dwarf -o dwarf.data -- ./framed >/dev/null
	told() {
		"$ASSAY" "$@" | tr -s ' \n' ' '
	}
	run told report framed.data
	[[ $output == *"samples are in functions without a frame (mainly "* ]]
	[[ $output != *"Callers are missing"* ]]
	run told explain framed.data
	[[ $output != *"called by check_all"* && $output == *"perf record --call-graph dwarf: who calls "* ]]
	[[ $output != *"check_all accounts for"* ]]
	run told report frameless.data
	[[ $output == *"Callers are missing in "*"(none except main, "*"--call-graph dwarf"* ]]
	run told report dwarf.data
	[[ $output != *"without a frame"* && $output != *"Callers are missing"* ]]
	run told explain dwarf.data
	[[ $output == *"called by has_dup"* ]]
}

# Share of the samples in a function whose caller is another one, in percent: FILE FUNCTION CALLER
called_from() {
	"$ASSAY" convert --to folded "$1" | awk -v f="$2" -v by="$3" '
		{ n = $NF; sub(/ [0-9]+$/, ""); k = split($0, a, ";") }
		a[k] == f { all += n; right += a[k - 1] == by ? n : 0 }
		END { print all ? int(100 * right / all) : -1 }'
}

@test "by default callers are right without frame pointers, and the file is small" {
	needs_rights -- true
	[ "$(uname -m)" = x86_64 ] || skip "written for x86-64"
	cat >calls.c <<-'END'
		volatile long n;
		__attribute__((noinline)) void leaf(void) { for (int i = 0; i < 100; i++) n++; }
		__attribute__((noinline)) long right(long k) { leaf(); return k + 1; }
		__attribute__((noinline)) long above(long k) { return right(k) * 3; }
		int main(void) { long k = 0; for (int i = 0; i < 2000000; i++) k += above(i); return k == 1; }
	END
	cc -O2 -fomit-frame-pointer -o calls calls.c || skip "no compiler"
	cc -O2 -fomit-frame-pointer -static -s -o stripped calls.c || cp calls stripped
	cc -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fno-asynchronous-unwind-tables \
		-o framed calls.c
	for program in calls framed; do
		"$ASSAY" record -q --all-user -o $program.data -- ./$program
		[ "$(called_from $program.data leaf right)" -ge 98 ]
		[ "$(called_from $program.data right above)" -ge -1 ]
		[ "$("$ASSAY" report --csv --no-children --sort sym $program.data | grep -c 0x)" -le 1 ]
	done
	"$ASSAY" record -q --all-user -o stripped.data -- ./stripped
	# leaf, right, above, main, two of the C library, _start
	"$ASSAY" convert --to folded stripped.data | awk '
		{ all += $NF; deep += split($0, a, ";") >= 7 ? $NF : 0 } END { exit deep < 0.9 * all }'
	"$ASSAY" record -q --all-user --call-graph dwarf -o dwarf.data -- ./calls
	[ "$(stat -c %s dwarf.data)" -gt $((10 * $(stat -c %s calls.data))) ]
	run "$ASSAY" report calls.data
	[[ $output == *"Call chains (unwound): "*" % whole, "* ]]
	[[ $output != *"without a frame"* && $output != *"no code can be"* ]]
}

@test "--max-size is the size of the file, or refused before the command runs" {
	needs_rights -- true
	for size in 60 100; do
		"$ASSAY" record --no-report --max-size ${size}K -o m.data -- sh -c 'i=0; while :; do i=$((i + 1)); done'
		bytes=$(stat -c %s m.data)
		[ "$bytes" -le $((size * 1024)) ]
		[ "$bytes" -ge $((size * 1024 * 97 / 100 - 1024)) ]
		"$ASSAY" report --json m.data | python3 -c '
import json, sys
c = json.load(sys.stdin)["captures"][0]
assert c["samples"] > 100 and not c["skipped"], (c["samples"], c["skipped"])'
	done
	fails 2 record --no-report --max-size 1K -o n.data -- sh -c 'echo ran >ran'
	[[ "$stderr" == *"--max-size is too small: this recording needs "*"K before its first sample"* ]]
	[ ! -e ran ]
	[ ! -e n.data ]
	least=$(sed -n 's/.* needs \([0-9]*K\) before.*/\1/p' <<<"$stderr")
	"$ASSAY" record --no-report --max-size "$least" -o n.data -- true
	[ -s n.data ]
}

@test "--off-cpu without tracepoints takes switch records, and says so" {
	needs_rights -- true
	[ "$(id -u)" -eq 0 ] || skip "not root, who may read tracefs"
	command -v setpriv >/dev/null || skip "no setpriv"
	mkdir theirs
	chmod 777 . theirs
	cp "$ASSAY" theirs/
	cd theirs
	setpriv --reuid 65534 --regid 65534 --clear-groups ./assay record --no-report --off-cpu -o w.data -- \
		sh -c 'sleep 0.3; i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done' 2>said || skip "nobody may not record"
	grep -q "waits are recorded without stacks, reasons and holders: " said
	"$ASSAY" report --off-cpu --json w.data | python3 -c '
import json, sys
c = json.load(sys.stdin)
assert "perf-data-switch-records" in [s["counter"] for s in c["captures"][0]["skipped"]], c["captures"][0]["skipped"]
blocked = max(t["unknown"] for t in c["waits"][0]["times"])
assert 290e6 < blocked < 3e9, blocked'
}

@test "smaller buffers than wanted are written before they are full" {
	needs_rights -- true
	[ "$(id -u)" -eq 0 ] || skip "not root, which may lock what it likes"
	command -v setpriv >/dev/null || skip "no setpriv"
	printf 'volatile long n;\nint main(void) { while (n < 1500000000) n++; }\n' >spins.c
	cc -O1 -o spins spins.c || skip "no compiler"
	mkdir theirs
	chmod 777 . theirs
	cp "$ASSAY" spins theirs/
	cd theirs
	setpriv --reuid 65534 --regid 65534 --clear-groups ./assay record -q --all-user -o s.data -- ./spins ||
		skip "nobody may not record"
	"$ASSAY" report --json s.data | python3 -c '
import json, sys
c = json.load(sys.stdin)["captures"][0]
assert c["lost"] < 0.2 * c["samples"], (c["lost"], c["samples"])'
}

@test "an assembly leaf without call frame information has the caller that called it" {
	needs_rights -- true
	[ "$(uname -m)" = x86_64 ] || skip "written for x86-64"
	cat >leaf.s <<-'END'
		.globl bare
		.type bare, @function
		bare: mov $100, %ecx
		1: dec %ecx
		jnz 1b
		ret
		.size bare, . - bare
		.globl pushes
		.type pushes, @function
		pushes: push %rbx
		mov $100, %ecx
		1: dec %ecx
		jnz 1b
		pop %rbx
		ret
		.size pushes, . - pushes
		.section .note.GNU-stack,"",@progbits
	END
	cat >calls.c <<-'END'
		void bare(void), pushes(void);
		volatile long n;
		__attribute__((noinline)) void one(void) { bare(); n++; }
		__attribute__((noinline)) void two(void) { pushes(); n++; }
		int main(void) { for (int i = 0; i < 2000000; i++) { one(); two(); } return 0; }
	END
	cc -O2 -o leaf calls.c leaf.s || skip "no compiler"
	"$ASSAY" record -q --all-user -o leaf.data -- ./leaf
	[ "$(called_from leaf.data bare one)" -ge 98 ]
	[ "$(called_from leaf.data pushes two)" -ge 98 ]
}

@test "a program that was built anew is noticed, with ids in maps, in the header, and read of what ran before" {
	needs_rights -- true
	printf 'volatile long n;\nint main(void) { while (n < 3000000000) n++; }\n' >anew.c
	cc -O1 -Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567 -o anew anew.c || skip "no build ids"
	"$ASSAY" record -q --for 600ms -o maps.data -- ./anew
	"$ASSAY" record -q --for 600ms --no-buildid-mmap -o header.data -- ./anew
	./anew &
	pid=$!
	"$ASSAY" record -q --for 600ms -p $pid -o before.data
	# on a busy machine it ends while the recorder still reads names
	kill $pid 2>kill.log || true
	for file in maps header before; do
		run "$ASSAY" report --csv --no-children --sort dso,sym $file.data
		[[ $output == *anew,main* ]] || { echo "$file.data: $output"; return 1; }
	done
	# beside a recording with ids in maps the kernel may leave its flag in maps without ids
	if command -v python3 >/dev/null; then
		python3 - header.data leaked.data "$PWD/anew" <<-'EOF'
			import sys
			data = bytearray(open(sys.argv[1], "rb").read())
			at = data.index(sys.argv[3].encode()) - 72
			assert data[at] == 10  # PERF_RECORD_MMAP2
			data[at + 5] |= 1 << 6  # PERF_RECORD_MISC_MMAP_BUILD_ID
			open(sys.argv[2], "wb").write(data)
			data[at + 40] = 8  # the major number of a disk: as the size of an id
			open(sys.argv[2] + "8", "wb").write(data)
		EOF
		for file in leaked.data leaked.data8; do
			run "$ASSAY" report --csv --no-children --sort dso,sym $file
			[[ $output == *anew,main* ]] || { echo "$file: $output"; return 1; }
		done
	fi
	cc -O1 -Wl,--build-id=0xffff456789abcdef0123456789abcdef01234567 -o anew anew.c
	for file in maps header before; do
		run "$ASSAY" report --csv --no-children --sort dso,sym $file.data
		[[ $output != *anew,main* ]]
	done
}

# A control group of this test's own for perf events; $group is its folder.
makes_group() {
	local root
	root=$(awk '$0 ~ / - cgroup .*,perf_event/ { print $5; exit }' /proc/self/mountinfo)
	[ -n "$root" ] || root=$(awk '$0 ~ / - cgroup2 / { print $5; exit }' /proc/self/mountinfo)
	group=$root/assay-record-$$
	[ -n "$root" ] && mkdir "$group" 2>/dev/null || skip "no control group can be made here"
}

# Run a busy loop in the group $1 as program $2.
runs_in() {
	cp "$(readlink -f "$(command -v sh)")" "$2"
	(echo 0 >"$1/cgroup.procs" && exec ./"$2" -c ': >'"$2"'.runs; i=0
		while [ $i -lt 40000000 ]; do i=$((i+1)); done') 3>&- &
	pids+=" $!"
	waits_for [ -e "$2.runs" ]
}

@test "--cgroup records the processes of a group and of those below it, and no other" {
	needs_rights -a --for 10ms
	makes_group
	mkdir "$group/in" "$group/in/below" "$group/out"
	pids=
	runs_in "$group/in" inside
	runs_in "$group/in/below" below
	runs_in "$group/out" outside
	name=$(basename "$group")
	"$ASSAY" record -q --for 700ms --cgroup "$name/in" -o in.data
	"$ASSAY" record -q --for 700ms --cgroup "$name/in" --off-cpu -o wall.data
	"$ASSAY" record -q --for 700ms --cgroup "$group" --cgroup "$group/out" -o all.data
	run --separate-stderr "$ASSAY" record -q --for 1s --cgroup "${name}x" -o none.data
	kill $pids
	wait $pids || true
	waits_for rmdir "$group/in/below" "$group/in" "$group/out" "$group"
	[ "$status" -eq 1 ] && [[ $stderr == *"did you mean $name?" ]] && [ ! -e none.data ]
	comms=$("$ASSAY" report --csv --no-children --sort comm in.data)
	[[ $comms == *inside* && $comms == *below* && $comms != *outside* ]] || { echo "$comms"; return 1; }
	[ "$(wc -l <<<"$comms")" -eq 3 ]
	# three that run on two CPUs: at least one of the two shares its CPU
	if "$ASSAY" --version | grep -q 'with .*traceevent'; then
		run "$ASSAY" report --csv --no-children --sort comm --off-cpu wall.data
		[[ ($output == *inside* || $output == *below*) && $output != *outside* ]] || { echo "$output"; return 1; }
	fi
	# maps of what ran before are read, so that addresses have objects
	run "$ASSAY" report --csv --no-children --sort dso in.data
	[[ $output == *inside* && $output != *unknown* ]]
	comms=$("$ASSAY" report --csv --no-children --sort comm all.data)
	[[ $comms == *inside* && $comms == *below* && $comms == *outside* ]]
}

@test "--all-cgroups and --namespaces tell the groups and namespaces of what ran before, too" {
	needs_rights -a --for 10ms
	makes_group
	pids=
	runs_in "$group" inside
	name=$(basename "$group")
	"$ASSAY" record -q -a --for 500ms --all-cgroups --namespaces -o all.data
	"$ASSAY" record -q --for 300ms --all-cgroups --namespaces -o own.data -- sh -c "$busy"
	kill $pids
	wait $pids || true
	waits_for rmdir "$group"
	run "$ASSAY" report --csv --no-children --sort comm,cgroup all.data
	[[ $output == *"inside,/$name"* ]]
	ino=$(stat -L -c %i /proc/self/ns/cgroup)
	for file in all own; do
		run "$ASSAY" report --csv --no-children --sort cgroup_id,namespaces $file.data
		[[ $output == *"/0x$(printf %x "$ino"),"* ]]
		[[ $output == *initial* || $output == *:40* ]]
	done
	run "$ASSAY" report --csv --no-children --sort cgroup own.data
	[[ $output == */* ]]
}

@test "a control group excludes a command, a process and --graph" {
	fails 2 record --cgroup x -- true
	fails 2 record --unit x -p 1
	fails 2 record --container x --graph vfs_read
	[[ $stderr == *"--graph traces processes"* ]]
	fails 2 record --cgroup '' --for 1s
	[ ! -e perf.data ]
}

@test "few samples ask for a higher rate or a longer time, in one line" {
	needs_rights -- true
	run --separate-stderr "$ASSAY" record --no-report -F 49 -- sh -c "${busy/20000/400000}"
	[[ $stderr == *" sample"*"; ranking functions takes 400: record with -F "* ]]
	sh -c ': >started; i=0; while [ $i -lt 40000000 ]; do i=$((i+1)); done' 3>&- &
	pid=$!
	waits_for [ -e started ]
	run --separate-stderr "$ASSAY" record --no-report --for 200ms -F 199 -p $pid
	kill $pid
	[[ $stderr == *"; ranking functions takes 400: record with --for "*s* ]]
	run --separate-stderr "$ASSAY" record -q --no-report -F 49 -- sh -c "${busy/20000/400000}"
	[ -z "$stderr" ]
}

@test "the next step of a recording with few samples starts the same command, with its quotes" {
	needs_rights -- true
	"$ASSAY" record -q --no-report -o few.data -F 49 -- sh -c "${busy/20000/400000}; : it\\'s; :"
	run --separate-stderr "$ASSAY" explain --rule few-samples few.data
	# the rate depends on the number of samples, and so on the speed of the machine
	[[ ${output//$'\n'/ } =~ "perf record -F "[0-9]+" -g -- sh -c '" ]]
	[[ ${output//[$'\n' ]/} == *"':moresamples"* ]]
}

@test "a stripped C library has names for the functions that it chose for this machine" {
	local libc
	"$ASSAY" --version >/dev/null
	cat >equal.c <<-'C'
		#include <string.h>
		char text[2][4096];
		volatile unsigned long n;
		int main(void) { for (int i = 0; i < 6000000; i++) n += memcmp(text[0], text[1], 4000 + n % 2) == 0; return 0; }
	C
	cc -O1 -fno-builtin -o equal equal.c || skip "no compiler"
	libc=$(readlink -f "$(ldd ./equal | awk '/libc\.so\.6/ { print $3 }')")
	readelf -W --dyn-syms "$libc" 2>readelf.log | grep -q ' IFUNC .* memcmp@' || skip "memcmp() is not chosen at run time"
	ldd "$ASSAY" 2>ldd.log | grep -q libc.so.6 || skip "this program has its own C library"
	needs_rights -- true
	"$ASSAY" record -q --all-user -o e.data -- ./equal
	# below this root are no debug symbols
	mkdir -p root"$(dirname "$libc")" root"$PWD"
	cp "$libc" root"$libc"
	cp equal root"$PWD"
	"$ASSAY" report --no-children -g none -n --symfs root e.data >rows
	cat rows
	awk '$NF == "memcmp" && $1 > 80 { found = 1 } END { exit !found }' rows
}

@test "inlined functions of split debug information are shown, and a missing file of it is named" {
	needs_rights -- true
	"$ASSAY" --version | grep '^with ' | grep -qw dwarf || skip "this build reads no DWARF"
	cat >split.c <<'C'
volatile unsigned long sink;
static inline __attribute__((always_inline)) void mixed_in(unsigned long x)
{
	for (int i = 0; i < 100; i++)
		sink = sink * 31 + x;
}
__attribute__((noinline)) void around(unsigned long x)
{
	mixed_in(x);
}
int main(void)
{
	for (unsigned long i = 0; i < 300000; i++)
		around(i);
	return 0;
}
C
	cc -O2 -g -gsplit-dwarf -c split.c && cc -o split split.o && [ -e split.dwo ] || skip "no compiler that splits"
	"$ASSAY" record -q -o split.data -- ./split
	run -0 --separate-stderr "$ASSAY" report --inline --no-children split.data
	[[ $output == *mixed_in* ]]
	[[ $stderr != *dwo* ]]
	mv split.dwo elsewhere.dwo
	run -0 --separate-stderr "$ASSAY" report --inline --no-children split.data
	[[ $output != *mixed_in* && $output == *around* ]]
	[[ $output == *"no inlined functions, for lack of: "*/split.dwo* ]]
	[[ $stderr == *"compile units without inlined functions, since their .dwo or .dwp file is missing"*": 1" ]]
}
