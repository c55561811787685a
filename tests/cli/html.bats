#!/usr/bin/env bats
# Checks of the page without a browser; tests/web/page.py drives one.
bats_require_minimum_version 1.5.0
load assay.bash

recordings() {
	printf 'app;main;work 6000\napp;main;copy 1000\n' >a.folded
	printf 'app;main;work 6000\napp;main;copy 2000\n' >b.folded
}

@test "a difference is asked for by --diff, or by -- between files" {
	recordings
	"$ASSAY" html -o one.html --diff a.folded b.folded
	"$ASSAY" html -o two.html a.folded -- b.folded
	cp a.folded a2.folded
	cp b.folded b2.folded
	"$ASSAY" html -o runs.html a.folded a2.folded -- b.folded b2.folded
	for page in one two runs; do
		grep -q 'id="difference"' $page.html
		grep -q 'id="stacks"' $page.html
	done
	cmp one.html two.html
	"$ASSAY" html -o none.html a.folded b.folded
	fails_to grep -q 'id="difference"' none.html
}

@test "-- in front of all files ends the options only" {
	recordings
	mv a.folded -- -a.folded
	"$ASSAY" html -o page.html -- -a.folded
	fails_to grep -q 'id="difference"' page.html
}

@test "sides that are not said, and options that need --diff" {
	recordings
	run "$ASSAY" html -o page.html --diff a.folded a.folded b.folded
	[ "$status" -eq 2 ]
	[[ "$output" == *"'--' must separate the sides: assay html A1 A2 -- B1 B2"* ]]
	run "$ASSAY" html -o page.html --diff a.folded
	[ "$status" -eq 2 ]
	run "$ASSAY" html -o page.html --event cycles a.folded b.folded
	[ "$status" -eq 2 ]
	[[ "$output" == *"need --diff"* ]]
	[ ! -e page.html ]
}

@test "what cannot be compared: the page with the reason, and status 1" {
	cp "$ASSAY_SOURCE/samples/consensus-io_uring.perf-report.txt" "$ASSAY_SOURCE/samples/ovsdb-raft-mail.txt" .
	run "$ASSAY" html -o page.html --diff consensus-io_uring.perf-report.txt ovsdb-raft-mail.txt
	[ "$status" -eq 1 ]
	[[ "$output" == *"counted different things: A cycles, B cpu-clock"* ]]
	grep -q 'id="difference"' page.html
	"$ASSAY" html -o page.html --force --diff consensus-io_uring.perf-report.txt ovsdb-raft-mail.txt
}

@test "a page holds the licence of what draws its charts, if it has that" {
	recordings
	"$ASSAY" html -o page.html a.folded
	if grep -q 'var uPlot=' page.html; then
		grep -q 'Permission is hereby granted' page.html
	else
		fails_to grep -q uplot.js page.html
	fi
}
