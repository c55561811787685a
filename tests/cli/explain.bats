#!/usr/bin/env bats
bats_require_minimum_version 1.5.0
load assay.bash

# A profile that spins on a lock, as folded stacks.
spinning() {
	printf '%s\n' 'db;raid1_write_[k];_raw_spin_lock_irq_[k];native_queued_spin_lock_slowpath_[k] 700' \
		'db;crc32 300' >spinning.folded
}

@test "a finding says what, where, how sure and what next" {
	spinning
	run "$ASSAY" explain --rule lock-contention spinning.folded
	[ "$status" -eq 0 ]
	[[ "$output" == *"70.0 % of the profile is spinning on a lock"* ]]
	[[ "$output" == *"native_queued_spin_lock_slowpath 70.00 %"* ]]
	[[ "$output" == *"Confidence"* ]]
	[[ "$output" == *"Next"* ]]
}

@test "--fail-on exits with 3 from that severity on, and prints all the same" {
	spinning
	run --separate-stderr "$ASSAY" explain --rule lock-contention --fail-on warning spinning.folded
	[ "$status" -eq 3 ]
	[ -n "$output" ]
	[ -z "$stderr" ]
	run "$ASSAY" explain --rule lock-contention --fail-on error spinning.folded
	[ "$status" -eq 0 ]
	run "$ASSAY" explain --rule lock-contention --fail-on note small.folded
	[ "$status" -eq 0 ]
	run "$ASSAY" explain --rule lock-contention --fail-on warning -o out.txt spinning.folded
	[ "$status" -eq 3 ]
	grep -q 'spinning on a lock' out.txt
	fails 1 explain --fail-on note gone.folded
}

@test "JSON has the names of the contract" {
	spinning
	"$ASSAY" explain --json spinning.folded >out
	python3 - <<'PY'
import json
d = json.load(open("out"))
assert d["schema"] == "assay-explain-1"
assert d["quality"]["verdict"] and isinstance(d["quality"]["reasons"], list)
f = [f for f in d["findings"] if f["rule"] == "lock-contention"][0]
for key in ("rule", "title", "claim", "severity", "sure", "figures", "evidence", "cause", "next"):
    assert key in f, key
assert all({"name", "value", "err", "unit"} <= set(g) for g in f["figures"])
assert all({"path", "line", "text"} <= set(e) for e in f["evidence"])
assert "native_queued_spin_lock_slowpath" in f["evidence"][0]["text"]
assert all({"rule", "sentence"} <= set(c) for c in d["clean"])
assert all({"rule", "sentence", "to_find_out"} <= set(n) for n in d["not_assessed"])
PY
}

@test "SARIF has a run, its rules and a result with a line" {
	spinning
	"$ASSAY" explain --sarif --rule lock-contention spinning.folded >out
	python3 - <<'PY'
import json
d = json.load(open("out"))
assert d["version"] == "2.1.0"
run = d["runs"][0]
assert run["tool"]["driver"]["name"] == "assay"
assert [r["id"] for r in run["tool"]["driver"]["rules"]] == ["lock-contention"]
result = run["results"][0]
assert result["level"] == "warning" and result["message"]["text"]
place = result["locations"][0]["physicalLocation"]
assert place["artifactLocation"]["uri"] == "spinning.folded" and place["region"]["startLine"] == 1
PY
	fails 2 explain --sarif --json spinning.folded
}

# bats test_tags=once
@test "every rule has a page and is named by --list-rules" {
	run "$ASSAY" explain --list-rules
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -ge 2 ]
	for id in $("$ASSAY" explain --list-rules | cut -d' ' -f1); do
		run --separate-stderr "$ASSAY" explain --why "$id"
		[ "${lines[0]}" = "$id" ]
		[[ $output == *"Sources."* && $output != *'**'* && $output != *'](../'* ]]
	done
	fails 2 explain --why lock-contenton
	[[ $stderr == *"did you mean lock-contention; --list-rules lists the rules" ]]
	fails 2 explain --rule no-such-rule small.folded
	fails 2 explain --rule lock-contenton small.folded
	[[ $stderr == *"did you mean lock-contention; --list-rules lists the rules" ]]
}

@test "names of the input cannot act in findings" {
	printf 'db;a\033[31mb_[k];_raw_spin_lock_[k];native_queued_spin_lock_slowpath_[k] 9\n' >hostile.folded
	for words in "explain" "explain --sarif" "explain --json" ""; do
		# shellcheck disable=SC2086
		run --separate-stderr "$ASSAY" $words hostile.folded
		[ "$status" -eq 0 ]
		[[ "$output" != *$'\033'* ]]
	done
	"$ASSAY" explain --json hostile.folded | is_json
	"$ASSAY" explain --sarif hostile.folded | is_json
}
