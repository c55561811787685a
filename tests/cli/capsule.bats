#!/usr/bin/env bats
# assay capsule: one file that gives the same findings, everywhere; hostile ones.

bats_require_minimum_version 1.5.0
load assay

samples() {
	ls "$ASSAY_SOURCE"/samples/*.txt
}

# Findings without paths and quoted lines, which name the file.
findings() {
	"$ASSAY" explain --json "$1" | python3 -c '
import json, sys
for f in json.load(sys.stdin)["findings"]:
    print(f["rule"], f["severity"], [(g["name"], g["value"], g["unit"]) for g in f["figures"]], f["title"])'
}

@test "the capsule of each sample gives the same findings" {
	for file in $(samples); do
		"$ASSAY" capsule -f -o out.capsule "$file"
		findings "$file" >before
		findings out.capsule >after
		cmp before after
		[ -s after ]
	done
}

@test "every command reads a capsule like its input" {
	"$ASSAY" capsule -o small.capsule small.folded
	for words in "" report info brief "flame -o -" "convert --to folded" "html -o -"; do
		# shellcheck disable=SC2086
		"$ASSAY" $words small.capsule | sed "s/small\.capsule/small.folded/g; s/, undone: capsule//; s/  *[0-9]* bytes//" >after
		# shellcheck disable=SC2086
		"$ASSAY" $words small.folded | sed "s/  *[0-9]* bytes//" >before
		[ -s after ]
		case $words in
		html*) grep -q small.folded after ;;
		*) diff before after ;;
		esac
	done
	"$ASSAY" diff small.capsule small.folded | grep -q "^No difference found"
	gzip -k small.capsule
	"$ASSAY" report --csv small.capsule.gz >after
	"$ASSAY" report --csv small.folded >before
	cmp before after
}

@test "several inputs stand side by side, two of one name too" {
	mkdir a b
	cp small.folded a/x.folded
	cp "$ASSAY_SOURCE"/samples/sendto-sockmap.ftrace.txt b/x.folded
	"$ASSAY" capsule -o two.capsule a/x.folded b/x.folded
	"$ASSAY" info two.capsule >out
	grep -q '^two.capsule/x.folded ' out
	grep -q '^two.capsule/2-x.folded ' out
	"$ASSAY" explain two.capsule >out
	grep -q 'two.capsule/2-x.folded:[0-9]* .*[a-z]' out
}

@test "the archive is a plain tar, the same each time" {
	"$ASSAY" capsule -o a.capsule small.folded
	"$ASSAY" capsule -o b.capsule small.folded
	cmp a.capsule b.capsule
	mkdir x
	tar xf a.capsule -C x
	cmp x/evidence/small.folded small.folded
	python3 - <<-'EOF'
		import json
		about = json.load(open("x/capsule.json"))
		assert about["schema"] == "assay-capsule-1" and about["differences"] == []
		assert [m["path"] for m in about["members"]] == ["evidence/small.folded", "findings.txt", "findings.json"]
		assert json.load(open("x/findings.json"))["schema"] == "assay-explain-1"
	EOF
	cmp <("$ASSAY" explain --json a.capsule | sed s/a.capsule/FILE.capsule/) x/findings.json
}

@test "a capsule of a capsule has the evidence itself" {
	"$ASSAY" capsule -o a.capsule small.folded
	"$ASSAY" capsule -o b.capsule a.capsule
	tar xOf b.capsule evidence/a.capsule | cmp - small.folded
}

@test "truncated and damaged capsules show what they have" {
	"$ASSAY" capsule -o whole.capsule "$ASSAY_SOURCE"/samples/udp_sendmsg.funcgraph.txt
	head -c 9000 whole.capsule >cut.capsule
	run --separate-stderr "$ASSAY" report cut.capsule
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"cut.capsule: it is cut"* ]]
	[[ "$output" == *"udp_sendmsg"* ]]
	sed 's/__ip_make_skb/__ip_fake_skb/' whole.capsule >changed.capsule
	"$ASSAY" info changed.capsule | grep -q "members of a capsule that differ from their checksum: 1"
	"$ASSAY" info whole.capsule >out
	fails_to grep -q checksum out
	for n in 0 1 100 511 512 513 1000 1024 1500; do
		head -c $n whole.capsule >cut.capsule
		fails 1 report cut.capsule
	done
}

@test "a capsule that leads out, of a later version, or in a capsule is refused" {
	"$ASSAY" capsule -o a.capsule small.folded
	python3 - <<-'EOF'
		import io, tarfile
		def make(name, members):
		    with tarfile.open(name, "w", format=tarfile.USTAR_FORMAT) as t:
		        for path, data, kind in members:
		            m = tarfile.TarInfo(path)
		            m.type, m.size = kind, len(data)
		            m.linkname = "/etc/passwd" if kind != tarfile.REGTYPE else ""
		            t.addfile(m, io.BytesIO(data))
		R, L = tarfile.REGTYPE, tarfile.SYMTYPE
		about = b'{\n  "schema": "assay-capsule-1"\n}\n'
		make("out.capsule", [("capsule.json", about, R), ("evidence/../../x", b"a;b 1\n", R), ("/evidence/y", b"a;b 1\n", R),
		                     ("evidence/l", b"", L), ("evidence/ok", b"main;work 7\nmain;rest 3\n", R)])
		make("later.capsule", [("capsule.json", about.replace(b"-1", b"-2"), R), ("evidence/ok", b"a;b 1\n", R)])
		make("none.capsule", [("capsule.json", about, R), ("evidence/", b"", R)])
		make("nested.capsule", [("capsule.json", about, R), ("evidence/ok", open("a.capsule", "rb").read(), R)])
		make("many.capsule", [("capsule.json", about, R)] + [("evidence/%d" % i, b"main;work 7\n", R) for i in range(70)])
	EOF
	run --separate-stderr "$ASSAY" info out.capsule
	[ "$status" -eq 0 ]
	[[ "$output" == *"members of a capsule that are not read: links, other paths: 3"* ]]
	fails 1 report later.capsule
	[[ "$stderr" == *"later version"* ]]
	fails 1 report none.capsule
	[[ "$stderr" == *"without evidence"* ]]
	fails 1 report nested.capsule
	[[ "$stderr" == *"a capsule in a capsule"* ]]
	[ "$("$ASSAY" info many.capsule | grep -c '^many.capsule/')" -eq 64 ]
}

@test "standard input, a terminal, a file of another kind, and missing inputs are refused" {
	fails 2 capsule -o x.capsule - <small.folded
	[[ "$stderr" == *"read only once"* ]]
	fails 2 capsule -o x.capsule
	fails 1 capsule -o x.capsule missing
	[ ! -e x.capsule ]
	cp small.folded kept
	fails 2 capsule -o kept small.folded
	cmp kept small.folded
	"$ASSAY" capsule -o x.capsule small.folded
	"$ASSAY" capsule -o x.capsule small.folded
}

key() {
	printf 'a key of thirty-two bytes, or so.' >key
}

@test "a redacted capsule of each sample gives the same findings" {
	key
	for file in $(samples); do
		"$ASSAY" capsule -f --redact=key -o out.capsule "$file"
		"$ASSAY" explain --json "$file" | python3 -c '
import json, sys
for f in json.load(sys.stdin)["findings"]:
    print(f["rule"], f["severity"], [(g["value"], g["unit"]) for g in f["figures"]])' | sort >before
		"$ASSAY" explain --json out.capsule | python3 -c '
import json, sys
for f in json.load(sys.stdin)["findings"]:
    print(f["rule"], f["severity"], [(g["value"], g["unit"]) for g in f["figures"]])' | sort >after
		cmp before after
		[ -s after ]
	done
}

@test "names, hosts, paths and addresses are in no byte of a redacted capsule" {
	key
	cat >acmed.log <<-'EOF'
		# hostname : vault7
		From: Ada Zimmermann <ada@acme.example.com>
		peer 10.11.12.13 and fe80::1234:5678 by 52:54:00:ab:cd:ef, file /home/ada/ledger/core.1
		# Overhead  Command  Shared Object        Symbol
		    61.00%  acmed    libledger.so.3       [.] ledger_settle
		    39.00%  acmed    [kernel.kallsyms]    [k] copy_user_generic
	EOF
	printf 'acmed;ledger_settle;copy_user_generic 7\nacmed;ledger_settle 3\n' >acmed.folded
	"$ASSAY" capsule --redact=key -o out.capsule acmed.log acmed.folded
	for name in vault7 Ada ada Zimmermann acme example 10.11.12.13 1234:5678 52:54:00 /home/ core/ ledger settle "$PWD"; do
		if grep -qaF "$name" out.capsule; then
			echo "$name is in the capsule"
			return 1
		fi
	done
	grep -qaF copy_user_generic out.capsule
	"$ASSAY" report --csv out.capsule >out
	# the same function in both inputs, under one name
	name=$(tar xOf out.capsule --wildcards 'evidence/*.log' | sed -n 's/.*\[\.\] //p')
	[ -n "$name" ]
	tar xOf out.capsule --wildcards 'evidence/*.folded' | grep -q ";$name;copy_user_generic 7"
	tar xOf out.capsule capsule.json | grep -q '"redacted": true'
}

@test "one key gives one capsule, another key another one" {
	key
	printf 'another key of thirty-two bytes..' >key2
	printf 'acmed;settle_ledger 7\nacmed;post_ledger 3\n' >in.folded
	"$ASSAY" capsule --redact=key -o a.capsule in.folded
	"$ASSAY" capsule --redact=key -o b.capsule in.folded
	"$ASSAY" capsule --redact=key2 -o c.capsule in.folded
	cmp a.capsule b.capsule
	fails_to cmp -s a.capsule c.capsule
	fails 1 capsule --redact=gone -o d.capsule in.folded
	printf short >short
	fails 1 capsule --redact=short -o d.capsule in.folded
	[[ "$stderr" == *"the key is too short"* ]]
	[ ! -e d.capsule ]
}

@test "a binary input is redacted as text, and findings that it loses are reported" {
	printf 'acmed;ledger_settle;malloc 70\nacmed;ledger_settle 30\n' >in.folded
	"$ASSAY" convert --to pprof -o in.pb.gz in.folded
	# weights of a text of perf script are no counts of samples
	run --separate-stderr "$ASSAY" capsule --redact -o out.capsule in.pb.gz
	[ "$status" -eq 3 ]
	[[ "$stderr" == *"the capsule loses a finding of malloc-churn: 70.0 %"* ]]
	tar xOf out.capsule capsule.json | tr -d ' \n' | grep -q '{"change":"lost","rule":"malloc-churn"}'
	fails_to grep -qa ledger out.capsule
	"$ASSAY" report out.capsule | grep -q malloc
	"$ASSAY" capsule -o whole.capsule in.pb.gz
}

@test "a recording carries its names to a machine without them" {
	command -v perf >/dev/null && command -v gcc >/dev/null || skip "needs perf and gcc"
	cat >p.c <<-'EOF'
		volatile long sink;
		__attribute__((noinline)) void settle_ledger(void) { for (long i = 0; i < 300000000; i++) sink += i; }
		int main(void) { settle_ledger(); }
	EOF
	gcc -O1 -g -o acmed p.c
	perf record -q -o p.data ./acmed >/dev/null 2>&1 || skip "perf cannot record here"
	"$ASSAY" capsule -o p.capsule p.data
	"$ASSAY" capsule --redact -o r.capsule p.data
	mv acmed gone
	"$ASSAY" report p.capsule | grep -q settle_ledger
	fails_to grep -qaE 'acmed|ledger' r.capsule
	# a capsule without names gets none of this machine
	mv gone acmed
	python3 - <<-'EOF'
		import io, tarfile
		with tarfile.open("bare.capsule", "w", format=tarfile.USTAR_FORMAT) as t:
		    for path, data in (("capsule.json", b'{\n  "schema": "assay-capsule-1"\n}\n'),
		                       ("evidence/p.data", open("p.data", "rb").read())):
		        m = tarfile.TarInfo(path)
		        m.size = len(data)
		        t.addfile(m, io.BytesIO(data))
	EOF
	"$ASSAY" report p.data | grep -q settle_ledger
	"$ASSAY" report bare.capsule >out
	fails_to grep -q settle_ledger out
}

@test "--cut leaves out captures without findings, or nothing if findings would differ" {
	cat >two.txt <<-'EOF'
		The database waits, here is all that we have:

		# Overhead  Command  Shared Object      Symbol
		    91.00%  prog     [kernel.kallsyms]  [k] native_queued_spin_lock_slowpath
		     9.00%  prog     prog               [.] main

		And the machine:

		quiet_one;quiet_two 1
		quiet_one;quiet_three 1
		quiet_one;quiet_four 1
	EOF
	"$ASSAY" capsule --cut -o cut.capsule two.txt
	fails_to grep -qa quiet_one cut.capsule
	tar xOf cut.capsule capsule.json | grep -q '"cut": true'
	tar xOf cut.capsule evidence/two.txt | grep -q "And the machine"
	findings two.txt >before
	findings cut.capsule >after
	cmp before after
}

@test "--cut keeps the captures that a comparison needs, and leaves out others" {
	{
		cat "$ASSAY_SOURCE/tests/golden/rules/grown-cost-fires.d/input.txt"
		printf '\nAnd the machine:\n\nquiet_one;quiet_two 1\nquiet_one;quiet_three 1\nquiet_one;quiet_four 1\n'
	} >compared.txt
	"$ASSAY" capsule --cut -o cut.capsule compared.txt
	findings compared.txt >before
	findings cut.capsule >after
	cmp before after
	grep -q grown-cost after
	fails_to grep -qa quiet_one cut.capsule
	grep -qa parse_row cut.capsule
	tar xOf cut.capsule capsule.json | grep -q '"cut": true'
}

@test "--cut leaves out inputs without findings" {
	printf 'quiet_one;quiet_two 1\nquiet_one;quiet_three 1\nquiet_one;quiet_four 1\n' >quiet.folded
	"$ASSAY" capsule --cut -o cut.capsule "$ASSAY_SOURCE/samples/ovsdb-raft-mail.txt" quiet.folded
	tar tf cut.capsule >members
	grep -q evidence/ovsdb members
	fails_to grep -q quiet members
	"$ASSAY" capsule --cut --redact -o cut.capsule "$ASSAY_SOURCE/samples/ovsdb-raft-mail.txt" quiet.folded
	[ "$(tar tf cut.capsule | grep -c evidence/)" = 1 ]
	"$ASSAY" capsule -o whole.capsule "$ASSAY_SOURCE/samples/ovsdb-raft-mail.txt" quiet.folded
	tar tf whole.capsule | grep -q quiet
}

@test "a capsule is not cut if that would change a finding" {
	file=${ASSAY_SHARED:-}/corpus/given/perf-report/rocksdb-ticker-atomics.commit.txt
	[ -e "$file" ] || skip "needs the corpus"
	# the finding compares two tables, of which one has no finding of its own
	run --separate-stderr "$ASSAY" capsule --cut -o cut.capsule "$file"
	[ "$status" -eq 0 ]
	[[ "$stderr" == *"not cut: without the other captures the findings differ"* ]]
	tar xOf cut.capsule capsule.json | grep -q '"cut": false'
	findings "$file" >before
	findings cut.capsule >after
	cmp before after
}

@test "--source adds the lines of hot functions, and nothing from outside of the folder" {
	"$ASSAY" --version | grep '^with ' | grep -qw dwarf || skip "this build reads no DWARF"
	command -v gcc >/dev/null || skip "no C compiler here"
	mkdir tree other
	cat >tree/rows.c <<-'END'
		#include <stdlib.h>

		static int rows_unused(void)
		{
		  return 4;
		}

		/* Adds up. */
		__attribute__((noinline)) static unsigned long rows_add(unsigned long n)
		{
		  unsigned long sum = 0;
		  for (unsigned long i = 0; i < n; i++)
		    sum += i * i ^ n;
		  return sum;
		}

		int main(int argc, char **argv)
		{
		  (void)argv;
		  return rows_add(argc * 300000000ul) == 7 ? rows_unused() : 0;
		}
	END
	gcc -O1 -g -o rows tree/rows.c
	"$ASSAY" record -q -o rows.data ./rows >/dev/null 2>&1 || skip "nothing can be recorded here"
	"$ASSAY" capsule --source tree -o rows.capsule rows.data
	tar tf rows.capsule | grep -qx source/rows.c
	tar xOf rows.capsule source/rows.c >lines
	head -n 1 lines | grep -qx tree/rows.c
	grep -qx '    13      sum += i \* i ^ n;' lines
	fails_to grep -q 'return 4' lines
	"$ASSAY" rows.capsule | grep -q rows_add
	# a link out of the folder, and a folder without the file
	ln -s ../tree/rows.c other/rows.c
	"$ASSAY" capsule --source other -o none.capsule rows.data 2>message
	grep -q 'no source line added' message
	fails_to grep -q '^source' <(tar tf none.capsule)
	fails 2 capsule --source tree --redact -o none.capsule rows.data
	[[ $stderr == *"cannot be redacted"* ]]
}
