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

# bats test_tags=once
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
	[[ $output == *"97.5 % each, corrected for the number of claims"* ]]
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
	[ "$(outcome --recorded 'samples == 3' small.folded)" = cannot-tell ]
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

# A recording as perf script prints it: $1 of 3000 samples in f, the others in g.
recorded() {
	awk -v f="$1" 'BEGIN {
		for (i = 0; i < 3000; i++)
			printf "app 7 [000] %.6f: 250000 cycles:\n\t10 %s+0x1 (/bin/app)\n\t60 main+0x1 (/bin/app)\n\n",
				1 + i / 1000, (i * 7919) % 3000 < f ? "f" : "g_slow"
	}'
}

# bats test_tags=once
@test "changes since another recording, and the same as it" {
	recorded 900 >base.txt
	recorded 1200 >new.txt
	recorded 915 >same.txt
	[ "$(outcome 'f self grew since base.txt' new.txt base.txt)" = true ]
	[ "$(outcome 'g_slow self grew since base.txt' new.txt base.txt)" = false ]
	[ "$(outcome 'g_slow self fell by 5% since base.txt' new.txt base.txt)" = true ]
	[ "$(outcome 'f self grew by 15% since base.txt' new.txt base.txt)" = false ]
	[ "$(outcome 'f self grew since base.txt' same.txt base.txt)" = cannot-tell ]
	[ "$(outcome 'f self within 5% of base.txt' same.txt base.txt)" = true ]
	[ "$(outcome 'f self within 5% of base.txt' new.txt base.txt)" = false ]
	[ "$(outcome 'same as base.txt within 5%' same.txt base.txt)" = true ]
	[ "$(outcome 'same as base.txt within 5%' new.txt base.txt)" = false ]
	[ "$(outcome 'same as base.txt within 0.1%' same.txt base.txt)" = cannot-tell ]
	fails 2 check 'f self grew since base.txt' new.txt
	[[ $stderr == *"base.txt: a claim compares with it"* ]]
}

counted() { # task-clock, instructions, spread
	cat <<-END

		 Performance counter stats for './a' (10 runs):

		          $1 msec task-clock     #    1.000 CPUs utilized   ( +-  $3% )
		     $2      instructions   #    1.00  insn per cycle  ( +-  $3% )

	END
}

@test "changes of counters and times are parts of the figure of the base" {
	counted 1,000.00 5,000,000 0.10 >base.txt
	counted 1,100.00 5,000,100 0.10 >new.txt
	outcome "value(task-clock) grew by 9% since base.txt" new.txt base.txt | grep -qx true
	outcome "value(task-clock) grew by 11% since base.txt" new.txt base.txt | grep -qx false
	outcome "value(task-clock) grew by 10% since base.txt" new.txt base.txt | grep -qx cannot-tell
	outcome "value(task-clock) grew by 90ms since base.txt" new.txt base.txt | grep -qx true
	outcome "value(task-clock) grew by 90 since base.txt" new.txt base.txt | grep -qx cannot-tell
	outcome "value(instructions) within 1% of base.txt" new.txt base.txt | grep -qx true
	"$ASSAY" check 'value(task-clock) grew by 9% since base.txt' new.txt base.txt >out
	grep -q '10.00 % of the base (9.[0-9]* % to 10.[0-9]* %, 10 runs)' out
}

@test "counters of repeated runs are blessed with their spread" {
	counted 1,000.00 5,000,000 0.10 >base.txt
	counted 1,020.00 5,000,100 0.10 >next.txt
	counted 1,500.00 5,000,100 0.10 >slow.txt
	"$ASSAY" check --bless base.txt >perf.claims
	grep -q '^value(task-clock) < [0-9]*us$' perf.claims
	grep -q '^value(instructions) < [0-9]*$' perf.claims
	"$ASSAY" check --claims perf.claims next.txt >/dev/null
	run -3 "$ASSAY" check --claims perf.claims slow.txt
}

@test "threads and times select samples" {
	recorded 900 | sed 's/^app 7 /app 8 /;2000,$s/^app 8 /other 9 /' >threads.txt
	[ "$(outcome 'samples > 100 in tid:9' threads.txt)" = true ]
	[ "$(outcome 'samples > 0 in tid:7' threads.txt)" = false ]
	[ "$(outcome 'share(comm:other) > 10%' threads.txt)" = true ]
	[ "$(outcome 'f self between 20% and 40% in comm:app' threads.txt)" = true ]
	[ "$(outcome 'samples > 1 in time:10s-20s' threads.txt)" = false ]
	[ "$(outcome 'samples between 1490 and 1510 in time:0%-50%' threads.txt)" = true ]
}

histogram() {
	cat <<-END
		@usecs:
		[4, 8)                20 |@@@@@@@@@@@@                                        |
		[8, 16)               60 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
		[16, 32)              20 |@@@@@@@@@@@@                                        |
	END
}

@test "a part of a histogram has the bounds of its buckets, and an interval" {
	histogram >hist.txt
	[ "$(outcome --recorded 'share(@usecs >= 16us) == 20%' hist.txt)" = true ]
	[ "$(outcome --recorded 'share(< 8us) == 20%' hist.txt)" = true ]
	[ "$(outcome --recorded 'share(@usecs > 20us) <= 20%' hist.txt)" = true ]
	[ "$(outcome --recorded 'share(@usecs > 20us) < 20%' hist.txt)" = cannot-tell ]
	[ "$(outcome --recorded 'share(@usecs > 10us) < 20%' hist.txt)" = false ]
	# 12.7 % to 29.2 % for 20 of 100
	[ "$(outcome 'share(@usecs >= 16us) < 29.5%' hist.txt)" = true ]
	[ "$(outcome 'share(@usecs >= 16us) < 29%' hist.txt)" = cannot-tell ]
	[ "$(outcome 'share(@usecs >= 16us) > 29.5%' hist.txt)" = false ]
	[ "$(outcome 'share(@usecs >= 16) < 29.5%' hist.txt)" = cannot-tell ]
	[ "$(outcome 'share(@other >= 16us) < 29.5%' hist.txt)" = cannot-tell ]
}

@test "a part of the intervals of a counter is a fact of this recording" {
	{
		echo 'procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----'
		echo ' r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st'
		for us in 5 10 60 95; do
			echo " 1  0      0 100000   2000  30000    0    0     0     0  100  200 $us  1  4  0  0"
		done
	} >vmstat.txt
	# the first line is the mean since boot
	[ "$(outcome 'share(us > 50%) > 66%' vmstat.txt)" = true ]
	[ "$(outcome 'share(us > 90) < 34%' vmstat.txt)" = true ]
	[ "$(outcome 'share(us > 95) < 1%' vmstat.txt)" = cannot-tell ]
	[ "$(outcome 'share(us > 96) < 1%' vmstat.txt)" = true ]
}

@test "a part of a histogram that grew since another one" {
	histogram | sed 's/ 20 | / 2000 |/; s/ 60 |/ 6000 |/; s/ 20 |/ 2000 |/' >base.txt
	histogram | sed 's/ 60 |/ 2000 |/; s/ 20 |/ 6000 |/' >new.txt
	[ "$(outcome 'share(@usecs >= 16us) grew since base.txt' new.txt base.txt)" = true ]
	[ "$(outcome 'share(@usecs >= 16us) fell since base.txt' new.txt base.txt)" = false ]
}

@test "a function of another input is not one of this recording" {
	printf 'main;elsewhere 3\n' >other.folded
	[ "$(outcome --recorded --capture 1 'elsewhere self < 5%' small.folded other.folded)" = cannot-tell ]
}

@test "a table of counts has shares of its total, not counts as percent" {
	{
		printf '# ./hotkernel\nSampling... Hit Ctrl-C to end.\n^C\n'
		printf '%-50s %10s %6s\n' FUNCTION COUNT PCNT 'unix`swtch' 100 5.0% \
			'genunix`strrput' 400 20.0% 'unix`cpu_halt' 1500 75.0%
	} >kernel.txt
	[ "$(outcome 'self(cpu_halt) between 70% and 80%' kernel.txt)" = true ]
	[ "$(outcome 'self(cpu_halt) > 80%' kernel.txt)" = false ]
	[ "$(outcome --recorded 'self(strrput) == 20%' kernel.txt)" = true ]
	[ "$(outcome --recorded 'self(swtch) < 4.9%' kernel.txt)" = false ]
}

@test "figures in prose: right, wrong, of a change, hedged, of an unknown function" {
	recorded 900 >run.txt
	cat >mail.md <<-'END'
		Most time goes to g_slow, which takes 70% of it; `g_slow` should be cached.

		About 68 % of the samples are in g_slow().
		We saw 45% in g_slow on this machine.
		Before the patch g_slow took 90%.
		Only 3% in h_fast, and over 60% in g_slow.
		```
		g_slow 12%
		```
		    99.00%  g_slow
	END
	"$ASSAY" check --json --text mail.md run.txt >out.json || [ $? -eq 3 ]
	python3 - <<-'END'
		import json
		said = [(c["outcome"], c["claim"]) for c in json.load(open("out.json"))["claims"]]
		assert [o for o, _ in said] == ["true", "true", "false", "cannot-tell", "true"], said
		assert [t.split(":")[0] for _, t in said] == ["line 1", "line 3", "line 4", "line 5", "line 6"], said
	END
	printf 'No figures.\n' >empty.md
	run -4 --separate-stderr "$ASSAY" check --text empty.md run.txt
	[[ $stderr == *"no figure in it names a function"* ]]
	fails 2 check --text mail.md 'f self < 1%' run.txt
	fails 1 check --text missing.md run.txt
}

# bats test_tags=once
@test "a figure in prose is as exact as it is written" {
	local said
	recorded 803 >run.txt # 26.77 %
	while read -r expected said; do
		printf 'We see that f_fast() %s.\n' "$said" | sed 's/f_fast/f/; s/f()/`fun`/' >mail.md
		sed 's/ f+0x1/ fun+0x1/' run.txt >fun.txt
		[ "$(outcome --text mail.md fun.txt)" = "$expected" ] || {
			echo "$said: not $expected"
			return 1
		}
	done <<-'END'
		true takes 26.77%
		true takes 26.76%
		false takes 26.75%
		true takes 26.8%
		true takes 26.7%
		false takes 26.9%
		false takes 26.6%
		true takes 27 %
		true takes 26 %
		false takes 28%
		false takes 25%
		true takes 25-27%
		false takes 23-26%
		true takes about 25%
		true takes nearly 29%
		false takes about 24%
		true takes over 25%
		false takes over 28%
		true takes up to 27%
		false takes up to 26%
		false takes 30%
		false takes 20%
		false takes 40%
	END
	# a round figure may be rounded to tens
	recorded 811 | sed 's/ f+0x1/ fun+0x1/' >fun.txt # 27.03 %
	printf 'We see that `fun` takes 30%%.\n' >mail.md
	[ "$(outcome --text mail.md fun.txt)" = cannot-tell ]
}

@test "lists, two columns, receivers of Go and variants of the C library in prose" {
	cat >more.folded <<-'END'
		main;shop.io/till.(*Drawer).Close 30
		main;till::keeper::keeper 20
		main;__memcmp_avx2_movbe 5
		main;parse_row;lex 15
		main;parse_row 30
	END
	said() {
		printf '%s\n' "$1" >mail.md
		"$ASSAY" check --json --text mail.md more.folded >out.json || true
		python3 -c 'import json; print(*(c["outcome"] for c in json.load(open("out.json"))["claims"]))'
	}
	[ "$(said '30 % of samples are in Drawer.Close, 45 % below parse_row.')" = "true true" ]
	[ "$(said 'memcmp 5 %, keeper 20 %: small strings.')" = "true true" ]
	[ "$(said 'memcmp 15 %, keeper 30 %: small strings.')" = "cannot-tell cannot-tell" ]
	[ "$(said 'parse_row is 30 % self / 45 % total, and no keeper is left.')" = "true true" ]
	[ "$(said 'The 30 % is wasted in parse_row.')" = true ]
	[ "$(said 'A keeper is 20 % larger.')" = "" ]
	[ "$(said 'We save 12 % in `parse_row`.')" = "cannot-tell" ]
}

# Sentences of authors about their own recording, judged by hand: file, line, outcome. "none" is
# for a figure of another recording, of a sum or of a part of a function: no outcome, or cannot tell.
# bats test_tags=once
@test "figures that authors quote of their own recordings: none is judged wrongly" {
	[ -d "${ASSAY_SHARED:-}/corpus/given" ] || skip "needs the corpus"
	python3 - <<-'END'
		import json, os, subprocess
		said = """
		bcc/stackcount_example.txt 146 true
		dtrace/hotkernel_example.txt 22 true
		dtrace/hotkernel_example.txt 23 true
		ftrace-function-graph/cppc-get-rate.eml 484 true
		ftrace-function-graph/cppc-get-rate.eml 595 true
		ftrace-function-graph/filesystems-thaw-fgraph.eml 131 true
		ftrace-function/funcslower_example.txt 4 none
		ftrace-function/funcslower_example.txt 18 true
		ftrace-function/funcslower_example.txt 50 none
		perf-annotate/xdp-frame02-annotate.org 58 none
		perf-report-mail/arm64-vcpu-preempted.eml 163 true
		perf-report-mail/arm64-vcpu-preempted.eml 221 none
		perf-report-mail/btrfs-send-crc.eml 96 none
		perf-report-mail/ipvs-estimator-timer.eml 112 true
		perf-report-mail/posix-lock-kmem-accounting.eml 188 none
		perf-report-mail/raid5-hang-671.eml 187 true
		perf-report-mail/xfs-percpu-counter-sum.eml 67 true
		perf-report/ovn-bitwise-rscan.commit.txt 16 true
		perf-report/perf-book-lbr.md 152 none
		perf-report/perf-book-lbr.md 154 none
		perf-report/perf-book-lbr.md 175 none
		perf-report/xdp-page-pool06.org 1104 none
		perf-sched/tip-wakee-offload.eml 129 none
		perf-sched/tip-wakee-offload.eml 132 none
		perf-top-mail/arm-smmu-cmdq.eml 178 none
		perf-top-mail/arm-smmu-cmdq.eml 180 none
		perf-top-mail/arm-smmu-cmdq.eml 181 none
		perf-top-mail/iouring-cqring-store-release.eml 72 none
		perf-top-mail/pppoe-rcv-nft.eml 83 true
		uftrace/uftrace-graph.md 179 true
		"""
		given, wrong, right = os.environ["ASSAY_SHARED"] + "/corpus/given/", [], 0
		rows = [row.split() for row in said.split("\n") if row.strip()]
		for name, line, expected in rows:
		    done = subprocess.run([os.environ["ASSAY"], "check", "--json", "--text", given + name, given + name],
		                          capture_output=True, text=True)
		    outcomes = {c["outcome"] for c in json.loads(done.stdout)["claims"]
		                if c["claim"].startswith(f"line {line}: ")} - {"cannot-tell"}
		    right += outcomes == ({expected} - {"none"})
		    if not outcomes <= {expected}:
		        wrong.append((name, line, expected, outcomes))
		    elif not outcomes and expected == "true":
		        print("cannot tell:", name, line)
		print(f"{right} of {len(rows)}")
		assert not wrong, wrong
		assert right >= 28, right
	END
}

# bats test_tags=once
@test "figures of 30 sentences of others are judged as they are" {
	[ -d "${ASSAY_SHARED:-}/corpus/given2" ] || skip "needs the corpus"
	python3 "$ASSAY_SOURCE/tests/compare/said.py" "$ASSAY" "$ASSAY_SHARED"
}

@test "blessed claims hold for the recording and the next one, not for another program" {
	recorded 900 >run.txt
	recorded 930 >next.txt
	recorded 1500 >other.txt
	"$ASSAY" check --bless run.txt -o perf.claims
	grep -q '^# 30.00 % (2[0-9.]* to 3[0-9.]*)$' perf.claims
	grep -q '^self(f) < [0-9.]*%$' perf.claims
	grep -qx 'no finding >= error' perf.claims
	"$ASSAY" check --claims perf.claims run.txt >/dev/null
	"$ASSAY" check --claims perf.claims next.txt >/dev/null
	run -3 "$ASSAY" check --claims perf.claims other.txt
	printf 'main;"f g(int, char*)" 4\nmain;h 6\n' >odd.folded
	"$ASSAY" check --recorded --bless odd.folded >odd.claims
	grep -qF "self('\"f g(int, char*)\"') < " odd.claims
	"$ASSAY" check --recorded --claims odd.claims odd.folded >/dev/null
	run -0 "$ASSAY" check --recorded --bless small.folded
	[[ $output == *"self(c) < 64%"* ]]
	fails 2 check --bless 'f self < 1%' run.txt
}

@test "an input that is missing is one sentence and status 1" {
	fails 1 check 'a share > 1%' missing.folded
	[[ $stderr == *missing.folded* ]]
}
