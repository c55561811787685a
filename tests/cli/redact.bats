#!/usr/bin/env bats
# convert --redact: no name of the input remains, and equal names become equal words.
bats_require_minimum_version 1.5.0
load assay.bash

FORMATS="folded perf-script pprof speedscope firefox json csv chrome-trace"

key() {
	head -c 32 /dev/zero | tr '\0' "$1" >"key.$1"
}

# Words of the files of strangers: commands, functions, files, hosts, addresses.
make_inputs() {
	printf 'sekritd;sekrit_main;sekrit_fn.isra.0;[unknown] 3\nsekritd;sekrit_main;0x7fab12349999 4\n' >in.folded
	cat >in.script <<-'EOF'
		sekritd 4711/4712 [001] 100.000001:     250000 cpu-clock:u:
		            7fab1234abcd sekrit_fn+0x1d (/opt/sekrit/lib/libsekrit.so.1)
		            7fab12349999 [unknown] (/opt/sekrit/bin/sekritd)
		        ffffffff81234567 do_syscall_64+0x5 ([kernel.kallsyms])

		sekritd 4711/4712 [001] 100.000251:     250000 cpu-clock:u:
		        ffffffffc0123456 sekrit_ioctl+0x5 ([sekrit_mod])
		            7fab1234abcd std::vector<sekrit::Type>::push_back(sekrit::Type const&)+0x1d (/opt/sekrit/lib/libsekrit.so.1)

	EOF
	cat >in.mail <<-'EOF'
		From: Sekrit Person <person@sekrit.example>
		Subject: slow

		# hostname : sekrithost.example.com
		# cmdline : /usr/bin/perf record -o sekrit.data ./sekritd --peer 192.0.2.77
		# Samples: 4K of event 'cycles'
		# Event count (approx.): 4000
		#
		# Overhead  Command  Shared Object      Symbol
		# ........  .......  .................  ..............
		#
		    60.00%  sekritd  libsekrit.so.1     [.] sekrit_fn
		    40.00%  sekritd  [kernel.kallsyms]  [k] do_syscall_64
	EOF
	cat >in.graph <<-'EOF'
		# tracer: function_graph
		#
		# CPU  TASK/PID         DURATION                  FUNCTION CALLS
		# |     |    |           |   |                     |   |   |   |
		 1)  sekritd-4711  |               |  sekrit_ioctl [sekrit_mod]() {
		 1)  sekritd-4711  |   1.000 us    |    kmalloc();
		 1)  sekritd-4711  |   3.000 us    |  }
	EOF
	cat >in.log <<-'EOF'
		2018-04-23T05:11:34.237Z|00015|sekrit_raft|INFO|tcp:192.0.2.77:43412: learned server ID sekrit
		2018-04-23T05:11:34.240Z|00016|poll_loop|WARN|Unreasonably long 5021ms poll interval on sekrithost
	EOF
	printf 'function,cyclomatic,owner\nsekrit_fn,12,sekritperson\nsekrit_main,3,sekritperson\n' >in.csv
}

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	make_inputs
}

# Contents of a format, unpacked.
content() {
	case $1 in
	pprof) gzip -dc <"$2" ;;
	*) cat "$2" ;;
	esac
}

@test "no name, host, path or address of the input is left in any format" {
	cp "$BATS_FILE_TMPDIR"/in.* .
	key a
	n=0
	for input in in.*; do
		for format in $FORMATS; do
			rm -f out
			"$ASSAY" convert --to $format --redact=key.a -o out $input 2>said || { [ ! -e out ]; continue; }
			n=$((n + 1))
			content $format out >plain
			! grep -aiqE 'sekrit|192\.0\.2|7fab1234|ffffffff81234567|ffffffffc0123456|in\.(folded|script|mail|graph|log|csv)' plain ||
				{ echo "$input as $format:"; grep -aioE '.{20}(sekrit|192\.0\.2|7fab1234|in\.).{20}' plain | head -3; return 1; }
		done
	done
	[ $n -ge 20 ] || { echo "only $n written"; return 1; }
}

# Both JSON documents have one shape: every text of the first is another one in the second.
@test "nothing of the samples' names is left" {
	key a
	for file in "$ASSAY_SOURCE"/samples/*.txt; do
		"$ASSAY" convert --to json "$file" >with
		"$ASSAY" convert --to json --redact=key.a "$file" >without
		python3 - <<-'EOF' || { echo "left of ${file##*/}"; return 1; }
			import json
			public = {"format", "kind", "unit", "space", "level", "clock", "event", "schema", "state",
			          "recovery", "order", "style", "severity", "counter", "sentence"}
			words = {"[kernel.kallsyms]", "[unknown]", "[vdso]", "[...]", "", "redacted"}
			n = 0

			def walk(a, b, key, where):
			    global n
			    assert type(a) is type(b) or a is None or b is None, where
			    if isinstance(a, dict):
			        for k in a:
			            if k in b:
			                walk(a[k], b[k], k, where + "." + k)
			    elif isinstance(a, list):
			        for x, y in zip(a, b):
			            walk(x, y, key, where)
			    elif isinstance(a, str) and key not in public and a not in words:
			        n += 1
			        assert a != b or a.isdigit() or (a[0] == "c" and a[1:].isdigit()), (where, a)

			walk(json.load(open("with")), json.load(open("without")), "", "")
			assert n > 5, n
		EOF
	done
}

@test "under one key the same name is the same word, under another it is not" {
	key a
	key b
	printf 'x;sekrit_fn 1\n' >one.folded
	printf 'y;other;sekrit_fn.cold 2\n' >two.folded
	one=$("$ASSAY" convert --to folded --redact=key.a one.folded | sed 's/.*;\(fn_[^ ]*\).*/\1/')
	two=$("$ASSAY" convert --to folded --redact=key.a two.folded | sed 's/.*;\(fn_[^ ]*\).*/\1/')
	three=$("$ASSAY" convert --to folded --redact=key.b one.folded | sed 's/.*;\(fn_[^ ]*\).*/\1/')
	[ "$two" = "$one.cold" ]
	[ "$three" != "$one" ]
	[ "$("$ASSAY" convert --to folded --redact one.folded)" != "$("$ASSAY" convert --to folded --redact one.folded)" ]
}

@test "weights and shapes stay" {
	cp "$BATS_FILE_TMPDIR"/in.folded .
	"$ASSAY" convert --to folded --redact -o out in.folded
	[ "$(sed 's/.* //' out | sort)" = "$(printf '3\n4')" ]
	[ "$("$ASSAY" report --csv out | wc -l)" -eq "$("$ASSAY" report --csv in.folded | wc -l)" ]
}

@test "what is public stays readable where that is asked for" {
	cp "$BATS_FILE_TMPDIR"/in.script .
	key a
	"$ASSAY" convert --to folded --redact=key.a in.script >out
	fails_to grep -q do_syscall_64 out
	"$ASSAY" convert --to folded --redact=key.a --redact-keep kernel in.script >out
	grep -q do_syscall_64 out
	fails_to grep -q sekrit out
	fails 1 convert --to folded --redact --redact-keep everything in.script || fails 2 convert --to folded --redact --redact-keep everything in.script
}

@test "a key that is too short or not there is refused" {
	echo short >short
	fails 2 convert --to folded --redact=short small.folded
	[[ "$stderr" == *"the key is too short, it needs 16 bytes"* ]]
	fails 2 convert --to folded --redact=gone small.folded || fails 1 convert --to folded --redact=gone small.folded
}

# All data of a page, unpacked.
parts() {
	python3 - "$1" <<-'END'
		import base64, gzip, re, sys
		text = open(sys.argv[1], encoding="utf-8").read()
		print(re.sub(r'<script type="module">.*', "", text, flags=re.S))
		for part in re.findall(r'type="application/gzip" id="[^"]*">([^<]*)<', text):
		    print(gzip.decompress(base64.b64decode(part)).decode("utf-8", "replace"))
	END
}

@test "html --redact: no name of the input is in any part of the page" {
	printf 'acmed;acme_main;acme_parse;memcpy 600\nacmed;acme_main;acme_flush 400\n' >acme_host.folded
	head -c 32 /dev/urandom >my.key
	for key in --redact --redact=my.key; do
		run "$ASSAY" html "$key" -o page.html acme_host.folded
		[ "$status $output" = "0 " ]
		parts page.html >parts.txt
		grep -q memcpy parts.txt
		fails_to grep -qi acme parts.txt
	done
	"$ASSAY" html --redact=my.key -o again.html acme_host.folded
	cmp page.html again.html
	"$ASSAY" html -o names.html acme_host.folded
	parts names.html >parts.txt
	grep -q acme_parse parts.txt
	run "$ASSAY" html --redact --comm acmed -o page.html acme_host.folded
	[ "$status" -eq 2 ]
	[[ "$output" == *"takes no choice of samples"* ]]
	run "$ASSAY" html --redact -o page.html acme_host.folded -- acme_host.folded
	[ "$status" -eq 2 ]
	run "$ASSAY" html --redact -o page.html - <acme_host.folded
	[ "$status" -eq 2 ]
	[[ "$output" == *"standard input is read only once"* ]]
}
