#!/usr/bin/env bats
# assay lab: the list of situations, and the way to labs/run.
bats_require_minimum_version 1.5.0
load assay.bash

# A folder of labs whose runner prints its arguments.
setup() {
	assay_setup
	unset ASSAY_LABS
	mkdir own
	printf '%s\n' 'import sys' 'print("runner:", *sys.argv[1:])' >own/run
}

@test "the list has the situations by symptom, for people and as JSON and CSV" {
	run -0 "$ASSAY" lab
	[[ $output == *"four threads are no faster than one"*"gil"*"Python"* ]]
	[[ $output == *"Viewstamped Replication over UDP"*"replica"* ]]
	[[ $output != *healthy-* ]]
	"$ASSAY" lab --json >list.json
	is_json <list.json
	grep -q '"name": "lock-convoy"' list.json
	"$ASSAY" lab --csv | head -1 | grep -q '^symptom,name,language'
}

@test "each situation of the list is a case of the labs, and each lab is in it" {
	"$ASSAY" lab --json | python3 /dev/fd/3 3<<-'E'
		import json, os, sys
		page, top = json.load(sys.stdin), os.environ["ASSAY_SOURCE"] + "/labs/"
		for row in page["situations"]:
		    assert os.path.exists(top + "cases/" + row["name"] + "/case.toml"), row
		there = {n for n in os.listdir(top) if os.path.exists(top + n + "/run")} - {"cases"}
		assert there == {row["name"] for row in page["systems"]}, there
	E
}

@test "names and options go to the runner" {
	ASSAY_LABS=own run -0 "$ASSAY" lab --strict lock-convoy gil
	[[ $output == "runner: --"*" --strict --explain lock-convoy gil" ]]
	ASSAY_LABS=own run -0 "$ASSAY" lab --quick
	[[ $output == *" --quick --explain" ]]
}

@test "a program outside of a build tree runs installed labs by itself" {
	mkdir -p root/bin root/share/assay
	cp "$ASSAY" root/bin/assay
	mv own root/share/assay/labs
	run -0 root/bin/assay lab gil
	[[ $output == "runner: --assay $PWD/root/bin/assay --explain gil" ]]
}

@test "an unknown name, a missing folder and a missing python3 are one sentence each" {
	fails 2 lab lok-convoy
	[[ $stderr == *"no situation is called 'lok-convoy'; did you mean lock-convoy"* ]]
	ASSAY_LABS=nowhere fails 1 lab gil
	[ "$stderr" = "assay: lab: ASSAY_LABS: nowhere has no file 'run'" ]
	run -1 env ASSAY_LABS=own PATH=nowhere "$ASSAY" lab gil
	[[ $output == "assay: lab: no python3, which runs the labs;"* ]]
	fails 2 lab --no-such-option
	fails 2 lab healthy-nonsense
	[[ $stderr == *"no situation is called 'healthy-nonsense'"* ]]
	ASSAY_LABS= fails 2 lab lok-convoy
}

@test "what chooses the labs twice, and an option of the list with a lab, are refused" {
	export ASSAY_LABS=own
	for words in "--all gil" "--matrix gil" "--all --matrix"; do
		# shellcheck disable=SC2086
		fails 2 lab $words
		[ "$stderr" = "assay: lab: names, --all and --matrix each choose what runs; give one of them" ]
	done
	for words in "--json gil" "--csv --all" "-o list.json gil"; do
		# shellcheck disable=SC2086
		fails 2 lab $words
		[[ $stderr == "assay: lab: --json, --csv and -o are options of the list;"* ]]
	done
	[ ! -e list.json ]
	run -0 "$ASSAY" lab --quick gil
	[[ $output == *" --quick --explain gil" ]]
	run -2 "$ASSAY_SOURCE/labs/run" --all gil
	[[ $output == *"give one of them"* ]]
}

@test "a Python without tomllib says so" {
	mkdir old
	echo 'raise ImportError' >old/tomllib.py
	PYTHONPATH=$PWD/old run -1 "$ASSAY_SOURCE/labs/run" --list
	[[ $output == "labs: Python 3."*" has no tomllib; labs/run needs Python 3.11" ]]
}

@test "without a C compiler the installed labs say so" {
	mkdir bin
	python3=$(python3 -c "import sys; print(sys.executable)")
	run -1 env XDG_CACHE_HOME="$PWD/cache" PATH="$PWD/bin" "$python3" "$ASSAY_SOURCE/labs/run" --assay "$ASSAY" gil
	[[ $output == *"no C compiler"*"apt install gcc"* ]]
}

@test "installed labs build what they need, and run a case" {
	command -v gcc || skip "no gcc"
	cp -r "$ASSAY_SOURCE/labs" own-labs
	XDG_CACHE_HOME=$PWD/cache run "$ASSAY_SOURCE/labs/run" --assay "$ASSAY" --labs "$ASSAY_SOURCE/tests/data/labs" failing
	[[ $output != *"all labs skipped"* ]] || skip "no namespaces of our own here"
	[ -x cache/assay/labs/cage ]
	[ -x cache/assay/labs/lab-http-load ]
	[ "$status" -eq 1 ]
	XDG_CACHE_HOME=$PWD/cache run own-labs/run --assay "$ASSAY" replica
	[[ $output == *"needs the source tree of assay"* ]]
}
