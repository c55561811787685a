#!/usr/bin/env bats
# labs/run: the labs that need no library, on a short run, and that nothing outlives a run.
load assay

setup() {
	assay_setup
	own=$((86400 + $$))
}

labs() {
	LAB_NO_BUILD=1 "$ASSAY_SOURCE/labs/run" --build "$(dirname "$ASSAY")" "$@"
}

needs_labs() {
	[ -x "$(dirname "$ASSAY")/labs/cage" ] || skip "built without the labs"
}

needs_cage() {
	needs_labs
	if labs --labs "$ASSAY_SOURCE/tests/data/labs" failing | grep -q 'all labs skipped'; then
		skip "no namespaces of our own here"
	fi
}

leaky() {
	LEAKY=$1 labs --labs "$ASSAY_SOURCE/tests/data/labs" leaky
}

# So many sleep as long as this run does, and no other test beside it.
sleepers() {
	[ "$(ps axo args | grep -cx "sleep $1")" "$2" "$3" ]
}

# Nothing named after the number of the run is there, in any way that the lab made it.
nothing_left() {
	waits_for sleepers "$1" -eq 0
	{ ip -o link; ip netns list; } >left
	fails_to grep leaky left
	fails_to ls -d /run/leaky"$1" /dev/shm/leaky"$1" "${TMPDIR:-/tmp}/leaky$1" 2>/dev/null
}

@test "a lab that is not there is a usage error and names those that are" {
	needs_labs
	run labs nosuch
	[ "$status" -eq 2 ]
	[[ "$output" == *"no lab 'nosuch'"*quadratic* ]]
}

@test "the list has the faults of the cases by symptom" {
	needs_labs
	run labs --list
	[ "$status" -eq 0 ]
	[[ "$output" == *$'\ncases\n'* ]]
	[[ "$output" == *"everything is idle: delayed-ack"* ]]
}

@test "every lab has a page, a run and an expectation" {
	for lab in "$ASSAY_SOURCE"/labs/*/run; do
		[ -f "$(dirname "$lab")/README.md" ]
		[ -f "$(dirname "$lab")/expected" ]
	done
}

@test "each fault has a symptom, a question with its answer, and a fix as a diff that applies" {
	run "$ASSAY_SOURCE/labs/cases/score" --fixes
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "every break of every lab is noticed, and every condition can fail" {
	for lab in "$ASSAY_SOURCE"/labs/*/run; do
		[ -f "$(dirname "$lab")/sabotage" ] || [[ "$lab" == */cases/run ]]
	done
	run "$ASSAY_SOURCE/labs/lib/sabotage.py"
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "each rule is asserted by a lab or has a reason why not" {
	run "$ASSAY_SOURCE/labs/lib/shown.py"
	echo "$output"
	[ "$status" -eq 0 ]
	mkdir -p src/explain docs
	cp -r "$ASSAY_SOURCE/src/explain/rules" src/explain
	cp -r "$ASSAY_SOURCE/docs/rules" docs
	cp -r "$ASSAY_SOURCE/labs" .
	sed -i '/^a case on this machine/,$d' labs/not-shown
	printf 'asserted, and no rule at all:\n\tuser-lock no-such-rule\n' >>labs/not-shown
	sed -i 's/^rules = .*/rules = ["no-such-lab-rule"]/' labs/cases/deadlock/case.toml
	run labs/lib/shown.py
	[ "$status" -eq 1 ]
	for problem in "module-imports: no lab, and no reason" "user-lock is asserted and has a reason why not" \
		"no rule or family no-such-rule" "no rule no-such-lab-rule, which a lab expects"; do
		[[ "$output" == *"  NOT $problem"* ]]
	done
}

# One lab, changed, of which sabotage.py must then say $1.
unnoticed() {
	run labs/lib/sabotage.py lock
	echo "$output"
	[ "$status" -eq 1 ]
	[[ "$output" == *"  NOT $1"* ]]
	cp "$ASSAY_SOURCE"/labs/lock/* labs/lock
}

@test "a break that is not noticed, and a condition that cannot fail, are status 1" {
	mkdir labs
	cp -r "$ASSAY_SOURCE/labs/lib" "$ASSAY_SOURCE/labs/lock" labs
	labs/lib/sabotage.py lock
	echo 'nothing: after = after -> lacks after user-lock' >>labs/lock/sabotage
	unnoticed "nothing: not noticed by: lacks after user-lock"
	echo 'nowhere: nobody + user-lock -> lacks after user-lock' >>labs/lock/sabotage
	unnoticed "nowhere: the recorded run has nothing to change"
	echo 'value cost-ratio 0 -' >>labs/lock/expected
	unnoticed "no break makes this fail: value cost-ratio 0 -"
	sed -i 's/^value cost-ratio .*/value cost-ratio 50 -/' labs/lock/expected
	unnoticed "the recorded run is not as expected: value cost-ratio 50 -"
	sed -i 's/^value cost-ratio .*//' labs/lock/expected
	unnoticed "the recorded run is not as expected: a figure without a line"
}

@test "a lab that fails is status 1" {
	needs_cage
	run labs --labs "$ASSAY_SOURCE/tests/data/labs" failing
	[ "$status" -eq 1 ]
}

@test "a skipped lab and a part that was not made are status 3, with --strict 1, and counted" {
	needs_cage
	for how in 3: 1:--strict; do
		# shellcheck disable=SC2086 # no option or one
		run labs ${how#*:} --labs "$ASSAY_SOURCE/tests/data/labs" absent partial
		echo "$output"
		[ "$status" -eq "${how%:*}" ]
		[[ "$output" == *"not checked: line 2: no 'figure' was made"* ]]
		[[ "$output" == *$'\nlabs: 1 as expected, 0 not, 1 skipped (absent); expectations not checked: 3' ]]
	done
}

@test "function graphs come from this kernel, then from the VM rig, or are counted as not made" {
	needs_cage
	TRACES=1 run labs --labs "$ASSAY_SOURCE/tests/data/labs" --strict traced
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"function graphs of this kernel:"* ]]
	VMRIG=nowhere run labs --labs "$ASSAY_SOURCE/tests/data/labs" --strict traced
	echo "$output"
	[ "$status" -eq 1 ]
	[[ "$output" == *"no function graph of this kernel: this kernel has no tracer"* ]]
	[[ "$output" == *"no function graph of the VM rig: the VM rig is not here (VMRIG=FOLDER)"* ]]
	[[ "$output" == *"expectations not checked: 1" ]]
}

@test "the VM rig says what it lacks, and what it knows" {
	rig=$ASSAY_SOURCE/tests/vm/rig/run
	run env VMRIG_CACHE=cache PATH=/usr/bin:/bin "$rig" -F -k nosuch
	[ "$status" -eq 1 ]
	[[ "$output" == *"unknown kernel nosuch"* || "$output" == *"is not installed (ASSAY_SETUP=vm tools/setup installs it)"* ]]
	run "$rig" -o out
	[ "$status" -eq 2 ]
	[[ "$output" == "usage: "* ]]
}

@test "a quick run leaves out nothing without a word, and a case runs by its name" {
	needs_cage
	LEAKY=$own run labs --quick --labs "$ASSAY_SOURCE/tests/data/labs"
	echo "$output"
	[ "$status" -eq 1 ]
	[[ "$output" == *$'\nlabs: '*" as expected, 2 not (failing, idle), 1 skipped (absent); expectations not checked: "* ]]
	run labs nosuch-case
	[ "$status" -eq 2 ]
	run labs --quick exception-storm
	echo "$output"
	[[ "$output" != *$'\nskipped:'* ]] || skip "no samples here"
	[[ "$output" == *"| exception-storm "* ]]
}

@test "a lab that ends without a check is not as expected" {
	needs_cage
	run labs --labs "$ASSAY_SOURCE/tests/data/labs" idle
	[ "$status" -eq 1 ]
	[[ "$output" == *"idle ended without a check"*"1 not (idle)"* ]]
}

# What was not found when meson was configured is looked for again, and named if it is still not there.
@test "labs configure again what was configured without a library" {
	needs_labs
	mkdir -p bin built/labs
	touch built/build.ninja
	ln -s "$(dirname "$ASSAY")/labs/cage" built/labs/cage
	# shellcheck disable=SC2016 # a script
	printf '#!/bin/sh\necho "$@" >>%s/meson.log\necho %s >built/labs/missing\n' "$PWD" '$FOUND' >bin/meson
	printf '#!/bin/sh\n' >bin/ninja
	chmod +x bin/*
	echo libevent >built/labs/missing
	PATH=$PWD/bin:$PATH run "$ASSAY_SOURCE/labs/run" --build built --labs "$ASSAY_SOURCE/tests/data/labs" failing
	grep -q -- '^setup --reconfigure ' meson.log
	[[ "$output" == *"it was built without libevent"* ]]
	fails_to grep -q 'building without' <<<"$output"
	rm meson.log
	PATH=$PWD/bin:$PATH run "$ASSAY_SOURCE/labs/run" --build built --labs "$ASSAY_SOURCE/tests/data/labs" failing
	[ ! -e meson.log ]
	echo liburing >built/labs/missing
	FOUND=liburing PATH=$PWD/bin:$PATH run "$ASSAY_SOURCE/labs/run" --build built \
		--labs "$ASSAY_SOURCE/tests/data/labs" failing
	[[ "$output" == *"building without liburing: ASSAY_SETUP=labs tools/setup"* ]]
}

@test "nothing outlives a lab that clears up nothing" {
	needs_cage
	command -v ip >/dev/null || skip "no ip"
	run leaky "$own"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"there: 2 interfaces, 1 namespace"* ]]
	nothing_left "$own"
}

@test "nothing outlives a lab that is interrupted" {
	needs_cage
	command -v ip >/dev/null || skip "no ip"
	LEAKY_STAYS=1 LEAKY=$own LAB_NO_BUILD=1 setsid python3 - "$ASSAY_SOURCE/labs/run" \
		--build "$(dirname "$ASSAY")" --labs "$ASSAY_SOURCE/tests/data/labs" leaky <<'P' &
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
os.execv(sys.argv[1], sys.argv[1:])
P
	runner=$!
	waits_for sleepers "$own" -ge 3
	kill -INT "$runner"
	run wait "$runner"
	nothing_left "$own"
}

@test "nothing outlives a lab whose runner is killed" {
	needs_cage
	command -v ip >/dev/null || skip "no ip"
	LEAKY_STAYS=1 LEAKY=$own LAB_NO_BUILD=1 "$ASSAY_SOURCE/labs/run" \
		--build "$(dirname "$ASSAY")" --labs "$ASSAY_SOURCE/tests/data/labs" leaky &
	runner=$!
	waits_for sleepers "$own" -ge 3
	kill -KILL "$runner"
	run wait "$runner"
	nothing_left "$own"
}

bpf_ids() {
	python3 "$ASSAY_SOURCE/tests/lib/bpf_ids.py"
}

# Programs loaded after the list $1 was made; numbers are never reused.
bpf_new() {
	bpf_ids | grep -vxFf "$1" || true
}

# Programs present when the runner was killed, but not before it started.
bpf_gone() {
	[ -z "$(bpf_new before | grep -xFf then)" ]
}

@test "no BPF program, map or link outlives a lab whose runner is killed" {
	needs_cage
	[ -e "$(dirname "$ASSAY")/labs/sockmap/sockmap.bpf.o" ] || skip "built without libbpf"
	bpf_ids >before || skip "no right to ask for BPF programs"
	LAB_NO_BUILD=1 "$ASSAY_SOURCE/labs/run" --build "$(dirname "$ASSAY")" --short sockmap >lab.log &
	runner=$!
	for ((i = 0; i < 1000; i++)); do
		bpf_new before >new
		if [ -s new ]; then
			kill -KILL "$runner"
			break
		fi
		kill -0 "$runner" 2>/dev/null || skip "no program was loaded: $(grep skipped: lab.log)"
		sleep 0.05
	done
	[ "$i" -lt 1000 ]
	run wait "$runner"
	# programs that others load from here on do not belong to the lab
	bpf_ids >then
	waits_for bpf_gone
}

@test "the quadratic scan is found, and gone after the fix" {
	needs_cage
	if grep -q __asan_init "$(dirname "$ASSAY")/labs/lab-quadratic"; then
		skip "a sanitizer's own functions are in the profile"
	fi
	run labs --short quadratic
	echo "$output"
	[[ "$output" != *$'\nskipped:'* ]] || skip "no samples here"
	[ "$status" -eq 0 ]
	[[ "$output" == *"linear-scan: searching and walking"* ]]
}

@test "planted faults are in the first three findings and gone when mended" {
	needs_cage
	for tool in gcc g++ python3; do
		command -v "$tool" >/dev/null || skip "no $tool"
	done
	run labs --short cases
	echo "$output"
	[[ "$output" != *$'\nskipped:'* ]] || skip "no samples here"
	[ "$status" -eq 0 ]
	[[ "$output" == *"in the first three in 3; gone when mended: 3 of 3"* ]]
}

@test "a case that is not there is a failure and names those that are" {
	needs_cage
	run labs --case nosuch
	[ "$status" -eq 1 ]
	[[ "$output" == *"no case nosuch"*lock-convoy* ]]
}

@test "cases that are not as expected are status 1, each by its name" {
	needs_cage
	LAB_CASES=$ASSAY_SOURCE/tests/data/cases run labs --short cases
	echo "$output"
	[[ "$output" != *"takes no samples here"* ]] || skip "no samples here"
	[ "$status" -eq 1 ]
	[[ "$output" == *"not as expected: not-found, still-there, warned"* ]]
	[[ "$output" == *"skipped: 1: without-tool"* ]]
	[[ "$output" == *"known: a herd that is no fault here"* ]]
	[[ "$output" == *"| known "*"(known)"*"| not-found "* ]]
}
