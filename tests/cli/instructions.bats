#!/usr/bin/env bats
bats_require_minimum_version 1.5.0
load assay.bash

# The findings of a recording name the hot instruction and its line. The programs are built and
# recorded here, so that the files that ran are there.

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	cat >walk.c <<'C'
#include <stdlib.h>
struct stop { struct stop *next; long v; char pad[48]; };
__attribute__((noinline)) long ride(struct stop *n, long k)
{
	long hops = 0;
	while (n) {
		if (n->v == k) /* line 7 */
			break;
		n = n->next; /* line 9 */
		hops++;
	}
	return hops;
}
int main(void)
{
	enum { N = 200000 };
	struct stop *a = calloc(N, sizeof(*a));
	int *p = malloc(N * sizeof(*p));
	long s = 0;
	for (int i = 0; i < N; i++) p[i] = i;
	for (int i = N - 1; i > 0; i--) { int j = rand() % (i + 1), t = p[i]; p[i] = p[j]; p[j] = t; }
	for (int i = 0; i + 1 < N; i++) a[p[i]].next = &a[p[i + 1]];
	for (int i = 0; i < 60; i++) s += ride(&a[p[0]], 7 + i);
	return s == 1;
}
C
	cat >share.c <<'C'
__attribute__((noinline)) unsigned long shares(unsigned long n, unsigned long of)
{
	unsigned long sum = 0;
	for (unsigned long i = 1; i < 60; i++)
		sum += (n + sum) / (of + i); /* line 5 */
	return sum;
}
int main(int argc, char **argv)
{
	unsigned long s = 0;
	(void)argv;
	for (unsigned long i = 0; i < 900000; i++) s += shares(~i, (unsigned long)argc);
	return s == 1;
}
C
	{ cc -O2 -g -o walk walk.c && cc -O2 -g -o share share.c; } 2>cc.log || true
}

needs_programs() {
	needs_rights -- true
	[ -x "$BATS_FILE_TMPDIR/share" ] || skip "no C compiler here"
	"$ASSAY" --version | grep -q '^with .*disassembly' || skip "built without Zydis"
	[ "$(uname -m)" = x86_64 ] || skip "not an x86-64"
	cp "$BATS_FILE_TMPDIR/walk" "$BATS_FILE_TMPDIR/share" .
}

@test "a walk along pointers is named by its instruction and line" {
	needs_programs
	"$ASSAY" record -q -F 1000 -o walk.data -- ./walk
	run "$ASSAY" explain walk.data
	[ "$status" -eq 0 ]
	[[ ${output//$'\n'/ } == *"% of CPU time of ride is at an instruction that follows a pointer:"* ]]
	[[ $output == *"(walk.c:7)"* || $output == *"(walk.c:9)"* ]]
	[[ $output == *"[note, costly-instruction]"* ]]
	# the finding about the function gives way
	[[ $output != *"whether it computes or waits is not visible"* ]]
	run "$ASSAY" walk.data
	[[ $output == *"follows a pointer"* ]]
	[[ $output != *"captures"* ]]
}

@test "a division is named, and samples skid to the next instruction" {
	needs_programs
	"$ASSAY" record -q -F 1000 -o share.data -- ./share
	run "$ASSAY" explain share.data
	[[ $output == *"% of CPU time of shares is at an instruction that divides: 'div %"* ]]
	[[ $output == *"(share.c:5)"* ]]
	[[ $output == *"samples skid to the instruction after a slow one"* ]]
}

@test "another build of the program, or none, is not disassembled" {
	needs_programs
	"$ASSAY" record -q -F 1000 -o share.data -- ./share
	mv share kept
	run "$ASSAY" explain share.data
	[[ $output != *"costly-instruction"* ]]
	cp walk share
	run "$ASSAY" explain share.data
	[[ $output != *"costly-instruction"* ]]
	cp kept share
	run "$ASSAY" explain share.data
	[[ $output == *"costly-instruction"* ]]
}

@test "the listing is no capture of the recording" {
	needs_programs
	"$ASSAY" record -q -F 1000 -o walk.data -- ./walk
	[ "$("$ASSAY" info --json walk.data | grep -c '"kind"')" -eq 1 ]
	run "$ASSAY" report walk.data
	[[ $output != *"line by line"* ]]
	run "$ASSAY" convert --to folded walk.data
	[ "$status" -eq 0 ]
	[[ $output != *"rdi"* ]]
}

@test "comparing strings is named as such, not by a load of strcmp() or the jump of its PLT entry" {
	needs_programs
	cat >names.c <<-'C'
		#include <stdio.h>
		#include <string.h>
		static char names[3000][24];
		int main(void)
		{
			long n = 0;
			for (int i = 0; i < 3000; i++) snprintf(names[i], 24, "some/long/name/%d", i);
			for (int r = 0; r < 6; r++)
				for (int i = 0; i < 3000; i++)
					for (int k = 0; k < 3000; k++)
						n += strcmp(names[i], names[k]) == 0;
			return n == 1;
		}
	C
	cc -O1 -g -fno-omit-frame-pointer -o names names.c
	"$ASSAY" record -q -F 999 -o names.data -- ./names
	run -0 "$ASSAY" explain names.data
	[[ ${output//$'\n'/ } == *"is comparing keys and strings"* ]]
	[[ $output != *"costly-instruction]"* ]]
}
