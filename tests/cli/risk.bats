#!/usr/bin/env bats
# assay risk: files, gates, layouts, history, heat, labels.
bats_require_minimum_version 1.5.0
load assay.bash

sources() {
	mkdir -p tree/sub tree/.hidden
	printf 'int risky(char *d, const char *s, int n)\n{\n\tif (n)\n\t\tmemcpy(d, s, *s);\n\n\treturn n;\n}\n' >tree/a.c
	printf 'static int calm(void)\n{\n\treturn 0;\n}\n' >tree/sub/b.h
	printf 'int never_seen(void) { return 0; }\n' >tree/.hidden/c.c
	"$ASSAY" risk tree >out 2>err || grep -q "has no tree-sitter" err && {
		grep -q "has no tree-sitter" err && skip "this build has no tree-sitter"
	}
	true
}

@test "a folder gives its functions, the riskiest first" {
	sources
	run --separate-stderr "$ASSAY" risk tree --csv
	[ "$status" -eq 0 ]
	[ "$(printf '%s\n' "$output" | grep -c 'risky\|calm')" -eq 2 ]
	[[ "$(printf '%s\n' "$output" | sed -n 2p)" == 1,risky,tree/a.c,* ]]
	[[ "$output" != *never_seen* ]]
	"$ASSAY" risk tree --json | is_json
}

@test "what is no C is counted and named, and loops of links end" {
	sources
	ln -s .. tree/sub/up
	printf 'a\0b' >tree/binary.c
	run --separate-stderr "$ASSAY" risk tree
	[ "$status" -eq 0 ]
	[[ "$output" == *"1 files are binary"* ]]
	fails 1 risk nothing-there
	mkdir empty
	fails 1 risk empty
	[[ "$stderr" == *"no C file"* ]]
}

@test "gates warn like a compiler and exit with 3" {
	sources
	run --separate-stderr "$ASSAY" risk tree --max-parameters 2 --max nesting=0
	[ "$status" -eq 3 ]
	[ "${lines[0]}" = "tree/a.c:1: warning: parameters of 'risky' is 3, over 2 [parameters]" ]
	[ "${lines[1]}" = "tree/a.c:1: warning: nesting of 'risky' is 1, over 0 [nesting]" ]
	run --separate-stderr "$ASSAY" risk tree --max-parameters 3
	[ "$status" -eq 0 ]
	fails 2 risk tree --max nothing=3
	fails 2 risk tree --max cyclomatic
}

@test "gates as SARIF, into a file too" {
	sources
	mkdir "tree/a b" && cp tree/a.c "tree/a b/"
	run --separate-stderr "$ASSAY" risk tree --max-parameters 2 --max nesting=0 --sarif -o gates.sarif
	[ "$status" -eq 3 ]
	python3 -c '
import json
run = json.load(open("gates.sarif"))["runs"][0]
assert [r["id"] for r in run["tool"]["driver"]["rules"]] == ["parameters", "nesting"]
assert len(run["results"]) == 4 and all(r["level"] == "warning" for r in run["results"])
at = run["results"][0]["locations"][0]["physicalLocation"]
assert at["artifactLocation"]["uri"] == "tree/a%20b/a.c" and at["region"]["startLine"] == 1, at
assert run["results"][0]["message"]["text"] == "parameters of \u0027risky\u0027 is 3, over 2."
'
	run --separate-stderr "$ASSAY" risk tree --max-parameters 3 --sarif
	[ "$status" -eq 0 ]
	[[ "$output" == *'"results": []'* ]]
	fails 2 risk tree --sarif
	run --separate-stderr "$ASSAY" risk tree --max-parameters 2 -o gates.txt
	[ "$status" -eq 3 ]
	grep -q "parameters of 'risky'" gates.txt
}

@test "--diff: what a change did to functions, and which gates it newly exceeds" {
	sources
	command -v git >/dev/null || skip "no git"
	cd tree
	printf 'int goes(int a) { return a; }\nint moves(int a) { return a ? 1 : 2; }\n' >old.c
	printf 'int stays(int a, int b, int c, int d) { return a; }\n' >same.c
	printf 'int removed(void) { return 1; }\n' >sub/removed.c
	git init -q . && git config user.name a && git config user.email a@example.org
	git add -A && git commit -qm one && git tag first
	cd ..
	run --separate-stderr "$ASSAY" risk tree --diff first
	[[ "$stderr" != *"has no libgit2"* ]] || skip "this build has no libgit2"
	[ "$status" -eq 0 ]
	[[ "$output" == *"0 functions new, 0 gone, 0 with other metrics"* ]]
	sed -i 's/if (n)/if (n \&\& d)/; s/return n;/goto out;\nout:\n\treturn n;/' tree/a.c
	printf 'int moves(int a) { return a ? 1 : 2; }\nint fresh(int a, int b, int c, int d) { return a; }\n' >tree/new.c
	rm tree/old.c tree/sub/removed.c
	run --separate-stderr "$ASSAY" risk tree --diff first --columns cyclomatic,parameters,lines --json
	[ "$status" -eq 0 ]
	printf '%s' "$output" | python3 -c '
import json, sys
d = json.load(sys.stdin)
f = {x["name"]: x for x in d["functions"]}
assert sorted(f) == ["fresh", "goes", "moves", "removed", "risky"], f
assert (d["new"], d["gone"], d["changed"], d["moved"]) == (1, 2, 1, 1), d
assert f["risky"]["change"] == "changed" and f["risky"]["cyclomatic_before"] == 2
assert f["risky"]["cyclomatic_after"] == 3 and f["risky"]["file"] == "tree/a.c"
assert f["risky"]["lines_after"] == f["risky"]["lines_before"] + 2, f
assert f["fresh"]["change"] == "new" and "parameters_before" not in f["fresh"]
assert f["goes"]["change"] == f["removed"]["change"] == "gone"
assert f["removed"]["file"] == "tree/sub/removed.c" and f["goes"]["file"] == "tree/old.c"
assert f["moves"]["moved_from"] == "tree/old.c" and f["moves"]["file"] == "tree/new.c"
'
	[[ "$("$ASSAY" risk tree --diff first)" == *"2 -> 3"* ]]
	# stays exceeds the gate as before, fresh newly
	run --separate-stderr "$ASSAY" risk tree --diff first --max-parameters 3
	[ "$status" -eq 3 ]
	[ "$output" = "tree/new.c:2: warning: parameters of 'fresh' is 4, over 3 [parameters]" ]
	run --separate-stderr "$ASSAY" risk tree/a.c --diff first --max-cyclomatic 2
	[ "$status" -eq 3 ]
	[ "$output" = "tree/a.c:1: warning: cyclomatic of 'risky' is 3, over 2; it was 2 [cyclomatic]" ]
	run --separate-stderr "$ASSAY" risk tree --diff first --max-cyclomatic 3
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	fails 2 risk tree --diff no-such-revision
	fails 2 risk tree --diff first --history
	fails 2 risk tree --diff first --max callers=1
	mkdir plain && cp tree/a.c plain/
	GIT_CEILING_DIRECTORIES=$PWD run --separate-stderr "$ASSAY" risk plain --diff first
	[ "$status" -ne 0 ]
}

@test "standard input is a file, or a list of files" {
	sources
	[[ "$("$ASSAY" risk - --csv <tree/a.c)" == *risky* ]]
	[[ "$(find tree -name 'b.h' | "$ASSAY" risk --files-from - --csv)" == *calm* ]]
	run --separate-stderr "$ASSAY" risk --files-from tree
	[ "$status" -eq 1 ]
	[ "$stderr" = "assay: tree: cannot be read whole" ]
}

@test "the layout of the older tool is read back as a table of metrics" {
	sources
	"$ASSAY" risk "$ASSAY_SOURCE/tests/data/risk/shapes.c" --family compat --format seed >table 2>/dev/null
	grep -q '^find_block : 0 : 3 : 717.6864028078584 : .* ：0$' table
	[[ "$("$ASSAY" info table)" == *metric-table* ]]
	# it has no rows of the standard family: never another table in silence
	fails 2 risk "$ASSAY_SOURCE/tests/data/risk/shapes.c" --format seed
	[ "$stderr" = "assay: --format seed is the layout of --family compat; add that option" ]
}

@test "ages come from the history that git has" {
	sources
	command -v git >/dev/null || skip "no git"
	cd tree
	git init -q . && git config user.name a && git config user.email a@example.org
	git add -A
	GIT_COMMITTER_DATE='2024-01-01T00:00:00Z' GIT_AUTHOR_DATE='2024-01-01T00:00:00Z' git commit -qm one
	sed -i 's/return n;/return n + 1;/' a.c
	GIT_COMMITTER_DATE='2024-01-11T12:00:00Z' GIT_AUTHOR_DATE='2024-01-11T12:00:00Z' \
		git -c user.email=b@example.org commit -qam 'fix the sum'
	printf '/* calm() is here */\n' >>sub/b.h
	GIT_COMMITTER_DATE='2024-01-21T00:00:00Z' GIT_AUTHOR_DATE='2024-01-21T00:00:00Z' git commit -qam three
	printf 'int later(void) { return 0; }\n' >>a.c
	GIT_COMMITTER_DATE='2024-01-21T00:00:00Z' GIT_AUTHOR_DATE='2024-01-21T00:00:00Z' git commit -qam four
	cd ..
	now=$(date -ud 2024-01-31T00:00:00Z +%s)
	run --separate-stderr "$ASSAY" risk tree --history --now "$now" --json
	[[ "$stderr" != *"has no libgit2"* ]] || skip "this build has no libgit2"
	[ "$status" -eq 0 ]
	printf '%s' "$output" | python3 -c '
import json, sys
f = {x["name"]: x for x in json.load(sys.stdin)["functions"]}
keys = ("last_change", "age", "commits", "authors", "fixes", "churn")
assert [f["risky"][k] for k in keys] == [19, 30, 2, 2, 1, 9], f["risky"]
assert [f["calm"][k] for k in keys] == [30, 30, 1, 1, 0, 4], f["calm"]
assert [f["later"][k] for k in keys] == [10, 10, 1, 1, 0, 1], f["later"]
'
	# where a part of the history is missing it is said
	git clone -q --depth 1 "file://$PWD/tree" shallow
	run --separate-stderr "$ASSAY" risk shallow --history --now "$now"
	[ "$status" -eq 0 ]
	[[ "$stderr" == "assay: the history of 2 files cannot be read to its beginning (a shallow clone?)"* ]]
	# the older tool counts mentions of the name: the remark is one
	printf 'int pad(void)\n{\n\n\n\n\treturn calm();\n}\n' >>tree/sub/b.h
	run --separate-stderr "$ASSAY" risk tree --family compat --now "$now" --json
	printf '%s' "$output" | python3 -c '
import json, sys
f = {x["name"]: x for x in json.load(sys.stdin)["functions"]}
assert f["risky"]["c4"] == 30, f["risky"]
'
}

@test "heat says which risky function is hot, and what met none" {
	sources
	printf 'main;risky 60\nmain;risky.isra.0 20\nmain;elsewhere 20\n' >hot.folded
	run --separate-stderr "$ASSAY" risk tree --heat hot.folded --json
	[ "$status" -eq 0 ]
	printf '%s' "$output" | python3 -c '
import json, sys
d = json.load(sys.stdin)
assert [f["name"] for f in d["functions"]] == ["risky"]
assert d["functions"][0]["heat"] == 80 and d["heat"]["matched_pct"] == 80
assert d["heat"]["unmatched"][0]["symbol"] == "elsewhere"
'
	[[ "$("$ASSAY" risk tree --heat hot.folded)" == *"80.00 of 100.00 % of the"* ]]
	fails 2 risk tree --sort heat
}

@test "report has columns of the sources, and says what met none" {
	sources
	printf 'main;risky 60\nmain;risky.isra.0 20\nmain;elsewhere 20\n' >hot.folded
	run --separate-stderr "$ASSAY" report --risk tree --no-children --json hot.folded
	[ "$status" -eq 0 ]
	"$ASSAY" risk tree --json >risk.json
	printf '%s' "$output" | python3 -c '
import json, sys
c = json.load(sys.stdin)["captures"][0]
rows = {r["symbol"]: r for r in c["rows"]}
one = {f["name"]: f for f in json.load(open("risk.json"))["functions"]}["risky"]
for name in ("risky", "risky.isra.0"):
    assert rows[name]["place"] == "tree/a.c:1", rows
    assert abs(rows[name]["risk_score"] - one["score"]) < 1e-6, rows
    assert rows[name]["cyclomatic"] == one["cyclomatic"] == 2
assert "place" not in rows["elsewhere"] or rows["elsewhere"]["place"] is None
assert c["risk"]["matched_pct"] == 80 and c["risk"]["total_pct"] == 100
'
	[[ "$("$ASSAY" report --risk tree hot.folded)" == *"80.00 % of 100.00 % is in their 2 functions (2 files)"* ]]
	[[ "$("$ASSAY" report --risk tree --csv hot.folded)" == *"tree/a.c:1"* ]]
	fails 2 report --risk tree --sort dso hot.folded
	fails 1 report --risk nowhere hot.folded
	mkdir -p tree/other && cp tree/a.c tree/other/
	[[ "$("$ASSAY" report --risk tree hot.folded)" == *"a.c:1 (1 of 2)"* ]]
}

@test "a flame graph is coloured by rank, grey where the sources have no such function" {
	sources
	printf 'main;risky 60\nmain;calm.part.0 20\nmain;elsewhere 20\n' >hot.folded
	run --separate-stderr "$ASSAY" flame --risk tree hot.folded
	[ "$status" -eq 0 ]
	printf '%s' "$output" | python3 -c '
import sys, xml.etree.ElementTree as xml
svg = "{http://www.w3.org/2000/svg}"
root = xml.fromstring(sys.stdin.read())
said = {g[0].text.split("\n")[0]: (g.get("class"), g[0].text)
        for g in root.find(svg + "g[@id=\"frames\"]")}
assert said["risky"][0] == "k16" and "risk rank 1 of 2, score" in said["risky"][1], said
assert "cyclomatic 2, tree/a.c:1" in said["risky"][1], said
assert said["calm.part.0"][0] == "k17" and said["elsewhere"][0] == "k13", said
assert "risk" not in said["elsewhere"][1], said
'
	fails 1 flame --risk nowhere hot.folded
	fails 2 flame --risk tree --diff hot.folded hot.folded
}

@test "labels are judged with intervals, and few are too few" {
	sources
	printf 'risky 1\ncalm 0\nnobody\n' >labels
	run --separate-stderr "$ASSAY" risk tree --labels labels
	[ "$status" -eq 0 ]
	[[ "$output" == *"1 of 2 functions are labelled; 1 labels name none"* ]]
	[[ "$output" == *"too few positives"* ]]
}

@test "every metric has a unit, a definition and a source" {
	run --separate-stderr "$ASSAY" risk --list-metrics --json
	[ "$status" -eq 0 ]
	printf '%s' "$output" | python3 -c '
import json, sys
m = json.load(sys.stdin)["metrics"]
assert len(m) > 40 and all(x["unit"] and x["definition"] and x["source"] for x in m)
'
}

@test "measured files are kept by content, and --no-cache keeps none" {
	sources
	export XDG_CACHE_HOME=$PWD/cache
	for i in $(seq 1 3000); do
		printf 'int f%d(char *d, const char *s, int n)\n{\n\tif (n > %d)\n\t\tmemcpy(d, s, n);\n\treturn n;\n}\n' "$i" "$i"
	done >tree/large.c
	"$ASSAY" risk tree --csv --no-cache >without
	[ ! -e cache ]
	"$ASSAY" risk tree --csv >first
	[ -n "$(ls cache/assay)" ]
	"$ASSAY" risk tree --csv >second
	cmp without first
	cmp without second
	[ -z "$(find cache -name '*.new')" ]
	# files that others may write to are not read, and an unwritable cache is no error
	for f in cache/assay/*; do
		printf 'no cache at all' >"$f"
	done
	"$ASSAY" risk tree --csv >third
	cmp without third
	rm -r cache && touch cache
	"$ASSAY" risk tree --csv >fourth
	cmp without fourth
	unset XDG_CACHE_HOME HOME
	"$ASSAY" risk tree --csv >fifth
	cmp without fifth
}

@test "sources beside a capture: the front page names what is hot and risky" {
	sources
	printf 'main;calm 20\nmain;risky 70\nmain;other 10\n' >heat.folded
	for order in "heat.folded tree" "tree heat.folded" "--risk tree heat.folded"; do
		# shellcheck disable=SC2086 # two words
		run --separate-stderr "$ASSAY" $order
		[ "$status" -eq 0 ]
		[[ "$output" == *"90.00 of 100.00 % of the profile is in 2 functions of these, by name"* ]]
		[[ "$output" == *"the hottest is risky (tree/a.c:1): 70.00 % of the"* ]]
		[[ "$output" == *"10.00 % other"* ]]
		[[ "$output" == *"risky has 70.0 % of the profile and ranks 1 of 2 functions by score"* ]]
	done
	"$ASSAY" heat.folded tree --json | is_json
	printf 'main;nothing 5\n' >none.folded
	run --separate-stderr "$ASSAY" none.folded tree
	[[ "$output" == *"cannot tell: no function of the profile"* ]]
	mkdir empty
	run --separate-stderr "$ASSAY" heat.folded empty
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"without C files"* ]]
	[[ "$output" == *"risky"* ]]
}

@test "a table of metrics from a file meets the heat, too" {
	sources
	printf 'name,file,line,score\nrisky,a.c,1,90\ncalm,b.h,1,10\nthird,c.c,3,5\nfourth,c.c,7,4\nfifth,c.c,9,3\n' >table.csv
	printf 'main;calm 20\nmain;risky 70\nmain;other 10\n' >heat.folded
	run --separate-stderr "$ASSAY" table.csv heat.folded
	[ "$status" -eq 0 ]
	[[ "$output" == *"the hottest is risky (a.c:1): 70.00 % of the profile"* ]]
	run --separate-stderr "$ASSAY" explain --rule hot-risky table.csv heat.folded
	[[ "$output" == *"risky has 70.0 % of the profile and ranks 1 of 5 functions by score"* ]]
	[[ "$output" == *"table.csv:2"* ]]
	printf 'risky : 9 : 9 : 9 : 1\ncalm : 1 : 2 : 3 : 1\nthird : 1 : 3 : 4 : 5\nfourth : 2 : 4 : 5 : 6\n' >plain.txt
	run --separate-stderr "$ASSAY" plain.txt heat.folded
	[[ "$output" == *"cannot tell which of these are risky"* ]]
}

@test "of two risky functions that are as hot, both pages name the riskier one" {
	sources # skips where they cannot be read
	mkdir pair
	{
		printf 'int knotty(int n)\n{\n\tif (n)\n\t\tfor (; n; n--)\n\t\t\tif (n & 1)\n\t\t\t\treturn 1;\n\treturn 0;\n}\n'
		printf 'int wild(int n)\n{\n\tif (n)\n\t\tfor (; n; n--)\n\t\t\tif (n & 1)\n\t\t\t\tif (n & 2)\n\t\t\t\t\twhile (n > 9)\n\t\t\t\t\t\tn--;\n\treturn 0;\n}\n'
		for i in 1 2 3 4 5 6 7 8; do printf 'int calm%d(void)\n{\n\treturn %d;\n}\n' "$i" "$i"; done
	} >pair/pair.c
	printf 'main;knotty 30\nmain;wild 30\nmain;calm1 40\n' >pair.folded
	"$ASSAY" risk pair --heat pair.folded --json >tree.json
	"$ASSAY" pair.folded pair --json >front.json
	python3 - <<-'EOF'
		import json
		tree = json.load(open("tree.json"))["hot_and_risky"]
		front = json.load(open("front.json"))
		front = [p["hot_and_risky"] for c in front["captures"] for p in c.get("profiles", [])]
		assert (tree["name"], tree["rank"], tree["self"]) == ("wild", 1, 30), tree
		assert [(f["name"], f["rank"], f["self"]) for f in front] == [("wild", 1, 30)], front
	EOF
	grep -q "it and knotty (30.0 %) are the hottest" front.json
}

@test "C++ is left out, by name or by what a header holds, and counted" {
	mkdir -p tree/include
	printf 'int b(int x) { if (x) return 1; return 0; }\n' >tree/b.c
	printf '/* class Old { */\n#ifdef __cplusplus\nextern "C" {\n#endif\nstatic inline int c(int x) { return x ? 1 : 2; }\n#ifdef __cplusplus\n}\nnamespace n { class X; }\n#endif\n' >tree/include/c.h
	printf '#pragma once\nnamespace n {\nclass A {\npublic:\n\tint k() { if (1) return 2; return 3; }\n};\n}\n' >tree/include/a.h
	for end in cc cpp cxx hpp hh C; do
		printf 'int n::A::h() const noexcept { return X(1); }\n' >"tree/a.$end"
	done
	"$ASSAY" risk --json tree >out 2>err || grep -qv "has no tree-sitter" err || skip "this build has no tree-sitter"
	python3 - <<-'END'
		import json
		d = json.load(open("out"))
		assert sorted(f["name"] for f in d["functions"]) == ["b", "c"], d["functions"]
		assert d["cxx_files"] == 7, d["cxx_files"]
		assert d["functions_with_errors"] == 0
	END
	run "$ASSAY" risk tree
	[[ "$output" == *"7 C++ files are left out"* ]]
	run --separate-stderr "$ASSAY" risk tree/a.cc
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"tree/a.cc: C++ (1 file) and no C: assay measures C"* ]]
	run --separate-stderr "$ASSAY" risk tree/a.cc tree/b.c
	[ "$status" -eq 0 ]
	[[ "$output" == *"1 C++ file is left out"* ]]
}

@test "time grows with the size of a function, not with its square" {
	for word in 'if(a)' 'while(a)' 'if(a);else ' 'a?a:' '!' 'a+' '*' 'a->' 'else '; do
		mkdir -p deep
		python3 -c 'import sys; print("int f(int a)\n{\n" + sys.argv[1] * 150000 + "a;\n}")' "$word" >deep/f.c
		# the limit counts CPU time
		run --separate-stderr "$ASSAY" risk --no-cache --limit seconds=20 deep
		[[ "$stderr" != *"has no tree-sitter"* ]] || skip "this build has no tree-sitter"
		[ "$status" -eq 0 ] || { echo "$word: $stderr"; return 1; }
		[[ "$output" == *"deep/f.c:1"* ]]
	done
}
