#!/usr/bin/env bats
# labs/run: the labs that need no library, on a short run, and that nothing outlives a run.
load assay

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

# Nothing named after the number of the run is there, in any way that the lab made it.
nothing_left() {
	local i
	for i in 1 2 3 4 5 6 7 8 9 10; do
		if ! ps axo args | grep -v grep | grep -q "sleep $1"; then break; fi
		sleep 0.2
	done
	! ps axo args | grep -v grep | grep "sleep $1"
	! ip -o link | grep leaky
	! ip netns list | grep "leaky$1"
	! ls -d /run/leaky"$1" /dev/shm/leaky"$1" /tmp/leaky"$1" 2>/dev/null
}

# Wait until the lab sleeps in its cage.
sleeps() {
	local i
	for i in $(seq 100); do
		if [ "$(ps axo args | grep -cx "sleep $1")" -ge 3 ]; then return 0; fi
		sleep 0.1
	done
	return 1
}

@test "a lab that is not there is a usage error and names those that are" {
	needs_labs
	run labs nosuch
	[ "$status" -eq 2 ]
	[[ "$output" == *"no lab 'nosuch'"*quadratic* ]]
}

@test "every lab has a page, a run and an expectation" {
	for lab in "$ASSAY_SOURCE"/labs/*/run; do
		[ -f "$(dirname "$lab")/README.md" ]
		[ -f "$(dirname "$lab")/expected" ]
	done
}

@test "a lab that fails is status 1" {
	needs_cage
	run labs --labs "$ASSAY_SOURCE/tests/data/labs" failing
	[ "$status" -eq 1 ]
}

@test "nothing outlives a lab that clears up nothing" {
	needs_cage
	command -v ip >/dev/null || skip "no ip"
	run leaky 86401
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"there: 2 interfaces, 1 namespace"* ]]
	nothing_left 86401
}

@test "nothing outlives a lab that is interrupted" {
	needs_cage
	command -v ip >/dev/null || skip "no ip"
	LEAKY_STAYS=1 LEAKY=86402 LAB_NO_BUILD=1 setsid python3 - "$ASSAY_SOURCE/labs/run" \
		--build "$(dirname "$ASSAY")" --labs "$ASSAY_SOURCE/tests/data/labs" leaky <<'P' &
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
os.execv(sys.argv[1], sys.argv[1:])
P
	runner=$!
	sleeps 86402
	kill -INT "$runner"
	run wait "$runner"
	nothing_left 86402
}

@test "nothing outlives a lab whose runner is killed" {
	needs_cage
	command -v ip >/dev/null || skip "no ip"
	LEAKY_STAYS=1 LEAKY=86403 LAB_NO_BUILD=1 "$ASSAY_SOURCE/labs/run" \
		--build "$(dirname "$ASSAY")" --labs "$ASSAY_SOURCE/tests/data/labs" leaky &
	runner=$!
	sleeps 86403
	kill -KILL "$runner"
	run wait "$runner"
	nothing_left 86403
}

bpf_ids() {
	python3 "$ASSAY_SOURCE/tests/lib/bpf_ids.py"
}

@test "no BPF program, map or link outlives a lab whose runner is killed" {
	needs_cage
	[ -e "$(dirname "$ASSAY")/labs/sockmap/sockmap.bpf.o" ] || skip "built without libbpf"
	before=$(bpf_ids) || skip "no right to ask for BPF programs"
	LAB_NO_BUILD=1 "$ASSAY_SOURCE/labs/run" --build "$(dirname "$ASSAY")" --short sockmap >lab.log &
	runner=$!
	for ((i = 0; i < 200; i++)); do
		if [ "$(bpf_ids)" != "$before" ]; then
			kill -KILL "$runner"
			break
		fi
		kill -0 "$runner" 2>/dev/null || skip "no program was loaded: $(grep skipped: lab.log)"
		sleep 0.05
	done
	[ "$i" -lt 200 ]
	run wait "$runner"
	for ((i = 0; i < 100; i++)); do
		if [ "$(bpf_ids)" = "$before" ]; then break; fi
		sleep 0.1
	done
	[ "$(bpf_ids)" = "$before" ]
}

@test "the quadratic scan is found, and gone after the fix" {
	needs_cage
	if grep -q __asan_init "$(dirname "$ASSAY")/labs/lab-quadratic"; then
		skip "a sanitizer's own functions are in the profile"
	fi
	run labs --short quadratic
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"first is linear-scan"* || "$output" == *skipped:* ]]
}
