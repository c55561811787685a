#!/usr/bin/env bats
bats_require_minimum_version 1.5.0
load assay.bash

# A program of this name that prints its environment.
program() {
	printf '#!/bin/sh\nenv\ni=0; while [ $i -lt 3000 ]; do i=$((i+1)); done\n' >"$1"
	chmod +x "$1"
}

@test "--dry-run lists what is set, and nothing is recorded" {
	run "$ASSAY" record --dry-run -- python3.12 x.py
	[ "$status" -eq 0 ]
	[[ $output == *"Environment  PYTHONPERFSUPPORT=1"* && $output == *"Output       perf.data"* ]]
	run "$ASSAY" record --dry-run --no-runtime -- python3.12 x.py
	[[ $output == *"Environment  not changed"* ]]
	run "$ASSAY" record --dry-run -- cat x.py
	[[ $output == *"Environment  not changed"* ]]
	run "$ASSAY" record --dry-run --call-graph fp -- /usr/bin/java X
	[[ $output == *"JAVA_TOOL_OPTIONS="*"-XX:+PreserveFramePointer"* && $output == *"by frame pointers"* ]]
	[ ! -e perf.data ]
}

@test "a script is known by its first line" {
	local line
	for line in '#!/usr/bin/python3' '#!/usr/bin/env python3' '#! /usr/bin/env -S python3 -u' '#!/opt/x/python3.13 -I'; do
		printf '%s\nprint(1)\n' "$line" >script
		run "$ASSAY" record --dry-run -- ./script
		[[ $output == *"PYTHONPERFSUPPORT=1"* ]]
	done
	for line in '#!/bin/sh' 'python3' '' '#!' '#!/usr/bin/env'; do
		printf '%s\nprint(1)\n' "$line" >script
		run "$ASSAY" record --dry-run -- ./script
		[[ $output == *"not changed"* ]]
	done
	run "$ASSAY" record --dry-run -- ./no-such-script
	[[ $output == *"not changed"* ]]
}

@test "options are added to those of the user, and a switch of the user stays" {
	NODE_OPTIONS=--trace-warnings run "$ASSAY" record --dry-run -- node x.js
	[[ $output == *"NODE_OPTIONS=--trace-warnings --perf-basic-prof "* ]]
	PYTHONPERFSUPPORT=0 run "$ASSAY" record --dry-run -- python3 x.py
	[[ $output == *"Environment  not changed"* ]]
}

@test "the command alone has the setting, in one line of the report" {
	needs_rights -- true
	program node
	run --separate-stderr "$ASSAY" record --no-report -- ./node
	[[ $output == *"NODE_OPTIONS=--perf-basic-prof"* ]]
	[[ $stderr == *"Node functions have names by NODE_OPTIONS="*"--no-runtime"* ]]
	[ -z "$NODE_OPTIONS" ]
	run --separate-stderr "$ASSAY" record --no-report --no-runtime -- ./node
	[[ $output != *"NODE_OPTIONS"* && $stderr != *"NODE_OPTIONS"* ]]
}

@test "a runtime that wrote no names gets a hint" {
	needs_rights -- true
	program python3
	program ruby
	program cargo
	run --separate-stderr "$ASSAY" record --no-report -- ./python3
	[[ $stderr == *"older than 3.12"* && $stderr != *"have names by"* ]]
	# a dump has the names as well: python3 -X perf_jit
	printf '#!/bin/sh\n: >/tmp/jit-$$.dump\necho $$ >pid\ni=0; while [ $i -lt 3000 ]; do i=$((i+1)); done\n' >python3
	run --separate-stderr "$ASSAY" record --no-report -- ./python3
	rm "/tmp/jit-$(cat pid).dump"
	[[ $stderr != *"older than 3.12"* ]]
	run --separate-stderr "$ASSAY" record --no-report -- ./ruby
	[[ $stderr == *"--yjit-perf"* ]]
	run --separate-stderr "$ASSAY" record --no-report -- ./cargo run
	[[ $stderr == *"not optimized"* ]]
	run --separate-stderr "$ASSAY" record --no-report -- ./cargo run --release
	[[ $stderr != *"not optimized"* ]]
	run --separate-stderr "$ASSAY" record --no-report -- ./cargo build
	[[ $stderr != *"not optimized"* ]]
}
