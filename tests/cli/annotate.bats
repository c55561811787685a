#!/usr/bin/env bats
bats_require_minimum_version 1.5.0
load assay.bash

# The programs are built and recorded here, so that the files that ran are there.

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	mkdir src
	cat >src/scan.c <<'C'
static inline long find_key(const long *v, long n, long key)
{
	for (long i = 0; i < n; i++)
		if (v[i] == key) /* line 4 */
			return i;
	return -1;
}
static long table[20000];
int main(int argc, char **argv)
{
	long sum = 0;
	(void)argv;
	for (long i = 0; i < 20000; i++) table[i] = i;
	for (long i = 0; i < 40000; i++) sum += find_key(table, 20000, 19000 + i % 7 + argc);
	return sum == 1;
}
C
	{ cc -O1 -g -o scan src/scan.c; } 2>cc.log || true
}

needs_program() {
	needs_rights -- true
	[ -x "$BATS_FILE_TMPDIR/scan" ] || skip "no C compiler here"
	"$ASSAY" --version | grep -q '^with .*disassembly' || skip "built without Zydis"
	[ "$(uname -m)" = x86_64 ] || skip "not an x86-64"
	cp "$BATS_FILE_TMPDIR/scan" .
	"$ASSAY" record -q -F 999 -o scan.data -- ./scan
}

@test "an inlined function is found, with its loop, its line and the line's text" {
	needs_program
	"$ASSAY" --version | grep -q '^with .*dwarf' || skip "built without libdw"
	run -0 "$ASSAY" annotate scan.data -S find_key
	[[ ${lines[0]} =~ ^main\ in\ scan:\ [0-9.]+\ %\ of\ CPU\ time,\ [0-9]+\ samples$ ]]
	[[ $output =~ Inlined\ +find_key\ [0-9.]+\ % ]]
	[[ $output =~ scan.c:4\ +if\ \(v\[i\]\ ==\ key\) ]]
	[[ $output == *"└"* && $output == *"┌"* ]]
	[[ $output =~ %\ is\ in\ a\ loop\ of\ [0-9]\ instructions ]]
	# findings name this command, also for the inlined function
	run -0 "$ASSAY" explain scan.data
	[[ $output != *"perf annotate"* ]]
}

@test "source lines keep their indentation, without the blanks that all share" {
	needs_program
	"$ASSAY" --version | grep -q '^with .*dwarf' || skip "built without libdw"
	"$ASSAY" annotate scan.data -S main --all >all.txt
	"$ASSAY" annotate scan.data -S main >hot.txt
	python3 - <<-'PY'
		def indents(name):
		    parts = open(name).read().split("\n\n")
		    table = [p for p in parts if "  Code" in p][0].splitlines()
		    at = table[0].index("Code")
		    rows = [line[at:] for line in table[1:]]
		    def of(text):
		        found = [r for r in rows if r.strip().startswith(text)]
		        assert found, (name, text)
		        return len(found[0]) - len(found[0].lstrip())
		    return of("for (long i = 0; i < n"), of("if (v[i] == key)")
		# --all has lines at the margin, such as "{"; the hot ones are all indented
		assert indents("all.txt") == (4, 8), indents("all.txt")
		assert indents("hot.txt") == (0, 4), indents("hot.txt")
	PY
}

@test "sources are looked for below --source, and an edited one gives a caution" {
	needs_program
	"$ASSAY" --version | grep -q '^with .*dwarf' || skip "built without libdw"
	mkdir -p moved/src
	sed 's/line 4/the moved file/' "$BATS_FILE_TMPDIR/src/scan.c" >moved/src/scan.c
	touch -d "+1 hour" moved/src/scan.c
	run -0 "$ASSAY" annotate scan.data --source moved
	[[ $output == *"the moved file"* ]]
	[[ $output == *"source files changed after the program was built"* ]]
	run -0 "$ASSAY" annotate scan.data
	[[ $output == *"line 4"* ]]
	[[ $output != *"source files changed"* ]]
}

@test "only files with the name of a source are read" {
	needs_program
	"$ASSAY" --version | grep -q '^with .*dwarf' || skip "built without libdw"
	mkdir -p other/src
	mkfifo other/src/scan.c
	run -0 "$ASSAY" annotate scan.data --source other
	[[ $output == *"line 4"* ]]
}

@test "JSON has all rows of the function; their shares add up to 100 %" {
	needs_program
	"$ASSAY" annotate --json scan.data -S main >all.json
	is_json <all.json
	python3 - all.json <<-'PY'
		import json, sys
		f = json.load(open(sys.argv[1]))["captures"][0]["functions"][0]
		assert f["function"] == "main"
		assert abs(sum(r.get("self", 0) for r in f["rows"]) - 100) < 0.01
		assert sum(not r["is_source"] for r in f["rows"]) > 15
	PY
}

@test "two recordings are compared by line, also if an edit moved the lines" {
	needs_program
	"$ASSAY" --version | grep -q '^with .*dwarf' || skip "built without libdw"
	mkdir -p new
	# three lines above, and the loop divides
	{ printf '/* one\n * two\n */\n'; sed 's/sum += find_key/sum \/= i + 1, sum += find_key/' \
		"$BATS_FILE_TMPDIR/src/scan.c"; } >new/scan.c
	cc -O1 -g -o scan2 new/scan.c
	"$ASSAY" record -q -F 999 -o scan2.data -- ./scan2
	run -0 "$ASSAY" annotate scan.data scan2.data -S find_key
	[[ ${lines[0]} =~ ^find_key:\ [0-9.]+\ %\ of\ CPU\ time\ in\ A,\ [0-9.]+\ %\ in\ B ]]
	[[ $output == *"scan.c:4>7"*"if (v[i] == key)"* ]]
	"$ASSAY" annotate --json scan.data scan2.data -S find_key >pair.json
	is_json <pair.json
	python3 - pair.json <<-'PY'
		import json, sys
		f = json.load(open(sys.argv[1]))["functions"][0]
		assert f["matched_by"] in ("code", "text"), f["matched_by"]
		assert abs(sum(r["a_self"] for r in f["rows"]) - 100) < 0.01
		assert abs(sum(r["b"] for r in f["rows"]) - f["b"]["of_all_pct"]) < 0.01
		assert {r["verdict"] for r in f["rows"]} <= {"more", "less", "same", "cannot-tell"}
	PY
	run -0 "$ASSAY" annotate --csv scan.data scan2.data -S find_key
	[[ ${lines[0]} == a_self,b_self,place,text,* ]]
	# the same recording twice: no line differs
	cp scan.data same.data
	run -0 "$ASSAY" annotate --csv scan.data same.data -S find_key
	[[ $output != *,more,* && $output != *,less,* ]]
}

@test "filters select samples of a recording, and the rows follow" {
	needs_program
	"$ASSAY" annotate --json scan.data -S main >all.json
	"$ASSAY" annotate --json scan.data -S main --time 0%-30% >first.json
	"$ASSAY" annotate --json scan.data -S main --time 30%-100% >rest.json
	"$ASSAY" annotate --json scan.data -S main --comm scan --cpu 0-4095 >same.json
	python3 - <<-'PY'
		import json
		def main(name):
		    c = json.load(open(name))["captures"][0]
		    return c.get("selected"), c["functions"][0]
		_, every = main("all.json")
		chosen, first = main("first.json")
		_, rest = main("rest.json")
		_, same = main("same.json")
		assert first["samples"] + rest["samples"] == every["samples"]
		assert 0 < first["samples"] <= chosen["samples"] < chosen["of"]
		assert same["rows"] == every["rows"] and same["samples"] == every["samples"]
		for a, b, whole in zip(first["rows"], rest["rows"], every["rows"]):
		    assert a["text"] == b["text"] == whole["text"]
		    n = a.get("self", 0) * first["samples"] + b.get("self", 0) * rest["samples"]
		    assert abs(n / every["samples"] - whole.get("self", 0)) < 0.01
	PY
	fails 2 annotate scan.data --comm nobody
	[[ $stderr == *"no sample matches --comm nobody"* ]]
	cp scan.data same.data
	run -0 "$ASSAY" annotate scan.data same.data -S main --time 0%-30%
	[[ $output == *"Chosen"*"match --time 0%-30%"* && $output != *"Total"* ]]
}

@test "filters are refused for listings" {
	local listing=$ASSAY_SOURCE/tests/golden/annotate/loops.d/input.txt
	fails 2 annotate "$listing" --tid 1
	[[ $stderr == *"a listing of instructions or lines has no samples"* ]]
	needs_program
	fails 2 annotate scan.data "$listing" --comm scan
	[[ $stderr == *"loops.d/input.txt: a listing has no samples to select from"* ]]
}

@test "a listing cannot be compared by line" {
	needs_program
	fails 1 annotate scan.data "$ASSAY_SOURCE/tests/golden/annotate/loops.d/input.txt" -S main
	[[ $stderr == *"loops.d/input.txt: no samples of instructions"*"listings cannot"* ]]
	cp scan.data same.data
	fails 1 annotate scan.data same.data -S mian
	[[ $stderr == *"did you mean 'main'?"* ]]
}

@test "functions without a listing are named with the reason, and unknown ones with a hint" {
	needs_program
	fails 1 annotate scan.data -S mian
	[[ $stderr == *"no function 'mian' has samples; did you mean 'main'?"* ]]
	fails 1 annotate small.folded
	[[ $stderr == *"no instructions or source lines"* ]]
}

@test "an input that is missing is one sentence and status 1" {
	fails 1 annotate missing.data
	[[ $stderr == *missing.data* ]]
}
