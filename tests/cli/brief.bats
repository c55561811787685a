#!/usr/bin/env bats
# assay brief: never more than its budget, the same parts as JSON, a sentence for bad input.

bats_require_minimum_version 1.5.0
load assay

# Fails where standard input is longer than $1 tokens, or empty.
fits() {
	local bytes
	bytes=$(wc -c)
	[ "$bytes" -gt 0 ] && [ $(((bytes * 2 + 6) / 7)) -le "$1" ] || {
		echo "$bytes bytes for $1 tokens"
		return 1
	}
}

@test "no brief of a sample exceeds its budget" {
	local file tokens
	for file in "$ASSAY_SOURCE"/samples/*.txt; do
		for tokens in 100 101 500 2000 8000; do
			"$ASSAY" brief --tokens $tokens "$file" | fits $tokens
		done
	done
}

@test "no brief of 30 captures exceeds its budget" {
	[ -d "${ASSAY_SHARED:-}/corpus/given" ] || skip "needs the corpus"
	local n=0 file tokens
	find "$ASSAY_SHARED/corpus/given" -type f ! -name '*.md' | LC_ALL=C sort | awk 'NR % 7 == 0' >files
	while read -r file; do
		"$ASSAY" "$file" >/dev/null 2>&1 || continue
		for tokens in 100 2000; do
			"$ASSAY" brief --tokens $tokens "$file" 2>/dev/null | fits $tokens
		done
		n=$((n + 1))
		[ $n -lt 30 ] || break
	done <files
	[ $n -eq 30 ]
}

@test "all that fits is printed, and nothing is counted as left out" {
	"$ASSAY" brief --tokens 8000 small.folded >out
	grep -q '^60.0 .* c$' out
	fails_to grep -q 'Left out' out
}

@test "findings, shares with intervals, callers and what is left out" {
	"$ASSAY" brief --tokens 2000 "$ASSAY_SOURCE/samples/consensus-io_uring.perf-report.txt" >out
	grep -q '^1\. The event loop never sleeps' out
	grep -q '^26.76  26.4-27.1  .*syscall_exit_to_user_mode' out
	grep -q '^26.76  syscall_exit_to_user_mode ← do_syscall_64' out
	grep -q '^Left out: ' out
	grep -q 'assay report FILE$' out
}

@test "short text is passed on whole, without the marks of mail" {
	sed 's/^/> > /' small.folded >quoted.txt
	"$ASSAY" brief quoted.txt >out
	grep -q '^The whole text of quoted.txt$' out
	grep -qx 'main;a;b 3' out
	# too large for half of the budget
	for i in $(seq 300); do echo "main;a;function_$i $i"; done >long.folded
	"$ASSAY" brief long.folded >out
	fails_to grep -q '^The whole text' out
}

@test "callers of a function are merged, and branch where they differ" {
	printf 'main;%s;leaf %s\n' a 30 b 60 c 10 >callers.folded
	"$ASSAY" brief callers.folded >out
	grep -qx '100.0  leaf' out
	grep -qx '60.0    b ← main' out
	grep -qx '30.0    a ← main' out
}

@test "a share has an interval only where the number of samples is known" {
	"$ASSAY" brief small.folded >out
	fails_to grep -q '95 %' out
}

@test "two files are before and after" {
	printf 'main;a 900\nmain;b 100\n' >before.folded
	printf 'main;a 500\nmain;b 500\n' >after.folded
	"$ASSAY" brief before.folded after.folded >out
	"$ASSAY" diff before.folded after.folded >diff.out || [ $? -eq 3 ]
	# the verdict is that of assay diff, and the first line
	[ "$(head -1 out)" = "$(head -2 diff.out | paste -sd ' ')" ]
	grep -q '^A: before.folded' out
	"$ASSAY" brief before.folded after.folded small.folded >three
	fails_to grep -q '^A: ' three
}

@test "JSON has the parts of the text" {
	"$ASSAY" brief --json --tokens 500 "$ASSAY_SOURCE/samples/ovsdb-raft-mail.txt" >out.json
	"$ASSAY" brief --tokens 500 "$ASSAY_SOURCE/samples/ovsdb-raft-mail.txt" >out.txt
	python3 - <<-'END'
		import json
		d = json.load(open("out.json"))
		text = open("out.txt").read()
		assert d["schema"] == "assay-brief-1" and d["budget"] == 500, d
		assert d["tokens"] == -(-len(text.encode()) * 2 // 7), d["tokens"]
		kept = [line for p in d["parts"] for line in p.get("rows", []) + p.get("sentences", [])]
		assert kept and all(line + "\n" in text for line in kept)
		left = [p for p in d["parts"] if p["left_out"] and "rows" in p]
		assert left and all(p["command"].startswith("assay ") for p in left)
	END
}

@test "names of the input cannot act on a terminal" {
	printf 'main;\342\200\256red 3\nmain;ok 2\n' >hostile.folded
	"$ASSAY" brief hostile.folded >out
	fails_to grep -q "$(printf '\342\200\256')" out
	grep -q 'u202ered' out
}

@test "a budget that cannot hold anything, an empty file and a missing one: a sentence" {
	fails 2 brief --tokens 1 small.folded
	[[ $stderr == *"takes 100 to 8000, not 1"* ]]
	fails 2 brief --tokens 8001 small.folded
	: >empty
	fails 1 brief empty
	fails 1 brief missing
}
