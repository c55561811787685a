#!/usr/bin/env bats
# Names that want to be markup, rows, frames, formulas or commands of a terminal,
# in everything that is written.
bats_require_minimum_version 1.5.0
load assay.bash

# A pprof profile: main calls 21 functions, 10 samples each.
make_profile() {
	python3 - "$1" <<-'EOF'
		import sys
		names = ["</script><svg onload=alert(1)>", "esc\x1b[31mred\x1b]0;t\x07", "new\nline",
		         "cr\rhere", "quote\"d'`", "semi;colon", "comma,name", "nul\0inside", "c1\x9b31m",
		         "L" * 65536, "=cmd|calc", "]]>&<!--", "\u202ertl", "tab\tname", "__proto__",
		         "constructor", "</title><!--<script>", "\u2028line\u2029", b"\xed\xa0\x80lone",
		         b"\xff\xfebytes", "{{x}}${y}\\u003cscript>"]
		texts = ["", "cpu", "count", "main"] + names

		def varint(v):
		    out = b""
		    while v > 127:
		        out += bytes([v & 127 | 128])
		        v >>= 7
		    return out + bytes([v])

		def number(field, v):
		    return varint(field << 3) + varint(v)

		def block(field, b):
		    return varint(field << 3 | 2) + varint(len(b)) + b

		out = block(1, number(1, 1) + number(2, 2))
		for i in range(len(names)):
		    out += block(2, number(1, i + 2) + number(1, 1) + number(2, 10))
		for i in range(len(names) + 1):
		    out += block(4, number(1, i + 1) + block(4, number(1, i + 1)))
		    out += block(5, number(1, i + 1) + number(2, i + 3))
		out += b"".join(block(6, t if isinstance(t, bytes) else t.encode()) for t in texts)
		open(sys.argv[1], "wb").write(out)
	EOF
}

# Standard input has no control character but line ends and tabs, and is UTF-8.
is_plain() {
	python3 -c '
import sys, unicodedata
for c in sys.stdin.buffer.read().decode("utf-8"):
    assert c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf"), repr(c)'
}

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	make_profile hostile.pprof
}

@test "a profile that is nearly all names is a profile" {
	run --separate-stderr "$ASSAY" info "$BATS_FILE_TMPDIR/hostile.pprof"
	[ "$status" -eq 0 ]
	[[ "$output" == *"pprof (profile)"* ]]
}

@test "hostile names in pages of text" {
	for words in "" report "report -g caller" "report -g callee" info explain diff; do
		second=
		[ "$words" = diff ] && second=$BATS_FILE_TMPDIR/hostile.pprof
		# shellcheck disable=SC2086
		"$ASSAY" $words "$BATS_FILE_TMPDIR/hostile.pprof" $second >out
		is_plain <out || { echo "$words"; return 1; }
		fails_to grep -q "$(printf '\342\200\256')" out
	done
}

@test "hostile names in CSV: as many columns in each row, no formula" {
	"$ASSAY" report --csv "$BATS_FILE_TMPDIR/hostile.pprof" >out
	tr -d "\r" <out | is_plain
	python3 - <<-'EOF'
		import csv
		csv.field_size_limit(1 << 20)
		rows = list(csv.reader(open("out", newline="")))
		assert len(rows) == 23, len(rows)
		assert len({len(r) for r in rows}) == 1
		cells = [c for r in rows for c in r]
		assert not any(c.startswith(("=", "@")) for c in cells)
		for want in ("comma,name", "quote\"d'`", "semi;colon", "L" * 65536):
		    assert want in cells, want[:40]
	EOF
}

@test "hostile names in JSON and SARIF" {
	for words in "report --json" "info --json" "explain --json" "explain --sarif" "convert --to json" \
		"convert --to speedscope" "convert --to firefox"; do
		# shellcheck disable=SC2086
		"$ASSAY" $words -o out "$BATS_FILE_TMPDIR/hostile.pprof"
		is_json <out || { echo "$words"; return 1; }
		is_plain <out || { echo "$words"; return 1; }
	done
}

@test "hostile names in a flame graph" {
	"$ASSAY" flame -o out.svg "$BATS_FILE_TMPDIR/hostile.pprof"
	is_plain <out.svg
	python3 - <<-'EOF'
		import xml.etree.ElementTree as tree
		top = tree.parse("out.svg")
		tags = [e.tag.split("}")[-1] for e in top.iter()]
		assert tags.count("svg") == 1 and tags.count("script") == 1, tags
		assert not any(k.startswith("onload") and "alert" in v
		               for e in top.iter() for k, v in e.attrib.items())
	EOF
}

@test "hostile names in folded stacks and perf script: a line each, read again" {
	"$ASSAY" convert --to folded "$BATS_FILE_TMPDIR/hostile.pprof" >out.folded
	is_plain <out.folded
	[ "$(wc -l <out.folded)" -eq 21 ]
	[ "$(tr -dc ';' <out.folded | wc -c)" -eq 21 ]
	"$ASSAY" convert --to perf-script "$BATS_FILE_TMPDIR/hostile.pprof" >out.script
	is_plain <out.script
	[ "$(grep -c '^$' out.script)" -eq 21 ]
	[ "$(grep -c 'main (\[unknown\])$' out.script)" -eq 21 ]
	for file in out.folded out.script; do
		grep -qF '\u202ertl' $file
		fails_to grep -q "$(printf '\342\200\256')" $file
	done
	grep -qF 'nul\x00inside' out.folded
	grep -qF 'esc\x1b[31mred\x1b]0;t\x07' out.script
	"$ASSAY" report --csv out.folded | grep -qF 'nul\x00inside'
}

@test "pprof keeps them, byte for byte, but for what is no UTF-8 and so no text of pprof" {
	"$ASSAY" report --csv "$BATS_FILE_TMPDIR/hostile.pprof" >want
	"$ASSAY" convert --to pprof -o again.pprof "$BATS_FILE_TMPDIR/hostile.pprof"
	"$ASSAY" report --csv again.pprof >again
	diff <(grep -v 'lone,\|bytes,' want) <(grep -v 'lone,\|bytes,' again)
	[ "$(grep -c '�\(lone\|bytes\),' again)" -eq 2 ]
}

# The page as a browser takes it apart; the scripts that are data, decoded.
@test "hostile names in a page: no element, no script, no broken data" {
	cp "$BATS_FILE_TMPDIR/hostile.pprof" '<img src=x onerror=alert(1)>.pprof'
	"$ASSAY" html -o out.html '<img src=x onerror=alert(1)>.pprof'
	"$ASSAY" html -o diff.html --diff "$BATS_FILE_TMPDIR/hostile.pprof" '<img src=x onerror=alert(1)>.pprof'
	is_plain <out.html
	python3 - <<-'EOF'
		import base64, gzip, html.parser, json
		class Page(html.parser.HTMLParser):
		    def __init__(self):
		        super().__init__()
		        self.tags, self.data, self.kind = [], {}, None
		    def handle_starttag(self, tag, attrs):
		        a = dict(attrs)
		        self.tags.append(tag)
		        assert not any(k.startswith("on") for k in a), a
		        self.kind = (a.get("type"), a.get("id")) if tag == "script" else None
		    def handle_data(self, text):
		        if self.kind:
		            self.data[self.kind] = self.data.get(self.kind, "") + text
		    def handle_endtag(self, tag):
		        self.kind = None
		for name in ("out.html", "diff.html"):
		    p = Page()
		    p.feed(open(name, encoding="utf-8").read())
		    assert "img" not in p.tags and "svg" not in p.tags, p.tags
		    assert p.tags.count("script") == len(p.data) and p.tags.count("title") == 1
		    names = set()
		    for (kind, ident), text in p.data.items():
		        if kind == "application/json":
		            json.loads(text)
		        elif kind == "application/gzip":
		            raw = gzip.decompress(base64.b64decode(text))
		            if ident in ("report", "difference"):
		                json.loads(raw)
		                continue
		            head = json.loads(raw[4:4 + int.from_bytes(raw[:4], "little")])
		            names |= set(head["meta"]["symbols"]["name"])
		    want = {"__proto__", "constructor", "</script><svg onload=alert(1)>", "L" * 65536,
		            "\u2028line\u2029", "esc\x1b[31mred\x1b]0;t\x07"}
		    assert want <= names, [n[:40] for n in want - names]
	EOF
}

@test "names without an image are written as their numbers" {
	printf 'main;a\302\255b 1\nmain;t\363\240\201\201g 1\nmain;h\343\205\244f 1\n' >unseen.folded
	for words in report "report --csv" "convert --to folded" "convert --to perf-script"; do
		# shellcheck disable=SC2086
		"$ASSAY" $words unseen.folded >out
		for name in 'a\u00adb' 't\ue0041g' 'h\u3164f'; do
			grep -qF "$name" out || { echo "$words: $name"; return 1; }
		done
	done
	"$ASSAY" report --json unseen.folded >out
	fails_to grep -qP '[^\x00-\x7f]' out
}

# 680 KB of symbols that are suffixes of one name, and a recording with a sample in each.
@test "symbols that share one long name need no gigabyte of output" {
	PYTHONPATH=$BATS_TEST_DIRNAME python3 - <<-'EOF'
		from perf_data_made import elf, sampled
		n, base = 20000, 0x400000
		texts = b"\0" + b"a" * 200000 + b"\0"
		open("shared.elf", "wb").write(elf(base, texts, range(1, n + 1)))
		open("shared.data", "wb").write(sampled(base, 16 * n, "/shared.elf", range(base, base + 16 * n, 16)))
	EOF
	"$ASSAY" report --json --symfs . shared.data >out
	is_json <out
	[ "$(grep -c '"symbol": "aaaa' out)" -ge 1 ]
	[ "$(wc -c <out)" -lt 50000000 ]
}

@test "a million symbols are read in seconds" {
	PYTHONPATH=$BATS_TEST_DIRNAME python3 - <<-'EOF'
		from perf_data_made import elf, sampled
		n, base = 1000000, 0x400000
		texts = b"\0" + b"".join(b"f%06d\0" % i for i in range(n))
		open("many.elf", "wb").write(elf(base, texts, range(1, 8 * n, 8)))
		open("many.data", "wb").write(sampled(base, 16 * n, "/many.elf", range(base, base + 16 * n, 160000)))
	EOF
	"$ASSAY" report --json --symfs . --limit seconds=20 many.data >out
	[ "$(grep -c '"symbol": "f[0-9]*0000"' out)" -eq 100 ]
}

# Log lines, commands, files and columns; not only names of functions.
make_others() {
	python3 - <<-'EOF'
		bad = "\x1b]0;t\x07\x1b[31m</script><b>`touch pwned`$(touch pwned)'\";=x"
		open("hostile.script", "w").write(
		    "".join("%s 1/1 [000] %d.000000: 1 cycles: \n\t 1 %s+0x1 (/x/%s)\n\t 2 main+0x2 (/x/y)\n\n"
		            % ("=cmd" + bad.replace(" ", "_"), i + 1, "raw_spin_lock" + bad.replace(" ", "_"),
		               bad.replace("/", "_").replace(" ", "_")) for i in range(400)))
		open("hostile.log", "w").write("".join(
		    "2018-04-23T05:11:3%d.237Z|%05d|raft%s|WARN|%s%s\n" % (i, i, "=", "=cmd ", bad) for i in range(9)))
		open("hostile.graph", "w").write("# tracer: function_graph\n#\n# CPU  DURATION   FUNCTION CALLS\n"
		    + "".join(" 0)   %d.500 us    |  f%s();\n" % (i + 1, bad.replace(" ", "_")) for i in range(40)))
		open("hostile.metrics.csv", "w").write("function,cyclomatic,%s\n" % bad.replace('"', "").replace(",", "")
		    + "".join("=f%d%s,%d,%d\n" % (i, bad.replace('"', "").replace(",", ""), i, i * i) for i in range(20)))
		open("=name\x1b[31m';touch pwned;'.folded", "w").write("a;b 3\na;c 4\n")
	EOF
}

@test "hostile log lines, commands, columns and file names, in all that is written" {
	make_others
	mkdir all
	n=0
	for file in hostile.* *.folded; do
		for words in "" report "report -g caller" "report --csv" "report --json" info "info --json" \
			explain "explain --json" "explain --sarif" calls "calls --json" "calls --csv" \
			"convert --to folded" "convert --to perf-script" "convert --to speedscope" \
			"convert --to firefox" "convert --to chrome-trace" "convert --to json" "convert --to csv" \
			"convert --to json --redact" flame "diff hostile.script"; do
			n=$((n + 1))
			# shellcheck disable=SC2086
			"$ASSAY" $words "$file" >all/$n.out 2>all/$n.err || true
			printf '%s\n%s' "$words" "$file" >all/$n.words
		done
	done
	[ "$(find all -name '*.out' -size +0 | wc -l)" -gt $((n / 2)) ]
	# one process for all: starting one for each took most of the time
	python3 - <<-'EOF'
		import glob, json, re

		def is_plain(data, what):
		    for c in data.decode("utf-8"):
		        assert c in "\n\t" or not (ord(c) < 32 or 127 <= ord(c) < 160), (what, repr(c))

		for name in glob.glob("all/*.words"):
		    words, file = open(name, "rb").read().split(b"\n", 1)
		    words, what = words.decode(), (words, file)
		    out, err = (open(name[:-5] + end, "rb").read() for end in ("out", "err"))
		    if words.endswith("csv"):
		        out = out.replace(b"\r", b"")
		        assert not re.search(rb'^"?[=@]|,"?[=@]', out, re.M), ("formula", what)
		    is_plain(out, what)
		    is_plain(err, ("stderr", what))
		    if re.search(r"json|sarif$|speedscope$|firefox$|chrome", words) and out:
		        json.loads(out)
		    if words == "flame":
		        assert b"<b>" not in out, what
	EOF
	[ ! -e pwned ]
}

# People paste suggested commands: a name must stay one word of the command.
@test "commands that findings suggest keep names in one word" {
	make_others
	# without callers, so that a next step asks for those of the hostile name
	grep -v ' main+0x2' hostile.script >flat.script
	"$ASSAY" explain --json flat.script >out
	python3 - <<-'EOF'
		import json, shlex
		seen = 0
		for f in json.load(open("out"))["findings"]:
		    for n in f["next"]:
		        if "touch" not in n:
		            continue
		        seen += 1
		        words = shlex.split(n.replace(";perf", "; perf"), posix=True)
		        assert any("`touch" in w and "$(touch" in w for w in words), (n, words)
		assert seen, "no finding names it"
	EOF
}
