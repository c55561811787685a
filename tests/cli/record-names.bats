#!/usr/bin/env bats
# Recordings that carry their names to another machine.
bats_require_minimum_version 1.5.0
load assay.bash

# does this build know the feature $1?
has_feature() {
	"$ASSAY" --version | grep '^with ' | grep -qw "$1"
}

# The machine "web7", whose kernel functions have names of their own. A program is there only.
setup_file() {
	export ELSEWHERE_LIB=${ELSEWHERE_LIB:-$BATS_TEST_DIRNAME/../../build/tests/libelsewhere.so}
	cd "$BATS_FILE_TMPDIR" || return 1
	sed -E 's/^([0-9a-f]+ [tTwW]) (_text$)?/\1 there_/; s/there_$/_text/' /proc/kallsyms >kallsyms
	cat >hot.c <<'C'
#include <stdint.h>
#include <unistd.h>
static inline uint64_t inlined_there(uint64_t x)
{
	for (int i = 0; i < 200; i++)
		x = x * 6364136223846793005u + 1;
	return x;
}
__attribute__((noinline)) uint64_t hot_there(uint64_t x)
{
	for (int i = 0; i < 20000; i++)
		x = inlined_there(x);
	return x;
}
int main(void)
{
	uint64_t x = 1;

	for (int i = 0; i < 60; i++) {
		x = hot_there(x);
		for (int k = 0; k < 2000; k++)
			(void)getppid();
	}
	return x == 0;
}
C
	cc -O2 -g -o hot hot.c 2>cc.log || true
}

there() {
	HOME=$BATS_FILE_TMPDIR LD_PRELOAD=$ELSEWHERE_LIB ELSEWHERE_HOST=web7 ELSEWHERE_KALLSYMS=$BATS_FILE_TMPDIR/kallsyms "$ASSAY" "$@"
}

needs_web7() {
	needs_rights -- true
	[ -e "$ELSEWHERE_LIB" ] || skip "nothing can be preloaded in this build"
	[ -x "$BATS_FILE_TMPDIR/hot" ] || skip "no C compiler here"
	grep -q '^0000000000000000 . there_' "$BATS_FILE_TMPDIR/kallsyms" && skip "kernel addresses are hidden"
	cp "$BATS_FILE_TMPDIR/hot" hot
	there record -q -o plain.data -- ./hot
	there convert --to perf-data -o named.data plain.data
	[ "$(stat -c %a named.data)" = 600 ]
}

@test "a recording with its names is the same on every machine" {
	local words
	needs_web7
	mkdir there here
	printf '%s\n' report "report --inline" "report --sort sym,srcline" "report -g caller" "explain --rule hot-*" \
		"convert --to folded" "convert --to perf-script" >all
	cp plain.data there/a.data
	cp named.data here/a.data
	while read -r words; do
		# shellcheck disable=SC2086 # several words
		(cd there && there $words a.data >"page $words")
	done <all
	mv hot moved
	while read -r words; do
		# shellcheck disable=SC2086 # several words
		(cd here && "$ASSAY" $words a.data >"page $words")
	done <all
	diff there here -x a.data
	"$ASSAY" report -n named.data >names
	cat names; 	grep -q '\[k\] there_' names
	grep -q '\[\.\] hot_there' names
	if has_feature dwarf; then
		"$ASSAY" report --inline named.data | grep -q 'inlined_there'
		"$ASSAY" report --sort srcline named.data | grep -q 'hot\.c:'
	fi
	# without the names of that machine there are none
	"$ASSAY" report -n plain.data >names
	fails_to grep -q 'there' names
}

@test "perf reads a recording with names" {
	command -v perf >/dev/null || skip "no perf here"
	needs_web7
	# perf prints rows with equal shares in any order, and draws branches by that order
	perf report --stdio -g none -n -i plain.data 2>plain.log | grep -v '^#' | sort >plain
	perf report --stdio -g none -n -i named.data 2>named.log | grep -v '^#' | sort >named
	[ -s plain ]
	cmp plain named
}

@test "files that the user names are used instead of the names in a recording" {
	needs_web7
	"$ASSAY" report -n --symfs / --kallsyms "$BATS_FILE_TMPDIR/kallsyms" named.data | grep -q 'there_'
	rm hot
	"$ASSAY" report -n --symfs /nowhere named.data >here
	fails_to grep -q 'hot_there' here
}

@test "a recording that cannot carry names is refused with the reason" {
	needs_web7
	fails 1 convert --to perf-data named.data
	[[ $stderr == *"already has its names"* ]]
	"$ASSAY" record -q --call-graph dwarf -o dwarf.data -- ./hot
	fails 1 convert --to perf-data -o new.data dwarf.data
	[[ $stderr == *"copies of stacks"*"--call-graph unwind"* ]]
	[ ! -e new.data ]
	fails 2 convert --to perf-data --comm hot plain.data
	[[ $stderr == *"one whole recording"* ]]
	fails 2 convert --to perf-data plain.data named.data
	fails 1 convert --to perf-data -o new.data small.folded
	[[ $stderr == *"only a recording"* ]]
}

@test "a damaged section of names is counted, and the recording is read without it" {
	needs_web7
	python3 - <<-'P'
		import struct
		with open("named.data", "rb") as f:
		    raw = bytearray(f.read())
		at, size = struct.unpack_from("<QQ", raw, 40)
		rows = sum(bin(b).count("1") for b in raw[72:104])
		names = max(struct.unpack_from("<QQ", raw, at + size + 16 * i) for i in range(rows))
		raw[names[0]] = 99
		with open("damaged.data", "wb") as f:
		    f.write(raw)
	P
	rm hot
	"$ASSAY" report -n damaged.data >here
	fails_to grep -q 'there' here
	"$ASSAY" info damaged.data | grep -q 'section'
}
