#!/usr/bin/env bats
# labs/cases/score: answers to planted faults are judged by place and mechanism.

load assay

score() {
	"$ASSAY_SOURCE/labs/cases/score" --kept kept "$@"
}

# page ITEM SEVERITY CLAIM: the kept findings of one item
page() {
	printf '{"findings":[{"rule":"a-rule","severity":"%s","claim":"%s","figures":[],"evidence":[]}]}\n' \
		"$2" "$3" >"kept/$1.explain.json"
}

setup() {
	assay_setup
	cd "$BATS_TEST_TMPDIR" || exit 1
	mkdir kept
	page lock-convoy-before warning "lock contention in session_table::touch"
	page lock-convoy-after warning "worker takes 90 % of CPU time"
	page shared-line-before note "packets_classify is hot"
	page shared-line-after note "nothing"
	page healthy-go-live note "a remark"
}

@test "assay's answers: one cause of two, gone when mended, a quiet healthy service" {
	score --answers assay >answers.json
	run score answers.json
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"| assay | 1 of 2 ("*") | 1 of 2 ("*") | 2 of 2 ("*") | 1 of 1 ("*") | 0 of 2 ("*") | 1 of 1 ("* ]]
}

@test "a sure statement about a healthy program, and one elsewhere, count against an answer" {
	cat >answers.json <<-'J'
		{"name": "guess", "answers": {
		 "lock-convoy-before": ["lock contention in memcpy", {"text": "lock contention", "where": "worker"}],
		 "lock-convoy-after": [{"text": "lock contention in worker", "sure": false}],
		 "healthy-go-live": ["the network is slow"]}}
	J
	run score answers.json
	echo "$output"
	[[ "$output" == *"| guess | 0 of 2 ("*") | 1 of 2 ("*") | 1 of 2 ("*") | 0 of 1 ("*") | 1 of 2 ("*") | 0 of 1 ("* ]]
}

@test "only the first three statements count, and numbers of blind texts are looked up" {
	cat >answers.json <<-'J'
		{"name": "late", "key": {"001": "lock-convoy-before"}, "answers": {
		 "001": ["a", "b", "c", "lock contention in worker"]}}
	J
	run score answers.json
	[[ "$output" == *"| late | 0 of 2 ("*") | 0 of 2 ("* ]]
	sed -i 's/"c", //' answers.json
	run score answers.json
	[[ "$output" == *"| late | 0 of 2 ("*") | 1 of 2 ("* ]]
}

@test "the matrix says which rule found a cause, and where it warns otherwise" {
	run score --matrix
	echo "$output"
	[[ "$output" == *'| `a-rule` |  | lock-convoy | 1 of 1 | lock-convoy-after | 3 |'* ]]
	[[ "$output" == *'| `user-lock` | 0 of 1 | - |  | - | - |'* ]]
	[[ "$output" == *"1 rules are expected by 1 cases: 0 name the planted fault in each of theirs, 1 in none."* ]]
	sed -i 's/"a-rule"/"user-lock"/' kept/lock-convoy-before.explain.json
	run score --matrix
	[[ "$output" == *'| `user-lock` | 1 of 1 | lock-convoy | 1 of 1 | - | - |'* ]]
}

@test "blind texts have no names of cases; the key has them" {
	echo "worker at /x/labs/cases/lock-convoy/sessions.cpp:62" >kept/lock-convoy-before.txt
	score --blind out
	[ "$(ls out/blind)" = 001.txt ]
	[ "$(cat out/blind/001.txt)" = "worker at /x/labs/cases/case/sessions.cpp:62" ]
	grep -q lock-convoy-before out/key.json
}

@test "pairs: false differences of equal pairs, and kinds of evidence that are not compared" {
	printf '{"control":{"pair":"different","says":"x","rows":[]},"fix":{"pair":"different"},"load":2.5}' >kept/lock-convoy.pairs.json
	printf '{"control":{"pair":"equal"},"fix":{"pair":"cannot tell"},"load":0.5}' >kept/shared-line.pairs.json
	printf '{"control":{"pair":"not compared"},"load":1}' >kept/healthy-go.pairs.json
	run score --pairs
	[ "$status" -eq 0 ]
	[[ "$output" == *"| the same program twice | 2 | 1 of 2 ("*") | 1 | 0 | 1 |"* ]]
	[[ "$output" == *"| before and after the fix | 2 | 1 of 2 ("*") | 0 | 1 | 0 |"* ]]
	[[ "$output" == *"for each CPU meanwhile: 0.5 to 2.5, median 1.0."* ]]
	[[ "$output" == *'False differences: `lock-convoy`.'* ]]
	rm kept/*.pairs.json
	run score --pairs
	[ "$output" = "No pairs were recorded." ]
}

@test "a pair is different, equal, inconclusive or not compared, as diff says" {
	compare() {
		python3 -c 'import sys; sys.path.insert(0, sys.argv[1]); import control
print(control.compare(*sys.argv[2:])["pair"])' "$ASSAY_SOURCE/labs/cases" "$ASSAY" "$@"
	}
	printf 'main;a 9000\nmain;b 1000\n' >a.folded
	printf 'main;a 1000\nmain;b 9000\n' >b.folded
	printf 'main;a 9\nmain;b 1\n' >few.folded
	echo "prose" >prose.txt
	[ "$(compare a.folded a.folded)" = equal ]
	[ "$(compare a.folded b.folded)" = different ]
	[ "$(compare few.folded few.folded)" = "cannot tell" ]
	[ "$(compare prose.txt prose.txt)" = "not compared" ]
}
