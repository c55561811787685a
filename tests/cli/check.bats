#!/usr/bin/env bats
# assay check: the examples of its page, outcomes and their status, formats, bad claims.

bats_require_minimum_version 1.5.0
load assay

outcome() {
	"$ASSAY" check --json "$@" >out.json || [ $? -ge 3 ]
	python3 -c 'import json; print(json.load(open("out.json"))["claims"][0]["outcome"])'
}

io_uring() {
	echo "$ASSAY_SOURCE/samples/consensus-io_uring.perf-report.txt"
}

@test "the examples of docs/check.md have the outcomes that it says" {
	python3 - <<-'END'
		import json, os, re, subprocess
		top = os.environ["ASSAY_SOURCE"]
		samples = {"consensus": "consensus-io_uring.perf-report.txt", "ovsdb": "ovsdb-raft-mail.txt",
		           "udp": "udp_sendmsg.funcgraph.txt", "sendto": "sendto-sockmap.ftrace.txt"}
		page = open(top + "/docs/check.md", encoding="utf-8").read()
		rows = re.findall(r"^\| `(.+)` \| (\w+) \| (true|false|cannot tell) \|$", page, re.M)
		assert len(rows) >= 40, len(rows)
		status = {"true": 0, "false": 3, "cannot tell": 4}
		wrong = []
		for claim, sample, outcome in rows:
		    done = subprocess.run([os.environ["ASSAY"], "check", "--json", claim,
		                           f"{top}/samples/{samples[sample]}"], capture_output=True, text=True)
		    said = json.loads(done.stdout)["claims"][0]["outcome"].replace("-", " ")
		    if said != outcome or done.returncode != status[outcome]:
		        wrong.append((claim, said, done.returncode))
		assert not wrong, wrong
	END
}

@test "figure, interval, number of samples and lines stand with the outcome" {
	run -0 "$ASSAY" check 'syscall_exit_to_user_mode self > 20%' "$(io_uring)"
	[[ $output == "true: syscall_exit_to_user_mode self > 20%"* ]]
	[[ $output == *"26.76 % of CPU time (26.42 % to 27.10 %, 73000 samples)"* ]]
	[[ $output == *"line 16"* ]]
}

@test "more claims widen the intervals, which is said" {
	run -0 "$ASSAY" check 'syscall_exit_to_user_mode self > 20%' 'samples > 1' "$(io_uring)"
	[[ $output == *"(26.37 % to 27.15 %, 73000 samples)"* ]]
	[[ $output == *"97.50 % each, corrected for the number of claims"* ]]
}

@test "status 3 for a false claim, 4 where only nobody can tell" {
	run -3 "$ASSAY" check 'samples > 1' 'samples > 1M' 'memset_avx512 self < 1%' "$(io_uring)"
	run -4 "$ASSAY" check 'samples > 1' 'memset_avx512 self < 1%' "$(io_uring)"
}

@test "stacks without a number of samples are judged as recorded only if asked" {
	[ "$(outcome 'share(a) > 30%' small.folded)" = cannot-tell ]
	[ "$(outcome --recorded 'share(a) > 30%' small.folded)" = true ]
	[ "$(outcome --recorded 'a self > 30%' small.folded)" = false ]
	[ "$(outcome --recorded 'a self == 10%' small.folded)" = true ]
	[ "$(outcome --recorded 'b self >= 30%' small.folded)" = true ]
	[ "$(outcome --recorded 'share(b) < 40% under a' small.folded)" = true ]
	[ "$(outcome --recorded 'share(c) > 1% under a' small.folded)" = false ]
}

@test "an unknown name is no 0 %, and has a neighbour" {
	run -4 "$ASSAY" check --recorded 'function_on self < 5%' \
		<(printf 'main;function_one 9\nmain;b 1\n')
	[[ $output == *"did you mean function_one"* ]]
}

@test "a claim that does not parse: place, expectation, nearest word, status 2" {
	fails 2 check 'a shar > 4%' small.folded
	[[ $stderr == *"column 3: expected share"*"did you mean share"* ]]
	fails 2 check 'a share > ' small.folded
	[[ $stderr == *"the claim ends at column 11: expected a number"* ]]
	fails 2 check 'a share > 4ms' small.folded
	[[ $stderr == *"share is in percent"* ]]
	fails 2 check 'a share > 4% nonsense' small.folded
	[[ $stderr == *"column 14: expected the end of the claim, not 'nonsense'"* ]]
	fails 2 check 'share("a) > 4%' small.folded
	[[ $stderr == *"a second quotation mark"* ]]
	fails 2 check small.folded
	[[ $stderr == *"no claim"* ]]
}

@test "claims of a file: comments, the line of a bad one, a missing file, too many" {
	printf '# assertions\n\na self < 30%%\n  b self > 20%%\n' >good.claims
	"$ASSAY" check --recorded --json --claims good.claims small.folded >out.json
	grep -c '"outcome": "true"' out.json | grep -qx 2
	printf 'a self < 30%%\n\na self <\n' >bad.claims
	fails 2 check --claims bad.claims small.folded
	[[ $stderr == *"bad.claims: line 3: the claim ends at column 9"* ]]
	fails 1 check --claims missing.claims small.folded
	yes 'a self < 30%' | head -10001 >many.claims
	fails 2 check --claims many.claims small.folded
	[[ $stderr == *"10001 claims; 1 to 10000"* ]]
	head -10000 many.claims >most.claims
	"$ASSAY" check --recorded --claims most.claims small.folded >/dev/null
}

@test "several captures with such a figure: which, and how to choose" {
	printf 'main;a 3\n' >one.folded
	run -4 "$ASSAY" check --recorded 'a self > 1%' one.folded small.folded
	[[ $output == *"several captures"*"one.folded"*"small.folded"*"--capture N"* ]]
	run -0 "$ASSAY" check --recorded --capture 2 'a self == 10%' one.folded small.folded
	fails 2 check --capture 3 'a self == 10%' one.folded small.folded
}

@test "TAP, JUnit and SARIF are well-formed, with names of the input escaped" {
	printf 'main;<a&"b#\033[31m 3\nmain;c 6\n' >odd.folded
	local claims=('"<a*" self > 90%' 'self(c) > 60%' 'd self > 1%')
	"$ASSAY" check --recorded --format tap "${claims[@]}" odd.folded >out.tap || [ $? -eq 3 ]
	grep -qx '1..3' out.tap
	grep -q '^not ok 1 - ' out.tap
	grep -q '^ok 2 - ' out.tap
	grep -q '^ok 3 - .* # SKIP cannot tell$' out.tap
	"$ASSAY" check --recorded --format junit "${claims[@]}" odd.folded >out.xml || [ $? -eq 3 ]
	"$ASSAY" check --recorded --format sarif "${claims[@]}" odd.folded >out.sarif || [ $? -eq 3 ]
	python3 - <<-'END'
		import json, xml.etree.ElementTree as tree
		suite = tree.parse("out.xml").getroot()
		assert suite.attrib["tests"] == "3" and suite.attrib["failures"] == "1", suite.attrib
		assert [len(case.findall("failure")) for case in suite] == [1, 0, 0]
		assert suite[2].find("skipped") is not None
		results = json.load(open("out.sarif"))["runs"][0]["results"]
		assert [r["ruleId"] for r in results] == ["claim-false", "claim-undecided"], results
	END
	fails_to grep -q "$(printf '\033')" out.tap out.xml out.sarif
}

@test "an input that is missing is one sentence and status 1" {
	fails 1 check 'a share > 1%' missing.folded
	[[ $stderr == *missing.folded* ]]
}
